//! A stand-in for a server that parses source code with tree-sitter and prints the results.
//!
//! Owns the list of tools: names, descriptions, schemas. [`answers`] has their answers, [`project`] and [`usages`] the
//! project. Refuses to shorten anything: arguments for less (`detail`, `max_tokens`, `max_context_lines`) are in the
//! schemas, and a filter must apply them.

mod answers;
mod project;
mod usages;

use serde_json::json;

use crate::server::{AnsweringTool, Upstream};

/// The whole server.
pub fn upstream() -> Upstream {
    Upstream {
        name: "syntax-tree",
        version: "0.1.0",
        instructions:
            "Reads source code as syntax trees. Paths may be absolute, or relative to the project."
                .to_owned(),
        tools: tools(),
        prompts: Vec::new(),
    }
}

fn tools() -> Vec<AnsweringTool> {
    let text = |about: &str| json!({ "type": "string", "description": about });
    let number = |about: &str| json!({ "type": "integer", "description": about });
    let path = text("A file or a directory.");
    let file = text("A source file.");
    let tokens = number("About how many tokens the answer may take.");
    let detail = json!({
        "type": "string", "enum": ["minimal", "signatures", "full"],
        "description": "How much to say of each symbol.",
    });
    let against = text("The commit to compare with; HEAD if it is missing.");
    vec![
        AnsweringTool::reading(
            "code_map",
            "Lists the functions and types of every file below a directory.",
            &json!({ "path": path, "detail": detail, "max_tokens": tokens }),
            &["path"],
            answers::code_map,
        ),
        AnsweringTool::reading(
            "find_usages",
            "Finds every place that names a symbol.",
            &json!({
                "symbol": text("Its name."), "path": path, "max_tokens": tokens,
                "max_context_lines": number("How many places to return at most."),
            }),
            &["symbol"],
            answers::find_usages,
        ),
        AnsweringTool::reading(
            "query_pattern",
            "Runs a tree-sitter query.",
            &json!({ "query": text("The query, as an S-expression."), "path": path }),
            &["query"],
            answers::query_pattern,
        ),
        AnsweringTool::reading(
            "symbol_at_line",
            "Says which symbol a line belongs to.",
            &json!({ "file_path": file, "line": number("The line, from 1.") }),
            &["file_path", "line"],
            answers::symbol_at_line,
        ),
        AnsweringTool::reading(
            "parse_diff",
            "Says which symbols of a file changed, and how.",
            &json!({ "file_path": file, "compare_to": against }),
            &["file_path"],
            answers::parse_diff,
        ),
        AnsweringTool::reading(
            "affected_by_diff",
            "Finds the code that changes of a file may break.",
            &json!({ "file_path": file, "compare_to": against }),
            &["file_path"],
            answers::affected_by_diff,
        ),
        AnsweringTool::reading(
            "view_code",
            "Shows a file's code, and the types of the project that it may use.",
            &json!({ "file_path": file, "detail": detail }),
            &["file_path"],
            answers::view_code,
        ),
        AnsweringTool::reading(
            "template_context",
            "Lists the values that a template sees.",
            &json!({ "template_path": text("The template.") }),
            &["template_path"],
            answers::template_context,
        ),
        AnsweringTool::reading(
            "type_map",
            "Lists the types of a project and how often each is used.",
            &json!({ "path": path, "max_tokens": tokens }),
            &["path"],
            answers::type_map,
        ),
    ]
}

#[cfg(test)]
mod tests;
