//! A project whose policy was trusted once and has changed since: nothing passes under another policy.

use super::{DOCUMENT, Home, STRIPPED, STRIPPING, exits, text};
use crate::support::mcp::Client;
use serde_json::{Value, json};

const NAME: &str = "home/project/filters.toml";

/// A policy that hides a tool, and withholds results that its filter cannot read.
const HIDING: &str = "[tool.secret]\nhidden = true\n[[chain]]\ntools = [\"*\"]\nsteps = [{ filter = \"jq\", program = \"del(.token)\", on-error = \"block\" }]\n";

/// A text of the server that no model may see.
const TOKEN: &str = "hunter2-do-not-show";

/// A server with a hidden tool, and secrets in all of its texts. It writes its requests to a file.
const SERVER: &str = r#"
while IFS= read -r line; do
    printf '%s\n' "$line" >> asked
    case $line in *'"id":'*) ;; *) continue ;; esac
    id=${line#*'"id":'} id=${id%%,*}
    case $line in
        *'"initialize"'*) result='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"},"instructions":"hunter2-do-not-show"}' ;;
        *'"tools/list"'*) result='{"tools":[{"name":"secret","inputSchema":{"type":"object"},"description":"hunter2-do-not-show"}]}' ;;
        *) result='{"content":[{"type":"text","text":"{\"token\":\"hunter2-do-not-show\",\"a\":1}"}]}' ;;
    esac
    printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
"#;

fn trusted() -> Home {
    let home = Home::new();
    home.write(NAME, HIDING);
    home.tamis(&["trust", "--yes"]).succeeded();
    home
}

fn proxy(home: &Home) -> Client {
    Client::of(home.program("home/project/src", &["run", "--", "sh", "-c", SERVER]))
}

/// All requests of a client to a server, and their answers.
fn ask_all(client: &mut Client) -> (Value, Value, Value) {
    let greeting = client.greet("a client");
    let list = client.ask("tools/list", &json!({}));
    let call = client.ask("tools/call", &json!({"name": "secret", "arguments": {}}));
    for (method, params) in [
        ("tools/call", json!({"name": "any", "arguments": {}})),
        ("resources/read", json!({"uri": "file:///secret"})),
        ("resources/list", json!({})),
        ("prompts/get", json!({"name": "p"})),
        ("tasks/result", json!({"taskId": "1"})),
        ("unknown/method", json!({})),
    ] {
        let answer = client.ask(method, &params).to_string();
        assert!(!answer.contains(TOKEN), "{method}: {answer}");
        assert!(answer.contains("tamis trust"), "{method}: {answer}");
    }
    (greeting, list, call)
}

/// Checks that the relay only answers what to do.
#[track_caller]
fn is_closed(home: &Home) -> String {
    let _ = std::fs::remove_file(home.path("home/project/src/asked"));
    let mut client = proxy(home);
    let (greeting, list, call) = ask_all(&mut client);
    let run = client.finish().succeeded();
    if text(&run.stdout).contains(TOKEN) {
        run.fail("it should have shown nothing of the server");
    }
    assert!(
        greeting["result"]["instructions"]
            .as_str()
            .is_some_and(|it| it.contains("tamis trust")),
        "{greeting}"
    );
    let message = list["error"]["message"].as_str().unwrap_or_default();
    assert!(
        list["result"].is_null() && message.contains("tamis trust"),
        "{list}"
    );
    let shown = call["result"]["content"][0]["text"]
        .as_str()
        .unwrap_or_default();
    assert!(shown.contains("tamis trust"), "{call}");
    assert_eq!(call["result"]["isError"], true, "{call}");
    assert!(
        !home.path("home/project/src/asked").exists(),
        "the server was asked"
    );
    let said = text(&run.stderr);
    assert_eq!(said.lines().count(), 1, "one line: {said}");
    said
}

/// Checks the relay's answers while the policy is as it was trusted.
#[track_caller]
fn is_open(home: &Home) {
    let mut client = proxy(home);
    let greeting = client.greet("a client");
    assert_eq!(greeting["result"]["serverInfo"]["name"], "s");
    let list = client.ask("tools/list", &json!({}));
    assert_eq!(list["result"]["tools"], json!([]), "{list}");
    let result = client.call("any", &json!({}));
    let shown = result["content"][0]["text"].as_str().unwrap_or_default();
    assert!(
        shown.contains("\"a\"") && !shown.contains(TOKEN),
        "{result}"
    );
    client.finish().succeeded();
}

