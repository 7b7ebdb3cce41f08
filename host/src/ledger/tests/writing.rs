//! The rows that a receipt becomes in the file.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::{ask, count, entry, open, open_database, patient, read_back, step, text, words};
use crate::ledger::database::Database;
use crate::ledger::entry::Item;
use crate::ledger::tokens::o200k;
use crate::ledger::writer::Writer;
use crate::ledger::{ClientInfo, GroupBy, Ledger};
use crate::queue::Queue;

#[test]
fn a_call_is_one_row_and_a_step_one_for_each_outcome() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let ledger = open(directory.path());
    let mut call = entry("list");
    let (ten, four, three) = (text(10), text(4), text(3));
    let mut failed = step("table", &three, &three);
    (failed.outcome, failed.failed) = ("timeout", true);
    call.documents = vec![
        vec![step("strip", &ten, &four), step("table", &four, &four)],
        vec![step("strip", &ten, &four), step("table", &four, &three)],
        vec![step("strip", &three, &three), failed],
    ];
    call.reference = Some("hifwr65e7vjmulrg".to_owned());
    ledger.record(call);
    ledger.close();

    let connection = open_database(directory.path());
    let row: String = connection
        .query_row(
            "SELECT concat_ws(' ', server, tool, chain, client, client_version, session, withheld, \
             failed, bytes_before, bytes_after, tokens_before, tokens_after, time_us, reference) \
             FROM calls",
            [],
            |row| row.get(0),
        )
        .expect("one call");
    assert_eq!(
        row,
        "demo list rows agent 1.2 a 0 1 49 19 10 4 30 hifwr65e7vjmulrg"
    );
    let mut steps = connection
        .prepare(
            "SELECT concat_ws(' ', step, filter, outcome, documents, failed, cut, bytes_before, \
             bytes_after, tokens_before, tokens_after, time_us) FROM steps ORDER BY step, outcome",
        )
        .expect("steps");
    let steps: Vec<String> = steps
        .query_map([], |row| row.get(0))
        .expect("steps")
        .collect::<Result<_, _>>()
        .expect("steps");
    assert_eq!(
        steps,
        [
            "0 strip edited 2 0 0 98 38 20 8 20",
            "0 strip unchanged 1 0 0 14 14 3 3 10",
            "1 table edited 1 0 0 19 14 4 3 10",
            "1 table timeout 1 1 0 14 14 3 3 10",
            "1 table unchanged 1 0 0 19 19 4 4 10",
        ]
    );
}

#[test]
fn a_text_that_is_there_twice_is_counted_once() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let counted = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&counted);
    let count = Box::new(move |_: &str| {
        seen.fetch_add(1, Ordering::Relaxed);
        1
    });
    let ledger = Ledger::open_counting(directory.path(), patient(), count).expect("open");
    let mut call = entry("x");
    let (before, after) = (Arc::clone(&call.before[0]), Arc::clone(&call.after[0]));
    call.documents[0].push(step("second", &after, &after));
    call.documents.push(vec![step("strip", &before, &after)]);
    ledger.record(call);
    ledger.close();
    assert_eq!(counted.load(Ordering::Relaxed), 2);
    assert_eq!(ask(directory.path(), GroupBy::Tool).total.calls, 1);
}

#[test]
fn tokens_are_those_of_o200k() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let ledger = Ledger::open(directory.path(), patient()).expect("open");
    ledger.record(entry("x"));
    ledger.close();
    let total = ask(directory.path(), GroupBy::Tool).total;
    assert_eq!((total.tokens_before, total.tokens_after), (10, 4));
    assert_eq!(o200k("[tamis] hello"), 4);
}

