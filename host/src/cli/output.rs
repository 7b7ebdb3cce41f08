//! Output of commands to standard output and standard error.
//!
//! All of it is written here, so that no terminal obeys texts of others, whichever command shows it
//! (`crate::printable`). Data for programs (`tamis apply`, `tamis read`) stays unchanged, except on a terminal.

use crate::printable;
use anyhow::Result;
use std::fmt;
use std::io::{self, IsTerminal, Write};

/// Nobody reads standard output any more.
#[derive(Debug, thiserror::Error)]
#[error("write to standard output: nobody reads it any more")]
pub(super) struct Closed;

/// The error of a write to standard output.
pub(super) fn failed(error: io::Error) -> anyhow::Error {
    match error.kind() {
        io::ErrorKind::BrokenPipe => Closed.into(),
        _ => anyhow::Error::new(error).context("write to standard output"),
    }
}

/// Longest part of a line that waits for its end.
const HELD_BYTES: usize = 64 << 10;

/// Prints a text for people.
pub(super) fn print(text: &str) -> Result<()> {
    write(printable::lines(text).as_bytes())
}

/// Prints a text with Tamis's own colours, which are left out without a terminal. Texts of others in it must be
/// `printable` already: they could choose colours, too.
pub(super) fn print_coloured(text: &str) -> Result<()> {
    let mut stdout = anstream::stdout().lock();
    stdout
        .write_all(printable::coloured(text).as_bytes())
        .and_then(|()| stdout.flush())
        .map_err(failed)
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
    let _ = writeln!(io::stderr(), "{}", printable::lines(&text));
}

/// Prints a text with Tamis's own colours on standard error.
pub(super) fn tell_coloured(text: &str) {
    let _ = writeln!(io::stderr(), "{}", printable::coloured(text));
}

fn write(bytes: &[u8]) -> Result<()> {
    let mut stdout = io::stdout().lock();
    stdout
        .write_all(bytes)
        .and_then(|()| stdout.flush())
        .map_err(failed)
}

/// The form of a stream of lines.
#[derive(Clone, Copy)]
pub(super) enum Form {
    Text,
    /// Text with colours of Tamis's own.
    Coloured,
    /// JSON a line.
    Json,
}

impl Form {
    pub(super) fn of(is_json: bool, is_coloured: bool) -> Form {
        match (is_json, is_coloured) {
            (true, _) => Form::Json,
            (false, true) => Form::Coloured,
            (false, false) => Form::Text,
        }
    }
}

/// A stream of lines that people read, or JSON a line.
pub(super) struct Printed<W: Write> {
    to: W,
    form: Form,
    /// The beginning of a line.
    pending: Vec<u8>,
}

impl Printed<io::StdoutLock<'static>> {
    /// Standard output.
    pub(super) fn stdout(is_json: bool) -> Printed<io::StdoutLock<'static>> {
        let stdout = io::stdout();
        let form = Form::of(is_json, super::has_colour(&stdout));
        Printed::new(stdout.lock(), form)
    }
}

impl<W: Write> Printed<W> {
    pub(super) fn new(to: W, form: Form) -> Printed<W> {
        Printed {
            to,
            form,
            pending: Vec::new(),
        }
    }

    fn pass_on(&mut self, end: usize) -> io::Result<()> {
        let text = String::from_utf8_lossy(&self.pending[..end]);
        let shown = match self.form {
            Form::Json => printable::json(&text),
            Form::Text => printable::lines(&text),
            Form::Coloured => printable::coloured(&text),
        };
        let written = self.to.write_all(shown.as_bytes());
        self.pending.drain(..end);
        written
    }
}

impl<W: Write> Write for Printed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.pending.extend_from_slice(bytes);
        if let Some(end) = self.pending.iter().rposition(|byte| *byte == b'\n') {
            self.pass_on(end + 1)?;
        } else if self.pending.len() > HELD_BYTES {
            self.pass_on(self.pending.len())?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.pass_on(self.pending.len())?;
        self.to.flush()
    }
}

impl<W: Write> Drop for Printed<W> {
    fn drop(&mut self) {
        // A caller that needs the error flushes first.
        let _ = self.flush();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_in_two_writes_is_one() {
        let mut out = Vec::new();
        let mut printed = Printed::new(&mut out, Form::Coloured);
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
