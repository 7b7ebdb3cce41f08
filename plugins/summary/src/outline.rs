//! The outline of a JSON document: its members, tables and columns, with a tally of their values.
//!
//! Owns the definition of a place. The elements of an array are one place, and so are the entries of an object that is
//! used as a map. Refuses to know what a summary shows.
//!
//! One pass over the tape makes the outline. The number of places is limited, and so is the memory. A value without a
//! place of its own is noted at the place around it.

use crate::hashing::{hash, same};
use crate::headers::{holds_columns, holds_rows};
use crate::tally::Tally;
use crate::telling;
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use tamis_formats::{unquoted, words};
use tamis_sdk::{Node, NodeKind};

/// Most places of an outline. A summary has room for a few dozens.
const MOST_FIELDS: usize = 600;
/// Places besides, for members at the top and their members.
const OUTER_FIELDS: usize = 64;
/// Most places directly inside another.
const MOST_CHILDREN: usize = 128;
/// Children that are looked at one by one for a step.
const FEW_CHILDREN: usize = 8;
/// Most elements of a row that is an array. A longer array is a list, not a row.
pub const MOST_PLACES: u32 = 32;
/// An object with this many similar entries is a map.
const LEAST_ENTRIES: u32 = 4;
/// An object with this many entries of one kind is a map.
const MANY_ENTRIES: u32 = 24;
/// Outside of tables, one in this many entries may be of another kind: an entry that is null, or an error.
const ENTRIES_OF_ONE_KIND: u32 = 40;
/// More lists of the same records side by side are a map. Fewer are told one by one.
const FEW_LISTS: u32 = 6;
/// Beside such lists, one in this many members may be of another kind: a total, a page.
const LISTS_OF_ONE_KIND: u32 = 6;
/// Most entries that are compared with the first.
const ENTRIES_COMPARED: usize = 64;
/// A list of at most this many texts, or objects about texts, is described element by element.
const FEW_TEXTS: u32 = 8;
/// Fewest bytes of a string that is a text, and members of an object that is about a text.
const TEXT_BYTES: u32 = 300;
const FEW_MEMBERS: u32 = 8;
/// Depth of the outline in rows that hold rows of the same kind. A tree is described by its content.
const LEVELS: u32 = 2;
/// A scan of 10,000 rows of 40 members takes a tenth of this.
const MOST_LOOKS: usize = 4_000_000;
/// The row of values outside all tables.
const NO_ROW: u32 = u32::MAX;

/// The step from a place to one inside it.
#[derive(Clone, Copy)]
pub enum Step<'d> {
    Root,
    /// A member; its key as it is spelled, with quotes.
    Member(&'d str),
    /// An element of a row that is an array.
    Place(u32),
    /// Every element of an array.
    Each,
    /// Every member of a map.
    Entry,
}

impl PartialEq for Step<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Step::Member(one), Step::Member(other)) => same(one, other),
            (Step::Place(one), Step::Place(other)) => one == other,
            (Step::Root, Step::Root) | (Step::Each, Step::Each) | (Step::Entry, Step::Entry) => {
                true
            }
            _ => false,
        }
    }
}

impl Eq for Step<'_> {}

impl<'d> Step<'d> {
    /// The key of a member.
    pub fn key(self) -> Option<&'d str> {
        match self {
            Step::Member(key) => Some(key),
            _ => None,
        }
    }

    /// A number that most other steps of a place do not have, and the same for all spellings of a key.
    fn mark(self) -> u8 {
        match self {
            Step::Member(key) => hash(plain(key).as_bytes()) as u8,
            Step::Place(place) => place as u8,
            Step::Root | Step::Each | Step::Entry => 0,
        }
    }

    /// Whether another step is this one, in any spelling of the key: `\u0069d` of `id`.
    fn is_respelled(self, other: Step<'_>) -> bool {
        // Most are spelled as others are.
        self == other
            || match (self, other) {
                (Step::Member(one), Step::Member(other)) => same(&*plain(one), &*plain(other)),
                _ => false,
            }
    }
}

