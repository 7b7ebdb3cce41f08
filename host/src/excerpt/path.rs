//! Paths into JSON: their grammar, and the values that they match.
//!
//! Owns the grammar, the steps over the tape, and the answer if nothing matches: how far the path led, and the
//! value there. Refuses to know how the matches are used.
//!
//! ```text
//! $  .name  ["odd name"]  ['odd name']  [3]  [-1]  [2:5]  .*  [*]  .**  ..name
//! [0,7]  ['name','state']  [?(@.comments >= 3)]
//! ```
//!
//! The `$` may be left out. A number after a dot is an index if the value is an array. `**` is every value at
//! any depth, the starting value included. A duplicate key matches twice. If a step meets a single string that
//! contains a JSON object or array, it continues inside.
//!
//! Each step takes the matches of the step before, in document order: time is linear in the size of the
//! document, for each step.

use std::cell::RefCell;
use std::fmt;

use super::ReadError;
use super::condition::Condition;
use super::view::{DocumentView, Locator, push_name};
use super::wording::shorten;
use crate::document::{Node, NodeKind, Tape};
use crate::numbers::grouped;

/// Most steps of a path: no real question needs more.
const MAX_STEPS: usize = 32;

/// Most names or positions that one step lists.
const MAX_LISTED: usize = 64;

#[derive(Debug, Clone, PartialEq)]
enum PathStep {
    Name(String),
    Names(Vec<String>),
    Index(i64),
    Indexes(Vec<i64>),
    Slice(Option<i64>, Option<i64>),
    Every,
    /// Elements or members for which the condition holds.
    /// And a value that a reader may take for something else.
    Where(Condition, RefCell<Option<String>>),
    AnyDepth,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Path(Vec<PathStep>);

/// The values that a path matched.
pub(super) enum Found<'v, 'o> {
    Here(&'v DocumentView<'o>, Vec<u32>),
    /// A match in JSON that a string contains.
    Inside(DocumentView<'static>, Vec<u32>),
}

impl Path {
    pub(super) fn parse(path: &str) -> Result<Path, ReadError> {
        let mut parser = Parser { path, at: 0 };
        parser.steps().map(Path).map_err(|expected| {
            let at = path[..path.floor_char_boundary(parser.at)].chars().count() + 1;
            ReadError::PathSyntax {
                path: path.to_owned(),
                at,
                expected,
            }
        })
    }

    /// The values that match, in document order: at least one.
    pub(super) fn find<'v, 'o>(
        &self,
        view: &'v DocumentView<'o>,
    ) -> Result<Found<'v, 'o>, ReadError> {
        let Some(root) = view.root() else {
            return Err(ReadError::NotJson {
                part: view.part.address().to_owned(),
            });
        };
        let mut inside: Option<DocumentView<'static>> = None;
        let mut matches = vec![root.index];
        for (place, step) in self.0.iter().enumerate() {
            let here = inside.as_ref().unwrap_or(view);
            let Some(tape) = here.tape() else { break };
            let mut next = step.apply(here, tape, &matches);
            if next.is_empty()
                && let &[single] = &matches[..]
                && let Some(unwrapped) = here.unwrap_string(tape.node(single))
                && let Some(tape) = unwrapped.tape()
            {
                next = step.apply(&unwrapped, tape, &[0]);
                if next.is_empty() {
                    return Err(self.leads_nowhere(place, &unwrapped, &[0]));
                }
                matches = next;
                inside = Some(unwrapped);
                continue;
            }
            if next.is_empty() {
                return Err(self.leads_nowhere(place, here, &matches));
            }
            matches = next;
        }
        Ok(match inside {
            Some(view) => Found::Inside(view, matches),
            None => Found::Here(view, matches),
        })
    }

    /// What a reader must know of the values that a condition compared.
    pub(super) fn note(&self) -> Option<String> {
        let doubts = self.0.iter().filter_map(|step| match step {
            PathStep::Where(_, doubt) => doubt.borrow().clone(),
            _ => None,
        });
        doubts.last()
    }

    /// The names in the last step, if it lists names.
    pub(super) fn last_names(&self) -> Option<&[String]> {
        match self.0.last() {
            Some(PathStep::Names(names)) => Some(names),
            _ => None,
        }
    }

    /// The steps that distinguish the matches; none if steps are not levels, or no step does.
    pub(super) fn open_steps(&self) -> Option<Vec<bool>> {
        let is_level = !self.0.contains(&PathStep::AnyDepth);
        let is_open = |step: &PathStep| {
            !matches!(
                step,
                PathStep::Name(_) | PathStep::Index(_) | PathStep::Names(_)
            )
        };
        let open: Vec<bool> = self.0.iter().map(is_open).collect();
        (is_level && open.contains(&true)).then_some(open)
    }

