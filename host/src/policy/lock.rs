//! filters.lock: the digest of each plugin and each included file when an operator approved it.
//!
//! Owns the file's form and the comparison. `tamis lock` writes the file. The loader calls [`Lock::check`]
//! before it loads a plugin, and [`Lock::check_included`] before it loads any. For a policy without a lock file, only `sha256` counts.

use crate::hex;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::Context;
use toml::de::DeTable;

use super::raw::{Fields, Findings};
use super::report::{Finding, Report};
use super::source::{Source, Span};
use super::{Code, MAX_FILE_BYTES, PluginSpec, Policy, filters, names, syntax};
use crate::{file, shell};

/// The format that this Tamis writes, and the newest that it reads.
const VERSION: i128 = 1;

const HEAD: &str = "\
# Written by `tamis lock`: the approved plugins and included files of this policy. Tamis refuses any other bytes.
# Keep this file beside the policy, and in version control.
";

/// A lock file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lock {
    path: PathBuf,
    /// The plugins in the order of the policy.
    pub plugins: Vec<LockedPlugin>,
    /// The files that the policy includes: path from its folder, and digest.
    pub included: Vec<(String, [u8; 32])>,
}

/// A plugin at the time of its approval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockedPlugin {
    /// Its name in filters.toml.
    pub name: String,
    /// Its `path` or `oci` in filters.toml.
    pub place: String,
    /// Whether it is from a registry.
    pub is_artifact: bool,
    /// Digest of its file.
    pub sha256: [u8; 32],
    /// The plugin's own version.
    pub version: String,
    /// The version of the filter contract that it was built for.
    pub contract: String,
}

impl LockedPlugin {
    /// The name of the key for the place, here and in filters.toml.
    pub fn place_key(&self) -> &'static str {
        if self.is_artifact { "oci" } else { "path" }
    }
}

impl Lock {
    /// The path of a policy's lock file: `filters.lock` in the folder of filters.toml.
    pub fn path_for(policy: &Path) -> PathBuf {
        if policy
            .extension()
            .is_some_and(|extension| extension == "toml")
        {
            return policy.with_extension("lock");
        }
        let mut name = OsString::from(policy);
        name.push(".lock");
        name.into()
    }

    /// A new lock file, not yet written.
    pub fn new(
        path: PathBuf,
        plugins: Vec<LockedPlugin>,
        included: Vec<(String, [u8; 32])>,
    ) -> Lock {
        Lock {
            path,
            plugins,
            included,
        }
    }

    /// Reads the lock file of a policy, if it exists.
    pub fn of(policy: &Path) -> anyhow::Result<Option<Lock>> {
        let path = Lock::path_for(policy);
        match Lock::bytes_of(policy)? {
            None => Ok(None),
            Some(bytes) => Ok(Some(Lock::parse(&Source::new(path, bytes)?)?)),
        }
    }

    /// The bytes of a policy's lock file, if it exists.
    pub fn bytes_of(policy: &Path) -> anyhow::Result<Option<Vec<u8>>> {
        let path = Lock::path_for(policy);
        // Something there that leads nowhere is not the same as no lock.
        if path.symlink_metadata().is_err() {
            return Ok(None);
        }
        // One byte more than allowed, so that it is `Source` that complains.
        file::read(&path, MAX_FILE_BYTES as u64 + 1)
            .map(Some)
            .with_context(|| format!("read {}", path.display()))
    }

