//! The different values of a column, with their counts and their first rows, in bounded memory.
//!
//! Owns the equality of values: by spelling, or by form if nearly all values differ. The form of a value treats all
//! words with digits as equal. So the one unusual message among many messages with numbers is found. Refuses to know
//! the wording of counts.

use crate::failure_words;
use crate::hashing::{hash, mixed, same, short};
use crate::order;
use crate::search;
use crate::shapes::{self, Report};
use std::cell::OnceCell;
use std::ops::Range;
use tamis_formats::{Sixteen, words};

/// Most different values or forms that are counted. Counts are exact, because the filter drops none.
const MOST: usize = 256;
/// Items for which room is made at first.
const FEW_ITEMS: usize = 4;
/// Slots of the table of values, at first and for many values: powers of two, and never more than half of them are in use.
const FEW_SLOTS: usize = 32;
const SLOTS: usize = 4 * MOST;
/// The key of a text of so many bytes has them all.
const SHORT: usize = 7;
/// Bytes of a text that its form covers.
const FORM_BYTES: usize = 160;
/// The rows of a value are known if it has at most one more than so many.
const MORE_ROWS: usize = 4;
/// A row that is not known.
const UNKNOWN: u32 = u32::MAX;
/// Shorter texts are no messages.
const LEAST_MESSAGE_BYTES: usize = 10;

pub struct Item<'d> {
    /// The first of these texts, as it is spelled.
    pub text: &'d str,
    pub count: u32,
    /// The row of the first text.
    pub row: u32,
    /// The rows of the next texts.
    more: [u32; MORE_ROWS],
    /// Facts of the text, if it is a string and somebody found them.
    pub facts: Option<Facts>,
    /// Equal texts have equal keys, or texts of equal form.
    key: u64,
    /// Where its form is among all, if it was counted by that.
    form: Range<usize>,
}

/// Facts of a string that are found once for all equal ones.
#[derive(Clone, Copy)]
pub struct Facts {
    /// Its characters, and whether one is a blank.
    pub length: usize,
    pub is_spaced: bool,
    /// The seconds of the date that it begins with.
    pub seconds: Option<f64>,
}

impl Item<'_> {
    /// All rows, if they are few.
    pub fn rows(&self) -> Option<impl Iterator<Item = u32>> {
        let more = self.more.get(..self.count as usize - 1)?;
        let are_known = !more.contains(&UNKNOWN);
        are_known.then(|| std::iter::once(self.row).chain(more.iter().copied()))
    }

    /// Notes the row of one more text, before it is counted.
    fn note_row(&mut self, row: u32) {
        if let Some(place) = self.more.get_mut(self.count as usize - 1) {
            *place = row;
        }
    }
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

/// The text that was noted last by form: most columns have few forms.
#[derive(Default)]
struct Last<'d> {
    /// Empty if there was none.
    text: &'d str,
    /// Its item, and its form.
    item: usize,
    form: Vec<u8>,
    /// It reports no failure, and no text does that differs in digits alone.
    is_plain: bool,
}

#[derive(Default)]
pub struct Counted<'d> {
    mode: Mode,
    items: Vec<Item<'d>>,
    /// The number of items that occurred once.
    once: usize,
    slots: Vec<u16>,
    noted: u32,
    last: Last<'d>,
    /// The forms of all items.
    forms: Vec<u8>,
    /// Room for a form.
    spare: Vec<u8>,
    /// Strings that look like errors, noted while values are not counted by their spelling.
    failing: Failing<'d>,
    /// The number of values that look like errors, while they are counted by their spelling, and the place of the first
    /// in `items`; empty until somebody asks.
    failing_values: OnceCell<(u32, usize)>,
}

/// Strings that look like errors.
#[derive(Clone, Copy, Default)]
struct Failing<'d> {
    count: u32,
    first: Option<(&'d str, u32)>,
}

impl<'d> Failing<'d> {
    /// Counts a text that reports a failure. True if none does that differs from it in digits alone.
    fn note(&mut self, text: &'d str, count: u32, row: u32) -> bool {
        let report = report(text);
        if report == Report::Failure {
            self.count += count;
            self.first.get_or_insert((&text[1..text.len() - 1], row));
        }
        report == Report::Nothing
    }
}

