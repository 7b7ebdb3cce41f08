//! Converts JSON to text with tables, which costs a model fewer tokens, and back.
//!
//! The crate knows JSON, by its text and its tape (the index that `wit/filter.wit` describes), and no filters. The
//! filter `row-encoder` adds settings; other filters may use the crate too. `README.md` describes the forms of the
//! tables. `restore` returns exactly the compact JSON of the encoded document: the spelling of numbers and escapes, and
//! the order of keys.

mod restore;
mod tables;
mod tsv;

pub use restore::{RestoreError, restore};

use tables::source::Source;

/// Form of the tables: the more it saves, the more a reader must know.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// Tables that explain themselves: a header of names, plain cells, and words for everything that cells leave open.
    Table,
    /// Tables in a notation that the reader must know. Each line can be read alone.
    Exact,
    /// Also child rows, prefixes, empty cells that repeat the cell above, constants, and columns for arrays of one
    /// length.
    Dense,
}

/// Options of the encoder.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The form of the tables.
    pub level: Level,
    /// Shorter lists stay JSON; at least 2.
    pub min_rows: usize,
}

/// An encoded document.
#[derive(Debug)]
pub struct Encoded {
    /// The whole text.
    pub text: String,
    /// Its tables. Without any, the text is compact JSON.
    pub tables: Tables,
    /// Bytes of the compact JSON.
    pub compact_bytes: usize,
}

/// Counts of the tables in an encoded document. The text outside of them is compact JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tables {
    /// Number of tables.
    pub count: u32,
    /// Bytes of the tables.
    pub bytes: usize,
    /// Bytes of the compact JSON that the tables replace.
    pub json_bytes: usize,
}

impl Tables {
    fn add(&mut self, bytes: usize, json_bytes: usize) {
        self.count += 1;
        self.bytes += bytes;
        self.json_bytes += json_bytes;
    }
}

/// Encodes a JSON text, given with its tape. None if that saves nothing.
pub fn encode(text: &str, tape: &[u32], options: Options) -> Option<Encoded> {
    let source = Source::new(text, tape)?;
    let (encoded, tables) = match options.level {
        Level::Table => tsv::encode(source.nodes(), options.min_rows),
        Level::Exact | Level::Dense => {
            let (encoded, count) = tables::encode(source.nodes(), options);
            let tables = Tables {
                count,
                bytes: encoded.len(),
                json_bytes: source.nodes().raw(0).len(),
            };
            (encoded, tables)
        }
    };
    let compact = source.into_text();
    let compact_bytes = compact.len();
    // A table is written only if it is shorter than the JSON that it replaces.
    if tables.count > 0 {
        return Some(Encoded {
            text: encoded,
            tables,
            compact_bytes,
        });
    }
    (compact.len() < text.len()).then(|| Encoded {
        text: compact.into_owned(),
        tables: Tables::default(),
        compact_bytes,
    })
}
