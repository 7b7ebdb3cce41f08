//! Originals as MCP resources: `tamis://original/REFERENCE` is the whole original, and
//! `tamis://original/REFERENCE/content/N` block N of its `content`, such as an image.

use super::rewrite::LocalAnswer;
use crate::store::{Reference, Store, StoreError};
use serde_json::{Value, json};

const SCHEME: &str = "tamis://original/";
/// MCP's error code for an unknown resource.
const NOT_FOUND: i32 = -32002;
/// JSON-RPC's code for an internal error.
const INTERNAL: i32 = -32603;

/// Whether a URI names an original.
pub(super) fn is_own(uri: &str) -> bool {
    uri.starts_with(SCHEME)
}

/// Answers `resources/read` of such a URI.
pub(super) fn answer(store: &Store, uri: &str) -> LocalAnswer {
    let error = |code: i32, message: String| {
        let error = json!({"code": code, "message": message, "data": {"uri": uri}});
        LocalAnswer::Error(error.to_string().into_bytes())
    };
    match contents(store, uri) {
        Ok(Some(contents)) => {
            LocalAnswer::Result(json!({"contents": [contents]}).to_string().into_bytes())
        }
        Ok(None) | Err(StoreError::NotFound(_)) => error(
            NOT_FOUND,
            "this original is unknown or was deleted: call the tool again".to_owned(),
        ),
        Err(failed) => {
            let why = cannot_be_read(&failed);
            tracing::error!("{uri}: {:#}", anyhow::Error::from(failed));
            error(INTERNAL, format!("this original {why}"))
        }
    }
}

/// The end of a sentence about an original that exists, with what to do instead.
pub(super) fn cannot_be_read(error: &StoreError) -> &'static str {
    match error {
        StoreError::Elsewhere { passes: true, .. } => {
            "cannot be read at the moment: ask again in a few seconds"
        }
        _ => "cannot be read: call the tool again",
    }
}

/// None: the URI names nothing.
fn contents(store: &Store, uri: &str) -> Result<Option<Value>, StoreError> {
    let Some((reference, block)) = named(uri) else {
        return Ok(None);
    };
    let bytes = store.get(&reference)?;
    let Some(index) = block else {
        let text = String::from_utf8_lossy(&bytes);
        return Ok(Some(
            json!({"uri": uri, "mimeType": "application/json", "text": text}),
        ));
    };
    let Some(block) = block_of(&bytes, index) else {
        return Ok(None);
    };
    let content = match (block["data"].as_str(), block["text"].as_str()) {
        (Some(data), _) => json!({"uri": uri, "mimeType": block["mimeType"], "blob": data}),
        (None, Some(text)) => json!({"uri": uri, "mimeType": "text/plain", "text": text}),
        (None, None) => {
            json!({"uri": uri, "mimeType": "application/json", "text": block.to_string()})
        }
    };
    Ok(Some(content))
}

/// The original that a URI names, and the block of its `content`.
fn named(uri: &str) -> Option<(Reference, Option<usize>)> {
    let place = uri.strip_prefix(SCHEME)?;
    let (reference, block) = match place.split_once("/content/") {
        Some((reference, block)) => (reference, Some(block.parse::<usize>().ok()?)),
        None => (place, None),
    };
    Some((reference.parse().ok()?, block))
}

/// A link to an image or audio block, if the part `content[N]` is one: its bytes are not for reading.
pub(super) fn link_to_media(reference: &Reference, original: &[u8], part: &str) -> Option<Value> {
    let index = part.trim().strip_prefix("content[")?.strip_suffix(']')?;
    let index: usize = index.parse().ok()?;
    let block = block_of(original, index)?;
    let kind = block["type"].as_str()?;
    let data = block["data"].as_str()?;
    matches!(kind, "image" | "audio").then(|| {
        json!({
            "type": "resource_link",
            "uri": format!("{SCHEME}{reference}/content/{index}"),
            "name": format!("{kind} {index} of {reference}"),
            "mimeType": block["mimeType"],
            "size": data.len() / 4 * 3,
        })
    })
}

fn block_of(original: &[u8], index: usize) -> Option<Value> {
    let mut result: Value = serde_json::from_slice(original).ok()?;
    Some(result.get_mut("content")?.get_mut(index)?.take())
}
