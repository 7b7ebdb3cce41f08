//! `tamis history`: chains on the past tool results of a chat transcript.
//!
//! The transcript is read twice, a message at a time. The first time checks all of it and counts its results:
//! nothing is written of a broken one, and the last results are known. The second time writes it.

mod message;
mod pieces;
mod source;

use super::output::{self, Form, Printed};
use super::outside::{Origin, Outside};
use super::policy::PolicyArguments;
use super::progress::Progress;
use crate::document::Document;
use crate::json::edits::Edits;
use crate::json::tree::{FRAME_DEPTH, member, quote, string};
use crate::policy::Surface;
use anyhow::{Context, Result, bail};
use message::{Calls, FLAG, Message, Past};
use pieces::{Piece, Pieces};
use source::Source;
use std::borrow::Cow;
use std::io::{BufWriter, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;

/// Filters old tool results in a chat transcript, with the chains for `history`.
///
/// Reads OpenAI's messages (`role` is `tool`) and Anthropic's (`tool_result` blocks): as a list, under
/// `messages`, or one a line (JSON Lines; also a session file of Claude Code). Writes the same
/// transcript with shorter results. All other bytes stay. A filtered result gets `"_compacted": true`
/// and is never filtered again, so a second run changes nothing. Only one message at a time is in
/// memory.
#[derive(clap::Args)]
#[command(
    after_help = "In filters.toml:\n  [[chain]]\n  on = [\"history\"]\n  tools = [\"*\"]\n  steps = [\"stub\"]\n\nExamples:\n  tamis history --keep-last 3 < transcript.json > shorter.json\n  tamis history session.jsonl > shorter.jsonl"
)]
pub(super) struct Arguments {
    #[command(flatten)]
    policy: PolicyArguments,
    /// Leave this many of the last results unchanged, because the model still works with them.
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    keep_last: usize,
    /// The transcript. Default: standard input.
    input: Option<PathBuf>,
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let mut source = Source::open(arguments.input.as_deref())?;
    let progress = Progress::of_bytes(source.len());
    let results = count(&mut source, &progress).context("read the transcript")?;
    drop(progress);
    let mut policy = arguments.policy.read(None)?;
    let surfaces = [Surface::History, Surface::Message];
    policy.keep_chains(|_, chain| {
        surfaces
            .iter()
            .any(|surface| chain.binding.on.contains(surface))
    });
    let chains = arguments.policy.load_chains(policy)?;
    let mut filter = Filter {
        outside: Outside::new(&chains, Surface::History),
        calls: Calls::default(),
        left: results.saturating_sub(arguments.keep_last),
    };
    let progress = Progress::of_bytes(source.len());
    let stdout = std::io::stdout().lock();
    let mut stdout: Box<dyn Write> = match stdout.is_terminal() {
        true => Box::new(Printed::new(stdout, Form::Json)),
        false => Box::new(BufWriter::new(stdout)),
    };
    let mut pieces = Pieces::new(source.reader()?);
    let mut bytes = Vec::new();
    while let Some(piece) = pieces.next(&mut bytes).context("read the transcript")? {
        let shorter = match piece {
            Piece::Between => None,
            Piece::Element | Piece::Alone => filter.message(&parse(&bytes)?)?,
        };
        let written = shorter.as_deref().map_or(&bytes[..], str::as_bytes);
        stdout.write_all(written).map_err(output::failed)?;
        progress.advance(bytes.len() as u64);
    }
    stdout.flush().map_err(output::failed)?;
    Ok(ExitCode::SUCCESS)
}

/// Checks a whole transcript, and counts its results.
fn count(source: &mut Source, progress: &Progress) -> Result<usize> {
    let mut pieces = Pieces::new(source.reader()?);
    let mut bytes = Vec::new();
    let (mut results, mut has_messages) = (0, false);
    loop {
        let line = pieces.line();
        let Some(piece) = pieces.next(&mut bytes)? else {
            break;
        };
        if piece != Piece::Between {
            let frame = parse(&bytes).with_context(|| format!("line {line}"))?;
            has_messages |= piece == Piece::Alone && message::is_message(&frame);
            results += Message::read(&frame).results.len();
        }
        progress.advance(bytes.len() as u64);
    }
    if !has_messages && !pieces.has_list() {
        bail!(
            "it is not a list of messages, not an object with `messages`, and not one message a line"
        );
    }
    Ok(results)
}

fn parse(message: &[u8]) -> Result<Document> {
    let text = std::str::from_utf8(message).context("not UTF-8")?;
    Document::json_with_depth(text, FRAME_DEPTH).map_err(|error| anyhow::anyhow!("{error}"))
}

/// The notice in place of a text that a filter must see and could not.
const WITHHELD: &str = "[tamis] Withheld: a filter that this text must pass through failed.";

struct Filter<'a> {
    outside: Outside<'a>,
    calls: Calls,
    /// Results before those that stay unchanged.
    left: usize,
}

impl Filter<'_> {
    /// A message with its results filtered; none if it stays unchanged.
    fn message(&mut self, frame: &Document) -> Result<Option<String>> {
        let message = Message::read(frame);
        for (id, call) in message.calls {
            self.calls.note(id, call);
        }
        let mut edits = Edits::default();
        for past in &message.results {
            if self.left == 0 {
                break;
            }
            self.left -= 1;
            if member(frame, past.holder, FLAG).is_none() {
                self.result(frame, past, &mut edits);
            }
        }
        Ok(edits.apply(frame)?)
    }

    fn result(&self, frame: &Document, past: &Past, edits: &mut Edits) {
        let call = past.call.as_ref().and_then(|id| self.calls.get(id));
        let tool = past.tool.as_deref().or(call.map(|call| call.tool.as_str()));
        let tool = tool.unwrap_or_default();
        let arguments = call.map(|call| call.arguments.as_str());
        let origin = Origin {
            server: "",
            tool,
            arguments: arguments
                .filter(|text| text.starts_with('{'))
                .unwrap_or("{}"),
        };
        let mut changed = false;
        for &node in &past.texts {
            let Some(text) = string(frame, node) else {
                continue;
            };
            let redacted = self.outside.redact(&origin, &text);
            let redacted = redacted.unwrap_or(Cow::Borrowed(WITHHELD));
            let chain = self.outside.chain(&origin, &redacted);
            let filtered = chain.and_then(|chosen| self.outside.filter(chosen, &origin, &redacted));
            if let Some(new) =
                filtered.or_else(|| (*redacted != text).then(|| redacted.into_owned()))
            {
                edits.replace(node, &quote(&new));
                changed = true;
            }
        }
        if changed {
            edits.append(past.holder, &format!(r#""{FLAG}":true"#));
        }
    }
}
