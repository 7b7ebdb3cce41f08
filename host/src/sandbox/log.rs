//! A guest's messages to the operator: stored while it runs, within limits, and written out afterwards.

use crate::lock::lock;
use crate::printable;
use std::sync::{Arc, Mutex};

/// The urgency of a line; part of the contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    Error,
    Warn,
    Info,
    Debug,
}

/// A bounded collection of lines, shared between the host imports of one call.
#[derive(Clone)]
pub(super) struct LogSink(Arc<Mutex<Lines>>);

struct Lines {
    lines: Vec<(Level, String)>,
    /// A line of a byte stream that has not ended yet.
    partial: Vec<u8>,
    bytes_left: usize,
    lines_left: usize,
    dropped_bytes: usize,
}

impl LogSink {
    pub(super) fn new(limit_bytes: u64, limit_lines: u32) -> LogSink {
        LogSink(Arc::new(Mutex::new(Lines {
            lines: Vec::new(),
            partial: Vec::new(),
            bytes_left: usize::try_from(limit_bytes).unwrap_or(usize::MAX),
            lines_left: limit_lines as usize,
            dropped_bytes: 0,
        })))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Lines> {
        lock(&self.0)
    }

    /// Adds one message; its line breaks make several lines.
    pub(super) fn message(&self, level: Level, message: &str) {
        let mut lines = self.lock();
        for line in message.lines() {
            lines.push(level, line.as_bytes());
        }
    }

    /// Adds a piece of a byte stream (standard error).
    pub(super) fn bytes(&self, mut bytes: &[u8]) {
        let mut lines = self.lock();
        while let Some(end) = memchr::memchr(b'\n', bytes) {
            let mut line = std::mem::take(&mut lines.partial);
            line.extend_from_slice(&bytes[..end]);
            lines.push(Level::Info, &line);
            bytes = &bytes[end + 1..];
        }
        let room = lines
            .bytes_left
            .saturating_sub(lines.partial.len())
            .min(bytes.len());
        lines.dropped_bytes += bytes.len() - room;
        lines.partial.extend_from_slice(&bytes[..room]);
    }

    /// Writes everything to the operator's log, under the names of plugin and tool.
    pub(super) fn write_out(&self, plugin: &str, tool: &str) {
        let mut lines = self.lock();
        let partial = std::mem::take(&mut lines.partial);
        if !partial.is_empty() {
            lines.push(Level::Info, &partial);
        }
        for (level, line) in lines.lines.drain(..) {
            match level {
                Level::Error => tracing::error!(target: "tamis::plugin", plugin, tool, "{line}"),
                Level::Warn => tracing::warn!(target: "tamis::plugin", plugin, tool, "{line}"),
                Level::Info => tracing::info!(target: "tamis::plugin", plugin, tool, "{line}"),
                Level::Debug => tracing::debug!(target: "tamis::plugin", plugin, tool, "{line}"),
            }
        }
        if lines.dropped_bytes > 0 {
            tracing::warn!(
                target: "tamis::plugin", plugin, tool,
                "{} more bytes of log were dropped: the limits are `log-bytes` and `log-lines`",
                lines.dropped_bytes
            );
            lines.dropped_bytes = 0;
        }
    }
}

impl Lines {
    fn push(&mut self, level: Level, line: &[u8]) {
        let kept = if self.lines_left == 0 {
            0
        } else {
            line.len().min(self.bytes_left)
        };
        self.dropped_bytes += line.len() - kept;
        if kept == 0 {
            return;
        }
        self.bytes_left -= kept;
        self.lines_left -= 1;
        // Escapes in a plugin's words must not reach the operator's terminal.
        let text: String = String::from_utf8_lossy(&line[..kept])
            .chars()
            .map(|c| {
                if printable::is_hidden(c) && c != '\t' {
                    '\u{fffd}'
                } else {
                    c
                }
            })
            .collect();
        self.lines.push((level, text));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(sink: &LogSink) -> Vec<String> {
        sink.lock()
            .lines
            .iter()
            .map(|(_, line)| line.clone())
            .collect()
    }

    #[test]
    fn limits_cut_and_count() {
        let sink = LogSink::new(10, 2);
        sink.message(Level::Info, "abcd\nefgh\nijkl");
        assert_eq!(lines(&sink), ["abcd", "efgh"]);
        assert_eq!(sink.lock().dropped_bytes, 4);
        let sink = LogSink::new(6, 100);
        sink.message(Level::Info, "abcd\nefgh");
        assert_eq!(lines(&sink), ["abcd", "ef"]);
        assert_eq!(sink.lock().dropped_bytes, 2);
    }

    #[test]
    fn a_byte_stream_is_put_together_into_lines() {
        let sink = LogSink::new(100, 100);
        sink.bytes(b"one");
        sink.bytes(b" line\nand ");
        sink.bytes(b"\x1b[31mmore\n");
        assert_eq!(lines(&sink), ["one line", "and \u{fffd}[31mmore"]);
    }

    #[test]
    fn a_flood_without_a_line_break_is_bounded() {
        let sink = LogSink::new(1000, 10);
        for _ in 0..1000 {
            sink.bytes(&[b'x'; 1000]);
        }
        assert_eq!(sink.lock().partial.len(), 1000);
        assert_eq!(sink.lock().dropped_bytes, 999_000);
    }
}
