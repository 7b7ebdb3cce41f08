//! The summary: an object with the parts of a result that the settings name.

use crate::Settings;
use crate::places::Path;
use std::borrow::Cow;
use tamis_sdk::{Document, Node, NodeKind, quote};

const TRUNCATED: &str = "truncated";
const PATH: &str = "full_output_path";
const CALL: &str = "full_output_call";
/// Bytes of a text that are read at once.
const READ_AT_ONCE: u32 = 256 * 1024;

/// Most levels of a value in the summary, which adds its own. A deeper value is shown as a string.
const DEEPEST: usize = 100;

/// Whether a document is already a summary.
pub fn is_one(document: &Document, root: Node<'_>) -> bool {
    let is = |member: Option<(Node<'_>, Node<'_>)>, name, kind| {
        member.is_some_and(|(key, value)| value.kind() == kind && document.key_is(key, name))
    };
    let mut members = root.members();
    let (first, second) = (members.next(), members.next());
    // Without a path, the call is the last member, with any settings.
    let last = members.last().or(second);
    is(first, TRUNCATED, NodeKind::True)
        && (is(second, PATH, NodeKind::String) || is(last, CALL, NodeKind::String))
}

/// The names of a count and a beginning, if the settings have them.
pub type Names<'n> = (Option<&'n str>, Option<&'n str>);

/// A summary during writing.
pub struct Summary<'d> {
    pub document: &'d Document,
    settings: &'d Settings,
    json: String,
    /// Names of its members, each unique.
    names: Vec<String>,
}

impl<'d> Summary<'d> {
    pub fn begin(document: &'d Document, settings: &'d Settings, path: Option<&str>) -> Self {
        let mut summary = Summary {
            document,
            settings,
            json: "{".to_owned(),
            names: vec![CALL.to_owned()],
        };
        summary.member(TRUNCATED, "true");
        if let Some(path) = path {
            summary.member(PATH, &quote(path));
        }
        summary
    }

    pub fn end(mut self, call: Option<&str>) -> String {
        if let Some(call) = call {
            self.names.clear();
            self.member(CALL, &quote(call));
        }
        self.json.push('}');
        self.json
    }

    /// Adds a field of the document, under its key, or under its whole path if the key is taken.
    pub fn field(&mut self, path: &Path, value: Node<'_>) {
        let shown = self.show(value);
        if !self.member(path.name(), &shown) {
            self.member(&path.long_name(), &shown);
        }
    }

    /// Adds a list's length and first elements.
    pub fn list(&mut self, name: &str, (count_as, preview_as): Names<'_>, list: Node<'_>) {
        let count = list.elements().count();
        let first = list.elements().take(self.settings.preview as usize);
        let first: Vec<String> = first.map(|element| self.show(element)).collect();
        let default = format!("{}_count", singular(name));
        self.member(count_as.unwrap_or(&default), &count.to_string());
        self.preview(name, preview_as, &first);
    }

    /// Adds the number of a string's lines, and the first ones.
    pub fn lines_of(&mut self, name: &str, (count_as, preview_as): Names<'_>, value: Node<'_>) {
        let document = self.document;
        let Some(text) = document.string(value) else {
            return;
        };
        let mut lines = Lines::new(self.settings);
        lines.read(&text);
        let (count, first) = lines.end();
        let default = format!("{name}_line_count");
        self.member(count_as.unwrap_or(&default), &count.to_string());
        self.preview(name, preview_as, &first);
    }

    /// Adds the number of the document's lines, and the first ones.
    pub fn text(&mut self, name: &str) {
        let mut lines = Lines::new(self.settings);
        let mut at = 0;
        while at < self.document.len_bytes() {
            let piece = self.document.slice(at, at.saturating_add(READ_AT_ONCE));
            lines.read(&piece);
            at += piece.len() as u32;
        }
        let (count, first) = lines.end();
        self.member(&format!("{}_count", singular(name)), &count.to_string());
        self.preview(name, None, &first);
    }

    /// Whether a value is longer than the limit.
    pub fn is_long(&self, value: Node<'_>) -> bool {
        value.len_bytes() > self.settings.longest
    }

    fn preview(&mut self, name: &str, preview_as: Option<&str>, first: &[String]) {
        let default = format!("{name}_preview");
        let shown = format!("[{}]", first.join(","));
        self.member(preview_as.unwrap_or(&default), &shown);
    }

    /// Adds a member, unless its name is taken.
    fn member(&mut self, name: &str, json: &str) -> bool {
        if self.names.iter().any(|known| known == name) {
            return false;
        }
        if self.json.len() > 1 {
            self.json.push(',');
        }
        self.json.push_str(&quote(name));
        self.json.push(':');
        self.json.push_str(json);
        self.names.push(name.to_owned());
        true
    }

    /// A value without whitespace. A long one becomes a string with its beginning.
    fn show(&self, value: Node<'_>) -> String {
        let longest = self.settings.longest;
        // Enough bytes to see that it is too long, with any characters.
        let enough = (longest as usize).saturating_add(1).saturating_mul(4);
        let mut compact = String::new();
        push_compact(self.document, value, &mut compact, enough);
        let Some(cut) = cut(&compact, longest) else {
            let deep = compact.len() > DEEPEST && depth(value) > DEEPEST;
            return if deep { quote(&compact) } else { compact };
        };
        match value.kind() {
            NodeKind::String => match self.document.string(value) {
                // Escapes take more room than their characters.
                Some(text) => match self::cut(&text, longest) {
                    Some(cut) => quote(&(cut.to_owned() + "…")),
                    None => compact,
                },
                None => quote(&(cut.to_owned() + "…")),
            },
            NodeKind::Array | NodeKind::Object => quote(&(cut.to_owned() + "…")),
            // A number with thousands of digits is still one value.
            _ => self.document.raw(value).into_owned(),
        }
    }
}

