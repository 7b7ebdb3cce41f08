//! One server behind the proxy: which connection a request belongs to, and which parts of the request are
//! forwarded.
//!
//! `remote` handles a server at a URL, `local` a server that is a process.

mod local;
mod remote;

use super::access::Caller;
use super::bodies::Bodies;
use super::connections::{Connection, Connections};
use super::exchange::Exchange;
use super::local::Local;
use super::process::Places;
use super::remote::Remote;
use super::reply::{self, malformed, refusal};
use super::request::{Asking, Fault, Posted, session_of};
use super::room::{Room, Rooms, in_rooms};
use super::sealed_session::SessionSeal;
use super::turns::{self, Turn, Turns, block_if_large};
use crate::mcp::counting::Counting;
use crate::mcp::frame::Frame;
use crate::mcp::job::Job;
use crate::mcp::observe::traces::{Trace, Traces};
use crate::mcp::relay::{self, Forward, Origin, Rewrite};
use crate::mcp::rewriter::Rewriter;
use crate::mcp::sessions::SharedSessions;
use crate::policy::{REQUEST_ID_BYTES, ServeLimit, ServeLimits};
use crate::shared::Shared;
use axum::body::{Body, Bytes};
use axum::http::header::{CONNECTION, CONTENT_LENGTH};
use axum::http::request::Parts;
use axum::http::{HeaderValue, Method, StatusCode};
use axum::response::Response;
use std::sync::Arc;
use tokio::sync::watch;
use tokio::task::block_in_place;

/// Makes the rewriter for the frames of a new connection of this caller to the server of this name.
pub type Connect = Box<dyn Fn(&str, &Caller) -> Arc<Rewriter> + Send + Sync>;

/// The most memory for answers that one caller may hold: the largest answer that is filtered.
const ANSWERS_OF_CALLER: usize = 256 << 20;

/// Memory for streams of clients that may reconnect: of all callers, and of one.
const KEPT: (usize, usize) = (64 << 20, 32 << 20);

/// The state that all servers share.
pub(super) struct Common {
    pub(super) traces: Option<Arc<Traces>>,
    pub(super) closing: watch::Sender<bool>,
    pub(super) limits: ServeLimits,
    connect: Connect,
    /// The server checks a client's credentials.
    passes_credentials: bool,
    bodies: Bodies,
    answers: Rooms,
    kept: Rooms,
    turns: Turns,
    places: Places,
    connections: Vec<Arc<Connections>>,
    sharing: Sharing,
}

/// What several replicas of the proxy share.
#[derive(Debug, Default)]
pub struct Sharing {
    /// Makes ids of sessions that every replica can read; none: a session belongs to one replica.
    pub seal: Option<SessionSeal>,
    /// Windows of calls, and values of sessions; none: each replica has its own.
    pub sessions: Option<Shared>,
    /// Filters wait for services on other machines.
    pub waits: bool,
}

/// A server of the policy.
pub(super) struct Server {
    pub(super) name: String,
    pub(super) connections: Arc<Connections>,
    upstream: Upstream,
}

enum Upstream {
    Remote(Box<Remote>),
    Local(Local),
}

/// A request whose place is found.
struct Asked {
    exchange: Exchange,
    /// The body that the upstream gets.
    body: Bytes,
}

/// The connection that a request belongs to.
struct Connected {
    connection: Arc<Connection>,
    /// The upstream's id of the session, if it has begun.
    session: Option<String>,
    /// The request is to begin a session.
    begins: bool,
}

impl Common {
    pub(super) fn new(
        connect: Connect,
        limits: ServeLimits,
        passes_credentials: bool,
        sharing: Sharing,
    ) -> Common {
        let (kept, kept_of_caller) = KEPT;
        Common {
            traces: None,
            closing: watch::Sender::new(false),
            connect,
            passes_credentials,
            bodies: Bodies::new(&limits),
            answers: Rooms::new(limits.count(ServeLimit::Answers), ANSWERS_OF_CALLER),
            kept: Rooms::new(kept, kept_of_caller),
            turns: Turns::new(&limits, sharing.waits),
            places: Places::new(&limits),
            connections: Vec::new(),
            sharing,
            limits,
        }
    }

