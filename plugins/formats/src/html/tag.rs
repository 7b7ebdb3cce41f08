//! Tags of HTML.
//!
//! Owns where a tag or a comment begins and ends as browsers read them, its attributes, and whether its element is shown.
//! Refuses to know what a table is.

use crate::{Sixteen, Triples, words};
use memchr::memmem;

/// Elements without an end tag, which hold nothing.
const EMPTY: [&str; 13] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track",
    "wbr",
];
/// Elements whose content is shown only where a browser lacks something, or by a script.
const NOT_SHOWN: [&str; 9] = [
    "audio", "canvas", "frameset", "math", "noscript", "object", "select", "template", "video",
];

/// A tag, or a comment, whose name is empty.
pub(super) struct Tag<'t> {
    pub(super) name: &'t str,
    pub(super) is_end: bool,
    pub(super) attributes: &'t str,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// An attribute: its name, and its value without quotes.
type Attribute<'t> = (&'t str, &'t str);

/// Letters of the longest name that is known.
pub(super) const LONGEST_NAME: usize = 10;

impl<'t> Tag<'t> {
    /// The name in small letters; empty if it is longer than all that are known.
    pub(super) fn lower<'r>(&self, room: &'r mut [u8; LONGEST_NAME]) -> &'r str
    where
        't: 'r,
    {
        let Some(lower) = room.get_mut(..self.name.len()) else {
            return "";
        };
        // Most are written so.
        if !self.name.bytes().any(|byte| byte.is_ascii_uppercase()) {
            return self.name;
        }
        lower.copy_from_slice(self.name.as_bytes());
        lower.make_ascii_lowercase();
        str::from_utf8(lower).unwrap_or_default()
    }

    pub(super) fn at(text: &'t str, start: usize) -> Option<Tag<'t>> {
        let bytes = text.as_bytes();
        let is_end = bytes.get(start + 1) == Some(&b'/');
        let begin = start + 1 + usize::from(is_end);
        let is_name = bytes.get(begin).is_some_and(u8::is_ascii_alphabetic);
        let ends = |it: Sixteen| it.are_one_of([b'>', b'/', b' ', b'\n', b'\t', b'\r', 0x0c]);
        // Each of many signs that begin no name would look at all that follows.
        let end = match is_name {
            true => words::place_from(bytes, begin, ends),
            false => begin,
        };
        // Most tags have no attributes.
        if is_name && bytes.get(end) == Some(&b'>') {
            return Some(Tag {
                name: &text[begin..end],
                is_end,
                attributes: "",
                start,
                end: end + 1,
            });
        }
        let rest = &text[start + 1..];
        // What is not closed ends the page.
        let rest_of_page = Tag {
            name: "",
            is_end: true,
            attributes: "",
            start,
            end: text.len(),
        };
        let comment = |length: Option<usize>| Tag {
            end: length.map_or(text.len(), |length| start + 1 + length),
            ..rest_of_page
        };
        if let Some(inside) = rest.strip_prefix("!--") {
            return Some(comment(end_of_comment(inside).map(|at| 3 + at)));
        }
        // `<!DOCTYPE html>` and `<?php ?>` end at the first sign.
        if rest.starts_with(['!', '?']) {
            return Some(comment(rest.find('>').map(|at| at + 1)));
        }
        if !is_name {
            return None;
        }
        let attributes = &text[end..];
        let Some(length) = end_of_attributes(attributes) else {
            return Some(rest_of_page);
        };
        Some(Tag {
            name: &text[begin..end],
            is_end,
            attributes: &attributes[..length],
            start,
            end: end + length + 1,
        })
    }

    /// The attributes, in order.
    fn attributes(&self) -> impl Iterator<Item = Attribute<'t>> + use<'t> {
        let mut rest = self.attributes;
        std::iter::from_fn(move || {
            let (attribute, after) = first_attribute(rest)?;
            rest = after;
            Some(attribute)
        })
    }

    fn has_name(&self, known: &str) -> bool {
        self.attributes()
            .any(|(name, _)| name.eq_ignore_ascii_case(known))
    }

    /// Whether a cell stands in several rows or columns.
    pub(super) fn is_wide(&self) -> bool {
        // Most have no such attribute.
        words::has_triple(self.attributes, &[*b"lsp", *b"wsp"])
            && self.attributes().any(|(name, value)| {
                let mut known = ["colspan", "rowspan"].into_iter();
                known.any(|known| name.eq_ignore_ascii_case(known)) && value.trim_ascii() != "1"
            })
    }

    /// Whether an element may look otherwise than its text.
    pub(super) fn has_style(&self) -> bool {
        let has_name = || {
            self.attributes().any(|(name, _)| {
                name.eq_ignore_ascii_case("class") || name.eq_ignore_ascii_case("style")
            })
        };
        // Most begin with it.
        !self.is_end
            && (self.attributes.starts_with(" class=")
                || words::has_triple(self.attributes, &[*b"cla", *b"sty"]) && has_name())
    }

    /// Whether the element's style says how it is displayed.
    pub(super) fn sets_display(&self) -> bool {
        words::has_triple(self.attributes, &[*b"spl"])
            && self.attributes().any(|(name, value)| {
                let is_style = name.eq_ignore_ascii_case("style");
                is_style && value.to_ascii_lowercase().contains("display")
            })
    }

    /// Whether this tag begins an element that is not shown. `name`: that of the tag, in small letters.
    pub(super) fn hides(&self, name: &str) -> bool {
        let is_closed = || name == "dialog" && !self.has_name("open");
        !self.is_end && (NOT_SHOWN.contains(&name) || is_closed() || self.is_hidden())
    }

    /// Whether the attributes hide the element, or may do so.
    pub(super) fn is_hidden(&self) -> bool {
        PARTS_OF_HIDING.may_be_in(self.attributes) && self.has_hiding_attribute()
    }

    #[inline(never)]
    fn has_hiding_attribute(&self) -> bool {
        self.attributes().any(|(name, value)| {
            let has_name = |known: &str| name.eq_ignore_ascii_case(known);
            if has_name("class") {
                let mut words = value.split_ascii_whitespace();
                words.any(|word| HIDING.iter().any(|known| is_hiding(word, known)))
            } else if has_name("style") {
                // Most set a width, a color, or an alignment.
                let is_plain = !PARTS_OF_STYLES.may_be_in(value)
                    && memchr::memchr3(b'&', b'*', b'\\', value.as_bytes()).is_none();
                if is_plain {
                    return false;
                }
                let style = value.to_ascii_lowercase();
                let style = style.replace(|c: char| c.is_ascii_whitespace(), "");
                // Properties may be spelled by numbers and with comments.
                let is_spelled = ["&#", "/*", "\\"].iter().any(|sign| style.contains(sign));
                is_spelled || STYLES.iter().any(|known| style.contains(known))
            } else {
                has_name("hidden")
            }
        })
    }
}

