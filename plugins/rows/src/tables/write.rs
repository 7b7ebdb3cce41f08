//! Writes tables: the header, and the rows below it.

use super::cells::{Place, needs_quotes, push_bare};
use super::columns::Cell;
use super::shape::{Absent, Form, Leaf, Shape};
use super::source::{Nodes, kind};
use std::ops::Range;

/// Approximate savings in tokens. A key with quotes and colon costs three tokens in JSON. The tab that replaces it
/// costs one or, before a word, none.
mod worth {
    pub const CELL: i64 = 2;
    pub const ITEM: i64 = 1;
    pub const CONSTANT: i64 = 3;
    /// A mark that JSON does not have: `~`, quotes, `!`.
    pub const MARK: i64 = -2;
    /// `#`, the number of rows, the line break.
    pub const TABLE: i64 = -3;
    /// Bytes of a name or prefix that cost about one token.
    pub const BYTES: i64 = 5;
}

/// A position in the output to return to.
pub(super) struct Mark {
    len: usize,
    header: Range<usize>,
}

/// A table that was removed from the output.
pub(super) struct Taken {
    text: String,
    header: Range<usize>,
    whole_bytes: usize,
}

impl Taken {
    pub(super) fn len(&self) -> usize {
        self.text.len()
    }
}

/// Writes tables, and the JSON around them.
pub(super) struct Writer<'s> {
    nodes: Nodes<'s>,
    pub(super) out: String,
    /// The position of the latest header.
    header: Range<usize>,
    saved: i64,
    whole_bytes: usize,
}

impl<'s> Writer<'s> {
    pub(super) fn new(nodes: Nodes<'s>) -> Self {
        Writer {
            nodes,
            out: String::with_capacity(nodes.len_bytes(0) + 64),
            header: 0..0,
            saved: 0,
            whole_bytes: 0,
        }
    }

    pub(super) fn mark(&self) -> Mark {
        Mark {
            len: self.out.len(),
            header: self.header.clone(),
        }
    }

    /// Removes the output after a mark.
    pub(super) fn rewind(&mut self, mark: &Mark) {
        self.out.truncate(mark.len);
        self.header = mark.header.clone();
    }

    /// The number of bytes after a mark.
    pub(super) fn since(&self, mark: &Mark) -> usize {
        self.out.len() - mark.len
    }

    /// Removes a table after a mark, so that it can be put back there later.
    pub(super) fn take(&mut self, mark: &Mark) -> Taken {
        let taken = Taken {
            text: self.out.split_off(mark.len),
            header: self.header.clone(),
            whole_bytes: self.whole_bytes,
        };
        self.header = mark.header.clone();
        taken
    }

    /// Writes a removed table again.
    pub(super) fn put_back(&mut self, taken: Taken) {
        self.out.push_str(&taken.text);
        self.header = taken.header;
        self.whole_bytes = taken.whole_bytes;
    }

    /// Bytes of arrays and objects that are JSON in the cells of the latest table.
    pub(super) fn whole_bytes(&self) -> usize {
        self.whole_bytes
    }

    /// Writes a table. `keys` are those of a map, or none. Returns the tokens that it may save.
    pub(super) fn table(&mut self, keys: &[u32], shape: &Shape<'s>) -> i64 {
        self.saved = worth::TABLE + shape.saved;
        self.whole_bytes = 0;
        self.out.push('#');
        self.out.push_str(&shape.rows.len().to_string());
        self.out.push(' ');
        let start = self.out.len();
        if !keys.is_empty() {
            self.out.push('*');
        }
        for leaf in &shape.leaves {
            if self.out.len() > start {
                self.out.push('\t');
            }
            self.column(leaf, Place::Row);
        }
        let header = start..self.out.len();
        if header.len() > 1 && self.out[header.clone()] == self.out[self.header.clone()] {
            self.out.truncate(start);
            self.out.push('^');
        } else {
            self.saved -= header.len() as i64 / worth::BYTES;
            self.header = header;
        }
        self.out.push('\n');
        for row in 0..shape.rows.len() {
            if let Some(key) = keys.get(row) {
                let body = self.nodes.body(*key);
                if needs_quotes(body, false, Place::Row) {
                    self.out.push_str(self.nodes.raw(*key));
                } else {
                    self.out.push_str(body);
                }
                self.saved += 1;
            }
            self.row(shape, row, 0, !keys.is_empty());
        }
        self.saved
    }

