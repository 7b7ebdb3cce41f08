//! Parses a strict subset of YAML 1.2, as tools print it.
//!
//! Owns the grammar: block lists and maps, plain and quoted scalars on one line or more, block scalars, and flow
//! collections on one line. Refuses comments, anchors, tags, directives, several documents, keys that are no strings or
//! duplicate, tabs as indentation, and everything that YAML versions read in different ways.

use super::scalar;
use super::written::{Json, Open, Scalar, ScalarType, Style, Writer};
use crate::{Sixteen, words};
use std::borrow::Cow;

/// Longest plain key: a longer one is a sentence.
const LONGEST_KEY: usize = 128;

/// A line.
#[derive(Clone, Copy)]
struct Line<'a> {
    start: usize,
    /// Without the line break.
    end: usize,
    /// Spaces at its beginning.
    indent: usize,
    /// The text behind these, without white space at its end. Blank lines have none.
    text: &'a str,
}

/// Parses all of `text`: one list or map, nested at most `room` deep. Writes `json`, and returns whether what was read,
/// written as YAML again, equals `source`.
pub fn read(text: &str, source: &str, room: usize, json: &mut Json) -> Option<bool> {
    if may_be_refused(text.as_bytes()) && text.chars().any(is_refused) {
        return None;
    }
    let mut parser = Parser {
        text,
        has_returns: memchr::memchr(b'\r', text.as_bytes()).is_some(),
        line: None,
        next: 0,
        is_begun: false,
        is_refused: false,
        out: Writer::new(json, source),
    };
    parser.advance();
    parser.skip_blank();
    if parser.rest(0)? == "---" {
        parser.advance();
        parser.skip_blank();
    }
    if parser.indent()? != 0 {
        return None;
    }
    may_begin(parser.rest(0)?).then_some(())?;
    parser.value(0, 0, room)?;
    (parser.line.is_none() && !parser.is_refused).then(|| parser.out.is_proved())
}

struct Parser<'a, 'w> {
    text: &'a str,
    has_returns: bool,
    /// The current line; none behind the last, and from a line on that is refused.
    line: Option<Line<'a>>,
    /// Where the next line begins.
    next: usize,
    /// A line was not blank.
    is_begun: bool,
    is_refused: bool,
    out: Writer<'w>,
}

