//! HTML and XML: title, headings, tables, lists, forms and links, or else the elements.
//!
//! Owns the search for tags. Refuses to judge whether a page is well formed.

use crate::counts::Counts;
use crate::order;
use crate::paper::{Paper, cut, listed, one_line};
use crate::telling;

/// Fewest tags of a page.
const LEAST: usize = 8;
/// Most headings, tables, lists and forms that are described; all are counted.
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
    /// The tables that are open, by their number.
    open_tables: Vec<usize>,
    lists: Vec<List>,
    number_of_lists: usize,
    open_lists: Vec<usize>,
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
    /// The cells of the first row that are names, up to [`COLUMNS`], and its number of cells that are none.
    heads: Vec<String>,
    values_of_first: usize,
    /// Where the texts of the first rows begin.
    first_rows: Vec<usize>,
    /// The latest cell holds a table.
    is_around: bool,
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
    #[inline(never)]
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
/// Rows that are shown after the names of columns.
const ROWS: usize = 2;

/// A list of items.
#[derive(Default)]
struct List {
    items: usize,
    /// The texts of the first items.
    first: Vec<String>,
    /// Most of the first items are links: the list is a menu.
    links: usize,
}

/// Most lists that are described, their fewest items, and most items that are shown.
const LISTS: usize = 2;
const LEAST_ITEMS: usize = 8;
const ITEMS: usize = 3;

impl Table {
    fn has_heads(&self) -> bool {
        self.values_of_first == 0 && !self.heads.is_empty()
    }

    fn begin_row(&mut self, at: usize) {
        self.rows += 1;
        self.cells = 0;
        self.row = at;
        if self.first_rows.len() <= ROWS {
            self.first_rows.push(at);
        }
    }

    fn add_cell(&mut self, text: &str, at: usize, name: &str) {
        self.cells += 1;
        self.columns = self.columns.max(self.cells);
        self.note_state(text, at);
        let is_head = name.eq_ignore_ascii_case("th");
        if self.rows <= 1 {
            self.values_of_first += usize::from(!is_head);
            if is_head && self.heads.len() < COLUMNS {
                self.heads.push(text_after(text, at, name));
            }
        }
    }

    fn tell(&self, text: &str, paper: &mut Paper) {
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
        let mut row = |number: usize, start: usize| {
            paper.cut_line(&format!(" row {number}: {}", row_text(text, start)));
        };
        if !self.is_around {
            let first = self.first_rows.iter().enumerate();
            let first = first.skip(usize::from(self.has_heads())).take(ROWS);
            first.for_each(|(at, start)| row(at + 1, *start));
        }
        if self.failing * FAILING_ONE_OF > rows {
            return;
        }
        let mut failing = self.first_failing.iter();
        let failing = failing
            .by_ref()
            .filter(|(_, start)| !self.first_rows.contains(start));
        failing.for_each(|(number, start)| row(*number, *start));
        let more = self.failing - self.first_failing.len();
        if more > 0 {
            paper.cut_line(&format!(" and {more} more rows that look like failures"));
        }
    }
}

impl Page {
    fn table(&mut self) -> Option<&mut Table> {
        self.tables.get_mut(*self.open_tables.last()?)
    }

    /// Notes a tag of a table or of a list. False for another tag.
    fn note(&mut self, text: &str, name: &str, at: usize) -> bool {
        let is = |other: &str| name.eq_ignore_ascii_case(other);
        if is("table") {
            if let Some(around) = self.table() {
                around.is_around = true;
            }
            self.open_tables.push(self.number_of_tables);
            self.number_of_tables += 1;
            if self.tables.len() < MOST {
                self.tables.push(Table::default());
            }
        } else if is("tr") {
            self.table()
                .into_iter()
                .for_each(|table| table.begin_row(at));
        } else if is("th") || is("td") {
            self.table()
                .into_iter()
                .for_each(|table| table.add_cell(text, at, name));
        } else if is("ul") || is("ol") {
            self.open_lists.push(self.number_of_lists);
            self.number_of_lists += 1;
            if self.lists.len() < MOST {
                self.lists.push(List::default());
            }
        } else if is("li") {
            let list = self.open_lists.last();
            if let Some(list) = list.and_then(|at| self.lists.get_mut(*at)) {
                list.items += 1;
                if list.first.len() < ITEMS {
                    list.links += usize::from(text[at..].trim_start().starts_with("<a"));
                    list.first.push(text_after(text, at, name));
                }
            }
        } else {
            return false;
        }
        true
    }

