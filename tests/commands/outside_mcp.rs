//! `tamis hook` and `tamis history`: chains outside of MCP.

mod agents;
mod file_text;
mod plugin;
mod redaction;

use crate::support::{Finished, Folder, Program};
use serde_json::{Value, json};

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
    tamis_with(POLICY, folder, arguments, input)
}

fn tamis_with(policy: &str, folder: &Folder, arguments: &[&str], input: &[u8]) -> Finished {
    let config = folder.write("filters.toml", policy);
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
    let event = claude(tool, &json!({"command": "make"}), response);
    tamis(folder, &["hook"], event.to_string().as_bytes())
}

/// The event of Claude Code 2.1 after a tool.
fn claude(tool: &str, input: &Value, response: &Value) -> Value {
    json!({
        "session_id": SESSION,
        "transcript_path": format!("/home/dev/.claude/projects/-home-dev-app/{SESSION}.jsonl"),
        "cwd": "/home/dev/app",
        "prompt_id": "db8132da-96ab-47a8-8cb7-bc5b2a4cd53c",
        "permission_mode": "default",
        "effort": {"level": "high"},
        "hook_event_name": "PostToolUse",
        "tool_name": tool,
        "tool_input": input,
        "tool_response": response,
        "tool_use_id": "toolu_00000001",
        "duration_ms": 64,
    })
}

/// Its other events, with these members.
fn claude_event(name: &str, session: &str, more: &Value) -> Value {
    let mut event = json!({
        "session_id": session,
        "transcript_path": format!("/home/dev/.claude/projects/-home-dev-app/{SESSION}.jsonl"),
        "cwd": "/home/dev/app",
        "hook_event_name": name,
    });
    let (event_members, more) = (event.as_object_mut(), more.as_object());
    let (members, more) = (event_members.expect("an object"), more.expect("an object"));
    members.extend(more.clone());
    event
}

const SESSION: &str = "4f74d315-9fbb-4171-831e-4754c230c75a";

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

    // The program is not on the PATH here, so the note has its path.
    let (_, call) = text.split_once("all of it: ").expect("a note");
    assert_eq!(shell(&folder, call), log());
}

/// The output of a command that a note names.
fn shell(folder: &Folder, command: &str) -> String {
    let done = Program::new(&["sh", "-c", command], folder.path())
        .env("TAMIS_STATE_DIR", folder.path().join("state"))
        .run("")
        .succeeded();
    String::from_utf8(done.stdout).expect("UTF-8")
}

#[test]
fn a_shell_runs_the_calls_of_a_summary() {
    let policy = "[[chain]]\ntools = [\"Bash\"]\nsteps = [\"summary\"]\n";
    let folder = Folder::new();
    let rows: Vec<Value> = (0..600)
        .map(|n| json!({"it's": format!("it's {n}"), "note": format!("{} {}", n * 7919, n * 104_729)}))
        .collect();
    let lines: String = (0..400)
        .map(|n| format!("a line with the number {n}\n"))
        .collect();
    let nested = json!({"it's": rows}).to_string();
    for (output, has) in [
        (json!(rows).to_string(), "it's 7"),
        (nested, "it's 7"),
        (lines, "number 7"),
    ] {
        let event = claude("Bash", &json!({"command": "make"}), &json!(output));
        let done = tamis_with(policy, &folder, &["hook"], event.to_string().as_bytes());
        let answer: Value = serde_json::from_slice(&done.succeeded().stdout).expect("JSON");
        let text = answer["hookSpecificOutput"]["updatedToolOutput"]
            .as_str()
            .expect("a text");
        let (_, call) = text.split_once("More: ").expect("calls");
        let end = call.find("}'").expect("a command") + 2;
        let read = shell(&folder, &call[..end]);
        assert!(
            read.contains(has) && read.len() < output.len(),
            "{call}\n{read}"
        );
    }
}

const TABLES: &str = r#"
[[chain]]
tools = ["Bash", "Grep"]
steps = [{ filter = "row-encoder", level = "exact" }, { filter = "truncate", limit = 300 }]

[[chain]]
tools = ["list_*"]
steps = [{ filter = "row-encoder", level = "exact" }]
"#;

/// The text that a session's event adds to the context.
fn told(folder: &Folder, event: &Value) -> Option<String> {
    let done = tamis_with(TABLES, folder, &["hook"], event.to_string().as_bytes()).succeeded();
    if done.stdout.is_empty() {
        return None;
    }
    let answer: Value = serde_json::from_slice(&done.stdout).expect("JSON");
    let output = &answer["hookSpecificOutput"];
    assert_eq!(output["hookEventName"], event["hook_event_name"]);
    Some(
        output["additionalContext"]
            .as_str()
            .expect("a text")
            .to_owned(),
    )
}

