//! The programs between a client and a server, and their command lines.
//!
//! Owns the command lines and the order of the starts. Knows nothing of the comparisons.

use std::ffi::OsString;
use std::path::Path;

use serde_json::json;

use crate::support::stage::{program, tests};
use crate::support::{Folder, Running, built_program};

/// The transport from Tamis to the server.
#[derive(Clone, Copy, Debug)]
pub enum Upstream {
    Http,
    /// As its own child.
    Stdio,
}

/// The program between the suite's client and the server.
#[derive(Clone, Copy, Debug)]
pub enum ServerRoute {
    Nothing,
    /// `tamis serve` with this policy.
    Serve(Upstream, &'static str),
}

/// A server with every feature, over HTTP, and Tamis before it in some cases.
pub struct ReachableServer {
    pub url: String,
    running: Vec<Running>,
    folder: Folder,
}

impl ReachableServer {
    /// The output of each program, for a failure's report.
    pub fn logs(&self) -> String {
        self.running.iter().map(Running::log).collect()
    }
}

pub fn server(route: ServerRoute) -> ReachableServer {
    let mut reachable = ReachableServer {
        url: String::new(),
        running: Vec::new(),
        folder: Folder::new(),
    };
    let server = built_program("conformance-server");
    let ServerRoute::Serve(upstream, policy) = route else {
        reachable.start(&[server.into(), "--listen".into(), "127.0.0.1:0".into()]);
        return reachable;
    };
    let upstream = match upstream {
        Upstream::Http => {
            reachable.start(&[server.into(), "--listen".into(), "127.0.0.1:0".into()]);
            format!("url = {}", json!(reachable.url))
        }
        Upstream::Stdio => format!("command = {}", json!([server, "--stdio"])),
    };
    let policy = format!("[server.everything]\n{upstream}\n{policy}");
    let config = reachable.folder.write("filters.toml", policy);
    let mut line: Vec<OsString> = vec![env!("CARGO_BIN_EXE_tamis").into(), "serve".into()];
    line.extend(["--config".into(), config.into()]);
    line.extend(["--listen", "127.0.0.1:0"].map(Into::into));
    reachable.start(&line);
    reachable.url += "/everything/mcp";
    reachable
}

impl ReachableServer {
    /// Starts a listening program, and takes its URL.
    fn start(&mut self, line: &[OsString]) {
        let mut running = program(line, self.folder.path()).start();
        let said = String::from_utf8(running.receive_line()).unwrap_or_default();
        let Some(url) = said.strip_prefix("listening on ") else {
            running.fail("it should have said where it listens");
        };
        self.url = url.trim_end().to_owned();
        // The last started program is stopped first.
        self.running.insert(0, running);
    }
}

/// The program between the client and the suite's servers.
#[derive(Clone, Copy, Debug)]
pub enum ClientRoute {
    Nothing,
    /// `tamis serve` with this policy.
    Serve(&'static str),
    /// `tamis run --url` with this policy, and the client over standard input and output.
    Run(&'static str),
    /// The same, with a login by Tamis.
    LoggedIn,
}

/// The command line of the client, for a shell. The suite adds the URL of its server.
pub fn client(route: ClientRoute, folder: &Folder) -> String {
    let client = quoted(&built_program("conformance-client"));
    let tamis = quoted(Path::new(env!("CARGO_BIN_EXE_tamis")));
    let policy = |policy| quoted(&folder.write("filters.toml", policy));
    match route {
        ClientRoute::Nothing => client,
        ClientRoute::Serve(text) => {
            let script = quoted(&tests("conformance/through-serve.sh"));
            format!("{script} {tamis} {} {client}", policy(text))
        }
        ClientRoute::LoggedIn => {
            let script = quoted(&tests("conformance/through-run.sh"));
            format!("{script} {tamis} {client}")
        }
        ClientRoute::Run(text) => {
            format!(
                "{client} --stdio -- {tamis} run --config {} --url",
                policy(text)
            )
        }
    }
}

fn quoted(path: &Path) -> String {
    let path = path.to_str().expect("the path is text");
    assert!(!path.contains('\''), "{path} cannot be quoted");
    format!("'{path}'")
}
