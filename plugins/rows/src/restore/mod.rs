//! The inverse of the encoder: it restores the compact JSON, byte for byte.
//!
//! It reads output of the encoder. Other text gives an error or some text, and never a panic.

mod header;
mod rows;

use crate::tsv;
use header::Header;
use std::fmt;
use std::rc::Rc;

/// Most levels of a document: more than the host accepts.
const DEEPEST: usize = 256;

/// The reason why a text could not be restored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestoreError {
    /// The error.
    pub reason: &'static str,
    /// Offset of the error in bytes.
    pub at: usize,
}

impl fmt::Display for RestoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.reason, self.at)
    }
}

impl std::error::Error for RestoreError {}

/// Restores an encoded text to compact JSON.
///
/// # Errors
///
/// The text is no output of the encoder.
pub fn restore(text: &str) -> Result<String, RestoreError> {
    let mut reader = Reader {
        text,
        at: 0,
        header: None,
        above: Vec::new(),
    };
    let mut out = String::with_capacity(text.len() * 2);
    if tsv::starts_table(text) {
        reader.explained(&mut out)?;
    } else {
        reader.value(&mut out, 0)?;
    }
    if reader.at < text.len() {
        return Err(reader.error("more text after the value"));
    }
    Ok(out)
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    /// The latest header: the next table may repeat it.
    header: Option<Rc<Header>>,
    /// The cells of the last row at each depth of the current table.
    above: Vec<Vec<Option<&'t str>>>,
}

impl<'t> Reader<'t> {
    fn error(&self, reason: &'static str) -> RestoreError {
        RestoreError {
            reason,
            at: self.at,
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> bool {
        let is_it = self.peek() == Some(byte);
        self.at += usize::from(is_it);
        is_it
    }

    fn value(&mut self, out: &mut String, depth: usize) -> Result<(), RestoreError> {
        if depth > DEEPEST {
            return Err(self.error("nested too deep"));
        }
        match self.peek() {
            Some(b'#') => self.table(out),
            Some(open @ (b'{' | b'[')) => {
                let close = open + 2;
                self.at += 1;
                if tsv::starts_table(&self.text[self.at..]) {
                    self.explained(out)?;
                    if !self.take(close) {
                        return Err(self.error("expected the bracket that ends a table"));
                    }
                    return Ok(());
                }
                out.push(char::from(open));
                while !self.take(close) {
                    if !out.ends_with(char::from(open)) || self.peek() == Some(b',') {
                        if !self.take(b',') {
                            return Err(self.error("expected a comma or a closing bracket"));
                        }
                        out.push(',');
                    }
                    if open == b'{' {
                        self.copy(out)?;
                        if !self.take(b':') {
                            return Err(self.error("expected a colon"));
                        }
                        out.push(':');
                    }
                    self.value(out, depth + 1)?;
                }
                out.push(char::from(close));
                Ok(())
            }
            _ => self.copy(out),
        }
    }

    /// Copies a scalar or a string.
    fn copy(&mut self, out: &mut String) -> Result<(), RestoreError> {
        let end = json_end(self.text.as_bytes(), self.at);
        if end == self.at {
            return Err(self.error("expected a value"));
        }
        out.push_str(&self.text[self.at..end]);
        self.at = end;
        Ok(())
    }

    /// Reads a table that explains itself.
    fn explained(&mut self, out: &mut String) -> Result<(), RestoreError> {
        let mut reader = tsv::Reader {
            text: self.text,
            at: self.at,
        };
        let table = reader.table(out);
        self.at = reader.at.min(self.text.len());
        table.ok_or_else(|| self.error("this is no table"))
    }

    /// Reads a table in a notation.
    fn table(&mut self, out: &mut String) -> Result<(), RestoreError> {
        self.at += 1;
        let digits = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        let count: usize = self.text[digits..self.at]
            .parse()
            .map_err(|_| self.error("expected the number of rows"))?;
        if !self.take(b' ') {
            return Err(self.error("expected a space before the header"));
        }
        let line = self.line();
        let header = if line == "^" {
            let header = self.header.clone();
            header.ok_or_else(|| self.error("there is no table before this one"))?
        } else {
            Rc::new(Header::parse(line).ok_or_else(|| self.error("this is no header"))?)
        };
        self.header = Some(Rc::clone(&header));
        self.above.clear();
        self.rows(&header, count, out)
    }

    /// The rest of the line. Its line break is skipped.
    fn line(&mut self) -> &'t str {
        let rest = &self.text[self.at..];
        let end = rest.find('\n').unwrap_or(rest.len());
        self.at += (end + 1).min(rest.len());
        &rest[..end]
    }
}

/// The end of the JSON value at `at`. A scalar ends at a separator.
pub(crate) fn json_end(text: &[u8], at: usize) -> usize {
    let mut end = at;
    let mut depth = 0usize;
    while let Some(byte) = text.get(end) {
        match byte {
            b'"' => {
                end += 1;
                while let Some(byte) = text.get(end) {
                    match byte {
                        b'\\' if matches!(text.get(end + 1), Some(b'"' | b'\\')) => end += 2,
                        b'"' => break,
                        _ => end += 1,
                    }
                }
                end += 1;
                if depth == 0 {
                    return end.min(text.len());
                }
                continue;
            }
            b'[' | b'{' => depth += 1,
            b']' | b'}' if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    return end + 1;
                }
            }
            b',' | b':' | b';' | b']' | b'}' | b'\n' | b'\t' if depth == 0 => return end,
            _ => {}
        }
        end += 1;
    }
    end.min(text.len())
}
