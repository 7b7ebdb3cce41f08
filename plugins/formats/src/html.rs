//! Tables of HTML in a page.
//!
//! Owns the cells of a table, each as a browser shows it: without tags and with single blanks. A table in which a cell stands
//! in several rows or columns, is hidden, or shows something else than text, is refused, as is one without a row of names, or
//! with another number of cells in a row. Refuses to know the rest of the page.

mod known;
mod tag;

use crate::page::{MOST_TABLES, PageTable, most_bytes, name_of};
use crate::table::{Header, Table};
use crate::{Format, Found, words, xml};
use known::{Effect, KnownTags};
use memchr::memmem;
use std::cell::LazyCell;
use std::ops::Range;
use tag::{Hidden, LONGEST_NAME, Tag, end_of};

/// Bytes in which a page begins, after words of the tool that fetched it.
const FIRST_BYTES: usize = 600;
/// Most tables inside of one another.
const DEEPEST: usize = 16;
/// Most tables that are tried, with those that are refused.
const MOST_TRIED: usize = 4 * MOST_TABLES;
/// Most rows of a table, and most cells of a row.
const MOST_ROWS: usize = 200_000;
const MOST_CELLS: usize = 1_024;
/// Most bytes of a heading or a caption that are kept; a name has fewer.
const LONGEST_TITLE: usize = 200;
/// Bytes in which it is worth to look for another table.
const LONG: usize = 2_000;
/// The end tags of tables, as they are spelled.
const END_TAGS: [&[u8]; 2] = [b"</table", b"</TABLE"];
/// Names of characters besides those of XML.
const NAMED: [(&str, char); 33] = [
    ("nbsp;", ' '),
    ("ndash;", '–'),
    ("mdash;", '—'),
    ("hellip;", '…'),
    ("copy;", '©'),
    ("reg;", '®'),
    ("trade;", '™'),
    ("times;", '×'),
    ("middot;", '·'),
    ("bull;", '•'),
    ("deg;", '°'),
    ("euro;", '€'),
    ("laquo;", '«'),
    ("raquo;", '»'),
    ("rarr;", '→'),
    ("minus;", '−'),
    ("check;", '✓'),
    ("cross;", '✗'),
    ("lsquo;", '‘'),
    ("rsquo;", '’'),
    ("ldquo;", '“'),
    ("rdquo;", '”'),
    ("pound;", '£'),
    ("plusmn;", '±'),
    ("le;", '≤'),
    ("ge;", '≥'),
    ("ne;", '≠'),
    ("micro;", 'µ'),
    ("larr;", '←'),
    ("uarr;", '↑'),
    ("darr;", '↓'),
    ("eacute;", 'é'),
    ("sect;", '§'),
];

/// A row that is being read.
#[derive(Default)]
struct Row {
    cells: Vec<String>,
    /// All its cells are names.
    is_head: bool,
    range: Range<usize>,
}

/// A table that is being read.
#[derive(Default)]
struct Open {
    start: usize,
    /// Bytes up to its end.
    len: usize,
    /// Its rows; none before that of names has ended.
    rows: Option<Table>,
    /// The row that has not ended.
    row: Option<Row>,
    /// Cells of the row before, for their room.
    spare: Vec<String>,
    is_in_cell: bool,
    is_in_caption: bool,
    caption: String,
    is_doubtful: bool,
    /// It holds an element that is not shown.
    hides: bool,
    /// The latest cell has an image, or an element that a style may draw.
    has_image: bool,
    has_style: bool,
    /// Elements of the latest cell that begin a line, and whether its text ends with a raised or lowered part.
    blocks: usize,
    is_raised: bool,
    /// As in [`PageTable::tags`].
    tags: Vec<usize>,
}

/// Whether a text is a page of HTML with a table.
pub(crate) fn has_tables(text: &str) -> bool {
    is_page(text) && has_tag(text)
}

/// Whether a text is a part of such a page. Markdown may hold such a table, too.
pub(crate) fn is_part(text: &str) -> bool {
    let text = text.trim_start_matches('\u{feff}').trim();
    text.starts_with('<') && text.ends_with('>') && !text.starts_with("<?xml") && has_tag(text)
}

