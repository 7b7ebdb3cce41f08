//! Frames whose documents are plain strings: instructions, prompts, resources.

use super::super::withheld::Withheld;
use super::{NoteTooLong, Pass};
use crate::document::{Document, Node, NodeKind};
use crate::json::edits::Edits;
use crate::json::tree::{is_plain, member, quote, string, taken_for};
use crate::sandbox::{Part, Surface};

/// Runs the chain on every text of the frame. None: the frame stays unchanged.
pub(super) fn filter(frame: &Document, pass: &mut Pass<'_>) -> Result<Option<String>, NoteTooLong> {
    let texts = texts(frame, pass.call.surface);
    let mut changed: Vec<(Node, String)> = Vec::new();
    for (index, node) in (0..).zip(&texts) {
        let document = string(frame, *node).map(Document::detect);
        if let Some(document) = pass.run(Part::Whole, index, document) {
            changed.push((*node, document.text().to_string()));
        }
    }
    if pass.chain.hides() && has_unseen(frame, pass.call.surface, texts.len()) {
        tracing::warn!(
            name = pass.call.name,
            "it is withheld: it contains text that no filter of its chain receives"
        );
        pass.withheld.get_or_insert(Withheld::Unchecked);
        return Ok(Some(withheld(frame, pass.call.surface)));
    }
    if let Some(why) = pass.withheld {
        changed = texts.iter().map(|node| (*node, why.text())).collect();
    }
    let put_together = |changed: &[(Node, String)]| {
        let mut edits = Edits::default();
        for (node, text) in changed {
            edits.replace(*node, &quote(text));
        }
        edits.apply(frame).unwrap_or_else(|error| {
            tracing::error!("texts could not be put together: {error}");
            None
        })
    };
    let Some(emitted) = put_together(&changed) else {
        return Ok(None);
    };
    let before = frame.text();
    let note = pass.line_for(&emitted, emitted.len(), before.len());
    let (Some(note), Some((_, last))) = (note, changed.last_mut()) else {
        return Ok(Some(emitted).filter(|emitted| pass.saves(emitted, before)));
    };
    append_note(last, &note);
    let noted = put_together(&changed);
    if let Some(noted) = &noted {
        pass.check_saving(noted, &note, before)?;
    }
    Ok(noted)
}

/// Runs the chain on one text that is no part of a frame.
pub(super) fn filter_one(text: &str, pass: &mut Pass<'_>) -> Result<Option<String>, NoteTooLong> {
    let document = pass.run(Part::Whole, 0, Some(Document::detect(text)));
    if let Some(why) = pass.withheld {
        return Ok(Some(why.text()));
    }
    let Some(mut emitted) = document.map(|document| document.text().to_string()) else {
        return Ok(None);
    };
    if let Some(note) = pass.line_for(&emitted, emitted.len(), text.len()) {
        append_note(&mut emitted, &note);
        pass.check_saving(&emitted, &note, text)?;
    }
    Ok(Some(emitted))
}

/// Whether a frame contains more than its texts.
fn has_unseen(frame: &Document, surface: Surface, texts: usize) -> bool {
    let Some(tape) = frame.tape() else {
        return true;
    };
    let root = tape.root();
    let list = |name| member(frame, root, name).map_or(0, |list| tape.elements(list).count());
    if !is_read_alike(frame, surface) {
        return true;
    }
    match surface {
        // A message has one block or a list of them.
        Surface::Prompt => {
            let messages = member(frame, root, "messages");
            let messages = messages.into_iter().flat_map(|list| tape.elements(list));
            let blocks = messages.map(|message| match member(frame, message, "content") {
                Some(list) if list.kind == NodeKind::Array => tape.elements(list).count(),
                _ => 1,
            });
            blocks.sum::<usize>() != texts
        }
        Surface::Resource => list("contents") != texts,
        Surface::Instructions => {
            member(frame, root, "instructions").is_some_and(|text| !is_string(text))
        }
        Surface::Result
        | Surface::Description
        | Surface::History
        | Surface::Arguments
        | Surface::Message => false,
    }
}

/// Whether all readers find the same texts in a frame.
fn is_read_alike(frame: &Document, surface: Surface) -> bool {
    let Some(tape) = frame.tape() else {
        return false;
    };
    let root = tape.root();
    let elements = |name| {
        let list = member(frame, root, name);
        list.into_iter().flat_map(|list| tape.elements(list))
    };
    let is_block = |block: Node| is_plain(frame, block, &["type", "text", "resource"]);
    match surface {
        Surface::Prompt => {
            let is_message = |message| {
                let content = member(frame, message, "content");
                is_plain(frame, message, &["role", "content"])
                    && content.is_none_or(|content| match content.kind {
                        NodeKind::Array => tape.elements(content).all(is_block),
                        _ => is_block(content),
                    })
            };
            is_plain(frame, root, &["messages"]) && elements("messages").all(is_message)
        }
        Surface::Resource => {
            is_plain(frame, root, &["contents"])
                && elements("contents").all(|one| is_plain(frame, one, &["text", "blob"]))
        }
        Surface::Instructions => is_plain(frame, root, &["instructions"]),
        Surface::Result
        | Surface::Description
        | Surface::History
        | Surface::Arguments
        | Surface::Message => true,
    }
}

/// A frame that says that its content is withheld, because no filter is given it; the rest of a handshake stays.
fn withheld(frame: &Document, surface: Surface) -> String {
    let text = quote(&Withheld::Unchecked.text());
    match surface {
        Surface::Prompt => format!(
            r#"{{"messages":[{{"role":"user","content":{{"type":"text","text":{text}}}}}]}}"#
        ),
        Surface::Instructions => {
            let mut edits = Edits::default();
            let root = frame.tape().map(|tape| tape.root());
            let texts = root.map(|root| taken_for(frame, root, "instructions"));
            for old in texts.into_iter().flatten() {
                edits.replace(old, &text);
            }
            edits.apply(frame).ok().flatten().unwrap_or_default()
        }
        _ => r#"{"contents":[]}"#.to_owned(),
    }
}

fn append_note(text: &mut String, note: &str) {
    text.push_str("\n\n");
    text.push_str(note);
}

/// The strings of a frame that a chain is given.
fn texts(frame: &Document, surface: Surface) -> Vec<Node> {
    let Some(tape) = frame.tape() else {
        return Vec::new();
    };
    let root = tape.root();
    let elements = |name| {
        let list = member(frame, root, name);
        list.into_iter().flat_map(|list| tape.elements(list))
    };
    let text = |object| member(frame, object, "text").filter(|text| is_string(*text));
    match surface {
        Surface::Instructions => member(frame, root, "instructions")
            .filter(|text| is_string(*text))
            .into_iter()
            .collect(),
        Surface::Prompt => {
            let contents =
                elements("messages").filter_map(|message| member(frame, message, "content"));
            // One block, or a list of them.
            contents
                .flat_map(|content| {
                    let blocks: Vec<Node> = tape.elements(content).collect();
                    text(content)
                        .into_iter()
                        .chain(blocks.into_iter().filter_map(text))
                })
                .collect()
        }
        Surface::Resource => elements("contents").filter_map(text).collect(),
        Surface::Result
        | Surface::Description
        | Surface::History
        | Surface::Arguments
        | Surface::Message => Vec::new(),
    }
}

fn is_string(node: Node) -> bool {
    node.kind == NodeKind::String
}
