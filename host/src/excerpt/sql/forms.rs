//! What the texts of a column stand for, where SQL has no type for it: amounts with units, dates, versions.
//!
//! Owns the form that the texts of a column share, and their order. Refuses to know the query. The filter `summary` reads
//! amounts and dates with the same functions.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Mutex;

use tamis_formats::amounts::{amount, amount_in, decimal, without_age};
use tamis_formats::dates;

use super::conversion::is_blank;
use super::reading::Reading;

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
}

/// Amounts of one kind.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Amounts {
    unit: Unit,
    /// Some have no unit, so that a number without one is spelled as another amount is.
    has_bare: bool,
    /// They have several units, and are compared in seconds or bytes.
    pub(super) is_mixed: bool,
    /// How many bytes a kilobyte has.
    base: f64,
}

/// The unit of an amount.
#[derive(Debug, Clone, PartialEq)]
enum Unit {
    Bare,
    /// Seconds in one; none of a text with several, `3h12m`.
    Time(Option<f64>),
    /// The power of a kilobyte, and whether the unit says that it is of bytes.
    Size(i32, bool),
    /// Signs before and after the number.
    Other(String),
}

/// An amount: the number that is spelled, its unit, and the number in seconds if it is a time.
struct Amount {
    number: f64,
    unit: Unit,
    seconds: f64,
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
}

impl Forms {
    /// Whether so few texts have a form that the column has none.
    pub(super) fn are_words(&self) -> bool {
        const MANY: u64 = 256;
        let forms = [self.amounts, self.dates, self.with_comma, self.versions];
        let count = self.count - self.blanks;
        count >= MANY && forms.iter().all(|own| own * 8 < count)
    }

    /// Notes a number that is no text.
    pub(super) fn add_number(&mut self) {
        self.count += 1;
        self.amounts += 1;
        self.has_bare = true;
    }

