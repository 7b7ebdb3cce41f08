//! Who is connected to a server: sessions, and callers without one.
//!
//! A *session* is what the upstream gave a client an id for (up to protocol 2025-11-25); its ids of requests
//! are unique in it. Without one (2026-07-28, and servers that keep no sessions) every request stands alone, and
//! what lasts is kept for all of a caller's.

use super::access::Caller;
use super::local::Attached;
use crate::mcp::relay::{Relay, Replaced};
use crate::mcp::rewriter::Rewriter;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

/// Sessions of one server: more clients than one proxy serves at a time. Past that the one that was quiet
/// longest is forgotten, and its client has to begin anew.
const SESSIONS_KEPT: usize = 20_000;

/// Callers without a session, whose names are hashes of whatever credentials they bring.
const CALLERS_KEPT: usize = 10_000;

/// A session that nobody used for so long is over: clients do not always say when they go.
const SESSION_IDLE: Duration = Duration::from_secs(24 * 60 * 60);

/// Credentials that a session was used with: tokens are renewed every hour or so.
const CALLERS_OF_SESSION: usize = 256;

/// A client's connection to one server.
pub(super) struct Connection {
    pub(super) relay: Arc<Relay<Rewriter>>,
    /// Who it belongs to. Their originals are in one place.
    pub(super) owner: Caller,
    /// Callers that the upstream has answered in this session.
    known: Mutex<HashSet<Caller>>,
    last_used: Mutex<Instant>,
    /// Streams that stay open: what Tamis has to say to the client goes there.
    standing: Mutex<Vec<Standing>>,
    /// The process, where the upstream is one.
    attached: Mutex<Option<Arc<Attached>>>,
}

struct Standing {
    relay: Weak<Relay<Rewriter>>,
    stream: mpsc::WeakSender<Vec<u8>>,
}

/// The connections to one server.
#[derive(Default)]
pub(super) struct Connections {
    sessions: Mutex<HashMap<String, Arc<Connection>>>,
    callers: Mutex<HashMap<Caller, Arc<Connection>>>,
    /// Of which the upstream has not said whether they are sessions.
    beginning: Mutex<Vec<Weak<Connection>>>,
}

impl Connection {
    pub(super) fn new(owner: Caller, rewriter: Arc<Rewriter>) -> Arc<Connection> {
        Arc::new(Connection {
            relay: Arc::new(Relay::new(rewriter)),
            known: Mutex::new(HashSet::from([owner.clone()])),
            owner,
            last_used: Mutex::new(Instant::now()),
            standing: Mutex::default(),
            attached: Mutex::default(),
        })
    }

    /// Whether Tamis itself may answer this caller.
    pub(super) fn knows(&self, caller: &Caller) -> bool {
        lock(&self.known).contains(caller)
    }

    /// The upstream has answered this caller in this session.
    pub(super) fn was_answered(&self, caller: &Caller) {
        let mut known = lock(&self.known);
        if known.len() < CALLERS_OF_SESSION {
            known.insert(caller.clone());
        }
    }

    /// The process, if it is there.
    pub(super) fn attached(&self) -> Option<Arc<Attached>> {
        let attached = lock(&self.attached).clone();
        attached.filter(|attached| !attached.has_ended())
    }

    /// The process; one that is started, if none is there.
    pub(super) fn attached_or<E>(
        &self,
        start: impl FnOnce() -> Result<Arc<Attached>, E>,
    ) -> Result<Arc<Attached>, E> {
        let mut place = lock(&self.attached);
        match place.as_ref().filter(|attached| !attached.has_ended()) {
            Some(attached) => Ok(Arc::clone(attached)),
            None => Ok(Arc::clone(place.insert(start()?))),
        }
    }

    /// A stream stays open for what Tamis has to say, for as long as somebody holds the sender.
    pub(super) fn stands(&self, relay: &Arc<Relay<Rewriter>>, stream: &mpsc::Sender<Vec<u8>>) {
        let mut standing = lock(&self.standing);
        standing.retain(|one| one.stream.upgrade().is_some());
        standing.push(Standing {
            relay: Arc::downgrade(relay),
            stream: stream.downgrade(),
        });
    }

