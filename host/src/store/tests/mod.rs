//! Tests from inside: the text form, places, names and permissions, decisions of a sweep.

#[cfg(feature = "replicas")]
mod connector;
mod keep;
mod names;
mod sweep;
mod text;

use std::path::PathBuf;

use proptest::test_runner::Config;

use super::{Reference, Store, StoreError};

/// The file of an original.
fn file_of(store: &Store, reference: &Reference) -> PathBuf {
    named(store, reference, "").expect("a path")
}

/// A file of an original with a name that begins with `prefix`.
fn named(store: &Store, reference: &Reference, prefix: &str) -> Result<PathBuf, StoreError> {
    let file = store.file(reference, prefix)?;
    Ok(file.expect("a store of files"))
}

/// No files of past failures, since a failure prints its input.
fn config(cases: u32) -> Config {
    Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    }
}
