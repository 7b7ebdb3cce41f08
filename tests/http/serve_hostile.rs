//! `tamis serve` with hostile callers, servers and plugins: who reaches whom, what one can take from another, and the
//! bounds of everything.

mod answers;
mod environment;
mod owners;
mod processes;
mod room;
mod server;
mod turns;

use crate::support::proxy;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::time::Duration;

use self::server::Server;
use crate::support::proxy::{Proxy, call};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

/// Two clients with tokens.
const TOKENS: &str = "[serve]\ntokens = { alice = \"${ALICE}\", bob = \"${BOB}\" }\n";
const OF_CLIENTS: [(&str, &str); 2] = [("ALICE", "of-alice"), ("BOB", "of-bob")];

/// Waits until a condition holds.
async fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    for _ in 0..6000 {
        if is_so() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("{what}: it is not so after 30 s");
}

/// A connection, for bytes that no client would send.
fn raw(proxy: &Proxy) -> TcpStream {
    let address = proxy.base.trim_start_matches("http://");
    let stream = TcpStream::connect(address).expect("it listens");
    let patience = Some(Duration::from_secs(30));
    stream.set_read_timeout(patience).expect("a time");
    stream
}

/// The status of the answer that comes.
fn status(stream: &mut TcpStream) -> String {
    let mut status = [0; 12];
    stream.read_exact(&mut status).expect("an answer");
    String::from_utf8_lossy(&status).into_owned()
}

/// A server in Python, from this file.
fn policy_of(server: &Path, more: &str) -> String {
    format!("[server.a]\ncommand = [\"python3\", {server:?}]\n{more}")
}

fn policy(server: &Server, more: &str) -> String {
    format!("[server.a]\nurl = \"{}\"\n{more}", server.url)
}

#[tokio::test]
async fn preflights_are_answered_by_tamis_and_reach_nobody() {
    let server = Server::start().await;
    let more = format!("headers = {{ x-key = \"${{KEY}}\" }}\n{TOKENS}");
    let environment = [&OF_CLIENTS[..], &[("KEY", "of-the-operator")]].concat();
    let proxy = Proxy::start_with(&policy(&server, &more), &environment);
    let client = proxy::client();
    let ask = |origin: &'static str| {
        let request = client.request(Method::OPTIONS, proxy.url("a"));
        let request = request.header("access-control-request-method", "POST");
        let request = request.header("access-control-request-headers", "authorization");
        request
            .header("origin", origin)
            .body("x".repeat(1000))
            .send()
    };
    let answer = ask("http://localhost:5173").await.expect("an answer");
    assert_eq!(answer.status(), StatusCode::NO_CONTENT);
    for (name, value) in [
        ("access-control-allow-origin", "http://localhost:5173"),
        ("access-control-allow-methods", "POST, GET, DELETE"),
        ("access-control-allow-headers", "authorization"),
    ] {
        assert_eq!(answer.headers()[name], value, "{name}");
    }
    let stranger = ask("http://evil.example.com").await.expect("an answer");
    assert_eq!(stranger.status(), StatusCode::FORBIDDEN);
    assert!(
        !stranger
            .headers()
            .contains_key("access-control-allow-origin")
    );
    // A page may read allowed answers, and the server's own headers about that are ignored.
    let page = proxy.post("a", &call(1, "plain")).bearer_auth("of-alice");
    let page = page.header("origin", "http://localhost:5173").send().await;
    let page = page.expect("an answer");
    let allowed = page.headers().get_all("access-control-allow-origin");
    assert_eq!(
        allowed.iter().collect::<Vec<_>>(),
        ["http://localhost:5173"]
    );
    let asked = server.received();
    assert_eq!(asked.len(), 1, "{asked:?}");
    assert_eq!(asked[0].method, Method::POST);
    proxy.end().succeeded();
}

#[tokio::test]
async fn other_methods_reach_nobody_whatever_they_bring() {
    let server = Server::start().await;
    let proxy = Proxy::start_with(&policy(&server, TOKENS), &OF_CLIENTS);
    let client = proxy::client();
    for method in ["PUT", "PATCH", "HEAD", "TRACE", "CONNECTED", "options"] {
        let method = Method::from_bytes(method.as_bytes()).expect("a method");
        let request = client.request(method.clone(), proxy.url("a"));
        let answer = request.bearer_auth("of-alice").send().await;
        let answer = answer.expect("an answer");
        assert_eq!(answer.status(), StatusCode::METHOD_NOT_ALLOWED, "{method}");
        assert_eq!(answer.headers()["allow"], "POST, GET, DELETE");
    }
    for method in [Method::POST, Method::GET, Method::DELETE] {
        let answer = client.request(method, proxy.url("a")).send().await;
        let answer = answer.expect("an answer");
        assert_eq!(answer.status(), StatusCode::UNAUTHORIZED);
    }
    assert_eq!(server.received().len(), 0);
    proxy.end().succeeded();
}

