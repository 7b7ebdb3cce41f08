//! What a filter says of itself, built up from the three facts that every filter has.

use crate::{Fidelity, Growth};

/// A host import that the operator has to grant (`allow` in filters.toml).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Capability {
    /// [`log`](crate::log)
    Log,
    /// [`tokens`](crate::tokens)
    Tokens,
    /// [`set_result_meta`](crate::set_result_meta)
    ResultMeta,
    /// [`keep_original`](crate::keep_original)
    Original,
    /// [`session_value`](crate::session_value), [`set_session_value`](crate::set_session_value)
    Session,
    /// One that this SDK does not know, by its name. A Tamis that does not know it refuses the plugin.
    Named(&'static str),
}

impl Capability {
    /// Its name in the contract and in filters.toml.
    pub const fn name(self) -> &'static str {
        match self {
            Capability::Log => "log",
            Capability::Tokens => "tokens",
            Capability::ResultMeta => "result-meta",
            Capability::Original => "original",
            Capability::Session => "session",
            Capability::Named(name) => name,
        }
    }
}

/// What a filter is. Starts with the most careful promises: content may be cut, filtering twice
/// may change more, the document never grows.
pub struct Description {
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
    pub(crate) summary: &'static str,
    pub(crate) fidelity: Fidelity,
    pub(crate) wants: Vec<Capability>,
    pub(crate) idempotent: bool,
    pub(crate) growth: Growth,
    pub(crate) snapshot: bool,
}

impl Description {
    /// `name`: lower case, digits and hyphens. `summary`: one line.
    pub fn new(name: &'static str, version: &'static str, summary: &'static str) -> Self {
        Description {
            name,
            version,
            summary,
            fidelity: Fidelity::Partial,
            wants: Vec::new(),
            idempotent: false,
            growth: Growth::None,
            snapshot: false,
        }
    }

    /// How much of a document survives.
    pub fn fidelity(mut self, fidelity: Fidelity) -> Self {
        self.fidelity = fidelity;
        self
    }

    /// Imports that the operator has to grant.
    pub fn wants(mut self, capabilities: &[Capability]) -> Self {
        self.wants = capabilities.to_vec();
        self
    }

    /// Filtering twice always gives what filtering once gave.
    pub fn idempotent(mut self) -> Self {
        self.idempotent = true;
        self
    }

    /// The filter adds information on purpose, so a document may grow.
    pub fn may_grow(mut self) -> Self {
        self.growth = Growth::Lasting;
        self
    }

    /// The filter brings documents into a form that later steps make smaller, so they may grow in
    /// between.
    pub fn prepares(mut self) -> Self {
        self.growth = Growth::Interim;
        self
    }

    /// [`Filter::configure`](crate::Filter::configure) does work worth keeping: the host calls it once,
    /// at load, and each call begins with what it left in memory. It must depend on the settings alone
    /// and call nothing of the host's. Not with `Bump` for an allocator unless that work
    /// allocates little: what it left behind is in every instance.
    pub fn snapshot(mut self) -> Self {
        self.snapshot = true;
        self
    }
}
