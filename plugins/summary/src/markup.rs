//! HTML and XML: title, headings, tables, forms and links, or else the elements.
//!
//! Owns the search for tags. Refuses to judge whether a page is well formed.

use crate::counts::Counts;
use crate::paper::{Paper, cut, listed, one_line};
use crate::telling;

/// Fewest tags of a page.
const LEAST: usize = 8;
/// Most headings, tables and forms that are described; all are counted.
const MOST: usize = 256;
const TEXT_CHARACTERS: usize = 90;
/// Characters of a row of a table.
const ROW_CHARACTERS: usize = 160;

/// The content of a page.
#[derive(Default)]
struct Page {
    title: Option<String>,
    /// Their levels and texts.
    headings: Vec<(String, String)>,
    number_of_headings: usize,
    tables: Vec<Table>,
    number_of_tables: usize,
    links: usize,
    forms: usize,
    fields: Vec<String>,
    number_of_fields: usize,
    images: usize,
}

#[derive(Default)]
struct Table {
    rows: usize,
    columns: usize,
    /// Cells of the latest row.
    cells: usize,
    /// The names of columns.
    heads: Vec<String>,
    /// Where the text of the latest row begins.
    row: usize,
    /// Rows with a state that names a failure, and the first of them: their numbers, from 1, and where they begin.
    failing: usize,
    first_failing: Vec<(usize, usize)>,
    /// The latest of them.
    latest_failing: usize,
}

/// Most failing rows of a table that are shown. If more than one row in this many fails, none is.
const FAILING: usize = 4;
const FAILING_ONE_OF: usize = 4;

impl Table {
    /// Notes the row if its cell, whose text begins at `at`, names a failure. Only text that stands in one tag, or
    /// directly in the cell, is examined.
    fn note_state(&mut self, text: &str, at: usize) {
        const LONGEST: usize = 200;
        if self.latest_failing == self.rows {
            return;
        }
        let rest = &text.as_bytes()[at..text.len().min(at + LONGEST)];
        let mut parts = rest.split(|byte| *byte == b'<');
        let direct = parts.next().unwrap_or_default();
        let mut inside = || {
            let part = parts.next()?;
            Some(&part[part.iter().position(|byte| *byte == b'>')? + 1..])
        };
        let cell = match direct.trim_ascii() {
            b"" => inside().unwrap_or_default().trim_ascii(),
            cell => cell,
        };
        let is_failing = std::str::from_utf8(cell).is_ok_and(telling::is_failing_state);
        if !is_failing {
            return;
        }
        self.latest_failing = self.rows;
        self.failing += 1;
        if self.first_failing.len() < FAILING {
            self.first_failing.push((self.rows, self.row));
        }
    }
}

/// Most tables that are described, and most columns that are named.
const TABLES: usize = 4;
const COLUMNS: usize = 16;

/// The form of a text, by its first tag.
#[derive(PartialEq, Eq)]
enum Form {
    Html,
    Xml,
}

fn form(text: &str) -> Option<Form> {
    // A sentence or a quote may precede the tag.
    const FIRST: usize = 600;
    let head = &text[..text.floor_char_boundary(FIRST)];
    let lower = head.to_ascii_lowercase();
    let begins = |tag: &str| {
        lower.find(tag).is_some_and(|at| {
            let before = lower[..at].trim_end();
            before.is_empty() || before.ends_with(['"', ':', '>']) || lower[..at].ends_with('\n')
        })
    };
    if begins("<!doctype html") || begins("<html") {
        return Some(Form::Html);
    }
    begins("<?xml").then_some(Form::Xml)
}

/// A tag: its name as it is spelled, whether it closes an element, and the start of its text.
struct Tag<'t> {
    name: &'t str,
    is_end: bool,
    attributes: &'t str,
    after: usize,
}

/// The next tag at or after `at`.
fn tag(text: &str, at: usize) -> Option<Tag<'_>> {
    let mut from = at;
    loop {
        let open = from + text.get(from..)?.find('<')?;
        let rest = &text[open + 1..];
        let is_end = rest.starts_with('/');
        let name = rest.trim_start_matches('/');
        let start = open + 1 + rest.len() - name.len();
        let length = name
            .bytes()
            .take_while(|byte| {
                byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b':' | b'_' | b'.')
            })
            .count();
        if length == 0 || !name.as_bytes()[0].is_ascii_alphabetic() {
            from = open + 1;
            continue;
        }
        let attributes = &text[start + length..];
        let end = attributes.find('>')?;
        return Some(Tag {
            name: &name[..length],
            is_end,
            attributes: &attributes[..end],
            after: start + length + end + 1,
        });
    }
}

