//! The summary of one table, list or map of a JSON document: the number of rows, the columns, the first rows.

use crate::column::{self, Column, Told, columns, described};
use crate::hashing::same;
use crate::order;
use crate::outline::{Outline, Step};
use crate::paper::{Paper, characters, cut, listed, listed_short, minified, names_some, one_line};
use crate::paths::Paths;
use crate::rare_rows::Rows;
use crate::row_names::names;
use crate::telling;
use crate::texts::Need;
use crate::tree::Tree;
use crate::values;
use tamis_sdk::{Node, NodeKind};

/// Most columns and characters of a sample row.
const CELLS: usize = 12;
const ROW_CHARACTERS: usize = 360;
/// Characters of the titles above the header of a sheet.
const TITLES: usize = 120;
/// Characters of a cell if cells of full length make the row too long.
const NARROW_CELL: usize = 24;
/// Characters of a list of scalars that is only named.
const IN_SHORT_CHARACTERS: usize = 160;
/// Bytes of the longest list in a cell in which a text is looked for.
const SEARCHED_BYTES: usize = 4 << 10;
/// Fewest characters of the names of rows.
const NAMES_CHARACTERS: usize = 100;
/// Characters of a key, and of all keys, if only keys are shown.
pub const LABEL_CHARACTERS: usize = 40;
const KEYS_CHARACTERS: usize = 300;
/// The text of a sample's cell if the row lacks the key.
const MISSING: &str = "(missing)";
/// With more columns than this, columns with long values, and those for machines, have no cell.
const MANY_COLUMNS: usize = 8;
/// In tables up to this size, every rare value counts when the most urgent tables are chosen.
const SMALL_TABLE_BYTES: u64 = 32 << 10;
/// A list of this many strings may be of a kind of lines, such as paths.
const LINES: u32 = 8;

/// The limits of a table's summary.
#[derive(Clone, Copy)]
pub struct Style {
    pub rows: usize,
    pub cell: usize,
    /// Characters that the summary has beyond its share of the document.
    pub grown: usize,
}

/// Describes the table at `at` on `paper`. Returns the number of first rows that it shows.
pub fn tell(outline: &Outline<'_>, at: usize, style: Style, paper: &mut Paper) -> usize {
    let Some(row) = outline.rows(at) else {
        return 0;
    };
    let field = &outline.fields[at];
    let tally = &outline.fields[row].tally;
    let rows = tally.values();
    let path = outline.full_path(at);
    let mut head = format!("{path}: {rows} {}", what(outline, row));
    if let Some(header) = field.header_rows.checked_sub(1) {
        head.push_str(&format!(", [{header}] names the columns"));
        let titles = outline.titles(at);
        if !titles.is_empty() {
            let titles = listed(&titles, TITLES);
            head.push_str(&format!(", above: {}", one_line(&titles)));
        }
    }
    if tally.objects + tally.arrays == 0 {
        let said = described(outline, row, &Column::whole(row), style.cell).text;
        let is_counted = said.starts_with(':');
        head.push_str(&said);
        if is_counted {
            paper.cut_line(&head);
            return 0;
        }
    }
    let tree = Tree::of(outline, at);
    if let Some(tree) = &tree {
        head.push_str(&tree.size());
    }
    if field.is_incomplete {
        head.push_str(", more inside");
    }
    paper.cut_line(head.trim_end());
    if tally.strings >= LINES && tally.strings == rows && tell_lines(outline, at, paper) {
        return 0;
    }
    let mut columns = told_columns(outline, row, style.cell);
    if columns.len() > CELLS || !fits(&columns, paper.left() / 2) {
        // Of equals, the first in the document.
        order::most_first(&mut columns, |column| i64::from(column.weight));
    }
    let (mut samples, mut shown) = match &tree {
        Some(tree) => {
            let levels = tree.told(paper.left() * 3 / 5);
            paper.want_of(&levels);
            (levels.text().trim_end().to_owned(), (0, false))
        }
        // A summary grows for its columns.
        None => {
            let room = paper.left().saturating_sub(style.grown);
            samples(outline, at, row, &columns, style, room)
        }
    };
    let mut keys = String::new();
    if field.first.kind() == NodeKind::Object && style.rows > 0 {
        let mut cells = columns.iter().map(|it| &it.column);
        let is_list = |column: &Column| {
            let tally = &outline.fields[column.field].tally;
            !column::is_cell(outline, column) || tally.arrays + tally.objects > 0
        };
        if samples.is_empty() || shown.0 == 1 && cells.all(is_list) {
            let room = (paper.left() / 5).min(KEYS_CHARACTERS);
            keys = names_of_entries(outline, field.first, room);
        }
    }
    if !keys.is_empty() {
        (samples, shown.0) = (keys, 0);
    } else if (samples.is_empty() || shown.1) && style.rows > 0 {
        let room = (paper.left() / 4).max(NAMES_CHARACTERS);
        let names = names(outline, at, row, &columns, (samples.is_empty(), room));
        if !names.is_empty() {
            (samples, shown.0) = (names, 0);
        }
    }
    let mut told = Paper::new(paper.left().saturating_sub(characters(&samples) + 1));
    if tally.objects + tally.arrays > 0 {
        tell_columns(Rows { outline, row }, &columns, &samples, &mut told);
    }
    paper.paste(&told);
    if !samples.is_empty() && paper.line(&samples) {
        return shown.0;
    }
    0
}

