//! One document of an original, as it is read: its text and, if it is JSON, the tape.
//!
//! Owns the ways from a node to text: the exact spelling, the same on one line, the decoded string, and the path
//! of a node. Refuses to know which part of an original this is, and the question about it.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::fmt::{self, Write};

use serde::de::{Deserialize, Deserializer, Visitor};

use super::recognised;
use super::wording::{characters, shorten};
use crate::document::{Node, NodeKind, Tape};
use crate::numbers::grouped;

/// Originals nest to any depth: nothing that reads them uses recursion.
pub(super) const DEPTH: usize = 1_000_000;

/// The part that a document is, and how an answer names it.
#[derive(Debug, Clone, Default)]
pub(super) struct Part {
    address: String,
    /// The notation in which the answer shows it, if that is another: `CSV`.
    form: Option<String>,
    /// What that form lacks of it.
    lacks: String,
    /// Any question is about it, so answers do not name it.
    pub(super) is_only: bool,
}

impl Part {
    pub(super) fn new(address: &str) -> Part {
        Part {
            address: address.to_owned(),
            ..Part::default()
        }
    }

    /// The same part in another notation.
    pub(super) fn in_form(&self, form: impl fmt::Display) -> Part {
        let form = match &self.form {
            Some(first) => format!("{first} as {form}"),
            None => form.to_string(),
        };
        Part {
            form: Some(form),
            ..self.clone()
        }
    }

    /// The same part, of which its form lacks something; nothing if the text is empty.
    pub(super) fn lacking(self, lacks: String) -> Part {
        Part { lacks, ..self }
    }

    /// What the form lacks of the part; empty if that is nothing.
    pub(super) fn lacks(&self) -> &str {
        &self.lacks
    }

    /// The address that a call has.
    pub(super) fn address(&self) -> &str {
        &self.address
    }

    /// What follows a value of it: ` of content[0] as CSV`. Empty for the only part in its own notation.
    pub(super) fn suffix(&self) -> String {
        let of = match self.is_only {
            true => String::new(),
            false => format!(" of {}", self.address),
        };
        let lacks = match &*self.lacks {
            "" => String::new(),
            lacks => format!("; {lacks}"),
        };
        match &self.form {
            Some(form) => format!("{of} as {form}{lacks}"),
            None => of,
        }
    }

    /// A path in it: `$.items of content[0]`. The root of the only part is that part.
    pub(super) fn with_path(&self, path: &str) -> String {
        match (path, self.is_only) {
            ("$", true) => self.named(),
            _ => format!("{}{}", shorten(path), self.suffix()),
        }
    }

    /// By itself: `content[0] as CSV`. Empty for the only part in its own notation.
    pub(super) fn named(&self) -> String {
        let suffix = self.suffix();
        let named = suffix.strip_prefix(" of ").unwrap_or(&suffix);
        named.trim_start().to_owned()
    }
}

/// Strings of at least this length are opened, in bytes between the quotes, and as many layers of them: as the filter
/// `unwrap` does without settings.
const LEAST_OPENED_BYTES: u32 = 16;
const OPENED_LAYERS: usize = 3;

pub(super) struct DocumentView<'o> {
    /// The text to which the tape's offsets refer.
    source: Cow<'o, str>,
    /// Built at its first use; `None` inside: this is text.
    tape: OnceCell<Option<Tape>>,
    /// The value on the tape that is the document.
    root: u32,
    /// The part that it is, or of which it is a value.
    pub(super) part: Part,
    /// Path to the string that contains this document, if it is JSON inside JSON.
    pub(super) within: String,
    /// It was read from a notation in which numbers are texts, such as CSV.
    pub(super) is_of_texts: bool,
}

impl<'o> DocumentView<'o> {
    /// A document that is JSON if its text is an object or an array.
    pub(super) fn of_text(text: Cow<'o, str>, part: Part) -> DocumentView<'o> {
        DocumentView {
            source: text,
            tape: OnceCell::new(),
            root: 0,
            part,
            within: "$".to_owned(),
            is_of_texts: false,
        }
    }

    /// A table of a text, as JSON that is already indexed.
    pub(super) fn of_table(json: String, tape: Tape, part: Part) -> DocumentView<'static> {
        DocumentView {
            tape: OnceCell::from(Some(tape)),
            ..DocumentView::of_text(Cow::Owned(json), part)
        }
    }

