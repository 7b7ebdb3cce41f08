//! A chain of four filters, beside the same four in one pass over serde_json's tree: parse once, change
//! the tree, print once.
//!
//! The order is the one in which all four have something to do: tables are text, so they come last.

use std::hint::black_box;
use std::path::Path;
use std::time::Duration;

use serde_json::{Map, Value, json};
use tamis::built_in;
use tamis::chain::{self, Emission, Run};
use tamis::document::Document;
use tamis::mcp::read_tool;
use tamis::policy::{Piece, Policy, ReadTool, Source, Surface as Bound};
use tamis::sandbox::{Originals, Sandbox};
use tamis::store::Reference;

use super::{CALL, in_turns, median, print_header, print_row, strip};

const POLICY: &str = r#"
[[chain]]
tools = ["*"]
steps = ["pending-to-meta", "session-notes", "null-stripper", "row-encoder"]
"#;

pub fn measure() {
    let source = Source::new("(bench)", POLICY).expect("a policy");
    let policy = Policy::parse(source, &built_in::names()).expect("a policy without mistakes");
    let sandbox = Sandbox::new(None).expect("a sandbox");
    let chains = chain::load(policy, &sandbox).expect("the filters load");
    let chain = chains
        .find(&Piece::new(Bound::Result, "bench"))
        .expect("a chain");

    print_header(
        "four filters, text to text",
        "in sandboxes",
        "one native pass",
    );
    for (name, bytes, rounds) in [
        ("16 KB", 16 << 10, 1000),
        ("64 KB", 64 << 10, 600),
        ("256 KB", 256 << 10, 150),
    ] {
        let text = answer(bytes);
        let run = || {
            // Keeping the original on disk is the same work for both, and left out of both.
            let reference = Reference::of(b"bench");
            let originals = Originals::new(move |_, _| {
                let settings = ReadTool::default();
                Ok(Some(read_tool::names(
                    &settings,
                    &reference,
                    Some(Path::new("")),
                )))
            });
            chain.run(&Document::detect(text.as_str()), &CALL, &originals)
        };
        let filtered = || match run().emission {
            Emission::Changed(document) => document,
            _ => unreachable!("there is something to do"),
        };
        assert_same(&text, filtered().text(), &native(&text));
        let times = in_turns(
            rounds,
            || drop(black_box(filtered())),
            || drop(black_box(native(black_box(&text)))),
        );
        print_row(name, times);
        if bytes == 64 << 10 {
            let times = |run: Run| run.receipts.into_iter().map(|step| step.time).collect();
            let rounds = super::rounds(rounds);
            let runs: Vec<Vec<Duration>> = (0..rounds).map(|_| times(run())).collect();
            for (place, step) in run().receipts.iter().enumerate() {
                let us = median(runs.iter().map(|run| run[place]).collect()).as_secs_f64() * 1e6;
                println!(
                    "{:<44} {us:>11.1} µs",
                    format!("  of which {}", step.filter)
                );
            }
        }
    }
    println!();
}

/// Both have to have done all that there was to do, and about as well.
fn assert_same(text: &str, ours: &str, native: &str) {
    for gone in ["_pending_annotations", "_log_3", "null", "\"signature\""] {
        assert!(text.contains(gone), "{gone} is in the document");
        assert!(!ours.contains(gone), "{gone} is in {ours}");
        assert!(!native.contains(gone), "{gone} is in {native}");
    }
    for there in ["unannotated_nodes", "signature", "left out"] {
        assert!(ours.contains(there), "no {there} in {ours}");
        assert!(native.contains(there), "no {there} in {native}");
    }
    let (ours, native) = (ours.len(), native.len());
    assert!(
        ours <= native + native / 50,
        "{ours} bytes, and natively {native}"
    );
}

/// An answer of a code-intelligence server on which each of the four has something to do: more than
/// half of it rows, the rest notes of earlier sessions.
fn answer(bytes: usize) -> String {
    let notes: Map<String, Value> = (0..bytes / 1_000)
        .map(|at| {
            let key = match at {
                0 => "current_session".to_owned(),
                at if at % 3 == 0 => format!("_log_{at}"),
                at => format!("note_{at}"),
            };
            let words = "the totals are wrong where a rate is missing; ".repeat(5 + at % 9);
            (key, Value::String(words))
        })
        .collect();
    let mut rows = Vec::new();
    let mut len = json!(notes).to_string().len();
    while len < bytes.saturating_sub(700) {
        let id = rows.len() + 1;
        let row = json!({
            "id": id, "name": format!("calculate_total_{id}"), "docstring": null, "callers": [],
            "file": format!("src/billing/part_{}.py", id % 40), "line": id * 7,
            "signature": format!("def calculate_total_{id}(items, rate=None)"), "complexity": id % 9,
            "deprecated": id % 7 == 0, "hint": null,
        });
        len += row.to_string().len() + 1;
        rows.push(row);
    }
    json!({
        "success": true, "data": {"nodes": rows, "notes": notes}, "error": null, "hint": null, "warnings": [],
        "_pending_annotations": {
            "nodes": (0..8).map(|at| format!("billing.totals.calculate_total_{at}")).collect::<Vec<_>>(),
            "count": 8,
            "hint": "ACTION REQUIRED: annotate these nodes before you go on. ".repeat(4),
        },
    })
    .to_string()
}

