//! Lines that another program writes directly above data or below it: a shell that echoes a command, a harness that puts
//! tags around an output, a server that tells what it left out.
//!
//! Owns their forms. Refuses to know notations: a reader says whether such a line may be a row of its table.

use crate::Triples;
use crate::around::FENCE;
use crate::words::has_pair;

/// Longest line of another program, in bytes.
const LONGEST: usize = 240;

/// Words that say that something is left out.
const LEFT_OUT: [&str; 8] = [
    "trunc", "omitted", "elided", "skipped", "more", "left out", "clipped", "hidden",
];

/// What is left out, of which dots and a number tell how much.
const UNITS: [&str; 6] = ["line", "char", "byte", "row", "item", "token"];

/// Parts in small letters of which each of these words has one.
static PARTS: Triples = Triples::of(&[
    *b"tru", *b"omi", *b"eli", *b"ski", *b"mor", *b"lef", *b"cli", *b"hid", *b"lin", *b"cha",
    *b"byt", *b"row", *b"ite", *b"tok",
]);

/// Elements of HTML with words of a text: no wrapping.
const HTML: [&str; 12] = [
    "div", "span", "pre", "code", "title", "head", "body", "html", "table", "main", "section",
    "svg",
];

/// How surely a line is one of another program.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sign {
    /// Its form says so.
    Sure,
    /// A cell may be written so too.
    Likely,
}

/// Whether a line is one that another program writes below an output.
pub(crate) fn below(line: &str) -> Option<Sign> {
    // Most lines are told from these by their beginning.
    let line = line.trim();
    let first = *line.as_bytes().first()?;
    if first.is_ascii_alphanumeric() && !may_be_below(line) {
        return None;
    }
    if line.len() > LONGEST || line.contains('\t') && first != b'r' {
        return None;
    }
    let is_sure = match first {
        b'`' => line.starts_with(FENCE),
        b'<' => matches!(tag(line), Some(Tag::Closes(_) | Tag::Holds)) || is_left_out(line),
        b'.' | b'-' | b'=' | b'*' | b'#' | 0xe2 => is_left_out(line),
        b'[' | b'(' => is_left_out(line) || is_prompt(line),
        _ => is_status(line) || is_prompt(line),
    };
    if is_sure {
        return Some(Sign::Sure);
    }
    const WORDS: [&str; 10] = [
        "OK", "ok", "Ok", "Done", "done", "Done.", "DONE", "Success", "Finished", "...",
    ];
    let is_alone = line.len() < 16
        && (WORDS.contains(&line) || matches!(line, "$" | "#" | "%" | ">" | ">>>" | "…"));
    let is_in_brackets = || {
        let inside = |open: char, close: char| line.strip_prefix(open)?.strip_suffix(close);
        let inside = inside('[', ']').or_else(|| inside('(', ')'));
        inside.is_some_and(|inside| {
            inside.starts_with(char::is_alphabetic)
                && !has_pair(inside, b' ')
                && !inside.contains(['[', ']', '(', ')', '"'])
        })
    };
    let is_likely = match first {
        b'[' | b'(' => is_in_brackets(),
        b'<' => tag(line).is_some(),
        _ => is_alone || is_note(line),
    };
    is_likely.then_some(Sign::Likely)
}

/// Whether a line that begins with a letter or a digit may be such a line: it is a short word, begins with a word of a
/// status, or with a name and a host.
fn may_be_below(line: &str) -> bool {
    const SHORT: usize = 16;
    const BEGINNINGS: [[u8; 4]; 9] = [
        *b"exit", *b"retu", *b"proc", *b"comm", *b"wall", *b"real", *b"done", *b"warn", *b"erro",
    ];
    let bytes = line.as_bytes();
    let beginning = bytes
        .first_chunk()
        .map(|it: &[u8; 4]| it.map(|byte| byte | 0x20));
    let has_host = || {
        let sign = memchr::memchr2(b' ', b'@', bytes);
        sign.is_some_and(|at| bytes[at] == b'@')
    };
    bytes.len() < SHORT
        || beginning.is_some_and(|it| BEGINNINGS.contains(&it))
        || has_host()
        || line.starts_with("PS ")
}

/// Whether a line is one below an output that names no other: no command.
pub(crate) fn is_end(line: &str) -> bool {
    below(line).is_some() && !is_prompt(line.trim())
}

