//! A filter that keeps failing is paused; one that is not at fault is not.

use super::{Folder, Target, chain, outcomes, plugin, report, result, stderr, tamis};
use ::tamis::chain::Emission;
use ::tamis::document::Document;
use ::tamis::policy::Policy;
use ::tamis::sandbox::{CallInfo, Sandbox};

#[test]
fn three_faults_in_a_row_pause_a_filter() {
    let config = plugin(Target::Unknown, "panic", "")
        + &chain(&[r#"{ filter = "panic", at = "boom" }"#, r#""null-stripper""#]);
    let boom = r#"{"boom": null, "x": 1}"#;
    let run = tamis(&config, &["--json"], &result(&[boom; 5])).succeeded();
    let report = report(&run);
    let expected = [
        "trap", "edited", "trap", "edited", "trap", "edited", "paused", "edited", "paused",
        "edited",
    ];
    if outcomes(&report) != expected {
        run.fail("the fourth and fifth call should be left out, and they alone");
    }
    if stderr(&run).matches("3 times in a row").count() != 1 {
        run.fail("the pause should be reported once");
    }
}

/// A redactor is never paused, so that one server's data cannot withhold the results of others. One process and one
/// chain, as in a running proxy.
#[test]
fn a_filter_that_blocks_is_not_paused() {
    let folder = Folder::new();
    let config = plugin(Target::Unknown, "panic", "on-error = \"block\"")
        + &chain(&[r#"{ filter = "panic", at = "boom" }"#]);
    let path = folder.write("filters.toml", &config);
    let policy = Policy::load(&path, &[]).expect("the policy is sound");
    let sandbox = Sandbox::new(None).expect("start the sandbox");
    let chains = ::tamis::chain::load(policy, &sandbox).expect("the guest loads");
    let chain = chains
        .find(&tamis::policy::Piece::new(
            tamis::policy::Surface::Result,
            "tool",
        ))
        .expect("every tool has the chain");
    let call = CallInfo::of_result("server", "tool");
    for (text, expected) in [
        ("boom", "trap"),
        ("boom", "trap"),
        ("boom", "trap"),
        ("boom", "trap"),
        ("calm", "unchanged"),
    ] {
        let run = chain.run(
            &Document::detect(text),
            &call,
            &tamis::sandbox::Originals::none(),
        );
        let outcomes: Vec<&str> = run.receipts.iter().map(|it| it.outcome.name()).collect();
        assert_eq!(outcomes, [expected], "{text}");
        assert_eq!(
            matches!(run.emission, Emission::Withheld),
            text == "boom",
            "{text}: {run:?}"
        );
    }
}

#[test]
fn a_success_between_faults_keeps_a_filter_going() {
    let config =
        plugin(Target::Unknown, "panic", "") + &chain(&[r#"{ filter = "panic", at = "boom" }"#]);
    let texts = ["boom", "boom", "calm", "boom", "boom", "calm"];
    let run = tamis(&config, &["--json"], &result(&texts)).succeeded();
    let expected = ["trap", "trap", "unchanged", "trap", "trap", "unchanged"];
    if outcomes(&report(&run)) != expected {
        run.fail("the filter should never be paused");
    }
}

#[test]
fn what_is_not_the_filters_fault_does_not_pause_it() {
    let long = "x".repeat(1025);
    let refuses =
        plugin(Target::Unknown, "lie", "") + &chain(&[r#"{ filter = "lie", lie = "an-error" }"#]);
    let small =
        plugin(Target::Unknown, "noop", "limits = { input = \"1KiB\" }") + &chain(&[r#""noop""#]);
    for (config, text, outcome) in [
        (refuses, "text", "filter-error"),
        (small, long.as_str(), "input-too-large"),
    ] {
        let run = tamis(&config, &["--json"], &result(&[text; 6])).succeeded();
        if outcomes(&report(&run)) != [outcome; 6] {
            run.fail(&format!("all six should be {outcome}"));
        }
    }
}
