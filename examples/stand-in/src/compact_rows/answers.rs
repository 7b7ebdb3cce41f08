//! The answers of the stand-in's tools: pretty JSON with an object for everything, ids, byte ranges and null members,
//! as servers print a parser's output.
//!
//! Owns the shapes. Refuses to know how tools are described.

use rmcp::model::{CallToolResult, ContentBlock, JsonObject};
use serde_json::{Value, json};

use super::project::{self, FILES, File, ROOT, Symbol};
use super::usages;

fn reply(value: &Value) -> CallToolResult {
    // Printing fails only for keys that are no strings, and these are.
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    CallToolResult::success(vec![ContentBlock::text(text)])
}

fn argument<'a>(arguments: &'a JsonObject, name: &str, default: &'a str) -> &'a str {
    arguments
        .get(name)
        .and_then(Value::as_str)
        .unwrap_or(default)
}

/// A symbol with all its facts.
fn symbol(file: &File, symbol: &Symbol) -> Value {
    let code = symbol.code();
    let start = symbol.line * 31;
    json!({
        "id": format!("{}#{}:{}", file.path, symbol.kind, symbol.name),
        "name": symbol.name,
        "kind": symbol.kind,
        "visibility": if symbol.is_public() { "public" } else { "private" },
        "signature": symbol.signature,
        "line": symbol.line,
        "end_line": symbol.end_line(),
        "byte_range": { "start": start, "end": start + code.len() },
        "doc": symbol.doc,
        "code": code,
        "parent": null,
        "attributes": [],
        "deprecated": null,
    })
}

fn symbols(file: &File, kinds: &[&str]) -> Value {
    let found = file.of_kind(kinds);
    Value::Array(found.into_iter().map(|it| symbol(file, it)).collect())
}

const TYPES: &[&str] = &["struct", "enum", "trait", "type"];

pub fn code_map(_: &JsonObject) -> CallToolResult {
    let files = FILES.iter().map(|file| {
        json!({
            "path": file.absolute(),
            "language": "rust",
            "parse_errors": [],
            "functions": symbols(file, &["function"]),
            "structs": symbols(file, TYPES),
            "classes": [],
        })
    });
    reply(&json!({
        "root": ROOT,
        "files": files.collect::<Vec<_>>(),
        "stats": { "files": FILES.len(), "skipped": 0, "parse_errors": 0 },
        "truncated": false,
    }))
}

pub fn find_usages(arguments: &JsonObject) -> CallToolResult {
    let name = argument(arguments, "symbol", "add");
    let usages: Vec<Value> = usages::of(name)
        .enumerate()
        .map(|(number, usage)| {
            json!({
                "id": format!("usage-{number:03}"),
                "file": project::absolute(usage.file),
                "line": usage.line,
                "column": usage.column,
                "end_column": usage.column + name.len(),
                "usage_type": usage.kind,
                "context": usage.code,
                "enclosing_symbol": null,
                "confidence": 1.0,
            })
        })
        .collect();
    reply(&json!({
        "symbol": name,
        "root": ROOT,
        "definition": { "file": project::absolute("src/calculator.rs"), "line": 20, "column": 8 },
        "total": usages.len(),
        "usages": usages,
        "truncated": false,
    }))
}

pub fn query_pattern(arguments: &JsonObject) -> CallToolResult {
    let query = "(function_item name: (identifier) @name)";
    let functions = FILES.iter().flat_map(|file| {
        file.of_kind(&["function"])
            .into_iter()
            .map(move |it| (file, it))
    });
    let matches: Vec<Value> = functions
        .map(|(file, function)| {
            let column = if function.is_public() { 8 } else { 4 };
            json!({
                "file": file.absolute(),
                "line": function.line,
                "column": column,
                "text": function.name,
                "pattern_index": 0,
                "captures": {
                    "name": {
                        "text": function.name,
                        "node_kind": "identifier",
                        "start": { "row": function.line - 1, "column": column - 1 },
                        "end": {
                            "row": function.line - 1,
                            "column": column - 1 + function.name.len(),
                        },
                    },
                },
            })
        })
        .collect();
    reply(&json!({
        "query": argument(arguments, "query", query),
        "root": ROOT,
        "language": "rust",
        "matches": matches,
        "truncated": false,
    }))
}

