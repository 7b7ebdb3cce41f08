//! A tool's result: its text blocks and its `structuredContent`.
//!
//! Some clients show their model only `structuredContent` if it is present, some only `content`, some both. So,
//! with `structured = "text"`, a filtered result is sent as text alone. If `structuredContent` repeats the text,
//! it is left out, unless the text costs more. If it contains the text, it replaces the text;
//! but if strings of it are the text, it is left out but for a line about the rest. Otherwise it is a document too, and
//! becomes a text block. Clients reject a result that does not fit the tool's `outputSchema`, so the list of tools then
//! lacks that schema.

use super::super::same::{self, InText};
use super::super::withheld::Withheld;
use super::{NoteTooLong, OutputSchema, Pass};
use crate::document::scan::compact;
use crate::document::{Document, EditError, Kind, Node, NodeKind, Tape};
use crate::json::edits::Edits;
use crate::json::tree::{is_plain, key_text, member, quote, string};
use crate::policy::{Audience, Blocks, Structured};
use crate::sandbox::Part;
use crate::tokens;

/// A tool's result, or any other JSON object that is made like one.
struct ResultFrame<'a> {
    frame: &'a Document,
    tape: &'a Tape,
    root: Node,
}

/// So many text blocks are the elements of a list, which a server sent one by one: they become one document, though they
/// are no JSON.
const MANY_BLOCKS: usize = 16;

/// A text block of `content`.
#[derive(Clone, Copy)]
struct TextBlock {
    /// Its place in `content`.
    index: u32,
    block: Node,
    /// The string that is its text.
    text: Node,
}

/// The result after its edits so far, and the blocks that come at the end of its `content`.
#[derive(Default)]
struct Draft {
    edits: Edits,
    blocks: Vec<String>,
    /// The content of the text, if `structuredContent` has the same content. A model may read only one
    /// of them, so each must contain the note about a cut.
    said_in_text: Option<String>,
}

/// Runs the chain on every document of a result. None: the result stays unchanged.
pub(super) fn filter(frame: &Document, pass: &mut Pass<'_>) -> Result<Option<String>, NoteTooLong> {
    let Some(tape) = frame.tape() else {
        return Ok(None);
    };
    let root = tape.root();
    pass.is_error =
        member(frame, root, "isError").is_some_and(|value| value.kind == NodeKind::True);
    ResultFrame { frame, tape, root }.filter(pass)
}