#[test]
fn run_answers_with_what_to_do_until_the_user_decides() {
    let home = trusted();
    is_open(&home);
    // Changes by a `git pull`: less is redacted, a comment, invalid TOML.
    for changed in [
        STRIPPING.to_owned(),
        format!("# \n{HIDING}"),
        "<<<<<<<".to_owned(),
    ] {
        home.write(NAME, changed);
        let said = is_closed(&home);
        let file = home.path(NAME);
        for word in [
            "changed after you trusted it (filters.toml)",
            &format!("tamis trust {}", file.display()),
            &format!("tamis trust --revoke {}", file.display()),
        ] {
            assert!(said.contains(word), "{word}: {said}");
        }
    }
    // A missing file does not redact either.
    std::fs::remove_file(home.path(NAME)).expect("remove");
    is_closed(&home);
    // The user's own policy does not replace the trusted one.
    home.write("home/.config/tamis/filters.toml", STRIPPING);
    is_closed(&home);
    home.write(NAME, HIDING);
    is_open(&home);
    home.write("home/project/filters.lock", "version = 1\n");
    assert!(is_closed(&home).contains("filters.lock is new"));
    std::fs::remove_file(home.path("home/project/filters.lock")).expect("remove");
    is_open(&home);
}

#[test]
fn a_nearer_file_that_nobody_trusted_does_not_take_the_place_of_the_trusted_one() {
    let home = trusted();
    home.write("home/project/src/filters.toml", "");
    is_open(&home);
    let (_, said) = home.applied("home/project/src");
    assert!(
        said.contains("src/filters.toml is not used, because you do not trust it"),
        "{said}"
    );
    home.write(NAME, STRIPPING);
    let run = home
        .program("home/project/src", &["apply", "--tool", "any"])
        .run(DOCUMENT);
    exits(&run, 2, &["changed after you trusted it"]);
    assert!(run.stdout.is_empty());
}

#[test]
fn no_command_falls_back_to_another_policy() {
    let home = trusted();
    home.write(NAME, STRIPPING);
    let words = ["changed after you trusted it (filters.toml)"];
    let recorded = home.write("home/project/calls/none", "");
    let calls = recorded
        .parent()
        .and_then(|it| it.to_str())
        .expect("Unicode")
        .to_owned();
    for line in [
        &["apply", "--tool", "any"][..],
        &["explain", "any"],
        &["history"],
        &["test"],
        &["serve", "--listen", "127.0.0.1:0"],
        &["replay", &calls],
    ] {
        let input = if line[0] == "history" { "[]" } else { DOCUMENT };
        let run = home.program("home/project", line).run(input);
        if run.status.code() != Some(2) || text(&run.stdout).contains("list") {
            run.fail("it should have failed");
        }
        if line[0] != "replay" {
            exits(&run, 2, &words);
        }
    }
    // The server that reads originals is closed too.
    let mut client = Client::of(home.program("home/project", &["mcp"]));
    client.greet("a client");
    let list = client.ask("tools/list", &json!({}));
    assert!(
        list["error"]["message"]
            .as_str()
            .is_some_and(|it| it.contains("tamis trust")),
        "{list}"
    );
    client.finish().succeeded();
    // If the file is named, it need not be trusted.
    let run = home.tamis(&["apply", "--config", "filters.toml", "--tool", "any"]);
    assert_eq!(run.status.code(), Some(0), "{}", run.report());
}

/// The event of Claude Code after a tool.
fn event(tool: &str, response: &Value) -> String {
    let session = "4f74d315-9fbb-4171-831e-4754c230c75a";
    json!({
        "session_id": session,
        "transcript_path": format!("/home/dev/.claude/projects/-home-dev-app/{session}.jsonl"),
        "hook_event_name": "PostToolUse",
        "tool_name": tool,
        "tool_input": {},
        "tool_response": response,
        "tool_use_id": "toolu_00000001",
    })
    .to_string()
}

