//! Dates in other forms than `2026-11-20`: `20 Nov 2026`, `Nov 20, 2026`, `Fri, 20 Nov 2026 10:00:00 +0100`, `11/20/2026`,
//! `20.11.2026`.
//!
//! Owns the forms. Refuses to know columns, which tell whether the day or the month is first, and zones by their names.

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const DAYS: [&str; 7] = [
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
];
/// Fewest letters of a short name.
const SHORT: usize = 3;
/// Longest date.
const LONGEST: usize = 64;

/// One date, as it is written.
pub struct Date<'t> {
    /// The month has its name.
    pub is_named: bool,
    pub year: u32,
    /// The day and the month; without a name in the order in which they are written.
    pub numbers: [u32; 2],
    /// Of the time.
    pub seconds: f64,
    /// What follows the time.
    pub zone: &'t str,
}

/// The date in a text that is one.
pub fn read(text: &str) -> Option<Date<'_>> {
    let is_first = |byte: &u8| byte.is_ascii_alphanumeric();
    if text.len() > LONGEST || !text.is_ascii() || !text.as_bytes().first().is_some_and(is_first) {
        return None;
    }
    numbers(text).or_else(|| named(text))
}

/// `11/20/2026`, with or without a time.
fn numbers(text: &str) -> Option<Date<'_>> {
    let (one, rest) = number(text, 2)?;
    let sign = rest
        .chars()
        .next()
        .filter(|sign| matches!(sign, '/' | '.'))?;
    let (other, rest) = number(rest.strip_prefix(sign)?, 2)?;
    let (year, rest) = number(rest.strip_prefix(sign)?, 4).filter(|(year, _)| *year > 999)?;
    let rest = rest.trim_start_matches([' ', ',']);
    let (seconds, zone) = match rest.is_empty() {
        true => (0.0, ""),
        false => time(rest)?,
    };
    Some(Date {
        is_named: false,
        year,
        numbers: [one, other],
        seconds,
        zone,
    })
}

/// `20 Nov 2026`, with the parts in any order, a day of the week before, a time, and a zone at the end.
fn named(text: &str) -> Option<Date<'_>> {
    let gap = if text.contains(' ') { ' ' } else { '-' };
    let is_gap = |c: char| c == gap || c == ',';
    let (mut day, mut month, mut year) = (0, 0, 0);
    let mut at_time = None;
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(is_gap).unwrap_or(rest.len());
        let word = &rest[..end];
        if word.contains(':') {
            let (seconds, zone) = time(rest)?;
            at_time = Some((seconds, zone));
            // The year may be after the time.
            if year > 0 {
                break;
            }
            if time(word)?.1.is_empty() {
                at_time = time(word);
            }
        } else if let Some((number, "")) = number(word, 4) {
            match word.len() {
                1 | 2 if day == 0 => day = number,
                4 if year == 0 => year = number,
                _ => return None,
            }
        } else if let Some(place) = place(&MONTHS, word).filter(|_| month == 0) {
            month = place;
        } else if rest.len() < text.len() || place(&DAYS, word).is_none() {
            // A zone is after a year that is after the time.
            let (seconds, "") = at_time? else {
                return None;
            };
            at_time = Some((seconds, rest));
            break;
        }
        rest = rest[end..].trim_start_matches(is_gap);
    }
    let (seconds, zone) = at_time.unwrap_or_default();
    (day * month * year > 0).then_some(Date {
        is_named: true,
        year,
        numbers: [day, month],
        seconds,
        zone,
    })
}

/// The number at the beginning of a text, of at most so many digits, and the rest.
pub fn number(text: &str, digits: usize) -> Option<(u32, &str)> {
    let count = text.bytes().take_while(u8::is_ascii_digit).count();
    if count == 0 || count > digits {
        return None;
    }
    let (digits, rest) = text.split_at(count);
    let add = |number: u32, digit: u8| number * 10 + u32::from(digit & 0xf);
    Some((digits.bytes().fold(0, add), rest))
}

