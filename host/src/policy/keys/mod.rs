//! Every key of filters.toml: its name, type, default and meaning.
//!
//! One table has four uses: the parser's allowed keys (and the example in its message), the JSON Schema for
//! editors ([`schema()`]), the tables of `docs/filters-toml.md` ([`Table::reference`]), and the tests that
//! compare the three. Limits have their own table ([`super::LIMITS`]), and filters define their own settings.

mod reference;
mod schema;
mod tables;
#[cfg(test)]
mod tests;

pub use schema::{BuiltInSettings, schema};
pub use tables::{
    CHAIN, CLIENT, CLIENT_CAP, FILE, PLUGIN, PROFILE, READ_TOOL, RECORD, SERVE, SERVER, SESSION,
    STATE, STEP, TABLES, TEST, TESTS, TOOL, WHEN,
};

use super::defaults::Unit;

/// A table of filters.toml, with all the keys that it can have.
#[derive(Debug)]
pub struct Table {
    /// Its name in the schema and on the reference page: `read-tool`.
    pub name: &'static str,
    /// Its purpose, in a sentence.
    pub about: &'static str,
    /// The keys in the order of the reference page.
    pub keys: &'static [Key],
}

/// A key and its value.
#[derive(Debug)]
pub struct Key {
    /// The name in the file.
    pub name: &'static str,
    /// The type of its value.
    pub takes: Takes,
    /// The default.
    pub without: Without,
    /// A value, as spelled in filters.toml.
    pub example: &'static str,
    /// Its meaning, in Markdown of one line.
    pub meaning: &'static str,
}

/// The type of a key's value.
#[derive(Debug)]
pub enum Takes {
    /// Text that fits a regular expression, which suffices for an editor.
    Text {
        /// Its description in words.
        what: &'static str,
        /// The pattern in the syntax of ECMA 262, for the schema.
        pattern: &'static str,
    },
    /// `true` or `false`.
    Flag,
    /// Any value that JSON also has.
    Any,
    /// A table with any keys.
    Object,
    /// A whole number.
    Count { least: u64, most: u64 },
    /// One of a few words.
    Word(fn() -> Vec<&'static str>),
    /// A time or a size, with its unit, in quotes.
    Amount(Unit),
    /// A list. Only those of grants and of `on` may be empty.
    List {
        items: &'static Takes,
        may_be_empty: bool,
    },
    /// One of several types.
    Either(&'static [Takes]),
    /// A table of limits.
    Limits,
    /// A table of bounds of `tamis serve`.
    ServeLimits,
    /// The steps of a chain.
    Steps,
    /// Lists of steps with names of the operator's choice: `[name]`, and below it `NAME = [...]`.
    NamedSteps,
    /// A table: `[name]`.
    Table(&'static Table),
    /// Tables under one header: `[[name]]`.
    Tables(&'static Table),
    /// Tables with names of the operator's choice: `[name.NAME]`.
    Named(&'static Table),
}

/// The value that counts if the key is absent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Without {
    /// The key is required.
    Refused,
    /// The value of the example.
    Example,
    /// This text, in Markdown; empty if it needs no text.
    Said(&'static str),
}

impl Table {
    /// The names of its keys.
    pub fn names(&self) -> Vec<&'static str> {
        self.keys.iter().map(|key| key.name).collect()
    }

    /// A value of a key, for messages; empty if the table has no such key.
    pub(super) fn example(&self, name: &str) -> &'static str {
        let key = self.keys.iter().find(|key| key.name == name);
        key.map_or("", |key| key.example)
    }
}

impl Key {
    /// A required key.
    const fn required(
        name: &'static str,
        takes: Takes,
        example: &'static str,
        meaning: &'static str,
    ) -> Key {
        Key {
            name,
            takes,
            without: Without::Refused,
            example,
            meaning,
        }
    }

    /// A key that can be left out, which means this value.
    const fn default(
        name: &'static str,
        takes: Takes,
        default: &'static str,
        meaning: &'static str,
    ) -> Key {
        Key {
            name,
            takes,
            without: Without::Example,
            example: default,
            meaning,
        }
    }

    /// A key that can be left out.
    const fn optional(
        name: &'static str,
        takes: Takes,
        without: &'static str,
        example: &'static str,
        meaning: &'static str,
    ) -> Key {
        Key {
            name,
            takes,
            without: Without::Said(without),
            example,
            meaning,
        }
    }
}