#[test]
fn a_hook_withholds_what_tools_put_out() {
    let home = trusted();
    home.write(NAME, STRIPPING);
    let long = format!("{TOKEN} {}", "x".repeat(1000));
    for response in [
        json!({"stdout": TOKEN, "stderr": long, "interrupted": false, "isImage": false}),
        json!({"stdout": long, "stderr": TOKEN, "persistedOutputPath": "/nowhere", "persistedOutputSize": 99_999}),
        json!([{"type": "text", "text": TOKEN}]),
        json!({"type": "text", "file": {"filePath": "/a", "content": TOKEN, "numLines": 1, "startLine": 1, "totalLines": 1}}),
        json!(long),
    ] {
        let run = home
            .program("home/project/src", &["hook"])
            .run(event("Bash", &response))
            .succeeded();
        let shown = text(&run.stdout);
        let updated: Value = serde_json::from_str(&shown).expect("an answer");
        let updated = &updated["hookSpecificOutput"]["updatedToolOutput"];
        assert!(
            !shown.contains(TOKEN) && shown.contains("tamis trust"),
            "{shown}"
        );
        assert_eq!(updated.is_array(), response.is_array(), "{shown}");
        assert!(updated.get("persistedOutputPath").is_none(), "{shown}");
        assert!(
            text(&run.stderr).contains("changed after you trusted it"),
            "{}",
            run.report()
        );
    }
    exits(
        &home.tamis(&["trust", "--revoke"]),
        0,
        &["Tamis uses the next policy instead"],
    );
    let run = home
        .program("home/project", &["hook"])
        .run(event("Bash", &json!({"stdout": "short"})));
    assert!(run.succeeded().stdout.is_empty());
}

#[test]
fn a_repository_inside_of_a_trusted_project_is_part_of_it() {
    let home = trusted();
    // A submodule, or a folder that a server or an agent's shell makes there.
    std::fs::create_dir_all(home.path("home/project/src/.git")).expect("a folder");
    is_open(&home);
    home.write(NAME, STRIPPING);
    is_closed(&home);
}

#[test]
fn a_lock_file_that_a_merge_broke_is_a_change_like_any_other() {
    let home = trusted();
    home.write("home/project/filters.lock", "<<<<<<< HEAD\n");
    let said = is_closed(&home);
    assert!(said.contains("filters.lock"), "{said}");
    let long = format!("{TOKEN} {}", "x".repeat(1000));
    let run = home
        .program("home/project/src", &["hook"])
        .run(event("Bash", &json!({"stdout": long, "stderr": ""})))
        .succeeded();
    let shown = text(&run.stdout);
    assert!(
        !shown.contains(TOKEN) && shown.contains("tamis trust"),
        "{shown}"
    );
}

#[test]
fn records_that_cannot_be_looked_at_may_hold_one() {
    let home = trusted();
    // A file in place of the folder, and a dangling link.
    home.write("file", "");
    std::os::unix::fs::symlink("/nowhere/at/all", home.path("link")).expect("a link");
    for state in ["file", "link"] {
        let run = home
            .program("home/project/src", &["hook"])
            .env("TAMIS_STATE_DIR", home.path(state))
            .run(event(
                "Bash",
                &json!({"stdout": TOKEN.repeat(100), "stderr": ""}),
            ))
            .succeeded();
        let shown = text(&run.stdout);
        assert!(
            !shown.contains(TOKEN) && shown.contains("tamis trust"),
            "{state}: {shown}"
        );
    }
}

#[test]
fn a_hook_whose_policy_cannot_be_used_withholds() {
    let home = Home::new();
    let long = format!("{TOKEN} {}", "x".repeat(1000));
    let broken = "[[chain]]\ntools = 1\n";
    let no_plugin = "[[plugin]]\nname = \"n\"\npath = \"n.wasm\"\n[[chain]]\ntools = [\"*\"]\nsteps = [{ filter = \"n\", on-error = \"block\" }]\n";
    for policy in [broken, no_plugin] {
        home.write("named.toml", policy);
        home.write("n.wasm", "\0asm\u{1}\0\0\0");
        let file = home.path("named.toml");
        let run = home
            .program(
                "home",
                &["hook", "--config", file.to_str().expect("a path")],
            )
            .run(event("Bash", &json!({"stdout": long, "stderr": ""})))
            .succeeded();
        let shown = text(&run.stdout);
        assert!(
            !shown.contains(TOKEN) && shown.contains("tamis check"),
            "{shown}"
        );
    }
}

#[test]
fn revoking_is_the_users_word_that_the_project_has_no_policy() {
    let home = trusted();
    home.write(NAME, STRIPPING);
    home.closes_project(&[]);
    exits(
        &home.tamis(&["trust", "--revoke"]),
        0,
        &["not trusted any more"],
    );
    home.refuses_project(&["you do not trust it, and Tamis uses its default policy"]);
    // Also if the file is missing, and without its name.
    home.tamis(&["trust", "--yes"]).succeeded();
    home.uses_project();
    std::fs::remove_file(home.path(NAME)).expect("remove");
    home.closes_project(&[]);
    exits(
        &home.tamis(&["trust", "--revoke"]),
        0,
        &["not trusted any more"],
    );
    let (_, said) = home.applied("home/project/src");
    assert_eq!(said, "");
}

