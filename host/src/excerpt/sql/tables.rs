//! The tables of a document: each list of records, each map of records, and the members outside of them.
//!
//! Owns the columns and the cells of a row. Refuses to know where tables are in a document, and how a database stores
//! them.
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
use std::collections::HashMap;

use super::super::recognised;
use super::super::view::DocumentView;
use super::names::bracketed;
use crate::document::{Node, NodeKind, Tape};

/// Most tables of a document; later ones are left out.
pub(super) const MOST_TABLES: usize = 64;
/// Most columns of a table; later ones are left out, and the row's own JSON has them.
pub(super) const MOST_COLUMNS: usize = 400;
/// Most rows of all tables together: a document of more is refused.
pub(super) const MOST_ROWS: usize = 2_000_000;
/// Deepest nesting of objects whose members are columns, and of lists that are tables.
pub(super) const MOST_LEVELS: usize = 12;
/// An object with at least this many members is a map, if all of them are objects.
pub(super) const LEAST_ENTRIES: usize = 4;
/// A table with this many columns gets none of the members of maps.
const MOST_ENTRY_COLUMNS: usize = MOST_COLUMNS / 2;
/// Between the keys of a column until it has its name: a key may contain a dot.
pub(super) const STEP: char = '\u{fdd0}';
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
/// The same, if entries have a member of that name.
const OUTER_KEY: &str = "_key";
/// A row that is not an object.
pub(super) const VALUE: &str = "value";

/// A table, and the positions of its rows.
pub(super) struct Table {
    /// Its name in a query.
    pub(super) name: String,
    /// Its other name, if other lists have the same key.
    pub(super) alias: Option<String>,
    /// The names of the other lists with its key, if a query that says the key means this one.
    pub(super) others: Vec<String>,
    /// The path of the list, as a model writes it: `$.items[*].notes`.
    pub(super) path: String,
    pub(super) kind: TableKind,
    /// Read from all rows when they are asked for.
    columns: OnceCell<Columns>,
    pub(super) rows: Vec<Row>,
    /// The names of columns, if the rows are lists and the first of them has the names.
    pub(super) header: Vec<String>,
    /// Lists side by side, each with its name: a row has the element of each at its place, which is [`Row::node`].
    pub(super) lists: Vec<(String, Vec<u32>)>,
    /// The maps in its rows, by the names of their columns, and whether their members are columns too.
    pub(super) maps: HashMap<String, bool>,
    /// The columns that are records in some rows, and in others lists, which are a table of their own.
    pub(super) singles: Vec<(String, String)>,
    /// Bytes of its rows.
    pub(super) bytes: usize,
    /// The index of the first row in its list.
    pub(super) first_row: u64,
    /// The rows are those of several lists, each of which is a table by itself.
    pub(super) is_of_lists: bool,
    /// The name of the column of keys.
    pub(super) key_name: &'static str,
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
    pub(super) node: u32,
    /// The key of an entry of a map.
    pub(super) key: Option<u32>,
    /// The index of its row in the outer table.
    pub(super) parent: u64,
}

/// A cell of a row.
pub(super) enum Cell<'v> {
    /// A scalar, or a list or map as JSON.
    Node(Node),
    /// An object whose members are columns: a cell only where other rows have a value in its place.
    Record(Node),
    /// A member of a map.
    Entry(Node),
    /// The key of an entry.
    Key(Cow<'v, str>),
}

impl Table {
    pub(super) fn new(path: &str, kind: TableKind) -> Table {
        Table {
            name: String::new(),
            alias: None,
            others: Vec::new(),
            path: path.to_owned(),
            kind,
            columns: OnceCell::new(),
            rows: Vec::new(),
            header: Vec::new(),
            lists: Vec::new(),
            maps: HashMap::new(),
            singles: Vec::new(),
            bytes: 0,
            first_row: 0,
            is_of_lists: false,
            key_name: KEY,
        }
    }

    /// Notes the keys of an entry.
    pub(super) fn note_entry(&mut self, view: &DocumentView<'_>, tape: &Tape, entry: Node) {
        let mut members = tape.members(entry);
        if members.any(|(key, _)| view.string(key).eq_ignore_ascii_case(KEY)) {
            self.key_name = OUTER_KEY;
        }
    }

