//! What the operator writes under `shape`: which parts of a document become keys, columns and rows,
//! under which names, and how much of them.
//!
//! Owns the keys, their defaults and their short forms. Whether they make sense together is checked
//! in [`super::Plain::configure`]; what a path means is in [`super::path`].

use serde::Deserialize;
use std::collections::BTreeMap;

use super::short::Or;

/// How one kind of document becomes a header and rows. Paths are keys joined by dots
/// (`data.usages`); `*` stands for every element of a list or every member of an object; a
/// backslash before a dot makes it part of a key.
#[derive(Deserialize, Default)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Settings {
    /// Single values, before everything else: `["p=file_path", "cmp=compare_to"]`. One that is null
    /// is left out. A document that lacks one which is not optional passes unchanged.
    pub keys: Vec<Or<Field>>,
    /// The columns of every row, in order: `["name", "line", "sig=signature?"]`. A document in
    /// which no row has a column that is not optional passes unchanged.
    pub columns: Vec<Or<Field>>,
    /// Which columns and keys are shown at which level of detail.
    pub detail: Option<Detail>,
    /// The lists that become rows: `["u=usages"]`. A document in which none of them is there passes
    /// unchanged.
    pub rows: Vec<Or<RowSet>>,
    /// Gives every group (every file, say) an object of its own with header and rows.
    pub group_by: Option<GroupBy>,
    /// Objects that hold one string of rows for every group, such as `deps` by file.
    pub maps: Vec<RowMap>,
    /// Directories that paths are shown relative to, where `relative` is set.
    pub relative_to: RelativeTo,
    /// How much may come out.
    pub budget: Budget,
    /// Paths of members that are true when upstream itself cut its answer short; `@.t` says so then.
    pub truncated: Or<Paths>,
}

/// One output value: a column's cell, or a key. Short form: `name`, `name=path`, and a `?` at the
/// end for optional.
#[derive(Deserialize, Default, Clone)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Field {
    /// Its name in the output.
    pub name: String,
    /// Where it comes from, seen from the row (for a key: from the root); the first of several that
    /// is there and not null. Without it: the member called `name`. `.` is the row itself, `@key`
    /// the key that it stands under; each leading `^` goes up to the next enclosing object.
    pub from: Or<Paths>,
    /// Joins all values found at all of `from` by this text, instead of taking the first.
    pub join: Option<String>,
    /// Other spellings for some values: `{ function = "fn" }`.
    pub values: BTreeMap<String, String>,
    /// The value is a path, to be shown relative to the directories in `relative-to`.
    pub relative: bool,
    /// May be missing everywhere.
    pub optional: bool,
    /// A fixed value instead of one from the document.
    pub value: Option<String>,
    /// The least level of `detail` at which it is shown; without it: always.
    pub detail: Option<String>,
    /// What it means, for the tool's description; without it: the last key of its path.
    pub about: Option<String>,
}

/// One string of rows. Short form: `key`, or `key=path`.
#[derive(Deserialize, Default, Clone)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct RowSet {
    /// Its key in the output.
    pub key: String,
    /// The lists that it is made of, one after the other; without it: the member called `key`. Seen
    /// from the root, or from the group where `group-by` has `in`.
    pub from: Or<Paths>,
    /// Only rows in which each of these paths has one of these values: `{ kind = ["fn", "method"] }`.
    pub when: BTreeMap<String, Or<Paths>>,
    /// Sorts the rows by the value at this path; with a leading `-` the largest first.
    pub sort_by: Option<String>,
    /// What the rows are, for the tool's description; without it: the last key of the first path.
    pub about: Option<String>,
}

/// What groups are made by.
#[derive(Deserialize, Default, Clone)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct GroupBy {
    /// A list of groups, or an object of them with `*` at the end of the path. Without it the rows
    /// lie together and are grouped by a value of their own.
    #[serde(rename = "in")]
    pub within: Option<String>,
    /// Where a group's name is, seen from the group, or from the row if there is no `in`. `@key` is
    /// the key that it stands under.
    pub by: Option<String>,
    /// The name is a path, to be shown relative to the directories in `relative-to`.
    pub relative: bool,
    /// What the name is, for the tool's description.
    pub about: Option<String>,
}

/// An object that holds one string of rows for every group. Its rows have the columns of all rows.
#[derive(Deserialize, Default)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct RowMap {
    /// The object's key in the output.
    pub key: String,
    /// What its groups are made by.
    pub group_by: GroupBy,
    /// The lists that rows are made of, as in `rows`.
    pub from: Or<Paths>,
    /// Only rows in which each of these paths has one of these values.
    pub when: BTreeMap<String, Or<Paths>>,
    /// Leaves out rows that nothing refers to.
    pub mentioned: Option<Mentioned>,
    /// What the rows are, for the tool's description; without it: `key`.
    pub about: Option<String>,
}

/// Keeps the rows whose name occurs, as a whole word, in a text of the same document.
#[derive(Deserialize, Default)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Mentioned {
    /// Where the texts are, seen from the root: `["code", "functions.*.code"]`.
    #[serde(rename = "in")]
    pub within: Or<Paths>,
    /// Where a row's name is, seen from the row.
    pub name: String,
    /// With fewer rows than this, the choice under `otherwise` is taken instead; 0 is never.
    pub at_least: u32,
    /// Which rows are taken instead.
    pub otherwise: Otherwise,
}

/// The choice of rows when too few are mentioned.
#[derive(Deserialize)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Otherwise {
    /// Only rows in which each of these paths has one of these values: `{ exported = "true" }`.
    pub when: BTreeMap<String, Or<Paths>>,
    /// Sorts them by the value at this path; with a leading `-` the largest first.
    pub sort_by: Option<String>,
    /// How many of them are taken.
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
    /// The level when the argument is missing or is none of these.
    pub default: String,
}

/// Where directories come from that paths are shown relative to. The first that a path lies in
/// counts; documents come first, then arguments, then those named here.
#[derive(Deserialize, Default)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct RelativeTo {
    /// Paths of members that name a directory.
    pub document: Or<Paths>,
    /// Names of arguments of the call that name a directory; one that is not absolute is passed over.
    pub argument: Or<Paths>,
    /// Directories.
    pub directory: Or<Paths>,
}

/// Limits of the output. They hold while it is built: groups that do not fit are not made, and
/// `@.t` says that some are missing. Keys and headers are always there.
#[derive(Deserialize, Default)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Budget {
    /// Most tokens (o200k) of the whole output; 0 is no limit.
    pub max_tokens: u32,
    /// Most rows in all; 0 is no limit.
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
