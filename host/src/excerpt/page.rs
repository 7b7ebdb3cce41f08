//! Cuts a selection to a cap: as many items as fit, or, if the first alone does not fit, as much of it as fits.
//! Writes the header that describes the range.
//!
//! Refuses to know the meaning of the items. Consecutive pages, put together, are the selection, byte for byte:
//! a cut adds nothing.

use super::cursor::{CursorMaker, Position};
use super::selection::Selection;
use super::wording::characters;
use super::{Cap, Excerpt, ReadError, Unit};
use crate::numbers::grouped;

/// Most bytes to try for each token of the cap. Text has three to five. Text beyond that is cut, even if it
/// would fit, and comes with the next cursor.
const BYTES_PER_TOKEN: usize = 8;

struct Page<'s> {
    selection: &'s Selection<'s>,
    cursors: &'s CursorMaker,
    cap: Cap<'s>,
    lossy: bool,
    start: Position,
    /// For the first item, if a part of it is left out: characters before the start, and in total.
    first_item: (u64, u64),
    /// The part of the selection that may fit.
    text: String,
    /// The ends of items in `text`.
    ends: Vec<usize>,
    /// Bytes of the first item in `text`, and in total after the start.
    first_bytes: (usize, usize),
}

pub(super) fn cut(
    selection: &Selection<'_>,
    start: Position,
    cursors: &CursorMaker,
    cap: Cap<'_>,
    lossy: bool,
) -> Result<Excerpt, ReadError> {
    let mut page = Page {
        selection,
        cursors,
        cap,
        lossy,
        start,
        first_item: (0, 0),
        text: String::new(),
        ends: Vec::new(),
        first_bytes: (0, 0),
    };
    page.fill()?;
    // Whole items: the most that fit.
    let most = page.ends.len();
    if page.ends.is_empty() && page.first_bytes.1 == 0 {
        let (end, excerpt) = (page.after(0), 0);
        return page.fitting(end, excerpt).ok_or_else(|| page.too_small());
    }
    let whole = |count: usize| page.fitting(page.after(count), page.ends[count - 1]);
    if most > 0 {
        if let Some(excerpt) = whole(most) {
            return Ok(excerpt);
        }
        if let Some((_, excerpt)) = largest(1, most - 1, whole) {
            return Ok(excerpt);
        }
    }
    page.cut_first_item().ok_or_else(|| page.too_small())
}

