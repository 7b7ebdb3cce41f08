//! Serves clients by a policy that may be replaced.

use super::in_force::InForce as InForcePolicy;
use crate::chain::Chains;
use crate::cli::reload::Service;
use crate::cli::store;
use crate::ledger::Ledger;
use crate::lock::lock;
use crate::mcp::gate::Gate;
use crate::mcp::http::Hub;
use crate::mcp::http::access::Caller;
use crate::mcp::observe::Observer;
use crate::mcp::observe::metrics::{Gauges, Metrics, ServiceFigures};
use crate::mcp::observe::receipts::{Agents, Receipts};
use crate::mcp::relay::Replaced;
use crate::mcp::rewriter::Rewriter;
use crate::policy::{Policy, ReadToolListing, ServeLimit, ServeSpec};
use crate::sandbox::Numbers;
use crate::shared::Shared;
use crate::state::Callers;
use crate::store::{Objects, Store, StoreLimits};
use anyhow::Result;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The parts that connections are made from.
pub(super) struct Connecting {
    in_force: Mutex<InForce>,
    originals: Callers,
    /// Redis, if sessions share anything in it.
    redis: Option<Shared>,
    ledger: Mutex<Option<Ledger>>,
    agents: Agents,
    metrics: Arc<Metrics>,
    sandbox: Arc<Numbers>,
    /// How long it took to load the policy in force.
    load: Mutex<Duration>,
    /// Which policy is in force.
    policy: Arc<InForcePolicy>,
    /// Another policy may come.
    is_replaceable: bool,
}

#[derive(Clone)]
struct InForce {
    chains: Arc<Chains>,
    gate: Arc<Gate>,
}

impl Connecting {
    #[expect(clippy::too_many_arguments, reason = "each is a part of another kind")]
    pub(super) fn new(
        chains: Chains,
        gate: Gate,
        load: Duration,
        sandbox: Arc<Numbers>,
        is_replaceable: bool,
        policy: Arc<InForcePolicy>,
        objects: Option<Objects>,
        redis: Option<Shared>,
    ) -> Connecting {
        policy.replace(chains.policy());
        let ledger = open_ledger(&chains);
        let limits = chains.policy().serve.limits;
        let originals = Callers::new(
            StoreLimits::of_bytes(limits.value(ServeLimit::Originals)),
            objects,
        );
        Connecting {
            in_force: Mutex::new(InForce {
                chains: Arc::new(chains),
                gate: Arc::new(gate),
            }),
            originals,
            redis,
            ledger: Mutex::new(ledger),
            agents: Agents::default(),
            metrics: Arc::default(),
            sandbox,
            load: Mutex::new(load),
            policy,
            is_replaceable,
        }
    }

    /// The rewriter of a new connection.
    pub(super) fn connect(&self, server: &str, caller: &Caller) -> Arc<Rewriter> {
        let InForce { chains, gate } = lock(&self.in_force).clone();
        let store = self.originals_for(&chains, caller);
        let is_listed_once = chains.policy().serve.read_tool == ReadToolListing::Once;
        let mut rewriter = Rewriter::new(chains, server, store).with_gate(gate);
        let mut observer = Observer::default().with_metrics(Arc::clone(&self.metrics));
        if is_listed_once && server != ServeSpec::READ_TOOL_SERVER {
            rewriter = rewriter.with_read_tool_elsewhere();
        }
        if let Some(ledger) = &*lock(&self.ledger) {
            observer = observer.with_receipts(self.receipts(ledger, caller));
        }
        rewriter = rewriter.with_observer(observer);
        if self.is_replaceable {
            rewriter = rewriter.replaceable();
        }
        Arc::new(rewriter)
    }

    fn receipts(&self, ledger: &Ledger, caller: &Caller) -> Receipts {
        Receipts::new(ledger.clone()).of_caller(caller.key(), &self.agents)
    }

