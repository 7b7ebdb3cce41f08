//! `wrong-contract`: built for another version of the contract (`other.wit`), in which a filter is one function.

// Not by a macro: the generator takes longer to compile than all guests.
#[rustfmt::skip]
mod bindings;

use bindings::exports::tamis::filter::filter::Guest;
use bindings::tamis::filter::document;

struct Plugin;

impl Guest for Plugin {
    fn apply() -> String {
        document::text()
    }
}

bindings::export!(Plugin with_types_in bindings);
