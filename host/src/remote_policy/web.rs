//! The requests for a policy at a URL, and for its signatures.
//!
//! Tamis follows no redirect: another host would get the headers of the operator.

use super::place::PolicyUrl;
use crate::causes::root_cause;
use crate::printable;
use crate::registry::{MAX_POLICY_BYTES, POLICY_WITHIN};
use crate::signature::{self, MAX_DETACHED_BYTES, Signature};
use reqwest::header::{
    ETAG, HeaderMap, HeaderValue, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED, LOCATION,
};
use reqwest::{Client, StatusCode, Url};
use tokio::runtime::Runtime;
use tokio::time::timeout;

/// What a server says of a version, so that it need not send the same one again.
#[derive(Debug, Clone, Default)]
pub(super) struct Validators {
    etag: Option<HeaderValue>,
    modified: Option<HeaderValue>,
}

/// Why a server does not give what it is asked for. `url`: without its query.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Nobody answers, or not as HTTP has it.
    #[error("{url} cannot be reached: {cause}")]
    Unreachable {
        /// The URL.
        url: String,
        /// The error of the system or of the TLS library.
        cause: String,
    },
    /// No whole answer in time.
    #[error("{url} takes too long (limit {POLICY_WITHIN:?})")]
    Slow {
        /// The URL.
        url: String,
    },
    /// Another place.
    #[error(
        "{url} redirects ({status}) to {to}, which Tamis does not follow: name the new URL in --config"
    )]
    Redirects {
        /// The URL.
        url: String,
        /// The status of the answer.
        status: StatusCode,
        /// The scheme and the host that it leads to.
        to: String,
    },
    /// Any other status.
    #[error("{url} answers {status}{advice}")]
    Refused {
        /// The URL.
        url: String,
        /// The status of the answer.
        status: StatusCode,
        /// What may help.
        advice: &'static str,
    },
    /// More than is read.
    #[error("{url} is larger than {most} bytes")]
    TooLarge {
        /// The URL.
        url: String,
        /// The limit.
        most: u64,
    },
    /// Not signatures in base64.
    #[error("{url} has no signatures: {cause}")]
    NotSignatures {
        /// The URL.
        url: String,
        /// Why not.
        cause: String,
    },
    /// An error of this machine.
    #[error("start a runtime: {0}")]
    System(String),
}

impl Error {
    /// Whether the server may answer the same request later.
    pub(super) fn is_away(&self) -> bool {
        match self {
            Error::Unreachable { .. } | Error::Slow { .. } => true,
            Error::Refused { status, .. } => {
                status.is_server_error() || *status == StatusCode::TOO_MANY_REQUESTS
            }
            _ => false,
        }
    }
}

/// The server of a policy.
pub(super) struct Web {
    url: PolicyUrl,
    client: Client,
    headers: HeaderMap,
    /// Its connections belong to it.
    runtime: Runtime,
}

/// An answer that is not a refusal.
enum Answer {
    /// The version that was named.
    Same,
    Body(Vec<u8>, Validators),
}

impl Web {
    pub(super) fn new(url: PolicyUrl, client: Client, headers: HeaderMap) -> Result<Web, Error> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| Error::System(error.to_string()))?;
        Ok(Web {
            url,
            client,
            headers,
            runtime,
        })
    }

    /// The policy; none: it is the version that the server said this of.
    pub(super) fn policy(
        &self,
        known: Option<&Validators>,
    ) -> Result<Option<(Vec<u8>, Validators)>, Error> {
        let mut headers = self.headers.clone();
        if let Some(Validators { etag, modified }) = known {
            headers.extend(etag.clone().map(|etag| (IF_NONE_MATCH, etag)));
            // A server that knows tags of versions takes them before the time.
            headers.extend(modified.clone().map(|time| (IF_MODIFIED_SINCE, time)));
        }
        match self.get(&self.url.url, headers, MAX_POLICY_BYTES)? {
            Answer::Same => Ok(None),
            Answer::Body(policy, validators) => Ok(Some((policy, validators))),
        }
    }

    /// Its signatures; none if nobody signed it.
    pub(super) fn signatures(&self) -> Result<Vec<Signature>, Error> {
        let url = self.url.of_signatures();
        let invalid = |cause: String| Error::NotSignatures {
            url: shown(&url),
            cause,
        };
        match self.get(&url, self.headers.clone(), MAX_DETACHED_BYTES) {
            Ok(Answer::Body(text, _)) => {
                let text =
                    String::from_utf8(text).map_err(|_| invalid("it is not a text".into()))?;
                signature::from_text(&text).map_err(|error| invalid(error.to_string()))
            }
            Ok(Answer::Same) => Ok(Vec::new()),
            Err(Error::Refused { status, .. }) if status == StatusCode::NOT_FOUND => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    fn get(&self, url: &Url, headers: HeaderMap, most: u64) -> Result<Answer, Error> {
        let work = async {
            match timeout(POLICY_WITHIN, self.ask(url, headers, most)).await {
                Ok(answer) => answer,
                Err(_) => Err(Error::Slow { url: shown(url) }),
            }
        };
        self.runtime.block_on(work)
    }

    async fn ask(&self, url: &Url, headers: HeaderMap, most: u64) -> Result<Answer, Error> {
        let failed = |error: reqwest::Error| match error.is_timeout() {
            true => Error::Slow { url: shown(url) },
            false => Error::Unreachable {
                url: shown(url),
                cause: printable::line(&root_cause(&error.without_url())),
            },
        };
        let request = self.client.get(url.clone()).headers(headers);
        let mut response = request.send().await.map_err(failed)?;
        let status = response.status();
        if status == StatusCode::NOT_MODIFIED {
            return Ok(Answer::Same);
        }
        if status.is_redirection() {
            let to = response.headers().get(LOCATION);
            let to = to.and_then(|to| url.join(to.to_str().ok()?).ok());
            return Err(Error::Redirects {
                url: shown(url),
                status,
                // The rest may be a secret.
                to: to.map_or_else(
                    || "nowhere".to_owned(),
                    |to| printable::line(&to.origin().ascii_serialization()),
                ),
            });
        }
        if !status.is_success() {
            let advice = match status {
                StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                    ": credentials are in --policy-header"
                }
                _ => "",
            };
            let url = shown(url);
            return Err(Error::Refused {
                url,
                status,
                advice,
            });
        }
        let validators = Validators {
            etag: response.headers().get(ETAG).cloned(),
            modified: response.headers().get(LAST_MODIFIED).cloned(),
        };
        let mut body = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(failed)? {
            if (body.len() + piece.len()) as u64 > most {
                let url = shown(url);
                return Err(Error::TooLarge { url, most });
            }
            body.extend_from_slice(&piece);
        }
        Ok(Answer::Body(body, validators))
    }
}

/// A URL without its query, which may be a secret.
fn shown(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    url.to_string()
}
