//! What the texts of a column stand for, where SQL has no type for it: amounts with units, dates, versions.
//!
//! Owns the form that the texts of a column share, and their order. Refuses to know the query. The filter `summary` reads
//! amounts and dates with the same functions.

use std::cell::RefCell;
use std::cmp::Ordering;

use tamis_formats::amounts::{amount, amount_in};
use tamis_formats::dates;

use super::amount::{Amount, Bytes, Unit, is_age, plain, ungrouped};
use super::conversion::is_blank;
use super::orders::{LONGEST, is_like_date, is_numbered, is_ranked};
use super::reading::Reading;
use super::versions::{begins_as_version, compare_numbered, compare_versions, is_version};

/// The form of a column's texts.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Form {
    /// Numbers with a comma before their decimals: `1.390,88`.
    DecimalCommas,
    Amounts(Amounts),
    /// Dates in another order than `2024-12-31`.
    Dates {
        is_month_first: bool,
    },
    /// Dates with times of several zones, as ISO 8601 writes them.
    Instants,
    /// `1.10.2`, `v2.0`.
    Versions,
    /// Words with whole numbers: `PROJ-12`, `web-9.log`.
    Numbered,
}

/// Amounts of one kind.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Amounts {
    unit: Unit,
    /// Some have no unit, so that a number without one is spelled as another amount is.
    has_bare: bool,
    /// They have several units, and are compared in seconds or bytes.
    pub(super) is_mixed: bool,
    /// How many bytes a kilobyte has, if the unit does not say it.
    base: f64,
    /// Times of the clock in which texts are spelled: with two parts, and with three.
    clocks: [bool; 2],
    /// They are times before now: `3 days ago`.
    are_ages: bool,
}

/// The forms that the texts of a column may have.
#[derive(Clone, Default)]
pub(super) struct Forms {
    /// Texts of which none is empty, and numbers.
    count: u64,
    /// Texts that stand for no value.
    blanks: u64,
    /// The first amount or date.
    pub(super) first: Option<String>,
    /// The length of amounts, and whether others have another: those of one compare well as texts.
    length: usize,
    has_lengths: bool,
    amounts: u64,
    /// Those that are no numbers as SQL has them.
    are_odd: bool,
    has_bare: bool,
    unit: Option<Unit>,
    is_mixed: bool,
    /// The units are of different kinds.
    is_unlike: bool,
    /// A unit, or a number of 1,000 or more before it, says that a kilobyte has 1,024 bytes.
    is_binary: bool,
    /// Units that say what they are, `KiB`, so that others have 1,000 bytes.
    has_binary: bool,
    /// Units `B` beside `K` or `M` may be billions.
    has_b: bool,
    has_letters: bool,
    clocks: [bool; 2],
    /// Times before now.
    ages: u64,
    /// Numbers in brackets, which are below zero beside others.
    in_brackets: u64,
    /// The decimals after a comma, whether others have more or fewer, and whether some end in zero: `1,2` and `1,10`
    /// are lists.
    decimals: Option<usize>,
    has_other_decimals: bool,
    ends_in_zero: bool,
    /// Texts that may have a decimal comma, and those that certainly do.
    with_comma: u64,
    certain_commas: u64,
    dates: u64,
    zone: Option<String>,
    has_zones: bool,
    is_named: Option<bool>,
    has_names_and_numbers: bool,
    /// Dates that are impossible if the day is first, and if the month is.
    impossible: [u64; 2],
    versions: u64,
    whole_versions: u64,
    /// Other texts that begin as versions do.
    like_versions: u64,
    /// Words with whole numbers, and texts that begin with a number; the length of one, and whether others have another.
    numbered: u64,
    begin_with_number: u64,
    numbered_length: usize,
    has_numbered_lengths: bool,
    /// Texts whose order is not that of their letters: `Jan 2024`, `28-Sep-14`, `Python 3.10`.
    unclear: u64,
    first_unclear: Option<String>,
    /// Words that have an order of their own: `high`, `Monday`.
    ranked: u64,
}

