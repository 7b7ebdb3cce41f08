//! Tables of HTML: their rows with a failing state or an odd value, and their cells in the columns where they stand.
//!
//! Owns how the texts of cells and of other elements are read. Refuses to know the page around a table.

use crate::counted::{Counted, rare_limit};
use crate::odd_values::Scope;
use crate::order;
use crate::paper::{Paper, cut, one_line};
use crate::rare_texts;
use crate::source::Source;
use crate::tags::{self, Tag, attribute, mark};
use crate::telling;
use std::borrow::Cow;
use tamis_formats::{Sixteen, words};

const TEXT_CHARACTERS: usize = 90;
/// Characters of a row of a table.
const ROW_CHARACTERS: usize = 160;
/// Bytes of the text of a cell in a row that is longer.
const CELL_SHOWN: usize = 48;
/// Bytes of a row, with its tags, and of the text of one cell.
const ROW_BYTES: usize = 1 << 14;
const CELL_BYTES: usize = 200;
/// Columns in which odd values and cells without text are looked for.
const COMPARED: usize = 64;

/// A table, as it is read.
#[derive(Default)]
pub struct Table {
    rows: usize,
    columns: usize,
    /// Columns of the cells of the latest row, and the column of its next cell.
    cells: usize,
    next: usize,
    /// Cells that stand in several rows, and the first of them that may stand in the latest row, too.
    spans: Vec<Span>,
    first_open: usize,
    /// There are too many of them: rows are told without those above, and columns without their names.
    has_many_spans: bool,
    /// The cells of the first row that are names, up to [`COLUMNS`], and its number of cells that are none.
    heads: Vec<String>,
    values_of_first: usize,
    /// The tags that begin the rows, by their places among those of the page, up to [`READ`].
    starts: Vec<usize>,
    /// The latest cell holds a table.
    pub is_around: bool,
    /// The tag that begins the latest row.
    row: usize,
    /// Rows with a state that names a failure, and the first of them: their numbers, from 1, and their tags.
    pub failing: usize,
    first_failing: Vec<(usize, usize)>,
    /// The latest of them.
    latest_failing: usize,
    /// The texts of the latest cell, while they may name a failure.
    state: Option<String>,
}

/// A cell that stands in several rows.
#[derive(Clone, Copy)]
struct Span {
    /// Its first and its last row, from 1.
    rows: [usize; 2],
    /// Its first column, and the next one.
    columns: [usize; 2],
    /// Where its text begins.
    at: usize,
}

/// Most of them in a table.
const SPANS: usize = 1_000;

/// Those that began above a row and stand in it, too.
fn above(spans: &[Span], row: usize) -> impl Iterator<Item = &Span> {
    let is_above = move |span: &&Span| span.rows[0] < row && row <= span.rows[1];
    spans.iter().filter(is_above)
}

/// The one of them that has a column.
#[inline(never)]
fn above_at(spans: &[Span], row: usize, column: usize) -> Option<&Span> {
    above(spans, row).find(|span| (span.columns[0]..span.columns[1]).contains(&column))
}

/// The next one from a column on.
#[inline(never)]
fn above_from(spans: &[Span], row: usize, column: usize) -> Option<&Span> {
    let near = column..=column + COLUMNS;
    let spans = above(spans, row).filter(|span| near.contains(&span.columns[0]));
    spans.min_by_key(|span| span.columns[0])
}

/// Most failing rows of a table that are shown. If more than one row in this many fails, only the first is.
const FAILING: usize = 4;
const FAILING_ONE_OF: usize = 4;
/// Most columns and rows of a cell.
const SPAN: usize = 1_000;

/// Most tables that are described, and most columns that are named.
pub const TABLES: usize = 4;
const COLUMNS: usize = 16;
/// Rows that are shown after the names of columns.
const ROWS: usize = 2;
/// Most rows of a table of which those with odd values are looked for, and most of these that are shown.
const READ: usize = 2_000;
const ODD: usize = 4;

