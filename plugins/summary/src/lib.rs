//! `summary`: replaces a large document by a description of its content, and the calls that read any part.
//!
//! JSON becomes its tables (columns, counts of values, ranges, true totals, the first rows) and its small members
//! unchanged. Text becomes the lines that stand out (failures, rare lines), its parts, head and tail. A text that a
//! model asked for explicitly stays unchanged if it is not large. So does every document if no original is stored.

mod asked;
mod blocks;
mod calls;
mod catalogs;
mod causes;
mod certificates;
mod checkers;
mod column;
mod column_texts;
mod comments;
mod commits;
mod counted;
mod counts;
mod data;
mod dates;
mod diagnostics;
mod diff;
mod doubled;
mod encoded;
mod excerpts;
mod extremes;
mod failure_words;
mod fences;
mod findings;
mod forms;
mod forms_of_reports;
mod frames;
mod git_status;
mod grouped;
mod harmless;
mod hashing;
mod headers;
mod hits;
mod html_table;
mod json;
mod kinds;
mod known_lines;
mod landmarks;
mod level_marks;
mod levels;
mod line_values;
mod lines;
mod listing;
mod log_words;
mod markup;
mod networks;
mod number_rows;
mod odd_values;
mod options;
mod order;
mod other_lines;
mod outline;
mod outside;
mod page_tables;
mod paper;
mod paths;
mod patterns;
mod plans;
mod plays;
mod quoted_code;
mod ranked;
mod rare_lines;
mod rare_rows;
mod rare_texts;
mod remarks;
mod repeated;
mod row_medians;
mod row_names;
mod search;
mod settings;
mod shapes;
mod signs;
mod size;
mod snapshot;
mod source;
mod table;
mod tags;
mod tally;
mod telling;
mod test_marks;
mod texts;
mod traceback;
mod tree;
mod trim;
mod values;
mod warnings;
mod words;

use data::TextData;
use json::{Digest, Main};
use lines::{Reading, SHARE};
use outline::Outline;
use paper::{Paper, characters, some};
use settings::{Settings, Size};
use std::borrow::Cow;
use table::Style;
use tamis_formats::{as_shown, text_of_quoted, without_spelled_characters};
use tamis_sdk::{
    Call, Capability, Description, Document, Fidelity, Filter, Kept, Kind, MAX_DEPTH, Verdict,
    rewritten_text,
};

pub use size::encoded_chars;

/// Characters of an error that stay unchanged.
const ERROR_HEAD: usize = 1_500;
/// Characters shown of an error's end: the cause is often last.
const ERROR_TAIL: usize = 300;
/// The same of an error that is the output of a program, whose point is told.
const OUTPUT_HEAD: usize = 300;
const OUTPUT_TAIL: usize = 200;
/// Where an end of a text would begin or end inside a line of at most so many characters, the line is left out.
const WHOLE_LINE: usize = 200;
/// Minimum characters of a summary of JSON: its columns tell more than the first lines of a text.
const JSON_CHARACTERS: usize = 700;
/// A summary may grow by one part in so many if what failed, or is rare, has no room.
const MORE_ROOM: usize = 2;
/// The characters by which it grows at least, and the most steps in which it does: the search for the room ends soon.
const LEAST_MORE: usize = 120;
const STEPS: usize = 4;

