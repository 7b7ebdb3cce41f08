//! Converts rows of a table back to JSON values.

use super::header::{Column, Form, Group, Header, Part};
use super::{Reader, RestoreError, json_end};
use crate::tables::cells::{is_scalar, push_body};

/// The content of one row.
struct Row<'r, 't> {
    header: &'r Header,
    /// A cell for each column with cells; none after the end of the row.
    cells: &'r [Option<&'t str>],
    /// The child rows, as JSON; none if the list is missing.
    below: Option<String>,
}

impl<'t> Reader<'t> {
    /// Reads `count` rows and writes them as an array, or as an object if they have keys.
    pub(super) fn rows(
        &mut self,
        header: &Header,
        count: usize,
        out: &mut String,
    ) -> Result<(), RestoreError> {
        out.push(if header.keyed { '{' } else { '[' });
        for row in 0..count {
            if row > 0 {
                out.push(',');
                if self.at == self.text.len() && row + 1 < count {
                    return Err(self.error("fewer rows than the header says"));
                }
            }
            let mut line = self.line();
            if header.keyed {
                let (key, rest) = match line.split_once('\t') {
                    Some((key, rest)) => (key, Some(rest)),
                    None => (line, None),
                };
                push_string(out, key, "");
                out.push(':');
                match rest {
                    Some(rest) => line = rest,
                    None => {
                        self.row(header, vec![None; header.cells.len()], 0, out)?;
                        continue;
                    }
                }
            }
            self.line_of_cells(header, line, 0, out)?;
        }
        out.push(if header.keyed { '}' } else { ']' });
        Ok(())
    }

    fn line_of_cells(
        &mut self,
        header: &Header,
        line: &'t str,
        depth: usize,
        out: &mut String,
    ) -> Result<(), RestoreError> {
        if let Some(whole) = line.strip_prefix('!') {
            out.push_str(whole);
            return Ok(());
        }
        let mut cells: Vec<Option<&'t str>> = line.split('\t').map(Some).collect();
        if header.cells.is_empty() {
            cells.clear();
        }
        if cells.len() > header.cells.len() {
            return Err(self.error("more cells than columns before here"));
        }
        cells.resize(header.cells.len(), None);
        for (index, column) in header.cells.iter().enumerate() {
            if column.ditto && cells[index] == Some("") {
                let above = self.above.get(depth).and_then(|row| row.get(index));
                cells[index] = above.copied().flatten();
            }
        }
        self.row(header, cells, depth, out)
    }

    fn row(
        &mut self,
        header: &Header,
        cells: Vec<Option<&'t str>>,
        depth: usize,
        out: &mut String,
    ) -> Result<(), RestoreError> {
        let below = match &header.child {
            Some(child) if self.indent() > depth || !header.absent_is_missing => {
                self.below(child, depth + 1)?
            }
            _ => None,
        };
        let row = Row {
            header,
            cells: &cells,
            below,
        };
        row.write(&header.rows, true, out);
        if self.above.len() <= depth {
            self.above.resize(depth + 1, Vec::new());
        }
        self.above[depth] = cells;
        Ok(())
    }

    /// Reads the child rows at `depth` tabs. None if their list is missing.
    fn below(&mut self, header: &Header, depth: usize) -> Result<Option<String>, RestoreError> {
        let mut out = String::from("[");
        while self.indent() >= depth {
            self.at += depth;
            let line = self.line();
            if let Some(list) = line.strip_prefix("!~") {
                return Ok((!list.is_empty()).then(|| list.to_owned()));
            }
            if out.len() > 1 {
                out.push(',');
            }
            self.line_of_cells(header, line, depth, &mut out)?;
        }
        out.push(']');
        Ok(Some(out))
    }

    fn indent(&self) -> usize {
        let rest = &self.text.as_bytes()[self.at..];
        rest.iter().take_while(|byte| **byte == b'\t').count()
    }
}

impl Row<'_, '_> {
    fn is_missing(&self, part: &Part) -> bool {
        match part {
            Part::Cell(index) => matches!(self.cells[*index], None | Some("~")),
            Part::Constant(_) => false,
            Part::Group(group) => group.parts.iter().all(|(_, part)| self.is_missing(part)),
            Part::Child => self.below.is_none(),
        }
    }