#[test]
fn the_ledger_holds_no_text_and_is_for_its_owner_alone() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let state = directory.path().join("new/state");
    let ledger = open(&state);
    let mut call = entry("x");
    call.before = vec!["hunter2 before".into()];
    call.after = vec!["hunter2 after".into()];
    call.documents[0][0].before = "hunter2 step".into();
    ledger.record(call);
    let mut answer = read_back(None, "a", 1);
    answer.answer = "hunter2 answer".into();
    ledger.record_read(answer);
    // Before it is closed: closing removes SQLite's other files.
    let mode = |path| fs::metadata(path).expect("file").permissions().mode() & 0o777;
    assert_eq!(mode(state.clone()), 0o700);
    for entry in fs::read_dir(&state).expect("directory") {
        let path = entry.expect("entry").path();
        assert_eq!(mode(path.clone()), 0o600, "{}", path.display());
    }
    ledger.close();
    assert_eq!(count(&state, "calls") + count(&state, "reads"), 2);
    let names: Vec<_> = fs::read_dir(&state)
        .expect("directory")
        .map(|entry| entry.expect("entry").path())
        .collect();
    for path in names {
        let bytes = fs::read(&path).expect("read");
        let found = bytes.windows(7).any(|window| window == b"hunter2");
        assert!(!found, "{} holds a text", path.display());
    }
}

#[test]
fn what_was_read_back_is_of_the_sessions_last_call() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let ledger = open(directory.path());
    for (tool, session, reference) in [
        ("old", "a", "same"),
        ("own", "a", "same"),
        ("other", "a", "another"),
        ("foreign", "b", "same"),
    ] {
        let mut call = entry(tool);
        call.session = session.to_owned();
        call.reference = Some(reference.to_owned());
        ledger.record(call);
    }
    ledger.record_read(read_back(Some("same"), "a", 1));
    ledger.record_read(read_back(Some("same"), "c", 2));
    ledger.record_read(read_back(Some("never kept"), "a", 4));
    ledger.record_read(read_back(None, "a", 8));
    ledger.close();
    let report = ask(directory.path(), GroupBy::Tool);
    let reread = |tool: Option<&str>| {
        let row = report.rows.iter().find(|row| row.name.as_deref() == tool);
        row.map(|row| row.reread_tokens)
    };
    assert_eq!(reread(Some("own")), Some(1));
    assert_eq!(reread(Some("foreign")), Some(2), "the last one of all");
    assert_eq!(reread(None), Some(12), "no call is known");
    assert_eq!(reread(Some("old")), Some(0));
    assert_eq!((report.total.reads, report.total.reread_tokens), (4, 15));
}

#[test]
fn what_could_not_be_written_is_counted_when_it_can() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let state = directory.path().to_owned();
    let database = Database::open_or_create(&state).expect("open");
    open_database(&state)
        .execute("ALTER TABLE steps RENAME TO elsewhere", [])
        .expect("break it");
    let queue = Arc::new(Queue::new(100, usize::MAX));
    queue.push(Item::Call(Box::new(entry("lost"))), 0);
    // The first count brings a second batch, and the first count of that one repairs the file.
    let (counts, inside) = (Mutex::new(0), Arc::clone(&queue));
    let count = Box::new(move |text: &str| {
        let mut counts = counts.lock().expect("one thread");
        *counts += 1;
        if *counts == 1 {
            inside.push(Item::Call(Box::new(entry("kept"))), 0);
        } else if *counts == 3 {
            open_database(&state)
                .execute("ALTER TABLE elsewhere RENAME TO steps", [])
                .expect("mend it");
            inside.close(Duration::ZERO);
        }
        words()(text)
    });
    Writer::new(database, queue, Arc::default(), count).run(patient().max_age);
    let report = ask(directory.path(), GroupBy::Tool);
    assert_eq!(report.rows[0].name.as_deref(), Some("kept"));
    assert_eq!((report.total.calls, report.dropped), (1, 1));
}

#[test]
fn the_last_clone_writes_what_waits() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let ledger = open(directory.path());
    let other = ledger.clone();
    ledger.record(entry("x"));
    drop(ledger);
    other.record(entry("y"));
    drop(other);
    assert_eq!(count(directory.path(), "calls"), 2);
}

#[test]
fn a_client_may_be_unnamed() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let ledger = open(directory.path());
    let mut unnamed = entry("x");
    unnamed.client = None;
    ledger.record(unnamed);
    let mut named = entry("x");
    named.client = Some(ClientInfo {
        name: "\"odd\"; DROP TABLE calls".to_owned(),
        version: String::new(),
    });
    ledger.record(named);
    ledger.close();
    let rows = ask(directory.path(), GroupBy::Client).rows;
    let names: Vec<_> = rows.iter().map(|row| row.name.as_deref()).collect();
    assert_eq!(names, [Some("\"odd\"; DROP TABLE calls"), None]);
}
