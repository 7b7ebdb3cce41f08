//! The thread that takes the waiting entries, counts their tokens, and writes them in one transaction.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};

use rusqlite::{CachedStatement, OptionalExtension, Transaction, params};

use super::database::{Database, unix_ms};
use super::entry::{Entry, Item, ListingEntry, ReadEntry, StepEntry};
use super::tokens::{Count, Counted, Counter, Place};
use super::{LedgerError, Totals, tokens};
use crate::queue::{Batch, Charged, Queue};

/// How long a receipt that was counted may wait for its transaction: a process that is killed loses
/// those.
const UNWRITTEN_LIMIT: Duration = Duration::from_millis(200);

/// How long lists of tools wait for a call after the beginning: to load what counts tokens takes a tenth of a second of a
/// processor, which an agent's servers need while they start.
const STARTING: Duration = Duration::from_secs(3);

pub(super) struct Writer {
    database: Database,
    queue: Arc<Queue<Item>>,
    totals: Arc<Totals>,
    counter: Counter,
    /// Lists of tools from the beginning, before the first call: nobody pays for them until then.
    uncalled: VecDeque<Charged<Item>>,
    /// Receipts that were dropped, or whose transaction failed, and of which the ledger does not
    /// know yet.
    lost: u64,
    /// The operator knows that the ledger cannot be written.
    has_told: bool,
}

/// The written form of an item: counted, and without its texts.
enum Counts {
    Call(Box<CallCounts>),
    Read(ReadCounts),
    Listing(ListingCounts),
}

struct CallCounts {
    /// Without texts and documents.
    entry: Entry,
    sizes: Sizes,
    /// Tokens as the client would have shown them, and as it shows them.
    shown: [i64; 2],
    /// A number of tokens is an estimate.
    is_estimated: bool,
    steps: BTreeMap<(usize, &'static str), StepCounts>,
}

struct StepCounts {
    filter: String,
    documents: i64,
    failed: bool,
    cut: bool,
    sizes: Sizes,
    time: Duration,
}

struct ReadCounts {
    /// Without the answer.
    entry: ReadEntry,
    bytes: i64,
    tokens: i64,
    is_estimated: bool,
}

struct ListingCounts {
    entry: ListingEntry,
    tokens: i64,
}

#[derive(Default)]
struct Sizes {
    bytes_before: i64,
    bytes_after: i64,
    tokens_before: i64,
    tokens_after: i64,
}

/// The writer has ended, by panic too, and nobody is to wait for it.
struct EndOf<'a>(&'a Queue<Item>);

impl Drop for EndOf<'_> {
    fn drop(&mut self) {
        self.0.end();
    }
}

impl Writer {
    pub fn new(
        database: Database,
        queue: Arc<Queue<Item>>,
        totals: Arc<Totals>,
        count: Box<Count>,
    ) -> Writer {
        Writer {
            database,
            queue,
            totals,
            counter: Counter::new(count),
            uncalled: VecDeque::new(),
            lost: 0,
            has_told: false,
        }
    }

    /// Writes until the queue is closed and empty.
    pub fn run(mut self, max_age: Duration) {
        let queue = Arc::clone(&self.queue);
        let end = EndOf(&queue);
        let forgotten = self.database.forget(max_age);
        self.tell(forgotten);
        let begun = Instant::now();
        while let Some(mut batch) = queue.take() {
            let is_list = |waiting: &Charged<Item>| matches!(waiting.item, Item::Listing(_));
            self.uncalled.append(&mut batch.items);
            let may_wait = batch.dropped == 0 && self.uncalled.iter().all(is_list);
            if may_wait && queue.has_more_within(STARTING.saturating_sub(begun.elapsed())) {
                continue;
            }
            batch.items = std::mem::take(&mut self.uncalled);
            self.write(batch);
        }
        let uncalled = std::mem::take(&mut self.uncalled);
        self.counter = Counter::new(Box::new(tokens::roughly));
        self.write(Batch {
            items: uncalled,
            dropped: 0,
        });
        // The last one to close it leaves everything in one file. Nobody is told of the end before.
        drop(self);
        drop(end);
    }