/// A column, its description, and the weight of the description.
pub struct ToldColumn {
    pub column: Column,
    pub told: Told,
    pub weight: i32,
}

fn told_columns(outline: &Outline<'_>, row: usize, cell: usize) -> Vec<ToldColumn> {
    let columns = columns(outline, row).into_iter();
    let told = columns.map(|column| {
        let told = described(outline, row, &column, cell);
        let weight = telling::weight(outline, &column, told.odd.is_some());
        let weight = weight + 20 * i32::from(told.is_failing);
        // Most bytes of the rows are in this column, so the reader needs its path.
        let field = &outline.fields[column.field];
        let is_most = field.tally.arrays > 0 && 2 * field.bytes > outline.fields[row].bytes;
        let weight = weight + 60 * i32::from(is_most);
        ToldColumn {
            column,
            told,
            weight,
        }
    });
    told.collect()
}

fn fits(columns: &[ToldColumn], room: usize) -> bool {
    let size = |column: &ToldColumn| characters(&column.told.text) + 2;
    columns.iter().map(size).sum::<usize>() <= room
}

/// The most important column with a rare value. The first row is shown anyway, and often a title.
pub fn odd_column(columns: &[ToldColumn]) -> Option<&ToldColumn> {
    let odd = columns.iter().filter(|column| column.told.odd.is_some());
    let is_later = |told: &Told| told.is_failing || told.odd > Some(0);
    // Of equals, the first.
    odd.rev()
        .max_by_key(|ToldColumn { told, weight, .. }| (is_later(told), !told.is_weak, *weight))
}

/// The row with the most important rare value of a table, and where in it the value is, if in a list.
pub fn odd_row(outline: &Outline<'_>, row: usize) -> Option<(usize, String)> {
    let columns = told_columns(outline, row, LABEL_CHARACTERS);
    let told = &odd_column(&columns)?.told;
    Some((told.odd? as usize, told.inner.clone()))
}

/// The urgency of a table, by its values.
pub fn need(outline: &Outline<'_>, at: usize) -> Need {
    let Some(row) = outline.rows(at) else {
        return Need::Other;
    };
    // Of a small table, every rare value is found.
    if outline.fields[at].bytes <= SMALL_TABLE_BYTES {
        let told = told_columns(outline, row, LABEL_CHARACTERS);
        let needs = told.iter().map(|column| match column.told.odd {
            _ if column.told.is_failing => Need::Errors,
            Some(_) => Need::Rare,
            None => Need::Other,
        });
        return needs.min().unwrap_or(Need::Other);
    }
    let needs = columns(outline, row).into_iter().map(|column| {
        let odd = column::odd(outline, row, &column);
        match odd.rows.is_empty() {
            _ if odd.is_failing => Need::Errors,
            false => Need::Rare,
            true => Need::Other,
        }
    });
    needs.min().unwrap_or(Need::Other)
}

