//! The words above a table, for everything that a reader must be told. They need no legend.

/// After the number of rows of a list.
pub(super) const ROWS: &str = " rows";
/// After the number of rows of a map.
pub(super) const ENTRIES: &str = " entries by key";
/// The name of the first column of a map.
pub(super) const KEY: &str = "key";
/// Before the values common to all rows.
pub(super) const IN_ALL: &str = "; in all: ";
/// Between a common value and the column after its position.
pub(super) const BEFORE: &str = " (before ";
pub(super) const MISSING: &str = "; empty cell: no such key";
/// Before the names of objects that are null in some rows.
pub(super) const NULLS: &str = "; null if all its cells are null: ";
