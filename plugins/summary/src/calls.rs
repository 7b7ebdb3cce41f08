//! Calls that read more of a document. A model can use them as they are.
//!
//! Owns the read tool's arguments. Refuses to know the rest of a summary.

use crate::column::{self, Column};
use crate::json::{Digest, Main, Shown};
use crate::outline::{Outline, ROOT, Step, push_step};
use crate::table;
use crate::telling;
use crate::texts;
use crate::tree::Tree;
use tamis_sdk::{Kept, Node, NodeKind, quote, read_call as with};

/// Characters that a call for rows should return: a little less than one answer of the read tool.
const PAGE_CHARACTERS: u64 = 6_000;
const MOST_ROWS: u64 = 100;
/// Lines that a call asks for.
const PAGE_LINES: usize = 80;
/// Longer paths do not appear in calls.
const PATH_CHARACTERS: usize = 120;

/// Calls that read a text. `point`: the first and last of the lines to look at first, if some stand out. `table`: the name
/// of a table in it.
pub fn of_text(
    kept: &Kept,
    lines: usize,
    point: Option<(usize, usize)>,
    table: Option<&str>,
) -> String {
    if lines <= 2 {
        let all = with(kept, "");
        return format!("More: {all}, page by page; or add \"search\":\"…\"");
    }
    let page = with(kept, &lines_of(lines, point));
    let query = table
        .filter(|name| !is_sql(name))
        .map_or_else(String::new, asked_of);
    format!("More: {page}{query}; or \"search\":\"…\"")
}

/// The member of a call that asks for rows of a table.
fn asked_of(name: &str) -> String {
    format!("; or \"query\":\"SELECT … FROM {name}\"")
}

/// The argument for the lines around the point of a text of so many, or its first page.
fn lines_of(lines: usize, point: Option<(usize, usize)>) -> String {
    let (first, last) = point.unwrap_or((1, lines.min(PAGE_LINES)));
    format!(r#""lines":"{first}-{last}""#)
}

/// A page of rows after the first ones, of the size of one answer of the read tool.
fn page(outline: &Outline<'_>, at: usize, row: usize, shown: usize) -> (u64, u64) {
    let count = u64::from(outline.fields[row].tally.values()).max(1);
    let page = (PAGE_CHARACTERS * count / outline.fields[at].bytes.max(1)).clamp(1, MOST_ROWS);
    let shown = shown + outline.fields[at].header_rows as usize;
    let from = (shown as u64).min(count - 1);
    (from, (from + page).min(count))
}

/// A word of the first row, to search for.
fn first_word<'d>(outline: &Outline<'d>, at: usize, row: usize) -> &'d str {
    let header = outline.fields[at].header_rows as usize;
    let first = outline.fields[at].first.elements().nth(header);
    let columns = column::columns(outline, row);
    let is_known = |column: &&Column| {
        is_telling(outline, column) && telling::weight(outline, column, false) > 0
    };
    let mut words = columns.iter().filter(is_known).filter_map(|column| {
        let steps = outline.steps(row, column.field);
        word(outline, table::descend(outline, first?, &steps)?)
    });
    words.next().unwrap_or("…")
}

fn is_telling(outline: &Outline<'_>, column: &Column) -> bool {
    column::is_cell(outline, column) && !column::is_heavy(outline, column)
}

