//! Servers in YAML: where their commands and arguments are.
//!
//! This reads the part of YAML in which people write lists of servers: a block sequence of block mappings,
//! whose commands and arguments are scalars on one line. A file in another form is
//! [`Unusable::ByHand`]; a server in another form is unclear. No other line of the file is read or
//! written again.

use std::ops::Range;

use super::details::Details;
use super::server::{Arguments, Launch, Server, Stdio, Word};
use super::{Unusable, broken};

/// The servers under the one key in `lists`; see [`super::servers`].
pub(super) fn servers(text: &str, lists: &[&[&str]]) -> Result<Vec<Server>, Unusable> {
    let mut servers = Vec::new();
    for list in lists {
        let [key] = list else {
            return Err(Unusable::ByHand);
        };
        for item in items(text, key)? {
            let name = item.scalar(text, "name").map(|word| word.value);
            let launch = match &name {
                None => Launch::Unclear("it has no name".to_owned()),
                Some(_) => item.launch(text),
            };
            let name = name.unwrap_or_default();
            let at = vec![(*key).to_owned(), name];
            let whole = vec![whole_lines(text, item.lines.clone())];
            servers.push(Server {
                at,
                launch,
                details: item.details(text),
                whole,
            });
        }
    }
    let names: Vec<Vec<String>> = servers.iter().map(|server| server.at.clone()).collect();
    for server in &mut servers {
        if names.iter().filter(|name| **name == server.at).count() > 1 {
            server.launch = Launch::Unclear("it is defined twice".to_owned());
        }
    }
    Ok(servers)
}

/// The position for another server in a list that has one, and the blanks before its `-`.
pub(super) fn end_of_list(text: &str, list: &[String]) -> Option<(usize, String)> {
    let [key] = list else { return None };
    let items = items(text, key).ok()?;
    let last = items.last()?;
    Some((last.lines.end, " ".repeat(last.indent)))
}

/// The end of a line, as the file has it.
pub(super) fn newline(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// A line that says something: no blank one, no comment.
struct Line {
    /// The line with its end.
    whole: Range<usize>,
    /// Blanks before its first character.
    indent: usize,
    /// The line from its first character, without blanks at its end.
    content: Range<usize>,
}

/// A mapping of the sequence.
struct Item {
    /// The column of its `-`.
    indent: usize,
    /// The column of its keys.
    key_indent: usize,
    /// All of its lines.
    lines: Range<usize>,
    entries: Vec<Entry>,
}

/// A key of a mapping, with its value.
struct Entry {
    key: String,
    /// The line that it begins on.
    line: Range<usize>,
    /// The text behind the colon, on its line.
    value: Range<usize>,
    /// The lines below that belong to it.
    below: Vec<Line>,
    /// The key is on the line of the `-`.
    is_first: bool,
}

fn lines(text: &str) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut start = text.len() - text.trim_start_matches('\u{feff}').len();
    for line in text[start..].split_inclusive('\n') {
        let content = line.trim_end().trim_start_matches(' ');
        let indent = line.len() - line.trim_start_matches(' ').len();
        if !content.is_empty() && !content.starts_with('#') {
            lines.push(Line {
                whole: start..start + line.len(),
                indent,
                content: start + indent..start + indent + content.len(),
            });
        }
        start += line.len();
    }
    lines
}

/// The mappings of the sequence under a key at the top of the document; none if the key is missing.
fn items(text: &str, key: &str) -> Result<Vec<Item>, Unusable> {
    let lines = lines(text);
    let content = |line: &Line| &text[line.content.clone()];
    // Not: several documents, directives, and lines that may be inside of something that began further up.
    let is_plain = |(index, line): (usize, &Line)| {
        let content = content(line);
        line.indent > 0
            || (content == "---" && index == 0)
            || content == "-"
            || content.starts_with("- ")
            || entry(content).is_some()
    };
    if !lines.iter().enumerate().all(is_plain) {
        return Err(Unusable::ByHand);
    }
    let is_key = |line: &&Line| {
        line.indent == 0 && entry(content(line)).is_some_and(|(name, _)| name == key)
    };
    let mut found = lines.iter().filter(is_key);
    let Some(first) = found.next() else {
        return Ok(Vec::new());
    };
    if let Some(second) = found.next() {
        let message = format!("duplicate `{key}`");
        return Err(broken(text, second.content.start, message));
    }
    match entry(content(first)).map(|(_, value)| without_comment(value)) {
        Some("") => {}
        Some("[]") => return Ok(Vec::new()),
        _ => return Err(Unusable::ByHand),
    }
    let section = lines
        .iter()
        .skip_while(|line| line.whole != first.whole)
        .skip(1)
        .take_while(|line| line.indent > 0 || content(line).starts_with('-'));
    let mut items: Vec<Item> = Vec::new();
    for line in section {
        read_line(text, line, &mut items).ok_or(Unusable::ByHand)?;
    }
    Ok(items)
}

