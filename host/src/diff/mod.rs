//! Two texts compared, for a person: which lines differ, and where in them.
//!
//! JSON on one line is broken into lines first (`pretty`), since nobody finds a member in ten thousand
//! characters. Long lines are shortened around the difference, and a long diff is cut off, to be readable.

pub(crate) mod parts;
mod pretty;

use std::borrow::Cow;
use std::fmt::Write;

use crate::printable;
use anstyle::{AnsiColor, Style};
use parts::Parts;
use similar::DiffOp;

/// Lines around a change.
const CONTEXT: usize = 3;

/// Lines shown. Who wants more has the files.
const SHOWN_LINES: usize = 300;

/// Lines of an excerpt: a screenful.
const EXCERPT_LINES: usize = 30;

/// Characters of a line that are shown.
const LINE_CHARS: usize = 200;

/// Characters that are shown before the first one that differs.
const LEAD_CHARS: usize = 60;

/// Longest line of which the words are compared, in bytes.
const COMPARED_BYTES: usize = 20_000;

/// The differences between two texts.
#[derive(Debug)]
pub struct Diff {
    /// How the shown texts differ from the real ones; empty if they do not.
    pub note: &'static str,
    lines: Vec<Line>,
}

#[derive(Debug)]
struct Line {
    kind: Kind,
    /// Text, and whether it differs from the other line.
    parts: Vec<(String, bool)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Same,
    Removed,
    Added,
    /// A gap for omitted lines.
    Gap,
}

const BROKEN: &str =
    "JSON on one line is broken into lines here, and so is JSON or text in its strings";
const SPACE_ALONE: &str = "it is the same JSON, written differently";

impl Diff {
    /// Compares. Bytes that are not UTF-8 are shown as `�`.
    pub fn new(before: &[u8], after: &[u8]) -> Diff {
        let (before, after) = (
            String::from_utf8_lossy(before),
            String::from_utf8_lossy(after),
        );
        let broken = break_lines(&before, &after);
        let (note, old, new) = match broken {
            Some((old, new)) if old != new => (BROKEN, Cow::Owned(old), Cow::Owned(new)),
            Some(_) => (SPACE_ALONE, before, after),
            None => ("", before, after),
        };
        Diff {
            note,
            lines: compare(&old, &new),
        }
    }

    /// Whether the texts are the same.
    pub fn is_empty(&self) -> bool {
        self.lines.iter().all(|line| line.kind == Kind::Same)
    }

    /// Lines that begin with `-` (before), `+` (after) or a space, each with a line feed.
    pub fn render(&self, colour: bool) -> String {
        let mut text = String::new();
        for line in self.lines.iter().take(SHOWN_LINES) {
            line.render(colour, &mut text);
        }
        if self.lines.len() > SHOWN_LINES {
            let more = self.lines.len() - SHOWN_LINES;
            let _ = writeln!(text, "… and {more} lines more");
        }
        text
    }
}

impl Line {
    fn render(&self, colour: bool, text: &mut String) {
        let (sign, plain) = match self.kind {
            Kind::Same => ("  ", Style::new()),
            Kind::Removed => ("- ", AnsiColor::Red.on_default()),
            Kind::Added => ("+ ", AnsiColor::Green.on_default()),
            Kind::Gap => ("", AnsiColor::Cyan.on_default()),
        };
        let mut paint = |style: Style, what: &str| {
            if colour && !what.is_empty() {
                let _ = write!(text, "{style}{what}{style:#}");
            } else {
                text.push_str(what);
            }
        };
        paint(plain, sign);
        for (part, differs) in &self.parts {
            let style = if *differs {
                plain.bold().underline()
            } else {
                plain
            };
            paint(style, part);
        }
        text.push('\n');
    }
}