/// The filter.
pub struct Summary {
    settings: Settings,
    above: Size,
    whole: Size,
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
        let (above, whole) = settings.check()?;
        Ok(Summary {
            settings,
            above,
            whole,
        })
    }

    fn least_bytes(&self) -> u32 {
        // A document has at most as many characters, and as many tokens, as bytes.
        self.above.count.saturating_add(1)
    }

    fn apply(&self, document: &Document, call: &Call) -> Result<Verdict, String> {
        if !size::is_over(document, self.above, self.settings.tables) {
            return Ok(Verdict::Unchanged);
        }
        let is_text = document.kind() == Kind::Text || document.root().is_none();
        // A reader is shown characters, not how the server spelled them.
        let written = (!is_text).then(|| without_spelled_characters(document.text()));
        let written = match written {
            Some(Cow::Owned(json)) => Document::nested(json, MAX_DEPTH),
            _ => None,
        };
        let document = written.as_ref().unwrap_or(document);
        let is_error = call.is_error();
        // The read tool numbers the lines of this text, too.
        let sent = is_text.then(|| as_shown(document.text()));
        let quoted = sent.as_deref().and_then(text_of_quoted);
        let text = quoted
            .as_ref()
            .map_or_else(|| document.text(), |quoted| &quoted.text);
        let shown = sent.as_deref().map(|sent| match &quoted {
            Some(quoted) => as_shown(&quoted.text),
            // The mark of an encoding is no part of the first line.
            None => Cow::Borrowed(sent.strip_prefix('\u{feff}').unwrap_or(sent)),
        });
        let held = shown.as_deref().and_then(data::of);
        // Lines of an error may be no data, but JSON is, and a table with few words around.
        let held = held.filter(|held| !is_error || held.is_json() || held.is_table_alone());
        let is_text = is_text && held.is_none();
        let reading = shown.as_deref().filter(|_| is_text).map(Reading::of);
        if !is_error && held.is_none() && self.is_asked_for(document, reading.as_ref()) {
            return Ok(Verdict::Unchanged);
        }
        let Some(kept) = tamis_sdk::keep_original("") else {
            return Ok(Verdict::Unchanged);
        };
        let summary = match &reading {
            _ if held.is_some() => self.json(document, held.as_ref(), "JSON", &kept),
            // A long message keeps its beginning.
            _ if is_error && (is_text || asked::is_message(document)) => self.error(text, &kept),
            Some(reading) => {
                let quotes = quoted
                    .as_ref()
                    .map(|quoted| format!(" in a {}", quoted.notation));
                let lines = some(reading.count(), "lines");
                let count = reading.characters_of(text);
                let quotes = quotes.unwrap_or_default();
                let title = format!("text{quotes}, {lines}, {count} characters");
                self.text(reading, &title, call, &kept)
            }
            // The size of a text is another.
            None if call.sent_as() == Kind::Text => {
                self.json(document, None, "JSON made of a text", &kept)
            }
            None => self.json(document, None, "JSON", &kept),
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
            grown: 0,
        }
    }

    /// Whether a document is a text that a model asked for, and small enough to stay unchanged.
    fn is_asked_for(&self, document: &Document, reading: Option<&Reading<'_>>) -> bool {
        if !size::may_fit(document.text(), self.whole) {
            return false;
        }
        let is_explicit = match reading {
            Some(reading) => reading.is_explicit(),
            None => asked::main_string(document)
                .and_then(|string| document.string(string))
                .is_some_and(|text| Reading::of(&as_shown(&text)).is_explicit()),
        };
        // Counting tokens takes the most time, so it comes last.
        is_explicit && size::fits(document.text(), self.whole)
    }

    /// `held`: the data of a text, which is summarised instead of the text. `kind`: what the document is without it.
    fn json(
        &self,
        sent: &Document,
        held: Option<&TextData<'_>>,
        kind: &str,
        kept: &Kept,
    ) -> String {
        let document = held.map_or(sent, |held| &held.document);
        let Some(root) = document.root() else {
            return String::new();
        };
        let distinct = self.settings.distinct as usize;
        let outline = match held {
            Some(held) => held.outline(root, distinct),
            None => Outline::of(document.text(), root, distinct),
        };
        let doubled = doubled::told(&outline);
        let digest = Digest::of(document, outline, &self.settings.keep);
        let style = self.style();
        // Lines of a list of strings are no data: paths count its strings.
        let inside = digest.main_text().filter(|text| text.strings == 1);
        let inside = inside.and_then(|text| data::of(&text.content));
        let main = Main::of(&digest, inside.as_ref(), &self.settings.keep);
        let calls = |shown| calls::of_json(kept, &digest, &main, shown);
        let count = characters(sent.text());
        let title = held.map_or_else(|| kind.to_owned(), |held| held.title("$"));
        let head = format!("Summary of {title}, {count} characters:");
        let most = self.above.budget_characters();
        // Failures in a text have all the room.
        let is_of_text = matches!(main, Main::Text(_))
            && (asked::main_string(document).is_some()
                || asked::is_most(document, digest.main_bytes()));
        // What is around the data takes no room from it.
        let around = held.map_or_else(Vec::new, TextData::around);
        let budget = if is_of_text {
            most
        } else {
            let inside = inside.as_ref().map_or_else(Vec::new, TextData::around);
            let around = around.iter().chain(&inside);
            let around: usize = around.map(|line| characters(line)).sum();
            ((count / SHARE).max(JSON_CHARACTERS) + around).min(most)
        };
        // Fewer shown rows never make these longer.
        let tell = |grown: usize| {
            let mut paper = started(budget + grown, &head, &calls(Err(style.rows)));
            let lines = around.iter().chain(&doubled);
            lines.for_each(|line| paper.cut_line(line));
            let style = Style { grown, ..style };
            let shown = digest.tell(&main, style, &mut paper);
            (paper, shown)
        };
        let (mut paper, mut shown) = tell(0);
        // What failed or is rare has more room than a result in which all is well. Other lines take some of it.
        let (mut grown, most) = (0, (budget / MORE_ROOM).min(most - budget));
        let least = LEAST_MORE.max(most / STEPS);
        while paper.wanted() > 0 && grown < most {
            grown = (grown + paper.wanted().max(least)).min(most);
            digest.outline().look_again();
            (paper, shown) = tell(grown);
        }
        format!("{}{}", paper.text(), calls(Ok(shown)))
    }

    /// `title`: the kind of the text, and its size.
    fn text(&self, reading: &Reading<'_>, title: &str, call: &Call, kept: &Kept) -> String {
        let calls = calls::of_text(kept, reading.count(), reading.point(), reading.table());
        let head = format!("Summary of {title}{}:", asked::range(call.arguments()));
        let cell = self.settings.cell as usize;
        let budget = self.above.budget_characters();
        let mut paper = started(budget, &head, &calls);
        reading.tell(cell, &mut paper);
        format!("{}{calls}", paper.text())
    }

    /// The summary of an error: its head, lines that stand out, and its end.
    fn error(&self, text: &str, kept: &Kept) -> String {
        let plain = as_shown(text);
        let text = plain.as_ref();
        let (lines, count) = (text.lines().count(), characters(text));
        let budget = self.above.budget_characters();
        // The longest calls, because the lines that they name are not known yet.
        let longest = calls::of_text(kept, lines, Some((lines, lines)), None);
        let room = budget.saturating_sub(characters(&longest) + 80);
        let whole = Reading::of(text);
        let point = whole.point();
        let (parts, middle) = match point {
            // What a program printed before it failed is told as if it had not, below its first lines.
            Some(_) => {
                let (head, tail) = (OUTPUT_HEAD.min(room / 3), OUTPUT_TAIL.min(room / 6));
                let parts = Ends::of(text, head, tail);
                let shown = characters(text) - characters(&text[parts.head..parts.tail]);
                let mut middle = Paper::new(room.saturating_sub(shown + 2));
                whole.tell_point(self.settings.cell as usize, &mut middle);
                (parts, middle)
            }
            // A small budget goes to the head first.
            None => {
                let head = room.min(ERROR_HEAD);
                let parts = Ends::of(text, head, (room - head).min(ERROR_TAIL));
                (parts, Paper::new(0))
            }
        };
        let (head, end) = (text[..parts.head].trim_end(), text[parts.tail..].trim_end());
        let left_out = characters(&text[parts.head..parts.tail]);
        let calls = calls::of_text(kept, lines, point, None);
        let middle = match middle.text() {
            "" => String::new(),
            told => format!("{told}…\n"),
        };
        format!("{head}\n[… {left_out} of {count} characters left out]\n{middle}{end}\n{calls}")
    }
}

