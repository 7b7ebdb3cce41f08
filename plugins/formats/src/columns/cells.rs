//! The cells of a line under columns that are known.
//!
//! Owns the blanks of a line. Refuses to know what makes a line a row.

use crate::words;
use std::ops::Range;

/// The bytes of a line that are no blanks, a bit each.
struct Ink(Vec<u64>);

impl Ink {
    fn of(line: &[u8]) -> Ink {
        let mut ink = vec![0; line.len() / 64 + 1];
        let mut at = 0;
        while at < line.len() {
            let (bytes, before) = words::sixteen(line, at);
            let inside = 0xffff >> 16_usize.saturating_sub(line.len() - at);
            let bits = !bytes.are(b' ') >> before & inside;
            ink[at / 64] |= u64::from(bits) << (at % 64);
            at += 16;
        }
        Ink(ink)
    }

    /// The place of the first from `at` on; one behind the line if none is there.
    fn first(&self, at: usize) -> usize {
        let (mut part, mut inside) = (at / 64, u64::MAX << (at % 64));
        while let Some(bits) = self.0.get(part) {
            if bits & inside != 0 {
                return 64 * part + (bits & inside).trailing_zeros() as usize;
            }
            (part, inside) = (part + 1, u64::MAX);
        }
        64 * part
    }

    /// The place behind the last before `end`; 0 if none is there.
    fn end(&self, end: usize) -> usize {
        let (mut parts, mut inside) = (end / 64 + 1, (1 << (end % 64)) - 1);
        while let Some(bits) = parts.checked_sub(1).and_then(|part| self.0.get(part)) {
            if bits & inside != 0 {
                return 64 * parts - (bits & inside).leading_zeros() as usize;
            }
            (parts, inside) = (parts - 1, u64::MAX);
        }
        0
    }
}

/// The cells of a line, separated by blanks.
pub(super) fn cells<'t>(line: &'t str, spans: &[Range<usize>]) -> Option<Vec<&'t str>> {
    if words::is_ascii(line) {
        return cells_of_ascii(line, spans);
    }
    let mut cells = Vec::with_capacity(spans.len());
    let mut spans = spans.iter();
    let mut span = spans.next()?;
    let (mut start, mut is_inside) = (0, false);
    let mut before = ' ';
    for (place, (at, c)) in line.char_indices().enumerate() {
        if is_inside && place >= span.end {
            cells.push(line[start..at].trim());
            span = spans.next()?;
            is_inside = false;
        }
        if !is_inside && place == span.start {
            if place > 0 && before != ' ' {
                return None;
            }
            (start, is_inside) = (at, true);
        }
        if !is_inside && c != ' ' {
            return None;
        }
        before = c;
    }
    if is_inside {
        cells.push(line[start..].trim());
    } else {
        cells.push("");
    }
    // A line may lack its last cells.
    cells.extend(spans.map(|_| ""));
    Some(cells)
}

/// The same for a line whose characters are bytes.
fn cells_of_ascii<'t>(line: &'t str, spans: &[Range<usize>]) -> Option<Vec<&'t str>> {
    let mut cells = Vec::with_capacity(spans.len());
    let ink = Ink::of(line.as_bytes());
    let mut at = 0;
    for span in spans {
        let start = span.start.min(line.len());
        let first = ink.first(at);
        let is_apart = || start == 0 || start == line.len() || line.as_bytes()[start - 1] == b' ';
        if first < start || at == start && !is_apart() {
            return None;
        }
        at = span.end.min(line.len());
        // A line may lack its last cells.
        let cell = match first < at {
            true => &line[first..ink.end(at)],
            false => "",
        };
        // Other white space is rare.
        cells.push(match cell.as_bytes() {
            [] | [b'!'..=b'~', .., b'!'..=b'~'] | [b'!'..=b'~'] => cell,
            _ => cell.trim(),
        });
    }
    (at == line.len()).then_some(cells)
}