    /// Notes one more server that shares this state.
    pub(super) fn add(&mut self, server: &Server) {
        self.connections.push(Arc::clone(&server.connections));
    }

    /// Reads a request of this caller, or says why it is refused.
    pub(super) async fn read(
        &self,
        caller: Caller,
        head: Parts,
        body: Body,
    ) -> Result<Asking, Box<Response>> {
        // The body of a GET or DELETE means nothing.
        let arrived = if head.method == Method::POST {
            let length = head.headers.get(CONTENT_LENGTH);
            let length = length.and_then(|value| value.to_str().ok()?.parse().ok());
            self.bodies.read(&caller, body, length).await
        } else {
            Ok(self.bodies.none(&caller))
        };
        let arrived = arrived.and_then(|mut arrived| {
            let body = Posted::read(arrived.bytes.clone());
            let messages = body.frame.views().len();
            if messages > 1 {
                arrived.grow(messages)?;
            }
            let room = Arc::new(arrived.room);
            let bytes = in_rooms(arrived.bytes, [Arc::clone(&room)]);
            Ok((Posted { bytes, ..body }, room))
        });
        match arrived {
            Ok((body, room)) => Ok(Asking {
                method: head.method,
                headers: head.headers,
                body,
                caller,
                trace: None,
                room,
            }),
            Err(unread) => {
                let mut answer = refusal(unread.status(), &unread.message());
                // The rest of the body is not read.
                let close = HeaderValue::from_static("close");
                answer.headers_mut().insert(CONNECTION, close);
                Err(Box::new(answer))
            }
        }
    }
}

impl Server {
    pub(super) fn remote(name: &str, remote: Box<Remote>) -> Server {
        Server {
            name: name.to_owned(),
            connections: Arc::default(),
            upstream: Upstream::Remote(remote),
        }
    }

    pub(super) fn local(name: &str, local: Local) -> Server {
        Server {
            name: name.to_owned(),
            connections: Arc::default(),
            upstream: Upstream::Local(local),
        }
    }

    /// Its name, and how it is started, if it is a process.
    pub(super) fn as_local(&self) -> Option<(&str, &Local)> {
        match &self.upstream {
            Upstream::Local(local) => Some((&self.name, local)),
            Upstream::Remote(_) => None,
        }
    }

    pub(super) async fn answer(&self, common: &Common, mut asking: Asking) -> Response {
        if asking.body.has_long_id() {
            let why = format!("the id of a request has at most {REQUEST_ID_BYTES} bytes");
            return refusal(StatusCode::BAD_REQUEST, &why);
        }
        if asking.method == Method::POST
            && let Some(fault) = asking.fault()
        {
            return match fault {
                Fault::Kind => {
                    let why = "a message is one JSON text in UTF-8, and not compressed";
                    refusal(StatusCode::UNSUPPORTED_MEDIA_TYPE, why)
                }
                Fault::Doubt(doubt) => malformed(doubt),
            };
        }
        let place = match self.place(common, &asking) {
            Ok(place) => place,
            Err(refused) => return *refused,
        };
        asking.trace = self.trace(common, &asking);
        let trace = asking.trace.clone();
        let answer = match &self.upstream {
            Upstream::Remote(remote) => self.ask_remote(common, remote, place, asking).await,
            Upstream::Local(local) => self.ask_local(common, local, place, asking).await,
        };
        if let Some(trace) = trace {
            trace.answered(answer.status());
        }
        answer
    }

    /// The span of a message that asks for an answer.
    fn trace(&self, common: &Common, asking: &Asking) -> Option<Trace> {
        let traces = common.traces.as_ref()?;
        let begin = |method: &str, name: Option<&str>| {
            traces.begin(&self.name, method, name, &asking.headers)
        };
        if asking.body.is_batch() {
            return Some(begin("batch", None));
        }
        let (method, name) = block_if_large(asking.body.bytes.len(), || asking.body.asks_for())?;
        Some(begin(&method, name.as_deref()))
    }

