//! Applies a policy's chains to the relay's frames.

mod lists;
mod redaction;

use super::clients::Client;
#[cfg(feature = "http")]
use super::counting::Counting;
use super::gate::Gate;
use super::lasting::Lasting;
use super::observe::failures::{Failures, Steps};
use super::observe::recording::Call;
use super::observe::traces::{ResultTrace, Trace};
use super::observe::{Account, Observer, Subject};
use super::rewrite::{Asked, LocalAnswer, LocalWork, Redacted, Rewrite, Room};
use super::sessions::Sessions;
#[cfg(feature = "http")]
use super::sessions::SharedSessions;
use super::shape::{self, CallContext, Filtered, Keep, OutputSchema};
use super::shown::ClientDisplay;
use super::tools::Facts;
use super::{read_tool, resource};
use crate::chain::{Chain, Chains};
use crate::json;
use crate::lock::lock;
use crate::policy::{
    Audience, ClientSpec, Fit, Piece, ReadTool, ResultFacts, Sees, SessionKey, Structured, Surface,
};
use crate::sandbox::{NotKept, SessionView, Storing};
use crate::store::Store;
use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

/// Answers the relay's questions from a policy's chains.
pub struct Rewriter {
    chains: Arc<Chains>,
    server: String,
    /// The store of originals; none: nothing is cut, and nothing can be read.
    store: Option<Store>,
    observer: Observer,
    read_tool: Arc<ReadTool>,
    /// Another server of the client lists the read tool, for the results of all servers.
    read_tool_is_elsewhere: bool,
    /// Stores a result.
    keep: Keep,
    /// The place of originals for a list of tools that contains the read tool.
    keep_in_list: Keep,
    /// The client's specification in this policy.
    client: Mutex<Option<Known>>,
    gate: Arc<Gate>,
    lasting: Arc<Lasting>,
    /// Another policy may replace this one.
    replaceable: bool,
}

/// The client, and its specification.
struct Known {
    client: Arc<Client>,
    spec: Option<Arc<ClientSpec>>,
}

/// Arguments up to this size are held without being counted.
const SMALL_ARGUMENTS_BYTES: usize = 16 << 10;

/// A request that a chain is bound to, or that is recorded, until its answer arrives.
pub struct Bound {
    /// The chains that the answer may have, by their indexes; none: it passes unchanged.
    chains: Vec<usize>,
    surface: Surface,
    /// Name of the tool or prompt, or the URI of the resource.
    name: String,
    /// A JSON object.
    arguments: String,
    /// The counted memory of the request, if its arguments are large.
    room: Option<Room>,
    /// Key of the session that asked.
    session: String,
    /// The session at the time of the first answer. A task's result may come more than once, and is the same
    /// each time.
    view: OnceLock<SessionView>,
    trace: Option<ResultTrace>,
    /// Whether its first answer is to be recorded.
    is_recorded: AtomicBool,
    /// Whether it is to be saved if a step fails: once, as that.
    may_be_saved: AtomicBool,
}

impl Rewriter {
    /// `server` is the upstream's name in filters and logs. Without a store nothing is cut.
    pub fn new(
        chains: impl Into<Arc<Chains>>,
        server: impl Into<String>,
        store: Option<Store>,
    ) -> Rewriter {
        Rewriter::over(Arc::default(), chains.into(), server.into(), store)
    }

    /// Another policy for the same connection, to replace this one. It has the same ledger and metrics, and an
    /// open gate.
    #[must_use]
    pub fn next(&self, chains: impl Into<Arc<Chains>>, store: Option<Store>) -> Rewriter {
        let lasting = Arc::clone(&self.lasting);
        let next = Rewriter {
            observer: self.observer.under_another_policy(),
            replaceable: self.replaceable,
            ..Rewriter::over(lasting, chains.into(), self.server.clone(), store)
        };
        let next = match self.read_tool_is_elsewhere {
            true => next.with_read_tool_elsewhere(),
            false => next,
        };
        if self.lasting.is_taken(&next.read_tool().name) {
            next.warn_of_taken_name();
        }
        next
    }

