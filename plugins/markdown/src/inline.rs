//! Marks inside a line: the open ones, the ones already written, and the spelling of links.

/// A mark around a text inside a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inline {
    Strong,
    Emphasis,
    Struck,
    Quoted,
    Raised,
    Lowered,
    Code,
    /// A link; none if its target is unusable, or was already written.
    Link {
        href: Option<String>,
        label: String,
    },
}

/// An open mark.
pub struct OpenMark {
    pub what: Inline,
    /// The offset of its first byte in the text; none if it is not written yet.
    pub written: Option<usize>,
}

impl Inline {
    /// The mark before the first word.
    pub fn opening(&self) -> &'static str {
        match self {
            Inline::Strong => "**",
            Inline::Emphasis => "*",
            Inline::Struck => "~~",
            Inline::Quoted => "\"",
            Inline::Raised => "^",
            Inline::Lowered => "_",
            Inline::Link { href: Some(_), .. } => "[",
            Inline::Link { href: None, .. } | Inline::Code => "",
        }
    }

    /// The mark after the last word.
    pub fn closing(&self) -> String {
        match self {
            Inline::Raised | Inline::Lowered => String::new(),
            Inline::Link {
                href: Some(href), ..
            } => format!("]({})", destination(href)),
            other => other.opening().to_owned(),
        }
    }

    pub fn is_link(&self) -> bool {
        matches!(self, Inline::Link { .. })
    }
}

/// The target of a link, unless it is in the same page, or a script.
pub fn target(href: &str) -> Option<String> {
    let href = href.trim_matches(|letter: char| letter.is_ascii_whitespace());
    let scheme = href.get(..11).unwrap_or(href).to_ascii_lowercase();
    let is_script = ["javascript:", "data:", "blob:"]
        .iter()
        .any(|known| scheme.starts_with(known));
    (!href.is_empty() && !href.starts_with('#') && !is_script).then(|| href.to_owned())
}

/// A link's destination in the spelling of Markdown.
pub fn destination(href: &str) -> String {
    let mut out = String::with_capacity(href.len());
    let mut needs_brackets = false;
    for letter in href.chars() {
        match letter {
            '\n' | '\r' | '\t' => {}
            '<' => out.push_str("%3C"),
            '>' => out.push_str("%3E"),
            '|' => out.push_str("%7C"),
            _ => {
                needs_brackets |= matches!(letter, ' ' | '(' | ')');
                out.push(letter);
            }
        }
    }
    if needs_brackets {
        format!("<{out}>")
    } else {
        out
    }
}

/// A text as a span of code: between more backticks than any run in the text has.
pub fn code_span(text: &str) -> String {
    let ticks = "`".repeat(longest_run(text, '`') + 1);
    let space = if text.starts_with('`') || text.ends_with('`') {
        " "
    } else {
        ""
    };
    format!("{ticks}{space}{text}{space}{ticks}")
}

/// The length of the longest run of a letter.
pub fn longest_run(text: &str, sought: char) -> usize {
    let (mut longest, mut run) = (0, 0);
    for letter in text.chars() {
        run = if letter == sought { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

/// The words of a text with one space between them.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
