//! `[[client]]`: what a client shows its model, where the built-in table does not know or is wrong.

use super::keys;
use super::pattern::ToolPattern;
use super::raw::{Fields, Findings};
use super::report::Finding;

/// Which part of a result a client's model reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sees {
    /// `structuredContent` where it is there, else the text.
    Structured,
    /// The text alone.
    Content,
    /// Both.
    Both,
}

impl Sees {
    /// Every value with its spelling in filters.toml.
    pub const ALL: [(&'static str, Sees); 3] = [
        ("structured", Sees::Structured),
        ("content", Sees::Content),
        ("both", Sees::Both),
    ];
}

/// What is known of clients of one name.
#[derive(Debug, Clone)]
pub struct ClientSpec {
    /// What `clientInfo.name` has to fit, in lower case.
    pub name: ToolPattern,
    /// What its model reads.
    pub sees: Sees,
    /// Whether it keeps blocks from the model that are for the user alone (`annotations.audience`).
    pub heeds_audience: bool,
}

/// Reads one `[[client]]`.
pub(super) fn read(fields: Fields<'_>, findings: &mut Findings<'_>) -> Option<ClientSpec> {
    fields.deny_unknown(&keys::CLIENT.names(), findings);
    let name = fields
        .require("name", keys::CLIENT.example("name"), findings)
        .and_then(|value| findings.string(value, "`name`", "a client's name"));
    let sees = fields
        .require("sees", keys::CLIENT.example("sees"), findings)
        .and_then(|value| {
            findings.choice(value, "sees", "structured, content or both", &Sees::ALL)
        });
    let heeds_audience = fields
        .get("heeds-audience")
        .and_then(|value| findings.boolean(value, "`heeds-audience`"))
        .unwrap_or(false);
    let (name, span) = name?;
    // A client's name may have spaces, which no tool's has.
    let pattern = ToolPattern::new(name.to_lowercase().replace(' ', "*"));
    match pattern {
        Ok(name) => Some(ClientSpec {
            name,
            sees: sees?,
            heeds_audience,
        }),
        Err(error) => {
            let label = "allowed: a client's name, in which `*` stands for any characters";
            findings.push(Finding::error(span, error.to_string(), label));
            None
        }
    }
}
