//! Values that are secrets because of the name beside them: `API_KEY=…`, `"client_secret": "…"`, `Authorization: Bearer
//! …`.
//!
//! The value must also look random, because sources and documents are full of `token: string`.

use crate::anchors::{ABOUT, KEYS, NAMES, OPEN, PASSWORDS};
use crate::finder::{MASK, floor, is_boundary, is_url_safe, run};

/// Which names make a value a secret.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kinds {
    All,
    Passwords,
}

impl Kinds {
    pub fn has(self, name: &str) -> bool {
        self == Kinds::All || PASSWORDS.contains(&name)
    }
}

/// Most bytes of a name before and after the word of [`NAMES`].
const NAME_BYTES: usize = 40;
/// Most bytes between a name, the sign and the value. Some texts align their values.
const GAP: usize = 24;
/// Most bytes by which a value is judged.
const VALUE_BYTES: usize = 256;
/// Fewest characters of a value, of a password, and of a name and password in Base64.
const LEAST: usize = 12;
const LEAST_PASSWORD: usize = 6;

/// The bounds of the secret value beside a name whose word is from `start` to `end`.
pub fn value(text: &str, word: &str, start: usize, end: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let (mut at, mut quote) = (end, None);
    if word.ends_with(' ') {
        is_boundary(bytes, start).then_some(())?;
    } else {
        // Most words have no sign after them. This check is the cheapest.
        let stop = name_end(bytes, end);
        (at, quote) = value_start(bytes, start, stop)?;
        is_name(text, word, start, end, stop).then_some(())?;
        if word == "authorization" {
            at = after_scheme(text, at);
        }
    }
    let rest = &text[at..];
    if rest.starts_with(MASK) || rest.starts_with('<') {
        return None;
    }
    let near = floor(text, at + VALUE_BYTES);
    let is_in = |b: u8| !b.is_ascii_whitespace() && !b"\"'`,;<>(){}[]\\|&".contains(&b);
    let mut stop = run(&bytes[..near], at, is_in);
    let quoted = quote.and_then(|quote| bytes[at..near].iter().position(|b| *b == quote));
    match quoted.map(|length| at + length) {
        // All of a quoted value, if it is one word. A backslash before the quote belongs to the quote.
        Some(end) if !bytes[at..end].iter().any(u8::is_ascii_whitespace) => {
            stop = end - usize::from(end > at && bytes[end - 1] == b'\\');
        }
        // A call or an index is code.
        _ if matches!(bytes.get(stop), Some(b'(' | b'[' | b'{')) => return None,
        _ => {}
    }
    // In a connection string, `;Password=` suffices.
    let is_part = PASSWORDS.contains(&word)
        && start.checked_sub(1).is_some_and(|at| bytes[at] == b';')
        && bytes[end] == b'='
        && stop - at >= LEAST_PASSWORD
        && !bytes[at..stop].starts_with(b"$");
    let is_argument = bytes[end..at].contains(&b',');
    let value = Value {
        text: &text[at..stop],
        is_bare: quote.is_none(),
        is_argument,
    };
    (is_part || is_secret(value, word)).then_some(())?;
    if stop == near {
        stop = run(bytes, stop, is_in);
    }
    Some((at, stop))
}

/// Where the secret begins in a member's value, if the key names a secret.
pub fn member(kinds: Kinds, key: &str, value: &str) -> Option<usize> {
    // Most values are words, and most keys do not name secrets.
    let is_short =
        key.len() < 2 * NAME_BYTES && (LEAST_PASSWORD..=VALUE_BYTES * 16).contains(&value.len());
    if !is_short || value.contains(MASK) || !value.bytes().any(|b| !b.is_ascii_alphabetic()) {
        return None;
    }
    let lower = key.to_ascii_lowercase();
    let names = NAMES.iter().filter(|name| kinds.has(name));
    names
        .filter_map(|name| {
            let start = lower.rfind(name)?;
            let end = start + name.len();
            let stop = name_end(key.as_bytes(), end);
            let at = match *name {
                "authorization" => after_scheme(value, 0),
                _ => 0,
            };
            let said = &value[at..];
            let is_word = !said.bytes().any(|b| b.is_ascii_whitespace());
            (stop == key.len()
                && is_name(key, name, start, end, stop)
                && is_word
                && is_secret(
                    Value {
                        text: &said[..floor(said, VALUE_BYTES)],
                        is_bare: false,
                        is_argument: false,
                    },
                    name,
                ))
            .then_some(at)
        })
        .next()
}

