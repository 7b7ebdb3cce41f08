//! `tally`: counts the documents of a session, and follows the command in each document's text.

use serde::Deserialize;
use tamis_sdk::{
    Call, Capability, Description, Document, Filter, Verdict, rewritten_text, session_value,
    set_session_value,
};

const COUNT: &str = "count";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {}

struct Tally;

impl Filter for Tally {
    type Settings = Settings;

    fn describe() -> Description {
        // Must have no effect: a plugin is the same in every session.
        let early = set_session_value(COUNT, "1000");
        assert!(early.is_err() && session_value(COUNT).is_none());
        Description::new("tally", "0.1.0", "counts the documents of a session")
            .wants(&[Capability::Session])
            .fidelity(tamis_sdk::Fidelity::Equivalent)
    }

    fn configure(_settings: Settings) -> Result<Self, String> {
        let early = set_session_value(COUNT, "1000");
        assert!(early.is_err() && session_value(COUNT).is_none());
        Ok(Tally)
    }

    fn apply(&self, document: &Document, _call: &Call) -> Result<Verdict, String> {
        let seen = session_value(COUNT).unwrap_or_default();
        let count = seen.len() + 1;
        set_session_value(COUNT, &"x".repeat(count))?;
        let text = document.text();
        if text.contains("fail") {
            return Err("this document says that it fails".to_owned());
        }
        if text.contains("longer") {
            return Ok(rewritten_text(text.repeat(2)));
        }
        if text.contains("too much") {
            let key = set_session_value(&"k".repeat(65), "v").unwrap_err();
            let value = set_session_value("k", &"v".repeat(1025)).unwrap_err();
            let more = (0..64).find_map(|key| set_session_value(&format!("k{key}"), "v").err());
            return Ok(rewritten_text(format!(
                "{key}; {value}; {}",
                more.unwrap_or_default()
            )));
        }
        if text.contains("clear") {
            set_session_value(COUNT, "")?;
            assert!(session_value(COUNT).is_none());
        }
        Ok(rewritten_text(format!("document {count}")))
    }
}

tamis_sdk::export!(Tally);
