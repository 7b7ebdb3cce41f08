//! Token counts. Claude has no public tokenizer, so o200k_base stands for all of them, and each printed count says so.
//!
//! Counts are exact, with two exceptions that keep the time linear and short: of a word over [`WORD_BYTES`], pieces are
//! counted; of a text over [`TEXT_BYTES`], samples. Both are within a percent or so of the exact count.

use std::ops::Range;
use std::sync::Once;
use std::time::{Duration, Instant};

/// Name of the encoding, for printed counts.
pub const ENCODING: &str = "o200k";

/// Longest word that is counted as one. The tokenizer merges neighbours again and again within a word, so a word of
/// megabytes would take seconds. A word is what the tokenizer takes for one: letters, spaces or marks in a row.
const WORD_BYTES: usize = 1 << 10;

/// Longest text that is counted whole: 10 to 20 ms of usual text, 100 ms at worst.
const TEXT_BYTES: usize = 1 << 20;

/// Samples of a longer text, and the size of each.
const SAMPLES: usize = 32;
const SAMPLE_BYTES: usize = 16 << 10;

/// Texts up to this size are counted at once: even if they are one word, that takes a few milliseconds.
const SMALL_BYTES: usize = 4 << 10;

/// Loads the vocabulary, once a process, which takes some 100 ms, and says how long that took.
pub fn load() -> Duration {
    static LOADED: Once = Once::new();
    let begun = Instant::now();
    LOADED.call_once(|| {
        count("");
    });
    begun.elapsed()
}

/// Number of o200k_base tokens of a text. The time is linear in its size up to 1 MiB, and bounded beyond.
pub fn count(text: &str) -> u32 {
    let tokens = if text.len() <= TEXT_BYTES {
        count_whole(text)
    } else {
        let sampled: usize = samples(text).map(|sample| sample.len()).sum();
        let tokens: u64 = samples(text).map(count_whole).sum();
        let scaled = u128::from(tokens) * text.len() as u128 / sampled.max(1) as u128;
        u64::try_from(scaled).unwrap_or(u64::MAX)
    };
    u32::try_from(tokens).unwrap_or(u32::MAX)
}

/// Whether a text has fewer tokens than another. Fewer bytes alone do not mean that: words are whole
/// tokens, and short forms are often made of marks that are a token each.
pub fn are_fewer(text: &str, other: &str) -> bool {
    /// A difference in length at which no tokens need be counted: a token of the longest kind of text has about
    /// twice the bytes of one of the shortest.
    const CLEARLY: usize = 3;
    text.len() < other.len() / CLEARLY || text.len() < other.len() && count(text) < count(other)
}

/// Parts of a long text, the same distance apart.
fn samples(text: &str) -> impl Iterator<Item = &str> {
    let distance = text.len() / SAMPLES;
    (0..SAMPLES).map(move |sample| {
        let start = text.floor_char_boundary(sample * distance);
        &text[start..text.floor_char_boundary(start + SAMPLE_BYTES)]
    })
}

/// The tokens of a text, in which long words are counted in pieces.
fn count_whole(text: &str) -> u64 {
    let encoding = tiktoken::get_encoding("o200k_base").expect("the vocabulary is built in");
    let exact = |range: Range<usize>| encoding.count(&text[range]) as u64;
    if text.len() <= SMALL_BYTES {
        return exact(0..text.len());
    }
    let mut tokens = 0;
    let mut counted = 0;
    for word in long_words(text) {
        tokens += exact(counted..word.start);
        let mut at = word.start;
        while at < word.end {
            let end = text.floor_char_boundary((at + WORD_BYTES).min(word.end));
            tokens += exact(at..end);
            at = end;
        }
        counted = word.end;
    }
    tokens + exact(counted..text.len())
}

/// What a tokenizer joins to a word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Letter,
    Digit,
    Space,
    Mark,
}

fn class(byte: u8) -> Class {
    match byte {
        b'0'..=b'9' => Class::Digit,
        b' ' | b'\t' | b'\n' | b'\r' => Class::Space,
        // Parts of longer characters: nearly all of them are letters.
        b'a'..=b'z' | b'A'..=b'Z' | 0x80.. => Class::Letter,
        _ => Class::Mark,
    }
}

