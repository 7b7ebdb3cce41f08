//! The protocol's own conformance suite has the same results through Tamis as without it.
//!
//! `conformance/src` has the server and the client for the suite: one for all of its server scenarios, one for its
//! client scenarios. Every check that passes without Tamis must also pass with Tamis.
//!
//! `setup.sh` installs the suite.

mod suite;

use crate::support::reach;
use std::collections::BTreeSet;
use std::sync::OnceLock;

use self::suite::{Check, Checks, Version};
use crate::support::Folder;
use crate::support::reach::{ClientRoute, ServerRoute, Upstream};

const NO_CHAIN: &str = "";
const OTHER_TOOL: &str = "[[chain]]\ntools = [\"no_such_tool\"]\nsteps = [\"null-stripper\"]\n";

/// The number of checks of each version without Tamis, all of which pass.
const SERVER_CHECKS: [usize; 3] = [56, 84, 153];
const CLIENT_CHECKS: [usize; 3] = [60, 260, 426];

/// The suite's result for the bare server, computed once a version.
fn bare_server(version: Version) -> &'static Checks {
    static BARE: [OnceLock<Checks>; 3] = [const { OnceLock::new() }; 3];
    BARE[version as usize].get_or_init(|| {
        let server = reach::server(ServerRoute::Nothing);
        let checks = suite::against_server(version, &server.url);
        all_passed(&checks, SERVER_CHECKS[version as usize]);
        checks
    })
}

/// Fails unless every check passed, and at least this many ran.
fn all_passed(checks: &Checks, at_least: usize) {
    let complaints = checks.complaints();
    if !complaints.is_empty() {
        checks.run.fail(&complaints.join("\n"));
    }
    let passed = checks.passed();
    if passed < at_least {
        let why = format!("{passed} checks passed, and {at_least} are known to");
        checks.run.fail(&why);
    }
}

/// Checks, with their scenarios, that differ if Tamis has a child of its own instead of a server over HTTP.
const NOT_OF_A_CHILD: &[(&str, &str)] = &[
    // The tool that closes its stream before it answers has no stream to close.
    ("server-sse-polling", "server-sse-disconnect-resume"),
];

/// The checks that only one side has, with some left out: the bare one, and the one through Tamis.
fn differences<'a>(
    bare: impl Iterator<Item = &'a Check>,
    through: &Checks,
    left_out: &[(&str, &str)],
) -> Option<[Vec<String>; 2]> {
    let counts = |check: &&Check| !left_out.contains(&(&check.scenario, &check.id));
    let mut missing: Vec<_> = bare.filter(counts).map(Check::line).collect();
    let mut new = Vec::new();
    for line in through.all.iter().filter(counts).map(Check::line) {
        match missing.iter().position(|known| *known == line) {
            Some(at) => drop(missing.remove(at)),
            None => new.push(line),
        }
    }
    (!missing.is_empty() || !new.is_empty()).then_some([missing, new])
}

/// Compares check by check, leaving some out.
fn the_same<'a>(
    bare: impl Iterator<Item = &'a Check>,
    through: &Checks,
    left_out: &[(&str, &str)],
    logs: &str,
) {
    let Some([missing, new]) = differences(bare, through, left_out) else {
        return;
    };
    through.run.fail(&format!(
        "bare alone:\n{}\nthrough Tamis alone:\n{}\nwhy:\n{}\nstandard error of Tamis and the server:\n{logs}",
        missing.join("\n"),
        new.join("\n"),
        through.complaints().join("\n"),
    ));
}

fn server_through(version: Version, upstream: Upstream, policy: &'static str) {
    let bare = bare_server(version);
    let server = reach::server(ServerRoute::Serve(upstream, policy));
    let through = suite::against_server(version, &server.url);
    let left_out = match upstream {
        Upstream::Http => &[],
        Upstream::Stdio => NOT_OF_A_CHILD,
    };
    the_same(bare.all.iter(), &through, left_out, &server.logs());
}

macro_rules! server {
    ($($name:ident: $version:ident, $upstream:ident, $policy:expr;)*) => {$(
        #[test]
        fn $name() {
            server_through(Version::$version, Upstream::$upstream, $policy);
        }
    )*};
}

server! {
    server_2025_06_18_over_http_with_no_chain: V2025_06_18, Http, NO_CHAIN;
    server_2025_06_18_over_http_with_a_chain_on_another_tool: V2025_06_18, Http, OTHER_TOOL;
    server_2025_06_18_over_stdio_with_no_chain: V2025_06_18, Stdio, NO_CHAIN;
    server_2025_06_18_over_stdio_with_a_chain_on_another_tool: V2025_06_18, Stdio, OTHER_TOOL;
    server_2025_11_25_over_http_with_no_chain: V2025_11_25, Http, NO_CHAIN;
    server_2025_11_25_over_http_with_a_chain_on_another_tool: V2025_11_25, Http, OTHER_TOOL;
    server_2025_11_25_over_stdio_with_no_chain: V2025_11_25, Stdio, NO_CHAIN;
    server_2025_11_25_over_stdio_with_a_chain_on_another_tool: V2025_11_25, Stdio, OTHER_TOOL;
    server_2026_07_28_over_http_with_no_chain: V2026_07_28, Http, NO_CHAIN;
    server_2026_07_28_over_http_with_a_chain_on_another_tool: V2026_07_28, Http, OTHER_TOOL;
    server_2026_07_28_over_stdio_with_no_chain: V2026_07_28, Stdio, NO_CHAIN;
    server_2026_07_28_over_stdio_with_a_chain_on_another_tool: V2026_07_28, Stdio, OTHER_TOOL;
}

