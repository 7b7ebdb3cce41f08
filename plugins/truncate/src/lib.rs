//! `truncate`: cuts a long document at a limit of characters, bytes or tokens, and says so.
//!
//! Owns the settings, and when a document stays as it is. Where the cut lies is in [`cut`] and
//! [`tokens`], what is said about it in [`marker`]. Refuses to know what the document means: JSON that
//! is cut becomes text.
//!
//! It reads no more than it keeps. That a document of more than four bytes a character is too long is
//! known without looking; only a shorter one is read whole.

mod cut;
#[cfg(test)]
mod examples;
mod marker;
#[cfg(test)]
mod tests;
mod tokens;

use crate::cut::Kept;
use crate::marker::{Marker, Numbers};
use serde::Deserialize;
use std::borrow::Cow;
use tamis_sdk::{
    Call, Capability, Description, Document, Fidelity, Filter, Verdict, rewritten_text,
};

/// How much of a document stays, and what is said about the rest.
#[derive(Deserialize)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct Settings {
    /// How much of a document stays, in `unit`. A document up to this long is left alone.
    limit: u32,
    /// What `limit` and `tail` count: characters, bytes of UTF-8 or o200k tokens. A character is
    /// never cut in two.
    unit: Unit,
    /// How much of `limit` is taken from the document's end; 0 keeps its beginning alone.
    tail: u32,
    /// What stands where the document was cut. It may name `{shown}` and `{total}` (characters; bytes
    /// unless `unit` is "chars"), and what is kept of the original: `{call}`, the call that reads it
    /// back, `{path}`, its file, and `{ref}`, its reference. Where no original is kept, a marker that
    /// names one gives way to the default.
    marker: String,
}

/// What a limit counts.
#[derive(Deserialize, Clone, Copy, PartialEq)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
enum Unit {
    Chars,
    Bytes,
    Tokens,
}

/// What stands at a cut unless told otherwise.
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

/// How much less than the limit can stay: the rest of a character, or of a word.
const NEAR_BYTES: u32 = 1024;

/// Of the places of a marker near a cut, how many are looked at on either side.
const PLACES_AROUND: usize = 8;

struct Truncate {
    unit: Unit,
    head: u32,
    tail: u32,
    marker: Marker,
    /// Stands in where no original is kept.
    plain: Marker,
}

impl Truncate {
    /// What stays of a document, or none if all of it does.
    fn keep<'d>(&self, document: &'d Document) -> Option<Kept<'d>> {
        match self.unit {
            Unit::Chars => cut::characters(document, self.head, self.tail),
            Unit::Bytes => cut::bytes(document, self.head, self.tail),
            Unit::Tokens => tokens::cut(document, self.head, self.tail),
        }
    }

    /// Whether a document is what this filter made of another one.
    fn was_cut_before(&self, document: &Document, kept: &Kept<'_>) -> bool {
        let markers = [&self.marker, &self.plain];
        let longest = markers.map(Marker::longest_bytes);
        let longest = longest[0].max(longest[1]);
        let size = match self.unit {
            Unit::Chars => {
                let start = kept.head.len() as u32;
                return kept.gone_bytes() <= longest && {
                    let gone = document.slice(start, kept.tail_start);
                    markers.iter().any(|marker| marker.is(&gone))
                };
            }
            Unit::Bytes => |text: &str| text.len() as u32,
            Unit::Tokens => tokens::count,
        };
        // What stayed may be a little less than the limit: the marker is not just where this cut is,
        // but near.
        let near = longest.saturating_add(NEAR_BYTES);
        if kept.gone_bytes() > near {
            return false;
        }
        let text = document.text();
        let cut = kept.head.len();
        let window = cut.saturating_sub(near as usize)..cut.saturating_add(near as usize);
        markers.iter().any(|marker| {
            let places = marker.places(text, window.clone());
            // The further on a place is, the more is before it and the less after it. So only the last places
            // before which there is not too much count; in tokens a few more, since a token more
            // of text can be a token less to count.
            let over = places.partition_point(|place| size(&text[..place.start]) <= self.head);
            let around = over.saturating_sub(PLACES_AROUND)..places.len().min(over + PLACES_AROUND);
            places[around].iter().any(|place| {
                size(&text[..place.start]) <= self.head && size(&text[place.end..]) <= self.tail
            })
        })
    }

    fn numbers(&self, document: &Document, kept: &Kept<'_>) -> Numbers {
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
        // One character too many is a cut too, and its marker is longer than that.
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

    fn apply(&self, document: &Document, _call: &Call) -> Result<Verdict, String> {
        // No unit is less than a byte.
        if document.len_bytes() <= self.head + self.tail {
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
