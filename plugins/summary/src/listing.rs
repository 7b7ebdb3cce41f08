//! Listings of directories in the forms of tools: `[FILE] a.rs`, `ls -l`, `tree`.
//!
//! Owns these forms. Lists of plain paths are in `paths`.

use crate::counts::Counts;
use crate::line_values::amount;
use crate::order;
use crate::paper::{Paper, REST, characters, cut, listed, one_line, some};
use crate::search::{has, split};
use crate::trim::{is_blank, trim_start};
use tamis_formats::words;

/// Fewest entries of a listing.
const LEAST: usize = 5;
/// Most directories that are described. Entries of others are left out.
const MOST: usize = 512;
/// Most entries of a directory that are named; all are counted.
const NAMED: usize = 512;
const NAME_CHARACTERS: usize = 80;
/// Files that are told as the largest, if not all are named.
const LARGEST: usize = 3;
/// With fewer characters for each directory, only numbers of entries are told.
const ROOM_FOR_NAMES: usize = 60;
/// Fewest characters for names of entries.
const SHORTEST_NAMES: usize = 20;

/// The path of an entry that a tool marked as a directory or as a file.
pub fn marked(line: &str) -> Option<(&str, bool)> {
    let line = trim_start(line);
    if !line.starts_with('[') {
        return None;
    }
    [
        ("[DIR] ", true),
        ("[FILE] ", false),
        ("[D] ", true),
        ("[F] ", false),
    ]
    .into_iter()
    .find_map(|(mark, is_directory)| Some((line.strip_prefix(mark)?, is_directory)))
}

/// The name and the size of a file in a listing with sizes: `[FILE] a.rs      14.43 KB`.
pub fn sized(marked: Option<(&str, bool)>) -> Option<(&str, &str)> {
    let (entry, _) = marked.filter(|(_, is_directory)| !is_directory)?;
    let (rest, unit) = entry.rsplit_once(' ')?;
    let (name, number) = rest.rsplit_once(' ')?;
    let is_number = number.starts_with(|c: char| c.is_ascii_digit())
        && number
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.');
    let is_size = is_number && matches!(unit, "B" | "KB" | "MB" | "GB" | "TB");
    let name = name.trim_end();
    (is_size && !name.is_empty()).then(|| (name, entry[rest.len() - number.len()..].trim_end()))
}

/// The name, the size, and whether it is a directory, of a row of `ls -l` or of a listing with sizes. A directory has
/// no size there.
fn long(line: &str) -> Option<(&str, &str, bool)> {
    if !matches!(line.as_bytes(), [b'[' | b' ' | b'\t', ..]) {
        return of_ls(line);
    }
    match marked(line) {
        Some((name, true)) => Some((name.trim_end(), "", true)),
        file => sized(file).map(|(name, size)| (name, size, false)),
    }
}

/// The name, the size, and whether it is a directory, of a row of `ls -l`.
fn of_ls(line: &str) -> Option<(&str, &str, bool)> {
    let (mode, _) = line.as_bytes().split_first_chunk::<10>()?;
    let [
        kind @ (b'd' | b'-' | b'l' | b'c' | b'b' | b's' | b'p'),
        rights @ ..,
    ] = mode
    else {
        return None;
    };
    let is_right =
        |byte: &u8| matches!(byte, b'r' | b'w' | b'x' | b'-' | b's' | b'S' | b't' | b'T');
    if !rights.iter().all(is_right) {
        return None;
    }
    // Mode, links, owner, group, size, month, day, time: each ends at blanks. Other tools, and other options, have other
    // columns.
    let mut rest = line;
    let mut size = "";
    for column in 0..8 {
        let end = words::position(rest.as_bytes(), |part| words::has(part, b' '))?;
        let word = &rest[..end];
        let is_right = match column {
            4 => word.starts_with(|c: char| c.is_ascii_digit()) && !word.ends_with(','),
            5 => word.starts_with(|c: char| c.is_alphabetic()) || word.contains('-'),
            7 => word.contains(':') || word.len() == 4 || word.starts_with(['+', '-']),
            _ => true,
        };
        if !is_right {
            return None;
        }
        if column == 4 {
            size = word;
        }
        let blanks = rest.as_bytes()[end..].iter();
        rest = &rest[end + blanks.take_while(|byte| **byte == b' ').count()..];
    }
    let name = split(rest, " -> ").map_or(rest, |(name, _)| name);
    (!name.is_empty()).then_some((name, size, *kind == b'd'))
}

