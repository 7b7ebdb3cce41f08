//! JSON to text with tables, which costs a model fewer tokens, and back again.
//!
//! It knows JSON, by its text and its tape (the index that `wit/filter.wit` describes), and nothing
//! of filters: the filter `row-encoder` puts it behind settings, and other filters may use it too.
//! The grammar of the tables is in `README.md`. `restore` gives back exactly the compact JSON of
//! what was encoded: numbers, escapes, order of keys, all as it was spelled.

mod restore;
mod tables;

pub use restore::{RestoreError, restore};
pub use tables::{Density, Encoded, Options, encode};