impl<'a> Parser<'a, '_> {
    /// Goes on to the next line.
    fn advance(&mut self) {
        self.line = None;
        if self.next < self.text.len() && !self.is_refused {
            self.line = self.next_line();
            self.is_refused = self.line.is_none();
        }
    }

    /// The next line. None if it is indented with tabs, or marks the end or beginning of a document in the wrong place.
    #[inline]
    fn next_line(&mut self) -> Option<Line<'a>> {
        let (text, start) = (self.text, self.next);
        let bytes = text.as_bytes();
        let (sixteen, before) = words::sixteen(bytes, start);
        let inside = start + 16 - before;
        let are_ink = |it: Sixteen| !it.are(b' ') & 0xffff;
        // Most lines have some text among their first bytes.
        let ink = match are_ink(sixteen) >> before {
            0 => words::place_from(bytes, inside, are_ink),
            signs => start + signs.trailing_zeros() as usize,
        };
        let next = match sixteen.are(b'\n') >> before {
            0 => words::place_from(bytes, inside, |it| it.are(b'\n')),
            signs => start + signs.trailing_zeros() as usize,
        };
        self.next = next + 1;
        let mut end = next;
        if self.has_returns {
            let line = &text[start..next];
            let content = line.strip_suffix('\r').unwrap_or(line);
            if content.contains('\r') {
                return None;
            }
            end = start + content.len();
        }
        let ink = ink.min(end);
        let inner = &text[ink..end];
        let marks = |mark| {
            text[start..end]
                .strip_prefix(mark)
                .is_some_and(|after: &str| {
                    after.trim().is_empty() || after.starts_with([' ', '\t'])
                })
        };
        let first = inner.as_bytes().first();
        let may_mark = ink == start && matches!(first, Some(b'.' | b'-'));
        if first == Some(&b'\t') || may_mark && (marks("...") || marks("---") && self.is_begun) {
            return None;
        }
        self.is_begun |= !inner.is_empty();
        Some(Line {
            start,
            end,
            indent: ink - start,
            text: without_space(inner),
        })
    }

    fn skip_blank(&mut self) {
        while self.line.is_some_and(|line| line.text.is_empty()) {
            self.advance();
        }
    }

    /// Indentation of the current line.
    fn indent(&self) -> Option<usize> {
        self.line.map(|line| line.indent)
    }

    /// The text of the current line from `column` on, without white space at its end.
    #[inline(always)]
    fn rest(&self, column: usize) -> Option<&'a str> {
        let line = self.line?;
        match column.checked_sub(line.indent) {
            Some(0) => Some(line.text),
            Some(inside) if inside <= line.text.len() => line.text.get(inside..),
            _ => Some(without_space(self.text.get(line.start + column..line.end)?)),
        }
    }

    /// The offset of a part of the text.
    fn offset(&self, part: &str) -> usize {
        part.as_ptr() as usize - self.text.as_ptr() as usize
    }

    /// Parses the value at `column` of the current line, inside of a collection at `parent`: a block list or map, or what
    /// is on the line.
    fn value(&mut self, column: usize, parent: usize, room: usize) -> Option<()> {
        let rest = self.rest(column)?;
        if is_item(rest) {
            return self.list(column, room.checked_sub(1)?);
        }
        match key_place(rest) {
            Some(end) => self.map(column, (rest, end), room.checked_sub(1)?),
            None => self.inline(rest, parent, room),
        }
    }

    fn list(&mut self, column: usize, room: usize) -> Option<()> {
        let mut list = self.out.begin(b'[', false);
        let mut at = Some(column);
        while at == Some(column) {
            let rest = self.rest(column)?;
            if !is_item(rest) {
                break;
            }
            self.out.element(&mut list);
            let after = &rest[1..];
            let value = without_blanks(after);
            let inner = column + 1 + after.len() - value.len();
            if value.is_empty() {
                self.advance();
                self.below(column, column + 1, room)?;
            } else {
                self.value(inner, column, room)?;
            }
            self.skip_blank();
            at = self.indent();
        }
        self.out.end_list(list);
        Some(())
    }

    /// Parses a map from a line on whose first key ends at a place.
    fn map(&mut self, column: usize, first: (&'a str, usize), room: usize) -> Option<()> {
        let mut map = self.out.begin(b'{', false);
        let (mut line, mut end) = first;
        loop {
            write_key(&mut self.out, &mut map, &line[..end])?;
            let value = without_blanks(&line[end + 1..]);
            if value.is_empty() {
                self.advance();
                self.below(column, column, room)?;
            } else {
                self.inline(value, column, room)?;
            }
            self.skip_blank();
            if self.indent() != Some(column) {
                break;
            }
            line = self.rest(column)?;
            if is_item(line) {
                break;
            }
            end = key_place(line)?;
        }
        self.out.end_map(map)
    }

    /// Parses the value on the lines below, indented more than `column`, or a list indented at least `list_column`.
    /// Without a value, it is null.
    fn below(&mut self, column: usize, list_column: usize, room: usize) -> Option<()> {
        self.skip_blank();
        if let Some(indent) = self.indent() {
            let rest = self.rest(indent)?;
            if indent > column || indent >= list_column && is_item(rest) {
                // A scalar below its key is accepted too, except for blocks, whose header is on the key's line.
                if rest.starts_with(['|', '>']) {
                    return None;
                }
                return self.value(indent, column, room);
            }
        }
        self.out.absent();
        Some(())
    }

    /// Parses the scalar or flow collection at the end of the current line, inside of a collection at `parent`.
    fn inline(&mut self, rest: &'a str, parent: usize, room: usize) -> Option<()> {
        let scalar = match rest.as_bytes().first()? {
            b'|' | b'>' => self.block(rest, parent)?,
            b'"' | b'\'' => self.quoted(rest, parent)?,
            b'[' | b'{' => {
                let mut flow = Flow { text: rest, at: 0 };
                flow.value(room, &mut self.out)?;
                self.advance();
                // Lines with a larger indent would belong to it.
                return (flow.at == rest.len() && self.ends_at(parent)).then_some(());
            }
            _ => return self.plain(rest, parent),
        };
        self.out.scalar(&scalar);
        Some(())
    }

    /// Whether the next non-blank line has at most the indent of `parent`.
    fn ends_at(&mut self, parent: usize) -> bool {
        self.skip_blank();
        self.indent().is_none_or(|indent| indent <= parent)
    }

    fn plain(&mut self, first: &'a str, parent: usize) -> Option<()> {
        if !scalar::may_begin_plain(first) || scalar::ends_plain(first) {
            return None;
        }
        let start = self.offset(first);
        let mut end = start + first.len();
        let mut lines = 1;
        self.advance();
        loop {
            self.skip_blank();
            let Some(indent) = self.indent().filter(|indent| *indent > parent) else {
                break;
            };
            let rest = self.rest(indent)?;
            // A line that looks like an item may be one with a wrong indent.
            if is_item(rest) || rest.starts_with('#') || scalar::ends_plain(rest) {
                return None;
            }
            end = self.offset(rest) + rest.len();
            lines += 1;
            self.advance();
        }
        if lines > 1 {
            let text = scalar::plain(&self.text[start..end])?;
            self.out.plain(&text, ScalarType::String);
        } else {
            self.out.plain(first, scalar::resolve(first)?);
        }
        Some(())
    }

    fn quoted(&mut self, first: &'a str, parent: usize) -> Option<Scalar<'a>> {
        let start = self.offset(first);
        let from = &self.text[start..];
        let length = quoted_end(from)?;
        let end = start + length;
        // Its further lines must be indented.
        while self.line?.end < end {
            self.advance();
            let line = self.line?;
            if !line.text.is_empty() && line.indent <= parent {
                return None;
            }
        }
        let after = &self.text[end..self.line?.end];
        if !after.trim_matches([' ', '\t']).is_empty() {
            return None;
        }
        self.advance();
        if !self.ends_at(parent) {
            return None;
        }
        quoted(&from[..length])
    }

    /// Parses a block scalar, from its header on.
    fn block(&mut self, header: &'a str, parent: usize) -> Option<Scalar<'a>> {
        let folded = header.starts_with('>');
        let (mut chomping, mut explicit) = (None, None);
        for mark in header[1..].chars() {
            match mark {
                '-' | '+' if chomping.is_none() => chomping = Some(mark),
                '1'..='9' if explicit.is_none() => explicit = mark.to_digit(10),
                _ => return None,
            }
        }
        self.advance();
        let mut content = explicit.map(|columns| parent + columns as usize);
        let mut says = String::new();
        let (mut blank, mut any, mut at_end) = (0, false, false);
        while let Some(line) = self.line {
            if line.text.is_empty() {
                // White space beyond the indentation would be text.
                if line.end - line.start > content.unwrap_or(parent + 1) {
                    return None;
                }
                blank += 1;
                at_end |= line.end == self.text.len();
                self.advance();
                continue;
            }
            if line.indent <= parent || content.is_some_and(|content| line.indent < content) {
                break;
            }
            let content = *content.get_or_insert(line.indent);
            let text = &self.text[line.start + content..line.end];
            if folded && text.starts_with([' ', '\t']) {
                return None;
            }
            match (folded && any, blank) {
                (true, 0) => says.push(' '),
                (true, _) => says.extend(std::iter::repeat_n('\n', blank)),
                // The break after the previous line, which a folded scalar has instead of these.
                (false, _) => {
                    says.extend(std::iter::repeat_n('\n', blank + usize::from(any)));
                }
            }
            says.push_str(text);
            (blank, any) = (0, true);
            at_end = line.end == self.text.len();
            self.advance();
        }
        let breaks = match chomping {
            Some('-') => 0,
            // Parsers differ on a last line without a line break.
            _ if at_end => return None,
            Some(_) => blank + usize::from(any),
            None => usize::from(any),
        };
        says.extend(std::iter::repeat_n('\n', breaks));
        self.ends_at(parent).then_some(Scalar {
            says: Cow::Owned(says),
            style: Style::Block(header),
        })
    }
}

/// A flow collection on one line.
struct Flow<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Flow<'a> {
    fn skip_space(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start_matches(' ').len();
    }

    fn take(&mut self, byte: u8) -> bool {
        let taken = self.text.as_bytes().get(self.at) == Some(&byte);
        self.at += usize::from(taken);
        taken
    }

    fn value(&mut self, room: usize, out: &mut Writer<'_>) -> Option<()> {
        if self.take(b'[') {
            let room = room.checked_sub(1)?;
            let mut list = out.begin(b'[', true);
            let mut is_first = true;
            self.skip_space();
            while !self.take(b']') {
                if !std::mem::take(&mut is_first) {
                    self.comma()?;
                }
                out.element(&mut list);
                self.value(room, out)?;
                self.skip_space();
            }
            out.end_list(list);
            return Some(());
        }
        if self.take(b'{') {
            let room = room.checked_sub(1)?;
            let mut map = out.begin(b'{', true);
            let mut is_first = true;
            self.skip_space();
            while !self.take(b'}') {
                if !std::mem::take(&mut is_first) {
                    self.comma()?;
                }
                let rest = &self.text[self.at..];
                let end = flow_key_end(rest)?;
                write_key(out, &mut map, &rest[..end])?;
                self.at += end + 1;
                self.skip_space();
                self.value(room, out)?;
                self.skip_space();
            }
            return out.end_map(map);
        }
        self.scalar(out)
    }

    fn comma(&mut self) -> Option<()> {
        let taken = self.take(b',');
        self.skip_space();
        taken.then_some(())
    }

    fn scalar(&mut self, out: &mut Writer<'_>) -> Option<()> {
        let rest = &self.text[self.at..];
        if rest.starts_with(['"', '\'']) {
            let length = quoted_end(rest)?;
            self.at += length;
            out.scalar(&quoted(&rest[..length])?);
            return Some(());
        }
        let length = rest.find([',', '[', ']', '{', '}'])?;
        self.at += length;
        let text = rest[..length].trim_end_matches([' ', '\t']);
        if !scalar::may_begin_plain(text) || text.starts_with(['-', '?', ':']) && text.len() == 1 {
            return None;
        }
        if scalar::ends_plain(text) {
            return None;
        }
        out.plain(text, scalar::resolve(text)?);
        Some(())
    }
}

/// The offset after the closing quote of the scalar at the beginning of `text`.
fn quoted_end(text: &str) -> Option<usize> {
    if text.starts_with('"') {
        scalar::double_end(text)
    } else {
        scalar::single_end(text)
    }
}

/// A scalar from its first quote to its last.
fn quoted(source: &str) -> Option<Scalar<'_>> {
    let inside = &source[1..source.len() - 1];
    let is_double = source.starts_with('"');
    // Most are spelled as they are.
    let is_bare = !words::has_sign(inside, b"\\'\n\r");
    let escaped = (!is_bare && inside.contains('\\')).then_some(inside);
    Some(Scalar {
        says: match is_double {
            _ if is_bare => Cow::Borrowed(inside),
            true => Cow::Owned(scalar::double(inside)?),
            false => Cow::Owned(scalar::single(inside)?),
        },
        style: match is_double {
            true => Style::Double(escaped),
            false => Style::Single,
        },
    })
}

