//! The value of a YAML text, and the two texts written from it: JSON, and YAML to compare with the source.

use std::borrow::Cow;

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

impl Value<'_> {
    /// Writes the value as JSON.
    pub fn write_json(&self, out: &mut String) {
        match self {
            Value::Scalar(scalar) => match scalar.is {
                ScalarType::Null => out.push_str("null"),
                ScalarType::True => out.push_str("true"),
                ScalarType::False => out.push_str("false"),
                ScalarType::Number => out.push_str(&scalar.says),
                ScalarType::Spelling | ScalarType::String => {
                    crate::json::push_quoted(out, &scalar.says);
                }
            },
            Value::List { elements, .. } => {
                out.push('[');
                for (place, element) in elements.iter().enumerate() {
                    if place > 0 {
                        out.push(',');
                    }
                    element.write_json(out);
                }
                out.push(']');
            }
            Value::Map { members, .. } => {
                out.push('{');
                for (place, (key, value)) in members.iter().enumerate() {
                    if place > 0 {
                        out.push(',');
                    }
                    crate::json::push_quoted(out, &key.says);
                    out.push(':');
                    value.write_json(out);
                }
                out.push('}');
            }
        }
    }

    /// The number of maps with at least two members, including this one.
    pub fn records(&self) -> usize {
        match self {
            Value::Scalar(_) => 0,
            Value::List { elements, .. } => elements.iter().map(Value::records).sum(),
            Value::Map { members, .. } => {
                let inside: usize = members.iter().map(|(_, value)| value.records()).sum();
                inside + usize::from(members.len() > 1)
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
    let mut keys = Vec::new();
    for value in values {
        let Value::Map { members, .. } = value else {
            return false;
        };
        count += 1;
        keys.extend(members.iter().map(|(key, _)| key.says.as_bytes()));
    }
    let all = keys.len();
    crate::words::sort(&mut keys);
    keys.dedup();
    count >= rows && !keys.is_empty() && keys.len() * 2 <= all
}

/// Compares a tree, written as YAML again, with its source: character by character, ignoring white space.
pub struct Comparison<'s> {
    source: &'s str,
    equal: bool,
}

impl<'s> Comparison<'s> {
    /// Whether `value` equals the whole `source`.
    pub fn is_equal(source: &'s str, value: &Value<'_>) -> bool {
        let mut comparison = Comparison {
            source,
            equal: true,
        };
        comparison.value(value);
        comparison.equal && without_space(comparison.source).is_empty()
    }

    fn text(&mut self, text: &str) {
        // Most texts have the white space of the source.
        if let Some(rest) = without_space(self.source).strip_prefix(text) {
            self.source = rest;
            return;
        }
        let mut source = self.source.chars();
        for c in text.chars().filter(|c| !is_space(*c)) {
            self.equal &= source.find(|c| !is_space(*c)) == Some(c);
        }
        self.source = source.as_str();
    }

    /// The same for one sign of ASCII.
    fn sign(&mut self, sign: char) {
        let rest = without_space(self.source).strip_prefix(sign);
        self.equal &= rest.is_some();
        self.source = rest.unwrap_or_default();
    }

    fn value(&mut self, value: &Value<'_>) {
        match value {
            Value::Scalar(scalar) => self.scalar(scalar),
            Value::List { elements, flow } => {
                if *flow {
                    self.sign('[');
                }
                for (place, element) in elements.iter().enumerate() {
                    match flow {
                        true if place == 0 => {}
                        true => self.sign(','),
                        false => self.sign('-'),
                    }
                    self.value(element);
                }
                if *flow {
                    self.sign(']');
                }
            }
            Value::Map { members, flow } => {
                if *flow {
                    self.sign('{');
                }
                for (place, (key, value)) in members.iter().enumerate() {
                    if *flow && place > 0 {
                        self.sign(',');
                    }
                    self.scalar(key);
                    self.sign(':');
                    self.value(value);
                }
                if *flow {
                    self.sign('}');
                }
            }
        }
    }

    fn scalar(&mut self, scalar: &Scalar<'_>) {
        match scalar.style {
            Style::Absent => {}
            Style::Plain => self.text(&scalar.says),
            Style::Single => {
                self.sign('\'');
                for (place, part) in scalar.says.split('\'').enumerate() {
                    if place > 0 {
                        self.text("''");
                    }
                    self.text(part);
                }
                self.sign('\'');
            }
            Style::Double(source) => {
                self.sign('"');
                self.text(source.unwrap_or(&scalar.says));
                self.sign('"');
            }
            Style::Block(header) => {
                self.text(header);
                self.text(&scalar.says);
            }
        }
    }
}

/// A text without white space before it.
fn without_space(text: &str) -> &str {
    let blanks = text.bytes().take_while(|byte| is_space(char::from(*byte)));
    &text[blanks.count()..]
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r')
}
