//! Search: the rows, lines and leaves in which a pattern occurs.
//!
//! Owns the units of a search, and the form of a hit. In text, the units are lines; if lines are long and the
//! text is a list in another notation than JSON, they are its items. In JSON, the units are rows, each on one
//! line in its shown form, and strings, numbers and keys, each in its form without quotes and escapes. So both
//! `"state":"open"` and `^open$` are found. Outside the rows, hits are shown one member or element at a time,
//! with their paths.
//!
//! Time is linear in the size of the document: regular expressions that would take more give up (see `pattern`).
//! Of a long unit, the text around the hit is shown, with the size of the rest.

use std::borrow::Cow;
use std::ops::Range;

use super::ReadError;
use super::pattern::Pattern;
use super::recognised;
use super::selection::{Content, Selection, count_lines, main_array};
use super::view::{DocumentView, Locator};
use super::wording::{characters, shorten};
use crate::document::{Node, NodeKind, Tape};
use crate::numbers::grouped;
use tamis_formats::as_shown;

/// Longest line or row that is shown whole, how much of a longer one is shown, and how much of that stands
/// before the hit; in bytes.
const WHOLE_BYTES: usize = 1_000;
const PART_BYTES: usize = 600;
const BEFORE_BYTES: usize = 200;
/// The length of later hits in a line or row.
const LATER_PART_BYTES: usize = 160;
const BEFORE_LATER_BYTES: usize = 60;
/// Parts of one line or row that are shown, each around a find or several.
const MOST_PARTS: usize = 12;
/// Largest object that is shown whole, in a row that is too long to show or that contains rows.
const OBJECT_BYTES: u32 = 200;
/// Most lines or rows of context: for more, ask for a range.
const MAX_CONTEXT: u64 = 50;
/// Members of an object that are compared with each other.
const MOST_COMPARED: usize = 16;

impl Pattern {
    /// Whether the pattern occurs in the decoded key or scalar. `seen`: its spelling was already tested.
    fn is_in_leaf(&self, view: &DocumentView<'_>, leaf: Node, seen: bool) -> bool {
        match leaf.kind {
            NodeKind::Array | NodeKind::Object => false,
            NodeKind::String | NodeKind::Key => {
                let text = view.string(leaf);
                !(seen && self.literal && !leaf.escaped) && self.is_in(&text)
                    || self.in_characters(&text).is_some()
            }
            _ => !(seen && self.literal) && self.is_in(view.spelling(leaf)),
        }
    }

    /// A text with characters in place of JSON's escapes, if the pattern is in that; also of JSON in strings of JSON.
    fn in_characters(&self, text: &str) -> Option<String> {
        /// As many layers as the filter `unwrap` opens.
        const LAYERS: usize = 3;
        if self.is_of_escapes() {
            return None;
        }
        let mut text = Cow::Borrowed(text);
        if self.has_signs
            && text.contains('&')
            && let Some(plain) = without_entities(&text)
            && self.is_in(&plain)
        {
            return Some(plain);
        }
        for _ in 0..LAYERS {
            if self.has_quotes && text.contains("\\\"") {
                let plain = text.replace("\\\"", "\"");
                if self.is_in(&plain) {
                    return Some(plain);
                }
            } else if !text.contains("\\u") && !text.contains("\\/") {
                return None;
            }
            if let Cow::Owned(written) = tamis_formats::without_spelled_characters(&text)
                && self.is_in(&written)
            {
                return Some(written);
            }
            text = text.replace("\\\\", "\\").into();
        }
        None
    }

    fn is_in_row(&self, view: &DocumentView<'_>, tape: &Tape, row: Node) -> bool {
        self.is_in(&view.on_one_line(row))
            || (row.index..row.next).any(|leaf| self.is_in_leaf(view, tape.node(leaf), true))
    }
}

enum Hit {
    /// Its number from 0, and its start.
    Line { number: u64, start: usize },
    /// Its position among the rows.
    Row { place: u64 },
    /// A hit in the text before or after the items of a list.
    Outside { range: Range<usize> },
    /// A value outside the rows.
    Value { node: u32 },
}

