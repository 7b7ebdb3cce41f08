//! All of an original in its shortest form: nothing is lost, and nothing grows.

use proptest::prelude::*;

use super::{all_pages, ask, config, json};
use crate::excerpt::{Original, Query};

proptest! {
    #![proptest_config(config())]

    #[test]
    fn json_comes_back_as_a_value(text in json(), tokens in 60usize..90) {
        let short = all_pages(text.as_bytes(), None, Query::Short, tokens);
        prop_assert!(short.len() <= text.len());
        let restored = tamis_rows::restore(&short).unwrap_or_else(|_| short.clone());
        let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        prop_assert_eq!(value(&restored), value(&text));
    }

    #[test]
    fn text_comes_back_as_it_was(text in "[a-zé€ \\n]{0,300}", tokens in 60usize..90) {
        prop_assert_eq!(all_pages(text.as_bytes(), None, Query::Short, tokens), text);
    }
}

#[test]
fn the_header_names_the_form() {
    let rows: Vec<String> = (0..20)
        .map(|id| format!("{{ \"id\": {id}, \"name\": \"name {id}\", \"state\": \"open\" }}"))
        .collect();
    let header = |text: &str| ask(text, Query::Short).unwrap().header;
    let table = header(&format!("[{}]", rows.join(",\n  ")));
    assert!(table.contains("; as a table"), "{table}");
    let compact = header("{ \"a\": 1 }");
    assert!(compact.contains("; as compact JSON"), "{compact}");
    assert_eq!(header("{\"a\":1}"), header("1234567"), "as it was sent");
}

#[test]
fn json_that_nests_deep_is_shown_as_it_was_sent() {
    let deep = format!("{}{}", "[ ".repeat(100_000), " ]".repeat(100_000));
    let first = crate::excerpt::read(
        &Original::new(deep.as_bytes()),
        None,
        &Query::Short,
        super::cap(100),
    );
    assert!(deep.starts_with(&first.unwrap().text));
}
