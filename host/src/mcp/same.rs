//! Whether `structuredContent` only repeats what the text says.

use crate::document::{Document, Node, NodeKind, same_value};

/// Keys under which servers wrap what is not an object: `result` as the Python SDK does, `content`
/// as the reference file server does.
const WRAPPERS: [&str; 2] = ["result", "content"];

/// Whether a result's `structuredContent` is the same value as its text blocks: the one block's
/// JSON or words, or a list of which every block is an element, bare or wrapped.
pub(super) fn repeats(structured: &Document, texts: &[String]) -> bool {
    let Some(tape) = structured.tape() else {
        return false;
    };
    let root = tape.root();
    let mut members = tape.members(root);
    let wrapped = match (members.next(), members.next()) {
        (Some((key, value)), None) => {
            let name = structured.slice(key.start + 1, key.end - 1);
            WRAPPERS.contains(&name).then_some(value)
        }
        _ => None,
    };
    let texts: Vec<Text> = texts.iter().map(|text| Text::new(text)).collect();
    [Some(root), wrapped].into_iter().flatten().any(|value| {
        let is_the_text = matches!(&texts[..], [text] if text.says(structured, value));
        is_the_text || is_the_list(structured, value, &texts)
    })
}

fn is_the_list(structured: &Document, value: Node, texts: &[Text<'_>]) -> bool {
    let Some(tape) = structured.tape().filter(|_| value.kind == NodeKind::Array) else {
        return false;
    };
    let mut elements = tape.elements(value);
    let all = texts
        .iter()
        .all(|text| elements.next().is_some_and(|it| text.says(structured, it)));
    // Of an empty list only `structuredContent` speaks.
    !texts.is_empty() && all && elements.next().is_none()
}

/// A text block.
struct Text<'a> {
    words: &'a str,
    json: Option<Document>,
}

impl<'a> Text<'a> {
    fn new(words: &'a str) -> Text<'a> {
        Text {
            words,
            json: Document::json(words).ok(),
        }
    }

    fn says(&self, document: &Document, value: Node) -> bool {
        if value.kind == NodeKind::String {
            let said: Option<String> =
                serde_json::from_str(document.slice(value.start, value.end)).ok();
            if said.as_deref() == Some(self.words) {
                return true;
            }
        }
        self.json.as_ref().is_some_and(|json| {
            json.tape()
                .is_some_and(|tape| same_value((json, tape.root()), (document, value)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_repeated(structured: &str, texts: &[&str]) -> bool {
        let texts: Vec<String> = texts.iter().map(|&text| text.to_owned()).collect();
        repeats(&Document::json(structured).expect("JSON"), &texts)
    }

    #[test]
    fn the_same_value_in_every_form_that_servers_send() {
        for (structured, texts) in [
            (
                r#"{"a":1,"b":[2]}"#,
                &["{\n  \"b\": [2],\n  \"a\": 1\n}"][..],
            ),
            (
                r#"{"result":[{"a":1},{"a":2}]}"#,
                &[r#"{"a":1}"#, r#"{"a":2}"#],
            ),
            (r#"{"result":["x","y"]}"#, &["x", "y"]),
            (r#"{"result":"plain words"}"#, &["plain words"]),
            (r#"{"result":3}"#, &["3"]),
            (
                r#"{"content":"a file\nof two lines"}"#,
                &["a file\nof two lines"],
            ),
            ("[1,2]", &["[1,2]"]),
        ] {
            assert!(is_repeated(structured, texts), "{structured} and {texts:?}");
        }
    }

    #[test]
    fn another_value_is_not_repeated() {
        for (structured, texts) in [
            (r#"{"items":[1,2,3]}"#, &["3 items found"][..]),
            (r#"{"a":1}"#, &[r#"{"a":1,"b":2}"#]),
            (r#"{"error":"not found"}"#, &["not found"]),
            // The name says something.
            (r#"{"entities":[{"a":1}]}"#, &[r#"[{"a":1}]"#]),
            (r#"{"result":[1,2]}"#, &["1"]),
            (
                r#"{"result":123456789012345678901}"#,
                &["123456789012345678902"],
            ),
            (r#"{"result":[]}"#, &["none"]),
            (r#"{"result":[]}"#, &[]),
        ] {
            assert!(
                !is_repeated(structured, texts),
                "{structured} and {texts:?}"
            );
        }
    }
}
