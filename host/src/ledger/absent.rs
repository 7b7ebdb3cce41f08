//! The ledger in PostgreSQL, in a program that was built without it: it asks nobody.

use super::Since;
use std::path::Path;

/// Copies a ledger: nobody can make one.
#[derive(Clone)]
pub struct Mirror(());

/// Why PostgreSQL cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("this Tamis was built without PostgreSQL (the cargo feature `replicas`)")]
pub struct PostgresError;

impl Mirror {
    pub fn start(_: &Path, _: &str) -> Result<Mirror, PostgresError> {
        Err(PostgresError)
    }

    pub fn close(&self) {}
}

pub fn fetch(_: &str, _: &Path, _: Option<Since>) -> Result<(), PostgresError> {
    Err(PostgresError)
}
