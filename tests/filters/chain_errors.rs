//! Failing filters as an operator and a client see them, by `tamis apply`. The document passes byte for byte or is
//! withheld, every failure has its name, and a load error is reported at its line in filters.toml.
//!
//! `make guests` builds the guests (tests/guests).

mod load;
mod pause;

use crate::support::built;
use crate::support::built::Target;
use crate::support::{Finished, Folder, Program};
use serde_json::{Value, json};
use std::ffi::OsString;
use std::path::Path;

/// A document whose spaces, spelling and order no JSON printer would write.
const DOCUMENT: &str = "{ \"b\" : 1e2,\t\"a\":[ 1.0 , null ],\r\n \"b\":\"\\u00e9 é\" }\n\n";

const WITHHELD: i32 = 3;
const ERROR: i32 = 2;

/// A `[[plugin]]` of a guest, with more keys.
fn plugin(target: Target, guest: &str, keys: &str) -> String {
    let path = built::path(target, guest);
    let path = path.to_str().expect("the path is Unicode");
    format!("[[plugin]]\nname = \"{guest}\"\npath = '{path}'\n{keys}\n")
}

/// A `[[chain]]` for every tool.
fn chain(steps: &[&str]) -> String {
    format!(
        "[[chain]]\ntools = [\"*\"]\nsteps = [{}]\n",
        steps.join(", ")
    )
}

fn tamis(config: &str, flags: &[&str], input: &str) -> Finished {
    let folder = Folder::new();
    let config = folder.write("filters.toml", config);
    let mut line: Vec<OsString> = vec![env!("CARGO_BIN_EXE_tamis").into(), "apply".into()];
    line.extend([
        "--tool".into(),
        "tool".into(),
        "--config".into(),
        config.into(),
    ]);
    line.extend(flags.iter().map(OsString::from));
    Program::new(&line, folder.path())
        .env(
            "TAMIS_CACHE_DIR",
            Path::new(env!("CARGO_TARGET_TMPDIR")).join("compiled"),
        )
        .run(input)
}

fn stderr(run: &Finished) -> String {
    String::from_utf8_lossy(&run.stderr).into_owned()
}

#[track_caller]
fn exits(run: &Finished, code: i32) {
    if run.status.code() != Some(code) {
        run.fail(&format!("it should have ended with status {code}"));
    }
}

#[track_caller]
fn says(run: &Finished, text: &str) {
    if !stderr(run).contains(text) {
        run.fail(&format!("standard error should say: {text}"));
    }
}

/// The JSON that `--json` prints.
#[track_caller]
fn report(run: &Finished) -> Value {
    serde_json::from_slice(&run.stdout)
        .unwrap_or_else(|error| run.fail(&format!("standard output is not JSON: {error}")))
}

/// The outcome of every step, in order.
fn outcomes(report: &Value) -> Vec<&str> {
    let steps = report["steps"].as_array().expect("steps are a list");
    steps
        .iter()
        .map(|step| step["outcome"].as_str().expect("an outcome is a name"))
        .collect()
}

/// A guest that fails, and the expected report.
struct Failing {
    guest: &'static str,
    /// Settings, as a step spells them.
    settings: &'static str,
    /// Keys of its `[[plugin]]`.
    keys: &'static str,
    outcome: &'static str,
    /// The message for the operator.
    message: &'static str,
}

