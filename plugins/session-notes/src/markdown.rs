//! Notes in Markdown: sections, each under a heading that is only a key.
//!
//! Owns the beginning and the end of notes. A heading is a note's key if it is one word at the level of notes. The text
//! of a note may have headings of another level, or of several words. Fences are ignored: a fence that an earlier cut
//! left open would hide all later notes.

use crate::Settings;
use crate::choice::{Choice, Note, Rules, is_any};
use crate::repeats::WordRuns;
use crate::wording::Wording;
use std::borrow::Cow;
use std::ops::Range;
use tamis_sdk::Glob;

/// The part of a text that holds notes.
pub struct Notes<'d> {
    /// Offsets of the notes.
    pub range: Range<usize>,
    pub notes: Vec<Note<'d>>,
}

/// One heading.
struct Heading<'d> {
    level: usize,
    text: &'d str,
    /// Offset of its line.
    start: usize,
    /// Offset of the line after it.
    end: usize,
}

/// Level of notes without a section around them.
const BARE_LEVEL: usize = 2;

impl<'d> Notes<'d> {
    /// The notes in a text, if it has any.
    pub fn of(
        text: &'d str,
        settings: &Settings,
        until: &[Glob],
        rules: &Rules,
        wording: &Wording,
    ) -> Option<Self> {
        let headings = headings(text);
        let section = headings
            .iter()
            .position(|it| !settings.section.is_empty() && is_same(it.text, &settings.section));
        let inside = &headings[section.map_or(0, |at| at + 1)..];
        let last = inside.iter().position(|it| is_any(until, it.text));
        let inside = &inside[..last.unwrap_or(inside.len())];
        let level = match (settings.heading_level as usize, section) {
            (0, None) => BARE_LEVEL,
            (0, Some(section)) => {
                let first = inside.iter().find(|it| it.key().is_some())?;
                if first.level <= headings[section].level {
                    return None;
                }
                first.level
            }
            (level, _) => level,
        };
        let starts: Vec<_> = inside
            .iter()
            .filter(|it| it.level == level)
            .filter_map(|it| Some((it, it.key()?)))
            .collect();
        if section.is_none() && !starts.iter().any(|(_, key)| rules.know(key)) {
            return None;
        }
        let first = starts.first()?.0.start;
        let end = inside
            .last()
            .and_then(|it| headings.iter().find(|next| next.start > it.start))
            .map_or(text.len(), |next| next.start);
        let end = before_tally(&text[..end], first, wording);
        let ends = starts.iter().skip(1).map(|(it, _)| it.start);
        let notes = starts.iter().zip(ends.chain([end]));
        let notes = notes.map(|((heading, key), end)| {
            let end = end.max(heading.end);
            note(text, heading, key, end, wording)
        });
        Some(Notes {
            range: first..end.max(first),
            notes: notes.collect(),
        })
    }

    /// The replacement of the notes.
    pub fn written(&self, choice: &Choice, wording: &Wording) -> String {
        let chosen = choice.order.iter().map(|n| &*self.notes[*n].written);
        let mut out: String = chosen.collect();
        if choice.left_out > 0 {
            out.push_str(&wording.left_out(choice.left_out));
            out.push('\n');
        }
        out
    }
}

/// Adds the text of recent changes outside of a range.
pub fn recent_changes(text: &str, recent: &[Glob], outside: &Range<usize>, runs: &mut WordRuns) {
    let headings = headings(text);
    let ends = headings.iter().skip(1).map(|it| it.start);
    for (heading, end) in headings.iter().zip(ends.chain([text.len()])) {
        if !outside.contains(&heading.start) && is_any(recent, heading.text) {
            runs.add(&text[heading.end..end]);
        }
    }
}

fn note<'d>(
    text: &'d str,
    heading: &Heading<'d>,
    key: &'d str,
    end: usize,
    wording: &Wording,
) -> Note<'d> {
    let (title, body) = (&text[heading.start..heading.end], &text[heading.end..end]);
    let cut = wording.cut_text(body);
    let is_cut = cut.is_some();
    let (written, text): (Cow<'d, str>, Cow<'d, str>) = match cut {
        Some(cut) => (format!("{title}{cut}").into(), cut.into()),
        None if end == text.len() && !text.ends_with('\n') => {
            (format!("{title}{body}\n").into(), body.into())
        }
        None => (text[heading.start..end].into(), body.into()),
    };
    Note {
        key: key.into(),
        written,
        text,
        is_cut,
        is_tally: false,
    }
}

/// The end of the notes: before a last line about omitted notes, else the end of the text.
fn before_tally(text: &str, first: usize, wording: &Wording) -> usize {
    let body = text[first..].trim_end();
    let line = body.rfind('\n').map_or(0, |at| at + 1);
    if line > 0 && wording.is_left_out(&body[line..]) {
        first + line
    } else {
        text.len()
    }
}

impl<'d> Heading<'d> {
    /// The key in this heading, if it is one.
    fn key(&self) -> Option<&'d str> {
        let key = self.text.trim_matches('`');
        (!key.is_empty() && !key.contains(char::is_whitespace)).then_some(key)
    }
}

fn headings(text: &str) -> Vec<Heading<'_>> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        let title = line.trim_start_matches('#');
        let level = line.len() - title.len();
        if (1..=6).contains(&level) && title.starts_with([' ', '\t']) {
            found.push(Heading {
                level,
                text: title.trim(),
                start,
                end,
            });
        }
        start = end;
    }
    found
}

fn is_same(text: &str, name: &str) -> bool {
    text.to_lowercase() == name.to_lowercase()
}
