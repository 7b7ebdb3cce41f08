//! Metrics for Prometheus: calls, and the time and savings of filters.
//!
//! The names of outcomes are those of the log and the ledger. Metrics contain no arguments or texts.

use super::account::{Account, bytes_of};
use crate::lock::lock;
use crate::policy::{TOOL_NAME_BYTES, TOOLS_TOLD_APART};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::{ConstCounter, Counter};
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::{ConstGauge, Gauge};
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Registry, Unit};
use std::collections::HashSet;
use std::sync::Mutex;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The name of all others together.
const OTHER: &str = "(other)";

/// Sums since the process began.
pub struct Metrics {
    calls: Family<Call, Counter>,
    filter_seconds: Family<Server, Histogram, fn() -> Histogram>,
    bytes: Family<Stage, Counter>,
    tools: Mutex<HashSet<(String, String)>>,
}

/// Values that are read when a client asks for the metrics.
#[derive(Debug, Clone, Default)]
pub struct Gauges {
    /// Sessions that are open.
    pub sessions: u64,
    /// Tokens of texts before they were filtered, and after, if they are counted.
    pub tokens: [u64; 2],
    /// The time from reading the policy to its last compiled filter.
    pub load: Duration,
    /// The policy in force.
    pub policy: PolicyFigures,
    /// Instances of filters that exist now, and that were made so far.
    pub instances: u64,
    pub instances_made: u64,
    /// The time to make plugins ready, summed over threads.
    pub compile: Duration,
    /// Size of the stored originals, on this machine.
    pub store_bytes: u64,
    /// The services that replicas share, by name; none if the policy has no such service.
    pub services: [(&'static str, Option<ServiceFigures>); 2],
}

/// The figures of a service on another machine.
#[derive(Debug, Clone, Copy)]
pub struct ServiceFigures {
    /// It does not answer.
    pub is_away: bool,
    /// Requests so far, and those without an answer in time.
    pub requests: [u64; 2],
}

/// The policy in force, and what is known of its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyFigures {
    /// Its digest.
    pub digest: String,
    /// Its place: a path, a URL, or an artifact in a registry.
    pub source: String,
    /// Since when it is in force.
    pub since: SystemTime,
    /// When its place was last asked with success, if it is no file.
    pub checked: Option<SystemTime>,
    /// How often the place had no policy that can be used, or did not answer.
    pub failures: u64,
    /// The last time it had none, or did not answer.
    pub is_failing: bool,
}

impl Default for PolicyFigures {
    fn default() -> PolicyFigures {
        PolicyFigures {
            digest: String::new(),
            source: String::new(),
            since: UNIX_EPOCH,
            checked: None,
            failures: 0,
            is_failing: false,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Service {
    service: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Call {
    server: String,
    tool: String,
    outcome: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Server {
    server: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Stage {
    server: String,
    stage: &'static str,
}

impl Default for Metrics {
    fn default() -> Metrics {
        Metrics::new()
    }
}

impl Metrics {
    pub fn new() -> Metrics {
        Metrics {
            calls: Family::default(),
            // From 0.1 ms, in which a small result is filtered, to more than any chain may take.
            filter_seconds: Family::new_with_constructor(|| {
                Histogram::new(exponential_buckets(0.000_1, 2.0, 16))
            }),
            bytes: Family::default(),
            tools: Mutex::default(),
        }
    }

    /// Counts a call that no chain is bound to, or that Tamis answered itself.
    pub(super) fn call(&self, server: &str, tool: &str, outcome: &'static str) {
        let call = Call {
            server: server.to_owned(),
            tool: self.told_apart(server, tool),
            outcome,
        };
        self.calls.get_or_create(&call).inc();
    }

    /// Counts a result after a chain ran on it.
    pub(super) fn filtered(&self, account: &Account<'_>) {
        let server = account.subject.server;
        self.call(server, account.subject.tool, account.outcome());
        let of = Server {
            server: server.to_owned(),
        };
        let seconds = self.filter_seconds.get_or_create(&of);
        seconds.observe(account.time.as_secs_f64());
        for (stage, texts) in [("before", &account.before), ("after", &account.after)] {
            let of = Stage {
                server: server.to_owned(),
                stage,
            };
            self.bytes.get_or_create(&of).inc_by(bytes_of(texts) as u64);
        }
    }

    /// All metrics in the text format of OpenMetrics.
    pub fn text(&self, gauges: Gauges) -> String {
        let mut registry = Registry::with_prefix("tamis");
        registry.register(
            "calls",
            "Calls of tools by outcome, and prompts and resources that a chain filtered",
            self.calls.clone(),
        );
        registry.register_with_unit(
            "filter",
            "Duration of filtering a result",
            Unit::Seconds,
            self.filter_seconds.clone(),
        );
        registry.register_with_unit(
            "text",
            "Bytes of texts before and after a chain filtered them",
            Unit::Bytes,
            self.bytes.clone(),
        );
        for (name, help, value) in [
            ("sessions", "Open sessions", gauges.sessions),
            (
                "tokens_before",
                "Tokens (o200k) of texts before a chain filtered them, as far as Tamis counted them",
                gauges.tokens[0],
            ),
            (
                "tokens_after",
                "Tokens (o200k) of the same texts afterwards",
                gauges.tokens[1],
            ),
            (
                "store_bytes",
                "Size of stored originals",
                gauges.store_bytes,
            ),
            (
                "instances",
                "Existing instances of filters: of running calls, and prepared for the next",
                gauges.instances,
            ),
        ] {
            registry.register(name, help, ConstGauge::new(value));
        }
        registry.register(
            "policy_load_seconds",
            "Time to load the policy in force, from reading its file to the last compiled filter",
            ConstGauge::new(gauges.load.as_secs_f64()),
        );
        registry.register(
            "instances_made",
            "Instances of filters created since the start",
            ConstCounter::new(gauges.instances_made),
        );
        registry.register_with_unit(
            "compile",
            "Time to compile plugins or read them from the cache, summed over threads",
            Unit::Seconds,
            ConstCounter::new(gauges.compile.as_secs_f64()),
        );
        register_policy(&mut registry, gauges.policy);
        let services = gauges.services.into_iter();
        let services = services.filter_map(|(name, figures)| Some((name, figures?)));
        let (asked, failed) = (Family::default(), Family::default());
        let away: Family<Service, Gauge> = Family::default();
        for (service, figures) in services {
            let of = Service { service };
            for (family, count) in [&asked, &failed].into_iter().zip(figures.requests) {
                let counter: &Family<Service, Counter> = family;
                counter.get_or_create(&of).inc_by(count);
            }
            away.get_or_create(&of).set(figures.is_away.into());
        }
        registry.register(
            "service_requests",
            "Requests to the services that replicas share",
            asked,
        );
        registry.register(
            "service_failures",
            "Requests to these services that got no answer in time, or an error",
            failed,
        );
        registry.register(
            "service_away",
            "Whether a service does not answer, so that Tamis leaves it alone for a second",
            away,
        );
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = prometheus_client::encoding::text::encode(&mut text, &registry);
        text
    }

    fn told_apart(&self, server: &str, tool: &str) -> String {
        if tool.len() > TOOL_NAME_BYTES {
            return OTHER.to_owned();
        }
        let mut tools = lock(&self.tools);
        let known = (server.to_owned(), tool.to_owned());
        if tools.contains(&known) {
            return known.1;
        }
        if tools.len() >= TOOLS_TOLD_APART {
            return OTHER.to_owned();
        }
        tools.insert(known);
        tool.to_owned()
    }
}

fn register_policy(registry: &mut Registry, policy: PolicyFigures) {
    let seconds = |time: SystemTime| {
        let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
        ConstGauge::new(since.as_secs_f64())
    };
    registry.register(
        "policy",
        "The policy in force: its digest, and where it comes from",
        Info::new(vec![("digest", policy.digest), ("source", policy.source)]),
    );
    registry.register(
        "policy_in_force_since_timestamp_seconds",
        "When the policy in force was put in force",
        seconds(policy.since),
    );
    if let Some(checked) = policy.checked {
        registry.register(
            "policy_checked_timestamp_seconds",
            "When the place of a policy from a URL or a registry last answered",
            seconds(checked),
        );
    }
    registry.register(
        "policy_failures",
        "How often a changed policy could not be used, or the place of a policy did not answer",
        ConstCounter::new(policy.failures),
    );
    registry.register(
        "policy_failing",
        "Whether the place of the policy has one that cannot be used, or does not answer; the policy in force stays",
        ConstGauge::new(u64::from(policy.is_failing)),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_that_somebody_makes_up_do_not_fill_the_memory() {
        let metrics = Metrics::new();
        for number in 0..TOOLS_TOLD_APART + 10 {
            metrics.call("s", &format!("tool {number}"), "passed");
        }
        metrics.call("s", "tool 0", "passed");
        metrics.call("s", &"x".repeat(TOOL_NAME_BYTES + 1), "passed");
        let text = metrics.text(Gauges::default());
        assert!(text.contains(r#"tamis_calls_total{server="s",tool="tool 0",outcome="passed"} 2"#));
        assert!(
            text.contains(r#"tamis_calls_total{server="s",tool="(other)",outcome="passed"} 11"#)
        );
        assert!(text.ends_with("# EOF\n"), "{text}");
    }
}
