//! Rare values of a column, with their rows: the one row that failed, the one key that is missing.
//!
//! Owns the definition of rare for all but values and numbers, and the name of a row. Refuses to know the rest of a
//! column's description.

use crate::causes::with_cause;
use crate::column_texts;
use crate::counted::{Item, RARE_SHARE, is_failing, rare_limit, stands_out};
use crate::excerpts;
use crate::order;
use crate::outline::{Outline, Step, push_step};
use crate::paper::{CUT, characters, cut, minified, one_line};
use crate::row_names;
use crate::shapes::{self, Report};
use crate::table::{descend, each_value};
use crate::tally::Sort;
use crate::telling;
use crate::values::{is_address, shown};
use std::borrow::Cow;
use tamis_sdk::{Node, NodeKind};

/// Characters shown of a rare value.
pub const SHOWN_CHARACTERS: usize = 100;
/// The same of an object. Of a longer one, the members that say what failed are shown.
const TOLD_CHARACTERS: usize = 160;
/// Most rare values of a column that are shown.
const MOST: usize = 3;

/// Rows with rare values of a column, the most important first.
#[derive(Default)]
pub struct Odd {
    pub rows: Vec<u32>,
    /// A value of the first row looks like a failure.
    pub is_failing: bool,
    /// The first row is one of several with its value, or its text has rare words: a value that no other row has says more.
    pub is_weak: bool,
    /// Where in its row a value is, for values in lists.
    inner: Vec<(u32, String)>,
}

impl Odd {
    pub fn add(&mut self, row: u32) {
        self.rows.push(row);
    }

    /// Adds the row of a value that says less than one that no other row has.
    pub fn add_weak(&mut self, row: u32) {
        self.is_weak |= self.rows.is_empty();
        self.rows.push(row);
    }

    /// Adds the row of a value that looks like a failure.
    pub fn add_failing(&mut self, row: u32) {
        self.rows.insert(0, row);
        (self.is_failing, self.is_weak) = (true, false);
    }

    /// Notes where a value is in its row.
    pub fn is_in(&mut self, row: u32, inner: String) {
        if !inner.is_empty() {
            self.inner.push((row, inner));
        }
    }

    /// The first row, and where in it the value is: `.specs[37]`, or empty. Row 0 is often a title, and shown anyway.
    pub fn first(mut self) -> Option<(u32, String)> {
        let mut later = self.rows.iter().filter(|row| self.is_failing || **row > 0);
        let row = *later.next().or(self.rows.first())?;
        let place = self.inner.iter().position(|(of, _)| *of == row);
        let inner = place.map(|place| self.inner.swap_remove(place).1);
        Some((row, inner.unwrap_or_default()))
    }
}

/// The rows of a table, which give a row its name.
#[derive(Clone, Copy)]
pub struct Rows<'o, 'd> {
    pub outline: &'o Outline<'d>,
    pub row: usize,
}

