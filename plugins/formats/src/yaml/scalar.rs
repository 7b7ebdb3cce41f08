//! Scalars on one line or more: plain ones and their types, quoted ones and their escapes.
//!
//! Types are those of the core schema of YAML 1.2. A number with zeros before it, or with an exponent alone, is a text
//! as spelled: versions of YAML read it differently. The parser refuses another number that JSON does not spell like this.

use super::written::ScalarType;
use crate::words::has_any_of;

/// The type of a plain scalar. None for a number that JSON does not spell like this (`+1`, `0x1f`, `.5`, `.inf`).
pub fn resolve(plain: &str) -> Option<ScalarType> {
    // Most begin with a letter that none of the others has.
    if matches!(
        plain.as_bytes(),
        [b'a'..=b'e' | b'g'..=b'm' | b'o'..=b's' | b'u'..=b'z', ..]
    ) {
        return Some(ScalarType::String);
    }
    match plain {
        // Most are longer.
        _ if plain.len() > "false".len() => {}
        "null" | "Null" | "NULL" | "~" => return Some(ScalarType::Null),
        "true" | "True" | "TRUE" => return Some(ScalarType::True),
        "false" | "False" | "FALSE" => return Some(ScalarType::False),
        _ => {}
    }
    let unsigned = plain.strip_prefix(['-', '+']).unwrap_or(plain);
    // Most are words.
    if !unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return Some(ScalarType::String);
    }
    let special = [".inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN"];
    if special.contains(&unsigned) || is_based(plain, "0x", 16) || is_based(plain, "0o", 8) {
        return None;
    }
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let whole = digits(unsigned);
    let mut rest = &unsigned[whole..];
    let mut part = None;
    if let Some(after) = rest.strip_prefix('.') {
        let count = digits(after);
        part = Some(count);
        rest = &after[count..];
    }
    if whole + part.unwrap_or(0) == 0 {
        return Some(ScalarType::String);
    }
    let mut exponent = false;
    if let Some(after) = rest.strip_prefix(['e', 'E']) {
        let after = after.strip_prefix(['-', '+']).unwrap_or(after);
        let count = digits(after);
        if count == 0 {
            return Some(ScalarType::String);
        }
        exponent = true;
        rest = &after[count..];
    }
    if !rest.is_empty() {
        return Some(ScalarType::String);
    }
    if plain.starts_with('+') || whole == 0 || part == Some(0) {
        return None;
    }
    let is_padded = whole > 1 && unsigned.starts_with('0');
    Some(match is_padded || exponent && part.is_none() {
        true => ScalarType::Spelling,
        false => ScalarType::Number,
    })
}

fn is_based(plain: &str, prefix: &str, radix: u32) -> bool {
    plain
        .strip_prefix(prefix)
        .is_some_and(|digits| !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix)))
}

/// Whether a plain scalar may begin a line or value with this text.
pub fn may_begin_plain(text: &str) -> bool {
    let mut chars = text.chars();
    match chars.next() {
        None => false,
        // Most scalars begin so.
        Some(c) if c.is_ascii_alphanumeric() => true,
        // These may begin one if a character directly follows.
        Some('-' | '?' | ':') => chars.next().is_some_and(|c| !c.is_whitespace()),
        Some(c) => !c.is_whitespace() && !",[]{}#&*!|>'\"%@`".contains(c),
    }
}

/// Whether one line of a plain scalar has syntax of another kind: `: `, ` #`, a colon at its end.
pub fn ends_plain(text: &str) -> bool {
    let bytes = text.as_bytes();
    // Most lines have neither sign.
    if !has_any_of(bytes, |it| it.are_one_of([b':', b'#'])) {
        return false;
    }
    bytes.last() == Some(&b':')
        || bytes
            .windows(2)
            .any(|pair| matches!(pair, [b':', b' ' | b'\t'] | [b' ' | b'\t', b'#']))
}

