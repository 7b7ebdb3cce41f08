//! A filters.toml that exists, and the text added to its end.
//!
//! The existing text stays byte for byte. The code of a proxy decides which chain of it a tool has.

use super::listing::Listing;
use crate::built_in;
use crate::cases::{self, Suite};
use crate::chain;
use crate::cli::lookup;
use crate::cli::output;
use crate::cli::progress::Progress;
use crate::file;
use crate::mcp::gate::Gate;
use crate::policy::{Draft, Fit, Lock, MAX_FILE_BYTES, Piece, Policy, Report, Source, Surface};
use crate::sandbox::Sandbox;
use crate::shell;
use crate::system::files;
use anyhow::{Context, Result, anyhow, bail};
use std::fs::OpenOptions;
use std::path::{Path, PathBuf};

/// Most failed tests that are named.
const NAMED: usize = 5;

/// A file that exists and is sound.
pub(super) struct Existing {
    /// The path as named.
    path: PathBuf,
    /// The path with its links followed.
    real: PathBuf,
    bytes: Vec<u8>,
    pub(super) policy: Policy,
}

/// The treatment of a tool's results by a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// This chain takes all of them that no chain before it takes.
    Chain(usize),
    /// Clients do not see the tool.
    Hidden,
    /// Some or all pass.
    Open,
}

impl Existing {
    /// Reads and checks the file. None: it does not exist.
    ///
    /// # Errors
    ///
    /// It cannot be read or written, or has mistakes: then the error downcasts to a [`Report`].
    pub(super) fn read(path: &Path, sandbox: &Sandbox) -> Result<Option<Existing>> {
        if path.symlink_metadata().is_err() {
            return Ok(None);
        }
        let name = shell::word(path);
        let reading = || format!("read {name}");
        let real = files::real_path(path).with_context(reading)?;
        let bytes = file::read(&real, MAX_FILE_BYTES as u64).with_context(reading)?;
        let is_locked = real
            .metadata()
            .with_context(reading)?
            .permissions()
            .readonly();
        let opened = OpenOptions::new().append(true).open(&real);
        if is_locked || opened.is_err() {
            bail!(
                "{name} cannot be written to, so nothing can be added: make it writable (chmod u+w {name}), or write another file (-o FILE)"
            );
        }
        let refused = |error: anyhow::Error| {
            if error.is::<Report>() {
                output::tell(format_args!(
                    "tamis: {name} has mistakes, so nothing is added to it:"
                ));
            }
            error
        };
        let source = Source::new(path, &bytes).map_err(|report| refused(report.into()))?;
        let policy = sound(source, sandbox, true).map_err(refused)?;
        Ok(Some(Existing {
            path: path.to_owned(),
            real,
            bytes,
            policy,
        }))
    }

    /// The file's treatment of each tool.
    pub(super) fn standings(&self, listing: &Listing) -> Result<Vec<Standing>> {
        let gate = Gate::new(&self.policy, None)?;
        let standing = |tool: usize| {
            let name = &listing.tools[tool].name;
            if gate.refusal(name).is_some() {
                return Standing::Hidden;
            }
            let piece = Piece {
                server: Some(&listing.server(tool).name),
                ..Piece::new(Surface::Result, name)
            };
            let last = self.policy.chains_for(&piece).last();
            let takes_all = |index: &usize| {
                let binding = &self.policy.chains[*index].binding;
                binding.fit(&piece) == Fit::Yes
            };
            last.filter(takes_all)
                .map_or(Standing::Open, Standing::Chain)
        };
        Ok((0..listing.tools.len()).map(standing).collect())
    }

    /// The chain with its line: `` `default` (line 12) ``.
    pub(super) fn chain(&self, index: usize) -> String {
        let chain = &self.policy.chains[index];
        let (line, _) = self.policy.source.position(chain.span.start);
        format!("`{}` (line {line})", crate::printable::line(&chain.name))
    }

    /// Whether a chain takes every result of every tool and server.
    pub(super) fn takes_all(&self, index: usize) -> bool {
        let binding = &self.policy.chains[index].binding;
        let patterns = binding.patterns(Surface::Result);
        binding.conditions == crate::policy::Conditions::default()
            && matches!(patterns, [only] if only.as_str() == "*")
    }

    /// The file with a text at its end, in the line ends that it has.
    pub(super) fn with(&self, addition: &str) -> Vec<u8> {
        let newlines = self.bytes.iter().filter(|byte| **byte == b'\n').count();
        let pairs = self.bytes.windows(2).filter(|pair| pair == b"\r\n").count();
        let newline: &[u8] = if 2 * pairs > newlines { b"\r\n" } else { b"\n" };
        let mut merged = self.bytes.clone();
        let content = self
            .bytes
            .strip_prefix(b"\xef\xbb\xbf")
            .unwrap_or(&self.bytes);
        if !content.is_empty() {
            if !content.ends_with(b"\n") {
                merged.extend_from_slice(newline);
            }
            merged.extend_from_slice(newline);
        }
        for line in addition.lines() {
            merged.extend_from_slice(line.as_bytes());
            merged.extend_from_slice(newline);
        }
        merged
    }

