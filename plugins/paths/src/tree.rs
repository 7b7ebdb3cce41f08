//! Paths as a tree of shared directories, in their order, and the two forms of it: lines of text, and JSON.
//!
//! As text, a line is a list of names, separated by spaces. A line that begins with a directory and a colon describes
//! that directory: it contains the names after the colon, and the lines below with a larger indent. A name that would
//! be misread is written as a JSON string.

/// A name, or a directory with its content.
#[derive(Debug, Clone, PartialEq)]
pub enum Entry {
    Name(String),
    /// The directory's own part of the path: one or more segments, each with its slash.
    Directory(String, Vec<Entry>),
}

/// Most levels of directories in a text. Deeper names contain slashes.
pub const DEEPEST: usize = 48;
/// Most bytes of a line before it is broken, so that a directory of a thousand files stays readable.
const LINE_BYTES: usize = 160;

/// The tree of a list of paths. At least two consecutive paths make a shared directory. Directories nest at most `room`
/// deep.
pub fn of_paths(paths: &[&str], room: usize) -> Vec<Entry> {
    of_rest(paths, 0, room)
}

/// The tree of `paths` without their first `skip` bytes, which are equal.
fn of_rest(paths: &[&str], skip: usize, room: usize) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut at = 0;
    while let Some(path) = paths.get(at) {
        let rest = &path[skip..];
        let shared = match first_segment(rest) {
            Some(segment) if room > 0 => paths[at..]
                .iter()
                .take_while(|other| first_segment(&other[skip..]) == Some(segment))
                .count(),
            _ => 1,
        };
        let run = &paths[at..at + shared];
        if shared == 1 {
            entries.push(Entry::Name(rest.to_owned()));
        } else {
            let common = run.iter().skip(1).fold(directory(rest), |common, other| {
                common_directory(common, directory(&other[skip..]))
            });
            let inside = of_rest(run, skip + common.len(), room - 1);
            entries.push(Entry::Directory(common.to_owned(), inside));
        }
        at += shared;
    }
    entries
}

/// The first segment with its slash; none if the rest is a name. (A slash at the end belongs to the name.)
fn first_segment(path: &str) -> Option<&str> {
    let slash = path.find('/')?;
    (slash + 1 < path.len()).then(|| &path[..=slash])
}

/// All segments except the name.
pub fn directory(path: &str) -> &str {
    let inner = path.len().saturating_sub(1);
    let slash = path.as_bytes()[..inner]
        .iter()
        .rposition(|byte| *byte == b'/');
    slash.map_or("", |slash| &path[..=slash])
}

/// The common first segments of two paths.
pub fn common_directory<'p>(one: &'p str, other: &str) -> &'p str {
    let same = one.bytes().zip(other.bytes());
    let same = same.take_while(|(a, b)| a == b).count();
    let slash = one.as_bytes()[..same]
        .iter()
        .rposition(|byte| *byte == b'/');
    slash.map_or("", |slash| &one[..=slash])
}

/// The paths of a tree, in order.
pub fn paths(entries: &[Entry], prefix: &str, found: &mut Vec<String>) {
    for entry in entries {
        match entry {
            Entry::Name(name) => found.push(format!("{prefix}{name}")),
            Entry::Directory(label, inside) => paths(inside, &format!("{prefix}{label}"), found),
        }
    }
}

/// Writes a tree as lines, each with its line break.
pub fn write_lines(entries: &[Entry], depth: usize, out: &mut String) {
    let mut at = 0;
    while let Some(entry) = entries.get(at) {
        let start = out.len();
        indent(depth, out);
        match entry {
            Entry::Name(_) => {
                let names = leading_names(&entries[at..]);
                write_names(names, (start, depth), out);
                at += names.len();
            }
            Entry::Directory(label, inside) => {
                write_word(label, out);
                out.push(':');
                let names = leading_names(inside);
                if !names.is_empty() {
                    out.push(' ');
                    write_names(names, (start, depth + 1), out);
                }
                out.push('\n');
                write_lines(&inside[names.len()..], depth + 1, out);
                at += 1;
                continue;
            }
        }
        out.push('\n');
    }
}

