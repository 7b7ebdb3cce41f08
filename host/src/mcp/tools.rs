//! The upstream's tools, as far as a connection has seen them: which were listed, how the client sees them, and
//! which were called earlier.
//!
//! The list that the client was shown counts until the client lists again, under every later policy.
//! The client checks results against the schemas in that list, and calls the tools in it.

use super::listing::{Change, ListedTool};
use super::shape::OutputSchema;
use crate::json_schema::Guarded;
use crate::lock::lock;
use crate::policy::OUTPUT_SCHEMA;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

/// Tools that change nothing come first in most sessions. More of them cost more in each request than a search does.
const READERS: usize = 8;

/// Few tools are called without having been listed, unless a client probes for them.
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
    /// The first tools that change nothing.
    readers: Vec<String>,
    /// Called before they were listed.
    unlisted: HashSet<String>,
    /// Name of the read tool in the client's list; the outer none: the client has no list.
    read_tool: Option<Option<String>>,
    /// The client's list has no tool, since the policy requires one that the upstream does not have.
    is_closed: bool,
}

/// The facts about a listed tool that matter here.
pub(super) struct Facts {
    pub(super) name: String,
    /// The description from the upstream.
    pub(super) description: Option<String>,
    /// A user interface is bound to the tool.
    pub(super) has_ui: bool,
    /// The tool is one of the first of its server that change nothing.
    pub(super) is_reader: bool,
    /// The tool was answered as text before it was listed.
    pub(super) answered_as_text: bool,
    /// The tool's `outputSchema`, if it has one.
    schema: Option<Schema>,
    /// The tool's changes in the client's list.
    pub(super) shown: Change,
}

/// A tool's `outputSchema`.
struct Schema {
    raw: String,
    /// Made when it is first asked for; none, if it is no schema.
    guarded: OnceLock<Option<Guarded>>,
}

impl Tools {
    /// The facts about a tool of a list.
    pub(super) fn facts(&self, tool: &ListedTool<'_>) -> Facts {
        Facts {
            name: tool.name.to_owned(),
            description: tool.description.map(str::to_owned),
            has_ui: tool.has_ui,
            is_reader: false,
            answered_as_text: self.seen().unlisted.contains(tool.name),
            schema: tool.output_schema.map(|raw| Schema {
                raw: raw.to_owned(),
                guarded: OnceLock::new(),
            }),
            shown: Change::default(),
        }
    }

    /// Whether a tool that changes nothing is one of the first, in all lists of the connection.
    pub(super) fn is_reader(&self, tool: &str) -> bool {
        let readers = &mut self.seen().readers;
        let is_known = readers.iter().any(|name| name == tool);
        if !is_known && readers.len() < READERS {
            readers.push(tool.to_owned());
            return true;
        }
        is_known
    }

    /// Notes a tool as the client sees it.
    pub(super) fn show(&self, facts: Facts) {
        self.seen()
            .listed
            .insert(facts.name.clone(), Arc::new(facts));
    }

    /// Notes the name of the read tool in the list that the client gets, if the list contains it.
    pub(super) fn show_read_tool(&self, name: Option<&str>) {
        self.seen().read_tool = Some(name.map(str::to_owned));
    }

    /// The facts about a tool that is answered now.
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

    /// Whether the upstream has listed a tool with such a name.
    pub(super) fn any_listed(&self, fits: impl Fn(&str) -> bool) -> bool {
        self.seen().listed.keys().any(|name| fits(name))
    }

    /// Notes whether the client's list has no tool, since a required one is missing.
    pub(super) fn show_closed(&self, is_closed: bool) {
        self.seen().is_closed = is_closed;
    }

    /// Whether the client's list has no tool, since a required one is missing.
    pub(super) fn is_shown_closed(&self) -> bool {
        self.seen().is_closed
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
    /// The schema that a new `structuredContent` must fit.
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

    /// Whether the client checks results against the tool's schema.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_names_that_no_list_has_are_noted() {
        let tools = Tools::default();
        assert!(tools.called(&"x".repeat(UNLISTED_BYTES + 1)).is_none());
        assert_eq!(tools.seen().unlisted.len(), 0);
        for name in 0..UNLISTED_KEPT + 10 {
            assert!(tools.called(&name.to_string()).is_none());
        }
        assert_eq!(tools.seen().unlisted.len(), UNLISTED_KEPT);
    }
}
