//! The ledger: what the filters saved, in one SQLite file.
//!
//! Owns the file, the queue in front of it, the counting of tokens, and the sums of a report.
//! Refuses to know where receipts come from: no protocol, no chains, no policy. It never writes arguments
//! and texts, only names, counts and times.
//!
//! A call must not wait for any of it. [`Ledger::record`] puts a receipt into a queue that is bounded
//! in number and in bytes; one thread takes them out, counts tokens, and writes them in
//! transactions. Receipts that do not fit into the queue are dropped and counted, and the count is written.
//!
//! A report subtracts what a model read back of an original ([`Ledger::record_read`]) from the saving of the
//! call: a cut that was read back saved nothing. It also subtracts what Tamis adds to every request
//! ([`Ledger::record_listing`]): one request asks for each call.

#[cfg(not(feature = "replicas"))]
mod absent;
mod agent_name;
mod database;
mod entry;
mod error;
mod origin;
#[cfg(feature = "replicas")]
mod postgres;
mod report;
#[cfg(test)]
mod tests;
mod tokens;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

#[cfg(not(feature = "replicas"))]
pub use self::absent::{Mirror, PostgresError, fetch};
pub use self::agent_name::AgentName;
pub use self::database::file;
pub use self::entry::{ClientInfo, Entry, Later, ListingEntry, ReadEntry, StepEntry};
pub use self::error::LedgerError;
pub use self::origin::tools_by_reference;
#[cfg(feature = "replicas")]
pub use self::postgres::{Mirror, PostgresError, fetch};
pub use self::report::{
    EarlierUse, GroupBy, Lost, NotASince, OutcomeCount, Question, Report, Row, Since, local_minute,
    report, reports,
};

use self::database::Database;
use self::entry::Item;
use self::tokens::Count;
use self::writer::Writer;
use crate::queue::Queue;

/// Limits on the ledger's age and on its queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LedgerLimits {
    /// Receipts older than this go when the ledger is opened.
    pub max_age: Duration,
    /// Receipts that may wait.
    pub queue_entries: usize,
    /// Bytes of their texts, together. A call that has more than this is never recorded.
    pub queue_bytes: usize,
    /// How long [`Ledger::close`] takes at most.
    pub close: Duration,
}

impl Default for LedgerLimits {
    fn default() -> LedgerLimits {
        LedgerLimits {
            // A quarter: enough to compare a policy with the one before it.
            max_age: Duration::from_secs(90 * 24 * 60 * 60),
            // A burst of parallel calls, many times over.
            queue_entries: 1024,
            // A few results of the largest kind. The memory is freed once they are counted.
            queue_bytes: 64 << 20,
            // A proxy whose client has left is not missed for so long, and megabytes are counted in it.
            close: Duration::from_secs(2),
        }
    }
}

/// The ledger of one state directory, open for writing. Clones are the same ledger.
///
/// Several processes may write to one directory.
#[derive(Clone)]
pub struct Ledger {
    shared: Arc<Shared>,
}

/// Sums since the ledger was opened.
#[derive(Debug, Default)]
struct Totals {
    tokens_before: AtomicU64,
    tokens_after: AtomicU64,
}

struct Shared {
    directory: PathBuf,
    queue: Arc<Queue<Item>>,
    totals: Arc<Totals>,
    close: Duration,
}

impl Ledger {
    /// Opens the ledger in `state_directory`, and starts the thread that writes. Makes a missing directory or
    /// ledger, for its owner only.
    ///
    /// # Errors
    ///
    /// The file is not a ledger, or a newer Tamis made it. Or the directory may not be written to or is not
    /// private. The file stays unchanged.
    pub fn open(state_directory: &Path, limits: LedgerLimits) -> Result<Ledger, LedgerError> {
        Ledger::open_counting(state_directory, limits, Box::new(tokens::o200k))
    }

    fn open_counting(
        state_directory: &Path,
        limits: LedgerLimits,
        count: Box<Count>,
    ) -> Result<Ledger, LedgerError> {
        let database = Database::open_or_create(state_directory)?;
        let queue = Arc::new(Queue::new(limits.queue_entries, limits.queue_bytes));
        let totals = Arc::new(Totals::default());
        let writer = Writer::new(database, Arc::clone(&queue), Arc::clone(&totals), count);
        thread::Builder::new()
            .name("ledger".to_owned())
            .spawn(move || writer.run(limits.max_age))
            .map_err(LedgerError::Thread)?;
        Ok(Ledger {
            shared: Arc::new(Shared {
                directory: state_directory.to_owned(),
                queue,
                totals,
                close: limits.close,
            }),
        })
    }

    /// Records a call. Returns at once: if the queue is full, the call is dropped and counted.
    pub fn record(&self, entry: Entry) {
        let bytes = entry.memory_bytes();
        self.shared.queue.push(Item::Call(Box::new(entry)), bytes);
    }

    /// Records a read of an original, under the same terms.
    pub fn record_read(&self, read: ReadEntry) {
        let bytes = read.memory_bytes();
        self.shared.queue.push(Item::Read(read), bytes);
    }

    /// Records what Tamis added to every request of an agent, under the same terms.
    pub fn record_listing(&self, listing: ListingEntry) {
        let bytes = listing.memory_bytes();
        self.shared.queue.push(Item::Listing(listing), bytes);
    }

    /// What earlier agents of the same kind did with the tools of a server. The agent that asks does not count. None,
    /// if the ledger cannot be read.
    pub fn earlier_use(&self, server: &str, asking: &AgentName) -> Option<EarlierUse> {
        let earlier = report::earlier_use(&self.shared.directory, server, asking);
        let warn = |error| tracing::warn!("no tools are pinned: {:#}", anyhow::Error::from(error));
        earlier.map_err(warn).ok()
    }

    /// Tokens of the texts recorded since it was opened, before and after filtering, as far as they
    /// are counted.
    pub fn tokens(&self) -> [u64; 2] {
        let Totals {
            tokens_before,
            tokens_after,
        } = &*self.shared.totals;
        [tokens_before, tokens_after].map(|tokens| tokens.load(Ordering::Relaxed))
    }

    /// Writes the waiting entries, for [`LedgerLimits::close`] at most; the rest is lost, and
    /// logged. Entries that are recorded afterwards are dropped. The last clone does this when it is dropped,
    /// but a process that just exits drops nothing.
    pub fn close(&self) {
        self.shared.close();
    }
}

impl Shared {
    fn close(&self) {
        let lost = self.queue.close(self.close);
        if lost > 0 {
            tracing::warn!("{lost} receipts were not written to the ledger");
        }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.close();
    }
}
