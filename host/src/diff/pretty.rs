//! JSON broken into lines, every value spelled unchanged.

use crate::document::{Document, Node, NodeKind, Tape};

/// JSON inside strings is opened so many times.
const OPENED: usize = 3;

/// A JSON object or array, a member or element a line; none for anything else.
pub(super) fn break_json(text: &str) -> Option<String> {
    let trimmed = text.trim_end_matches('\n');
    let mut lines = Lines::default();
    lines.json(trimmed, OPENED)?;
    let mut broken = lines.text;
    // Text after the JSON is part of the text.
    broken.push_str(&text[trimmed.len()..]);
    Some(broken)
}

#[derive(Default)]
struct Lines {
    text: String,
    depth: usize,
}

impl Lines {
    fn json(&mut self, text: &str, opened: usize) -> Option<()> {
        if !text.trim_start().starts_with(['{', '[']) {
            return None;
        }
        let document = Document::json(text).ok()?;
        let tape = document.tape()?;
        self.value(&document, tape, tape.root(), opened);
        Some(())
    }

    fn value(&mut self, document: &Document, tape: &Tape, node: Node, opened: usize) {
        let raw = document.slice(node.start, node.end);
        match node.kind {
            NodeKind::Object if node.children > 0 => {
                self.open("{");
                for (index, (key, value)) in tape.members(node).enumerate() {
                    self.separate(index);
                    self.text.push_str(document.slice(key.start, key.end));
                    self.text.push_str(": ");
                    self.value(document, tape, value, opened);
                }
                self.close("}");
            }
            NodeKind::Array if node.children > 0 => {
                self.open("[");
                for (index, value) in tape.elements(node).enumerate() {
                    self.separate(index);
                    self.value(document, tape, value, opened);
                }
                self.close("]");
            }
            NodeKind::Object => self.text.push_str("{}"),
            NodeKind::Array => self.text.push_str("[]"),
            NodeKind::String => self.string(raw, opened),
            _ => self.text.push_str(raw),
        }
    }

    /// A string: unchanged, or its content, behind `json` or `text`.
    fn string(&mut self, raw: &str, opened: usize) {
        let content = if opened > 0 && raw.contains('\\') {
            serde_json::from_str::<String>(raw).ok()
        } else {
            None
        };
        let Some(content) = content else {
            self.text.push_str(raw);
            return;
        };
        let (end, before) = (self.text.len(), self.depth);
        self.text.push_str("json ");
        if self.json(&content, opened - 1).is_some() {
            return;
        }
        self.text.truncate(end);
        self.depth = before;
        if !content.trim_end_matches('\n').contains('\n') {
            self.text.push_str(raw);
            return;
        }
        self.text.push_str("text");
        self.depth += 1;
        for line in content.split('\n') {
            self.line();
            self.text.push_str("| ");
            self.text.push_str(line);
        }
        self.depth -= 1;
    }

    fn open(&mut self, bracket: &str) {
        self.text.push_str(bracket);
        self.depth += 1;
    }

    fn separate(&mut self, index: usize) {
        if index > 0 {
            self.text.push(',');
        }
        self.line();
    }

    fn close(&mut self, bracket: &str) {
        self.depth -= 1;
        self.line();
        self.text.push_str(bracket);
    }

    fn line(&mut self) {
        self.text.push('\n');
        for _ in 0..self.depth {
            self.text.push_str("  ");
        }
    }
}
