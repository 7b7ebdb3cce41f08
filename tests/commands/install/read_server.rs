//! `tamis mcp`: one tool, which reads the originals of every `tamis run` of this user.

use std::path::PathBuf;

use rustix::process::Signal;
use serde_json::{Value, json};

use super::{Home, TAMIS, exits};
use crate::support::COMPILED;
use crate::support::Program;
use crate::support::mcp::{Client, Stage, references};

const POLICY: &str = "[[chain]]\ntools = [\"*\"]\nsteps = [\"pending-to-meta\"]\n";

fn start(home: &Home, state: PathBuf) -> Client {
    let program = Program::new(&[TAMIS, "mcp"], &home.path("work"))
        .env("HOME", home.path("home"))
        .env("TAMIS_STATE_DIR", state)
        .env("TAMIS_CACHE_DIR", COMPILED);
    Client::of(program)
}

/// A stage whose server's result is cut.
fn stage() -> (Stage, String) {
    let hint = "ACTION REQUIRED: ".repeat(40);
    let text = json!({"data": [1, 2, 3], "_pending_annotations": {"nodes": ["a", "b"], "count": 2, "hint": hint}}).to_string();
    let stage = Stage::new(POLICY);
    stage.answers("initialize", r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}"#);
    stage.answers(
        "tools/list",
        r#"{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}"#,
    );
    let result = json!({"content": [{"type": "text", "text": text}]}).to_string();
    stage.tool("t", &result);
    (stage, result)
}

#[test]
fn it_reads_what_another_process_kept_and_the_ledger_knows() {
    let (stage, result) = stage();
    let mut proxy = stage.start();
    proxy.greet("c");
    let answer = proxy.call("t", &json!({})).to_string();
    let reference = references(&answer).next().expect("a reference").to_owned();
    proxy.finish().succeeded();

    let home = Home::new();
    let mut reader = start(&home, stage.state());
    let greeting = reader.greet("c")["result"].take();
    assert_eq!(greeting["protocolVersion"], "2025-11-25");
    assert_eq!(greeting["capabilities"], json!({"tools": {}}));
    let tools = reader.ask("tools/list", &json!({}))["result"]["tools"].take();
    assert_eq!(tools.as_array().map(Vec::len), Some(1), "{tools}");
    assert_eq!(tools[0]["name"], "tamis_read");
    assert_eq!(
        reader.read_back("tamis_read", &reference).as_deref(),
        Ok(result.as_str())
    );
    let gone = reader.call("tamis_read", &json!({"ref": "aaaaaaaaaaaaaaaa"}));
    assert_eq!(gone["isError"], true, "{gone}");
    reader.finish().succeeded();

    let stats = Program::new(&[TAMIS, "stats", "--json"], &home.path("work"))
        .env("HOME", home.path("home"))
        .env("TAMIS_STATE_DIR", stage.state())
        .run("")
        .succeeded();
    let stats = String::from_utf8_lossy(&stats.stdout).into_owned();
    let stats: Value = serde_json::from_str(&stats).expect("JSON");
    let reads = find(&stats, "reads").expect("reads");
    assert!(reads.as_u64() >= Some(1), "{stats}");
}

/// The first member with this name, at any depth.
fn find<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    match value {
        Value::Object(object) => object
            .get(name)
            .or_else(|| object.values().find_map(|value| find(value, name))),
        Value::Array(items) => items.iter().find_map(|value| find(value, name)),
        _ => None,
    }
}

