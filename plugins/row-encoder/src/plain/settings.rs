//! The settings under `shape`: which parts of a document become keys, columns and rows, their names, and their limits.
//!
//! Owns the keys, their defaults and their short forms. [`super::Plain::configure`] checks whether they fit together,
//! and [`super::path`] explains paths.

use serde::Deserialize;
use std::collections::BTreeMap;

use super::short::Or;

/// How one kind of document becomes a header and rows. Paths are keys joined by dots (`data.usages`). `*` stands for
/// every element of a list or every member of an object. A backslash before a dot makes it part of a key.
#[derive(Deserialize, Default)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Settings {
    /// Single values, before everything else: `["p=file_path", "cmp=compare_to"]`. A null value is left out. A document
    /// without a required value passes unchanged.
    pub keys: Vec<Or<Field>>,
    /// The columns of every row, in order: `["name", "line", "sig=signature?"]`. A document in which no row has a
    /// required column passes unchanged.
    pub columns: Vec<Or<Field>>,
    /// Levels of detail, which select columns and keys.
    pub detail: Option<Detail>,
    /// The lists that become rows: `["u=usages"]`. A document with none of them passes unchanged.
    pub rows: Vec<Or<RowSet>>,
    /// Gives every group (every file, say) an object of its own with header and rows.
    pub group_by: Option<GroupBy>,
    /// Objects that hold one string of rows for every group, such as `deps` by file.
    pub maps: Vec<RowMap>,
    /// Directories that paths are relative to, for fields with `relative`.
    pub relative_to: RelativeTo,
    /// Limits of the output.
    pub budget: Budget,
    /// Paths of members that are true if upstream itself cut its answer. Then `@.t` says so.
    pub truncated: Or<Paths>,
}

/// One output value: a column's cell, or a key. Short form: `name` or `name=path`, with `?` at the end if optional.
#[derive(Deserialize, Default, Clone)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Field {
    /// Its name in the output.
    pub name: String,
    /// The source, seen from the row (for a key: from the root). Of several, the first that is present and not null.
    /// Default: the member called `name`. `.` is the row itself, `@key` the key of the row; each leading `^` goes up to
    /// the next enclosing object.
    pub from: Or<Paths>,
    /// Joins all values at all paths of `from` by this text, instead of taking the first.
    pub join: Option<String>,
    /// Other spellings for some values: `{ function = "fn" }`.
    pub values: BTreeMap<String, String>,
    /// The value is a path, shown relative to the directories in `relative-to`.
    pub relative: bool,
    /// The field may be missing everywhere.
    pub optional: bool,
    /// A fixed value instead of one from the document.
    pub value: Option<String>,
    /// The lowest level of `detail` that shows the field. Default: every level.
    pub detail: Option<String>,
    /// The meaning, for the tool's description. Default: the last key of its path.
    pub about: Option<String>,
}

/// One string of rows. Short form: `key`, or `key=path`.
#[derive(Deserialize, Default, Clone)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct RowSet {
    /// Its key in the output.
    pub key: String,
    /// The lists that the rows come from, one after the other. Default: the member called `key`. Seen from the root, or
    /// from the group if `group-by` has `in`.
    pub from: Or<Paths>,
    /// Only rows in which each of these paths has one of these values: `{ kind = ["fn", "method"] }`.
    pub when: BTreeMap<String, Or<Paths>>,
    /// Sorts the rows by the value at this path. With a leading `-`, the largest comes first.
    pub sort_by: Option<String>,
    /// The meaning of the rows, for the tool's description. Default: the last key of the first path.
    pub about: Option<String>,
}

/// The source of groups.
#[derive(Deserialize, Default, Clone)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct GroupBy {
    /// A list of groups, or an object of them with `*` at the end of the path. Without it, all rows are together, and a
    /// value of their own groups them.
    #[serde(rename = "in")]
    pub within: Option<String>,
    /// The source of a group's name, seen from the group, or from the row without `in`. `@key` is the key of the group
    /// or row.
    pub by: Option<String>,
    /// The name is a path, shown relative to the directories in `relative-to`.
    pub relative: bool,
    /// The meaning of the name, for the tool's description.
    pub about: Option<String>,
}

/// An object that holds one string of rows for every group. Its rows have the columns of all rows.
#[derive(Deserialize, Default)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct RowMap {
    /// The object's key in the output.
    pub key: String,
    /// The source of its groups.
    pub group_by: GroupBy,
    /// The lists that the rows come from, as in `rows`.
    pub from: Or<Paths>,
    /// Only rows in which each of these paths has one of these values.
    pub when: BTreeMap<String, Or<Paths>>,
    /// Leaves out rows that nothing refers to.
    pub mentioned: Option<Mentioned>,
    /// The meaning of the rows, for the tool's description. Default: `key`.
    pub about: Option<String>,
}

/// Selects the rows whose name occurs, as a whole word, in a text of the same document.
#[derive(Deserialize, Default)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Mentioned {
    /// The paths of the texts, seen from the root: `["code", "functions.*.code"]`.
    #[serde(rename = "in")]
    pub within: Or<Paths>,
    /// The path of a row's name, seen from the row.
    pub name: String,
    /// With fewer rows than this, `otherwise` selects the rows instead. 0: never.
    pub at_least: u32,
    /// The rows that are selected instead.
    pub otherwise: Otherwise,
}

/// The selection of rows if too few are mentioned.
#[derive(Deserialize)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Otherwise {
    /// Only rows in which each of these paths has one of these values: `{ exported = "true" }`.
    pub when: BTreeMap<String, Or<Paths>>,
    /// Sorts them by the value at this path. With a leading `-`, the largest comes first.
    pub sort_by: Option<String>,
    /// Maximum number of rows that are taken.
    pub first: u32,
}

impl Default for Otherwise {
    fn default() -> Self {
        Otherwise {
            when: BTreeMap::new(),
            sort_by: None,
            first: 5,
        }
    }
}

/// Levels of detail, chosen by an argument of the call.
#[derive(Deserialize, Default)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Detail {
    /// The argument's name.
    pub argument: String,
    /// Its values, from the least detail to the most.
    pub levels: Vec<String>,
    /// The level if the argument is missing or unknown.
    pub default: String,
}

/// Sources of the directories that paths are relative to. The first directory that contains a path counts: those of
/// documents, then those of arguments, then those named here.
#[derive(Deserialize, Default)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct RelativeTo {
    /// Paths of members that name a directory.
    pub document: Or<Paths>,
    /// Names of arguments of the call that name a directory. A relative directory is ignored.
    pub argument: Or<Paths>,
    /// Directories.
    pub directory: Or<Paths>,
}

/// Limits of the output. They hold during writing: groups that do not fit are not made, and `@.t` says that some are
/// missing. Keys and headers are always present.
#[derive(Deserialize, Default)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Budget {
    /// Maximum number of tokens (o200k) of the whole output; 0 is no limit.
    pub max_tokens: u32,
    /// Maximum number of rows in all; 0 is no limit.
    pub max_rows: u32,
    /// An argument of the call, a number from 1, that may lower `max-tokens`.
    pub max_tokens_argument: Option<String>,
    /// An argument of the call, a number from 1, that may lower `max-rows`.
    pub max_rows_argument: Option<String>,
}

/// One text or several.
#[derive(Deserialize, Default, Clone)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(transparent)]
pub struct Paths(pub Vec<String>);

impl Paths {
    /// The texts, in order.
    pub fn list(&self) -> &[String] {
        &self.0
    }
}