/// The beginning of a text, in lines that can be shown.
pub fn excerpt(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let broken = pretty::break_json(&text);
    let text = broken.as_deref().unwrap_or(&text);
    let mut shown = String::new();
    for line in text.lines().take(EXCERPT_LINES) {
        let _ = writeln!(shown, "  {}", clip(&show(line), 0));
    }
    match text.lines().count().saturating_sub(EXCERPT_LINES) {
        0 => shown,
        more => shown + &format!("  … and {more} lines more\n"),
    }
}

/// Both texts in lines, if one of them is JSON on one line.
fn break_lines(before: &str, after: &str) -> Option<(String, String)> {
    let on_one_line = |text: &str| !text.trim_end().contains('\n');
    if !on_one_line(before) && !on_one_line(after) {
        return None;
    }
    match (pretty::break_json(before), pretty::break_json(after)) {
        (Some(old), Some(new)) => Some((old, new)),
        (Some(old), None) if on_one_line(before) => Some((old, after.to_owned())),
        (None, Some(new)) if on_one_line(after) => Some((before.to_owned(), new)),
        _ => None,
    }
}

fn compare(before: &str, after: &str) -> Vec<Line> {
    let all = Parts::lines(before, after);
    let mut lines = Vec::new();
    for group in all.groups(CONTEXT) {
        if let (Some(first), true) = (group.first(), lines.len() < SHOWN_LINES) {
            let at = first.new_range().start + 1;
            lines.push(Line {
                kind: Kind::Gap,
                parts: vec![(format!("@@ line {at} @@"), false)],
            });
        }
        for operation in &group {
            let (old, new) = all.of_operation(operation);
            match operation {
                DiffOp::Equal { .. } => lines.extend(old.iter().map(|line| same(line))),
                _ => changed(old, new, &mut lines),
            }
        }
    }
    // One hunk that begins at the top needs no place.
    let gaps = lines.iter().filter(|line| line.kind == Kind::Gap).count();
    if gaps == 1 && lines[0].parts[0].0 == "@@ line 1 @@" {
        lines.remove(0);
    }
    lines
}

fn same(line: &str) -> Line {
    let kind = Kind::Same;
    let parts = vec![(clip(&show(line), 0), false)];
    Line { kind, parts }
}

/// Replaced lines: the old ones first, then the new ones, each with its differing part.
fn changed(old: &[&str], new: &[&str], lines: &mut Vec<Line>) {
    let mut added = Vec::with_capacity(new.len());
    for index in 0..old.len().max(new.len()) {
        match (old.get(index), new.get(index)) {
            (Some(old), Some(new)) => {
                let (removed, new) = pair(old, new);
                lines.push(removed);
                added.push(new);
            }
            (Some(old), None) => lines.push(whole(old, Kind::Removed)),
            (None, Some(new)) => added.push(whole(new, Kind::Added)),
            (None, None) => {}
        }
    }
    lines.append(&mut added);
}

fn whole(line: &str, kind: Kind) -> Line {
    let parts = vec![(clip(&show(line), 0), false)];
    Line { kind, parts }
}

/// Two lines, one in place of the other.
fn pair(old: &str, new: &str) -> (Line, Line) {
    // A line feed that one of them lacks is part of the difference.
    let at_end = old.ends_with('\n') != new.ends_with('\n');
    let (old, new) = if at_end {
        (show_end(old), show_end(new))
    } else {
        (show(old), show(new))
    };
    let prefix = old.chars().zip(new.chars()).take_while(|(a, b)| a == b);
    let skipped = prefix.count().saturating_sub(LEAD_CHARS);
    let (old, new) = (clip(&old, skipped), clip(&new, skipped));
    let mut sides = (
        Line {
            kind: Kind::Removed,
            parts: Vec::new(),
        },
        Line {
            kind: Kind::Added,
            parts: Vec::new(),
        },
    );
    if old.len().max(new.len()) > COMPARED_BYTES {
        sides.0.parts.push((old, false));
        sides.1.parts.push((new, false));
        return sides;
    }
    let words = Parts::words(&old, &new);
    // Of two lines that have little in common everything differs, which is no news.
    let alike = words.ratio() > 0.3;
    for operation in words.operations() {
        let (old, new) = words.of_operation(operation);
        let differs = alike && !matches!(operation, DiffOp::Equal { .. });
        let part = |word: &&str| ((*word).to_owned(), differs);
        sides.0.parts.extend(old.iter().map(part));
        sides.1.parts.extend(new.iter().map(part));
    }
    sides
}