pub fn symbol_at_line(arguments: &JsonObject) -> CallToolResult {
    let file = project::file(argument(arguments, "file_path", "src/calculator.rs"));
    let line = arguments.get("line").and_then(Value::as_u64).unwrap_or(42);
    let holds = |symbol: &&Symbol| {
        let line = usize::try_from(line).unwrap_or(usize::MAX);
        (symbol.line..=symbol.end_line()).contains(&line)
    };
    let found = file.symbols.iter().find(holds);
    let module = file.path.trim_start_matches("src/").trim_end_matches(".rs");
    reply(&json!({
        "file": file.absolute(),
        "requested_line": line,
        "symbol": found.map(|it| symbol(file, it)),
        "scope_chain": found.map(|it| json!([
            { "kind": "module", "name": module, "line": 1 },
            { "kind": it.kind, "name": it.name, "line": it.line },
        ])),
        "error": null,
    }))
}

/// Changes of one file: kind and name of the symbol, its line, the change, and its kind.
const CHANGES: [(&str, &str, usize, &str, Option<&str>); 8] = [
    (
        "function",
        "add",
        20,
        "sig_changed",
        Some("fn(i32,i32)->i64"),
    ),
    (
        "function",
        "subtract",
        24,
        "sig_changed",
        Some("fn(i32,i32)->i64"),
    ),
    ("function", "multiply", 28, "body_changed", None),
    (
        "function",
        "divide",
        32,
        "sig_changed",
        Some("fn(i32,i32)->Result<i64,MathError>"),
    ),
    (
        "function",
        "modulo",
        38,
        "added",
        Some("fn(i32,i32)->Result<i32,MathError>"),
    ),
    (
        "struct",
        "Calculator",
        8,
        "fields_changed",
        Some("+precision: usize"),
    ),
    ("enum", "AngleMode", 15, "variant_added", Some("Gradians")),
    ("function", "reset", 61, "removed", None),
];

pub fn parse_diff(arguments: &JsonObject) -> CallToolResult {
    let file = project::file(argument(arguments, "file_path", "src/calculator.rs"));
    let changes = CHANGES.map(|(kind, name, line, change, details)| {
        json!({
            "id": format!("{}#{kind}:{name}", file.path),
            "symbol": { "kind": kind, "name": name, "line": line, "parent": null },
            "change": change,
            "details": details,
            "old_range": null,
            "severity": null,
        })
    });
    reply(&json!({
        "file_path": file.absolute(),
        "root": ROOT,
        "compare_to": argument(arguments, "compare_to", "HEAD"),
        "changes": changes,
        "summary": { "added": 1, "removed": 1, "modified": 6 },
    }))
}

pub fn affected_by_diff(arguments: &JsonObject) -> CallToolResult {
    let file = project::file(argument(arguments, "file_path", "src/calculator.rs"));
    let affected: Vec<Value> = usages::of("add")
        .filter(|usage| usage.kind == "call")
        .enumerate()
        .map(|(number, usage)| {
            json!({
                "id": format!("impact-{number:03}"),
                "symbol": "add",
                "change": "sig_changed",
                "location": {
                    "file": project::absolute(usage.file),
                    "line": usage.line,
                    "column": usage.column,
                },
                "risk": if usage.file.starts_with("tests/") { "low" } else { "high" },
                "distance": 1,
                "via": null,
                "suggestion": null,
            })
        })
        .collect();
    reply(&json!({
        "file_path": file.absolute(),
        "root": ROOT,
        "compare_to": argument(arguments, "compare_to", "HEAD"),
        "affected": affected,
    }))
}

