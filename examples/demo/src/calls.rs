//! Which calls the demo makes, and what it claims that Tamis does to each answer.
//!
//! Owns the claims that examples/lenspr/filters.toml is held to. Refuses to know how they are
//! checked.

use serde_json::{Value, json};

const NODE: &str = "storefront.pricing.discounts.apply_discounts";

/// One call, made to both servers.
pub struct Call {
    pub tool: &'static str,
    /// A JSON object.
    pub arguments: Value,
    /// What tells this call from another one of the same tool.
    pub note: &'static str,
    pub effect: Effect,
}

impl Call {
    pub fn title(&self) -> String {
        match self.note {
            "" => self.tool.to_owned(),
            note => format!("{} ({note})", self.tool),
        }
    }
}

/// What Tamis does to an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// No chain is bound: the answer arrives as the server wrote it, byte for byte.
    Untouched,
    /// Members that are null or empty go.
    Stripped,
    /// The order to annotate nodes becomes a count, and members that are null or empty go.
    PendingCounted,
}

impl Effect {
    /// The effect in a few words; a line break is where a narrow column may break it.
    pub fn summary(self) -> &'static str {
        match self {
            Effect::Untouched => "unchanged, byte for byte",
            Effect::Stripped => "drops empty members",
            Effect::PendingCounted => "order to annotate \u{2192} count,\ndrops empty members",
        }
    }
}

/// All calls, in the order in which they are made.
pub fn all() -> Vec<Call> {
    let stripped = |tool, arguments| Call {
        tool,
        arguments,
        note: "",
        effect: Effect::Stripped,
    };
    let node = || json!({ "node_id": NODE });
    vec![
        stripped("lens_health", json!({})),
        stripped("lens_get_node", node()),
        Call {
            note: "unknown id",
            ..stripped("lens_get_node", json!({ "node_id": "storefront.nowhere" }))
        },
        Call {
            effect: Effect::PendingCounted,
            ..stripped(
                "lens_update_node",
                json!({
                    "node_id": NODE,
                    "new_source": "def apply_discounts(session, batch):\n    return Report(batch.id)\n",
                    "reasoning": "discounts apply before tax",
                }),
            )
        },
        stripped("lens_explain", node()),
        stripped("lens_find_usages", node()),
        stripped("lens_list_tests", node()),
        stripped("lens_search", json!({ "query": "test_apply_discounts" })),
        stripped("lens_security_scan", json!({})),
        stripped("lens_dep_audit", json!({})),
        stripped("lens_session_read", json!({})),
        stripped("lens_resume", json!({})),
        stripped("lens_session_handoff", json!({})),
        stripped("lens_graph_stats", json!({})),
        Call {
            effect: Effect::Untouched,
            ..stripped("raw_export", json!({}))
        },
    ]
}
