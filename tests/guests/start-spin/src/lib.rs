//! `start-spin`: loops during instantiation, before any call.
//!
//! On `wasm32-wasip1` a library is a reactor: its `_initialize` runs the constructors, and the component calls it from
//! a start function.

use serde::Deserialize;
use std::hint::black_box;
use tamis_sdk::{Call, Description, Document, Filter, Verdict};

/// Tens of milliseconds: far longer than the shortest time limit, far shorter than the longest.
const ROUNDS: u64 = 50_000_000;

extern "C" fn construct() {
    for round in 0..ROUNDS {
        black_box(round);
    }
}

#[used]
#[unsafe(link_section = ".init_array")]
static CONSTRUCTOR: extern "C" fn() = construct;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {}

struct StartSpin;

impl Filter for StartSpin {
    type Settings = Settings;

    fn describe() -> Description {
        Description::new("start-spin", "0.1.0", "loops while it starts")
    }

    fn configure(_settings: Settings) -> Result<Self, String> {
        Ok(StartSpin)
    }

    fn apply(&self, _document: &Document, _call: &Call) -> Result<Verdict, String> {
        Ok(Verdict::Unchanged)
    }
}

tamis_sdk::export!(StartSpin);
