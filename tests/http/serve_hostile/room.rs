//! How much is held of what callers send, and kept of what they get.

use std::io::Write;
use std::path::Path;

use reqwest::StatusCode;

use super::owners::{CUTTING, ask, list, long, read, reference};
use super::server::Server;
use super::{OF_CLIENTS, policy, raw, status, stayed_small, until};
use crate::support::proxy::{Proxy, call};

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
async fn bodies_that_arrive_slowly_have_room_for_so_much_of_them() {
    let server = Server::start().await;
    let tokens = "[serve]\ntokens = { alice = \"${ALICE}\", bob = \"${BOB}\" }\n";
    let proxy = Proxy::start_with(&policy(&server, tokens), &OF_CLIENTS);
    let begin = |token: &str| {
        let mut stream = raw(&proxy);
        let head = format!(
            "POST /a/mcp HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\ncontent-length: 90000000\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).expect("write");
        // All but the end of it.
        let piece = vec![b' '; 1 << 20];
        for _ in 0..60 {
            if stream.write_all(&piece).is_err() {
                break;
            }
        }
        stream
    };
    let mut open: Vec<_> = (0..6).map(|_| begin("of-alice")).collect();
    // One fits; each of the others is told so.
    for stream in &mut open[1..] {
        assert_eq!(status(stream), "HTTP/1.1 503");
    }
    let mut of_bob: Vec<_> = (0..2).map(|_| begin("of-bob")).collect();
    assert_eq!(status(&mut of_bob[1]), "HTTP/1.1 503");
    // What is small has room.
    for token in ["of-alice", "of-bob"] {
        let small = proxy.post("a", &call(1, "plain")).bearer_auth(token);
        assert_eq!(
            small.send().await.expect("an answer").status(),
            StatusCode::OK
        );
    }
    stayed_small(&proxy);
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
    let proxy = Proxy::start_with(&text, &OF_CLIENTS);
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
    assert!(
        gone.to_string()
            .contains("call the tool that gave it again"),
        "{gone}"
    );
    let there = ask(&proxy, "of-alice", None, &read(&last)).await;
    assert!(there.to_string().contains("0123456789"), "{there}");
    let there = ask(&proxy, "of-bob", None, &read(&of_bob)).await;
    assert!(there.to_string().contains("0123456789"), "{there}");
    proxy.end().succeeded();
}