#[test]
fn a_session_is_told_once_how_to_read_what_filters_write() {
    let folder = Folder::new();
    let prompt =
        |session: &str| claude_event("UserPromptSubmit", session, &json!({"prompt": "go on"}));
    let start = |session: &str, source: &str| {
        claude_event("SessionStart", session, &json!({"source": source}))
    };
    let text = told(&folder, &prompt("one")).expect("it was not told");
    assert!(
        text.contains(" read REFERENCE`") && text.contains("--grep"),
        "{text}"
    );
    // Both chains share one legend.
    assert_eq!(
        text.matches("\n- Bash, Grep, list_*: ").count(),
        1,
        "{text}"
    );
    assert_eq!(told(&folder, &prompt("one")), None);
    assert_eq!(told(&folder, &start("one", "resume")), None);
    // After these events, the model has lost the text, and a subagent never had it.
    for source in ["startup", "clear", "compact"] {
        assert_eq!(
            told(&folder, &start("one", source)).as_ref(),
            Some(&text),
            "{source}"
        );
    }
    let subagent = claude_event("SubagentStart", "one", &json!({"agent_type": "x"}));
    assert_eq!(told(&folder, &subagent).as_ref(), Some(&text));
    // A name from outside must not be used as a path.
    assert_eq!(told(&folder, &prompt("../../one")).as_ref(), Some(&text));
    assert_eq!(told(&folder, &prompt("../../one")), None);
    let state = folder.path().join("state/told");
    assert_eq!(std::fs::read_dir(&state).expect("a folder").count(), 2);

    // Without anything to tell, the hook prints nothing.
    let plain = "[[chain]]\ntools = [\"Bash\"]\nsteps = [\"ansi\"]\n";
    let done = tamis_with(
        plain,
        &folder,
        &["hook"],
        prompt("two").to_string().as_bytes(),
    );
    assert!(done.succeeded().stdout.is_empty());
    // For a session without a name, "once" has no meaning.
    let mut nameless = prompt("two");
    nameless["session_id"] = Value::Null;
    let nameless = nameless.to_string();
    let done = tamis_with(TABLES, &folder, &["hook"], nameless.as_bytes());
    assert_eq!(done.status.code(), Some(1));
}

#[test]
fn old_sessions_are_forgotten() {
    let folder = Folder::new();
    let event =
        |session: &str| claude_event("UserPromptSubmit", session, &json!({"prompt": "go on"}));
    told(&folder, &event("old")).expect("it was not told");
    let state = folder.path().join("state/told");
    let marker = std::fs::read_dir(&state)
        .expect("a folder")
        .next()
        .expect("a marker");
    let file = std::fs::File::options()
        .write(true)
        .open(marker.expect("a marker").path());
    let month_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(31 * 24 * 3600);
    file.and_then(|file| file.set_modified(month_ago))
        .expect("make it old");
    told(&folder, &event("new")).expect("it was not told");
    assert_eq!(std::fs::read_dir(&state).expect("a folder").count(), 1);
}

#[test]
fn events_that_say_nothing_are_answered_by_nothing() {
    let folder = Folder::new();
    for event in ["Stop", "PreToolUse", "SessionEnd", "SomethingNew"] {
        let input = json!({"hook_event_name": event, "session_id": "a"}).to_string();
        let done = tamis(&folder, &["hook"], input.as_bytes()).succeeded();
        assert!(done.stdout.is_empty() && done.stderr.is_empty(), "{event}");
    }
}

