//! The relay over Streamable HTTP: one process in front of many servers, each at `/NAME/mcp`.
//!
//! Owns: which request belongs to which server and connection, who may come in, and what goes on of a
//! request and of its answer. Refuses to know: filters, TOML, and what the frames mean (that is `relay`).
//!
//! ```text
//! listen ──▶ access ──▶ Hub ──▶ connections ──▶ remote ──▶ upstream
//!                        ▲                        │
//!                        └──────── answer ◀───────┘
//! ```
//!
//! Where a client goes, its exchange goes, and with it the request to the upstream: nothing is read for nobody.

pub mod access;
mod answer;
mod connections;
mod events;
mod headers;
pub mod listen;
pub mod remote;

use access::{Access, Caller};
use answer::Exchange;
use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, Request, State};
use axum::http::header::{ALLOW, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::Response;
use axum::routing::{any, get};
use connections::{Connection, Connections};
use http_body_util::BodyExt;
use remote::Remote;
use std::collections::HashMap;
use std::sync::Arc;

use crate::mcp::frame::{self, Frame};
use crate::mcp::relay::{Forward, Replaced, Rewrite};
use crate::mcp::rewriter::Rewriter;

/// The largest request that is read: 64 MB of content, and what is around it.
const REQUEST_BYTES: usize = 96 << 20;

/// Makes what rewrites the frames of a new connection of this caller's to the server of this name.
pub type Connect = Box<dyn Fn(&str, &Caller) -> Arc<Rewriter> + Send + Sync>;

/// All servers behind the proxy.
pub struct Hub {
    servers: HashMap<String, Server>,
    access: Access,
    connect: Connect,
}

/// One server.
struct Server {
    name: String,
    remote: Remote,
    connections: Connections,
}

/// A request, as far as it was read.
struct Asking {
    method: Method,
    headers: HeaderMap,
    body: Bytes,
    caller: Caller,
}

impl Hub {
    /// `servers`: by name.
    pub fn new(
        servers: impl IntoIterator<Item = (String, Remote)>,
        access: Access,
        connect: Connect,
    ) -> Hub {
        let servers = servers.into_iter().map(|(name, remote)| {
            let server = Server {
                name: name.clone(),
                remote,
                connections: Connections::default(),
            };
            (name, server)
        });
        Hub {
            servers: servers.collect(),
            access,
            connect,
        }
    }

    /// Puts another policy in force for every connection. `next` makes it from the one before.
    ///
    /// # Errors
    ///
    /// What `next` says; connections that came before keep the new policy.
    pub fn replace<E>(
        &self,
        mut next: impl FnMut(&Rewriter) -> Result<Rewriter, E>,
    ) -> Result<Vec<Replaced>, E> {
        let connections = self.servers.values().flat_map(|it| it.connections.all());
        let replaced = connections.map(|connection| {
            let policy = next(&connection.relay.policy())?;
            Ok(connection.replace(Arc::new(policy)))
        });
        replaced.collect()
    }

    /// What answers requests.
    pub fn router(self: &Arc<Hub>) -> Router {
        Router::new()
            .route("/healthz", get(async || "ok\n"))
            .route("/{server}/mcp", any(answer))
            .fallback(async || refusal(StatusCode::NOT_FOUND, "servers are at /NAME/mcp"))
            .with_state(Arc::clone(self))
    }
}

/// Answers a request for a server.
async fn answer(
    State(hub): State<Arc<Hub>>,
    Path(name): Path<String>,
    request: Request,
) -> Response {
    let (head, body) = request.into_parts();
    if let Err(refused) = hub.access.admit(&head.uri, &head.headers) {
        return refusal(refused.status(), refused.message());
    }
    // A browser asks whether it may call before it does, and brings nothing.
    let caller = if head.method == Method::OPTIONS {
        Caller::Anyone
    } else {
        match hub.access.caller(&head.headers) {
            Ok(caller) => caller,
            Err(refused) => {
                let mut answer = refusal(refused.status(), refused.message());
                let challenge = HeaderValue::from_static("Bearer realm=\"tamis\"");
                answer.headers_mut().insert(WWW_AUTHENTICATE, challenge);
                return answer;
            }
        }
    };
    let Some(server) = hub.servers.get(&name) else {
        return refusal(StatusCode::NOT_FOUND, "there is no server of this name");
    };
    let body = match http_body_util::Limited::new(body, REQUEST_BYTES)
        .collect()
        .await
    {
        Ok(body) => body.to_bytes(),
        Err(error) if error.is::<http_body_util::LengthLimitError>() => {
            let why = format!("the request is larger than {} MiB", REQUEST_BYTES >> 20);
            return refusal(StatusCode::PAYLOAD_TOO_LARGE, &why);
        }
        // Nobody is there any more to be told.
        Err(_) => return refusal(StatusCode::BAD_REQUEST, "the request broke off"),
    };
    let asking = Asking {
        method: head.method,
        headers: head.headers,
        body,
        caller,
    };
    match asking.method {
        Method::POST | Method::GET | Method::DELETE | Method::OPTIONS => {
            server.answer(&hub, asking).await
        }
        _ => {
            let mut answer = refusal(StatusCode::METHOD_NOT_ALLOWED, "POST, GET or DELETE");
            let allowed = HeaderValue::from_static("POST, GET, DELETE, OPTIONS");
            answer.headers_mut().insert(ALLOW, allowed);
            answer
        }
    }
}

impl Server {
    async fn answer(&self, hub: &Hub, asking: Asking) -> Response {
        let id = match session_of(&asking.headers) {
            Ok(id) => id,
            Err(why) => return refusal(StatusCode::BAD_REQUEST, why),
        };
        let makes_new = || {
            Connection::new(
                asking.caller.clone(),
                (hub.connect)(&self.name, &asking.caller),
            )
        };
        let begins = id.is_none() && is_initialize(&asking.body);
        let (connection, relay) = match &id {
            Some(id) => {
                // An id that this upstream did not give may be another's, which is a secret.
                let Some(connection) = self.connections.session(id) else {
                    let why =
                        "there is no such session (any more): begin a new one with `initialize`";
                    return refusal(StatusCode::NOT_FOUND, why);
                };
                let foreign = hub.access.has_tokens() && connection.owner != asking.caller;
                if foreign && asking.method != Method::OPTIONS {
                    let why = "there is no such session: begin one with `initialize`";
                    return refusal(StatusCode::NOT_FOUND, why);
                }
                let relay = Arc::clone(&connection.relay);
                (connection, relay)
            }
            None if begins => {
                let connection = makes_new();
                let relay = Arc::clone(&connection.relay);
                (connection, relay)
            }
            None => {
                let connection = self.connections.caller(&asking.caller, makes_new);
                let relay = Arc::new(connection.relay.sibling());
                (connection, relay)
            }
        };
        let mut exchange = Exchange {
            connection,
            relay,
            requests: Vec::new(),
            is_bound: false,
            is_standing: asking.method == Method::GET,
            own: Vec::new(),
        };
        let body = match self.note(&mut exchange, &asking).await {
            Ok(body) => body,
            Err(answer) => return *answer,
        };
        let with_credentials = !hub.access.has_tokens();
        let is_delete = asking.method == Method::DELETE;
        let sent = self
            .remote
            .send(&asking.method, asking.headers, with_credentials, body);
        let upstream = match sent.await {
            Ok(upstream) => upstream,
            Err(why) => return exchange.failed(StatusCode::BAD_GATEWAY, &why),
        };
        let status = upstream.status();
        if let Some(id) = &id {
            if is_delete && status.is_success() || status == StatusCode::NOT_FOUND {
                self.connections.end(id);
            } else if status.is_success() {
                exchange.connection.was_answered(&asking.caller);
            }
        } else if begins && status.is_success() {
            match session_of(upstream.headers()) {
                Ok(Some(id)) => self
                    .connections
                    .begin(&id, Arc::clone(&exchange.connection)),
                // A server without sessions: what the client is, is noted for all its requests.
                _ => {
                    let lasting = self.connections.caller(&asking.caller, makes_new);
                    lasting.relay.sibling().from_client(&asking.body, None);
                }
            }
        }
        exchange.answer(upstream).await
    }

    /// Notes what a request asks for. What the upstream gets of it; or the answer, if it gets nothing.
    async fn note(&self, exchange: &mut Exchange, asking: &Asking) -> Result<Bytes, Box<Response>> {
        if asking.method != Method::POST {
            exchange.is_bound = exchange.is_standing;
            return Ok(asking.body.clone());
        }
        let policy = exchange.relay.policy();
        let header = policy.session_header();
        let header = header.and_then(|name| asking.headers.get(name)?.to_str().ok());
        let noted = exchange.relay.from_client(&asking.body, header);
        exchange.requests = noted.requests;
        exchange.is_bound = noted.is_bound;
        exchange.is_standing |= listens(&asking.body);
        if !noted.answers.is_empty() && !exchange.connection.knows(&asking.caller) {
            let why = "Tamis does not know these credentials in this session yet: call any tool of the server first";
            // Answered by nobody, so each request has to be.
            for job in noted.answers {
                drop(job);
            }
            return Err(Box::new(refusal(StatusCode::FORBIDDEN, why)));
        }
        for job in noted.answers {
            exchange.own.push(answer::run(job).await);
        }
        match noted.forward {
            Forward::AsItIs => Ok(asking.body.clone()),
            Forward::Instead(frame) => Ok(frame.into()),
            Forward::Nothing => {
                let is_batch = matches!(Frame::read(&asking.body), Frame::Batch(_));
                let done = Exchange {
                    connection: Arc::clone(&exchange.connection),
                    relay: Arc::clone(&exchange.relay),
                    requests: Vec::new(),
                    own: std::mem::take(&mut exchange.own),
                    ..*exchange
                };
                Err(Box::new(done.own_alone(is_batch)))
            }
        }
    }
}

/// The session that a message belongs to.
fn session_of(headers: &HeaderMap) -> Result<Option<String>, &'static str> {
    let mut ids = headers.get_all(headers::SESSION).iter();
    match (ids.next(), ids.next()) {
        (None, _) => Ok(None),
        (Some(id), None) => match id.to_str() {
            Ok(id) if id.len() <= 4096 => Ok(Some(id.to_owned())),
            _ => Err("Mcp-Session-Id is no id of a session"),
        },
        (Some(_), Some(_)) => Err("there are several Mcp-Session-Id headers"),
    }
}

fn is_initialize(body: &[u8]) -> bool {
    has_method(body, "initialize")
}

fn listens(body: &[u8]) -> bool {
    has_method(body, "subscriptions/listen")
}

fn has_method(body: &[u8], name: &str) -> bool {
    let is_it = |view: &frame::View| {
        let method = view.method.clone();
        method.is_some_and(|span| frame::text(&body[span]).as_deref() == Some(name))
    };
    match Frame::read(body) {
        Frame::Message(view) => is_it(&view),
        Frame::Batch(views) => views.iter().any(is_it),
        Frame::Opaque => false,
    }
}

/// Tamis's own word to a client, in the form of a JSON-RPC error without an id.
fn refusal(status: StatusCode, why: &str) -> Response {
    let error = serde_json::json!({
        "jsonrpc": "2.0",
        "error": { "code": -32000, "message": format!("tamis: {why}") },
        "id": null,
    });
    answer::json(status, error.to_string().into_bytes())
}
