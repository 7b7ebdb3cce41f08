//! Whether `structuredContent` and the text have the same content.

use crate::document::{Document, Node, NodeKind, same_reading};
use crate::json::edits::Edits;
use crate::json::tree::{quote, string};

/// Keys under which servers wrap a value other than an object, and which mean nothing themselves: `result` in
/// the Python SDK, `content` in the reference file server.
const WRAPPERS: [&str; 2] = ["result", "content"];

/// Shorter texts are not worth a line about their place in `structuredContent`, in bytes.
const LONG_TEXT: usize = 2_000;

/// Longest `structuredContent` without the texts, in bytes.
const LONGEST_REST: usize = 500;

/// How much of `structuredContent` the text blocks of a result contain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum InText {
    /// All of it: `structuredContent` can be left out.
    All,
    /// A member, and the text contains nothing else: `[1]` for `{"ids":[1]}`. So the text can be left out,
    /// but the name cannot.
    Member,
    /// All of it but a little: strings of it are the texts, where filters cannot read them as what they are. Only
    /// [`in_text_or_around`] finds this.
    Strings(AroundTexts),
    /// Each may contain something that the other lacks.
    Unknown,
}

/// `structuredContent` with a placeholder for the texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AroundTexts {
    /// A JSON object, with a string in place of the texts.
    json: String,
    /// How many texts there are.
    count: usize,
}

impl AroundTexts {
    /// The line for a model, which stands below the texts.
    pub(super) fn line(&self) -> String {
        let json = &self.json;
        match self.count {
            1 => format!("structuredContent, where (text) stands for the text above: {json}"),
            count => format!(
                "structuredContent, where (texts) stands for the {count} texts above: {json}"
            ),
        }
    }
}

/// Compares `structuredContent` with text blocks: with the JSON or text of one block, or with a list whose
/// elements are the blocks.
pub(super) fn in_text(structured: &Document, texts: &[String]) -> InText {
    let Some(tape) = structured.tape() else {
        return InText::Unknown;
    };
    // The blocks themselves, as servers send them that declare a list of blocks as their output.
    if tamis_formats::unwrap_blocks(structured.text()).is_some_and(|blocks| blocks == texts) {
        return InText::All;
    }
    let texts: Vec<Text> = texts.iter().map(|text| Text::new(text)).collect();
    let is_said = |value| {
        let is_the_text = matches!(&texts[..], [text] if text.says(structured, value));
        is_the_text || is_the_list(structured, value, &texts)
    };
    let root = tape.root();
    if is_said(root) {
        return InText::All;
    }
    let mut members = tape.members(root).filter(|(_, value)| is_said(*value));
    let Some((key, _)) = members.next() else {
        return InText::Unknown;
    };
    let name = structured.slice(key.start + 1, key.end - 1);
    if root.children == 1 && WRAPPERS.contains(&name) {
        InText::All
    } else {
        InText::Member
    }
}

/// Does the same as [`in_text`], and looks for long texts in strings of `structuredContent`, too.
pub(super) fn in_text_or_around(structured: &Document, texts: &[String]) -> InText {
    match in_text(structured, texts) {
        InText::All => InText::All,
        other => around_texts(structured, texts).map_or(other, InText::Strings),
    }
}

/// The rest of an object of which members are the texts, as strings: `{"result":["…"],"count":1}`.
fn around_texts(structured: &Document, texts: &[String]) -> Option<AroundTexts> {
    let long: usize = texts.iter().map(String::len).sum();
    let tape = structured.tape()?;
    let root = tape.root();
    let is_short = long < LONG_TEXT || texts.iter().any(String::is_empty);
    if is_short || root.kind != NodeKind::Object || root.children < 2 {
        return None;
    }
    let is_text = |node: Node, text: &String| {
        // Escapes only make a text longer.
        node.kind == NodeKind::String
            && (node.end - node.start) as usize > text.len()
            && string(structured, node).as_ref() == Some(text)
    };
    let are_texts = |list: Node| {
        list.kind == NodeKind::Array
            && tape.elements(list).count() == texts.len()
            && tape
                .elements(list)
                .zip(texts)
                .all(|(node, text)| is_text(node, text))
    };
    let placeholder = match texts {
        [_] => "(text)",
        _ => "(texts)",
    };
    let mut edits = Edits::default();
    for (_, value) in tape.members(root) {
        if matches!(texts, [text] if is_text(value, text)) {
            edits.replace(value, &quote(placeholder));
        } else if are_texts(value) {
            edits.replace(value, &format!("[{}]", quote(placeholder)));
        }
    }
    let json = edits.apply(structured).ok()??;
    // An escaped parenthesis could be one of another placeholder.
    let like_it = [placeholder, "\\u0028", "\\u0029"];
    let is_plain = !like_it
        .iter()
        .any(|like_it| structured.text().contains(like_it));
    (json.len() <= LONGEST_REST && is_plain).then_some(AroundTexts {
        json,
        count: texts.len(),
    })
}