const FAILING: [Failing; 8] = [
    Failing {
        guest: "panic",
        settings: "",
        keys: "",
        outcome: "trap",
        message: "fall_over",
    },
    Failing {
        guest: "spin",
        settings: ", rounds = 9223372036854775807",
        keys: "limits = { time = \"1s\" }",
        outcome: "timeout",
        message: "it ran longer than 1s (limit `time`)",
    },
    Failing {
        guest: "lie",
        settings: ", lie = \"edits-odd-words\"",
        keys: "",
        outcome: "filter-error",
        message: "its edits make no sense: edits are four words each",
    },
    Failing {
        guest: "lie",
        settings: ", lie = \"an-error\"",
        keys: "",
        outcome: "filter-error",
        message: "this document is not for me",
    },
    Failing {
        guest: "hog",
        settings: ", bytes = 33554432",
        keys: "limits = { memory = \"16MiB\" }",
        outcome: "memory",
        message: "it asked for more than 16777216 bytes of memory (limit `memory`)",
    },
    Failing {
        guest: "huge-output",
        settings: ", bytes = 131072",
        keys: "allow = [\"log\"]\nlimits = { output = \"64KiB\" }",
        outcome: "output-too-large",
        message: "it gave back more than 65536 bytes (limit `output`)",
    },
    Failing {
        guest: "deep-stack",
        settings: ", depth = 1000000000",
        keys: "",
        outcome: "trap",
        message: "(limit `stack`)",
    },
    Failing {
        guest: "lie",
        settings: ", lie = \"rewrite-not-json\"",
        keys: "",
        outcome: "filter-error",
        message: "it called its new document JSON, but it is not",
    },
];

impl Failing {
    fn config(&self, on_error: &str) -> String {
        let keys = format!("{}\non-error = \"{on_error}\"", self.keys);
        let step = format!("{{ filter = \"{}\"{} }}", self.guest, self.settings);
        plugin(Target::Unknown, self.guest, &keys) + &chain(&[&step])
    }
}

#[test]
fn pass_leaves_the_document_as_it_was() {
    for failing in FAILING {
        let run = tamis(&failing.config("pass"), &[], DOCUMENT);
        exits(&run, 0);
        if run.stdout != DOCUMENT.as_bytes() {
            run.fail("standard output should be the document, byte for byte");
        }
        says(&run, failing.guest);
        says(&run, failing.message);
    }
}

#[test]
fn block_withholds_the_document() {
    for failing in FAILING {
        let run = tamis(&failing.config("block"), &[], DOCUMENT);
        exits(&run, WITHHELD);
        if !run.stdout.is_empty() {
            run.fail("standard output should be empty");
        }
        says(&run, failing.message);
        says(&run, "withheld");
    }
}

#[test]
fn every_failure_has_its_name() {
    for failing in FAILING {
        for (on_error, code, withheld) in [("pass", 0, false), ("block", WITHHELD, true)] {
            let run = tamis(&failing.config(on_error), &["--json"], DOCUMENT);
            exits(&run, code);
            let report = report(&run);
            let step = &report["steps"][0];
            let message = step["message"].as_str().unwrap_or_default();
            let as_expected = outcomes(&report) == [failing.outcome]
                && message.contains(failing.message)
                && step["filter"] == failing.guest
                && step["withheld"] == withheld
                && step["bytes_before"] == DOCUMENT.len()
                && step["bytes_after"] == DOCUMENT.len();
            if !as_expected {
                run.fail(&format!(
                    "expected outcome {} and message {}",
                    failing.outcome, failing.message
                ));
            }
            let output = if withheld {
                Value::Null
            } else {
                json!(DOCUMENT)
            };
            assert_eq!(report["output"], output, "{}", run.report());
        }
    }
}

#[test]
fn explain_shows_the_outcome_and_the_reason() {
    for failing in FAILING {
        let run = tamis(&failing.config("pass"), &["--explain"], DOCUMENT);
        exits(&run, 0);
        let table = stderr(&run);
        let row = table
            .lines()
            .find(|line| line.contains("whole") && line.contains(failing.guest));
        if !row.is_some_and(|row| row.contains(failing.outcome)) {
            run.fail(&format!(
                "the table should have the outcome {}",
                failing.outcome
            ));
        }
        says(&run, "the document continues unchanged");
    }
}

