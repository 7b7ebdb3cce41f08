//! `make bench`: what Tamis costs, as ratios measured in one run.
//!
//! Absolute times differ by machine and by the minute, so everything is measured in turns with
//! what it is compared to (A B A B …), and the median of each is printed with their ratio.

mod four_filters;
mod kinds;
mod start_parts;
mod tokens;

use std::hint::black_box;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tamis::built_in;
use tamis::document::{Document, TapeWanted};
use tamis::policy::{Grants, Limits};
use tamis::sandbox::{CallInfo, Filter, Originals, Sandbox, Verdict};

/// What can be measured, by the names that `cargo bench -p tamis --bench ratios -- NAME` takes.
const SECTIONS: [(&str, fn()); 10] = [
    ("null-stripping", null_stripping),
    ("four-filters", four_filters::measure),
    ("kinds", kinds::measure),
    ("redact", kinds::redact),
    ("tokens", tokens::measure),
    ("no-op", no_op),
    ("snapshot", snapshot),
    ("relay", relay),
    ("start", start),
    ("start-parts", start_parts::measure),
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let wanted = arguments.iter().find(|argument| !argument.starts_with('-'));
    println!("medians, measured in turns; ratio = first / second\n");
    for (name, measure) in SECTIONS {
        if wanted.is_none_or(|wanted| wanted == name) {
            measure();
        }
    }
}

/// How often something is measured: so often by `cargo bench`, once by `cargo test`, to see that it can be.
fn rounds(of_bench: usize) -> usize {
    match std::env::args().any(|argument| argument == "--bench") {
        true => of_bench,
        false => 1,
    }
}

