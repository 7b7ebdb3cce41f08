//! The two texts that a YAML text is written as while it is read: JSON, and YAML to compare with the source.

use crate::json::first_to_escape;
use crate::json_cells::{push_short_text, push_string};
use crate::table::{ARRAY, ESCAPED, KEY, NUMBER, OBJECT, children, node};
use crate::words;
use crate::{Format, Found};
use std::borrow::Cow;
use std::ops::Range;

/// Kinds of nodes, besides those of tables.
const NULL: u32 = 0;
const FALSE: u32 = 1;
const TRUE: u32 = 2;
/// The bits of the kind in the first word of a node, and those before the number of elements or members.
const KINDS: u32 = 0xf;
const BITS_BEFORE_CHILDREN: u32 = 8;
/// About how many bytes of JSON have a node.
const BYTES_OF_A_NODE: usize = 10;

/// A string in quotes or in a block.
pub struct Scalar<'a> {
    /// Its decoded text.
    pub says: Cow<'a, str>,
    pub style: Style<'a>,
}

/// The type of a scalar by the core schema of YAML 1.2.
#[derive(Clone, Copy, PartialEq)]
pub enum ScalarType {
    Null,
    True,
    False,
    Number,
    /// A number that versions of YAML read differently, or not as one (`012`, `1e5`): a text as spelled, but no key.
    Spelling,
    String,
}

/// The notation of a scalar that is not plain.
#[derive(Clone, Copy)]
pub enum Style<'a> {
    Single,
    /// Double quotes, with the source between them if that has a backslash.
    Double(Option<&'a str>),
    /// A block, with its header: `|`, `>-`, ….
    Block(&'a str),
}

/// JSON, and its tape: see `wit/filter.wit`.
pub struct Json {
    // The newest allocation, so that it is freed first.
    tape: Vec<[u32; 4]>,
    /// UTF-8.
    text: Vec<u8>,
}

impl Json {
    /// With room for the JSON of a text of so many bytes.
    pub fn with_room_for(text: &str) -> Json {
        let bytes = text.len() + text.len() / 4;
        let json = Vec::with_capacity(bytes);
        Json {
            tape: Vec::with_capacity(bytes / BYTES_OF_A_NODE),
            text: json,
        }
    }

    /// Begins a list or a map, and returns its place and its first byte.
    pub fn begin(&mut self, sign: u8) -> (usize, usize) {
        let begun = (self.tape.len(), self.text.len());
        self.tape.push([0; 4]);
        self.text.push(sign);
        begun
    }

    /// Ends it, and everything inside it. A list ends with `]`, a map with `}`.
    pub fn end(&mut self, (place, start): (usize, usize), count: usize) {
        let is_list = self.text[start] == b'[';
        let (sign, head) = if is_list {
            (b']', ARRAY)
        } else {
            (b'}', OBJECT)
        };
        self.text.push(sign);
        let head = head | children(count);
        self.tape[place] = node(head, start, self.text.len(), self.tape.len());
    }

    /// Separates an element or a member from those before.
    pub fn separate(&mut self, before: usize) {
        if before > 0 {
            self.text.push(b',');
        }
    }

    /// Writes a string. Returns the kind of its node, and its mark of escapes.
    fn string(&mut self, text: &str) -> u32 {
        let text = text.as_bytes();
        match words::short(text) {
            Some(word) => push_short_text(&mut self.text, text, word),
            None => push_string(&mut self.text, text, first_to_escape(text).is_some()),
        }
    }

    /// Writes a scalar with this text, which is the spelling of a number.
    fn scalar(&mut self, text: &str, is: ScalarType) {
        let start = self.text.len();
        let mut spelled = |text: &str, head| {
            words::append(&mut self.text, text.as_bytes());
            head
        };
        let head = match is {
            ScalarType::Null => spelled("null", NULL),
            ScalarType::True => spelled("true", TRUE),
            ScalarType::False => spelled("false", FALSE),
            ScalarType::Number => spelled(text, NUMBER),
            ScalarType::Spelling | ScalarType::String => self.string(text),
        };
        let next = self.tape.len() + 1;
        self.tape.push(node(head, start, self.text.len(), next));
    }

    /// Writes a key, and returns its place. Its node is whole once the value is written: the next member is behind that.
    fn key(&mut self, key: &str, is_plain: bool) -> usize {
        let (place, start) = (self.tape.len(), self.text.len());
        // Plain ones have no sign that JSON escapes.
        let head = match is_plain {
            true => push_string(&mut self.text, key.as_bytes(), false),
            false => self.string(key),
        };
        let head = KEY | head & ESCAPED;
        self.tape.push(node(head, start, self.text.len(), 0));
        self.text.push(b':');
        place
    }

    /// What is at a place of the tape: its kind, its number of elements or members, and the place after it.
    fn at(&self, place: usize) -> (u32, usize, usize) {
        let [head, _, _, next] = self.tape[place];
        let count = (head >> BITS_BEFORE_CHILDREN) as usize;
        (head & KINDS, count, next as usize)
    }

    /// The places of the elements of a list, or of the keys of a map.
    fn inside(&self, place: usize) -> impl Iterator<Item = usize> {
        let (_, _, end) = self.at(place);
        let within = move |place: usize| (place < end).then_some(place);
        std::iter::successors(within(place + 1), move |place| within(self.at(*place).2))
    }

    /// The spellings of the keys of a map.
    fn keys(&self, map: usize) -> impl Iterator<Item = &[u8]> {
        self.inside(map).map(|key| {
            let [_, start, end, _] = self.tape[key];
            &self.text[start as usize..end as usize]
        })
    }

    /// Whether a map has no key twice.
    fn has_distinct_keys(&self, map: usize) -> bool {
        let keys = self.keys(map).map(str::from_utf8);
        words::are_distinct(keys.map(Result::unwrap_or_default).collect())
    }

    /// Whether so many maps, or more, have at least two members.
    pub fn has_records(&self, fewest: usize) -> bool {
        let is_record = |place: &usize| matches!(self.at(*place), (OBJECT, 2.., _));
        (0..self.tape.len())
            .filter(is_record)
            .nth(fewest - 1)
            .is_some()
    }

    /// Whether some list or map has at least `rows` maps and nothing else, whose keys occur twice on average: the
    /// condition for a table.
    pub fn has_table(&self, rows: usize) -> bool {
        let mut keys = Vec::new();
        (0..self.tape.len()).any(|place| match self.at(place).0 {
            ARRAY => self.is_table(place, 0, rows, &mut keys),
            // The values of a map must be more similar than the elements of a list, which are usually of one kind.
            OBJECT => self.is_table(place, 1, rows.max(4), &mut keys),
            _ => false,
        })
    }

    /// The same for the list or map at a place. A value is `after` the place that [`Json::inside`] has for it.
    fn is_table<'j>(
        &'j self,
        place: usize,
        after: usize,
        rows: usize,
        keys: &mut Vec<&'j [u8]>,
    ) -> bool {
        if self.at(place).1 < rows {
            return false;
        }
        keys.clear();
        // Keys in the places where the map before has them: each of them occurs before.
        let (mut before, mut same) = (0..0, 0);
        for value in self.inside(place).map(|inside| inside + after) {
            if self.at(value).0 != OBJECT {
                return false;
            }
            let start = keys.len();
            keys.extend(self.keys(value));
            let pairs = keys[before].iter().zip(&keys[start..]);
            same += pairs.filter(|(one, other)| words::same(one, other)).count();
            before = start..keys.len();
        }
        let all = keys.len();
        // Most maps of a table have the same keys in the same order.
        if (all - same) * 2 > all {
            words::sort(keys);
            keys.dedup();
        } else {
            keys.truncate(all - same);
        }
        !keys.is_empty() && keys.len() * 2 <= all
    }

    /// The text alone.
    pub fn into_text(self) -> Option<String> {
        String::from_utf8(self.text).ok()
    }

    /// The data in a range of the source.
    pub fn into_found(mut self, range: Range<usize>) -> Option<Found> {
        self.tape.shrink_to_fit();
        Some(Found {
            format: Format::Yaml,
            json: String::from_utf8(self.text).ok()?,
            tape: self.tape.into_flattened(),
            renamed: Vec::new(),
            range,
            rows: Vec::new(),
        })
    }
}

