//! Bounds of received data, and of stored results.

use std::io::Write;
use std::path::Path;
use std::time::Duration;

use reqwest::StatusCode;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::watch;

use super::owners::{CUTTING, ask, list, long, read, reference};
use super::server::Server;
use super::{OF_CLIENTS, TOKENS, policy, policy_of, raw, status, until};
use crate::support::Folder;
use crate::support::proxy::{Proxy, call, initialize, piece};

#[tokio::test]
async fn a_body_that_does_not_arrive_is_not_waited_for() {
    let server = Server::start().await;
    let limits = "[serve]\nlimits = { request-time = \"1s\" }\n";
    let proxy = Proxy::start(&policy(&server, limits));
    let mut stream = raw(&proxy);
    let head = "POST /a/mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000\r\n\r\n{";
    stream.write_all(head.as_bytes()).expect("write");
    assert_eq!(status(&mut stream), "HTTP/1.1 408");
    assert_eq!(server.received().len(), 0);
    proxy.end().succeeded();
}

#[tokio::test]
async fn who_sends_all_before_it_reads_gets_the_refusal() {
    let server = Server::start().await;
    let proxy = Proxy::start_with(&policy(&server, TOKENS), &OF_CLIENTS);
    let alice = "authorization: Bearer of-alice\r\n";
    for (token, size, refused) in [("", 50_000_000, "401"), (alice, 110_000_000, "413")] {
        let mut stream = raw(&proxy);
        let head = format!(
            "POST /a/mcp HTTP/1.1\r\nhost: localhost\r\n{token}content-length: {size}\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).expect("write");
        stream.write_all(&vec![b' '; size]).expect("all is taken");
        assert_eq!(status(&mut stream), format!("HTTP/1.1 {refused}"));
    }
    assert_eq!(server.received().len(), 0);
    proxy.end().succeeded();
}

#[tokio::test]
async fn bodies_that_arrive_slowly_have_room_for_so_much_of_them() {
    let server = Server::start().await;
    let tokens = "[serve]\ntokens = { alice = \"${ALICE}\", bob = \"${BOB}\" }\n";
    let mut proxy = Proxy::start_with(&policy(&server, tokens), &OF_CLIENTS);
    let begin = |token: &str| {
        let mut stream = raw(&proxy);
        let head = format!(
            "POST /a/mcp HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\ncontent-length: 90000000\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).expect("write");
        // The whole body except its end.
        let piece = vec![b' '; 1 << 20];
        for _ in 0..60 {
            if stream.write_all(&piece).is_err() {
                break;
            }
        }
        stream
    };
    let mut open: Vec<_> = (0..6).map(|_| begin("of-alice")).collect();
    // One fits; each of the others gets an error.
    for stream in &mut open[1..] {
        assert_eq!(status(stream), "HTTP/1.1 503");
    }
    let mut of_bob: Vec<_> = (0..2).map(|_| begin("of-bob")).collect();
    assert_eq!(status(&mut of_bob[1]), "HTTP/1.1 503");
    // Small bodies still fit.
    for token in ["of-alice", "of-bob"] {
        let small = proxy.post("a", &call(1, "plain")).bearer_auth(token);
        assert_eq!(
            small.send().await.expect("an answer").status(),
            StatusCode::OK
        );
    }
    proxy.running.stayed_small();
    proxy.end();
}

/// Bytes of the originals of all callers.
fn kept(state: &Path) -> u64 {
    let callers = std::fs::read_dir(state.join("callers"))
        .into_iter()
        .flatten();
    let files = callers.flatten().flat_map(|caller| {
        let files = std::fs::read_dir(caller.path().join("originals"));
        files.into_iter().flatten().flatten()
    });
    files
        .filter_map(|file| Some(file.metadata().ok()?.len()))
        .sum()
}

#[tokio::test]
async fn originals_of_one_caller_take_so_much_and_the_oldest_go() {
    let server = Server::start().await;
    let limits = "[serve]\ntokens = { alice = \"${ALICE}\", bob = \"${BOB}\" }\nlimits = { originals = \"1MiB\" }\n";
    let text = policy(&server, &format!("{CUTTING}{limits}"));
    let mut proxy = Proxy::start_with(&text, &OF_CLIENTS);
    let call = async |token: &str, words: u64| {
        let cut = ask(&proxy, token, None, &long(words)).await;
        reference(&cut)
    };
    for token in ["of-alice", "of-bob"] {
        ask(&proxy, token, None, &list()).await;
    }
    let of_bob = call("of-bob", 2000).await;
    let first = call("of-alice", 10_000).await;
    let mut last = String::new();
    // 110 KB each.
    for number in 1..=40 {
        last = call("of-alice", 10_000 + number).await;
    }
    let state = proxy.folder.path().join("state");
    until("the oldest have gone", || kept(&state) <= 1_200_000).await;
    let gone = ask(&proxy, "of-alice", None, &read(&first)).await;
    assert_eq!(gone["result"]["isError"], true, "{gone}");
    assert!(gone.to_string().contains("call the tool again"), "{gone}");
    let there = ask(&proxy, "of-alice", None, &read(&last)).await;
    assert!(there.to_string().contains("0123456789"), "{there}");
    let there = ask(&proxy, "of-bob", None, &read(&of_bob)).await;
    assert!(there.to_string().contains("0123456789"), "{there}");
    proxy.running.stayed_small();
    proxy.end().succeeded();
}

/// A server that answers with this head and then with spaces, and never ends its answer; and what tells how many answers
/// were taken so far.
async fn endless(head: &'static str, spaces: usize) -> (String, watch::Receiver<usize>) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await;
    let listener = listener.expect("listen");
    let address = listener.local_addr().expect("an address");
    let (taken, of_test) = watch::channel(0);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let taken = taken.clone();
            tokio::spawn(async move {
                // A request of these tests is one piece, or is read during the answer.
                let mut request = vec![0; 64 << 10];
                let _ = stream.read(&mut request).await;
                let _ = stream.write_all(head.as_bytes()).await;
                if stream.write_all(&vec![b' '; spaces]).await.is_ok() {
                    taken.send_modify(|taken| *taken += 1);
                }
                while stream.read(&mut request).await.is_ok_and(|read| read > 0) {}
            });
        }
    });
    (format!("http://{address}/mcp"), of_test)
}