/// So many texts of a column tell what the others are.
const MANY: u64 = 256;

impl Forms {
    /// Whether so few texts have a form that the column has none.
    pub(super) fn are_words(&self) -> bool {
        let forms = [
            self.amounts,
            self.dates,
            self.with_comma,
            self.versions,
            self.numbered + self.begin_with_number + self.unclear,
            self.ranked,
        ];
        let count = self.count - self.blanks;
        count >= MANY && forms.iter().all(|own| own * 8 < count)
    }

    /// An amount or date, if a part of the texts are some.
    pub(super) fn example(&self) -> Option<&str> {
        let own = self.amounts + self.dates;
        let unclear = match self.has_numbered_lengths {
            true => self.unclear + self.begin_with_number,
            false => self.unclear,
        };
        let count = self.count - self.blanks;
        let (first, are_some) = match own {
            0 => (&self.first_unclear, 2 * unclear >= count),
            _ => (&self.first, 5 * own >= count),
        };
        let is_like_text = self.form(false).is_some() && !self.has_lengths;
        first.as_deref().filter(|_| are_some && !is_like_text)
    }

    /// Notes a number that is no text.
    pub(super) fn add_number(&mut self) {
        self.count += 1;
        self.amounts += 1;
        self.has_bare = true;
    }

    pub(super) fn add(&mut self, text: &str, reading: Reading<'_>) {
        self.count += 1;
        if reading == Reading::Word && is_blank(text) {
            self.blanks += 1;
            return;
        }
        if !text.bytes().any(|byte| byte.is_ascii_digit()) {
            self.ranked += u64::from(is_ranked(text));
            return;
        }
        if matches!(reading, Reading::Code | Reading::Time(_) | Reading::Day) {
            self.like_versions += 1;
            return;
        }
        if self.numbered >= MANY && 2 * self.numbered > self.count && reading == Reading::Word {
            // Many are of this form: another one changes nothing.
            if is_numbered(text) == Some(true) {
                self.add_numbered(text);
            }
            return;
        }
        if let Reading::Number(spelling) = reading {
            self.amounts += 1;
            self.has_bare |= text.contains(|c| matches!(c, '1'..='9'));
            self.with_comma += u64::from(spelling.is_whole());
            self.versions += 1;
            return;
        }
        let is_version = reading != Reading::OtherDate && is_version(text);
        self.versions += u64::from(is_version);
        self.whole_versions += u64::from(is_version);
        self.like_versions += u64::from(!is_version && begins_as_version(text));
        let has_comma = with_comma(text).is_some();
        if has_comma {
            self.with_comma += 1;
            self.add_decimals(without_euro(text));
        }
        let date = dates::read(text);
        if let Some(date) = &date {
            self.add_date(date);
        } else if has_comma && matches!(amount(&ungrouped(without_euro(text))), Some((_, COMMA))) {
            self.certain_commas += 1;
        } else if let Some(amount) = Amount::of(text) {
            self.amounts += 1;
            self.are_odd = true;
            self.has_lengths |= ![0, text.len()].contains(&self.length);
            self.length = text.len();
            self.ages += u64::from(is_age(text));
            self.in_brackets += u64::from(amount.unit == Unit::Bare && text.starts_with('('));
            if amount.unit == Unit::Clock(false) && !self.clocks[0] {
                // Which of the readings it has is what a reader must know.
                self.first = None;
            }
            self.add_unit(amount);
        } else {
            if !is_version {
                self.add_other(text);
            }
            return;
        }
        self.first.get_or_insert_with(|| text.to_owned());
    }

    /// Adds a text with digits that is no amount and no date.
    fn add_other(&mut self, text: &str) {
        match is_numbered(text).filter(|_| !is_like_date(text)) {
            Some(true) => return self.add_numbered(text),
            Some(false) => return,
            None => self.unclear += 1,
        }
        self.first_unclear.get_or_insert_with(|| text.to_owned());
    }

