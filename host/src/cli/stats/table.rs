//! A report as a table, for a terminal.

use super::names::name;
use super::{Arguments, Rows, dropped};
use crate::cli::numbers::{grouped, percent};
use crate::ledger::{Report, Row};
use crate::tokens;
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};

pub(super) fn table(arguments: &Arguments, report: &Report) -> String {
    let mut table = Table::new();
    table
        .load_style(presets::UTF8_BORDERS_ONLY)
        .set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header([
        arguments.by.name(),
        "calls",
        "tokens before",
        "after",
        "saved",
        "read back",
        "net saved",
        "failures",
    ]);
    for row in &report.rows {
        table.add_row(cells(name(arguments.by, row), row));
    }
    table.add_row(cells("all calls".to_owned(), &report.total));
    for index in 1..=7 {
        if let Some(column) = table.column_mut(index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let mut text = format!(
        "{table}\nTokens are {}, of what the model reads. Read back: answers of tamis_read. Failures: calls in which a filter did not do its work.",
        tokens::ENCODING
    );
    if matches!(arguments.by, Rows::Filter) {
        text += "\nA filter gets what the one before it left. What was read back counts against the filter that cut the most.";
    }
    if report.total.withheld > 0 {
        text += &format!(
            "\nWithheld results: {}. Their tokens are in no sum.",
            grouped(report.total.withheld)
        );
    }
    text + &dropped(report).map_or_else(String::new, |note| format!("\n{note}"))
}

fn cells(name: String, row: &Row) -> [String; 8] {
    [
        name,
        grouped(row.calls),
        grouped(row.tokens_before),
        grouped(row.tokens_after),
        percent(row.saved_percent()),
        grouped(row.reread_tokens),
        percent(row.net_saved_percent()),
        grouped(row.failures),
    ]
}
