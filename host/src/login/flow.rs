//! The way to a first token: finding the authorization server, registration, the user's consent, and the
//! exchange.

use super::browser::{self, Door};
use super::is_private;
use super::stored::{self, LoginStore, RegisteredClient, StoredLogin};
use crate::printable;
use anyhow::{Context, Result, anyhow, bail};
use reqwest::Url;
use rmcp::transport::auth::{
    AuthError, AuthorizationManager, AuthorizationMetadata, OAuthClientConfig, OAuthTokenResponse,
};
use serde::Deserialize;
use std::io::Write;

/// The program's name on the authorization server's pages.
const NAME: &str = "Tamis";

/// The scope that lets a token be renewed (OpenID Connect).
const OFFLINE: &str = "offline_access";

/// How to log in.
#[derive(Default)]
pub struct Wish {
    /// The server's challenge when it refused.
    pub challenge: Option<String>,
    /// The wanted scopes; none: those that the server names.
    pub scopes: Vec<String>,
    /// Whether to add the scopes of the present token.
    pub widens: bool,
    /// The id, and the secret, that the operator has from the authorization server.
    pub client: Option<(String, Option<String>)>,
    /// The port that the browser is sent to.
    pub port: Option<u16>,
    /// Open no browser: the user does.
    pub is_quiet: bool,
}

/// Gets a token for the server at `url` from its authorization server, with the user's consent, and stores it.
///
/// # Errors
///
/// The server does not tell how to log in, the user or the authorization server refuses, or the token cannot be
/// stored.
pub async fn log_in(keeping: &LoginStore, url: &Url, wish: &Wish) -> Result<StoredLogin> {
    super::check(url)?;
    let before = keeping.get(url).unwrap_or_default();
    let mut manager = manager(url).await?;
    let found = manager
        .resolve_metadata_from_challenge(wish.challenge.as_deref())
        .await;
    let found = found
        .map_err(|error| describe_error(&error))
        .context("find out who logs users in")?;
    let is_guess = !found.source.is_discovered();
    let metadata = found.metadata;
    endpoints_are_private(&metadata)?;
    manager.set_metadata(metadata.clone());
    let scopes = scopes(&manager, &metadata, wish, before.as_ref()).await;

    let known = known_client(wish, before.as_ref(), metadata.issuer.as_deref());
    let port = wish.port.or_else(|| port(&known.as_ref()?.redirect));
    let door = Door::open(port, wish.port.is_some()).await?;
    let redirect = door.address();
    // A client that was made for another address is not let back to this one.
    let known = known.filter(|client| client.is_given || client.redirect == redirect);
    let client = match known {
        Some(client) => RegisteredClient { redirect, ..client },
        None => {
            let registered = register(&mut manager, &redirect, &scopes).await;
            registered.map_err(|error| match is_guess {
                true => anyhow!("the server does not describe how to log in ({error:#}): if it requires an access token, send one with --header 'Authorization: Bearer ${{TOKEN}}'"),
                false => error,
            })?
        }
    };
    configure(&mut manager, &client)?;
    let asked: Vec<&str> = scopes.iter().map(String::as_str).collect();
    let page = manager.get_authorization_url(&asked).await;
    let page = page
        .map_err(|error| describe_error(&error))
        .context("begin a login")?;
    let page: Url = page.parse().context("read where to log in")?;
    let state = page.query_pairs().find(|(key, _)| key == "state");
    let Some((_, state)) = state else {
        bail!("the login has no state to tell its answer by");
    };
    // If nobody reads it, the browser may still be shown.
    let _ = writeln!(
        std::io::stderr(),
        "tamis: log in to {} at\n  {}",
        printable::line(host(url)),
        printable::line(page.as_str())
    );
    if !wish.is_quiet {
        browser::show(&page);
    }
    let callback = door.wait(&state).await?;
    let issuer = callback.issuer.as_deref();
    let given = manager.exchange_code_for_token_with_issuer(&callback.code, &state, issuer);
    let given = given.await;
    let given = given
        .map_err(|error| describe_error(&error))
        .context("exchange the login for a token")?;
    let kept = written(url, client, metadata.issuer, scopes, &given)?;
    keeping.put(&kept)?;
    Ok(kept)
}

/// The SDK's side of a login. It asks nothing of hosts on this machine for a server that is not on it.
pub(super) async fn manager(url: &Url) -> Result<AuthorizationManager> {
    // Another part of the process may have done so before.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let manager = AuthorizationManager::new_allowing_private_addresses(url.clone()).await;
    manager.map_err(|error| describe_error(&error))
}

/// An error of the SDK in one safe line: its text may cite a server.
pub(super) fn describe_error(error: &AuthError) -> anyhow::Error {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        text = format!("{text}: {inner}");
        cause = inner.source();
    }
    let text: String = text.chars().take(500).collect();
    anyhow!("{}", printable::line(&text))
}

