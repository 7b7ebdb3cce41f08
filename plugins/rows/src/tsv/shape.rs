//! The table of a list or map of similar objects: its columns, which of them are constant, and the meaning of an empty
//! cell.

use super::cells::{is_bare_key, is_word};
use crate::tables::columns::{Cell, Column, Columns, Name};
use crate::tables::seen::{Seen, same_everywhere};
use crate::tables::source::{Nodes, kind};

/// Most levels of objects that are split.
const DEEPEST: usize = 8;

/// One of this many objects inside rows may differ from the others. Its whole row is JSON then.
const ALIKE: usize = 8;

/// Tokens that a common value must save to be written once, above the rows.
const CONSTANT_TOKENS: usize = 12;

/// A table that is ready to be written.
pub(super) struct Table<'s> {
    /// The keys of a map; none for a list.
    pub(super) keys: Vec<u32>,
    pub(super) rows: Vec<Cell>,
    /// For every row, whether it is written as JSON.
    pub(super) whole: Vec<bool>,
    pub(super) columns: Vec<Leaf>,
    pub(super) groups: Vec<Group>,
    /// Some cells are empty because their rows lack the key.
    pub(super) has_gaps: bool,
    nodes: Nodes<'s>,
}

/// One column.
pub(super) struct Leaf {
    /// Its name in the header.
    pub(super) path: String,
    /// Whether the name can be used in the line of words.
    is_word: bool,
    /// The index in `groups` of the object that has this member.
    pub(super) group: usize,
    pub(super) cells: Vec<Cell>,
    /// All rows have this value, so they have no cell for it.
    pub(super) constant: Option<u32>,
}

/// An object that was split into columns. The first is the row itself.
pub(super) struct Group {
    pub(super) path: String,
    is_word: bool,
    depth: usize,
    pub(super) parent: usize,
    /// The object in each row, or null, or missing.
    cells: Vec<Cell>,
    /// Some rows have null instead.
    pub(super) nulls: bool,
}

