//! The agent that sent an event, found by members of the event that only that agent writes.
//!
//! Agents have taken over each other's names of events and not each other's answers. So an answer goes only to
//! an agent that was recognised and was seen to act on it.

use crate::document::{Document, Node, NodeKind};
use crate::json::tree::{member, string};
use anyhow::{Result, bail};

/// The agents that act on an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Agent {
    Claude,
    Codex,
    Copilot,
    Opencode,
}

/// The subject of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A tool has given its output.
    Output,
    SessionStart,
    Prompt,
    SubagentStart,
}

/// The sender of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sender {
    Known(Agent, Kind),
    /// An agent that takes none of Tamis's answers. The text gives the reason, for the user.
    TakesNone(&'static str),
    /// An event that gets no answer from Tamis, whoever sends it.
    OtherEvent,
}

/// Recognises the sender of an event.
pub(super) fn sender(frame: &Document, root: Node) -> Result<Sender> {
    let event = Event { frame, root };
    match event.text("hook_event_name") {
        Some(name) => event.named(&name),
        None => event.nameless(),
    }
}

struct Event<'f> {
    frame: &'f Document,
    root: Node,
}

impl Event<'_> {
    fn get(&self, name: &str) -> Option<Node> {
        member(self.frame, self.root, name)
    }

    fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    fn text(&self, name: &str) -> Option<String> {
        self.get(name).and_then(|node| string(self.frame, node))
    }

    fn named(&self, name: &str) -> Result<Sender> {
        let kind = match name {
            "PostToolUse" => Kind::Output,
            "SessionStart" => Kind::SessionStart,
            "UserPromptSubmit" => Kind::Prompt,
            "SubagentStart" => Kind::SubagentStart,
            "tool.execute.after" if self.text("tamis_plugin").as_deref() == Some("opencode") => {
                return Ok(Sender::Known(Agent::Opencode, Kind::Output));
            }
            "AfterTool" | "BeforeAgent" => return Ok(GEMINI),
            _ => return Ok(Sender::OtherEvent),
        };
        // Only Gemini CLI and Qwen Code write the time, and only the latter the mode.
        if self.has("timestamp") {
            return Ok(match self.has("permission_mode") {
                true => QWEN,
                false if kind == Kind::SessionStart => GEMINI,
                false => bail!(UNKNOWN),
            });
        }
        if self.text("client_type").as_deref() == Some("kimi_code_cli") {
            return Ok(KIMI);
        }
        let transcript = self.text("transcript_path");
        let transcript = transcript.as_deref().map(|path| {
            let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
            name.strip_suffix(".jsonl").unwrap_or_default()
        });
        let is_codex_session = |name: Option<&str>| match name {
            Some(name) => name.starts_with("rollout-"),
            None => self.has("transcript_path"),
        };
        if self.has("model") && self.has("permission_mode") && is_codex_session(transcript) {
            return Ok(Sender::Known(Agent::Codex, kind));
        }
        let has_call = kind != Kind::Output || self.has("tool_use_id");
        let is_claude = |name| is_uuid(name) || name.starts_with("agent-") && self.has("agent_id");
        if transcript.is_some_and(is_claude) && !self.has("turn_id") && has_call {
            return Ok(Sender::Known(Agent::Claude, kind));
        }
        bail!(UNKNOWN)
    }

    /// Copilot CLI and Cline do not name the event in it.
    fn nameless(&self) -> Result<Sender> {
        if self.has("clineVersion") && self.has("hookName") {
            return Ok(CLINE);
        }
        let is_number = |node: Node| node.kind == NodeKind::Number;
        if !self.get("timestamp").is_some_and(is_number) || self.text("sessionId").is_none() {
            bail!(UNKNOWN);
        }
        let result = self.get("toolResult");
        let kind =
            if result.is_some_and(|node| member(self.frame, node, "textResultForLlm").is_some()) {
                Kind::Output
            } else if self.text("source").is_some() {
                Kind::SessionStart
            } else if self.text("prompt").is_some() {
                Kind::Prompt
            } else {
                return Ok(Sender::OtherEvent);
            };
        Ok(Sender::Known(Agent::Copilot, kind))
    }
}

/// The name of a session of Claude Code: 8-4-4-4-12 hexadecimal digits.
fn is_uuid(name: &str) -> bool {
    let groups: Vec<&str> = name.split('-').collect();
    let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
    let is_hexadecimal = |group: &&str| group.bytes().all(|byte| byte.is_ascii_hexdigit());
    lengths == [8, 4, 4, 4, 12] && groups.iter().all(is_hexadecimal)
}

const UNKNOWN: &str = "the hook's JSON is not from an agent that Tamis can answer (Claude Code, Codex, Copilot CLI, opencode), so Tamis writes nothing; docs/outside-mcp.md lists the agents";
const GEMINI: Sender = Sender::TakesNone(
    "Gemini CLI shows its model the answer of a hook as an error, so nothing is written: remove `tamis hook` from its settings and wrap its MCP servers with `tamis install`",
);
const QWEN: Sender = Sender::TakesNone(
    "Qwen Code lets no hook replace the output of a tool, so nothing is written: remove `tamis hook` from its settings and wrap its MCP servers with `tamis install`",
);
const KIMI: Sender = Sender::TakesNone(
    "Kimi Code does not wait for the answer of a hook, so nothing is written: remove `tamis hook` from its settings and wrap its MCP servers with `tamis install`",
);
const CLINE: Sender = Sender::TakesNone(
    "Cline lets no hook replace the output of a tool, so nothing is written: remove `tamis hook` from its hooks and wrap its MCP servers with `tamis install`",
);