/// Whether a text may begin with this line.
pub(super) fn may_begin(line: &str) -> bool {
    is_item(line) || line.starts_with("---") || key_place(line).is_some()
}

/// Whether a line begins an element of a list.
fn is_item(text: &str) -> bool {
    text == "-" || text.starts_with("- ")
}

/// The end of the key at the beginning of a line, before its colon.
fn key_place(line: &str) -> Option<usize> {
    key_end(line).filter(|end| matches!(line.as_bytes().get(end + 1), None | Some(b' ')))
}

/// The same in a flow map, where the value may directly follow a quoted key.
fn flow_key_end(text: &str) -> Option<usize> {
    let end = key_end(text)?;
    let is_quoted = is_quoted(text);
    // Braces are signs of a flow map.
    if !is_quoted && text[..end].contains(['{', '}']) {
        return None;
    }
    (is_quoted || text[end + 1..].starts_with(' ')).then_some(end)
}

/// Writes the key with this spelling. None for one that JSON does not have.
fn write_key(out: &mut Writer<'_>, map: &mut Open, text: &str) -> Option<()> {
    if is_quoted(text) {
        out.key(map, &quoted(text)?);
    } else if scalar::resolve(text)? == ScalarType::String {
        out.plain_key(map, text);
    } else {
        return None;
    }
    Some(())
}