/// The end of the name that holds a word, which ends at `end`.
fn name_end(bytes: &[u8], end: usize) -> usize {
    let near = &bytes[..bytes.len().min(end + NAME_BYTES)];
    run(near, end, is_url_safe)
}

/// Whether a name that ends at `stop` names a secret. The word from `start` to `end` is in it.
fn is_name(text: &str, word: &str, start: usize, end: usize, stop: usize) -> bool {
    let bytes = text.as_bytes();
    let (before, after) = (&bytes[..start], &text[end..stop]);
    let near = &before[before.len().saturating_sub(NAME_BYTES)..];
    // The word before it in the name: `page` in `next_page_token`, `api` in `apiKey`.
    let is_camel =
        bytes[start].is_ascii_uppercase() && near.last().is_some_and(u8::is_ascii_lowercase);
    let is_joined = near
        .last()
        .is_some_and(|b| matches!(b, b'_' | b'-' | b' ' | b'.'));
    let trimmed = &near[..near.len() - usize::from(is_joined)];
    let letters = trimmed
        .iter()
        .rev()
        .take_while(|b| b.is_ascii_alphanumeric());
    let letters = letters.count();
    let said = String::from_utf8_lossy(&trimmed[trimmed.len() - letters..]);
    let last = match said.rfind(|c: char| c.is_ascii_uppercase()) {
        Some(at) if said.bytes().any(|b| b.is_ascii_lowercase()) => &said[at..],
        _ => &said,
    };
    let last = last.to_ascii_lowercase();
    let goes_on = after.bytes().next().is_some_and(|b| b.is_ascii_lowercase());
    let is_name = match word {
        "key" => {
            let is_plain = KEYS.contains(&last.as_str())
                || KEYS
                    .iter()
                    .any(|key| last.ends_with(key) && !is_joined && last.len() <= 20);
            let is_spaced = near.last() == Some(&b' ');
            !last.is_empty()
                && (is_plain || (is_camel || is_joined) && !is_spaced)
                && (!goes_on || after.starts_with('s'))
        }
        "auth" => !goes_on && (is_joined || is_camel || letters == 0),
        _ => true,
    };
    let is_open = matches!(word, "key" | "token") && OPEN.contains(&last.as_str());
    // The word after it in the name: `token_type`, `tokenType`.
    let about = after.trim_start_matches('s');
    let about = about.rsplit(['_', '-']).next().unwrap_or_default();
    let about = match about.rfind(|c: char| c.is_ascii_uppercase()) {
        Some(at) if about.bytes().any(|b| b.is_ascii_lowercase()) => &about[at..],
        _ => about,
    };
    let is_about = ABOUT.contains(&about.to_ascii_lowercase().as_str());
    is_name && !is_open && !is_about
}

/// The start of the value after a name, and the quote before the value.
fn value_start(bytes: &[u8], start: usize, end: usize) -> Option<(usize, Option<u8>)> {
    let is_mark = |b: u8| {
        matches!(
            b,
            b'"' | b'\'' | b'`' | b' ' | b'\t' | b'\\' | b'*' | b']' | b')'
        )
    };
    let marks = run(&bytes[..bytes.len().min(end + GAP)], end, is_mark);
    let is_sign = |b: u8| matches!(b, b'=' | b':' | b'>');
    let mut sign = run(&bytes[..bytes.len().min(marks + 3)], marks, is_sign);
    // `Secrets::Key` is a path of source.
    if bytes[marks..sign] == *b"::" {
        return None;
    }
    if sign == marks {
        let quoted = bytes[end..marks].iter().any(|b| matches!(b, b'"' | b'\''));
        let name = bytes[..start].iter().rev().take(NAME_BYTES);
        let name = name.take_while(|b| is_url_safe(**b)).count();
        let is_flag = bytes[start - name..].starts_with(b"--");
        sign = match bytes.get(marks) {
            // Arguments of a call: `set("token", "…")`.
            Some(b',') if quoted => marks + 1,
            // An option: `--token …`.
            _ if is_flag && marks > end && bytes[end] == b' ' => end + 1,
            _ => return None,
        };
    }
    let is_gap = |b: u8| matches!(b, b'"' | b'\'' | b'`' | b' ' | b'\t' | b'\\' | b'*');
    let at = run(&bytes[..bytes.len().min(sign + GAP)], sign, is_gap);
    let quote = bytes[sign..at].last().copied();
    Some((at, quote.filter(|b| matches!(b, b'"' | b'\'' | b'`'))))
}

