//! Rows under names, and their conversion to JSON.
//!
//! Owns the allowed names of a table, and the difference between a header and a first row. The JSON comes with its tape,
//! since both are known here: nobody has to index it again. Refuses to know notations.

use crate::json::{is_number, push_quoted};
use crate::json_cells::push_cell;
use crate::lines::line_at;
use crate::words;
use crate::{Format, Found, Renamed};
use std::ops::Range;

/// Fewest rows of a table: prose may look like fewer.
pub(crate) const FEWEST_ROWS: usize = 3;

/// Most columns of a table for people.
const MOST_COLUMNS: usize = 512;

/// Longest name: a longer one is a sentence.
const LONGEST_NAME: usize = 64;

/// Most words of a name: more are a sentence.
const MOST_WORDS: usize = 5;

/// JSON repeats the names in each row. It may grow to this many times the text, or to this many bytes.
pub(crate) const MOST_GROWTH: usize = 8;
pub(crate) const ALWAYS_BYTES: usize = 1 << 20;

/// So many rows tell how long the others are.
const ROWS_MEASURED: usize = 16;

/// Bytes of JSON for which room is made at once, and about how many of them have a node.
const ROOM: usize = 1_024;
const BYTES_OF_A_NODE: usize = 8;

/// The evidence that the first line is a header.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Header {
    /// A rule is under it.
    Ruled,
    /// Its words look like one.
    Likely,
    /// The same, but the first column has no name: it numbers the rows.
    Indexed,
    /// Some names are numbers. The first column has a name below the others, or none.
    Numbered,
}

/// A table while its rows are read.
pub(crate) struct Table {
    columns: Vec<Column>,
    /// UTF-8.
    json: Vec<u8>,
    /// The tape of the JSON, see `wit/filter.wit`. Its first node is the list's, which is made at the end.
    tape: Vec<[u32; 4]>,
    renamed: Vec<Renamed>,
    /// Bytes of the text, and most bytes of the JSON.
    len: usize,
    limit: usize,
    rows: Vec<Range<usize>>,
    /// The row that is being read: its cells, its node, and its first byte.
    cells: usize,
    row: usize,
    row_start: usize,
}

/// A column, and common properties of its cells.
struct Column {
    /// What is before each cell: the name as a key of JSON.
    key: Key,
    /// All non-empty cells have a digit or a sign that the name lacks.
    is_unlike_name: bool,
    is_filled: bool,
    /// All non-empty cells are numbers.
    is_number: bool,
    name: String,
    /// Cells that are the name.
    like_name: usize,
}

/// `{"id":` for the first column, `,"id":` for the others.
struct Key {
    /// Followed by zeros, up to a multiple of the length of a chunk.
    chunks: Vec<[u8; 16]>,
    length: usize,
    is_escaped: bool,
}

impl Key {
    fn new(name: &str, place: usize) -> Key {
        let mut key = String::from(if place == 0 { "{" } else { "," });
        push_quoted(&mut key, name);
        key.push(':');
        let chunk = |part: &[u8]| {
            let mut chunk = [0; 16];
            chunk[..part.len()].copy_from_slice(part);
            chunk
        };
        Key {
            chunks: key.as_bytes().chunks(16).map(chunk).collect(),
            length: key.len(),
            is_escaped: key.contains('\\'),
        }
    }
}

