//! The numbers of a chart, below it.

use super::markup::percent;
use super::rows::Entry;
use crate::ledger::Row;
use crate::numbers::{grouped, signed};

/// Tables up to this long are shown; longer ones wait to be opened.
const SHOWN_ROWS: usize = 21;

/// A table as HTML.
pub(super) struct Table<'a> {
    pub(super) caption: &'a str,
    /// The first is that of the names.
    pub(super) head: &'a [&'a str],
    /// HTML.
    pub(super) rows: Vec<Vec<String>>,
    pub(super) total: Option<Vec<String>>,
}

impl Table<'_> {
    pub(super) fn to_html(&self) -> String {
        let head: Vec<String> = self
            .head
            .iter()
            .map(|name| format!("<th scope=\"col\">{name}</th>"))
            .collect();
        let rows: Vec<String> = self.rows.iter().map(|row| self.row(row)).collect();
        let total = self.total.as_ref().map_or_else(String::new, |total| {
            format!("<tfoot>\n{}</tfoot>\n", self.row(total))
        });
        let open = if rows.len() <= SHOWN_ROWS {
            " open"
        } else {
            ""
        };
        format!(
            "<details{open}>\n<summary>Table</summary>\n<table>\n<caption>{}</caption>\n\
             <thead><tr>{}</tr></thead>\n<tbody>\n{}</tbody>\n{total}</table>\n</details>\n",
            self.caption,
            head.concat(),
            rows.concat()
        )
    }

    fn row(&self, cells: &[String]) -> String {
        let mut row = String::from("<tr>");
        for (index, (cell, head)) in cells.iter().zip(self.head).enumerate() {
            row += &if index == 0 {
                format!("<th scope=\"row\">{cell}</th>")
            } else {
                // On a phone each cell shows its own heading.
                format!("<td data-head=\"{head}\">{cell}</td>")
            };
        }
        row + "</tr>\n"
    }
}

/// The columns of a table of tokens, after the name.
pub(super) const TOKENS: [&str; 8] = [
    "calls",
    "before",
    "after",
    "read back",
    "listed",
    "net saved",
    "net %",
    "failures",
];

pub(super) fn tokens(name: &str, row: &Row) -> Vec<String> {
    vec![
        name.to_owned(),
        grouped(row.calls),
        grouped(row.tokens_before),
        grouped(row.tokens_after),
        grouped(row.reread_tokens),
        signed(row.listing_tokens),
        signed(row.net_saved_tokens()),
        percent(row.net_saved_percent()),
        grouped(row.failures),
    ]
}

/// A table of such sums. `what`: the kind of its rows.
pub(super) fn of_tokens(what: &str, caption: &str, entries: &[Entry<'_>], total: &Row) -> String {
    let mut head = vec![what];
    head.extend(TOKENS);
    let rows = entries.iter().map(|entry| tokens(&entry.name, &entry.row));
    Table {
        caption,
        head: &head,
        rows: rows.collect(),
        total: Some(tokens("all calls", total)),
    }
    .to_html()
}
