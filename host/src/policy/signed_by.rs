//! `signed-by`: the keys of which one must have signed a plugin.
//!
//! Owns the lists of keys, reading their files (once: the compared key is the used one), and the comparison
//! of a plugin's signatures with them. Every list that applies to a plugin must be met, the plugin's own and
//! those of the files of the policy, so no file weakens what another demands.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::code::Code;
use super::contents::{PluginBytes, PluginPlace};
use super::names;
use super::raw::{Findings, Value};
use super::report::Finding;
use super::source::{Source, Span};
use super::{PluginSpec, Policy};
use crate::registry::{self, ArtifactSignature, Pinned};
use crate::signature::{self, MAX_KEY_BYTES, PublicKey, Signature};
use crate::{file, shell};

/// Most keys in a list: a large team. Each signature is verified by each key.
const MAX_KEYS: usize = 32;

/// Most bytes that are hashed to verify a file's signatures, as each is hashed anew for each key: seconds. A plugin
/// of 8 MB can have all keys and all signatures.
const MAX_HASHED_BYTES: u64 = 4 << 30;

/// The first words of a key that is in the policy itself.
const PEM: &str = "-----BEGIN ";

/// A list of keys.
#[derive(Debug, Clone)]
pub struct SignedBy {
    /// The keys in the order of the list.
    pub keys: Vec<KeySpec>,
    /// The list.
    pub span: Span,
}

/// A key in a list. Clones share what was read.
#[derive(Clone)]
pub struct KeySpec {
    /// The file; none: the key is in the policy itself.
    pub file: Option<KeyFile>,
    read: Arc<OnceLock<Result<PublicKey, String>>>,
    span: Span,
}

/// The file of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyFile {
    /// The path, joined to the folder of the file that names it.
    pub path: PathBuf,
    /// The path as written.
    pub name: String,
}

impl KeySpec {
    /// The key: the same every time, for this spec and its clones.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or is not a public key. The text says why, in one line.
    pub fn read(&self) -> Result<&PublicKey, &str> {
        let read = self.read.get_or_init(|| {
            let path = self.file.as_ref().map_or(Path::new(""), |file| &file.path);
            let text = file::read_text(path, MAX_KEY_BYTES).map_err(|error| error.to_string())?;
            PublicKey::from_pem(&text).map_err(|error| error.to_string())
        });
        read.as_ref().map_err(String::as_str)
    }

    /// Its name for people: the path as written, or the key itself in short.
    pub fn name(&self) -> String {
        match &self.file {
            Some(file) => file.name.clone(),
            None => self.read().map_or_else(str::to_owned, PublicKey::to_string),
        }
    }
}

impl fmt::Debug for KeySpec {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.name())
    }
}

/// Reads `signed-by` of a plugin or of a file.
pub(super) fn read(
    source: &Source,
    value: &Value<'_>,
    findings: &mut Findings<'_>,
) -> Option<SignedBy> {
    let errors = findings.errors();
    let expected = "a list of keys, such as [\"team.pub\"]";
    let items = findings.filled_list(value, "`signed-by`", expected);
    let span: Span = value.span().into();
    if items.len() > MAX_KEYS {
        let label = format!("allowed: {MAX_KEYS} keys");
        let finding = Finding::error(span, "`signed-by` has too many keys", label);
        findings.push(finding.code(Code::OutOfRange));
        return None;
    }
    let mut keys = Vec::new();
    for item in items {
        let what = "a key in `signed-by`";
        let expected = "the path of a public key, or the key in PEM";
        if let Some((text, span)) = findings.string(item, what, expected) {
            keys.extend(key(source, text, span, findings));
        }
    }
    (findings.errors() == errors).then_some(SignedBy { keys, span })
}

fn key(source: &Source, text: &str, span: Span, findings: &mut Findings<'_>) -> Option<KeySpec> {
    let label = "allowed: the path of a public key, or the key in PEM";
    if text.contains(PEM) {
        let key = PublicKey::from_pem(text).map_err(|error| {
            let message = format!("a key in `signed-by` cannot be used: {error}");
            findings.push(Finding::error(span, message, label));
        });
        return Some(KeySpec {
            file: None,
            read: Arc::new(OnceLock::from(Ok(key.ok()?))),
            span,
        });
    }
    if text.is_empty() || text.chars().any(char::is_control) {
        let message = format!("`signed-by` has no path here: {}", names::quote(text));
        let help = "in double quotes `\\` starts an escape: put the path in single quotes";
        findings.push(Finding::error(span, message, label).help(help));
        return None;
    }
    Some(KeySpec {
        file: Some(KeyFile {
            path: source.resolve(text),
            name: text.to_owned(),
        }),
        read: Arc::default(),
        span,
    })
}