impl Page<'_> {
    /// Collects items that could fit.
    fn fill(&mut self) -> Result<(), ReadError> {
        let limit = self.cap.tokens.saturating_mul(BYTES_PER_TOKEN).max(64);
        let start = self.start;
        if start > Position::default() && start.item >= self.selection.items {
            return Err(ReadError::Cursor);
        }
        for (place, item) in self.selection.from(start.item).enumerate() {
            let mut rest = &item[..];
            if place == 0 {
                let skipped = usize::try_from(start.byte).map_err(|_| ReadError::Cursor)?;
                rest = item.get(skipped..).ok_or(ReadError::Cursor)?;
                if skipped > 0 && rest.is_empty() {
                    return Err(ReadError::Cursor);
                }
                self.first_item = (characters(&item[..skipped]), characters(&item));
                self.first_bytes = (rest.len().min(limit), rest.len());
            }
            if self.text.len().saturating_add(rest.len()) > limit {
                if place == 0 {
                    self.text.push_str(&rest[..rest.floor_char_boundary(limit)]);
                }
                break;
            }
            self.text.push_str(rest);
            self.ends.push(self.text.len());
        }
        Ok(())
    }

    /// The position after `count` whole items.
    fn after(&self, count: usize) -> Position {
        match count {
            0 => self.start,
            count => Position {
                item: self.start.item + count as u64,
                byte: 0,
            },
        }
    }

    fn cut_first_item(&self) -> Option<Excerpt> {
        let bytes = self.text.len().min(self.first_bytes.0);
        let text = &self.text[..self.text.floor_char_boundary(bytes)];
        let first = text.chars().next()?.len_utf8();
        let upto = |at: usize| {
            let at = text.floor_char_boundary(at);
            (at > 0 && at < self.first_bytes.1).then(|| self.fitting(self.inside(at), at))?
        };
        let (_, excerpt) = largest(first, text.len(), upto)?;
        // A line break not far back is a better place to cut.
        let at = excerpt.text.len();
        let line_end = memchr::memrchr(b'\n', &excerpt.text.as_bytes()[at / 2..]);
        Some(
            line_end
                .and_then(|end| upto(at / 2 + end + 1))
                .unwrap_or(excerpt),
        )
    }

    fn inside(&self, bytes: usize) -> Position {
        Position {
            item: self.start.item,
            byte: self.start.byte + bytes as u64,
        }
    }

    /// The excerpt that ends at `end`, with `bytes` of the text, if it fits the cap.
    fn fitting(&self, end: Position, bytes: usize) -> Option<Excerpt> {
        let excerpt = self.excerpt(end, bytes);
        ((self.cap.counter)(&excerpt.to_string()) <= self.cap.tokens).then_some(excerpt)
    }

    fn excerpt(&self, end: Position, bytes: usize) -> Excerpt {
        let text = &self.text[..bytes];
        let more = end.item < self.selection.items;
        let next = (more && end != self.start).then(|| self.cursors.at(end));
        let unit = self.selection.unit;
        let first = self.selection.first + self.start.item;
        let (shown, total) = match unit {
            Unit::Characters => {
                let (before, total) = self.first_item;
                (before + 1..before + 1 + characters(text), total)
            }
            _ => {
                let cut = u64::from(end.byte > 0);
                (
                    first..self.selection.first + end.item + cut,
                    self.selection.total,
                )
            }
        };
        let is_cut = self.start.byte > 0 || end.byte > 0;
        let mut header = range(unit, &shown, total, is_cut);
        if unit != Unit::Characters && is_cut {
            let (before, all) = self.first_item;
            let to = if end.byte > 0 {
                before + characters(text)
            } else {
                all
            };
            header.push_str(&format!(
                "; of {} {} characters {}–{} of {}",
                unit.one(),
                grouped(first),
                grouped(before + 1),
                grouped(to),
                grouped(all)
            ));
        }
        if !self.selection.origin.is_empty() {
            header.push_str("; ");
            header.push_str(&self.selection.origin);
        }
        if self.lossy {
            header.push_str("; bytes that are not UTF-8 are shown as U+FFFD");
        }
        if let Some(next) = &next {
            // With the reference, one member of a call says all.
            let next = match self.cursors.reference() {
                Some(reference) => format!("ref `{reference}~{next}`"),
                None => format!("cursor `{next}`"),
            };
            header.push_str(&format!("; next: {next}"));
        }
        Excerpt {
            header,
            text: text.to_owned(),
            unit,
            shown,
            total,
            next,
        }
    }

    fn too_small(&self) -> ReadError {
        /// Room for a text that is worth a call.
        const ROOM_TOKENS: usize = 50;
        let first = self.text.chars().next().map_or(0, char::len_utf8);
        let least = self.excerpt(self.inside(first), first).to_string();
        ReadError::CapTooSmall {
            tokens: self.cap.tokens,
            needed: (self.cap.counter)(&least) + ROOM_TOKENS,
        }
    }
}

/// `rows 20–39 of 4,812 (counted from 0)`, or `3 rows` for all of them. `is_cut`: one of them is shown in part.
fn range(unit: Unit, shown: &std::ops::Range<u64>, total: u64, is_cut: bool) -> String {
    let is_all = !is_cut && shown.end - shown.start == total;
    match unit {
        Unit::Rows | Unit::Matches if is_all && total == 1 => return format!("1 {}", unit.one()),
        Unit::Rows | Unit::Matches if is_all && total > 1 => {
            return format!("{} {}", grouped(total), unit.many());
        }
        _ => {}
    }
    let counted = match unit {
        Unit::Rows => " (counted from 0)",
        _ => "",
    };
    if shown.is_empty() {
        return match unit {
            Unit::Matches => "no matches (try a shorter pattern, or ignore case)".to_owned(),
            _ => format!("no {}", unit.many()),
        };
    }
    let (first, last, total) = (grouped(shown.start), grouped(shown.end - 1), grouped(total));
    if first == last {
        format!("{} {first} of {total}{counted}", unit.one())
    } else {
        format!("{} {first}–{last} of {total}{counted}", unit.many())
    }
}

/// The largest number in a range for which `try_one` returns a value, and that value. Assumes that if one number
/// works, all smaller ones do.
fn largest<T>(from: usize, to: usize, try_one: impl Fn(usize) -> Option<T>) -> Option<(usize, T)> {
    let (mut low, mut high) = (from, to);
    let mut best = None;
    while low <= high {
        let middle = low + (high - low) / 2;
        match try_one(middle) {
            Some(found) => {
                best = Some((middle, found));
                low = middle + 1;
            }
            None if middle == 0 => break,
            None => high = middle - 1,
        }
    }
    best
}
