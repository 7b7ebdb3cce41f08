//! Replacements of hidden content.
//!
//! A pseudonym has the number under which the session knows the content. The session stores a hash of the content,
//! never the content.

use crate::finder::MASK;
use crate::settings::{Replacement, With};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashMap};
use tamis_sdk::{Level, log, session_value, set_session_value};

/// Pieces of content that a session numbers. With the counts of kinds, they fit the 64 values that a plugin may set.
const MOST_KNOWN: u32 = 48;
const KNOWN: &str = "n";

/// The replacements in one document.
pub struct Names<'s> {
    with: &'s Replacement,
    /// The pseudonyms that this document gave, by the hash of the content.
    given: HashMap<String, String>,
    /// How much content of each kind was hidden.
    counts: BTreeMap<String, u32>,
}

impl Names<'_> {
    pub fn new(with: &Replacement) -> Names<'_> {
        Names {
            with,
            given: HashMap::new(),
            counts: BTreeMap::new(),
        }
    }

    /// Logs how much the filter hid, by kind. Never logs the content.
    pub fn report(&self) {
        if self.counts.is_empty() {
            return;
        }
        let counts = self.counts.iter();
        let counts: Vec<String> = counts
            .map(|(kind, count)| format!("{count} {kind}"))
            .collect();
        log(Level::Info, &format!("redacted: {}", counts.join(", ")));
    }

    /// The replacement of content of a kind.
    pub fn name(&mut self, kind: &str, content: &str) -> String {
        match self.counts.get_mut(kind) {
            Some(count) => *count += 1,
            None => drop(self.counts.insert(kind.to_owned(), 1)),
        }
        match self.with.of(kind) {
            With::Mask => mask(kind),
            With::Remove => String::new(),
            With::Pseudonym => self.pseudonym(kind, content).unwrap_or_else(|| mask(kind)),
        }
    }

    /// `[redacted:email-1]`. None: the session cannot number more content.
    fn pseudonym(&mut self, kind: &str, content: &str) -> Option<String> {
        let hash = Sha256::digest(format!("{kind}\n{content}"));
        let key: String = hash.iter().take(12).map(|b| format!("{b:02x}")).collect();
        if let Some(known) = self
            .given
            .get(&key)
            .cloned()
            .or_else(|| session_value(&key))
        {
            return Some(known);
        }
        let count = |name: &str| {
            session_value(name)
                .and_then(|it| it.parse::<u32>().ok())
                .unwrap_or(0)
        };
        let (known, of_kind) = (count(KNOWN), count(kind));
        if known >= MOST_KNOWN {
            return None;
        }
        let name = format!("{MASK}{kind}-{}]", of_kind + 1);
        set_session_value(kind, &(of_kind + 1).to_string()).ok()?;
        set_session_value(KNOWN, &(known + 1).to_string()).ok()?;
        set_session_value(&key, &name).ok()?;
        self.given.insert(key, name.clone());
        Some(name)
    }
}

fn mask(kind: &str) -> String {
    format!("{MASK}{kind}]")
}