    /// Writes one column of a header.
    fn column(&mut self, leaf: &Leaf<'s>, place: Place) {
        if matches!(leaf.form, Form::Child(..)) {
            self.out.push('>');
        }
        self.out.push_str(&leaf.path);
        if matches!(leaf.form, Form::Child(_, _, Absent::Missing)) {
            self.out.push('~');
        }
        match &leaf.form {
            Form::Plain => {}
            Form::Strings if !leaf.prefix.is_empty() => {}
            Form::Strings => self.out.push_str(":s"),
            Form::Scalars => self.out.push_str("[]"),
            Form::List(shape, _) | Form::Child(shape, ..) => {
                self.out.push('[');
                for (index, leaf) in shape.leaves.iter().enumerate() {
                    if index > 0 {
                        self.out.push(',');
                    }
                    self.column(leaf, Place::Head);
                }
                self.out.push(']');
            }
        }
        if leaf.ditto {
            self.out.push('"');
        }
        if !leaf.prefix.is_empty() {
            self.out.push('^');
            self.out.push_str(leaf.prefix);
        }
        if let Some(constant) = leaf.constant {
            self.out.push('=');
            let before = self.saved;
            self.single(leaf, constant, place);
            let rows = leaf.cells.iter().filter(|cell| cell.value().is_some());
            self.saved = before + worth::CONSTANT * rows.count() as i64;
        }
        self.saved -= 1;
    }

    /// Writes one row, its line break, and its child rows.
    fn row(&mut self, shape: &Shape<'s>, row: usize, depth: usize, keyed: bool) {
        self.indent(depth);
        if shape.odd.get(row) == Some(&true) {
            if keyed {
                self.out.push('\t');
            }
            self.out.push('!');
            self.whole(shape.rows[row].node);
            self.saved += worth::MARK;
            self.out.push('\n');
            return;
        }
        let mut end = self.out.len();
        let mut first = true;
        let mut gaps = 0;
        for leaf in shape.leaves.iter().filter(|leaf| leaf.has_cell()) {
            if !first || keyed {
                self.out.push('\t');
            }
            let cell = leaf.cells[row];
            if leaf.ditto && self.is_ditto(leaf, row) {
                self.saved += worth::CELL;
            } else {
                self.cell(leaf, row, Place::Row);
            }
            if cell == Cell::MISSING {
                gaps += 1;
            } else {
                end = self.out.len();
                self.saved += worth::MARK * gaps;
                gaps = 0;
            }
            if first && !keyed {
                end = self.out.len();
            }
            first = false;
        }
        // Missing cells at the end of a row are left out.
        self.out.truncate(end);
        self.out.push('\n');
        if let Some(child) = shape.child {
            self.below(&shape.leaves[child], row, depth + 1);
        }
    }

    fn indent(&mut self, depth: usize) {
        for _ in 0..depth {
            self.out.push('\t');
        }
    }

    /// Writes the elements of a row's list as child rows.
    fn below(&mut self, leaf: &Leaf<'s>, row: usize, depth: usize) {
        let Form::Child(shape, starts, absent) = &leaf.form else {
            return;
        };
        let cell = leaf.cells[row];
        let is_list = cell
            .value()
            .is_some_and(|node| self.nodes.kind(node) == kind::ARRAY);
        if is_list && (starts[row] < starts[row + 1] || *absent == Absent::EmptyList) {
            for element in starts[row]..starts[row + 1] {
                self.row(shape, element as usize, depth, false);
            }
            return;
        }
        if cell == Cell::MISSING && *absent == Absent::Missing {
            return;
        }
        self.indent(depth);
        self.out.push_str("!~");
        if let Some(node) = cell.value() {
            self.whole(node);
        }
        self.saved += worth::MARK;
        self.out.push('\n');
    }

    /// Whether a cell repeats the cell above. Odd rows do not count.
    fn is_ditto(&self, leaf: &Leaf<'s>, row: usize) -> bool {
        let above = leaf.cells[..row]
            .iter()
            .rev()
            .find(|cell| **cell != Cell::SKIPPED);
        match (above.and_then(|cell| cell.value()), leaf.cells[row].value()) {
            (Some(above), Some(here)) => self.nodes.bytes(above) == self.nodes.bytes(here),
            _ => false,
        }
    }

