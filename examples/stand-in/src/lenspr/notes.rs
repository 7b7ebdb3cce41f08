//! Session notes of the LensPR stand-in: the notes of earlier sessions, and the instructions that repeat all of them to
//! every new one.
//!
//! Owns the 101 notes, their sizes and their layout in the instructions. The sizes are those of a real project after
//! some weeks: 97 automatic log entries of 35 KB in all, a self-evaluation of 16 KB, a handoff of 12 KB that mostly
//! repeats the log, the handoff's time, and the subject of the current session. Refuses to know tools and MCP.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::project::{CALLERS, TARGET, pick, sentences, short_name};

/// Automatic log entries: one for every change of a node.
pub const LOG_ENTRIES: usize = 97;

/// Changes that the instructions list separately, newest first.
const RECENT_CHANGES: usize = 5;
/// Changes that the handoff repeats.
pub const HANDOFF_CHANGES: usize = 48;

/// One note, as the store has it.
pub struct Note {
    pub key: String,
    pub value: String,
    /// UTC, to the second.
    pub updated_at: String,
}

impl Note {
    /// The note as a row of a tool's answer.
    pub fn to_json(&self) -> Value {
        json!({ "key": self.key, "value": self.value, "updated_at": self.updated_at })
    }
}

/// All notes, in the order of their last change, newest first.
pub fn all() -> Vec<Note> {
    let now = time_of(LOG_ENTRIES);
    let mut notes = vec![
        Note {
            key: "current_session".into(),
            value: format!(
                "Task: make discounts apply before tax in `{TARGET}`.\n{}",
                sentences(901, 6)
            ),
            updated_at: now.clone(),
        },
        Note {
            key: "handoff_at".into(),
            value: now.replace('T', " "),
            updated_at: now.clone(),
        },
        Note {
            key: "handoff".into(),
            value: handoff(),
            updated_at: now.clone(),
        },
        Note {
            key: "self_evaluation".into(),
            value: self_evaluation(),
            updated_at: now,
        },
    ];
    notes.extend((0..LOG_ENTRIES).rev().map(|n| Note {
        key: format!("_log_{}_{}", 1_772_000_000 + n * 1931, short_name(node(n))),
        value: action(n).to_string(),
        updated_at: time_of(n),
    }));
    notes
}

/// The `n`th logged action, from 0, as its note has it.
pub fn action(n: usize) -> Value {
    json!({
        "timestamp": time_of(n),
        "action": verb(n),
        "node_id": node(n),
        "reasoning": sentences(n, 2),
        "impact_summary": format!("{} direct callers, {} tests", n * 7 % 23, n * 5 % 17),
    })
}

/// The handoff for the next session: the last changes again, and the next steps.
pub fn handoff() -> String {
    let mut text = format!("# Session Handoff\n\n## Recent changes (last {HANDOFF_CHANGES})\n");
    text.push_str(&changes(HANDOFF_CHANGES));
    let _ = write!(
        text,
        "\n## Start next session with\n```\nlens_session_read()   # restore this context\n```\n{}\n",
        sentences(700, 3)
    );
    text
}

/// The server's instructions: its purpose, the last changes, and every note in full.
pub fn instructions() -> String {
    let mut text = String::from(PREAMBLE);
    text.push_str("\n## Recent Changes (last session)\n");
    text.push_str(&changes(RECENT_CHANGES));
    text.push_str("\n## Session Notes\n");
    for note in all() {
        let _ = write!(text, "### {}\n{}\n", note.key, note.value);
    }
    text
}

const PREAMBLE: &str = "\
# LensPR

This project is indexed as a graph: modules, classes and functions are nodes, calls, imports and
inheritance are edges. Work on nodes, not on files.

- Begin with `lens_resume()`: it says what the last session changed, and why.
- Before a change, look at `lens_find_usages(node_id)` and `lens_explain(node_id)`.
- Change code with `lens_update_node`, and give the reason: it is kept for later sessions.
- After a change, run what `lens_list_tests(node_id)` names.
- The graph is static. Calls by name (`getattr`, registries) may be missing from it.
";

/// The last `count` changes as list items, newest first.
fn changes(count: usize) -> String {
    let mut text = String::new();
    for n in (LOG_ENTRIES - count..LOG_ENTRIES).rev() {
        let (action, node) = (verb(n), node(n));
        let when = time_of(n).replace('T', " ");
        let _ = writeln!(
            text,
            "- **{action}** `{node}` at {when} \u{2014} {}",
            sentences(n, 2)
        );
    }
    text
}

fn self_evaluation() -> String {
    let mut text = String::from("# Self-evaluation\n");
    for section in 0..26 {
        let _ = write!(
            text,
            "\n## {}. {}\n{}\n",
            section + 1,
            pick(
                &[
                    "What went well",
                    "What was slow",
                    "What I assumed",
                    "What to check"
                ],
                section
            ),
            sentences(300 + section, 8)
        );
    }
    text
}

fn verb(n: usize) -> &'static str {
    pick(&["modified", "modified", "patched", "added", "renamed"], n)
}

fn node(n: usize) -> &'static str {
    match n % 6 {
        5 => TARGET,
        caller => CALLERS[caller],
    }
}

/// The time of the `n`th action: ten a day for ten days.
fn time_of(n: usize) -> String {
    let (day, slot) = (2 + n / 10, n % 10);
    let (hour, minute, second) = (9 + slot * 47 / 60, slot * 47 % 60, n * 13 % 60);
    format!("2026-03-{day:02}T{hour:02}:{minute:02}:{second:02}")
}
