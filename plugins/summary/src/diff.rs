//! Diffs: files with counts of added and removed lines, and the hunks that fit, whole.
//!
//! Owns the form of a unified diff. Refuses to know the content of a hunk's lines.

use crate::commits;
use crate::paper::{Paper, characters, cut, listed, one_line};

/// Characters of a hunk's line.
const LINE_CHARACTERS: usize = 300;
/// Most files and places of hunks that are described; all are counted.
const FILES: usize = 4_096;
const HUNKS: usize = 4_096;
/// Characters reserved for the list of hunks that are not shown.
const REST: usize = 80;

struct File<'t> {
    name: &'t str,
    place: usize,
    added: u32,
    removed: u32,
}

/// A hunk and its lines.
struct Hunk {
    file: usize,
    place: usize,
    lines: usize,
    characters: usize,
}

/// A parsed diff.
pub struct Diff<'t> {
    files: Vec<File<'t>>,
    number_of_files: usize,
    hunks: Vec<Hunk>,
    count: usize,
    added: u32,
    removed: u32,
    /// The last line of the last hunk, from 1. What follows is of another program.
    pub end: usize,
}

/// Whether a line belongs to a diff, or to the commit above it.
pub fn owns(line: &str) -> bool {
    line.starts_with([' ', '+', '-', '@', '\\']) || owns_alone(line)
}

/// Whether a line belongs to a diff, wherever it stands.
fn owns_alone(line: &str) -> bool {
    line.starts_with("@@ -")
        || line.starts_with("+++ ")
        || line.starts_with("Binary files ")
        || [
            "diff --git ",
            "index ",
            "commit ",
            "Author:",
            "Date:",
            "Merge:",
            "similarity ",
            "rename ",
            "new file",
            "deleted file",
            "old mode",
            "new mode",
        ]
        .iter()
        .any(|start| line.starts_with(start))
}

/// The files and hunks of a text; none if the text is no diff.
pub fn of<'t>(lines: impl Iterator<Item = (usize, &'t str)> + Clone) -> Option<Diff<'t>> {
    let has_headers = lines
        .clone()
        .any(|(_, line)| line.starts_with("diff --git "));
    let mut found = Diff {
        files: Vec::new(),
        number_of_files: 0,
        hunks: Vec::new(),
        count: 0,
        added: 0,
        removed: 0,
        end: 0,
    };
    // The lines that a hunk's header announces and that are still to come: old and new.
    let (mut old, mut new) = (0u64, 0u64);
    let mut in_hunk = false;
    for (place, line) in lines {
        if in_hunk && (old > 0 || new > 0) {
            let is_line = match line.as_bytes().first() {
                Some(b'+') => {
                    new = new.saturating_sub(1);
                    found.count_line(true)
                }
                Some(b'-') => {
                    old = old.saturating_sub(1);
                    found.count_line(false)
                }
                Some(b' ') | None => {
                    (old, new) = (old.saturating_sub(1), new.saturating_sub(1));
                    true
                }
                Some(b'\\') => true,
                _ => false,
            };
            if is_line {
                found.grow(line);
                found.end = place;
                continue;
            }
            (old, new) = (0, 0);
        }
        let name = if has_headers {
            line.strip_prefix("diff --git ")
                .map(|names| names.rsplit(" b/").next().unwrap_or(names))
        } else {
            let is_file = line.starts_with("+++ ") && !line.starts_with("+++ +");
            is_file.then(|| line[4..].trim_start_matches("b/"))
        };
        if let Some(name) = name {
            in_hunk = false;
            found.number_of_files += 1;
            if found.files.len() < FILES {
                found.files.push(File {
                    name: name.split('\t').next().unwrap_or(name),
                    place,
                    added: 0,
                    removed: 0,
                });
            }
        } else if let Some(lines) = hunk(line).filter(|_| !found.files.is_empty()) {
            (old, new) = lines;
            in_hunk = true;
            found.count += 1;
            if found.hunks.len() < HUNKS && found.files.len() == found.number_of_files {
                found.hunks.push(Hunk {
                    file: found.files.len() - 1,
                    place,
                    lines: 0,
                    characters: 0,
                });
            }
            found.grow(line);
        }
        // What a header or a commit begins goes on to the next one.
        if owns_alone(line) {
            found.end = place;
        }
    }
    (!found.files.is_empty() && found.count > 0).then_some(found)
}

