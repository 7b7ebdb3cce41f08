//! Rows that are lists, and the names of their columns: in the first of them below titles, or in a list beside the rows.
//!
//! Owns what a header, a title and a sheet are. Refuses to know the places of other values (`outline`).

use crate::hashing::same;
use crate::outline::{MOST_PLACES, Outline, Step};
use crate::telling;
use tamis_formats::words::are_distinct;
use tamis_sdk::{Node, NodeKind};

/// The keys of a row's cells, and of a cell's value, in the results of BigQuery.
pub const CELLS: &str = "\"f\"";
const CELL: &str = "\"v\"";

/// Rows for each one that lacks more than half of its cells, at least.
const ROWS_FOR_SHORT: u32 = 8;

/// Fewest rows, with the header, of a sheet whose cells are all strings.
const FEWEST_ROWS_OF_STRINGS: usize = 8;

/// Words in place of a value.
const NO_NAMES: [&str; 4] = ["n/a", "nan", "nil", "null"];

/// Most rows above the header of a sheet.
const MOST_TITLES: usize = 3;

impl<'d> Outline<'d> {
    /// Whether an array holds the cells of a row, as BigQuery writes it: `{"f":[{"v":"ann"},{"v":"12"}]}`.
    pub fn is_of_cells(&self, at: usize, array: Node<'_>) -> bool {
        let is_cell = |cell: Node<'_>| {
            let mut members = cell.members();
            let key = members.next().map(|(key, _)| self.raw(key));
            key == Some(CELL) && members.next().is_none()
        };
        self.fields[at].step == Step::Member(CELLS) && array.elements().all(is_cell)
    }

    /// Whether an object has a sheet: rows under a header.
    pub fn has_sheet(&self, object: Node<'_>) -> bool {
        let is_sheet = |value: Node<'_>| {
            value.kind() == NodeKind::Array && holds_rows(value) && self.has_header(value)
        };
        object.members().any(|(_, value)| is_sheet(value))
    }

    /// Whether the first of the array rows that is no title names the columns: it has words, and other rows have other values.
    fn has_header(&self, rows: Node<'_>) -> bool {
        let mut rows = rows.elements().skip(titles(rows));
        let (Some(first), Some(second)) = (rows.next(), rows.next()) else {
            return false;
        };
        let names: Vec<&str> = first.elements().map(|name| self.raw(name)).collect();
        let count = names.len();
        let is_value = |name: &&str| {
            let mut values = NO_NAMES.iter();
            values.any(|value| bare(name).eq_ignore_ascii_case(value))
        };
        let are_words = first.elements().all(is_name)
            && !names.iter().any(is_value)
            && are_distinct(names.clone());
        let differs = |it: Node<'_>| {
            matches!(
                it.kind(),
                NodeKind::Number | NodeKind::True | NodeKind::False
            )
        };
        if !are_words {
            return false;
        }
        let is_other = second.elements().take(count).any(differs);
        // A sheet may have nothing but strings. Its header has no digits where all rows have some.
        let has_digits = |cell: Node<'_>| self.raw(cell).bytes().any(|byte| byte.is_ascii_digit());
        let digits = |row: Node<'_>| {
            let cells = (0..u64::BITS).zip(row.elements());
            // The last cells may be missing.
            let missing = u64::MAX.checked_shl(row.children()).unwrap_or(0);
            cells.fold(missing, |digits, (place, cell)| {
                digits | u64::from(has_digits(cell)) << place
            })
        };
        let missing = u64::MAX.checked_shl(second.children()).unwrap_or(0);
        let mut all = digits(second) & !digits(first) & !missing;
        let mut count_of_rows = 1;
        for row in std::iter::once(second).chain(rows) {
            count_of_rows += 1;
            if !is_other {
                all &= digits(row);
            }
            // The first row is data if its cells are again below, unless all are: then the header is repeated.
            let cells = row.elements().map(|cell| self.raw(cell));
            let again = names
                .iter()
                .zip(cells)
                .filter(|(name, cell)| same(name, cell));
            let has_value = (1..count).contains(&again.count());
            if row.children() as usize > count || !is_other && all == 0 || has_value {
                return false;
            }
        }
        is_other || all != 0 && count_of_rows > FEWEST_ROWS_OF_STRINGS
    }

    /// The number of the array rows at `table` down to their header; 0 if they have none, or a list beside them has other
    /// names.
    pub fn header_rows(&self, table: usize, rows: Node<'d>) -> u32 {
        let above = titles(rows);
        let header = rows.elements().nth(above);
        let Some(header) = header.filter(|_| self.has_header(rows)) else {
            return 0;
        };
        match self.names_beside(table, header.children()) {
            Some(names) if names != self.names(header) => 0,
            _ => above as u32 + 1,
        }
    }

    /// The names in a header.
    fn names(&self, header: Node<'d>) -> Vec<&'d str> {
        let names = header.elements();
        names.map(|name| bare(self.raw(name))).collect()
    }

    /// The values in the rows above the header of the table at `at`.
    pub fn titles(&self, at: usize) -> Vec<&'d str> {
        let above = self.fields[at].header_rows.saturating_sub(1) as usize;
        let rows = self.fields[at].first.elements().take(above);
        let cells = rows.flat_map(|row| row.elements().filter(is_filled));
        cells.map(|cell| self.raw(cell)).collect()
    }

    /// The names of the columns in the rows at `row`, if the first row or a list beside the rows has them.
    pub fn place_names(&self, row: usize) -> Option<Vec<&'d str>> {
        let table = self.fields[row].parent;
        let width = self.fields[row].tally.longest_array.length;
        if self.fields[table].has_rows != Some(true) {
            return None;
        }
        if let Some(header) = self.fields[table].header_rows.checked_sub(1) {
            let first = self.fields[table].first.elements().nth(header as usize)?;
            return Some(self.names(first));
        }
        self.names_beside(table, width)
    }

    /// The names of the cells of the rows at `row`, if a list beside the rows has them.
    pub fn cell_names(&self, row: usize) -> Option<Vec<&'d str>> {
        let children = self.fields[row].children.iter();
        let mut cells = children.map(|child| &self.fields[*child]);
        let cells = cells.find(|field| field.step == Step::Member(CELLS))?;
        let width = cells.tally.longest_array.length;
        self.names_beside(self.fields[row].parent, width)
    }

    /// The names that a list of so many beside the rows at `table` has; none if another such list has other names.
    fn names_beside(&self, table: usize, width: u32) -> Option<Vec<&'d str>> {
        let around = &self.fields[self.fields[table].parent];
        // Each of several objects has its own list.
        if around.tally.objects != 1 {
            return None;
        }
        let is_row = |row: Node<'_>| row.kind() == NodeKind::Array;
        let mut names = None;
        for (key, value) in around.first.members() {
            // `"schema":{"fields":[…]}`, but not the names of rows inside of another object.
            let mut lists = value.members().map(|(_, list)| list.elements());
            let has_rows = lists.any(|mut rows| rows.next().is_some_and(is_row));
            let inner = value.members().filter(|_| !has_rows);
            for (key, list) in std::iter::once((key, value)).chain(inner) {
                let other = self.names_in(key, list, width);
                if names.is_some() && other.is_some() && names != other {
                    return None;
                }
                names = other.or(names);
            }
        }
        names
    }

    /// The names in a list of so many, under a key of such lists.
    fn names_in(&self, key: Node<'d>, list: Node<'d>, width: u32) -> Option<Vec<&'d str>> {
        let is_fit = list.kind() == NodeKind::Array && list.children() == width;
        if !is_fit || !telling::names_columns(self.raw(key)) {
            return None;
        }
        let names = list.elements().map(|name| self.name_in(name));
        names.map(|name| Some(bare(self.raw(name?)))).collect()
    }

    /// The name of a column: a string, or the member `name` of an object.
    fn name_in(&self, node: Node<'d>) -> Option<Node<'d>> {
        let name = match node.kind() {
            NodeKind::Object => {
                let mut members = node.members();
                members.find(|(key, _)| self.raw(*key) == "\"name\"")?.1
            }
            _ => node,
        };
        is_name(name).then_some(name)
    }
}