    pub(super) fn add(&mut self, text: &str) {
        self.count += 1;
        let reading = Reading::of(text);
        if reading == Reading::Word && is_blank(text) {
            self.blanks += 1;
            return;
        }
        if matches!(reading, Reading::Code | Reading::Time(_) | Reading::Day) {
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
        self.with_comma += u64::from(with_comma(text).is_some());
        let date = dates::read(text);
        if let Some(date) = &date {
            self.add_date(date);
        } else if matches!(amount(without_euro(text)), Some((_, COMMA))) {
            self.certain_commas += 1;
        } else if let Some(amount) = Amount::of(text) {
            self.amounts += 1;
            self.are_odd = true;
            self.add_unit(amount);
        } else {
            return;
        }
        self.first.get_or_insert_with(|| text.to_owned());
    }

    fn add_unit(&mut self, amount: Amount) {
        if amount.unit == Unit::Bare {
            self.has_bare |= amount.number != 0.0;
            return;
        }
        if let Unit::Size(power, is_of_bytes) = amount.unit {
            self.is_binary |= is_of_bytes || power > 0 && amount.number >= 1000.0;
        }
        match &self.unit {
            None => self.unit = Some(amount.unit),
            Some(first) if *first == amount.unit && amount.unit != Unit::Time(None) => {}
            Some(first) => {
                self.is_mixed = true;
                let is_like = matches!(
                    (first, &amount.unit),
                    (Unit::Time(_), Unit::Time(_)) | (Unit::Size(..), Unit::Size(..))
                );
                self.is_unlike |= !is_like;
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
        if self.certain_commas > 0 && self.amounts + self.certain_commas <= self.with_comma {
            return others(self.with_comma).map(|others| (Form::DecimalCommas, others));
        }
        if self.are_odd
            && self.certain_commas == 0
            && let Some(amounts) = self.of_amounts()
            && let Some(others) = others(self.amounts)
        {
            return Some((Form::Amounts(amounts), others));
        }
        let are_versions = count > 0 && self.versions == count && self.whole_versions > 0;
        are_versions.then_some((Form::Versions, 0))
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
            Unit::Time(_) => !self.has_bare,
            Unit::Other(sign) => !self.has_bare || matches!(&**sign, "%" | "$" | "€" | "£" | "¥"),
            Unit::Bare | Unit::Size(..) => true,
        };
        let is_mixed = self.is_mixed
            || unit == Unit::Time(None)
            || self.has_bare && matches!(unit, Unit::Size(..));
        (is_known && !self.is_unlike).then_some(Amounts {
            unit,
            has_bare: self.has_bare,
            is_mixed,
            base: if self.is_binary { 1024.0 } else { 1000.0 },
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
            Form::Versions => None,
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

    /// The order of two texts: those of the form by what they stand for, then others. `value`: [`Form::value`].
    fn compare(
        &self,
        one: &str,
        other: &str,
        mut value: impl FnMut(&str) -> Option<f64>,
    ) -> Ordering {
        if *self == Form::Versions {
            return compare_versions(one, other);
        }
        match (value(one), value(other)) {
            (Some(a), Some(b)) => match a.partial_cmp(&b) {
                None | Some(Ordering::Equal) if self.is_same(one, other) => Ordering::Equal,
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
            Form::Versions => false,
        }
    }
}

/// The order of a column's texts. Sorting compares each text with many others, so their values are kept.
pub(super) struct Order {
    form: Form,
    known: Mutex<HashMap<String, Option<f64>>>,
}

impl Order {
    pub(super) fn of(form: Form) -> Order {
        Order {
            form,
            known: Mutex::default(),
        }
    }

    pub(super) fn compare(&self, one: &str, other: &str) -> Ordering {
        /// Most texts that are kept: some 16 MB.
        const MOST: usize = 200_000;
        let mut known = crate::lock::lock(&self.known);
        self.form.compare(one, other, |text| {
            if let Some(value) = known.get(text) {
                return *value;
            }
            let value = self.form.value(text);
            if known.len() < MOST {
                known.insert(text.to_owned(), value);
            }
            value
        })
    }
}

impl Amounts {
    fn value(&self, amount: &Amount) -> Option<f64> {
        match (&self.unit, &amount.unit) {
            (_, Unit::Bare) => Some(amount.number),
            (own, other) if own == other && !self.is_mixed => Some(amount.number),
            (Unit::Time(Some(one)), Unit::Time(_)) if !self.is_mixed => Some(amount.seconds / one),
            (Unit::Time(_), Unit::Time(_)) => Some(amount.seconds),
            (Unit::Size(own, _), Unit::Size(power, _)) => {
                let own = if self.is_mixed { 0 } else { *own };
                Some(amount.number * self.base.powi(power - own))
            }
            _ => None,
        }
    }
}

impl Amount {
    fn of(text: &str) -> Option<Amount> {
        /// Longer texts are words.
        const LONGEST: usize = 32;
        let text = without_age(text.trim_matches(' '));
        if text.len() > LONGEST || !text.bytes().any(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let is_digit = |c: char| c.is_ascii_digit() || c == '.';
        let is_bare = text.starts_with(|c| is_digit(c) || matches!(c, '+' | '-'));
        if is_bare
            && text.ends_with(is_digit)
            && let Some(number) = plain(text)
        {
            return Some(Amount::bare(number));
        }
        if let Some(digits) = text.strip_prefix("0x") {
            let number = u64::from_str_radix(digits, 16).ok()?;
            return Some(Amount::bare(number as f64));
        }
        match amount(text) {
            Some((number, (before, after))) => Amount::with_unit(text, number, before, after),
            None => Amount::in_words(text),
        }
    }

    fn bare(number: f64) -> Amount {
        Amount {
            number,
            unit: Unit::Bare,
            seconds: 0.0,
        }
    }

    fn with_unit(text: &str, number: f64, before: &str, after: &str) -> Option<Amount> {
        let after = after.trim_start();
        let unit = match (before, after) {
            ("", "s") => return Some(Amount::time(number, Some(text))),
            ("", ":" | "::") => return Some(Amount::time(number, None)),
            ("", ",") => return None,
            ("", unit) => {
                if let Some(seconds) = ago(text) {
                    return Some(Amount::time(seconds, None));
                }
                match size(unit) {
                    Some((power, is_of_bytes)) => Unit::Size(power, is_of_bytes),
                    None => Unit::Other(unit.to_owned()),
                }
            }
            // `$1.5M`
            (before, "k" | "K" | "m" | "M" | "b" | "B") => {
                let power = "kmb".find(&after.to_ascii_lowercase())?;
                let unit = Unit::Other(before.to_owned());
                let number = number * 1000_f64.powi(power as i32 + 1);
                return Some(Amount {
                    unit,
                    ..Amount::bare(number)
                });
            }
            (before, after) => Unit::Other(format!("{before}{after}")),
        };
        Some(Amount {
            unit,
            ..Amount::bare(number)
        })
    }

    /// An amount in another spelling.
    fn in_words(text: &str) -> Option<Amount> {
        // An account writes an amount below zero so.
        if let Some(inside) = text.strip_prefix('(') {
            let number = plain(inside.strip_suffix(')')?)?;
            return (number > 0.0).then(|| Amount::bare(-number));
        }
        if let Some(number) = text.strip_suffix(" bytes").and_then(plain) {
            let unit = Unit::Size(0, true);
            return Some(Amount {
                unit,
                ..Amount::bare(number)
            });
        }
        // `EUR 12.50`
        if let Some((code, number)) = text.split_once(' ')
            && code.len() == 3
            && code.bytes().all(|byte| byte.is_ascii_uppercase())
        {
            let unit = Unit::Other(code.to_owned());
            return plain(number).map(|number| Amount {
                unit,
                ..Amount::bare(number)
            });
        }
        // `4.5/5`, `21 °C`
        let parts = text.split_once('/').or_else(|| text.split_once('°'));
        if let Some((number, rest)) = parts
            && let Some(number) = plain(number)
        {
            let unit = Unit::Other(format!("/{rest}"));
            return Some(Amount {
                unit,
                ..Amount::bare(number)
            });
        }
        // `9:30 PM`
        if let Some((seconds, "")) = dates::time(text) {
            return Some(Amount::time(seconds, None));
        }
        let seconds = ago(text).or_else(|| interval(text));
        let seconds = seconds.or_else(|| iso_duration(text))?;
        Some(Amount::time(seconds, None))
    }

    /// A time. `text`: as a number with a unit, of which one is `1ms`.
    fn time(seconds: f64, text: Option<&str>) -> Amount {
        let own = text.and_then(|text| {
            let end = text.rfind(|c: char| c.is_ascii_digit())? + 1;
            let (one, _) = amount(&format!("1{}", &text[end..]))?;
            Some((plain(&text[..end])?, one))
        });
        Amount {
            number: own.map_or(seconds, |(number, _)| number),
            unit: Unit::Time(own.map(|(_, one)| one)),
            seconds,
        }
    }
}

/// A number with a comma before its decimals: `1.390,88`, `1.390,88 €`.
fn with_comma(text: &str) -> Option<f64> {
    amount_in(without_euro(text), COMMA)
}

fn without_euro(text: &str) -> &str {
    text.trim_matches(['€', ' ', '\u{a0}'])
}

/// A number without a unit: `12`, `+1.5`, `1,234.50`.
fn plain(text: &str) -> Option<f64> {
    match Reading::of(text) {
        Reading::Number(_) => text.trim_matches(' ').parse().ok(),
        Reading::Amount => decimal(text.strip_prefix('+').unwrap_or(text)),
        _ => None,
    }
}

/// The power of a kilobyte, and whether the unit says that it is of bytes: `KiB`, `MB`, `G`, `B`.
fn size(unit: &str) -> Option<(i32, bool)> {
    if matches!(unit, "B" | "byte") {
        return Some((0, true));
    }
    let power = "KMGTPE".find(unit.chars().next()?.to_ascii_uppercase())?;
    let is_small = unit.starts_with(|c: char| c.is_ascii_lowercase());
    // `m` is a minute, a metre or a thousandth.
    let rest = unit
        .get(1..)
        .filter(|_| !is_small || unit.starts_with('k'))?;
    let is_of_bytes = match rest {
        "" => false,
        "B" | "i" | "iB" => true,
        _ => return None,
    };
    Some((power as i32 + 1, is_of_bytes))
}

/// A time in words: `3 weeks`; before now, `3 weeks ago`, it is less than none.
fn ago(text: &str) -> Option<f64> {
    const UNITS: [(&str, f64); 7] = [
        ("second", 1.0),
        ("minute", 60.0),
        ("hour", 3_600.0),
        ("day", 86_400.0),
        ("week", 604_800.0),
        ("month", 2_629_746.0),
        ("year", 31_556_952.0),
    ];
    let (time, sign) = match text.strip_suffix(" ago") {
        Some(time) => (time, -1.0),
        None => (text, 1.0),
    };
    let (number, unit) = time.split_once(' ')?;
    let unit = unit.strip_suffix('s').unwrap_or(unit);
    let (_, seconds) = UNITS.iter().find(|(name, _)| *name == unit)?;
    Some(plain(number)? * seconds * sign)
}

/// The seconds of `3 days 02:00:00`.
fn interval(text: &str) -> Option<f64> {
    let (days, rest) = text.split_once(" day")?;
    let clock = rest
        .strip_prefix('s')
        .unwrap_or(rest)
        .trim_matches([' ', ',']);
    match amount(clock)? {
        (seconds, ("", "::")) => Some(plain(days)? * 86_400.0 + seconds),
        _ => None,
    }
}

/// The seconds of `PT1H30M`, `P2DT3H`.
fn iso_duration(text: &str) -> Option<f64> {
    let (days, time) = text.strip_prefix('P')?.split_once('T')?;
    let is_in_days = days.is_empty() || days.ends_with('D') && !days.contains(['Y', 'M', 'W']);
    let duration = format!("{days}{time}").to_ascii_lowercase();
    let (seconds, unit) = amount(&duration)?;
    (is_in_days && unit == ("", "s")).then_some(seconds)
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

fn is_version(text: &str) -> bool {
    const LONGEST: usize = 40;
    let digits = text.strip_prefix('v').unwrap_or(text);
    let least = if digits.len() < text.len() { 1 } else { 2 };
    let is_part = |c: char| c.is_ascii_alphanumeric() || ".-+~_:".contains(c);
    let numbers = digits.find(|c: char| !c.is_ascii_digit() && c != '.');
    let numbers = &digits[..numbers.unwrap_or(digits.len())];
    text.len() <= LONGEST
        && digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.chars().all(is_part)
        && numbers.matches('.').count() >= least
}

/// The order of versions: numbers in them by their values, and `1.0-rc1` before `1.0`.
fn compare_versions(one: &str, other: &str) -> Ordering {
    let (mut a, mut b) = (one, other);
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    loop {
        let is_early = |rest: &str| {
            let after = rest.strip_prefix(['-', '~']);
            after.is_some_and(|after| after.starts_with(|c: char| c.is_ascii_alphabetic()))
        };
        match (a.chars().next(), b.chars().next()) {
            (None, None) => return one.cmp(other),
            (None, Some(_)) if is_early(b) => return Ordering::Greater,
            (Some(_), None) if is_early(a) => return Ordering::Less,
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some(x), Some(y)) if x.is_ascii_digit() && y.is_ascii_digit() => {
                let (number, rest) = a.split_at(digits(a));
                let (second, after) = b.split_at(digits(b));
                let [number, second] = [number, second].map(|it| it.trim_start_matches('0'));
                let order = (number.len(), number).cmp(&(second.len(), second));
                if order != Ordering::Equal {
                    return order;
                }
                (a, b) = (rest, after);
            }
            (Some(x), Some(y)) if x == y => (a, b) = (&a[x.len_utf8()..], &b[y.len_utf8()..]),
            (Some(x), Some(y)) => return x.cmp(&y),
        }
    }
}
