//! Conditions in paths: `[?(@.comments >= 3 && @.state == 'open')]` selects the elements for which the condition
//! holds.
//!
//! Owns the grammar of conditions, and whether a condition holds for a value. Refuses to know where the value
//! stands. The grammar is that of RFC 9535 without functions: comparisons, members that exist, `&&`, `||`, `!`
//! and parentheses.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::fmt;

use super::path::{element, quoted};
use super::sql::has_order_of_its_own;
use super::view::{DocumentView, push_name};
use super::wording::shorten;
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
    Place(i64),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Operand {
    Member(Vec<Member>),
    Number(Number),
    Text(String),
    Boolean(bool),
    Null,
    /// A list or an object.
    Other,
}

/// A number of a document or a condition. Whole numbers are exact: as floats, long identifiers would be equal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Number {
    Whole(i128),
    Float(f64),
}

impl Number {
    fn parse(text: &str) -> Option<Number> {
        // `inf` and `nan` are words.
        text.bytes().find(u8::is_ascii_digit)?;
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

    /// `doubt`: a value that a reader takes for something else. Two texts tell it only among the early values.
    pub(super) fn holds(
        &self,
        (view, tape, is_early): (&DocumentView<'_>, &Tape, bool),
        value: Node,
        doubt: &RefCell<Option<String>>,
    ) -> bool {
        let holds = |one: &Condition| one.holds((view, tape, is_early), value, doubt);
        match self {
            Condition::Any(all) => all.iter().any(holds),
            Condition::All(all) => all.iter().all(holds),
            Condition::Not(inner) => !holds(inner),
            Condition::Exists(members) => descend(view, tape, value, members).is_some(),
            Condition::Compare(left, operator, right) => {
                let one = left.value(view, tape, value);
                let other = right.value(view, tape, value);
                if let (Some(one), Some(other)) = (&one, &other)
                    && doubt.borrow().is_none()
                    && operator.is_unsure(one, other, is_early)
                {
                    let (member, value) = match left {
                        Operand::Member(_) => (left, one),
                        _ => (right, other),
                    };
                    let value = value.to_string();
                    doubt.replace(Some(format!(
                        "{member} has {}: compared as it is spelled; a query reads amounts and dates",
                        shorten(&value)
                    )));
                }
                operator.holds(one.as_ref(), other.as_ref())
            }
        }
    }

    /// Whether a member that is compared is in none of the values, so that it is a mistake, which `doubt` tells.
    pub(super) fn is_of_missing(
        &self,
        (view, tape): (&DocumentView<'_>, &Tape),
        values: &[Node],
        doubt: &RefCell<Option<String>>,
    ) -> bool {
        let is_missing = |one: &Condition| one.is_of_missing((view, tape), values, doubt);
        let has = |members: &[Member]| {
            let mut found = values.iter().map(|it| descend(view, tape, *it, members));
            found.any(|value| value.is_some())
        };
        match self {
            Condition::Any(all) | Condition::All(all) => all.iter().any(is_missing),
            Condition::Not(inner) => is_missing(inner),
            Condition::Exists(_) => false,
            Condition::Compare(left, _, right) => [left, right].into_iter().any(|side| {
                let is_missing = matches!(side, Operand::Member(members) if !has(members));
                if is_missing {
                    doubt.replace(Some(format!("no element has {side}")));
                }
                is_missing
            }),
        }
    }
}

impl Operand {
    /// The operand's value; none if the member does not exist.
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
            NodeKind::Array | NodeKind::Object => Operand::Other,
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
        let order = left.compare(right, self.is_of_order());
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

impl Operator {
    fn is_of_order(self) -> bool {
        !matches!(self, Operator::Equal | Operator::NotEqual)
    }

    /// Whether two values have no order, or one that is not what they stand for: `$9` is less than `$10`.
    fn is_unsure(self, left: &Operand, right: &Operand, is_early: bool) -> bool {
        match (left, right) {
            (Operand::Null, _) | (_, Operand::Null) => false,
            (Operand::Text(one), Operand::Text(other)) => {
                is_early
                    && self.is_of_order()
                    && (left.number().is_none() || right.number().is_none())
                    && (has_order_of_its_own(one) || has_order_of_its_own(other))
            }
            _ => left.compare(right, self.is_of_order()).is_none(),
        }
    }
}

impl Operand {
    /// The order of two values; a text that is a number or a boolean is compared with one as such.
    fn compare(&self, other: &Operand, is_of_order: bool) -> Option<Ordering> {
        let are_texts = matches!((self, other), (Operand::Text(_), Operand::Text(_)));
        if let (Some(left), Some(right)) = (self.number(), other.number())
            && (is_of_order || !are_texts)
        {
            return left.compare(right);
        }
        match (self, other) {
            (Operand::Null, Operand::Null) => Some(Ordering::Equal),
            (Operand::Text(left), Operand::Text(right)) => Some(left.cmp(right)),
            _ => Some(self.truth()?.cmp(&other.truth()?)),
        }
    }

    fn number(&self) -> Option<Number> {
        match self {
            Operand::Number(number) => Some(*number),
            Operand::Text(text) => Number::parse(text),
            _ => None,
        }
    }

    fn truth(&self) -> Option<bool> {
        match self {
            Operand::Boolean(truth) => Some(*truth),
            Operand::Text(text) => text.to_ascii_lowercase().parse().ok(),
            _ => None,
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
        Member::Place(place) => Some(tape.node(element(view, tape, at, *place)?)),
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
                    let end = digits.find(|c: char| !c.is_ascii_digit() && c != '-');
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
        let (text, length) = quoted(self.rest())?;
        self.at += length;
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
            Operand::Other => f.write_str("a list or an object"),
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