/// The four in one pass, as somebody would write them who has no sandbox.
fn native(text: &str) -> String {
    let mut value: Value = serde_json::from_str(text).expect("JSON");
    pending(&mut value);
    if let Some(Value::Object(notes)) = value.pointer_mut("/data/notes") {
        budget(notes);
    }
    strip(&mut value);
    let mut out = String::with_capacity(text.len() / 2);
    write(&value, &mut out);
    out
}

/// Replaces blocks of pending work by a count.
fn pending(value: &mut Value) {
    match value {
        Value::Object(members) => {
            if let Some(block) = members.shift_remove("_pending_annotations") {
                members.insert(
                    "_meta".to_owned(),
                    json!({"unannotated_nodes": block["count"]}),
                );
            }
            members.values_mut().for_each(pending);
        }
        Value::Array(elements) => elements.iter_mut().for_each(pending),
        _ => {}
    }
}

/// Notes of earlier sessions within 4 KB, none over 2 KB.
fn budget(notes: &mut Map<String, Value>) {
    let mut kept: Vec<(String, Value)> = std::mem::take(notes)
        .into_iter()
        .filter(|(key, _)| !key.starts_with("_log_") && key != "handoff_at")
        .collect();
    kept.sort_by(|(a, _), (b, _)| {
        let rank = |key: &str| key != "current_session";
        (rank(a), a).cmp(&(rank(b), b))
    });
    let (mut left, mut left_out) = (4096usize, 0);
    for (key, mut value) in kept {
        if let Value::String(text) = &mut value
            && text.len() > 2048
        {
            text.truncate(text.floor_char_boundary(1900));
            text.push_str("\n[truncated; lens_session_read() returns the whole note]");
        }
        match left.checked_sub(key.len() + value.to_string().len() + 3) {
            Some(rest) => {
                left = rest;
                notes.insert(key, value);
            }
            None => left_out += 1,
        }
    }
    if left_out > 0 {
        let line =
            format!("[{left_out} more notes left out; lens_session_read() returns all of them]");
        notes.insert("_left_out".to_owned(), Value::String(line));
    }
}

/// JSON without whitespace, with lists of like objects as tables.
fn write(value: &Value, out: &mut String) {
    match value {
        Value::Array(rows) if write_table(rows, out) => {}
        Value::Array(elements) => {
            out.push('[');
            for (place, element) in elements.iter().enumerate() {
                if place > 0 {
                    out.push(',');
                }
                write(element, out);
            }
            out.push(']');
        }
        Value::Object(members) => {
            out.push('{');
            for (place, (key, value)) in members.iter().enumerate() {
                if place > 0 {
                    out.push(',');
                }
                out.push_str(&Value::from(key.as_str()).to_string());
                out.push(':');
                write(value, out);
            }
            out.push('}');
        }
        scalar => out.push_str(&scalar.to_string()),
    }
}

/// Writes one header and a line for each row, cells between tabs. False if these are no rows.
fn write_table(rows: &[Value], out: &mut String) -> bool {
    let Some(Value::Object(first)) = rows.first().filter(|_| rows.len() > 1) else {
        return false;
    };
    let is_like = |row: &Value| matches!(row, Value::Object(row) if row.len() == first.len() && row.keys().eq(first.keys()));
    if !rows.iter().all(is_like) {
        return false;
    }
    out.push_str(&format!("#{} ", rows.len()));
    for (place, key) in first.keys().enumerate() {
        if place > 0 {
            out.push('\t');
        }
        out.push_str(key);
    }
    out.push('\n');
    for row in rows {
        let cells = row.as_object().into_iter().flat_map(Map::values);
        for (place, cell) in cells.enumerate() {
            if place > 0 {
                out.push('\t');
            }
            match cell {
                Value::Null => {}
                Value::String(text) if is_plain(text) => out.push_str(text),
                other => out.push_str(&other.to_string()),
            }
        }
        out.push('\n');
    }
    true
}

/// Whether a string can stand in a cell without quotes and be read as itself.
fn is_plain(text: &str) -> bool {
    !matches!(text, "" | "~" | "true" | "false" | "null")
        && !text.starts_with([
            '"', '[', '{', '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9',
        ])
        && !text.contains(|c: char| c.is_control())
}
