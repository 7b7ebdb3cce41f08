//! The form of each column: a constant, several columns, a list, child rows, or plain cells.

use super::cells::{is_bare_name, is_scalar};
use super::columns::{Cell, Column, Columns, Name};
use super::seen::{Seen, common_prefix, is_short_tuple, repeats, same_everywhere};
use super::source::{Nodes, kind};

/// A table that is ready to be written.
pub(super) struct Shape<'s> {
    pub(super) leaves: Vec<Leaf<'s>>,
    /// The rows, each a node or missing.
    pub(super) rows: Vec<Cell>,
    /// For every row, whether it is written whole; empty if none is.
    pub(super) odd: Vec<bool>,
    /// The leaf whose elements become child rows.
    pub(super) child: Option<usize>,
    /// Tokens that JSON spends on objects inside the rows.
    pub(super) saved: i64,
}

/// One column of the header.
pub(super) struct Leaf<'s> {
    /// Its name in the header.
    pub(super) path: String,
    /// The number of keys in that path.
    depth: u32,
    /// Whether JSON repeats a key in every row, which the table saves.
    pub(super) named: bool,
    pub(super) cells: Vec<Cell>,
    pub(super) form: Form<'s>,
    /// The common value of all rows, which is in the header instead of cells.
    pub(super) constant: Option<u32>,
    /// A cell that repeats the cell above is empty.
    pub(super) ditto: bool,
    /// The common prefix of all strings in the column.
    pub(super) prefix: &'s str,
}

pub(super) enum Form<'s> {
    /// Any values.
    Plain,
    /// Strings, null or missing: a text that looks like a number is a string.
    Strings,
    /// Arrays of scalars.
    Scalars,
    /// Arrays of objects, inside the cell. Row `r` has the elements from `starts[r]` up to
    /// `starts[r + 1]`.
    List(Box<Shape<'s>>, Vec<u32>),
    /// Arrays of objects, in child rows. Whether a row without child rows has no list, rather than an empty one.
    Child(Box<Shape<'s>>, Vec<u32>, Absent),
}

/// The meaning of a row without child rows.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Absent {
    EmptyList,
    Missing,
}

impl Leaf<'_> {
    /// Whether rows have a cell for the leaf.
    pub(super) fn has_cell(&self) -> bool {
        self.constant.is_none() && !matches!(self.form, Form::Child(..))
    }
}

/// The position of a shape's rows.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Rows {
    /// On lines of their own.
    Lines,
    /// Inside a cell.
    Items,
}

/// Most levels of groups inside groups, and of child rows under child rows.
const DEEPEST: u32 = 8;

/// Fewest elements of a list, on average, that become child rows.
const LONG_LIST: usize = 4;

/// An object inside another costs a key, its quotes and colon, and brackets.
const OBJECT_TOKENS: i64 = 3;

/// An array inside an object costs the same, but each of its columns has a name in the header.
const TUPLE_TOKENS: i64 = 1;

/// Makes shapes of columns.
pub(super) struct Shaper<'s> {
    pub(super) nodes: Nodes<'s>,
    pub(super) dense: bool,
    /// Whether lists may become child rows.
    pub(super) children: bool,
    /// Tokens that JSON spends on the objects that were split.
    pub(super) saved: i64,
    /// The number of cells that may still be made.
    pub(super) room: usize,
}

/// Properties of all columns of one object.
#[derive(Clone, Copy)]
struct Group {
    rows: Rows,
    /// The number of keys in the path to this object.
    depth: u32,
    /// The number of tables around this one.
    tables: u32,
    /// Some rows lack the object.
    nullable: bool,
}

