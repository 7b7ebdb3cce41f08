//! The report of a replay: a table for a person, or JSON.

use super::{Replayed, file_name};
use crate::numbers::grouped;
use crate::printable;
use crate::replay::{Difference, ToolSums, by_tool};
use crate::tokens;
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use serde_json::{Value, json};
use std::collections::HashSet;

/// Calls that are named, unless all are asked for.
const NAMED: usize = 20;

pub(super) fn text(replayed: &Replayed<'_>, all: bool) -> String {
    let Replayed { calls, found, .. } = replayed;
    let tools = by_tool(calls, found);
    let servers: HashSet<&str> = tools.iter().map(|((server, _), _)| &**server).collect();
    let mut table = Table::new();
    table
        .load_style(presets::UTF8_BORDERS_ONLY)
        .set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header([
        "tool",
        "calls",
        "tokens then",
        "now",
        "saved",
        "changed",
        "newly cut",
        "newly failing",
    ]);
    let mut total = ToolSums::default();
    found.iter().for_each(|difference| total.add(difference));
    for ((server, tool), sums) in &tools {
        let name = match servers.len() {
            1 => tool.clone(),
            _ => format!("{server}: {tool}"),
        };
        table.add_row(cells(printable::line_with_tabs(&name), sums));
    }
    if tools.len() > 1 {
        table.add_row(cells("all calls".to_owned(), &total));
    }
    for index in 1..=7 {
        if let Some(column) = table.column_mut(index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let mut text = format!(
        "{table}\nTokens are {}, of what a model can read. Now: under {}. Then: {}.\n",
        tokens::ENCODING,
        replayed.now.policy().source.path().display(),
        match replayed.then {
            Some(then) => format!("under {}", then.policy().source.path().display()),
            None => "as the server sent it".to_owned(),
        }
    );
    let mut different: Vec<&Difference> = found
        .iter()
        .filter(|difference| difference.is_any())
        .collect();
    if different.is_empty() {
        return text + "No call differs.\n";
    }
    // The worst first, then in the order of the calls.
    different.sort_by_key(|difference| {
        (
            !difference.is_newly_failed(),
            !difference.is_newly_cut(),
            difference.index,
        )
    });
    let count = different.len();
    let shown = if all { count } else { NAMED };
    text += &match count {
        1 => "\n1 call differs:\n".to_owned(),
        count => format!("\n{} calls differ:\n", grouped(count as u64)),
    };
    for difference in different.iter().take(shown) {
        let recorded = &calls[difference.index];
        text += &format!(
            "  {}  {}  {}\n",
            file_name(recorded),
            printable::line_with_tabs(&recorded.call.tool),
            says(difference)
        );
    }
    if count > shown {
        let more = grouped((count - shown) as u64);
        text += &format!("  … and {more} more: --list names them all\n");
    }
    text
}

/// The differences, in words.
fn says(difference: &Difference) -> String {
    let (then, now) = (difference.tokens.then, difference.tokens.now);
    let mut words = match then == now {
        true => format!("{} tokens", grouped(then.into())),
        false => format!("{} → {} tokens", grouped(then.into()), grouped(now.into())),
    };
    if difference.is_newly_cut() {
        words += ", cut";
    }
    for failed in &difference.newly_failed {
        let message = printable::line_with_tabs(&failed.message);
        words += &format!(", {} {}", failed.filter, failed.outcome);
        if message != failed.outcome {
            words += &format!(" ({message})");
        }
    }
    if difference.withheld.now && !difference.withheld.then {
        words += ", withheld";
    }
    words
}

fn cells(name: String, sums: &ToolSums) -> [String; 8] {
    let saved = sums.saved_percent();
    [
        name,
        grouped(sums.calls),
        grouped(sums.tokens_then),
        grouped(sums.tokens_now),
        saved.map_or_else(|| "–".to_owned(), |saved| format!("{saved:.1} %")),
        grouped(sums.changed),
        grouped(sums.newly_cut),
        grouped(sums.newly_failed),
    ]
}

/// The report for machines.
pub(super) fn json(replayed: &Replayed<'_>) -> Value {
    let Replayed { calls, found, .. } = replayed;
    let mut total = ToolSums::default();
    found.iter().for_each(|difference| total.add(difference));
    let tools = by_tool(calls, found);
    let tools = tools.iter().map(|((server, tool), sums)| {
        let mut object = json!({"tool": tool, "server": server});
        merge(&mut object, sums_json(sums));
        object
    });
    let changes = found
        .iter()
        .filter(|difference| difference.is_any())
        .map(|difference| {
            let recorded = &calls[difference.index];
            json!({
                "file": file_name(recorded),
                "tool": recorded.call.tool,
                "server": recorded.call.server,
                "chain": difference.chain,
                "changed": difference.changed,
                "bytes_then": difference.bytes.then,
                "bytes_now": difference.bytes.now,
                "tokens_then": difference.tokens.then,
                "tokens_now": difference.tokens.now,
                "cut_then": difference.cut.then,
                "cut_now": difference.cut.now,
                "withheld_then": difference.withheld.then,
                "withheld_now": difference.withheld.now,
                "newly_failed": difference.newly_failed.iter().map(|failed| json!({
                    "filter": failed.filter,
                    "outcome": failed.outcome,
                    "message": failed.message,
                })).collect::<Vec<_>>(),
            })
        });
    let path = |chains: &crate::chain::Chains| chains.policy().source.path().display().to_string();
    let mut object = json!({
        "now": path(replayed.now),
        "then": replayed.then.map(path),
        "encoding": tokens::ENCODING,
        "tools": tools.collect::<Vec<_>>(),
        "changes": changes.collect::<Vec<_>>(),
    });
    merge(&mut object, sums_json(&total));
    object
}

fn sums_json(sums: &ToolSums) -> Value {
    json!({
        "calls": sums.calls,
        "changed": sums.changed,
        "newly_cut": sums.newly_cut,
        "newly_failed": sums.newly_failed,
        "bytes_then": sums.bytes_then,
        "bytes_now": sums.bytes_now,
        "tokens_then": sums.tokens_then,
        "tokens_now": sums.tokens_now,
        "saved_percent": sums.saved_percent(),
    })
}

fn merge(object: &mut Value, more: Value) {
    if let (Value::Object(object), Value::Object(more)) = (object, more) {
        object.extend(more);
    }
}