/// Values of cells of a spreadsheet whose formulas fail.
const CELL_ERRORS: [&str; 7] = [
    r##""#N/A""##,
    r##""#REF!""##,
    r##""#DIV/0!""##,
    r##""#VALUE!""##,
    r##""#NAME?""##,
    r##""#NUM!""##,
    r##""#NULL!""##,
];

/// What a value reports, as JSON spells it.
fn report(text: &str) -> Report {
    if text.as_bytes().get(1) == Some(&b'#') && CELL_ERRORS.contains(&text) {
        return Report::Failure;
    }
    if text.len() < LEAST_MESSAGE_BYTES || !text.starts_with('"') {
        return Report::Nothing;
    }
    let inside = &text[1..text.len() - 1];
    if is_time(inside) {
        return Report::Nothing;
    }
    // JSON has no line breaks in strings.
    match shapes::report_of_line(inside) {
        Report::Failure if is_code(inside) => Report::Nothing,
        report => report,
    }
}

/// Whether a text has nothing but digits, and signs of dates and times: it has no words.
#[inline]
fn is_time(text: &str) -> bool {
    let are_others = |it: Sixteen| {
        let signs = it.are_one_of([0, b' ', b'T', b'Z', b'+']);
        !(it.between(b'-', b':') | signs) & 0xffff
    };
    matches!(text.as_bytes(), [b'0'..=b'9', .., b'0'..=b'9' | b'Z'])
        && !words::has_any_of(text.as_bytes(), are_others)
}

/// Whether a text, as JSON spells it, is source code, which may throw an error and reports none: it has a body in braces,
/// and each line that looks like a failure is a statement or a comment.
#[inline(never)]
fn is_code(text: &str) -> bool {
    const BODIES: [&str; 4] = [") {\\n", "=> {\\n", ") {\\r\\n", "=> {\\r\\n"];
    let is_statement = |line: &str| {
        let line = line.trim();
        line.ends_with([';', '{', '}', ',']) || line.starts_with("//") || line.starts_with('*')
    };
    let lines = || {
        text.split("\\n")
            .map(|line| line.strip_suffix("\\r").unwrap_or(line))
    };
    BODIES.iter().any(|body| search::has(text, body))
        && lines().all(|line| is_statement(line) || shapes::report_of_line(line) != Report::Failure)
}

/// Whether a value, as JSON spells it, is a message that looks like an error.
pub fn is_failing(text: &str) -> bool {
    report(text) == Report::Failure
}

impl<'d> Counted<'d> {
    /// Counts a value, as JSON spells it.
    pub fn note(&mut self, text: &'d str, row: u32) {
        self.note_item(text, row);
    }

    /// The same. Returns the item of the value while values are counted by their spelling.
    pub fn note_item(&mut self, text: &'d str, row: u32) -> Option<usize> {
        self.noted += 1;
        if self.mode == Mode::Values {
            let is_same = |item: &Item<'_>| text.len() <= SHORT || same(item.text, text);
            if self.add_where(text, 1, row, key(text), is_same) {
                return Some(self.last.item);
            }
            if 2 * self.once < self.items.len() {
                return None;
            }
            self.tell_by_form();
        }
        self.note_form(text, row);
        None
    }

    fn note_form(&mut self, text: &'d str, row: u32) {
        let is_like_last = differs_in_digits(text, self.last.text);
        if !(is_like_last && self.last.is_plain) {
            self.last.is_plain = self.failing.note(text, 1, row);
        }
        if is_like_last && self.mode == Mode::Forms {
            self.count_more(self.last.item, 1);
            return;
        }
        self.last.text = text;
        if self.mode == Mode::Forms && !self.add_form(text, 1, row) {
            self.last.text = "";
            if 2 * self.once >= self.items.len() {
                self.mode = Mode::Nothing;
                self.items = Vec::new();
                self.forms = Vec::new();
                self.once = 0;
                self.slots = Vec::new();
            }
        }
    }

    fn tell_by_form(&mut self) {
        self.mode = Mode::Forms;
        self.slots.clear();
        self.once = 0;
        for item in std::mem::take(&mut self.items) {
            self.failing.note(item.text, item.count, item.row);
            self.add_form(item.text, item.count, item.row);
        }
    }

