//! Filters the output of an agent's tool: by the chain of the tool, or, for text of files, as whole lines of
//! it.

use super::super::outside::{Origin, Outside};
use super::Arguments;
use crate::chain::{Chain, Chains};
use crate::cli::output::tell;
use crate::document::{Document, Node, NodeKind, Tape};
use crate::file_text::{self, Budget, Handling, Owner};
use crate::json::edits::Edits;
use crate::json::tree::{FRAME_DEPTH, member, quote, string};
use crate::policy::{ChainSpec, Fit, Piece, Policy, ResultFacts, Surface};
use crate::state::{HookSession, State};
use crate::tokens;
use crate::trust::Lapsed;
use anyhow::Result;
use std::borrow::Cow;
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
    /// The agent's name for the tool, with the server's name.
    pub(super) full_name: String,
    /// A JSON object.
    pub(super) arguments: String,
    pub(super) session: Option<String>,
}

impl Call {
    /// A text of the output of a tool by one of its names.
    fn piece<'a>(&'a self, name: &'a str, text: Option<&str>) -> Piece<'a> {
        Piece {
            server: Some(&self.server),
            arguments: Some(&self.arguments),
            client: Some(""),
            result: text.map(ResultFacts::of_text),
            ..Piece::new(Surface::Result, name)
        }
    }
}

/// The filters for the output of one call.
pub(super) struct Filters {
    chains: Loaded,
    call: Call,
    handling: Handling,
}

/// The text for the model if the policy cannot be used: it may redact.
const UNUSABLE: &str = "[tamis] Withheld: Tamis cannot use the policy for this output, so it passes nothing. Only the user can fix this: `tamis check` in a terminal shows the mistake.";

/// The chains of the output, or their replacement.
enum Loaded {
    Chains(Box<Chains>),
    /// Nothing: no policy may be used, and this is shown in the place of every text.
    Closed(&'static str),
}

impl Filters {
    /// The filters of a call's output. None: no chain is bound to the tool, or its output stays unchanged.
    pub(super) fn load(
        arguments: &Arguments,
        policy: Result<Policy>,
        call: Call,
    ) -> Result<Option<Filters>> {
        let mut policy = match policy {
            Ok(policy) => policy,
            // The chains are unknown, so each of them may be this tool's.
            Err(error) => {
                let why = match error.is::<Lapsed>() {
                    true => Lapsed::TO_MODEL,
                    false => UNUSABLE,
                };
                return Ok(Some(Filters::closed(call, why, &error)));
            }
        };
        let may_get = |name| {
            policy
                .chains_for(&call.piece(name, None))
                .collect::<Vec<_>>()
        };
        let mut kept = may_get(&call.full_name);
        kept.extend(may_get(&call.tool));
        let on_message = Piece::of_message(&call.server);
        let redacts = |chain: &ChainSpec| chain.binding.fit(&on_message) != Fit::No;
        if kept.is_empty() && !policy.chains.iter().any(redacts) {
            return Ok(None);
        }
        let handling = file_text::handling(call.owner, &call.tool, &call.arguments);
        policy.keep_chains(|at, chain| kept.contains(&at) || redacts(chain));
        let hides = policy.chains.iter().any(ChainSpec::redacts);
        let chains = match arguments.policy.load_chains(policy) {
            Err(error) if hides => return Ok(Some(Filters::closed(call, UNUSABLE, &error))),
            chains => chains?,
        };
        let may_cut = chains.may_cut();
        let filters = Filters {
            chains: Loaded::Chains(Box::new(chains)),
            call,
            handling,
        };
        let mut chains = filters.chains();
        let hides = chains.iter().any(|chain| chain.hides());
        // Redacted content must be redacted in files, too.
        let handling = if hides { Handling::Filter } else { handling };
        // A chain that cuts nothing says that nothing is to be cut.
        let changes = match handling {
            Handling::Leave => false,
            Handling::Exact => may_cut,
            Handling::Filter => true,
        };
        chains.retain(|chain| chain.has_steps());
        let changes = !chains.is_empty() && changes;
        Ok((changes || filters.redacts()).then_some(Filters {
            handling,
            ..filters
        }))
    }

    /// Nothing is passed on, and `why` is shown in its place.
    fn closed(call: Call, why: &'static str, error: &anyhow::Error) -> Filters {
        tell(format_args!("tamis: {error:#}"));
        Filters {
            chains: Loaded::Closed(why),
            call,
            handling: Handling::Filter,
        }
    }

    /// Whether the output is text of a file, or may be.
    pub(super) fn is_exact(&self) -> bool {
        self.handling == Handling::Exact
    }

    /// Whether nothing is passed on.
    pub(super) fn is_closed(&self) -> bool {
        matches!(self.chains, Loaded::Closed(_))
    }

    /// Whether chains get every text, of any tool.
    fn redacts(&self) -> bool {
        matches!(&self.chains, Loaded::Chains(chains) if chains.redacts_messages(&self.call.server))
    }

    /// Whether something of the output is to be hidden.
    fn hides(&self) -> bool {
        self.redacts() || self.chains().iter().any(|chain| chain.hides())
    }