/// Runs both in turns and gives the median time of each.
fn in_turns(
    rounds: usize,
    mut first: impl FnMut(),
    mut second: impl FnMut(),
) -> (Duration, Duration) {
    let time = |work: &mut dyn FnMut()| {
        let begun = Instant::now();
        work();
        begun.elapsed()
    };
    let rounds = self::rounds(rounds);
    let warm_up = rounds / 10;
    let mut times: [Vec<Duration>; 2] = Default::default();
    for round in 0..warm_up + rounds {
        let pair = [time(&mut first), time(&mut second)];
        if round >= warm_up {
            for (times, time) in times.iter_mut().zip(pair) {
                times.push(time);
            }
        }
    }
    let [first, second] = times.map(median);
    (first, second)
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn print_row(what: &str, (first, second): (Duration, Duration)) {
    let us = |time: Duration| time.as_secs_f64() * 1e6;
    let ratio = first.as_secs_f64() / second.as_secs_f64();
    println!(
        "{what:<44} {:>11.1} µs {:>11.1} µs {ratio:>8.2}",
        us(first),
        us(second)
    );
}

fn print_header(title: &str, first: &str, second: &str) {
    println!("{title:<44} {first:>14} {second:>14} {:>8}", "ratio");
}

/// An answer as code-intelligence servers give it, at least `bytes` long.
fn answer(bytes: usize) -> String {
    let mut rows = Vec::new();
    let mut len = 0;
    let mut id = 0;
    while len < bytes.saturating_sub(90) {
        id += 1;
        let row = json!({
            "id": id, "name": format!("calculate_total_{id}"), "docstring": null, "callers": [],
            "file": "src/billing/totals.py", "line": id * 7, "signature": "def calculate_total(items, rate=None)",
            "metrics": {"loc": id % 90, "complexity": null}, "tags": ["billing", "core"], "deprecated": false,
        });
        len += row.to_string().len() + 1;
        rows.push(row);
    }
    json!({
        "success": true, "data": rows, "error": null, "hint": null, "warnings": [], "affected_nodes": [],
    })
    .to_string()
}

fn load(sandbox: &Sandbox, name: &str, wasm: &[u8], settings: &str) -> Filter {
    let limits = Limits::default();
    let plugin = sandbox
        .load(name, wasm, Grants::default(), &limits)
        .expect("the plugin loads");
    plugin
        .configure(settings, &limits)
        .expect("the plugin takes its settings")
}

const CALL: CallInfo<'_> = CallInfo::of_result("bench", "bench");

/// From text to text: index, a fresh instance, the call, the edits.
fn filtered(filter: &Filter, text: &str) -> Option<Document> {
    let document = Document::detect(text);
    match filter
        .apply(&document, &CALL, &Originals::none(), TapeWanted::No)
        .expect("the filter works")
        .verdict
    {
        Verdict::Unchanged => None,
        Verdict::Changed { document, .. } => Some(document),
    }
}

/// The same filter over serde_json's tree.
fn strip(value: &mut Value) {
    match value {
        Value::Array(elements) => elements.iter_mut().for_each(strip),
        Value::Object(members) => {
            members.values_mut().for_each(strip);
            members.retain(|key, value| {
                let is_empty = match value {
                    Value::Null => true,
                    Value::Array(elements) => elements.is_empty(),
                    Value::Object(members) => members.is_empty(),
                    Value::String(text) => text.is_empty(),
                    _ => false,
                };
                !is_empty || key == "success" || (key == "data" && !value.is_null())
            });
        }
        _ => {}
    }
}

fn null_stripping() {
    let sandbox = Sandbox::new(None).expect("a sandbox");
    let wasm = built_in::find("null-stripper")
        .expect("a built-in filter")
        .wasm
        .unpack();
    let filter = load(&sandbox, "null-stripper", &wasm, "{}");
    print_header("null-stripping, text to text", "sandbox", "serde_json");
    for (name, bytes, rounds) in [
        ("1 KB", 1 << 10, 4000),
        ("16 KB", 16 << 10, 2000),
        ("64 KB", 64 << 10, 1000),
        ("1 MB", 1 << 20, 100),
    ] {
        let text = answer(bytes);
        let native = || {
            let mut value: Value = serde_json::from_str(&text).expect("JSON");
            strip(&mut value);
            value.to_string()
        };
        let ours = filtered(&filter, &text).expect("there is something to strip");
        let same: Value = serde_json::from_str(ours.text()).expect("JSON");
        assert_eq!(same.to_string(), native(), "both ways strip the same");
        let times = in_turns(
            rounds,
            || drop(black_box(filtered(&filter, black_box(&text)))),
            || drop(black_box(native())),
        );
        print_row(name, times);
    }
    println!();
}

fn no_op() {
    let path = repository().join("target/guests/wasm32-unknown-unknown/release/noop.wasm");
    let wasm = std::fs::read(&path)
        .unwrap_or_else(|error| panic!("{}: {error}; `make guests` builds it", path.display()));
    let sandbox = Sandbox::new(None).expect("a sandbox");
    let filter = load(&sandbox, "noop", &wasm, "{}");
    let text = answer(1 << 10);
    let document = Document::detect(text.as_str());
    print_header(
        "a filter that does nothing, 1 KB",
        "sandbox",
        "1 KB indexed",
    );
    let times = in_turns(
        5000,
        || {
            drop(black_box(filter.apply(
                &document,
                &CALL,
                &Originals::none(),
                TapeWanted::No,
            )))
        },
        || {
            black_box(Document::detect(black_box(text.as_str())).tape().is_some());
        },
    );
    print_row("fresh instance, configure, apply", times);
    println!();
}

/// What a program costs that is compiled at load, and one that each call compiles.
fn snapshot() {
    let sandbox = Sandbox::new(None).expect("a sandbox");
    let wasm = built_in::find("jq").expect("a built-in filter").wasm;
    let settings = json!({"program": "{success, data: (.data | map({name, line}))}"}).to_string();
    let load = || {
        let limits = Limits::default();
        sandbox
            .load_built_in("jq", wasm, &limits)
            .and_then(|plugin| plugin.configure(&settings, &limits))
            .expect("the filter loads")
    };
    let (kept, anew) = (load(), load().without_snapshot());
    print_header("jq, text to text", "snapshot", "configured");
    for (name, bytes, rounds) in [("1 KB", 1 << 10, 3000), ("64 KB", 64 << 10, 100)] {
        let text = answer(bytes);
        let ours = filtered(&kept, &text).expect("the program changes it");
        let same = filtered(&anew, &text).expect("the program changes it");
        assert_eq!(ours.text(), same.text(), "both ways give the same");
        let times = in_turns(
            rounds,
            || drop(black_box(filtered(&kept, black_box(&text)))),
            || drop(black_box(filtered(&anew, black_box(&text)))),
        );
        print_row(name, times);
    }
    println!();
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// An MCP server as a child process, spoken to line by line.
struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    line: String,
}

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}"#;

