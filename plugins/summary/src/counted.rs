//! The different values of a column, with their counts and their first rows, in bounded memory.
//!
//! Owns the equality of values: by spelling, or by form if nearly all values differ. The form of a value treats all
//! words with digits as equal. So the one unusual message among many messages with numbers is found. Refuses to know
//! the wording of counts.

use crate::hashing::{same, short};
use crate::shapes;

/// Most different values or forms that are counted. Counts are exact, because the filter drops none.
const MOST: usize = 256;
/// Up to this number of values, a linear search is quicker than a table.
const FEW: usize = 8;
/// Slots of the table: a power of two.
const SLOTS: usize = 4 * MOST;
/// Bytes of a text that its form covers.
const FORM_BYTES: usize = 160;
/// Shorter texts are no messages.
const LEAST_MESSAGE_BYTES: usize = 10;

pub struct Item<'d> {
    /// The first of these texts, as it is spelled.
    pub text: &'d str,
    pub count: u32,
    /// The row of the first text.
    pub row: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Mode {
    /// By the spelling of values.
    #[default]
    Values,
    /// By the form of values, because nearly all values differ.
    Forms,
    /// Not at all, because nearly all forms differ too.
    Nothing,
}

#[derive(Default)]
pub struct Counted<'d> {
    mode: Mode,
    items: Vec<Item<'d>>,
    slots: Vec<u16>,
    noted: u32,
    /// The item of the form that was counted last, and that form; empty if none was. Most columns have few forms.
    last: usize,
    last_form: Vec<u8>,
    /// Strings that look like errors, counted only by form, and the first of them.
    failing: u32,
    first_failing: Option<(&'d str, u32)>,
}

impl<'d> Counted<'d> {
    /// Counts a value, as JSON spells it.
    pub fn note(&mut self, text: &'d str, row: u32) {
        self.noted += 1;
        if self.mode == Mode::Values {
            if self.add(text, 1, row) {
                return;
            }
            let once = self.items.iter().filter(|item| item.count == 1).count();
            if 2 * once < self.items.len() {
                return;
            }
            self.tell_by_form();
        }
        self.look_for_failure(text, 1, row);
        if self.mode == Mode::Forms && !self.add(text, 1, row) {
            let once = self.items.iter().filter(|item| item.count == 1).count();
            if 2 * once >= self.items.len() {
                self.mode = Mode::Nothing;
                self.items = Vec::new();
                self.slots = Vec::new();
            }
        }
    }

    fn tell_by_form(&mut self) {
        self.mode = Mode::Forms;
        self.slots.clear();
        for item in std::mem::take(&mut self.items) {
            self.look_for_failure(item.text, item.count, item.row);
            self.add(item.text, item.count, item.row);
        }
    }

    fn look_for_failure(&mut self, text: &'d str, count: u32, row: u32) {
        if text.len() < LEAST_MESSAGE_BYTES || !text.starts_with('"') {
            return;
        }
        let text = text.trim_matches('"');
        if shapes::is_failure(text) {
            self.failing += count;
            self.first_failing.get_or_insert((text, row));
        }
    }

    /// Counts a value. False if it is new and there is no room for it.
    fn add(&mut self, text: &'d str, count: u32, row: u32) -> bool {
        let is_form = self.mode == Mode::Forms;
        if is_form && !self.last_form.is_empty() && has_form(text, &self.last_form) {
            self.items[self.last].count += count;
            return true;
        }
        let is_added = self.add_anywhere(text, count, row, is_form);
        if is_form && is_added {
            self.last_form.clear();
            self.last_form.extend(form(text));
        }
        is_added
    }

