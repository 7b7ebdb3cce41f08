//! Whether a call reads a file: an agent copies from such a text to edit the file, so the text must stay exact.
//!
//! It is a guess from the tool's name and the arguments, for tools of any server. What it is not sure of reads none.
//! Refuses to know the result.

use super::words::{self, Line, Simple};
use serde_json::Value;

/// Words in the names of tools that return the text of a file, in lower case.
const READING: [&str; 12] = [
    "read", "cat", "view", "open", "show", "file", "editor", "blob", "content", "contents",
    "source", "text",
];

/// Words in the names of tools whose result is about files, or made from them.
const OTHER: [&str; 24] = [
    "find",
    "search",
    "grep",
    "list",
    "tree",
    "glob",
    "info",
    "stat",
    "stats",
    "metadata",
    "summary",
    "lint",
    "check",
    "symbol",
    "symbols",
    "outline",
    "references",
    "diagnostics",
    "write",
    "rows",
    "query",
    "cell",
    "cells",
    "sheet",
];

/// Arguments that hold the path of a file, without signs and in lower case.
const KEYS: [&str; 14] = [
    "path",
    "paths",
    "file",
    "files",
    "filename",
    "filepath",
    "filepaths",
    "targetfile",
    "relativepath",
    "absolutepath",
    "fullpath",
    "uri",
    "source",
    "input",
];

/// Arguments that hold a command for a shell.
const COMMANDS: [&str; 4] = ["command", "cmd", "commands", "script"];

/// Programs that print a file as it is, and one that prints nothing between them.
const PRINTING: [&str; 10] = [
    "cat", "bat", "batcat", "head", "tail", "nl", "less", "more", "sed", "cd",
];

/// Endings of files whose text is not what a tool returns of them.
const NO_TEXT: [&str; 26] = [
    "xlsx", "xlsm", "xls", "ods", "docx", "doc", "odt", "pptx", "ppt", "pdf", "epub", "db",
    "sqlite", "sqlite3", "duckdb", "parquet", "arrow", "ipynb", "png", "jpg", "jpeg", "gif",
    "webp", "zip", "gz", "tar",
];

/// Endings of JSON of one row a line: data, not a text that someone edits.
const LINES: [&str; 2] = ["jsonl", "ndjson"];

/// The ending of JSON, which is settings or data.
const JSON: &str = "json";

/// Most bytes of arguments that are looked at, and most levels.
const MOST_BYTES: usize = 64 << 10;
const DEPTH: usize = 8;

/// What a call reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reads {
    /// No file whose text someone edits.
    Nothing,
    /// A file of JSON: someone edits an object, which holds settings; a list is data.
    Json,
    /// A file of any other text.
    Text,
}

/// What a call with this name and these arguments (a JSON object) reads.
pub fn reads(tool: &str, arguments: &str) -> Reads {
    if arguments.len() > MOST_BYTES {
        return Reads::Nothing;
    }
    let Ok(Value::Object(arguments)) = serde_json::from_str(arguments) else {
        return Reads::Nothing;
    };
    let of_name: Vec<String> = words_of_name(tool).collect();
    let has = |known: &[&str]| of_name.iter().any(|word| known.contains(&word.as_str()));
    let may_read = has(&READING) && !has(&OTHER);
    most(arguments.iter().map(|(key, value)| {
        let key = plain(key);
        if COMMANDS.contains(&key.as_str()) {
            return printed(value);
        }
        match may_read {
            true => named(&key, value, DEPTH),
            false => Reads::Nothing,
        }
    }))
}

fn most(all: impl Iterator<Item = Reads>) -> Reads {
    all.max().unwrap_or(Reads::Nothing)
}

