//! YAML and XML with comments, and YAML with anchors and aliases.
//!
//! Owns where these are. Comments are left out, and noted; an alias is a text (`"*name"`), since what it stands for is
//! told elsewhere. Refuses comments that may be content: in blocks, in quotes on several lines, beside a text.

use super::Loose;
use crate::{Found, Sixteen, words, xml, yaml};
use memchr::memmem;
use std::ops::Range;

/// Bytes of a text that must be YAML before the rest is read.
const FIRST_BYTES: usize = 2_000;

/// Most bytes of a line.
const MOST_LINE: usize = 2_000;

/// Reads the YAML that is the whole text.
pub(super) fn read_yaml(text: &str) -> Option<Loose> {
    let is_data = |line: &&str| !line.trim().is_empty() && !line.starts_with('#');
    let mut first = text.lines().take(super::MOST_LINES);
    if !first.find(is_data).is_some_and(yaml::may_begin) {
        return None;
    }
    let mut others = Vec::new();
    if let Some(rest) = text.as_bytes().get(FIRST_BYTES..) {
        let end = memchr::memchr(b'\n', &rest[..rest.len().min(MOST_LINE)])?;
        let first = text.get(..FIRST_BYTES + end + 1)?;
        if !yaml::begins_as_yaml(without_comments(first, &mut others)?.trim_start()) {
            return None;
        }
        others.clear();
    }
    // A comment, an anchor or an alias may stand between a key and the end of its line.
    let may_have_comments = memchr::memchr3(b'#', b'&', b'*', text.as_bytes()).is_some();
    if !may_have_comments && !yaml::may_have_records(text) {
        return None;
    }
    let bare = without_comments(text, &mut others)?;
    let bare = bare.trim_start();
    let found = yaml::read(bare, 0).or_else(|| yaml::read_documents(bare))?;
    Some(Loose {
        found: Found {
            range: 0..text.trim_end().len(),
            ..found
        },
        others,
        last: None,
        next: None,
    })
}

/// The text without comments and anchors, and with aliases in quotes. Notes the comments.
fn without_comments(text: &str, comments: &mut Vec<Range<usize>>) -> Option<String> {
    let mut bare = String::with_capacity(text.len());
    // The indent of the line that a block scalar is below.
    let mut block = None;
    let mut start = 0;
    // What stays as it is, up to the line that is read, is copied from here.
    let mut copied = 0;
    // Where the next line is special.
    let mut special = 0;
    while start < text.len() {
        let mut at = start;
        if block.is_none() {
            if special < at || at == 0 {
                special = next_special(text.as_bytes(), at);
            }
            // Most lines stay.
            at += text[at..special].rfind('\n').map_or(0, |end| end + 1);
            if at == text.len() {
                break;
            }
        }
        let end = words::place_from(text.as_bytes(), at, |it| it.are(b'\n'));
        start = text.len().min(end + 1);
        bare.push_str(&text[copied..at]);
        copied = start;
        let line = &text[at..start];
        let content = line.trim_end();
        let indent = content.bytes().take_while(|byte| *byte == b' ').count();
        if content.is_empty() || block.is_some_and(|above| indent > above) {
            bare.push_str(line);
            continue;
        }
        block = None;
        let end = match words::has_sign(content, &SIGNS) {
            true => bare_line(content, &mut bare)?,
            false => {
                bare.push_str(content);
                content.len()
            }
        };
        if end < content.len() {
            comments.push(at + end..at + content.len());
        }
        // Most lines end otherwise.
        let may_be_header = matches!(
            bare.bytes().rfind(|byte| *byte != b' '),
            Some(b'|' | b'>' | b'-' | b'+' | b'\t' | 0x80..)
        );
        let header = match may_be_header {
            true => bare.trim_end().trim_end_matches(['-', '+']),
            false => "",
        };
        if header.ends_with(" |") || header.ends_with(" >") {
            block = Some(indent);
        }
        bare.push('\n');
    }
    bare.push_str(&text[copied..]);
    Some(bare)
}

/// What a comment, an anchor, an alias, the key of a merge or a quote begins with.
const SIGNS: [u8; 6] = *b"#&*<\"'";

