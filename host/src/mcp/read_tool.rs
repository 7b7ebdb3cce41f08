//! `tamis_read`: the tool with which a model reads the content that a filter cut.
//!
//! Tamis lists the tool with the upstream's own tools, and answers its calls. The answers are never filtered.

use super::resource;
use crate::excerpt::{self, Cap, Original, Query, ReadError, ReadRequest, Unit};
use crate::policy::ReadTool;
use crate::sandbox::{NotKept, StoredOriginal, Storing};
use crate::store::{Reference, Store, StoreError};
use crate::tokens;
use serde_json::{Value, json};
use std::path::Path;

/// The tool as the client lists it, as JSON. A client sends name, description and schema to its model in every
/// request, so they are short; errors name the parts of an original and the forms of a range.
pub fn definition(settings: &ReadTool) -> String {
    let text = json!({"type": "string"});
    json!({
        "name": settings.name,
        "description": "Reads results that Tamis cut.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "ref": text,
                // Notes have examples of these: here they would cost tokens in each request.
                "path": text,
                "rows": text,
                "lines": text,
                "query": text,
                // With `"regex": true` a regular expression: not listed, which saves tokens in each request.
                "search": text,
                "part": text,
            },
            "required": ["ref"],
        },
        "annotations": {"readOnlyHint": true},
        // Claude Code puts tools behind a search; a model must know this one when it reads a note.
        "_meta": {"anthropic/alwaysLoad": true},
    })
    .to_string()
}

/// The names of a stored original, with the file at `path` if the store writes files.
pub fn names(settings: &ReadTool, reference: &Reference, path: Option<&Path>) -> StoredOriginal {
    let name = &settings.name;
    StoredOriginal {
        reference: reference.to_string(),
        call: format!(r#"{name} {{"ref":"{reference}"}}"#),
        path: path.map(|path| path.display().to_string()),
        only_part: None,
        is_all: false,
    }
}

/// Stores `content`, and returns its names, made by `names` of the reference and of the file, if any.
pub fn keep_in(
    store: &Store,
    content: &[u8],
    prefix: &str,
    storing: Storing,
    names: impl Fn(&Reference, Option<&Path>) -> StoredOriginal,
) -> Result<StoredOriginal, NotKept> {
    if storing == Storing::Not {
        return Ok(names(&Reference::of(content), Some(Path::new(""))));
    }
    let put = || {
        let reference = store.put(content)?;
        let file = store.file(&reference, prefix)?;
        Ok(names(&reference, file.as_deref()))
    };
    put().map_err(|error: StoreError| NotKept::Failed(format!("{:#}", anyhow::Error::from(error))))
}

/// An answer of the read tool.
pub(super) struct Answer {
    /// The result, as raw JSON.
    pub(super) result: Vec<u8>,
    /// The text that the model reads.
    pub(super) text: String,
    /// The original that the answer was read from.
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

/// A result that only says why the tool gives no answer, in words for the model. It is an error, so that clients
/// do not compare it with the tool's `outputSchema`.
pub(super) fn refusal(text: &str) -> Vec<u8> {
    let result = json!({"content": [text_block(text)], "isError": true});
    result.to_string().into_bytes()
}

fn text_block(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

/// The block with the answer; an error is for the model.
fn read(
    settings: &ReadTool,
    store: &Store,
    arguments: &[u8],
    of: &mut Option<Reference>,
) -> Result<Value, String> {
    let request = request(settings, arguments)?;
    let (reference, bytes) = fetch(store, request.reference())?;
    *of = Some(reference);
    let query = query(&request)?;
    if matches!(query, Query::Whole | Query::Short)
        && let Some(part) = request.part()
        && let Some(link) = resource::link_to_media(&reference, &bytes, part)
    {
        return Ok(link);
    }
    excerpt_of(settings, &bytes, &request, &query).map(|excerpt| text_block(&excerpt))
}

/// The tool's answer for these arguments (raw JSON), read from this original, with any reference in them. An
/// error is for the model.
pub fn answer_from(
    settings: &ReadTool,
    original: &[u8],
    arguments: &[u8],
) -> Result<String, String> {
    let request = request(settings, arguments)?;
    excerpt_of(settings, original, &request, &query(&request)?)
}

/// Most tokens of the first page of an answer that may be long (hits, matches of a path, rows of a query). Later
/// pages are full.
const FIRST_PAGE: usize = 600;
/// If the hits do not fit a first page, the search was too wide: the answer gives their number and the first of
/// them.
const FIRST_FINDS: usize = 250;

fn excerpt_of(
    settings: &ReadTool,
    original: &[u8],
    request: &ReadRequest,
    query: &Query,
) -> Result<String, String> {
    let original = Original::new(original).with_reference(request.reference());
    let read = |tokens: usize| {
        let cap = Cap {
            tokens: tokens.min(settings.cap_tokens),
            counter: &|text| tokens::count(text) as usize,
        };
        excerpt::read(&original, request.part(), query, cap)
    };
    let excerpt = match query {
        Query::Search { .. } => read(FIRST_PAGE).and_then(|all| match all.next {
            None => Ok(all),
            Some(_) => read(FIRST_FINDS),
        }),
        Query::Sql { .. } => read(FIRST_PAGE).or_else(|error| match error {
            ReadError::CapTooSmall { .. } => read(settings.cap_tokens),
            error => Err(error),
        }),
        // The model asked for one value, however long.
        Query::Path(_) => read(FIRST_PAGE).and_then(|first| match (first.unit, &first.next) {
            (Unit::Characters, Some(_)) => read(settings.cap_tokens),
            _ => Ok(first),
        }),
        _ => read(settings.cap_tokens),
    };
    excerpt
        .map(|excerpt| excerpt.to_string())
        .map_err(|error: ReadError| error.to_string())
}

fn fetch(store: &Store, reference: &str) -> Result<(Reference, Vec<u8>), String> {
    let gone = || format!("original `{reference}` is unknown or was deleted: call the tool again");
    let reference: Reference = reference.parse().map_err(|_| gone())?;
    let bytes = store.get(&reference).map_err(|error| match error {
        StoreError::NotFound(_) => gone(),
        error => {
            let why = resource::cannot_be_read(&error);
            tracing::error!("original {reference}: {:#}", anyhow::Error::from(error));
            format!("original `{reference}` {why}")
        }
    })?;
    Ok((reference, bytes))
}

fn request(settings: &ReadTool, arguments: &[u8]) -> Result<ReadRequest, String> {
    let name = &settings.name;
    serde_json::from_slice(arguments)
        .map_err(|error| format!("{name}: {error}; its schema says what it takes"))
}

fn query(request: &ReadRequest) -> Result<Query, String> {
    // All of a frame is asked for by its name to see it as the server sent it.
    let all = match request.part() {
        Some("result") => Query::Whole,
        _ => Query::Short,
    };
    request.query(all).map_err(|error| error.to_string())
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
}
