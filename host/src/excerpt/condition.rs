//! Conditions in paths: `[?(@.comments >= 3 && @.state == 'open')]` selects the elements for which the condition
//! holds.
//!
//! Owns the grammar of conditions, and whether a condition holds for a value. Refuses to know where the value
//! stands. The grammar is that of RFC 9535 without functions: comparisons, members that exist, `&&`, `||`, `!`
//! and parentheses.

use std::cmp::Ordering;
use std::fmt;

use super::view::{DocumentView, push_name};
use crate::document::{Node, NodeKind, Tape};

/// Deepest nesting of conditions.
const MAX_DEPTH: usize = 16;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Condition {
    Any(Vec<Condition>),
    All(Vec<Condition>),
    Not(Box<Condition>),
    /// The member exists.
    Exists(Vec<Member>),
    Compare(Operand, Operator, Operand),
}

/// A step after `@`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Member {
    Name(String),
    Place(u64),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Operand {
    Member(Vec<Member>),
    Number(Number),
    Text(String),
    Boolean(bool),
    Null,
}

/// A number of a document or a condition. Whole numbers are exact: as floats, long identifiers would be equal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Number {
    Whole(i128),
    Float(f64),
}

impl Number {
    fn parse(text: &str) -> Option<Number> {
        let whole = text.parse().ok().map(Number::Whole);
        whole.or_else(|| text.parse().ok().map(Number::Float))
    }

    fn compare(self, other: Number) -> Option<Ordering> {
        let float = |number| match number {
            Number::Whole(whole) => whole as f64,
            Number::Float(float) => float,
        };
        match (self, other) {
            (Number::Whole(one), Number::Whole(other)) => Some(one.cmp(&other)),
            (one, other) => float(one).partial_cmp(&float(other)),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Equal,
    NotEqual,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

/// Longer ones first: `<` begins `<=`. Some write one `=` for two.
const OPERATORS: [(&str, Operator); 7] = [
    ("==", Operator::Equal),
    ("!=", Operator::NotEqual),
    ("<=", Operator::AtMost),
    (">=", Operator::AtLeast),
    ("<", Operator::Less),
    (">", Operator::Greater),
    ("=", Operator::Equal),
];

impl Condition {
    /// Reads the text after `?`. Returns the condition and its length in bytes; otherwise the position of the
    /// error and the expected text.
    pub(super) fn parse(text: &str) -> Result<(Condition, usize), (usize, &'static str)> {
        let mut parser = Parser { text, at: 0 };
        let condition = parser.any(0).map_err(|expected| (parser.at, expected))?;
        Ok((condition, parser.at))
    }

    pub(super) fn holds(&self, view: &DocumentView<'_>, tape: &Tape, value: Node) -> bool {
        match self {
            Condition::Any(all) => all.iter().any(|one| one.holds(view, tape, value)),
            Condition::All(all) => all.iter().all(|one| one.holds(view, tape, value)),
            Condition::Not(inner) => !inner.holds(view, tape, value),
            Condition::Exists(members) => descend(view, tape, value, members).is_some(),
            Condition::Compare(left, operator, right) => {
                let left = left.value(view, tape, value);
                let right = right.value(view, tape, value);
                operator.holds(left.as_ref(), right.as_ref())
            }
        }
    }
}

impl Operand {
    /// The operand's value; none if the member does not exist, or is a list or an object.
    fn value(&self, view: &DocumentView<'_>, tape: &Tape, value: Node) -> Option<Operand> {
        let Operand::Member(members) = self else {
            return Some(self.clone());
        };
        let node = descend(view, tape, value, members)?;
        Some(match node.kind {
            NodeKind::Number => Operand::Number(Number::parse(view.spelling(node))?),
            NodeKind::String | NodeKind::Key => Operand::Text(view.string(node).into_owned()),
            NodeKind::True => Operand::Boolean(true),
            NodeKind::False => Operand::Boolean(false),
            NodeKind::Null => Operand::Null,
            NodeKind::Array | NodeKind::Object => return None,
        })
    }
}

impl Operator {
    fn holds(self, left: Option<&Operand>, right: Option<&Operand>) -> bool {
        let (Some(left), Some(right)) = (left, right) else {
            let is_equal = left.is_none() && right.is_none();
            return match self {
                Operator::Equal => is_equal,
                Operator::NotEqual => !is_equal,
                _ => false,
            };
        };
        let order = match (left, right) {
            (Operand::Number(left), Operand::Number(right)) => left.compare(*right),
            (Operand::Text(left), Operand::Text(right)) => Some(left.cmp(right)),
            (left, right) if left == right => Some(Ordering::Equal),
            _ => None,
        };
        match self {
            Operator::Equal => order == Some(Ordering::Equal),
            Operator::NotEqual => order != Some(Ordering::Equal),
            Operator::Less => order == Some(Ordering::Less),
            Operator::AtMost => matches!(order, Some(Ordering::Less | Ordering::Equal)),
            Operator::Greater => order == Some(Ordering::Greater),
            Operator::AtLeast => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
        }
    }
}

fn descend(view: &DocumentView<'_>, tape: &Tape, value: Node, members: &[Member]) -> Option<Node> {
    members.iter().try_fold(value, |at, member| match member {
        Member::Name(name) => {
            let named = tape
                .members(at)
                .filter(|(key, _)| view.string(*key) == *name);
            named.last().map(|(_, value)| value)
        }
        Member::Place(place) => tape.elements(at).nth(usize::try_from(*place).ok()?),
    })
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
}

impl Parser<'_> {
    fn any(&mut self, depth: usize) -> Result<Condition, &'static str> {
        if depth > MAX_DEPTH {
            return Err("no more than 16 conditions inside one another");
        }
        let mut all = vec![self.all(depth)?];
        while self.take("||") {
            all.push(self.all(depth)?);
        }
        Ok(one_or(all, Condition::Any))
    }

    fn all(&mut self, depth: usize) -> Result<Condition, &'static str> {
        let mut all = vec![self.one(depth)?];
        while self.take("&&") {
            all.push(self.one(depth)?);
        }
        Ok(one_or(all, Condition::All))
    }