pub(super) struct Hits<'v> {
    view: &'v DocumentView<'v>,
    pattern: &'v Pattern,
    context: u64,
    found: Vec<Hit>,
    /// Occurrences of the pattern in all units; one or more in a line or row that is found.
    occurrences: u64,
    /// The rows that were searched.
    rows: Vec<u32>,
    /// The items of a list in another notation than JSON; these are rows too.
    items: Vec<Range<usize>>,
}

/// Searches a document, or only `array` if it is given.
pub(super) fn search<'v>(
    view: &'v DocumentView<'v>,
    pattern: &'v Pattern,
    context: u64,
    within: Option<Node>,
) -> Result<Selection<'v>, ReadError> {
    let mut hits = Hits {
        view,
        pattern,
        context: context.min(MAX_CONTEXT),
        found: Vec::new(),
        occurrences: 0,
        rows: Vec::new(),
        items: Vec::new(),
    };
    let place = match (view.tape(), within.or_else(|| view.root())) {
        (Some(tape), Some(within)) => hits.search_json(tape, within),
        _ => hits.search_text(),
    };
    hits.pattern.done()?;
    let items = hits.found.len() as u64;
    let hint = match items {
        0 => pattern.hint(),
        _ => "",
    };
    let place = match hits.occurrences {
        occurrences if occurrences > items => {
            format!("in {place}, {} occurrences", grouped(occurrences))
        }
        _ => format!("in {place}{hint}"),
    };
    Ok(Selection {
        unit: super::Unit::Matches,
        items,
        first: 1,
        total: items,
        // The header need not repeat the pattern.
        origin: place,
        content: Content::Hits(hits),
    })
}

