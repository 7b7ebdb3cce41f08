//! PEM: base64 between two lines with a label.

use super::KeyError;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;

const BEGIN: &str = "-----BEGIN ";
const DASHES: &str = "-----";
/// Characters of a line, by RFC 7468.
const WIDTH: usize = 64;

/// The label and the content of the only block in a text. `expected`: the label, for messages.
pub(super) fn read<'t>(
    text: &'t str,
    expected: &'static str,
) -> Result<(&'t str, Vec<u8>), KeyError> {
    let none = KeyError::NoPem { expected };
    let (_, rest) = text.split_once(BEGIN).ok_or(none)?;
    let (label, rest) = rest.split_once(DASHES).ok_or(KeyError::Damaged)?;
    let end = format!("-----END {label}{DASHES}");
    let (content, rest) = rest.split_once(&end).ok_or(KeyError::Damaged)?;
    if rest.contains(BEGIN) {
        return Err(KeyError::Several);
    }
    let content: String = content.split_ascii_whitespace().collect();
    let bytes = BASE64_STANDARD.decode(content);
    Ok((label, bytes.map_err(|_| KeyError::Damaged)?))
}

/// A block of its own.
pub(super) fn write(label: &str, bytes: &[u8]) -> String {
    let content = BASE64_STANDARD.encode(bytes);
    let mut text = format!("{BEGIN}{label}{DASHES}\n");
    let mut rest = content.as_str();
    while !rest.is_empty() {
        let (line, after) = rest.split_at(rest.len().min(WIDTH));
        text += line;
        text += "\n";
        rest = after;
    }
    text + &format!("-----END {label}{DASHES}\n")
}
