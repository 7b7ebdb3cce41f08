//! XML with entries: elements that have elements, attributes or text, without mixed content.
//!
//! Owns a small part of XML 1.0, and its usual form in JSON. An attribute is a member `@name`, text beside attributes
//! is `#text`, adjacent elements of one name are a list. Layout is the white space between tags. Refuses document
//! types, comments, processing instructions, entities other than the five and numbers, and elements of one name with
//! others between them. [`read_loosely`] takes such elements for a list, and short mixed content for text.

use crate::json::{MAX_DEPTH, push_cell, push_quoted, space_end};
use crate::words::{are_distinct, has_sign};
use crate::{Format, Found};
use memchr::memmem;
use std::borrow::Cow;

/// Longest text that is read, because the elements take memory as a tree.
const LONGEST_BYTES: usize = 4 << 20;

/// Most levels of elements. An element is an object of JSON, and may be in a list.
const DEEPEST: usize = MAX_DEPTH / 2 - 1;

/// Fewest adjacent elements of one name that make a list of entries.
const FEWEST_ENTRIES: usize = 3;

struct Element<'t> {
    name: &'t str,
    attributes: Vec<(&'t str, Cow<'t, str>)>,
    content: Content<'t>,
}

enum Content<'t> {
    Text(Cow<'t, str>),
    Elements(Vec<Element<'t>>),
    /// Text with elements in it, as it is written.
    Mixed(&'t str),
}

/// Longest text with elements in it that is a value, and the part of the source that such texts may be: a document of
/// them is no data.
const LONGEST_MIXED: usize = 4 << 10;
const MOST_MIXED: usize = 4;

/// Most names of elements that have others between them, of one element.
const MOST_NAMES: usize = 64;

/// Elements of pages, in which the order of elements of different names matters.
const OF_PAGES: [&str; 16] = [
    "a",
    "b",
    "blockquote",
    "body",
    "br",
    "div",
    "em",
    "h1",
    "h2",
    "h3",
    "li",
    "ol",
    "p",
    "span",
    "strong",
    "ul",
];

/// Reads the element at `at`.
pub(crate) fn read(text: &str, at: usize) -> Option<Found> {
    read_as(text, at, false)
}

/// The same if elements of one name have others between them, or texts have elements in them.
pub(crate) fn read_loosely(text: &str, at: usize) -> Option<Found> {
    read_as(text, at, true)
}

fn read_as(text: &str, at: usize, is_loose: bool) -> Option<Found> {
    if text.len() - at > LONGEST_BYTES || text[at..].starts_with("<!") {
        return None;
    }
    let mut reader = Reader {
        text,
        at,
        is_loose,
        mixed: 0,
    };
    if reader.take("<?xml ") {
        let end = reader.rest().find("?>")?;
        reader.at += end + 2;
        reader.skip_space();
    }
    let start = reader.at;
    if is_page(reader.rest()) {
        return None;
    }
    let root = reader.element(DEEPEST)?;
    if !root.has_entries() || MOST_MIXED * reader.mixed > reader.at - start {
        return None;
    }
    let mut source = Reader {
        at: start,
        ..reader
    };
    if !source.is_written(&root) || source.at != reader.at {
        return None;
    }
    let mut json = String::from("{");
    push_quoted(&mut json, root.name);
    json.push(':');
    root.write(&mut json, is_loose)?;
    json.push('}');
    Some(Found {
        format: Format::Xml,
        json,
        tape: Vec::new(),
        renamed: Vec::new(),
        range: start..reader.at,
        rows: Vec::new(),
    })
}

/// Whether a text begins with the tag of a page, `<html>`: a page is no data. Nor is a table of HTML, whose rows are read
/// under the names of their columns: `<table border="1"><tr><th>`, `<table class="dataframe"><thead>`.
fn is_page(text: &str) -> bool {
    let mut reader = Reader {
        text,
        at: 0,
        is_loose: false,
        mixed: 0,
    };
    let name = reader.take("<").then(|| reader.name()).flatten();
    let is_table = || {
        let inside = reader
            .rest()
            .split_once('>')
            .map_or("", |(_, inside)| inside);
        let mut tags = inside.split('<').skip(1).take(3);
        tags.any(|tag| tag.starts_with("th>") || tag.starts_with("th ") || tag.starts_with("thead"))
    };
    // A table with cells over several columns, or with fields, has no such rows.
    let is_data = || {
        let signs: [&[u8]; 5] = [b"colspan", b"rowspan", b"<tfoot", b"<input", b"<img"];
        signs
            .iter()
            .any(|sign| memmem::find(text.as_bytes(), sign).is_some())
    };
    name.is_some_and(|name| {
        name.eq_ignore_ascii_case("html")
            || name.eq_ignore_ascii_case("table") && is_table() && !is_data()
    })
}

impl Element<'_> {
    fn has_entries(&self) -> bool {
        let Content::Elements(elements) = &self.content else {
            return false;
        };
        let is_run = |run: &[Element<'_>]| run.len() >= FEWEST_ENTRIES;
        elements.chunk_by(|a, b| a.name == b.name).any(is_run)
            || elements.iter().any(Element::has_entries)
    }

    fn write(&self, json: &mut String, is_loose: bool) -> Option<()> {
        if let (Some(said), true) = (self.content.text(), self.attributes.is_empty()) {
            push_cell(json, said);
            return Some(());
        }
        let mut keys = Vec::new();
        json.push('{');
        for (name, value) in &self.attributes {
            keys.push(Cow::Owned(format!("@{name}")));
            key(json, &keys);
            push_cell(json, value);
        }
        match self.content.text() {
            Some("") => {}
            Some(said) => {
                keys.push(Cow::Borrowed("#text"));
                key(json, &keys);
                push_cell(json, said);
            }
            None => {
                for list in self.content.lists(is_loose) {
                    keys.push(Cow::Borrowed(list[0].name));
                    key(json, &keys);
                    if let [element] = &*list {
                        element.write(json, is_loose)?;
                        continue;
                    }
                    for (place, element) in list.iter().enumerate() {
                        json.push(if place == 0 { '[' } else { ',' });
                        element.write(json, is_loose)?;
                    }
                    json.push(']');
                }
            }
        }
        json.push('}');
        are_distinct(keys.iter().map(|key| &**key).collect()).then_some(())
    }
}

impl<'t> Content<'t> {
    fn text(&self) -> Option<&str> {
        match self {
            Content::Text(said) => Some(said),
            Content::Mixed(written) => Some(written),
            Content::Elements(_) => None,
        }
    }

    /// Lists of the elements of one name, in the order of their first elements. `is_loose`: others may be between them.
    fn lists(&self, is_loose: bool) -> Vec<Vec<&Element<'t>>> {
        let Content::Elements(elements) = self else {
            return Vec::new();
        };
        let mut lists: Vec<Vec<&Element<'_>>> = Vec::new();
        for run in elements.chunk_by(|a, b| a.name == b.name) {
            // Beyond so many names, two lists of one name refuse the element.
            let mut known = lists.iter_mut().take(if is_loose { MOST_NAMES } else { 0 });
            match known.find(|list| list[0].name == run[0].name) {
                Some(list) => list.extend(run),
                None => lists.push(run.iter().collect()),
            }
        }
        lists
    }
}

/// Writes the last of these keys.
fn key(json: &mut String, keys: &[Cow<'_, str>]) {
    if keys.len() > 1 {
        json.push(',');
    }
    push_quoted(json, keys.last().map_or("", |key| &**key));
    json.push(':');
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    is_loose: bool,
    /// Bytes of texts with elements in them.
    mixed: usize,
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn take(&mut self, sign: &str) -> bool {
        let taken = self.rest().starts_with(sign);
        self.at += if taken { sign.len() } else { 0 };
        taken
    }

    fn skip_space(&mut self) {
        self.at = space_end(self.text.as_bytes(), self.at);
    }

    fn name(&mut self) -> Option<&'t str> {
        let rest = self.rest();
        let is_fit = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':');
        // Most names are of ASCII.
        let is_part = |byte: &u8| byte.is_ascii() && is_fit(char::from(*byte));
        let length = rest.bytes().take_while(is_part).count();
        let length = match rest.as_bytes().get(length)?.is_ascii() {
            true => length,
            false => rest.find(|c| !is_fit(c))?,
        };
        let name = &rest[..length];
        self.at += length;
        name.starts_with(|c: char| c.is_alphabetic() || c == '_')
            .then_some(name)
    }

    fn element(&mut self, room: usize) -> Option<Element<'t>> {
        let room = room.checked_sub(1)?;
        if !self.take("<") {
            return None;
        }
        let name = self.name()?;
        let mut attributes: Vec<(&str, Cow<'_, str>)> = Vec::new();
        loop {
            let before = self.at;
            self.skip_space();
            if self.take("/>") {
                let content = Content::Text(Cow::Borrowed(""));
                return Some(Element {
                    name,
                    attributes,
                    content,
                });
            }
            if self.take(">") {
                break;
            }
            if self.at == before {
                return None;
            }
            let attribute = self.name()?;
            let quote = ["=\"", "='"].into_iter().find(|quote| self.take(quote))?;
            let length = self.rest().find(&quote[1..])?;
            let said = decoded(&self.rest()[..length], true)?;
            self.at += length + 1;
            attributes.push((attribute, said));
        }
        let content = self.content(room)?;
        if !(self.take("</") && self.take(name)) {
            return None;
        }
        self.skip_space();
        self.take(">").then_some(Element {
            name,
            attributes,
            content,
        })
    }

    /// Reads the content between two tags, up to the closing one.
    fn content(&mut self, room: usize) -> Option<Content<'t>> {
        let start = self.at;
        let mut said = Cow::Borrowed("");
        loop {
            if self.take("<![CDATA[") {
                let length = self.rest().find("]]>")?;
                said += &self.rest()[..length];
                self.at += length + 3;
            } else if self.rest().starts_with('<') {
                break;
            } else {
                let length = self.rest().find('<')?;
                said += decoded(&self.rest()[..length], false)?;
                self.at += length;
            }
        }
        if self.rest().starts_with("</") {
            return Some(Content::Text(said));
        }
        // Elements, with white space between them.
        self.at = start;
        self.skip_space();
        let mut elements = Vec::new();
        let mut is_mixed = false;
        while !self.rest().starts_with("</") {
            if self.is_loose && !self.rest().starts_with('<') {
                let length = self.rest().find('<')?;
                decoded(&self.rest()[..length], false)?;
                self.at += length;
                is_mixed = true;
                continue;
            }
            elements.push(self.element(room)?);
            self.skip_space();
        }
        if is_mixed {
            let written = &self.text[start..self.at];
            self.mixed += written.len();
            return (written.len() <= LONGEST_MIXED).then_some(Content::Mixed(written));
        }
        let is_of_page = |element: &Element<'_>| OF_PAGES.contains(&element.name);
        if self.is_loose && elements.iter().any(is_of_page) {
            return None;
        }
        Some(Content::Elements(elements))
    }

    /// Whether an element, written as XML, is here, and skips it.
    fn is_written(&mut self, element: &Element<'_>) -> bool {
        let mut is_equal = self.take("<") && self.take(element.name);
        for (name, value) in &element.attributes {
            self.skip_space();
            is_equal = is_equal && self.take(name) && self.take("=");
            let quote = if self.take("'") { "'" } else { "\"" };
            is_equal = is_equal && (quote == "'" || self.take(quote));
            is_equal = is_equal && self.is_said(value) && self.take(quote);
        }
        self.skip_space();
        if self.take("/>") {
            return is_equal && matches!(&element.content, Content::Text(said) if said.is_empty());
        }
        is_equal = is_equal && self.take(">");
        match &element.content {
            Content::Text(said) => is_equal = is_equal && self.is_said(said),
            Content::Mixed(written) => is_equal = is_equal && self.take(written),
            Content::Elements(elements) => {
                for element in elements {
                    self.skip_space();
                    is_equal = is_equal && self.is_written(element);
                }
                self.skip_space();
            }
        }
        is_equal = is_equal && self.take("</") && self.take(element.name);
        self.skip_space();
        is_equal && self.take(">")
    }

    /// Whether a text is here, with its signs in any spelling of XML.
    fn is_said(&mut self, said: &str) -> bool {
        let mut is_raw = false;
        let mut said = said;
        // Most texts have no spelling but their own.
        if self.rest().starts_with(said) && !has_sign(said, b"<&") {
            self.at += said.len();
            said = "";
        }
        for c in said.chars() {
            is_raw |= !is_raw && self.take("<![CDATA[");
            while is_raw && self.take("]]>") {
                is_raw = self.take("<![CDATA[");
            }
            is_raw |= !is_raw && self.take("<![CDATA[");
            let entity = (!is_raw && self.rest().starts_with('&')).then(|| entity(self.rest()));
            let (here, length) = match entity {
                Some(Some(entity)) => entity,
                Some(None) => return false,
                None => match self.rest().chars().next() {
                    Some(here) => (here, here.len_utf8()),
                    None => return false,
                },
            };
            if here != c {
                return false;
            }
            self.at += length;
        }
        loop {
            if is_raw && !self.take("]]>") {
                return false;
            }
            is_raw = self.take("<![CDATA[");
            if !is_raw {
                return true;
            }
        }
    }
}

