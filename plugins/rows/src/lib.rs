//! JSON to text with tables, which costs a model fewer tokens, and back again.
//!
//! It knows JSON, by its text and its tape (the index that `wit/filter.wit` describes), and nothing
//! of filters: the filter `row-encoder` puts it behind settings, and other filters may use it too.
//! The forms of the tables are in `README.md`. `restore` gives back exactly the compact JSON of
//! what was encoded: numbers, escapes, order of keys, all as it was spelled.

mod restore;
mod tables;
mod tsv;

pub use restore::{RestoreError, restore};

use tables::source::Source;

/// How far the encoder goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// Tables that explain themselves: a header of names, plain cells, and in words what cells do not
    /// say.
    Table,
    /// Tables with a notation that has to be known, whose lines can each be read alone.
    Exact,
    /// Also child rows, prefixes, cells left out that say the same as above, and constants and
    /// arrays of one length inside.
    Dense,
}

/// What to encode, and how.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How far to go.
    pub level: Level,
    /// Lists shorter than this stay JSON; at least 2.
    pub min_rows: usize,
}

/// A document after encoding.
#[derive(Debug)]
pub struct Encoded {
    /// The whole of it.
    pub text: String,
    /// The tables in it; with none it is compact JSON.
    pub tables: Tables,
    /// Bytes of the compact JSON.
    pub compact_bytes: usize,
}

/// The tables of an encoded document. What is not in a table is as in the compact JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tables {
    /// Number of tables.
    pub count: u32,
    /// Bytes that they take.
    pub bytes: usize,
    /// Bytes of the compact JSON that they stand for.
    pub json_bytes: usize,
}

impl Tables {
    fn add(&mut self, bytes: usize, json_bytes: usize) {
        self.count += 1;
        self.bytes += bytes;
        self.json_bytes += json_bytes;
    }
}

/// Encodes a JSON text, given with its tape. None if nothing is gained.
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
    // A table is written only if it is shorter than what it stands for.
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
