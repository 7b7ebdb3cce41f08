//! Who may connect: checks the `Host` and `Origin` of a request, and its token.
//!
//! A page in a browser can make the browser call any address, and can make a name of its own resolve to this
//! machine (DNS rebinding). Such a call has the page's own name in `Host` or `Origin`.

use crate::hex;
use axum::http::header::{AUTHORIZATION, HOST, ORIGIN};
use axum::http::{HeaderMap, StatusCode, Uri};
use sha2::{Digest, Sha256};

/// The hosts, origins and tokens that Tamis admits.
#[derive(Debug, Default)]
pub struct Access {
    /// Accepted names in `Host`, other than those of the loopback interface, in lower case.
    hosts: Vec<String>,
    /// Accepted values of `Origin`, other than those of the loopback interface, in lower case.
    origins: Vec<String>,
    /// The clients that may connect: name, and hash of the token. Empty: all may.
    tokens: Vec<(String, [u8; 32])>,
}

/// The sender of a request, as far as Tamis can tell.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Caller {
    /// An unknown caller.
    Anyone,
    /// The client that owns one of Tamis's access tokens.
    Client(String),
    /// The holder of these credentials, as a hash. The upstream checks them.
    Bearer([u8; 32]),
}

/// Why a request is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refused {
    Host,
    Origin,
    Token,
}

impl Access {
    /// `hosts` and `origins` in lower case; tokens by the names of the clients that have them.
    pub fn new(
        hosts: Vec<String>,
        origins: Vec<String>,
        tokens: impl IntoIterator<Item = (String, String)>,
    ) -> Access {
        let tokens = tokens.into_iter();
        let tokens = tokens.map(|(name, token)| (name, Sha256::digest(token).into()));
        Access {
            hosts,
            origins,
            tokens: tokens.collect(),
        }
    }

    /// Whether clients must send a token.
    pub fn has_tokens(&self) -> bool {
        !self.tokens.is_empty()
    }

