//! The failure of a step of a chain, stored with its call: enough to call the filter on the same document
//! again.

use crate::document::{Document, Kind};
use crate::policy::{LIMITS, Limits};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A failed step, and its input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The filter's name in the policy.
    pub filter: String,
    /// The plugin's own name, and its version.
    pub plugin: String,
    pub version: String,
    /// SHA-256 of the plugin's file in hex; none: a filter that is part of Tamis.
    pub sha256: Option<String>,
    /// Its settings.
    pub settings: Map<String, Value>,
    /// Its limits by their keys, in microseconds, bytes and things.
    pub limits: Map<String, Value>,
    /// `content`, `structured-content` or `whole`.
    pub part: String,
    /// Place of the block in `content`, from 0.
    pub index: u32,
    /// The server marked the result as an error.
    pub is_error: bool,
    /// Name of the outcome: `trap`, `timeout` and so on.
    pub outcome: String,
    /// The error message.
    pub error: String,
    /// Whether the document was JSON to the filter.
    pub is_json: bool,
    /// The document, as the steps before had left it.
    pub document: String,
}

impl Failure {
    /// The document as the filter was given it.
    pub fn document(&self) -> Document {
        match self.is_json {
            true => Document::detect(self.document.as_str()),
            false => Document::text_only(self.document.as_str()),
        }
    }

    /// The limits that the step had; the default where the file does not say.
    pub fn limits(&self) -> Limits {
        let given = |name: &str| self.limits.get(name).and_then(Value::as_u64);
        LIMITS.iter().fold(Limits::default(), |limits, row| {
            let value = given(row.name).filter(|value| (row.least..=row.most).contains(value));
            value.map_or(limits, |value| limits.with(row.key, value))
        })
    }

    /// Limits as a file has them.
    pub fn limits_by_key(limits: &Limits) -> Map<String, Value> {
        let rows = LIMITS.iter();
        rows.map(|row| (row.name.to_owned(), limits.value(row.key).into()))
            .collect()
    }

    /// Whether a document was JSON to the filter.
    pub fn is_json(document: &Document) -> bool {
        document.kind() == Kind::Json
    }

    /// Memory that it holds, near enough.
    pub(super) fn memory_bytes(&self) -> usize {
        size_of::<Failure>() + self.document.len() + self.error.len()
    }
}
