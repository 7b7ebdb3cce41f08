//! The text of a filters.toml, and places in it.
//!
//! Owns the checks before parsing: a bounded size, and UTF-8. Drops a byte order mark, so that columns and
//! spans count from the first visible character.
//!
//! A policy is one file, and the files that it includes. Their texts lie one after the other, as if they were one
//! text: so a [`Span`] alone says in which file it is, and everything that has a span needs no word about files.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use sha2::{Digest, Sha256};

use super::code::Code;
use super::report::{Finding, Report};
use crate::{file, hex};

/// Largest filters.toml. A policy of a thousand chains has a tenth of this. A larger file was named by mistake,
/// and parsing it would only delay that message.
pub const MAX_FILE_BYTES: usize = 1 << 20;

/// A part of a [`Source`]'s text, or of the text of an included file: byte offsets, the end exclusive. Those of an
/// included file count on where the file before it ends.
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

/// A policy file that was read: its path as the caller gave it, and its text; and the files that it includes. Cheap
/// to clone.
#[derive(Debug, Clone)]
pub struct Source {
    path: Arc<Path>,
    text: Arc<str>,
    /// The start of its text among those of all files; 0 for the policy's own file.
    start: usize,
    /// The folder in which included files must lie; none: they may lie anywhere.
    within: Option<Arc<Path>>,
    /// The included files; none: nobody looked for them yet.
    included: Option<Arc<Included>>,
    /// The digest of a remote policy, as its place has it; none: it is a file.
    remote: Option<Arc<str>>,
}

/// The files that a policy includes.
#[derive(Debug, Default)]
pub(super) struct Included {
    /// The files that were read, each once; in the order in which they were named, each before those that it
    /// includes.
    pub(super) files: Vec<IncludedFile>,
    /// All that were named, with those that cannot be read.
    pub(super) named: Vec<PathBuf>,
}