fn indent(depth: usize, out: &mut String) {
    out.extend(std::iter::repeat_n(' ', depth));
}

fn leading_names(entries: &[Entry]) -> &[Entry] {
    let is_name = |entry: &&Entry| matches!(entry, Entry::Name(_));
    &entries[..entries.iter().take_while(is_name).count()]
}

/// Writes names into a line that began at `line`. If the line is broken, the new lines are indented by `depth`.
fn write_names(names: &[Entry], (mut line, depth): (usize, usize), out: &mut String) {
    for (place, entry) in names.iter().enumerate() {
        let Entry::Name(name) = entry else { continue };
        if place > 0 {
            if out.len() - line > LINE_BYTES {
                out.push('\n');
                line = out.len();
                indent(depth, out);
            } else {
                out.push(' ');
            }
        }
        write_word(name, out);
    }
}

fn write_word(word: &str, out: &mut String) {
    let is_plain = !word.is_empty()
        && !word.starts_with('"')
        && !word.ends_with(':')
        && !word.chars().any(|c| c.is_whitespace() || c.is_control());
    if is_plain {
        out.push_str(word);
    } else {
        tamis_sdk::push_quoted(out, word);
    }
}

/// Writes a tree as a JSON array: strings, and for a directory an object with one member.
pub fn write_json(entries: &[Entry], out: &mut String) {
    out.push('[');
    for (place, entry) in entries.iter().enumerate() {
        if place > 0 {
            out.push(',');
        }
        match entry {
            Entry::Name(name) => tamis_sdk::push_quoted(out, name),
            Entry::Directory(label, inside) => {
                out.push('{');
                tamis_sdk::push_quoted(out, label);
                out.push(':');
                write_json(inside, out);
                out.push('}');
            }
        }
    }
    out.push(']');
}

/// Parses the output of [`write_lines`], up to the line with the last of `names` names.
pub fn read_lines<'l>(
    lines: &mut impl Iterator<Item = &'l str>,
    mut names: usize,
) -> Option<Vec<Entry>> {
    // The open directories around the next line, after the tree itself.
    let mut open: Vec<(String, Vec<Entry>)> = vec![(String::new(), Vec::new())];
    while names > 0
        && let Some(line) = lines.next()
    {
        let words = line.trim_start_matches(' ');
        let depth = line.len() - words.len();
        close(&mut open, depth);
        if open.len() != depth + 1 {
            return None;
        }
        let mut rest = words;
        let (first, is_directory, after) = read_word(rest)?;
        if is_directory {
            open.push((first, Vec::new()));
            rest = after;
        }
        while !rest.is_empty() {
            let (name, is_directory, after) = read_word(rest)?;
            if is_directory {
                return None;
            }
            open.last_mut()?.1.push(Entry::Name(name));
            names = names.checked_sub(1)?;
            rest = after;
        }
    }
    close(&mut open, 0);
    open.pop().map(|(_, entries)| entries)
}

/// Closes the directories that are deeper than `depth`.
fn close(open: &mut Vec<(String, Vec<Entry>)>, depth: usize) {
    while open.len() > depth + 1
        && let Some((label, entries)) = open.pop()
        && let Some((_, outer)) = open.last_mut()
    {
        outer.push(Entry::Directory(label, entries));
    }
}

/// The first word of a line, whether a colon makes it a directory, and the text after its space.
fn read_word(text: &str) -> Option<(String, bool, &str)> {
    let (word, mut rest) = if text.starts_with('"') {
        let mut escaped = false;
        let end = text.bytes().skip(1).position(|byte| {
            let ends = byte == b'"' && !escaped;
            escaped = byte == b'\\' && !escaped;
            ends
        })? + 2;
        (tamis_sdk::unquote(&text[..end])?, &text[end..])
    } else {
        let end = text.find(' ').unwrap_or(text.len());
        let end = end - usize::from(text[..end].ends_with(':'));
        (text[..end].to_owned(), &text[end..])
    };
    let is_directory = rest.starts_with(':');
    rest = &rest[usize::from(is_directory)..];
    match rest.strip_prefix(' ') {
        Some(rest) => Some((word, is_directory, rest)),
        None => rest.is_empty().then_some((word, is_directory, "")),
    }
}