impl Table {
    /// Makes a table under these names, in a text of `len` bytes. None for an empty name but that of an index, for many
    /// duplicate ones, and, without a rule, for a name that is a number or a sentence.
    pub(crate) fn new<'n>(
        names: impl IntoIterator<Item = &'n str>,
        len: usize,
        header: Header,
    ) -> Option<Table> {
        let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
        let is_fit = |(place, name): (usize, &String)| match header {
            // The first column may be an index, which has no name.
            Header::Ruled => (place == 0 || !name.is_empty()) && name.len() <= LONGEST_NAME,
            Header::Indexed if place == 0 => name.is_empty(),
            Header::Numbered if place == 0 => name.is_empty() || is_name(name),
            Header::Numbered => {
                is_name(name) || name == "..." || !name.is_empty() && digits(name) == name.len()
            }
            Header::Likely | Header::Indexed => is_name(name),
        };
        if names.len() < 2 || names.len() > MOST_COLUMNS || !names.iter().enumerate().all(is_fit) {
            return None;
        }
        let (mut keys, mut renamed) = (Vec::new(), Vec::new());
        if !words::are_distinct(names.iter().map(|name| &**name).collect()) {
            keys.clone_from(&names);
            renamed = set_apart(&mut keys)?;
        }
        let column = |(place, name): (usize, String)| Column {
            key: Key::new(keys.get(place).unwrap_or(&name), place),
            is_unlike_name: !has_marks(&name),
            is_filled: false,
            is_number: true,
            name,
            like_name: 0,
        };
        // Room for the rows of a short table: what grows moves in memory.
        let room = len.min(ROOM);
        let mut json = Vec::with_capacity(room);
        json.push(b'[');
        let mut tape = Vec::with_capacity(room / BYTES_OF_A_NODE);
        tape.push([0; 4]);
        Some(Table {
            columns: names.into_iter().enumerate().map(column).collect(),
            json,
            tape,
            renamed,
            len,
            limit: (len * MOST_GROWTH).max(ALWAYS_BYTES),
            rows: Vec::new(),
            cells: 0,
            row: 0,
            row_start: 0,
        })
    }

    /// Tells that the text ends after so many bytes.
    pub(crate) fn ends_after(&mut self, len: usize) {
        self.len = len;
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows.len()
    }

    /// Where the first row begins.
    pub(crate) fn first_row(&self) -> Option<usize> {
        self.rows.first().map(|row| row.start)
    }

    /// Adds the row at `at`. None if it is ragged, or the JSON becomes too long.
    #[inline(never)]
    pub(crate) fn push<C: AsRef<str>>(&mut self, cells: &[C], at: Range<usize>) -> Option<()> {
        for cell in cells {
            self.cell(cell.as_ref());
        }
        self.end_row(at)
    }

    /// Adds the next cell of a row.
    pub(crate) fn cell(&mut self, cell: &str) {
        self.cell_of(cell.as_bytes());
    }

    /// The same of the bytes of a text.
    pub(crate) fn cell_of(&mut self, cell: &[u8]) {
        if self.cells == 0 {
            if !self.rows.is_empty() {
                self.json.push(b',');
            }
            self.row = self.tape.len();
            self.row_start = self.json.len();
            self.tape.push([0; 4]);
        }
        // One cell too many makes the row ragged.
        let column = self.columns.get_mut(self.cells);
        self.cells += 1;
        let Some(column) = column else { return };
        // The sign before the key is no part of it.
        let key_start = self.json.len() + 1;
        for chunk in &column.key.chunks {
            self.json.extend_from_slice(chunk);
        }
        let value_start = key_start - 1 + column.key.length;
        self.json.truncate(value_start);
        let head = push_cell(&mut self.json, cell);
        let key_head = if column.key.is_escaped {
            KEY | ESCAPED
        } else {
            KEY
        };
        let next = self.tape.len() + 2;
        self.tape.extend_from_slice(&[
            node(key_head, key_start, value_start - 1, next),
            node(head, value_start, self.json.len(), next),
        ]);
        if !cell.is_empty() {
            column.is_filled = true;
            column.is_number = column.is_number && head == NUMBER;
            column.like_name += usize::from(cell == column.name.as_bytes());
            column.is_unlike_name = column.is_unlike_name && (head == NUMBER || has_marks(cell));
        }
    }

    /// Ends the row at `at`. None if it is ragged, or the JSON becomes too long.
    pub(crate) fn end_row(&mut self, at: Range<usize>) -> Option<()> {
        let cells = std::mem::take(&mut self.cells);
        if cells != self.columns.len() || self.json.len() > self.limit {
            return None;
        }
        self.json.push(b'}');
        let head = OBJECT | children(cells);
        self.tape[self.row] = node(head, self.row_start, self.json.len(), self.tape.len());
        self.rows.push(at);
        if self.rows.len() == ROWS_MEASURED {
            self.reserve();
        }
        Some(())
    }

    /// Makes room for the other rows, which are about as long as the first.
    fn reserve(&mut self) {
        let (Some(first), Some(last)) = (self.rows.first(), self.rows.last()) else {
            return;
        };
        let read = (last.end - first.start).max(1);
        let rest = self.len.saturating_sub(read);
        // A little more, since room that is not used costs nothing, and a move much.
        let share = |of: usize| {
            let share = of as u64 * rest as u64 / read as u64;
            share.min(ALWAYS_BYTES as u64) as usize * 33 / 32
        };
        self.rows.reserve(share(self.rows.len()));
        self.json.reserve(share(self.json.len()));
        self.tape.reserve(share(self.tape.len()));
    }

    /// Whether cells may be a row, and are not the header of another table.
    pub(crate) fn may_have<C: AsRef<str>>(&self, cells: &[C]) -> bool {
        let is_like_others = |(column, cell): (&Column, &C)| {
            let cell = cell.as_ref();
            let has_marks_too = !column.is_unlike_name || has_marks(cell);
            let is_number_too = !column.is_number || is_number(cell);
            !column.is_filled || cell.is_empty() || has_marks_too && is_number_too
        };
        let is_row =
            cells.iter().any(is_missing) || self.columns.iter().zip(cells).all(is_like_others);
        cells.len() == self.columns.len() && is_row
    }

    /// Whether the lines at `at` begin as the first two rows do: the rows of another table about the same things.
    pub(crate) fn begins_again(&self, text: &str, at: usize, separator: u8) -> bool {
        let Some([one, other]) = self.rows.first_chunk() else {
            return false;
        };
        let first_cell = |start: usize| {
            let rest = &text.as_bytes()[start..];
            &rest[..memchr::memchr2(separator, b'\n', rest).unwrap_or(rest.len())]
        };
        let next = line_at(text, at).next;
        first_cell(at) == first_cell(one.start)
            && first_cell(next) == first_cell(other.start)
            && first_cell(at) != first_cell(next)
    }

    /// Whether cells are the header of this table again, or that of the rows below them: all are names, and below one of
    /// them all cells are of another kind.
    pub(crate) fn is_header<C: AsRef<str>>(&self, cells: &[C], below: &[Vec<C>]) -> bool {
        let mut is_other = false;
        let mut is_unlike = false;
        for (at, name) in cells.iter().map(AsRef::as_ref).enumerate() {
            let own = self.columns.get(at).map(|own| &*own.name);
            // The first column may have no name.
            let is_index = at == 0 && name.is_empty() && own == Some(name);
            if !is_index && !is_name(name) {
                return false;
            }
            is_other |= own != Some(name);
            let has_marks_too = has_marks(name);
            let (mut is_filled, mut is_kind) = (false, true);
            for cell in below.iter().map(|row| row[at].as_ref()) {
                is_filled |= !cell.is_empty();
                // `date/time` is a name, and no date is.
                let has_marks = has_marks(cell) && (!has_marks_too || !is_name(cell));
                is_kind &= cell.is_empty() || is_number(cell) || has_marks;
            }
            is_unlike |= is_filled && is_kind;
        }
        !is_other || is_unlike
    }

    /// Whether [`Table::has_header`] may hold once more rows are read. False at once for lines of a text that have a
    /// separator each, but no more in common than that.
    pub(crate) fn may_have_header(&self) -> bool {
        let may_differ = |column: &Column| {
            let ends_in_digit = column.name.ends_with(|c: char| c.is_ascii_digit());
            // A first column without a name numbers the rows, or lines only begin with a separator.
            let is_indent = column.name.is_empty() && !column.is_filled;
            column.is_unlike_name && !is_indent || column.is_number && ends_in_digit
        };
        // A look at each row would take longer than a few rows.
        !self.rows.len().is_multiple_of(ROWS_MEASURED) || self.columns.iter().any(may_differ)
    }

    /// Whether the first row is certainly a header: some column's cells are of another kind than its name, and no name is
    /// a frequent value of its column, unless all are, as where a header is repeated.
    pub(crate) fn has_header(&self) -> bool {
        /// One value in so many is frequent, if there are a few.
        const ONE_OF: usize = 20;
        const FEW: usize = 3;
        let is_value = |column: &Column| {
            column.like_name >= FEW && column.like_name * ONE_OF >= self.rows.len()
        };
        // `q1` above numbers, and no hash or code.
        let mut numbered = self
            .columns
            .iter()
            .filter(|column| column.is_above_numbers());
        let are_many = numbered.clone().count() > 1;
        let are_named = are_many || numbered.any(|column| digits(&column.name) <= 2);
        let unlike = |column: &Column| column.is_filled && column.is_unlike_name;
        let values = self
            .columns
            .iter()
            .filter(|column| is_value(column))
            .count();
        (are_named || self.columns.iter().any(unlike))
            && (values == 0 || values == self.columns.len())
    }

    /// The table in `range`; none if it has few rows.
    pub(crate) fn finish(mut self, format: Format, range: Range<usize>) -> Option<Found> {
        if self.rows.len() < FEWEST_ROWS {
            return None;
        }
        self.json.push(b']');
        let head = ARRAY | children(self.rows.len());
        self.tape[0] = node(head, 0, self.json.len(), self.tape.len());
        self.tape.shrink_to_fit();
        Some(Found {
            format,
            json: String::from_utf8(self.json).ok()?,
            tape: self.tape.into_flattened(),
            renamed: self.renamed,
            range,
            rows: self.rows,
        })
    }
}

