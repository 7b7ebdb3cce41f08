//! The tables of a document: each list of records, each map of records, and the members outside of them.
//!
//! Owns which values are rows, the names of tables and columns, and the cells of a row. Refuses to know how a
//! database stores them.
//!
//! ```text
//! {"total":2,"items":[{"id":1,"owner":{"login":"a"},"tags":["x"],"notes":[{"by":"b"}]}]}
//!
//! document  total
//! items     _row | id | owner.login | tags | notes        tags, notes: as JSON
//! notes     _row | _parent | by                           _parent: the _row of its item
//! ```

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use super::super::recognised;
use super::super::view::DocumentView;
use crate::document::{Node, NodeKind, Tape};

/// Most tables of a document; later ones are left out.
pub(super) const MOST_TABLES: usize = 64;
/// Most columns of a table; later ones are left out, and the row's own JSON has them.
pub(super) const MOST_COLUMNS: usize = 400;
/// Most rows of all tables together: a document of more is refused.
pub(super) const MOST_ROWS: usize = 2_000_000;
/// Deepest nesting of objects whose members are columns, and of lists that are tables.
const MOST_LEVELS: usize = 12;
/// An object with at least this many members is a map, if all of them are objects.
const LEAST_ENTRIES: usize = 4;
/// Most different paths of records in rows that are compared with those of lists.
const MOST_RECORDS: usize = 10_000;
/// Strings of at least this length are read as documents of their own, in bytes.
const LEAST_INNER_BYTES: u32 = 64;

/// The table of the members outside of all lists.
pub(super) const DOCUMENT: &str = "document";
/// The table of a document that is a list.
pub(super) const ROWS: &str = "rows";

/// The index of a row in its list, from 0.
pub(super) const ROW: &str = "_row";
/// The `_row` of the row that contains a list.
pub(super) const PARENT: &str = "_parent";
/// The key of an entry of a map.
const KEY: &str = "key";
/// A row that is not an object.
const VALUE: &str = "value";

/// A table, and the positions of its rows.
pub(super) struct Table {
    /// Its name in a query.
    pub(super) name: String,
    /// The path of the list, as a model writes it: `$.items[*].notes`.
    pub(super) path: String,
    pub(super) kind: TableKind,
    /// Read from all rows when they are asked for.
    columns: OnceCell<Columns>,
    pub(super) rows: Vec<Row>,
    /// The names of columns, if the rows are lists and the first of them has the names.
    header: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TableKind {
    /// One list or map.
    Outer,
    /// The lists in rows of another table.
    Inner,
    /// The scalars outside of all lists: one row.
    Document,
}

pub(super) struct Row {
    node: u32,
    /// The key of an entry of a map.
    key: Option<u32>,
    /// The index of its row in the outer table.
    pub(super) parent: u64,
}

/// A cell of a row.
pub(super) enum Cell<'v> {
    /// A scalar, or a list or map as JSON.
    Node(Node),
    /// An object whose members are columns: a cell only where other rows have a value in its place.
    Record(Node),
    /// The key of an entry.
    Key(Cow<'v, str>),
}

/// The tables of a document, in the order in which they begin.
#[derive(Default)]
pub(super) struct Tables {
    pub(super) all: Vec<Table>,
    /// The document has more than [`MOST_ROWS`]: no count would be right.
    pub(super) has_too_many_rows: bool,
}

pub(super) fn of(view: &DocumentView<'_>) -> Tables {
    let (Some(tape), Some(root)) = (view.tape(), view.root()) else {
        return Tables::default();
    };
    let find = |singles| {
        let mut finder = Finder {
            view,
            tape,
            tables: Vec::new(),
            places: HashMap::new(),
            names: HashSet::new(),
            rows: 0,
            records: HashSet::new(),
            singles,
        };
        match root.kind {
            NodeKind::Array => finder.list(root, "$", None, 0),
            NodeKind::Object if finder.is_map(root) => finder.map(root, "$", None, 0),
            _ => {
                finder.inside(root, "$", None, 0);
                finder.document(root);
            }
        }
        finder
    };
    let mut finder = find(HashSet::new());
    // As XML is read, a child of which a row has one is a record, and a list elsewhere.
    let singles = std::mem::take(&mut finder.records);
    let singles: HashSet<String> = singles
        .into_iter()
        .filter(|path| finder.places.contains_key(path))
        .collect();
    if !singles.is_empty() {
        finder = find(singles);
    }
    Tables {
        has_too_many_rows: finder.rows > MOST_ROWS,
        all: finder.tables,
    }
}

impl Table {
    pub(super) fn columns(&self, view: &DocumentView<'_>) -> &Columns {
        self.columns.get_or_init(|| {
            let mut columns = Columns::default();
            if let Some(tape) = view.tape() {
                for row in &self.rows {
                    cells(view, tape, self, row, &mut |name, cell| {
                        if !matches!(cell, Cell::Record(_)) {
                            columns.add(name);
                        }
                    });
                }
            }
            columns
        })
    }
}

/// Columns of a table, without `_row` and `_parent`.
#[derive(Default)]
pub(super) struct Columns {
    /// Their names in a query.
    pub(super) names: Vec<String>,
    /// Their positions, by the names in the document.
    places: HashMap<String, usize>,
}

impl Columns {
    /// SQL does not tell upper from lower case: of names that are equal but for that, the later ones get a number.
    fn add(&mut self, name: &str) {
        if self.places.contains_key(name) || self.names.len() >= MOST_COLUMNS {
            return;
        }
        let is_taken = |wanted: &str| {
            let mut all = self.names.iter().map(String::as_str).chain([ROW, PARENT]);
            all.any(|name| name.eq_ignore_ascii_case(wanted))
        };
        let mut own = without_control(name);
        let plain = own.clone();
        let mut number = 2;
        while is_taken(&own) {
            own = format!("{plain}_{number}");
            number += 1;
        }
        self.places.insert(name.to_owned(), self.names.len());
        self.names.push(own);
    }

