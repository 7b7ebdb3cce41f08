//! Which files and directories are accepted as a ledger, and how old it may be.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, SystemTime};

use rusqlite::Connection;

use super::{ask, count, entry, open, open_database, patient, read_back};
use crate::ledger::database::Database;
use crate::ledger::{GroupBy, Ledger, LedgerError, Question, file, report};

fn refused(state: &Path) -> LedgerError {
    match Ledger::open(state, patient()) {
        Ok(_) => panic!("it was opened"),
        Err(error) => error,
    }
}

#[test]
fn a_ledger_of_a_newer_form_is_left_as_it_is() {
    let directory = tempfile::tempdir().expect("temporary directory");
    open(directory.path()).close();
    open_database(directory.path())
        .pragma_update(None, "user_version", 1_000)
        .expect("make it newer");
    let before = fs::read(file(directory.path())).expect("read");
    let error = refused(directory.path());
    assert!(
        matches!(error, LedgerError::Newer { found: 1_000, .. }),
        "{error}"
    );
    assert!(error.to_string().contains("newer Tamis"), "{error}");
    let question = Question {
        by: GroupBy::Tool,
        since: None,
        server: None,
    };
    let error = report(directory.path(), &question).expect_err("a report of it");
    assert!(matches!(error, LedgerError::Newer { .. }), "{error}");
    assert!(before == fs::read(file(directory.path())).expect("read"));
}

#[test]
fn a_ledger_of_an_older_form_is_brought_up() {
    let directory = tempfile::tempdir().expect("temporary directory");
    // Form 0 is a ledger with nothing in it.
    let old = open_database(directory.path());
    old.pragma_update(None, "application_id", 0x5461_6d69)
        .expect("a ledger");
    drop(old);
    fs::set_permissions(file(directory.path()), Permissions::from_mode(0o600)).expect("chmod");
    let ledger = open(directory.path());
    ledger.record(entry("x"));
    ledger.close();
    assert_eq!(ask(directory.path(), GroupBy::Tool).total.calls, 1);
}

#[test]
fn what_is_no_ledger_is_left_alone() {
    let foreign = {
        let directory = tempfile::tempdir().expect("temporary directory");
        let path = directory.path().join("other");
        let other = Connection::open(&path).expect("open");
        other
            .execute_batch("CREATE TABLE bookmarks (url TEXT)")
            .expect("a table");
        drop(other);
        fs::read(path).expect("read")
    };
    let junk =
        b"this is not a database, and it is longer than a header of one would be: ".repeat(100);
    for content in [foreign, junk, Vec::new()] {
        let directory = tempfile::tempdir().expect("temporary directory");
        fs::write(file(directory.path()), &content).expect("write");
        let error = refused(directory.path());
        assert!(matches!(error, LedgerError::NotALedger { .. }), "{error}");
        assert!(content == fs::read(file(directory.path())).expect("read"));
    }
}

#[test]
fn a_damaged_ledger_is_refused_or_read_but_never_crashes() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let ledger = open(directory.path());
    for _ in 0..200 {
        ledger.record(entry("x"));
    }
    ledger.close();
    drop(ledger);
    let path = file(directory.path());
    let whole = fs::read(&path).expect("read");
    let mut refusals = 0;
    for at in (0..whole.len()).step_by(whole.len() / 61) {
        let mut damaged = whole.clone();
        let end = (at + 200).min(damaged.len());
        damaged[at..end].fill(0xff);
        fs::write(&path, damaged).expect("damage");
        let question = Question {
            by: GroupBy::Filter,
            since: None,
            server: None,
        };
        refusals += usize::from(report(directory.path(), &question).is_err());
        if let Ok(ledger) = Ledger::open(directory.path(), patient()) {
            ledger.record(entry("y"));
            ledger.close();
        }
        for beside in ["ledger.sqlite-wal", "ledger.sqlite-shm"] {
            let _ = fs::remove_file(directory.path().join(beside));
        }
    }
    assert!(refusals > 0, "no damage was noticed");
}

