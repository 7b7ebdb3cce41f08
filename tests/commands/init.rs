//! `tamis init`: writes a filters.toml from servers' tools and results, real ones and odd ones.

mod clients;
mod hostile;
mod merge;

use std::ffi::OsString;
use std::path::Path;

use crate::support::mcp::Stage;
use crate::support::stage::Server;
use crate::support::{COMPILED, Finished, Folder, Program, TAMIS, text};
use rustix::process::Signal;
use serde_json::{Value, json};

fn program(folder: &Path, words: &[OsString]) -> Program {
    let mut line = vec![OsString::from(TAMIS)];
    line.extend_from_slice(words);
    Program::new(&line, folder)
        .env("HOME", folder)
        .env("TAMIS_STATE_DIR", folder.join("state"))
        .env("TAMIS_CACHE_DIR", COMPILED)
}

fn tamis(folder: &Path, words: &[&str]) -> Finished {
    let words: Vec<OsString> = words.iter().map(Into::into).collect();
    program(folder, &words).run("")
}

/// `tamis init` with these options, before a server.
fn init_program(folder: &Path, options: &[&str], server: &[OsString]) -> Program {
    let mut words: Vec<OsString> = vec!["init".into()];
    words.extend(options.iter().map(Into::into));
    words.push("--".into());
    words.extend_from_slice(server);
    program(folder, &words)
}

