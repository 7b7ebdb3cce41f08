//! Tokens of recorded texts. Each text of a receipt is counted once, also if it is there again.
//!
//! Texts are counted exactly while there is time. If more arrive than a small part of a processor can count, only
//! samples of each kind are counted, and the tokens of other texts are estimated from their bytes. A row that has an
//! estimate says so.

use super::entry::Later;
use crate::tokens;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::time::Instant;

/// Counts the tokens of a text.
pub(super) type Count = dyn Fn(&str) -> u64 + Send;

pub(super) fn o200k(text: &str) -> u64 {
    u64::from(tokens::count(text))
}

/// About the tokens of a list of tools that an agent had for a moment, without a call.
pub(super) fn roughly(text: &str) -> u64 {
    text.len() as u64 / 4
}

/// Bytes that are counted at once: all that one agent gets in a session.
const BURST_BYTES: f64 = (32 << 20) as f64;

/// Bytes that are counted in each second, in the long run, besides samples: a two-thousandth of a processor. Replicas
/// that share processors each count so many.
const BYTES_PER_SECOND: f64 = (16 << 10) as f64;

/// Texts of a kind that are counted before the first one is estimated, and one in how many is counted afterwards. The share
/// does not depend on how many were seen: several replicas count no more than one that has all calls.
const SAMPLE: u32 = 16;
const EVERY: u32 = 64;

/// Samples of a kind after which older ones count half.
const REMEMBERED: u32 = 64;

/// Kinds that are known. Above that, all are learned again.
const MAX_KINDS: usize = 1024;

/// Counts and estimates.
pub(super) struct Counter {
    count: Box<Count>,
    allowance: Cell<Allowance>,
    /// The samples of each kind of text.
    kinds: RefCell<HashMap<u64, Samples>>,
}

/// Bytes that may be counted now.
#[derive(Clone, Copy)]
struct Allowance {
    bytes: f64,
    at: Instant,
}

/// Texts of one kind that were counted.
#[derive(Default)]
struct Samples {
    counted: u32,
    /// Of those that were counted, how many `bytes` and `tokens` stand for.
    remembered: u32,
    /// Texts that were estimated since the last one was counted.
    estimated: u32,
    bytes: u64,
    tokens: u64,
}

/// Where a text was: texts in one place of a tool's results are alike.
#[derive(Hash, Clone, Copy)]
pub(super) enum Place {
    Before,
    After,
    StepBefore(usize),
    StepAfter(usize),
    Shown(usize),
    /// All of a result that a client shows.
    Result(usize),
    Read,
}

impl Counter {
    pub fn new(count: Box<Count>) -> Counter {
        let allowance = Allowance {
            bytes: BURST_BYTES,
            at: Instant::now(),
        };
        Counter {
            count,
            allowance: Cell::new(allowance),
            kinds: RefCell::default(),
        }
    }

    /// Tokens of a text, counted.
    pub fn count(&self, text: &str) -> u64 {
        (self.count)(text)
    }

    /// An estimate of the tokens of a text with so many bytes, or of a text that is made of so many; none: too few of its
    /// kind were counted.
    fn estimate(&self, kind: u64, bytes: usize) -> Option<u64> {
        let mut kinds = self.kinds.borrow_mut();
        let samples = kinds.get_mut(&kind)?;
        if samples.counted < SAMPLE || samples.estimated >= EVERY {
            return None;
        }
        samples.estimated += 1;
        let scaled = u128::from(samples.tokens) * bytes as u128;
        let tokens = scaled.div_ceil(u128::from(samples.bytes.max(1)));
        self.spend(bytes);
        Some(u64::try_from(tokens).unwrap_or(u64::MAX))
    }

    /// Takes tokens that were counted as a sample of a kind.
    fn learn(&self, kind: u64, bytes: usize, tokens: u64) {
        let mut kinds = self.kinds.borrow_mut();
        if kinds.len() >= MAX_KINDS {
            kinds.clear();
        }
        let samples = kinds.entry(kind).or_default();
        if samples.remembered >= REMEMBERED {
            samples.remembered /= 2;
            samples.bytes /= 2;
            samples.tokens /= 2;
        }
        samples.remembered += 1;
        samples.counted = samples.counted.saturating_add(1);
        samples.estimated = 0;
        samples.bytes += bytes as u64;
        samples.tokens += tokens;
    }

    /// Tokens of a text, counted within what may be counted, or as a sample beyond it.
    fn count_in_time(&self, text: &str) -> u64 {
        self.spend(text.len());
        (self.count)(text)
    }

    /// Takes bytes from those that may be counted, also for a text that was estimated: a busy server counts no more in the
    /// pauses between its calls. Time pays for no more than a burst.
    fn spend(&self, bytes: usize) {
        let Allowance { bytes: left, at } = self.allowance.get();
        let bytes = (left - bytes as f64).max(-BURST_BYTES);
        self.allowance.set(Allowance { bytes, at });
    }

