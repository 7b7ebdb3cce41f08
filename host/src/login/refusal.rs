//! A server's word that it wants to know who comes, or that who came may not do this.

use axum::http::header::{ACCEPT, CONTENT_TYPE, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use reqwest::Url;
use rmcp::transport::auth::WWWAuthenticateParams;

/// The least that a server answers, to learn whether it wants a login.
const GREETING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"tamis","version":"0"}}}"#;

/// Why a request was refused.
#[derive(Debug, Clone)]
pub struct Refusal {
    /// The server's challenge, which tells how to log in.
    pub challenge: Option<String>,
    /// The token is good, but not for this.
    pub is_narrow: bool,
}

impl Refusal {
    /// The refusal in an answer. None: the answer does not ask for a login.
    pub fn of(status: StatusCode, headers: &HeaderMap, url: &Url) -> Option<Refusal> {
        let challenges = headers.get_all(WWW_AUTHENTICATE).iter();
        let mut challenges = challenges.filter_map(|challenge| challenge.to_str().ok());
        let is_bearer = |text: &&str| text.trim_start().to_ascii_lowercase().starts_with("bearer");
        let challenge = challenges.find(is_bearer).map(str::to_owned);
        let params = challenge.as_deref();
        let params = params.map(|challenge| WWWAuthenticateParams::parse(challenge, url));
        let is_narrow = params.is_some_and(|params| params.is_insufficient_scope());
        match status {
            StatusCode::UNAUTHORIZED => {}
            StatusCode::FORBIDDEN if is_narrow => {}
            _ => return None,
        }
        Some(Refusal {
            challenge,
            is_narrow,
        })
    }
}

/// Asks the server whether it accepts a client without a login.
///
/// # Errors
///
/// It cannot be reached.
pub async fn ask(
    client: &reqwest::Client,
    url: &Url,
    mut headers: HeaderMap,
) -> reqwest::Result<Option<Refusal>> {
    let accepted = HeaderValue::from_static("application/json, text/event-stream");
    headers.insert(ACCEPT, accepted);
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let request = client.post(url.clone()).headers(headers).body(GREETING);
    let answer = request.send().await?;
    Ok(Refusal::of(answer.status(), answer.headers(), url))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_told_from_other_errors() {
        let url: Url = "https://a.example/mcp".parse().expect("a URL");
        let is_narrow = |status: u16, challenge: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Negotiate"));
            headers.append(WWW_AUTHENTICATE, HeaderValue::from_static(challenge));
            let status = StatusCode::from_u16(status).expect("a status");
            Refusal::of(status, &headers, &url).map(|refusal| refusal.is_narrow)
        };
        assert_eq!(is_narrow(401, "Bearer scope=\"a\""), Some(false));
        let narrow = "Bearer error=\"insufficient_scope\", scope=\"a b\"";
        assert_eq!(is_narrow(403, narrow), Some(true));
        assert_eq!(is_narrow(403, "Bearer error=\"invalid_token\""), None);
        assert_eq!(is_narrow(500, "Bearer"), None);
    }
}