/// The signatures of a plugin, none of them verified.
enum Signatures {
    OfFile(Vec<Signature>),
    OfArtifact(Pinned, Vec<ArtifactSignature>),
}

impl Signatures {
    fn count(&self) -> usize {
        match self {
            Signatures::OfFile(all) => all.len(),
            Signatures::OfArtifact(_, all) => all.len(),
        }
    }

    /// How many bytes verifying them by so many keys can hash. Payloads are small.
    fn hashed_bytes(&self, keys: usize, bytes: &PluginBytes) -> u64 {
        match self {
            Signatures::OfFile(all) => (all.len() * keys) as u64 * bytes.wasm.len() as u64,
            Signatures::OfArtifact(..) => 0,
        }
    }

    /// Whether one is this key's, of these bytes or of their artifact.
    fn have(&self, key: &PublicKey, bytes: &PluginBytes) -> bool {
        match self {
            Signatures::OfFile(all) => all.iter().any(|one| key.verifies(&bytes.wasm, one)),
            // The bytes are those of the artifact: `registry` compared both digests.
            Signatures::OfArtifact(artifact, all) => all.iter().any(|one| one.is_of(key, artifact)),
        }
    }

    /// Whether one is this key's, but of another artifact.
    fn are_about_another(&self, keys: &[&PublicKey]) -> bool {
        match self {
            Signatures::OfFile(_) => false,
            Signatures::OfArtifact(_, all) => {
                let mut pairs = all
                    .iter()
                    .flat_map(|one| keys.iter().map(move |key| (one, key)));
                pairs.any(|(one, key)| one.verifies(key))
            }
        }
    }
}

impl PluginSpec {
    /// Checks that the keys of `signed-by` signed these bytes of the plugin; an error is the finding to report.
    ///
    /// # Errors
    ///
    /// No key of a list did, or a key cannot be read.
    #[expect(
        clippy::result_large_err,
        reason = "made at most once a plugin, at load"
    )]
    pub fn check_signatures(&self, bytes: &PluginBytes) -> Result<(), Finding> {
        if self.signed_by.is_empty() {
            return Ok(());
        }
        let mut lists = Vec::new();
        for list in &self.signed_by {
            let keys: Result<Vec<&PublicKey>, Finding> = list
                .keys
                .iter()
                .map(|key| key.read().map_err(|error| unreadable(key, error)))
                .collect();
            lists.push((list, keys?));
        }
        let unmet = |signatures: &Signatures| {
            let met = |keys: &[&PublicKey]| keys.iter().any(|key| signatures.have(key, bytes));
            lists.iter().find(|(_, keys)| !met(keys))
        };
        let signatures = match &self.place {
            PluginPlace::File(path) => match signature::read_beside(path) {
                Ok(all) => Signatures::OfFile(all),
                Err(error) => {
                    let error = format!("{}: {error}", signature::path_beside(path).display());
                    return Err(self.unsigned(lists[0].0, &format!(": {error}"), None));
                }
            },
            PluginPlace::Registry { reference, .. } => {
                let cached = registry::cached_signatures(reference).unwrap_or_default();
                Signatures::OfArtifact(reference.clone(), cached)
            }
        };
        let keys = lists.iter().map(|(_, keys)| keys.len()).sum();
        if signatures.hashed_bytes(keys, bytes) > MAX_HASHED_BYTES {
            let why = format!(
                ": comparing its signatures ({}) with the keys ({keys}) takes too long for {} bytes",
                signatures.count(),
                bytes.wasm.len()
            );
            let help = "remove signatures of other keys from the file beside the plugin, or keys from the policy";
            return Err(self.unsigned(lists[0].0, &why, Some(help.to_owned())));
        }
        let Some(first) = unmet(&signatures) else {
            return Ok(());
        };
        let ((list, keys), signatures, trouble) = match &self.place {
            // Somebody may have signed it since.
            PluginPlace::Registry {
                reference,
                may_fetch: true,
            } => match registry::fetch_signatures(reference) {
                Ok(all) => {
                    let fetched = Signatures::OfArtifact(reference.clone(), all);
                    match unmet(&fetched) {
                        None => return Ok(()),
                        Some(list) => (list, fetched, None),
                    }
                }
                Err(error) => {
                    let trouble = format!("its signatures cannot be fetched: {error}");
                    (first, signatures, Some(trouble))
                }
            },
            PluginPlace::Registry { .. } if signatures.count() == 0 => {
                let trouble = "its signatures were not fetched before, and Tamis contacts no registry for a project's filters.toml that you do not trust";
                (first, signatures, Some(trouble.to_owned()))
            }
            _ => (first, signatures, None),
        };
        let why = match (&trouble, signatures.count()) {
            (Some(trouble), _) => format!(": {trouble}"),
            (None, 0) => ": nobody signed it".to_owned(),
            (None, _) if signatures.are_about_another(keys) => {
                ": the signature of such a key is about another artifact".to_owned()
            }
            (None, count) => {
                format!(": its signatures ({count}) are of other keys, or of other bytes")
            }
        };
        let place = match &self.place {
            PluginPlace::File(path) => shell::word(path),
            PluginPlace::Registry { reference, .. } => reference.to_string(),
        };
        let help = match trouble {
            Some(_) => format!("`tamis plugin pull {place}` fetches it with its signatures"),
            None => format!("if you made the plugin, sign it: tamis plugin sign {place} --key KEY"),
        };
        Err(self.unsigned(list, &why, Some(help)))
    }

    fn unsigned(&self, list: &SignedBy, why: &str, help: Option<String>) -> Finding {
        let keys: Vec<String> = list.keys.iter().map(KeySpec::name).collect();
        let message = format!(
            "plugin `{}` is not signed by {}{why}",
            self.name,
            one_of(&keys)
        );
        let finding = Finding::error(self.place_span, message, "this plugin")
            .also(list.span, "one of these keys must have signed it")
            .code(Code::PluginSignature);
        match help {
            Some(help) => finding.help(help),
            None => finding,
        }
    }

    /// The files that its bytes and their approval are made of: its own, its signatures, and the keys.
    pub fn files(&self) -> Vec<PathBuf> {
        let mut files = Vec::new();
        if let Some(path) = self.place.file() {
            files.push(path.to_owned());
            if !self.signed_by.is_empty() {
                files.push(signature::path_beside(path));
            }
        }
        let keys = self.signed_by.iter().flat_map(|list| &list.keys);
        files.extend(keys.filter_map(|key| Some(key.file.as_ref()?.path.clone())));
        files
    }
}