#[test]
fn apply_says_that_it_keeps_nothing() {
    let folder = Folder::new();
    let result = json!({"content": [{"type": "text", "text": log()}]}).to_string();
    let done = tamis(&folder, &["apply", "--tool", "Bash"], result.as_bytes()).succeeded();
    assert!(
        String::from_utf8_lossy(&done.stderr).contains("stores no original"),
        "{}",
        done.report()
    );
    // A text by itself is the text of a result.
    let policy = "[[chain]]\ntools = [\"*\"]\nsteps = [\"summary\"]\n";
    let lines = (0..400).map(|line| format!("INFO request {line} took {} ms\n", line % 7));
    let lines: String = lines.collect();
    let apply = ["apply", "--tool", "Bash"];
    let done = tamis_with(policy, &folder, &apply, lines.as_bytes()).succeeded();
    let said = String::from_utf8_lossy(&done.stderr);
    let shown = String::from_utf8_lossy(&done.stdout);
    assert!(said.contains("stores no original"), "{}", done.report());
    assert!(shown.starts_with("Summary of "), "{shown}");
    assert!(shown.contains(r#"tamis_read {"ref":"#), "{shown}");
    let short = json!({"content": [{"type": "text", "text": "short"}]}).to_string();
    let done = tamis(&folder, &["apply", "--tool", "Bash"], short.as_bytes()).succeeded();
    assert!(done.stderr.is_empty(), "{}", done.report());
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
    for input in [&b""[..], b"{", b"\xff", br#"{"tool_name":"Bash"}"#] {
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

/// Lines as Claude Code writes them into its session files.
fn session_lines(result_bytes: usize) -> Vec<String> {
    let text = "x".repeat(result_bytes);
    let found = json!({"success": true, "results": [{"source": "a.md", "text": text}]});
    let lines = [
        json!({"type": "summary", "summary": "a title", "leafUuid": "u"}),
        json!({"type": "user", "message": {"role": "user", "content": "find it"}, "uuid": "1"}),
        json!({"type": "assistant", "message": {"role": "assistant", "content": [
            {"type": "tool_use", "id": "t1", "name": "search", "input": {"q": "\u{e4}"}}]}, "uuid": "2"}),
        json!({"type": "user", "message": {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "t1", "content": found.to_string()}]},
            "toolUseResult": {"stdout": found.to_string()}, "uuid": "3"}),
        json!({"role": "tool", "name": "search", "content": found.to_string()}),
    ];
    let spaced = |line: &Value| line.to_string().replacen("\":", "\" : ", 1);
    lines.iter().map(|line| spaced(line) + "\n").collect()
}

#[test]
fn a_transcript_may_have_a_message_a_line() {
    let folder = Folder::new();
    let lines = session_lines(400);
    let done = tamis(&folder, &["history"], lines.concat().as_bytes()).succeeded();
    let text = String::from_utf8(done.stdout).expect("UTF-8");
    let shorter: Vec<&str> = text.split_inclusive('\n').collect();
    assert_eq!(shorter[..3], lines[..3]);
    let changed: Value = serde_json::from_str(shorter[3]).expect("JSON");
    let block = &changed["message"]["content"][0];
    assert_eq!(block["_compacted"], true);
    assert!(
        block["content"]
            .as_str()
            .expect("a text")
            .starts_with(r#"{"status":"success""#)
    );
    let before: Value = serde_json::from_str(&lines[3]).expect("JSON");
    assert_eq!(
        changed["toolUseResult"], before["toolUseResult"],
        "the agent's own"
    );
    assert!(shorter[4].contains("_compacted"));
    assert_eq!(
        tamis(&folder, &["history"], text.as_bytes()).stdout,
        text.as_bytes()
    );

    // The last result stays unchanged.
    let file = folder.write("session.jsonl", lines.concat());
    let file = file.to_str().expect("a path in UTF-8");
    let done = tamis(&folder, &["history", "--keep-last", "1", file], b"").succeeded();
    assert_eq!(
        String::from_utf8_lossy(&done.stdout),
        [&shorter[..4], &[&lines[4]]].concat().concat()
    );
}

#[test]
fn a_large_transcript_is_not_held_in_memory() {
    let folder = Folder::new();
    let config = folder.write("filters.toml", POLICY);
    tamis(
        &folder,
        &["history"],
        session_lines(400).concat().as_bytes(),
    )
    .succeeded();
    let turn = session_lines(20_000)[1..4].concat();
    let many = 40_000_000 / turn.len();
    let elements = turn.trim_end().replace("}\n{", "},\n{");
    let list = format!("[{}{elements}]", format!("{elements},").repeat(many - 1));
    // The system itself limits the process's memory. The engine reserves memory that it does not use.
    let run = |limit_kib: u64, input: &str, name: &str| {
        let script = format!(r#"ulimit -d "$1"; {input} "$2" history --config "$3" --keep-last 1"#);
        let limit = limit_kib.to_string();
        let program = env!("CARGO_BIN_EXE_tamis");
        let config = config.to_str().expect("a path in UTF-8");
        let line = ["sh", "-c", &script, "sh", &limit, program, config, name];
        Program::new(&line, folder.path())
            .env("TAMIS_STATE_DIR", folder.path().join("state"))
            .env(
                "TAMIS_CACHE_DIR",
                concat!(env!("CARGO_TARGET_TMPDIR"), "/compiled"),
            )
            .env("TMPDIR", folder.path())
            .run("")
    };
    folder.write("small.jsonl", &turn);
    let (mut too_little, mut enough) = (0, 4 << 20);
    while enough - too_little > 1 << 10 {
        let limit = (too_little + enough) / 2;
        match run(limit, r#"<"$4""#, "small.jsonl").status.success() {
            true => enough = limit,
            false => too_little = limit,
        }
    }
    let limit = enough + (24 << 10);
    for (name, transcript) in [("lines.jsonl", turn.repeat(many)), ("list.json", list)] {
        folder.write(name, &transcript);
        let done = run(limit, r#"<"$4""#, name).succeeded();
        assert!(done.stdout.len() < transcript.len() * 3 / 4, "{name}");
        let flags = memchr::memmem::find_iter(&done.stdout, r#","_compacted":true"#).count();
        assert_eq!(flags, many - 1, "{name}: the last result stays");
        // Input that can be read only once gives the same output.
        if name == "lines.jsonl" {
            let piped = run(limit, r#"cat "$4" |"#, name).succeeded();
            assert!(piped.stdout == done.stdout, "{name}");
        }
    }
}

#[test]
fn what_is_no_transcript_is_an_error() {
    let folder = Folder::new();
    // If the input is broken at its end, nothing is written.
    let broken = format!("{}{{\"role\": x}}", session_lines(400).concat());
    for input in [
        "",
        "{}",
        "3",
        "{\"messages\": 1}",
        "[{]",
        "{}\n{}\n",
        &broken,
    ] {
        let done = tamis(&folder, &["history"], input.as_bytes());
        assert_eq!(done.status.code(), Some(2), "{input}");
        assert!(done.stdout.is_empty() && !done.stderr.is_empty(), "{input}");
    }
}
