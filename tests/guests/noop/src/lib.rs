//! `noop`: does as it should. What is refused in other guests is not refused for being a guest.

use serde::Deserialize;
use tamis_sdk::{Call, Description, Document, Filter, Verdict};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {}

struct Noop;

impl Filter for Noop {
    type Settings = Settings;

    fn describe() -> Description {
        Description::new("noop", "0.1.0", "leaves every document alone")
    }

    fn configure(_settings: Settings) -> Result<Self, String> {
        Ok(Noop)
    }

    fn apply(&self, document: &Document, _call: &Call) -> Result<Verdict, String> {
        if document.text().len() as u32 == document.len_bytes() {
            return Ok(Verdict::Unchanged);
        }
        Err("the document has two lengths".to_owned())
    }
}

// As the built-in filters have it, so that `make bench` measures what they start from.
#[cfg(target_os = "unknown")]
#[global_allocator]
static ALLOCATOR: tamis_sdk::Bump = tamis_sdk::Bump::new();

tamis_sdk::export!(Noop);
