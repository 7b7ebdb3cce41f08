//! The text of a starter filters.toml.
//!
//! Names and descriptions come from a server that may be hostile: in comments they are on one line, without
//! what a terminal would hide, and in TOML they are quoted.

use super::chains::{Finding, Measure};
use crate::mcp::inquiry::{ServerName, Tool};
use crate::numbers::grouped;
use crate::policy::ToolPattern;
use crate::printable;
use serde_json::{Map, Value};
use std::fmt::Write;

/// Longest description in a comment, in characters.
const DESCRIBED: usize = 100;

/// Tools that are named in comments. Nobody reads more, and the file has a largest size.
const LISTED: usize = 500;

/// Longest name of a chain or a test, in characters.
const LONGEST_NAME: usize = 64;

/// What the catch-all chain is called.
const BASE_NAME: &str = "default";

/// What goes into the file.
pub(super) struct Page<'a> {
    pub(super) server: &'a ServerName,
    pub(super) tools: &'a [Tool],
    /// Of each tool, where there are results of it.
    pub(super) findings: &'a [Option<Finding>],
    /// The chain of all tools that have none of their own.
    pub(super) base: &'a [String],
    /// One a chain that has results.
    pub(super) tests: &'a [Test],
}

/// A test that holds.
pub(super) struct Test {
    pub(super) tool: String,
    /// Of the call that gave the result.
    pub(super) arguments: Map<String, Value>,
    /// Relative to the folder of filters.toml.
    pub(super) input_file: String,
    /// Of the whole output, as `tamis test` counts them.
    pub(super) tokens_before: u64,
    pub(super) tokens_after: u64,
    /// A word that goes through.
    pub(super) word: Option<String>,
}

impl Page<'_> {
    pub(super) fn text(&self) -> String {
        let mut text = self.head();
        text += &self.list();
        text += &self.hiding();
        text += "\n# Chains of your own go here, above the others: Tamis uses the first that names a tool.\n";
        for (tool, finding) in self.tools.iter().zip(self.findings) {
            if let Some(own) = finding.as_ref().and_then(|it| it.own.as_ref()) {
                text += &own_chain(tool, finding.as_ref().map(|it| it.base), own);
            }
        }
        text += "
# All other tools, and those of later versions of the server.
[[chain]]
";
        let _ = writeln!(text, "name = \"{BASE_NAME}\"\ntools = [\"*\"]");
        text += &self.base.join("\n");
        text += "\n\n";
        text + &self.tests()
    }

    fn head(&self) -> String {
        let server = match (self.server.name.as_str(), self.server.version.as_str()) {
            ("", _) => "an MCP server".to_owned(),
            (name, "") => comment(name),
            (name, version) => comment(&format!("{name} {version}")),
        };
        format!(
            "\
# How Tamis filters the output of {server}. Written by `tamis init`; change it as you like.
#
# The first chain that names a tool filters the tool's results: its steps run in order.
# A running `tamis run` uses a new version of this file as soon as you save it.
#
#   tamis check filters.toml             find mistakes
#   tamis explain TOOL -c filters.toml   show which chain a tool has, and why
#   tamis test filters.toml              run the tests at the end of this file
"
        )
    }

    fn list(&self) -> String {
        let mut text = String::from("\n# The tools of this server");
        let measured = self.findings.iter().any(Option::is_some);
        text += if measured {
            ", and the tokens (o200k) of their results, before and after:\n#\n"
        } else {
            ":\n#\n"
        };
        for (tool, finding) in self.tools.iter().zip(self.findings).take(LISTED) {
            let _ = write!(text, "#   {}", comment(&tool.name));
            for hint in hints(tool) {
                let _ = write!(text, " · {hint}");
            }
            text.push('\n');
            if let Some(line) = first_line(tool) {
                let _ = writeln!(text, "#     {line}");
            }
            if let Some(finding) = finding {
                let _ = writeln!(text, "#     {}", account(finding.measure()));
            }
        }
        if self.tools.len() > LISTED {
            let _ = writeln!(text, "#   and {} more", self.tools.len() - LISTED);
        }
        text
    }

    /// How to take a tool away, where the server itself says that one is dangerous.
    fn hiding(&self) -> String {
        let dangerous = |tool: &&Tool| tool.destructive == Some(true);
        let Some(tool) = self.tools.iter().find(dangerous) else {
            return String::new();
        };
        format!(
            "\n# A tool that no agent should have:\n#\n# [tool.{}]\n# hidden = true\n",
            key(&tool.name)
        )
    }

    fn tests(&self) -> String {
        if self.tests.is_empty() {
            let tool = self.tools.iter().find(|tool| is_plain(&tool.name));
            let tool = tool.map_or("TOOL", |tool| tool.name.as_str());
            return format!(
                "\
# A test checks what a chain makes of a result. `tamis init --results FILE…` writes one; by hand:
#
# [[test]]
# tool = {}
# input-file = \"fixtures/result.json\"
# max-tokens = 500
",
                quote(tool)
            );
        }
        let tests: Vec<String> = self.tests.iter().map(Test::text).collect();
        format!("# Tests of the chains above.\n{}", tests.join("\n"))
    }
}

