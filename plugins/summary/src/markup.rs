//! HTML and XML: title, headings, tables, lists, forms and links, or else the elements.
//!
//! Owns what of a page is told. Refuses to know how tags are spelled, and to judge whether a page is well formed.

use crate::counts::Counts;
use crate::html_table::{
    TABLES, Table, shown, spans, text_after, text_and_tag, with_single_blanks,
};
use crate::order;
use crate::page_tables::PageTables;
use crate::paper::{CUT, Paper, REST, characters, cut, listed, one_line, some};
use crate::search::{find, has};
use crate::tags::{Marks, Tag, attribute, tag};
use tamis_formats::words;

/// Fewest tags of a page.
const LEAST: usize = 8;
/// Most headings, tables, lists and forms that are described; all are counted.
const MOST: usize = 256;
/// Most tags of tables for which room is made at once.
const TAGS: usize = 1 << 13;
/// The content of a page.
#[derive(Default)]
struct Page<'p> {
    /// Tables that are read as data are told by themselves.
    read: Option<&'p PageTables>,
    /// The tags inside of the other tables.
    tags: Vec<Tag<'p>>,
    title: Option<String>,
    /// Their levels and texts.
    headings: Vec<(String, String)>,
    number_of_headings: usize,
    /// None for those.
    tables: Vec<Option<Table>>,
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
    /// The first paragraph of some words, and where the last one begins.
    paragraph: Option<String>,
    last_paragraph: usize,
    /// The texts of the first elements that warn the reader.
    warnings: Vec<String>,
    number_of_warnings: usize,
    /// Where the text of the latest of them ends.
    end_of_warning: usize,
}

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

