//! The settings, and checks of their combinations.

use crate::note;
use serde::Deserialize;
use tamis_sdk::{Paths, Template};

/// Which lists and texts are capped.
#[derive(Deserialize, Default)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Settings {
    /// The caps: each of one list, of lists that share a limit, or of a text. Of two caps for the same value, the first
    /// counts.
    pub caps: Vec<RawCap>,
}

/// One cap: `path` with `first`, `last`, `bytes`, `first-lines` or `last-lines`, or `groups` with `fair`.
#[derive(Deserialize, Default)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct RawCap {
    /// Path of a list, or of a string for `bytes` and lines. A path is keys joined by dots, from the root. `*` stands
    /// for any key or element, `**` for any number of levels. `$` is the whole document: a list, or a text.
    pub path: Option<String>,
    /// Paths of lists that share one limit.
    pub groups: Vec<String>,
    /// Maximum number of elements that stay, from the beginning.
    pub first: Option<u32>,
    /// Maximum number of elements that stay, from the end.
    pub last: Option<u32>,
    /// Maximum number of elements of all groups together. Each group keeps a fair share, from its beginning.
    pub fair: Option<u32>,
    /// Maximum number of bytes of a text that stay, including the line about the cut.
    pub bytes: Option<u32>,
    /// With `bytes`: cuts the text at the end of a line, if one fits.
    pub whole_lines: bool,
    /// Maximum number of lines of a text that stay, from the beginning. A line about the cut follows them.
    pub first_lines: Option<u32>,
    /// Maximum number of lines of a text that stay, from the end. A line about the cut precedes them.
    pub last_lines: Option<u32>,
    /// Path, inside an element and without `*`, that orders the list before it is cut, ascending. Numbers are ordered
    /// by size, and texts by character, so that timestamps of one form are in time order.
    pub order_by: Option<String>,
    /// Argument of the call that overrides the number.
    pub argument: Option<String>,
    /// Key of the member, beside the list, that becomes `true`. Default: the list's key and `_truncated`, or
    /// `truncated` for groups. Empty: none.
    pub flag: Option<String>,
    /// Key of the member that becomes the total number of elements. Default: none, or `total_in_graph` for groups. An
    /// existing member stays.
    pub total: Option<String>,
    /// Wording of the note, or of the line in a cut text. You can use {shown}, {total}, {argument.name} and paths,
    /// which lead from beside the list or else from the root. Lines and the whole document take no paths. Empty: none.
    pub note: Option<String>,
    /// Key of the note. Default: the list's key and `_note`, or `note` for groups.
    pub note_key: Option<String>,
}

/// The kind of a cap.
pub enum CapKind {
    First,
    Last,
    Fair,
    Bytes,
    FirstLines,
    LastLines,
}

impl CapKind {
    /// Whether the cap is for texts, not for lists.
    pub fn is_text(&self) -> bool {
        matches!(
            self,
            CapKind::Bytes | CapKind::FirstLines | CapKind::LastLines
        )
    }
}

/// Most bytes of line breaks around a note, as escapes: one before it, one after it.
const LINE_BREAKS: usize = 8;

/// The path of the whole document.
pub const ROOT: &str = "$";

/// A checked cap.
pub struct Cap {
    pub kind: CapKind,
    /// Whether the cap is for the whole document.
    pub is_root: bool,
    /// Whether `bytes` cuts at the end of a line.
    pub whole_lines: bool,
    pub limit: usize,
    /// For a text: the least limit, which leaves room for the last line.
    pub least_bytes: usize,
    pub order_by: Option<Paths>,
    pub argument: Option<String>,
    pub flag: MemberKey,
    pub total: MemberKey,
    pub note: Option<Wording>,
    pub note_key: MemberKey,
}

/// The key of a member about a cut.
pub enum MemberKey {
    None,
    Is(String),
    /// The suffix to the list's own key.
    After(&'static str),
}

impl MemberKey {
    fn new(given: Option<String>, default: MemberKey) -> MemberKey {
        match given {
            None => default,
            Some(name) if name.is_empty() => MemberKey::None,
            Some(name) => MemberKey::Is(name),
        }
    }

