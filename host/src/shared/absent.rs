//! What replicas share in Redis, in a program that was built without it: a policy that names it is refused before.

use std::collections::HashMap;
use std::time::Duration;
use tokio::runtime::Handle;

/// Redis, for all sessions: nobody can make one.
#[derive(Debug, Clone)]
pub struct Shared(());

/// Why Redis cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("this Tamis was built without Redis (the cargo feature `replicas`)")]
pub struct SharedError;

/// A window of calls.
#[derive(Debug, Clone)]
pub struct Window {
    pub name: String,
    pub most: u32,
    pub length: Option<Duration>,
    pub idle: Duration,
}

/// No answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoAnswer;

impl Shared {
    pub fn open(_: &str, _: &str, _: Duration) -> Result<Shared, SharedError> {
        Err(SharedError)
    }

    pub fn state(&self) -> (bool, [u64; 2]) {
        (true, [0, 0])
    }

    pub fn name(&self, _: &str, _: &[&str]) -> String {
        String::new()
    }

    pub fn ask_on(&self, _: Handle) {}

    pub async fn count(&self, _: Window) -> Result<bool, NoAnswer> {
        Err(NoAnswer)
    }

    pub fn count_now(&self, _: Window) -> Result<bool, NoAnswer> {
        Err(NoAnswer)
    }

    pub fn table(&self, _: &str, _: Duration) -> Result<HashMap<String, String>, NoAnswer> {
        Err(NoAnswer)
    }

    pub fn set(
        &self,
        _: &str,
        _: Vec<(String, Option<String>)>,
        _: Duration,
    ) -> Result<(), NoAnswer> {
        Err(NoAnswer)
    }
}