    /// All numbers, of which this is that of sessions that are open.
    pub(super) fn metrics(&self, sessions: u64) -> String {
        let tokens = lock(&self.ledger).as_ref().map(Ledger::tokens);
        let figures = |(is_away, requests)| ServiceFigures { is_away, requests };
        let objects = self
            .originals
            .objects()
            .map(|objects| figures(objects.state()));
        let redis = self.redis.as_ref().map(|redis| figures(redis.state()));
        self.metrics.text(Gauges {
            sessions,
            tokens: tokens.unwrap_or_default(),
            load: *lock(&self.load),
            policy: self.policy.figures(),
            instances: self.sandbox.instances(),
            instances_made: self.sandbox.instances_made(),
            compile: self.sandbox.compile_time(),
            store_bytes: self.originals.bytes(),
            services: [("originals", objects), ("sessions", redis)],
        })
    }

    /// Writes the waiting entries of the ledger.
    pub(super) fn close(&self) {
        if let Some(ledger) = lock(&self.ledger).take() {
            ledger.close();
        }
    }

    fn originals_for(&self, chains: &Chains, caller: &Caller) -> Option<Store> {
        chains
            .may_cut()
            .then(|| self.originals.of(&caller.key()))
            .flatten()
    }
}

/// All clients of all servers.
pub(super) struct Clients {
    pub(super) connecting: Arc<Connecting>,
    pub(super) hub: Arc<Hub>,
    /// The policy in force.
    chains: Arc<Chains>,
}

impl Clients {
    pub(super) fn new(connecting: &Arc<Connecting>, hub: &Arc<Hub>) -> Clients {
        Clients {
            connecting: Arc::clone(connecting),
            hub: Arc::clone(hub),
            chains: Arc::clone(&lock(&connecting.in_force).chains),
        }
    }
}

impl Service for Clients {
    fn policy(&self) -> &Policy {
        self.chains.policy()
    }

    fn replace(&mut self, chains: Chains, gate: Gate, load: Duration) -> Result<Replaced> {
        *lock(&self.connecting.load) = load;
        let (chains, gate) = (Arc::new(chains), Arc::new(gate));
        if servers_differ(self.policy(), chains.policy()) {
            tracing::warn!(
                "[server.NAME], [serve] and [state] are read only at the start: restart the proxy to use the changes there"
            );
        }
        // Before those that are connected: who connects from now on has the new policy.
        let next = InForce {
            chains: Arc::clone(&chains),
            gate: Arc::clone(&gate),
        };
        *lock(&self.connecting.in_force) = next;
        self.connecting.policy.replace(chains.policy());
        // Not locked any longer: a connection that begins meanwhile holds what `hub.replace` waits for, and waits for it.
        let ledger = {
            let mut ledger = lock(&self.connecting.ledger);
            if ledger.is_none() {
                *ledger = open_ledger(&chains);
            }
            ledger.clone()
        };
        let replaced = self.hub.replace(|before, caller| {
            let store = self.connecting.originals_for(&chains, caller);
            let mut next = before.next(Arc::clone(&chains), store);
            let observer = next.observer().clone();
            if let Some(ledger) = ledger.as_ref().filter(|_| !observer.has_receipts()) {
                let receipts = self.connecting.receipts(ledger, caller);
                next = next.with_observer(observer.with_receipts(receipts));
            }
            next.with_gate(Arc::clone(&gate))
        });
        self.chains = chains;
        Ok(replaced)
    }

    fn note(&self, is_sound: Result<(), &str>) {
        self.connecting.policy.note(is_sound);
    }
}

fn servers_differ(before: &Policy, after: &Policy) -> bool {
    let serving = |policy: &Policy| {
        let servers = policy.servers.iter();
        let servers: Vec<_> = servers
            .map(|server| (server.name.clone(), server.upstream.clone()))
            .collect();
        (servers, policy.serve.clone(), policy.state.clone())
    };
    serving(before) != serving(after)
}

/// The ledger, if the policy has anything to record.
fn open_ledger(chains: &Chains) -> Option<Ledger> {
    (!chains.is_empty()).then(store::open_ledger).flatten()
}
