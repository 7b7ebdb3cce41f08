//! Cuts by tokens.
//!
//! The host counts pieces, which end where a space follows a word. No token crosses that, so the counts add up to the
//! whole. Each piece is about as long as the remaining room, so that little is counted twice.

use crate::cut::HeadAndTail;
use tamis_sdk::Document;

/// Most bytes that are counted in one call.
const COUNTED_AT_ONCE: usize = 64 * 1024;
/// Text has three to five bytes a token. If it has fewer, the next piece is shorter.
const BYTES_A_TOKEN: u32 = 3;
/// The shortest piece: room for a long word.
const SHORTEST_PIECE: u32 = 64;
/// An ASCII word up to this length is never split.
const WORD_BYTES: usize = 32;

/// The end of a text that stays.
#[derive(Clone, Copy)]
enum Side {
    Head,
    Tail,
}

impl Side {
    /// The part of a text that stays, of at most about `size` bytes.
    fn piece(self, text: &str, size: usize) -> &str {
        match self {
            Side::Head => &text[..text.floor_char_boundary(size)],
            Side::Tail => &text[text.ceil_char_boundary(text.len() - size)..],
        }
    }
}

/// Cuts to at most `head` tokens before the cut and at most `tail` after it; none if the document has no more than both
/// together.
pub fn cut(document: &Document, head: u32, tail: u32) -> Option<HeadAndTail<'_>> {
    let len = document.len_bytes();
    let limit = head + tail;
    let fits = if len as usize <= COUNTED_AT_ONCE {
        tamis_sdk::tokens(&document.slice(0, len)) <= limit
    } else {
        measure(document, Side::Head, limit) == len
    };
    if fits {
        return None;
    }
    let before = measure(document, Side::Head, head);
    let after = measure(document, Side::Tail, tail).min(len - before);
    Some(HeadAndTail::of(document, before, len - after))
}

/// The number of tokens of a text, or nearly.
pub fn count(text: &str) -> u32 {
    let (mut left, mut count) = (text, 0);
    while left.len() > COUNTED_AT_ONCE {
        let window = Side::Head.piece(left, COUNTED_AT_ONCE);
        let size = sizes(window, Side::Head).pop().unwrap_or(window.len());
        count += tamis_sdk::tokens(&left[..size]);
        left = &left[size..];
    }
    count + tamis_sdk::tokens(left)
}

/// The number of bytes of a document, from one side, with at most `limit` tokens by [`count`].
fn measure(document: &Document, side: Side, limit: u32) -> u32 {
    let len = document.len_bytes();
    let mut aim = limit;
    loop {
        let taken = measure_pieces(document, side, aim);
        // Pieces that split a word may have fewer tokens than their whole.
        let kept = match side {
            Side::Head => document.slice(0, taken),
            Side::Tail => document.slice(len - taken, len),
        };
        let over = count(&kept).saturating_sub(limit);
        if over == 0 {
            return taken;
        }
        aim = aim.saturating_sub(over);
    }
}

/// The number of bytes of a document, from one side, with at most `limit` tokens, piece by piece.
fn measure_pieces(document: &Document, side: Side, limit: u32) -> u32 {
    let len = document.len_bytes();
    let (mut taken, mut left) = (0, limit);
    // Nothing fits in an empty window.
    while left > 0 {
        let wanted = left.saturating_mul(BYTES_A_TOKEN);
        let wanted = wanted.clamp(SHORTEST_PIECE, COUNTED_AT_ONCE as u32);
        let window = match side {
            Side::Head => document.slice(taken, taken.saturating_add(wanted)),
            // The start moves back to a character's first byte, so the window may be too long.
            Side::Tail => document.slice((len - taken).saturating_sub(wanted - 3), len - taken),
        };
        let last = taken + window.len() as u32 == len;
        let (bytes, tokens) = fit(&window, side, left, last);
        if bytes == 0 {
            break;
        }
        taken += bytes as u32;
        left -= tokens;
    }
    taken
}

/// The largest piece of a window, or nearly, with at most `limit` tokens: its bytes and tokens.
fn fit(window: &str, side: Side, limit: u32, last: bool) -> (usize, u32) {
    let mut sizes = sizes(window, side);
    if last || sizes.is_empty() {
        sizes.push(window.len());
    }
    while let Some(size) = sizes.pop() {
        let piece = side.piece(window, size);
        if piece.is_empty() {
            break;
        }
        let tokens = tamis_sdk::tokens(piece);
        if tokens <= limit {
            return (piece.len(), tokens);
        }
        let half = piece.len() / 2;
        let smaller = sizes.partition_point(|size| *size <= half);
        if !sizes.is_empty() {
            sizes.truncate(smaller.max(1));
        } else if piece.len() > WORD_BYTES || !piece.is_ascii() {
            sizes.push(half);
        }
    }
    (0, 0)
}

/// Sizes of the pieces that end, on the inner side, between a word and a space; ascending.
fn sizes(window: &str, side: Side) -> Vec<usize> {
    let bytes = window.as_bytes();
    let boundary = |at: &usize| bytes[*at] == b' ' && ends_a_word(&window[..*at]);
    let inside = 1..bytes.len();
    match side {
        Side::Head => inside.filter(boundary).collect(),
        Side::Tail => {
            let sizes = inside.rev().filter(boundary);
            sizes.map(|at| bytes.len() - at).collect()
        }
    }
}

fn ends_a_word(text: &str) -> bool {
    text.chars()
        .next_back()
        .is_some_and(|it| !it.is_whitespace())
}
