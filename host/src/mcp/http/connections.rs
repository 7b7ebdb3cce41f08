//! Who is connected to a server: sessions, and callers without a session.
//!
//! A *session* has an id that the upstream gave the client (up to protocol 2025-11-25); ids of requests are
//! unique in it. Without sessions (2026-07-28, and servers that use none) every request stands alone, and all
//! requests of a caller share the lasting state.

use super::access::Caller;
use super::process::Attached;
use super::sealed_session::{self, SealedSession};
use super::turns::Lane;
use crate::lock::lock;
use crate::mcp::relay::{Relay, Replaced};
use crate::mcp::rewriter::Rewriter;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, Weak};
use std::time::{Duration, Instant};
use tokio::sync::{OnceCell, mpsc};

/// Most sessions of one server: more clients than one proxy serves at a time. Above that, the session that was
/// quiet longest is forgotten, and its client must begin again.
const SESSIONS_KEPT: usize = 20_000;

/// Most callers without a session. Their names are hashes of their credentials of any kind.
const CALLERS_KEPT: usize = 10_000;

/// A session with calls may end in favour of another if it was unused for this time: enough for a model to
/// think.
const MAY_END_AFTER: Duration = Duration::from_secs(10 * 60);

/// A client's connection to one server.
pub(super) struct Connection {
    pub(super) relay: Arc<Relay<Rewriter>>,
    /// The owner: no other caller may use the connection, and its originals are with this caller's.
    pub(super) owner: Caller,
    /// The line in which its results wait for their filters.
    pub(super) lane: Arc<Lane>,
    /// Something was called.
    is_used: AtomicBool,
    last_used: Mutex<Instant>,
    /// Streams that stay open, for Tamis's own messages to the client.
    standing: Mutex<Vec<Standing>>,
    /// The process, if the upstream is one.
    attached: Mutex<Option<Arc<Attached>>>,
    /// Tells this session from all others, on all replicas.
    pub(super) unique: String,
    /// The id that the client has for the session, if it is not the upstream's.
    pub(super) sealed: OnceLock<String>,
    /// Another replica may have shown the client its list of tools. Set once that list is known here.
    pub(super) relisted: Option<OnceCell<()>>,
}

struct Standing {
    relay: Weak<Relay<Rewriter>>,
    stream: mpsc::WeakSender<Vec<u8>>,
}

/// The id belongs to another caller's session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct InUse;

/// The connections to one server.
#[derive(Default)]
pub(super) struct Connections {
    sessions: Mutex<HashMap<String, Arc<Connection>>>,
    callers: Mutex<HashMap<Caller, Arc<Connection>>>,
    /// Connections whose upstream has not said whether they are sessions.
    beginning: Mutex<Vec<Weak<Connection>>>,
}

impl Connection {
    pub(super) fn new(owner: Caller, lane: Arc<Lane>, rewriter: Arc<Rewriter>) -> Arc<Connection> {
        Arc::new(Connection {
            relay: Arc::new(Relay::new(rewriter)),
            owner,
            lane,
            is_used: AtomicBool::new(false),
            last_used: Mutex::new(Instant::now()),
            standing: Mutex::default(),
            attached: Mutex::default(),
            unique: sealed_session::unique(),
            sealed: OnceLock::new(),
            relisted: None,
        })
    }

    /// The connection of a caller without a session, whom other replicas may know.
    pub(super) fn known_elsewhere(
        owner: Caller,
        lane: Arc<Lane>,
        rewriter: Arc<Rewriter>,
    ) -> Arc<Connection> {
        let connection = Connection::new(owner, lane, rewriter);
        let mut connection = Arc::try_unwrap(connection).ok().expect("it is new");
        connection.relisted = Some(OnceCell::new());
        Arc::new(connection)
    }

    /// A session that another replica began, with the id that its client has.
    pub(super) fn taken_over(
        owner: Caller,
        lane: Arc<Lane>,
        rewriter: Arc<Rewriter>,
        session: SealedSession,
        id: &str,
    ) -> Arc<Connection> {
        if let Some(client) = session.client {
            rewriter.take_over(client);
        }
        let connection = Connection::new(owner, lane, rewriter);
        let mut connection = Arc::try_unwrap(connection).ok().expect("it is new");
        connection.unique = session.unique;
        connection.sealed = OnceLock::from(id.to_owned());
        connection.relisted = Some(OnceCell::new());
        // Its client is connected, and may have called.
        connection.is_used = AtomicBool::new(true);
        connection.relay.taken_over();
        Arc::new(connection)
    }

    /// Whether the client made any call.
    pub(super) fn is_used(&self) -> bool {
        self.is_used.load(Ordering::Relaxed)
    }

    /// Notes a call.
    pub(super) fn note_call(&self) {
        self.is_used.store(true, Ordering::Relaxed);
    }

