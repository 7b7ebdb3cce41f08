//! Warnings about steps that pass in a test and would not in service: too slow, stopped by a limit, or without an
//! original in a chain that redacts.

use super::{assert_contains, tamis, test};
use crate::support::{Folder, text};
use serde_json::Value;

/// Runs the tests of a policy as JSON; its first line, which is the first test.
fn first_line(folder: &Folder, policy: &str) -> Value {
    let done = test(folder, policy, &["--json"], 0);
    let said = text(&done.stdout);
    let line = said.lines().next().expect("a line");
    serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))
}

#[test]
fn a_step_that_takes_longer_than_it_may_is_said() {
    let folder = Folder::new();
    let rows: Vec<Value> = (0..20_000)
        .map(|n| serde_json::json!({"n": n, "x": [n]}))
        .collect();
    folder.write("rows.json", serde_json::to_string(&rows).expect("JSON"));
    let policy = |time: &str| {
        format!(
            r#"
[[chain]]
name = "count"
tools = ["rows"]
steps = [
  {{ filter = "jq", program = "[.[] | .n + (.x | add)] | length", limits = {{ time = "{time}" }} }},
]

[[test]]
name = "rows"
tool = "rows"
input-file = "rows.json"
contains = ["20000"]
"#
        )
    };
    let slow = policy("1ms");
    let done = test(&folder, &slow, &[], 0);
    assert_contains(
        &done,
        &[
            "warning[step-slow]: test `rows`: step 1 (`jq`) took longer than it may",
            "filters.toml:6:",
            "its limit `time` is 1ms",
            "`tamis run` stops it after 1ms, and the document continues without it",
            "1 passed; 0 failed",
        ],
    );
    let warnings = first_line(&folder, &slow)["warnings"].to_string();
    assert!(warnings.contains("took longer than it may"), "{warnings}");
    let xml = text(&test(&folder, &slow, &["--format", "junit"], 0).stdout);
    assert!(
        xml.contains("filters.toml:6: warning: test `rows`: step 1 (`jq`) took longer"),
        "{xml}"
    );
    assert_eq!(
        first_line(&folder, &policy("20s"))["warnings"],
        serde_json::json!([])
    );

    // If denied, it fails its test; the other kinds do not.
    test(&folder, &slow, &["--deny", "step-failed"], 0);
    let deny = ["--deny", "step-slow"];
    test(&folder, &policy("20s"), &deny, 0);
    let done = test(&folder, &slow, &deny, 1);
    assert_contains(
        &done,
        &[
            "test rows ... FAILED",
            "error[step-slow]: test `rows`: step 1 (`jq`) took longer than it may",
            "test result: FAILED. 0 passed; 1 failed",
        ],
    );
    let done = test(&folder, &slow, &["--deny", "step-slow", "--json"], 1);
    let said = text(&done.stdout);
    let line: Value = serde_json::from_str(said.lines().next().expect("a line")).expect("JSON");
    assert_eq!(line["status"], "failed");
    let failures = line["failures"].to_string();
    assert!(failures.contains("took longer than it may"), "{failures}");
    assert_eq!(line["warnings"], serde_json::json!([]));
    let junit = ["--deny", "step-slow", "--format", "junit"];
    let xml = text(&test(&folder, &slow, &junit, 1).stdout);
    assert!(
        xml.contains("failures=\"1\"")
            && xml
                .contains("<failure message=\"test `rows`: step 1 (`jq`) took longer than it may")
            && xml.contains("type=\"step-slow\""),
        "{xml}"
    );
}

#[test]
fn a_slow_step_of_a_chain_for_every_message_is_said() {
    let folder = Folder::new();
    let rows: Vec<Value> = (0..20_000).map(|n| serde_json::json!({"n": n})).collect();
    folder.write("rows.json", serde_json::to_string(&rows).expect("JSON"));
    let policy = |time: &str| {
        format!(
            r#"
[[chain]]
name = "all"
on = ["*"]
steps = [
  {{ filter = "jq", program = "if type == \"array\" then [.[] | .n] else . end", limits = {{ time = "{time}" }} }},
]

[[test]]
name = "rows"
tool = "rows"
input-file = "rows.json"
contains = ["19999"]
"#
        )
    };
    let done = test(&folder, &policy("1ms"), &["--deny", "step-slow"], 1);
    assert_contains(
        &done,
        &[
            "error[step-slow]: test `rows`: step 1 (`jq`) took longer than it may",
            "filters.toml:6:",
            "`tamis run` stops it after 1ms, and the result is withheld",
        ],
    );
    test(&folder, &policy("20s"), &["--deny", "step-slow"], 0);
}

