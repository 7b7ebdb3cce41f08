//! The plugin for opencode if `tamis hook` does not answer: an output passes unchanged with one notice, or is withheld
//! if the policy redacts. `tests/agents` runs it in opencode itself.

use super::tamis_with;
use crate::support::{Folder, Program, text};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;

const PLAIN: &str = "[[chain]]\ntools = [\"*\"]\nsteps = [\"ansi\"]\n";
const REDACTING: &str =
    "[[chain]]\non = [\"*\"]\nsteps = [{ filter = \"redact\", hide = [\"emails\"] }]\n";
const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/agents/plugin.mjs");
const SECRET: &str = "ada@example.org";

/// The plugin under a policy, with outputs of a tool. `answers`: a shell script in place of Tamis.
fn outputs(folder: &Folder, policy: &str, answers: Option<&str>, outputs: &Value) -> Value {
    let printed = tamis_with(policy, folder, &["hook", "--print", "opencode"], b"").succeeded();
    let plugin = folder.write("tamis.mjs", printed.stdout);
    let tamis = answers.map(|answers| {
        let script = folder.write("answers", format!("#!/bin/sh\ncat >/dev/null\n{answers}\n"));
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&script, mode).expect("make it a program");
        script
    });
    let done = Program::new(
        &["node".as_ref(), SCRIPT.as_ref(), plugin.as_path()],
        folder.path(),
    )
    .env("TAMIS_COMMAND", tamis.unwrap_or("/nowhere/tamis".into()))
    .run(outputs.to_string())
    .succeeded();
    serde_json::from_slice(&done.stdout).expect("JSON")
}

fn both() -> Value {
    json!([
        {"output": format!("from {SECRET}"), "metadata": {}, "attachments": [{"url": "data:"}]},
        {"content": [{"type": "text", "text": format!("from {SECRET}")}]},
    ])
}

#[track_caller]
fn is_withheld(output: &Value) {
    let shown = output.to_string();
    assert!(
        shown.contains("[tamis] Withheld: ") && !shown.contains(SECRET) && !shown.contains("data:"),
        "{output}"
    );
}

#[test]
fn without_tamis_an_output_is_unchanged_and_the_user_is_told_once() {
    let folder = Folder::new();
    let done = outputs(&folder, PLAIN, None, &both());
    assert_eq!(done["outputs"], both());
    let logged = done["logged"].as_array().expect("a list");
    let [said] = &logged[..] else {
        panic!("said once: {done}");
    };
    let said = said.as_str().expect("a text");
    for words in ["are not filtered: ", "/nowhere/tamis", "ENOENT"] {
        assert!(said.contains(words), "{words}: {said}");
    }
}

#[test]
fn without_tamis_an_output_is_withheld_if_the_policy_redacts() {
    let folder = Folder::new();
    let done = outputs(&folder, REDACTING, None, &both());
    for output in done["outputs"].as_array().expect("a list") {
        is_withheld(output);
    }
    let logged = &done["logged"];
    assert_eq!(logged.as_array().map(Vec::len), Some(1), "{logged}");
    assert!(logged[0].as_str().expect("a text").contains("withheld"));
    // It is unknown what a broken policy would redact.
    let done = outputs(&folder, "[[chain]]\nstep = 1\n", None, &both());
    is_withheld(&done["outputs"][0]);
}

#[test]
fn the_last_answer_says_whether_the_policy_redacts() {
    let folder = Folder::new();
    let first = |answer: &str| {
        format!("[ -e asked ] && {{ echo 'a reason' >&2; exit 1; }}; : > asked; {answer}")
    };
    let asked = folder.path().join("asked");
    let done = outputs(
        &folder,
        PLAIN,
        Some(&first("printf '{\"redacts\":true}'")),
        &both(),
    );
    assert_eq!(done["outputs"][0], both()[0]);
    is_withheld(&done["outputs"][1]);
    assert!(
        done["logged"][0]
            .as_str()
            .expect("a text")
            .contains("a reason")
    );
    std::fs::remove_file(&asked).expect("it was asked");
    let done = outputs(&folder, REDACTING, Some(&first(":")), &both());
    assert_eq!(done["outputs"], both());
    for broken in ["printf '{'", "kill -9 $$"] {
        let done = outputs(&folder, PLAIN, Some(broken), &both());
        assert_eq!(done["outputs"], both(), "{broken}");
        is_withheld(&outputs(&folder, REDACTING, Some(broken), &both())["outputs"][0]);
    }
}

#[test]
fn an_answer_says_that_the_policy_redacts_though_nothing_changes() {
    let folder = Folder::new();
    let event = json!({
        "tamis_plugin": "opencode", "hook_event_name": "tool.execute.after", "session_id": "ses_1",
        "tool_name": "bash", "tool_input": {"command": "make"}, "tool_response": {"output": "all is well"},
    });
    let answer = |policy: &str| {
        let done = tamis_with(policy, &folder, &["hook"], event.to_string().as_bytes());
        text(&done.succeeded().stdout)
    };
    assert_eq!(answer(REDACTING), r#"{"redacts":true}"#);
    assert_eq!(answer(PLAIN), "");
    // A chain for another tool redacts too.
    let other = "[[chain]]\ntools = [\"read_mail\"]\nsteps = [{ filter = \"redact\", hide = [\"emails\"] }]\n";
    assert_eq!(answer(other), r#"{"redacts":true}"#);
    let broken = answer("[[chain]]\nstep = 1\n");
    assert!(
        broken.contains("Withheld") && broken.contains(r#""redacts":true"#),
        "{broken}"
    );
}
