//! The upstream's answer, on its way to the client.
//!
//! Tamis does not look at an answer that no chain touches: its body is forwarded as it arrives. If a chain may
//! touch an answer, JSON is read whole, and a stream one event at a time.

use super::body_kind::{BodyKind, BodyType};
use super::exchange::{Exchange, Made, unreadable, unreadable_frame};
use super::headers;
use super::reply;
use super::room::{self, Room, in_rooms};
use super::stream::{self, FILTERED_BYTES};
use super::turns::{self, block_if_large};
use crate::mcp::frame::Frame;
use crate::mcp::relay::{FromUpstream, Refused};
use crate::serving;
use axum::body::{Body, Bytes};
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::Response;
use http_body_util::BodyExt;

/// The upstream's answer, for the client.
pub(super) async fn answer(exchange: Exchange, upstream: reqwest::Response) -> Response {
    let upstream: axum::http::Response<reqwest::Body> = upstream.into();
    let (head, body) = upstream.into_parts();
    let kind = BodyKind::of(&head.headers);
    let (is_bound, is_strict) = (exchange.is_bound, exchange.is_strict());
    let has_own = !exchange.own.is_empty();
    let mut answer = Response::new(Body::empty());
    *answer.status_mut() = head.status;
    *answer.headers_mut() = headers::of_answer(head.headers);
    if exchange.relay.redacts_messages() {
        headers::keep_needed(answer.headers_mut());
        let texts = headers::take_texts(answer.headers_mut());
        if !texts.is_empty() {
            let Ok(turn) = exchange.connection.lane.turn(0).await else {
                return exchange.failed(StatusCode::SERVICE_UNAVAILABLE, turns::BUSY);
            };
            let redact = |text: &str| exchange.relay.redacted_text(text);
            serving::short(|| headers::add_redacted(answer.headers_mut(), texts, redact));
            drop(turn);
        }
    }
    let is_looked_at = is_bound || exchange.is_standing || has_own;
    let fault = if kind.is_coded {
        Some("the upstream server sent a compressed answer, which was not asked for")
    } else if !kind.is_plain && is_strict {
        Some("the upstream server sent an answer of several types, or not in UTF-8")
    } else {
        None
    };
    // Without a request, no answer exists. Some servers still write a word into the body, which no client
    // reads.
    let is_receipt = head.status == StatusCode::ACCEPTED && exchange.requests.is_empty();
    match kind.body_type {
        _ if is_bound && is_receipt && !has_own => {
            for name in [CONTENT_LENGTH, CONTENT_TYPE] {
                answer.headers_mut().remove(name);
            }
            answer
        }
        BodyType::Events if is_looked_at && fault.is_none() => {
            answer.headers_mut().remove(CONTENT_LENGTH);
            *answer.body_mut() = stream::body(exchange, body);
            answer
        }
        _ if has_own => own_and_upstreams(exchange, answer, body, fault).await,
        _ if is_looked_at && let Some(why) = fault => exchange.refused(answer, Vec::new(), why),
        BodyType::Json if is_bound => whole(exchange, answer, body).await,
        _ if is_bound && (answer.status().is_success() || is_strict) => {
            unknown(exchange, answer, body).await
        }
        _ => {
            *answer.body_mut() = untouched(exchange, body);
            answer
        }
    }
}

/// The body as it arrives, with the exchange for as long as it does.
fn untouched(exchange: Exchange, body: reqwest::Body) -> Body {
    let mut exchange = Some(exchange);
    Body::new(body.map_frame(move |frame| {
        let _waits = &mut exchange;
        frame
    }))
}

/// JSON, once all of it is there.
async fn whole(mut exchange: Exchange, mut answer: Response, body: reqwest::Body) -> Response {
    let (bytes, mut room) = match collect(&exchange, answer.headers(), body).await {
        Ok(collected) => collected,
        Err((status, why)) => return exchange.failed(status, &why),
    };
    let is_final = answer.status().is_success() || exchange.is_strict();
    let (frame, why) = block_if_large(bytes.len(), || {
        let frame = Frame::read(&bytes);
        let why = unreadable_frame(&bytes, &frame);
        (frame, why)
    });
    let is_readable = why.is_none();
    if let Some(why) = why.filter(|_| is_final)
        && !(bytes.trim_ascii().is_empty() && exchange.requests.is_empty())
    {
        return exchange.refused(answer, Vec::new(), &why);
    }
    // The job for a result begins only at its turn: many may wait.
    let Ok(turn) = exchange.connection.lane.turn(bytes.len()).await else {
        return exchange.failed(StatusCode::SERVICE_UNAVAILABLE, turns::BUSY);
    };
    let relay = &exchange.relay;
    let read = || relay.from_upstream_frame(&bytes, &frame, is_readable);
    match block_if_large(bytes.len(), read) {
        FromUpstream::Forward => *answer.body_mut() = Body::from(in_rooms(bytes, [room])),
        FromUpstream::Rewrite(job) => {
            drop(bytes);
            let Ok(made) = turn.run(job).await else {
                return exchange.failed(StatusCode::SERVICE_UNAVAILABLE, turns::BUSY);
            };
            room.hold(made.len());
            answer.headers_mut().remove(CONTENT_LENGTH);
            *answer.body_mut() = Body::from(in_rooms(made, [room]));
        }
        FromUpstream::Refused(Refused { doubt, errors, .. }) => {
            let why = format!("the upstream server's answer {}", doubt.why());
            return exchange.refused(answer, errors, &why);
        }
    }
    exchange.settle();
    answer
}

