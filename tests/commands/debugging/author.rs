//! An author of plugins: a folder, and `tamis` as it runs there.

use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use crate::support::built::{self, Target};
use crate::support::{Finished, Folder, Program};

/// Shared with the tests of `tamis plugin`, so that a project's dependencies are compiled once.
const SCRATCH: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/plugin-command");

pub struct Author {
    pub folder: Folder,
}

impl Author {
    pub fn new() -> Author {
        Author {
            folder: Folder::new(),
        }
    }

    /// Runs `tamis` with these arguments.
    pub fn tamis(&self, arguments: &[&str]) -> Finished {
        self.tamis_in("", arguments)
    }

    /// The same in a folder of the author's.
    pub fn tamis_in(&self, folder: &str, arguments: &[&str]) -> Finished {
        let line = [&[env!("CARGO_BIN_EXE_tamis")], arguments].concat();
        self.program(folder, &line).run("")
    }

    /// A command of the author's, with the compilers that the tests installed.
    pub fn program(&self, folder: &str, line: &[&str]) -> Program {
        let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests");
        let own = [
            "node_modules/.bin".into(),
            ".venv/bin".into(),
            Path::new(env!("CARGO_BIN_EXE_tamis"))
                .parent()
                .expect("a folder")
                .to_owned(),
        ];
        let own = own.into_iter().map(|folder| tests.join(folder));
        let all = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths(own.chain(std::env::split_paths(&all)));
        let home = std::env::var_os("HOME").unwrap_or_default();
        let mut program = Program::new(line, &self.folder.path().join(folder))
            .env("PATH", path.expect("a PATH"))
            .env("HOME", home)
            .env("TAMIS_CACHE_DIR", format!("{SCRATCH}/cache"))
            .env("TAMIS_STATE_DIR", self.folder.path().join("state"))
            .env("CARGO_TARGET_DIR", format!("{SCRATCH}/target"))
            .limit(Duration::from_secs(300));
        for name in ["CARGO", "CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN"] {
            if let Some(value) = std::env::var_os(name) {
                program = program.env(name, value);
            }
        }
        program
    }
}

/// A guest that misbehaves.
pub fn guest(target: Target, name: &str) -> String {
    let path = built::path(target, name);
    path.to_str().expect("Unicode").to_owned()
}

/// The output of a program that ended with this code.
#[track_caller]
pub fn output_of(finished: &Finished, code: i32) -> String {
    if finished.status.code() != Some(code) {
        finished.fail(&format!("it should have ended with {code}"));
    }
    let text = [&finished.stdout[..], &finished.stderr].concat();
    String::from_utf8(text).expect("Unicode")
}

/// The lines of JSON that a program wrote.
#[track_caller]
pub fn lines(finished: &Finished) -> Vec<Value> {
    let text = String::from_utf8_lossy(&finished.stdout);
    let parse = |line: &str| match serde_json::from_str(line) {
        Ok(value) => value,
        Err(error) => finished.fail(&format!("{error} in {line}")),
    };
    text.lines().map(parse).collect()
}

/// Checks that a text contains all of these.
#[track_caller]
pub fn has_all(text: &str, expected: &[&str]) {
    for words in expected {
        assert!(text.contains(words), "no `{words}` in\n{text}");
    }
}