    /// Checks a lock file.
    ///
    /// # Errors
    ///
    /// A [`Report`] of its mistakes.
    pub fn parse(source: &Source) -> Result<Lock, Report> {
        let (root, errors) = DeTable::parse_recoverable(source.text());
        if !errors.is_empty() {
            let findings = syntax::findings(source, root.get_ref(), &errors);
            return Err(broken(source, findings));
        }
        let mut findings = Findings::new(source);
        let root = Fields::new(root.get_ref(), root.span().into(), "the file");
        root.deny_unknown(&["version", "plugin", "include"], &mut findings);
        if let Some(value) = root.require("version", "1", &mut findings) {
            let found = value.get_ref().as_integer().and_then(super::raw::integer);
            if found.is_none_or(|found| !(1..=VERSION).contains(&found)) {
                let label = format!("allowed: {VERSION}");
                let message = "unknown `version`";
                findings.push(Finding::error(Span::from(value.span()), message, label));
            }
        }
        let mut plugins: Vec<LockedPlugin> = Vec::new();
        if let Some(value) = root.get("plugin") {
            for fields in findings.tables(value, "plugin", "a plugin") {
                let Some(plugin) = plugin(fields, &mut findings) else {
                    continue;
                };
                if plugins.iter().any(|other| other.name == plugin.name) {
                    let message = format!("duplicate plugin `{}`", plugin.name);
                    findings.push(Finding::error(fields.span, message, "again"));
                }
                plugins.push(plugin);
            }
        }
        let mut included: Vec<(String, [u8; 32])> = Vec::new();
        if let Some(value) = root.get("include") {
            for fields in findings.tables(value, "include", "an included file") {
                included.extend(included_file(fields, &mut findings));
            }
        }
        if findings.errors() > 0 {
            return Err(broken(source, findings.into_list()));
        }
        let path = source.path().to_owned();
        Ok(Lock::new(path, plugins, included))
    }

    /// The text of the file.
    pub fn text(&self) -> String {
        let mut text = format!("{HEAD}version = {VERSION}\n");
        for plugin in &self.plugins {
            let sha256 = hex::encode(&plugin.sha256);
            text += "\n[[plugin]]\n";
            for (key, value) in [
                ("name", &plugin.name),
                (plugin.place_key(), &plugin.place),
                ("sha256", &sha256),
                ("version", &plugin.version),
                ("contract", &plugin.contract),
            ] {
                let value = toml::Value::from(value.as_str());
                text += &format!("{key} = {value}\n");
            }
        }
        for (path, sha256) in &self.included {
            let path = toml::Value::from(path.as_str());
            let sha256 = hex::encode(sha256);
            text += &format!("\n[[include]]\npath = {path}\nsha256 = \"{sha256}\"\n");
        }
        text
    }

    /// The file's path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The approved plugin with this name.
    pub fn plugin(&self, name: &str) -> Option<&LockedPlugin> {
        self.plugins.iter().find(|plugin| plugin.name == name)
    }

