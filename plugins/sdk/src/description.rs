//! The description of a filter, built from the three facts that every filter has.

use crate::{Fidelity, Growth};

/// A host import that requires a grant of the operator (`allow` in filters.toml).
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
    /// A capability that this SDK does not know, by its name. A Tamis that does not know it refuses the plugin.
    Named(&'static str),
}

impl Capability {
    /// The name in the contract and in filters.toml.
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

/// The description of a filter. It starts with the weakest promises: content may be cut, filtering twice may change
/// more. The document never grows.
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

    /// Sets how much of a document survives.
    pub fn fidelity(mut self, fidelity: Fidelity) -> Self {
        self.fidelity = fidelity;
        self
    }

    /// Sets the imports that require a grant of the operator.
    pub fn wants(mut self, capabilities: &[Capability]) -> Self {
        self.wants = capabilities.to_vec();
        self
    }

    /// Promises that filtering twice equals filtering once.
    pub fn idempotent(mut self) -> Self {
        self.idempotent = true;
        self
    }

    /// Allows a document to grow, because the filter adds information on purpose.
    pub fn may_grow(mut self) -> Self {
        self.growth = Growth::Lasting;
        self
    }

    /// Allows documents to grow until a later step makes them smaller.
    pub fn prepares(mut self) -> Self {
        self.growth = Growth::Interim;
        self
    }

    /// Asks for a snapshot after [`Filter::configure`](crate::Filter::configure): the host calls it once, at load, and
    /// starts each call with the resulting memory. `configure` must depend on the settings alone and must not call the
    /// host. With `Bump` as the allocator, use this only if `configure` allocates little: every instance contains its
    /// memory.
    pub fn snapshot(mut self) -> Self {
        self.snapshot = true;
        self
    }
}
