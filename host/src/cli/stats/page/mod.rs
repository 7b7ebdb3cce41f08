//! A report as one HTML page with charts.
//!
//! The page loads nothing and runs nothing: no scripts, no fonts, no images from anywhere, and a policy
//! (`Content-Security-Policy`) that says so, in case a name gets past the escaping. Charts are SVG whose
//! lengths are percentages, so that they fit any width while their labels keep their size. Each has a table
//! below it with the same numbers.

mod axis;
mod bars;
mod days;
mod failures;
mod markup;
mod over_time;
mod rows;
mod sections;
mod tables;

use super::{Rows, inexact, lost};
use crate::ledger::{Report, Row};
use crate::numbers::{grouped, short, signed};
use crate::printable;
use crate::tokens;
use days::Days;
use markup::{Text, percent};
use std::fmt;

const STYLE: &str = include_str!("style.css");

/// The allowed scripts, fonts and images: none.
const CONTENT_POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// Everything that one page is made of: the same calls, summed four times.
pub(super) struct Page<'a> {
    pub(super) day: Report,
    pub(super) tool: Report,
    pub(super) filter: Report,
    pub(super) client: Report,
    /// Only calls of this one.
    pub(super) server: Option<&'a str>,
    /// When, by this machine's clocks.
    pub(super) written: &'a str,
}

/// The page without numbers. `why`: in words, with commands between backticks.
pub(super) fn nothing(title: &str, why: &str, written: &str) -> String {
    let paragraphs: Vec<String> = why.lines().map(paragraph).collect();
    let body = format!(
        "<section class=\"card\">\n<h2>{}</h2>\n{}</section>\n",
        Text(title),
        paragraphs.concat()
    );
    document(&format!("{}{body}{}", heading(""), footer(written, "")))
}

fn paragraph(line: &str) -> String {
    let mut html = String::from("<p>");
    for (index, words) in line.split('`').enumerate() {
        let words = Text(words);
        html += &match index % 2 {
            0 => words.to_string(),
            _ => format!("<code>{words}</code>"),
        };
    }
    html + "</p>\n"
}

impl fmt::Display for Page<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let days = Days::of(&self.day);
        let body = [
            heading(&self.scope(&days)),
            self.headline(),
            self.losses(),
            over_time::section(&days),
            sections::by_name(Rows::Tool, &self.tool),
            sections::by_filter(&self.filter),
            sections::by_name(Rows::Client, &self.client),
            failures::section(&self.filter),
            footer(self.written, &self.notes()),
        ];
        f.write_str(&document(&body.concat()))
    }
}

