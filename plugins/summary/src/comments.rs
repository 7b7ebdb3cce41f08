//! Comments in YAML and XML: their number, and those that a reader of the data should know.
//!
//! Owns which these are: work to be done, warnings, failures, what is left out. Others describe settings, which the names of
//! these do, too.

use crate::hashing::Map;
use crate::paper::{cut, one_line, some};
use crate::search::find;
use crate::shapes::{self, Report};
use std::ops::Range;
use tamis_formats::{Format, Lines, Sixteen, Triples, words};

/// Most comments that are shown, and the same of those that tell failures. Characters of each.
const SHOWN: usize = 3;
const FAILING: usize = 6;
const CHARACTERS: usize = 120;

/// Words of such comments in capitals.
const LABELS: [&str; 11] = [
    "ATTENTION",
    "BUG",
    "CAUTION",
    "DANGER",
    "DEPRECATED",
    "DO NOT",
    "FIXME",
    "HACK",
    "TODO",
    "WARNING",
    "XXX",
];

/// The same in small letters.
const PHRASES: [&str; 16] = [
    " is broken",
    "deprecated",
    "do not change",
    "do not edit",
    "do not modify",
    "do not remove",
    "do not touch",
    "do not use",
    "insecure",
    "obsolete",
    "omitted",
    "removed in",
    "skipped",
    "truncated",
    "warning:",
    "workaround",
];

/// Parts in small letters of which each of these labels and phrases has one.
static PARTS: Triples = Triples::of(&[
    *b"att", *b"bug", *b"cau", *b"dan", *b"dep", *b"do ", *b"fix", *b"hac", *b"tod", *b"war",
    *b"xxx", *b"bro", *b"ins", *b"obs", *b"omi", *b"rem", *b"ski", *b"tru", *b"wor",
]);

/// Beginnings of comments that tell a failure, in small letters.
const FAILURES: [&str; 11] = [
    "a fatal error",
    "cannot ",
    "could not ",
    "error:",
    "errors:",
    "failed ",
    "failed:",
    "fatal:",
    "sigbus ",
    "sigsegv ",
    "unable to ",
];

/// Whether a text between data of this notation is a comment.
pub fn is_comment(format: Format, text: &str) -> bool {
    match format {
        Format::Yaml => text.starts_with('#'),
        Format::Xml => text.starts_with("<!--"),
        _ => false,
    }
}

/// Describes the comments of a text, which are at these places.
pub fn told(text: &str, comments: &[Range<usize>]) -> Vec<String> {
    if comments.is_empty() {
        return Vec::new();
    }
    // Failures come before other notes.
    let mut notes: Vec<(usize, &str)> = Vec::new();
    let mut others: Vec<(usize, &str)> = Vec::new();
    // Comments are in order, so each line is counted once.
    let (mut counted, mut above) = (0, 0);
    // A comment may recur in each part.
    let mut known: Map<&str, ()> = Map::default();
    // Lines that tell failures.
    let mut failing = 0;
    for comment in comments {
        let lines = text.as_bytes().get(counted..comment.start);
        above += words::count(lines.unwrap_or_default(), b'\n');
        counted = counted.max(comment.start);
        let (mut fails, mut note) = (false, None);
        let mut number = above;
        for line in Lines::of(&text[comment.clone()]) {
            let line = line.trim();
            number += 1;
            let start = said(line);
            if fails_as(line, start) {
                (fails, failing) = (true, failing + 1);
                if known.insert(line, ()).is_none() {
                    notes.push((number, line));
                }
            } else if !fails && note.is_none() && is_note(start) {
                note = Some((number, line));
            }
        }
        let note = note.filter(|(_, note)| !fails && known.insert(note, ()).is_none());
        others.extend(note);
    }
    let shown = notes.len().clamp(SHOWN, FAILING);
    notes.append(&mut others);
    let more = notes.len().saturating_sub(shown);
    notes.truncate(shown);
    let count = some(comments.len(), "comments");
    let mut told = vec![match (failing, notes.is_empty()) {
        (0, true) => count,
        (0, false) => format!("{count}, some of note:"),
        (1, _) => format!("{count}, some of note, first a line that looks like a failure:"),
        _ => format!("{count}, some of note, first {failing} lines that look like failures:"),
    }];
    for (number, note) in notes {
        told.push(format!(
            " line {number}: {}",
            one_line(&cut(note, CHARACTERS))
        ));
    }
    if more > 0 {
        told.push(format!(" and {more} more of note"));
    }
    told
}

/// What a line of a comment says.
fn said(line: &str) -> &str {
    let start = line.trim_start_matches(['#', ' ', '\t', '<', '!', '-']);
    start.strip_suffix("-->").unwrap_or(start).trim_end()
}

/// Whether a line of a comment tells a failure.
pub fn is_failing(line: &str) -> bool {
    fails_as(line, said(line))
}