/// Gives names that occur before a number that makes them distinct, whatever their case: `id_2`. None if fewer than half
/// of the names are distinct: they are no header.
fn set_apart(names: &mut [String]) -> Option<Vec<Renamed>> {
    let (mut renamed, count) = (Vec::new(), names.len());
    let lower = |name: &str| name.to_ascii_lowercase();
    let mut taken: Vec<String> = names.iter().map(|name| lower(name)).collect();
    taken.sort_unstable();
    // Each name that was met, in order, and the number that was given last.
    let mut met: Vec<(String, usize)> = Vec::new();
    for name in names {
        let last = match met.binary_search_by(|(known, _)| known.as_str().cmp(name)) {
            Ok(at) => &mut met[at].1,
            Err(at) => {
                met.insert(at, (name.clone(), 1));
                continue;
            }
        };
        let key = loop {
            *last += 1;
            let key = format!("{name}_{last}");
            if let Err(at) = taken.binary_search(&lower(&key)) {
                taken.insert(at, lower(&key));
                break key;
            }
        };
        let name = std::mem::replace(name, key.clone());
        renamed.push(Renamed { name, key });
    }
    (renamed.len() * 2 <= count).then_some(renamed)
}

impl Column {
    /// Whether the name is a word with digits at its end, and all cells are numbers.
    fn is_above_numbers(&self) -> bool {
        let word = self.name.trim_end_matches(|c: char| c.is_ascii_digit());
        let is_word =
            word.starts_with(|c: char| c.is_ascii_alphabetic()) && word.len() < self.name.len();
        self.is_filled && self.is_number && is_word && !word.contains(|c: char| c.is_ascii_digit())
    }
}