    /// Checks the file as it would be.
    ///
    /// # Errors
    ///
    /// It has mistakes.
    pub(super) fn check(&self, merged: &[u8], sandbox: &Sandbox) -> Result<Policy> {
        let name = shell::word(&self.path);
        let policy = Source::new(&self.path, merged)
            .map_err(anyhow::Error::from)
            .and_then(|source| sound(source, sandbox, true))
            .inspect_err(|_| {
                output::tell(format_args!(
                    "tamis: with the addition {name} would have mistakes, so it is unchanged:"
                ));
            })?;
        let old = &self.policy;
        let is_same = policy.chains.len() >= old.chains.len()
            && policy.plugins.len() == old.plugins.len()
            && policy.tests.len() >= old.tests.len();
        if !is_same {
            bail!("{name} is unchanged: with the addition, its old part would mean something else");
        }
        Ok(policy)
    }

    /// Puts the new text in the place of the old one.
    ///
    /// # Errors
    ///
    /// The file changed since it was read, or cannot be written.
    pub(super) fn replace(&self, merged: &[u8]) -> Result<()> {
        let name = shell::word(&self.path);
        let now = file::read(&self.real, MAX_FILE_BYTES as u64);
        if now.ok().as_ref() != Some(&self.bytes) {
            bail!(
                "{name} changed while Tamis asked the servers, so nothing is added to it: run the command again"
            );
        }
        file::replace(&self.real, merged, file::Access::All)
            .with_context(|| format!("write {name}"))
    }
}

/// Checks a file as `tamis check` does. `exists`: the file exists, maybe with a lock file.
pub(super) fn sound(source: Source, sandbox: &Sandbox, exists: bool) -> Result<Policy> {
    let path = source.path().to_owned();
    let mut draft = Draft::parse(source, &built_in::names())?;
    if exists {
        if !lookup::may_fetch(&path) {
            draft = draft.without_fetching().compiled_by_default_limits();
        }
        if let Some(lock) = Lock::of(&path)? {
            draft = draft.locked_by(lock);
        }
    }
    let progress = Progress::of_compiling(sandbox);
    let report = chain::examine(&draft, sandbox);
    drop(progress);
    if report.has_errors() {
        return Err(report.into());
    }
    Ok(draft.into_policy()?)
}

/// The tests that fail of a file that is not written yet.
pub(super) struct Failed {
    /// The file.
    name: String,
    /// Each with its place, and the name of the test.
    tests: Vec<(String, String)>,
}

impl Failed {
    /// Whether this test is among them.
    pub(super) fn has(&self, name: &str) -> bool {
        self.tests.iter().any(|(_, other)| other == name)
    }

    /// Fails if a test failed.
    ///
    /// # Errors
    ///
    /// A test failed.
    pub(super) fn none(self) -> Result<()> {
        if self.tests.is_empty() {
            return Ok(());
        }
        let tests = self.tests.iter().take(NAMED);
        let tests: Vec<String> = tests
            .map(|(place, name)| format!("{place} ({name})"))
            .collect();
        let more = match self.tests.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        Err(anyhow!(
            "nothing is written, because these tests would fail: {}{more}. `tamis test {}` shows the tests that fail today",
            crate::printable::line(&tests.join(", ")),
            self.name
        ))
    }
}

/// Runs the tests of a file that is not written yet.
///
/// # Errors
///
/// They cannot run.
pub(super) fn test(policy: Policy, sandbox: &Sandbox) -> Result<Failed> {
    let name = shell::word(policy.source.path());
    let folder = policy.test_folder.clone();
    let mut suite = Suite::new(policy, sandbox)?;
    let mut others = Vec::new();
    if let Some((folder, _)) = folder.filter(|(folder, _)| folder.is_dir()) {
        let (suites, errors) = cases::gather(&folder, Some(&mut suite), sandbox);
        if let Some(error) = errors.into_iter().next() {
            return Err(error.context(format!("read the tests of {name}")));
        }
        others = suites;
    }
    let mut tests = Vec::new();
    for suite in std::iter::once(&suite).chain(&others) {
        for case in &suite.cases {
            if !suite.run(case).passed() {
                tests.push((cases::report::place(suite, case), case.spec.name.clone()));
            }
        }
    }
    Ok(Failed { name, tests })
}
