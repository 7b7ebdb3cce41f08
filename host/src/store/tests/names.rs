//! A name leads to its original, costs no space, and is removed with it.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tempfile::TempDir;

use super::{file_of, named};
use crate::store::{Reference, Store, StoreError, StoreLimits, Swept};

fn store() -> (TempDir, Store) {
    let directory = tempfile::tempdir().expect("temporary directory");
    let store = open(&directory);
    (directory, store)
}

/// A store as another process would open it, with its own lease.
fn open(directory: &TempDir) -> Store {
    Store::open(directory.path(), StoreLimits::default()).expect("open")
}

/// An original and its name.
fn put(store: &Store, bytes: &[u8]) -> (Reference, PathBuf) {
    let reference = store.put(bytes).expect("put");
    let name = named(store, &reference, "build_output").expect("name");
    (reference, name)
}

fn inode(path: &Path) -> u64 {
    fs::metadata(path).expect("file").ino()
}

fn grow_old(path: &Path) {
    let then = SystemTime::now() - Duration::from_secs(30 * 24 * 60 * 60);
    File::open(path)
        .and_then(|file| file.set_modified(then))
        .expect("set the time of a file");
}

#[test]
fn a_name_is_the_original_itself() {
    let (directory, store) = store();
    let (reference, name) = put(&store, b"{\"rows\":[1,2]}");
    let expected = format!("named/build_output_{reference}.json");
    assert_eq!(name, directory.path().join(expected));
    assert_eq!(inode(&name), inode(&file_of(&store, &reference)));
    let mode = fs::metadata(&name).expect("file").mode() & 0o777;
    assert_eq!(mode, 0o600, "mode {mode:o}");

    assert_eq!(
        named(&store, &reference, "build_output").expect("again"),
        name
    );
    let other = named(&store, &reference, "other-1").expect("another name");
    assert_eq!(inode(&other), inode(&name));
    assert_eq!(
        named(&store, &reference, "").expect("none"),
        file_of(&store, &reference)
    );
    let listed = store.list().expect("list");
    assert_eq!(listed.len(), 1, "a name is no original");
    let partial = fs::read_dir(directory.path().join("partial")).expect("partial");
    assert_eq!(partial.count(), 0, "something half done is left");
}

#[test]
fn a_prefix_leads_nowhere_else() {
    let (directory, store) = store();
    let reference = store.put(b"one").expect("put");
    for prefix in ["../originals/x", "a/b", "/etc/x", ".."] {
        match named(&store, &reference, prefix) {
            Err(StoreError::Io { .. }) => {}
            Ok(name) => assert_eq!(
                name.parent(),
                Some(directory.path().join("named").as_path())
            ),
            Err(other) => panic!("{other}"),
        }
    }
    assert_eq!(store.list().expect("list").len(), 1);
}

#[test]
fn what_is_not_stored_gets_no_name() {
    let (directory, store) = store();
    let result = named(&store, &Reference::of(b"never"), "x");
    assert!(matches!(result, Err(StoreError::NotFound(_))), "{result:?}");
    let named = fs::read_dir(directory.path().join("named")).expect("named");
    assert_eq!(named.count(), 0);
}

#[test]
fn a_name_that_leads_elsewhere_is_replaced() {
    let (directory, store) = store();
    let (reference, name) = put(&store, b"one");
    fs::remove_file(&name).expect("remove");
    for elsewhere in ["a file", "a link to nothing", "a link to the original"] {
        match elsewhere {
            "a file" => fs::write(&name, b"other").expect("write"),
            "a link to nothing" => {
                fs::remove_file(&name).expect("remove");
                std::os::unix::fs::symlink("nothing", &name).expect("link");
            }
            _ => {
                fs::remove_file(&name).expect("remove");
                std::os::unix::fs::symlink(file_of(&store, &reference), &name).expect("link");
            }
        }
        assert_eq!(
            named(&store, &reference, "build_output").expect("name"),
            name
        );
        let found = fs::symlink_metadata(&name).expect("file");
        assert_eq!(
            found.ino(),
            inode(&file_of(&store, &reference)),
            "{elsewhere}"
        );
        let partial = fs::read_dir(directory.path().join("partial")).expect("partial");
        assert_eq!(partial.count(), 0, "{elsewhere}");
    }
}

