//! Texts that hold data (CSV, YAML, JSON after a sentence, …), summarised as data.
//!
//! Owns the choice of these texts, and the description of the text around the data. Refuses to know the notations, and
//! how data is summarised. The read tool recognises the same texts, so paths lead into them.

use crate::comments::{self, is_comment};
use crate::other_lines;
use crate::outline::{Outline, Source};
use crate::paper::{cut, one_line};
use crate::shapes;
use std::borrow::Cow;
use std::ops::Range;
use tamis_formats::{Data, Format, Renamed};
use tamis_sdk::{Document, MAX_DEPTH, Node};

/// The texts around the data: before it and after it.
const AROUND: usize = 2;
/// Characters shown of each.
const AROUND_CHARACTERS: usize = 120;
/// The same for one that reports a failure, in bytes too.
const FAILURE_CHARACTERS: usize = 320;
/// A fence around data, on a line of its own.
const FENCE: &str = "```";
/// Lines shown of those that are no rows.
const OTHERS: usize = 4;
/// Characters shown of each.
const OTHER_CHARACTERS: usize = 120;
/// Names shown of columns whose names occur before.
const RENAMED: usize = 4;
/// With this many rows or fewer, lines of cells are clearer than columns.
const FEW_ROWS: usize = 3;

/// The data of a text.
pub struct TextData<'t> {
    text: &'t str,
    data: Data<'t>,
    /// The data is a table whose tape was made with it.
    has_tape: bool,
    pub document: Document,
}

/// The data of a text; none if it is plain text, if a long text around the data reports a failure, or if one of many lines
/// between the rows does.
pub fn of(text: &str) -> Option<TextData<'_>> {
    let mut data = tamis_formats::read_loosely(text)?;
    let is_nested = matches!(data.format, Format::JsonLines | Format::ReprLines);
    let is_small = data.format.is_table() && !is_nested && data.rows.len() <= FEW_ROWS;
    // Comments that tell a failure are told.
    let format = data.format;
    let is_line = |text: &&str| !is_comment(format, text);
    let others = data.others.iter().map(|other| &text[other.clone()]);
    let are_shown = others.filter(is_line).count() <= OTHERS;
    // Short texts are shown whole, and the end of what follows a cut value.
    let is_hidden = |(place, text): (usize, &str)| {
        if place >= AROUND && !is_line(&text) {
            return false;
        }
        let shown = match place < AROUND {
            true => FAILURE_CHARACTERS,
            false if are_shown => OTHER_CHARACTERS,
            false => 0,
        };
        let hidden = match place + 1 == AROUND && data.last.is_some() {
            true => above_end(text, shown),
            false if text.len() > shown => text,
            false => "",
        };
        shapes::is_failure(hidden)
    };
    let hides = data.texts_outside().enumerate().any(is_hidden);
    if is_small || hides {
        return None;
    }
    let (json, tape) = (
        std::mem::take(&mut data.json),
        std::mem::take(&mut data.tape),
    );
    let has_tape = data.format.is_table() && !tape.is_empty();
    let document = match tamis_formats::without_spelled_characters(&json) {
        Cow::Owned(written) => Document::nested(written, MAX_DEPTH)?,
        Cow::Borrowed(_) if tape.is_empty() => Document::nested(json, MAX_DEPTH)?,
        Cow::Borrowed(_) => Document::indexed(json, tape),
    };
    let root = document.root()?;
    (root.children() > 0).then_some(())?;
    // The heading of a part may be the failure that ended the lines before it.
    let mut headings = root.members().filter_map(|(key, _)| document.string(key));
    if data.format == Format::Parts && headings.any(|heading| shapes::is_failure(&heading)) {
        return None;
    }
    Some(TextData {
        text,
        data,
        has_tape,
        document,
    })
}

/// The lines of a text above those that are whole in its last `shown` bytes.
fn above_end(text: &str, shown: usize) -> &str {
    let start = text.len().saturating_sub(shown);
    let line = memchr::memchr(b'\n', &text.as_bytes()[start..]);
    match (start, line) {
        (0, _) => "",
        (_, Some(length)) => &text[..start + length],
        (_, None) => text,
    }
}

/// The last characters of a text.
fn end_of(text: &str, characters: usize) -> Cow<'_, str> {
    match text.char_indices().rev().nth(characters - 1) {
        Some((at, _)) if at > 0 => Cow::Owned(format!("…{}", &text[at..])),
        _ => Cow::Borrowed(text),
    }
}

