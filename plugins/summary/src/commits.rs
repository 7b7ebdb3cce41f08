//! Commits of `git log` and `git show`, and of servers that label their parts: hash, date, subject.
//!
//! Owns their forms. Refuses to know the changes in them.

use crate::counts::Counts;
use crate::diff;
use crate::levels::is_of_form;
use crate::outside::Outside;
use crate::paper::{Paper, cut, listed, one_line, some};
use crate::search::{find, has, split};
use crate::signs::{self, Signs};
use crate::trim::{is_blank, trim, trim_end};

/// Fewest lines that make a list of commits with one line each.
const LEAST_LINES: usize = 6;
/// Characters of a hash and of a subject.
const HASH: usize = 8;
const SUBJECT: usize = 160;
/// Characters of an author's name.
const AUTHOR: usize = 40;
/// Characters of the rest of the only commit's message.
const BODY: usize = 300;

/// What lists of containers say of them.
const STATES: [&str; 5] = ["Up ", "Exited (", "Created", "Restarting (", "Paused"];

/// A commit.
struct Commit<'t> {
    hash: &'t str,
    day: String,
    time: &'t str,
    subject: &'t str,
    changes: Changes<'t>,
}

/// The changed files of a commit.
#[derive(Default)]
struct Changes<'t> {
    files: usize,
    /// The line of the last one, or its name.
    file: &'t str,
    /// `3 files changed, …`, or empty.
    sum: &'t str,
    /// The lines of a diff began, which may have any form.
    in_diff: bool,
}

impl<'t> Changes<'t> {
    /// Notes a line below the hash: of `--stat`, `--numstat`, `--name-status`, or of a diff.
    #[inline(never)]
    fn note(&mut self, line: &'t str) {
        let is_of_diff = line.starts_with("diff --");
        let mut file = "";
        if is_of_diff && (self.in_diff || self.files == 0 && self.sum.is_empty()) {
            file = split(line, " b/").map_or(line, |(_, file)| file);
        }
        self.in_diff |= is_of_diff;
        if !self.in_diff && !line.starts_with("  ") && is_stat(line) {
            if has(line, " changed, ") {
                self.sum = trim(line);
            } else if has(line, " | ") || has(line, "\t") {
                file = trim(line);
            }
        }
        if !file.is_empty() {
            self.files += 1;
            self.file = file;
        }
    }

    #[inline(never)]
    fn told(&self) -> String {
        // Of one file, its own line tells more.
        let is_one = self.files == 1 && self.sum.starts_with("1 ");
        let is_sum = !self.sum.is_empty() && !is_one;
        let told = match self.files {
            _ if is_sum => self.sum.to_owned(),
            0 => return String::new(),
            1 => one_line(&cut(self.file, 2 * AUTHOR)).into_owned(),
            files => some(files, "files"),
        };
        format!(" ({told})")
    }
}

/// The hash in a line that begins a commit: `commit 68c764cc…`.
pub fn hash(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("commit ")?;
    let hash = rest.split(' ').next()?;
    is_hash(hash, 40).then_some(hash)
}

/// A labelled part of a commit, as servers write it: `Message: Fix it`, `**Author:** Ann`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Hash,
    Author,
    Date,
    Subject,
}

/// The labels, in lower case.
const LABELS: [(&str, Part); 13] = [
    ("commit", Part::Hash),
    ("commit hash", Part::Hash),
    ("hash", Part::Hash),
    ("sha", Part::Hash),
    ("author", Part::Author),
    ("date", Part::Date),
    ("author date", Part::Date),
    ("authordate", Part::Date),
    ("message", Part::Subject),
    ("commit message", Part::Subject),
    ("subject", Part::Subject),
    ("title", Part::Subject),
    ("summary", Part::Subject),
];