    pub(super) fn place(&self, name: &str) -> Option<usize> {
        self.places.get(name).copied()
    }

    /// Members, and their columns, whose names differ: the name is taken, by one that differs in case alone or by `_row`.
    pub(super) fn renamed(&self) -> impl Iterator<Item = (&str, &str)> {
        let all = self
            .places
            .iter()
            .map(|(member, place)| (&**member, &*self.names[*place]));
        let mut renamed: Vec<_> = all
            .filter(|(member, column)| *column != without_control(member))
            .collect();
        renamed.sort_unstable();
        renamed.into_iter()
    }
}

/// The cells of a row, with the names of their columns.
pub(super) fn cells<'v>(
    view: &'v DocumentView<'_>,
    tape: &Tape,
    table: &Table,
    row: &Row,
    take: &mut dyn FnMut(&str, Cell<'v>),
) {
    if let Some(key) = row.key {
        take(KEY, Cell::Key(view.string(tape.node(key))));
    }
    let node = tape.node(row.node);
    match node.kind {
        NodeKind::Object if table.kind == TableKind::Document => {
            let mut scalars = |name: &str, cell: Cell<'v>| {
                let Cell::Node(value) = &cell else { return };
                if !matches!(value.kind, NodeKind::Array | NodeKind::Object) {
                    take(name, cell);
                }
            };
            members(view, tape, node, &mut String::new(), 0, &mut scalars);
        }
        NodeKind::Object => members(view, tape, node, &mut String::new(), 0, take),
        NodeKind::Array => {
            for (place, element) in tape.elements(node).take(MOST_COLUMNS).enumerate() {
                match table.header.get(place) {
                    Some(name) => take(name, Cell::Node(element)),
                    None => take(&format!("{VALUE}{place}"), Cell::Node(element)),
                }
            }
        }
        _ => take(VALUE, Cell::Node(node)),
    }
}

/// The members of an object as columns; objects inside it have columns `outer.inner`.
fn members<'v>(
    view: &'v DocumentView<'_>,
    tape: &Tape,
    object: Node,
    name: &mut String,
    level: usize,
    take: &mut dyn FnMut(&str, Cell<'v>),
) {
    let outer = name.len();
    for (key, value) in tape.members(object) {
        if outer > 0 {
            name.push('.');
        }
        name.push_str(&view.string(key));
        let is_record = value.kind == NodeKind::Object && value.children > 0;
        if is_record && level < MOST_LEVELS && !is_map(tape, value) {
            take(name, Cell::Record(value));
            members(view, tape, value, name, level + 1, take);
        } else {
            take(name, Cell::Node(value));
        }
        name.truncate(outer);
    }
}

/// Whether an object's members are entries: many, and all of them objects.
fn is_map(tape: &Tape, object: Node) -> bool {
    object.children as usize >= LEAST_ENTRIES
        && tape
            .members(object)
            .all(|(_, value)| value.kind == NodeKind::Object)
}

