//! `tamis hook`: a chain on the output of a coding agent's own tools.
//!
//! An event is answered in the form of the agent that sent it (`agent`, and a file for each agent), or not at
//! all. Text of files is shown exactly (`file_text`).

mod agent;
mod claude;
mod codex;
mod context;
mod copilot;
mod opencode;
mod output;
mod whole;

use super::outside;
use super::policy::PolicyArguments;
use crate::document::{Document, Node, NodeKind};
use crate::file_text::{self, Head, Owner};
use crate::json::tree::{FRAME_DEPTH, member, quote, string};
use crate::policy::{ChainSpec, Policy, Surface};
use crate::state::State;
use crate::trust::Lapsed;
use agent::{Agent, Kind, Sender};
use anyhow::{Context, Result, bail};
use output::{Call, Filters};
use std::io::{Read, Write};
use std::process::ExitCode;

/// Exit code when it fails: agents take 2 as word to the model, and any other as "go on as before".
const EXIT_FAILED: u8 = 1;

/// A longer event is not read. Agents cut outputs, or save them in files, long before that.
const EVENT_BYTES: u64 = 256 << 20;

/// Filters the output of a coding agent's own tools, as a hook.
///
/// Reads the JSON of a hook's event from standard input, and answers in the form of the agent that sent
/// it: Claude Code, Codex, Copilot CLI or opencode. Recognises the agent by the event.
///
/// After a tool: the answer replaces the tool's output. The tool's chain filters each longer text in
/// it. Tamis shows text of files exactly: a small text whole, a large one in whole lines with the
/// command that reads the rest.
///
/// At the start of a session: tells the model how to read filtered output, and how to read the
/// original, if a chain needs that. Tamis tells it once a session, and again after the context was
/// cleared or compacted.
///
/// If nothing changes, and for any other event, it writes nothing, so you can use one command for all
/// events. If it fails, the output stays unchanged (exit code 1). If it cannot use its policy, it
/// withholds the output, because it does not know what to redact.
///
/// Session values of filters (such as those of `repeat`) are stored between calls by the id of the
/// agent's session.
#[derive(clap::Args)]
#[command(
    after_help = "In .claude/settings.json (Claude Code 2.1.121 and newer):\n  {\"hooks\": {\n    \"PostToolUse\": [{\"matcher\": \"Bash|Read|WebFetch\",\n      \"hooks\": [{\"type\": \"command\", \"command\": \"tamis hook\"}]}],\n    \"SessionStart\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"tamis hook\"}]}]}}\n\nFor opencode:\n  mkdir -p ~/.config/opencode/plugins\n  tamis hook --print opencode > ~/.config/opencode/plugins/tamis.js\n\nIn filters.toml the tool is called as the agent calls it (Bash, mcp__github__list_issues); an MCP\nserver's tool also by its own name (list_issues)."
)]
pub(super) struct Arguments {
    #[command(flatten)]
    policy: PolicyArguments,
    /// Print the file that an agent needs, and read no event. For opencode: its plugin.
    #[arg(long, value_name = "AGENT")]
    print: Option<Printed>,
}

/// Agents that need a file.
#[derive(Clone, Copy, clap::ValueEnum)]
enum Printed {
    Opencode,
}

