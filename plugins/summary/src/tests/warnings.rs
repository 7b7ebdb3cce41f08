//! Each form of a warning, and its near misses.

use super::*;

fn told(text: &str, room: usize) -> String {
    let mut paper = Paper::new(room);
    Warnings::of(&(1..).zip(text.lines()).collect::<Vec<_>>()).tell(&mut paper);
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
        "\u{26a0} **Warning**: old keys stop working.",
        "IMPORTANT \u{2014} read this first",
        "!!! danger \"Data loss\"",
        "Before you upgrade: DO NOT run the migration twice.",
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
        "**Important** concepts of the guide",
        "**Warning**s are shown in yellow",
        "Warnings are shown in yellow",
        "Warning! and error lines differ",
        "- warning: logs of this level are shown",
        "## Deprecated features",
        "The WARNING level is the third",
        "do not run it twice",
        "the value `DO NOT` is allowed",
        "it is NEVER undone",
        "UNDO NOTHING of this",
        "DO NOT ENTER",
        "\u{26a0}\u{fe0f} = partial",
        "| \u{26a0}\u{fe0f} | partial |",
        "!!! note \"Hint\"",
        "a text",
        "",
    ] {
        assert_eq!(told(line, 500), "", "{line}");
    }
}

#[test]
fn code_does_not_warn() {
    for code in [
        "```\nWARNING: in an example\n```",
        "> ```\n> WARNING: in an example\n> ```",
        "text\n\n~~~\nWARNING: in an example\n~~~\n",
        "````\n```\nWARNING: in an example\n```\n````",
    ] {
        assert_eq!(told(code, 500), "", "{code}");
    }
    // Code in a line, an underlined heading, and a block that does not end are no blocks of code.
    for (text, place) in [
        ("```npm install```\nWARNING: it is real", 2),
        ("Heading\n~~~~~~~\nWARNING: it is real", 3),
        ("```\nWARNING: it is real", 2),
    ] {
        let expected = format!("1 line that warns the reader:\n{place}: WARNING: it is real\n");
        assert_eq!(told(text, 500), expected, "{text}");
    }
}

#[test]
fn the_text_of_a_label_that_stands_alone_follows() {
    for label in [
        "> [!WARNING]",
        "> **Warning**",
        "**Warning:**",
        ".. warning::",
        ":::danger",
        "\u{26a0}\u{fe0f}",
        "### \u{26a0} BREAKING CHANGES",
    ] {
        for between in ["", ">"] {
            let text =
                format!("{label}\n{between}\n> The old endpoint is removed.\n> It was slow.");
            let expected = "1 line that warns the reader:\n3: > The old endpoint is removed.\n";
            assert_eq!(told(&text, 500), expected, "{label}");
        }
        for after in [
            "## Part 2",
            "| a | b |",
            "![image](x.png)",
            "```\ncode\n```\n\ntext",
            "\n\n\n\ntext",
        ] {
            assert_eq!(
                told(&format!("{label}\n\n{after}"), 500),
                "",
                "{label} {after}"
            );
        }
    }
    let text = "### \u{26a0} BREAKING CHANGES\n\n* drop support for 16\n* rename `a`\n\n### Features\n\n* add `b`";
    let expected = "2 lines that warn the reader:\n3: * drop support for 16\n4: * rename `a`\n";
    assert_eq!(told(text, 500), expected);
}

#[test]
fn of_many_the_urgent_ones_are_shown() {
    let notes: String = (0..20)
        .map(|at| format!("IMPORTANT: read table {at}\n"))
        .collect();
    let text = format!("{notes}DANGER: high voltage\n");
    let all = told(&text, 500);
    let head = "21 lines that warn the reader, 5 of them:\n1: IMPORTANT";
    assert!(all.starts_with(head), "{all}");
    assert!(all.ends_with("\n21: DANGER: high voltage\n"), "{all}");
    assert_eq!(told(&text, 60), "lines that warn the reader: 21\n");
    assert_eq!(told(&text, 10), "");
    let equal = told(&"DANGER: high voltage\n".repeat(9), 500);
    assert_eq!(
        equal,
        "9 lines that warn the reader, 1 of them:\n1: DANGER: high voltage\n"
    );
}

#[test]
fn of_a_long_line_the_sentence_that_warns_is_shown() {
    let sentences = "It goes on. ".repeat(60);
    let text = format!("{sentences}Then DO NOT stop it. {sentences}");
    let all = told(&text, 500);
    let expected = "1 line that warns the reader:\n1: \u{2026}Then DO NOT stop it. It goes on.";
    assert!(all.starts_with(expected), "{all}");
    // A label is before its text.
    let labelled = told(&format!("WARNING: {text}"), 500);
    assert!(labelled.contains("1: WARNING: It goes on."), "{labelled}");
    let packed = format!("{} DO NOT stop", "\u{e9}".repeat(400));
    let all = told(&packed, 500);
    assert!(all.ends_with("1: \u{2026}DO NOT stop\n"), "{all}");
}
