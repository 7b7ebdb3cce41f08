//! The time to examine a text, in microseconds: `cargo bench -p tamis-formats`. With `TAMIS_DATA=FOLDER`, also the data
//! found in the recorded results of `FOLDER/**/*.json`.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Runs of each text; the fastest counts.
const RUNS: usize = 200;

const BYTES: usize = 64 << 10;

fn main() {
    for (name, line) in [
        (
            "prose",
            "It was the best of times, it was the worst of times, it was the age: of wisdom.\n",
        ),
        (
            "one line",
            "It was the best of times, it was the worst of times, it was the age of wisdom. ",
        ),
        (
            "a log",
            "2026-03-11T16:00:01.001Z  INFO   worker-1  request 7 took 12 ms: ok, thanks\n",
        ),
        (
            "Rust",
            "    let (name, length) = any_key(line)?; // keys: those, and others\n",
        ),
        ("Python", "def f(a, b):\n    return {\"a\": [a, b]}\n\n"),
        ("a list", "- one thing: first\n- another thing\n"),
        ("keys", "INFO: started\nWARN: slow\n"),
        (
            "a diff",
            "@@ -1,3 +1,4 @@\n context\n-old, line\n+new, line\n",
        ),
        ("brackets", "[INFO] {a} (b) <c> started\n"),
        ("HTML", "<div class=\"a\">text <b>bold</b></div>\n"),
    ] {
        let text = line.repeat(BYTES / line.len());
        println!("{name:<12} {:>8.1} µs", micros(&text));
    }
    let Some(data) = std::env::var_os("TAMIS_DATA") else {
        return;
    };
    let mut files = Vec::new();
    find(Path::new(&data), &mut files);
    files.sort();
    for file in files {
        let content = fs::read_to_string(&file).expect("read a result");
        let Ok(value) = serde_json::from_str::<serde_json::Value>(&content) else {
            continue;
        };
        let blocks = value["result"]["content"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        for text in blocks.iter().filter_map(|block| block["text"].as_str()) {
            let found = tamis_formats::read(text);
            let format = found
                .as_ref()
                .map_or("nothing".to_owned(), |data| data.format.to_string());
            let (before, after) = found
                .as_ref()
                .map_or((0, 0), |data| (data.before.len(), data.after.len()));
            println!(
                "{:<60} {:>8} bytes {:>8.1} µs {format} {before} {after}",
                file.strip_prefix(&data)
                    .unwrap_or(&file)
                    .display()
                    .to_string(),
                text.len(),
                micros(text),
            );
        }
    }
}

fn micros(text: &str) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..RUNS {
        let start = Instant::now();
        std::hint::black_box(tamis_formats::read(std::hint::black_box(text)));
        best = best.min(start.elapsed().as_secs_f64() * 1e6);
    }
    best
}

/// The JSON files in a folder.
fn find(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("read a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            find(&path, files);
        } else if path.extension().is_some_and(|ending| ending == "json") {
            files.push(path);
        }
    }
}
