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
        "datetime.datetime" | "datetime.date" | "datetime.time" => {
            let time = Time::read(name, arguments)?;
            let printed = time.printed(name);
            if !text.starts_with(&printed) {
                return None;
            }
            push_quoted(json, &time.iso(name));
            Some(printed.len())
        }
        "datetime.timedelta" => {
            let (delta, length) = Delta::read(text)?;
            push_quoted(json, &delta.iso());
            Some(length)
        }
        "np.float64" | "np.float32" | "np.int64" | "np.int32" | "np.int16" | "np.int8"
        | "np.uint64" | "np.uint32" | "np.uint16" | "np.uint8" => {
            let end = arguments
                .bytes()
                .take(LONGEST)
                .position(|byte| byte == b')')?;
            if !is_number(&arguments[..end]) {
                return None;
            }
            json.push_str(&arguments[..end]);
            Some(open + 1 + end + 1)
        }
        _ => {
            let (text, length) = quoted(arguments)?;
            let is_fit = match name {
                "UUID" => is_uuid(text),
                "ObjectId" => text.len() == 24 && text.bytes().all(is_hex),
                "Timestamp" => is_timestamp(text),
                _ => is_address(name, text),
            };
            if !is_fit {
                return None;
            }
            push_quoted(json, text);
            Some(open + 1 + length)
        }
    }
}

fn is_hex(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'f')
}

fn is_uuid(text: &str) -> bool {
    let lengths = text.split('-').map(str::len);
    lengths.eq([8, 4, 4, 4, 12]) && text.bytes().all(|byte| is_hex(byte) || byte == b'-')
}

fn is_timestamp(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_digit() || b"-: .+T".contains(&byte);
    text.starts_with(|c: char| c.is_ascii_digit()) && text.bytes().all(is_part)
}

/// Whether a text is an address, or a network, of the kind that a class of `ipaddress` has.
fn is_address(name: &str, text: &str) -> bool {
    let (address, bits) = match text.split_once('/') {
        Some((address, bits)) => (address, Some(bits)),
        None => (text, None),
    };
    let of_v4 = || {
        let is_part = |part: &str| is_number(part) && part.parse::<u8>().is_ok();
        address.split('.').count() == 4 && address.split('.').all(is_part)
    };
    let of_v6 = || {
        let is_part = |byte: u8| is_hex(byte) || matches!(byte, b':' | b'.');
        address.contains(':') && address.bytes().all(is_part)
    };
    let (class, is_valid, most) = match (name.strip_prefix("IPv4"), name.strip_prefix("IPv6")) {
        (Some(class), _) => (class, of_v4(), 32),
        (_, Some(class)) => (class, of_v6(), 128),
        _ => return false,
    };
    let has_bits = bits.is_some_and(|bits| bits.parse::<u8>().is_ok_and(|bits| bits <= most));
    is_valid
        && match class {
            "Address" => bits.is_none(),
            "Network" | "Interface" => has_bits,
            _ => false,
        }
}

/// A duration, in the parts that Python prints.
#[derive(Clone, Copy)]
struct Delta {
    /// Negative in a negative duration, and then the other parts go forward.
    days: i64,
    seconds: u32,
    microseconds: u32,
}

/// Longer durations have more microseconds than an `i64`.
const DAYS: i64 = 100_000_000;

impl Delta {
    /// Reads `datetime.timedelta(days=-1, seconds=68400)`, and gives its length.
    fn read(text: &str) -> Option<(Delta, usize)> {
        let arguments = text.strip_prefix("datetime.timedelta(")?;
        let end = arguments
            .bytes()
            .take(LONGEST)
            .position(|byte| byte == b')')?;
        let mut delta = Delta {
            days: 0,
            seconds: 0,
            microseconds: 0,
        };
        for part in arguments[..end].split(", ").filter(|part| *part != "0") {
            match part.split_once('=')? {
                ("days", number) => delta.days = number.parse().ok()?,
                ("seconds", number) => delta.seconds = number.parse().ok()?,
                ("microseconds", number) => delta.microseconds = number.parse().ok()?,
                _ => return None,
            }
        }
        let printed = delta.printed();
        let is_fit = delta.seconds < 86_400
            && delta.microseconds < 1_000_000
            && (-DAYS + 1..DAYS).contains(&delta.days);
        (is_fit && text.starts_with(&printed)).then_some((delta, printed.len()))
    }

