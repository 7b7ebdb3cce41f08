//! A process whose answers cannot be read, or are ambiguous: no request waits for ever.

use std::time::Duration;

use reqwest::{RequestBuilder, StatusCode};
use serde_json::{Value, json};

use super::policy_of;
use crate::support::Folder;
use crate::support::proxy::{Proxy, call, initialize};

/// Writes a call's argument `line` (ID stands for the call's id), and holds calls of `held` until `release`.
const SERVER: &str = r#"
import json, os, sys
held = []
def say(text):
    sys.stdout.buffer.write(text if isinstance(text, bytes) else (text + "\n").encode())
    sys.stdout.buffer.flush()
def result(id):
    return json.dumps({"jsonrpc": "2.0", "id": id, "result": {"content": [{"type": "text", "text": "here"}]}})
for line in sys.stdin:
    message = json.loads(line)
    method, id, params = message.get("method"), message.get("id"), message.get("params", {})
    if id is None:
        continue
    if method == "initialize":
        say(json.dumps({"jsonrpc": "2.0", "id": id, "result": {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}}}))
        continue
    name = params.get("name")
    arguments = params.get("arguments") or {}
    if name == "says":
        text = arguments["line"].replace("ID", json.dumps(id))
        say(text.encode(arguments["coding"]) + b"\n" if "coding" in arguments else text)
    elif name == "held":
        held.append(id)
        say(json.dumps({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": params["_meta"]["progressToken"], "progress": 1}}))
    elif name == "release":
        for one in held:
            say(result(one))
        held = []
        say(result(id))
    elif name == "together":
        held.append(id)
        if len(held) == 2:
            say("[" + ",".join(result(one) for one in held) + "]")
            held = []
    elif name == "deaf":
        os.close(0)
        say(result(id))
        import time
        parent = os.getppid()
        while os.getppid() == parent:
            time.sleep(0.05)
    else:
        say(result(id))
"#;

/// Stops reading until the file `go` exists.
const SLOW_READER: &str = r#"
import os, time
line = sys.stdin.readline()
message = json.loads(line)
say(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "s", "version": "1"}}}))
while not os.path.exists("go"):
    time.sleep(0.01)
"#;

/// A policy without redaction whose chain gets the calls, and one that redacts.
const POLICIES: [&str; 2] = [
    "[[chain]]\ntools = [\"*\"]\nsteps = [\"null-stripper\"]\n",
    "[[chain]]\ntools = [\"*\"]\nsteps = [{ filter = \"reshape\", drop = [\"**.secret\"], on-error = \"block\" }]\n",
];

fn start(more: &str) -> (Folder, Proxy) {
    let folder = Folder::new();
    let server = folder.write("server.py", SERVER);
    let proxy = Proxy::start(&policy_of(&server, more));
    (folder, proxy)
}

fn says(id: u64, line: &str, coding: Option<&str>) -> Value {
    let mut message = call(id, "says");
    message["params"]["arguments"] = json!({"line": line});
    if let Some(coding) = coding {
        message["params"]["arguments"]["coding"] = coding.into();
    }
    message
}

fn in_session(proxy: &Proxy, session: &str, message: &Value) -> RequestBuilder {
    let request = proxy.post("a", message).header("mcp-session-id", session);
    request.timeout(Duration::from_secs(20))
}

/// The answer to a call: the last message, in JSON or in a stream.
async fn answer(request: RequestBuilder) -> Value {
    let answer = request.send().await.expect("an answer");
    let body = answer.text().await.expect("the answer comes to its end");
    let mut data = body.lines().filter_map(|line| line.strip_prefix("data: "));
    let last = data.rfind(|data| !data.is_empty()).unwrap_or(&body);
    serde_json::from_str(last).unwrap_or_else(|_| panic!("{body}"))
}

/// The error that a call with this id ends with.
async fn error(request: RequestBuilder, id: u64) -> String {
    let answer = answer(request).await;
    assert_eq!(answer["id"], id, "{answer}");
    let why = answer["error"]["message"].as_str();
    why.unwrap_or_else(|| panic!("{answer}")).to_owned()
}

