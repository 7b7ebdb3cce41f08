//! An upstream that speaks Streamable HTTP.

use super::headers;
use axum::body::Bytes;
use axum::http::{HeaderMap, Method};
use reqwest::Url;
use reqwest::redirect::Policy;
use std::error::Error;
use std::time::Duration;

/// Long enough for a server at the other end of the world, short enough for somebody who waits.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Idle connections go before the usual servers close them, which is after 60 s and more.
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);

/// Where a server is, and what is sent with every request.
pub struct Remote {
    client: reqwest::Client,
    url: Url,
    headers: HeaderMap,
}

/// What upstreams are asked with. Clones share its connections.
///
/// # Errors
///
/// The system's certificates cannot be read.
pub fn client() -> reqwest::Result<reqwest::Client> {
    // Another part of the process may have done so before.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
        // Whoever answers there instead would get the credentials.
        .redirect(Policy::none())
        .connect_timeout(CONNECT_TIMEOUT)
        .pool_idle_timeout(IDLE_TIMEOUT)
        .tcp_nodelay(true)
        .build()
}

impl Remote {
    /// `headers` take the place of those that clients send.
    ///
    /// # Errors
    ///
    /// `url` is none.
    pub fn new(client: reqwest::Client, url: &str, headers: HeaderMap) -> Result<Remote, String> {
        let url = Url::parse(url).map_err(|error| format!("{url} is not a URL: {error}"))?;
        Ok(Remote {
            client,
            url,
            headers,
        })
    }

    /// Sends a request of a client's. An error says why there is no answer, in words for the client.
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

/// The innermost error: those around it repeat the URL.
pub fn root_cause(error: &dyn Error) -> String {
    let mut cause = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}
