//! Logins in a program that was built without them: there is none, so a server's refusal is passed on.

use super::stored::{LoginStore, StoredLogin};
use axum::http::{HeaderMap, StatusCode};
use reqwest::Url;

/// The login of one server: never one.
pub enum Login {}

/// Why a request was refused: not told apart from other errors.
pub enum Refusal {}

impl Login {
    /// None, and a warning if a login is stored for the server.
    pub fn new(keeping: LoginStore, url: Url, _may_ask: bool) -> Option<Login> {
        if matches!(keeping.get(&url), Ok(Some(_))) {
            tracing::warn!(
                "the stored login of {url} is not used: this Tamis was built without logins (the cargo feature `login`)"
            );
        }
        None
    }

    pub async fn token(&self) -> Option<StoredLogin> {
        match *self {}
    }

    pub async fn instead(
        &self,
        _: &Refusal,
        _: Option<&StoredLogin>,
    ) -> Result<StoredLogin, String> {
        match *self {}
    }

    pub async fn give_up(&self) {
        match *self {}
    }
}

impl Refusal {
    pub fn of(_: StatusCode, _: &HeaderMap, _: &Url) -> Option<Refusal> {
        None
    }
}