/// The depth, in characters, and the name of an entry of `tree`.
fn branch(line: &str) -> Option<(usize, &str)> {
    let is_sign = |c: char| matches!(c, '│' | '├' | '└' | '|' | '`' | '+' | ' ' | '\u{a0}');
    if !line.starts_with(is_sign) {
        return None;
    }
    // `├── a` of `tree`, and `├─┬ a`, whose children are two characters deeper, of package managers.
    let signs = ["── ", "─┬ ", "-- "];
    let rest = line.trim_start_matches(is_sign);
    let name = signs.iter().find_map(|sign| rest.strip_prefix(sign))?;
    let depth = words::characters(&line[..line.len() - rest.len()]);
    let name = name.trim_start_matches(' ');
    (!name.is_empty()).then_some((depth, name))
}

/// Whether a line belongs to a listing. What a package manager says of an entry does not.
pub fn owns(line: &str) -> bool {
    let is_entry = |line: &str| {
        let says = [
            "UNMET ",
            "invalid",
            "extraneous",
            "missing",
            "FAILED",
            "(*)",
        ];
        branch(line).is_some_and(|(_, name)| !says.iter().any(|word| has(name, word)))
    };
    marked(line).is_some() || long(line).is_some() || is_entry(line)
}

/// Whether a line may be an entry of a listing.
pub fn may_be(line: &str) -> bool {
    marked(line).is_some() || long(line).is_some() || branch(line).is_some()
}

/// The form of most lines of a listing.
pub enum Form {
    Long,
    /// Entries of `tree`, and how many trees have a line above them.
    Tree {
        entries: usize,
        trees: usize,
    },
}

/// The form of a listing; none if the text is none.
pub fn form<'t>(lines: impl Iterator<Item = &'t str>) -> Option<Form> {
    let (mut all, mut longs, mut unsized_marks, mut branches) = (0usize, 0usize, 0usize, 0usize);
    let mut roots = Roots::default();
    for line in lines.filter(|line| !is_blank(line)) {
        all += 1;
        let entry = long(line);
        longs += usize::from(entry.is_some());
        // Without sizes, entries with marks are paths.
        unsized_marks += usize::from(entry.is_some_and(|(_, size, _)| size.is_empty()));
        let is_branch = branch(line).is_some();
        branches += usize::from(is_branch);
        roots.next(line, is_branch);
    }
    let is = |count: usize| count >= LEAST && count * 10 >= all * 8;
    match is(longs) && unsized_marks < longs {
        true => Some(Form::Long),
        false => (branches >= LEAST && is(branches + roots.count)).then_some(Form::Tree {
            entries: branches,
            trees: roots.count,
        }),
    }
}

/// Describes a listing. False if the text is none.
pub fn tell<'t>(lines: impl Iterator<Item = &'t str> + Clone, paper: &mut Paper) -> bool {
    match form(lines.clone()) {
        Some(Form::Long) => tell_long(lines, paper),
        Some(Form::Tree {
            entries,
            trees: 2..,
        }) if tell_trees(lines.clone(), entries, paper) => {}
        Some(Form::Tree { entries, .. }) => tell_tree(lines, entries, paper),
        None => return false,
    }
    true
}

/// A directory that `ls -l` lists.
#[derive(Default)]
struct Directory<'t> {
    name: &'t str,
    directories: Vec<&'t str>,
    number_of_directories: usize,
    files: Vec<(&'t str, &'t str)>,
    number_of_files: usize,
}

impl Directory<'_> {
    /// `/etc: 61 directories, 92 files`, and words after it.
    fn head(&self, more: &str) -> String {
        let name = match self.name {
            "" => "here",
            name => name,
        };
        let name = cut(name, 200);
        format!(
            "{}: {}, {}{more}",
            one_line(&name),
            some(self.number_of_directories, "directories"),
            some(self.number_of_files, "files"),
        )
    }

    fn entries(&self) -> usize {
        self.number_of_directories + self.number_of_files
    }

    /// The largest files, if all sizes are amounts.
    fn largest(&self) -> Option<String> {
        let mut files = Vec::new();
        for (name, size) in &self.files {
            // `14.43 KB`
            let word = size.replacen(' ', "", 1);
            files.push((*name, *size, amount(word.as_bytes())?.0));
        }
        // Bits of numbers that are not negative are in their order.
        order::most_first(&mut files, |(.., value)| value.to_bits() as i64);
        let (.., most) = files.first()?;
        let (.., least) = files.last()?;
        if files.len() <= LARGEST || most == least {
            return None;
        }
        let mut said = " the largest:".to_owned();
        for (at, (name, size, _)) in files[..LARGEST].iter().enumerate() {
            let sign = if at == 0 { "" } else { "," };
            let name = cut(name, NAME_CHARACTERS);
            said.push_str(&format!("{sign} {} {size}", one_line(&name)));
        }
        Some(said)
    }
}

