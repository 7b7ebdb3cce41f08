//! Small values that a plugin sets for one result and reads for later results of the same session.
//!
//! Owns their bounds, the view of one result, and that values take effect only when committed. Refuses to know
//! what a session is, and which filter's verdict was accepted.

use crate::hex;
use crate::lock::lock;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

/// Longest key, in bytes: a word or two, or a hash.
const KEY_BYTES: usize = 64;
/// Longest value, in bytes: counts, hashes, a line about a result; the store holds results themselves.
const VALUE_BYTES: usize = 1024;
/// Keys of one plugin in one session: a list of recent results. With a thousand sessions and the longest keys
/// and values, a plugin makes the host hold 68 MiB.
const KEYS: usize = 64;

/// The name under which the host notes legends among the values of plugins: no plugin has it.
const TOLD: &str = "(legends)";

/// Key and value. In values that are set and not committed, an empty value removes the key.
pub type Values = BTreeMap<String, String>;
/// Values by the name of the plugin.
pub type Plugins = BTreeMap<String, Values>;

/// A place on another machine that has the values of one session, for several processes.
pub struct ValuesElsewhere {
    load: Box<dyn Fn() -> Option<Plugins> + Send + Sync>,
    save: Box<dyn Fn(&Plugins) + Send + Sync>,
}

impl ValuesElsewhere {
    /// `load` returns all values; none if the place does not answer. `save` gets the values that one result set; an
    /// empty value removes its key. Both may take a while.
    pub fn new(
        load: impl Fn() -> Option<Plugins> + Send + Sync + 'static,
        save: impl Fn(&Plugins) + Send + Sync + 'static,
    ) -> ValuesElsewhere {
        ValuesElsewhere {
            load: Box::new(load),
            save: Box::new(save),
        }
    }
}

impl fmt::Debug for ValuesElsewhere {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("ValuesElsewhere")
    }
}

/// The values of one session, for all of its calls.
#[derive(Debug, Clone, Default)]
pub struct SessionValues {
    plugins: Arc<Mutex<Arc<Plugins>>>,
    /// The values are here instead; none: in this process.
    elsewhere: Option<Arc<ValuesElsewhere>>,
}

impl SessionValues {
    /// Reads values from JSON; none if [`SessionValues::to_json`] did not write it.
    pub fn from_json(json: &str) -> Option<SessionValues> {
        let plugins: Plugins = serde_json::from_str(json).ok()?;
        Some(SessionValues::of(Arc::new(plugins)))
    }

    /// Values on another machine. Each result loads them when a filter may ask for one.
    pub fn elsewhere(place: ValuesElsewhere) -> SessionValues {
        SessionValues {
            elsewhere: Some(Arc::new(place)),
            ..SessionValues::default()
        }
    }

    fn of(plugins: Arc<Plugins>) -> SessionValues {
        SessionValues {
            plugins: Arc::new(Mutex::new(plugins)),
            elsewhere: None,
        }
    }

    /// All values, for [`SessionValues::from_json`].
    pub fn to_json(&self) -> String {
        serde_json::to_string(&**self.lock()).expect("names and texts are JSON")
    }

    /// Whether both are the values of one session.
    pub fn is_same(&self, other: &SessionValues) -> bool {
        Arc::ptr_eq(&self.plugins, &other.plugins)
    }

    /// A copy of the values, which changes independently from now on.
    pub fn fork(&self) -> SessionValues {
        SessionValues::of(Arc::clone(&self.lock()))
    }

