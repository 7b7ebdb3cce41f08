//! A request for a server at a URL.

use super::{Asked, Common, Connected, Server};
use crate::json;
use crate::mcp::frame::Frame;
use crate::mcp::http::body_kind::{BodyKind, BodyType};
use crate::mcp::http::remote::Remote;
use crate::mcp::http::request::{Asking, Posted, session_of};
use crate::mcp::http::sealed_session::{self, SealedSession};
use crate::mcp::http::{answer, headers, room, sse_events};
use crate::mcp::relay::{FromUpstream, Origin};
use axum::http::header::{ACCEPT, CONTENT_TYPE};
use axum::http::{HeaderValue, Method, StatusCode};
use axum::response::Response;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

impl Server {
    pub(super) async fn ask_remote(
        &self,
        common: &Common,
        remote: &Remote,
        place: Connected,
        mut asking: Asking,
    ) -> Response {
        let relisted = place.connection.relisted.as_ref();
        if relisted.is_some_and(|once| !once.initialized()) && asking.body.calls() {
            // In a place of its own, since few requests need it and each would have room for it.
            Box::pin(self.relist(common, remote, &place, &asking)).await;
        }
        let Asked { exchange, body } = match self.ask(common, &place, &asking).await {
            Ok(asked) => asked,
            Err(answer) => return *answer,
        };
        if let Some(trace) = &asking.trace {
            trace.write_to(&mut asking.headers);
        }
        let Asking {
            method,
            mut headers,
            body: posted,
            caller,
            room,
            ..
        } = asking;
        // Until the answer, only the part of a request that its chain needs stays in memory.
        drop(room);
        let greeting = place.begins.then_some(posted);
        // The client's own id may be a sealed one, which is not the upstream's to see.
        headers::set_session(&mut headers, place.session.as_deref());
        let sent = remote.send(&method, headers, common.passes_credentials, body);
        let mut upstream = match sent.await {
            Ok(upstream) => upstream,
            Err(why) => return exchange.failed(StatusCode::BAD_GATEWAY, &why),
        };
        let status = upstream.status();
        if let Some(why) = remote.leads_elsewhere(&upstream) {
            return exchange.failed(StatusCode::BAD_GATEWAY, why);
        }
        if let Some(id) = &place.session {
            let is_over = method == Method::DELETE && status.is_success();
            if is_over || status == StatusCode::NOT_FOUND {
                self.connections.end(id);
            }
        } else if place.begins && status.is_success() {
            match session_of(upstream.headers()) {
                Ok(Some(id)) => {
                    if let Some(seal) = &common.sharing.seal {
                        let session = SealedSession {
                            upstreams: id.clone(),
                            unique: place.connection.unique.clone(),
                            client: place
                                .connection
                                .relay
                                .policy()
                                .client()
                                .map(|known| (*known).clone()),
                        };
                        let Some(sealed) = seal.seal(&self.name, &caller, &session) else {
                            let why =
                                "the upstream server gave this session an id that is too long";
                            return exchange.failed(StatusCode::BAD_GATEWAY, why);
                        };
                        let _ = place.connection.sealed.set(sealed);
                    }
                    if self
                        .connections
                        .begin(&id, Arc::clone(&place.connection))
                        .is_err()
                    {
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
                // A server without sessions: the client is noted for all its requests.
                _ => {
                    let make_new = || self.connect(common, &caller, false);
                    let lasting = self.connections.caller(&caller, make_new);
                    let relay = lasting.relay.sibling();
                    if let Some(Posted { bytes, frame }) = &greeting {
                        relay.from_client_frame(bytes, frame, Origin::default());
                    }
                }
            }
        }
        if common.sharing.seal.is_some() {
            let sealed = place.connection.sealed.get().map(String::as_str);
            let has_id = upstream.headers().contains_key(headers::SESSION);
            headers::set_session(upstream.headers_mut(), sealed.filter(|_| has_id));
        }
        answer::answer(exchange, upstream).await
    }

    /// Asks the upstream for its tools, in a session that another replica began: what a result may become depends on
    /// the list that the client was shown. Only the first request waits for it. Without an answer, the session goes
    /// on as one whose client has not listed its tools.
    async fn relist(&self, common: &Common, remote: &Remote, place: &Connected, asking: &Asking) {
        let connection = &place.connection;
        let Some(relisted) = &connection.relisted else {
            return;
        };
        let list = async {
            if !connection.relay.policy().misses_list() {
                return;
            }
            let listing = timeout(RELIST_TIME, self.list_again(common, remote, place, asking));
            let why = match listing.await {
                Ok(Ok(())) => return,
                Ok(Err(why)) => why,
                Err(_) => "no answer in time".to_owned(),
            };
            let server = &self.name;
            tracing::warn!(
                server,
                "the tools of a session of another replica are unknown: {why}"
            );
        };
        relisted.get_or_init(|| list).await;
    }

    async fn list_again(
        &self,
        common: &Common,
        remote: &Remote,
        place: &Connected,
        asking: &Asking,
    ) -> Result<(), String> {
        let connection = &place.connection;
        // Requests of its own, so that no id is another's.
        let relay = connection.relay.sibling();
        let mut headers = asking.headers.clone();
        headers::set_session(&mut headers, place.session.as_deref());
        let mut cursor: Option<String> = None;
        if headers.remove("mcp-name").is_some() | headers.contains_key("mcp-method") {
            headers.insert("mcp-method", HeaderValue::from_static("tools/list"));
        }
        let meta = meta(&asking.body);
        for page in 0..RELIST_PAGES {
            let mut params = serde_json::Map::new();
            if let Some(cursor) = &cursor {
                params.insert("cursor".to_owned(), cursor.as_str().into());
            }
            params.extend(meta.clone().map(|meta| ("_meta".to_owned(), meta)));
            // No request of the client has this id.
            let id = format!("tamis-{}-{page}", sealed_session::unique());
            let request =
                json!({"jsonrpc": "2.0", "id": id, "method": "tools/list", "params": params});
            let body = request.to_string().into_bytes();
            relay.from_client(&body, Origin::default());
            let mut headers = headers.clone();
            for (name, value) in [
                (CONTENT_TYPE, "application/json"),
                (ACCEPT, "application/json, text/event-stream"),
            ] {
                headers.insert(name, HeaderValue::from_static(value));
            }
            let sent = remote.send(
                &Method::POST,
                headers,
                common.passes_credentials,
                body.into(),
            );
            let upstream = sent.await?;
            if !upstream.status().is_success() {
                return Err(format!("the upstream server answers {}", upstream.status()));
            }
            let kind = BodyKind::of(upstream.headers());
            let mut room = common.answers.room(&connection.owner);
            let upstream: axum::http::Response<reqwest::Body> = upstream.into();
            let read = room::read(upstream.into_body(), &mut room, RELIST_BYTES, None).await;
            let body = read.map_err(|_| "the list cannot be read".to_owned())?;
            let messages = match kind.body_type {
                BodyType::Events => sse_events([&*body]).0,
                _ => vec![body.to_vec()],
            };
            cursor = None;
            let mut is_answered = false;
            for message in messages {
                let [result] = json::members(&message, ["result"]);
                if let Some(result) = result.map(|span| &message[span]) {
                    is_answered = true;
                    let [next] = json::members(result, ["nextCursor"]);
                    cursor = next.and_then(|span| Some(json::text(&result[span])?.into_owned()));
                }
                if let FromUpstream::Rewrite(job) = relay.from_upstream(&message) {
                    let _ = connection.lane.run(job).await;
                }
            }
            if !is_answered {
                return Err("the upstream server does not list its tools".to_owned());
            }
            if cursor.is_none() {
                return Ok(());
            }
        }
        Ok(())
    }
}

/// The metadata of a request, with the version and the client of a request without a session.
fn meta(body: &Posted) -> Option<Value> {
    let Frame::Message(view) = &body.frame else {
        return None;
    };
    let params = &body.bytes[view.params.clone()?];
    let [meta] = json::members(params, ["_meta"]);
    let mut meta: Value = serde_json::from_slice(&params[meta?]).ok()?;
    // Nobody waits for the progress of this request.
    meta.as_object_mut()?.remove("progressToken");
    Some(meta)
}

/// How long a call waits for the list of tools, in a session that another replica began.
const RELIST_TIME: Duration = Duration::from_secs(5);

/// Most pages of such a list: more tools than any client takes.
const RELIST_PAGES: usize = 50;

/// Most bytes of one page.
const RELIST_BYTES: usize = 16 << 20;
