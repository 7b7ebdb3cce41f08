//! The output of the demo: a table of all calls, one of them in full, the claims, and the totals.
//!
//! Owns the counting (bytes and o200k tokens) and the layout. Refuses to judge: [`Report::check`] gets the result of a
//! check. Colour goes through `anstream`, which drops it without a terminal and if `NO_COLOR` is set.

use std::fmt::Display;

use anstyle::{AnsiColor, Style};
use anyhow::{Context as _, Result};
use comfy_table::{CellAlignment, LineStyle, Table, presets::UTF8_HORIZONTAL_ONLY};
use serde_json::{Value, json};
use tiktoken::CoreBpe;

use crate::{calls::Effect, session::NOTE, verify::Failure};

/// The answer that is shown before and after.
const EXCERPT: &str = "lens_update_node";
/// Lines of an excerpt: this many from its beginning, one that counts the rest, and this many from its end. The
/// filtered members of an envelope are at its end.
const EXCERPT_HEAD: usize = 2;
const EXCERPT_TAIL: usize = 7;
/// Characters of a line of an excerpt, so that it fits beside its margin on most terminals.
const EXCERPT_WIDTH: usize = 92;

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const GOOD: Style = AnsiColor::Green.on_default();
const BAD: Style = AnsiColor::Red.on_default();

/// One answer before and after, as a model sees it.
pub struct Row {
    pub tool: String,
    pub effect: Effect,
    pub before: String,
    pub after: String,
}

/// Bytes and tokens of one side.
#[derive(Clone, Copy, Default)]
struct Size {
    bytes: usize,
    tokens: usize,
}

/// All counted answers and claims.
pub struct Report {
    /// Each system's title, and the index of its first row.
    systems: Vec<(&'static str, usize)>,
    rows: Vec<(Row, Size, Size)>,
    /// Promised numbers, and whether they hold.
    claims: Vec<(bool, String)>,
    /// Claims that did not hold.
    pub failures: Vec<Failure>,
    encoding: &'static CoreBpe,
}

impl Report {
    pub fn new() -> Result<Report> {
        let encoding = tiktoken::get_encoding("o200k_base");
        Ok(Report {
            systems: Vec::new(),
            rows: Vec::new(),
            claims: Vec::new(),
            failures: Vec::new(),
            encoding: encoding.context("load the o200k_base vocabulary")?,
        })
    }

    /// Starts a system: later rows belong to it.
    pub fn begin(&mut self, title: &'static str) {
        self.systems.push((title, self.rows.len()));
    }

    /// o200k tokens.
    pub fn tokens(&self, text: &str) -> usize {
        self.encoding.count(text)
    }

    pub fn add(&mut self, row: Row) {
        let size = |text: &str| Size {
            bytes: text.len(),
            tokens: self.tokens(text),
        };
        let (before, after) = (size(&row.before), size(&row.after));
        self.rows.push((row, before, after));
    }

    /// Notes a promised number.
    pub fn claim(&mut self, holds: bool, text: String) {
        if !holds {
            self.failures.push(text.clone());
        }
        self.claims.push((holds, text));
    }

    /// Notes the outcome of a check of `what`.
    pub fn check(&mut self, what: &str, outcome: Result<(), Failure>) {
        if let Err(failure) = outcome {
            let system = self.systems.last().map_or("", |(title, _)| title);
            self.failures.push(format!("{system}: {what}: {failure}"));
        }
    }

    /// The figures for programs.
    pub fn to_json(&self) -> Value {
        let figures = |before: Size, after: Size| {
            json!({
                "bytes": { "before": before.bytes, "after": after.bytes },
                "tokens": { "before": before.tokens, "after": after.tokens },
                "saved_tokens_percent": percent(before.tokens, after.tokens),
            })
        };
        let rows = self
            .rows
            .iter()
            .enumerate()
            .map(|(n, (row, before, after))| {
                let mut begun = self.systems.iter().rev();
                let system = begun
                    .find(|(_, first)| *first <= n)
                    .map(|(title, _)| *title);
                let mut entry = json!({ "system": system, "tool": row.tool });
                entry["filtered"] = json!(row.effect != Effect::Untouched);
                entry["effect"] = json!(row.effect.summary());
                for (key, value) in figures(*before, *after)
                    .as_object_mut()
                    .into_iter()
                    .flatten()
                {
                    entry[key.as_str()] = value.take();
                }
                entry
            });
        let rows: Vec<Value> = rows.collect();
        let (before, after) = self.total();
        json!({
            "verified": self.failures.is_empty(),
            "failures": self.failures,
            "claims": self.claims.iter().map(|(holds, text)| json!({ "holds": holds, "text": text })).collect::<Vec<_>>(),
            "answers": rows,
            "filtered_total": figures(before, after),
        })
    }

