//! Results taken apart into documents, and put together again.
//!
//! Every text block of `content` is a document; each goes down the chain by itself. What comes
//! back is put into the result by edits, so that all the rest of it (images, links, unknown
//! blocks, key order, number spelling) stays byte for byte.
//!
//! Some clients show their model only `structuredContent` when it is there, some only `content`,
//! some both. So, unless the chain says `structured = "keep"`, a filtered result is sent as text
//! alone: where `structuredContent` repeats the text it is left out, where it does not it is a
//! document too, and goes in as a text block. Clients reject a result that does not fit the
//! tool's `outputSchema`, so that is not announced then.

use super::edits::Edits;
use super::fields::{FRAME_DEPTH, key_text, member, string};
use super::{read_tool, same};
use crate::chain::{Chain, Emission, Receipt, Run};
use crate::document::{Document, EditError, Kind, Node, NodeKind};
use crate::policy::Structured;
use crate::sandbox::{CallInfo, Part, Surface};
use std::cell::OnceCell;

/// What the client gets in place of a result that a filter had to see and could not. For the
/// model: short, stable, no cause; the operator finds that in the log.
const WITHHELD: &str = r#"{"content":[{"type":"text","text":"[tamis] This result is withheld: a filter that it must pass through failed. The operator's log says why."}],"isError":true}"#;

/// A tool call whose result is to be filtered.
#[derive(Clone, Copy)]
pub struct CallContext<'a> {
    pub server: &'a str,
    pub tool: &'a str,
    /// A JSON object.
    pub arguments: &'a str,
    /// What becomes of `structuredContent`.
    pub structured: Structured,
    /// Keeps a result and says how to refer to it. An error is for the operator.
    pub keep: &'a dyn Fn(&[u8]) -> Result<String, String>,
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

/// A tool's result, or any other JSON object that is made like one, with its parts found.
struct ResultFrame<'a> {
    frame: &'a Document,
    root: Node,
    is_error: bool,
    /// What the kept result is called, once it was kept.
    kept: OnceCell<Result<String, String>>,
}

/// Passes every document of a tool's result down a chain.
///
/// `result` is raw JSON that nobody has checked. What is not a result passes as it is. A chain with a
/// step that blocks withholds it then, and also where there is text in it that no filter is given.
pub fn filter_result(chain: &Chain, call: &CallContext<'_>, result: &[u8]) -> Filtered {
    let frame = std::str::from_utf8(result)
        .ok()
        .and_then(|text| Document::json_with_depth(text, FRAME_DEPTH).ok());
    let root = frame
        .as_ref()
        .and_then(Document::tape)
        .map(|tape| tape.root());
    let (Some(frame), Some(root)) = (&frame, root) else {
        return unreadable(chain);
    };
    ResultFrame {
        is_error: member(frame, root, "isError").is_some_and(|value| value.kind == NodeKind::True),
        kept: OnceCell::new(),
        frame,
        root,
    }
    .filter(chain, call)
}

fn unreadable(chain: &Chain) -> Filtered {
    let run = chain.run_unreadable("the result is not JSON");
    Filtered {
        result: matches!(run.emission, Emission::Withheld).then(|| WITHHELD.to_owned()),
        documents: vec![FilteredDocument {
            part: Part::Whole,
            index: 0,
            receipts: run.receipts,
        }],
    }
}

/// What running a chain on every document of a result has come to so far.
#[derive(Default)]
struct Progress {
    documents: Vec<FilteredDocument>,
    result_meta: Vec<(String, String)>,
    withheld: bool,
}

impl Progress {
    /// Notes a run. The document that came of it, if it is another one.
    fn note(&mut self, part: Part, index: u32, run: Run) -> Option<Document> {
        self.documents.push(FilteredDocument {
            part,
            index,
            receipts: run.receipts,
        });
        for (key, value) in run.result_meta {
            self.result_meta.retain(|(known, _)| *known != key);
            self.result_meta.push((key, value));
        }
        match run.emission {
            Emission::Unchanged => None,
            Emission::Changed(document) => Some(document),
            Emission::Withheld => {
                self.withheld = true;
                None
            }
        }
    }