/// Whether a cell says that its value is not there: a row has it, and no header.
pub(crate) fn is_missing<C: AsRef<str>>(cell: &C) -> bool {
    matches!(cell.as_ref(), "n/a" | "N/A" | "NA" | "nan" | "NaN" | "NULL")
}

/// Whether the cells of two rows are of the same kinds, so that both may be rows of one table.
pub(crate) fn are_alike<C: AsRef<str>>(one: &[C], other: &[C]) -> bool {
    let kind = |cell: &str| (is_number(cell), has_marks(cell));
    let mut pairs = one.iter().zip(other);
    let is_alike = |(one, other): (&C, &C)| {
        let (one, other) = (one.as_ref(), other.as_ref());
        one.is_empty() || other.is_empty() || kind(one) == kind(other)
    };
    one.len() == other.len() && pairs.all(is_alike)
}

/// Whether a row stands for rows that are left out: all its cells are dots.
pub(crate) fn is_left_out<C: AsRef<str>>(cells: &[C]) -> bool {
    let are_dots = |cell: &C| {
        let cell = cell.as_ref();
        // Most first cells are no sign.
        !cell.starts_with(|c: char| c.is_ascii_alphanumeric())
            && matches!(cell.trim(), ".." | "..." | "…" | "·")
    };
    cells.len() > 1 && cells.iter().all(are_dots)
}

