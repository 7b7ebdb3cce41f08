//! `redact`: removes secrets and personal data from a document, and names their kinds.
//!
//! This module walks the document. It searches a text as it is. It searches strings, keys and numbers of JSON without
//! their escapes, and JSON inside a string as JSON. [`finder`] finds content to hide, and [`names`] replaces it.

mod anchors;
#[cfg(test)]
mod figures;
mod finder;
#[cfg(test)]
mod innocent;
mod named;
mod names;
mod numbers;
#[cfg(test)]
mod recall;
mod scan;
mod settings;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod times;

use crate::finder::{Find, Finder};
use crate::names::Names;
use crate::settings::{Preset, Replacement, Settings};
use std::borrow::Cow;
use std::collections::HashSet;
use tamis_formats::without_spelled_characters;
use tamis_sdk::{
    Call, Capability, Description, Document, Fidelity, Filter, Glob, Kind, Node, NodeKind, Splices,
    Verdict, quote, rewritten_text, unquote,
};

/// Levels of JSON inside strings that the filter searches.
const MOST_NESTED: usize = 6;
/// A string with escapes of this length or more is searched by itself, not with the whole document.
const LONG: usize = 64;
/// Levels of JSON that the host accepts.
const JSON_DEPTH: usize = 128;

struct Redact {
    finder: Finder,
    members: Vec<Glob>,
    with: Replacement,
    /// Whether the filter searches numbers, for cards.
    numbers: bool,
}

/// A text with names in place of its finds.
fn replaced(text: &str, finds: Vec<Find<'_>>, names: &mut Names<'_>) -> String {
    let mut new = String::with_capacity(text.len());
    let mut at = 0;
    for Find { start, end, kind } in finds {
        new.push_str(&text[at..start]);
        new.push_str(&names.name(kind, &text[start..end]));
        at = end;
    }
    new.push_str(&text[at..]);
    new
}

impl Redact {
    /// A text with its finds replaced, or none if it has no finds.
    fn text(&self, text: &str, names: &mut Names<'_>, nested: usize) -> Option<String> {
        let (mut said, mut finds) = self.finds(text);
        let inner = match finds.is_empty() && self.members.is_empty() && !text.contains('\\') {
            true => None,
            false => self.inner(text, names, nested),
        };
        if let Some(inner) = &inner {
            (said, finds) = self.finds(inner);
        }
        if finds.is_empty() {
            return inner;
        }
        Some(replaced(&said, finds, names))
    }