    /// The process, if it exists.
    pub(super) fn attached(&self) -> Option<Arc<Attached>> {
        let attached = lock(&self.attached).clone();
        attached.filter(|attached| !attached.has_ended())
    }

    /// The process; started if it does not exist.
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

    /// Ends the session: everyone who waits for its process gets an error.
    pub(super) async fn end(&self) {
        let attached = lock(&self.attached).clone();
        if let Some(attached) = attached {
            attached.end().await;
        }
    }

    /// Adds a stream that stays open for Tamis's own messages, until the sender is dropped.
    pub(super) fn stands(&self, relay: &Arc<Relay<Rewriter>>, stream: &mpsc::Sender<Vec<u8>>) {
        let mut standing = lock(&self.standing);
        standing.retain(|one| one.stream.upgrade().is_some());
        standing.push(Standing {
            relay: Arc::downgrade(relay),
            stream: stream.downgrade(),
        });
    }

    /// Puts another policy in force. Tells the client that its list of tools has changed, if the client agreed
    /// to such messages.
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
            // A message is sent on one stream of a client, not on all.
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

    /// Whether no request of it is under way. Those hold it, as the table does.
    fn is_at_rest(self: &Arc<Self>) -> bool {
        Arc::strong_count(self) == 1
    }

    /// How little its process is missed; none: it has none, or is in use.
    fn dispensable(self: &Arc<Self>, owner: Option<&Caller>) -> Option<Dispensable> {
        if owner.is_some_and(|owner| self.owner != *owner) {
            return None;
        }
        let has_ended = lock(&self.attached).as_ref()?.has_ended();
        if has_ended {
            return Some((2, self.idle()));
        }
        let idle = self.idle();
        if !self.is_at_rest() || idle.is_zero() {
            return None;
        }
        match self.is_used.load(Ordering::Relaxed) {
            false => Some((1, idle)),
            true => (idle >= MAY_END_AFTER).then_some((0, idle)),
        }
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
    /// The session with this id, for its owner.
    pub(super) fn session(&self, id: &str, caller: &Caller) -> Option<Arc<Connection>> {
        let sessions = lock(&self.sessions);
        let connection = sessions
            .get(id)
            .filter(|session| session.owner == *caller)?;
        let connection = Arc::clone(connection);
        drop(sessions);
        connection.touch();
        Some(connection)
    }

    /// A connection that will become a session. It is made here, so that it gets every policy that comes into
    /// force.
    pub(super) fn beginning(&self, make: impl FnOnce() -> Arc<Connection>) -> Arc<Connection> {
        let mut beginning = lock(&self.beginning);
        let connection = make();
        beginning.retain(|one| one.strong_count() > 0);
        beginning.push(Arc::downgrade(&connection));
        connection
    }

    /// Notes the id that the upstream gave a session. Refused if another caller's session has that id, since its
    /// holder could use both.
    pub(super) fn begin(&self, id: &str, connection: Arc<Connection>) -> Result<(), InUse> {
        let mut sessions = lock(&self.sessions);
        if let Some(other) = sessions.get(id)
            && other.owner != connection.owner
        {
            return Err(InUse);
        }
        if !sessions.contains_key(id) {
            make_room(&mut sessions, SESSIONS_KEPT);
        }
        sessions.insert(id.to_owned(), Arc::clone(&connection));
        lock(&self.beginning).retain(|one| !std::ptr::eq(one.as_ptr(), Arc::as_ptr(&connection)));
        Ok(())
    }

    /// Notes a session that another replica began, unless another request has done so meanwhile. Refused as for
    /// [`Connections::begin`].
    pub(super) fn take_over(
        &self,
        id: &str,
        connection: Arc<Connection>,
    ) -> Result<Arc<Connection>, InUse> {
        let sessions = lock(&self.sessions);
        let known = sessions.get(id);
        if let Some(known) = known
            .filter(|known| known.owner == connection.owner && known.unique == connection.unique)
        {
            return Ok(Arc::clone(known));
        }
        drop(sessions);
        self.begin(id, Arc::clone(&connection))?;
        Ok(connection)
    }

    /// Ends the session.
    pub(super) fn end(&self, id: &str) {
        lock(&self.sessions).remove(id);
    }

    /// The number of open sessions.
    pub(super) fn sessions_open(&self) -> usize {
        lock(&self.sessions).len()
    }

    /// The shared state of the requests of a caller without a session.
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

    /// Forgets connections that were unused for `idle`, or, if they have a process but no calls, for
    /// `idle_unused`. Returns them, to be ended.
    pub(super) fn sweep(&self, idle: Duration, idle_unused: Duration) -> Vec<Arc<Connection>> {
        let is_over = |one: &Arc<Connection>| {
            let bound = match one.is_used.load(Ordering::Relaxed) || one.attached().is_none() {
                true => idle,
                false => idle_unused.min(idle),
            };
            one.is_at_rest() && one.idle() >= bound
        };
        let mut over: Vec<_> = taken(&mut lock(&self.sessions), is_over);
        over.extend(taken(&mut lock(&self.callers), is_over));
        over
    }

    /// How dispensable the most dispensable process is, of this caller or of all callers; greater means more
    /// dispensable. None: all processes are in use.
    pub(super) fn most_dispensable(&self, owner: Option<&Caller>) -> Option<Dispensable> {
        let rank = |one: &Arc<Connection>| one.dispensable(owner);
        let of_sessions = lock(&self.sessions).values().filter_map(rank).max();
        let of_callers = lock(&self.callers).values().filter_map(rank).max();
        of_sessions.max(of_callers)
    }

    /// Forgets the connection with the most dispensable process. Returns it, to be ended.
    pub(super) fn remove_dispensable(&self, owner: Option<&Caller>) -> Option<Arc<Connection>> {
        let most = self.most_dispensable(owner)?;
        let is_it =
            |one: &Arc<Connection>| one.dispensable(owner).is_some_and(|found| found >= most);
        let found = take_one(&mut lock(&self.sessions), is_it);
        found.or_else(|| take_one(&mut lock(&self.callers), is_it))
    }

    /// All connections; one that becomes a session meanwhile may occur twice.
    pub(super) fn all(&self) -> Vec<Arc<Connection>> {
        // In the order in which a connection moves from one list to the other.
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

/// How dispensable a process is: first one that has ended, then one without calls, then one unused lately; and
/// for how long.
pub(super) type Dispensable = (u8, Duration);

/// Removes and returns the entries for which this holds.
fn taken<K: Clone + Eq + std::hash::Hash>(
    connections: &mut HashMap<K, Arc<Connection>>,
    is_it: impl Fn(&Arc<Connection>) -> bool,
) -> Vec<Arc<Connection>> {
    let gone = connections.extract_if(|_, one| is_it(one));
    gone.map(|(_, one)| one).collect()
}

fn take_one<K: Clone + Eq + std::hash::Hash>(
    connections: &mut HashMap<K, Arc<Connection>>,
    is_it: impl Fn(&Arc<Connection>) -> bool,
) -> Option<Arc<Connection>> {
    let found = connections.iter().find(|(_, one)| is_it(one));
    let key = found.map(|(key, _)| key.clone())?;
    connections.remove(&key)
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
        .map(|(key, session)| (session.idle(), key))
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

#[cfg(test)]
mod tests {
    use super::super::turns::Turns;
    use super::*;
    use crate::chain;
    use crate::policy::{Policy, ServeLimits, Source};

    fn connection(quiet_for: Duration) -> Arc<Connection> {
        let source = Source::new("filters.toml", "").expect("a source");
        let policy = Policy::parse(source, &[]).expect("a policy");
        let rewriter = Rewriter::new(chain::while_loading(policy), "a", None);
        let lane = Turns::new(&ServeLimits::default(), false).lane(&Caller::Anyone);
        let connection = Connection::new(Caller::Anyone, lane, Arc::new(rewriter));
        *lock(&connection.last_used) -= quiet_for;
        connection
    }

    #[test]
    fn of_sessions_those_that_were_quiet_longest_are_forgotten() {
        let connections = Connections::default();
        let [quiet, recent] = [Duration::from_secs(5), Duration::ZERO].map(connection);
        connections.begin("quiet", quiet).expect("it is free");
        let begin = |id: &str| connections.begin(id, Arc::clone(&recent)).is_ok();
        for id in 1..SESSIONS_KEPT {
            assert!(begin(&id.to_string()));
        }
        assert_eq!(connections.sessions_open(), SESSIONS_KEPT);
        assert!(
            connections
                .session("quiet", &Caller::Bearer([0; 32]))
                .is_none()
        );
        assert!(begin("one more"));
        assert_eq!(
            connections.sessions_open(),
            SESSIONS_KEPT - SESSIONS_KEPT / 10 + 1
        );
        assert!(connections.session("quiet", &Caller::Anyone).is_none());
        assert!(connections.session("one more", &Caller::Anyone).is_some());
    }

    #[test]
    fn of_callers_without_a_session_those_that_were_quiet_longest_are_forgotten() {
        let connections = Connections::default();
        let [quiet, recent] = [Duration::from_secs(5), Duration::ZERO].map(connection);
        let name = |number: usize| Caller::Client(number.to_string());
        connections.caller(&name(0), || quiet);
        for number in 1..=CALLERS_KEPT {
            assert_eq!(lock(&connections.callers).len(), number);
            connections.caller(&name(number), || Arc::clone(&recent));
        }
        let callers = lock(&connections.callers);
        assert_eq!(callers.len(), CALLERS_KEPT - CALLERS_KEPT / 10 + 1);
        assert!(!callers.contains_key(&name(0)) && callers.contains_key(&name(CALLERS_KEPT)));
    }
}
