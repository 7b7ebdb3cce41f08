//! All servers behind one address: their names, who may connect, and the information about all of them.

use super::access::{Access, Caller};
use super::browsers;
use super::local::Local;
use super::process::{Ready, Started, end};
use super::remote::Remote;
use super::reply::{self, refusal};
use super::server::{Common, Connect, Server, Sharing};
use super::turns;
use super::unread::take_rest;
use crate::mcp::observe::traces::Traces;
use crate::mcp::relay::Replaced;
use crate::mcp::rewriter::Rewriter;
use crate::policy::{ServeLimit, ServeLimits};
use axum::Router;
use axum::extract::{Path, Request, State};
use axum::http::header::{ALLOW, CONTENT_TYPE, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, Method, StatusCode};
use axum::response::Response;
use axum::routing::{any, get};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::task::spawn_blocking;
use tokio::time::{sleep, timeout};

/// Sessions are looked through this often at most, and at least.
const LOOK_THROUGH: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(60));

/// Processes that are started ahead are looked through this often.
const FILL_EVERY: Duration = Duration::from_secs(2);

/// Writes all metrics; the number is that of open sessions.
pub type MetricsText = Box<dyn Fn(u64) -> String + Send + Sync>;

/// Says which policy is in force, for those who may know.
pub type PolicyText = Box<dyn Fn() -> Value + Send + Sync>;

/// All servers behind the proxy.
pub struct Hub {
    servers: HashMap<String, Server>,
    access: Access,
    metrics: MetricsText,
    policy: PolicyText,
    /// The proxy is about to end.
    is_ending: AtomicBool,
    common: Common,
}

/// How to reach a server.
pub enum Upstream {
    Remote(Box<Remote>),
    Local(Local),
}

impl Hub {
    /// `servers`: by name. `sharing`: what other replicas of the proxy have too.
    pub fn new(
        servers: impl IntoIterator<Item = (String, Upstream)>,
        access: Access,
        connect: Connect,
        metrics: MetricsText,
        limits: ServeLimits,
        sharing: Sharing,
    ) -> Hub {
        let mut common = Common::new(connect, limits, !access.has_tokens(), sharing);
        let servers = servers.into_iter().map(|(name, upstream)| {
            let server = match upstream {
                Upstream::Remote(remote) => Server::remote(&name, remote),
                Upstream::Local(local) => Server::local(&name, local),
            };
            common.add(&server);
            (name, server)
        });
        Hub {
            servers: servers.collect(),
            access,
            metrics,
            policy: Box::new(|| Value::Null),
            is_ending: AtomicBool::new(false),
            common,
        }
    }

    /// Lets `/readyz` say which policy is in force.
    #[must_use]
    pub fn with_policy(mut self, policy: PolicyText) -> Hub {
        self.policy = policy;
        self
    }

    /// Adds a span for every request.
    #[must_use]
    pub fn with_traces(mut self, traces: Option<Arc<Traces>>) -> Hub {
        self.common.traces = traces;
        self
    }

    /// Puts another policy in force for every connection. `next` makes it from the earlier policy, for this
    /// caller.
    pub fn replace(&self, mut next: impl FnMut(&Rewriter, &Caller) -> Rewriter) -> Replaced {
        let mut all = Replaced {
            lists_changed: false,
            notices: Vec::new(),
        };
        for connection in self
            .servers
            .values()
            .flat_map(|server| server.connections.all())
        {
            let policy = next(&connection.relay.policy(), &connection.owner);
            let replaced = connection.replace(Arc::new(policy));
            all.lists_changed |= replaced.lists_changed;
            all.notices.extend(replaced.notices);
        }
        all
    }

