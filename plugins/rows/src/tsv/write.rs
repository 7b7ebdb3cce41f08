//! Writes a table: the line of words, the header, the rows.

use super::cells::{needs_quotes, needs_quotes_as_name, push_text};
use super::shape::Table;
use super::words;
use crate::tables::source::{Nodes, kind};

/// Writes a table, each of its lines with a line break. Returns the bytes of lists and objects that are JSON in cells.
pub(super) fn table(out: &mut String, nodes: Nodes<'_>, table: &Table<'_>) -> usize {
    let mut writer = Writer {
        out,
        nodes,
        table,
        json_bytes: 0,
    };
    writer.words();
    writer.header();
    for row in 0..table.rows.len() {
        writer.row(row);
    }
    writer.json_bytes
}

struct Writer<'w, 's> {
    out: &'w mut String,
    nodes: Nodes<'s>,
    table: &'w Table<'s>,
    json_bytes: usize,
}

impl Writer<'_, '_> {
    /// Writes the number of rows, and everything that cells leave open.
    fn words(&mut self) {
        let table = self.table;
        self.out.push_str(&table.rows.len().to_string());
        let is_map = !table.keys.is_empty();
        self.out
            .push_str(if is_map { words::ENTRIES } else { words::ROWS });
        self.constants();
        if table.has_gaps {
            self.out.push_str(words::MISSING);
        }
        let nulls = table.groups.iter().filter(|group| group.nulls);
        for (index, group) in nulls.enumerate() {
            let before = if index == 0 { words::NULLS } else { ", " };
            self.out.push_str(before);
            self.out.push_str(&group.path);
        }
        self.out.push('\n');
    }

    /// Writes the values common to all rows, each with the column after its position.
    fn constants(&mut self) {
        let columns = &self.table.columns;
        let mut first = true;
        for (index, leaf) in columns.iter().enumerate() {
            let Some(value) = leaf.constant else { continue };
            let before = if first { words::IN_ALL } else { ", " };
            first = false;
            self.out.push_str(before);
            self.out.push_str(&leaf.path);
            self.out.push(' ');
            self.out.push_str(self.nodes.raw(value));
            if let Some(next) = columns.get(index + 1)
                && next.constant.is_none()
            {
                self.out.push_str(words::BEFORE);
                self.out.push_str(&next.path);
                self.out.push(')');
            }
        }
    }

    fn header(&mut self) {
        if !self.table.keys.is_empty() {
            self.out.push_str(words::KEY);
            self.out.push('\t');
        }
        for (index, leaf) in self.table.with_cells().enumerate() {
            if index > 0 {
                self.out.push('\t');
            }
            self.out.push_str(&leaf.path);
        }
        self.out.push('\n');
    }

    fn row(&mut self, row: usize) {
        let table = self.table;
        if let Some(key) = table.keys.get(row) {
            let body = self.nodes.body(*key);
            let quoted = needs_quotes_as_name(body, self.nodes.is_escaped(*key));
            self.string(*key, quoted);
            self.out.push('\t');
        }
        if table.whole[row] {
            self.json(table.rows[row].node);
        } else {
            for (index, leaf) in table.with_cells().enumerate() {
                if index > 0 {
                    self.out.push('\t');
                }
                match leaf.cells[row].value() {
                    Some(node) => self.cell(node),
                    None if table.is_in_null(leaf, row) => self.out.push_str("null"),
                    None => {}
                }
            }
        }
        self.out.push('\n');
    }

    fn cell(&mut self, node: u32) {
        match self.nodes.kind(node) {
            kind::STRING => {
                let body = self.nodes.body(node);
                self.string(node, needs_quotes(body, self.nodes.is_escaped(node)));
            }
            kind::ARRAY | kind::OBJECT => self.json(node),
            _ => self.out.push_str(self.nodes.raw(node)),
        }
    }

    fn string(&mut self, node: u32, quoted: bool) {
        if quoted {
            self.out.push_str(self.nodes.raw(node));
        } else {
            push_text(self.out, self.nodes.body(node), self.nodes.is_escaped(node));
        }
    }

    fn json(&mut self, node: u32) {
        self.json_bytes += self.nodes.len_bytes(node);
        self.out.push_str(self.nodes.raw(node));
    }
}
