//! The value of a YAML text, and the two texts written from it: JSON, and YAML to compare with the source.

use crate::json::push_quoted;
use crate::table::{ARRAY, ESCAPED, KEY, NUMBER, OBJECT, STRING, children, node};
use crate::words;
use std::borrow::Cow;

/// Kinds of nodes, besides those of tables.
const NULL: u32 = 0;
const FALSE: u32 = 1;
const TRUE: u32 = 2;
/// About how many bytes of JSON have a node.
const BYTES_OF_A_NODE: usize = 10;

/// One value.
pub enum Value<'a> {
    Scalar(Scalar<'a>),
    List {
        elements: Vec<Value<'a>>,
        flow: bool,
    },
    Map {
        members: Vec<(Scalar<'a>, Value<'a>)>,
        flow: bool,
    },
}

/// A scalar, or a key.
pub struct Scalar<'a> {
    /// Its decoded text, or the spelling of a number.
    pub says: Cow<'a, str>,
    pub is: ScalarType,
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

/// The notation of a scalar.
#[derive(Clone, Copy)]
pub enum Style<'a> {
    /// No text: the value of `key:` alone.
    Absent,
    Plain,
    Single,
    /// Double quotes, with the source between them if that has a backslash.
    Double(Option<&'a str>),
    /// A block, with its header: `|`, `>-`, ….
    Block(&'a str),
}

impl Scalar<'_> {
    /// The value of `key:` alone.
    pub fn absent() -> Self {
        Scalar {
            says: Cow::Borrowed(""),
            is: ScalarType::Null,
            style: Style::Absent,
        }
    }
}

/// JSON, and its tape: see `wit/filter.wit`.
#[derive(Default)]
pub struct Json {
    pub text: String,
    pub tape: Vec<[u32; 4]>,
}

impl Json {
    pub fn with_capacity(bytes: usize) -> Json {
        Json {
            text: String::with_capacity(bytes),
            tape: Vec::with_capacity(bytes / BYTES_OF_A_NODE),
        }
    }

    /// Begins a node, and returns its place and its first byte.
    pub fn begin(&mut self) -> (usize, usize) {
        self.tape.push([0; 4]);
        (self.tape.len() - 1, self.text.len())
    }

    /// Ends a node, and everything inside it.
    pub fn end(&mut self, (place, start): (usize, usize), head: u32) {
        self.tape[place] = node(head, start, self.text.len(), self.tape.len());
    }

    /// Writes a string. Returns its node's mark of escapes.
    fn quoted(&mut self, text: &str) -> u32 {
        let end = self.text.len() + text.len() + "\"\"".len();
        push_quoted(&mut self.text, text);
        if self.text.len() > end { ESCAPED } else { 0 }
    }

    /// The same of a key: plain ones have no sign that JSON escapes.
    fn key(&mut self, key: &Scalar<'_>) -> u32 {
        if !matches!(key.style, Style::Plain) {
            return self.quoted(&key.says);
        }
        self.text.push('"');
        self.text.push_str(&key.says);
        self.text.push('"');
        0
    }

    /// Writes a value.
    pub fn push(&mut self, value: &Value<'_>) {
        let of_value = self.begin();
        let head = match value {
            Value::Scalar(scalar) => match scalar.is {
                ScalarType::Null => {
                    self.text.push_str("null");
                    NULL
                }
                ScalarType::True => {
                    self.text.push_str("true");
                    TRUE
                }
                ScalarType::False => {
                    self.text.push_str("false");
                    FALSE
                }
                ScalarType::Number => {
                    self.text.push_str(&scalar.says);
                    NUMBER
                }
                ScalarType::Spelling | ScalarType::String => STRING | self.quoted(&scalar.says),
            },
            Value::List { elements, .. } => {
                self.text.push('[');
                for (place, element) in elements.iter().enumerate() {
                    if place > 0 {
                        self.text.push(',');
                    }
                    self.push(element);
                }
                self.text.push(']');
                ARRAY | children(elements.len())
            }
            Value::Map { members, .. } => {
                self.text.push('{');
                for (place, (key, value)) in members.iter().enumerate() {
                    if place > 0 {
                        self.text.push(',');
                    }
                    let (at, start) = self.begin();
                    let head = KEY | self.key(key);
                    let end = self.text.len();
                    self.text.push(':');
                    self.push(value);
                    // The next member is behind the value.
                    self.tape[at] = node(head, start, end, self.tape.len());
                }
                self.text.push('}');
                OBJECT | children(members.len())
            }
        };
        self.end(of_value, head);
    }
}