/// The labelled part of a commit in a line, without the quotes of the text.
#[inline(never)]
fn part(line: &str) -> Option<(Part, &str)> {
    // The first letters of the labels, and marks before them, rule out most lines.
    let first = line.as_bytes().first()?;
    if !matches!(
        first | 0x20,
        b'c' | b'h' | b's' | b'a' | b'd' | b'm' | b't' | b'-' | b'*'
    ) {
        return None;
    }
    // So does the colon after them.
    const LONGEST: usize = 24;
    line.bytes().take(LONGEST).position(|byte| byte == b':')?;
    let start = line.strip_prefix("- ").or_else(|| line.strip_prefix("* "));
    let start = start.unwrap_or(line).trim_start_matches('*');
    let (label, text) = split(start, ":")?;
    let label = label.trim_end_matches('*');
    let is_it = |(known, _): &&(&str, Part)| label.eq_ignore_ascii_case(known);
    let (_, part) = LABELS.iter().find(is_it)?;
    let text = text.trim_start_matches('*').trim();
    let is_quote = |c: char| matches!(c, '\'' | '"' | '`');
    let quote = text.chars().next().filter(|c| is_quote(*c));
    let inside = quote.and_then(|quote| text[1..].strip_suffix(quote));
    Some((*part, inside.unwrap_or(text)))
}

/// The hash in a line that may begin a commit, with a label.
fn labelled_hash(line: &str) -> Option<&str> {
    // Most lines begin with another letter.
    let first = line.as_bytes().first()?;
    if !matches!(first | 0x20, b'c' | b'h' | b's' | b'-' | b'*') {
        return None;
    }
    // So does the last letter of a hash, perhaps in quotes.
    let last = trim_end(line).as_bytes().last()?;
    if !matches!(last, b'0'..=b'9' | b'a'..=b'f' | b'\'' | b'"' | b'`') {
        return None;
    }
    let (part, text) = part(line)?;
    (part == Part::Hash && is_hash(text, 7)).then_some(text)
}

/// Each line, with the hash if the line begins a commit. A hash with a label does if other parts of a commit follow it.
fn marked<'t>(
    mut lines: impl Iterator<Item = &'t str> + Clone,
) -> impl Iterator<Item = (&'t str, Option<&'t str>)> + Clone {
    /// Lines below the hash that have the other parts.
    const BELOW: usize = 4;
    std::iter::from_fn(move || {
        let line = lines.next()?;
        let begins = hash(line).or_else(|| {
            let hash = labelled_hash(line)?;
            let below = lines.clone().take(BELOW).take_while(|line| !is_blank(line));
            let mut parts = below.filter_map(part).map(|(part, _)| part);
            let follows =
                parts.any(|part| part != Part::Hash) && parts.any(|part| part != Part::Hash);
            follows.then_some(hash)
        });
        Some((line, begins))
    })
}

/// Whether a line begins the message of a commit, with a label.
pub fn is_message(line: &str) -> bool {
    part(line).is_some_and(|(part, _)| part == Part::Subject)
}

/// Whether a line has a labelled part of a commit that git writes in no such way.
pub fn is_labelled(line: &str) -> bool {
    match part(line) {
        Some((Part::Hash, text)) => is_hash(text, 7),
        part => part.is_some_and(|(part, _)| part == Part::Subject),
    }
}