    fn over(
        lasting: Arc<Lasting>,
        chains: Arc<Chains>,
        server: String,
        store: Option<Store>,
    ) -> Rewriter {
        if chains.may_cut() && store.is_some() {
            lasting.note_read_tool(&chains.policy().read_tool.name);
        }
        // The model can read earlier cuts, even if no more content is cut.
        let store = store.filter(|_| lasting.has_read_tool());
        let read_tool = Arc::new(chains.policy().read_tool.clone());
        Rewriter {
            keep: keep(&store, &lasting, &read_tool, false),
            keep_in_list: keep(&store, &lasting, &read_tool, true),
            read_tool,
            read_tool_is_elsewhere: false,
            chains,
            server,
            store,
            observer: Observer::default(),
            client: Mutex::default(),
            gate: Arc::default(),
            lasting,
            replaceable: false,
        }
    }

    /// Sets that the read tool is in the list of another server of the same client.
    #[must_use]
    pub fn with_read_tool_elsewhere(self) -> Rewriter {
        let read_tool = Arc::new(ReadTool {
            listed: false,
            ..(*self.read_tool).clone()
        });
        Rewriter {
            keep: keep(&self.store, &self.lasting, &read_tool, false),
            keep_in_list: keep(&self.store, &self.lasting, &read_tool, true),
            read_tool,
            read_tool_is_elsewhere: true,
            ..self
        }
    }

    /// Sets the gate in front of the upstream's tools.
    #[must_use]
    pub fn with_gate(self, gate: impl Into<Arc<Gate>>) -> Rewriter {
        Rewriter {
            gate: gate.into(),
            ..self
        }
    }

    /// Sets the observer of every call.
    #[must_use]
    pub fn with_observer(self, observer: Observer) -> Rewriter {
        Rewriter { observer, ..self }
    }

    /// Sets that other policies may replace this one, so it notes the facts about the connection that they need.
    #[must_use]
    pub fn replaceable(self) -> Rewriter {
        Rewriter {
            replaceable: true,
            ..self
        }
    }

    /// Sets that other replicas serve the connection too.
    #[cfg(feature = "http")]
    pub fn share_sessions(&self, sessions: SharedSessions) {
        self.lasting.sessions.share(sessions);
    }

    /// Whether filters may look at a call's arguments before the upstream gets it.
    #[cfg(feature = "http")]
    pub fn filters_arguments(&self) -> bool {
        self.chains.get_arguments()
    }

    /// Whether a call is counted on another machine, which takes a while.
    #[cfg(feature = "http")]
    pub fn counts_elsewhere(&self) -> bool {
        self.chains.policy().session.calls.is_some() && self.lasting.sessions.are_shared()
    }

    /// The client, as it described itself.
    #[cfg(feature = "http")]
    pub fn client(&self) -> Option<Arc<Client>> {
        self.lasting.client()
    }

    /// Takes a client over that another replica greeted.
    #[cfg(feature = "http")]
    pub fn take_over(&self, client: Client) {
        self.lasting.note_client(client);
    }

    /// Whether the list of tools matters to this policy, and the client was shown none here.
    #[cfg(feature = "http")]
    pub fn misses_list(&self) -> bool {
        self.rewrites_tools_list() && self.lasting.tools.shown_read_tool().is_none()
    }

    /// The chains of the policy.
    pub fn chains(&self) -> &Chains {
        &self.chains
    }

    /// The observer of calls.
    pub fn observer(&self) -> &Observer {
        &self.observer
    }

    fn read_tool(&self) -> &ReadTool {
        &self.read_tool
    }

    /// The client's specification.
    fn client_spec(&self) -> Option<Arc<ClientSpec>> {
        let client = self.lasting.client()?;
        let mut known = lock(&self.client);
        if let Some(known) = known
            .as_ref()
            .filter(|found| Arc::ptr_eq(&found.client, &client))
        {
            return known.spec.clone();
        }
        let spec = client.spec(&self.chains.policy().clients).cloned();
        let spec = spec.map(Arc::new);
        if ClientDisplay::of(spec.as_deref()).computes() {
            tracing::info!(
                "programs of the client `{}` compute on results, so they pass unchanged; if its model reads them, change `sees` in a [[client]] table",
                client.name
            );
        }
        *known = Some(Known {
            client,
            spec: spec.clone(),
        });
        spec
    }

