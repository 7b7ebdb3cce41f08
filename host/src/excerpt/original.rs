//! The parts of an original: its documents, their addresses, and the part that a question without an address
//! means.
//!
//! Owns the form of a tool's result, as far as reading needs it. Refuses to know the question about a part. An
//! original that is not such a result has one part, `result`. Under this name every original can be read whole,
//! byte for byte.

use std::borrow::Cow;
use std::cell::OnceCell;

use super::ReadError;
use super::recognised;
use super::same;
use super::view::{DEPTH, DocumentView, Part, decode};
use super::wording::characters;
use crate::document::{Document, Node, NodeKind, Tape};
use crate::numbers::grouped;

/// The original as a whole.
const WHOLE: &str = "result";
/// All text blocks together.
const CONTENT: &str = "content";
const STRUCTURED: &str = "structuredContent";
/// Keys under which servers wrap a value other than an object, and which mean nothing themselves: `result` in
/// the Python SDK, `content` in the reference file server.
const WRAPPERS: [&str; 2] = ["result", "content"];

/// An original: the raw JSON of a tool's result, or any other text, as the server sent it.
///
/// | part | is |
/// |---|---|
/// | `result` | all of it, as the server sent it |
/// | `content[0]` | one block: its text, or, for a block without text, its JSON |
/// | `content` | all text blocks: if each is a JSON object or array, a list of them, else their texts, one after the other, with a line break between |
/// | `structuredContent` | that value |
///
/// Only `result` exists if the original is not a tool's result.
pub struct Original<'a> {
    source: Cow<'a, str>,
    /// Its reference, for the calls that an excerpt names.
    reference: Option<String>,
    result: Option<ToolResult>,
}

struct ToolResult {
    tape: Tape,
    blocks: Vec<Block>,
    structured: Option<Node>,
    /// How much of `structuredContent` the text contains, once that was asked.
    in_text: OnceCell<InText>,
}

/// How much of `structuredContent` the text contains.
#[derive(PartialEq)]
enum InText {
    All,
    /// A member, which is the whole content of the text: as strings, or as another value.
    Member {
        is_string: bool,
    },
    Unknown,
}

struct Block {
    node: Node,
    /// The string that is its text.
    text: Option<Node>,
}

impl<'a> Original<'a> {
    /// Finds the parts of `bytes`. Bytes that are not UTF-8 are read as U+FFFD, and the excerpts say so.
    pub fn new(bytes: &'a [u8]) -> Original<'a> {
        let source = String::from_utf8_lossy(bytes);
        let result = ToolResult::find(&source);
        Original {
            source,
            reference: None,
            result,
        }
    }

    /// The same, with excerpts that name the next one by this reference.
    pub fn with_reference(self, reference: &str) -> Original<'a> {
        Original {
            reference: Some(reference.to_owned()),
            ..self
        }
    }

    pub(super) fn reference(&self) -> Option<&str> {
        self.reference.as_deref()
    }

    /// The original that a result is, which was indexed already.
    pub fn of_document(document: &'a Document) -> Original<'a> {
        let source = document.text();
        let result = document
            .tape()
            .and_then(|tape| ToolResult::in_tape(source, tape.clone()));
        Original {
            source: Cow::Borrowed(source),
            reference: None,
            result,
        }
    }

    /// The address that a call may leave out, because a question is about this part: the only one, or the text that
    /// says all of `structuredContent`. A path, though, leads into `structuredContent` if that text is no data.
    pub fn only_part(&self) -> Option<String> {
        let Some(result) = &self.result else {
            return Some(CONTENT.to_owned());
        };
        let blocks = result.blocks.iter().enumerate();
        let mut texts = blocks.filter(|(_, block)| block.text.is_some());
        match (texts.next(), texts.next(), result.structured) {
            (Some((index, _)), None, None) => Some(format!("{CONTENT}[{index}]")),
            (None, None, Some(_)) => Some(STRUCTURED.to_owned()),
            (Some(_), _, Some(value)) => {
                let texts = self.texts(result)?;
                let is_said = *self.in_text(result, &texts, value) == InText::All;
                is_said.then(|| texts.part.address().to_owned())
            }
            _ => None,
        }
    }

    /// Whether it is no result, so that it has one part.
    pub fn is_text(&self) -> bool {
        self.result.is_none()
    }

    /// Whether some of the bytes were not UTF-8.
    pub(super) fn is_lossy(&self) -> bool {
        matches!(self.source, Cow::Owned(_))
    }

    pub(super) fn source(&self) -> &str {
        &self.source
    }

    /// The part with that name.
    pub(super) fn part(&self, name: &str) -> Result<DocumentView<'_>, ReadError> {
        let name = name.trim();
        let unknown = || ReadError::UnknownPart {
            part: name.to_owned(),
            parts: self.described(),
        };
        let Some(result) = &self.result else {
            return match name {
                // A text by itself is its own content.
                WHOLE | CONTENT => Ok(DocumentView::of_text(
                    Cow::Borrowed(&self.source),
                    Part::new(WHOLE),
                )),
                _ => Err(unknown()),
            };
        };
        match name {
            WHOLE => Ok(self.node(result, result.tape.root(), WHOLE)),
            STRUCTURED => match result.structured {
                Some(value) => Ok(self.node(result, value, STRUCTURED)),
                None => Err(unknown()),
            },
            CONTENT => self.texts(result).ok_or_else(unknown),
            _ => name
                .strip_prefix("content[")
                .and_then(|rest| rest.strip_suffix(']'))
                .and_then(|digits| digits.parse().ok())
                .and_then(|index| self.block(result, index))
                .ok_or_else(unknown),
        }
    }