/// The suite's result for the client without Tamis, computed once a version.
fn bare_client(version: Version) -> &'static Checks {
    static BARE: [OnceLock<Checks>; 3] = [const { OnceLock::new() }; 3];
    BARE[version as usize].get_or_init(|| {
        let folder = Folder::new();
        let client = reach::client(ClientRoute::Nothing, &folder);
        let checks = suite::against_client(version, &client);
        all_passed(&checks, CLIENT_CHECKS[version as usize]);
        checks
    })
}

fn client_through(version: Version, route: ClientRoute) {
    let bare = bare_client(version);
    // A client of an OAuth flow must see the address of its token, and refuses any other. See below for Tamis as that
    // client.
    let mut scenarios = bare.scenarios();
    scenarios.retain(|name| !name.starts_with("auth/"));
    let folder = Folder::new();
    let client = reach::client(route, &folder);
    let through = suite::against_client_in(version, &scenarios, &client);
    for (scenario, through) in scenarios.iter().zip(&through) {
        let bare = || bare.all.iter().filter(|check| check.scenario == *scenario);
        if differences(bare(), through, &[]).is_none() {
            continue;
        }
        // Some checks measure time (how soon a client comes back), and all scenarios run at once.
        let again = suite::against_client_in(version, std::slice::from_ref(scenario), &client);
        for again in &again {
            the_same(bare(), again, &[], "");
        }
    }
}

/// Tamis logs in for the client: every check that passes for a client with its own login passes too. The number of
/// requests before the login may differ.
fn logged_in_through(version: Version) {
    let bare = bare_client(version);
    let mut scenarios = bare.scenarios();
    scenarios.retain(|name| name.starts_with("auth/"));
    let folder = Folder::new();
    let client = reach::client(ClientRoute::LoggedIn, &folder);
    let through = suite::against_client_in(version, &scenarios, &client);
    for (scenario, through) in scenarios.iter().zip(&through) {
        let passed = |checks: &Checks| {
            let passed = checks.all.iter();
            let passed = passed.filter(|it| it.status == "SUCCESS" && it.scenario == *scenario);
            passed.map(Check::line).collect::<BTreeSet<_>>()
        };
        let complaints = through.complaints();
        let missing: Vec<_> = passed(bare).difference(&passed(through)).cloned().collect();
        if !missing.is_empty() || !complaints.is_empty() {
            let (missing, complaints) = (missing.join("\n"), complaints.join("\n"));
            through.run.fail(&format!(
                "passes bare alone:\n{missing}\nwhy:\n{complaints}"
            ));
        }
    }
}

#[test]
fn client_2025_11_25_run_logs_in() {
    logged_in_through(Version::V2025_11_25);
}

#[test]
fn client_2026_07_28_run_logs_in() {
    logged_in_through(Version::V2026_07_28);
}

macro_rules! client {
    ($($name:ident: $version:ident, $behind:expr;)*) => {$(
        #[test]
        fn $name() {
            client_through(Version::$version, $behind);
        }
    )*};
}

client! {
    client_2025_06_18_serve_with_no_chain: V2025_06_18, ClientRoute::Serve(NO_CHAIN);
    client_2025_06_18_serve_with_a_chain_on_another_tool: V2025_06_18, ClientRoute::Serve(OTHER_TOOL);
    client_2025_06_18_run_with_no_chain: V2025_06_18, ClientRoute::Run(NO_CHAIN);
    client_2025_06_18_run_with_a_chain_on_another_tool: V2025_06_18, ClientRoute::Run(OTHER_TOOL);
    client_2025_11_25_serve_with_no_chain: V2025_11_25, ClientRoute::Serve(NO_CHAIN);
    client_2025_11_25_serve_with_a_chain_on_another_tool: V2025_11_25, ClientRoute::Serve(OTHER_TOOL);
    client_2025_11_25_run_with_no_chain: V2025_11_25, ClientRoute::Run(NO_CHAIN);
    client_2025_11_25_run_with_a_chain_on_another_tool: V2025_11_25, ClientRoute::Run(OTHER_TOOL);
    client_2026_07_28_serve_with_no_chain: V2026_07_28, ClientRoute::Serve(NO_CHAIN);
    client_2026_07_28_serve_with_a_chain_on_another_tool: V2026_07_28, ClientRoute::Serve(OTHER_TOOL);
    client_2026_07_28_run_with_no_chain: V2026_07_28, ClientRoute::Run(NO_CHAIN);
    client_2026_07_28_run_with_a_chain_on_another_tool: V2026_07_28, ClientRoute::Run(OTHER_TOOL);
}