fn what(outline: &Outline<'_>, row: usize) -> &'static str {
    let tally = &outline.fields[row].tally;
    let is_map = outline.fields[row].step == Step::Entry;
    match (is_map, tally.objects + tally.arrays > 0) {
        (true, _) => "entries by key",
        (false, true) => "rows",
        (false, false) => "values",
    }
}

/// Names a table with its number of rows and their kind. `has_room`: of few pairs, with the rows.
pub fn in_short(outline: &Outline<'_>, at: usize, has_room: bool) -> String {
    let Some(row) = outline.rows(at) else {
        return outline.full_path(at);
    };
    let tally = &outline.fields[row].tally;
    let rows = tally.values();
    if tally.objects + tally.arrays == 0 {
        let said = described(outline, row, &Column::whole(row), NARROW_CELL).text;
        let told = format!(
            "{}: {rows} {}{said}",
            outline.full_path(at),
            what(outline, row)
        );
        return cut(&told, IN_SHORT_CHARACTERS).into_owned();
    }
    let path = outline.full_path(at);
    let what = what(outline, row);
    if need(outline, at) != Need::Other
        && let Some(odd) = odd_column(&told_columns(outline, row, NARROW_CELL))
    {
        let said = &odd.told.text;
        let mut told = format!("{path}: {rows} {what}; {said}");
        // Other texts of the row tell which it is.
        let odd_row = odd.told.odd.unwrap_or_default();
        let rows = Rows { outline, row };
        let members = rows.node(odd_row).into_iter().flat_map(Node::members);
        let others = members.filter(|(_, value)| {
            value.kind() == NodeKind::String
                && !said.contains(outline.raw(*value).trim_matches('"'))
        });
        let others = others.map(|(_, value)| cut(outline.raw(value), FAILURE_CHARACTERS));
        let others: Vec<_> = others.take(3).collect();
        if !others.is_empty() {
            // Another row may be the last one above.
            let place = rows.at(odd_row);
            let place = match said.ends_with(&place) {
                true => String::new(),
                false => place.replace(" at ", "") + ": ",
            };
            told.push_str(&format!(" ({place}{})", others.join(", ")));
        }
        return cut(&told, IN_SHORT_CHARACTERS).into_owned();
    }
    let mut columns = columns(outline, row);
    columns.retain(|column| !column.is_inner && !column.path.is_empty());
    if has_room && let Some(pairs) = pairs(outline, row, &columns) {
        let told = format!("{path}: {rows} {what}, {pairs}");
        if characters(&told) <= IN_SHORT_CHARACTERS {
            return told;
        }
    }
    order::most_first(&mut columns, |column| {
        i64::from(telling::weight(outline, column, false))
    });
    let names: Vec<String> = columns.iter().map(Column::label).collect();
    let names = match listed_short(&names, 80) {
        names if names_some(&names) => format!(" of {names}"),
        _ => String::new(),
    };
    format!("{path}: {rows} {what}{names}")
}

/// The rows of a list whose rows have two short members each, as those of facets have: `key|doc_count: 200|5210, 404|288`.
fn pairs(outline: &Outline<'_>, row: usize, columns: &[Column]) -> Option<String> {
    let list = outline.fields[outline.fields[row].parent].first;
    let [first, second] = columns else {
        return None;
    };
    let is_number = |column: &Column| {
        let tally = &outline.fields[column.field].tally;
        tally.numbers == tally.values()
    };
    let is_name = |column: &Column| {
        let tally = &outline.fields[column.field].tally;
        tally.numbers + tally.strings == tally.values() && characters(column.name()) < NARROW_CELL
    };
    let are_pairs = columns.iter().all(is_name) && columns.iter().any(is_number);
    if list.kind() != NodeKind::Array || !are_pairs {
        return None;
    }
    let steps = columns.iter().map(|it| outline.steps(row, it.field));
    let steps: Vec<_> = steps.collect();
    let mut out = format!("{}|{}: ", first.name(), second.name());
    for (place, element) in list.elements().enumerate() {
        if characters(&out) > IN_SHORT_CHARACTERS {
            break;
        }
        for (number, steps) in steps.iter().enumerate() {
            out.push_str(match (place, number) {
                (0, 0) => "",
                (_, 0) => ", ",
                _ => "|",
            });
            push_cell(
                &mut out,
                outline,
                descend(outline, element, steps),
                NARROW_CELL,
            );
        }
    }
    Some(out)
}

/// Describes strings of a known kind of lines. False if they have none.
fn tell_lines(outline: &Outline<'_>, at: usize, paper: &mut Paper) -> bool {
    let array = outline.fields[at].first;
    if array.kind() != NodeKind::Array {
        return false;
    }
    let strings: Vec<&str> = array
        .elements()
        .map(|element| {
            let raw = outline.raw(element);
            raw.get(1..raw.len() - 1).unwrap_or_default()
        })
        .collect();
    let paths = Paths::of(strings.iter().copied());
    if !paths.is_some_and(|paths| paths.tell(paper)) {
        return false;
    }
    let first = listed(&strings[..strings.len().min(3)], 240);
    paper.cut_line(&format!(" first: {first}"));
    true
}

/// Fewest characters of a failure that is cut, and most of each text of its row.
const FAILURE_CHARACTERS: usize = 60;
/// Most columns with a rare value for which a summary grows, and most bytes of each.
const WANTED: usize = 8;
const WANTED_BYTES: usize = 240;

fn tell_columns(rows: Rows<'_, '_>, columns: &[ToldColumn], samples: &str, paper: &mut Paper) {
    let header = samples.lines().next().unwrap_or_default();
    let in_header = |name: &str| {
        let names = header.split_once(": ").map_or("", |(_, names)| names);
        names.split('|').any(|it| it == name)
    };
    let (mut constants, mut names, mut said) = (Vec::new(), Vec::new(), Vec::new());
    for ToldColumn { column, told, .. } in columns {
        let is_failing = || told.text.ends_with("=false") && telling::is_good_flag(column.name());
        if told.is_constant && is_failing() {
            paper.line(&format!(" constant: {}", told.text));
        } else if told.is_constant {
            // Of values that all rows share, a failing state says most, and then a message.
            let name = column.path.rsplit('.').next().unwrap_or_default();
            let value = rows.outline.raw(rows.outline.fields[column.field].first);
            let rank = match name {
                _ if telling::is_severity(name) || telling::is_failing(value) => 2,
                "message" => 1,
                _ => 0,
            };
            constants.push((rank, told.text.as_str()));
        } else if !told.text.is_empty() {
            said.push((told, column));
        } else if !in_header(column.name()) && !column.path.is_empty() {
            names.push(column.label());
        }
    }
    // The texts of a row that failed say why.
    let failed: Vec<Option<u32>> = said
        .iter()
        .filter(|(told, _)| told.is_failing)
        .map(|(told, _)| told.odd)
        .collect();
    let explains = |(told, column): &(&Told, &Column)| {
        let tally = &rows.outline.fields[column.field].tally;
        !told.is_failing && failed.contains(&told.odd) && tally.spaced > 0
    };
    // If not all have room, those with a rare value come first.
    let needed: usize = said
        .iter()
        .map(|(told, _)| characters(&told.text) + 2)
        .sum();
    if needed > paper.left() * 3 / 4 {
        // How many rows lack a value says less than a value.
        let is_lack = |(told, column): &(&Told, &Column)| {
            let rest = told.text.strip_prefix(column.label().as_str());
            rest.is_some_and(|rest| rest.starts_with(": missing ") || rest.starts_with(": null "))
                && !told.text.contains(", ")
        };
        order::most_first(&mut said, |it| {
            let urgent = i64::from(it.0.odd.is_some())
                + i64::from(it.0.is_failing)
                + i64::from(explains(it));
            2 * urgent - i64::from(is_lack(it))
        });
    }
    // Names come last and are short: they get a quarter.
    let quarter = paper.left() / 4;
    let mut first = Paper::new(paper.left() - quarter);
    let (mut left_out, mut odd_columns) = (Vec::new(), 0);
    for it in &said {
        let (told, column) = it;
        let (odd, is_failing) = (told.odd, told.is_failing || explains(it));
        let told = &told.text;
        odd_columns += usize::from(odd.is_some());
        let room = first.left().saturating_sub(1);
        if first.line(&format!(" {told}")) {
            continue;
        }
        let is_short = told.len() <= WANTED_BYTES;
        if is_failing || odd.is_some() && odd_columns <= WANTED && is_short {
            first.want(told, 0);
        }
        // What failed is told, cut if it must be.
        if is_failing && room > FAILURE_CHARACTERS {
            first.cut_line(&cut(&format!(" {told}"), room));
        } else {
            let odd = odd.map_or(String::new(), |row| format!(" (odd{})", rows.at(row)));
            left_out.push(format!("{}{odd}", column.label()));
        }
    }
    left_out.append(&mut names);
    paper.paste(&first);
    order::most_first(&mut constants, |(rank, _)| *rank);
    let constants: Vec<&str> = constants.into_iter().map(|(_, told)| told).collect();
    if !constants.is_empty() && paper.left() > 40 {
        let all = paper.left();
        let half = all / if left_out.is_empty() { 1 } else { 2 };
        // A number alone is no information: values say more than the names of other columns.
        let told = [half, all].map(|room| listed(&constants, room - 20));
        if let Some(told) = told.iter().find(|told| names_some(told)) {
            paper.cut_line(&format!(" constant: {told}"));
        }
    }
    if !left_out.is_empty() && paper.left() > 40 {
        let room = paper.left().min(400) - 20;
        paper.cut_list(" also: ", &listed_short(&left_out, room));
    }
}

/// The first rows, under a header with the names of columns, and their number; empty if they do not fit or none are
/// wanted. Beside the number, whether it is one row with short cells: names may say more.
fn samples(
    outline: &Outline<'_>,
    at: usize,
    row: usize,
    columns: &[ToldColumn],
    style: Style,
    room: usize,
) -> (String, (usize, bool)) {
    let node = outline.fields[at].first;
    // A header is no sample.
    let first = outline.fields[at].header_rows as usize;
    let is_map = node.kind() == NodeKind::Object;
    let rows: Vec<(Option<Node<'_>>, Node<'_>)> = if is_map {
        let entries = node.members().map(|(key, value)| (Some(key), value));
        entries.take(style.rows).collect()
    } else {
        let elements = node.elements().map(|element| (None, element));
        elements.skip(first).take(style.rows).collect()
    };
    if rows.is_empty() {
        return (String::new(), (0, false));
    }
    let mut cells: Vec<&ToldColumn> = columns
        .iter()
        .filter(|column| column::is_cell(outline, &column.column))
        .collect();
    if cells.len() > MANY_COLUMNS {
        cells.retain(|it| it.weight > 0 && !column::is_heavy(outline, &it.column));
    }
    let mut cells: Vec<&Column> = cells.iter().map(|it| &it.column).collect();
    cells.truncate(CELLS);
    if cells.is_empty() {
        return (keys(outline, node, room / 2), (0, false));
    }
    let mut names: Vec<&str> = cells.iter().map(|column| column.name()).collect();
    if is_map {
        names.insert(0, "key");
    }
    let steps: Vec<Vec<Step<'_>>> = cells
        .iter()
        .map(|column| outline.steps(row, column.field))
        .collect();
    let names = names.join("|");
    if names == "value" {
        let mut values = Vec::new();
        for (_, value) in &rows {
            let mut cell = String::new();
            push_cell(&mut cell, outline, Some(*value), style.cell);
            values.push(cell);
        }
        let told = format!(" first: {}", values.join(", "));
        let shown = if characters(&told) <= room / 2 {
            values.len()
        } else {
            0
        };
        return (cut(&told, room / 2).into_owned(), (shown, false));
    }
    let push_row = |out: &mut String, (key, value): (Option<Node<'_>>, Node<'_>), cell: usize| {
        if let Some(key) = key {
            let key = values::shown(outline.raw(key));
            out.push_str(&cut(&key, cell.max(NARROW_CELL)));
            out.push('|');
        }
        for (place, steps) in steps.iter().enumerate() {
            if place > 0 {
                out.push('|');
            }
            push_cell(out, outline, descend(outline, value, steps), cell);
        }
    };
    let odd = odd_column(columns)
        .and_then(|column| column.told.odd)
        .map(|row| row as usize);
    let odd = odd.filter(|row| !is_map && (*row < first || *row >= first + rows.len()));
    let odd = odd.and_then(|row| Some((row, node.elements().nth(row)?)));
    // The row of the rarest value is one of the samples.
    let most = (rows.len() - usize::from(odd.is_some())).max(1);
    let write = |count: usize, cell: usize| {
        let mut out = format!(" first {count}: {names}");
        for row in &rows[..count] {
            out.push_str("\n ");
            push_row(&mut out, *row, cell);
        }
        if let Some((row, value)) = odd {
            out.push_str(&format!("\n [{row}] "));
            push_row(&mut out, (None, value), cell);
        }
        out
    };
    // Samples get at most two fifths of the room: fewer characters of each cell, then fewer rows.
    for count in (1..=most).rev() {
        for cell in [style.cell, NARROW_CELL.min(style.cell)] {
            let written = write(count, cell);
            let is_short = written
                .lines()
                .skip(1)
                .all(|row| characters(row) <= ROW_CHARACTERS);
            if characters(&written) * 5 <= room * 2 && (is_short || cell <= NARROW_CELL) {
                let is_poor = count == 1 && most > 1 && cell < style.cell;
                return (written, (count, is_poor));
            }
        }
    }
    (String::new(), (0, false))
}

/// Fewest keys that say more than names of columns.
const FEWEST_KEYS: usize = 3;

/// Keys of the first entries of a map, as many as have room; empty if few have, or if they are ids.
fn names_of_entries(outline: &Outline<'_>, map: Node<'_>, room: usize) -> String {
    let mut out = String::from(" first by key: ");
    let mut count = 0;
    for (key, _) in map.members() {
        let key = values::shown(outline.raw(key));
        let is_id = key.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && key.bytes().any(|byte| byte.is_ascii_digit());
        let key = cut(&key, LABEL_CHARACTERS);
        if is_id || characters(&out) + characters(&key) + 2 > room {
            break;
        }
        out.push_str(if count > 0 { ", " } else { "" });
        out.push_str(&key);
        count += 1;
    }
    if count >= FEWEST_KEYS {
        out
    } else {
        String::new()
    }
}

/// The first keys of a map whose entries have no cells.
fn keys(outline: &Outline<'_>, map: Node<'_>, room: usize) -> String {
    const SHOWN: usize = 100;
    let keys: Vec<_> = map
        .members()
        .take(SHOWN)
        .map(|(key, _)| cut(&values::shown(outline.raw(key)), LABEL_CHARACTERS).into_owned())
        .collect();
    if keys.is_empty() {
        return String::new();
    }
    let more = map.children() as usize - keys.len();
    let room = room.min(KEYS_CHARACTERS).saturating_sub(10);
    let more = if more > 0 { ", …" } else { "" };
    format!(" keys: {}{more}", listed(&keys, room))
}

/// The value inside a row after some steps. A list where other rows have an object is that list.
pub fn descend<'d>(outline: &Outline<'d>, row: Node<'d>, steps: &[Step<'d>]) -> Option<Node<'d>> {
    let mut at = row;
    for step in steps {
        at = match step {
            Step::Member(_) if at.kind() == NodeKind::Array => return Some(at),
            Step::Member(key) => {
                let bytes = outline.bytes();
                let is_it = |name: Node<'_>| {
                    let name = bytes.get(name.start() as usize..name.end() as usize);
                    name.is_some_and(|name| same(name, key))
                };
                at.members().find(|(name, _)| is_it(*name))?.1
            }
            Step::Place(place) => at.elements().nth(*place as usize)?,
            Step::Root | Step::Each | Step::Entry => return None,
        };
    }
    Some(at)
}

