//! The texts of an output: itself, and its decoded strings.

use crate::document::{Document, NodeKind};

/// JSON inside strings is opened so many times.
const OPENED: usize = 3;

/// The output, and the texts of the strings in it that have escapes, those of JSON inside strings included. A
/// word with a quote or a line break in it is spelled differently in JSON, and is there all the same.
pub(super) fn of(output: &[u8]) -> Vec<String> {
    let output = String::from_utf8_lossy(output).into_owned();
    let mut texts = Vec::new();
    collect(&output, OPENED, &mut texts);
    texts.push(output);
    texts
}

fn collect(text: &str, opened: usize, texts: &mut Vec<String>) {
    let document = Document::detect(text);
    let Some(tape) = document.tape() else {
        return;
    };
    let mut open = vec![tape.root()];
    while let Some(node) = open.pop() {
        match node.kind {
            NodeKind::Array => open.extend(tape.elements(node)),
            NodeKind::Object => {
                open.extend(tape.members(node).flat_map(|(key, value)| [key, value]));
            }
            NodeKind::String => {
                let raw = document.slice(node.start, node.end);
                if let Some(content) = decoded(raw) {
                    if opened > 0 {
                        collect(&content, opened - 1, texts);
                    }
                    texts.push(content);
                }
            }
            _ => {}
        }
    }
}

/// The decoded string. None: it has no escapes.
fn decoded(raw: &str) -> Option<String> {
    raw.contains('\\')
        .then(|| serde_json::from_str(raw).ok())
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn a_text_is_found_however_deep_it_is_escaped() {
        let inner = serde_json::json!({"say": "a \"word\"\nmore"}).to_string();
        let outer = serde_json::json!({"content": [{"text": inner}]}).to_string();
        assert!(
            of(outer.as_bytes())
                .iter()
                .any(|text| text.contains("a \"word\"\nmore"))
        );
    }
}