impl Server {
    /// Starts a server and waits for its first answer.
    fn start(command: &[&str], cache: &Path) -> Server {
        let mut child = Command::new(command[0])
            .args(&command[1..])
            .env("TAMIS_CACHE_DIR", cache)
            .env("TAMIS_STATE_DIR", cache.join("state"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let input = child.stdin.take().expect("a pipe");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut server = Server {
            child,
            input,
            output,
            line: String::new(),
        };
        server.ask(INITIALIZE);
        server
    }

    fn ready(mut self) -> Server {
        self.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        self
    }

    fn send(&mut self, message: &str) {
        self.input
            .write_all(format!("{message}\n").as_bytes())
            .expect("the server reads");
    }

    fn ask(&mut self, message: &str) {
        self.send(message);
        self.line.clear();
        let read = self
            .output
            .read_line(&mut self.line)
            .expect("the server answers");
        assert!(
            read > 0 && self.line.contains("\"result\""),
            "an answer, not {:?}",
            self.line
        );
    }

    fn call(&mut self, tool: &str) {
        self.ask(&format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{tool}","arguments":{{}}}}}}"#));
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Paths of the programs that this benchmark was built beside.
fn programs() -> (String, String) {
    let tamis = PathBuf::from(env!("CARGO_BIN_EXE_tamis"));
    let stand_in = tamis.with_file_name("stand-in");
    assert!(
        stand_in.exists(),
        "{} is missing: `make build` builds it",
        stand_in.display()
    );
    let text = |path: PathBuf| path.to_str().expect("a path in Unicode").to_owned();
    (text(tamis), text(stand_in))
}

fn write_policy(dir: &Path, name: &str, policy: &str) -> String {
    let path = dir.join(name);
    std::fs::write(&path, policy).expect("write a policy");
    path.to_str().expect("a path in Unicode").to_owned()
}

const CHAIN: &str =
    "[[chain]]\ntools = [\"*\"]\nsteps = [\"pending-to-meta\", \"null-stripper\"]\n";

fn relay() {
    let (tamis, stand_in) = programs();
    let dir = tempfile::tempdir().expect("a temporary directory");
    let empty = write_policy(dir.path(), "empty.toml", "");
    let chain = write_policy(dir.path(), "chain.toml", CHAIN);
    print_header(
        "one call of a small tool, over stdio",
        "through Tamis",
        "bare server",
    );
    for (name, policy) in [
        ("no chain bound", &empty),
        ("a chain of two filters", &chain),
    ] {
        let mut bare = Server::start(&[&stand_in, "lenspr"], dir.path()).ready();
        let command = [&tamis, "run", "--config", policy, "--", &stand_in, "lenspr"];
        let mut through = Server::start(&command, dir.path()).ready();
        let times = in_turns(
            3000,
            || through.call("lens_health"),
            || bare.call("lens_health"),
        );
        print_row(name, times);
        println!(
            "{:<44} {:>+11.1} µs",
            "  added to a call",
            (times.0.as_secs_f64() - times.1.as_secs_f64()) * 1e6
        );
    }
    println!();
}

/// From start to an answer, alone and as clients do it: all servers at once.
fn start() {
    let (tamis, stand_in) = programs();
    let dir = tempfile::tempdir().expect("a temporary directory");
    let chain = write_policy(dir.path(), "chain.toml", CHAIN);
    let default = write_policy(dir.path(), "default.toml", start_parts::DEFAULT);
    let cache = dir.path().join("cache");
    let server = [stand_in.as_str(), "lenspr"];
    for (answer, call) in [("first answer", false), ("first result", true)] {
        let title = format!("start to {answer}");
        print_header(&title, "through Tamis", "bare server");
        let one = |command: &[&str]| {
            let server = Server::start(command, &cache);
            if call {
                server.ready().call("lens_health");
            }
        };
        let at_once = |command: &[&str], servers: usize| {
            std::thread::scope(|scope| {
                for _ in 1..servers {
                    scope.spawn(|| one(command));
                }
                one(command);
            });
        };
        for (name, policy) in [("two filters", &chain), ("the default policy", &default)] {
            let command = [&[&tamis, "run", "--config", policy, "--"], &server[..]].concat();
            for servers in [1, 4] {
                let bare = || at_once(&server, servers);
                let warm = || at_once(&command, servers);
                let cold = || {
                    // The ledger and the store stay: they are no cache.
                    for kept in ["code", "snapshots", "turns"] {
                        let _ = std::fs::remove_dir_all(cache.join(kept));
                    }
                    at_once(&command, servers);
                };
                let at_once = if servers == 1 { "" } else { ", four at once" };
                let name = format!("{name}{at_once}");
                print_row(&format!("{name}: empty cache"), in_turns(20, cold, bare));
                print_row(&format!("{name}: warm cache"), in_turns(20, warm, bare));
            }
        }
    }
}
