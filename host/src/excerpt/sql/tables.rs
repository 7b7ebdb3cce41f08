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
/// Most different paths of objects in rows that are compared with each other.
const MOST_SHAPES: usize = 10_000;
/// The members of maps with at most this many different keys are columns too.
const FEW_KEYS: usize = 32;
/// A table with this many columns gets none of the members of maps.
const MOST_ENTRY_COLUMNS: usize = MOST_COLUMNS / 2;
/// Most readings of a document: a later one knows how an earlier one should have read a value.
const MOST_READINGS: usize = 4;
/// Between the keys of a column until it has its name: a key may contain a dot.
const STEP: char = '\u{fdd0}';
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
    header: Vec<String>,
    /// The maps in its rows, by the names of their columns, and whether their members are columns too.
    maps: HashMap<String, bool>,
    /// The columns that are records in some rows, and in others lists, which are a table of their own.
    pub(super) singles: Vec<(String, String)>,
    /// Bytes of its rows.
    bytes: usize,
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
    /// A member of a map.
    Entry(Node),
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
    let find = |known: Known| {
        let mut finder = Finder {
            view,
            tape,
            tables: Vec::new(),
            places: HashMap::new(),
            rows: 0,
            shapes: HashMap::new(),
            lists: HashSet::new(),
            scalar_lists: HashSet::new(),
            known,
        };
        match root.kind {
            NodeKind::Array => finder.list(root, "$", None, 0),
            NodeKind::Object if is_map(tape, root) => finder.map(root, "$", None, 0),
            _ => {
                finder.inside(root, "$", None, 0);
                finder.document(root);
            }
        }
        finder
    };
    let mut finder = find(Known::default());
    // Each value is read as those at the same path in other rows. Inside of it may be more of them.
    for _ in 1..MOST_READINGS {
        let (known, is_other) = finder.known();
        if !is_other {
            finder.known = known;
            break;
        }
        finder = find(known);
    }
    finder.tell_tables();
    Tables {
        has_too_many_rows: finder.rows > MOST_ROWS,
        all: finder.tables,
    }
}

impl Table {
    fn new(path: &str, kind: TableKind) -> Table {
        Table {
            name: String::new(),
            alias: None,
            others: Vec::new(),
            path: path.to_owned(),
            kind,
            columns: OnceCell::new(),
            rows: Vec::new(),
            header: Vec::new(),
            maps: HashMap::new(),
            singles: Vec::new(),
            bytes: 0,
        }
    }

    /// The name of the column at a path, if the path is one in its rows.
    fn column_at(&self, path: &str) -> Option<String> {
        let rest = path.strip_prefix(&*self.path)?;
        let rest = rest.strip_prefix("[*].").or(rest.strip_prefix(".*."))?;
        Some(rest.to_owned())
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
fn is_map(tape: &Tape, object: Node) -> bool {
    object.children as usize >= LEAST_ENTRIES
        && tape
            .members(object)
            .all(|(_, value)| value.kind == NodeKind::Object)
}

/// The objects at one path in rows.
#[derive(Default)]
struct Shape {
    /// Some are maps by themselves, and the first is.
    is_map: bool,
    begins_as_map: bool,
    /// Some are no maps by themselves.
    has_others: bool,
    /// Some have a member that is neither an object nor null: all are records.
    is_record: bool,
    keys: HashSet<String>,
}

/// How values are read in all rows alike.
#[derive(Default, Clone)]
struct Known {
    /// Paths of objects where other rows have lists: an object is a row of the same table.
    singles: HashSet<String>,
    /// Paths of lists of scalars where other rows have lists of records, or maps.
    scalar_lists: HashSet<String>,
    /// Paths of objects that are maps, and whether the members of these are columns too.
    maps: HashMap<String, bool>,
    /// Paths of objects that are records, though some look like maps.
    records: HashSet<String>,
}

struct Finder<'v> {
    view: &'v DocumentView<'v>,
    tape: &'v Tape,
    tables: Vec<Table>,
    /// The index of the table of each path.
    places: HashMap<String, usize>,
    rows: usize,
    /// The objects in rows, by their paths.
    shapes: HashMap<String, Shape>,
    /// The paths of lists of records, and of lists of scalars, in rows.
    lists: HashSet<String>,
    scalar_lists: HashSet<String>,
    /// From an earlier reading.
    known: Known,
}

impl Finder<'_> {
    /// Notes an object in a row. Returns whether it is a map.
    fn note(&mut self, object: Node, path: &str) -> bool {
        if self.known.maps.contains_key(path) {
            return true;
        }
        if self.known.records.contains(path) {
            return false;
        }
        let is_map = is_map(self.tape, object);
        if self.shapes.len() >= MOST_SHAPES && !self.shapes.contains_key(path) {
            return is_map;
        }
        let shape = match self.shapes.get_mut(path) {
            Some(shape) => shape,
            None => {
                let shape = Shape {
                    begins_as_map: is_map,
                    ..Shape::default()
                };
                self.shapes.entry(path.to_owned()).or_insert(shape)
            }
        };
        shape.is_map |= is_map;
        shape.has_others |= !is_map;
        if !shape.is_record {
            let is_value = |node: Node| !matches!(node.kind, NodeKind::Object | NodeKind::Null);
            shape.is_record = self.tape.members(object).any(|(_, value)| is_value(value));
        }
        if !shape.is_record {
            for (key, _) in self.tape.members(object) {
                if shape.keys.len() > FEW_KEYS {
                    break;
                }
                let key = self.view.string(key);
                if !shape.keys.contains(&*key) {
                    shape.keys.insert(key.into_owned());
                }
            }
        }
        is_map
    }