    fn add_numbered(&mut self, text: &str) {
        // `h9.10` and `h10.2` have one length, and their first numbers do not. Those of a code (`3f9a`) are none.
        let is_digit = |c: char| c.is_ascii_digit();
        let first = text.trim_start_matches(|c| !is_digit(c));
        let rest = first.trim_start_matches(is_digit);
        let is_code = rest.starts_with(char::is_alphanumeric);
        let length = text.len() * LONGEST + if is_code { 0 } else { rest.len() };
        self.has_numbered_lengths |= ![0, length].contains(&self.numbered_length);
        self.numbered_length = length;
        if text.starts_with(|c: char| c.is_ascii_digit()) {
            // Nobody knows whether `10-2` is more than `4-4`.
            self.begin_with_number += 1;
            self.first_unclear.get_or_insert_with(|| text.to_owned());
        } else {
            self.numbered += 1;
        }
    }

    /// Whether most texts are words that have an order of their own.
    pub(super) fn are_ranked(&self) -> bool {
        2 * self.ranked > self.count
    }

    fn add_decimals(&mut self, text: &str) {
        if let Some((_, decimals)) = text.split_once(',') {
            let first = *self.decimals.get_or_insert(decimals.len());
            self.has_other_decimals |= first != decimals.len();
            self.ends_in_zero |= decimals.ends_with('0');
        }
    }

    fn add_unit(&mut self, amount: Amount) {
        if amount.unit == Unit::Bare {
            self.has_bare |= amount.number != 0.0;
            return;
        }
        match amount.unit {
            Unit::Size(power, bytes) => {
                self.is_binary |= bytes != Bytes::Unsaid || power > 0 && amount.number >= 1000.0;
                self.has_binary |= bytes == Bytes::Binary && power > 0;
                self.has_b |= bytes == Bytes::Said && power == 0 && amount.number != 0.0;
                self.has_letters |= bytes == Bytes::Unsaid;
            }
            Unit::Clock(has_seconds) => self.clocks[usize::from(has_seconds)] = true,
            _ => {}
        }
        match &self.unit {
            None => self.unit = Some(amount.unit),
            Some(first) if *first == amount.unit && !amount.unit.is_mixed() => {}
            Some(first) => {
                self.is_mixed = true;
                let are_sizes = matches!((first, &amount.unit), (Unit::Size(..), Unit::Size(..)));
                self.is_unlike |= !(are_sizes || first.is_time() && amount.unit.is_time());
            }
        }
    }

    fn add_date(&mut self, date: &dates::Date<'_>) {
        self.dates += 1;
        let [one, other] = date.numbers;
        for (reading, [day, month]) in [[one, other], [other, one]].into_iter().enumerate() {
            let is_day = dates::has_day([date.year, month, day]);
            self.impossible[reading] += u64::from(!is_day);
        }
        self.has_names_and_numbers |= *self.is_named.get_or_insert(date.is_named) != date.is_named;
        match &self.zone {
            Some(zone) => self.has_zones |= zone != date.zone,
            None => self.zone = Some(date.zone.to_owned()),
        }
    }

    /// The form of the texts, and how many texts have another. `has_blanks`: texts that stand for no
    /// value count as well.
    pub(super) fn form(&self, has_blanks: bool) -> Option<(Form, u64)> {
        let count = self.count - if has_blanks { 0 } else { self.blanks };
        let others = |own: u64| (own > 0 && 2 * own >= count).then(|| count.saturating_sub(own));
        if let Some(is_month_first) = self.is_month_first()
            && let Some(others) = others(self.dates)
        {
            return Some((Form::Dates { is_month_first }, others));
        }
        // A number with a point between is one of a column without decimal commas.
        let are_lists = self.has_other_decimals && self.ends_in_zero;
        if self.certain_commas > 0
            && self.amounts + self.certain_commas <= self.with_comma
            && !are_lists
        {
            return others(self.with_comma).map(|others| (Form::DecimalCommas, others));
        }
        if self.are_odd
            && self.certain_commas == 0
            && self.in_brackets < self.amounts
            && let Some(amounts) = self.of_amounts()
            && let Some(others) = others(self.amounts)
        {
            return Some((Form::Amounts(amounts), others));
        }
        let are_versions = self.like_versions == 0 && 2 * self.whole_versions >= self.versions;
        if are_versions
            && self.whole_versions > 0
            && let Some(others) = others(self.versions)
        {
            return Some((Form::Versions, others));
        }
        // Texts of one length, whose first numbers have one as well, have the same order as their numbers.
        let forms = [self.amounts, self.dates, self.with_comma, self.versions];
        let are_few = 4 * (self.unclear + self.begin_with_number) < self.numbered;
        let are_numbered = self.has_numbered_lengths && forms == [0; 4] && are_few;
        others(self.numbered)
            .filter(|_| are_numbered)
            .map(|_| (Form::Numbered, 0))
    }

