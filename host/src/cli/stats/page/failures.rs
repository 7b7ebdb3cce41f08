//! The part of the page that says which filters failed, and how.

use super::super::Rows;
use super::bars::{self, Bar, Part};
use super::markup::{Text, percent};
use super::rows::first_and_rest;
use super::tables::Table;
use crate::ledger::{OutcomeCount, Report, Row};
use crate::numbers::grouped;

/// Ends of a step that are none of a failure, as receipts call them.
const SOUND: [&str; 6] = [
    "edited",
    "unchanged",
    "no-original",
    "larger",
    "not-triggered",
    "shadow",
];

pub(super) fn section(filters: &Report) -> String {
    let begin = "<section class=\"card\" id=\"failures\">\n<h2>Failures</h2>\n";
    let mut failed = Report {
        rows: filters.rows.clone(),
        ..Report::default()
    };
    failed.rows.retain(|row| row.failures > 0);
    if failed.rows.is_empty() {
        return format!("{begin}<p>No filter failed in any of the calls.</p>\n</section>\n");
    }
    failed
        .rows
        .sort_by_key(|row| std::cmp::Reverse(row.failures));
    let entries = first_and_rest(Rows::Filter, &failed);
    let bars: Vec<Bar> = entries
        .iter()
        .map(|entry| Bar {
            name: entry.name.clone(),
            title: format!("{}: {}", entry.title, account(&entry.row)),
            value: grouped(entry.row.failures),
            parts: drawn(entry.is_rest, entry.row.failures),
        })
        .collect();
    let rows = entries.iter().map(|entry| {
        let row = &*entry.row;
        vec![
            entry.name.clone(),
            grouped(row.calls),
            grouped(row.failures),
            share(row),
            Text(&outcomes(&row.outcomes)).to_string(),
        ]
    });
    let table = Table {
        caption: "Failures by filter",
        head: &["filter", "calls", "failures", "of its calls", "documents"],
        rows: rows.collect(),
        total: None,
    };
    format!(
        "{begin}<p class=\"note\">If a filter failed, the document stayed unchanged, or Tamis withheld the result.</p>\n{}{}</section>\n",
        bars::chart(&bars, "calls", "failures"),
        table.to_html()
    )
}

fn drawn(is_rest: bool, failures: u64) -> Vec<Part> {
    if is_rest {
        return Vec::new();
    }
    vec![Part {
        class: "failed",
        from: 0.0,
        tokens: failures as f64,
    }]
}

fn account(row: &Row) -> String {
    format!(
        "failed in {} of {} calls ({})",
        grouped(row.failures),
        grouped(row.calls),
        share(row)
    )
}

fn share(row: &Row) -> String {
    percent((row.calls > 0).then(|| 100.0 * row.failures as f64 / row.calls as f64))
}

/// How often it failed how.
fn outcomes(counts: &[OutcomeCount]) -> String {
    let failures = counts
        .iter()
        .filter(|count| !SOUND.contains(&count.outcome.as_str()));
    let words: Vec<String> = failures
        .map(|count| format!("{} {}", grouped(count.documents), count.outcome))
        .collect();
    words.join(", ")
}
