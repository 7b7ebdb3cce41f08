//! What holds for documents, checked against a model that is written for clearness alone.

mod cases;
mod document;
mod edits;
mod generate;
mod grammar;
mod model;
mod splices;
mod unquote;

use proptest::test_runner::Config;

/// More than the default of 256, since a case takes microseconds; no files of past failures, since a
/// failure prints its input.
fn config() -> Config {
    Config {
        cases: 1024,
        failure_persistence: None,
        ..Config::default()
    }
}