    /// Writes an object or array from its columns. `is_row`: it is not part of another.
    fn write(&self, group: &Group, is_row: bool, out: &mut String) {
        if !is_row
            && let Some((index, up)) = group.first_cell(&self.header.cells)
            && let Some(cell) = self.cells[index]
        {
            let whole = cell.trim_start_matches('~');
            if !whole.is_empty() && cell.len() - whole.len() == up {
                out.push_str(whole);
                return;
            }
        }
        if !group.is_row {
            out.push(if group.is_array { '[' } else { '{' });
        }
        let mut first = true;
        for (name, part) in &group.parts {
            if self.is_missing(part) {
                continue;
            }
            if !first {
                out.push(',');
            }
            first = false;
            if !group.is_row && !group.is_array {
                out.push_str(name);
                out.push(':');
            }
            match part {
                Part::Cell(index) => {
                    let cell = self.cells[*index].unwrap_or_default();
                    push_cell(out, cell, &self.header.cells[*index]);
                }
                Part::Constant(json) => out.push_str(json),
                Part::Group(group) => self.write(group, false, out),
                Part::Child => out.push_str(self.below.as_deref().unwrap_or_default()),
            }
        }
        if !group.is_row {
            out.push(if group.is_array { ']' } else { '}' });
        }
    }
}

fn push_cell(out: &mut String, cell: &str, column: &Column) {
    match &column.form {
        Form::Plain => push_plain(out, cell, false, ""),
        Form::Strings => push_plain(out, cell, true, &column.prefix),
        Form::Scalars | Form::List(_) if matches!(cell, "" | "null") => out.push_str("null"),
        Form::Scalars | Form::List(_) if cell == "[]" => out.push_str(cell),
        Form::Scalars | Form::List(_) if cell.starts_with('~') => out.push_str(&cell[1..]),
        Form::Scalars => {
            out.push('[');
            let mut at = 0;
            loop {
                let end = item_end(cell, at);
                push_plain(out, &cell[at..end], false, "");
                if cell.as_bytes().get(end) != Some(&b',') {
                    break;
                }
                out.push(',');
                at = end + 1;
            }
            out.push(']');
        }
        Form::List(header) => {
            out.push('[');
            push_items(out, cell, header);
            out.push(']');
        }
    }
}

/// Writes the elements of a list in a cell.
fn push_items(out: &mut String, cell: &str, header: &Header) {
    let mut at = 0;
    let mut cells: Vec<Option<&str>> = Vec::new();
    loop {
        let mut end;
        if cell[at..].starts_with('!') {
            at += 1;
            end = json_end(cell.as_bytes(), at);
            out.push_str(&cell[at..end]);
        } else {
            cells.clear();
            loop {
                end = item_end(cell, at);
                cells.push(Some(&cell[at..end]));
                if cell.as_bytes().get(end) != Some(&b',') {
                    break;
                }
                at = end + 1;
            }
            cells.resize(header.cells.len(), None);
            let row = Row {
                header,
                cells: &cells,
                below: None,
            };
            row.write(&header.rows, true, out);
        }
        if cell.as_bytes().get(end) != Some(&b';') {
            return;
        }
        out.push(',');
        at = end + 1;
    }
}

/// The end of a list's field that begins at `at`.
fn item_end(cell: &str, at: usize) -> usize {
    let rest = &cell[at..];
    let tildes = rest.len() - rest.trim_start_matches('~').len();
    if tildes > 0 || rest.starts_with(['"', '[', '{']) {
        return json_end(cell.as_bytes(), at + tildes);
    }
    rest.find([',', ';']).map_or(cell.len(), |end| at + end)
}

/// Writes the value of a cell without lists.
pub(super) fn push_plain(out: &mut String, cell: &str, strings: bool, prefix: &str) {
    match cell.as_bytes().first() {
        None => out.push_str("null"),
        Some(b'[' | b'{') => out.push_str(cell),
        _ if cell == "null" || (!strings && is_scalar(cell.as_bytes())) => out.push_str(cell),
        _ => push_string(out, cell, prefix),
    }
}

/// Writes a bare or quoted string as JSON.
fn push_string(out: &mut String, cell: &str, prefix: &str) {
    out.push('"');
    out.push_str(prefix);
    match cell.strip_prefix('"') {
        Some(quoted) => out.push_str(quoted),
        None => {
            push_body(out, cell);
            out.push('"');
        }
    }
}