    /// The chains that a text of the output may have.
    fn chains(&self) -> Vec<Arc<Chain>> {
        let Loaded::Chains(chains) = &self.chains else {
            return Vec::new();
        };
        let policy = chains.policy();
        let names = [&*self.call.full_name, &*self.call.tool];
        let of = |name| policy.chains_for(&self.call.piece(name, None)).collect();
        let found: [Vec<usize>; 2] = names.map(of);
        let mut found = found.concat();
        found.sort_unstable();
        found.dedup();
        let found = found.into_iter().filter_map(|index| chains.get(index));
        found.cloned().collect()
    }

    /// The chain of a text of the output.
    fn chain(&self, text: &str) -> Option<Arc<Chain>> {
        let Loaded::Chains(chains) = &self.chains else {
            return None;
        };
        let names = [&*self.call.full_name, &*self.call.tool];
        // The first chain that gets the output by one of the names, whichever.
        let of = |name| {
            chains
                .policy()
                .chain_for(&self.call.piece(name, Some(text)))
        };
        let index = names.into_iter().filter_map(of).min()?;
        chains.get(index).filter(|chain| chain.has_steps()).cloned()
    }

    /// Runs something with the filters at hand, in the session of the call.
    pub(super) fn with<T>(&self, run: impl FnOnce(&Text<'_>) -> Result<T>) -> Result<Option<T>> {
        let chains = match &self.chains {
            Loaded::Chains(chains) => chains,
            Loaded::Closed(why) => return run(&Text::Closed(why)).map(Some),
        };
        let bound = self.chains();
        if bound.is_empty() && !self.redacts() {
            return Ok(None);
        }
        let uses_session = self.redacts() || bound.iter().any(|chain| chain.uses_session());
        let outside = Outside::new(chains, Surface::Result);
        let session = self.call.session.as_deref();
        let session = session.filter(|_| uses_session && (!self.is_exact() || self.redacts()));
        let session = session.and_then(session_of);
        let outside = match &session {
            Some(session) => outside.with_session(session.values()),
            None => outside,
        };
        let done = run(&Text::Filtered(Box::new(Filtered {
            filters: self,
            outside,
        })))?;
        if let Some(session) = session {
            session.close();
        }
        Ok(Some(done))
    }
}

/// The filters' values in an agent's session. None if it cannot be stored, which is logged.
fn session_of(id: &str) -> Option<HookSession> {
    let session = State::find().and_then(|state| state.hook_session(id));
    session
        .inspect_err(|error| tracing::warn!("filters go without a session: {error}"))
        .ok()
}

/// Filters texts of one call's output.
pub(super) enum Text<'a> {
    Filtered(Box<Filtered<'a>>),
    /// Each becomes this.
    Closed(&'static str),
}

pub(super) struct Filtered<'a> {
    filters: &'a Filters,
    outside: Outside<'a>,
}

impl Filtered<'_> {
    fn origin(&self) -> Origin<'_> {
        let call = &self.filters.call;
        Origin {
            server: &call.server,
            tool: &call.tool,
            arguments: &call.arguments,
        }
    }

    fn filter(&self, text: &str, budget: Budget) -> Option<String> {
        let redacted = self.redact(text);
        let filtered = self.filter_redacted(&redacted, budget);
        filtered.or_else(|| (*redacted != *text).then(|| redacted.into_owned()))
    }

    /// The redacted text, if that differs.
    fn redacted(&self, text: &str) -> Option<String> {
        let redacted = self.redact(text);
        (*redacted != *text).then(|| redacted.into_owned())
    }

    fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let redacted = self.outside.redact(&self.origin(), text);
        redacted.unwrap_or(Cow::Borrowed(UNUSABLE))
    }

    fn filter_redacted(&self, text: &str, budget: Budget) -> Option<String> {
        let chain = self.filters.chain(text)?;
        match self.filters.handling {
            Handling::Leave => None,
            Handling::Exact => self.outline(text, budget),
            Handling::Filter => self.outside.filter(&chain, &self.origin(), text),
        }
    }

    fn outline(&self, text: &str, budget: Budget) -> Option<String> {
        let outline = file_text::outline(text, budget)?;
        let call = self.outside.keep(text)?;
        let shown = outline.render(text, &call);
        tokens::are_fewer(&shown, text).then_some(shown)
    }
}

