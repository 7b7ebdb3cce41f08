//! The state directory as users see it: every command has the same message about an unusable one.

use crate::support::{Finished, Folder, Program};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

fn tamis(folder: &Folder, state: &Path, arguments: &[&str]) -> Finished {
    let mut line = vec![env!("CARGO_BIN_EXE_tamis")];
    line.extend(arguments);
    Program::new(&line, folder.path())
        .env("TAMIS_STATE_DIR", state)
        .env("HOME", folder.path())
        .run("")
}

#[track_caller]
fn says(finished: &Finished, text: &str) {
    let said = String::from_utf8_lossy(&finished.stderr);
    if !said.contains(text) {
        finished.fail(&format!("expected {text}"));
    }
}

#[test]
fn every_command_says_the_same_of_a_directory_that_others_may_write_to() {
    let folder = Folder::new();
    let state = folder.path().join("state");
    for part in ["trust", "install"] {
        fs::create_dir_all(state.join(part)).expect("a folder");
    }
    fs::set_permissions(&state, Permissions::from_mode(0o777)).expect("its owner may");
    let text = format!(
        "the state directory {} cannot be used: others may write there (mode 0777); `chmod go-w` it. Fix that, or set TAMIS_STATE_DIR to another directory",
        state.display()
    );
    for arguments in [
        &["read", "--list"][..],
        &["trust", "--list"],
        &["uninstall", "--dry-run"],
    ] {
        let finished = tamis(&folder, &state, arguments);
        says(&finished, &format!("tamis: {text}"));
        assert_eq!(finished.status.code(), Some(2), "{arguments:?}");
    }
    // A server continues without it.
    let finished = tamis(&folder, &state, &["mcp"]).succeeded();
    says(
        &finished,
        &format!("originals cannot be stored, so nothing is cut: {text}"),
    );
    says(&finished, &format!("savings are not recorded: {text}"));
}

#[test]
fn a_file_in_the_place_of_the_directory_is_named() {
    let folder = Folder::new();
    let state = folder.write("state", "in the way");
    let finished = tamis(&folder, &state, &["read", "--list"]);
    let directory = state.display();
    says(
        &finished,
        &format!("the state directory {directory} cannot be used: it is not a directory. Fix that"),
    );
    let finished = tamis(&folder, &state.join("deeper"), &["read", "--list"]);
    says(
        &finished,
        &format!("the state directory {directory}/deeper cannot be used: "),
    );
}

#[test]
fn what_must_not_come_from_a_project_is_refused_in_a_relative_directory() {
    let folder = Folder::new();
    for (arguments, so) in [
        (
            &["trust", "--list"][..],
            "no filters.toml of a project can be trusted",
        ),
        (
            &["logout", "https://mcp.example.com"],
            "Tamis cannot store a login there",
        ),
    ] {
        let finished = tamis(&folder, Path::new("state"), arguments);
        says(
            &finished,
            &format!(
                "tamis: the state directory state cannot be used: the path is relative to the current folder, so {so}. Set TAMIS_STATE_DIR to an absolute path"
            ),
        );
        assert_eq!(finished.status.code(), Some(2), "{arguments:?}");
    }
}
