//! Which frames wait while Tamis prepares the filters of a policy, and how long.
//!
//! A client gives up on a server that does not answer the handshake in time, so the handshake and the list of
//! tools do not wait long. A frame that a chain may be bound to waits as long as needed: nothing passes
//! unfiltered.

use crate::chain::Chains;
use crate::policy::Surface;
use std::time::Duration;

/// How long a list of tools waits: long enough for plugins with cached code, so that a client gets the right
/// list at once. Clients wait ten seconds and more.
const LIST_PATIENCE: Duration = Duration::from_secs(1);

/// The name of any message of the server, in place of a method.
pub(super) const EVERY_MESSAGE: &str = "*";

/// Waits as long as needed.
const NO_END: Duration = Duration::MAX;

/// How long a frame waits that asks for this, or answers it. None: the frame does not wait.
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
        // The list may change once the filters are ready; the client is then told.
        "tools/list" if !is_bound(Surface::Description) => Some(LIST_PATIENCE),
        EVERY_MESSAGE => is_bound(Surface::Message).then_some(NO_END),
        "initialize" | "server/discover" => is_bound(Surface::Instructions).then_some(NO_END),
        "tools/list" | "tools/call" | "prompts/get" | "resources/read" | "tasks/get"
        | "tasks/result" => Some(NO_END),
        _ => None,
    }
}