    /// Ends sessions without use, as long as the hub exists.
    pub async fn end_idle_sessions(hub: Weak<Hub>) {
        let Some(limits) = hub.upgrade().map(|hub| hub.common.limits) else {
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
                    connection.end().await;
                }
            }
        }
    }

    /// Keeps processes of servers started ahead of their sessions, until the proxy ends. Then they end.
    pub async fn keep_ready(self: Arc<Hub>) {
        if !self.locals().any(|(_, local)| local.ready().is_some()) {
            return;
        }
        let mut closing = self.common.closing.subscribe();
        while !*closing.borrow() {
            let hub = Arc::clone(&self);
            let _ = spawn_blocking(move || hub.fill_ready()).await;
            let _ = timeout(FILL_EVERY, closing.wait_for(|closing| *closing)).await;
        }
        let of_all = self.locals().filter_map(|(_, local)| local.ready());
        let rest: Vec<Started> = of_all.flat_map(Ready::rest).collect();
        let _ = spawn_blocking(move || end(rest)).await;
    }

    fn fill_ready(&self) {
        let longest = self.common.limits.time(ServeLimit::IdleUnused);
        for (server, local) in self.locals() {
            let ready = local.ready();
            if let Some(Err(error)) = ready.map(|ready| ready.fill(longest, || local.process())) {
                tracing::warn!(server, "{error}");
            }
        }
    }

    /// The servers that are processes, by name.
    fn locals(&self) -> impl Iterator<Item = (&str, &Local)> {
        self.servers.values().filter_map(Server::as_local)
    }

    /// Lets `/readyz` say that the proxy is about to end: balancers are to send new requests elsewhere.
    pub fn drain(&self) {
        self.is_ending.store(true, Ordering::Relaxed);
    }

    /// Closes streams that stay open, and ends processes without a session, since the proxy ends.
    pub fn close(&self) {
        for ready in self.locals().filter_map(|(_, local)| local.ready()) {
            ready.close();
        }
        self.common.closing.send_replace(true);
    }

    /// Threads that serve connections.
    pub fn threads() -> usize {
        turns::threads()
    }

    /// The router of the listener for metrics alone.
    pub fn metrics_router(self: &Arc<Hub>) -> Router {
        Router::new()
            .route("/healthz", get(async || "ok\n"))
            .route("/readyz", get(ready_for_operators))
            .route("/metrics", get(metrics_for_operators))
            .fallback(async || refusal(StatusCode::NOT_FOUND, "metrics are at /metrics"))
            .with_state(Arc::clone(self))
    }

    /// The router that answers requests.
    pub fn router(self: &Arc<Hub>) -> Router {
        Router::new()
            .route("/healthz", get(async || "ok\n"))
            .route("/readyz", get(ready))
            .route("/metrics", get(metrics))
            .route("/{server}/mcp", any(answer))
            .fallback(async || refusal(StatusCode::NOT_FOUND, "servers are at /NAME/mcp"))
            .with_state(Arc::clone(self))
    }

    /// Answers a request, if its caller has the credentials for it.
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
            return refusal(StatusCode::NOT_FOUND, "unknown server");
        };
        match self.common.read(caller, head, body).await {
            Ok(asking) => server.answer(&self.common, asking).await,
            Err(refused) => *refused,
        }
    }
}

/// Whether new requests are welcome: not while the proxy ends. Those who may call are told which policy is in force.
async fn ready(State(hub): State<Arc<Hub>>, request: Request) -> Response {
    let (uri, headers) = (request.uri(), request.headers());
    let admitted = hub.access.admit(uri, headers);
    let may_know = admitted.and_then(|()| hub.access.caller(headers)).is_ok();
    readiness(&hub, may_know)
}

/// The same at the listener for metrics, where everyone who reaches it by an address may know.
async fn ready_for_operators(State(hub): State<Arc<Hub>>, request: Request) -> Response {
    let may_know = hub.access.admit_scraper(request.uri(), request.headers());
    readiness(&hub, may_know.is_ok())
}

fn readiness(hub: &Hub, may_know: bool) -> Response {
    let is_ending = hub.is_ending.load(Ordering::Relaxed);
    let mut answer = json!({ "ready": !is_ending });
    if may_know {
        let policy = (hub.policy)();
        if !policy.is_null() {
            answer["policy"] = policy;
        }
    }
    let status = match is_ending {
        true => StatusCode::SERVICE_UNAVAILABLE,
        false => StatusCode::OK,
    };
    reply::json(status, format!("{answer}\n"))
}

/// The numbers, for those who may call.
async fn metrics(State(hub): State<Arc<Hub>>, request: Request) -> Response {
    let (uri, headers) = (request.uri(), request.headers());
    let admitted = hub.access.admit(uri, headers);
    if let Err(refused) = admitted.and_then(|()| hub.access.caller(headers)) {
        return refusal(refused.status(), refused.message());
    }
    all_metrics(hub).await
}

/// The same at the listener for metrics, without a token.
async fn metrics_for_operators(State(hub): State<Arc<Hub>>, request: Request) -> Response {
    if let Err(refused) = hub.access.admit_scraper(request.uri(), request.headers()) {
        return refusal(refused.status(), refused.message());
    }
    all_metrics(hub).await
}

async fn all_metrics(hub: Arc<Hub>) -> Response {
    let open = hub
        .servers
        .values()
        .map(|server| server.connections.sessions_open() as u64);
    let open = open.sum();
    // Measuring the store may take time.
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
    let request = take_rest(request);
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
