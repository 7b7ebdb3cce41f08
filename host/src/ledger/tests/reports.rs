//! Sums, exact, on ledgers made by hand.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tempfile::TempDir;

use super::{ask, cut_entry, open, open_database, read_back, step, text};
use crate::ledger::{GroupBy, NotASince, OutcomeCount, Question, Report, Row, Since, report};

/// Two tools, three calls and one that was withheld; the second cuts, and is read back.
fn made() -> TempDir {
    let directory = tempfile::tempdir().expect("temporary directory");
    let ledger = open(directory.path());
    ledger.record(cut_entry("list", 100, 60));

    let mut cut = cut_entry("get", 1_000, 100);
    let (thousand, hundred) = (Arc::clone(&cut.before[0]), Arc::clone(&cut.after[0]));
    let strip = step("strip", &thousand, &text(900));
    let mut spill = step("spill", &strip.after, &hundred);
    spill.cut = true;
    cut.documents = vec![vec![strip, spill]];
    cut.reference = Some("big".to_owned());
    ledger.record(cut);

    let mut failed = cut_entry("list", 50, 50);
    failed.server = "other".to_owned();
    failed.after = failed.before.clone();
    let mut timeout = step("spill", &failed.before[0], &failed.before[0]);
    (timeout.outcome, timeout.failed) = ("timeout", true);
    failed.documents = vec![vec![timeout]];
    ledger.record(failed);

    let mut withheld = cut_entry("list", 500, 9);
    withheld.withheld = true;
    withheld.documents[0][0].outcome = "trap";
    withheld.documents[0][0].failed = true;
    ledger.record(withheld);

    ledger.record_read(read_back(Some("big"), "a", 150));
    ledger.record_read(read_back(Some("big"), "a", 50));
    ledger.close();
    directory
}

fn row(report: &Report, name: &str) -> Row {
    let found = report
        .rows
        .iter()
        .find(|row| row.name.as_deref() == Some(name));
    found.expect("a row").clone()
}

fn ask_with(state: &Path, by: GroupBy, since: Option<Since>, server: Option<&str>) -> Report {
    let question = Question {
        by,
        since,
        server: server.map(str::to_owned),
    };
    report(state, &question)
        .expect("a report")
        .expect("a ledger")
}

#[test]
fn by_tool() {
    let directory = made();
    let report = ask(directory.path(), GroupBy::Tool);
    let names: Vec<_> = report.rows.iter().map(|row| row.name.as_deref()).collect();
    assert_eq!(names, [Some("get"), Some("list")], "the most saved first");
    let get = row(&report, "get");
    assert_eq!(
        get,
        Row {
            name: Some("get".to_owned()),
            calls: 1,
            withheld: 0,
            failures: 0,
            bytes_before: 4_999,
            bytes_after: 499,
            tokens_before: 1_000,
            tokens_after: 100,
            reads: 2,
            reread_tokens: 200,
            requests: 0,
            listing_tokens: 0,
            time: Duration::from_micros(30),
            outcomes: Vec::new(),
        }
    );
    assert_eq!((get.saved_tokens(), get.net_saved_tokens()), (900, 700));
    assert_eq!(get.saved_percent(), Some(90.0));
    assert_eq!(get.net_saved_percent(), Some(70.0));
    let list = row(&report, "list");
    assert_eq!((list.calls, list.withheld, list.failures), (3, 1, 2));
    assert_eq!((list.tokens_before, list.tokens_after), (150, 110));
    let total = &report.total;
    assert_eq!((total.calls, total.withheld, total.failures), (4, 1, 2));
    assert_eq!((total.tokens_before, total.tokens_after), (1_150, 210));
    assert_eq!((total.reads, total.net_saved_tokens()), (2, 740));
    assert_eq!(report.servers, ["demo", "other"]);
    assert_eq!((report.dropped, report.since_unix_ms), (0, None));
}

#[test]
fn by_filter() {
    let directory = made();
    let report = ask(directory.path(), GroupBy::Filter);
    let spill = row(&report, "spill");
    assert_eq!((spill.calls, spill.withheld, spill.failures), (4, 1, 2));
    assert_eq!((spill.tokens_before, spill.tokens_after), (1_050, 210));
    assert_eq!(spill.reread_tokens, 200, "it cut more than the other");
    let outcome = |outcome: &str, documents| OutcomeCount {
        outcome: outcome.to_owned(),
        documents,
    };
    assert_eq!(
        spill.outcomes,
        [
            outcome("edited", 2),
            outcome("timeout", 1),
            outcome("trap", 1)
        ]
    );
    let strip = row(&report, "strip");
    assert_eq!((strip.tokens_before, strip.tokens_after), (1_000, 900));
    assert_eq!((strip.reads, strip.failures), (0, 0));
    assert_eq!(report.total, ask(directory.path(), GroupBy::Tool).total);
}

