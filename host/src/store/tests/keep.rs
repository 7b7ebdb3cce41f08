//! Stored bytes come back, damaged ones are refused, and other users get none.

use std::fs::{self, Permissions};
use std::io::{Error, ErrorKind};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use proptest::prelude::*;
use tempfile::TempDir;

use super::{config, file_of};
use crate::store::error::failed;
use crate::store::{NotAReference, Reference, Store, StoreError, StoreLimits};

fn store() -> (TempDir, Store) {
    let directory = tempfile::tempdir().expect("temporary directory");
    let store = Store::open(&directory.path().join("state"), StoreLimits::default()).expect("open");
    (directory, store)
}

fn names(directory: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(directory)
        .expect("directory")
        .map(|entry| {
            entry
                .expect("entry")
                .file_name()
                .into_string()
                .expect("name")
        })
        .collect();
    names.sort();
    names
}

#[test]
fn any_bytes_come_back() {
    let (_directory, store) = store();
    // Each case waits for the disk.
    proptest!(config(32), |(bytes in prop::collection::vec(any::<u8>(), 0..5000))| {
        let reference = store.put(&bytes).expect("put");
        prop_assert_eq!(store.get(&reference).expect("get"), bytes);
    });
}

#[test]
fn megabytes_come_back() {
    let (_directory, store) = store();
    let row = r#"{"id":12,"text":"a line\nand another","tags":["a","b"]},"#;
    let bytes = format!("[{}null]", row.repeat(100_000)).into_bytes();
    let reference = store.put(&bytes).expect("put");
    assert!(store.get(&reference).expect("get") == bytes, "other bytes");
}

#[test]
fn the_same_bytes_are_one_file_with_one_content() {
    let (_directory, one) = store();
    let (_other_directory, other) = store();
    let bytes = br#"{"content":[{"type":"text","text":"a\nb"}]}"#;
    let reference = one.put(bytes).expect("put");
    let inode = fs::metadata(file_of(&one, &reference)).expect("file").ino();
    assert_eq!(one.put(bytes).expect("put again"), reference);
    assert_eq!(other.put(bytes).expect("put elsewhere"), reference);

    assert_eq!(one.list().expect("list").len(), 1);
    let again = fs::metadata(file_of(&one, &reference)).expect("file").ino();
    assert_eq!(inode, again, "written twice");
    assert_eq!(
        fs::read(file_of(&one, &reference)).expect("file"),
        fs::read(file_of(&other, &reference)).expect("file"),
    );
}

#[test]
fn a_reference_is_stable_and_parses_back() {
    // The first 80 bits of the SHA-256 of "tamis", in base 32.
    let reference = Reference::of(b"tamis");
    assert_eq!(reference.to_string(), "hifwr65e7vjmulrg");
    assert_eq!(reference.to_string().parse(), Ok(reference));
    for wrong in [
        "",
        "abc",
        "ABCDEFGHIJKLMNOP",
        "../../etc/passwd",
        "0bcdefghijklmnop",
        "abcdefghijklmnopq",
    ] {
        assert_eq!(wrong.parse::<Reference>(), Err(NotAReference), "{wrong:?}");
    }
}

#[test]
fn a_range_is_that_of_the_content() {
    let (_directory, store) = store();
    // Longer than a line of the file, with spaces before line feeds, which the file spells otherwise.
    let bytes = "one two, three \n".repeat(100).into_bytes();
    let reference = store.put(&bytes).expect("put");
    let long_lines = vec![b'x'; 3000];
    let long = store.put(&long_lines).expect("put");
    for (reference, bytes) in [(reference, &bytes), (long, &long_lines)] {
        for (from, to) in [
            (0, 0),
            (0, 1),
            (0, 700),
            (499, 1203),
            (1000, 9000),
            (5000, 5001),
        ] {
            let found = store
                .originals
                .get_range(&reference, from..to)
                .expect("a range");
            let within = |place: u64| bytes.len().min(place as usize);
            assert_eq!(found, bytes[within(from)..within(to)], "{from}..{to}");
        }
    }
    let result = store.beginning(&Reference::of(b"never"), 9);
    assert!(matches!(result, Err(StoreError::NotFound(_))), "{result:?}");
}

#[test]
fn what_was_never_stored_is_not_found() {
    let (_directory, store) = store();
    let result = store.get(&Reference::of(b"never"));
    assert!(matches!(result, Err(StoreError::NotFound(_))), "{result:?}");
}

#[test]
fn a_damaged_original_is_not_given_out_and_is_stored_anew() {
    let (_directory, store) = store();
    let bytes = b"{\"rows\":[1,2,3]}\n".repeat(100);
    let reference = store.put(&bytes).expect("put");
    let path = file_of(&store, &reference);
    let whole = fs::read(&path).expect("file");
    let mut flipped = whole.clone();
    flipped[40] ^= 1;
    let longer = [whole.as_slice(), b"more"].concat();
    for damaged in [&whole[..whole.len() / 2], &whole[..0], &flipped, &longer] {
        fs::write(&path, damaged).expect("damage");
        let result = store.get(&reference);
        assert!(
            matches!(result, Err(StoreError::Damaged { .. })),
            "{result:?}"
        );
        assert_eq!(store.put(&bytes).expect("put again"), reference);
        assert_eq!(store.get(&reference).expect("get"), bytes);
    }
}

