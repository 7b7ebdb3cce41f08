//! Recognises calls that read a file. An agent copies from such a text to edit the file, so the text stays exact.

use serde_json::Value;

/// Words in the names of tools that read files.
const WORDS: [&str; 5] = ["file", "files", "cat", "editor", "blob"];

/// Arguments that always contain a file's name.
const KEYS: [&str; 8] = [
    "path",
    "paths",
    "file",
    "files",
    "filename",
    "filepath",
    "targetfile",
    "notebookpath",
];

/// Ends of names of HTML files, and of files with similar syntax.
const ENDS: [&str; 28] = [
    ".html",
    ".htm",
    ".xhtml",
    ".shtml",
    ".vue",
    ".svelte",
    ".astro",
    ".jsx",
    ".tsx",
    ".js",
    ".ts",
    ".mjs",
    ".php",
    ".erb",
    ".ejs",
    ".hbs",
    ".jinja",
    ".j2",
    ".tmpl",
    ".mustache",
    ".twig",
    ".xml",
    ".svg",
    ".md",
    ".mdx",
    ".txt",
    ".cshtml",
    ".jsp",
];

/// Most levels of arguments that are examined.
const DEPTH: usize = 8;

/// Whether a call with this name and these arguments reads a file, as far as these show it. `tool` may also be the URI
/// of a resource.
pub fn reads_a_file(tool: &str, arguments: &str) -> bool {
    if words(tool).any(|word| WORDS.iter().any(|known| word.eq_ignore_ascii_case(known)))
        || names_a_file(tool)
    {
        return true;
    }
    serde_json::from_str(arguments).is_ok_and(|arguments| holds_a_file(&arguments, DEPTH))
}

fn holds_a_file(value: &Value, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else {
        return false;
    };
    match value {
        Value::String(text) => names_a_file(text),
        Value::Array(elements) => elements.iter().any(|it| holds_a_file(it, depth)),
        Value::Object(members) => members.iter().any(|(key, value)| {
            let key: String = key.chars().filter(|c| c.is_alphanumeric()).collect();
            let is_key = KEYS.iter().any(|known| key.eq_ignore_ascii_case(known));
            is_key && holds_a_place(value) || holds_a_file(value, depth)
        }),
        _ => false,
    }
}

/// Whether the value of a file argument is a path rather than a URL on the network.
fn holds_a_place(value: &Value) -> bool {
    match value {
        Value::String(text) => !text.is_empty() && !is_remote(text),
        Value::Array(elements) => elements.iter().any(holds_a_place),
        _ => false,
    }
}

/// Whether a text, such as a command, names a file that is HTML or similar.
fn names_a_file(text: &str) -> bool {
    let is_between = |c: char| c.is_whitespace() || "'\"`;|<>&(),=".contains(c);
    text.split(is_between).any(|word| {
        if is_remote(word) {
            return false;
        }
        let word = word.trim_end_matches(['.', ':', '?', '!']);
        let lower = word.to_ascii_lowercase();
        lower.starts_with("file:") || ENDS.iter().any(|end| lower.ends_with(end))
    })
}

fn is_remote(word: &str) -> bool {
    let lower = word.get(..8).unwrap_or(word).to_ascii_lowercase();
    lower.starts_with("http://") || lower.starts_with("https://")
}

/// The words of a name: `readFile`, `read_file` and `read-file` have two.
fn words(name: &str) -> impl Iterator<Item = &str> {
    let mut starts = vec![0];
    let mut before = ' ';
    for (at, letter) in name.char_indices() {
        if !letter.is_alphanumeric() || letter.is_uppercase() && before.is_lowercase() {
            starts.push(at);
        }
        before = letter;
    }
    starts.push(name.len());
    let ranges: Vec<(usize, usize)> = starts.windows(2).map(|pair| (pair[0], pair[1])).collect();
    ranges
        .into_iter()
        .map(|(start, end)| name[start..end].trim_matches(|letter: char| !letter.is_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_that_read_files_are_told_from_others() {
        for (tool, arguments) in [
            ("read_file", "{}"),
            ("readFile", "{}"),
            ("Read", r#"{"file_path":"/srv/a"}"#),
            ("view", r#"{"path":"templates/page"}"#),
            ("bash", r#"{"command":"sed -n 1,20p index.html"}"#),
            ("bash", r#"{"command":"git show HEAD:site/INDEX.HTML"}"#),
            ("bash", r#"{"command":"cat 'a b.html'; echo"}"#),
            ("run", r#"{"args":["cat","x.vue"]}"#),
            ("open", r#"{"uri":"file:///srv/a"}"#),
            ("file:///srv/page", "{}"),
            ("get", r#"{"request":{"paths":["a"]}}"#),
        ] {
            assert!(reads_a_file(tool, arguments), "{tool} {arguments}");
        }
        for (tool, arguments) in [
            ("fetch", r#"{"url":"https://example.com/index.html"}"#),
            (
                "bash",
                r#"{"command":"curl -s http://localhost/index.html | head"}"#,
            ),
            ("profile", "{}"),
            (
                "get_page",
                r#"{"path":"https://example.com/a.html","id":7}"#,
            ),
            ("get", r#"{"path":""}"#),
            ("https://example.com/a.html", ""),
            (
                "browser_evaluate",
                r#"{"function":"() => document.body.outerHTML"}"#,
            ),
        ] {
            assert!(!reads_a_file(tool, arguments), "{tool} {arguments}");
        }
    }
}