    /// Whether the name can be this key, for some list.
    fn may_be(&self, key: &str) -> bool {
        match self {
            MemberKey::None => false,
            MemberKey::Is(name) => name == key,
            MemberKey::After(end) => key.ends_with(end),
        }
    }

    /// The key beside a list with that key, if the member is wanted.
    pub fn key_beside(&self, list: &str) -> Option<String> {
        match self {
            MemberKey::None => None,
            MemberKey::Is(name) => Some(name.clone()),
            MemberKey::After(end) => Some(format!("{list}{end}")),
        }
    }
}

/// A wording, and the paths of the values in it.
pub struct Wording {
    pub template: Template,
    pub places: Vec<(String, Paths)>,
}

pub const ARGUMENT: &str = "argument.";
const OWN: [&str; 2] = ["shown", "total"];

impl Wording {
    fn new(text: &str) -> Result<Wording, String> {
        let template = Template::new(text);
        let is_path = |name: &&str| !OWN.contains(name) && !name.starts_with(ARGUMENT);
        let place = |name: &str| Paths::parse([name]).map(|paths| (name.to_owned(), paths));
        let places: Result<Vec<_>, String> = template.names().filter(is_path).map(place).collect();
        Ok(Wording {
            places: places?,
            template,
        })
    }
}

/// Refuses an order that this filter could change, because filtering twice would then differ. These are orders by
/// values of `*`, of which a cap may leave one, and by members that the filter adds.
pub fn check_orders(caps: &[Cap]) -> Result<(), String> {
    let orders = caps.iter().filter_map(|cap| cap.order_by.as_ref());
    for order in orders {
        let Some(keys) = order.keys() else {
            return Err(
                "`caps`: `order-by` has a star: it has to lead to one value, so give keys"
                    .to_owned(),
            );
        };
        let last = keys.last().copied().unwrap_or_default();
        let names = caps
            .iter()
            .flat_map(|cap| [&cap.flag, &cap.total, &cap.note_key]);
        if names.into_iter().any(|name| name.may_be(last)) {
            return Err(format!(
                "`caps`: `order-by` ends with `{last}`, which a cap may add as its own member: order by another member, or set `flag`, `total` or `note-key`"
            ));
        }
    }
    Ok(())
}

impl RawCap {
    /// The paths of the cap.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        let paths = self.path.iter().chain(&self.groups);
        paths.map(String::as_str)
    }

    /// Checks the cap. An error names the mistake, but not the cap.
    pub fn check(self) -> Result<Cap, String> {
        let (key, kind, limit) = self.limit()?;
        let is_root = self.path.as_deref() == Some(ROOT);
        self.check_paths(key, &kind)?;
        self.check_other_keys(key, &kind, is_root)?;
        let is_lines = matches!(kind, CapKind::FirstLines | CapKind::LastLines);
        let is = |name: &str| MemberKey::Is(name.to_owned());
        let (flag, total, note_key) = match kind {
            CapKind::Fair => (is("truncated"), is("total_in_graph"), is("note")),
            CapKind::First | CapKind::Last if !is_root => (
                MemberKey::After("_truncated"),
                MemberKey::None,
                MemberKey::After("_note"),
            ),
            _ => (MemberKey::None, MemberKey::None, MemberKey::None),
        };
        let default_note = match kind {
            CapKind::Fair => "",
            _ => note::fallback(&kind),
        };
        let note = self.note.as_deref().unwrap_or(default_note);
        let mut least = (tamis_sdk::quote(note).len() + 40).max(note::STRING_BYTES);
        if self.whole_lines || is_root {
            least += LINE_BREAKS;
        }
        if kind.is_text() {
            if note.contains(['\n', '\r']) || note.trim().is_empty() {
                return Err(
                    "`note` has to be one line: it is the first or last of the text".to_owned(),
                );
            }
            if matches!(kind, CapKind::Bytes) && (limit as usize) < least {
                return Err(format!(
                    "`bytes` is {limit}, and the last line alone may take {least}: allow more"
                ));
            }
        }
        let wording = (!note.is_empty()).then(|| Wording::new(note)).transpose();
        let wording = wording.map_err(|error| format!("`note`: {error}"))?;
        if (is_lines || is_root)
            && let Some((path, _)) = wording.as_ref().and_then(|it| it.places.first())
        {
            let subject = if is_lines {
                "lines"
            } else {
                "the whole document"
            };
            return Err(format!(
                "`note` has `{{{path}}}`: for {subject} it takes {{shown}}, {{total}} and {{argument.NAME}}"
            ));
        }
        let order_by = self.order_by.as_ref().map(|path| Paths::parse([path]));
        Ok(Cap {
            kind,
            is_root,
            whole_lines: self.whole_lines,
            limit: limit as usize,
            least_bytes: least,
            order_by: order_by
                .transpose()
                .map_err(|error| format!("`order-by`: {error}"))?,
            argument: self.argument,
            flag: MemberKey::new(self.flag, flag),
            total: MemberKey::new(self.total, total),
            note: wording,
            note_key: MemberKey::new(self.note_key, note_key),
        })
    }

