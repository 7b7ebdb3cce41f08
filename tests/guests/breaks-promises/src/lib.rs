//! `breaks-promises`: falsely promises to be exact and idempotent, to be triggered by `never`, and never to make a
//! document larger.

use serde::Deserialize;
use tamis_sdk::{
    Call, Description, Document, Edits, Fidelity, Filter, Kind, Verdict, rewritten_text,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {}

struct BreaksPromises;

impl Filter for BreaksPromises {
    type Settings = Settings;

    fn describe() -> Description {
        Description::new("breaks-promises", "0.1.0", "is not what it says")
            .fidelity(Fidelity::Exact)
            .idempotent()
    }

    fn configure(_settings: Settings) -> Result<Self, String> {
        Ok(BreaksPromises)
    }

    fn triggers(&self) -> Vec<String> {
        vec!["never".to_owned()]
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