fn init(folder: &Path, options: &[&str], server: &[OsString]) -> Finished {
    init_program(folder, options, server).run("")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Fails unless the program ended with this code, and printed all of it.
#[track_caller]
fn ended(done: &Finished, code: i32, said: &[&str]) {
    if done.status.code() != Some(code) {
        done.fail(&format!("it should have ended with {code}"));
    }
    let all = text(&done.stdout) + &text(&done.stderr);
    for said in said {
        if !all.contains(said) {
            done.fail(&format!("it should have said `{said}`"));
        }
    }
}

/// Fails unless `tamis check` finds no problem in the file, and its tests pass.
#[track_caller]
fn is_sound(folder: &Path, file: &str, tests: usize) {
    let checked = tamis(folder, &["check", file, "--deny", "notes"]);
    ended(&checked, 0, &["no errors"]);
    let tested = tamis(folder, &["test", file]);
    ended(&tested, 0, &[]);
    let passed = format!("{tests} passed; 0 failed");
    if tests > 0 {
        ended(&tested, 0, &[&passed]);
    }
}

#[test]
fn of_a_real_server_with_annotations() {
    let folder = Server::Everything.folder();
    let command = Server::Everything.command(&folder);
    let options = ["--try", "get-structured-content={\"location\":\"Chicago\"}"];
    let done = init(folder.path(), &options, &command);
    ended(
        &done,
        0,
        &[
            "calling get-structured-content",
            "written: filters.toml, for 13 tools",
        ],
    );
    let policy = read(&folder.path().join("filters.toml"));
    for line in [
        "mcp-servers/everything",
        "#   echo · read-only\n#     Echoes back the input string\n",
        "#   toggle-simulated-logging · writes · not destructive\n",
        "tool = \"get-structured-content\"\narguments = { location = \"Chicago\" }\n",
    ] {
        assert!(policy.contains(line), "no `{line}` in\n{policy}");
    }
    is_sound(folder.path(), "filters.toml", 1);

    // Existing files stay, unless an option allows a change.
    let again = init(folder.path(), &[], &command);
    ended(
        &again,
        2,
        &["filters.toml already exists", "--merge", "--force"],
    );
    assert_eq!(read(&folder.path().join("filters.toml")), policy);
    let forced = init(folder.path(), &["--force"], &command);
    ended(&forced, 0, &["no savings measured"]);
    assert_ne!(read(&folder.path().join("filters.toml")), policy);
    is_sound(folder.path(), "filters.toml", 0);
}

#[test]
fn what_it_expects_is_what_the_chain_saves() {
    let folder = Server::Filesystem.folder();
    for index in 0..40 {
        folder.write(&format!("files/many/file-{index}.txt"), "");
    }
    let command = Server::Filesystem.command(&folder);
    let served = folder.path().join("files");
    let tree = format!("directory_tree={}", json!({ "path": served }));
    let options = [
        "-o",
        "made/filters.toml",
        "--json",
        "--call",
        "--try",
        &tree,
    ];
    std::fs::create_dir(folder.path().join("made")).expect("make a folder");
    let done = init(folder.path(), &options, &command).succeeded();
    let report: Value = serde_json::from_slice(&done.stdout).expect("JSON");
    let tools = report["tools"].as_array().expect("tools");
    let tool = |name| {
        tools
            .iter()
            .find(|tool| tool["name"] == name)
            .expect("the tool")
    };
    // Of the tools declared read-only, only this one needs no arguments.
    assert_eq!(tool("list_allowed_directories")["measured"]["results"], 1);
    assert_eq!(tool("write_file")["destructive"], true);
    assert_eq!(tool("write_file")["measured"], Value::Null);
    let measured = &tool("directory_tree")["measured"];

    let made = folder.path().join("made");
    let fixture = made.join("fixtures/directory_tree.json");
    let applied = tamis(
        &made,
        &[
            "apply",
            "-c",
            "filters.toml",
            "-t",
            "directory_tree",
            "--json",
            fixture.to_str().expect("Unicode"),
        ],
    );
    let applied: Value = serde_json::from_slice(&applied.succeeded().stdout).expect("JSON");
    assert_eq!(measured["tokens_before"], applied["tokens_before"]);
    assert_eq!(measured["tokens_after"], applied["tokens_after"]);
    let (before, after) = (&measured["tokens_before"], &measured["tokens_after"]);
    assert!(
        after.as_u64() < before.as_u64().map(|it| it / 2),
        "{measured}"
    );
    // One test for the chain of the tree of paths, and one for all others.
    is_sound(&made, "filters.toml", 2);
    let policy = read(&made.join("filters.toml"));
    assert!(
        policy.contains("# [tool.write_file]\n# hidden = true\n"),
        "{policy}"
    );
    // The file may contain anything, so only its owner may read it.
    let mode = std::os::unix::fs::MetadataExt::mode(&fixture.metadata().expect("the fixture"));
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn of_a_real_server_in_python() {
    let folder = Server::Git.folder();
    let command = Server::Git.command(&folder);
    let repository = folder.path().join("repository");
    let trial = format!("git_log={}", json!({ "repo_path": repository }));
    let done = init(
        folder.path(),
        &["-o", "git.toml", "--try", &trial],
        &command,
    );
    ended(&done, 0, &["for 12 tools", "expected, from 1 result"]);
    is_sound(folder.path(), "git.toml", 1);
}

/// A server with answers from files, and its command.
fn script(stage: &Stage, tools: &Value) -> Vec<OsString> {
    stage.answers(
        "initialize",
        json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "script", "version": "1"},
        })
        .to_string(),
    );
    stage.answers("tools/list", json!({ "tools": tools }).to_string());
    stage.server()
}

fn result_of(text: &str) -> String {
    json!({"content": [{"type": "text", "text": text}]}).to_string()
}

