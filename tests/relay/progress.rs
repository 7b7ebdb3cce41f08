//! Progress bars on a terminal for long tasks, and none elsewhere. The terminal is a real one, of `script`.

use crate::support::built;
use std::thread;
use std::time::Duration;

use crate::support::built::Target;
use crate::support::{Folder, Program, TAMIS};
use rusqlite::Connection;
use tamis::ledger::{self, Ledger, LedgerLimits};

/// A policy with a filter that takes three seconds, until its time limit.
fn slow_policy(folder: &Folder) {
    let guest = built::path(Target::Unknown, "spin");
    let policy = format!(
        "[[plugin]]\nname = \"slow\"\npath = \"{}\"\nlimits = {{ time = \"3s\" }}\n\n[[chain]]\ntools = [\"*\"]\nsteps = [{{ filter = \"slow\", at_configure = true, rounds = {} }}]\n",
        guest.display(),
        i64::MAX
    );
    folder.write("filters.toml", policy);
    folder.write("in.json", "{}");
}

/// A program of this shell line. `terminal`: its standard error is a terminal, which is copied to standard error.
fn shell(folder: &Folder, line: &str, terminal: bool) -> Program {
    let line = if terminal {
        format!("exec script --quiet --return --command '{line}' /dev/null 1>&2 </dev/null")
    } else {
        line.to_owned()
    };
    Program::new(&["sh", "-c", &line], folder.path())
        .env("TERM", "xterm")
        .env("HOME", folder.path())
        .env("TAMIS_CACHE_DIR", folder.path().join("cache"))
        .env("TAMIS_STATE_DIR", folder.path().join("state"))
}

#[test]
fn filters_that_take_long_to_load_are_waited_for_with_a_bar() {
    let lines = [
        "apply -c filters.toml -t any in.json >out",
        "check filters.toml >out",
        "explain any -c filters.toml >out",
        "run -c filters.toml -- cat >out",
    ];
    thread::scope(|scope| {
        for line in lines {
            scope.spawn(move || {
                let folder = Folder::new();
                slow_policy(&folder);
                let done = shell(&folder, &format!("{TAMIS} {line}"), true).run("");
                let said = String::from_utf8_lossy(&done.stderr).into_owned();
                let Some((_, after)) = said.split_once("compiling filters") else {
                    done.fail(&format!("{line}: there is no bar"));
                };
                // The bar is erased before any other output.
                if !after.contains("\u{1b}[2K") || after.ends_with("/1") {
                    done.fail(&format!("{line}: the bar stays"));
                }
                let out = std::fs::read(folder.path().join("out")).expect("standard output");
                if String::from_utf8_lossy(&out).contains("compiling") {
                    done.fail(&format!("{line}: there is a bar on standard output"));
                }
            });
        }
    });
}

#[test]
fn tests_of_a_policy_wait_with_a_bar() {
    let folder = Folder::new();
    slow_policy(&folder);
    // The filter's time limit is too long for this test, so the program is killed.
    let mut running = shell(&folder, &format!("{TAMIS} test filters.toml"), true).start();
    running.wait_for_log(0, "compiling filters");
}

#[test]
fn nobody_is_shown_a_bar_without_a_terminal() {
    let folder = Folder::new();
    slow_policy(&folder);
    let line = format!("{TAMIS} apply -c filters.toml -t any in.json");
    let done = shell(&folder, &line, false).run("");
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    if done.status.code() != Some(2) || said.contains("compiling") || said.contains('\u{1b}') {
        done.fail("it should say why it failed, and nothing else");
    }
}

#[test]
fn a_ledger_that_takes_long_to_read_is_waited_for_with_a_bar() {
    let folder = Folder::new();
    let state = folder.path().join("state");
    Ledger::open(&state, LedgerLimits::default())
        .expect("open the ledger")
        .close();
    // Another process that holds the lock.
    let holder = Connection::open(ledger::file(&state)).expect("open the ledger");
    // The thread that made it may still be at it.
    holder
        .busy_timeout(Duration::from_secs(60))
        .expect("wait for it");
    holder
        .execute_batch(
            "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; INSERT INTO drops VALUES (0, 7);",
        )
        .expect("hold it");
    let mut running = shell(&folder, &format!("{TAMIS} stats >out"), true).start();
    running.wait_for_log(0, "reading the ledger");
    holder.execute_batch("COMMIT").expect("let go of it");
    drop(holder);
    running.finish().succeeded();
    let out = std::fs::read_to_string(folder.path().join("out")).expect("standard output");
    assert!(out.starts_with("No receipts"), "{out}");
}
