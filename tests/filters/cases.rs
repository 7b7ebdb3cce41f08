//! Chains on documents: every folder in `cases/apply` has a filters.toml, an input and the exact output. The same code
//! runs them for `tamis test`. `TAMIS_BLESS=1` writes the expected files again; read them before you commit them.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use crate::support::{COMPILED, Finished, Folder, Program};
use tamis::cases::{self, report};
use tamis::sandbox::{CacheDir, Sandbox};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/cases/apply")
}

#[test]
fn every_case_gives_what_it_should() {
    let sandbox = Sandbox::new(Some(CacheDir::at(COMPILED))).expect("a sandbox");
    let (suites, errors) = cases::gather(&folder(), None, &sandbox);
    assert!(errors.is_empty(), "{errors:?}");
    assert!(suites.len() >= 30, "only {} cases were found", suites.len());
    let mut failures = String::new();
    for suite in &suites {
        let ran = suite.cases.iter().map(|case| (case, suite.run(case)));
        let mut outcomes: Vec<_> = ran.collect();
        if std::env::var_os("TAMIS_BLESS").is_some() {
            cases::bless(suite, &mut outcomes).expect("write the expected files");
        }
        for (case, outcome) in outcomes.iter().filter(|(_, outcome)| !outcome.passed()) {
            let said = report::failure(suite, case, outcome, false);
            write!(failures, "\n== {}\n{said}", case.spec.name).expect("a string takes it");
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

fn tamis(arguments: &[&str]) -> Finished {
    let folder = Folder::new();
    let mut line = vec![env!("CARGO_BIN_EXE_tamis")];
    line.extend(arguments);
    Program::new(&line, folder.path())
        .env("TAMIS_CACHE_DIR", COMPILED)
        .run("")
}

#[test]
fn apply_prints_what_a_case_expects() {
    for (name, code) in [
        ("bare-json-document", 0),
        ("compact-rows-find-usages", 0),
        ("no-chain-for-this-tool", 0),
        ("block-withholds-text-that-no-filter-sees", 3),
    ] {
        let case = folder().join(name);
        let path = |file: &str| case.join(file).to_str().expect("UTF-8").to_owned();
        let (config, input) = (path("filters.toml"), path("input.json"));
        let done = tamis(&["apply", "--tool", "tool", "--config", &config, &input]);
        if done.status.code() != Some(code) {
            done.fail(name);
        }
        let expected = std::fs::read(path("expected.json")).expect("an expected file");
        if done.stdout != expected {
            done.fail(name);
        }
    }
}

#[test]
fn the_program_runs_them_too() {
    let count = std::fs::read_dir(folder()).expect("the cases").count();
    let done = tamis(&["test", folder().to_str().expect("UTF-8")]).succeeded();
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    let summary = format!("test result: ok. {count} passed; 0 failed\n");
    if !said.ends_with(&summary) {
        done.fail(&format!("it should have ended with `{summary}`"));
    }
}