    fn leads_nowhere(&self, place: usize, view: &DocumentView<'_>, matches: &[u32]) -> ReadError {
        let step = &self.0[place];
        let reached = match matches {
            &[single] => Locator::new(view).path(single),
            _ => Path(self.0[..place].to_vec()).to_string(),
        };
        let mut there = there(view, matches, step);
        if let Some(note) = self.note() {
            there.push_str(&format!("; {note}"));
        }
        ReadError::NoMatch {
            step: step.to_string(),
            reached,
            there,
        }
    }
}

impl PathStep {
    fn apply(&self, view: &DocumentView<'_>, tape: &Tape, matches: &[u32]) -> Vec<u32> {
        let mut next = Vec::new();
        let values = |node| {
            let members = tape.members(node).map(|(_, value)| value);
            tape.elements(node).chain(members)
        };
        if let PathStep::Where(condition, doubt) = self {
            /// So many values show how texts are spelled.
            const EARLY: usize = 1000;
            let mut all = Vec::new();
            for &index in matches {
                for value in values(tape.node(index)) {
                    all.push(value);
                }
            }
            doubt.replace(None);
            if condition.is_of_missing((view, tape), &all, doubt) {
                return next;
            }
            for (number, value) in all.into_iter().enumerate() {
                if condition.holds((view, tape, number < EARLY), value, doubt) {
                    next.push(value.index);
                }
            }
            next.sort_unstable();
            return next;
        }
        // Everything before this node is in `next` already.
        let mut done = 0;
        for &index in matches {
            let node = tape.node(index);
            match self {
                PathStep::AnyDepth => {
                    if index < done {
                        continue;
                    }
                    done = node.next;
                    next.extend(
                        (index..node.next).filter(|&at| tape.node(at).kind != NodeKind::Key),
                    );
                }
                PathStep::Every => {
                    next.extend(values(node).map(|value| value.index));
                }
                PathStep::Name(name) => {
                    let members = tape.members(node);
                    let named = members.filter(|(key, _)| view.string(*key) == *name);
                    next.extend(named.map(|(_, value)| value.index));
                    if node.kind == NodeKind::Array
                        && let Ok(place) = name.parse()
                    {
                        next.extend(element(view, tape, node, place));
                    }
                }
                PathStep::Names(names) => {
                    let members = tape.members(node);
                    let named =
                        members.filter(|(key, _)| names.contains(&view.string(*key).into_owned()));
                    next.extend(named.map(|(_, value)| value.index));
                }
                PathStep::Index(place) => next.extend(element(view, tape, node, *place)),
                PathStep::Indexes(places) => {
                    let found = places
                        .iter()
                        .filter_map(|place| element(view, tape, node, *place));
                    let mut found: Vec<u32> = found.collect();
                    found.sort_unstable();
                    found.dedup();
                    next.extend(found);
                }
                PathStep::Slice(from, to) if node.kind == NodeKind::Array => {
                    let count = view.count(node);
                    let from = from.map_or(0, |from| absolute(from, count));
                    let to = to.map_or(count, |to| absolute(to, count));
                    let elements = tape.elements(node).map(|element| element.index);
                    let taken = to.saturating_sub(from) as usize;
                    next.extend(elements.skip(from as usize).take(taken));
                }
                PathStep::Slice(..) | PathStep::Where(..) => {}
            }
        }
        // Matches inside one another have children in turn.
        if !next.is_sorted() {
            next.sort_unstable();
        }
        next
    }
}

pub(super) fn element(
    view: &DocumentView<'_>,
    tape: &Tape,
    array: Node,
    place: i64,
) -> Option<u32> {
    let place = if place < 0 {
        view.count(array).checked_sub(place.unsigned_abs())?
    } else {
        place as u64
    };
    let element = tape.elements(array).nth(usize::try_from(place).ok()?)?;
    Some(element.index)
}

/// A place counted from the start: negative ones count from the end, and all are inside.
fn absolute(place: i64, count: u64) -> u64 {
    if place < 0 {
        count.saturating_sub(place.unsigned_abs())
    } else {
        count.min(place as u64)
    }
}

/// The value at a match, and how to continue from there.
fn there(view: &DocumentView<'_>, matches: &[u32], step: &PathStep) -> String {
    /// Names that an error lists, and names that are compared for that.
    const LISTED: usize = 10;
    const COMPARED: usize = 10_000;
    let Some(tape) = view.tape() else {
        return String::new();
    };
    let nodes = || matches.iter().map(|&index| tape.node(index));
    let Some(first) = nodes().next() else {
        return String::new();
    };
    let mut there = view.description(first);
    if matches.len() > 1 {
        there = format!(
            "{} values, the first {there}",
            grouped(matches.len() as u64)
        );
    }
    let mut keys: Vec<Node> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    let mut holder = "keys";
    for node in nodes().flat_map(|node| tape.members(node)).take(COMPARED) {
        if seen.insert(view.string(node.0)) {
            keys.push(node.0);
        }
    }
    let is_condition = matches!(step, PathStep::Where(..));
    let is_name = matches!(step, PathStep::Name(_));
    if keys.is_empty() && first.kind == NodeKind::Array && (is_name || is_condition) {
        holder = match is_condition {
            true => "keys of its elements",
            false => "keys of its elements (put `[*]` before)",
        };
        let elements = tape.elements(first).flat_map(|node| tape.members(node));
        for (key, _) in elements.take(COMPARED) {
            if seen.insert(view.string(key)) {
                keys.push(key);
            }
        }
    }
    if let PathStep::Name(name) = step {
        let distance =
            |key: &Node| strsim::damerau_levenshtein(&shorten(name), &shorten(&view.string(*key)));
        keys.sort_by_cached_key(distance);
    }
    let names: Vec<String> = keys
        .iter()
        .take(LISTED)
        .map(|key| {
            let mut name = String::new();
            push_name(&mut name, &view.string(*key), view.spelling(*key));
            shorten(&name).into_owned()
        })
        .collect();
    if !names.is_empty() {
        there.push_str(&format!("; {holder}: {}", names.join(" ")));
        if keys.len() > LISTED {
            there.push_str(&format!(
                " and {} more",
                grouped((keys.len() - LISTED) as u64)
            ));
        }
    }
    let asked_for_place = matches!(step, PathStep::Index(_) | PathStep::Slice(..));
    if first.kind == NodeKind::Array && asked_for_place && first.children > 0 {
        there.push_str(&format!("; the last is [{}]", view.count(first) - 1));
    }
    there
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("$")?;
        self.0.iter().try_for_each(|step| step.fmt(f))
    }
}

impl fmt::Display for PathStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = |end: &Option<i64>| end.map(|end| end.to_string()).unwrap_or_default();
        match self {
            PathStep::Name(name) => {
                let spelling = serde_json::to_string(name).unwrap_or_default();
                let mut step = String::new();
                push_name(&mut step, name, &spelling);
                f.write_str(&step)
            }
            PathStep::Index(place) => write!(f, "[{place}]"),
            PathStep::Slice(from, to) => write!(f, "[{}:{}]", end(from), end(to)),
            PathStep::Names(names) => {
                let quoted = |name: &String| format!("'{}'", name.replace('\'', "\\'"));
                let names: Vec<String> = names.iter().map(quoted).collect();
                write!(f, "[{}]", names.join(","))
            }
            PathStep::Indexes(places) => {
                let places: Vec<String> = places.iter().map(i64::to_string).collect();
                write!(f, "[{}]", places.join(","))
            }
            PathStep::Where(condition, _) => write!(f, "[?({condition})]"),
            PathStep::Every => f.write_str("[*]"),
            PathStep::AnyDepth => f.write_str(".**"),
        }
    }
}

