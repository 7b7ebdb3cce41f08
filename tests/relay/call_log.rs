//! The log: a line for each filtered call, as text and as JSON, and none of it on standard output.

use std::collections::BTreeSet;

use crate::support::{Finished, Folder, Program, tamis_run};
use serde_json::{Value, json};

const POLICY: &str = r#"
[[chain]]
name = "small"
tools = ["get_*"]
steps = ["null-stripper", "pending-to-meta"]

[[chain]]
name = "strict"
tools = ["secret"]
steps = [{ filter = "null-stripper", limits = { input = "1KiB" }, on-error = "block" }]

[[chain]]
name = "idle"
tools = ["idle"]
steps = ["pending-to-meta"]

[[chain]]
name = "lenient"
tools = ["large"]
steps = [{ filter = "null-stripper", limits = { input = "1KiB" } }]
"#;

/// A proxy before a server with one answer to every message.
struct Proxy {
    folder: Folder,
}

impl Proxy {
    fn new(answer: &Value) -> Proxy {
        let folder = Folder::new();
        folder.write("answer.json", format!("{answer}\n"));
        folder.write("filters.toml", POLICY);
        Proxy { folder }
    }

    /// Runs the proxy with these options, and makes these calls one after the other.
    fn call(&self, options: &[&str], calls: &[Value]) -> Finished {
        let path = self.folder.path();
        let script = "while read -r line; do cat answer.json; done";
        let mut line = tamis_run(&path.join("filters.toml"), &["sh", "-c", script]);
        line.splice(1..1, options.iter().map(|option| (*option).into()));
        let mut running = self.program(&line).start();
        let mut answers = Vec::new();
        for call in calls {
            running.send(format!("{call}\n"));
            answers.push(running.receive_line());
        }
        let finished = running.finish().succeeded();
        if finished.stdout != answers.concat() {
            finished.fail("standard output should be the answers and nothing else");
        }
        finished
    }

    fn stats(&self) -> Value {
        let finished = self
            .program(&[env!("CARGO_BIN_EXE_tamis"), "stats", "--json"].map(Into::into))
            .run("")
            .succeeded();
        serde_json::from_slice(&finished.stdout).expect("JSON")
    }

    fn program(&self, line: &[std::ffi::OsString]) -> Program {
        Program::new(line, self.folder.path())
            .env("TAMIS_STATE_DIR", self.folder.path().join("state"))
            .env(
                "TAMIS_CACHE_DIR",
                concat!(env!("CARGO_TARGET_TMPDIR"), "/compiled"),
            )
    }
}

fn call(tool: &str, arguments: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}})
}

fn answer(text: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": text}]}})
}

/// A document with nulls, and pending work that is cut.
fn document() -> Value {
    let rows: Vec<Value> = (0..200).map(|id| json!({"id": id, "note": null})).collect();
    let hint = "ACTION REQUIRED: ".repeat(20);
    answer(
        &json!({"data": rows, "_pending_annotations": {"nodes": ["a"], "count": 1, "hint": hint}})
            .to_string(),
    )
}

/// The lines of a log, each an object.
#[track_caller]
fn lines(finished: &Finished) -> Vec<Value> {
    let log = String::from_utf8_lossy(&finished.stderr).into_owned();
    let parse = |line: &str| {
        let parsed: Option<Value> = serde_json::from_str(line).ok();
        parsed.unwrap_or_else(|| finished.fail(&format!("this is no JSON: {line}")))
    };
    log.lines().map(parse).collect()
}

fn names(line: &Value) -> BTreeSet<&str> {
    let object = line.as_object().expect("an object");
    object.keys().map(String::as_str).collect()
}

