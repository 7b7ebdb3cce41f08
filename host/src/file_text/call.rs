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

/// Endings of JSON: what filters write in its place is data to whoever asked for data.
const JSON: [&str; 3] = ["json", "jsonl", "ndjson"];

/// Most bytes of arguments that are looked at, and most levels.
const MOST_BYTES: usize = 64 << 10;
const DEPTH: usize = 8;

/// Whether a call with this name and these arguments (a JSON object) reads a file.
pub fn reads_a_file(tool: &str, arguments: &str) -> bool {
    if arguments.len() > MOST_BYTES {
        return false;
    }
    let Ok(Value::Object(arguments)) = serde_json::from_str(arguments) else {
        return false;
    };
    let of_name: Vec<String> = words_of_name(tool).collect();
    let has = |known: &[&str]| of_name.iter().any(|word| known.contains(&word.as_str()));
    let may_read = has(&READING) && !has(&OTHER);
    arguments.iter().any(|(key, value)| {
        let key = plain(key);
        if COMMANDS.contains(&key.as_str()) {
            return is_printing(value);
        }
        may_read && names_a_file(&key, value, DEPTH)
    })
}

/// Whether a value under this key names a file.
fn names_a_file(key: &str, value: &Value, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else {
        return false;
    };
    match value {
        Value::String(text) => KEYS.contains(&key) && is_text_file(text),
        Value::Array(elements) => elements.iter().any(|it| names_a_file(key, it, depth)),
        Value::Object(members) => members
            .iter()
            .any(|(key, value)| names_a_file(&plain(key), value, depth)),
        _ => false,
    }
}

/// Whether a command only prints files, of which one has a text.
fn is_printing(command: &Value) -> bool {
    match command {
        Value::String(command) => words::parse(command).is_ok_and(|line| prints(&line, DEPTH)),
        Value::Array(words) => {
            let words: Option<Vec<String>> = words
                .iter()
                .map(|word| word.as_str().map(str::to_owned))
                .collect();
            let simple = words.map(|words| Simple {
                words,
                ..Simple::default()
            });
            let line = simple.map(|simple| Line {
                pipelines: vec![vec![simple]],
                ..Line::default()
            });
            line.is_some_and(|line| prints(&line, DEPTH))
        }
        _ => false,
    }
}

fn prints(line: &Line, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else {
        return false;
    };
    let mut has_file = false;
    for simple in line.pipelines.iter().flatten() {
        let mut words = simple.words.iter().map(String::as_str);
        let is_known = match words.next() {
            Some("bash" | "sh" | "zsh") => {
                let inner = words.find(|word| !word.starts_with('-'));
                let inner = inner.and_then(|inner| words::parse(inner).ok());
                has_file |= inner.is_some_and(|inner| prints(&inner, depth));
                has_file
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
            return false;
        }
        has_file |= words.any(is_text_file);
    }
    has_file && line.substitutions.is_empty()
}

/// Whether a path, or a URI of a file, has an ending that files with a text have.
fn is_text_file(path: &str) -> bool {
    if path.contains("://") && !path.starts_with("file:") {
        return false;
    }
    let name = path.rsplit(['/', '\\', ':']).next().unwrap_or_default();
    let Some((_, ending)) = name.rsplit_once('.') else {
        return false;
    };
    let ending = ending.to_ascii_lowercase();
    (1..=12).contains(&ending.len())
        && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && !NO_TEXT.contains(&ending.as_str())
        && !JSON.contains(&ending.as_str())
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
            assert!(reads_a_file(tool, arguments), "{tool} {arguments}");
        }
        for (tool, arguments) in [
            ("read_file", "{}"),
            ("read_file", r#"{"path":"package.json"}"#),
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
            assert!(!reads_a_file(tool, arguments), "{tool} {arguments}");
        }
        assert!(!reads_a_file("read_file", "no JSON"));
        assert!(!reads_a_file("read_file", "null"));
        let deep = format!("{}\"a.toml\"{}", r#"{"path":["#.repeat(50), "]}".repeat(50));
        assert!(!reads_a_file("read_file", &deep));
        let large = format!(r#"{{"path":"a.toml","more":"{}"}}"#, "x".repeat(MOST_BYTES));
        assert!(!reads_a_file("read_file", &large));
    }
}
