//! Values that `repr` prints as calls: `Decimal('1.50')`, `datetime.datetime(2024, 1, 2, 3, 4)`, `UUID('…')`.
//!
//! Owns their text in JSON: a number of the same spelling, ISO 8601. The value is printed again as Python prints it,
//! and must equal the source. Refuses all other calls.

use crate::json::{is_number, push_quoted};
use std::fmt::Write as _;

/// Longest call in bytes.
const LONGEST: usize = 160;

/// Reads the call at the beginning of `text`, and appends its value to `json`. Returns the length of the call.
pub(super) fn read(text: &str, json: &mut String) -> Option<usize> {
    let open = text.bytes().take(LONGEST).position(|byte| byte == b'(')?;
    let (name, arguments) = (&text[..open], &text[open + 1..]);
    match name {
        "Decimal" => {
            let (number, length) = quoted(arguments)?;
            if !is_number(number) {
                return None;
            }
            json.push_str(number);
            Some(open + 1 + length)
        }
        "UUID" => {
            let (id, length) = quoted(arguments)?;
            let is_hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
            let mut groups = id.split('-');
            for length in [8, 4, 4, 4, 12] {
                groups
                    .next()
                    .filter(|group| group.len() == length && group.bytes().all(is_hex))?;
            }
            if groups.next().is_some() {
                return None;
            }
            push_quoted(json, id);
            Some(open + 1 + length)
        }
        "datetime.datetime" | "datetime.date" | "datetime.time" => {
            let time = Time::read(name, arguments)?;
            let printed = time.printed(name);
            if !text.starts_with(&printed) {
                return None;
            }
            push_quoted(json, &time.iso(name));
            Some(printed.len())
        }
        _ => None,
    }
}

/// The only argument, a plain string, and the length up to the bracket after it.
fn quoted(arguments: &str) -> Option<(&str, usize)> {
    let inside = arguments.strip_prefix('\'')?;
    let length = inside
        .bytes()
        .take(LONGEST)
        .position(|byte| byte == b'\'')?;
    let said = &inside[..length];
    inside[length..]
        .starts_with("')")
        .then_some((said, length + 3))
}

/// A point in time, or a part of one.
struct Time<'t> {
    numbers: Vec<u32>,
    zone: Option<Zone<'t>>,
}

enum Zone<'t> {
    Utc,
    /// A zone with the name of `zoneinfo`.
    Named(&'t str),
}

const UTC: &str = "tzinfo=datetime.timezone.utc";
const NAMED: &str = "tzinfo=zoneinfo.ZoneInfo(key='";

impl<'t> Time<'t> {
    /// Reads the arguments of a call.
    fn read(name: &str, arguments: &'t str) -> Option<Time<'t>> {
        let (mut numbers, mut zone) = (Vec::new(), None);
        let mut rest = arguments;
        loop {
            if rest.starts_with(UTC) {
                zone = Some(Zone::Utc);
                break;
            }
            if let Some(inside) = rest.strip_prefix(NAMED) {
                let length = inside
                    .bytes()
                    .take(LONGEST)
                    .position(|byte| byte == b'\'')?;
                let is_fit = |byte: u8| byte.is_ascii_alphanumeric() || b"/_+-".contains(&byte);
                zone = Some(Zone::Named(&inside[..length]));
                if !inside.bytes().take(length).all(is_fit) {
                    return None;
                }
                break;
            }
            let digits = rest.bytes().take(8).take_while(u8::is_ascii_digit).count();
            numbers.push(rest[..digits].parse().ok()?);
            rest = &rest[digits..];
            match rest.strip_prefix(", ") {
                Some(after) => rest = after,
                None => break,
            }
        }
        let (date, time) = match name {
            "datetime.datetime" => (3, 2..=4),
            "datetime.date" => (3, 0..=0),
            _ => (0, 2..=4),
        };
        let times = numbers.get(date..)?;
        let is_below = |(number, limit): (&u32, u32)| *number < limit;
        let is_fit = time.contains(&times.len())
            && times.iter().zip([24, 60, 60, 1_000_000]).all(is_below)
            && (zone.is_none() || date + times.len() > 3 || date == 0)
            && (date == 0
                || (1..10_000).contains(&numbers[0])
                    && (1..13).contains(&numbers[1])
                    && (1..32).contains(&numbers[2]));
        is_fit.then_some(Time { numbers, zone })
    }

    /// The value as Python prints it: seconds and smaller units only if they are not 0.
    fn printed(&self, name: &str) -> String {
        let date = if name == "datetime.time" { 0 } else { 3 };
        let mut numbers = self.numbers.clone();
        let fewest = if name == "datetime.date" { 3 } else { date + 2 };
        while numbers.len() > fewest && numbers.last() == Some(&0) {
            numbers.pop();
        }
        let numbers: Vec<String> = numbers.iter().map(u32::to_string).collect();
        let zone = match &self.zone {
            None => String::new(),
            Some(Zone::Utc) => format!(", {UTC}"),
            Some(Zone::Named(key)) => format!(", {NAMED}{key}')"),
        };
        format!("{name}({}{zone})", numbers.join(", "))
    }

    fn iso(&self, name: &str) -> String {
        let mut text = String::new();
        let (date, time) = self
            .numbers
            .split_at(if name == "datetime.time" { 0 } else { 3 });
        // Writing to a string cannot fail.
        if let [year, month, day] = date {
            let _ = write!(text, "{year:04}-{month:02}-{day:02}");
        }
        if let [hour, minute, rest @ ..] = time {
            let second = rest.first().unwrap_or(&0);
            let sign = if date.is_empty() { "" } else { "T" };
            let _ = write!(text, "{sign}{hour:02}:{minute:02}:{second:02}");
            if let Some(micros) = rest.get(1) {
                let _ = write!(text, ".{micros:06}");
            }
        }
        match &self.zone {
            None => {}
            Some(Zone::Utc) => text.push_str("+00:00"),
            Some(Zone::Named(key)) => {
                let _ = write!(text, "[{key}]");
            }
        }
        text
    }
}
