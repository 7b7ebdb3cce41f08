//! Whole lines of a large text, their numbers, and the call that reads the rest.

use crate::tokens;
use std::fmt::Write;

/// Text of a file with at most so many tokens is shown whole: about 200 lines of source, which an agent
/// that reads a file is likely to need.
const WHOLE_TOKENS: u32 = 2_000;

/// A text of so many bytes has more than `WHOLE_TOKENS`, so its tokens need not be counted. Only long
/// runs of white space have tokens of more than 30 bytes.
const SURELY_LARGE_BYTES: usize = 60_000;

/// No line of source is longer: a longer one is not quoted in the list of lines left out.
const QUOTED_BYTES: usize = 120;

/// How much of a large text is shown, in tokens.
#[derive(Debug, Clone, Copy)]
pub struct Budget {
    head: u32,
    tail: u32,
    quoted: u32,
}

impl Budget {
    /// The budget for a text that the agent would show whole.
    pub const USUAL: Budget = Budget {
        head: 900,
        tail: 250,
        quoted: 200,
    };
    /// The budget for a text of which the agent itself would show some 2,000 characters.
    pub const SMALL: Budget = Budget {
        head: 250,
        tail: 80,
        quoted: 80,
    };
}

/// The first lines of a large text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head<'t> {
    /// Without the line break of the last one.
    pub text: &'t str,
    pub lines: usize,
    /// Lines of the whole text.
    pub of: usize,
}

/// The outline in place of a large text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outline<'t> {
    head: &'t str,
    head_lines: usize,
    tail: &'t str,
    tail_lines: usize,
    lines: usize,
    /// Lines between the two that begin something, each with its number.
    quoted: Vec<(usize, &'t str)>,
}

/// The first lines of a text that is too large to be shown whole; none if it is small, or if its first
/// line alone is too long.
pub fn head(text: &str, budget: Budget) -> Option<Head<'_>> {
    if !is_large(text) {
        return None;
    }
    let of = text.split_inclusive('\n').count();
    let (lines, bytes) = first_lines(text.split_inclusive('\n'), budget.head);
    if lines == 0 || lines == of {
        return None;
    }
    let text = text[..bytes].strip_suffix('\n').unwrap_or(&text[..bytes]);
    Some(Head { text, lines, of })
}

/// The first and the last lines of a text that is too large to be shown whole; none if it is small.
pub fn outline(text: &str, budget: Budget) -> Option<Outline<'_>> {
    if !is_large(text) {
        return None;
    }
    let lines = text.split_inclusive('\n').count();
    let (head_lines, head_bytes) = first_lines(text.split_inclusive('\n'), budget.head);
    let rest = &text[head_bytes..];
    let (tail_lines, tail_bytes) = first_lines(rest.split_inclusive('\n').rev(), budget.tail);
    if head_lines + tail_lines >= lines {
        return None;
    }
    let (between, tail) = rest.split_at(rest.len() - tail_bytes);
    Some(Outline {
        head: &text[..head_bytes],
        head_lines,
        tail,
        tail_lines,
        lines,
        quoted: quoted(between, head_lines + 1, budget.quoted),
    })
}

fn is_large(text: &str) -> bool {
    text.len() > SURELY_LARGE_BYTES
        || text.len() > WHOLE_TOKENS as usize && tokens::count(text) > WHOLE_TOKENS
}

/// How many whole lines have no more tokens than this, and their bytes.
fn first_lines<'t>(lines: impl Iterator<Item = &'t str>, budget: u32) -> (usize, usize) {
    /// A token has no more bytes than this in a text worth showing.
    const TOKEN_BYTES: usize = 30;
    let (mut count, mut bytes, mut spent) = (0, 0, 0);
    for line in lines {
        if line.len() > budget as usize * TOKEN_BYTES {
            break;
        }
        spent += tokens::count(line);
        if spent > budget {
            break;
        }
        count += 1;
        bytes += line.len();
    }
    (count, bytes)
}

/// Lines that begin a definition, a section or a file of a diff.
fn quoted(text: &str, first_line: usize, budget: u32) -> Vec<(usize, &str)> {
    const BEGINNINGS: [&str; 24] = [
        "diff --git ",
        "commit ",
        "@@ ",
        "# ",
        "## ",
        "### ",
        "fn ",
        "pub ",
        "async ",
        "impl ",
        "impl<",
        "struct ",
        "enum ",
        "trait ",
        "mod ",
        "class ",
        "def ",
        "function ",
        "export ",
        "interface ",
        "type ",
        "func ",
        "static ",
        "public ",
    ];
    let mut quoted = Vec::new();
    let mut spent = 0;
    for (number, line) in (first_line..).zip(text.lines()) {
        let begins = BEGINNINGS
            .iter()
            .any(|beginning| line.starts_with(beginning));
        if !begins || line.len() > QUOTED_BYTES {
            continue;
        }
        spent += tokens::count(line) + 2;
        if spent > budget {
            break;
        }
        quoted.push((number, line));
    }
    quoted
}