/// Describes `ls -l`: the entries of each directory, directories first; or only their numbers, if there are many.
fn tell_long<'t>(lines: impl Iterator<Item = &'t str>, paper: &mut Paper) {
    let mut found: Vec<Directory<'t>> = Vec::new();
    // Entries without a heading are in the first.
    let mut heading = Some("");
    // Directories that have no more room.
    let mut others = 0usize;
    for line in lines {
        let entry = long(line);
        if entry.is_none() {
            if let Some(name) = line.strip_suffix(':') {
                heading = Some(name);
                continue;
            }
            // An empty directory has this line alone.
            if !line.starts_with("total ") {
                continue;
            }
        }
        if let Some(name) = heading.take() {
            others += usize::from(found.len() == MOST);
            if others == 0 {
                found.push(Directory {
                    name,
                    ..Directory::default()
                });
            }
        }
        let (Some((entry, size, is_directory)), 0, Some(directory)) =
            (entry, others, found.last_mut())
        else {
            continue;
        };
        if !is_directory {
            directory.number_of_files += 1;
            if directory.files.len() < NAMED {
                directory.files.push((entry, size));
            }
        } else if entry != "." && entry != ".." {
            directory.number_of_directories += 1;
            if directory.directories.len() < NAMED {
                directory.directories.push(entry);
            }
        }
    }
    let count = found.len() + others;
    if paper.left() / count.max(1) < ROOM_FOR_NAMES {
        let all = format!("{}, the largest:", some(count, "directories"));
        paper.cut_line(&all);
        // Of equals, the first.
        order::most_first(&mut found, |directory| directory.entries() as i64);
        let hidden = paper.fitting(found.iter(), |directory| directory.head(""), REST) + others;
        if hidden > 0 {
            paper.cut_line(&format!(" and {hidden} more directories"));
        }
        return;
    }
    for (at, directory) in found.iter().enumerate() {
        let mut said: Vec<String> = Vec::new();
        for entry in &directory.directories {
            said.push(format!("{}/", one_line(&cut(entry, NAME_CHARACTERS))));
        }
        for (entry, size) in &directory.files {
            said.push(format!("{} {size}", one_line(&cut(entry, NAME_CHARACTERS))));
        }
        let room = paper.left() / (count - at);
        let head = directory.head(" and their sizes: ");
        let room = room.saturating_sub(characters(&head) + 1);
        if said.is_empty() {
            paper.cut_line(&directory.head(""));
        } else if said.len() == directory.entries() && room >= SHORTEST_NAMES {
            let largest = match said.iter().map(|it| characters(it) + 2).sum::<usize>() > room {
                true => directory.largest(),
                false => None,
            };
            // The names need most of the room.
            let largest = largest.filter(|line| characters(line) * 3 < room);
            let needed = largest.as_ref().map_or(0, |line| characters(line) + 1);
            let room = room.saturating_sub(needed);
            paper.cut_line(&format!("{head}{}", listed(&said, room)));
            if let Some(line) = largest {
                paper.cut_line(&line);
            }
        } else {
            paper.cut_line(&format!("{head}too many to name"));
        }
    }
    if others > 0 {
        paper.cut_line(&format!(" and {others} more directories"));
    }
}

/// Describes `tree`: the number of entries in each of the outer ones.
fn tell_tree<'t>(lines: impl Iterator<Item = &'t str> + Clone, all: usize, paper: &mut Paper) {
    let mut outer: Vec<(&str, usize)> = Vec::new();
    let mut others = 0usize;
    let outermost = lines
        .clone()
        .filter_map(branch)
        .map(|(depth, _)| depth)
        .min();
    for (depth, name) in lines.filter_map(branch) {
        if Some(depth) == outermost {
            if outer.len() < MOST {
                outer.push((name, 0));
            } else {
                others += 1;
            }
        } else if let Some((_, inside)) = outer.last_mut().filter(|_| others == 0) {
            *inside += 1;
        }
    }
    let head = format!("tree of {all} entries; the outer ones, and how many are inside: ");
    tell_entries(&head, &outer, others, paper);
}

