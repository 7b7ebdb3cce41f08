//! Grants: host imports that a plugin may use only if filters.toml allows them.

use super::code::Code;
use super::names;
use super::raw::{Findings, Value};

/// A host import that has to be granted, as the filter contract (`wit/filter.wit`) lists them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Capability {
    /// Messages to the operator's log.
    Log,
    /// Exact token counts.
    Tokens,
    /// Members of the result's `_meta`.
    ResultMeta,
    /// The unfiltered result: keeping it, and how it is called then.
    Original,
    /// Small values that last as long as the session.
    Session,
}

impl Capability {
    /// All of them, in the order of the contract.
    pub const ALL: [Capability; 5] = [
        Capability::Log,
        Capability::Tokens,
        Capability::ResultMeta,
        Capability::Original,
        Capability::Session,
    ];

    /// Its name in filters.toml and in the contract.
    pub const fn name(self) -> &'static str {
        match self {
            Capability::Log => "log",
            Capability::Tokens => "tokens",
            Capability::ResultMeta => "result-meta",
            Capability::Original => "original",
            Capability::Session => "session",
        }
    }
}

/// The set of capabilities that a plugin has. Empty by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Grants {
    /// [`Capability::Log`]
    pub log: bool,
    /// [`Capability::Tokens`]
    pub tokens: bool,
    /// [`Capability::ResultMeta`]
    pub result_meta: bool,
    /// [`Capability::Original`]
    pub original: bool,
    /// [`Capability::Session`]
    pub session: bool,
}

impl Grants {
    /// Everything that there is to grant.
    pub fn all() -> Grants {
        let mut grants = Grants::default();
        Capability::ALL.into_iter().for_each(|it| grants.grant(it));
        grants
    }

    /// Whether a capability was granted.
    pub fn has(self, capability: Capability) -> bool {
        match capability {
            Capability::Log => self.log,
            Capability::Tokens => self.tokens,
            Capability::ResultMeta => self.result_meta,
            Capability::Original => self.original,
            Capability::Session => self.session,
        }
    }

    /// Adds a capability.
    pub fn grant(&mut self, capability: Capability) {
        match capability {
            Capability::Log => self.log = true,
            Capability::Tokens => self.tokens = true,
            Capability::ResultMeta => self.result_meta = true,
            Capability::Original => self.original = true,
            Capability::Session => self.session = true,
        }
    }
}

/// Reads `allow`.
pub(super) fn read(value: &Value<'_>, findings: &mut Findings<'_>) -> Grants {
    let mut grants = Grants::default();
    for item in findings.list(value, "`allow`", "a list of grants") {
        let Some((text, span)) = findings.string(item, "a grant", "the name of a grant") else {
            continue;
        };
        match Capability::ALL.into_iter().find(|it| it.name() == text) {
            Some(capability) => grants.grant(capability),
            None => {
                let known = Capability::ALL.map(Capability::name);
                let what = format!("unknown grant {}", names::quote(text));
                findings.unknown(span, what, text, &known, Code::UnknownValue);
            }
        }
    }
    grants
}
