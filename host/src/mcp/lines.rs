//! A buffer that turns reads into whole lines.
//!
//! Owns: its memory, which grows to hold the longest line and shrinks afterwards. Refuses to know: what a line
//! means, where the bytes come from.

use memchr::{memchr, memrchr};

/// Most bytes that one read of a pipe returns, by default.
const READ_BYTES: usize = 64 * 1024;

/// A buffer of at most this size is kept between lines: growing to this size costs a few page faults a line.
const KEPT_BYTES: usize = 1024 * 1024;

/// The longest line that is read: four times the largest result that a filter is given by default. If a side
/// sends a longer line, Tamis treats the side as ended.
pub(super) const LINE_BYTES: usize = 256 << 20;

/// Writes a message as a line. In JSON a line break is only space between tokens, but here it ends the message.
pub(super) fn line_of(message: &[u8]) -> Vec<u8> {
    let message = message.trim_ascii();
    let mut line = Vec::with_capacity(message.len() + 1);
    line.extend_from_slice(message);
    for byte in &mut line {
        if matches!(byte, b'\n' | b'\r') {
            *byte = b' ';
        }
    }
    line.push(b'\n');
    line
}

/// The lines of a stream as the relay gets them, for tests that hold them against readers.
pub fn lines_of_stream(stream: &[u8]) -> Vec<Vec<u8>> {
    let mut buffer = LineBuffer::new();
    for part in stream.chunks(READ_BYTES) {
        buffer.spare()[..part.len()].copy_from_slice(part);
        buffer.advance(part.len());
    }
    buffer.blank_returns(false);
    buffer.blank_returns(true);
    let lines = buffer.complete().split_inclusive(|byte| *byte == b'\n');
    let rest = [buffer.unfinished()];
    let all = lines.chain(rest).filter(|line| !line.is_empty());
    all.map(<[u8]>::to_vec).collect()
}

/// See [`LineBuffer::blank_returns`]. If the byte does not occur, this costs one search for it.
fn blank_returns(lines: &mut [u8]) {
    let mut from = 0;
    while let Some(found) = memchr(b'\r', &lines[from..]) {
        let at = from + found;
        from = at + 1;
        // The last byte of all may still be followed by a line feed.
        if lines.get(from).is_none_or(|next| *next == b'\n') {
            continue;
        }
        let start = memrchr(b'\n', &lines[..at]).map_or(0, |before| before + 1);
        let end = memchr(b'\n', &lines[at..]).map_or(lines.len(), |next| at + next);
        blank_returns_of_line(&mut lines[start..end]);
        from = end;
    }
}

/// The line is without its line feed.
fn blank_returns_of_line(line: &mut [u8]) {
    let (mut in_string, mut is_escaped) = (false, false);
    let Some((_, before_ending)) = line.split_last_mut() else {
        return;
    };
    for byte in before_ending {
        match *byte {
            _ if is_escaped => is_escaped = false,
            b'"' => in_string = !in_string,
            b'\\' => is_escaped = in_string,
            b'\r' if !in_string => *byte = b' ',
            _ => {}
        }
    }
}

#[derive(Debug)]
pub(super) struct LineBuffer {
    bytes: Vec<u8>,
    filled: usize,
    /// The end of the last complete line; everything after it is a part of the next line.
    complete: usize,
    /// No line ends before this.
    searched: usize,
}

impl LineBuffer {
    pub(super) fn new() -> Self {
        LineBuffer {
            bytes: vec![0; READ_BYTES],
            filled: 0,
            complete: 0,
            searched: 0,
        }
    }

    /// Space for the next read, never empty.
    pub(super) fn spare(&mut self) -> &mut [u8] {
        if self.bytes.len() - self.filled < READ_BYTES {
            self.bytes.resize(2 * self.bytes.len(), 0);
        }
        &mut self.bytes[self.filled..]
    }

    /// Accepts the first `count` bytes of the spare space as read. Returns whether the buffer now contains a
    /// complete line.
    pub(super) fn advance(&mut self, count: usize) -> bool {
        let read = &self.bytes[self.filled..self.filled + count];
        if let Some(last) = memrchr(b'\n', read) {
            self.complete = self.filled + last + 1;
        }
        self.filled += count;
        self.complete > 0
    }

    /// Drops the unfinished line if it is longer than allowed. Returns whether it was.
    pub(super) fn drop_if_too_long(&mut self, from: &str) -> bool {
        let is_too_long = self.filled - self.complete > LINE_BYTES;
        if is_too_long {
            tracing::error!(
                "the {from} sent a line of more than {} MiB: nothing more is read of it",
                LINE_BYTES >> 20
            );
            self.drop_unfinished();
        }
        is_too_long
    }

    /// Replaces each carriage return outside of strings, if no line feed follows, by a space. JSON reads both
    /// alike, but readers with universal newlines (Python, Java) end a line there, and so read two messages
    /// where others read one. Applies to the complete lines; with `unfinished`, to the rest.
    pub(super) fn blank_returns(&mut self, unfinished: bool) {
        let range = match unfinished {
            true => self.complete..self.filled,
            false => 0..self.complete,
        };
        blank_returns(&mut self.bytes[range]);
    }

    /// All complete lines, endings included.
    pub(super) fn complete(&self) -> &[u8] {
        &self.bytes[..self.complete]
    }

