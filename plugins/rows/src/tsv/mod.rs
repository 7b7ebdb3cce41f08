//! Tables that explain themselves, for the level `table`: tab-separated values under a header. A line above has the
//! number of rows and, in words, everything that cells leave open.
//!
//! The result is compact JSON in which a table may stand between the brackets of a list or a map of similar objects. A
//! document that is one table as a whole has no brackets.

mod cells;
mod estimate;
mod restore;
mod shape;
mod words;
mod write;

pub(crate) use restore::{Reader, starts_table};

use crate::Tables;
use crate::tables::columns::{Cell, most_cells};
use crate::tables::has_twice;
use crate::tables::source::{Nodes, kind};
use shape::Table;

/// Fewest entries that make a table of a map of similar objects.
const FEWEST_ENTRIES: usize = 3;

/// Least tokens that a table must save by the estimate, beside one in `ERROR` of its own, because the estimate may be
/// off.
const MARGIN_TOKENS: usize = 4;
const ERROR: usize = 12;

/// A large table with fewer bytes than this percentage of its JSON surely costs fewer tokens.
const SURE_PERCENT: usize = 75;
const COUNTED_BYTES: usize = 4_000;

/// The document with tables.
pub(crate) fn encode(nodes: Nodes<'_>, min_rows: usize) -> (String, Tables) {
    let mut encoder = Encoder {
        nodes,
        min_rows,
        out: String::with_capacity(nodes.len_bytes(0) + 64),
        tables: Tables::default(),
        tries: nodes.len() * 8 + 64,
    };
    encoder.value(0);
    (encoder.out, encoder.tables)
}

struct Encoder<'s> {
    nodes: Nodes<'s>,
    min_rows: usize,
    out: String,
    tables: Tables,
    /// Nodes that may still be tried as tables. Lists inside lists are tried more than once.
    tries: usize,
}

impl<'s> Encoder<'s> {
    /// Writes a value: as a table if that pays, else as JSON with tables inside.
    fn value(&mut self, node: u32) {
        let nodes = self.nodes;
        let is_container = nodes.kind(node) >= kind::ARRAY;
        if !is_container {
            self.out.push_str(nodes.raw(node));
        } else if !self.table(node) {
            self.container(node);
        }
    }

    /// Writes a container as JSON, with tables inside.
    fn container(&mut self, node: u32) {
        let nodes = self.nodes;
        let is_object = nodes.kind(node) == kind::OBJECT;
        if nodes.is_flat(node) {
            return self.out.push_str(nodes.raw(node));
        }
        self.out.push(if is_object { '{' } else { '[' });
        for (index, child) in nodes.elements(node).enumerate() {
            if index > 0 {
                self.out.push(',');
            }
            if is_object {
                self.out.push_str(nodes.raw(child));
                self.out.push(':');
                self.value(child + 1);
            } else {
                self.value(child);
            }
        }
        self.out.push(if is_object { '}' } else { ']' });
    }

    /// Writes a container as a table. False, with nothing written, if it is no table or does not pay.
    fn table(&mut self, node: u32) -> bool {
        let nodes = self.nodes;
        let inside = (nodes.next(node) - node) as usize;
        let Some(tries) = self.tries.checked_sub(inside) else {
            return false;
        };
        let Some(table) = self.shape(node) else {
            return false;
        };
        self.tries = tries;
        let start = self.out.len();
        let raw = nodes.raw(node);
        let is_part = node > 0;
        if is_part {
            self.out.push_str(&raw[..1]);
        }
        let json_bytes = write::table(&mut self.out, nodes, &table);
        if is_part {
            self.out.push_str(&raw[raw.len() - 1..]);
        } else {
            self.out.pop();
        }
        let written = self.out.len() - start;
        if written >= raw.len() || !self.pays(start, raw) {
            self.out.truncate(start);
            return false;
        }
        if json_bytes * 2 > written {
            self.or_inside(node, start);
        } else {
            self.tables.add(written, raw.len());
        }
        true
    }

    /// Whether the table at `start` costs fewer tokens than the JSON that it replaces.
    fn pays(&self, start: usize, json: &str) -> bool {
        let table = &self.out[start..];
        if surely_pays(table, json) {
            return true;
        }
        let tokens = estimate::tokens(table);
        tokens + tokens / ERROR + MARGIN_TOKENS <= estimate::tokens(json)
    }

    /// Replaces a table at `start` that is mostly JSON inside cells by the tables in that JSON, if these are worth
    /// more.
    fn or_inside(&mut self, node: u32, start: usize) {
        let table = self.out.split_off(start);
        let before = self.tables;
        self.container(node);
        let inside = estimate::tokens(&self.out[start..]);
        if self.tables.count == before.count || inside >= estimate::tokens(&table) {
            self.out.truncate(start);
            self.out.push_str(&table);
            self.tables = before;
            self.tables.add(table.len(), self.nodes.raw(node).len());
        }
    }

    /// The table of a container.
    fn shape(&self, node: u32) -> Option<Table<'s>> {
        let nodes = self.nodes;
        let count = nodes.children(node);
        let mut room = most_cells(nodes, node);
        let is_map = nodes.kind(node) == kind::OBJECT;
        if count < self.min_rows || (is_map && count < FEWEST_ENTRIES) {
            return None;
        }
        let children: Vec<u32> = nodes.elements(node).collect();
        let values = children.iter().map(|child| child + u32::from(is_map));
        let rows: Vec<Cell> = values.map(Cell::of).collect();
        let all = |kind: u32| rows.iter().all(|row| nodes.kind(row.node) == kind);
        if is_map {
            let has_key = |row: &Cell| {
                nodes
                    .keys(row.node)
                    .any(|key| nodes.body(key) == words::KEY)
            };
            if !all(kind::OBJECT) || has_twice(nodes, &children) || rows.iter().any(has_key) {
                return None;
            }
            return Table::of_objects(nodes, children, rows, &mut room);
        }
        // Lists of lists have no keys to save: as JSON they are as short, and more familiar.
        if !all(kind::OBJECT) {
            return None;
        }
        Table::of_objects(nodes, Vec::new(), rows, &mut room)
    }
}

/// Whether a table surely pays, by its length alone. A count gives the same answer later.
fn surely_pays(table: &str, json: &str) -> bool {
    json.len() > COUNTED_BYTES && table.len() * 100 < json.len() * SURE_PERCENT
}
