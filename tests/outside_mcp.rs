//! `tamis hook` and `tamis history`: chains where no MCP message is.

mod support;

use serde_json::{Value, json};
use support::{Finished, Folder, Program};

const POLICY: &str = r#"
[[chain]]
name = "past"
on = ["history"]
tools = ["*"]
steps = ["stub"]

[[chain]]
name = "now"
tools = ["Bash", "list_issues"]
steps = ["ansi", { filter = "truncate", limit = 300 }]
"#;

fn tamis(folder: &Folder, arguments: &[&str], input: &[u8]) -> Finished {
    let config = folder.write("filters.toml", POLICY);
    let mut line = vec![env!("CARGO_BIN_EXE_tamis"), arguments[0], "--config"];
    line.push(config.to_str().expect("a path in UTF-8"));
    line.extend(&arguments[1..]);
    Program::new(&line, folder.path())
        .env("TAMIS_STATE_DIR", folder.path().join("state"))
        .env(
            "TAMIS_CACHE_DIR",
            concat!(env!("CARGO_TARGET_TMPDIR"), "/compiled"),
        )
        .run(input)
}

fn hook(folder: &Folder, tool: &str, response: &Value) -> Finished {
    let input = json!({
        "hook_event_name": "PostToolUse",
        "tool_name": tool,
        "tool_input": {"command": "make"},
        "tool_response": response,
    });
    tamis(folder, &["hook"], input.to_string().as_bytes())
}

fn log() -> String {
    (0..200)
        .map(|n| format!("\u{1b}[32mok\u{1b}[0m {n}\n"))
        .collect()
}

#[test]
fn a_hook_replaces_long_texts_in_the_form_that_the_tool_gave() {
    let folder = Folder::new();
    let response = json!({"stdout": log(), "stderr": "", "interrupted": false, "isImage": false});
    let done = hook(&folder, "Bash", &response);
    let answer: Value = serde_json::from_slice(&done.stdout).expect("JSON");
    let output = &answer["hookSpecificOutput"];
    assert_eq!(output["hookEventName"], "PostToolUse");
    let updated = &output["updatedToolOutput"];
    for same in ["stderr", "interrupted", "isImage"] {
        assert_eq!(updated[same], response[same], "{same}");
    }
    let text = updated["stdout"].as_str().expect("a text");
    assert!(
        text.starts_with("ok 0\nok 1\n") && !text.contains('\u{1b}'),
        "{text}"
    );

    let (_, call) = text.split_once("all of it: `tamis read ").expect("a note");
    let reference = call.trim_end_matches('`');
    let line = [env!("CARGO_BIN_EXE_tamis"), "read", reference];
    let read = Program::new(&line, folder.path())
        .env("TAMIS_STATE_DIR", folder.path().join("state"))
        .run("");
    assert_eq!(String::from_utf8_lossy(&read.stdout), log());
}

#[test]
fn a_hook_leaves_alone_what_no_chain_is_bound_to() {
    let folder = Folder::new();
    let response = json!([{"type": "text", "text": log()}]);
    let done = hook(&folder, "mcp__github__get_issue", &response);
    assert!(done.status.success() && done.stdout.is_empty());
    // A server's tool is found by its own name.
    let done = hook(&folder, "mcp__github__list_issues", &response);
    let answer: Value = serde_json::from_slice(&done.stdout).expect("JSON");
    let blocks = &answer["hookSpecificOutput"]["updatedToolOutput"];
    assert!(blocks[0]["text"].as_str().expect("a text").len() < 1000);
    // Short texts are names and states.
    let done = hook(&folder, "Bash", &json!({"stdout": "\u{1b}[1mshort"}));
    assert!(done.status.success() && done.stdout.is_empty());
}

#[test]
fn a_hook_that_fails_says_nothing_to_the_agent() {
    let folder = Folder::new();
    for input in [&b""[..], b"{", b"\xff", br#"{"hook_event_name":"Stop"}"#] {
        let done = tamis(&folder, &["hook"], input);
        assert_eq!(
            done.status.code(),
            Some(1),
            "{}",
            String::from_utf8_lossy(input)
        );
        assert!(done.stdout.is_empty() && !done.stderr.is_empty());
    }
}

#[test]
fn past_results_become_stubs_once() {
    let folder = Folder::new();
    let found = json!({"success": true, "results": [{"source": "a.md", "text": "x".repeat(400)}]});
    let openai = json!({"model": "m", "messages": [
        {"role": "system", "content": "be brief"},
        {"role": "assistant", "tool_calls": [{"id": "c1", "type": "function",
            "function": {"name": "search", "arguments": "{\"q\":1}"}}]},
        {"role": "tool", "tool_call_id": "c1", "content": found.to_string()},
        {"role": "tool", "tool_call_id": "c2", "content": "[1,2]".repeat(100)},
    ]});
    let anthropic = json!([
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "search", "input": {}}]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": found.to_string()}]},
            {"type": "text", "text": "go on"},
        ]},
    ]);
    let stub: Value =
        json!({"status": "success", "result_count": 1, "files": ["a.md"], "_compacted": true});
    for (transcript, holder, text) in [
        (openai, "/messages/2", "/messages/2/content"),
        (anthropic, "/1/content/0", "/1/content/0/content/0/text"),
    ] {
        let once = tamis(&folder, &["history"], transcript.to_string().as_bytes());
        let changed: Value = serde_json::from_slice(&once.stdout).expect("JSON");
        let text = changed
            .pointer(text)
            .and_then(Value::as_str)
            .expect("a text");
        let found: Value = serde_json::from_str(text).expect("a stub is JSON");
        assert_eq!(found, stub);
        assert_eq!(
            changed.pointer(holder).expect("it is there")["_compacted"],
            true
        );
        let twice = tamis(&folder, &["history"], &once.stdout);
        assert_eq!(twice.stdout, once.stdout);
        let kept = tamis(
            &folder,
            &["history", "--keep-last", "9"],
            transcript.to_string().as_bytes(),
        );
        assert_eq!(kept.stdout, transcript.to_string().as_bytes());
    }
}

#[test]
fn what_is_no_transcript_is_an_error() {
    let folder = Folder::new();
    for input in ["", "{}", "3", "{\"messages\": 1}", "[{]"] {
        let done = tamis(&folder, &["history"], input.as_bytes());
        assert_eq!(done.status.code(), Some(2), "{input}");
        assert!(done.stdout.is_empty() && !done.stderr.is_empty(), "{input}");
    }
}