#[test]
fn a_file_of_other_content_is_never_taken_for_the_same() {
    let (_directory, store) = store();
    let one = store.put(b"one").expect("put");
    let two = store.put(b"two").expect("put");
    fs::copy(file_of(&store, &two), file_of(&store, &one)).expect("copy");
    let result = store.get(&one);
    assert!(
        matches!(result, Err(StoreError::Damaged { .. })),
        "{result:?}"
    );
    store.put(b"one").expect("put");
    assert_eq!(store.get(&one).expect("get"), b"one");
}

#[test]
fn a_collision_is_refused_and_the_first_stays() {
    let (_directory, store) = store();
    let reference = store.put(b"first").expect("put");
    // Nobody has two contents of one reference at hand, so this asks beneath the hash.
    let result = store.originals.put(reference, b"second");
    assert!(
        matches!(result, Err(StoreError::Collision(_))),
        "{result:?}"
    );
    assert_eq!(store.get(&reference).expect("get"), b"first");
}

#[test]
fn an_original_up_to_the_limit_is_kept_and_one_above_refused() {
    let (directory, _) = store();
    let limits = StoreLimits {
        max_original_bytes: 10,
        ..StoreLimits::default()
    };
    let store = Store::open(&directory.path().join("state"), limits).expect("open");
    store.put(&[b'x'; 10]).expect("ten bytes");
    let result = store.put(&[b'x'; 11]);
    let expected = matches!(
        result,
        Err(StoreError::TooLarge {
            bytes: 11,
            limit_bytes: 10
        })
    );
    assert!(expected, "{result:?}");
}

#[test]
fn only_the_owner_may_read() {
    let (directory, store) = store();
    let reference = store.put(b"secret").expect("put");
    let state = directory.path().join("state");
    let lease = state.join("leases").join(&names(&state.join("leases"))[0]);
    for (path, expected) in [
        (state.clone(), 0o700),
        (state.join("originals"), 0o700),
        (state.join("named"), 0o700),
        (state.join("partial"), 0o700),
        (state.join("leases"), 0o700),
        (file_of(&store, &reference), 0o600),
        (lease, 0o600),
    ] {
        let mode = fs::metadata(&path).expect("made").mode() & 0o777;
        assert_eq!(mode, expected, "{} has mode {mode:o}", path.display());
    }
}

#[test]
fn nothing_is_left_beside_what_was_stored() {
    let (directory, store) = store();
    let reference = store.put(b"one").expect("put");
    store.put(b"one").expect("put");
    let state = directory.path().join("state");
    assert_eq!(
        names(&state.join("originals")),
        [format!("{reference}.txt")]
    );
    assert_eq!(names(&state.join("partial")), [""; 0]);
    assert_eq!(names(&state.join("leases")).len(), 1);
    drop(store);
    assert_eq!(
        names(&state.join("leases")),
        [""; 0],
        "a lease without a store"
    );
}

#[test]
fn a_directory_that_others_can_write_is_refused() {
    for (mode, accepted) in [
        (0o700, true),
        (0o755, true),
        (0o770, false),
        (0o707, false),
        (0o1777, false),
    ] {
        let directory = tempfile::tempdir().expect("temporary directory");
        fs::set_permissions(directory.path(), Permissions::from_mode(mode)).expect("chmod");
        match Store::open(directory.path(), StoreLimits::default()) {
            Ok(_) => assert!(accepted, "opened with mode {mode:o}"),
            Err(StoreError::Unsafe { why, .. }) => assert!(!accepted, "refused {mode:o}: {why}"),
            Err(other) => panic!("mode {mode:o}: {other}"),
        }
    }
}

#[test]
fn the_directories_within_are_checked_too() {
    let (directory, _) = store();
    let state = directory.path().join("state");
    fs::set_permissions(state.join("originals"), Permissions::from_mode(0o777)).expect("chmod");
    let result = Store::open(&state, StoreLimits::default());
    assert!(
        matches!(result, Err(StoreError::Unsafe { .. })),
        "{result:?}"
    );
}

#[test]
fn a_directory_of_somebody_else_is_refused() {
    // For root, somebody else's; for everybody else, root's.
    let directory = tempfile::tempdir().expect("temporary directory");
    let of_others = if rustix::process::geteuid().is_root() {
        std::os::unix::fs::chown(directory.path(), Some(65_534), None).expect("chown");
        directory.path()
    } else {
        Path::new("/")
    };
    match Store::open(of_others, StoreLimits::default()) {
        Err(StoreError::Unsafe { why, .. }) => assert!(why.contains("belongs to user"), "{why}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_the_system_says_is_told_apart() {
    let kind = |errno: rustix::io::Errno| {
        failed("write", Path::new("x"))(Error::from_raw_os_error(errno.raw_os_error()))
    };
    use rustix::io::Errno;
    for full in [Errno::NOSPC, Errno::DQUOT, Errno::FBIG] {
        assert!(matches!(kind(full), StoreError::Full { .. }), "{full}");
    }
    for refused in [Errno::ROFS, Errno::ACCESS, Errno::PERM] {
        assert!(
            matches!(kind(refused), StoreError::NotWritable { .. }),
            "{refused}"
        );
    }
    let other = kind(Errno::IO);
    assert!(
        matches!(&other, StoreError::Io { source, .. } if source.kind() != ErrorKind::NotFound)
    );
}
