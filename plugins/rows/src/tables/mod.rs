//! Writes JSON as tables, for the levels `exact` and `dense`. The crate's README has the grammar.
//!
//! The result is compact JSON in which a table replaces an array or object of similar objects. An estimate of tokens
//! decides whether a table pays. A table of short values saves keys and quotes, one with many gaps does not. A table
//! must also be shorter in bytes.

pub(crate) mod cells;
pub(crate) mod columns;
pub(crate) mod seen;
mod shape;
pub(crate) mod source;
mod write;

use crate::{Level, Options};
use columns::{Cell, most_cells};
use shape::{Shape, Shaper};
use source::{Nodes, kind};
use write::{Mark, Writer};

/// Fewest entries that make a table of a map of similar objects.
const FEWEST_ENTRIES: usize = 4;

/// Fewest strings of a list that may share a prefix.
const FEWEST_STRINGS: usize = 8;

/// Lists stay inside cells if that takes at most this share of the child rows, which are easier to read.
const INLINE_PERCENT: usize = 97;

/// Least tokens that a table must save by the estimate, which may be off by one or two.
const MARGIN_TOKENS: i64 = 4;

/// The document with tables, and the number of tables.
pub(crate) fn encode(nodes: Nodes<'_>, options: Options) -> (String, u32) {
    let mut encoder = Encoder::new(nodes, options);
    encoder.value(0);
    let Encoder { writer, tables, .. } = encoder;
    let mut encoded = writer.out;
    // The line break of a table's last row. Compact JSON has none.
    if encoded.ends_with('\n') {
        encoded.pop();
    }
    (encoded, tables)
}

struct Encoder<'s> {
    nodes: Nodes<'s>,
    options: Options,
    writer: Writer<'s>,
    tables: u32,
    /// Nodes that may still be tried as tables. Lists inside lists are tried more than once.
    tries: usize,
}

impl<'s> Encoder<'s> {
    fn new(nodes: Nodes<'s>, options: Options) -> Self {
        Encoder {
            nodes,
            options,
            writer: Writer::new(nodes),
            tables: 0,
            tries: nodes.len() * 8 + 64,
        }
    }

    /// Writes a value: as a table if that pays, else as JSON with tables inside.
    fn value(&mut self, node: u32) {
        let nodes = self.nodes;
        let is_object = match nodes.kind(node) {
            kind::ARRAY => false,
            kind::OBJECT => true,
            _ => return self.writer.out.push_str(nodes.raw(node)),
        };
        if self.table(node) {
            return;
        }
        if nodes.is_flat(node) {
            return self.writer.out.push_str(nodes.raw(node));
        }
        self.container(node, is_object);
    }

    /// Writes a container as JSON, with tables inside.
    fn container(&mut self, node: u32, is_object: bool) {
        let nodes = self.nodes;
        self.writer.out.push(if is_object { '{' } else { '[' });
        for (index, child) in nodes.elements(node).enumerate() {
            if index > 0 {
                self.writer.out.push(',');
            }
            if is_object {
                self.writer.out.push_str(nodes.raw(child));
                self.writer.out.push(':');
                self.value(child + 1);
            } else {
                self.value(child);
            }
        }
        self.writer.out.push(if is_object { '}' } else { ']' });
    }

    /// Writes a container as a table. False, with nothing written, if it is no table or does not pay.
    fn table(&mut self, node: u32) -> bool {
        let Some(tries) = self
            .tries
            .checked_sub((self.nodes.next(node) - node) as usize)
        else {
            return false;
        };
        let before = self.writer.mark();
        let Some((keys, shape)) = self.shape(node, true) else {
            return false;
        };
        self.tries = tries;
        let mut saved = self.writer.table(&keys, &shape);
        if shape.child.is_some()
            && let Some((keys, shape)) = self.shape(node, false)
        {
            // Child rows are easy to read, but lists inside cells are often shorter.
            let nested = self.writer.take(&before);
            let inline = self.writer.table(&keys, &shape);
            let shorter = self.writer.since(&before) * 100 < nested.len() * INLINE_PERCENT;
            if shorter && inline >= MARGIN_TOKENS {
                saved = inline;
            } else {
                self.writer.rewind(&before);
                self.writer.put_back(nested);
            }
        }
        let written = self.writer.since(&before);
        if saved < MARGIN_TOKENS || written >= self.nodes.len_bytes(node) {
            self.writer.rewind(&before);
            return false;
        }
        if self.writer.whole_bytes() * 2 > written {
            self.or_inside(node, &before);
        } else {
            self.tables += 1;
        }
        true
    }

