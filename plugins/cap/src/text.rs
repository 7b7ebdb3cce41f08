//! Cuts texts between lines: a text document, or a string of JSON as it is spelled, so that the rest keeps its
//! spelling.

use crate::note::{Noted, Notes};
use std::ops::Range;
use tamis_sdk::{characters, quote, unquote};

/// The largest number in a note: a document's size.
const LARGEST: usize = u32::MAX as usize;

/// A text as the document spells it.
#[derive(Clone, Copy)]
pub struct Text<'t> {
    /// The text between the quotes of a string, or a whole document.
    pub raw: &'t str,
    /// Whether it is a string of JSON, with escapes.
    pub is_json: bool,
}

/// The removed part of a text, and the note that replaces it.
#[derive(Debug)]
pub struct Cut {
    pub bytes: Range<usize>,
    pub note: String,
}

/// The lines of a text that stay.
pub enum Side {
    First,
    Last,
}

impl Cut {
    /// The text with the note in place of the removed part.
    pub fn applied(&self, raw: &str) -> String {
        let (head, tail) = (&raw[..self.bytes.start], &raw[self.bytes.end..]);
        format!("{head}{}{tail}", self.note)
    }
}

impl<'t> Text<'t> {
    /// Cuts all except the first or last `limit` lines. None if the text has no more, or would not become shorter.
    pub fn cut_lines(self, side: &Side, limit: usize, notes: &Notes<'_>) -> Option<Cut> {
        let lines = self.line_ends().count();
        if lines <= limit {
            return None;
        }
        let noted = self.noted(side, lines, notes);
        let content = lines - usize::from(noted.is_some());
        if content <= limit {
            return None;
        }
        let total = noted.and_then(|noted| noted.total).unwrap_or(content);
        let note = self.spell(&notes.write(limit, total));
        let line_break = self.line_break();
        let cut = match side {
            Side::First => Cut {
                bytes: self.end_of_line(limit)..self.raw.len(),
                note: note + self.last_break(line_break),
            },
            Side::Last if limit == 0 => Cut {
                bytes: 0..self.raw.len(),
                note: note + self.last_break(line_break),
            },
            Side::Last => Cut {
                bytes: 0..self.end_of_line(lines - limit),
                note: note + line_break,
            },
        };
        (cut.note.len() < cut.bytes.len()).then_some(cut)
    }

    /// Cuts a text to at most `most_bytes`, including the note as its last line. If `is_whole` and a line fits, it cuts
    /// between two lines, else between two characters. `note` writes the note from the bytes shown and the total. None
    /// if the text fits, or the note alone does not.
    pub fn cut_bytes(
        self,
        most_bytes: usize,
        is_whole: bool,
        note: impl Fn(usize, usize) -> String,
    ) -> Option<Cut> {
        let total = self.raw.len();
        if total <= most_bytes {
            return None;
        }
        let line_break = self.line_break();
        let last_break = self.last_break(line_break);
        let most_note = self.spell(&note(LARGEST, LARGEST)).len() + last_break.len();
        let room = most_bytes.checked_sub(most_note)?;
        let whole = self.line_ends().take_while(|end| *end <= room).last();
        let (end, before) = match whole.filter(|_| is_whole) {
            Some(end) => (end, ""),
            None => {
                let room = room.checked_sub(line_break.len())?;
                (self.end_of_character(room), line_break)
            }
        };
        let note = self.spell(&note(end, total));
        Some(Cut {
            bytes: end..total,
            note: format!("{before}{note}{last_break}"),
        })
    }

    /// The note of an earlier run, at the position of this cap's notes.
    fn noted(self, side: &Side, lines: usize, notes: &Notes<'_>) -> Option<Noted> {
        let line = match side {
            Side::First => self.end_of_line(lines - 1)..self.raw.len(),
            Side::Last => 0..self.end_of_line(1),
        };
        let line = self.without_break(&self.raw[line]);
        if self.is_json {
            notes.read(&unquote(&format!("\"{line}\""))?, lines - 1)
        } else {
            notes.read(line, lines - 1)
        }
    }

