//! `repeat`: replaces a result that the model already has by a line that names the earlier result.
//!
//! Owns the settings and the decision. [`recent`] remembers earlier results, within the limits of a session, and
//! [`line`] writes the line. Refuses to know how a session is stored.

mod line;
mod recent;
#[cfg(test)]
mod tests;

use crate::line::Line;
use crate::recent::{MOST_WITHIN, Recent, ShownResult};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use tamis_sdk::{
    Call, Capability, Description, Document, Fidelity, Filter, Surface, Verdict, rewritten_text,
};

/// The settings: which results are replaced, and for how long.
#[derive(Deserialize)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct Settings {
    /// Shorter results, in bytes, are shown again, because the line would be as long.
    least: u32,
    /// Maximum number of results between a result and its repetition, 1 to 60. Older results may have left the model's
    /// context. Results shorter than `least`, and lines that replace results, do not count.
    within: u32,
    /// Argument of a call that asks for the whole result, if it is `true`. Empty: none.
    full: String,
    /// Says in the line that the call can have that argument. Set it for tools that accept the argument.
    say_full: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            least: 400,
            within: 20,
            full: "full".to_owned(),
            say_full: false,
        }
    }
}

struct Repeat {
    settings: Settings,
}

impl Repeat {
    /// Whether the model asked for the whole result.
    fn asks_for_all(&self, call: &Call) -> bool {
        let name = &self.settings.full;
        if name.is_empty() || !call.arguments().contains(name.as_str()) {
            return false;
        }
        let arguments: Result<BTreeMap<String, serde_json::Value>, _> =
            serde_json::from_str(call.arguments());
        arguments.is_ok_and(|it| it.get(name) == Some(&serde_json::Value::Bool(true)))
    }
}

/// A hash that is long enough that nobody can make two texts with the same one.
fn fingerprint(text: &str) -> String {
    let hash = Sha256::digest(text);
    hash[..16].iter().fold(String::new(), |mut hex, byte| {
        for digit in [byte >> 4, byte & 0xf] {
            hex.push(char::from(b"0123456789abcdef"[usize::from(digit)]));
        }
        hex
    })
}

impl Filter for Repeat {
    type Settings = Settings;

    const SETTINGS_SCHEMA: &'static str = include_str!("../settings.schema.json");

    fn describe() -> Description {
        Description::new(
            "repeat",
            env!("CARGO_PKG_VERSION"),
            env!("CARGO_PKG_DESCRIPTION"),
        )
        .fidelity(Fidelity::Partial)
        .wants(&[Capability::Original, Capability::Session])
    }

    fn configure(settings: Settings) -> Result<Self, String> {
        if !(1..=MOST_WITHIN).contains(&settings.within) {
            return Err(format!(
                "`within` is {}: 1 to {MOST_WITHIN} results are allowed",
                settings.within
            ));
        }
        if settings.say_full && settings.full.is_empty() {
            return Err(
                "`say-full` is true, and `full` names no argument that the line could tell of"
                    .to_owned(),
            );
        }
        Ok(Repeat { settings })
    }

    fn least_bytes(&self) -> u32 {
        self.settings.least
    }

    fn apply(&self, document: &Document, call: &Call) -> Result<Verdict, String> {
        if document.len_bytes() < self.settings.least
            || call.is_error()
            || !matches!(call.surface(), Surface::Result | Surface::History)
        {
            return Ok(Verdict::Unchanged);
        }
        let fingerprint = fingerprint(document.text());
        let recent = Recent::read();
        if !self.asks_for_all(call)
            && let Some(first) = recent.find(&fingerprint, self.settings.within)
            && let Some(kept) = tamis_sdk::keep_original("")
        {
            let line = Line {
                first: &first,
                bytes: document.len_bytes(),
                read: &kept.call,
                full: self.settings.say_full.then_some(&*self.settings.full),
            };
            return Ok(rewritten_text(line.to_string()));
        }
        recent.note(&ShownResult::new(fingerprint, call))?;
        Ok(Verdict::Unchanged)
    }
}

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
#[global_allocator]
static ALLOCATOR: tamis_sdk::Bump = tamis_sdk::Bump::new();

tamis_sdk::export!(Repeat);
