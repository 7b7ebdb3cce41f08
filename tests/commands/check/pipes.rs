//! A pipe in place of a file, from the author of a project: a command that opens it to read would wait for ever. Each
//! command ends, and names the pipe.

use super::{TAMIS, text};
use crate::support::{Folder, Program};
use rustix::fs::{CWD, mkfifoat};
use std::path::Path;

fn pipe(path: &Path) {
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("its folder");
    mkfifoat(CWD, path, 0o644.into()).expect("make a pipe");
}

/// Fails if the command waits for the pipe, or does not name it.
#[track_caller]
fn ends(folder: &Folder, arguments: &[&str]) {
    let line = [&[TAMIS], arguments].concat();
    let run = Program::new(&line, &folder.path().join("project"))
        .env("HOME", folder.path())
        .env("TAMIS_STATE_DIR", folder.path().join("state"))
        .env("TAMIS_CACHE_DIR", folder.path().join("cache"))
        .run("");
    let said = text(&run.stdout) + &text(&run.stderr);
    if run.status.success() || !said.contains("not a regular file") {
        run.fail("it should have said that this is no file");
    }
}

#[test]
fn no_command_waits_for_a_policy_that_is_a_pipe() {
    let folder = Folder::new();
    folder.write("project/.git/HEAD", "ref: refs/heads/main\n");
    pipe(&folder.path().join("project/filters.toml"));
    for arguments in [
        &["check", "filters.toml"][..],
        &["check", "filters.toml", "--json"],
        &["check", "--config", "filters.toml"],
        &["run", "--config", "filters.toml", "--", "cat"],
        &["serve", "--config", "filters.toml"],
        &["mcp", "--config", "filters.toml"],
        &["apply", "--config", "filters.toml", "--tool", "t"],
        &["explain", "--config", "filters.toml", "t"],
        &["test", "filters.toml"],
        &["lock", "filters.toml"],
        &["trust", "--yes", "filters.toml"],
    ] {
        ends(&folder, arguments);
    }
}

#[test]
fn no_command_waits_for_another_file_of_a_project_that_is_a_pipe() {
    const POLICY: &str = "[[plugin]]\nname = \"p\"\npath = \"p.wasm\"\n\n[[chain]]\ntools = [\"*\"]\nsteps = [\"p\"]\n";
    const PLAIN: &str = "[[chain]]\nname = \"c\"\ntools = [\"*\"]\nsteps = [\"ansi\"]\n";
    let folder = |policy: &str, place: &str| {
        let folder = Folder::new();
        folder.write("project/filters.toml", policy);
        folder.write("project/cases/one/input.txt", "text");
        folder.write("project/cases/one/expected.txt", "text");
        folder.write("project/cases/one/test.toml", "tool = \"t\"\n");
        let path = folder.path().join("project").join(place);
        let _ = std::fs::remove_file(&path);
        pipe(&path);
        folder
    };
    ends(
        &folder(POLICY, "p.wasm"),
        &["check", "--config", "filters.toml"],
    );
    ends(&folder(PLAIN, "filters.lock"), &["check", "filters.toml"]);
    ends(&folder(PLAIN, "p.wasm"), &["plugin", "inspect", "p.wasm"]);
    let test = ["test", "cases", "--config", "filters.toml"];
    for place in ["expected.txt", "test.toml", "arguments.json"] {
        ends(&folder(PLAIN, &format!("cases/one/{place}")), &test);
    }
    let golden = format!(
        "{PLAIN}\n[[test]]\nname = \"x\"\ntool = \"t\"\ninput = \"x\"\nexpect-file = \"out.txt\"\n"
    );
    ends(&folder(&golden, "out.txt"), &["test", "filters.toml"]);
}