pub(super) fn configure(
    manager: &mut AuthorizationManager,
    client: &RegisteredClient,
) -> Result<()> {
    let mut config = OAuthClientConfig::new(&client.id, &client.redirect);
    if let Some(secret) = &client.secret {
        config = config.with_client_secret(secret);
    }
    let configured = manager.configure_client(config);
    configured.map_err(|error| describe_error(&error))
}

/// Everything that secrets are sent to or typed into.
pub(super) fn endpoints_are_private(metadata: &AuthorizationMetadata) -> Result<()> {
    let optional = metadata.registration_endpoint.as_ref();
    let endpoints = [&metadata.authorization_endpoint, &metadata.token_endpoint];
    for endpoint in endpoints.into_iter().chain(optional) {
        let url: Result<Url, _> = endpoint.parse();
        let is_web = |url: &Url| matches!(url.scheme(), "http" | "https") && is_private(url);
        if !url.is_ok_and(|url| is_web(&url)) {
            bail!(
                "the authorization server is at {}, which is not https://…: others could read the login on the network",
                printable::line(endpoint)
            );
        }
    }
    Ok(())
}

/// The scopes to ask for: the fewest that suffice, and those of the present token, which the new one replaces.
async fn scopes(
    manager: &AuthorizationManager,
    metadata: &AuthorizationMetadata,
    wish: &Wish,
    before: Option<&StoredLogin>,
) -> Vec<String> {
    let mut scopes: Vec<String> = match before {
        Some(before) if wish.widens => before.scopes.clone(),
        _ => Vec::new(),
    };
    let more = match wish.scopes.is_empty() {
        true => manager.select_initial_scopes(&[]).await,
        false => wish.scopes.clone(),
    };
    let offers = metadata.scopes_supported.as_deref().unwrap_or_default();
    let offline = offers.iter().any(|scope| scope == OFFLINE);
    let is_any = !(scopes.is_empty() && more.is_empty());
    let offline = (offline && is_any).then(|| OFFLINE.to_owned());
    for scope in more.into_iter().chain(offline) {
        if !scopes.contains(&scope) {
            scopes.push(scope);
        }
    }
    scopes
}

/// The registration to ask with, if the authorization server knows this program.
fn known_client(
    wish: &Wish,
    before: Option<&StoredLogin>,
    issuer: Option<&str>,
) -> Option<RegisteredClient> {
    if let Some((id, secret)) = wish.client.clone() {
        return Some(RegisteredClient {
            id,
            secret,
            redirect: String::new(),
            is_given: true,
        });
    }
    let before = before?;
    // An id means something to those who gave it; one that is the URL of a description, to all.
    let is_portable = before.client.is_given && before.client.id.starts_with("https://");
    let is_known = is_portable || before.issuer.as_deref() == issuer;
    is_known.then(|| before.client.clone())
}

fn port(redirect: &str) -> Option<u16> {
    Url::parse(redirect).ok()?.port()
}

async fn register(
    manager: &mut AuthorizationManager,
    redirect: &str,
    scopes: &[String],
) -> Result<RegisteredClient> {
    let asked: Vec<&str> = scopes.iter().map(String::as_str).collect();
    let config = manager.register_client(NAME, redirect, &asked).await;
    let config = config.map_err(|error| {
        anyhow!(
            "{:#}. If you have a client id from there: tamis login URL --client-id ID",
            describe_error(&error)
        )
    })?;
    Ok(RegisteredClient {
        id: config.client_id,
        secret: config.client_secret,
        redirect: redirect.to_owned(),
        is_given: false,
    })
}

/// A token as it comes over the wire; the SDK's type shows no more.
#[derive(Deserialize)]
struct Given {
    access_token: String,
    refresh_token: Option<String>,
    expires_in: Option<u64>,
    scope: Option<String>,
}

/// A token in the stored form. `asked`: its scopes, unless the authorization server names others.
pub(super) fn written(
    url: &Url,
    client: RegisteredClient,
    issuer: Option<String>,
    asked: Vec<String>,
    given: &OAuthTokenResponse,
) -> Result<StoredLogin> {
    let given = serde_json::to_value(given).ok();
    let given: Option<Given> = given.and_then(|given| serde_json::from_value(given).ok());
    // The parser's message could quote a token.
    let Some(given) = given else {
        bail!("the authorization server's answer holds no token");
    };
    let scopes = given.scope.map(|scope| {
        let scopes = scope.split_whitespace();
        scopes.map(str::to_owned).collect()
    });
    let kept = StoredLogin {
        url: stored::name(url),
        client,
        issuer,
        scopes: scopes.unwrap_or(asked),
        expires_at: given
            .expires_in
            .map(|seconds| stored::now().saturating_add(seconds)),
        access: given.access_token,
        refresh: given.refresh_token,
    };
    if kept.bearer().is_none() {
        bail!("the authorization server gave a token that cannot be sent in a header");
    }
    Ok(kept)
}

fn host(url: &Url) -> &str {
    url.host_str().unwrap_or_default()
}