#[test]
fn only_a_private_directory_and_a_plain_file_are_trusted() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let not_a_directory = directory.path().join("file");
    fs::write(&not_a_directory, "").expect("write");
    let error = refused(&not_a_directory);
    assert!(matches!(error, LedgerError::Unsafe { .. }), "{error}");
    let error = refused(&not_a_directory.join("state"));
    assert!(matches!(error, LedgerError::Io { .. }), "{error}");

    let open_to_all = directory.path().join("open");
    fs::create_dir(&open_to_all).expect("directory");
    fs::set_permissions(&open_to_all, Permissions::from_mode(0o777)).expect("chmod");
    let error = refused(&open_to_all);
    assert!(error.to_string().contains("chmod go-w"), "{error}");

    let linked = directory.path().join("linked");
    fs::create_dir(&linked).expect("directory");
    open(directory.path()).close();
    symlink(file(directory.path()), file(&linked)).expect("link");
    let error = refused(&linked);
    assert!(matches!(error, LedgerError::Unsafe { .. }), "{error}");

    let writable = directory.path().join("writable");
    open(&writable).close();
    fs::set_permissions(file(&writable), Permissions::from_mode(0o666)).expect("chmod");
    let error = refused(&writable);
    assert!(matches!(error, LedgerError::Unsafe { .. }), "{error}");

    let folder = directory.path().join("folder");
    fs::create_dir_all(file(&folder)).expect("directory");
    let error = refused(&folder);
    assert!(matches!(error, LedgerError::Unsafe { .. }), "{error}");
}

#[test]
fn a_directory_that_may_not_be_written_to_gives_an_error() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let state = directory.path().join("state");
    fs::create_dir(&state).expect("directory");
    fs::set_permissions(&state, Permissions::from_mode(0o500)).expect("chmod");
    let opened = Ledger::open(&state, patient());
    // Permissions do not bind root, which must get a ledger then.
    match opened {
        Ok(_) => assert!(rustix::process::geteuid().is_root()),
        Err(error) => assert!(error.to_string().contains("cannot create"), "{error}"),
    }
    fs::set_permissions(&state, Permissions::from_mode(0o700)).expect("chmod");
}

#[test]
fn what_is_old_goes_when_the_ledger_is_opened() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let day = Duration::from_secs(24 * 60 * 60);
    let ledger = open(directory.path());
    for (tool, days) in [("old", 91), ("young", 89)] {
        let time = SystemTime::now() - days * day;
        let mut call = entry(tool);
        (call.time, call.reference) = (time, Some(tool.to_owned()));
        ledger.record(call);
        for reference in [Some(tool), None] {
            let mut read = read_back(reference, "a", 1);
            read.time = time;
            ledger.record_read(read);
        }
    }
    ledger.close();
    assert_eq!(count(directory.path(), "calls"), 2);
    open_database(directory.path())
        .execute("INSERT INTO drops VALUES (0, 5)", [])
        .expect("an old drop");
    open(directory.path()).close();
    assert_eq!(count(directory.path(), "calls"), 1);
    assert_eq!(count(directory.path(), "steps"), 1);
    assert_eq!(count(directory.path(), "reads"), 2);
    assert_eq!(count(directory.path(), "drops"), 0);
    let report = ask(directory.path(), GroupBy::Tool);
    assert_eq!(report.rows[0].name.as_deref(), Some("young"));
}

#[test]
fn of_many_that_open_at_once_one_makes_the_ledger() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let start = Barrier::new(8);
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                start.wait();
                let ledger = open(directory.path());
                for _ in 0..50 {
                    ledger.record(entry("x"));
                }
                ledger.close();
            });
        }
    });
    let report = ask(directory.path(), GroupBy::Tool);
    assert_eq!((report.total.calls, report.dropped), (400, 0));
    let left: Vec<_> = fs::read_dir(directory.path())
        .expect("directory")
        .map(|entry| entry.expect("entry").file_name())
        .filter(|name| name.to_string_lossy().ends_with(".new"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn there_is_no_ledger_until_somebody_writes_one() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let found = Database::open(directory.path()).expect("look");
    assert!(found.is_none());
    assert!(!file(directory.path()).exists());
}