fn is_hash(word: &str, least: usize) -> bool {
    (least..=64).contains(&word.len())
        && word
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// The hash and the subject of `eb80eb3 subject`, perhaps after the signs of a graph.
pub fn of_line(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start_matches(['*', '|', ' ', '\\', '/']);
    let is_sign = |byte: &u8| matches!(byte, b' ' | b'\t' | b'|' | b';');
    // No hash is longer.
    let bytes = line.as_bytes();
    let end = bytes[..bytes.len().min(41)].iter().position(is_sign)?;
    let (hash, subject) = (&line[..end], &line[end + 1..]);
    // Other fields than a subject may be in an order of its own: `%H|%an|%ad|%s`.
    let is_of_format = line.as_bytes()[end] != b' ';
    if is_of_format && !has_author_or_date(subject) {
        return None;
    }
    // Columns have more blanks. Digests and addresses have another length.
    if subject.starts_with(' ') || !matches!(hash.len(), 7..=12 | 40) {
        return None;
    }
    let subject = subject.trim();
    // `git submodule status`, `git reflog`, and a list of containers.
    let is_other = hash.len() == 40
        && (subject.ends_with(')') && !has(subject, ": ") || is_object(subject))
        || subject.starts_with("HEAD@{")
        || hash.len() == 12 && STATES.iter().any(|state| has(subject, state));
    if is_other {
        return None;
    }
    // A table of symbols: `2da15e20 T main`.
    let is_symbol = subject.split_once(' ').is_some_and(|(kind, name)| {
        kind.len() == 1 && kind.as_bytes()[0].is_ascii_uppercase() && !name.contains(' ')
    });
    if is_symbol {
        return None;
    }
    // A line of `git blame` has author, date and number in brackets, perhaps after the name of a file.
    let is_blame = subject.split_once('(').is_some_and(|(before, rest)| {
        let inside = rest.split_once(')').map_or("", |(inside, _)| inside);
        let mut words = inside.rsplit(' ').filter(|word| !word.is_empty());
        let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
        let is = |word: &str, form| is_of_form(word.as_bytes(), form);
        // The number of the line follows a date or a time, and perhaps a zone.
        words.next().is_some_and(is_number)
            && words
                .take(3)
                .any(|word| is(word, b"0000-00-00") || is(word, b"00:00:00"))
            && !before.trim_end().contains(' ')
    });
    (is_hash(hash, 7) && !subject.is_empty() && !is_blame).then_some((hash, subject))
}

/// Whether fields behind a hash have what `git log --format` writes of a commit: an address of mail, a date, or how long ago
/// it was.
fn has_author_or_date(fields: &str) -> bool {
    let is_date = |field: &str| {
        let day = field.trim().split([' ', 'T']).next().unwrap_or_default();
        is_of_form(day.as_bytes(), b"0000-00-00") || is_of_form(day.as_bytes(), b"0000000000")
    };
    fields.split(['\t', '|', ';']).any(|field| {
        let field = field.trim_end();
        is_date(field) || field.ends_with(" ago") || field.contains('@') && !field.contains(' ')
    })
}

/// Whether what follows a hash says what it names: `blob 3934` of `git cat-file` and `git verify-pack`, `commit refs/tags/v1`
/// of `git for-each-ref`, `refs/heads/main` of `git ls-remote`.
fn is_object(rest: &str) -> bool {
    let mut words = rest.split_ascii_whitespace();
    let mut word = words.next().unwrap_or_default();
    if matches!(word, "blob" | "tree" | "commit" | "tag") {
        word = words.next().unwrap_or_default();
    }
    word.starts_with("refs/")
        || word.starts_with(|c: char| c.is_ascii_digit()) && !rest.starts_with(word)
}

/// Whether a line is blank, or has only the lines that `--graph` draws between commits.
fn is_graph(line: &str) -> bool {
    line.bytes().all(|byte| b" \t|\\/_*-.".contains(&byte))
}

/// How many lines begin a commit whose author and date follow.
pub fn count<'t>(lines: impl Iterator<Item = &'t str> + Clone) -> usize {
    marked(lines).filter(|(_, hash)| hash.is_some()).count()
}

/// Signs of which a line that begins a commit has one.
pub const SIGNS: Signs = Signs::BLANK.or(Signs::COLON);

/// Whether a line has a hash that may begin a commit. Most texts have none.
#[inline]
pub fn may_begin(line: signs::Line<'_>) -> bool {
    let signs::Line { text, signs, .. } = line;
    text.starts_with('c') && hash(text).is_some()
        || signs.have(Signs::COLON) && labelled_hash(text).is_some()
}

/// Whether most of `count` lines are commits.
pub fn are_lines<'t>(lines: impl Iterator<Item = &'t str>, count: usize) -> bool {
    let (mut all, mut found, mut with_letters, mut with_zero) = (0, 0, 0, 0);
    // Records with an id, an address or a date differ in numbers alone. Few subjects in a row do.
    let (mut alike, mut last) = (0, "");
    for line in lines.filter(|line| !is_graph(line) && !is_stat(line)) {
        all += 1;
        if let Some((hash, subject)) = of_line(line) {
            found += 1;
            let words = |text: &'t str| text.bytes().filter(|byte| !byte.is_ascii_digit());
            let is_field =
                |field: &str| field.contains('@') || is_of_form(field.as_bytes(), b"0000-00-00");
            let is_alike = words(last).eq(words(subject)) && subject.split(' ').any(is_field);
            alike += usize::from(is_alike);
            last = subject;
            with_letters += usize::from(hash.bytes().any(|byte| byte.is_ascii_lowercase()));
            with_zero += usize::from(hash.starts_with('0'));
        } else if (all - found) * 10 > count {
            return false;
        }
    }
    // Numbers, times and offsets are no hashes: of 25 short hashes, one has no letter, and of 16, one begins with 0.
    let are_hashes = with_letters * 5 >= found * 4 && with_zero * 3 <= found;
    found >= LEAST_LINES && found * 10 >= all * 9 && are_hashes && alike * 2 <= found
}