    /// Counts a value by its form. False if that is new and there is no room for it.
    fn add_form(&mut self, text: &'d str, count: u32, row: u32) -> bool {
        // A number is like most others.
        let mut form = std::mem::take(&mut self.spare);
        let mut is_like_last = !text.starts_with('"') && has_form(text, &self.last.form);
        if !is_like_last {
            write_form(text, &mut form);
            is_like_last = same(&form, &self.last.form);
        }
        if is_like_last {
            self.spare = form;
            self.count_more(self.last.item, count);
            return true;
        }
        let forms = std::mem::take(&mut self.forms);
        let is_same = |item: &Item<'_>| same(&forms[item.form.clone()], &form);
        let is_added = self.add_where(text, count, row, hash(&form), is_same);
        self.forms = forms;
        if is_added {
            let item = &mut self.items[self.last.item];
            if item.form.is_empty() {
                let start = self.forms.len();
                words::append(&mut self.forms, &form);
                item.form = start..self.forms.len();
            }
            std::mem::swap(&mut self.last.form, &mut form);
        }
        self.spare = form;
        is_added
    }

    /// Counts a value where `is_same` holds of a text with the same key. False if it is new and there is no room for it.
    #[inline]
    fn add_where(
        &mut self,
        text: &'d str,
        count: u32,
        row: u32,
        key: u64,
        is_same: impl Fn(&Item<'d>) -> bool,
    ) -> bool {
        if 2 * self.items.len() >= self.slots.len() && self.slots.len() < SLOTS {
            self.fill_slots();
        }
        let mut slot = slot_of(key, self.slots.len());
        while self.slots[slot] > 0 {
            let at = usize::from(self.slots[slot]) - 1;
            let item = &mut self.items[at];
            if item.key == key && is_same(item) {
                item.note_row(if count == 1 { row } else { UNKNOWN });
                self.once -= usize::from(item.count == 1);
                item.count += count;
                self.last.item = at;
                return true;
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        if self.items.len() == MOST {
            return false;
        }
        self.last.item = self.items.len();
        self.once += usize::from(count == 1);
        if self.items.len() == self.items.capacity() {
            self.grow_items();
        }
        self.items.push(Item {
            text,
            count,
            row,
            more: [UNKNOWN; MORE_ROWS],
            facts: None,
            key,
            form: 0..0,
        });
        self.slots[slot] = u16::try_from(self.items.len()).unwrap_or(u16::MAX);
        true
    }

    /// Counts an item more often.
    #[inline]
    fn count_more(&mut self, at: usize, count: u32) {
        let item = &mut self.items[at];
        self.once -= usize::from(item.count == 1);
        item.count += count;
    }

    /// Makes room for more items. What grows leaves its old room unused, so it grows seldom.
    #[inline(never)]
    fn grow_items(&mut self) {
        let count = self.items.len();
        let more = (3 * count).max(FEW_ITEMS).min(MOST - count);
        self.items.reserve_exact(more);
    }

    /// Makes a table of slots, larger than the one before.
    fn fill_slots(&mut self) {
        let slots = if self.slots.is_empty() {
            FEW_SLOTS
        } else {
            SLOTS
        };
        self.slots = vec![0; slots];
        for (place, item) in (1..).zip(&self.items) {
            let mut slot = slot_of(item.key, slots);
            while self.slots[slot] > 0 {
                slot = (slot + 1) & (slots - 1);
            }
            self.slots[slot] = place;
        }
    }

    /// Facts of the value of an item.
    pub fn facts(&mut self, item: usize) -> &mut Option<Facts> {
        &mut self.items[item].facts
    }

    /// Values or forms, of which some may not be counted.
    pub fn items(&self) -> &[Item<'d>] {
        &self.items
    }

    /// The number of all values.
    pub fn noted(&self) -> u32 {
        self.noted
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
        let is_clear = stands_out(self.items.iter().map(|item| item.count), most);
        if self.mode == Mode::Nothing || !is_clear {
            return (Vec::new(), is_form);
        }
        let mut rare: Vec<&Item<'d>> = self
            .items
            .iter()
            .filter(|item| item.count <= most)
            .collect();
        if is_form && let Some(usual) = self.items.iter().max_by_key(|item| item.count) {
            // Of ids that are drawn at random, some have no digit by chance.
            rare.retain(|item| !is_like_id(item.text, usual.text));
        }
        let rows: u32 = rare.iter().map(|item| item.count).sum();
        // Values that were not counted are rare too.
        let rows = rows + (self.noted - counted);
        if rows * RARE_SHARE > self.noted {
            rare.clear();
        }
        // Of equals, the first in the document.
        order::least_first(&mut rare, |item| i64::from(item.count));
        (rare, is_form)
    }

    /// The same values by their forms, if they were counted by their spelling, and many differ.
    pub fn by_forms(&self) -> Option<Counted<'d>> {
        const MANY: usize = 16;
        let are_values = self.mode == Mode::Values && self.noted >= LEAST_VALUES;
        if !are_values || self.items.len() < MANY {
            return None;
        }
        let mut forms = Counted {
            mode: Mode::Forms,
            noted: self.noted,
            ..Counted::default()
        };
        for item in &self.items {
            forms.add_form(item.text, item.count, item.row);
        }
        Some(forms)
    }

    /// Strings that look like errors, unless nearly all values do: their number, the first, and its row.
    pub fn failing(&self) -> Option<(u32, &'d str, u32)> {
        let failing = match self.mode {
            Mode::Values => {
                let (count, first) = *self.failing_values.get_or_init(|| self.failing_items());
                let first = self.items.get(first).filter(|_| count > 0);
                first.map_or(Failing::default(), |item| {
                    let text = &item.text[1..item.text.len() - 1];
                    let first = Some((text, item.row));
                    Failing { count, first }
                })
            }
            Mode::Forms | Mode::Nothing => self.failing,
        };
        let others = self.noted - failing.count;
        let (text, row) = failing
            .first
            .filter(|_| others * OTHERS_SHARE >= self.noted)?;
        Some((failing.count, text, row))
    }

    /// The same of titles: those that are like the name of a thing do not count.
    pub fn failing_titles(&self) -> Option<(u32, &'d str, u32)> {
        let (count, text, row) = self.failing()?;
        if self.mode != Mode::Values {
            return Some((count, text, row)).filter(|_| count > 1 || !is_like_name(text));
        }
        let items = self.items.iter();
        let mut items = items.filter(|item| is_failing(item.text) && !is_like_name(item.text));
        let first = items.next()?;
        let count = first.count + items.map(|item| item.count).sum::<u32>();
        Some((count, &first.text[1..first.text.len() - 1], first.row))
    }

    /// The number of values that look like errors, and the place of the first.
    fn failing_items(&self) -> (u32, usize) {
        let (mut count, mut first) = (0, None);
        // Few rows are often about things with names.
        let are_few = self.noted < LEAST_VALUES;
        for (place, item) in self.items.iter().enumerate() {
            if is_failing(item.text) && !(are_few && is_like_name(item.text)) {
                count += item.count;
                first.get_or_insert(place);
            }
        }
        (count, first.unwrap_or_default())
    }
}

/// Where fewer than one value in this many looks like no failure, failures are what the column is about.
const OTHERS_SHARE: u32 = 10;
/// Rare values together are at most one in this many.
pub const RARE_SHARE: u32 = 20;
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

/// Whether a text with a word of failures may be the name of a thing: `Critical path test`, where other words follow the
/// first, and only that may be a capital.
pub fn is_like_name(text: &str) -> bool {
    let words = text.trim_matches('"').split_once(' ');
    let is_word = |word: &str| {
        let end = word.bytes().skip(1);
        !word.is_empty() && end.into_iter().all(|byte| byte.is_ascii_lowercase())
    };
    words.is_some_and(|(first, rest)| {
        let is_number = |byte: u8| byte.is_ascii_digit() || byte == b':';
        is_word(first)
            && !rest.starts_with("to ")
            && !rest.bytes().any(is_number)
            && !failure_words::has_word(rest)
    })
}

/// Whether a text may be an id like another one: a word as long as it, which has digits among its letters. Both may begin
/// with the name of a kind: `cus_4fTq0`.
fn is_like_id(text: &str, id: &str) -> bool {
    const FEWEST_CHANGES: usize = 2;
    // A text of JSON has quotes.
    let is_sign = |byte: u8| !byte.is_ascii_alphanumeric();
    let bytes = id.trim_end_matches('"').as_bytes();
    let kind = bytes.iter().rposition(|byte| is_sign(*byte));
    let (kind, word) = id.split_at(kind.map_or(0, |at| at + 1));
    let is_word = |text: &str| !text.trim_end_matches('"').bytes().any(is_sign);
    let changes = || {
        let pairs = word.as_bytes().array_windows();
        let changes = pairs.filter(|[one, other]| one.is_ascii_digit() != other.is_ascii_digit());
        changes.count()
    };
    text.len() == id.len()
        && text.strip_prefix(kind).is_some_and(is_word)
        && changes() >= FEWEST_CHANGES
}

/// The first slot for a key.
fn slot_of(key: u64, slots: usize) -> usize {
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48) as usize & (slots - 1)
}

/// A number that equal texts share, and two short texts only if they are equal.
fn key(text: &str) -> u64 {
    const LONG: u64 = 0xff << 56;
    let bytes = text.as_bytes();
    let (Some((first, rest)), Some(last)) = (bytes.split_first_chunk::<8>(), bytes.last_chunk())
    else {
        return short(bytes);
    };
    // Most texts have few bytes.
    let mut key = mixed(bytes.len() as u64, u64::from_le_bytes(*first));
    for word in rest.as_chunks().0 {
        key = mixed(key, u64::from_le_bytes(*word));
    }
    mixed(key, u64::from_le_bytes(*last)) | LONG
}

/// The classes of bytes: parts of words, and those of them that are digits.
static CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let is_part = (byte as u8).is_ascii_alphanumeric();
        let is_digit = (byte as u8).is_ascii_digit();
        classes[byte] = PART * is_part as u8 + DIGIT * is_digit as u8;
        byte += 1;
    }
    classes
};
const PART: u8 = 1;
const DIGIT: u8 = 2;