/// An included file.
#[derive(Debug)]
pub(super) struct IncludedFile {
    pub(super) source: Source,
    /// The place of its name.
    pub(super) span: Span,
    /// Index of the file that includes it; none: the policy's own.
    pub(super) by: Option<usize>,
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
        if is_remote(path) {
            anyhow::bail!(
                "{} is not a file: only `tamis serve --config` takes a policy from a URL or a registry",
                path.display()
            );
        }
        let mut bytes = Vec::new();
        // One byte more than allowed is enough to tell, even if the path is an endless device.
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
            start: 0,
            within: None,
            included: None,
            remote: None,
        }
    }

    /// The policy of a URL or a registry, with the digest that it has there. Its place stands for the path.
    ///
    /// # Errors
    ///
    /// As [`Source::new`].
    pub fn remote(place: &str, digest: &str, bytes: &[u8]) -> Result<Source, Report> {
        let source = Source::new(place, bytes)?;
        Ok(Source {
            remote: Some(digest.into()),
            ..source
        })
    }

    /// Whether it comes from a URL or a registry: then no folder exists that paths in it could be relative to.
    pub fn is_remote(&self) -> bool {
        self.remote.is_some()
    }

    /// Identifies the policy: the digest that a remote one has at its place; else the SHA-256 of the file or, if it
    /// includes others, of the digests of all files.
    pub fn digest(&self) -> String {
        if let Some(digest) = &self.remote {
            return digest.to_string();
        }
        let mut digest: [u8; 32] = Sha256::digest(&*self.text).into();
        if self.included().next().is_some() {
            let mut all = Sha256::new_with_prefix(digest);
            self.included()
                .for_each(|file| all.update(Sha256::digest(file.text())));
            digest = all.finalize().into();
        }
        format!("sha256:{}", hex::encode(&digest))
    }

    /// The file of a project: it includes only files that lie in this folder or below, wherever links lead. The path
    /// of the folder has no symbolic links.
    #[must_use]
    pub fn within(self, folder: &Path) -> Source {
        Source {
            within: Some(folder.into()),
            ..self
        }
    }

    /// The folder in which included files must lie.
    pub(super) fn bounds(&self) -> Option<&Path> {
        self.within.as_deref()
    }

    /// The file, where its text begins at an offset.
    pub(super) fn starting_at(self, start: usize) -> Source {
        Source { start, ..self }
    }

    /// The file, with those that it includes.
    pub(super) fn including(self, included: Included) -> Source {
        Source {
            included: Some(Arc::new(included)),
            ..self
        }
    }

    /// The start of its text among those of all files.
    pub fn start(&self) -> usize {
        self.start
    }

    /// The offset after its text. The offset itself is a place in the file: its end.
    pub(super) fn end(&self) -> usize {
        self.start + self.text.len()
    }

    /// The included files, if they were read.
    pub(super) fn files(&self) -> Option<&Included> {
        self.included.as_deref()
    }

    /// The included files, in the order in which they were named.
    pub fn included(&self) -> impl Iterator<Item = &Source> {
        let files = self.included.iter().flat_map(|included| &included.files);
        files.map(|file| &file.source)
    }

    /// The digest (SHA-256) of each included file, by its path from the folder of the policy.
    pub fn digests(&self) -> Vec<(String, [u8; 32])> {
        let folder = self.path.parent().unwrap_or(Path::new(""));
        let digest = |file: &Source| {
            let path = file.path().strip_prefix(folder).unwrap_or(file.path());
            let path = path.to_string_lossy().into_owned();
            (path, Sha256::digest(file.text()).into())
        };
        self.included().map(digest).collect()
    }

    /// Where an included file is named, by its path from the folder of the policy.
    pub fn place_of_included(&self, path: &str) -> Option<Span> {
        let named = self.files().into_iter().flat_map(|it| &it.files);
        let mut all = self.digests().into_iter().zip(named);
        all.find_map(|((name, _), file)| (name == path).then_some(file.span))
    }

    /// The paths of all files that were to be included: also of those that cannot be read.
    pub fn named(&self) -> &[PathBuf] {
        self.included
            .as_ref()
            .map_or(&[], |included| &included.named)
    }

    /// The file that an offset is in: this one, or an included one.
    pub fn file_at(&self, at: usize) -> &Source {
        let later = self.included().filter(|file| file.start <= at);
        later.last().unwrap_or(self)
    }

    /// A span as offsets in the text of its own file.
    pub fn local(&self, span: Span) -> Span {
        let start = self.file_at(span.start).start;
        Span {
            start: span.start.saturating_sub(start),
            end: span.end.saturating_sub(start),
        }
    }

    /// Whether all files have the same text as those of another policy.
    pub fn says_the_same(&self, other: &Source) -> bool {
        self.text == other.text
            && self
                .included()
                .map(Source::text)
                .eq(other.included().map(Source::text))
    }

    /// The path as the caller gave it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The text, without a byte order mark.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text of a span, without any part that is outside its file or cuts a character.
    pub fn slice(&self, span: Span) -> &str {
        let text = &self.file_at(span.start).text;
        let span = self.local(span);
        let start = text.floor_char_boundary(span.start);
        let end = text.floor_char_boundary(span.end);
        text.get(start..end).unwrap_or("")
    }

    /// Line and column of an offset in its file, both from 1; columns in characters.
    pub fn position(&self, at: usize) -> (usize, usize) {
        let file = self.file_at(at);
        let text = &file.text;
        let before = &text[..text.floor_char_boundary(at.saturating_sub(file.start))];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = before.matches('\n').count() + 1;
        (line, before[line_start..].chars().count() + 1)
    }

    /// The path of the file that an offset is in.
    pub fn path_at(&self, at: usize) -> &Path {
        self.file_at(at).path()
    }

    /// `path`, as written in this file, relative to the folder that the file is in.
    pub(super) fn resolve(&self, path: &str) -> PathBuf {
        self.path.parent().unwrap_or(Path::new("")).join(path)
    }
}

/// Whether what names a policy is not the path of a file, but a URL or an artifact in a registry.
pub fn is_remote(named: &Path) -> bool {
    let schemes = ["oci://", "https://", "http://"];
    named
        .to_str()
        .is_some_and(|text| schemes.iter().any(|scheme| text.starts_with(scheme)))
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
