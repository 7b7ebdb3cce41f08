//! Originals of several processes that are killed, on disks that fill up, and in directories that are read-only or
//! vanish.

mod child;

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

use rustix::process::geteuid;
use tamis::store::{Reference, Store, StoreError, StoreLimits};

use self::child::{Spawned, Task};

/// The number of kills.
const KILLS: u64 = 100;

/// Far beyond the default age limit.
const LONG_AGO: Duration = Duration::from_secs(30 * 24 * 60 * 60);

#[test]
fn nothing_that_was_told_is_lost_by_kills() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let store = open(directory.path());
    let mut random = Random(0x7a31);
    let mut told = 0;
    for seed in 0..KILLS {
        let mut child = Spawned::new(Task::PutForever, directory.path(), seed);
        let mut lines: Vec<_> = (0..=random.below(6)).map(|_| child.line()).collect();
        // No wait for an event: this spreads the kills over all steps of a put.
        thread::sleep(Duration::from_micros(random.below(4000)));
        child.kill();
        lines.extend(child.rest());
        for line in &lines {
            let (number, reference) = stored(line);
            let got = store.get(&reference).unwrap_or_else(|error| {
                panic!("round {seed}: told of {reference}, and then: {error}")
            });
            assert!(
                got == content(seed, number),
                "round {seed}: other bytes in {line}"
            );
        }
        told += lines.len();
    }

    let originals = store.list().expect("list");
    for original in &originals {
        let got = store.get(&original.reference);
        assert!(got.is_ok(), "torn: {:?}", got.err());
    }
    let files = count(&directory.path().join("originals"));
    assert_eq!(files, originals.len(), "files that are no originals");
    assert!(
        originals.len() >= told,
        "{told} told, {} there",
        originals.len()
    );

    drop(store);
    let partial = directory.path().join("partial");
    let halves = count(&partial);
    for half in fs::read_dir(&partial).expect("partial") {
        grow_old(&half.expect("half").path());
    }
    let store = open(directory.path());
    let swept = store.sweep().expect("sweep");
    assert_eq!((swept.strays, swept.removed), (halves as u64, 0));
    assert_eq!(count(&partial), 0, "halves after a sweep");
    assert_eq!(
        count(&directory.path().join("leases")),
        0,
        "leases of the dead"
    );
}

#[test]
fn a_living_process_keeps_what_it_was_told_of_and_a_killed_one_does_not() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let store = open(directory.path());
    let mut one = Spawned::new(Task::PutAndWait, directory.path(), 1);
    let mut two = Spawned::new(Task::PutAndWait, directory.path(), 2);
    let (_, of_one) = stored(&one.line());
    let (_, of_two) = stored(&two.line());
    let sweep = || {
        for reference in [&of_one, &of_two] {
            if file_of(&store, reference).exists() {
                grow_old(&file_of(&store, reference));
            }
        }
        let swept = store.sweep().expect("sweep");
        (swept.removed, swept.leased)
    };
    assert_eq!(sweep(), (0, 2), "both live");
    one.kill();
    assert_eq!(sweep(), (1, 1), "one was killed");
    assert!(!file_of(&store, &of_one).exists() && file_of(&store, &of_two).exists());
    two.end();
    assert_eq!(sweep(), (1, 0), "the other ended");
}

#[test]
fn sweeps_and_puts_of_many_processes_never_lose_what_was_told() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let limits = StoreLimits {
        max_age: Duration::ZERO,
        max_bytes: 0,
        ..StoreLimits::default()
    };
    let store = Store::open(directory.path(), limits).expect("open");
    let children = [1, 2, 3].map(|seed| Spawned::new(Task::ComeAndGo, directory.path(), seed));
    let watching = children.map(|child| thread::spawn(move || child.end()));
    let mut removed = 0;
    while watching.iter().any(|thread| !thread.is_finished()) {
        removed += store.sweep().expect("sweep").removed;
    }
    for thread in watching {
        assert_eq!(thread.join().expect("a child without failure"), ["done"]);
    }
    assert!(removed > 0, "the sweeps had nothing to remove");
}

#[test]
fn a_file_size_limit_is_a_full_disk() {
    let directory = tempfile::tempdir().expect("temporary directory");
    // The shell counts in blocks of 512 or 1024 bytes; both are too few for the large content. The child also ignores
    // the ignored signal, and a write past the limit is an error.
    let script = "trap '' XFSZ && ulimit -S -f 256 && exec \"$@\"";
    let child = Spawned::within(
        &["sh", "-c", script, "sh"],
        Task::FillUp,
        directory.path(),
        0,
    );
    assert_eq!(child.end(), ["done"]);
}