/// Where the word at a place ends, which is there without a word, and whether it has a digit.
#[inline]
fn word_at(bytes: &[u8], start: usize) -> (usize, bool) {
    let (mut end, mut classes) = (start, 0);
    while let Some(byte) = bytes.get(end) {
        let class = CLASSES[usize::from(*byte)];
        if class == 0 {
            break;
        }
        classes |= class;
        end += 1;
    }
    (end, classes & DIGIT != 0)
}

/// Whether a text may have a word that its form has a `0` for: one with a digit, or with four letters from `a` to `f` in a
/// row. Most texts without digits are their own form.
#[inline(never)]
fn may_have_numbers(text: &[u8]) -> bool {
    /// So many letters in a row, of which the last look may have seen all but one.
    const ROW: usize = 4;
    if text.first().is_some_and(u8::is_ascii_digit) {
        return true;
    }
    let mut at = 0;
    while at < text.len() {
        let (bytes, before) = words::sixteen(text, at);
        let letters = bytes.between(b'a', b'f');
        let rows = letters & letters >> 1 & letters >> 2 & letters >> 3;
        if rows | bytes.between(b'0', b'9') >> before != 0 {
            return true;
        }
        at += 17 - ROW;
    }
    false
}

/// Writes a text in which each word with a digit, or that is a hexadecimal number, becomes `0`.
#[inline(never)]
fn write_form(text: &str, form: &mut Vec<u8>) {
    let bytes = &text.as_bytes()[..text.len().min(FORM_BYTES)];
    form.clear();
    if !may_have_numbers(bytes) {
        words::append(form, bytes);
        return;
    }
    form.reserve(bytes.len());
    let (mut from, mut at) = (0, 0);
    while at < bytes.len() {
        let (end, has_digit) = word_at(bytes, at);
        if has_digit || is_hexadecimal(bytes, at..end) {
            words::append(form, &bytes[from..at]);
            form.push(b'0');
            (from, at) = (end, end);
        } else {
            // A word and the sign after it, or a sign.
            at = bytes.len().min(end + 1);
        }
    }
    words::append(form, &bytes[from..]);
}