impl<'d> Rows<'_, 'd> {
    /// ` at [4711]`, or ` at .key` in a map; empty if the map is too large for a search for the key.
    pub fn at(self, row: u32) -> String {
        self.step(row)
            .map_or(String::new(), |step| format!(" at {step}"))
    }

    /// Whether a place, or what holds it in its row, has a name of failures: `error.message`.
    pub fn are_of_failure(self, at: usize) -> bool {
        let steps = self.outline.steps(self.row, at).into_iter();
        let mut keys = steps.filter_map(Step::key);
        keys.any(telling::names_failure)
    }

    /// Whether the values of a place are titles of things.
    fn are_titles(self, at: usize) -> bool {
        let step = self.outline.fields[at].step;
        matches!(step, Step::Member(key) if row_names::is_title(key.trim_end_matches('"')))
    }

    /// Where a value is in its row, as far as the last list: `.specs[37]` for `specs[*].status`. Empty for a column
    /// outside of lists, and in lists of one element. `text`: the value, in the document.
    pub fn inner(self, at: usize, text: &str, row: u32) -> String {
        let found = self.inner_path(at, text, row);
        found
            .filter(|path| path.len() <= SHOWN_CHARACTERS)
            .unwrap_or_default()
    }

    fn inner_path(self, at: usize, text: &str, row: u32) -> Option<String> {
        let outline = self.outline;
        let steps = outline.steps(self.row, at);
        let is_list = |step: &Step<'_>| matches!(step, Step::Each | Step::Entry);
        let last = steps.iter().rposition(is_list)?;
        let holds = |node: Node<'_>| {
            outline
                .raw(node)
                .as_bytes()
                .as_ptr_range()
                .contains(&text.as_ptr())
        };
        let mut node = self.node(row)?;
        let mut path = String::new();
        let mut is_only = true;
        for step in &steps[..=last] {
            if !outline.may_look_at(node.children() as usize) {
                return None;
            }
            is_only &= !is_list(step) || node.children() == 1;
            let found = match step {
                Step::Each | Step::Place(_) => {
                    let (place, found) = (0..).zip(node.elements()).find(|(_, it)| holds(*it))?;
                    push_step(&mut path, Step::Place(place));
                    found
                }
                _ => {
                    let (key, found) = node.members().find(|(_, it)| holds(*it))?;
                    push_step(&mut path, Step::Member(outline.raw(key)));
                    found
                }
            };
            node = found;
        }
        // The only element needs no place.
        (!is_only).then_some(path)
    }

    /// Where in a row the value of a list is that is the same as `text`, the first, the second, …
    #[inline(never)]
    fn inner_of(self, at: usize, text: &str, row: u32, number: usize) -> String {
        let steps = self.outline.steps(self.row, at);
        let (mut seen, mut found) = (0, None);
        if steps.iter().any(|step| matches!(step, Step::Each)) {
            let row = self.node(row);
            let mut note = |value: Option<Node<'d>>| {
                let value = value.map(|value| self.outline.raw(value));
                seen += usize::from(value == Some(text));
                found = found.or(value.filter(|_| seen == number));
            };
            if let Some(row) = row {
                each_value(self.outline, [row; 2], &steps, &mut |_, value| note(value));
            }
        }
        found.map_or(String::new(), |text| self.inner(at, text, row))
    }

    /// The row of a number; none if the search takes too long.
    #[inline(never)]
    pub fn node(self, row: u32) -> Option<Node<'d>> {
        let table = self.outline.fields[self.outline.fields[self.row].parent].first;
        if !self.outline.may_look_at(row as usize) {
            return None;
        }
        match table.kind() {
            NodeKind::Array => table.elements().nth(row as usize),
            _ => Some(table.members().nth(row as usize)?.1),
        }
    }

    /// ` at [12], [40]`; or `, first at [12]` if a value has many rows. `at`: the column.
    pub fn all(self, at: usize, item: &Item<'_>) -> String {
        if item.count == 1 {
            let inner = self.inner(at, item.text, item.row);
            return format!("{}{inner}", self.at(item.row));
        }
        let Some(rows) = item.rows() else {
            return format!(", first{}", self.at(item.row));
        };
        let (mut last, mut number) = (item.row, 0);
        let told = |row: u32| {
            let step = self.step(row)?;
            // A list in a row may have the value twice.
            number = if last == row { number + 1 } else { 1 };
            last = row;
            Some(step + &self.inner_of(at, item.text, row, number))
        };
        let mut steps: Vec<String> = rows.filter_map(told).collect();
        steps.dedup();
        if steps.is_empty() {
            return String::new();
        }
        format!(" at {}", steps.join(", "))
    }

    /// The step to a row: `[4711]`, or `.key` in a map.
    fn step(self, row: u32) -> Option<String> {
        if self.outline.fields[self.row].step != Step::Entry {
            return Some(format!("[{row}]"));
        }
        if !self.outline.may_look_at(row as usize) {
            return None;
        }
        let map = self.outline.fields[self.outline.fields[self.row].parent].first;
        let (key, _) = map.members().nth(row as usize)?;
        let mut path = String::new();
        push_step(&mut path, Step::Member(self.outline.raw(key)));
        Some(cut(&path, SHOWN_CHARACTERS).into_owned())
    }

    /// The first row with an object, in a list, that lacks the member at the place `at`, and where in the row it is; none
    /// if the search takes too long.
    pub fn first_lacking(self, at: usize) -> Option<(u32, String)> {
        let table = self.outline.fields[self.outline.fields[self.row].parent].first;
        let steps = self.outline.steps(self.row, at);
        if table.kind() != NodeKind::Array {
            return None;
        }
        let mut found = None;
        for (row, element) in (0..).zip(table.elements()) {
            each_value(self.outline, [element; 2], &steps, &mut |holder, value| {
                if value.is_none() && found.is_none() {
                    found = Some((row, holder));
                }
            });
        }
        let (row, object) = found.filter(|_| self.outline.may_look_at(1))?;
        Some((row, self.inner(at, self.outline.raw(object), row)))
    }

    /// The first of the few objects that have a failure at the place `at`, with their names and their places: `only 2 have,
    /// at [3].testcase[3] (\"pays\"), …`; none if the search takes too long.
    #[inline(never)]
    pub fn failures(self, at: usize) -> Option<String> {
        const NAMES: [&str; 3] = ["\"@name\"", "\"name\"", "\"title\""];
        let outline = self.outline;
        let table = outline.fields[outline.fields[self.row].parent].first;
        let steps = outline.steps(self.row, at);
        if table.kind() != NodeKind::Array {
            return None;
        }
        let mut found = Vec::new();
        for (row, element) in (0..).zip(table.elements()) {
            each_value(outline, [element; 2], &steps, &mut |holder, value| {
                let value = value.filter(|_| found.len() < MOST);
                found.extend(value.map(|value| (row, holder, value)));
            });
        }
        let count = outline.fields[at].holders as usize;
        let first: Vec<String> = found
            .iter()
            .map(|(row, holder, value)| {
                let place = self.inner(at, outline.raw(*value), *row);
                let named = |(key, name): (Node<'_>, Node<'d>)| {
                    let is_name =
                        name.kind() == NodeKind::String && NAMES.contains(&outline.raw(key));
                    is_name.then(|| outline.raw(name))
                };
                let name = holder.members().find_map(named);
                let name = name.map_or(String::new(), |name| format!(" ({})", quoted(name)));
                format!("[{row}]{place}{name}")
            })
            .collect();
        let more = if first.len() < count { ", …" } else { "" };
        let have = if count == 1 { "has" } else { "have" };
        (!first.is_empty()).then(|| format!("only {count} {have}, at {}{more}", first.join(", ")))
    }

    /// The first row without a value at the place `at`; none if the search takes too long.
    pub fn first_without(self, at: usize) -> Option<u32> {
        let table = self.outline.fields[self.outline.fields[self.row].parent].first;
        let steps = self.outline.steps(self.row, at);
        if steps.is_empty() {
            return None;
        }
        let mut is_over = false;
        let mut lacks = |row: Node<'_>| {
            is_over = is_over || !self.outline.may_look_at(1 + row.children() as usize);
            if is_over {
                return true;
            }
            descend(self.outline, row, &steps).is_none()
        };
        let is_list = table.kind() == NodeKind::Array;
        let place = if is_list {
            table.elements().position(&mut lacks)
        } else {
            table.members().map(|(_, value)| value).position(&mut lacks)
        };
        let place = place.filter(|_| !is_over)?;
        u32::try_from(place).ok()
    }
}

