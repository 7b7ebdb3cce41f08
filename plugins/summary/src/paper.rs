//! Text with a limit on its length, and ways to cut values so that they fit.
//!
//! Owns every bound on the output. Refuses to know the content.

use crate::search::find;
use std::borrow::Cow;
use tamis_formats::words;

pub use words::characters;

/// Room for the line with the number of items that do not fit.
pub const REST: usize = 32;

/// The mark of an omission.
pub const CUT: char = '…';

/// A text that never exceeds its limit of characters.
pub struct Paper {
    text: String,
    left: usize,
    wanted: usize,
}

impl Paper {
    pub fn new(characters: usize) -> Paper {
        Paper {
            text: String::new(),
            left: characters,
            wanted: 0,
        }
    }

    /// Notes that a line about a failure or a rare value has no room, or only for so many of its characters.
    pub fn want(&mut self, line: &str, room: usize) {
        self.wanted += (characters(line) + 1).saturating_sub(room);
    }

    /// The characters that such lines lack.
    pub fn wanted(&self) -> usize {
        self.wanted
    }

    /// Notes that another paper lacks characters.
    pub fn want_of(&mut self, other: &Paper) {
        self.wanted += other.wanted;
    }

    /// The number of characters that still fit.
    pub fn left(&self) -> usize {
        self.left
    }

    /// Appends one or more lines, with a line break at the end, if they fit.
    pub fn line(&mut self, line: &str) -> bool {
        let needed = characters(line) + 1;
        if needed > self.left {
            return false;
        }
        self.left -= needed;
        self.text.push_str(line);
        self.text.push('\n');
        true
    }

    /// Appends as much of a line as fits.
    pub fn cut_line(&mut self, line: &str) {
        if self.left > 1 {
            let line = cut(line, self.left - 1).into_owned();
            self.line(&line);
        }
    }

    /// Appends the content of another paper, which fits if its limit was what is left here.
    pub fn paste(&mut self, other: &Paper) {
        self.want_of(other);
        let text = other.text.trim_end_matches('\n');
        if !text.is_empty() {
            self.line(text);
        }
    }

    /// Appends the items that fit, each on a line, and counts those that do not. `line`: the line of an item.
    pub fn list<I>(
        &mut self,
        items: impl Iterator<Item = I>,
        line: impl FnMut(I) -> String,
        what: &str,
    ) {
        let more = self.fitting(items, line, REST + what.len());
        self.count_rest(more, what);
    }

    /// Appends a list of [`listed`] after its head, if it names some: a number alone is no information.
    pub fn cut_list(&mut self, head: &str, listed: &str) {
        if names_some(listed) {
            self.cut_line(&format!("{head}{listed}"));
        }
    }

    /// Appends the number of those things that are left out, if some are.
    #[inline(never)]
    pub fn count_rest(&mut self, more: usize, what: &str) {
        if more > 0 {
            // The first word names the things: `rows with an odd value`.
            let (things, rest) = what.split_at(find(what, " ").unwrap_or(what.len()));
            let (word, comma) = match things.strip_suffix(',') {
                Some(word) => (word, ","),
                None => (things, ""),
            };
            let things = match word.strip_suffix('s') {
                Some(thing) if more == 1 => format!("{thing}{comma}"),
                _ => things.to_owned(),
            };
            self.cut_line(&format!(" and {more} more {things}{rest}"));
        }
    }

    /// Appends the items that fit, each on a line, with `rest` characters left for another line. Returns the number of
    /// those that do not fit.
    pub fn fitting<I>(
        &mut self,
        mut items: impl Iterator<Item = I>,
        mut line: impl FnMut(I) -> String,
        rest: usize,
    ) -> usize {
        while let Some(item) = items.next() {
            let line = line(item);
            let room = self.left.saturating_sub(characters(&line) + 1);
            if room < rest {
                return 1 + items.count();
            }
            self.line(&line);
        }
        0
    }

    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub fn text(&self) -> &str {
        &self.text
    }
}