    /// Whether a request may come from the host and origin that it names.
    pub(super) fn admit(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Refused> {
        self.admit_if(uri, headers, |_| false)
    }

    /// The same for the listener for metrics, which a scraper reaches by any address of this machine. A page whose own
    /// name resolves to this machine has that name in `Host`, and no address. A page that calls the address is one of
    /// another site: a browser does not let it read the answer.
    pub(super) fn admit_scraper(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Refused> {
        self.admit_if(uri, headers, is_address)
    }

    fn admit_if(
        &self,
        uri: &Uri,
        headers: &HeaderMap,
        is_also_known: impl Fn(&str) -> bool,
    ) -> Result<(), Refused> {
        let mut hosts = headers.get_all(HOST).iter();
        let host = match (hosts.next(), hosts.next()) {
            (Some(host), None) => host.to_str().ok(),
            // Of two, nobody knows which counts.
            (Some(_), Some(_)) => return Err(Refused::Host),
            (None, _) => uri.authority().map(|authority| authority.as_str()),
        };
        let is_known = |host: &str| {
            let host = without_port(host).to_ascii_lowercase();
            is_loopback(&host) || self.hosts.contains(&host) || is_also_known(&host)
        };
        if !host.is_some_and(is_known) {
            return Err(Refused::Host);
        }
        for origin in headers.get_all(ORIGIN) {
            let origin = origin.to_str().unwrap_or_default().to_ascii_lowercase();
            let host = origin.split_once("://").map(|(_, host)| without_port(host));
            if !host.is_some_and(is_loopback) && !self.origins.contains(&origin) {
                return Err(Refused::Origin);
            }
        }
        Ok(())
    }

    /// The caller of a request.
    pub(super) fn caller(&self, headers: &HeaderMap) -> Result<Caller, Refused> {
        let mut given = headers.get_all(AUTHORIZATION).iter();
        let (first, more) = (given.next(), given.next());
        if !self.has_tokens() {
            let hash = |value: &axum::http::HeaderValue| Sha256::digest(value.as_bytes()).into();
            return Ok(first.map_or(Caller::Anyone, |value| Caller::Bearer(hash(value))));
        }
        let token = first.filter(|_| more.is_none());
        let token = token.and_then(|value| bearer(value.as_bytes()));
        let hash: [u8; 32] = Sha256::digest(token.ok_or(Refused::Token)?).into();
        // Hashes are compared, so how long it takes says nothing of a token.
        let known = self.tokens.iter().find(|(_, known)| *known == hash);
        let (name, _) = known.ok_or(Refused::Token)?;
        Ok(Caller::Client(name.clone()))
    }
}

impl Caller {
    /// A key that differs for each caller, for names of files; empty for an unknown caller.
    pub fn key(&self) -> String {
        let hash = match self {
            Caller::Anyone => return String::new(),
            Caller::Client(name) => Sha256::digest(format!("client {name}")).into(),
            Caller::Bearer(hash) => *hash,
        };
        hex::encode(&hash[..16])
    }
}

impl Refused {
    pub(super) fn status(self) -> StatusCode {
        match self {
            Refused::Host | Refused::Origin => StatusCode::FORBIDDEN,
            Refused::Token => StatusCode::UNAUTHORIZED,
        }
    }

    pub(super) fn message(self) -> &'static str {
        match self {
            Refused::Host => {
                "the Host header names no host that Tamis answers for: name it in `hosts` of [serve]"
            }
            Refused::Origin => {
                "pages of this origin may not call: name it in `origins` of [serve], if they are to"
            }
            Refused::Token => "a token is needed: Authorization: Bearer TOKEN",
        }
    }
}

fn bearer(value: &[u8]) -> Option<&[u8]> {
    let (scheme, token) = value.split_at_checked("bearer ".len())?;
    let token = token.trim_ascii();
    (scheme.eq_ignore_ascii_case(b"bearer ") && !token.is_empty()).then_some(token)
}

/// The host without its port; all of it if the rest is no port.
fn without_port(host: &str) -> &str {
    let name_end = if host.starts_with('[') {
        host.find(']').map_or(host.len(), |end| end + 1)
    } else {
        host.find(':').unwrap_or(host.len())
    };
    let (name, port) = host.split_at(name_end);
    match port.strip_prefix(':') {
        Some(port) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        None if port.is_empty() => name,
        _ => host,
    }
}

/// Whether a host's name can only be this machine, with any resolver.
pub fn is_loopback(host: &str) -> bool {
    let is_v4 = || {
        host.parse::<std::net::Ipv4Addr>()
            .is_ok_and(|ip| ip.is_loopback())
    };
    host == "localhost" || host == "[::1]" || is_v4()
}

/// Whether a host is an address: then no resolver had a say in it.
fn is_address(host: &str) -> bool {
    let address = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'));
    let v6 = address.map(|address| address.parse::<std::net::Ipv6Addr>().is_ok());
    v6.unwrap_or_else(|| host.parse::<std::net::Ipv4Addr>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn headers(list: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in list {
            headers.append(*name, HeaderValue::from_static(value));
        }
        headers
    }

    #[test]
    fn pages_of_other_sites_and_names_of_other_hosts_stay_outside() {
        let hosts = vec!["tamis.example.com".into()];
        let origins = vec!["https://app.example.com".into()];
        let access = Access::new(hosts, origins, []);
        let admit = |list: &[(&'static str, &'static str)]| {
            access.admit(&Uri::from_static("/a/mcp"), &headers(list))
        };
        for host in [
            "localhost",
            "LOCALHOST:1",
            "127.0.0.1:8808",
            "127.9.9.9",
            "[::1]:8808",
            "Tamis.example.com:443",
        ] {
            assert_eq!(admit(&[("host", host)]), Ok(()), "{host}");
        }
        for host in [
            "evil.example.com",
            "127.0.0.1.evil.com",
            "localhost.evil.com",
            "",
            "10.0.0.1",
            "[::1].evil.com",
            "0.0.0.0:8808",
            "tamis.example.com.evil.com",
        ] {
            assert_eq!(admit(&[("host", host)]), Err(Refused::Host), "{host}");
        }
        assert_eq!(admit(&[]), Err(Refused::Host));
        let two = [("host", "localhost"), ("host", "evil.com")];
        assert_eq!(admit(&two), Err(Refused::Host));
        for origin in [
            "http://localhost:5173",
            "https://127.0.0.1",
            "https://APP.example.com",
        ] {
            assert_eq!(admit(&[("host", "localhost"), ("origin", origin)]), Ok(()));
        }
        for origin in [
            "http://evil.com",
            "null",
            "http://localhost.evil.com",
            "https://app.example.com:1",
        ] {
            let refused = admit(&[("host", "localhost"), ("origin", origin)]);
            assert_eq!(refused, Err(Refused::Origin), "{origin}");
        }
    }

    #[test]
    fn a_scraper_names_an_address_and_a_page_does_not() {
        let access = Access::new(vec!["metrics.example.com".into()], Vec::new(), []);
        let admit = |list: &[(&'static str, &'static str)]| {
            access.admit_scraper(&Uri::from_static("/metrics"), &headers(list))
        };
        for host in [
            "10.0.0.1:9090",
            "[fd00::1]:9090",
            "localhost",
            "metrics.example.com",
        ] {
            assert_eq!(admit(&[("host", host)]), Ok(()), "{host}");
        }
        for host in [
            "evil.example.com",
            "10.0.0.1.evil.com",
            "[evil]:1",
            "fd00::1",
            "1",
            "0x7f.1",
            "",
        ] {
            assert_eq!(admit(&[("host", host)]), Err(Refused::Host), "{host}");
        }
        let page = [("host", "10.0.0.1:9090"), ("origin", "http://evil.com")];
        assert_eq!(admit(&page), Err(Refused::Origin));
    }

    #[test]
    fn a_token_says_which_client_it_is() {
        let access = Access::new(Vec::new(), Vec::new(), [("alice".into(), "s3cret".into())]);
        let caller = |list: &[(&'static str, &'static str)]| access.caller(&headers(list));
        let alice = Ok(Caller::Client("alice".into()));
        assert_eq!(caller(&[("authorization", "Bearer s3cret")]), alice);
        assert_eq!(caller(&[("authorization", "bearer  s3cret ")]), alice);
        for wrong in [
            "Bearer s3cre",
            "Bearer ",
            "Basic s3cret",
            "s3cret",
            "Bearer s3cret2",
        ] {
            assert_eq!(
                caller(&[("authorization", wrong)]),
                Err(Refused::Token),
                "{wrong}"
            );
        }
        assert_eq!(caller(&[]), Err(Refused::Token));
        let two = [
            ("authorization", "Bearer s3cret"),
            ("authorization", "Bearer x"),
        ];
        assert_eq!(caller(&two), Err(Refused::Token));
        let open = Access::default();
        assert_eq!(open.caller(&headers(&[])), Ok(Caller::Anyone));
        let key_of = |token| {
            open.caller(&headers(&[("authorization", token)]))
                .unwrap()
                .key()
        };
        assert_ne!(key_of("Bearer a"), key_of("Bearer b"));
    }
}