/// A string without its quotes.
fn bare(raw: &str) -> &str {
    raw.get(1..raw.len() - 1).unwrap_or_default()
}

/// Whether a string may be the name of a column.
fn is_name(node: Node<'_>) -> bool {
    const LONGEST: u32 = 40;
    node.kind() == NodeKind::String && (3..=LONGEST).contains(&node.len_bytes())
}

/// The number of rows above the header of a sheet: they have one value at most.
pub fn titles(array: Node<'_>) -> usize {
    let is_title = |row: &Node<'_>| row.elements().filter(is_filled).count() <= 1;
    let rows = array.elements().take(MOST_TITLES + 1);
    let count = rows.take_while(is_title).count();
    // Rows of one cell are no titles.
    let is_above_rows = count <= MOST_TITLES && count < array.children() as usize;
    if is_above_rows { count } else { 0 }
}

/// Whether a cell has a value.
fn is_filled(cell: &Node<'_>) -> bool {
    let is_blank = cell.kind() == NodeKind::String && cell.len_bytes() == 2;
    cell.kind() != NodeKind::Null && !is_blank
}

/// Whether the elements of an array in a row are columns: a few lists of one length, which is far greater, as the times and
/// the values of a series.
pub fn holds_columns(array: Node<'_>) -> bool {
    const MOST: u32 = 4;
    const LEAST: u32 = 16;
    let mut lists = array.elements();
    let length = lists.next().map_or(0, Node::children);
    let is_scalar = |it: Node<'_>| !matches!(it.kind(), NodeKind::Array | NodeKind::Object);
    let is_column = |list: Node<'_>| {
        list.kind() == NodeKind::Array
            && list.children() == length
            && list.elements().next().is_some_and(is_scalar)
    };
    (2..=MOST).contains(&array.children()) && length >= LEAST && array.elements().all(is_column)
}

/// Whether the elements of an array are rows: arrays of similar lengths, and of scalars if they have one element. The
/// last elements of a row may be missing.
pub fn holds_rows(array: Node<'_>) -> bool {
    let mut most = 0;
    for element in array.elements() {
        if element.kind() != NodeKind::Array {
            return false;
        }
        most = most.max(element.children());
    }
    let is_scalar = |it: Node<'_>| !matches!(it.kind(), NodeKind::Array | NodeKind::Object);
    let is_wide = most > 1 || array.elements().all(|row| row.elements().all(is_scalar));
    let is_short = |row: &Node<'_>| 2 * row.children() < most;
    let short = array.elements().filter(is_short).count() as u32;
    // Rows under a header are cut where their last values are.
    let is_sheet = array
        .elements()
        .nth(titles(array))
        .is_some_and(|first| first.children() == most && first.elements().all(is_name));
    let most_short = if is_sheet {
        array.children() / ROWS_FOR_SHORT
    } else {
        0
    };
    array.children() > 1 && (1..=MOST_PLACES).contains(&most) && short <= most_short && is_wide
}
