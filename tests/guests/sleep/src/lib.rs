//! `sleep`: waits, or reports facts about the world through Rust's own library.

use serde::Deserialize;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::io::Read;
use std::time::{Duration, Instant, SystemTime};
use tamis_sdk::guest::bindings::tamis::filter::types::Rewrite;
use tamis_sdk::{Call, Description, Document, Filter, Kind, Verdict};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    /// Milliseconds to sleep first.
    #[serde(default)]
    sleep_ms: u64,
}

struct Sleep(Settings);

/// One line for each fact, `name: value`.
fn report() -> String {
    let begun = Instant::now();
    let unix_time = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let random = RandomState::new().hash_one("the same text");
    let mut input = Vec::new();
    let read = std::io::stdin().read_to_end(&mut input);
    let file = std::fs::read("/etc/hostname").map(|bytes| bytes.len());
    let folder = std::fs::read_dir(".").map(|entries| entries.count());
    let written = std::fs::write("written-by-a-guest", "x");
    [
        format!("monotonic clock moved: {:?}", begun.elapsed()),
        format!(
            "seconds since 1970: {:?}",
            unix_time.map(|time| time.as_secs())
        ),
        format!("random: {random}"),
        format!("standard input: {:?}", read.map_err(|error| error.kind())),
        format!("arguments: {}", std::env::args().count()),
        format!("variables: {}", std::env::vars().count()),
        format!("a file: {:?}", file.map_err(|error| error.kind())),
        format!("a folder: {:?}", folder.map_err(|error| error.kind())),
        format!("writing: {:?}", written.map_err(|error| error.kind())),
    ]
    .join("\n")
}

impl Filter for Sleep {
    type Settings = Settings;

    fn describe() -> Description {
        Description::new("sleep", "0.1.0", "waits, and looks around").may_grow()
    }

    fn configure(settings: Settings) -> Result<Self, String> {
        Ok(Sleep(settings))
    }

    fn apply(&self, _document: &Document, _call: &Call) -> Result<Verdict, String> {
        if self.0.sleep_ms > 0 {
            std::thread::sleep(Duration::from_millis(self.0.sleep_ms));
        }
        Ok(Verdict::Rewritten(Rewrite {
            kind: Kind::Text,
            text: report(),
        }))
    }
}

tamis_sdk::export!(Sleep);
