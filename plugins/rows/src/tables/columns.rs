//! The columns of a list of similar values, found in one pass over its members.
//!
//! Columns have an order that the keys of every row follow. A row is *odd* if it cannot follow: its order differs, a
//! key occurs twice or has escapes, or the row is no object. An odd row has no cells and is written whole.

use super::source::{Nodes, kind};

/// The content of one row in one column.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Cell {
    /// Index of the value's node, or one of the two constants below.
    pub(crate) node: u32,
    /// 0: a value of this column. More: the value, that many levels up, of a whole object that was split into columns,
    /// of which this is the first.
    pub(crate) up: u32,
}

impl Cell {
    /// The row lacks the key.
    pub(crate) const MISSING: Cell = Cell {
        node: u32::MAX,
        up: 0,
    };
    /// The row is odd: nothing is written here.
    pub(crate) const SKIPPED: Cell = Cell {
        node: u32::MAX - 1,
        up: 0,
    };

    pub(crate) fn of(node: u32) -> Cell {
        Cell { node, up: 0 }
    }

    /// The node, if this is a value of its own column.
    pub(crate) fn value(self) -> Option<u32> {
        (self.node < Self::SKIPPED.node && self.up == 0).then_some(self.node)
    }
}

/// The name of a column.
#[derive(Clone, Copy)]
pub(crate) enum Name<'s> {
    /// A key, as it is spelled between its quotes.
    Key(&'s str),
    /// An index in arrays of one length.
    Index(usize),
    /// The row itself.
    Row,
}

pub(crate) struct Column<'s> {
    pub(crate) name: Name<'s>,
    /// One for every row.
    pub(crate) cells: Vec<Cell>,
}

/// The columns of a list of values.
pub(crate) struct Columns<'s> {
    pub(crate) columns: Vec<Column<'s>>,
    /// For every row, whether it is odd.
    pub(crate) odd: Vec<bool>,
    /// Rows that are neither odd nor missing.
    pub(crate) regular: usize,
    /// Cells that are not missing.
    pub(crate) filled: usize,
}

/// Most columns of a table that anybody can read.
const MOST_COLUMNS: usize = 256;

/// Arrays longer than this are lists, not rows.
const LONGEST_TUPLE: usize = 64;

/// Most cells for the objects in a container. Rows with few common keys have many empty cells, so a list with more
/// cells than this is no table.
pub(crate) fn most_cells(nodes: Nodes<'_>, container: u32) -> usize {
    (nodes.next(container) - container) as usize * 6 + 1024
}

