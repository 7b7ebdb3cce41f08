//! `tamis serve` before servers that it starts: a process for each session, one for requests without a session, and the
//! effect of its end on a client.

use crate::support::proxy;
use std::path::Path;
use std::time::Duration;

use crate::support::proxy::{Proxy, call, initialize, piece, post};
use crate::support::{Folder, Program};
use reqwest::StatusCode;
use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use serde_json::{Value, json};

/// A server that returns its request and its process number. It holds a call of `wait` until another line comes, and
/// writes notices about cancelled calls to the file `cancelled`.
const SERVER: &str = r#"
import json, os, sys
held = []
def say(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()
def result(id, text):
    say({"jsonrpc": "2.0", "id": id, "result": {"content": [{"type": "text", "text": text}]}})
for line in sys.stdin:
    message = json.loads(line)
    method, id, params = message.get("method"), message.get("id"), message.get("params", {})
    if method == "notifications/cancelled":
        with open("cancelled", "w") as file:
            file.write("yes")
        continue
    for held_id in held:
        result(held_id, "held")
    held = []
    if method == "initialize":
        say({"jsonrpc": "2.0", "id": id, "result": {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}}})
    elif method == "tools/list":
        say({"jsonrpc": "2.0", "id": id, "result": {"tools": [{"name": "pid", "inputSchema": {"type": "object"}}, {"name": "other", "inputSchema": {"type": "object"}}]}})
    elif method == "tools/call":
        name = params["name"]
        token = params.get("_meta", {}).get("progressToken")
        if name == "wait":
            say({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": token, "progress": 1}})
            held.append(id)
        elif name == "die":
            os._exit(3)
        elif name in ("die-within-its-answer", "die-before-the-end-of-the-line"):
            answer = json.dumps({"jsonrpc": "2.0", "id": id, "result": {"content": [{"type": "text", "text": "[1, 2]"}]}})
            sys.stdout.write(answer[:-9] if name == "die-within-its-answer" else answer)
            sys.stdout.flush()
            os._exit(3)
        elif name == "noisy":
            result(id, "{\"a\":null,\"b\":1,\"c\":2.50,\"d\":[]}")
        else:
            result(id, json.dumps({"pid": os.getpid(), "greeting": os.environ.get("GREETING"), "echo": params.get("arguments")}))
    elif id is not None:
        say({"jsonrpc": "2.0", "id": id, "result": {}})
"#;

fn policy(folder: &Path, more: &str) -> String {
    let server = folder.join("server.py");
    format!("[server.a]\ncommand = [\"python3\", {server:?}]\n{more}")
}

fn start(more: &str) -> (Folder, Proxy) {
    let folder = Folder::new();
    folder.write("server.py", SERVER);
    let proxy = Proxy::start(&policy(folder.path(), more));
    (folder, proxy)
}

/// The content of an answer, which is JSON or a stream that ends with it.
fn answer_in(body: &str) -> Value {
    let mut data = body.lines().filter_map(|line| line.strip_prefix("data: "));
    let last = data.rfind(|data| !data.is_empty()).unwrap_or(body);
    serde_json::from_str(last).unwrap_or_else(|_| panic!("{body}"))
}

fn text_in(body: &str) -> Value {
    let text = answer_in(body)["result"]["content"][0]["text"].clone();
    serde_json::from_str(text.as_str().unwrap_or_default()).unwrap_or_else(|_| panic!("{body}"))
}

/// A request of protocol 2026-07-28.
fn alone(proxy: &Proxy, id: Value, tool: &str, arguments: Value) -> reqwest::RequestBuilder {
    let message = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {
        "name": tool,
        "arguments": arguments,
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
            "progressToken": "mine",
        },
    }});
    proxy
        .post("a", &message)
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", "tools/call")
        .header("mcp-name", tool)
}

