//! Dates of a column: those that no calendar has, and those in other forms than `2026-11-20`.
//!
//! Owns which of them is the first and the last. Whether the day or the month is first in `11/02/2026`, enough other dates of
//! the column tell, or nobody does: such a column has no range.
//! Dates like `2026-11-20T10:00:00+01:00` are compared by their instants. Refuses to know zones by their names, and those of
//! other forms: a column with several has no range either.

use crate::extremes::Extremes;
use crate::hashing::is_before;
use crate::levels::after_digits;
use tamis_formats::dates::{Date, has_day, number, offset, read, time};
pub use tamis_formats::dates::{half, is_month};

/// If more than one in so many dates is impossible, the texts are no dates.
const ONE_OF: u32 = 10;

/// Dates that no calendar has.
#[derive(Default)]
pub struct Impossible<'d> {
    pub count: u32,
    /// The first, and its row.
    pub first: Option<(&'d str, u32)>,
}

impl<'d> Impossible<'d> {
    pub fn note(&mut self, text: &'d str, row: u32) {
        self.count += 1;
        self.first.get_or_insert((text, row));
    }

    /// Whether so few of these texts are impossible that the texts are dates.
    pub fn are_few(&self, all: u32) -> bool {
        self.count <= all / ONE_OF
    }
}

/// Whether a text that begins with `2026-02-30` is no date of a calendar.
#[inline]
pub fn is_impossible(date: &str) -> bool {
    let bytes = date.as_bytes();
    let pair = |at: usize| match bytes.get(at..at + 2) {
        Some([tens, ones]) => u32::from(tens & 0xf) * 10 + u32::from(ones & 0xf),
        _ => 0,
    };
    !has_day([pair(0) * 100 + pair(2), pair(5), pair(8)])
}

