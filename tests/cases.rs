//! Chains on documents: every folder in `cases/apply` is a filters.toml, an input and what
//! `tamis apply --tool tool` has to make of it, to the byte. `TAMIS_BLESS=1` writes the expected
//! files anew; read them before you commit them.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

#[test]
fn every_case_gives_what_it_should() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/cases/apply");
    let mut names: Vec<_> = std::fs::read_dir(&folder)
        .expect("the folder of cases")
        .map(|entry| entry.expect("a case").path())
        .collect();
    names.sort();
    assert!(names.len() >= 30, "only {} cases were found", names.len());
    let mut failures = String::new();
    for case in &names {
        if let Err(failure) = run(case) {
            write!(failures, "\n== {}\n{failure}", case.display()).expect("a string takes it");
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

fn run(case: &Path) -> Result<(), String> {
    let expected_file = case.join("expected.json");
    let mut command = Command::new(env!("CARGO_BIN_EXE_tamis"));
    command
        .args(["apply", "--tool", "tool", "--config"])
        .arg(case.join("filters.toml"))
        .arg(case.join("input.json"));
    let output = command.output().map_err(|error| error.to_string())?;
    let stderr = String::from_utf8_lossy(&output.stderr);
    // 3: withheld, which is what some cases are about.
    if !matches!(output.status.code(), Some(0 | 3)) {
        return Err(format!("{command:?}\n{}\n{stderr}", output.status));
    }
    if std::env::var_os("TAMIS_BLESS").is_some() {
        std::fs::write(&expected_file, &output.stdout).map_err(|error| error.to_string())?;
        return Ok(());
    }
    let expected = std::fs::read(&expected_file)
        .map_err(|error| format!("{}: {error}", expected_file.display()))?;
    if output.stdout == expected {
        return Ok(());
    }
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    Err(format!(
        "{command:?}\nexpected {}\ngot      {}\nstderr   {stderr}",
        text(&expected),
        text(&output.stdout)
    ))
}
