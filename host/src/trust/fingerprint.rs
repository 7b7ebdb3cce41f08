//! The fingerprint of a project's policy: digests of all its files.

use super::change::{Change, Changed};
use crate::policy;

/// The digests (SHA-256) of a policy and of the files that it uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprint {
    /// The digest of filters.toml.
    pub policy: [u8; 32],
    /// The digest of every file that it includes, by path from its folder; in the order in which they are
    /// named.
    pub included: Vec<(String, [u8; 32])>,
    /// The digest of the lock file in the same folder, if it exists.
    pub lock: Option<[u8; 32]>,
    /// The digest of every key in a file that `signed-by` names, by path from the folder of
    /// filters.toml; none of one that cannot be read.
    pub keys: Vec<(String, Option<[u8; 32]>)>,
    /// The digest of every plugin by name, in the order of the file; none of one that cannot be read.
    pub plugins: Vec<(String, Option<[u8; 32]>)>,
}

impl Fingerprint {
    /// The differences, in words; empty if the fingerprints are the same. A plugin that could not be read
    /// then or now counts as different.
    pub fn changes(&self, now: &Fingerprint) -> Vec<Change> {
        let mut changes = Vec::new();
        if self.policy != now.policy {
            changes.push(Change::of_policy());
        }
        let included =
            |path: &str, words: String| Change::new(Changed::Included(path.to_owned()), words);
        for (path, sha256) in &now.included {
            let then = self.included.iter().find(|(then, _)| then == path);
            match then {
                Some((_, then)) if then == sha256 => {}
                Some(_) => changes.push(included(path, path.clone())),
                None => changes.push(included(path, format!("{path} is new"))),
            }
        }
        for (path, _) in &self.included {
            if !now.included.iter().any(|(now, _)| now == path) {
                changes.push(included(path, format!("{path} is not included")));
            }
        }
        let lock = match (self.lock, now.lock) {
            (then, now) if then == now => None,
            (None, _) => Some("filters.lock is new"),
            (_, None) => Some("filters.lock is missing"),
            _ => Some("filters.lock"),
        };
        changes.extend(lock.map(|words| Change::new(Changed::Lock, words)));
        for (name, words) in differing("key", &self.keys, &now.keys) {
            changes.push(Change::new(Changed::Key(name), words));
        }
        for (name, words) in differing("plugin", &self.plugins, &now.plugins) {
            changes.push(Change::new(Changed::Plugin(name), words));
        }
        changes
    }
}

/// Named digests.
type Named = [(String, Option<[u8; 32]>)];

/// The names in `now` whose digests are not those in `then`, and how they differ. One without a digest always
/// does.
fn differing<'d>(
    noun: &'d str,
    then: &'d Named,
    now: &'d Named,
) -> impl Iterator<Item = (String, String)> + 'd {
    now.iter().filter_map(move |(name, sha256)| {
        let then = then.iter().find(|(then, _)| then == name);
        let then = then.and_then(|(_, sha256)| *sha256);
        let words = match (then, sha256) {
            (Some(then), Some(now)) if then == *now => return None,
            (_, None) => format!("{noun} `{name}` cannot be read"),
            (None, _) => format!("{noun} `{name}` is new"),
            (Some(then), Some(now)) => format!(
                "{noun} `{name}` ({} was {})",
                policy::short(now),
                policy::short(&then)
            ),
        };
        Some((name.clone(), words))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_counts() {
        let plugin = |name: &str, sha256| (name.to_owned(), sha256);
        let then = Fingerprint {
            policy: [1; 32],
            included: vec![
                ("team.toml".to_owned(), [1; 32]),
                ("old.toml".to_owned(), [1; 32]),
            ],
            lock: None,
            keys: vec![plugin("team.pub", Some([1; 32]))],
            plugins: vec![plugin("a", Some([1; 32])), plugin("b", None)],
        };
        let words = |now: &Fingerprint| -> Vec<String> {
            let changes = then.changes(now);
            changes.iter().map(Change::to_string).collect()
        };
        assert_eq!(
            words(&Fingerprint {
                plugins: vec![plugin("a", Some([1; 32]))],
                ..then.clone()
            }),
            Vec::<String>::new()
        );
        // A plugin that nobody could read was not approved.
        assert_eq!(words(&then), ["plugin `b` cannot be read"]);
        let now = Fingerprint {
            policy: [2; 32],
            included: vec![
                ("team.toml".to_owned(), [2; 32]),
                ("new.toml".to_owned(), [1; 32]),
            ],
            lock: Some([1; 32]),
            keys: vec![
                plugin("team.pub", Some([0xab; 32])),
                plugin("new.pub", None),
            ],
            plugins: vec![plugin("a", Some([0xab; 32])), plugin("b", Some([1; 32]))],
        };
        assert_eq!(
            words(&now),
            [
                "filters.toml",
                "team.toml",
                "new.toml is new",
                "old.toml is not included",
                "filters.lock is new",
                "key `team.pub` (abababababab was 010101010101)",
                "key `new.pub` cannot be read",
                "plugin `a` (abababababab was 010101010101)",
                "plugin `b` is new",
            ]
        );
    }
}
