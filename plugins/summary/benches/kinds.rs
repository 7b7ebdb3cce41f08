//! Times of the filter for 64 KB of each kind of text and JSON: the median of 50 runs, native.
//!
//! `cargo bench -p summary --bench kinds`. A word after `--` selects the kinds with that word in their names.
//! `TAMIS_WRITE=folder` writes each document there, as the result that `tamis apply` takes.

use std::cell::Cell;
use std::fmt::Write as _;
use std::time::{Duration, Instant};
use summary::Summary;
use tamis_sdk::testing::Bench;
use tamis_sdk::{Call, Description, Document, Filter, Verdict};

const BYTES: usize = 64 * 1024;
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
    for (kind, text) in kinds() {
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

/// Lines up to the size, each made from its number.
fn lines(mut line: impl FnMut(usize) -> String) -> String {
    let mut text = String::new();
    for at in 0.. {
        let next = line(at);
        if text.len() + next.len() + 1 > BYTES {
            break;
        }
        text.push_str(&next);
        text.push('\n');
    }
    text
}

/// A number that looks random, and is the same in each run.
fn some(at: usize) -> usize {
    let mixed = (at as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 33) as usize
}

fn of(words: &[&'static str], at: usize) -> &'static str {
    words[some(at) % words.len()]
}

const WORDS: [&str; 24] = [
    "order", "basket", "payment", "shelf", "window", "river", "garden", "letter", "station",
    "morning", "market", "engine", "bridge", "paper", "harbour", "winter", "table", "signal",
    "village", "corner", "summer", "copper", "ladder", "meadow",
];

fn sentence(at: usize, count: usize) -> String {
    let between = ["the", "of", "and", "with", "under", "behind", "a", "near"];
    let words: Vec<&str> = (0..count)
        .map(|word| match word % 2 {
            0 => of(&between, at * 97 + word),
            _ => of(&WORDS, at * 89 + word),
        })
        .collect();
    words.join(" ")
}

fn kinds() -> Vec<(&'static str, String)> {
    let time = |at: usize| {
        let second = at / 3;
        format!(
            "2026-03-11T{:02}:{:02}:{:02}.{:03}Z",
            second / 3600,
            second / 60 % 60,
            second % 60,
            some(at) % 1000
        )
    };
    let level = |at: usize| match some(at) % 40 {
        0 => "ERROR",
        1..=3 => "WARN",
        _ => "INFO",
    };
    let log = lines(|at| {
        let (time, level) = (time(at), level(at));
        let said = match some(at) % 6 {
            0 if level == "ERROR" => format!("cannot reach 10.0.0.{}: connection refused", at % 9),
            0 | 1 => format!("request {at} took {} ms", some(at) % 400),
            2 => format!("cache miss for key {}:{}", of(&WORDS, at), some(at) % 1000),
            3 => format!("worker-{} picked job {:08x}", at % 8, some(at)),
            4 => format!("{} stored", sentence(at, 6)),
            _ => format!("session {:x} of user {} refreshed", some(at), at % 50),
        };
        format!(
            "{time}  {level:<5}  {}  {said}",
            of(&["api", "worker", "db", "http"], at)
        )
    });
    let json_log = lines(|at| {
        format!(
            r#"{{"ts":"{}","level":"{}","service":"{}","message":"request {at} took {} ms","status":{}}}"#,
            time(at),
            level(at).to_lowercase(),
            of(&["api", "worker", "db"], at),
            some(at) % 400,
            [200, 200, 201, 404, 500][some(at) % 5]
        )
    });
    let code = lines(|at| match at % 12 {
        0 => format!("/// {} of the {}.", sentence(at, 5), of(&WORDS, at)),
        1 => format!(
            "pub fn {}_{}(&mut self, count: usize) -> Option<usize> {{",
            of(&WORDS, at),
            at / 12
        ),
        2 => format!(
            "    let mut {} = Vec::with_capacity(count * {});",
            of(&WORDS, at),
            some(at) % 90
        ),
        3 => "    for item in self.items.iter().filter(|item| item.is_open()) {".to_owned(),
        4 => format!("        if item.{} > count {{", of(&WORDS, at)),
        5 => "            return None;".to_owned(),
        6 | 9 => "        }".to_owned(),
        7 => format!(
            "        self.{}.push(item.{}());",
            of(&WORDS, at),
            of(&WORDS, at + 7)
        ),
        8 => format!("        // {}.", sentence(at, 9)),
        10 => "    Some(count)".to_owned(),
        _ => "}\n".to_owned(),
    });
    let prose = lines(|at| match at % 5 {
        4 => String::new(),
        _ => format!(
            "It was {}, and then {}.",
            sentence(at, 7),
            sentence(at + 5000, 8)
        ),
    });
    let diff = lines(|at| match at % 60 {
        0 => {
            let name = format!(
                "src/{}/{}_{}.rs",
                of(&WORDS, at),
                of(&WORDS, at + 1),
                at / 60
            );
            format!(
                "diff --git a/{name} b/{name}\nindex {:07x}..{:07x} 100644\n--- a/{name}\n+++ b/{name}",
                some(at) % 0xfff_ffff,
                some(at + 3) % 0xfff_ffff
            )
        }
        1 | 21 | 41 => format!("@@ -{at},14 +{at},15 @@ fn {}() {{", of(&WORDS, at)),
        at @ (5 | 6 | 25 | 45) => format!(
            "-    let {} = {};",
            of(&WORDS, at),
            sentence(at, 4).replace(' ', "_")
        ),
        at @ (7 | 8 | 9 | 26 | 27 | 46 | 47) => format!(
            "+    let {} = {}?;",
            of(&WORDS, at),
            sentence(at, 4).replace(' ', "_")
        ),
        _ => format!(
            "     self.{}({});",
            of(&WORDS, at),
            sentence(at, 3).replace(' ', ", ")
        ),
    });
    let hits = lines(|at| {
        let file = at / 4;
        format!(
            "src/{}/{}_{file}.rs:{}:    let {} = {};",
            of(&WORDS, file),
            of(&WORDS, file + 9),
            at % 4 * 31 + 7,
            of(&WORDS, at),
            sentence(at, 4).replace(' ', ".")
        )
    });
    let paths = lines(|at| {
        let folder = at / 9;
        format!(
            "./src/{}/{}/{}_{at}.{}",
            of(&WORDS, folder),
            of(&WORDS, folder + 3),
            of(&WORDS, at),
            of(&["rs", "ts", "py", "md"], at)
        )
    });
    let csv = format!(
        "id,name,city,amount,state,created\n{}",
        lines(|at| {
            format!(
                "{},{} {},{},{}.{:02},{},2026-0{}-1{}",
                at + 1000,
                of(&WORDS, at),
                of(&WORDS, at + 2),
                of(&WORDS, at + 4),
                some(at) % 9000,
                at % 100,
                of(&["open", "paid", "late"], at),
                at % 9 + 1,
                at % 9
            )
        })
    );
    let tests = format!(
        "============================= test session starts ==============================\nplatform linux -- Python 3.12.3, pytest-8.2.0\ncollected 900 items\n\n{}=========================== short test summary info ============================\nFAILED tests/test_order.py::test_total_7 - assert 3 == 4\n================== 2 failed, 898 passed in 12.31s ==================\n",
        lines(|at| {
            let file = at / 30;
            let how = if at % 450 == 77 { "FAILED" } else { "PASSED" };
            format!(
                "tests/{}/test_{}.py::test_{}_{} {how} [{:>3}%]",
                of(&WORDS, file),
                of(&WORDS, file + 5),
                of(&WORDS, at),
                at % 30,
                at / 9
            )
        })
    );
    let snapshot = format!(
        "- Page URL: http://127.0.0.1:8000/\n- Page Title: Shop\n- Page Snapshot\n{}",
        lines(|at| match at % 6 {
            0 => format!("- listitem [ref=e{at}]:"),
            1 => format!("  - link \"{}\" [ref=e{at}]:", sentence(at, 3)),
            2 => format!("    - /url: /{}/{at}", of(&WORDS, at)),
            3 => format!("  - heading \"{}\" [level=3] [ref=e{at}]", sentence(at, 4)),
            4 => format!("  - generic [ref=e{at}]: {}", sentence(at, 9)),
            _ => format!("  - button \"Add to basket\" [ref=e{at}] [cursor=pointer]"),
        })
    );
    let mut rows = "[".to_owned();
    for at in 0.. {
        let mut row = String::new();
        let _ = write!(
            row,
            r#"{{"id":{at},"title":"{}","state":"{}","author":{{"login":"{}","id":{}}},"comments":{},"created":"2026-0{}-11T08:00:00Z","labels":["{}"],"url":"https://example.com/{}/{at}"}}"#,
            sentence(at, 7),
            of(&["open", "closed"], at),
            of(&WORDS, at),
            some(at) % 9999,
            some(at) % 30,
            at % 9 + 1,
            of(&WORDS, at + 3),
            of(&WORDS, at)
        );
        if rows.len() + row.len() + 2 > BYTES {
            break;
        }
        if at > 0 {
            rows.push(',');
        }
        rows.push_str(&row);
    }
    rows.push(']');
    vec![
        ("log", log),
        ("json-lines", json_log),
        ("code", code),
        ("prose", prose),
        ("diff", diff),
        ("hits", hits),
        ("paths", paths),
        ("csv", csv),
        ("tests", tests),
        ("snapshot", snapshot),
        ("json-rows", rows),
    ]
}
