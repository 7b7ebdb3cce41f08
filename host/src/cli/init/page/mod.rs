//! The text of a starter filters.toml, and of additions to a file that exists.
//!
//! Names and descriptions come from a server that may be hostile. In comments they are on one line, without
//! characters that a terminal would hide, and in TOML they are quoted.

mod test;
#[cfg(test)]
mod tests;
mod words;

use super::chains::{self, Finding, Measure};
use super::listing::{Asked, Listing};
use super::plan::{BASE_NAME, Planned};
use crate::mcp::inquiry::Tool;
use crate::numbers::grouped;
use std::fmt::Write;
use words::{DESCRIBED, NAMED, comment, is_plain, key, list, quote};

pub(super) use test::Test;
pub(super) use words::is_name;

/// Tools that are named in comments. Nobody reads more, and the file has a largest size.
const LISTED: usize = 500;

/// Tools that the comment of a chain gives figures for.
const MEASURED: usize = 20;

/// The content of the file.
pub(super) struct Page<'a> {
    pub(super) listing: &'a Listing,
    /// The measurements of each tool with results.
    pub(super) findings: &'a [Option<Finding>],
    /// Chains of tools with steps of their own.
    pub(super) own: &'a [Planned],
    /// A test for each chain with results.
    pub(super) tests: &'a [Test],
}