pub(super) fn run(arguments: &Arguments) -> ExitCode {
    let answer = match arguments.print {
        Some(Printed::Opencode) => Ok(Some(plugin(arguments))),
        None => answer(arguments),
    };
    match answer {
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

/// The plugin for opencode, which runs this program.
fn plugin(arguments: &Arguments) -> String {
    let policy = arguments.policy.read(None);
    if let Err(error) = &policy {
        super::output::tell(format_args!(
            "tamis: the plugin withholds outputs until `tamis hook` answers, because Tamis cannot use the policy: {error:#}"
        ));
    }
    opencode::plugin(&outside::program_name(), may_redact(&policy))
}

/// Whether a policy redacts. One that cannot be used may.
fn may_redact(policy: &Result<Policy>) -> bool {
    match policy {
        Ok(policy) => policy.chains.iter().any(ChainSpec::redacts),
        Err(_) => true,
    }
}

fn answer(arguments: &Arguments) -> Result<Option<String>> {
    let frame = Document::json_with_depth(read_event()?, FRAME_DEPTH)
        .map_err(|error| anyhow::anyhow!("read the hook's JSON: {error}"))?;
    let Some(root) = frame.tape().map(|tape| tape.root()) else {
        bail!("read the hook's JSON: it is not an object");
    };
    let (agent, kind) = match agent::sender(&frame, root)? {
        Sender::Known(agent, kind) => (agent, kind),
        Sender::TakesNone(reason) => {
            crate::cli::output::tell(format_args!("tamis: {reason}"));
            return Ok(None);
        }
        Sender::OtherEvent => return Ok(None),
    };
    let text = |name| member(&frame, root, name).and_then(|node| string(&frame, node));
    let session = match agent {
        Agent::Copilot => text("sessionId"),
        Agent::Claude | Agent::Codex | Agent::Opencode => text("session_id"),
    };
    match kind {
        Kind::Output => tool_output(arguments, agent, &frame, root, session),
        // Only these two show tables that need an explanation.
        _ if !matches!(agent, Agent::Claude | Agent::Copilot) => Ok(None),
        Kind::SessionStart => {
            // The earlier context is lost then, though the session is the same.
            let is_anew = text("source").as_deref() != Some("resume");
            tell(
                arguments,
                agent,
                "SessionStart",
                session.as_deref(),
                is_anew,
            )
        }
        Kind::Prompt => tell(
            arguments,
            agent,
            "UserPromptSubmit",
            session.as_deref(),
            false,
        ),
        // Its context is its own.
        Kind::SubagentStart => tell(arguments, agent, "SubagentStart", None, true),
    }
}

fn read_event() -> Result<String> {
    let mut event = Vec::new();
    let read = std::io::stdin()
        .take(EVENT_BYTES + 1)
        .read_to_end(&mut event);
    read.context("read the hook's JSON from standard input")?;
    if event.len() as u64 > EVENT_BYTES {
        bail!("read the hook's JSON: it is larger than {EVENT_BYTES} bytes");
    }
    String::from_utf8(event).context("read the hook's JSON: not UTF-8")
}

/// Tells the model how to read filtered output: again, or only if the session was not told.
fn tell(
    arguments: &Arguments,
    agent: Agent,
    event: &str,
    session: Option<&str>,
    is_anew: bool,
) -> Result<Option<String>> {
    let told = State::find().map(|state| state.told());
    if !is_anew
        && let (Ok(told), Some(session)) = (&told, session)
        && told.knows(session)
    {
        return Ok(None);
    }
    let context = match arguments.policy.read(None) {
        Ok(mut policy) => {
            policy.keep_chains(|_, chain| chain.binding.on.contains(&Surface::Result));
            let chains = arguments.policy.load_chains(policy)?;
            context::context(&chains, &outside::program())
        }
        Err(error) => {
            let lapsed = error.downcast::<Lapsed>()?;
            crate::cli::output::tell(format_args!("tamis: {lapsed}"));
            // Not noted: once the file is trusted again, the session is told how to read filtered output.
            let why = quote(Lapsed::TO_MODEL);
            return Ok(is_anew.then(|| match agent {
                Agent::Copilot => format!(r#"{{"additionalContext":{why}}}"#),
                _ => specific(event, &[("additionalContext", &why)]),
            }));
        }
    };
    let Some(context) = context else {
        return Ok(None);
    };
    let noted = match session {
        Some(session) => told.map_err(Into::into).and_then(|told| told.note(session)),
        None if is_anew => Ok(()),
        None => bail!("the hook's JSON has no `session_id`"),
    };
    match noted {
        // Telling it twice does less harm than never.
        Err(error) if is_anew => tracing::warn!("{error:#}"),
        noted => noted?,
    }
    let context = quote(&context);
    Ok(Some(match agent {
        Agent::Copilot => format!(r#"{{"additionalContext":{context}}}"#),
        _ => specific(event, &[("additionalContext", &context)]),
    }))
}

/// An answer to an event: members, each with a JSON value.
fn specific(event: &str, members: &[(&str, &str)]) -> String {
    let mut answer = format!(
        r#"{{"hookSpecificOutput":{{"hookEventName":{}"#,
        quote(event)
    );
    for (name, value) in members {
        answer.push_str(&format!(r#","{name}":{value}"#));
    }
    answer.push_str("}}");
    answer
}

/// The output of a tool, filtered; none if it stays unchanged.
fn tool_output(
    arguments: &Arguments,
    agent: Agent,
    frame: &Document,
    root: Node,
    session: Option<String>,
) -> Result<Option<String>> {
    let [tool, input, response] = match agent {
        Agent::Copilot => ["toolName", "toolArgs", "toolResult"],
        Agent::Claude | Agent::Codex | Agent::Opencode => {
            ["tool_name", "tool_input", "tool_response"]
        }
    };
    let Some(full_name) = member(frame, root, tool).and_then(|node| string(frame, node)) else {
        bail!("the hook's JSON has no `{tool}`");
    };
    let Some(response) = member(frame, root, response) else {
        return Ok(None);
    };
    let of_server = match agent {
        Agent::Claude | Agent::Codex => full_name
            .strip_prefix("mcp__")
            .and_then(|name| name.split_once("__")),
        Agent::Copilot => full_name.split_once('-'),
        Agent::Opencode if member(frame, response, "content").is_some() => {
            full_name.split_once('_')
        }
        Agent::Opencode => None,
    };
    if agent == Agent::Codex && of_server.is_none() {
        return Ok(None);
    }
    let (server, own_name) = of_server.unwrap_or(("agent", &full_name));
    let input = member(frame, root, input);
    let call = Call {
        server: server.to_owned(),
        owner: match of_server {
            Some(_) => Owner::Server,
            None => Owner::Agent,
        },
        tool: own_name.to_owned(),
        arguments: input
            .map_or("{}", |input| frame.slice(input.start, input.end))
            .to_owned(),
        session,
        full_name: full_name.clone(),
    };
    let policy = arguments.policy.read(None);
    let redacts = may_redact(&policy);
    let filters = Filters::load(arguments, policy, call)?;
    let raw = frame.slice(response.start, response.end);
    match (agent, &filters) {
        (Agent::Opencode, filters) => opencode::answer(filters.as_ref(), redacts, frame, response),
        (_, None) => Ok(None),
        (Agent::Claude, Some(filters)) => claude::answer(filters, raw),
        (Agent::Codex, Some(filters)) => codex::answer(filters, raw),
        (Agent::Copilot, Some(filters)) => copilot::answer(filters, frame, response),
    }
}

/// The texts of a result's content; none if it has anything else.
fn texts(result: &Document, content: Node) -> Option<Vec<String>> {
    let tape = result.tape()?;
    if content.kind != NodeKind::Array {
        return None;
    }
    let text = |block| {
        let kind = string(result, member(result, block, "type")?)?;
        (kind == "text").then_some(())?;
        string(result, member(result, block, "text")?)
    };
    tape.elements(content).map(text).collect()
}

/// The note about the first lines of a file. `start`: the number of the first line in the file.
fn outline_note(head: &Head<'_>, start: usize, text: &str, call: &str) -> String {
    let last = start + head.of - 1;
    let (shown, next) = (start + head.lines - 1, start + head.lines);
    let call = file_text::call_for_lines(call, text, head.lines + 1, head.of);
    // About as much as is shown whole.
    let limit = head.lines * 2;
    let mut note = format!(
        "[tamis] Lines {start}-{shown} of this read are shown, exactly as they are; lines {next}-{last} are left out. To read them, call Read with offset {next} and limit {limit}, or run: {call}"
    );
    if start != 1 {
        note.push_str(&format!(
            " (line 1 of that original is line {start} of the file)"
        ));
    }
    note
}
