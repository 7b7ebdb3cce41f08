//! A server under load: over HTTP with `--listen`, else over standard input and output.
//!
//! Owns the two transports. `answers` has the answers. An answer costs so little that a test measures the programs
//! before the server. It can be killed at any moment: nothing outlives it, not even sessions.

mod answers;

use std::collections::HashMap;
use std::io::{BufRead, Write};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use answers::Answer;
use anyhow::Context as _;
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::serve::ListenerExt as _;
use clap::Parser;
use tokio::net::TcpListener;

/// Answers calls of `rows` over standard input and output.
#[derive(Parser)]
struct Arguments {
    /// Answer over HTTP, at this address.
    #[arg(long, value_name = "HOST:PORT")]
    listen: Option<String>,
}

/// Sessions over HTTP, with the name that each client gave at its start.
struct Sessions {
    /// Differs from that of an earlier server at this address, so that its sessions are unknown here.
    prefix: String,
    clients: Mutex<HashMap<String, String>>,
    begun: AtomicU64,
}

fn main() -> anyhow::Result<()> {
    match Arguments::parse().listen {
        Some(address) => listen(&address),
        None => answer_lines(),
    }
}

/// Answers one session: that of the process.
fn answer_lines() -> anyhow::Result<()> {
    let mut client = String::new();
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let line = line.context("read a message")?;
        let message = match answers::to(line.as_bytes(), Some(&client)) {
            Answer::Begins {
                client: name,
                message,
            } => {
                client = name;
                message
            }
            Answer::Message(message) => message,
            Answer::Nothing => continue,
        };
        // One write, so that a killed process leaves few partial lines.
        out.write_all(format!("{message}\n").as_bytes())
            .context("write an answer")?;
        out.flush().context("write an answer")?;
    }
    Ok(())
}

/// One thread, because the processor is for the programs before the server.
#[tokio::main(flavor = "current_thread")]
async fn listen(address: &str) -> anyhow::Result<()> {
    let listener = TcpListener::bind(address)
        .await
        .with_context(|| format!("listen on {address}"))?;
    println!("listening on {}", listener.local_addr()?);
    let sessions = Arc::new(Sessions {
        prefix: format!("{}", std::process::id()),
        clients: Mutex::default(),
        begun: AtomicU64::new(0),
    });
    let router = Router::new().fallback(answer).with_state(sessions);
    let listener = listener.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    });
    axum::serve(listener, router).await.context("serve")
}

async fn answer(
    State(sessions): State<Arc<Sessions>>,
    method: Method,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let id = headers
        .get("mcp-session-id")
        .and_then(|id| id.to_str().ok());
    let mut clients = sessions.clients.lock().expect("nothing panics here");
    let client = match id {
        None => None,
        Some(id) => match clients.get(id).cloned() {
            Some(client) => Some(client),
            None => return StatusCode::NOT_FOUND.into_response(),
        },
    };
    match (method, id) {
        (Method::POST, _) => {}
        (Method::DELETE, Some(id)) => {
            clients.remove(id);
            return StatusCode::NO_CONTENT.into_response();
        }
        _ => return StatusCode::METHOD_NOT_ALLOWED.into_response(),
    }
    let kind = ("content-type", "application/json");
    match answers::to(&body, client.as_deref()) {
        Answer::Nothing => StatusCode::ACCEPTED.into_response(),
        Answer::Message(message) => ([kind], message).into_response(),
        Answer::Begins { client, message } => {
            let id = format!(
                "{}-{}",
                sessions.prefix,
                sessions.begun.fetch_add(1, Relaxed)
            );
            let session = ("mcp-session-id", id.clone());
            clients.insert(id, client);
            let kind = (kind.0, kind.1.to_owned());
            ([kind, session], message).into_response()
        }
    }
}
