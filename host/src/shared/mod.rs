//! What the replicas of `tamis serve` share in Redis (or Valkey): windows of calls, and values of sessions.
//!
//! Owns: the commands, the time to wait for an answer, and when Redis is left alone ([`Service`]). Refuses to know
//! what a session is. Names of keys are hashes under the operator's key, so whoever reads them learns nothing.
//!
//! Each question is asked once. If its answer is lost, nobody knows whether Redis did it: a second try could count
//! a call twice.

use crate::away::{self, Service};
use crate::hex;
use crate::lock::lock;
use crate::serving;
use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, Cmd, ErrorKind, RedisError};
use ring::hmac;
use std::collections::HashMap;
use std::future::Future;
use std::mem;
use std::pin::Pin;
use std::sync::{Arc, Mutex, OnceLock, mpsc};
use std::time::{Duration, Instant};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

/// Counts a call, unless as many were counted in this window. A window begins with its first call. Without a length
/// it lasts until nobody called for the last argument.
const COUNT: &str = "\
local calls = tonumber(redis.call('GET', KEYS[1]) or '0')
if calls < tonumber(ARGV[1]) then
  redis.call('INCR', KEYS[1])
  if calls == 0 or ARGV[2] == '0' then redis.call('PEXPIRE', KEYS[1], ARGV[3]) end
  return 1
end
if ARGV[2] == '0' then redis.call('PEXPIRE', KEYS[1], ARGV[3]) end
return 0";

/// A connection that was quiet for so long is tried out before it is used.
const QUIET: Duration = Duration::from_secs(1);

/// Redis, for all sessions. Clones are the same.
#[derive(Debug, Clone)]
pub struct Shared {
    inner: Arc<Inner>,
}

struct Inner {
    client: Client,
    /// Calls that nobody asked Redis to count yet.
    uncounted: Mutex<Vec<Uncounted>>,
    connection: Mutex<Option<Connection>>,
    /// When Redis answered last.
    answered: Mutex<Instant>,
    /// Held by the task that connects, so that others do not do so too.
    connecting: tokio::sync::Mutex<()>,
    names: hmac::Key,
    service: Service,
    time: Duration,
    runtime: Handle,
    /// The runtime that serves, once there is one.
    serving: OnceLock<Handle>,
}

/// A call to count, and who waits for the answer. Nobody answers: there is none.
type Uncounted = (Window, oneshot::Sender<bool>);

#[derive(Clone)]
struct Connection {
    commands: MultiplexedConnection,
    /// The name that Redis gave to [`COUNT`].
    count: Arc<str>,
}

/// A window of calls.
#[derive(Debug, Clone)]
pub struct Window {
    /// The name of its key.
    pub name: String,
    /// Calls in a window.
    pub most: u32,
    /// How long a window lasts from its first call; none: until nobody called for `idle`.
    pub length: Option<Duration>,
    pub idle: Duration,
}

/// What Redis will answer.
type Answering<T> = Pin<Box<dyn Future<Output = Result<T, RedisError>> + Send>>;

/// Why Redis cannot be used at all.
#[derive(Debug, thiserror::Error)]
pub enum SharedError {
    /// The URL is wrong.
    #[error("{0}")]
    Url(String),
    /// Redis answers, and refuses.
    #[error("{0}")]
    Refused(String),
    /// The system refused a thread.
    #[error("start a thread for Redis: {0}")]
    Thread(std::io::Error),
}

/// Redis gave no answer that helps: the reason is in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoAnswer;

impl std::fmt::Debug for Inner {
    /// The URL may contain a password.
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Redis")
    }
}

impl Shared {
    /// Redis at `url`. `key` is the operator's. `time`: how long to wait for an answer.
    ///
    /// # Errors
    ///
    /// The URL is wrong, or Redis refuses the password. Where Redis does not answer, that is no error: it may come.
    pub fn open(url: &str, key: &str, time: Duration) -> Result<Shared, SharedError> {
        // Another part of the process may have done so before.
        let _ = rustls::crypto::ring::default_provider().install_default();
        // The error may quote the URL.
        let client = Client::open(url)
            .map_err(|_| SharedError::Url("it is not a URL of Redis".to_owned()))?;
        let name = format!("Redis at {}", client.get_connection_info().addr);
        let secret = [b"tamis names ".as_slice(), key.as_bytes()].concat();
        let shared = Shared {
            inner: Arc::new(Inner {
                client,
                uncounted: Mutex::default(),
                connection: Mutex::default(),
                answered: Mutex::new(Instant::now()),
                connecting: tokio::sync::Mutex::default(),
                names: hmac::Key::new(hmac::HMAC_SHA256, &secret),
                service: Service::new(name),
                time,
                runtime: away::runtime().map_err(SharedError::Thread)?,
                serving: OnceLock::new(),
            }),
        };
        match shared.ask(async |_| Ok(())) {
            Err(Refusal::Redis(error)) if is_refusal(&error) => {
                Err(SharedError::Refused(error.to_string()))
            }
            Err(refusal) => {
                tracing::warn!("sessions share nothing until Redis answers: {refusal}");
                Ok(shared)
            }
            Ok(()) => Ok(shared),
        }
    }

