//! The parts of a tool's result that a model can read, for counting.

use super::super::same::{self, InText};
use super::super::shown::text_of;
use crate::document::{Document, NodeKind};
use crate::json::tree::{FRAME_DEPTH, member};

/// The texts of a result, including those of embedded resources, and its `structuredContent` unless the texts
/// contain the same. Anything other than a result is one text.
pub fn readable(result: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(result);
    let Ok(frame) = Document::json_with_depth(&*text, FRAME_DEPTH) else {
        return vec![text.into_owned()];
    };
    let Some(tape) = frame.tape() else {
        return Vec::new();
    };
    let content = member(&frame, tape.root(), "content");
    let structured = member(&frame, tape.root(), "structuredContent");
    if content.is_none() && structured.is_none() {
        return vec![text.into_owned()];
    }
    let blocks = content.filter(|node| node.kind == NodeKind::Array);
    let blocks = blocks.into_iter().flat_map(|node| tape.elements(node));
    let mut texts: Vec<String> = blocks.filter_map(|block| text_of(&frame, block)).collect();
    if let Some(node) = structured {
        let raw = frame.slice(node.start, node.end);
        let in_text = Document::json(raw).map(|value| same::in_text(&value, &texts));
        if !matches!(in_text, Ok(InText::All)) {
            texts.push(raw.to_owned());
        }
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::readable;

    #[test]
    fn texts_count_once_and_images_not() {
        let texts = |result: &str| readable(result.as_bytes());
        let two = r#"{"content":[{"type":"text","text":"{\"a\":1}"},{"type":"image","data":"QUJD"},
            {"type":"resource","resource":{"uri":"x:","text":"b\n"}}]}"#;
        assert_eq!(texts(two), ["{\"a\":1}", "b\n"]);
        let same =
            r#"{"content":[{"type":"text","text":"{\"a\":1}"}],"structuredContent":{"a":1}}"#;
        assert_eq!(texts(same), ["{\"a\":1}"]);
        let other = same.replace("{\"a\":1}}", "{\"b\":1}}");
        assert_eq!(texts(&other), ["{\"a\":1}", "{\"b\":1}"]);
        assert_eq!(texts("[1"), ["[1"]);
        assert_eq!(texts(r#"{"tools":[]}"#), [r#"{"tools":[]}"#]);
    }
}
