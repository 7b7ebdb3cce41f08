//! `summary`: what a large document holds, in place of the document, and the calls that get any part of
//! it.
//!
//! JSON becomes its tables (columns, counts of values, ranges, true totals, the first rows) and its small
//! members as they are; text becomes its kinds of lines, what looks like errors, head and tail.
//! Where nothing is kept to read from, a document stays as it is.

mod calls;
mod column;
mod counted;
mod counts;
mod extremes;
mod failures;
mod json;
mod kinds;
mod landmarks;
mod lines;
mod outline;
mod paper;
mod paths;
mod rare;
mod settings;
mod size;
mod table;
mod tally;
mod telling;
mod texts;
mod tree;

use json::Digest;
use outline::Outline;
use paper::{Paper, characters};
use settings::{Settings, Size};
use table::Style;
use tamis_sdk::{
    Call, Capability, Description, Document, Fidelity, Filter, Kept, Kind, Verdict, rewritten_text,
};

pub use size::encoded_chars;

/// Characters of an error that stay as they are.
const ERROR_HEAD: usize = 1_500;
/// Characters of an error's end that are shown: what went wrong is often said last.
const ERROR_TAIL: usize = 300;

/// The filter.
pub struct Summary {
    settings: Settings,
    above: Size,
}

impl Filter for Summary {
    type Settings = Settings;

    const SETTINGS_SCHEMA: &'static str = include_str!("../settings.schema.json");

    fn describe() -> Description {
        Description::new(
            "summary",
            env!("CARGO_PKG_VERSION"),
            env!("CARGO_PKG_DESCRIPTION"),
        )
        .fidelity(Fidelity::Partial)
        .wants(&[Capability::Original, Capability::Tokens])
        .idempotent()
    }

    fn configure(settings: Settings) -> Result<Self, String> {
        let above = settings.check()?;
        Ok(Summary { settings, above })
    }

    fn apply(&self, document: &Document, call: &Call) -> Result<Verdict, String> {
        if !size::is_over(document, self.above, self.settings.tables) {
            return Ok(Verdict::Unchanged);
        }
        let Some(kept) = tamis_sdk::keep_original("") else {
            return Ok(Verdict::Unchanged);
        };
        let summary = if call.is_error() {
            self.error(document, call, &kept)
        } else if document.kind() == Kind::Json {
            self.json(document, call, &kept)
        } else {
            self.text(document, call, &kept)
        };
        if summary.len() >= document.len_bytes() as usize {
            return Ok(Verdict::Unchanged);
        }
        Ok(rewritten_text(summary))
    }
}

impl Summary {
    fn style(&self) -> Style {
        Style {
            rows: self.settings.rows as usize,
            cell: self.settings.cell as usize,
        }
    }

    /// A paper with room for all but the calls, its first line, and the calls at the end.
    fn written(&self, head: &str, calls: &str, tell: impl FnOnce(&mut Paper)) -> String {
        let budget = self.above.budget_characters();
        let mut paper = Paper::new(budget.saturating_sub(characters(calls)));
        paper.cut_line(head);
        tell(&mut paper);
        format!("{}{calls}", paper.text())
    }

    fn json(&self, document: &Document, call: &Call, kept: &Kept) -> String {
        let text = document.text();
        let Some(root) = document.root() else {
            return self.text(document, call, kept);
        };
        let distinct = self.settings.distinct as usize;
        let digest = Digest::of(Outline::of(text, root, distinct), &self.settings.keep);
        let style = self.style();
        let calls = match call.sent_as() {
            Kind::Text => {
                calls::of_converted(kept, call, digest.outline(), digest.main(), style.rows)
            }
            Kind::Json => calls::of_json(kept, call, digest.outline(), digest.main(), style.rows),
        };
        let count = characters(text);
        let head = format!("Summary of JSON, {count} characters:");
        self.written(&head, &calls, |paper| digest.tell(document, style, paper))
    }

    fn text(&self, document: &Document, call: &Call, kept: &Kept) -> String {
        let text = document.text();
        let (lines, count) = (text.lines().count(), characters(text));
        let calls = calls::of_text(kept, call, lines);
        let head = format!("Summary of text, {lines} lines, {count} characters:");
        let cell = self.settings.cell as usize;
        self.written(&head, &calls, |paper| lines::tell(text, cell, paper))
    }

    /// An error's own words, its head and its end.
    fn error(&self, document: &Document, call: &Call, kept: &Kept) -> String {
        let text = document.text();
        let (lines, count) = (text.lines().count(), characters(text));
        let calls = calls::of_text(kept, call, lines);
        let budget = self.above.budget_characters();
        // What is left of the budget, where it is small, goes to the head first.
        let room = budget.saturating_sub(characters(&calls) + 80);
        let head = room.min(ERROR_HEAD);
        let tail = (room - head).min(ERROR_TAIL);
        let head_end = text
            .char_indices()
            .nth(head)
            .map_or(text.len(), |(at, _)| at);
        let tail_start = text
            .char_indices()
            .rev()
            .nth(tail.saturating_sub(1))
            .map_or(0, |(at, _)| at)
            .max(head_end);
        let left_out = count - head - if tail > 0 { tail } else { 0 };
        let end = if tail > 0 {
            text[tail_start..].trim_end()
        } else {
            ""
        };
        format!(
            "{}\n[… {left_out} of {count} characters left out]\n{end}\n{calls}",
            &text[..head_end]
        )
    }
}

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
#[global_allocator]
static ALLOCATOR: tamis_sdk::Bump = tamis_sdk::Bump::new();

tamis_sdk::export!(Summary);

#[cfg(test)]
mod tests {
    #[test]
    fn the_schema_is_that_of_the_settings() {
        tamis_sdk::testing::assert_schema::<super::Summary>(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/settings.schema.json"
        ));
    }
}
