//! The times of a call's parts.

use serde_json::Value;

use super::author::{Author, guest, has_all, output_of};
use crate::support::built::Target;

#[test]
fn the_function_that_burns_the_time_is_named_and_the_firefox_profiler_has_what_it_needs() {
    let author = Author::new();
    author.folder.write("a.txt", "a document");
    let spin = guest(Target::Unknown, "spin");
    let line = [
        "plugin",
        "profile",
        &spin,
        "--document",
        "a.txt",
        "--settings",
        r#"{"rounds": 3000000}"#,
        "-o",
        "profile.json",
    ];
    let table = output_of(&author.tamis(&line), 0);
    let first = table.lines().nth(1).unwrap_or_default();
    assert!(first.ends_with("spin::spin"), "{table}");
    has_all(
        &table,
        &[
            "own",
            "total",
            "profile.json: open https://profiler.firefox.com",
        ],
    );

    let written = std::fs::read(author.folder.path().join("profile.json")).expect("the profile");
    let profile: Value = serde_json::from_slice(&written).expect("JSON");
    assert!(profile["meta"]["preprocessedProfileVersion"].as_u64() >= Some(50));
    for key in [
        "interval",
        "startTime",
        "product",
        "categories",
        "markerSchema",
    ] {
        assert!(!profile["meta"][key].is_null(), "meta has no {key}");
    }
    let thread = &profile["threads"][0];
    for key in [
        "frameTable",
        "funcTable",
        "stackTable",
        "stringArray",
        "nativeSymbols",
        "markers",
    ] {
        assert!(!thread[key].is_null(), "the thread has no {key}");
    }
    let samples = thread["samples"]["stack"].as_array().expect("samples");
    let seen = samples.iter().filter(|stack| !stack.is_null()).count();
    assert!(
        seen > 10,
        "{seen} of {} samples saw something",
        samples.len()
    );
    let strings = thread["stringArray"].as_array().expect("strings");
    assert!(
        strings
            .iter()
            .filter_map(Value::as_str)
            .any(|it| it.starts_with("spin::spin")),
        "{strings:?}"
    );
}

#[test]
fn a_call_that_never_ends_is_stopped_and_shown() {
    let author = Author::new();
    let spin = guest(Target::Unknown, "spin");
    let line = [
        "plugin",
        "profile",
        &spin,
        "--json",
        "--settings",
        r#"{"rounds": 18446744073709551615}"#,
    ];
    let profiled = author.tamis(&line);
    output_of(&profiled, 1);
    let profile: Value = serde_json::from_slice(&profiled.stdout).expect("JSON");
    assert_eq!(profile["functions"][0]["name"], "spin::spin");
    assert!(
        profile["functions"][0]["own"].as_f64() > Some(0.9),
        "{profile}"
    );
    assert_eq!(
        (&profile["calls"], &profile["has_names"]),
        (&1.into(), &true.into())
    );
    has_all(
        profile["failed"].as_str().unwrap_or_default(),
        &["it ran longer than 1s"],
    );
}

#[test]
fn a_plugin_without_names_is_said_to_have_none() {
    let author = Author::new();
    let named = std::fs::read(guest(Target::Unknown, "spin")).expect("the guest");
    author.folder.write("stripped.wasm", without_names(&named));
    let line = [
        "plugin",
        "profile",
        "stripped.wasm",
        "--settings",
        r#"{"rounds": 3000000}"#,
    ];
    has_all(
        &output_of(&author.tamis(&line), 0),
        &[
            "<wasm function ",
            "the plugin contains no names of functions",
            "strip = \"debuginfo\"",
        ],
    );
}

/// A core module without its custom section `name`.
fn without_names(module: &[u8]) -> Vec<u8> {
    let (mut stripped, mut rest) = (module[..8].to_vec(), &module[8..]);
    while let Some(&id) = rest.first() {
        let (mut size, mut shift, mut at) = (0, 0, 1);
        loop {
            let byte = rest[at];
            size |= usize::from(byte & 0x7f) << shift;
            (shift, at) = (shift + 7, at + 1);
            if byte < 0x80 {
                break;
            }
        }
        let (section, after) = rest.split_at(at + size);
        if id != 0 || !section[at..].starts_with(b"\x04name") {
            stripped.extend_from_slice(section);
        }
        rest = after;
    }
    assert!(stripped.len() < module.len(), "it had no names");
    stripped
}
