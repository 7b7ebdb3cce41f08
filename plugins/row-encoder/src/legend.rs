//! The legend: how to read the notation of a level's tables, once instead of in every result.

use tamis_rows::Level;

/// Legends of at most 60 tokens each; a test checks this.
const EXACT: &str = "Table `#3 id zip:s`: 3 tab-separated rows; ~ missing, a.b nested, :s text, k=v all rows, x[a,b] list (; between), * map key, ^ columns as before, ! JSON.";

const DENSE: &str = "Table `#3 id`: 3 tab-separated rows; ~ missing, k=v all rows, x[a] list, >x[a] rows below, k\" empty = above, k^p prefix p, * key, ^ same columns, ! JSON.";

/// None for tables that explain themselves.
pub(crate) fn of_tables(level: Level) -> Option<&'static str> {
    match level {
        Level::Table => None,
        Level::Exact => Some(EXACT),
        Level::Dense => Some(DENSE),
    }
}
