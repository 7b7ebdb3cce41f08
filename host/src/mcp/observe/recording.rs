//! The recorder's copy of a call, and the chain that removes parts of it.

use crate::chain::{Chain, Emission, Outcome, Receipt, Run};
use crate::document::{Document, Kind};
use crate::json;
use crate::mcp::clients::Client;
use crate::mcp::shape::{self, CallContext, OutputSchema};
use crate::mcp::shown::ClientDisplay;
use crate::policy::{RecordSpec, Structured};
use crate::recording::{self, Recorder, Terms};
use crate::sandbox::{CallInfo, NotKept, Originals, Part, Surface};
use std::sync::Arc;
use std::time::SystemTime;

/// The recorder, and the parts of calls that a policy lets it record.
pub struct Recording {
    recorder: Recorder,
    terms: Arc<Terms>,
}

/// A tool's call whose answer has arrived.
pub(in crate::mcp) struct Call<'a> {
    pub(in crate::mcp) server: &'a str,
    pub(in crate::mcp) tool: &'a str,
    /// A JSON object.
    pub(in crate::mcp) arguments: &'a str,
    /// The session's key on this connection.
    pub(in crate::mcp) session: &'a str,
    pub(in crate::mcp) client: Option<Arc<Client>>,
    /// The tool's chain hides content from the model.
    pub(in crate::mcp) hides: bool,
}

impl Recording {
    /// `redact`: the chain that removes everything that may not be recorded.
    pub fn new(recorder: Recorder, spec: &RecordSpec, redact: Option<Arc<Chain>>) -> Recording {
        let redact = redact.map(|chain| {
            let redact = move |call| redacted(&chain, call);
            Box::new(redact) as Box<recording::Redact>
        });
        let terms = Terms {
            redact,
            most_calls: spec.calls,
            most_bytes: spec.bytes,
        };
        Recording {
            recorder,
            terms: Arc::new(terms),
        }
    }

    /// Hands a call to the recorder. `result` is the upstream's own.
    pub(super) fn note(&self, call: Call<'_>, result: &[u8]) {
        if call.hides && self.terms.redact.is_none() {
            self.recorder.hold_back(call.tool);
            return;
        }
        let recorded = call.into_recorded(&self.recorder, result);
        self.recorder.record(recorded, &self.terms);
    }
}

impl Call<'_> {
    /// The call as recorded, if nothing is removed from it.
    pub(super) fn into_recorded(self, recorder: &Recorder, result: &[u8]) -> recording::Call {
        recording::Call {
            server: self.server.to_owned(),
            tool: self.tool.to_owned(),
            client: self.client.map(|client| recording::Client {
                name: client.name.clone(),
                version: client.version.clone(),
            }),
            session: recorder.session(self.session),
            time: SystemTime::now(),
            arguments: self.arguments.to_owned(),
            result: result.to_vec(),
            failures: Vec::new(),
        }
    }
}

/// The parts of a call that may be recorded: arguments, texts and `structuredContent` after the chain.
fn redacted(chain: &Chain, call: recording::Call) -> Result<recording::Call, String> {
    let arguments = redact_json(chain, &call, Part::Whole, call.arguments.as_bytes())
        .map_err(|why| format!("its arguments {why}"))?;
    if !arguments.starts_with('{') {
        return Err("its arguments are not an object after the redaction".to_owned());
    }
    let context = CallContext {
        server: &call.server,
        surface: Surface::Result,
        name: &call.tool,
        arguments: &call.arguments,
        session: None,
        // It is redacted where it is, so that the recording has the form that the server gave it.
        structured: Structured::Keep,
        schema: OutputSchema::Unknown,
        enforces_audience: false,
        view: ClientDisplay::default(),
        keep: Arc::new(|_, _, _| Err(NotKept::NotWorthIt)),
    };
    let filtered = shape::filter_result(chain, &context, &call.result);
    let receipts = filtered
        .documents
        .iter()
        .flat_map(|document| &document.receipts);
    if filtered.withheld {
        let why = receipts.filter_map(failure).next();
        return Err(format!(
            "its result is withheld{}",
            why.unwrap_or_else(|| ": it contains texts that no filter receives".to_owned())
        ));
    }
    let mut result = filtered
        .result
        .map_or(call.result.clone(), String::into_bytes);
    let [structured] = json::members(&result, ["structuredContent"]);
    if let Some(span) = structured {
        if count_of(&result, "structuredContent") > 1 {
            return Err("its result has `structuredContent` twice".to_owned());
        }
        let raw = result[span.clone()].to_vec();
        let redacted = redact_json(chain, &call, Part::StructuredContent, &raw)
            .map_err(|why| format!("its `structuredContent` {why}"))?;
        result.splice(span, redacted.into_bytes());
    }
    Ok(recording::Call {
        arguments,
        result,
        ..call
    })
}

/// Runs the chain on a JSON value. The output must be JSON.
fn redact_json(
    chain: &Chain,
    call: &recording::Call,
    part: Part,
    raw: &[u8],
) -> Result<String, String> {
    let text = std::str::from_utf8(raw).map_err(|_| "are not UTF-8".to_owned())?;
    let document = Document::json(text).map_err(|error| format!("cannot be redacted: {error}"))?;
    let info = CallInfo {
        server: &call.server,
        tool: &call.tool,
        surface: Surface::Result,
        part,
        index: 0,
        is_error: false,
        sent: None,
        arguments: &call.arguments,
        session: None,
    };
    let Run {
        emission, receipts, ..
    } = chain.run(&document, &info, &Originals::none());
    match emission {
        Emission::Unchanged => Ok(text.to_owned()),
        Emission::Changed(document) if document.kind() == Kind::Json => {
            Ok(document.text().to_string())
        }
        Emission::Changed(_) => Err("are not JSON after the redaction".to_owned()),
        Emission::Withheld => Err(format!(
            "are withheld{}",
            receipts.iter().find_map(failure).unwrap_or_default()
        )),
    }
}

/// Why a step withheld a document.
fn failure(receipt: &Receipt) -> Option<String> {
    let why = match &receipt.outcome {
        Outcome::Failed(error) => error.to_string(),
        other => other.name().to_owned(),
    };
    let filter = &receipt.filter;
    receipt
        .withheld
        .then(|| format!(": filter `{filter}` failed: {why}"))
}

/// How often an object has a member.
fn count_of(object: &[u8], name: &str) -> usize {
    let Some(document) = std::str::from_utf8(object)
        .ok()
        .and_then(|text| Document::json_with_depth(text, crate::json::tree::FRAME_DEPTH).ok())
    else {
        return 0;
    };
    let Some(tape) = document.tape() else {
        return 0;
    };
    let keys = tape.members(tape.root());
    keys.filter(|(key, _)| crate::json::tree::key_text(&document, *key).as_deref() == Some(name))
        .count()
}
