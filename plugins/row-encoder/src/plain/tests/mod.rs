//! Tests of the level `plain`: the meaning of settings, misfits, budgets, and the example.

mod budgets;
mod example;
mod misfits;
mod promises;
mod settings;
mod shapes;

use serde_json::{Value, json};
use tamis_sdk::testing::Bench;

use crate::RowEncoder;

/// The filter with these settings for `shape`.
pub fn bench(shape: &Value) -> Bench<RowEncoder> {
    Bench::new(json!({"level": "plain", "shape": shape}))
}

/// The filtered document, as JSON.
pub fn shaped(shape: &Value, document: &Value) -> Value {
    let applied = bench(shape).apply(&pretty(document));
    assert!(applied.changed, "unchanged: {document}");
    serde_json::from_str(applied.text()).expect("JSON")
}

pub fn pretty(document: &Value) -> String {
    serde_json::to_string_pretty(document).expect("a value can be printed")
}

/// Rows as a reader splits them: lines, then fields, then escapes.
pub fn cells(rows: &str) -> Vec<Vec<String>> {
    if rows.is_empty() {
        return Vec::new();
    }
    rows.split('\n').map(fields).collect()
}

fn fields(row: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut letters = row.chars();
    while let Some(letter) = letters.next() {
        let field = fields.last_mut().expect("at least one field");
        match letter {
            '|' => fields.push(String::new()),
            '\\' => field.push(match letters.next() {
                Some('n') => '\n',
                Some('r') => '\r',
                Some(other @ ('\\' | '|')) => other,
                other => panic!("an escape that is none: {other:?} in {row}"),
            }),
            letter => field.push(letter),
        }
    }
    fields
}

/// Tokens of most clients' models.
pub fn tokens(text: &str) -> usize {
    let encoding = tiktoken::get_encoding("o200k_base").expect("the vocabulary is built in");
    encoding.count(text)
}
