//! The outcome of a chain for output that no client waits for: for `tamis apply`, `tamis explain`,
//! `tamis replay` and tests.
//!
//! Nothing is stored: a cut document has the reference that its original would have. Refuses to know
//! where the input comes from and where the output goes.

use crate::chain::{Chain, Chains, Emission, Receipt};
use crate::document::{Document, Kind};
use crate::file;
use crate::mcp::clients::Client;
use crate::mcp::read_tool;
use crate::mcp::rewriter::structured_for;
use crate::mcp::shape::{self, CallContext, Filtered, FilteredDocument, Keep, OutputSchema};
use crate::mcp::shown::ClientDisplay;
use crate::policy::{Audience, ClientSpec, ReadTool, ResultFacts, Surface};
use crate::recording;
use crate::sandbox::{CallInfo, Part, SessionView};
use crate::store::Reference;
use crate::tokens;
use anyhow::{Context, Result, anyhow};
use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

/// Bytes of the largest file that is read of a test or as an input, as of a recorded call.
pub(crate) const MOST_BYTES: u64 = 1 << 30;

/// A piece of output. Everything that reads one from a file or a stream does it here.
#[derive(Debug, Clone)]
pub struct Input {
    /// A whole result as MCP has it, or a document: JSON or text.
    pub bytes: Vec<u8>,
    /// The recorded call that it is the result of.
    pub call: Option<recording::Call>,
}

impl Input {
    /// An input from bytes of any source. Of a recorded call, the input is the result.
    ///
    /// # Errors
    ///
    /// It looks like a recorded call, and is broken.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Result<Input> {
        let bytes = bytes.into();
        if !recording::is_call(&bytes) {
            return Ok(Input { bytes, call: None });
        }
        let mut call = recording::Call::parse(&bytes)
            .map_err(|why| anyhow!("a recorded call cannot be read: {why}"))?;
        Ok(Input {
            bytes: std::mem::take(&mut call.result),
            call: Some(call),
        })
    }

    /// Reads a file.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or is a broken recorded call.
    pub fn read(path: &Path) -> Result<Input> {
        let bytes =
            file::read(path, MOST_BYTES).with_context(|| format!("read {}", path.display()))?;
        Input::new(bytes).with_context(|| format!("read {}", path.display()))
    }

    /// The call's arguments: those given, else those recorded.
    pub fn arguments<'a>(&'a self, given: Option<&'a str>) -> &'a str {
        let recorded = || self.call.as_ref().map(|call| call.arguments.as_str());
        given.or_else(recorded).unwrap_or("{}")
    }

    /// The server's name: the one given, else the recorded one.
    pub fn server<'a>(&'a self, given: Option<&'a str>) -> &'a str {
        let recorded = || self.call.as_ref().map(|call| call.server.as_str());
        given.or_else(recorded).unwrap_or_default()
    }

    /// The facts about the client that made the call; `own` tables come first.
    pub fn client<'a>(&self, own: &'a [ClientSpec]) -> Option<&'a ClientSpec> {
        client(self.call.as_ref()?, own)
    }

    /// The name of the client that made the call; empty if it is not known.
    pub fn client_name(&self) -> &str {
        let client = self.call.as_ref().and_then(|call| call.client.as_ref());
        client.map_or("", |client| &client.name)
    }

    /// The facts about the input that choose its chain.
    pub fn facts(&self) -> ResultFacts {
        ResultFacts::of(&self.bytes)
    }
}

/// The facts about a recorded call's client; `own` tables come first.
pub fn client<'a>(call: &recording::Call, own: &'a [ClientSpec]) -> Option<&'a ClientSpec> {
    let client = call.client.as_ref()?;
    let client = Client {
        name: client.name.clone(),
        version: client.version.clone(),
    };
    client.spec(own)
}

/// The call that the input answers.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    /// The server's name for filters.
    pub server: &'a str,
    /// The kind of output.
    pub surface: Surface,
    /// The name of the tool or prompt, or the URI of the resource; empty for instructions.
    pub name: &'a str,
    /// A JSON object.
    pub arguments: &'a str,
    /// The facts about the client; none: unknown.
    pub client: Option<&'a ClientSpec>,
    /// The filters' session values; none: the result is on its own.
    pub session: Option<&'a SessionView>,
}

/// The outcome of the chain for the input.
#[derive(Debug)]
pub struct Output {
    /// The output; none: the input is withheld, without a notice.
    pub bytes: Option<Vec<u8>>,
    /// A filter that must see all of it failed or could not.
    pub withheld: bool,
    /// Whether content was cut, so that the original would be stored.
    pub cut: bool,
    /// The steps that each of its documents passed.
    pub documents: Vec<FilteredDocument>,
    /// Tamis's line about the cut.
    pub note: Option<String>,
    /// Whether the output differs from the input.
    pub changed: bool,
}

impl Output {
    /// Tokens for a model: before, and after.
    pub fn tokens(&self) -> (u64, u64) {
        let count = |document: Option<&Document>| {
            document.map_or(0, |document| u64::from(tokens::count(document.text())))
        };
        let documents = self.documents.iter().map(|document| {
            let receipts = &document.receipts;
            let last = receipts.iter().rev().find(|receipt| !receipt.shadow);
            let first = receipts.first().map(|receipt| &receipt.before);
            let last = last.map_or(first, |receipt| Some(&receipt.after));
            (count(first), count(last))
        });
        let (before, after) = documents.fold((0, 0), |sum, next| (sum.0 + next.0, sum.1 + next.1));
        // The chain's savings may have been undone as a whole.
        if !self.changed {
            return (before, before);
        }
        let note = self.note.as_deref().map_or(0, tokens::count);
        (before, after + u64::from(note))
    }
}