impl<'s> Columns<'s> {
    /// The columns of objects. `room` is the number of cells that may still be made. It bounds the memory for rows with
    /// few common keys. None if it is used up.
    pub(crate) fn of_objects(
        nodes: Nodes<'s>,
        rows: &[Cell],
        room: &mut usize,
    ) -> Option<Columns<'s>> {
        let mut columns: Vec<Column<'s>> = Vec::new();
        let mut odd = vec![false; rows.len()];
        let (mut regular, mut filled) = (0, 0);
        for (row, cell) in rows.iter().enumerate() {
            let Some(object) = cell.value() else { continue };
            let follows = nodes.kind(object) == kind::OBJECT
                && Self::follow(nodes, object, row, rows.len(), &mut columns, room)?;
            if follows {
                regular += 1;
                filled += nodes.children(object);
            } else {
                odd[row] = true;
                for column in &mut columns {
                    column.cells.truncate(row);
                }
            }
        }
        for column in &mut columns {
            column.cells.resize(rows.len(), Cell::MISSING);
        }
        // Columns that only odd rows had.
        columns.retain(|column| column.cells.iter().any(|cell| *cell != Cell::MISSING));
        for (row, cell) in rows.iter().enumerate() {
            if odd[row] || *cell == Cell::SKIPPED {
                for column in &mut columns {
                    column.cells[row] = Cell::SKIPPED;
                }
            }
        }
        Some(Columns {
            columns,
            odd,
            regular,
            filled,
        })
    }

    /// Adds one object's values to their columns. False if its keys do not follow the order of the columns; some cells
    /// are written then.
    fn follow(
        nodes: Nodes<'s>,
        object: u32,
        row: usize,
        rows: usize,
        columns: &mut Vec<Column<'s>>,
        room: &mut usize,
    ) -> Option<bool> {
        let mut expected = 0;
        for key in nodes.keys(object) {
            if nodes.is_escaped(key) {
                return Some(false);
            }
            let name = nodes.body(key);
            let is_it =
                |column: &Column<'_>| matches!(column.name, Name::Key(known) if known == name);
            let at = if columns.get(expected).is_some_and(is_it) {
                expected
            } else if let Some(ahead) = columns[expected..].iter().position(is_it) {
                expected + ahead
            } else if columns[..expected].iter().any(is_it) {
                return Some(false);
            } else {
                if columns.len() == MOST_COLUMNS {
                    return None;
                }
                *room = room.checked_sub(rows)?;
                let column = Column {
                    name: Name::Key(name),
                    cells: Vec::with_capacity(rows),
                };
                columns.insert(expected, column);
                expected
            };
            let cells = &mut columns[at].cells;
            cells.resize(row, Cell::MISSING);
            cells.push(Cell::of(key + 1));
            expected = at + 1;
        }
        Some(true)
    }

    /// The columns of arrays of equal length. None if the lengths differ. Most rows have an array, so the cells are
    /// hardly more than the nodes.
    pub(crate) fn of_tuples(nodes: Nodes<'s>, rows: &[Cell]) -> Option<Columns<'s>> {
        let first = rows.iter().find_map(|cell| {
            let node = cell.value()?;
            (nodes.kind(node) == kind::ARRAY).then_some(node)
        })?;
        let width = nodes.children(first);
        if !(2..=LONGEST_TUPLE).contains(&width) {
            return None;
        }
        let mut columns: Vec<Column<'s>> = (0..width)
            .map(|index| Column {
                name: Name::Index(index),
                cells: Vec::with_capacity(rows.len()),
            })
            .collect();
        let mut regular = 0;
        for cell in rows {
            match cell.value() {
                Some(array)
                    if nodes.kind(array) == kind::ARRAY && nodes.children(array) == width =>
                {
                    regular += 1;
                    for (column, element) in columns.iter_mut().zip(nodes.elements(array)) {
                        column.cells.push(Cell::of(element));
                    }
                }
                Some(_) => return None,
                None => {
                    let kept = if *cell == Cell::SKIPPED {
                        Cell::SKIPPED
                    } else {
                        Cell::MISSING
                    };
                    for column in &mut columns {
                        column.cells.push(kept);
                    }
                }
            }
        }
        Some(Columns {
            columns,
            odd: vec![false; rows.len()],
            regular,
            filled: regular * width,
        })
    }

    /// Whether at least `quarters` quarters of the cells of regular rows are filled.
    pub(crate) fn is_filled(&self, quarters: usize) -> bool {
        self.filled * 4 >= self.columns.len() * self.regular * quarters
    }
}

#[cfg(test)]
mod tests {
    use super::super::source::Source;
    use super::*;
    use tamis_document::Document;

    /// The number of cells for `rows` objects, each with the key `id` and `own` keys that no other has.
    fn cells(rows: usize, own: usize) -> Option<usize> {
        let row = |row: usize| {
            let own: String = (0..own).map(|key| format!(",\"{row} {key}\":0")).collect();
            format!("{{\"id\":{row}{own}}}")
        };
        let rows: Vec<String> = (0..rows).map(row).collect();
        let json = format!("[{}]", rows.join(","));
        let document = Document::json(json.as_str()).expect("JSON");
        let words = document.tape().expect("JSON has a tape").words();
        let source = Source::new(&json, words).expect("there are nodes");
        let nodes = source.nodes();
        let cells: Vec<Cell> = nodes.elements(0).map(Cell::of).collect();
        let mut room = most_cells(nodes, 0);
        let columns = Columns::of_objects(nodes, &cells, &mut room)?;
        assert_eq!(
            most_cells(nodes, 0) - room,
            columns.columns.len() * cells.len()
        );
        Some(columns.columns.len() * cells.len())
    }

    #[test]
    fn rows_with_few_keys_in_common_have_a_bound() {
        for (rows, own, expected) in [
            (10, 0, Some(10)),
            (10, 1, Some(110)),
            // 5 nodes a row and the list: room for 2,530 cells, and for 2,560.
            (50, 1, None),
            (49, 1, Some(49 * 50)),
            // 255 columns and `id`.
            (5, 51, Some(5 * 256)),
            (4, 64, None),
        ] {
            assert_eq!(cells(rows, own), expected, "{rows} rows, {own} keys");
        }
    }
}
