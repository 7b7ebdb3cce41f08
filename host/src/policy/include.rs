//! Reads the files that a policy includes.
//!
//! Owns their allowed folders and their number. Refuses to know their contents, except `include`. Each file is
//! read once, so the checked, hashed and used texts are the same: [`Source`] holds them.

use crate::system::files;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use toml::de::DeTable;

use super::code::Code;
use super::names;
use super::raw::{Fields, Findings};
use super::report::Finding;
use super::source::{Included, IncludedFile, MAX_FILE_BYTES, Source, Span};
use crate::file;

/// Most included files, and the deepest nesting: a person still finds the file of a key.
const MOST_FILES: usize = 32;
const DEEPEST: usize = 8;

/// A file whose `include` is to be read.
#[derive(Clone, Copy)]
struct Includer {
    /// Index of an included file; none: the policy's own.
    file: Option<usize>,
    depth: usize,
}

struct Gathering {
    own: Source,
    /// Without links, as far as it is known.
    own_path: Option<PathBuf>,
    included: Included,
    /// The path of each included file, without links.
    paths: Vec<PathBuf>,
    end: usize,
}

impl Source {
    /// The file, with all files that it includes, and findings about their names. A file with errors inside
    /// counts as read. If the files were read before, they stay unchanged.
    pub fn with_included(self) -> (Source, Vec<Finding>) {
        if self.files().is_some() {
            return (self, Vec::new());
        }
        let mut gathering = Gathering {
            own_path: files::real_path(self.path()).ok(),
            end: self.end(),
            own: self,
            included: Included::default(),
            paths: Vec::new(),
        };
        let mut findings = Vec::new();
        gathering.read(
            Includer {
                file: None,
                depth: 0,
            },
            &mut findings,
        );
        let Gathering { own, included, .. } = gathering;
        (own.including(included), findings)
    }

    /// The text as the parser gets it: behind as many blanks as make the parser's offsets those of [`Span`].
    pub(super) fn padded(&self) -> String {
        " ".repeat(self.start()) + self.text()
    }
}

impl Gathering {
    fn source(&self, place: Includer) -> &Source {
        match place.file {
            None => &self.own,
            Some(index) => &self.included.files[index].source,
        }
    }

    /// Reads the files that a file includes, and those that they include.
    fn read(&mut self, place: Includer, all: &mut Vec<Finding>) {
        let source = self.source(place).clone();
        let text = source.padded();
        // Errors in its TOML are reported when the whole file is read.
        let (root, _) = DeTable::parse_recoverable(&text);
        let root = Fields::new(root.get_ref(), root.span().into(), "the file");
        let Some(value) = root.get("include") else {
            return;
        };
        let mut findings = Findings::new(&source);
        let expected = "a list of paths, such as [\"team.toml\"]";
        let mut named: Vec<(String, Span)> = Vec::new();
        for item in findings.filled_list(value, "`include`", expected) {
            let path = findings.string(item, "a path in `include`", "a path");
            named.extend(path.map(|(path, span)| (path.to_owned(), span)));
        }
        for (path, span) in named {
            match self.add(&source, place, &path, span) {
                Ok(None) => {}
                Ok(Some(file)) => {
                    all.append(&mut findings.take());
                    let depth = place.depth + 1;
                    let file = Some(file);
                    self.read(Includer { file, depth }, all);
                }
                Err(finding) => findings.push(*finding),
            }
        }
        all.append(&mut findings.take());
    }