    /// Does the same as [`Counted::add`], and notes which item it was.
    fn add_anywhere(&mut self, text: &'d str, count: u32, row: u32, is_form: bool) -> bool {
        let is_same = |item: &Item<'_>| {
            if is_form {
                form(item.text).eq(form(text))
            } else {
                same(item.text, text)
            }
        };
        if self.slots.is_empty() {
            if let Some(at) = self.items.iter().position(is_same) {
                self.items[at].count += count;
                self.last = at;
                return true;
            }
            self.last = self.items.len();
            self.items.push(Item { text, count, row });
            if self.items.len() > FEW {
                self.fill_slots();
            }
            return true;
        }
        let mut slot = self.slot(text);
        while self.slots[slot] > 0 {
            let at = usize::from(self.slots[slot]) - 1;
            if is_same(&self.items[at]) {
                self.items[at].count += count;
                self.last = at;
                return true;
            }
            slot = (slot + 1) % SLOTS;
        }
        if self.items.len() == MOST {
            return false;
        }
        self.last = self.items.len();
        self.items.push(Item { text, count, row });
        self.slots[slot] = u16::try_from(self.items.len()).unwrap_or(u16::MAX);
        true
    }

    fn fill_slots(&mut self) {
        self.slots = vec![0; SLOTS];
        for place in 0..self.items.len() {
            let mut slot = self.slot(self.items[place].text);
            while self.slots[slot] > 0 {
                slot = (slot + 1) % SLOTS;
            }
            self.slots[slot] = u16::try_from(place + 1).unwrap_or(u16::MAX);
        }
    }

    /// The first slot for a value.
    fn slot(&self, text: &str) -> usize {
        const PRIME: u64 = 0x0100_0000_01b3;
        let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
        let mut mix = |part: u64| hash = (hash ^ part).wrapping_mul(PRIME).rotate_left(17);
        if self.mode == Mode::Forms {
            form(text).for_each(|byte| mix(byte.into()));
        } else {
            let (chunks, rest) = text.as_bytes().as_chunks::<8>();
            chunks
                .iter()
                .for_each(|chunk| mix(u64::from_le_bytes(*chunk)));
            mix(short(rest));
        }
        (hash ^ (hash >> 32)) as usize % SLOTS
    }

    /// All different values, in order of their first occurrence; none if there are too many.
    pub fn values(&self) -> Option<&[Item<'d>]> {
        let counted: u32 = self.items.iter().map(|item| item.count).sum();
        (self.mode == Mode::Values && counted == self.noted).then_some(&self.items[..])
    }

    /// Values or forms that are rare among frequent ones, rarest first, and whether they are forms. Empty if nothing is
    /// rare, or everything is.
    pub fn rare(&self) -> (Vec<&Item<'d>>, bool) {
        let is_form = self.mode == Mode::Forms;
        let counted: u32 = self.items.iter().map(|item| item.count).sum();
        let most = rare_limit(self.noted);
        let mut rare: Vec<&Item<'d>> = self
            .items
            .iter()
            .filter(|item| item.count <= most)
            .collect();
        let rows: u32 = rare.iter().map(|item| item.count).sum();
        // Values that were not counted are rare too.
        let rows = rows + (self.noted - counted);
        let is_clear = stands_out(self.items.iter().map(|item| item.count), most);
        if self.mode == Mode::Nothing || !is_clear || rows * RARE_SHARE > self.noted {
            rare.clear();
        }
        // Of equals, the first in the document.
        rare.sort_by_key(|item| item.count);
        (rare, is_form)
    }

    /// Strings that look like errors, if they are few: their number, the first, and its row.
    pub fn failing(&self) -> Option<(u32, &'d str, u32)> {
        let (text, row) = self.first_failing?;
        (self.failing * RARE_SHARE <= self.noted).then_some((self.failing, text, row))
    }
}

/// Rare values together are at most one in this many.
const RARE_SHARE: u32 = 20;
/// Fewer values than this contain no rare ones.
const LEAST_VALUES: u32 = 20;

/// The highest count of a rare value among so many.
pub fn rare_limit(values: u32) -> u32 {
    if values < LEAST_VALUES {
        0
    } else {
        (values / 500).max(1)
    }
}

/// Whether counts up to `rare` are far from all other counts. If counts fall gradually, the lowest ones mean nothing.
pub fn stands_out(counts: impl Iterator<Item = u32> + Clone, rare: u32) -> bool {
    const FAR: u32 = 8;
    let most = counts.clone().filter(|count| *count <= rare).max();
    let least = counts.filter(|count| *count > rare).min();
    most.zip(least)
        .is_some_and(|(most, least)| least >= FAR * most)
}

/// A text in which each word with a digit becomes `0`.
fn form(text: &str) -> impl Iterator<Item = u8> {
    let bytes = &text.as_bytes()[..text.len().min(FORM_BYTES)];
    let mut at = 0;
    let mut word_end = 0;
    std::iter::from_fn(move || {
        let byte = *bytes.get(at)?;
        if at >= word_end && byte.is_ascii_alphanumeric() {
            let rest = &bytes[at..];
            let length = rest
                .iter()
                .take_while(|byte| byte.is_ascii_alphanumeric())
                .count();
            word_end = at + length;
            if rest[..length].iter().any(u8::is_ascii_digit) {
                at = word_end;
                return Some(b'0');
            }
        }
        at += 1;
        Some(byte)
    })
}

