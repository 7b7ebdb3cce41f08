//! What replicas share in Redis, in a program that was built without it: a policy that names it is refused before.

use std::collections::HashMap;
use std::time::Duration;

/// Redis, for all sessions: never one.
#[derive(Debug, Clone)]
pub enum Shared {}

/// Why Redis cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("this Tamis was built without Redis (the cargo feature `replicas`)")]
pub struct SharedError;

/// No answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoAnswer;

impl Shared {
    pub fn open(_: &str, _: &str, _: Duration) -> Result<Shared, SharedError> {
        Err(SharedError)
    }

    pub fn state(&self) -> (bool, [u64; 2]) {
        match *self {}
    }

    pub fn name(&self, _: &str, _: &[&str]) -> String {
        match *self {}
    }

    pub fn count(
        &self,
        _: &str,
        _: u32,
        _: Option<Duration>,
        _: Duration,
    ) -> Result<bool, NoAnswer> {
        match *self {}
    }

    pub fn table(&self, _: &str, _: Duration) -> Result<HashMap<String, String>, NoAnswer> {
        match *self {}
    }

    pub fn set(
        &self,
        _: &str,
        _: Vec<(String, Option<String>)>,
        _: Duration,
    ) -> Result<(), NoAnswer> {
        match *self {}
    }
}
