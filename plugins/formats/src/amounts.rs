//! Numbers in texts: decimals, amounts with a unit, durations and times of the clock.
//!
//! Owns their spellings, and which of them can be compared. Refuses to know columns.

use crate::words;

/// The number in a text. Up to eight digits, perhaps with a point among them, take a quick way.
pub fn number(text: &str) -> Option<f64> {
    short_number(text.as_bytes()).or_else(|| text.parse().ok())
}

fn short_number(text: &[u8]) -> Option<f64> {
    let word = words::short(text).filter(|_| !text.is_empty())?;
    let digits = |from: usize, to: usize| {
        let first = word >> (8 * from) & words::first_bytes(to - from);
        words::decimal(first << (8 * (8 - (to - from))))
    };
    let others = words::has_no_digit(word) & words::first_bytes(text.len());
    if others == 0 {
        return Some(f64::from(digits(0, text.len())));
    }
    let point = words::first(others);
    let decimals = text.len() - 1 - point;
    let is_decimal = others & (others - 1) == 0 && text[point] == b'.' && point > 0;
    if !is_decimal || decimals == 0 {
        return None;
    }
    const TENS: [u32; 7] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000];
    let tens = TENS[decimals];
    let all = digits(0, point) * tens + digits(point + 1, text.len());
    // Both numbers are exact, so the quotient is the nearest to the text.
    Some(f64::from(all) / f64::from(tens))
}

/// A decimal number, `12`, `-3.50`, `1.2e-08`, `16,895,869` or `12,5`, that is short and no code such as `007` or `1e5`.
pub fn decimal(text: &str) -> Option<f64> {
    const LONGEST: usize = 24;
    if text.len() > LONGEST {
        return None;
    }
    if text.contains(',') {
        return with_commas(text);
    }
    let digits = text.strip_prefix('-').unwrap_or(text);
    let digits = match digits.split_once(['e', 'E']) {
        Some((digits, power)) if power.starts_with(['-', '+']) => {
            is_digits(&power[1..]).then_some(digits)?
        }
        _ => digits,
    };
    let (whole, decimals) = digits.split_once('.').unwrap_or((digits, "0"));
    let is_code = whole.len() > 1 && whole.starts_with('0');
    let is_plain = is_digits(whole) && is_digits(decimals) && !is_code;
    is_plain.then(|| number(text))?
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit())
}

/// A number with groups of thousands, `-16,895,869.50`, or with a comma before one or two decimals, `12,5`.
fn with_commas(text: &str) -> Option<f64> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
    let digits = whole.strip_prefix('-').unwrap_or(whole);
    let mut groups = digits.split(',');
    let first = groups.next()?;
    let is_code = first.len() > 1 && first.starts_with('0');
    if !is_digits(first) || !is_digits(decimals) || is_code {
        return None;
    }
    if first.len() <= 3 && first != "0" && groups.clone().all(|it| it.len() == 3 && is_digits(it)) {
        return number(&text.replace(',', ""));
    }
    let after = groups.next()?;
    let is_decimal =
        whole == text && groups.next().is_none() && is_digits(after) && after.len() <= 2;
    is_decimal.then(|| number(&text.replace(',', ".")))?
}

/// The signs before and after the digits of an amount.
pub type Unit<'d> = (&'d str, &'d str);

/// The number in a text with a unit, and the unit: `98%`, `15984Mi`, `$88,123.00`. Durations have one unit, and so have
/// times of the same form. None without a unit.
pub fn amount(text: &str) -> Option<(f64, Unit<'_>)> {
    if text.len() > LONGEST_AMOUNT || !text.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    if let Some(seconds) = duration(text) {
        return Some((seconds, DURATION));
    }
    clock(text)
        .or_else(|| has_decimal_comma(text).then(|| Some((with_decimal_comma(text)?, COMMA)))?)
        .or_else(|| in_brackets(text))
        .or_else(|| amount_of_unit(text))
}