#[test]
fn a_proxy_that_runs_keeps_what_was_trusted_and_takes_what_is_trusted_anew() {
    let home = trusted();
    let line = ["run", "--log", "info", "--", "sh", "-c", SERVER];
    let mut client = Client::of(home.program("home/project/src", &line));
    let shown =
        |client: &mut Client| client.call("any", &json!({}))["content"][0]["text"].to_string();
    assert!(!shown(&mut client).contains(TOKEN));
    let at = client
        .program()
        .wait_for_log(0, "filters.toml (this project's, trusted)");
    home.write(NAME, HIDING.replace("del(.token)", "del(.token, .a)"));
    let at = client
        .program()
        .wait_for_log(at, "the previous policy stays in force");
    let before = shown(&mut client);
    assert!(
        before.contains("\\\"a\\\"") && !before.contains(TOKEN),
        "{before}"
    );
    home.tamis(&["trust", "--yes"]).succeeded();
    client
        .program()
        .wait_for_log(at, "which is sound again: chain `chain 1` changed");
    let after = shown(&mut client);
    assert!(
        !after.contains("\\\"a\\\"") && !after.contains(TOKEN),
        "{after}"
    );
    client.finish().succeeded();
}

#[test]
fn with_require_policy_nothing_runs_without_one() {
    let home = Home::new();
    let line = ["apply", "--require-policy", "--tool", "any"];
    let words = ["no trusted policy here", "--require-policy"];
    let apply = |home: &Home| home.program("home/project", &line).run(DOCUMENT);
    let run = apply(&home);
    exits(&run, 2, &words);
    assert!(run.stdout.is_empty());
    let started = home.path("home/project/started");
    let run = home.tamis(&["run", "--require-policy", "--", "touch", "started"]);
    exits(&run, 2, &words);
    assert!(!started.exists());
    home.write(NAME, STRIPPING);
    exits(
        &apply(&home),
        2,
        &["no trusted policy here", "tamis trust /", "Tamis uses none"],
    );
    home.tamis(&["trust", "--yes"]).succeeded();
    assert_eq!(text(&apply(&home).succeeded().stdout), STRIPPED);
    home.tamis(&["trust", "--revoke"]).succeeded();
    home.write("home/.config/tamis/filters.toml", STRIPPING);
    assert_eq!(text(&apply(&home).succeeded().stdout), STRIPPED);
}

#[test]
fn the_file_that_was_found_is_named_when_a_proxy_starts() {
    let home = trusted();
    let run = proxy(&home).finish().succeeded();
    let said = text(&run.stderr);
    let line = format!(
        "tamis: the policy is {} (this project's, trusted)\n",
        home.path(NAME).display()
    );
    assert_eq!(said, line);
    let config = home.path(NAME);
    let line = [
        "run",
        "--log",
        "debug",
        "--config",
        config.to_str().expect("Unicode"),
        "--",
        "sh",
        "-c",
        SERVER,
    ];
    let run = home.program("home/project", &line).run("").succeeded();
    assert!(
        text(&run.stderr).contains("filters.toml (named)"),
        "{}",
        run.report()
    );
}

#[test]
fn the_file_that_was_found_is_named_when_tamis_serve_starts() {
    let home = Home::new();
    let policy = format!("[server.a]\ncommand = [\"true\"]\n{HIDING}");
    let own = home.write("home/.config/tamis/filters.toml", &policy);
    let serve = |line: &[&str]| {
        let line = [&["serve", "--listen", "127.0.0.1:0"], line].concat();
        let mut running = home.program("home/project", &line).start();
        let listens = text(&running.receive_line());
        running.signal(rustix::process::Signal::TERM);
        let run = running.finish();
        assert!(listens.starts_with("listening on"), "{}", run.report());
        text(&run.stderr)
    };
    let named = format!("the policy is {} ", own.display());
    let first = |said: String| said.lines().next().unwrap_or_default().to_owned();
    assert_eq!(first(serve(&[])), format!("tamis: {named}(your own)"));
    let config = own.to_str().expect("Unicode");
    let said = serve(&["--log", "debug", "--config", config]);
    assert!(said.contains(&format!("{named}(named)")), "{said}");
    // It was trusted once, and has changed: nothing listens.
    home.write(NAME, HIDING);
    home.tamis(&["trust", "--yes"]).succeeded();
    home.write(NAME, STRIPPING);
    let run = home.tamis(&["serve", "--listen", "127.0.0.1:0"]);
    exits(&run, 2, &["changed after you trusted it"]);
}
