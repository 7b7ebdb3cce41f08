//! The roles of built-in filters, and the order in which roles come in a chain.
//!
//! A role is a fact about a filter that the advice on order needs (`chain/advice/orders.rs`). A filter's manifest
//! names its roles; a plugin of a policy has none. The build script shares this file.

use serde::Deserialize;

/// One thing that a filter does to documents. A filter has any number of roles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    Redacts,
    Cleans,
    Offloads,
    Opens,
    Parses,
    Edits,
    Digests,
    Strips,
    Reads,
    Summarizes,
    Cuts,
    Encodes,
    Tabulates,
    Infers,
    Truncates,
}

/// Each role with its name in manifests, and what a filter with the role does.
pub const ROLES: [(Role, &str, &str); 15] = [
    (
        Role::Redacts,
        "redacts",
        "removes what a model must not see: if a step with it fails, the result is withheld",
    ),
    (
        Role::Cleans,
        "cleans",
        "removes from a text what hides its data: escape sequences of a terminal, tags of HTML",
    ),
    (
        Role::Offloads,
        "offloads",
        "replaces a value that no model reads by the call that reads it",
    ),
    (
        Role::Opens,
        "opens",
        "makes JSON of a text or of a string, so that later steps see its members",
    ),
    (
        Role::Parses,
        "parses",
        "takes a whole text for data in another notation, and leaves any other text unchanged",
    ),
    (
        Role::Edits,
        "edits",
        "takes JSON, and leaves JSON with fewer or other members",
    ),
    (
        Role::Digests,
        "digests",
        "takes JSON, and replaces its entries by shorter ones, not always in JSON",
    ),
    (
        Role::Strips,
        "strips",
        "removes members by their value, so from some objects of a list and not from others",
    ),
    (
        Role::Reads,
        "reads",
        "looks for members or lists of JSON, and misses those that a step before it encoded",
    ),
    (
        Role::Summarizes,
        "summarizes",
        "replaces a document over a size by what the document holds",
    ),
    (
        Role::Cuts,
        "cuts",
        "leaves out content, and keeps a part of it",
    ),
    (
        Role::Encodes,
        "encodes",
        "writes a document in fewer words, without loss",
    ),
    (
        Role::Tabulates,
        "tabulates",
        "writes lists of objects as tables",
    ),
    (
        Role::Infers,
        "infers",
        "takes the columns of a table from the objects, not from its settings",
    ),
    (
        Role::Truncates,
        "truncates",
        "ends a document in the middle, so that the rest of it is not JSON",
    ),
];

impl Role {
    /// The name that a manifest has for the role.
    pub fn name(self) -> &'static str {
        let row = ROLES.iter().find(|(role, _, _)| *role == self);
        row.map_or("", |(_, name, _)| name)
    }
}

/// A place in the order of steps that a chain should have.
pub struct Stage {
    pub title: &'static str,
    /// A filter with one of these roles belongs here.
    pub roles: &'static [Role],
    /// A sentence about the steps of this place, for the guide.
    pub about: &'static str,
}

/// The order of steps, from first to last. Other steps that redact (`on-error = "block"`) come with those that do
/// by themselves.
pub const STAGES: [Stage; 7] = [
    Stage {
        title: "Clean",
        roles: &[Role::Cleans, Role::Offloads],
        about: "They remove characters that hide data, and data that no model reads.",
    },
    Stage {
        title: "Open",
        roles: &[Role::Opens],
        about: "They turn JSON in disguise into JSON.",
    },
    Stage {
        title: "Redact",
        roles: &[Role::Redacts],
        about: "They remove content that the model must not see, once nothing disguises it.",
    },
    Stage {
        title: "Remove",
        roles: &[Role::Edits, Role::Digests],
        about: "They take JSON, and leave less of it.",
    },
    Stage {
        title: "Cut what is still large",
        roles: &[Role::Summarizes],
        about: "They replace a document only if it is over a size.",
    },
    Stage {
        title: "Encode",
        roles: &[Role::Encodes],
        about: "They lose nothing, but later steps no longer find members in their output.",
    },
    Stage {
        title: "Cut at an exact size",
        roles: &[Role::Truncates],
        about: "Always last.",
    },
];
