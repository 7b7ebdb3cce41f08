//! Logs that name their columns in a line of their own: `#Fields: date time s-ip` of the W3C's extended format (IIS, and
//! CloudFront with tabs), `#fields<tab>ts<tab>uid` of Zeek.
//!
//! Owns this line and the separator of the cells below it: the tab if the first row has one, and a blank otherwise. Lines
//! that begin with `#` are no rows. Refuses cells with separators, and a second line with other names.

use super::{Loose, ROWS_FOR_OTHER};
use crate::Format;
use crate::lines::line_at;
use crate::table::{Header, Table};

/// The names of the columns, if a line has them.
fn names(line: &str) -> Option<&str> {
    let (mark, rest) = line.split_at_checked("#fields".len())?;
    let is_marked = mark.eq_ignore_ascii_case("#fields") && rest.starts_with([':', '\t']);
    is_marked.then(|| rest[1..].trim())
}

/// Reads the table below the names at `at`.
pub(super) fn read(text: &str, at: usize) -> Option<Loose> {
    let header = line_at(text, at);
    let names_here = names(header.text)?;
    let columns = names_here.split_ascii_whitespace();
    let count = columns.clone().count();
    let mut table = Table::new(columns, text.len() - at, Header::Ruled)?;
    let (mut others, mut next, mut end) = (Vec::new(), header.next, header.next);
    let mut separator = None;
    let mut unlike = 0;
    while next < text.len() {
        let line = line_at(text, next);
        next = line.next;
        if line.text.starts_with('#') {
            if names(line.text).is_some_and(|names| names != names_here) {
                return None;
            }
            others.push(line.range());
            continue;
        }
        if line.is_blank() {
            continue;
        }
        let tab = line.text.contains('\t');
        let separator = *separator.get_or_insert(if tab { '\t' } else { ' ' });
        let cells: Vec<&str> = line.text.split(separator).collect();
        if cells.len() == count {
            end = line.end();
            table.push(&cells, line.range())?;
        } else {
            unlike += 1;
            (unlike * ROWS_FOR_OTHER <= table.rows()).then_some(())?;
            others.push(line.range());
        }
    }
    others.retain(|line| line.start < end);
    Some(Loose::of(table.finish(Format::Tsv, at..end)?, others))
}
