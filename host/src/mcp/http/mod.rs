//! The relay over Streamable HTTP: one process in front of many servers, each at `/NAME/mcp`.
//!
//! Owns: which request belongs to which server and connection, who may come in, and what goes on of a
//! request and of its answer. Refuses to know: filters, TOML, and what the frames mean (that is `relay`).
//!
//! ```text
//! listen ──▶ access ──▶ bodies ──▶ Hub ──▶ connections ──▶ remote ──▶ upstream
//!                                   ▲                        │
//!                                   └── turns ◀── answer ◀───┘
//! ```
//!
//! Only POST, GET and DELETE reach a server, with credentials that Tamis asks for checked; the rest it answers itself.
//!
//! Where a client goes, its exchange goes, and with it the request to the upstream: nothing is read for nobody.

pub mod access;
mod answer;
mod bodies;
mod body_kind;
mod browsers;
pub mod connect;
mod connections;
mod events;
mod headers;
pub mod listen;
pub mod local;
mod mirror;
pub mod remote;
mod request;
mod turns;
pub(in crate::mcp) mod version;

use crate::json;
pub use events::read_all as sse_events;

use access::{Access, Caller};
use answer::Exchange;
use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, Request, State};
use axum::http::header::{
    ALLOW, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE,
};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::Response;
use axum::routing::{any, get};
use bodies::{Arrived, Bodies};
use body_kind::BodyKind;
use connections::{Connection, Connections};
use local::{Full, Local, Places};
use remote::Remote;
use request::{calls, has_long_id, has_method, listens, session_of};
use std::collections::HashMap;
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep, timeout_at};
use turns::{Turns, look};

use crate::mcp::doubt;
use crate::mcp::frame::{self, Frame};
use crate::mcp::observe::traces::{Trace, Traces};
use crate::mcp::relay::{Forward, Origin, Replaced, Rewrite};
use crate::mcp::rewriter::Rewriter;
use crate::policy::{REQUEST_ID_BYTES, ServeLimit, ServeLimits};

/// For a process to end that has to make room for another: it is killed before.
const ROOM_WITHIN: Duration = Duration::from_secs(6);

/// Sessions are looked through this often at most, and at least.
const LOOK_THROUGH: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(60));

/// Makes what rewrites the frames of a new connection of this caller's to the server of this name.
pub type Connect = Box<dyn Fn(&str, &Caller) -> Arc<Rewriter> + Send + Sync>;

/// Writes all numbers, of which this is that of sessions that are open.
pub type MetricsText = Box<dyn Fn(u64) -> String + Send + Sync>;

/// All servers behind the proxy.
pub struct Hub {
    servers: HashMap<String, Server>,
    access: Access,
    connect: Connect,
    metrics: MetricsText,
    traces: Option<Arc<Traces>>,
    closing: watch::Sender<bool>,
    limits: ServeLimits,
    bodies: Bodies,
    turns: Turns,
    places: Places,
}

/// One server.
struct Server {
    name: String,
    upstream: Upstream,
    connections: Connections,
}

/// How a server is reached.
pub enum Upstream {
    Remote(Box<Remote>),
    Local(Local),
}

/// A request, as far as it was read.
struct Asking {
    method: Method,
    headers: HeaderMap,
    body: Bytes,
    caller: Caller,
    /// Its span.
    trace: Option<Trace>,
    /// The room that the body takes.
    _room: Arrived,
}

impl Hub {
    /// `servers`: by name.
    pub fn new(
        servers: impl IntoIterator<Item = (String, Upstream)>,
        access: Access,
        connect: Connect,
        metrics: MetricsText,
        limits: ServeLimits,
    ) -> Hub {
        let servers = servers.into_iter().map(|(name, upstream)| {
            let server = Server {
                name: name.clone(),
                upstream,
                connections: Connections::default(),
            };
            (name, server)
        });
        Hub {
            servers: servers.collect(),
            access,
            connect,
            metrics,
            traces: None,
            closing: watch::Sender::new(false),
            bodies: Bodies::new(&limits),
            turns: Turns::new(&limits),
            places: Places::new(&limits),
            limits,
        }
    }

