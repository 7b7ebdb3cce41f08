//! Originals as text for pagers and grep: lines of bounded width, from which the exact bytes come
//! back.
//!
//! The whole form is one rule: **a space before a line feed, and the line feed, are not content**.
//! So `perl -0777 -pe 's/ \n//g'` gives the original back. A line feed of the content is a line feed;
//! one that the content itself has after a space gets such a pair between the two. The form has no
//! header and no escapes. A reader sees the upstream's bytes with their line numbers, and JSON
//! without long strings stays JSON. Any bytes are allowed.
//!
//! The ends of lines only help a reader, and depend on nothing but the content:
//!
//! - after [`MAX_LINE_BYTES`] at the latest, if possible behind a space or a comma;
//! - in JSON, behind the escape `\n` of a string (`\\n` in JSON inside a string, and so on), so that
//!   the lines of a text are lines;
//! - in JSON, between the elements of an array of objects or arrays, at any depth of JSON in
//!   strings, so that a record is a line. An object that fits on a line is not broken.
//!
//! All this is guessed from the bytes in one pass, without parsing. A bracket in a string leads
//! to a line less well chosen, never to other content. Text at most doubles in size (`[{[{…`).

use std::collections::VecDeque;
use std::io::{self, Write};

use memchr::{memchr_iter, memrchr2};

/// The longest line, without its line feed.
pub(super) const MAX_LINE_BYTES: usize = 500;

/// Content on the longest line: a break takes one byte more.
const WIDTH: usize = MAX_LINE_BYTES - 1;

/// How far from the end of a full line a space or comma is looked for.
const RAGGED: usize = 100;

/// The end of a line that continues in the content.
const BREAK: &[u8; 2] = b" \n";

/// Writes `content` as text.
pub(super) fn wrap(content: &[u8], out: &mut impl Write) -> io::Result<()> {
    let mut lines = Lines {
        content,
        written: 0,
        out,
    };
    if looks_like_json(content) {
        Scan::default().run(&mut lines)?;
    } else {
        for line_feed in memchr_iter(b'\n', content) {
            lines.end_line(line_feed)?;
        }
    }
    lines.break_at(content.len())
}

/// The content that a line of text stands for; `line` has its line feed, unless it is the last.
pub(super) fn unwrap_line(line: &[u8]) -> &[u8] {
    line.strip_suffix(BREAK).unwrap_or(line)
}

fn looks_like_json(content: &[u8]) -> bool {
    content
        .iter()
        .find(|byte| !byte.is_ascii_whitespace())
        .is_some_and(|byte| matches!(byte, b'{' | b'[' | b'"'))
}

/// The text so far.
struct Lines<'a, W> {
    content: &'a [u8],
    /// Bytes of the content that have been written.
    written: usize,
    out: &'a mut W,
}

impl<W: Write> Lines<'_, W> {
    /// Breaks the line before `position`, if it has begun.
    fn break_at(&mut self, position: usize) -> io::Result<()> {
        self.fill(position)?;
        if self.written < position {
            self.piece(position)?;
            self.out.write_all(BREAK)?;
        }
        Ok(())
    }

    /// Ends the line with the line feed at `position`.
    fn end_line(&mut self, position: usize) -> io::Result<()> {
        self.fill(position)?;
        self.piece(position)?;
        if position > 0 && self.content[position - 1] == b' ' {
            self.out.write_all(BREAK)?;
        }
        self.out.write_all(b"\n")?;
        self.written = position + 1;
        Ok(())
    }

    /// Writes full lines until the rest before `position` fits on one.
    fn fill(&mut self, position: usize) -> io::Result<()> {
        while position - self.written > WIDTH {
            let cut = self.written + cut(&self.content[self.written..][..WIDTH + 1]);
            self.piece(cut)?;
            self.out.write_all(BREAK)?;
        }
        Ok(())
    }

    fn piece(&mut self, end: usize) -> io::Result<()> {
        self.out.write_all(&self.content[self.written..end])?;
        self.written = end;
        Ok(())
    }
}

