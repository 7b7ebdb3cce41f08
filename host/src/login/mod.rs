//! Servers that require a login: Tamis as a client of their authorization server (OAuth 2.1, as the protocol
//! has it).
//!
//! Owns the tokens for a server, their store, their renewal, and the way through a browser to get them. Only
//! the two servers know a token's meaning. A token is sent to the URL that it was given for, and to no other,
//! and is in no message and no log. Refuses to know the requests to the server.

#[cfg(not(feature = "login"))]
mod absent;
#[cfg(feature = "login")]
mod browser;
#[cfg(feature = "login")]
mod flow;
#[cfg(feature = "login")]
mod refusal;
#[cfg(feature = "login")]
mod renew;
#[cfg(feature = "login")]
mod standing;
#[cfg_attr(not(feature = "login"), allow(dead_code))]
mod stored;

#[cfg(not(feature = "login"))]
pub use absent::{Login, Refusal};
#[cfg(feature = "login")]
pub use flow::{Wish, log_in};
#[cfg(feature = "login")]
pub use refusal::{Refusal, ask};
#[cfg(feature = "login")]
pub use standing::Login;
pub use stored::{LoginStore, StoredLogin};

use anyhow::{Result, bail};
use reqwest::Url;

/// Checks that a login for a server is possible.
///
/// # Errors
///
/// Requests to it are not encrypted, so others could read a token.
pub fn check(url: &Url) -> Result<()> {
    if !is_private(url) {
        bail!("{url} is not encrypted: a token sent there can be read on the way. Use https://…");
    }
    Ok(())
}

/// Whether a token may be sent there: others can read unencrypted requests.
fn is_private(url: &Url) -> bool {
    url.scheme() == "https" || is_this_machine(url)
}

fn is_this_machine(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']');
    let is_loopback = |address: std::net::IpAddr| address.is_loopback();
    host == "localhost" || address.parse().is_ok_and(is_loopback)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_go_where_nobody_else_reads_them() {
        let is_private_url = |url: &str| is_private(&url.parse().expect("a URL"));
        for url in [
            "https://mcp.example.com/mcp",
            "http://localhost:1/mcp",
            "http://127.0.0.1:1/mcp",
            "http://[::1]:1/mcp",
        ] {
            assert!(is_private_url(url), "{url}");
        }
        for url in [
            "http://mcp.example.com/mcp",
            "http://localhost.example.com/",
            "http://10.0.0.1/mcp",
        ] {
            assert!(!is_private_url(url), "{url}");
        }
    }
}
