//! The servers that answered, and all of their tools in one list.

use crate::mcp::inquiry::{ServerName, Tool};
use crate::policy::ToolPattern;
use crate::printable;
use std::ffi::OsString;

/// Most names in a message.
const NAMED: usize = 50;

/// Longest name in a message, in characters.
const NAME_SHOWN: usize = 128;

/// A server that answered.
#[derive(Debug, Clone)]
pub(super) struct Asked {
    /// The name that people know it by.
    pub(super) title: String,
    /// The name that it has in the policy.
    pub(super) name: String,
    /// Whether a chain may be bound to it by that name.
    pub(super) is_named: bool,
    /// The clients that have it.
    pub(super) origins: Vec<String>,
    /// The words after `tamis run --config FILE`.
    pub(super) words: Option<Vec<OsString>>,
    /// The server's own name.
    pub(super) says: ServerName,
}

/// All servers and tools.
#[derive(Debug, Default)]
pub(super) struct Listing {
    pub(super) servers: Vec<Asked>,
    /// The tools of all servers, each server's in its order.
    pub(super) tools: Vec<Tool>,
    /// The index of the server of each tool.
    pub(super) of: Vec<usize>,
}

impl Asked {
    /// Its name, on one line and not too long.
    pub(super) fn shown(&self) -> String {
        shown(&self.title)
    }

    /// Whether a chain can be bound to exactly this name.
    pub(super) fn can_be_bound(&self) -> bool {
        self.is_named && is_exact(&self.name)
    }
}

impl Listing {
    /// Adds a server and its tools.
    pub(super) fn add(&mut self, server: Asked, tools: Vec<Tool>) {
        let index = self.servers.len();
        self.servers.push(server);
        self.of.extend(tools.iter().map(|_| index));
        self.tools.extend(tools);
    }

    /// The server of a tool.
    pub(super) fn server(&self, tool: usize) -> &Asked {
        &self.servers[self.of[tool]]
    }

    /// The tools of a server, by their indexes.
    pub(super) fn tools_of(&self, server: usize) -> impl Iterator<Item = usize> {
        // They are in order.
        let start = self.of.partition_point(|other| *other < server);
        let end = self.of.partition_point(|other| *other <= server);
        start..end
    }

    /// The tools of this name, by their indexes.
    pub(super) fn named(&self, name: &str) -> Vec<usize> {
        let tools = self.tools.iter().enumerate();
        let named = tools.filter(|(_, tool)| tool.name == name);
        named.map(|(index, _)| index).collect()
    }

    /// The tools' names, for a message about one that is none.
    pub(super) fn names(&self) -> String {
        let mut names: Vec<&str> = self.tools.iter().map(|tool| tool.name.as_str()).collect();
        names.dedup();
        let more = names.len().saturating_sub(NAMED);
        names.truncate(NAMED);
        let mut text = names.into_iter().map(shown).collect::<Vec<_>>().join(", ");
        if more > 0 {
            text += &format!(" and {more} more");
        }
        text
    }
}

/// Whether a pattern can stand for exactly this name.
pub(super) fn is_exact(name: &str) -> bool {
    !name.contains('*') && ToolPattern::new(name).is_ok_and(|pattern| !pattern.excepts())
}

/// A name of others, on one line and not too long.
pub(super) fn shown(name: &str) -> String {
    let mut characters = name.chars();
    let short: String = characters.by_ref().take(NAME_SHOWN).collect();
    let more = if characters.next().is_some() {
        "…"
    } else {
        ""
    };
    printable::line(&short) + more
}