/// The lines outside the commits with author, date and subject on lines of their own, and of their changes.
pub fn outside<'t>(lines: impl Iterator<Item = (usize, &'t str)> + Clone) -> Outside<'t> {
    let mut found = Outside::default();
    let (mut in_commit, mut in_diff) = (false, false);
    // A message below its label may have any lines, but no two blank ones in a row.
    let (mut in_head, mut in_message, mut blanks) = (false, false, 0);
    let texts = marked(lines.clone().map(|(_, line)| line));
    for ((number, line), (_, hash)) in lines.zip(texts) {
        if hash.is_some() {
            (in_commit, in_diff, in_message) = (true, false, false);
            in_head = true;
            continue;
        }
        blanks = if is_blank(line) { blanks + 1 } else { 0 };
        in_message &= blanks < 2 && !line.starts_with("diff --");
        in_head &= blanks == 0;
        let part = if in_head { part(line) } else { None };
        in_message |= part.is_some_and(|(part, _)| part == Part::Subject);
        if in_message || part.is_some() {
            continue;
        }
        in_diff |= line.starts_with("diff --") || line.starts_with("@@ ");
        let belongs = [
            "Author:",
            "AuthorDate:",
            "Commit:",
            "CommitDate:",
            "Date:",
            "Merge:",
            "Reflog",
            "gpg: ",
            "    ",
            "Notes",
        ]
        .iter()
        .any(|start| line.starts_with(start))
            || in_diff && diff::owns(line)
            || is_stat(line)
            || is_blank(line);
        in_commit &= belongs;
        if !in_commit {
            found.note(number, line);
        }
    }
    found
}

/// Whether a line is of a list of changed files: ` src/a.rs | 3 +-`, ` 2 files changed, …`, `M\tsrc/a.rs`, `3\t1\tsrc/a.rs`.
pub fn is_stat(line: &str) -> bool {
    let rest = line.strip_prefix(' ').filter(|rest| !rest.starts_with(' '));
    let of_stat = rest.is_some_and(|line| {
        [
            " | ",
            " changed, ",
            " mode ",
            "rename ",
            "copy ",
            "rewrite ",
        ]
        .iter()
        .any(|part| has(line, part))
    });
    let of_names = memchr::memchr(b'\t', line.as_bytes()).is_some_and(|tab| {
        let state = &line[..tab];
        state.len() <= 4
            && (state
                .bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b'-')
                || state.starts_with(['A', 'M', 'D', 'R', 'C', 'T']))
    });
    of_stat || of_names
}

/// Describes commits of one line each.
pub fn tell_lines<'t>(lines: impl Iterator<Item = &'t str> + Clone, paper: &mut Paper) {
    let (mut count, mut reverts) = (0, Vec::new());
    for (hash, subject) in lines.clone().filter_map(of_line) {
        count += 1;
        note_revert(&mut reverts, hash, subject);
    }
    tell_reverts(&reverts, paper);
    paper.line(&format!("{count} commits:"));
    let told = |commit: Commit<'t>| {
        let subject = cut(commit.subject, SUBJECT);
        let (hash, changes) = (short(commit.hash), commit.changes.told());
        format!("{hash} {}{changes}", one_line(&subject))
    };
    let lines = lines.map(|line| (line, of_line(line)));
    paper.list(Commits::of(lines), told, "commits");
}

/// Notes a commit that takes back another one.
fn note_revert(reverts: &mut Vec<String>, hash: &str, subject: &str) {
    // The subject may stand after other parts: `name|day|Revert "…"`.
    let at = find(subject, "Revert \"").unwrap_or_default();
    let subject = match subject[..at].ends_with(['|', '\t']) {
        true => &subject[at..],
        false => subject,
    };
    if !hash.is_empty() && subject.starts_with("Revert \"") {
        let subject = cut(subject, AUTHOR * 2);
        reverts.push(format!("{} {}", short(hash), one_line(&subject)));
    }
}

