//! The requests of one HTTP request: who waits for their answers, and the errors that replace answers.
//!
//! Refuses to know: how an answer arrives.

use super::connections::Connection;
use super::headers;
use super::reply;
use super::room::{Room, Rooms};
use super::turns::{self, block_if_large};
use crate::mcp::doubt;
use crate::mcp::frame::{Frame, RequestId};
use crate::mcp::observe::traces::Trace;
use crate::mcp::relay::{FromUpstream, Refused, Relay};
use crate::mcp::rewriter::Rewriter;
use axum::http::header::WWW_AUTHENTICATE;
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use std::sync::Arc;
use tokio::sync::watch;

/// The requests of one HTTP exchange. When it is dropped, its client no longer waits for their answers.
pub(super) struct Exchange {
    pub(super) connection: Arc<Connection>,
    /// The relay of the session, or one for this exchange alone.
    pub(super) relay: Arc<Relay<Rewriter>>,
    pub(super) requests: Vec<RequestId>,
    /// The policy must look at the answer.
    pub(super) is_bound: bool,
    /// A stream that stays open, for messages of the server or of Tamis.
    pub(super) is_standing: bool,
    /// Signals that the proxy ends, which ends such a stream too.
    pub(super) closing: watch::Receiver<bool>,
    /// Tamis's own messages for the client, sent before the upstream's.
    pub(super) own: Vec<Vec<u8>>,
    /// The span of its requests.
    pub(super) trace: Option<Trace>,
    /// The counted memory of its requests, if they are several and their ids are stored.
    pub(super) room: Option<Arc<Room>>,
    /// The counted memory of answers.
    pub(super) answers: Rooms,
}

impl Drop for Exchange {
    fn drop(&mut self) {
        if !self.requests.is_empty() {
            self.relay.forget(std::mem::take(&mut self.requests));
        }
    }
}

impl Exchange {
    /// Ends without an answer: an error for each request that waits.
    pub(super) fn failed(mut self, status: StatusCode, why: &str) -> Response {
        self.fail(status, why)
    }

    /// Answers with an error, without taking the exchange.
    pub(super) fn fail(&mut self, status: StatusCode, why: &str) -> Response {
        self.fail_with(status, Vec::new(), why)
    }

    /// Answers with errors that already exist.
    fn fail_with(&mut self, status: StatusCode, errors: Vec<Vec<u8>>, why: &str) -> Response {
        if let Some(trace) = &self.trace {
            trace.failed(why);
        }
        let requests = std::mem::take(&mut self.requests);
        let mut errors = [errors, self.relay.give_up(&requests, why)].concat();
        if let [only] = &mut *errors {
            return reply::json(status, std::mem::take(only));
        }
        if errors.is_empty() {
            return reply::refusal(status, why);
        }
        reply::json(status, reply::list(&errors))
    }

    /// Refuses the upstream's answer: errors replace it, and only its headers are forwarded.
    pub(super) fn refused(mut self, answer: Response, errors: Vec<Vec<u8>>, why: &str) -> Response {
        let status = match answer.status().is_success() {
            true => StatusCode::BAD_GATEWAY,
            false => answer.status(),
        };
        let mut refused = self.fail_with(status, errors, why);
        for name in [WWW_AUTHENTICATE, headers::SESSION] {
            let values = answer.headers().get_all(&name).iter().cloned();
            let values: Vec<HeaderValue> = values.collect();
            for value in values {
                refused.headers_mut().append(name.clone(), value);
            }
        }
        refused
    }

    /// Whether frames that readers could differ over are refused.
    pub(super) fn is_strict(&self) -> bool {
        self.relay.is_strict()
    }

    /// Counted memory for an answer, or for a part of one.
    pub(super) fn answer_room(&self) -> Room {
        self.answers.room(&self.connection.owner)
    }

    /// A frame of the upstream after the policy.
    pub(super) async fn made(&self, frame: &[u8]) -> Made {
        let job = match block_if_large(frame.len(), || self.relay.from_upstream(frame)) {
            FromUpstream::Forward => return Made::AsItIs,
            FromUpstream::Refused(refused) => return Made::Refused(refused),
            FromUpstream::Rewrite(job) => job,
        };
        match self.connection.lane.run(job).await {
            Ok(made) => Made::Rewritten(made),
            Err(turns::Busy) => {
                if let Some(trace) = &self.trace {
                    trace.failed(turns::BUSY);
                }
                Made::Busy(turns::errors(frame, false, turns::BUSY).unwrap_or_default())
            }
        }
    }

    /// Notes that answered requests no longer wait.
    pub(super) fn settle(&mut self) {
        let relay = &self.relay;
        self.requests
            .retain(|id| relay.awaits(std::slice::from_ref(id)));
    }
}

/// How to handle a frame of the upstream.
pub(super) enum Made {
    AsItIs,
    Rewritten(Vec<u8>),
    /// Errors replace the frame, since too many results wait for filters; there may be none.
    Busy(Vec<u8>),
    Refused(Refused),
}

/// Waits until the proxy ends.
pub(super) async fn closes(closing: &mut watch::Receiver<bool>) {
    let _ = closing.wait_for(|closing| *closing).await;
}

/// Why an answer cannot be read.
pub(super) fn unreadable(answer: &[u8]) -> Option<String> {
    unreadable_frame(answer, &Frame::read(answer))
}

/// The reason why the policy cannot read an answer whose frame was read.
pub(super) fn unreadable_frame(answer: &[u8], frame: &Frame) -> Option<String> {
    let doubt = doubt::unreadable(answer, frame)?;
    Some(format!("the upstream server's answer {}", doubt.why()))
}
