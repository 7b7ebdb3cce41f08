//! Savings of the filter on recorded results: `$TAMIS_DATA/corpus/**/*.json`, each a `CallToolResult`, alone or as the
//! `result` of a call with its `tool` and `arguments`. Plain documents are in `$TAMIS_DATA/fixtures/*.json`. Only
//! documents over `$TAMIS_LEAST` tokens (2,000) count.
//!
//! `TAMIS_DATA=… cargo bench -p summary`. `TAMIS_SHOW=name` also prints the summaries of results whose path contains
//! that name.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;
use summary::Summary;
use tamis_sdk::testing::Bench;

const LEAST_TOKENS: usize = 2_000;

/// The texts of a result, and the arguments of the call that it answers.
struct Recorded {
    texts: Vec<String>,
    arguments: String,
    is_error: bool,
}

fn main() {
    let Some(data) = std::env::var_os("TAMIS_DATA").map(PathBuf::from) else {
        println!("TAMIS_DATA is not set: it names the folder that holds corpus/ and fixtures/");
        return;
    };
    let show = std::env::var("TAMIS_SHOW").ok();
    let least = std::env::var("TAMIS_LEAST")
        .ok()
        .and_then(|least| least.parse().ok())
        .unwrap_or(LEAST_TOKENS);
    for folder in ["corpus", "fixtures"] {
        let mut files = Vec::new();
        collect(&data.join(folder), &mut files);
        files.sort();
        println!("{folder}: tokens before, after, saved, time (native, with the bench's own work)");
        let mut saved = Vec::new();
        let (mut all_before, mut all_after) = (0, 0);
        for file in files {
            let name = file
                .strip_prefix(&data)
                .unwrap_or(&file)
                .display()
                .to_string();
            if name.contains("_tools_list") {
                continue;
            }
            let Some(recorded) = recorded(&file) else {
                continue;
            };
            let documents = recorded.texts;
            let before: usize = documents.iter().map(|text| tokens(text)).sum();
            if before < least {
                continue;
            }
            let bench = Bench::<Summary>::new("{}")
                .arguments(&recorded.arguments)
                .is_error(recorded.is_error);
            let start = Instant::now();
            let applied: Vec<_> = documents.iter().map(|text| bench.apply(text)).collect();
            let time = start.elapsed();
            let after: usize = applied.iter().map(|applied| tokens(applied.text())).sum();
            let share = 100.0 * (1.0 - after as f64 / before as f64);
            println!(
                "{before:>8} {after:>6} {share:>6.1} % {:>7} µs  {name}",
                time.as_micros()
            );
            if show.as_ref().is_some_and(|part| name.contains(part)) {
                applied
                    .iter()
                    .for_each(|applied| println!("{}\n", applied.text()));
            }
            saved.push(share);
            all_before += before;
            all_after += after;
        }
        saved.sort_by(f64::total_cmp);
        let total = 100.0 * (1.0 - all_after as f64 / all_before.max(1) as f64);
        let median = saved.get(saved.len() / 2).copied().unwrap_or(0.0);
        println!(
            "{} results, median {median:.1} % saved, total {total:.1} %\n",
            saved.len()
        );
    }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            collect(&path, files);
        } else if path
            .extension()
            .is_some_and(|extension| extension == "json")
        {
            files.push(path);
        }
    }
}

/// The text blocks and the `structuredContent` of a result; other JSON whole.
fn recorded(file: &Path) -> Option<Recorded> {
    let text = fs::read_to_string(file).ok()?;
    let json: serde_json::Value = serde_json::from_str(&text).ok()?;
    let result = json.get("result").unwrap_or(&json);
    let Some(content) = result.get("content").and_then(|content| content.as_array()) else {
        return Some(Recorded {
            texts: vec![text],
            arguments: "{}".to_owned(),
            is_error: false,
        });
    };
    let texts = content
        .iter()
        .filter_map(|block| block.get("text")?.as_str());
    let arguments = json.get("arguments").filter(|it| it.is_object());
    Some(Recorded {
        texts: texts
            .map(str::to_owned)
            .chain(result.get("structuredContent").map(ToString::to_string))
            .collect(),
        arguments: arguments.map_or("{}".to_owned(), ToString::to_string),
        is_error: result
            .get("isError")
            .is_some_and(|is_error| is_error == true),
    })
}

fn tokens(text: &str) -> usize {
    tiktoken::get_encoding("o200k_base").map_or(0, |encoding| encoding.count(text))
}