    /// The name of the column at a path, if the path is one in its rows.
    pub(super) fn column_at(&self, path: &str) -> Option<String> {
        let rest = path.strip_prefix(&*self.path)?;
        let ends = [".*[*]", ".*", "[*]"];
        let rest = ends.iter().find_map(|end| rest.strip_prefix(end))?;
        let (names, _) = with_dots(rest);
        names.strip_prefix('.').map(str::to_owned)
    }

    /// The names of its columns for a reader: with [`PARENT`], which joins a list in rows with these.
    pub(super) fn named_columns(&self, view: &DocumentView<'_>) -> impl Iterator<Item = &str> {
        let parent = (self.kind == TableKind::Inner).then_some(PARENT);
        let names = self.columns(view).names.iter().map(String::as_str);
        parent.into_iter().chain(names)
    }

    pub(super) fn columns(&self, view: &DocumentView<'_>) -> &Columns {
        self.columns.get_or_init(|| {
            let mut columns = Columns::default();
            if let Some(tape) = view.tape() {
                for row in &self.rows {
                    cells(view, tape, self, row, &mut |name, cell| match cell {
                        Cell::Record(_) => {}
                        Cell::Entry(_) if columns.names.len() >= MOST_ENTRY_COLUMNS => {}
                        _ => columns.add(name),
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
        let mut own = displayed(name);
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

    /// Members, and their columns, whose names differ: the name is taken, by an equal one, by one that differs in case
    /// alone, or by `_row`.
    pub(super) fn renamed(&self) -> impl Iterator<Item = (String, &str)> {
        let all = self
            .places
            .iter()
            .map(|(member, place)| (displayed(member), &*self.names[*place]));
        let mut renamed: Vec<_> = all.filter(|(member, column)| member != column).collect();
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
        take(table.key_name, Cell::Key(view.string(tape.node(key))));
    }
    for (name, list) in &table.lists {
        take(name, Cell::Node(tape.node(list[row.node as usize])));
    }
    if !table.lists.is_empty() {
        return;
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
            let reader = Members {
                view,
                tape,
                maps: None,
            };
            reader.each(node, &mut String::new(), 0, false, &mut scalars);
        }
        NodeKind::Object => {
            let reader = Members {
                view,
                tape,
                maps: Some(&table.maps),
            };
            reader.each(node, &mut String::new(), 0, false, take);
        }
        NodeKind::Array => {
            let reader = Members {
                view,
                tape,
                maps: Some(&table.maps),
            };
            for (place, element) in tape.elements(node).take(MOST_COLUMNS).enumerate() {
                let mut name = match table.header.get(place) {
                    Some(name) => name.clone(),
                    None => format!("{VALUE}{place}"),
                };
                take(&name, Cell::Node(element));
                if element.kind == NodeKind::Object {
                    reader.each(element, &mut name, 1, false, take);
                }
            }
        }
        _ => take(VALUE, Cell::Node(node)),
    }
}

/// Reads the members of objects as columns; objects inside an object have columns `outer.inner`.
struct Members<'v, 't> {
    view: &'v DocumentView<'v>,
    tape: &'t Tape,
    /// The maps in rows; none outside of rows, where each object is what it is.
    maps: Option<&'t HashMap<String, bool>>,
}

impl<'v> Members<'v, '_> {
    /// `in_map`: the object stands in a map.
    fn each(
        &self,
        object: Node,
        name: &mut String,
        level: usize,
        in_map: bool,
        take: &mut dyn FnMut(&str, Cell<'v>),
    ) {
        let outer = name.len();
        for (key, value) in self.tape.members(object) {
            if outer > 0 {
                name.push(STEP);
            }
            name.push_str(&self.view.string(key));
            let cell = match in_map {
                true => Cell::Entry(value),
                false => Cell::Node(value),
            };
            let is_object = value.kind == NodeKind::Object && value.children > 0;
            match (is_object && level < MOST_LEVELS).then(|| self.map(name, value)) {
                // Its members are columns.
                Some(None) => {
                    take(name, Cell::Record(value));
                    self.each(value, name, level + 1, in_map, take);
                }
                Some(Some(true)) => {
                    take(name, cell);
                    self.each(value, name, level + 1, true, take);
                }
                Some(Some(false)) | None => take(name, cell),
            }
            name.truncate(outer);
        }
    }

    /// If an object is a map, whether its members are columns too.
    fn map(&self, name: &str, object: Node) -> Option<bool> {
        match self.maps {
            Some(maps) if maps.is_empty() => None,
            Some(maps) if !name.contains(STEP) => maps.get(name).copied(),
            Some(maps) => maps.get(&*displayed(name)).copied(),
            None => is_map(self.tape, object).then_some(false),
        }
    }
}

/// Whether an object's members are entries: many, and all of them objects.
pub(super) fn is_map(tape: &Tape, object: Node) -> bool {
    object.children as usize >= LEAST_ENTRIES
        && tape
            .members(object)
            .all(|(_, value)| value.kind == NodeKind::Object)
}

/// Whether an object is a map of single values: counts by name. It has many, all texts or all numbers.
pub(super) fn is_map_of_values(tape: &Tape, object: Node) -> bool {
    const LEAST: u32 = 16;
    let are_all = |kind: NodeKind| tape.members(object).all(|(_, value)| value.kind == kind);
    object.children >= LEAST && (are_all(NodeKind::Number) || are_all(NodeKind::String))
}

/// The members of an object that are lists of single values, if there are several, all of one length: `{"time":[…],"t":[…]}`.
pub(super) fn side_by_side(tape: &Tape, object: Node) -> Option<Vec<(Node, Node)>> {
    const LEAST: u32 = 8;
    let lists: Vec<(Node, Node)> = tape
        .members(object)
        .filter(|(_, value)| value.kind == NodeKind::Array && value.children > 0)
        .collect();
    let length = lists.first()?.1.children;
    let is_single = |node: Node| !matches!(node.kind, NodeKind::Array | NodeKind::Object);
    let are_alike = lists.len() > 1
        && length >= LEAST
        && lists.iter().all(|(_, list)| list.children == length)
        && lists
            .iter()
            .all(|(_, list)| tape.elements(*list).all(is_single));
    are_alike.then_some(lists)
}

/// A path as names with dots between, and where the last name begins.
pub(super) fn with_dots(path: &str) -> (String, usize) {
    let (mut names, mut last) = (String::new(), 0);
    let mut rest = path;
    while let Some(first) = rest.chars().next() {
        let mut length = first.len_utf8();
        if rest.starts_with("[*]") {
            length = 3;
        } else if let Some((name, end)) = bracketed(rest) {
            names.push('.');
            last = names.len();
            names.push_str(&name);
            length = end;
        } else {
            names.push(first);
            if first == '.' {
                last = names.len();
            }
        }
        rest = &rest[length..];
    }
    (names, last)
}

/// The name of a column as a query spells it.
fn displayed(name: &str) -> String {
    without_control(&name.trim_end_matches(STEP).replace(STEP, "."))
}

/// A name without characters that SQLite takes for its end.
pub(super) fn without_control(name: &str) -> String {
    name.replace(char::is_control, " ")
}

/// The document in a list of one text block, as the output of a tool.
pub(super) fn of_block(view: &DocumentView<'_>) -> Option<DocumentView<'static>> {
    view.tape()?;
    let blocks = tamis_formats::unwrap_blocks(view.text());
    let [block] = blocks.as_deref()? else {
        return None;
    };
    let block = DocumentView::of_text(Cow::Owned(block.clone()), view.part.clone());
    match block.tape() {
        Some(_) => Some(block),
        None => recognised::view_of(&block),
    }
}

/// The data in the only long string among a document's members.
pub(super) fn inner(view: &DocumentView<'_>) -> Option<DocumentView<'static>> {
    let (tape, root) = (view.tape()?, view.root()?);
    let mut strings = tape
        .members(root)
        .filter(|(_, value)| {
            value.kind == NodeKind::String && value.end - value.start >= LEAST_INNER_BYTES
        })
        .filter_map(|(_, value)| view.unwrap_string(value));
    let only = strings.next()?;
    strings.next().is_none().then_some(only)
}
