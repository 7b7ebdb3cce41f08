//! The effect of a line on a terminal: control sequences, and overwritten text.
//!
//! Owns the sequences of ECMA-48 whose end can be recognised. This module only removes text, so the rest keeps its
//! spelling. A sequence without an end loses its introducer, and the text after it stays: a missing end never swallows
//! text. Lines keep their numbers. Refuses to know documents and their kinds.

mod units;

use std::borrow::Cow;
use std::ops::Range;

use units::Unit;
pub use units::{Spelling, Units, may_control};

const ESCAPE: char = '\u{1b}';
const BACKSPACE: char = '\u{8}';
const BELL: char = '\u{7}';

/// When overwritten text is removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overwritten {
    /// If it was erased, or looks like the text drawn over it, as states of a progress bar do.
    Redrawn,
    All,
    None,
}

/// The removed text, beside escape sequences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Removal {
    /// Text that a line had before a carriage return.
    pub overwritten: Overwritten,
    /// A backspace together with the character before it.
    pub backspace: bool,
}

impl Default for Removal {
    fn default() -> Self {
        Removal {
            overwritten: Overwritten::Redrawn,
            backspace: true,
        }
    }
}

/// A text as a terminal shows it at the end. It has the lines of the text, and their numbers.
pub fn as_shown(text: &str) -> Cow<'_, str> {
    if is_plain(text) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut end = 0;
    for (range, line) in changed_lines(text, Removal::default()) {
        shown.push_str(&text[end..range.start]);
        shown.push_str(&line);
        end = range.end;
    }
    if end == 0 {
        return Cow::Borrowed(text);
    }
    shown.push_str(&text[end..]);
    Cow::Owned(shown)
}

/// The lines that lose text, each with its line break: its range, and the rest of it.
pub fn changed_lines(
    text: &str,
    removal: Removal,
) -> impl Iterator<Item = (Range<usize>, String)> + '_ {
    let mut start = 0;
    text.split_inclusive('\n').filter_map(move |line| {
        let range = start..start + line.len();
        start = range.end;
        let content = line.strip_suffix('\n').unwrap_or(line);
        let content = content.strip_suffix('\r').unwrap_or(content);
        if is_plain(content) {
            return None;
        }
        let mut screen = Screen::new(removal, Spelling::Text);
        screen.draw(line).then(|| (range, screen.text()))
    })
}

/// Whether a text has nothing that this module removes.
fn is_plain(text: &str) -> bool {
    memchr::memchr3(0x1b, 0x08, b'\r', text.as_bytes()).is_none()
}

/// The text that stays, line by line.
pub struct Screen {
    removal: Removal,
    spelling: Spelling,
    out: String,
    line: Line,
}

/// The current line: positions in the text that stays.
#[derive(Default)]
struct Line {
    start: usize,
    /// Where the line began, and began again after each carriage return.
    begun: Vec<usize>,
    /// Positions of its characters since the last carriage return, for backspaces.
    characters: Vec<usize>,
}

/// The effect of an escape sequence.
enum Effect {
    Nothing,
    /// Erases from the cursor to the line's end.
    EraseRest,
    /// Erases the line.
    EraseLine,
}

impl Screen {
    pub fn new(removal: Removal, spelling: Spelling) -> Self {
        Screen {
            removal,
            spelling,
            out: String::new(),
            line: Line::default(),
        }
    }

    pub fn text(self) -> String {
        self.out
    }