    /// With a span for every request.
    #[must_use]
    pub fn with_traces(self, traces: Option<Arc<Traces>>) -> Hub {
        Hub { traces, ..self }
    }

    /// Puts another policy in force for every connection. `next` makes it from the one before, for this caller.
    pub fn replace(&self, mut next: impl FnMut(&Rewriter, &Caller) -> Rewriter) -> Replaced {
        let mut all = Replaced {
            lists_changed: false,
            notices: Vec::new(),
        };
        for connection in self.servers.values().flat_map(|it| it.connections.all()) {
            let policy = next(&connection.relay.policy(), &connection.owner);
            let replaced = connection.replace(Arc::new(policy));
            all.lists_changed |= replaced.lists_changed;
            all.notices.extend(replaced.notices);
        }
        all
    }

    /// Ends sessions that nobody uses, for as long as the hub is there.
    pub async fn end_idle_sessions(hub: Weak<Hub>) {
        let Some(limits) = hub.upgrade().map(|hub| hub.limits) else {
            return;
        };
        let (idle, unused) = (
            limits.time(ServeLimit::Idle),
            limits.time(ServeLimit::IdleUnused),
        );
        let (least, most) = LOOK_THROUGH;
        let every = (idle.min(unused) / 4).clamp(least, most);
        loop {
            sleep(every).await;
            let Some(hub) = hub.upgrade() else {
                return;
            };
            for server in hub.servers.values() {
                let over = server.connections.sweep(idle, unused);
                if !over.is_empty() {
                    let (server, count) = (&server.name, over.len());
                    tracing::debug!(server, count, "sessions ended that nobody used");
                }
                for connection in over {
                    end(&connection).await;
                }
            }
        }
    }

    /// The proxy ends: streams that stay open do so no longer.
    pub fn close(&self) {
        self.closing.send_replace(true);
    }

    /// Threads that serve connections.
    pub fn threads() -> usize {
        turns::threads()
    }

    /// What answers requests.
    pub fn router(self: &Arc<Hub>) -> Router {
        Router::new()
            .route("/healthz", get(async || "ok\n"))
            .route("/readyz", get(ready))
            .route("/metrics", get(metrics))
            .route("/{server}/mcp", any(answer))
            .fallback(async || refusal(StatusCode::NOT_FOUND, "servers are at /NAME/mcp"))
            .with_state(Arc::clone(self))
    }
}

/// Whether new requests are welcome: not while the proxy ends.
async fn ready(State(hub): State<Arc<Hub>>) -> Response {
    if *hub.closing.borrow() {
        return refusal(StatusCode::SERVICE_UNAVAILABLE, "the proxy ends");
    }
    Response::new("ok\n".into())
}

/// The numbers, for those who may call.
async fn metrics(State(hub): State<Arc<Hub>>, request: Request) -> Response {
    let (uri, headers) = (request.uri(), request.headers());
    let admitted = hub.access.admit(uri, headers);
    if let Err(refused) = admitted.and_then(|()| hub.access.caller(headers)) {
        return refusal(refused.status(), refused.message());
    }
    let open = hub
        .servers
        .values()
        .map(|it| it.connections.sessions_open() as u64);
    let open = open.sum();
    // The store may have to be looked through.
    let of_hub = Arc::clone(&hub);
    let text = spawn_blocking(move || (of_hub.metrics)(open)).await;
    let mut answer = Response::new(text.unwrap_or_default().into());
    let kind =
        HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");
    answer.headers_mut().insert(CONTENT_TYPE, kind);
    answer
}

