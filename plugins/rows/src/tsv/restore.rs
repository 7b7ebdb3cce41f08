//! Converts tables back to JSON.

use super::cells::{push_string, push_value};
use super::words;
use crate::restore::json_end;

/// Most levels of split objects: more than the encoder writes.
const DEEPEST: usize = 32;

/// Whether a table begins here: the number of its rows and a blank, after its bracket.
pub(crate) fn starts_table(text: &str) -> bool {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.len() < text.len() && rest.starts_with(' ')
}

/// A reader of lines.
pub(crate) struct Reader<'t> {
    pub(crate) text: &'t str,
    pub(crate) at: usize,
}

/// The words above a table.
#[derive(Default)]
struct Words<'t> {
    rows: usize,
    is_map: bool,
    /// Name, value, and the column after the value's position.
    constants: Vec<(&'t str, &'t str, Option<&'t str>)>,
    empty_is_missing: bool,
    nulls: Vec<&'t str>,
}

/// An object that was split into columns.
#[derive(Default)]
struct Group<'t> {
    /// Each with its key as JSON.
    parts: Vec<(String, Part<'t>)>,
    is_null_if_cells_are: bool,
}

enum Part<'t> {
    Cell(usize),
    Constant(&'t str),
    Group(Group<'t>),
}

impl<'t> Reader<'t> {
    /// Reads a table, from the number of its rows to the line break of its last row, and writes it as JSON. None if the
    /// text is no table.
    pub(crate) fn table(&mut self, out: &mut String) -> Option<()> {
        let words = Words::parse(self.line()?)?;
        let mut group = Group::default();
        let mut width = 0;
        let mut columns = self.line()?.split('\t');
        if words.is_map && columns.next() != Some(words::KEY) {
            return None;
        }
        for path in columns {
            let is_here = |it: &&(_, _, Option<&str>)| it.2 == Some(path);
            for (name, value, _) in words.constants.iter().filter(is_here) {
                group.add(name, Part::Constant(value), &words)?;
            }
            group.add(path, Part::Cell(width), &words)?;
            width += 1;
        }
        for (name, value, _) in words.constants.iter().filter(|it| it.2.is_none()) {
            group.add(name, Part::Constant(value), &words)?;
        }
        let (open, close) = if words.is_map { ('{', '}') } else { ('[', ']') };
        out.push(open);
        for row in 0..words.rows {
            if row > 0 {
                out.push(',');
            }
            let mut line = self.line()?;
            if words.is_map {
                let (key, rest) = line.split_once('\t')?;
                if key.starts_with('"') {
                    out.push_str(key);
                } else {
                    push_string(out, key);
                }
                out.push(':');
                line = rest;
            }
            words.row(&group, line, width, out)?;
        }
        out.push(close);
        Some(())
    }

    /// The next line. Its line break is skipped. None at the end of the text.
    fn line(&mut self) -> Option<&'t str> {
        if self.at > self.text.len() {
            return None;
        }
        let rest = &self.text[self.at..];
        let end = rest.find('\n').unwrap_or(rest.len());
        self.at += end + 1;
        Some(&rest[..end])
    }
}