    fn is_month_first(&self) -> Option<bool> {
        /// One in so many dates may be a mistake.
        const ONE_OF: u64 = 10;
        if self.dates == 0 || self.has_zones || self.has_names_and_numbers {
            return None;
        }
        let [day, month] = self.impossible.map(|count| count <= self.dates / ONE_OF);
        match self.is_named {
            Some(true) => day.then_some(false),
            _ => (day != month).then_some(month),
        }
    }

    fn of_amounts(&self) -> Option<Amounts> {
        let unit = self.unit.clone().unwrap_or(Unit::Bare);
        // Nobody knows the unit of a number beside `250m`.
        let is_known = match &unit {
            Unit::Time(_) | Unit::Clock(_) => !self.has_bare,
            Unit::Other(sign) => !self.has_bare || matches!(&**sign, "$" | "€" | "£" | "¥"),
            Unit::Bare | Unit::Size(..) => true,
        };
        let are_ages = self.ages > 0;
        let is_unlike = self.is_unlike
            || self.has_b && self.has_letters
            || are_ages && self.ages < self.amounts;
        let is_mixed =
            self.is_mixed || unit.is_mixed() || self.has_bare && matches!(unit, Unit::Size(..));
        (is_known && !is_unlike).then_some(Amounts {
            unit,
            has_bare: self.has_bare,
            is_mixed,
            base: match self.is_binary && !self.has_binary {
                true => 1024.0,
                false => 1000.0,
            },
            clocks: self.clocks,
            are_ages,
        })
    }
}

/// The unit of numbers with a decimal comma.
const COMMA: (&str, &str) = ("", ",");

impl Form {
    /// The number of a text, by which it is compared.
    pub(super) fn value(&self, text: &str) -> Option<f64> {
        match self {
            Form::DecimalCommas => with_comma(text).or_else(|| plain(text)),
            Form::Amounts(amounts) => amounts.value(&Amount::of(text)?),
            Form::Dates { is_month_first } => {
                let (date, seconds, _) = instant(text, *is_month_first)?;
                Some(days(date) * 86_400.0 + seconds)
            }
            Form::Instants => {
                let (date, seconds, zone) = instant(text, false)?;
                let zone = if zone.is_empty() { "Z" } else { zone };
                Some(days(date) * 86_400.0 + seconds - dates::offset(zone)? as f64)
            }
            Form::Versions | Form::Numbered => None,
        }
    }

    /// The date of a text as SQL has it: `2024-12-31`, `2024-12-31 10:00:00`.
    pub(super) fn date(&self, text: &str) -> Option<String> {
        let Form::Dates { is_month_first } = self else {
            return None;
        };
        let ([year, month, day], seconds, _) = instant(text, *is_month_first)?;
        let date = format!("{year:04}-{month:02}-{day:02}");
        if !text.contains(':') {
            return Some(date);
        }
        let whole = seconds as u32;
        let (hours, minutes, rest) = (whole / 3600, whole / 60 % 60, whole % 60);
        Some(format!("{date} {hours:02}:{minutes:02}:{rest:02}"))
    }

