//! Recorded calls under a policy: the result of each, and the differences.
//!
//! Owns the order in which calls are replayed, and the definition of a difference. Refuses to know where
//! calls come from and how differences are shown.
//!
//! Calls whose chains look at their session are replayed one after the other, session by session, as they were
//! made; all others on their own. A filter that exceeds its time gets more than one chance (`patience`). So the
//! same calls under the same policies give the same answer.

mod difference;
mod patience;
mod tools;

use crate::chain::{Chain, Chains, Outcome};
use crate::dry_run::{self, Input};
use crate::lock::lock;
use crate::mcp::shape::FilteredDocument;
use crate::policy::{Piece, ResultFacts, Surface};
use crate::recording::{Call, Recorded};
use crate::sandbox::SessionValues;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use patience::Patience;

pub use difference::{Change, Difference};
pub use tools::{ToolSums, by_tool};

/// Calls are replayed on so many threads. Limits of filters are times on the clock, so a replay must not
/// crowd the machine.
const THREADS: usize = 2;

/// Calls and the policies to replay them under.
pub struct Replay<'a> {
    calls: &'a [Recorded],
    now: &'a Chains,
    then: Option<&'a Chains>,
    patience_now: Patience,
    patience_then: Patience,
    /// Indices of calls that must be replayed in this order.
    groups: Vec<Vec<usize>>,
}

/// The outcome of a call under a policy.
#[derive(Debug)]
pub struct Made {
    /// The chain; none: the tool has none.
    pub chain: Option<Arc<str>>,
    /// The result that the client would get.
    pub result: Vec<u8>,
    /// The result is only a notice in place of the withheld one.
    pub withheld: bool,
    /// Content was cut from it, so that the original would be stored.
    pub cut: bool,
    /// The steps that each of its documents passed.
    pub documents: Vec<FilteredDocument>,
}

/// A step that did not do its work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failed {
    pub filter: String,
    /// The outcome's name: "timeout".
    pub outcome: &'static str,
    /// The message for the operator.
    pub message: String,
}

/// The sessions' values, under each of the policies.
#[derive(Default)]
struct Sessions {
    now: SessionValues,
    then: SessionValues,
}

