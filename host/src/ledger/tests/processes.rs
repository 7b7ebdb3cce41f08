//! Several processes at one file, and one that is killed.
//!
//! The other process is this test program, told to run one of the tests here that are ignored
//! otherwise. It says `ready` on standard output, and waits for a line.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::{ask, entry, open};
use crate::ledger::GroupBy;
use crate::ledger::database::Database;

/// Tells the other process where the ledger is.
const STATE: &str = "TAMIS_TEST_LEDGER";

const READY: &str = "ready";

fn start(test: &str, state: &Path) -> Child {
    let module = module_path!().split_once("::").expect("in a crate").1;
    let mut child = Command::new(std::env::current_exe().expect("this program"))
        .args(["--ignored", "--exact", "--nocapture"])
        .arg(format!("{module}::{test}"))
        .env(STATE, state)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("start");
    let mut lines = BufReader::new(child.stdout.as_mut().expect("a pipe")).lines();
    let ready = lines.any(|line| line.expect("a line").ends_with(READY));
    assert!(ready, "the other process ended");
    child
}

/// Tells the first process that the other one is ready.
fn say_ready_and_wait() {
    println!("{READY}");
    std::io::stdin()
        .lock()
        .read_line(&mut String::new())
        .expect("a line");
}

fn state_of_the_other() -> std::path::PathBuf {
    std::env::var_os(STATE).expect("run by another test").into()
}

#[test]
fn two_processes_that_write_at_once_lose_nothing() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let mut other = start("the_other_writes", directory.path());
    let ledger = open(directory.path());
    let mut pipe = other.stdin.take().expect("a pipe");
    pipe.write_all(b"go\n").expect("tell it");
    for _ in 0..300 {
        ledger.record(entry("here"));
    }
    ledger.close();
    let status = other.wait().expect("its end");
    assert!(status.success(), "{status}");
    let report = ask(directory.path(), GroupBy::Tool);
    assert_eq!((report.total.calls, report.dropped), (600, 0));
    assert_eq!((report.rows[0].calls, report.rows[1].calls), (300, 300));
}

#[test]
#[ignore = "the other process of a test"]
fn the_other_writes() {
    let ledger = open(&state_of_the_other());
    say_ready_and_wait();
    for _ in 0..300 {
        ledger.record(entry("there"));
    }
    ledger.close();
}

#[test]
fn a_process_killed_in_a_transaction_takes_that_alone() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let mut other = start("the_other_is_killed", directory.path());
    other.kill().expect("kill");
    other.wait().expect("its end");
    let report = ask(directory.path(), GroupBy::Tool);
    assert_eq!(report.total.calls, 2);
    assert_eq!(report.rows[0].name.as_deref(), Some("before"));
    let ledger = open(directory.path());
    ledger.record(entry("after"));
    ledger.close();
    assert_eq!(ask(directory.path(), GroupBy::Tool).total.calls, 3);
}

#[test]
#[ignore = "the other process of a test"]
fn the_other_is_killed() {
    let state = state_of_the_other();
    let ledger = open(&state);
    ledger.record(entry("before"));
    ledger.record(entry("before"));
    ledger.close();
    let mut database = Database::open(&state).expect("open").expect("a ledger");
    database
        .write(|transaction| {
            let copied = transaction.execute(
                "INSERT INTO calls SELECT id + 1000, time_ms, server, 'torn', chain, client, \
                 client_version, session, withheld, failed, bytes_before, bytes_after, \
                 tokens_before, tokens_after, time_us, reference, shown_before, \
                 shown_after, agent, is_estimated FROM calls",
                [],
            )?;
            assert_eq!(copied, 2);
            say_ready_and_wait();
            Ok(())
        })
        .expect("write");
}