impl Hits<'_> {
    fn search_text(&mut self) -> String {
        let text = self.view.text();
        let lines = count_lines(text);
        // A line that is long enough to be cut may hold many finds.
        if text.len() as u64 > lines.saturating_mul(WHOLE_BYTES as u64)
            && let Some(items) = recognised::items_of(self.view)
        {
            return self.search_items(items);
        }
        let mut start = 0;
        for (number, line) in text.split_inclusive('\n').enumerate() {
            let line_text = line.trim_end_matches(['\n', '\r']);
            let found = self
                .pattern
                .is_in(line_text)
                .then_some(Cow::Borrowed(line_text));
            if let Some(found_text) = found.or_else(|| self.found_as_shown(line_text)) {
                self.occurrences += self.pattern.count(&found_text);
                let number = number as u64;
                self.found.push(Hit::Line { number, start });
            }
            start += line.len();
        }
        format!("{} lines{}", grouped(lines), self.view.suffix())
    }

    /// A line as a terminal shows it, or as JSON means it, if the pattern is in that.
    fn found_as_shown<'t>(&self, line: &'t str) -> Option<Cow<'t, str>> {
        let plain = as_shown(line);
        if let Cow::Owned(_) = plain
            && self.pattern.is_in(&plain)
        {
            return Some(plain);
        }
        self.pattern.in_characters(line).map(Cow::Owned)
    }

    fn search_items(&mut self, items: Vec<Range<usize>>) -> String {
        let text = self.view.text();
        let outside = |range: Range<usize>| {
            let is_found = self.pattern.is_in(&text[range.clone()]);
            is_found.then_some(Hit::Outside { range })
        };
        let (first, last) = (items[0].start, items[items.len() - 1].end);
        let rows = (0..).zip(&items).filter_map(|(place, item)| {
            let is_found = self.pattern.is_in(&text[item.clone()]);
            is_found.then_some(Hit::Row { place })
        });
        let found: Vec<Hit> = outside(0..first)
            .into_iter()
            .chain(rows)
            .chain(outside(last..text.len()))
            .collect();
        let texts = found.iter().filter_map(|hit| match hit {
            Hit::Outside { range } => Some(range),
            Hit::Row { place } => items.get(*place as usize),
            Hit::Line { .. } | Hit::Value { .. } => None,
        });
        self.occurrences = texts
            .map(|range| self.pattern.count(&text[range.clone()]))
            .sum();
        self.found = found;
        self.items = items;
        let rows = grouped(self.items.len() as u64);
        format!("{rows} rows{}", self.view.suffix())
    }

    fn search_json(&mut self, tape: &Tape, within: Node) -> String {
        let view = self.view;
        let array = main_array(tape, within);
        let copies = copies(view, tape, within);
        let mut at = within.index;
        let mut key = None;
        while at < within.next {
            let node = tape.node(at);
            at += 1;
            if node.kind == NodeKind::Key {
                key = Some(node);
                continue;
            }
            let key = key.take();
            if copies.iter().any(|copy| copy.value.index == node.index) {
                at = node.next;
                if key.is_some_and(|key| self.pattern.is_in_leaf(view, key, false)) {
                    self.occurrences += 1;
                    self.found.push(Hit::Value { node: node.index });
                }
                continue;
            }
            if self.is_outside_row(node, key) {
                self.occurrences += self.occurrences_in(node, key);
                self.found.push(Hit::Value { node: node.index });
            }
            if array.is_some_and(|array| array.index == node.index) {
                at = node.next;
                for (place, row) in tape.elements(node).enumerate() {
                    self.rows.push(row.index);
                    let bytes = row.end - row.start;
                    let is_taken_apart = row.children > 0 && bytes as usize > WHOLE_BYTES
                        || bytes > OBJECT_BYTES && self.is_branch(tape, row);
                    if is_taken_apart && self.search_inside(tape, row) {
                        continue;
                    }
                    if self.pattern.is_in_row(view, tape, row) {
                        self.occurrences += self.pattern.count(&view.on_one_line(row)).max(1);
                        let place = place as u64;
                        self.found.push(Hit::Row { place });
                    }
                }
            }
        }
        let not_searched: String = copies
            .iter()
            .map(|copy| {
                let [path, first] = [copy.value, copy.of].map(|it| view.path_of(it));
                let (path, first) = (shorten(&path), shorten(&first));
                format!(", but {path} is the same as {first}")
            })
            .collect();
        let Some(array) = array else {
            let path = view.path_of(within);
            let (path, part) = (shorten(&path), view.part.suffix());
            return format!("{path}{part}{not_searched}");
        };
        let rows = grouped(self.rows.len() as u64);
        let path = view.path_of(array);
        let rest = match array.index == within.index {
            true => "",
            false => " and the rest",
        };
        let (of, part) = (shorten(&path), view.part.suffix());
        match path == "$" && view.part.is_only && rest.is_empty() {
            true => format!("{rows} rows{part}{not_searched}"),
            false => format!("{rows} rows of {of}{rest}{part}{not_searched}"),
        }
    }

    /// How often the pattern is in a member or element that it is in.
    fn occurrences_in(&self, value: Node, key: Option<Node>) -> u64 {
        let is_scalar = !matches!(value.kind, NodeKind::Array | NodeKind::Object);
        let spelled = match key {
            Some(key) if is_scalar => self.view.member_on_one_line(key, value),
            Some(key) => Cow::Borrowed(self.view.spelling(key)),
            None => Cow::Borrowed(self.view.spelling(value)),
        };
        // As it reads, if not as it is spelled.
        self.pattern.count(&spelled).max(1)
    }

    /// Whether a row of a tree has rows of its own: objects in a list that begin with the same key.
    fn is_branch(&self, tape: &Tape, row: Node) -> bool {
        let first_key = |object: Node| {
            let has_any = object.kind == NodeKind::Object && object.children > 0;
            has_any.then(|| self.view.spelling(tape.node(object.index + 1)))
        };
        let own = first_key(row);
        let mut values = tape.members(row).map(|(_, value)| value);
        own.is_some()
            && values.any(|value| {
                let has_any = value.kind == NodeKind::Array && value.children > 0;
                has_any && first_key(tape.node(value.index + 1)) == own
            })
    }

    /// Searches the members of a row that is too long to show, such as a branch of a tree: each hit has its own
    /// path. Returns whether any hit exists.
    fn search_inside(&mut self, tape: &Tape, row: Node) -> bool {
        let before = self.found.len();
        let mut around: Vec<Node> = Vec::new();
        let mut key = None;
        for node in (row.index..row.next).map(|index| tape.node(index)) {
            while around.pop_if(|outer| outer.next <= node.index).is_some() {}
            if node.kind == NodeKind::Key {
                key = Some(node);
                continue;
            }
            let key = key.take();
            if self.is_outside_row(node, key) {
                self.occurrences += self.occurrences_in(node, key);
                let is_small = |outer: &&Node| {
                    outer.kind == NodeKind::Object && outer.end - outer.start <= OBJECT_BYTES
                };
                let shown = around.last().filter(is_small).unwrap_or(&node).index;
                let is_shown = |hit: &Hit| matches!(hit, Hit::Value { node } if *node == shown);
                if !self.found.last().is_some_and(is_shown) {
                    self.found.push(Hit::Value { node: shown });
                }
            }
            if matches!(node.kind, NodeKind::Array | NodeKind::Object) {
                around.push(node);
            }
        }
        self.found.len() > before
    }

    /// Whether the pattern is in a member or element that is not part of a row: in its key or, if
    /// it is a scalar, in its value.
    fn is_outside_row(&self, value: Node, key: Option<Node>) -> bool {
        let (view, pattern) = (self.view, self.pattern);
        let scalar = !matches!(value.kind, NodeKind::Array | NodeKind::Object);
        let spelled = match key {
            Some(key) if scalar => pattern.is_in(&view.member_on_one_line(key, value)),
            Some(key) => pattern.is_in(view.spelling(key)),
            None => scalar && pattern.is_in(view.spelling(value)),
        };
        spelled
            || key.is_some_and(|key| pattern.is_in_leaf(view, key, true))
            || pattern.is_in_leaf(view, value, true)
    }

    /// A hit in its shown form, with its context, on lines of its own.
    pub(super) fn write(&self, item: usize) -> Cow<'_, str> {
        let Some(hit) = self.found.get(item) else {
            return Cow::Borrowed("");
        };
        let mut out = String::new();
        match *hit {
            Hit::Outside { ref range } => {
                let text = &self.view.text()[range.clone()];
                out.push_str("outside the rows: ");
                push_around(&mut out, text, &self.pattern.find_all(text));
                out.push('\n');
            }
            Hit::Value { node } => self.write_value(&mut out, node),
            Hit::Row { place } => {
                let rows = self.rows.len().max(self.items.len()) as u64;
                let range = self.context_of(&mut out, item, place, rows);
                for place in range {
                    self.write_row(&mut out, place);
                }
            }
            Hit::Line { number, start } => {
                let range = self.context_of(&mut out, item, number, u64::MAX);
                self.write_lines(&mut out, range, number, start);
            }
        }
        Cow::Owned(out)
    }

    /// The lines or rows to show with the hit at `item`: none that an earlier hit shows, and none from the next
    /// hit on. A gap before them is marked.
    fn context_of(&self, out: &mut String, item: usize, at: u64, count: u64) -> Range<u64> {
        let number = |item: usize| match self.found.get(item)? {
            Hit::Line { number, .. } => Some(*number),
            Hit::Row { place } => Some(*place),
            Hit::Value { .. } | Hit::Outside { .. } => None,
        };
        let shown = item
            .checked_sub(1)
            .and_then(number)
            .map(|before| (before + self.context + 1).min(at));
        let from = at.saturating_sub(self.context).max(shown.unwrap_or(0));
        if self.context > 0 && shown.is_some_and(|shown| shown < from) {
            out.push_str("--\n");
        }
        let next = number(item + 1).unwrap_or(u64::MAX).max(at + 1);
        from..(at + self.context + 1).min(next).min(count)
    }

    fn write_value(&self, out: &mut String, node: u32) {
        let Some(tape) = self.view.tape() else { return };
        let mut locator = Locator::new(self.view);
        let path = locator.path(node);
        let node = tape.node(node);
        out.push_str(&path);
        // A hit that is a row itself shows its own name.
        let mut rows = locator.rows().take_while(|row| row.index != node.index);
        if let Some(name) = rows.find_map(|row| self.name_of(tape, row, node)) {
            out.push_str(&format!(" ({name})"));
        }
        out.push_str(": ");
        let container = matches!(node.kind, NodeKind::Array | NodeKind::Object);
        if container && self.view.spelling(node).len() > WHOLE_BYTES {
            // The find is its key.
            out.push_str(&format!("({})\n", self.view.description(node)));
            return;
        }
        if let Some(lines) = self.lines_of_string(node, |_| path) {
            out.push_str(&lines);
            return;
        }
        let mut value = self.view.on_one_line(node);
        let mut finds = self.pattern.find_all(&value);
        if finds.is_empty()
            && let Some(read) = self.pattern.in_characters(&value)
        {
            finds = self.pattern.find_all(&read);
            value = read.into();
        }
        push_around(out, &value, &finds);
        out.push('\n');
    }

    /// The lines of a long string in which the pattern is, with their numbers in the string and their context.
    /// None if no line has it.
    fn lines_of_string(&self, node: Node, path: impl FnOnce(Node) -> String) -> Option<String> {
        if node.kind != NodeKind::String || self.view.spelling(node).len() <= WHOLE_BYTES {
            return None;
        }
        let text = self.view.string(node);
        let lines: Vec<&str> = text.lines().collect();
        let is_found = |&at: &usize| {
            self.pattern.is_in(lines[at]) || self.pattern.in_characters(lines[at]).is_some()
        };
        let found: Vec<usize> = (0..lines.len()).filter(is_found).collect();
        if lines.len() < 2 || found.is_empty() {
            return None;
        }
        let [count, of] = [found.len(), lines.len()].map(|count| grouped(count as u64));
        let mut out = format!("{count} of {of} lines\n");
        let context = self.context as usize;
        let shown = &found[..found.len().min(MOST_PARTS)];
        let mut next = 0;
        for &at in shown {
            let from = at.saturating_sub(context).max(next);
            if context > 0 && next > 0 && from > next {
                out.push_str("--\n");
            }
            next = (at + context + 1).clamp(next, lines.len());
            for (number, line) in lines.iter().enumerate().take(next).skip(from) {
                let finds = self.pattern.find_all(line);
                let mark = if finds.is_empty() { '-' } else { ':' };
                out.push_str(&format!("{}{mark} ", number + 1));
                push_around(&mut out, line, &finds);
                out.push('\n');
            }
        }
        if found.len() > shown.len() {
            let more = grouped((found.len() - shown.len()) as u64);
            let path = serde_json::Value::from(path(node));
            out.push_str(&format!(
                "({more} more lines: search with \"path\":{path})\n"
            ));
        }
        Some(out)
    }

    /// A row's own name, other than the hit in it.
    fn name_of(&self, tape: &Tape, row: Node, find: Node) -> Option<Cow<'_, str>> {
        const NAMES: [&str; 5] = ["name", "title", "path", "key", "id"];
        const LONGEST_BYTES: u32 = 100;
        let named = |name: &str| {
            let mut members = tape.members(row);
            let (_, value) = members.find(|(key, _)| self.view.string(*key) == name)?;
            let is_short = value.end - value.start <= LONGEST_BYTES;
            let is_text = value.kind == NodeKind::String;
            (is_text && is_short && value.index != find.index).then_some(value)
        };
        let value = NAMES.iter().find_map(|name| named(name))?;
        Some(self.view.on_one_line(value))
    }

    fn write_row(&self, out: &mut String, place: u64) {
        if let Some(item) = self.items.get(place as usize) {
            let text = &self.view.text()[item.clone()];
            push_row(out, place, text, &self.pattern.find_all(text));
            return;
        }
        let (Some(tape), Some(&row)) = (self.view.tape(), self.rows.get(place as usize)) else {
            return;
        };
        let row = tape.node(row);
        if let Some(lines) = self.lines_of_string(row, |row| self.view.path_of(row)) {
            out.push_str(&format!("[{place}]: {lines}"));
            return;
        }
        let text = self.view.on_one_line(row);
        let mut finds = self.pattern.find_all(&text);
        if finds.is_empty() {
            // Only as it reads: show the leaf.
            let mut leaves = (row.index..row.next).map(|leaf| tape.node(leaf));
            let leaf = leaves.find(|&leaf| self.pattern.is_in_leaf(self.view, leaf, false));
            finds.extend(leaf.and_then(|leaf| {
                let spelling = self.view.spelling(leaf);
                text.find(spelling).map(|at| at..at + spelling.len())
            }));
        }
        push_row(out, place, &text, &finds);
    }

    /// Lines by number from 0, of which `number` begins at `start`.
    fn write_lines(&self, out: &mut String, range: Range<u64>, number: u64, start: usize) {
        let text = self.view.text();
        let mut first = start;
        for _ in range.start..number {
            let before = &text.as_bytes()[..first.saturating_sub(1)];
            first = memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
        }
        let lines = text[first..].split_inclusive('\n').zip(range);
        for (line, at) in lines {
            let line = line.trim_end_matches(['\n', '\r']);
            // As a terminal shows it, unless the pattern is in the codes for colours.
            let plain = as_shown(line);
            let mut line = Cow::Borrowed(line);
            let mut finds = self.pattern.find_all(&line);
            if let Cow::Owned(_) = plain
                && (finds.is_empty() || self.pattern.is_in(&plain))
            {
                finds = self.pattern.find_all(&plain);
                line = plain.into_owned().into();
            }
            if finds.is_empty()
                && let Some(written) = self.pattern.in_characters(&line)
            {
                finds = self.pattern.find_all(&written);
                line = written.into();
            }
            let mark = if at == number { ':' } else { '-' };
            out.push_str(&format!("{}{mark} ", at + 1));
            push_around(out, &line, &finds);
            out.push('\n');
        }
    }
}

