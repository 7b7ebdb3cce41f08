//! `state`: counts its calls, in memory that must not outlive a call.

use serde::Deserialize;
use std::sync::atomic::{AtomicU32, Ordering};
use tamis_sdk::guest::bindings::tamis::filter::types::Rewrite;
use tamis_sdk::{Call, Description, Document, Filter, Kind, Verdict};

static CONFIGURED: AtomicU32 = AtomicU32::new(0);
static APPLIED: AtomicU32 = AtomicU32::new(0);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {}

struct State;

impl Filter for State {
    type Settings = Settings;

    fn describe() -> Description {
        Description::new("state", "0.1.0", "says how often it was called").may_grow()
    }

    fn configure(_settings: Settings) -> Result<Self, String> {
        CONFIGURED.fetch_add(1, Ordering::Relaxed);
        Ok(State)
    }

    fn apply(&self, _document: &Document, _call: &Call) -> Result<Verdict, String> {
        let applied = APPLIED.fetch_add(1, Ordering::Relaxed) + 1;
        let configured = CONFIGURED.load(Ordering::Relaxed);
        Ok(Verdict::Rewritten(Rewrite {
            kind: Kind::Text,
            text: format!("configured {configured}, applied {applied}"),
        }))
    }
}

tamis_sdk::export!(State);
