//! Server-sent events: where one ends and the next begins, and the data of an event.
//!
//! Bytes stay bytes: an unchanged event is forwarded as it came, comments and all.

use crate::mcp::job::extend_on_one_line;
use std::ops::Range;

/// A buffer up to this size is kept between events.
const KEPT_BYTES: usize = 1 << 20;

/// Events of a stream, as its bytes arrive.
#[derive(Debug, Default)]
pub(super) struct Events {
    buffer: Vec<u8>,
    /// Before this, all was given out.
    start: usize,
    /// The start of the unfinished or unread line: no event ends before it.
    line: usize,
    /// The unfinished line has no end before this.
    searched: usize,
}

/// One event with the empty line that ends it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Event {
    bytes: Vec<u8>,
    /// The lines that hold data, without their endings: the whole line, and its part after `data:`.
    data: Vec<(Range<usize>, Range<usize>)>,
    /// The event has an id, from which a client can resume.
    pub(super) has_id: bool,
}

impl Events {
    /// Adds bytes that arrived.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        // Once for all bytes that arrived, not once for each event in them.
        self.buffer.drain(..self.start);
        self.line -= self.start;
        self.searched -= self.start;
        self.start = 0;
        self.buffer.extend_from_slice(bytes);
    }

    /// Bytes of an event whose end has not arrived.
    pub(super) fn unfinished(&self) -> &[u8] {
        &self.buffer[self.start..]
    }

    /// The next whole event. Empty lines before an event are one event of their own.
    pub(super) fn next(&mut self) -> Option<Event> {
        let blank = &self.buffer[self.start..];
        let blank = blank
            .iter()
            .take_while(|byte| matches!(byte, b'\n' | b'\r'));
        let blank = blank.count();
        if blank > 0 {
            return Some(self.take(self.start + blank));
        }
        loop {
            let found = memchr::memchr2(b'\n', b'\r', &self.buffer[self.searched..]);
            let Some(found) = found else {
                self.searched = self.buffer.len();
                return None;
            };
            let line_end = self.searched + found;
            let mut next = line_end + 1;
            if self.buffer[line_end] == b'\r' {
                match self.buffer.get(next) {
                    Some(b'\n') => next += 1,
                    Some(_) => {}
                    // A line feed may follow that belongs to it.
                    None if line_end > self.line => {
                        self.searched = line_end;
                        return None;
                    }
                    None => {}
                }
            }
            if line_end == self.line {
                return Some(self.take(next));
            }
            (self.line, self.searched) = (next, next);
        }
    }

    fn take(&mut self, end: usize) -> Event {
        let bytes = self.buffer[self.start..end].to_vec();
        (self.start, self.line, self.searched) = (end, end, end);
        if end == self.buffer.len() && self.buffer.capacity() > KEPT_BYTES {
            *self = Events::default();
        }
        Event::read(bytes)
    }
}

/// The data of the events of a stream that arrives in these pieces, and all bytes that come out of it.
pub fn read_all<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> (Vec<Vec<u8>>, Vec<u8>) {
    let (mut events, mut data, mut bytes) = (Events::default(), Vec::new(), Vec::new());
    for piece in pieces {
        events.push(piece);
        while let Some(event) = events.next() {
            data.extend(event.data().map(std::borrow::Cow::into_owned));
            bytes.extend(event.into_bytes());
        }
    }
    bytes.extend_from_slice(events.unfinished());
    (data, bytes)
}

impl Event {
    fn read(bytes: Vec<u8>) -> Event {
        let (mut data, mut has_id, mut start) = (Vec::new(), false, 0);
        // A byte order mark may stand before the first line of a stream.
        if bytes.starts_with(b"\xef\xbb\xbf") {
            start = 3;
        }
        while start < bytes.len() {
            let end = memchr::memchr2(b'\n', b'\r', &bytes[start..]);
            let end = end.map_or(bytes.len(), |end| start + end);
            let line = &bytes[start..end];
            let name_end = memchr::memchr(b':', line).unwrap_or(line.len());
            match &line[..name_end] {
                b"data" => {
                    let mut value = (start + name_end + 1).min(end);
                    if bytes[value..end].first() == Some(&b' ') {
                        value += 1;
                    }
                    data.push((start..end, value..end));
                }
                // An id with other characters is not forwarded in every case.
                b"id" if line.iter().all(|byte| matches!(byte, b' '..=b'~')) => {
                    has_id |= line.len() > name_end + 1;
                }
                _ => {}
            }
            start = end + 1;
        }
        Event {
            bytes,
            data,
            has_id,
        }
    }

