//! Names and patterns of a policy that fit no tool of a server.

use super::Policy;
use super::code::Code;
use super::names;
use super::pattern::{self, ToolPattern};
use super::report::Finding;
use super::source::Span;
use super::surface::Surface;

/// Most names and patterns that are looked at: a warning is not worth seconds.
const LOOKED_INTO: usize = 1_000;

impl Policy {
    /// Findings about a policy's tools that a server does not have. `server`: its name, for chains that are for
    /// some servers; none: not known. `tools`: the names of all its tools.
    pub fn unmatched(&self, server: Option<&str>, tools: &[&str]) -> Vec<Finding> {
        let own = |chain: &&super::ChainSpec| {
            let servers = &chain.binding.conditions.servers;
            match server {
                Some(server) => servers.is_empty() || pattern::matches_any(servers, server),
                None => servers.is_empty(),
            }
        };
        let by_tool = [Surface::Result, Surface::Description];
        let chains = self.chains.iter().filter(own);
        let chains = chains.filter(|chain| {
            by_tool
                .iter()
                .any(|surface| chain.binding.on.contains(surface))
        });
        let of_chains = chains.flat_map(|chain| chain.binding.tools.iter().zip(&chain.tool_spans));
        let profiles = self.profiles.iter();
        let of_profiles =
            profiles.flat_map(|profile| profile.tools.iter().zip(&profile.tool_spans));
        let tables = self
            .tools
            .iter()
            .filter_map(|tool| Some((ToolPattern::new(&tool.name).ok()?, tool.span)));
        let tables: Vec<_> = tables.collect();
        let all = of_chains
            .chain(of_profiles)
            .map(|(pattern, span)| (pattern, *span));
        let all = all.chain(tables.iter().map(|(pattern, span)| (pattern, *span)));
        let all = all.take(LOOKED_INTO);
        all.filter_map(|(pattern, span)| finding(pattern, span, tools))
            .collect()
    }
}

fn finding(pattern: &ToolPattern, span: Span, tools: &[&str]) -> Option<Finding> {
    let takes = |tool: &&str| pattern.matches(tool) || pattern.excludes(tool);
    if tools.iter().any(takes) {
        return None;
    }
    let written = pattern.as_str();
    let quoted = names::quote(written);
    let message = match (pattern.excepts(), written.contains('*')) {
        (true, _) => format!("the exception {quoted} is about no tool of the server"),
        (false, true) => format!("no tool of the server matches {quoted}"),
        (false, false) => format!("the server has no tool {quoted}"),
    };
    let plain = written.trim_start_matches('!');
    let label = match names::nearest(plain, tools) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "has no effect with this server".to_owned(),
    };
    let listed = match tools {
        [] => "the server has no tools".to_owned(),
        tools => {
            let first = tools.iter().take(12).copied().collect::<Vec<_>>();
            let more = match tools.len() - first.len() {
                0 => String::new(),
                more => format!(", and {more} more"),
            };
            format!("the server has {}{more}", names::list(&first))
        }
    };
    let finding = Finding::warning(span, message, label).help(listed);
    Some(finding.code(Code::ToolUnmatched))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Source;

    #[test]
    fn each_name_and_pattern_that_fits_no_tool_is_found() {
        let text = r#"
[[chain]]
tools = ["read_*", "wriet_file", "!list_*"]
steps = ["null-stripper"]
[[chain]]
name = "of another server"
servers = ["other"]
tools = ["elsewhere"]
steps = ["null-stripper"]
[tool."delete_*"]
hidden = true
[tool.read_file]
hidden = true
[profile.small]
tools = ["*", "!reed_file"]
"#;
        let source = Source::new("filters.toml", text).expect("text");
        let policy = Policy::parse(source, &["null-stripper"]).expect("a policy");
        let tools = ["read_file", "write_file"];
        let unmatched_of = |server| {
            let findings = policy.unmatched(server, &tools);
            let lines: Vec<_> = findings
                .iter()
                .map(|finding| format!("{}: {}", finding.message, finding.label))
                .collect();
            lines
        };
        let own = [
            "the server has no tool `wriet_file`: did you mean `write_file`?",
            "the exception `!list_*` is about no tool of the server: has no effect with this server",
            "the exception `!reed_file` is about no tool of the server: did you mean `read_file`?",
            "no tool of the server matches `delete_*`: has no effect with this server",
        ];
        assert_eq!(unmatched_of(None), own);
        assert_eq!(unmatched_of(Some("mine")), own);
        assert_eq!(unmatched_of(Some("other")).len(), own.len() + 1);
    }
}
