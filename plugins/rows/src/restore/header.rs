//! The header of a table: its columns, regrouped as objects.

use super::json_end;
use super::rows::push_plain;
use crate::tables::cells::is_bare_name;

/// Most levels of a header: more than the encoder nests.
const DEEPEST: usize = 32;

/// A table's columns.
pub(super) struct Header {
    /// The table is a map: rows begin with their key.
    pub(super) keyed: bool,
    pub(super) rows: Group,
    /// The columns that have cells in rows.
    pub(super) cells: Vec<Column>,
    /// The columns of child rows.
    pub(super) child: Option<Box<Header>>,
    /// A row without child rows has no list, rather than an empty one.
    pub(super) absent_is_missing: bool,
}

/// The notation of the cells in a column.
#[derive(Default)]
pub(super) struct Column {
    pub(super) form: Form,
    /// An empty cell repeats the cell above.
    pub(super) ditto: bool,
    pub(super) prefix: String,
}

#[derive(Default)]
pub(super) enum Form {
    #[default]
    Plain,
    Strings,
    Scalars,
    List(Box<Header>),
}

/// An object, or an array of one length, that was split into columns.
#[derive(Default)]
pub(super) struct Group {
    /// Names as JSON has them, with quotes; digits for an array.
    pub(super) parts: Vec<(String, Part)>,
    pub(super) is_array: bool,
    /// The header stands for the rows' values themselves.
    pub(super) is_row: bool,
}

pub(super) enum Part {
    /// A cell, by its index in [`Header::cells`].
    Cell(usize),
    /// The same value in all rows, as JSON.
    Constant(String),
    Group(Group),
    /// The child rows.
    Child,
}

impl Group {
    /// The first cell inside, and the number of tildes in it that mark another value for the whole group.
    pub(super) fn first_cell(&self, cells: &[Column]) -> Option<(usize, usize)> {
        self.parts.iter().find_map(|(_, part)| match part {
            Part::Cell(index) => {
                let list = matches!(cells[*index].form, Form::Scalars | Form::List(_));
                Some((*index, 1 + usize::from(list)))
            }
            Part::Group(group) => {
                let (index, up) = group.first_cell(cells)?;
                Some((index, up + 1))
            }
            Part::Constant(_) | Part::Child => None,
        })
    }
}

/// One column as the header spells it.
struct Field<'t> {
    path: Vec<Name<'t>>,
    below: bool,
    absent_is_missing: bool,
    list: Option<List>,
    strings: bool,
    ditto: bool,
    prefix: &'t str,
    constant: Option<&'t str>,
}

enum Name<'t> {
    Bare(&'t str),
    /// With its quotes.
    Quoted(&'t str),
    Index(&'t str),
}

impl Name<'_> {
    fn to_json(&self) -> String {
        match self {
            Name::Bare(name) => format!("\"{name}\""),
            Name::Quoted(name) | Name::Index(name) => (*name).to_owned(),
        }
    }
}

enum List {
    Scalars,
    Columns(Box<Header>),
}

impl Header {
    /// Parses a header line. None if the line is no header.
    pub(super) fn parse(line: &str) -> Option<Header> {
        let mut parser = Parser { line, at: 0 };
        let header = parser.header(false, 0)?;
        (parser.at == line.len()).then_some(header)
    }

    fn empty() -> Header {
        Header {
            keyed: false,
            rows: Group::default(),
            cells: Vec::new(),
            child: None,
            absent_is_missing: false,
        }
    }

    fn add(&mut self, field: Field<'_>) -> Option<()> {
        let part = if let Some(constant) = field.constant {
            let mut json = String::new();
            push_plain(&mut json, constant, field.strings, "");
            Part::Constant(json)
        } else if field.below {
            let Some(List::Columns(header)) = field.list else {
                return None;
            };
            self.child = Some(header);
            self.absent_is_missing = field.absent_is_missing;
            Part::Child
        } else {
            self.cells.push(Column {
                form: match field.list {
                    Some(List::Scalars) => Form::Scalars,
                    Some(List::Columns(header)) => Form::List(header),
                    None if field.strings || !field.prefix.is_empty() => Form::Strings,
                    None => Form::Plain,
                },
                ditto: field.ditto,
                prefix: field.prefix.to_owned(),
            });
            Part::Cell(self.cells.len() - 1)
        };
        let mut group = &mut self.rows;
        let Some((last, above)) = field.path.split_last() else {
            group.is_row = true;
            group.parts.push((String::new(), part));
            return Some(());
        };
        for name in above {
            let json = name.to_json();
            group.is_array = matches!(name, Name::Index(_));
            let open = matches!(group.parts.last(), Some((last, Part::Group(_))) if *last == json);
            if !open {
                group.parts.push((json, Part::Group(Group::default())));
            }
            let Some((_, Part::Group(inner))) = group.parts.last_mut() else {
                return None;
            };
            group = inner;
        }
        group.is_array = matches!(last, Name::Index(_));
        group.parts.push((last.to_json(), part));
        Some(())
    }
}

struct Parser<'t> {
    line: &'t str,
    at: usize,
}