    fn write(&mut self, batch: Batch<Item>) {
        self.lost += batch.dropped;
        let mut counted = Vec::new();
        let mut begun = Instant::now();
        for waiting in batch.items {
            if self.queue.gives_up() {
                self.lost += 1;
            } else {
                counted.push(match waiting.item {
                    Item::Call(entry) => {
                        let counts = call(*entry, &self.counter);
                        self.totals.add(&counts.sizes);
                        Counts::Call(Box::new(counts))
                    }
                    Item::Read(entry) => Counts::Read(read(entry, &self.counter)),
                    Item::Listing(entry) => Counts::Listing(listing(entry, &self.counter)),
                });
            }
            self.queue.let_go(waiting.bytes);
            if begun.elapsed() >= UNWRITTEN_LIMIT {
                self.commit(&std::mem::take(&mut counted));
                begun = Instant::now();
            }
        }
        self.commit(&counted);
    }

    fn commit(&mut self, counted: &[Counts]) {
        let lost = self.lost;
        if counted.is_empty() && lost == 0 {
            return;
        }
        let written = self.database.write(|transaction| {
            if lost > 0 {
                let now = unix_ms(SystemTime::now());
                let drops = "INSERT INTO drops (time_ms, receipts) VALUES (?1, ?2)";
                transaction.execute(drops, params![now, size(lost)])?;
            }
            let mut rows = Rows::prepare(transaction)?;
            counted.iter().try_for_each(|counts| match counts {
                Counts::Call(call) => rows.add_call(transaction, call),
                Counts::Read(read) => rows.add_read(read),
                Counts::Listing(listing) => rows.add_listing(listing),
            })
        });
        let items = counted.len() as u64;
        if written.is_ok() {
            self.queue.wrote(items + lost);
            self.lost = 0;
        } else {
            self.lost += items;
        }
        self.tell(written);
    }

    /// Tells the operator once, and again after it had worked in between.
    fn tell(&mut self, written: Result<(), LedgerError>) {
        match written {
            Ok(()) => self.has_told = false,
            Err(_) if self.has_told => {}
            Err(error) => {
                self.has_told = true;
                tracing::warn!("receipts are lost: {:#}", anyhow::Error::from(error));
            }
        }
    }
}

/// The statements of one transaction. The connection keeps them for the next: under a small load each call is a
/// transaction of its own.
struct Rows<'a> {
    call: CachedStatement<'a>,
    step: CachedStatement<'a>,
    read: CachedStatement<'a>,
    listing: CachedStatement<'a>,
    find: CachedStatement<'a>,
}

impl<'a> Rows<'a> {
    fn prepare(transaction: &'a Transaction<'_>) -> rusqlite::Result<Rows<'a>> {
        Ok(Rows {
            call: transaction.prepare_cached(
                "INSERT INTO calls (time_ms, server, tool, chain, client, client_version, session, \
                 withheld, failed, bytes_before, bytes_after, tokens_before, tokens_after, time_us, \
                 reference, shown_before, shown_after, agent, is_estimated) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)",
            )?,
            step: transaction.prepare_cached(
                "INSERT INTO steps (call, step, outcome, filter, documents, failed, cut, \
                 bytes_before, bytes_after, tokens_before, tokens_after, time_us) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
            )?,
            read: transaction.prepare_cached(
                "INSERT INTO reads (time_ms, server, session, reference, call, bytes, tokens, agent, \
                 is_estimated) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            )?,
            listing: transaction.prepare_cached(
                "INSERT INTO listings (time_ms, agent, server, part, tokens) \
                 VALUES (?1, ?2, ?3, ?4, ?5)",
            )?,
            // The same result has the same reference, so several calls may have given it: the last
            // one that this session made, else the last one of all.
            find: transaction.prepare_cached(
                "SELECT id FROM calls WHERE reference = ?1 ORDER BY session = ?2 DESC, id DESC LIMIT 1",
            )?,
        })
    }

    fn add_call(
        &mut self,
        transaction: &Transaction<'_>,
        call: &CallCounts,
    ) -> rusqlite::Result<()> {
        let (entry, sizes) = (&call.entry, &call.sizes);
        let client = entry.client.as_ref();
        self.call.execute(params![
            unix_ms(entry.time),
            entry.server,
            entry.tool,
            entry.chain,
            client.map(|client| &client.name),
            client.map(|client| &client.version),
            entry.session,
            entry.withheld,
            call.steps.values().any(|step| step.failed),
            sizes.bytes_before,
            sizes.bytes_after,
            sizes.tokens_before,
            sizes.tokens_after,
            micros(entry.time_spent),
            entry.reference,
            call.shown[0],
            call.shown[1],
            entry.agent,
            call.is_estimated,
        ])?;
        let id = transaction.last_insert_rowid();
        for ((place, outcome), step) in &call.steps {
            self.step.execute(params![
                id,
                size(*place as u64),
                outcome,
                step.filter,
                step.documents,
                step.failed,
                step.cut,
                step.sizes.bytes_before,
                step.sizes.bytes_after,
                step.sizes.tokens_before,
                step.sizes.tokens_after,
                micros(step.time),
            ])?;
        }
        Ok(())
    }