fn has_tag(text: &str) -> bool {
    ["<table", "<TABLE"]
        .iter()
        .any(|tag| memmem::find(text.as_bytes(), tag.as_bytes()).is_some())
}

/// Whether a text begins as a page. Words of a tool may be above, but no Markdown: its code may be HTML.
fn is_page(text: &str) -> bool {
    let text = text.trim_start_matches('\u{feff}');
    let head = &text[..text.floor_char_boundary(FIRST_BYTES)];
    if memchr::memchr(b'<', head.as_bytes()).is_none() {
        return false;
    }
    let lower = head.to_ascii_lowercase();
    let signs = ["#", "-", "*", "|", "`", ">", "~~~"];
    let is_markdown = |line: &str| signs.iter().any(|sign| line.trim_start().starts_with(sign));
    let begins = |tag: &str| {
        lower.match_indices(tag).any(|(at, _)| {
            let (above, line) = head[..at].rsplit_once('\n').unwrap_or(("", &head[..at]));
            (line.trim().is_empty() || line.ends_with('>')) && !above.lines().any(is_markdown)
        })
    };
    begins("<!doctype html") || begins("<html")
}

/// Where the last table of a text may begin.
fn last_table(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut at, mut last) = (0, 0);
    while at + 2 < bytes.len() {
        let (next, before) = words::sixteen(bytes, at);
        let next = next.lower();
        let begins = next.are(b'<') & next.are(b't') >> 1 & next.are(b'a') >> 2;
        if begins >> before != 0 {
            last = at;
        }
        // The last two of these bytes are the first of the next ones.
        at += 14;
    }
    last + 16
}

