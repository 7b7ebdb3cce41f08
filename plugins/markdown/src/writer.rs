//! Writes the tags and texts of a page as Markdown.
//!
//! Blocks are separated at the next word, so that elements without words write nothing. The marks around a text are
//! bounded: lists and quotes by [`containers::MOST`](crate::containers::MOST), marks in a line by [`MOST_INLINE`].
//! Deeper words are written without further marks.

use crate::containers::{Containers, Kind};
use crate::element::Element;
use crate::inline::{Inline, OpenMark, code_span, destination, longest_run, one_line, target};
use crate::survey::Survey;
use crate::table::Table;
use crate::tokens::{self, Attribute, Tag, Token};

/// Most marks around a text in its line.
const MOST_INLINE: usize = 8;

/// Writes a page at the end of `out`. None if that would become longer than `most_bytes`, or the page is doubtful.
pub fn write(html: &str, survey: Survey, out: &mut String, most_bytes: usize) -> Option<()> {
    let mut writer = Writer {
        start: out.len(),
        out: std::mem::take(out),
        most_bytes,
        tables: survey.tables.into_iter(),
        ..Writer::default()
    };
    tokens::read(html, &mut |token| {
        if !writer.is_full() {
            writer.take(&token);
        }
    })
    .ok()?;
    writer.finish();
    *out = writer.out;
    (out.len() <= most_bytes).then_some(())
}

/// The separation between the output and the next word.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    #[default]
    None,
    Line,
    Blank,
}

/// Text that keeps its white space.
struct Exact {
    text: String,
    language: String,
    /// A field of a form: its text is code only if it has several lines.
    is_field: bool,
}

#[derive(Default)]
struct Writer {
    out: String,
    most_bytes: usize,
    gap: Gap,
    /// Whether white space precedes the next word.
    space: bool,
    /// Whether the line is still empty, so that it must not begin with a space.
    is_fresh: bool,
    containers: Containers,
    /// The start of the page in `out`.
    start: usize,
    inline: Vec<OpenMark>,
    code: String,
    /// The beginning of the line, written with its first word.
    lead: String,
    is_heading: bool,
    exact: Option<Exact>,
    title: Option<String>,
    has_title: bool,
    table: Option<Table>,
    /// For each later table: whether it is a table of data.
    tables: std::vec::IntoIter<bool>,
    /// For each table around the text: whether it is a table of data.
    open_tables: Vec<bool>,
}

impl Writer {
    fn is_full(&self) -> bool {
        self.out.len() > self.most_bytes
    }

    fn take(&mut self, token: &Token<'_>) {
        match token {
            Token::Text(text) => self.text(text),
            Token::Start(tag) => self.start(tag),
            Token::End(element) => self.end(*element),
        }
    }

    fn text(&mut self, text: &str) {
        if let Some(title) = &mut self.title {
            title.push_str(text);
        } else if let Some(exact) = &mut self.exact {
            exact.text.push_str(text);
        } else if self.is_in_code() {
            self.code.push_str(text);
        } else {
            let is_space = |letter: char| letter.is_whitespace();
            for run in text.split_inclusive(is_space) {
                let word = run.trim_end_matches(is_space);
                if !word.is_empty() {
                    self.word(word);
                }
                self.space |= word.len() < run.len();
            }
        }
    }

    fn word(&mut self, word: &str) {
        self.begin();
        if self.is_in_cell() && word.contains('|') {
            self.out.push_str(&word.replace('|', "\\|"));
        } else {
            self.out.push_str(word);
        }
    }

    /// Writes the text of an attribute into the line.
    fn words(&mut self, text: &str) {
        for word in text.split_whitespace() {
            self.space = true;
            self.word(word);
        }
    }

    /// Writes everything before a word: line breaks, marks of containers, a space, and the marks in the line.
    fn begin(&mut self) {
        if self.is_in_cell() {
            if self.gap != Gap::None && !self.out.is_empty() {
                self.out.push_str("<br>");
                self.is_fresh = true;
            }
            self.gap = Gap::None;
        } else {
            self.separate();
        }
        if self.space && !self.is_fresh {
            self.out.push(' ');
        }
        self.space = false;
        self.is_fresh = false;
        for open in &mut self.inline {
            let opening = open.what.opening();
            if open.written.is_none() && !opening.is_empty() {
                open.written = Some(self.out.len());
                self.out.push_str(opening);
            }
        }
    }

