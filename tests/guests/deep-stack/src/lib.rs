//! `deep-stack`: calls itself.

use serde::Deserialize;
use std::hint::black_box;
use tamis_sdk::{Call, Description, Document, Filter, Verdict};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    /// Depth of the recursion.
    depth: u64,
}

struct DeepStack(Settings);

/// Recurses. Every call waits for the one inside it, and then works, so that the optimiser cannot make a loop of it.
/// All values are in WebAssembly's own locals. So the host's stack runs out, not the one in linear memory.
#[inline(never)]
fn nest(depth: u64) -> u64 {
    if depth == 0 {
        return 1;
    }
    nest(depth - 1).rotate_left(5) ^ depth
}

impl Filter for DeepStack {
    type Settings = Settings;

    fn describe() -> Description {
        Description::new("deep-stack", "0.1.0", "calls itself")
    }

    fn configure(settings: Settings) -> Result<Self, String> {
        Ok(DeepStack(settings))
    }

    fn apply(&self, _document: &Document, _call: &Call) -> Result<Verdict, String> {
        black_box(nest(black_box(self.0.depth)));
        Ok(Verdict::Unchanged)
    }
}

tamis_sdk::export!(DeepStack);
