//! Each form of a warning, and its near misses.

use super::*;

fn told(text: &str, room: usize) -> String {
    let mut paper = Paper::new(room);
    Warnings::of((1..).zip(text.lines())).tell(&mut paper);
    paper.text().to_owned()
}

#[test]
fn a_line_that_warns_is_told() {
    for line in [
        "WARNING: the disk is erased",
        "> **Warning:** the disk is erased",
        "- **Deprecated**: use `b`",
        "**BREAKING CHANGE:** `timeout` is in milliseconds now.",
        "### BREAKING CHANGES: all of them",
        "\u{26a0}\u{fe0f} Old keys stop working.",
        "IMPORTANT \u{2014} read this first",
        "!!! danger \"Data loss\"",
        "Before you upgrade: DO NOT run the migration twice.",
        "Keys are NEVER sent again.",
        "[!CAUTION] it is hot",
    ] {
        assert_eq!(
            told(line, 500),
            format!("1 line that warns the reader:\n1: {line}\n")
        );
    }
}

#[test]
fn other_lines_do_not_warn() {
    for line in [
        "Important changes of the year",
        "Warnings are shown in yellow",
        "## Deprecated features",
        "The WARNING level is the third",
        "do not run it twice",
        "UNDO NOTHING of this",
        "DO NOT ENTER",
        "const MUST_NEVER_ROUND = 1",
        "NEVERMIND it",
        "!!! note \"Hint\"",
        "a text",
        "",
    ] {
        assert_eq!(told(line, 500), "", "{line}");
    }
    assert_eq!(told("```\nWARNING: in an example\n```", 500), "");
}

#[test]
fn the_text_of_a_label_that_stands_alone_follows() {
    for label in [
        "> [!WARNING]",
        "**Warning**",
        ".. warning::",
        ":::danger",
        "\u{26a0}\u{fe0f}",
    ] {
        let text = format!("{label}\n\n> The old endpoint is removed.\n> It was slow.");
        let expected = "1 line that warns the reader:\n3: > The old endpoint is removed.\n";
        assert_eq!(told(&text, 500), expected, "{label}");
    }
}

#[test]
fn of_many_the_urgent_ones_are_shown() {
    let mut text = "IMPORTANT: read this\n".repeat(20);
    text.push_str("DANGER: high voltage\n");
    let all = told(&text, 500);
    assert!(
        all.starts_with("21 lines that warn the reader, 5 of them:\n1: IMPORTANT"),
        "{all}"
    );
    assert!(all.ends_with("\n21: DANGER: high voltage\n"), "{all}");
    assert_eq!(told(&text, 60), "lines that warn the reader: 21\n");
    assert_eq!(told(&text, 10), "");
}

#[test]
fn of_a_long_line_the_sentence_that_warns_is_shown() {
    let text = format!(
        "{}Then DO NOT stop it. {}",
        "It goes on. ".repeat(60),
        "And on. ".repeat(60)
    );
    let all = told(&text, 500);
    assert!(
        all.starts_with("1 line that warns the reader:\n1: \u{2026}Then DO NOT stop it. And on."),
        "{all}"
    );
    let packed = format!("{}\u{e9} DO NOT stop", "\u{e9}".repeat(400));
    assert!(
        told(&packed, 500).ends_with("\u{e9} DO NOT stop\n"),
        "{}",
        told(&packed, 500)
    );
}