    /// The part that a question without an address means. `of_json`: only JSON can answer; `of_lines`: the
    /// question is about lines of all of it; `has_path`: it has a path.
    pub(super) fn default_part(
        &self,
        of_json: bool,
        of_lines: bool,
        has_path: bool,
    ) -> Result<DocumentView<'_>, ReadError> {
        let Some(result) = &self.result else {
            return self.part(WHOLE);
        };
        let structured = result
            .structured
            .map(|value| (value, self.node(result, value, STRUCTURED)));
        match (self.texts(result), structured) {
            (None, None) => self.part(WHOLE),
            (Some(texts), None) => Ok(texts),
            (None, Some((_, structured))) => Ok(structured),
            (Some(texts), Some((value, structured))) => {
                if of_lines {
                    return Ok(texts);
                }
                let text_is_json = texts.tape().is_some();
                let in_text = self.in_text(result, &texts, value);
                let holds_rows = matches!(value.kind, NodeKind::Array | NodeKind::Object);
                match in_text {
                    // A path leads into data.
                    InText::All
                        if has_path
                            && !text_is_json
                            && recognised::data(texts.text()).is_none() =>
                    {
                        Ok(structured)
                    }
                    InText::All => Ok(texts),
                    _ if of_json && !text_is_json => Ok(structured),
                    _ if of_json && !holds_rows => Ok(texts),
                    // Paths begin at the value that the model was shown, which has the name.
                    InText::Member { is_string: false } if text_is_json => Ok(structured),
                    InText::Member { .. } => Ok(texts),
                    InText::Unknown => Err(ReadError::PartNeeded {
                        parts: self.described(),
                    }),
                }
            }
        }
    }

    /// The first texts of several blocks, but for the part with this address.
    pub(super) fn other_texts(
        &self,
        but: Option<String>,
    ) -> impl Iterator<Item = DocumentView<'_>> {
        const MOST: usize = 8;
        let result = self.result.iter();
        let texts = result.flat_map(move |result| {
            let blocks = result.blocks.iter().enumerate();
            let texts = blocks.filter(|(_, block)| block.text.is_some());
            texts.filter_map(|(at, _)| self.block(result, at))
        });
        texts
            .filter(move |view| Some(view.part.address()) != but.as_deref())
            .take(MOST)
    }

    /// How much of `structuredContent` the text contains too.
    ///
    /// Some servers wrap a value other than an object, as `{"result": …}` or under a name with a meaning, and
    /// send each item of a list as a text block.
    fn in_text<'r>(
        &self,
        result: &'r ToolResult,
        texts: &DocumentView<'_>,
        value: Node,
    ) -> &'r InText {
        result
            .in_text
            .get_or_init(|| self.compare(result, texts, value))
    }

    fn compare(&self, result: &ToolResult, texts: &DocumentView<'_>, value: Node) -> InText {
        let structured = &self.node(result, value, STRUCTURED);
        let tape = &result.tape;
        let blocks: Vec<Node> = result
            .blocks
            .iter()
            .filter_map(|block| block.text)
            .collect();
        let is_said = |value: Node| {
            if blocks.len() == 1 && same::text_and_value(texts, structured, value) {
                return true;
            }
            let same = |(&text, value)| {
                let text = DocumentView::of_text(Cow::Owned(self.decoded(text)), Part::default());
                same::text_and_value(&text, structured, value)
            };
            value.kind == NodeKind::Array
                && structured.count(value) == blocks.len() as u64
                && blocks.iter().zip(tape.elements(value)).all(same)
        };
        let is_blocks = || {
            let words = blocks.iter().map(|&text| self.decoded(text));
            tamis_formats::unwrap_blocks(structured.spelling(value))
                .is_some_and(|texts| words.eq(texts))
        };
        if is_said(value) || is_blocks() {
            return InText::All;
        }
        let mut members = tape.members(value).filter(|(_, inner)| is_said(*inner));
        match members.next() {
            None => InText::Unknown,
            Some((key, _))
                if structured.count(value) == 1 && WRAPPERS.contains(&&*structured.string(key)) =>
            {
                InText::All
            }
            Some((_, said)) => {
                let first = tape.elements(said).next();
                let is_string = first.unwrap_or(said).kind == NodeKind::String;
                InText::Member { is_string }
            }
        }
    }

    fn node(&self, result: &ToolResult, node: Node, name: &str) -> DocumentView<'_> {
        DocumentView::of_node(
            &self.source,
            result.tape.clone(),
            node.index,
            Part::new(name),
        )
    }

    fn block(&self, result: &ToolResult, index: usize) -> Option<DocumentView<'_>> {
        let block = result.blocks.get(index)?;
        let name = format!("{CONTENT}[{index}]");
        Some(match block.text {
            Some(text) => DocumentView::of_text(Cow::Owned(self.decoded(text)), Part::new(&name)),
            None => self.node(result, block.node, &name),
        })
    }

    /// All text blocks as one document; none if no text block exists.
    fn texts(&self, result: &ToolResult) -> Option<DocumentView<'_>> {
        let blocks = result.blocks.iter().enumerate();
        let texts: Vec<(usize, Node)> = blocks
            .filter_map(|(index, block)| Some((index, block.text?)))
            .collect();
        if let &[(index, _)] = &texts[..] {
            return self.block(result, index);
        }
        let views: Vec<DocumentView<'_>> = texts
            .iter()
            .map(|&(_, text)| {
                DocumentView::of_text(Cow::Owned(self.decoded(text)), Part::default())
            })
            .collect();
        let last = views.last()?;
        let json = views.iter().all(|view| view.tape().is_some());
        let mut all = String::with_capacity(views.iter().map(|view| view.text().len() + 2).sum());
        let (opening, between, closing) = if json {
            ("[", ",\n", "]")
        } else {
            ("", "\n", "")
        };
        all.push_str(opening);
        for view in &views {
            all.push_str(view.text());
            if !std::ptr::eq(view, last) {
                all.push_str(between);
            }
        }
        all.push_str(closing);
        Some(DocumentView::of_text(Cow::Owned(all), Part::new(CONTENT)))
    }

    fn decoded(&self, text: Node) -> String {
        decode(&self.source[text.start as usize..text.end as usize]).0
    }

    /// The parts and their descriptions, for an error: the first ones, if they are many.
    fn described(&self) -> Vec<String> {
        const DESCRIBED: usize = 8;
        let mut names = vec![WHOLE.to_owned()];
        if let Some(result) = &self.result {
            if result.blocks.len() > 1 {
                names.push(CONTENT.to_owned());
            }
            names.extend(result.structured.map(|_| STRUCTURED.to_owned()));
            let blocks = result.blocks.len();
            names.extend((0..blocks.min(DESCRIBED)).map(|index| format!("{CONTENT}[{index}]")));
            if blocks > DESCRIBED {
                names.push(format!("{CONTENT}[{}]", blocks - 1));
            }
        }
        let described = names.iter().filter_map(|name| {
            let view = self.part(name).ok()?;
            let kind = if view.tape().is_some() {
                "JSON"
            } else {
                "text"
            };
            let size = grouped(characters(view.text()));
            Some(format!("`{name}` ({kind}, {size} characters)"))
        });
        described.collect()
    }
}