    /// How to treat `structuredContent` for a client that lists the tool now: as the chain says, else as suits
    /// tool and client.
    fn wanted_structured(&self, chain: &Chain, facts: Option<&Facts>) -> Structured {
        // A tool whose first answer came before any list has one form for good.
        let has_ui = facts.is_some_and(|facts| facts.has_ui && !facts.answered_as_text);
        structured_for(chain, self.client_spec().map(|spec| spec.sees), has_ui)
    }

    /// How to treat `structuredContent` in an answer.
    fn structured(&self, chain: &Chain, facts: Option<&Facts>) -> Structured {
        let wanted = self.wanted_structured(chain, facts);
        // A client that was shown the tool's schema, by a policy before this one, rejects results
        // that do not fit the schema until it lists the tools again.
        let is_promised = facts.is_some_and(Facts::is_shown_with_schema) && !chain.hides();
        if wanted == Structured::Text && is_promised {
            return Structured::Keep;
        }
        wanted
    }

    /// Whether blocks for the user alone are left out of the client's result.
    fn enforces_audience(&self, chain: &Chain) -> bool {
        match chain.audience {
            Some(audience) => audience == Audience::Enforce,
            None => self.client_spec().is_some_and(|spec| !spec.heeds_audience),
        }
    }

    /// The store, if the model can read it with the read tool under its present name.
    fn readable(&self) -> Option<&Store> {
        let store = self.store.as_ref()?;
        (!self.lasting.is_taken(&self.read_tool().name)).then_some(store)
    }

    /// Saves the call if a step failed.
    fn save_failures(&self, bound: &Bound, chain: &Chain, filtered: &Filtered, result: &[u8]) {
        if !self.observer.saves_failures()
            || !Failures::are_in(&filtered.documents)
            || !bound.may_be_saved.swap(false, Ordering::Relaxed)
        {
            return;
        }
        if let Some((spec, _)) = self.chains.named(&chain.name) {
            let policy = self.chains.policy();
            let steps = Steps {
                policy,
                spec,
                chain,
            };
            self.observer
                .failed(self.call(bound), &steps, filtered, result);
        }
    }

    /// The known facts about the output of a tool, prompt or resource before it exists.
    fn piece<'a>(
        &'a self,
        surface: Surface,
        name: &'a str,
        client: Option<&'a Client>,
    ) -> Piece<'a> {
        Piece {
            server: Some(&self.server),
            client: Some(client.map_or("", |client| &client.name)),
            ..Piece::new(surface, name)
        }
    }

    /// The chains that an answer may have.
    fn bound_to<'a>(&'a self, bound: &'a Bound) -> impl Iterator<Item = &'a Arc<Chain>> {
        bound
            .chains
            .iter()
            .filter_map(|index| self.chains.get(*index))
    }

    /// The chain of an answer. None: it passes. All but the result was known when the chains were noted.
    fn chain(&self, bound: &Bound, result: &[u8]) -> Option<&Arc<Chain>> {
        let specs = &self.chains.policy().chains;
        let first = *bound.chains.first()?;
        let index = match specs[first].binding.conditions.need_result() {
            false => first,
            true => {
                let piece = Piece {
                    arguments: Some(&bound.arguments),
                    result: Some(ResultFacts::of(result)),
                    ..Piece::new(bound.surface, &bound.name)
                };
                let gets = |index: &&usize| specs[**index].binding.fit(&piece) != Fit::No;
                *bound.chains.iter().find(gets)?
            }
        };
        self.chains.get(index).filter(|chain| chain.has_steps())
    }

    fn call<'a>(&'a self, bound: &'a Bound) -> Call<'a> {
        Call {
            server: &self.server,
            tool: &bound.name,
            arguments: &bound.arguments,
            session: &bound.session,
            client: self.lasting.client(),
            hides: self.bound_to(bound).any(|chain| chain.hides()),
        }
    }

    fn context<'a>(
        &'a self,
        chain: &Chain,
        surface: Surface,
        name: &'a str,
        arguments: &'a str,
        facts: Option<&'a Facts>,
        session: Option<&'a SessionView>,
    ) -> CallContext<'a> {
        let structured = self.structured(chain, facts);
        CallContext {
            server: &self.server,
            surface,
            name,
            arguments,
            session,
            structured,
            schema: match facts {
                Some(facts) if structured == Structured::Rewrite => facts.schema(),
                _ => OutputSchema::Unknown,
            },
            enforces_audience: self.enforces_audience(chain),
            view: ClientDisplay::of(self.client_spec().as_deref()),
            keep: Arc::clone(&self.keep),
        }
    }
}

