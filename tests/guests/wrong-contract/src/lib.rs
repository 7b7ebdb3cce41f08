//! `wrong-contract`: built for another version of the contract, in which a filter is one function.

wit_bindgen::generate!({
    inline: "
        package tamis:filter@0.2.0;

        interface document {
            text: func() -> string;
        }

        interface filter {
            apply: func() -> string;
        }

        world plugin {
            import document;
            export filter;
        }
    ",
});

struct Plugin;

impl exports::tamis::filter::filter::Guest for Plugin {
    fn apply() -> String {
        tamis::filter::document::text()
    }
}

export!(Plugin);
