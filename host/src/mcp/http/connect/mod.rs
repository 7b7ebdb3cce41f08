//! Presents a server that speaks Streamable HTTP as a server over standard input and output.
//!
//! Each line becomes a POST, and each answer becomes lines. Owns: the session that the server assigns, the
//! headers that the protocol requires of a client, the resumption of broken streams, and a session that the
//! server has forgotten. Refuses to know: policies. `tamis run --url` runs it as its upstream.

mod exchange;
mod output;
mod request;
mod session;

use super::remote;
use crate::lock::lock;
use crate::login::Login;
use axum::http::HeaderMap;
use exchange::Exchange;
use output::Output;
use request::Request;
use reqwest::Url;
use session::Session;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::task::{AbortHandle, JoinSet};

use crate::mcp::frame::RequestId;

/// Time for a server to accept a notification, which later messages may rely on; then the next message is sent.
const NOTED_WITHIN: Duration = Duration::from_secs(5);

/// Time for a server to note that the session has ended; then the process ends without an answer.
const GOODBYE: Duration = Duration::from_secs(1);

/// Talks to the server at `url` for the client at this process's standard input and output, until the client
/// closes its side and has all answers. Every request carries `headers`, and the token of `login`.
///
/// # Errors
///
/// The system's certificates or standard input cannot be read. An error of a request becomes that request's
/// answer.
pub async fn connect(url: Url, headers: HeaderMap, login: Option<Login>) -> anyhow::Result<()> {
    let session = Arc::new(Session::new(remote::client()?, url, headers, login));
    let output = Arc::new(Output::default());
    let running = Arc::new(Running::default());
    let mut exchanges = JoinSet::new();
    let mut input = BufReader::with_capacity(64 << 10, tokio::io::stdin());
    let mut line = Vec::new();
    loop {
        line.clear();
        if input.read_until(b'\n', &mut line).await? == 0 {
            break;
        }
        while exchanges.try_join_next().is_some() {}
        let Some(request) = Request::read(line.trim_ascii()) else {
            if !line.trim_ascii().is_empty() {
                tracing::warn!("the client wrote a line that is no message of JSON-RPC");
            }
            continue;
        };
        // Without sessions a request is cancelled by nobody waiting for it.
        if session.stands_alone()
            && let Some(id) = request.cancels()
        {
            running.abort(&id);
            continue;
        }
        let is_greeting = request.is_greeting();
        let ids = request.ids.clone();
        let exchange = Exchange::new(&session, &output, request);
        let finished = Arc::clone(&running);
        let answered = ids.clone();
        let work = async move {
            exchange.run().await;
            finished.remove(&answered);
        };
        if is_greeting {
            work.await;
        } else if ids.is_empty() {
            let noted = tokio::spawn(work);
            let _ = tokio::time::timeout(NOTED_WITHIN, noted).await;
        } else {
            running.add(&ids, exchanges.spawn(work));
        }
    }
    while exchanges.join_next().await.is_some() {}
    let _ = tokio::time::timeout(GOODBYE, session.end()).await;
    Ok(())
}

/// Exchanges that run, by the requests that they answer.
#[derive(Default)]
struct Running(Mutex<HashMap<RequestId, AbortHandle>>);

impl Running {
    fn add(&self, ids: &[RequestId], exchange: AbortHandle) {
        let mut running = self.lock();
        // It may have come to its end meanwhile.
        running.retain(|_, exchange| !exchange.is_finished());
        if !exchange.is_finished() {
            running.extend(ids.iter().map(|id| (id.clone(), exchange.clone())));
        }
    }

    fn remove(&self, ids: &[RequestId]) {
        let mut running = self.lock();
        for id in ids {
            running.remove(id);
        }
    }

    fn abort(&self, id: &RequestId) {
        if let Some(exchange) = self.lock().remove(id) {
            exchange.abort();
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<RequestId, AbortHandle>> {
        lock(&self.0)
    }
}