/// What a text has before a colon: an address begins with `https`, and `N/A` is none.
fn scheme(text: &str) -> &str {
    text.split(':').next().unwrap_or_default()
}

/// Among this few forms, one with a word of failure is a state. Among more, it may be a title.
const FEW_FORMS: usize = 16;
/// Rare numbers are shown only among this few different ones. Otherwise a range describes them.
const FEW_NUMBERS: usize = 16;

/// The rare values of a column, worded, with their rows. `known`: rows that are described already.
fn told(rows: Rows<'_, '_>, at: usize, known: &[u32]) -> Vec<(String, u32)> {
    let tally = &rows.outline.fields[at].tally;
    let forms = tally.counted.by_forms();
    let counted = forms.as_ref().unwrap_or(&tally.counted);
    let ((by_value, _), (by_form, are_forms)) = (tally.counted.rare(), counted.rare());
    // A rare value does not hide a form of failures.
    let is_form = are_forms && (forms.is_none() || by_value.is_empty());
    let rare = if is_form { by_form } else { by_value };
    let mut rare: Vec<(&Item<'_>, bool)> = rare.into_iter().map(|item| (item, is_form)).collect();
    let items = counted.items();
    let is_address = is_address(rows.outline, at);
    let has_few_forms = are_forms && items.len() <= FEW_FORMS;
    // Three of some dozens are no rare values, but may be the messages that matter.
    let once = items.iter().filter(|item| item.count == 1).count();
    let are_few = has_few_forms
        && once <= MOST
        && rare_limit(counted.noted()) > 0
        && stands_out(items.iter().map(|item| item.count), 1);
    let is_message = |item: &Item<'_>| {
        are_few
            && item.count == 1
            && (telling::is_sentence(item.text) || telling::is_failing(item.text))
    };
    let is_other = |item: &&Item<'_>| {
        rare.iter().all(|(known, _)| known.row != item.row)
            && (is_address && scheme(item.text) != scheme(items[0].text)
                || has_few_forms && telling::is_failing(item.text)
                || is_message(item))
    };
    if is_address || has_few_forms {
        let mut others: Vec<&Item<'_>> = items.iter().filter(is_other).collect();
        let states = others.iter().filter(|item| !is_message(item));
        let count: u32 = states.map(|item| item.count).sum();
        if count * RARE_SHARE > counted.noted() {
            others.retain(|item| is_message(item));
        }
        rare.extend(others.into_iter().map(|item| (item, are_forms)));
    }
    let are_numbers = tally.numbers > 0 || tally.decimals().is_some();
    if are_numbers
        && tally
            .counts()
            .is_none_or(|counts| counts.len() > FEW_NUMBERS)
    {
        let are_decimals = tally.decimals().is_some();
        rare.retain(|(item, _)| {
            let text = item.text.strip_prefix('"');
            text.is_some_and(|text| !are_decimals || !tally.is_decimal(text.trim_end_matches('"')))
        });
    }
    rare.retain(|(item, _)| !known.contains(&item.row));
    if rare.len() > MOST {
        order::most_first(&mut rare, |(item, _)| {
            i64::from(telling::is_failing(item.text))
        });
        rare.truncate(MOST);
    }
    let mut told: Vec<(String, u32)> = Vec::new();
    for (item, is_form) in &rare {
        let usual = items.iter().max_by_key(|item| item.count);
        let usual = usual.filter(|_| *is_form).map_or("", |item| item.text);
        let value = differing(item.text, usual);
        let what = if *is_form { "like " } else { "" };
        let (count, place) = (item.count, rows.all(at, item));
        told.push((format!("rare: {what}{value} {count}{place}"), item.row));
    }
    told
}

