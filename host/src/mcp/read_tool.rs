//! `tamis_read`: the tool with which a model gets back what was cut.
//!
//! It is listed with the upstream's own tools and answered here; its answers are never filtered.

use crate::excerpt::{self, Cap, Original, Query, ReadError};
use crate::store::{Reference, Store, StoreError};
use crate::tokens;
use serde::Deserialize;
use serde_json::json;

/// Its name.
pub const NAME: &str = "tamis_read";

/// Tokens of one answer: a screenful, so that a question that was too wide costs little.
const CAP_TOKENS: usize = 2000;

/// Its arguments.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    #[serde(rename = "ref")]
    reference: String,
    part: Option<String>,
    path: Option<String>,
    rows: Option<String>,
    lines: Option<String>,
    search: Option<String>,
    #[serde(default)]
    regex: bool,
    cursor: Option<String>,
}

/// How it is listed, as JSON. Every client pays for these words at every turn, so they are few.
pub(super) fn definition() -> String {
    let text = |description: &str| json!({"type": "string", "description": description});
    json!({
        "name": NAME,
        "description": "Gets back what a [tamis] note says was cut from a result.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "ref": text("from the note"),
                "path": text("JSON path: $.data[*].id"),
                "rows": text("of an array, from 0, end excluded: 20:40"),
                "lines": text("from 1, end included: 1-80"),
                "search": text("words to find"),
                "regex": {"type": "boolean"},
                "part": text("content[1] or structuredContent, if there are several"),
                "cursor": text("from the last answer"),
            },
            "required": ["ref"],
        },
        "annotations": {"readOnlyHint": true},
    })
    .to_string()
}

/// The result (raw JSON) of a call with these arguments (raw JSON).
pub(super) fn answer(store: &Store, arguments: &[u8]) -> Vec<u8> {
    let (text, is_error) = match read(store, arguments) {
        Ok(text) => (text, false),
        Err(message) => (message, true),
    };
    json!({"content": [{"type": "text", "text": text}], "isError": is_error})
        .to_string()
        .into_bytes()
}

/// The text of the answer; an error is for the model.
fn read(store: &Store, arguments: &[u8]) -> Result<String, String> {
    let arguments: Arguments = serde_json::from_slice(arguments)
        .map_err(|error| format!("{NAME}: {error}; its schema says what it takes"))?;
    let bytes = fetch(store, &arguments.reference)?;
    let query = arguments.query()?;
    let cap = Cap {
        tokens: CAP_TOKENS,
        counter: &|text| tokens::count(text) as usize,
    };
    excerpt::read(
        &Original::new(&bytes),
        arguments.part.as_deref(),
        &query,
        cap,
    )
    .map(|excerpt| excerpt.to_string())
    .map_err(|error: ReadError| error.to_string())
}

fn fetch(store: &Store, reference: &str) -> Result<Vec<u8>, String> {
    let gone = || {
        format!("no original `{reference}` is kept (any more): call the tool that gave it again")
    };
    let reference: Reference = reference.parse().map_err(|_| gone())?;
    store.get(&reference).map_err(|error| match error {
        StoreError::NotFound(_) => gone(),
        error => {
            tracing::error!("original {reference}: {:#}", anyhow::Error::from(error));
            format!("original `{reference}` cannot be read: call the tool that gave it again")
        }
    })
}

impl Arguments {
    fn query(&self) -> Result<Query, String> {
        let path = self.path.clone();
        if let Some(cursor) = &self.cursor {
            return Ok(Query::Cursor(cursor.clone()));
        }
        if let Some(pattern) = &self.search {
            return Ok(Query::Search {
                pattern: pattern.clone(),
                regex: self.regex,
                ignore_case: true,
                context: 0,
                path,
            });
        }
        if let Some(rows) = &self.rows {
            let (from, to) = range(rows, ':').ok_or_else(|| {
                format!("`rows` is \"{rows}\"; it takes \"20:40\", \"20:\" or \"20\"")
            })?;
            return Ok(Query::Rows { path, from, to });
        }
        if let Some(lines) = &self.lines {
            let (from, to) = range(lines, '-').ok_or_else(|| {
                format!("`lines` is \"{lines}\"; it takes \"1-80\", \"80-\" or \"80\"")
            })?;
            return Ok(Query::Lines { from, to });
        }
        Ok(path.map_or(Query::Whole, Query::Path))
    }
}

/// `20:40`, `20:` or `20`, which is one item: the next one is the end where that is excluded.
pub(crate) fn range(text: &str, separator: char) -> Option<(u64, Option<u64>)> {
    let number = |text: &str| text.trim().parse::<u64>().ok();
    match text.split_once(separator) {
        Some((from, to)) if to.trim().is_empty() => Some((number(from)?, None)),
        Some((from, to)) => Some((number(from)?, Some(number(to)?))),
        None => {
            let one = number(text)?;
            let end = if separator == ':' {
                one.checked_add(1)?
            } else {
                one
            };
            Some((one, Some(end)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_costs_little_to_list() {
        let listed: serde_json::Value = serde_json::from_str(&definition()).expect("JSON");
        assert_eq!(listed["name"], NAME);
        let tokens = tokens::count(&definition());
        assert!(tokens <= 200, "{tokens} tokens");
    }

    #[test]
    fn ranges() {
        assert_eq!(range("20:40", ':'), Some((20, Some(40))));
        assert_eq!(range("20:", ':'), Some((20, None)));
        assert_eq!(range("20", ':'), Some((20, Some(21))));
        assert_eq!(range(" 1 - 80 ", '-'), Some((1, Some(80))));
        assert_eq!(range("80", '-'), Some((80, Some(80))));
        for wrong in ["", ":", "a:b", "-1:2", "1:2:3", "99999999999999999999"] {
            assert_eq!(range(wrong, ':'), None, "{wrong}");
        }
    }
}