    /// A connection of this caller, for a session if it `begins` one.
    fn connect(&self, common: &Common, caller: &Caller, begins: bool) -> Arc<Connection> {
        let lane = common.turns.lane(caller);
        let rewriter = (common.connect)(&self.name, caller);
        let is_elsewhere = !begins && common.sharing.seal.is_some();
        let connection = match is_elsewhere {
            true => Connection::known_elsewhere(caller.clone(), lane, rewriter),
            false => Connection::new(caller.clone(), lane, rewriter),
        };
        let subject = match begins {
            true => connection.unique.clone(),
            false => format!("caller {}", caller.key()),
        };
        self.share(common, &connection, subject);
        connection
    }

    /// Lets other replicas count the calls of a connection, and have its values. `subject`: its session, or caller.
    fn share(&self, common: &Common, connection: &Connection, subject: String) {
        if let Some(shared) = &common.sharing.sessions {
            connection.relay.policy().share_sessions(SharedSessions {
                shared: shared.clone(),
                connection: [self.name.clone(), subject],
                idle: common.limits.time(ServeLimit::Idle),
            });
        }
    }

    /// The session with this id, for its owner. One that another replica began is taken over.
    fn session(
        &self,
        common: &Common,
        id: &str,
        caller: &Caller,
    ) -> Option<(String, Arc<Connection>)> {
        let seal = match (&common.sharing.seal, &self.upstream) {
            (Some(seal), Upstream::Remote(_)) => seal,
            _ => {
                let connection = self.connections.session(id, caller)?;
                return Some((id.to_owned(), connection));
            }
        };
        let session = seal.open(&self.name, caller, id)?;
        let upstreams = session.upstreams.clone();
        if let Some(connection) = self.connections.session(&upstreams, caller)
            && connection.unique == session.unique
        {
            return Some((upstreams, connection));
        }
        let taken_over = self.connections.beginning(|| {
            let lane = common.turns.lane(caller);
            let rewriter = (common.connect)(&self.name, caller);
            Connection::taken_over(caller.clone(), lane, rewriter, session, id)
        });
        self.share(common, &taken_over, taken_over.unique.clone());
        let connection = self.connections.take_over(&upstreams, taken_over).ok()?;
        Some((upstreams, connection))
    }

    fn place(&self, common: &Common, asking: &Asking) -> Result<Connected, Box<Response>> {
        let session = session_of(&asking.headers)
            .map_err(|why| Box::new(refusal(StatusCode::BAD_REQUEST, why)))?;
        let Some(id) = session else {
            let begins = asking.method == Method::POST
                && asking.body.has_method("initialize")
                && !asking.stands_alone();
            let make_new = || self.connect(common, &asking.caller, begins);
            return Ok(Connected {
                connection: if begins {
                    self.connections.beginning(make_new)
                } else {
                    self.connections.caller(&asking.caller, make_new)
                },
                session: None,
                begins,
            });
        };
        // An id that this upstream did not give may be another upstream's, which is a secret. So is one that it
        // gave to another caller. Neither is forwarded.
        let Some((id, connection)) = self.session(common, &id, &asking.caller) else {
            let why = "unknown or expired session, or not yours: begin a new one with `initialize`";
            return Err(Box::new(refusal(StatusCode::NOT_FOUND, why)));
        };
        Ok(Connected {
            connection,
            session: Some(id),
            begins: false,
        })
    }

    /// Notes the requests of a message, and answers those that Tamis itself answers.
    async fn ask(
        &self,
        common: &Common,
        place: &Connected,
        asking: &Asking,
    ) -> Result<Asked, Box<Response>> {
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
            closing: common.closing.subscribe(),
            own: Vec::new(),
            trace: asking.trace.clone(),
            room: asking.body.is_batch().then(|| Arc::clone(&asking.room)),
            answers: common.answers.clone(),
        };
        let body = note(&mut exchange, asking).await?;
        Ok(Asked { exchange, body })
    }
}

