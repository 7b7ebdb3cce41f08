//! Recording real calls, and replaying them under another policy: the exact recording, the omissions, and exactly the
//! calls that a policy would change.

mod recording;
mod torn;

use crate::support::built;
use crate::support::stage as sessions;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use self::recording::{Recording, as_json, call, files, member, text_result};
use crate::support::built::Target;
use crate::support::mcp::{Client, Stage};
use crate::support::{COMPILED, Finished, Folder, Program, tamis_run};
use rustix::process::Signal;
use serde_json::{Value, json};

/// Its time limit is far above the need on a busy machine.
const STRIP: &str = "[[chain]]\ntools = [\"get_*\"]\nsteps = [{ filter = \"null-stripper\", limits = { time = \"10s\" } }]\n";
const STEP: &str = "{ filter = \"null-stripper\", limits = { time = \"10s\" } }";

/// A result of a server with unusual spelling.
const ODD: &str =
    r#"{ "content":[{"type":"text","text":"{\"a\":null,\"n\":1e2,\"n\":1.0}"}],"x":1.0}"#;

fn recording_in(stage: &Stage, options: &[&str]) -> Client {
    Client::of(stage.proxy(&[&["--record", "calls"], options].concat()))
}

/// Records calls under a policy, and returns the proxy's log.
fn record(stage: &Stage, options: &[&str], calls: &[(&str, Value)]) -> String {
    let mut client = recording_in(stage, options);
    client.greet("claude-code");
    for (tool, arguments) in calls {
        client.call(tool, arguments);
    }
    let finished = client.finish().succeeded();
    String::from_utf8(finished.stderr).expect("Unicode")
}

fn tamis(folder: &Path, line: &[&str]) -> Finished {
    let line = [&[env!("CARGO_BIN_EXE_tamis")], line].concat();
    Program::new(&line, folder)
        .env("TAMIS_STATE_DIR", folder.join("state"))
        .env("TAMIS_CACHE_DIR", COMPILED)
        .run("")
}

fn stdout(finished: Finished) -> String {
    String::from_utf8(finished.succeeded().stdout).expect("Unicode")
}

#[track_caller]
fn exits(finished: &Finished, code: i32, said: &[&str]) {
    let stderr = String::from_utf8_lossy(&finished.stderr);
    let all = said.iter().all(|words| stderr.contains(words));
    if finished.status.code() != Some(code) || !all {
        finished.fail(&format!(
            "it should have ended with {code} and said {said:?}"
        ));
    }
}