/// Whether the cells of a line are the types of columns, as polars and tibbles write them between the names and the rows.
/// A column that is left out has none.
pub(crate) fn are_types<C: AsRef<str>>(cells: &[C]) -> bool {
    const POLARS: [&str; 27] = [
        "i8", "i16", "i32", "i64", "i128", "u8", "u16", "u32", "u64", "u128", "f32", "f64", "str",
        "bool", "date", "datetime", "duration", "time", "list", "array", "struct", "cat", "enum",
        "binary", "decimal", "object", "null",
    ];
    const TIBBLE: [&str; 13] = [
        "chr", "dbl", "int", "lgl", "fct", "ord", "date", "dttm", "time", "drtn", "list", "cplx",
        "raw",
    ];
    let is_type = |cell: &str| {
        let name = cell.split('[').next().unwrap_or_default();
        let of_tibble = cell.strip_prefix('<').and_then(|it| it.strip_suffix('>'));
        let is_closed = name.len() == cell.len() || cell.ends_with(']');
        is_closed && POLARS.contains(&name) || of_tibble.is_some_and(|it| TIBBLE.contains(&it))
    };
    let mut filled = cells
        .iter()
        .map(AsRef::as_ref)
        .filter(|cell| !cell.is_empty());
    filled.clone().next().is_some() && filled.all(is_type)
}

/// Kinds of nodes, and marks, in the first word of a node.
pub(crate) const NUMBER: u32 = 3;
pub(crate) const STRING: u32 = 4;
pub(crate) const KEY: u32 = 5;
pub(crate) const ARRAY: u32 = 6;
pub(crate) const OBJECT: u32 = 7;
pub(crate) const ESCAPED: u32 = 1 << 4;

/// The number of elements or members, in the first word of a node.
pub(crate) fn children(count: usize) -> u32 {
    const MOST: usize = (1 << 24) - 1;
    (count.min(MOST) as u32) << 8
}

/// The JSON is a few times as long as the text, which a plugin's memory bounds.
pub(crate) fn node(head: u32, start: usize, end: usize, next: usize) -> [u32; 4] {
    [head, start as u32, end as u32, next as u32]
}

/// Whether a text may be the name of a column.
pub(crate) fn is_name(text: &str) -> bool {
    let is_fit = |c: char| c.is_alphanumeric() || " _-./()%#$&+@?:*".contains(c);
    let digits = digits(text);
    !text.is_empty()
        && text.len() <= LONGEST_NAME
        && text.trim() == text
        && text.chars().all(is_fit)
        && text.chars().any(char::is_alphabetic)
        && digits <= 4
        && !text.ends_with([':', '.'])
        && !text.as_bytes().windows(2).any(|pair| pair == b"//")
        && !text.starts_with(['-', '*', '/', '.'])
        && text.split(' ').count() <= MOST_WORDS
        && !starts_with_time(text)
}

/// How many digits a text has.
fn digits(text: &str) -> usize {
    text.bytes().filter(u8::is_ascii_digit).count()
}

/// Whether a text begins like a date or a time: digits, then a sign between digits.
fn starts_with_time(text: &str) -> bool {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = &text.as_bytes()[digits..];
    digits > 0 && matches!(rest, [b'-' | b':' | b'/' | b'.', digit, ..] if digit.is_ascii_digit())
}

/// Whether a text has a digit, or a sign that values have and names lack.
fn has_marks(text: impl AsRef<[u8]>) -> bool {
    let is_mark = |byte: &u8| matches!(byte, b'0'..=b'9' | b'@' | b':' | b'/' | b'<');
    text.as_ref().iter().any(is_mark)
}
