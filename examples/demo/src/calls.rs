//! The demo's calls, and its claims about Tamis's effect on each answer.
//!
//! Owns the claims for each example's filters.toml. Refuses to know how they are checked.

use serde_json::{Value, json};

const NODE: &str = "storefront.pricing.discounts.apply_discounts";

/// One stand-in server and the example that filters it.
pub struct System {
    pub title: &'static str,
    /// The folder below examples/.
    pub example: &'static str,
    /// The role of the stand-in.
    pub stand_in: &'static str,
    /// The effect on the server's instructions.
    pub instructions: Effect,
    pub calls: Vec<Call>,
}

/// One call, made to both servers.
pub struct Call {
    pub tool: &'static str,
    /// A JSON object.
    pub arguments: Value,
    /// A note that distinguishes this call from others of the same tool.
    pub note: &'static str,
    pub effect: Effect,
    /// Programs of which the tool needs one; empty if it needs none.
    pub needs: &'static [&'static str],
}

impl Call {
    pub fn title(&self) -> String {
        match self.note {
            "" => self.tool.to_owned(),
            note => format!("{} ({note})", self.tool),
        }
    }
}

/// The effect of Tamis on an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// The answer stays unchanged, byte for byte.
    Untouched,
    /// Members that are null or empty are removed.
    Stripped,
    /// The order to annotate nodes becomes a count. Members that are null or empty are removed.
    PendingCounted,
    /// The first three lines of each caller's code stay, and the instruction on explaining is removed.
    Explained,
    /// Fifteen tests stay, and a note names the call that lists all.
    TestsCapped,
    /// Fifty usages stay, divided fairly among callers, importers and inheritors.
    UsagesShared,
    /// The last thirty logged actions stay, in time order. Notes are cut to 3 KB.
    Resumed,
    /// Notes except logs and handoffs stay, cut to 2 KB.
    HandedOver,
    /// Notes in the instructions get 4 KB together.
    NotesBudgeted,
    /// The tool is not listed because this machine lacks its program. A call gets one line.
    Unavailable,
    /// Lists become one header and one string of rows each. For each list: the key of its rows, and the server's name
    /// for it, or nothing if only a part of it is shown.
    Rows(&'static [(&'static str, &'static str)]),
    /// Search results become an index with a line each.
    Indexed,
    /// The first 4,000 characters stay.
    Cut,
    /// The result goes to a file, and a summary stays.
    Spilled,
}

impl Effect {
    /// Whether a model gets less than the server sent.
    pub fn is_saving(self) -> bool {
        !matches!(self, Effect::Untouched | Effect::Unavailable)
    }

    /// The effect in a few words.
    pub fn summary(self) -> &'static str {
        match self {
            Effect::Untouched => "unchanged, byte for byte",
            Effect::Stripped => "drops empty members",
            Effect::PendingCounted => "order to annotate \u{2192} count",
            Effect::Explained => "callers' code \u{2192} 3 lines",
            Effect::TestsCapped => "15 tests, how to list all",
            Effect::UsagesShared => "50 usages, shared fairly",
            Effect::Resumed => "last 30 actions, notes in 3 KB",
            Effect::HandedOver => "drops log, notes in 2 KB",
            Effect::NotesBudgeted => "notes in 4 KB",
            Effect::Unavailable => "not listed: cannot work here",
            Effect::Rows([]) => "keeps what is asked for",
            Effect::Rows(_) => "objects \u{2192} header and rows",
            Effect::Indexed => "matches \u{2192} a line each",
            Effect::Cut => "first 4,000 characters",
            Effect::Spilled => "all to a file, a summary stays",
        }
    }
}

/// All systems, in the order of the output.
pub fn all() -> Vec<System> {
    vec![
        lenspr(),
        compact_rows(),
        compact_index(),
        sessions(),
        spill(),
    ]
}

fn call(effect: Effect, tool: &'static str, arguments: Value) -> Call {
    Call {
        tool,
        arguments,
        note: "",
        effect,
        needs: &[],
    }
}

fn noted(note: &'static str, call: Call) -> Call {
    Call { note, ..call }
}

