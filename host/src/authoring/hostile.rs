//! Documents that filters trip over: empty, huge, deep, odd, and nearly JSON.

use crate::document::{Document, MAX_DEPTH};
use std::borrow::Cow;

/// A document, and the reason why it is hostile.
#[derive(Debug, Clone)]
pub struct Hostile {
    /// The name, in lower case with hyphens: also the name of its file when it is saved.
    pub name: Cow<'static, str>,
    /// The document, as a tool would send it.
    pub document: Document,
}

impl Hostile {
    pub(super) fn new(name: impl Into<Cow<'static, str>>, text: String) -> Hostile {
        Hostile {
            name: name.into(),
            document: Document::detect(text),
        }
    }
}

/// All of them, each time the same.
pub fn documents() -> Vec<Hostile> {
    let mut documents = Vec::new();
    let mut add = |name: &'static str, text: String| {
        documents.push(Hostile::new(name, text));
    };
    for (name, text) in SMALL {
        add(name, (*text).to_owned());
    }
    let nested =
        |open: &str, close: &str, depth: usize| open.repeat(depth) + "1" + &close.repeat(depth);
    add("deep-array", nested("[", "]", MAX_DEPTH));
    add("deep-object", nested("{\"a\":", "}", MAX_DEPTH));
    add("deeper-than-json-may-be", nested("[", "]", 20_000));
    add(
        "many-members",
        object(20_000, |n| format!("\"key_{n}\": {n}")),
    );
    add(
        "many-empties",
        object(5_000, |n| {
            format!("\"k{n}\":null,\"l{n}\":[],\"m{n}\":{{}},\"n{n}\":\"\"")
        }),
    );
    add(
        "one-key-many-times",
        object(2_000, |n| format!("\"k\":{n}")),
    );
    add(
        "many-numbers",
        list(100_000, |n| (n * 7919 % 10_007).to_string()),
    );
    add("rows", list(3_000, |n| row(n, false)));
    add("rows-pretty", list(500, |n| row(n, true)));
    add(
        "rows-not-alike",
        list(2_000, |n| match n % 5 {
            0 => "null".to_owned(),
            1 => format!("[{n}]"),
            2 => format!("{{\"other_{n}\":{n}}}"),
            _ => row(n, false),
        }),
    );
    add(
        "one-long-string",
        format!("{{\"text\": \"{}\"}}", "word ".repeat(200_000)),
    );
    add(
        "many-escapes",
        format!(
            "{{\"text\": \"{}\"}}",
            "\\n\\\"\\u00e9\\ud83d\\ude00".repeat(20_000)
        ),
    );
    add("one-long-line", "x".repeat(1_000_000));
    add(
        "many-lines",
        (0..50_000)
            .map(|n| format!("line {n}: nothing to see\n"))
            .collect(),
    );
    add("many-empty-lines", "\n".repeat(200_000));
    add(
        "wide-characters",
        "語彙は人の言葉の海である。🦀👩\u{200d}🔬 e\u{301}".repeat(5_000),
    );
    documents
}

fn list(count: usize, element: impl Fn(usize) -> String) -> String {
    let elements: Vec<String> = (0..count).map(element).collect();
    format!("[{}]", elements.join(","))
}

fn object(count: usize, member: impl Fn(usize) -> String) -> String {
    let members: Vec<String> = (0..count).map(member).collect();
    format!("{{{}}}", members.join(","))
}

/// A row as servers send them; pretty: with whitespace wherever JSON takes it.
pub(super) fn row(n: usize, pretty: bool) -> String {
    let (open, gap, end) = if pretty {
        ("\r\n\t", " ", "\n")
    } else {
        ("", "", "")
    };
    let deprecated = n.is_multiple_of(7);
    format!(
        "{{{open}\"id\":{gap}{n},{open}\"name\":{gap}\"part {n}, \\\"quoted\\\"\",{open}\"path\":{gap}\"src/part_{}.rs\",{open}\
         \"doc\":{gap}null,{open}\"tags\":{gap}[],{open}\"size\":{gap}{}.5,{open}\"deprecated\":{gap}{deprecated}{end}}}",
        n % 40,
        n * 3,
    )
}

