//! What becomes of a value, so that a query finds it as it takes it for.
//!
//! Owns the words that stand for no value, for yes and for no. Refuses to know columns and queries.

use super::database::Value;
use super::forms::Form;

/// What becomes of the values of a column, so that a query finds them as it takes them for.
pub(super) enum Conversion {
    /// An amount becomes its number, and another text NULL, unless it is kept.
    Numbers(Form, bool),
    /// A date becomes one as SQL has it.
    Dates(Form),
    /// An offset from UTC gets its colon.
    Offsets,
    /// `TRUE`, `yes` and `t` become 1.
    ToBooleans,
    /// A boolean becomes the text `true` or `false`.
    FromBooleans,
    /// A value in a column of lists becomes a list of one.
    Lists,
}

impl Conversion {
    pub(super) fn of<'v>(&self, value: Value<'v>) -> Value<'v> {
        match (self, &value) {
            (Conversion::Numbers(form, is_kept), Value::Text(text)) => match form.value(text) {
                Some(number) => Value::Real(number, ""),
                None if *is_kept => value,
                None => Value::Null,
            },
            (Conversion::Dates(form), Value::Text(text)) => {
                let date = form.date(text);
                date.map_or(value, |date| Value::Text(date.into()))
            }
            (Conversion::Offsets, Value::Text(text)) if has_bare_offset(text) => {
                let (time, minutes) = text.split_at(text.len() - 2);
                Value::Text(format!("{time}:{minutes}").into())
            }
            (Conversion::ToBooleans, Value::Text(text)) => {
                boolean(text).map_or(value, Value::Boolean)
            }
            (Conversion::FromBooleans, Value::Boolean(truth)) => {
                Value::Text(if *truth { "true" } else { "false" }.into())
            }
            (Conversion::Lists, Value::Text(text)) if !text.starts_with(['[', '{']) => {
                let list = serde_json::to_string(&[text]).unwrap_or_default();
                Value::Text(list.into())
            }
            _ => value,
        }
    }
}

/// Words that stand for no value.
const NULLS: [&str; 9] = [
    "null", "<null>", "(null)", "none", "<none>", "nil", "<nil>", "\\N", "nan",
];
/// The same, among numbers.
const BLANKS: [&str; 10] = [
    "na", "n/a", "#n/a", "n/d", "-", "--", "\u{2013}", "\u{2014}", ".", "?",
];

fn is_among(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// Whether a text stands for no value among numbers.
pub(super) fn is_blank(text: &str) -> bool {
    is_among(text, &NULLS) || is_among(text, &BLANKS)
}

/// Whether a text stands for no value in a database.
pub(super) fn is_null(text: &str) -> bool {
    is_among(text, &NULLS)
}

/// Whether a time ends in an offset without a colon: `+0100`.
fn has_bare_offset(text: &str) -> bool {
    let start = text.len().saturating_sub(5);
    text.get(start..).is_some_and(is_bare)
}

/// Whether an offset has no colon.
pub(super) fn is_bare(offset: &str) -> bool {
    let digits = offset.strip_prefix(['+', '-']);
    digits.is_some_and(|it| it.len() == 4 && it.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Whether a text says yes or no.
pub(super) fn boolean(text: &str) -> Option<bool> {
    match () {
        () if is_among(text, &["true", "t", "yes", "y", "on"]) => Some(true),
        () if is_among(text, &["false", "f", "no", "n", "off"]) => Some(false),
        () => None,
    }
}