/// Answers a request for a server, or a question whether one may be made.
async fn answer(
    State(hub): State<Arc<Hub>>,
    Path(name): Path<String>,
    request: Request,
) -> Response {
    if let Err(refused) = hub.access.admit(request.uri(), request.headers()) {
        return refusal(refused.status(), refused.message());
    }
    let origin = browsers::origin(request.headers());
    let mut answer = match *request.method() {
        Method::POST | Method::GET | Method::DELETE => hub.answer(&name, request).await,
        // A browser asks before a page's request, and brings nothing.
        Method::OPTIONS => browsers::preflight(request.headers()),
        _ => {
            let mut answer = refusal(StatusCode::METHOD_NOT_ALLOWED, "POST, GET or DELETE");
            answer.headers_mut().insert(ALLOW, browsers::METHODS);
            answer
        }
    };
    browsers::let_read(&mut answer, origin);
    answer
}

impl Hub {
    /// Answers a request of whoever has the credentials for it.
    async fn answer(&self, name: &str, request: Request) -> Response {
        let (head, body) = request.into_parts();
        let caller = match self.access.caller(&head.headers) {
            Ok(caller) => caller,
            Err(refused) => {
                let mut answer = refusal(refused.status(), refused.message());
                let challenge = HeaderValue::from_static("Bearer realm=\"tamis\"");
                answer.headers_mut().insert(WWW_AUTHENTICATE, challenge);
                return answer;
            }
        };
        let Some(server) = self.servers.get(name) else {
            return refusal(StatusCode::NOT_FOUND, "there is no server of this name");
        };
        // What a GET or DELETE has as a body means nothing.
        let arrived = if head.method == Method::POST {
            let said = head.headers.get(CONTENT_LENGTH);
            let said = said.and_then(|it| it.to_str().ok()?.parse().ok());
            self.bodies.read(&caller, body, said).await
        } else {
            Ok(self.bodies.none(&caller))
        };
        let arrived = match arrived {
            Ok(arrived) => arrived,
            Err(unread) => {
                let mut answer = refusal(unread.status(), &unread.message());
                // What is left of it is not read.
                let close = HeaderValue::from_static("close");
                answer.headers_mut().insert(CONNECTION, close);
                return answer;
            }
        };
        let asking = Asking {
            method: head.method,
            headers: head.headers,
            body: arrived.bytes.clone(),
            caller,
            trace: None,
            _room: arrived,
        };
        server.answer(self, asking).await
    }
}

/// The session is over: whoever waits for its process has an error.
async fn end(connection: &Connection) {
    if let Some(attached) = connection.attached() {
        attached.end().await;
    }
}

/// A request whose place is found.
struct Asked {
    exchange: Exchange,
    /// What the upstream gets.
    body: Bytes,
}

/// Which connection a request belongs to.
struct Place {
    connection: Arc<Connection>,
    /// The session's id, if it has begun.
    session: Option<String>,
    /// The request is to begin a session.
    begins: bool,
}

impl Server {
    async fn answer(&self, hub: &Hub, mut asking: Asking) -> Response {
        let bytes = asking.body.len();
        if look(bytes, || has_long_id(&asking.body)) {
            let why = format!("the id of a request has at most {REQUEST_ID_BYTES} bytes");
            return refusal(StatusCode::BAD_REQUEST, &why);
        }
        if asking.method == Method::POST
            && let Some(refused) = look(bytes, || fault_of(&asking))
        {
            return refused;
        }
        let place = match look(bytes, || self.place(hub, &asking)) {
            Ok(place) => place,
            Err(refused) => return *refused,
        };
        let trace = look(bytes, || self.trace(hub, &asking));
        asking.trace.clone_from(&trace);
        let answer = match &self.upstream {
            Upstream::Remote(remote) => self.ask_remote(hub, remote, place, asking).await,
            Upstream::Local(local) => self.ask_local(hub, local, place, asking).await,
        };
        if let Some(trace) = trace {
            trace.answered(answer.status());
        }
        answer
    }

