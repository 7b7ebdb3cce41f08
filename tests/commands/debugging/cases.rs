//! Cases of a plugin: folders beside it, with the expected results.

use super::author::{Author, guest, has_all, lines, output_of};
use crate::support::built::Target;

const INPUT: &str = r#"{"a": null, "b": 1}"#;

fn author() -> Author {
    let author = Author::new();
    author.folder.write("cases/plain/input.json", INPUT);
    author.folder.write("cases/kept/input.json", INPUT);
    author
        .folder
        .write("cases/kept/settings.json", r#"{"keep": ["a"]}"#);
    author.folder.write("cases/said/input.json", INPUT);
    author.folder.write(
        "cases/said/test.toml",
        "tool = \"any\"\nlacks = [\"null\"]\n",
    );
    author
}

#[test]
fn each_has_its_settings_and_what_is_expected_is_written_by_bless() {
    let author = author();
    let line = ["plugin", "test", "null-stripper", "--cases", "cases"];
    let before = output_of(&author.tamis(&line), 1);
    has_all(
        &before,
        &[
            "hostile documents",
            "running 3 tests of cases",
            "test said ... ok",
            "expected.json is missing",
        ],
    );
    let blessed = output_of(&author.tamis(&[&line[..], &["--bless"]].concat()), 0);
    has_all(&blessed, &["wrote cases/plain/expected.json", "2 blessed"]);
    assert!(!blessed.contains("hostile"), "{blessed}");
    let read = |case: &str| {
        let path = author
            .folder
            .path()
            .join(format!("cases/{case}/expected.json"));
        std::fs::read_to_string(path).expect("it was written")
    };
    assert_eq!(read("plain"), r#"{"b": 1}"#);
    assert_eq!(read("kept"), INPUT);
    has_all(
        &output_of(&author.tamis(&line), 0),
        &["3 passed; 0 failed", " 0 failed"],
    );

    author
        .folder
        .write("cases/plain/expected.json", r#"{"b": 2}"#);
    let failed = author.tamis(&[&line[..], &["--json"]].concat());
    output_of(&failed, 1);
    let lines = lines(&failed);
    let of = |name: &str| {
        lines
            .iter()
            .find(|line| line["name"] == name)
            .expect("a line")
    };
    assert_eq!(of("plain")["status"], "failed");
    assert_eq!(of("kept")["status"], "ok");
}

#[test]
fn those_beside_a_plugin_are_run_and_a_step_that_fails_passes_none() {
    let author = author();
    std::fs::remove_dir_all(author.folder.path().join("cases")).expect("remove");
    let path = author.folder.path().join("house.wasm");
    std::fs::copy(guest(Target::Unknown, "panic"), &path).expect("copy");
    author.folder.write("tests/crash/input.txt", "boo");
    author.folder.write("tests/crash/expected.txt", "boo");
    author
        .folder
        .write("tests/crash/settings.json", r#"{"at": "boo"}"#);
    author.folder.write("tests/fine/input.txt", "all is well");
    author
        .folder
        .write("tests/fine/expected.txt", "all is well");
    author
        .folder
        .write("tests/fine/settings.json", r#"{"at": "boo"}"#);
    let line = [
        "plugin",
        "test",
        "house.wasm",
        "--settings",
        r#"{"at": "never"}"#,
    ];
    let tested = output_of(&author.tamis(&line), 1);
    has_all(
        &tested,
        &[
            "running 2 tests of ./tests",
            "test crash ... FAILED",
            "test fine ... ok",
            "filter `panic` failed: it crashed: panicked at",
            "help: fix the place",
        ],
    );
}

#[test]
fn what_is_broken_is_said() {
    let author = author();
    let line = ["plugin", "test", "null-stripper", "--bless", "--cases"];
    let with = |folder: &str| output_of(&author.tamis(&[&line[..], &[folder]].concat()), 2);
    has_all(&with("nowhere"), &["--cases nowhere: no such folder"]);
    std::fs::create_dir(author.folder.path().join("empty")).expect("make a folder");
    has_all(&with("empty"), &["no cases in empty"]);
    author.folder.write("cases/kept/settings.json", "[1]");
    has_all(
        &with("cases"),
        &[
            "the settings of a filter are a JSON object",
            "cases/kept/settings.json",
        ],
    );
    author
        .folder
        .write("cases/kept/settings.json", r#"{"keeps": ["a"]}"#);
    has_all(&with("cases"), &["keeps", "cases/kept"]);
    let none = output_of(&author.tamis(&line[..4]), 2);
    has_all(&none, &["--bless found no cases"]);
}