#[tokio::test]
async fn nothing_of_a_request_that_is_refused_is_held() {
    let server = Server::start().await;
    let mut proxy = Proxy::start_with(&policy(&server, TOKENS), &OF_CLIENTS);
    let mut open = Vec::new();
    for method in ["OPTIONS", "PUT", "POST", "GET"] {
        let mut stream = raw(&proxy);
        let head = format!(
            "{method} /a/mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: 90000000\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).expect("write");
        // It answers before the body arrives, and reads at most a buffer of it.
        let expected = match method {
            "OPTIONS" => "HTTP/1.1 204",
            "PUT" => "HTTP/1.1 405",
            _ => "HTTP/1.1 401",
        };
        assert_eq!(status(&mut stream), expected, "{method}");
        let _ = stream.write_all(&vec![b' '; 1 << 20]);
        open.push(stream);
    }
    proxy.running.stayed_small();
    proxy.end().succeeded();
}

#[tokio::test]
async fn where_a_server_leads_no_client_is_sent() {
    let server = Server::start().await;
    let proxy = Proxy::start_with(&policy(&server, TOKENS), &OF_CLIENTS);
    for status in [301, 302, 303, 307, 308] {
        server.redirects(Some(status));
        let request = proxy.post("a", &call(7, "plain")).bearer_auth("of-alice");
        let answer = request.send().await.expect("an answer");
        assert_eq!(answer.status(), StatusCode::BAD_GATEWAY, "{status}");
        assert!(!answer.headers().contains_key("location"));
        let error: Value = answer.json().await.expect("JSON");
        assert_eq!(error["id"], 7);
        let why = error["error"]["message"].to_string();
        assert!(
            why.contains("redirects") && !why.contains("elsewhere"),
            "{why}"
        );
    }
    server.redirects(None);
    let answer = proxy.post("a", &call(1, "plain")).bearer_auth("of-alice");
    let answer = answer.send().await.expect("an answer");
    for name in [
        "location",
        "refresh",
        "alt-svc",
        "set-cookie",
        "access-control-allow-origin",
    ] {
        assert!(!answer.headers().contains_key(name), "{name}");
    }
    proxy.end().succeeded();
}

#[tokio::test]
async fn names_and_ids_that_somebody_makes_up_do_not_fill_the_memory() {
    let server = Server::start().await;
    let chain = "[[chain]]\ntools = [\"filtered*\"]\nsteps = [\"null-stripper\"]\n";
    let mut proxy = Proxy::start(&policy(&server, chain));
    let session = proxy.session("a").await;
    for number in 0..40 {
        let kind = ["plain", "filtered"][number % 2];
        let name = format!("{kind}{number}{}", "x".repeat(5 << 20));
        let request = proxy.post("a", &call(1, &name));
        let answer = request.header("mcp-session-id", &session).send().await;
        assert_eq!(answer.expect("an answer").status(), 200);
    }
    let long = json!({"jsonrpc": "2.0", "id": "x".repeat(5 << 20), "method": "ping"});
    let refused = proxy.post("a", &long).header("mcp-session-id", &session);
    let refused = refused.send().await.expect("an answer");
    assert_eq!(refused.status(), StatusCode::BAD_REQUEST);
    let numbers = proxy.get("/metrics").send().await.expect("an answer");
    let numbers = numbers.text().await.expect("a body");
    assert!(numbers.len() < 10_000, "{} bytes", numbers.len());
    let others = r#"tamis_calls_total{server="a",tool="(other)",outcome="passed"} 20"#;
    assert!(numbers.contains(others), "{numbers}");
    proxy.running.stayed_small();
    proxy.end().succeeded();
}

#[tokio::test]
async fn what_a_server_writes_into_a_receipt_goes_nowhere() {
    let server = Server::start().await;
    let hiding = "[[chain]]\ntools = [\"*\"]\nsteps = [{ filter = \"reshape\", drop = [\"**.secret\"], on-error = \"block\" }]\n";
    let proxy = Proxy::start(&policy(&server, hiding));
    let notification = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let receipt = proxy.post("a", &notification).send().await;
    let receipt = receipt.expect("an answer");
    assert_eq!(receipt.status(), StatusCode::ACCEPTED);
    assert!(!receipt.headers().contains_key("content-type"));
    assert_eq!(receipt.text().await.expect("a body"), "");
    proxy.end().succeeded();
}