    /// What is known now, and whether some values must be read in another way than they were.
    fn known(&self) -> (Known, bool) {
        let mut known = self.known.clone();
        let mut is_other = false;
        for path in &self.scalar_lists {
            if self.places.contains_key(path) {
                is_other |= known.scalar_lists.insert(path.clone());
            }
        }
        for (path, shape) in &self.shapes {
            if self.lists.contains(path) {
                is_other |= known.singles.insert(path.clone());
            } else if shape.is_map && shape.is_record {
                is_other |= known.records.insert(path.clone());
            } else if shape.is_map {
                is_other |= shape.has_others;
                let are_columns = !shape.begins_as_map || shape.keys.len() <= FEW_KEYS;
                known.maps.insert(path.clone(), are_columns);
            }
        }
        (known, is_other)
    }

    /// Names the tables, and tells each what is known of its rows.
    fn tell_tables(&mut self) {
        for (path, are_columns) in &self.known.maps {
            for table in &mut self.tables {
                if let Some(column) = table.column_at(path) {
                    table.maps.insert(column, *are_columns);
                }
            }
        }
        self.name_tables();
        let names: HashMap<&str, &str> = self
            .tables
            .iter()
            .map(|table| (&*table.path, &*table.name))
            .collect();
        let mut singles = Vec::new();
        for path in &self.known.singles {
            for (place, table) in self.tables.iter().enumerate() {
                if let (Some(column), Some(name)) = (table.column_at(path), names.get(&**path)) {
                    singles.push((place, column, (*name).to_owned()));
                }
            }
        }
        for (place, column, name) in singles {
            self.tables[place].singles.push((column, name));
        }
    }

    /// Of lists with the same key, the largest is called by the key alone, and one outside of rows before those in rows.
    fn name_tables(&mut self) {
        let mut keys: HashMap<String, Vec<usize>> = HashMap::new();
        let wanted: Vec<String> = self.tables.iter().map(|table| self.key(table)).collect();
        for (place, key) in wanted.iter().enumerate() {
            if self.tables[place].kind != TableKind::Document {
                keys.entry(key.to_ascii_lowercase())
                    .or_default()
                    .push(place);
            }
        }
        let mut taken: HashSet<String> = HashSet::new();
        let is_free = |name: &str, taken: &HashSet<String>| {
            let name = name.to_ascii_lowercase();
            !matches!(&*name, DOCUMENT | super::TABLES | super::LINES)
                && !taken.contains(&name)
                && !name.starts_with("sqlite_")
        };
        let mut owners = Vec::new();
        for (key, places) in &keys {
            if !is_free(key, &taken) {
                continue;
            }
            let has_outer = places
                .iter()
                .any(|place| self.tables[*place].kind == TableKind::Outer);
            let able = places
                .iter()
                .filter(|place| !has_outer || self.is_like_outer(**place));
            let owner =
                able.max_by_key(|place| (self.tables[**place].bytes, std::cmp::Reverse(**place)));
            if let Some(&owner) = owner {
                self.tables[owner].name.clone_from(&wanted[owner]);
                owners.push((owner, key));
            }
        }
        taken.extend(owners.iter().map(|(_, key)| (*key).clone()));
        for (place, key) in wanted.iter().enumerate() {
            let table = &self.tables[place];
            let has_name = !table.name.is_empty();
            let is_alone = keys
                .get(&key.to_ascii_lowercase())
                .is_none_or(|places| places.len() == 1);
            if table.kind == TableKind::Document || has_name && is_alone {
                continue;
            }
            let long = table.path.replace("[*]", "");
            let long = without_control(long.trim_start_matches(['$', '.']));
            if has_name {
                if !long.is_empty() && is_free(&long, &taken) {
                    taken.insert(long.to_ascii_lowercase());
                    self.tables[place].alias = Some(long);
                }
                continue;
            }
            let mut name = match long.is_empty() {
                true => key.clone(),
                false => long,
            };
            let mut number = 2;
            while !is_free(&name, &taken) {
                name = format!("{key}_{number}");
                number += 1;
            }
            taken.insert(name.to_ascii_lowercase());
            self.tables[place].name = name;
        }
        for (owner, key) in owners {
            let others = keys[key].iter().filter(|place| **place != owner);
            self.tables[owner].others = others
                .map(|place| self.tables[*place].name.clone())
                .collect();
        }
    }