/// The same. `start`: what the line says.
fn fails_as(line: &str, start: &str) -> bool {
    // Few begin with one of these letters.
    let may_begin = matches!(
        start.as_bytes(),
        [
            b'a' | b'A' | b'c' | b'C' | b'e' | b'E' | b'f' | b'F' | b's' | b'S' | b'u' | b'U',
            ..
        ]
    );
    let begins = |known: &&str| {
        let first = start.as_bytes().get(..known.len());
        first.is_some_and(|first| first.eq_ignore_ascii_case(known.as_bytes()))
    };
    may_begin && FAILURES.iter().any(begins)
        || match shapes::report(start) {
            Report::Failure => true,
            // The sign of a comment reports nothing either, but before a number: `# fail 1`.
            report if line.starts_with('#') && (report == Report::Nothing || !has_digit(start)) => {
                false
            }
            _ => shapes::is_failure(line),
        }
}

fn has_digit(text: &str) -> bool {
    let are_digits = |bytes: Sixteen| bytes.between(b'0', b'9');
    words::has_any_of(text.as_bytes(), are_digits)
}

/// Whether a comment that tells no failure says more than what a setting is.
fn is_note(start: &str) -> bool {
    if !PARTS.may_be_in(start) {
        return false;
    }
    let is_part =
        |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let stands_alone = |at: usize, word: &str| {
        let bytes = start.as_bytes();
        let before = at.checked_sub(1).and_then(|at| bytes.get(at));
        !is_part(before) && !is_part(bytes.get(at + word.len()))
    };
    let has_label = |label: &str| find(start, label).is_some_and(|at| stands_alone(at, label));
    if LABELS.iter().any(|label| has_label(label)) {
        return true;
    }
    let lower = start.to_ascii_lowercase();
    PHRASES.iter().any(|phrase| find(&lower, phrase).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_label_and_phrase_has_a_part() {
        for word in LABELS.iter().chain(&PHRASES) {
            assert!(is_note(&format!("# a {word} b")), "{word}");
        }
    }

    fn told_of(lines: &[&str]) -> Vec<String> {
        let text = lines.join("\n");
        let mut at = 0;
        let ranges = lines.iter().map(|line| {
            let start = at;
            at += line.len() + 1;
            start..start + line.len()
        });
        told(&text, &ranges.collect::<Vec<_>>())
    }

    #[test]
    fn comments_are_counted_and_those_of_note_are_shown() {
        assert_eq!(told_of(&[]), [""; 0]);
        assert_eq!(told_of(&["# the name of the service"]), ["1 comment"]);
        let lines = [
            "# a",
            "# TODO: remove",
            "# b",
            "## deprecated since 2.0",
            "# TODO: remove",
        ];
        assert_eq!(
            told_of(&lines),
            [
                "5 comments, some of note:",
                " line 2: # TODO: remove",
                " line 4: ## deprecated since 2.0",
            ]
        );
        let many: Vec<String> = (0..9).map(|i| format!("# FIXME {i}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let told = told_of(&many);
        assert_eq!(told[0], "9 comments, some of note:");
        assert_eq!(told[4], " and 6 more of note");
    }

    #[test]
    fn failures_come_before_other_notes() {
        for line in [
            "# ERROR rendering web.yaml: not found",
            "# [ERROR] no room",
            "# 3 hosts failed",
        ] {
            let told = told_of(&["# a", "# TODO b", "# TODO c", "# TODO d", line]);
            assert_eq!(
                told[0],
                "5 comments, some of note, first a line that looks like a failure:"
            );
            assert_eq!(told[1], format!(" line 5: {line}"));
            assert_eq!(told[4], " and 1 more of note");
        }
        let many: Vec<String> = (0..9).map(|i| format!("# ERROR: no a{i}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let failures = told_of(&many);
        assert_eq!(
            failures[0],
            "9 comments, some of note, first 9 lines that look like failures:"
        );
        assert_eq!(
            failures[6..],
            [" line 6: # ERROR: no a5", " and 3 more of note"]
        );
        let text = "<!-- TODO: a\n  b\n  Error: no room -->";
        let comment = 0..text.len();
        assert_eq!(told(text, &[comment])[1], " line 3: Error: no room -->");
    }

    #[test]
    fn what_a_setting_is_is_no_note() {
        for line in [
            "# the errors that are reported",
            "# mastodon: the instance",
            "# never, always or on_error",
            "# todos of the user",
            "# When the previous steps fails, the workflow would stop.",
            "#   image: nginx",
        ] {
            assert!(!is_note(line) && !is_failing(line), "{line}");
        }
        for line in [
            "<!-- Error: 3 items were left out",
            "# Unable to read the secrets",
            "  # XXX why?",
            "# This file is generated: do not edit.",
            "# ... output truncated",
        ] {
            assert!(is_note(line) || is_failing(line), "{line}");
        }
    }
}