    /// The finds in a text. JSON among its words may spell a secret with escapes, which later steps and readers undo: then
    /// the text is that without them.
    fn finds<'t>(&self, text: &'t str) -> (Cow<'t, str>, Vec<Find<'_>>) {
        let finds = self.finder.find(text);
        if let Cow::Owned(written) = without_spelled_characters(text) {
            let found = self.finder.find(&written);
            let spelled = finds.iter().map(|find| &text[find.start..find.end]);
            let plain = found.iter().map(|find| &written[find.start..find.end]);
            if !plain.eq(spelled) {
                return (Cow::Owned(written), found);
            }
        }
        (Cow::Borrowed(text), finds)
    }

    /// A text that is JSON, filtered as JSON, so that numbers and keys stay numbers and keys.
    fn inner(&self, text: &str, names: &mut Names<'_>, nested: usize) -> Option<String> {
        let begins = text.trim_start().starts_with(['{', '[', '"']);
        if nested == 0 || !begins {
            return None;
        }
        let document = Document::nested(text.to_owned(), JSON_DEPTH)?;
        let mut changes = Changes::default();
        self.walk(&document, names, nested - 1, &mut changes);
        changes.applied(&document)
    }

    /// Notes every change of a JSON document.
    fn walk(
        &self,
        document: &Document,
        names: &mut Names<'_>,
        nested: usize,
        changes: &mut Changes,
    ) {
        // The search of the whole document finds nothing in most strings.
        let text = document.text();
        let is_escaped = text.contains('\\');
        let places = self.places(document, is_escaped);
        if places.as_ref().is_some_and(Vec::is_empty) && !is_escaped {
            return;
        }
        let mut place = 0;
        let mut is_idle = |node: Node<'_>| match &places {
            Some(places) => {
                let passed = places[place..].iter().take_while(|at| **at < node.start());
                place += passed.count();
                !node.is_escaped() && places.get(place).is_none_or(|at| *at >= node.end())
            }
            None => false,
        };
        let mut next = document.root();
        // Keys with their objects, collected at the first renamed key: two keys must not become one.
        let mut taken: Option<HashSet<(u32, String)>> = None;
        let mut owners: Vec<(u32, u32)> = Vec::new();
        // The key of this value. It may name a secret.
        let mut name: Option<String> = None;
        while let Some(node) = next {
            next = node.following();
            while owners.last().is_some_and(|(_, end)| node.start() >= *end) {
                owners.pop();
            }
            if !matches!(node.kind(), NodeKind::Key | NodeKind::String) {
                name = None;
            }
            let is_container = matches!(node.kind(), NodeKind::Object | NodeKind::Array);
            if is_container && !is_escaped && is_idle(node) {
                next = node.next();
                continue;
            }
            if !is_container && name.is_none() && is_idle(node) {
                continue;
            }
            match node.kind() {
                NodeKind::Object => owners.push((node.index(), node.end())),
                NodeKind::Key => {
                    let raw = document.raw(node);
                    let key = plain(node, &raw);
                    if self.is_hidden_member(&key)
                        && let Some(value) = node.following()
                    {
                        let said = document.raw(value);
                        let inner = said.trim_matches('"');
                        if !inner.is_empty() && !inner.starts_with(finder::MASK) {
                            changes.replace(value, &quote(&names.name("member", &said)));
                        }
                        next = value.next();
                        continue;
                    }
                    name = Some(key.to_string());
                    if let Some(mut new) = self.text(&key, names, 0) {
                        let owner = owners.last().map_or(0, |(index, _)| *index);
                        let taken = taken.get_or_insert_with(|| keys(document));
                        let base = new.clone();
                        let mut copy = 2;
                        while !taken.insert((owner, new.clone())) {
                            new = format!("{base}-{copy}");
                            copy += 1;
                        }
                        changes.replace(node, &quote(&new));
                    }
                }
                NodeKind::String => {
                    let raw = document.raw(node);
                    let said = plain(node, &raw);
                    let named = name
                        .take()
                        .and_then(|key| self.finder.named_value(&key, &said));
                    let mut new = self.text(&said, names, nested);
                    if let Some(start) = named
                        && !new
                            .as_deref()
                            .is_some_and(|new| new.get(start..).is_some_and(is_mask))
                    {
                        let mask = names.name(finder::NAMED, &said[start..]);
                        new = Some(said[..start].to_owned() + &mask);
                    }
                    if let Some(new) = new {
                        changes.replace(node, &quote(&new));
                    }
                }
                NodeKind::Number if self.numbers => {
                    let said = document.raw(node);
                    if said.len() >= 13
                        && let Some(new) = self.text(&said, names, 0)
                    {
                        changes.replace(node, &quote(&new));
                    }
                }
                _ => {}
            }
        }
    }

    /// Offsets of candidates outside of long strings with escapes, which are searched by themselves. None: anywhere.
    fn places(&self, document: &Document, is_escaped: bool) -> Option<Vec<u32>> {
        if !self.members.is_empty() || !self.finder.finds_all_candidates() {
            return None;
        }
        let (mut places, mut at) = (Vec::new(), 0);
        let mut next = document.root().filter(|_| is_escaped);
        while let Some(node) = next {
            next = node.following();
            let (start, end) = (node.start() as usize, node.end() as usize);
            if node.is_escaped() && end - start >= LONG {
                self.finder
                    .candidates(document.text(), at..start, &mut places);
                at = end;
            }
        }
        let text = document.text();
        self.finder.candidates(text, at..text.len(), &mut places);
        Some(places)
    }

    fn is_hidden_member(&self, key: &str) -> bool {
        if self.members.is_empty() {
            return false;
        }
        let key = key.to_lowercase();
        self.members.iter().any(|glob| glob.matches(&key))
    }
}

/// All keys of a document, with the indices of their objects.
fn keys(document: &Document) -> HashSet<(u32, String)> {
    let (mut keys, mut owners) = (HashSet::new(), Vec::new());
    let mut next = document.root();
    while let Some(node) = next {
        next = node.following();
        while owners.last().is_some_and(|(_, end)| node.start() >= *end) {
            owners.pop();
        }
        match node.kind() {
            NodeKind::Object => owners.push((node.index(), node.end())),
            NodeKind::Key => {
                let owner = owners.last().map_or(0, |(index, _)| *index);
                keys.insert((owner, plain(node, &document.raw(node)).into_owned()));
            }
            _ => {}
        }
    }
    keys
}

