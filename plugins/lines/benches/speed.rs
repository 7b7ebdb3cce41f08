//! Time for a text of 64 KB, by settings: `cargo bench -p lines`. The time includes the copy of the test bench.

use lines::Lines;
use std::fmt::Write as _;
use std::time::{Duration, Instant};
use tamis_sdk::testing::Bench;

const BYTES: usize = 64 << 10;
const RUNS: u32 = 300;

fn log() -> String {
    let mut text = String::new();
    for id in 0.. {
        let level = ["INFO", "DEBUG", "INFO", "WARN", "ERROR"][id % 5];
        let _ = writeln!(
            text,
            "2026-03-11T16:43:{:02}Z {level} worker-{} request {id} took {} ms",
            id % 60,
            id % 7,
            id * 37 % 900
        );
        if text.len() > BYTES {
            break;
        }
    }
    text
}

fn main() {
    let many: Vec<String> = (0..64)
        .map(|id| format!(r"\[module-{id}\] (started|stopped) in \d+ ms$"))
        .collect();
    let replacements: Vec<String> = many
        .iter()
        .map(|pattern| format!(r#"{{"match":{},"with":"$1"}}"#, tamis_sdk::quote(pattern)))
        .collect();
    let many: Vec<String> = many.iter().map(|it| tamis_sdk::quote(it)).collect();
    let cases = [
        ("first and last", r#"{"first":20,"last":20}"#.to_owned()),
        ("drop", r#"{"drop":["\\bDEBUG\\b","^\\s*at "]}"#.to_owned()),
        ("keep with context", r#"{"keep":["ERROR"],"context":1}"#.to_owned()),
        ("repeats", r#"{"repeats":"count","ignore-numbers":true}"#.to_owned()),
        ("replace", r#"{"replace":[{"match":"^\\S+Z ","with":""}]}"#.to_owned()),
        ("drop, 64 patterns", format!(r#"{{"drop":[{}],"first":20}}"#, many.join(","))),
        ("replace, 64 patterns", format!(r#"{{"replace":[{}],"first":20}}"#, replacements.join(","))),
        (
            "all",
            r#"{"drop":["DEBUG"],"keep":["ERROR","WARN"],"context":2,"replace":[{"match":"^(\\S+)Z ","with":"$1 "}],"repeats":"count","ignore-numbers":true,"first":100,"last":100}"#.to_owned(),
        ),
    ];
    let text = log();
    let hostile = "\n".repeat(BYTES);
    println!("{:24} {:>10} {:>14}", "settings", "a log", "empty lines");
    for (name, settings) in cases {
        let bench = Bench::<Lines>::new(&settings);
        let [log, hostile] = [&text, &hostile].map(|text| {
            let mut best = Duration::MAX;
            for _ in 0..RUNS {
                let begun = Instant::now();
                std::hint::black_box(bench.apply(text).text());
                best = best.min(begun.elapsed());
            }
            best.as_secs_f64() * 1e3
        });
        println!("{name:24} {log:>7.3} ms {hostile:>11.3} ms");
    }
}