/// Words of classes for elements that are not shown.
const HIDING: [&str; 7] = [
    "hidden",
    "hide",
    "sr-only",
    "d-none",
    "invisible",
    "screen-reader",
    "offscreen",
];
/// Parts in small letters of which an attribute that hides has one: of a word of [`HIDING`], or of its name.
static PARTS_OF_HIDING: Triples =
    Triples::of(&[*b"hid", *b"sr-", *b"non", *b"isi", *b"scr", *b"sty"]);
/// Styles of such elements.
const STYLES: [&str; 8] = [
    "display:none",
    "visibility:hidden",
    "visibility:collapse",
    "opacity:0",
    "font-size:0",
    "clip:rect",
    "left:-",
    "content-visibility:hidden",
];

/// Parts of which each of them has one, before a blank that may be in it.
static PARTS_OF_STYLES: Triples = Triples::of(&[
    *b"non", *b"hid", *b"lla", *b"opa", *b"siz", *b"cli", *b"lef",
]);

/// Whether a word of a class has such a word in it. `overflow-hidden` hides nothing.
fn is_hiding(word: &str, known: &str) -> bool {
    let word = word.to_ascii_lowercase();
    match known {
        "hide" => word == known,
        _ => word.contains(known) && !word.starts_with("overflow-"),
    }
}

/// Whether a byte ends the name of a tag.
fn is_end_of_name(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>')
}

