//! The outline of a JSON document: its members, tables and columns, with what their values have in
//! common.
//!
//! Owns what counts as one place: the elements of an array are one place, however many there are, and
//! so are the entries of an object that is used as a map. Refuses to know what is shown of it.
//!
//! It takes one pass over the tape. Places are limited in number, so that memory is too: what has no
//! place is noted at the one that it stands in.

use crate::tally::Tally;
use tamis_sdk::{Node, NodeKind};

/// Places of an outline: a summary has room for a few dozens.
const MOST_FIELDS: usize = 600;
/// Places directly inside another.
const MOST_CHILDREN: usize = 128;
/// Elements of rows that are arrays: more are a list, and no row.
const MOST_PLACES: u32 = 32;
/// From so many entries on, an object is a map if they are alike.
const LEAST_ENTRIES: u32 = 4;
/// From so many on, it is a map if they are of one kind.
const MANY_ENTRIES: u32 = 24;
/// Entries that are compared with the first.
const ENTRIES_COMPARED: usize = 64;

/// The way from a place to one inside it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Step<'d> {
    Root,
    /// A member, its key as it is spelled, quotes included.
    Member(&'d str),
    /// An element of a row that is an array.
    Place(u32),
    /// Every element of an array.
    Each,
    /// Every member of a map.
    Entry,
}

/// A place, and all values that stand there.
pub struct Field<'d> {
    pub step: Step<'d>,
    pub parent: usize,
    pub children: Vec<usize>,
    /// Values that the one it stands in has room for and does not have are missing.
    pub holders: u32,
    last_holder: Option<u32>,
    pub tally: Tally<'d>,
    /// The first value.
    pub first: Node<'d>,
    /// Bytes of all values.
    pub bytes: u64,
    /// Some of what is inside has no place.
    pub is_incomplete: bool,
    /// The objects here are maps, the arrays in here are rows; none while that is not known.
    is_map: Option<bool>,
    has_rows: Option<bool>,
    /// The key under which this holds what an outer place holds, as in a tree, and that place.
    pub fold: Option<(&'d str, usize)>,
    /// How deep the tree goes whose branches are here; 0 if there is none.
    pub levels: u32,
}

pub struct Outline<'d> {
    pub fields: Vec<Field<'d>>,
    text: &'d str,
    distinct: usize,
}

/// The place of the whole document.
pub const ROOT: usize = 0;