impl<'t> Parser<'t> {
    fn take(&mut self, byte: u8) -> bool {
        let is_it = self.line.as_bytes().get(self.at) == Some(&byte);
        self.at += usize::from(is_it);
        is_it
    }

    /// Reads columns, up to the end of the line or of the brackets.
    fn header(&mut self, inner: bool, depth: usize) -> Option<Header> {
        if depth > DEEPEST {
            return None;
        }
        let mut header = Header::empty();
        let separator = if inner { b',' } else { b'\t' };
        if !inner && self.take(b'*') {
            header.keyed = true;
            if self.at == self.line.len() {
                return Some(header);
            }
            if !self.take(separator) {
                return None;
            }
        }
        loop {
            let field = self.field(inner, depth)?;
            header.add(field)?;
            if !self.take(separator) {
                return Some(header);
            }
        }
    }

    fn field(&mut self, inner: bool, depth: usize) -> Option<Field<'t>> {
        let below = self.take(b'>');
        let mut path = Vec::new();
        if !self.take(b'.') {
            path.push(self.name()?);
            while self.take(b'.') {
                path.push(self.name()?);
            }
        }
        let absent_is_missing = below && self.take(b'~');
        let list = if !self.take(b'[') {
            None
        } else if self.take(b']') {
            Some(List::Scalars)
        } else {
            let header = self.header(true, depth + 1)?;
            if !self.take(b']') {
                return None;
            }
            Some(List::Columns(Box::new(header)))
        };
        let strings = self.take(b':') && self.take(b's');
        let ditto = self.take(b'"');
        let prefix = if self.take(b'^') {
            self.text(inner)
        } else {
            ""
        };
        let constant = self.take(b'=').then(|| self.text(inner));
        Some(Field {
            path,
            below,
            absent_is_missing,
            list,
            strings,
            ditto,
            prefix,
            constant,
        })
    }

    fn name(&mut self) -> Option<Name<'t>> {
        let rest = &self.line[self.at..];
        if rest.starts_with('"') {
            let end = json_end(self.line.as_bytes(), self.at);
            let name = self.line.get(self.at..end)?;
            self.at = end;
            return Some(Name::Quoted(name));
        }
        let end = rest
            .find(['\t', '.', '=', ':', '[', ']', ',', '"', '^', '~'])
            .unwrap_or(rest.len());
        let name = &rest[..end];
        self.at += end;
        if !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit()) {
            return Some(Name::Index(name));
        }
        is_bare_name(name).then_some(Name::Bare(name))
    }

    /// Reads a prefix or a constant.
    fn text(&mut self, inner: bool) -> &'t str {
        let rest = &self.line[self.at..];
        let end = if !inner {
            rest.find('\t').unwrap_or(rest.len())
        } else if rest.starts_with(['"', '[', '{']) {
            json_end(rest.as_bytes(), 0)
        } else {
            rest.find([',', ']']).unwrap_or(rest.len())
        };
        self.at += end;
        &rest[..end]
    }
}