/// The outcome of the chains that get every message of a server.
pub struct Redacted<'i> {
    /// The redacted input; none: it is withheld.
    pub input: Option<Cow<'i, Input>>,
    /// The index in the policy and the steps' receipts of each chain that ran.
    pub receipts: Vec<(usize, Vec<Receipt>)>,
}

/// Runs the chains that get every message of a server.
pub fn redacted<'i>(
    chains: &Chains,
    server: &str,
    session: Option<&SessionView>,
    input: &'i Input,
) -> Redacted<'i> {
    if !chains.redacts_messages(server) {
        return Redacted {
            input: Some(Cow::Borrowed(input)),
            receipts: Vec::new(),
        };
    }
    let call = CallInfo::of_message(server, session);
    let redaction = match std::str::from_utf8(&input.bytes) {
        Ok(text) => chains.redact(&Document::detect(text), &call),
        Err(_) => chains.redact_unreadable("it is not Unicode", &call),
    };
    let new = match redaction.emission {
        Emission::Unchanged => Some(Cow::Borrowed(input)),
        Emission::Withheld => None,
        Emission::Changed(document) => {
            redaction.session.commit();
            Some(Cow::Owned(Input {
                bytes: document.text().as_bytes().to_vec(),
                call: input.call.clone(),
            }))
        }
    };
    Redacted {
        input: new,
        receipts: redaction.receipts,
    }
}

/// Runs a chain.
pub fn run(chain: &Chain, settings: &ReadTool, call: &Call<'_>, input: &Input) -> Output {
    let is_lone_text = matches!(call.surface, Surface::Description | Surface::History);
    match std::str::from_utf8(&input.bytes) {
        Ok(text) if is_lone_text => {
            let filtered = shape::filter_lone_text(chain, &context(chain, settings, call), text);
            output(filtered, &input.bytes)
        }
        _ if is_frame(call.surface, &input.bytes) => run_frame(chain, settings, call, &input.bytes),
        text => run_document(chain, settings, call, text.ok(), input),
    }
}

/// Runs a chain on a whole result, as the proxy does.
pub fn run_frame(chain: &Chain, settings: &ReadTool, call: &Call<'_>, frame: &[u8]) -> Output {
    let context = context(chain, settings, call);
    output(shape::filter_result(chain, &context, frame), frame)
}

fn context<'a>(chain: &Chain, settings: &ReadTool, call: &Call<'a>) -> CallContext<'a> {
    CallContext {
        server: call.server,
        surface: call.surface,
        name: call.name,
        arguments: call.arguments,
        schema: OutputSchema::Unknown,
        session: call.session,
        enforces_audience: match chain.audience {
            Some(audience) => audience == Audience::Enforce,
            None => call.client.is_some_and(|client| !client.heeds_audience),
        },
        structured: structured_for(chain, call.client.map(|client| client.sees), false),
        view: ClientDisplay::of(call.client),
        keep: keep(settings.clone()),
    }
}

fn output(filtered: Filtered, before: &[u8]) -> Output {
    Output {
        cut: filtered.kept.is_some(),
        changed: filtered.result.is_some(),
        note: filtered.note,
        bytes: Some(
            filtered
                .result
                .map_or_else(|| before.to_vec(), String::into_bytes),
        ),
        withheld: filtered.withheld,
        documents: filtered.documents,
    }
}

/// Runs a chain on one document, which is part of nothing.
fn run_document(
    chain: &Chain,
    settings: &ReadTool,
    call: &Call<'_>,
    text: Option<&str>,
    input: &Input,
) -> Output {
    let info = CallInfo {
        server: call.server,
        tool: call.name,
        surface: call.surface,
        part: Part::Content,
        index: 0,
        is_error: false,
        sent: None,
        arguments: call.arguments,
        session: None,
    };
    let run = match text {
        Some(text) => shape::run_document(chain, &context(chain, settings, call), &info, text),
        None => chain.run_unreadable("it is not Unicode", &SessionView::default()),
    };
    let bytes = match &run.emission {
        Emission::Unchanged => Some(input.bytes.clone()),
        Emission::Changed(document) => Some(document.text().as_bytes().to_vec()),
        Emission::Withheld => None,
    };
    Output {
        withheld: bytes.is_none(),
        cut: run.receipts.iter().any(|receipt| receipt.cut),
        changed: !matches!(run.emission, Emission::Unchanged),
        note: None,
        bytes,
        documents: vec![FilteredDocument {
            part: Part::Whole,
            index: 0,
            receipts: run.receipts,
        }],
    }
}

/// Names originals as for a client, without storing any.
fn keep(settings: ReadTool) -> Keep {
    Arc::new(move |result, _, _| {
        let reference = Reference::of(result);
        Ok(read_tool::names(&settings, &reference, Some(Path::new(""))))
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
        Surface::Message | Surface::Arguments => false,
    }
}