/// The number in a text if it has this unit. With a decimal comma, whole numbers have it too.
pub fn amount_in(text: &str, unit: Unit<'_>) -> Option<f64> {
    if unit == COMMA {
        return with_decimal_comma(text);
    }
    let (value, other) = amount(text)?;
    (unit == other).then_some(value)
}

/// An amount of money below zero, as accounts write it: `(€4,239.61)`, `€(4,239.61)`.
fn in_brackets(text: &str) -> Option<(f64, Unit<'_>)> {
    let inside = text.strip_prefix('(')?.strip_suffix(')')?;
    let (value, unit) = amount_of_unit(inside)?;
    let is_money = !unit.0.is_empty() && value > 0.0 && inside.starts_with(unit.0);
    is_money.then_some((-value, unit))
}

/// Whether a comma certainly stands before the decimals of a number: two or one of them, or points are before it.
fn has_decimal_comma(text: &str) -> bool {
    let Some((whole, decimals)) = text.split_once(',') else {
        return false;
    };
    decimals.len() <= 2 || whole.contains('.')
}

/// A number with a comma before its decimals, and points between groups of thousands if it has both: `-7.126,31`, `12,5`,
/// `12`.
fn with_decimal_comma(text: &str) -> Option<f64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, decimals) = match digits.split_once(',') {
        Some((whole, decimals)) => (whole, decimals),
        // `1.234` is one more than 1, or more than 1000.
        None if digits.contains('.') => return None,
        None => (digits, "0"),
    };
    let mut groups = whole.split('.');
    let first = groups.next()?;
    let is_code = first.len() > 1 && first.starts_with('0');
    let is_grouped = whole.len() > first.len();
    let is_first = is_digits(first) && (!is_grouped || first.len() <= 3 && first != "0");
    let is_long = whole.len() + decimals.len() > LONGEST_NUMBER;
    let are_groups = groups.all(|group| group.len() == 3 && is_digits(group));
    if is_code || is_long || !is_first || !are_groups || !is_digits(decimals) {
        return None;
    }
    number(&text.replace('.', "").replace(',', "."))
}

/// A text without its age at the end, as `kubectl get pods` writes it: `212` of `212 (3m ago)`.
pub fn without_age(text: &str) -> &str {
    let text_of_age = text
        .strip_suffix(" ago)")
        .and_then(|text| text.rsplit_once(" ("));
    text_of_age.map_or(text, |(number, _)| number)
}

/// Bytes of the longest amount.
const LONGEST_AMOUNT: usize = 32;
/// Of so many digits, each number has an `f64` of its own.
const LONGEST_NUMBER: usize = 15;
const DURATION: Unit<'static> = ("", "s");
const MINUTES: Unit<'static> = ("", ":");
const SECONDS: Unit<'static> = ("", "::");
/// A comma before the decimals.
const COMMA: Unit<'static> = ("", ",");

/// The seconds of a unit of time.
#[inline(never)]
fn scale_of(unit: &str) -> Option<f64> {
    const UNITS: [(&str, f64); 12] = [
        ("y", 31_536_000.0),
        ("w", 604_800.0),
        ("d", 86_400.0),
        ("h", 3_600.0),
        ("min", 60.0),
        ("m", 60.0),
        ("sec", 1.0),
        ("s", 1.0),
        ("ms", 1e-3),
        ("us", 1e-6),
        ("µs", 1e-6),
        ("ns", 1e-9),
    ];
    let known = UNITS.iter().find(|(name, _)| *name == unit);
    known.map(|(_, scale)| *scale)
}