fn tell_reverts(reverts: &[String], paper: &mut Paper) {
    const ROOM: usize = 240;
    if !reverts.is_empty() {
        paper.cut_line(&format!("reverts: {}", listed(reverts, ROOM)));
    }
}

/// Describes commits with author, date and subject on lines of their own, by day.
pub fn tell<'t>(lines: impl Iterator<Item = &'t str> + Clone, paper: &mut Paper) {
    let count = count(lines.clone());
    if count == 0 {
        return;
    }
    tell_authors(lines.clone(), paper);
    if count > 1 {
        paper.line(&format!("{count} commits, by day:"));
    }
    let body = (count == 1).then(|| body(lines.clone()));
    let mut last = String::new();
    let told = |commit: Commit<'t>| {
        let subject = cut(commit.subject, SUBJECT);
        let (hash, time, subject) = (short(commit.hash), commit.time, one_line(&subject));
        let line = format!("{hash} {time} {subject}").replace("  ", " ") + &commit.changes.told();
        if commit.day == last || commit.day.is_empty() {
            return line;
        }
        last = commit.day;
        format!("{last}:\n{line}")
    };
    let lines = marked(lines).map(|(line, hash)| (line, hash.map(|hash| (hash, ""))));
    paper.list(Commits::of(lines), told, "commits");
    if let Some(body) = body.filter(|body| !body.is_empty()) {
        paper.cut_line(&format!(" {}", cut(&body, BODY)));
    }
}

/// Names the authors with the numbers of their commits, the commit of an author who has one, and the reverts.
fn tell_authors<'t>(lines: impl Iterator<Item = &'t str> + Clone, paper: &mut Paper) {
    const ROOM: usize = 240;
    /// More authors of one commit are nothing special.
    const RARE: usize = 3;
    let mut authors = Counts::new();
    // The first commit of each, in the same order.
    let mut commits: Vec<&str> = Vec::new();
    let (mut last, mut count, mut in_head) = ("", 0, false);
    // The commit whose message follows.
    let (mut next, mut reverts) = ("", Vec::new());
    for (line, hash) in marked(lines) {
        if let Some(hash) = hash {
            (last, count) = (hash, count + 1);
            (next, in_head) = (hash, true);
        } else if is_blank(line) {
            (last, in_head) = ("", false);
        } else if let Some(subject) = line.strip_prefix("    ") {
            note_revert(&mut reverts, next, subject.trim());
            next = "";
        } else if let Some((Part::Subject, subject)) = part(line).filter(|_| in_head) {
            note_revert(&mut reverts, next, subject);
            next = "";
        } else if let Some((Part::Author, author)) = part(line).filter(|_| !last.is_empty()) {
            // As Python writes an author.
            let author = author.strip_prefix("<git.Actor \"").unwrap_or(author);
            let (name, address) = author.split_once('<').unwrap_or((author, ""));
            let name = match name.trim() {
                "" => address.trim_end_matches(['>', '"']),
                name => name,
            };
            authors.add(name);
            if authors.items.len() > commits.len() {
                commits.push(last);
            }
            last = "";
        }
    }
    let once = authors
        .items
        .iter()
        .filter(|(_, count)| *count == 1)
        .count();
    let told = |(author, count): &(&str, u32)| {
        let name = cut(author, AUTHOR);
        let place = authors.items.iter().position(|(other, _)| other == author);
        match place.filter(|_| *count == 1 && once <= RARE) {
            Some(place) => format!("{name} 1 ({})", short(commits[place])),
            None => format!("{name} {count}"),
        }
    };
    match authors.len() {
        Ok(0) => {}
        Ok(1) if count == authors.total() && count > 1 => {
            let name = cut(authors.items[0].0, AUTHOR);
            paper.cut_line(&format!("author of all: {name}"));
        }
        Ok(1) => {}
        Ok(different) => {
            let all: Vec<String> = authors.sorted().iter().map(told).collect();
            paper.cut_line(&format!("{different} authors: {}", listed(&all, ROOM)));
        }
        Err(different) => {
            paper.cut_line(&format!("more than {different} authors"));
        }
    }
    if count > 1 {
        tell_reverts(&reverts, paper);
    }
}

