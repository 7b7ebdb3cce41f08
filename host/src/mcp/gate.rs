//! Which of the upstream's tools the client may use.
//!
//! Tamis checks a tool's needs once, when it loads the policy. An outdated list of tools is better than a list
//! that changes without notice to the client.

use super::tools::Tools;
use super::unmatched::Unmatched;
use crate::policy::{Need, Policy, ToolPattern, matches_any};
use crate::system::processes;
use std::collections::HashMap;
use std::env;
use std::path::Path;

/// The tools that are not available, and why.
#[derive(Debug, Default)]
pub struct Gate {
    /// The unmet need of each tool with a table of its own.
    tools: HashMap<String, Option<String>>,
    /// The patterns of tools that are closed, with the unmet need. They count for tools without a table.
    patterns: Vec<(ToolPattern, String)>,
    /// The profile's name and tools; none: all tools.
    profile: Option<(String, Vec<ToolPattern>)>,
    /// Names and patterns that must fit a tool of the upstream, with their positions in the policy.
    required: Vec<Required>,
    /// The names in the policy that fit no tool.
    pub(super) unmatched: Unmatched,
}

/// A name that must fit a tool of the upstream.
#[derive(Debug)]
struct Required {
    /// As written.
    name: String,
    pattern: Option<ToolPattern>,
    /// The line in the file of the policy.
    line: usize,
    /// That file's name, without the operator's folders.
    file: String,
}

impl Required {
    fn fits(&self, tools: &Tools) -> bool {
        match &self.pattern {
            None => tools.is_listed(&self.name),
            Some(pattern) => tools.any_listed(|tool| pattern.matches(tool)),
        }
    }
}

/// The profile does not exist.
#[derive(Debug, thiserror::Error)]
#[error("unknown profile `{name}`: {}", list_known(.known))]
pub struct NoSuchProfile {
    name: String,
    known: Vec<String>,
}

fn list_known(names: &[String]) -> String {
    match names {
        [] => "the policy has none (`[profile.NAME]` adds one)".to_owned(),
        names => format!("it has `{}`", names.join("`, `")),
    }
}

impl Gate {
    /// Checks the needs of a policy's tools. `profile`: the name of one of the policy's profiles.
    ///
    /// # Errors
    ///
    /// The policy has no profile of that name.
    pub fn new(policy: &Policy, profile: Option<&str>) -> Result<Gate, NoSuchProfile> {
        let profile = match profile {
            None => None,
            Some(name) => {
                let found = policy.profiles.iter().find(|profile| profile.name == name);
                let found = found.ok_or_else(|| NoSuchProfile {
                    name: name.to_owned(),
                    known: policy
                        .profiles
                        .iter()
                        .map(|profile| profile.name.clone())
                        .collect(),
                })?;
                Some((name.to_owned(), found.tools.clone()))
            }
        };
        let (mut tools, mut patterns) = (HashMap::new(), Vec::new());
        for tool in &policy.tools {
            let missing = tool.needs.iter().find(|need| !is_met(need));
            let why = match missing {
                _ if tool.hidden => Some("the operator has hidden it".to_owned()),
                Some(need) => Some(format!("it requires {}, which is missing", describe(need))),
                None => None,
            };
            match tool.pattern() {
                Some(pattern) => patterns.extend(why.map(|why| (pattern, why))),
                None => {
                    tools.insert(tool.name.clone(), why);
                }
            }
        }
        let required = policy.tools.iter().filter(|tool| tool.required);
        let required = required.map(|tool| Required {
            name: tool.name.clone(),
            pattern: tool.pattern(),
            line: policy.source.position(tool.span.start).0,
            file: file_name(policy.source.file_at(tool.span.start).path()),
        });
        Ok(Gate {
            tools,
            patterns,
            profile,
            required: required.collect(),
            unmatched: Unmatched::default(),
        })
    }

    /// Whether every tool is available.
    pub fn is_open(&self) -> bool {
        let is_open = self.tools.values().all(Option::is_none) && self.patterns.is_empty();
        is_open && self.profile.is_none() && self.required.is_empty()
    }

    /// Why no tool is available, in one line for the model: a tool that the policy requires is none of the upstream's,
    /// or that is not known yet. `tools`: those of the upstream that a client has listed.
    pub(super) fn closed(&self, tools: &Tools) -> Option<String> {
        if self.required.is_empty() {
            return None;
        }
        if tools.shown_read_tool().is_none() {
            return Some("[tamis] Not available yet: list the tools first. The policy requires a tool, and Tamis does not know those of the server.".to_owned());
        }
        let missing = self.required.iter().find(|it| !it.fits(tools))?;
        let Required {
            name, line, file, ..
        } = missing;
        Some(format!(
            "[tamis] No tool of this server is available: the policy requires the tool `{name}` ({file}, line {line}), and the server has none of that name. The operator must correct the name."
        ))
    }

    /// Why a tool is not available, in one line for the model; none if it is available.
    pub fn refusal(&self, tool: &str) -> Option<String> {
        let of_pattern = || {
            let found = self
                .patterns
                .iter()
                .find(|(pattern, _)| pattern.matches(tool));
            found.map(|(_, why)| why)
        };
        let closed = match self.tools.get(tool) {
            Some(own) => own.as_ref(),
            None => of_pattern(),
        };
        let why = match (closed, &self.profile) {
            (Some(why), _) => why.clone(),
            (None, Some((name, tools))) if !matches_any(tools, tool) => {
                format!("it is not part of the profile `{name}`")
            }
            _ => return None,
        };
        Some(format!(
            "[tamis] The tool `{tool}` is not available: {why}."
        ))
    }
}

fn is_met(need: &Need) -> bool {
    match need {
        Need::Program(name) => env::var_os("PATH").is_some_and(|path| {
            env::split_paths(&path).any(|dir| processes::is_program(&dir.join(name)))
        }),
        Need::Variable(name) => env::var_os(name).is_some_and(|value| !value.is_empty()),
        Need::File(path) => path.exists(),
        Need::Any(needs) => needs.iter().any(is_met),
    }
}

fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.display().to_string()
}

/// Describes a need, without paths of the operator's machine.
fn describe(need: &Need) -> String {
    match need {
        Need::Program(name) => format!("the program `{name}`"),
        Need::Variable(name) => format!("the environment variable `{name}`"),
        Need::File(path) => format!("the file `{}`", file_name(path)),
        Need::Any(needs) => {
            let needs: Vec<String> = needs.iter().map(describe).collect();
            needs.join(" or ")
        }
    }
}