    /// The present values, for one result.
    pub fn view(&self) -> SessionView {
        SessionView {
            now: match &self.elsewhere {
                None => Present::of(Arc::clone(&self.lock())),
                Some(place) => Present::later(Arc::clone(place)),
            },
            of: self.clone(),
            set: Plugins::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Arc<Plugins>> {
        // Values are put in whole.
        lock(&self.plugins)
    }
}

/// One result's view of a session: the values at the time when its filtering began, and the values set for it
/// since. The default is a session of its own.
#[derive(Debug, Clone, Default)]
pub struct SessionView {
    of: SessionValues,
    now: Present,
    set: Plugins,
}

/// The values at one time. Those of another machine are loaded when somebody asks for one.
#[derive(Debug, Clone, Default)]
struct Present {
    plugins: Arc<OnceLock<Arc<Plugins>>>,
    elsewhere: Option<Arc<ValuesElsewhere>>,
}

impl Present {
    fn of(plugins: Arc<Plugins>) -> Present {
        Present {
            plugins: Arc::new(OnceLock::from(plugins)),
            elsewhere: None,
        }
    }

    fn later(place: Arc<ValuesElsewhere>) -> Present {
        Present {
            plugins: Arc::default(),
            elsewhere: Some(place),
        }
    }

    fn get(&self) -> &Plugins {
        self.plugins.get_or_init(|| {
            let loaded = self.elsewhere.as_ref().and_then(|place| (place.load)());
            // Without an answer, filters run as at the beginning of a session: they show more, never less.
            Arc::new(loaded.unwrap_or_default())
        })
    }
}

impl SessionView {
    /// A plugin's view of the values.
    pub(super) fn of(&self, plugin: &str) -> PluginValues {
        PluginValues {
            now: self.now.clone(),
            set: self.set.get(plugin).cloned().unwrap_or_default(),
            plugin: plugin.to_owned(),
        }
    }

    /// Loads the values now, if they are on another machine: not within the time limit of a filter.
    pub(super) fn load(&self) {
        self.now.get();
    }

    /// The same values, without effect of anything set.
    pub fn apart(&self) -> SessionView {
        SessionView {
            of: SessionValues::default(),
            ..self.clone()
        }
    }

    /// Whether the session's model was told this legend.
    pub fn was_told(&self, legend: &str) -> bool {
        self.of(TOLD).get(&legend_key(legend)).is_some()
    }

    /// Notes that the session's model is told this legend.
    pub fn tell(&mut self, legend: &str) {
        self.accept(TOLD, vec![(legend_key(legend), "told".to_owned())]);
    }

    /// Adds the values that a plugin has set, after its verdict was accepted.
    pub fn accept(&mut self, plugin: &str, set: Vec<(String, String)>) {
        if !set.is_empty() {
            let values = self.set.entry(plugin.to_owned()).or_default();
            values.extend(set);
        }
    }

    /// Makes the set values take effect, for all later results at once.
    pub fn commit(self) {
        if self.set.is_empty() {
            return;
        }
        if let Some(place) = &self.of.elsewhere {
            (place.save)(&self.set);
            return;
        }
        let mut plugins = self.of.lock();
        let plugins = Arc::make_mut(&mut plugins);
        for (plugin, set) in self.set {
            let values = plugins.entry(plugin).or_default();
            for (key, value) in set {
                if value.is_empty() {
                    values.remove(&key);
                } else if values.len() < KEYS || values.contains_key(&key) {
                    values.insert(key, value);
                }
                // Else another result has used up the keys in the meantime.
            }
        }
    }
}

/// A legend by the half of its hash.
fn legend_key(legend: &str) -> String {
    hex::encode(&Sha256::digest(legend)[..16])
}

/// A plugin's view of a session, while it filters one document.
#[derive(Debug, Default)]
pub(super) struct PluginValues {
    plugin: String,
    now: Present,
    set: Values,
}

impl PluginValues {
    pub(super) fn get(&self, key: &str) -> Option<&str> {
        let committed = || self.committed()?.get(key);
        let value = self.set.get(key).or_else(committed)?;
        (!value.is_empty()).then_some(value.as_str())
    }

    /// Sets a value, or removes the key if it is empty.
    pub(super) fn set(&mut self, key: String, value: String) -> Result<(), String> {
        if key.is_empty() || key.len() > KEY_BYTES {
            let len = key.len();
            return Err(format!(
                "a key of the session has 1 to {KEY_BYTES} bytes, and this one has {len}"
            ));
        }
        if value.len() > VALUE_BYTES {
            return Err(format!(
                "a value of the session has at most {VALUE_BYTES} bytes, and that of `{key}` has {}",
                value.len()
            ));
        }
        if !value.is_empty() && self.get(&key).is_none() && self.count() >= KEYS {
            return Err(format!(
                "a plugin has at most {KEYS} keys in a session, and `{key}` is one more: an empty value removes a key"
            ));
        }
        self.set.insert(key, value);
        Ok(())
    }

    /// The values that were set, in the order of the keys.
    pub(super) fn into_set(self) -> Vec<(String, String)> {
        self.set.into_iter().collect()
    }

    fn committed(&self) -> Option<&Values> {
        self.now.get().get(&self.plugin)
    }

    fn count(&self) -> usize {
        let committed = self.committed().into_iter().flat_map(Values::keys);
        let kept = committed.filter(|key| !self.set.contains_key(*key)).count();
        kept + self.set.values().filter(|value| !value.is_empty()).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sets values as a plugin would, in an accepted verdict.
    fn set(view: &mut SessionView, plugin: &str, values: &[(&str, &str)]) {
        let mut own = view.of(plugin);
        for (key, value) in values {
            own.set((*key).to_owned(), (*value).to_owned())
                .expect("within bounds");
        }
        view.accept(plugin, own.into_set());
    }

    fn get(session: &SessionValues, plugin: &str, key: &str) -> Option<String> {
        session.view().of(plugin).get(key).map(str::to_owned)
    }

    #[test]
    fn values_count_when_they_are_committed_and_each_plugin_sees_its_own() {
        let session = SessionValues::default();
        let mut view = session.view();
        set(&mut view, "a", &[("k", "1")]);
        assert_eq!(view.of("a").get("k"), Some("1"), "set for this result");
        assert_eq!(view.of("b").get("k"), None, "another plugin");
        assert_eq!(get(&session, "a", "k"), None, "not committed");
        view.apart().commit();
        assert_eq!(get(&session, "a", "k"), None, "set apart");
        let other = session.view();
        view.commit();
        assert_eq!(get(&session, "a", "k").as_deref(), Some("1"));
        assert_eq!(other.of("a").get("k"), None, "it began before");
    }

    #[test]
    fn the_last_to_end_wins_key_by_key() {
        let session = SessionValues::default();
        let (mut one, mut other) = (session.view(), session.view());
        set(&mut one, "a", &[("both", "1"), ("one", "1")]);
        set(&mut other, "a", &[("both", "2")]);
        other.commit();
        one.commit();
        assert_eq!(get(&session, "a", "both").as_deref(), Some("1"));
        assert_eq!(get(&session, "a", "one").as_deref(), Some("1"));
    }

    #[test]
    fn bounds_hold_to_the_byte_and_key() {
        let session = SessionValues::default();
        let mut view = session.view();
        let mut own = view.of("a");
        for (key, value, fits) in [
            (0, 1, false),
            (1, 0, true),
            (KEY_BYTES, VALUE_BYTES, true),
            (KEY_BYTES + 1, 1, false),
            (1, VALUE_BYTES + 1, false),
        ] {
            let taken = own.set("k".repeat(key), "v".repeat(value));
            assert_eq!(taken.is_ok(), fits, "{key}, {value}: {taken:?}");
        }
        view.accept("a", own.into_set());
        for key in 1..KEYS {
            set(&mut view, "a", &[(&key.to_string(), "v")]);
        }
        let refused = view.of("a").set("new".into(), "v".into()).unwrap_err();
        assert!(refused.contains("at most 64 keys"), "{refused}");
        set(&mut view, "a", &[("1", "other"), ("2", ""), ("new", "v")]);
        view.commit();
        assert_eq!(get(&session, "a", "2"), None);
        assert_eq!(get(&session, "a", "new").as_deref(), Some("v"));
        let refused = session.view().of("a").set("newer".into(), "v".into());
        assert!(refused.is_err());
        assert!(
            session
                .view()
                .of("b")
                .set("newer".into(), "v".into())
                .is_ok()
        );
    }

    #[test]
    fn two_results_together_do_not_break_the_bound() {
        let session = SessionValues::default();
        let (mut one, mut other) = (session.view(), session.view());
        for key in 0..KEYS {
            set(&mut one, "a", &[(&format!("one{key}"), "v")]);
            set(&mut other, "a", &[(&format!("other{key}"), "v")]);
        }
        one.commit();
        other.commit();
        assert_eq!(session.lock()["a"].len(), KEYS);
    }

    #[test]
    fn values_elsewhere_are_loaded_once_a_result_and_only_if_asked_for() {
        let stored: Arc<Mutex<(u32, Plugins)>> = Arc::default();
        let (load, save) = (Arc::clone(&stored), Arc::clone(&stored));
        let session = SessionValues::elsewhere(ValuesElsewhere::new(
            move || {
                let mut stored = lock(&load);
                stored.0 += 1;
                Some(stored.1.clone())
            },
            move |set| lock(&save).1.extend(set.clone()),
        ));
        let mut view = session.view();
        assert_eq!(lock(&stored).0, 0);
        set(&mut view, "a", &[("k", "1")]);
        assert_eq!(view.of("a").get("k"), Some("1"), "set for this result");
        assert_eq!(view.of("a").get("other"), None);
        view.apart().commit();
        assert_eq!(lock(&stored).1.len(), 0, "set apart");
        view.commit();
        assert_eq!(lock(&stored).0, 1);
        assert_eq!(get(&session, "a", "k").as_deref(), Some("1"));
        let away = ValuesElsewhere::new(|| None, |_| {});
        assert_eq!(get(&SessionValues::elsewhere(away), "a", "k"), None);
    }

    #[test]
    fn what_is_written_out_is_read_again() {
        let session = SessionValues::default();
        let mut view = session.view();
        set(&mut view, "a", &[("k", "\"quoted\"\n")]);
        view.commit();
        let read = SessionValues::from_json(&session.to_json()).expect("it is JSON");
        assert_eq!(get(&read, "a", "k").as_deref(), Some("\"quoted\"\n"));
        assert!(SessionValues::from_json("{").is_none());
        let (fork, mut view) = (session.fork(), session.view());
        set(&mut view, "a", &[("k", "other")]);
        view.commit();
        assert_eq!(get(&fork, "a", "k").as_deref(), Some("\"quoted\"\n"));
    }
}
