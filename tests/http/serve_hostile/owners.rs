//! A caller reaches its own sessions and originals, and no others.

use reqwest::StatusCode;
use serde_json::{Value, json};

use super::server::Server;
use super::{OF_CLIENTS, TOKENS, policy};
use crate::support::proxy::{Proxy, call, initialize};

/// A chain that cuts, so that an original is stored.
pub const CUTTING: &str =
    "[[chain]]\ntools = [\"long\"]\nsteps = [{ filter = \"truncate\", limit = 400 }]\n";

/// Sends a message with this token, in this session.
pub async fn ask(proxy: &Proxy, token: &str, session: Option<&str>, message: &Value) -> Value {
    let mut request = proxy.post("a", message).bearer_auth(token);
    if let Some(session) = session {
        request = request.header("mcp-session-id", session);
    }
    let answer = request.send().await.expect("an answer");
    let status = answer.status().as_u16();
    let body = answer.text().await.expect("a body");
    let mut said: Value = serde_json::from_str(&body).unwrap_or_else(|_| panic!("{body}"));
    said["status"] = status.into();
    said
}

/// Begins a session. Err: the status of the refusal.
async fn begin(proxy: &Proxy, token: &str) -> Result<String, StatusCode> {
    let request = proxy.post("a", &initialize()).bearer_auth(token);
    let answer = request.send().await.expect("an answer");
    let status = answer.status();
    let id = answer.headers().get("mcp-session-id").cloned();
    match id.filter(|_| status.is_success()) {
        Some(id) => Ok(id.to_str().expect("text").to_owned()),
        None => Err(status),
    }
}

pub fn list() -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
}

pub fn long(words: u64) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "long", "arguments": {"words": words},
    }})
}

pub fn read(reference: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
        "name": "tamis_read", "arguments": {"ref": reference, "lines": "20-30"},
    }})
}

/// The original that a note names.
pub fn reference(cut: &Value) -> String {
    let text = cut["result"]["content"].to_string();
    let (_, rest) = text
        .split_once("\\\"ref\\\":\\\"")
        .unwrap_or_else(|| panic!("{cut}"));
    rest.chars()
        .take_while(char::is_ascii_alphanumeric)
        .collect()
}

#[tokio::test]
async fn callers_whom_a_server_gives_one_session_do_not_meet() {
    let server = Server::start().await;
    server.has_one_session();
    // With tokens of Tamis, and with tokens of the caller.
    for tokens in [TOKENS, ""] {
        let text = policy(&server, &format!("{CUTTING}{tokens}"));
        let proxy = Proxy::start_with(&text, &OF_CLIENTS);
        let session = begin(&proxy, "of-alice").await.expect("a session");
        ask(&proxy, "of-alice", Some(&session), &list()).await;
        let cut = ask(&proxy, "of-alice", Some(&session), &long(2000)).await;
        let reference = reference(&cut);
        let read = read(&reference);
        let own = ask(&proxy, "of-alice", Some(&session), &read).await;
        assert!(own.to_string().contains("0123456789"), "{own}");
        // Bob gets alice's session id, and so knows it.
        assert_eq!(begin(&proxy, "of-bob").await, Err(StatusCode::BAD_GATEWAY));
        let before = server.received().len();
        for message in [list(), call(1, "plain"), read.clone()] {
            let refused = ask(&proxy, "of-bob", Some(&session), &message).await;
            assert_eq!(refused["status"], 404, "{refused}");
        }
        assert_eq!(server.received().len(), before, "nothing of it goes on");
        let alone = ask(&proxy, "of-bob", None, &list()).await;
        assert_eq!(alone["status"], 200, "{alone}");
        let foreign = ask(&proxy, "of-bob", None, &read).await;
        assert_eq!(foreign["result"]["isError"], true, "{foreign}");
        // Alice's session is unchanged.
        let own = ask(&proxy, "of-alice", Some(&session), &read).await;
        assert!(own.to_string().contains("0123456789"), "{own}");
        assert!(begin(&proxy, "of-alice").await.is_ok(), "it is her own");
        proxy.end().succeeded();
    }
}

#[tokio::test]
async fn nobody_comes_into_a_session_without_its_credentials() {
    let server = Server::start().await;
    let proxy = Proxy::start(&policy(&server, CUTTING));
    let session = begin(&proxy, "of-alice").await.expect("a session");
    ask(&proxy, "of-alice", Some(&session), &list()).await;
    let cut = ask(&proxy, "of-alice", Some(&session), &long(2000)).await;
    let read = read(&reference(&cut));
    let client = crate::support::proxy::client();
    let before = server.received().len();
    for method in ["GET", "DELETE", "OPTIONS", "POST"] {
        let method = reqwest::Method::from_bytes(method.as_bytes()).expect("a method");
        let request = client.request(method.clone(), proxy.url("a"));
        let request = request.header("mcp-session-id", &session);
        let request = request.header("content-type", "application/json");
        let request = request.header("accept", "application/json, text/event-stream");
        let answer = request.body(read.to_string()).send().await;
        let answer = answer.expect("an answer");
        let expected = if method == reqwest::Method::OPTIONS {
            204
        } else {
            404
        };
        assert_eq!(answer.status(), expected, "{method}");
        let body = answer.text().await.expect("a body");
        assert!(!body.contains("0123456789"), "{method}: {body}");
    }
    assert_eq!(server.received().len(), before);
    proxy.end().succeeded();
}
