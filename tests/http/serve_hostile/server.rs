//! A server without rules: one session for all, answers of any size, and redirects.

use std::sync::{Arc, Mutex, MutexGuard};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

/// A received message.
#[derive(Clone, Debug)]
#[allow(dead_code)]
pub struct Received {
    pub method: Method,
    pub headers: HeaderMap,
    pub body: Value,
}

#[derive(Default)]
struct Shared {
    received: Vec<Received>,
    sessions: u64,
    one_session: bool,
    redirects: Option<u16>,
    content_type: Option<&'static str>,
}

/// A server on the loopback interface.
pub struct Server {
    pub url: String,
    shared: Arc<Mutex<Shared>>,
}

impl Server {
    pub async fn start() -> Server {
        let shared = Arc::<Mutex<Shared>>::default();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await;
        let listener = listener.expect("listen");
        let address = listener.local_addr().expect("an address");
        let router = Router::new()
            .fallback(answer)
            .layer(axum::extract::DefaultBodyLimit::disable())
            .with_state(Arc::clone(&shared));
        tokio::spawn(async move { axum::serve(listener, router).await });
        Server {
            url: format!("http://{address}/mcp"),
            shared,
        }
    }

    /// Gives all sessions one id from now on.
    pub fn has_one_session(&self) {
        lock(&self.shared).one_session = true;
    }

    /// Answers with this status and a redirect from now on.
    pub fn redirects(&self, status: Option<u16>) {
        lock(&self.shared).redirects = status;
    }

    /// Answers with this media type from now on.
    pub fn says(&self, content_type: &'static str) {
        lock(&self.shared).content_type = Some(content_type);
    }

    pub fn received(&self) -> Vec<Received> {
        lock(&self.shared).received.clone()
    }
}

fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().expect("no test panics here")
}

async fn answer(
    State(shared): State<Arc<Mutex<Shared>>>,
    method: Method,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let mut shared = lock(&shared);
    let (id, name) = (body["id"].clone(), body["method"].clone());
    let tool = body["params"]["name"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    let words = body["params"]["arguments"]["words"].as_u64().unwrap_or(0);
    // Long values are not stored.
    let kept = if tool.len() < 100 { body } else { Value::Null };
    shared.received.push(Received {
        method: method.clone(),
        headers,
        body: kept,
    });
    if let Some(status) = shared.redirects {
        let status = StatusCode::from_u16(status).expect("a status");
        return (status, [("location", "http://elsewhere.example.com/mcp")]).into_response();
    }
    if method != Method::POST || id.is_null() {
        return (StatusCode::ACCEPTED, "Accepted").into_response();
    }
    let own = [
        (
            "content-type",
            shared.content_type.unwrap_or("application/json"),
        ),
        ("access-control-allow-origin", "http://another.example.com"),
        ("location", "http://elsewhere.example.com/mcp"),
        ("refresh", "0; url=http://elsewhere.example.com/"),
        ("alt-svc", "h3=\":443\""),
        ("set-cookie", "a=b"),
    ];
    let result = |result: Value| json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string();
    match name.as_str().unwrap_or_default() {
        "initialize" => {
            shared.sessions += u64::from(!shared.one_session);
            let session = format!("session-{}", shared.sessions);
            let greeting = result(json!({
                "protocolVersion": "2025-11-25",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "server", "version": "1"},
            }));
            (own, [("mcp-session-id", session)], greeting).into_response()
        }
        "tools/list" => {
            let tool = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}});
            let tools = ["long", "plain", "quick", "slow"].map(tool);
            (own, result(json!({"tools": tools}))).into_response()
        }
        "tools/call" => {
            let text = match tool.as_str() {
                "long" => format!("{words} times:{}", "\n0123456789".repeat(words as usize)),
                _ => r#"{"a":null,"b":1}"#.to_owned(),
            };
            (
                own,
                result(json!({"content": [{"type": "text", "text": text}]})),
            )
                .into_response()
        }
        _ => (own, result(json!({}))).into_response(),
    }
}