    /// Puts another policy in force, and tells the client that its list of tools is another one where that was
    /// agreed on.
    pub(super) fn replace(&self, policy: Arc<Rewriter>) -> Replaced {
        let mut replaced = self.relay.replace(policy);
        if !replaced.lists_changed {
            return replaced;
        }
        if let Some(attached) = self.attached() {
            replaced.notices = attached.tell_tools_changed();
            return replaced;
        }
        replaced.notices.clear();
        let mut told: Vec<*const Relay<Rewriter>> = Vec::new();
        for one in &*lock(&self.standing) {
            let (Some(relay), Some(stream)) = (one.relay.upgrade(), one.stream.upgrade()) else {
                continue;
            };
            // A message goes out on one stream of a client's, not on all.
            if told.contains(&Arc::as_ptr(&relay)) {
                continue;
            }
            told.push(Arc::as_ptr(&relay));
            for notice in relay.tools_changed() {
                if stream.try_send(notice.clone()).is_ok() {
                    replaced.notices.push(notice);
                }
            }
        }
        replaced
    }

    fn touch(&self) {
        *lock(&self.last_used) = Instant::now();
    }

    fn idle(&self) -> Duration {
        let standing = lock(&self.standing);
        if standing.iter().any(|one| one.stream.upgrade().is_some()) {
            return Duration::ZERO;
        }
        lock(&self.last_used).elapsed()
    }
}

impl Connections {
    /// The session with this id.
    pub(super) fn session(&self, id: &str) -> Option<Arc<Connection>> {
        let connection = lock(&self.sessions).get(id).cloned()?;
        connection.touch();
        Some(connection)
    }

    /// A connection that is to become a session. It is made here, so that no policy that comes into force is
    /// missed by it.
    pub(super) fn beginning(&self, make: impl FnOnce() -> Arc<Connection>) -> Arc<Connection> {
        let mut beginning = lock(&self.beginning);
        let connection = make();
        beginning.retain(|one| one.strong_count() > 0);
        beginning.push(Arc::downgrade(&connection));
        connection
    }

    /// The upstream gave a session an id.
    pub(super) fn begin(&self, id: &str, connection: Arc<Connection>) {
        let mut sessions = lock(&self.sessions);
        if sessions.len() >= SESSIONS_KEPT {
            sessions.retain(|_, session| session.idle() < SESSION_IDLE);
            make_room(&mut sessions, SESSIONS_KEPT);
        }
        sessions.insert(id.to_owned(), Arc::clone(&connection));
        lock(&self.beginning).retain(|one| !std::ptr::eq(one.as_ptr(), Arc::as_ptr(&connection)));
    }

    /// The session is over.
    pub(super) fn end(&self, id: &str) {
        lock(&self.sessions).remove(id);
    }

    /// Sessions that are open.
    pub(super) fn sessions_open(&self) -> usize {
        lock(&self.sessions).len()
    }

    /// What a caller without a session has in common with its other requests.
    pub(super) fn caller(
        &self,
        caller: &Caller,
        make: impl FnOnce() -> Arc<Connection>,
    ) -> Arc<Connection> {
        let mut callers = lock(&self.callers);
        if let Some(known) = callers.get(caller) {
            known.touch();
            return Arc::clone(known);
        }
        make_room(&mut callers, CALLERS_KEPT);
        let connection = make();
        callers.insert(caller.clone(), Arc::clone(&connection));
        connection
    }

    /// All of them; those that become sessions meanwhile may be in it twice.
    pub(super) fn all(&self) -> Vec<Arc<Connection>> {
        // In the order in which a connection goes from one to the other.
        let beginning = lock(&self.beginning)
            .iter()
            .filter_map(Weak::upgrade)
            .collect::<Vec<_>>();
        let mut all = beginning;
        all.extend(lock(&self.sessions).values().cloned());
        all.extend(lock(&self.callers).values().cloned());
        all
    }
}

/// Forgets the quietest tenth, if it is full: to look for them takes a while.
fn make_room<K: Clone + Eq + std::hash::Hash>(
    connections: &mut HashMap<K, Arc<Connection>>,
    most: usize,
) {
    if connections.len() < most {
        return;
    }
    let mut idle: Vec<_> = connections
        .iter()
        .map(|(key, it)| (it.idle(), key))
        .collect();
    idle.sort_unstable_by_key(|(idle, _)| std::cmp::Reverse(*idle));
    let going: Vec<K> = idle
        .iter()
        .take(most / 10)
        .map(|(_, key)| (*key).clone())
        .collect();
    for key in going {
        connections.remove(&key);
    }
}

/// Nothing that is guarded here is ever half changed.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
