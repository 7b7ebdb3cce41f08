//! The description of a filter, built from the three facts that every filter has.

use crate::{Fidelity, Growth};

/// A host import that requires a grant of the operator (`allow` in filters.toml).
///
/// # Examples
///
/// ```
/// use tamis_sdk::{Capability, Description};
///
/// let description = Description::new("count", "1.0.0", "adds the number of tokens")
///     .wants(&[Capability::Tokens, Capability::ResultMeta]);
/// // The operator grants them: `allow = ["tokens", "result-meta"]`.
/// assert_eq!(Capability::ResultMeta.name(), "result-meta");
/// assert_eq!(Capability::Named("clock").name(), "clock");
/// # let described = tamis_sdk::guest::description(description, "{}");
/// # assert_eq!(described.wants, ["tokens", "result-meta"]);
/// ```
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
    ///
    /// [Example](Capability#examples).
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
///
/// # Examples
///
/// ```
/// use tamis_sdk::{Capability, Description, Fidelity};
///
/// fn describe() -> Description {
///     Description::new("name-codes", "1.2.0", "adds the names of error codes")
///         .fidelity(Fidelity::Exact)
///         .wants(&[Capability::Log])
///         .idempotent()
///         .may_grow() // or `prepares`, before a step that makes the document smaller
///         .snapshot()
/// }
/// # use tamis_sdk::{Growth, guest};
/// # let described = guest::description(describe(), "{}");
/// # assert_eq!((&*described.name, &*described.version), ("name-codes", "1.2.0"));
/// # assert_eq!(described.summary, "adds the names of error codes");
/// # assert_eq!((described.fidelity, described.growth), (Fidelity::Exact, Growth::Lasting));
/// # assert_eq!(described.wants, ["log"]);
/// # assert!(described.idempotent && described.snapshot);
/// # assert_eq!(guest::description(describe().prepares(), "{}").growth, Growth::Interim);
/// # let weakest = guest::description(Description::new("a", "1.0.0", "cuts"), "{}");
/// # assert_eq!((weakest.fidelity, weakest.growth), (Fidelity::Partial, Growth::None));
/// # assert!(!weakest.idempotent && !weakest.snapshot && weakest.wants.is_empty());
/// ```
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
    ///
    /// [Example](Description#examples).
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
    ///
    /// [Example](Description#examples).
    pub fn fidelity(mut self, fidelity: Fidelity) -> Self {
        self.fidelity = fidelity;
        self
    }

    /// Sets the imports that require a grant of the operator.
    ///
    /// [Example](Description#examples).
    pub fn wants(mut self, capabilities: &[Capability]) -> Self {
        self.wants = capabilities.to_vec();
        self
    }

    /// Promises that filtering twice equals filtering once.
    ///
    /// [Example](Description#examples).
    pub fn idempotent(mut self) -> Self {
        self.idempotent = true;
        self
    }

    /// Allows a document to grow, because the filter adds information on purpose.
    ///
    /// [Example](Description#examples).
    pub fn may_grow(mut self) -> Self {
        self.growth = Growth::Lasting;
        self
    }

    /// Allows documents to grow until a later step makes them smaller.
    ///
    /// [Example](Description#examples).
    pub fn prepares(mut self) -> Self {
        self.growth = Growth::Interim;
        self
    }

    /// Asks for a snapshot after [`Filter::configure`](crate::Filter::configure): the host calls it once, at load, and
    /// starts each call with the resulting memory. `configure` must depend on the settings alone and must not call the
    /// host. With `Bump` as the allocator, use this only if `configure` allocates little: every instance contains its
    /// memory.
    ///
    /// [Example](Description#examples).
    pub fn snapshot(mut self) -> Self {
        self.snapshot = true;
        self
    }
}