    /// The last key of a table's path, and `rows` without one. The path of a part of the document ends in the part's
    /// name.
    fn key(&self, table: &Table) -> String {
        let own = format!("{}{}", self.view.within, table.path.trim_start_matches('$'));
        let own = own.replace("[*]", "");
        let key = own.rsplit('.').next().unwrap_or_default();
        match key.trim_start_matches('$') {
            "" => ROWS.to_owned(),
            // SQLite reserves these names.
            key if key.to_ascii_lowercase().starts_with("sqlite_") => format!("_{key}"),
            key => without_control(key),
        }
    }

    /// Whether a table is outside of rows, or in the only row of another that is.
    fn is_like_outer(&self, place: usize) -> bool {
        let table = &self.tables[place];
        if table.kind == TableKind::Outer {
            return true;
        }
        let ends = table.path.rmatch_indices("[*]").map(|(end, _)| end);
        let mut parents = ends.filter_map(|end| self.places.get(&table.path[..end]));
        parents.next().is_some_and(|parent| {
            self.tables[*parent].rows.len() == 1 && self.is_like_outer(*parent)
        })
    }

    /// The table of a path, made if it is new; none if the document has too many.
    fn table(&mut self, path: &str, kind: TableKind) -> Option<usize> {
        if let Some(&place) = self.places.get(path) {
            return Some(place);
        }
        if self.tables.len() >= MOST_TABLES {
            return None;
        }
        self.places.insert(path.to_owned(), self.tables.len());
        self.tables.push(Table::new(path, kind));
        Some(self.tables.len() - 1)
    }

    fn push(&mut self, table: usize, node: Node, key: Option<Node>, parent: Option<u64>) -> bool {
        self.rows += 1;
        if self.rows > MOST_ROWS {
            return false;
        }
        self.tables[table].bytes += (node.end - node.start) as usize;
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
        if parent.is_some() && !self.known.scalar_lists.contains(path) {
            let has_records = self.tape.elements(array).any(holds_records);
            let lists = match has_records {
                true => &mut self.lists,
                false => &mut self.scalar_lists,
            };
            if !lists.contains(path) {
                lists.insert(path.to_owned());
            }
            if !has_records {
                return;
            }
        }
        let Some(table) = self.table(path, kind(parent)) else {
            return;
        };
        let inner = format!("{path}[*]");
        let mut elements = self.tape.elements(array);
        if parent.is_none()
            && let Some(header) = self.header(array)
        {
            self.tables[table].header = apart(header);
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
            self.tables[table].header = apart(names);
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
                NodeKind::Object if row.is_some() && self.known.singles.contains(&path) => {
                    self.single(value, &path, row, level);
                }
                NodeKind::Object => {
                    let is_map = match row {
                        Some(_) => self.note(value, &path),
                        None => is_map(self.tape, value),
                    };
                    match is_map {
                        true => self.map(value, &path, row, level),
                        false => self.inside(value, &path, row, level + 1),
                    }
                }
                _ => {}
            }
        }
    }

    /// The members of the document that are in no list.
    fn document(&mut self, root: Node) {
        if root.kind == NodeKind::Object && self.tables.len() < MOST_TABLES {
            let mut table = Table::new("$", TableKind::Document);
            table.name.push_str(DOCUMENT);
            table.rows.push(Row {
                node: root.index,
                key: None,
                parent: 0,
            });
            self.tables.push(table);
        }
    }
}

/// The name of a column as a query spells it.
fn displayed(name: &str) -> String {
    without_control(&name.trim_end_matches(STEP).replace(STEP, "."))
}

/// Names of columns, each of equal ones apart.
fn apart(names: Vec<String>) -> Vec<String> {
    let mut known = HashSet::new();
    let apart = names.into_iter().map(|mut name| {
        while !known.insert(name.clone()) {
            name.push(STEP);
        }
        name
    });
    apart.collect()
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
