//! Sizes against plain ones.

use super::*;
use proptest::prelude::*;
use serde_json::json;

fn size(count: u32, unit: Unit) -> Size {
    Size { count, unit }
}

proptest! {
    #[test]
    fn whitespace_between_tokens_does_not_count(text in "[a\\\\\" \n\u{e9}]{0,9}", limit in 0u32..90) {
        let value = json!({ "k k": [text, 1, null], "\\\" ": { "a": text } });
        let (plain, pretty) = (value.to_string(), format!("{value:#}\n\t "));
        let documents = [&plain, &pretty].map(|text| Document::nested(text.clone(), 9).expect("JSON"));
        let characters = plain.chars().count();
        for document in &documents {
            prop_assert_eq!(encoded_chars(document), characters);
            prop_assert_eq!(has_more_characters(document, limit as usize), characters > limit as usize);
            prop_assert_eq!(is_over(document, size(limit, Unit::Characters), false), characters > limit as usize);
            prop_assert_eq!(is_over(document, size(limit, Unit::Bytes), false), plain.len() > limit as usize);
        }
    }

    #[test]
    fn a_text_fits_up_to_its_size(text in "[a\u{e9}\u{1f980}]{0,12}", limit in 0u32..14) {
        let limit_ = limit as usize;
        for unit in [Unit::Characters, Unit::Bytes] {
            let length = if unit == Unit::Bytes { text.len() } else { text.chars().count() };
            prop_assert_eq!(fits(&text, size(limit, unit)), length <= limit_);
            prop_assert_eq!(may_fit(&text, size(limit, unit)), length <= limit_);
        }
        let eight = text.repeat(8);
        prop_assert_eq!(may_fit(&eight, size(limit, Unit::Tokens)), text.chars().count() <= limit_);
    }
}

#[test]
fn tables_may_fit_where_their_json_does_not() {
    let row = json!({"a name": "some value of it", "another": 7654321});
    let rows = json!(vec![row; 60]).to_string();
    let document = Document::nested(rows.clone(), 9).expect("JSON");
    let over = |limit: u32, as_tables| is_over(&document, size(limit, Unit::Characters), as_tables);
    let table = {
        let options = Options {
            level: Level::Table,
            min_rows: 2,
        };
        tamis_rows::encode(&rows, document.tape(), options)
            .expect("a table")
            .text
            .chars()
            .count() as u32
    };
    assert!(table * 3 / 2 < rows.len() as u32);
    assert!(over(table, false) && !over(table, true) && over(table - 1, true));
    // A document more than eight times as large is not tried.
    let flat = json!(vec![
        json!({"a very long name of a column, with many words in it": 1});
        99
    ])
    .to_string();
    // As long as eight times something.
    let flat = format!("{flat:width$}", width = flat.len().next_multiple_of(8));
    let document = Document::nested(flat.clone(), 9).expect("JSON");
    let eighth = flat.len().div_ceil(TABLES_AT_BEST);
    assert!(fits_as_tables(&document, eighth) && !fits_as_tables(&document, eighth - 1));
}
