//! `no-op`: leaves every document unchanged. `tamis plugin bench` compares other filters with it: its cost is the fixed
//! cost of a call.

use serde::Deserialize;
use tamis_sdk::{Call, Description, Document, Filter, Verdict};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {}

struct NoOp;

impl Filter for NoOp {
    type Settings = Settings;

    fn describe() -> Description {
        Description::new(
            "no-op",
            env!("CARGO_PKG_VERSION"),
            env!("CARGO_PKG_DESCRIPTION"),
        )
        .idempotent()
    }

    fn configure(_settings: Settings) -> Result<Self, String> {
        Ok(NoOp)
    }

    fn apply(&self, _document: &Document, _call: &Call) -> Result<Verdict, String> {
        Ok(Verdict::Unchanged)
    }
}

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
#[global_allocator]
static ALLOCATOR: tamis_sdk::Bump = tamis_sdk::Bump::new();

tamis_sdk::export!(NoOp);