#[test]
fn what_is_read_back_counts_against_a_filter_that_cut() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let ledger = open(directory.path());
    let mut call = cut_entry("x", 100, 10);
    let rows = step("rows", &call.before[0], &text(20));
    let mut cut = step("cut", &rows.after, &call.after[0]);
    cut.cut = true;
    call.documents = vec![vec![rows, cut]];
    call.reference = Some("r".to_owned());
    ledger.record(call);
    ledger.record_read(read_back(Some("r"), "a", 7));
    ledger.record_read(read_back(None, "a", 1));
    ledger.close();
    let report = ask(directory.path(), GroupBy::Filter);
    assert_eq!(row(&report, "cut").reread_tokens, 7);
    assert_eq!(
        row(&report, "rows").reread_tokens,
        0,
        "it saved more, and cut nothing"
    );
    let unknown = report.rows.last().expect("rows");
    assert_eq!((&unknown.name, unknown.reread_tokens), (&None, 1));
    assert_eq!(report.total.reread_tokens, 8);
}

#[test]
fn of_one_server() {
    let directory = made();
    let report = ask_with(directory.path(), GroupBy::Tool, None, Some("other"));
    assert_eq!((report.total.calls, report.total.reads), (1, 0));
    assert_eq!(report.rows.len(), 1);
    let report = ask_with(directory.path(), GroupBy::Filter, None, Some("nobody"));
    assert_eq!((report.rows.len(), report.is_empty()), (0, true));
}

#[test]
fn by_day_and_since() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let ledger = open(directory.path());
    let now = SystemTime::now();
    let hour = Duration::from_secs(60 * 60);
    for (tool, hours) in [("now", 0), ("week", 8 * 24), ("month", 30 * 24)] {
        let mut call = cut_entry(tool, 10, 5);
        call.time = now - hours * hour;
        call.reference = Some(tool.to_owned());
        ledger.record(call);
        // Read back today, which is the week's and the month's loss.
        ledger.record_read(read_back(Some(tool), "a", 1));
    }
    ledger.record_read(read_back(None, "a", 100));
    ledger.close();
    open_database(directory.path())
        .execute_batch("INSERT INTO drops VALUES (0, 5), (unixepoch() * 1000, 2)")
        .expect("drops");

    let days = ask(directory.path(), GroupBy::Day).rows;
    let day = |tool_time: SystemTime| -> String {
        let seconds = tool_time.duration_since(UNIX_EPOCH).expect("after 1970");
        let seconds = i64::try_from(seconds.as_secs()).expect("a time");
        open_database(directory.path())
            .query_row(
                "SELECT date(?1, 'unixepoch', 'localtime')",
                [seconds],
                |row| row.get(0),
            )
            .expect("a day")
    };
    let names: Vec<_> = days.iter().map(|row| row.name.clone()).collect();
    let expected = [
        None,
        Some(day(now - 30 * 24 * hour)),
        Some(day(now - 8 * 24 * hour)),
        Some(day(now)),
    ];
    assert_eq!(names, expected);
    assert!(
        days[1..]
            .iter()
            .all(|row| (row.calls, row.reread_tokens) == (1, 1))
    );

    let week = ask_with(
        directory.path(),
        GroupBy::Tool,
        Some(Since::Ago(7 * 24 * hour)),
        None,
    );
    assert_eq!(
        (week.total.calls, week.total.reread_tokens, week.dropped),
        (1, 101, 2)
    );
    let all = ask_with(directory.path(), GroupBy::Tool, None, None);
    assert_eq!(
        (all.total.calls, all.total.reread_tokens, all.dropped),
        (3, 103, 7)
    );
    let day = Since::Day {
        year: 1999,
        month: 12,
        day: 31,
    };
    let since_then = ask_with(directory.path(), GroupBy::Tool, Some(day), None);
    assert_eq!(since_then.total, all.total);
    let since = since_then.since_unix_ms.expect("a time");
    // Midnight somewhere on earth.
    let utc = 946_598_400_000;
    assert!((since - utc).abs() <= 14 * 60 * 60 * 1_000, "{since}");
}

#[test]
fn an_empty_ledger_sums_to_nothing() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let question = Question {
        by: GroupBy::Tool,
        since: None,
        server: None,
    };
    assert_eq!(report(directory.path(), &question).expect("look"), None);
    open(directory.path()).close();
    for by in [
        GroupBy::Tool,
        GroupBy::Filter,
        GroupBy::Day,
        GroupBy::Client,
    ] {
        let report = ask(directory.path(), by);
        assert_eq!(report, Report::default());
        assert_eq!(report.total.saved_percent(), None);
    }
}

#[test]
fn times_that_can_be_said() {
    let hours = |hours: u64| Ok(Since::Ago(Duration::from_secs(hours * 60 * 60)));
    assert_eq!("12h".parse(), hours(12));
    assert_eq!("7d".parse(), hours(7 * 24));
    assert_eq!("2w".parse(), hours(14 * 24));
    assert_eq!(
        "2026-11-01".parse(),
        Ok(Since::Day {
            year: 2026,
            month: 11,
            day: 1
        })
    );
    assert!("2024-02-29".parse::<Since>().is_ok());
    for wrong in [
        "",
        "d",
        "7",
        "-7d",
        "+7d",
        "7 d",
        "7m",
        "99999999999d",
        "2026-02-29",
        "2026-13-01",
        "2026-00-10",
        "2026-01-00",
        "2026-1-1",
        "2026-11-01-01",
        "2026-11",
        "+026-11-01",
        "1900-02-29",
        "yesterday",
        "7é",
    ] {
        assert_eq!(wrong.parse::<Since>(), Err(NotASince), "{wrong:?}");
    }
}