    fn end(&mut self, name: &str) {
        let is = |other: &str| name.eq_ignore_ascii_case(other);
        if is("table") {
            self.open_tables.pop();
        } else if is("ul") || is("ol") {
            self.open_lists.pop();
        }
    }

    /// Describes the longest lists, in their order. A menu is none.
    fn tell_lists(&self, paper: &mut Paper) {
        let is_told = |list: &&List| list.items >= LEAST_ITEMS && list.links < ITEMS;
        let all = self.lists.iter().filter(is_told);
        let mut longest: Vec<usize> = all.clone().map(|list| list.items).collect();
        order::most_first(&mut longest, |items| *items as i64);
        let least = longest.get(LISTS - 1).or(longest.last()).copied();
        let told = all.filter(|list| Some(list.items) >= least);
        for list in told.take(LISTS) {
            let items = list.first.join("; ");
            paper.cut_line(&format!(
                "list of {} items, the first {ITEMS}: {items}",
                list.items
            ));
        }
    }
}

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

/// Whether the text after `<` begins or ends an element of this name, or of the other sort of lists.
#[inline(never)]
fn is_tag(inside: &str, name: &str) -> bool {
    let inside = inside.strip_prefix('/').unwrap_or(inside);
    let length = inside.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let tag = &inside[..length];
    tag.eq_ignore_ascii_case(name) || name == "ul" && tag.eq_ignore_ascii_case("ol")
}

/// The text from a tag to the end of its element, if it is short and has few tags.
#[inline(never)]
fn text_after(text: &str, at: usize, name: &str) -> String {
    const SPAN: usize = 600;
    let rest = &text[at..];
    let span = &rest[..rest.floor_char_boundary(SPAN)];
    let mut out = String::new();
    let mut rest = span;
    while let Some(open) = rest.find('<') {
        out.push_str(&rest[..open]);
        let inside = &rest[open + 1..];
        // The end tag of a cell or an item may be omitted.
        const OTHERS: [&str; 6] = ["ul", "li", "tr", "td", "th", "table"];
        let is_end = is_tag(inside, name) || OTHERS.iter().any(|other| is_tag(inside, other));
        if is_end {
            rest = "";
            break;
        }
        rest = inside.find('>').map_or("", |end| &inside[end + 1..]);
    }
    out.push_str(rest);
    one_line(&cut(&with_single_blanks(&out), TEXT_CHARACTERS)).into_owned()
}

/// A text with one blank between its words.
#[inline(never)]
fn with_single_blanks(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The texts in a row of a table, whose text begins at `at`, between signs.
#[inline(never)]
fn row_text(text: &str, at: usize) -> String {
    const SPAN: usize = 1_000;
    let rest = &text[at..];
    let mut parts = Vec::new();
    for part in rest[..rest.floor_char_boundary(SPAN)].split('<') {
        if is_tag(part, "tr") || is_tag(part, "table") {
            break;
        }
        let (_, inside) = part.split_once('>').unwrap_or(("", part));
        let inside = with_single_blanks(inside);
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
            page.end(name);
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
        } else if page.note(text, name, at) {
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
        (page.number_of_lists, "lists"),
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
    // Tables with a state that failed first.
    let (failing, others): (Vec<&Table>, Vec<&Table>) =
        page.tables.iter().partition(|table| table.failing > 0);
    for table in failing.iter().chain(&others).take(TABLES) {
        table.tell(text, paper);
    }
    page.tell_lists(paper);
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
#[inline(never)]
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
