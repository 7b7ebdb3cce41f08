//! Each form of an element, and its near misses.

use super::*;

fn parts(line: &str) -> Option<(String, String, String, String, String)> {
    element(line).map(|element| {
        let Element {
            role,
            name,
            reference,
            states,
            text,
        } = element;
        [role, name, reference, &states, text]
            .map(str::to_owned)
            .into()
    })
}

#[track_caller]
fn assert_element(line: &str, expected: [&str; 5]) {
    assert_eq!(
        parts(line),
        Some(expected.map(str::to_owned).into()),
        "{line}"
    );
}

#[test]
fn elements_have_a_role_a_name_and_a_reference() {
    assert_element(
        "- button \"Save\" [ref=e12]",
        ["button", "\"Save\"", "e12", "", ""],
    );
    assert_element("    - main [ref=e5]:", ["main", "", "e5", "", ""]);
    assert_element(
        "- checkbox \"a [b] \\\"c\\\": d\" [checked] [disabled=true] [ref=e4] [cursor=pointer]",
        [
            "checkbox",
            "\"a [b] \\\"c\\\": d\"",
            "e4",
            " checked disabled=true",
            "",
        ],
    );
    assert_element(
        "- alert [ref=e7]: it failed",
        ["alert", "", "e7", "", "it failed"],
    );
    assert_element(
        "- option \"x\" [selected=false] [ref=e8]",
        ["option", "\"x\"", "e8", "", ""],
    );
    assert_element(
        "- 'link \"a: b\" [ref=e9]':",
        ["link", "\"a: b\"", "e9", "", ""],
    );
    // A text of newer ones has no role.
    assert_element(
        "  uid=1_64 \"All plans: \\\"free\\\" \"",
        ["StaticText", "\"All plans: \\\"free\\\" \"", "1_64", "", ""],
    );
    assert_element(
        "uid=1_2 button \"Save\" focusable disabled",
        ["button", "\"Save\"", "1_2", " disabled", ""],
    );
    assert_element("uid=1_2 main", ["main", "", "1_2", "", ""]);
    for line in [
        "",
        "button \"Save\" [ref=e1]",
        "- button \"Save\"",
        "- /url: /a",
        "- text: a",
        "-button [ref=e1]",
        "uid=1_2",
        "- 12 [ref=e1]",
        "- a1 [ref=e1]",
        "- button \"[ref=e1]",
    ] {
        assert_eq!(parts(line), None, "{line}");
    }
    assert!(owns("  - a") && owns("uid=1 a") && !owns("-a") && !owns("a - b"));
}

#[test]
fn quotes_end_where_no_backslash_is_before() {
    for (text, end) in [
        ("a\" b", 3),
        ("a\\\" b\"", 7),
        ("a\\\\\" b\"", 5),
        ("a", 2),
        ("\"", 2),
    ] {
        assert_eq!(quoted_end(text), end, "{text}");
    }
}

#[test]
fn most_lines_of_a_snapshot_are_elements() {
    let is = |elements: usize, owned: usize, others: usize| {
        let text = [
            "- main [ref=e1]\n".repeat(elements),
            "- text: a\n".repeat(owned),
            "b\n\n".repeat(others),
        ]
        .concat();
        is_snapshot(text.lines(), text.lines().count())
    };
    assert!(is(4, 0, 0) && !is(3, 0, 0));
    assert!(is(7, 0, 3) && !is(7, 0, 4));
    assert!(is(4, 8, 0) && !is(4, 9, 0));
}

#[test]
fn numbers_at_the_end_rise_in_equal_steps() {
    assert_eq!(number_at_end("f1e42"), Some(("f1e", 42)));
    assert_eq!(number_at_end("e0"), Some(("e", 0)));
    assert_eq!(number_at_end("7"), Some(("", 7)));
    for text in ["e", "e07", "", "e99999999999999999999"] {
        assert_eq!(number_at_end(text), None, "{text}");
    }
    assert_eq!(steps(&[("e", 1), ("e", 4), ("e", 7)]), Some(3));
    for unequal in [
        &[("e", 1), ("e", 4), ("e", 8)][..],
        &[("e", 1), ("f", 4), ("e", 7)],
        &[("e", 7), ("e", 4), ("e", 1)],
        &[("e", 1), ("e", 1)],
        &[("e", 1)],
        &[("e", i64::MIN), ("e", i64::MAX)],
    ] {
        assert_eq!(steps(unequal), None, "{unequal:?}");
    }
}

fn told(text: &str, room: usize) -> String {
    let mut paper = Paper::new(room);
    tell((1..).zip(text.lines()), &mut paper);
    paper.text().to_owned()
}

const HEAD: &str = "interactive; refs in order of the page; left out: text";