    /// A document that is one value of a JSON text already indexed.
    pub(super) fn of_node(source: &'o str, tape: Tape, root: u32, part: Part) -> DocumentView<'o> {
        DocumentView {
            tape: OnceCell::from(Some(tape)),
            root,
            ..DocumentView::of_text(Cow::Borrowed(source), part)
        }
    }

    /// The data in a string of this document, or the tables of a page in it, if it contains any.
    pub(super) fn unwrap_string(&self, node: Node) -> Option<DocumentView<'static>> {
        if node.kind != NodeKind::String {
            return None;
        }
        let text = self.string(node).into_owned();
        let mut view = DocumentView::of_text(Cow::Owned(text), self.part.clone());
        if view.tape().is_none() {
            view = recognised::view_or_page(&view)?;
            view.part = self.part.clone();
            view.tape()?;
        }
        view = view.in_characters().unwrap_or(view);
        view.part = self.part.clone();
        view.within = self.path_of(node);
        Some(view)
    }

    /// What a text says that is one string of JSON or Python, as the filters `unwrap` and `summary` read it. None: it is
    /// no such text.
    pub(super) fn said(&self) -> Option<DocumentView<'static>> {
        if self.root != 0 || self.tape().is_some() {
            return None;
        }
        let text = tamis_formats::as_shown(&self.source);
        let of = |said: String, form: &dyn fmt::Display| {
            DocumentView::of_text(Cow::Owned(said), self.part.in_form(form))
        };
        if let Some(said) = tamis_formats::text_of_quoted(&text) {
            return Some(of(said.text, &format_args!("text in a {}", said.notation)));
        }
        let json = json_in_string(&text, OPENED_LAYERS)?;
        let view = of(json, &"JSON in a JSON string");
        view.tape()?;
        Some(view)
    }

    /// JSON with characters in place of their escapes, as the filter `unwrap` writes it. None: it has no such escape.
    pub(super) fn in_characters(&self) -> Option<DocumentView<'static>> {
        self.tape()?;
        let Cow::Owned(json) = tamis_formats::without_spelled_characters(self.text()) else {
            return None;
        };
        let part = self.part.in_form("characters for escapes");
        let view = DocumentView {
            within: self.within.clone(),
            is_of_texts: self.is_of_texts,
            ..DocumentView::of_text(Cow::Owned(json), part)
        };
        view.tape()?;
        Some(view)
    }

    /// The document as the filter `unwrap` leaves it: JSON in place of each string that contains it. None: no string
    /// does.
    pub(super) fn opened(&self) -> Option<DocumentView<'static>> {
        let tape = self.tape()?;
        let json = open_strings(&self.source, tape, self.root()?, OPENED_LAYERS)?;
        let json = tamis_formats::without_spelled_characters(&json).into_owned();
        let view = DocumentView {
            within: self.within.clone(),
            is_of_texts: self.is_of_texts,
            ..DocumentView::of_text(Cow::Owned(json), self.part.clone())
        };
        view.tape()?;
        Some(view)
    }

    /// A value of this document as a document of its own.
    pub(super) fn inside(&self, index: u32) -> DocumentView<'_> {
        let Some(tape) = self.tape() else {
            return DocumentView::of_text(Cow::Borrowed(&self.source), self.part.clone());
        };
        let node = tape.node(index);
        let mut view = match node.kind {
            NodeKind::String => DocumentView::of_text(self.string(node), self.part.clone()),
            _ => DocumentView::of_node(&self.source, tape.clone(), index, self.part.clone()),
        };
        view.within = self.path_of(node);
        view.is_of_texts = self.is_of_texts && node.kind != NodeKind::String;
        view
    }

    /// The text of a list of strings, one after the other, as `summary` numbers its lines: a line break between
    /// two, unless the first ends with one.
    pub(super) fn strings_together(&self, list: Node) -> Option<DocumentView<'static>> {
        let tape = self.tape().filter(|_| list.kind == NodeKind::Array)?;
        let mut text = String::new();
        for (place, line) in tape.elements(list).enumerate() {
            if line.kind != NodeKind::String {
                return None;
            }
            if place > 0 {
                text.push('\n');
            }
            let line = self.string(line);
            text.push_str(line.strip_suffix('\n').unwrap_or(&line));
        }
        let mut view = DocumentView::of_text(Cow::Owned(text), self.part.clone());
        view.within = self.path_of(list);
        Some(view)
    }

    /// The part, and the path to this document in it, if it is a value inside the part.
    pub(super) fn address(&self) -> String {
        match self.within.as_str() {
            "$" => self.part.named(),
            path => self.part.with_path(path),
        }
    }

    /// What follows a number of its lines or rows: ` of $.log of content[0]`.
    pub(super) fn suffix(&self) -> String {
        match self.within.as_str() {
            "$" => self.part.suffix(),
            path => format!(" of {}", self.part.with_path(path)),
        }
    }

    pub(super) fn tape(&self) -> Option<&Tape> {
        let built = self.tape.get_or_init(|| {
            let first = self.source.trim_start_matches([' ', '\n', '\r', '\t']);
            if !first.starts_with(['{', '[']) {
                return None;
            }
            Tape::build_with_depth(&self.source, DEPTH).ok()
        });
        built.as_ref()
    }

    pub(super) fn root(&self) -> Option<Node> {
        self.tape().map(|tape| tape.node(self.root))
    }

    /// All of it, exactly as spelled.
    pub(super) fn text(&self) -> &str {
        match self.tape.get() {
            // The whole text, with the whitespace around the value.
            Some(Some(tape)) if self.root > 0 => self.spelling(tape.node(self.root)),
            _ => &self.source,
        }
    }

    /// A value or key in its exact spelling.
    pub(super) fn spelling(&self, node: Node) -> &str {
        &self.source[node.start as usize..node.end as usize]
    }

    /// A value as spelled, but on one line: whitespace with line breaks is left out.
    pub(super) fn on_one_line(&self, node: Node) -> Cow<'_, str> {
        on_one_line(self.spelling(node))
    }

    /// A member of an object, key and value, on one line.
    pub(super) fn member_on_one_line(&self, key: Node, value: Node) -> Cow<'_, str> {
        on_one_line(&self.source[key.start as usize..value.end as usize])
    }

    /// The decoded text of a string or key. Halves of surrogate pairs become U+FFFD.
    pub(super) fn string(&self, node: Node) -> Cow<'_, str> {
        let spelling = self.spelling(node);
        if node.escaped {
            Cow::Owned(decode(spelling).0)
        } else {
            Cow::Borrowed(spelling.get(1..spelling.len() - 1).unwrap_or_default())
        }
    }

    pub(super) fn path_of(&self, node: Node) -> String {
        Locator::new(self).path(node.index)
    }

    /// The container that this document stands in, if it is a value of a larger one.
    pub(super) fn holder(&self) -> Option<Node> {
        let tape = self.tape()?;
        let mut holder = None;
        let mut around = tape.root();
        while around.index < self.root {
            let is_around = |node: &Node| (node.index..node.next).contains(&self.root);
            let members = tape.members(around).map(|(_, value)| value);
            holder = Some(around);
            around = tape.elements(around).chain(members).find(is_around)?;
        }
        holder
    }

    /// `an array of 20`, for errors.
    pub(super) fn description(&self, node: Node) -> String {
        match node.kind {
            NodeKind::Array => format!("an array of {}", grouped(self.count(node))),
            NodeKind::Object => format!("an object of {} keys", grouped(self.count(node))),
            NodeKind::String | NodeKind::Key => format!(
                "a string of {} characters",
                grouped(characters(&self.string(node)))
            ),
            NodeKind::Number => "a number".to_owned(),
            NodeKind::Null => "null".to_owned(),
            NodeKind::True | NodeKind::False => "a boolean".to_owned(),
        }
    }

    /// Elements or members directly inside a container.
    pub(super) fn count(&self, container: Node) -> u64 {
        /// From this number on, a tape does not tell the number of members.
        const TAPE_COUNTS: u32 = (1 << 24) - 1;
        if container.children < TAPE_COUNTS {
            return u64::from(container.children);
        }
        self.tape().map_or(0, |tape| {
            (tape.elements(container).count() + tape.members(container).count()) as u64
        })
    }
}