/// Whether a line is one that another program writes above an output: a command, a heading, the name of a file.
pub(crate) fn is_above(line: &str) -> bool {
    let line = line.trim();
    if line.is_empty() || line.len() > LONGEST || line.contains('\t') {
        return false;
    }
    let rest = line.trim_start_matches(['=', '-', '*', '#', '>', '+', '$', '%']);
    // One dash or star is before an entry of a list.
    let is_entry = line.starts_with(['-', '*']) && line.len() - rest.len() == 1;
    let is_marked = rest.len() < line.len() && !is_entry;
    let has_words = || rest.contains(char::is_alphanumeric);
    let is_path = || !line.contains(' ') && line.starts_with(['/', '~', '.']) && line.contains('/');
    let is_log = || {
        let level = line.strip_prefix('[').and_then(|it| it.split_once("] "));
        level.is_some_and(|(level, _)| {
            !level.is_empty() && level.chars().all(|c| c.is_ascii_uppercase())
        })
    };
    // Signs and then words: a heading, or a command behind a prompt.
    let is_heading = || {
        has_words()
            && (rest.starts_with(' ') || line.starts_with("**") && line.ends_with("**"))
            && !has_pair(rest, b' ')
    };
    is_marked && is_heading()
        || is_path()
        || is_log()
        || below(line).is_some() && !is_left_out(line)
}

/// Whether a line may be words above a table, and not the upper part of its header: without a gap as between columns.
pub(crate) fn are_words(line: &str) -> bool {
    let line = line.trim();
    line.len() <= LONGEST && !has_pair(line, b' ') && !line.contains(['\t', '|'])
}

/// Whether a line says that something is left out.
pub(crate) fn is_left_out(line: &str) -> bool {
    let line = line.trim();
    let is_marked = match line.as_bytes() {
        [b'.' | b'[' | b'(' | b'<', ..] => true,
        [sign @ (b'-' | b'=' | b'*' | b'#'), other, ..] => sign == other,
        _ => line.starts_with('…'),
    };
    if !is_marked || line.len() > LONGEST {
        return false;
    }
    let inside = line.trim_start_matches([' ', '[', '(', '<', '-', '#', '=', '*']);
    let has_dots = inside.starts_with("...") || inside.starts_with('…');
    let is_closed = line.ends_with([']', ')', '>', '-', '=', '*', '.', '…']);
    // Most headings have neither.
    if !has_dots && !is_closed || has_pair(line, b' ') || !PARTS.may_be_in(line) {
        return false;
    }
    let lower = line.to_ascii_lowercase();
    let has = |parts: &[&str]| parts.iter().any(|part| lower.contains(part));
    let has_digit = lower.bytes().any(|byte| byte.is_ascii_digit());
    has(&LEFT_OUT) || has_dots && has_digit && has(&UNITS)
}

/// Whether a line tells how a command ended, or how long it took.
fn is_status(line: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    let digits = |rest: &str| {
        let rest = rest.trim_start_matches([' ', ':', '=', '(', '-']);
        rest.starts_with(|c: char| c.is_ascii_digit())
    };
    const ENDS: [&str; 14] = [
        "exit code",
        "exit status",
        "exit_code",
        "exit-code",
        "exitcode",
        "exit_status",
        "exit",
        "return code",
        "return_code",
        "returncode",
        "process exited with code",
        "process finished with exit code",
        "command exited with code",
        "wall time",
    ];
    let ends = ENDS.iter().filter_map(|end| lower.strip_prefix(end));
    let is_time = || {
        let time = lower.strip_prefix("real").unwrap_or_default();
        let is_part = |c: char| c.is_ascii_digit() || matches!(c, 'm' | 's' | '.' | ',');
        time.starts_with([' ', '\t']) && time.ends_with('s') && time.trim().chars().all(is_part)
    };
    let is_done = || lower.strip_prefix("done in ").is_some_and(digits);
    // A row has gaps between its cells.
    !has_pair(line, b' ') && ends.clone().any(digits) || is_time() || is_done()
}

/// Whether a line is a message of a program: `warning: 2 rows were skipped`.
fn is_note(line: &str) -> bool {
    let (level, note) = line.split_once(": ").unwrap_or_default();
    let is_level = level.eq_ignore_ascii_case("warning") || level.eq_ignore_ascii_case("error");
    is_level && note.contains(' ') && !has_pair(note, b' ')
}

