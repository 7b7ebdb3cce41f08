//! Names and patterns of a policy that fit no tool, said in the log.
//!
//! Owns what each server of the policy listed: a name may be that of a tool of another server, so it is said once all
//! of them have. And it is said once for a policy, however many clients list tools.

use crate::lock::lock;
use crate::policy::{Finding, Policy, ReadToolListing, ServeSpec, ServerTools, Severity};
use std::collections::HashMap;
use std::sync::Mutex;

/// What the servers of a policy listed.
#[derive(Debug, Default)]
pub(super) struct Unmatched(Mutex<Listed>);

#[derive(Debug, Default)]
struct Listed {
    /// The tools of each server.
    tools: HashMap<String, Vec<String>>,
    is_reported: bool,
}

impl Unmatched {
    /// Notes the tools of a server. Warns of what fits none, if that is known now.
    pub(super) fn note(&self, policy: &Policy, server: &str, tools: impl FnOnce() -> Vec<String>) {
        let mut listed = lock(&self.0);
        // The server of the read tool has no tools that a policy could name.
        let is_own = policy.serve.read_tool == ReadToolListing::Once
            && server == ServeSpec::READ_TOOL_SERVER;
        if listed.is_reported || is_own {
            return;
        }
        listed.tools.insert(server.to_owned(), tools());
        // `tamis run` has one server, whatever servers the file names.
        let is_named = policy.servers.iter().any(|it| it.name == server);
        let is_missing = |name: &String| !listed.tools.contains_key(name);
        if is_named && policy.servers.iter().any(|it| is_missing(&it.name)) {
            return;
        }
        listed.is_reported = true;
        let servers: Vec<ServerTools<'_>> = listed
            .tools
            .iter()
            .map(|(name, tools)| ServerTools {
                server: Some(name),
                tools: tools.iter().map(String::as_str).collect(),
            })
            .collect();
        warn(policy, &servers);
    }
}

fn warn(policy: &Policy, servers: &[ServerTools<'_>]) {
    for finding in policy.unmatched(servers) {
        let line = finding
            .span
            .map(|span| policy.source.position(span.start).0);
        let start = finding.span.map_or(0, |span| span.start);
        let file = policy.source.file_at(start);
        let file = match file.start() {
            0 => "filters.toml".into(),
            _ => file.path().to_string_lossy(),
        };
        let Finding { message, label, .. } = &finding;
        match finding.severity {
            Severity::Error => tracing::error!(line, "{file}: {message}: {label}"),
            _ => tracing::warn!(line, "{file}: {message}: {label}"),
        }
    }
}