impl Rewrite for Rewriter {
    type Bound = Bound;
    type Trace = Trace;

    fn bind(&self, asked: Asked<'_, Trace>) -> Option<Bound> {
        let Asked {
            method,
            params,
            origin,
        } = asked;
        let (surface, key) = match method {
            "tools/call" => (Surface::Result, "name"),
            "prompts/get" => (Surface::Prompt, "name"),
            "resources/read" => (Surface::Resource, "uri"),
            "initialize" | "server/discover" => (Surface::Instructions, ""),
            _ => return None,
        };
        let params = params.unwrap_or_default();
        let [name, arguments, info, meta] =
            json::members(params, [key, "arguments", "clientInfo", "_meta"]);
        let part = |span: json::Span| &params[span];
        if let Some(client) = Client::named_in(info.map(part), meta.map(part)) {
            self.lasting.note_client(client);
        }
        let name = name.and_then(|span| json::text(&params[span]));
        if name.is_none() && surface != Surface::Instructions {
            return None;
        }
        let name = name.unwrap_or_default();
        let arguments = arguments
            .and_then(|span| std::str::from_utf8(&params[span]).ok())
            .filter(|raw| raw.starts_with('{'))
            .unwrap_or("{}");
        let client = self.lasting.client();
        let piece = Piece {
            arguments: Some(arguments),
            ..self.piece(surface, &name, client.as_deref())
        };
        let mut chains: Vec<usize> = self.chains.policy().chains_for(&piece).collect();
        let has_steps = |index: &usize| {
            self.chains
                .get(*index)
                .is_some_and(|chain| chain.has_steps())
        };
        if !chains.iter().any(has_steps) {
            chains.clear();
        }
        if surface == Surface::Result && chains.is_empty() {
            self.observer.passed(&self.server, &name);
        }
        let is_recorded = self.observer.records() && surface == Surface::Result;
        if chains.is_empty() && !is_recorded {
            return None;
        }
        let arguments = arguments.to_owned();
        Some(Bound {
            chains,
            surface,
            name: name.into_owned(),
            room: origin
                .room
                .filter(|_| arguments.len() > SMALL_ARGUMENTS_BYTES)
                .cloned(),
            arguments,
            session: Sessions::key(&self.chains.policy().session, params, origin.header),
            view: OnceLock::new(),
            trace: origin.trace.map(Trace::of_result),
            is_recorded: AtomicBool::new(is_recorded),
            may_be_saved: AtomicBool::new(
                self.observer.saves_failures() && surface == Surface::Result,
            ),
        })
    }

    fn session_header(&self) -> Option<&str> {
        match &self.chains.policy().session.key {
            SessionKey::Header(name) => Some(name),
            _ => None,
        }
    }