/// A key without escapes. One that is no text (`"\ud800"`) stays as it is, with its quotes.
fn plain(key: &str) -> Cow<'_, str> {
    match words::has_any_of(key.as_bytes(), |bytes| bytes.are(b'\\')) {
        true => unquoted(key).map_or(Cow::Borrowed(key), Cow::Owned),
        false => Cow::Borrowed(key.get(1..key.len() - 1).unwrap_or_default()),
    }
}

/// A place, and a tally of all values at it.
pub struct Field<'d> {
    pub step: Step<'d>,
    pub parent: usize,
    pub children: Vec<usize>,
    /// The mark of each child's step, which finds it among many.
    marks: Vec<u8>,
    /// The number of containers that could hold this place.
    pub holders: u32,
    last_holder: Option<u32>,
    /// By itself in memory: it is large, and the list of places moves when it grows.
    pub tally: Box<Tally<'d>>,
    /// The first value.
    pub first: Node<'d>,
    /// Bytes of all values.
    pub bytes: u64,
    /// Something inside has no place of its own.
    pub is_incomplete: bool,
    /// Whether the objects here are maps, or the arrays here are rows; none while unknown.
    is_map: Option<bool>,
    pub has_rows: Option<bool>,
    /// Whether the elements of this array are described one by one; none while unknown.
    is_apart: Option<bool>,
    /// The rows above the first one with values: the last of these names the columns, others are titles.
    pub header_rows: u32,
    /// The row of the first value.
    pub first_row: u32,
}

/// What a document was made of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// Nothing is known.
    Any,
    /// The pieces of a text, whose names are data: like tables are told as one.
    Parts,
    /// A table: all rows have the same keys in the same order.
    Table,
}

pub struct Outline<'d> {
    source: Source,
    pub fields: Vec<Field<'d>>,
    /// The path of the document: `$`, or longer if it is the text in a string of another one.
    root: String,
    text: &'d str,
    /// Most different values of a column that are counted one by one.
    pub distinct: usize,
    /// Members that the search for a rare value's position may still examine.
    looks: Cell<usize>,
    /// Rows of a place that were computed once.
    computed: RefCell<Vec<(usize, Vec<u32>)>>,
}

/// The place of the whole document.
pub const ROOT: usize = 0;