/// Writes paths of nodes. Asked for in document order, all of them together take one walk.
pub(super) struct Locator<'v> {
    view: &'v DocumentView<'v>,
    /// The containers around the last node: the container, the position of the current child in it, and the
    /// child (for a member its key).
    around: Vec<(Node, u64, u32)>,
}

impl<'v> Locator<'v> {
    pub(super) fn new(view: &'v DocumentView<'_>) -> Locator<'v> {
        Locator {
            view,
            around: Vec::new(),
        }
    }

    /// The path of the value at `target`, which is inside the document.
    pub(super) fn path(&mut self, target: u32) -> String {
        self.find(target);
        let mut path = self.view.within.clone();
        for level in 0..self.around.len() {
            self.push_step(&mut path, level);
        }
        path
    }

    /// A label of a node with only the open steps: `open` has an entry for each level, or also for those above.
    pub(super) fn label(&mut self, target: u32, open: &[bool]) -> String {
        self.find(target);
        let above = open.len().saturating_sub(self.around.len());
        let mut label = String::new();
        for (level, is_open) in open[above..].iter().enumerate() {
            if *is_open {
                self.push_step(&mut label, level);
            }
        }
        label
    }

    /// The elements of lists that the last value stands in, the innermost first.
    pub(super) fn rows(&self) -> impl Iterator<Item = Node> {
        let tape = self.view.tape();
        let around = self.around.iter().rev();
        around.filter_map(move |(container, _, child)| match container.kind {
            NodeKind::Array => tape.map(|tape| tape.node(*child)),
            _ => None,
        })
    }

    /// The container of the value at `target`.
    pub(super) fn holder(&mut self, target: u32) -> Option<u32> {
        self.find(target);
        self.around.last().map(|(container, ..)| container.index)
    }

    fn push_step(&self, path: &mut String, level: usize) {
        let Some(tape) = self.view.tape() else { return };
        let (container, place, child) = self.around[level];
        if container.kind == NodeKind::Object {
            let key = tape.node(child);
            push_name(path, &self.view.string(key), self.view.spelling(key));
        } else {
            // Writing to a string does not fail.
            let _ = write!(path, "[{place}]");
        }
    }

    /// Finds the containers around `target`.
    fn find(&mut self, target: u32) {
        let Some(tape) = self.view.tape() else { return };
        self.around
            .retain(|(container, ..)| container.index < target && target < container.next);
        if let Some(&(_, _, child)) = self.around.last()
            && target < child
        {
            self.around.clear();
        }
        let mut outer = match self.around.pop() {
            Some(last) => Some(last),
            None => self.view.root().map(|root| (root, 0, root.index + 1)),
        };
        while let Some((container, mut place, mut child)) = outer {
            if container.index >= target || container.next <= target {
                break;
            }
            while tape.node(child).next <= target {
                child = tape.node(child).next;
                place += 1;
            }
            self.around.push((container, place, child));
            let of_object = container.kind == NodeKind::Object;
            let value = tape.node(child + u32::from(of_object));
            outer = Some((value, 0, value.index + 1));
        }
    }
}

