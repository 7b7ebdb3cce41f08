//! A server's login for code that sends requests: the present token, and another one if it is refused.

use super::browser;
use super::flow::{self, Wish};
use super::is_private;
use super::refusal::Refusal;
use super::renew::{self, Renewed};
use super::stored::{LoginStore, StoredLogin};
use crate::shell;
use reqwest::Url;
use std::io::IsTerminal;
use tokio::sync::Mutex;

/// The login of one server.
pub struct Login {
    url: Url,
    keeping: LoginStore,
    /// Whether somebody can be shown a page.
    asks: bool,
    /// Held while a token is got, so that many requests want one login. True: the user is not asked any more.
    given_up: Mutex<bool>,
}

impl Login {
    /// The login of a server. None: no token may be sent there. `may_ask`: it is the user's own program, on
    /// their own machine.
    pub fn new(keeping: LoginStore, url: Url, may_ask: bool) -> Option<Login> {
        let has_browser =
            || std::env::var_os(browser::VARIABLE).is_some_and(|value| !value.is_empty());
        is_private(&url).then(|| Login {
            url,
            keeping,
            asks: may_ask && (has_browser() || std::io::stderr().is_terminal()),
            given_up: Mutex::new(false),
        })
    }

    /// The stored token, read again each time: somebody may log in or out meanwhile. An expired one is renewed.
    pub async fn token(&self) -> Option<StoredLogin> {
        let kept = self.keeping.get(&self.url);
        let kept = kept.unwrap_or_else(|error| {
            tracing::warn!("the login is not used: {error:#}");
            None
        })?;
        if !kept.is_over() || !kept.renews() {
            return Some(kept);
        }
        match renew::renew(&self.keeping, &self.url, &kept).await {
            Ok(Renewed::Done(kept)) => Some(*kept),
            // The server answers the expired token.
            Ok(Renewed::Refused) => Some(kept),
            Err(error) => {
                tracing::warn!("the login was not renewed: {error:#}");
                Some(kept)
            }
        }
    }

    /// Another token in the place of the refused one. An error tells the user's options.
    pub async fn instead(
        &self,
        refusal: &Refusal,
        used: Option<&StoredLogin>,
    ) -> Result<StoredLogin, String> {
        let mut given_up = self.given_up.lock().await;
        let why_not = match self.renewed(refusal, used).await? {
            Ok(kept) => return Ok(kept),
            Err(why) => why,
        };
        if !self.asks || *given_up {
            return Err(hint(&self.url, why_not));
        }
        let logged_in = async {
            let _lock = self.keeping.lock(&self.url, "login").await?;
            if let Some(kept) = self.keeping.get(&self.url)?
                && used.is_none_or(|used| used.access != kept.access)
            {
                return Ok(kept);
            }
            let wish = Wish {
                challenge: refusal.challenge.clone(),
                widens: refusal.is_narrow,
                ..Wish::default()
            };
            flow::log_in(&self.keeping, &self.url, &wish).await
        };
        logged_in.await.map_err(|error: anyhow::Error| {
            // Not again with each request: somebody may have closed the page.
            *given_up = true;
            format!("{}: {error:#}", hint(&self.url, why_not))
        })
    }

    /// Stops asking the user: the server refuses even the token that they agreed to.
    pub async fn give_up(&self) {
        *self.given_up.lock().await = true;
    }

    /// Another token without asking the user; else the reason why none exists.
    async fn renewed(
        &self,
        refusal: &Refusal,
        used: Option<&StoredLogin>,
    ) -> Result<Result<StoredLogin, &'static str>, String> {
        let now = self.keeping.get(&self.url);
        let now = now.map_err(|error| format!("the login is not used: {error:#}"))?;
        let Some(now) = now else {
            return Ok(Err("the server requires a login"));
        };
        // Somebody else was here before.
        if used.is_none_or(|used| used.access != now.access) {
            return Ok(Ok(now));
        }
        if refusal.is_narrow {
            return Ok(Err("the server requires a login with more rights"));
        }
        if !now.renews() {
            return Ok(Err("the login has expired"));
        }
        match renew::renew(&self.keeping, &self.url, &now).await {
            Ok(Renewed::Done(kept)) => Ok(Ok(*kept)),
            Ok(Renewed::Refused) => Ok(Err("the login has expired")),
            Err(error) => Err(format!("the login was not renewed: {error:#}")),
        }
    }
}

/// The user's options.
fn hint(url: &Url, why: &str) -> String {
    let url = shell::word(url.as_str());
    format!(
        "{why}: tamis login {url}, or send a token in a header, for example --header 'Authorization: Bearer ${{TOKEN}}'"
    )
}