/// Whether a text has this form.
fn has_form(text: &str, expected: &[u8]) -> bool {
    let bytes = &text.as_bytes()[..text.len().min(FORM_BYTES)];
    let mut at = 0;
    let mut expected = expected.iter();
    while at < bytes.len() {
        let start = at;
        let mut has_digit = false;
        while let Some(byte) = bytes.get(at).filter(|byte| byte.is_ascii_alphanumeric()) {
            has_digit |= byte.is_ascii_digit();
            at += 1;
        }
        let is_alike = if has_digit {
            expected.next() == Some(&b'0')
        } else {
            // A sign by itself, or a word.
            at = at.max(start + 1);
            bytes[start..at]
                .iter()
                .all(|byte| expected.next() == Some(byte))
        };
        if !is_alike {
            return false;
        }
    }
    expected.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form_of(text: &str) -> String {
        form(text).map(char::from).collect()
    }

    #[test]
    fn a_form_is_a_text_without_what_differs() {
        for (text, expected) in [
            ("GET /api/orders/10207 in 3 ms", "GET /api/orders/0 in 0 ms"),
            ("req=1a402800 hit", "req=0 hit"),
            ("ORD-0001", "ORD-0"),
            ("plain words", "plain words"),
            ("", ""),
            ("12", "0"),
        ] {
            assert_eq!(form_of(text), expected);
        }
    }

    #[test]
    fn a_text_has_its_own_form_alone() {
        let long = "word 12 ".repeat(40);
        let texts = [
            "GET /api/orders/10207 in 3 ms",
            "req=1a402800 hit",
            "ORD-0001",
            "ORD-1",
            "plain words",
            "plain word",
            "",
            "12",
            "-12",
            "1.5",
            "a",
            "é 1",
            "é",
            "0",
            "a0b c",
            &long,
        ];
        for one in texts {
            for other in texts {
                let expected: Vec<u8> = form(other).collect();
                assert_eq!(
                    has_form(one, &expected),
                    form_of(one) == form_of(other),
                    "{one} {other}"
                );
            }
        }
    }

    #[test]
    fn one_message_unlike_ten_thousand_is_found() {
        let texts: Vec<String> = (0..10_000)
            .map(|i| match i {
                4_711 => "\"the disk is full\"".to_owned(),
                _ => format!("\"request {i} served in {} ms\"", i % 97),
            })
            .collect();
        let mut counted = Counted::default();
        (0..)
            .zip(&texts)
            .for_each(|(row, text)| counted.note(text, row));
        assert!(counted.values().is_none());
        let (rare, is_form) = counted.rare();
        assert!(is_form);
        let rare: Vec<_> = rare
            .iter()
            .map(|item| (item.text, item.count, item.row))
            .collect();
        assert_eq!(rare, [("\"the disk is full\"", 1, 4_711)]);
    }

    #[test]
    fn where_all_differ_nothing_is_rare_but_errors_are_told() {
        let texts: Vec<String> = (0..3_000)
            .map(|i| match i {
                2_000 => "\"fatal: no space left\"".to_owned(),
                _ => {
                    let word = |by: u32| char::from(b'a' + (i / by % 26) as u8);
                    format!("\"{0}{1}{2}{0} says {1}{0}\"", word(1), word(26), word(676))
                }
            })
            .collect();
        let mut counted = Counted::default();
        (0..)
            .zip(&texts)
            .for_each(|(row, text)| counted.note(text, row));
        assert!(counted.rare().0.is_empty());
        assert_eq!(counted.failing(), Some((1, "fatal: no space left", 2_000)));
    }

    #[test]
    fn more_values_than_are_counted_leave_the_counts_exact() {
        let texts: Vec<String> = (0..MOST + 50).map(|i| format!("\"v{i}\"")).collect();
        let mut counted = Counted::default();
        for _ in 0..3 {
            (0..)
                .zip(&texts)
                .for_each(|(row, text)| counted.note(text, row));
        }
        assert!(counted.values().is_none());
    }
}

#[cfg(test)]
#[path = "tests/counted.rs"]
mod plain;
