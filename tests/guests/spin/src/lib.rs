//! `spin`: loops, and does nothing else.

use serde::Deserialize;
use std::hint::black_box;
use tamis_sdk::{Call, Description, Document, Filter, Verdict};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    /// Rounds of the loop, of about a nanosecond each. The largest number never ends.
    #[serde(default)]
    rounds: u64,
    /// Loops in `configure` instead of `apply`.
    #[serde(default)]
    at_configure: bool,
}

struct Spin(Settings);

#[inline(never)]
fn spin(rounds: u64) {
    for round in 0..rounds {
        black_box(round);
    }
}

impl Filter for Spin {
    type Settings = Settings;

    fn describe() -> Description {
        Description::new("spin", "0.1.0", "loops for a while")
    }

    fn configure(settings: Settings) -> Result<Self, String> {
        if settings.at_configure {
            spin(settings.rounds);
        }
        Ok(Spin(settings))
    }

    fn apply(&self, _document: &Document, _call: &Call) -> Result<Verdict, String> {
        if !self.0.at_configure {
            spin(self.0.rounds);
        }
        Ok(Verdict::Unchanged)
    }
}

tamis_sdk::export!(Spin);
