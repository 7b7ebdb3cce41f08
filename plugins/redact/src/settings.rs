//! The settings, and errors in them.

use regex::{Regex, RegexBuilder};
use serde::Deserialize;
use std::collections::BTreeMap;
use tamis_sdk::Glob;

/// Which content the filter hides, and how.
#[derive(Deserialize, Default)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Settings {
    /// Kinds of content that the filter hides.
    pub hide: Vec<Preset>,
    /// Your own patterns.
    pub patterns: Vec<OwnPattern>,
    /// Keys of JSON objects whose values are hidden whole, in any case. `*` stands for any characters.
    pub members: Vec<String>,
    /// Content that is never hidden. `*` stands for any characters.
    pub allow: Vec<String>,
    /// The replacement of hidden content: "mask" (its kind), "pseudonym" (its kind and a number, the same for the same
    /// content in a session), "remove" (nothing). Or a table by kind, as masks name it: `{ email = "pseudonym", "*" =
    /// "remove" }`. `*` stands for all other kinds. Without `*`, they are masked.
    pub with: Replacement,
    /// Whether the filter looks into text that is encoded in Base64.
    pub base64: bool,
}

/// A kind of content.
#[derive(Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Preset {
    ApiKeys,
    Jwts,
    PrivateKeys,
    ConnectionStrings,
    Emails,
    Phones,
    Cards,
    Ibans,
    Ips,
}

/// A pattern of the operator.
#[derive(Deserialize)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct OwnPattern {
    /// The kind that the mask names: lower-case letters, digits and hyphens.
    pub name: String,
    /// A regular expression, without look-around and back references.
    #[serde(rename = "match")]
    pub pattern: String,
    /// Number of the group that is hidden. 0: the whole match.
    #[serde(default)]
    pub group: usize,
}

/// The replacement of hidden content.
#[derive(Deserialize, Clone, Copy, PartialEq, Eq, Default, Debug)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum With {
    #[default]
    Mask,
    Pseudonym,
    Remove,
}

/// The replacement for all kinds of content, or for each.
#[derive(Deserialize, Debug)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(untagged)]
pub enum Replacement {
    All(With),
    ByKind(BTreeMap<String, With>),
}

impl Default for Replacement {
    fn default() -> Replacement {
        Replacement::All(With::Mask)
    }
}

impl Replacement {
    /// The replacement for a kind of content.
    pub fn of(&self, kind: &str) -> With {
        match self {
            Replacement::All(with) => *with,
            Replacement::ByKind(kinds) => {
                let with = kinds.get(kind).or_else(|| kinds.get(OTHER_KINDS));
                with.copied().unwrap_or_default()
            }
        }
    }
}

/// All kinds that a table of `with` does not name.
const OTHER_KINDS: &str = "*";

/// The kinds that masks name, without those of the operator's patterns.
const KINDS: [&str; 12] = [
    "api-key",
    "card",
    "email",
    "encoded",
    "iban",
    "ip",
    "jwt",
    "member",
    "password",
    "phone",
    "private-key",
    "secret",
];

/// A compiled pattern.
pub struct Pattern {
    pub name: String,
    pub regex: Regex,
    pub group: usize,
}

/// Most entries of each list of the settings.
const MOST_ENTRIES: usize = 64;
/// Most bytes of an entry.
const MOST_BYTES: usize = 512;
/// Most bytes of one compiled pattern.
const PROGRAM_BYTES: usize = 512 << 10;

impl Settings {
    /// Checks the settings.
    ///
    /// # Errors
    ///
    /// The settings hide nothing, or an entry is not valid. The text names the key, and the allowed values.
    pub fn check(&self) -> Result<(), String> {
        if self.hide.is_empty() && self.patterns.is_empty() && self.members.is_empty() {
            return Err("nothing is hidden: set `hide`, `patterns` or `members`, for example hide = [\"api-keys\", \"emails\"]".to_owned());
        }
        for (key, length) in [
            ("patterns", self.patterns.len()),
            ("members", self.members.len()),
            ("allow", self.allow.len()),
        ] {
            if length > MOST_ENTRIES {
                return Err(format!(
                    "`{key}` has {length} entries, allowed: {MOST_ENTRIES}"
                ));
            }
        }
        for (key, list) in [("members", &self.members), ("allow", &self.allow)] {
            if list.iter().any(|it| it.is_empty() || it.len() > MOST_BYTES) {
                return Err(format!(
                    "an entry of `{key}` is empty or longer than {MOST_BYTES} bytes"
                ));
            }
        }
        if let Replacement::ByKind(kinds) = &self.with {
            let own = |kind: &str| self.patterns.iter().any(|pattern| pattern.name == kind);
            let is_known = |kind: &str| kind == OTHER_KINDS || KINDS.contains(&kind) || own(kind);
            if let Some(unknown) = kinds.keys().find(|kind| !is_known(kind)) {
                return Err(format!(
                    "`with` has the unknown kind {unknown:?}, allowed: {}, names of `patterns`, and {OTHER_KINDS:?} for all others",
                    KINDS.join(", ")
                ));
            }
        }
        Ok(())
    }

    /// The operator's patterns.
    ///
    /// # Errors
    ///
    /// A pattern is not valid.
    pub fn own_patterns(&self) -> Result<Vec<Pattern>, String> {
        let own = self.patterns.iter();
        own.map(|OwnPattern { name, pattern, group }| {
            let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            if name.is_empty() || name.len() > 40 || !name.chars().all(is_name) {
                return Err(format!("`patterns`: the name {name:?} is not valid, allowed: 1 to 40 lower-case letters, digits and hyphens"));
            }
            if pattern.is_empty() || pattern.len() > MOST_BYTES {
                return Err(format!("`patterns`: `match` of `{name}` is empty or longer than {MOST_BYTES} bytes"));
            }
            let regex = RegexBuilder::new(pattern)
                .size_limit(PROGRAM_BYTES)
                .dfa_size_limit(PROGRAM_BYTES)
                .build()
                .map_err(|error| {
                    let why = error.to_string();
                    let last = why.lines().last().unwrap_or_default().trim();
                    format!("`patterns`: `match` of `{name}` is not a regular expression: {last}")
                })?;
            if regex.is_match("") {
                return Err(format!("`patterns`: `match` of `{name}` matches nothing at all, and so everywhere"));
            }
            if *group >= regex.captures_len() {
                return Err(format!(
                    "`patterns`: `group` of `{name}` is {group}, and the pattern has {} groups",
                    regex.captures_len() - 1
                ));
            }
            Ok(Pattern { name: name.clone(), regex, group: *group })
        })
        .collect()
    }

    /// Patterns of keys, in lower case.
    pub fn member_globs(&self) -> Vec<Glob> {
        let members = self.members.iter();
        members.map(|it| Glob::new(&it.to_lowercase())).collect()
    }

    /// Patterns of content that is never hidden.
    pub fn allow_globs(&self) -> Vec<Glob> {
        self.allow.iter().map(|it| Glob::new(it)).collect()
    }
}