async fn ends(pid: i64) {
    let pid = Pid::from_raw(i32::try_from(pid).expect("a pid")).expect("a pid");
    for _ in 0..2000 {
        if test_kill_process(pid).is_err() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("{pid:?} lives on");
}

#[tokio::test]
async fn each_session_has_a_process_that_ends_with_it() {
    let (_folder, proxy) = start("");
    let (one, other) = (proxy.session("a").await, proxy.session("a").await);
    let pid = async |session: &str| {
        text_in(&proxy.call("a", session, "pid").await)["pid"]
            .as_i64()
            .expect("a pid")
    };
    let (first, second) = (pid(&one).await, pid(&other).await);
    assert_ne!(first, second);
    assert_eq!(pid(&one).await, first);
    let bye = reqwest::Client::new()
        .delete(proxy.url("a"))
        .header("mcp-session-id", &one);
    assert!(bye.send().await.expect("an answer").status().is_success());
    ends(first).await;
    let late = proxy
        .post("a", &call(1, "pid"))
        .header("mcp-session-id", &one);
    assert_eq!(
        late.send().await.expect("an answer").status(),
        StatusCode::NOT_FOUND
    );
    assert_eq!(pid(&other).await, second);
    proxy.end().succeeded();
    ends(second).await;
}

#[tokio::test]
async fn a_process_that_dies_leaves_no_request_without_an_answer() {
    let (_folder, proxy) = start("");
    let session = proxy.session("a").await;
    let died = answer_in(&proxy.call("a", &session, "die").await);
    assert_eq!(died["id"], 1);
    assert!(
        died["error"]["message"]
            .to_string()
            .contains("ended before it answered"),
        "{died}"
    );
    let late = proxy
        .post("a", &call(1, "pid"))
        .header("mcp-session-id", &session);
    let late = late.send().await.expect("an answer");
    assert_eq!(late.status(), StatusCode::NOT_FOUND);
    // Killed from outside while a call waits. Requests without a session get another process.
    let pid = text_in(
        &alone(&proxy, json!(1), "pid", json!({}))
            .send()
            .await
            .expect("an answer")
            .text()
            .await
            .expect("a body"),
    )["pid"]
        .clone();
    let mut waiting = alone(&proxy, json!("w"), "wait", json!({}))
        .send()
        .await
        .expect("an answer");
    assert!(
        piece(&mut waiting)
            .await
            .is_some_and(|progress| progress.contains("progress"))
    );
    let raw = i32::try_from(pid.as_i64().expect("a pid")).expect("a pid");
    kill_process(Pid::from_raw(raw).expect("a pid"), Signal::KILL).expect("it lives");
    let killed = answer_in(&piece(&mut waiting).await.expect("an error"));
    assert_eq!(killed["id"], "w");
    assert!(killed["error"].is_object(), "{killed}");
    let again = alone(&proxy, json!(1), "pid", json!({}))
        .send()
        .await
        .expect("an answer");
    assert_ne!(text_in(&again.text().await.expect("a body"))["pid"], pid);
    proxy.end().succeeded();
}

#[tokio::test]
async fn an_answer_that_the_end_of_its_process_cut_short_is_none() {
    let (_folder, proxy) = start("");
    let session = proxy.session("a").await;
    let cut = answer_in(&proxy.call("a", &session, "die-within-its-answer").await);
    assert_eq!(cut["id"], 1);
    let why = cut["error"]["message"].as_str().unwrap_or_default();
    assert_eq!(why, "the upstream server ended before it answered", "{cut}");
    let session = proxy.session("a").await;
    let whole = proxy
        .call("a", &session, "die-before-the-end-of-the-line")
        .await;
    assert_eq!(text_in(&whole), json!([1, 2]));
    proxy.end().succeeded();
}

#[tokio::test]
async fn requests_that_stand_alone_share_a_process_and_nothing_else() {
    let (folder, proxy) = start("[[chain]]\ntools = [\"noisy\"]\nsteps = [\"null-stripper\"]\n");
    // All have the same id and the same progress token, as clients do that do not know of each other.
    let mut calls = Vec::new();
    for number in 0..20 {
        let request = alone(&proxy, json!("same"), "echo", json!({"number": number}));
        calls.push(tokio::spawn(async move {
            request.send().await.expect("an answer").text().await
        }));
    }
    let mut pids = std::collections::HashSet::new();
    for (number, call) in calls.into_iter().enumerate() {
        let body = call.await.expect("it ends").expect("a body");
        assert_eq!(answer_in(&body)["id"], "same");
        assert_eq!(text_in(&body)["echo"]["number"], number);
        pids.insert(text_in(&body)["pid"].clone());
    }
    assert_eq!(pids.len(), 1);
    let mut waiting = alone(&proxy, json!(7), "wait", json!({}))
        .send()
        .await
        .expect("an answer");
    let progress = piece(&mut waiting).await.expect("a piece");
    assert_eq!(
        answer_in(&progress)["params"]["progressToken"],
        "mine",
        "{progress}"
    );
    let filtered = alone(&proxy, json!(8), "noisy", json!({}))
        .send()
        .await
        .expect("an answer");
    assert_eq!(
        text_in(&filtered.text().await.expect("a body")).to_string(),
        r#"{"b":1,"c":2.5}"#
    );
    let held = answer_in(&piece(&mut waiting).await.expect("a piece"));
    assert_eq!(held["id"], 7);
    // A client that stops waiting has cancelled.
    let mut waiting = alone(&proxy, json!(9), "wait", json!({}))
        .send()
        .await
        .expect("an answer");
    piece(&mut waiting).await;
    drop(waiting);
    let told = proxy_folder(&proxy).join("cancelled");
    for _ in 0..2000 {
        if told.exists() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert!(told.exists(), "the server was not told");
    drop(folder);
    proxy.end().succeeded();
}

fn proxy_folder(proxy: &Proxy) -> &Path {
    proxy.folder.path()
}

#[tokio::test]
async fn headers_that_say_something_else_than_the_body_are_refused() {
    let (_folder, proxy) = start("");
    for (name, value) in [
        ("mcp-method", "tools/list"),
        ("mcp-name", "other"),
        ("mcp-protocol-version", "2027-01-01"),
    ] {
        let request = alone(&proxy, json!(1), "pid", json!({}));
        let mut request = request.build().expect("a request");
        request
            .headers_mut()
            .insert(name, value.parse().expect("a value"));
        let answer = reqwest::Client::new()
            .execute(request)
            .await
            .expect("an answer");
        assert_eq!(answer.status(), StatusCode::BAD_REQUEST, "{name}");
        let error: Value = answer.json().await.expect("JSON");
        assert_eq!(error["error"]["code"], -32020, "{error}");
        assert_eq!(error["id"], 1);
    }
    let without = post(&proxy::client(), &proxy.url("a"), &call(1, "pid"));
    assert_eq!(
        without.send().await.expect("an answer").status(),
        StatusCode::BAD_REQUEST
    );
    proxy.end().succeeded();
}

#[tokio::test]
async fn a_stream_that_broke_goes_on_where_it_was() {
    let (_folder, proxy) = start("");
    let session = proxy.session("a").await;
    let request = proxy
        .post("a", &call(5, "wait"))
        .header("mcp-session-id", &session);
    let request = request.header("mcp-protocol-version", "2025-11-25");
    let mut waiting = request.send().await.expect("an answer");
    let primed = piece(&mut waiting).await.expect("a piece");
    let id = |event: &str| {
        let id = event.lines().find_map(|line| line.strip_prefix("id: "));
        id.unwrap_or_else(|| panic!("{event}")).to_owned()
    };
    let first = id(&primed);
    let progress = piece(&mut waiting).await.expect("a piece");
    assert!(progress.contains("progress"));
    drop(waiting);
    // The answer comes while no client listens.
    proxy.call("a", &session, "pid").await;
    for (after, events) in [(id(&progress), 1), (first, 2)] {
        let resumed = proxy.get("/a/mcp").header("mcp-session-id", &session);
        let resumed = resumed
            .header("last-event-id", after)
            .header("accept", "text/event-stream");
        let body = resumed
            .send()
            .await
            .expect("an answer")
            .text()
            .await
            .expect("it ends");
        let data = body
            .lines()
            .filter(|line| line.starts_with("data: {"))
            .count();
        assert_eq!(data, events, "{body}");
        let answer = answer_in(&body);
        assert_eq!(answer["id"], 5);
        assert_eq!(answer["result"]["content"][0]["text"], "held");
    }
    proxy.end().succeeded();
}

#[tokio::test]
async fn clients_are_told_of_another_list_of_tools() {
    let (folder, mut proxy) =
        start("[[chain]]\ntools = [\"noisy\"]\nsteps = [\"null-stripper\"]\n");
    let session = proxy.session("a").await;
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    let list = proxy.post("a", &list).header("mcp-session-id", &session);
    list.send()
        .await
        .expect("an answer")
        .text()
        .await
        .expect("a body");
    let listening = proxy.get("/a/mcp").header("mcp-session-id", &session);
    let listening = listening.header("mcp-protocol-version", "2025-11-25");
    let mut listening = listening
        .header("accept", "text/event-stream")
        .send()
        .await
        .expect("an answer");
    piece(&mut listening).await;
    let hidden = "[[chain]]\ntools = [\"noisy\"]\nsteps = [\"null-stripper\"]\n[tool.other]\nhidden = true\n";
    proxy
        .folder
        .write("filters.toml", policy(folder.path(), hidden));
    proxy.running.signal(Signal::HUP);
    let notice = piece(&mut listening).await.expect("a piece");
    assert!(
        notice.contains("notifications/tools/list_changed"),
        "{notice}"
    );
    proxy.end().succeeded();
}

#[tokio::test]
async fn a_command_that_is_not_there_is_named_in_the_log() {
    let mut proxy = Proxy::start("[server.a]\ncommand = [\"no-such-program\"]\n");
    let answer = proxy
        .post("a", &initialize())
        .send()
        .await
        .expect("an answer");
    assert_eq!(answer.status(), StatusCode::BAD_GATEWAY);
    assert!(
        answer
            .text()
            .await
            .expect("a body")
            .contains("could not be started")
    );
    proxy
        .running
        .wait_for_log(0, "`no-such-program` is not found");
    proxy.end().succeeded();
}

#[tokio::test]
async fn a_greeting_that_fails_begins_no_session() {
    let folder = Folder::new();
    let refuses = r#"
import json, sys
for line in sys.stdin:
    print(json.dumps({"jsonrpc": "2.0", "id": json.loads(line)["id"], "error": {"code": -32602, "message": "no"}}), flush=True)
"#;
    folder.write("server.py", refuses);
    let proxy = Proxy::start(&policy(folder.path(), ""));
    let answer = proxy
        .post("a", &initialize())
        .send()
        .await
        .expect("an answer");
    assert!(!answer.headers().contains_key("mcp-session-id"));
    let said: Value = answer.json().await.expect("JSON");
    assert_eq!(
        (&said["id"], &said["error"]["code"]),
        (&json!(0), &json!(-32602))
    );
    proxy.end().succeeded();
}

#[tokio::test]
async fn clients_of_older_versions_get_no_event_without_a_message() {
    let (_folder, mut proxy) =
        start("[[chain]]\ntools = [\"noisy\"]\nsteps = [\"null-stripper\"]\n");
    let session = proxy.session("a").await;
    let listen = |version: &'static str| {
        let request = proxy.get("/a/mcp").header("mcp-session-id", &session);
        let request = request.header("mcp-protocol-version", version);
        request.header("accept", "text/event-stream").send()
    };
    let mut new = listen("2025-11-25").await.expect("an answer");
    let primed = piece(&mut new).await.expect("a piece");
    assert!(
        primed.starts_with("id: ") && primed.contains("\ndata: \n"),
        "{primed}"
    );
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    let list = proxy.post("a", &list).header("mcp-session-id", &session);
    let list = list.send().await.expect("an answer");
    list.text().await.expect("a body");
    let mut old = listen("2025-06-18").await.expect("an answer");
    let hidden = "[[chain]]\ntools = [\"noisy\"]\nsteps = [\"null-stripper\"]\n[tool.other]\nhidden = true\n";
    let policy = policy(proxy_folder(&proxy), hidden);
    proxy.folder.write("filters.toml", policy);
    proxy.running.signal(Signal::HUP);
    let first = piece(&mut old).await.expect("a piece");
    assert!(
        first.contains("data: {"),
        "the first event has a message: {first}"
    );
    proxy.end().succeeded();
}

#[tokio::test]
async fn a_server_gets_the_variables_of_its_table() {
    let folder = Folder::new();
    folder.write("server.py", SERVER);
    let more = "env = { GREETING = \"hello ${WORD}\", OTHER = \"x\" }\n";
    let proxy = Proxy::start_with(&policy(folder.path(), more), &[("WORD", "wörld")]);
    let session = proxy.session("a").await;
    let answer = text_in(&proxy.call("a", &session, "pid").await);
    assert_eq!(answer["greeting"], "hello wörld", "{answer}");
    proxy.end();
}

#[test]
fn a_variable_that_is_not_set_is_an_error_at_its_line() {
    for (table, place, key) in [
        (
            "[server.a]\ncommand = [\"x\"]\nenv = { A = \"b\", C = \"${NO_SUCH}\" }\n",
            "filters.toml:3:23",
            "`C` in `env` of [server.a]",
        ),
        (
            "[server.b]\nurl = \"https://example.com/mcp\"\n\nheaders = { authorization = \"Bearer ${NO_SUCH}\" }\n",
            "filters.toml:4:37",
            "header `authorization` of [server.b]",
        ),
    ] {
        let folder = Folder::new();
        folder.write("filters.toml", table);
        let run = proxy::program(&folder).run("");
        let said = String::from_utf8_lossy(&run.stderr).into_owned();
        assert_eq!(run.status.code(), Some(2), "{said}");
        for word in [place, key, "the environment variable NO_SUCH is not set"] {
            assert!(said.contains(word), "{word}: {said}");
        }
    }
}

#[test]
fn what_no_program_can_be_given_is_found_when_the_policy_is_read() {
    for (table, word) in [
        (
            "url = \"https://example.com/mcp\"\nenv = { A = \"b\" }",
            "`env` requires `command`",
        ),
        (
            "command = [\"x\"]\nenv = { \"A=B\" = \"b\" }",
            "is not a valid name for `env`",
        ),
        (
            "command = [\"x\"]\nenv = { \"\" = \"b\" }",
            "is not a valid name for `env`",
        ),
        ("command = [\"x\"]\nenv = { A = 1 }", "a text"),
        (
            "command = [\"x\"]\nenv = { A = \"${B} c\" }",
            "invalid reference to an environment variable",
        ),
        ("command = [\"x\"]\nenv = [\"A=b\"]", "`env`"),
        ("command = [\"x\"]\nready = 9", "a whole number from 0 to 8"),
        (
            "command = [\"x\"]\nready = true",
            "a whole number from 0 to 8",
        ),
        (
            "url = \"http://127.0.0.1:9/mcp\"\nready = 1",
            "`ready` requires `command`",
        ),
    ] {
        let folder = Folder::new();
        folder.write("filters.toml", format!("[server.a]\n{table}\n"));
        let run = proxy::program(&folder).run("");
        let said = String::from_utf8_lossy(&run.stderr).into_owned();
        assert_eq!(run.status.code(), Some(2), "{said}");
        assert!(said.contains(word), "{word}: {said}");
        assert!(said.contains("filters.toml:3"), "{said}");
    }
}

#[tokio::test]
async fn one_server_lists_the_read_tool_for_all() {
    let more = "[[chain]]\ntools = [\"*\"]\nsteps = [{ filter = \"truncate\", limit = 10 }]\n[serve]\nread-tool = \"once\"\n";
    let (_folder, proxy) = start(more);
    let (a, own) = (proxy.session("a").await, proxy.session("tamis").await);
    let ask = async |server: &str, session: &str, method: &str, params: Value| {
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let request = proxy.post(server, &message);
        let request = request.header("mcp-session-id", session);
        let answer = request.send().await.expect("an answer");
        answer_in(&answer.text().await.expect("a body"))["result"].take()
    };
    let names = |list: &Value| -> Vec<String> {
        let tools = list["tools"].as_array().expect("tools").iter();
        tools
            .map(|tool| tool["name"].as_str().expect("a name").to_owned())
            .collect()
    };
    let of_a = ask("a", &a, "tools/list", json!({})).await;
    assert_eq!(names(&of_a), ["pid", "other"]);
    let of_own = ask("tamis", &own, "tools/list", json!({})).await;
    assert_eq!(names(&of_own), ["tamis_read"]);
    let arguments = json!({"text": "long ".repeat(200)});
    let cut = json!({"name": "other", "arguments": arguments});
    let cut = ask("a", &a, "tools/call", cut).await;
    let note = cut["content"].to_string();
    let (_, call) = note
        .split_once("tamis_read ")
        .unwrap_or_else(|| panic!("{cut}"));
    let (_, reference) = call.split_once("ref\\\":\\\"").expect("a reference");
    let reference = &reference[..16];
    let read = json!({"name": "tamis_read", "arguments": {"ref": reference}});
    let whole = ask("tamis", &own, "tools/call", read).await;
    assert!(whole.to_string().contains(&"long ".repeat(200)), "{whole}");
    // Both requests contain the list of both servers: it is the same agent.
    let sessions = sessions_in_ledger(&proxy, 2).await;
    let [session] = &sessions[..] else {
        panic!("{sessions:?}")
    };
    let listed = session["listing_tokens"].as_i64().expect("tokens");
    assert!((2 * 60..=2 * 120).contains(&listed), "{session}");
    proxy.end().succeeded();
}

#[tokio::test]
async fn names_that_fit_no_tool_are_said_whichever_server_is_listed_first() {
    let more = "[[chain]]\ntools = [\"*\"]\nsteps = [\"ansi\"]\n[[chain]]\ntools = [\"ohter\"]\nsteps = [\"ansi\"]\n[serve]\nread-tool = \"once\"\n";
    let (_folder, proxy) = start(more);
    for server in ["tamis", "a"] {
        let session = proxy.session(server).await;
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
        let request = proxy.post(server, &message);
        let request = request.header("mcp-session-id", session);
        let answer = request.send().await.expect("an answer");
        answer.text().await.expect("a body");
    }
    let ended = proxy.end().succeeded();
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(said.contains("did you mean `other`?"), "{said}");
    assert!(!said.contains("`*`"), "{said}");
}

/// The rows of `tamis stats --by session`, once the ledger has this many requests.
async fn sessions_in_ledger(proxy: &Proxy, requests: u64) -> Vec<Value> {
    for _ in 0..500 {
        let line = [
            env!("CARGO_BIN_EXE_tamis"),
            "stats",
            "--by",
            "session",
            "--json",
        ];
        let stats = Program::new(&line, proxy.folder.path());
        let stats = stats.env("TAMIS_STATE_DIR", proxy.folder.path().join("state"));
        let report: Value = serde_json::from_slice(&stats.run("").stdout).unwrap_or_default();
        if report["total"]["requests"] == requests {
            let rows = report["rows"].as_array().expect("rows");
            return rows.clone();
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the ledger does not have {requests} requests");
}

#[test]
fn the_server_that_lists_the_read_tool_has_its_name_alone() {
    let folder = Folder::new();
    let table = "[server.tamis]\ncommand = [\"x\"]\n\n[serve]\nread-tool = \"once\"\n";
    folder.write("filters.toml", table);
    let run = proxy::program(&folder).run("");
    let said = String::from_utf8_lossy(&run.stderr).into_owned();
    assert_eq!(run.status.code(), Some(2), "{said}");
    assert!(
        said.contains("filters.toml:1") && said.contains("lists the read tool"),
        "{said}"
    );
}
