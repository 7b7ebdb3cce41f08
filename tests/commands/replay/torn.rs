//! A proxy that ends during recording: the existing files are whole.

use std::fs;

use serde_json::json;

use super::recording::{files, text_result};
use super::{record, recording_in, stdout, tamis};
use crate::support::mcp::{Client, Stage};

#[test]
fn a_proxy_that_is_killed_leaves_whole_files() {
    let stage = Stage::new("");
    stage.tool(
        "list",
        text_result(&"all of it, or nothing ".repeat(10_000)),
    );
    record(&stage, &[], &[("list", json!({}))]);
    for round in 0..5 {
        let mut client = recording_in(&stage, &[]);
        let params = json!({"name": "list", "arguments": {"round": round}});
        let ids: Vec<u64> = (0..40)
            .map(|_| client.send("tools/call", &params))
            .collect();
        client.line(ids[5 * round]);
        client.kill();
    }
    let replayed = stdout(tamis(
        stage.path(),
        &["replay", "calls", "-c", "filters.toml"],
    ));
    assert!(replayed.ends_with("No call differs.\n"), "{replayed}");
}

#[test]
fn a_write_that_is_cut_off_leaves_no_torn_call() {
    let stage = Stage::new("");
    stage.tool("small", text_result("x"));
    stage.tool(
        "large",
        text_result(&"all of it, or nothing ".repeat(10_000)),
    );
    // Limits files to 100 blocks: the system ends a program that writes more.
    let limited =
        "ulimit -f 100; tamis=$1 run=$2; shift 2; exec \"$tamis\" \"$run\" --record calls \"$@\"";
    let mut client = Client::of(stage.within(&["sh", "-c", limited, "sh"]));
    client.call("small", &json!({}));
    client.send("tools/call", &json!({"name": "large", "arguments": {}}));
    let finished = client.finish();
    let folder = stage.path().join("calls");
    let half = fs::read_dir(&folder).expect("a folder").filter(|entry| {
        let name = entry.as_ref().expect("an entry").file_name();
        name.as_encoded_bytes().starts_with(b".")
    });
    if half.count() != 1 {
        finished.fail("it should have been ended while it wrote");
    }
    assert_eq!(files(&folder).len(), 1);
    let line = ["replay", "calls", "-c", "filters.toml"];
    assert!(stdout(tamis(stage.path(), &line)).ends_with("No call differs.\n"));
}