/// Whether a line begins with the prompt of a shell: `$ ls`, `user@host:~$`, `[user@host ~]# ls`, `PS C:\> ls`.
fn is_prompt(line: &str) -> bool {
    if let Some(command) = line.strip_prefix("$ ") {
        return command.contains(char::is_alphanumeric);
    }
    if let Some(rest) = line.strip_prefix("PS ") {
        return rest.as_bytes().get(1..3) == Some(b":\\") && rest.contains('>');
    }
    if memchr::memchr(b'@', line.as_bytes()).is_none() {
        return false;
    }
    let Some(end) = line.find(['$', '#', '%']) else {
        return false;
    };
    let (head, rest) = (&line[..end], &line[end + 1..]);
    let is_user = head.trim_start_matches(['(', '[']).split_once('@');
    let is_word = |word: &str| {
        !word.is_empty()
            && word
                .chars()
                .all(|c| c.is_alphanumeric() || "-_.".contains(c))
    };
    is_user.is_some_and(|(user, host)| {
        is_word(user)
            && !has_pair(host, b' ')
            && host.contains([':', ' ', '~', ']'])
            && host.split([':', ' ', '~', ']']).next().is_some_and(is_word)
    }) && (rest.is_empty() || rest.starts_with(' '))
}

/// A line that is a tag.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tag<'t> {
    Opens(&'t str),
    Closes(&'t str),
    /// An element with a value: `<returncode>1</returncode>`.
    Holds,
}

/// The tag that a line is, without attributes.
pub(crate) fn tag(line: &str) -> Option<Tag<'_>> {
    let line = line.trim();
    let inside = line.strip_prefix('<')?.strip_suffix('>')?;
    if let Some(name) = inside.strip_prefix('/') {
        return is_element(name).then_some(Tag::Closes(name));
    }
    let Some((name, rest)) = inside.split_once('>') else {
        return is_element(inside).then_some(Tag::Opens(inside));
    };
    let (value, end) = rest.rsplit_once("</")?;
    (is_element(name) && is_wrapping(name) && end == name && !value.contains('<'))
        .then_some(Tag::Holds)
}

/// The same for a tag that may have attributes, of an element that is none of HTML: `<file path="a.json">`.
pub(crate) fn tag_of_file(line: &str) -> Option<Tag<'_>> {
    let line = line.trim();
    let name = match tag(line) {
        Some(Tag::Opens(name)) => name,
        Some(other) => return Some(other),
        None => {
            let inside = line.strip_prefix('<')?.strip_suffix('>')?;
            let (name, rest) = inside.split_once(' ')?;
            let is_open = !rest.contains(['<', '>']) && rest.contains('=') && !rest.ends_with('/');
            (is_open && is_element(name)).then_some(name)?
        }
    };
    is_wrapping(name).then_some(Tag::Opens(name))
}

/// The element that a tag opens at the beginning of a text.
pub(crate) fn opened_by(text: &str) -> Option<&str> {
    let end = text.bytes().take(LONGEST).position(|byte| byte == b'>')? + 1;
    match tag(&text[..end])? {
        Tag::Opens(name) if is_wrapping(name) => Some(name),
        _ => None,
    }
}

/// Whether a name is none of HTML's for a part of a text.
fn is_wrapping(name: &str) -> bool {
    name.len() > 2 && !HTML.contains(&name)
}

fn is_element(name: &str) -> bool {
    let is_sign = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ':');
    name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.chars().all(is_sign)
}

/// Whether the tags above data and below it are the elements around it: each that is opened is closed, and all data is in
/// one of them. `tag` says which lines are tags.
pub(crate) fn are_around(before: &str, after: &str, tag: impl Fn(&str) -> Option<Tag<'_>>) -> bool {
    let mut open: Vec<&str> = Vec::new();
    let mut is_inside = false;
    for (text, is_last) in [(before, false), (after, true)] {
        for tag in text.lines().filter_map(&tag) {
            match tag {
                Tag::Opens(name) => open.push(name),
                Tag::Closes(name) if open.pop() == Some(name) => {}
                Tag::Closes(_) => return false,
                Tag::Holds => {}
            }
        }
        if !is_last {
            is_inside = !open.is_empty();
        }
    }
    is_inside && open.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_of_what_is_left_out_has_a_part() {
        for word in LEFT_OUT.iter().chain(&UNITS) {
            assert!(PARTS.may_be_in(&word.to_ascii_uppercase()), "{word}");
            assert!(is_left_out(&format!("... 7 {word}")), "{word}");
        }
        assert!(!is_left_out("... 7 others"));
    }
}
