//! What a text reads as: a number, an amount with its unit, a time, a code.
//!
//! Owns the spellings, and the order of numbers that are spelled. Refuses to know columns.

use std::cmp::Ordering;

/// What a text reads as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading<'t> {
    Number(Spelling),
    /// A number with zeros before it, as codes have.
    Code,
    /// A number with a unit, a currency, or signs between its digits: `12 ms`, `$1,426.88`, `(839.68)`.
    Amount,
    /// A date with a time as ISO 8601 writes it, and its offset from UTC; empty without one.
    Time(&'t str),
    /// A date alone, as ISO 8601 writes it.
    Day,
    /// A date in another order: `31.12.2024`, `Mon, 02 Jan 2024`.
    OtherDate,
    Boolean,
    Word,
}

/// How a number is spelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Spelling {
    pub(super) decimals: usize,
    pub(super) digits: usize,
    /// Zeros at the end say that the number is a text: `3.10`.
    pub(super) ends_in_zero: bool,
    pub(super) is_negative: bool,
    pub(super) has_power: bool,
    /// `+1`, `.5`, `5.`, ` 5`: no number of JSON.
    pub(super) is_odd: bool,
}

impl Spelling {
    pub(super) fn is_whole(self) -> bool {
        self.decimals == 0 && !self.has_power && !self.is_odd
    }
}

impl<'t> Reading<'t> {
    pub(super) fn of(text: &'t str) -> Reading<'t> {
        /// Longer texts are words.
        const LONGEST: usize = 64;
        let trimmed = text.trim_matches(' ');
        let Some(&first) = trimmed.as_bytes().first() else {
            return Reading::Word;
        };
        if text.len() > LONGEST {
            return Reading::Word;
        }
        if first.is_ascii_alphabetic() {
            return match trimmed {
                word if word.eq_ignore_ascii_case("true") => Reading::Boolean,
                word if word.eq_ignore_ascii_case("false") => Reading::Boolean,
                date if is_mail_date(date) => Reading::OtherDate,
                _ => Reading::Word,
            };
        }
        match number(trimmed) {
            Some((_, true)) => return Reading::Code,
            Some((spelling, false)) => {
                let is_odd = spelling.is_odd || trimmed.len() < text.len();
                return Reading::Number(Spelling { is_odd, ..spelling });
            }
            None => {}
        }
        if let Some(date) = date(trimmed) {
            return date;
        }
        match is_amount(trimmed) {
            true => Reading::Amount,
            false => Reading::Word,
        }
    }
}

fn digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

/// The spelling of a number, and whether it begins with a zero that says nothing.
fn number(text: &str) -> Option<(Spelling, bool)> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let whole = digits(unsigned);
    let rest = &unsigned[whole..];
    let (decimals, power) = match rest.strip_prefix('.') {
        Some(rest) => {
            let decimals = digits(rest);
            (Some(&rest[..decimals]), &rest[decimals..])
        }
        None => (None, rest),
    };
    let count = decimals.map_or(0, str::len);
    if whole + count == 0 {
        return None;
    }
    let has_power = !power.is_empty();
    if has_power {
        let power = power.strip_prefix(['e', 'E'])?;
        let power = power.strip_prefix(['+', '-']).unwrap_or(power);
        if !(1..=3).contains(&power.len()) || digits(power) < power.len() {
            return None;
        }
    }
    let spelling = Spelling {
        decimals: count,
        digits: whole + count,
        ends_in_zero: decimals.is_some_and(|decimals| decimals.ends_with('0')),
        is_negative: text.starts_with('-'),
        has_power,
        is_odd: text.starts_with('+') || whole == 0 || decimals == Some(""),
    };
    Some((spelling, whole > 1 && unsigned.starts_with('0')))
}