/// The tables of a page, in order.
pub(crate) fn tables(text: &str) -> Vec<PageTable> {
    let mut tables: Vec<PageTable> = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    let (mut heading, mut is_in_heading) = (String::new(), false);
    let mut at = 0;
    // Lines are counted once, up to the end of the latest table.
    let (mut counted, mut number) = (0, 1);
    let mut tried = 0;
    // Where the next end tag of a table is, for each spelling.
    let mut ends = [0; 2];
    let mut hidden = Hidden::default();
    let mut known = KnownTags::new();
    let mut room = most_bytes(text);
    let last = LazyCell::new(|| last_table(text));
    while at < text.len() && tables.len() < MOST_TABLES {
        // Most tags directly follow another.
        let start = match text.as_bytes()[at] {
            b'<' => at,
            _ => words::place_from(text.as_bytes(), at, |bytes| bytes.are(b'<')),
        };
        // Those that are open are refused, and no other begins.
        let are_refused =
            || tried > 0 && start + LONG < text.len() && open.iter().all(|table| table.is_doubtful);
        if start == text.len() || are_refused() && start > *last {
            break;
        }
        match open.last_mut() {
            _ if start == at => {}
            Some(table) => table.push(&text[at..start]),
            None if is_in_heading => push_title(&mut heading, &text[at..start]).unwrap_or_default(),
            None => {}
        }
        if let Some(table) = open.last_mut()
            && let Some((end, effect)) =
                Effect::of_row(text, start).or_else(|| known.at(text, start))
        {
            if let Effect::Inline { is_end: false, .. } = effect {
                table.tags.push(start);
            }
            table.apply(effect, start..end);
            at = end;
            continue;
        }
        let Some(tag) = Tag::at(text, start) else {
            // A sign, or a tag that is cut.
            open.iter_mut().for_each(|table| table.is_doubtful = true);
            at = start + 1;
            continue;
        };
        at = tag.end;
        let mut lower = [0; LONGEST_NAME];
        let name = tag.lower(&mut lower);
        let is_of_row = matches!(name, "td" | "th" | "tr");
        let mut hides = false;
        if let Some(table) = open.last_mut() {
            if !is_of_row && (!tag.is_end || matches!(name, "ul" | "ol")) {
                table.tags.push(start);
            }
            hides = tag.hides(name);
            if hides {
                // What is in one of these may not be shown either.
                for table in &mut open {
                    (table.hides, table.is_doubtful) = (true, true);
                }
            }
        } else {
            hidden.note(&tag, name);
        }
        match (name, tag.is_end) {
            ("table", false) => {
                open.iter_mut().for_each(|table| table.is_doubtful = true);
                (tried, is_in_heading) = (tried + 1, false);
                if open.len() == DEEPEST || tried > MOST_TRIED {
                    break;
                }
                let is_in_hidden = open.iter().any(|table| table.hides);
                let is_doubtful = is_in_hidden || hidden.depth > 0 || tag.is_hidden();
                // Most are closed as they are spelled.
                let spelling = usize::from(tag.name == "TABLE");
                let end = &mut ends[spelling];
                if *end < start {
                    let found = memmem::find(&text.as_bytes()[start..], END_TAGS[spelling]);
                    *end = found.map_or(text.len(), |found| start + found);
                }
                open.push(Open {
                    start,
                    // Without an end tag, no room is made at once: a page may have many such tables.
                    len: if *end < text.len() { *end - start } else { 0 },
                    is_doubtful,
                    ..Open::default()
                });
            }
            ("table", true) => {
                let Some(mut table) = open.pop() else {
                    continue;
                };
                let range = table.start..start;
                let caption = std::mem::take(&mut table.caption);
                let mut tags = std::mem::take(&mut table.tags);
                tags.push(start);
                if let Some(found) = table.read() {
                    let Some(left) = room.checked_sub(found.json.len()) else {
                        break;
                    };
                    room = left;
                    let title = match caption.is_empty() {
                        true => &heading,
                        false => &caption,
                    };
                    let name = name_of(title, &tables);
                    let lines_up_to = |at: usize, from: usize| {
                        memchr::memchr_iter(b'\n', &text.as_bytes()[from..at]).count()
                    };
                    // An outer table is refused, so the next one begins later.
                    let first = number + lines_up_to(range.start, counted);
                    let last = first + lines_up_to(range.end, range.start);
                    (counted, number) = (range.end, last);
                    tables.push(PageTable {
                        format: Format::HtmlTable,
                        name,
                        rows: found.rows.len(),
                        lines: first..=last,
                        start: range.start,
                        tags,
                        others: Vec::new(),
                        json: found.json,
                        tape: found.tape,
                        renamed: found.renamed,
                    });
                }
            }
            ("h1" | "h2" | "h3" | "h4" | "h5" | "h6", is_end) if open.is_empty() => {
                is_in_heading = !is_end && hidden.depth == 0;
                if is_in_heading {
                    heading.clear();
                }
            }
            ("br", _) if is_in_heading && open.is_empty() => {
                push_title(&mut heading, " ").unwrap_or_default()
            }
            // The rest of the page is a text.
            ("plaintext", false) => break,
            (
                "script" | "style" | "title" | "textarea" | "xmp" | "iframe" | "noembed"
                | "noframes",
                false,
            ) => {
                let end = end_of(text, at, name);
                // A script in a comment of a script may hold an end that is none.
                if name == "script" && memmem::find(&text.as_bytes()[at..end], b"<!--").is_some() {
                    break;
                }
                let is_text = !matches!(name, "script" | "style" | "title");
                open.iter_mut()
                    .for_each(|table| table.is_doubtful |= is_text);
                at = end;
            }
            // A picture has texts, styles and titles of its own.
            ("svg", false) if !tag.attributes.ends_with('/') => {
                if let Some(table) = open.last_mut() {
                    table.is_doubtful = true;
                }
                at = end_of(text, at, name);
            }
            _ => {
                let Some(table) = open.last_mut() else {
                    continue;
                };
                match Effect::of(&tag, name).filter(|_| !hides) {
                    Some(effect) => {
                        known.note(text, &tag, effect);
                        table.apply(effect, tag.start..tag.end);
                    }
                    None => table.read_tag(name, &tag),
                }
            }
        }
    }
    tables
}

