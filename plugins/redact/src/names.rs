//! What takes the place of hidden content.
//!
//! A pseudonym has the number under which the session knows the content. The session holds a hash of the content, never
//! the content.

use crate::finder::MASK;
use crate::settings::With;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use tamis_sdk::{session_value, set_session_value};

/// Content that a session tells apart: with the counts of kinds, within the 64 values that a plugin may set.
const MOST_KNOWN: u32 = 48;
const KNOWN: &str = "n";

/// The names that one document gives to hidden content.
pub struct Names {
    with: With,
    /// Numbers that this document gave, by the hash of the content.
    given: HashMap<String, String>,
}

impl Names {
    pub fn new(with: With) -> Names {
        Names {
            with,
            given: HashMap::new(),
        }
    }

    /// What stands for content of a kind.
    pub fn name(&mut self, kind: &str, content: &str) -> String {
        match self.with {
            With::Mask => mask(kind),
            With::Remove => String::new(),
            With::Pseudonym => self.pseudonym(kind, content).unwrap_or_else(|| mask(kind)),
        }
    }

    /// `[redacted:email-1]`. None: the session tells no more content apart.
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
