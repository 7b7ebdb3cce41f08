//! `tamis stats`: its exact output for a ledger.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::support::{Finished, Folder, Program};
use serde_json::{Value, json};
use tamis::ledger::{
    ClientInfo, Entry, Later, Ledger, LedgerLimits, ListingEntry, ReadEntry, StepEntry,
};

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

/// 2099-11-01 and the days after it: never too old to store.
fn day(days: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(4_097_174_400 + days * 24 * 60 * 60 + 60 * 60)
}

/// A word and its space are one token of o200k.
fn words(count: usize) -> Arc<str> {
    vec!["word"; count].join(" ").into()
}

fn entry(time: SystemTime, tool: &str, before: usize, after: usize) -> Entry {
    let (before, after) = (words(before), words(after));
    let step = StepEntry {
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
        client: Some(ClientInfo {
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

/// Long enough that nothing is given up on a busy machine.
const PATIENCE: Duration = Duration::from_secs(600);

fn ledger(state: &Path) -> Ledger {
    let patient = LedgerLimits {
        close: PATIENCE,
        ..LedgerLimits::default()
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
┌───────────────────────────────────────────────────────────────────────────────────────────────┐
│ tool         calls   tokens bare   shown   read back   listed   net saved        %   failures │
╞═══════════════════════════════════════════════════════════════════════════════════════════════╡
│ get_issue        2         2,000     200         200        0       1,600   80.0 %          0 │
│ list_users       1            50      50           0        0           0    0.0 %          1 │
│ all calls        3         2,050     250         200        0       1,600   78.0 %          1 │
└───────────────────────────────────────────────────────────────────────────────────────────────┘
Tokens are o200k. Bare: tokens that the client would have shown its model without Tamis. Shown: tokens that it showed. Read back: answers of tamis_read. Listed: tokens that Tamis added to the list of tools, once for each call. Failures: calls in which a filter failed.
";
    assert_eq!(printed(&folder, &[]), expected);
}

#[test]
fn what_is_in_no_sum_is_said() {
    let folder = made();
    let state = folder.path().join("state");
    let no_room = LedgerLimits {
        queue_entries: 0,
        close: PATIENCE,
        ..LedgerLimits::default()
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
        agent: None,
        answer: words(7),
    });
    ledger.close();
    let expected = "\
┌────────────────────────────────────────────────────────────────────────────────────────────────────────────────┐
│ filter                      calls   tokens before   after    saved   read back   net saved        %   failures │
╞════════════════════════════════════════════════════════════════════════════════════════════════════════════════╡
│ spill                           4           2,050     250   87.8 %         200       1,600   78.0 %          1 │
│ (calls not in the ledger)       0               0       0        –           7          −7        –          0 │
│ all calls                       4           2,050     250   87.8 %         207       1,593   77.7 %          1 │
└────────────────────────────────────────────────────────────────────────────────────────────────────────────────┘
Tokens are o200k. A filter gets the output of the one before it. Read back: answers of tamis_read; they count against the filter that cut the most. Failures: calls in which the filter failed.
Withheld results: 1. No sum contains their tokens.
Receipts dropped, because they arrived too fast or could not be written: 1. No sum contains them.
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
            "requests": 0, "listing_tokens": 0,
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
            "requests": 0, "listing_tokens": 0,
            "net_saved_tokens": 1_600, "net_saved_percent": 100.0 * 1_600.0 / 2_050.0,
            "time_us": 150,
        },
        "lost": {"sessions": 0, "of": 1, "tokens": 0},
        "dropped": 0,
        "estimated": 0,
    });
    assert_eq!(as_json(&folder, &["--by", "filter"]), expected);
}

/// A call of an agent whose client would have shown `before` tokens, and showed `after`.
fn shown(agent: &str, time: SystemTime, before: u64, after: u64) -> Entry {
    Entry {
        session: format!("{agent}-connection"),
        agent: Some(agent.to_owned()),
        shown: Some(Later::new(0, move |_| [before, after])),
        ..entry(time, "get_issue", 1_000, 100)
    }
}

fn listing(agent: &str, server: &str, time: SystemTime, before: u64, after: u64) -> ListingEntry {
    ListingEntry {
        time,
        agent: agent.to_owned(),
        server: server.to_owned(),
        part: "tools",
        tokens: Later::new(0, move |_| [before, after]),
    }
}

#[test]
fn every_request_pays_for_what_all_servers_list_and_a_loss_is_said() {
    let folder = Folder::new();
    let ledger = ledger(&folder.path().join("state"));
    // A later list of the server replaces the first one. Lists of another agent do not count for this one.
    ledger.record_listing(listing("one", "demo", day(0), 0, 5_000));
    ledger.record_listing(listing("one", "demo", day(0), 400, 500));
    ledger.record_listing(listing("one", "other", day(0), 60, 40));
    ledger.record_listing(listing("two", "demo", day(0), 0, 1));
    // A client with a preview of 300 would have shown no more of a result of 1,000.
    ledger.record(shown("one", day(1), 300, 100));
    ledger.record(shown("one", day(1), 20, 20));
    ledger.record(shown("two", day(1), 1_000, 100));
    // After the calls, so it is in none of their requests.
    ledger.record_listing(listing("one", "third", day(2), 0, 7_000));
    ledger.record_read(ReadEntry {
        time: day(1),
        server: "demo".to_owned(),
        session: "one-connection".to_owned(),
        reference: Some("get_issue".to_owned()),
        agent: Some("one".to_owned()),
        answer: words(30),
    });
    ledger.close();

    let all = as_json(&folder, &["--by", "session"]);
    let sums = |row: &Value| {
        [
            "tokens_before",
            "tokens_after",
            "reread_tokens",
            "requests",
            "listing_tokens",
            "net_saved_tokens",
        ]
        .map(|name| row[name].as_i64().expect("a number"))
    };
    assert_eq!(sums(&all["rows"][0]), [1_000, 100, 0, 1, 1, 899]);
    // Two calls and a reading, each of 100 and −20.
    assert_eq!(sums(&all["rows"][1]), [320, 120, 30, 3, 240, -70]);
    assert_eq!(all["rows"][0]["name"], "2099-11-02 01:00 agent");
    assert_eq!(all["lost"], json!({"sessions": 1, "of": 2, "tokens": 70}));
    let text = printed(&folder, &[]);
    assert!(
        text.contains("Sessions that lost: 1 of 2, 70 tokens in total"),
        "{text}"
    );
    assert!(!text.contains("Lost: with Tamis"), "{text}");
    let finished = stats(&folder, &["--html", "-"]).succeeded();
    let page = String::from_utf8_lossy(&finished.stdout).into_owned();
    assert!(
        page.contains("<h2>Lost</h2>\n<p>Sessions that lost: 1 of 2"),
        "{page}"
    );
}

#[test]
fn a_loss_of_all_calls_is_said_in_words() {
    let folder = Folder::new();
    let ledger = ledger(&folder.path().join("state"));
    ledger.record_listing(listing("one", "demo", day(0), 0, 500));
    ledger.record(shown("one", day(1), 20, 20));
    ledger.close();
    let text = printed(&folder, &[]);
    assert!(
        text.contains("Lost: with Tamis, models received 500 tokens more than without."),
        "{text}"
    );
}

#[test]
fn a_ledger_of_the_first_form_is_brought_up_with_what_is_in_it() {
    let folder = Folder::new();
    folder.write("state/ledger.sqlite", "");
    let path = folder.path().join("state/ledger.sqlite");
    let private = std::os::unix::fs::PermissionsExt::from_mode;
    std::fs::set_permissions(folder.path().join("state"), private(0o700)).expect("chmod");
    std::fs::set_permissions(&path, private(0o600)).expect("chmod");
    let old = rusqlite::Connection::open(&path).expect("open with SQLite");
    old.execute_batch(include_str!("../../host/src/ledger/schema/1.sql"))
        .expect("the first form");
    old.execute_batch(
        "PRAGMA application_id = 1415671145; PRAGMA user_version = 1; PRAGMA journal_mode = WAL;
         INSERT INTO calls VALUES (1, 4097174400000, 'demo', 'get_issue', 'all', 'agent', '2', 's', 0, 0, \
             5000, 500, 1000, 100, 50, 'r');
         INSERT INTO reads VALUES (1, 4097174400001, 'demo', 's', 'r', 1, 200, 40);",
    )
    .expect("a call");
    drop(old);
    let total = &as_json(&folder, &[])["total"];
    assert_eq!(total["tokens_before"], 1_000, "{total}");
    assert_eq!(total["net_saved_tokens"], 860, "{total}");
    let ledger = ledger(&folder.path().join("state"));
    ledger.record_listing(listing("one", "demo", day(0), 0, 7));
    ledger.record(shown("one", day(1), 300, 100));
    ledger.close();
    let total = &as_json(&folder, &[])["total"];
    assert_eq!(total["net_saved_tokens"], 860 + 200 - 7, "{total}");
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
        text.contains("None are of the server `dmeo`; known servers: `demo`"),
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
