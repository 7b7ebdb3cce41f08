//! What waits while the filters of a policy are made ready, and how long.
//!
//! A client gives up on a server that does not greet it in time, so the greeting and the list of tools go on.
//! What a chain may be bound to waits for as long as it takes: nothing passes unfiltered.

use crate::chain::Chains;
use crate::policy::Surface;
use std::time::Duration;

/// How long a list of tools waits: long enough for plugins whose code is in the cache, so that a client gets
/// the right list at once; short beside the ten seconds and more that clients wait for it.
const LIST_PATIENCE: Duration = Duration::from_secs(1);

/// For as long as it takes.
const NO_END: Duration = Duration::MAX;

/// How long a frame waits that asks for this, or answers it; for none it does not.
pub(super) fn wait(chains: &Chains, method: &str) -> Option<Duration> {
    if chains.are_ready() {
        return None;
    }
    let policy = chains.policy();
    let is_bound = |surface| {
        let mut chains = policy.chains.iter();
        chains.any(|chain| chain.binding.on.contains(&surface))
    };
    match method {
        // What the client is shown may change once the filters are there; it is told so then.
        "tools/list" if !is_bound(Surface::Description) => Some(LIST_PATIENCE),
        "initialize" | "server/discover" => is_bound(Surface::Instructions).then_some(NO_END),
        "tools/list" | "tools/call" | "prompts/get" | "resources/read" | "tasks/get"
        | "tasks/result" => Some(NO_END),
        _ => None,
    }
}
