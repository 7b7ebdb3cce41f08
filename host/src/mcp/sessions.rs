//! Sessions: which session a request belongs to, how many calls it has made, and the values that filters store
//! for it.

#[cfg(feature = "http")]
use super::counting::{Counting, Question};
use crate::hex;
use crate::json;
use crate::lock::lock;
use crate::policy::{SessionKey, SessionSpec};
use crate::sandbox::SessionValues;
#[cfg(feature = "http")]
use crate::sandbox::{PluginsValues, ValuesElsewhere};
#[cfg(feature = "http")]
use crate::shared::{self, Shared};
use std::collections::HashMap;
use std::sync::Mutex;
#[cfg(feature = "http")]
use std::sync::OnceLock;
#[cfg(feature = "http")]
use std::time::Duration;
use std::time::Instant;

/// Most sessions whose calls are counted. Above that, the session that was quiet longest is forgotten.
const SESSIONS_KEPT: usize = 10_000;

/// Most sessions for which filters' values are stored: more agents than one proxy serves at a time, and a bound
/// for the stored values. Above that, the session that was quiet longest is forgotten.
const SESSIONS_WITH_VALUES: usize = 1_000;

/// A longer key is stored as its hash.
const KEY_BYTES: usize = 256;

/// The sessions of a connection.
#[derive(Debug, Default)]
pub struct Sessions {
    windows: Mutex<HashMap<String, Window>>,
    values: Mutex<HashMap<String, (Instant, SessionValues)>>,
    /// Other replicas count the same calls, and have the same values.
    #[cfg(feature = "http")]
    shared: OnceLock<SharedSessions>,
}

/// The sessions of a connection that other replicas serve too.
#[cfg(feature = "http")]
#[derive(Debug, Clone)]
pub struct SharedSessions {
    pub shared: Shared,
    /// The connection: its server, and its session or caller.
    pub connection: [String; 2],
    /// How long a session lasts that nobody uses.
    pub idle: Duration,
}

/// The text for a model whose call cannot be counted.
#[cfg(feature = "http")]
const UNCOUNTED: &str = "[tamis] The call was not made: calls have a limit, and cannot be counted at the moment. Call again in a few seconds.";

/// Between the name of a plugin and its key, which contain no such character.
#[cfg(feature = "http")]
const BETWEEN: char = '\u{1f}';

#[cfg(feature = "http")]
impl SharedSessions {
    fn name(&self, kind: &str, key: &str) -> String {
        let [server, connection] = &self.connection;
        self.shared.name(kind, &[server, connection, key])
    }

    fn values(&self, key: &str) -> SessionValues {
        let name = self.name("values", key);
        let (of_load, of_save) = ((self.clone(), name.clone()), (self.clone(), name));
        SessionValues::elsewhere(ValuesElsewhere::new(
            move || {
                let (sessions, name) = &of_load;
                let table = sessions.shared.table(name, sessions.idle).ok()?;
                let mut plugins = PluginsValues::new();
                for (member, value) in table {
                    if let Some((plugin, key)) = member.split_once(BETWEEN) {
                        let values = plugins.entry(plugin.to_owned()).or_default();
                        values.insert(key.to_owned(), value);
                    }
                }
                Some(plugins)
            },
            move |set| {
                let (sessions, name) = &of_save;
                let members = set.iter().flat_map(|(plugin, values)| {
                    values.iter().map(move |(key, value)| {
                        let value = (!value.is_empty()).then(|| value.clone());
                        (format!("{plugin}{BETWEEN}{key}"), value)
                    })
                });
                // Without an answer, filters show more the next time.
                let _ = sessions.shared.set(name, members.collect(), sessions.idle);
            },
        ))
    }
}

#[derive(Debug, Clone, Copy)]
struct Window {
    begun: Instant,
    last: Instant,
    calls: u32,
}

/// The key of the session that is the connection.
pub const CONNECTION: &str = "";

