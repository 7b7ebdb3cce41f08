//! The facts about a call that a filter may know: as the chain gives them, and as an instance holds them for its
//! imports.

use super::session::SessionView;
use crate::document::{Document, Kind};
use crate::policy::Surface;
use std::borrow::Cow;
use std::sync::Arc;

/// The part of a result that a document is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Part {
    /// A text block of `content`.
    Content,
    /// `structuredContent`.
    StructuredContent,
    /// The only document: all text blocks as one list, or a document that is not the result of a tool call.
    Whole,
}

impl Part {
    /// All parts, in the order of the contract.
    pub const ALL: [Part; 3] = [Part::Content, Part::StructuredContent, Part::Whole];

    /// Its name in the contract.
    pub const fn name(self) -> &'static str {
        match self {
            Part::Content => "content",
            Part::StructuredContent => "structured-content",
            Part::Whole => "whole",
        }
    }
}

/// The facts about a call that a filter may know.
#[derive(Debug, Clone, Copy)]
pub struct CallInfo<'a> {
    pub server: &'a str,
    pub tool: &'a str,
    pub surface: Surface,
    pub part: Part,
    /// Position of the block in `content`, from 0.
    pub index: u32,
    pub is_error: bool,
    /// The document as upstream sent it, if an earlier step has changed it.
    pub sent: Option<&'a Document>,
    /// A JSON object.
    pub arguments: &'a str,
    /// The values of the session; none without a session.
    pub session: Option<&'a SessionView>,
}

impl<'a> CallInfo<'a> {
    /// The first block of a tool's result, with no arguments and in no session.
    pub const fn of_result(server: &'a str, tool: &'a str) -> CallInfo<'a> {
        CallInfo {
            server,
            tool,
            surface: Surface::Result,
            part: Part::Content,
            index: 0,
            is_error: false,
            sent: None,
            arguments: "{}",
            session: None,
        }
    }

    /// A whole message of a server.
    pub const fn of_message(server: &'a str, session: Option<&'a SessionView>) -> CallInfo<'a> {
        CallInfo {
            surface: Surface::Message,
            part: Part::Whole,
            session,
            ..CallInfo::of_result(server, "")
        }
    }
}

/// The facts about one call, which its instance owns. Filters ask for few of them, and most filters for none.
pub(super) struct Facts {
    pub server: Arc<str>,
    pub tool: Arc<str>,
    pub surface: Surface,
    pub part: Part,
    pub index: u32,
    pub is_error: bool,
    pub sent_as: Kind,
    pub arguments: Arc<str>,
}

impl Facts {
    /// The facts about a call with a document.
    pub fn new(call: &CallInfo<'_>, document: &Document) -> Facts {
        Facts {
            server: call.server.into(),
            tool: call.tool.into(),
            surface: call.surface,
            part: call.part,
            index: call.index,
            is_error: call.is_error,
            sent_as: call.sent.unwrap_or(document).kind(),
            arguments: call.arguments.into(),
        }
    }

    /// The address of the document in the original, as a call of the read tool names it.
    pub fn address(&self) -> Cow<'static, str> {
        match self.part {
            Part::Content => format!("content[{}]", self.index).into(),
            Part::StructuredContent => "structuredContent".into(),
            Part::Whole => "content".into(),
        }
    }
}
