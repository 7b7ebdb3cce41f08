//! A real client and a real server cannot notice Tamis between them.
//!
//! Each client of `clients/` runs a session with each server, directly and through `tamis run`. The outputs must be
//! equal line by line. The SDKs convert messages to types of their own, so a session of raw frames also compares bytes.
//! With a chain for every tool, a session must still work.
//!
//! `setup.sh` installs clients and servers.

mod raw;

use std::thread;

use crate::support::Folder;
use crate::support::stage::{Between, Client, Server, session};
use crate::support::transcript::{Transcript, difference, promising};
use serde_json::{Value, json};

const NO_CHAIN: Between = Between::Tamis("");
const OTHER_TOOL: Between =
    Between::Tamis("[[chain]]\ntools = [\"no_such_tool\"]\nsteps = [\"null-stripper\"]\n");
const EVERY_TOOL: Between =
    Between::Tamis("[[chain]]\ntools = [\"*\"]\nsteps = [\"null-stripper\"]\n");

/// Compares the sessions of one client with one server. They run at the same time, because a session mostly waits.
fn nobody_can_tell(client: Client, server: Server) {
    let [bare, no_chain, other_tool, every_tool] = thread::scope(|scope| {
        [Between::Nothing, NO_CHAIN, OTHER_TOOL, EVERY_TOOL]
            .map(|between| scope.spawn(move || session(client, server, between)))
            .map(|session| match session.join() {
                Ok(finished) => finished,
                Err(panic) => std::panic::resume_unwind(panic),
            })
    });
    let expected = Transcript::of(&bare);

    // The scenario must do its part, or the comparison proves little.
    let uncalled = expected.outcomes("tools that no step calls");
    if uncalled != [&json!([])] {
        bare.fail(&format!("no step of the scenario calls {uncalled:?}"));
    }
    let late = |line: &&String| line.contains("timed out") || line.contains("TimeoutError");
    if let Some(line) = expected.lines.iter().find(late) {
        bare.fail(&format!(
            "the bare server did not do what it should: {line}"
        ));
    }

    for (policy, through) in [
        ("no chain", no_chain),
        ("a chain on another tool", other_tool),
    ] {
        let (mut bare, mut seen) = (expected.lines.clone(), Transcript::of(&through).lines);
        if policy != "no chain" {
            (bare, seen) = (promising(&bare), promising(&seen));
        }
        if let Some(difference) = difference(&bare, &seen) {
            let report = through.report();
            panic!(
                "{client:?} and {server:?} with {policy}: - bare, + through Tamis\n{difference}\n{report}"
            );
        }
    }

    // With a chain on every tool, results change, but successes and failures stay the same.
    let filtered = Transcript::of(&every_tool);
    if let Some(difference) = difference(&expected.kinds(), &filtered.kinds()) {
        let report = every_tool.report();
        panic!(
            "{client:?} and {server:?} with a chain on every tool: - bare, + through Tamis\n{difference}\n{report}"
        );
    }
    for tool in ["call get-structured-content", "call convert_time"] {
        for (bare, filtered) in expected.outcomes(tool).iter().zip(filtered.outcomes(tool)) {
            if bare["isError"] == true || bare.is_null() {
                continue;
            }
            let Some(value) = value_of(filtered) else {
                every_tool.fail(&format!("no JSON in the result of `{tool}`: {filtered}"));
            };
            assert_eq!(
                Some(value),
                value_of(bare),
                "{tool}: no null was there to strip"
            );
        }
    }

    // The only null of our server is removed, and nothing else.
    let texts = |transcript: &Transcript| {
        let results = transcript.outcomes("call read_file");
        let text = |result: &Value| result["content"][0]["text"].as_str().map(str::to_owned);
        results.into_iter().filter_map(text).collect::<Vec<_>>()
    };
    let stripped: Vec<String> = (texts(&expected).iter())
        .map(|text| text.replace(r#""none":null,"#, ""))
        .collect();
    if texts(&filtered) != stripped {
        every_tool.fail(&format!("`read_file` should have given {stripped:?}"));
    }
}

/// The value of a result for a model: its structured content, or else the JSON in its text.
fn value_of(result: &Value) -> Option<Value> {
    match result.get("structuredContent") {
        Some(value) => Some(value.clone()),
        None => serde_json::from_str(result["content"][0]["text"].as_str()?).ok(),
    }
}

/// Compares conversations in raw frames. All use one folder, because the answers name it.
fn same_bytes(server: Server, frames: impl Fn(&Folder) -> Vec<raw::Exchange>) {
    let folder = server.folder();
    let bare = raw::conversation(server, Between::Nothing, &folder, &frames(&folder));
    for between in [NO_CHAIN, OTHER_TOOL] {
        let mut bare = bare.clone();
        let mut through = raw::conversation(server, between, &folder, &frames(&folder));
        if !matches!(between, Between::Tamis("")) {
            (bare, through) = (promising(&bare), promising(&through));
        }
        if let Some(difference) = difference(&bare, &through) {
            panic!("{server:?}: - bare, + through {between:?}\n{difference}");
        }
    }
}

/// The session that begins as protocol `version` does.
fn same_bytes_in(version: &str) {
    same_bytes(Server::Everything, |_| {
        let mut frames = raw::greeting(version);
        frames.extend(raw::everything());
        frames
    });
}

#[test]
fn raw_frames_of_2024_11_05() {
    same_bytes_in("2024-11-05");
}

#[test]
fn raw_frames_of_2025_03_26() {
    same_bytes_in("2025-03-26");
}

#[test]
fn raw_frames_of_2025_06_18() {
    same_bytes_in("2025-06-18");
}

#[test]
fn raw_frames_of_2025_11_25() {
    same_bytes_in("2025-11-25");
}

#[test]
fn raw_frames_of_2026_07_28_to_a_server_that_is_older() {
    same_bytes_in("2026-07-28");
}

#[test]
fn raw_frames_of_2026_07_28() {
    same_bytes(Server::Git, raw::git);
}

macro_rules! pairs {
    ($($name:ident: $client:ident, $server:ident;)*) => {$(
        #[test]
        fn $name() {
            nobody_can_tell(Client::$client, Server::$server);
        }
    )*};
}

pairs! {
    python_and_everything: Python, Everything;
    python_and_filesystem: Python, Filesystem;
    python_and_git: Python, Git;
    python_and_time: Python, Time;
    typescript_1_and_everything: TypeScript1, Everything;
    typescript_1_and_filesystem: TypeScript1, Filesystem;
    typescript_1_and_git: TypeScript1, Git;
    typescript_1_and_time: TypeScript1, Time;
    typescript_2_and_everything: TypeScript2, Everything;
    typescript_2_and_filesystem: TypeScript2, Filesystem;
    typescript_2_and_git: TypeScript2, Git;
    typescript_2_and_time: TypeScript2, Time;
}