const SMALL: &[(&str, &str)] = &[
    ("empty", ""),
    ("white-space", " \t\r\n\n"),
    ("one-character", "a"),
    ("one-number", "12"),
    ("one-string", "\"text\""),
    ("null", "null"),
    ("empty-object", "{}"),
    ("empty-array", "[]"),
    (
        "nothing-but-empties",
        r#"{"a": null, "b": [], "c": {}, "d": "", "e": [null, {}, []]}"#,
    ),
    (
        "key-twice",
        r#"{"a": 1, "b": null, "a": null, "a": {"a": 2, "a": 3}}"#,
    ),
    ("key-spelled-twice", r#"{"a": 1, "\u0061": null, "b": 2}"#),
    (
        "odd-keys",
        r#"{"": 1, " ": 2, ".": 3, "a.b": 4, "*": 5, "[0]": 6, "$": 7, "\u0000": 8, "\"": 9}"#,
    ),
    (
        "odd-numbers",
        "[-0, 0.0, 1E+2, 1e-999, 1e999, 123456789012345678901234567890, 0.1000, -1.5e-3]",
    ),
    (
        "half-a-character",
        r#"{"a": "\ud800", "b": "\udc00\ud800", "\ud83d": 1}"#,
    ),
    (
        "control-characters",
        r#"{"a": "\u0000\u001b[31m\u007f\b\f"}"#,
    ),
    ("byte-order-mark", "\u{feff}{\"a\": null}"),
    (
        "right-to-left",
        "{\"\u{202e}abc\": \"שלום עולם\", \"b\": \"مرحبا\"}",
    ),
    (
        "combining",
        "e\u{301}\u{323} \u{1f469}\u{200d}\u{1f52c} \u{1f1e9}\u{1f1ea} \u{0}\u{ffff}",
    ),
    (
        "line-separators",
        "one\u{2028}two\u{2029}three\u{85}four\rfive\r\nsix",
    ),
    ("json-in-json", r#"{"a": "{\"b\": \"{\\\"c\\\": null}\"}"}"#),
    ("json-cut-short", r#"{"a": [1, 2, {"b": "#),
    ("json-with-comma-too-many", r#"{"a": 1,}"#),
    ("json-with-comment", "// what it is\n{\"a\": 1}"),
    ("json-with-nan", r#"{"a": NaN, "b": Infinity}"#),
    ("json-with-single-quotes", "{'a': None, 'b': True}"),
    ("two-documents", "{\"a\": 1}\n{\"a\": 2}\n"),
    ("document-and-words", "{\"a\": 1} is the answer"),
    (
        "markdown",
        "# A\n\n- b\n- c\n\n```json\n{\"d\": null}\n```\n\n| e | f |\n|---|---|\n| 1 | |\n",
    ),
    ("table-of-tabs", "a\tb\tc\n1\t\t3\n\t\t\n"),
    (
        "yaml",
        "a:\n  - b: null\n    c: [1, 2]\n  - &d {e: f}\n  - *d\n",
    ),
    (
        "colours",
        "\u{1b}[1;31merror\u{1b}[0m: \u{1b}]8;;https://example.com\u{7}link\u{1b}]8;;\u{7} \u{1b}",
    ),
    (
        "base64",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
    ),
    ("template", "{{a}} {a} ${a} %s %(a)s $(a) `a` {0} \\0"),
    ("read-call", r#"tamis_read {"ref":"abcdefghij234567"}"#),
];

#[cfg(test)]
mod tests {
    use super::documents;
    use crate::document::Kind;
    use std::collections::HashSet;

    #[test]
    fn they_are_what_their_names_say() {
        let all = documents();
        let names: HashSet<_> = all.iter().map(|document| &*document.name).collect();
        assert_eq!(names.len(), all.len(), "a name is there twice");
        let kind = |name: &str| {
            all.iter()
                .find(|hostile| hostile.name == name)
                .map(|hostile| hostile.document.kind())
        };
        for json in [
            "deep-array",
            "deep-object",
            "rows",
            "rows-pretty",
            "many-escapes",
            "odd-keys",
            "half-a-character",
            "odd-numbers",
        ] {
            assert_eq!(kind(json), Some(Kind::Json), "{json}");
        }
        for text in [
            "empty",
            "deeper-than-json-may-be",
            "json-cut-short",
            "json-with-nan",
            "two-documents",
        ] {
            assert_eq!(kind(text), Some(Kind::Text), "{text}");
        }
    }
}