impl Test {
    fn text(&self) -> String {
        let mut text = String::from("[[test]]\n");
        let name = format!("{}, as it answered", self.tool);
        if is_name(&name) {
            let _ = writeln!(text, "name = {}", quote(&name));
        }
        let _ = writeln!(text, "tool = {}", quote(&self.tool));
        if let Some(arguments) = arguments(&self.arguments) {
            let _ = writeln!(text, "arguments = {arguments}");
        }
        let _ = writeln!(text, "input-file = {}", quote(&self.input_file));
        if let Some(word) = &self.word {
            let _ = writeln!(text, "contains = [{}]", quote(word));
        }
        let _ = writeln!(
            text,
            "max-tokens = {}   # of the whole result, which has {} unfiltered",
            self.tokens_after,
            grouped(self.tokens_before)
        );
        text
    }
}

/// The chain of one tool, with what the one for all would do.
fn own_chain(tool: &Tool, base: Option<Measure>, own: &(Vec<String>, Measure)) -> String {
    let (lines, measure) = own;
    let name = quote(&tool.name);
    let mut text = format!("\n# {}: {}", comment(&tool.name), account(*measure));
    if let Some(base) = base {
        let _ = write!(
            text,
            ".\n# With the chain `{BASE_NAME}` it would be {}",
            grouped(base.after)
        );
    }
    text += ".\n[[chain]]\n";
    if is_name(&tool.name) && tool.name != BASE_NAME {
        let _ = writeln!(text, "name = {name}");
    }
    let _ = writeln!(text, "tools = [{name}]");
    text + &lines.join("\n") + "\n"
}

/// Whether a chain can be bound to this tool alone.
pub(super) fn can_be_bound(tool: &Tool) -> bool {
    !tool.name.contains('*') && ToolPattern::new(tool.name.as_str()).is_ok()
}

/// What was measured, in words.
pub(super) fn account(measure: Measure) -> String {
    let results = match measure.results {
        1 => "1 result".to_owned(),
        results => format!("{results} results"),
    };
    let change = change(measure.before, measure.after, measure.saved_percent());
    let cut = match measure.cut {
        0 => String::new(),
        cut => format!(
            "; {cut} cut (all of it can be read back), uncut {}",
            grouped(measure.uncut)
        ),
    };
    format!("{results}: {change}{cut}")
}

/// `1,234 → 567 tokens (54.1 % less)`
pub(super) fn change(before: u64, after: u64, saved_percent: f64) -> String {
    if before == after {
        return format!("{} tokens, unchanged", grouped(before));
    }
    format!(
        "{} → {} tokens ({saved_percent:.1} % less)",
        grouped(before),
        grouped(after)
    )
}

/// What the server says of a tool beside its description.
fn hints(tool: &Tool) -> Vec<&'static str> {
    let mut hints = Vec::new();
    match tool.read_only {
        Some(true) => hints.push("read-only"),
        Some(false) => hints.push("writes"),
        None => {}
    }
    match tool.destructive {
        Some(true) => hints.push("destructive"),
        Some(false) if tool.read_only != Some(true) => hints.push("not destructive"),
        Some(false) | None => {}
    }
    hints
}

fn first_line(tool: &Tool) -> Option<String> {
    let lines = tool.description.as_deref()?.lines().map(str::trim);
    let line = lines.into_iter().find(|line| !line.is_empty())?;
    let short: String = line.chars().take(DESCRIBED).collect();
    let more = if short.len() < line.len() { "…" } else { "" };
    Some(comment(&short) + more)
}

/// Text of others in a comment.
fn comment(text: &str) -> String {
    printable::line(text)
}

