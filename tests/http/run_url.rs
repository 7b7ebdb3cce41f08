//! `tamis run --url`: a client over standard input and output, a server over HTTP. `conformance.rs` has the tests of
//! the protocol's own suite for an HTTP client. Here are the effects of a misbehaving server on the client.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::support::Program;
use crate::support::mcp::{Client, Stage};
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

/// A server that forgets sessions and breaks off streams. It counts its requests.
#[derive(Default)]
struct Upstream {
    sessions: AtomicU64,
    initialized: AtomicU64,
    resumed: AtomicU64,
    deleted: AtomicU64,
}

/// Starts the server on threads of its own, because the client of these tests blocks.
fn upstream() -> (Arc<Upstream>, SocketAddr, tokio::runtime::Runtime) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build();
    let runtime = runtime.expect("threads");
    let upstream = Arc::new(Upstream::default());
    let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0"));
    let listener = listener.expect("listen");
    let address = listener.local_addr().expect("an address");
    let router = Router::new()
        .fallback(answer)
        .with_state(Arc::clone(&upstream));
    runtime.spawn(async move { axum::serve(listener, router).await });
    (upstream, address, runtime)
}

const NOISY: &str = r#"{"a":null,"b":1,"c":2.50,"d":[]}"#;
const CLEANED: &str = r#"{"b":1,"c":2.50}"#;

async fn answer(
    State(upstream): State<Arc<Upstream>>,
    method: Method,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let session = format!("s-{}", upstream.sessions.load(Ordering::SeqCst));
    let is_known = headers
        .get("mcp-session-id")
        .is_some_and(|id| id.as_bytes() == session.as_bytes());
    if method == Method::DELETE {
        upstream.deleted.fetch_add(1, Ordering::SeqCst);
        return StatusCode::NO_CONTENT.into_response();
    }
    if method == Method::GET {
        let Some(event) = headers.get("last-event-id") else {
            return StatusCode::METHOD_NOT_ALLOWED.into_response();
        };
        upstream.resumed.fetch_add(1, Ordering::SeqCst);
        let id = event
            .to_str()
            .expect("text")
            .trim_start_matches("e-")
            .to_owned();
        let rest = format!("id: last\ndata: {}\n\n", result(&id, NOISY));
        return ([("content-type", "text/event-stream")], rest).into_response();
    }
    let message: Value = serde_json::from_slice(&body).expect("JSON");
    let id = message["id"].to_string();
    let as_json = |body: String| ([("content-type", "application/json")], body).into_response();
    match message["method"].as_str().unwrap_or_default() {
        "initialize" => {
            let session = upstream.sessions.fetch_add(1, Ordering::SeqCst) + 1;
            let greeting = format!(
                r#"{{"jsonrpc":"2.0","id":{id},"result":{{"protocolVersion":"2025-11-25","capabilities":{{"tools":{{}}}},"serverInfo":{{"name":"u","version":"1"}}}}}}"#
            );
            let mut answer = as_json(greeting);
            let session = format!("s-{session}").parse().expect("a value");
            answer.headers_mut().insert("mcp-session-id", session);
            answer
        }
        _ if !is_known => StatusCode::NOT_FOUND.into_response(),
        "notifications/initialized" => {
            upstream.initialized.fetch_add(1, Ordering::SeqCst);
            StatusCode::ACCEPTED.into_response()
        }
        "tools/call" => match message["params"]["name"].as_str().unwrap_or_default() {
            "forget" => {
                upstream.sessions.fetch_add(1, Ordering::SeqCst);
                as_json(result(&id, "forgotten"))
            }
            "breaks" => {
                let first = format!("id: e-{id}\nretry: 10\ndata: \n\n");
                ([("content-type", "text/event-stream")], first).into_response()
            }
            "refuses" => (StatusCode::UNAUTHORIZED, "who are you?").into_response(),
            // As servers of the Python SDK do.
            "made-up id" => {
                let error = r#"{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"not today"}}"#;
                (StatusCode::BAD_REQUEST, error).into_response()
            }
            "moves" => {
                let place = [("location", "http://127.0.0.1:9/elsewhere")];
                (StatusCode::TEMPORARY_REDIRECT, place, "elsewhere").into_response()
            }
            "header" => {
                let said = headers
                    .get("x-own")
                    .map_or("", |value| value.to_str().expect("text"));
                as_json(result(&id, said))
            }
            _ => as_json(result(&id, NOISY)),
        },
        _ => StatusCode::ACCEPTED.into_response(),
    }
}

fn result(id: &str, text: &str) -> String {
    let text = Value::from(text);
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[{{"type":"text","text":{text}}}],"x":1e2}}, "y":[]}}"#
    )
}

const POLICY: &str = "[[chain]]\ntools = [\"noisy\", \"breaks\"]\nsteps = [\"null-stripper\"]\n";

fn connect(stage: &Stage, url: &str, more: &[&str]) -> Program {
    let mut line = vec![
        env!("CARGO_BIN_EXE_tamis"),
        "run",
        "--config",
        "filters.toml",
        "--url",
        url,
    ];
    line.extend(more);
    stage.in_state(Program::new(&line, stage.path()))
}