impl<'d> Outline<'d> {
    /// `distinct`: how many different values of a column are counted one by one.
    pub fn of(text: &'d str, root: Node<'d>, distinct: usize) -> Outline<'d> {
        let mut outline = Outline {
            fields: Vec::new(),
            text,
            distinct,
        };
        outline.add(ROOT, Step::Root, root);
        outline.value(ROOT, root, 1);
        outline
    }

    pub fn raw(&self, node: Node<'_>) -> &'d str {
        self.text
            .get(node.start() as usize..node.end() as usize)
            .unwrap_or_default()
    }

    fn add(&mut self, parent: usize, step: Step<'d>, first: Node<'d>) -> usize {
        self.fields.push(Field {
            step,
            parent,
            children: Vec::new(),
            holders: 0,
            last_holder: None,
            tally: Tally::default(),
            first,
            bytes: 0,
            is_incomplete: false,
            is_map: None,
            has_rows: None,
            fold: None,
            levels: 0,
        });
        self.fields.len() - 1
    }

    /// Notes a value and all that is in it. `level`: how deep in a tree it stands.
    fn value(&mut self, at: usize, node: Node<'d>, level: u32) {
        let raw = self.raw(node);
        let distinct = self.distinct;
        let field = &mut self.fields[at];
        field.bytes += u64::from(node.len_bytes());
        field.tally.note(node, raw, distinct);
        match node.kind() {
            NodeKind::Array => self.elements(at, node, level),
            NodeKind::Object => self.members(at, node, level),
            _ => {}
        }
    }

    fn elements(&mut self, at: usize, array: Node<'d>, level: u32) {
        let parent = self.fields[at].parent;
        let is_row =
            self.fields[at].step == Step::Each && self.fields[parent].has_rows == Some(true);
        let mut guess = 0;
        if is_row {
            for (place, element) in (0..MOST_PLACES).zip(array.elements()) {
                let step = Step::Place(place);
                self.child_value(at, step, element, array.index(), level, &mut guess);
            }
            return;
        }
        if self.fields[at].has_rows.is_none() && array.children() > 0 {
            self.fields[at].has_rows = Some(holds_rows(array));
        }
        for element in array.elements() {
            self.child_value(at, Step::Each, element, element.index(), level, &mut guess);
        }
    }

    fn members(&mut self, at: usize, object: Node<'d>, level: u32) {
        let is_map = match self.fields[at].is_map {
            Some(is_map) => is_map,
            None if object.children() == 0 => return,
            None => {
                let is_map = self.is_map(object);
                self.fields[at].is_map = Some(is_map);
                is_map
            }
        };
        let mut guess = 0;
        for (key, value) in object.members() {
            if is_map {
                self.child_value(at, Step::Entry, value, value.index(), level, &mut guess);
                continue;
            }
            let key = self.raw(key);
            let step = Step::Member(key);
            self.child_value(at, step, value, object.index(), level, &mut guess);
        }
    }

    /// Notes a value inside the place `at`. `holder`: what counts as having it, once. `guess`: where
    /// among the children it may stand.
    fn child_value(
        &mut self,
        at: usize,
        step: Step<'d>,
        value: Node<'d>,
        holder: u32,
        level: u32,
        guess: &mut usize,
    ) {
        let outer_level = level;
        let (child, level) = match (self.child(at, step, guess), step, self.fields[at].fold) {
            (Some(child), ..) => (child, level),
            (None, Step::Member(key), Some((folded, outer))) if key == folded => (outer, level + 1),
            (None, Step::Member(key), None)
                if value.kind() == NodeKind::Array && self.branch(at, key).is_some() =>
            {
                self.fields[at].fold = self.branch(at, key).map(|outer| (key, outer));
                let Some((_, outer)) = self.fields[at].fold else {
                    return;
                };
                (outer, level + 1)
            }
            _ if self.fields.len() < MOST_FIELDS
                && self.fields[at].children.len() < MOST_CHILDREN =>
            {
                let child = self.add(at, step, value);
                self.fields[at].children.push(child);
                *guess = self.fields[at].children.len();
                (child, level)
            }
            _ => {
                self.fields[at].is_incomplete = true;
                return;
            }
        };
        let field = &mut self.fields[child];
        field.holders += u32::from(field.last_holder != Some(holder));
        field.last_holder = Some(holder);
        if level > outer_level {
            field.levels = field.levels.max(level);
        }
        self.value(child, value, level);
    }

    fn child(&self, at: usize, step: Step<'d>, guess: &mut usize) -> Option<usize> {
        let children = &self.fields[at].children;
        let is_it = |place: usize| self.fields[children[place]].step == step;
        let place = if *guess < children.len() && is_it(*guess) {
            *guess
        } else {
            (0..children.len()).find(|place| is_it(*place))?
        };
        if step != Step::Each && step != Step::Entry {
            *guess = place + 1;
        }
        Some(children[place])
    }

    /// The place of an outer array under the same key, if `at` is inside its elements: a tree.
    fn branch(&self, at: usize, key: &str) -> Option<usize> {
        let mut at = at;
        while at != ROOT {
            let parent = self.fields[at].parent;
            if self.fields[at].step == Step::Each && self.fields[parent].step == Step::Member(key) {
                return Some(parent);
            }
            at = parent;
        }
        None
    }

    /// Whether an object is a map from keys to values that are alike.
    fn is_map(&self, object: Node<'_>) -> bool {
        let count = object.children();
        if count < LEAST_ENTRIES {
            return false;
        }
        let mut members = object.members();
        let Some((_, first)) = members.next() else {
            return false;
        };
        let class = class(first);
        if members.any(|(_, value)| self::class(value) != class) {
            return false;
        }
        if count >= MANY_ENTRIES {
            return true;
        }
        let keys: Vec<&str> = first.members().map(|(key, _)| self.raw(key)).collect();
        let is_alike = |(_, value): (Node<'_>, Node<'_>)| {
            let known = value
                .members()
                .filter(|(key, _)| keys.contains(&self.raw(*key)));
            let known = known.count();
            2 * known >= keys.len() && 2 * known >= value.children() as usize
        };
        class == NodeKind::Object
            && !keys.is_empty()
            && object.members().take(ENTRIES_COMPARED).all(is_alike)
    }

    /// The place inside which all values of this one stand, if it is an array or a map: of its
    /// elements or entries.
    pub fn rows(&self, at: usize) -> Option<usize> {
        let &[child] = &self.fields[at].children[..] else {
            return None;
        };
        matches!(self.fields[child].step, Step::Each | Step::Entry).then_some(child)
    }

    /// The steps from one place to another inside it.
    pub fn steps(&self, from: usize, to: usize) -> Vec<Step<'d>> {
        let mut steps = Vec::new();
        let mut at = to;
        while at != from && at != ROOT {
            steps.push(self.fields[at].step);
            at = self.fields[at].parent;
        }
        steps.reverse();
        steps
    }

    /// The path of a place, in the syntax of the read tool. Relative to a row it begins without a
    /// dot: `customer.id`, `items[*].sku`.
    pub fn path(&self, from: usize, to: usize) -> String {
        let mut path = String::new();
        for step in self.steps(from, to) {
            push_step(&mut path, step);
        }
        path.strip_prefix('.').map(str::to_owned).unwrap_or(path)
    }

    /// The path of a place from the root: `$.orders[*].id`.
    pub fn full_path(&self, to: usize) -> String {
        let mut path = "$".to_owned();
        for step in self.steps(ROOT, to) {
            push_step(&mut path, step);
        }
        path
    }
}

pub fn push_step(path: &mut String, step: Step<'_>) {
    match step {
        Step::Root => {}
        Step::Member(key) => {
            let name = key.get(1..key.len() - 1).unwrap_or_default();
            let plain = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
            if !name.is_empty() && name.chars().all(plain) {
                path.push('.');
                path.push_str(name);
            } else {
                path.push('[');
                path.push_str(key);
                path.push(']');
            }
        }
        Step::Place(place) => path.push_str(&format!("[{place}]")),
        Step::Each => path.push_str("[*]"),
        Step::Entry => path.push_str(".*"),
    }
}

/// Kinds, with all scalars that may stand for one another as one.
fn class(node: Node<'_>) -> NodeKind {
    match node.kind() {
        NodeKind::True => NodeKind::False,
        kind => kind,
    }
}

/// Whether the elements of an array are rows: arrays of two or more, of one length.
fn holds_rows(array: Node<'_>) -> bool {
    let mut lengths = array
        .elements()
        .map(|element| (element.kind() == NodeKind::Array).then(|| element.children()));
    let Some(Some(first)) = lengths.next() else {
        return false;
    };
    array.children() > 1
        && (2..=MOST_PLACES).contains(&first)
        && lengths.all(|length| length == Some(first))
}