/// The call that reads these lines of an original. `call` is the one that reads all of it: it ends in a
/// JSON object, which a shell may have in quotes.
pub fn call_for_lines(call: &str, text: &str, from: usize, to: usize) -> String {
    let end = call.rfind('}').unwrap_or(call.len());
    let (call, quote) = call.split_at(end);
    // A part that looks like the result of a tool would be taken apart, and its lines be those of its texts.
    let part = match text.trim_start().starts_with('{') {
        true => r#","part":"result""#,
        false => "",
    };
    format!(r#"{call}{part},"lines":"{from}-{to}"{quote}"#)
}

impl<'t> Outline<'t> {
    /// The outline as a text. `call` reads the original of `text`.
    pub fn render(&self, text: &str, call: &str) -> String {
        let (from, to) = (self.head_lines + 1, self.lines - self.tail_lines);
        let call = call_for_lines(call, text, from, to);
        let Outline { lines, .. } = self;
        let mut shown = format!(
            "[tamis] This output has {lines} lines. Lines {from}-{to} are left out here; the others are exactly as they are. Lines {from}-{to}: {call}\n"
        );
        if !self.quoted.is_empty() {
            let _ = writeln!(
                shown,
                "[tamis] Some lines among them, each after its number:"
            );
            for (number, line) in &self.quoted {
                let _ = writeln!(shown, "{number}: {line}");
            }
        }
        if self.head_lines > 0 {
            let _ = writeln!(shown, "[tamis] Lines 1-{}:", self.head_lines);
            shown.push_str(self.head);
        }
        if self.tail_lines > 0 {
            let _ = writeln!(shown, "[tamis] Lines {}-{lines}:", to + 1);
            shown.push_str(self.tail);
        }
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(lines: usize) -> String {
        (1..=lines)
            .map(|n| match n % 50 {
                0 => format!("pub fn number_{n}() {{\n"),
                _ => format!("    let value_{n} = compute({n}); // \u{e4}\n"),
            })
            .collect()
    }

    #[test]
    fn every_line_of_an_outline_is_where_it_says() {
        for (text, budget) in [
            (source(900), Budget::USUAL),
            (source(900), Budget::SMALL),
            (source(900).trim_end().to_owned(), Budget::USUAL),
        ] {
            let outline = outline(&text, budget).expect("it is large");
            let lines: Vec<&str> = text.lines().collect();
            assert_eq!(outline.lines, lines.len());
            assert_eq!(outline.head.lines().count(), outline.head_lines);
            assert!(text.starts_with(outline.head) && text.ends_with(outline.tail));
            assert!(outline.head_lines > 10 && outline.tail_lines > 2);
            assert!(!outline.quoted.is_empty());
            for (number, line) in &outline.quoted {
                assert_eq!(lines[number - 1], *line);
            }
            let shown = outline.render(&text, r#"tamis read '{"ref":"r"}'"#);
            let (from, to) = (outline.head_lines + 1, 900 - outline.tail_lines);
            let call = format!(r#"tamis read '{{"ref":"r","lines":"{from}-{to}"}}'"#);
            assert!(shown.contains(&call), "{shown}");
            assert!(tokens::count(&shown) < WHOLE_TOKENS);
        }
    }

    #[test]
    fn small_texts_and_single_lines() {
        assert_eq!(outline(&source(60), Budget::USUAL), None);
        assert_eq!(head(&source(60), Budget::USUAL), None);
        let line = "x y ".repeat(40_000);
        assert_eq!(head(&line, Budget::USUAL), None);
        let outline = outline(&line, Budget::USUAL).expect("it is large");
        let shown = outline.render(&line, "tamis_read {\"ref\":\"r\"}");
        assert!(
            shown.ends_with("Lines 1-1: tamis_read {\"ref\":\"r\",\"lines\":\"1-1\"}\n"),
            "{shown}"
        );
    }

    #[test]
    fn lines_of_json_are_those_of_its_text() {
        let call = call_for_lines("tamis read '{\"ref\":\"r\"}'", " {\n", 2, 9);
        assert_eq!(
            call,
            r#"tamis read '{"ref":"r","part":"result","lines":"2-9"}'"#
        );
    }

    #[test]
    fn a_head_has_no_line_break_at_its_end() {
        let text = source(900);
        let head = head(&text, Budget::USUAL).expect("it is large");
        assert_eq!(head.of, 900);
        assert_eq!(head.text.lines().count(), head.lines);
        assert!(text.starts_with(head.text) && !head.text.ends_with('\n'));
    }
}