impl Open {
    /// The cell that has not ended.
    fn cell(&mut self) -> Option<&mut String> {
        let row = self.row.as_mut().filter(|_| self.is_in_cell)?;
        row.cells.last_mut()
    }

    fn push(&mut self, shown: &str) {
        // `10²5`
        if self.is_raised && !shown.is_empty() {
            self.is_doubtful |= shown.starts_with(|c: char| c.is_ascii_digit());
            self.is_raised = false;
        }
        let is_in_caption = self.is_in_caption;
        let pushed = match self.cell() {
            Some(cell) => push_text(cell, shown).is_some(),
            None if is_in_caption => push_title(&mut self.caption, shown).is_some(),
            None => shown.trim_ascii().is_empty(),
        };
        self.is_doubtful |= !pushed;
    }

    fn read_tag(&mut self, name: &str, tag: &Tag<'_>) {
        if self.is_doubtful {
            (self.rows, self.row) = (None, None);
            return;
        }
        // A comment is not shown.
        if name.is_empty() && tag.name.is_empty() {
            return;
        }
        match name {
            "tr" | "thead" | "tbody" | "tfoot" => {
                self.end_row();
                // Totals below the rows are no row.
                self.is_doubtful |= name == "tfoot";
                self.is_in_caption = false;
                if name == "tr" && !tag.is_end {
                    self.begin_row(tag.start..tag.end);
                }
            }
            // One that begins is wide: others have an effect.
            "th" | "td" => {
                self.end_cell();
                self.is_doubtful |= !tag.is_end;
            }
            // They end a row that has none.
            "caption" | "col" | "colgroup" => {
                let is_second = name == "caption" && !tag.is_end && !self.caption.is_empty();
                self.is_doubtful |= self.row.is_some() || self.rows.is_some() || is_second;
                self.is_in_caption = name == "caption" && !tag.is_end;
            }
            "img" | "picture" | "i" => self.has_image |= !tag.is_end,
            // A raised digit is no digit of the number before it: `10^5`.
            "sup" | "sub" => self.read_raised(name, tag.is_end),
            "link" | "meta" | "script" | "style" => {}
            // These begin a line. An end tag without an element is none.
            "br" | "hr" | "p" => self.push(" "),
            "address" | "article" | "blockquote" | "center" | "dd" | "div" | "dl" | "dt"
            | "figcaption" | "figure" | "footer" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6"
            | "header" | "li" | "ol" | "pre" | "section" | "ul" => {
                self.has_style |= tag.has_style();
                match tag.is_end {
                    true => self.is_doubtful |= self.blocks == 0,
                    false => self.blocks += 1,
                }
                self.push(" ");
            }
            // It is unknown what others show.
            _ => self.is_doubtful = true,
        }
    }

    /// The same of a tag whose effect is known.
    fn apply(&mut self, effect: Effect, tag: Range<usize>) {
        if self.is_doubtful {
            (self.rows, self.row) = (None, None);
            return;
        }
        match effect {
            Effect::Row { is_end } => {
                self.end_row();
                self.is_in_caption = false;
                if !is_end {
                    self.begin_row(tag);
                }
            }
            Effect::EndOfCell => self.end_cell(),
            Effect::Cell { is_head } => {
                self.end_cell();
                self.begin_cell(is_head, tag.end);
            }
            Effect::Inline {
                has_style,
                sets_display,
                ..
            } => {
                self.has_style |= has_style;
                // Two such texts may be on two lines.
                self.is_doubtful |= sets_display;
            }
        }
    }

    fn begin_row(&mut self, tag: Range<usize>) {
        self.row = Some(Row {
            is_head: true,
            range: tag,
            cells: Vec::new(),
        });
    }

    /// A cell begins, whose text begins at `at`.
    fn begin_cell(&mut self, is_head: bool, at: usize) {
        let Some(row) = &mut self.row else {
            self.is_doubtful = true;
            return;
        };
        self.is_doubtful |= row.cells.len() == MOST_CELLS;
        row.is_head &= is_head;
        row.range.end = at;
        let mut cell = self.spare.pop().unwrap_or_default();
        cell.clear();
        row.cells.push(cell);
        (self.is_in_cell, self.has_image, self.has_style) = (true, false, false);
        (self.blocks, self.is_raised) = (0, false);
    }