    fn one(&mut self, depth: usize) -> Result<Condition, &'static str> {
        if self.take("!") {
            if depth > MAX_DEPTH {
                return Err("no more than 16 conditions inside one another");
            }
            return Ok(Condition::Not(Box::new(self.one(depth + 1)?)));
        }
        if self.take("(") {
            let inner = self.any(depth + 1)?;
            return if self.take(")") {
                Ok(inner)
            } else {
                Err("`)`")
            };
        }
        let left = self.operand()?;
        let operator = OPERATORS.iter().find(|(sign, _)| self.take(sign));
        match (operator, left) {
            (Some((_, operator)), left) => Ok(Condition::Compare(left, *operator, self.operand()?)),
            (None, Operand::Member(members)) => Ok(Condition::Exists(members)),
            (None, _) => Err("a comparison such as `== 3`"),
        }
    }

    fn operand(&mut self) -> Result<Operand, &'static str> {
        const EXPECTED: &str = "`@.name`, a number or a text in quotes";
        if self.take("@") {
            return self.members().map(Operand::Member);
        }
        for (word, operand) in [
            ("true", Operand::Boolean(true)),
            ("false", Operand::Boolean(false)),
            ("null", Operand::Null),
        ] {
            if self.take(word) {
                return Ok(operand);
            }
        }
        let rest = self.rest();
        if rest.starts_with(['"', '\'']) {
            return self.quoted().map(Operand::Text);
        }
        let is_digit = |c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'e' | 'E');
        let end = rest.find(|c| !is_digit(c)).unwrap_or(rest.len());
        let number = Number::parse(&rest[..end]).ok_or(EXPECTED)?;
        self.at += end;
        Ok(Operand::Number(number))
    }

    fn members(&mut self) -> Result<Vec<Member>, &'static str> {
        let mut members = Vec::new();
        loop {
            let rest = &self.text[self.at..];
            if let Some(name) = rest.strip_prefix('.') {
                let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '$');
                let end = name.find(|c| !is_name(c)).unwrap_or(name.len());
                if end == 0 {
                    return Err("a name");
                }
                members.push(Member::Name(name[..end].to_owned()));
                self.at += 1 + end;
            } else if rest.starts_with('[') {
                self.at += 1;
                let digits = self.rest();
                if digits.starts_with(['"', '\'']) {
                    members.push(Member::Name(self.quoted()?));
                } else {
                    let end = digits.find(|c: char| !c.is_ascii_digit());
                    let end = end.unwrap_or(digits.len());
                    let place = digits[..end]
                        .parse()
                        .map_err(|_| "a number or a name in quotes")?;
                    members.push(Member::Place(place));
                    self.at += end;
                }
                if !self.take("]") {
                    return Err("`]`");
                }
            } else {
                return Ok(members);
            }
        }
    }

    /// A text in quotes of either kind.
    fn quoted(&mut self) -> Result<String, &'static str> {
        let rest = self.rest();
        if rest.starts_with('"') {
            let mut strings = serde_json::Deserializer::from_str(rest).into_iter::<String>();
            let Some(Ok(text)) = strings.next() else {
                return Err("a text in double quotes");
            };
            self.at += strings.byte_offset();
            return Ok(text);
        }
        let end = rest[1..].find('\'').ok_or("a closing `'`")?;
        let text = rest[1..=end].to_owned();
        self.at += end + 2;
        Ok(text)
    }

    /// The rest of the text, without leading spaces.
    fn rest(&mut self) -> &str {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        &self.text[self.at..]
    }

    fn take(&mut self, sign: &str) -> bool {
        let is_there = self.rest().starts_with(sign);
        if is_there {
            self.at += sign.len();
        }
        is_there
    }
}

