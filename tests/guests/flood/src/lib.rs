//! `flood`: writes many messages to the operator's log.

use serde::Deserialize;
use tamis_sdk::{Call, Capability, Description, Document, Filter, Level, Verdict, log};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    /// Number of messages.
    lines: u32,
    /// Bytes of each message.
    bytes: usize,
}

struct Flood(Settings);

impl Filter for Flood {
    type Settings = Settings;

    fn describe() -> Description {
        Description::new("flood", "0.1.0", "writes to the log").wants(&[Capability::Log])
    }

    fn configure(settings: Settings) -> Result<Self, String> {
        Ok(Flood(settings))
    }

    fn apply(&self, _document: &Document, _call: &Call) -> Result<Verdict, String> {
        let message = "~".repeat(self.0.bytes);
        for _ in 0..self.0.lines {
            log(Level::Warn, &message);
        }
        Ok(Verdict::Unchanged)
    }
}

tamis_sdk::export!(Flood);