/// A paper of `budget` characters. Its first line is written, and room is left for the calls at the end.
fn started(budget: usize, head: &str, calls: &str) -> Paper {
    let mut paper = Paper::new(budget.saturating_sub(characters(calls)));
    paper.cut_line(head);
    paper
}

/// Where the head of a text ends and its tail begins, in bytes.
struct Ends {
    head: usize,
    tail: usize,
}

impl Ends {
    /// Ends of at most this many characters, which are whole lines unless these are long.
    fn of(text: &str, head: usize, tail: usize) -> Ends {
        let head = text
            .char_indices()
            .nth(head)
            .map_or(text.len(), |(at, _)| at);
        let before = tail.checked_sub(1);
        let tail = before.map_or(text.len(), |before| {
            let start = text.char_indices().rev().nth(before);
            start.map_or(0, |(at, _)| at)
        });
        let is_near = |one: usize, other: usize| other - one <= WHOLE_LINE;
        let line = text[..head].rfind('\n').map(|at| at + 1);
        let head = line
            .filter(|at| head < text.len() && is_near(*at, head))
            .unwrap_or(head);
        let line = text[tail..].find('\n').map(|at| tail + at + 1);
        let is_inside = tail > 0 && !text[..tail].ends_with('\n');
        let tail = line
            .filter(|at| is_inside && is_near(tail, *at))
            .unwrap_or(tail);
        Ends {
            head,
            tail: tail.max(head),
        }
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
