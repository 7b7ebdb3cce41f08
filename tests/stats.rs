//! `tamis stats`: what it prints of a ledger, to the letter.

mod support;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use support::{Finished, Folder, Program};
use tamis::ledger::{Client, Entry, Ledger, Limits, ReadEntry, Step};

fn stats(folder: &Folder, arguments: &[&str]) -> Finished {
    let mut line = vec![env!("CARGO_BIN_EXE_tamis"), "stats"];
    line.extend(arguments);
    Program::new(&line, folder.path())
        .env("TAMIS_STATE_DIR", folder.path().join("state"))
        .env("TZ", "UTC")
        .run("")
}

fn printed(folder: &Folder, arguments: &[&str]) -> String {
    let finished = stats(folder, arguments).succeeded();
    String::from_utf8(finished.stdout).expect("Unicode")
}

fn as_json(folder: &Folder, arguments: &[&str]) -> Value {
    let finished = stats(folder, &[&["--json"], arguments].concat()).succeeded();
    match serde_json::from_slice(&finished.stdout) {
        Ok(value) => value,
        Err(error) => finished.fail(&error.to_string()),
    }
}

/// 2099-11-01 and the days after it: never too old to be kept.
fn day(days: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(4_097_174_400 + days * 24 * 60 * 60 + 60 * 60)
}

/// A word and its space are one token of o200k.
fn words(count: usize) -> Arc<str> {
    vec!["word"; count].join(" ").into()
}

fn entry(time: SystemTime, tool: &str, before: usize, after: usize) -> Entry {
    let (before, after) = (words(before), words(after));
    let step = Step {
        filter: "spill".to_owned(),
        outcome: "edited",
        failed: false,
        cut: true,
        before: Arc::clone(&before),
        after: Arc::clone(&after),
        time: Duration::from_micros(40),
    };
    Entry {
        time,
        server: "demo".to_owned(),
        tool: tool.to_owned(),
        chain: "all".to_owned(),
        client: Some(Client {
            name: "agent".to_owned(),
            version: "2".to_owned(),
        }),
        session: "s".to_owned(),
        before: vec![before],
        after: vec![after],
        documents: vec![vec![step]],
        withheld: false,
        time_spent: Duration::from_micros(50),
        reference: Some(tool.to_owned()),
        shown: None,
        agent: None,
    }
}

/// Nothing is given up, however loaded the machine is.
const PATIENCE: Duration = Duration::from_secs(600);

fn ledger(state: &Path) -> Ledger {
    let patient = Limits {
        close: PATIENCE,
        ..Limits::default()
    };
    Ledger::open(state, patient).expect("open the ledger")
}

fn made() -> Folder {
    let folder = Folder::new();
    let ledger = ledger(&folder.path().join("state"));
    ledger.record(entry(day(0), "get_issue", 1_000, 100));
    ledger.record(entry(day(1), "get_issue", 1_000, 100));
    let mut failed = entry(day(1), "list_users", 50, 50);
    failed.documents[0][0].outcome = "timeout";
    failed.documents[0][0].failed = true;
    ledger.record(failed);
    ledger.record_read(ReadEntry {
        time: day(2),
        server: "demo".to_owned(),
        session: "s".to_owned(),
        reference: Some("get_issue".to_owned()),
        answer: words(200),
        agent: None,
    });
    ledger.close();
    folder
}

#[test]
fn the_table() {
    let folder = made();
    let expected = "\
┌────────────────────────────────────────────────────────────────────────────────────────┐
│ tool         calls   tokens before   after    saved   read back   net saved   failures │
╞════════════════════════════════════════════════════════════════════════════════════════╡
│ get_issue        2           2,000     200   90.0 %         200      80.0 %          0 │
│ list_users       1              50      50    0.0 %           0       0.0 %          1 │
│ all calls        3           2,050     250   87.8 %         200      78.0 %          1 │
└────────────────────────────────────────────────────────────────────────────────────────┘
Tokens are o200k, of what the model reads. Read back: answers of tamis_read. Failures: calls in which a filter did not do its work.
";
    assert_eq!(printed(&folder, &[]), expected);
}

