//! `panic`: panics.

use serde::Deserialize;
use tamis_sdk::{Call, Description, Document, Filter, Verdict};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    /// Panics if the document contains this text; other documents stay unchanged.
    #[serde(default)]
    at: String,
    /// Panics in `configure`.
    #[serde(default)]
    at_configure: bool,
}

struct Panic(Settings);

#[inline(never)]
fn fall_over() -> ! {
    panic!("as the settings ask")
}

impl Filter for Panic {
    type Settings = Settings;

    fn describe() -> Description {
        Description::new("panic", "0.1.0", "panics")
    }

    fn configure(settings: Settings) -> Result<Self, String> {
        if settings.at_configure {
            fall_over();
        }
        Ok(Panic(settings))
    }

    fn apply(&self, document: &Document, _call: &Call) -> Result<Verdict, String> {
        if document.text().contains(&self.0.at) {
            fall_over();
        }
        Ok(Verdict::Unchanged)
    }
}

tamis_sdk::export!(Panic);
