//! The same input gives the same bytes on another day, in another time zone, in another process with another store.
//! Neither a clock nor a process number reaches the model or a prompt cache.
//!
//! `setup.sh` installs libfaketime if it can. Without it, both runs are on the same day, and the test says so.

use crate::support::manifests;
use crate::support::mcp;
use std::path::PathBuf;
use std::process::Command;

use crate::support::mcp::{Client, Stage};
use serde_json::{Value, json};
use tamis::built_in;

fn policy() -> String {
    let chain = |filter: &built_in::BuiltIn| {
        let name = filter.name;
        let step = manifests::step(name);
        format!("[[chain]]\nname = \"{name}\"\ntools = [\"{name}\"]\nsteps = [{step}]\n")
    };
    built_in::FILTERS.iter().map(chain).collect()
}

fn result() -> Value {
    let rows: Vec<Value> = (0..200)
        .map(|id| json!({"id": id, "title": format!("row {id}"), "at": "2026-03-11T16:43:01Z", "none": null}))
        .collect();
    let hint = "ACTION REQUIRED: ".repeat(30);
    let document = json!({"success": true, "rows": rows, "_pending_annotations": {"count": 1, "nodes": ["a"], "hint": hint}});
    let log: String = (0..400)
        .map(|id| format!("\u{1b}[31m12:00:{:02}\u{1b}[0m line {id}\n", id % 60))
        .collect();
    json!({"content": [{"type": "text", "text": document.to_string()}, {"type": "text", "text": log}]})
}

/// A day and a time zone.
struct World {
    day: &'static str,
    zone: &'static str,
}

/// All bytes that a client gets in a session.
fn session(world: &World, faketime: Option<&PathBuf>, state: &str) -> Vec<u8> {
    let stage = Stage::new(&policy());
    stage.answers("tools/call", result().to_string());
    let tools: Vec<Value> = built_in::names()
        .iter()
        .map(|name| json!({"name": name, "inputSchema": {"type": "object"}}))
        .collect();
    stage.answers("tools/list", json!({"tools": tools}).to_string());
    let mut program = stage.proxy(&[]).env("TZ", world.zone);
    // A store whose path is as long as that of the others, because filters may name the file.
    program = program.env("TAMIS_STATE_DIR", state);
    if let Some(library) = faketime {
        program = program
            .env("LD_PRELOAD", library)
            .env("FAKETIME", world.day);
        // The monotonic clock runs as usual, or no wait would ever end.
        program = program.env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
    }
    let mut client = Client::of(program);
    let mut bytes = Vec::new();
    let mut ask = |method: &str, params: &Value| {
        let id = client.send(method, params);
        bytes.extend(client.line(id));
    };
    ask("tools/list", &json!({}));
    for name in built_in::names() {
        ask("tools/call", &json!({"name": name, "arguments": {}}));
        ask("tools/call", &json!({"name": name, "arguments": {}}));
    }
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let reference = mcp::references(&text)
        .next()
        .expect("something is cut")
        .to_owned();
    let id = client.send(
        "tools/call",
        &json!({"name": "tamis_read", "arguments": {"ref": reference}}),
    );
    bytes.extend(client.line(id));
    client.finish().succeeded();
    bytes
}

/// libfaketime, if it is installed and has an effect.
fn faketime() -> Option<PathBuf> {
    let found = ["x86_64", "aarch64"].into_iter().flat_map(|machine| {
        let folders = [
            format!("/usr/lib/{machine}-linux-gnu/faketime"),
            "/usr/lib64/faketime".to_owned(),
            "/usr/lib/faketime".to_owned(),
        ];
        folders.map(|folder| PathBuf::from(folder).join("libfaketimeMT.so.1"))
    });
    let library = found.into_iter().find(|path| path.exists())?;
    let date = Command::new("date")
        .arg("+%Y")
        .env("LD_PRELOAD", &library)
        .env("FAKETIME", "@2031-05-06 07:08:09")
        .output();
    (date.ok()?.stdout == b"2031\n").then_some(library)
}

#[test]
fn two_days_two_places_two_processes_give_the_same_bytes() {
    let faketime = faketime();
    if faketime.is_none() {
        eprintln!(
            "libfaketime is not installed (Debian: apt-get install libfaketime): one day, two time zones"
        );
    }
    let worlds = [
        World {
            day: "@2026-02-28 23:59:58",
            zone: "Pacific/Kiritimati",
        },
        World {
            day: "@2031-07-01 12:00:00",
            zone: "America/St_Johns",
        },
    ];
    let folder = crate::support::Folder::new();
    let place = |name: &str| folder.path().join(name).join("state").display().to_string();
    // A filter may name the folder, which is the store's only name, so both sessions use it in turn.
    let one = session(&worlds[0], faketime.as_ref(), &place("a"));
    std::fs::rename(folder.path().join("a"), folder.path().join("b")).expect("put the store away");
    let other = session(&worlds[1], faketime.as_ref(), &place("a"));
    assert!(one.len() > 10_000, "only {} bytes", one.len());
    let differ = one.iter().zip(&other).position(|(one, other)| one != other);
    if one != other {
        let at = differ
            .unwrap_or(one.len().min(other.len()))
            .saturating_sub(200);
        panic!(
            "two worlds gave two answers:\n{}\n{}",
            crate::support::excerpt(&one[at..(at + 600).min(one.len())]),
            crate::support::excerpt(&other[at..(at + 600).min(other.len())]),
        );
    }
    let ledgers = folder.path().join("b/state");
    assert!(ledgers.exists(), "the first session kept nothing");
}
