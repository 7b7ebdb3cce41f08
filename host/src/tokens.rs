//! Exact token counts. Claude has no public tokenizer, so o200k_base stands for all of them, and
//! each printed count says so.

use std::sync::Once;
use std::time::{Duration, Instant};

/// Name of the encoding, for printed counts.
pub const ENCODING: &str = "o200k";

/// Loads the vocabulary, once a process, which takes some 100 ms, and says how long that took.
pub fn load() -> Duration {
    static LOADED: Once = Once::new();
    let begun = Instant::now();
    LOADED.call_once(|| {
        count("");
    });
    begun.elapsed()
}

/// Number of o200k_base tokens of a text.
pub fn count(text: &str) -> u32 {
    let encoding = tiktoken::get_encoding("o200k_base").expect("the vocabulary is built in");
    u32::try_from(encoding.count(text)).unwrap_or(u32::MAX)
}

/// Whether a text has fewer tokens than another. Fewer bytes alone do not mean that: words are whole
/// tokens, and short forms are often made of marks that are a token each.
pub fn are_fewer(text: &str, other: &str) -> bool {
    /// A difference in length at which no tokens need be counted: a token of the longest kind of text has about
    /// twice the bytes of one of the shortest.
    const CLEARLY: usize = 3;
    text.len() < other.len() / CLEARLY || text.len() < other.len() && count(text) < count(other)
}