#[cfg(test)]
fn form(text: &str) -> Vec<u8> {
    let mut form = Vec::new();
    write_form(text, &mut form);
    form
}

/// Whether a word is a hexadecimal number without a digit, or such a part of a UUID: `fddb` of `a-17c4-fddb`.
fn is_hexadecimal(bytes: &[u8], word: Range<usize>) -> bool {
    const LEAST: usize = 6;
    const LEAST_OF_PART: usize = 4;
    let is_letter = |byte: &u8| matches!(byte, b'a'..=b'f');
    let is_part = || {
        let before = word.start.checked_sub(1);
        [before, Some(word.end)]
            .iter()
            .flatten()
            .any(|at| bytes.get(*at) == Some(&b'-'))
    };
    word.len() >= LEAST_OF_PART
        && is_letter(&bytes[word.start])
        && (word.len() >= LEAST || is_part())
        && bytes[word].iter().all(is_letter)
}

/// Whether two texts have the same bytes except for digits, at the same places. Then they have one form.
fn differs_in_digits(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    if one.len() != other.len() {
        return false;
    }
    let (Some(one_last), Some(other_last)) = (one.last_chunk(), other.last_chunk()) else {
        return differ_in_digits(short(one), short(other));
    };
    let is_alike = |one: &[u8; 8], other: &[u8; 8]| {
        differ_in_digits(u64::from_le_bytes(*one), u64::from_le_bytes(*other))
    };
    // The last eight bytes overlap those before.
    let pairs = one.as_chunks().0.iter().zip(other.as_chunks().0);
    is_alike(one_last, other_last) && pairs.into_iter().all(|(one, other)| is_alike(one, other))
}

