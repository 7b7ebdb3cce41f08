//! What an operator may say, and what of it makes sense together.

use serde::Deserialize;
use tamis_sdk::{Paths, Template};

/// Which lists and strings are capped.
#[derive(Deserialize, Default)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Settings {
    /// The caps, each of one list, of lists that share, or of a string. Where two mean the same
    /// value, the first counts.
    pub caps: Vec<RawCap>,
}

/// One cap: `path` with `first`, `last` or `bytes`, or `groups` with `fair`.
#[derive(Deserialize, Default)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct RawCap {
    /// Path of a list, or with `bytes` of a string: keys with dots between them, from the root, `*`
    /// for any key or element, `**` for any number of levels.
    pub path: Option<String>,
    /// Paths of lists that share one limit.
    pub groups: Vec<String>,
    /// Elements that stay, from the beginning.
    pub first: Option<u32>,
    /// Elements that stay, from the end.
    pub last: Option<u32>,
    /// Elements of all groups together that stay; each group keeps a fair share, from its beginning.
    pub fair: Option<u32>,
    /// Bytes of a string that stay, the line that says so included.
    pub bytes: Option<u32>,
    /// Path, inside an element and without `*`, of what the list is put in order by, ascending, before it is cut:
    /// numbers by size, texts by character, so that timestamps of one form are in time order.
    pub order_by: Option<String>,
    /// The call's argument that overrides the number, if the caller gives it.
    pub argument: Option<String>,
    /// Key of the member, beside the list, that becomes `true`. Default: the list's key and
    /// `_truncated`, or `truncated` for groups. Empty: none.
    pub flag: Option<String>,
    /// Key of the member that becomes the number of elements there were. Default: none, or
    /// `total_in_graph` for groups. A member that is there already stays.
    pub total: Option<String>,
    /// Wording of the note, or of the last line of a string: {shown}, {total}, {argument.name} and
    /// paths, sought beside the list and then from the root. Empty: none.
    pub note: Option<String>,
    /// Key of the note. Default: the list's key and `_note`, or `note` for groups.
    pub note_key: Option<String>,
}

/// What a cap does.
pub enum What {
    First,
    Last,
    Fair,
    Bytes,
}

/// A cap that makes sense.
pub struct Cap {
    pub what: What,
    pub limit: usize,
    /// Of a string, as many bytes always stay: there is room for the last line.
    pub least_bytes: usize,
    pub order_by: Option<Paths>,
    pub argument: Option<String>,
    pub flag: Name,
    pub total: Name,
    pub note: Option<Wording>,
    pub note_key: Name,
}

/// The key of a member that tells of a cut.
pub enum Name {
    None,
    Is(String),
    /// What comes after the list's own key.
    After(&'static str),
}

impl Name {
    fn new(given: Option<String>, default: Name) -> Name {
        match given {
            None => default,
            Some(name) if name.is_empty() => Name::None,
            Some(name) => Name::Is(name),
        }
    }

    /// Whether it is this key, beside a list of any key.
    fn may_be(&self, key: &str) -> bool {
        match self {
            Name::None => false,
            Name::Is(name) => name == key,
            Name::After(end) => key.ends_with(end),
        }
    }

    /// The key beside a list of that key, if there is to be such a member.
    pub fn beside(&self, list: &str) -> Option<String> {
        match self {
            Name::None => None,
            Name::Is(name) => Some(name.clone()),
            Name::After(end) => Some(format!("{list}{end}")),
        }
    }
}

/// Wording, and the places in a document that it takes values from.
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

/// The wording of a list's note, where the operator has none, or where it asks for what is not there.
pub const LIST_NOTE: &str = "{shown} of {total} shown";
/// The same for a string.
pub const STRING_NOTE: &str = "[truncated: {shown} of {total} bytes]";
/// The most that it takes, with numbers of ten digits and quotes.
const STRING_NOTE_BYTES: usize = STRING_NOTE.len() - "{shown}{total}".len() + 2 * 10 + 2;

/// Refuses an order that this filter would change itself, so that filtering twice would differ: by what `*`
/// finds, of which a cap may leave one, and by members that it adds.
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
    /// The paths that it is about.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        let paths = self.path.iter().chain(&self.groups);
        paths.map(String::as_str)
    }

    /// An error says what is wrong, but not with which cap.
    pub fn check(self) -> Result<Cap, String> {
        let limits = [
            ("first", What::First, self.first),
            ("last", What::Last, self.last),
            ("fair", What::Fair, self.fair),
            ("bytes", What::Bytes, self.bytes),
        ];
        let mut given = limits
            .into_iter()
            .filter_map(|(key, what, limit)| limit.map(|limit| (key, what, limit)));
        let (Some((key, what, limit)), None) = (given.next(), given.next()) else {
            return Err("needs exactly one of `first`, `last`, `fair`, `bytes`".to_owned());
        };
        let is_fair = matches!(what, What::Fair);
        let is_bytes = matches!(what, What::Bytes);
        match (&self.path, self.groups.is_empty()) {
            (Some(_), true) if is_fair => {
                return Err(
                    "`fair` shares out among `groups`: give those instead of `path`".to_owned(),
                );
            }
            (None, false) if !is_fair => {
                return Err(format!(
                    "`groups` share with `fair`: give that instead of `{key}`"
                ));
            }
            (Some(_), false) | (None, true) => {
                return Err("needs either `path` or `groups`".to_owned());
            }
            _ => {}
        }
        let misplaced = [
            ("order-by", self.order_by.is_some()),
            ("flag", self.flag.is_some()),
            ("total", self.total.is_some()),
            ("note-key", self.note_key.is_some()),
        ];
        if let Some((key, _)) = misplaced.iter().find(|(_, given)| is_bytes && *given) {
            return Err(format!(
                "`{key}` is for lists, and `bytes` for strings: leave one of them out"
            ));
        }
        if is_fair && self.order_by.is_some() {
            return Err("`order-by` goes with `first` and `last`, not with `fair`".to_owned());
        }
        let (flag, total, note, note_key) = if is_fair {
            let is = |name: &str| Name::Is(name.to_owned());
            (is("truncated"), is("total_in_graph"), "", is("note"))
        } else if is_bytes {
            (Name::None, Name::None, STRING_NOTE, Name::None)
        } else {
            (
                Name::After("_truncated"),
                Name::None,
                LIST_NOTE,
                Name::After("_note"),
            )
        };
        let note = self.note.as_deref().unwrap_or(note);
        let least = (tamis_sdk::quote(note).len() + 40).max(STRING_NOTE_BYTES);
        if is_bytes {
            if note.contains('\n') || note.trim().is_empty() {
                return Err("`note` has to be one line: it is the last of the string".to_owned());
            }
            if (limit as usize) < least {
                return Err(format!(
                    "`bytes` is {limit}, and the last line alone may take {least}: allow more"
                ));
            }
        }
        let wording = (!note.is_empty()).then(|| Wording::new(note));
        let order_by = self.order_by.as_ref().map(|path| Paths::parse([path]));
        Ok(Cap {
            what,
            limit: limit as usize,
            least_bytes: least,
            order_by: order_by
                .transpose()
                .map_err(|error| format!("`order-by`: {error}"))?,
            argument: self.argument,
            flag: Name::new(self.flag, flag),
            total: Name::new(self.total, total),
            note: wording
                .transpose()
                .map_err(|error| format!("`note`: {error}"))?,
            note_key: Name::new(self.note_key, note_key),
        })
    }
}