/// The file that a value under this key names.
fn named(key: &str, value: &Value, depth: usize) -> Reads {
    let Some(depth) = depth.checked_sub(1) else {
        return Reads::Nothing;
    };
    match value {
        Value::String(text) if KEYS.contains(&key) => of_path(text),
        Value::Array(elements) => most(elements.iter().map(|it| named(key, it, depth))),
        Value::Object(members) => {
            let members = members.iter();
            most(members.map(|(key, value)| named(&plain(key), value, depth)))
        }
        _ => Reads::Nothing,
    }
}

/// The files that a command prints, if it does nothing else.
fn printed(command: &Value) -> Reads {
    let line = match command {
        Value::String(command) => words::parse(command).ok(),
        Value::Array(words) => {
            let words: Option<Vec<String>> = words
                .iter()
                .map(|word| word.as_str().map(str::to_owned))
                .collect();
            let simple = words.map(|words| Simple {
                words,
                ..Simple::default()
            });
            simple.map(|simple| Line {
                pipelines: vec![vec![simple]],
                ..Line::default()
            })
        }
        _ => None,
    };
    line.map_or(Reads::Nothing, |line| printed_by(&line, DEPTH))
}

fn printed_by(line: &Line, depth: usize) -> Reads {
    let Some(depth) = depth.checked_sub(1) else {
        return Reads::Nothing;
    };
    let mut files = Reads::Nothing;
    for simple in line.pipelines.iter().flatten() {
        let mut words = simple.words.iter().map(String::as_str);
        let is_known = match words.next() {
            Some("bash" | "sh" | "zsh") => {
                let inner = words.find(|word| !word.starts_with('-'));
                let inner = inner.and_then(|inner| words::parse(inner).ok());
                let inner = inner.map_or(Reads::Nothing, |inner| printed_by(&inner, depth));
                files = files.max(inner);
                files != Reads::Nothing
            }
            Some("git") => matches!(words.next(), Some("show" | "diff")),
            Some("echo") => {
                words.by_ref().for_each(drop);
                true
            }
            Some(program) => PRINTING.contains(&program),
            None => true,
        };
        if !is_known {
            return Reads::Nothing;
        }
        files = files.max(most(words.map(of_path)));
    }
    match line.substitutions.is_empty() {
        true => files,
        false => Reads::Nothing,
    }
}

/// The file at a path or URI, by the ending of its name.
fn of_path(path: &str) -> Reads {
    if path.contains("://") && !path.starts_with("file:") {
        return Reads::Nothing;
    }
    let name = path.rsplit(['/', '\\', ':']).next().unwrap_or_default();
    let Some((_, ending)) = name.rsplit_once('.') else {
        return Reads::Nothing;
    };
    let ending = ending.to_ascii_lowercase();
    let is_ending =
        (1..=12).contains(&ending.len()) && ending.bytes().all(|byte| byte.is_ascii_alphanumeric());
    match ending.as_str() {
        JSON => Reads::Json,
        other if !is_ending || NO_TEXT.contains(&other) || LINES.contains(&other) => Reads::Nothing,
        _ => Reads::Text,
    }
}

/// A key without signs, in lower case: `file_path` and `filePath` are one.
fn plain(key: &str) -> String {
    let letters = key.chars().filter(|c| c.is_alphanumeric());
    letters.map(|c| c.to_ascii_lowercase()).collect()
}