#[test]
#[ignore = "mounts a small disk: needs root or user namespaces"]
fn a_small_disk_fills_up() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let script = "mount -t tmpfs -o size=256k,mode=700 tmpfs \"$0\" && exec \"$@\"";
    let path = directory.path().to_str().expect("a plain path");
    let own_mounts = [
        "unshare",
        "--map-root-user",
        "--mount",
        "sh",
        "-c",
        script,
        path,
    ];
    let child = Spawned::within(&own_mounts, Task::FillUp, directory.path(), 0);
    assert_eq!(child.end(), ["done"]);
}

#[test]
fn a_read_only_directory_is_an_error_for_as_long_as_it_is_one() {
    let directory = tempfile::tempdir().expect("temporary directory");
    // Root ignores permissions, unless it drops the capabilities for that.
    let bound: &[&str] = if geteuid().is_root() {
        &["setpriv", "--bounding-set=-dac_override"]
    } else {
        &[]
    };
    let child = Spawned::within(bound, Task::PutReadOnly, directory.path(), 0);
    assert_eq!(child.end(), ["done"]);
}

#[test]
fn a_directory_removed_under_a_running_store_is_made_again() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let state = directory.path().join("state");
    let store = open(&state);
    let before = store.put(b"before").expect("put");
    for gone in ["", "originals", "named", "partial", "leases"] {
        fs::remove_dir_all(state.join(gone)).expect("remove");
        let after = store.put(gone.as_bytes()).expect("put");
        assert_eq!(store.get(&after).expect("get"), gone.as_bytes());
        assert!(named(&store, &after, "x").expect("name").exists());
        assert_eq!(
            fs::metadata(state.join("originals")).expect("made").mode() & 0o777,
            0o700
        );
    }
    let lost = store.get(&before);
    assert!(matches!(lost, Err(StoreError::NotFound(_))), "{lost:?}");
    store.put(b"before").expect("put");
    assert_eq!(store.get(&before).expect("get"), b"before");

    // The lease was removed too: others must still respect the promise to this one.
    grow_old(&file_of(&store, &before));
    let swept = open(&state).sweep().expect("sweep");
    assert_eq!((swept.removed, swept.leased), (0, 1));
}

#[test]
fn something_else_in_the_place_of_the_directory_is_an_error_until_it_goes() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let state = directory.path().join("state");
    let store = open(&state);
    store.put(b"one").expect("put");
    fs::remove_dir_all(&state).expect("remove");
    fs::write(&state, b"in the way").expect("write");
    store.put(b"two").expect_err("put into a file");
    assert_eq!(fs::read(&state).expect("file"), b"in the way");
    fs::remove_file(&state).expect("remove");
    let reference = store.put(b"two").expect("put");
    assert_eq!(store.get(&reference).expect("get"), b"two");
}

fn stored(line: &str) -> (u64, Reference) {
    let words: Vec<_> = line.split(' ').collect();
    let ["stored", number, reference] = words[..] else {
        panic!("not what a child says: {line:?}");
    };
    let number = number.parse().expect("a number");
    (number, reference.parse().expect("a reference"))
}

fn open(directory: &Path) -> Store {
    Store::open(directory, StoreLimits::default()).expect("open")
}

/// The file of an original in the store.
fn file_of(store: &Store, reference: &Reference) -> PathBuf {
    named(store, reference, "").expect("a path")
}

/// A file of an original with a name that begins with `prefix`.
fn named(store: &Store, reference: &Reference, prefix: &str) -> Result<PathBuf, StoreError> {
    let file = store.file(reference, prefix)?;
    Ok(file.expect("a store of files"))
}

fn grow_old(path: &Path) {
    fs::File::open(path)
        .and_then(|file| file.set_modified(SystemTime::now() - LONG_AGO))
        .unwrap_or_else(|error| panic!("set the time of {}: {error}", path.display()));
}

fn count(directory: &Path) -> usize {
    fs::read_dir(directory).expect("directory").count()
}

/// Results of a tool, from a few bytes to a quarter of a megabyte, all different.
fn content(seed: u64, number: u64) -> Vec<u8> {
    let mut random = Random(seed << 32 | number);
    let rows = 1 << random.below(13);
    let rows: Vec<_> = (0..rows)
        .map(|row| format!(r#"{{"row":{row},"text":"{:x}\n"}}"#, random.next()))
        .collect();
    format!(
        r#"{{"from":[{seed},{number}],"rows":[{}]}}"#,
        rows.join(",")
    )
    .into_bytes()
}

/// Splitmix: the same numbers in the test and in its child.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }
}