/// The counts of lines in a hunk's header, old and new: `@@ -1,3 +1,4 @@`.
fn hunk(line: &str) -> Option<(u64, u64)> {
    let rest = line.strip_prefix("@@ -")?;
    let (old, rest) = rest.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    let count = |range: &str| match range.split_once(',') {
        Some((_, count)) => count.parse().ok(),
        None => Some(1),
    };
    Some((count(old)?, count(new)?))
}

impl Diff<'_> {
    fn count_line(&mut self, is_added: bool) -> bool {
        self.added += u32::from(is_added);
        self.removed += u32::from(!is_added);
        if self.files.len() == self.number_of_files
            && let Some(file) = self.files.last_mut()
        {
            file.added += u32::from(is_added);
            file.removed += u32::from(!is_added);
        }
        true
    }

    fn grow(&mut self, line: &str) {
        if self.hunks.len() == self.count
            && let Some(hunk) = self.hunks.last_mut()
        {
            hunk.lines += 1;
            hunk.characters += characters(&cut(line, LINE_CHARACTERS)) + 1;
        }
    }

    /// Describes the commits above the diff and its files, then writes the hunks that fit.
    pub fn tell<'t>(
        &self,
        lines: impl Iterator<Item = (usize, &'t str)> + Clone,
        paper: &mut Paper,
    ) {
        let mut commits = Paper::new(paper.left() / 3);
        commits::tell(lines.clone().map(|(_, line)| line), &mut commits);
        paper.paste(&commits);
        let (files, hunks) = (self.number_of_files, self.count);
        let (added, removed) = (self.added, self.removed);
        paper.line(&format!(
            "diff: {files} files, {hunks} hunks, +{added} -{removed}; by file, from line:"
        ));
        let mut list = Paper::new(paper.left() / 2);
        let told = |file: &File<'_>| {
            let name = cut(file.name, 200);
            let (added, removed) = (file.added, file.removed);
            format!("{}: {} +{added} -{removed}", file.place, one_line(&name))
        };
        if self.files.len() == files {
            list.list(self.files.iter(), told, "files");
        }
        paper.paste(&list);
        let shown = self.fitting(paper.left().saturating_sub(REST));
        let mut last = None;
        let mut lines = lines;
        for at in &shown {
            let hunk = &self.hunks[*at];
            if last != Some(hunk.file) && files > 1 {
                paper.cut_line(&one_line(&cut(self.files[hunk.file].name, 200)));
            }
            last = Some(hunk.file);
            let mut taken = 0;
            for (place, line) in lines.by_ref() {
                if place < hunk.place {
                    continue;
                }
                let line = cut(line, LINE_CHARACTERS);
                let line = one_line(&line);
                if taken == 0 {
                    paper.line(&format!("{place}: {line}"));
                } else {
                    paper.line(&line);
                }
                taken += 1;
                if taken == hunk.lines {
                    break;
                }
            }
        }
        let left_out: Vec<String> = (0..self.hunks.len())
            .filter(|at| shown.binary_search(at).is_err())
            .map(|at| self.hunks[at].place.to_string())
            .collect();
        if !left_out.is_empty() && self.hunks.len() == self.count {
            let room = paper.left().min(400).saturating_sub(40);
            let (count, listed) = (left_out.len(), listed(&left_out, room));
            let more = if shown.is_empty() { "" } else { "other " };
            paper.cut_line(&format!("{count} {more}hunks, from line: {listed}"));
        }
    }

    /// The hunks that fit into `room` characters, in order. Smaller hunks may follow one that does not fit.
    fn fitting(&self, mut room: usize) -> Vec<usize> {
        let mut shown = Vec::new();
        for (at, hunk) in self.hunks.iter().enumerate() {
            let name = characters(&cut(self.files[hunk.file].name, 200));
            let needed = hunk.characters + name + 12;
            if needed <= room {
                room -= needed;
                shown.push(at);
            }
        }
        shown
    }
}

#[cfg(test)]
#[path = "tests/diff.rs"]
mod tests;