/// The names that columns have here, since columns before them have theirs.
pub fn renamed(all: &[Renamed]) -> Option<String> {
    let mut told: Vec<String> = Vec::new();
    for Renamed { name, key } in all {
        let (key, name) = (one_line(key), one_line(name));
        let names = format!("{key} for {name}");
        // Several parts may have the same columns.
        if !told.contains(&names) {
            told.push(names);
        }
    }
    let more = told.len().saturating_sub(RENAMED);
    told.truncate(RENAMED);
    let more = match more {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    let names = told.join(", ");
    let is_told = !told.is_empty();
    is_told.then(|| format!("a name that occurs again has a number here: {names}{more}"))
}

impl TextData<'_> {
    /// Whether the data is one JSON value, and whole.
    pub fn is_json(&self) -> bool {
        self.data.format == Format::Json && self.data.last.is_none()
    }

    /// Whether the data is a table with few words around.
    pub fn is_table_alone(&self) -> bool {
        const AROUND: usize = 400;
        let around = self.data.text_before().len() + self.data.text_after().len();
        self.data.format.is_table() && around <= AROUND
    }

    /// What the data holds where.
    pub fn outline<'d>(&'d self, root: Node<'d>, distinct: usize) -> Outline<'d> {
        let source = match self.data.format {
            Format::Parts => Source::Parts,
            _ if self.has_tape => Source::Table,
            _ => Source::Any,
        };
        Outline::with(self.document.text(), root, distinct, source)
    }

    /// The kind of data, for the first line: `CSV, 385 rows`. `root`: the path to the text, for paths into it.
    pub fn title(&self, root: &str) -> String {
        let format = self.data.format;
        let whole = |path: &str| path.replacen('$', root, 1);
        match (self.data.rows.len(), &self.data.last) {
            (0, Some(last)) => match &self.data.next {
                Some(next) => {
                    let (last, next) = (whole(last), whole(next));
                    format!("{format}, whole up to {last} and again from {next}")
                }
                None => format!("{format}, whole up to {}", whole(last)),
            },
            (0, None) => format.to_string(),
            (rows, _) => format!("{format}, {rows} rows"),
        }
    }

    /// The description of the text around the data: a line for each side that has words.
    pub fn around(&self) -> Vec<String> {
        let sides = [
            ("before", self.data.text_before()),
            ("after", self.data.text_after()),
        ];
        let told = sides.into_iter().filter_map(|(side, text)| {
            // Neither a fence nor a rule says anything.
            let is_drawn = |c| matches!(c, '-' | '=' | ' ' | '\u{2500}'..='\u{257f}');
            let is_rule = |line: &str| line.chars().all(is_drawn);
            let lines = text
                .lines()
                .filter(|line| !line.starts_with(FENCE) && !is_rule(line));
            let most = match shapes::is_failure(text) {
                true => FAILURE_CHARACTERS,
                false => AROUND_CHARACTERS,
            };
            let text = lines.collect::<Vec<_>>().join(" ");
            let text = text.trim();
            let text = match self.data.last {
                Some(_) if side == "after" => end_of(text, most),
                _ => cut(text, most),
            };
            let has_words = text.chars().any(char::is_alphanumeric);
            has_words.then(|| format!("{side}: {}", one_line(&text)))
        });
        told.chain(self.others())
            .chain(renamed(&self.data.renamed))
            .collect()
    }

    /// The lines between the rows that are no rows, and comments.
    fn others(&self) -> Vec<String> {
        let others = self.data.others.iter().cloned();
        let of_format = |it: &Range<usize>| is_comment(self.data.format, &self.text[it.clone()]);
        let (comments, others): (Vec<_>, Vec<_>) = others.partition(of_format);
        let what = match self.data.format.is_table() {
            true => "row",
            false => "data",
        };
        let texts: Vec<&str> = others.iter().map(|it| &self.text[it.clone()]).collect();
        let shown = other_lines::shown(&texts, OTHERS);
        let told = |at: &usize| {
            let number = self.text[..others[*at].start].matches('\n').count() + 1;
            let has_dots = || texts[*at].contains(['·', '…']) || texts[*at].starts_with("..");
            if has_dots() && !texts[*at].contains(char::is_alphanumeric) {
                let stand = match texts[*at].trim_end().matches('\n').count() {
                    0 => format!("line {number} stands"),
                    more => format!("lines {number}-{} stand", number + more),
                };
                return format!("{stand} for rows that are left out");
            }
            let line = cut(texts[*at], OTHER_CHARACTERS);
            format!("line {number} is no {what}: {}", one_line(&line))
        };
        let mut lines: Vec<String> = shown.iter().map(told).collect();
        let more = others.len() - shown.len();
        if more > 0 {
            let lines_are = if more == 1 {
                "line that is"
            } else {
                "lines that are"
            };
            lines.push(format!(" and {more} more {lines_are} no {what}"));
        }
        lines.extend(comments::told(self.text, &comments));
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tape_of_yaml_is_that_of_its_json() {
        let item = "- id: 1\n  name: \"a\\tb\"\n  tags: [x, {y: null, z: true}]\n  more:\n    text: |-\n      a\n      b\n    no: false\n    none:\n";
        let maps = item.repeat(4);
        for text in [
            maps.clone(),
            format!("# note\nall:\n  one: {{}}\n  two: []\nlist:\n{maps}"),
            format!("---\n{maps}---\n{maps}---\na: 1\n"),
        ] {
            let data = tamis_formats::read_loosely(&text).expect("data");
            assert_eq!(data.format, Format::Yaml, "{text}");
            let read = Document::nested(data.json.clone(), MAX_DEPTH).expect("JSON");
            assert_eq!(data.tape, read.tape(), "{}", data.json);
        }
    }
}