#[test]
fn a_step_that_a_limit_stops_in_a_test_that_passes_is_said() {
    let folder = Folder::new();
    let policy = r#"
[[chain]]
name = "trim"
tools = ["get_*"]
steps = [{ filter = "null-stripper", limits = { input = "1KiB" } }]

[[test]]
name = "stays"
tool = "get_it"
input = '{"a":null,"b":"WORDS"}'
expect = '{"a":null,"b":"WORDS"}'
"#;
    let policy = &policy.replace("WORDS", &"x".repeat(2000));
    let done = test(&folder, policy, &[], 0);
    assert_contains(
        &done,
        &[
            "warning[step-failed]: test `stays` passes, but step 1 (`null-stripper`) failed",
            "the document has 2017 bytes, more than 1024 (limit `input`)",
            "limits = { input = ",
        ],
    );
    let done = test(&folder, policy, &["--deny", "step-failed"], 1);
    assert_contains(
        &done,
        &[
            "test stays ... FAILED",
            "error[step-failed]: test `stays` passes, but step 1 (`null-stripper`) failed",
        ],
    );
    // A failing test is enough of a report.
    let failing = policy.replace("expect = ", "lacks = [\"null\"] #");
    let done = test(&folder, &failing, &[], 1);
    assert!(
        !text(&done.stdout).contains("step-failed"),
        "{}",
        done.report()
    );
}

#[test]
fn a_cut_that_a_redacting_chain_prevents_is_said() {
    let folder = Folder::new();
    let lines: String = (0..900).map(|n| format!("line {n} of the log\n")).collect();
    let result = serde_json::json!({"content": [{"type": "text", "text": lines}]});
    folder.write("log.json", result.to_string());
    let policy = r#"
[[chain]]
name = "logs"
tools = ["logs"]
steps = [
  { filter = "redact", hide = ["emails"] },
  { filter = "summary", above = "1000 chars" },
]

[[test]]
name = "a log"
tool = "logs"
input-file = "log.json"
unchanged = true
"#;
    let done = test(&folder, policy, &[], 0);
    let why =
        "the filter names the original in what it writes, and a chain that redacts stores none";
    let help = "put the step that redacts into a chain of its own with `on = [\"*\"]`";
    assert_contains(
        &done,
        &[
            "warning[step-no-original]: test `a log`: step 2 (`summary`) left the document unchanged",
            "filters.toml:7:",
            why,
            help,
        ],
    );
    test(&folder, policy, &["--deny", "step-no-original"], 1);
    assert_eq!(
        first_line(&folder, policy)["steps"][1]["outcome"],
        "no-original"
    );
    let apply = [
        "apply",
        "-c",
        "filters.toml",
        "--tool",
        "logs",
        "--explain",
        "log.json",
    ];
    let done = tamis(&folder, &apply).succeeded();
    assert_contains(
        &done,
        &[
            "no-original",
            "summary: it asked for the original, and none is stored, so it left the document unchanged",
            help,
            // The log, too.
            "a result stays whole: the filter names the original",
        ],
    );
    let done = tamis(&folder, &["explain", "logs", "--config", "filters.toml"]).succeeded();
    assert_contains(&done, &["original  none, so it changes nothing here", why]);

    // With the suggested change, the cut is made.
    let other = policy
        .replace("  { filter = \"redact\", hide = [\"emails\"] },\n", "")
        .replace("unchanged = true", "unchanged = false")
        + r#"
[[chain]]
name = "hide"
on = ["*"]
steps = [{ filter = "redact", hide = ["emails"] }]
"#;
    let done = test(&folder, &other, &[], 0);
    assert!(
        !text(&done.stdout).contains("step-no-original"),
        "{}",
        done.report()
    );
}
