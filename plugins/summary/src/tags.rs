//! Tags of HTML and XML, and their attributes.
//!
//! Owns where a tag begins and ends, and which texts between `<` and `>` are none: comments, quoted values,
//! scripts, templates.
//! Refuses to know what an element means.

use crate::search::{find, has};
use crate::words::between;
use tamis_formats::Sixteen;
use tamis_formats::words::{self, HIGH};

/// A tag, a comment, or a tag that does not end.
#[derive(Clone, Copy, Default)]
pub struct Tag<'t> {
    /// As it is spelled. Empty if this is no whole tag.
    pub name: &'t str,
    /// It closes an element.
    pub is_end: bool,
    pub attributes: &'t str,
    /// Where it begins, and where the text after it begins.
    pub start: usize,
    pub after: usize,
    /// The bytes of its name in small letters; 0 if these are more than eight.
    pub word: u64,
    /// The columns and the rows of a cell, if somebody found them.
    pub spans: Option<[u16; 2]>,
}

impl Tag<'_> {
    /// The name in small letters. Empty if it is longer than `room`.
    #[inline]
    pub fn lower<'b>(&self, room: &'b mut [u8; 8]) -> &'b [u8] {
        *room = self.word.to_le_bytes();
        room.get(..self.name.len()).unwrap_or_default()
    }

    /// Where the next tag of a page may be: what some elements hold is text, whatever it looks like.
    #[inline(never)]
    pub fn next_from(&self, text: &str) -> usize {
        // An element may end with its own tag: `<script src="a.js"/>`.
        if self.is_end || self.name.len() < 3 || self.attributes.ends_with('/') {
            return self.after;
        }
        let mut room = [0; 8];
        let name = self.lower(&mut room);
        // A page shows a template only as the shadow of an element.
        let is_text = match name {
            b"script" | b"style" | b"title" | b"textarea" | b"xmp" | b"iframe" | b"noembed"
            | b"noframes" => true,
            b"template" => !has(self.attributes, "shadowroot"),
            _ => false,
        };
        if !is_text {
            return self.after;
        }
        let (mut at, mut depth) = (self.after, 1);
        while let Some(open) = find(&text[at..], "<") {
            at += open + 1;
            let bytes = &text.as_bytes()[at..];
            let is_end = bytes.first() == Some(&b'/');
            let of_element = &bytes[usize::from(is_end)..];
            let (element, rest) = of_element.split_at(name.len().min(of_element.len()));
            let is_whole = !rest.first().is_some_and(u8::is_ascii_alphanumeric);
            if !is_whole || !element.eq_ignore_ascii_case(name) {
                continue;
            }
            match is_end {
                true => depth -= 1,
                // A script ends at its first end tag.
                false => depth += usize::from(name == b"template"),
            }
            if depth == 0 {
                return at - 1;
            }
        }
        text.len()
    }
}

/// The bytes of a name in small letters; 0 if these are more than eight.
#[inline(never)]
fn lower(name: &str) -> u64 {
    let word = words::short(name.as_bytes()).unwrap_or_default();
    let capitals = between(word, b'A', b'Z') & !word & HIGH;
    word | capitals >> 2
}

/// The next tag at or after `at`.
#[inline(never)]
pub fn tag(text: &str, mut at: usize) -> Option<Tag<'_>> {
    loop {
        let found = mark(text, at)?;
        if !found.name.is_empty() {
            return Some(found);
        }
        at = found.after;
    }
}

/// The next tag or comment at or after `at`.
#[inline(never)]
pub fn mark(text: &str, at: usize) -> Option<Tag<'_>> {
    let bytes = text.as_bytes();
    let are_others = |it: Sixteen| {
        let signs = it.between(b'-', b'.') | it.are(b'_');
        !(it.lower().between(b'a', b'z') | it.between(b'0', b':') | signs) & 0xffff
    };
    let mut from = at;
    loop {
        let open = words::place_from(bytes, from, |bytes| bytes.are(b'<'));
        let inside = bytes.get(open + 1..)?;
        let slashes = inside.iter().take_while(|byte| **byte == b'/').count();
        let begin = open + 1 + slashes;
        let is_name = bytes.get(begin).is_some_and(u8::is_ascii_alphabetic);
        let end = words::place_from(bytes, begin, are_others);
        // Most tags have no attributes.
        if is_name && bytes.get(end) == Some(&b'>') {
            return Some(Tag {
                name: &text[begin..end],
                is_end: slashes > 0,
                start: open,
                after: end + 1,
                word: lower(&text[begin..end]),
                ..Tag::default()
            });
        }
        let rest = &text[open + 1..];
        let no_tag = |length: Option<usize>| Tag {
            start: open,
            after: length.map_or(text.len(), |length| open + 1 + length),
            ..Tag::default()
        };
        // `<!-->` is a whole comment.
        if rest.starts_with('!') {
            for (begin, sign, end) in [("!--", 1, "-->"), ("![CDATA[", 8, "]]>")] {
                if rest.starts_with(begin) {
                    let length = find(&rest[sign..], end).map(|at| sign + at + end.len());
                    return Some(no_tag(length));
                }
            }
        }
        if begin == text.len() {
            return Some(no_tag(None));
        }
        if !is_name {
            from = open + 1;
            continue;
        }
        let attributes = &text[end..];
        let Some(length) = length_of_attributes(attributes) else {
            return Some(no_tag(None));
        };
        return Some(Tag {
            name: &text[begin..end],
            is_end: slashes > 0,
            attributes: &attributes[..length],
            start: open,
            after: end + length + 1,
            word: lower(&text[begin..end]),
            spans: None,
        });
    }
}

