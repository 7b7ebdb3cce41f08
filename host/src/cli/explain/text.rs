//! An account in words, for a person.

use super::account::{Account, Candidate, Fit, Shape, Used, Visibility};
use super::steps::{ExplainedStep, From};
use crate::chain::WHY_NO_ORIGINAL;
use crate::printable;
use anstyle::{AnsiColor, Style};
use std::fmt::Write;

/// Longest value of a setting that is shown whole, in characters.
const VALUE_CHARS: usize = 120;

/// Patterns of a chain that are listed.
const PATTERNS: usize = 8;

pub(super) fn render(account: &Account, colour: bool) -> String {
    let mut page = Page {
        text: String::new(),
        colour,
    };
    page.account(account);
    page.text
}

struct Page {
    text: String,
    colour: bool,
}

impl Page {
    fn line(&mut self, depth: usize, line: &str) {
        let _ = writeln!(self.text, "{:1$}{line}", "", 2 * depth);
    }

    fn paint(&self, style: Style, text: &str) -> String {
        let style = if self.colour { style } else { Style::new() };
        format!("{style}{text}{style:#}")
    }

    fn bold(&self, text: &str) -> String {
        self.paint(Style::new().bold(), text)
    }

    fn faint(&self, text: &str) -> String {
        self.paint(Style::new().dimmed(), text)
    }

    fn account(&mut self, account: &Account) {
        let of = match account.name.as_str() {
            "" => account.surface.name().to_owned(),
            name => format!("{} ({})", self.bold(name), account.surface.name()),
        };
        match &account.chain {
            Some(chain) => {
                // A chain without a name is called by its number: `chain 1`.
                let is_numbered = chain.name.starts_with("chain ");
                let word = if is_numbered { "" } else { "chain " };
                let name = self.bold(&chain.name);
                self.line(0, &format!("{of}: {word}{name}, {}", chain.place));
            }
            None => {
                let first = |candidate: &Candidate| candidate.verdict == Fit::First;
                let rest = match account.candidates.iter().any(first) {
                    true => "so only the chains for every message run",
                    false => "so it passes byte for byte",
                };
                let file = &account.file;
                self.line(0, &format!("{of}: no chain of {file} matches, {rest}"));
            }
        }
        self.line(0, "");
        self.line(0, &self.bold("Why"));
        if account.candidates.is_empty() {
            self.line(1, "the policy has no chains");
        }
        for candidate in &account.candidates {
            self.candidate(candidate, account.surface.name());
        }
        if let Some(visibility) = &account.visibility {
            self.visibility(visibility);
        }
        if let Some(chain) = &account.chain {
            self.chain(chain);
        }
    }

    fn candidate(&mut self, candidate: &Candidate, surface: &str) {
        let patterns = listed(&candidate.patterns);
        let (mark, why) = match candidate.verdict {
            Fit::First => ("→", "gets every message of the server first".to_owned()),
            Fit::Used if candidate.patterns.is_empty() => {
                ("→", format!("it is bound to {surface}"))
            }
            Fit::Used => (
                "→",
                format!("{patterns} matches, and no earlier chain does"),
            ),
            Fit::Later if candidate.patterns.is_empty() => (" ", "comes later".to_owned()),
            Fit::Later => (" ", format!("{patterns} matches too, but is later")),
            Fit::OtherConditions => (" ", format!("{patterns} matches, but not what it requires")),
            Fit::NoPattern => (" ", format!("does not match {patterns}")),
            Fit::OtherSurface => (" ", format!("is for {}", candidate.on.join(", "))),
        };
        let name = match candidate.verdict {
            Fit::First | Fit::Used => {
                self.paint(AnsiColor::Green.on_default().bold(), &candidate.name)
            }
            _ => candidate.name.clone(),
        };
        let place = self.faint(&candidate.place);
        let conditions = match candidate.conditions.is_empty() {
            true => String::new(),
            false => format!(
                "; requires {}",
                printable::line(&candidate.conditions.join(", "))
            ),
        };
        self.line(1, &format!("{mark} {name}: {why}{conditions}  {place}"));
    }

