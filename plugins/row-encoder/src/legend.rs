//! The paragraph that says how to read the tables: once, in a tool's description, and not in every
//! result.

use tamis_rows::Density;

/// What both levels need. At most 90 tokens with a level's own part, which a test holds.
const EXACT: &str = "Results may hold tables: `#3 id name:s` = 3 rows follow, tab-separated. Empty = null, `~` or cut off = missing, `a.b` nested, `:s` text, `k=v` same in all rows, `x[a,b]` list of objects (`;` between), `*` map key, `^` columns as before, `!` JSON.";

const DENSE: &str = "In results, `#3 id name` = 3 rows, tab-separated. Empty = null, `~`/cut off = missing, `a.b` nested, `k=v` in all rows, `x[a,b]` list (`;`), `>x[a]` indented rows, `k\"` empty = as above, `k^p` prefix p, `*` key.";

pub(crate) fn of_tables(density: Density) -> &'static str {
    match density {
        Density::Exact => EXACT,
        Density::Dense => DENSE,
    }
}

#[cfg(test)]
pub(crate) const ALL: [&str; 2] = [EXACT, DENSE];
