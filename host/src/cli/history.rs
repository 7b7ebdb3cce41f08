//! `tamis history`: chains on the past tool results of a chat transcript.

use super::outside::{Origin, Outside};
use super::policy::{PolicyArguments, read_input};
use crate::document::{Document, Node, NodeKind, Tape};
use crate::mcp::edits::Edits;
use crate::mcp::fields::{FRAME_DEPTH, member, quote, string};
use crate::policy::Surface;
use anyhow::{Context, Result, bail};
use std::collections::HashMap;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// What marks a result that was filtered, so that it is never filtered again.
const FLAG: &str = "_compacted";

/// Passes the tool results of a chat transcript down the chains that are bound to `history`.
///
/// Takes OpenAI's messages (`role` is `tool`) and Anthropic's (`tool_result` blocks), as a list or under
/// `messages`, and writes the same transcript with shorter results. Every other byte stays as it was.
/// A result that was filtered is flagged `"_compacted": true` and never touched again, so running it
/// twice changes nothing.
#[derive(clap::Args)]
#[command(
    after_help = "In filters.toml:\n  [[chain]]\n  on = [\"history\"]\n  tools = [\"*\"]\n  steps = [\"stub\"]\n\nExample:\n  tamis history --keep-last 3 < transcript.json > shorter.json"
)]
pub(super) struct Arguments {
    #[command(flatten)]
    policy: PolicyArguments,
    /// Leave the last results as they are: the model is still at work on them.
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    keep_last: usize,
    /// The transcript. Default: standard input.
    input: Option<PathBuf>,
}

/// A past call: the tool and its arguments.
struct Call {
    tool: String,
    arguments: String,
}

/// A past result: where it is flagged, its texts, and the call that it answers.
struct Past {
    holder: Node,
    texts: Vec<Node>,
    call: Option<String>,
    /// The tool, where the result names it itself.
    tool: Option<String>,
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let input = read_input(arguments.input.as_deref())?;
    let input = String::from_utf8(input).context("read the transcript: not UTF-8")?;
    let frame = Document::json_with_depth(input, FRAME_DEPTH)
        .map_err(|error| anyhow::anyhow!("read the transcript: {error}"))?;
    let transcript = Transcript::read(&frame)?;
    let chains = arguments.policy.load()?;
    let outside = Outside::new(&chains, Surface::History);
    let output = transcript.filter(&outside, arguments.keep_last)?;
    let output = output.as_deref().unwrap_or_else(|| frame.text());
    std::io::stdout()
        .write_all(output.as_bytes())
        .context("write the transcript")?;
    Ok(ExitCode::SUCCESS)
}

struct Transcript<'a> {
    frame: &'a Document,
    tape: &'a Tape,
    calls: HashMap<String, Call>,
    results: Vec<Past>,
}

impl<'a> Transcript<'a> {
    fn read(frame: &'a Document) -> Result<Transcript<'a>> {
        let Some(tape) = frame.tape() else {
            bail!("read the transcript: it is not JSON");
        };
        let root = tape.root();
        let messages = match root.kind {
            NodeKind::Array => root,
            _ => member(frame, root, "messages")
                .filter(|messages| messages.kind == NodeKind::Array)
                .context(
                    "read the transcript: it is no list of messages, and has none under `messages`",
                )?,
        };
        let mut transcript = Transcript {
            frame,
            tape,
            calls: HashMap::new(),
            results: Vec::new(),
        };
        for message in tape.elements(messages) {
            transcript.take(message);
        }
        Ok(transcript)
    }

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
    fn take(&mut self, message: Node) {
        for call in self.elements(message, "tool_calls") {
            let Some(function) = member(self.frame, call, "function") else {
                continue;
            };
            if let (Some(id), Some(tool)) = (self.text(call, "id"), self.text(function, "name")) {
                let arguments = self.text(function, "arguments").unwrap_or_default();
                self.calls.insert(id, Call { tool, arguments });
            }
        }
        if self.text(message, "role").as_deref() == Some("tool") {
            self.results.push(Past {
                holder: message,
                texts: self.texts(message),
                call: self.text(message, "tool_call_id"),
                tool: self.text(message, "name"),
            });
            return;
        }
        for block in self.elements(message, "content") {
            match self.text(block, "type").as_deref() {
                Some("tool_use") => {
                    if let (Some(id), Some(tool)) =
                        (self.text(block, "id"), self.text(block, "name"))
                    {
                        let input = member(self.frame, block, "input");
                        let arguments = input.map_or("", |input| self.raw(input)).to_owned();
                        self.calls.insert(id, Call { tool, arguments });
                    }
                }
                Some("tool_result") => self.results.push(Past {
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

    /// The transcript with its results filtered; none if it stays as it is.
    fn filter(&self, outside: &Outside<'_>, keep_last: usize) -> Result<Option<String>> {
        let mut edits = Edits::default();
        let old = self.results.len().saturating_sub(keep_last);
        for past in &self.results[..old] {
            if member(self.frame, past.holder, FLAG).is_some() {
                continue;
            }
            let call = past.call.as_ref().and_then(|id| self.calls.get(id));
            let tool = past.tool.as_deref().or(call.map(|call| call.tool.as_str()));
            let tool = tool.unwrap_or_default();
            let Some(chain) = outside.chain(&[tool]) else {
                continue;
            };
            let arguments = call.map(|call| call.arguments.as_str());
            let origin = Origin {
                server: "",
                tool,
                arguments: arguments.filter(|it| it.starts_with('{')).unwrap_or("{}"),
            };
            let mut changed = false;
            for &node in &past.texts {
                let Some(text) = string(self.frame, node) else {
                    continue;
                };
                if let Some(new) = outside.filter(chain, &origin, &text) {
                    edits.replace(node, &quote(&new));
                    changed = true;
                }
            }
            if changed {
                edits.append(past.holder, &format!(r#""{FLAG}":true"#));
            }
        }
        Ok(edits.apply(self.frame)?)
    }
}