/// A line as it can be shown.
fn show(line: &str) -> String {
    printable::line_with_tabs(line.strip_suffix('\n').unwrap_or(line))
}

/// As [`show`], with a mark if the line feed is missing.
fn show_end(line: &str) -> String {
    let end = if line.ends_with('\n') {
        ""
    } else {
        " (no line feed)"
    };
    show(line) + end
}

/// The part of a line that is shown, from the character `skipped` on.
fn clip(line: &str, skipped: usize) -> String {
    let count = line.chars().count();
    if count <= LINE_CHARS {
        return line.to_owned();
    }
    let shown: String = line.chars().skip(skipped).take(LINE_CHARS).collect();
    let left = count.saturating_sub(skipped + LINE_CHARS);
    let head = if skipped > 0 {
        format!("… {skipped} characters … ")
    } else {
        String::new()
    };
    match left {
        0 => head + &shown,
        left => format!("{head}{shown} … {left} characters"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(before: &str, after: &str) -> (&'static str, String) {
        let diff = Diff::new(before.as_bytes(), after.as_bytes());
        (diff.note, diff.render(false))
    }

    #[test]
    fn json_on_one_line_is_compared_member_by_member() {
        let (note, text) = plain(r#"{"a":1,"b":[1e2,"x"]}"#, r#"{"a":2,"b":[1e2,"x"]}"#);
        assert_eq!(note, BROKEN);
        assert_eq!(
            text,
            "  {\n-   \"a\": 1,\n+   \"a\": 2,\n    \"b\": [\n      1e2,\n      \"x\"\n"
        );
    }

    #[test]
    fn json_in_a_string_is_broken_too() {
        let (_, text) = plain(r#"{"text":"{\"a\":1,\"b\":2}"}"#, r#"{"text":"{\"a\":1}"}"#);
        assert!(text.contains("-     \"a\": 1,\n-     \"b\": 2\n"), "{text}");
    }

    #[test]
    fn json_that_differs_in_spelling_alone_is_shown_as_it_is() {
        let (note, text) = plain("{\"a\": 1}", "{\"a\":1}");
        assert_eq!(note, SPACE_ALONE);
        assert_eq!(text, "- {\"a\": 1}\n+ {\"a\":1}\n");
    }

    #[test]
    fn a_line_feed_at_the_end_is_a_difference() {
        let (_, text) = plain("a\nb\n", "a\nb");
        assert_eq!(text, "  a\n- b\n+ b (no line feed)\n");
    }

    #[test]
    fn a_long_line_is_shown_where_it_differs() {
        let (old, new) = (
            "x ".repeat(5_000) + "old " + &"y ".repeat(500),
            "x ".repeat(5_000) + "new " + &"y ".repeat(500),
        );
        let (_, text) = plain(&old, &new);
        assert!(text.len() < 1_000, "{text}");
        assert!(text.contains("old y") && text.contains("new y"), "{text}");
    }

    #[test]
    fn what_a_terminal_would_obey_is_spelled_out() {
        let (_, text) = plain("\u{1b}[2Ja", "b");
        assert_eq!(text, "- \\u{1b}[2Ja\n+ b\n");
    }

    #[test]
    fn what_differs_in_a_line_is_marked() {
        let diff = Diff::new(b"one two three four", b"one two 3 four");
        let text = diff.render(true);
        assert!(
            text.contains("\u{1b}[4m") && text.contains("three"),
            "{text:?}"
        );
        assert_eq!(
            anstream::adapter::strip_str(&text).to_string(),
            diff.render(false)
        );
    }
}