impl Value<'_> {
    /// Whether `left` maps, or more, have at least two members. Those are subtracted that have.
    pub fn has_records(&self, left: &mut usize) -> bool {
        match self {
            Value::Scalar(_) => false,
            Value::List { elements, .. } => elements.iter().any(|it| it.has_records(left)),
            Value::Map { members, .. } => {
                *left -= usize::from(members.len() > 1);
                *left == 0 || members.iter().any(|(_, value)| value.has_records(left))
            }
        }
    }

    /// Whether some list or map has at least `rows` maps and nothing else, whose keys occur twice on average: the
    /// condition for a table.
    pub fn has_table(&self, rows: usize) -> bool {
        match self {
            Value::Scalar(_) => false,
            Value::List { elements, .. } => {
                is_table(elements.iter(), rows)
                    || elements.iter().any(|element| element.has_table(rows))
            }
            Value::Map { members, .. } => {
                // The values of a map must be more similar than the elements of a list, which are usually of one kind.
                is_table(members.iter().map(|(_, value)| value), rows.max(4))
                    || members.iter().any(|(_, value)| value.has_table(rows))
            }
        }
    }
}

fn is_table<'v, 'a: 'v>(values: impl Iterator<Item = &'v Value<'a>>, rows: usize) -> bool {
    let mut count = 0;
    let mut keys: Vec<&[u8]> = Vec::new();
    // Keys in the places where the map before has them: each of them occurs before.
    let (mut before, mut same) = (0..0, 0);
    for value in values {
        let Value::Map { members, .. } = value else {
            return false;
        };
        count += 1;
        let start = keys.len();
        keys.extend(members.iter().map(|(key, _)| key.says.as_bytes()));
        let pairs = keys[before].iter().zip(&keys[start..]);
        same += pairs.filter(|(one, other)| words::same(one, other)).count();
        before = start..keys.len();
    }
    let all = keys.len();
    // Most maps of a table have the same keys in the same order.
    if (all - same) * 2 > all {
        words::sort(&mut keys);
        keys.dedup();
    } else {
        keys.truncate(all - same);
    }
    count >= rows && !keys.is_empty() && keys.len() * 2 <= all
}

/// Compares a tree, written as YAML again, with its source: character by character, ignoring white space.
pub struct Comparison<'s> {
    source: &'s [u8],
    equal: bool,
}

impl<'s> Comparison<'s> {
    /// Whether `value` equals the whole `source`.
    pub fn is_equal(source: &'s str, value: &Value<'_>) -> bool {
        let mut comparison = Comparison {
            source: source.as_bytes(),
            equal: true,
        };
        comparison.value(value);
        comparison.equal && without_space(comparison.source).is_empty()
    }

    fn text(&mut self, text: &str) {
        // Most texts have the white space of the source.
        let source = without_space(self.source);
        let text = text.as_bytes();
        if let Some((first, after)) = source.split_at_checked(text.len())
            // It is most often a part of it.
            && (std::ptr::eq(first, text) || words::same(first, text))
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

    fn value(&mut self, value: &Value<'_>) {
        match value {
            Value::Scalar(scalar) => self.scalar(scalar),
            Value::List { elements, flow } => {
                if *flow {
                    self.sign(b'[');
                }
                for (place, element) in elements.iter().enumerate() {
                    match flow {
                        true if place == 0 => {}
                        true => self.sign(b','),
                        false => self.sign(b'-'),
                    }
                    self.value(element);
                }
                if *flow {
                    self.sign(b']');
                }
            }
            Value::Map { members, flow } => {
                if *flow {
                    self.sign(b'{');
                }
                for (place, (key, value)) in members.iter().enumerate() {
                    if *flow && place > 0 {
                        self.sign(b',');
                    }
                    self.scalar(key);
                    self.sign(b':');
                    self.value(value);
                }
                if *flow {
                    self.sign(b'}');
                }
            }
        }
    }

    fn scalar(&mut self, scalar: &Scalar<'_>) {
        match scalar.style {
            Style::Absent => {}
            Style::Plain => self.text(&scalar.says),
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
