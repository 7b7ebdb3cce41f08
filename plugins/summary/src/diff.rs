//! Diffs: files with counts of added and removed lines, and the hunks that fit, whole.
//!
//! Owns the form of a unified diff. Refuses to know the content of a hunk's lines.

use crate::commits;
use crate::outside::Outside;
use crate::paper::{Paper, characters, cut, listed, one_line};
use crate::search::{begins, has, split};
use crate::trim::is_blank;

/// Characters of a hunk's line.
const LINE_CHARACTERS: usize = 300;
/// Most files and places of hunks that are described; all are counted.
const FILES: usize = 4_096;
const HUNKS: usize = 4_096;
/// What stands in place of the name of a file that was or will not be there.
const NO_FILE: &str = "/dev/null";
/// Characters that a complete list of the files leaves to hunks.
const LEAST_HUNKS: usize = 300;
/// Characters reserved for the list of hunks that are not shown.
const REST: usize = 80;

struct File<'t> {
    name: &'t str,
    place: usize,
    added: u32,
    removed: u32,
    /// What its header says besides: `new`, `renamed from x`, `mode 100644 to 100755`.
    change: String,
}

impl File<'_> {
    /// Notes a line of the file's header.
    fn note(&mut self, line: &str) {
        const LONGEST: usize = 100;
        let after = |start: &str| line.strip_prefix(start).map(|rest| cut(rest, LONGEST));
        let part = if line.starts_with("new file") {
            "new".to_owned()
        } else if line.starts_with("deleted file") {
            "deleted".to_owned()
        } else if line.starts_with("Binary files ") || line.starts_with("GIT binary patch") {
            "binary".to_owned()
        } else if let Some(from) = after("rename from ") {
            format!("renamed from {}", one_line(&from))
        } else if let Some(from) = after("copy from ") {
            format!("copied from {}", one_line(&from))
        } else if let Some(mode) = after("old mode ") {
            format!("mode {}", one_line(&mode))
        } else if let Some(mode) = after("new mode ") {
            self.change.push_str(&format!(" to {}", one_line(&mode)));
            return;
        } else {
            return;
        };
        if !self.change.is_empty() {
            self.change.push_str(", ");
        }
        self.change.push_str(&part);
    }
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
    /// Lines that are in no hunk, and in no header of a file or a commit.
    pub outside: Outside<'t>,
}

/// Whether a line belongs to a diff, or to the commit above it.
pub fn owns(line: &str) -> bool {
    line.starts_with([' ', '+', '-', '@', '\\']) || owns_alone(line)
}

/// Whether a line belongs to a diff, wherever it stands.
fn owns_alone(line: &str) -> bool {
    // The first letters of what follows rule out most lines.
    if !line.starts_with([
        '@', '+', 'B', 'd', 'I', 'i', 'c', 'A', 'D', 'M', 's', 'r', 'n', 'o', 'G',
    ]) {
        return false;
    }
    line.starts_with("@@ -")
        || line.starts_with("@@@ -")
        || line.starts_with("+++ ")
        || line.starts_with("Binary files ")
        || [
            "diff --git ",
            "diff --cc ",
            "diff --combined ",
            "diff -",
            "Index: ",
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
            "copy ",
            "dissimilarity ",
            "GIT binary patch",
        ]
        .iter()
        .any(|start| line.starts_with(start))
}

/// Whether a line is of a header that another line began: of a file, or of a commit.
fn is_of_header(line: &str) -> bool {
    // The line below a file of Subversion, and the mark above the files of a patch.
    let is_mark = line == "---" || line.starts_with("=====");
    line.starts_with("    ") || line.starts_with("Notes") || is_mark || commits::is_stat(line)
}

/// The names of a file in a diff of git: `diff --git a/x b/x`, `diff --cc x`.
fn names(line: &str) -> Option<&str> {
    let starts = ["diff --git ", "diff --cc ", "diff --combined "];
    starts.iter().find_map(|start| line.strip_prefix(start))
}

