//! An HTTP server with answers set by the test.

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

/// An answer of the server.
#[derive(Debug, Clone)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Reply {
    pub fn json(body: &[u8]) -> Reply {
        Reply {
            status: 200,
            headers: vec![("content-type".to_owned(), "application/json".to_owned())],
            body: body.to_vec(),
        }
    }

    pub fn events(body: &[u8]) -> Reply {
        Reply::json(body).with("content-type", "text/event-stream")
    }

    /// Adds this header; an empty value adds none.
    pub fn with(mut self, name: &str, value: &str) -> Reply {
        self.headers.retain(|(known, _)| known != name);
        if !value.is_empty() {
            self.headers.push((name.to_owned(), value.to_owned()));
        }
        self
    }
}

type Answer = Box<dyn Fn(u64, usize) -> Reply + Send>;

#[derive(Default)]
struct ServerState {
    replies: HashMap<u64, Reply>,
    calls: Option<Answer>,
    received: Vec<String>,
}

pub struct Upstream {
    pub address: SocketAddr,
    state: Arc<Mutex<ServerState>>,
}

impl Upstream {
    /// Starts a server on the loopback interface.
    pub async fn start() -> Upstream {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await;
        let listener = listener.expect("listen");
        let address = listener.local_addr().expect("an address");
        let state = Arc::<Mutex<ServerState>>::default();
        let router = Router::new()
            .fallback(answer)
            .with_state(Arc::clone(&state));
        tokio::spawn(async move { axum::serve(listener, router).await });
        Upstream { address, state }
    }

    /// Sets the answer to the request with this id; 0: to messages without an id.
    pub fn will_reply(&self, id: u64, reply: Reply) {
        self.state.lock().expect("state").replies.insert(id, reply);
    }

    /// Sets the answer to a call with this id of the tool with this number.
    pub fn will_answer_calls(&self, answer: impl Fn(u64, usize) -> Reply + Send + 'static) {
        self.state.lock().expect("state").calls = Some(Box::new(answer));
    }

    /// The received messages.
    pub fn received(&self) -> Vec<String> {
        self.state.lock().expect("state").received.clone()
    }
}

async fn answer(
    State(state): State<Arc<Mutex<ServerState>>>,
    method: Method,
    body: Bytes,
) -> Response {
    if method != Method::POST {
        return StatusCode::METHOD_NOT_ALLOWED.into_response();
    }
    let mut state = state.lock().expect("state");
    state
        .received
        .push(String::from_utf8_lossy(&body).into_owned());
    let request: Value = serde_json::from_slice(&body).unwrap_or_default();
    let id = request["id"].as_u64();
    let name = request["params"]["name"].as_str().unwrap_or_default();
    if let (Some(id), Some(calls), Ok(number)) = (id, &state.calls, name.parse()) {
        return written(calls(id, number));
    }
    if let Some(reply) = state.replies.remove(&id.unwrap_or_default()) {
        return written(reply);
    }
    let result = match request["method"].as_str().unwrap_or_default() {
        _ if request["id"].is_null() => return StatusCode::ACCEPTED.into_response(),
        "initialize" => json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "upstream", "version": "1"},
        }),
        "server/discover" => {
            let error = json!({"jsonrpc": "2.0", "id": request["id"], "error": {"code": -32601, "message": "none"}});
            return written(Reply::json(error.to_string().as_bytes()));
        }
        "tools/list" => {
            let tool = |number: usize| json!({"name": number.to_string(), "inputSchema": {"type": "object"}});
            json!({"tools": (0..40).map(tool).collect::<Vec<_>>()})
        }
        _ => json!({"content": []}),
    };
    let answer = json!({"jsonrpc": "2.0", "id": request["id"], "result": result});
    written(Reply::json(answer.to_string().as_bytes()))
}

fn written(reply: Reply) -> Response {
    let mut answer = Response::new(Body::from(reply.body));
    *answer.status_mut() = StatusCode::from_u16(reply.status).expect("a status");
    let mut headers = HeaderMap::new();
    for (name, value) in reply.headers {
        let name: axum::http::HeaderName = name.parse().expect("a name");
        headers.append(name, HeaderValue::from_str(&value).expect("a value"));
    }
    *answer.headers_mut() = headers;
    answer
}