impl<'a> Replay<'a> {
    /// `then`: the policy to compare with; none: the server's own results. Both must be
    /// [`Chains::without_pauses`].
    pub fn new(calls: &'a [Recorded], now: &'a Chains, then: Option<&'a Chains>) -> Replay<'a> {
        let uses_session = |chains: &Chains, call: &Call| {
            chain(chains, call).is_some_and(|chain| chain.uses_session())
        };
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let mut sessions: HashMap<&str, usize> = HashMap::new();
        for (index, recorded) in calls.iter().enumerate() {
            let call = &recorded.call;
            let in_order =
                uses_session(now, call) || then.is_some_and(|then| uses_session(then, call));
            if !in_order {
                groups.push(vec![index]);
                continue;
            }
            let group = *sessions.entry(&call.session).or_insert_with(|| {
                groups.push(Vec::new());
                groups.len() - 1
            });
            groups[group].push(index);
        }
        Replay {
            calls,
            now,
            then,
            patience_now: Patience::default(),
            patience_then: Patience::default(),
            groups,
        }
    }

    /// Replays all calls: one difference each, in their order. `done` is told of each.
    pub fn run(&self, done: &(dyn Fn() + Sync)) -> Vec<Difference> {
        let next = AtomicUsize::new(0);
        let found: Mutex<Vec<Difference>> = Mutex::new(Vec::with_capacity(self.calls.len()));
        let work = || {
            while let Some(group) = self.groups.get(next.fetch_add(1, Ordering::Relaxed)) {
                let mut sessions = Sessions::default();
                for &index in group {
                    let (then, now) = self.make(index, &mut sessions);
                    let call = &self.calls[index].call;
                    let difference = Difference::new(index, call, then.as_ref(), &now);
                    // A list that is pushed to is whole.
                    let mut found = lock(&found);
                    found.push(difference);
                    drop(found);
                    done();
                }
            }
        };
        thread::scope(|scope| {
            for _ in 1..THREADS.min(self.groups.len()) {
                scope.spawn(work);
            }
            work();
        });
        let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        found.sort_by_key(|difference| difference.index);
        found
    }

    /// The outcomes of one call: under the policy to compare with, if any, and now. The calls
    /// before it in its session are replayed too.
    pub fn show(&self, index: usize) -> (Option<Made>, Made) {
        let alone = vec![index];
        let group = self.groups.iter().find(|group| group.contains(&index));
        let mut sessions = Sessions::default();
        for &before in group.unwrap_or(&alone) {
            if before == index {
                break;
            }
            self.make(before, &mut sessions);
        }
        self.make(index, &mut sessions)
    }

    fn make(&self, index: usize, sessions: &mut Sessions) -> (Option<Made>, Made) {
        let call = &self.calls[index].call;
        let then = self.then.map(|then| {
            let make = |session: &SessionValues| made(then, call, session);
            self.patience_then.settle(&mut sessions.then, make)
        });
        let make = |session: &SessionValues| made(self.now, call, session);
        let now = self.patience_now.settle(&mut sessions.now, make);
        (then, now)
    }
}

impl Made {
    /// The steps that failed, each once.
    pub fn failures(&self) -> Vec<Failed> {
        let mut failures: Vec<Failed> = Vec::new();
        for receipt in self
            .documents
            .iter()
            .flat_map(|document| &document.receipts)
        {
            if !receipt.outcome.is_failure() {
                continue;
            }
            let failed = Failed {
                filter: receipt.filter.clone(),
                outcome: receipt.outcome.name(),
                message: match &receipt.outcome {
                    Outcome::Failed(error) => error.to_string(),
                    other => other.name().to_owned(),
                },
            };
            if !failures.iter().any(|known| known.is_like(&failed)) {
                failures.push(failed);
            }
        }
        failures
    }
}

impl Failed {
    /// Whether the same filter failed in the same way.
    fn is_like(&self, other: &Failed) -> bool {
        self.filter == other.filter && self.outcome == other.outcome
    }
}

fn chain<'c>(chains: &'c Chains, call: &Call) -> Option<&'c Arc<Chain>> {
    let client = call.client.as_ref().map_or("", |client| &client.name);
    chains.find(&Piece {
        server: Some(&call.server),
        arguments: Some(&call.arguments),
        client: Some(client),
        result: Some(ResultFacts::of(&call.result)),
        ..Piece::new(Surface::Result, &call.tool)
    })
}

fn made(chains: &Chains, call: &Call, session: &SessionValues) -> Made {
    let alone = |result: &[u8], withheld| Made {
        chain: None,
        result: result.to_vec(),
        withheld,
        cut: false,
        documents: Vec::new(),
    };
    let input = Input {
        bytes: call.result.clone(),
        call: None,
    };
    let redacted = dry_run::redacted(chains, &call.server, Some(&session.view()), &input);
    let Some(input) = redacted.input else {
        return alone(b"", true);
    };
    let Some(chain) = chain(chains, call) else {
        return alone(&input.bytes, false);
    };
    let view = session.view();
    let policy = chains.policy();
    let run = dry_run::Call {
        server: &call.server,
        surface: Surface::Result,
        name: &call.tool,
        arguments: &call.arguments,
        client: dry_run::client(call, &policy.clients),
        session: Some(&view),
    };
    let output = dry_run::run_frame(chain, &policy.read_tool, &run, &input.bytes);
    Made {
        chain: Some(chain.name.as_str().into()),
        result: output.bytes.unwrap_or_default(),
        withheld: output.withheld,
        cut: output.cut,
        documents: output.documents,
    }
}
