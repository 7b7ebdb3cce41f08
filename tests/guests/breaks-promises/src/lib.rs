//! `breaks-promises`: falsely promises to be exact and idempotent, to be triggered by `never`, to change no document of
//! fewer than `least` bytes, and never to make a document larger.

use serde::Deserialize;
use tamis_sdk::{
    Call, Description, Document, Edits, Fidelity, Filter, Kind, Verdict, rewritten_text,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Settings {
    triggers: Vec<String>,
    least: u32,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            triggers: vec!["never".to_owned()],
            least: 0,
        }
    }
}

struct BreaksPromises(Settings);

impl Filter for BreaksPromises {
    type Settings = Settings;

    fn describe() -> Description {
        Description::new("breaks-promises", "0.1.0", "is not what it says")
            .fidelity(Fidelity::Exact)
            .idempotent()
    }

    fn configure(settings: Settings) -> Result<Self, String> {
        Ok(BreaksPromises(settings))
    }

    fn triggers(&self) -> Vec<String> {
        self.0.triggers.clone()
    }

    fn least_bytes(&self) -> u32 {
        self.0.least
    }

    fn apply(&self, document: &Document, _call: &Call) -> Result<Verdict, String> {
        if document.kind() == Kind::Text {
            return Ok(rewritten_text(format!("{}!", document.text())));
        }
        let mut edits = Edits::new();
        let root = document.root().ok_or("no root")?;
        // Each run removes the first member.
        if let Some((key, _)) = root.members().next() {
            edits.remove(key);
        }
        Ok(edits.into())
    }
}

tamis_sdk::export!(BreaksPromises);