impl Table {
    fn has_heads(&self) -> bool {
        self.values_of_first == 0 && !self.heads.is_empty() && !self.has_many_spans
    }

    /// A row begins. `tag`: the place of its tag among those of the page.
    pub fn begin_row(&mut self, tag: usize) {
        self.rows += 1;
        self.first_open = first_open(&self.spans, self.first_open, self.rows);
        let (mut cells, mut count) = (0, 0);
        for span in above(self.open_spans(), self.rows) {
            (cells, count) = (cells + span.columns[1] - span.columns[0], count + 1);
        }
        self.cells = cells;
        self.has_many_spans |= count > COLUMNS;
        (self.next, self.row) = (0, tag);
        if self.starts.len() < READ {
            self.starts.push(tag);
        }
    }

    fn open_spans(&self) -> &[Span] {
        self.spans.get(self.first_open..).unwrap_or_default()
    }

    /// Those after the first ones that may be told; none if there are too many.
    fn told_spans(&self, from: usize) -> &[Span] {
        let spans = self.spans.get(from..).filter(|_| !self.has_many_spans);
        spans.unwrap_or_default()
    }

    /// Ends a group of rows: no cell stands in rows of two.
    pub fn end_group(&mut self) {
        let open = self.spans.get_mut(self.first_open..);
        for span in open.into_iter().flatten() {
            span.rows[1] = span.rows[1].min(self.rows);
        }
    }

    /// Adds the cell of a tag, whose text begins at `at`.
    #[inline(never)]
    pub fn add_cell(&mut self, text: &str, at: usize, tag: &Tag<'_>) {
        let [columns, rows] = tag.spans.unwrap_or([1; 2]).map(usize::from);
        self.cells += columns;
        self.columns = self.columns.max(self.cells);
        // Cells of earlier rows come first.
        let mut first = self.next;
        while let Some(above) = above_at(self.told_spans(self.first_open), self.rows, first) {
            first = above.columns[1];
        }
        self.next = first + columns;
        self.has_many_spans |= rows > 1 && self.spans.len() == SPANS;
        if rows > 1 && self.spans.len() < SPANS {
            self.spans.push(Span {
                rows: [self.rows, self.rows + rows - 1],
                columns: [first, self.next],
                at,
            });
        }
        let is_head = matches!(tag.name.as_bytes(), [_, b'h' | b'H']);
        if self.rows <= 1 {
            self.values_of_first += usize::from(!is_head);
            if is_head && self.heads.len() < COLUMNS {
                let mut name = text_after(text, at, tag.name);
                push_columns(&mut name, columns);
                self.heads.push(name);
            }
        }
        // The name of a column is no state, and of a row, one is enough.
        let is_name = is_head && self.rows <= 1;
        self.state = (!is_name && self.latest_failing != self.rows).then(String::new);
    }

    /// Notes a text of the latest cell, and the tag after it. The cell may name a failure, by its first text, or by this one
    /// and the next ones.
    #[inline]
    pub fn note_text(&mut self, text: &str, tag: &Tag<'_>) {
        const LONGEST: usize = 48;
        let Some(mut cell) = self.state.take() else {
            return;
        };
        let text = text.trim_ascii();
        if !text.is_empty() {
            if !cell.is_empty() {
                cell.push(' ');
            }
            cell.push_str(part(text, 0, ROW_BYTES));
            if telling::is_failing_state(&cell) {
                self.note_failing();
                return;
            }
        }
        if cell.len() <= LONGEST && !is_end_of_cell(tag) {
            self.state = Some(cell);
        }
    }

    #[inline(never)]
    fn note_failing(&mut self) {
        self.latest_failing = self.rows;
        self.failing += 1;
        if self.first_failing.len() < FAILING {
            self.first_failing.push((self.rows, self.row));
        }
    }