fn one_or(mut all: Vec<Condition>, several: fn(Vec<Condition>) -> Condition) -> Condition {
    match all.pop() {
        Some(only) if all.is_empty() => only,
        Some(last) => {
            all.push(last);
            several(all)
        }
        None => several(all),
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, all: &[Condition], sign: &str| {
            all.iter().enumerate().try_for_each(|(place, one)| {
                if place > 0 {
                    f.write_str(sign)?;
                }
                match one {
                    Condition::Any(_) | Condition::All(_) => write!(f, "({one})"),
                    _ => one.fmt(f),
                }
            })
        };
        match self {
            Condition::Any(all) => list(f, all, " || "),
            Condition::All(all) => list(f, all, " && "),
            Condition::Not(inner) => write!(f, "!({inner})"),
            Condition::Exists(members) => write_members(f, members),
            Condition::Compare(left, operator, right) => {
                let sign = OPERATORS.iter().find(|(_, own)| own == operator);
                let sign = sign.map_or("", |(sign, _)| *sign);
                write!(f, "{left} {sign} {right}")
            }
        }
    }
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Operand::Member(members) => write_members(f, members),
            Operand::Number(Number::Whole(number)) => number.fmt(f),
            Operand::Number(Number::Float(number)) => number.fmt(f),
            Operand::Text(text) => f.write_str(&serde_json::to_string(text).unwrap_or_default()),
            Operand::Boolean(value) => value.fmt(f),
            Operand::Null => f.write_str("null"),
        }
    }
}

fn write_members(f: &mut fmt::Formatter<'_>, members: &[Member]) -> fmt::Result {
    let mut out = "@".to_owned();
    for member in members {
        match member {
            Member::Name(name) => {
                let spelling = serde_json::to_string(name).unwrap_or_default();
                push_name(&mut out, name, &spelling);
            }
            Member::Place(place) => out.push_str(&format!("[{place}]")),
        }
    }
    f.write_str(&out)
}
