//! Where originals are from.

use super::LedgerError;
use super::database::Database;
use std::collections::HashMap;
use std::path::Path;

/// The tool of each original that the ledger of a state directory knows, by reference.
pub fn tools_by_reference(state_directory: &Path) -> Result<HashMap<String, String>, LedgerError> {
    let Some(mut database) = Database::open(state_directory)? else {
        return Ok(HashMap::new());
    };
    database.read(|transaction| {
        // The same result twice: the latest call counts.
        let mut statement = transaction.prepare(
            "SELECT reference, tool FROM calls WHERE reference IS NOT NULL ORDER BY time_ms, id",
        )?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        rows.collect()
    })
}
