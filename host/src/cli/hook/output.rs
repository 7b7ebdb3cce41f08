//! What becomes of a text that an agent's tool has put out: the chain of the tool, or, for text of
//! files, whole lines of it.

use super::super::hook_session::HookSession;
use super::super::outside::{Origin, Outside};
use super::Arguments;
use crate::chain::{Chain, Chains};
use crate::document::{Document, Node, NodeKind, Tape};
use crate::file_text::{self, Budget, Handling, Owner};
use crate::mcp::edits::Edits;
use crate::mcp::fields::{FRAME_DEPTH, member, quote, string};
use crate::policy::Surface;
use crate::tokens;
use anyhow::Result;
use std::sync::Arc;

/// Texts below this are identifiers, paths and states, which the agent may rely on.
const LEAST_BYTES: u32 = 200;

/// A call of an agent's tool.
pub(super) struct Call {
    /// The server of an MCP tool; `agent` for the agent's own.
    pub(super) server: String,
    pub(super) owner: Owner,
    /// The tool's own name.
    pub(super) tool: String,
    /// As the agent calls it, with the server's name.
    pub(super) full_name: String,
    /// A JSON object.
    pub(super) arguments: String,
    pub(super) session: Option<String>,
}

/// The filters for the output of one call.
pub(super) struct Filters {
    chains: Chains,
    call: Call,
    handling: Handling,
}

impl Filters {
    /// None: no chain is bound to the tool, or its output stays as it is.
    pub(super) fn load(arguments: &Arguments, call: Call) -> Result<Option<Filters>> {
        let mut policy = arguments.policy.read(None)?;
        let chain_for = |name: &str| policy.chain_for(Surface::Result, name);
        let Some(index) = chain_for(&call.full_name).or_else(|| chain_for(&call.tool)) else {
            return Ok(None);
        };
        let handling = file_text::handling(call.owner, &call.tool, &call.arguments);
        policy.keep_chains(|at, _| at == index);
        let chains = arguments.policy.load_chains(policy)?;
        let filters = Filters {
            chains,
            call,
            handling,
        };
        let chain = filters.chain();
        let hides = chain.as_ref().is_some_and(|chain| chain.hides());
        // What is to be hidden is to be hidden in files, too.
        let handling = if hides { Handling::Filter } else { handling };
        // A chain that cuts nothing says that nothing is to be cut.
        let changes = match handling {
            Handling::Leave => false,
            Handling::Exact => filters.chains.may_cut(),
            Handling::Filter => true,
        };
        Ok((chain.is_some() && changes).then_some(Filters {
            handling,
            ..filters
        }))
    }

    /// Whether the output is text of a file, or may be.
    pub(super) fn is_exact(&self) -> bool {
        self.handling == Handling::Exact
    }

    fn chain(&self) -> Option<Arc<Chain>> {
        let names = [&*self.call.full_name, &*self.call.tool];
        let find = |name| self.chains.find(Surface::Result, name);
        names.into_iter().find_map(find).cloned()
    }

    /// Runs something with the filters at hand, in the session of the call.
    pub(super) fn with<T>(&self, run: impl FnOnce(&Text<'_>) -> Result<T>) -> Result<Option<T>> {
        let Some(chain) = self.chain() else {
            return Ok(None);
        };
        let outside = Outside::new(&self.chains, Surface::Result);
        let session = self.call.session.as_deref();
        let session = session.filter(|_| !self.is_exact() && chain.uses_session());
        let session = session.and_then(HookSession::open);
        let outside = match &session {
            Some(session) => outside.with_session(session.values()),
            None => outside,
        };
        let done = run(&Text {
            filters: self,
            outside,
            chain,
        })?;
        if let Some(session) = session {
            session.close();
        }
        Ok(Some(done))
    }
}

/// Filters texts of one call's output.
pub(super) struct Text<'a> {
    filters: &'a Filters,
    outside: Outside<'a>,
    chain: Arc<Chain>,
}

impl Text<'_> {
    /// The new text; none if it stays as it is.
    pub(super) fn filter(&self, text: &str, budget: Budget) -> Option<String> {
        if self.filters.is_exact() {
            return self.outline(text, budget);
        }
        let call = &self.filters.call;
        let origin = Origin {
            server: &call.server,
            tool: &call.tool,
            arguments: &call.arguments,
        };
        self.outside.filter(&self.chain, &origin, text)
    }

    fn outline(&self, text: &str, budget: Budget) -> Option<String> {
        let outline = file_text::outline(text, budget)?;
        let call = self.outside.keep(text)?;
        let shown = outline.render(text, &call);
        tokens::are_fewer(&shown, text).then_some(shown)
    }

    /// The first lines of a large text of a file, and the call that reads all of it.
    pub(super) fn head<'t>(&self, text: &'t str) -> Option<(file_text::Head<'t>, String)> {
        let head = file_text::head(text, Budget::USUAL)?;
        Some((head, self.outside.keep(text)?))
    }

    /// A JSON value with every longer string in it filtered; none if it stays as it is.
    pub(super) fn filter_strings(&self, value: &str) -> Result<Option<String>> {
        let value = parse(value)?;
        let Some(tape) = value.tape() else {
            return Ok(None);
        };
        let mut edits = Edits::default();
        for node in strings(&value, tape) {
            let text = string(&value, node);
            if let Some(new) = text.and_then(|text| self.filter(&text, Budget::USUAL)) {
                edits.replace(node, &quote(&new));
            }
        }
        Ok(edits.apply(&value)?)
    }
}

/// A JSON value of an event by itself.
pub(super) fn parse(value: &str) -> Result<Document> {
    Document::json_with_depth(value, FRAME_DEPTH)
        .map_err(|error| anyhow::anyhow!("read the tool's output: {error}"))
}

/// The string values that are long enough to be worth it.
fn strings(value: &Document, tape: &Tape) -> Vec<Node> {
    let mut open = vec![tape.root()];
    let mut strings = Vec::new();
    while let Some(node) = open.pop() {
        match node.kind {
            NodeKind::String if node.end - node.start >= LEAST_BYTES => strings.push(node),
            NodeKind::Array => open.extend(tape.elements(node)),
            NodeKind::Object => open.extend(text_members(value, tape, node)),
            _ => {}
        }
    }
    strings
}

/// The members of an object that may hold text: pictures and sounds hold none.
fn text_members(value: &Document, tape: &Tape, object: Node) -> Vec<Node> {
    let is_image = member(value, object, "isImage").is_some_and(|node| node.kind == NodeKind::True);
    if is_image || member(value, object, "base64").is_some() {
        return Vec::new();
    }
    let media = ["mimeType", "mime_type", "media_type"];
    if media
        .iter()
        .any(|name| member(value, object, name).is_some())
    {
        return member(value, object, "text").into_iter().collect();
    }
    tape.members(object).map(|(_, value)| value).collect()
}
