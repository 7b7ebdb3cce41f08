//! What `summary`, `row-encoder` and `redact` cost on 64 KB of each kind of result, beside a filter that does nothing.
//!
//! `row-encoder` looks whether a text holds data: what that costs a text that holds none is the difference.

use std::hint::black_box;
use std::path::Path;

use tamis::built_in;
use tamis::document::{Document, TapeWanted};
use tamis::mcp::read_tool;
use tamis::policy::{Limits, ReadTool};
use tamis::sandbox::{Filter, Originals, Sandbox};
use tamis::store::Reference;

use super::{CALL, answer, in_turns, print_header, print_row, repository};

const BYTES: usize = 64 << 10;

/// All that `redact` can look for.
const ALL: &str = r#"{"hide":["api-keys","jwts","private-keys","connection-strings","emails","phones","cards","ibans","ips"]}"#;

pub fn measure() {
    for name in ["summary", "row-encoder"] {
        beside_nothing(name, "{}", &kinds());
    }
}

/// With all its presets.
pub fn redact() {
    let mut all = kinds();
    let mut finds = String::new();
    for number in 0.. {
        if finds.len() >= BYTES {
            break;
        }
        finds += &format!(
            "10:59:{:02} user{number}@host.example asked 10.0.{}.7 for page {number} of the long list\n",
            number % 60,
            number % 200
        );
    }
    all.push(("a log, an address and an IP a line", finds));
    beside_nothing("redact", ALL, &all);
}

fn beside_nothing(name: &str, settings: &str, kinds: &[(&str, String)]) {
    let sandbox = Sandbox::new(None).expect("a sandbox");
    let limits = Limits::default();
    let wasm = built_in::find(name).expect("a built-in filter").wasm;
    let filter = sandbox
        .load_built_in(name, wasm, &limits)
        .and_then(|plugin| plugin.configure(settings, &limits))
        .expect("the filter loads");
    let wasm = repository().join("target/guests/wasm32-unknown-unknown/release/noop.wasm");
    let wasm = std::fs::read(&wasm).expect("`make guests` builds it");
    let nothing = super::load(&sandbox, "noop", &wasm, "{}");
    print_header(&format!("{name}, 64 KB, text to text"), name, "nothing");
    for (kind, text) in kinds {
        let times = in_turns(
            200,
            || run(&filter, black_box(text)),
            || run(&nothing, black_box(text)),
        );
        print_row(kind, times);
    }
    println!();
}

fn run(filter: &Filter, text: &str) {
    let reference = Reference::of(b"bench");
    let originals = Originals::new(move |_, _| {
        let settings = ReadTool::default();
        let names = read_tool::names(&settings, &reference, Some(Path::new("")));
        Ok(Some(names))
    });
    let document = Document::detect(text);
    let applied = filter.apply(&document, &CALL, &originals, TapeWanted::No);
    drop(black_box(applied.expect("the filter works")));
}

fn kinds() -> Vec<(&'static str, String)> {
    let lines = |line: &dyn Fn(usize) -> String| {
        let mut text = String::new();
        for number in 0.. {
            if text.len() >= BYTES {
                break;
            }
            text.push_str(&line(number));
            text.push('\n');
        }
        text
    };
    let words = |number: usize| {
        let all = [
            "the", "proxy", "reads", "each", "frame", "once", "and", "writes", "it", "back",
        ];
        let pick = |place: usize| all[(number * 7 + place * place) % all.len()];
        (0..12).map(pick).collect::<Vec<_>>().join(" ")
    };
    vec![
        ("rows of JSON", answer(BYTES)),
        (
            "a log",
            lines(&|n| {
                let level = if n % 97 == 5 { "ERROR" } else { "INFO" };
                let (minute, second) = (n / 60 % 60, n % 60);
                format!(
                    "2026-03-01T10:{minute:02}:{second:02}Z {level} worker-{} job {n} took {} ms",
                    n % 8,
                    n * 31 % 977
                )
            }),
        ),
        (
            "code",
            lines(&|n| match n % 6 {
                0 => format!("pub fn step_{n}(input: &str) -> Option<usize> {{"),
                1 => format!("    let found = input.find(\"key_{n}\")?;"),
                2 => "    if found > 10 {".to_owned(),
                3 => "        return None;".to_owned(),
                4 => "    }".to_owned(),
                _ => "    Some(found)\n}\n".to_owned(),
            }),
        ),
        ("prose", lines(&|n| words(n))),
        (
            "hits of a search",
            lines(&|n| {
                format!(
                    "src/part_{}/file_{}.rs:{}:    {}",
                    n % 9,
                    n / 12,
                    n % 400 + 1,
                    words(n)
                )
            }),
        ),
        (
            "CSV",
            format!(
                "id,name,state,total\n{}",
                lines(&|n| format!(
                    "{n},name {n},{},{}.{:02}",
                    ["open", "closed"][n % 2],
                    n * 3,
                    n % 100
                ))
            ),
        ),
    ]
}