#[test]
fn what_is_no_failure_has_its_name_too() {
    let noop = plugin(Target::Unknown, "noop", "limits = { input = \"1KiB\" }");
    let state = plugin(Target::Unknown, "state", "");
    let huge = plugin(Target::Unknown, "huge-output", "allow = [\"log\"]");
    let triggers = r#"{ filter = "huge-output", bytes = 10, way = "triggers" }"#;
    let larger = r#"{ filter = "huge-output", bytes = 1000 }"#;
    let grows = plugin(Target::Unknown, "breaks-promises", "");
    let above = r#"{ filter = "breaks-promises", triggers = [], least = 5 }"#;
    let long = "x".repeat(1025);
    for (config, input, outcome, output) in [
        (
            noop.clone() + &chain(&[r#""noop""#]),
            "text",
            "unchanged",
            "text",
        ),
        (
            noop + &chain(&[r#""noop""#]),
            &long,
            "input-too-large",
            &long,
        ),
        (
            state + &chain(&[r#""state""#]),
            "text",
            "edited",
            "configured 1, applied 1",
        ),
        (
            huge.clone() + &chain(&[triggers]),
            "text",
            "not-triggered",
            "text",
        ),
        (huge + &chain(&[larger]), "text", "larger", "text"),
        // It would make both longer, but says that it changes none as short as the first.
        (
            grows.clone() + &chain(&[above]),
            "text",
            "unchanged",
            "text",
        ),
        (grows + &chain(&[above]), "texts", "larger", "texts"),
    ] {
        let run = tamis(&config, &["--json"], input).succeeded();
        let report = report(&run);
        if outcomes(&report) != [outcome] || report["output"] != output {
            run.fail(&format!("expected {outcome}, and {output}"));
        }
    }
}

#[test]
fn steps_after_a_failure_go_on() {
    let config =
        plugin(Target::Unknown, "panic", "") + &chain(&[r#""panic""#, r#""null-stripper""#]);
    let run = tamis(&config, &["--json"], r#"{"a": null, "b": 1e2}"#).succeeded();
    let report = report(&run);
    if outcomes(&report) != ["trap", "edited"] || report["output"] != r#"{"b": 1e2}"# {
        run.fail("the second step should have done its work");
    }
}

#[test]
fn steps_after_a_withheld_document_do_not_run() {
    let steps = [
        r#"{ filter = "panic", on-error = "block" }"#,
        r#""null-stripper""#,
    ];
    let config = plugin(Target::Unknown, "panic", "") + &chain(&steps);
    let run = tamis(&config, &["--json"], r#"{"a": null}"#);
    exits(&run, WITHHELD);
    let report = report(&run);
    if outcomes(&report) != ["trap"] || report["output"] != Value::Null {
        run.fail("nothing should come after the step that blocks");
    }
}

/// A tool's result with these texts.
fn result(texts: &[&str]) -> String {
    let block = |text: &&str| json!({"type": "text", "text": text});
    json!({"content": texts.iter().map(block).collect::<Vec<_>>(), "isError": false}).to_string()
}

#[test]
fn a_withheld_result_says_so_and_nothing_of_what_it_was() {
    let config = plugin(Target::Unknown, "panic", "on-error = \"block\"")
        + &chain(&[r#"{ filter = "panic", at = "secret" }"#]);
    let run = tamis(&config, &[], &result(&["harmless", "secret 4711"]));
    let shown = String::from_utf8_lossy(&run.stdout).into_owned();
    if shown.contains("4711") || shown.contains("harmless") || stderr(&run).contains("4711") {
        run.fail("the result should be withheld");
    }
    assert!(
        shown.contains("withheld: a filter that it must pass through failed"),
        "{shown}"
    );
    says(&run, "fall_over");
}

#[test]
fn what_a_guest_prints_never_reaches_standard_output() {
    for target in [Target::Wasip1, Target::Wasip2] {
        for line_breaks in [true, false] {
            let step =
                format!("{{ filter = \"prints\", lines = 2000, line_breaks = {line_breaks} }}");
            let config = plugin(target, "prints", "") + &chain(&[&step]);
            let run = tamis(&config, &["--log", "info"], DOCUMENT).succeeded();
            if run.stdout != DOCUMENT.as_bytes() {
                run.fail("standard output should be the document and nothing else");
            }
            says(&run, "standard output at apply");
            says(&run, "standard error at apply");
            says(
                &run,
                "bytes of log were dropped: the limits are `log-bytes` and `log-lines`",
            );
        }
    }
}
