//! The conversion of one value: from nodes to a text, and from the text to a row.
//!
//! Every reader of rows must know the rules for a cell. Backslash, newline, carriage return and pipe are written `\\`,
//! `\n`, `\r` and `\|`. Missing, null and the empty string are all the empty cell. A list or an object is compact JSON.

use std::borrow::Cow;
use std::collections::BTreeMap;
use tamis_sdk::{Document, Node, NodeKind};

use super::path::{At, Path, Unfit, Walk};
use super::settings;

/// A checked [`settings::Field`].
pub struct Field {
    /// Its name in the output.
    pub name: String,
    from: Vec<Path>,
    join: Option<String>,
    values: BTreeMap<String, String>,
    relative: bool,
    /// The field may be missing everywhere.
    pub optional: bool,
    value: Option<String>,
    /// Index of the lowest level of detail that shows the field.
    pub detail: usize,
    /// Its meaning, in a few words.
    pub about: String,
}

/// The value of a field at one place of a document.
pub enum Cell<'d> {
    /// The document has none of the field's sources.
    Missing,
    /// The value is null.
    Null,
    /// A text.
    Text(Cow<'d, str>),
    /// A number, a boolean, a list or an object, as compact JSON.
    Json(Cow<'d, str>),
}

impl Cell<'_> {
    /// The text of the cell in a row.
    pub fn text(&self) -> &str {
        match self {
            Cell::Missing | Cell::Null => "",
            Cell::Text(text) | Cell::Json(text) => text,
        }
    }
}

impl Field {
    /// Checks a field; `levels` are the levels of detail.
    pub fn new(field: settings::Field, levels: &[String]) -> Result<Field, String> {
        let name = field.name;
        if name.is_empty() || name.contains(['|', '\\', '\n', '\r']) {
            return Err(format!(
                "`name` is {name:?}: a name is not empty and holds no pipe, backslash or line break"
            ));
        }
        if field.value.is_some() && !field.from.list().is_empty() {
            return Err(format!(
                "`{name}` has `value` and `from`: it can have one of them"
            ));
        }
        let mut from = Vec::new();
        for path in field.from.list() {
            from.push(Path::parse(path).map_err(|error| format!("`from` of `{name}`: {error}"))?);
        }
        if from.is_empty() && field.value.is_none() {
            // A name is one key, even with dots.
            let key = name.replace('\\', "\\\\").replace('.', "\\.");
            from.push(Path::parse(&key)?);
        }
        let detail = match field.detail {
            None => 0,
            Some(level) => levels.iter().position(|it| *it == level).ok_or_else(|| {
                format!("`detail` of `{name}` is {level:?}: `detail.levels` has {levels:?}")
            })?,
        };
        let said = from.first().and_then(Path::last_key);
        let about = field
            .about
            .unwrap_or_else(|| said.unwrap_or(&name).to_owned());
        Ok(Field {
            name,
            from,
            join: field.join,
            values: field.values,
            relative: field.relative,
            optional: field.optional,
            value: field.value,
            detail,
            about,
        })
    }

    /// Whether the value is the same in every document.
    pub fn is_fixed(&self) -> bool {
        self.value.is_some()
    }