#[test]
fn a_call_is_recorded_as_the_server_answered_it_and_replayed_as_the_client_got_it() {
    let stage = Stage::new(STRIP);
    stage.tool("get_user", ODD);
    stage.tool("list", ODD);
    let course = [
        ("get_user", json!({"id": 7})),
        ("list", json!({})),
        ("none", json!({})),
    ];
    let lines = |client: &mut Client| -> Vec<Vec<u8>> {
        client.greet("claude-code");
        let lines = course.iter().map(|(tool, arguments)| {
            let id = client.send("tools/call", &json!({"name": tool, "arguments": arguments}));
            client.line(id)
        });
        lines.collect()
    };
    let mut client = recording_in(&stage, &["--server", "demo"]);
    let seen = lines(&mut client);
    let log = String::from_utf8(client.finish().succeeded().stderr).expect("Unicode");
    assert!(log.contains("calls are recorded whole in calls"), "{log}");
    let mut bare = stage.start();
    assert_eq!(seen, lines(&mut bare), "a recording changes nothing");

    // An error is no result, so two files exist: in the order of the answers, and readable only by their owner.
    let folder = stage.path().join("calls");
    let files = files(&folder);
    assert_eq!(files.len(), 2, "{files:?}");
    let mode = |path: &Path| {
        fs::metadata(path)
            .expect("it is there")
            .permissions()
            .mode()
            & 0o777
    };
    assert_eq!((mode(&folder), mode(&files[0])), (0o700, 0o600));
    let text = fs::read_to_string(&files[0]).expect("text");
    assert_eq!(member(&text, "result"), ODD);
    assert_eq!(member(&text, "arguments"), r#"{"id":7}"#);
    assert_eq!(member(&text, "tool"), "\"get_user\"");
    assert_eq!(member(&text, "server"), "\"demo\"");
    assert_eq!(
        member(&text, "client"),
        r#"{"name":"claude-code","version":"1.0"}"#
    );
    let other = fs::read_to_string(&files[1]).expect("text");
    assert_eq!(member(&text, "session"), member(&other, "session"));

    // Under the recording policy, each replay equals the client's result.
    for (path, seen) in files.iter().zip(&seen) {
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .expect("a name");
        let line = [
            "replay",
            "calls",
            "-c",
            "filters.toml",
            "--show",
            name,
            "--json",
        ];
        let shown = as_json(tamis(stage.path(), &line));
        let now = shown["now"].as_str().expect("a result");
        let seen = String::from_utf8_lossy(seen);
        assert!(
            seen.contains(&format!("\"result\":{now}}}")),
            "{seen}\n{now}"
        );
    }
    let found = as_json(tamis(
        stage.path(),
        &["replay", "calls", "-c", "filters.toml", "--json"],
    ));
    let changed = &found["changes"];
    assert_eq!(changed.as_array().map(Vec::len), Some(1), "{found}");
    assert_eq!(changed[0]["tool"], "get_user");
}

#[test]
fn of_a_thousand_calls_exactly_those_are_named_that_would_change() {
    let folder = Folder::new();
    let recording = Recording::new(&folder, "calls");
    let mut expected = Vec::new();
    for number in 0..1_000 {
        let tool = ["get_user", "get_issue", "search"][number % 3];
        // Every seventh call of the chain's tools has content that the new policy removes.
        let text = match number % 7 {
            0 => json!({"n": number, "debug": "word ".repeat(100 + number), "gone": null}),
            _ => json!({"n": number, "rows": vec![json!({"id": number, "gone": null}); 20]}),
        };
        let file = recording.write(&call(tool, text_result(&text.to_string())));
        if number % 7 == 0 && tool != "search" {
            expected.push(file);
        }
    }
    folder.write("old.toml", STRIP);
    let new = STRIP.replace(
        STEP,
        &format!(
            "{STEP}, {{ filter = \"reshape\", drop = [\"debug\"], limits = {{ time = \"10s\" }} }}"
        ),
    );
    folder.write("new.toml", new);
    let line = ["replay", "calls", "-c", "new.toml", "--compare", "old.toml"];
    let json_line = [&line[..], &["--json"]].concat();
    let found = as_json(tamis(folder.path(), &json_line));
    let names: Vec<&str> = found["changes"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|change| change["file"].as_str().expect("a name"))
        .collect();
    assert_eq!(names, expected);
    assert_eq!(found["calls"], 1_000);
    assert_eq!(found["changed"], expected.len());
    assert_eq!(
        (&found["newly_cut"], &found["newly_failed"]),
        (&json!(expected.len()), &json!(0))
    );
    let of = |tool: &str| {
        let tools = found["tools"].as_array().expect("a list");
        let found = tools.iter().find(|it| it["tool"] == tool);
        found.expect("its sums").clone()
    };
    assert_eq!(of("search")["changed"], 0);
    assert_eq!(of("search")["tokens_then"], of("search")["tokens_now"]);
    let user = of("get_user");
    assert_eq!(user["calls"], 334);
    assert!(
        user["tokens_now"].as_u64() < user["tokens_then"].as_u64(),
        "{user}"
    );
    // The same again, as text for a person.
    assert_eq!(as_json(tamis(folder.path(), &json_line)), found);
    let text = stdout(tamis(folder.path(), &[&line[..], &["--list"]].concat()));
    assert!(
        text.contains(&format!("\n{} calls differ:\n", expected.len())),
        "{text}"
    );
    assert!(expected.iter().all(|name| text.contains(name)), "{text}");
    let short = stdout(tamis(folder.path(), &line));
    assert!(short.contains("more: --list names them all"), "{short}");
    assert!(
        !short.contains('\u{1b}'),
        "no colour where there is no terminal"
    );
    // The recording policy changes nothing.
    let same = ["replay", "calls", "-c", "old.toml", "--compare", "old.toml"];
    assert!(stdout(tamis(folder.path(), &same)).ends_with("No call differs.\n"));
    for (what, code) in [("changed", 1), ("cut", 1), ("failed", 0)] {
        let denied = tamis(folder.path(), &[&line[..], &["--deny", what]].concat());
        exits(&denied, code, &[]);
    }
}

#[test]
fn sessions_are_replayed_in_their_order_each_for_itself() {
    let stage = Stage::new("");
    let text = "some words ".repeat(60);
    stage.tool("read", text_result(&text));
    let read = || ("read", json!({"path": "a.rs"}));
    // The same twice in each of two sessions.
    for _ in 0..2 {
        record(&stage, &[], &[read(), read(), read()]);
    }
    stage.policy("[[chain]]\ntools = [\"*\"]\nsteps = [\"repeat\"]\n");
    let found = as_json(tamis(
        stage.path(),
        &["replay", "calls", "-c", "filters.toml", "--json"],
    ));
    let changed: Vec<&str> = found["changes"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|change| change["file"].as_str().expect("a name"))
        .collect();
    let files = files(&stage.path().join("calls"));
    let names: Vec<&str> = files
        .iter()
        .map(|path| path.file_name().unwrap().to_str().unwrap())
        .collect();
    // The first of each session stays unchanged.
    assert_eq!(changed, [names[1], names[2], names[4], names[5]]);
    // A single call is shown as in its session.
    let line = ["replay", "calls", "-c", "filters.toml", "--show", names[4]];
    let shown = stdout(tamis(stage.path(), &line));
    assert!(shown.contains("Same as the result of read"), "{shown}");
}

#[test]
fn what_would_fail_or_be_withheld_is_said() {
    let folder = Folder::new();
    let recording = Recording::new(&folder, "calls");
    let file = recording.write(&call("get_user", text_result(r#"{"a":null}"#)));
    recording.write(&call("search", text_result("{}")));
    folder.write("old.toml", STRIP);
    let path = built::path(Target::Unknown, "panic");
    let plugin = |keys: &str| {
        format!("[[plugin]]\nname = \"own\"\npath = {path:?}\n{keys}\n{STRIP}")
            .replace(STEP, &format!("\"own\", {STEP}"))
    };
    let line = ["replay", "calls", "-c", "new.toml", "--compare", "old.toml"];
    folder.write("new.toml", plugin(""));
    let found = as_json(tamis(folder.path(), &[&line[..], &["--json"]].concat()));
    assert_eq!(
        found["changes"].as_array().map(Vec::len),
        Some(1),
        "{found}"
    );
    let change = &found["changes"][0];
    assert_eq!(change["file"], file.as_str());
    assert_eq!(
        (&change["changed"], &change["withheld_now"]),
        (&json!(false), &json!(false))
    );
    assert_eq!(change["newly_failed"][0]["filter"], "own");
    assert_eq!(change["newly_failed"][0]["outcome"], "trap");
    exits(
        &tamis(folder.path(), &[&line[..], &["--deny", "failed"]].concat()),
        1,
        &[],
    );
    // Old failures are no new failures.
    let same = ["replay", "calls", "-c", "new.toml", "--compare", "new.toml"];
    assert!(stdout(tamis(folder.path(), &same)).ends_with("No call differs.\n"));

    folder.write("new.toml", plugin("on-error = \"block\""));
    let found = as_json(tamis(folder.path(), &[&line[..], &["--json"]].concat()));
    assert_eq!(found["newly_failed"], 1);
    assert_eq!(found["changes"][0]["withheld_now"], true);
    let shown = stdout(tamis(
        folder.path(),
        &[&line[..], &["--show", "get_user"]].concat(),
    ));
    for words in [
        "then: chain `chain 1`",
        "now: chain `chain 1`",
        "Withheld: ",
        "\n- then\n+ now\n",
    ] {
        assert!(shown.contains(words), "{words} is not in\n{shown}");
    }
}

#[test]
fn a_chain_takes_out_what_may_not_be_recorded() {
    let redact = "[[chain]]\nname = \"secrets\"\non = []\nsteps = [\n  { filter = \"reshape\", drop = [\"**.token\"], on-error = \"block\", limits = { input = \"1KiB\" } },\n]\n";
    let stage = Stage::new(&format!("{redact}[record]\nredact = \"secrets\"\n"));
    let text = json!({"token": "s3cret", "kept": null}).to_string();
    let block = json!({"type": "text", "text": text});
    let structured = json!({"inner": {"token": "s3cret"}, "kept": 1});
    let whole = json!({"content": [block], "structuredContent": structured, "_meta": {"m": 1}});
    stage.tool("login", whole.to_string());
    stage.tool("large", text_result(&"s3cret ".repeat(500)));
    let secret = json!({"token": "s3cret", "user": "ada"});
    let log = record(
        &stage,
        &[],
        &[("login", secret.clone()), ("large", json!({}))],
    );
    let folder = stage.path().join("calls");
    let recorded = files(&folder);
    assert_eq!(recorded.len(), 1, "{recorded:?}\n{log}");
    let text = fs::read_to_string(&recorded[0]).expect("text");
    assert!(!text.contains("s3cret"), "{text}");
    assert_eq!(member(&text, "arguments"), r#"{"user":"ada"}"#);
    let result: Value = serde_json::from_str(member(&text, "result")).expect("JSON");
    assert_eq!(result["content"][0]["text"], r#"{"kept":null}"#);
    assert_eq!(result["structuredContent"], json!({"inner": {}, "kept": 1}));
    assert_eq!(result["_meta"], json!({"m": 1}));
    // If the chain fails, the call is not recorded, and the log says so.
    assert!(
        log.contains("a call is not recorded: its result is withheld: filter `reshape` failed"),
        "{log}"
    );
    assert!(
        log.contains("1 were withheld by the redaction chain"),
        "{log}"
    );
    assert!(!log.contains("whole"), "{log}");

    // The command line names another chain; one that lets calls through on failure is refused.
    let other = redact
        .replace("secrets", "users")
        .replace("**.token", "**.user");
    stage.policy(&format!(
        "{redact}{other}[record]\nredact = \"secrets\"\n{STRIP}"
    ));
    fs::remove_dir_all(&folder).expect("remove it");
    record(&stage, &["--record-chain", "users"], &[("login", secret)]);
    let text = fs::read_to_string(&files(&folder)[0]).expect("text");
    assert_eq!(member(&text, "arguments"), r#"{"token":"s3cret"}"#);
    let refused = stage
        .proxy(&["--record", "calls", "--record-chain", "chain 3"])
        .run("");
    exits(
        &refused,
        2,
        &[
            "filter `null-stripper` in chain `chain 3`",
            "on-error = \"block\"",
        ],
    );
    let unknown = stage
        .proxy(&["--record", "calls", "--record-chain", "user"])
        .run("");
    exits(
        &unknown,
        2,
        &["unknown chain `user`", "`secrets`, `users`, `chain 3`"],
    );
}

#[test]
fn what_a_chain_hides_is_not_recorded_unless_it_is_said_what_may_be() {
    let stage =
        Stage::new(&STRIP.replace(STEP, "{ filter = \"null-stripper\", on-error = \"block\" }"));
    stage.tool("get_user", ODD);
    stage.tool("list", ODD);
    let log = record(&stage, &[], &[("get_user", json!({})), ("list", json!({}))]);
    let files = files(&stage.path().join("calls"));
    assert_eq!(files.len(), 1);
    let text = fs::read_to_string(&files[0]).expect("text");
    assert_eq!(member(&text, "tool"), "\"list\"");
    assert!(
        log.contains("calls whose chain redacts (`on-error = \"block\"`) are not recorded"),
        "{log}"
    );
}

#[test]
fn a_call_is_recorded_on_the_terms_of_the_policy_that_it_began_with() {
    let redact = "[[chain]]\nname = \"secrets\"\non = []\nsteps = [{ filter = \"reshape\", drop = [\"**.token\"], on-error = \"block\" }]\n";
    let stage = Stage::new(redact);
    stage.tool("login", text_result("{}"));
    let arguments = json!({"token": "s3cret", "user": "ada"});
    let recorded = || {
        let files = files(&stage.path().join("calls"));
        let read = |path: &PathBuf| fs::read_to_string(path).expect("text");
        let texts: Vec<String> = files.iter().map(read).collect();
        let arguments = texts
            .iter()
            .map(|text| member(text, "arguments").to_owned());
        arguments.collect::<Vec<String>>()
    };
    let mut client = Client::of(stage.proxy(&["--record", "calls", "--log", "info"]));
    client.greet("claude-code");
    client.call("login", &arguments);
    stage.policy(&format!("{redact}[record]\nredact = \"secrets\"\n"));
    let hang_up = |client: &mut Client, said: &str| {
        client.program().signal(Signal::HUP);
        client.program().wait_for_log(0, said);
    };
    hang_up(&mut client, "reloaded ");
    assert!(client.program().log().contains("[record] changed"));
    client.call("login", &arguments);
    client.finish().succeeded();
    assert_eq!(
        recorded(),
        [arguments.to_string(), r#"{"user":"ada"}"#.to_owned()]
    );

    // A policy without the chain of the command line does not come into force.
    let options = ["--record", "calls", "--record-chain", "secrets"];
    let mut client = Client::of(stage.proxy(&options));
    client.greet("claude-code");
    stage.policy(STRIP);
    hang_up(&mut client, "--record-chain: unknown chain `secrets`");
    client.call("login", &arguments);
    client.finish().succeeded();
    assert_eq!(recorded()[2], r#"{"user":"ada"}"#);
}

#[test]
fn a_recording_ends_where_the_policy_says() {
    let stage = Stage::new("[record]\ncalls = 3\n");
    stage.tool("list", text_result("x"));
    let calls = |count| vec![("list", json!({})); count];
    record(&stage, &[], &calls(2));
    // Existing files count.
    let log = record(&stage, &[], &calls(4));
    let folder = stage.path().join("calls");
    assert_eq!(files(&folder).len(), 3);
    assert!(
        log.contains("recording ends, since calls is full: it has 3 calls of "),
        "{log}"
    );
    assert!(log.contains("3 arrived when the folder was full"), "{log}");
    stage.policy("[record]\nsize = \"1KiB\"\n");
    stage.tool("list", text_result(&"x".repeat(1024)));
    fs::remove_dir_all(&folder).expect("remove it");
    let log = record(&stage, &[], &calls(1));
    assert!(log.contains("recording ends"), "{log}");
    assert_eq!(files(&folder).len(), 0);
}

#[test]
fn a_real_session_is_recorded_and_replayed() {
    let server = sessions::Server::Filesystem;
    let folder = server.folder();
    let policy = folder.write("filters.toml", "");
    let mut proxy = tamis_run(&policy, &server.command(&folder));
    proxy.splice(2..2, ["--record".into(), "calls".into()]);
    let mut line = sessions::Client::TypeScript1.command();
    line.push(server.scenario().into());
    line.extend(proxy);
    let program = sessions::program(&line, folder.path());
    let program = program.env("TAMIS_STATE_DIR", folder.path().join("state"));
    program.run("").succeeded();
    let recorded = files(&folder.path().join("calls"));
    assert!(recorded.len() >= 10, "{recorded:?}");
    folder.write(
        "new.toml",
        "[[chain]]\ntools = [\"*\"]\nstructured = \"keep\"\nsteps = [{ filter = \"null-stripper\", limits = { time = \"10s\" } }]\n",
    );
    let line = [
        "replay",
        "calls",
        "-c",
        "new.toml",
        "--compare",
        "filters.toml",
        "--json",
    ];
    let found = as_json(tamis(folder.path(), &line));
    assert_eq!(found["calls"], recorded.len());
    let changed: Vec<&str> = found["changes"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|change| change["file"].as_str().expect("a name"))
        .collect();
    // One of the files of this server has a null in its JSON.
    let has_null = |path: &&PathBuf| {
        let text = fs::read_to_string(path).expect("text");
        member(&text, "result").contains(r#"\"none\":null"#)
    };
    let expected: Vec<&str> = recorded
        .iter()
        .filter(has_null)
        .map(|path| path.file_name().unwrap().to_str().unwrap())
        .collect();
    assert!(!expected.is_empty());
    assert_eq!(changed, expected);
}

#[test]
fn other_commands_take_a_recorded_call() {
    let folder = Folder::new();
    let recording = Recording::new(&folder, "calls");
    let file = recording.write(&call("get_user", text_result(r#"{"a":null,"b":1}"#)));
    let path = format!("calls/{file}");
    folder.write(
        "filters.toml",
        format!(
            "{STRIP}[[test]]\ntool = \"get_user\"\ninput-file = \"{path}\"\nlacks = [\"null\"]\n"
        ),
    );
    let applied = stdout(tamis(
        folder.path(),
        &["apply", "-c", "filters.toml", &path],
    ));
    assert_eq!(applied, text_result(r#"{"b":1}"#));
    let explained = stdout(tamis(
        folder.path(),
        &["explain", "-c", "filters.toml", "--input", &path],
    ));
    assert!(
        explained.contains("get_user") && explained.contains("-         \"a\": null,"),
        "{explained}"
    );
    let tested = stdout(tamis(folder.path(), &["test", "filters.toml"]));
    assert!(tested.contains("1 passed"), "{tested}");
    // Only a recorded call names its tool.
    folder.write("result.json", text_result("{}"));
    exits(
        &tamis(
            folder.path(),
            &["apply", "-c", "filters.toml", "result.json"],
        ),
        2,
        &["--tool NAME"],
    );
    let broken = fs::read_to_string(folder.path().join(&path)).expect("text");
    folder.write("broken.json", broken.replace("\"server\"", "\"servers\""));
    exits(
        &tamis(
            folder.path(),
            &["apply", "-c", "filters.toml", "broken.json"],
        ),
        2,
        &["a recorded call cannot be read: its `server` is missing"],
    );
}

#[test]
fn mistakes_are_said_with_what_is_allowed() {
    let folder = Folder::new();
    let recording = Recording::new(&folder, "calls");
    recording.write(&call("get_user", text_result("{}")));
    folder.write("filters.toml", STRIP);
    let replay = |words: &[&str]| {
        tamis(
            folder.path(),
            &[&["replay", "-c", "filters.toml"], words].concat(),
        )
    };
    exits(&replay(&["nowhere"]), 2, &["look at nowhere"]);
    exits(
        &replay(&["."]),
        2,
        &[". contains no recorded calls", "tamis run --record"],
    );
    exits(
        &replay(&["calls", "--show", "users"]),
        2,
        &["`users` is neither", "recorded tools: get_user"],
    );
    exits(
        &replay(&["calls", "--show", "get_user"]),
        2,
        &["no recorded call of get_user differs"],
    );
    exits(
        &replay(&["calls", "--tool", "list*"]),
        2,
        &["matches `list*`", "recorded tools: get_user"],
    );
    exits(&replay(&["calls", "--compare", "no.toml"]), 2, &["no.toml"]);
    let torn = folder.write("calls/torn.json", "{\"tamis_recording\": 1, ");
    let newer = folder.write(
        "calls/newer.json",
        "{\"tamis_recording\": 2, \"result\": {}}",
    );
    folder.write("calls/.half.new", "{");
    let said = replay(&["calls"]);
    exits(
        &said,
        2,
        &[
            "move them to another folder",
            "torn.json: it is not JSON at byte",
            "newer.json: it has the form 2",
        ],
    );
    fs::remove_file(torn)
        .and_then(|()| fs::remove_file(newer))
        .expect("remove them");
    replay(&["calls"]).succeeded();
    exits(
        &tamis(folder.path(), &["run", "--record-chain", "x", "--", "true"]),
        2,
        &["--record <DIR>"],
    );
    let open = folder.path().join("open");
    fs::create_dir(&open)
        .and_then(|()| fs::set_permissions(&open, fs::Permissions::from_mode(0o777)))
        .expect("a folder");
    exits(
        &tamis(folder.path(), &["run", "--record", "open", "--", "true"]),
        2,
        &["others may write there"],
    );
}