/// A call of protocol 2026-07-28.
fn alone(proxy: &Proxy, mut message: Value) -> RequestBuilder {
    let tool = message["params"]["name"]
        .as_str()
        .expect("a tool")
        .to_owned();
    message["params"]["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let request = proxy.post("a", &message).timeout(Duration::from_secs(20));
    let request = request.header("mcp-protocol-version", "2026-07-28");
    request
        .header("mcp-method", "tools/call")
        .header("mcp-name", tool)
}

#[tokio::test]
async fn an_answer_that_cannot_be_read_is_an_error_for_who_waits_for_it() {
    let unreadable = [
        (
            r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[1,]}}"#,
            None,
        ),
        (
            r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[]},}"#,
            None,
        ),
        (
            r#"{"jsonrpc":"2.0","result":{"content":[]},"id":ID,}"#,
            None,
        ),
        (r#"{'jsonrpc':'2.0','id':ID,'result':{}}"#, None),
        (
            r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}"#,
            Some("utf-16-le"),
        ),
        (
            r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}"#,
            Some("utf-8-sig"),
        ),
        (
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"?"}}"#,
            None,
        ),
        (r#"{"jsonrpc":"2.0","Id":ID,"Result":{"content":[]}}"#, None),
        (
            r#"[[{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}]]"#,
            None,
        ),
    ];
    // Readers could interpret these differently.
    let doubtful = [
        (
            r#"{"jsonrpc":"2.0","id":ID,"id":999,"result":{"content":[]}}"#,
            None,
        ),
        (
            r#"{"jsonrpc":"2.0","id":ID,"result":{},"result":{"content":[]}}"#,
            None,
        ),
        (
            r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[]},"Result":{}}"#,
            None,
        ),
    ];
    for (policy, lines) in [
        (POLICIES[0], unreadable.to_vec()),
        (POLICIES[1], [&unreadable[..], &doubtful].concat()),
    ] {
        let (_folder, proxy) = start(policy);
        let session = proxy.session("a").await;
        for (id, (line, coding)) in (10..).zip(lines) {
            println!("{line} {coding:?}");
            let message = says(id, line, coding);
            let why = error(in_session(&proxy, &session, &message), id).await;
            assert!(why.contains("the upstream server"), "{why}");
            let why = error(alone(&proxy, message), id).await;
            assert!(why.contains("the upstream server"), "{why}");
            // The other requests of the session lose nothing.
            let next = answer(in_session(&proxy, &session, &call(5, "plain"))).await;
            assert_eq!(next["result"]["content"][0]["text"], "here", "{next}");
        }
        proxy.end().succeeded();
    }
}

#[tokio::test]
async fn what_a_server_prints_beside_its_answers_is_no_answer() {
    let (_folder, proxy) = start(POLICIES[1]);
    let session = proxy.session("a").await;
    for line in [
        "Error: not found",
        r#"{"level":"error","error":"no such file"}"#,
        r#"sent {"jsonrpc":"2.0"}, result"#,
    ] {
        let real = r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}"#;
        let message = says(7, &format!("{line}\n{real}"), None);
        let answer = answer(in_session(&proxy, &session, &message)).await;
        assert!(answer["result"].is_object(), "{line}: {answer}");
    }
    proxy.end().succeeded();
}

#[tokio::test]
async fn of_several_who_wait_it_is_the_last_that_has_lost_its_answer() {
    let (_folder, proxy) = start(POLICIES[1]);
    let session = proxy.session("a").await;
    let waiting = in_session(&proxy, &session, &call(1, "held")).send();
    let mut waiting = waiting.await.expect("it begins");
    crate::support::proxy::piece(&mut waiting)
        .await
        .expect("progress");
    let nobodys = says(
        2,
        r#"{"jsonrpc":"2.0","error":{"code":1,"message":"?"}}"#,
        None,
    );
    let lost = tokio::spawn(error(in_session(&proxy, &session, &nobodys), 2));
    let has_lost_one = || proxy.running.log().contains("it is withheld");
    super::until("an answer is lost", has_lost_one).await;
    let release =
        json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "release"}});
    answer(in_session(&proxy, &session, &release)).await;
    let held = crate::support::proxy::piece(&mut waiting)
        .await
        .expect("the answer");
    assert!(held.contains("here"), "{held}");
    let why = lost.await.expect("it ends");
    assert!(why.contains("may have been the one"), "{why}");
    proxy.end().succeeded();
}

#[tokio::test]
async fn answers_that_come_together_go_to_each_who_waits() {
    let (_folder, proxy) = start("");
    let session = proxy.session("a").await;
    let both = [1, 2].map(|id| {
        let request = in_session(&proxy, &session, &call(id, "together"));
        tokio::spawn(answer(request))
    });
    for (id, call) in (1..).zip(both) {
        let answer = call.await.expect("it ends");
        assert_eq!(answer["id"], id);
        assert_eq!(answer["result"]["content"][0]["text"], "here", "{answer}");
    }
    proxy.end().succeeded();
}