    /// Whether Redis counts as away, and questions to it so far, and those that failed.
    pub fn state(&self) -> (bool, [u64; 2]) {
        (self.inner.service.is_away(), self.inner.service.counts())
    }

    /// The name of a key, for a subject that is told by these parts.
    pub fn name(&self, kind: &str, parts: &[&str]) -> String {
        let mut context = hmac::Context::with_key(&self.inner.names);
        for part in parts {
            context.update(&(part.len() as u64).to_le_bytes());
            context.update(part.as_bytes());
        }
        format!(
            "tamis:{kind}:{}",
            hex::encode(&context.sign().as_ref()[..16])
        )
    }

    /// Counts a call in a window. Returns whether it is within the window's most.
    pub async fn count(&self, window: Window) -> Result<bool, NoAnswer> {
        let (answer, counted) = oneshot::channel();
        let is_first = {
            let mut uncounted = lock(&self.inner.uncounted);
            uncounted.push((window, answer));
            uncounted.len() == 1
        };
        if is_first {
            // A task of its own, which goes on if the client does not wait any longer: Redis counts all the same.
            tokio::spawn(Arc::clone(&self.inner).count_together());
        }
        counted.await.map_err(|_| NoAnswer)
    }

    /// Does the same as [`Shared::count`], and blocks this thread.
    pub fn count_now(&self, window: Window) -> Result<bool, NoAnswer> {
        let counted = self.ask(counting(vec![window])).map_err(Refusal::told)?;
        counted.first().copied().ok_or(NoAnswer)
    }

    /// All members of a table, which lasts for `idle` more.
    pub fn table(&self, name: &str, idle: Duration) -> Result<HashMap<String, String>, NoAnswer> {
        let name = name.to_owned();
        let seconds = idle.as_secs().max(1);
        let asked = self.ask(async move |mut connection: Connection| {
            let mut pipe = redis::pipe();
            pipe.cmd("HGETALL").arg(&name);
            pipe.cmd("EXPIRE").arg(&name).arg(seconds).ignore();
            let (table,): (HashMap<String, String>,) =
                pipe.query_async(&mut connection.commands).await?;
            Ok(table)
        });
        asked.map_err(Refusal::told)
    }

    /// Sets members of a table, and removes those without a value. The table lasts for `idle` from now on.
    pub fn set(
        &self,
        name: &str,
        members: Vec<(String, Option<String>)>,
        idle: Duration,
    ) -> Result<(), NoAnswer> {
        let name = name.to_owned();
        let seconds = idle.as_secs().max(1);
        let asked = self.ask(async move |mut connection: Connection| {
            let mut pipe = redis::pipe();
            pipe.atomic();
            for (member, value) in members {
                match value {
                    Some(value) => pipe.cmd("HSET").arg(&name).arg(member).arg(value).ignore(),
                    None => pipe.cmd("HDEL").arg(&name).arg(member).ignore(),
                };
            }
            pipe.cmd("EXPIRE").arg(&name).arg(seconds).ignore();
            pipe.query_async::<()>(&mut connection.commands).await
        });
        asked.map_err(Refusal::told)
    }

    /// Asks Redis, and waits for the answer. Blocks this thread.
    fn ask<T, F>(
        &self,
        question: impl FnOnce(Connection) -> F + Send + 'static,
    ) -> Result<T, Refusal>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, RedisError>> + Send + 'static,
    {
        let inner = &self.inner;
        inner
            .service
            .admit()
            .map_err(|away| Refusal::NotAsked(away.to_string()))?;
        let (done, answer) = mpsc::sync_channel(1);
        let asking = Arc::clone(inner).asked(question);
        inner.runtime().spawn(async move {
            let _ = done.send(asking.await);
        });
        let time = inner.time;
        // The runtime's clock ends it; this one is for a runtime that has no time for it.
        match serving::wait(|| answer.recv_timeout(2 * time + time / 4)) {
            Ok(answer) => answer,
            Err(_) => Err(inner.did_not_answer()),
        }
    }

    /// Asks on this runtime from now on. Its own tasks then wait for answers without another thread.
    pub fn ask_on(&self, runtime: Handle) {
        let _ = self.inner.serving.set(runtime);
        // The connection belongs to the runtime where it began.
        *lock(&self.inner.connection) = None;
    }
}

