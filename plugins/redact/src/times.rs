//! The time of the filter on 64 KB of several kinds of text.

use super::*;
use crate::tests::{ALL, bench};

/// Texts of 64 KB, with their names.
fn texts_of_64_kb() -> [(&'static str, String); 6] {
    let log = "2026-03-01T10:59:59.123Z INFO worker-3 [pid 4711] 10.0.0.7 handled request 93127 in 12 ms for /api/items?page=7\n";
    let prose = "The key of the store is a token of the session, and the author of the page keeps it at the office.\n";
    let json = r#"{"id":93127,"name":"item-42","price":12.5,"tags":["red","new"],"at":"2026-03-01T10:59:59Z","hash":"9fceb02d0ae598e95dc970b74767f19372d61af8"},"#;
    let script = "function(e,t,n){var r=n(17),o=r.keys||{};e.exports=function(e){return o[e]?o[e](t):r.token+=e}},";
    let repeat = |piece: &str| piece.repeat(65_536 / piece.len());
    let lines = |line: &dyn Fn(usize) -> String| -> String {
        let mut text = String::new();
        for number in 0.. {
            if text.len() >= 65_536 {
                break;
            }
            text.push_str(&line(number));
        }
        text
    };
    [
        ("log, an address a line", repeat(log)),
        ("prose", repeat(prose)),
        ("JSON", format!("[{}1]", repeat(json))),
        ("minified script", repeat(script)),
        (
            "log without an address",
            lines(&|n| {
                let (minute, second, worker, took) = (n / 60 % 60, n % 60, n % 8, n * 31 % 977);
                format!(
                    "2026-03-01T10:{minute:02}:{second:02}Z INFO worker-{worker} job {n} took {took} ms\n"
                )
            }),
        ),
        (
            "CSV",
            lines(&|n| format!("{n},name {n},open,{},{}.{:02}\n", n * 3, n % 100, n % 100)),
        ),
    ]
}

fn least_time(mut run: impl FnMut()) -> std::time::Duration {
    let times = (0..200).map(|_| {
        let begun = std::time::Instant::now();
        run();
        begun.elapsed()
    });
    times.min().expect("a time")
}

/// `cargo test --release -p redact -- --ignored time --nocapture`
#[test]
#[ignore = "prints times"]
fn time_of_64_kb() {
    let bench = bench();
    for (name, text) in texts_of_64_kb() {
        let time = least_time(|| drop(bench.apply(&text)));
        println!("{name}: {time:?} for {} bytes", text.len());
    }
}

/// Times of the search alone, which treats JSON as one text.
#[test]
#[ignore = "prints times"]
fn time_of_a_search_of_64_kb() {
    let settings = serde_json::from_str(ALL).expect("settings");
    let finder = Finder::new(&settings).expect("a finder");
    for (name, text) in texts_of_64_kb() {
        let time = least_time(|| drop(std::hint::black_box(finder.find(&text))));
        println!("{name}, as one text: {time:?} for {} bytes", text.len());
    }
}