/// The number of open brackets at the deepest point of a value.
fn depth(value: Node<'_>) -> usize {
    let nodes = std::iter::successors(Some(value), |node| node.following())
        .take_while(|node| node.index() < value.next_index());
    let mut open: Vec<u32> = Vec::new();
    let mut deepest = 0;
    for node in nodes {
        while open.pop_if(|end| *end <= node.index()).is_some() {}
        if matches!(node.kind(), NodeKind::Array | NodeKind::Object) {
            open.push(node.next_index());
            deepest = deepest.max(open.len());
        }
    }
    deepest
}

/// The first `longest` characters, if there are more.
fn cut(text: &str, longest: u32) -> Option<&str> {
    let end = text.char_indices().nth(longest as usize)?;
    Some(&text[..end.0])
}

/// Writes a value without whitespace, and stops after `enough` bytes.
fn push_compact(document: &Document, value: Node<'_>, out: &mut String, enough: usize) {
    if out.len() > enough {
        return;
    }
    let brackets = match value.kind() {
        NodeKind::Array => ['[', ']'],
        NodeKind::Object => ['{', '}'],
        _ => {
            out.push_str(&document.raw(value));
            return;
        }
    };
    out.push(brackets[0]);
    let begin = out.len();
    for element in value.elements() {
        if out.len() > enough {
            break;
        }
        separate(out, begin);
        push_compact(document, element, out, enough);
    }
    for (key, member) in value.members() {
        if out.len() > enough {
            break;
        }
        separate(out, begin);
        out.push_str(&document.raw(key));
        out.push(':');
        push_compact(document, member, out, enough);
    }
    out.push(brackets[1]);
}

fn separate(out: &mut String, begin: usize) {
    if out.len() > begin {
        out.push(',');
    }
}

/// Counts the lines of a text that arrives in pieces, and stores the first ones.
struct Lines<'s> {
    settings: &'s Settings,
    /// Line feeds so far.
    ended: usize,
    /// The beginning of the current line, as far as it is shown; empty after the shown lines.
    begun: String,
    first: Vec<String>,
    /// Whether the last piece ended inside a line.
    inside: bool,
}

impl<'s> Lines<'s> {
    fn new(settings: &'s Settings) -> Self {
        Lines {
            settings,
            ended: 0,
            begun: String::new(),
            first: Vec::new(),
            inside: false,
        }
    }

    fn read(&mut self, piece: &str) {
        let mut left = piece;
        while self.first.len() < self.settings.preview_lines as usize && !left.is_empty() {
            let (line, ends) = match left.find('\n') {
                Some(end) => (&left[..end], true),
                None => (left, false),
            };
            // One character more than shown, so that a cut is noticed, and a carriage return.
            let enough = self.settings.longest.saturating_add(2);
            let room = cut(line, enough).unwrap_or(line);
            if self.begun.len() <= enough as usize * 4 {
                self.begun.push_str(room);
            }
            left = &left[line.len() + usize::from(ends)..];
            self.inside = !ends;
            if ends {
                self.ended += 1;
                self.line();
            }
        }
        let feeds = left.bytes().filter(|byte| *byte == b'\n').count();
        self.ended += feeds;
        if !left.is_empty() {
            self.inside = !left.ends_with('\n');
        }
    }

    fn line(&mut self) {
        let begun = std::mem::take(&mut self.begun);
        let line = begun.strip_suffix('\r').unwrap_or(&begun);
        self.first.push(match cut(line, self.settings.longest) {
            Some(cut) => quote(&(cut.to_owned() + "…")),
            None => quote(line),
        });
    }

    fn end(mut self) -> (usize, Vec<String>) {
        if self.inside && self.first.len() < self.settings.preview_lines as usize {
            self.line();
        }
        (self.ended + usize::from(self.inside), self.first)
    }
}

/// The singular of a list's name: `errors`, `matches`, `entries`.
fn singular(name: &str) -> Cow<'_, str> {
    if let Some(stem) = name.strip_suffix("ies").filter(|stem| !stem.is_empty()) {
        return Cow::Owned(format!("{stem}y"));
    }
    let hissing = ["sses", "shes", "ches", "xes"];
    if hissing.iter().any(|end| name.ends_with(end)) {
        return Cow::Borrowed(&name[..name.len() - 2]);
    }
    let stem = name.strip_suffix('s').filter(|stem| !stem.is_empty());
    match stem {
        Some(stem) if !stem.ends_with(['s', 'u', 'i']) => Cow::Borrowed(stem),
        _ => Cow::Borrowed(name),
    }
}

#[cfg(test)]
mod tests {
    use super::singular;

    #[test]
    fn one_of_many() {
        for (many, one) in [
            ("errors", "error"),
            ("entries", "entry"),
            ("matches", "match"),
            ("boxes", "box"),
            ("classes", "class"),
            ("files", "file"),
            ("responses", "response"),
            ("status", "status"),
            ("analysis", "analysis"),
            ("data", "data"),
            ("s", "s"),
            ("ies", "ie"),
            ("", ""),
            ("Größes", "Größe"),
        ] {
            assert_eq!(singular(many), one, "{many}");
        }
    }
}