fn greet(client: &mut Client) {
    let greeting = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    });
    client.ask("initialize", &greeting);
    client.notify("notifications/initialized");
}

fn text(client: &mut Client, tool: &str) -> String {
    let answer = client.call(tool, &json!({}));
    let text = answer["content"][0]["text"].as_str();
    text.unwrap_or_else(|| client.fail(&answer.to_string()))
        .to_owned()
}

/// The error that a call ends with.
fn error(client: &mut Client, tool: &str) -> Value {
    let id = client.send("tools/call", &json!({"name": tool, "arguments": {}}));
    let line = client.line(id);
    let answer: Value = serde_json::from_slice(&line).expect("JSON");
    answer["error"].clone()
}

#[test]
fn results_are_filtered_and_all_else_is_as_the_server_sent_it() {
    let (upstream, address, _runtime) = upstream();
    let stage = Stage::new(POLICY);
    let mut client = Client::of(connect(&stage, &format!("http://{address}/mcp"), &[]));
    greet(&mut client);
    let id = client.send("tools/call", &json!({"name": "noisy", "arguments": {}}));
    let line = String::from_utf8(client.line(id)).expect("text");
    assert_eq!(line.trim_end(), result(&id.to_string(), CLEANED));
    let id = client.send("tools/call", &json!({"name": "plain", "arguments": {}}));
    let line = String::from_utf8(client.line(id)).expect("text");
    assert_eq!(line.trim_end(), result(&id.to_string(), NOISY));
    client.finish().succeeded();
    assert_eq!(
        upstream.deleted.load(Ordering::SeqCst),
        1,
        "the server knows that the session is over"
    );
}

#[test]
fn a_server_that_forgot_the_session_is_greeted_anew() {
    let (upstream, address, _runtime) = upstream();
    let stage = Stage::new(POLICY);
    let mut client = Client::of(connect(&stage, &format!("http://{address}/mcp"), &[]));
    greet(&mut client);
    assert_eq!(text(&mut client, "forget"), "forgotten");
    assert_eq!(text(&mut client, "noisy"), CLEANED);
    assert_eq!(text(&mut client, "noisy"), CLEANED);
    assert_eq!(upstream.initialized.load(Ordering::SeqCst), 2);
    client.finish().succeeded();
}

#[test]
fn a_stream_that_broke_off_is_gone_on_with() {
    let (upstream, address, _runtime) = upstream();
    let stage = Stage::new(POLICY);
    let mut client = Client::of(connect(&stage, &format!("http://{address}/mcp"), &[]));
    greet(&mut client);
    assert_eq!(text(&mut client, "breaks"), CLEANED);
    assert_eq!(upstream.resumed.load(Ordering::SeqCst), 1);
    client.finish().succeeded();
}

#[test]
fn what_goes_wrong_is_the_answer_of_the_request() {
    let (_, address, runtime) = upstream();
    let stage = Stage::new("");
    let mut client = Client::of(connect(&stage, &format!("http://{address}/mcp"), &[]));
    greet(&mut client);
    let refused = error(&mut client, "refuses");
    let said = refused["message"].to_string();
    assert!(
        said.contains("tamis login") && said.contains("Authorization: Bearer"),
        "{refused}"
    );
    let moved = error(&mut client, "moves");
    let said = moved["message"].to_string();
    assert!(
        said.contains("redirects") && !said.contains("elsewhere"),
        "{moved}"
    );
    // The server ends, and does not come back.
    runtime.shutdown_background();
    let lost = error(&mut client, "plain");
    let said = lost["message"].to_string();
    assert!(
        said.contains("cannot be reached") || said.contains("ended before"),
        "{lost}"
    );
    client.finish().succeeded();
}

#[test]
fn an_error_is_told_once_to_the_request_that_it_is_for() {
    let (_, address, _runtime) = upstream();
    let stage = Stage::new("");
    let mut client = Client::of(connect(&stage, &format!("http://{address}/mcp"), &[]));
    greet(&mut client);
    let refused = error(&mut client, "made-up id");
    assert_eq!(refused["message"], "not today");
    assert_eq!(text(&mut client, "plain"), NOISY);
    let done = client.finish().succeeded();
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    assert_eq!(said.matches("\"error\"").count(), 1, "{said}");
}

#[test]
fn headers_come_from_the_environment() {
    let (_, address, _runtime) = upstream();
    let stage = Stage::new("");
    let url = format!("http://{address}/mcp");
    let header = ["--header", "X-Own: a ${SECRET}"];
    let mut client = Client::of(connect(&stage, &url, &header).env("SECRET", "word"));
    greet(&mut client);
    assert_eq!(text(&mut client, "header"), "a word");
    client.finish().succeeded();
    let without = connect(&stage, &url, &header).run("");
    assert_eq!(without.status.code(), Some(2), "{}", without.report());
    let said = String::from_utf8_lossy(&without.stderr).into_owned();
    assert!(said.contains("SECRET is not set"), "{said}");
    for (url, more) in [
        ("not a url", &[][..]),
        ("ftp://x/", &[]),
        (&url, &["--header", "nonsense"]),
    ] {
        let refused = connect(&stage, url, more).run("");
        assert_eq!(refused.status.code(), Some(2), "{}", refused.report());
    }
}
