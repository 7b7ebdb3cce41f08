//! What a policy's chains mean for the relay's frames.

use super::clients::Client;
use super::frame;
use super::gate::Gate;
use super::listing::{self, Change, ListedTool};
use super::receipts::{Receipts, Subject};
use super::relay::{Own, OwnAnswer, Rewrite};
use super::sessions::Sessions;
use super::shape::{self, CallContext, FilteredDocument, Keep, OutputSchema};
use super::tools::{Facts, Tools};
use super::{read_tool, resource};
use crate::chain::{Chain, Chains};
use crate::policy::{Audience, ClientSpec, ReadTool, Sees, Structured, Surface};
use crate::sandbox::SessionView;
use crate::store::Store;
use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

/// Answers the relay's questions from a policy's chains.
pub struct Rewriter {
    chains: Chains,
    server: String,
    /// Where originals are kept; none: nothing is cut.
    store: Option<Store>,
    receipts: Option<Arc<Receipts>>,
    /// Keeps a result in it.
    keep: Keep,
    /// The upstream has a tool of the read tool's name.
    name_is_taken: Arc<AtomicBool>,
    client: Mutex<Option<Known>>,
    gate: Gate,
    sessions: Sessions,
    tools: Tools,
}

/// The client, and what is known of it.
struct Known {
    client: Client,
    spec: Option<ClientSpec>,
}

/// A request that a chain is bound to, until its answer is there.
pub struct Bound {
    chain: Arc<Chain>,
    surface: Surface,
    /// Of the tool or prompt, or the URI of the resource.
    name: String,
    /// A JSON object.
    arguments: String,
    /// Key of the session that asked.
    session: String,
    /// The session as it was when the first answer came: a task's result may come more than once, and is
    /// the same each time.
    view: OnceLock<SessionView>,
}

impl Rewriter {
    /// `server` is what filters and logs call the upstream. Without a store nothing is cut.
    pub fn new(chains: Chains, server: impl Into<String>, store: Option<Store>) -> Rewriter {
        let session = chains.policy().session.clone();
        let store = store.filter(|_| chains.may_cut());
        let name_is_taken = Arc::<AtomicBool>::default();
        Rewriter {
            keep: keep(
                store.clone(),
                Arc::clone(&name_is_taken),
                chains.policy().read_tool.clone(),
            ),
            name_is_taken,
            gate: Gate::default(),
            sessions: Sessions::new(session),
            chains,
            server: server.into(),
            store,
            receipts: None,
            client: Mutex::default(),
            tools: Tools::default(),
        }
    }

    /// With this gate in front of the upstream's tools.
    pub fn with_gate(self, gate: Gate) -> Rewriter {
        Rewriter { gate, ..self }
    }

    /// With every filtered result noted in a ledger.
    pub fn with_receipts(self, receipts: Receipts) -> Rewriter {
        Rewriter {
            receipts: Some(Arc::new(receipts)),
            ..self
        }
    }

    fn read_tool(&self) -> &ReadTool {
        &self.chains.policy().read_tool
    }

    /// What is known of the client.
    fn client_spec<T>(&self, look: impl FnOnce(&ClientSpec) -> T) -> Option<T> {
        lock(&self.client).as_ref()?.spec.as_ref().map(look)
    }

    fn note_client(&self, client: Option<Client>) {
        let Some(client) = client else {
            return;
        };
        let mut known = lock(&self.client);
        if known.as_ref().is_none_or(|known| known.client != client) {
            let spec = client.spec(&self.chains.policy().clients).cloned();
            *known = Some(Known { client, spec });
        }
    }

    /// What becomes of `structuredContent`: what the chain says, else what suits tool and client.
    fn structured(&self, chain: &Chain, facts: Option<&Facts>) -> Structured {
        // A tool whose first answer came before any list has one form for good.
        let has_ui = facts.is_some_and(|facts| facts.has_ui && !facts.answered_as_text);
        structured_for(chain, self.client_spec(|spec| spec.sees), has_ui)
    }

    /// Whether blocks for the user alone are left out of what the client gets.
    fn enforces_audience(&self, chain: &Chain) -> bool {
        match chain.audience {
            Some(audience) => audience == Audience::Enforce,
            None => self.client_spec(|spec| !spec.heeds_audience) == Some(true),
        }
    }

    /// The store, if a chain can cut anything that a model may want back.
    fn readable(&self) -> Option<&Store> {
        let store = self.store.as_ref()?;
        (!self.name_is_taken.load(Ordering::Relaxed)).then_some(store)
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
        CallContext {
            server: &self.server,
            surface: surface.into(),
            name,
            arguments,
            session,
            structured: self.structured(chain, facts),
            schema: facts.map_or(OutputSchema::Unknown, Facts::schema),
            enforces_audience: self.enforces_audience(chain),
            keep: Arc::clone(&self.keep),
        }
    }

