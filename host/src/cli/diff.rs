//! The difference between two texts, for a person: the lines that change, and one around them.

use crate::printable;
use anstyle::{AnsiColor, Style};
use similar::{ChangeTag, TextDiff};
use std::fmt::Write;

/// Longest line that is shown, in characters: some programs keep everything on one.
const SHOWN: usize = 300;

/// The lines as a unified diff without its headers; coloured, for `anstream` to strip without a terminal.
pub(super) fn lines(before: &str, after: &str) -> String {
    let diff = TextDiff::from_lines(before, after);
    let mut text = String::new();
    for hunk in diff.unified_diff().context_radius(1).iter_hunks() {
        for change in hunk.iter_changes() {
            let (sign, style) = match change.tag() {
                ChangeTag::Delete => ('-', AnsiColor::Red.on_default()),
                ChangeTag::Insert => ('+', AnsiColor::Green.on_default()),
                ChangeTag::Equal => (' ', Style::new()),
            };
            let line = clip(change.value().trim_end_matches(['\r', '\n']));
            let _ = writeln!(text, "    {style}{sign} {line}{style:#}");
        }
    }
    text
}

/// A line of somebody's file, with its tabs.
fn clip(line: &str) -> String {
    let shown: String = line.chars().take(SHOWN).collect();
    let cut = line.chars().count() > SHOWN;
    printable::line_with_tabs(&shown) + if cut { " …" } else { "" }
}
