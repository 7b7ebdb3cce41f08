//! `truncate`: cuts a long document at a limit of characters, bytes or tokens, and marks the cut.
//!
//! Owns the settings, and the decision whether to cut. [`cut`] and [`tokens`] find the position, and [`marker`] writes
//! the marker. Refuses to know the meaning of the document: JSON that is cut becomes text.
//!
//! It reads no more than it leaves. A document with more bytes than four for each allowed character is too long, so
//! only a shorter one is read whole.

mod cut;
#[cfg(test)]
mod examples;
mod marker;
#[cfg(test)]
mod tests;
mod tokens;

use crate::cut::HeadAndTail;
use crate::marker::{Marker, Numbers};
use serde::Deserialize;
use std::borrow::Cow;
use tamis_sdk::{
    Call, Capability, Description, Document, Fidelity, Filter, Verdict, rewritten_text,
};

/// The settings: how much of a document stays, and the marker of the cut.
#[derive(Deserialize)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct Settings {
    /// How much of a document stays, in `unit`. A document up to this length stays unchanged.
    limit: u32,
    /// Unit of `limit` and `tail`: characters, bytes of UTF-8 or o200k tokens. The filter never splits a character.
    unit: Unit,
    /// How much of `limit` comes from the document's end; 0 leaves only its beginning.
    tail: u32,
    /// Text at the cut. You can use `{shown}` and `{total}` (characters; bytes unless `unit` is "chars"), and the names
    /// of the stored original: `{call}`, the call that reads it, `{path}`, its file, and `{ref}`, its reference. If no
    /// original is stored, the default replaces a marker with such a name.
    marker: String,
}

/// The unit of a limit.
#[derive(Deserialize, Clone, Copy, PartialEq)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
enum Unit {
    Chars,
    Bytes,
    Tokens,
}

/// The default text at a cut.
const TRUNCATED: &str = "\n\n[truncated]";

impl Default for Settings {
    fn default() -> Self {
        Settings {
            limit: 4000,
            unit: Unit::Chars,
            tail: 0,
            marker: TRUNCATED.to_owned(),
        }
    }
}

/// Most bytes by which the rest is smaller than the limit: a part of a character, or of a word.
const NEAR_BYTES: u32 = 1024;

/// Candidates for a marker that are examined on either side of a cut.
const PLACES_AROUND: usize = 8;

struct Truncate {
    unit: Unit,
    head: u32,
    tail: u32,
    marker: Marker,
    /// Used if no original is stored.
    plain: Marker,
}

impl Truncate {
    /// The parts of a document that stay, or none if the whole document stays.
    fn keep<'d>(&self, document: &'d Document) -> Option<HeadAndTail<'d>> {
        match self.unit {
            Unit::Chars => cut::characters(document, self.head, self.tail),
            Unit::Bytes => cut::bytes(document, self.head, self.tail),
            Unit::Tokens => tokens::cut(document, self.head, self.tail),
        }
    }

    /// Whether a document is an output of this filter.
    fn was_cut_before(&self, document: &Document, kept: &HeadAndTail<'_>) -> bool {
        let markers = [&self.marker, &self.plain];
        let longest = markers.map(Marker::longest_bytes);
        let longest = longest[0].max(longest[1]);
        let size = match self.unit {
            Unit::Chars => {
                let start = kept.head.len() as u32;
                return kept.removed_bytes() <= longest && {
                    let gone = document.slice(start, kept.tail_start);
                    markers.iter().any(|marker| marker.is(&gone))
                };
            }
            Unit::Bytes => |text: &str| text.len() as u32,
            Unit::Tokens => tokens::count,
        };
        // An earlier cut may have left a little less than the limit, so the marker may be near this cut.
        let near = longest.saturating_add(NEAR_BYTES);
        if kept.removed_bytes() > near {
            return false;
        }
        let text = document.text();
        let cut = kept.head.len();
        let window = cut.saturating_sub(near as usize)..cut.saturating_add(near as usize);
        markers.iter().any(|marker| {
            let places = marker.occurrences(text, window.clone());
            // Later candidates have more before them and less after them. So only the last ones with a small enough
            // beginning matter. In tokens a few more matter, because more text can have fewer tokens.
            let over = places.partition_point(|place| size(&text[..place.start]) <= self.head);
            let around = over.saturating_sub(PLACES_AROUND)..places.len().min(over + PLACES_AROUND);
            places[around].iter().any(|place| {
                size(&text[..place.start]) <= self.head && size(&text[place.end..]) <= self.tail
            })
        })
    }

    fn numbers(&self, document: &Document, kept: &HeadAndTail<'_>) -> Numbers {
        let size = |text: &str| match self.unit {
            Unit::Chars => text.chars().count(),
            Unit::Bytes | Unit::Tokens => text.len(),
        };
        let total = || match self.unit {
            Unit::Chars => cut::count_characters(document),
            Unit::Bytes | Unit::Tokens => document.len_bytes() as usize,
        };
        Numbers {
            shown: size(&kept.head) + size(&kept.tail),
            total: if self.marker.names_total() {
                total()
            } else {
                0
            },
        }
    }
}

impl Filter for Truncate {
    type Settings = Settings;

    const SETTINGS_SCHEMA: &'static str = include_str!("../settings.schema.json");

    fn describe() -> Description {
        Description::new(
            "truncate",
            env!("CARGO_PKG_VERSION"),
            env!("CARGO_PKG_DESCRIPTION"),
        )
        .fidelity(Fidelity::Partial)
        .wants(&[Capability::Tokens, Capability::Original])
        .idempotent()
        // One character too many also causes a cut, and the marker is longer than that.
        .may_grow()
    }

    fn configure(settings: Settings) -> Result<Self, String> {
        if settings.limit == 0 {
            return Err("`limit` is 0: something has to stay, so 1 or more".to_owned());
        }
        if settings.tail > settings.limit {
            return Err(format!(
                "`tail` is {}: it is a part of `limit`, so at most {}",
                settings.tail, settings.limit
            ));
        }
        Ok(Truncate {
            unit: settings.unit,
            head: settings.limit - settings.tail,
            tail: settings.tail,
            marker: Marker::parse(&settings.marker)?,
            plain: Marker::parse(TRUNCATED)?,
        })
    }

    fn least_bytes(&self) -> u32 {
        // Each unit has at least one byte.
        (self.head + self.tail).saturating_add(1)
    }

    fn apply(&self, document: &Document, _call: &Call) -> Result<Verdict, String> {
        if document.len_bytes() < self.least_bytes() {
            return Ok(Verdict::Unchanged);
        }
        let Some(kept) = self.keep(document) else {
            return Ok(Verdict::Unchanged);
        };
        if self.was_cut_before(document, &kept) {
            return Ok(Verdict::Unchanged);
        }
        let numbers = self.numbers(document, &kept);
        let original = if self.marker.names_original() {
            tamis_sdk::keep_original("")
        } else {
            None
        };
        let marker = match self.marker.fill(&numbers, original.as_ref()) {
            Some(marker) => Cow::Owned(marker),
            None => Cow::Borrowed(TRUNCATED),
        };
        Ok(rewritten_text([&*kept.head, &marker, &kept.tail].concat()))
    }
}

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
#[global_allocator]
static ALLOCATOR: tamis_sdk::Bump = tamis_sdk::Bump::new();

tamis_sdk::export!(Truncate);
