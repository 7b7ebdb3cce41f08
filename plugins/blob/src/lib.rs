//! `blob`: stores bytes that are written as text (base64, optionally hex), and replaces them by a line with their kind
//! and size.
//!
//! Owns the settings, and the choice of texts: the strings of JSON, and a whole text. [`scan`] and [`dump`] find blobs,
//! [`decode`] decodes and judges them, [`media`] names their kind, and [`place`] their path in the JSON.

mod decode;
mod dump;
mod media;
mod place;
mod scan;
#[cfg(test)]
mod tests;

use crate::place::Walk;
use crate::scan::Blob;
use serde::Deserialize;
use tamis_sdk::{
    Call, Capability, Description, Document, Edits, Fidelity, Filter, Kept, Kind, NodeKind,
    Splices, Verdict, quote, read_call, thousands,
};

/// The settings: which texts are blobs.
#[derive(Deserialize)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct Settings {
    /// Minimum number of characters of a blob as it is spelled, 200 or more.
    least: u32,
    /// Also finds base64 without a `data:` URI.
    bare: bool,
    /// Also finds the alphabet of URLs and file names (`-` and `_`).
    base64url: bool,
    /// Also finds hexadecimal digits: long runs, and the output of `xxd` and `hexdump -C`.
    hex: bool,
    /// Also replaces JSON Web Tokens, as a whole.
    jwt: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            least: 512,
            bare: true,
            base64url: false,
            hex: false,
            jwt: false,
        }
    }
}

/// The least size, so that the line is much shorter than the blob.
const LEAST: u32 = 200;
/// Longer paths do not appear in calls.
const PATH_BYTES: usize = 160;
/// The text that announces base64 in a `data:` URI.
const ANNOUNCED: &str = ";base64,";

struct Blobs {
    settings: Settings,
}

impl Blobs {
    fn in_json(&self, document: &Document, call: &Call) -> Verdict {
        let mut edits = Edits::new();
        let mut original = Original::default();
        let mut walk = Walk::new(document);
        while let Some(value) = walk.next() {
            let is_long = value.len_bytes() >= self.settings.least + 2;
            if value.kind() != NodeKind::String || !is_long {
                continue;
            }
            let Some(text) = document.string(value) else {
                continue;
            };
            let blobs = scan::blobs(&text, &self.settings);
            if blobs.is_empty() {
                continue;
            }
            // A path leads only into a document that came as JSON.
            let path = (call.sent_as() == Kind::Json)
                .then(|| walk.path(document))
                .flatten()
                .filter(|path| path.len() <= PATH_BYTES);
            let arguments = path.map(|path| format!(r#""path":{}"#, quote(&path)));
            let Some(read) = original.read(&arguments.unwrap_or_default()) else {
                return Verdict::Unchanged;
            };
            let (mut new, mut copied) = (String::new(), 0);
            for (blob, line) in worth_it(&blobs, |blob| line(blob, &read)) {
                new.push_str(&text[copied..blob.start]);
                new.push_str(&line);
                copied = blob.end;
            }
            if copied > 0 {
                new.push_str(&text[copied..]);
                edits.replace(value, &quote(&new));
            }
        }
        edits.into()
    }

    fn in_text(&self, document: &Document, call: &Call) -> Verdict {
        let text = document.text();
        let blobs = scan::blobs(text, &self.settings);
        let mut original = Original::default();
        let mut splices = Splices::new();
        let (mut lines, mut counted) = (1, 0);
        let mut failed = false;
        let as_line = |blob: &Blob| {
            lines += breaks(&text[counted..blob.start]);
            counted = blob.start;
            let last = lines + breaks(&text[blob.start..blob.end]);
            // The line numbers are right only for a document that came as text.
            let range = match call.sent_as() {
                Kind::Text => format!(r#""lines":"{lines}-{last}""#),
                Kind::Json => String::new(),
            };
            let read = original.read(&range);
            failed |= read.is_none();
            line(blob, &read.unwrap_or_default())
        };
        for (blob, line) in worth_it(&blobs, as_line) {
            splices.replace(blob.start as u32, blob.end as u32, &line);
        }
        if failed {
            return Verdict::Unchanged;
        }
        splices.into()
    }
}

/// The original, stored when the first blob is found.
#[derive(Default)]
struct Original {
    kept: Option<Option<Kept>>,
}

impl Original {
    /// The call that reads this document; none if no originals are stored.
    fn read(&mut self, arguments: &str) -> Option<String> {
        let kept = self
            .kept
            .get_or_insert_with(|| tamis_sdk::keep_original(""));
        kept.as_ref().map(|kept| read_call(kept, arguments))
    }
}

/// Blobs with their replacing lines, if these are shorter.
fn worth_it(
    blobs: &[Blob],
    mut line: impl FnMut(&Blob) -> String,
) -> impl Iterator<Item = (&Blob, String)> {
    let lines = blobs.iter().map(move |blob| (blob, line(blob)));
    lines.filter(|(blob, line)| line.len() < blob.end - blob.start)
}

fn line(blob: &Blob, read: &str) -> String {
    let Blob {
        media, encoding, ..
    } = blob;
    let bytes = thousands(blob.bytes as u64);
    format!("[{media}, {encoding}, {bytes} bytes: {read}]")
}

fn breaks(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count()
}

impl Filter for Blobs {
    type Settings = Settings;

    const SETTINGS_SCHEMA: &'static str = include_str!("../settings.schema.json");

    fn describe() -> Description {
        Description::new(
            "blob",
            env!("CARGO_PKG_VERSION"),
            env!("CARGO_PKG_DESCRIPTION"),
        )
        .fidelity(Fidelity::Partial)
        .wants(&[Capability::Original])
        .idempotent()
    }

    fn configure(settings: Settings) -> Result<Self, String> {
        if settings.least < LEAST {
            return Err(format!(
                "`least` is {}: {LEAST} characters or more are allowed, since the line in their place has about 120",
                settings.least
            ));
        }
        Ok(Blobs { settings })
    }

    fn triggers(&self) -> Vec<String> {
        let Settings { bare, hex, jwt, .. } = self.settings;
        if bare || hex || jwt {
            return Vec::new();
        }
        // In JSON it may be spelled with escapes.
        vec![ANNOUNCED.to_owned(), "\\u".to_owned()]
    }

    fn least_bytes(&self) -> u32 {
        self.settings.least
    }

    fn apply(&self, document: &Document, call: &Call) -> Result<Verdict, String> {
        Ok(match document.kind() {
            Kind::Json => self.in_json(document, call),
            Kind::Text => self.in_text(document, call),
        })
    }
}

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
#[global_allocator]
static ALLOCATOR: tamis_sdk::Bump = tamis_sdk::Bump::new();

tamis_sdk::export!(Blobs);