/// The words of a name in lower case: `readFile`, `read_file` and `fs.read-file` have `read` and `file`.
fn words_of_name(name: &str) -> impl Iterator<Item = String> {
    let mut parts = vec![String::new()];
    let mut before = ' ';
    for letter in name.chars() {
        if !letter.is_alphanumeric() || letter.is_uppercase() && before.is_lowercase() {
            parts.push(String::new());
        }
        if letter.is_alphanumeric()
            && let Some(part) = parts.last_mut()
        {
            part.push(letter.to_ascii_lowercase());
        }
        before = letter;
    }
    parts.into_iter().filter(|part| !part.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_that_return_the_text_of_a_file_are_told_from_others() {
        for (tool, arguments) in [
            ("read_file", r#"{"path":"ci.yml"}"#),
            ("readFile", r#"{"filePath":"/srv/app/package.toml"}"#),
            ("Read", r#"{"file_path":"/srv/.prettierrc"}"#),
            ("fs.read_file", r#"{"relative_path":"a/b.rs","start":1}"#),
            ("read_multiple_files", r#"{"paths":["a.toml","b.toml"]}"#),
            (
                "get_text_file_contents",
                r#"{"files":[{"file_path":"/srv/a.toml","ranges":[{"start":1}]}]}"#,
            ),
            ("open", r#"{"uri":"file:///srv/a.toml"}"#),
            ("bash", r#"{"command":"cat ci.yml"}"#),
            (
                "bash",
                r#"{"command":"cd /srv && sed -n '1,20p' package.toml"}"#,
            ),
            (
                "shell",
                r#"{"command":["bash","-lc","head -n 20 a.yaml | nl"]}"#,
            ),
            ("Bash", r#"{"command":"git show HEAD:deploy/values.yaml"}"#),
            ("shell", r#"{"command":"cat \"a.toml\"; echo; cat b.toml"}"#),
            ("shell", r#"{"command":"sed -n '1,20p;30q' a.toml"}"#),
        ] {
            assert_eq!(reads(tool, arguments), Reads::Text, "{tool} {arguments}");
        }
        for (tool, arguments) in [
            ("read_file", r#"{"path":"package.json"}"#),
            ("bash", r#"{"command":"cat tsconfig.JSON"}"#),
        ] {
            assert_eq!(reads(tool, arguments), Reads::Json, "{tool} {arguments}");
        }
        let mixed = r#"{"paths":["a.json","a.toml"]}"#;
        assert_eq!(reads("read_files", mixed), Reads::Text);
        for (tool, arguments) in [
            ("read_file", "{}"),
            ("read_file", r#"{"path":"events.jsonl"}"#),
            ("list_files", r#"{"path":"package.json"}"#),
            ("list_directory", r#"{"path":"/srv/app.d"}"#),
            ("directory_tree", r#"{"path":"a.b"}"#),
            ("search_files", r#"{"path":"/srv","pattern":"x.toml"}"#),
            ("read_data_from_excel", r#"{"filepath":"a.xlsx"}"#),
            ("read_graph", r#"{"names":["a.toml"]}"#),
            ("lint-files", r#"{"filePaths":["a.js"]}"#),
            ("get_issue", r#"{"path":"a.toml"}"#),
            ("fetch", r#"{"url":"https://example.com/a.toml"}"#),
            ("open_page", r#"{"uri":"https://example.com/a.toml"}"#),
            ("bash", r#"{"command":"npm test -- a.test.js"}"#),
            ("bash", r#"{"command":"cat a.toml | jq .items"}"#),
            (
                "bash",
                r#"{"command":"cat a.toml && kubectl get pods -o json"}"#,
            ),
            ("bash", r#"{"command":"git log a.toml"}"#),
            ("bash", r#"{"command":"echo a.toml"}"#),
            ("bash", r#"{"command":"cat $(find . -name a.toml)"}"#),
            ("bash", r#"{"command":"bash -c 'npm test a.toml'"}"#),
            ("bash", r#"{"command":"cat 'a.toml"}"#),
            ("bash", r#"{"command":7}"#),
        ] {
            assert_eq!(reads(tool, arguments), Reads::Nothing, "{tool} {arguments}");
        }
        assert_eq!(reads("read_file", "no JSON"), Reads::Nothing);
        assert_eq!(reads("read_file", "null"), Reads::Nothing);
        let deep = format!("{}\"a.toml\"{}", r#"{"path":["#.repeat(50), "]}".repeat(50));
        assert_eq!(reads("read_file", &deep), Reads::Nothing);
        let large = format!(r#"{{"path":"a.toml","more":"{}"}}"#, "x".repeat(MOST_BYTES));
        assert_eq!(reads("read_file", &large), Reads::Nothing);
    }
}