/// The message of the first commit below its subject, in one line.
fn body<'t>(lines: impl Iterator<Item = &'t str> + Clone) -> String {
    let mut below = lines.clone().skip_while(|line| !is_message(line));
    if marked(lines.clone()).any(|(line, begins)| begins.is_some() && hash(line).is_none())
        && below.next().is_some()
    {
        let message =
            below.take_while(|line| !line.starts_with("--- ") && !line.starts_with("diff --"));
        let words = message.flat_map(str::split_whitespace);
        return words.take(BODY).collect::<Vec<_>>().join(" ");
    }
    let after = lines.skip_while(|line| !line.starts_with("    ")).skip(1);
    let message = after.take_while(|line| line.starts_with("    ") || is_blank(line));
    let words = message.flat_map(str::split_whitespace);
    words.take(BODY).collect::<Vec<_>>().join(" ")
}

fn short(hash: &str) -> &str {
    hash.get(..HASH).unwrap_or(hash)
}

/// A line, and the hash and the subject if it begins a commit. The subject is empty if it follows.
type Line<'t> = (&'t str, Option<(&'t str, &'t str)>);

/// An iterator over commits.
struct Commits<'t, L> {
    lines: L,
    next: Option<(&'t str, &'t str)>,
}

impl<L> Commits<'_, L> {
    fn of(lines: L) -> Self {
        Commits { lines, next: None }
    }
}

impl<'t, L: Iterator<Item = Line<'t>>> Iterator for Commits<'t, L> {
    type Item = Commit<'t>;

    fn next(&mut self) -> Option<Commit<'t>> {
        let (hash, subject) = match self.next.take() {
            Some(commit) => commit,
            None => self.lines.find_map(|(_, start)| start)?,
        };
        let mut commit = Commit {
            hash,
            day: String::new(),
            time: "",
            subject,
            changes: Changes::default(),
        };
        // Below a label, lines of the message may look like any others.
        let (mut in_head, mut in_message) = (true, false);
        for (line, start) in self.lines.by_ref() {
            if start.is_some() {
                self.next = start;
                break;
            }
            in_message &= !line.starts_with("diff --");
            if in_message {
                continue;
            }
            in_head &= !is_blank(line);
            let part = part(line);
            if let Some((Part::Date, date)) = part.filter(|_| commit.day.is_empty()) {
                (commit.day, commit.time) = day_and_time(date);
            } else if let Some((Part::Subject, subject)) =
                part.filter(|_| in_head && commit.subject.is_empty())
            {
                // Of a message in quotes, the first line.
                commit.subject = split(subject, "\\n").map_or(subject, |(first, _)| first);
                in_message = true;
            } else if commit.subject.is_empty() && line.starts_with("    ") {
                commit.subject = line.trim();
            } else {
                commit.changes.note(line);
            }
        }
        Some(commit)
    }
}

/// A time without its zone: `18:37:25` of `18:37:25+02:00`.
fn without_zone(time: &str) -> &str {
    let end = time.find(|c: char| !c.is_ascii_digit() && !matches!(c, ':' | '.'));
    &time[..end.unwrap_or(time.len())]
}

/// `Sun Nov 22 18:37:25 2026 +0000` and `2026-11-22 18:37:25 +0000`: the day, and the time in it.
fn day_and_time(date: &str) -> (String, &str) {
    let words: Vec<&str> = date.split_whitespace().collect();
    match words[..] {
        [week, month, day, time, year, ..] if time.contains(':') => {
            (format!("{week} {month} {day} {year}"), time)
        }
        [day, time, ..] if time.contains(':') => (day.to_owned(), without_zone(time)),
        [one] if is_of_form(one.get(..11).unwrap_or_default().as_bytes(), b"0000-00-00T") => {
            (one[..10].to_owned(), without_zone(&one[11..]))
        }
        _ => (date.to_owned(), ""),
    }
}

#[cfg(test)]
#[path = "tests/commits.rs"]
mod tests;