/// The day of a text that is a date, `2026-11-20`, perhaps with a time after a `T`, counted from about 2000. The time is a
/// part of the day: a log that goes on after midnight has no gap there.
pub fn days(text: &[u8]) -> Option<f64> {
    let (date, rest) = text.split_at_checked(DATE)?;
    let is_date = matches!(rest, [] | [b'T', ..])
        && (0..).zip(date).all(|(at, byte)| match at {
            4 | 7 => *byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    let text = str::from_utf8(text).ok().filter(|_| is_date)?;
    (!is_impossible(text)).then(|| seconds(text).0 / 86_400.0)
}

/// A number for the day of a text that is a date with the name of a month, larger for later days: `Nov 20 10:00:00 2026 GMT`.
#[inline(never)]
pub fn named_days(text: &str) -> Option<f64> {
    let date = read(text.trim_end()).filter(|date| date.is_named)?;
    let [day, month] = date.numbers;
    let days = (date.year * 12 + month) * 31 + day;
    has_day([date.year, month, day]).then_some(f64::from(days))
}

/// The length of `2026-11-20`.
const DATE: usize = 10;

/// Dates that begin with `2026-11-20`: the first and the last, by their instants.
#[derive(Default)]
pub struct Span<'d> {
    ends: Option<[(f64, &'d str); 2]>,
    /// The zone of the first date that has a time.
    zone: Option<&'d str>,
    are_several: bool,
    /// A date lacks a time, or an offset that is a number.
    is_unknown: bool,
    /// Something follows a date that is no time.
    is_unordered: bool,
    /// The first and the last date of one form whose texts are in the order of their instants, until [`Span::settle`].
    plain: Option<[&'d str; 2]>,
}

impl<'d> Span<'d> {
    /// Notes a date of many, most of one form. [`Span::settle`] ends it.
    pub fn note_line(&mut self, date: &'d str) {
        match &mut self.plain {
            None if is_plain(date) => self.plain = Some([date; 2]),
            Some([first, last]) if is_plain(date) && is_alike(first, date) => {
                // Most dates are later than those before.
                if is_before(last, date) {
                    *last = date;
                } else if is_before(date, first) {
                    *first = date;
                }
            }
            _ => _ = self.note(date),
        }
    }

    /// Notes the first and the last date that were only compared as texts.
    pub fn settle(&mut self) {
        for date in self.plain.take().into_iter().flatten() {
            self.note(date);
        }
    }

    /// Notes a date. Returns its seconds, by which dates are compared.
    #[inline(never)]
    pub fn note(&mut self, date: &'d str) -> f64 {
        let (seconds, zone) = seconds(date);
        let offset = zone.and_then(offset);
        self.is_unknown |= offset.is_none();
        self.is_unordered |= zone.is_none() && date.len() > DATE;
        if let Some(zone) = zone {
            self.are_several |= *self.zone.get_or_insert(zone) != zone;
        }
        let new = (seconds - offset.unwrap_or_default() as f64, date);
        let Some([first, last]) = &mut self.ends else {
            self.ends = Some([new; 2]);
            return new.0;
        };
        let is_before = |one: (f64, &str), other: (f64, &str)| {
            one.0 < other.0 || one.0 == other.0 && is_before(one.1, other.1)
        };
        if is_before(new, *first) {
            *first = new;
        }
        if is_before(*last, new) {
            *last = new;
        }
        new.0
    }

    /// Whether the dates are of several zones.
    pub fn has_zones(&self) -> bool {
        self.are_several
    }

    /// The first and the last date; none if there are none, or nobody knows their order: zones differ, or no time follows.
    pub fn ends(&self) -> Option<[&'d str; 2]> {
        let is_known = !self.is_unordered && (!self.are_several || !self.is_unknown);
        let ends = self.ends.filter(|_| is_known);
        ends.map(|ends| ends.map(|(_, date)| date))
    }
}

/// Whether a date has two digits for its hours, and nothing behind the time but a zone: `2026-11-20T08:00:00`, with a
/// fraction or without.
fn is_plain(date: &str) -> bool {
    let bytes = date.as_bytes();
    let is_zone = || match zone(date).as_bytes() {
        [] | [b'Z'] => true,
        [b' ' | b'+' | b'-', .., last] => last.is_ascii_digit() || is_zone(*last),
        _ => false,
    };
    bytes.len() > 18
        && bytes[13] == b':'
        && bytes[16] == b':'
        && (has_usual_end(bytes) || is_zone())
}

/// Whether the seconds of a date are followed by nothing, a fraction as most programs write it, or `Z`: then two dates
/// that are as long as each other have one zone.
fn has_usual_end(date: &[u8]) -> bool {
    match date.len() {
        19 => true,
        20 => date[19] == b'Z',
        23 => matches!(date[19], b'.' | b',') && date[22].is_ascii_digit(),
        24 | 27 => matches!(date[19], b'.' | b',') && date.ends_with(b"Z"),
        _ => false,
    }
}

/// Whether the last letter of a word is that of a zone, unlike `PM` and `p.m.`
fn is_zone(last: u8) -> bool {
    last.is_ascii_uppercase() && last != b'M'
}

/// What follows the seconds of a plain date, and their fraction.
#[inline(never)]
fn zone(date: &str) -> &str {
    let rest = date.get(19..).unwrap_or_default();
    match rest.as_bytes() {
        [b'.' | b',', ..] => after_digits(&rest[1..]),
        _ => rest,
    }
}

/// Whether two plain dates have one form, and one zone.
fn is_alike(one: &str, other: &str) -> bool {
    let is_same = |at: &usize| one.as_bytes()[*at] == other.as_bytes()[*at];
    let has_one_zone = || {
        has_usual_end(one.as_bytes()) && has_usual_end(other.as_bytes()) || zone(one) == zone(other)
    };
    one.len() == other.len() && [4, 10].iter().all(is_same) && has_one_zone()
}

/// The local seconds of a date with or without a time, `2025-01-31T08:00:05Z`, and the word that follows the time. They
/// count from about 2000, so that an `f64` has those of a microsecond.
fn seconds(date: &str) -> (f64, Option<&str>) {
    let bytes = date.as_bytes();
    let pair = |at: usize| match bytes.get(at..at + 2) {
        Some(&[tens @ b'0'..=b'9', ones @ b'0'..=b'9']) => {
            i32::from(tens - b'0') * 10 + i32::from(ones - b'0')
        }
        _ => 0,
    };
    // The year begins in March, so that the day of a leap year is its last one.
    let months = (pair(0) * 100 + pair(2)) * 12 + pair(5) - 3;
    let (year, month) = (months / 12, months % 12);
    let days = year * 365 + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + pair(8);
    let days = f64::from(days - 2000 * 365) * 86_400.0;
    let rest = date.get(DATE..).unwrap_or_default();
    let is_gap = |c: char| matches!(c, 'T' | 't' | '_' | ',') || c.is_whitespace();
    let hours = |rest| number(rest, 2).filter(|(_, rest)| rest.is_empty());
    let of_hours = |rest| hours(rest).map(|(hours, rest)| (f64::from(hours * 3600), rest));
    let rest = rest.strip_prefix(is_gap).map(str::trim_start);
    let Some((time, zone)) = rest.and_then(|rest| time(rest).or_else(|| of_hours(rest))) else {
        return (days, None);
    };
    let is_word = zone.starts_with(['+', '-']) || !zone.contains(' ');
    (days + time, Some(if is_word { zone } else { "" }))
}

/// The dates of a column that are written in one of these forms.
pub struct Written<'d> {
    is_named: bool,
    /// What follows the time of each date: a zone.
    zone: &'d str,
    count: u32,
    /// The dates with the day first, and with the month first. A month by its name has only the first.
    readings: [Extremes<'d>; 2],
    /// The dates that these readings do not have.
    impossible: [Impossible<'d>; 2],
}

impl<'d> Written<'d> {
    /// The dates of a column whose first text is this one; none if it is no such date.
    pub fn begin(text: &'d str, row: u32) -> Option<Box<Written<'d>>> {
        let date = read(text)?;
        let mut written = Box::new(Written {
            is_named: date.is_named,
            zone: date.zone,
            count: 0,
            readings: Default::default(),
            impossible: Default::default(),
        });
        written.add(&date, text, row);
        Some(written)
    }

    /// Notes the next text. Whether it is a date of the same form.
    pub fn note(&mut self, text: &'d str, row: u32) -> bool {
        let date = read(text).filter(|it| it.is_named == self.is_named && it.zone == self.zone);
        if let Some(date) = &date {
            self.add(date, text, row);
        }
        date.is_some()
    }

    fn add(&mut self, date: &Date<'_>, text: &'d str, row: u32) {
        self.count += 1;
        let [one, other] = date.numbers;
        for (reading, [day, month]) in [[one, other], [other, one]].into_iter().enumerate() {
            match has_day([date.year, month, day]) {
                true => {
                    let days = (date.year * 12 + month) * 31 + day;
                    let seconds = f64::from(days) * 86_400.0 + date.seconds;
                    self.readings[reading].note(seconds, text, row);
                }
                false => self.impossible[reading].note(text, row),
            }
        }
    }

    /// The dates, and those that are impossible; none if nearly all dates may be two, as one may be a mistake.
    pub fn dates(&self) -> Option<(&Extremes<'d>, &Impossible<'d>)> {
        let [is_first, is_second] = [0, 1].map(|it| self.impossible[it].are_few(self.count));
        let reading = match (is_first, is_second) {
            (true, _) if self.is_named => 0,
            (true, false) if !self.is_named => 0,
            (false, true) if !self.is_named => 1,
            _ => return None,
        };
        Some((self.readings.get(reading)?, self.impossible.get(reading)?))
    }
}

#[cfg(test)]
#[path = "tests/dates.rs"]
mod tests;
