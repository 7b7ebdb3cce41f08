//! Tests from inside: what may wait, what is written, the sums of a report, and other processes at
//! the file.

mod opening;
mod processes;
mod queue;
mod reports;
mod writing;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use rusqlite::Connection;

use super::tokens::Count;
use super::{
    ClientInfo, Entry, GroupBy, Ledger, LedgerLimits, Question, ReadEntry, Report, StepEntry, file,
    report,
};

/// Words stand for tokens, so that a test can be checked by eye.
fn words() -> Box<Count> {
    Box::new(|text| text.split_whitespace().count() as u64)
}

/// Nothing is given up: the machine may be loaded. Nothing here waits for so long, either.
fn patient() -> LedgerLimits {
    LedgerLimits {
        close: Duration::from_secs(600),
        ..LedgerLimits::default()
    }
}

fn open(state: &Path) -> Ledger {
    Ledger::open_counting(state, patient(), words()).expect("open")
}

fn text(words: usize) -> Arc<str> {
    vec!["word"; words].join(" ").into()
}

/// A call of one document of ten words, of which one step left four.
fn entry(tool: &str) -> Entry {
    cut_entry(tool, 10, 4)
}

fn cut_entry(tool: &str, before: usize, after: usize) -> Entry {
    let (before, after) = (text(before), text(after));
    Entry {
        time: SystemTime::now(),
        server: "demo".to_owned(),
        tool: tool.to_owned(),
        chain: "rows".to_owned(),
        client: Some(ClientInfo {
            name: "agent".to_owned(),
            version: "1.2".to_owned(),
        }),
        session: "a".to_owned(),
        before: vec![Arc::clone(&before)],
        after: vec![Arc::clone(&after)],
        documents: vec![vec![step("spill", &before, &after)]],
        withheld: false,
        time_spent: Duration::from_micros(30),
        reference: None,
        shown: None,
        agent: None,
    }
}

fn step(filter: &str, before: &Arc<str>, after: &Arc<str>) -> StepEntry {
    StepEntry {
        filter: filter.to_owned(),
        outcome: if Arc::ptr_eq(before, after) {
            "unchanged"
        } else {
            "edited"
        },
        failed: false,
        cut: false,
        before: Arc::clone(before),
        after: Arc::clone(after),
        time: Duration::from_micros(10),
    }
}

fn read_back(reference: Option<&str>, session: &str, words: usize) -> ReadEntry {
    ReadEntry {
        time: SystemTime::now(),
        server: "demo".to_owned(),
        session: session.to_owned(),
        reference: reference.map(str::to_owned),
        answer: text(words),
        agent: None,
    }
}

fn ask(state: &Path, by: GroupBy) -> Report {
    let question = Question {
        by,
        since: None,
        server: None,
    };
    report(state, &question)
        .expect("a report")
        .expect("a ledger")
}

/// Another program at the same file.
fn open_database(state: &Path) -> Connection {
    Connection::open(file(state)).expect("open with SQLite")
}

fn count(state: &Path, table: &str) -> u64 {
    open_database(state)
        .query_row(&format!("SELECT count(*) FROM {table}"), [], |row| {
            row.get::<_, i64>(0)
        })
        .expect("count")
        .unsigned_abs()
}