fn is_the_list(structured: &Document, value: Node, texts: &[Text<'_>]) -> bool {
    let Some(tape) = structured.tape().filter(|_| value.kind == NodeKind::Array) else {
        return false;
    };
    let mut elements = tape.elements(value);
    let all = texts.iter().all(|text| {
        elements
            .next()
            .is_some_and(|element| text.says(structured, element))
    });
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
            let text: Option<String> =
                serde_json::from_str(document.slice(value.start, value.end)).ok();
            if text.as_deref() == Some(self.words) {
                return true;
            }
        }
        self.json.as_ref().is_some_and(|json| {
            json.tape()
                .is_some_and(|tape| same_reading((json, tape.root()), (document, value)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(structured: &str, texts: &[&str]) -> InText {
        let texts: Vec<String> = texts.iter().map(|&text| text.to_owned()).collect();
        in_text_or_around(&Document::json(structured).expect("JSON"), &texts)
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
            (
                r#"{"result":[{"type":"text","text":"[{'a': 1}]","annotations":null}]}"#,
                &["[{'a': 1}]"],
            ),
        ] {
            let found = compared(structured, texts);
            assert_eq!(found, InText::All, "{structured} and {texts:?}");
        }
    }

    #[test]
    fn a_name_that_the_text_does_not_say() {
        for (structured, texts) in [
            (r#"{"entities":[{"a":1}]}"#, &["[ {\"a\": 1} ]"][..]),
            (
                r#"{"entities":[{"a":1},{"a":2}]}"#,
                &[r#"{"a":1}"#, r#"{"a":2}"#],
            ),
            (r#"{"error":"not found"}"#, &["not found"]),
            (r#"{"total":40,"page":1,"items":[1,2]}"#, &["[1,2]"]),
            (r#"{"result":[1,2],"next":null}"#, &["[1,2]"]),
        ] {
            let found = compared(structured, texts);
            assert_eq!(found, InText::Member, "{structured} and {texts:?}");
        }
    }

    #[test]
    fn strings_that_are_the_texts_are_left_out_of_the_rest() {
        let (one, other) = ("[1,2,\"three\"]\n".repeat(200), "a line\n".repeat(50));
        let [first, second] = [&one, &other].map(|text| quote(text));
        for (structured, texts, rest) in [
            (
                format!(r#"{{"kind":"run","result":[{first}],"outputs":[{first}],"count":1}}"#),
                &[&*one][..],
                r#"{"kind":"run","result":["(text)"],"outputs":["(text)"],"count":1}"#,
            ),
            (
                format!(r#"{{"stdout":{first},"exit":0}}"#),
                &[&*one],
                r#"{"stdout":"(text)","exit":0}"#,
            ),
            (
                format!(r#"{{"cells":[{first},{second}],"count":2}}"#),
                &[&*one, &*other],
                r#"{"cells":["(texts)"],"count":2}"#,
            ),
        ] {
            let InText::Strings(around) = compared(&structured, texts) else {
                panic!("{structured}");
            };
            assert_eq!(around.json, rest);
        }
        let long = "x".repeat(LONGEST_REST);
        for (structured, texts) in [
            // The texts in another order, one that differs, and one that is missing.
            (
                format!(r#"{{"cells":[{second},{first}],"n":2}}"#),
                &[&*one, &*other][..],
            ),
            (
                format!(r#"{{"cells":[{first},"a line"],"n":2}}"#),
                &[&*one, &*other],
            ),
            (format!(r#"{{"cells":[{first}],"n":2}}"#), &[&*one, &*other]),
            // Too much besides, or what looks like the placeholder.
            (
                format!(r#"{{"stdout":{first},"stderr":"{long}"}}"#),
                &[&*one],
            ),
            (
                format!(r#"{{"stdout":{first},"stderr":"(text)"}}"#),
                &[&*one],
            ),
            (
                format!(r#"{{"stdout":{first},"stderr":"\u0028text)"}}"#),
                &[&*one],
            ),
        ] {
            let found = compared(&structured, texts);
            assert!(!matches!(found, InText::Strings(_)), "{structured}");
        }
    }

    #[test]
    fn another_value_is_not_repeated() {
        for (structured, texts) in [
            (r#"{"items":[1,2,3]}"#, &["3 items found"][..]),
            (r#"{"a":1}"#, &[r#"{"a":1,"b":2}"#]),
            (r#"{"result":[1,2]}"#, &["1"]),
            (
                r#"{"result":123456789012345678901}"#,
                &["123456789012345678902"],
            ),
            (r#"{"result":[]}"#, &["none"]),
            (r#"{"result":[]}"#, &[]),
            (r#"{"a":{"items":[1]}}"#, &["[1]"]),
        ] {
            let found = compared(structured, texts);
            assert_eq!(found, InText::Unknown, "{structured} and {texts:?}");
        }
    }
}