/// The tags and comments of a page, of which many are spelled as one before.
pub struct Marks<'t> {
    text: &'t str,
    known: Vec<Tag<'t>>,
    /// Finds the columns and the rows of a cell.
    spans: fn(&Tag<'t>) -> Option<[u16; 2]>,
}

impl<'t> Marks<'t> {
    /// Tags that are known at once: a power of two.
    const SLOTS: usize = 256;

    pub fn of(text: &'t str, spans: fn(&Tag<'t>) -> Option<[u16; 2]>) -> Marks<'t> {
        Marks {
            text,
            spans,
            known: vec![Tag::default(); Marks::SLOTS],
        }
    }

    /// The same as [`mark`].
    #[inline]
    pub fn next(&mut self, at: usize) -> Option<Tag<'t>> {
        let bytes = self.text.as_bytes();
        // Most tags directly follow another.
        let start = match bytes.get(at) {
            Some(b'<') => at,
            _ => words::place_from(bytes, at, |bytes| bytes.are(b'<')),
        };
        bytes.get(start)?;
        let known = &self.known[self.slot(start)];
        let length = known.after - known.start;
        let is_known = |tag: &[u8]| words::same(tag, &bytes[known.start..known.after]);
        if length > 0 && bytes.get(start..start + length).is_some_and(is_known) {
            let after = start + length;
            return Some(Tag {
                start,
                after,
                ..*known
            });
        }
        let mut found = mark(self.text, start)?;
        if !found.name.is_empty() {
            found.spans = (self.spans)(&found);
            let slot = self.slot(found.start);
            self.known[slot] = found;
        }
        Some(found)
    }

    #[inline]
    fn slot(&self, start: usize) -> usize {
        let first = words::eight(self.text.as_bytes(), start);
        (first.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - Marks::SLOTS.ilog2())) as usize
    }
}

/// Where the `>` of a tag is: not in a value.
#[inline(never)]
fn length_of_attributes(rest: &str) -> Option<usize> {
    let bytes = rest.as_bytes();
    let mut at = 0;
    loop {
        at = words::place_from(bytes, at, |bytes| bytes.are_one_of([b'=', b'>']));
        match bytes.get(at)? {
            b'>' => return Some(at),
            _ => at += 1 + length_of_value(&rest[at + 1..])?,
        }
    }
}

/// The length of the value after `=`, with its quotes. None if it does not end.
#[inline(never)]
fn length_of_value(rest: &str) -> Option<usize> {
    let value = rest.trim_ascii_start();
    let before = rest.len() - value.len();
    // In a string of JSON, quotes are escaped.
    let escape = usize::from(value.starts_with('\\'));
    let length = match value.as_bytes().get(escape) {
        Some(quote @ (b'"' | b'\'')) => {
            let inside = escape + 1;
            let end = words::place_from(value.as_bytes(), inside, |bytes| bytes.are(*quote));
            (end < value.len()).then_some(end + 1)?
        }
        _ => {
            let is_end = |byte: u8| byte.is_ascii_whitespace() || byte == b'>';
            value.bytes().position(is_end).unwrap_or(value.len())
        }
    };
    Some(before + length)
}

/// The first word of the value of an attribute, without quotes.
#[inline(never)]
pub fn attribute<'t>(attributes: &'t str, name: &str) -> Option<&'t str> {
    let value = value(attributes, name)?;
    let word = value.bytes().take_while(|it| !matches!(it, b' ' | b'>'));
    Some(&value[..word.count()])
}

/// The value of an attribute, without quotes.
#[inline(never)]
pub fn value<'t>(attributes: &'t str, name: &str) -> Option<&'t str> {
    let mut at = 0;
    loop {
        let equals = at + find(attributes.get(at..)?, "=")?;
        let before = attributes[at..equals].trim_ascii_end().as_bytes();
        let (others, known) = before.split_at(before.len().saturating_sub(name.len()));
        let is_word = others.last().is_none_or(u8::is_ascii_whitespace);
        let value = equals + 1;
        at = value + length_of_value(&attributes[value..])?;
        if is_word && known.eq_ignore_ascii_case(name.as_bytes()) {
            let value = attributes[value..at].trim_ascii_start();
            return Some(value.trim_matches(['\\', '"', '\'']));
        }
    }
}

#[cfg(test)]
#[path = "tests/tags.rs"]
mod tests;