    /// Replaces a table that is mostly JSON inside cells by the tables in that JSON, if these are shorter.
    fn or_inside(&mut self, node: u32, before: &Mark) {
        let table = self.writer.take(before);
        let tables = std::mem::replace(&mut self.tables, 0);
        self.container(node, self.nodes.kind(node) == kind::OBJECT);
        if self.tables > 0 && self.writer.since(before) < table.len() {
            self.tables += tables;
        } else {
            self.writer.rewind(before);
            self.writer.put_back(table);
            self.tables = tables + 1;
        }
    }

    /// The table of a container, with or without child rows; for a map, also its keys.
    fn shape(&self, node: u32, children: bool) -> Option<(Vec<u32>, Shape<'s>)> {
        let nodes = self.nodes;
        let count = nodes.children(node);
        if count < self.options.min_rows {
            return None;
        }
        let mut shaper = Shaper {
            nodes,
            dense: self.options.level == Level::Dense,
            children,
            saved: 0,
            room: most_cells(nodes, node),
        };
        if nodes.kind(node) == kind::OBJECT {
            if count < FEWEST_ENTRIES {
                return None;
            }
            let keys: Vec<u32> = nodes.keys(node).collect();
            let alike =
                |key: &u32| nodes.kind(key + 1) == kind::OBJECT && nodes.children(key + 1) > 0;
            let objects = keys.iter().filter(|key| alike(key)).count();
            if objects * 4 < keys.len() * 3 || has_twice(nodes, &keys) {
                return None;
            }
            let rows = keys.iter().map(|key| Cell::of(key + 1)).collect();
            return Some((keys, shaper.objects(rows)?));
        }
        let rows: Vec<Cell> = nodes.elements(node).map(Cell::of).collect();
        let of_kind = |kind: u32| rows.iter().filter(|it| nodes.kind(it.node) == kind).count();
        let shape = match nodes.kind(rows.first()?.node) {
            kind::ARRAY if of_kind(kind::ARRAY) == rows.len() => shaper.tuples(rows),
            kind::STRING
                if shaper.dense
                    && rows.len() >= FEWEST_STRINGS
                    && of_kind(kind::STRING) == rows.len() =>
            {
                Some(shaper.strings(rows))
            }
            _ if of_kind(kind::OBJECT) * 4 >= rows.len() * 3 => shaper.objects(rows),
            _ => None,
        };
        Some((Vec::new(), shape?))
    }
}

