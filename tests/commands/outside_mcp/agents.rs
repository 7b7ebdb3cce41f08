//! Each agent gets an answer in its own form, or none. The events are as these agents send them: Claude Code 2.1.330,
//! Codex 0.169.0, Copilot CLI 1.0.102, opencode 1.18.33, Gemini CLI 0.61.0, Qwen Code 0.24.4, Kimi Code 2.1.0, Cline
//! 3.0.65.

use super::{SESSION, claude, shell, tamis_with};
use crate::support::{Finished, Folder};
use serde_json::{Value, json};
use std::fmt::Write as _;

const SUMMARY: &str = "[[chain]]\ntools = [\"*\"]\nsteps = [\"ansi\", \"summary\"]\n";

fn hook(folder: &Folder, event: &Value) -> Finished {
    tamis_with(SUMMARY, folder, &["hook"], event.to_string().as_bytes())
}

/// The answer of the hook; none if it writes nothing.
fn answer(folder: &Folder, event: &Value) -> Option<Value> {
    let done = hook(folder, event).succeeded();
    (!done.stdout.is_empty()).then(|| serde_json::from_slice(&done.stdout).expect("JSON"))
}

/// 2,000 lines; every third is an ERROR, so there are 667 of them.
fn log() -> String {
    let mut log = String::new();
    for n in 0..2000 {
        let level = if n % 3 == 0 { "ERROR" } else { "INFO" };
        let _ = writeln!(
            log,
            "2026-11-22T10:{:02}:{:02}Z [{level}] worker-{}: finished job {n}",
            n / 60 % 60,
            n % 60,
            n % 8
        );
    }
    log
}

/// The event of a large output: its first 30,000 characters, and the file with all of it.
fn saved(folder: &Folder, log: &str) -> Value {
    let path = folder.write("b9on81pwz.txt", log);
    let response = json!({
        "stdout": &log[..30_000], "stderr": "", "interrupted": false, "isImage": false,
        "noOutputExpected": false, "persistedOutputPath": path, "persistedOutputSize": log.len(),
    });
    claude(
        "Bash",
        &json!({"command": "make", "description": "d"}),
        &response,
    )
}

#[test]
fn totals_are_of_the_whole_output_and_not_of_the_part_in_the_event() {
    let folder = Folder::new();
    let log = log();
    let event = saved(&folder, &log);
    let answer = answer(&folder, &event).expect("it is answered");
    let output = &answer["hookSpecificOutput"]["updatedToolOutput"];
    let text = output["stdout"].as_str().expect("a text");
    let of_part = log[..30_000].matches("ERROR").count();
    assert!(
        text.contains("2000 lines") || text.contains("2,000 lines"),
        "{text}"
    );
    assert!(text.contains("ERROR 667"), "{text}");
    assert!(!text.contains(&format!("ERROR {of_part}")), "{text}");
    for gone in ["persistedOutputPath", "persistedOutputSize"] {
        assert!(output.get(gone).is_none(), "{gone}");
    }
    assert_eq!(output["isImage"], false);
}

#[test]
fn a_part_is_left_to_the_agent_where_the_whole_cannot_be_read() {
    let folder = Folder::new();
    let log = log();
    let pipe = folder.path().join("pipe");
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, 0o600.into()).expect("a pipe");
    let other = folder.write("other.txt", "x".repeat(log.len()));
    for (name, value, reason) in [
        (
            "persistedOutputSize",
            json!(log.len() + 1),
            "bytes, and not",
        ),
        ("persistedOutputPath", json!(pipe), "not a regular file"),
        (
            "persistedOutputPath",
            json!("/nowhere/at/all"),
            "No such file",
        ),
        (
            "persistedOutputPath",
            json!(other),
            "does not begin as the event does",
        ),
    ] {
        let mut event = saved(&folder, &log);
        event["tool_response"][name] = value;
        let done = hook(&folder, &event).succeeded();
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(
            done.stdout.is_empty() && said.contains(reason),
            "{}",
            done.report()
        );
    }
}

#[test]
fn an_image_of_a_command_stays() {
    let folder = Folder::new();
    let response = json!({"stdout": format!("data:image/png;base64,{}", "iVBO\n".repeat(4000)), "isImage": true});
    let event = claude("Bash", &json!({"command": "make"}), &response);
    assert_eq!(answer(&folder, &event), None);
    let blocks = json!([{"type": "image", "data": "iVBO\n".repeat(4000), "mimeType": "image/png"}]);
    let event = claude("mcp__art__draw", &json!({}), &blocks);
    assert_eq!(answer(&folder, &event), None);
}