impl Text<'_> {
    /// The new text; none if it stays unchanged.
    pub(super) fn filter(&self, text: &str, budget: Budget) -> Option<String> {
        match self {
            Text::Filtered(filtered) => filtered.filter(text, budget),
            Text::Closed(why) => Some((*why).to_owned()),
        }
    }

    /// The redacted text of a file.
    pub(super) fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match self {
            Text::Filtered(filtered) => filtered.redact(text),
            Text::Closed(why) => Cow::Borrowed(why),
        }
    }

    /// The first lines of a large text of a file, and the call that reads all of it.
    pub(super) fn head<'t>(&self, text: &'t str) -> Option<(file_text::Head<'t>, String)> {
        let Text::Filtered(filtered) = self else {
            return None;
        };
        filtered.filters.chain(text)?;
        let head = file_text::head(text, Budget::USUAL)?;
        Some((head, filtered.outside.keep(text)?))
    }

    /// A JSON value with every longer string in it filtered; none if it stays unchanged.
    pub(super) fn filter_strings(&self, value: &str) -> Result<Option<String>> {
        let value = parse(value)?;
        let Some(tape) = value.tape() else {
            return Ok(None);
        };
        let mut edits = Edits::default();
        let redacts = matches!(self, Text::Filtered(filtered) if filtered.filters.hides());
        let whole = |nodes: Vec<Node>| nodes.into_iter().map(|node| (node, false)).collect();
        let nodes: Vec<(Node, bool)> = match self {
            _ if redacts => every_string(&value, tape),
            Text::Filtered(_) => whole(strings(&value, tape)),
            Text::Closed(_) => whole(all_strings(&value, tape)),
        };
        for (node, is_media) in nodes {
            let new = match (string(&value, node), self) {
                // No chain may make another text of a picture.
                (Some(text), Text::Filtered(filtered)) if is_media => filtered.redacted(&text),
                (Some(text), _) => self.filter(&text, Budget::USUAL),
                // It has half a character in it, so no filter can be given it.
                (None, Text::Closed(why)) => Some((*why).to_owned()),
                (None, Text::Filtered(_)) => redacts.then(|| UNUSABLE.to_owned()),
            };
            if let Some(new) = new {
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

/// Every string value, and whether it is data of a picture or sound.
fn every_string(value: &Document, tape: &Tape) -> Vec<(Node, bool)> {
    let mut open = vec![(tape.root(), false)];
    let mut strings = Vec::new();
    while let Some((node, is_media)) = open.pop() {
        match node.kind {
            NodeKind::String => strings.push((node, is_media)),
            NodeKind::Array => open.extend(tape.elements(node).map(|element| (element, is_media))),
            NodeKind::Object => {
                let has = |name: &&str| member(value, node, name).is_some();
                let holds_media = MEDIA.iter().any(has);
                for (key, inner) in tape.members(node) {
                    let key = string(value, key).unwrap_or_default();
                    let is_data = holds_media && matches!(&*key, "data" | "blob");
                    open.push((inner, key == "base64" || is_data));
                }
            }
            _ => {}
        }
    }
    strings
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

/// Members whose values name the form of the output. An agent needs them to read the rest.
const FORMS: [&str; 7] = [
    "encoding",
    "media_type",
    "mimeType",
    "mime_type",
    "role",
    "status",
    "type",
];
/// Most bytes of a value that says a form.
const FORM_BYTES: u32 = 40;

/// Every string value but those that say a form, and data of pictures.
fn all_strings(value: &Document, tape: &Tape) -> Vec<Node> {
    let mut open = vec![(tape.root(), false)];
    let mut strings = Vec::new();
    while let Some((node, may_be_form)) = open.pop() {
        match node.kind {
            NodeKind::String if may_be_form && is_form(value, node) => {}
            NodeKind::String => strings.push(node),
            NodeKind::Array => open.extend(tape.elements(node).map(|node| (node, false))),
            NodeKind::Object => {
                let is_image = is_image(value, node);
                let is_media = is_image || has_media(value, node);
                for (key, inner) in tape.members(node) {
                    let key = string(value, key).unwrap_or_default();
                    // A picture cannot be replaced by a text.
                    let is_data = matches!(&*key, "data" | "blob") || is_image && key == "stdout";
                    if key != "base64" && !(is_media && is_data) {
                        open.push((inner, FORMS.contains(&key.as_str())));
                    }
                }
            }
            _ => {}
        }
    }
    strings
}

/// Whether an object says that it holds a picture, sound or film.
fn has_media(value: &Document, object: Node) -> bool {
    let kinds = MEDIA.iter().filter_map(|name| member(value, object, name));
    let mut kinds = kinds.filter_map(|kind| string(value, kind));
    kinds.any(|kind| {
        ["image/", "audio/", "video/"]
            .iter()
            .any(|media| kind.starts_with(media))
    })
}

/// Whether a string is one word, as the names of forms are: `text`, `image/png`.
fn is_form(value: &Document, node: Node) -> bool {
    let is_plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'/' | b'-' | b'_' | b'+');
    node.end - node.start <= FORM_BYTES
        && string(value, node).is_some_and(|text| text.bytes().all(is_plain))
}

fn is_image(value: &Document, object: Node) -> bool {
    member(value, object, "isImage").is_some_and(|node| node.kind == NodeKind::True)
}

/// Members that name the kind of data in an object.
const MEDIA: [&str; 3] = ["mimeType", "mime_type", "media_type"];

/// The members of an object that may hold text: pictures and sounds hold none.
fn text_members(value: &Document, tape: &Tape, object: Node) -> Vec<Node> {
    if is_image(value, object) || member(value, object, "base64").is_some() {
        return Vec::new();
    }
    if MEDIA
        .iter()
        .any(|name| member(value, object, name).is_some())
    {
        return member(value, object, "text").into_iter().collect();
    }
    tape.members(object).map(|(_, value)| value).collect()
}
