//! The sums of a replay, by tool.

use super::Difference;
use crate::recording::Recorded;
use std::collections::BTreeMap;

/// The sums of one tool's calls, or of all.
#[derive(Debug, Default, Clone)]
pub struct ToolSums {
    pub calls: u64,
    pub bytes_then: u64,
    pub bytes_now: u64,
    pub tokens_then: u64,
    pub tokens_now: u64,
    pub changed: u64,
    pub newly_cut: u64,
    pub newly_failed: u64,
}

impl ToolSums {
    /// Adds a call.
    pub fn add(&mut self, difference: &Difference) {
        self.calls += 1;
        self.bytes_then += difference.bytes.then as u64;
        self.bytes_now += difference.bytes.now as u64;
        self.tokens_then += u64::from(difference.tokens.then);
        self.tokens_now += u64::from(difference.tokens.now);
        self.changed += u64::from(difference.changed);
        self.newly_cut += u64::from(difference.is_newly_cut());
        self.newly_failed += u64::from(difference.is_newly_failed());
    }

    /// The saved part of the tokens; none if the tokens before are zero. Negative if the tokens increased.
    pub fn saved_percent(&self) -> Option<f64> {
        let (then, now) = (self.tokens_then as f64, self.tokens_now as f64);
        (self.tokens_then > 0).then(|| 100.0 * (1.0 - now / then))
    }
}

/// The sums of each tool of each server: those first of which the model read most.
pub fn by_tool(calls: &[Recorded], found: &[Difference]) -> Vec<((String, String), ToolSums)> {
    let mut tools: BTreeMap<(String, String), ToolSums> = BTreeMap::new();
    for difference in found {
        let call = &calls[difference.index].call;
        let name = (call.server.clone(), call.tool.clone());
        tools.entry(name).or_default().add(difference);
    }
    let mut tools: Vec<_> = tools.into_iter().collect();
    tools.sort_by_key(|(_, sums)| std::cmp::Reverse(sums.tokens_then));
    tools
}