#[test]
fn elements_are_told_by_role() {
    let button = |name: &str, at: usize| format!("- button \"{name}\" [ref=e{at}]\n");
    let rising: String = (1..=4)
        .map(|at| button(&format!("Item {at}"), 3 * at))
        .collect();
    let same: String = [1, 2, 4, 8, 16]
        .iter()
        .map(|at| format!("- link \"More\" [ref=e{at}]\n"))
        .collect();
    let text = format!(
        "\n```yaml\n# a\n- Page URL: x\n- heading \"Top\" [ref=e1]\n{rising}{same}- textbox \"Name\" [required] [ref=e90]\n- alert [ref=e91]: it failed\n- generic [ref=e92]: text\n- status [ref=e93]: done\n"
    );
    assert_eq!(
        told(&text, 900),
        format!(
            "- Page URL: x\nsnapshot of a page: 14 elements, 10 of them {HEAD}\nbutton 4: \"Item 1\" to \"Item 4\" by 1, 4\u{d7} e3 to e12 in steps of 3\ntextbox 1: \"Name\" required e90\nlink 5: \"More\" e1 e2 e4 e8 e16\nheading 1: \"Top\" e1\nalert 1: e91 it failed\nstatus 1: e93 done\n"
        )
    );
    // Three elements are no range, and names that rise unevenly are none.
    let three: String = (1..=3).map(|at| button("Save", at)).collect();
    assert!(told(&three, 900).ends_with("button 3: \"Save\" e1, \"Save\" e2, \"Save\" e3\n"));
    let four: String = (1..=4).map(|at| button("Save", at)).collect();
    assert!(told(&four, 900).ends_with("button 4: \"Save\" 4\u{d7} e1 to e4 in steps of 1\n"));
    let uneven: String = [1, 2, 4, 5]
        .iter()
        .map(|at| button(&format!("Item {at}"), *at))
        .collect();
    assert!(
        told(&uneven, 900)
            .ends_with("button 4: \"Item 1\" e1, \"Item 2\" e2, \"Item 4\" e4, \"Item 5\" e5\n")
    );
    let nine: String = [1, 2, 4, 8, 16, 32, 64, 128, 256]
        .iter()
        .map(|at| button("Save", *at))
        .collect();
    assert!(
        told(&nine, 900)
            .ends_with("button 9: \"Save\" e1 e2 e4 e8 e16 e32 e64 e128, again \"Save\" e256\n")
    );
}

#[test]
fn what_does_not_fit_is_counted() {
    let words = [
        "Pay", "Send", "Cancel", "Search", "Print", "Help", "Close", "Open",
    ];
    let text: String = (0..8)
        .map(|at| format!("- button \"{}\" [ref=e{at}]\n- link \"{} page\" [ref=f{at}]\n- heading \"{} all\" [ref=g{at}]\n", words[at], words[at], words[at]))
        .collect();
    for room in [150, 250, 350, 450, 700] {
        let told = told(&text, room);
        assert!(told.chars().count() <= room, "{room}: {told}");
        for role in ["button", "link"] {
            let line = told
                .lines()
                .find(|line| line.starts_with(&format!("{role} 8")))
                .unwrap_or_else(|| panic!("{role}: {told}"));
            let shown = line.matches('"').count() / 2;
            let rest = (shown > 0 && shown < 8).then(|| format!(", and {} more", 8 - shown));
            assert_eq!(line.contains(", and "), rest.is_some(), "{told}");
            assert!(line.ends_with(&rest.unwrap_or_default()), "{told}");
        }
    }
    // If not all fit, headings come last.
    let tight = told(&text, 450);
    assert!(
        tight.contains("\"Open page\" f7\n") && tight.contains("g0, and 7 more\n"),
        "{tight}"
    );
    assert!(
        told(&text, 700).contains("heading 8: \"Pay all\" g0"),
        "{}",
        told(&text, 700)
    );
}

#[test]
fn texts_that_look_like_failures_are_told() {
    let row = |at: usize| {
        let state = if at == 40 { "Payment failed" } else { "Paid" };
        format!(
            "- row \"#{at} {state}\" [ref=e{at}]:\n  - cell \"{state}\" [ref=c{at}]\n  - text: shipped\n"
        )
    };
    let page: String = (0..60).map(row).collect();
    let said = told(&page, 1_000);
    assert!(
        said.contains("1 text that looks like a failure:\n122: Payment failed\n"),
        "{said}"
    );
    let list = |at: usize| {
        let state = if at % 12 == 7 {
            "FAILED: exit code 137"
        } else {
            "succeeded"
        };
        format!("- link \"Job {at}\" [ref=e{at}]\n- listitem [ref=i{at}]: {state}\n")
    };
    let page: String = (0..60).map(list).collect();
    let said = told(&page, 1_000);
    let first = "5 texts that look like failures:\n16: FAILED: exit code 137\n40: ";
    assert!(
        said.contains(first) && said.contains("\n and 1 more\n"),
        "{said}"
    );
    // A page about failures, and names of links.
    let page: String = (0..60)
        .map(|at| format!("- link \"failed {at}\" [ref=e{at}]\n- text: failed\n"))
        .collect();
    assert!(
        !told(&page, 1_000).contains("look"),
        "{}",
        told(&page, 1_000)
    );
}
