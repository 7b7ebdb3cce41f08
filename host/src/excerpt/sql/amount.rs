//! An amount in a text: its number, and its unit.
//!
//! Owns the units of times and sizes, and their spellings. Refuses to know the other texts of a column.

use std::borrow::Cow;

use tamis_formats::amounts::{amount, decimal, without_age};
use tamis_formats::dates;

use super::reading::Reading;

/// The unit of an amount.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Unit {
    Bare,
    /// Seconds in one; none of a text with several, `3h12m`.
    Time(Option<f64>),
    /// A time of the clock, and whether it has seconds beside hours: `12:30` may be minutes and seconds.
    Clock(bool),
    /// The power of a kilobyte.
    Size(i32, Bytes),
    /// Signs before and after the number.
    Other(String),
}

/// What a unit says of a kilobyte: nothing (`K`), that it is of bytes (`kB`), or that it has 1,024 of them (`KiB`).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Bytes {
    Unsaid,
    Said,
    Binary,
}

impl Unit {
    pub(super) fn is_time(&self) -> bool {
        matches!(self, Unit::Time(_) | Unit::Clock(_))
    }

    /// The units of which a text may have several.
    pub(super) fn is_mixed(&self) -> bool {
        matches!(self, Unit::Time(None) | Unit::Clock(_))
    }
}

/// An amount: the number that is spelled, its unit, and the number in seconds if it is a time.
pub(super) struct Amount {
    pub(super) number: f64,
    pub(super) unit: Unit,
    pub(super) seconds: f64,
}

impl Amount {
    pub(super) fn of(text: &str) -> Option<Amount> {
        /// Longer texts are words.
        const LONGEST: usize = 32;
        let text = ungrouped(without_age(text.trim_matches(' ')));
        let text = &*text;
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
            // A float holds no larger ones.
            const LARGE: u64 = 1 << 53;
            let number = u64::from_str_radix(digits, 16).ok()?;
            return (number <= LARGE).then(|| Amount::bare(number as f64));
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
            ("", ":" | "::") => return Some(Amount::clock(number, after == "::")),
            ("", ",") => return None,
            ("", unit) => {
                if let Some(seconds) = ago(text) {
                    return Some(Amount::time(seconds, None));
                }
                match size(unit) {
                    Some((power, bytes)) => Unit::Size(power, bytes),
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
            let unit = Unit::Size(0, Bytes::Binary);
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
        let has_half = text.ends_with(['m', 'M', '.']);
        let clock = dates::time(text).filter(|(_, rest)| has_half && rest.is_empty());
        if let Some(seconds) = clock.map(|(seconds, _)| seconds).or_else(|| interval(text)) {
            return Some(Amount::clock(seconds, true));
        }
        let seconds = ago(text).or_else(|| iso_duration(text))?;
        Some(Amount::time(seconds, None))
    }

    fn clock(seconds: f64, has_seconds: bool) -> Amount {
        let unit = Unit::Clock(has_seconds);
        Amount {
            unit,
            seconds,
            ..Amount::bare(seconds)
        }
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

/// A text without the signs between groups of thousands that are no commas: `1 234 567,50`, `1_000`, `1’000`.
pub(super) fn ungrouped(text: &str) -> Cow<'_, str> {
    let is_gap = |c: char| matches!(c, ' ' | '\u{a0}' | '\u{202f}' | '_' | '\'' | '\u{2019}');
    let bytes = text.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut out = String::new();
    let mut copied = 0;
    for (at, gap) in text.char_indices() {
        if !is_gap(gap) {
            continue;
        }
        let after = at + gap.len_utf8();
        let (mut start, mut end) = (at, after);
        while start > 0 && is_digit(start - 1) {
            start -= 1;
        }
        while is_digit(end) {
            end += 1;
        }
        let is_decimal = start > 0 && matches!(bytes[start - 1], b'.' | b',');
        if (1..=3).contains(&(at - start)) && end - after == 3 && !is_decimal {
            out.push_str(&text[copied..at]);
            copied = after;
        }
    }
    match copied {
        0 => Cow::Borrowed(text),
        _ => Cow::Owned(out + &text[copied..]),
    }
}

/// A number without a unit: `12`, `+1.5`, `1,234.50`.
pub(super) fn plain(text: &str) -> Option<f64> {
    match Reading::of(text) {
        Reading::Number(_) => text.trim_matches(' ').parse().ok(),
        Reading::Amount => decimal(text.strip_prefix('+').unwrap_or(text)),
        _ => None,
    }
}

/// The power of a kilobyte: of `KiB`, `MB`, `G`, `B`.
pub(super) fn size(unit: &str) -> Option<(i32, Bytes)> {
    match unit {
        "B" => return Some((0, Bytes::Said)),
        "byte" => return Some((0, Bytes::Binary)),
        // `1080P`
        "P" | "E" => return None,
        _ => {}
    }
    let power = "KMGTPE".find(unit.chars().next()?.to_ascii_uppercase())?;
    let is_small = unit.starts_with(|c: char| c.is_ascii_lowercase());
    // `m` is a minute, a metre or a thousandth.
    let rest = unit
        .get(1..)
        .filter(|_| !is_small || unit.starts_with('k'))?;
    let bytes = match rest {
        "" => Bytes::Unsaid,
        "B" => Bytes::Said,
        "i" | "iB" => Bytes::Binary,
        _ => return None,
    };
    Some((power as i32 + 1, bytes))
}

/// Whether a text is a time before now.
pub(super) fn is_age(text: &str) -> bool {
    text.trim_matches(' ').ends_with(" ago")
}

/// A time in words: `3 weeks`; before now, `3 weeks ago`, it is less than none.
pub(super) fn ago(text: &str) -> Option<f64> {
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
pub(super) fn interval(text: &str) -> Option<f64> {
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
pub(super) fn iso_duration(text: &str) -> Option<f64> {
    let (days, time) = text.strip_prefix('P')?.split_once('T')?;
    let is_in_days = days.is_empty() || days.ends_with('D') && !days.contains(['Y', 'M', 'W']);
    let duration = format!("{days}{time}").to_ascii_lowercase();
    let (seconds, unit) = amount(&duration)?;
    (is_in_days && unit == ("", "s")).then_some(seconds)
}