#[test]
fn a_tool_that_another_chain_serves_better_gets_it() {
    let stage = Stage::new("");
    let command = script(
        &stage,
        &json!([{"name": "get_one"}, {"name": "get_list"}, {"name": "get_tree"}, {"name": "list_files"}, {"name": "shoot"}]),
    );
    let members = (0..60).map(|index| {
        let value = if index % 3 == 0 {
            json!(format!("value {index}"))
        } else {
            Value::Null
        };
        (format!("field_{index}"), value)
    });
    let one = Value::Object(members.collect()).to_string();
    let rows: Vec<Value> = (0..50)
        .map(|id| json!({"id": id, "name": format!("n{id}"), "gone": null}))
        .collect();
    // Without its empty lists, it would be smaller, and no table: a summary would replace it.
    let tree: Vec<Value> = (0..40)
        .map(|id| json!({"name": format!("folder {id}"), "kind": "folder", "inner": [{"name": format!("file {id}"), "kind": "file", "inner": []}]}))
        .collect();
    let shot: String = (0..2000_u32)
        .map(|index| char::from(b'A' + (index * 7919 % 26) as u8))
        .collect();
    let write = |name: &str, text: &str| {
        std::fs::create_dir_all(stage.path().join("results")).expect("make a folder");
        std::fs::write(stage.path().join("results").join(name), text).expect("write");
    };
    write("get_one-1.json", &one);
    write(
        "get_one-2.json",
        &format!(r#"{{"jsonrpc":"2.0","id":1,"result":{}}}"#, result_of(&one)),
    );
    write("get_list.json", &result_of(&Value::from(rows).to_string()));
    // A table of one column; as paths, a tree.
    let files: Vec<Value> = (0..40)
        .map(|id| json!({"path": format!("/srv/projects/one/src/module_{}/part_{id}.rs", id / 10)}))
        .collect();
    write("list_files.json", &Value::from(files).to_string());
    write("get_tree.json", &Value::from(tree).to_string());
    let call = json!({"tamis_recording": 1, "server": "script", "client": null, "session": "s", "time_ms": 1, "tool": "get_list", "arguments": {"page": 1}, "result": {"content": []}});
    write("1763802960123-9a41c07e-000008.json", &call.to_string());
    write(
        "shoot.txt",
        &format!("{{\"page\":1,\"shot\":\"data:image/png;base64,{shot}\"}}"),
    );
    write("other.txt", "of no tool");
    let done = init(
        stage.path(),
        &["-o", "made.toml", "--results", "results"],
        &command,
    );
    ended(
        &done,
        0,
        &[
            "results/other.txt: left out",
            "written: made.toml, for 5 tools",
        ],
    );
    let policy = read(&stage.path().join("made.toml"));
    let chain = |tool: &str| {
        let from = policy.find(&format!("\ntools = [\"{tool}\"]"));
        let chain = &policy[from.unwrap_or_else(|| panic!("no chain of {tool}:\n{policy}"))..];
        chain[..chain.find("\n]\n").expect("the end of its steps")].to_owned()
    };
    assert!(chain("get_one").contains("null-stripper"), "{policy}");
    assert!(chain("shoot").contains("\"blob\""), "{policy}");
    for tool in ["get_list", "get_tree"] {
        let bound = format!("tools = [\"{tool}\"]");
        assert!(!policy.contains(&bound), "a table does it:\n{policy}");
    }
    assert!(policy.contains("# get_one: 2 results: "), "{policy}");
    assert!(
        policy.contains("#   get_list\n#     2 results: "),
        "{policy}"
    );
    // One test for each chain: two own ones, and the one for all.
    is_sound(stage.path(), "made.toml", 3);
}

#[test]
fn only_harmless_calls_are_made_and_only_when_asked_for() {
    let stage = Stage::new("");
    let read_only = json!({"readOnlyHint": true});
    let command = script(
        &stage,
        &json!([
            {"name": "look", "annotations": read_only, "inputSchema": {"type": "object"}},
            {"name": "find", "annotations": read_only, "inputSchema": {"required": ["text"]}},
            {"name": "drop", "annotations": {"readOnlyHint": false}},
            {"name": "what"},
            {"name": "fail", "annotations": read_only},
        ]),
    );
    stage.tool("look", result_of("a look"));
    stage.tool(
        "fail",
        r#"{"content":[{"type":"text","text":"not today"}],"isError":true}"#,
    );
    let log = stage.path().join("asked");
    let listening = |command: &[OsString]| {
        let mut line: Vec<OsString> = vec!["sh".into(), "-c".into()];
        line.push("log=$1; shift; tee \"$log\" | \"$@\"".into());
        line.extend(["sh".into(), log.clone().into()]);
        line.extend_from_slice(command);
        line
    };
    let called = || -> Vec<String> {
        let log = read(&log);
        let asked = log
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
        let calls = asked.filter(|it| it["method"] == "tools/call");
        calls
            .map(|it| it["params"]["name"].as_str().expect("a name").to_owned())
            .collect()
    };
    let done = init(stage.path(), &["-o", "a.toml"], &listening(&command));
    ended(&done, 0, &[]);
    assert_eq!(called(), [""; 0]);
    let done = init(
        stage.path(),
        &["-o", "b.toml", "--call"],
        &listening(&command),
    );
    ended(
        &done,
        0,
        &[
            "calling look",
            "fail is left out, since it answered with an error",
            "not today",
        ],
    );
    assert_eq!(called(), ["look", "fail"]);
    is_sound(stage.path(), "b.toml", 1);
}

#[test]
fn servers_of_the_era_without_a_handshake_answer_too() {
    let stage = Stage::new("");
    let info = json!({"io.modelcontextprotocol/serverInfo": {"name": "new", "version": "2"}});
    stage.answers("server/discover", json!({ "_meta": info }).to_string());
    stage.answers(
        "tools/list",
        json!({"tools": [{"name": "one"}]}).to_string(),
    );
    let done = init(stage.path(), &["-o", "-"], &stage.server());
    ended(
        &done,
        0,
        &["# How Tamis filters the output of new 2.", "#   one\n"],
    );
}

#[test]
fn what_servers_do_instead_of_answering_is_said() {
    let folder = Folder::new();
    let sh = |script: &str| -> Vec<OsString> { vec!["sh".into(), "-c".into(), script.into()] };
    for (command, said) in [
        (
            sh("echo 'no key is set' >&2; exit 3"),
            &[
                "no key is set",
                "the server exited with status 3 before it answered `initialize`",
            ][..],
        ),
        (
            vec!["no-such-server".into()],
            &["`no-such-server` is not found in any directory of PATH"],
        ),
        (
            vec!["cat".into()],
            &["`initialize` is not what MCP has there"],
        ),
        (
            sh("echo 'Welcome!'; while read -r line; do :; done"),
            &[
                "did not answer `initialize` within 1 s (--timeout)",
                "no MCP message: Welcome!",
            ],
        ),
        // It does not end with its input, nor on a signal.
        (
            sh("trap '' TERM; while :; do sleep 60; done"),
            &["did not answer `initialize` within 1 s"],
        ),
    ] {
        let done = init(folder.path(), &["--timeout", "1"], &command);
        ended(&done, 2, said);
    }
    assert!(!folder.path().join("filters.toml").exists());
}

#[test]
fn lists_that_are_none_are_said() {
    let stage = Stage::new("");
    let command = script(&stage, &json!([]));
    ended(
        &init(stage.path(), &["-o", "x.toml"], &command),
        2,
        &["the server lists no tools"],
    );
    stage.answers(
        "tools/list",
        r#"{"tools":[{"name":"a"}],"nextCursor":"again"}"#,
    );
    ended(
        &init(stage.path(), &["-o", "x.toml"], &command),
        2,
        &["list of tools has no end"],
    );
    stage.answers("tools/list", r#"{"tools":null}"#);
    ended(
        &init(stage.path(), &["-o", "x.toml"], &command),
        2,
        &["`tools/list` is not what MCP has there"],
    );
    stage.answers("tools/list", r#"{"tools":[{"name":"a"}]}"#);
    ended(
        &init(stage.path(), &["-o", "x.toml", "--try", "b"], &command),
        2,
        &["no tool `b`; it has a"],
    );
    std::fs::write(stage.path().join("b.json"), "{}").expect("write");
    ended(
        &init(
            stage.path(),
            &["-o", "x.toml", "--results", "b.json"],
            &command,
        ),
        2,
        &[
            "b.json: no tool of this server has that name",
            "the tools are: a",
        ],
    );
    ended(
        &init(stage.path(), &["-o", "no/x.toml"], &command),
        2,
        &["no folder no"],
    );
    ended(
        &init(stage.path(), &["-o", "answers"], &command),
        2,
        &["is a folder"],
    );
    ended(
        &init(stage.path(), &["--try", "a=[1]"], &command),
        2,
        &["a JSON object must follow"],
    );
    assert!(!stage.path().join("x.toml").exists());
}

#[test]
fn an_interrupted_one_leaves_nothing() {
    let folder = Folder::new();
    let command = ["sh", "-c", "echo up >&2; exec cat >/dev/null"].map(OsString::from);
    let mut running = init_program(folder.path(), &[], &command).start();
    running.wait_for_log(0, "up\n");
    running.signal(Signal::INT);
    // The server holds standard error, so this also waits for the server's end.
    ended(&running.finish(), 130, &["interrupted; nothing is written"]);
    assert!(!folder.path().join("filters.toml").exists());
}
