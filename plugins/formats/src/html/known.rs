//! Tags that a page repeats: what each does to a table is found once.
//!
//! Owns the tags that are likely to come again. Refuses to know what a table is.

use super::tag::Tag;
use crate::words;

/// Tags that are known at once: a power of two.
const SLOTS: usize = 64;

/// What a tag does to a table.
#[derive(Clone, Copy)]
pub(super) enum Effect {
    /// It begins or ends a row.
    Row { is_end: bool },
    /// It ends a cell.
    EndOfCell,
    /// It begins a cell that stands in one row and one column.
    Cell { is_head: bool },
    /// It begins or ends an element in a line: whether that may look otherwise than its text, and be on a line of its own.
    Inline {
        is_end: bool,
        has_style: bool,
        sets_display: bool,
    },
}

impl Effect {
    /// The end and the effect of a tag of a row or a cell, as most are spelled: in small letters, and without attributes.
    #[inline]
    pub(super) fn of_row(text: &str, start: usize) -> Option<(usize, Effect)> {
        const LENGTH: usize = "td>".len();
        if text.len() <= start + LENGTH {
            return None;
        }
        let word = words::eight(text.as_bytes(), start + 1);
        let is_end = word as u8 == b'/';
        let [first, second, third, ..] = (word >> (8 * u32::from(is_end))).to_le_bytes();
        let effect = match [first, second, third] {
            [b't', b'r', b'>'] => Effect::Row { is_end },
            [b't', b'd' | b'h', b'>'] if is_end => Effect::EndOfCell,
            [b't', b'd' | b'h', b'>'] => Effect::Cell {
                is_head: second == b'h',
            },
            _ => return None,
        };
        Some((start + 1 + usize::from(is_end) + LENGTH, effect))
    }

    /// That of a tag which hides nothing; none if it has another. `name`: that of the tag, in small letters.
    pub(super) fn of(tag: &Tag<'_>, name: &str) -> Option<Effect> {
        match name {
            "td" | "th" if !tag.is_end && !tag.is_wide() => Some(Effect::Cell {
                is_head: name == "th",
            }),
            _ if is_inline(name) => {
                let has_style = tag.has_style();
                Some(Effect::Inline {
                    is_end: tag.is_end,
                    has_style,
                    sets_display: has_style && tag.sets_display(),
                })
            }
            _ => None,
        }
    }
}

/// Whether an element of this name is a part of a line.
fn is_inline(name: &str) -> bool {
    matches!(
        name,
        "a" | "abbr"
            | "b"
            | "bdi"
            | "big"
            | "cite"
            | "code"
            | "data"
            | "dfn"
            | "em"
            | "font"
            | "ins"
            | "kbd"
            | "label"
            | "mark"
            | "nobr"
            | "samp"
            | "small"
            | "span"
            | "strong"
            | "time"
            | "tt"
            | "u"
            | "var"
            | "wbr"
    )
}

/// Tags of a page, as they are spelled, and their effects.
pub(super) struct KnownTags<'t>([(&'t str, Effect); SLOTS]);

impl<'t> KnownTags<'t> {
    pub(super) fn new() -> KnownTags<'t> {
        KnownTags([("", Effect::Cell { is_head: false }); SLOTS])
    }

    /// The end of the tag at `start`, and its effect, if they are known.
    #[inline]
    pub(super) fn at(&self, text: &str, start: usize) -> Option<(usize, Effect)> {
        let (known, effect) = self.0[slot(text, start)];
        let end = start + known.len();
        let is_known = |tag: &&[u8]| !tag.is_empty() && words::same(tag, known);
        text.as_bytes().get(start..end).filter(is_known)?;
        Some((end, effect))
    }

    /// Notes the effect of a tag.
    pub(super) fn note(&mut self, text: &'t str, tag: &Tag<'_>, effect: Effect) {
        self.0[slot(text, tag.start)] = (&text[tag.start..tag.end], effect);
    }
}

#[inline]
fn slot(text: &str, start: usize) -> usize {
    let first = words::eight(text.as_bytes(), start);
    (first.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - SLOTS.ilog2())) as usize
}
