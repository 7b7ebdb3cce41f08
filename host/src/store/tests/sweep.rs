//! Which files a sweep removes, and which stay.

use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, SystemTime};

use tempfile::TempDir;

use super::file_of;
use crate::store::{Reference, Store, StoreError, StoreLimits, Swept};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

fn store() -> (TempDir, Store) {
    let directory = tempfile::tempdir().expect("temporary directory");
    let store = open(&directory, StoreLimits::default());
    (directory, store)
}

/// A store as another process would open it, with its own lease.
fn open(directory: &TempDir, limits: StoreLimits) -> Store {
    Store::open(directory.path(), limits).expect("open")
}

fn grow_old(path: &Path, age: Duration) {
    File::open(path)
        .and_then(|file| file.set_modified(SystemTime::now() - age))
        .expect("set the time of a file");
}

fn gone(store: &Store, reference: &Reference) -> bool {
    match store.get(reference) {
        Ok(_) => false,
        Err(StoreError::NotFound(_)) => true,
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn age_decides() {
    let (directory, store) = store();
    let old = store.put(b"old").expect("put");
    let young = store.put(b"young").expect("put");
    grow_old(&file_of(&store, &old), 8 * DAY);
    grow_old(&file_of(&store, &young), 6 * DAY);
    drop(store);

    let store = open(&directory, StoreLimits::default());
    let swept = store.sweep().expect("sweep");
    let expected = Swept {
        removed: 1,
        removed_bytes: 5,
        ..Swept::default()
    };
    assert_eq!(swept, expected);
    assert!(gone(&store, &old) && !gone(&store, &young));
}

#[test]
fn the_oldest_go_until_the_size_is_right() {
    let (directory, store) = store();
    let references: Vec<_> = (0..10u8)
        .map(|n| store.put(&[b'a' + n; 98]).expect("put"))
        .collect();
    for (n, reference) in references.iter().enumerate() {
        let minutes = 60 - u32::try_from(n).expect("small");
        grow_old(
            &file_of(&store, reference),
            Duration::from_secs(60) * minutes,
        );
    }
    drop(store);

    // Each file takes 100 bytes.
    let limits = StoreLimits {
        max_bytes: 450,
        ..StoreLimits::default()
    };
    let store = open(&directory, limits);
    let swept = store.sweep().expect("sweep");
    assert_eq!((swept.removed, swept.removed_bytes), (6, 600));
    let left: Vec<_> = store
        .list()
        .expect("list")
        .iter()
        .map(|o| o.reference)
        .collect();
    assert_eq!(left, references[6..]);
    assert_eq!(
        store.sweep().expect("sweep"),
        Swept::default(),
        "a second sweep"
    );
}

#[test]
fn using_an_original_makes_it_young() {
    let (directory, store) = store();
    let put = store.put(b"put again").expect("put");
    let read = store.put(b"read").expect("put");
    let unused = store.put(b"unused").expect("put");
    for reference in [put, read, unused] {
        grow_old(&file_of(&store, &reference), 8 * DAY);
    }
    store.put(b"put again").expect("put");
    store.get(&read).expect("get");
    drop(store);

    let store = open(&directory, StoreLimits::default());
    assert_eq!(store.sweep().expect("sweep").removed, 1);
    assert!(gone(&store, &unused) && !gone(&store, &put) && !gone(&store, &read));
}

#[test]
fn what_a_live_session_was_told_of_stays() {
    let (directory, live) = store();
    let told = live.put(b"told").expect("put");
    let clone = live.clone();
    grow_old(&file_of(&live, &told), 8 * DAY);
    drop(live);

    let other = open(&directory, StoreLimits::default());
    for sweeper in [&other, &clone] {
        let swept = sweeper.sweep().expect("sweep");
        let expected = Swept {
            leased: 1,
            ..Swept::default()
        };
        assert_eq!(swept, expected);
    }
    drop(clone);
    assert_eq!(other.sweep().expect("sweep").removed, 1);
    assert!(gone(&other, &told));
}

#[test]
fn a_session_that_lives_long_holds_no_more_than_may_be_kept() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let limits = StoreLimits {
        max_bytes: 40_000,
        ..StoreLimits::default()
    };
    let live = open(&directory, limits);
    let references: Vec<_> = (0..20u8)
        .map(|n| live.put(&[b'a' + n; 5000]).expect("put"))
        .collect();
    let other = open(&directory, limits);
    // A sweep of the live one's own may be under way.
    let left = (0..2000).find_map(|_| {
        other.sweep().expect("sweep");
        let left = other.list().expect("list");
        std::thread::sleep(Duration::from_millis(5));
        (left.len() <= 8).then_some(left)
    });
    let left: Vec<_> = left
        .expect("they go")
        .iter()
        .map(|original| original.reference)
        .collect();
    assert!(left.len() >= 7, "{left:?}");
    for stays in &references[13..] {
        assert!(left.contains(stays), "{stays} is younger");
    }
    assert!(gone(&live, &references[0]));
}

#[test]
fn what_a_live_session_read_stays() {
    let (directory, writer) = store();
    let told = writer.put(b"told yesterday").expect("put");
    drop(writer);
    let reader = open(&directory, StoreLimits::default());
    reader.get(&told).expect("get");
    grow_old(&file_of(&reader, &told), 8 * DAY);
    let other = open(&directory, StoreLimits::default());
    assert_eq!(other.sweep().expect("sweep").leased, 1);
    assert!(!gone(&other, &told));
}

#[test]
fn an_original_that_a_killed_sweep_moved_is_still_there() {
    let (directory, live) = store();
    let told = live.put(b"told").expect("put");
    let going = directory
        .path()
        .join("partial")
        .join(format!("{told}.going"));
    fs::rename(file_of(&live, &told), &going).expect("move");
    assert_eq!(live.get(&told).expect("get"), b"told", "while it waits");

    let other = open(&directory, StoreLimits::default());
    assert_eq!(other.sweep().expect("sweep").leased, 1);
    assert!(
        file_of(&live, &told).exists() && !going.exists(),
        "put back"
    );

    fs::rename(file_of(&live, &told), &going).expect("move");
    live.put(b"told").expect("put anew");
    other.sweep().expect("sweep");
    assert!(
        file_of(&live, &told).exists() && !going.exists(),
        "stored anew meanwhile"
    );

    drop(live);
    fs::rename(file_of(&other, &told), &going).expect("move");
    let swept = other.sweep().expect("sweep");
    assert_eq!((swept.removed, swept.leased), (1, 0));
    assert!(gone(&other, &told), "nobody holds it any more");
}

#[test]
fn halves_go_when_they_are_old() {
    let (directory, store) = store();
    let partial = directory.path().join("partial");
    for (name, age) in [("0-0.new", Duration::ZERO), ("0-1.new", DAY)] {
        fs::write(partial.join(name), b"half").expect("write");
        grow_old(&partial.join(name), age);
    }
    assert_eq!(store.sweep().expect("sweep").strays, 1);
    assert!(partial.join("0-0.new").exists(), "may still be written");
    assert!(!partial.join("0-1.new").exists(), "its writer is dead");
}

#[test]
fn files_that_are_none_of_ours_are_left_alone() {
    let (directory, store) = store();
    let stranger = directory.path().join("originals/notes.txt");
    fs::write(&stranger, b"mine").expect("write");
    grow_old(&stranger, 100 * DAY);
    assert_eq!(store.sweep().expect("sweep"), Swept::default());
    assert!(stranger.exists());
}

#[test]
fn a_half_written_lease_entry_spoils_no_other() {
    let (directory, live) = store();
    let first = live.put(b"first").expect("put");
    let lease = fs::read_dir(directory.path().join("leases"))
        .expect("leases")
        .map(|entry| entry.expect("entry").path())
        .next()
        .expect("a lease");
    // As a full disk leaves it.
    let mut text = fs::read(&lease).expect("lease");
    text.extend_from_slice(b"\nabcdef");
    fs::write(&lease, text).expect("write");
    let second = live.put(b"second").expect("put");
    for reference in [first, second] {
        grow_old(&file_of(&live, &reference), 8 * DAY);
    }
    let other = open(&directory, StoreLimits::default());
    assert_eq!(other.sweep().expect("sweep").leased, 2);
}