/// The files and hunks of a text; none if the text is no diff.
pub fn of<'t>(lines: impl Iterator<Item = (usize, &'t str)> + Clone) -> Option<Diff<'t>> {
    // Most texts have no hunk.
    if !lines.clone().any(|(_, line)| line.starts_with("@@")) {
        return None;
    }
    let has_headers = lines.clone().any(|(_, line)| names(line).is_some());
    let mut found = Diff {
        files: Vec::new(),
        number_of_files: 0,
        hunks: Vec::new(),
        count: 0,
        added: 0,
        removed: 0,
        outside: Outside::default(),
    };
    let mut hunk = Rest::default();
    let of_words = has_headers && lines.clone().any(|(_, line)| has_words(line));
    let mut in_words = false;
    let (mut in_header, mut in_message) = (false, false);
    let mut in_mail = false;
    // The name of the old file, and its line: it begins the part of a file without a header of git.
    let mut old: Option<(&str, usize)> = None;
    for (place, line) in lines {
        in_words &= !begins(line, &["@@ ", "diff --", "commit "]);
        if in_words {
            found.grow(line);
            continue;
        }
        if let Some(is_added) = hunk.takes(line) {
            if let Some(is_added) = is_added {
                found.count_line(is_added);
            }
            found.grow(line);
            continue;
        }
        hunk = Rest::default();
        let name = if has_headers {
            names(line).map(|names| names.rsplit(" b/").next().unwrap_or(names))
        } else {
            if let Some(name) = line.strip_prefix("--- ") {
                old = Some((name.split('\t').next().unwrap_or(name), place));
            }
            let is_file = line.starts_with("+++ ") && !line.starts_with("+++ +");
            let file = is_file.then(|| line[4..].trim_start_matches("b/"));
            file.or_else(|| line.strip_prefix("Binary files ")?.strip_suffix(" differ"))
        };
        if let Some(name) = name {
            found.number_of_files += 1;
            if found.files.len() < FILES {
                let new = name.split('\t').next().unwrap_or(name);
                let (old, place) = old.take().unwrap_or(("", place));
                let (name, change) = match (old, new) {
                    (old, NO_FILE) => (old.trim_start_matches("a/"), "deleted"),
                    (NO_FILE, _) => (new, "new"),
                    _ => (new, ""),
                };
                found.files.push(File {
                    name,
                    place,
                    added: 0,
                    removed: 0,
                    change: change.to_owned(),
                });
            }
            found.note(line);
        } else if let Some(rest) = Rest::of(line).filter(|_| !found.files.is_empty()) {
            in_words = of_words;
            hunk = if of_words { Rest::default() } else { rest };
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
        } else {
            found.note(line);
        }
        // A patch in the form of a mail has its message down to a mark.
        let is_mail = line.starts_with("From ") && line.ends_with(" 2001");
        // A message with a label ends where the first file begins.
        let is_labelled = found.files.is_empty() && commits::is_labelled(line);
        let is_file = line.starts_with("--- ") || line.starts_with("diff --");
        in_message = ((in_mail || !is_file) && in_message)
            || is_mail
            || is_labelled && commits::is_message(line);
        in_mail |= is_mail;
        let begins = owns_alone(line) || line.starts_with("--- ") || in_message || is_labelled;
        let is_end = line.starts_with("\\ ") || line == "-- ";
        in_message &= line != "---";
        in_header =
            begins || is_end || in_header && is_of_header(line) || in_header && is_blank(line);
        if !in_header {
            found.outside.note(place, line);
        }
    }
    (!found.files.is_empty() && found.count > 0).then_some(found)
}

/// Whether a line without a sign has words that come or go, as `git diff --word-diff` marks them: `let a = [-1;-]{+2;+}`.
fn has_words(line: &str) -> bool {
    let is_marked =
        |start: &str, end: &str| split(line, start).is_some_and(|(_, rest)| has(rest, end));
    let has_sign = line.starts_with([' ', '+', '-', '\\', '@']);
    !has_sign && (is_marked("{+", "+}") || is_marked("[-", "-]"))
}

/// The lines of a hunk that its header announces and that are still to come.
#[derive(Default)]
struct Rest {
    old: u64,
    new: u64,
    /// The files that were merged: a line has a sign for each. 0 outside a hunk.
    parents: usize,
}