/// The place to cut a line that is one byte too long.
fn cut(line: &[u8]) -> usize {
    let full = line.len() - 1;
    let ragged = full - RAGGED;
    if let Some(gap) = memrchr2(b' ', b',', &line[ragged..full]) {
        return ragged + gap + 1;
    }
    // Not inside an escape; the longest, `\u` and four digits, begins at most five bytes before.
    if let Some(escape) = line[full - 5..full].iter().position(|byte| *byte == b'\\') {
        let begin = line[..full - 5 + escape]
            .iter()
            .rposition(|byte| *byte != b'\\')
            .map_or(0, |before| before + 1);
        if begin > ragged {
            return begin;
        }
    }
    // Not inside a character, if these are characters.
    (full - 3..=full)
        .rev()
        .find(|at| line[*at] & 0xc0 != 0x80)
        .unwrap_or(full)
}

/// Finds the records of JSON, and of JSON in its strings.
#[derive(Default)]
struct Scan {
    /// Breaks between elements that an object closing later may prove unnecessary, in order.
    pending: VecDeque<usize>,
    /// Brackets that are open, as far back as one line reaches: an object that began earlier does
    /// not fit on a line anyhow.
    open: VecDeque<usize>,
}

impl Scan {
    fn run<W: Write>(&mut self, lines: &mut Lines<'_, W>) -> io::Result<()> {
        let content = lines.content;
        // Backslashes directly before the current byte.
        let mut backslashes = 0;
        // The depth of JSON in JSON strings, as the keys show: `":` 1, `\":` 2, `\\\":` 3.
        let mut depth = 1;
        for (at, byte) in content.iter().enumerate() {
            match byte {
                b'\\' => {
                    backslashes += 1;
                    continue;
                }
                b'\n' => {
                    self.settle(lines)?;
                    lines.end_line(at)?;
                }
                b'n' if ends_line(backslashes, depth) => {
                    self.settle(lines)?;
                    // A line feed that follows ends this line itself.
                    if content.get(at + 1) != Some(&b'\n') {
                        lines.break_at(at + 1)?;
                    }
                }
                b'"' if backslashes % 2 == 0 => depth = 1,
                b'"' if content.get(at + 1) == Some(&b':') => match backslashes {
                    1 => depth = depth.max(2),
                    3 => depth = 3,
                    _ => {}
                },
                b'{' | b'[' => {
                    if begins_element(content, at) {
                        self.may_break(at, lines)?;
                    }
                    self.open.push_back(at);
                    if self.open.len() > WIDTH {
                        self.open.pop_front();
                    }
                }
                b'}' => {
                    if let Some(open) = self.open.pop_back()
                        && at - open < WIDTH
                    {
                        while self.pending.pop_back_if(|place| *place > open).is_some() {}
                    }
                }
                b']' => {
                    self.open.pop_back();
                }
                b',' if content[..at].ends_with(b"}]") => self.may_break(at + 1, lines)?,
                _ => {}
            }
            backslashes = 0;
        }
        self.settle(lines)
    }

    fn may_break<W: Write>(&mut self, at: usize, lines: &mut Lines<'_, W>) -> io::Result<()> {
        // A place more than a line's width back stays, whichever bracket closes later.
        while let Some(settled) = self.pending.pop_front_if(|place| *place + WIDTH < at) {
            lines.break_at(settled)?;
        }
        if self.pending.back() != Some(&at) {
            self.pending.push_back(at);
        }
        Ok(())
    }

    fn settle<W: Write>(&mut self, lines: &mut Lines<'_, W>) -> io::Result<()> {
        self.pending
            .drain(..)
            .try_for_each(|place| lines.break_at(place))
    }
}

/// Whether the `n` after this many backslashes makes them the escape of a line feed. Each level of
/// strings in strings doubles the backslashes; an odd number ends in an escape of the outermost.
fn ends_line(backslashes: usize, depth: u32) -> bool {
    backslashes % 2 == 1 || (backslashes.is_power_of_two() && backslashes < 1 << depth)
}

/// Whether the bracket at `at` opens an element of an array of its like.
fn begins_element(content: &[u8], at: usize) -> bool {
    let before = content[..at].strip_suffix(b" ").unwrap_or(&content[..at]);
    match before {
        [.., b'}' | b']', b','] => true,
        [.., b'['] => content[at] == b'{',
        _ => false,
    }
}
