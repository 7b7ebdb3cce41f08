//! An upstream that speaks Streamable HTTP.

use super::headers;
use crate::causes::root_cause;
use crate::login::{Login, Refusal, StoredLogin};
use crate::printable;
use axum::body::Bytes;
use axum::http::header::{AUTHORIZATION, LOCATION};
use axum::http::{HeaderMap, Method};
use reqwest::Url;
use reqwest::redirect::Policy;
use std::time::Duration;

/// Long enough for a distant server, short enough for a person who waits.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Idle connections are closed before the usual servers close them, which is after 60 s and more.
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);

/// The message for the client of a server that redirects.
pub(super) const REDIRECTS: &str = "the upstream server redirects, which Tamis does not follow: the operator must name its new URL";

/// The address of a server, and the headers of every request.
pub struct Remote {
    client: reqwest::Client,
    url: Url,
    headers: HeaderMap,
    /// The login for requests without credentials.
    login: Option<Login>,
}

/// The HTTP client for upstreams. Clones share its connections.
///
/// # Errors
///
/// The system's certificates cannot be read.
pub fn client() -> reqwest::Result<reqwest::Client> {
    // Another part of the process may have done so before.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
        // Another host would get the credentials.
        .redirect(Policy::none())
        .connect_timeout(CONNECT_TIMEOUT)
        .pool_idle_timeout(IDLE_TIMEOUT)
        .tcp_nodelay(true)
        // One version for all upstreams, whatever other parts of the program need.
        .http1_only()
        .build()
}

impl Remote {
    /// `headers` replace those that clients send, and a login applies if neither contains credentials.
    pub fn new(
        client: reqwest::Client,
        url: Url,
        headers: HeaderMap,
        login: Option<Login>,
    ) -> Remote {
        Remote {
            client,
            url,
            headers,
            login,
        }
    }

    /// Sends a request of a client. An error says why no answer came, in words for the client.
    pub(super) async fn send(
        &self,
        method: &Method,
        headers: HeaderMap,
        with_credentials: bool,
        body: Bytes,
    ) -> Result<reqwest::Response, String> {
        let mut headers = headers::of_request(headers, with_credentials);
        for (name, value) in &self.headers {
            headers.insert(name, value.clone());
        }
        let is_ours = !with_credentials && !headers.contains_key(AUTHORIZATION);
        match &self.login {
            // In a place of its own: a request without it has no room for what it needs.
            Some(login) if is_ours => Box::pin(self.send_with(login, method, headers, body)).await,
            _ => self.execute(method, headers, body).await,
        }
    }

    /// Sends a request with the operator's login.
    async fn send_with(
        &self,
        login: &Login,
        method: &Method,
        headers: HeaderMap,
        body: Bytes,
    ) -> Result<reqwest::Response, String> {
        let mut token = login.token().await;
        let with = |token: Option<&StoredLogin>| {
            let mut headers = headers.clone();
            let bearer = token.and_then(StoredLogin::bearer);
            headers.extend(bearer.map(|bearer| (AUTHORIZATION, bearer)));
            headers
        };
        let answer = self.execute(method, with(token.as_ref()), body.clone());
        let answer = answer.await?;
        let refusal = Refusal::of(answer.status(), answer.headers(), &self.url);
        let Some(refusal) = refusal else {
            return Ok(answer);
        };
        match login.instead(&refusal, token.as_ref()).await {
            Ok(other) => token = Some(other),
            Err(why) => {
                tracing::warn!(url = %self.url, "{why}");
                return Ok(answer);
            }
        }
        self.execute(method, with(token.as_ref()), body).await
    }

    /// Why an answer may not be forwarded, since it leads the client past Tamis; none: it may.
    pub(super) fn leads_elsewhere(&self, answer: &reqwest::Response) -> Option<&'static str> {
        let status = answer.status();
        if !status.is_redirection() && !status.is_informational() {
            return None;
        }
        let place = answer.headers().get(LOCATION);
        let place = place.map(|place| printable::line(&String::from_utf8_lossy(place.as_bytes())));
        tracing::error!(
            url = %self.url,
            "the upstream server redirects ({status}) to {}: if it has moved there, change `url`",
            place.as_deref().unwrap_or("nowhere")
        );
        Some(REDIRECTS)
    }

    async fn execute(
        &self,
        method: &Method,
        headers: HeaderMap,
        body: Bytes,
    ) -> Result<reqwest::Response, String> {
        let mut request = reqwest::Request::new(method.clone(), self.url.clone());
        *request.headers_mut() = headers;
        if !body.is_empty() {
            *request.body_mut() = Some(body.into());
        }
        let sent = self.client.execute(request).await;
        sent.map_err(|error| {
            let why = root_cause(&error);
            tracing::warn!(url = %self.url, "the upstream server did not answer: {why}");
            if error.is_connect() {
                format!("the upstream server cannot be reached: {why}")
            } else if error.is_timeout() {
                "the upstream server did not answer in time".to_owned()
            } else {
                format!("the upstream server ended before it answered: {why}")
            }
        })
    }
}