impl ToolResult {
    /// The result in `source`, if it is one: an object whose `content` is a list of blocks, or that has
    /// `structuredContent`.
    fn find(source: &str) -> Option<ToolResult> {
        let first = source.trim_start_matches([' ', '\n', '\r', '\t']);
        if !first.starts_with('{') {
            return None;
        }
        let tape = Tape::build_with_depth(source, DEPTH).ok()?;
        ToolResult::in_tape(source, tape)
    }

    fn in_tape(source: &str, tape: Tape) -> Option<ToolResult> {
        let view = DocumentView::of_node(source, tape.clone(), 0, Part::default());
        let content = member(&view, &tape, tape.root(), CONTENT);
        let structured = member(&view, &tape, tape.root(), STRUCTURED);
        let blocks = match content {
            Some(list) if list.kind == NodeKind::Array => tape
                .elements(list)
                .map(|node| block(&view, &tape, node))
                .collect::<Option<Vec<Block>>>()?,
            Some(_) => return None,
            None => Vec::new(),
        };
        if blocks.is_empty() && structured.is_none() {
            return None;
        }
        Some(ToolResult {
            blocks,
            structured,
            tape,
            in_text: OnceCell::new(),
        })
    }
}

fn block(view: &DocumentView<'_>, tape: &Tape, node: Node) -> Option<Block> {
    let kind = member(view, tape, node, "type").filter(|kind| kind.kind == NodeKind::String)?;
    let holder = match view.string(kind).as_ref() {
        "text" => Some(node),
        // An embedded resource: a file, mostly.
        "resource" => member(view, tape, node, "resource"),
        _ => None,
    };
    let text = holder
        .and_then(|holder| member(view, tape, holder, "text"))
        .filter(|text| text.kind == NodeKind::String);
    Some(Block { node, text })
}

/// A member of an object; the last, if its key is there twice, as clients read it.
fn member(view: &DocumentView<'_>, tape: &Tape, object: Node, name: &str) -> Option<Node> {
    let members = tape.members(object);
    members
        .filter(|(key, _)| view.string(*key) == name)
        .last()
        .map(|(_, value)| value)
}
