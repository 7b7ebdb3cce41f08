//! The state that lasts from one exchange with the server to the next.

use super::request::Request;
use crate::lock::lock;
use crate::login::{Login, Refusal};
use crate::mcp::http::mirror::Marked;
use crate::mcp::http::{headers, version};
use axum::http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue, Method};
use reqwest::{Client, Url};
use std::sync::{Mutex, MutexGuard};

/// A server that still refuses after this many tokens will not accept any.
const TOKENS: usize = 3;

/// A client's connection to a server.
pub(super) struct Session {
    client: Client,
    url: Url,
    headers: HeaderMap,
    /// The login; none: credentials, if any, are in the headers.
    login: Option<Login>,
    state: Mutex<State>,
    pub(super) marked: Marked,
}

#[derive(Default)]
struct State {
    /// The server's id of the session.
    id: Option<HeaderValue>,
    /// The version that was agreed on in `initialize`.
    agreed: Option<String>,
    /// The handshake, to repeat if the server forgets the session.
    greeting: Option<Vec<u8>>,
    /// A task listens for messages that the server sends unasked.
    listens: bool,
    /// The last request stood alone.
    stands_alone: bool,
}

impl Session {
    pub(super) fn new(
        client: Client,
        url: Url,
        headers: HeaderMap,
        login: Option<Login>,
    ) -> Session {
        Session {
            client,
            url,
            headers,
            login,
            state: Mutex::default(),
            marked: Marked::default(),
        }
    }

    /// Whether the client speaks a version without sessions.
    pub(super) fn stands_alone(&self) -> bool {
        self.state().stands_alone
    }

    pub(super) fn has_id(&self) -> bool {
        self.state().id.is_some()
    }

    /// Sends a message of the client. An error says why no answer came, in words for the client.
    pub(super) async fn post(&self, request: &Request) -> Result<reqwest::Response, String> {
        let headers = self.headers_of(request);
        self.send(Method::POST, headers, Some(&request.body)).await
    }

    /// Opens a stream for the server's own messages, or resumes one after an event.
    pub(super) async fn listen(&self, after: Option<&str>) -> Result<reqwest::Response, String> {
        let mut headers = self.headers_of_session();
        headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
        if let Some(event) = after.and_then(|event| HeaderValue::from_str(event).ok()) {
            headers.insert(headers::LAST_EVENT, event);
        }
        self.send(Method::GET, headers, None).await
    }

    /// Tells the server that the session has ended.
    pub(super) async fn end(&self) {
        if !self.has_id() {
            return;
        }
        let mut delete = reqwest::Request::new(Method::DELETE, self.url.clone());
        *delete.headers_mut() = self.headers_of_session();
        if let Some(login) = &self.login {
            let token = login.token().await.and_then(|token| token.bearer());
            let token = token.map(|bearer| (AUTHORIZATION, bearer));
            delete.headers_mut().extend(token);
        }
        let _ = self.client.execute(delete).await;
    }

    /// Sends a request, with the login's credentials. If the server refuses, the login is renewed, or made.
    async fn send(
        &self,
        method: Method,
        headers: HeaderMap,
        body: Option<&Vec<u8>>,
    ) -> Result<reqwest::Response, String> {
        let make = || {
            let mut request = reqwest::Request::new(method.clone(), self.url.clone());
            headers.clone_into(request.headers_mut());
            *request.body_mut() = body.map(|body| body.clone().into());
            request
        };
        let Some(login) = &self.login else {
            return self.client.execute(make()).await.map_err(unreachable);
        };
        let mut token = login.token().await;
        let mut tokens = 0;
        loop {
            let mut request = make();
            let bearer = token.as_ref().and_then(|token| token.bearer());
            let bearer = bearer.map(|bearer| (AUTHORIZATION, bearer));
            request.headers_mut().extend(bearer);
            let answer = self.client.execute(request).await.map_err(unreachable)?;
            let refusal = Refusal::of(answer.status(), answer.headers(), &self.url);
            let Some(refusal) = refusal else {
                return Ok(answer);
            };
            if tokens == TOKENS {
                login.give_up().await;
                return Ok(answer);
            }
            tokens += 1;
            token = Some(login.instead(&refusal, token.as_ref()).await?);
        }
    }

    /// Notes the server's answer to the handshake, and its version.
    pub(super) fn greeted(&self, request: &Request, agreed: Option<&str>) {
        let mut state = self.state();
        state.agreed = agreed.map(str::to_owned);
        state.greeting = Some(request.body.clone());
    }

    /// Notes the server's id of the new session; none: the server has no sessions.
    pub(super) fn note_id(&self, id: Option<HeaderValue>) {
        self.state().id = id;
    }

    /// The handshake, if it must be repeated because the server no longer knows the session `id`. None: another
    /// exchange has repeated it meanwhile, or the client sent none.
    pub(super) fn forgotten(&self, id: Option<&HeaderValue>) -> Option<Request> {
        let mut state = self.state();
        if state.id.is_none() || state.id.as_ref() != id {
            return None;
        }
        state.id = None;
        state.listens = false;
        Request::read(state.greeting.as_deref()?)
    }

    pub(super) fn id(&self) -> Option<HeaderValue> {
        self.state().id.clone()
    }

    /// Whether the caller is the one to listen for the server's own messages.
    pub(super) fn takes_to_listen(&self) -> bool {
        let mut state = self.state();
        !std::mem::replace(&mut state.listens, true)
    }

    fn headers_of(&self, request: &Request) -> HeaderMap {
        let message = request.json();
        let version = version::of_request(&message);
        let alone = version.is_some_and(|version| !version::has_sessions(Some(version)));
        if !request.ids.is_empty() {
            self.state().stands_alone = alone;
        }
        let mut headers = if alone {
            let mut headers = self.headers.clone();
            headers.extend(self.marked.headers(&message));
            let version = version.and_then(|version| HeaderValue::from_str(version).ok());
            headers.extend(version.map(|version| (version::HEADER, version)));
            headers
        } else if request.is("initialize") {
            self.headers.clone()
        } else {
            self.headers_of_session()
        };
        let accepted = HeaderValue::from_static("application/json, text/event-stream");
        headers.insert(ACCEPT, accepted);
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers
    }

    fn headers_of_session(&self) -> HeaderMap {
        let state = self.state();
        let mut headers = self.headers.clone();
        let agreed = state.agreed.as_deref();
        let agreed = agreed.and_then(|agreed| HeaderValue::from_str(agreed).ok());
        headers.extend(agreed.map(|agreed| (version::HEADER, agreed)));
        headers.extend(state.id.clone().map(|id| (headers::SESSION, id)));
        headers
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

fn unreachable(error: reqwest::Error) -> String {
    let why = crate::causes::root_cause(&error);
    if error.is_connect() {
        format!("the server cannot be reached: {why}")
    } else {
        format!("the server ended before it answered: {why}")
    }
}
