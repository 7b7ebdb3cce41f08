//! Ids of sessions that every replica can read: what must outlive a request is in the id itself, sealed.
//!
//! Owns the form of the ids. Refuses to know how a request reaches a server.
//!
//! An id belongs to one server and one caller: for others it does not open. Nothing of it is stored anywhere. So a
//! session is lost only if its upstream, or the operator's key, forgets it.

use super::access::Caller;
use crate::hex;
use crate::mcp::clients::Client;
use crate::sealed::{self, Sealer};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The longest id of an upstream that can be sealed, in bytes. With it, a sealed id is shorter than the longest that
/// Tamis reads.
const UPSTREAMS_BYTES: usize = 1024;

/// An older id is refused: a key that was stolen and replaced opens nothing for longer.
const MOST_AGE: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Clocks of two machines differ by less.
const CLOCKS_DIFFER: Duration = Duration::from_secs(300);

/// The form of what is sealed.
const FORM: u8 = 1;

/// Makes ids of sessions.
#[derive(Debug)]
pub struct SessionSeal(Sealer);

/// The contents of an id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SealedSession {
    /// The id that the upstream gave.
    pub(super) upstreams: String,
    /// Tells this session from all others, also of the same upstream.
    pub(super) unique: String,
    /// The client, as it described itself.
    pub(super) client: Option<Client>,
}

/// A name that no other session has.
pub(super) fn unique() -> String {
    hex::encode(&sealed::random::<16>())
}

impl SessionSeal {
    /// `current` seals, and both keys open, see [`Sealer::new`].
    pub fn new(current: &str, previous: Option<&str>) -> SessionSeal {
        SessionSeal(Sealer::new(current, previous, "sessions"))
    }

    /// The id of a session. None: the upstream's own is too long.
    pub(super) fn seal(
        &self,
        server: &str,
        caller: &Caller,
        session: &SealedSession,
    ) -> Option<String> {
        self.seal_at(SystemTime::now(), server, caller, session)
    }

    fn seal_at(
        &self,
        now: SystemTime,
        server: &str,
        caller: &Caller,
        session: &SealedSession,
    ) -> Option<String> {
        let SealedSession {
            upstreams,
            unique,
            client,
        } = session;
        if upstreams.len() > UPSTREAMS_BYTES {
            return None;
        }
        let begun = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let mut text = vec![FORM];
        text.extend(begun.to_le_bytes());
        let (name, version) = match client {
            Some(client) => (Some(&*client.name), &*client.version),
            None => (None, ""),
        };
        for part in [upstreams, unique, name.unwrap_or_default(), version] {
            let length = u16::try_from(part.len()).ok()?;
            text.extend(length.to_le_bytes());
            text.extend(part.as_bytes());
        }
        text.push(name.is_some().into());
        let sealed = self.0.seal(about(server, caller).as_bytes(), &text);
        Some(URL_SAFE_NO_PAD.encode(sealed))
    }

    /// The contents of an id. None: it was not sealed with the operator's key, or for another server or caller, or
    /// too long ago.
    pub(super) fn open(&self, server: &str, caller: &Caller, id: &str) -> Option<SealedSession> {
        let sealed = URL_SAFE_NO_PAD.decode(id).ok()?;
        let text = self.0.open(about(server, caller).as_bytes(), &sealed)?;
        let (head, mut rest) = text.split_at_checked(9)?;
        let begun = u64::from_le_bytes(head[1..].try_into().ok()?);
        let begun = UNIX_EPOCH.checked_add(Duration::from_secs(begun))?;
        let now = SystemTime::now();
        let is_of_now = match now.duration_since(begun) {
            Ok(age) => age < MOST_AGE,
            Err(early) => early.duration() < CLOCKS_DIFFER,
        };
        if head[0] != FORM || !is_of_now {
            return None;
        }
        let mut part = || {
            let (length, after) = rest.split_at_checked(2)?;
            let length = u16::from_le_bytes(length.try_into().ok()?);
            let (part, after) = after.split_at_checked(usize::from(length))?;
            rest = after;
            String::from_utf8(part.to_vec()).ok()
        };
        let (upstreams, unique, name, version) = (part()?, part()?, part()?, part()?);
        let client = (rest == [1]).then_some(Client { name, version });
        Some(SealedSession {
            upstreams,
            unique,
            client,
        })
    }
}

/// What an id belongs to.
fn about(server: &str, caller: &Caller) -> String {
    format!("{server}\n{}", caller.key())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session() -> SealedSession {
        SealedSession {
            upstreams: "0123-upstream".into(),
            unique: unique(),
            client: Some(Client {
                name: "claude-code".into(),
                version: "2.1".into(),
            }),
        }
    }

    #[test]
    fn an_id_opens_for_its_own_server_and_caller_alone() {
        let seal = SessionSeal::new(&"k".repeat(32), None);
        let (alice, bob) = (Caller::Client("alice".into()), Caller::Client("bob".into()));
        for session in [
            session(),
            SealedSession {
                client: None,
                ..session()
            },
        ] {
            let id = seal.seal("docs", &alice, &session).expect("it is short");
            assert!(!id.contains("upstream"));
            assert_eq!(seal.open("docs", &alice, &id), Some(session));
            assert_eq!(seal.open("docs", &bob, &id), None);
            assert_eq!(seal.open("docs", &Caller::Anyone, &id), None);
            assert_eq!(seal.open("other", &alice, &id), None);
            let other = SessionSeal::new(&"o".repeat(32), None);
            assert_eq!(other.open("docs", &alice, &id), None);
        }
        for id in ["", "0123-upstream", "%", &"A".repeat(200)] {
            assert_eq!(seal.open("docs", &alice, id), None, "{id}");
        }
    }

    #[test]
    fn an_id_is_short_enough_for_a_header_and_expires() {
        let seal = SessionSeal::new(&"k".repeat(32), None);
        let long = SealedSession {
            upstreams: "x".repeat(UPSTREAMS_BYTES),
            client: Some(Client {
                name: "n".repeat(256),
                version: "v".repeat(256),
            }),
            ..session()
        };
        let id = seal.seal("s", &Caller::Anyone, &long).expect("it fits");
        assert!(id.len() < 4096, "{}", id.len());
        let longer = SealedSession {
            upstreams: "x".repeat(UPSTREAMS_BYTES + 1),
            ..session()
        };
        assert_eq!(seal.seal("s", &Caller::Anyone, &longer), None);
        let now = SystemTime::now();
        let at = |time| {
            seal.seal_at(time, "s", &Caller::Anyone, &session())
                .expect("it fits")
        };
        let opens = |id: String| seal.open("s", &Caller::Anyone, &id).is_some();
        assert!(opens(at(now - MOST_AGE + CLOCKS_DIFFER)));
        assert!(!opens(at(now - MOST_AGE)));
        assert!(opens(at(now + CLOCKS_DIFFER / 2)));
        assert!(!opens(at(now + 2 * CLOCKS_DIFFER)));
    }
}