    /// An event of Tamis's own.
    pub(super) fn message(json: &[u8]) -> Vec<u8> {
        [b"event: message\ndata: ", json, b"\n\n"].concat()
    }

    /// The data of an event whose end is missing.
    pub(super) fn of(unfinished: &[u8]) -> Option<Vec<u8>> {
        let event = Event::read(unfinished.to_vec());
        event.data().map(std::borrow::Cow::into_owned)
    }

    /// The event's data, if any.
    pub(super) fn data(&self) -> Option<std::borrow::Cow<'_, [u8]>> {
        match &*self.data {
            [] => None,
            [(_, value)] => Some(self.bytes[value.clone()].into()),
            lines => {
                let values = lines.iter().map(|(_, value)| &self.bytes[value.clone()]);
                Some(values.collect::<Vec<_>>().join(&b'\n').into())
            }
        }
    }

    /// The last value of a field with a word: `id`, `retry`.
    pub(super) fn field(&self, name: &str) -> Option<String> {
        let text = std::str::from_utf8(&self.bytes).ok()?;
        let lines = text.split(['\n', '\r']);
        let mut values = lines.filter_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        let last = values.next_back()?;
        Some(last.strip_prefix(' ').unwrap_or(last).to_owned())
    }

    /// The event as it came.
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// The event with these data, or with none. Of its other lines, only those that all readers understand alike
    /// remain: some clients end a line at each of Unicode's separators.
    pub(super) fn plain(&self, data: Option<&[u8]>) -> Vec<u8> {
        let mut out = Vec::with_capacity(data.map_or(0, <[u8]>::len) + 64);
        for line in self.bytes.split(|byte| matches!(byte, b'\n' | b'\r')) {
            let name_end = memchr::memchr(b':', line).unwrap_or(line.len());
            let is_plain = line.iter().all(|byte| matches!(byte, b' '..=b'~'));
            match &line[..name_end] {
                b"id" if is_plain => out.extend_from_slice(line),
                b"retry"
                    if line[name_end..]
                        .iter()
                        .all(|b| b.is_ascii_digit() || b": ".contains(b)) =>
                {
                    out.extend_from_slice(line);
                }
                // No client reads events of another name.
                b"event"
                    if line[name_end..].strip_prefix(b":").map(<[u8]>::trim_ascii)
                        == Some(b"message") =>
                {
                    out.extend_from_slice(line);
                }
                // The text of a comment is dropped, but the comment keeps a connection alive.
                b"" if !line.is_empty() => out.push(b':'),
                _ => continue,
            }
            out.push(b'\n');
        }
        if let Some(data) = data {
            out.extend_from_slice(b"data: ");
            extend_on_one_line(&mut out, data);
            out.push(b'\n');
        }
        if !out.is_empty() {
            out.push(b'\n');
        }
        out
    }

    /// The event with other data. All other lines stay.
    pub(super) fn with_data(&self, data: &[u8]) -> Vec<u8> {
        let Some((first, _)) = self.data.first() else {
            return self.bytes.clone();
        };
        let mut out = Vec::with_capacity(self.bytes.len() + data.len());
        out.extend_from_slice(&self.bytes[..first.start]);
        out.extend_from_slice(b"data: ");
        extend_on_one_line(&mut out, data);
        let mut copied = first.end;
        for (line, _) in &self.data[1..] {
            // The line is removed with its ending, which is behind the line before it.
            let before = self.bytes[..line.start].iter().rev();
            let ending = before.take_while(|byte| matches!(byte, b'\n' | b'\r'));
            let start = line.start - ending.count();
            out.extend_from_slice(&self.bytes[copied..start.max(copied)]);
            copied = line.end;
        }
        out.extend_from_slice(&self.bytes[copied..]);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(stream: &[u8], piece: usize) -> (Vec<Event>, Vec<u8>) {
        let (mut events, mut found) = (Events::default(), Vec::new());
        for bytes in stream.chunks(piece) {
            events.push(bytes);
            found.extend(std::iter::from_fn(|| events.next()));
        }
        (found, events.unfinished().to_vec())
    }

    #[test]
    fn events_are_the_same_however_their_bytes_arrive() {
        let stream = b": hello\n\nid: 1\nevent: message\ndata: {\"a\":\ndata: 1}\n\ndata:x\r\n\r\nid\r\rdata: unfi";
        let (whole, rest) = all(stream, stream.len());
        let data: Vec<_> = whole.iter().map(|event| event.data()).collect();
        let data: Vec<_> = data.iter().map(|data| data.as_deref()).collect();
        assert_eq!(data, [None, Some(&b"{\"a\":\n1}"[..]), Some(b"x"), None]);
        let ids: Vec<_> = whole.iter().map(|event| event.has_id).collect();
        assert_eq!(ids, [false, true, false, false]);
        assert_eq!(rest, b"data: unfi");
        for piece in 1..stream.len() {
            let (events, rest) = all(stream, piece);
            let bytes: Vec<u8> = events.into_iter().flat_map(Event::into_bytes).collect();
            assert_eq!([bytes, rest].concat(), stream, "in pieces of {piece}");
        }
    }

    #[test]
    fn empty_lines_are_one_event_for_each_time_that_bytes_arrive() {
        let (events, rest) = all("\n\r\n".repeat(1000).as_bytes(), 300);
        assert_eq!((events.len(), rest.len()), (10, 0));
        assert!(events.iter().all(|event| event.data().is_none()));
    }

    #[test]
    fn no_byte_is_searched_twice_or_moved_for_each_event() {
        let mut events = Events::default();
        for _ in 0..100 {
            events.push(b"data: a part of a line, ");
            assert_eq!(events.next(), None);
            assert_eq!(events.searched, events.unfinished().len());
        }
        events.push(&b"\n\ndata: x".repeat(100));
        let at = events.buffer.as_ptr();
        for number in 0..100 {
            assert!(events.next().is_some(), "{number}");
        }
        assert_eq!((events.next(), events.buffer.as_ptr()), (None, at));
        assert_eq!(events.unfinished(), b"data: x");
        events.push(b"y");
        assert_eq!(events.buffer, b"data: xy");
    }

    #[test]
    fn memory_of_a_large_event_is_given_back() {
        let mut events = Events::default();
        for _ in 0..4 {
            events.push(&vec![b'x'; KEPT_BYTES]);
        }
        events.push(b"\n\n");
        assert!(events.next().is_some());
        assert_eq!(events.buffer.capacity(), 0);
        events.push(b"data: x\n\n");
        assert!(events.next().is_some_and(|event| event.data().is_some()));
    }

    #[test]
    fn a_plain_event_has_nothing_that_a_reader_could_take_for_a_line() {
        let sneaky = "id: 7\nid: 8\u{2028}data: {}\u{2028}\n: keep\u{85}data: {}\u{85}\n\
                      event: message\ndata\u{feff}: {}\nretry: 5\ndata: [1,\ndata: 2]\n\n";
        let (events, _) = all(sneaky.as_bytes(), 7);
        let data = events[0].data().map(|data| data.into_owned());
        let plain = events[0].plain(data.as_deref());
        assert_eq!(
            String::from_utf8(plain).unwrap(),
            "id: 7\n:\nevent: message\nretry: 5\ndata: [1, 2]\n\n"
        );
        assert_eq!(
            events[0].plain(None),
            b"id: 7\n:\nevent: message\nretry: 5\n\n"
        );
        let (blank, _) = all(b"\n\r\r\n", 4);
        assert_eq!(blank[0].plain(None), b"");
    }

    #[test]
    fn other_data_leaves_the_other_lines() {
        for (before, after) in [
            ("data: x\n\n", "data: new\n\n"),
            (
                "id: 7\r\ndata:x\r\nretry: 5\r\n\r\n",
                "id: 7\r\ndata: new\r\nretry: 5\r\n\r\n",
            ),
            (
                "data: a\nid: 7\ndata: b\n: c\n\n",
                "data: new\nid: 7\n: c\n\n",
            ),
            ("data: a\ndata\ndata: b\n\n", "data: new\n\n"),
            (": nothing\n\n", ": nothing\n\n"),
        ] {
            let (events, _) = all(before.as_bytes(), before.len());
            let changed = events[0].with_data(b"new");
            assert_eq!(String::from_utf8(changed).unwrap(), after);
        }
    }
}