fn lenspr() -> System {
    use Effect::{
        Explained, HandedOver, PendingCounted, Resumed, Stripped, TestsCapped, Untouched,
        UsagesShared,
    };
    let node = || json!({ "node_id": NODE });
    let update = json!({
        "node_id": NODE,
        "new_source": "def apply_discounts(session, batch):\n    return Report(batch.id)\n",
        "reasoning": "discounts apply before tax",
    });
    let nowhere = json!({ "node_id": "storefront.nowhere" });
    System {
        title: "LensPR, a code graph",
        example: "lenspr",
        stand_in: "lenspr",
        instructions: Effect::NotesBudgeted,
        calls: vec![
            call(Stripped, "lens_health", json!({})),
            call(Stripped, "lens_get_node", node()),
            noted("unknown id", call(Stripped, "lens_get_node", nowhere)),
            call(PendingCounted, "lens_update_node", update),
            call(Explained, "lens_explain", node()),
            call(UsagesShared, "lens_find_usages", node()),
            call(TestsCapped, "lens_list_tests", node()),
            call(
                Stripped,
                "lens_search",
                json!({ "query": "test_apply_discounts" }),
            ),
            Call {
                needs: &["bandit"],
                ..call(Stripped, "lens_security_scan", json!({}))
            },
            Call {
                needs: &["pip-audit", "npm"],
                ..call(Stripped, "lens_dep_audit", json!({}))
            },
            call(Stripped, "lens_session_read", json!({})),
            call(Resumed, "lens_resume", json!({})),
            call(HandedOver, "lens_session_handoff", json!({})),
            call(Stripped, "lens_graph_stats", json!({})),
            call(Untouched, "raw_export", json!({})),
        ],
    }
}

fn compact_rows() -> System {
    use Effect::Rows;
    let calculator = || json!({ "file_path": "src/calculator.rs" });
    System {
        title: "A code parser",
        example: "compact-rows",
        stand_in: "compact-rows",
        instructions: Effect::Untouched,
        calls: vec![
            call(
                Rows(&[("f", "functions"), ("s", "structs"), ("c", "classes")]),
                "code_map",
                json!({ "path": "src" }),
            ),
            call(
                Rows(&[("u", "usages")]),
                "find_usages",
                json!({ "symbol": "add" }),
            ),
            call(
                Rows(&[("m", "matches")]),
                "query_pattern",
                json!({ "query": "(function_item name: (identifier) @name)" }),
            ),
            call(
                Rows(&[]),
                "symbol_at_line",
                json!({ "file_path": "src/calculator.rs", "line": 42 }),
            ),
            call(Rows(&[("changes", "changes")]), "parse_diff", calculator()),
            call(
                Rows(&[("affected", "affected")]),
                "affected_by_diff",
                calculator(),
            ),
            call(
                Rows(&[("f", "functions"), ("deps", "")]),
                "view_code",
                json!({ "file_path": "src/parser.rs" }),
            ),
            call(
                Rows(&[("ctx", "fields")]),
                "template_context",
                json!({ "template_path": "templates/calculator.html" }),
            ),
            call(
                Rows(&[("types", "types")]),
                "type_map",
                json!({ "path": "src" }),
            ),
        ],
    }
}

fn compact_index() -> System {
    let search = |compact: Option<bool>| match compact {
        Some(compact) => json!({ "query": "the search", "compact": compact }),
        None => json!({ "query": "the search" }),
    };
    System {
        title: "A memory server",
        example: "compact-index",
        stand_in: "memory",
        instructions: Effect::Untouched,
        calls: vec![
            call(Effect::Indexed, "memory_search", search(None)),
            noted(
                "compact: false",
                call(Effect::Untouched, "memory_search", search(Some(false))),
            ),
            call(
                Effect::Untouched,
                "memory_get",
                json!({ "id": "dec-9e3779b9" }),
            ),
        ],
    }
}

fn sessions() -> System {
    use Effect::{Cut, Untouched};
    let note = |path: &str| json!({ "path": path });
    System {
        title: "A notes agent",
        example: "sessions",
        stand_in: "sessions",
        instructions: Untouched,
        calls: vec![
            call(Cut, "list_notes", json!({})),
            call(Cut, "read_note", note("music/note-038.md")),
            noted(
                "exactly 4,000",
                call(Untouched, "read_note", note("travel/note-004.md")),
            ),
            call(Cut, "search_notes", json!({ "query": "dahlias" })),
        ],
    }
}

fn spill() -> System {
    use Effect::{Spilled, Untouched};
    System {
        title: "An editor bridge",
        example: "spill",
        stand_in: "spill",
        instructions: Untouched,
        calls: vec![
            call(Untouched, "get_status", json!({})),
            noted(
                "127 errors",
                call(Spilled, "build_plugin", json!({ "plugin": "Broken" })),
            ),
            noted(
                "success",
                call(Untouched, "build_plugin", json!({ "plugin": "Weather" })),
            ),
            call(Spilled, "get_logs", json!({})),
            call(Spilled, "query_nearby", json!({})),
            call(Spilled, "find_usages", json!({})),
            call(Spilled, "scan_tile_objects", json!({})),
            call(Spilled, "run_tests", json!({})),
        ],
    }
}