    /// Adds whole lines without the removed text. Returns whether it removed any.
    pub fn draw(&mut self, text: &str) -> bool {
        let before = self.out.len();
        self.begin_line();
        self.out.reserve(text.len());
        let has_backspaces = self.spelling == Spelling::Json || text.contains(BACKSPACE);
        let may_go = self.removal.backspace && has_backspaces;
        let mut units = Units::of(text, self.spelling);
        loop {
            self.put(units.plain(), may_go);
            let Some(unit) = units.next() else { break };
            match unit.says {
                ESCAPE => match sequence(&mut units) {
                    Effect::Nothing => {}
                    Effect::EraseRest => self.erase_before(),
                    Effect::EraseLine => self.erase_line(),
                },
                BACKSPACE if self.removal.backspace => {
                    if let Some(last) = self.line.characters.pop() {
                        self.out.truncate(last);
                    }
                }
                '\r' => {
                    self.end_state();
                    self.out.push_str(unit.spelled);
                    self.line.begun.push(self.out.len());
                    self.line.characters.clear();
                }
                '\n' => {
                    self.end_state();
                    self.out.push_str(unit.spelled);
                    self.begin_line();
                }
                _ => self.put_one(unit),
            }
        }
        self.end_state();
        self.out.len() - before != text.len()
    }

    fn begin_line(&mut self) {
        self.line.start = self.out.len();
        self.line.begun.clear();
        self.line.begun.push(self.out.len());
        self.line.characters.clear();
    }

    /// Adds characters that are spelled as they are. `may_go`: a backspace may follow.
    fn put(&mut self, text: &str, may_go: bool) {
        if may_go {
            let start = self.out.len();
            let places = text.char_indices().map(|(at, _)| start + at);
            self.line.characters.extend(places);
        }
        self.out.push_str(text);
    }

    fn put_one(&mut self, unit: Unit<'_>) {
        self.line.characters.push(self.out.len());
        self.out.push_str(unit.spelled);
    }

    /// Ends the present state of the line: earlier states that it overwrites are removed.
    fn end_state(&mut self) {
        while let [.., before, now] = self.line.begun[..] {
            let state = |text| Units::of(text, self.spelling);
            let (old, new) = (&self.out[before..now], &self.out[now..]);
            let over = match self.removal.overwritten {
                Overwritten::None => false,
                // A return at the line's end overwrites nothing.
                _ if new.is_empty() => false,
                Overwritten::All => true,
                Overwritten::Redrawn => looks_like(state(old), state(new)),
            };
            if !over {
                return;
            }
            self.out.replace_range(before..now, "");
            self.line.begun.pop();
        }
    }

    /// Erases text from before this state that would still show after its end.
    fn erase_before(&mut self) {
        if self.removal.overwritten == Overwritten::None {
            return;
        }
        let Some(now) = self.line.begun.last().copied() else {
            return;
        };
        let gone = now - self.line.start;
        self.out.replace_range(self.line.start..now, "");
        for at in &mut self.line.characters {
            *at -= gone;
        }
        self.line.begun.clear();
        self.line.begun.push(self.line.start);
    }

    fn erase_line(&mut self) {
        if self.removal.overwritten != Overwritten::None {
            self.out.truncate(self.line.start);
            self.begin_line();
        }
    }
}

/// Reads the rest of a sequence, after its escape character.
fn sequence(units: &mut Units<'_>) -> Effect {
    let rest = *units;
    match units.next().map(|unit| unit.says) {
        Some('[') => control(units),
        Some(']' | 'P' | 'X' | '^' | '_') => {
            string(units);
            Effect::Nothing
        }
        Some(' '..='/') => {
            skip(units, |it| matches!(it, ' '..='/'));
            skip_one(units, |it| matches!(it, '0'..='~'));
            Effect::Nothing
        }
        Some('0'..='~') => Effect::Nothing,
        _ => {
            *units = rest;
            Effect::Nothing
        }
    }
}

/// Reads a control sequence: parameters, then one letter.
fn control(units: &mut Units<'_>) -> Effect {
    let mut parameter = None;
    let mut parameters = 0;
    skip(units, |it| {
        let is_parameter = matches!(it, '0'..='?');
        if is_parameter {
            parameter = Some(it);
            parameters += 1;
        }
        is_parameter
    });
    skip(units, |it| matches!(it, ' '..='/'));
    let last = skip_one(units, |it| matches!(it, '@'..='~'));
    match (last, parameters, parameter) {
        (Some('K'), 0, _) | (Some('K'), 1, Some('0')) => Effect::EraseRest,
        (Some('K'), 1, Some('2')) => Effect::EraseLine,
        _ => Effect::Nothing,
    }
}