    fn separate(&mut self) {
        let is_first = self.out.len() == self.start;
        if self.gap != Gap::None && !is_first {
            self.out.push('\n');
            if self.gap == Gap::Blank {
                self.out.push_str(self.containers.between().trim_end());
                self.out.push('\n');
            }
        }
        if self.gap != Gap::None || is_first {
            self.out.push_str(&self.containers.first_line());
            self.is_fresh = true;
        }
        self.gap = Gap::None;
        if !self.lead.is_empty() {
            let lead = std::mem::take(&mut self.lead);
            self.out.push_str(&lead);
            self.is_fresh = true;
        }
    }

    fn is_in_cell(&self) -> bool {
        self.table.as_ref().is_some_and(Table::is_in_cell)
    }

    fn is_in_code(&self) -> bool {
        self.inline.iter().any(|open| open.what == Inline::Code)
    }

    /// Ends the line's marks and spaces.
    fn flush_line(&mut self) {
        self.flush_code();
        for place in (0..self.inline.len()).rev() {
            self.close(place);
        }
    }

    /// Ends a block.
    fn break_block(&mut self, gap: Gap) {
        self.flush_line();
        self.space = false;
        // The first block of an item is on the line of its mark.
        let gap = if self.containers.begins_item() {
            Gap::Line
        } else {
            gap
        };
        self.gap = self.gap.max(gap);
        self.lead.clear();
        self.is_heading = false;
    }

    fn flush_code(&mut self) {
        if self.code.is_empty() {
            return;
        }
        let code = std::mem::take(&mut self.code);
        let mut line = one_line(&code);
        self.space |= code.starts_with(char::is_whitespace);
        if !line.is_empty() {
            if self.is_in_cell() {
                line = line.replace('|', "\\|");
            }
            self.begin();
            self.out.push_str(&code_span(&line));
        }
        self.space |= code.ends_with(char::is_whitespace);
    }

    /// Writes the end of an open mark, if its beginning is written.
    fn close(&mut self, place: usize) {
        let open = &mut self.inline[place];
        let Some(start) = open.written.take() else {
            return;
        };
        let Inline::Link { href, .. } = &mut open.what else {
            let closing = open.what.closing();
            self.out.push_str(&closing);
            return;
        };
        // A link is written once, even if its text continues in the next block.
        let Some(href) = href.take() else { return };
        if self.out[start + 1..] == href {
            self.out.remove(start);
            return;
        }
        let closing = Inline::Link {
            href: Some(href),
            label: String::new(),
        };
        self.out.push_str(&closing.closing());
    }

    fn open(&mut self, what: Inline) {
        let is_open = self
            .inline
            .iter()
            .any(|open| std::mem::discriminant(&open.what) == std::mem::discriminant(&what));
        if !is_open && self.inline.len() < MOST_INLINE {
            self.flush_code();
            self.inline.push(OpenMark {
                what,
                written: None,
            });
        }
    }

    /// Ends a mark, and the marks inside it, which begin again with the next word.
    fn end_inline(&mut self, fits: impl Fn(&Inline) -> bool) {
        self.flush_code();
        let Some(place) = self.inline.iter().rposition(|open| fits(&open.what)) else {
            return;
        };
        for inner in (place..self.inline.len()).rev() {
            self.close(inner);
        }
        self.inline.remove(place);
    }

    fn end_link(&mut self) {
        self.flush_code();
        let Some(place) = self.inline.iter().rposition(|open| open.what.is_link()) else {
            return;
        };
        // A link without words: its title, or nothing.
        if self.inline[place].written.is_none()
            && let Inline::Link {
                href: Some(href),
                label,
            } = &self.inline[place].what
        {
            let link = format!("[{label}]({})", destination(href));
            self.inline.remove(place);
            self.begin();
            self.out.push_str(&link);
            return;
        }
        self.end_inline(Inline::is_link);
    }