/// The start of the credentials in a header: after `Bearer`, `Token` and the like.
fn after_scheme(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    let word = run(&bytes[..bytes.len().min(at + 20)], at, is_url_safe);
    match bytes.get(word) {
        Some(b' ') if word > at => word + 1,
        _ => at,
    }
}

/// A value beside a name.
#[derive(Clone, Copy)]
struct Value<'v> {
    text: &'v str,
    /// The value has no quotes, so it may be source.
    is_bare: bool,
    /// The value follows a comma, so it may be the next item of a list.
    is_argument: bool,
}

/// Whether a value beside a name is a secret.
fn is_secret(given: Value<'_>, word: &str) -> bool {
    let value = given.text;
    let is_password = PASSWORDS.contains(&word);
    let least = match is_password {
        true => LEAST_PASSWORD,
        false => LEAST,
    };
    // A variable or a path. A hash of a password has dollars too.
    let is_variable = value.starts_with(['$', '%', '/', '.', '~', '@', '#'])
        && value.matches('$').count() < 3
        && !(is_password && value.starts_with(['#', '@', '~', '%']));
    if value.len() < least
        || is_variable
        || value.contains("://")
        || value.contains("::")
        || value.contains("...")
    {
        return false;
    }
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let letters = value.bytes().filter(u8::is_ascii_alphabetic).count();
    let others = value.len() - digits - letters;
    match is_password && !given.is_argument {
        true => {
            digits > 0 && letters > 0 && !is_code(value)
                || others > 0
                    && digits + letters > 3
                    && !value.contains(['.', '_', '-', '/', ':', '…'])
        }
        false => is_drawn(value, word, given.is_bare),
    }
}

/// Whether a value looks like a field of a variable: `config.password2`, `pair.1`.
fn is_code(value: &str) -> bool {
    let is_word = |part: &str| {
        !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    };
    value.contains('.')
        && value.starts_with(|c: char| c.is_ascii_alphabetic())
        && value.split('.').all(is_word)
}

/// Whether characters look random: they change between letters and digits, or between cases, more often than words do.
fn is_drawn(value: &str, word: &str, is_bare: bool) -> bool {
    // Names of types change case too: `Curve25519Seed`.
    let rate = if is_bare { 5 } else { 7 };
    let kind = |b: u8| match b {
        b'a'..=b'z' => 1,
        b'A'..=b'Z' => 2,
        b'0'..=b'9' => 3,
        _ => 0,
    };
    let mut seen = [false; 256];
    let (mut distinct, mut best) = (0, (0, 0));
    for part in value.split(|c: char| !c.is_ascii_alphanumeric()) {
        let bytes = part.as_bytes();
        // A capital letter begins a word.
        let changes = bytes
            .windows(2)
            .filter(|pair| {
                kind(pair[0]) != kind(pair[1]) && (kind(pair[0]), kind(pair[1])) != (2, 1)
            })
            .count();
        best = best.max((changes, part.len()));
        for b in bytes {
            distinct += usize::from(!std::mem::replace(&mut seen[usize::from(*b)], true));
        }
    }
    let (changes, length) = best;
    let has_digit = value.bytes().any(|b| b.is_ascii_digit());
    let is_mixed = match has_digit {
        true => changes >= 2 && changes * rate >= length && length >= 6,
        false => changes * 4 >= length && length >= LEAST,
    };
    // A date with its time, a number with its unit.
    let is_time =
        value.as_bytes().get(4) == Some(&b'-') && value[..4].bytes().all(|b| b.is_ascii_digit());
    let is_encoded =
        word == "basic " && value.len() >= LEAST && value.len().is_multiple_of(4) && changes > 0;
    distinct >= 7 && !is_time && (is_mixed || is_encoded)
}
