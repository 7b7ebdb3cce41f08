//! A server that requires authorization, and its authorization server, which agrees to everything, and treats a reused
//! refresh token as theft.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use reqwest::Url;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// The events so far, and the behaviour.
#[derive(Default)]
pub struct Guarded {
    /// Declared lifetime of a token in seconds.
    pub lifetime: Option<u64>,
    /// Additional scope that `admin` requires.
    pub wants: &'static str,
    pub state: Mutex<Happened>,
}

#[derive(Default)]
pub struct Happened {
    /// Issued tokens with their scopes, and whether they are still valid.
    pub tokens: Vec<(String, String, bool)>,
    /// The valid refresh token.
    refresh: Option<String>,
    codes: HashMap<String, HashMap<String, String>>,
    pub registered: usize,
    pub logins: Vec<HashMap<String, String>>,
    pub renewals: usize,
    /// Number of refresh tokens that were used twice.
    pub thieves: usize,
    pub bearers: Vec<Option<String>>,
    /// Everything that no other party may see.
    pub secrets: Vec<String>,
}

impl Guarded {
    pub async fn start(self) -> (Arc<Guarded>, SocketAddr) {
        let guarded = Arc::new(self);
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await;
        let listener = listener.expect("listen");
        let address = listener.local_addr().expect("an address");
        let router = Router::new()
            .fallback(answer)
            .with_state((Arc::clone(&guarded), address));
        tokio::spawn(async move { axum::serve(listener, router).await });
        (guarded, address)
    }

    pub fn happened(&self) -> MutexGuard<'_, Happened> {
        self.state.lock().expect("no test panics here")
    }

    /// Invalidates all issued tokens; refresh tokens stay valid.
    pub fn forget_tokens(&self) {
        for (_, _, is_good) in &mut self.happened().tokens {
            *is_good = false;
        }
    }

    /// Invalidates refresh tokens too.
    pub fn forget_all(&self) {
        self.forget_tokens();
        self.happened().refresh = None;
    }

    fn give(&self, happened: &mut Happened, scope: &str) -> Value {
        let number = happened.tokens.len();
        let (access, refresh) = (
            format!("sesame-access-{number}"),
            format!("sesame-refresh-{number}"),
        );
        happened
            .tokens
            .push((access.clone(), scope.to_owned(), true));
        happened.secrets.extend([access.clone(), refresh.clone()]);
        happened.refresh = Some(refresh.clone());
        json!({"access_token": access, "refresh_token": refresh, "token_type": "Bearer",
            "expires_in": self.lifetime, "scope": scope})
    }
}

async fn answer(
    State((guarded, address)): State<(Arc<Guarded>, SocketAddr)>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let base = format!("http://{address}");
    let mut happened = guarded.happened();
    match uri.path() {
        "/mcp" => mcp(&guarded, &mut happened, &base, &headers, &body),
        "/.well-known/oauth-protected-resource/mcp" => json_of(&json!({
            "resource": format!("{base}/mcp"), "authorization_servers": [base],
        })),
        "/.well-known/oauth-authorization-server" => json_of(&json!({
            "issuer": base, "authorization_endpoint": format!("{base}/authorize"),
            "token_endpoint": format!("{base}/token"), "registration_endpoint": format!("{base}/register"),
            "response_types_supported": ["code"], "code_challenge_methods_supported": ["S256"],
        })),
        "/register" => {
            happened.registered += 1;
            let asked: Value = serde_json::from_slice(&body).expect("JSON");
            json_of(
                &json!({"client_id": format!("client-{}", happened.registered),
                "client_secret": "sesame-secret", "redirect_uris": asked["redirect_uris"]}),
            )
        }
        "/authorize" => {
            let asked = pairs(uri.query().unwrap_or_default());
            let code = format!("code-{}", happened.logins.len());
            let mut back: Url = asked["redirect_uri"].parse().expect("a URL");
            back.query_pairs_mut()
                .append_pair("code", &code)
                .append_pair("state", &asked["state"]);
            happened.codes.insert(code, asked.clone());
            happened.logins.push(asked);
            (StatusCode::FOUND, [("location", back.to_string())]).into_response()
        }
        "/token" => token(&guarded, &mut happened, &base, &body),
        _ => StatusCode::NOT_FOUND.into_response(),
    }
}

fn mcp(
    guarded: &Guarded,
    happened: &mut Happened,
    base: &str,
    headers: &HeaderMap,
    body: &[u8],
) -> Response {
    let metadata = format!("resource_metadata=\"{base}/.well-known/oauth-protected-resource/mcp\"");
    let bearer = headers.get("authorization");
    let bearer = bearer.map(|it| it.to_str().expect("text").to_owned());
    happened.bearers.push(bearer.clone());
    let bearer = bearer.unwrap_or_default();
    let given = bearer.strip_prefix("Bearer ").unwrap_or_default();
    let known = happened.tokens.iter();
    let known = known
        .rev()
        .find(|(token, _, is_good)| token == given && *is_good);
    let Some((_, scope, _)) = known else {
        let challenge = format!("Bearer {metadata}, scope=\"read\"");
        return (StatusCode::UNAUTHORIZED, [("www-authenticate", challenge)]).into_response();
    };
    let Ok(asked) = serde_json::from_slice::<Value>(body) else {
        return StatusCode::METHOD_NOT_ALLOWED.into_response();
    };
    if asked["method"] == "admin" && !scope.split(' ').any(|it| it == guarded.wants) {
        let wants = guarded.wants;
        let challenge =
            format!("Bearer error=\"insufficient_scope\", scope=\"{wants}\", {metadata}");
        return (StatusCode::FORBIDDEN, [("www-authenticate", challenge)]).into_response();
    }
    if asked["id"].is_null() {
        return StatusCode::ACCEPTED.into_response();
    }
    json_of(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"good-for": scope}}))
}

fn token(guarded: &Guarded, happened: &mut Happened, base: &str, body: &[u8]) -> Response {
    let asked = pairs(std::str::from_utf8(body).expect("text"));
    let refused = || {
        let why = json_of(&json!({"error": "invalid_grant"}));
        (StatusCode::BAD_REQUEST, why).into_response()
    };
    assert_eq!(asked["resource"], format!("{base}/mcp"));
    if asked["grant_type"] == "refresh_token" {
        if happened.refresh.as_ref() != asked.get("refresh_token") {
            happened.thieves += 1;
            return refused();
        }
        happened.renewals += 1;
        let scope = happened.tokens.last().map(|(_, scope, _)| scope.clone());
        return json_of(&guarded.give(happened, &scope.unwrap_or_default()));
    }
    let Some(login) = happened.codes.remove(&asked["code"]) else {
        return refused();
    };
    let proof = Sha256::digest(asked["code_verifier"].as_bytes());
    if BASE64_URL_SAFE_NO_PAD.encode(proof) != login["code_challenge"]
        || asked["redirect_uri"] != login["redirect_uri"]
    {
        return refused();
    }
    let scope = login.get("scope").cloned().unwrap_or_default();
    json_of(&guarded.give(happened, &scope))
}

fn pairs(form: &str) -> HashMap<String, String> {
    let url = Url::parse(&format!("http://x/?{form}")).expect("a form");
    url.query_pairs().into_owned().collect()
}

fn json_of(value: &Value) -> Response {
    ([("content-type", "application/json")], value.to_string()).into_response()
}
