//! Tests from inside: the text form, places, names and permissions, what a sweep decides.

mod keep;
mod names;
mod sweep;
mod text;

use proptest::test_runner::Config;

/// No files of past failures, since a failure prints its input.
fn config(cases: u32) -> Config {
    Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    }
}