    /// The span of what asks for an answer.
    fn trace(&self, hub: &Hub, asking: &Asking) -> Option<Trace> {
        let traces = hub.traces.as_ref()?;
        let begin = |method: &str, name: Option<&str>| {
            traces.begin(&self.name, method, name, &asking.headers)
        };
        let body = &*asking.body;
        match Frame::read(body) {
            Frame::Message(view) => {
                let method = json::text(&body[view.method.filter(|_| view.id.is_some())?])?;
                let is_named = matches!(&*method, "tools/call" | "prompts/get");
                let params = view.params.filter(|_| is_named).map(|span| &body[span]);
                let params = params.unwrap_or_default();
                let [name] = json::members(params, ["name"]);
                let name = name.and_then(|span| json::text(&params[span]));
                Some(begin(&method, name.as_deref()))
            }
            Frame::Batch(_) => Some(begin("batch", None)),
            Frame::Opaque => None,
        }
    }

    fn connect(&self, hub: &Hub, caller: &Caller) -> Arc<Connection> {
        let lane = hub.turns.lane(caller);
        Connection::new(caller.clone(), lane, (hub.connect)(&self.name, caller))
    }

    fn place(&self, hub: &Hub, asking: &Asking) -> Result<Place, Box<Response>> {
        let session = session_of(&asking.headers)
            .map_err(|why| Box::new(refusal(StatusCode::BAD_REQUEST, why)))?;
        let make_new = || self.connect(hub, &asking.caller);
        let Some(id) = session else {
            let begins = asking.method == Method::POST
                && has_method(&asking.body, "initialize")
                && !version::stands_alone(&asking.headers, &asking.body);
            return Ok(Place {
                connection: if begins {
                    self.connections.beginning(make_new)
                } else {
                    self.connections.caller(&asking.caller, make_new)
                },
                session: None,
                begins,
            });
        };
        // An id that this upstream did not give may be another's, which is a secret; so is one that it gave to somebody
        // else. Neither goes on.
        let Some(connection) = self.connections.session(&id, &asking.caller) else {
            let why = "there is no such session (any more): begin a new one with `initialize`";
            return Err(Box::new(refusal(StatusCode::NOT_FOUND, why)));
        };
        Ok(Place {
            connection,
            session: Some(id),
            begins: false,
        })
    }

    /// Notes what a request asks for, and answers what is Tamis's own to answer.
    async fn ask(&self, hub: &Hub, place: &Place, asking: &Asking) -> Result<Asked, Box<Response>> {
        let connection = Arc::clone(&place.connection);
        let relay = if place.session.is_some() || place.begins {
            Arc::clone(&connection.relay)
        } else {
            Arc::new(connection.relay.sibling())
        };
        let mut exchange = Exchange {
            connection,
            relay,
            requests: Vec::new(),
            is_bound: false,
            is_standing: asking.method == Method::GET,
            closing: hub.closing.subscribe(),
            own: Vec::new(),
            trace: asking.trace.clone(),
        };
        let body = self.note(&mut exchange, asking).await?;
        Ok(Asked { exchange, body })
    }

    async fn ask_remote(
        &self,
        hub: &Hub,
        remote: &Remote,
        place: Place,
        mut asking: Asking,
    ) -> Response {
        let Asked { exchange, body } = match self.ask(hub, &place, &asking).await {
            Ok(asked) => asked,
            Err(answer) => return *answer,
        };
        if let Some(trace) = &asking.trace {
            trace.write_to(&mut asking.headers);
        }
        let with_credentials = !hub.access.has_tokens();
        let sent = remote.send(&asking.method, asking.headers, with_credentials, body);
        let upstream = match sent.await {
            Ok(upstream) => upstream,
            Err(why) => return exchange.failed(StatusCode::BAD_GATEWAY, &why),
        };
        let status = upstream.status();
        if let Some(why) = remote.leads_elsewhere(&upstream) {
            return exchange.failed(StatusCode::BAD_GATEWAY, why);
        }
        if let Some(id) = &place.session {
            let is_over = asking.method == Method::DELETE && status.is_success();
            if is_over || status == StatusCode::NOT_FOUND {
                self.connections.end(id);
            }
        } else if place.begins && status.is_success() {
            match session_of(upstream.headers()) {
                Ok(Some(id)) => {
                    if self.connections.begin(&id, place.connection).is_err() {
                        let server = &self.name;
                        tracing::error!(
                            server,
                            "the upstream server gave two clients the same session id; the second is refused"
                        );
                        let why =
                            "the upstream server gave this session the id of another client's";
                        return exchange.failed(StatusCode::BAD_GATEWAY, why);
                    }
                }
                // A server without sessions: what the client is, is noted for all its requests.
                _ => {
                    let make_new = || self.connect(hub, &asking.caller);
                    let lasting = self.connections.caller(&asking.caller, make_new);
                    lasting
                        .relay
                        .sibling()
                        .from_client(&asking.body, Origin::default());
                }
            }
        }
        exchange.answer(upstream).await
    }

