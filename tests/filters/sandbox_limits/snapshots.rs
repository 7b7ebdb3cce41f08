//! Filters that are configured once: each call begins with the memory after `configure`, and without traces of another
//! call, under the limits of every filter.

use super::world::logged_at;
use super::{KIB, Limits, MIB, SHORT, Target, applied, ends, failure, limits, names, wasm};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use tamis::policy::Grants;
use tamis::sandbox::{CacheDir, Filter, LoadError, Sandbox};
use tracing::Level;

/// The log's message about a snapshot.
const TAKEN: &str = "its snapshot after `configure` was taken";
const FOUND: &str = "its snapshot after `configure` was found";
const NONE: &str = "no snapshot after `configure`";

/// The guest with settings, as a process with this cache loads it, and its log at load.
fn remembers(
    cache: Option<&Path>,
    target: Target,
    settings: &Value,
    limits: &Limits,
) -> (Filter, String) {
    let sandbox = Sandbox::new(cache.map(CacheDir::at)).expect("start the sandbox");
    let mut filter = None;
    let log = logged_at(Level::DEBUG, || {
        let plugin = sandbox
            .load(
                "remembers",
                &wasm(target, "remembers"),
                Grants::all(),
                limits,
            )
            .expect("the guest loads");
        filter = Some(
            plugin
                .configure(&settings.to_string(), limits)
                .expect("it takes its settings"),
        );
    });
    (filter.expect("it is set"), log)
}

fn says(kept_bytes: u64) -> String {
    format!("configured 1, applied 1, {kept_bytes} bytes sound, 0 taken (0)")
}

fn snapshots(cache: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(cache.join("snapshots/wasm"))
        .into_iter()
        .flatten();
    files.map(|file| file.expect("an entry").path()).collect()
}

#[test]
fn a_call_sees_what_configure_left_and_no_other_call() {
    let (filter, log) = remembers(None, Target::Unknown, &json!({"keep-kib": 300}), &limits());
    assert!(log.contains(TAKEN), "{log}");
    for _ in 0..3 {
        assert_eq!(applied(&filter, "text"), says(300 * KIB));
    }
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| assert_eq!(applied(&filter, "text"), says(300 * KIB)));
        }
    });
}

#[test]
fn a_snapshot_outlives_the_process_and_belongs_to_its_settings() {
    let cache = tempfile::tempdir().expect("a folder");
    let load = |settings: Value| {
        let (filter, log) = remembers(Some(cache.path()), Target::Unknown, &settings, &limits());
        (applied(&filter, "text"), log)
    };
    let (said, log) = load(json!({"keep-kib": 1}));
    assert!(log.contains(TAKEN) && said == says(KIB), "{said}\n{log}");
    let (said, log) = load(json!({"keep-kib": 1}));
    assert!(log.contains(FOUND) && said == says(KIB), "{said}\n{log}");
    let (said, log) = load(json!({"keep-kib": 2}));
    assert!(
        log.contains(TAKEN) && said == says(2 * KIB),
        "{said}\n{log}"
    );
    assert_eq!(snapshots(cache.path()).len(), 2);
}

#[test]
fn a_snapshot_that_is_not_sound_is_taken_anew() {
    let cache = tempfile::tempdir().expect("a folder");
    let load = || {
        remembers(
            Some(cache.path()),
            Target::Unknown,
            &json!({"keep-kib": 1}),
            &limits(),
        )
    };
    load();
    let files = snapshots(cache.path());
    let [file] = &files[..] else {
        panic!("{files:?}")
    };
    let sound = fs::read(file).expect("a snapshot");
    for damaged in [&sound[..sound.len() - 1], b"", b"tamis snapshot 1"] {
        fs::write(file, damaged).expect("it is ours");
        let (filter, log) = load();
        assert!(log.contains(TAKEN), "{log}");
        assert_eq!(applied(&filter, "text"), says(KIB));
        assert!(
            fs::read(file).expect("a snapshot") == sound,
            "it is put right"
        );
    }
    // Another filter's snapshot, intact, under this one's name.
    remembers(
        Some(cache.path()),
        Target::Unknown,
        &json!({"keep-kib": 2}),
        &limits(),
    );
    let files = snapshots(cache.path());
    let other = files.iter().find(|other| *other != file).expect("another");
    fs::copy(other, file).expect("it is ours");
    let (filter, log) = load();
    assert!(log.contains(TAKEN), "{log}");
    assert_eq!(applied(&filter, "text"), says(KIB));
}

#[test]
fn the_same_settings_give_the_same_bytes() {
    let take = || {
        let cache = tempfile::tempdir().expect("a folder");
        remembers(
            Some(cache.path()),
            Target::Unknown,
            &json!({"keep-kib": 70}),
            &limits(),
        );
        let files = snapshots(cache.path());
        let [file] = &files[..] else {
            panic!("{files:?}")
        };
        fs::read(file).expect("a snapshot")
    };
    assert!(take() == take(), "two snapshots differ");
}

#[test]
fn where_there_can_be_none_each_call_is_configured() {
    // An import that `configure` calls.
    let (filter, log) = remembers(
        None,
        Target::Unknown,
        &json!({"asks": true, "keep-kib": 1}),
        &limits(),
    );
    assert!(log.contains(NONE), "{log}");
    let log = logged_at(Level::DEBUG, || {
        assert_eq!(applied(&filter, "text"), says(KIB))
    });
    assert!(log.contains("configured"), "{log}");
    // A component of several modules, with WASI, works with or without a snapshot.
    let (filter, _) = remembers(None, Target::Wasip1, &json!({"keep-kib": 1}), &limits());
    assert_eq!(applied(&filter, "text"), says(KIB));
    assert_eq!(applied(&filter, "text"), says(KIB));
}

#[test]
fn a_refusal_is_a_refusal() {
    let sandbox = Sandbox::new(None).expect("start the sandbox");
    let plugin = sandbox
        .load(
            "remembers",
            &wasm(Target::Unknown, "remembers"),
            Grants::all(),
            &limits(),
        )
        .expect("the guest loads");
    match plugin.configure(r#"{"refuse":"not these"}"#, &limits()) {
        Err(LoadError::Settings(refusal)) => assert_eq!(refusal, "not these"),
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("it should refuse"),
    }
}

#[test]
fn time_violated_in_a_snapshot() {
    let limits = Limits {
        time: SHORT,
        ..limits()
    };
    let (filter, log) = remembers(
        None,
        Target::Unknown,
        &json!({"spin": true, "keep-kib": 1}),
        &limits,
    );
    assert!(log.contains(TAKEN), "{log}");
    let error = ends(move || failure(&filter, "text"));
    names(&error, "time", "timeout");
}

/// The memory of the snapshot counts: 4 MiB of it and 2 MiB more fit into 8, 6 MiB more do not.
#[test]
fn memory_of_a_snapshot_counts() {
    let limits = Limits {
        memory_bytes: 8 * MIB,
        ..limits()
    };
    let load = |take_kib: u64| {
        let settings = json!({"keep-kib": 4 * KIB, "take-kib": take_kib});
        let (filter, log) = remembers(None, Target::Unknown, &settings, &limits);
        assert!(log.contains(TAKEN), "{log}");
        filter
    };
    let said = applied(&load(2 * KIB), "text");
    assert!(
        said.contains("4194304 bytes sound, 2097152 taken"),
        "{said}"
    );
    names(&failure(&load(6 * KIB), "text"), "memory", "memory");
}