struct Finder<'v> {
    view: &'v DocumentView<'v>,
    tape: &'v Tape,
    tables: Vec<Table>,
    /// The index of the table of each path.
    places: HashMap<String, usize>,
    /// Names that are taken, in lower case.
    names: HashSet<String>,
    rows: usize,
    /// The paths of records in rows.
    records: HashSet<String>,
    /// Those of them where other rows have lists: a record is a row of the same table.
    singles: HashSet<String>,
}

impl Finder<'_> {
    fn is_map(&self, object: Node) -> bool {
        is_map(self.tape, object)
    }

    /// The table of a path, made if it is new; none if the document has too many.
    fn table(&mut self, path: &str, kind: TableKind) -> Option<usize> {
        if let Some(&place) = self.places.get(path) {
            return Some(place);
        }
        if self.tables.len() >= MOST_TABLES {
            return None;
        }
        // The path of a part of the document ends in the part's name.
        let own = format!("{}{}", self.view.within, path.trim_start_matches('$'));
        let own = own.replace("[*]", "");
        let short = own.rsplit('.').next().unwrap_or_default();
        let short = short.trim_start_matches('$');
        let long = path.replace("[*]", "");
        let long = long.trim_start_matches(['$', '.']);
        let wanted = match short {
            "" => ROWS.to_owned(),
            // SQLite reserves these names.
            short if short.to_ascii_lowercase().starts_with("sqlite_") => format!("_{short}"),
            short => without_control(short),
        };
        let mut name = wanted.clone();
        let is_free = |name: &str, names: &HashSet<String>| {
            let name = name.to_ascii_lowercase();
            !matches!(name.as_str(), DOCUMENT | super::TABLES | super::LINES)
                && !names.contains(&name)
                && !name.starts_with("sqlite_")
        };
        if !is_free(&name, &self.names) && !long.is_empty() {
            name = without_control(long);
        }
        let mut number = 2;
        while !is_free(&name, &self.names) {
            name = format!("{wanted}_{number}");
            number += 1;
        }
        self.names.insert(name.to_ascii_lowercase());
        self.places.insert(path.to_owned(), self.tables.len());
        self.tables.push(Table {
            name,
            path: path.to_owned(),
            kind,
            columns: OnceCell::new(),
            rows: Vec::new(),
            header: Vec::new(),
        });
        Some(self.tables.len() - 1)
    }

    fn push(&mut self, table: usize, node: Node, key: Option<Node>, parent: Option<u64>) -> bool {
        self.rows += 1;
        if self.rows > MOST_ROWS {
            return false;
        }
        self.tables[table].rows.push(Row {
            node: node.index,
            key: key.map(|key| key.index),
            parent: parent.unwrap_or_default(),
        });
        true
    }

    /// The elements of a list, as rows. `parent`: the row that it stands in.
    fn list(&mut self, array: Node, path: &str, parent: Option<u64>, level: usize) {
        // A row has a cell for a list of scalars.
        let holds_records = |node: Node| matches!(node.kind, NodeKind::Object | NodeKind::Array);
        if parent.is_some() && !self.tape.elements(array).any(holds_records) {
            return;
        }
        let Some(table) = self.table(path, kind(parent)) else {
            return;
        };
        let inner = format!("{path}[*]");
        let mut elements = self.tape.elements(array);
        if parent.is_none()
            && let Some(header) = self.header(array)
        {
            self.tables[table].header = header;
            elements.next();
        }
        for element in elements {
            let place = self.tables[table].rows.len() as u64;
            if !self.push(table, element, None, parent) {
                return;
            }
            if element.kind == NodeKind::Object {
                self.inside(element, &inner, Some(place), level + 1);
            }
        }
    }

    /// A record, as the only row of a list.
    fn single(&mut self, record: Node, path: &str, parent: Option<u64>, level: usize) {
        let Some(table) = self.table(path, kind(parent)) else {
            return;
        };
        let place = self.tables[table].rows.len() as u64;
        if self.push(table, record, None, parent) {
            self.inside(record, &format!("{path}[*]"), Some(place), level + 1);
        }
    }

    /// Takes the names of a list's columns from another list in the same object:
    /// `{"columns":["id","name"],"rows":[[1,"ann"]]}`.
    fn name_columns(&mut self, object: Node, array: Node, path: &str) {
        const KEYS: [&str; 6] = [
            "columns",
            "column_names",
            "fields",
            "header",
            "headers",
            "names",
        ];
        let first = self.tape.elements(array).next();
        let Some(first) = first.filter(|first| first.kind == NodeKind::Array) else {
            return;
        };
        let Some(&table) = self.places.get(path) else {
            return;
        };
        let name = |node: Node| match node.kind {
            NodeKind::String => Some(self.view.string(node).into_owned()),
            NodeKind::Object => {
                let mut members = self.tape.members(node);
                let (_, name) = members.find(|(key, _)| self.view.string(*key) == "name")?;
                (name.kind == NodeKind::String).then(|| self.view.string(name).into_owned())
            }
            _ => None,
        };
        let beside = self.tape.members(object).find(|(key, value)| {
            let key = self.view.string(*key).to_ascii_lowercase();
            value.kind == NodeKind::Array
                && value.children == first.children
                && KEYS.contains(&key.as_str())
        });
        let names = beside.and_then(|(_, list)| {
            let names = self.tape.elements(list).map(name);
            names.collect::<Option<Vec<String>>>()
        });
        if let Some(names) = names
            && self.tables[table].header.is_empty()
        {
            self.tables[table].header = names;
        }
    }

    /// The first of rows that are lists, if it contains the names of the columns.
    fn header(&self, array: Node) -> Option<Vec<String>> {
        let first = self.tape.elements(array).next()?;
        let is_list = first.kind == NodeKind::Array && first.children > 0;
        let is_sure = || tamis_formats::rows_of_arrays(self.view.spelling(array)).is_some();
        (is_list && is_sure()).then(|| {
            let names = self.tape.elements(first);
            names
                .map(|name| self.view.string(name).into_owned())
                .collect()
        })
    }

    fn map(&mut self, object: Node, path: &str, parent: Option<u64>, level: usize) {
        let Some(table) = self.table(path, kind(parent)) else {
            return;
        };
        let inner = format!("{path}.*");
        for (key, value) in self.tape.members(object) {
            let place = self.tables[table].rows.len() as u64;
            if !self.push(table, value, Some(key), parent) {
                return;
            }
            self.inside(value, &inner, Some(place), level + 1);
        }
    }

    /// The lists and maps inside an object.
    fn inside(&mut self, object: Node, path: &str, row: Option<u64>, level: usize) {
        if level > MOST_LEVELS {
            return;
        }
        for (key, value) in self.tape.members(object) {
            if value.children == 0 {
                continue;
            }
            let name = self.view.string(key);
            let path = format!("{path}.{name}");
            match value.kind {
                NodeKind::Array => {
                    self.list(value, &path, row, level);
                    if row.is_none() {
                        self.name_columns(object, value, &path);
                    }
                }
                NodeKind::Object if row.is_some() && self.singles.contains(&path) => {
                    self.single(value, &path, row, level);
                }
                NodeKind::Object if self.is_map(value) => self.map(value, &path, row, level),
                NodeKind::Object => {
                    self.inside(value, &path, row, level + 1);
                    if row.is_some() && self.records.len() < MOST_RECORDS {
                        self.records.insert(path);
                    }
                }
                _ => {}
            }
        }
    }

    /// The members of the document that are in no list.
    fn document(&mut self, root: Node) {
        if root.kind == NodeKind::Object && self.tables.len() < MOST_TABLES {
            self.tables.push(Table {
                name: DOCUMENT.to_owned(),
                path: "$".to_owned(),
                kind: TableKind::Document,
                columns: OnceCell::new(),
                rows: vec![Row {
                    node: root.index,
                    key: None,
                    parent: 0,
                }],
                header: Vec::new(),
            });
        }
    }
}

/// A name without characters that SQLite takes for its end.
fn without_control(name: &str) -> String {
    name.replace(char::is_control, " ")
}

fn kind(parent: Option<u64>) -> TableKind {
    match parent {
        Some(_) => TableKind::Inner,
        None => TableKind::Outer,
    }
}

/// The JSON in the only long string of a document, if the string is the document's main content.
pub(super) fn inner(view: &DocumentView<'_>) -> Option<DocumentView<'static>> {
    let (tape, root) = (view.tape()?, view.root()?);
    // A list of one text block, as the output of a tool.
    let blocks = tamis_formats::unwrap_blocks(view.text());
    if let Some([block]) = blocks.as_deref() {
        let block = DocumentView::of_text(Cow::Owned(block.clone()), view.part.clone());
        return match block.tape() {
            Some(_) => Some(block),
            None => recognised::view_of(&block),
        };
    }
    let mut strings = tape
        .members(root)
        .filter(|(_, value)| {
            value.kind == NodeKind::String && value.end - value.start >= LEAST_INNER_BYTES
        })
        .filter_map(|(_, value)| view.unwrap_string(value));
    let only = strings.next()?;
    strings.next().is_none().then_some(only)
}