    /// Tells the table. `tags`: those of the tables of the page.
    pub fn tell(&self, text: &str, tags: &[Tag<'_>], paper: &mut Paper) {
        let names = match self.has_heads() {
            true => format!(": {}", self.heads.join(", ")),
            false => String::new(),
        };
        let around = match self.is_around {
            true => ", around another",
            false => "",
        };
        let (rows, columns) = (self.rows, self.columns);
        paper.cut_line(&format!(
            "table of {rows} rows, {columns} columns{around}{names}"
        ));
        let from = 1 + usize::from(self.has_heads());
        let is_shown = |number: usize| !self.is_around && (from..from + ROWS).contains(&number);
        // Where many rows have such words, they may be no states.
        let most = match self.failing * FAILING_ONE_OF > rows {
            true => 1,
            false => FAILING,
        };
        let failing = self.first_failing.iter().copied().take(most);
        let more = self.failing - failing.len();
        let failing = failing.filter(|(number, _)| !is_shown(*number));
        let first = (1..).zip(self.starts.iter().copied());
        let first = first.filter(|(number, _)| is_shown(*number));
        let mut told: Vec<usize> = Vec::new();
        for (number, start) in first.chain(failing) {
            self.tell_row(number, text, &tags[start..], paper);
            told.push(number);
        }
        paper.count_rest(more, "rows that look like failures");
        // Nothing is told where there is no room.
        if self.is_around || paper.left() == 0 {
            return;
        }
        let (mut odd, empty) = self.odd_rows(text, tags);
        odd.retain(|number| *number >= from && !told.contains(number));
        let more = odd.len().saturating_sub(ODD);
        odd.truncate(ODD);
        odd.sort_unstable();
        for number in odd {
            self.tell_row(number, text, &tags[self.starts[number - 1]..], paper);
        }
        paper.count_rest(more, "rows with an odd value");
        if !empty.is_empty() {
            paper.cut_line(&empty);
        }
        if rows > READ {
            paper.cut_line(" odd values after row 2000 are not looked for");
        }
        if columns > COMPARED && rare_limit(rows as u32) > 0 {
            paper.cut_line(" odd values after column 64 are not looked for");
        }
    }

    #[inline(never)]
    fn tell_row(&self, number: usize, text: &str, tags: &[Tag<'_>], paper: &mut Paper) {
        let of = |bytes| cells(text, tags, (" | ", bytes), (self.told_spans(0), number)).out;
        let mut row = of(CELL_BYTES);
        // A long cell leaves room for those after it.
        if row.len() > ROW_CHARACTERS {
            row = of(CELL_SHOWN);
        }
        paper.cut_line(&format!(" row {number}: {}", shown(&row, ROW_CHARACTERS)));
    }

    /// The numbers of the rows with a value that stands out among those of its column, first where a column has few values,
    /// and the columns in which some cells have no text.
    #[inline(never)]
    fn odd_rows(&self, text: &str, tags: &[Tag<'_>]) -> (Vec<usize>, String) {
        let not_looked_for = || (Vec::new(), " odd values are not looked for".to_owned());
        if self.has_many_spans {
            return not_looked_for();
        }
        let mut told = String::new();
        let mut rows = String::new();
        let mut first = 0;
        // The number of cells without text, and the first row with one.
        let mut empty = [(0, 0); COMPARED];
        let mut are_all = self.rows <= READ;
        for (number, start) in (1..).zip(&self.starts) {
            first = first_open(&self.spans, first, number);
            let row = cells(
                text,
                &tags[*start..],
                ("\t", CELL_BYTES),
                (&self.spans[first..], number),
            );
            if row.is_cut {
                return not_looked_for();
            }
            let mut columns = if number > 1 { row.empty } else { 0 };
            while columns != 0 {
                let (count, first) = &mut empty[columns.trailing_zeros() as usize];
                *count += 1;
                *first = if *count == 1 { number } else { *first };
                columns &= columns - 1;
            }
            are_all &= row.columns == self.columns && !row.has_wide_empty;
            rows.push_str(&row.out);
            rows.push('\n');
        }
        for (column, (count, row)) in (1..).zip(empty) {
            if count > 0 && count * FULL_ONE_OF <= self.starts.len() && self.has_heads() {
                let before = if told.is_empty() {
                    " without text:"
                } else {
                    ";"
                };
                let least = if are_all { "" } else { " at least" };
                told.push_str(&format!(
                    "{before}{least} {count} of column {column}, first in row {row}"
                ));
            }
        }
        (self.odd_first(&rows), told)
    }

    /// The numbers of these rows with a value that stands out among those of its column: first of columns with few values.
    fn odd_first(&self, rows: &str) -> Vec<usize> {
        // For each row, the fewest values of a column in which it is odd.
        let mut fewest = vec![None; self.starts.len() + 1];
        for row in rare_texts::odd_places(&Source::of(rows), Scope::All) {
            fewest[row] = Some(0);
        }
        let mut columns: [Counted<'_>; COMPARED] = std::array::from_fn(|_| Counted::default());
        let heads = usize::from(self.has_heads());
        let mut start = 0;
        let (mut number, mut column) = (1, 0);
        for end in memchr::memchr2_iter(b'\t', b'\n', rows.as_bytes()) {
            let cell = &rows[start..end];
            start = end + 1;
            // A wide cell is in its first column alone.
            if let Some(column) = columns.get_mut(column)
                && number as usize > heads
                && !cell.is_empty()
            {
                column.note(cell, number);
            }
            match rows.as_bytes()[end] {
                b'\t' => column += 1,
                _ => (number, column) = (number + 1, 0),
            }
        }
        for column in columns {
            let column = column.by_forms().unwrap_or(column);
            let values = column.items().len() as i64;
            let rare = column.rare().0.into_iter();
            for row in rare.filter_map(|item| item.rows()).flatten() {
                let fewest = &mut fewest[row as usize];
                *fewest = Some(fewest.map_or(values, |fewest| values.min(fewest)));
            }
        }
        let odd = (0..fewest.len()).filter(|row| fewest[*row].is_some());
        let mut odd: Vec<usize> = odd.collect();
        order::least_first(&mut odd, |row| fewest[*row].unwrap_or_default());
        odd
    }
}

/// The first of cells that stand in several rows which may stand in a row; those before `from` do not.
fn first_open(spans: &[Span], from: usize, row: usize) -> usize {
    let open = spans[from..].iter().position(|span| span.rows[1] >= row);
    open.map_or(spans.len(), |open| from + open)
}

/// The text of a cell without one, where it is compared with others.
const NO_TEXT: &str = "\u{1}";
/// Cells without text are told if at most one of so many cells has none.
const FULL_ONE_OF: usize = 2;

/// The columns and the rows of a cell; none if a tag begins no cell.
pub fn spans(tag: &Tag<'_>) -> Option<[u16; 2]> {
    let is_cell = !tag.is_end && matches!(tag.lower(&mut [0; 8]), b"td" | b"th");
    is_cell.then(|| [span(tag, "colspan"), span(tag, "rowspan")])
}

/// The columns or rows of a cell.
#[inline(never)]
fn span(cell: &Tag<'_>, name: &str) -> u16 {
    // Most cells have no such attribute.
    let part = if name == "rowspan" { *b"wsp" } else { *b"lsp" };
    if !words::has_triple(cell.attributes, &[part]) {
        return 1;
    }
    let value = attribute(cell.attributes, name);
    match value.and_then(|value| value.parse::<usize>().ok()) {
        // All further rows of the group.
        Some(0) if name == "rowspan" => u16::MAX,
        value => value.unwrap_or(1).clamp(1, SPAN) as u16,
    }
}

/// The text at `at`, and the tag after it: one without a name for a comment and at the end. `at` is moved behind both.
#[inline(never)]
pub fn text_and_tag<'t>(span: &'t str, at: &mut usize) -> Option<(&'t str, Tag<'t>)> {
    let rest = span.get(*at..)?;
    let tag = mark(span, *at);
    let end = tag.map_or(span.len(), |tag| tag.start);
    let text = &rest[..end - *at];
    *at = tag.map_or(span.len() + 1, |tag| tag.next_from(span));
    Some((text, tag.unwrap_or_default()))
}

/// The text from `at` on, of so many bytes.
fn part(text: &str, at: usize, bytes: usize) -> &str {
    let rest = &text[at..];
    &rest[..rest.floor_char_boundary(bytes)]
}

/// Whether a tag ends a cell or an item: its end tag may be omitted.
#[inline(never)]
fn is_end_of_cell(tag: &Tag<'_>) -> bool {
    matches!(
        tag.lower(&mut [0; 8]),
        b"td" | b"th" | b"tr" | b"li" | b"ul" | b"ol" | b"table"
    )
}

/// The text from a tag to the end of its element, if it is short and has few tags.
#[inline(never)]
pub fn text_after(text: &str, at: usize, name: &str) -> String {
    const BYTES: usize = 600;
    let mut out = String::new();
    let (span, mut at) = (part(text, at, BYTES), 0);
    while let Some((text, tag)) = text_and_tag(span, &mut at) {
        out.push_str(text);
        if tag.name.eq_ignore_ascii_case(name) || is_end_of_cell(&tag) {
            break;
        }
    }
    shown(&with_single_blanks(&out), TEXT_CHARACTERS)
}

/// A text on one line, of at most so many characters.
#[inline(never)]
pub fn shown(text: &str, characters: usize) -> String {
    one_line(&cut(text, characters)).into_owned()
}

/// A text with one blank between its words.
#[inline(never)]
pub fn with_single_blanks(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let are_others = |it: Sixteen| it.between(1, b' ' - 1) | it.between(b'~' + 1, u8::MAX);
    // Most texts have no others.
    let is_single = matches!(bytes, [b'!'..=b'~', .., b'!'..=b'~'] | [b'!'..=b'~'])
        && !words::has_any_of(bytes, are_others)
        && !words::has_pair(text, b' ')
        && memchr::memchr(0, bytes).is_none();
    match is_single {
        true => Cow::Borrowed(text),
        false => Cow::Owned(text.split_whitespace().collect::<Vec<_>>().join(" ")),
    }
}

/// Appends the number of a cell's columns, if it has several.
#[inline(never)]
fn push_columns(cell: &mut String, columns: usize) {
    match columns {
        0..=1 => {}
        // Most of these have few.
        2..=9 => {
            cell.push_str(" (");
            cell.push(char::from(b'0' + columns as u8));
            cell.push_str(" columns)");
        }
        _ => cell.push_str(&format!(" ({columns} columns)")),
    }
}

/// The texts of a row's cells, with a sign between them.
struct Cells<'s> {
    out: String,
    sign: &'s str,
    /// Most bytes of a cell's text.
    most: usize,
    /// Where the latest cell begins; none before the first.
    start: Option<usize>,
    /// The columns of the latest cell, and those of all.
    width: usize,
    columns: usize,
    /// What an image of the latest cell is called.
    label: &'s str,
    /// A bit for each of the first columns with a cell without text. Wide ones have none.
    empty: u64,
    has_wide_empty: bool,
    /// The row goes on after what was read.
    is_cut: bool,
}

impl Cells<'_> {
    #[inline(never)]
    fn begin(&mut self, width: usize) {
        if self.start.is_some() {
            self.end();
            self.out.push_str(self.sign);
        }
        (self.start, self.width) = (Some(self.out.len()), width);
        self.columns += width;
    }

    #[inline(never)]
    fn end(&mut self) {
        let label = std::mem::take(&mut self.label);
        if self.start == Some(self.out.len()) {
            self.push(label);
        }
        if self.start == Some(self.out.len()) {
            match self.columns.checked_sub(1) {
                Some(column) if self.width == 1 && column < COMPARED => {
                    self.empty |= 1 << column;
                }
                _ => self.has_wide_empty |= self.width > 1,
            }
            // Between tabs, an empty cell is compared with others.
            if self.sign == "\t" {
                self.out.push_str(NO_TEXT);
            }
        }
        push_columns(&mut self.out, self.width);
        if self.sign == "\t" && self.width > 1 {
            // Those after it stand in their columns.
            let before = self.columns - self.width + 1;
            let more = self.columns.min(COMPARED).saturating_sub(before);
            self.out.extend(std::iter::repeat_n('\t', more));
        }
    }

    /// Adds a text to the latest cell.
    #[inline(never)]
    fn push(&mut self, text: &str) {
        const BLANKS: [&str; 4] = ["&nbsp;", "&#160;", "&#xa0;", "&#xA0;"];
        if text.is_empty() {
            return;
        }
        let text = with_single_blanks(text);
        let mut rest = &*text;
        while rest.starts_with('&')
            && let Some(next) = BLANKS.iter().find_map(|blank| rest.strip_prefix(blank))
        {
            rest = next.trim_ascii_start();
        }
        let length = self.out.len() - self.start.unwrap_or_default();
        if rest.is_empty() {
            return;
        }
        if length > 0 && length <= self.most {
            self.out.push(' ');
        }
        let shown = part(&text, 0, self.most.saturating_sub(length));
        self.out.push_str(shown);
        if shown.len() < text.len() && !self.out.ends_with('…') {
            self.out.push('…');
        }
    }

    #[inline(never)]
    fn push_above(&mut self, text: &str, span: &Span) {
        // A row may lack the cells before.
        while self.columns < span.columns[0] {
            self.begin(1);
        }
        self.begin(span.columns[1] - span.columns[0]);
        self.push(&text_after(text, span.at, "td"));
    }
}

/// The texts of the cells of a row, which begins with the first of `tags`, with a sign between them. Some of `spans` may
/// stand in the row of this number, too.
#[inline(never)]
fn cells<'s>(
    page: &'s str,
    tags: &[Tag<'s>],
    (sign, most): (&'s str, usize),
    (spans, number): (&[Span], usize),
) -> Cells<'s> {
    let (mut next, tags) = match tags {
        [row, tags @ ..] => (row.after, tags),
        [] => (page.len(), tags),
    };
    let end = page.floor_char_boundary(next + ROW_BYTES);
    let mut cells = Cells {
        out: String::with_capacity(ROW_CHARACTERS),
        sign,
        most,
        start: None,
        width: 1,
        columns: 0,
        label: "",
        empty: 0,
        has_wide_empty: false,
        is_cut: end < page.len(),
    };
    let last = Tag {
        start: end,
        after: page.len() + 1,
        ..Tag::default()
    };
    for tag in tags.iter().chain([&last]) {
        let text = page.get(next..tag.start.min(end));
        cells.push(text.unwrap_or_default());
        if tag.after > end {
            break;
        }
        next = tag.next_from(page);
        match tag.lower(&mut [0; 8]) {
            b"tr" | b"table" => {
                while let Some(span) = above_from(spans, number, cells.columns) {
                    cells.push_above(page, span);
                }
                cells.is_cut = false;
                break;
            }
            b"td" | b"th" if !tag.is_end => {
                while let Some(span) = above_at(spans, number, cells.columns) {
                    cells.push_above(page, span);
                }
                cells.begin(tag.spans.map_or(1, |[columns, _]| usize::from(columns)));
            }
            b"input" if tags::value(tag.attributes, "type") == Some("checkbox") => {
                let mut words = tag.attributes.split_ascii_whitespace();
                let is_checked = words.any(|word| word.starts_with("checked"));
                cells.label = if is_checked { "checked" } else { "unchecked" };
            }
            b"img" | b"svg" | b"i" | b"span"
                if words::has_triple(tag.attributes, &[*b"alt", *b"tit", *b"ari"]) =>
            {
                let mut names = ["alt", "title", "aria-label"].into_iter();
                let label = names.find_map(|name| tags::value(tag.attributes, name));
                cells.label = label.unwrap_or(cells.label);
            }
            _ => {}
        }
    }
    // What is behind the end is unknown.
    if cells.is_cut {
        cells.out.push('…');
    }
    cells.end();
    cells
}
