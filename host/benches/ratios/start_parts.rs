//! Where the time of a start goes, with compiled code in the cache.

use super::{CHAIN, median, write_policy};
use serde_json::json;
use std::hint::black_box;
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Instant;
use tamis::built_in;
use tamis::ledger::Ledger;
use tamis::policy::{Policy, Source};
use tamis::sandbox::{CacheDir, Sandbox};
use tamis::store::Store;

/// Without a filters.toml.
pub const DEFAULT: &str = include_str!("../../src/cli/default.toml");
/// Of each part, measured one after another.
const PART_ROUNDS: usize = 40;

pub fn measure() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let cache = || CacheDir::at(dir.path().join("cache"));
    println!("where the time of a start goes, warm cache");
    let print = |what: &str, work: &mut dyn FnMut()| {
        work();
        let times = (0..super::rounds(PART_ROUNDS)).map(|_| {
            let begun = Instant::now();
            work();
            begun.elapsed()
        });
        let time = median(times.collect());
        println!("{what:<44} {:>11.1} µs", time.as_secs_f64() * 1e6);
    };
    let run = |arguments: &[&str], input: &str| {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tamis"))
            .args(arguments)
            .env("TAMIS_CACHE_DIR", dir.path().join("cache"))
            .env("TAMIS_STATE_DIR", dir.path().join("state"))
            .env("XDG_CONFIG_HOME", dir.path())
            .env_remove("TAMIS_CONFIG")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .expect("tamis starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        // What asks for nothing reads nothing.
        let _ = stdin.write_all(input.as_bytes());
        drop(stdin);
        assert!(child.wait().expect("tamis ends").success());
    };
    print("a process, from start to end", &mut || {
        run(&["--version"], "")
    });
    let parse = |policy: &str| {
        let source = Source::new("filters.toml", policy).expect("a policy");
        Policy::parse(source, &built_in::names()).expect("a policy")
    };
    for (name, policy) in [("two filters", CHAIN), ("the default policy", DEFAULT)] {
        print(&format!("policy, {name}: checked"), &mut || {
            black_box(parse(policy));
        });
        print(&format!("policy, {name}: engine and filters"), &mut || {
            let sandbox = Sandbox::new(Some(cache())).expect("a sandbox");
            black_box(tamis::chain::load(parse(policy), &sandbox).expect("chains"));
        });
    }
    print("store of originals: opened", &mut || {
        let limits = tamis::store::StoreLimits::default();
        black_box(Store::open(&dir.path().join("state"), limits).expect("a store"));
    });
    print("ledger: opened", &mut || {
        let limits = tamis::ledger::LedgerLimits::default();
        black_box(Ledger::open(&dir.path().join("state"), limits).expect("a ledger"));
    });
    // As Claude Code writes it.
    let event = json!({
        "transcript_path": "/home/dev/.claude/projects/app/00000000-0000-4000-8000-000000000000.jsonl",
        "hook_event_name": "PostToolUse", "tool_use_id": "toolu_1", "tool_name": "Bash", "tool_input": {},
        "tool_response": {"stdout": "\u{1b}[1mok\u{1b}[0m ".repeat(40)},
    });
    let unbound = write_policy(dir.path(), "empty.toml", "");
    let chain = write_policy(dir.path(), "chain.toml", CHAIN);
    for (name, policy) in [
        ("a tool without a chain", &unbound),
        ("two filters", &chain),
    ] {
        print(&format!("tamis hook, {name}"), &mut || {
            run(&["hook", "--config", policy], &event.to_string());
        });
    }
    print("tamis hook, the default policy", &mut || {
        run(&["hook"], &event.to_string())
    });
}