    async fn ask_local(&self, hub: &Hub, local: &Local, place: Place, asking: Asking) -> Response {
        let is_alone = place.session.is_none() && !place.begins;
        let bytes = asking.body.len();
        let stands_alone = || version::stands_alone(&asking.headers, &asking.body);
        if is_alone && !look(bytes, stands_alone) {
            let why = "the header Mcp-Session-Id is missing: begin a session with `initialize`";
            return refusal(StatusCode::BAD_REQUEST, why);
        }
        if is_alone && asking.method != Method::POST {
            return refusal(StatusCode::METHOD_NOT_ALLOWED, "POST: there is no session");
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
            end(&place.connection).await;
            let mut answer = Response::new(axum::body::Body::empty());
            *answer.status_mut() = StatusCode::NO_CONTENT;
            return answer;
        }
        if is_alone && let Err(refused) = look(bytes, || local.check(&asking)) {
            return *refused;
        }
        let attached = if let Some(id) = &place.session {
            place.connection.attached().ok_or_else(|| {
                self.connections.end(id);
                refusal(StatusCode::NOT_FOUND, local::ENDED)
            })
        } else {
            let process = match place.connection.attached() {
                Some(_) => None,
                None => match self.make_room(hub, &asking.caller).await {
                    Ok(process) => Some(process),
                    Err(refused) => return refused,
                },
            };
            let start = || local.attach(&place.connection, is_alone, process);
            place.connection.attached_or(start).map_err(|error| {
                tracing::error!(server = self.name, "{error}");
                refusal(
                    StatusCode::BAD_GATEWAY,
                    "the upstream server could not be started",
                )
            })
        };
        let attached = match attached {
            Ok(attached) => attached,
            Err(refused) => return refused,
        };
        let asked = match self.ask(hub, &place, &asking).await {
            Ok(asked) => asked,
            Err(answer) => return *answer,
        };
        let mut answer = local.answer(attached, asked, &asking).await;
        let is_error = answer.extensions_mut().remove::<local::IsError>().is_some();
        if place.begins && answer.status().is_success() && !is_error {
            let id = new_session();
            if let Ok(value) = HeaderValue::from_str(&id) {
                answer.headers_mut().insert(headers::SESSION, value);
                // Nobody else has an id that nobody can guess.
                let _ = self.connections.begin(&id, place.connection);
            }
        }
        answer
    }

