//! Dumps as `xxd` and `hexdump -C` print them: an offset, bytes in hexadecimal, and the same as text.
//!
//! Each line's offset must be the offset of the line before plus its bytes. No table of numbers satisfies that.

use crate::decode;
use crate::scan::Blob;
use std::borrow::Cow;

/// Most bytes on a line: `xxd -c` takes up to 256.
const LINE_BYTES: usize = 256;
/// Fewest lines of a dump: a shorter one is an example for a reader.
const LEAST_LINES: usize = 8;

struct Dump {
    start: usize,
    end: usize,
    lines: usize,
    /// Offset of the first byte.
    from: u64,
    bytes: Vec<u8>,
}

impl Dump {
    fn into_blob(self, least: usize) -> Option<Blob> {
        let is_one = self.lines >= LEAST_LINES && self.end - self.start >= least;
        is_one.then(|| Blob {
            start: self.start,
            end: self.end,
            encoding: "hex dump",
            media: Cow::Borrowed(decode::of(&self.bytes)),
            bytes: self.bytes.len(),
        })
    }
}

/// Adds all dumps of a text.
pub fn find(text: &str, least: usize, found: &mut Vec<Blob>) {
    let mut open: Option<Dump> = None;
    let mut at = 0;
    for whole in text.split_inclusive('\n') {
        let line = whole.trim_end_matches(['\n', '\r']);
        let start = at + (line.len() - line.trim_start().len());
        let end = at + line.len();
        at += whole.len();
        let Some((offset, bytes)) = bytes_of(line.trim_start()) else {
            found.extend(open.take().and_then(|dump| dump.into_blob(least)));
            continue;
        };
        let next = open
            .as_ref()
            .map(|dump| dump.from + dump.bytes.len() as u64);
        if next != Some(offset) {
            found.extend(open.take().and_then(|dump| dump.into_blob(least)));
        }
        let dump = open.get_or_insert(Dump {
            start,
            end,
            lines: 0,
            from: offset,
            bytes: Vec::new(),
        });
        dump.lines += 1;
        dump.end = end;
        dump.bytes.extend(bytes);
    }
    found.extend(open.and_then(|dump| dump.into_blob(least)));
}

/// Offset and bytes of a line.
fn bytes_of(line: &str) -> Option<(u64, Vec<u8>)> {
    let (offset, rest) = line.split_once(' ')?;
    // `hexdump` has a gap in the middle, and both have one before the text, which may look like bytes.
    let (digits, most_gaps) = match offset.strip_suffix(':') {
        Some(digits) => (digits, 0),
        None => (offset, 1),
    };
    if digits.len() < 4 {
        return None;
    }
    let offset = u64::from_str_radix(digits, 16).ok()?;
    let mut bytes = Vec::new();
    let mut gaps = 0;
    for group in rest.trim_start().split(' ') {
        if group.is_empty() {
            gaps += 1;
            continue;
        }
        let Some(more) = decode::hex(group.as_bytes()).filter(|_| group.len() <= 32) else {
            break;
        };
        if bytes.len() + more.len() > LINE_BYTES || gaps > most_gaps {
            break;
        }
        bytes.extend(more);
    }
    (!bytes.is_empty()).then_some((offset, bytes))
}