    /// Writes one cell.
    fn cell(&mut self, leaf: &Leaf<'s>, row: usize, place: Place) {
        let cell = leaf.cells[row];
        if cell == Cell::MISSING || cell == Cell::SKIPPED {
            self.out.push('~');
            return;
        }
        if cell.up > 0 {
            for _ in 0..cell.up {
                self.out.push('~');
            }
            self.whole(cell.node);
            self.saved += worth::MARK;
            return;
        }
        let node = cell.node;
        let is_array = self.nodes.kind(node) == kind::ARRAY;
        match &leaf.form {
            Form::Scalars if is_array => {
                self.listed(node, |writer| writer.scalars(node));
            }
            Form::List(shape, starts) if is_array => {
                self.listed(node, |writer| {
                    writer.items(shape, starts[row]..starts[row + 1]);
                });
            }
            Form::Scalars | Form::List(..) if self.nodes.kind(node) != kind::NULL => {
                self.out.push('~');
                self.whole(node);
                self.saved += worth::MARK;
            }
            _ => self.single(leaf, node, place),
        }
    }

    /// Writes a value that is not a list of its column's form.
    fn single(&mut self, leaf: &Leaf<'s>, node: u32, place: Place) {
        self.saved += if leaf.named {
            match place {
                Place::Row => worth::CELL,
                Place::Item | Place::Head => worth::ITEM,
            }
        } else {
            // JSON has no keys here: the table saves the quotes of words.
            self.is_word(node).into()
        };
        match self.nodes.kind(node) {
            kind::STRING => {
                let body = &self.nodes.body(node)[leaf.prefix.len()..];
                self.saved += leaf.prefix.len() as i64 / worth::BYTES;
                let typed = !matches!(leaf.form, Form::Strings);
                self.string(body, self.nodes.is_escaped(node), typed, place);
            }
            kind::ARRAY | kind::OBJECT => self.whole(node),
            _ => self.out.push_str(self.nodes.raw(node)),
        }
    }

    /// Whether a value is a string that begins with a letter: a tab before the letter is usually part of its token.
    fn is_word(&self, node: u32) -> bool {
        let [b'"', first, ..] = self.nodes.bytes(node) else {
            return false;
        };
        first.is_ascii_alphabetic()
    }

    fn string(&mut self, body: &str, escaped: bool, typed: bool, place: Place) {
        if needs_quotes(body, typed, place) {
            self.out.push('"');
            self.out.push_str(body);
            self.out.push('"');
            self.saved += worth::MARK;
        } else {
            push_bare(&mut self.out, body, escaped);
        }
    }

    /// Writes a list inside a cell by `write`, or as JSON if a reader would take it for another value.
    fn listed(&mut self, array: u32, write: impl FnOnce(&mut Self)) {
        if self.nodes.children(array) == 0 {
            self.out.push_str("[]");
            return;
        }
        let start = self.out.len();
        write(self);
        self.saved += 1;
        let text = &self.out[start..];
        if text.is_empty() || matches!(text, "[]" | "null") || text.starts_with(['~', '!']) {
            self.out.truncate(start);
            self.out.push('~');
            self.whole(array);
            self.saved += worth::MARK;
        }
    }

    fn scalars(&mut self, array: u32) {
        for (index, node) in self.nodes.elements(array).enumerate() {
            if index > 0 {
                self.out.push(',');
            }
            match self.nodes.kind(node) {
                kind::STRING => {
                    let escaped = self.nodes.is_escaped(node);
                    self.string(self.nodes.body(node), escaped, true, Place::Item);
                }
                _ => self.out.push_str(self.nodes.raw(node)),
            }
        }
    }

    fn items(&mut self, shape: &Shape<'s>, elements: Range<u32>) {
        for (index, element) in elements.enumerate() {
            if index > 0 {
                self.out.push(';');
            }
            let row = element as usize;
            if shape.odd.get(row) == Some(&true) {
                self.out.push('!');
                self.whole(shape.rows[row].node);
                self.saved += worth::MARK;
                continue;
            }
            let mut end = self.out.len();
            let mut gaps = 0;
            let leaves = shape.leaves.iter().filter(|leaf| leaf.has_cell());
            for (column, leaf) in leaves.enumerate() {
                if column > 0 {
                    self.out.push(',');
                }
                self.cell(leaf, row, Place::Item);
                if leaf.cells[row] == Cell::MISSING {
                    gaps += 1;
                } else {
                    self.saved += worth::MARK * gaps;
                    gaps = 0;
                }
                if column == 0 || leaf.cells[row] != Cell::MISSING {
                    end = self.out.len();
                }
            }
            self.out.truncate(end);
        }
    }

    /// Writes a node as compact JSON.
    fn whole(&mut self, node: u32) {
        self.whole_bytes += self.nodes.len_bytes(node);
        self.out.push_str(self.nodes.raw(node));
    }
}
