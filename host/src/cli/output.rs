//! What commands write to standard output and standard error.
//!
//! All of it goes through here, so that no text of others is obeyed by a terminal, whichever command shows it
//! (`crate::printable`). Data that a program reads (`tamis apply`, `tamis read`) stays as it is, but on a terminal.

use crate::printable;
use anyhow::{Context, Result};
use std::fmt;
use std::io::{self, IsTerminal, Write};

/// Longest part of a line that waits for its end.
const HELD_BYTES: usize = 64 << 10;

/// Prints a text for people, which may have colours of Tamis's own: they are left out where no terminal is.
pub(super) fn print(text: &str) -> Result<()> {
    let mut stdout = anstream::stdout().lock();
    stdout
        .write_all(printable::coloured(text).as_bytes())
        .and_then(|()| stdout.flush())
        .context("write to standard output")
}

/// Prints JSON.
pub(super) fn print_json(text: &str) -> Result<()> {
    write(printable::json(text).as_bytes())
}

/// Prints JSON, or a text for people.
pub(super) fn print_either(text: &str, is_json: bool) -> Result<()> {
    match is_json {
        true => print_json(text),
        false => print(text),
    }
}

/// Prints data: byte for byte, but on a terminal.
pub(super) fn print_data(bytes: &[u8]) -> Result<()> {
    match io::stdout().is_terminal() {
        true => write(printable::lines(&String::from_utf8_lossy(bytes)).as_bytes()),
        false => write(bytes),
    }
}

/// Writes a line to standard error, for people. If nobody reads it, nothing is to be done.
pub(super) fn tell(message: fmt::Arguments<'_>) {
    let text = message.to_string();
    let _ = writeln!(io::stderr(), "{}", printable::coloured(&text));
}

fn write(bytes: &[u8]) -> Result<()> {
    let mut stdout = io::stdout().lock();
    stdout
        .write_all(bytes)
        .and_then(|()| stdout.flush())
        .context("write to standard output")
}

/// A stream of lines that people read, or JSON a line.
pub(super) struct Printed<W: Write> {
    to: W,
    is_json: bool,
    /// The beginning of a line.
    held: Vec<u8>,
}

impl<W: Write> Printed<W> {
    pub(super) fn new(to: W, is_json: bool) -> Printed<W> {
        Printed {
            to,
            is_json,
            held: Vec::new(),
        }
    }

    fn pass_on(&mut self, end: usize) -> io::Result<()> {
        let text = String::from_utf8_lossy(&self.held[..end]);
        let shown = match self.is_json {
            true => printable::json(&text),
            false => printable::coloured(&text),
        };
        let written = self.to.write_all(shown.as_bytes());
        self.held.drain(..end);
        written
    }
}

impl<W: Write> Write for Printed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.held.extend_from_slice(bytes);
        if let Some(end) = self.held.iter().rposition(|byte| *byte == b'\n') {
            self.pass_on(end + 1)?;
        } else if self.held.len() > HELD_BYTES {
            self.pass_on(self.held.len())?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.pass_on(self.held.len())?;
        self.to.flush()
    }
}

impl<W: Write> Drop for Printed<W> {
    fn drop(&mut self) {
        // Whoever wants to know flushes.
        let _ = self.flush();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_in_two_writes_is_one() {
        let mut out = Vec::new();
        let mut printed = Printed::new(&mut out, false);
        for byte in "é\u{202e}\u{1b}[1mx\n数\u{85}".as_bytes() {
            printed.write_all(&[*byte]).expect("written");
        }
        drop(printed);
        assert_eq!(
            String::from_utf8_lossy(&out),
            "é\\u{202e}\u{1b}[1mx\n数\\u{85}"
        );
    }
}