    /// Checks that a plugin is the approved one; an error is the finding to report. `policy`: the file that
    /// names the plugin.
    ///
    /// # Errors
    ///
    /// Its bytes differ, or no operator approved it.
    #[expect(
        clippy::result_large_err,
        reason = "made at most once a plugin, at load"
    )]
    pub fn check(
        &self,
        spec: &PluginSpec,
        sha256: &[u8; 32],
        policy: &Path,
    ) -> Result<(), Finding> {
        let lock = self.path.display();
        let (message, label) = match self.plugin(&spec.name) {
            Some(locked) if locked.sha256 == *sha256 => return Ok(()),
            None => (
                format!("plugin `{}` is not in {lock}", spec.name),
                format!("found: sha256 {}", short(sha256)),
            ),
            Some(locked) => (
                format!("plugin `{}` is not the one in {lock}", spec.name),
                format!(
                    "locked: sha256 {} (version {}), found: sha256 {}",
                    short(&locked.sha256),
                    locked.version,
                    short(sha256)
                ),
            ),
        };
        let help = format!(
            "if you intended the change, accept it: tamis lock {}",
            shell::word(policy)
        );
        Err(Finding::error(spec.place_span, message, label)
            .help(help)
            .code(Code::PluginLock))
    }

    /// Findings about included files that are not the approved ones.
    pub fn check_included(&self, policy: &Source) -> Vec<Finding> {
        let lock = self.path.display();
        let spans = policy.files().into_iter().flat_map(|files| &files.files);
        let mut findings = Vec::new();
        for ((path, sha256), file) in policy.digests().iter().zip(spans) {
            let quoted = names::quote(path);
            let locked = self.included.iter().find(|(locked, _)| locked == path);
            let (message, label) = match locked {
                Some((_, locked)) if locked == sha256 => continue,
                None => (
                    format!("included file {quoted} is not in {lock}"),
                    format!("found: sha256 {}", short(sha256)),
                ),
                Some((_, locked)) => (
                    format!("included file {quoted} is not the one in {lock}"),
                    format!(
                        "locked: sha256 {}, found: sha256 {}",
                        short(locked),
                        short(sha256)
                    ),
                ),
            };
            let help = format!(
                "if you intended the change, accept it: tamis lock {}",
                shell::word(policy.path())
            );
            let finding = Finding::error(file.span, message, label).help(help);
            findings.push(finding.code(Code::IncludeLock));
        }
        findings
    }

    /// Findings about entries for plugins and files that the policy no longer has.
    pub(super) fn obsolete(&self, policy: &Policy) -> Vec<Finding> {
        let stale = |what: &str, name: &str| {
            let message = format!(
                "{} has {what} `{name}`, which this file no longer has",
                self.path.display()
            );
            Finding::warning(None, message, "")
                .help("`tamis lock` removes it")
                .code(Code::LockStale)
        };
        let plugins = self.plugins.iter();
        let plugins = plugins
            .filter(|locked| {
                !policy
                    .plugins
                    .iter()
                    .any(|plugin| plugin.name == locked.name)
            })
            .map(|locked| stale("plugin", &locked.name));
        let files = policy.source.digests();
        let included = self.included.iter();
        let included = included
            .filter(|(path, _)| !files.iter().any(|(file, _)| file == path))
            .map(|(path, _)| stale("included file", path));
        plugins.chain(included).collect()
    }
}

/// A part of a digest, long enough to tell two digests apart.
pub fn short(sha256: &[u8; 32]) -> String {
    hex::encode(sha256)[..12].to_owned()
}

fn plugin(fields: Fields<'_>, findings: &mut Findings<'_>) -> Option<LockedPlugin> {
    let keys = ["name", "path", "oci", "sha256", "version", "contract"];
    fields.deny_unknown(&keys, findings);
    let is_artifact = fields.get("path").is_none() && fields.get("oci").is_some();
    let mut text = |key, example| {
        let value = fields.require(key, example, findings)?;
        findings.string(value, &format!("`{key}`"), "a string")
    };
    let name = text("name", "\"house-style\"");
    let place = match is_artifact {
        true => text("oci", "\"registry.example/house-style@sha256:…\""),
        false => text("path", "\"filters/house_style.wasm\""),
    };
    let version = text("version", "\"0.1.0\"");
    let contract = text("contract", "\"0.1.0\"");
    let sha256 = fields
        .require("sha256", "\"<64 hex digits>\"", findings)
        .and_then(|value| filters::read_hash(value, findings));
    Some(LockedPlugin {
        name: name?.0.to_owned(),
        place: place?.0.to_owned(),
        is_artifact,
        sha256: sha256?,
        version: version?.0.to_owned(),
        contract: contract?.0.to_owned(),
    })
}

fn included_file(fields: Fields<'_>, findings: &mut Findings<'_>) -> Option<(String, [u8; 32])> {
    fields.deny_unknown(&["path", "sha256"], findings);
    let path = fields
        .require("path", "\"team.toml\"", findings)
        .and_then(|value| findings.string(value, "`path`", "a string"));
    let sha256 = fields
        .require("sha256", "\"<64 hex digits>\"", findings)
        .and_then(|value| filters::read_hash(value, findings));
    Some((path?.0.to_owned(), sha256?))
}

fn broken(source: &Source, mut findings: Vec<Finding>) -> Report {
    let way_out = "`tamis lock` rewrites the file";
    for finding in &mut findings {
        finding.help = Some(match finding.help.take() {
            None => way_out.to_owned(),
            Some(help) => format!("{help}; {way_out}"),
        });
    }
    Report::new(source.clone(), findings)
}