#[test]
fn a_line_a_call_says_what_the_ledger_says() {
    let proxy = Proxy::new(&document());
    let secret = json!({"token": "secret-4711"});
    let first = proxy.call(&["--log", "info", "--log-json"], &[call("get_a", &secret)]);
    let [line] = &lines(&first)[..] else {
        first.fail("there should be one line");
    };
    let expected = [
        "timestamp",
        "level",
        "target",
        "message",
        "server",
        "tool",
        "chain",
        "outcome",
        "steps",
        "bytes_before",
        "bytes_after",
        "tokens_before",
        "tokens_after",
        "time_us",
        "kept",
    ];
    assert_eq!(names(line), BTreeSet::from(expected), "{line}");
    let fixed = [
        ("level", "INFO"),
        ("message", "filtered"),
        ("server", "sh"),
        ("tool", "get_a"),
        ("chain", "small"),
        ("outcome", "edited"),
        ("steps", "null-stripper=edited pending-to-meta=edited"),
    ];
    for (name, value) in fixed {
        assert_eq!(line[name], value, "{name}: {line}");
    }
    let total = &proxy.stats()["total"];
    for name in [
        "bytes_before",
        "bytes_after",
        "tokens_before",
        "tokens_after",
        "time_us",
    ] {
        assert_eq!(line[name], total[name], "{name}: {line} {total}");
    }
    assert!(
        line["tokens_after"].as_u64() < line["tokens_before"].as_u64(),
        "{line}"
    );

    let reference = json!({"ref": line["kept"]});
    let calls = [
        call("tamis_read", &reference),
        call("other", &json!({})),
        call("get_b", &secret),
    ];
    let second = proxy.call(&["--log", "info", "--log-json"], &calls);
    let [read, filtered] = &lines(&second)[..] else {
        second.fail("there should be a line for the read and one for the filtered call");
    };
    let expected = [
        "timestamp",
        "level",
        "target",
        "message",
        "server",
        "reference",
        "bytes",
        "tokens",
        "time_us",
    ];
    assert_eq!(names(read), BTreeSet::from(expected), "{read}");
    assert_eq!(
        (&read["message"], &read["reference"]),
        (&json!("read back"), &line["kept"])
    );
    assert_eq!(
        read["tokens"],
        proxy.stats()["total"]["reread_tokens"],
        "{read}"
    );
    assert_eq!(filtered["tool"], "get_b");
    for finished in [first, second] {
        assert!(!String::from_utf8_lossy(&finished.stderr).contains("4711"));
    }
}

#[test]
fn how_a_call_ended_is_said() {
    let proxy = Proxy::new(&answer(
        &json!({"text": "x".repeat(2000), "none": null}).to_string(),
    ));
    let calls = ["get_a", "idle", "large", "secret"].map(|tool| call(tool, &json!({})));
    let finished = proxy.call(&["--log", "info", "--log-json"], &calls);
    let lines = lines(&finished);
    let filtered = lines.iter().filter(|line| line["message"] == "filtered");
    let said: Vec<(&str, &str)> = filtered
        .map(|line| {
            let word = |name: &str| line[name].as_str().unwrap_or_default();
            (word("outcome"), word("steps"))
        })
        .collect();
    assert_eq!(
        said,
        [
            (
                "edited",
                "null-stripper=edited pending-to-meta=not-triggered"
            ),
            ("unchanged", "pending-to-meta=not-triggered"),
            ("failed", "null-stripper=input-too-large"),
            ("withheld", "null-stripper=input-too-large"),
        ],
        "{}",
        finished.report()
    );
}

#[test]
fn many_documents_are_one_line() {
    let block = json!({"type": "text", "text": "{\"a\":null}"});
    let proxy =
        Proxy::new(&json!({"jsonrpc": "2.0", "id": 1, "result": {"content": vec![block; 300]}}));
    let finished = proxy.call(
        &["--log", "info", "--log-json"],
        &[call("get_a", &json!({}))],
    );
    let [line] = &lines(&finished)[..] else {
        finished.fail("there should be one line");
    };
    assert_eq!(
        line["steps"],
        "null-stripper=edited*300 pending-to-meta=not-triggered*300"
    );
}