/// Puts a line where it belongs. None: it stands where nothing is known to be.
fn read_line(text: &str, line: &Line, items: &mut Vec<Item>) -> Option<()> {
    let content = &text[line.content.clone()];
    if content.contains('\t') {
        return None;
    }
    let dash = content
        .strip_prefix('-')
        .filter(|rest| rest.starts_with(' '));
    let begins = dash.filter(|_| items.last().is_none_or(|item| item.indent == line.indent));
    let start = match begins {
        Some(rest) => {
            let rest = rest.trim_start();
            let start = line.content.end - rest.len();
            items.push(Item {
                indent: line.indent,
                key_indent: line.indent + start - line.content.start,
                lines: line.whole.clone(),
                entries: Vec::new(),
            });
            start
        }
        None => line.content.start,
    };
    let item = items.last_mut()?;
    item.lines.end = line.whole.end;
    let is_below = begins.is_none()
        && (line.indent > item.key_indent || (line.indent == item.key_indent && dash.is_some()));
    if is_below {
        let last = item.entries.last_mut()?;
        last.below.push(Line {
            whole: line.whole.clone(),
            indent: line.indent,
            content: line.content.clone(),
        });
        return Some(());
    }
    if begins.is_none() && line.indent != item.key_indent {
        return None;
    }
    let (key, value) = entry(&text[start..line.content.end])?;
    if item.entries.iter().any(|entry| entry.key == key) {
        return None;
    }
    item.entries.push(Entry {
        key: key.to_owned(),
        line: line.whole.clone(),
        value: line.content.end - value.len()..line.content.end,
        below: Vec::new(),
        is_first: begins.is_some(),
    });
    Some(())
}

/// A plain key and the text behind its colon.
fn entry(content: &str) -> Option<(&str, &str)> {
    let (key, value) = content.split_once(':')?;
    let is_fit = |c: char| c.is_ascii_alphanumeric() || "_-$.".contains(c);
    let is_key = !key.is_empty() && key.chars().all(is_fit) && !key.starts_with('-');
    let is_value = value.is_empty() || value.starts_with(' ');
    (is_key && is_value).then(|| (key, value.trim_start()))
}

impl Item {
    fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    /// A scalar on the line of its key.
    fn scalar(&self, text: &str, key: &str) -> Option<Word> {
        let entry = self.entry(key).filter(|entry| entry.below.is_empty())?;
        let (word, rest) = scalar(text, entry.value.clone(), true)?;
        without_comment(&text[rest]).is_empty().then_some(word)
    }

    fn launch(&self, text: &str) -> Launch {
        if self.entry("command").is_none() {
            return match self.scalar(text, "url") {
                Some(address) => Launch::Remote(address.value),
                None => Launch::Unclear("it has no command".to_owned()),
            };
        }
        let Some(command) = self.scalar(text, "command") else {
            return Launch::Unclear("`command` is not a string on one line".to_owned());
        };
        let arguments = match self.entry("args") {
            None => Some(self.missing(text)),
            Some(entry) => entry.listed(text),
        };
        match arguments {
            Some(arguments) => Launch::Stdio(Stdio { command, arguments }),
            None => Launch::Unclear("`args` is not a list of strings, each on one line".to_owned()),
        }
    }

    /// The other settings of a server.
    fn details(&self, text: &str) -> Details {
        Details::read(
            |key| Some(self.scalar(text, key)?.value),
            |key| {
                self.entry(key)
                    .map_or_else(Vec::new, |entry| entry.table(text))
            },
        )
    }

    /// A list is put on the line below the command.
    fn missing(&self, text: &str) -> Arguments {
        let at = self.entry("command").map_or(0, |entry| entry.line.end);
        let (indent, newline) = (" ".repeat(self.key_indent), newline(text));
        let is_last = !text[..at].ends_with('\n');
        let (lead, end) = if is_last {
            (newline, "")
        } else {
            ("", newline)
        };
        Arguments::Missing {
            at,
            before: format!("{lead}{indent}args: "),
            after: end.to_owned(),
        }
    }
}

impl Entry {
    /// The scalars of a mapping, each on a line of its own.
    fn table(&self, text: &str) -> Vec<(String, String)> {
        let indent = self.below.first().map(|line| line.indent);
        let lines = self.below.iter().filter(|line| Some(line.indent) == indent);
        let pair = |line: &Line| {
            let (key, value) = entry(&text[line.content.clone()])?;
            let part = line.content.end - value.len()..line.content.end;
            let (word, rest) = scalar(text, part, false)?;
            let is_whole = without_comment(&text[rest]).is_empty();
            is_whole.then(|| (key.to_owned(), word.value))
        };
        lines.filter_map(pair).collect()
    }