#[test]
fn what_is_in_no_sum_is_said() {
    let folder = made();
    let state = folder.path().join("state");
    let no_room = Limits {
        queue_entries: 0,
        close: PATIENCE,
        ..Limits::default()
    };
    let full = Ledger::open(&state, no_room).expect("open the ledger");
    full.record(entry(day(0), "get_issue", 1_000, 100));
    full.close();
    let ledger = ledger(&state);
    let mut withheld = entry(day(0), "get_issue", 1_000, 10);
    withheld.withheld = true;
    ledger.record(withheld);
    ledger.record_read(ReadEntry {
        time: day(0),
        server: "demo".to_owned(),
        session: "s".to_owned(),
        reference: None,
        answer: words(7),
    });
    ledger.close();
    let expected = "\
┌───────────────────────────────────────────────────────────────────────────────────────────────────────┐
│ filter                      calls   tokens before   after    saved   read back   net saved   failures │
╞═══════════════════════════════════════════════════════════════════════════════════════════════════════╡
│ spill                           4           2,050     250   87.8 %         200      78.0 %          1 │
│ (calls not in the ledger)       0               0       0        –           7           –          0 │
│ all calls                       4           2,050     250   87.8 %         207      77.7 %          1 │
└───────────────────────────────────────────────────────────────────────────────────────────────────────┘
Tokens are o200k, of what the model reads. Read back: answers of tamis_read. Failures: calls in which a filter did not do its work.
A filter gets what the one before it left. What was read back counts against the filter that cut the most.
Withheld results: 1. Their tokens are in no sum.
Receipts dropped, since they came too fast or could not be written: 1. They are in no sum.
";
    assert_eq!(printed(&folder, &["--by", "filter"]), expected);
}

#[test]
fn as_json_by_filter() {
    let folder = made();
    let expected = json!({
        "by": "filter",
        "encoding": "o200k",
        "since_unix_ms": null,
        "server": null,
        "rows": [{
            "name": "spill", "calls": 3, "withheld": 0, "failures": 1,
            "bytes_before": 10_247, "bytes_after": 1_247,
            "tokens_before": 2_050, "tokens_after": 250,
            "saved_tokens": 1_800, "saved_percent": 100.0 * 1_800.0 / 2_050.0,
            "reads": 1, "reread_tokens": 200,
            "net_saved_tokens": 1_600, "net_saved_percent": 100.0 * 1_600.0 / 2_050.0,
            "time_us": 120,
            "outcomes": {"edited": 2, "timeout": 1},
        }],
        "total": {
            "calls": 3, "withheld": 0, "failures": 1,
            "bytes_before": 10_247, "bytes_after": 1_247,
            "tokens_before": 2_050, "tokens_after": 250,
            "saved_tokens": 1_800, "saved_percent": 100.0 * 1_800.0 / 2_050.0,
            "reads": 1, "reread_tokens": 200,
            "net_saved_tokens": 1_600, "net_saved_percent": 100.0 * 1_600.0 / 2_050.0,
            "time_us": 150,
        },
        "dropped": 0,
    });
    assert_eq!(as_json(&folder, &["--by", "filter"]), expected);
}

#[test]
fn days_and_times() {
    let folder = made();
    let names = |value: &Value| -> Vec<String> {
        let rows = value["rows"].as_array().expect("rows");
        rows.iter()
            .map(|row| row["name"].as_str().expect("a name").to_owned())
            .collect()
    };
    let all = as_json(&folder, &["--by", "day"]);
    assert_eq!(names(&all), ["2099-11-01", "2099-11-02"]);
    let later = as_json(&folder, &["--by", "day", "--since", "2099-11-02"]);
    assert_eq!(names(&later), ["2099-11-02"]);
    assert_eq!(later["since_unix_ms"], 4_097_260_800_000_u64);
    assert_eq!(names(&as_json(&folder, &["--by", "client"])), ["agent"]);
}

#[test]
fn nothing_to_show_is_said() {
    let folder = Folder::new();
    let text = printed(&folder, &[]);
    assert!(text.starts_with("No receipts yet in "), "{text}");
    assert!(text.contains("tamis run"), "{text}");
    let path = folder.path().join("state/ledger.sqlite");
    assert!(!path.exists(), "looking made a ledger");
    let nothing = as_json(&folder, &[]);
    assert_eq!(
        (&nothing["rows"], &nothing["total"]["calls"]),
        (&json!([]), &json!(0))
    );

    let folder = made();
    let text = printed(&folder, &["--server", "dmeo"]);
    assert!(
        text.contains("none of the server `dmeo`; there are some of `demo`"),
        "{text}"
    );
    let text = printed(&folder, &["--since", "2100-01-01"]);
    assert!(text.contains("leave out --since"), "{text}");
}

#[test]
fn what_cannot_be_answered_is_status_2() {
    let folder = Folder::new();
    let wrong = stats(&folder, &["--since", "yesterday"]);
    assert_eq!(wrong.status.code(), Some(2), "{}", wrong.report());
    assert!(
        String::from_utf8_lossy(&wrong.stderr).contains("7d"),
        "{}",
        wrong.report()
    );
    folder.write("state/ledger.sqlite", "not a database ".repeat(100));
    let broken = stats(&folder, &[]);
    assert_eq!(broken.status.code(), Some(2), "{}", broken.report());
    assert!(broken.stdout.is_empty(), "{}", broken.report());
    let said = String::from_utf8_lossy(&broken.stderr).into_owned();
    assert!(
        said.contains("is not a ledger") && said.lines().count() == 1,
        "{said}"
    );
}
