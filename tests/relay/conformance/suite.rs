//! Runs the protocol's own conformance suite, and reads its results.
//!
//! Owns the suite's command line and results: a list of checks a scenario. Knows nothing of Tamis, nor of the meaning
//! of a check.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::support::stage::{node, program, tests};
use crate::support::{Finished, Folder, Program};

/// The longest takes 7 s on an idle machine.
const LIMIT: Duration = Duration::from_secs(200);

/// The suite's time limit for a scenario, in milliseconds: none takes a tenth of it.
const SCENARIO_MS: &str = "60000";

#[derive(Clone, Copy, Debug)]
pub enum Version {
    V2025_06_18,
    V2025_11_25,
    V2026_07_28,
}

impl Version {
    /// As the protocol spells it.
    fn name(self) -> &'static str {
        match self {
            Version::V2025_06_18 => "2025-06-18",
            Version::V2025_11_25 => "2025-11-25",
            Version::V2026_07_28 => "2026-07-28",
        }
    }
}

/// The results of one run of the suite.
pub struct Checks {
    pub all: Vec<Check>,
    pub run: Finished,
}

pub struct Check {
    pub scenario: String,
    pub id: String,
    pub name: String,
    /// SUCCESS, FAILURE, WARNING or SKIPPED; INFO is left out.
    pub status: String,
    pub error: String,
}

impl Check {
    pub fn line(&self) -> String {
        let Check {
            scenario,
            id,
            name,
            status,
            ..
        } = self;
        format!("{scenario}: {id} ({name}): {status}")
    }
}

impl Checks {
    fn read(run: Finished, folder: &Folder) -> Checks {
        let mut all = Vec::new();
        collect(&folder.path().join("results"), "", &run, &mut all);
        Checks { all, run }
    }

    /// The scenarios that have checks, in order.
    pub fn scenarios(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.all.iter().map(|check| &*check.scenario).collect();
        names.dedup();
        names
    }

    pub fn passed(&self) -> usize {
        let passed = self.all.iter().filter(|check| check.status == "SUCCESS");
        passed.count()
    }

    /// The failed checks, with the suite's reasons.
    pub fn complaints(&self) -> Vec<String> {
        let failed = self
            .all
            .iter()
            .filter(|check| check.status == "FAILURE" || check.status == "WARNING");
        failed
            .map(|check| format!("{}: {}", check.line(), check.error))
            .collect()
    }
}

/// Plays the client: every scenario that this version has for servers.
pub fn against_server(version: Version, url: &str) -> Checks {
    let folder = Folder::new();
    let options = ["server", "--suite", "all", "--url", url];
    let run = run(&options, version, &folder);
    Checks::read(run, &folder)
}

/// Plays the servers: every scenario of this version for clients. The command is for a shell, and gets the server's URL
/// as its last word.
pub fn against_client(version: Version, command: &str) -> Checks {
    let folder = Folder::new();
    let options = ["client", "--suite", "all", "--command", command];
    let run = run(&options, version, &folder);
    Checks::read(run, &folder)
}

/// Plays the server of some scenarios, all at the same time.
pub fn against_client_in(version: Version, scenarios: &[&str], command: &str) -> Vec<Checks> {
    let play = |scenario: &str| {
        let folder = Folder::new();
        let options = ["client", "--scenario", scenario, "--command", command];
        let run = run(&options, version, &folder);
        Checks::read(run, &folder)
    };
    thread::scope(|scope| {
        let runs = scenarios.iter().map(|name| scope.spawn(move || play(name)));
        let runs: Vec<_> = runs.collect();
        let runs = runs.into_iter().map(|run| match run.join() {
            Ok(checks) => checks,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        runs.collect()
    })
}

/// Runs the suite with its results in the folder. Its exit status is ignored: the results have every check.
fn run(options: &[&str], version: Version, folder: &Folder) -> Finished {
    let more = ["--timeout", SCENARIO_MS, "--output-dir", "results"];
    conformance(&[options, &more].concat(), version, folder).run("")
}

fn conformance(options: &[&str], version: Version, folder: &Folder) -> Program {
    let mut line: Vec<OsString> = vec![
        node().into(),
        tests("node_modules/@modelcontextprotocol/conformance/dist/index.js").into(),
    ];
    line.extend(options.iter().map(Into::into));
    line.extend(["--spec-version", version.name()].map(Into::into));
    program(&line, folder.path()).limit(LIMIT)
}

/// Reads the results below a folder: one folder a scenario, perhaps in a folder for its group.
fn collect(folder: &Path, group: &str, run: &Finished, all: &mut Vec<Check>) {
    let Ok(entries) = fs::read_dir(folder) else {
        run.fail("the suite wrote no results");
    };
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("read the results").file_name())
        .map(|name| name.into_string().expect("a scenario's name is ASCII"))
        .collect();
    names.sort();
    for name in names {
        let path = folder.join(&name);
        let Ok(checks) = fs::read(path.join("checks.json")) else {
            collect(&path, &format!("{group}{name}/"), run, all);
            continue;
        };
        let checks: Vec<Value> = serde_json::from_slice(&checks).expect("checks are JSON");
        // The time of day follows the scenario's name.
        let scenario = name.strip_prefix("server-").unwrap_or(&name);
        let end = scenario
            .len()
            .saturating_sub("-2026-01-02T03-04-05-678Z".len());
        let scenario = format!("{group}{}", &scenario[..end]);
        all.extend(checks.iter().filter_map(|check| {
            let text = |member: &str| check[member].as_str().unwrap_or_default().to_owned();
            (check["status"] != "INFO").then(|| Check {
                scenario: scenario.clone(),
                id: text("id"),
                name: text("name"),
                status: text("status"),
                error: text("errorMessage"),
            })
        }));
    }
}