    fn add_read(&mut self, read: &ReadCounts) -> rusqlite::Result<()> {
        let entry = &read.entry;
        let call: Option<i64> = match &entry.reference {
            None => None,
            Some(reference) => self
                .find
                .query_row(params![reference, entry.session], |row| row.get(0))
                .optional()?,
        };
        self.read.execute(params![
            unix_ms(entry.time),
            entry.server,
            entry.session,
            entry.reference,
            call,
            read.bytes,
            read.tokens,
            entry.agent,
            read.is_estimated,
        ])?;
        Ok(())
    }

    fn add_listing(&mut self, listing: &ListingCounts) -> rusqlite::Result<()> {
        let entry = &listing.entry;
        self.listing.execute(params![
            unix_ms(entry.time),
            entry.agent,
            entry.server,
            entry.part,
            listing.tokens,
        ])?;
        Ok(())
    }
}

impl Totals {
    fn add(&self, sizes: &Sizes) {
        let add = |total: &AtomicU64, tokens: i64| {
            total.fetch_add(u64::try_from(tokens).unwrap_or(0), Ordering::Relaxed);
        };
        add(&self.tokens_before, sizes.tokens_before);
        add(&self.tokens_after, sizes.tokens_after);
    }
}

fn call(mut entry: Entry, counter: &Counter) -> CallCounts {
    let (before, after, documents) = (
        std::mem::take(&mut entry.before),
        std::mem::take(&mut entry.after),
        std::mem::take(&mut entry.documents),
    );
    let mut counted = Counted::new(counter, &entry.server, &entry.tool);
    let bytes = |texts: &[Arc<str>]| size(texts.iter().map(|text| text.len() as u64).sum());
    let sizes = Sizes {
        bytes_before: bytes(&before),
        bytes_after: bytes(&after),
        tokens_before: size(counted.tokens_of_all(Place::Before, &before)),
        tokens_after: size(counted.tokens_of_all(Place::After, &after)),
    };
    let mut steps: BTreeMap<(usize, &'static str), StepCounts> = BTreeMap::new();
    for (place, step) in documents.iter().flat_map(|steps| steps.iter().enumerate()) {
        let sum = steps
            .entry((place, step.outcome))
            .or_insert_with(|| StepCounts::none(step));
        sum.documents += 1;
        sum.failed |= step.failed;
        sum.cut |= step.cut;
        sum.sizes.bytes_before += size(step.before.len() as u64);
        sum.sizes.bytes_after += size(step.after.len() as u64);
        sum.sizes.tokens_before += size(counted.tokens(Place::StepBefore(place), &step.before));
        sum.sizes.tokens_after += size(counted.tokens(Place::StepAfter(place), &step.after));
        sum.time += step.time;
    }
    let shown = match &entry.shown {
        Some(shown) => counted.tokens_of_made(shown).map(size),
        None => [sizes.tokens_before, sizes.tokens_after],
    };
    let is_estimated = counted.has_estimates();
    entry.shown = None;
    CallCounts {
        entry,
        sizes,
        shown,
        is_estimated,
        steps,
    }
}

impl StepCounts {
    fn none(step: &StepEntry) -> StepCounts {
        StepCounts {
            filter: step.filter.clone(),
            documents: 0,
            failed: false,
            cut: false,
            sizes: Sizes::default(),
            time: Duration::ZERO,
        }
    }
}

fn read(mut entry: ReadEntry, counter: &Counter) -> ReadCounts {
    let answer = std::mem::replace(&mut entry.answer, Arc::from(""));
    let counted = Counted::new(counter, &entry.server, "");
    let tokens = size(counted.tokens_of_other(Place::Read, &answer));
    let is_estimated = counted.has_estimates();
    ReadCounts {
        entry,
        bytes: size(answer.len() as u64),
        tokens,
        is_estimated,
    }
}

/// Lists are counted: there is one for each connection.
fn listing(entry: ListingEntry, counter: &Counter) -> ListingCounts {
    let [before, after] = entry.tokens.tokens(&|text| counter.count(text)).map(size);
    ListingCounts {
        entry,
        tokens: after - before,
    }
}

/// SQLite's integers have a sign.
fn size(size: u64) -> i64 {
    i64::try_from(size).unwrap_or(i64::MAX)
}

fn micros(time: Duration) -> i64 {
    i64::try_from(time.as_micros()).unwrap_or(i64::MAX)
}