impl<'d> Outline<'d> {
    /// `distinct`: most different values of a column that are counted one by one.
    pub fn of(text: &'d str, root: Node<'d>, distinct: usize) -> Outline<'d> {
        Outline::with(text, root, distinct, Source::Any)
    }

    /// The same of a document that was made of a text.
    pub fn with(text: &'d str, root: Node<'d>, distinct: usize, source: Source) -> Outline<'d> {
        let mut outline = Outline {
            source,
            fields: Vec::new(),
            root: "$".to_owned(),
            text,
            distinct,
            looks: Cell::new(MOST_LOOKS),
            computed: RefCell::default(),
        };
        outline.add(ROOT, Step::Root, root, NO_ROW);
        outline.value(ROOT, root, NO_ROW);
        outline
    }

    /// The same of a document that is the text in a string of another one, at this path.
    pub fn inside(mut self, path: &str) -> Outline<'d> {
        path.clone_into(&mut self.root);
        self
    }

    /// The path of the document: `$`, or that of the string which holds it.
    pub fn root(&self) -> &str {
        &self.root
    }

    /// Whether the search for positions may examine this many members more. It takes a bounded time.
    pub fn may_look_at(&self, members: usize) -> bool {
        let left = self.looks.get().checked_sub(members);
        self.looks.set(left.unwrap_or(0));
        left.is_some()
    }

    /// Permits as many looks as at first.
    pub fn look_again(&self) {
        self.looks.set(MOST_LOOKS);
    }

    /// Whether few members stand beside a place: each can be looked for beside each other.
    pub fn is_narrow(&self, at: usize) -> bool {
        const MOST: usize = 8;
        self.fields[self.fields[at].parent].children.len() <= MOST
    }

    /// Rows of a place, which are computed at the first call.
    pub fn once(&self, at: usize, rows: impl FnOnce() -> Vec<u32>) -> Vec<u32> {
        let known = |(place, _): &&(usize, Vec<u32>)| *place == at;
        if let Some((_, rows)) = self.computed.borrow().iter().find(known) {
            return rows.clone();
        }
        let rows = rows();
        self.computed.borrow_mut().push((at, rows.clone()));
        rows
    }

    pub fn raw(&self, node: Node<'_>) -> &'d str {
        self.text
            .get(node.start() as usize..node.end() as usize)
            .unwrap_or_default()
    }

    /// The bytes of the document, which suffice to compare.
    pub fn bytes(&self) -> &'d [u8] {
        self.text.as_bytes()
    }

    fn add(&mut self, parent: usize, step: Step<'d>, first: Node<'d>, row: u32) -> usize {
        self.fields.push(Field {
            step,
            parent,
            children: Vec::new(),
            marks: Vec::new(),
            holders: 0,
            last_holder: None,
            tally: Box::default(),
            first,
            bytes: 0,
            is_incomplete: false,
            is_map: None,
            has_rows: None,
            is_apart: None,
            header_rows: 0,
            first_row: row,
        });
        self.fields.len() - 1
    }

    /// Notes a value and everything inside. `row`: the row of its table.
    fn value(&mut self, at: usize, node: Node<'d>, row: u32) {
        let raw = self.raw(node);
        let field = &mut self.fields[at];
        field.bytes += u64::from(node.len_bytes());
        field.tally.note(node, raw, row);
        match node.kind() {
            NodeKind::Array => self.elements(at, node, row),
            NodeKind::Object => self.members(at, node, row),
            _ => {}
        }
    }

    fn elements(&mut self, at: usize, array: Node<'d>, row: u32) {
        let parent = self.fields[at].parent;
        let is_row =
            self.fields[at].step == Step::Each && self.fields[parent].has_rows == Some(true);
        let mut guess = 0;
        if is_row {
            // Names of columns are not values.
            if row < self.fields[parent].header_rows {
                return;
            }
            self.places(at, array, row);
            return;
        }
        if self.fields[at].has_rows.is_none() && array.children() > 0 {
            let has_rows = holds_rows(array);
            let are_columns = (row != NO_ROW || !has_rows) && holds_columns(array);
            let has_rows = has_rows && !are_columns;
            self.fields[at].has_rows = Some(has_rows);
            if has_rows && row == NO_ROW {
                self.fields[at].header_rows = self.header_rows(at, array);
            }
            let is_apart = !has_rows && row == NO_ROW && self.is_apart(array);
            self.fields[at].is_apart = Some(is_apart || are_columns || self.is_of_cells(at, array));
        }
        if self.fields[at].is_apart == Some(true) {
            self.places(at, array, row);
            return;
        }
        let mut elements = (0..).zip(array.elements());
        let mut only = None;
        while only.is_none()
            && let Some((index, element)) = elements.next()
        {
            let row = if row == NO_ROW { index } else { row };
            self.child_value(at, Step::Each, element, element.index(), row, &mut guess);
            let first = self.fields[at].children.first().copied();
            only = first.filter(|child| self.fields[*child].step == Step::Each);
        }
        // The place of all elements is known.
        let Some(child) = only else { return };
        for (index, element) in elements {
            let field = &mut self.fields[child];
            field.holders += 1;
            field.last_holder = Some(element.index());
            self.value(child, element, if row == NO_ROW { index } else { row });
        }
    }

    /// Notes the elements of an array, each at its own place.
    fn places(&mut self, at: usize, array: Node<'d>, row: u32) {
        let mut guess = 0;
        for (place, element) in (0..MOST_PLACES).zip(array.elements()) {
            let step = Step::Place(place);
            self.child_value(at, step, element, array.index(), row, &mut guess);
        }
        self.fields[at].is_incomplete |= array.children() > MOST_PLACES;
    }

    fn members(&mut self, at: usize, object: Node<'d>, row: u32) {
        let is_map = match self.fields[at].is_map {
            Some(is_map) => is_map,
            None if object.children() == 0 => return,
            None => {
                let is_row = self.fields[at].step == Step::Each;
                let is_map =
                    !(is_row && self.is_like_next(object)) && self.is_map(object, row == NO_ROW);
                self.fields[at].is_map = Some(is_map);
                is_map
            }
        };
        // Most rows have the same members in the same order.
        let known = match is_map {
            true => 0,
            false => self.note_known(at, object, row),
        };
        if known == object.children() as usize {
            return;
        }
        let mut guess = known;
        for (index, (key, value)) in (0..).zip(object.members()).skip(known) {
            if is_map {
                let row = if row == NO_ROW { index } else { row };
                self.child_value(at, Step::Entry, value, value.index(), row, &mut guess);
                continue;
            }
            let step = Step::Member(self.raw(key));
            self.child_value(at, step, value, object.index(), row, &mut guess);
        }
    }

    /// Notes the first members of an object, as long as they are those that the place has, in their order. Returns their
    /// number.
    fn note_known(&mut self, at: usize, object: Node<'d>, row: u32) -> usize {
        let mut children = std::mem::take(&mut self.fields[at].children);
        let mut known = 0;
        let holder = Some(object.index());
        let are_all = self.source == Source::Table && children.len() == object.children() as usize;
        for (key, value) in object.members() {
            let Some(child) = children.get(known) else {
                break;
            };
            let raw = self.raw(value);
            let text = self.text.as_bytes();
            let field = &mut self.fields[*child];
            // Bytes suffice to compare.
            let is_key = |name: &str| {
                let key = text.get(key.start() as usize..key.end() as usize);
                key.is_some_and(|key| same(name, key))
            };
            let is_same = |name: &&str| are_all || is_key(name);
            let Some(name) = field.step.key().filter(is_same) else {
                break;
            };
            field.holders += 1;
            field.last_holder = holder;
            known += 1;
            if matches!(value.kind(), NodeKind::Array | NodeKind::Object) {
                let child = *child;
                self.fields[at].children = children;
                self.member(at, child, name, value, row);
                children = std::mem::take(&mut self.fields[at].children);
                continue;
            }
            field.bytes += u64::from(value.len_bytes());
            field.tally.scalar(value.kind(), raw, row);
        }
        self.fields[at].children = children;
        known
    }

    /// Notes a value inside the place `at`. `holder`: the container, which counts once. `guess`: the likely index among
    /// the children.
    fn child_value(
        &mut self,
        at: usize,
        step: Step<'d>,
        value: Node<'d>,
        holder: u32,
        row: u32,
        guess: &mut usize,
    ) {
        let child = match self.child(at, step, guess) {
            Some(child) => child,
            None if self.has_room(at, step) => {
                let child = self.add(at, step, value, row);
                let holder = &mut self.fields[at];
                holder.children.push(child);
                holder.marks.push(step.mark());
                *guess = holder.children.len();
                child
            }
            None => {
                self.fields[at].is_incomplete = true;
                return;
            }
        };
        let field = &mut self.fields[child];
        field.holders += u32::from(field.last_holder != Some(holder));
        field.last_holder = Some(holder);
        match step {
            Step::Member(key) => self.member(at, child, key, value, row),
            _ => self.value(child, value, row),
        }
    }

    /// Notes the value of a member of the place `at`, whose own place is `child`.
    fn member(&mut self, at: usize, child: usize, key: &str, value: Node<'d>, row: u32) {
        if self.levels_above(at, key) < LEVELS {
            return self.value(child, value, row);
        }
        let raw = self.raw(value);
        let field = &mut self.fields[child];
        field.bytes += u64::from(value.len_bytes());
        field.tally.note(value, raw, row);
    }

    /// Whether one more place may exist. A member that tells an outcome has one, and so has a member at the top, or of such
    /// a member, however many places the rows before it took.
    fn has_room(&self, at: usize, step: Step<'_>) -> bool {
        let holder = &self.fields[at];
        let is_outer =
            at == ROOT || holder.parent == ROOT && matches!(holder.step, Step::Member(_));
        let most = match step {
            Step::Member(_) if is_outer => MOST_FIELDS + OUTER_FIELDS,
            _ => MOST_FIELDS,
        };
        let is_outcome = |key| telling::is_outcome(key) || telling::may_say_wrong(key);
        let (fields, children) = (self.fields.len(), holder.children.len());
        fields < most && children < MOST_CHILDREN
            || fields < 2 * MOST_FIELDS
                && children < 2 * MOST_CHILDREN
                && step.key().is_some_and(is_outcome)
    }

    fn child(&self, at: usize, step: Step<'d>, guess: &mut usize) -> Option<usize> {
        let children = &self.fields[at].children;
        let is_it = |place: usize| self.fields[children[place]].step == step;
        let place = if *guess < children.len() && is_it(*guess) {
            *guess
        } else {
            // Of few, a look at each is quicker.
            let few = match children.len() {
                count @ ..=FEW_CHILDREN => 0..count,
                _ => 0..0,
            };
            let alike = || memchr::memchr_iter(step.mark(), &self.fields[at].marks);
            let is_respelled =
                |place: &usize| step.is_respelled(self.fields[children[*place]].step);
            { few }
                .find(|place| is_it(*place))
                .or_else(|| alike().find(is_respelled))?
        };
        if step != Step::Each && step != Step::Entry {
            *guess = place + 1;
        }
        Some(children[place])
    }

    /// The number of arrays under `key` around the place `at`, each in a row of the next.
    pub fn levels_above(&self, at: usize, key: &str) -> u32 {
        let (mut at, mut levels) = (at, 0);
        while self.fields[at].step == Step::Each {
            let array = self.fields[at].parent;
            if self.fields[array].step != Step::Member(key) {
                break;
            }
            levels += 1;
            at = self.fields[array].parent;
        }
        levels
    }

    /// Whether the elements of an array outside of tables are described one by one: a single element, or few texts.
    fn is_apart(&self, array: Node<'_>) -> bool {
        let is_text =
            |node: Node<'_>| node.kind() == NodeKind::String && node.len_bytes() >= TEXT_BYTES;
        let texts_bytes = |node: Node<'_>| -> u32 {
            let strings = node.elements().filter(|it| it.kind() == NodeKind::String);
            strings.map(Node::len_bytes).sum()
        };
        let is_long = |node: Node<'_>| {
            is_text(node) || (node.kind() == NodeKind::Array && texts_bytes(node) >= TEXT_BYTES)
        };
        let is_about_text = |node: Node<'_>| {
            node.kind() == NodeKind::Object
                && node.children() <= FEW_MEMBERS
                && node.members().any(|(_, value)| is_long(value))
        };
        match array.children() {
            1 => {
                let is_container =
                    |it: Node<'_>| matches!(it.kind(), NodeKind::Array | NodeKind::Object);
                array.elements().any(|it| is_container(it) || is_long(it))
            }
            2..=FEW_TEXTS => {
                let is_alike =
                    |it: Node<'_>| it.kind() == NodeKind::Object && it.children() <= FEW_MEMBERS;
                array.elements().all(is_alike)
                    && (array.elements().any(is_about_text)
                        || array.elements().all(|it| self.has_sheet(it)))
            }
            _ => false,
        }
    }

    /// Whether the next object has the same keys, most of them at the same position, so that both are rows.
    fn is_like_next(&self, object: Node<'_>) -> bool {
        let Some(next) = object.next().filter(|next| next.kind() == NodeKind::Object) else {
            return false;
        };
        let pairs = object.members().zip(next.members());
        let same = pairs.filter(|((one, _), (other, _))| self.raw(*one) == self.raw(*other));
        4 * same.count() >= 3 * object.children().max(next.children()) as usize
    }

    /// Whether an object is a map from keys to similar values. `may_be_odd`: a few of many entries may be of another
    /// kind.
    fn is_map(&self, object: Node<'_>, may_be_odd: bool) -> bool {
        let count = object.children();
        if count < LEAST_ENTRIES {
            return false;
        }
        let others = |class| {
            let values = object.members().map(|(_, value)| self::class(value));
            values.filter(|other| *other != class).count()
        };
        if may_be_odd && count > FEW_LISTS && self.are_like_lists(object) {
            return true;
        }
        let mut members = object.members().map(|(_, value)| value);
        let (Some(first), Some(second)) = (members.next(), members.next()) else {
            return false;
        };
        // The first entry may be the odd one.
        let class = match (class(first), class(second)) {
            (one, other) if one == other => one,
            (_, _) if !may_be_odd => return false,
            (one, other) if others(one) < others(other) => one,
            (_, other) => other,
        };
        let most = if may_be_odd {
            count / ENTRIES_OF_ONE_KIND
        } else {
            0
        };
        if others(class) > most as usize {
            return false;
        }
        let has_outcome = |(key, _): (Node<'_>, Node<'_>)| telling::is_outcome(self.raw(key));
        if count as usize <= MOST_CHILDREN && object.members().any(has_outcome) {
            return false;
        }
        let is_of_lists = self.source == Source::Parts && class == NodeKind::Array;
        if count >= MANY_ENTRIES || is_of_lists && self.are_like_lists(object) {
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

    /// Whether a place is a table of some rows that is one of the few pieces of a text.
    pub fn is_table_of_text(&self, at: usize) -> bool {
        const FEWEST: u32 = 2;
        const FEW_PIECES: usize = 6;
        let is_table = |row: usize| self.fields[row].tally.objects >= FEWEST;
        self.source == Source::Parts
            && self.fields[ROOT].children.len() <= FEW_PIECES
            && self.rows(at).is_some_and(is_table)
    }

    /// Whether the members of an object are lists of the same records, which a query reads as one table: their first
    /// records share most keys with the first of all. A few of many may be something else.
    pub fn are_like_lists(&self, object: Node<'_>) -> bool {
        let is_list = |value: &Node<'_>| value.kind() == NodeKind::Array;
        let lists = || object.members().map(|(_, value)| value).filter(is_list);
        let count = lists().count() as u32;
        let others = object.children() - count;
        if others > object.children() / LISTS_OF_ONE_KIND {
            return false;
        }
        let mut firsts = lists().filter_map(|list| list.elements().next());
        let keys = |record: Node<'_>| -> Vec<&str> {
            record.members().map(|(key, _)| self.raw(key)).collect()
        };
        // Each key is compared with all of the first.
        let is_fit = |keys: &Vec<&str>| (1..=MOST_CHILDREN).contains(&keys.len());
        let Some(first) = firsts.next().map(keys).filter(is_fit) else {
            return false;
        };
        let mut others = 0;
        let is_alike = |record: Node<'_>| {
            others += 1;
            if record.kind() != NodeKind::Object || record.children() as usize >= 2 * first.len() {
                return false;
            }
            let own = keys(record);
            let shared = own.iter().filter(|key| first.contains(key)).count();
            2 * shared > own.len().max(first.len())
        };
        firsts.all(is_alike) && others > 0
    }

    /// The place of the elements or entries, if this place is an array or a map.
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

    /// The path of a place, in the syntax of the read tool. From a row, it begins without a dot: `customer.id`,
    /// `items[*].sku`.
    pub fn path(&self, from: usize, to: usize) -> String {
        let mut path = String::new();
        for step in self.steps(from, to) {
            push_step(&mut path, step);
        }
        path.strip_prefix('.').map(str::to_owned).unwrap_or(path)
    }

    /// The name of a member: its path without `$`, but for that of a document inside another one.
    pub fn name(&self, at: usize) -> String {
        match self.root() {
            "$" => self.path(ROOT, at),
            _ => self.full_path(at),
        }
    }

    /// The path of a place from the root: `$.orders[*].id`.
    pub fn full_path(&self, to: usize) -> String {
        let mut path = self.root.clone();
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

/// The kind of a node. All scalars that may replace each other have one kind.
fn class(node: Node<'_>) -> NodeKind {
    match node.kind() {
        NodeKind::True => NodeKind::False,
        kind => kind,
    }
}

#[cfg(test)]
#[path = "tests/outline.rs"]
mod tests;