/// Reads a string for the terminal up to its end, if that is on this line.
fn string(units: &mut Units<'_>) {
    let mut ahead = *units;
    while let Some(unit) = ahead.next() {
        match unit.says {
            BELL => {
                *units = ahead;
                return;
            }
            ESCAPE => {
                if skip_one(&mut ahead, |it| it == '\\').is_some() {
                    *units = ahead;
                }
                return;
            }
            '\n' => return,
            _ => {}
        }
    }
}

fn skip(units: &mut Units<'_>, mut wanted: impl FnMut(char) -> bool) {
    while skip_one(units, &mut wanted).is_some() {}
}

fn skip_one(units: &mut Units<'_>, mut wanted: impl FnMut(char) -> bool) -> Option<char> {
    let mut ahead = *units;
    let found = ahead.next().map(|unit| unit.says);
    let found = found.filter(|it| wanted(*it))?;
    *units = ahead;
    Some(found)
}

/// Whether one state of a line overwrites another state of the same line: one of them is blank, they differ only in
/// numbers and bars, or they begin with the same words.
fn looks_like(old: Units<'_>, new: Units<'_>) -> bool {
    let blank = |mut units: Units<'_>| units.all(|unit| unit.says.is_whitespace());
    if blank(old) || blank(new) {
        return true;
    }
    let (few, many) = (letters(old).count(), letters(new).count());
    let (few, many) = (few.min(many), few.max(many));
    if few == 0 {
        return many == 0;
    }
    let pairs = letters(old).zip(letters(new));
    let same = pairs.take_while(|(old, new)| old == new).count();
    same * 2 >= few
}

fn letters<'t>(units: Units<'t>) -> impl Iterator<Item = char> + 't {
    units.map(|unit| unit.says).filter(|it| it.is_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sequences_and_what_is_drawn_over_go_and_all_else_stays() {
        for (text, expected) in [
            ("plain\r\nlines\r\n", "plain\r\nlines\r\n"),
            ("\u{1b}[0;31mValueError\u{1b}[0m: x", "ValueError: x"),
            ("a\u{1b}[1;31mb\u{1b}[0m c", "ab c"),
            (
                "\u{1b}]0;title\u{7}text\u{1b}]8;;url\u{1b}\\link",
                "textlink",
            ),
            ("\u{1b}(Ba\u{1b}cb", "ab"),
            ("a\u{1b}[", "a"),
            ("a\u{1b}[12", "a"),
            ("a\u{1b}]0;broken\nnext", "a0;broken\nnext"),
            ("a\u{1b}[31\nnext", "a\nnext"),
            ("\u{1b}é\u{1b}[é", "éé"),
            ("\u{1b}\u{1b}[1mx", "x"),
            ("\u{1b}[?2004l\r[1]\r\n", "[1]\r\n"),
            ("first\n1%\r57%\r100%\nlast", "first\n100%\nlast"),
            ("\r\u{1b}[2K⠋ get\r\u{1b}[2K⠙ get\r\u{1b}[2K{}", "{}"),
        ] {
            assert_eq!(as_shown(text), expected, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn lines_keep_their_numbers(text in "[a\u{1b}\\[\\]0-9;mK\u{7}\u{8}\r\n é(B]{0,80}") {
            let shown = as_shown(&text);
            prop_assert!(!shown.contains(ESCAPE));
            let breaks = |text: &str| text.matches('\n').count();
            prop_assert_eq!(breaks(&shown), breaks(&text));
        }

        #[test]
        fn a_line_is_shown_as_it_is_in_the_text(text in "[ab%\u{1b}\\[2K\u{8}\r\n]{0,80}") {
            let lines: Vec<_> = text.split('\n').map(as_shown).collect();
            prop_assert_eq!(lines.join("\n").replace('\r', ""), as_shown(&text).replace('\r', ""));
        }
    }
}
