//! The HTTP client of object stores.
//!
//! Owns the settings of connections, and the kind of each failure, which decides whether `object_store` sends a request
//! again. Refuses to know requests and answers. The crate's own client does the same, but compiles HTTP/2 into the program.

use async_trait::async_trait;
use http_body_util::BodyExt;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse,
    HttpResponseBody, HttpService,
};
use object_store::{ClientConfigKey, ClientOptions};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::{Body, Request};
use std::error::Error;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, ErrorKind};
use std::iter::successors;
use std::time::Duration;

/// The time that `object_store` allows for a connection to a cloud's metadata service, as [`ClientOptions`] write it. Where
/// the service does not exist, nothing accepts the connection.
const METADATA: (&str, Duration) = ("1s", Duration::from_secs(1));

/// Makes the HTTP clients of an object store, and of the services that give its credentials.
#[derive(Debug)]
pub(super) struct Connector {
    /// The time for a connection.
    pub(super) connect: Duration,
    /// The time for a whole answer.
    pub(super) whole: Duration,
}

#[derive(Debug)]
struct Client(reqwest::Client);

/// The system's resolver, with addresses in random order: replicas spread their requests over all servers of a store.
struct Shuffled;

impl HttpConnector for Connector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        // Another part of the process may have done so before.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let says = |key, value| options.get_config_value(&key).as_deref() == Some(value);
        let connect = match says(ClientConfigKey::ConnectTimeout, METADATA.0) {
            true => METADATA.1,
            false => self.connect,
        };
        let client = reqwest::Client::builder()
            .user_agent(concat!("tamis/", env!("CARGO_PKG_VERSION")))
            .https_only(!says(ClientConfigKey::AllowHttp, "true"))
            .connect_timeout(connect)
            .timeout(self.whole)
            .dns_resolver(Shuffled)
            .http1_only()
            .build();
        match client {
            Ok(client) => Ok(HttpClient::new(Client(client))),
            Err(error) => Err(object_store::Error::Generic {
                store: "HTTP client",
                source: error.into(),
            }),
        }
    }
}

#[async_trait]
impl HttpService for Client {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let request = request.map(|body| match body.as_bytes() {
            // If the service redirects, the client sends them again.
            Some(bytes) => Body::from(bytes.clone()),
            None => Body::wrap(body),
        });
        let request = Request::try_from(request).map_err(failed)?;
        let response = self.0.execute(request).await.map_err(failed)?;
        let response = hyper::Response::<Body>::from(response);
        Ok(response.map(|body| HttpResponseBody::new(body.map_err(failed))))
    }
}

impl Resolve for Shuffled {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            // Port 0 stands for that of the URL.
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let mut addresses: Vec<_> = found.collect();
            let order = RandomState::new();
            addresses.sort_by_cached_key(|address| order.hash_one(address));
            Ok(Box::new(addresses.into_iter()) as Addrs)
        })
    }
}

/// The failure with its kind, and without the URL, which may contain a signature.
fn failed(error: reqwest::Error) -> HttpError {
    let kind = if error.is_timeout() {
        HttpErrorKind::Timeout
    } else if error.is_connect() {
        HttpErrorKind::Connect
    } else if error.is_decode() {
        HttpErrorKind::Decode
    } else {
        let causes = successors(error.source(), |cause| (*cause).source());
        causes
            .filter_map(kind_of)
            .next()
            .unwrap_or(HttpErrorKind::Unknown)
    };
    HttpError::new(kind, error.without_url())
}

/// The kind of a failure with this cause, if the cause tells it.
fn kind_of(cause: &(dyn Error + 'static)) -> Option<HttpErrorKind> {
    if let Some(error) = cause.downcast_ref::<hyper::Error>() {
        let is_unanswered =
            error.is_closed() || error.is_incomplete_message() || error.is_body_write_aborted();
        return match is_unanswered {
            true => Some(HttpErrorKind::Request),
            false => error.is_timeout().then_some(HttpErrorKind::Timeout),
        };
    }
    match cause.downcast_ref::<io::Error>()?.kind() {
        ErrorKind::TimedOut => Some(HttpErrorKind::Timeout),
        ErrorKind::ConnectionAborted
        | ErrorKind::ConnectionReset
        | ErrorKind::BrokenPipe
        | ErrorKind::UnexpectedEof => Some(HttpErrorKind::Interrupted),
        _ => None,
    }
}