/// A text of XML or HTML with the signs that it writes as entities. None: it has none.
fn without_entities(text: &str) -> Option<String> {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        let (before, sign) = rest.split_at(at);
        let (c, length) = tamis_formats::entity(sign).unwrap_or(('&', 1));
        plain.push_str(before);
        plain.push(c);
        rest = &sign[length..];
    }
    plain.push_str(rest);
    (plain.len() < text.len()).then_some(plain)
}

/// A member that repeats the value of an earlier member.
struct Copied {
    value: Node,
    of: Node,
}

/// The members of an object that repeat a long value of an earlier member, to the byte. Some servers send the same
/// under two names; each find would be counted twice.
fn copies(view: &DocumentView<'_>, tape: &Tape, object: Node) -> Vec<Copied> {
    let mut values: Vec<Node> = Vec::new();
    let mut copies = Vec::new();
    for (_, value) in tape.members(object).take(MOST_COMPARED) {
        if ((value.end - value.start) as usize) < WHOLE_BYTES {
            continue;
        }
        let spelling = view.spelling(value);
        match values.iter().find(|it| view.spelling(**it) == spelling) {
            Some(&of) => copies.push(Copied { value, of }),
            None => values.push(value),
        }
    }
    copies
}

/// Appends a row with its number.
fn push_row(out: &mut String, place: u64, text: &str, finds: &[Range<usize>]) {
    let mark = if finds.is_empty() { '-' } else { ':' };
    out.push_str(&format!("[{place}]{mark} "));
    push_around(out, text, finds);
    out.push('\n');
}

