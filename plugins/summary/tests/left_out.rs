//! What a summary says beside the parts of a kind: that a server left more out, and which rows failed.

use serde_json::json;
use summary::Summary;
use tamis_sdk::testing::Bench;

fn summary(text: &str) -> String {
    let applied = Bench::<Summary>::new("{}").apply(text);
    assert!(applied.changed, "not summarised: {text:.200}");
    applied.text().to_owned()
}

#[test]
fn which_of_few_checks_failed_is_told() {
    let check = |at: usize| {
        let result = if at % 3 == 2 { "fail" } else { "pass" };
        let note =
            format!("what check {at} looks at, and why that matters for the plan, ").repeat(4);
        json!({"check": format!("{at}_check"), "result": result, "count": at * 7, "note": note})
    };
    let checks: Vec<_> = (0..40).map(check).collect();
    let told = summary(&json!({ "checks": checks }).to_string());
    for part in [
        "\n result: pass 27, fail 13, first at [2]\n",
        "\n [2] 2_check|fail|14|",
    ] {
        assert!(told.contains(part), "no {part:?} in {told}");
    }
}

#[test]
fn a_note_that_more_was_left_out_is_told() {
    let lines = |line: fn(usize) -> String, count: usize| (0..count).map(line).collect::<Vec<_>>();
    let hits = lines(
        |at| {
            format!(
                "/srv/app/src/m{}.ts:{at}:  return total(x{at}) + {at};",
                at % 10
            )
        },
        200,
    );
    let commits = lines(
        |at| {
            format!(
                "{:07x} Fix thing {at} in module {}",
                at * 7_919 + 0x3ce_b3ff,
                at % 5
            )
        },
        300,
    );
    let reports = lines(
        |at| {
            format!(
                "/srv/app/src/m{}.ts({at},{}): error TS2345: Argument of type {at} is not assignable",
                at % 10,
                at % 40
            )
        },
        200,
    );
    let counts = lines(
        |at| format!("src/part_{}/file_{at}.rs:{}", at % 9, at % 7 + 1),
        200,
    );
    let snapshot = lines(
        |at| format!("- link \"Item {at}\" [ref=e{at}]:\n  - /url: /items/{at}"),
        200,
    );
    let page = lines(
        |at| format!("<li><a href=\"/i{at}\">Item {at} of the list</a></li>"),
        200,
    );
    for (kind, lines, is_first_too) in [
        ("hits", hits, true),
        ("commits", commits, true),
        ("reports", reports, true),
        ("counts", counts, true),
        ("a snapshot", snapshot, false),
        ("a page", page, true),
    ] {
        for note in [
            "Showing 200 of 5210 results (pass offset=200 for more)",
            "... and 4912 more of them",
            "-- 4900 more of them --",
            "[Output truncated to 16000 bytes]",
            "Note: the index is 3 days old",
        ] {
            let body = lines.join("\n");
            let told = summary(&format!("{body}\n{note}\n"));
            assert!(told.contains(note), "{note:?} after {kind}: {told}");
            let told = summary(&format!("{note}\n{body}\n"));
            assert!(
                !is_first_too || told.contains(note),
                "{note:?} before {kind}: {told}"
            );
        }
    }
}
