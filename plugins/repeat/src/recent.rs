//! The latest results that the model received: a ring in the session.
//!
//! Key `n` holds their count, `rK` the result whose number is K modulo the size of the ring. Each is a value of its
//! own, because values must be small.

use tamis_sdk::{Call, session_value, set_session_value};

/// Size of the ring: with the count, fewer keys than a session may have.
pub const MOST_WITHIN: u32 = 60;
/// Characters stored of a tool's name and of its arguments. Together they fit into a value, with any number of bytes a
/// character, and are enough to recognise the call.
const CHARACTERS: usize = 100;
const COUNT: &str = "n";

/// A result that was shown whole: its fingerprint, and its call.
#[derive(Debug, PartialEq)]
pub struct ShownResult {
    pub fingerprint: String,
    pub tool: String,
    pub arguments: String,
}

impl ShownResult {
    pub fn new(fingerprint: String, call: &Call) -> ShownResult {
        ShownResult {
            fingerprint,
            tool: shortened(call.tool()),
            arguments: shortened(call.arguments()),
        }
    }
}

/// The number of results so far.
pub struct Recent {
    count: u64,
}

impl Recent {
    pub fn read() -> Recent {
        let count = session_value(COUNT).and_then(|count| count.parse().ok());
        Recent {
            count: count.unwrap_or(0),
        }
    }

    /// The last result with the same text, if it is one of the last `within`.
    pub fn find(&self, fingerprint: &str, within: u32) -> Option<ShownResult> {
        let oldest = self.count.saturating_sub(u64::from(within));
        (oldest..self.count).rev().find_map(|number| {
            let value = session_value(&key(number))?;
            let mut lines = value.split('\n');
            // Another result may have taken that place in the ring at the same time.
            let is_same = lines.next()?.parse() == Ok(number) && lines.next()? == fingerprint;
            is_same.then_some(())?;
            Some(ShownResult {
                fingerprint: fingerprint.to_owned(),
                tool: lines.next()?.to_owned(),
                arguments: lines.next()?.to_owned(),
            })
        })
    }

    /// Adds a result.
    pub fn note(&self, seen: &ShownResult) -> Result<(), String> {
        let ShownResult {
            fingerprint,
            tool,
            arguments,
        } = seen;
        let number = self.count;
        let value = format!("{number}\n{fingerprint}\n{tool}\n{arguments}");
        set_session_value(&key(number), &value)?;
        set_session_value(COUNT, &(number + 1).to_string())
    }
}

fn key(number: u64) -> String {
    format!("r{}", number % u64::from(MOST_WITHIN))
}

/// The beginning of a text, on one line.
fn shortened(text: &str) -> String {
    let mut characters = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let mut short: String = characters.by_ref().take(CHARACTERS).collect();
    if characters.next().is_some() {
        short.push('…');
    }
    short
}