/// Counts a call in each of these windows: see [`Shared::count`].
fn counting(windows: Vec<Window>) -> impl FnOnce(Connection) -> Answering<Vec<bool>> + Send {
    move |mut connection: Connection| {
        let mut commands = redis::pipe();
        for window in windows {
            let lasts = window.length.unwrap_or(window.idle).as_millis();
            commands
                .cmd("EVALSHA")
                .arg(&*connection.count)
                .arg(1)
                .arg(window.name)
                .arg(window.most)
                .arg(u8::from(window.length.is_some()))
                .arg(u64::try_from(lasts).unwrap_or(u64::MAX).max(1));
        }
        Box::pin(async move { commands.query_async(&mut connection.commands).await })
    }
}

impl Inner {
    fn runtime(&self) -> &Handle {
        self.serving.get().unwrap_or(&self.runtime)
    }

    /// Counts all calls that wait for it in one question: at full load, most of what Redis costs is the way there.
    async fn count_together(self: Arc<Inner>) {
        // Whoever else can run now may have a call to count.
        tokio::task::yield_now().await;
        let calls = mem::take(&mut *lock(&self.uncounted));
        let (windows, waiting): (Vec<Window>, Vec<_>) = calls.into_iter().unzip();
        let counted = match self.service.admit() {
            Ok(()) => Arc::clone(&self).asked(counting(windows)).await,
            Err(away) => Err(Refusal::NotAsked(away.to_string())),
        };
        // Without an answer of Redis, `waiting` is dropped.
        let Ok(counted) = counted.map_err(Refusal::told) else {
            return;
        };
        for (answer, is_within) in waiting.into_iter().zip(counted) {
            // The client may no longer wait.
            let _ = answer.send(is_within);
        }
    }

    /// Asks a question that was admitted, and notes whether there was an answer.
    async fn asked<T, F>(
        self: Arc<Inner>,
        question: impl FnOnce(Connection) -> F + Send,
    ) -> Result<T, Refusal>
    where
        F: Future<Output = Result<T, RedisError>> + Send,
    {
        let answer = away::within(self.time, async {
            let connection = self.connection().await?;
            question(connection).await
        });
        match answer.await {
            Some(Ok(answer)) => {
                self.service.answered();
                *lock(&self.answered) = Instant::now();
                Ok(answer)
            }
            Some(Err(error)) => {
                // It begins with a new connection, and loads the script again.
                *lock(&self.connection) = None;
                self.service.failed(&error.to_string());
                Err(Refusal::Redis(error))
            }
            None => Err(self.did_not_answer()),
        }
    }

    fn did_not_answer(&self) -> Refusal {
        *lock(&self.connection) = None;
        let why = format!("no answer within {} ms", self.time.as_millis());
        self.service.failed(&why);
        Refusal::NotAsked(why)
    }

    async fn connection(&self) -> Result<Connection, RedisError> {
        let known = || lock(&self.connection).clone();
        let is_quiet = || lock(&self.answered).elapsed() >= QUIET;
        if let Some(connection) = known().filter(|_| !is_quiet()) {
            return Ok(connection);
        }
        let _connecting = self.connecting.lock().await;
        if let Some(mut connection) = known() {
            // A connection that nobody used for a while may have ended without a word. A question that is lost
            // with it could not be asked again.
            let is_alive = !is_quiet() || {
                let ping = Cmd::new().arg("PING").clone();
                ping.query_async::<()>(&mut connection.commands)
                    .await
                    .is_ok()
            };
            if is_alive {
                *lock(&self.answered) = Instant::now();
                return Ok(connection);
            }
        }
        let settings = AsyncConnectionConfig::new()
            // The clock of [`Inner::asked`] ends earlier.
            .set_connection_timeout(3 * self.time)
            .set_response_timeout(3 * self.time);
        let mut commands = self
            .client
            .get_multiplexed_async_connection_with_config(&settings)
            .await?;
        let mut load = Cmd::new();
        load.arg("SCRIPT").arg("LOAD").arg(COUNT);
        let count: String = load.query_async(&mut commands).await?;
        let connection = Connection {
            commands,
            count: count.into(),
        };
        *lock(&self.connection) = Some(connection.clone());
        Ok(connection)
    }
}

/// Why there is no answer.
enum Refusal {
    Redis(RedisError),
    NotAsked(String),
}

impl Refusal {
    fn told(self) -> NoAnswer {
        tracing::debug!("Redis: {self}");
        NoAnswer
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Refusal::Redis(error) => error.fmt(out),
            Refusal::NotAsked(why) => out.write_str(why),
        }
    }
}

/// Whether Redis refuses whoever asks.
fn is_refusal(error: &RedisError) -> bool {
    matches!(error.kind(), ErrorKind::AuthenticationFailed)
        || matches!(error.code(), Some("NOAUTH" | "WRONGPASS" | "NOPERM"))
}