/// The text from a tag to the end of its element, if it is short and has few tags.
fn text_after(text: &str, at: usize, name: &str) -> String {
    const SPAN: usize = 600;
    let rest = &text[at..];
    let span = &rest[..rest.floor_char_boundary(SPAN)];
    let mut out = String::new();
    let mut rest = span;
    while let Some(open) = rest.find('<') {
        out.push_str(&rest[..open]);
        let inside = &rest[open + 1..];
        let is_end = inside.strip_prefix('/').is_some_and(|end| {
            end.get(..name.len())
                .is_some_and(|end| end.eq_ignore_ascii_case(name))
        });
        if is_end {
            rest = "";
            break;
        }
        rest = inside.find('>').map_or("", |end| &inside[end + 1..]);
    }
    out.push_str(rest);
    let line = out.split_whitespace().collect::<Vec<_>>().join(" ");
    one_line(&cut(&line, TEXT_CHARACTERS)).into_owned()
}

/// The texts in a row of a table, whose text begins at `at`, between signs.
fn row_text(text: &str, at: usize) -> String {
    const SPAN: usize = 1_000;
    let rest = &text[at..];
    let mut parts = Vec::new();
    for part in rest[..rest.floor_char_boundary(SPAN)].split('<') {
        let (tag, inside) = part.split_once('>').unwrap_or(("", part));
        if tag.eq_ignore_ascii_case("/tr") {
            break;
        }
        let inside = inside.split_whitespace().collect::<Vec<_>>().join(" ");
        if !inside.is_empty() {
            parts.push(inside);
        }
    }
    one_line(&cut(&parts.join(" | "), ROW_CHARACTERS)).into_owned()
}

/// Describes a page. False if the text is none.
pub fn tell(text: &str, paper: &mut Paper) -> bool {
    match form(text) {
        Some(Form::Html) => html(text, paper),
        Some(Form::Xml) => xml(text, paper),
        None => false,
    }
}