/// The words over `WORD_BYTES`, in order. Digits are no words: a tokenizer takes three at most together.
fn long_words(text: &str) -> impl Iterator<Item = Range<usize>> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() {
            // A long word that starts here, or after it, has this byte and that one inside.
            let probe = at + WORD_BYTES;
            let kind = class(*bytes.get(probe)?);
            let same = |&byte: &u8| class(byte) == kind;
            let before = bytes[at..probe].iter().rev().take_while(|byte| same(byte));
            let start = probe - before.count();
            let end = probe + bytes[probe..].iter().take_while(|byte| same(byte)).count();
            at = end;
            if kind != Class::Digit && end - start > WORD_BYTES {
                return Some(start..end);
            }
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn exact(text: &str) -> u64 {
        tiktoken::get_encoding("o200k_base").unwrap().count(text) as u64
    }

    /// How far a count is from another, in thousandths.
    fn off(count: u64, exact: u64) -> u64 {
        count.abs_diff(exact) * 1_000 / exact.max(1)
    }

    fn letters(bytes: usize) -> String {
        let mut state = 7_u64;
        let letter = |_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            char::from(b'a' + (state >> 33) as u8 % 26)
        };
        (0..bytes).map(letter).collect()
    }

    #[test]
    fn text_without_long_words_is_counted_exactly() {
        let text: String = (0..20_000)
            .map(|n| {
                format!(
                    "line {n}: GET /api/orders/{} took {} ms — é\n",
                    n * 7,
                    n % 91
                )
            })
            .collect();
        let text = &text[..text.floor_char_boundary(TEXT_BYTES)];
        assert_eq!(long_words(text).count(), 0);
        assert_eq!(u64::from(count(text)), exact(text));
    }

    #[test]
    fn long_words_are_counted_in_pieces_within_a_hundredth() {
        let long = 20 << 10;
        for word in [
            letters(long),
            "a".repeat(long),
            " ".repeat(long),
            "=".repeat(long),
            "漢字".repeat(long / 6),
        ] {
            let text = format!("before 12 {word} after\n");
            assert_eq!(long_words(&text).count(), 1, "{:?}", word.chars().next());
            assert!(
                off(count_whole(&text), exact(&text)) <= 25,
                "{:?}",
                word.chars().next()
            );
        }
    }

    #[test]
    fn long_words_are_found_whole() {
        let long = |n: usize| "x".repeat(WORD_BYTES + n);
        let text = format!(
            "{} {}1{}-{}",
            long(1),
            long(0),
            long(2),
            "y".repeat(WORD_BYTES * 3)
        );
        let words: Vec<usize> = long_words(&text).map(|word| word.len()).collect();
        assert_eq!(words, [WORD_BYTES + 1, WORD_BYTES + 2, WORD_BYTES * 3]);
        assert_eq!(long_words(&"9".repeat(WORD_BYTES * 4)).count(), 0);
    }

    #[test]
    fn long_texts_are_sampled_within_three_hundredths() {
        let row = |n: usize| {
            format!(
                "{{\"id\":{n},\"name\":\"order {}\",\"ok\":{}}},\n",
                n * 31,
                n.is_multiple_of(3)
            )
        };
        let mut text: String = (0..60_000).map(row).collect();
        for n in 0..20_000 {
            text += &format!(
                "2026-11-20T10:{:02} WARN worker {n} retried the request\n",
                n % 60
            );
        }
        assert!(text.len() > TEXT_BYTES);
        assert!(off(u64::from(count(&text)), exact(&text)) <= 30);
    }

    #[test]
    fn no_text_takes_long() {
        load();
        for text in [
            "a".repeat(64 << 20),
            letters(64 << 20),
            " ".repeat(64 << 20),
            letters(TEXT_BYTES),
        ] {
            let begun = Instant::now();
            assert!(count(&text) > 0);
            // 30 to 100 ms on two quiet cores; as one word, 64 MiB take 20 s.
            assert!(
                begun.elapsed() < Duration::from_secs(3),
                "{:?}",
                begun.elapsed()
            );
        }
    }

    proptest! {
        #[test]
        fn any_text_is_near(parts in prop::collection::vec(("[a-zA-Zé漢 =,.\\n0-9]{0,40}", 1_usize..200), 1..40)) {
            let text: String = parts.iter().map(|(part, times)| part.repeat(*times)).collect();
            let exact = exact(&text);
            let count = u64::from(count(&text));
            if long_words(&text).next().is_none() || text.len() <= SMALL_BYTES {
                prop_assert_eq!(count, exact);
            } else {
                // A piece may have two tokens more at each end.
                let pieces = (text.len() / WORD_BYTES + 2 * long_words(&text).count() + 2) as u64;
                prop_assert!(count.abs_diff(exact) <= 4 * pieces, "{} {}", count, exact);
            }
        }
    }
}
