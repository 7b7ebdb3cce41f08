//! Builders for a filter's answers.

use crate::guest::bindings::tamis::filter::types;
use crate::json;
use crate::{Kind, Node, Verdict};

const REMOVE: u32 = 0;
const REPLACE: u32 = 1;
const RENAME: u32 = 2;
const APPEND: u32 = 3;

/// A whole new document, which must be JSON.
///
/// # Examples
///
/// ```
/// use tamis_sdk::{rewritten_json, testing::Bench};
///
/// let bench = Bench::of(|document, _call| {
///     let lines = document.text().lines().map(tamis_sdk::quote);
///     Ok(rewritten_json(format!("[{}]", lines.collect::<Vec<_>>().join(","))))
/// });
/// let applied = bench.apply("one\ntwo");
/// assert_eq!(applied.text(), r#"["one","two"]"#);
/// assert!(applied.is_json());
/// ```
pub fn rewritten_json(json: String) -> Verdict {
    rewritten(Kind::Json, json)
}

/// A whole new document of text.
///
/// # Examples
///
/// ```
/// use tamis_sdk::{rewritten_text, testing::Bench};
///
/// let bench = Bench::of(|document, _call| {
///     let lines: Vec<&str> = document.text().lines().map(str::trim_end).collect();
///     Ok(rewritten_text(lines.join("\n")))
/// });
/// let applied = bench.apply("one  \ntwo");
/// assert_eq!(applied.text(), "one\ntwo");
/// assert!(!applied.is_json());
/// ```
pub fn rewritten_text(text: String) -> Verdict {
    rewritten(Kind::Text, text)
}

fn rewritten(kind: Kind, text: String) -> Verdict {
    Verdict::Rewritten(types::Rewrite { kind, text })
}

/// Changes to a JSON document. Without edits, the verdict is `unchanged`.
///
/// # Examples
///
/// ```
/// use tamis_sdk::{Edits, testing::Bench};
///
/// let bench = Bench::of(|document, _call| {
///     let mut edits = Edits::new();
///     let root = document.root().ok_or("a text")?;
///     for (key, value) in root.members() {
///         match document.string(key).as_deref() {
///             Some("noise") => edits.remove(key),
///             Some("state") => edits.replace(value, r#""open""#),
///             Some("ttl") => edits.rename(key, "seconds"),
///             Some("ids") => edits.append_element(value, "3"),
///             _ => {}
///         }
///     }
///     edits.append_member(root, "count", &edits.len().to_string());
///     Ok(edits.into())
/// });
/// let applied = bench.apply(r#"{"noise":0,"state":null,"ttl":60,"ids":[1,2]}"#);
/// assert_eq!(applied.text(), r#"{"state":"open","seconds":60,"ids":[1,2,3],"count":4}"#);
/// ```
#[derive(Default)]
pub struct Edits {
    operations: Vec<u32>,
    text: String,
}