/// Describes several trees by the line above each, as `cargo tree -d` and `pipdeptree` print them. False if nothing is above
/// the first entry.
fn tell_trees<'t>(lines: impl Iterator<Item = &'t str>, all: usize, paper: &mut Paper) -> bool {
    let mut trees: Vec<(&str, usize)> = Vec::new();
    let mut roots = Roots::default();
    for line in lines.filter(|line| !is_blank(line)) {
        let is_branch = branch(line).is_some();
        let root = roots.next(line, is_branch);
        if roots.count <= MOST {
            trees.extend(root.map(|root| (root, 0)));
        }
        if !is_branch || roots.count > MOST {
            continue;
        }
        match trees.last_mut() {
            Some((_, entries)) => *entries += 1,
            None => return false,
        }
    }
    let head = format!(
        "{} trees of {all} entries; the line above each, and how many are below: ",
        roots.count
    );
    tell_entries(&head, &trees, roots.count - trees.len(), paper);
    true
}

/// Finds the line above each tree.
#[derive(Default)]
struct Roots<'t> {
    count: usize,
    above: Option<&'t str>,
    /// The last entry, until it is known whether it ends its tree.
    last: Option<&'t str>,
    /// It does not.
    is_open: bool,
}

impl<'t> Roots<'t> {
    /// Reads the next line that is not blank, and tells the line above if this is the first entry of a tree.
    fn next(&mut self, line: &'t str, is_entry: bool) -> Option<&'t str> {
        if is_entry {
            self.last = Some(line);
            let root = self.above.take();
            self.count += usize::from(root.is_some());
            return root;
        }
        if let Some(last) = self.last.take() {
            self.is_open = !ends_a_tree(last);
        }
        // `[build-dependencies]` divides the entries of one tree, and other programs write between entries.
        if !line.starts_with(['│', '|', ' ', '[']) && !self.is_open {
            self.above = Some(line.trim());
        }
        None
    }
}

/// Whether an entry is the last at each level: no line leads on to others.
fn ends_a_tree(entry: &str) -> bool {
    let signs = entry.split("─ ").next().unwrap_or(entry);
    let signs = signs.split("- ").next().unwrap_or(signs);
    !signs.contains(['│', '|', '├', '+'])
}

/// Writes entries with how many others belong to each.
fn tell_entries(head: &str, entries: &[(&str, usize)], others: usize, paper: &mut Paper) {
    let mut said: Vec<String> = Vec::new();
    for (name, inside) in entries {
        let name = cut(name, NAME_CHARACTERS);
        said.push(match inside {
            0 => one_line(&name).into_owned(),
            inside => format!("{}/ {inside}", one_line(&name)),
        });
    }
    let room = paper.left().saturating_sub(characters(head) + 1);
    if others > 0 {
        let room = room.saturating_sub(REST);
        paper.cut_line(&format!("{head}{}", listed(&said, room)));
        paper.cut_line(&format!(" and {others} more"));
    } else {
        paper.cut_line(&format!("{head}{}", listed(&said, room)));
    }
}

/// Counts by ending of names.
pub fn endings<'t>(names: impl Iterator<Item = &'t str>) -> Counts<'t> {
    let mut endings = Counts::new();
    for path in names {
        // The last dot, if no slash follows it.
        let mut bytes = path.bytes();
        let last = bytes.rposition(|byte| matches!(byte, b'/' | b'.'));
        let ending = last.map(|at| &path[at..]).filter(|it| it.starts_with('.'));
        // What stands behind a path in its line is no part of it.
        let is_behind = |byte: u8| matches!(byte, b' ' | b',' | b';');
        let ending = ending.map(|ending| match ending.bytes().position(is_behind) {
            Some(end) => &ending[..end],
            None => ending,
        });
        let ending = ending.filter(|ending| ending.len() > 1);
        endings.add(ending.unwrap_or("(none)"));
    }
    endings
}

#[cfg(test)]
#[path = "tests/listing.rs"]
mod tests;