impl<'s> Shaper<'s> {
    /// The shape of objects as rows of a table. None if they are not similar.
    pub(super) fn objects(&mut self, rows: Vec<Cell>) -> Option<Shape<'s>> {
        let columns = Columns::of_objects(self.nodes, &rows, &mut self.room)?;
        // A few odd rows are written whole. Many of them make no table.
        if columns.columns.is_empty()
            || columns.regular * 4 < rows.len() * 3
            || !columns.is_filled(1)
        {
            return None;
        }
        Some(self.shape(columns, rows, Rows::Lines, 0))
    }

    /// The shape of arrays of one length as rows of a table.
    pub(super) fn tuples(&mut self, rows: Vec<Cell>) -> Option<Shape<'s>> {
        let columns = Columns::of_tuples(self.nodes, &rows)?;
        Some(self.shape(columns, rows, Rows::Lines, 0))
    }

    /// The shape of strings as rows of a table, for their common prefix.
    pub(super) fn strings(&mut self, rows: Vec<Cell>) -> Shape<'s> {
        let columns = Columns {
            columns: vec![Column {
                name: Name::Row,
                cells: rows.clone(),
            }],
            odd: vec![false; rows.len()],
            regular: rows.len(),
            filled: rows.len(),
        };
        self.shape(columns, rows, Rows::Lines, 0)
    }

    fn shape(
        &mut self,
        columns: Columns<'s>,
        rows: Vec<Cell>,
        place: Rows,
        tables: u32,
    ) -> Shape<'s> {
        let child = self.child(&columns, place, tables);
        let mut shape = Shape {
            leaves: Vec::with_capacity(columns.columns.len()),
            rows,
            odd: if columns.odd.contains(&true) {
                columns.odd
            } else {
                Vec::new()
            },
            child: None,
            saved: 0,
        };
        let group = Group {
            rows: place,
            depth: 1,
            tables,
            nullable: false,
        };
        for (index, column) in columns.columns.into_iter().enumerate() {
            let is_child = child == Some(index);
            let at = shape.leaves.len();
            self.settle(column, "", group, is_child, &mut shape.leaves);
            if is_child && matches!(shape.leaves[at].form, Form::Child(..)) {
                shape.child = Some(at);
            }
        }
        shape.saved = self.saved;
        // If the beginning distinguishes lines, no line may begin with an empty cell.
        let is_indented = tables > 0 || shape.child.is_some();
        if is_indented && let Some(first) = shape.leaves.iter_mut().find(|leaf| leaf.has_cell()) {
            first.ditto = false;
        }
        shape
    }

    /// The column whose lists should become child rows: the largest, if its lists are long or have more than scalars.
    fn child(&self, columns: &Columns<'s>, place: Rows, tables: u32) -> Option<usize> {
        if !self.dense || !self.children || place == Rows::Items || tables >= DEEPEST {
            return None;
        }
        let mut largest = (0, None);
        for (index, column) in columns.columns.iter().enumerate() {
            let (mut bytes, mut lists, mut elements, mut nested) = (0, 0, 0, false);
            for array in column.cells.iter().filter_map(|cell| cell.value()) {
                if self.nodes.kind(array) == kind::ARRAY {
                    bytes += self.nodes.len_bytes(array);
                    lists += 1;
                    elements += self.nodes.children(array);
                    nested = nested || self.holds_lists(array);
                }
            }
            let wanted = nested || elements >= lists * LONG_LIST;
            if wanted && lists > 0 && bytes > largest.0 {
                largest = (bytes, Some(index));
            }
        }
        largest.1
    }

    /// Whether one of the first elements, which are objects, has an array of containers.
    fn holds_lists(&self, array: u32) -> bool {
        let nodes = self.nodes;
        nodes.elements(array).take(2).any(|object| {
            nodes.kind(object) == kind::OBJECT
                && nodes.keys(object).any(|key| {
                    let value = key + 1;
                    nodes.kind(value) == kind::ARRAY
                        && nodes.children(value) > 0
                        && nodes.kind(value + 1) == kind::OBJECT
                })
        })
    }

    /// Chooses the form of one column, and adds its leaves.
    fn settle(
        &mut self,
        column: Column<'s>,
        above: &str,
        group: Group,
        is_child: bool,
        leaves: &mut Vec<Leaf<'s>>,
    ) {
        let nodes = self.nodes;
        let seen = Seen::of(nodes, &column.cells);
        let mut leaf = Leaf {
            path: path(above, column.name),
            depth: group.depth,
            named: matches!(column.name, Name::Key(_)),
            cells: column.cells,
            form: Form::Plain,
            constant: None,
            ditto: false,
            prefix: "",
        };
        let constants = !group.nullable
            && seen.missing == 0
            && seen.values >= 2
            && (group.rows == Rows::Lines || self.dense)
            // A row of constants alone would be empty.
            && !matches!(column.name, Name::Row);
        if constants && let Some(first) = same_everywhere(nodes, &leaf.cells) {
            leaf.constant = Some(first);
            leaf.form =
                if nodes.kind(first) == kind::STRING && is_scalar(nodes.body(first).as_bytes()) {
                    Form::Strings
                } else {
                    Form::Plain
                };
            leaves.push(leaf);
            return;
        }
        if seen.arrays > 0 && group.rows == Rows::Lines {
            if self.list(&mut leaf, &seen, group, is_child) {
                leaves.push(leaf);
                return;
            }
            if self.dense
                && group.depth < DEEPEST
                && seen.arrays * 4 >= leaf.cells.len() * 3
                && let Some(columns) = Columns::of_tuples(nodes, &leaf.cells)
            {
                self.group(leaf, columns, group, leaves);
                return;
            }
        }
        // If an object is missing, each of its columns has a `~`.
        let enough = seen.objects * 2 >= seen.values && seen.objects * 4 >= seen.missing;
        if seen.objects > 0
            && enough
            && group.depth < DEEPEST
            && let Some(columns) = Columns::of_objects(nodes, &leaf.cells, &mut self.room)
            && !columns.columns.is_empty()
            && columns.is_filled(3)
        {
            self.group(leaf, columns, group, leaves);
            return;
        }
        if seen.lookalikes > 0 && seen.scalars == 0 {
            leaf.form = Form::Strings;
        }
        if self.dense {
            if seen.strings + seen.nulls == seen.values && seen.strings >= 3 {
                leaf.prefix = common_prefix(nodes, &leaf.cells);
                if !leaf.prefix.is_empty() {
                    leaf.form = Form::Strings;
                }
            }
            leaf.ditto = group.rows == Rows::Lines
                && !group.nullable
                && repeats(nodes, &leaf.cells) * 2 > seen.values;
        }
        leaves.push(leaf);
    }

    /// Splits objects (or arrays of one length) into columns.
    fn group(
        &mut self,
        leaf: Leaf<'s>,
        columns: Columns<'s>,
        group: Group,
        leaves: &mut Vec<Leaf<'s>>,
    ) {
        let nodes = self.nodes;
        // Rows with another value here, or with an empty object.
        let whole: Vec<(usize, u32)> = leaf
            .cells
            .iter()
            .enumerate()
            .filter_map(|(row, cell)| {
                let node = cell.value()?;
                let apart = nodes.kind(node) >= kind::ARRAY
                    && nodes.children(node) > 0
                    && !columns.odd[row];
                (!apart).then_some((row, node))
            })
            .collect();
        let missing = leaf.cells.contains(&Cell::MISSING);
        if leaf.named {
            let keys = matches!(columns.columns[0].name, Name::Key(_));
            let tokens = if keys { OBJECT_TOKENS } else { TUPLE_TOKENS };
            self.saved += tokens * columns.regular as i64;
        }
        let inner = Group {
            depth: group.depth + 1,
            nullable: group.nullable || missing || !whole.is_empty(),
            ..group
        };
        let from = leaves.len();
        for mut column in columns.columns {
            for (row, _) in &whole {
                column.cells[*row] = Cell::MISSING;
            }
            self.settle(column, &leaf.path, inner, false, leaves);
        }
        if let Some(first) = leaves[from..].iter_mut().find(|it| it.has_cell()) {
            let list = matches!(first.form, Form::Scalars | Form::List(..));
            let up = first.depth - group.depth + u32::from(list);
            for (row, node) in whole {
                first.cells[row] = Cell { node, up };
            }
        }
    }

    /// Makes a list of a column of arrays. False if their elements differ in kind.
    fn list(&mut self, leaf: &mut Leaf<'s>, seen: &Seen, group: Group, is_child: bool) -> bool {
        let nodes = self.nodes;
        if seen.arrays * 2 < seen.values {
            return false;
        }
        let mut starts: Vec<u32> = Vec::with_capacity(leaf.cells.len() + 1);
        let mut elements: Vec<Cell> = Vec::new();
        let mut scalars = 0;
        starts.push(0);
        for cell in &leaf.cells {
            if let Some(array) = cell.value()
                && nodes.kind(array) == kind::ARRAY
            {
                for element in nodes.elements(array) {
                    scalars += usize::from(nodes.kind(element) < kind::ARRAY);
                    elements.push(Cell::of(element));
                }
            }
            starts.push(elements.len() as u32);
        }
        if scalars == elements.len() {
            // In `dense`, short lists of one length become columns.
            let columns = self.dense && is_short_tuple(nodes, &leaf.cells);
            if !columns {
                leaf.form = Form::Scalars;
            }
            return !columns;
        }
        let Some(columns) = Columns::of_objects(nodes, &elements, &mut self.room) else {
            return false;
        };
        if columns.columns.is_empty()
            || columns.regular * 4 < elements.len() * 3
            || !columns.is_filled(2)
        {
            return false;
        }
        if is_child {
            let shape = self.shape(columns, elements, Rows::Lines, group.tables + 1);
            let empty = starts.windows(2).filter(|pair| pair[0] == pair[1]).count();
            let absent = if seen.missing * 2 > empty {
                Absent::Missing
            } else {
                Absent::EmptyList
            };
            leaf.form = Form::Child(Box::new(shape), starts, absent);
        } else {
            let shape = self.shape(columns, elements, Rows::Items, group.tables + 1);
            leaf.form = Form::List(Box::new(shape), starts);
        }
        true
    }
}

fn path(above: &str, name: Name<'_>) -> String {
    let mut path = String::with_capacity(above.len() + 16);
    path.push_str(above);
    if !above.is_empty() {
        path.push('.');
    }
    match name {
        Name::Key(body) if is_bare_name(body) => path.push_str(body),
        Name::Key(body) => {
            path.push('"');
            path.push_str(body);
            path.push('"');
        }
        Name::Index(index) => path.push_str(&index.to_string()),
        Name::Row => path.push('.'),
    }
    path
}
