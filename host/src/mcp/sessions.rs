//! Sessions: which one a request belongs to, and how many calls it has made.

use super::frame;
use crate::policy::{SessionKey, SessionSpec};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Sessions whose calls are counted: past that the one that was quiet longest is forgotten.
const SESSIONS_KEPT: usize = 10_000;

/// A longer key is kept as its hash.
const KEY_BYTES: usize = 256;

/// The sessions of a connection.
#[derive(Debug)]
pub struct Sessions {
    spec: SessionSpec,
    windows: Mutex<HashMap<String, Window>>,
}

#[derive(Debug, Clone, Copy)]
struct Window {
    begun: Instant,
    last: Instant,
    calls: u32,
}

impl Sessions {
    pub fn new(spec: SessionSpec) -> Sessions {
        Sessions {
            spec,
            windows: Mutex::default(),
        }
    }

    /// The key of the session that a call belongs to; a call without a value has the empty key.
    /// `params` is raw JSON.
    fn key(&self, params: &[u8]) -> String {
        let value = |object: &str, name: &str| {
            let [object] = frame::members(params, [object]);
            let object = &params[object?];
            let [value] = frame::members(object, [name]);
            let raw = &object[value?];
            let text = frame::text(raw).map(|text| text.into_owned());
            text.or_else(|| Some(String::from_utf8_lossy(raw).into_owned()))
        };
        let key = match &self.spec.key {
            // Over standard input and output there are no headers.
            SessionKey::Connection | SessionKey::Header(_) => None,
            SessionKey::Argument(name) => value("arguments", name),
            SessionKey::Meta(name) => value("_meta", name),
        };
        let key = key.unwrap_or_default();
        if key.len() <= KEY_BYTES {
            return key;
        }
        let hash = Sha256::digest(key);
        hash.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Counts a call. Some: it is one too many, and this is what the model is told.
    pub fn refuse(&self, params: &[u8]) -> Option<&str> {
        let most = self.spec.calls?;
        let key = self.key(params);
        let now = Instant::now();
        let mut windows = self.windows.lock().unwrap_or_else(PoisonError::into_inner);
        if !windows.contains_key(&key) && windows.len() >= SESSIONS_KEPT {
            let quietest = windows.iter().min_by_key(|(_, window)| window.last);
            if let Some(quietest) = quietest.map(|(key, _)| key.clone()) {
                windows.remove(&quietest);
            }
        }
        let new = Window {
            begun: now,
            last: now,
            calls: 0,
        };
        let window = windows.entry(key).or_insert(new);
        let is_over = |length| now.duration_since(window.begun) >= length;
        if self.spec.window.is_some_and(is_over) {
            *window = new;
        }
        window.last = now;
        if window.calls >= most {
            return Some(&self.spec.limit_text);
        }
        window.calls += 1;
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn sessions(key: SessionKey, window: Option<Duration>) -> Sessions {
        Sessions::new(SessionSpec {
            key,
            calls: Some(2),
            window,
            ..SessionSpec::default()
        })
    }

    #[test]
    fn each_key_has_calls_of_its_own_and_no_value_is_a_key() {
        let sessions = sessions(SessionKey::Argument("active_file".into()), None);
        let (a, b): (&[u8], &[u8]) = (
            br#"{"name":"t","arguments":{"active_file":"a.rs"}}"#,
            br#"{"name":"t","arguments":{"active_file":"b.rs"}}"#,
        );
        for params in [a, b, b"{}", a, b, br#"{"arguments":{}}"#] {
            assert_eq!(sessions.refuse(params), None);
        }
        for params in [a, b, b"{}"] {
            let refusal = sessions.refuse(params).expect("it is the third call");
            assert!(refusal.ends_with("[Tool call limit reached]"), "{refusal}");
        }
    }

    #[test]
    fn a_window_that_is_over_begins_anew() {
        let sessions = sessions(SessionKey::Connection, Some(Duration::ZERO));
        assert!((0..5).all(|_| sessions.refuse(b"{}").is_none()));
    }

    #[test]
    fn forgotten_sessions_are_the_quiet_ones() {
        let sessions = sessions(SessionKey::Meta("k".into()), None);
        let params = |key: usize| format!(r#"{{"_meta":{{"k":{key}}}}}"#);
        for key in 0..SESSIONS_KEPT + 10 {
            assert_eq!(sessions.refuse(params(key).as_bytes()), None);
        }
        let kept = sessions.windows.lock().unwrap().len();
        assert_eq!(kept, SESSIONS_KEPT);
    }
}
