//! Where the tables of a document are: a walk over its lists, maps and records.
//!
//! Owns the decision that holds for all rows alike: which objects are maps, and which lists are tables. Refuses to know
//! the columns of a row.

use std::collections::{HashMap, HashSet};

use super::super::view::{DocumentView, push_name};
use super::tables::{
    self, DOCUMENT, LEAST_ENTRIES, MOST_COLUMNS, MOST_LEVELS, MOST_ROWS, MOST_TABLES, Row, STEP,
    Table, TableKind, is_map, is_map_of_values,
};
use crate::document::{Node, NodeKind, Tape};

/// Most different paths of objects in rows that are compared with each other.
const MOST_SHAPES: usize = 10_000;
/// The members of maps with at most this many different keys are columns too.
const FEW_KEYS: usize = 32;
/// Most readings of a document: a later one knows how an earlier one should have read a value.
const MOST_READINGS: usize = 4;

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
            NodeKind::Array => {
                finder.list(root, "$", None, 0);
                if let Some(holder) = view.holder() {
                    finder.name_columns(holder, root, "$");
                }
            }
            NodeKind::Object if is_map(tape, root) => finder.map(root, "$", None, 0),
            _ => {
                if finder.is_map_of_lists(root) {
                    finder.map_of_lists(root, "$");
                }
                finder.side_by_side(root, "$");
                finder.inside(root, "$", None, 0);
                if is_map_of_values(tape, root) {
                    finder.map(root, "$", None, 0);
                }
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

/// Whether a document has a table besides the members outside of all lists.
pub(super) fn has_lists(view: &DocumentView<'_>) -> bool {
    let tables = of(view).all;
    tables
        .iter()
        .any(|table| table.kind != TableKind::Document && table.rows.len() > 1)
}

/// Beside lists of the same records, one in this many members may be something else.
const LISTS_OF_ONE_KIND: usize = 6;

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

pub(super) struct Finder<'v> {
    pub(super) view: &'v DocumentView<'v>,
    tape: &'v Tape,
    pub(super) tables: Vec<Table>,
    /// The index of the table of each path.
    pub(super) places: HashMap<String, usize>,
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
            self.tables[table].first_row = 1;
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

    /// Takes the names of a list's columns from the other list of names in the same object:
    /// `{"columns":["id","name"],"rows":[[1,"ann"]]}`.
    fn name_columns(&mut self, object: Node, array: Node, path: &str) {
        const KEYS: [&str; 7] = [
            "columns",
            "column_names",
            "fields",
            "header",
            "headers",
            "meta",
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
        let is_beside = |(key, value): &(Node, Node)| {
            let key = self.view.string(*key).to_ascii_lowercase();
            value.kind == NodeKind::Array
                && value.children == first.children
                && KEYS.contains(&key.as_str())
        };
        let lists = self.tape.members(object).filter(is_beside);
        let mut lists = lists.filter_map(|(_, list)| {
            let names = self.tape.elements(list).map(name);
            names.collect::<Option<Vec<String>>>()
        });
        // Of two lists with other names, nobody knows which is that of the columns.
        let names = lists
            .next()
            .filter(|names| lists.all(|other| other == *names));
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
            self.tables[table].note_entry(self.view, self.tape, value);
            self.inside(value, &inner, Some(place), level + 1);
        }
    }

    /// The members of an object that are lists, each with its key.
    fn lists_in(&self, object: Node) -> impl Iterator<Item = (Node, Node)> + '_ {
        let members = self.tape.members(object);
        members.filter(|(_, value)| value.kind == NodeKind::Array)
    }

    /// Whether an object's members are lists of the same records, as the filter `summary` has it: problems by file. A few of
    /// many may be something else, which is no row.
    fn is_map_of_lists(&self, object: Node) -> bool {
        let count = self.lists_in(object).count();
        let others = object.children as usize - count;
        if count < LEAST_ENTRIES || others > object.children as usize / LISTS_OF_ONE_KIND {
            return false;
        }
        let firsts = self.lists_in(object);
        let mut firsts = firsts.filter_map(|(_, list)| self.tape.elements(list).next());
        let keys = |record: Node| -> HashSet<&str> {
            let keys = self.tape.members(record).map(|(key, _)| key);
            keys.map(|key| self.view.spelling(key)).collect()
        };
        let Some(first) = firsts.next().filter(|it| it.kind == NodeKind::Object) else {
            return false;
        };
        let (first, mut others) = (keys(first), 0);
        let is_alike = |record: Node| {
            let own = keys(record);
            let most = own.len().max(first.len());
            others += 1;
            record.kind == NodeKind::Object && own.intersection(&first).count() * 2 > most
        };
        firsts.all(is_alike) && others > 0
    }

    /// The elements of all lists that are an object's members, as rows of one table. Each list is a table, too, so these rows
    /// do not count.
    fn map_of_lists(&mut self, object: Node, path: &str) {
        let Some(table) = self.table(path, TableKind::Outer) else {
            return;
        };
        let (view, tape) = (self.view, self.tape);
        let lists: Vec<(Node, Node)> = self.lists_in(object).collect();
        let table = &mut self.tables[table];
        table.is_of_lists = true;
        let lists = lists.into_iter();
        let all = lists.flat_map(|(key, list)| tape.elements(list).map(move |row| (key, row)));
        for (key, row) in all.take(MOST_ROWS) {
            table.note_entry(view, tape, row);
            table.rows.push(Row {
                node: row.index,
                key: Some(key.index),
                parent: 0,
            });
        }
    }

    /// The lists of an object that are the columns of a table. Each list is a table, too.
    fn side_by_side(&mut self, object: Node, path: &str) {
        let Some(lists) = tables::side_by_side(self.tape, object) else {
            return;
        };
        let rows = lists[0].1.children;
        self.rows += rows as usize;
        if self.rows > MOST_ROWS {
            return;
        }
        let Some(table) = self.table(path, TableKind::Outer) else {
            return;
        };
        let nodes = |list| self.tape.elements(list).map(|node| node.index).collect();
        let named = |(key, list): (Node, Node)| (self.view.string(key).into_owned(), nodes(list));
        let lists = lists.into_iter().take(MOST_COLUMNS).map(named).collect();
        let table = &mut self.tables[table];
        table.lists = lists;
        table.bytes = (object.end - object.start) as usize;
        table.rows.extend((0..rows).map(|node| Row {
            node,
            key: None,
            parent: 0,
        }));
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
            let mut path = path.to_owned();
            push_name(&mut path, &self.view.string(key), self.view.spelling(key));
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
                        None => is_map(self.tape, value) || is_map_of_values(self.tape, value),
                    };
                    if is_map {
                        self.map(value, &path, row, level);
                        continue;
                    }
                    if row.is_none() && self.is_map_of_lists(value) {
                        self.map_of_lists(value, &path);
                    }
                    if row.is_none() {
                        self.side_by_side(value, &path);
                    }
                    self.inside(value, &path, row, level + 1);
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

fn kind(parent: Option<u64>) -> TableKind {
    match parent {
        Some(_) => TableKind::Inner,
        None => TableKind::Outer,
    }
}
