//! The kinds of a server's output that a chain can be bound to (`on`).

use super::conditions::{Conditions, Fit, Piece};
use super::pattern::{self, ToolPattern};

/// A kind of output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Surface {
    /// Results of tool calls.
    Result,
    /// The server's instructions to the model.
    Instructions,
    /// Tools' descriptions in the list of tools.
    Description,
    /// Messages of prompts.
    Prompt,
    /// Contents of resources.
    Resource,
    /// Results in a transcript, for `tamis history`.
    History,
    /// Arguments of calls of tools, before the server gets them. A change by a chain is not sent.
    Arguments,
    /// Each message of the server, whole, before any other chain: results, errors, lists, notifications,
    /// requests, and any message that later protocols add.
    Message,
}

impl Surface {
    /// Every value with its spelling in filters.toml.
    pub const ALL: [(&'static str, Surface); 8] = [
        ("result", Surface::Result),
        ("instructions", Surface::Instructions),
        ("description", Surface::Description),
        ("prompt", Surface::Prompt),
        ("resource", Surface::Resource),
        ("history", Surface::History),
        ("arguments", Surface::Arguments),
        ("*", Surface::Message),
    ];

    /// Its name in filters.toml. Plugins know a whole message as `message`.
    pub fn name(self) -> &'static str {
        let mut all = Surface::ALL.into_iter();
        all.find(|(_, surface)| *surface == self)
            .map_or("", |(name, _)| name)
    }
}

/// The output that a chain is bound to.
#[derive(Debug, Clone, Default)]
pub struct Binding {
    /// `on`; by default, results. Empty: nothing, and `[record]` may name the chain.
    pub on: Vec<Surface>,
    /// Tools, for results, descriptions and transcripts.
    pub tools: Vec<ToolPattern>,
    /// Prompts by name.
    pub prompts: Vec<ToolPattern>,
    /// Resources by URI.
    pub resources: Vec<ToolPattern>,
    /// The other conditions.
    pub conditions: Conditions,
}

impl Binding {
    /// Whether the chain gets a piece of output.
    pub fn fit(&self, piece: &Piece<'_>) -> Fit {
        match self.names(piece.surface, piece.name) {
            true => self.conditions.fit(piece),
            false => Fit::No,
        }
    }

    /// Whether the chain is bound to output of this name, if its conditions hold. `name`: of the tool or prompt, or
    /// the URI of the resource; the instructions have none.
    pub fn names(&self, surface: Surface, name: &str) -> bool {
        if !self.on.contains(&surface) {
            return false;
        }
        let patterns = self.patterns(surface);
        pattern::matches_any(patterns, name)
            || matches!(surface, Surface::Instructions | Surface::Message)
    }

    /// The patterns of a kind of output; none for the instructions and whole messages, which have no name.
    pub fn patterns(&self, surface: Surface) -> &[ToolPattern] {
        match surface {
            Surface::Instructions | Surface::Message => &[],
            Surface::Result | Surface::Description | Surface::History | Surface::Arguments => {
                &self.tools
            }
            Surface::Prompt => &self.prompts,
            Surface::Resource => &self.resources,
        }
    }
}