impl Sessions {
    /// The key of the session that a call belongs to. All calls without a value share one session. Sessions that
    /// another policy identifies in another way have other keys. `params` is raw JSON, `header` the value of the
    /// header that the policy names.
    pub fn key(spec: &SessionSpec, params: &[u8], header: Option<&str>) -> String {
        let value = |object: &str, name: &str| {
            let [object] = json::members(params, [object]);
            let object = &params[object?];
            let [value] = json::members(object, [name]);
            let raw = &object[value?];
            let text = json::text(raw).map(|text| text.into_owned());
            text.or_else(|| Some(String::from_utf8_lossy(raw).into_owned()))
        };
        let (by, name, value) = match &spec.key {
            SessionKey::Connection => return CONNECTION.to_owned(),
            SessionKey::Header(name) => ("header", name, header.map(str::to_owned)),
            SessionKey::Argument(name) => ("arguments", name, value("arguments", name)),
            SessionKey::Meta(name) => ("_meta", name, value("_meta", name)),
        };
        let key = format!("{by}.{name}={}", value.unwrap_or_default());
        if key.len() <= KEY_BYTES {
            return key;
        }
        hex::sha256(key)
    }

    /// Counts a call. Some: the call is over the limit, and this is the text for the model. Calls that were
    /// counted under another policy count too. `counting`: a count on another machine is asked for elsewhere, and the
    /// call is made, or refused, once it is there.
    pub fn refuse<'a>(
        &self,
        spec: &'a SessionSpec,
        params: &[u8],
        header: Option<&str>,
        #[cfg(feature = "http")] counting: Option<&Counting>,
    ) -> Option<&'a str> {
        let most = spec.calls?;
        let key = Sessions::key(spec, params, header);
        #[cfg(feature = "http")]
        if let Some(sessions) = self.shared.get() {
            let question = Question {
                shared: sessions.shared.clone(),
                window: shared::Window {
                    name: sessions.name("calls", &key),
                    most,
                    length: spec.window,
                    idle: sessions.idle,
                },
            };
            let counted = match counting {
                Some(counting) => counting.answer(question),
                None => Some(question.ask_now()),
            };
            return match counted {
                Some(Ok(true)) => None,
                Some(Ok(false)) => Some(&spec.limit_text),
                // Whether it was counted is unknown, so it is not made.
                Some(Err(_)) | None => Some(UNCOUNTED),
            };
        }
        let now = Instant::now();
        let mut windows = lock(&self.windows);
        make_room(&mut windows, &key, SESSIONS_KEPT, |window| window.last);
        let new = Window {
            begun: now,
            last: now,
            calls: 0,
        };
        let window = windows.entry(key).or_insert(new);
        let is_over = |length| now.duration_since(window.begun) >= length;
        if spec.window.is_some_and(is_over) {
            *window = new;
        }
        window.last = now;
        if window.calls >= most {
            return Some(&spec.limit_text);
        }
        window.calls += 1;
        None
    }

    /// Sets that other replicas serve the same sessions.
    #[cfg(feature = "http")]
    pub fn share(&self, sessions: SharedSessions) {
        // A connection is shared when it is made, once.
        let _ = self.shared.set(sessions);
    }

    /// Whether counting a call asks another machine.
    #[cfg(feature = "http")]
    pub fn are_shared(&self) -> bool {
        self.shared.get().is_some()
    }

    /// The values that filters store for the session with this key.
    pub fn values(&self, key: &str) -> SessionValues {
        #[cfg(feature = "http")]
        if let Some(sessions) = self.shared.get() {
            return sessions.values(key);
        }
        let mut sessions = lock(&self.values);
        make_room(&mut sessions, key, SESSIONS_WITH_VALUES, |(last, _)| *last);
        let new = || (Instant::now(), SessionValues::default());
        let (last, values) = sessions.entry(key.to_owned()).or_insert_with(new);
        *last = Instant::now();
        values.clone()
    }
}

