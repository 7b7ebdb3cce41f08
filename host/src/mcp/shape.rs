//! Results taken apart into documents, and put together again.
//!
//! Every text block of `content` is a document, and so is `structuredContent`; each goes down the
//! chain by itself. What comes back is put into the result by edits, so that all the rest of it
//! (images, links, unknown blocks, key order, number spelling) stays byte for byte.
//!
//! What a client's model is shown of text and `structuredContent` differs by client. Choosing
//! between the two belongs here; so far both are filtered, and the schema of a filtered tool's
//! `structuredContent` is not announced, since clients reject results that do not fit it.

use crate::chain::{Chain, Emission, Receipt, Run};
use crate::document::{Document, Kind, Node, NodeKind, TapeWanted};
use crate::sandbox::{CallInfo, Part, Surface};

/// Frames may nest deeper than what filters are given: clients decide for themselves what they
/// take, and a result must not escape its chain by depth.
const FRAME_DEPTH: usize = 1_000_000;

/// What the client gets in place of a result that a filter had to see and could not. For the
/// model: short, stable, no cause; the operator finds that in the log.
const WITHHELD: &str = r#"{"content":[{"type":"text","text":"[tamis] This result is withheld: a filter that it must pass through failed. The operator's log says why."}],"isError":true}"#;

/// A tool call whose result is to be filtered.
#[derive(Debug, Clone, Copy)]
pub struct CallContext<'a> {
    pub server: &'a str,
    pub tool: &'a str,
    /// A JSON object.
    pub arguments: &'a str,
}

/// What became of a result.
#[derive(Debug)]
pub struct Filtered {
    /// The new result; none if it stays as it was.
    pub result: Option<String>,
    /// What each document of it went through.
    pub documents: Vec<FilteredDocument>,
}

/// What one document of a result went through.
#[derive(Debug)]
pub struct FilteredDocument {
    pub part: Part,
    /// Place in `content`, from 0.
    pub index: u32,
    pub receipts: Vec<Receipt>,
}

/// Operations on the tape, as the filter contract numbers them.
const REMOVE: u32 = 0;
const REPLACE: u32 = 1;
const APPEND: u32 = 3;

/// Edits of a frame.
#[derive(Default)]
struct Edits {
    operations: Vec<u32>,
    operands: String,
}

impl Edits {
    fn remove(&mut self, key: Node) {
        self.operations.extend([REMOVE, key.index, 0, 0]);
    }

    fn replace(&mut self, value: Node, json: &str) {
        self.push(REPLACE, value, json);
    }

    fn append(&mut self, container: Node, json: &str) {
        self.push(APPEND, container, json);
    }

    fn push(&mut self, operation: u32, node: Node, operand: &str) {
        // Frames are shorter than u32::MAX bytes, or they have no tape; operands are shorter.
        let start = self.operands.len() as u32;
        self.operands.push_str(operand);
        let end = self.operands.len() as u32;
        self.operations.extend([operation, node.index, start, end]);
    }

    fn apply(self, frame: &Document) -> Option<String> {
        if self.operations.is_empty() {
            return None;
        }
        let edited = frame.edit(&self.operations, &self.operands, TapeWanted::No);
        Some(
            edited
                .expect("edits made for this frame fit it")
                .text()
                .to_string(),
        )
    }
}

/// A tool's result, or any other JSON object that is made like one, with its parts found.
struct ResultFrame<'a> {
    frame: &'a Document,
    root: Node,
    is_error: bool,
}

/// Passes every document of a tool's result down a chain.
///
/// `result` is raw JSON that nobody has checked. What is not a result passes as it is, unless the
/// chain has a step that blocks: then it is withheld.
pub fn filter_result(chain: &Chain, call: &CallContext<'_>, result: &[u8]) -> Filtered {
    let frame = std::str::from_utf8(result)
        .ok()
        .and_then(|text| Document::json_with_depth(text, FRAME_DEPTH).ok());
    let root = frame
        .as_ref()
        .and_then(Document::tape)
        .map(|tape| tape.root());
    let (Some(frame), Some(root)) = (&frame, root) else {
        return unreadable(chain, Part::Whole);
    };
    ResultFrame {
        is_error: member(frame, root, "isError").is_some_and(|value| value.kind == NodeKind::True),
        frame,
        root,
    }
    .filter(chain, call)
}

fn unreadable(chain: &Chain, part: Part) -> Filtered {
    let run = chain.run_unreadable();
    Filtered {
        result: matches!(run.emission, Emission::Withheld).then(|| WITHHELD.to_owned()),
        documents: vec![FilteredDocument {
            part,
            index: 0,
            receipts: run.receipts,
        }],
    }
}