/// The seconds of a duration: `850ms`, `1.5s`, `3h12m`, `2m05s`, `1 min 3 s`. The letters alone may have another meaning,
/// such as metres: then they are compared as well.
fn duration(text: &str) -> Option<f64> {
    // Most have a few digits, and a unit.
    if let Some(word) = words::short(text.as_bytes()) {
        let digits = words::first(words::has_no_digit(word));
        let is_code = digits > 1 && word as u8 == b'0';
        let letters = text.get(digits..).unwrap_or_default();
        if (1..8).contains(&digits)
            && !is_code
            && !letters.is_empty()
            && let Some(scale) = scale_of(letters)
        {
            let number = words::decimal(word << (8 * (8 - digits)));
            return Some(f64::from(number) * scale);
        }
    }
    let (sign, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, text),
    };
    let (mut seconds, mut last) = (0.0, f64::INFINITY);
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        if end > LONGEST_NUMBER {
            return None;
        }
        // Parts after the first may begin with 0: `2m05s`.
        let number = match last {
            f64::INFINITY => decimal(&rest[..end])?,
            _ => rest[..end].parse().ok()?,
        };
        let unit = rest[end..].strip_prefix(' ').unwrap_or(&rest[end..]);
        let letters = unit
            .find(|c: char| !c.is_alphabetic())
            .unwrap_or(unit.len());
        let scale = scale_of(&unit[..letters])?;
        if scale >= last {
            return None;
        }
        seconds += number * scale;
        last = scale;
        rest = &unit[letters..];
        rest = rest.strip_prefix(' ').unwrap_or(rest);
    }
    (last.is_finite()).then_some(sign * seconds)
}

/// The minutes or seconds of a time, and its form: `12:30`, `12:30:05`, `00:03:12.250`.
fn clock(text: &str) -> Option<(f64, Unit<'_>)> {
    let (first, rest) = text.split_once(':')?;
    let sixty = |part: &str| {
        let is_fit = part.len() == 2 && is_digits(part) && part < "60";
        is_fit.then(|| part.parse::<f64>().ok())?
    };
    let hours: f64 = (is_digits(first) && first.len() <= 4).then(|| first.parse().ok())??;
    let Some((minutes, seconds)) = rest.split_once(':') else {
        return Some((hours * 60.0 + sixty(rest)?, MINUTES));
    };
    let (whole, fraction) = seconds.split_once(['.', ',']).unwrap_or((seconds, "0"));
    let is_fraction = is_digits(fraction) && fraction.len() <= LONGEST_NUMBER;
    let fraction = is_fraction.then(|| number(fraction))?? / 10f64.powi(fraction.len() as i32);
    let seconds = (hours * 60.0 + sixty(minutes)?) * 60.0 + sixty(whole)? + fraction;
    Some((seconds, SECONDS))
}