    fn start(&mut self, tag: &Tag) {
        if let Some(exact) = &mut self.exact {
            match tag.element {
                Element::Break => exact.text.push('\n'),
                Element::Code if exact.language.is_empty() => exact.language = language(tag),
                Element::Block | Element::Row | Element::Item
                    if !exact.text.is_empty() && !exact.text.ends_with('\n') =>
                {
                    exact.text.push('\n');
                }
                Element::Image => exact
                    .text
                    .push_str(tag.get(Attribute::Alt).unwrap_or_default()),
                // Tags of the page's frame: the `pre` has no end.
                _ => {}
            }
            return;
        }
        match tag.element {
            Element::Block | Element::Term => self.start_block(Gap::Blank),
            Element::Heading(level) => {
                self.break_block(Gap::Blank);
                self.lead = format!("{} ", "#".repeat(usize::from(level)));
                self.is_heading = true;
            }
            Element::List { is_ordered } => self.start_list(tag, is_ordered),
            Element::Item => self.start_item(),
            Element::Quote => {
                self.break_block(Gap::Blank);
                if self.table.is_none() {
                    self.containers.push_quote();
                }
            }
            Element::Pre | Element::TextArea => {
                let is_field = tag.element == Element::TextArea;
                if !is_field {
                    self.break_block(Gap::Blank);
                }
                self.exact = Some(Exact {
                    text: String::new(),
                    language: language(tag),
                    is_field,
                });
            }
            Element::Table => self.start_table(),
            Element::Row => self.start_row(),
            Element::Cell { is_head } => self.start_cell(tag, is_head),
            Element::Caption => self.break_block(Gap::Blank),
            Element::Strong => self.open(Inline::Strong),
            Element::Emphasis => self.open(Inline::Emphasis),
            Element::Struck => self.open(Inline::Struck),
            Element::Code => self.open(Inline::Code),
            Element::Quoted => self.open(Inline::Quoted),
            Element::Raised => self.open(Inline::Raised),
            Element::Lowered => self.open(Inline::Lowered),
            Element::Link => self.start_link(tag),
            Element::Image => self.image(tag),
            Element::Embedded => self.embedded(tag),
            Element::Break => {
                self.flush_code();
                if self.is_heading {
                    self.space = true;
                } else {
                    self.break_block(Gap::Line);
                }
            }
            Element::Rule => {
                self.break_block(Gap::Blank);
                if self.table.is_none() {
                    self.begin();
                    self.out.push_str("---");
                }
                self.break_block(Gap::Blank);
            }
            Element::Input => self.input(tag),
            Element::Apart => self.apart(),
            Element::Choice => self.start_block(Gap::Line),
            Element::Definition => {
                self.break_block(Gap::Line);
                ": ".clone_into(&mut self.lead);
            }
            Element::Title => self.title = Some(String::new()),
            Element::Base => {
                if let Some(href) = tag.get(Attribute::Href).and_then(target) {
                    self.break_block(Gap::Line);
                    self.words(&format!("Base: {href}"));
                    self.break_block(Gap::Blank);
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, element: Element) {
        if self.exact.is_some() {
            if matches!(element, Element::Pre | Element::TextArea) {
                self.end_exact();
            }
            return;
        }
        match element {
            Element::Block
            | Element::Heading(_)
            | Element::Caption
            | Element::Term
            | Element::Definition
            | Element::Frame => self.break_block(Gap::Blank),
            Element::Choice => self.break_block(Gap::Line),
            Element::List { .. } => self.end_container(Kind::List),
            Element::Quote => self.end_container(Kind::Quote),
            Element::Item => self.end_item(),
            Element::Table => self.end_table(),
            Element::Row => {
                self.end_cell();
                if let Some(table) = &mut self.table {
                    table.end_row();
                }
            }
            Element::Cell { .. } => self.end_cell(),
            Element::Strong => self.end_inline(|it| *it == Inline::Strong),
            Element::Emphasis => self.end_inline(|it| *it == Inline::Emphasis),
            Element::Struck => self.end_inline(|it| *it == Inline::Struck),
            Element::Code => self.end_inline(|it| *it == Inline::Code),
            Element::Quoted => self.end_inline(|it| *it == Inline::Quoted),
            Element::Raised => self.end_inline(|it| *it == Inline::Raised),
            Element::Lowered => self.end_inline(|it| *it == Inline::Lowered),
            Element::Link => self.end_link(),
            Element::Apart => self.apart(),
            Element::Title => self.end_title(),
            // A browser takes these end tags for elements.
            Element::Break => self.break_block(Gap::Line),
            _ => {}
        }
    }

    /// Begins a block. A heading without words continues.
    fn start_block(&mut self, gap: Gap) {
        if !self.is_heading || self.lead.is_empty() {
            self.break_block(gap);
        }
    }

    fn start_list(&mut self, tag: &Tag, is_ordered: bool) {
        let is_inner = self.containers.has_item();
        self.break_block(if is_inner { Gap::Line } else { Gap::Blank });
        if self.table.is_none() {
            let start = tag.get(Attribute::Start).and_then(|it| it.parse().ok());
            self.containers
                .push_list(is_ordered.then(|| start.unwrap_or(1)));
        }
    }

    fn start_item(&mut self) {
        self.end_item();
        if self.table.is_none() {
            self.containers.push_item();
        }
    }

    fn end_item(&mut self) {
        self.break_block(Gap::Line);
        if self.table.is_none() && self.containers.end_item() {
            // Items follow each other without blank lines.
            self.gap = Gap::Line;
        }
    }

    /// Ends the innermost list or quote.
    fn end_container(&mut self, kind: Kind) {
        self.break_block(Gap::Line);
        if self.table.is_none() {
            self.containers.end(kind);
            if !self.containers.has_item() {
                self.gap = Gap::Blank;
            }
        }
    }

    fn end_exact(&mut self) {
        let Some(exact) = self.exact.take() else {
            return;
        };
        let text = exact.text.strip_prefix('\n').unwrap_or(&exact.text);
        if exact.is_field && !text.contains('\n') {
            self.apart();
            self.text(text);
            return self.apart();
        }
        self.break_block(Gap::Blank);
        let text = text.strip_suffix('\n').unwrap_or(text);
        if !text.trim().is_empty() {
            let fence = "`".repeat(longest_run(text, '`').max(2) + 1);
            self.begin_line(&format!("{fence}{}", exact.language));
            for line in text.split('\n') {
                self.line(line);
            }
            self.line(&fence);
        }
        self.break_block(Gap::Blank);
    }

    /// Writes the first of several lines. Marks in the line belong to words.
    fn begin_line(&mut self, line: &str) {
        let inline = std::mem::take(&mut self.inline);
        self.begin();
        self.inline = inline;
        self.out.push_str(line);
    }

    /// Writes a line below another, in the same block.
    fn line(&mut self, line: &str) {
        let prefix = self.containers.line();
        self.out.push('\n');
        if line.is_empty() {
            self.out.push_str(prefix.trim_end());
        } else {
            self.out.push_str(&prefix);
            self.out.push_str(line);
        }
    }

    fn end_title(&mut self) {
        let Some(title) = self.title.take() else {
            return;
        };
        if title.trim().is_empty() {
            return;
        }
        self.break_block(Gap::Line);
        if !std::mem::replace(&mut self.has_title, true) {
            self.words("Title:");
        }
        self.words(&title);
        self.break_block(Gap::Blank);
    }

    fn start_table(&mut self) {
        let is_data = self.tables.next().unwrap_or_default();
        self.break_block(Gap::Blank);
        self.open_tables.push(is_data);
        if is_data && self.table.is_none() {
            self.table = Some(Table::default());
        }
    }

    fn start_row(&mut self) {
        self.end_cell();
        match &mut self.table {
            Some(table) => table.begin_row(),
            None => self.break_block(Gap::Line),
        }
    }

    fn start_cell(&mut self, tag: &Tag, is_head: bool) {
        self.end_cell();
        let Some(table) = &mut self.table else {
            self.apart();
            return;
        };
        table.begin_cell(is_head, tag.get(Attribute::ColumnSpan));
        self.flush_line();
        if let Some(table) = &mut self.table {
            table.around = std::mem::take(&mut self.out);
        }
        self.gap = Gap::None;
        self.space = false;
        self.is_fresh = true;
    }

    fn end_cell(&mut self) {
        if !self.is_in_cell() {
            return self.apart();
        }
        self.flush_line();
        if let Some(table) = &mut self.table {
            let cell = std::mem::replace(&mut self.out, std::mem::take(&mut table.around));
            table.end_cell(&cell);
        }
        self.gap = Gap::Blank;
        self.space = false;
    }

    fn end_table(&mut self) {
        self.end_cell();
        self.break_block(Gap::Blank);
        if self.open_tables.pop() != Some(true) {
            return;
        }
        let lines = self.table.take().map(Table::lines).unwrap_or_default();
        if let Some((first, others)) = lines.split_first() {
            self.begin_line(first);
            for line in others {
                self.line(line);
            }
        }
        self.break_block(Gap::Blank);
    }

    fn start_link(&mut self, tag: &Tag) {
        // Links do not nest: the first one ends.
        self.end_link();
        let Some(href) = tag.get(Attribute::Href).and_then(target) else {
            return;
        };
        let label = [Attribute::Label, Attribute::Title, Attribute::Alt]
            .iter()
            .find_map(|attribute| tag.get(*attribute));
        self.open(Inline::Link {
            href: Some(href),
            label: one_line(label.unwrap_or_default()),
        });
    }

    fn image(&mut self, tag: &Tag) {
        self.flush_code();
        let alt = one_line(tag.get(Attribute::Alt).unwrap_or_default());
        let sources = [Attribute::LazySource, Attribute::Source];
        let source = sources
            .iter()
            .find_map(|attribute| tag.get(*attribute).and_then(target));
        if alt.is_empty() && source.is_none() {
            return;
        }
        self.begin();
        let source = destination(&source.unwrap_or_default());
        let alt = if self.is_in_cell() {
            alt.replace('|', "\\|")
        } else {
            alt
        };
        self.out.push_str(&format!("![{alt}]({source})"));
    }

    /// Writes a frame or a video as a link to its content.
    fn embedded(&mut self, tag: &Tag) {
        let Some(source) = tag.get(Attribute::Source).and_then(target) else {
            return;
        };
        self.flush_code();
        let label = [Attribute::Title, Attribute::Label]
            .iter()
            .find_map(|attribute| tag.get(*attribute));
        let link = format!(
            "[{}]({})",
            one_line(label.unwrap_or_default()),
            destination(&source)
        );
        self.space = true;
        self.begin();
        self.out.push_str(&link);
        self.space = true;
    }

    /// Writes the visible content of a form's field.
    fn input(&mut self, tag: &Tag) {
        let kind = tag
            .get(Attribute::Type)
            .unwrap_or_default()
            .to_ascii_lowercase();
        self.apart();
        match kind.as_str() {
            "hidden" => {}
            "checkbox" | "radio" => {
                let is_checked = tag.get(Attribute::Checked).is_some();
                self.word(if is_checked { "[x]" } else { "[ ]" });
            }
            "image" => self.words(tag.get(Attribute::Alt).unwrap_or_default()),
            _ => {
                let value = tag.get(Attribute::Value).filter(|value| !value.is_empty());
                let shown = value.or_else(|| tag.get(Attribute::Placeholder));
                self.words(shown.unwrap_or_default());
            }
        }
        self.apart();
    }

    /// Separates the next word from the last, in the line.
    fn apart(&mut self) {
        self.flush_code();
        self.space = true;
    }

    /// Ends everything that the page left open.
    fn finish(&mut self) {
        if self.title.is_some() {
            self.end_title();
        }
        if self.exact.is_some() {
            self.end_exact();
        }
        while self.inline.iter().any(|open| open.what.is_link()) {
            self.end_link();
        }
        while !self.open_tables.is_empty() {
            self.end_table();
        }
        self.break_block(Gap::Line);
        let end = self.out.trim_end().len();
        self.out.truncate(end);
        self.out.push('\n');
    }
}

/// The language of code, from the class names of highlighters.
fn language(tag: &Tag) -> String {
    let classes = tag.get(Attribute::Class).unwrap_or_default();
    let named = classes.split_ascii_whitespace().find_map(|class| {
        let names = ["language-", "lang-", "highlight-source-"];
        names.iter().find_map(|start| class.strip_prefix(start))
    });
    let is_name = |name: &&str| {
        name.len() <= 24
            && name.bytes().all(|byte| {
                byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'#' | b'-' | b'.')
            })
    };
    named.filter(is_name).unwrap_or_default().to_owned()
}
