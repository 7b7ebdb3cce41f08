//! Recordings that a test writes, and members of those that Tamis wrote.

use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use serde_json::{Value, json};
use tamis::recording::Call;

use crate::support::{Finished, Folder};

/// A folder of recorded calls.
pub struct Recording<'a> {
    folder: &'a Folder,
    name: &'static str,
    next: Cell<u32>,
}

impl Recording<'_> {
    pub fn new<'a>(folder: &'a Folder, name: &'static str) -> Recording<'a> {
        Recording {
            folder,
            name,
            next: Cell::new(0),
        }
    }

    /// Adds a call. Returns the name of its file.
    pub fn write(&self, call: &Call) -> String {
        let number = self.next.get();
        self.next.set(number + 1);
        let name = format!("0000000000001-00000000-{number:06}.json");
        let bytes = call.to_bytes().expect("it is JSON");
        self.folder.write(&format!("{}/{name}", self.name), bytes);
        name
    }
}

pub fn call(tool: &str, result: String) -> Call {
    Call {
        server: "demo".to_owned(),
        tool: tool.to_owned(),
        client: None,
        session: "0123456789abcdef".to_owned(),
        time: UNIX_EPOCH + Duration::from_secs(1),
        arguments: "{}".to_owned(),
        result: result.into_bytes(),
        failures: Vec::new(),
    }
}

pub fn text_result(text: &str) -> String {
    json!({"content": [{"type": "text", "text": text}]}).to_string()
}

/// The recorded calls of a folder, in their order.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut paths: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|it| it == "json"))
        .collect();
    paths.sort();
    paths
}

/// The value of a member in a recorded call, which has a member a line.
pub fn member<'a>(text: &'a str, name: &str) -> &'a str {
    let head = format!("\n \"{name}\": ");
    let (_, rest) = text
        .split_once(&head)
        .unwrap_or_else(|| panic!("no {name} in {text}"));
    let end = rest.find(",\n \"").unwrap_or(rest.len() - "}\n".len());
    &rest[..end]
}

pub fn as_json(finished: Finished) -> Value {
    let finished = finished.succeeded();
    match serde_json::from_slice(&finished.stdout) {
        Ok(value) => value,
        Err(error) => finished.fail(&error.to_string()),
    }
}
