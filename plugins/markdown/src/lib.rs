//! `markdown`: writes HTML as Markdown.
//!
//! Owns the choice of texts: a text document, and the strings of JSON that the settings name. [`page`] tells whether a
//! text is HTML, and [`files`] whether the call reads a file, which stays exact. [`tokens`] reads tags with the
//! tokenizer of the crate `html5gum`. [`survey`] reads the whole text once and looks for objections. [`writer`] reads
//! it again and writes. No data in memory nests as deep as the text, so depth is free, and the time is linear in the
//! text.
//!
//! A text that becomes Markdown begins with a mark, so that a second run leaves it unchanged.

mod containers;
mod element;
mod files;
mod inline;
mod page;
mod survey;
mod table;
#[cfg(test)]
mod tests;
mod tokens;
mod writer;

use crate::page::Page;
use serde::Deserialize;
use tamis_sdk::{
    Call, Description, Document, Edits, Fidelity, Filter, Node, NodeKind, Paths, Surface, Verdict,
    quote, rewritten_text,
};

/// The first line of a text that was HTML.
const MARK: &str = "[HTML as Markdown]";

/// The settings: which texts become Markdown.
#[derive(Deserialize, Default)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Settings {
    /// Paths of the strings of JSON that may be HTML, such as `content.rendered` or `**.body_html`: whole pages or
    /// parts of a page. Without paths, the filter only examines a result that is a text.
    members: Vec<String>,
    /// Accepts a result that is a part of a page, such as `<div>…</div>`. Otherwise a text must begin as a page does.
    fragments: bool,
    /// Treatment of the results of calls that read files.
    files: Files,
}

/// The treatment of results of calls that read files.
#[derive(Deserialize, Default, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
enum Files {
    /// They stay unchanged, because an agent may want to edit the file.
    #[default]
    Keep,
    /// They become Markdown too.
    Convert,
}

/// The filter.
pub struct Markdown {
    members: Option<Paths>,
    fragments: bool,
    files: Files,
}

impl Markdown {
    fn json(&self, document: &Document, root: Node<'_>, paths: &Paths) -> Verdict {
        let mut edits = Edits::new();
        let found = paths.find(document, root);
        let mut strings: Vec<Node<'_>> = found.iter().map(|found| found.value).collect();
        strings.sort_unstable_by_key(|node| node.index());
        // Two paths may lead to one string.
        strings.dedup_by_key(|node| node.index());
        for node in strings {
            // A string that is not Unicode stays.
            let text = (node.kind() == NodeKind::String).then(|| document.string(node));
            if let Some(text) = text.flatten()
                && let Some(new) = converted(&text, true)
            {
                let new = quote(&new);
                if new.len() < node.len_bytes() as usize {
                    edits.replace(node, &new);
                }
            }
        }
        edits.into()
    }
}

/// The text as Markdown. None if it is not certainly HTML, or would not become shorter.
fn converted(text: &str, fragments: bool) -> Option<String> {
    let page = Page::find(text, fragments)?;
    let survey = survey::survey(page.html, page.is_fragment)?;
    let mut out = String::with_capacity(page.html.len() / 2);
    out.push_str(MARK);
    out.push('\n');
    out.push_str(page.before);
    if !page.before.is_empty() && !page.before.ends_with('\n') {
        out.push('\n');
    }
    writer::write(page.html, survey, &mut out, text.len())?;
    (out.len() < text.len()).then_some(out)
}

impl Filter for Markdown {
    type Settings = Settings;

    const SETTINGS_SCHEMA: &'static str = include_str!("../settings.schema.json");

    fn describe() -> Description {
        Description::new(
            "markdown",
            env!("CARGO_PKG_VERSION"),
            env!("CARGO_PKG_DESCRIPTION"),
        )
        .fidelity(Fidelity::Partial)
        .idempotent()
    }

    fn configure(settings: Settings) -> Result<Self, String> {
        let members = (!settings.members.is_empty()).then(|| Paths::parse(&settings.members));
        Ok(Markdown {
            members: members
                .transpose()
                .map_err(|error| format!("`members`: {error}"))?,
            fragments: settings.fragments,
            files: settings.files,
        })
    }

    fn triggers(&self) -> Vec<String> {
        // In a string of JSON, `<` may be an escape.
        vec!["<".to_owned(), "\\u".to_owned()]
    }

    fn legend(&self) -> Option<String> {
        Some(format!(
            "A text that begins with {MARK} was HTML: its words, links, tables and code are all there; scripts, styles, comments and attributes are left out."
        ))
    }

    fn apply(&self, document: &Document, call: &Call) -> Result<Verdict, String> {
        // The call of a whole message is unknown, and changed arguments are not sent.
        if matches!(call.surface(), Surface::Arguments | Surface::Message) {
            return Ok(Verdict::Unchanged);
        }
        if self.files == Files::Keep && files::reads_a_file(call.tool(), call.arguments()) {
            return Ok(Verdict::Unchanged);
        }
        match (document.root(), &self.members) {
            (Some(root), Some(paths)) => Ok(self.json(document, root, paths)),
            (Some(_), None) => Ok(Verdict::Unchanged),
            (None, _) => {
                let new = converted(document.text(), self.fragments);
                Ok(new.map_or(Verdict::Unchanged, rewritten_text))
            }
        }
    }
}

tamis_sdk::export!(Markdown);