/// Longer than any answer of these tests takes.
const LONG: Duration = Duration::from_secs(60);

const BOUND: &str = "[[chain]]\ntools = [\"*\"]\nsteps = [\"null-stripper\"]\n";

#[tokio::test]
async fn arguments_have_room_for_as_long_as_a_stream_holds_them() {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n3\r\n:\n\n\r\n";
    let (url, _) = endless(head, 0).await;
    let proxy = Proxy::start(&format!("[server.a]\nurl = \"{url}\"\n{BOUND}"));
    let large = || {
        let mut message = call(1, "any");
        message["params"]["arguments"] = serde_json::json!({"text": "x".repeat(50 << 20)});
        proxy.post("a", &message).send()
    };
    let mut first = large().await.expect("an answer");
    assert_eq!(first.status(), StatusCode::OK);
    piece(&mut first).await.expect("the stream has begun");
    let refused = large().await.expect("an answer");
    assert_eq!(refused.status(), StatusCode::SERVICE_UNAVAILABLE);
    let why = refused.text().await.expect("a body");
    assert!(why.contains("too many large requests are held"), "{why}");
    drop(first);
    // Tamis notices this at the next look at the connection.
    for _ in 0..200 {
        if large().await.expect("an answer").status() == StatusCode::OK {
            proxy.running.kill();
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the room is not given back");
}

#[tokio::test]
async fn answers_of_all_servers_together_have_so_much_room() {
    let head =
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 200000000\r\n\r\n";
    let (url, mut taken) = endless(head, 140 << 20).await;
    let limits = format!("{TOKENS}limits = {{ answers = \"256MiB\" }}\n{BOUND}");
    let proxy = Proxy::start_with(
        &format!("[server.a]\nurl = \"{url}\"\n{limits}"),
        &OF_CLIENTS,
    );
    let mut waiting = tokio::task::JoinSet::new();
    let ask = |token: &str| proxy.post("a", &call(1, "any")).bearer_auth(token).send();
    waiting.spawn(ask("of-alice"));
    tokio::select! {
        is_held = taken.wait_for(|taken| *taken >= 1) => assert!(is_held.is_ok()),
        refused = waiting.join_next() => panic!("it fits: {refused:?}"),
        () = tokio::time::sleep(LONG) => panic!("the server waits to send"),
    }
    // One is held; the others do not fit.
    for token in ["of-bob", "of-alice"] {
        waiting.spawn(ask(token));
    }
    for _ in 0..2 {
        let refused = tokio::time::timeout(LONG, waiting.join_next()).await;
        let refused = refused.unwrap_or_else(|_| panic!("none is refused: {:?}", taken.borrow()));
        let refused = refused.expect("two").expect("no panic").expect("an answer");
        assert_eq!(refused.status(), StatusCode::SERVICE_UNAVAILABLE);
        let error: serde_json::Value = refused.json().await.expect("JSON");
        assert_eq!(error["id"], 1);
        let why = error["error"]["message"].to_string();
        assert!(why.contains("too many large answers"), "{why}");
    }
    assert!(waiting.try_join_next().is_none());
    drop(waiting);
    proxy.running.kill();
}

/// Writes most of a long line.
const LONG_LINES: &str = r#"
import json, os, sys, time
for line in sys.stdin:
    message = json.loads(line)
    id = message.get("id")
    if message.get("method") == "initialize":
        result = {"protocolVersion": message["params"]["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}}
        print(json.dumps({"jsonrpc": "2.0", "id": id, "result": result}), flush=True)
    elif id is not None:
        sys.stdout.write('{"jsonrpc":"2.0","id":%s,"result":{"text":"' % json.dumps(id))
        for _ in range(140):
            sys.stdout.write("x" * (1 << 20))
        sys.stdout.flush()
        parent = os.getppid()
        while os.getppid() == parent:
            time.sleep(0.05)
"#;

#[tokio::test]
async fn lines_of_all_processes_together_have_so_much_room() {
    let folder = Folder::new();
    let server = folder.write("server.py", LONG_LINES);
    let more = format!("{TOKENS}limits = {{ answers = \"256MiB\" }}\n");
    let mut proxy = Proxy::start_with(&policy_of(&server, &more), &OF_CLIENTS);
    let mut sessions = Vec::new();
    for token in ["of-alice", "of-bob"] {
        let greeting = proxy
            .post("a", &initialize())
            .bearer_auth(token)
            .send()
            .await;
        let session = greeting.expect("an answer").headers()["mcp-session-id"].clone();
        sessions.push((token, session));
    }
    let mut waiting = tokio::task::JoinSet::new();
    for (token, session) in &sessions {
        let request = proxy.post("a", &call(1, "any")).bearer_auth(token);
        let request = request.header("mcp-session-id", session.clone());
        waiting.spawn(async move {
            let answer = request.send().await.expect("an answer");
            answer.text().await.expect("a body")
        });
    }
    let told = waiting
        .join_next()
        .await
        .expect("an answer")
        .expect("no panic");
    assert!(
        told.len() < 1000 && told.contains("too many large answers"),
        "{told:.200}"
    );
    proxy.running.wait_for_log(0, "finds no room");
    drop(waiting);
    proxy.running.kill();
}

#[tokio::test]
async fn a_list_of_very_many_messages_is_refused() {
    let server = Server::start().await;
    let mut proxy = Proxy::start(&policy(&server, ""));
    for message in ["{}", r#"{"method":"a"}"#, "1"] {
        let count = (12 << 20) / (message.len() + 1);
        let list = format!("[{message}{}]", format!(",{message}").repeat(count));
        let request = crate::support::proxy::client()
            .post(proxy.url("a"))
            .body(list);
        let request = request.header("content-type", "application/json");
        let refused = request.header("accept", "application/json").send().await;
        let refused = refused.expect("an answer");
        assert_eq!(refused.status(), StatusCode::BAD_REQUEST, "{message}");
    }
    proxy.running.stayed_small();
    assert_eq!(server.received().len(), 0);
    proxy.end().succeeded();
}
