//! The upstream's tools, as far as a connection has seen them: what was listed, what was called before.

use super::listing::ListedTool;
use super::shape::OutputSchema;
use jsonschema::Validator;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Tools that are called without having been listed are few, unless somebody is up to something.
const UNLISTED_KEPT: usize = 1000;

/// A schema with more references than this can take for ever to validate against, since each may stand
/// for two more.
const REFERENCES_IN_SCHEMA: usize = 16;

/// The tools of a connection.
#[derive(Default)]
pub(super) struct Tools {
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    listed: HashMap<String, Facts>,
    /// Called before they were listed.
    unlisted: HashSet<String>,
}

/// What matters of a tool that was listed.
#[derive(Clone)]
pub(super) struct Facts {
    /// A user interface is bound to it.
    pub(super) has_ui: bool,
    /// It was answered as text before it was listed.
    pub(super) answered_as_text: bool,
    schema: Schema,
}

/// A tool's `outputSchema`.
#[derive(Clone)]
enum Schema {
    None,
    /// It is there, but nobody has asked for it yet, or it is no schema.
    Unusable,
    Usable(Arc<Validator>),
}

impl Tools {
    /// Notes a tool of a list. `rewrites`: its new `structuredContent` will be held to its schema.
    pub(super) fn listed(&self, tool: &ListedTool<'_>, rewrites: bool) -> Facts {
        let schema = tool.output_schema.map_or(Schema::None, |schema| {
            Schema::read(tool.name, schema, rewrites)
        });
        let mut seen = self.seen();
        let facts = Facts {
            has_ui: tool.has_ui,
            answered_as_text: seen.unlisted.contains(tool.name),
            schema,
        };
        seen.listed.insert(tool.name.to_owned(), facts.clone());
        facts
    }

    /// What is known of a tool that is answered now.
    pub(super) fn called(&self, tool: &str) -> Option<Facts> {
        let mut seen = self.seen();
        let facts = seen.listed.get(tool).cloned();
        if facts.is_none() && seen.unlisted.len() < UNLISTED_KEPT {
            seen.unlisted.insert(tool.to_owned());
        }
        facts
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        // Never half changed.
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Facts {
    /// What a new `structuredContent` has to fit.
    pub(super) fn schema(&self) -> OutputSchema<'_> {
        match &self.schema {
            Schema::None => OutputSchema::None,
            Schema::Unusable => OutputSchema::Unknown,
            Schema::Usable(validator) => OutputSchema::Known(validator),
        }
    }
}

impl Schema {
    fn read(tool: &str, schema: &str, wanted: bool) -> Schema {
        if !wanted {
            return Schema::Unusable;
        }
        let references = schema.matches("$ref").count() + schema.matches("$dynamicRef").count();
        let validator = if references > REFERENCES_IN_SCHEMA {
            Err(format!(
                "it has {references} references, and {REFERENCES_IN_SCHEMA} are allowed"
            ))
        } else {
            serde_json::from_str(schema)
                .map_err(|error| error.to_string())
                .and_then(|schema| {
                    jsonschema::validator_for(&schema).map_err(|error| error.to_string())
                })
        };
        match validator {
            Ok(validator) => Schema::Usable(Arc::new(validator)),
            Err(error) => {
                tracing::warn!(
                    tool,
                    "structuredContent stays as it is: the tool's outputSchema cannot be used: {error}"
                );
                Schema::Unusable
            }
        }
    }
}
