//! The call of a document: its facts, each fetched from the host at its first use.

use crate::{Kind, host};
use std::cell::OnceCell;

/// The source of a document.
///
/// # Examples
///
/// ```
/// use tamis_sdk::{Surface, Verdict, rewritten_text, testing::Bench};
///
/// // Shortens results of tools, and nothing else.
/// let bench = Bench::of(|document, call| match call.surface() {
///     Surface::Result | Surface::History => Ok(rewritten_text(document.slice(0, 3).into_owned())),
///     _ => Ok(Verdict::Unchanged),
/// });
/// assert_eq!(bench.apply("a long text").text(), "a l");
/// assert_eq!(bench.surface(Surface::Prompt).apply("a long text").text(), "a long text");
/// assert_eq!(Surface::Instructions.name(), "instructions");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Surface {
    /// The result of a tool call.
    Result,
    /// The server's own instructions to the model.
    Instructions,
    /// A tool's description in the tool list.
    Description,
    /// A prompt's message.
    Prompt,
    /// The contents of a resource.
    Resource,
    /// A past tool result in a chat transcript.
    History,
    /// The arguments of a call, before the server gets them. If a filter would change them, Tamis does not send the
    /// call.
    Arguments,
    /// A whole message of the server, before all other chains.
    Message,
    /// A surface that this SDK does not know: [`Call::surface_name`] names it.
    Other,
}

impl Surface {
    const ALL: [Surface; 8] = [
        Surface::Result,
        Surface::Instructions,
        Surface::Description,
        Surface::Prompt,
        Surface::Resource,
        Surface::History,
        Surface::Arguments,
        Surface::Message,
    ];

    /// The name in the contract; empty for [`Surface::Other`].
    ///
    /// [Example](Surface#examples).
    pub const fn name(self) -> &'static str {
        match self {
            Surface::Result => "result",
            Surface::Instructions => "instructions",
            Surface::Description => "description",
            Surface::Prompt => "prompt",
            Surface::Resource => "resource",
            Surface::History => "history",
            Surface::Arguments => "arguments",
            Surface::Message => "message",
            Surface::Other => "",
        }
    }
}

/// The part of a result that a document is.
///
/// # Examples
///
/// ```
/// use tamis_sdk::{Part, rewritten_text, testing::Bench};
///
/// let bench = Bench::of(|_document, call| {
///     Ok(rewritten_text(match call.part() {
///         Part::Content => format!("block {}", call.index()),
///         part => part.name().to_owned(),
///     }))
/// });
/// assert_eq!(bench.apply("text").text(), "block 0");
/// assert_eq!(bench.part(Part::StructuredContent, 0).apply("{}").text(), "structured-content");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Part {
    /// A text block of `content`.
    Content,
    /// `structuredContent`.
    StructuredContent,
    /// The only document: the text blocks of a result as one list, or anything but the result of a tool call.
    Whole,
    /// A part that this SDK does not know: [`Call::part_name`] names it.
    Other,
}

impl Part {
    const ALL: [Part; 3] = [Part::Content, Part::StructuredContent, Part::Whole];

    /// The name in the contract; empty for [`Part::Other`].
    ///
    /// [Example](Part#examples).
    pub const fn name(self) -> &'static str {
        match self {
            Part::Content => "content",
            Part::StructuredContent => "structured-content",
            Part::Whole => "whole",
            Part::Other => "",
        }
    }
}

/// Facts about the call. The SDK asks the host when a fact is first used.
///
/// # Examples
///
/// ```
/// use tamis_sdk::{Call, Kind, Part, Surface, rewritten_text, testing::Bench};
///
/// fn origin(call: &Call) -> String {
///     let kind = if call.sent_as() == Kind::Json { "JSON" } else { "text" };
///     let failed = if call.is_error() { ", failed" } else { "" };
///     format!(
///         "{kind} of {}/{}{failed}, block {}, for {}",
///         call.server(), call.tool(), call.index(), call.arguments()
///     )
/// }
///
/// let bench = Bench::of(|_document, call| Ok(rewritten_text(origin(call))))
///     .tool("search")
///     .arguments(r#"{"query":"tests"}"#)
///     .part(Part::Content, 2);
/// let applied = bench.apply("[]");
/// assert_eq!(applied.text(), r#"JSON of server/search, block 2, for {"query":"tests"}"#);
/// # let applied = bench.sent_as(Kind::Text).is_error(true).apply("[]");
/// # assert_eq!(applied.text(), r#"text of server/search, failed, block 2, for {"query":"tests"}"#);
///
/// let bench = Bench::of(|_document, call| {
///     assert_eq!((call.surface(), call.surface_name()), (Surface::Result, "result"));
///     assert_eq!((call.part(), call.part_name()), (Part::Content, "content"));
///     Ok(rewritten_text("the result of a tool".to_owned()))
/// });
/// assert_eq!(bench.apply("[]").text(), "the result of a tool");
/// ```
pub struct Call {
    server: OnceCell<String>,
    tool: OnceCell<String>,
    surface: OnceCell<String>,
    part: OnceCell<String>,
    arguments: OnceCell<String>,
}

impl Call {
    /// The call in this instance.
    pub(crate) const fn current() -> Call {
        Call {
            server: OnceCell::new(),
            tool: OnceCell::new(),
            surface: OnceCell::new(),
            part: OnceCell::new(),
            arguments: OnceCell::new(),
        }
    }

    /// Name of the upstream server, as the operator gave it.
    ///
    /// [Example](Call#examples).
    pub fn server(&self) -> &str {
        self.server.get_or_init(host::call_server)
    }

    /// Name of the tool, prompt or resource; empty for instructions.
    ///
    /// [Example](Call#examples).
    pub fn tool(&self) -> &str {
        self.tool.get_or_init(host::call_tool)
    }

    /// The source of the document.
    ///
    /// [Example](Call#examples).
    pub fn surface(&self) -> Surface {
        let name = self.surface_name();
        let mut known = Surface::ALL.into_iter();
        known.find(|it| it.name() == name).unwrap_or(Surface::Other)
    }

    /// The surface as the host names it, known to this SDK or not.
    ///
    /// [Example](Call#examples).
    pub fn surface_name(&self) -> &str {
        self.surface.get_or_init(host::call_surface)
    }

    /// The part of a result that the document is.
    ///
    /// [Example](Call#examples).
    pub fn part(&self) -> Part {
        let name = self.part_name();
        let mut known = Part::ALL.into_iter();
        known.find(|it| it.name() == name).unwrap_or(Part::Other)
    }

    /// The part as the host names it, known to this SDK or not.
    ///
    /// [Example](Call#examples).
    pub fn part_name(&self) -> &str {
        self.part.get_or_init(host::call_part)
    }

    /// Index of the block in `content`, from 0; 0 for other parts.
    ///
    /// [Example](Call#examples).
    pub fn index(&self) -> u32 {
        host::call_index()
    }

    /// True if the server marked the result as an error.
    ///
    /// [Example](Call#examples).
    pub fn is_error(&self) -> bool {
        host::call_is_error()
    }

    /// The kind of the document when upstream sent it: an earlier step may have made JSON of a text, or text of JSON.
    /// Only a document that upstream sent as JSON can be read by JSON path.
    ///
    /// [Example](Call#examples).
    pub fn sent_as(&self) -> Kind {
        host::call_sent_as()
    }

    /// The call's arguments, a JSON object; `{}` if the call has none.
    ///
    /// [Example](Call#examples).
    pub fn arguments(&self) -> &str {
        self.arguments.get_or_init(host::call_arguments)
    }
}
