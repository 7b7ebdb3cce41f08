//! A stand-in for a notes agent's server: a folder of notes to read and search, in sessions that grow with each answer.
//!
//! Owns the notes and the tools. Refuses to know the effect of filters: `examples/sessions` shortens the answers.

use rmcp::model::{CallToolResult, ContentBlock, JsonObject};
use serde_json::{Value, json};

use crate::server::{AnsweringTool, Upstream};

/// Notes in the folder.
const NOTES: usize = 240;

const TOPICS: [&str; 8] = [
    "garden", "reading", "meetings", "recipes", "travel", "budget", "music", "health",
];
/// Sentences of the notes. In half of them, characters and bytes differ.
const SENTENCES: [&str; 6] = [
    "The first frost came early, so the dahlias are out of the ground and dry in the shed.",
    "Die Sitzung wurde auf Donnerstag verschoben; offene Punkte: Räume, Schlüssel, Größe der Gruppe.",
    "次の読書会は「海辺の図書館」の第三章から始める。",
    "Ask Ines about the café on Rua da Bica — she knew the owner’s name 🎶.",
    "לבדוק את לוח הזמנים של הרכבת לפני יום ראשון.",
    "Split the bill three ways, minus the deposit that was already paid in March.",
];

/// The whole server.
pub fn upstream() -> Upstream {
    let text = |about: &str| json!({ "type": "string", "description": about });
    let active = text("The file that the user has open: one session for each.");
    let list = json!({ "active_file": active });
    let read = json!({ "path": text("Path of a note."), "active_file": active });
    let search = json!({ "query": text("Words to look for."), "active_file": active });
    Upstream {
        name: "notes",
        version: "0.1.0",
        instructions: "Lists, reads and searches the notes of one folder.".to_owned(),
        tools: vec![
            AnsweringTool::reading("list_notes", "Lists every note.", &list, &[], list_notes),
            AnsweringTool::reading(
                "read_note",
                "Gives the text of a note.",
                &read,
                &["path"],
                read_note,
            ),
            AnsweringTool::reading(
                "search_notes",
                "Finds notes by their words.",
                &search,
                &["query"],
                search_notes,
            ),
        ],
        prompts: Vec::new(),
    }
}

fn reply(text: String) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}

fn path(n: usize) -> String {
    format!("{}/note-{n:03}.md", TOPICS[n % TOPICS.len()])
}

/// The text of note `n`: from a few lines to some 20,000 characters. Number 4 has exactly 4,000.
fn note(n: usize) -> String {
    let mut text = format!("# {} {n}\n\n", TOPICS[n % TOPICS.len()]);
    let sentences = if n == 4 { 100 } else { n * n % 331 + 2 };
    for place in 0..sentences {
        text += SENTENCES[(n + place) % SENTENCES.len()];
        text += if place % 5 == 4 { "\n\n" } else { " " };
    }
    if n == 4 {
        text = text.chars().take(4000).collect();
    }
    text
}

fn list_notes(_: &JsonObject) -> CallToolResult {
    let entry = |n: usize| {
        json!({
            "path": path(n), "title": format!("{} {n}", TOPICS[n % TOPICS.len()]),
            "characters": note(n).chars().count(), "tags": [TOPICS[(n + 3) % TOPICS.len()]],
        })
    };
    let notes: Vec<Value> = (0..NOTES).map(entry).collect();
    reply(json!({ "success": true, "count": notes.len(), "notes": notes }).to_string())
}

fn read_note(arguments: &JsonObject) -> CallToolResult {
    let wanted = arguments
        .get("path")
        .and_then(Value::as_str)
        .unwrap_or_default();
    match (0..NOTES).find(|n| path(*n) == wanted) {
        Some(n) => reply(note(n)),
        None => {
            reply(json!({ "success": false, "error": "no such note", "path": wanted }).to_string())
        }
    }
}

fn search_notes(arguments: &JsonObject) -> CallToolResult {
    let query = arguments
        .get("query")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let found = (0..NOTES)
        .map(|n| (n, note(n)))
        .filter(|(_, note)| note.contains(query));
    let hit = |(n, note): (usize, String)| json!({ "source": path(n), "score": 100 - n % 60, "text": note.chars().take(400).collect::<String>() });
    let results: Vec<Value> = found.map(hit).collect();
    reply(json!({ "success": true, "query": query, "results": results }).to_string())
}

#[cfg(test)]
mod tests;