    /// Whether so many bytes may be counted now.
    fn has_time_for(&self, bytes: usize) -> bool {
        let now = Instant::now();
        let Allowance { bytes: left, at } = self.allowance.get();
        let left = left + now.duration_since(at).as_secs_f64() * BYTES_PER_SECOND;
        let left = left.min(BURST_BYTES);
        self.allowance.set(Allowance {
            bytes: left,
            at: now,
        });
        left >= bytes as f64
    }
}

/// The counts of one receipt's texts.
pub(super) struct Counted<'a> {
    counter: &'a Counter,
    server: &'a str,
    tool: &'a str,
    /// Steps hand documents on, so most texts are there several times. By address, which is found without reading them.
    by_address: HashMap<*const u8, u64>,
    /// Those that were counted.
    by_text: HashMap<&'a str, u64>,
    has_estimates: Cell<bool>,
}

impl<'a> Counted<'a> {
    pub fn new(counter: &'a Counter, server: &'a str, tool: &'a str) -> Counted<'a> {
        Counted {
            counter,
            server,
            tool,
            by_address: HashMap::new(),
            by_text: HashMap::new(),
            has_estimates: Cell::new(false),
        }
    }

    /// Whether a count is an estimate.
    pub fn has_estimates(&self) -> bool {
        self.has_estimates.get()
    }

    /// Tokens of a text of the receipt.
    pub fn tokens(&mut self, place: Place, text: &'a Arc<str>) -> u64 {
        if let Some(tokens) = self.by_address.get(&text.as_ptr()) {
            return *tokens;
        }
        let (tokens, is_estimate) = self.tokens_in_time(place, text);
        // The receipt keeps its texts, so no other text gets this address.
        self.by_address.insert(text.as_ptr(), tokens);
        // To find a text again takes longer than to estimate it.
        if !is_estimate {
            self.by_text.insert(text, tokens);
        }
        tokens
    }

    pub fn tokens_of_all(&mut self, place: Place, texts: &'a [Arc<str>]) -> u64 {
        texts.iter().map(|text| self.tokens(place, text)).sum()
    }

    /// Tokens of a text that the receipt does not keep.
    pub fn tokens_of_other(&self, place: Place, text: &str) -> u64 {
        self.tokens_in_time(place, text).0
    }

    /// Tokens of a text, and whether they are an estimate, since there is no time to count it.
    fn tokens_in_time(&self, place: Place, text: &str) -> (u64, bool) {
        if text.is_empty() {
            return (0, false);
        }
        let kind = self.kind(place, text.len());
        if !self.counter.has_time_for(text.len())
            && let Some(tokens) = self.counter.estimate(kind, text.len())
        {
            self.has_estimates.set(true);
            return (tokens, true);
        }
        let known = self.by_text.get(text).copied();
        let tokens = known.unwrap_or_else(|| {
            let tokens = self.counter.count_in_time(text);
            self.counter.learn(kind, text.len(), tokens);
            tokens
        });
        (tokens, false)
    }

    /// Tokens of the texts that are made of a result, before and after; most are texts of the receipt. For an estimate,
    /// none is made.
    pub fn tokens_of_made(&self, later: &Later) -> [u64; 2] {
        let results = later.result_bytes();
        let is_late = !self.counter.has_time_for(results.iter().sum());
        let kind = |at: usize, bytes| self.kind(Place::Result(at), bytes);
        let kinds = results.iter().enumerate();
        let kinds: Vec<_> = kinds.map(|(at, &bytes)| (kind(at, bytes), bytes)).collect();
        let estimate = |&(kind, bytes): &(u64, usize)| self.counter.estimate(kind, bytes);
        if is_late
            && let Some(estimates) = kinds.iter().map(estimate).collect::<Option<Vec<u64>>>()
            && let ([before, ..], [.., after]) = (&estimates[..], &estimates[..])
        {
            self.has_estimates.set(true);
            return [*before, *after];
        }
        let at = Cell::new(0);
        let count = |text: &str| {
            let place = Place::Shown(at.replace(at.get() + 1));
            if kinds.is_empty() {
                return self.tokens_of_other(place, text);
            }
            let known = self.by_text.get(text).copied();
            known.unwrap_or_else(|| self.counter.count_in_time(text))
        };
        let tokens = later.tokens(&count);
        for (&(kind, bytes), tokens) in kinds.iter().zip(tokens) {
            self.counter.learn(kind, bytes, tokens);
        }
        tokens
    }

    /// Texts that are alike: of one tool, in one place, of similar length, since the longer a text, the more of it are rows.
    fn kind(&self, place: Place, bytes: usize) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.server, self.tool, place, bytes.checked_ilog2()).hash(&mut hasher);
        hasher.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write as _;

    /// Rows as a server sends them, of varied length and content.
    fn rows(seed: u64, count: u64) -> Arc<str> {
        let mut text = String::from("[");
        for row in 0..count {
            let number = (seed * 31 + row).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33;
            write!(
                text,
                "{{\"id\":{number},\"name\":\"customer {}\",\"state\":\"{}\",\"total\":{}.{:02}}},",
                number % 977,
                ["open", "closed", "waiting for an answer"][number as usize % 3],
                number % 100_000,
                number % 100
            )
            .expect("a string");
        }
        text.into()
    }