    /// The words of a list: between brackets, or each on a line of its own.
    fn listed(&self, text: &str) -> Option<Arguments> {
        let end = self
            .below
            .last()
            .map_or(self.line.end, |line| line.whole.end);
        let whole = match self.is_first {
            true => Vec::new(),
            false => vec![whole_lines(text, self.line.start..end)],
        };
        let value = &text[self.value.clone()];
        if value.starts_with('[') {
            if !self.below.is_empty() {
                return None;
            }
            let (inside, words) = brackets(text, self.value.clone())?;
            return Some(Arguments::Listed {
                inside,
                words,
                whole,
                separator: None,
            });
        }
        let first = self.below.first()?;
        if !without_comment(value).is_empty() {
            return None;
        }
        let mut words = Vec::new();
        for line in &self.below {
            let content = &text[line.content.clone()];
            let rest = content.strip_prefix('-')?;
            if line.indent != first.indent || !rest.starts_with(' ') {
                return None;
            }
            let start = line.content.end - rest.trim_start().len();
            let (word, rest) = scalar(text, start..line.content.end, false)?;
            if !without_comment(&text[rest]).is_empty() {
                return None;
            }
            words.push(word);
        }
        Some(Arguments::Listed {
            inside: words.first()?.span.start..words.last()?.span.end,
            words,
            whole,
            separator: Some(format!("{}{}- ", newline(text), " ".repeat(first.indent))),
        })
    }
}

/// The words between brackets on one line, and where they are.
fn brackets(text: &str, value: Range<usize>) -> Option<(Range<usize>, Vec<Word>)> {
    let start = value.start + 1;
    let blanks = |at: usize| {
        let rest = &text[at..value.end];
        at + rest.len() - rest.trim_start_matches(' ').len()
    };
    let mut words = Vec::new();
    let mut at = blanks(start);
    loop {
        if text[at..value.end].starts_with(']') {
            let is_over = without_comment(&text[at + 1..value.end]).is_empty();
            return is_over.then_some((start..at, words));
        }
        let (word, rest) = scalar(text, at..value.end, true)?;
        words.push(word);
        at = blanks(rest.start);
        if text[at..value.end].starts_with(',') {
            at = blanks(at + 1);
        } else if !text[at..value.end].starts_with(']') {
            return None;
        }
    }
}

/// A scalar at the start of a part of a line, and the text after it. `in_flow`: it is between brackets,
/// or may be put there.
fn scalar(text: &str, part: Range<usize>, in_flow: bool) -> Option<(Word, Range<usize>)> {
    let rest = &text[part.clone()];
    let (length, value) = match rest.chars().next()? {
        '"' => {
            let mut is_escaped = false;
            let end = rest[1..].find(|c| {
                let is_end = c == '"' && !is_escaped;
                is_escaped = c == '\\' && !is_escaped;
                is_end
            })?;
            let length = end + 2;
            (length, serde_json::from_str(&rest[..length]).ok()?)
        }
        '\'' => {
            let mut length = 1;
            loop {
                length += rest[length..].find('\'')? + 1;
                if !rest[length..].starts_with('\'') {
                    break;
                }
                length += 1;
            }
            (length, rest[1..length - 1].replace("''", "'"))
        }
        first => {
            let second = rest[first.len_utf8()..].chars().next();
            let may_begin = match first {
                '-' | '?' | ':' => second.is_some_and(|c| c != ' '),
                _ => !",[]{}#&*!|>%@`".contains(first),
            };
            let is_over = |(at, c): (usize, char)| {
                (in_flow && ",[]{}".contains(c)) || (c == '#' && rest[..at].ends_with(' '))
            };
            let end = rest.char_indices().find(|found| is_over(*found));
            let plain = rest[..end.map_or(rest.len(), |(at, _)| at)].trim_end();
            let is_key = plain.contains(": ") || plain.ends_with(':');
            let is_null = matches!(plain, "" | "~" | "null" | "Null" | "NULL");
            if !may_begin || is_key || is_null {
                return None;
            }
            (plain.len(), plain.to_owned())
        }
    };
    let span = part.start..part.start + length;
    let after = span.end..part.end;
    Some((Word { span, value }, after))
}

/// The text behind a value, without the comment.
fn without_comment(rest: &str) -> &str {
    let rest = rest.trim_start();
    if rest.starts_with('#') {
        ""
    } else {
        rest.split(" #").next().unwrap_or_default().trim_end()
    }
}

/// Lines, to be cut: without an end of their own, with that of the line before.
fn whole_lines(text: &str, lines: Range<usize>) -> Range<usize> {
    if text[lines.clone()].ends_with('\n') {
        return lines;
    }
    let before = text[..lines.start]
        .trim_end_matches('\n')
        .trim_end_matches('\r');
    before.len()..lines.end
}
