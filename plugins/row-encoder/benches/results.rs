//! Tokens (o200k) of recorded results without the filter and with it: `TAMIS_DATA=FOLDER cargo bench -p row-encoder`,
//! for the calls in `FOLDER/**/*.json`. `TAMIS_SHOW=PART` prints the results whose file names contain this part.

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use tamis_sdk::testing::Bench;

/// Results with fewer tokens are no burden.
const LARGE: usize = 2_000;

fn main() {
    let Some(data) = std::env::var_os("TAMIS_DATA") else {
        println!("TAMIS_DATA is not set: no recorded results");
        return;
    };
    let with = Bench::<row_encoder::RowEncoder>::new("{}");
    let without_texts = Bench::<row_encoder::RowEncoder>::new(r#"{"texts":false}"#);
    let shown = std::env::var("TAMIS_SHOW").ok();
    let mut files = Vec::new();
    find(Path::new(&data), &mut files);
    files.sort();
    let mut savings = [Vec::new(), Vec::new()];
    for file in files {
        let name = file
            .strip_prefix(&data)
            .unwrap_or(&file)
            .display()
            .to_string();
        let content = fs::read_to_string(&file).expect("read a result");
        let Some(text) = serde_json::from_str(&content)
            .ok()
            .and_then(|call| document(&call))
        else {
            continue;
        };
        let before = tokens(&text);
        if before == 0 {
            continue;
        }
        let applied = [&without_texts, &with].map(|bench| bench.apply(&text).text().to_owned());
        let saving = applied
            .each_ref()
            .map(|text| 1.0 - tokens(text) as f64 / before as f64);
        if saving[0] != saving[1] || saving[1] < 0.0 || before > LARGE {
            println!(
                "{name:<50} {before:>7} {:>6.1} % {:>6.1} %",
                saving[0] * 100.0,
                saving[1] * 100.0
            );
        }
        if before > LARGE {
            for (all, one) in savings.iter_mut().zip(saving) {
                all.push(one);
            }
        }
        if shown.as_ref().is_some_and(|part| name.contains(part)) {
            println!("{}", applied[1]);
        }
    }
    for (name, mut all) in ["without texts", "with texts"].into_iter().zip(savings) {
        all.sort_by(f64::total_cmp);
        let mean = all.iter().sum::<f64>() / all.len().max(1) as f64;
        let median = all.get(all.len() / 2).copied().unwrap_or_default();
        println!(
            "{name}: {} results over {LARGE} tokens, median {:.1} %, mean {:.1} %",
            all.len(),
            median * 100.0,
            mean * 100.0
        );
    }
}

/// The texts of a recorded result, as the chain of the default policy gets them: blocks of JSON as one list.
fn document(call: &Value) -> Option<String> {
    let result = call.get("result").unwrap_or(call);
    let blocks = result["content"].as_array()?;
    let texts: Vec<&str> = blocks
        .iter()
        .filter_map(|block| block["text"].as_str())
        .collect();
    let is_json =
        |text: &&str| text.starts_with(['{', '[']) && serde_json::from_str::<Value>(text).is_ok();
    Some(match &texts[..] {
        [text] => (*text).to_owned(),
        texts if texts.iter().all(is_json) => format!("[{}]", texts.join(",")),
        texts => texts.join("\n"),
    })
}

fn tokens(text: &str) -> usize {
    tiktoken::get_encoding("o200k_base")
        .expect("the vocabulary is built in")
        .count(text)
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