/// Forgets the least recently used session, if a new key needs the room.
fn make_room<T>(
    sessions: &mut HashMap<String, T>,
    key: &str,
    most: usize,
    last: impl Fn(&T) -> Instant,
) {
    if sessions.contains_key(key) || sessions.len() < most {
        return;
    }
    let quietest = sessions.iter().min_by_key(|(_, session)| last(session));
    if let Some(quietest) = quietest.map(|(key, _)| key.clone()) {
        sessions.remove(&quietest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn refuse<'a>(
        sessions: &Sessions,
        spec: &'a SessionSpec,
        params: &[u8],
        header: Option<&str>,
    ) -> Option<&'a str> {
        sessions.refuse(
            spec,
            params,
            header,
            #[cfg(feature = "http")]
            None,
        )
    }

    fn spec(key: SessionKey, window: Option<Duration>) -> SessionSpec {
        SessionSpec {
            key,
            calls: Some(2),
            window,
            ..SessionSpec::default()
        }
    }

    #[test]
    fn each_key_has_calls_of_its_own_and_no_value_is_a_key() {
        let spec = spec(SessionKey::Argument("active_file".into()), None);
        let sessions = Sessions::default();
        let (a, b): (&[u8], &[u8]) = (
            br#"{"name":"t","arguments":{"active_file":"a.rs"}}"#,
            br#"{"name":"t","arguments":{"active_file":"b.rs"}}"#,
        );
        for params in [a, b, b"{}", a, b, br#"{"arguments":{}}"#] {
            assert_eq!(refuse(&sessions, &spec, params, None), None);
        }
        for params in [a, b, b"{}"] {
            let refusal = refuse(&sessions, &spec, params, None).expect("it is the third call");
            assert!(refusal.ends_with("[Tool call limit reached]"), "{refusal}");
        }
    }

    #[test]
    fn calls_count_under_another_policy_too_unless_its_sessions_are_others() {
        let (before, sessions) = (spec(SessionKey::Connection, None), Sessions::default());
        assert_eq!(refuse(&sessions, &before, b"{}", None), None);
        let after = SessionSpec {
            calls: Some(1),
            ..before
        };
        assert!(refuse(&sessions, &after, b"{}", None).is_some());
        let others = spec(SessionKey::Meta("k".into()), None);
        assert_eq!(refuse(&sessions, &others, b"{}", None), None);
    }

    #[test]
    fn a_window_that_is_over_begins_anew() {
        let spec = spec(SessionKey::Connection, Some(Duration::ZERO));
        let sessions = Sessions::default();
        assert!((0..5).all(|_| refuse(&sessions, &spec, b"{}", None).is_none()));
    }

    #[test]
    fn forgotten_sessions_are_the_quiet_ones() {
        let spec = spec(SessionKey::Meta("k".into()), None);
        let sessions = Sessions::default();
        let params = |key: usize| format!(r#"{{"_meta":{{"k":{key}}}}}"#);
        for key in 0..SESSIONS_KEPT + 10 {
            assert_eq!(refuse(&sessions, &spec, params(key).as_bytes(), None), None);
        }
        let kept = sessions.windows.lock().unwrap().len();
        assert_eq!(kept, SESSIONS_KEPT);
    }

    #[test]
    fn forgotten_values_are_those_of_quiet_sessions() {
        let sessions = Sessions::default();
        let first = sessions.values("0");
        for key in 1..SESSIONS_WITH_VALUES {
            sessions.values(&key.to_string());
        }
        // Asked for again, it is no longer the quietest.
        let is_first = |values: &SessionValues| values.is_same(&first);
        assert!(is_first(&sessions.values("0")));
        for key in 0..10 {
            sessions.values(&format!("new {key}"));
        }
        let kept = sessions.values.lock().unwrap().len();
        assert_eq!(kept, SESSIONS_WITH_VALUES);
        assert!(is_first(&sessions.values("0")));
        sessions.values.lock().unwrap().remove("0");
        assert!(!is_first(&sessions.values("0")));
    }
}
