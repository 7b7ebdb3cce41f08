//! Tests of recognised data: generated tables in each notation, with many layouts, must be read as they were generated.
//! Texts of other kinds are refused.

mod columns;
mod cut;
mod examples;
mod frames;
mod left_out;
mod loose;
mod loose_xml;
mod opaque;
mod printed;
mod records;
mod refused;
mod wrapped;

use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use tamis_formats::{Data, Format, read};

/// The rows of a table, whose JSON must be a list of objects: each name, and the cell as it is spelled.
fn rows(data: &Data<'_>) -> Vec<BTreeMap<String, String>> {
    let rows: Vec<BTreeMap<String, &RawValue>> =
        serde_json::from_str(&data.json).unwrap_or_else(|error| panic!("{error}: {}", data.json));
    let cell = |raw: &RawValue| {
        let text = serde_json::from_str(raw.get());
        text.unwrap_or_else(|_| raw.get().to_owned())
    };
    let row = |row: BTreeMap<String, &RawValue>| {
        let cells = row.into_iter().map(|(name, raw)| (name, cell(raw)));
        cells.collect()
    };
    rows.into_iter().map(row).collect()
}

/// Letters and digits of a text, in order.
fn ink(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}

fn sorted(text: &str) -> Vec<char> {
    let mut chars: Vec<char> = text.chars().collect();
    chars.sort_unstable();
    chars
}

/// Checks all recognised data: its parts are the text, and no letter or digit of a table is lost or moved.
fn check(text: &str, data: &Data<'_>) {
    let parts = [data.text_before(), data.source(), data.text_after()].concat();
    assert_eq!(parts, text);
    let mut last = data.before.end;
    for row in &data.rows {
        assert!(last <= row.start && row.start < row.end, "{text:?}");
        last = row.end;
    }
    assert!(last <= data.after.start, "{text:?}");
    serde_json::from_str::<Value>(&data.json).unwrap_or_else(|error| panic!("{error}: {text:?}"));
    if !data.format.is_table() {
        assert!(data.rows.is_empty());
        return;
    }
    let rows = rows(data);
    assert_eq!(rows.len(), data.rows.len(), "{text:?}");
    let has_header = matches!(
        data.format,
        Format::Csv | Format::Tsv | Format::MarkdownTable | Format::Columns | Format::Box
    );
    for (row, range) in rows.iter().zip(&data.rows) {
        let source = ink(&text[range.clone()]);
        if has_header {
            // Keys of JSON are in another order in the map of the test.
            let written: String = row.values().map(|cell| ink(cell)).collect();
            assert_eq!(sorted(&written), sorted(&source), "{text:?}");
        }
    }
}

/// Asserts that a text has these data.
#[track_caller]
fn is(text: &str, format: Format, json: &str) {
    let data = read(text).unwrap_or_else(|| panic!("nothing in {text:?}"));
    assert_eq!((data.format, &*data.json), (format, json));
    check(text, &data);
}