impl Page<'_> {
    fn table(&mut self) -> Option<&mut Table> {
        self.tables.get_mut(*self.open_tables.last()?)?.as_mut()
    }

    /// Notes the beginning of an element. `name`: that of the tag, in small letters.
    fn begin(&mut self, text: &str, tag: &Tag<'_>, name: &[u8]) {
        let at = tag.after;
        // What is in a warning is told with it.
        if at >= self.end_of_warning && warns(tag) {
            let (warning, end) = text_of_block(text, tag);
            self.end_of_warning = end;
            let is_shown = !warning.is_empty() && self.warnings.len() < WARNINGS;
            self.number_of_warnings += usize::from(!warning.is_empty());
            self.warnings.extend(is_shown.then_some(warning));
        }
        match name {
            b"p" if self.open_tables.is_empty() => {
                self.last_paragraph = tag.start;
                if self.paragraph.is_none() {
                    let (first, _) = text_of_block(text, tag);
                    self.paragraph = Some(first).filter(|it| it.len() >= LEAST_PARAGRAPH);
                }
            }
            b"title" => {
                self.title
                    .get_or_insert_with(|| text_after(text, at, tag.name));
            }
            [b'h', b'1'..=b'6'] => {
                self.number_of_headings += 1;
                if self.headings.len() < MOST {
                    let heading = text_after(text, at, tag.name);
                    self.headings.push((tag.name.to_ascii_lowercase(), heading));
                }
            }
            b"table" => {
                if let Some(around) = self.table() {
                    around.is_around = true;
                }
                self.open_tables.push(self.number_of_tables);
                self.number_of_tables += 1;
                if self.tables.len() < MOST {
                    let is_read = self.read.is_some_and(|read| read.at(tag.start).is_some());
                    self.tables.push((!is_read).then(Table::default));
                }
            }
            b"tr" | b"th" | b"td" | b"thead" | b"tbody" | b"tfoot" => {
                let latest = self.tags.len().saturating_sub(1);
                let Some(table) = self.table() else { return };
                match name {
                    b"tr" => table.begin_row(latest),
                    b"th" | b"td" => table.add_cell(text, at, tag),
                    _ => table.end_group(),
                }
            }
            b"ul" | b"ol" => {
                self.open_lists.push(self.number_of_lists);
                self.number_of_lists += 1;
                if self.lists.len() < MOST {
                    self.lists.push(List::default());
                }
            }
            b"li" => {
                let list = self.open_lists.last();
                if let Some(list) = list.and_then(|at| self.lists.get_mut(*at)) {
                    list.items += 1;
                    if list.first.len() < ITEMS {
                        list.links += usize::from(text[at..].trim_start().starts_with("<a"));
                        list.first.push(text_after(text, at, tag.name));
                    }
                }
            }
            b"a" => self.links += 1,
            b"img" => self.images += 1,
            b"form" => self.forms += 1,
            b"input" | b"select" | b"textarea" | b"button" => {
                self.number_of_fields += 1;
                if self.fields.len() < MOST {
                    let label = attribute(tag.attributes, "name")
                        .or_else(|| attribute(tag.attributes, "id"))
                        .map(str::to_owned)
                        .or_else(|| (name == b"button").then(|| text_after(text, at, tag.name)));
                    let label = shown(&label.unwrap_or_default(), 40);
                    let name = tag.name.to_ascii_lowercase();
                    self.fields.push(format!("{name} {label}"));
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, name: &[u8]) {
        match name {
            b"table" => _ = self.open_tables.pop(),
            b"ul" | b"ol" => _ = self.open_lists.pop(),
            _ => {}
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

    /// Describes all but the title, the counts and the tables that are read as data.
    fn tell_rest(&self, text: &str, paper: &mut Paper) {
        for warning in &self.warnings {
            paper.cut_line(&format!("warning: {warning}"));
        }
        paper.count_rest(self.number_of_warnings - self.warnings.len(), "warnings");
        if let Some(first) = &self.paragraph {
            paper.cut_line(&format!("first paragraph: {first}"));
            let last = tag(text, self.last_paragraph).map(|tag| text_of_block(text, &tag).0);
            let last = last.unwrap_or_default();
            if last.len() >= LEAST_PARAGRAPH && last != *first {
                paper.cut_line(&format!("last paragraph: {last}"));
            }
        }
        let read = self.read.map_or(0, PageTables::count);
        // Tables with a state that failed first.
        let of = |fails: bool| {
            let tables = self.tables.iter().flatten();
            tables.filter(move |table| (table.failing > 0) == fails)
        };
        // The largest take no room from these.
        let failing = of(true).count();
        let most = failing.clamp(TABLES - read, TABLES);
        for table in of(true).chain(of(false)).take(most) {
            table.tell(text, &self.tags, paper);
        }
        let more = failing.saturating_sub(most);
        let others = self.number_of_tables.saturating_sub(read + most + more);
        paper.count_rest(others, "tables, in which odd values are not looked for");
        paper.count_rest(more, "tables with rows that look like failures");
        self.tell_lists(paper);
        // Fields whose names differ only in the number at the end are described once.
        let mut fields: Vec<(&str, &str, usize)> = Vec::new();
        let stem = |field: &str| field.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        for field in &self.fields {
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
            paper.cut_list("fields and buttons: ", &listed(&fields, room));
        }
        let mut all = Paper::new(paper.left() / 2);
        let more = self.number_of_headings - self.headings.len();
        all.list(
            self.headings.iter(),
            |(level, head)| format!("{level} {head}"),
            "headings",
        );
        paper.paste(&all);
        paper.count_rest(more, "headings");
    }
}

/// Most elements that warn the reader and are shown.
const WARNINGS: usize = 3;
/// Fewest bytes of a paragraph that is shown.
const LEAST_PARAGRAPH: usize = 40;

/// Whether an element warns the reader by its class or its name: `<div class="alert alert-danger">`, and
/// `<ac:structured-macro ac:name="warning">` of Confluence. Pages hide warnings until something goes wrong.
fn warns(tag: &Tag<'_>) -> bool {
    const WARNS: [&str; 4] = ["caution", "danger", "deprecated", "warning"];
    let attribute = match tag.name {
        "div" | "p" | "section" | "aside" | "blockquote" => "class",
        "ac:structured-macro" => "ac:name",
        _ => return false,
    };
    let names = crate::tags::value(tag.attributes, attribute).unwrap_or_default();
    let mut words = names.split([' ', '-', '_']);
    words.any(|word| WARNS.contains(&word))
        && !has(tag.attributes, "hidden")
        && !has(tag.attributes, "none")
        && !tag.attributes.ends_with('/')
}

/// The text of an element on one line, and where it ends: a whole paragraph, or the first blocks of another element that
/// have some words.
fn text_of_block(text: &str, element: &Tag<'_>) -> (String, usize) {
    const BYTES: usize = 600;
    const LEAST_WORDS: usize = 16;
    const SHOWN: usize = 200;
    let is_paragraph = element.name.eq_ignore_ascii_case("p");
    let (mut out, mut at, mut depth) = (String::new(), element.after, 1);
    let end = text.floor_char_boundary(at + BYTES);
    let span = &text[..end];
    while let Some((part, tag)) = text_and_tag(span, &mut at) {
        out.push_str(part);
        out.push(' ');
        if tag.name.eq_ignore_ascii_case(element.name) && !tag.attributes.ends_with('/') {
            depth += if tag.is_end { -1 } else { 1 };
        }
        let mut room = [0; 8];
        let name = tag.lower(&mut room);
        let is_block = matches!(
            name,
            b"p" | b"div"
                | b"section"
                | b"aside"
                | b"li"
                | b"ul"
                | b"ol"
                | b"table"
                | b"td"
                | b"th"
                | b"tr"
                | b"pre"
                | b"form"
                | b"header"
                | b"footer"
                | b"nav"
                | b"main"
                | b"article"
                | b"body"
        );
        let is_end = is_block && tag.is_end && out.trim().len() >= LEAST_WORDS;
        // The end tag of a paragraph may be omitted.
        let ends_paragraph = is_block || matches!(name, [b'h', b'1'..=b'6']);
        if depth == 0 || is_end || ends_paragraph && is_paragraph {
            return (block(&out, SHOWN), tag.start);
        }
    }
    // The element goes on, or is cut.
    if end < text.len() {
        out.push(CUT);
    }
    (block(&out, SHOWN), end)
}

fn block(text: &str, characters: usize) -> String {
    shown(&with_single_blanks(text), characters)
}

/// Whether a text is a part of HTML: it begins with an element of a page and ends with the end of one.
pub fn is_fragment(text: &str) -> bool {
    const STARTS: [&str; 8] = ["p", "h1", "h2", "h3", "div", "ul", "section", "article"];
    let first = text.strip_prefix('<').map(|rest| {
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric());
        &rest[..end.unwrap_or(rest.len())]
    });
    if !first.is_some_and(|first| STARTS.contains(&first)) {
        return false;
    }
    let text = text.trim_end();
    let last = text.rfind('<').map_or("", |at| &text[at..]);
    last.starts_with("</") && last.ends_with('>')
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
    let start = |tag: &str| {
        find(&lower, tag).filter(|at| {
            let before = lower[..*at].trim_end();
            before.is_empty() || before.ends_with(['"', ':', '>']) || lower[..*at].ends_with('\n')
        })
    };
    let begins = |tag: &str| start(tag).is_some();
    if begins("<!doctype html") || begins("<html") {
        return Some(Form::Html);
    }
    if begins("<?xml") {
        return Some(Form::Xml);
    }
    let is_html = is_fragment(text) || start("<table").is_some_and(|at| is_table(text, at));
    is_html.then_some(Form::Html)
}

/// Whether a text is HTML without `<html>` around it: it ends with a tag, and the element at `at`, a table by its name,
/// begins with a row. Markdown may hold such a table, too, with other lines above.
fn is_table(text: &str, at: usize) -> bool {
    const OTHERS: usize = 1;
    let lines = text[..at].lines().map(str::trim);
    let mut others = lines.filter(|line| !line.is_empty() && !line.starts_with('<'));
    let is_heading = |line: &str| line.starts_with(['#', '-', '*', '|', '`', '>']);
    let begins_alone = !others.clone().any(is_heading) && others.nth(OTHERS).is_none();
    let ends = text.trim_end().ends_with('>');
    let mut tags = std::iter::successors(tag(text, at), |last| tag(text, last.next_from(text)));
    let mut room = [0; 8];
    let is_table = tags
        .next()
        .is_some_and(|tag| tag.lower(&mut room) == b"table");
    let is_part = |tag: Tag<'_>| {
        matches!(
            tag.lower(&mut [0; 8]),
            b"tr" | b"thead" | b"tbody" | b"caption" | b"colgroup"
        )
    };
    begins_alone && ends && is_table && tags.next().is_some_and(is_part)
}

/// Whether a text is a page, so that [`tell`] describes it.
pub fn is_page(text: &str) -> bool {
    let Some(form) = form(text) else { return false };
    let (mut next, mut tags) = (0, 0);
    while tags < LEAST {
        let Some(tag) = tag(text, next) else { break };
        (next, tags) = match form {
            Form::Html => (tag.next_from(text), tags + 1),
            Form::Xml => (tag.after, tags + usize::from(!tag.is_end)),
        };
    }
    tags == LEAST
}

/// Describes a page. False if the text is none. `tables`: those that are read as data, and characters of their cells.
pub fn tell(text: &str, tables: (Option<&PageTables>, usize), paper: &mut Paper) -> bool {
    match form(text) {
        Some(Form::Html) => html(text, tables, paper),
        Some(Form::Xml) => xml(text, paper),
        None => false,
    }
}

fn html(text: &str, (read, cell): (Option<&PageTables>, usize), paper: &mut Paper) -> bool {
    let mut page = Page {
        read,
        ..Page::default()
    };
    let (mut next, mut tags) = (0, 0);
    // Of a table that is read as data, the tags of its rows are not read again.
    let mut inside = [].iter();
    let mut marks = Marks::of(text, spans);
    while let Some(tag) = marks.next(inside.next().copied().unwrap_or(next)) {
        if let Some(table) = page.table() {
            table.note_text(&text[next..tag.start], &tag);
            if page.tags.capacity() == 0 {
                let tags = words::count(&text.as_bytes()[tag.start..], b'<');
                page.tags.reserve(tags.min(TAGS));
            }
            page.tags.push(tag);
        }
        next = tag.next_from(text);
        if tag.name.is_empty() {
            continue;
        }
        tags += 1;
        let mut room = [0; 8];
        let name = tag.lower(&mut room);
        match tag.is_end {
            true => page.end(name),
            false => page.begin(text, &tag, name),
        }
        let table = read.and_then(|read| read.at(tag.start));
        if let Some(table) = table {
            inside = table.tags.iter();
            tags += table.rows;
        }
    }
    // A page may be cut in a cell.
    if let (Some(table), Some(rest)) = (page.table(), text.get(next..)) {
        table.note_text(rest, &Tag::default());
    }
    if tags < LEAST {
        return false;
    }
    match &page.title {
        Some(title) => paper.cut_line(&format!("HTML, title: {title}")),
        None => paper.cut_line("HTML without a title"),
    }
    let fields = match page.number_of_fields {
        1 => "field or buttons",
        _ => "fields and buttons",
    };
    let counted = [
        (page.number_of_headings, "headings"),
        (page.number_of_tables, "tables"),
        (page.number_of_lists, "lists"),
        (page.links, "links"),
        (page.forms, "forms"),
        (page.number_of_fields, fields),
        (page.images, "images"),
    ];
    let said: Vec<String> = counted
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| some(*count, what))
        .collect();
    if !said.is_empty() {
        paper.cut_line(&said.join(", "));
    }
    let Some((read, outline)) = read.and_then(|read| Some((read, read.outline()?))) else {
        page.tell_rest(text, paper);
        return true;
    };
    let room = paper.left();
    let mut tables = read.told_largest(&outline, cell, room / 2);
    let mut rest = Paper::new(room - characters(tables.text()));
    page.tell_rest(text, &mut rest);
    // Tables take the room that the rest leaves.
    if rest.left() > REST {
        tables = read.told_largest(&outline, cell, room - characters(rest.text()));
    }
    paper.paste(&tables);
    paper.paste(&rest);
    true
}

fn xml(text: &str, paper: &mut Paper) -> bool {
    let mut names = Counts::new();
    let (mut at, mut root) = (0, None);
    // Where the first elements that report a failure begin, and how many there are.
    let (mut failing, mut failures) = (Vec::new(), 0);
    while let Some(tag) = tag(text, at) {
        at = tag.after;
        if tag.is_end {
            continue;
        }
        root = root.or(Some(tag.name));
        names.add(tag.name);
        let name = tag.name.rsplit(':').next().unwrap_or_default();
        if FAILURES
            .iter()
            .any(|known| name.eq_ignore_ascii_case(known))
        {
            failures += 1;
            if failing.len() < FAILING {
                failing.push(tag.start);
            }
        }
    }
    let count = names.total() as usize;
    let Some(root) = root.filter(|_| count >= LEAST) else {
        return false;
    };
    paper.cut_line(&format!("XML <{}>, {count} elements", cut(root, 60)));
    let room = (paper.left() / 2).saturating_sub(20);
    paper.cut_list("by name: ", &names.listed(room));
    for start in &failing {
        let (before, rest) = text.split_at(*start);
        let number = before.matches('\n').count() + 1;
        let before = before.rsplit('\n').next().unwrap_or_default();
        // The element around it, if it is on the line.
        let around = match before.chars().count() <= FAILING_CHARACTERS {
            true => before,
            false => "…",
        };
        let line = format!("{around}{}", rest.lines().next().unwrap_or_default());
        let line = cut(&line, 2 * FAILING_CHARACTERS);
        paper.cut_line(&format!("{number}: {}", one_line(line.trim())));
    }
    paper.count_rest(failures - failing.len(), "failures");
    true
}

/// Elements that report a failure, those of them that are shown, and characters of each.
const FAILURES: [&str; 5] = ["failure", "error", "exception", "fault", "fatal"];
const FAILING: usize = 4;
const FAILING_CHARACTERS: usize = 120;

#[cfg(test)]
#[path = "tests/markup.rs"]
mod tests;