pub fn view_code(arguments: &JsonObject) -> CallToolResult {
    let file = project::file(argument(arguments, "file_path", "src/parser.rs"));
    let others = FILES.iter().filter(|other| other.path != file.path);
    let dependencies = others.filter_map(|other| {
        let types = other.of_kind(TYPES);
        let types = types.into_iter().map(|it| {
            let mut value = symbol(other, it);
            value["code"] = Value::Null;
            value["signature"] = json!(it.code().replace("\n    ", " ").replace('\n', " "));
            value["exported"] = json!(it.is_public());
            value["usage_count"] = json!(it.usages);
            value
        });
        let types: Vec<Value> = types.collect();
        (!types.is_empty()).then(|| json!({ "file": other.absolute(), "types": types }))
    });
    reply(&json!({
        "file": file.absolute(),
        "root": ROOT,
        "language": "rust",
        "functions": symbols(file, &["function"]),
        "structs": symbols(file, TYPES),
        "dependencies": dependencies.collect::<Vec<_>>(),
    }))
}

/// A struct in a template: its name, its line, its fields with types.
type Context = (&'static str, usize, &'static [(&'static str, &'static str)]);

/// The structs in the template.
const CONTEXTS: [Context; 2] = [
    (
        "CalculatorContext",
        10,
        &[
            ("result", "i32"),
            ("expression", "String"),
            ("error", "Option<CalcError>"),
            ("history", "Vec<Entry>"),
            ("memory", "Vec<Number>"),
            ("mode", "AngleMode"),
            ("notation", "Notation"),
            ("digits", "usize"),
            ("is_exact", "bool"),
            ("elapsed", "Duration"),
            ("keys", "HashMap<char, Operator>"),
            ("layout", "LayoutContext"),
        ],
    ),
    (
        "LayoutContext",
        26,
        &[
            ("title", "String"),
            ("locale", "Locale"),
            ("theme", "Theme"),
            ("user", "Option<User>"),
            ("csrf_token", "String"),
            ("scripts", "Vec<&'static str>"),
            ("styles", "Vec<&'static str>"),
            ("is_embedded", "bool"),
            ("version", "&'static str"),
            ("flash", "Option<Message>"),
        ],
    ),
];

pub fn template_context(arguments: &JsonObject) -> CallToolResult {
    let template = argument(arguments, "template_path", "templates/calculator.html");
    let contexts = CONTEXTS.map(|(name, line, fields)| {
        let fields = fields.iter().map(|(name, kind)| {
            json!({
                "name": name, "type": kind, "optional": kind.starts_with("Option"), "doc": null,
                "default": null,
            })
        });
        json!({
            "struct": name, "file": project::absolute("src/page.rs"), "line": line, "doc": null,
            "fields": fields.collect::<Vec<_>>(),
        })
    });
    let template = template.strip_prefix(ROOT).unwrap_or(template);
    reply(&json!({
        "template": project::absolute(template.trim_start_matches('/')),
        "root": ROOT,
        "engine": "askama",
        "contexts": contexts,
    }))
}

pub fn type_map(_: &JsonObject) -> CallToolResult {
    let types = FILES
        .iter()
        .flat_map(|file| file.of_kind(TYPES).into_iter().map(move |it| (file, it)));
    let types: Vec<Value> = types
        .map(|(file, it)| {
            json!({
                "id": format!("{}#{}:{}", file.path, it.kind, it.name),
                "name": it.name,
                "kind": it.kind,
                "file": file.absolute(),
                "line": it.line,
                "end_line": it.end_line(),
                "usage_count": it.usages,
                "generics": [],
                "doc": it.doc,
                "visibility": if it.is_public() { "public" } else { "private" },
            })
        })
        .collect();
    reply(&json!({
        "root": ROOT, "total": types.len(), "types": types, "truncated": false,
    }))
}
