//! Lines that look like errors.

use crate::kinds::pattern;

/// Lines that look like errors.
pub struct Errors<'t> {
    pub count: usize,
    /// The first ones, under their numbers from 0.
    pub first: Vec<(usize, &'t str)>,
}

/// Words that errors have.
const FAILURES: [&str; 12] = [
    "error",
    "errors",
    "fail",
    "failed",
    "failure",
    "failures",
    "fatal",
    "panic",
    "panicked",
    "exception",
    "traceback",
    "critical",
];

/// Finds lines that look like errors, and keeps the first `kept` that differ in more than digits.
pub fn errors<'t>(lines: impl Iterator<Item = &'t str>, kept: usize) -> Errors<'t> {
    let mut errors = Errors {
        count: 0,
        first: Vec::new(),
    };
    let mut patterns = Vec::new();
    for (number, line) in lines.enumerate() {
        if !is_failure(line) {
            continue;
        }
        errors.count += 1;
        if errors.first.len() < kept && !patterns.contains(&pattern(line)) {
            patterns.push(pattern(line));
            errors.first.push((number, line));
        }
    }
    errors
}

/// Whether a line has one of [`FAILURES`] as a word in capitals, as its first word, as a label
/// (`error:`, `[error]`, `level=error`), or is of the form `ValueError: …`. In running text it is not
/// enough that such a word is there; `failed` and `panicked` are.
fn is_failure(line: &str) -> bool {
    let bytes = line.as_bytes();
    let mut at = 0;
    let mut is_first = true;
    while at < bytes.len() {
        if !bytes[at].is_ascii_alphabetic() {
            at += 1;
            continue;
        }
        let rest = &bytes[at..];
        let letters = rest
            .iter()
            .take_while(|byte| byte.is_ascii_alphabetic())
            .count();
        let word = &rest[..letters];
        let before = at.checked_sub(1).map(|at| bytes[at]);
        let after = rest.get(letters).copied();
        let is_label = after == Some(b':') && rest.get(letters + 1) != Some(&b':');
        at += letters;
        let is_class = letters > 5 && (word.ends_with(b"Error") || word.ends_with(b"Exception"));
        if is_class && is_label {
            return true;
        }
        let is_word = (4..=10).contains(&letters)
            && FAILURES
                .iter()
                .any(|known| word.eq_ignore_ascii_case(known.as_bytes()));
        let stands_alone = !matches!(before, Some(b'_' | b'-' | b'.' | b'/'))
            && !matches!(after, Some(b'_' | b'-' | b'.' | b'/' | b'('));
        if is_word && stands_alone {
            let is_capital = word.iter().all(u8::is_ascii_uppercase);
            let is_marked = matches!(before, Some(b'[' | b'=' | b'"' | b'<'));
            let is_plain =
                word.eq_ignore_ascii_case(b"failed") || word.eq_ignore_ascii_case(b"panicked");
            let is_bracketed = after == Some(b'[');
            if is_capital || is_marked || is_label || is_plain || is_bracketed || is_first {
                return true;
            }
        }
        is_first = false;
    }
    false
}