    /// The only limit of the cap, with its key.
    fn limit(&self) -> Result<(&'static str, CapKind, u32), String> {
        let limits = [
            ("first", CapKind::First, self.first),
            ("last", CapKind::Last, self.last),
            ("fair", CapKind::Fair, self.fair),
            ("bytes", CapKind::Bytes, self.bytes),
            ("first-lines", CapKind::FirstLines, self.first_lines),
            ("last-lines", CapKind::LastLines, self.last_lines),
        ];
        let mut given = limits
            .into_iter()
            .filter_map(|(key, kind, limit)| limit.map(|limit| (key, kind, limit)));
        match (given.next(), given.next()) {
            (Some(limit), None) => Ok(limit),
            _ => Err(
                "needs exactly one of `first`, `last`, `fair`, `bytes`, `first-lines`, `last-lines`"
                    .to_owned(),
            ),
        }
    }

    /// Checks that a limit for a path has a path, and one for groups has groups.
    fn check_paths(&self, key: &str, kind: &CapKind) -> Result<(), String> {
        let is_fair = matches!(kind, CapKind::Fair);
        if self.groups.iter().any(|path| path == ROOT) {
            return Err(
                "`$` is the whole document, which shares with nothing: give it as `path`, with `first` or `last`"
                    .to_owned(),
            );
        }
        match (&self.path, self.groups.is_empty()) {
            (Some(_), true) if is_fair => {
                Err("`fair` shares out among `groups`: give those instead of `path`".to_owned())
            }
            (None, false) if !is_fair => Err(format!(
                "`groups` share with `fair`: give that instead of `{key}`"
            )),
            (Some(_), false) | (None, true) => Err("needs either `path` or `groups`".to_owned()),
            _ => Ok(()),
        }
    }

    /// Checks that each other key fits this limit.
    fn check_other_keys(&self, key: &str, kind: &CapKind, is_root: bool) -> Result<(), String> {
        let members = [
            ("flag", self.flag.is_some()),
            ("total", self.total.is_some()),
            ("note-key", self.note_key.is_some()),
        ];
        let misplaced = members.iter().find(|(_, given)| *given);
        if kind.is_text() {
            let order = self.order_by.is_some().then_some("order-by");
            if let Some(other) = order.or(misplaced.map(|(member, _)| *member)) {
                return Err(format!(
                    "`{other}` is for lists, and `{key}` for texts: leave one of them out"
                ));
            }
        } else if let Some((member, _)) = misplaced.filter(|_| is_root) {
            return Err(format!(
                "`{member}` is a member beside the list, and a list that is the whole document has none: leave it out, and its last element says what was cut"
            ));
        }
        if self.whole_lines && !matches!(kind, CapKind::Bytes) {
            return Err(format!(
                "`whole-lines` goes with `bytes`, not with `{key}`: leave it out"
            ));
        }
        if matches!(kind, CapKind::Fair) && self.order_by.is_some() {
            return Err("`order-by` goes with `first` and `last`, not with `fair`".to_owned());
        }
        Ok(())
    }
}
