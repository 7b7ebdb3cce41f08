//! Documents that contain a filter's triggers, so that a test of the filter does not pass only because no
//! document concerns it.

use super::hostile::{Hostile, row};
use serde_json::{Value, json};

/// Triggers of which documents are made.
const MOST_TRIGGERS: usize = 8;
/// Lines and elements of the larger documents.
const MANY: usize = 200;

/// Documents with each of a filter's triggers: in a line of text, in every line, as a key of JSON and in its strings.
/// None for a filter that has no triggers, which is called for every document.
pub fn with_triggers(triggers: &[String]) -> Vec<Hostile> {
    let mut documents = Vec::new();
    for (index, trigger) in triggers.iter().take(MOST_TRIGGERS).enumerate() {
        let number = index + 1;
        let mut add = |form: &str, text: String| {
            documents.push(Hostile::new(format!("trigger-{number}-{form}"), text));
        };
        add("alone", trigger.clone());
        add(
            "in-text",
            format!("before\nsome words {trigger} more words\nafter\n"),
        );
        let lines = (0..MANY).map(|n| format!("line {n}: {trigger} = {n}\n"));
        add("in-every-line", lines.collect());
        for (form, text) in in_json(trigger) {
            add(form, text);
        }
    }
    documents
}

/// A trigger where JSON may have it. One that is spelled as a key or string of JSON (`"notes"`) is one there.
fn in_json(trigger: &str) -> Vec<(&'static str, String)> {
    // `"notes":` and `"notes` mean the key too.
    let bare = trigger.trim_end_matches([' ', ':']);
    let key = match serde_json::from_str::<String>(bare) {
        Ok(key) => key,
        Err(_) => bare.trim_matches('"').to_owned(),
    };
    let long = format!("{key} ").repeat(MANY);
    let values = [
        json!(null),
        json!("some words"),
        json!(long),
        json!(7),
        json!([1, 2, 3]),
        json!({"a": null, "b": [key]}),
        json!((0..MANY).collect::<Vec<_>>()),
    ];
    let object = |value: &Value| json!({"id": 1, &*key: value, "other": {&*key: value}});
    let rows = (0..MANY).map(|n| {
        let mut element: Value = serde_json::from_str(&row(n, false)).unwrap_or_default();
        element[&*key] = values[n % values.len()].clone();
        element
    });
    vec![
        (
            "as-keys",
            json!(values.iter().map(object).collect::<Vec<_>>()).to_string(),
        ),
        (
            "in-rows",
            json!({"data": rows.collect::<Vec<_>>()}).to_string(),
        ),
        (
            "in-strings",
            json!({"text": format!("before {trigger} after"), "list": [key, long]}).to_string(),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Kind;

    #[test]
    fn each_document_has_its_trigger() {
        for trigger in [
            "<",
            "\"notes\"",
            "\"notes\":",
            "\"a.b",
            "\\u",
            "\u{1b}[",
            "Traceback (most",
        ] {
            let all = with_triggers(&[trigger.to_owned()]);
            assert_eq!(all.len(), 6);
            for document in &all[..3] {
                assert!(document.document.text().contains(trigger), "{trigger}");
            }
            for document in &all[3..] {
                assert_eq!(document.document.kind(), Kind::Json, "{}", document.name);
            }
        }
        let rows = &with_triggers(&["\"notes\"".to_owned()])[4];
        assert!(rows.document.text().contains("\"notes\":"));
        assert!(with_triggers(&[]).is_empty());
        assert_eq!(
            with_triggers(&vec!["x".to_owned(); 99]).len(),
            6 * MOST_TRIGGERS
        );
    }
}
