//! A stand-in for a memory server: decisions, patterns and notes of a project, found by search.
//!
//! Owns the memories and two tools: `memory_search` returns the best matches whole, 150 to 300 characters each, and
//! `memory_get` one of them by its id. Refuses to make an index of them: a filter does that. `compact` is in the
//! search's schema, because clients send only arguments of the schema.

use rmcp::model::{CallToolResult, ContentBlock, JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

use crate::server::{AnsweringTool, Upstream};

/// Memories of the server.
const MEMORIES: usize = 60;
/// Most matches of a search.
const MATCHES: usize = 24;

const KINDS: [&str; 4] = ["decision", "pattern", "bug", "note"];
const SUBJECTS: [&str; 10] = [
    "SQLite FTS5 for search ranking",
    "one writer for the whole index",
    "a lock file beside the database",
    "BM25 weights by field",
    "titles in scripts without spaces, such as 日本語の題名",
    "nightly compaction of old sessions",
    "embeddings only where words fail",
    "the same id for the same text",
    "dates in UTC, shown to the day",
    "no network in the search path",
];
const VERBS: [&str; 4] = ["Use", "Keep", "Measure", "Beware of"];
const REASONS: [&str; 5] = [
    "It was tried on the largest project and took half the time.",
    "Two callers disagreed, and the older one won.",
    "The test for it is slow but has found three regressions.",
    "Nobody has asked for more so far.",
    "See the discussion in the review before changing it.",
];

/// The whole server.
pub fn upstream() -> Upstream {
    let text = |about: &str| json!({ "type": "string", "description": about });
    let search = json!({
        "query": text("Words to look for."),
        "compact": { "type": "boolean", "description": "False for whole matches." },
    });
    let get = json!({ "id": text("Id of a memory.") });
    let tool = |name: &'static str, about: &'static str, properties: Value, required, answer| {
        let schema = json!({ "type": "object", "properties": properties, "required": [required] });
        let schema: JsonObject = schema.as_object().cloned().unwrap_or_default();
        AnsweringTool {
            definition: Tool::new(name, about, schema)
                .with_annotations(ToolAnnotations::new().read_only(true)),
            answer,
        }
    };
    Upstream {
        name: "memory",
        version: "0.1.0",
        instructions: "Remembers what a project decided, and why.".to_owned(),
        tools: vec![
            tool(
                "memory_search",
                "Finds memories by words, the best first.",
                search,
                "query",
                answer_search as fn(&JsonObject) -> CallToolResult,
            ),
            tool(
                "memory_get",
                "Gives one memory by its id.",
                get,
                "id",
                answer_get,
            ),
        ],
        prompts: Vec::new(),
    }
}

/// The `n`th memory, without a score.
fn memory(n: usize) -> Value {
    let kind = KINDS[n % KINDS.len()];
    let number = (n as u32 + 1).wrapping_mul(0x9E37_79B9);
    let subject = SUBJECTS[n * 7 % SUBJECTS.len()];
    let reasons = [n, n * 3 + 1].map(|at| REASONS[at % REASONS.len()]);
    json!({
        "id": format!("{}-{number:08x}", &kind[..3]),
        "type": kind,
        "title": format!("{} {subject}", VERBS[n * 3 % VERBS.len()]),
        "project": "tamis",
        "created_at": format!("2026-02-{:02}T09:30:00Z", 28 - n % 28),
        "content": reasons.join(" "),
    })
}

fn answer_search(arguments: &JsonObject) -> CallToolResult {
    let Some(query) = arguments.get("query").and_then(Value::as_str) else {
        return invalid("query");
    };
    let query = query.to_lowercase();
    let words: Vec<&str> = query.split_whitespace().collect();
    let mut found: Vec<(usize, Value)> = (0..MEMORIES)
        .map(memory)
        .map(|memory| {
            let text = memory.to_string().to_lowercase();
            let hits = words.iter().filter(|word| text.contains(**word)).count();
            (hits, memory)
        })
        .filter(|(hits, _)| *hits > 0)
        .collect();
    // Memories with equal hits keep their order.
    found.sort_by_key(|(hits, _)| std::cmp::Reverse(*hits));
    let total = found.len();
    let results = found.into_iter().take(MATCHES).enumerate();
    let results: Vec<Value> = results
        .map(|(place, (hits, mut memory))| {
            // As search engines do: more hits first, and all scores differ.
            let thousandths = hits * 1_931 - place * 17;
            memory["score"] = json!(thousandths as f64 / 1_000.0);
            memory
        })
        .collect();
    reply(&json!({ "query": query, "total": total, "results": results }))
}

fn answer_get(arguments: &JsonObject) -> CallToolResult {
    let Some(id) = arguments.get("id").and_then(Value::as_str) else {
        return invalid("id");
    };
    let found = (0..MEMORIES).map(memory).find(|memory| memory["id"] == id);
    match found {
        Some(memory) => reply(&memory),
        None => CallToolResult::error(vec![ContentBlock::text(format!("no memory `{id}`"))]),
    }
}

fn reply(answer: &Value) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(answer.to_string())])
}

fn invalid(name: &str) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(format!(
        "`{name}` is missing or is not a string"
    ))])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(query: &str) -> Value {
        let arguments = json!({ "query": query });
        let result = answer_search(arguments.as_object().expect("an object"));
        let text = &result.content[0].as_text().expect("text").text;
        serde_json::from_str(text).expect("JSON")
    }

    #[test]
    fn a_match_has_150_to_300_characters() {
        let found = search("the search");
        let results = found["results"].as_array().expect("results");
        assert!(results.len() > 12, "{}", results.len());
        for result in results {
            let size = result.to_string().chars().count();
            assert!((150..=300).contains(&size), "{size}: {result}");
        }
    }

    #[test]
    fn matches_come_with_the_best_first_and_can_be_fetched() {
        let found = search("search ranking");
        let results = found["results"].as_array().expect("results");
        let scores: Vec<f64> = results
            .iter()
            .filter_map(|result| result["score"].as_f64())
            .collect();
        assert_eq!(scores.len(), results.len());
        assert!(
            scores.windows(2).all(|pair| pair[0] > pair[1]),
            "{scores:?}"
        );
        for result in results {
            let arguments = json!({ "id": result["id"] });
            let one = answer_get(arguments.as_object().expect("an object"));
            assert_ne!(one.is_error, Some(true), "{result}");
        }
        assert_eq!(search("zebra")["results"], json!([]));
    }
}
