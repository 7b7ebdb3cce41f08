//! What a policy's chains mean for the relay's frames.

use super::relay::Rewrite;
use super::shape::{self, CallContext, FilteredDocument};
use crate::chain::{Chain, Chains};
use std::sync::Arc;

/// Answers the relay's questions from a policy's chains.
pub struct Rewriter {
    chains: Chains,
    server: String,
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
        let is_filtered = |tool: &str| self.chains.for_tool(tool).is_some();
        shape::filter_tools_list(result, is_filtered).map(String::into_bytes)
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
