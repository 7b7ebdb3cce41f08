//! `tamis_read`: the tool with which a model gets back what was cut.
//!
//! It is listed with the upstream's own tools and answered here; its answers are never filtered.

use super::resource;
use crate::excerpt::{self, Cap, Original, Query, ReadError};
use crate::policy::ReadTool;
use crate::sandbox::{Kept, NotKept, Storing};
use crate::store::{Reference, Store, StoreError};
use crate::tokens;
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::Path;

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
    regex: Option<bool>,
    cursor: Option<String>,
}

/// The tool as the client lists it, as JSON. A client sends name, description and schema to its model in
/// every request, so they are few words; errors name the parts of an original and the forms of a range.
pub fn definition(settings: &ReadTool) -> String {
    let text = json!({"type": "string"});
    let like = |example: &str| json!({"type": "string", "description": example});
    json!({
        "name": settings.name,
        "description": "Reads the original of a result that a [tamis] note says was cut.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "ref": text,
                "path": like("$.data[*].id"),
                "rows": like("0:20"),
                "lines": like("1-80"),
                // With `"regex": true` a regular expression: not listed, which saves tokens in each request.
                "search": text,
                "part": text,
                "cursor": text,
            },
            "required": ["ref"],
        },
        "annotations": {"readOnlyHint": true},
        // Claude Code puts tools behind a search; a model has to know this one when it reads a note.
        "_meta": {"anthropic/alwaysLoad": true},
    })
    .to_string()
}

