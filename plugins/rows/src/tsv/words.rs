//! The words above a table: all that a reader has to be told, in words that need no key.

/// After the number of rows of a list.
pub(super) const ROWS: &str = " rows";
/// After the number of rows of a map.
pub(super) const ENTRIES: &str = " entries by key";
/// The name of the first column of a map.
pub(super) const KEY: &str = "key";
/// In front of what is the same in all rows.
pub(super) const IN_ALL: &str = "; in all: ";
/// Between a value that is the same in all rows and the column that it stands before.
pub(super) const BEFORE: &str = " (before ";
pub(super) const MISSING: &str = "; empty cell: no such key";
/// In front of the names of objects that are null in some rows.
pub(super) const NULLS: &str = "; null if all its cells are null: ";
