//! Notes inside a text or a list, which a second run finds again: at the end of a list that is the whole document, and
//! beside the lines of a text.

use crate::settings::{ARGUMENT, Cap, CapKind};
use serde_json::{Map, Value};
use tamis_sdk::Template;

/// The default wording of a note, also used if the operator's asks for a missing value.
pub fn fallback(kind: &CapKind) -> &'static str {
    match kind {
        CapKind::First | CapKind::Last | CapKind::Fair => LIST,
        CapKind::Bytes => STRING,
        CapKind::FirstLines => FIRST_LINES,
        CapKind::LastLines => LAST_LINES,
    }
}

const LIST: &str = "{shown} of {total} shown";
const STRING: &str = "[truncated: {shown} of {total} bytes]";
const FIRST_LINES: &str = "[truncated: first {shown} of {total} lines]";
const LAST_LINES: &str = "[truncated: last {shown} of {total} lines]";
/// The largest size of a string's line, with numbers of ten digits and quotes.
pub const STRING_BYTES: usize = STRING.len() - "{shown}{total}".len() + 2 * 10 + 2;

/// A note of an earlier run.
#[derive(Debug, PartialEq, Eq)]
pub struct Noted {
    /// The number of elements or lines before that run, if the wording has it.
    pub total: Option<usize>,
}

/// The notes of one cap in one call. Their wording has only numbers and arguments, so it is the same in another run.
pub struct Notes<'a> {
    pub cap: &'a Cap,
    pub arguments: &'a Map<String, Value>,
}

impl Notes<'_> {
    /// The note for these numbers.
    pub fn write(&self, shown: usize, total: usize) -> String {
        let (mut text, places) = self.around_total(shown);
        for place in places.iter().rev() {
            text.insert_str(*place, &total.to_string());
        }
        text
    }

    /// Reads a note beside `shown` elements or lines. None if the text is no note of this cap.
    pub fn read(&self, text: &str, shown: usize) -> Option<Noted> {
        let (around, places) = self.around_total(shown);
        if places.is_empty() {
            return (text == around).then_some(Noted { total: None });
        }
        // Every place has the same digits, so the length gives their number.
        let digits = text.len().checked_sub(around.len())? / places.len();
        let (mut rest, mut at, mut total) = (text, 0, None);
        for place in places {
            rest = rest.strip_prefix(&around[at..place])?;
            let (number, after) = rest.split_at_checked(digits)?;
            let is_plain = number.bytes().all(|byte| byte.is_ascii_digit());
            let number: usize = number.parse().ok().filter(|_| is_plain)?;
            if total.is_some_and(|total| total != number) {
                return None;
            }
            total = Some(number);
            (rest, at) = (after, place);
        }
        let is_note = rest == &around[at..] && total.is_some_and(|total| total > shown);
        is_note.then_some(Noted { total })
    }

    /// The note without its total, and the positions of the total in it.
    fn around_total(&self, shown: usize) -> (String, Vec<usize>) {
        let fill = |template: &Template| {
            let mut places = Vec::new();
            let filled = template.fill(|name, out| {
                match name {
                    "shown" => out.push_str(&shown.to_string()),
                    "total" => places.push(out.len()),
                    _ => match argument(self.arguments, name) {
                        // A line break would split the note into two lines.
                        Some(value) if !value.contains(['\n', '\r']) => out.push_str(&value),
                        _ => return false,
                    },
                }
                true
            });
            filled.map(|text| (text, places))
        };
        let own = self.cap.note.as_ref();
        own.and_then(|wording| fill(&wording.template))
            .or_else(|| fill(&Template::new(fallback(&self.cap.kind))))
            .unwrap_or_default()
    }
}

/// The value of `{argument.name}`, if the call has it: a text, a number or a boolean.
pub fn argument(arguments: &Map<String, Value>, name: &str) -> Option<String> {
    match arguments.get(name.strip_prefix(ARGUMENT)?)? {
        Value::String(text) => Some(text.clone()),
        value @ (Value::Number(_) | Value::Bool(_)) => Some(value.to_string()),
        _ => None,
    }
}
