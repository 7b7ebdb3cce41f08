//! Originals in an object store, in a program that was built without it: a policy that names one is refused before.

use super::{FileStore, Store};
use std::time::Duration;

/// The object store: never one.
#[derive(Debug, Clone)]
pub enum Objects {}

/// Why the object store cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("this Tamis was built without object stores (the cargo feature `replicas`)")]
pub struct ObjectsError;

impl Objects {
    pub fn open(
        _: &str,
        _: Duration,
        _: Option<(&str, Option<&str>)>,
    ) -> Result<Objects, ObjectsError> {
        Err(ObjectsError)
    }

    pub fn of_caller(&self, _: &str, _: FileStore) -> Store {
        match *self {}
    }

    pub fn state(&self) -> (bool, [u64; 2]) {
        match *self {}
    }
}