impl ResultFrame<'_> {
    fn filter(&self, pass: &mut Pass<'_>) -> Result<Option<String>, NoteTooLong> {
        let mut draft = Draft::default();
        if super::computes(pass.chain, pass.call) {
            return self.filter_value(pass);
        }
        let texts = self.for_the_model(pass, &mut draft.edits);
        let structured = self.members("structuredContent");
        let in_text = match pass.call.structured {
            Structured::Text => {
                // What a step hides or addresses by name, it looks for in both.
                let both = pass.chain.hides() || pass.chain.may_address_members();
                self.in_text(&texts, &structured, !both)
            }
            Structured::Keep | Structured::Rewrite => Vec::new(),
        };
        let holds_the_text = in_text == [InText::Member];
        if !holds_the_text {
            self.filter_texts(pass, &texts, &mut draft.edits);
        }
        match pass.call.structured {
            Structured::Text if holds_the_text => {
                draft.edits = self.in_place_of_text(pass, &texts, &structured, draft.edits);
            }
            Structured::Text
                if !structured.is_empty() && !self.needs_value(pass, &texts, &draft) =>
            {
                draft = self.as_text_alone(pass, &texts, &structured, &in_text, draft.edits);
            }
            Structured::Rewrite => {
                if pass.has_cut() {
                    let text = self.with_blocks(&draft.edits, &[]).ok().flatten();
                    draft.said_in_text = Some(text.unwrap_or_default());
                }
                self.rewrite_structured(pass, &structured, &mut draft.edits);
            }
            Structured::Text | Structured::Keep => {}
        }
        let is_unseen = pass.chain.hides() && self.has_unseen_text();
        if is_unseen {
            tracing::warn!(
                tool = pass.call.name,
                "the result is withheld: it contains text that no filter of its chain receives"
            );
            pass.withheld.get_or_insert(Withheld::Unchecked);
        }
        if let Some(why) = pass.withheld {
            return Ok(Some(why.result()));
        }
        self.set_meta(&mut draft.edits, &pass.result_meta);
        self.emit(pass, draft)
    }

    /// Whether a text that no filter changed must not be left without its `structuredContent`: it is JSON, but no
    /// object. A client (Gemini CLI 0.61) takes such a text for `structuredContent`, which has to be one, and gives its
    /// model an error.
    fn needs_value(&self, pass: &Pass<'_>, texts: &[TextBlock], draft: &Draft) -> bool {
        if pass.chain.hides() || !draft.edits.is_empty() {
            return false;
        }
        let text = texts
            .first()
            .and_then(|first| string(self.frame, first.text));
        text.is_some_and(|text| {
            let is_object = text.trim_ascii_start().starts_with('{');
            !is_object && Document::json(text).is_ok()
        })
    }

    /// A result on which programs compute: it stays, except for the chain's changes within the tool's schema.
    fn filter_value(&self, pass: &mut Pass<'_>) -> Result<Option<String>, NoteTooLong> {
        let mut draft = Draft::default();
        if pass.call.structured == Structured::Rewrite {
            let structured = self.members("structuredContent");
            self.rewrite_structured(pass, &structured, &mut draft.edits);
        }
        self.emit(pass, draft)
    }

    /// The text blocks, without those that are for the user alone: these go.
    fn for_the_model(&self, pass: &mut Pass<'_>, edits: &mut Edits) -> Vec<TextBlock> {
        let mut texts = Vec::new();
        let enforces = pass.call.enforces_audience
            && (pass.chain.audience == Some(Audience::Enforce) || !self.is_all_for_the_user());
        for (_, content) in self.members("content") {
            for (index, block) in (0..).zip(self.tape.elements(content)) {
                if enforces && self.is_for_the_user_alone(block) && pass.leave_out() {
                    edits.remove(block);
                    continue;
                }
                texts.extend(
                    self.texts_of(block)
                        .map(|text| TextBlock { index, block, text }),
                );
            }
        }
        texts
    }

    /// Whether nothing would be left without the blocks for the user. Some servers annotate all that they answer so,
    /// errors too.
    fn is_all_for_the_user(&self) -> bool {
        let mut contents = self.members("content").into_iter();
        let is_empty = |node: &Node| match node.kind {
            NodeKind::Object => node.children == 0,
            kind => kind == NodeKind::Null,
        };
        let structured = self.members("structuredContent");
        structured.iter().all(|(_, value)| is_empty(value))
            && contents.all(|(_, content)| {
                let mut blocks = self.tape.elements(content);
                blocks.all(|block| self.is_for_the_user_alone(block))
            })
    }

    fn is_for_the_user_alone(&self, block: Node) -> bool {
        let audience = member(self.frame, block, "annotations")
            .and_then(|annotations| member(self.frame, annotations, "audience"));
        let Some(audience) = audience.filter(|node| node.kind == NodeKind::Array) else {
            return false;
        };
        let mut roles = self.tape.elements(audience).peekable();
        roles.peek().is_some()
            && roles.all(|role| string(self.frame, role).as_deref() == Some("user"))
    }

    fn filter_texts(&self, pass: &mut Pass<'_>, texts: &[TextBlock], edits: &mut Edits) {
        // A read call counts rows of all blocks, and one that was left out is none of them; a chain that
        // hides things gets each block as it would without the others.
        let merges = pass.chain.blocks == Blocks::Merge && !pass.left_out && !pass.chain.hides();
        if merges && let Some(merged) = self.merged(texts) {
            let first = &texts[0];
            if let Some(document) = pass.run(Part::Whole, 0, Some(merged)) {
                edits.replace(first.text, &quote(document.text()));
                for other in &texts[1..] {
                    edits.remove(other.block);
                }
            }
            return;
        }
        for text in texts {
            let document = string(self.frame, text.text).map(Document::detect);
            if let Some(document) = pass.run(Part::Content, text.index, document) {
                edits.replace(text.text, &quote(document.text()));
            }
        }
    }

    /// The document that several blocks make which are nothing but text, as a read call has it: a list if all are JSON,
    /// else, of many, their texts with a line break between.
    fn merged(&self, texts: &[TextBlock]) -> Option<Document> {
        if texts.len() < 2 || self.members("content").len() != 1 {
            return None;
        }
        let has_more = |text: &TextBlock| self.tape.members(text.block).count() != 2;
        if texts.iter().any(has_more) {
            return None;
        }
        let elements: Option<Vec<Document>> = texts
            .iter()
            .map(|text| string(self.frame, text.text).map(Document::detect))
            .collect();
        let elements = elements?;
        let is_list = elements.iter().all(|it| it.kind() == Kind::Json);
        let (opening, between, closing) = match is_list {
            true => ("[", ",", "]"),
            false if elements.len() < MANY_BLOCKS => return None,
            false => ("", "\n", ""),
        };
        let mut all = String::from(opening);
        for (place, element) in elements.iter().enumerate() {
            all.push_str(if place > 0 { between } else { "" });
            all.push_str(element.text());
        }
        all.push_str(closing);
        match is_list {
            true => Document::json(all).ok(),
            false => Some(Document::detect(all)),
        }
    }

    /// Filters `structuredContent` in its place, if it then fits the tool's schema. It must contain the note
    /// about a cut, since a model may see nothing else.
    fn rewrite_structured(
        &self,
        pass: &mut Pass<'_>,
        structured: &[(Node, Node)],
        edits: &mut Edits,
    ) {
        for &(_, value) in structured {
            let raw = self.frame.slice(value.start, value.end);
            let document = Document::json(raw).ok();
            let place = pass.documents.len();
            let Some(filtered) = pass.run(Part::StructuredContent, 0, document.clone()) else {
                continue;
            };
            let was_cut = pass.documents[place].has_cut();
            let note = pass
                .note_for(filtered.text(), filtered.text().len(), raw.len())
                .filter(|_| was_cut);
            let new = match &note {
                None => Some(filtered.text().to_string()),
                Some(note) => with_note(&filtered, note),
            };
            if let Some(new) =
                new.filter(|new| self.fits(pass, value, new) && new.len() < raw.len())
            {
                edits.replace(value, &new);
                continue;
            }
            pass.documents.truncate(place);
            if note.is_some()
                && let Some(uncut) = pass.run_uncut(Part::StructuredContent, 0, document)
                && self.fits(pass, value, uncut.text())
            {
                edits.replace(value, uncut.text());
            } else {
                tracing::debug!(
                    tool = pass.call.name,
                    "structuredContent stays unchanged: the chain's output does not match the tool's outputSchema"
                );
                pass.documents.truncate(place);
            }
        }
    }

    fn fits(&self, pass: &Pass<'_>, before: Node, json: &str) -> bool {
        let Ok(document) = Document::json(json) else {
            return false;
        };
        if !fits_structured_content(&document, before) {
            return false;
        }
        match pass.call.schema {
            OutputSchema::Unknown => false,
            OutputSchema::None => true,
            OutputSchema::Known(schema) => {
                let value = serde_json::from_str(json);
                let fits = value.map(|value| schema.is_valid(&value));
                if let Ok(Err(error)) = &fits {
                    tracing::warn!(
                        tool = pass.call.name,
                        "structuredContent stays unchanged: the tool's outputSchema: {error}"
                    );
                }
                matches!(fits, Ok(Ok(true)))
            }
        }
    }

    /// Whether the result contains text that no filter got: this matters only for a chain that hides content.
    fn has_unseen_text(&self) -> bool {
        const KNOWN: [&str; 5] = [
            "content",
            "structuredContent",
            "isError",
            "_meta",
            "resultType",
        ];
        let is_known_member = |(key, _): (Node, Node)| {
            key_text(self.frame, key).is_some_and(|key| KNOWN.contains(&&*key))
        };
        self.root.kind != NodeKind::Object
            || !self.tape.members(self.root).all(is_known_member)
            || self.members("content").iter().any(|(_, content)| {
                let has = |block, name| member(self.frame, block, name).is_some();
                let is_known = |block| {
                    let kind = member(self.frame, block, "type");
                    let is_known = match kind.and_then(|kind| string(self.frame, kind)).as_deref() {
                        Some("text") => member(self.frame, block, "text")
                            .is_some_and(|text| text.kind == NodeKind::String),
                        // A reader may judge the kind of a block by its members.
                        Some("image" | "audio" | "resource_link") => {
                            !has(block, "text") && !has(block, "resource")
                        }
                        _ => false,
                    };
                    is_known && is_plain(self.frame, block, &["type", "text", "resource"])
                };
                content.kind != NodeKind::Array || !self.tape.elements(*content).all(is_known)
            })
    }

    /// The result after the draft's edits, with a line that tells the cut and how to read it,
    /// unless a filter has said so.
    fn emit(&self, pass: &mut Pass<'_>, mut draft: Draft) -> Result<Option<String>, NoteTooLong> {
        let emitted = self
            .with_blocks(&draft.edits, &draft.blocks)
            .and_then(|edited| {
                let before = self.frame.text();
                let note = edited.as_ref().and_then(|edited| {
                    let shown = draft.said_in_text.as_deref().unwrap_or(edited);
                    pass.line_for(shown, edited.len(), before.len())
                });
                let Some(note) = note else {
                    return Ok(Ok(edited.filter(|edited| pass.saves(edited, before))));
                };
                draft.blocks.push(text_block(&note));
                let noted = self.with_blocks(&draft.edits, &draft.blocks)?;
                let saves = pass.check_saving(noted.as_deref().unwrap_or_default(), &note, before);
                Ok(saves.map(|()| noted))
            });
        emitted.unwrap_or_else(|error: EditError| {
            // A fault in Tamis, which the operator must see.
            tracing::error!("a result could not be put together: {error}");
            Ok(pass.chain.hides().then(|| Withheld::Fault.result()))
        })
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
            Some((_, other)) if other.kind == NodeKind::Null => {
                edits.replace(*other, &format!("[{blocks}]"));
            }
            // Its content has no place among blocks: better no saving than a loss.
            Some(_) => return Ok(None),
            None => edits.append(self.root, &format!(r#""content":[{blocks}]"#)),
        }
        edits.apply(self.frame)
    }

    /// How much of each `structuredContent` the text blocks contain.
    fn in_text(
        &self,
        texts: &[TextBlock],
        structured: &[(Node, Node)],
        looks_around: bool,
    ) -> Vec<InText> {
        if structured.is_empty() {
            return Vec::new();
        }
        // A text for the user alone may not reach the model, so it says nothing for `structuredContent`.
        if texts
            .iter()
            .any(|text| self.is_for_the_user_alone(text.block))
        {
            return vec![InText::Unknown; structured.len()];
        }
        let text_contents = self.text_contents(texts);
        // Blocks that say more than a text stay.
        let is_plain = |text: &TextBlock| self.tape.members(text.block).count() == 2;
        let may_go = texts.len() < 2 || texts.iter().all(is_plain);
        let compare: fn(&Document, &[String]) -> InText = match looks_around && self.is_text_alone()
        {
            true => same::in_text_or_around,
            false => same::in_text,
        };
        let of = |&(_, value): &(Node, Node)| {
            let document = Document::json(self.frame.slice(value.start, value.end)).ok();
            match document.zip(text_contents.as_ref()) {
                Some((document, texts)) => match compare(&document, texts) {
                    InText::Member if !may_go => InText::Unknown,
                    in_text => in_text,
                },
                None => InText::Unknown,
            }
        };
        structured.iter().map(of).collect()
    }

    /// Whether all readers find the same texts above a line at the end of `content`, and no other texts.
    fn is_text_alone(&self) -> bool {
        let contents = self.members("content");
        let [(_, content)] = contents[..] else {
            return false;
        };
        self.members("structuredContent").len() == 1
            && self.tape.elements(content).all(|block| {
                let kind = member(self.frame, block, "type");
                match kind.and_then(|kind| string(self.frame, kind)).as_deref() {
                    Some("text") => self.texts_of(block).count() == 1,
                    Some("image" | "audio" | "resource_link") => true,
                    _ => false,
                }
            })
    }

    /// The content of the text blocks; none if one is not Unicode.
    fn text_contents(&self, texts: &[TextBlock]) -> Option<Vec<String>> {
        texts
            .iter()
            .map(|text| string(self.frame, text.text))
            .collect()
    }

    /// Puts the chain's form of `structuredContent` in the place of the text with the same content. If
    /// its name would cost more than is saved, both stay unchanged.
    fn in_place_of_text(
        &self,
        pass: &mut Pass<'_>,
        texts: &[TextBlock],
        structured: &[(Node, Node)],
        mut edits: Edits,
    ) -> Edits {
        let (Some((first, others)), &[(key, value)]) = (texts.split_first(), structured) else {
            return edits;
        };
        let raw = self.frame.slice(value.start, value.end);
        let filtered = pass.run(Part::StructuredContent, 0, Document::json(raw).ok());
        let shown: &str = filtered.as_ref().map_or(raw, |document| document.text());
        let before = self.text_contents(texts).unwrap_or_default();
        let must_go = pass.has_cut() || pass.chain.hides() || pass.chain.may_grow();
        if !must_go && !tokens::are_fewer(shown, &before.join("\n")) {
            return edits;
        }
        edits.replace(first.text, &quote(shown));
        for other in others {
            edits.remove(other.block);
        }
        edits.remove(key);
        edits
    }

    /// Leaves `structuredContent` out, or makes a text block of it. If the text says the same with more tokens, it loses
    /// its white space, or both stay. `in_text`: how much of each the text
    /// contains. `edits` are those of the text blocks.
    fn as_text_alone(
        &self,
        pass: &mut Pass<'_>,
        texts: &[TextBlock],
        structured: &[(Node, Node)],
        in_text: &[InText],
        edits: Edits,
    ) -> Draft {
        if in_text == [InText::All]
            && let &[(key, value)] = structured
            && self.is_dearer_than_value(pass, value)
        {
            let mut edits = edits;
            if edits.is_empty()
                && let [text] = texts
                && let Some(short) = self.without_spaces(*text, value)
            {
                edits.replace(text.text, &quote(&short));
                edits.remove(key);
            }
            return Draft {
                edits,
                ..Draft::default()
            };
        }
        let is_around = |it: &InText| matches!(it, InText::Strings(_));
        if edits.is_empty()
            && pass.call.view.shows_text_alone()
            && !pass.chain.hides()
            && in_text.iter().all(is_around)
        {
            // The line about the rest would be all that changes for its model.
            return Draft::default();
        }
        // A model that is shown the text never sees such a value: beside the text it would be an addition, which only an
        // operator may want.
        let is_unseen = |it: &InText| {
            *it == InText::Unknown
                && pass.chain.structured.is_none()
                && pass.call.view.shows_text_alone()
                && !texts.is_empty()
                && !pass.chain.hides()
                && !pass.chain.may_grow()
                && !pass.chain.may_address_members()
        };
        let unseen: Vec<bool> = in_text.iter().map(is_unseen).collect();
        let mut changed = !edits.is_empty();
        // Three drafts: as text blocks; in its old place, if that is shorter; and in its old place unchanged.
        let (mut moved, mut in_place, mut in_text_alone) = (edits.clone(), edits.clone(), edits);
        let (mut fits_in_place, mut around_tokens) = (true, 0);
        let mut blocks = Vec::new();
        for ((&(key, value), in_text), is_unseen) in structured.iter().zip(in_text).zip(unseen) {
            if is_unseen {
                continue;
            }
            let raw = self.frame.slice(value.start, value.end);
            moved.remove(key);
            if value.kind == NodeKind::Null {
                in_place.remove(key);
                in_text_alone.remove(key);
                continue;
            }
            if *in_text == InText::All {
                in_place.remove(key);
                in_text_alone.remove(key);
                changed = true;
                continue;
            }
            if let InText::Strings(around) = in_text {
                changed = true;
                fits_in_place = false;
                blocks.push(text_block(&around.line()));
                around_tokens += tokens::count(&around.line());
                continue;
            }
            match pass.run(Part::StructuredContent, 0, Document::json(raw).ok()) {
                Some(filtered) => {
                    changed = true;
                    fits_in_place &= fits_structured_content(&filtered, value);
                    in_place.replace(value, filtered.text());
                    blocks.push(text_block(filtered.text()));
                }
                None => blocks.push(text_block(raw)),
            }
        }
        // Without a change by a filter, the result passes byte for byte.
        if !changed {
            return Draft::default();
        }
        let as_blocks = Draft {
            edits: moved,
            blocks,
            ..Draft::default()
        };
        // A cut is told in a text block, so the content must be read there.
        if as_blocks.blocks.is_empty()
            || pass.has_cut()
            || pass.chain.hides()
            || pass.chain.may_grow()
        {
            return as_blocks;
        }
        // The escapes in a text block can make it longer than the JSON that it holds.
        let is_longer = |text: &String| text.len() > self.frame.text().len();
        let is_longer = || {
            let text = self.with_blocks(&as_blocks.edits, &as_blocks.blocks);
            matches!(text, Ok(Some(text)) if is_longer(&text))
        };
        // And for a model that reads `structuredContent` alone, the new text block is an addition.
        let is_dearer = || pass.tokens().0 + around_tokens > self.tokens(structured);
        let edits = match fits_in_place {
            true if is_longer() || is_dearer() => in_place,
            false if is_dearer() => in_text_alone,
            _ => return as_blocks,
        };
        Draft {
            edits,
            ..Draft::default()
        }
    }

    /// Whether the text, as it is after its steps, has more tokens than `structuredContent`, which says the same. A
    /// client may show its model that value alone, and would show the text in its place.
    fn is_dearer_than_value(&self, pass: &Pass<'_>, value: Node) -> bool {
        let must_go = pass.has_cut() || pass.chain.hides() || pass.chain.may_grow();
        if must_go || !pass.call.view.may_show_value_alone() {
            return false;
        }
        let texts: Vec<&str> = pass.texts().collect();
        self.is_dearer(&texts.join("\n"), value)
    }

    fn is_dearer(&self, text: &str, value: Node) -> bool {
        /// Of larger ones only bytes are compared: no call waits for a long count.
        const COUNTED_BYTES: usize = 64 * 1024;
        let value = compact(self.frame.slice(value.start, value.end));
        value.len() < text.len()
            && (text.len() > COUNTED_BYTES || tokens::count(&value) < tokens::count(text))
    }

    /// The JSON of a text without its white space, if it then has no more tokens than `value`.
    fn without_spaces(&self, text: TextBlock, value: Node) -> Option<String> {
        let document = Document::detect(string(self.frame, text.text)?);
        let short = (document.kind() == Kind::Json).then(|| compact(document.text()))?;
        (!self.is_dearer(&short, value)).then_some(short)
    }

    /// Tokens of `structuredContent`.
    fn tokens(&self, structured: &[(Node, Node)]) -> u32 {
        let raw = |&(_, value): &(Node, Node)| self.frame.slice(value.start, value.end);
        structured.iter().map(raw).map(tokens::count).sum()
    }

    /// The members of the result by one name: one, unless its key is there twice.
    fn members(&self, name: &str) -> Vec<(Node, Node)> {
        self.tape
            .members(self.root)
            .filter(|(key, _)| key_text(self.frame, *key).as_deref() == Some(name))
            .collect()
    }

    /// The `text` of a text block: one node, unless the key is there twice.
    fn texts_of(&self, block: Node) -> impl Iterator<Item = Node> {
        let is_text = member(self.frame, block, "type")
            .is_some_and(|kind| string(self.frame, kind).as_deref() == Some("text"));
        let members = is_text.then(|| self.tape.members(block));
        members
            .into_iter()
            .flatten()
            .filter(|(key, value)| {
                value.kind == NodeKind::String
                    && key_text(self.frame, *key).as_deref() == Some("text")
            })
            .map(|(_, value)| value)
    }

    /// Adds members to the result's own `_meta`. A key that the upstream sent stays unchanged.
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

fn text_block(text: &str) -> String {
    format!(r#"{{"type":"text","text":{}}}"#, quote(text))
}

/// Whether `structuredContent` can hold the document: it must stay of the same kind, or be an object. Before
/// protocol version 2026-07-28 only objects are allowed.
fn fits_structured_content(document: &Document, before: Node) -> bool {
    let root = document.tape().map(|tape| tape.root().kind);
    document.kind() == Kind::Json && (root == Some(before.kind) || root == Some(NodeKind::Object))
}

/// A JSON object with the note as one more member; none if it is no object.
fn with_note(document: &Document, note: &str) -> Option<String> {
    let root = document.tape()?.root();
    if root.kind != NodeKind::Object {
        return None;
    }
    let mut edits = Edits::default();
    edits.append(root, &format!(r#""_tamis":{}"#, quote(note)));
    edits.apply(document).ok()?
}
