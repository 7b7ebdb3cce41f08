//! A session of raw frames with a real server: the frames are spelled out, and the answers are stored as bytes. Without
//! an SDK, no type can lose anything.

use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::support::Folder;
use crate::support::stage::{Between, Server, program, reach};

/// A frame to send, and the id of the answer to wait for before the next one.
pub struct Exchange {
    frame: String,
    awaited: Option<Value>,
}

/// Waits for the answer to the frame's own id.
pub fn ask(frame: &str) -> Exchange {
    let awaited = member(frame.as_bytes(), "id");
    assert!(awaited.is_some(), "no id in {frame}");
    Exchange {
        frame: frame.to_owned(),
        awaited,
    }
}

/// Sends a frame without waiting.
pub fn send_only(frame: &str) -> Exchange {
    Exchange {
        frame: frame.to_owned(),
        awaited: None,
    }
}

/// All lines that the server sends in a conversation.
pub fn conversation(
    server: Server,
    between: Between,
    folder: &Folder,
    frames: &[Exchange],
) -> Vec<String> {
    let mut running = program(&reach(server, between, folder), folder.path()).start();
    let mut lines = Vec::new();
    for exchange in frames {
        running.send(format!("{}\n", exchange.frame));
        while let Some(awaited) = &exchange.awaited {
            let line = running.receive_line();
            if line.is_empty() {
                running.fail(&format!("no answer to {}", exchange.frame));
            }
            lines.push(spelled(&line));
            if member(&line, "id").as_ref() == Some(awaited) && member(&line, "method").is_none() {
                break;
            }
        }
    }
    let finished = running.finish().succeeded();
    let known: usize = lines.len();
    let late = finished.stdout.split_inclusive(|&byte| byte == b'\n');
    lines.extend(late.skip(known).map(spelled));
    lines
}

/// The line as text: two lines are equal only if their bytes are.
fn spelled(line: &[u8]) -> String {
    match std::str::from_utf8(line) {
        Ok(text) => text.to_owned(),
        Err(_) => format!("not UTF-8: {}", line.escape_ascii()),
    }
}

/// A short member of a message. The others are not read, because `Value` may refuse them.
fn member(message: &[u8], name: &str) -> Option<Value> {
    let members: BTreeMap<String, Box<RawValue>> = serde_json::from_slice(message).ok()?;
    serde_json::from_str(members.get(name)?.get()).ok()
}

/// Opens a session as protocol `version` does.
pub fn greeting(version: &str) -> Vec<Exchange> {
    if version != "2026-07-28" {
        return handshake(version);
    }
    // A server of an older era refuses the request, and its client falls back.
    let mut frames = vec![ask(
        r#"{"jsonrpc":"2.0","id":"probe","method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"raw","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}"#,
    )];
    frames.extend(handshake("2025-11-25"));
    frames
}

fn handshake(version: &str) -> Vec<Exchange> {
    vec![
        ask(&format!(
            r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"{version}","capabilities":{{}},"clientInfo":{{"name":"raw","version":"1"}}}}}}"#
        )),
        send_only(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#),
    ]
}

/// Requests that any server answers twice in the same way, in spellings that no SDK sends.
pub fn everything() -> Vec<Exchange> {
    vec![
        ask(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#),
        ask(r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#),
        ask(
            r#"  {"method":"tools/list" , "params":{"cursor":""},"id":"a\"b\\é","jsonrpc":"2.0"}  "#,
        ),
        ask(r#"{"jsonrpc":"2.0","id":9007199254740991,"method":"resources/list"}"#),
        ask(r#"{"jsonrpc":"2.0","id":-4,"method":"resources/templates/list"}"#),
        ask(r#"{"jsonrpc":"2.0","id":5,"method":"prompts/list","params":{"_meta":{"x":[null]}}}"#),
        ask(r#"{"jsonrpc":"2.0","id":6,"method":"no/such/method","params":{"a":null}}"#),
        ask(r#"{"jsonrpc":"2.0","id":7,"method":"tools/call"}"#),
        send_only("this is no JSON"),
        send_only(""),
        ask(
            r#"{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"get-structured-content","arguments":{"location":"Chicago"}}}"#,
        ),
        ask(
            r#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"n\u0061me":"echo","arguments":{"message":"\ud83e\uddc0 \u2028 \u0000 \ud800"}}}"#,
        ),
        ask(
            r#"{"jsonrpc":"2.0","id":10,"method":"tools/call","params":{"name":"get-tiny-image","arguments":{}}}"#,
        ),
        ask(
            r#"{"jsonrpc":"2.0","id":11,"method":"tools/call","params":{"name":"get-sum","arguments":{"a":1e2,"b":123456789012345678901234567890}}}"#,
        ),
        ask(
            r#"{"jsonrpc":"2.0","id":12,"method":"tools/call","params":{"name":"trigger-long-running-operation","arguments":{"duration":0.1,"steps":10},"_meta":{"progressToken":"t/1"}}}"#,
        ),
        // Cancelled, so never answered: otherwise its answer would precede that of 14.
        send_only(
            r#"{"jsonrpc":"2.0","id":13,"method":"tools/call","params":{"name":"trigger-long-running-operation","arguments":{"duration":0.3,"steps":1}}}"#,
        ),
        send_only(
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":13,"reason":"no longer wanted"}}"#,
        ),
        ask(
            r#"{"jsonrpc":"2.0","id":14,"method":"tools/call","params":{"name":"trigger-long-running-operation","arguments":{"duration":0.6,"steps":1}}}"#,
        ),
        ask(
            r#"{"jsonrpc":"2.0","id":15,"method":"resources/read","params":{"uri":"demo://resource/static/document/structure.md"}}"#,
        ),
        ask(
            r#"{"jsonrpc":"2.0","id":16,"method":"prompts/get","params":{"name":"args-prompt","arguments":{"city":"Zürich"}}}"#,
        ),
    ]
}

/// The same for the git server, without `initialize`: it supports the era without sessions.
pub fn git(folder: &Folder) -> Vec<Exchange> {
    let repository = folder.path().join("repository");
    let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"raw","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}"#;
    let mut frames = vec![
        ask(&format!(
            r#"{{"jsonrpc":"2.0","id":"probe","method":"server/discover","params":{{{meta}}}}}"#
        )),
        ask(&format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{{{meta}}}}}"#
        )),
        ask(&format!(
            r#"{{"jsonrpc":"2.0","id":2,"method":"resources/list","params":{{{meta}}}}}"#
        )),
        ask(&format!(
            r#"{{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{{"name":"git_push","arguments":{{}},{meta}}}}}"#
        )),
        ask(
            r#"{"jsonrpc":"2.0","id":4,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01"}}}"#,
        ),
    ];
    for (id, tool) in (5..).zip([
        "git_status",
        "git_log",
        "git_diff_unstaged",
        "git_diff_staged",
    ]) {
        frames.push(ask(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{{meta},"name":"{tool}","arguments":{{"repo_path":{repository:?}}}}}}}"#
        )));
    }
    frames
}
