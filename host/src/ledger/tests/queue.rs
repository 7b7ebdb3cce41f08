//! Entries that do not fit are dropped and counted, and nobody waits.

use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::{Duration, SystemTime};

use super::{ask, entry, open, patient, read_back, text};
use crate::ledger::{AgentName, Entry, GroupBy, Later, Ledger, LedgerLimits, ListingEntry};
use crate::queue::Queue;

#[test]
fn more_than_the_number_is_dropped_and_counted() {
    let queue = Queue::new(2, 100);
    for item in 0..5 {
        queue.push(item, 1);
    }
    let batch = queue.take().expect("a batch");
    let items: Vec<i32> = batch.items.iter().map(|waiting| waiting.item).collect();
    assert_eq!((items, batch.dropped), (vec![0, 1], 3));
    queue.push(5, 1);
    let batch = queue.take().expect("a batch");
    assert_eq!((batch.items.len(), batch.dropped), (1, 0));
}

#[test]
fn bytes_are_charged_until_they_are_let_go() {
    let queue = Queue::new(100, 10);
    queue.push("a", 6);
    queue.push("too much", 5);
    queue.push("b", 4);
    queue.push("too much", 1);
    let batch = queue.take().expect("a batch");
    assert_eq!((batch.items.len(), batch.dropped), (2, 2));
    queue.push("still charged", 1);
    queue.let_go(6);
    queue.push("c", 6);
    queue.push("too much", 1);
    queue.push("larger than the whole", usize::MAX);
    let batch = queue.take().expect("a batch");
    assert_eq!((batch.items.len(), batch.dropped), (1, 3));
    assert_eq!(batch.items[0].item, "c");
}

#[test]
fn a_drop_alone_is_handed_on() {
    let queue = Queue::new(0, 0);
    queue.push((), 1);
    let batch = queue.take().expect("a batch");
    assert_eq!((batch.items.len(), batch.dropped), (0, 1));
}

#[test]
fn a_closed_queue_is_emptied_and_then_ends() {
    let queue = Queue::new(10, 10);
    queue.push("waits", 1);
    assert_eq!(queue.close(Duration::ZERO), 1, "nobody wrote it");
    queue.push("too late", 1);
    let batch = queue.take().expect("what waited");
    assert_eq!((batch.items.len(), batch.dropped), (1, 1));
    assert!(queue.take().is_none());
    assert_eq!(queue.close(patient().close), 0, "only the first waits");
}

#[test]
fn what_was_taken_is_lost_until_it_is_written() {
    let queue = Queue::new(1, 10);
    queue.push("written", 1);
    queue.push("dropped", 1);
    queue.take().expect("a batch");
    queue.wrote(1);
    queue.push("taken", 1);
    queue.take().expect("a batch");
    queue.end();
    assert_eq!(
        queue.close(patient().close),
        2,
        "the drop, and what was taken"
    );
}

#[test]
fn nobody_waits_for_a_writer_that_is_gone() {
    let queue = Queue::new(10, 10);
    queue.push("lost", 1);
    queue.end();
    queue.push("lost too", 1);
    assert_eq!(queue.close(patient().close), 2);
}

/// A ledger whose writer stops in front of its first count, until the gate is opened.
fn blocked_ledger(
    limits: LedgerLimits,
) -> (
    tempfile::TempDir,
    Ledger,
    Arc<Mutex<()>>,
    mpsc::Receiver<()>,
) {
    let directory = tempfile::tempdir().expect("temporary directory");
    let gate = Arc::new(Mutex::new(()));
    let (arrived, arrival) = mpsc::channel();
    let at_gate = Arc::clone(&gate);
    let count = Box::new(move |text: &str| {
        let _ = arrived.send(());
        drop(at_gate.lock());
        text.split_whitespace().count() as u64
    });
    let ledger = Ledger::open_counting(directory.path(), limits, count).expect("open");
    (directory, ledger, gate, arrival)
}