    /// Notes what a listed tool is, and says how it is listed.
    fn list(&self, tool: ListedTool<'_>) -> Change {
        if tool.name == self.read_tool().name && !self.name_is_taken.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                "the server has a tool `{}` of its own, so Tamis does not add one, and cuts nothing: give the read tool another name in [read-tool]",
                tool.name
            );
        }
        if self.gate.refusal(tool.name).is_some() {
            return Change {
                hidden: true,
                ..Change::default()
            };
        }
        let chain = self.chains.find(Surface::Result, tool.name);
        let rewrites = chain.is_some_and(|chain| chain.structured == Some(Structured::Rewrite));
        let facts = self.tools.listed(&tool, rewrites);
        let is_text_alone = |chain| self.structured(chain, Some(&facts)) == Structured::Text;
        Change {
            hidden: false,
            without_output_schema: chain.is_some_and(|chain| is_text_alone(chain)),
            description: self.description(tool, chain),
        }
    }

    /// Another description for a tool: filtered, and with what a model has to know to read what its
    /// chain writes.
    fn description(&self, tool: ListedTool<'_>, chain: Option<&Arc<Chain>>) -> Option<String> {
        let mut description: Option<Cow<'_, str>> = None;
        if let Some(said) = tool.description
            && let Some(own) = self.chains.find(Surface::Description, tool.name)
        {
            // A list is the same for all sessions, and each time.
            let context = self.context(own, Surface::Description, tool.name, "{}", None, None);
            description = shape::filter_text(own, &context, said).map(Cow::Owned);
        }
        for legend in chain.iter().flat_map(|chain| chain.legends()) {
            let said = description
                .take()
                .or(tool.description.map(Cow::Borrowed))
                .unwrap_or_default();
            description = Some(if said.contains(legend) {
                said
            } else if said.is_empty() {
                Cow::Owned(legend.to_owned())
            } else {
                Cow::Owned(format!("{said}\n\n{legend}"))
            });
        }
        description
            .map(Cow::into_owned)
            .filter(|new| Some(new.as_str()) != tool.description)
    }
}

impl Rewrite for Rewriter {
    type Bound = Bound;

    fn bind(&self, method: &str, params: Option<&[u8]>) -> Option<Bound> {
        let (surface, key) = match method {
            "tools/call" => (Surface::Result, "name"),
            "prompts/get" => (Surface::Prompt, "name"),
            "resources/read" => (Surface::Resource, "uri"),
            "initialize" | "server/discover" => (Surface::Instructions, ""),
            _ => return None,
        };
        let params = params.unwrap_or_default();
        let [name, arguments, info, meta] =
            frame::members(params, [key, "arguments", "clientInfo", "_meta"]);
        let part = |span: frame::Span| &params[span];
        self.note_client(Client::named_in(info.map(part), meta.map(part)));
        let name = name.and_then(|span| frame::text(&params[span]));
        if name.is_none() && surface != Surface::Instructions {
            return None;
        }
        let name = name.unwrap_or_default();
        let chain = self.chains.find(surface, &name)?;
        let arguments = arguments
            .and_then(|span| std::str::from_utf8(&params[span]).ok())
            .filter(|raw| raw.starts_with('{'))
            .unwrap_or("{}");
        Some(Bound {
            chain: chain.clone(),
            surface,
            name: name.into_owned(),
            arguments: arguments.to_owned(),
            session: self.sessions.key(params),
            view: OnceLock::new(),
        })
    }

    fn own(&self, method: &str, params: Option<&[u8]>) -> Option<OwnAnswer> {
        let params = params?;
        match method {
            "tools/call" => {
                let [tool, arguments] = frame::members(params, ["name", "arguments"]);
                let tool = frame::text(&params[tool?])?;
                let Some(store) = self.readable().filter(|_| tool == self.read_tool().name) else {
                    let refusal = self.gate.refusal(&tool);
                    let refusal = refusal
                        .as_deref()
                        .or_else(|| self.sessions.refuse(params))?;
                    let result = read_tool::refusal(refusal);
                    return Some(Box::new(|| Own::Result(result)));
                };
                let arguments = arguments.map_or(&b"{}"[..], |span| &params[span]).to_vec();
                let (store, settings) = (store.clone(), self.read_tool().clone());
                let (receipts, server) = (self.receipts.clone(), self.server.clone());
                Some(Box::new(move || {
                    let answer = read_tool::answer(&settings, &store, &arguments);
                    if let Some(receipts) = receipts {
                        receipts.read(&server, &answer);
                    }
                    Own::Result(answer.result)
                }))
            }
            "resources/read" => {
                let [uri] = frame::members(params, ["uri"]);
                let uri = frame::text(&params[uri?]).filter(|uri| resource::is_own(uri))?;
                let store = self.readable()?;
                let (store, uri) = (store.clone(), uri.into_owned());
                Some(Box::new(move || resource::answer(&store, &uri)))
            }
            _ => None,
        }
    }