    /// The tables for people.
    pub fn print(&self) {
        anstream::println!(
            "{BOLD}Five servers, bare and through Tamis: the same calls to the same server{BOLD:#}"
        );
        self.print_table();
        for (row, before, after) in &self.rows {
            if row.tool == EXCERPT {
                anstream::println!("{BOLD}{}{BOLD:#}", row.tool);
                print_excerpt("before", BAD, &row.before, *before);
                print_excerpt("after", GOOD, &row.after, *after);
            }
        }
        self.print_claims();
        self.print_summary();
    }

    fn print_claims(&self) {
        anstream::println!();
        for (holds, text) in &self.claims {
            let (style, mark) = if *holds {
                (GOOD, '\u{2713}')
            } else {
                (BAD, '\u{2717}')
            };
            anstream::println!("{style}{mark}{style:#} {text}");
        }
    }

    fn print_table(&self) {
        let mut table = Table::new();
        // A line under every row would double the table.
        table.load_style(UTF8_HORIZONTAL_ONLY.row_separator(LineStyle::none()));
        table.set_header([
            "tool",
            "what Tamis does",
            "bytes\nbefore \u{2192} after",
            "tokens\nbefore \u{2192} after",
            "saved",
        ]);
        for (n, (row, before, after)) in self.rows.iter().enumerate() {
            if let Some((title, _)) = self.systems.iter().find(|(_, first)| *first == n) {
                table.add_row([*title]);
            }
            table.add_row([
                format!("  {}", row.tool),
                row.effect.summary().to_owned(),
                arrow(before.bytes, after.bytes),
                arrow(before.tokens, after.tokens),
                format!("{:.1} %", percent(before.tokens, after.tokens)),
            ]);
        }
        for column in table.column_iter_mut().skip(2) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        for line in table.lines() {
            if line.contains(Effect::Untouched.summary()) {
                anstream::println!("{DIM}{line}{DIM:#}");
            } else if self.systems.iter().any(|(title, _)| line.trim() == *title) {
                anstream::println!("{BOLD}{line}{BOLD:#}");
            } else {
                anstream::println!("{line}");
            }
        }
        anstream::println!(
            "{DIM}Bytes and o200k tokens of what a model is shown; saved is in tokens.{DIM:#}"
        );
    }

    fn print_summary(&self) {
        let filtered = self
            .rows
            .iter()
            .filter(|(row, ..)| row.effect.is_saving())
            .count();
        let untouched = self
            .rows
            .iter()
            .filter(|(row, ..)| row.effect == Effect::Untouched);
        let untouched = untouched.count();
        let (before, after) = self.total();
        anstream::println!();
        if !self.failures.is_empty() {
            anstream::println!(
                "{BAD}{BOLD}Not as claimed:{BOLD:#}{BAD} {} of the checks failed, see below.{BAD:#}",
                self.failures.len()
            );
            return;
        }
        anstream::println!(
            "{GOOD}{BOLD}Verified:{BOLD:#}{GOOD} {filtered} answers filtered ({} \u{2192} {} tokens, {} fewer), and in each \
             nothing else changed;\nwhat was cut was read back whole, after the proxies were killed; {untouched} passed byte for byte; every tool that can work is listed.{GOOD:#}",
            grouped(before.tokens),
            grouped(after.tokens),
            grouped(before.tokens.saturating_sub(after.tokens)),
        );
    }

