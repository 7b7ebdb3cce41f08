//! MCP Inspector's command line prints the same through Tamis as without it, in both eras of the protocol.
//!
//! `setup.sh` installs the Inspector.

use crate::support::reach;
use std::ffi::OsString;
use std::sync::OnceLock;

use crate::support::reach::{ReachableServer, ServerRoute, Upstream};
use crate::support::stage::{node, program, tests};
use crate::support::{Folder, built_program, tamis_run};

const NO_CHAIN: &str = "";
/// This policy may change only tools, so only tools are requested.
const OTHER_TOOL: &str = "[[chain]]\ntools = [\"no_such_tool\"]\nsteps = [\"null-stripper\"]\n";

/// The requests, a run of the Inspector each.
const TOOLS: &[&[&str]] = &[
    &["tools/list"],
    &["tools/call", "--tool-name", "test_multiple_content_types"],
    &["tools/call", "--tool-name", "test_error_handling"],
];
const REST: &[&[&str]] = &[
    &["resources/list"],
    &["resources/read", "--uri", "test://template/7/data"],
    &["prompts/list"],
    &["prompts/get", "--prompt-name", "test_prompt_with_image"],
];

/// The start of a session: with a handshake up to 2025-11-25, without one since.
#[derive(Clone, Copy)]
enum Era {
    Legacy,
    Modern,
}

/// The Inspector's way to the server.
#[derive(Clone, Copy)]
enum Way {
    Stdio,
    /// `tamis run` with this policy.
    Run(&'static str),
    Http(ServerRoute),
}

/// The Inspector's output, a line for each request.
fn printed(era: Era, way: Way) -> Vec<String> {
    let folder = Folder::new();
    let server = || [built_program("conformance-server").into(), "--stdio".into()];
    let mut reached: Option<ReachableServer> = None;
    let target: Vec<OsString> = match way {
        Way::Stdio => server().into(),
        Way::Run(policy) => tamis_run(&folder.write("filters.toml", policy), &server()),
        Way::Http(between) => {
            let reached = reached.insert(reach::server(between));
            vec![reached.url.as_str().into()]
        }
    };
    let era = match era {
        Era::Legacy => "legacy",
        Era::Modern => "modern",
    };
    let inspector = "node_modules/@modelcontextprotocol/inspector/clients/cli/build/index.js";
    let ask = |what: &&[&str]| {
        let mut line: Vec<OsString> = vec![node().into(), tests(inspector).into()];
        line.extend(["--protocol-era", era, "--format", "json", "--method"].map(Into::into));
        line.extend(what.iter().map(Into::into));
        line.push("--".into());
        line.extend(target.iter().cloned());
        let run = program(&line, folder.path()).run("");
        let said = String::from_utf8_lossy(&run.stdout).trim_end().to_owned();
        if !said.starts_with(r#"{"result":"#) {
            run.fail("it should have printed a result");
        }
        format!("{what:?}: {said} ({})", run.status)
    };
    let rest = match way {
        Way::Run(OTHER_TOOL) | Way::Http(ServerRoute::Serve(_, OTHER_TOOL)) => &[],
        _ => REST,
    };
    TOOLS.iter().chain(rest).map(ask).collect()
}

/// Compares with the output for the bare server, which is requested once an era.
fn the_same(era: Era, way: Way) {
    static BARE: [OnceLock<Vec<String>>; 2] = [const { OnceLock::new() }; 2];
    let bare = BARE[era as usize].get_or_init(|| printed(era, Way::Stdio));
    for (bare, through) in bare.iter().zip(printed(era, way)) {
        assert_eq!(*bare, through, "bare, and through Tamis");
    }
}

macro_rules! prints_the_same {
    ($($name:ident: $era:ident, $way:expr;)*) => {$(
        #[test]
        fn $name() {
            the_same(Era::$era, $way);
        }
    )*};
}

prints_the_same! {
    legacy_over_stdio_with_no_chain: Legacy, Way::Run(NO_CHAIN);
    legacy_over_stdio_with_a_chain_on_another_tool: Legacy, Way::Run(OTHER_TOOL);
    legacy_over_http_with_no_chain: Legacy, Way::Http(ServerRoute::Serve(Upstream::Http, NO_CHAIN));
    legacy_over_http_with_a_chain_on_another_tool: Legacy, Way::Http(ServerRoute::Serve(Upstream::Http, OTHER_TOOL));
    legacy_over_http_to_a_child: Legacy, Way::Http(ServerRoute::Serve(Upstream::Stdio, NO_CHAIN));
    modern_over_stdio_with_no_chain: Modern, Way::Run(NO_CHAIN);
    modern_over_stdio_with_a_chain_on_another_tool: Modern, Way::Run(OTHER_TOOL);
    modern_over_http_with_no_chain: Modern, Way::Http(ServerRoute::Serve(Upstream::Http, NO_CHAIN));
    modern_over_http_with_a_chain_on_another_tool: Modern, Way::Http(ServerRoute::Serve(Upstream::Http, OTHER_TOOL));
    modern_over_http_to_a_child: Modern, Way::Http(ServerRoute::Serve(Upstream::Stdio, NO_CHAIN));
}