impl Rest {
    /// After the header of a hunk: `@@ -1,3 +1,4 @@`, and of a merge: `@@@ -1,3 -1,3 +1,4 @@@`.
    fn of(line: &str) -> Option<Rest> {
        let marks = line.bytes().take_while(|byte| *byte == b'@').count();
        let mut ranges = line.get(marks..)?.strip_prefix(' ')?.split(' ');
        let count = |range: &str| match range.split_once(',') {
            Some((_, count)) => count.parse().ok(),
            None => Some(1),
        };
        let parents = marks
            .checked_sub(1)
            .filter(|parents| (1..=8).contains(parents))?;
        let mut old: u64 = 0;
        for _ in 0..parents {
            let lines = count(ranges.next()?.strip_prefix('-')?)?;
            old = old.max(lines);
        }
        let new = count(ranges.next()?.strip_prefix('+')?)?;
        let end = ranges.next()?;
        if end.len() != marks || end.bytes().any(|byte| byte != b'@') {
            return None;
        }
        // Lines of a merge come from some of the files: it ends where no line has its signs.
        let (old, new) = match parents {
            1 => (old, new),
            _ => (u64::MAX, u64::MAX),
        };
        Some(Rest { old, new, parents })
    }

    /// Takes a line, if it is of the hunk: whether it is added, removed, or neither.
    fn takes(&mut self, line: &str) -> Option<Option<bool>> {
        if self.parents == 0 || self.old == 0 && self.new == 0 {
            return None;
        }
        let signs = &line.as_bytes()[..line.len().min(self.parents)];
        if !signs.iter().all(|sign| matches!(sign, b' ' | b'+' | b'-')) {
            return line.starts_with('\\').then_some(None);
        }
        let is_added = signs.contains(&b'+');
        let is_removed = signs.contains(&b'-');
        self.old = self.old.saturating_sub(u64::from(!is_added));
        self.new = self.new.saturating_sub(u64::from(!is_removed));
        Some((is_added || is_removed).then_some(is_added))
    }
}

impl Diff<'_> {
    fn note(&mut self, line: &str) {
        if self.files.len() == self.number_of_files
            && let Some(file) = self.files.last_mut()
        {
            file.note(line);
        }
    }

    fn count_line(&mut self, is_added: bool) {
        self.added += u32::from(is_added);
        self.removed += u32::from(!is_added);
        if self.files.len() == self.number_of_files
            && let Some(file) = self.files.last_mut()
        {
            file.added += u32::from(is_added);
            file.removed += u32::from(!is_added);
        }
    }

    fn grow(&mut self, line: &str) {
        if self.hunks.len() == self.count
            && let Some(hunk) = self.hunks.last_mut()
        {
            hunk.lines += 1;
            hunk.characters += characters(&cut(line, LINE_CHARACTERS)) + 1;
        }
    }

    /// Whether a line is in the changes of a page for readers, whose lines are all unlike each other. `number`: its own, from 1.
    pub fn is_of_page(&self, number: usize) -> bool {
        const ENDS: [&str; 4] = [".md", ".markdown", ".rst", ".txt"];
        let after = self.files.partition_point(|file| file.place <= number);
        let file = after.checked_sub(1).map(|at| self.files[at].name);
        file.is_some_and(|name| ENDS.iter().any(|end| name.ends_with(end)))
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
        // `git diff --word-diff` marks words, not lines.
        let has_lines = self.added + self.removed > 0;
        let counted = |added: u32, removed: u32, sign: &str| match has_lines {
            true => format!("{sign} +{added} -{removed}"),
            false => String::new(),
        };
        let sum = counted(self.added, self.removed, ",");
        paper.line(&format!(
            "diff: {files} files, {hunks} hunks{sum}; by file, from line:"
        ));
        let told = |file: &File<'_>| {
            let name = cut(file.name, 200);
            let counts = counted(file.added, file.removed, "");
            let (place, name) = (file.place, one_line(&name));
            match &*file.change {
                "" => format!("{place}: {name}{counts}"),
                change => format!("{place}: {name}{counts}, {change}"),
            }
        };
        // A list of all files is worth more than some hunks.
        let all = self.files.iter().map(|file| characters(&told(file)) + 1);
        let all = all.sum::<usize>() + LEAST_HUNKS;
        let room = match all > paper.left() {
            true => paper.left() / 2,
            false => (all - LEAST_HUNKS + REST).max(paper.left() / 2),
        };
        let mut list = Paper::new(room.min(paper.left()));
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
