//! What a chain makes of a piece of output that no client waits for: for `tamis apply`, `tamis explain` and
//! tests.
//!
//! Nothing is stored: what a filter cuts is called as it would be called if it were kept. Refuses to know
//! where the input comes from and where the output goes.

use crate::chain::{Chain, Emission};
use crate::document::{Document, Kind};
use crate::mcp::read_tool;
use crate::mcp::shape::{self, CallContext, FilteredDocument, Keep, OutputSchema};
use crate::policy::{Audience, ReadTool, Structured, Surface};
use crate::sandbox::{CallInfo, Originals, Part, SessionView};
use crate::store::Reference;
use anyhow::{Context, Result};
use std::path::Path;
use std::sync::Arc;

/// A piece of output. Everything that reads one from a file or a stream does it here.
#[derive(Debug, Clone)]
pub struct Input {
    /// A whole result as MCP has it, or a document: JSON or text.
    pub bytes: Vec<u8>,
}

impl Input {
    /// Takes what was read from anywhere.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Input {
        Input {
            bytes: bytes.into(),
        }
    }

    /// Reads a file.
    ///
    /// # Errors
    ///
    /// The file cannot be read.
    pub fn read(path: &Path) -> Result<Input> {
        let bytes = std::fs::read(path).with_context(|| format!("read {}", path.display()))?;
        Ok(Input::new(bytes))
    }
}

/// What the input is the answer to.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    /// What filters see as the server's name.
    pub server: &'a str,
    /// What kind of output it is.
    pub surface: Surface,
    /// Of the tool or prompt, or the URI of the resource; empty for instructions.
    pub name: &'a str,
    /// A JSON object.
    pub arguments: &'a str,
}

/// What the chain made of the input.
#[derive(Debug)]
pub struct Output {
    /// None: it is withheld, and there is nothing in its place.
    pub bytes: Option<Vec<u8>>,
    /// A filter that must see all of it failed or could not.
    pub withheld: bool,
    /// What each document of it went through.
    pub documents: Vec<FilteredDocument>,
}

/// Runs a chain.
pub fn run(chain: &Chain, settings: &ReadTool, call: &Call<'_>, input: &Input) -> Output {
    let is_lone_text = matches!(call.surface, Surface::Description | Surface::History);
    let context = CallContext {
        server: call.server,
        surface: call.surface.into(),
        name: call.name,
        arguments: call.arguments,
        schema: OutputSchema::Unknown,
        session: None,
        enforces_audience: chain.audience == Some(Audience::Enforce),
        structured: chain.structured.unwrap_or(Structured::Text),
        keep: keep(settings.clone()),
    };
    let text = std::str::from_utf8(&input.bytes);
    let filtered = match text {
        Ok(text) if is_lone_text => shape::filter_lone_text(chain, &context, text),
        _ if is_frame(call.surface, &input.bytes) => {
            shape::filter_result(chain, &context, &input.bytes)
        }
        text => return run_document(chain, call, text.ok(), input),
    };
    let unchanged = || input.bytes.clone();
    Output {
        bytes: Some(filtered.result.map_or_else(unchanged, String::into_bytes)),
        withheld: filtered.withheld,
        documents: filtered.documents,
    }
}

/// Runs a chain on one document, which is part of nothing.
fn run_document(chain: &Chain, call: &Call<'_>, text: Option<&str>, input: &Input) -> Output {
    let info = CallInfo {
        server: call.server,
        tool: call.name,
        surface: call.surface.into(),
        part: Part::Content,
        index: 0,
        is_error: false,
        sent: None,
        arguments: call.arguments,
        session: None,
    };
    let run = match text {
        Some(text) => chain.run(&Document::detect(text), &info, &Originals::none()),
        None => chain.run_unreadable("it is not Unicode", &SessionView::default()),
    };
    let bytes = match &run.emission {
        Emission::Unchanged => Some(input.bytes.clone()),
        Emission::Changed(document) => Some(document.text().as_bytes().to_vec()),
        Emission::Withheld => None,
    };
    Output {
        withheld: bytes.is_none(),
        bytes,
        documents: vec![FilteredDocument {
            part: Part::Whole,
            index: 0,
            receipts: run.receipts,
        }],
    }
}

/// What the client would read, without storing anything.
fn keep(settings: ReadTool) -> Keep {
    Arc::new(move |result, _, _| {
        let reference = Reference::of(result);
        Ok(read_tool::names(&settings, &reference, Path::new("")))
    })
}

/// Whether the input is a whole result, as MCP has it for this kind of output.
pub fn is_frame(surface: Surface, input: &[u8]) -> bool {
    let Some(document) = std::str::from_utf8(input).ok().map(Document::detect) else {
        return false;
    };
    if document.kind() != Kind::Json {
        return false;
    }
    let Some(tape) = document.tape() else {
        return false;
    };
    let has = |names: &[&str]| {
        tape.members(tape.root()).any(|(key, _)| {
            let key = document.slice(key.start, key.end).trim_matches('"');
            names.contains(&key)
        })
    };
    match surface {
        Surface::Result => has(&["content", "structuredContent"]),
        Surface::Prompt => has(&["messages"]),
        Surface::Resource => has(&["contents"]),
        Surface::Instructions => has(&["instructions"]) && has(&["serverInfo", "protocolVersion"]),
        Surface::Description | Surface::History => false,
    }
}
