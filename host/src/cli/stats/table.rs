//! A report as a table, for a terminal.

use super::names::name;
use super::{Arguments, Rows, inexact, lost};
use crate::ledger::{Report, Row};
use crate::numbers::{grouped, percent, signed};
use crate::tokens;
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};

pub(super) fn table(arguments: &Arguments, report: &Report) -> String {
    let mut table = Table::new();
    table
        .load_style(presets::UTF8_BORDERS_ONLY)
        .set_content_arrangement(ContentArrangement::Dynamic);
    let is_by_filter = matches!(arguments.by, Rows::Filter);
    let mut header = vec![arguments.by.name(), "calls"];
    header.extend(match is_by_filter {
        true => ["tokens before", "after", "saved", "read back"],
        false => ["tokens bare", "shown", "read back", "listed"],
    });
    header.extend(["net saved", "%", "failures"]);
    let columns = header.len();
    table.set_header(header);
    let cells = |name, row| match is_by_filter {
        true => of_filter(name, row),
        false => of_calls(name, row),
    };
    for row in &report.rows {
        table.add_row(cells(name(arguments.by, row), row));
    }
    table.add_row(cells("all calls".to_owned(), &report.total));
    for index in 1..columns {
        if let Some(column) = table.column_mut(index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let mut text = format!("{table}\nTokens are {}. ", tokens::ENCODING);
    text += match is_by_filter {
        true => {
            "A filter gets the output of the one before it. Read back: answers of tamis_read; they count against the filter that cut the most. Failures: calls in which the filter failed."
        }
        false => {
            "Bare: tokens that the client would have shown its model without Tamis. Shown: tokens that it showed. Read back: answers of tamis_read. Listed: tokens that Tamis added to the list of tools, once for each call. Failures: calls in which a filter failed."
        }
    };
    if let Some(lost) = lost(report) {
        text += &format!("\n{lost}");
    }
    if report.total.withheld > 0 {
        text += &format!(
            "\nWithheld results: {}. No sum contains their tokens.",
            grouped(report.total.withheld)
        );
    }
    text + &inexact(report).map_or_else(String::new, |note| format!("\n{note}"))
}

fn of_filter(name: String, row: &Row) -> Vec<String> {
    vec![
        name,
        grouped(row.calls),
        grouped(row.tokens_before),
        grouped(row.tokens_after),
        percent(row.saved_percent()),
        grouped(row.reread_tokens),
        signed(row.net_saved_tokens()),
        percent(row.net_saved_percent()),
        grouped(row.failures),
    ]
}

fn of_calls(name: String, row: &Row) -> Vec<String> {
    vec![
        name,
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