/// The seconds of a time at the beginning of a text, and the rest: `10:30:05.250 PM`.
pub fn time(text: &str) -> Option<(f64, &str)> {
    let (mut hours, rest) = number(text, 2)?;
    let (minutes, mut rest) = number(rest.strip_prefix(':')?, 2)?;
    let mut seconds = 0.0;
    if let Some(after) = rest.strip_prefix(':') {
        let (whole, after) = number(after, 2)?;
        (seconds, rest) = with_fraction(whole, after);
    }
    let mut zone = rest.trim_start();
    if let Some((from, after)) = half(zone) {
        hours = hours % 12 + from;
        zone = after.trim_start();
    }
    let whole = f64::from((hours * 60 + minutes) * 60);
    Some((whole + seconds, zone))
}

/// The half of a day at the beginning of a text, as the hour that it begins with, and the rest: `PM`, `p.m.`. `AMT` is a zone.
pub fn half(text: &str) -> Option<(u32, &str)> {
    // Most texts begin with a sign.
    let text = match text.as_bytes().first() {
        Some(b'!'..=b'~') | None => text,
        _ => text.trim_start(),
    };
    let rest = text.strip_prefix(['A', 'a', 'P', 'p'])?;
    let from = if text.starts_with(['A', 'a']) { 0 } else { 12 };
    let rest = rest.strip_prefix('.').unwrap_or(rest);
    let rest = rest.strip_prefix(['M', 'm'])?;
    let rest = rest.strip_prefix('.').unwrap_or(rest);
    (!rest.starts_with(|c: char| c.is_alphanumeric())).then_some((from, rest))
}

/// Seconds with the fraction at the beginning of a text, and the rest.
fn with_fraction(whole: u32, text: &str) -> (f64, &str) {
    let (mut seconds, mut unit) = (f64::from(whole), 1.0);
    let Some(digits) = text.strip_prefix(['.', ',']) else {
        return (seconds, text);
    };
    let rest = digits.trim_start_matches(|c: char| c.is_ascii_digit());
    for digit in digits[..digits.len() - rest.len()].bytes() {
        unit /= 10.0;
        seconds += unit * f64::from(digit & 0xf);
    }
    (seconds, rest)
}

/// Whether a word is the name of a month.
pub fn is_month(word: &str) -> bool {
    place(&MONTHS, word).is_some()
}

/// The place of a name among these, from 1, or of its first letters.
fn place(names: &[&str], word: &str) -> Option<u32> {
    let word = match word.as_bytes().last() {
        Some(b'.') => word.trim_end_matches('.'),
        _ => word,
    };
    let first = |name: &str| name.as_bytes().first().map(u8::to_ascii_lowercase);
    let is_it = |name: &str| {
        let start = name.get(..word.len()).unwrap_or_default();
        word.len() >= SHORT && start.eq_ignore_ascii_case(word)
    };
    // Few begin with the same letter.
    let mut likely = (1..)
        .zip(names)
        .filter(|(_, name)| first(name) == first(word));
    likely.find(|(_, name)| is_it(name)).map(|(place, _)| place)
}

/// Whether the year has the month, and that the day.
pub fn has_day([year, month, day]: [u32; 3]) -> bool {
    let days = match month {
        _ if day <= 28 => 28,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    (1..=12).contains(&month) && (1..=days).contains(&day)
}

/// The seconds of a zone: `Z`, `+01:00`, `-0800`, ` +02`.
pub fn offset(zone: &str) -> Option<i64> {
    if matches!(zone, "Z" | "z" | "UTC" | "GMT") {
        return Some(0);
    }
    let sign = match zone.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let (mut count, mut digits) = (0, 0);
    for byte in zone.bytes().skip(1) {
        match byte {
            b'0'..=b'9' if count < 4 => {
                (count, digits) = (count + 1, digits * 10 + i64::from(byte - b'0'));
            }
            b':' => {}
            _ => return None,
        }
    }
    match count {
        2 => Some(sign * digits * 3_600),
        4 => Some(sign * (digits / 100 * 60 + digits % 100) * 60),
        _ => None,
    }
}