    /// Offsets after the lines, each with its line break. Text after the last line feed is a line too.
    fn line_ends(self) -> impl Iterator<Item = usize> + use<'t> {
        let mut at = 0;
        std::iter::from_fn(move || {
            if at >= self.raw.len() {
                return None;
            }
            at = self.after_line_feed(at).unwrap_or(self.raw.len());
            Some(at)
        })
    }

    /// The offset after this many lines.
    fn end_of_line(self, lines: usize) -> usize {
        match lines {
            0 => 0,
            _ => self.line_ends().nth(lines - 1).unwrap_or(self.raw.len()),
        }
    }

    /// The offset after the first line feed from `at` on.
    fn after_line_feed(self, mut at: usize) -> Option<usize> {
        let sought = if self.is_json { '\\' } else { '\n' };
        loop {
            let found = at + self.raw[at..].find(sought)?;
            if !self.is_json {
                return Some(found + 1);
            }
            // Escapes consist of ASCII characters.
            let (escape, len) = self.raw[found..]
                .split_at_checked(6)
                .filter(|(escape, _)| escape.starts_with("\\u"))
                .map_or((&self.raw[found..found + 2], 2), |(escape, _)| (escape, 6));
            at = found + len;
            if escape == "\\n" || escape.eq_ignore_ascii_case("\\u000a") {
                return Some(at);
            }
        }
    }

    /// The last end of a character up to `room`, and never between the two characters of a line break.
    fn end_of_character(self, room: usize) -> usize {
        let end = if self.is_json {
            // Offsets there include the quote before the text.
            let quoted = format!("\"{}\"", self.raw);
            let last = characters(&quoted)
                .take_while(|character| character.end <= room + 1)
                .last();
            last.map_or(0, |character| character.end - 1)
        } else {
            self.raw.floor_char_boundary(room)
        };
        self.without_return(&self.raw[..end]).len()
    }

    /// The line break of the text's first line, as it is spelled.
    fn line_break(self) -> &'static str {
        let first = &self.raw[..self.end_of_line(1)];
        let line = self.without_feed(first);
        let has_return = self.without_return(line).len() < line.len();
        match (self.is_json, line.len() < first.len() && has_return) {
            (true, true) => "\\r\\n",
            (true, false) => "\\n",
            (false, true) => "\r\n",
            (false, false) => "\n",
        }
    }

    /// The line break after a note at the end; none if the text has none there.
    fn last_break(self, line_break: &'static str) -> &'static str {
        let is_ended = self.without_feed(self.raw).len() < self.raw.len();
        if is_ended { line_break } else { "" }
    }

    fn without_break(self, line: &str) -> &str {
        let content = self.without_feed(line);
        if content.len() == line.len() {
            return line;
        }
        self.without_return(content)
    }

    fn without_feed(self, line: &str) -> &str {
        if self.is_json {
            without_escape(line, &["\\n", "\\u000a", "\\u000A"])
        } else {
            line.strip_suffix('\n').unwrap_or(line)
        }
    }

    fn without_return(self, line: &str) -> &str {
        if self.is_json {
            without_escape(line, &["\\r", "\\u000d", "\\u000D"])
        } else {
            line.strip_suffix('\r').unwrap_or(line)
        }
    }

    fn spell(self, note: &str) -> String {
        if !self.is_json {
            return note.to_owned();
        }
        let quoted = quote(note);
        quoted[1..quoted.len() - 1].to_owned()
    }
}

/// The part of a JSON string before the escape at its end, if that is one of these.
fn without_escape<'l>(line: &'l str, escapes: &[&str]) -> &'l str {
    let mut heads = escapes.iter().filter_map(|it| line.strip_suffix(it));
    // After an odd number of backslashes, the escape's backslash is itself escaped.
    let is_escape = |head: &&str| {
        let slashes = head.bytes().rev().take_while(|byte| *byte == b'\\');
        slashes.count().is_multiple_of(2)
    };
    heads.find(is_escape).unwrap_or(line)
}