impl<'s> Table<'s> {
    /// The table of a list of objects, or of a map with these keys. `room` is the number of cells that may still be
    /// made.
    pub(super) fn of_objects(
        nodes: Nodes<'s>,
        keys: Vec<u32>,
        rows: Vec<Cell>,
        room: &mut usize,
    ) -> Option<Table<'s>> {
        let columns = Columns::of_objects(nodes, &rows, room)?;
        if columns.columns.is_empty()
            || columns.regular * 4 < rows.len() * 3
            || !columns.is_filled(1)
        {
            return None;
        }
        let mut table = Table {
            keys,
            whole: columns.odd,
            columns: Vec::with_capacity(columns.columns.len()),
            groups: vec![Group {
                path: String::new(),
                is_word: true,
                depth: 0,
                parent: 0,
                cells: rows.clone(),
                nulls: false,
            }],
            rows,
            has_gaps: false,
            nodes,
        };
        for column in columns.columns {
            table.settle(column, 0, room);
        }
        table.finish()
    }

    /// Adds a column, or columns for the objects in it.
    fn settle(&mut self, column: Column<'s>, group: usize, room: &mut usize) {
        let Name::Key(key) = column.name else { return };
        let above = &self.groups[group];
        let mut path = above.path.clone();
        if !path.is_empty() {
            path.push('.');
        }
        if is_bare_key(key) {
            path.push_str(key);
        } else {
            path.extend(["\"", key, "\""]);
        }
        let is_word = above.is_word && is_word(key);
        let depth = above.depth + 1;
        if depth < DEEPEST
            && let Some((columns, nulls)) = self.apart(&column.cells, group, is_word, room)
        {
            self.groups.push(Group {
                path,
                is_word,
                depth,
                parent: group,
                cells: column.cells,
                nulls,
            });
            let group = self.groups.len() - 1;
            for column in columns {
                self.settle(column, group, room);
            }
            return;
        }
        self.columns.push(Leaf {
            path,
            is_word,
            group,
            cells: column.cells,
            constant: None,
        });
    }

    /// The columns of the objects in a column, if they are worth it, and whether some are null instead. A row whose
    /// object differs from the others becomes JSON.
    fn apart(
        &mut self,
        cells: &[Cell],
        group: usize,
        is_word: bool,
        room: &mut usize,
    ) -> Option<(Vec<Column<'s>>, bool)> {
        let nodes = self.nodes;
        let seen = Seen::of(nodes, cells);
        let others = seen.scalars + seen.strings + seen.arrays;
        let missing = (0..cells.len()).any(|row| self.is_absent(cells, group, row));
        let is_one = seen.missing == 0 && same_everywhere(nodes, cells).is_some();
        if seen.objects < 2
            || others * ALIKE > seen.objects
            || (seen.nulls > 0 && (missing || !is_word))
            || is_one
        {
            return None;
        }
        let is_null = |cell: &Cell| cell.value().is_some_and(|it| nodes.kind(it) == kind::NULL);
        let objects: Vec<Cell> = cells
            .iter()
            .map(|cell| if is_null(cell) { Cell::MISSING } else { *cell })
            .collect();
        let columns = Columns::of_objects(nodes, &objects, room)?;
        let is_unlike = |row: usize| {
            let cell = objects[row].value();
            columns.odd[row] || cell.is_some_and(|object| nodes.children(object) == 0)
        };
        let unlike = (0..cells.len()).filter(|row| is_unlike(*row)).count();
        if columns.columns.is_empty() || !columns.is_filled(2) || unlike * ALIKE > seen.objects {
            return None;
        }
        for row in 0..cells.len() {
            self.whole[row] |= is_unlike(row);
        }
        Some((columns.columns, seen.nulls > 0))
    }

    /// Whether a row has the object of a group, but lacks this member.
    fn is_absent(&self, cells: &[Cell], group: usize, row: usize) -> bool {
        cells[row] == Cell::MISSING && !self.whole[row] && self.has(group, row)
    }

    /// Whether a row has the object of a group.
    fn has(&self, group: usize, row: usize) -> bool {
        let object = self.groups[group].cells[row].value();
        object.is_some_and(|node| self.nodes.kind(node) == kind::OBJECT)
    }

    /// Chooses the words, and the rows that cells cannot express. None if no table remains.
    fn finish(mut self) -> Option<Table<'s>> {
        self.find_constants();
        let rows = self.rows.len();
        self.has_gaps = (0..rows).any(|row| {
            let mut cells = self.columns.iter().map(|leaf| (&leaf.cells, leaf.group));
            let mut groups = self.groups[1..].iter().map(|it| (&it.cells, it.parent));
            cells.any(|(cells, group)| self.is_absent(cells, group, row))
                || groups.any(|(cells, group)| self.is_absent(cells, group, row))
        });
        for row in self.unclear() {
            self.whole[row] = true;
        }
        let whole = self.whole.iter().filter(|whole| **whole).count();
        let width = self.columns.iter().filter(|leaf| leaf.constant.is_none());
        // A row of JSON is recognised because it has no tabs. An empty line is not a row.
        let has_nulls = self.groups.iter().any(|it| it.nulls);
        let is_narrow = width.count() < 2 && (whole > 0 || self.has_gaps || has_nulls);
        (whole * 4 <= rows && !is_narrow).then_some(self)
    }

    /// Chooses the columns that are written once, in words.
    fn find_constants(&mut self) {
        // From the last to the first: the column after a constant gives the constant's position.
        let mut is_next_word = true;
        let mut with_cells = 0;
        for index in (0..self.columns.len()).rev() {
            let leaf = &self.columns[index];
            let always = (0..self.rows.len())
                .all(|row| self.whole[row] || leaf.cells[row].value().is_some());
            let constant = same_everywhere(self.nodes, &leaf.cells).filter(|value| {
                let tokens = self.nodes.len_bytes(*value).div_ceil(4);
                let rows = self.rows.len();
                always && leaf.is_word && is_next_word && tokens * (rows - 1) > CONSTANT_TOKENS
            });
            if constant.is_none() {
                is_next_word = leaf.is_word;
                with_cells += 1;
            }
            self.columns[index].constant = constant;
        }
        // A row is a line. Without cells it would be invisible.
        for leaf in &mut self.columns {
            if with_cells < 2 && leaf.constant.is_some() {
                leaf.constant = None;
                with_cells += 1;
            }
        }
    }

    /// Rows that could be misread: an object whose cells are all empty looks missing, and one whose cells are all null
    /// looks null.
    fn unclear(&self) -> Vec<usize> {
        let is_doubtful = |group: &Group| group.nulls || self.has_gaps;
        if !self.groups.iter().any(is_doubtful) {
            return Vec::new();
        }
        // For each group, whether a cell of it is present, and whether one is not null.
        let mut seen = vec![(false, false); self.groups.len()];
        let mut rows = Vec::new();
        for row in 0..self.rows.len() {
            if self.whole[row] {
                continue;
            }
            seen.fill((false, false));
            for leaf in &self.columns {
                let is_null = self.is_null(leaf, row);
                let is_empty = leaf.cells[row].value().is_none() && !is_null;
                let (is_there, is_other) = &mut seen[leaf.group];
                *is_there |= leaf.constant.is_some() || !is_empty;
                *is_other |= leaf.constant.is_some() || !is_null;
            }
            // A group comes after the group around it.
            for group in (1..self.groups.len()).rev() {
                let (is_there, is_other) = seen[group];
                let around = &mut seen[self.groups[group].parent];
                around.0 |= is_there;
                around.1 |= is_other;
            }
            let is_unclear = |group: usize| {
                let (is_there, is_other) = seen[group];
                let looks_null = self.groups[group].nulls && !is_other;
                let looks_missing = self.has_gaps && !is_there;
                self.has(group, row) && (looks_null || looks_missing)
            };
            if (0..self.groups.len()).any(is_unclear) {
                rows.push(row);
            }
        }
        rows
    }

    /// Whether the cell of a column is null: because its value is, or an object around it.
    fn is_null(&self, leaf: &Leaf, row: usize) -> bool {
        match leaf.cells[row].value() {
            Some(node) => self.nodes.kind(node) == kind::NULL,
            None => self.is_in_null(leaf, row),
        }
    }

    /// Whether an object around a column's cell is null.
    pub(super) fn is_in_null(&self, leaf: &Leaf, row: usize) -> bool {
        let mut group = leaf.group;
        while group > 0 {
            let object = self.groups[group].cells[row].value();
            if object.is_some_and(|node| self.nodes.kind(node) == kind::NULL) {
                return true;
            }
            group = self.groups[group].parent;
        }
        false
    }

    /// Columns that have cells in rows.
    pub(super) fn with_cells(&self) -> impl Iterator<Item = &Leaf> {
        self.columns.iter().filter(|leaf| leaf.constant.is_none())
    }
}
