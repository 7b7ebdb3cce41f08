//! A request for a server at a URL.

use super::{Asked, Common, Connected, Server};
use crate::mcp::http::answer;
use crate::mcp::http::remote::Remote;
use crate::mcp::http::request::{Asking, Posted, session_of};
use crate::mcp::relay::Origin;
use axum::http::{Method, StatusCode};
use axum::response::Response;

impl Server {
    pub(super) async fn ask_remote(
        &self,
        common: &Common,
        remote: &Remote,
        place: Connected,
        mut asking: Asking,
    ) -> Response {
        let Asked { exchange, body } = match self.ask(common, &place, &asking).await {
            Ok(asked) => asked,
            Err(answer) => return *answer,
        };
        if let Some(trace) = &asking.trace {
            trace.write_to(&mut asking.headers);
        }
        let Asking {
            method,
            headers,
            body: posted,
            caller,
            room,
            ..
        } = asking;
        // Until the answer, only the part of a request that its chain needs stays in memory.
        drop(room);
        let greeting = place.begins.then_some(posted);
        let sent = remote.send(&method, headers, common.passes_credentials, body);
        let upstream = match sent.await {
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
                // A server without sessions: the client is noted for all its requests.
                _ => {
                    let make_new = || self.connect(common, &caller);
                    let lasting = self.connections.caller(&caller, make_new);
                    let relay = lasting.relay.sibling();
                    if let Some(Posted { bytes, frame }) = &greeting {
                        relay.from_client_frame(bytes, frame, Origin::default());
                    }
                }
            }
        }
        answer::answer(exchange, upstream).await
    }
}