/// The same for eight bytes.
fn differ_in_digits(one: u64, other: u64) -> bool {
    let no_digits = words::has_no_digit(one) | words::has_no_digit(other);
    words::has_any(one ^ other) & no_digits == 0
}

/// Whether a text has this form.
fn has_form(text: &str, expected: &[u8]) -> bool {
    let bytes = &text.as_bytes()[..text.len().min(FORM_BYTES)];
    if !may_have_numbers(bytes) {
        return same(bytes, expected);
    }
    let mut at = 0;
    let mut expected = expected.iter();
    while at < bytes.len() {
        let (start, has_digit);
        (start, (at, has_digit)) = (at, word_at(bytes, at));
        let is_alike = if has_digit || is_hexadecimal(bytes, start..at) {
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
    use proptest::prelude::*;

    fn form_of(text: &str) -> String {
        form(text).into_iter().map(char::from).collect()
    }

    proptest! {
        #[test]
        fn a_form_is_that_of_a_look_at_each_word(
            text in prop_oneof!["([a-f]{1,5}|[g-k]{1,9}|[0-9]{0,2}|[- /.\"]){0,24}", "([a-f]{1,7}|[g-k]{1,3}|[- ]){0,6}"],
        ) {
            let mut expected = String::new();
            let bytes = text.as_bytes();
            let mut at = 0;
            while at < bytes.len() {
                let (end, has_digit) = word_at(bytes, at);
                let is_number = has_digit || is_hexadecimal(bytes, at..end);
                expected.push_str(if is_number { "0" } else { &text[at..end] });
                at = end;
                if let Some(sign) = text.get(at..at + 1).filter(|_| word_at(bytes, at).0 == at) {
                    expected.push_str(sign);
                    at += 1;
                }
            }
            prop_assume!(text.len() <= FORM_BYTES);
            prop_assert_eq!(form_of(&text), expected.as_str());
            prop_assert!(has_form(&text, expected.as_bytes()));
        }
    }

    proptest! {
        #[test]
        fn times_report_no_failure(text in "[0-9][0-9TZ:./+ -]{0,30}[0-9Z]") {
            prop_assert!(is_time(&text));
            prop_assert_ne!(shapes::report_of_line(&text), Report::Failure);
            let words = [&text, " failed 1"].concat();
            prop_assert!(!is_time(&words));
        }
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
            // A part of a hexadecimal number may have no digit.
            ("pod/a-17c4-fddb", "pod/a-0-0"),
            ("51ab32e8-dead-4f21-beef-0242ac130003", "0-0-0-0-0"),
            ("deadbeef x", "0 x"),
            (
                "face a fact-table of dead letters",
                "face a fact-table of dead letters",
            ),
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
            "12:30",
            "1.5.2",
            "1x5",
            "5.",
            ".5",
            "a",
            "é 1",
            "é",
            "0",
            "a0b c",
            "a9b c",
            "a:b c",
            "a/b c",
            "dead-1",
            "1-1",
            "dead-dead",
            "dead dead",
            "deadbeef",
            "request 12:30 of 2026",
            "request 99:00 of 1999",
            "request 99:00 of 1999\u{b0}",
            "request 99:00 of 1999\u{b1}",
            &long,
        ];
        for one in texts {
            for other in texts {
                let expected = form(other);
                assert_eq!(
                    has_form(one, &expected),
                    form_of(one) == form_of(other),
                    "{one} {other}"
                );
                let without_digits = |text: &str| text.replace(|c: char| c.is_ascii_digit(), "0");
                assert_eq!(
                    differs_in_digits(one, other),
                    without_digits(one) == without_digits(other),
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