#[test]
fn an_original_that_was_stored_anew_gets_its_name_again() {
    let (_directory, store) = store();
    let (reference, name) = put(&store, b"{\"rows\":[1,2,3]}");
    fs::write(file_of(&store, &reference), b"damaged").expect("damage");
    assert_eq!(fs::read(&name).expect("file"), b"damaged");
    let (_, again) = put(&store, b"{\"rows\":[1,2,3]}");
    assert_eq!(again, name);
    assert_eq!(inode(&name), inode(&file_of(&store, &reference)));
}

#[test]
fn a_directory_that_is_gone_is_made_again() {
    let (directory, store) = store();
    let reference = store.put(b"one").expect("put");
    for gone in ["named", "leases"] {
        fs::remove_dir_all(directory.path().join(gone)).expect("remove");
        let name = named(&store, &reference, "x").expect("name");
        assert_eq!(inode(&name), inode(&file_of(&store, &reference)), "{gone}");
        let mode = fs::metadata(directory.path().join("named"))
            .expect("made")
            .mode();
        assert_eq!(mode & 0o777, 0o700);
    }
}

#[test]
fn a_name_goes_with_its_original_and_stays_with_it() {
    let (directory, store) = store();
    let (old, old_name) = put(&store, b"old");
    let (_, young_name) = put(&store, b"young");
    grow_old(&file_of(&store, &old));
    let other = open(&directory);
    assert_eq!(other.sweep().expect("sweep").leased, 1);
    assert!(old_name.exists() && young_name.exists(), "a session lives");

    drop(store);
    let swept = other.sweep().expect("sweep");
    let expected = Swept {
        removed: 1,
        removed_bytes: 5,
        ..Swept::default()
    };
    assert_eq!(swept, expected);
    assert!(!old_name.exists() && young_name.exists());
    let partial = fs::read_dir(directory.path().join("partial")).expect("partial");
    assert_eq!(partial.count(), 0);
}

#[test]
fn a_name_without_an_original_stays_while_somebody_was_told_of_it() {
    let (directory, store) = store();
    let (reference, name) = put(&store, b"one");
    fs::remove_file(file_of(&store, &reference)).expect("remove");
    let other = open(&directory);
    assert_eq!(other.sweep().expect("sweep"), Swept::default());
    assert!(name.exists());
    drop(store);
    assert_eq!(other.sweep().expect("sweep"), Swept::default());
    assert!(!name.exists());
}

#[test]
fn a_name_that_a_killed_sweep_moved_is_put_back_or_goes() {
    let (directory, store) = store();
    let (_, name) = put(&store, b"one");
    let file = name
        .file_name()
        .and_then(|text| text.to_str())
        .expect("a name");
    let going = directory.path().join(format!("partial/{file}.going"));
    fs::rename(&name, &going).expect("move");
    let other = open(&directory);
    assert_eq!(other.sweep().expect("sweep"), Swept::default());
    assert!(name.exists() && !going.exists(), "put back");

    fs::rename(&name, &going).expect("move");
    drop(store);
    assert_eq!(other.sweep().expect("sweep"), Swept::default());
    assert!(!name.exists() && !going.exists(), "nobody holds it");
}

#[test]
fn files_that_are_no_names_are_left_alone() {
    let (directory, store) = store();
    let stranger = directory.path().join("named/notes.json");
    fs::write(&stranger, b"mine").expect("write");
    grow_old(&stranger);
    assert_eq!(store.sweep().expect("sweep"), Swept::default());
    assert!(stranger.exists());
}