/// Writes JSON, and compares YAML with the source.
pub struct Writer<'w> {
    json: &'w mut Json,
    comparison: Comparison<'w>,
}

/// A list or a map that is written.
pub struct Open {
    begun: (usize, usize),
    is_flow: bool,
    /// Elements or members until now.
    count: usize,
    /// The place of the last key.
    key: usize,
    /// Bits for the keys, and whether two keys have the same.
    known: u64,
    may_repeat: bool,
}

impl<'w> Writer<'w> {
    pub fn new(json: &'w mut Json, source: &'w str) -> Writer<'w> {
        let comparison = Comparison::with(source);
        Writer { json, comparison }
    }

    /// Whether everything that was written is the whole source.
    pub fn is_proved(&self) -> bool {
        self.comparison.is_whole()
    }

    pub fn scalar(&mut self, scalar: &Scalar<'_>) {
        self.json.scalar(&scalar.says, ScalarType::String);
        self.comparison.scalar(scalar);
    }

    /// Writes a scalar without quotes.
    pub fn plain(&mut self, text: &str, is: ScalarType) {
        self.json.scalar(text, is);
        self.comparison.text(text);
    }

    /// Writes the value of `key:` alone.
    pub fn absent(&mut self) {
        self.json.scalar("", ScalarType::Null);
    }

    /// Begins a list with `[`, or a map with `{`.
    pub fn begin(&mut self, sign: u8, is_flow: bool) -> Open {
        if is_flow {
            self.comparison.sign(sign);
        }
        Open {
            begun: self.json.begin(sign),
            is_flow,
            count: 0,
            key: 0,
            known: 0,
            may_repeat: false,
        }
    }

    fn separate(&mut self, open: &mut Open) {
        self.json.separate(open.count);
        if open.is_flow && open.count > 0 {
            self.comparison.sign(b',');
        }
        open.count += 1;
    }

    /// Begins an element of a list.
    pub fn element(&mut self, open: &mut Open) {
        self.separate(open);
        if !open.is_flow {
            self.comparison.sign(b'-');
        }
    }

    /// Writes the key of a member, in quotes.
    pub fn key(&mut self, open: &mut Open, key: &Scalar<'_>) {
        self.begin_member(open, &key.says, false);
        self.comparison.scalar(key);
        self.comparison.sign(b':');
    }

    /// The same of a key without quotes.
    pub fn plain_key(&mut self, open: &mut Open, key: &str) {
        self.begin_member(open, key, true);
        self.comparison.text(key);
        self.comparison.sign(b':');
    }

    fn begin_member(&mut self, open: &mut Open, key: &str, is_plain: bool) {
        self.end_member(open);
        self.separate(open);
        open.key = self.json.key(key, is_plain);
        // Most keys of a small map differ in their lengths, their first or their last bytes.
        let text = key.as_bytes();
        let [first, last] = [text.first(), text.last()].map(|it| it.copied().unwrap_or_default());
        let bit = usize::from(first) * 7 + usize::from(last) + text.len() * 23;
        let bit = 1 << (bit % 64);
        open.may_repeat |= open.known & bit != 0;
        open.known |= bit;
    }

    fn end_member(&mut self, open: &Open) {
        if open.count > 0 {
            self.json.tape[open.key][3] = self.json.tape.len() as u32;
        }
    }

    pub fn end_list(&mut self, open: Open) {
        if open.is_flow {
            self.comparison.sign(b']');
        }
        self.json.end(open.begun, open.count);
    }

    /// Ends a map. None if it has a key twice.
    pub fn end_map(&mut self, open: Open) -> Option<()> {
        self.end_member(&open);
        if open.is_flow {
            self.comparison.sign(b'}');
        }
        self.json.end(open.begun, open.count);
        (!open.may_repeat || self.json.has_distinct_keys(open.begun.0)).then_some(())
    }
}

