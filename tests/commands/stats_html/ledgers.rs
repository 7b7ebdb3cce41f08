//! Ledgers of the pages.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tamis::ledger::{ClientInfo, Entry, Ledger, LedgerLimits, ReadEntry, StepEntry};

use crate::support::Folder;

/// Names that have an effect if they are not escaped. Their effect reports to the page around them.
pub const HOSTILE: [&str; 8] = [
    "<script>parent.postMessage('ran','*')</script>",
    "\"><img src=x onerror=parent.postMessage('ran','*')>",
    "' onmouseover='parent.postMessage(`ran`)' x='",
    "</title></svg><svg onload=parent.postMessage('ran','*')>",
    "\u{202e}exe.gnp\u{1b}[2J\n",
    "&lt;b&gt;",
    "",
    "an_extremely_long_name_that_a_generator_of_tools_has_made__version_2__get_customer_by_identifier",
];

/// 2099-11-01 and the days after it: never too old to store.
pub fn day(days: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(4_097_174_400 + days * 24 * 60 * 60 + 60 * 60)
}

/// A word and its space are one token of o200k.
fn words(count: usize) -> Arc<str> {
    vec!["word"; count].join(" ").into()
}

/// The reference of a tool's call at a time.
fn reference(time: SystemTime, tool: &str) -> String {
    let since = time.duration_since(UNIX_EPOCH).expect("after 1970");
    format!("{tool}-{}", since.as_secs())
}

/// A call with this many tokens before and after, by two filters of which the second cuts.
pub fn call(time: SystemTime, tool: &str, before: usize, after: usize) -> Entry {
    let (before, between, after) = (words(before), words(before.midpoint(after)), words(after));
    let step = |filter: &str, before: &Arc<str>, after: &Arc<str>| StepEntry {
        filter: filter.to_owned(),
        outcome: "edited",
        failed: false,
        cut: filter == "summary",
        before: Arc::clone(before),
        after: Arc::clone(after),
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
        documents: vec![vec![
            step("row-encoder", &before, &between),
            step("summary", &between, &after),
        ]],
        before: vec![before],
        after: vec![after],
        withheld: false,
        time_spent: Duration::from_micros(50),
        reference: Some(reference(time, tool)),
        shown: None,
        agent: None,
    }
}

pub fn failed(mut call: Entry, outcome: &'static str) -> Entry {
    for step in call.documents.iter_mut().flatten().skip(1) {
        (step.outcome, step.failed) = (outcome, true);
    }
    call
}

pub fn read(time: SystemTime, tool: &str, tokens: usize) -> ReadEntry {
    ReadEntry {
        time,
        server: "demo".to_owned(),
        session: "s".to_owned(),
        reference: Some(reference(time, tool)),
        agent: None,
        answer: words(tokens),
    }
}

/// A folder with a ledger of these, in `state`.
pub fn made(calls: Vec<Entry>, reads: Vec<ReadEntry>) -> Folder {
    let folder = Folder::new();
    let ledger = open(&folder.path().join("state"));
    calls.into_iter().for_each(|call| ledger.record(call));
    reads.into_iter().for_each(|read| ledger.record_read(read));
    ledger.close();
    folder
}

fn open(state: &Path) -> Ledger {
    // Nothing is dropped or given up, on a busy machine too.
    let patient = LedgerLimits {
        queue_entries: 100_000,
        close: Duration::from_secs(600),
        ..LedgerLimits::default()
    };
    Ledger::open(state, patient).expect("open the ledger")
}

/// Weeks of a few tools, some of whose results were read back, with failures and a tool that grew its results.
pub fn ordinary() -> Folder {
    let tools = ["get_issue", "list_users", "search_code", "read_file"];
    let mut calls = Vec::new();
    let mut reads = Vec::new();
    for days in (0..40).filter(|days| days % 7 < 5) {
        for (index, tool) in tools.into_iter().enumerate() {
            let before = 100 + 37 * (days as usize % 11) + 90 * index;
            calls.push(call(day(days), tool, before, before / (index + 2)));
        }
        reads.push(read(day(days), tools[0], 20 + days as usize));
    }
    calls.push(call(day(39), "grows", 40, 70));
    calls.push(failed(call(day(39), "list_users", 50, 50), "timeout"));
    calls.push(failed(call(day(38), "list_users", 50, 50), "trap"));
    made(calls, reads)
}

/// One call of one tool, by a client without a name.
pub fn single() -> Folder {
    let mut only = call(day(0), "get_issue", 1_000, 100);
    only.client = None;
    made(vec![only], Vec::new())
}

/// Five hundred tools.
pub fn crowd() -> Folder {
    let call = |index: usize| call(day(0), &format!("tool_{index:03}"), 20 + index / 10, 10);
    made((0..500).map(call).collect(), Vec::new())
}

/// Tools, filters and clients with hostile names.
pub fn hostile() -> Folder {
    let calls = HOSTILE.iter().enumerate().map(|(index, name)| {
        let mut call = failed(call(day(index as u64), name, 90 + index, 30), "trap");
        call.server = (*name).to_owned();
        call.client = Some(ClientInfo {
            name: (*name).to_owned(),
            version: String::new(),
        });
        for step in call.documents.iter_mut().flatten() {
            step.filter = format!("{name}{}", step.filter);
        }
        call
    });
    made(calls.collect(), Vec::new())
}

/// A wrong clock, and more tokens read back than saved.
pub fn odd() -> Folder {
    let late = UNIX_EPOCH + Duration::from_secs(250_000_000_000);
    let calls = vec![
        call(day(0), "get_issue", 100, 10),
        call(late, "late", 30, 20),
    ];
    made(calls, vec![read(day(0), "get_issue", 400)])
}