    /// Reads one file, unless it is there already.
    fn add(
        &mut self,
        by: &Source,
        place: Includer,
        path: &str,
        span: Span,
    ) -> Result<Option<usize>, Box<Finding>> {
        check_name(path, span)?;
        let quoted = names::quote(path);
        if self.own.is_remote() {
            let message =
                format!("cannot include {quoted}: a policy from a URL or a registry is one file");
            let help = "copy its content into the policy before you publish it";
            let finding = Finding::error(span, message, "not allowed here").help(help);
            return Err(Box::new(finding.code(Code::IncludeOutside)));
        }
        let joined = by.resolve(path);
        if place.depth >= DEEPEST || self.included.named.len() >= MOST_FILES {
            let label = format!("allowed: {MOST_FILES} files, {DEEPEST} levels");
            let finding = Finding::error(span, "too many included files", label);
            return Err(Box::new(finding.code(Code::OutOfRange)));
        }
        self.included.named.push(joined.clone());
        let unreadable = |error: &io::Error| {
            let message = format!("cannot include {quoted}: {error}");
            let label = match error.kind() {
                ErrorKind::NotFound => "no such file",
                _ => "this file",
            };
            let help = "a relative path starts at the folder of the file that it is written in";
            let finding = Finding::error(span, message, label).help(help);
            Box::new(finding.code(Code::IncludeUnreadable))
        };
        let real = files::real_path(&joined).map_err(|error| unreadable(&error))?;
        if let Some(folder) = self.own.bounds()
            && !real.starts_with(folder)
        {
            let message = format!("cannot include {quoted}: it is outside of the project");
            let label = "allowed: files in the project's folder";
            let help = "copy the file into the project; a file that you name with --config may include others";
            let finding = Finding::error(span, message, label).help(help);
            return Err(Box::new(finding.code(Code::IncludeOutside)));
        }
        self.check_circle(place, &real, &quoted, span)?;
        // Two files may include the same one, which counts once.
        if self.paths.contains(&real) {
            return Ok(None);
        }
        let left = MAX_FILE_BYTES.saturating_sub(self.end);
        let read = file::read(&real, MAX_FILE_BYTES as u64 + 1);
        let bytes = read.map_err(|error| unreadable(&error))?;
        if bytes.len() > left {
            let message = format!("cannot include {quoted}: the files are too large");
            let label = "allowed: 1 MiB, all files together";
            let finding = Finding::error(span, message, label);
            return Err(Box::new(finding.code(Code::FileSize)));
        }
        let source = Source::new(joined, bytes).map_err(|report| {
            let first = report.findings().first();
            let why = first.map_or("it cannot be read", |finding| &finding.message);
            let message = format!("cannot include {quoted}: {why}");
            let finding = Finding::error(span, message, "this file");
            Box::new(finding.code(first.map_or(Code::IncludeUnreadable, |finding| finding.code)))
        })?;
        // One more than its text, so that the end of a file is not the beginning of the next.
        let source = source.starting_at(self.end + 1);
        self.end = source.end();
        self.paths.push(real);
        let by = place.file;
        self.included.files.push(IncludedFile { source, span, by });
        Ok(Some(self.included.files.len() - 1))
    }

    /// A file that includes itself, or one that includes it.
    fn check_circle(
        &self,
        place: Includer,
        real: &Path,
        quoted: &str,
        span: Span,
    ) -> Result<(), Box<Finding>> {
        let mut above = place.file;
        let mut is_above = self.own_path.as_deref() == Some(real);
        while let Some(index) = above {
            is_above |= self.paths[index] == real;
            above = self.included.files[index].by;
        }
        if !is_above {
            return Ok(());
        }
        let message = format!("cannot include {quoted}: the files include each other in a circle");
        let label = "this file includes the one that it is named in";
        let help = "move what both need into a third file, which both include";
        let finding = Finding::error(span, message, label).help(help);
        Err(Box::new(finding.code(Code::Circle)))
    }
}

/// Checks the form of a path, which counts as code: it decides which file is read.
fn check_name(path: &str, span: Span) -> Result<(), Box<Finding>> {
    let finding = if path.is_empty() || path.chars().any(char::is_control) {
        let message = format!("`include` has no path here: {}", names::quote(path));
        let help = "in double quotes `\\` starts an escape: put the path in single quotes";
        Finding::error(span, message, "allowed: the path of a .toml file").help(help)
    } else if path.contains("${") {
        let message = "an included path takes no value from the environment";
        let label = "allowed: the path itself";
        Finding::error(span, message, label).code(Code::VariableInCode)
    } else {
        return Ok(());
    };
    Err(Box::new(finding))
}

#[cfg(test)]
mod tests;
