//! Records of trusted files: one file for each filters.toml, in a directory that only its owner may
//! write to.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::Fingerprint;
use crate::hex;
use crate::{file, private};

/// Largest record: a policy of a thousand chains has a tenth of this.
const MAX_RECORD_BYTES: u64 = 4 << 20;

/// The records of one state directory.
pub struct Records {
    state: PathBuf,
}

/// A filters.toml that its user trusted.
pub struct Record {
    /// The path of the file at that time.
    pub path: PathBuf,
    /// The fingerprint at that time.
    pub fingerprint: Fingerprint,
    /// The keys and values that its user was shown; none if they were not recorded.
    pub pairs: Option<Vec<(String, String)>>,
}

/// The written form of a record. Digests are hexadecimal.
#[derive(Serialize, Deserialize)]
struct Written {
    path: String,
    policy: String,
    /// Records of policies that include nothing, and older ones, have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    included: Vec<(String, String)>,
    lock: Option<String>,
    /// Records of policies without `signed-by`, and older ones, have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    keys: Vec<(String, Option<String>)>,
    plugins: Vec<(String, Option<String>)>,
    /// Records of Tamis 0.1.0 and of very large policies have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    said: Option<Vec<(String, String)>>,
}

impl Records {
    /// The records in a state directory, which need not exist yet.
    ///
    /// # Errors
    ///
    /// The path is relative: then a project could bring records of its own along.
    pub fn in_directory(state: &Path) -> Result<Records> {
        let so = "no filters.toml of a project can be trusted";
        let state = private::absolute_state(state, so)?;
        Ok(Records {
            state: state.to_owned(),
        })
    }

    /// The record of a filters.toml.
    ///
    /// # Errors
    ///
    /// It cannot be read, or others could have written it.
    pub fn get(&self, path: &Path) -> Result<Option<Record>> {
        if !self.are_there()? {
            return Ok(None);
        }
        self.check()?;
        let record = read(&self.file(path))?;
        Ok(record.filter(|record| record.path == path))
    }

    /// All of them, by path.
    ///
    /// # Errors
    ///
    /// They cannot be read, or others could have written them.
    pub fn list(&self) -> Result<Vec<Record>> {
        let directory = self.directory();
        if !self.are_there()? {
            return Ok(Vec::new());
        }
        self.check()?;
        let files = file::json_files(&directory);
        let mut records = Vec::new();
        for path in files.with_context(|| format!("list {}", directory.display()))? {
            records.extend(read(&path)?);
        }
        records.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(records)
    }

    /// Records that a filters.toml is trusted in this form.
    ///
    /// # Errors
    ///
    /// The record cannot be written.
    pub fn put(&self, record: &Record) -> Result<()> {
        let Some(path) = record.path.to_str() else {
            bail!(
                "{} cannot be recorded: its name is not Unicode",
                record.path.display()
            );
        };
        self.check()?;
        let Fingerprint {
            policy,
            included,
            lock,
            keys,
            plugins,
        } = &record.fingerprint;
        let mut written = Written {
            path: path.to_owned(),
            policy: hex::encode(policy),
            included: included
                .iter()
                .map(|(path, sha256)| (path.clone(), hex::encode(sha256)))
                .collect(),
            lock: lock.as_ref().map(|sha256| hex::encode(sha256)),
            keys: encoded(keys),
            plugins: encoded(plugins),
            said: record.pairs.clone(),
        };
        let spell =
            |written: &Written| serde_json::to_string_pretty(written).context("encode the record");
        let mut text = spell(&written)?;
        if text.len() as u64 >= MAX_RECORD_BYTES {
            // It can be compared by its digests alone.
            written.said = None;
            text = spell(&written)?;
        }
        let file = self.file(&record.path);
        file::replace(&file, format!("{text}\n").as_bytes(), file::Access::Owner)
            .with_context(|| format!("write {}", file.display()))
    }

    /// Removes the record of a filters.toml; false if it has none.
    ///
    /// # Errors
    ///
    /// The record cannot be removed.
    pub fn remove(&self, path: &Path) -> Result<bool> {
        let file = self.file(path);
        match fs::remove_file(&file) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            removed => removed
                .map(|()| true)
                .with_context(|| format!("remove {}", file.display())),
        }
    }

    /// Whether something is noted of a filters.toml, readable or not.
    pub fn has(&self, path: &Path) -> bool {
        self.file(path).symlink_metadata().is_ok()
    }

    /// The file of a filters.toml's record, whether or not it is there.
    pub fn file(&self, path: &Path) -> PathBuf {
        let name: [u8; 32] = Sha256::digest(path.as_os_str().as_encoded_bytes()).into();
        self.directory()
            .join(format!("{}.json", &hex::encode(&name)[..32]))
    }

    fn directory(&self) -> PathBuf {
        self.state.join("trust")
    }

    /// Whether anything was ever noted. That it cannot be told is an error: there may be records.
    fn are_there(&self) -> Result<bool> {
        let leads_nowhere = |path: &Path| path.is_symlink() && !path.exists();
        let found = match self.directory().metadata() {
            // A link that leads nowhere is not the same as no folder.
            Err(error)
                if error.kind() == ErrorKind::NotFound
                    && !self.directory().ancestors().any(leads_nowhere) =>
            {
                return Ok(false);
            }
            found => found,
        };
        let file = self.directory();
        found.with_context(|| format!("look at {}", file.display()))?;
        Ok(true)
    }

    /// A user who may write there may have a policy trusted.
    fn check(&self) -> Result<()> {
        for directory in [&self.state, &self.directory()] {
            private::make_state(directory)?;
        }
        Ok(())
    }
}

/// Named digests as they are written.
fn encoded(digests: &[(String, Option<[u8; 32]>)]) -> Vec<(String, Option<String>)> {
    let encode = |sha256: &[u8; 32]| hex::encode(sha256);
    let digests = digests.iter();
    digests
        .map(|(name, sha256)| (name.clone(), sha256.as_ref().map(encode)))
        .collect()
}

fn read(path: &Path) -> Result<Option<Record>> {
    let bytes = match file::read(path, MAX_RECORD_BYTES) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        bytes => bytes.with_context(|| format!("read {}", path.display()))?,
    };
    let broken = || {
        format!(
            "{} is damaged: delete it, and trust the file again",
            path.display()
        )
    };
    let written: Written = serde_json::from_slice(&bytes).with_context(broken)?;
    let digest = |text: &str| hex::decode_sha256(text).with_context(broken);
    let named = |digests: Vec<(String, Option<String>)>| {
        let digests = digests.into_iter();
        digests
            .map(|(name, sha256)| Ok((name, sha256.as_deref().map(digest).transpose()?)))
            .collect::<Result<Vec<_>>>()
    };
    Ok(Some(Record {
        path: written.path.into(),
        fingerprint: Fingerprint {
            policy: digest(&written.policy)?,
            included: written
                .included
                .into_iter()
                .map(|(path, sha256)| Ok((path, digest(&sha256)?)))
                .collect::<Result<_>>()?,
            lock: written.lock.as_deref().map(digest).transpose()?,
            keys: named(written.keys)?,
            plugins: named(written.plugins)?,
        },
        pairs: written.said,
    }))
}