    fn end_cell(&mut self) {
        if let Some(cell) = self.cell() {
            // It has single blanks.
            if cell.ends_with(' ') {
                cell.pop();
            }
            // What an image shows is unknown: it may be a sign of a number.
            let is_empty = cell.is_empty();
            let is_digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
            let bytes = cell.as_bytes();
            let has_digit = is_digit(bytes.first()) || is_digit(bytes.last());
            self.is_doubtful |=
                self.has_image && (is_empty || has_digit) || self.has_style && is_empty;
        }
        self.is_in_cell = false;
    }

    /// A raised digit is no digit of the number before it: `10^5`. Nor is it one of the number after it.
    fn read_raised(&mut self, name: &str, is_end: bool) {
        let sign = if name == "sup" { '^' } else { '_' };
        let Some(cell) = self.cell() else { return };
        if !is_end {
            let is_first = cell.is_empty();
            cell.push(sign);
            self.is_doubtful |= is_first;
        } else if cell.ends_with(sign) {
            cell.pop();
        } else {
            self.is_raised = true;
        }
    }

    fn end_row(&mut self) {
        self.end_cell();
        if let Some(row) = self.row.take() {
            self.is_doubtful |= self.add(&row).is_none();
            self.spare = row.cells;
        }
    }

    /// Adds a row: first that of the names, then those of cells of which not all are names. None for others.
    fn add(&mut self, row: &Row) -> Option<()> {
        match &mut self.rows {
            None if row.is_head => {
                let names = row.cells.iter().map(|name| &**name);
                self.rows = Some(Table::new(names, self.len, Header::Ruled)?);
            }
            Some(rows) if !row.is_head && rows.rows() < MOST_ROWS => {
                rows.push(&row.cells, row.range.clone())?;
            }
            _ => return None,
        }
        Some(())
    }

    /// The table; none if it is refused.
    fn read(mut self) -> Option<Found> {
        self.end_row();
        let rows = self.rows.filter(|_| !self.is_doubtful)?;
        let mut found = rows.finish(Format::HtmlTable, self.start..self.start)?;
        // A page may have many tables.
        found.json.shrink_to_fit();
        Some(found)
    }
}

/// Appends a text to a heading or a caption, of which the beginning is kept.
fn push_title(to: &mut String, shown: &str) -> Option<()> {
    let pushed = push_text(to, shown);
    to.truncate(to.floor_char_boundary(LONGEST_TITLE));
    pushed
}

/// Appends a text as it is shown. None for a name of a character that is not known.
fn push_text(to: &mut String, shown: &str) -> Option<()> {
    let bytes = shown.as_bytes();
    let is_plain = |at: usize| match bytes[at] {
        b'&' => false,
        b' ' => at > 0 && bytes[at - 1] != b' ',
        byte => (b'!'..=b'~').contains(&byte),
    };
    // Most texts are shown as they are spelled.
    if (0..bytes.len()).all(is_plain) {
        to.push_str(shown);
        return Some(());
    }
    let mut rest = shown;
    while let Some(c) = rest.chars().next() {
        let (c, length) = match c {
            // Browsers leave it out.
            '\0' => return None,
            '&' if rest[1..].starts_with(|c: char| c == '#' || c.is_ascii_alphabetic()) => {
                let known = NAMED.iter().find(|(name, _)| rest[1..].starts_with(name));
                let known = known.map(|(name, c)| (*c, name.len() + 1));
                // Browsers read numbers of control characters as those of another encoding.
                let is_text = |(c, _): &(char, usize)| !c.is_control() || c.is_ascii_whitespace();
                known.or_else(|| xml::entity(rest).filter(is_text))?
            }
            c => (c, c.len_utf8()),
        };
        rest = &rest[length..];
        if !c.is_whitespace() {
            to.push(c);
        } else if !to.is_empty() && !to.ends_with(' ') {
            to.push(' ');
        }
    }
    Some(())
}

#[cfg(test)]
mod tests;
