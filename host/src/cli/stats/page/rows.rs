//! The rows of a chart and its table: the first ones, and the rest of them as one.

use super::super::Rows;
use super::super::names;
use super::markup;
use crate::ledger::{Report, Row};
use std::borrow::Cow;

/// More bars than this nobody reads.
const MOST_ROWS: usize = 20;

pub(super) struct Entry<'a> {
    /// HTML.
    pub(super) name: String,
    /// The name for an attribute, and longer.
    pub(super) title: String,
    pub(super) row: Cow<'a, Row>,
    /// The row stands for many, so its bar would make all others small.
    pub(super) is_rest: bool,
}

/// The rows that saved the most, and the sum of the others.
pub(super) fn first_and_rest(by: Rows, report: &Report) -> Vec<Entry<'_>> {
    // A row for the others must stand for at least two.
    let shown = match report.rows.len() {
        all if all <= MOST_ROWS + 1 => all,
        _ => MOST_ROWS,
    };
    let (first, others) = report.rows.split_at(shown);
    let mut entries: Vec<Entry<'_>> = first
        .iter()
        .map(|row| {
            let name = names::name(by, row);
            Entry {
                title: markup::title(&name),
                name: markup::name(&name),
                row: Cow::Borrowed(row),
                is_rest: false,
            }
        })
        .collect();
    if !others.is_empty() {
        let mut rest = Row::default();
        others.iter().for_each(|row| add(&mut rest, row));
        let name = format!("{} others", others.len());
        entries.push(Entry {
            title: "Together".to_owned(),
            name: format!("<em>{name}</em>"),
            row: Cow::Owned(rest),
            is_rest: true,
        });
    }
    entries
}

/// Adds the shown numbers of a row.
pub(super) fn add(sums: &mut Row, row: &Row) {
    sums.calls += row.calls;
    sums.withheld += row.withheld;
    sums.failures += row.failures;
    sums.tokens_before = sums.tokens_before.saturating_add(row.tokens_before);
    sums.tokens_after = sums.tokens_after.saturating_add(row.tokens_after);
    sums.reads += row.reads;
    sums.requests += row.requests;
    sums.listing_tokens = sums.listing_tokens.saturating_add(row.listing_tokens);
    sums.reread_tokens = sums.reread_tokens.saturating_add(row.reread_tokens);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(rows: usize) -> Vec<(String, u64)> {
        let row = |number: usize| Row {
            name: Some(format!("tool-{number}")),
            calls: 1,
            ..Row::default()
        };
        let report = Report {
            rows: (0..rows).map(row).collect(),
            ..Report::default()
        };
        first_and_rest(Rows::Tool, &report)
            .into_iter()
            .map(|entry| (entry.name, entry.row.calls))
            .collect()
    }

    #[test]
    fn what_does_not_fit_is_one_row() {
        assert_eq!(shown(21).len(), 21);
        let many = shown(500);
        assert_eq!(many.len(), 21);
        assert_eq!(many[20], ("<em>480 others</em>".to_owned(), 480));
    }
}