/// Calls `each` with every value after some steps inside a value, and with the list or object that holds it; also with each
/// object that lacks the last member.
#[inline(never)]
pub fn each_value<'d>(
    outline: &Outline<'d>,
    [holder, node]: [Node<'d>; 2],
    steps: &[Step<'d>],
    each: &mut dyn FnMut(Node<'d>, Option<Node<'d>>),
) {
    let Some((step, rest)) = steps.split_first() else {
        return each(holder, Some(node));
    };
    if !outline.may_look_at(1 + node.children() as usize) {
        return;
    }
    match (step, node.kind()) {
        (Step::Each, NodeKind::Array) => {
            for element in node.elements() {
                each_value(outline, [node, element], rest, each);
            }
        }
        (Step::Member(_), NodeKind::Object) | (Step::Place(_), NodeKind::Array) => {
            match descend(outline, node, &steps[..1]) {
                Some(value) => each_value(outline, [node, value], rest, each),
                None if rest.is_empty() => each(node, None),
                None => {}
            }
        }
        _ => {}
    }
}

/// The first text in a list of objects, under a key such as `text`, `plain_text` or `name`.
#[inline(never)]
fn first_text<'d>(outline: &Outline<'d>, node: Node<'d>) -> Option<&'d str> {
    if node.kind() == NodeKind::Array {
        return node.elements().find_map(|it| first_text(outline, it));
    }
    for (key, value) in node.members() {
        let key = outline.raw(key);
        let is_text = key.ends_with("text\"") || key.ends_with("name\"");
        if is_text && value.kind() == NodeKind::String && value.len_bytes() > 2 {
            return Some(outline.raw(value));
        }
        let inside = first_text(outline, value);
        if inside.is_some() {
            return inside;
        }
    }
    None
}

/// Writes a cell, which is never empty: a missing value is `(missing)`, an empty string `""`, null `null`.
pub fn push_cell(out: &mut String, outline: &Outline<'_>, value: Option<Node<'_>>, limit: usize) {
    let Some(value) = value else {
        return out.push_str(MISSING);
    };
    let raw = outline.raw(value);
    let text = match value.kind() {
        NodeKind::Array | NodeKind::Object => {
            let start = minified(raw, limit);
            let is_cut = characters(&start) > limit && raw.len() < SEARCHED_BYTES;
            let text = is_cut.then(|| first_text(outline, value)).flatten();
            let hidden = text.filter(|text| !start.contains(text));
            match hidden.map(values::shown) {
                Some(text) => format!("[…{}…]", cut(&text, limit.saturating_sub(4))).into(),
                None => start.into(),
            }
        }
        NodeKind::Number => values::short_number(raw),
        _ => values::shown(raw),
    };
    let text = cut(&text, limit);
    if text.contains('|') && value.kind() == NodeKind::String {
        out.push_str(&text.replace('|', "\\|"));
    } else {
        out.push_str(&text);
    }
}
