//! Cuts by characters and by bytes, from slices of the document no larger than what stays.

use std::borrow::Cow;
use tamis_sdk::Document;

/// The longest character in UTF-8.
const CHARACTER_BYTES: u32 = 4;
/// How much is looked at at once where only a number is wanted.
const COUNTED_AT_ONCE: u32 = 256 * 1024;

/// What stays of a document.
pub struct Kept<'d> {
    pub head: Cow<'d, str>,
    pub tail: Cow<'d, str>,
    /// Where the tail begins in the document.
    pub tail_start: u32,
}

impl<'d> Kept<'d> {
    /// The first `head` bytes of a document and all from `tail` on.
    pub fn of(document: &'d Document, head: u32, tail: u32) -> Kept<'d> {
        Kept {
            head: document.slice(0, head),
            tail: document.slice(tail, document.len_bytes()),
            tail_start: tail,
        }
    }

    /// How many bytes of the document do not stay.
    pub fn gone_bytes(&self) -> u32 {
        self.tail_start - self.head.len() as u32
    }
}

/// Cuts where at most `head` bytes are before and `tail` after; the document is longer than both.
pub fn bytes(document: &Document, head: u32, tail: u32) -> Option<Kept<'_>> {
    let len = document.len_bytes();
    let from = len - tail;
    let tail = document.slice(from.saturating_sub(CHARACTER_BYTES), len);
    let floor = tail.len().saturating_sub((len - from) as usize);
    let tail_start = len - (tail.len() - tail.ceil_char_boundary(floor)) as u32;
    Some(Kept::of(document, head, tail_start))
}

/// Cuts after `head` characters and before the last `tail`; none if that is all there are.
pub fn characters(document: &Document, head: u32, tail: u32) -> Option<Kept<'_>> {
    let len = document.len_bytes();
    let limit = head + tail;
    let certain = len > limit.saturating_mul(CHARACTER_BYTES);
    let front = if certain {
        document.slice(0, head.saturating_mul(CHARACTER_BYTES))
    } else {
        let text = document.slice(0, len);
        // The character after the last that may stay.
        offset_of(&text, limit)?;
        text
    };
    let head = offset_of(&front, head).unwrap_or(front.len()) as u32;
    let reach = tail.saturating_mul(CHARACTER_BYTES).min(len - head);
    let back = document.slice(len - reach, len);
    let tail_start = len - bytes_of_last(&back, tail) as u32;
    Some(Kept::of(document, head, tail_start))
}

/// How many characters a document has.
pub fn count_characters(document: &Document) -> usize {
    let len = document.len_bytes();
    let (mut at, mut count) = (0, 0);
    while at < len {
        let piece = document.slice(at, at.saturating_add(COUNTED_AT_ONCE));
        count += piece.chars().count();
        at += piece.len() as u32;
    }
    count
}

/// Where character number `place` begins, from 0; none if there are no more than that.
fn offset_of(text: &str, place: u32) -> Option<usize> {
    text.char_indices().nth(place as usize).map(|(at, _)| at)
}

/// How many bytes the last `count` characters have.
fn bytes_of_last(text: &str, count: u32) -> usize {
    if count == 0 {
        return 0;
    }
    let first = text.char_indices().rev().nth(count as usize - 1);
    first.map_or(text.len(), |(at, _)| text.len() - at)
}