    fn printed(self) -> String {
        let parts = [
            ("days", self.days),
            ("seconds", self.seconds.into()),
            ("microseconds", self.microseconds.into()),
        ];
        let parts = parts.iter().filter(|(_, number)| *number != 0);
        let parts: Vec<String> = parts
            .map(|(name, number)| format!("{name}={number}"))
            .collect();
        match parts.len() {
            0 => "datetime.timedelta(0)".to_owned(),
            _ => format!("datetime.timedelta({})", parts.join(", ")),
        }
    }

    /// `P1DT2H3M4.5S`, with a minus before it for a negative duration.
    fn iso(self) -> String {
        let all = self.days * 86_400_000_000
            + i64::from(self.seconds) * 1_000_000
            + i64::from(self.microseconds);
        let (sign, all) = (if all < 0 { "-" } else { "" }, all.unsigned_abs());
        let (seconds, micros) = (all / 1_000_000, all % 1_000_000);
        let mut text = format!("{sign}P");
        // Writing to a string cannot fail.
        if seconds >= 86_400 {
            let _ = write!(text, "{}D", seconds / 86_400);
        }
        let (hours, minutes, rest) = (seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60);
        let is_whole = hours == 0 && minutes == 0 && rest == 0 && micros == 0;
        if is_whole && seconds > 0 {
            return text;
        }
        text.push('T');
        if hours > 0 {
            let _ = write!(text, "{hours}H");
        }
        if minutes > 0 {
            let _ = write!(text, "{minutes}M");
        }
        if micros > 0 {
            let decimals = format!("{micros:06}");
            let _ = write!(text, "{rest}.{}S", decimals.trim_end_matches('0'));
        } else if rest > 0 || all == 0 {
            let _ = write!(text, "{rest}S");
        }
        text
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
    /// How Python prints it.
    Utc(&'static str),
    Local,
    /// An offset, and what Python prints before it and after it.
    Offset(Delta, &'static str, &'static str),
    /// A zone with the name of `zoneinfo`.
    Named(&'t str),
}

/// UTC as the standard library, dateutil, pydantic (two versions) and pytz print it.
const UTC: [&str; 5] = [
    "tzinfo=datetime.timezone.utc",
    "tzinfo=tzutc()",
    "tzinfo=TzInfo(UTC)",
    "tzinfo=TzInfo(0)",
    "tzinfo=<UTC>",
];
/// The zone of the machine, of which the text does not say more.
const LOCAL: &str = "tzinfo=tzlocal()";
const NAMED: &str = "tzinfo=zoneinfo.ZoneInfo(key='";
/// Offsets of the standard library, and of psycopg2.
const OFFSETS: [(&str, &str); 2] = [
    ("tzinfo=datetime.timezone(", ")"),
    (
        "tzinfo=psycopg2.tz.FixedOffsetTimezone(offset=",
        ", name=None)",
    ),
];

impl<'t> Time<'t> {
    /// Reads the arguments of a call.
    fn read(name: &str, arguments: &'t str) -> Option<Time<'t>> {
        let (mut numbers, mut zone) = (Vec::new(), None);
        let mut rest = arguments;
        loop {
            if let Some(utc) = UTC.into_iter().find(|utc| rest.starts_with(utc)) {
                zone = Some(Zone::Utc(utc));
                break;
            }
            if rest.starts_with(LOCAL) {
                zone = Some(Zone::Local);
                break;
            }
            let offset = OFFSETS.iter().find_map(|(before, after)| {
                let (delta, length) = Delta::read(rest.strip_prefix(before)?)?;
                let is_fit = delta.microseconds == 0
                    && delta.seconds.is_multiple_of(60)
                    && matches!(delta.days, -1 | 0);
                let ends = rest[before.len() + length..].starts_with(after);
                (is_fit && ends).then_some(Zone::Offset(delta, before, after))
            });
            if offset.is_some() {
                zone = offset;
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
            Some(Zone::Utc(utc)) => format!(", {utc}"),
            Some(Zone::Local) => format!(", {LOCAL}"),
            Some(Zone::Offset(delta, before, after)) => {
                format!(", {before}{}{after}", delta.printed())
            }
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
            Some(Zone::Utc(_)) => text.push_str("+00:00"),
            Some(Zone::Local) => text.push_str("[tzlocal()]"),
            Some(Zone::Offset(delta, ..)) => {
                let minutes = delta.days * 1_440 + i64::from(delta.seconds / 60);
                let sign = if minutes < 0 { '-' } else { '+' };
                let minutes = minutes.abs();
                let _ = write!(text, "{sign}{:02}:{:02}", minutes / 60, minutes % 60);
            }
            Some(Zone::Named(key)) => {
                let _ = write!(text, "[{key}]");
            }
        }
        text
    }
}
