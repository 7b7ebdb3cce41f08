//! The records of calls: the operator's log, the ledger, metrics, spans, recordings, and saved failures.
//!
//! An [`Observer`] is told of each event once, and tells its listeners. All of them use one [`Account`] for the
//! name of a call's outcome and the sum of its steps. The log, metrics and spans contain no arguments or texts.
//!
//! Refuses to know: frames, the relay, the decisions of a policy.

mod account;
pub mod failures;
pub(crate) mod log;
#[cfg(feature = "http")]
pub mod metrics;
pub mod receipts;
pub mod recording;
#[cfg(feature = "traces")]
pub mod traces;
#[cfg(not(feature = "traces"))]
#[path = "no_traces.rs"]
pub mod traces;

pub(super) use account::{Account, Subject};

use self::failures::{Failures, Steps};
#[cfg(feature = "http")]
use self::metrics::Metrics;
use self::receipts::Receipts;
use self::recording::{Call, Recording};
use self::traces::ResultTrace;
use super::read_tool::Answer;
use super::shape::Filtered;
use super::shown::ClientDisplay;
use crate::policy::ToolList;
use std::sync::Arc;
use std::time::Duration;

/// The listeners for the calls of one connection.
#[derive(Clone, Default)]
pub struct Observer {
    receipts: Option<Arc<Receipts>>,
    #[cfg(feature = "http")]
    metrics: Option<Arc<Metrics>>,
    recording: Option<Arc<Recording>>,
    failures: Option<Arc<Failures>>,
}

impl Observer {
    /// Adds a ledger that notes every filtered result.
    #[must_use]
    pub fn with_receipts(self, receipts: Receipts) -> Observer {
        Observer {
            receipts: Some(Arc::new(receipts)),
            ..self
        }
    }

    /// Adds metrics that count every call.
    #[cfg(feature = "http")]
    #[must_use]
    pub fn with_metrics(self, metrics: Arc<Metrics>) -> Observer {
        Observer {
            metrics: Some(metrics),
            ..self
        }
    }

    /// Adds a recording of every tool's call.
    #[must_use]
    pub fn with_recording(self, recording: Recording) -> Observer {
        Observer {
            recording: Some(Arc::new(recording)),
            ..self
        }
    }

    /// Adds a folder for every call in which a step fails.
    #[must_use]
    pub fn with_failures(self, failures: Failures) -> Observer {
        Observer {
            failures: Some(Arc::new(failures)),
            ..self
        }
    }

    /// The listeners that stay under another policy. The policy decides about recordings and saved failures.
    #[must_use]
    pub fn under_another_policy(&self) -> Observer {
        Observer {
            receipts: self.receipts.clone(),
            #[cfg(feature = "http")]
            metrics: self.metrics.clone(),
            recording: None,
            failures: None,
        }
    }

    /// Whether a ledger notes filtered results.
    pub fn has_receipts(&self) -> bool {
        self.receipts.is_some()
    }

    pub(super) fn records(&self) -> bool {
        self.recording.is_some()
    }

    pub(super) fn saves_failures(&self) -> bool {
        self.failures.is_some()
    }

    /// A call of a tool that no chain is bound to.
    pub(super) fn passed(&self, server: &str, tool: &str) {
        self.count(server, tool, "passed");
    }

    /// A tool's call that Tamis refused.
    pub(super) fn refused(&self, server: &str, tool: &str) {
        self.count(server, tool, "refused");
    }

    /// A call of the read tool.
    pub(super) fn asked_to_read(&self, server: &str, tool: &str) {
        self.count(server, tool, "read back");
    }

    fn count(&self, server: &str, tool: &str, outcome: &'static str) {
        #[cfg(feature = "http")]
        if let Some(metrics) = &self.metrics {
            metrics.call(server, tool, outcome);
        }
        #[cfg(not(feature = "http"))]
        let _ = (server, tool, outcome, self);
    }

    /// An answer of the read tool; `view` says which part the client shows its model.
    pub(super) fn read_back(
        &self,
        server: &str,
        answer: &Answer,
        view: ClientDisplay,
        time: Duration,
    ) {
        log::read_back(server, answer, time);
        if let Some(receipts) = &self.receipts {
            receipts.read(server, answer, view);
        }
    }

    /// Notes that a tool's answer has arrived; `result` is the upstream's own.
    pub(super) fn arrived(&self, call: Call<'_>, result: &[u8]) {
        if let Some(recording) = &self.recording {
            recording.note(call, result);
        }
    }

    /// Steps of a call failed.
    pub(super) fn failed(
        &self,
        call: Call<'_>,
        steps: &Steps<'_>,
        filtered: &Filtered,
        result: &[u8],
    ) {
        if let Some(failures) = &self.failures {
            failures.note(call, steps, &filtered.documents, result);
        }
    }

    /// A chain ran on a result. `trace`: of the request.
    pub(super) fn filtered(&self, account: Account<'_>, trace: Option<&ResultTrace>) {
        log::filtered(&account);
        #[cfg(feature = "http")]
        if let Some(metrics) = &self.metrics {
            metrics.filtered(&account);
        }
        if let Some(trace) = trace {
            trace.filtered(&account);
        }
        if let Some(receipts) = &self.receipts {
            receipts.filtered(account);
        }
    }

    /// Whether an agent may soon use a tool, by what the ledger says of earlier ones. `is_reader`: the tool is among
    /// those that agents use if nothing is known of them.
    pub(super) fn is_expected(&self, server: &str, tool: &str, is_reader: bool) -> bool {
        let receipts = self.receipts.as_ref();
        receipts.is_some_and(|receipts| receipts.is_expected(server, tool, is_reader))
    }

    /// A list of tools went to the client: as the server sent it, and as the client gets it (none: the same),
    /// both raw JSON. `tools`: which part of it is in each request.
    pub(super) fn listed(
        &self,
        server: &str,
        before: &[u8],
        after: Option<&[u8]>,
        tools: ToolList,
    ) {
        if let Some(receipts) = &self.receipts {
            receipts.listed(server, before, after, tools);
        }
    }
}