    /// The end of the line that starts at `start`, as an index into the complete lines.
    pub(super) fn line_end(&self, start: usize) -> Option<usize> {
        let from = start.max(self.searched);
        let rest = self.complete().get(from..)?;
        Some(from + memchr(b'\n', rest)? + 1)
    }

    /// Forgets the complete lines.
    pub(super) fn consume(&mut self) {
        self.bytes.copy_within(self.complete..self.filled, 0);
        self.filled -= self.complete;
        self.complete = 0;
        self.searched = self.filled;
        if self.bytes.len() > KEPT_BYTES && self.filled < READ_BYTES {
            self.bytes.truncate(2 * READ_BYTES);
            self.bytes.shrink_to_fit();
        }
    }

    /// Drops the part of an unfinished line that was read, since the line is too long. The rest of it becomes a
    /// line.
    pub(super) fn drop_unfinished(&mut self) {
        self.filled = self.complete;
        self.searched = self.complete;
    }

    /// The unfinished line, for the end of the input.
    pub(super) fn unfinished(&self) -> &[u8] {
        &self.bytes[self.complete..self.filled]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lines_of(text: &[u8], pieces: &[usize]) -> (Vec<Vec<u8>>, Vec<u8>) {
        let mut buffer = LineBuffer::new();
        let mut lines = Vec::new();
        let mut rest = text;
        let mut pieces = pieces.iter().cycle();
        while !rest.is_empty() {
            let spare = buffer.spare();
            let count = rest
                .len()
                .min(*pieces.next().unwrap_or(&1))
                .min(spare.len());
            spare[..count].copy_from_slice(&rest[..count]);
            rest = &rest[count..];
            if buffer.advance(count) {
                let mut start = 0;
                while let Some(end) = buffer.line_end(start) {
                    lines.push(buffer.complete()[start..end].to_vec());
                    start = end;
                }
                buffer.consume();
            }
        }
        (lines, buffer.unfinished().to_vec())
    }

    proptest! {
        #[test]
        fn lines_are_those_of_the_text(
            text in proptest::collection::vec(prop_oneof![Just(b'\n'), Just(b'\r'), any::<u8>()], 0..400),
            pieces in proptest::collection::vec(1usize..40, 1..8),
        ) {
            let (lines, rest) = lines_of(&text, &pieces);
            prop_assert!(lines.iter().all(|line| line.iter().filter(|byte| **byte == b'\n').count() == 1));
            prop_assert!(lines.iter().all(|line| line.ends_with(b"\n")));
            prop_assert!(!rest.contains(&b'\n'));
            prop_assert_eq!([lines.concat(), rest].concat(), text);
        }
    }

    #[test]
    fn a_carriage_return_between_values_ends_no_line() {
        for (before, after) in [
            ("{}\r\n[]\r\n", "{}\r\n[]\r\n"),
            ("{}\r{\"a\":1}\n", "{} {\"a\":1}\n"),
            ("{}\r\r\r\n{}\n", "{}  \r\n{}\n"),
            ("\r{\"a\"\r:\"\r\\\"\r\"\r}\r", " {\"a\" :\"\r\\\"\r\" }\r"),
            ("\"\n\r{}\r{}\n", "\"\n {} {}\n"),
            ("\\\"\r\"\r\n", "\\\"\r\"\r\n"),
        ] {
            let mut bytes = before.as_bytes().to_vec();
            blank_returns(&mut bytes);
            assert_eq!(String::from_utf8(bytes).unwrap(), after, "{before:?}");
        }
    }

    #[test]
    fn a_message_becomes_one_line_for_every_reader() {
        for (message, line) in [
            ("{}", "{}\n"),
            (
                "\r\n {\"a\":\r1,\n\"b\":\r\n[]}\r",
                "{\"a\": 1, \"b\":  []}\n",
            ),
            ("{}\r{\"id\":1}\r\n", "{} {\"id\":1}\n"),
        ] {
            let made = line_of(message.as_bytes());
            assert_eq!(String::from_utf8(made).unwrap(), line, "{message:?}");
        }
    }

    #[test]
    fn a_line_that_is_longer_than_any_may_be_is_dropped() {
        let unfinished = |bytes: usize| LineBuffer {
            // Only the numbers are looked at.
            bytes: Vec::new(),
            filled: 10 + bytes,
            complete: 10,
            searched: 10,
        };
        let mut buffer = unfinished(LINE_BYTES);
        assert!(!buffer.drop_if_too_long("server"));
        assert_eq!(buffer.filled, 10 + LINE_BYTES);
        let mut buffer = unfinished(LINE_BYTES + 1);
        assert!(buffer.drop_if_too_long("server"));
        assert_eq!((buffer.filled, buffer.complete), (10, 10));
    }

    #[test]
    fn memory_of_a_long_line_is_given_back() {
        let mut text = vec![b'x'; 3 * KEPT_BYTES];
        text.extend_from_slice(b"\nnext\nrest");
        let mut buffer = LineBuffer::new();
        let mut largest = 0;
        for piece in text.chunks(READ_BYTES) {
            buffer.spare()[..piece.len()].copy_from_slice(piece);
            largest = largest.max(buffer.bytes.len());
            if buffer.advance(piece.len()) {
                buffer.consume();
            }
        }
        assert!(largest > 3 * KEPT_BYTES);
        assert_eq!(buffer.bytes.capacity(), 2 * READ_BYTES);
        assert_eq!(buffer.unfinished(), b"rest");
    }
}
