//! Converts values of jq to documents.
//!
//! jaq's own writer would also write invalid JSON: `NaN`, keys that are numbers, byte strings. Where jq has an answer
//! for these, this module gives the same.

use jaq_json::{Num, Val};
use tamis_sdk::{MAX_DEPTH, push_quoted, quote};

/// Integers below this are written without an exponent or a fraction, as jq does, although they are floating-point
/// numbers.
const WHOLE_BELOW: f64 = 1e17;

/// A value as compact JSON.
pub fn json(out: &mut String, value: &Val) -> Result<(), String> {
    write(out, value, MAX_DEPTH)
}

/// Like [`json`], for an element of an array.
pub fn element(out: &mut String, value: &Val) -> Result<(), String> {
    write(out, value, MAX_DEPTH - 1)
}

/// Writes a string without quotes.
pub fn raw(out: &mut String, string: &[u8]) {
    out.push_str(&String::from_utf8_lossy(string));
}

fn write(out: &mut String, value: &Val, room: usize) -> Result<(), String> {
    let inside = || {
        room.checked_sub(1).ok_or_else(|| {
            format!("the program's output nests more than {MAX_DEPTH} deep, which no document may")
        })
    };
    match value {
        Val::Null => out.push_str("null"),
        Val::Bool(true) => out.push_str("true"),
        Val::Bool(false) => out.push_str("false"),
        Val::Num(number) => write_number(out, number),
        Val::TStr(bytes) => write_string(out, bytes),
        Val::BStr(_) => {
            return Err(
                "the program's output has a byte string (of `tobytes`), which JSON has no way to say"
                    .to_owned(),
            );
        }
        Val::Arr(elements) => {
            let inside = inside()?;
            out.push('[');
            for (index, element) in elements.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write(out, element, inside)?;
            }
            out.push(']');
        }
        Val::Obj(members) => {
            let inside = inside()?;
            out.push('{');
            for (index, (key, value)) in members.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                let Val::TStr(key) = key else {
                    return Err(format!(
                        "the program's output has an object with the key {}: keys are strings, such as `tostring` makes",
                        crate::program::short(key)
                    ));
                };
                write_string(out, key);
                out.push(':');
                write(out, value, inside)?;
            }
            out.push('}');
        }
    }
    Ok(())
}

fn write_number(out: &mut String, number: &Num) {
    match number {
        Num::Float(float) => write_float(out, *float),
        // A program's own literal may have a spelling that JSON does not allow.
        Num::Dec(spelled) if !is_json_number(spelled) => {
            write_float(out, spelled.parse().unwrap_or(f64::NAN));
        }
        number => out.push_str(&number.to_string()),
    }
}

fn write_float(out: &mut String, float: f64) {
    if float.is_nan() {
        out.push_str("null");
    } else if float.is_infinite() {
        let largest = if float > 0.0 { f64::MAX } else { f64::MIN };
        out.push_str(&Num::Float(largest).to_string());
    } else if float.fract() == 0.0 && float.abs() < WHOLE_BELOW {
        out.push_str(&format!("{float:.0}"));
    } else {
        out.push_str(&Num::Float(float).to_string());
    }
}

fn is_json_number(text: &str) -> bool {
    let digits =
        |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let rest = text.strip_prefix('-').unwrap_or(text);
    let whole = digits(rest);
    if whole == 0 || (whole > 1 && rest.starts_with('0')) {
        return false;
    }
    let mut rest = &rest[whole..];
    if let Some(fraction) = rest.strip_prefix('.') {
        let count = digits(fraction);
        if count == 0 {
            return false;
        }
        rest = &fraction[count..];
    }
    if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
        let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        let count = digits(exponent);
        return count > 0 && count == exponent.len();
    }
    rest.is_empty()
}

/// Writes a string with quotes. Invalid UTF-8 is an unpaired surrogate, as [`crate::read`] encodes it, or comes from
/// the program and becomes U+FFFD.
fn write_string(out: &mut String, bytes: &[u8]) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        push_quoted(out, text);
        return;
    }
    out.push('"');
    let mut rest = bytes;
    while !rest.is_empty() {
        let half = rest
            .windows(3)
            .position(|it| it[0] == 0xed && it[1] >= 0xa0 && it[2] & 0xc0 == 0x80);
        let (text, after) = rest.split_at(half.unwrap_or(rest.len()));
        let quoted = quote(&String::from_utf8_lossy(text));
        out.push_str(&quoted[1..quoted.len() - 1]);
        rest = after;
        if let [_, high, low, after @ ..] = rest {
            let code = 0xd000 | u32::from(high & 0x3f) << 6 | u32::from(low & 0x3f);
            out.push_str(&format!("\\u{code:04x}"));
            rest = after;
        }
    }
    out.push('"');
}