    /// Whether nobody knows how a text of the query is meant beside those of the column: it is of the kind, but has no
    /// place among them.
    pub(super) fn is_unsure(&self, text: &str) -> bool {
        let Form::Amounts(amounts) = self else {
            let is_date = matches!(self, Form::Dates { .. } | Form::Instants);
            let is_like_one = text.starts_with(|c: char| c.is_ascii_digit());
            return is_date && is_like_one && !text.contains('%') && self.value(text).is_none();
        };
        Amount::of(text).is_some_and(|amount| match (&amount.unit, amounts.clocks) {
            (Unit::Clock(false), [false, false]) | (Unit::Clock(true), [true, false]) => true,
            _ => amounts.value(&amount).is_none() || is_age(text) != amounts.are_ages,
        })
    }

    /// Whether a reader must know the number by which the texts are compared.
    pub(super) fn is_a_guess(&self) -> bool {
        matches!(self, Form::Amounts(amounts) if amounts.clocks == [true, true])
    }

    /// The order of two texts: those of the form by what they stand for, then others. `value`: [`Form::value`].
    fn compare(
        &self,
        one: &str,
        other: &str,
        is_said: impl Fn(&str) -> bool,
        mut value: impl FnMut(&str) -> Option<f64>,
    ) -> Ordering {
        if one == other {
            return Ordering::Equal;
        }
        if *self == Form::Numbered {
            return compare_numbered(one, other);
        }
        if *self == Form::Versions {
            return match [one, other].map(begins_as_version) {
                [true, false] => Ordering::Less,
                [false, true] => Ordering::Greater,
                _ => compare_versions(one, other),
            };
        }
        match (value(one), value(other)) {
            (Some(a), Some(b)) => match a.partial_cmp(&b) {
                None | Some(Ordering::Equal) if self.is_same(one, other) => Ordering::Equal,
                // A query may spell an amount in its own way.
                None | Some(Ordering::Equal) if is_said(one) || is_said(other) => Ordering::Equal,
                None | Some(Ordering::Equal) => one.cmp(other),
                Some(order) => order,
            },
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => one.cmp(other),
        }
    }

    /// Whether texts of one value are equal: a query spells `$12.50` as `12.5`, and a date as `2024-12-31`.
    fn is_same(&self, one: &str, other: &str) -> bool {
        match self {
            Form::Amounts(amounts) => {
                !amounts.has_bare && (plain(one).is_some() || plain(other).is_some())
            }
            Form::DecimalCommas | Form::Dates { .. } | Form::Instants => true,
            Form::Versions | Form::Numbered => false,
        }
    }
}

/// The order of a column's texts. Sorting compares each text with many others, so their values are kept.
pub(super) struct Order {
    form: Form,
    /// The texts and numbers of the query.
    said: Vec<String>,
    known: RefCell<Vec<Known>>,
}

impl Order {
    pub(super) fn of(form: Form, said: Vec<String>) -> Order {
        Order {
            form,
            said,
            known: RefCell::default(),
        }
    }

    pub(super) fn compare(&self, one: &str, other: &str) -> Ordering {
        // SQLite writes the number 10.50 of a query as `10.5`.
        let is_said = |text: &str| {
            let number = text.parse::<f64>().ok();
            self.said
                .iter()
                .any(|said| said == text || number.is_some() && said.parse().ok() == number)
        };
        self.form.compare(one, other, is_said, |text| {
            let Some(key) = key(text) else {
                return self.form.value(text);
            };
            let mut known = self.known.borrow_mut();
            known.resize(KEPT, Known::default());
            let known = &mut known[place(&key)];
            if known.key != key {
                let value = self.form.value(text);
                *known = Known { key, value };
            }
            known.value
        })
    }
}

/// A text and its value.
#[derive(Clone, Copy, Default)]
struct Known {
    key: [u8; 32],
    value: Option<f64>,
}

/// The number of texts whose values are kept, each in a place of its own: some 3 MB.
const KEPT: usize = 1 << 16;

/// A short text and its length.
fn key(text: &str) -> Option<[u8; 32]> {
    let mut key = [0; 32];
    key.get_mut(..text.len())?.copy_from_slice(text.as_bytes());
    key[31] = match text.len() {
        length @ ..32 => length as u8,
        _ => return None,
    };
    Some(key)
}

