//! Calls in which a step failed: their saved data, the omitted data, and their repeated failure.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::author::{Author, guest, has_all, lines, output_of};
use crate::support::built::Target;
use crate::support::mcp::{Client, Stage};

/// `boom` fails twice, after a step that succeeded; `quiet` does not fail; `secret` redacts.
fn policy() -> String {
    let (panic, hog) = (
        guest(Target::Unknown, "panic"),
        guest(Target::Unknown, "hog"),
    );
    format!(
        r#"
[[plugin]]
name = "house"
path = {panic:?}

[[plugin]]
name = "greedy"
path = {hog:?}
limits = {{ memory = "4MiB" }}

[[chain]]
tools = ["boom"]
steps = [
  {{ filter = "null-stripper", limits = {{ time = "10s" }} }},
  {{ filter = "house", at = "boo", limits = {{ time = "10s" }} }},
  {{ filter = "greedy", bytes = 100000000, limits = {{ time = "10s" }} }},
]

[[chain]]
tools = ["quiet"]
steps = [{{ filter = "house", at = "boo", limits = {{ time = "10s" }} }}]

[[chain]]
tools = ["secret"]
steps = [{{ filter = "house", at = "boo", on-error = "block", limits = {{ time = "10s" }} }}]
"#
    )
}

const RESULT: &str =
    r#"{"content":[{"type":"text","text":"{\"a\":null,\"b\":\"booom\"}"}],"isError":true}"#;

fn serve(stage: &Stage, tools: &[&str]) -> (Vec<Value>, String) {
    let mut client = Client::of(stage.proxy(&["--save-failures", "failed", "--server", "demo"]));
    client.greet("agent");
    let answers = tools
        .iter()
        .map(|tool| client.call(tool, &json!({"q": 1})))
        .collect();
    let log = client.finish().succeeded().stderr;
    (answers, String::from_utf8(log).expect("Unicode"))
}

fn saved(stage: &Stage) -> Vec<PathBuf> {
    let entries = fs::read_dir(stage.path().join("failed")).expect("the folder");
    let mut paths: Vec<PathBuf> = entries.map(|it| it.expect("an entry").path()).collect();
    paths.sort();
    paths
}