/// How an original is called that a store keeps at `path`.
pub fn names(settings: &ReadTool, reference: &Reference, path: &Path) -> Kept {
    let name = &settings.name;
    Kept {
        reference: reference.to_string(),
        call: format!(r#"{name} {{"ref":"{reference}"}}"#),
        path: Some(path.display().to_string()),
    }
}

/// Keeps `content` in a store, and says by `names` what it is called then: reference and file.
pub fn keep_in(
    store: &Store,
    content: &[u8],
    prefix: &str,
    storing: Storing,
    names: impl Fn(&Reference, &Path) -> Kept,
) -> Result<Kept, NotKept> {
    if storing == Storing::Not {
        return Ok(names(&Reference::of(content), Path::new("")));
    }
    let put = || {
        let reference = store.put(content)?;
        Ok(names(&reference, &store.name(&reference, prefix)?))
    };
    put().map_err(|error: StoreError| NotKept::Failed(format!("{:#}", anyhow::Error::from(error))))
}

/// An answer of the read tool.
pub(super) struct Answer {
    /// The result, as raw JSON.
    pub(super) result: Vec<u8>,
    /// What the model reads of it.
    pub(super) text: String,
    /// The original that it is from.
    pub(super) reference: Option<Reference>,
}

/// Answers a call with these arguments (raw JSON).
pub(super) fn answer(settings: &ReadTool, store: &Store, arguments: &[u8]) -> Answer {
    let mut reference = None;
    let (content, is_error) = match read(settings, store, arguments, &mut reference) {
        Ok(content) => (content, false),
        Err(message) => (text_block(&message), true),
    };
    let text = content["text"].as_str().unwrap_or_default().to_owned();
    let result = json!({"content": [content], "isError": is_error});
    Answer {
        result: result.to_string().into_bytes(),
        text,
        reference,
    }
}

/// A result that only says why there is none, in words for the model. It is an error, so that clients
/// do not hold it against the tool's `outputSchema`.
pub(super) fn refusal(text: &str) -> Vec<u8> {
    let result = json!({"content": [text_block(text)], "isError": true});
    result.to_string().into_bytes()
}

fn text_block(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

/// The block that answers; an error is for the model.
fn read(
    settings: &ReadTool,
    store: &Store,
    arguments: &[u8],
    of: &mut Option<Reference>,
) -> Result<Value, String> {
    let arguments = Arguments::parse(settings, arguments)?;
    let (reference, bytes) = fetch(store, &arguments.reference)?;
    *of = Some(reference);
    if matches!(arguments.query()?, Query::Whole | Query::Short)
        && let Some(part) = &arguments.part
        && let Some(link) = resource::link_to_media(&reference, &bytes, part)
    {
        return Ok(link);
    }
    excerpt_of(settings, &bytes, &arguments).map(|excerpt| text_block(&excerpt))
}

/// What the tool answers with these arguments (raw JSON), whatever their reference, if this is the
/// original. An error is for the model.
pub fn answer_from(
    settings: &ReadTool,
    original: &[u8],
    arguments: &[u8],
) -> Result<String, String> {
    excerpt_of(settings, original, &Arguments::parse(settings, arguments)?)
}

/// What a search finds is given at once if it has no more tokens than this; if it has more, it was too
/// wide a word, and is told by the number of finds and the first of them. The pages after that are full.
const ALL_FINDS: usize = 600;
const FIRST_FINDS: usize = 250;

fn excerpt_of(
    settings: &ReadTool,
    original: &[u8],
    arguments: &Arguments,
) -> Result<String, String> {
    let query = arguments.query()?;
    let original = Original::new(original);
    let read = |tokens: usize| {
        let cap = Cap {
            tokens: tokens.min(settings.cap_tokens),
            counter: &|text| tokens::count(text) as usize,
        };
        excerpt::read(&original, given(&arguments.part), &query, cap)
    };
    let excerpt = match query {
        Query::Search { .. } => read(ALL_FINDS).and_then(|all| match all.next {
            None => Ok(all),
            Some(_) => read(FIRST_FINDS),
        }),
        _ => read(settings.cap_tokens),
    };
    excerpt
        .map(|excerpt| excerpt.to_string())
        .map_err(|error: ReadError| error.to_string())
}

fn fetch(store: &Store, reference: &str) -> Result<(Reference, Vec<u8>), String> {
    let gone = || {
        format!("no original `{reference}` is kept (any more): call the tool that gave it again")
    };
    let reference: Reference = reference.parse().map_err(|_| gone())?;
    let bytes = store.get(&reference).map_err(|error| match error {
        StoreError::NotFound(_) => gone(),
        error => {
            tracing::error!("original {reference}: {:#}", anyhow::Error::from(error));
            format!("original `{reference}` cannot be read: call the tool that gave it again")
        }
    })?;
    Ok((reference, bytes))
}

impl Arguments {
    fn parse(settings: &ReadTool, arguments: &[u8]) -> Result<Arguments, String> {
        let name = &settings.name;
        serde_json::from_slice(arguments)
            .map_err(|error| format!("{name}: {error}; its schema says what it takes"))
    }

    fn query(&self) -> Result<Query, String> {
        let path = given(&self.path).map(str::to_owned);
        if let Some(cursor) = given(&self.cursor) {
            return Ok(Query::Cursor(cursor.to_owned()));
        }
        if let Some(pattern) = given(&self.search) {
            return Ok(Query::Search {
                pattern: pattern.to_owned(),
                regex: self.regex.unwrap_or(false),
                ignore_case: true,
                context: 0,
                path,
            });
        }
        if let Some(rows) = given(&self.rows) {
            let (from, to) = range(rows, ':').ok_or_else(|| {
                format!("`rows` is \"{rows}\"; it takes \"20:40\", \"20:\" or \"20\"")
            })?;
            return Ok(Query::Rows { path, from, to });
        }
        if let Some(lines) = given(&self.lines) {
            let (from, to) = range(lines, '-').ok_or_else(|| {
                format!("`lines` is \"{lines}\"; it takes \"1-80\", \"80-\" or \"80\"")
            })?;
            return Ok(Query::Lines { from, to });
        }
        // All of a frame is asked for by its name to see it as the server sent it.
        let whole = match given(&self.part) {
            Some("result") => Query::Whole,
            _ => Query::Short,
        };
        Ok(path.map_or(whole, Query::Path))
    }
}

/// An argument that says something: some clients send all that there are, the others empty.
fn given(argument: &Option<String>) -> Option<&str> {
    argument.as_deref().filter(|text| !text.is_empty())
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
        let definition = definition(&ReadTool::default());
        let listed: Value = serde_json::from_str(&definition).expect("JSON");
        assert_eq!(listed["name"], "tamis_read");
        // Clients send these three to their models.
        let sent = json!({
            "name": listed["name"],
            "description": listed["description"],
            "parameters": listed["inputSchema"],
        });
        let tokens = tokens::count(&sent.to_string());
        assert!(tokens <= 120, "{tokens} tokens");
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