/// Calls that read JSON: its main place, after the rows of it that are `shown`, or around its point. `main`: what the text
/// there holds. None shown yet: calls that no others are longer than, for so many `rows`.
pub fn of_json(
    kept: &Kept,
    digest: &Digest<'_>,
    main: &Main<'_>,
    shown: Result<Shown, usize>,
) -> String {
    if let Main::Data(_, inner) = main {
        return of_json(kept, inner, &Main::None, shown);
    }
    let (outline, at) = (digest.outline(), digest.main());
    let path = outline.full_path(at);
    if path.chars().count() > PATH_CHARACTERS {
        let search = with(kept, r#""search":"…""#);
        return format!("More: {search}; or \"path\":\"$…\"");
    }
    let root_path = |path: &str| {
        if path == "$" {
            String::new()
        } else {
            format!(r#""path":{},"#, quote(path))
        }
    };
    let text = || {
        let lines = digest.main_lines()?;
        let point = shown.map_or(Some((lines, lines)), |shown| shown.point);
        let asked = format!(r#""path":{},{}"#, quote(&path), lines_of(lines, point));
        (lines > 2).then(|| with(kept, &asked))
    };
    let Some(row) = outline.rows(at) else {
        let page = text().unwrap_or_else(|| {
            let asked = format!(r#""path":{}"#, quote(&path));
            with(kept, &asked)
        });
        let query = main.table().map_or_else(String::new, |table| {
            let path = root_path(&path);
            format!(r#"; or {path}"query":"SELECT … FROM {table}""#)
        });
        return format!("More: {page}{query}, or \"search\":\"…\", or any other path");
    };
    // The numbers of the summary's lines are those of the strings together.
    if texts::is_lines(outline, at)
        && texts::member(outline, at).is_none()
        && let Some(page) = text()
    {
        return format!("More: {page}; or \"search\":\"…\"");
    }
    if let Some(branch) = Tree::of(outline, at).and_then(|tree| tree.largest_branch()) {
        let page = with(
            kept,
            &format!(r#""path":{}"#, quote(&format!("{path}{branch}[*]"))),
        );
        return format!("More: {page} or deeper; or \"search\":\"…\"");
    }
    let is_map = outline.fields[row].step == Step::Entry;
    let odd = digest.main_odd_row();
    let column = match odd.filter(|_| !is_map) {
        // A reader most likely needs the row that differs from the others.
        Some((odd, inner)) => Some(quote(&format!("{path}[{odd}]{inner}"))),
        None => {
            let columns = column::columns(outline, row);
            let columns = columns
                .iter()
                .filter(|column| is_telling(outline, column) && !column.path.is_empty());
            // Of equals, the first.
            let column = columns
                .rev()
                .max_by_key(|column| telling::weight(outline, column, false));
            column.map(|column| quote(&outline.full_path(column.field)))
        }
    };
    let column = column.filter(|path| path.chars().count() <= PATH_CHARACTERS);
    let column = column.map_or(String::new(), |path| format!(", or \"path\":{path}"));
    if is_map {
        let mut first = path.clone();
        let mut keys = outline.fields[at]
            .first
            .members()
            .skip(odd.map_or(0, |(row, _)| *row));
        if let Some((key, _)) = keys.find(|(key, _)| key.len_bytes() > 2) {
            push_step(&mut first, Step::Member(outline.raw(key)));
        }
        let page = with(kept, &format!(r#""path":{}"#, quote(&first)));
        let query = map_query(outline, at, row).map(|name| match name {
            Some(name) => {
                let document = root_path(outline.root());
                format!(r#"; or {document}"query":"SELECT … FROM {name}""#)
            }
            None => format!(r#"; or {}"query":"SELECT … FROM rows""#, root_path(&path)),
        });
        // A query reads a column, too.
        let other = query.unwrap_or(column);
        return format!("More: {page}{other}; or \"search\":\"…\"");
    }
    let rows = shown.map_or_else(|rows| rows, |shown| shown.rows);
    let (from, to) = page(outline, at, row, rows);
    let table = root_path(&path);
    let rows = with(kept, &format!(r#"{table}"rows":"{from}:{to}""#));
    let word = first_word(outline, at, row);
    // An odd value of the rows themselves is in their table.
    let is_of_rows = odd.is_some_and(|(_, inner)| inner.is_empty());
    let inner = inner_list(outline, row, is_of_rows).filter(|it| is_only_table(outline, *it));
    let inner = inner.and_then(|inner| table_name(outline, inner));
    let query = match inner.or_else(|| table_name(outline, at)) {
        // A query without a path asks the whole document.
        Some(name) => {
            let document = root_path(outline.root());
            Some(format!(r#"; or {document}"query":"SELECT … FROM {name}""#))
        }
        // The value at a path is a table by itself.
        None => {
            (!path.contains("[*]")).then(|| format!(r#"; or {table}"query":"SELECT … FROM rows""#))
        }
    };
    match query {
        // A query reads a column, too.
        Some(query) if odd.is_none() || column.is_empty() => {
            format!("More: {rows}{query}; or \"search\":\"{word}\"")
        }
        Some(query) => format!("More: {rows}{query}{column}"),
        None => format!("More: {rows}; or \"search\":\"{word}\"{column}"),
    }
}

/// The list of objects that has nearly all of a table: of a few rows, or rows with an object each, the table is little but
/// it. `is_of_rows`: a reader needs other columns of the table.
fn inner_list(outline: &Outline<'_>, row: usize, is_of_rows: bool) -> Option<usize> {
    const LEAST: u32 = 16;
    /// Percent of the bytes of the table, the second of a table of few rows.
    const MOST: [u64; 2] = [80, 50];
    const FEW: u32 = 3;
    let rows = &outline.fields[row];
    let count = rows.tally.values();
    let most = MOST[usize::from(count <= FEW)];
    let is_inner = |at: &usize| {
        let list = &outline.fields[*at];
        let is_object = |of: &usize| {
            let element = &outline.fields[*of];
            let objects = element.tally.objects;
            let is_needed = !is_of_rows || count <= FEW || objects == count;
            element.step == Step::Each && objects >= LEAST && is_needed
        };
        list.bytes * 100 > rows.bytes * most && list.children.iter().any(is_object)
    };
    rows.children.iter().copied().find(is_inner)
}

/// The name of a map in a query, or none if only the value at its path is known by one; none at all if a query takes the map
/// for one record.
fn map_query<'d>(outline: &Outline<'d>, at: usize, row: usize) -> Option<Option<&'d str>> {
    const LEAST_ENTRIES: u32 = 4;
    /// The same of entries that are single values.
    const LEAST_VALUES: u32 = 16;
    let entries = &outline.fields[row].tally;
    let all = entries.values();
    let are_values = all >= LEAST_VALUES && (entries.numbers == all || entries.strings == all);
    let are_rows = entries.objects == all && all >= LEAST_ENTRIES || are_values;
    let steps = outline.steps(ROOT, at);
    let map = outline.fields[at].first;
    if entries.arrays >= LEAST_ENTRIES
        && outline.may_look_at(map.children() as usize)
        && outline.are_like_lists(map)
    {
        let is_outer = !steps.contains(&Step::Each) && !steps.contains(&Step::Entry);
        // A list that the read tool calls `rows`, too, has the name.
        let is_rows = |(key, _): (Node<'_>, Node<'_>)| {
            let key = outline.raw(key).trim_matches('"');
            let last = key.rsplit('.').next().unwrap_or_default();
            last.is_empty() || last.eq_ignore_ascii_case("rows")
        };
        let is_taken = outline.fields[at].first.members().any(is_rows);
        return (is_outer && !is_taken).then_some(None);
    }
    if !are_rows || steps.contains(&Step::Each) || steps.contains(&Step::Entry) {
        return None;
    }
    let is_only = is_only_table(outline, at);
    // What is in a row of a table is none by itself.
    let is_record = |object: Node<'_>| {
        let is_object = |(_, value): (Node<'_>, Node<'_>)| value.kind() == NodeKind::Object;
        object.kind() == NodeKind::Object
            && (object.children() < LEAST_ENTRIES || !object.members().all(is_object))
    };
    let mut above = at;
    let mut are_records = true;
    while above != ROOT {
        above = outline.fields[above].parent;
        are_records &= is_record(outline.fields[above].first);
    }
    Some(table_name(outline, at).filter(|_| is_only && are_records))
}

/// Whether no other place has a table of this name: the largest of several has it.
fn is_only_table(outline: &Outline<'_>, at: usize) -> bool {
    let is_same = |other: usize| match (outline.fields[at].step, outline.fields[other].step) {
        (Step::Member(one), Step::Member(other)) => one.eq_ignore_ascii_case(other),
        _ => false,
    };
    let is_table = |other: usize| {
        let first = outline.fields[other].first.kind();
        matches!(first, NodeKind::Array | NodeKind::Object)
    };
    let mut others = (0..outline.fields.len()).filter(|other| *other != at);
    !others.any(|it| is_same(it) && is_table(it))
}

/// The name of a list in a query: its key, or `rows` for the document. None if the read tool would use another name:
/// the key is no plain word, or an earlier list has the same key.
fn table_name<'d>(outline: &Outline<'d>, at: usize) -> Option<&'d str> {
    /// Tables of a query that are not lists of the document.
    const OWN: [&str; 3] = ["document", "tables", "lines"];
    let name = |at: usize| match outline.fields[at].step {
        Step::Root => Some("rows"),
        Step::Member(key) => key.get(1..key.len() - 1),
        _ => None,
    };
    let at = side_by_side(outline, at).unwrap_or(at);
    // The only block of a result in a text: a query without a path reads what it holds.
    let holder = outline.fields[at].parent;
    let is_only = outline.fields[ROOT].first.children() == 1;
    let is_block = is_only && matches!(outline.fields[holder].step, Step::Place(_));
    let own = name(at).filter(|own| !is_block || *own != "text")?;
    let mut letters = own.chars();
    let is_plain = letters.next().is_some_and(|c| c.is_ascii_alphabetic())
        && letters.all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !is_sql(own);
    let is_taken = OWN.iter().any(|taken| taken.eq_ignore_ascii_case(own))
        || (0..at).any(|before| {
            let is_list = outline.fields[before].first.kind() == NodeKind::Array;
            is_list && name(before).is_some_and(|name| name.eq_ignore_ascii_case(own))
        });
    (is_plain && !is_taken).then_some(own)
}

/// The place of an object whose lists of single values are the columns of a table: the one at `at` and others of its length.
fn side_by_side(outline: &Outline<'_>, at: usize) -> Option<usize> {
    const LEAST: u32 = 8;
    let parent = outline.fields[at].parent;
    let object = outline.fields[parent].first;
    if at == ROOT || object.kind() != NodeKind::Object {
        return None;
    }
    let length = outline.fields[at].first.children();
    let lists = object.members().map(|(_, value)| value);
    let lists: Vec<Node<'_>> = lists
        .filter(|list| list.kind() == NodeKind::Array && list.children() > 0)
        .collect();
    let is_single = |node: Node<'_>| !matches!(node.kind(), NodeKind::Array | NodeKind::Object);
    let is_column = |list: &Node<'_>| list.children() == length && list.elements().all(is_single);
    let is_member = |step: &Step<'_>| matches!(step, Step::Member(_));
    let are_alike = length >= LEAST && lists.len() > 1 && lists.iter().all(is_column);
    (are_alike && outline.steps(ROOT, parent).iter().all(is_member)).then_some(parent)
}

/// Whether a key must be quoted in a query.
fn is_sql(name: &str) -> bool {
    const WORDS: [&str; 32] = [
        "add",
        "all",
        "alter",
        "and",
        "as",
        "between",
        "case",
        "check",
        "create",
        "default",
        "delete",
        "drop",
        "exists",
        "from",
        "group",
        "in",
        "index",
        "is",
        "join",
        "limit",
        "not",
        "null",
        "on",
        "or",
        "order",
        "references",
        "select",
        "set",
        "table",
        "to",
        "values",
        "where",
    ];
    WORDS.iter().any(|word| word.eq_ignore_ascii_case(name))
}

/// The text of a value, if it is a word to search for: an example is clearer than a rule.
fn word<'d>(outline: &Outline<'d>, value: Node<'d>) -> Option<&'d str> {
    let raw = (value.kind() == NodeKind::String).then(|| outline.raw(value))?;
    let text = raw.get(1..raw.len() - 1)?;
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '@' | ' ');
    ((3..=24).contains(&text.len()) && text.chars().all(plain)).then_some(text)
}