struct Parser<'p> {
    path: &'p str,
    /// Offset of the next byte to read.
    at: usize,
}

impl Parser<'_> {
    fn steps(&mut self) -> Result<Vec<PathStep>, &'static str> {
        let mut steps: Vec<PathStep> = Vec::new();
        self.path = self.path.trim_end();
        self.at = self.path.len() - self.path.trim_start().len();
        let rest = &self.path[self.at..];
        if rest
            .strip_prefix('$')
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        {
            self.at += 1;
        } else if !rest.starts_with(['.', '[']) && !rest.is_empty() {
            steps.push(self.name()?);
        }
        while self.at < self.path.len() {
            if self.take("..") {
                steps.push(PathStep::AnyDepth);
                if !self.path[self.at..].starts_with('[') {
                    steps.push(self.name()?);
                }
            } else if self.take(".") {
                // `.[0]` and `.` are paths of jq.
                let rest = &self.path[self.at..];
                let is_root = rest.is_empty() && steps.is_empty();
                if !is_root && !rest.starts_with('[') {
                    steps.push(self.name()?);
                }
            } else if self.take("[") {
                steps.push(self.bracket()?);
            } else {
                return Err("`.` or `[`");
            }
            if steps.len() > MAX_STEPS {
                return Err("no more than 32 steps");
            }
        }
        // `**` twice is `**`, and asking twice would be wrong in number.
        steps.dedup_by(|a, b| *a == PathStep::AnyDepth && *b == PathStep::AnyDepth);
        Ok(steps)
    }

    fn take(&mut self, token: &str) -> bool {
        let found = self.path[self.at..].starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    /// The name after a dot: all up to the next dot or bracket.
    fn name(&mut self) -> Result<PathStep, &'static str> {
        let rest = &self.path[self.at..];
        let end = rest.find(['.', '[', ']']).unwrap_or(rest.len());
        let name = rest[..end].trim();
        if name.is_empty() {
            return Err("a name");
        }
        self.at += end;
        Ok(match name {
            "*" => PathStep::Every,
            "**" => PathStep::AnyDepth,
            name => PathStep::Name(name.to_owned()),
        })
    }

    fn bracket(&mut self) -> Result<PathStep, &'static str> {
        self.skip_spaces();
        let rest = &self.path[self.at..];
        let step = if rest.starts_with(['"', '\'']) {
            let mut names = vec![self.quoted()?];
            while self.comma() {
                names.push(self.quoted()?);
                if names.len() > MAX_LISTED {
                    return Err("no more than 64 names");
                }
            }
            match names.pop() {
                Some(only) if names.is_empty() => PathStep::Name(only),
                last => PathStep::Names(names.into_iter().chain(last).collect()),
            }
        } else if let Some(condition) = rest.strip_prefix('?') {
            let (condition, length) = Condition::parse(condition).map_err(|(at, expected)| {
                self.at += 1 + at;
                expected
            })?;
            self.at += 1 + length;
            PathStep::Where(condition, RefCell::default())
        } else if self.take("**") {
            PathStep::AnyDepth
        } else if self.take("*") || rest.starts_with(']') {
            PathStep::Every
        } else {
            let from = self.number();
            self.skip_spaces();
            if self.take(":") {
                self.skip_spaces();
                PathStep::Slice(from, self.number())
            } else {
                let first = from.ok_or("a number, a name in quotes, `*` or `?`")?;
                let mut places = vec![first];
                while self.comma() {
                    places.push(self.number().ok_or("a number")?);
                    if places.len() > MAX_LISTED {
                        return Err("no more than 64 places");
                    }
                }
                match places[..] {
                    [only] => PathStep::Index(only),
                    _ => PathStep::Indexes(places),
                }
            }
        };
        self.skip_spaces();
        if self.take("]") { Ok(step) } else { Err("`]`") }
    }

    /// A name in quotes of either kind.
    fn quoted(&mut self) -> Result<String, &'static str> {
        let (name, length) = quoted(&self.path[self.at..])?;
        self.at += length;
        Ok(name)
    }

    /// Takes a comma with the spaces around it.
    fn comma(&mut self) -> bool {
        self.skip_spaces();
        let is_there = self.take(",");
        if is_there {
            self.skip_spaces();
        }
        is_there
    }

    fn skip_spaces(&mut self) {
        let rest = &self.path[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    fn number(&mut self) -> Option<i64> {
        let rest = &self.path[self.at..];
        let digits = rest.strip_prefix('-').unwrap_or(rest);
        let sign = rest.len() - digits.len();
        let end = digits
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(digits.len());
        let number = rest[..sign + end].parse().ok()?;
        self.at += sign + end;
        Some(number)
    }
}

/// The text in quotes at the beginning of another, and its length with the quotes. In single quotes, `\'` is a quote.
pub(super) fn quoted(text: &str) -> Result<(String, usize), &'static str> {
    if text.starts_with('"') {
        let mut strings = serde_json::Deserializer::from_str(text).into_iter::<String>();
        let Some(Ok(name)) = strings.next() else {
            return Err("a text in double quotes");
        };
        return Ok((name, strings.byte_offset()));
    }
    let inner = text.strip_prefix('\'').ok_or("a name in quotes")?;
    let mut ends = inner.match_indices('\'').map(|(end, _)| end);
    let end = ends.find(|end| !inner[..*end].ends_with('\\'));
    let end = end.ok_or("a closing `'`")?;
    Ok((inner[..end].replace("\\'", "'"), end + 2))
}