#[test]
fn it_speaks_every_version_of_the_protocol() {
    let home = Home::new();
    let mut reader = start(&home, home.path("state"));
    for (asked, answered) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
    ] {
        let params = json!({"protocolVersion": asked, "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}});
        let greeting = reader.ask("initialize", &params);
        assert_eq!(greeting["result"]["protocolVersion"], answered);
    }
    let meta = |version: &str| {
        json!({"_meta": {
            "io.modelcontextprotocol/protocolVersion": version,
            "io.modelcontextprotocol/clientInfo": {"name": "c", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        }})
    };
    let discovered = reader.ask("server/discover", &meta("2026-07-28"))["result"].take();
    assert_eq!(discovered["resultType"], "complete");
    let versions = discovered["supportedVersions"]
        .as_array()
        .expect("versions");
    assert!(versions.contains(&"2026-07-28".into()), "{discovered}");
    let listed = reader.ask("tools/list", &meta("2026-07-28"))["result"].take();
    assert_eq!(listed["resultType"], "complete", "{listed}");
    assert_eq!(listed["tools"][0]["name"], "tamis_read");
    let mut call = meta("2026-07-28");
    call["name"] = "tamis_read".into();
    call["arguments"] = json!({"ref": "x"});
    let called = reader.ask("tools/call", &call)["result"].take();
    assert_eq!(
        (&called["resultType"], &called["isError"]),
        (&"complete".into(), &true.into())
    );
    let refused = reader.ask("tools/list", &meta("2027-01-01"))["error"].take();
    assert_eq!(refused["code"], -32022, "{refused}");
    assert_eq!(refused["data"]["requested"], "2027-01-01");
    reader.finish().succeeded();
}

#[test]
fn what_it_cannot_do_is_an_error_of_json_rpc() {
    let home = Home::new();
    let mut reader = start(&home, home.path("state"));
    for (method, params, code) in [
        ("resources/list", json!({}), -32601),
        ("tools/call", json!({"name": "other"}), -32602),
        ("tools/call", json!({}), -32602),
        ("tools/call", json!([1]), -32602),
        ("tools/list", json!({"cursor": "x"}), -32602),
        (
            "resources/read",
            json!({"uri": "file:///etc/passwd"}),
            -32602,
        ),
        (
            "resources/read",
            json!({"uri": "tamis://original/aaaaaaaaaaaaaaaa"}),
            -32002,
        ),
    ] {
        let answer = reader.ask(method, &params);
        assert_eq!(answer["error"]["code"], code, "{method} {params}: {answer}");
    }
    let wrong = reader.call("tamis_read", &json!({"no-such": 1}));
    assert_eq!(wrong["isError"], true, "{wrong}");
    assert_eq!(reader.ask("ping", &json!({}))["result"], json!({}));
    let answers = |reader: &mut Client, line: &str| -> Value {
        reader.program().send(format!("{line}\n"));
        let line = reader.program().receive_line();
        serde_json::from_slice(&line).expect("JSON")
    };
    for (line, code) in [
        ("{", -32700),
        ("\u{1}", -32700),
        ("7", -32600),
        ("[]", -32600),
        (r#"{"id":null,"method":"ping"}"#, -32600),
        (r#"{"id":1,"method":1}"#, -32600),
    ] {
        let answer = answers(&mut reader, line);
        assert_eq!(answer["error"]["code"], code, "{line}: {answer}");
    }
    // A message that is no request gets no answer, and a batch gets one.
    reader
        .program()
        .send("\n\r\n{\"method\":\"notifications/x\"}\n{\"id\":9,\"result\":{}}\n");
    let batch = r#"[{"id":"a","method":"ping"},{"method":"n"},{"id":2,"method":"x"}]"#;
    let answer = answers(&mut reader, batch);
    assert_eq!(answer[0]["id"], "a", "{answer}");
    assert_eq!(answer[1]["error"]["code"], -32601, "{answer}");
    assert_eq!(answer.as_array().map(Vec::len), Some(2));
    reader.finish().succeeded();
}

#[test]
fn a_message_without_end_is_refused_and_the_next_one_answered() {
    let home = Home::new();
    let mut reader = start(&home, home.path("state"));
    let long = format!(
        "{{\"id\":1,\"method\":\"ping\",\"params\":{{\"x\":\"{}",
        "x".repeat(3 << 20)
    );
    reader.program().send(long);
    let refused = reader.program().receive_line();
    let refused: Value = serde_json::from_slice(&refused).expect("JSON");
    assert_eq!(refused["error"]["code"], -32600, "{refused}");
    reader.program().send("\"}}\n");
    assert_eq!(reader.ask("ping", &json!({}))["result"], json!({}));
    // At the bound, it is read.
    let filler = "x".repeat((1 << 20) - 60);
    let answer = reader.ask("ping", &json!({"x": filler}));
    assert_eq!(answer["result"], json!({}));
    reader.finish().succeeded();
}

#[test]
fn a_signal_ends_it_and_is_its_exit_code() {
    let home = Home::new();
    let mut reader = start(&home, home.path("state"));
    reader.greet("c");
    reader.program().signal(Signal::TERM);
    // It ends by itself, although its input is open.
    assert_eq!(reader.program().receive_line(), b"");
    assert_eq!(reader.finish().status.code(), Some(143));
}

#[test]
fn a_policy_names_its_tool_and_a_broken_one_is_an_error() {
    let home = Home::new();
    let policy = home.write("p/filters.toml", "[read-tool]\nname = \"original\"\n");
    let policy = policy.to_str().expect("Unicode").to_owned();
    let program = Program::new(&[TAMIS, "mcp", "--config", &policy], &home.path("work"))
        .env("HOME", home.path("home"))
        .env("TAMIS_STATE_DIR", home.path("state"));
    let mut reader = Client::of(program);
    let listed = reader.ask("tools/list", &json!({}));
    assert_eq!(listed["result"]["tools"][0]["name"], "original");
    reader.finish().succeeded();
    home.write("p/filters.toml", "[read-tool\n");
    let run = home.tamis(&["mcp", "--config", &policy]);
    exits(&run, 2, &["filters.toml:1"]);
}