#[test]
fn a_held_writer_delays_no_call_and_the_drops_are_written() {
    let (directory, ledger, gate, arrival) = blocked_ledger(LedgerLimits {
        queue_entries: 3,
        ..patient()
    });
    let closed = gate.lock().expect("the gate");
    ledger.record(entry("first"));
    arrival.recv().expect("the writer is at the gate");
    // That these calls return at all is the test: nobody opens the gate before they have.
    for _ in 0..10 {
        ledger.record(entry("next"));
    }
    drop(closed);
    ledger.close();
    let report = ask(directory.path(), GroupBy::Tool);
    assert_eq!((report.total.calls, report.dropped), (4, 7));
}

#[test]
fn texts_that_wait_are_bounded() {
    let (directory, ledger, gate, arrival) = blocked_ledger(LedgerLimits {
        queue_bytes: 10_000,
        ..patient()
    });
    let closed = gate.lock().expect("the gate");
    ledger.record(entry("first"));
    arrival.recv().expect("the writer is at the gate");
    let mut large = entry("large");
    large.before = vec![text(1_500)];
    ledger.record(large.clone());
    ledger.record(large);
    ledger.record_read(read_back(None, "a", 1_500));
    ledger.record(entry("small"));
    drop(closed);
    ledger.close();
    let report = ask(directory.path(), GroupBy::Tool);
    let mut tools: Vec<_> = report
        .rows
        .iter()
        .filter_map(|row| row.name.as_deref())
        .collect();
    tools.sort_unstable();
    assert_eq!(tools, ["first", "large", "small"]);
    assert_eq!((report.total.calls, report.dropped), (3, 2));
}

#[test]
fn closing_takes_no_longer_than_it_may() {
    let (directory, ledger, gate, arrival) = blocked_ledger(patient());
    let closed = gate.lock().expect("the gate");
    ledger.record(entry("first"));
    arrival.recv().expect("the writer is at the gate");
    ledger.record(entry("second"));
    // It returns while the writer is held, and says how much is not written.
    assert_eq!(ledger.shared.queue.close(Duration::ZERO), 2);
    // A process that lives on has the one that was being counted, and knows of the other.
    drop(closed);
    let arrivals = arrival.iter().count();
    assert_eq!(
        arrivals, 1,
        "the other text of the first, none of the second"
    );
    let report = ask(directory.path(), GroupBy::Tool);
    assert_eq!((report.total.calls, report.dropped), (1, 1));
}

#[test]
fn a_text_that_is_there_twice_takes_memory_once() {
    let mut once = entry("x");
    once.documents.clear();
    let plain = once.memory_bytes();
    let twice = entry("x").memory_bytes();
    assert_eq!(twice - plain, size_of::<crate::ledger::StepEntry>());
    once.after = vec![text(1_000)];
    assert!(once.memory_bytes() > plain + 4_000);
}

#[test]
fn a_list_is_counted_with_the_first_call_and_written_without_one() {
    let list = |agent: &AgentName| ListingEntry {
        time: SystemTime::now(),
        agent: agent.as_str().to_owned(),
        server: "demo".to_owned(),
        part: "tools",
        tokens: Later::new(0, |count| [0, count("a list of tools")]),
    };
    let [one, two] = ["1-1", "2-2"].map(|name| AgentName::of_machine(name.to_owned()));
    let (directory, ledger, _gate, arrival) = blocked_ledger(patient());
    ledger.record_listing(list(&one));
    // The writer would have counted by then.
    thread::sleep(Duration::from_millis(300));
    assert_eq!(
        ledger.earlier_use("demo", &two).expect("a ledger").agents,
        0
    );
    ledger.close();
    assert!(arrival.try_recv().is_err(), "nothing was counted");
    let ledger = open(directory.path());
    assert_eq!(
        ledger.earlier_use("demo", &two).expect("a ledger").agents,
        1
    );
    ledger.record_listing(list(&two));
    ledger.record(Entry {
        agent: Some(two.as_str().to_owned()),
        ..entry("get")
    });
    ledger.close();
    assert_eq!(ask(directory.path(), GroupBy::Tool).total.listing_tokens, 4);
}