/// Appends the step to a member: `.name`, or `["odd name"]` with the key as it was spelled.
pub(super) fn push_name(path: &mut String, name: &str, spelling: &str) {
    let plain = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    if !name.is_empty() && name.chars().all(plain) {
        path.push('.');
        path.push_str(name);
    } else {
        path.push('[');
        path.push_str(spelling);
        path.push(']');
    }
}

fn on_one_line(json: &str) -> Cow<'_, str> {
    let bytes = json.as_bytes();
    if memchr::memchr2(b'\n', b'\r', bytes).is_none() {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len());
    // Copied or left out up to here.
    let mut done = 0;
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => at = after_string(bytes, at),
            b' ' | b'\t' | b'\n' | b'\r' => {
                let space = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
                let run = bytes[at..].iter().take_while(|&byte| space(byte)).count();
                let breaks = bytes[at..at + run]
                    .iter()
                    .any(|byte| matches!(byte, b'\n' | b'\r'));
                if breaks {
                    out.push_str(&json[done..at]);
                    done = at + run;
                }
                at += run;
            }
            _ => at += 1,
        }
    }
    out.push_str(&json[done..]);
    Cow::Owned(out)
}

/// The end of the string that begins at `at`.
fn after_string(bytes: &[u8], at: usize) -> usize {
    let mut at = at + 1;
    while let Some(found) = bytes
        .get(at..)
        .and_then(|rest| memchr::memchr2(b'"', b'\\', rest))
    {
        if bytes[at + found] == b'"' {
            return at + found + 1;
        }
        at += found + 2;
    }
    bytes.len()
}