/// Compares what is read, written as YAML again, with its source: character by character, ignoring white space.
struct Comparison<'s> {
    source: &'s [u8],
    equal: bool,
}

impl<'s> Comparison<'s> {
    fn with(source: &'s str) -> Comparison<'s> {
        Comparison {
            source: source.as_bytes(),
            equal: true,
        }
    }

    /// Whether all of the source was equal.
    fn is_whole(&self) -> bool {
        self.equal && without_space(self.source).is_empty()
    }

    fn text(&mut self, text: &str) {
        let text = text.as_bytes();
        // Most texts are a part of the source, behind a little white space.
        let gap = text
            .as_ptr()
            .addr()
            .wrapping_sub(self.source.as_ptr().addr());
        if gap < self.source.len().min(16) {
            let (bytes, before) = words::sixteen(self.source, 0);
            let blanks = (bytes.between(0, b' ') >> before).trailing_ones() as usize;
            if gap <= blanks
                && let Some(after) = self.source.get(gap + text.len()..)
            {
                self.source = after;
                return;
            }
        }
        // Others have the white space of the source.
        let source = without_space(self.source);
        if let Some((first, after)) = source.split_at_checked(text.len())
            && words::same(first, text)
        {
            self.source = after;
            return;
        }
        let mut source = self.source.iter();
        for byte in text.iter().filter(|byte| !is_space(**byte)) {
            self.equal &= source.find(|byte| !is_space(**byte)) == Some(byte);
        }
        self.source = source.as_slice();
    }

    /// The same for one sign of ASCII.
    fn sign(&mut self, sign: u8) {
        let source = match self.source {
            // Most directly follow a key.
            [first, ..] if *first == sign => self.source,
            source => without_space(source),
        };
        let after = source.strip_prefix(&[sign]);
        self.equal &= after.is_some();
        self.source = after.unwrap_or_default();
    }

    fn scalar(&mut self, scalar: &Scalar<'_>) {
        match scalar.style {
            Style::Single => {
                self.sign(b'\'');
                for (place, part) in scalar.says.split('\'').enumerate() {
                    if place > 0 {
                        self.text("''");
                    }
                    self.text(part);
                }
                self.sign(b'\'');
            }
            Style::Double(source) => {
                self.sign(b'"');
                self.text(source.unwrap_or(&scalar.says));
                self.sign(b'"');
            }
            Style::Block(header) => {
                self.text(header);
                self.text(&scalar.says);
            }
        }
    }
}

/// A text without white space before it.
fn without_space(text: &[u8]) -> &[u8] {
    match text {
        [b' ', rest @ ..] if !rest.first().is_some_and(|byte| is_space(*byte)) => rest,
        // Most others are before a line.
        [byte, ..] if is_space(*byte) => {
            let ink = words::place_from(text, 1, |it| !it.between(0, b' ') & 0xffff);
            &text[ink..]
        }
        _ => text,
    }
}

/// Whether a byte is white space: the parser refuses other control characters.
fn is_space(byte: u8) -> bool {
    byte <= b' '
}