/// The end of a key, before its colon.
fn key_end(text: &str) -> Option<usize> {
    let end = match is_quoted(text) {
        true => quoted_end(text)?,
        false => plain_key_end(text)?,
    };
    (text.as_bytes().get(end) == Some(&b':')).then_some(end)
}

fn is_quoted(text: &str) -> bool {
    matches!(text.as_bytes(), [b'"' | b'\'', ..])
}

/// The end of a plain key: one word, such as an identifier or a path. Text with spaces may be prose.
fn plain_key_end(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    // A path with parameters, as OpenAPI has them: `/users/{id}`. No flow map begins with a slash.
    let is_path = text.starts_with('/');
    let fits = |at: usize, c: char| {
        c.is_alphanumeric()
            || matches!(c, '_' | '$' | '.' | '/')
            || at > 0 && matches!(c, '-' | '@' | '+')
            || is_path && matches!(c, '{' | '}')
            || c == ':' && at > 0 && !matches!(bytes.get(at + 1), None | Some(b' ' | b'\t' | b'\n'))
    };
    // Most keys are words of ASCII, with a blank behind the colon.
    let others = |it: Sixteen| {
        let letters = it.between(b'0', b'9') | it.lower().between(b'a', b'z');
        !(letters | it.are_one_of([b'_', b'$', b'.', b'/'])) & 0xffff
    };
    let mut end = words::place_from(bytes, 0, others).min(LONGEST_KEY);
    if end > 0 && matches!(bytes[end..], [b':'] | [b':', b' ', ..]) {
        return Some(end);
    }
    let first = bytes.iter().enumerate().take(LONGEST_KEY).skip(end);
    let is_part = |(at, byte): &(usize, &u8)| byte.is_ascii() && fits(*at, char::from(**byte));
    end += first.take_while(is_part).count();
    if bytes.get(end).is_some_and(|next| !next.is_ascii()) {
        let chars = text.char_indices().take(LONGEST_KEY);
        let last = chars.take_while(|(at, c)| fits(*at, *c)).last();
        end = last.map_or(0, |(at, c)| at + c.len_utf8());
    }
    (end > 0).then_some(end)
}

/// Whether a text has a control character, besides tabs and line breaks, or one that is not of ASCII, or has few bytes.
fn may_be_refused(text: &[u8]) -> bool {
    let controls = |it: Sixteen| {
        let below_space = it.between(0, 8) | it.between(11, 12) | it.between(14, 31);
        below_space | it.are(0x7f) | it.are_high()
    };
    words::has_any_of(text, controls)
}

/// Whether YAML forbids a character, or reads it in more than one way.
fn is_refused(c: char) -> bool {
    c.is_control() && !matches!(c, '\t' | '\n' | '\r')
        || matches!(
            c,
            '\u{feff}' | '\u{2028}' | '\u{2029}' | '\u{fffe}' | '\u{ffff}'
        )
}

/// A text without blanks before it.
#[inline]
fn without_blanks(text: &str) -> &str {
    let blanks = text.bytes().take_while(|byte| *byte == b' ');
    &text[blanks.count()..]
}

/// A text without blanks and tabs at its end.
#[inline]
fn without_space(text: &str) -> &str {
    match text.as_bytes().last() {
        Some(b' ' | b'\t') => text.trim_end_matches([' ', '\t']),
        _ => text,
    }
}
