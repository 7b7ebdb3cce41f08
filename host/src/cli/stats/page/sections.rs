//! The parts of the page that sum by a name: tools, filters, clients.

use super::super::Rows;
use super::bars::{self, Bar, Part};
use super::markup::percent;
use super::rows::{Entry, first_and_rest};
use super::tables;
use crate::ledger::{Report, Row};
use crate::numbers::{grouped, signed};

const LEGEND: &str = "<ul class=\"legend\" aria-label=\"Colours\"><li class=\"before\">bare</li>\
    <li class=\"after\">shown</li><li class=\"reread\">read back</li></ul>\n";

const FILTER_LEGEND: &str = "<ul class=\"legend\" aria-label=\"Colours\"><li class=\"saved\">removed</li>\
    <li class=\"reread\">of that read back</li><li class=\"added\">added</li></ul>\n";

/// Tokens before and after, by tool or client. Nothing, where none has a name.
pub(super) fn by_name(by: Rows, report: &Report) -> String {
    if !report.rows.iter().any(|row| row.name.is_some()) {
        return String::new();
    }
    let entries = first_and_rest(by, report);
    let bars = bars_of(&entries, before_and_after);
    section(by, LEGEND, "net %", &bars, &entries, report)
}

/// The section of savings by filter.
pub(super) fn by_filter(report: &Report) -> String {
    if report.rows.is_empty() {
        return String::new();
    }
    let entries = first_and_rest(Rows::Filter, report);
    let bars = bars_of(&entries, taken_out);
    section(
        Rows::Filter,
        FILTER_LEGEND,
        "net saved",
        &bars,
        &entries,
        report,
    )
}

fn bars_of(entries: &[Entry<'_>], bar: impl Fn(&Entry<'_>) -> Bar) -> Vec<Bar> {
    let mut bars: Vec<Bar> = entries.iter().map(bar).collect();
    for (bar, _) in bars.iter_mut().zip(entries).filter(|pair| pair.1.is_rest) {
        bar.parts.clear();
    }
    bars
}

fn section(
    by: Rows,
    legend: &str,
    value: &str,
    bars: &[Bar],
    entries: &[Entry<'_>],
    report: &Report,
) -> String {
    let what = by.name();
    let chart = bars::chart(bars, "tokens", value);
    let caption = format!("Tokens by {what}");
    let table = tables::of_tokens(what, &caption, entries, &report.total);
    let all = report.rows.len();
    let rest = if entries.len() < all {
        format!(
            "<p class=\"note\">{} of {}, those with the largest savings. All of them: <code>tamis stats --by {what} --json</code></p>\n",
            entries.len() - 1,
            grouped(all as u64)
        )
    } else {
        String::new()
    };
    format!(
        "<section class=\"card\" id=\"{what}\">\n<h2>By {what}</h2>\n{legend}{chart}{rest}{table}</section>\n"
    )
}

fn before_and_after(entry: &Entry<'_>) -> Bar {
    let row = &*entry.row;
    let after = row.tokens_after as f64;
    Bar {
        name: entry.name.clone(),
        title: format!("{}: {}", entry.title, account(row)),
        value: percent(row.net_saved_percent()),
        parts: vec![
            part("before", 0.0, row.tokens_before as f64),
            part("after", 0.0, after),
            part("reread", after, row.reread_tokens as f64),
        ],
    }
}

fn taken_out(entry: &Entry<'_>) -> Bar {
    let row = &*entry.row;
    let saved = row.saved_tokens();
    let class = if saved < 0 { "added" } else { "saved" };
    Bar {
        name: entry.name.clone(),
        title: format!("{}: {}", entry.title, account(row)),
        value: signed(row.net_saved_tokens()),
        parts: vec![
            part(class, 0.0, saved.unsigned_abs() as f64),
            part("reread", 0.0, row.reread_tokens as f64),
        ],
    }
}

fn part(class: &'static str, from: f64, tokens: f64) -> Part {
    Part {
        class,
        from,
        tokens,
    }
}

/// All of a row in words.
pub(super) fn account(row: &Row) -> String {
    let calls = if row.calls == 1 { "call" } else { "calls" };
    format!(
        "{} {calls}, {} tokens before, {} after, {} read back, {} listed, net saved {} ({})",
        grouped(row.calls),
        grouped(row.tokens_before),
        grouped(row.tokens_after),
        grouped(row.reread_tokens),
        signed(row.listing_tokens),
        signed(row.net_saved_tokens()),
        percent(row.net_saved_percent())
    )
}
