//! The effect of a line on a terminal: control sequences, and overwritten text.
//!
//! Owns the sequences of ECMA-48 whose end can be recognised. This module only removes text, so the rest keeps its
//! spelling. A sequence without an end loses its introducer, and the text after it stays: a missing end never swallows
//! text.

use crate::units::{Spelling, Unit, Units};
use crate::{Overwritten, Settings};

const ESCAPE: char = '\u{1b}';
const BACKSPACE: char = '\u{8}';
const BELL: char = '\u{7}';

/// Whether a text has nothing that this module removes.
pub fn is_plain(text: &[u8]) -> bool {
    !text.iter().any(|byte| matches!(byte, 0x1b | 0x08 | b'\r'))
}

/// The text that stays, line by line.
pub struct Screen<'s> {
    settings: &'s Settings,
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

impl<'s> Screen<'s> {
    pub fn new(settings: &'s Settings, spelling: Spelling) -> Self {
        Screen {
            settings,
            spelling,
            out: String::new(),
            line: Line::default(),
        }
    }

    pub fn text(self) -> String {
        self.out
    }

    /// Adds a line that has nothing to remove.
    pub fn keep(&mut self, line: &str) {
        self.out.push_str(line);
    }

    /// Adds whole lines without the removed text. Returns whether it removed any.
    pub fn draw(&mut self, text: &str) -> bool {
        let before = self.out.len();
        self.begin_line();
        let mut units = Units::of(text, self.spelling);
        while let Some(unit) = units.next() {
            match unit.says {
                ESCAPE => match sequence(&mut units) {
                    Effect::Nothing => {}
                    Effect::EraseRest => self.erase_before(),
                    Effect::EraseLine => self.erase_line(),
                },
                BACKSPACE if self.settings.backspace => {
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
                _ => self.put(unit),
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

    fn put(&mut self, unit: Unit<'_>) {
        if self.settings.backspace {
            self.line.characters.push(self.out.len());
        }
        self.out.push_str(unit.spelled);
    }

    /// Ends the present state of the line: earlier states that it overwrites are removed.
    fn end_state(&mut self) {
        while let [.., before, now] = self.line.begun[..] {
            let state = |text| Units::of(text, self.spelling);
            let (old, new) = (&self.out[before..now], &self.out[now..]);
            let over = match self.settings.overwritten {
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
        if self.settings.overwritten == Overwritten::None {
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
        if self.settings.overwritten != Overwritten::None {
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
