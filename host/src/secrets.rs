//! Environment variables that this process withholds from the programs that it starts.
//!
//! A policy names them: tokens of clients, headers of servers, variables of single servers. So does a command
//! line. The reader of such a name notes it here. The code that starts a program removes the variables from its
//! environment. A server's own `env` names the variables that it gets.

use crate::lock::lock;
use std::collections::BTreeSet;
use std::process::Command;
use std::sync::{Mutex, MutexGuard};

static NAMES: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Withholds these variables from every program that is started from now on.
pub fn note(names: impl IntoIterator<Item = String>) {
    noted().extend(names);
}

/// Removes them from a program's environment. Variables that it gets all the same are set afterwards.
pub fn remove_from(command: &mut Command) {
    for name in &*noted() {
        command.env_remove(name);
    }
}

fn noted() -> MutexGuard<'static, BTreeSet<String>> {
    lock(&NAMES)
}