impl Edits {
    /// Makes a list without edits.
    ///
    /// [Example](Edits#examples).
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether the list has no edits.
    ///
    /// [Example](Edits#examples).
    pub fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }

    /// The number of edits so far.
    ///
    /// [Example](Edits#examples).
    pub fn len(&self) -> usize {
        self.operations.len() / 4
    }

    /// Discards the edits after the first `len`.
    ///
    /// # Examples
    ///
    /// ```
    /// use tamis_sdk::{Edits, testing::Bench};
    ///
    /// // Adds a 9 to a list, and removes the zeros unless nothing else is in it.
    /// let bench = Bench::of(|document, _call| {
    ///     let mut edits = Edits::new();
    ///     let list = document.root().ok_or("a text")?;
    ///     assert!(edits.is_empty());
    ///     edits.append_element(list, "9");
    ///     let before = edits.len();
    ///     for element in list.elements().filter(|element| document.raw(*element) == "0") {
    ///         edits.remove(element);
    ///     }
    ///     if edits.len() - before == list.children() as usize {
    ///         edits.truncate(before);
    ///         assert!(!edits.is_empty());
    ///     }
    ///     Ok(edits.into())
    /// });
    /// assert_eq!(bench.apply("[0,1,0]").text(), "[1,9]");
    /// assert_eq!(bench.apply("[0,0]").text(), "[0,0,9]");
    /// ```
    pub fn truncate(&mut self, len: usize) {
        self.operations.truncate(len * 4);
    }

    /// Removes a member (by its key) or an element.
    ///
    /// [Example](Edits#examples).
    pub fn remove(&mut self, key_or_element: Node<'_>) {
        self.operations
            .extend_from_slice(&[REMOVE, key_or_element.index(), 0, 0]);
    }

    /// Replaces a value by JSON.
    ///
    /// [Example](Edits#examples).
    pub fn replace(&mut self, value: Node<'_>, json: &str) {
        self.with_operand(REPLACE, value, |text| text.push_str(json));
    }

    /// Renames a member's key.
    ///
    /// [Example](Edits#examples).
    pub fn rename(&mut self, key: Node<'_>, name: &str) {
        self.with_operand(RENAME, key, |text| json::push_quoted(text, name));
    }

    /// Adds a member at an object's end; `json` is its value.
    ///
    /// [Example](Edits#examples).
    pub fn append_member(&mut self, object: Node<'_>, name: &str, json: &str) {
        self.with_operand(APPEND, object, |text| {
            json::push_quoted(text, name);
            text.push(':');
            text.push_str(json);
        });
    }

    /// Adds an element, given as JSON, at an array's end.
    ///
    /// [Example](Edits#examples).
    pub fn append_element(&mut self, array: Node<'_>, json: &str) {
        self.with_operand(APPEND, array, |text| text.push_str(json));
    }

    fn with_operand(&mut self, operation: u32, node: Node<'_>, write: impl FnOnce(&mut String)) {
        let start = self.text.len() as u32;
        write(&mut self.text);
        let end = self.text.len() as u32;
        self.operations
            .extend_from_slice(&[operation, node.index(), start, end]);
    }
}

impl From<Edits> for Verdict {
    fn from(edits: Edits) -> Verdict {
        if edits.is_empty() {
            return Verdict::Unchanged;
        }
        Verdict::Edited(types::Edits {
            operations: edits.operations,
            text: edits.text,
        })
    }
}

/// Changes to a document's text. Without splices, the verdict is `unchanged`.
///
/// # Examples
///
/// ```
/// use tamis_sdk::{Splices, testing::Bench};
///
/// let bench = Bench::of(|document, _call| {
///     let mut splices = Splices::new();
///     for (at, word) in document.text().match_indices("password") {
///         splices.replace(at as u32, (at + word.len()) as u32, "***");
///     }
///     Ok(splices.into())
/// });
/// assert_eq!(bench.apply("the password: password").text(), "the ***: ***");
/// assert!(!bench.apply("nothing to hide").changed);
/// ```
#[derive(Default)]
pub struct Splices {
    ranges: Vec<u32>,
    text: String,
}

impl Splices {
    /// Makes a list without splices.
    ///
    /// [Example](Splices#examples).
    pub fn new() -> Self {
        Self::default()
    }

    /// Replaces the bytes from `start` up to `end` by `replacement`.
    ///
    /// [Example](Splices#examples).
    pub fn replace(&mut self, start: u32, end: u32, replacement: &str) {
        let from = self.text.len() as u32;
        self.text.push_str(replacement);
        let to = self.text.len() as u32;
        self.ranges.extend_from_slice(&[start, end, from, to]);
    }
}

impl From<Splices> for Verdict {
    fn from(splices: Splices) -> Verdict {
        if splices.ranges.is_empty() {
            return Verdict::Unchanged;
        }
        Verdict::Spliced(types::Splices {
            ranges: splices.ranges,
            text: splices.text,
        })
    }
}
