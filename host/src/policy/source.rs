//! The text of a filters.toml, and places in it.
//!
//! Owns the checks before parsing: a bounded size, and UTF-8. Drops a byte order mark, so that columns and
//! spans count from the first visible character.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;

use super::code::Code;
use super::report::{Finding, Report};
use crate::file;

/// Largest filters.toml. A policy of a thousand chains has a tenth of this. A larger file was named by mistake,
/// and parsing it would only delay that message.
pub const MAX_FILE_BYTES: usize = 1 << 20;

/// A part of a [`Source`]'s text: byte offsets, the end exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset after the last byte.
    pub end: usize,
}

impl From<std::ops::Range<usize>> for Span {
    fn from(range: std::ops::Range<usize>) -> Span {
        Span {
            start: range.start,
            end: range.end,
        }
    }
}

/// A policy file that was read: its path as the caller gave it, and its text. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Source {
    path: Arc<Path>,
    text: Arc<str>,
}

impl Source {
    /// Accepts the bytes of a file.
    ///
    /// # Errors
    ///
    /// They are more than [`MAX_FILE_BYTES`] or not UTF-8.
    pub fn new(path: impl Into<PathBuf>, bytes: impl AsRef<[u8]>) -> Result<Source, Report> {
        let (path, bytes) = (path.into(), bytes.as_ref());
        if bytes.len() > MAX_FILE_BYTES {
            let finding = Finding::error(None, "the file is larger than 1 MiB", "")
                .help("a policy is a few kilobytes of TOML; check that this is the right file")
                .code(Code::FileSize);
            return Err(Report::new(Source::of(path, ""), vec![finding]));
        }
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Source::of(path, text)),
            Err(error) => Err(not_utf8(path, bytes, error.valid_up_to())),
        }
    }

    /// Reads a file.
    ///
    /// # Errors
    ///
    /// It cannot be read, or [`Source::new`] refuses it: then the error downcasts to a [`Report`].
    pub fn read(path: &Path) -> anyhow::Result<Source> {
        let mut bytes = Vec::new();
        // One byte more than allowed is enough to tell, whatever the path names.
        let most = MAX_FILE_BYTES as u64 + 1;
        file::open(path)
            .and_then(|file| file.take(most).read_to_end(&mut bytes))
            .with_context(|| format!("read policy {}", path.display()))?;
        Ok(Source::new(path, bytes)?)
    }

    fn of(path: PathBuf, text: &str) -> Source {
        Source {
            path: path.into(),
            text: text.into(),
        }
    }

    /// The path as the caller gave it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The text, without a byte order mark.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text of a span, without any part that is outside the file or cuts a character.
    pub fn slice(&self, span: Span) -> &str {
        let start = self.text.floor_char_boundary(span.start);
        let end = self.text.floor_char_boundary(span.end);
        self.text.get(start..end).unwrap_or("")
    }

    /// Line and column of an offset, both from 1; columns in characters.
    pub fn position(&self, at: usize) -> (usize, usize) {
        let before = &self.text[..self.text.floor_char_boundary(at)];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = before.matches('\n').count() + 1;
        (line, before[line_start..].chars().count() + 1)
    }

    /// `path`, as written in this file, relative to the folder that the file is in.
    pub(super) fn resolve(&self, path: &str) -> PathBuf {
        self.path.parent().unwrap_or(Path::new("")).join(path)
    }
}

fn not_utf8(path: PathBuf, bytes: &[u8], valid: usize) -> Report {
    // Replacement characters stand for the bad bytes, so that the rest of the line can be shown.
    let text = String::from_utf8_lossy(bytes);
    let span = Span {
        start: valid,
        end: valid + char::REPLACEMENT_CHARACTER.len_utf8(),
    };
    let byte = bytes.get(valid).copied().unwrap_or_default();
    let label = format!("found byte 0x{byte:02x}, allowed: UTF-8");
    let encoding = match bytes {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => "it looks like UTF-16: ",
        _ => "",
    };
    let finding = Finding::error(span, "the file is not UTF-8", label)
        .help(format!("{encoding}save the file in the encoding UTF-8"))
        .code(Code::FileEncoding);
    Report::new(Source::of(path, &text), vec![finding])
}