/// The decoded text of a JSON string, and whether it is all Unicode: halves of surrogate pairs are not, and
/// become U+FFFD.
pub(super) fn decode(spelling: &str) -> (String, bool) {
    if let Ok(text) = serde_json::from_str(spelling) {
        return (text, true);
    }
    let bytes = serde_json::from_str::<Loose>(spelling)
        .map_or_else(|_| spelling.as_bytes().to_vec(), |Loose(bytes)| bytes);
    (String::from_utf8_lossy(&bytes).into_owned(), false)
}

/// A string as bytes, which is how `serde_json` hands out one that is not Unicode.
struct Loose(Vec<u8>);

impl<'de> Deserialize<'de> for Loose {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Loose, D::Error> {
        struct Bytes;
        impl Visitor<'_> for Bytes {
            type Value = Loose;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a string")
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Loose, E> {
                Ok(Loose(bytes.to_vec()))
            }
        }
        deserializer.deserialize_bytes(Bytes)
    }
}

/// The text of the JSON that a string of JSON says, in so many layers of strings at most.
fn json_in_string(text: &str, layers: usize) -> Option<String> {
    let quoted = text.trim_matches([' ', '\n', '\r', '\t']);
    let mut said = serde_json::from_str::<String>(quoted).ok()?;
    for _ in 1..layers {
        match serde_json::from_str::<String>(&said) {
            Ok(inner) => said = inner,
            Err(_) => break,
        }
    }
    said.trim_start().starts_with(['{', '[']).then_some(said)
}

/// A value with JSON in place of each string that contains it. None: no string does.
fn open_strings(source: &str, tape: &Tape, root: Node, layers: usize) -> Option<String> {
    let mut opened = String::new();
    let mut copied = root.start as usize;
    for index in root.index..root.next {
        let node = tape.node(index);
        let (start, end) = (node.start as usize, node.end as usize);
        if node.kind != NodeKind::String
            || node.end - node.start < LEAST_OPENED_BYTES + 2
            || !matches!(source.as_bytes()[start + 1], b'{' | b'[' | b'\\' | b' ')
        {
            continue;
        }
        if let Some(json) = open(&decode(&source[start..end]).0, layers) {
            opened.push_str(&source[copied..start]);
            opened.push_str(&json);
            copied = end;
        }
    }
    if opened.is_empty() {
        return None;
    }
    opened.push_str(&source[copied..root.end as usize]);
    Some(opened)
}

/// The object or list in a string, with its own strings opened.
fn open(said: &str, layers: usize) -> Option<String> {
    let layers = layers.checked_sub(1)?;
    let said = said.trim_matches([' ', '\n', '\r', '\t']);
    if !said.starts_with(['{', '[', '"']) {
        return None;
    }
    let tape = Tape::build_with_depth(said, DEPTH).ok()?;
    let root = tape.root();
    match root.kind {
        // A string in a string of JSON.
        NodeKind::String => open(&decode(said).0, layers),
        _ => open_strings(said, &tape, root, layers).or_else(|| Some(said.to_owned())),
    }
}