/// A text as TOML.
fn quote(text: &str) -> String {
    let is_printed = printable::line(text) == text && !text.contains(['"', '\\']);
    if is_printed {
        return format!("\"{text}\"");
    }
    toml::Value::String(text.to_owned()).to_string()
}

/// The arguments of a call as a table of TOML on one line. None: there are none, or one is null, which TOML
/// does not have.
fn arguments(arguments: &Map<String, Value>) -> Option<String> {
    let table = toml::Value::try_from(arguments).ok()?;
    (!arguments.is_empty()).then(|| table.to_string())
}

/// A name as a key of TOML.
fn key(name: &str) -> String {
    if is_plain(name) {
        name.to_owned()
    } else {
        quote(name)
    }
}

/// Whether it is a key of TOML without quotes, as nearly all names of tools are.
fn is_plain(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    !name.is_empty() && name.chars().all(is_plain)
}

fn is_name(text: &str) -> bool {
    !text.trim().is_empty()
        && text.chars().count() <= LONGEST_NAME
        && !text.chars().any(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::built_in;
    use crate::policy::{Piece, Policy, Source, Surface};
    use serde_json::json;

    fn tool(name: &str, description: &str) -> Tool {
        Tool {
            name: name.to_owned(),
            description: Some(description.to_owned()),
            read_only: None,
            destructive: Some(true),
            needs_arguments: false,
        }
    }

    #[test]
    fn what_a_hostile_server_says_stays_in_comments_and_strings() {
        let names = [
            "plain",
            "default",
            "a\"b",
            "'''",
            "\"\"\"\"",
            "back\\slash",
            "käse",
            "a*b",
            "two words",
            "line\n[[chain]]",
            "\u{1b}[2J\u{202e}",
            "",
            "[]",
            "#",
        ];
        let tools: Vec<Tool> = names
            .iter()
            .map(|name| tool(name, "one\r[[plugin]]\u{2028}\n[[plugin]]"))
            .collect();
        let measure = Measure {
            results: 1,
            before: 1000,
            after: 100,
            cut: 1,
            uncut: 200,
        };
        let lines = vec!["steps = [\"ansi\"]".to_owned()];
        let finding = |tool: &Tool| Finding {
            base: measure,
            own: can_be_bound(tool).then(|| (lines.clone(), measure)),
        };
        let findings: Vec<Option<Finding>> = tools.iter().map(|it| Some(finding(it))).collect();
        for hostile in &tools {
            let said = Value::String(hostile.name.clone());
            let test = Test {
                tool: hostile.name.clone(),
                arguments: [(hostile.name.clone(), json!([1, {"a": said}]))]
                    .into_iter()
                    .collect(),
                input_file: "fixtures/result.json".to_owned(),
                tokens_before: 1000,
                tokens_after: 100,
                word: Some(hostile.name.clone()),
            };
            let server = ServerName {
                name: hostile.name.clone(),
                version: "\n[[chain]]".to_owned(),
            };
            let tests = [test];
            let page = Page {
                server: &server,
                tools: &tools,
                findings: &findings,
                base: &lines,
                tests: if hostile.name.is_empty() { &[] } else { &tests },
            };
            let text = page.text();
            let source = Source::new("filters.toml", text.clone()).expect("text");
            let policy = Policy::parse(source, &built_in::names());
            let policy = policy.unwrap_or_else(|report| panic!("{report}\nin\n{text}"));
            assert!(policy.plugins.is_empty());
            let bound = tools.iter().filter(|tool| can_be_bound(tool)).count();
            assert_eq!(policy.chains.len(), bound + 1);
            for tool in tools.iter().filter(|tool| can_be_bound(tool)) {
                let chain = policy.chain_for(&Piece::new(Surface::Result, &tool.name));
                let chain = &policy.chains[chain.expect("a chain")];
                assert_eq!(
                    chain.binding.patterns(Surface::Result)[0].as_str(),
                    tool.name
                );
            }
            let tested: Vec<_> = policy
                .tests
                .iter()
                .filter_map(|it| it.tool.clone())
                .collect();
            for (test, written) in policy.tests.iter().zip(page.tests) {
                let arguments: Value =
                    serde_json::from_str(test.arguments.as_deref().unwrap_or("{}")).expect("JSON");
                assert_eq!(arguments, Value::Object(written.arguments.clone()));
            }
            let named: Vec<_> = page.tests.iter().map(|it| it.tool.clone()).collect();
            assert_eq!(tested, named);
        }
    }
}
