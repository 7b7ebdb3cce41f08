//! The way from a token to the next, without the user.

use super::flow;
use super::stored::{LoginStore, StoredLogin};
use anyhow::{Context, Result, bail};
use reqwest::Url;
use rmcp::transport::auth::{
    AuthError, CredentialStore, InMemoryCredentialStore, OAuthTokenResponse, StoredCredentials,
};
use serde_json::json;

/// The outcome of a renewal.
pub(super) enum Renewed {
    Done(Box<StoredLogin>),
    /// The user must log in again.
    Refused,
}

/// Renews the stored token, unless another process has done so since `used` was read, and stores the new one.
///
/// # Errors
///
/// The authorization server cannot be asked, or its token cannot be stored: later it may.
pub(super) async fn renew(keeping: &LoginStore, url: &Url, used: &StoredLogin) -> Result<Renewed> {
    // Held until the new one is written: of two who bring the same refresh token, the second may be taken for a thief.
    let _lock = keeping.lock(url, "renewing").await?;
    let Some(kept) = keeping.get(url)? else {
        return Ok(Renewed::Refused);
    };
    if kept.access != used.access && !kept.is_over() {
        return Ok(Renewed::Done(Box::new(kept)));
    }
    let Some(refresh) = kept.refresh.clone() else {
        return Ok(Renewed::Refused);
    };
    let mut manager = flow::manager(url).await?;
    let found = manager.resolve_metadata().await;
    let found = found
        .map_err(|error| flow::describe_error(&error))
        .context("find out who renews the login")?;
    flow::endpoints_are_private(&found.metadata)?;
    if found.metadata.issuer != kept.issuer {
        tracing::warn!("the server has another authorization server now");
        return Ok(Renewed::Refused);
    }
    manager.set_metadata(found.metadata);
    flow::configure(&mut manager, &kept.client)?;
    let answer =
        json!({"access_token": kept.access, "token_type": "bearer", "refresh_token": refresh});
    let Ok(tokens) = serde_json::from_value::<OAuthTokenResponse>(answer) else {
        bail!("the stored login cannot be renewed");
    };
    let store = InMemoryCredentialStore::new();
    let scopes = kept.scopes.clone();
    let id = kept.client.id.clone();
    let credentials = StoredCredentials::new(id, Some(tokens), scopes, None);
    let saved = store
        .save(credentials.with_issuer(kept.issuer.clone()))
        .await;
    saved.map_err(|error| flow::describe_error(&error))?;
    manager.set_credential_store(store);
    let given = match manager.refresh_token().await {
        Ok(given) => given,
        Err(AuthError::TokenRefreshRejected(_) | AuthError::AuthorizationRequired) => {
            return Ok(Renewed::Refused);
        }
        Err(error) => return Err(flow::describe_error(&error)).context("renew the login"),
    };
    let StoredLogin {
        client,
        issuer,
        scopes,
        ..
    } = kept;
    let kept = flow::written(url, client, issuer, scopes, &given)?;
    keeping.put(&kept)?;
    tracing::info!("the login was renewed");
    Ok(Renewed::Done(Box::new(kept)))
}
