//! Grants: host imports that a plugin may use only if filters.toml allows them.

use super::code::Code;
use super::names;
use super::raw::{Findings, Value};

/// A host import that needs a grant, as the filter contract (`wit/filter.wit`) lists them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Capability {
    /// Messages to the operator's log.
    Log,
    /// Exact token counts.
    Tokens,
    /// Members of the result's `_meta`.
    ResultMeta,
    /// The unfiltered result: storing it, and its names then.
    Original,
    /// Small values that last as long as the session.
    Session,
}

impl Capability {
    /// All capabilities, in the order of the contract.
    pub const ALL: [Capability; 5] = [
        Capability::Log,
        Capability::Tokens,
        Capability::ResultMeta,
        Capability::Original,
        Capability::Session,
    ];

    /// The capability with this name.
    pub fn named(name: &str) -> Option<Capability> {
        Capability::ALL
            .into_iter()
            .find(|capability| capability.name() == name)
    }

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

/// The set of a plugin's capabilities. Empty by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Grants {
    /// One bit for each capability: its position in the enum.
    bits: u32,
}

impl Grants {
    /// Every capability.
    pub fn all() -> Grants {
        Capability::ALL.into_iter().collect()
    }

    /// Whether a capability is granted.
    pub fn has(self, capability: Capability) -> bool {
        self.bits & Grants::bit(capability) != 0
    }

    /// Adds a capability.
    pub fn grant(&mut self, capability: Capability) {
        self.bits |= Grants::bit(capability);
    }

    /// The granted capabilities, in the order of the contract.
    pub fn iter(self) -> impl Iterator<Item = Capability> {
        Capability::ALL
            .into_iter()
            .filter(move |capability| self.has(*capability))
    }

    const fn bit(capability: Capability) -> u32 {
        1 << capability as u32
    }
}

impl FromIterator<Capability> for Grants {
    fn from_iter<I: IntoIterator<Item = Capability>>(capabilities: I) -> Grants {
        let mut grants = Grants::default();
        for capability in capabilities {
            grants.grant(capability);
        }
        grants
    }
}

/// Reads `allow`.
pub(super) fn read(value: &Value<'_>, findings: &mut Findings<'_>) -> Grants {
    let mut grants = Grants::default();
    for item in findings.list(value, "`allow`", "a list of grants") {
        let Some((text, span)) = findings.string(item, "a grant", "the name of a grant") else {
            continue;
        };
        match Capability::named(text) {
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