/// The offset after the scalar in single quotes at the beginning of `text`. None if it does not end in this text.
pub fn single_end(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 1;
    loop {
        at += bytes.get(at..)?.iter().position(|byte| *byte == b'\'')? + 1;
        if bytes.get(at) != Some(&b'\'') {
            return Some(at);
        }
        at += 1;
    }
}

/// The same as [`single_end`], for double quotes.
pub fn double_end(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 1;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// Joins the lines of a flow scalar: a line break becomes a space, blank lines become line breaks, white space around
/// them is removed. `decode` decodes one line, and returns whether it takes the line break after it.
fn fold(source: &str, mut decode: impl FnMut(&str, &mut String) -> Option<bool>) -> Option<String> {
    let mut out = String::with_capacity(source.len());
    let mut lines = source.split('\n').enumerate().peekable();
    let mut blank = 0;
    let mut taken = true;
    while let Some((place, line)) = lines.next() {
        let is_last = lines.peek().is_none();
        let mut line = line.strip_suffix('\r').unwrap_or(line);
        if place > 0 {
            line = line.trim_start_matches([' ', '\t']);
        }
        if !is_last {
            line = trim_end(line);
        }
        if place > 0 && line.is_empty() && !is_last {
            // Parsers differ on a blank line after an escaped line break.
            if taken {
                return None;
            }
            blank += 1;
            continue;
        }
        if place > 0 && !taken {
            match blank {
                0 => out.push(' '),
                _ => out.extend(std::iter::repeat_n('\n', blank)),
            }
        }
        blank = 0;
        taken = decode(line, &mut out)?;
    }
    Some(out)
}

/// The line without white space at its end, unless a backslash makes that part of the text.
fn trim_end(line: &str) -> &str {
    let trimmed = line.trim_end_matches([' ', '\t']);
    let backslashes = trimmed.bytes().rev().take_while(|byte| *byte == b'\\');
    if backslashes.count() % 2 == 1 && trimmed.len() < line.len() {
        return &line[..=trimmed.len()];
    }
    trimmed
}

/// Decodes the text between single quotes.
pub fn single(source: &str) -> Option<String> {
    fold(source, |line, out| {
        out.push_str(&line.replace("''", "'"));
        Some(false)
    })
}

/// Decodes the text between double quotes; none for an escape that YAML does not have, or an unpaired surrogate.
pub fn double(source: &str) -> Option<String> {
    fold(source, |line, out| {
        let mut rest = line;
        while let Some(at) = rest.find('\\') {
            out.push_str(&rest[..at]);
            let mut chars = rest[at + 1..].chars();
            let Some(kind) = chars.next() else {
                return Some(true);
            };
            rest = chars.as_str();
            let digits = match kind {
                'x' => 2,
                'u' => 4,
                'U' => 8,
                _ => {
                    out.push(named_escape(kind)?);
                    continue;
                }
            };
            let code = rest.get(..digits)?;
            if !code.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                return None;
            }
            rest = &rest[digits..];
            out.push(char::from_u32(u32::from_str_radix(code, 16).ok()?)?);
        }
        out.push_str(rest);
        Some(false)
    })
}

fn named_escape(kind: char) -> Option<char> {
    Some(match kind {
        '0' => '\0',
        'a' => '\x07',
        'b' => '\x08',
        't' | '\t' => '\t',
        'n' => '\n',
        'v' => '\x0b',
        'f' => '\x0c',
        'r' => '\r',
        'e' => '\x1b',
        ' ' | '"' | '/' | '\\' => kind,
        'N' => '\u{85}',
        '_' => '\u{a0}',
        'L' => '\u{2028}',
        'P' => '\u{2029}',
        _ => return None,
    })
}

/// Decodes a plain scalar of several lines.
pub fn plain(source: &str) -> Option<String> {
    fold(source, |line, out| {
        out.push_str(line);
        Some(false)
    })
}
