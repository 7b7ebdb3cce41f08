//! The number of a caller's processes, and their lifetime.

use reqwest::StatusCode;
use serde_json::Value;

use super::environment::children;
use super::{policy_of, until};
use crate::support::Folder;
use crate::support::proxy::{Proxy, call, initialize};

const SERVER: &str = r#"
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    method, id = message.get("method"), message.get("id")
    if id is None:
        continue
    result = {"content": []}
    if method == "initialize":
        result = {"protocolVersion": message["params"]["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}}
    print(json.dumps({"jsonrpc": "2.0", "id": id, "result": result}), flush=True)
"#;

fn start(limits: &str) -> (Folder, Proxy) {
    let folder = Folder::new();
    let server = folder.write("server.py", SERVER);
    let policy = format!(
        "[server.a]\ncommand = [\"python3\", {server:?}]\n[server.b]\ncommand = [\"python3\", {server:?}]\n[serve]\nlimits = {{ {limits} }}\n"
    );
    (folder, Proxy::start(&policy))
}

async fn calls(proxy: &Proxy, session: &str) -> StatusCode {
    let request = proxy.post("a", &call(1, "any"));
    let request = request.header("mcp-session-id", session);
    request.send().await.expect("an answer").status()
}

#[tokio::test]
async fn a_caller_has_so_many_processes_and_those_that_were_never_used_end_first() {
    let (_folder, proxy) = start("processes = 3");
    let used = proxy.session("a").await;
    assert_eq!(calls(&proxy, &used).await, 200);
    let mut sessions = Vec::new();
    for _ in 0..12 {
        sessions.push(proxy.session("a").await);
        let running = children(proxy.running.pid()).len();
        assert!(running <= 3, "{running} processes");
    }
    assert_eq!(calls(&proxy, &used).await, 200, "it was used");
    assert_eq!(calls(&proxy, &sessions[0]).await, StatusCode::NOT_FOUND);
    assert_eq!(calls(&proxy, &sessions[11]).await, 200, "the last one");
    assert_eq!(calls(&proxy, &sessions[10]).await, 200, "and that before");
    // All three are in use now; those of another server and another caller are separate.
    let refused = proxy.post("a", &initialize()).send().await;
    let refused = refused.expect("an answer");
    assert_eq!(refused.status(), StatusCode::SERVICE_UNAVAILABLE);
    let why: Value = refused.json().await.expect("JSON");
    assert!(why.to_string().contains("too many sessions"), "{why}");
    proxy.session("b").await;
    let other = proxy.post("a", &initialize()).bearer_auth("another");
    assert_eq!(other.send().await.expect("an answer").status(), 200);
    proxy.end().succeeded();
}

#[tokio::test]
async fn all_callers_together_have_so_many_processes() {
    let (_folder, proxy) = start("all-processes = 3");
    for number in 0..10 {
        let server = ["a", "b"][number % 2];
        let request = proxy.post(server, &initialize());
        let request = request.bearer_auth(format!("caller {number}"));
        assert_eq!(request.send().await.expect("an answer").status(), 200);
        let running = children(proxy.running.pid()).len();
        assert!(running <= 3, "{running} processes");
    }
    proxy.end().succeeded();
}

#[tokio::test]
async fn a_process_that_nobody_uses_ends() {
    let (_folder, proxy) = start("idle-unused = \"1s\"");
    let used = proxy.session("a").await;
    assert_eq!(calls(&proxy, &used).await, 200);
    let unused = proxy.session("a").await;
    until("the one that was never used has ended", || {
        children(proxy.running.pid()).len() == 1
    })
    .await;
    assert_eq!(calls(&proxy, &unused).await, StatusCode::NOT_FOUND);
    assert_eq!(calls(&proxy, &used).await, 200);
    proxy.end().succeeded();
}

#[tokio::test]
async fn a_session_that_was_used_ends_too_in_the_end() {
    let (_folder, proxy) = start("idle = \"1s\"");
    let session = proxy.session("a").await;
    assert_eq!(calls(&proxy, &session).await, 200);
    until("it has ended", || children(proxy.running.pid()).is_empty()).await;
    assert_eq!(calls(&proxy, &session).await, StatusCode::NOT_FOUND);
    proxy.end().succeeded();
}

/// A server that only a kill ends.
const STUBBORN: &str = "import os, signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nparent = os.getppid()\n";

#[tokio::test]
async fn no_more_sessions_end_than_processes_are_started() {
    let folder = Folder::new();
    let text = format!("{STUBBORN}{SERVER}\nwhile os.getppid() == parent:\n    time.sleep(0.05)\n");
    let server = folder.write("server.py", text);
    let limits = "[serve]\nlimits = { processes = 6 }\n";
    let proxy = Proxy::start(&policy_of(&server, limits));
    let mut sessions = Vec::new();
    for _ in 0..6 {
        sessions.push(proxy.session("a").await);
    }
    let mut begun = tokio::task::JoinSet::new();
    for _ in 0..3 {
        begun.spawn(proxy.post("a", &initialize()).send());
    }
    let mut new = Vec::new();
    while let Some(answer) = begun.join_next().await {
        let answer = answer.expect("no panic").expect("an answer");
        assert_eq!(answer.status(), 200);
        let id = answer.headers()["mcp-session-id"].to_str().expect("text");
        new.push(id.to_owned());
    }
    let mut left = 0;
    for session in &sessions {
        left += usize::from(calls(&proxy, session).await == 200);
    }
    assert_eq!(left, 3);
    // A process that its client ends also makes room.
    let bye = crate::support::proxy::client().delete(proxy.url("a"));
    let bye = bye.header("mcp-session-id", &sessions[5]);
    assert!(bye.send().await.expect("an answer").status().is_success());
    proxy.session("a").await;
    for session in &new {
        assert_eq!(calls(&proxy, session).await, 200, "it need not end");
    }
    proxy.running.kill();
}
