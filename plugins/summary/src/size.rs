//! The size of a document for a model.
//!
//! A document is measured in the form that the model would get without a summary: without whitespace, and as tables if
//! these are small enough, because `row-encoder` follows in a chain.

use crate::paper::characters;
use crate::settings::{Size, Unit};
use tamis_formats::{Sixteen, words};
use tamis_rows::{Level, Options};
use tamis_sdk::{Document, Kind};

/// The host counts the tokens of at most this many bytes at once.
const BYTES_COUNTED_AT_ONCE: usize = 65_536;

/// Characters of a document as a model would get it: JSON without the whitespace between its tokens.
pub fn encoded_chars(document: &Document) -> usize {
    let text = document.text();
    let characters = characters(text);
    match document.kind() {
        Kind::Json => characters - blanks(text),
        Kind::Text => characters,
    }
}

/// Whether a document is over `size`.
pub fn is_over(document: &Document, size: Size, as_tables: bool) -> bool {
    let limit = size.count as usize;
    // A document has at most as many characters, and as many tokens, as bytes.
    if document.len_bytes() as usize <= limit {
        return false;
    }
    match size.unit {
        Unit::Characters => {
            has_more_characters(document, limit) && !(as_tables && fits_as_tables(document, limit))
        }
        Unit::Bytes => match document.kind() {
            Kind::Json => document.text().len() - blanks(document.text()) > limit,
            Kind::Text => true,
        },
        // A summary has at most this many characters, so it is never over the size, in any script.
        Unit::Tokens => {
            !has_at_most(document.text(), limit) && has_more_tokens(document.text(), limit)
        }
    }
}

/// Whether a text may be no larger than `size`, without counting its tokens.
pub fn may_fit(text: &str, size: Size) -> bool {
    /// No text has more characters for each token.
    const CHARACTERS_PER_TOKEN: usize = 8;
    let limit = size.count as usize;
    match size.unit {
        Unit::Characters => has_at_most(text, limit),
        Unit::Bytes => text.len() <= limit,
        Unit::Tokens => has_at_most(text, CHARACTERS_PER_TOKEN * limit),
    }
}

/// Whether a text has at most so many characters. The bytes of most texts tell: a character has one to four.
fn has_at_most(text: &str, most: usize) -> bool {
    text.len() <= most || text.len() <= 4 * most && characters(text) <= most
}

/// Whether a text is no larger than `size`.
pub fn fits(text: &str, size: Size) -> bool {
    let limit = size.count as usize;
    let has_too_many = || size.unit == Unit::Tokens && has_more_tokens(text, limit);
    may_fit(text, size) && !has_too_many()
}

/// Whether a document has more characters than `limit`. Stops reading as soon as the characters that are not blank
/// suffice.
fn has_more_characters(document: &Document, limit: usize) -> bool {
    // Most have so many near their beginning.
    let text = document.text().as_bytes();
    let near = &text[..text.len().min(limit + limit / 2)];
    let signs = |bytes: Sixteen| bytes.between(b'!', b'~');
    if words::count_bits(near, signs) > limit {
        return true;
    }
    let is_seen = |byte: &u8| !byte.is_ascii_whitespace() && !matches!(byte, 0x80..0xc0);
    let seen = document.text().bytes().filter(is_seen).take(limit + 1);
    seen.count() > limit || encoded_chars(document) > limit
}

/// Tables rarely take less than an eighth of their JSON, so larger documents are not tried.
const TABLES_AT_BEST: usize = 8;

/// Whether a later `row-encoder` brings a document under the limit, so that no summary is needed.
fn fits_as_tables(document: &Document, limit: usize) -> bool {
    let tape = document.tape();
    if tape.is_empty() || document.len_bytes() as usize > limit.saturating_mul(TABLES_AT_BEST) {
        return false;
    }
    let options = Options {
        level: Level::Table,
        min_rows: 2,
    };
    let encoded = tamis_rows::encode(document.text(), tape, options);
    encoded.is_some_and(|encoded| characters(&encoded.text) <= limit)
}

/// Whitespace between the tokens of a JSON text, in bytes, which are characters.
fn blanks(json: &str) -> usize {
    let (mut blanks, mut in_string, mut escaped) = (0, false, false);
    for byte in json.bytes() {
        if in_string {
            in_string = escaped || byte != b'"';
            escaped = !escaped && byte == b'\\';
        } else {
            in_string = byte == b'"';
            blanks += usize::from(matches!(byte, b' ' | b'\n' | b'\r' | b'\t'));
        }
    }
    blanks
}

fn has_more_tokens(text: &str, limit: usize) -> bool {
    let (mut rest, mut tokens) = (text, 0);
    while !rest.is_empty() && tokens <= limit {
        let (part, after) = rest.split_at(rest.floor_char_boundary(BYTES_COUNTED_AT_ONCE));
        tokens += tamis_sdk::tokens(part) as usize;
        rest = after;
    }
    tokens > limit
}

#[cfg(test)]
#[path = "tests/size.rs"]
mod tests;