/// A date that begins with digits.
fn date(text: &str) -> Option<Reading<'_>> {
    let first = digits(text);
    let mut signs = text[first..].chars();
    let sign = signs.next()?;
    let rest = signs.as_str();
    let second = digits(rest);
    let is_again = rest[second..].starts_with(sign);
    if !(1..=2).contains(&second) || !is_again || !matches!(sign, '-' | '/' | '.') {
        return None;
    }
    let rest = &rest[second + 1..];
    let third = digits(rest);
    match (first, sign, third) {
        (4, '-', 2) => {
            let time = &rest[2..];
            if time.is_empty() {
                return Some(Reading::Day);
            }
            let clock = time.strip_prefix(['T', ' ', 't'])?;
            let end = clock
                .find(|c: char| !c.is_ascii_digit() && !matches!(c, ':' | '.'))
                .unwrap_or(clock.len());
            (digits(clock) == 2).then(|| Reading::Time(clock[end..].trim_start()))
        }
        (1 | 2, _, 4) | (4, '/' | '.', 1 | 2) | (1 | 2, '/', 2) => Some(Reading::OtherDate),
        _ => None,
    }
}

/// Whether a text is a date as mails have it: `Mon, 03 Jun 2024 10:00:00 +0200`.
fn is_mail_date(text: &str) -> bool {
    const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
    let Some((day, rest)) = text.split_once([',', ' ']) else {
        return false;
    };
    DAYS.contains(&day) && rest.contains(|c: char| c.is_ascii_digit()) && rest.contains(':')
}

/// Whether a text is a number with something before or after it.
fn is_amount(text: &str) -> bool {
    const UNIT: usize = 8;
    const WORDS: usize = 3;
    let mut before = 0;
    let number = text.trim_start_matches(|c: char| {
        before += 1;
        before <= 3 && !c.is_alphanumeric() && !matches!(c, '/' | '#' | '@' | '[' | '{' | '"')
    });
    let mut end = 0;
    let (mut points, mut commas) = (0, 0);
    let bytes = number.as_bytes();
    while let Some(byte) = bytes.get(end) {
        let is_between = bytes.get(end + 1).is_some_and(u8::is_ascii_digit) && end > 0;
        match byte {
            byte if byte.is_ascii_digit() => {}
            b'.' if is_between => points += 1,
            b',' | b'\'' if is_between => commas += 1,
            _ => break,
        }
        end += 1;
    }
    if end == 0 || !bytes[0].is_ascii_digit() || points > 1 && commas == 0 {
        return false;
    }
    let rest = &number[end..];
    if rest.starts_with(['-', ':', '/', '_', '@', '=', '.', ',']) && rest.len() > 1 {
        return false;
    }
    let mut words = rest.split(' ').filter(|word| !word.is_empty());
    let is_unit =
        |word: &str| word.chars().count() <= UNIT && !word.contains(|c: char| c.is_ascii_digit());
    rest.starts_with(" (") || words.next().is_none_or(is_unit) && words.count() < WORDS
}

/// The order of two texts: numbers by their values, then other texts.
pub(super) fn compare(one: &str, other: &str) -> Ordering {
    match (value(one), value(other)) {
        (Some(a), Some(b)) => match a.partial_cmp(&b) {
            Some(Ordering::Equal) | None => compare_digits(one, other),
            Some(order) => order,
        },
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => one.cmp(other),
    }
}

fn value(text: &str) -> Option<f64> {
    let text = text.trim_matches(' ');
    let first = *text.as_bytes().first()?;
    if !first.is_ascii_digit() && !matches!(first, b'-' | b'+' | b'.') {
        return None;
    }
    number(text)?;
    text.parse().ok()
}

/// The order of two numbers that are the same as floats.
fn compare_digits(one: &str, other: &str) -> Ordering {
    /// A float tells so many digits apart.
    const DIGITS: usize = 15;
    if one.len() <= DIGITS && other.len() <= DIGITS || one.contains(['e', 'E']) {
        return Ordering::Equal;
    }
    if other.contains(['e', 'E']) {
        return Ordering::Equal;
    }
    let parts = |text: &str| {
        let text = text.trim_matches(' ');
        let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
        let whole = whole.trim_start_matches(['+', '-']).trim_start_matches('0');
        (
            whole.len(),
            whole.to_owned(),
            decimals.trim_end_matches('0').to_owned(),
        )
    };
    let order = parts(one).cmp(&parts(other));
    match one.trim_start_matches(' ').starts_with('-') {
        true => order.reverse(),
        false => order,
    }
}
