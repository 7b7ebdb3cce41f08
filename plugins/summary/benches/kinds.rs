//! Times of the filter for 64 KB of each kind of text and JSON: the median of 50 runs, native.
//!
//! `cargo bench -p summary --bench kinds`. A word after `--` selects the kinds with that word in their names.
//! `TAMIS_WRITE=folder` writes each document there, as the result that `tamis apply` takes.

#[path = "kinds/documents.rs"]
mod documents;

use std::cell::Cell;
use std::time::{Duration, Instant};
use summary::Summary;
use tamis_sdk::testing::Bench;
use tamis_sdk::{Call, Description, Document, Filter, Verdict};

const RUNS: usize = 50;

thread_local! {
    static TIME: Cell<Duration> = const { Cell::new(Duration::ZERO) };
}

/// The filter, timed without the bench's own work.
struct Timed(Summary);

impl Filter for Timed {
    type Settings = <Summary as Filter>::Settings;

    const SETTINGS_SCHEMA: &'static str = Summary::SETTINGS_SCHEMA;

    fn describe() -> Description {
        Summary::describe()
    }

    fn configure(settings: Self::Settings) -> Result<Self, String> {
        Summary::configure(settings).map(Timed)
    }

    fn apply(&self, document: &Document, call: &Call) -> Result<Verdict, String> {
        let start = Instant::now();
        let verdict = self.0.apply(document, call);
        TIME.set(start.elapsed());
        verdict
    }
}

fn main() {
    let wanted: Option<String> = std::env::args().skip(1).find(|it| !it.starts_with('-'));
    let folder = std::env::var_os("TAMIS_WRITE").map(std::path::PathBuf::from);
    let bench = Bench::<Timed>::new("{}");
    for (kind, text) in documents::kinds() {
        if wanted.as_ref().is_some_and(|wanted| !kind.contains(wanted)) {
            continue;
        }
        let mut times = Vec::with_capacity(RUNS);
        let mut told = 0;
        for _ in 0..RUNS {
            told = bench.apply(&text).text().len();
            times.push(TIME.get());
        }
        times.sort_unstable();
        let (bytes, median) = (text.len(), times[RUNS / 2].as_micros());
        println!("{median:>6} µs  {kind:<16} {bytes} bytes, {told} told");
        if let Some(folder) = &folder {
            let result = serde_json::json!({ "content": [{ "type": "text", "text": text }] });
            let file = folder.join(format!("{kind}.json"));
            std::fs::write(file, result.to_string()).expect("the folder can be written to");
        }
    }
}