fn html(text: &str, paper: &mut Paper) -> bool {
    let mut page = Page::default();
    let (mut at, mut tags) = (0, 0);
    while let Some(tag) = tag(text, at) {
        at = tag.after;
        tags += 1;
        let name = tag.name;
        let is = |other: &str| name.eq_ignore_ascii_case(other);
        if tag.is_end {
            continue;
        }
        if is("script") || is("style") {
            // The content of scripts and styles is not part of the page.
            let close = text[at..].find(if is("script") { "</script" } else { "</style" });
            at = close.map_or(text.len(), |close| at + close);
        } else if is("title") && page.title.is_none() {
            page.title = Some(text_after(text, at, name));
        } else if name.len() == 2
            && name.starts_with(['h', 'H'])
            && matches!(name.as_bytes()[1], b'1'..=b'6')
        {
            page.number_of_headings += 1;
            if page.headings.len() < MOST {
                let heading = text_after(text, at, name);
                page.headings.push((name.to_ascii_lowercase(), heading));
            }
        } else if is("table") {
            page.number_of_tables += 1;
            if page.tables.len() < MOST {
                page.tables.push(Table::default());
            }
        } else if is("tr") {
            if let Some(table) = page.tables.last_mut() {
                table.rows += 1;
                table.cells = 0;
                table.row = at;
            }
        } else if is("th") || is("td") {
            if let Some(table) = page.tables.last_mut() {
                table.cells += 1;
                table.columns = table.columns.max(table.cells);
                table.note_state(text, at);
                if is("th") && table.rows <= 1 && table.heads.len() < COLUMNS {
                    table.heads.push(text_after(text, at, name));
                }
            }
        } else if is("a") {
            page.links += 1;
        } else if is("img") {
            page.images += 1;
        } else if is("form") {
            page.forms += 1;
        } else if is("input") || is("select") || is("textarea") || is("button") {
            page.number_of_fields += 1;
            if page.fields.len() < MOST {
                let label = attribute(tag.attributes, "name")
                    .or_else(|| attribute(tag.attributes, "id"))
                    .map(str::to_owned)
                    .or_else(|| is("button").then(|| text_after(text, at, name)));
                page.fields.push(format!(
                    "{} {}",
                    name.to_ascii_lowercase(),
                    one_line(&cut(&label.unwrap_or_default(), 40))
                ));
            }
        }
    }
    if tags < LEAST {
        return false;
    }
    match &page.title {
        Some(title) => paper.cut_line(&format!("HTML, title: {title}")),
        None => paper.cut_line("HTML without a title"),
    }
    let counted = [
        (page.number_of_headings, "headings"),
        (page.number_of_tables, "tables"),
        (page.links, "links"),
        (page.forms, "forms"),
        (page.number_of_fields, "fields and buttons"),
        (page.images, "images"),
    ];
    let said: Vec<String> = counted
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    if !said.is_empty() {
        paper.cut_line(&said.join(", "));
    }
    for table in page.tables.iter().take(TABLES) {
        let names = if table.heads.is_empty() {
            String::new()
        } else {
            format!(": {}", table.heads.join(", "))
        };
        let (rows, columns) = (table.rows, table.columns);
        paper.cut_line(&format!("table of {rows} rows, {columns} columns{names}"));
        if table.failing * FAILING_ONE_OF > rows {
            continue;
        }
        for (row, start) in &table.first_failing {
            paper.cut_line(&format!(" row {row}: {}", row_text(text, *start)));
        }
        let more = table.failing - table.first_failing.len();
        if more > 0 {
            paper.cut_line(&format!(" and {more} more rows that look like failures"));
        }
    }
    // Fields whose names differ only in the number at the end are described once.
    let mut fields: Vec<(&str, &str, usize)> = Vec::new();
    let stem = |field: &str| field.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    for field in &page.fields {
        let known = fields
            .iter_mut()
            .find(|(first, ..)| first[..stem(first)] == field[..stem(field)]);
        match known {
            Some((_, last, count)) => (*last, *count) = (field, *count + 1),
            None => fields.push((field, field, 1)),
        }
    }
    let fields: Vec<String> = fields
        .into_iter()
        .map(|(first, last, count)| match count {
            1 => first.to_owned(),
            _ if first == last => format!("{first} {count}×"),
            _ => format!("{first} to {last} {count}×"),
        })
        .collect();
    if !fields.is_empty() {
        let room = (paper.left() / 4).saturating_sub(20);
        paper.cut_line(&format!("fields and buttons: {}", listed(&fields, room)));
    }
    let mut all = Paper::new(paper.left() / 2);
    let more = page.number_of_headings - page.headings.len();
    all.list(
        page.headings.iter(),
        |(level, head)| format!("{level} {head}"),
        "headings",
    );
    paper.paste(&all);
    if more > 0 {
        paper.cut_line(&format!(" and {more} more headings"));
    }
    true
}

/// The value of an attribute, without its quotes.
fn attribute<'t>(attributes: &'t str, name: &str) -> Option<&'t str> {
    let mut from = 0;
    loop {
        let at = from + attributes.get(from..)?.find(name)?;
        from = at + name.len();
        let is_word = at == 0 || attributes.as_bytes()[at - 1].is_ascii_whitespace();
        let Some(value) = attributes[from..].strip_prefix('=').filter(|_| is_word) else {
            continue;
        };
        let value = value.trim_start_matches(['\\', '"', '\'']);
        let end = value
            .find(['\\', '"', '\'', ' ', '>'])
            .unwrap_or(value.len());
        return Some(&value[..end]);
    }
}

fn xml(text: &str, paper: &mut Paper) -> bool {
    let mut names = Counts::new();
    let (mut at, mut root) = (0, None);
    while let Some(tag) = tag(text, at) {
        at = tag.after;
        if !tag.is_end {
            root = root.or(Some(tag.name));
            names.add(tag.name);
        }
    }
    let count = names.total() as usize;
    let Some(root) = root.filter(|_| count >= LEAST) else {
        return false;
    };
    paper.cut_line(&format!("XML <{}>, {count} elements", cut(root, 60)));
    let room = (paper.left() / 2).saturating_sub(20);
    paper.cut_line(&format!("by name: {}", names.listed(room)));
    true
}

#[cfg(test)]
#[path = "tests/markup.rs"]
mod tests;
