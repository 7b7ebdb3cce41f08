//! A tool's `inputSchema` without the members that tell a model nothing.
//!
//! Clients send the schema of each tool to their model in every request, unchanged. Owns the choice of the
//! members to remove. They are a `title` that repeats the name of its property (as Python's SDK writes them),
//! and `$schema`, if both drafts that clients know read the schema alike. The schema accepts the same values as
//! before.

use crate::document::{Document, Node, NodeKind, Tape};
use crate::json::tree::{key_text, member, string};

/// Schemas nest a few levels deep; a schema that nests deeper stays unchanged.
const DEPTH: usize = 32;

/// Without `$schema`, a client reads a schema as draft 2020-12.
const OLDER_DRAFTS: [&str; 2] = [
    "http://json-schema.org/draft-07/schema#",
    "http://json-schema.org/draft-07/schema",
];

/// Keywords that mean the same in draft-07 and in 2020-12, and hold no schema.
const SAME_IN_BOTH: [&str; 19] = [
    "const",
    "default",
    "description",
    "enum",
    "examples",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "pattern",
    "uniqueItems",
];

/// The keys of the members that can be removed from the schema of a tool of this name.
pub(super) fn needless(frame: &Document, schema: Node, tool: &str) -> Vec<Node> {
    let Some(tape) = frame.tape() else {
        return Vec::new();
    };
    let mut reading = Reading {
        frame,
        tape,
        titles: Vec::new(),
        drafts: Vec::new(),
        is_same_in_both: true,
        is_too_deep: false,
    };
    reading.schema(schema, &Name::Tool(tool), 0);
    let Reading {
        mut titles,
        drafts,
        is_same_in_both,
        is_too_deep,
        ..
    } = reading;
    if is_too_deep {
        return Vec::new();
    }
    if is_same_in_both {
        titles.extend(drafts);
    }
    titles
}

/// The name of the value that a schema describes.
enum Name<'a> {
    Tool(&'a str),
    Property(&'a str),
    /// No name: elements of a list, for example.
    None,
}

struct Reading<'f> {
    frame: &'f Document,
    tape: &'f Tape,
    /// Keys of titles that spell a name.
    titles: Vec<Node>,
    /// Keys of `$schema`.
    drafts: Vec<Node>,
    /// Whether both drafts read the schema alike.
    is_same_in_both: bool,
    is_too_deep: bool,
}

impl Reading<'_> {
    fn schema(&mut self, schema: Node, name: &Name<'_>, depth: usize) {
        if depth > DEPTH {
            self.is_too_deep = true;
            return;
        }
        for (key, value) in self.tape.members(schema) {
            let keyword = key_text(self.frame, key);
            match keyword.as_deref() {
                Some("title") => {
                    let title = string(self.frame, value);
                    if title.is_some_and(|title| name.is_spelled_by(&title)) {
                        self.titles.push(key);
                    }
                }
                Some("$schema") if depth == 0 => self.draft(key, value),
                Some("properties") => {
                    for (property, of) in self.tape.members(value) {
                        let property = key_text(self.frame, property).unwrap_or_default();
                        self.schema(of, &Name::Property(&property), depth + 1);
                    }
                }
                Some("items" | "additionalProperties" | "not" | "propertyNames") => {
                    // Draft-07 has lists of schemas as `items`.
                    self.is_same_in_both &= value.kind != NodeKind::Array;
                    self.schema(value, &Name::None, depth + 1);
                }
                Some("allOf" | "anyOf" | "oneOf") => {
                    for of in self.tape.elements(value) {
                        self.schema(of, &Name::None, depth + 1);
                    }
                }
                Some("type" | "required") => {}
                Some(keyword) if SAME_IN_BOTH.contains(&keyword) => {}
                _ => self.is_same_in_both = false,
            }
        }
    }

    fn draft(&mut self, key: Node, value: Node) {
        let draft = string(self.frame, value);
        if draft.is_some_and(|draft| OLDER_DRAFTS.contains(&&*draft)) {
            self.drafts.push(key);
        }
    }
}

impl Name<'_> {
    /// Whether a title is this name in other letters: `Repo Path` of `repo_path`.
    fn is_spelled_by(&self, title: &str) -> bool {
        let letters = |text: &str| -> String {
            let letters = text.chars().filter(|c| c.is_alphanumeric());
            letters.flat_map(char::to_lowercase).collect()
        };
        match self {
            Name::Property(name) => letters(name) == letters(title),
            // Python's SDK calls the schema of the tool `add` `addArguments`.
            Name::Tool(name) => {
                let (name, title) = (letters(name), letters(title));
                title == name || title.strip_suffix("arguments") == Some(&name)
            }
            Name::None => false,
        }
    }
}

/// The `inputSchema` of a tool in a list.
pub(super) fn of(frame: &Document, tool: Node) -> Option<Node> {
    member(frame, tool, "inputSchema").filter(|schema| schema.kind == NodeKind::Object)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::edits::Edits;

    fn shortened(schema: &str, tool: &str) -> String {
        let frame = Document::json(schema).expect("JSON");
        let root = frame.tape().expect("a tape").root();
        let mut edits = Edits::default();
        for key in needless(&frame, root, tool) {
            edits.remove(key);
        }
        let edited = edits.apply(&frame).expect("edits");
        edited.unwrap_or_else(|| schema.to_owned())
    }

    #[test]
    fn titles_that_spell_names_go() {
        let schema = r#"{"title":"git_logArguments","type":"object","properties":{"repo_path":{"title":"Repo Path","type":"string"},"title":{"title":"Title","type":"string"},"n":{"title":"How many","type":"integer"}}}"#;
        let expected = r#"{"type":"object","properties":{"repo_path":{"type":"string"},"title":{"type":"string"},"n":{"title":"How many","type":"integer"}}}"#;
        assert_eq!(shortened(schema, "git_log"), expected);
        // Another tool's name, and values that look like schemas.
        let kept = r#"{"title":"git_logArguments","default":{"title":"x"},"properties":{"a":{"enum":[{"title":"a"}]}}}"#;
        assert_eq!(shortened(kept, "git_show"), kept);
    }

    #[test]
    fn the_draft_goes_where_both_read_the_schema_alike() {
        let draft = r#""$schema":"http://json-schema.org/draft-07/schema#""#;
        let simple = r#""type":"object","properties":{"a":{"type":"array","items":{"anyOf":[{"type":"string"},{"minimum":1}]}}},"required":["a"],"additionalProperties":false"#;
        let with = |more: &str| format!("{{{draft},{more}}}");
        assert_eq!(shortened(&with(simple), "t"), format!("{{{simple}}}"));
        for other in [
            r##""properties":{"a":{"$ref":"#/definitions/x"}}"##,
            r#""properties":{"a":{"items":[{"type":"string"}]}}"#,
            r#""dependencies":{"a":["b"]}"#,
            r#""properties":{"$schema":{"if":{}}}"#,
        ] {
            assert_eq!(shortened(&with(other), "t"), with(other));
        }
        let newer = r#"{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object"}"#;
        assert_eq!(shortened(newer, "t"), newer);
    }

    #[test]
    fn a_schema_that_nests_deep_stays() {
        let deep = |levels: usize| {
            let (open, close) = (r#"{"items":"#.repeat(levels), "}".repeat(levels));
            format!(r#"{{"title":"t","items":{open}{{}}{close}}}"#)
        };
        assert!(!shortened(&deep(DEPTH - 2), "t").contains("title"));
        let too_deep = deep(DEPTH + 1);
        assert_eq!(shortened(&too_deep, "t"), too_deep);
    }
}
