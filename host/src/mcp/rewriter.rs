//! What a policy's chains mean for the relay's frames.

use super::relay::Rewrite;
use super::shape::{self, CallContext, FilteredDocument, ListedTool};
use crate::chain::{Chain, Chains};
use crate::policy::Structured;
use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

/// Answers the relay's questions from a policy's chains.
pub struct Rewriter {
    chains: Chains,
    server: String,
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
    /// `server` is what filters and logs call the upstream.
    pub fn new(chains: Chains, server: impl Into<String>) -> Rewriter {
        Rewriter {
            chains,
            server: server.into(),
            ui_tools: Mutex::default(),
        }
    }

    /// What becomes of `structuredContent`: what the chain says, else what suits the tool.
    fn structured(&self, chain: &Chain, tool: &str) -> Structured {
        chain.structured.unwrap_or_else(|| {
            let ui_tools = self.ui_tools.lock().unwrap_or_else(PoisonError::into_inner);
            if ui_tools.contains(tool) {
                Structured::Keep
            } else {
                Structured::Text
            }
        })
    }

    fn note_listed(&self, tool: ListedTool<'_>) {
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
            .unwrap_or("{}");
        Some(BoundCall {
            chain: chain.clone(),
            tool: tool.to_owned(),
            arguments: arguments.to_owned(),
        })
    }

    fn result(&self, bound: &BoundCall, result: &[u8]) -> Option<Vec<u8>> {
        let call = CallContext {
            server: &self.server,
            tool: &bound.tool,
            arguments: &bound.arguments,
            structured: self.structured(&bound.chain, &bound.tool),
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
        shape::filter_tools_list(result, is_text_alone).map(String::into_bytes)
    }

    fn rewrites_tools_list(&self) -> bool {
        !self.chains.is_empty()
    }

    fn cancelled(&self, bound: &mut BoundCall) {
        bound.arguments = "{}".to_owned();
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
