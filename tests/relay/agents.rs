//! Released coding agents do not pay more with Tamis than without it: Codex, Gemini CLI and opencode, each in a session
//! of large results and in one of small ones, with a scripted model. opencode runs with `tamis hook`, too. `make
//! agents` runs more agents, and writes `docs/agents.md`.
//!
//! `setup.sh` installs the agents; one that cannot be installed is named on standard error. `agents/run.mjs` compares
//! and judges, so that only one list of bounds exists.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use crate::support::Folder;
use crate::support::stage::{program, tests};
use serde_json::{Value, json};

/// The sessions of an agent take half a minute on an idle machine.
const LIMIT: Duration = Duration::from_secs(600);

/// Runs sessions of agents, and returns the figures after checking every bound.
fn figures(arguments: &[&str]) -> Value {
    let folder = Folder::new();
    let figures = folder.path().join("figures.json");
    let mut line: Vec<OsString> = vec!["node".into(), tests("agents/run.mjs").into()];
    line.extend(arguments.iter().map(OsString::from));
    line.extend([
        "--jobs".into(),
        "2".into(),
        "--installed".into(),
        "--tamis".into(),
        env!("CARGO_BIN_EXE_tamis").into(),
        "--json".into(),
        figures.clone().into_os_string(),
    ]);
    let run = program(&line, folder.path()).limit(LIMIT).run("");
    if run.status.code() != Some(0) {
        run.fail("every bound should hold");
    }
    read(&figures)
}

/// Whether an agent is installed. A missing one is named.
fn is_there(report: &Value, name: &str) -> bool {
    let reason = report["installed"][name]["reason"].as_str();
    if let Some(reason) = reason {
        eprintln!("SKIPPED {name}: {reason}");
    }
    reason.is_none()
}

/// Runs agents directly and in these ways through Tamis.
fn agents(names: &str, ways: &str) {
    let sessions = "large,small";
    let report = figures(&[
        "--agents",
        names,
        "--variants",
        ways,
        "--sessions",
        sessions,
    ]);
    // A run without measurements would be within every bound.
    for name in names.split(',').filter(|name| is_there(&report, name)) {
        let rows = report["rows"].as_array().expect("a list of sessions");
        let held = |session: &str| {
            let of_session = rows.iter().filter(|row| {
                row["agent"] == name && row["session"] == session && row["variant"] != "bare"
            });
            let counts = of_session.map(|row| row["bounds"].as_array().map_or(0, Vec::len));
            counts.filter(|&bounds| bounds > 0).count()
        };
        let expected = ways.split(',').count();
        assert_eq!(held("large"), expected, "{name}, large: {report:#}");
        assert_eq!(held("small"), expected, "{name}, small: {report:#}");
    }
}

fn read(path: &Path) -> Value {
    let text = std::fs::read(path).expect("read the figures");
    serde_json::from_slice(&text).expect("figures are JSON")
}

#[test]
fn sessions_through_tamis_run_are_not_larger() {
    agents("codex,opencode", "run");
}

#[test]
fn sessions_through_tamis_serve_are_not_larger() {
    agents("gemini", "run,serve");
}

#[test]
fn a_hook_filters_the_output_of_an_agents_own_shell() {
    let report = figures(&["--agents", "opencode", "--sessions", "hooks"]);
    if is_there(&report, "opencode") {
        let [here] = &report["hooks"].as_array().expect("a list of sessions")[..] else {
            panic!("one agent: {report:#}");
        };
        let ways = json!(["bare", "hook", "missing", "withheld"]);
        assert_eq!(here["ways"], ways, "{report:#}");
        let tokens = |way: &str| here["figures"]["large"][way].as_u64().expect("a count");
        assert!(tokens("hook") * 10 < tokens("bare"), "{report:#}");
        assert!(
            here["bounds"].as_array().map_or(0, Vec::len) > 20,
            "{report:#}"
        );
    }
}