/// The next of these signs, or the end of a line that ends in a sign of a block scalar, in white space or in a character that
/// may be such; the end of the text if there is none.
fn next_special(text: &[u8], from: usize) -> usize {
    let are_special = |it: Sixteen| {
        let breaks = it.are(b'\n');
        let blanks = it.between(0, b' ') & !breaks | it.are_high();
        let ends = it.are_one_of([b'+', b'-', b'>', b'|']);
        it.are_one_of(SIGNS) | (blanks | ends) << 1 & breaks
    };
    let mut at = from;
    while at < text.len() {
        let (bytes, before) = words::sixteen(text, at);
        let special = are_special(bytes) >> before;
        if special != 0 {
            return at + special.trailing_zeros() as usize;
        }
        // The last of these bytes is the first of the next ones.
        at += 15;
    }
    text.len()
}

/// Appends a line without its comment, and returns where that begins.
fn bare_line(line: &str, bare: &mut String) -> Option<usize> {
    let bytes = line.as_bytes();
    let ends = |byte: &u8| matches!(byte, b' ' | b',' | b']' | b'}');
    let (mut at, mut copied) = (0, 0);
    // A value, a key or an item may begin here.
    let mut may_begin = true;
    while at < bytes.len() {
        let is_apart = at == 0 || bytes[at - 1] == b' ';
        match bytes[at] {
            b'#' if is_apart => {
                bare.push_str(&line[copied..at]);
                return Some(at);
            }
            quote @ (b'"' | b'\'') if may_begin => {
                // Quotes that end on another line may hold anything.
                loop {
                    at += 1;
                    match bytes.get(at)? {
                        b'\\' if quote == b'"' => at += 1,
                        byte if *byte == quote => break,
                        _ => {}
                    }
                }
                may_begin = false;
            }
            sign @ (b'&' | b'*') if may_begin => {
                let length = bytes[at..]
                    .iter()
                    .position(ends)
                    .unwrap_or(bytes.len() - at);
                let name = &line[at..at + length];
                bare.push_str(&line[copied..at]);
                if length < 2 || name.ends_with(':') {
                    return None;
                }
                if sign == b'*' {
                    bare.extend(["\"", name, "\""]);
                }
                at += length;
                copied = at;
                continue;
            }
            // The key of a merge: `<<: *name`.
            b'<' if may_begin && line[at..].starts_with("<<: ") => {
                bare.push_str(&line[copied..at]);
                bare.push_str("\"<<\"");
                at += 2;
                copied = at;
                continue;
            }
            b' ' => {}
            b'[' | b'{' | b',' => may_begin = true,
            b'-' | b':' => may_begin = bytes.get(at + 1).is_none_or(|next| *next == b' '),
            _ => may_begin = false,
        }
        at += 1;
    }
    bare.push_str(&line[copied..]);
    Some(line.len())
}

/// Reads the XML at `at`, whose comments are between tags.
pub(super) fn read_xml(text: &str, at: usize) -> Option<Loose> {
    let mut others = Vec::new();
    let mut bare = String::new();
    let (mut copied, mut next) = (at, at);
    while let Some(found) = memmem::find(&text.as_bytes()[next..], b"<!") {
        let start = next + found;
        if text[start..].starts_with("<![CDATA[") {
            next = start + text[start..].find("]]>")?;
            continue;
        }
        let end = start
            + text[start..]
                .strip_prefix("<!--")
                .and_then(|rest| rest.find("-->"))?
            + 7;
        let before = text[at..start].trim_end();
        let after = text[end..].trim_start();
        // An element with nothing but a comment has no text.
        let is_between = after.starts_with('<') && (before.is_empty() || before.ends_with('>'));
        let is_lone = after.starts_with("</") && !has_closed(before);
        if !is_between || is_lone {
            return None;
        }
        bare.push_str(&text[copied..start]);
        bare.extend(std::iter::repeat_n(' ', end - start));
        others.push(start..end);
        (copied, next) = (end, end);
    }
    bare.push_str(&text[copied..]);
    let skipped = bare.len() - bare.trim_start().len();
    let strict = xml::read(&bare, skipped).filter(|_| !others.is_empty());
    let found = strict.or_else(|| xml::read_loosely(&bare, skipped))?;
    let range = at + found.range.start..at + found.range.end;
    others.retain(|other| other.start > range.start && other.end < range.end);
    Some(Loose {
        found: Found { range, ..found },
        others,
        last: None,
        next: None,
    })
}

/// Whether the last tag of a text closes an element, or is a comment.
fn has_closed(text: &str) -> bool {
    let tag = text.rfind('<').map_or("", |at| &text[at..]);
    tag.starts_with("</") || tag.ends_with("/>") || tag.ends_with("-->")
}