    fn result(&self, bound: &Bound, result: &[u8]) -> Option<Vec<u8>> {
        let begun = Instant::now();
        let facts = match bound.surface {
            Surface::Result => self.tools.called(&bound.name),
            _ => None,
        };
        let now = || self.sessions.values(&bound.session).view();
        let session = match bound.view.get() {
            Some(first) => first.apart(),
            None => bound.view.get_or_init(now).clone(),
        };
        let call = self.context(
            &bound.chain,
            bound.surface,
            &bound.name,
            &bound.arguments,
            facts.as_ref(),
            Some(&session),
        );
        let filtered = shape::filter_result(&bound.chain, &call, result);
        if let Some(receipts) = &self.receipts {
            let subject = Subject {
                server: &self.server,
                tool: match bound.surface {
                    Surface::Result => bound.name.clone(),
                    // The URI of a resource may hold what an argument would.
                    Surface::Prompt => format!("(prompt) {}", bound.name),
                    surface => format!("({})", surface.name()),
                },
                chain: &bound.chain.name,
                client: lock(&self.client)
                    .as_ref()
                    .map(|known| known.client.clone()),
            };
            receipts.filtered(subject, &filtered, begun.elapsed());
        }
        let emitted = filtered.result.map(String::into_bytes);
        let bytes_after = emitted.as_ref().map_or(result.len(), Vec::len);
        tracing::info!(
            on = bound.surface.name(),
            name = if bound.surface == Surface::Resource {
                ""
            } else {
                &bound.name
            },
            chain = bound.chain.name,
            bytes_before = result.len(),
            bytes_after,
            steps = outcomes(&filtered.documents),
            "filtered"
        );
        emitted
    }

    fn tools_list(&self, result: &[u8]) -> Option<Vec<u8>> {
        let own_tool = || {
            let listed = self.readable().is_some() && self.read_tool().listed;
            listed.then(|| read_tool::definition(self.read_tool()))
        };
        listing::filter_tools_list(result, |tool| self.list(tool), own_tool).map(String::into_bytes)
    }

    fn hides(&self) -> bool {
        self.chains.hides()
    }

    fn rewrites_tools_list(&self) -> bool {
        !self.chains.is_empty() || !self.gate.is_open()
    }

    fn cancelled(&self, bound: &mut Bound) {
        // An answer may still come, and a chain that hides things may look at the arguments.
        if !bound.chain.hides() {
            bound.arguments = "{}".to_owned();
        }
    }
}

/// What becomes of `structuredContent`: what the chain says, else what suits the client and the tool. `has_ui`:
/// a user interface is bound to it.
pub fn structured_for(chain: &Chain, sees: Option<Sees>, has_ui: bool) -> Structured {
    chain.structured.unwrap_or_else(|| {
        // What a chain hides must not depend on what the server or client says of itself.
        if chain.hides() {
            return Structured::Text;
        }
        if has_ui || sees == Some(Sees::Content) {
            Structured::Keep
        } else {
            Structured::Text
        }
    })
}

/// Where a bound request's result is kept: nowhere, if the model could not read it there.
fn keep(store: Option<Store>, name_is_taken: Arc<AtomicBool>, settings: ReadTool) -> Keep {
    Arc::new(move |result, prefix, storing| {
        let readable = store.as_ref();
        let Some(store) = readable.filter(|_| !name_is_taken.load(Ordering::Relaxed)) else {
            return Err("there is no store that the model could read from".to_owned());
        };
        read_tool::keep_in(store, result, prefix, storing, |reference, path| {
            read_tool::names(&settings, reference, path)
        })
    })
}

/// Nothing that is guarded here is ever half changed.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One word a step and document, for the log.
fn outcomes(documents: &[FilteredDocument]) -> String {
    let receipts = documents.iter().flat_map(|document| &document.receipts);
    let words: Vec<String> = receipts
        .map(|receipt| format!("{}={}", receipt.filter, receipt.outcome.name()))
        .collect();
    words.join(" ")
}
