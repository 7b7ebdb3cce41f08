//! `ansi`: removes content for terminals: colours, cursor movements, links, and earlier states of progress bars.
//!
//! Owns the settings, and the choice of texts: the lines of a text, and the strings of JSON, in which an escape
//! character is itself escaped (`\u001b[31m`). Keys stay unchanged. [`terminal`] defines sequences and overwriting, and is
//! shared with filters that read what a text shows.

#[cfg(test)]
mod tests;

use serde::Deserialize;
use tamis_formats::terminal::{self, Removal, Screen, Spelling, changed_lines};
use tamis_sdk::{Call, Description, Document, Edits, Fidelity, Filter, NodeKind, Splices, Verdict};

/// The settings: what the filter removes beside escape sequences.
#[derive(Deserialize)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct Settings {
    /// Text that a line had before a carriage return. "redrawn" removes text that was erased, or that looks like the
    /// text drawn over it, as states of a progress bar do. "all" removes all of it, and "none" nothing.
    overwritten: Overwritten,
    /// Removes a backspace together with the character before it.
    backspace: bool,
}

/// When overwritten text is removed.
#[derive(Deserialize, Clone, Copy, PartialEq)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
enum Overwritten {
    Redrawn,
    All,
    None,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            overwritten: Overwritten::Redrawn,
            backspace: true,
        }
    }
}

struct Ansi {
    settings: Settings,
}

impl Ansi {
    fn removal(&self) -> Removal {
        Removal {
            overwritten: match self.settings.overwritten {
                Overwritten::Redrawn => terminal::Overwritten::Redrawn,
                Overwritten::All => terminal::Overwritten::All,
                Overwritten::None => terminal::Overwritten::None,
            },
            backspace: self.settings.backspace,
        }
    }

    /// Splices, since the rest stays: so a text need not lose much.
    fn text(&self, document: &Document) -> Verdict {
        let text = document.text();
        let mut splices = Splices::new();
        for (range, shown) in changed_lines(text, self.removal()) {
            let line = &text[range.clone()];
            let same = same_beginning(line, &shown);
            let same_end = same_end(&line[same..], &shown[same..]);
            let (start, end) = (range.start + same, range.end - same_end);
            let stays = &shown[same..shown.len() - same_end];
            splices.replace(start as u32, end as u32, stays);
        }
        splices.into()
    }

    fn json(&self, document: &Document) -> Verdict {
        let mut edits = Edits::new();
        let mut cursor = document.root();
        let text = document.text();
        while let Some(node) = cursor {
            cursor = node.following();
            if node.kind() != NodeKind::String || !node.is_escaped() {
                continue;
            }
            let raw = &text[node.start() as usize..node.end() as usize];
            let said = &raw[1..raw.len() - 1];
            let mut screen = Screen::new(self.removal(), Spelling::Json);
            if terminal::may_control(said) && screen.draw(said) {
                edits.replace(node, &format!("\"{}\"", screen.text()));
            }
        }
        edits.into()
    }
}

/// Bytes at the beginning of both texts, in whole characters.
fn same_beginning(text: &str, other: &str) -> usize {
    let pairs = text.chars().zip(other.chars());
    pairs
        .take_while(|(one, other)| one == other)
        .map(|(character, _)| character.len_utf8())
        .sum()
}

/// Bytes at the end of both texts, in whole characters.
fn same_end(text: &str, other: &str) -> usize {
    let pairs = text.chars().rev().zip(other.chars().rev());
    pairs
        .take_while(|(one, other)| one == other)
        .map(|(character, _)| character.len_utf8())
        .sum()
}

impl Filter for Ansi {
    type Settings = Settings;

    const SETTINGS_SCHEMA: &'static str = include_str!("../settings.schema.json");

    fn describe() -> Description {
        Description::new(
            "ansi",
            env!("CARGO_PKG_VERSION"),
            env!("CARGO_PKG_DESCRIPTION"),
        )
        .fidelity(Fidelity::Equivalent)
        .idempotent()
    }

    fn configure(settings: Settings) -> Result<Self, String> {
        Ok(Ansi { settings })
    }

    fn triggers(&self) -> Vec<String> {
        let escape = ["\u{1b}", "\\u001b", "\\u001B"];
        let carriage_return = ["\r", "\\r", "\\u000d", "\\u000D"];
        let backspace = ["\u{8}", "\\b", "\\u0008"];
        let mut triggers = escape.to_vec();
        if self.settings.overwritten != Overwritten::None {
            triggers.extend(carriage_return);
        }
        if self.settings.backspace {
            triggers.extend(backspace);
        }
        triggers.into_iter().map(str::to_owned).collect()
    }

    fn apply(&self, document: &Document, _call: &Call) -> Result<Verdict, String> {
        Ok(match document.root() {
            Some(_) => self.json(document),
            None => self.text(document),
        })
    }
}

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
#[global_allocator]
static ALLOCATOR: tamis_sdk::Bump = tamis_sdk::Bump::new();

tamis_sdk::export!(Ansi);
