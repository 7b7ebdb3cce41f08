//! The upstream's tools, as far as a connection has seen them: what was listed, and how the client got to
//! see it; what was called before.
//!
//! What the client was shown counts until it lists anew, whatever policy is in force by then: it holds
//! results against the schemas that it was shown, and calls the tools that it was shown.

use super::listing::{Change, ListedTool};
use super::shape::OutputSchema;
use crate::json_schema::Guarded;
use crate::lock::lock;
use crate::policy::OUTPUT_SCHEMA;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

/// Tools that are called without having been listed are few, unless somebody is up to something.
const UNLISTED_KEPT: usize = 1000;

/// A longer name is not noted.
const UNLISTED_BYTES: usize = 1024;

/// The tools of a connection.
#[derive(Default)]
pub(super) struct Tools {
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    listed: HashMap<String, Arc<Facts>>,
    /// Called before they were listed.
    unlisted: HashSet<String>,
    /// How the read tool is called in the list that the client has; the outer none: it has no list.
    read_tool: Option<Option<String>>,
}

/// What matters of a tool that was listed.
pub(super) struct Facts {
    pub(super) name: String,
    /// As the upstream has it.
    pub(super) description: Option<String>,
    /// A user interface is bound to it.
    pub(super) has_ui: bool,
    /// It was answered as text before it was listed.
    pub(super) answered_as_text: bool,
    /// Its `outputSchema`, if it has one.
    schema: Option<Schema>,
    /// What of it is different in the list that the client has.
    pub(super) shown: Change,
}

/// A tool's `outputSchema`.
struct Schema {
    raw: String,
    /// Made when it is first asked for; none, if it is no schema.
    guarded: OnceLock<Option<Guarded>>,
}

impl Tools {
    /// What there is to know of a tool of a list.
    pub(super) fn facts(&self, tool: &ListedTool<'_>) -> Facts {
        Facts {
            name: tool.name.to_owned(),
            description: tool.description.map(str::to_owned),
            has_ui: tool.has_ui,
            answered_as_text: self.seen().unlisted.contains(tool.name),
            schema: tool.output_schema.map(|raw| Schema {
                raw: raw.to_owned(),
                guarded: OnceLock::new(),
            }),
            shown: Change::default(),
        }
    }

    /// Notes a tool as the client gets to see it.
    pub(super) fn show(&self, facts: Facts) {
        self.seen()
            .listed
            .insert(facts.name.clone(), Arc::new(facts));
    }

    /// Notes how the read tool is called in the list that the client gets, if it is in it.
    pub(super) fn show_read_tool(&self, name: Option<&str>) {
        self.seen().read_tool = Some(name.map(str::to_owned));
    }

    /// What is known of a tool that is answered now.
    pub(super) fn called(&self, tool: &str) -> Option<Arc<Facts>> {
        let mut seen = self.seen();
        let facts = seen.listed.get(tool).cloned();
        let can_be_listed = tool.len() <= UNLISTED_BYTES && seen.unlisted.len() < UNLISTED_KEPT;
        if facts.is_none() && can_be_listed {
            seen.unlisted.insert(tool.to_owned());
        }
        facts
    }

    /// Whether the upstream has listed a tool of this name.
    pub(super) fn is_listed(&self, tool: &str) -> bool {
        self.seen().listed.contains_key(tool)
    }

    /// The tools that were listed.
    pub(super) fn listed(&self) -> Vec<Arc<Facts>> {
        self.seen().listed.values().cloned().collect()
    }

    /// The read tool in the list that the client has. None: it has no list.
    pub(super) fn shown_read_tool(&self) -> Option<Option<String>> {
        self.seen().read_tool.clone()
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        lock(&self.seen)
    }
}

impl Facts {
    /// What a new `structuredContent` has to fit.
    pub(super) fn schema(&self) -> OutputSchema<'_> {
        let Some(schema) = &self.schema else {
            return OutputSchema::None;
        };
        let guarded = schema.guarded.get_or_init(|| schema.read(&self.name));
        match guarded {
            Some(guarded) => OutputSchema::Known(guarded),
            None => OutputSchema::Unknown,
        }
    }

    pub(super) fn has_schema(&self) -> bool {
        self.schema.is_some()
    }

    /// Whether the client holds results against the tool's schema.
    pub(super) fn is_shown_with_schema(&self) -> bool {
        self.has_schema() && !self.shown.hidden && !self.shown.without_output_schema
    }
}

impl Schema {
    fn read(&self, tool: &str) -> Option<Guarded> {
        serde_json::from_str(&self.raw)
            .map_err(|error| error.to_string())
            .and_then(|schema| Guarded::new(schema, &OUTPUT_SCHEMA))
            .inspect_err(|error| {
                tracing::warn!(
                    tool,
                    "structuredContent stays unchanged: the tool's outputSchema cannot be used: {error}"
                );
            })
            .ok()
    }
}
