//! A request for a server at a URL.

use super::{Asked, Common, Place, Server};
use crate::mcp::http::answer;
use crate::mcp::http::remote::Remote;
use crate::mcp::http::request::{Asking, session_of};
use crate::mcp::relay::Origin;
use axum::http::{Method, StatusCode};
use axum::response::Response;

impl Server {
    pub(super) async fn ask_remote(
        &self,
        common: &Common,
        remote: &Remote,
        place: Place,
        mut asking: Asking,
    ) -> Response {
        let Asked { exchange, body } = match self.ask(common, &place, &asking).await {
            Ok(asked) => asked,
            Err(answer) => return *answer,
        };
        if let Some(trace) = &asking.trace {
            trace.write_to(&mut asking.headers);
        }
        let with_credentials = common.passes_credentials;
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
                    let make_new = || self.connect(common, &asking.caller);
                    let lasting = self.connections.caller(&asking.caller, make_new);
                    let relay = lasting.relay.sibling();
                    let body = &asking.body;
                    relay.from_client_frame(&body.bytes, &body.frame, Origin::default());
                }
            }
        }
        answer::answer(exchange, upstream).await
    }
}