#[tokio::test]
async fn a_request_that_a_process_reads_no_more_goes_to_another() {
    let (_folder, proxy) = start("");
    for id in 1..4 {
        let answer = answer(alone(&proxy, call(id, "deaf"))).await;
        assert_eq!(answer["result"]["content"][0]["text"], "here", "{answer}");
    }
    // In a session, the client must begin another one.
    let session = proxy.session("a").await;
    answer(in_session(&proxy, &session, &call(1, "deaf"))).await;
    let late = in_session(&proxy, &session, &call(2, "plain")).send().await;
    let late = late.expect("an answer");
    assert_eq!(late.status(), StatusCode::NOT_FOUND);
    let why: Value = late.json().await.expect("JSON");
    assert!(why.to_string().contains("begin a new session"), "{why}");
    proxy.running.kill();
}

#[tokio::test]
async fn so_many_wait_for_clients_that_have_gone_and_the_oldest_are_given_up() {
    let (_folder, proxy) = start("");
    let session = proxy.session("a").await;
    let resumable = |request: RequestBuilder| request.header("mcp-protocol-version", "2025-11-25");
    let mut first_events = Vec::new();
    for id in 1..=66 {
        let request = resumable(in_session(&proxy, &session, &call(id, "held")));
        let mut waiting = request.send().await.expect("it begins");
        let first = crate::support::proxy::piece(&mut waiting)
            .await
            .expect("an event");
        let event = first.lines().find_map(|line| line.strip_prefix("id: "));
        first_events.push(event.unwrap_or_else(|| panic!("{first}")).to_owned());
    }
    let given_up = || {
        proxy
            .running
            .log()
            .matches("its answer is given up")
            .count()
    };
    super::until("two are given up", || given_up() == 2).await;
    let release =
        json!({"jsonrpc": "2.0", "id": 100, "method": "tools/call", "params": {"name": "release"}});
    answer(in_session(&proxy, &session, &release)).await;
    let mut answered = 0;
    for event in &first_events {
        let resumed = proxy.get("/a/mcp").header("mcp-session-id", &session);
        let resumed = resumable(resumed).header("last-event-id", event);
        let resumed = resumed.header("accept", "text/event-stream").send().await;
        let body = resumed.expect("an answer").text().await.expect("it ends");
        answered += usize::from(body.contains("here"));
    }
    assert_eq!(answered, 64);
    proxy.end().succeeded();
}

#[tokio::test]
async fn a_client_that_has_another_token_begins_a_new_session() {
    let (_folder, proxy) = start("");
    let greeting = proxy
        .post("a", &initialize())
        .bearer_auth("first")
        .send()
        .await;
    let session = greeting.expect("an answer").headers()["mcp-session-id"].clone();
    let client = crate::support::proxy::client();
    for method in ["POST", "GET", "DELETE"] {
        let method = reqwest::Method::from_bytes(method.as_bytes()).expect("a method");
        let request = client
            .request(method.clone(), proxy.url("a"))
            .bearer_auth("renewed");
        let request = request.header("mcp-session-id", &session);
        let request = request.header("content-type", "application/json");
        let request = request.header("accept", "application/json, text/event-stream");
        let refused = request.body(call(1, "plain").to_string()).send().await;
        let refused = refused.expect("an answer");
        assert_eq!(refused.status(), StatusCode::NOT_FOUND, "{method}");
        let why: Value = refused.json().await.expect("JSON");
        let why = why["error"]["message"].to_string();
        assert!(why.contains("begin a new one with `initialize`"), "{why}");
        assert!(why.contains("not yours"), "{why}");
    }
    let again = proxy
        .post("a", &initialize())
        .bearer_auth("renewed")
        .send()
        .await;
    assert_eq!(again.expect("an answer").status(), StatusCode::OK);
    proxy.end().succeeded();
}

#[tokio::test]
async fn a_client_that_goes_leaves_no_half_of_a_message() {
    let folder = Folder::new();
    let text = SERVER.replace(
        "for line in sys.stdin:",
        &format!("{SLOW_READER}for line in sys.stdin:"),
    );
    let server = folder.write("server.py", text);
    let proxy = Proxy::start(&policy_of(&server, ""));
    let greeting = proxy
        .post("a", &initialize())
        .send()
        .await
        .expect("an answer");
    let session = greeting.headers()["mcp-session-id"]
        .to_str()
        .expect("text")
        .to_owned();
    let mut long = call(1, "plain");
    long["params"]["arguments"] = json!({"text": "x".repeat(1 << 20)});
    let patience = Duration::from_secs(2);
    let gone = in_session(&proxy, &session, &long)
        .timeout(patience)
        .send()
        .await;
    assert!(gone.is_err(), "nothing is read");
    let next = tokio::spawn(answer(in_session(&proxy, &session, &call(2, "plain"))));
    proxy.folder.write("go", "");
    let next = next.await.expect("it ends");
    assert_eq!(next["id"], 2, "{next}");
    assert_eq!(next["result"]["content"][0]["text"], "here", "{next}");
    proxy.end().succeeded();
}