    fn visibility(&mut self, visibility: &Visibility) {
        self.line(0, "");
        self.line(0, &self.bold("For clients"));
        match &visibility.refusal {
            None => self.line(1, "the tool is listed, if the server has it"),
            Some(refusal) => {
                self.line(
                    1,
                    "the tool is not listed, and a call of it is answered with",
                );
                self.line(2, refusal);
            }
        }
        for (profile, is_part) in &visibility.profiles {
            let word = if *is_part { "is" } else { "is not" };
            self.line(1, &format!("it {word} part of the profile `{profile}`"));
        }
    }

    fn chain(&mut self, chain: &Used) {
        self.line(0, "");
        self.line(0, &self.bold("Steps"));
        for (index, step) in chain.steps.iter().enumerate() {
            self.step(index + 1, step);
        }
        self.line(0, "");
        self.line(0, &self.bold("Output"));
        self.line(
            1,
            match (chain.hides, chain.may_cut) {
                (true, _) => {
                    "the chain redacts: if a step fails, the result is withheld; no original is stored"
                }
                (false, true) => {
                    "content may be cut: the original is stored first, and a line names it"
                }
                (false, false) => "nothing is cut",
            },
        );
        let each = match chain.blocks {
            "merge" => "text blocks that are all JSON are one document",
            _ => "each text block is a document",
        };
        let less = format!("a change that does not save {} is discarded", chain.guard);
        self.line(1, &format!("{each}; {less}"));
        if let Some(shape) = &chain.structured {
            self.shape(shape);
        }
    }

    fn shape(&mut self, shape: &Shape) {
        let structured = match &shape.declared {
            Some((value, place)) => format!("structured = \"{value}\"  {}", self.faint(place)),
            None => format!("structured: by client  {}", self.faint("default")),
        };
        self.line(1, &structured);
        if let Some(audience) = shape.audience {
            self.line(1, &format!("audience = \"{audience}\""));
        }
        let rows: Vec<[String; 3]> = shape
            .clients
            .iter()
            .map(|client| {
                let sees = match client.sees {
                    Some("structured") => "structuredContent, else the text",
                    Some("content") => "the text",
                    Some(_) => "text and structuredContent",
                    None => "(not known)",
                };
                let gets = match client.structured {
                    "keep" => "filtered text, structuredContent unchanged",
                    "rewrite" => "both filtered, within the outputSchema",
                    _ => "one filtered text, no structuredContent",
                };
                let blocks = if client.user_blocks_left_out {
                    "; without blocks for the user alone"
                } else {
                    ""
                };
                [
                    client.client.clone(),
                    sees.to_owned(),
                    format!("{gets}{blocks}"),
                ]
            })
            .collect();
        let width = |column: usize| {
            let cells = rows.iter().map(|row| row[column].chars().count());
            cells.max().unwrap_or(0)
        };
        let (first, second) = (width(0).max(6), width(1).max(16));
        let head = format!(
            "{:first$}  {:second$}  what it gets",
            "client", "its model reads"
        );
        self.line(2, &self.faint(&head));
        for [client, sees, gets] in rows {
            self.line(2, &format!("{client:first$}  {sees:second$}  {gets}"));
        }
    }

