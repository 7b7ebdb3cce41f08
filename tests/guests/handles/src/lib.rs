//! `handles`: asks the host for objects and keeps them.

use serde::Deserialize;
use tamis_sdk::{Call, Description, Document, Filter, Verdict};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    /// Number of objects.
    count: usize,
    /// Gives each back before the next.
    #[serde(default)]
    give_back: bool,
}

struct Handles(Settings);

impl Filter for Handles {
    type Settings = Settings;

    fn describe() -> Description {
        Description::new("handles", "0.1.0", "holds on to things")
    }

    fn configure(settings: Settings) -> Result<Self, String> {
        Ok(Handles(settings))
    }

    fn apply(&self, _document: &Document, _call: &Call) -> Result<Verdict, String> {
        let mut held = Vec::new();
        for _ in 0..self.0.count {
            held.push(wasip2::cli::stderr::get_stderr());
            if self.0.give_back {
                held.clear();
            }
        }
        Ok(Verdict::Unchanged)
    }
}

tamis_sdk::export!(Handles);
