//! Cuts by characters and by bytes. It reads slices of the document no larger than the parts that stay.

use std::borrow::Cow;
use tamis_sdk::Document;

/// The longest character in UTF-8.
const CHARACTER_BYTES: u32 = 4;
/// Bytes that are read at once for a count.
const COUNTED_AT_ONCE: u32 = 256 * 1024;

/// The parts of a document that stay.
pub struct HeadAndTail<'d> {
    pub head: Cow<'d, str>,
    pub tail: Cow<'d, str>,
    /// The start of the tail in the document.
    pub tail_start: u32,
}

impl<'d> HeadAndTail<'d> {
    /// The first `head` bytes of a document and everything from `tail` on.
    pub fn of(document: &'d Document, head: u32, tail: u32) -> HeadAndTail<'d> {
        HeadAndTail {
            head: document.slice(0, head),
            tail: document.slice(tail, document.len_bytes()),
            tail_start: tail,
        }
    }

    /// The number of removed bytes.
    pub fn removed_bytes(&self) -> u32 {
        self.tail_start - self.head.len() as u32
    }
}

/// Cuts to at most `head` bytes before the cut and `tail` after it. The document is longer than both.
pub fn bytes(document: &Document, head: u32, tail: u32) -> Option<HeadAndTail<'_>> {
    let len = document.len_bytes();
    let from = len - tail;
    let tail = document.slice(from.saturating_sub(CHARACTER_BYTES), len);
    let floor = tail.len().saturating_sub((len - from) as usize);
    let tail_start = len - (tail.len() - tail.ceil_char_boundary(floor)) as u32;
    Some(HeadAndTail::of(document, head, tail_start))
}

/// Cuts after `head` characters and before the last `tail`; none if the document has no more.
pub fn characters(document: &Document, head: u32, tail: u32) -> Option<HeadAndTail<'_>> {
    let len = document.len_bytes();
    let limit = head + tail;
    let certain = len > limit.saturating_mul(CHARACTER_BYTES);
    let front = if certain {
        document.slice(0, head.saturating_mul(CHARACTER_BYTES))
    } else {
        let text = document.slice(0, len);
        // The first character that must not stay.
        offset_of(&text, limit)?;
        text
    };
    let head = offset_of(&front, head).unwrap_or(front.len()) as u32;
    let reach = tail.saturating_mul(CHARACTER_BYTES).min(len - head);
    let back = document.slice(len - reach, len);
    let tail_start = len - bytes_of_last(&back, tail) as u32;
    Some(HeadAndTail::of(document, head, tail_start))
}

/// The number of characters of a document.
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

/// The start of character number `place`, from 0; none if the text is shorter.
fn offset_of(text: &str, place: u32) -> Option<usize> {
    text.char_indices().nth(place as usize).map(|(at, _)| at)
}

/// The number of bytes in the last `count` characters.
fn bytes_of_last(text: &str, count: u32) -> usize {
    if count == 0 {
        return 0;
    }
    let first = text.char_indices().rev().nth(count as usize - 1);
    first.map_or(text.len(), |(at, _)| text.len() - at)
}
