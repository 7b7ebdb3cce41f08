//! Servers that require authorization: the client is refused, requests a token, and comes back with it.
//!
//! Owns when, and how often, a token is requested. The SDK has the flow itself. The suite's authorization server asks
//! no user, so its answer to the first request has the address where a browser would end.

use std::error::Error;

use anyhow::{Context as _, bail};
use reqwest::Url;
use reqwest::header::LOCATION;
use reqwest::redirect::Policy;
use rmcp::service::{ClientInitializeError, ServiceError};
use rmcp::transport::auth::{AuthorizationRequest, OAuthState, WWWAuthenticateParams};
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, InsufficientScopeError, StreamableHttpClientTransportConfig,
};

use crate::{Scenario, visit_over_http};

/// Most refusals before the client gives up.
const ATTEMPTS: usize = 3;

const REDIRECT: &str = "http://localhost:3000/callback";

/// The address of this client's description. The suite knows it by this name.
const CLIENT_ID: &str = "https://conformance-test.local/client-metadata.json";

/// A visit with as many tokens as needed.
pub async fn visit(url: &str, scenario: &Scenario) -> anyhow::Result<()> {
    let mut transport = StreamableHttpClientTransportConfig::with_uri(url);
    let mut authorized: Option<OAuthState> = None;
    for _ in 0..ATTEMPTS {
        let Err(error) = visit_over_http(transport.clone(), scenario).await else {
            return Ok(());
        };
        let Some(challenge) = challenge_in(&error) else {
            return Err(error);
        };
        let state = match authorized.take() {
            Some(state) => widened(state, url, &challenge, scenario).await?,
            None => begun(url, &challenge, scenario).await?,
        };
        let (token, state) = finished(state).await?;
        transport = transport.auth_header(token);
        authorized = Some(state);
    }
    visit_over_http(transport, scenario).await
}

/// The server's challenge, if it refused because of missing authorization.
fn challenge_in(error: &anyhow::Error) -> Option<String> {
    error.chain().find_map(|cause| {
        if let Some(refused) = cause.downcast_ref::<ClientInitializeError>() {
            return refused.auth_challenge().map(str::to_owned);
        }
        let Some(ServiceError::TransportSend(refused)) = cause.downcast_ref() else {
            return None;
        };
        let mut cause: Option<&(dyn Error + 'static)> = Some(refused.error.as_ref());
        while let Some(inner) = cause {
            if let Some(unknown) = inner.downcast_ref::<AuthRequiredError>() {
                return Some(unknown.www_authenticate_header.clone());
            }
            if let Some(narrow) = inner.downcast_ref::<InsufficientScopeError>() {
                return Some(narrow.www_authenticate_header.clone());
            }
            cause = inner.source();
        }
        None
    })
}

/// Requests a first token.
async fn begun(url: &str, challenge: &str, scenario: &Scenario) -> anyhow::Result<OAuthState> {
    let mut state = OAuthState::new(url, None).await?;
    let mut request = AuthorizationRequest::new(REDIRECT)
        .with_client_name("conformance-client")
        .with_client_metadata_url(CLIENT_ID)
        .with_challenge(challenge);
    if let Some(id) = scenario.context["client_id"].as_str() {
        request = request.with_preregistered_client(id);
        if let Some(secret) = scenario.context["client_secret"].as_str() {
            request = request.with_client_secret(secret);
        }
    }
    let started = state.start_authorization(request).await;
    started.context("begin an authorization")?;
    Ok(state)
}

/// Requests a token with more scopes than the one before, or another one if that is useless.
async fn widened(
    mut state: OAuthState,
    url: &str,
    challenge: &str,
    scenario: &Scenario,
) -> anyhow::Result<OAuthState> {
    let params = WWWAuthenticateParams::parse(challenge, &Url::parse(url)?);
    match params.scope {
        Some(scope) if params.error.as_deref() == Some("insufficient_scope") => {
            let asked = state.request_scope_upgrade(&scope, REDIRECT).await;
            asked.context("ask for a wider scope")?;
            Ok(state)
        }
        _ => begun(url, challenge, scenario).await,
    }
}

/// Follows the authorization to its end.
async fn finished(mut state: OAuthState) -> anyhow::Result<(String, OAuthState)> {
    let address = state.get_authorization_url().await?;
    let browser = reqwest::Client::builder()
        .redirect(Policy::none())
        .build()
        .context("make a client that follows no redirections")?;
    let answer = browser.get(address).send().await;
    let answer = answer.context("ask the authorization server")?;
    let Some(target) = answer.headers().get(LOCATION) else {
        bail!("the authorization server answered {}", answer.status());
    };
    let target = target.to_str().context("read where it redirects to")?;
    let exchanged = state.handle_callback_url(target).await;
    exchanged.context("exchange the code for a token")?;
    let OAuthState::Authorized(manager) = &state else {
        bail!("the authorization came to no end");
    };
    let token = manager.get_access_token().await?;
    Ok((token, state))
}