/// The length of a comment behind `<!--`, with its end.
fn end_of_comment(inside: &str) -> Option<usize> {
    if let Some(sign @ (">" | "->")) = [">", "->"].into_iter().find(|it| inside.starts_with(it)) {
        return Some(sign.len());
    }
    let bytes = inside.as_bytes();
    let is_end = |at: &usize| bytes[..*at].ends_with(b"--") || bytes[..*at].ends_with(b"--!");
    let end = memchr::memchr_iter(b'>', bytes).find(is_end);
    end.map(|at| at + 1)
}

/// The first attribute of a tag, and the rest.
fn first_attribute(attributes: &str) -> Option<(Attribute<'_>, &str)> {
    let is_blank = |c: char| c.is_ascii_whitespace();
    let rest = attributes.trim_start_matches(|c: char| is_blank(c) || c == '/');
    // A name may begin with `=`.
    let first = rest.chars().next()?.len_utf8();
    let is_end = |c: char| is_blank(c) || matches!(c, '/' | '=' | '>');
    let end = rest[first..]
        .find(is_end)
        .map_or(rest.len(), |at| first + at);
    let (name, after) = rest.split_at(end);
    let Some(value) = after.trim_start_matches(is_blank).strip_prefix('=') else {
        return Some(((name, ""), after));
    };
    let value = value.trim_start_matches(is_blank);
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
    let (value, after) = match quote {
        // One that does not end is no tag's: `end_of_attributes`.
        Some(quote) => value[1..].split_once(quote).unwrap_or((&value[1..], "")),
        None => value.split_at(
            value
                .find(|c| is_blank(c) || c == '>')
                .unwrap_or(value.len()),
        ),
    };
    Some(((name, value), after))
}

/// Where the `>` of a tag is, behind its name. None if it does not end. A quote is one only at the beginning of a value.
pub(super) fn end_of_attributes(attributes: &str) -> Option<usize> {
    let bytes = attributes.as_bytes();
    let mut at = 0;
    // A name that begins with `=` begins before `at`.
    let mut is_name = false;
    loop {
        let sign = words::place_from(bytes, at, |bytes| bytes.are_one_of([b'=', b'>']));
        if *bytes.get(sign)? == b'>' {
            return Some(sign);
        }
        is_name = match bytes[at..sign].trim_ascii_end().last() {
            None => is_name,
            Some(last) => *last != b'/',
        };
        at = sign + 1;
        if !is_name {
            is_name = true;
            continue;
        }
        is_name = false;
        at += bytes[at..].len() - bytes[at..].trim_ascii_start().len();
        at = match *bytes.get(at)? {
            quote @ (b'"' | b'\'') => {
                words::place_from(bytes, at + 1, |bytes| bytes.are(quote)) + 1
            }
            _ => {
                let is_end = |byte: &u8| byte.is_ascii_whitespace() || *byte == b'>';
                at + bytes[at..].iter().position(is_end)?
            }
        };
    }
}

/// Where the element ends whose content begins at `at`, and is no HTML.
pub(super) fn end_of(text: &str, mut at: usize, name: &str) -> usize {
    while let Some(sign) = memmem::find(&text.as_bytes()[at..], b"</") {
        at += sign + 2;
        let rest = &text.as_bytes()[at..];
        let (found, after) = rest.split_at(name.len().min(rest.len()));
        let is_whole = after.first().is_none_or(|byte| is_end_of_name(*byte));
        if is_whole && found.eq_ignore_ascii_case(name.as_bytes()) {
            return at - 2;
        }
    }
    text.len()
}

/// An element around tables that is not shown.
#[derive(Default)]
pub(super) struct Hidden<'t> {
    name: &'t str,
    /// How many elements of its name are open, itself included; 0 if none is hidden.
    pub(super) depth: usize,
}

impl<'t> Hidden<'t> {
    /// Notes a tag outside of tables, whose name in small letters is `name`.
    pub(super) fn note(&mut self, tag: &Tag<'t>, name: &str) {
        if self.depth > 0 {
            if tag.name.eq_ignore_ascii_case(self.name) {
                self.depth = match tag.is_end {
                    true => self.depth - 1,
                    false => self.depth + 1,
                };
            }
            return;
        }
        if tag.hides(name) && !EMPTY.contains(&name) {
            (self.name, self.depth) = (tag.name, 1);
        }
    }
}