    fn answer_locally(&self, asked: Asked<'_, Trace>) -> Option<LocalWork> {
        let Asked {
            method,
            params,
            origin,
        } = asked;
        let params = params?;
        match method {
            "tools/call" => {
                let [tool, arguments] = json::members(params, ["name", "arguments"]);
                let tool = json::text(&params[tool?])?;
                let own = self.store.as_ref();
                let Some(store) = own.filter(|_| self.lasting.is_read_tool(&tool)) else {
                    let refusal = self.gate.closed(&self.lasting.tools);
                    let refusal = refusal.or_else(|| self.gate.refusal(&tool));
                    let refusal = refusal.or_else(|| {
                        self.refuse_arguments(&tool, arguments.map(|span| &params[span]))
                    });
                    let session = &self.chains.policy().session;
                    let refusal = refusal.as_deref().or_else(|| {
                        self.lasting.sessions.refuse(
                            session,
                            params,
                            origin.header,
                            #[cfg(feature = "http")]
                            origin.counting,
                        )
                    })?;
                    #[cfg(feature = "http")]
                    if origin.counting.is_some_and(Counting::is_open) {
                        // Nobody gets it: the request comes again, with its count.
                        return Some(Box::new(|| LocalAnswer::Result(Vec::new())));
                    }
                    let result = read_tool::refusal(refusal);
                    self.observer.refused(&self.server, &tool);
                    return Some(Box::new(|| LocalAnswer::Result(result)));
                };
                let arguments = arguments.map_or(&b"{}"[..], |span| &params[span]).to_vec();
                let (store, mut settings) = (store.clone(), self.read_tool().clone());
                settings.name = tool.into_owned();
                self.observer.asked_to_read(&self.server, &settings.name);
                let (observer, server) = (self.observer.clone(), self.server.clone());
                let view = ClientDisplay::of(self.client_spec().as_deref());
                Some(Box::new(move || {
                    let begun = Instant::now();
                    let answer = read_tool::answer(&settings, &store, &arguments);
                    observer.read_back(&server, &answer, view, begun.elapsed());
                    LocalAnswer::Result(answer.result)
                }))
            }
            "resources/read" => {
                let [uri] = json::members(params, ["uri"]);
                let uri = json::text(&params[uri?]).filter(|uri| resource::is_own(uri))?;
                let store = self.readable()?;
                let (store, uri) = (store.clone(), uri.into_owned());
                Some(Box::new(move || resource::answer(&store, &uri)))
            }
            _ => None,
        }
    }

    fn passes(&self, bound: &Bound, result: &[u8]) -> bool {
        // The result of a task may come again.
        if self.observer.records() && bound.is_recorded.swap(false, Ordering::Relaxed) {
            self.observer.arrived(self.call(bound), result);
        }
        let passes = self.chain(bound, result).is_none();
        if passes && !bound.chains.is_empty() && bound.surface == Surface::Result {
            self.observer.passed(&self.server, &bound.name);
        }
        passes
    }

    fn result(&self, bound: &Bound, result: &[u8]) -> Option<Vec<u8>> {
        let chain = self.chain(bound, result)?;
        let begun = Instant::now();
        let facts = match bound.surface {
            Surface::Result => self.lasting.tools.called(&bound.name),
            _ => None,
        };
        let now = || self.lasting.sessions.values(&bound.session).view();
        let session = match bound.view.get() {
            Some(first) => first.apart(),
            None => bound.view.get_or_init(now).clone(),
        };
        let call = self.context(
            chain,
            bound.surface,
            &bound.name,
            &bound.arguments,
            facts.as_deref(),
            Some(&session),
        );
        let filtered = shape::filter_result(chain, &call, result);
        let time = begun.elapsed();
        self.save_failures(bound, chain, &filtered, result);
        let tool = match bound.surface {
            Surface::Result => Cow::Borrowed(&*bound.name),
            // The URI of a resource may contain values like those of arguments.
            Surface::Prompt => Cow::Owned(format!("(prompt) {}", bound.name)),
            surface => Cow::Owned(format!("({})", surface.name())),
        };
        let subject = Subject {
            server: &self.server,
            tool: &tool,
            chain: &chain.name,
            client: self.lasting.client(),
            result: (bound.surface == Surface::Result).then_some((result, call.view)),
        };
        let account = Account::new(subject, &filtered, time);
        self.observer.filtered(account, bound.trace.as_ref());
        filtered.result.map(String::into_bytes)
    }