impl Page<'_> {
    /// A whole file. `base`: the lines of the chain of all tools that have none of their own.
    pub(super) fn text(&self, base: &[String]) -> String {
        let mut text = self.head();
        for server in 0..self.listing.servers.len() {
            text += &self.list(server, &|_| true);
        }
        text += &self.hiding();
        text += "\n# Chains of your own go here, above the others: Tamis uses the first that names a tool.\n";
        for chain in self.own {
            text += &self.chain(chain);
        }
        text += "\n";
        text += chains::of_files();
        text += "\n";
        text += match self.listing.servers[..] {
            [_] => "\n# All other tools, and those of later versions of the server.\n",
            _ => "\n# All other tools, and those of later versions of the servers.\n",
        };
        let _ = writeln!(text, "[[chain]]\nname = \"{BASE_NAME}\"\ntools = [\"*\"]");
        text += &base.join("\n");
        text += "\n\n";
        text + &self.tests()
    }

    /// The text to add to a file. `rest`: chains with the steps of the default policy. `wanted`: of each tool,
    /// whether a chain is added for it.
    pub(super) fn addition(&self, rest: &[Planned], wanted: &[bool]) -> String {
        let mut text = String::from(
            "# Added by `tamis init --merge`: chains for tools that no chain above takes.\n",
        );
        for server in 0..self.listing.servers.len() {
            if self.listing.tools_of(server).any(|tool| wanted[tool]) {
                text += &self.list(server, &|tool| wanted[tool]);
            }
        }
        for chain in self.own.iter().chain(rest) {
            text += &self.chain(chain);
        }
        if !self.tests.is_empty() {
            text.push('\n');
            text += &self.tests();
        }
        text
    }

    fn head(&self) -> String {
        let servers = match &self.listing.servers[..] {
            [server] => own_name(server).unwrap_or_else(|| "an MCP server".to_owned()),
            servers => format!("{} MCP servers", servers.len()),
        };
        format!(
            "\
# How Tamis filters the output of {servers}. Written by `tamis init`; change it as you like.
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

    /// A server and its tools, those that are to be shown.
    fn list(&self, server: usize, is_shown: &dyn Fn(usize) -> bool) -> String {
        let asked = &self.listing.servers[server];
        let tools: Vec<usize> = self
            .listing
            .tools_of(server)
            .filter(|tool| is_shown(*tool))
            .collect();
        let mut text = match (&self.listing.servers[..], asked.is_named) {
            ([_], false) => String::from("\n# The tools of this server"),
            _ => format!("\n# Server {}", self.server(asked)),
        };
        let measured = tools.iter().any(|tool| self.findings[*tool].is_some());
        text += if measured {
            ", and the tokens (o200k) of their results, before and after:\n#\n"
        } else {
            ":\n#\n"
        };
        let most = (LISTED / self.listing.servers.len()).max(2);
        for index in tools.iter().take(most) {
            let tool = &self.listing.tools[*index];
            let _ = write!(text, "#   {}", comment(&tool.name, NAMED));
            for hint in hints(tool) {
                let _ = write!(text, " · {hint}");
            }
            text.push('\n');
            if let Some(line) = first_line(tool) {
                let _ = writeln!(text, "#     {line}");
            }
            if let Some(finding) = &self.findings[*index] {
                let _ = writeln!(text, "#     {}", account(finding.measure()));
            }
        }
        if tools.len() > most {
            let _ = writeln!(text, "#   and {} more", tools.len() - most);
        }
        if tools.is_empty() {
            text += "#   none\n";
        }
        text
    }

    /// `files (Cursor; calls itself secure-filesystem-server 0.2.0)`, with a note if others have its name.
    fn server(&self, asked: &Asked) -> String {
        let mut about = asked.origins.clone();
        about.extend(own_name(asked).map(|name| format!("calls itself {name}")));
        let mut text = comment(&asked.title, NAMED);
        if !about.is_empty() {
            let _ = write!(text, " ({})", comment(&about.join("; "), 3 * NAMED));
        }
        let same = self
            .listing
            .servers
            .iter()
            .filter(|server| server.name == asked.name);
        if same.count() > 1 {
            text += ", one of several with this name, which chains cannot tell apart";
        }
        text + ". Its tools"
    }

    /// How to take a tool away, where the server itself says that one is dangerous.
    fn hiding(&self) -> String {
        let dangerous = |tool: &&Tool| tool.destructive == Some(true) && tool.name.len() <= NAMED;
        let Some(tool) = self.listing.tools.iter().find(dangerous) else {
            return String::new();
        };
        format!(
            "\n# A tool that no agent should have:\n#\n# [tool.{}]\n# hidden = true\n",
            key(&tool.name)
        )
    }

    /// A chain, with its measured savings.
    fn chain(&self, chain: &Planned) -> String {
        let mut text = String::new();
        for index in chain.measured.iter().take(MEASURED) {
            let Some(finding) = &self.findings[*index] else {
                continue;
            };
            let name = comment(&self.listing.tools[*index].name, NAMED);
            let of = match &chain.servers[..] {
                [] | [_] => String::new(),
                _ => format!(" of {}", comment(&self.listing.server(*index).title, NAMED)),
            };
            let _ = write!(
                text,
                "\n# {name}{of}: {}.\n# With the chain `{BASE_NAME}` it would be {}.",
                account(finding.measure()),
                grouped(finding.base.after)
            );
        }
        if chain.measured.len() > MEASURED {
            let _ = write!(text, "\n# And {} more.", chain.measured.len() - MEASURED);
        }
        text += "\n[[chain]]\n";
        if let Some(name) = &chain.name {
            let _ = writeln!(text, "name = {}", quote(name));
        }
        if !chain.servers.is_empty() {
            let _ = writeln!(text, "servers = {}", list(&chain.servers));
        }
        let _ = writeln!(text, "tools = {}", list(&chain.tools));
        text + &chain.lines.join("\n") + "\n"
    }

    fn tests(&self) -> String {
        if self.tests.is_empty() {
            let tools = self.listing.tools.iter();
            let tool = tools.map(|tool| tool.name.as_str());
            let tool = tool
                .into_iter()
                .find(|name| is_plain(name) && name.len() <= NAMED)
                .unwrap_or("TOOL");
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

/// A server's own name. None: it has none.
fn own_name(server: &Asked) -> Option<String> {
    match (server.says.name.as_str(), server.says.version.as_str()) {
        ("", _) => None,
        (name, "") => Some(comment(name, NAMED)),
        (name, version) => Some(comment(&format!("{name} {version}"), NAMED)),
    }
}

/// The measured savings, in words.
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

/// The server's hints about a tool, other than its description.
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
    Some(comment(line, DESCRIBED))
}
