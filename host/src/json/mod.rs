//! JSON as bytes and as a tape: where its members are, and how a value is replaced.
//!
//! Owns finding a member without decoding the rest, which keys some reader takes for a name, and edits
//! that leave all other bytes unchanged. Of duplicate keys the last counts, as in serde_json, JavaScript and
//! Python. It does not check that values are valid JSON or UTF-8: clients decode leniently, and the code that
//! rewrites a value parses it anyway.
//!
//! Refuses to know: protocols, what a value means.

pub(crate) mod edits;
mod lax;
pub(crate) mod tree;

pub(crate) use lax::is_taken_for_one;
pub(crate) use tamis_document::scan;

use std::borrow::Cow;
use std::ops::Range;

/// A range of bytes.
pub type Span = Range<usize>;

/// A mark that some editors and servers put before a text in UTF-8. No part of JSON; many parsers skip it.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Where the members called `names` are in the raw JSON `object`. None for a missing member, and for all of
/// them if `object` is not one object.
pub fn members<const N: usize>(object: &[u8], names: [&str; N]) -> [Option<Span>; N] {
    let mut spans = [const { None }; N];
    let start = scan::whitespace(object, 0);
    let end = each_member_at(object, start, |key, value| {
        if let Some(index) = names.iter().position(|name| name.as_bytes() == &*key) {
            spans[index] = Some(value);
        }
    });
    match end {
        Some(end) if scan::whitespace(object, end) == object.len() => spans,
        _ => [const { None }; N],
    }
}

/// Every member of `object` that some reader takes for the one called `name`: also where it is there twice, is
/// spelled in another case, or stands in an object that is broken further on.
pub fn taken_for(object: &[u8], name: &str) -> Vec<Span> {
    let mut spans = Vec::new();
    if let Some(start) = memchr::memchr(b'{', object) {
        each_member_at(object, start, |key, value| {
            if name.as_bytes() == &*key || is_taken_for_one(&key, &[name]) {
                spans.push(value);
            }
        });
    }
    spans
}

/// [`each_member_at`] of an object with nothing but whitespace before it.
pub(crate) fn each_member<'a>(
    object: &'a [u8],
    found: impl FnMut(Cow<'a, [u8]>, Span),
) -> Option<usize> {
    each_member_at(object, scan::whitespace(object, 0), found)
}

/// Calls `found` with the key (decoded) and the value's place of every member of the object at
/// `start`. Returns the index after the object, or None if it is not one.
pub(crate) fn each_member_at<'a>(
    bytes: &'a [u8],
    start: usize,
    mut found: impl FnMut(Cow<'a, [u8]>, Span),
) -> Option<usize> {
    if bytes.get(start)? != &b'{' {
        return None;
    }
    let mut at = scan::whitespace(bytes, start + 1);
    if bytes.get(at)? == &b'}' {
        return Some(at + 1);
    }
    loop {
        if bytes.get(at)? != &b'"' {
            return None;
        }
        let key_end = scan::string(bytes, at)?;
        let key = key(&bytes[at..key_end])?;
        let colon = scan::whitespace(bytes, key_end);
        if bytes.get(colon)? != &b':' {
            return None;
        }
        let value_start = scan::whitespace(bytes, colon + 1);
        let value_end = scan::value(bytes, value_start)?;
        found(key, value_start..value_end);
        at = scan::whitespace(bytes, value_end);
        match bytes.get(at)? {
            b',' => at = scan::whitespace(bytes, at + 1),
            b'}' => return Some(at + 1),
            _ => return None,
        }
    }
}

fn key(quoted: &[u8]) -> Option<Cow<'_, [u8]>> {
    if quoted.contains(&b'\\') {
        return Some(Cow::Owned(lax::decoded(quoted)));
    }
    Some(Cow::Borrowed(quoted.get(1..quoted.len() - 1)?))
}

/// The text of a raw JSON string. None: it is something else.
pub fn text(raw: &[u8]) -> Option<Cow<'_, str>> {
    let inner = raw.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    if inner.contains(&b'\\') {
        return serde_json::from_slice::<String>(raw).ok().map(Cow::Owned);
    }
    std::str::from_utf8(inner).ok().map(Cow::Borrowed)
}
