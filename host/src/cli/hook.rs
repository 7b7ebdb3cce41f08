//! `tamis hook`: a chain on what a coding agent's own tools say.

use super::hook_session::HookSession;
use super::outside::{Origin, Outside};
use super::policy::{PolicyArguments, read_input};
use crate::document::{Document, Node, NodeKind, Tape};
use crate::mcp::edits::Edits;
use crate::mcp::fields::{FRAME_DEPTH, member, quote, string};
use crate::policy::Surface;
use anyhow::{Context, Result, bail};
use std::io::Write;
use std::process::ExitCode;

/// Exit code when it fails: agents take 2 as word to the model, and any other as "go on as before".
const EXIT_FAILED: u8 = 1;

/// Texts below this are identifiers, paths and states, which the agent may rely on.
const LEAST_BYTES: u32 = 200;

/// Filters what a coding agent's tool has said, as a hook.
///
/// Reads a hook's JSON (`PostToolUse`) from standard input and writes the answer that replaces the
/// tool's output, in the form that the tool gave it: each text in it goes down the chain of the tool.
/// Writes nothing where nothing changes. If it fails, the output stays as it was (exit code 1).
///
/// Bind it to tools whose output is read and not edited: a shell, searches, web pages. What a model
/// reads in order to edit it should reach it as it is. What filters keep of a session (`repeat` does)
/// lasts from one call to the next by the agent's `session_id`.
#[derive(clap::Args)]
#[command(
    after_help = "In .claude/settings.json (Claude Code 2.1.121 and newer):\n  {\"hooks\": {\"PostToolUse\": [{\"matcher\": \"Bash|WebFetch\",\n    \"hooks\": [{\"type\": \"command\", \"command\": \"tamis hook\"}]}]}}\n\nIn filters.toml the tool is called as the agent calls it (Bash, mcp__github__list_issues); an MCP\nserver's tool also by its own name (list_issues)."
)]
pub(super) struct Arguments {
    #[command(flatten)]
    policy: PolicyArguments,
}

pub(super) fn run(arguments: &Arguments) -> ExitCode {
    match answer(arguments) {
        Ok(answer) => {
            let written = std::io::stdout().write_all(answer.unwrap_or_default().as_bytes());
            match written {
                Ok(()) => ExitCode::SUCCESS,
                Err(_) => ExitCode::from(EXIT_FAILED),
            }
        }
        Err(error) => {
            super::print_error(&error);
            ExitCode::from(EXIT_FAILED)
        }
    }
}

fn answer(arguments: &Arguments) -> Result<Option<String>> {
    let input = String::from_utf8(read_input(None)?).context("read the hook's JSON: not UTF-8")?;
    let frame = Document::json_with_depth(input, FRAME_DEPTH)
        .map_err(|error| anyhow::anyhow!("read the hook's JSON: {error}"))?;
    let Some(tape) = frame.tape() else {
        return Ok(None);
    };
    let root = tape.root();
    let text = |name| member(&frame, root, name).and_then(|node| string(&frame, node));
    let event = text("hook_event_name").unwrap_or_default();
    if event != "PostToolUse" {
        bail!("the event is `{event}`; this hook is for `PostToolUse`");
    }
    let Some(tool) = text("tool_name") else {
        bail!("the hook's JSON has no `tool_name`");
    };
    let Some(response) = member(&frame, root, "tool_response") else {
        return Ok(None);
    };
    let chains = arguments.policy.load()?;
    let outside = Outside::new(&chains, Surface::Result);
    let (server, own_name) = match tool
        .strip_prefix("mcp__")
        .and_then(|it| it.split_once("__"))
    {
        Some((server, name)) => (server, name),
        None => ("agent", tool.as_str()),
    };
    let Some(chain) = outside.chain(&[&tool, own_name]) else {
        return Ok(None);
    };
    let session = text("session_id").filter(|_| chain.uses_session());
    let session = session.and_then(|id| HookSession::open(&id));
    let outside = match &session {
        Some(session) => outside.with_session(session.values()),
        None => outside,
    };
    let input = member(&frame, root, "tool_input");
    let origin = Origin {
        server,
        tool: own_name,
        arguments: input.map_or("{}", |input| frame.slice(input.start, input.end)),
    };
    let filter = |text: &str| outside.filter(chain, &origin, text);
    let filtered = filter_strings(&frame, response, &filter)?;
    if let Some(session) = session {
        session.close();
    }
    Ok(filtered.map(|output| {
        format!(
            r#"{{"hookSpecificOutput":{{"hookEventName":"PostToolUse","updatedToolOutput":{output}}}}}"#
        )
    }))
}

/// A value with every longer string in it filtered; none if it stays as it is.
fn filter_strings(
    frame: &Document,
    value: Node,
    filter: &dyn Fn(&str) -> Option<String>,
) -> Result<Option<String>> {
    let raw = frame.slice(value.start, value.end);
    let value = Document::json_with_depth(raw, FRAME_DEPTH)
        .map_err(|error| anyhow::anyhow!("read the tool's output: {error}"))?;
    let Some(inner) = value.tape() else {
        return Ok(None);
    };
    let mut edits = Edits::default();
    for node in strings(inner) {
        let text = string(&value, node);
        if let Some(new) = text.and_then(|text| filter(&text)) {
            edits.replace(node, &quote(&new));
        }
    }
    Ok(edits.apply(&value)?)
}

/// The string values that are long enough to be worth it.
fn strings(tape: &Tape) -> Vec<Node> {
    let mut open = vec![tape.root()];
    let mut strings = Vec::new();
    while let Some(node) = open.pop() {
        match node.kind {
            NodeKind::String if node.end - node.start >= LEAST_BYTES => strings.push(node),
            NodeKind::Array => open.extend(tape.elements(node)),
            NodeKind::Object => open.extend(tape.members(node).map(|(_, value)| value)),
            _ => {}
        }
    }
    strings
}
