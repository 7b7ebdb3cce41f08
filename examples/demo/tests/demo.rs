//! Tests of the demo: its claims hold, or it reports a failure and ends with status 1.

use std::process::Command;

const DEMO: &str = env!("CARGO_BIN_EXE_tamis-demo");

#[test]
fn every_claim_holds() {
    let demo = Command::new(DEMO).output().expect("run the demo");
    let said = String::from_utf8_lossy(&demo.stdout);
    let complaint = String::from_utf8_lossy(&demo.stderr);
    assert!(demo.status.success(), "{complaint}\n{said}");
    assert!(
        said.lines().filter(|line| line.starts_with('✓')).count() >= 9,
        "{said}"
    );
}

#[test]
fn figures_are_there_for_programs() {
    let demo = Command::new(DEMO)
        .arg("--json")
        .output()
        .expect("run the demo");
    let figures: serde_json::Value = serde_json::from_slice(&demo.stdout).expect("JSON");
    assert!(
        figures
            .as_object()
            .is_some_and(|figures| !figures.is_empty()),
        "{figures}"
    );
}
