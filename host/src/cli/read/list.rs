//! Lists the stored originals.

use crate::ledger;
use crate::printable;
use crate::store::{Original, Store};
use anyhow::Result;
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// Bytes of an original in which its first line is looked for.
const BEGINNING_BYTES: u64 = 4096;
/// Characters that are shown of it.
const LINE_CHARACTERS: usize = 60;

/// A text for a person or, as JSON, for a program: the newest first.
pub(super) fn originals(store: &Store, directory: &Path, as_json: bool) -> Result<String> {
    let mut originals = store.list()?;
    originals.reverse();
    // Without a ledger they are there all the same.
    let tools = ledger::tools_by_reference(directory).unwrap_or_else(|error| {
        tracing::warn!("the tools are not known: {:#}", anyhow::Error::from(error));
        HashMap::new()
    });
    let rows = originals.iter().map(|original| Row {
        original,
        tool: tools
            .get(&original.reference.to_string())
            .map(String::as_str),
        // An original that has just expired has none.
        first_line: store
            .beginning(&original.reference, BEGINNING_BYTES)
            .map_or_else(|_| String::new(), |bytes| first_line(&bytes)),
    });
    if as_json {
        let rows: Vec<Value> = rows.map(|row| row.json()).collect();
        return Ok(format!("{:#}\n", Value::from(rows)));
    }
    if originals.is_empty() {
        let directory = directory.display();
        return Ok(format!(
            "No originals in {directory}.\n`tamis run`, `tamis hook` and `tamis history` store one if a filter cuts something.\n"
        ));
    }
    let mut table = Table::new();
    table
        .load_style(presets::UTF8_BORDERS_ONLY)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_header(["reference", "age", "bytes", "tool", "begins"]);
    let now = SystemTime::now();
    for row in rows {
        table.add_row(row.cells(now));
    }
    for index in [1, 2] {
        if let Some(column) = table.column_mut(index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    Ok(format!("{table}\n"))
}

struct Row<'a> {
    original: &'a Original,
    tool: Option<&'a str>,
    first_line: String,
}

impl Row<'_> {
    fn json(&self) -> Value {
        let used = self.original.last_used.duration_since(UNIX_EPOCH);
        json!({
            "reference": self.original.reference.to_string(),
            "last_used_unix_ms": used.map_or(0, |age| age.as_millis() as u64),
            "file_bytes": self.original.file_bytes,
            "tool": self.tool,
            "first_line": self.first_line,
        })
    }

    fn cells(&self, now: SystemTime) -> [String; 5] {
        let age = now.duration_since(self.original.last_used);
        [
            self.original.reference.to_string(),
            span(age.unwrap_or_default().as_secs()),
            self.original.file_bytes.to_string(),
            printable::line(self.tool.unwrap_or("–")),
            self.first_line.clone(),
        ]
    }
}

/// `5 min`, in the largest unit that is not zero.
fn span(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min", seconds / 60),
        3600..86400 => format!("{} h", seconds / 3600),
        _ => format!("{} d", seconds / 86400),
    }
}

/// The first line of an original that begins like this: of a result, of its first text.
fn first_line(beginning: &[u8]) -> String {
    let beginning = String::from_utf8_lossy(beginning);
    let first = first_text(&beginning);
    let text = first.as_deref().unwrap_or(&beginning);
    let line = text.lines().map(str::trim).find(|line| !line.is_empty());
    let line = line.unwrap_or_default();
    let shown: String = line
        .chars()
        .take(LINE_CHARACTERS)
        .map(|c| if printable::is_hidden(c) { ' ' } else { c })
        .collect();
    match line.chars().nth(LINE_CHARACTERS) {
        Some(_) => shown + "…",
        None => shown,
    }
}

/// The first text of a result that may end in the middle.
fn first_text(beginning: &str) -> Option<String> {
    if !beginning.starts_with('{') || !beginning.contains("\"content\"") {
        return None;
    }
    let (_, rest) = beginning.split_once("\"text\":")?;
    let rest = rest.trim_start().strip_prefix('"')?;
    let mut end = 0;
    let mut escaped = false;
    for (at, c) in rest.char_indices() {
        if c == '"' && !escaped {
            break;
        }
        escaped = c == '\\' && !escaped;
        // An escape of four digits may be cut anywhere: text up to the last whole character will do.
        end = at + c.len_utf8();
    }
    (end.saturating_sub(12)..=end)
        .rev()
        .filter(|end| rest.is_char_boundary(*end))
        .find_map(|end| serde_json::from_str(&format!("\"{}\"", &rest[..end])).ok())
}

#[cfg(test)]
mod tests {
    use super::first_line;

    #[test]
    fn a_first_line_is_that_of_the_first_text() {
        for (beginning, line) in [
            ("plain\ntext", "plain"),
            ("\n  indented\n", "indented"),
            (r#"{"content":[{"type":"text","text":"one\ntwo"}]}"#, "one"),
            (
                r#"{"content":[{"type":"text","text":"a \"quoted\" word\u00e4"#,
                "a \"quoted\" wordä",
            ),
            (r#"{"content":[{"type":"text","text":"cut \u00e"#, "cut"),
            (r#"{"content":[{"type":"text","text":"cut \"#, "cut"),
            (r#"{"rows":[1]}"#, r#"{"rows":[1]}"#),
            ("", ""),
        ] {
            assert_eq!(first_line(beginning.as_bytes()), line, "{beginning}");
        }
        assert_eq!(
            first_line("x".repeat(99).as_bytes()),
            format!("{}…", "x".repeat(60))
        );
    }
}