/// An answer of unknown kind. It is forwarded only if its body is empty.
async fn unknown(exchange: Exchange, answer: Response, mut body: reqwest::Body) -> Response {
    let why = loop {
        match body.frame().await {
            None => return answer,
            Some(Err(_)) => break BROKE_OFF,
            Some(Ok(frame)) if frame.data_ref().is_none_or(Bytes::is_empty) => {}
            Some(Ok(_)) => {
                break "the upstream server answered with something that no filter can be given";
            }
        }
    };
    exchange.refused(answer, Vec::new(), why)
}

/// Answers a batch of which Tamis answers a part. `fault`: the defect of the upstream's part.
async fn own_and_upstreams(
    mut exchange: Exchange,
    mut answer: Response,
    body: reqwest::Body,
    fault: Option<&str>,
) -> Response {
    let (bytes, mut room) = match collect(&exchange, answer.headers(), body).await {
        Ok(collected) => collected,
        Err((status, why)) => return exchange.failed(status, &why),
    };
    let fault = fault
        .map(str::to_owned)
        .or_else(|| block_if_large(bytes.len(), || unreadable(&bytes)));
    let mut answers = std::mem::take(&mut exchange.own);
    let mut give_up = fault;
    if give_up.is_none() {
        let upstreams = match exchange.made(&bytes).await {
            Made::AsItIs => bytes.to_vec(),
            Made::Rewritten(made) | Made::Busy(made) => made,
            Made::Refused(Refused { doubt, errors, .. }) => {
                give_up = Some(format!("the upstream server's answer {}", doubt.why()));
                errors.join(&b',')
            }
        };
        exchange.settle();
        let upstreams = upstreams.trim_ascii();
        let inner = upstreams
            .strip_prefix(b"[")
            .and_then(|rest| rest.strip_suffix(b"]"));
        answers.push(inner.unwrap_or(upstreams).trim_ascii().to_vec());
    }
    if let Some(why) = give_up {
        let requests = std::mem::take(&mut exchange.requests);
        answers.extend(exchange.relay.give_up(&requests, &why));
    }
    answers.retain(|answer| !answer.is_empty());
    let headers = answer.headers_mut();
    headers.remove(CONTENT_LENGTH);
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    *answer.status_mut() = StatusCode::OK;
    let all = reply::list(&answers);
    room.hold(all.len());
    *answer.body_mut() = Body::from(in_rooms(all, [room]));
    answer
}

const BROKE_OFF: &str = "the upstream server broke off its answer";

/// The whole body, and its room; or the status and text in its place.
async fn collect(
    exchange: &Exchange,
    headers: &HeaderMap,
    body: reqwest::Body,
) -> Result<(Bytes, Room), (StatusCode, String)> {
    let mut room = exchange.answer_room();
    let length = headers.get(CONTENT_LENGTH);
    let length = length.and_then(|value| value.to_str().ok()?.parse().ok());
    match room::read(body, &mut room, FILTERED_BYTES, length).await {
        Ok(bytes) => Ok((bytes, room)),
        Err(room::Unread::TooLarge) => {
            let limit = FILTERED_BYTES >> 20;
            let why = format!(
                "the upstream server's answer is larger than {limit} MiB, which is the most that is filtered"
            );
            Err((StatusCode::BAD_GATEWAY, why))
        }
        Err(room::Unread::NoRoom) => {
            Err((StatusCode::SERVICE_UNAVAILABLE, room::NO_ROOM.to_owned()))
        }
        Err(room::Unread::BrokeOff) => Err((StatusCode::BAD_GATEWAY, BROKE_OFF.to_owned())),
    }
}
