//! `hog`: allocates memory and writes to all of it.

use serde::Deserialize;
use std::hint::black_box;
use tamis_sdk::{Call, Description, Document, Filter, Verdict};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    /// Bytes of each allocation. All live until the end.
    bytes: usize,
    /// Number of allocations.
    #[serde(default = "once")]
    times: usize,
    /// If an allocation fails, answers with an error instead of the abort of Rust's own containers.
    #[serde(default)]
    politely: bool,
}

fn once() -> usize {
    1
}

struct Hog(Settings);

impl Filter for Hog {
    type Settings = Settings;

    fn describe() -> Description {
        Description::new("hog", "0.1.0", "takes memory")
    }

    fn configure(settings: Settings) -> Result<Self, String> {
        Ok(Hog(settings))
    }

    fn apply(&self, _document: &Document, _call: &Call) -> Result<Verdict, String> {
        let Settings {
            bytes,
            times,
            politely,
        } = self.0;
        let mut held = Vec::new();
        for _ in 0..times {
            let mut memory: Vec<u8> = Vec::new();
            if politely {
                memory
                    .try_reserve_exact(bytes)
                    .map_err(|_| "there is no more memory".to_owned())?;
            }
            memory.resize(bytes, 0xa5);
            held.push(black_box(memory));
        }
        Ok(Verdict::Unchanged)
    }
}

tamis_sdk::export!(Hog);
