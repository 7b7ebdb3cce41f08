//! A guest's view of the world, and its means to send something out: almost none.

use super::{Limits, Target, applied, failure, filter, limits};
use serde_json::json;
use std::io::Write;
use std::sync::{Arc, LazyLock, Mutex};
use tamis::sandbox::{CallError, Filter};
use tracing::Level;
use tracing_subscriber::fmt::MakeWriter;

/// The operator's log of one thread.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("no writer panics").write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Log {
    type Writer = Log;

    fn make_writer(&self) -> Log {
        self.clone()
    }
}

/// Runs `work`, and returns its log.
fn logged(work: impl FnOnce()) -> String {
    logged_at(Level::INFO, work)
}

/// Like [`logged`], from a level on.
pub fn logged_at(level: Level, work: impl FnOnce()) -> String {
    // While there is only one subscriber, tracing asks the thread that first comes to a line of code whether anybody
    // wants it. Another test's thread has none, and its answer would hold for this one's, too.
    static ANOTHER: LazyLock<tracing::Dispatch> =
        LazyLock::new(|| tracing::Dispatch::new(tracing::subscriber::NoSubscriber::new()));
    LazyLock::force(&ANOTHER);
    let log = Log::default();
    let subscriber = tracing_subscriber::fmt()
        .with_writer(log.clone())
        .with_ansi(false)
        .with_max_level(level)
        .finish();
    tracing::subscriber::with_default(subscriber, work);
    let bytes = log.0.lock().expect("no writer panics").clone();
    String::from_utf8(bytes).expect("a log is text")
}

/// The log of one call.
#[track_caller]
fn log_of(filter: &Filter) -> String {
    logged(|| {
        applied(filter, "text");
    })
}

fn flood(lines: u32, bytes: usize, limits: &Limits) -> String {
    let settings = json!({"lines": lines, "bytes": bytes});
    log_of(&filter(Target::Unknown, "flood", settings, limits))
}

/// Lines of a log that come from the guest, as the lengths of their messages.
fn own_lines(log: &str) -> Vec<usize> {
    log.lines()
        .map(|line| line.matches('~').count())
        .filter(|length| *length > 0)
        .collect()
}

const DROPPED: &str = "bytes of log were dropped: the limits are `log-bytes` and `log-lines`";

fn log_limits(log_bytes: u64, log_lines: u32) -> Limits {
    Limits {
        log_bytes,
        log_lines,
        ..limits()
    }
}

#[test]
fn log_lines_obeyed() {
    let log = flood(10, 5, &log_limits(1000, 10));
    assert_eq!(own_lines(&log), [5; 10], "{log}");
    assert!(!log.contains("dropped"), "{log}");
    assert!(log.contains("flood") && log.contains("tool"), "{log}");
}

#[test]
fn log_lines_violated() {
    let log = flood(13, 5, &log_limits(1000, 10));
    assert_eq!(own_lines(&log), [5; 10], "{log}");
    assert!(log.contains(&format!("15 more {DROPPED}")), "{log}");
}

#[test]
fn log_bytes_obeyed() {
    let log = flood(2, 50, &log_limits(100, 10));
    assert_eq!(own_lines(&log), [50, 50], "{log}");
    assert!(!log.contains("dropped"), "{log}");
}

#[test]
fn log_bytes_violated() {
    let log = flood(4, 50, &log_limits(120, 10));
    assert_eq!(own_lines(&log), [50, 50, 20], "{log}");
    assert!(log.contains(&format!("80 more {DROPPED}")), "{log}");
}

#[test]
fn no_log_at_all() {
    for limits in [log_limits(0, 10), log_limits(1000, 0)] {
        let log = flood(2, 5, &limits);
        assert_eq!(own_lines(&log), [0; 0], "{log}");
        assert!(log.contains(&format!("10 more {DROPPED}")), "{log}");
    }
}

#[test]
fn a_flood_is_cut_off() {
    let log = flood(100_000, 1000, &limits());
    assert_eq!(own_lines(&log).iter().sum::<usize>(), 16 * 1024, "{log}");
    assert!(log.contains(DROPPED), "{log}");
}

/// A plugin's log is also written at load: about its settings, and the reason why it refuses them.
#[test]
fn what_a_guest_prints_while_it_is_loaded_goes_to_the_log() {
    for target in PRINTING {
        let plugin = super::load(target, "prints", &limits());
        let log = logged(|| {
            let taken = plugin.configure(r#"{"lines": 0}"#, &limits());
            assert!(taken.is_ok(), "{target:?}: {:?}", taken.err());
        });
        let said = log.matches("standard output at configure").count();
        assert_eq!(said, 1, "{target:?}: {log}");
    }
}

const PRINTING: [Target; 2] = [Target::Wasip1, Target::Wasip2];

#[test]
fn what_a_guest_prints_goes_to_the_log() {
    for target in PRINTING {
        let prints = filter(target, "prints", json!({"lines": 3}), &limits());
        let log = log_of(&prints);
        assert_eq!(
            log.matches("standard output at configure").count(),
            1,
            "{target:?}: {log}"
        );
        assert_eq!(
            log.matches("standard output at apply").count(),
            3,
            "{target:?}: {log}"
        );
        assert_eq!(
            log.matches("standard error at apply").count(),
            3,
            "{target:?}: {log}"
        );
        assert!(!log.contains("dropped"), "{target:?}: {log}");
    }
}

#[test]
fn a_guest_that_prints_without_end_is_cut_off() {
    for target in PRINTING {
        for line_breaks in [true, false] {
            let settings = json!({"lines": 5000, "line_breaks": line_breaks});
            let log = log_of(&filter(target, "prints", settings, &limits()));
            let size = log.len();
            assert!(size < 64 * 1024, "{target:?}, {line_breaks}: {size} bytes");
            assert!(log.contains(DROPPED), "{target:?}, {line_breaks}: {log}");
        }
    }
}

/// The guest's view of the world is that of its build for a target: the same each time, without facts of the host.
#[test]
fn the_world_is_empty_and_stands_still() {
    let mut reports = Vec::new();
    for target in [Target::Wasip1, Target::Wasip2] {
        let sleep = filter(target, "sleep", json!({}), &limits());
        let report = applied(&sleep, "text");
        let expected = [
            "monotonic clock moved: 0ns",
            "seconds since 1970: Ok(0)",
            "random: *",
            "standard input: Ok(0)",
            "arguments: 0",
            "variables: 0",
            "a file: Err(*",
            "a folder: Err(*",
            "writing: Err(*",
        ];
        let lines: Vec<&str> = report.lines().collect();
        assert_eq!(lines.len(), expected.len(), "{target:?}:\n{report}");
        for (line, expected) in lines.iter().zip(expected) {
            match expected.strip_suffix('*') {
                Some(start) => assert!(line.starts_with(start), "{target:?}: {line}"),
                None => assert_eq!(*line, expected, "{target:?}"),
            }
        }
        for _ in 0..20 {
            assert_eq!(applied(&sleep, "another text"), report, "{target:?}");
        }
        reports.push(report);
    }
    assert!(
        !std::path::Path::new("written-by-a-guest").exists(),
        "a guest wrote a file: {reports:?}"
    );
}

#[test]
fn waiting_is_refused() {
    for target in [Target::Wasip1, Target::Wasip2] {
        let sleep = filter(target, "sleep", json!({"sleep_ms": 1}), &limits());
        let error = failure(&sleep, "text");
        assert!(
            matches!(&error, CallError::Trap { message } if message.contains("waits for something")),
            "{target:?}: {error:?}"
        );
    }
}
