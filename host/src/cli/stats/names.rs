//! Names as shown. Servers and clients choose them, so they may be long or harmful.

use super::Rows;
use crate::ledger::Row;
use crate::printable;
use std::borrow::Cow;

/// The name of a row, on one line.
pub(super) fn name(by: Rows, row: &Row) -> String {
    match (&row.name, by) {
        (Some(name), _) if name.is_empty() => "(no name)".to_owned(),
        (Some(name), _) => printable::line(name),
        (None, Rows::Client) if row.calls > 0 => "(unnamed)".to_owned(),
        (None, _) => "(calls not in the ledger)".to_owned(),
    }
}

/// The name in at most so many characters. Names differ at their ends as often as at their beginnings, so the
/// omitted part is in the middle.
pub(super) fn shortened(name: &str, most: usize) -> Cow<'_, str> {
    let count = name.chars().count();
    if count <= most {
        return Cow::Borrowed(name);
    }
    let head = most / 2;
    let tail = most - head - 1;
    let chars = || name.chars();
    let text: String = chars()
        .take(head)
        .chain(['…'])
        .chain(chars().skip(count - tail))
        .collect();
    Cow::Owned(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_name_keeps_its_ends() {
        assert_eq!(shortened("abcdefgh", 8), "abcdefgh");
        assert_eq!(shortened("abcdefghi", 8), "abcd…ghi");
        assert_eq!(shortened(&"é".repeat(500), 9).chars().count(), 9);
    }
}
