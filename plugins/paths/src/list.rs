//! Lists of paths, one a line, as `find`, `rg --files` and directory listings print them.

use crate::{hits, json, tree};

/// Most other lines above a list, and below it: a heading, a note on a cut.
const OTHER_LINES: usize = 3;
const LONGEST_PATH: usize = 4096;
const TAGS: [&str; 2] = ["[FILE] ", "[DIR] "];

/// The header above a list, after the number of paths.
const PLAIN_HEADER: &str = " paths by directory:";
/// The same if each line has a tag.
const TAGGED_HEADER: &str = " entries ([DIR] ends in /):";

/// The list in a text, with shared directories written once; none without a list of at least `fewest` paths.
pub fn encode(text: &str, fewest: usize) -> Option<String> {
    // A text that looks like output of this filter could not be distinguished from its output.
    if text
        .split('\n')
        .any(|line| line.starts_with(' ') || is_header(line))
    {
        return None;
    }
    let is_tagged = |line: &str| TAGS.iter().any(|tag| line.starts_with(tag));
    let lines: Vec<&str> = text.split('\n').collect();
    let mut first = lines
        .iter()
        .take(OTHER_LINES + 1)
        .position(|line| is_tagged(line) || is_line(line))?;
    let tagged = is_tagged(lines[first]);
    let mut names: Vec<String> = Vec::new();
    let mut paths: Vec<&str> = Vec::new();
    for line in &lines[first..] {
        if tagged {
            let Some(name) = untagged(line) else { break };
            names.push(name);
        } else if is_line(line) {
            paths.push(line);
        } else {
            break;
        }
    }
    if tagged {
        paths = names.iter().map(String::as_str).collect();
    } else if first > 0 && is_rows(lines[first - 1], paths.len() - 1) {
        // A table of one column: the first line is its name.
        paths.remove(0);
        first += 1;
    }
    let below = &lines[first + paths.len()..];
    // One more, empty line follows the last line break.
    if paths.len() < fewest || below.len() > OTHER_LINES + 1 {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    for line in &lines[..first] {
        out.push_str(line);
        out.push('\n');
    }
    out.push_str(&paths.len().to_string());
    out.push_str(if tagged { TAGGED_HEADER } else { PLAIN_HEADER });
    out.push('\n');
    tree::write_lines(&tree::of_paths(&paths, tree::DEEPEST), 0, &mut out);
    out.pop();
    for line in below {
        out.push('\n');
        out.push_str(line);
    }
    Some(out)
}

/// The text before [`encode`].
pub fn decode(text: &str) -> Option<String> {
    let mut lines = text.split('\n');
    let mut decoded = Vec::new();
    let (count, tagged) = loop {
        let line = lines.next()?;
        match header(line) {
            Some(found) => break found,
            None => decoded.push(line.to_owned()),
        }
    };
    let mut paths = Vec::new();
    tree::paths(&tree::read_lines(&mut lines, count)?, "", &mut paths);
    if paths.len() != count {
        return None;
    }
    decoded.extend(
        paths
            .into_iter()
            .map(|path| match (tagged, path.strip_suffix('/')) {
                (false, _) => path,
                (true, Some(name)) => format!("[DIR] {name}"),
                (true, None) => format!("[FILE] {path}"),
            }),
    );
    decoded.extend(lines.map(str::to_owned));
    Some(decoded.join("\n"))
}

/// Whether a line is a header that this filter writes above a list or tree.
pub fn is_header(line: &str) -> bool {
    header(line).is_some() || json::is_header(line)
}

/// The number of paths in a header, and whether they had tags.
fn header(line: &str) -> Option<(usize, bool)> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let (count, rest) = line.split_at(digits);
    let tagged = rest == TAGGED_HEADER;
    (tagged || rest == PLAIN_HEADER).then_some(())?;
    Some((count.parse().ok()?, tagged))
}

/// The name in a line with a tag. A directory's name ends with a slash.
fn untagged(line: &str) -> Option<String> {
    let (name, end) = match line.strip_prefix("[DIR] ") {
        Some(name) => (name, "/"),
        None => (line.strip_prefix("[FILE] ")?, ""),
    };
    let fits = !name.is_empty()
        && name.trim() == name
        && !name.ends_with('/')
        && !name.chars().any(char::is_control);
    fits.then(|| format!("{name}{end}"))
}

/// Whether a line is the one above a table of so many rows, as `row-encoder` writes it.
fn is_rows(line: &str, count: usize) -> bool {
    line.strip_suffix(" rows")
        .is_some_and(|rows| rows == count.to_string())
}

/// Whether a line is a path, and not a hit in a file.
fn is_line(line: &str) -> bool {
    is_path(line) && hits::hit(line).is_none()
}

/// Whether a line or string is a path and not prose. Only absolute paths may have spaces.
pub fn is_path(text: &str) -> bool {
    let is_absolute = text.starts_with('/');
    !text.is_empty()
        && text.len() <= LONGEST_PATH
        && text.trim() == text
        && !text.ends_with(':')
        && !text.chars().any(|c| {
            c.is_control()
                || "<>\"|*?`{},;".contains(c)
                || c.is_whitespace() && !(is_absolute && c == ' ')
        })
}