/// The character of the entity at the beginning of a text, and the entity's length.
pub fn entity(text: &str) -> Option<(char, usize)> {
    let end = text
        .as_bytes()
        .iter()
        .take(12)
        .position(|byte| *byte == b';')?;
    let name = text.get(1..end)?;
    let c = match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        _ => {
            let number = name.strip_prefix('#')?;
            let (digits, radix) = match number.strip_prefix('x') {
                Some(digits) => (digits, 16),
                None => (number, 10),
            };
            if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                return None;
            }
            char::from_u32(u32::from_str_radix(digits, radix).ok()?)?
        }
    };
    Some((c, end + 1))
}

/// Decodes a text with entities.
fn decoded(source: &str, is_attribute: bool) -> Option<Cow<'_, str>> {
    if !has_sign(source, b"<]&\t\n\r") {
        return Some(Cow::Borrowed(source));
    }
    // XML reads line breaks in attributes, and carriage returns anywhere, as other characters.
    let other = if is_attribute {
        &['<', '\n', '\r', '\t'][..]
    } else {
        &['\r']
    };
    if source.contains(other) || source.contains("]]>") {
        return None;
    }
    if !source.contains('&') {
        return Some(Cow::Borrowed(source));
    }
    let mut said = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(at) = rest.find('&') {
        said.push_str(&rest[..at]);
        let (c, length) = entity(&rest[at..])?;
        said.push(c);
        rest = &rest[at + length..];
    }
    said.push_str(rest);
    Some(Cow::Owned(said))
}