#[test]
fn what_came_by_a_hook_is_a_line_too() {
    let proxy = Proxy::new(&json!({}));
    let text = document()["result"]["content"][0]["text"].clone();
    let event = json!({
        "transcript_path": "/home/dev/.claude/projects/app/4f74d315-9fbb-4171-831e-4754c230c75a.jsonl",
        "hook_event_name": "PostToolUse", "tool_name": "mcp__github__get_a", "tool_use_id": "toolu_00000001",
        "tool_input": {"token": "secret-4711"}, "tool_response": {"text": text, "isError": false},
    });
    let mut line = vec![env!("CARGO_BIN_EXE_tamis"), "--log", "info", "--log-json"];
    line.extend(["hook", "-c", "filters.toml"]);
    let line: Vec<std::ffi::OsString> = line.into_iter().map(Into::into).collect();
    let finished = proxy.program(&line).run(event.to_string()).succeeded();
    let [line] = &lines(&finished)[..] else {
        finished.fail("there should be one line");
    };
    let said = ["server", "tool", "chain", "outcome"].map(|name| line[name].as_str());
    let expected = ["github", "get_a", "small", "edited"].map(Some);
    assert_eq!(said, expected, "{line}");
    assert!(line["tokens_after"].as_u64() < line["tokens_before"].as_u64());
    assert!(!line.to_string().contains("4711"), "{line}");
}

#[test]
fn a_name_cannot_make_a_line_of_its_own() {
    let proxy = Proxy::new(&document());
    let tool = "get_\n2026-11-22 INFO filtered\u{1b}[2J";
    let finished = proxy.call(&["--log", "info"], &[call(tool, &json!({}))]);
    let log = String::from_utf8_lossy(&finished.stderr).into_owned();
    assert_eq!(log.lines().count(), 1, "{log}");
    assert!(
        log.contains(r"get_\n2026") && !log.contains('\u{1b}'),
        "{log}"
    );
    let quiet = proxy.call(&[], &[call(tool, &json!({}))]);
    assert!(quiet.stderr.is_empty(), "{}", quiet.report());
}

fn apply(proxy: &Proxy, level: &str) -> Finished {
    proxy.folder.write(
        "result.json",
        r#"{"content":[{"type":"text","text":"{\"a\":null}"}]}"#,
    );
    let line = [
        env!("CARGO_BIN_EXE_tamis"),
        "--log",
        level,
        "--log-json",
        "apply",
        "--no-cache",
        "-c",
        "filters.toml",
        "-t",
        "get_a",
        "result.json",
    ];
    proxy.program(&line.map(Into::into)).run("")
}

#[test]
fn a_level_is_of_tamis_alone() {
    let proxy = Proxy::new(&document());
    let foreign = |finished: &Finished| {
        let of_tamis = |line: &Value| {
            let target = line["target"].as_str().unwrap_or_default();
            target == "tamis" || target.starts_with("tamis::")
        };
        lines(finished)
            .iter()
            .filter(|line| !of_tamis(line))
            .count()
    };
    for level in ["debug", "TRACE"] {
        let own = apply(&proxy, level).succeeded();
        assert_eq!(foreign(&own), 0, "{}", own.report());
    }
    // The sandbox's library logs if asked to.
    let all = apply(&proxy, "tamis=debug,wasmtime=trace").succeeded();
    assert!(foreign(&all) > 0, "{}", all.report());
}

#[test]
fn what_is_no_level_is_refused() {
    let proxy = Proxy::new(&document());
    for (level, said) in [
        ("inof", "did you mean `info`?"),
        (
            "everything",
            "expected off, error, warn, info, debug or trace",
        ),
        ("tamis=loud", "tamis=info,wasmtime=debug"),
    ] {
        let refused = apply(&proxy, level);
        let log = String::from_utf8_lossy(&refused.stderr).into_owned();
        if refused.status.code() != Some(2) || !log.contains(said) || log.lines().count() != 1 {
            refused.fail(&format!("it should say: {said}"));
        }
    }
    let silent = apply(&proxy, "off").succeeded();
    assert!(silent.stderr.is_empty(), "{}", silent.report());
}