impl ResultFrame<'_> {
    fn filter(&self, chain: &Chain, call: &CallContext<'_>) -> Filtered {
        let Some(tape) = self.frame.tape() else {
            return Filtered {
                result: None,
                documents: Vec::new(),
            };
        };
        let mut edits = Edits::default();
        let mut documents = Vec::new();
        let mut result_meta = Vec::new();
        // A block that `structuredContent` turns into when a filter made text of it.
        let mut extra_block = None;
        let mut content = None;
        for (key, value) in tape.members(self.root) {
            let texts: Vec<(Part, u32, Node)> =
                match (key_text(self.frame, key).as_deref(), value.kind) {
                    (Some("content"), NodeKind::Array) => {
                        content = Some(value);
                        let blocks = tape.elements(value).enumerate();
                        blocks
                            .flat_map(|(index, block)| {
                                self.texts_of(block)
                                    .map(move |text| (Part::Content, index as u32, text))
                            })
                            .collect()
                    }
                    (Some("structuredContent"), _) => vec![(Part::StructuredContent, 0, value)],
                    _ => continue,
                };
            for (part, index, node) in texts {
                let run = self.run(chain, call, part, index, node);
                documents.push(FilteredDocument {
                    part,
                    index,
                    receipts: run.receipts,
                });
                result_meta.extend(run.result_meta);
                match (run.emission, part) {
                    (Emission::Unchanged, _) => {}
                    (Emission::Withheld, _) => {
                        return Filtered {
                            result: Some(WITHHELD.to_owned()),
                            documents,
                        };
                    }
                    (Emission::Changed(document), Part::StructuredContent) => {
                        if fits_structured_content(&document, value) {
                            edits.replace(value, document.text());
                        } else {
                            edits.remove(key);
                            extra_block = Some(text_block(document.text()));
                        }
                    }
                    (Emission::Changed(document), _) => {
                        edits.replace(node, &quote(document.text()))
                    }
                }
            }
        }
        match (extra_block, content) {
            (Some(block), Some(content)) => edits.append(content, &block),
            (Some(block), None) => edits.append(self.root, &format!(r#""content":[{block}]"#)),
            (None, _) => {}
        }
        self.set_meta(&mut edits, &result_meta);
        Filtered {
            result: edits.apply(self.frame),
            documents,
        }
    }

    /// The `text` of a text block: one node, unless the key is there twice.
    fn texts_of(&self, block: Node) -> impl Iterator<Item = Node> {
        let tape = self.frame.tape();
        let is_text = member(self.frame, block, "type")
            .is_some_and(|kind| string(self.frame, kind).as_deref() == Some("text"));
        tape.into_iter()
            .filter(move |_| is_text)
            .flat_map(move |tape| tape.members(block))
            .filter(|(key, value)| {
                value.kind == NodeKind::String
                    && key_text(self.frame, *key).as_deref() == Some("text")
            })
            .map(|(_, value)| value)
    }

    fn run(
        &self,
        chain: &Chain,
        call: &CallContext<'_>,
        part: Part,
        index: u32,
        node: Node,
    ) -> Run {
        let document = match part {
            Part::StructuredContent => Document::json(self.frame.slice(node.start, node.end)).ok(),
            _ => string(self.frame, node).map(Document::detect),
        };
        let Some(document) = document else {
            return chain.run_unreadable();
        };
        chain.run(
            &document,
            &CallInfo {
                server: call.server,
                tool: call.tool,
                surface: Surface::Result,
                part,
                index,
                is_error: self.is_error,
                arguments: call.arguments,
            },
        )
    }

    /// Adds members to the result's own `_meta`. A key that upstream sent stays as it is.
    fn set_meta(&self, edits: &mut Edits, members: &[(String, String)]) {
        if members.is_empty() {
            return;
        }
        let meta = member(self.frame, self.root, "_meta");
        let new: Vec<String> = members
            .iter()
            .filter(|(key, _)| meta.is_none_or(|meta| member(self.frame, meta, key).is_none()))
            .map(|(key, value)| format!("{}:{value}", quote(key)))
            .collect();
        match meta {
            _ if new.is_empty() => {}
            Some(meta) if meta.kind == NodeKind::Object => edits.append(meta, &new.join(",")),
            Some(_) => {}
            None => edits.append(self.root, &format!(r#""_meta":{{{}}}"#, new.join(","))),
        }
    }
}

/// Takes `outputSchema` from the tools that `is_filtered`, since what they answer may not fit it
/// any more. None: the list stays as it is.
pub fn filter_tools_list(list: &[u8], is_filtered: impl Fn(&str) -> bool) -> Option<String> {
    let frame = Document::json_with_depth(std::str::from_utf8(list).ok()?, FRAME_DEPTH).ok()?;
    let tape = frame.tape()?;
    let mut edits = Edits::default();
    for (key, tools) in tape.members(tape.root()) {
        if key_text(&frame, key).as_deref() != Some("tools") {
            continue;
        }
        for tool in tape.elements(tools) {
            let name = member(&frame, tool, "name").and_then(|name| string(&frame, name));
            if !name.is_some_and(|name| is_filtered(&name)) {
                continue;
            }
            for (key, _) in tape.members(tool) {
                if key_text(&frame, key).as_deref() == Some("outputSchema") {
                    edits.remove(key);
                }
            }
        }
    }
    edits.apply(&frame)
}

/// A member of an object; the last, if its key is there twice, as clients read it.
fn member(frame: &Document, object: Node, name: &str) -> Option<Node> {
    let members = frame.tape()?.members(object);
    members
        .filter(|(key, _)| key_text(frame, *key).as_deref() == Some(name))
        .last()
        .map(|(_, value)| value)
}

fn key_text(frame: &Document, key: Node) -> Option<std::borrow::Cow<'_, str>> {
    if key.escaped {
        return string(frame, key).map(std::borrow::Cow::Owned);
    }
    Some(std::borrow::Cow::Borrowed(
        frame.slice(key.start + 1, key.end - 1),
    ))
}

/// What a string says. None if it is not Unicode, or not a string.
fn string(frame: &Document, node: Node) -> Option<String> {
    serde_json::from_str(frame.slice(node.start, node.end)).ok()
}

fn quote(text: &str) -> String {
    serde_json::to_string(text).expect("a string is always JSON")
}

fn text_block(text: &str) -> String {
    format!(r#"{{"type":"text","text":{}}}"#, quote(text))
}

/// `structuredContent` stays of the kind that it was: before protocol version 2026-07-28 it has to
/// be an object.
fn fits_structured_content(document: &Document, before: Node) -> bool {
    let root = document.tape().map(|tape| tape.root().kind);
    document.kind() == Kind::Json && (root == Some(before.kind) || root == Some(NodeKind::Object))
}
