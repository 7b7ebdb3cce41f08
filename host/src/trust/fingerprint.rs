//! The fingerprint of a project's policy: digests of all its files.

use super::find::NAME;
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
    /// The digest of every plugin by name, in the order of the file; none of one that cannot be read.
    pub plugins: Vec<(String, Option<[u8; 32]>)>,
}

impl Fingerprint {
    /// The differences, in words; empty if the fingerprints are the same. A plugin that could not be read
    /// then or now counts as different.
    pub fn changes(&self, now: &Fingerprint) -> Vec<String> {
        let mut changes = Vec::new();
        if self.policy != now.policy {
            changes.push(NAME.to_owned());
        }
        for (path, sha256) in &now.included {
            let then = self.included.iter().find(|(then, _)| then == path);
            match then {
                Some((_, then)) if then == sha256 => {}
                Some(_) => changes.push(path.clone()),
                None => changes.push(format!("{path} is new")),
            }
        }
        for (path, _) in &self.included {
            if !now.included.iter().any(|(now, _)| now == path) {
                changes.push(format!("{path} is not included"));
            }
        }
        match (self.lock, now.lock) {
            (then, now) if then == now => {}
            (None, _) => changes.push("filters.lock is new".to_owned()),
            (_, None) => changes.push("filters.lock is missing".to_owned()),
            _ => changes.push("filters.lock".to_owned()),
        }
        for (name, sha256) in &now.plugins {
            let then = self.plugins.iter().find(|(then, _)| then == name);
            let then = then.and_then(|(_, sha256)| *sha256);
            match (then, sha256) {
                (Some(then), Some(now)) if then == *now => {}
                (_, None) => changes.push(format!("plugin `{name}` cannot be read")),
                (None, _) => changes.push(format!("plugin `{name}` is new")),
                (Some(then), Some(now)) => changes.push(format!(
                    "plugin `{name}` ({} was {})",
                    policy::short(now),
                    policy::short(&then)
                )),
            }
        }
        changes
    }
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
            plugins: vec![plugin("a", Some([1; 32])), plugin("b", None)],
        };
        assert_eq!(
            then.changes(&Fingerprint {
                plugins: vec![plugin("a", Some([1; 32]))],
                ..then.clone()
            }),
            Vec::<String>::new()
        );
        // A plugin that nobody could read was not approved.
        assert_eq!(then.changes(&then), ["plugin `b` cannot be read"]);
        let now = Fingerprint {
            policy: [2; 32],
            included: vec![
                ("team.toml".to_owned(), [2; 32]),
                ("new.toml".to_owned(), [1; 32]),
            ],
            lock: Some([1; 32]),
            plugins: vec![plugin("a", Some([0xab; 32])), plugin("b", Some([1; 32]))],
        };
        assert_eq!(
            then.changes(&now),
            [
                "filters.toml",
                "team.toml",
                "new.toml is new",
                "old.toml is not included",
                "filters.lock is new",
                "plugin `a` (abababababab was 010101010101)",
                "plugin `b` is new",
            ]
        );
    }
}