fn codex(name: &str, more: &Value) -> Value {
    let mut event = json!({
        "session_id": SESSION,
        "transcript_path": format!("/home/dev/.codex/sessions/2026/11/22/rollout-2026-11-22T22-23-22-{SESSION}.jsonl"),
        "cwd": "/home/dev/app",
        "hook_event_name": name,
        "model": "gpt-5",
        "permission_mode": "default",
    });
    let members = event.as_object_mut().expect("an object");
    members.extend(more.as_object().expect("an object").clone());
    event
}

#[test]
fn codex_gets_the_outputs_of_mcp_tools() {
    let folder = Folder::new();
    let after = |tool: &str, input: Value, response: Value| {
        codex(
            "PostToolUse",
            &json!({"turn_id": "t", "tool_name": tool, "tool_input": input, "tool_response": response, "tool_use_id": "call_1"}),
        )
    };
    let text = json!([{"type": "text", "text": log()}]);
    let event = after("mcp__logs__tail", json!({}), json!({"content": text}));
    let given = answer(&folder, &event).expect("it is answered");
    assert_eq!(given["decision"], "block");
    let reason = given["reason"].as_str().expect("a text");
    assert!(reason.contains("ERROR 667") && given.as_object().expect("an object").len() == 2);

    let image = json!([{"type": "image", "data": "aaaa", "mimeType": "image/png"}, {"type": "text", "text": log()}]);
    for unanswered in [
        after(
            "mcp__logs__tail",
            json!({}),
            json!({"content": text, "isError": true}),
        ),
        after("mcp__logs__tail", json!({}), json!({"content": image})),
        // The exit code of a command would be lost.
        after("Bash", json!({"command": "make"}), json!(log())),
        codex("SessionStart", &json!({"source": "startup"})),
        codex(
            "UserPromptSubmit",
            &json!({"turn_id": "t", "prompt": "go on"}),
        ),
    ] {
        assert_eq!(answer(&folder, &unanswered), None, "{unanswered}");
    }
    let mut brief = codex("SessionStart", &json!({"source": "startup"}));
    brief["transcript_path"] = Value::Null;
    assert_eq!(answer(&folder, &brief), None);
}

fn copilot(more: &Value) -> Value {
    let mut event =
        json!({"sessionId": SESSION, "timestamp": 1_795_386_482_854_u64, "cwd": "/home/dev/app"});
    let members = event.as_object_mut().expect("an object");
    members.extend(more.as_object().expect("an object").clone());
    event
}

#[test]
fn copilot_gets_a_modified_result_and_the_exit_code() {
    let folder = Folder::new();
    let after = |command: &str, text: &str| {
        copilot(&json!({
            "toolName": "bash", "toolArgs": {"command": command, "mode": "sync"},
            "toolResult": {"resultType": "success", "textResultForLlm": text},
        }))
    };
    let state = "\n<shellId: 2 completed with exit code 3>";
    let event = after("make", &format!("{}{state}", log()));
    let given = answer(&folder, &event).expect("it is answered");
    let result = &given["modifiedResult"];
    assert_eq!(result["resultType"], "success");
    let text = result["textResultForLlm"].as_str().expect("a text");
    assert!(
        text.contains("ERROR 667") && text.ends_with(state),
        "{text}"
    );

    let cut = format!(
        "Output too large to read at once (93.6 KB). Saved to: /tmp/x.txt\n{}",
        log()
    );
    assert_eq!(answer(&folder, &after("make", &cut)), None);
    // It is told once how to read the output.
    let start = copilot(&json!({"source": "new", "initialPrompt": "go on"}));
    let told = answer(&folder, &start).expect("it is told");
    let told = told["additionalContext"].as_str().expect("a text");
    assert!(told.contains(" read REFERENCE`"), "{told}");
    assert_eq!(answer(&folder, &copilot(&json!({"prompt": "go on"}))), None);
    assert_eq!(
        answer(&folder, &copilot(&json!({"reason": "complete"}))),
        None
    );
}

fn opencode(tool: &str, input: &Value, response: &Value) -> Value {
    json!({
        "tamis_plugin": "opencode", "hook_event_name": "tool.execute.after", "session_id": "ses_1",
        "tool_name": tool, "tool_input": input, "tool_response": response,
    })
}