    fn step(&mut self, number: usize, step: &ExplainedStep) {
        let name = self.bold(&step.filter);
        let shadow = if step.shadow {
            ", in shadow mode: its change is discarded"
        } else {
            ""
        };
        let place = self.faint(&step.place);
        self.line(
            1,
            &format!(
                "{number}. {name} {}{shadow}  {place}",
                printable::line_with_tabs(&step.version)
            ),
        );
        if let Some(via) = &step.via {
            self.line(3, &format!("from `{via}`"));
        }
        self.line(3, &printable::line_with_tabs(&step.summary));
        if let Some((path, place)) = &step.plugin {
            self.line(3, &format!("plugin {path}  {}", self.faint(place)));
        }
        let fidelity = match step.fidelity {
            "exact" => "exact: the same JSON in another form",
            "equivalent" => "equivalent: removes only nulls, empty values and white space",
            _ => "partial: it cuts content",
        };
        self.line(3, &format!("fidelity  {fidelity}"));
        if step.lacks_original {
            let why = format!("original  none, so it changes nothing here: {WHY_NO_ORIGINAL}");
            self.line(3, &why);
        }
        let growth = match step.growth {
            "interim" => Some("may make a document larger for a later step"),
            "lasting" => Some("may make a document larger on purpose"),
            _ => None,
        };
        if let Some(growth) = growth {
            self.line(3, &format!("growth    {growth}"));
        }
        let size = match step.least_bytes {
            0 => String::new(),
            least => format!(" has at least {least} bytes"),
        };
        let literals = match step.triggers.as_slice() {
            [] => String::new(),
            literals => format!(" contains one of: {}", listed(literals)),
        };
        let triggers = match (&*size, &*literals) {
            ("", "") => "always called".to_owned(),
            ("", condition) | (condition, "") => format!("called if the document{condition}"),
            (size, literals) => format!("called if the document{size}, and{literals}"),
        };
        self.line(3, &format!("triggers  {triggers}"));
        for grant in &step.grants {
            let word = match (grant.granted, grant.wanted) {
                (true, true) => "granted",
                (true, false) => "granted, not asked for",
                (false, _) => "asked for, not granted",
            };
            self.line(3, &format!("grant     {}: {word}", grant.name));
        }
        if let Some(legend) = &step.legend {
            self.line(
                3,
                "legend, sent with the first result of a session that needs it:",
            );
            for line in legend.lines() {
                self.line(4, &printable::line_with_tabs(line));
            }
        }
        self.line(3, "settings");
        if step.settings.is_empty() {
            self.line(4, "it has none");
        }
        let width = step
            .settings
            .iter()
            .map(|setting| setting.key.chars().count());
        let width = width.max().unwrap_or(0);
        for setting in &step.settings {
            let value = setting.value.as_ref().map(ToString::to_string);
            let value = clip(&value.unwrap_or_else(|| "(not set)".to_owned()));
            let origin = self.origin(&setting.from);
            self.line(4, &format!("{:width$}  {value}  {origin}", setting.key));
        }
        self.limits(step);
    }

    /// Limits that somebody set a line each, the others in one.
    fn limits(&mut self, step: &ExplainedStep) {
        self.line(3, "limits");
        let (default, set): (Vec<_>, Vec<_>) = step
            .limits
            .iter()
            .partition(|limit| matches!(limit.from, From::Default));
        for limit in set {
            let origin = self.origin(&limit.from);
            self.line(4, &format!("{} {}  {origin}", limit.name, limit.value));
        }
        if !default.is_empty() {
            let all = default
                .iter()
                .map(|limit| format!("{} {}", limit.name, limit.value));
            let all: Vec<String> = all.collect();
            let origin = self.faint("default");
            self.line(4, &format!("{}  {origin}", all.join(", ")));
        }
        let (value, from) = &step.on_error;
        let origin = self.origin(from);
        self.line(3, &format!("on-error  {value}  {origin}"));
    }

    fn origin(&self, from: &From) -> String {
        let text = match from.place() {
            None => from.name().to_owned(),
            Some(place) => format!("{}, {place}", from.name()),
        };
        self.faint(&text)
    }
}

fn listed(patterns: &[String]) -> String {
    let shown = patterns.iter().take(PATTERNS);
    let shown: Vec<String> = shown
        .map(|pattern| format!("`{}`", printable::line_with_tabs(pattern)))
        .collect();
    let more = patterns.len().saturating_sub(PATTERNS);
    match more {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

fn clip(value: &str) -> String {
    if value.chars().count() <= VALUE_CHARS {
        return value.to_owned();
    }
    let shown: String = value.chars().take(VALUE_CHARS).collect();
    format!("{shown}…")
}
