//! First stage: TOML values with their places, read by type.
//!
//! A read that fails adds a finding and returns `None`. The caller continues, so the operator sees all
//! mistakes at once.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::code::Code;
use super::names;
use super::report::{Finding, Severity};
use super::source::{Source, Span};

/// A value and its place.
pub(super) type Value<'t> = Spanned<DeValue<'t>>;

/// Above this many findings, Tamis does not search for nearest names: each search looks at every name.
const NEAREST_FOR: usize = 100;

/// Collects the mistakes in one file.
pub(super) struct Findings<'s> {
    source: &'s Source,
    list: Vec<Finding>,
    errors: usize,
}

/// A table with known keys.
#[derive(Clone, Copy)]
pub(super) struct Fields<'t> {
    table: &'t DeTable<'t>,
    /// The place to underline if a key is missing: the header, or an inline table itself.
    pub(super) span: Span,
    /// The object that the table describes, for messages: `a plugin`.
    what: &'static str,
}

/// A key and its value.
pub(super) struct Entry<'t> {
    pub(super) key: &'t str,
    pub(super) key_span: Span,
    pub(super) value: &'t Value<'t>,
}

impl<'t> Fields<'t> {
    pub(super) fn new(table: &'t DeTable<'t>, span: Span, what: &'static str) -> Fields<'t> {
        Fields { table, span, what }
    }

    pub(super) fn table(&self) -> &'t DeTable<'t> {
        self.table
    }

    pub(super) fn get(&self, key: &str) -> Option<&'t Value<'t>> {
        self.table.get(key)
    }

    /// The value of a required key.
    pub(super) fn require(
        &self,
        key: &str,
        example: &str,
        findings: &mut Findings<'_>,
    ) -> Option<&'t Value<'t>> {
        let value = self.get(key);
        if value.is_none() {
            let message = format!("{} requires the key `{key}`", self.what);
            let finding = Finding::error(self.span, message, format!("`{key}` is missing"))
                .help(format!("for example: {key} = {example}"))
                .code(Code::MissingKey);
            let meant = entries(self.table)
                .into_iter()
                .find(|entry| names::nearest(entry.key, &[key]).is_some());
            findings.push(match meant {
                Some(entry) => finding.also(entry.key_span, format!("did you mean `{key}`?")),
                None => finding,
            });
        }
        value
    }

    /// Reports the keys that are not in `allowed`.
    pub(super) fn deny_unknown(&self, allowed: &[&str], findings: &mut Findings<'_>) {
        for entry in entries(self.table) {
            if !allowed.contains(&entry.key) {
                let key = names::quote(entry.key);
                let message = format!("unknown key {key} in {}", self.what);
                // In TOML, a key below a header is part of that table.
                if ["include", "prefix", "signed-by"].contains(&entry.key) {
                    let help = format!("move {key} above the first table of the file");
                    let finding = Finding::error(entry.key_span, message, "not in a table");
                    findings.push(finding.help(help).code(Code::UnknownKey));
                    continue;
                }
                findings.unknown(
                    entry.key_span,
                    message,
                    entry.key,
                    allowed,
                    Code::UnknownKey,
                );
            }
        }
    }
}

/// The entries of a table in the order of the file (the map has them by name).
pub(super) fn entries<'t>(table: &'t DeTable<'t>) -> Vec<Entry<'t>> {
    let mut entries: Vec<Entry<'t>> = table
        .iter()
        .map(|(key, value)| Entry {
            key: key.get_ref(),
            key_span: key.span().into(),
            value,
        })
        .collect();
    entries.sort_by_key(|entry| entry.key_span.start);
    entries
}

impl<'s> Findings<'s> {
    pub(super) fn new(source: &'s Source) -> Findings<'s> {
        Findings {
            source,
            list: Vec::new(),
            errors: 0,
        }
    }

    pub(super) fn push(&mut self, finding: Finding) {
        self.errors += usize::from(finding.severity == Severity::Error);
        self.list.push(finding);
    }

    /// The number of mistakes so far.
    pub(super) fn errors(&self) -> usize {
        self.errors
    }

    /// The findings so far, which are no longer in this list.
    pub(super) fn take(&mut self) -> Vec<Finding> {
        std::mem::take(&mut self.list)
    }

    /// Adds findings that were made elsewhere.
    pub(super) fn extend(&mut self, findings: Vec<Finding>) {
        for finding in findings {
            self.push(finding);
        }
    }

    pub(super) fn into_list(self) -> Vec<Finding> {
        self.list
    }

    /// Reports a name that is not one of `known`, with the nearest known name.
    pub(super) fn unknown(
        &mut self,
        span: Span,
        message: String,
        name: &str,
        known: &[&str],
        code: Code,
    ) {
        let nearest = if self.list.len() < NEAREST_FOR {
            names::nearest(name, known)
        } else {
            None
        };
        let label = match nearest {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None => "unknown".to_owned(),
        };
        let help = format!("allowed: {}", names::list(known));
        self.push(Finding::error(span, message, label).help(help).code(code));
    }

    /// The value of `key`, one of a few words. `expected` names them.
    pub(super) fn choice<T: Copy, const N: usize>(
        &mut self,
        value: &Value<'_>,
        key: &str,
        expected: &str,
        choices: &[(&'static str, T); N],
    ) -> Option<T> {
        let (text, span) = self.string(value, &format!("`{key}`"), expected)?;
        let chosen = choices.iter().find(|(name, _)| *name == text);
        if chosen.is_none() {
            let message = format!("unknown `{key}` {}", names::quote(text));
            let known = choices.map(|(name, _)| name);
            self.unknown(span, message, text, &known, Code::UnknownValue);
        }
        chosen.map(|(_, choice)| *choice)
    }

    /// The text of a value, which must be a string. `what` names the value, `expected` what is allowed.
    pub(super) fn string<'t>(
        &mut self,
        value: &'t Value<'t>,
        what: &str,
        expected: &str,
    ) -> Option<(&'t str, Span)> {
        match value.get_ref() {
            DeValue::String(text) => Some((text.as_ref(), value.span().into())),
            _ => {
                self.wrong_type(value, what, &format!("{expected}, in quotes"), None);
                None
            }
        }
    }

    /// The value of a switch.
    pub(super) fn boolean(&mut self, value: &Value<'_>, what: &str) -> Option<bool> {
        match value.get_ref() {
            DeValue::Boolean(on) => Some(*on),
            _ => {
                self.wrong_type(value, what, "true or false", None);
                None
            }
        }
    }

    /// The items of a value, which must be an array; empty if it is not.
    pub(super) fn list<'t>(
        &mut self,
        value: &'t Value<'t>,
        what: &str,
        expected: &str,
    ) -> &'t [Value<'t>] {
        if let DeValue::Array(items) = value.get_ref() {
            return items;
        }
        let text = names::clip(self.source.slice(value.span().into()));
        let is_item = value.get_ref().is_str();
        let help = is_item.then(|| format!("put it in brackets: [{text}]"));
        self.wrong_type(value, what, expected, help);
        &[]
    }