/// The key or string of a node without escapes. An unpaired surrogate becomes U+FFFD.
fn plain<'d>(node: Node<'_>, raw: &'d str) -> Cow<'d, str> {
    let spelled = raw.get(1..raw.len().saturating_sub(1)).unwrap_or_default();
    match node.is_escaped() {
        true => Cow::Owned(unquote(raw).unwrap_or_else(|| with_whole_characters(raw))),
        false => Cow::Borrowed(spelled),
    }
}

/// The text of a JSON string with unpaired surrogates.
fn with_whole_characters(raw: &str) -> String {
    let mut whole = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find('\\') {
        whole.push_str(&rest[..at]);
        let escape = &rest[at..];
        let unit = |text: &str| u16::from_str_radix(text.strip_prefix("\\u")?.get(..4)?, 16).ok();
        let (length, is_half) = match unit(escape) {
            Some(0xd800..=0xdbff) => match escape.get(6..).and_then(unit) {
                Some(0xdc00..=0xdfff) => (12, false),
                _ => (6, true),
            },
            Some(0xdc00..=0xdfff) => (6, true),
            Some(_) => (6, false),
            None => (2, false),
        };
        let (escape, after) = escape.split_at_checked(length).unwrap_or((escape, ""));
        whole.push_str(if is_half { "\\ufffd" } else { escape });
        rest = after;
    }
    whole.push_str(rest);
    unquote(&whole).unwrap_or(whole)
}

/// Whether a text is exactly one mask.
fn is_mask(text: &str) -> bool {
    let inner = text
        .strip_prefix(finder::MASK)
        .and_then(|it| it.strip_suffix(']'));
    inner.is_some_and(|inner| !inner.contains(']'))
}

/// Parts of a JSON document and the text that replaces them, in order.
#[derive(Default)]
struct Changes(Vec<(u32, u32, String)>);

impl Changes {
    fn replace(&mut self, node: Node<'_>, json: &str) {
        self.0.push((node.start(), node.end(), json.to_owned()));
    }

    /// The changed text, or none if nothing changed.
    fn applied(&self, document: &Document) -> Option<String> {
        let (text, mut new, mut at) = (document.text(), String::new(), 0);
        for (start, end, json) in &self.0 {
            new.push_str(&text[at..*start as usize]);
            new.push_str(json);
            at = *end as usize;
        }
        new.push_str(&text[at..]);
        (!self.0.is_empty()).then_some(new)
    }
}

impl Filter for Redact {
    type Settings = Settings;

    const SETTINGS_SCHEMA: &'static str = include_str!("../settings.schema.json");

    fn describe() -> Description {
        Description::new(
            "redact",
            env!("CARGO_PKG_VERSION"),
            env!("CARGO_PKG_DESCRIPTION"),
        )
        .fidelity(Fidelity::Partial)
        .wants(&[Capability::Session, Capability::Log])
        .may_grow()
        .snapshot()
    }

    fn configure(settings: Settings) -> Result<Self, String> {
        settings.check()?;
        Ok(Redact {
            finder: Finder::new(&settings)?,
            members: settings.member_globs(),
            with: settings.with,
            numbers: settings.hide.contains(&Preset::Cards) || !settings.patterns.is_empty(),
        })
    }

    fn apply(&self, document: &Document, _call: &Call) -> Result<Verdict, String> {
        let mut names = Names::new(&self.with);
        let mut splices = Splices::new();
        if document.kind() == Kind::Json {
            let mut changes = Changes::default();
            self.walk(document, &mut names, MOST_NESTED, &mut changes);
            for (start, end, json) in &changes.0 {
                splices.replace(*start, *end, json);
            }
        } else {
            let text = document.text();
            let (said, finds) = self.finds(text);
            if let Cow::Owned(written) = said {
                let new = replaced(&written, finds, &mut names);
                names.report();
                return Ok(rewritten_text(new));
            }
            for Find { start, end, kind } in finds {
                splices.replace(
                    start as u32,
                    end as u32,
                    &names.name(kind, &text[start..end]),
                );
            }
        }
        names.report();
        Ok(splices.into())
    }
}

tamis_sdk::export!(Redact);