/// The messages of a column that look like errors: their number and the first, worded, with its row. None if all of them
/// are described, with the rows in `known`.
fn failing(rows: Rows<'_, '_>, at: usize, known: &[u32]) -> Option<(String, u32, String)> {
    let tally = &rows.outline.fields[at].tally;
    let counted = &tally.counted;
    // What most rows lack under the key of a failure is one, whatever its words are.
    let texts = tally.strings - tally.empty;
    let all = rows.outline.fields[rows.row].tally.values();
    let are_all = texts > 0 && 2 * texts <= all && rows.are_of_failure(at);
    // The first string may be empty.
    let first = || {
        let items = counted.items().iter().map(|item| (item.text, item.row));
        let mut all = items.chain(tally.first(Sort::String));
        all.find(|(text, _)| text.starts_with('"') && text.len() > "\"\"".len())
    };
    let (count, text, row) = match are_all.then(first).flatten() {
        Some((text, row)) => (texts, text, row),
        // A title tells what a thing is about: `Errors in console`.
        None if rows.are_titles(at) => counted.failing_titles()?,
        None => counted.failing()?,
    };
    let is_known =
        |item: &&Item<'_>| known.contains(&item.row) && (are_all || is_failing(item.text));
    let items = counted.items().iter().filter(is_known);
    let described: u32 = items.map(|item| item.count).sum();
    if described >= count || count == 1 && known.contains(&row) {
        return None;
    }
    let looks = match (are_all, count) {
        (true, 1) => "text",
        (true, _) => "texts, first",
        (false, 1) => "looks like an error",
        (false, _) => "look like errors, first",
    };
    let inner = rows.inner(at, text, row);
    let (text, place) = (quoted(text), rows.at(row));
    Some((format!("{count} {looks}: {text}{place}{inner}"), row, inner))
}

/// The rare texts of a column and the rare values of a list, worded, beside those in `odd`, to which they are added.
pub fn texts(rows: Rows<'_, '_>, at: usize, odd: &mut Odd) -> Vec<String> {
    let mut said = Vec::new();
    let mut own = Vec::new();
    for (what, row) in told(rows, at, &odd.rows) {
        odd.add(row);
        own.push(row);
        said.push(what);
    }
    if let Some((what, row, inner)) = failing(rows, at, &odd.rows) {
        odd.add_failing(row);
        odd.is_in(row, inner);
        own.push(row);
        said.push(what);
    }
    // A row that is odd in another way may have a rare text, too.
    for (row, text, part) in column_texts::rare(rows.outline, rows.row, at) {
        if !own.contains(&row) {
            odd.add_weak(row);
            let inner = rows.inner(at, text, row);
            // Of a long text, the part that others lack.
            let told = match excerpts::around(text, part, SHOWN_CHARACTERS) {
                Cow::Owned(told) if told.starts_with(CUT) => one_line(&told).into_owned(),
                _ => quoted(text),
            };
            said.push(format!("rare: {told} 1{}{inner}", rows.at(row)));
            odd.is_in(row, inner);
        }
    }
    said
}