    /// A place for one more process of this caller's. Where there is none, the session ends that is missed least.
    async fn make_room(&self, hub: &Hub, caller: &Caller) -> Result<local::Place, Response> {
        let deadline = Instant::now() + ROOM_WITHIN;
        loop {
            // Before it is looked, so that no end is missed.
            let mut freed = std::pin::pin!(hub.places.freed());
            freed.as_mut().enable();
            let gone = match hub.places.take(&self.name, caller) {
                Ok(place) => return Ok(place),
                Err(Full::Caller) => self.connections.remove_dispensable(Some(caller)),
                Err(Full::All) => {
                    let servers = hub.servers.values();
                    let all = servers.filter_map(|server| {
                        let rank = server.connections.most_dispensable(None)?;
                        Some((rank, &server.connections))
                    });
                    let most = all.max_by_key(|(rank, _)| *rank);
                    most.and_then(|(_, connections)| connections.remove_dispensable(None))
                }
            };
            if let Some(gone) = gone {
                end(&gone).await;
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

    /// Notes what a request asks for. What the upstream gets of it; or the answer, if it gets nothing.
    async fn note(&self, exchange: &mut Exchange, asking: &Asking) -> Result<Bytes, Box<Response>> {
        if asking.method != Method::POST {
            exchange.is_bound = exchange.is_standing;
            return Ok(asking.body.clone());
        }
        let policy = exchange.relay.policy();
        let header = policy.session_header();
        let header = header.and_then(|name| asking.headers.get(name)?.to_str().ok());
        let origin = Origin {
            header,
            trace: exchange.trace.as_ref(),
        };
        let body = &asking.body;
        let relay = &exchange.relay;
        let noted = look(body.len(), || relay.from_client(body, origin));
        if let Some(doubt) = noted.refused {
            let mut answers = Vec::new();
            for job in noted.answers {
                match exchange.connection.lane.run(job).await {
                    Ok(answer) => answers.push(answer),
                    Err(turns::Busy) => return Err(Box::new(too_busy(body))),
                }
            }
            return Err(Box::new(match &mut *answers {
                [] => malformed(doubt),
                [only] => answer::json(StatusCode::BAD_REQUEST, std::mem::take(only)),
                all => {
                    let all = [b"[", &*all.join(&b','), b"]"].concat();
                    answer::json(StatusCode::BAD_REQUEST, all)
                }
            }));
        }
        if !exchange.connection.is_used() && look(body.len(), || calls(body)) {
            exchange.connection.note_call();
        }
        exchange.requests = noted.requests;
        // A client may take whatever comes back for the answer to an earlier request.
        exchange.is_bound = noted.is_bound || exchange.relay.has_hidden();
        exchange.is_standing |= listens(&asking.body);
        for job in noted.answers {
            match exchange.connection.lane.run(job).await {
                Ok(answer) => exchange.own.push(answer),
                Err(turns::Busy) => return Err(Box::new(too_busy(body))),
            }
        }
        match noted.forward {
            Forward::AsItIs => Ok(asking.body.clone()),
            Forward::Instead(frame) => Ok(frame.into()),
            Forward::Nothing => {
                let is_batch = matches!(Frame::read(&asking.body), Frame::Batch(_));
                let own = std::mem::take(&mut exchange.own);
                Err(Box::new(answer::own_alone(own, is_batch)))
            }
        }
    }
}

/// Tamis itself has no time for an answer.
fn too_busy(body: &[u8]) -> Response {
    let status = StatusCode::SERVICE_UNAVAILABLE;
    match turns::errors(body, true, turns::BUSY) {
        Some(errors) => answer::json(status, errors),
        None => refusal(status, turns::BUSY),
    }
}

/// Why a request is none that every server reads as Tamis does.
fn fault_of(asking: &Asking) -> Option<Response> {
    let kind = BodyKind::of(&asking.headers);
    if kind.is_coded || !kind.is_plain {
        let why = "a message is one JSON text in UTF-8, and not compressed";
        return Some(refusal(StatusCode::UNSUPPORTED_MEDIA_TYPE, why));
    }
    doubt::of_body(&asking.body).map(malformed)
}

/// The answer to a body that is no message.
fn malformed(doubt: frame::Doubt) -> Response {
    let code = match doubt {
        frame::Doubt::Encoding | frame::Doubt::NotJson => version::PARSE_ERROR,
        _ => version::INVALID_REQUEST,
    };
    let error = serde_json::json!({
        "jsonrpc": "2.0",
        "error": { "code": code, "message": format!("tamis: the body of the request {}", doubt.why()) },
        "id": null,
    });
    answer::json(StatusCode::BAD_REQUEST, error.to_string().into_bytes())
}

/// An id that nobody can guess.
fn new_session() -> String {
    let mut bytes = [0; 16];
    let random = rustls::crypto::ring::default_provider().secure_random;
    random
        .fill(&mut bytes)
        .expect("the system has random numbers");
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
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