/// The number in a text with a unit that is no time.
fn amount_of_unit(text: &str) -> Option<(f64, Unit<'_>)> {
    const LONGEST_UNIT: usize = 4;
    let is_digit = |c: char| c.is_ascii_digit();
    let from = text.find(is_digit)?;
    let to = text.rfind(is_digit)? + 1;
    let (before, digits, after) = (&text[..from], &text[from..to], &text[to..]);
    let (sign, before) = match before.strip_prefix('-') {
        Some(before) => (-1.0, before),
        None => (1.0, before.strip_prefix('+').unwrap_or(before)),
    };
    let is_currency = matches!(before, "" | "$" | "€" | "£" | "¥");
    let unit = after.strip_prefix(' ').unwrap_or(after);
    let is_unit = unit.len() <= LONGEST_UNIT
        && (unit == "%" || unit.chars().all(|c| c.is_alphabetic() || c == '/'));
    if digits.len() > LONGEST_NUMBER || !is_currency || !is_unit || before.len() + unit.len() == 0 {
        return None;
    }
    let (whole, decimals) = digits.split_once('.').unwrap_or((digits, "0"));
    let mut groups = whole.split(',');
    let first = groups.next()?;
    let is_code = first.len() > 1 && first.starts_with('0');
    let is_whole = is_digits(first) && (first.len() == whole.len() || first.len() <= 3);
    let mut is_group = |group: &str| group.len() == 3 && is_digits(group);
    if is_code || !is_whole || !groups.all(&mut is_group) || !is_digits(decimals) {
        return None;
    }
    let (mut value, mut tens, mut are_decimals) = (0.0, sign, false);
    for byte in digits.bytes() {
        if byte.is_ascii_digit() {
            value = value * 10.0 + f64::from(byte - b'0');
            tens *= if are_decimals { 10.0 } else { 1.0 };
        }
        are_decimals |= byte == b'.';
    }
    Some((value / tens, (before, after)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_standard_library() {
        let mut seed = 1_u64;
        let mut next = move |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) % below
        };
        for _ in 0..200_000 {
            let signs = b"0123456789012345678901234567890123456789..-e";
            let length = next(10);
            let text: String = (0..length)
                .map(|_| char::from(signs[next(signs.len() as u64) as usize]))
                .collect();
            let expected = text.parse::<f64>().ok();
            // `.5` and `5.` are numbers here as well, though not in JSON.
            assert_eq!(
                number(&text).map(f64::to_bits),
                expected.map(f64::to_bits),
                "{text}"
            );
        }
    }

    #[test]
    fn amounts_have_a_unit() {
        for (text, value, unit) in [
            ("98%", 98.0, ("", "%")),
            ("-0.5%", -0.5, ("", "%")),
            ("+300.0%", 300.0, ("", "%")),
            ("3998m", 239_880.0, DURATION),
            ("3h12m", 11_520.0, DURATION),
            ("2m05s", 125.0, DURATION),
            ("-850ms", -0.85, DURATION),
            ("1 min 30 s", 90.0, DURATION),
            ("1.5s", 1.5, DURATION),
            ("12:30", 750.0, MINUTES),
            ("00:03:12.250", 192.25, SECONDS),
            ("100:00:01", 360_001.0, SECONDS),
            ("812.40 MiB", 812.4, ("", " MiB")),
            ("$88,123.05", 88_123.05, ("$", "")),
            ("-€1,000,000", -1e6, ("€", "")),
            ("(€4,239.61)", -4_239.61, ("€", "")),
            ("7.126,31", 7_126.31, COMMA),
            ("-1.234.567,8", -1_234_567.8, COMMA),
            ("1.234,567", 1_234.567, COMMA),
            ("950,00", 950.0, COMMA),
        ] {
            assert_eq!(amount(text), Some((value, unit)), "{text}");
        }
        for text in [
            "12",
            "",
            "%",
            "m5",
            "007m",
            "1,5%",
            "1.%",
            "1234,567$",
            "5 days ago",
            "2024-01-02",
            "1e5",
            "(12)",
            "(12%)",
            "(-€5)",
            "1,234",
            "1.234",
            "1.23,45",
            "0.123,4",
            "1,234.50",
            "1.234,5,6",
            "1.234,",
            "#5",
            "0x1f",
            "9007199254740993ns",
        ] {
            assert_eq!(amount(text), None, "{text}");
        }
    }

    #[test]
    fn numbers_beside_a_decimal_comma_have_it_too() {
        for (text, value) in [("12", 12.0), ("1,234", 1.234), ("-7.126,31", -7_126.31)] {
            assert_eq!(amount_in(text, COMMA), Some(value), "{text}");
        }
        for text in ["1.234", "1,234.50", "€5,00", "007,5", "", "-"] {
            assert_eq!(amount_in(text, COMMA), None, "{text}");
        }
        assert_eq!(amount_in("€5", ("€", "")), Some(5.0));
        assert_eq!(amount_in("$5", ("€", "")), None);
    }

    #[test]
    fn codes_are_no_decimals() {
        for text in ["0", "12.50", "-3", "0.5", "-0.25"] {
            assert!(decimal(text).is_some(), "{text}");
        }
        for (text, value) in [
            ("16,895,869", 16_895_869.0),
            ("-1,234.50", -1_234.5),
            ("12,5", 12.5),
            ("0,00", 0.0),
            ("1234,56", 1_234.56),
        ] {
            assert_eq!(decimal(text), Some(value), "{text}");
        }
        for text in [
            "", "-", "007", "1.", ".5", "1e5", "12 MB", "1,5,7", "+1", "00.5", "1,2345", "0,123",
            "1,,5", "1,5.5", "1234,567",
        ] {
            assert!(decimal(text).is_none(), "{text}");
        }
    }
}