fn place(key: &[u8; 32]) -> usize {
    const ODD: u64 = 0x517c_c1b7_2722_0a95;
    let mut hash = 0_u64;
    for word in key.as_chunks().0 {
        hash = (hash.rotate_left(5) ^ u64::from_le_bytes(*word)).wrapping_mul(ODD);
    }
    (hash >> 48) as usize
}

impl Amounts {
    fn value(&self, amount: &Amount) -> Option<f64> {
        match (&self.unit, &amount.unit) {
            (_, Unit::Bare) => Some(amount.number),
            (own, other) if own == other && !self.is_mixed => Some(amount.number),
            (own, other) if own.is_time() && other.is_time() => {
                let own = match own {
                    Unit::Time(Some(one)) if !self.is_mixed => *one,
                    // `12:30` beside `12:30:05` alone has hours.
                    _ if *other == Unit::Clock(false) && !self.clocks[0] => 1.0 / 60.0,
                    _ => 1.0,
                };
                Some(amount.seconds / own)
            }
            (Unit::Size(own, kind), Unit::Size(power, other)) => {
                let bytes = |power: &i32, kind: &Bytes| match kind {
                    Bytes::Binary => 1024_f64.powi(*power),
                    _ => self.base.powi(*power),
                };
                let own = if self.is_mixed { 1.0 } else { bytes(own, kind) };
                Some(amount.number * bytes(power, other) / own)
            }
            _ => None,
        }
    }
}

/// A number with a comma before its decimals: `1.390,88`, `1.390,88 €`.
fn with_comma(text: &str) -> Option<f64> {
    amount_in(&ungrouped(without_euro(text)), COMMA)
}

fn without_euro(text: &str) -> &str {
    let text = text.strip_prefix("R$").unwrap_or(text);
    text.trim_matches(['€', ' ', '\u{a0}'])
}

/// Whether texts that are spelled differently stand for the same: `$1000` and `$1,000.00`, `5/2/2025` and `05/02/2025`.
pub(super) fn are_alike(one: &str, other: &str) -> bool {
    if let [Some(one), Some(other)] = [one, other].map(Amount::of) {
        return one.number == other.number
            && one.seconds == other.seconds
            && one.unit == other.unit;
    }
    [false, true].iter().any(|is_month_first| {
        let one = instant(one, *is_month_first);
        one.is_some() && one == instant(other, *is_month_first)
    })
}

/// Year, month and day of a date, the seconds of its day, and its zone. `2024-12` and `2024` are the first days of these.
fn instant(text: &str, is_month_first: bool) -> Option<([u32; 3], f64, &str)> {
    let text = text.trim_matches(' ');
    if let Some(date) = dates::read(text) {
        let [one, other] = date.numbers;
        let [day, month] = match is_month_first && !date.is_named {
            true => [other, one],
            false => [one, other],
        };
        return Some(([date.year, month, day], date.seconds, date.zone));
    }
    let (year, mut rest) = dates::number(text, 4).filter(|(year, _)| *year > 999)?;
    let mut parts = [year, 1, 1];
    for part in &mut parts[1..] {
        let Some(after) = rest.strip_prefix('-') else {
            break;
        };
        (*part, rest) = dates::number(after, 2)?;
    }
    let time = rest.trim_start_matches(['T', ' ']);
    match time.is_empty() {
        true => Some((parts, 0.0, "")),
        false => dates::time(time).map(|(seconds, zone)| (parts, seconds, zone)),
    }
}

/// The days of a date since one long ago.
fn days([year, month, day]: [u32; 3]) -> f64 {
    // The year begins in March, so that the day of a leap year is its last one.
    let months = year * 12 + month.max(1) - 3;
    let (year, month) = (months / 12, months % 12);
    let leap = year / 4 - year / 100 + year / 400;
    f64::from(year * 365 + leap + (153 * month + 2) / 5 + day)
}
