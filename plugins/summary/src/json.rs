//! A JSON document as it is told: what is kept, what is small, then its tables and its long texts.
//!
//! Owns which part of a document is told how, and how the room is shared out. Refuses to know how a
//! table or a text is told.

use crate::lines;
use crate::outline::{Outline, ROOT, Step};
use crate::paper::{Paper, characters, cut, listed, minified};
use crate::table::{self, Style};
use tamis_sdk::{Document, NodeKind};

/// Values that have no more characters than this stay as they are.
const SMALL_STRING: usize = 160;
const SMALL_VALUE: usize = 240;
/// Tables that are told at length; the others are named.
const TABLES: usize = 6;
/// The room of a table, or of a long text, is at least this, where it is told at all.
const LEAST_SHARE: usize = 160;

/// What a document is made of, outside its tables.
#[derive(Default)]
struct Parts {
    kept: Vec<(usize, String)>,
    small: Vec<(usize, String)>,
    tables: Vec<usize>,
    texts: Vec<usize>,
}

/// A document, taken apart.
pub struct Digest<'d> {
    outline: Outline<'d>,
    parts: Parts,
}

impl<'d> Digest<'d> {
    pub fn of(outline: Outline<'d>, keep: &[String]) -> Digest<'d> {
        let mut parts = Parts::default();
        sort(&outline, ROOT, keep, &mut parts);
        Digest { outline, parts }
    }

    pub fn outline(&self) -> &Outline<'d> {
        &self.outline
    }

    /// The table, or else the text, that is the largest part of the document.
    pub fn main(&self) -> usize {
        let bytes = |at: &&usize| self.outline.fields[**at].bytes;
        let tables = self.parts.tables.iter().rev().max_by_key(bytes);
        let texts = self.parts.texts.iter().rev().max_by_key(bytes);
        match (tables, texts) {
            (Some(table), Some(text)) if bytes(&text) > 4 * bytes(&table) => *text,
            (Some(at), _) | (None, Some(at)) => *at,
            (None, None) => {
                let small = self.parts.small.iter().rev().map(|(at, _)| at);
                small.max_by_key(bytes).copied().unwrap_or(ROOT)
            }
        }
    }

    /// Tells of it on `paper`.
    pub fn tell(&self, document: &Document, style: Style, paper: &mut Paper) {
        let (outline, parts) = (&self.outline, &self.parts);
        let mut kept = Paper::new(paper.left() * 2 / 3);
        for (at, value) in &parts.kept {
            let name = outline.path(ROOT, *at);
            let room = kept.left();
            kept.line(&cut(&format!("{name}: {value}"), room.saturating_sub(1)));
        }
        paper.paste(&kept);
        let has_more = !parts.tables.is_empty() || !parts.texts.is_empty();
        let room = if has_more { 3 } else { 1 };
        let mut small = Paper::new(paper.left() / room);
        let all: Vec<String> = parts
            .small
            .iter()
            .map(|(at, value)| format!("{}: {value}", outline.path(ROOT, *at)))
            .collect();
        let size: usize = all.iter().map(|line| characters(line) + 1).sum();
        if size <= small.left() {
            small.list(all.into_iter(), "small members");
        } else {
            let items = parts
                .small
                .iter()
                .map(|(at, value)| self.outlined(*at, value));
            small.list(items, "small members");
        }
        paper.paste(&small);
        let (told, named) = self.chosen();
        let reserve = if named.is_empty() {
            0
        } else {
            paper.left() / 4
        };
        let mut left = told.len();
        for at in told {
            let room = (paper.left().saturating_sub(reserve)) / left;
            left -= 1;
            if room < LEAST_SHARE {
                paper.cut_line(&table::in_short(outline, at));
                continue;
            }
            let mut share = Paper::new(room);
            if outline.rows(at).is_some() {
                table::tell(outline, at, style, &mut share);
            } else {
                self.tell_text(document, at, style, &mut share);
            }
            paper.paste(&share);
        }
        paper.list(
            named.iter().map(|at| table::in_short(outline, *at)),
            "like these",
        );
    }

