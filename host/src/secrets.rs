//! Environment variables that no program gets which this process starts.
//!
//! A policy names them: tokens of clients, headers of servers, what single servers need. So does a command line. Whoever
//! reads such a name notes it here, and whoever starts a program takes the variables out of its environment. What a
//! server needs, its own `env` says.

use crate::lock::lock;
use std::collections::BTreeSet;
use std::process::Command;
use std::sync::{Mutex, MutexGuard};

static NAMES: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// No program that is started from now on gets these variables.
pub fn note(names: impl IntoIterator<Item = String>) {
    noted().extend(names);
}

/// Takes them out of what a program is to get. Variables that it is to have all the same are set afterwards.
pub fn remove_from(command: &mut Command) {
    for name in &*noted() {
        command.env_remove(name);
    }
}

fn noted() -> MutexGuard<'static, BTreeSet<String>> {
    lock(&NAMES)
}
