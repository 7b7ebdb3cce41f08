//! `noop`: behaves correctly, to prove that other guests are not refused just because they are guests.

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

// The same allocator as in the built-in filters, so that `make bench` measures their fixed cost.
#[cfg(target_os = "unknown")]
#[global_allocator]
static ALLOCATOR: tamis_sdk::Bump = tamis_sdk::Bump::new();

tamis_sdk::export!(Noop);