impl Policy {
    /// The keys in files, each once, by path from the folder of the policy; in the order of the plugins. Without a
    /// plugin, no key is used.
    fn keys_in_files(&self) -> Vec<(String, &KeySpec)> {
        let folder = self.source.path().parent().unwrap_or(Path::new(""));
        let lists = self.plugins.iter().flat_map(|plugin| &plugin.signed_by);
        let mut keys: Vec<(String, &KeySpec)> = Vec::new();
        for key in lists.flat_map(|list| &list.keys) {
            let Some(file) = &key.file else {
                continue;
            };
            let path = file.path.strip_prefix(folder).unwrap_or(&file.path);
            let path = path.to_string_lossy().into_owned();
            if !keys.iter().any(|(known, _)| *known == path) {
                keys.push((path, key));
            }
        }
        keys
    }

    /// The digest (SHA-256) of each key in a file, by its path from the folder of the policy; none of one that
    /// cannot be read.
    pub fn key_digests(&self) -> Vec<(String, Option<[u8; 32]>)> {
        let keys = self.keys_in_files().into_iter();
        keys.map(|(path, key)| (path, key.read().ok().map(PublicKey::sha256)))
            .collect()
    }

    /// Where a key in a file is named, by its path from the folder of the policy.
    pub fn place_of_key(&self, path: &str) -> Option<Span> {
        let mut keys = self.keys_in_files().into_iter();
        keys.find_map(|(known, key)| (known == path).then_some(key.span))
    }
}

/// Names of keys, as a message lists them.
fn one_of(keys: &[String]) -> String {
    const NAMED: usize = 3;
    let quoted: Vec<String> = keys
        .iter()
        .take(NAMED)
        .map(|key| names::quote(key))
        .collect();
    let more = match keys.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" or {more} more"),
    };
    quoted.join(" or ") + &more
}

fn unreadable(key: &KeySpec, error: &str) -> Finding {
    let message = format!(
        "the key {} in `signed-by` cannot be used: {error}",
        names::quote(&key.name())
    );
    let finding = Finding::error(key.span, message, "this key").code(Code::KeyUnreadable);
    // A key of a wrong kind was found where the path leads.
    match &key.file {
        Some(file) if !file.path.is_file() => {
            finding.help("a relative path starts at the folder of the file that it is written in")
        }
        _ => finding,
    }
}