/// The beginning of a text, with the mark of the cut, in at most `limit` characters.
pub fn cut(text: &str, limit: usize) -> Cow<'_, str> {
    if text.len() <= limit {
        return Cow::Borrowed(text);
    }
    // A character is a byte in most texts.
    let is_plain = limit > 0 && text.as_bytes()[..limit].is_ascii();
    if is_plain {
        let mut head = String::with_capacity(limit + CUT.len_utf8());
        head.push_str(&text[..limit - 1]);
        head.push(CUT);
        return Cow::Owned(head);
    }
    let mut ends = text.char_indices().skip(limit.saturating_sub(1));
    let Some((end, _)) = ends.next() else {
        return Cow::Borrowed(text);
    };
    if ends.next().is_none() {
        return Cow::Borrowed(text);
    }
    let mut head = text[..end].to_owned();
    head.push(CUT);
    Cow::Owned(head)
}

/// `3 rows`, `1 row`. `what`: for several.
#[inline(never)]
pub fn some(count: usize, what: &str) -> String {
    if count != 1 {
        return format!("{count} {what}");
    }
    match what.strip_suffix("ies") {
        Some(most) => format!("1 {most}y"),
        None => format!("1 {}", what.strip_suffix('s').unwrap_or(what)),
    }
}

/// A text on one line: line breaks and control characters become spaces.
pub fn one_line(text: &str) -> Cow<'_, str> {
    let may_be_control =
        |word| words::has_below_space(word) | words::has(word, 0x7f) | words::has(word, 0xc2);
    if words::position(text.as_bytes(), may_be_control).is_none() {
        return Cow::Borrowed(text);
    }
    if text.contains(char::is_control) {
        Cow::Owned(
            text.chars()
                .map(|c| if c.is_control() { ' ' } else { c })
                .collect(),
        )
    } else {
        Cow::Borrowed(text)
    }
}

/// The first `limit` characters of a JSON value without the whitespace between its tokens, and one more if it is
/// longer. Reads little more than it returns.
pub fn minified(json: &str, limit: usize) -> String {
    let mut out = String::new();
    let (mut taken, mut in_string, mut escaped) = (0, false, false);
    for c in json.chars() {
        if in_string {
            in_string = escaped || c != '"';
            escaped = !escaped && c == '\\';
        } else if matches!(c, ' ' | '\n' | '\r' | '\t') {
            continue;
        } else {
            in_string = c == '"';
        }
        out.push(c);
        taken += 1;
        if taken > limit {
            break;
        }
    }
    out
}

/// The items that fit into `limit` characters, joined by `, `, and the number of the others.
pub fn listed<S: AsRef<str>>(items: &[S], limit: usize) -> String {
    listed_from(0, items, limit)
}

/// The same from the first item that fits: in a list in no order, a long one does not hide the others.
pub fn listed_short<S: AsRef<str>>(items: &[S], limit: usize) -> String {
    let fits = |item: &S| characters(item.as_ref()) + 2 + REST_OF_LIST <= limit;
    let first = items.iter().position(fits).unwrap_or_default();
    listed_from(first, items, limit)
}

/// Characters of the number of the items that do not fit.
const REST_OF_LIST: usize = 14;

fn listed_from<S: AsRef<str>>(first: usize, items: &[S], limit: usize) -> String {
    let mut out = String::new();
    let (mut used, mut more) = (0, first);
    for (place, item) in items.iter().enumerate().skip(first) {
        let item = item.as_ref();
        let needed = characters(item) + 2;
        let is_last = place + 1 == items.len() && first == 0;
        let rest = if is_last { 0 } else { REST_OF_LIST };
        if used + needed + rest > limit {
            more += items.len() - place;
            break;
        }
        if used > 0 {
            out.push_str(", ");
        }
        out.push_str(item);
        used += needed;
    }
    if more > 0 {
        let before = if used > 0 { ", " } else { "" };
        out.push_str(&format!("{before}and {more} more"));
    }
    out
}

/// Whether a list of [`listed`] has an item, and not only the number of those that do not fit.
pub fn names_some(listed: &str) -> bool {
    let number = listed
        .strip_prefix("and ")
        .and_then(|rest| rest.strip_suffix(" more"));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    !listed.is_empty() && !number.is_some_and(is_number)
}

#[cfg(test)]
#[path = "tests/paper.rs"]
mod tests;
