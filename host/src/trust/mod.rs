//! Which filters.toml of project folders their user trusts.
//!
//! A filters.toml in a project comes from the author of the project: it decides what a model sees and names
//! programs. So Tamis uses it only after its user has reviewed it, and only as long as it is unchanged: the
//! file, those that it includes, the lock file in its folder, every key and the bytes of every plugin that they name. If
//! a trusted file changed, it is not used, and nothing is used in its place.
//!
//! Owns finding such a file, its fingerprint, and the records of trusted files. Refuses to know how
//! somebody is asked. The compared bytes are the used bytes: the files are read once.

mod change;
mod find;
mod fingerprint;
mod project_policy;
mod records;

use crate::hex;
use crate::system::files;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

use crate::file;
use crate::policy::{self, Lock, MAX_FILE_BYTES, Policy, Report, Source};
use crate::project;

pub use change::{Change, Changed, listed};
pub use find::{NAME, find};
pub use fingerprint::Fingerprint;
pub use project_policy::{Found, Lapsed, project_policy};
pub use records::{Record, Records};

/// A filters.toml of a project as read, and the fingerprint of its files.
pub struct Project {
    policy: Policy,
    fingerprint: Fingerprint,
}

/// Whether a project's filters.toml is trusted.
pub enum Standing {
    /// The file is unchanged since its user trusted it.
    Trusted(Box<Policy>),
    /// Nobody trusted the file. It was not even read.
    Untrusted,
    /// The file was trusted, and then changed; the differences.
    Changed(Vec<Change>),
}

/// Reads a project's filters.toml if it is trusted. `path` as [`find`] gives it.
///
/// # Errors
///
/// The records cannot be trusted themselves, or the file is one that its user trusted and that this
/// Tamis cannot use.
pub fn standing(path: &Path, records: &Records, builtin: &[&str]) -> Result<Standing> {
    let Some(record) = records.get(path)? else {
        return Ok(Standing::Untrusted);
    };
    let (source, sha256) = match read(path) {
        Ok(bytes) => {
            let sha256 = Sha256::digest(&bytes).into();
            (source(path, bytes), sha256)
        }
        Err(error) => {
            let change = Change::new(Changed::Policy, format!("{NAME}: {error}"));
            return Ok(Standing::Changed(vec![change]));
        }
    };
    // The file's text says which plugins to look up, so it must be the trusted one before they are.
    if sha256 != record.fingerprint.policy {
        return Ok(Standing::Changed(vec![Change::of_policy()]));
    }
    // The same of included files: one that is broken or missing is a change like any other.
    let (source, unreadable) = source?.with_included();
    if let Some(finding) = unreadable.first() {
        let change = Change::new(Changed::Policy, finding.message.clone());
        return Ok(Standing::Changed(vec![change]));
    }
    // The same of the lock file, which may be broken by a merge: that is a change like any other.
    let lock = match Lock::bytes_of(path) {
        Ok(lock) => lock.map(|bytes| Sha256::digest(bytes).into()),
        Err(error) => {
            let change = Change::new(Changed::Lock, format!("filters.lock: {error:#}"));
            return Ok(Standing::Changed(vec![change]));
        }
    };
    let now = Fingerprint {
        policy: sha256,
        included: source.digests(),
        lock,
        keys: Vec::new(),
        plugins: Vec::new(),
    };
    let changes = record.fingerprint.changes(&now);
    if !changes.is_empty() {
        return Ok(Standing::Changed(changes));
    }
    let project = Project::parse(source, sha256, builtin)?;
    let changes = record.fingerprint.changes(&project.fingerprint);
    if !changes.is_empty() {
        return Ok(Standing::Changed(changes));
    }
    Ok(Standing::Trusted(Box::new(project.policy)))
}

impl Project {
    /// Reads a filters.toml, its lock file and its plugins.
    ///
    /// # Errors
    ///
    /// One of them cannot be read, or the policy is broken.
    pub fn read(path: &Path, builtin: &[&str]) -> Result<Project> {
        let bytes = read(path).with_context(|| format!("read {}", path.display()))?;
        let sha256 = Sha256::digest(&bytes).into();
        Project::parse(source(path, bytes)?, sha256, builtin)
    }

    fn parse(source: Source, sha256: [u8; 32], builtin: &[&str]) -> Result<Project> {
        let path = source.path().to_owned();
        let mut policy = Policy::parse(source, builtin)?;
        let lock = Lock::bytes_of(&path)?;
        let mut fingerprint = Fingerprint {
            policy: sha256,
            included: policy.source.digests(),
            lock: lock.as_ref().map(|bytes| Sha256::digest(bytes).into()),
            keys: policy.key_digests(),
            plugins: Vec::new(),
        };
        if let Some(bytes) = lock {
            policy = policy.locked_by(Lock::parse(&Source::new(Lock::path_for(&path), bytes)?)?);
        }
        for plugin in &policy.plugins {
            // An unreadable file has no fingerprint, and matches none. No registry is asked: a user who reviews
            // a file has not trusted it yet.
            let sha256 = plugin.fingerprint();
            fingerprint.plugins.push((plugin.name.clone(), sha256));
        }
        Ok(Project {
            policy,
            fingerprint,
        })
    }

    /// The parsed file.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// All that it says, as keys and values, with the digests of its plugins' bytes.
    pub fn pairs(&self) -> Vec<(String, String)> {
        let mut pairs = policy::flat(&policy::parts(&self.policy));
        for (path, sha256) in &self.fingerprint.included {
            let sha256 = hex::encode(sha256);
            pairs.push((format!("included file {path}"), format!("sha256 {sha256}")));
        }
        let digest = |sha256: &Option<[u8; 32]>| match sha256 {
            None => "cannot be read".to_owned(),
            Some(sha256) => format!("sha256 {}", hex::encode(sha256)),
        };
        for (name, sha256) in &self.fingerprint.keys {
            pairs.push((format!("key {name}"), digest(sha256)));
        }
        for (name, sha256) in &self.fingerprint.plugins {
            pairs.push((format!("bytes of plugin {name}"), digest(sha256)));
        }
        pairs
    }

    /// The fingerprint of the files that were read.
    pub fn fingerprint(&self) -> &Fingerprint {
        &self.fingerprint
    }
}

/// A project's file: it includes only files of the project.
fn source(path: &Path, bytes: Vec<u8>) -> Result<Source, Report> {
    let folder = path.parent().unwrap_or(Path::new(""));
    Ok(Source::new(path, bytes)?.within(&project::root(folder)))
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    // One byte more than allowed, so that it is `Source` that complains.
    file::read(path, MAX_FILE_BYTES as u64 + 1)
}

/// A path as records call it: its folder without symbolic links.
///
/// # Errors
///
/// The folder is not there.
pub fn absolute(path: &Path) -> io::Result<PathBuf> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    Ok(files::real_path(folder)?.join(name))
}
