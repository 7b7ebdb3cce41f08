//! JSON as it is spelled: duplicate keys, numbers digit for digit, unpaired surrogates. And the common content of two
//! documents.
//!
//! A parser of the tests, so that the result does not depend on the tested one.

use std::collections::BTreeSet;

#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// `null`, `true`, `false`.
    Word(String),
    /// As it is spelled.
    Number(String),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

/// Parses a whole text as one value.
pub fn parse(text: &str) -> Option<Json> {
    let mut parser = Parser { rest: text.trim() };
    let value = parser.value()?;
    parser.rest.is_empty().then_some(value)
}

struct Parser<'a> {
    rest: &'a str,
}

impl Parser<'_> {
    fn skip(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\n', '\r', '\t']);
    }

    fn take(&mut self, token: char) -> Option<()> {
        self.skip();
        self.rest = self.rest.strip_prefix(token)?;
        self.skip();
        Some(())
    }

    fn value(&mut self) -> Option<Json> {
        self.skip();
        let value = match self.rest.as_bytes().first()? {
            b'{' => Json::Object(self.list('{', '}', |it| {
                let key = it.string()?;
                it.take(':')?;
                Some((key, it.value()?))
            })?),
            b'[' => Json::List(self.list('[', ']', Parser::value)?),
            b'"' => Json::Text(self.string()?),
            first => {
                let number = first.is_ascii_digit() || *first == b'-';
                let end = |c: char| !c.is_ascii_alphanumeric() && !"+-.".contains(c);
                let end = self.rest.find(end).unwrap_or(self.rest.len());
                let (word, rest) = self.rest.split_at(end);
                self.rest = rest;
                match word {
                    "null" | "true" | "false" => Json::Word(word.to_owned()),
                    word if number => Json::Number(word.to_owned()),
                    _ => return None,
                }
            }
        };
        self.skip();
        Some(value)
    }

    fn list<T>(
        &mut self,
        open: char,
        close: char,
        item: impl Fn(&mut Self) -> Option<T>,
    ) -> Option<Vec<T>> {
        self.take(open)?;
        let mut items = Vec::new();
        while !self.rest.starts_with(close) {
            if !items.is_empty() {
                self.take(',')?;
            }
            items.push(item(self)?);
            self.skip();
        }
        self.take(close)?;
        Some(items)
    }

    fn string(&mut self) -> Option<String> {
        let inner = self.rest.strip_prefix('"')?;
        let mut escaped = false;
        let end = inner.bytes().position(|byte| {
            let is_end = byte == b'"' && !escaped;
            escaped = byte == b'\\' && !escaped;
            is_end
        })?;
        let raw = &self.rest[..end + 2];
        self.rest = &self.rest[end + 2..];
        // A string cannot hold an unpaired surrogate.
        serde_json::from_str(raw)
            .ok()
            .or_else(|| Some(without_escapes_of_surrogates(raw)))
    }
}

fn without_escapes_of_surrogates(raw: &str) -> String {
    let mut text = raw.to_owned();
    while let Some(at) = text.to_lowercase().find("\\ud") {
        let end = (at + 6).min(text.len());
        text.replace_range(at..end, "\u{fffd}");
    }
    serde_json::from_str(&text).unwrap_or(text)
}

impl Json {
    pub fn get(&self, key: &str) -> Option<&Json> {
        let Json::Object(members) = self else {
            return None;
        };
        let mut found = members.iter().rev().filter(|(name, _)| name == key);
        found.next().map(|(_, value)| value)
    }

    pub fn text(&self) -> Option<&str> {
        match self {
            Json::Text(text) => Some(text),
            _ => None,
        }
    }

    pub fn elements(&self) -> &[Json] {
        match self {
            Json::List(elements) => elements,
            _ => &[],
        }
    }

    /// The same without colours, sorted by keys, and with strings of JSON parsed.
    pub fn opened(&self) -> Json {
        match self {
            Json::Word(_) | Json::Number(_) => self.clone(),
            Json::Text(text) => match parse(text) {
                Some(inner @ (Json::List(_) | Json::Object(_) | Json::Text(_))) => inner.opened(),
                _ => Json::Text(without_colours(text)),
            },
            Json::List(elements) => Json::List(elements.iter().map(Json::opened).collect()),
            Json::Object(members) => {
                let members = members.iter();
                let mut members: Vec<_> = members
                    .map(|(key, value)| (key.clone(), value.opened()))
                    .collect();
                members.sort_by(|(one, _), (other, _)| one.cmp(other));
                Json::Object(members)
            }
        }
    }

    /// The value after [`opened`](Json::opened) without nulls and empty values.
    pub fn essence(&self) -> Json {
        match self {
            Json::Word(_) | Json::Number(_) | Json::Text(_) => self.clone(),
            Json::List(elements) => Json::List(elements.iter().map(Json::essence).collect()),
            Json::Object(members) => {
                let members = members
                    .iter()
                    .map(|(key, value)| (key.clone(), value.essence()));
                Json::Object(members.filter(|(_, value)| !value.is_empty()).collect())
            }
        }
    }

    fn is_empty(&self) -> bool {
        match self {
            Json::Word(word) => word == "null",
            Json::Number(_) => false,
            Json::Text(text) => text.is_empty(),
            Json::List(elements) => elements.is_empty(),
            Json::Object(members) => members.is_empty(),
        }
    }

    /// Every word of its keys, strings and numbers.
    pub fn words(&self, into: &mut BTreeSet<String>) {
        self.each_text(&mut |text| words(text, into));
    }

    /// Every word of the value. In a text that is no JSON, escapes of JSON are decoded too, because tables have them.
    pub fn words_said(&self, into: &mut BTreeSet<String>) {
        self.each_text(&mut |text| {
            words(text, into);
            let plain = unescaped(text);
            words(&plain, into);
        });
    }

    fn each_text(&self, seen: &mut dyn FnMut(&str)) {
        match self {
            Json::Word(_) => {}
            Json::Number(text) | Json::Text(text) => seen(text),
            Json::List(elements) => elements.iter().for_each(|it| it.each_text(seen)),
            Json::Object(members) => {
                for (key, value) in members {
                    seen(key);
                    value.each_text(seen);
                }
            }
        }
    }
}

/// A text with JSON's escapes decoded.
fn unescaped(text: &str) -> String {
    let mut pieces = text.split('\\');
    let mut plain = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let number = piece.strip_prefix('u').and_then(|rest| rest.get(..4));
        let number = number.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        match number.and_then(char::from_u32) {
            Some(char) => {
                plain.push(char);
                plain += &piece[5..];
            }
            None if piece.starts_with(['n', 'r', 't']) => {
                plain.push(' ');
                plain += &piece[1..];
            }
            None => {
                plain.push(' ');
                plain += piece;
            }
        }
    }
    plain
}

fn without_colours(text: &str) -> String {
    let mut pieces = text.split("\u{1b}[");
    let mut plain = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let rest = piece.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';');
        plain += rest.get(1..).unwrap_or_default();
    }
    plain
}

/// Words without content of their own, in the spellings of JSON, YAML and Python.
const SILENT: &[&str] = &["null", "true", "false", "None", "True", "False"];

/// Every word of a text.
pub fn words(text: &str, into: &mut BTreeSet<String>) {
    let found = text.split(|c: char| !c.is_alphanumeric());
    let found = found.filter(|word| !word.is_empty() && !SILENT.contains(word));
    into.extend(found.map(str::to_owned));
}
