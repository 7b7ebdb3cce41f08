//! A request for a server that is a process, and the place of its process among others.

use super::{Asked, Common, Connected, Server};
use crate::hex;
use crate::mcp::http::access::Caller;
use crate::mcp::http::connections::Connection;
use crate::mcp::http::local::{IsError, Local};
use crate::mcp::http::process::{self, Attached, ENDED, Full, Streams};
use crate::mcp::http::reply::{self, refusal};
use crate::mcp::http::request::Asking;
use crate::mcp::http::turns::block_if_large;
use crate::mcp::http::version;
use axum::http::header::RETRY_AFTER;
use axum::http::{HeaderValue, Method, StatusCode};
use axum::response::Response;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// Time for a process to end that must make room for another: it is killed before.
const ROOM_WITHIN: Duration = Duration::from_secs(6);

impl Server {
    pub(super) async fn ask_local(
        &self,
        common: &Common,
        local: &Local,
        place: Connected,
        asking: Asking,
    ) -> Response {
        let is_alone = place.session.is_none() && !place.begins;
        if is_alone && !asking.stands_alone() {
            let why = "the header Mcp-Session-Id is missing: begin a session with `initialize`";
            return refusal(StatusCode::BAD_REQUEST, why);
        }
        if is_alone && asking.method != Method::POST {
            return refusal(
                StatusCode::METHOD_NOT_ALLOWED,
                "POST: this request has no session",
            );
        }
        if !is_alone && !version::has_sessions(version::of_headers(&asking.headers)) {
            let why = "this version of the protocol has no sessions";
            return refusal(StatusCode::BAD_REQUEST, why);
        }
        if let Some(id) = place
            .session
            .as_ref()
            .filter(|_| asking.method == Method::DELETE)
        {
            self.connections.end(id);
            place.connection.end().await;
            return reply::empty(StatusCode::NO_CONTENT);
        }
        if is_alone
            && let Err(refused) = block_if_large(asking.body.bytes.len(), || local.check(&asking))
        {
            return *refused;
        }
        let mut attached = match place.connection.attached() {
            Some(attached) => attached,
            None => {
                if let Some(id) = &place.session {
                    self.connections.end(id);
                    return refusal(StatusCode::NOT_FOUND, ENDED);
                }
                match self.start(common, local, &place.connection, is_alone).await {
                    Ok(attached) => attached,
                    Err(refused) => return refused,
                }
            }
        };
        let Asked {
            mut exchange,
            mut body,
        } = match self.ask(common, &place, &asking).await {
            Ok(asked) => asked,
            Err(answer) => return *answer,
        };
        let mut is_new = false;
        let mut answer = loop {
            let unsent = match local.answer(attached, exchange, body, &asking).await {
                Ok(answer) => break answer,
                Err(unsent) => *unsent,
            };
            if let Some(id) = &place.session {
                self.connections.end(id);
                return unsent.exchange.failed(StatusCode::NOT_FOUND, ENDED);
            }
            if place.begins || is_new {
                let why = "the upstream server ended before it answered";
                return unsent.exchange.failed(StatusCode::BAD_GATEWAY, why);
            }
            // It has ended since it was looked for: another gets the request.
            attached = match self.start(common, local, &place.connection, is_alone).await {
                Ok(attached) => attached,
                Err(refused) => return refused,
            };
            is_new = true;
            (exchange, body) = (unsent.exchange, unsent.body);
        };
        let is_error = answer.extensions_mut().remove::<IsError>().is_some();
        if place.begins && answer.status().is_success() && !is_error {
            let id = new_session();
            answer = reply::with_session(answer, &id);
            // Nobody else has an id that nobody can guess.
            let _ = self.connections.begin(&id, place.connection);
        }
        answer
    }

    /// The process of a connection, for which one is started if it has none any more.
    async fn start(
        &self,
        common: &Common,
        local: &Local,
        connection: &Connection,
        is_shared: bool,
    ) -> Result<Arc<Attached>, Response> {
        let owner = &connection.owner;
        let process = self.make_room(common, owner).await?;
        let (answers, kept) = (common.answers.room(owner), common.kept.room(owner));
        let start = || {
            let (relay, lane) = (Arc::clone(&connection.relay), Arc::clone(&connection.lane));
            let streams = Streams::new(relay, lane, is_shared, answers, kept);
            local.start(streams, process)
        };
        connection.attached_or(start).map_err(|error| {
            tracing::error!(server = self.name, "{error}");
            let why = "the upstream server could not be started";
            refusal(StatusCode::BAD_GATEWAY, why)
        })
    }

    /// A place for one more process of this caller. If none is available, the most dispensable session ends.
    async fn make_room(
        &self,
        common: &Common,
        caller: &Caller,
    ) -> Result<process::ProcessSlot, Response> {
        let deadline = Instant::now() + ROOM_WITHIN;
        let waiting = common.places.wait(&self.name, caller);
        loop {
            // Before it is looked, so that no end is missed.
            let mut freed = std::pin::pin!(common.places.freed());
            freed.as_mut().enable();
            let gone = match waiting.take() {
                Ok(place) => return Ok(place),
                // Those that end already make room for as many.
                Err(full) if waiting.is_expected(full) => None,
                Err(Full::Caller) => self.connections.remove_dispensable(Some(caller)),
                Err(Full::All) => {
                    let all = common.connections.iter().filter_map(|connections| {
                        let rank = connections.most_dispensable(None)?;
                        Some((rank, connections))
                    });
                    let most = all.max_by_key(|(rank, _)| *rank);
                    most.and_then(|(_, connections)| connections.remove_dispensable(None))
                }
            };
            if let Some(gone) = gone {
                gone.end().await;
            }
            if timeout_at(deadline, freed).await.is_err() {
                let server = &self.name;
                tracing::warn!(
                    server,
                    "no more processes are started: see `processes` in `limits` of [serve]"
                );
                let why = "too many sessions of this server have a process: end one, or begin this one again later";
                let mut refused = refusal(StatusCode::SERVICE_UNAVAILABLE, why);
                let later = HeaderValue::from_static("10");
                refused.headers_mut().insert(RETRY_AFTER, later);
                return Err(refused);
            }
        }
    }
}

/// An id that nobody can guess.
fn new_session() -> String {
    let mut bytes = [0; 16];
    let random = rustls::crypto::ring::default_provider().secure_random;
    random
        .fill(&mut bytes)
        .expect("the system has random numbers");
    hex::encode(&bytes)
}