    fn tools_list(&self, result: &[u8]) -> Option<Vec<u8>> {
        let new = self.list_tools(result);
        let tools = self.client_spec().map(|spec| spec.tools);
        let tools = tools.unwrap_or_default();
        self.observer
            .listed(&self.server, result, new.as_deref(), tools);
        new
    }

    fn hides(&self) -> bool {
        self.chains.hides()
    }

    fn is_strict(&self) -> bool {
        self.chains.hides() || !self.gate.is_open()
    }

    fn rewrites_tools_list(&self) -> bool {
        // The read tool stays for cuts by a policy before this one.
        !self.chains.is_empty() || !self.gate.is_open() || self.store.is_some()
    }

    fn tools_list_passes(&self, result: &[u8]) {
        if self.replaceable {
            // Nothing in it changes, but the next policy must know the list that was shown.
            self.list_tools(result);
        }
    }

    fn announces_list_changes(&self) -> bool {
        // Where no policy is in force, nobody can tell that Tamis is there.
        self.replaceable && self.rewrites_tools_list()
    }

    fn changes_tools_list(&self) -> bool {
        self.lists_other_tools_than_shown()
    }

    fn redacts_messages(&self) -> bool {
        self.chains.redacts_messages(&self.server)
    }

    fn redact(&self, message: &[u8]) -> Redacted {
        self.redacted(message)
    }

    fn wait_for_filters(&self, method: &str) -> Option<Duration> {
        super::loading::wait(&self.chains, method)
    }

    fn cancelled(&self, bound: &mut Bound) -> bool {
        // The model sees no answer, so a replay would have nothing.
        *bound.is_recorded.get_mut() = false;
        // An answer may still come, and a chain that hides things may look at the arguments.
        if !self.bound_to(bound).any(|chain| chain.hides()) {
            bound.arguments = "{}".to_owned();
            bound.room = None;
        }
        bound.arguments.len() <= SMALL_ARGUMENTS_BYTES
    }
}

/// How to treat `structuredContent`: as the chain says, else as suits the tool. `has_ui`: a user interface is
/// bound to the tool. One fact about the client counts: whether programs compute on results. For a program, no
/// text replaces a value. The other facts about a client's model may be wrong or outdated.
pub fn structured_for(chain: &Chain, sees: Option<Sees>, has_ui: bool) -> Structured {
    // A redacting chain must not depend on the server's or client's own claims.
    if chain.hides() {
        return chain.structured.unwrap_or(Structured::Text);
    }
    match chain.structured {
        Some(Structured::Text) if sees == Some(Sees::Value) => Structured::Keep,
        Some(structured) => structured,
        None if has_ui || sees == Some(Sees::Value) => Structured::Keep,
        None => Structured::Text,
    }
}

/// The place for a bound request's original: none, if the model could not read it there. `in_list`: the client
/// gets a list with the read tool together with the cut content.
fn keep(
    store: &Option<Store>,
    lasting: &Arc<Lasting>,
    settings: &Arc<ReadTool>,
    in_list: bool,
) -> Keep {
    let (store, lasting, settings) = (store.clone(), Arc::clone(lasting), Arc::clone(settings));
    Arc::new(move |result, prefix, storing| {
        let readable = store.as_ref();
        let Some(store) = readable.filter(|_| !lasting.is_taken(&settings.name)) else {
            let why = "no store exists that the model could read from";
            return Err(NotKept::Failed(why.to_owned()));
        };
        // The list is older than this tool: the client must list again first.
        let has_to_be_shown = settings.listed && !in_list;
        let shown = lasting.tools.shown_read_tool().filter(|_| has_to_be_shown);
        if shown.is_some_and(|shown| shown.as_ref() != Some(&settings.name)) {
            return Err(NotKept::NotWorthIt);
        }
        let kept = read_tool::keep_in(store, result, prefix, storing, |reference, path| {
            read_tool::names(&settings, reference, path)
        });
        if kept.is_ok() && storing != Storing::Not {
            lasting.give_out(&settings.name);
        }
        kept
    })
}