fn stage() -> Stage {
    let stage = Stage::new(&policy());
    for tool in ["boom", "secret"] {
        stage.tool(tool, RESULT);
    }
    stage.tool("quiet", r#"{"content":[{"type":"text","text":"nothing"}]}"#);
    stage
}

#[test]
fn a_call_in_which_steps_failed_is_kept_with_all_that_it_takes_to_fail_again() {
    let stage = stage();
    let (answers, log) = serve(&stage, &["boom", "quiet", "secret"]);
    assert_eq!(answers[0]["content"][0]["text"], r#"{"b":"booom"}"#);
    has_all(
        &log,
        &[
            "such calls are not saved",
            "1 calls with failed steps were recorded in failed",
        ],
    );
    let paths = saved(&stage);
    assert_eq!(paths.len(), 1, "{paths:?}");
    let mode = |path: &std::path::Path| {
        let found = fs::metadata(path).expect("it is there");
        found.permissions().mode() & 0o777
    };
    assert_eq!(
        (mode(&stage.path().join("failed")), mode(&paths[0])),
        (0o700, 0o600)
    );
    let call: Value = serde_json::from_slice(&fs::read(&paths[0]).expect("read")).expect("JSON");
    assert_eq!(
        (&call["server"], &call["tool"]),
        (&json!("demo"), &json!("boom"))
    );
    assert_eq!(call["arguments"], json!({"q": 1}));
    let failures = call["failures"].as_array().expect("a list");
    let of = |key: &str| -> Vec<&Value> { failures.iter().map(|it| &it[key]).collect() };
    assert_eq!(of("filter"), ["house", "greedy"]);
    assert_eq!(of("plugin"), ["panic", "hog"]);
    assert_eq!(of("outcome"), ["trap", "memory"]);
    // As the step before had left it.
    assert_eq!(of("document"), [r#"{"b":"booom"}"#; 2]);
    assert_eq!(failures[0]["settings"], json!({"at": "boo"}));
    assert_eq!(failures[1]["limits"]["memory"], 4 << 20);
    assert_eq!(failures[0]["sha256"].as_str().map(str::len), Some(64));

    // Commands for recorded calls read it too.
    let author = Author::new();
    let file = paths[0].to_str().expect("Unicode");
    let config = stage.path().join("filters.toml");
    let config = config.to_str().expect("Unicode");
    let applied = author.tamis(&["apply", "-c", config, "--tool", "boom", file]);
    assert!(output_of(&applied, 0).contains(r#"{\"b\":\"booom\"}"#));

    // It fails again with the same message, each plugin by itself and within its limits.
    let panic = guest(Target::Unknown, "panic");
    let again = output_of(
        &author.tamis(&["plugin", "test", &panic, "--document", file]),
        1,
    );
    has_all(
        &again,
        &[
            "FAILED",
            "the same failure as when it was saved",
            "as the settings ask, in panic::fall_over",
            "help: fix the place",
        ],
    );
    let hog = guest(Target::Unknown, "hog");
    let again = output_of(
        &author.tamis(&["plugin", "test", &hog, "--document", file]),
        1,
    );
    has_all(
        &again,
        &[
            "4194304 bytes of memory (limit `memory`)",
            "limits = { memory",
        ],
    );
    // With other settings, it does not fail.
    let other = [
        "plugin",
        "test",
        &panic,
        "--document",
        file,
        "--settings",
        r#"{"at": "zzz"}"#,
    ];
    let fixed = output_of(&author.tamis(&other), 0);
    has_all(
        &fixed,
        &["fixed", "unchanged", "it was: it crashed: panicked at"],
    );
    let fixed = author.tamis(&[&other[..], &["--json"]].concat());
    let line = &lines(&fixed)[0];
    assert_eq!(
        (&line["state"], &line["was"]["outcome"]),
        (&json!("fixed"), &json!("trap"))
    );
    // The error for a plugin that had no part in the call says so.
    let noop = guest(Target::Unknown, "noop");
    let none = output_of(
        &author.tamis(&["plugin", "test", &noop, "--document", file]),
        2,
    );
    has_all(&none, &["has failures of greedy, house, and none of noop"]);
}

#[test]
fn a_folder_takes_a_hundred_and_a_full_one_is_said() {
    let stage = stage();
    let folder = stage.path().join("failed");
    fs::create_dir(&folder).expect("make the folder");
    fs::set_permissions(&folder, PermissionsExt::from_mode(0o700)).expect("a mode");
    for number in 0..99 {
        fs::write(folder.join(format!("{number}.json")), "{}").expect("write");
    }
    let (answers, log) = serve(&stage, &["boom", "boom"]);
    assert_eq!(answers.len(), 2);
    assert_eq!(saved(&stage).len(), 100);
    has_all(
        &log,
        &[
            "failed is full",
            "it may have 100 and 67108864",
            "name another folder",
        ],
    );
}

#[test]
fn documents_of_ones_own_are_tried_too() {
    let author = Author::new();
    author.folder.write("good.txt", "all is well");
    author.folder.write("bad.json", r#"{"a": "boo"}"#);
    author.folder.write("odd.bin", [0xff, 0xfe]);
    author.folder.write("call.json", r#"{"tamis_recording": 1, "server": "s", "tool": "t", "session": "", "time_ms": 1, "arguments": {}, "result": {}}"#);
    let panic = guest(Target::Unknown, "panic");
    let test = |files: &[&str], code| {
        let line = [
            &[
                "plugin",
                "test",
                &panic,
                "--settings",
                r#"{"at": "boo"}"#,
                "--document",
            ],
            files,
        ];
        output_of(&author.tamis(&line.concat()), code)
    };
    let tried = test(&["good.txt", "bad.json"], 1);
    has_all(
        &tried,
        &[
            "ok      good.txt: 11 bytes, unchanged",
            "FAILED  bad.json (12 bytes)",
        ],
    );
    test(&["good.txt"], 0);
    has_all(&test(&["odd.bin"], 2), &["odd.bin: it is not UTF-8"]);
    has_all(
        &test(&["call.json"], 2),
        &[
            "call.json is a recorded call in which no step failed",
            "tamis apply",
        ],
    );
    has_all(&test(&["nowhere.txt"], 2), &["read nowhere.txt"]);
}