/// Notes the requests of a message. Returns the body for the upstream; or the answer, if the upstream gets
/// nothing.
async fn note(exchange: &mut Exchange, asking: &Asking) -> Result<Bytes, Box<Response>> {
    let Posted { bytes, frame } = &asking.body;
    if asking.method != Method::POST {
        exchange.is_bound = exchange.is_standing;
        return Ok(bytes.clone());
    }
    let policy = exchange.relay.policy();
    let header = policy.session_header();
    let header = header.and_then(|name| asking.headers.get(name)?.to_str().ok());
    let room: relay::Room = Arc::<Room>::clone(&asking.room);
    let counting = Counting::default();
    let counts_elsewhere = policy.counts_elsewhere();
    // The calls of a batch are counted one after the other.
    let is_batch = matches!(frame, Frame::Batch(_));
    let origin = Origin {
        header,
        trace: exchange.trace.as_ref(),
        room: Some(&room),
        counting: (counts_elsewhere && !is_batch).then_some(&counting),
    };
    let relay = &exchange.relay;
    let work = || relay.from_client_frame(bytes, frame, origin);
    let filters = policy.filters_arguments() && asking.body.calls();
    let mut turn = turn_if(filters, exchange, bytes).await?;
    let mut noted = match counts_elsewhere && is_batch {
        true => block_in_place(work),
        false => block_if_large(bytes.len(), work),
    };
    if let Some(question) = counting.question() {
        drop(turn);
        counting.note(question.ask().await);
        turn = turn_if(filters, exchange, bytes).await?;
        noted = block_if_large(bytes.len(), work);
    }
    drop(turn);
    if let Some(doubt) = noted.refused {
        let answers = own_answers(exchange, noted.answers, bytes).await?;
        return Err(Box::new(match answers.len() {
            0 => malformed(doubt),
            several => reply::messages(StatusCode::BAD_REQUEST, answers, several > 1),
        }));
    }
    if !exchange.connection.is_used() && asking.body.calls() {
        exchange.connection.note_call();
    }
    exchange.requests = noted.requests;
    // A client may take any answer for the answer to an earlier request.
    exchange.is_bound = noted.is_bound || exchange.relay.has_hidden();
    exchange.is_standing |= asking.body.listens();
    exchange.own = own_answers(exchange, noted.answers, bytes).await?;
    match noted.forward {
        Forward::AsItIs => Ok(bytes.clone()),
        Forward::Instead(frame) => Ok(frame.into()),
        Forward::Nothing => {
            let own = std::mem::take(&mut exchange.own);
            Err(Box::new(reply::messages(StatusCode::OK, own, is_batch)))
        }
    }
}

/// The turn of filters of a call's arguments, if there are any.
async fn turn_if(
    filters: bool,
    exchange: &Exchange,
    body: &[u8],
) -> Result<Option<Turn>, Box<Response>> {
    if !filters {
        return Ok(None);
    }
    match exchange.connection.lane.turn(body.len()).await {
        Ok(turn) => Ok(Some(turn)),
        Err(turns::Busy) => Err(Box::new(too_busy(body))),
    }
}

/// Tamis's own answers.
async fn own_answers(
    exchange: &Exchange,
    jobs: Vec<Job>,
    body: &[u8],
) -> Result<Vec<Vec<u8>>, Box<Response>> {
    let mut answers = Vec::new();
    for job in jobs {
        match exchange.connection.lane.run(job).await {
            Ok(answer) => answers.push(answer),
            Err(turns::Busy) => return Err(Box::new(too_busy(body))),
        }
    }
    Ok(answers)
}

/// Tamis itself has no time for an answer.
fn too_busy(body: &[u8]) -> Response {
    let status = StatusCode::SERVICE_UNAVAILABLE;
    match turns::errors(body, true, turns::BUSY) {
        Some(errors) => reply::json(status, errors),
        None => refusal(status, turns::BUSY),
    }
}
