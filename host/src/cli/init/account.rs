//! The account of an `init`, for a person and for machines.

use super::Arguments;
use super::chains::Measure;
use super::listing::shown;
use super::merge::{Existing, Standing};
use super::page::{self, Test};
use super::plan::Planned;
use super::survey::Survey;
use crate::printable;
use crate::shell;
use crate::system::files;
use crate::tokens;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Most names in a line.
const NAMED: usize = 10;

/// The changes to the file.
pub(super) struct Done<'a> {
    pub(super) survey: &'a Survey,
    /// The existing file; none: the file is a new one.
    pub(super) merged: Option<Merged<'a>>,
    /// The chains that were written. Of a new file, without the one for all tools.
    pub(super) chains: &'a [Planned],
    pub(super) tests: &'a [Test],
    /// Whether a chain was written for each tool.
    pub(super) wanted: &'a [bool],
    /// Tools to which no chain could be bound.
    pub(super) odd: &'a [String],
}

/// A file that existed.
pub(super) struct Merged<'a> {
    pub(super) existing: &'a Existing,
    pub(super) standings: &'a [Standing],
    /// Its user trusted it in that form.
    pub(super) was_trusted: bool,
}

impl Done<'_> {
    fn is_unchanged(&self) -> bool {
        self.merged.is_some() && self.chains.is_empty()
    }

    /// The findings and the next steps, for a person.
    pub(super) fn text(&self, arguments: &Arguments) -> String {
        let mut text = String::new();
        let file = shell::word(&arguments.output);
        let count = self.wanted.iter().filter(|is_wanted| **is_wanted).count();
        let mut tools = counted(count, "tool");
        if self.survey.listing.servers.len() > 1 {
            tools += &format!(" of {} servers", self.survey.listing.servers.len());
        }
        match &self.merged {
            None if arguments.is_to_stdout() => {}
            None => {
                let _ = writeln!(text, "written: {file}, for {tools}");
            }
            Some(merged) => {
                if self.is_unchanged() {
                    let _ = writeln!(text, "nothing is added to {file}");
                } else {
                    let _ = writeln!(
                        text,
                        "added to {file}: {} and {}, for {tools}",
                        counted(self.chains.len(), "chain"),
                        counted(self.tests.len(), "test")
                    );
                }
                text += &self.known(merged);
            }
        }
        if !self.odd.is_empty() {
            let _ = writeln!(
                text,
                "without a chain, because no pattern stands for their names alone: {}",
                names(self.odd.iter().map(String::as_str))
            );
        }
        match self.survey.total(self.wanted) {
            _ if self.is_unchanged() => {}
            Some(total) => {
                let _ = writeln!(text, "expected, from {}", page::account(total));
            }
            None => {
                text += "no savings measured, because Tamis has no results of these tools (--results, --try, --call)\n";
            }
        }
        let read: Vec<String> = self
            .tests
            .iter()
            .map(|test| shell::word(path_in(arguments.folder(), &test.input_file)))
            .collect();
        if !read.is_empty() {
            let _ = writeln!(
                text,
                "its tests read {}: check the content before you share it",
                read.join(", ")
            );
        }
        for (candidate, why) in &self.survey.failed {
            let line = format!("left out: {}: {why}", candidate.described());
            let _ = writeln!(text, "{}", printable::line(&line));
        }
        if !arguments.is_to_stdout() && !self.is_unchanged() {
            text += &self.next(arguments, &file);
        }
        text
    }

    /// The chains that the file had for these tools.
    fn known(&self, merged: &Merged<'_>) -> String {
        let mut text = String::new();
        let mut counts: Vec<(usize, usize)> = Vec::new();
        let mut hidden = 0;
        for standing in merged.standings {
            match standing {
                Standing::Chain(chain) => {
                    match counts.iter_mut().find(|(known, _)| known == chain) {
                        Some((_, count)) => *count += 1,
                        None => counts.push((*chain, 1)),
                    }
                }
                Standing::Hidden => hidden += 1,
                Standing::Open => {}
            }
        }
        counts.sort_unstable();
        for (chain, count) in &counts {
            let name = merged.existing.chain(*chain);
            let _ = match merged.existing.takes_all(*chain) {
                true => writeln!(
                    text,
                    "already present: the chain {name} takes every tool that no chain above it takes"
                ),
                false => writeln!(
                    text,
                    "already present: the chain {name} takes {} of these servers",
                    counted(*count, "tool")
                ),
            };
        }
        if hidden > 0 {
            let _ = writeln!(text, "already present: {} hidden", are(hidden));
        }
        text
    }

    fn next(&self, arguments: &Arguments, file: &str) -> String {
        let whole = files::real_path(&arguments.output);
        let whole = shell::word(whole.as_ref().unwrap_or(&arguments.output));
        let mut text = format!("\nnext:\n  tamis check {file}\n");
        if !self.tests.is_empty() {
            let _ = writeln!(text, "  tamis test {file}");
        }
        if let Some(merged) = &self.merged {
            if merged.was_trusted {
                let _ = writeln!(
                    text,
                    "  tamis trust {file}\nbecause you trusted the old file: until then, Tamis serves nothing here"
                );
            }
            return text;
        }
        let _ = writeln!(text, "  tamis install --config {whole}");
        let servers = self.survey.listing.servers.iter();
        let lines: Vec<String> = servers
            .filter_map(|server| {
                let words: Vec<String> = server.words.as_ref()?.iter().map(shell::word).collect();
                Some(format!(
                    "  tamis run --config {whole} {}\n",
                    words.join(" ")
                ))
            })
            .collect();
        if !lines.is_empty() {
            text +=
                "or by hand, in your client's configuration in place of the server's command:\n";
            text += &lines.concat();
        }
        text
    }

    /// The account for machines.
    pub(super) fn json(&self, file: &Path) -> Value {
        let listing = &self.survey.listing;
        let servers = listing.servers.iter().map(|server| {
            json!({
                "name": server.name,
                "clients": server.origins,
                "calls_itself": server.says.name,
                "version": server.says.version,
            })
        });
        let tools = listing.tools.iter().enumerate().map(|(index, tool)| {
            let finding = self.survey.findings[index].as_ref();
            let standing = self
                .merged
                .as_ref()
                .map(|merged| (merged, merged.standings[index]));
            let has = match standing {
                Some((merged, Standing::Chain(chain))) => {
                    Some(merged.existing.policy.chains[chain].name.clone())
                }
                _ => None,
            };
            json!({
                "server": listing.server(index).name,
                "name": tool.name,
                "description": tool.description,
                "read_only": tool.read_only,
                "destructive": tool.destructive,
                "own_chain": finding.is_some_and(|measured| measured.own.is_some()),
                "measured": finding.map(|measured| measure(measured.measure())),
                "has_chain": has,
                "hidden": matches!(standing, Some((_, Standing::Hidden))),
            })
        });
        let chains = self.chains.iter().map(
            |chain| json!({"name": chain.name, "servers": chain.servers, "tools": chain.tools}),
        );
        let tests = self.tests.iter().map(
            |test| json!({"server": test.server, "tool": test.tool, "input_file": test.input_file}),
        );
        let failed = self.survey.failed.iter().map(|(candidate, why)| {
            json!({"name": candidate.title, "clients": candidate.origins, "reason": why})
        });
        json!({
            "file": file,
            "merged": self.merged.is_some(),
            "changed": !self.is_unchanged(),
            "servers": servers.collect::<Vec<_>>(),
            "tools": tools.collect::<Vec<_>>(),
            "chains": chains.collect::<Vec<_>>(),
            "tests": tests.collect::<Vec<_>>(),
            "without_chain": self.odd,
            "failed": failed.collect::<Vec<_>>(),
            "total": self.survey.total(self.wanted).map(measure),
            "encoding": tokens::ENCODING,
        })
    }
}

fn measure(measure: Measure) -> Value {
    json!({
        "results": measure.results,
        "tokens_before": measure.before,
        "tokens_after": measure.after,
        "cut": measure.cut,
        "tokens_uncut": measure.uncut,
    })
}

fn counted(count: usize, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        count => format!("{count} {what}s"),
    }
}

fn are(count: usize) -> String {
    match count {
        1 => "1 tool is".to_owned(),
        count => format!("{count} tools are"),
    }
}

fn names<'n>(all: impl Iterator<Item = &'n str>) -> String {
    let mut names: Vec<String> = all.map(shown).collect();
    let more = names.len().saturating_sub(NAMED);
    names.truncate(NAMED);
    let mut text = names.join(", ");
    if more > 0 {
        text += &format!(" and {more} more");
    }
    text
}

/// A path in a folder, without a `./`.
fn path_in(folder: &Path, inner: &str) -> PathBuf {
    if folder == Path::new(".") {
        return PathBuf::from(inner);
    }
    folder.join(inner)
}
