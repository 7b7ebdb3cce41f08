//! The calls and results in one message of a transcript.

use crate::document::{Document, Node, NodeKind, Tape};
use crate::json::tree::{member, string};
use std::collections::{HashMap, VecDeque};

/// Marks a filtered result, so that it is never filtered again.
pub(super) const FLAG: &str = "_compacted";

/// The most bytes of remembered calls. Results follow their calls closely, so only a contrived transcript has a
/// result whose call is forgotten.
const CALLS_BYTES: usize = 16 << 20;

/// A past call: the tool and its arguments.
pub(super) struct Call {
    pub(super) tool: String,
    pub(super) arguments: String,
}

/// A past result: where it is flagged, its texts, and the call that it answers.
pub(super) struct Past {
    pub(super) holder: Node,
    pub(super) texts: Vec<Node>,
    pub(super) call: Option<String>,
    /// The tool, where the result names it itself.
    pub(super) tool: Option<String>,
}

/// The results of a message, with the ids of its calls.
#[derive(Default)]
pub(super) struct Message {
    pub(super) calls: Vec<(String, Call)>,
    pub(super) results: Vec<Past>,
}

/// Whether a value can be a message. A line of Claude Code's sessions has a `type`, and the message in it.
pub(super) fn is_message(frame: &Document) -> bool {
    let root = frame.tape().map(Tape::root);
    root.is_some_and(|root| {
        let mut names = ["role", "type", "message"].into_iter();
        names.any(|name| member(frame, root, name).is_some())
    })
}

impl Message {
    pub(super) fn read(frame: &Document) -> Message {
        let mut message = Message::default();
        if let Some(tape) = frame.tape() {
            let root = tape.root();
            // A line of Claude Code's session files has the message in it.
            let inner = member(frame, root, "message");
            let inner = inner.filter(|node| node.kind == NodeKind::Object);
            let is_bare = member(frame, root, "role").is_some();
            let node = inner.filter(|_| !is_bare).unwrap_or(root);
            Reader { frame, tape }.take(node, &mut message);
        }
        message
    }
}

struct Reader<'a> {
    frame: &'a Document,
    tape: &'a Tape,
}

impl Reader<'_> {
    fn text(&self, object: Node, name: &str) -> Option<String> {
        member(self.frame, object, name).and_then(|node| string(self.frame, node))
    }

    fn raw(&self, node: Node) -> &str {
        self.frame.slice(node.start, node.end)
    }

    fn elements(&self, object: Node, name: &str) -> Vec<Node> {
        let list = member(self.frame, object, name);
        list.into_iter()
            .flat_map(|list| self.tape.elements(list))
            .collect()
    }

    /// Notes the calls and results of one message.
    fn take(&self, node: Node, message: &mut Message) {
        for call in self.elements(node, "tool_calls") {
            let Some(function) = member(self.frame, call, "function") else {
                continue;
            };
            if let (Some(id), Some(tool)) = (self.text(call, "id"), self.text(function, "name")) {
                let arguments = self.text(function, "arguments").unwrap_or_default();
                message.calls.push((id, Call { tool, arguments }));
            }
        }
        if self.text(node, "role").as_deref() == Some("tool") {
            message.results.push(Past {
                holder: node,
                texts: self.texts(node),
                call: self.text(node, "tool_call_id"),
                tool: self.text(node, "name"),
            });
            return;
        }
        for block in self.elements(node, "content") {
            match self.text(block, "type").as_deref() {
                Some("tool_use") => {
                    if let (Some(id), Some(tool)) =
                        (self.text(block, "id"), self.text(block, "name"))
                    {
                        let input = member(self.frame, block, "input");
                        let arguments = input.map_or("", |input| self.raw(input)).to_owned();
                        message.calls.push((id, Call { tool, arguments }));
                    }
                }
                Some("tool_result") => message.results.push(Past {
                    holder: block,
                    texts: self.texts(block),
                    call: self.text(block, "tool_use_id"),
                    tool: None,
                }),
                _ => {}
            }
        }
    }

    /// The texts of a result: its `content`, or the text blocks in it.
    fn texts(&self, holder: Node) -> Vec<Node> {
        let Some(content) = member(self.frame, holder, "content") else {
            return Vec::new();
        };
        if content.kind == NodeKind::String {
            return vec![content];
        }
        let text = |block| member(self.frame, block, "text");
        let texts = self.tape.elements(content).filter_map(text);
        texts.filter(|text| text.kind == NodeKind::String).collect()
    }
}

/// The calls so far, by id. The oldest are forgotten.
#[derive(Default)]
pub(super) struct Calls {
    by_id: HashMap<String, Call>,
    order: VecDeque<String>,
    bytes: usize,
}

impl Calls {
    pub(super) fn note(&mut self, id: String, call: Call) {
        let bytes = |id: &str, call: &Call| 2 * id.len() + call.tool.len() + call.arguments.len();
        self.bytes += bytes(&id, &call);
        self.order.push_back(id.clone());
        if let Some(before) = self.by_id.insert(id.clone(), call) {
            self.bytes -= bytes(&id, &before);
        }
        while self.bytes > CALLS_BYTES
            && let Some(oldest) = self.order.pop_front()
        {
            if let Some(call) = self.by_id.remove(&oldest) {
                self.bytes -= bytes(&oldest, &call);
            }
        }
    }

    pub(super) fn get(&self, id: &str) -> Option<&Call> {
        self.by_id.get(id)
    }
}