/// Appends a text, or, of a long one, the parts around the hits.
fn push_around(out: &mut String, text: &str, finds: &[Range<usize>]) {
    if text.len() <= WHOLE_BYTES {
        out.push_str(text);
        return;
    }
    let mut parts: Vec<Range<usize>> = Vec::new();
    let mut more = 0;
    for find in finds
        .iter()
        .map(|find| find.start)
        .chain(finds.is_empty().then_some(0))
    {
        if parts.last().is_some_and(|part| find < part.end) {
            continue;
        }
        if parts.len() == MOST_PARTS {
            more += 1;
            continue;
        }
        // A find of many shows less around it.
        let (before, shown) = match parts.len() {
            0 => (BEFORE_BYTES, PART_BYTES),
            _ => (BEFORE_LATER_BYTES, LATER_PART_BYTES),
        };
        let start = text.floor_char_boundary(find.saturating_sub(before));
        let end = text.floor_char_boundary((start + shown).min(text.len()));
        match parts.last_mut().filter(|part| start <= part.end) {
            Some(part) => part.end = end,
            None => parts.push(start..end),
        }
    }
    let left_out = |part: &str| format!("({} characters left out)", grouped(characters(part)));
    let mut done = 0;
    for part in parts {
        if part.start > done {
            if done > 0 {
                out.push('…');
            }
            out.push_str(&left_out(&text[done..part.start]));
            out.push('…');
        }
        out.push_str(&text[part.clone()]);
        done = part.end;
    }
    if done < text.len() {
        out.push('…');
        out.push_str(&left_out(&text[done..]));
    }
    if more > 0 {
        let more = grouped(more);
        out.push_str(&format!(
            " ({more} more occurrences here: search for a longer text)"
        ));
    }
}