    /// Sizes of all filtered answers together.
    fn total(&self) -> (Size, Size) {
        let filtered = self.rows.iter().filter(|(row, ..)| row.effect.is_saving());
        filtered.fold(Default::default(), |(before, after), (_, b, a)| {
            let add = |sum: Size, size: &Size| Size {
                bytes: sum.bytes + size.bytes,
                tokens: sum.tokens + size.tokens,
            };
            (add(before, b), add(after, a))
        })
    }
}

/// Prints a document with a margin. A count replaces its middle.
fn print_excerpt(title: &str, style: Style, document: &str, size: Size) {
    anstream::println!(
        "  {style}{title}{style:#}: {} bytes, {} tokens",
        grouped(size.bytes),
        grouped(size.tokens)
    );
    let (document, note) = match document.rsplit_once('\n') {
        Some((document, note)) if note.starts_with(NOTE) => (document, Some(note)),
        _ => (document, None),
    };
    let mut lines = match serde_json::from_str::<Value>(document) {
        Ok(value) => layout(&value, 2),
        Err(_) => document.lines().map(str::to_owned).collect(),
    };
    lines.extend(note.map(str::to_owned));
    let folded = lines.len().saturating_sub(EXCERPT_HEAD + EXCERPT_TAIL);
    for (n, line) in lines.iter().enumerate() {
        // A fold of one line saves no line.
        let inside = folded > 1 && (EXCERPT_HEAD..EXCERPT_HEAD + folded).contains(&n);
        if !inside {
            anstream::println!("  {style}\u{2502}{style:#} {}", cut(line));
        } else if n == EXCERPT_HEAD {
            anstream::println!(
                "  {style}\u{2502}{style:#} {DIM}\u{22ee} {folded} more lines{DIM:#}"
            );
        }
    }
}

/// JSON with one line for each member down to `depth`. Deeper values are on their member's line.
fn layout(value: &Value, depth: usize) -> Vec<String> {
    let members = match value {
        Value::Object(members) if depth > 0 && !members.is_empty() => members,
        other => return vec![other.to_string()],
    };
    let mut lines = vec!["{".to_owned()];
    for (n, (key, value)) in members.iter().enumerate() {
        let mut inner = layout(value, depth - 1);
        inner[0] = format!("{}: {}", json!(key), inner[0]);
        if n + 1 < members.len()
            && let Some(last) = inner.last_mut()
        {
            last.push(',');
        }
        lines.extend(inner.into_iter().map(|line| format!("  {line}")));
    }
    lines.push("}".to_owned());
    lines
}

fn cut(line: &str) -> String {
    let length = line.chars().count();
    if length <= EXCERPT_WIDTH {
        return line.to_owned();
    }
    let kept: String = line.chars().take(EXCERPT_WIDTH - 20).collect();
    format!(
        "{kept}\u{2026} {} more",
        grouped(length + 20 - EXCERPT_WIDTH)
    )
}

fn arrow(before: usize, after: usize) -> String {
    if before == after {
        return grouped(before);
    }
    format!("{} \u{2192} {}", grouped(before), grouped(after))
}

/// How much smaller `after` is, in percent of `before`, to a tenth.
pub fn percent(before: usize, after: usize) -> f64 {
    if before == 0 {
        return 0.0;
    }
    let saved = 100.0 * (before as f64 - after as f64) / before as f64;
    (saved * 10.0).round() / 10.0
}

/// A number with a comma at every third digit.
pub fn grouped(number: impl Display) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (n, digit) in digits.chars().enumerate() {
        if n > 0 && (digits.len() - n).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_three() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (1234567, "1,234,567"),
        ] {
            assert_eq!(grouped(number), text);
        }
    }

    #[test]
    fn totals_are_of_filtered_answers_only() {
        let mut report = Report::new().expect("a vocabulary");
        report.begin("server");
        let row = |effect, before: &str, after: &str| Row {
            tool: "tool".into(),
            effect,
            before: before.into(),
            after: after.into(),
        };
        report.add(row(Effect::Untouched, "hello world", "hello world"));
        report.add(row(Effect::Stripped, "hello world", "hello"));
        let json = report.to_json();
        assert_eq!(
            json["filtered_total"]["tokens"],
            json!({ "before": 2, "after": 1 })
        );
        assert_eq!(
            json["filtered_total"]["bytes"],
            json!({ "before": 11, "after": 5 })
        );
        assert_eq!(json["filtered_total"]["saved_tokens_percent"], 50.0);
        assert_eq!(json["verified"], true);
        report.check("tool", Err("it broke".into()));
        assert_eq!(report.to_json()["verified"], false);
        assert_eq!(
            report.to_json()["failures"],
            json!(["server: tool: it broke"])
        );
    }

    #[test]
    fn layout_keeps_every_member() {
        let value = json!({ "a": { "b": { "c": 1 }, "d": [1, 2] }, "e": {} });
        let lines = layout(&value, 2);
        assert_eq!(lines.len(), 7, "{lines:#?}");
        assert_eq!(
            serde_json::from_str::<Value>(&lines.concat()).ok(),
            Some(value)
        );
    }

    #[test]
    fn long_lines_say_how_much_is_left_out() {
        let line = "x".repeat(EXCERPT_WIDTH + 1);
        let short = cut(&line);
        assert!(short.chars().count() <= EXCERPT_WIDTH, "{short}");
        assert!(short.ends_with("21 more"), "{short}");
        assert_eq!(cut(&line[1..]), line[1..]);
    }
}
