//! `tamis hook`: a chain on what a coding agent's own tools say.

mod context;
mod told;

use super::hook_session::HookSession;
use super::outside::{self, Origin, Outside};
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
/// Reads a hook's JSON from standard input and answers it, by its event:
///
/// PostToolUse: the answer replaces the tool's output, in the form that the tool gave it. Each longer
/// text in it goes down the chain of the tool.
///
/// SessionStart, UserPromptSubmit, SubagentStart: tells the model how to read what the filters write
/// and how to get back what they cut, where there is something to tell. Once a session, and again when
/// its context was cleared or compacted.
///
/// Writes nothing where nothing changes, and at any other event, so one command does for all. If it
/// fails, all stays as it was (exit code 1).
///
/// Bind it to tools whose output is read and not edited: a shell, searches, web pages. What a model
/// reads in order to edit it should reach it as it is. What filters keep of a session (`repeat` does)
/// lasts from one call to the next by the agent's `session_id`.
#[derive(clap::Args)]
#[command(
    after_help = "In .claude/settings.json (Claude Code 2.1.121 and newer):\n  {\"hooks\": {\n    \"PostToolUse\": [{\"matcher\": \"Bash|WebFetch\",\n      \"hooks\": [{\"type\": \"command\", \"command\": \"tamis hook\"}]}],\n    \"SessionStart\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"tamis hook\"}]}]}}\n\nIn filters.toml the tool is called as the agent calls it (Bash, mcp__github__list_issues); an MCP\nserver's tool also by its own name (list_issues)."
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
    let Some(event) = text("hook_event_name") else {
        bail!("the hook's JSON has no `hook_event_name`");
    };
    match event.as_str() {
        "PostToolUse" => tool_output(arguments, &frame, root),
        "SessionStart" => {
            // What was told before is gone then, though the session is the same.
            let is_anew = text("source").as_deref() != Some("resume");
            tell(arguments, &event, text("session_id").as_deref(), is_anew)
        }
        "UserPromptSubmit" => tell(arguments, &event, text("session_id").as_deref(), false),
        // Its context is its own.
        "SubagentStart" => tell(arguments, &event, None, true),
        _ => {
            tracing::debug!("there is nothing to answer to the event `{event}`");
            Ok(None)
        }
    }
}

/// Tells the model how to read what filters write: anew, or only if the session was not told.
fn tell(
    arguments: &Arguments,
    event: &str,
    session: Option<&str>,
    is_anew: bool,
) -> Result<Option<String>> {
    if !is_anew && session.is_some_and(told::knows) {
        return Ok(None);
    }
    let mut policy = arguments.policy.read(None)?;
    policy.keep_chains(|_, chain| chain.binding.on.contains(&Surface::Result));
    let chains = arguments.policy.load_chains(policy)?;
    let Some(context) = context::context(&chains, &outside::program()) else {
        return Ok(None);
    };
    let noted = match session {
        Some(session) => told::note(session),
        None if is_anew => Ok(()),
        None => bail!("the hook's JSON has no `session_id`"),
    };
    match noted {
        // Telling it twice does less harm than never.
        Err(error) if is_anew => tracing::warn!("{error:#}"),
        noted => noted?,
    }
    Ok(Some(specific(event, "additionalContext", &quote(&context))))
}

/// An answer to an event: one member, with a JSON value.
fn specific(event: &str, name: &str, value: &str) -> String {
    let event = quote(event);
    format!(r#"{{"hookSpecificOutput":{{"hookEventName":{event},"{name}":{value}}}}}"#)
}

/// The output of a tool, filtered; none if it stays as it is.
fn tool_output(arguments: &Arguments, frame: &Document, root: Node) -> Result<Option<String>> {
    let Some(tool) = member(frame, root, "tool_name").and_then(|node| string(frame, node)) else {
        bail!("the hook's JSON has no `tool_name`");
    };
    let Some(response) = member(frame, root, "tool_response") else {
        return Ok(None);
    };
    let (server, own_name) = match tool
        .strip_prefix("mcp__")
        .and_then(|it| it.split_once("__"))
    {
        Some((server, name)) => (server, name),
        None => ("agent", tool.as_str()),
    };
    let mut policy = arguments.policy.read(None)?;
    let chain_for = |name| policy.chain_for(Surface::Result, name);
    let Some(index) = chain_for(&tool).or_else(|| chain_for(own_name)) else {
        return Ok(None);
    };
    policy.keep_chains(|at, _| at == index);
    let chains = arguments.policy.load_chains(policy)?;
    let outside = Outside::new(&chains, Surface::Result);
    let Some(chain) = outside.chain(&[&tool, own_name]) else {
        return Ok(None);
    };
    let session = member(frame, root, "session_id").and_then(|node| string(frame, node));
    let session = session.filter(|_| chain.uses_session());
    let session = session.and_then(|id| HookSession::open(&id));
    let outside = match &session {
        Some(session) => outside.with_session(session.values()),
        None => outside,
    };
    let input = member(frame, root, "tool_input");
    let origin = Origin {
        server,
        tool: own_name,
        arguments: input.map_or("{}", |input| frame.slice(input.start, input.end)),
    };
    let filter = |text: &str| outside.filter(chain, &origin, text);
    let output = filter_strings(frame, response, &filter)?;
    if let Some(session) = session {
        session.close();
    }
    Ok(output.map(|output| specific("PostToolUse", "updatedToolOutput", &output)))
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
