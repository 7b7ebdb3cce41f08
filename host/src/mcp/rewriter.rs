//! What a policy's chains mean for the relay's frames.

use super::listing::{self, ListedTool};
use super::read_tool;
use super::relay::{OwnAnswer, Rewrite};
use super::shape::{self, CallContext, FilteredDocument};
use crate::chain::{Chain, Chains};
use crate::policy::Structured;
use crate::store::Store;
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Answers the relay's questions from a policy's chains.
pub struct Rewriter {
    chains: Chains,
    server: String,
    /// Where originals are kept; none: nothing is cut.
    store: Option<Store>,
    /// The upstream has a tool of the read tool's name.
    name_is_taken: AtomicBool,
    /// Tools that a user interface is bound to, as far as they were listed.
    ui_tools: Mutex<HashSet<String>>,
}

/// A call that a chain is bound to, until its answer is there.
pub struct BoundCall {
    chain: Arc<Chain>,
    tool: String,
    /// A JSON object.
    arguments: String,
}

impl Rewriter {
    /// `server` is what filters and logs call the upstream. Without a store nothing is cut.
    pub fn new(chains: Chains, server: impl Into<String>, store: Option<Store>) -> Rewriter {
        Rewriter {
            chains,
            server: server.into(),
            store,
            name_is_taken: AtomicBool::new(false),
            ui_tools: Mutex::default(),
        }
    }

    /// What becomes of `structuredContent`: what the chain says, else what suits the tool.
    fn structured(&self, chain: &Chain, tool: &str) -> Structured {
        chain.structured.unwrap_or_else(|| {
            // What a chain hides must not depend on what the server says of itself.
            if chain.hides() {
                return Structured::Text;
            }
            let ui_tools = self.ui_tools.lock().unwrap_or_else(PoisonError::into_inner);
            if ui_tools.contains(tool) {
                Structured::Keep
            } else {
                Structured::Text
            }
        })
    }

    /// The store, if a chain can cut anything that a model may want back.
    fn readable(&self) -> Option<&Store> {
        let store = self.store.as_ref()?;
        (self.chains.may_cut() && !self.name_is_taken.load(Ordering::Relaxed)).then_some(store)
    }

    fn keep(&self, result: &[u8]) -> Result<String, String> {
        let Some(store) = self.readable() else {
            return Err("there is no store that the model could read from".to_owned());
        };
        match store.put(result) {
            Ok(reference) => Ok(reference.to_string()),
            Err(error) => Err(format!("{:#}", anyhow::Error::from(error))),
        }
    }

    fn note_listed(&self, tool: ListedTool<'_>) {
        if tool.name == read_tool::NAME && !self.name_is_taken.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                "the server has a tool `{}` of its own, so Tamis does not add one, and cuts nothing",
                tool.name
            );
        }
        let mut ui_tools = self.ui_tools.lock().unwrap_or_else(PoisonError::into_inner);
        if tool.has_ui {
            ui_tools.insert(tool.name.to_owned());
        } else {
            ui_tools.remove(tool.name);
        }
    }
}

impl Rewrite for Rewriter {
    type Bound = BoundCall;

    fn bind(&self, tool: &str, arguments: Option<&[u8]>) -> Option<BoundCall> {
        let chain = self.chains.for_tool(tool)?;
        let arguments = arguments
            .and_then(|raw| std::str::from_utf8(raw).ok())
            .filter(|raw| raw.starts_with('{'))
            .unwrap_or("{}");
        Some(BoundCall {
            chain: chain.clone(),
            tool: tool.to_owned(),
            arguments: arguments.to_owned(),
        })
    }

    fn own(&self, tool: &str, arguments: Option<&[u8]>) -> Option<OwnAnswer> {
        let store = self.readable().filter(|_| tool == read_tool::NAME)?.clone();
        let arguments = arguments.unwrap_or(b"{}").to_vec();
        Some(Box::new(move || read_tool::answer(&store, &arguments)))
    }

    fn result(&self, bound: &BoundCall, result: &[u8]) -> Option<Vec<u8>> {
        let call = CallContext {
            server: &self.server,
            tool: &bound.tool,
            arguments: &bound.arguments,
            structured: self.structured(&bound.chain, &bound.tool),
            keep: &|result| self.keep(result),
        };
        let filtered = shape::filter_result(&bound.chain, &call, result);
        let emitted = filtered.result.map(String::into_bytes);
        let bytes_after = emitted.as_ref().map_or(result.len(), Vec::len);
        tracing::info!(
            tool = bound.tool,
            chain = bound.chain.name,
            bytes_before = result.len(),
            bytes_after,
            steps = outcomes(&filtered.documents),
            "filtered"
        );
        emitted
    }

    fn tools_list(&self, result: &[u8]) -> Option<Vec<u8>> {
        let is_text_alone = |tool: ListedTool<'_>| {
            self.note_listed(tool);
            let chain = self.chains.for_tool(tool.name);
            chain.is_some_and(|chain| self.structured(chain, tool.name) == Structured::Text)
        };
        let own_tool = || self.readable().map(|_| read_tool::definition());
        listing::filter_tools_list(result, is_text_alone, own_tool).map(String::into_bytes)
    }

    fn rewrites_tools_list(&self) -> bool {
        !self.chains.is_empty()
    }

    fn cancelled(&self, bound: &mut BoundCall) {
        // An answer may still come, and a chain that hides things may look at the arguments.
        if !bound.chain.hides() {
            bound.arguments = "{}".to_owned();
        }
    }
}

/// One word a step and document, for the log.
fn outcomes(documents: &[FilteredDocument]) -> String {
    let receipts = documents.iter().flat_map(|document| &document.receipts);
    let words: Vec<String> = receipts
        .map(|receipt| format!("{}={}", receipt.filter, receipt.outcome.name()))
        .collect();
    words.join(" ")
}
