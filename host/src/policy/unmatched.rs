//! Names and patterns of a policy that fit no tool of a server.

use super::code::Code;
use super::names;
use super::pattern::{self, ToolPattern};
use super::report::Finding;
use super::source::Span;
use super::surface::Surface;
use super::{ChainSpec, Policy};
use std::borrow::Cow;

/// Most names and patterns that are looked at: a warning is not worth seconds.
const LOOKED_INTO: usize = 1_000;

/// A server and its tools.
#[derive(Debug, Clone)]
pub struct ServerTools<'a> {
    /// Its name, for chains that are for some servers; none: not known.
    pub server: Option<&'a str>,
    /// The names of all its tools.
    pub tools: Vec<&'a str>,
}

impl ServerTools<'_> {
    fn may_have(&self, chain: &ChainSpec) -> bool {
        let servers = &chain.binding.conditions.servers;
        servers.is_empty()
            || self
                .server
                .is_some_and(|it| pattern::matches_any(servers, it))
    }
}

/// A name or pattern in a policy.
struct Named<'p> {
    pattern: Cow<'p, ToolPattern>,
    span: Span,
    /// The chain that it belongs to; none: it is about the tools of all servers.
    chain: Option<&'p ChainSpec>,
    hides: bool,
    required: bool,
}

impl Policy {
    /// Findings about names and patterns that fit no tool of these servers.
    pub fn unmatched(&self, servers: &[ServerTools<'_>]) -> Vec<Finding> {
        let all = self.named_tools();
        let found = all.iter().filter_map(|named| finding(named, servers));
        found.collect()
    }

    fn named_tools(&self) -> Vec<Named<'_>> {
        let of_tools = |chain: &&ChainSpec| {
            let on = &chain.binding.on;
            on.contains(&Surface::Result) || on.contains(&Surface::Description)
        };
        let chains = self.chains.iter().filter(of_tools);
        let of_chains = chains.flat_map(|chain| {
            let patterns = chain.binding.tools.iter().zip(&chain.tool_spans);
            patterns.map(move |(pattern, span)| (pattern, span, Some(chain)))
        });
        let of_profiles = self.profiles.iter().flat_map(|profile| {
            let patterns = profile.tools.iter().zip(&profile.tool_spans);
            patterns.map(|(pattern, span)| (pattern, span, None))
        });
        let listed = of_chains.chain(of_profiles);
        let listed = listed.map(|(pattern, span, chain)| Named {
            pattern: Cow::Borrowed(pattern),
            span: *span,
            chain,
            hides: false,
            required: false,
        });
        let of_tables = self.tools.iter().filter_map(|tool| {
            Some(Named {
                pattern: Cow::Owned(ToolPattern::new(&tool.name).ok()?),
                span: tool.span,
                chain: None,
                hides: tool.hidden,
                required: tool.required,
            })
        });
        listed.chain(of_tables).take(LOOKED_INTO).collect()
    }
}

fn finding(named: &Named<'_>, servers: &[ServerTools<'_>]) -> Option<Finding> {
    let pattern = &*named.pattern;
    let mut concerned = servers
        .iter()
        .filter(|server| named.chain.is_none_or(|chain| server.may_have(chain)))
        .peekable();
    concerned.peek()?;
    let tools: Vec<&str> = concerned.flat_map(|it| it.tools.iter().copied()).collect();
    let takes = |tool: &&str| pattern.matches(tool) || pattern.excludes(tool);
    if tools.iter().any(takes) {
        return None;
    }
    let (whose, has) = match servers {
        [_] => ("the server", "has"),
        _ => ("the servers", "have"),
    };
    let written = pattern.as_str();
    let quoted = names::quote(written);
    let message = match (pattern.excepts(), written.contains('*')) {
        (true, _) => format!("the exception {quoted} is about no tool of {whose}"),
        (false, true) => format!("no tool of {whose} matches {quoted}"),
        (false, false) => format!("{whose} {has} no tool {quoted}"),
    };
    let plain = written.trim_start_matches('!');
    let effect = match (named.required, named.hides) {
        (true, _) => "clients get no tools",
        (false, true) => "hides nothing",
        (false, false) => "has no effect",
    };
    let label = match names::nearest(plain, &tools) {
        Some(near) if named.hides || named.required => format!("{effect}; did you mean `{near}`?"),
        Some(near) => format!("did you mean `{near}`?"),
        None => effect.to_owned(),
    };
    let listed = match &*tools {
        [] => format!("{whose} {has} no tools"),
        tools => {
            let first = tools.iter().take(12).copied().collect::<Vec<_>>();
            let more = match tools.len() - first.len() {
                0 => String::new(),
                more => format!(", and {more} more"),
            };
            format!("{whose} {has} {}{more}", names::list(&first))
        }
    };
    let finding = match named.required {
        true => Finding::error(named.span, message, label),
        false => Finding::warning(named.span, message, label),
    };
    Some(finding.help(listed).code(Code::ToolUnmatched))
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
            let tools = tools.to_vec();
            let findings = policy.unmatched(&[ServerTools { server, tools }]);
            let lines: Vec<_> = findings
                .iter()
                .map(|finding| format!("{}: {}", finding.message, finding.label))
                .collect();
            lines
        };
        let own = [
            "the server has no tool `wriet_file`: did you mean `write_file`?",
            "the exception `!list_*` is about no tool of the server: has no effect",
            "the exception `!reed_file` is about no tool of the server: did you mean `read_file`?",
            "no tool of the server matches `delete_*`: hides nothing",
        ];
        assert_eq!(unmatched_of(None), own);
        assert_eq!(unmatched_of(Some("mine")), own);
        assert_eq!(unmatched_of(Some("other")).len(), own.len() + 1);
    }
    #[test]
    fn with_several_servers_a_name_may_fit_a_tool_of_any() {
        let text = r#"
[[chain]]
tools = ["read_file", "search", "serach"]
steps = ["null-stripper"]
[[chain]]
servers = ["web"]
tools = ["read_file"]
steps = ["ansi"]
[tool.write_fiel]
hidden = true
[tool.search]
hidden = true
[tool.web_search]
required = true
"#;
        let source = Source::new("filters.toml", text).expect("text");
        let policy = Policy::parse(source, &["null-stripper", "ansi"]).expect("a policy");
        let server = |server, tools: &[&'static str]| ServerTools {
            server: Some(server),
            tools: tools.to_vec(),
        };
        let servers = [
            server("files", &["read_file", "write_file"]),
            server("web", &["search"]),
        ];
        let said: Vec<_> = policy
            .unmatched(&servers)
            .iter()
            .map(|it| format!("{}: {}", it.message, it.label))
            .collect();
        assert_eq!(
            said,
            [
                "the servers have no tool `serach`: did you mean `search`?",
                "the servers have no tool `read_file`: has no effect",
                "the servers have no tool `write_fiel`: hides nothing; did you mean `write_file`?",
                "the servers have no tool `web_search`: clients get no tools",
            ]
        );
    }
}