    /// A small member as it is, or, if it is a container, what it has.
    fn outlined(&self, at: usize, value: &str) -> String {
        let field = &self.outline.fields[at];
        let name = self.outline.path(ROOT, at);
        match field.first.kind() {
            NodeKind::Array => format!("{name}: [{} elements]", field.first.children()),
            NodeKind::Object => {
                let keys: Vec<&str> = field
                    .first
                    .members()
                    .map(|(key, _)| self.outline.raw(key))
                    .map(|key| key.get(1..key.len() - 1).unwrap_or_default())
                    .collect();
                format!("{name}: {{{}}}", listed(&keys, 60))
            }
            _ => format!("{name}: {value}"),
        }
    }

    /// The parts that are told, and those that are only named, in document order.
    fn chosen(&self) -> (Vec<usize>, Vec<usize>) {
        let mut all: Vec<usize> = [&self.parts.tables[..], &self.parts.texts].concat();
        all.sort_unstable();
        let mut sizes: Vec<u64> = all
            .iter()
            .map(|at| self.outline.fields[*at].bytes)
            .collect();
        sizes.sort_unstable_by_key(|size| std::cmp::Reverse(*size));
        let least = sizes.get(TABLES - 1).copied().unwrap_or(0);
        let mut room = TABLES;
        all.into_iter().partition(|at| {
            let is_told = room > 0 && self.outline.fields[*at].bytes >= least;
            room -= usize::from(is_told);
            is_told
        })
    }

    /// A string that is a text of its own, or a value of which nothing is known.
    fn tell_text(&self, document: &Document, at: usize, style: Style, paper: &mut Paper) {
        let field = &self.outline.fields[at];
        let path = self.outline.full_path(at);
        let text = document.string(field.first);
        let Some(text) = text.filter(|_| field.first.kind() == NodeKind::String) else {
            let raw = minified(self.outline.raw(field.first), SMALL_VALUE);
            paper.cut_line(&format!("{path}: {}", cut(&raw, SMALL_VALUE)));
            return;
        };
        let (lines, count) = (text.lines().count(), characters(&text));
        let lines = if lines > 1 {
            format!(", {lines} lines")
        } else {
            String::new()
        };
        paper.cut_line(&format!("{path}: text of {count} characters{lines}"));
        lines::tell(&text, style.cell, paper);
    }
}

/// Sorts what is at a place, and stands there once, into parts.
fn sort(outline: &Outline<'_>, at: usize, keep: &[String], parts: &mut Parts) {
    let field = &outline.fields[at];
    let raw = outline.raw(field.first);
    let is_single = field.tally.values() <= 1;
    if at != ROOT && is_kept(outline, at, keep) {
        parts.kept.push((at, minified(raw, usize::MAX - 1)));
        return;
    }
    let limit = match field.first.kind() {
        NodeKind::Array | NodeKind::Object => SMALL_VALUE,
        _ => SMALL_STRING,
    };
    if at != ROOT && raw.len() <= 8 * limit && is_single {
        let small = minified(raw, limit);
        if characters(&small) <= limit {
            parts.small.push((at, small));
            return;
        }
    }
    let is_object = field.tally.objects > 0 && outline.rows(at).is_none();
    if outline.rows(at).is_some() {
        parts.tables.push(at);
    } else if is_object && !field.children.is_empty() {
        for &child in &field.children {
            if matches!(outline.fields[child].step, Step::Member(_)) {
                sort(outline, child, keep, parts);
            }
        }
    } else {
        parts.texts.push(at);
    }
}

fn is_kept(outline: &Outline<'_>, at: usize, keep: &[String]) -> bool {
    let Step::Member(key) = outline.fields[at].step else {
        return false;
    };
    let name = key.get(1..key.len() - 1).unwrap_or_default();
    keep.iter().any(|wanted| {
        wanted == name || {
            let path = wanted.trim_start_matches('$').trim_start_matches('.');
            wanted.contains(['.', '[']) && path == outline.path(ROOT, at)
        }
    })
}
