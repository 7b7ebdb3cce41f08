//! The real clients and servers, and the folder of one session.
//!
//! Owns their starts, the files for the servers, and the environment. Knows nothing of the comparisons.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use crate::support::{Finished, Folder, Program, tamis_run};

/// The folder of the tests' files.
const TESTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests");

/// The longest session takes 10 s on an idle machine.
const SESSION_LIMIT: Duration = Duration::from_secs(100);

/// A download may be slow. Without one, the set-up takes half a second.
const SETUP_LIMIT: Duration = Duration::from_secs(600);

#[derive(Clone, Copy, Debug)]
pub enum Client {
    /// The Python SDK, which asks the server for its protocol.
    Python,
    /// The first line of the TypeScript SDK, up to protocol 2025-11-25.
    TypeScript1,
    /// The second line of the TypeScript SDK, which asks the server for its protocol.
    TypeScript2,
}

#[derive(Clone, Copy, Debug)]
pub enum Server {
    Everything,
    Filesystem,
    Git,
    Time,
}

/// The program between client and server.
#[derive(Clone, Copy, Debug)]
pub enum Between {
    Nothing,
    /// `tamis run` with this policy.
    Tamis(&'static str),
}

/// A path in `tests/`, installed at its first use.
pub fn tests(path: &str) -> PathBuf {
    static INSTALLED: OnceLock<PathBuf> = OnceLock::new();
    let root = INSTALLED.get_or_init(|| {
        let root = Path::new(TESTS).canonicalize().expect("find tests/");
        let setup = root.join("setup.sh");
        let mut program = Program::new(&[setup], &root).limit(SETUP_LIMIT);
        // The machine decides where package managers find their configuration and caches.
        for (name, value) in std::env::vars_os() {
            if let Some(name) = name.to_str() {
                program = program.env(name, value);
            }
        }
        program.run("").succeeded();
        root
    });
    root.join(path)
}

/// The Node for programs that need a newer one than the machine may have.
pub fn node() -> PathBuf {
    tests("node_modules/.bin/node")
}

impl Client {
    /// The command line, without the scenario and the command for the server.
    pub fn command(self) -> Vec<OsString> {
        let session = tests("clients/session.mjs").into();
        match self {
            Client::Python => vec![
                tests(".venv/bin/python").into(),
                tests("clients/session.py").into(),
            ],
            Client::TypeScript1 => vec!["node".into(), session, "1".into()],
            Client::TypeScript2 => vec!["node".into(), session, "2".into()],
        }
    }
}

impl Server {
    pub fn scenario(self) -> PathBuf {
        tests(match self {
            Server::Everything => "clients/scenarios/everything.json",
            Server::Filesystem => "clients/scenarios/filesystem.json",
            Server::Git => "clients/scenarios/git.json",
            Server::Time => "clients/scenarios/time.json",
        })
    }

    pub fn command(self, folder: &Folder) -> Vec<OsString> {
        let package = |name: &str| {
            let main = format!("node_modules/@modelcontextprotocol/{name}/dist/index.js");
            vec!["node".into(), tests(&main).into()]
        };
        match self {
            Server::Everything => package("server-everything"),
            Server::Filesystem => {
                let mut line = package("server-filesystem");
                line.push(folder.path().join("files").into());
                line
            }
            Server::Git => vec![
                tests(".venv/bin/mcp-server-git").into(),
                "--repository".into(),
                folder.path().join("repository").into(),
            ],
            Server::Time => vec![
                tests(".venv/bin/mcp-server-time").into(),
                "--local-timezone=Europe/Zurich".into(),
            ],
        }
    }

    /// A fresh folder with the files for this server.
    pub fn folder(self) -> Folder {
        let folder = Folder::new();
        match self {
            Server::Everything | Server::Time => {}
            Server::Filesystem => files(&folder),
            Server::Git => repository(&folder),
        }
        folder
    }
}

/// The command line for the server: its own, or Tamis before it with its policy in `filters.toml`.
pub fn reach(server: Server, between: Between, folder: &Folder) -> Vec<OsString> {
    let command = server.command(folder);
    match between {
        Between::Nothing => command,
        Between::Tamis(policy) => tamis_run(&folder.write("filters.toml", policy), &command),
    }
}

/// Runs the session of the server's scenario to its end.
pub fn session(client: Client, server: Server, between: Between) -> Finished {
    let folder = server.folder();
    let mut line = client.command();
    line.push(server.scenario().into());
    line.extend(reach(server, between, &folder));
    program(&line, folder.path()).run("").succeeded()
}

/// A program in the environment of a session, which is the same for all, including the committer's clock.
pub fn program(line: &[OsString], folder: &Path) -> Program {
    let mut program = Program::new(line, folder).limit(SESSION_LIMIT);
    for (name, value) in GIT {
        program = program.env(name, value);
    }
    program
        .env("HOME", folder)
        .env("LANG", "C.UTF-8")
        .env("TZ", "UTC")
        // Tamis compiles once, not once a session.
        .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
}

const GIT: &[(&str, &str)] = &[
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_AUTHOR_NAME", "Ada"),
    ("GIT_AUTHOR_EMAIL", "ada@example.com"),
    ("GIT_AUTHOR_DATE", "2026-01-02T03:04:05+0000"),
    ("GIT_COMMITTER_NAME", "Ada"),
    ("GIT_COMMITTER_EMAIL", "ada@example.com"),
    ("GIT_COMMITTER_DATE", "2026-01-02T03:04:05+0000"),
];

/// Writes files of every kind that the filesystem server distinguishes.
fn files(folder: &Folder) {
    folder.write("files/lines.txt", "one\ntwo\r\nthree\n");
    folder.write("files/empty", "");
    folder.write(
        "files/data.json",
        r#"{"n":1e2,"big":123456789012345678901234567890,"none":null,"s":"\ud83e\uddc0\u2028"}"#,
    );
    folder.write("files/notes/käse.md", "# Käse\n\n\"quoted\" \\ 🧀\n");
    folder.write("files/bytes.bin", [0xff, 0x00, 0x1b, b'[', 0xc3]);
    folder.write("files/dot.png", b"\x89PNG\r\n\x1a\n, or nearly so");
}

/// Two commits, one staged change, one unstaged change, and a new file.
fn repository(folder: &Folder) {
    let git = |line: &[&str]| {
        let output = Command::new("git")
            .args(line)
            .current_dir(folder.path().join("repository"))
            .envs(GIT.iter().copied())
            .output()
            .expect("run git");
        assert!(output.status.success(), "git {line:?}: {output:?}");
    };
    folder.write("repository/data.json", "{\"a\": null}\n");
    git(&["init", "--quiet", "--initial-branch=main"]);
    git(&["add", "."]);
    git(&["commit", "--quiet", "--message=first"]);
    folder.write("repository/data.json", "{\"a\": 1e2}\n");
    git(&[
        "commit",
        "--quiet",
        "--all",
        "--message=second\n\nwith a body",
    ]);
    folder.write("repository/staged.txt", "staged\n");
    git(&["add", "staged.txt"]);
    folder.write("repository/data.json", "{\"a\": []}\n");
    folder.write("repository/käse.txt", "🧀\n");
}