/// Whether a key occurs twice, or may do so because a key has escapes.
pub(crate) fn has_twice(nodes: Nodes<'_>, keys: &[u32]) -> bool {
    if keys.iter().any(|key| nodes.is_escaped(*key)) {
        return true;
    }
    let mut names: Vec<&[u8]> = keys.iter().map(|key| nodes.bytes(*key)).collect();
    names.sort_unstable();
    names.windows(2).any(|pair| pair[0] == pair[1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::source::Source;
    use tamis_document::Document;

    /// The tokens that the table of a document saves by the estimate.
    fn saved(json: &str, level: Level) -> Option<i64> {
        let document = Document::json(json).expect("JSON");
        let words = document.tape().expect("JSON has a tape").words();
        let source = Source::new(json, words).expect("there are nodes");
        let mut encoder = Encoder::new(source.nodes(), Options { level, min_rows: 2 });
        let (keys, shape) = encoder.shape(0, true)?;
        Some(encoder.writer.table(&keys, &shape))
    }

    #[test]
    fn the_estimate_is_a_sum_of_what_each_cell_saves() {
        // A table costs 3, each column 1 and its header a fifth of its bytes; a cell saves 2.
        for (json, level, expected) in [
            (r#"[{"a":1},{"a":2}]"#, Level::Exact, 0),
            (r#"[{"a":1},{"a":2},{"a":3}]"#, Level::Exact, 2),
            (r#"[{"a":1,"b":1},{"a":2,"b":2}]"#, Level::Exact, 3),
            (r#"[{"abcdefghi":1},{"abcdefghi":2}]"#, Level::Exact, -1),
            (r#"[{"abcdefghij":1},{"abcdefghij":2}]"#, Level::Exact, -2),
            // A quoted string, and a mark between cells, cost 2.
            (r#"[{"a":"x"},{"a":"12"}]"#, Level::Exact, 0),
            (r#"[{"a":"x "},{"a":1}]"#, Level::Exact, -2),
            (r#"[{"a":1,"b":1,"c":1},{"a":2,"c":2}]"#, Level::Exact, 1),
            (r#"[{"a":1,"b":1,"c":1},{"a":2}]"#, Level::Exact, 1),
            // A value that all rows have saves 3 in each row.
            (r#"[{"a":1,"b":7},{"a":2,"b":7}]"#, Level::Exact, 4),
            (
                r#"[{"a":1,"b":7},{"a":2,"b":7},{"a":3,"b":7}]"#,
                Level::Exact,
                9,
            ),
            // A row as JSON costs 2.
            (
                r#"[{"a":1,"b":1},{"a":2,"b":2},{"a":3,"b":3},{"b":4,"a":4}]"#,
                Level::Exact,
                5,
            ),
            // A key of a map saves 1 more.
            (
                r#"{"w":{"a":1},"x":{"a":2},"y":{"a":3},"z":{"a":4}}"#,
                Level::Exact,
                8,
            ),
            // An object inside saves 3.
            (r#"[{"o":{"a":1}},{"o":{"a":2}}]"#, Level::Exact, 6),
            (
                r#"[{"o":{"a":1}},{"o":{"a":2}},{"o":{"a":3}},{"o":null}]"#,
                Level::Exact,
                9,
            ),
            // Arrays have no keys: the table saves the quotes of words.
            (r#"[[1,2],[3,4],[5,6]]"#, Level::Exact, -5),
            (r#"[["a",2],["b",4],["c",6]]"#, Level::Exact, -2),
            (r#"[["1a",2],["2b",4],["3c",6]]"#, Level::Exact, -5),
            (r#"[{"o":[1,2]},{"o":[3,4]}]"#, Level::Dense, -4),
            // A list saves 1, and each of the values of its objects.
            (r#"[{"l":[1,2]},{"l":[3]}]"#, Level::Exact, -2),
            (r#"[{"l":[]},{"l":[3]}]"#, Level::Exact, -3),
            (r#"[{"l":[null]},{"l":[3]}]"#, Level::Exact, -4),
            (r#"[{"l":["1",2]},{"l":[3]}]"#, Level::Exact, -4),
            (
                r#"[{"l":[{"a":1,"b":2}]},{"l":[{"a":3,"b":4},{"a":5,"b":6}]}]"#,
                Level::Exact,
                1,
            ),
            (
                r#"[{"l":[{"a":1,"b":2,"c":3}]},{"l":[{"a":3,"c":4},{"a":5}]}]"#,
                Level::Exact,
                -2,
            ),
            (
                r#"[{"l":[{"a":1,"b":2},{"a":1,"b":3},{"a":4,"b":4},{"b":1,"a":1}]},{"l":[]}]"#,
                Level::Exact,
                -2,
            ),
            (
                r#"[{"l":[{"a":1}]},{"l":"x"},{"l":[{"a":1}]}]"#,
                Level::Exact,
                -3,
            ),
            // Child rows are rows of their own.
            (
                r#"[{"i":1,"l":[{"a":1},{"a":2},{"a":3},{"a":4}]},{"i":2,"l":[{"a":1},{"a":2},{"a":3},{"a":4}]}]"#,
                Level::Dense,
                -2,
            ),
            (
                r#"[{"i":1,"l":[{"a":1},{"a":2},{"a":3},{"a":4},{"a":5}]},{"i":2,"l":"x"},{"i":3,"l":[{"a":1},{"a":2},{"a":3},{"a":4}]}]"#,
                Level::Dense,
                15,
            ),
            // A repeated value saves as much, and a prefix saves a fifth of its bytes in each cell.
            (
                r#"[{"i":1,"f":"x"},{"i":2,"f":"x"},{"i":3,"f":"x"},{"i":4,"f":"y"}]"#,
                Level::Dense,
                11,
            ),
            (
                r#"[{"f":"abcd/1x"},{"f":"abcd/2y"},{"f":"abcd/3z"}]"#,
                Level::Dense,
                4,
            ),
            (
                r#"[{"f":"abcdefghi/1x"},{"f":"abcdefghi/2y"},{"f":"abcdefghi/3z"}]"#,
                Level::Dense,
                6,
            ),
        ] {
            assert_eq!(saved(json, level), Some(expected), "{json}");
        }
    }
}