    fn has_cut(&self) -> bool {
        let mut receipts = self
            .documents
            .iter()
            .flat_map(|document| &document.receipts);
        receipts.any(|receipt| receipt.cut)
    }
}

impl ResultFrame<'_> {
    fn filter(&self, chain: &Chain, call: &CallContext<'_>) -> Filtered {
        let mut progress = Progress::default();
        let mut edits = Edits::default();
        let texts = self.texts();
        for &(index, node) in &texts {
            let document = string(self.frame, node).map(Document::detect);
            let run = self.run(chain, call, Part::Content, index, document);
            if let Some(document) = progress.note(Part::Content, index, run) {
                edits.replace(node, &quote(document.text()));
            }
        }
        let mut blocks = Vec::new();
        let structured = self.members("structuredContent");
        if call.structured == Structured::Text && !structured.is_empty() {
            (edits, blocks) =
                self.as_text_alone(chain, call, &texts, &structured, edits, &mut progress);
        }
        let is_unseen = chain.hides() && self.has_unseen_text();
        if is_unseen {
            tracing::warn!(
                tool = call.tool,
                "the result is withheld: it holds text that no filter of its chain is given"
            );
        }
        let result = if progress.withheld || is_unseen {
            Some(WITHHELD.to_owned())
        } else {
            self.set_meta(&mut edits, &progress.result_meta);
            self.emit(chain, &edits, blocks, progress.has_cut())
        };
        Filtered {
            result,
            documents: progress.documents,
        }
    }

    /// Whether there is text in the result that no filter was given: only a chain that hides
    /// things minds.
    fn has_unseen_text(&self) -> bool {
        let Some(tape) = self.frame.tape() else {
            return true;
        };
        self.root.kind != NodeKind::Object
            || self.members("content").iter().any(|(_, content)| {
                let is_known = |block| {
                    let kind = member(self.frame, block, "type");
                    let kind = kind.and_then(|kind| string(self.frame, kind));
                    let known = ["text", "image", "audio", "resource_link"];
                    kind.is_some_and(|kind| known.contains(&kind.as_str()))
                };
                content.kind != NodeKind::Array || !tape.elements(*content).all(is_known)
            })
    }

    /// The result after the edits, with `blocks` at the end of `content`, and with a line that says
    /// what was cut and how to get it, unless a filter has said so. With that line it may save
    /// nothing: then it stays as it was.
    fn emit(
        &self,
        chain: &Chain,
        edits: &Edits,
        mut blocks: Vec<String>,
        has_cut: bool,
    ) -> Option<String> {
        let emitted = self.with_blocks(edits, &blocks).and_then(|edited| {
            let (Some(edited), Some(Ok(reference))) = (&edited, self.kept.get()) else {
                return Ok(edited);
            };
            if !has_cut || edited.contains(reference.as_str()) {
                return Ok(Some(edited.clone()));
            }
            let note = note(edited.len(), self.frame.text().len(), reference);
            blocks.push(text_block(&note));
            let noted = self.with_blocks(edits, &blocks)?;
            let is_smaller = |noted: &String| noted.len() < self.frame.text().len();
            Ok(noted.filter(|noted| chain.may_grow() || is_smaller(noted)))
        });
        match emitted {
            Ok(result) => result,
            Err(error) => {
                // A fault in Tamis: the operator has to hear of it.
                tracing::error!("a result could not be put together: {error}");
                chain.hides().then(|| WITHHELD.to_owned())
            }
        }
    }

    fn with_blocks(&self, edits: &Edits, blocks: &[String]) -> Result<Option<String>, EditError> {
        if blocks.is_empty() {
            return edits.apply(self.frame);
        }
        let (mut edits, blocks) = (edits.clone(), blocks.join(","));
        match self.members("content").last() {
            Some((_, content)) if content.kind == NodeKind::Array => {
                edits.append(*content, &blocks)
            }
            Some((_, other)) => edits.replace(*other, &format!("[{blocks}]")),
            None => edits.append(self.root, &format!(r#""content":[{blocks}]"#)),
        }
        edits.apply(self.frame)
    }

    /// Leaves `structuredContent` out, or makes a text block of it. `edits` are those of the text
    /// blocks.
    fn as_text_alone(
        &self,
        chain: &Chain,
        call: &CallContext<'_>,
        texts: &[(u32, Node)],
        structured: &[(Node, Node)],
        edits: Edits,
        progress: &mut Progress,
    ) -> (Edits, Vec<String>) {
        let said: Option<Vec<String>> = texts
            .iter()
            .map(|(_, node)| string(self.frame, *node))
            .collect();
        let mut changed = !edits.is_empty();
        // As text blocks, and where it was, for when that is shorter.
        let (mut moved, mut in_place) = (edits.clone(), edits);
        let mut fits_in_place = true;
        let mut blocks = Vec::new();
        for &(key, value) in structured {
            let raw = self.frame.slice(value.start, value.end);
            let document = Document::json(raw).ok();
            moved.remove(key);
            let repeats = |document: &Document| {
                said.as_ref()
                    .is_some_and(|said| same::repeats(document, said))
            };
            if document.as_ref().is_some_and(repeats) {
                in_place.remove(key);
                changed = true;
                continue;
            }
            let run = self.run(chain, call, Part::StructuredContent, 0, document);
            match progress.note(Part::StructuredContent, 0, run) {
                Some(filtered) => {
                    changed = true;
                    fits_in_place &= fits_structured_content(&filtered, value);
                    in_place.replace(value, filtered.text());
                    blocks.push(text_block(filtered.text()));
                }
                None => blocks.push(text_block(raw)),
            }
        }
        // What no filter changes passes byte for byte.
        if !changed {
            return Default::default();
        }
        // The escapes in a text block can make it longer than the JSON that it holds. What was cut
        // is said in a text block, so it has to be read there.
        let is_longer = |text: &String| text.len() > self.frame.text().len();
        let in_place_is_better =
            || matches!(self.with_blocks(&moved, &blocks), Ok(Some(text)) if is_longer(&text));
        if fits_in_place && !progress.has_cut() && in_place_is_better() {
            return (in_place, Vec::new());
        }
        (moved, blocks)
    }

    /// The members of the result by one name: one, unless its key is there twice.
    fn members(&self, name: &str) -> Vec<(Node, Node)> {
        let tape = self.frame.tape();
        tape.into_iter()
            .flat_map(|tape| tape.members(self.root))
            .filter(|(key, _)| key_text(self.frame, *key).as_deref() == Some(name))
            .collect()
    }

    /// Every text of `content`: the place of its block, and the string.
    fn texts(&self) -> Vec<(u32, Node)> {
        let Some(tape) = self.frame.tape() else {
            return Vec::new();
        };
        let mut texts = Vec::new();
        for (_, content) in self.members("content") {
            for (index, block) in (0..).zip(tape.elements(content)) {
                texts.extend(self.texts_of(block).map(|text| (index, text)));
            }
        }
        texts
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
        document: Option<Document>,
    ) -> Run {
        let Some(document) = document else {
            return chain
                .run_unreadable("it is not Unicode, or nests deeper than a filter is given");
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
            &|| self.keep(chain, call),
        )
    }

    /// Keeps the whole result, once. A chain that hides things keeps nothing.
    fn keep(&self, chain: &Chain, call: &CallContext<'_>) -> Result<(), String> {
        if chain.hides() {
            return Ok(());
        }
        let keep = || (call.keep)(self.frame.text().as_bytes());
        self.kept.get_or_init(keep).clone().map(|_| ())
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

/// What the model reads of a cut, and of how to undo it. The same for the same result: prompt
/// caches depend on that.
fn note(shown_bytes: usize, total_bytes: usize, reference: &str) -> String {
    let tool = read_tool::NAME;
    format!(
        r#"[tamis] {shown_bytes} of {total_bytes} bytes shown; all of it: {tool} {{"ref":"{reference}"}}"#
    )
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
