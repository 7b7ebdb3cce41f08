//! `remembers`: asks for a snapshot after `configure`, and reports the memory that each call finds.

use serde::Deserialize;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use tamis_sdk::{Call, Description, Document, Filter, Level, Verdict, log, rewritten_text};

static CONFIGURED: AtomicU32 = AtomicU32::new(0);
static APPLIED: AtomicU32 = AtomicU32::new(0);

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
#[derive(Default)]
struct Settings {
    /// KiB that `configure` fills.
    keep_kib: usize,
    /// Whether `configure` calls the host.
    asks: bool,
    /// The error with which `configure` refuses the settings.
    refuse: Option<String>,
    /// KiB that `apply` fills.
    take_kib: usize,
    /// Whether `apply` never ends.
    spin: bool,
}

struct Remembers {
    settings: Settings,
    kept: Mutex<Vec<u8>>,
}

fn pattern(index: usize) -> u8 {
    (index % 251) as u8
}

impl Filter for Remembers {
    type Settings = Settings;

    fn describe() -> Description {
        Description::new("remembers", "0.1.0", "says what is left of earlier calls")
            .may_grow()
            .snapshot()
    }

    fn configure(settings: Settings) -> Result<Self, String> {
        CONFIGURED.fetch_add(1, Ordering::Relaxed);
        if settings.asks {
            log(Level::Info, "configured");
        }
        if let Some(refusal) = settings.refuse {
            return Err(refusal);
        }
        let kept = (0..settings.keep_kib * 1024).map(pattern).collect();
        Ok(Remembers {
            settings,
            kept: Mutex::new(kept),
        })
    }

    fn apply(&self, _document: &Document, _call: &Call) -> Result<Verdict, String> {
        let applied = APPLIED.fetch_add(1, Ordering::Relaxed) + 1;
        let configured = CONFIGURED.load(Ordering::Relaxed);
        let mut kept = self.kept.lock().map_err(|_| "poisoned")?;
        let sound = kept
            .iter()
            .enumerate()
            .all(|(index, &byte)| byte == pattern(index));
        // A later call would find this, if the instance lived on.
        kept.fill(0xff);
        while self.settings.spin {
            APPLIED.fetch_add(1, Ordering::Relaxed);
        }
        let taken: Vec<u8> = (0..self.settings.take_kib * 1024).map(pattern).collect();
        let sum: u64 = taken.iter().map(|&byte| u64::from(byte)).sum();
        let state = if sound { "sound" } else { "changed" };
        Ok(rewritten_text(format!(
            "configured {configured}, applied {applied}, {} bytes {state}, {} taken ({sum})",
            kept.len(),
            taken.len()
        )))
    }
}

tamis_sdk::export!(Remembers);
