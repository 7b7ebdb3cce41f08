//! The recorder: it takes calls, and writes them to the folder.

use super::{Call, folder};
use crate::file;
use crate::hex;
use crate::private;
use crate::queue::Queue;
use anyhow::{Context, Result};
use sha2::{Digest, Sha256};
use std::fs;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Calls that may wait to be written: a burst of parallel calls, many times over.
const QUEUE_CALLS: usize = 1024;

/// Bytes of them, together: a few results of the largest kind.
const QUEUE_BYTES: usize = 64 << 20;

/// The time to write waiting calls when the proxy ends: megabytes are redacted in it.
const CLOSE: Duration = Duration::from_secs(5);

/// Digits of a session's hash: with them no two sessions meet by chance.
const SESSION_DIGITS: usize = 16;

/// Removes the parts of a call that may not be recorded. An error: nothing of it may be, and the reason.
pub type Redact = dyn Fn(Call) -> Result<Call, String> + Send + Sync;

/// The purpose of a recording, which its messages name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// `tamis run --record`
    Replay,
    /// `tamis run --save-failures`
    Failures,
}

impl Purpose {
    fn calls(self) -> &'static str {
        match self {
            Purpose::Replay => "calls",
            Purpose::Failures => "calls with failed steps",
        }
    }

    /// The fix for a full folder.
    fn when_full(self, most_calls: u64, most_bytes: u64) -> String {
        match self {
            Purpose::Replay => format!(
                "`[record]` allows {most_calls} and {most_bytes}. Raise `calls` or `size`, or record in another folder"
            ),
            Purpose::Failures => format!(
                "it may have {most_calls} and {most_bytes}. Delete those that are fixed, or name another folder"
            ),
        }
    }

    /// Why nothing is recorded of a tool whose chain hides things.
    fn hidden(self) -> &'static str {
        match self {
            Purpose::Replay => {
                "calls whose chain redacts (`on-error = \"block\"`) are not recorded: name a chain that redacts recordings, in `[record] redact` or with --record-chain"
            }
            Purpose::Failures => {
                "a step failed in a chain that redacts (`on-error = \"block\"`): such calls are not saved"
            }
        }
    }
}

/// The terms on which calls are recorded.
pub struct Terms {
    /// The redaction of calls; none: they are recorded whole.
    pub redact: Option<Box<Redact>>,
    /// Calls in the folder, at most.
    pub most_calls: u64,
    /// Bytes of them, at most.
    pub most_bytes: u64,
}

/// Writes calls to a folder. Clones are the same recorder.
#[derive(Clone)]
pub struct Recorder {
    shared: Arc<Shared>,
}

struct Shared {
    purpose: Purpose,
    folder: PathBuf,
    queue: Arc<Queue<Item>>,
    /// Tells this recording from all others, and begins the names of its files.
    run: String,
    next: AtomicU64,
    has_told_of_hidden: AtomicBool,
}

/// A call that waits to be written.
struct Item {
    call: Call,
    number: u64,
    terms: Arc<Terms>,
}

impl Recorder {
    /// Makes the folder, for its owner only, if it is not there, and starts the thread that writes.
    ///
    /// # Errors
    ///
    /// The folder cannot be used: it is no folder, belongs to somebody else, or others may write there.
    pub fn open(folder: &Path, purpose: Purpose) -> Result<Recorder> {
        let context = || format!("record {} in {}", purpose.calls(), folder.display());
        private::make(folder).with_context(context)?;
        let (mut calls, mut bytes) = (0, 0);
        for path in folder::files(folder).with_context(context)? {
            // A file that is deleted in the meantime takes no room.
            bytes += fs::metadata(path).map_or(0, |found| found.len());
            calls += 1;
        }
        let begun = SystemTime::now().duration_since(UNIX_EPOCH);
        let begun = begun.unwrap_or_default().as_millis();
        // The standard library's hasher keys are its only source of random bits.
        let random = RandomState::new().build_hasher().finish() as u32;
        let queue = Arc::new(Queue::new(QUEUE_CALLS, QUEUE_BYTES));
        let run = format!("{begun:013}-{random:08x}");
        let mut writer = Writer {
            purpose,
            folder: folder.to_owned(),
            queue: Arc::clone(&queue),
            run: run.clone(),
            calls,
            bytes,
            sums: Sums::default(),
            full: None,
        };
        thread::Builder::new()
            .name("recorder".to_owned())
            .spawn(move || writer.run())
            .with_context(context)?;
        Ok(Recorder {
            shared: Arc::new(Shared {
                purpose,
                folder: folder.to_owned(),
                queue,
                run,
                next: AtomicU64::new(0),
                has_told_of_hidden: AtomicBool::new(false),
            }),
        })
    }

    /// Records a call. Returns at once: if the queue is full, the call is dropped and counted.
    pub fn record(&self, call: Call, terms: &Arc<Terms>) {
        let bytes = call.memory_bytes();
        let item = Item {
            call,
            number: self.shared.next.fetch_add(1, Ordering::Relaxed),
            terms: Arc::clone(terms),
        };
        self.shared.queue.push(item, bytes);
    }

    /// Notes a call that is not recorded: a chain redacts its content, and no chain redacts recordings.
    pub fn hold_back(&self, tool: &str) {
        if !self.shared.has_told_of_hidden.swap(true, Ordering::Relaxed) {
            tracing::warn!(tool, "{}", self.shared.purpose.hidden());
        }
    }