#[test]
fn opencode_gets_the_members_that_change() {
    let folder = Folder::new();
    let make = json!({"command": "make"});
    let whole = json!({"output": log(), "metadata": {"truncated": false}});
    let given = answer(&folder, &opencode("bash", &make, &whole)).expect("it is answered");
    let text = given["output"].as_str().expect("a text");
    assert!(text.contains("ERROR 667"), "{text}");
    let (_, call) = text.split_once("More: ").expect("calls");
    let end = call.find("}'").expect("a command") + 2;
    assert!(!shell(&folder, &call[..end]).is_empty());

    // A part, and the file with the whole.
    let path = folder.write("tool_1", log());
    let part = json!({"output": "...output truncated...", "metadata": {"truncated": true, "outputPath": path}});
    assert_eq!(
        answer(&folder, &opencode("bash", &make, &part)),
        Some(given)
    );
    let lost =
        json!({"output": log(), "metadata": {"truncated": true, "outputPath": "/nowhere/at/all"}});
    assert_eq!(answer(&folder, &opencode("bash", &make, &lost)), None);

    let image = json!({"type": "image", "data": "A".repeat(9000), "mimeType": "image/png"});
    let content = json!({"content": [{"type": "text", "text": log()}, image]});
    let given = answer(&folder, &opencode("logs_tail", &json!({}), &content)).expect("an answer");
    assert_eq!(given["content"][1], image);
    assert!(
        given["content"][0]["text"]
            .as_str()
            .expect("a text")
            .contains("ERROR 667")
    );
}

#[test]
fn the_plugin_for_opencode_runs_this_program() {
    let folder = Folder::new();
    let done = tamis_with(SUMMARY, &folder, &["hook", "--print", "opencode"], b"").succeeded();
    let plugin = String::from_utf8(done.stdout).expect("text");
    assert!(plugin.contains("\"tool.execute.after\""), "{plugin}");
    assert!(!plugin.contains("@TAMIS@"), "{plugin}");
    let command = format!("|| {:?}\n", env!("CARGO_BIN_EXE_tamis"));
    assert!(plugin.contains(&command), "{plugin}");
}

#[test]
fn agents_that_take_no_answer_get_none() {
    let folder = Folder::new();
    let common = |name: &str| {
        json!({
            "session_id": SESSION, "transcript_path": format!("/home/dev/.x/chats/{SESSION}.jsonl"),
            "cwd": "/home/dev/app", "hook_event_name": name, "timestamp": "2026-11-22T22:23:28.411Z",
            "tool_name": "run_shell_command", "tool_input": {"command": "make"},
            "tool_response": {"llmContent": log(), "returnDisplay": log()}, "source": "startup",
        })
    };
    let gemini = common("AfterTool");
    let gemini_start = common("SessionStart");
    let mut qwen = common("PostToolUse");
    qwen["permission_mode"] = "default".into();
    let mut qwen_start = common("SessionStart");
    qwen_start["permission_mode"] = "default".into();
    let kimi = json!({
        "hook_event_name": "PostToolUse", "session_id": "session_1", "cwd": "/home/dev/app",
        "client_type": "kimi_code_cli", "tool_name": "Bash", "tool_input": {"command": "make"},
        "tool_call_id": "call_1", "tool_output": log(),
    });
    let cline = json!({
        "clineVersion": "3.0.65", "hookName": "tool_result", "timestamp": "1", "taskId": "t",
        "workspaceRoots": [], "tool_result": {"name": "execute_command", "output": log()},
    });
    for (event, agent) in [
        (gemini, "Gemini CLI"),
        (gemini_start, "Gemini CLI"),
        (qwen, "Qwen Code"),
        (qwen_start, "Qwen Code"),
        (kimi, "Kimi Code"),
        (cline, "Cline"),
    ] {
        let done = hook(&folder, &event).succeeded();
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(done.stdout.is_empty(), "{}", done.report());
        assert!(said.contains(agent) && said.lines().count() == 1, "{said}");
    }
}

#[test]
fn an_unknown_form_is_answered_by_nothing() {
    let folder = Folder::new();
    let known = claude(
        "Bash",
        &json!({"command": "make"}),
        &json!({"stdout": log()}),
    );
    let without = |name: &str| {
        let mut event = known.clone();
        event.as_object_mut().expect("an object").remove(name);
        event
    };
    let mut foreign = known.clone();
    foreign["transcript_path"] = "/home/dev/.continue/sessions/a.json".into();
    let unknown = [
        without("transcript_path"),
        without("tool_use_id"),
        without("hook_event_name"),
        foreign,
        json!({"sessionId": "a", "timestamp": "now", "toolName": "bash", "toolResult": {"textResultForLlm": log()}}),
    ];
    for event in unknown {
        let done = hook(&folder, &event);
        let said = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(1), "{}", done.report());
        assert!(
            done.stdout.is_empty() && said.contains("not from an agent"),
            "{}",
            done.report()
        );
    }
    assert!(answer(&folder, &known).is_some());
}
