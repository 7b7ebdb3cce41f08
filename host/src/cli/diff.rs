//! The difference between two texts, for a person: the lines that change, and one around them.

use crate::diff::parts::Parts;
use crate::printable;
use anstyle::{AnsiColor, Style};
use similar::DiffOp;
use std::fmt::Write;

/// Longest line that is shown, in characters: some programs keep everything on one.
const SHOWN: usize = 300;

/// The lines as a unified diff without its headers; coloured, for `anstream` to strip without a terminal.
pub(super) fn lines(before: &str, after: &str) -> String {
    let all = Parts::lines(before, after);
    let mut text = String::new();
    for operation in all.groups(1).iter().flatten() {
        let (old, new) = all.of_operation(operation);
        let sides = match operation {
            DiffOp::Equal { .. } => vec![(' ', Style::new(), old)],
            _ => vec![
                ('-', AnsiColor::Red.on_default(), old),
                ('+', AnsiColor::Green.on_default(), new),
            ],
        };
        for (sign, style, lines) in sides {
            for line in lines {
                let line = clip(line.trim_end_matches(['\r', '\n']));
                let _ = writeln!(text, "    {style}{sign} {line}{style:#}");
            }
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