impl Page<'_> {
    /// The scope of the numbers.
    fn scope(&self, days: &Days) -> String {
        let mut scope = days.range();
        let servers = self.server.map_or_else(
            || self.day.servers.iter().map(String::as_str).collect(),
            |server| vec![server],
        );
        let name = |server: &str| markup::name(&printable::line(server));
        let names: Vec<String> = servers.into_iter().take(8).map(name).collect();
        if !names.is_empty() {
            let word = if names.len() == 1 {
                "server"
            } else {
                "servers"
            };
            scope += &format!(" · {word} {}", names.join(", "));
        }
        if self.server.is_none() && self.day.servers.len() > names.len() {
            scope += &format!(" and {} more", self.day.servers.len() - names.len());
        }
        format!("<p class=\"scope\">{scope}</p>\n")
    }

    fn headline(&self) -> String {
        let total = &self.day.total;
        let net = total.net_saved_tokens();
        let tone = if net < 0 { " bad" } else { "" };
        let tiles = [
            tile(
                &format!("main{tone}"),
                "Net saved",
                &percent(total.net_saved_percent()),
                &format!("{} of {} tokens", signed(net), grouped(total.tokens_before)),
            ),
            tokens_tile(
                "before",
                "Bare",
                total.tokens_before,
                "shown to models without Tamis",
            ),
            tokens_tile(
                "after",
                "Shown",
                total.tokens_after,
                "shown to models with Tamis",
            ),
            tokens_tile("reread", "Read back", total.reread_tokens, &reads(total)),
            tile(
                "",
                "Listed <i>tokens</i>",
                &signed(total.listing_tokens),
                "added to the lists of tools",
            ),
            tile("", "Calls", &count(total.calls), &time(total)),
            tile(
                if total.failures > 0 { "bad" } else { "" },
                "Failures",
                &count(total.failures),
                &failures(total),
            ),
        ];
        let tiles = tiles.concat();
        format!(
            "<section aria-label=\"Headline numbers\">\n<dl class=\"tiles\">\n{tiles}</dl>\n</section>\n"
        )
    }

    /// Sessions in which Tamis cost more than it saved, in words.
    fn losses(&self) -> String {
        let lines = lost(&self.day).unwrap_or_default();
        let lines: Vec<String> = lines.lines().map(paragraph).collect();
        match lines.is_empty() {
            true => String::new(),
            false => format!(
                "<section class=\"card\" id=\"lost\">\n<h2>Lost</h2>\n{}</section>\n",
                lines.concat()
            ),
        }
    }

    fn notes(&self) -> String {
        let mut notes = vec![format!(
            "Tokens are {}. Bare: tokens that clients would have shown their models without Tamis.",
            tokens::ENCODING
        )];
        notes.push(
            "Listed: tokens that Tamis added to the list of tools, once for each call.".to_owned(),
        );
        notes.push(
            "Read back: answers of tamis_read; their tokens are subtracted from the saving."
                .to_owned(),
        );
        notes.push("A filter gets the output of the one before it. Tokens that were read back count against the filter that cut the most.".to_owned());
        if self.day.total.withheld > 0 {
            notes.push("No sum contains the tokens of withheld results: their content was redacted, not saved.".to_owned());
        }
        notes.extend(inexact(&self.day));
        format!("<p>{}</p>\n", Text(&notes.join(" ")))
    }
}

fn document(body: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{CONTENT_POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n\
         <title>What Tamis saved</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n{body}</main>\n</body>\n</html>\n"
    )
}

fn heading(scope: &str) -> String {
    format!("<header>\n<h1>What Tamis saved</h1>\n{scope}</header>\n")
}

fn footer(written: &str, notes: &str) -> String {
    let version = env!("CARGO_PKG_VERSION");
    format!("<footer>\n{notes}<p>Tamis {version}, {written}</p>\n</footer>\n")
}

fn tile(class: &str, label: &str, value: &str, detail: &str) -> String {
    format!(
        "<div class=\"tile {class}\"><dt>{label}</dt><dd><b>{value}</b><span>{}</span></dd></div>\n",
        Text(detail)
    )
}

fn tokens_tile(class: &str, label: &str, tokens: u64, detail: &str) -> String {
    let value = count(tokens);
    tile(class, &format!("{label} <i>tokens</i>"), &value, detail)
}

/// A number with all its digits, if they are few.
fn count(number: u64) -> String {
    if number < 10_000_000 {
        return grouped(number);
    }
    let short = short(number as f64);
    format!("<abbr title=\"{}\">{short}</abbr>", grouped(number))
}

fn reads(total: &Row) -> String {
    match total.reads {
        0 => "nothing was read back".to_owned(),
        1 => "1 answer of tamis_read".to_owned(),
        reads => format!("{} answers of tamis_read", grouped(reads)),
    }
}

fn failures(total: &Row) -> String {
    let meaning = "calls in which a filter failed";
    match total.withheld {
        0 => meaning.to_owned(),
        1 => format!("{meaning}; 1 result was withheld"),
        withheld => format!("{meaning}; {} results were withheld", grouped(withheld)),
    }
}

fn time(total: &Row) -> String {
    if total.calls == 0 {
        return "of tools with a chain".to_owned();
    }
    let each = total.time.as_secs_f64() * 1e3 / total.calls as f64;
    format!("{each:.1} ms of filtering each")
}