impl<'t> Words<'t> {
    fn parse(line: &'t str) -> Option<Words<'t>> {
        let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
        let mut words = Words {
            rows: line[..line.len() - rest.len()].parse().ok()?,
            ..Words::default()
        };
        let rest = if let Some(rest) = rest.strip_prefix(words::ENTRIES) {
            words.is_map = true;
            rest
        } else {
            rest.strip_prefix(words::ROWS)?
        };
        let rest = match rest.strip_prefix(words::IN_ALL) {
            Some(rest) => words.constants(rest)?,
            None => rest,
        };
        let rest = match rest.strip_prefix(words::MISSING) {
            Some(rest) => {
                words.empty_is_missing = true;
                rest
            }
            None => rest,
        };
        if let Some(names) = rest.strip_prefix(words::NULLS) {
            words.nulls = names.split(", ").collect();
        } else if !rest.is_empty() {
            return None;
        }
        Some(words)
    }

    /// Reads the values common to all rows, and returns the rest of the line.
    fn constants(&mut self, text: &'t str) -> Option<&'t str> {
        let mut rest = text;
        let mut placed = 0;
        loop {
            let (name, after) = rest.split_once(' ')?;
            let end = if after.starts_with(['"', '[', '{']) {
                json_end(after.as_bytes(), 0)
            } else {
                after.find([' ', ',', ';']).unwrap_or(after.len())
            };
            self.constants.push((name, after.get(..end)?, None));
            rest = &after[end..];
            if let Some(after) = rest.strip_prefix(words::BEFORE) {
                let (column, after) = after.split_once(')')?;
                for constant in &mut self.constants[placed..] {
                    constant.2 = Some(column);
                }
                placed = self.constants.len();
                rest = after;
            }
            match rest.strip_prefix(", ") {
                Some(after) => rest = after,
                None => return Some(rest),
            }
        }
    }

    /// Writes one row as JSON.
    fn row(&self, group: &Group<'_>, line: &str, width: usize, out: &mut String) -> Option<()> {
        let cells: Vec<&str> = line.split('\t').collect();
        if cells.len() == 1 && width > 1 {
            out.push_str(line);
            return Some(());
        }
        if cells.len() != width {
            return None;
        }
        self.object(group, &cells, out);
        Some(())
    }

    fn object(&self, group: &Group<'_>, cells: &[&str], out: &mut String) {
        if group.is_null_if_cells_are && group.all(cells, "null") {
            return out.push_str("null");
        }
        out.push('{');
        let mut first = true;
        for (key, part) in &group.parts {
            if self.is_missing(part, cells) {
                continue;
            }
            if !first {
                out.push(',');
            }
            first = false;
            out.push_str(key);
            out.push(':');
            match part {
                Part::Cell(index) => push_value(out, cells[*index]),
                Part::Constant(json) => out.push_str(json),
                Part::Group(group) => self.object(group, cells, out),
            }
        }
        out.push('}');
    }

    fn is_missing(&self, part: &Part<'_>, cells: &[&str]) -> bool {
        self.empty_is_missing
            && match part {
                Part::Cell(index) => cells[*index].is_empty(),
                Part::Constant(_) => false,
                Part::Group(group) => group.all(cells, ""),
            }
    }
}

impl<'t> Group<'t> {
    /// Adds a column under its path.
    fn add(&mut self, path: &str, part: Part<'t>, words: &Words<'_>) -> Option<()> {
        let mut group = self;
        let mut at = 0;
        for _ in 0..DEEPEST {
            let rest = path.get(at..)?;
            let (key, end) = if rest.starts_with('"') {
                let end = json_end(rest.as_bytes(), 0);
                (rest.get(..end)?.to_owned(), end)
            } else {
                let end = rest.find('.').unwrap_or(rest.len());
                (format!("\"{}\"", &rest[..end]), end)
            };
            at += end;
            if at == path.len() {
                group.parts.push((key, part));
                return Some(());
            }
            if path.as_bytes().get(at) != Some(&b'.') {
                return None;
            }
            let is_open =
                matches!(group.parts.last(), Some((last, Part::Group(_))) if *last == key);
            if !is_open {
                let inner = Group {
                    parts: Vec::new(),
                    is_null_if_cells_are: words.nulls.contains(&&path[..at]),
                };
                group.parts.push((key, Part::Group(inner)));
            }
            let Some((_, Part::Group(inner))) = group.parts.last_mut() else {
                return None;
            };
            group = inner;
            at += 1;
        }
        None
    }

    /// Whether all cells of an object have this text.
    fn all(&self, cells: &[&str], text: &str) -> bool {
        self.parts.iter().all(|(_, part)| match part {
            Part::Cell(index) => cells[*index] == text,
            Part::Constant(_) => false,
            Part::Group(group) => group.all(cells, text),
        })
    }
}