    /// The value, seen from a place.
    pub fn cell<'d>(&self, walk: &Walk<'d>, at: At, roots: &[String]) -> Result<Cell<'d>, Unfit> {
        if let Some(value) = &self.value {
            return Ok(Cell::Text(Cow::Owned(value.clone())));
        }
        let found = match &self.join {
            None => self.first(walk, at)?,
            Some(separator) => self.joined(walk, at, separator)?,
        };
        let found = match self.values.get(found.text()) {
            Some(other) => Cell::Text(Cow::Owned(other.clone())),
            None => found,
        };
        Ok(match found {
            Cell::Text(text) if self.relative => Cell::Text(relative(text, roots)),
            other => other,
        })
    }

    fn first<'d>(&self, walk: &Walk<'d>, at: At) -> Result<Cell<'d>, Unfit> {
        let mut null = false;
        for path in &self.from {
            let mut value = None;
            walk.values(at, path, &mut |node| {
                null = true;
                value = (node.kind() != NodeKind::Null).then_some(node);
                value.is_none()
            })?;
            if let Some(node) = value {
                return cell_of(walk.document(), node);
            }
        }
        Ok(if null { Cell::Null } else { Cell::Missing })
    }

    fn joined<'d>(&self, walk: &Walk<'d>, at: At, separator: &str) -> Result<Cell<'d>, Unfit> {
        let mut nodes = Vec::new();
        for path in &self.from {
            walk.values(at, path, &mut |node| {
                nodes.push(node);
                true
            })?;
        }
        if nodes.is_empty() {
            return Ok(Cell::Missing);
        }
        let mut all = String::new();
        for node in nodes {
            let cell = cell_of(walk.document(), node)?;
            if !all.is_empty() && !cell.text().is_empty() {
                all.push_str(separator);
            }
            all.push_str(cell.text());
        }
        Ok(if all.is_empty() {
            Cell::Null
        } else {
            Cell::Text(Cow::Owned(all))
        })
    }
}

/// A node's value. A string that is not Unicode has no text, so it is unfit.
pub fn cell_of<'d>(document: &'d Document, node: Node<'d>) -> Result<Cell<'d>, Unfit> {
    Ok(match node.kind() {
        NodeKind::Null => Cell::Null,
        NodeKind::String | NodeKind::Key => Cell::Text(document.string(node).ok_or(Unfit)?),
        NodeKind::Array | NodeKind::Object => {
            let mut json = String::new();
            push_compact(document, node, &mut json);
            Cell::Json(Cow::Owned(json))
        }
        NodeKind::Number | NodeKind::True | NodeKind::False => Cell::Json(document.raw(node)),
    })
}

/// Writes the JSON of a node without whitespace; its tokens stay as they are spelled.
fn push_compact(document: &Document, node: Node<'_>, out: &mut String) {
    match node.kind() {
        NodeKind::Array => {
            out.push('[');
            for (place, element) in node.elements().enumerate() {
                if place > 0 {
                    out.push(',');
                }
                push_compact(document, element, out);
            }
            out.push(']');
        }
        NodeKind::Object => {
            out.push('{');
            for (place, (key, value)) in node.members().enumerate() {
                if place > 0 {
                    out.push(',');
                }
                out.push_str(&document.raw(key));
                out.push(':');
                push_compact(document, value, out);
            }
            out.push('}');
        }
        _ => out.push_str(&document.raw(node)),
    }
}

/// A path relative to the first of these directories that contains it.
pub fn relative<'d>(path: Cow<'d, str>, roots: &[String]) -> Cow<'d, str> {
    let inside = |root: &String| {
        let rest = path.strip_prefix(root.trim_end_matches(['/', '\\']))?;
        let rest = rest.strip_prefix(['/', '\\'])?;
        (!rest.is_empty()).then_some(rest)
    };
    let roots = roots.iter().filter(|root| !root.is_empty());
    let rest = roots.filter_map(inside).next();
    match rest.or_else(|| path.strip_prefix("./")) {
        Some(rest) if !rest.is_empty() => Cow::Owned(rest.to_owned()),
        _ => path,
    }
}

/// Writes a cell's text into a row.
pub fn push_escaped(row: &mut String, text: &str) {
    let mut written = 0;
    for (at, byte) in text.bytes().enumerate() {
        let escape = match byte {
            b'\\' => "\\\\",
            b'\n' => "\\n",
            b'\r' => "\\r",
            b'|' => "\\|",
            _ => continue,
        };
        row.push_str(&text[written..at]);
        row.push_str(escape);
        written = at + 1;
    }
    row.push_str(&text[written..]);
}