    /// The items of an array, which must not be empty.
    pub(super) fn filled_list<'t>(
        &mut self,
        value: &'t Value<'t>,
        what: &str,
        expected: &str,
    ) -> &'t [Value<'t>] {
        let items = self.list(value, what, expected);
        if items.is_empty() && value.get_ref().is_array() {
            let span: Span = value.span().into();
            let label = format!("allowed: {expected} that is not empty");
            let finding = Finding::error(span, format!("{what} is empty"), label);
            self.push(finding.code(Code::Empty));
        }
        items
    }

    /// The entries of a value, which must be a table.
    pub(super) fn table<'t>(
        &mut self,
        value: &'t Value<'t>,
        what: &'static str,
        expected: &str,
    ) -> Option<Fields<'t>> {
        match value.get_ref() {
            DeValue::Table(table) => Some(Fields::new(table, value.span().into(), what)),
            _ => {
                self.wrong_type(value, what, expected, None);
                None
            }
        }
    }

    /// The tables of an array of tables (`[[name]]`).
    pub(super) fn tables<'t>(
        &mut self,
        value: &'t Value<'t>,
        name: &str,
        what: &'static str,
    ) -> Vec<Fields<'t>> {
        let expected = format!("tables under headers [[{name}]]");
        if let DeValue::Array(items) = value.get_ref() {
            return items
                .iter()
                .filter_map(|item| self.table(item, what, &expected))
                .collect();
        }
        let help = format!("write the header with two brackets: [[{name}]]");
        let is_table = value.get_ref().is_table();
        self.wrong_type(
            value,
            &format!("`{name}`"),
            &expected,
            is_table.then_some(help),
        );
        Vec::new()
    }

    /// A number of calls, of at most `most`.
    pub(super) fn calls(&mut self, value: &Value<'_>, key: &str, most: u64) -> Option<u64> {
        let expected = format!("a number of calls from 1 to {most}");
        let DeValue::Integer(number) = value.get_ref() else {
            self.wrong_type(value, key, &expected, None);
            return None;
        };
        let calls = integer(number).and_then(|number| u64::try_from(number).ok());
        let calls = calls.filter(|calls| (1..=most).contains(calls));
        if calls.is_none() {
            self.out_of_bounds(value, key, &expected);
        }
        calls
    }

    /// A whole number from 0 to `most`.
    pub(super) fn count(&mut self, value: &Value<'_>, key: &str, most: u64) -> Option<usize> {
        let what = format!("`{key}`");
        let expected = format!("a whole number from 0 to {most}");
        let DeValue::Integer(number) = value.get_ref() else {
            self.wrong_type(value, &what, &expected, None);
            return None;
        };
        let count = integer(number)
            .and_then(|number| u64::try_from(number).ok())
            .filter(|number| *number <= most)
            .and_then(|number| usize::try_from(number).ok());
        if count.is_none() {
            self.out_of_bounds(value, &what, &expected);
        }
        count
    }

    pub(super) fn out_of_bounds(&mut self, value: &Value<'_>, key: &str, expected: &str) {
        let message = format!("{key} is out of bounds");
        let finding = Finding::error(
            Span::from(value.span()),
            message,
            format!("allowed: {expected}"),
        );
        self.push(finding.code(Code::OutOfRange));
    }

    pub(super) fn wrong_type(
        &mut self,
        value: &Value<'_>,
        what: &str,
        expected: &str,
        help: Option<String>,
    ) {
        let found = kind(value.get_ref());
        let label = format!("found {found}, allowed: {expected}");
        let message = format!("{what} has the wrong type");
        let finding =
            Finding::error(Span::from(value.span()), message, label).code(Code::WrongType);
        self.push(Finding { help, ..finding });
    }
}

/// A value's type, with its article.
fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "an integer",
        DeValue::Float(_) => "a float",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date or time",
        DeValue::Array(_) => "an array",
        DeValue::Table(_) => "a table",
    }
}

/// An integer's value, if it fits in 64 bits with a sign (`i64`) or without (`u64`).
pub(super) fn integer(value: &toml::de::DeInteger<'_>) -> Option<i128> {
    let wide = i128::from_str_radix(value.as_str(), value.radix()).ok()?;
    (i128::from(i64::MIN)..=i128::from(u64::MAX))
        .contains(&wide)
        .then_some(wide)
}
