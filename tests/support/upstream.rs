//! A server over HTTP with rare behaviour at a test's request: it streams slowly, breaks off, and records the requests.

use std::collections::HashSet;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use axum::Router;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use hyper::body::Frame;
use serde_json::{Value, json};
use tokio::sync::{Notify, mpsc};

/// A received request.
#[derive(Clone, Debug)]
pub struct Received {
    pub headers: HeaderMap,
    pub body: Value,
}

#[derive(Default)]
pub struct Upstream {
    received: Mutex<Vec<Received>>,
    sessions: Mutex<HashSet<String>>,
    /// Releases the next piece of a stream, or a slow answer.
    pub go_on: Notify,
    /// Notified if a client leaves before the end of its answer.
    pub left: Notify,
}

impl Upstream {
    /// Starts a server on the loopback interface.
    pub async fn start() -> (Arc<Upstream>, SocketAddr) {
        let upstream = Arc::new(Upstream::default());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await;
        let listener = listener.expect("listen");
        let address = listener.local_addr().expect("an address");
        let router = Router::new()
            .fallback(answer)
            .with_state(Arc::clone(&upstream));
        tokio::spawn(async move { axum::serve(listener, router).await });
        (upstream, address)
    }

    pub fn received(&self) -> Vec<Received> {
        self.received.lock().expect("no test panics here").clone()
    }

    /// Messages with this method.
    pub fn received_of(&self, method: &str) -> Vec<Received> {
        let mut received = self.received();
        received.retain(|one| one.body["method"] == method);
        received
    }
}

async fn answer(
    State(upstream): State<Arc<Upstream>>,
    method: Method,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let received = Received {
        headers: headers.clone(),
        body: body.clone(),
    };
    upstream
        .received
        .lock()
        .expect("no test panics here")
        .push(received);
    let session = headers
        .get("mcp-session-id")
        .and_then(|id| id.to_str().ok());
    if method == Method::GET {
        return standing(upstream);
    }
    if method == Method::DELETE {
        let id = session.unwrap_or_default();
        upstream
            .sessions
            .lock()
            .expect("no test panics here")
            .remove(id);
        return StatusCode::NO_CONTENT.into_response();
    }
    let id = &body["id"];
    if id.is_null() {
        return StatusCode::ACCEPTED.into_response();
    }
    let result = |result: Value| json!({"jsonrpc": "2.0", "id": id, "result": result});
    match body["method"].as_str().unwrap_or_default() {
        "initialize" => {
            let mut sessions = upstream.sessions.lock().expect("no test panics here");
            let session = format!("session-{}", sessions.len());
            sessions.insert(session.clone());
            let greeting = result(json!({
                "protocolVersion": "2025-11-25",
                "capabilities": {"tools": {"listChanged": true}},
                "serverInfo": {"name": "upstream", "version": "1"},
            }));
            let cookie = ("set-cookie", "secret=of-this-server; Path=/".to_owned());
            ([("mcp-session-id", session), cookie], as_json(&greeting)).into_response()
        }
        "tools/list" => {
            let tool = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}});
            let tools: Vec<Value> = ["noisy", "long", "plain"].map(tool).to_vec();
            as_json(&result(json!({"tools": tools}))).into_response()
        }
        "tools/call" => {
            let name = body["params"]["name"].as_str().unwrap_or_default();
            call(upstream, name, id.clone(), &body["params"]["arguments"]).await
        }
        _ => as_json(&result(json!({}))).into_response(),
    }
}

/// A text that filters change.
pub const NOISY: &str = r#"{"a":null,"b":1,"c":2.50,"d":[]}"#;

/// A tool's answer, byte for byte as this server writes it.
pub fn answer_of(id: &Value, text: &str) -> String {
    let text = Value::from(text);
    format!(
        r#"{{"result":{{"content":[{{"type":"text","text":{text}}}],"x":1e2}},"id":{id},  "jsonrpc":"2.0"}}"#
    )
}

async fn call(upstream: Arc<Upstream>, name: &str, id: Value, arguments: &Value) -> Response {
    let tool =
        |text: &str| ([("content-type", "application/json")], answer_of(&id, text)).into_response();
    match name {
        "long" => tool(&"0123456789\n".repeat(2000)),
        "huge" => tool(&"a word ".repeat(arguments["words"].as_u64().unwrap_or(0) as usize)),
        "slow" => {
            upstream.go_on.notified().await;
            tool(NOISY)
        }
        "stream" | "stream-plain" => {
            let last = format!("id: 7\nevent: message\ndata: {}\n\n", answer_of(&id, NOISY));
            pieces(
                upstream,
                vec![": hello\n\n".to_owned(), progress(), last],
                false,
            )
        }
        "breaks-off" => pieces(upstream, vec![progress()], true),
        "ends-early" => pieces(upstream, vec![progress()], false),
        _ => tool(NOISY),
    }
}

fn as_json(message: &Value) -> Response {
    let kind = [("content-type", "application/json")];
    (kind, message.to_string()).into_response()
}

fn progress() -> String {
    let progress = json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": 1, "progress": 1}});
    format!("data: {progress}\n\n")
}

/// Sends the first piece at once, and each other one at the test's request.
fn pieces(upstream: Arc<Upstream>, pieces: Vec<String>, breaks_off: bool) -> Response {
    let (out, body) = mpsc::channel(1);
    tokio::spawn(async move {
        for (index, piece) in pieces.into_iter().enumerate() {
            if index > 0 {
                tokio::select! {
                    () = upstream.go_on.notified() => {}
                    () = out.closed() => {
                        upstream.left.notify_one();
                        return;
                    }
                }
            }
            if out.send(Ok(Frame::data(Bytes::from(piece)))).await.is_err() {
                upstream.left.notify_one();
                return;
            }
        }
        if breaks_off {
            upstream.go_on.notified().await;
            let _ = out.send(Err(std::io::Error::other("as intended"))).await;
        }
    });
    events(body)
}

/// A stream without data until the client leaves.
fn standing(upstream: Arc<Upstream>) -> Response {
    let (out, body) = mpsc::channel(1);
    tokio::spawn(async move {
        let _ = out
            .send(Ok(Frame::data(Bytes::from_static(b": listening\n\n"))))
            .await;
        out.closed().await;
        upstream.left.notify_one();
    });
    events(body)
}

fn events(pieces: mpsc::Receiver<Piece>) -> Response {
    let body = Body::new(Pieces(pieces));
    ([("content-type", "text/event-stream")], body).into_response()
}

type Piece = std::io::Result<Frame<Bytes>>;

struct Pieces(mpsc::Receiver<Piece>);

impl HttpBody for Pieces {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Piece>> {
        self.0.poll_recv(context)
    }
}