    fn exhausted() -> Counter {
        let counter = Counter::new(Box::new(o200k));
        counter.allowance.set(Allowance {
            bytes: 0.0,
            at: Instant::now(),
        });
        counter
    }

    #[test]
    fn while_there_is_time_all_are_counted() {
        let counter = Counter::new(Box::new(o200k));
        for seed in 0..200 {
            let text = rows(seed, 20 + seed % 60);
            let mut counted = Counted::new(&counter, "shop", "orders");
            assert_eq!(counted.tokens(Place::Before, &text), o200k(&text));
            assert!(!counted.has_estimates());
        }
    }

    #[test]
    fn each_text_is_counted_once_and_found_at_once() {
        let calls = Arc::new(std::sync::atomic::AtomicU64::new(0));
        let counted_calls = Arc::clone(&calls);
        let counter = Counter::new(Box::new(move |text| {
            counted_calls.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            text.len() as u64
        }));
        let texts: Vec<Arc<str>> = (0..100_000).map(|at| format!("{at:06}").into()).collect();
        let equal: Vec<Arc<str>> = texts.iter().map(|text| text.to_string().into()).collect();
        let begun = Instant::now();
        let mut counted = Counted::new(&counter, "shop", "orders");
        let sums = [&texts, &texts, &equal].map(|all| counted.tokens_of_all(Place::Before, all));
        assert_eq!(sums, [600_000; 3]);
        assert_eq!(calls.load(std::sync::atomic::Ordering::Relaxed), 100_000);
        // Compared with each other, they would take much longer.
        let took = begun.elapsed();
        assert!(took.as_secs() < 10, "{took:?}");
    }

    #[test]
    fn texts_that_are_made_of_results_are_made_for_samples_alone() {
        let counter = exhausted();
        let made = Arc::new(std::sync::atomic::AtomicU64::new(0));
        let (mut sum, mut exact) = (0, 0);
        for seed in 0..2000 {
            let text = rows(seed, 20 + seed % 60);
            let result = serde_json::json!(text).to_string();
            exact += o200k(&text);
            let (made, given) = (Arc::clone(&made), Arc::clone(&text));
            let later = Later::new(result.len(), move |count| {
                made.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                // A sample is counted, also where the same text of the receipt is an estimate.
                assert_eq!(count(&given), o200k(&given));
                [o200k(&given), 1]
            });
            let mut counted = Counted::new(&counter, "shop", "orders");
            if seed % 3 > 0 {
                counted.tokens(Place::Before, &text);
            }
            let [before, after] = counted.tokens_of_made(&later.of_results(vec![result.len(), 1]));
            assert_eq!(after, 1);
            sum += before;
        }
        let made = made.load(std::sync::atomic::Ordering::Relaxed);
        assert!((60..120).contains(&made), "{made}");
        let difference = (sum as f64 / exact as f64 - 1.0).abs();
        assert!(difference < 0.03, "{difference}");
    }

    #[test]
    fn estimates_are_within_three_in_a_hundred_and_marked() {
        let counter = exhausted();
        let (mut sum, mut exact, mut marked) = (0, 0, 0);
        for seed in 0..2000 {
            let text = rows(seed, 20 + seed % 60);
            let mut counted = Counted::new(&counter, "shop", "orders");
            sum += counted.tokens(Place::Before, &text);
            exact += o200k(&text);
            marked += u64::from(counted.has_estimates());
        }
        assert!(marked > 1500, "{marked}");
        let difference = (sum as f64 / exact as f64 - 1.0).abs();
        assert!(difference < 0.03, "{difference}");
        // What changes is learned.
        let (mut sum, mut exact) = (0, 0);
        for round in 0..12_000 {
            let text: Arc<str> = "ab cd ".repeat(200 + round % 50).into();
            let tokens = Counted::new(&counter, "shop", "orders").tokens(Place::Before, &text);
            if round >= 10_000 {
                sum += tokens;
                exact += o200k(&text);
            }
        }
        let difference = (sum as f64 / exact as f64 - 1.0).abs();
        assert!(difference < 0.03, "{difference}");
    }

    #[test]
    fn a_busy_server_counts_no_more_after_a_short_pause() {
        let counter = exhausted();
        let estimates = |texts: std::ops::Range<u64>| {
            let of_each = texts.map(|seed| {
                let text = rows(seed, 40);
                let mut counted = Counted::new(&counter, "shop", "orders");
                counted.tokens(Place::Before, &text);
                u64::from(counted.has_estimates())
            });
            of_each.sum::<u64>()
        };
        let pause = |seconds: f64| {
            let Allowance { bytes, at } = counter.allowance.get();
            let bytes = bytes + seconds * BYTES_PER_SECOND;
            counter.allowance.set(Allowance { bytes, at });
        };
        estimates(0..1000);
        pause(60.0);
        assert!(estimates(1000..1100) > 90);
        // What it was given is paid for in time.
        pause(600.0);
        assert_eq!(estimates(1100..1200), 0);
    }
}