/// The count of values of a sort, and the first of them if they are rare.
pub fn of_sort(rows: Rows<'_, '_>, at: usize, sort: Sort) -> Option<(String, u32)> {
    let tally = &rows.outline.fields[at].tally;
    let (text, row) = tally.first(sort)?;
    if tally.of(sort) > rare_limit(tally.values()) {
        return None;
    }
    let value = match sort {
        Sort::Null | Sort::Empty | Sort::Array => String::new(),
        Sort::Object => format!(" ({})", quoted(&minified(text, SHOWN_CHARACTERS))),
        _ => format!(" ({})", quoted(text)),
    };
    let (first, inner) = match tally.of(sort) {
        1 => ("", rows.inner(at, text, row)),
        _ => (", first", String::new()),
    };
    Some((format!("{value}{first}{}{inner}", rows.at(row)), row))
}

/// A value, cut with a mark if it is long.
pub fn value(outline: &Outline<'_>, node: Node<'_>) -> String {
    let raw = outline.raw(node);
    match node.kind() {
        NodeKind::Object => {
            let all = minified(raw, TOLD_CHARACTERS);
            if characters(&all) <= TOLD_CHARACTERS {
                return one_line(&all).into_owned();
            }
            let telling = |(key, value): &(Node<'_>, Node<'_>)| {
                let (key, value) = (outline.raw(*key), outline.raw(*value));
                !telling::is_nothing(value)
                    && (telling::is_message(key)
                        || telling::names_failure(key)
                        || telling::is_failing(value)
                        || telling::is_sentence(value))
            };
            let told = node.members().filter(telling).map(|(key, value)| {
                let value = minified(outline.raw(value), TOLD_CHARACTERS);
                format!("{}:{value}", outline.raw(key))
            });
            let told: Vec<String> = told.collect();
            match told.is_empty() {
                true => quoted(&minified(raw, SHOWN_CHARACTERS)),
                false => {
                    let told = format!("{{…{}…}}", told.join(","));
                    one_line(&cut(&told, TOLD_CHARACTERS)).into_owned()
                }
            }
        }
        NodeKind::Array => quoted(&minified(raw, SHOWN_CHARACTERS)),
        _ => quoted(raw),
    }
}

/// A text. Of a long one, the beginning and the part from the first word that the usual text lacks, if the cut would hide
/// it. Words with digits differ anyway.
fn differing(text: &str, usual: &str) -> String {
    const BEGINNING: usize = 40;
    let all = quoted(text);
    if characters(text) <= SHOWN_CHARACTERS || usual.is_empty() {
        return all;
    }
    // As long as the text: `\\tStatus` has no word `tStatus`.
    let plain = |text: &str| text.replace("\\t", "  ").replace("\\n", "  ");
    let (own, usual) = (plain(text), plain(usual));
    let known: Vec<&str> = usual.split_ascii_whitespace().collect();
    let is_new =
        |word: &&str| !word.contains(|c: char| c.is_ascii_digit()) && !known.contains(word);
    let new = own.split_ascii_whitespace().find(is_new);
    let at = new.map_or(0, |word| word.as_ptr() as usize - own.as_ptr() as usize);
    match text.get(at..).filter(|_| at >= SHOWN_CHARACTERS) {
        Some(rest) => {
            let (text, rest) = match text.strip_prefix('"') {
                Some(text) => (text, rest.strip_suffix('"').unwrap_or(rest)),
                None => (text, rest),
            };
            let first = cut(text, BEGINNING);
            one_line(&format!(
                "{first} {}",
                cut(rest, SHOWN_CHARACTERS - BEGINNING)
            ))
            .into_owned()
        }
        None => all,
    }
}

/// A text, cut with a mark if it is long. Of several lines, the last is told if it looks like an error.
fn quoted(text: &str) -> String {
    let shown = shown(text);
    let lines = shown.trim_end_matches('"').trim_end_matches("\\n");
    // `C:\\new` has no line break.
    let is_break = |(at, _): &(usize, &str)| {
        let before = lines[..*at].bytes().rev();
        before.take_while(|byte| *byte == b'\\').count() % 2 == 0
    };
    let last = || {
        let (at, sign) = lines.rmatch_indices("\\n").find(is_break)?;
        let last = &lines[at + sign.len()..];
        (shapes::report_of_line(last) == Report::Failure).then_some(last)
    };
    let last = (shown.len() > SHOWN_CHARACTERS).then(last).flatten();
    let cut = match last {
        Some(last) => {
            let first = cut(&shown, SHOWN_CHARACTERS / 2);
            Cow::Owned(format!("{first} {}", cut(last, SHOWN_CHARACTERS)))
        }
        None => with_cause(&shown, SHOWN_CHARACTERS),
    };
    one_line(&cut).into_owned()
}