    /// The name of a session in the recording, by its key on this connection.
    pub fn session(&self, key: &str) -> String {
        // The run makes the hash of a key that can be guessed another one in every recording.
        let hash = Sha256::digest(format!("{}\n{key}", self.shared.run));
        let mut digits = hex::encode(&hash);
        digits.truncate(SESSION_DIGITS);
        digits
    }

    /// Writes the waiting calls, for a few seconds at most; the rest is lost, and logged.
    pub fn close(&self) {
        let lost = self.shared.queue.close(CLOSE);
        if lost > 0 {
            tracing::warn!(
                "{lost} {} were not recorded in {}: the proxy ended before they could be written",
                self.shared.purpose.calls(),
                self.shared.folder.display()
            );
        }
    }
}

/// The thread that writes.
struct Writer {
    purpose: Purpose,
    folder: PathBuf,
    queue: Arc<Queue<Item>>,
    run: String,
    /// The number of calls in the folder.
    calls: u64,
    /// The bytes of the calls in the folder.
    bytes: u64,
    sums: Sums,
    /// The bounds at which the folder was found to be full. Later calls under the same bounds are left
    /// out even if they would fit, since a recording with gaps is of little use.
    full: Option<(u64, u64)>,
}

/// The numbers of calls by outcome.
#[derive(Default)]
struct Sums {
    recorded: u64,
    dropped: u64,
    redacted: u64,
    refused: u64,
    broken: u64,
    failed: u64,
}

/// The writer has ended, by panic too, and nobody is to wait for it.
struct EndOf<'a>(&'a Queue<Item>);

impl Drop for EndOf<'_> {
    fn drop(&mut self) {
        self.0.end();
    }
}

impl Writer {
    /// Writes until the queue is closed and empty.
    fn run(&mut self) {
        let queue = Arc::clone(&self.queue);
        let end = EndOf(&queue);
        while let Some(batch) = queue.take() {
            if batch.dropped > 0 {
                if self.sums.dropped == 0 {
                    tracing::warn!(
                        "{} were not recorded: they arrived faster than Tamis can write them",
                        self.purpose.calls()
                    );
                }
                self.sums.dropped += batch.dropped;
                queue.wrote(batch.dropped);
            }
            for waiting in batch.items {
                if !queue.gives_up() {
                    self.take(waiting.item);
                    queue.wrote(1);
                }
                queue.let_go(waiting.bytes);
            }
        }
        self.tell();
        // Nobody is told of the end before.
        drop(end);
    }

    fn take(&mut self, item: Item) {
        let Item {
            call,
            number,
            terms,
        } = item;
        let bounds = (terms.most_calls, terms.most_bytes);
        if self.full == Some(bounds) {
            self.sums.refused += 1;
            return;
        }
        let tool = call.tool.clone();
        let call = match &terms.redact {
            None => Ok(call),
            Some(redact) => redact(call),
        };
        let call = match call {
            Ok(call) => call,
            Err(why) => {
                tracing::warn!(tool, "a call is not recorded: {why}");
                self.sums.redacted += 1;
                return;
            }
        };
        let bytes = match call.to_bytes() {
            Ok(bytes) => bytes,
            Err(why) => {
                tracing::warn!(tool, "a call is not recorded: {why}");
                self.sums.broken += 1;
                return;
            }
        };
        let size = bytes.len() as u64;
        if self.calls >= terms.most_calls || size > terms.most_bytes.saturating_sub(self.bytes) {
            tracing::warn!(
                "recording ends, since {} is full: it has {} calls of {} bytes, and {}",
                self.folder.display(),
                self.calls,
                self.bytes,
                self.purpose.when_full(terms.most_calls, terms.most_bytes)
            );
            self.full = Some(bounds);
            self.sums.refused += 1;
            return;
        }
        let path = self.folder.join(folder::name(&self.run, number));
        match file::create(&path, &bytes) {
            Ok(()) => {
                self.calls += 1;
                self.bytes += size;
                self.sums.recorded += 1;
            }
            Err(error) => {
                if self.sums.failed == 0 {
                    tracing::warn!(
                        "{} are not recorded: write {}: {error}",
                        self.purpose.calls(),
                        path.display()
                    );
                }
                self.sums.failed += 1;
            }
        }
    }

    /// How much was recorded, and how much was not.
    fn tell(&self) {
        let sums = &self.sums;
        let (calls, folder) = (self.purpose.calls(), self.folder.display());
        if self.purpose == Purpose::Failures && sums.recorded > 0 {
            tracing::warn!(
                "{} {calls} were recorded in {folder}: `tamis plugin test PLUGIN --document FILE` runs them again",
                sums.recorded
            );
        } else {
            tracing::info!("{} {calls} were recorded in {folder}", sums.recorded);
        }
        let left_out = [
            (sums.dropped, "arrived faster than Tamis could write them"),
            (sums.redacted, "were withheld by the redaction chain"),
            (sums.refused, "arrived when the folder was full"),
            (sums.broken, "were not JSON"),
            (sums.failed, "could not be written"),
        ];
        let left_out: Vec<String> = left_out
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, why)| format!("{count} {why}"))
            .collect();
        if !left_out.is_empty() {
            tracing::warn!(
                "{calls} were not recorded in {folder}: {}",
                left_out.join(", ")
            );
        }
    }
}
