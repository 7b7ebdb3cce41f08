//! The lines that `first` and `last` keep, and the resulting text.

use crate::line::{Line, cut_mark};
use std::collections::VecDeque;

/// The numbers of lines that stay at the beginning and at the end.
#[derive(Clone, Copy)]
pub struct LineLimits {
    pub first: usize,
    pub last: usize,
}

/// The lines of one text so far.
pub struct Ends<'t> {
    limits: Option<LineLimits>,
    /// Lines of content in the output.
    written: usize,
    /// The last lines: at most `last` of content, with the marks among them.
    tail: VecDeque<Line<'t>>,
    /// Lines of content in `tail`.
    content: usize,
    /// Marks between cut lines.
    marks: Vec<Line<'t>>,
    /// Number of lines of the text that are cut.
    cut: u64,
    writer: Writer,
}

impl<'t> Ends<'t> {
    /// `text` is the text that the lines come from.
    pub fn new(limits: Option<LineLimits>, text: &str) -> Self {
        Ends {
            limits,
            written: 0,
            tail: VecDeque::new(),
            content: 0,
            marks: Vec::new(),
            cut: 0,
            writer: Writer::new(text),
        }
    }

    /// Takes the next line.
    pub fn push(&mut self, line: Line<'t>) {
        let Some(limits) = self.limits else {
            return self.writer.line(&line);
        };
        let is_mark = line.is_mark();
        if self.written < limits.first {
            self.written += usize::from(!is_mark);
            return self.writer.line(&line);
        }
        self.tail.push_back(line);
        if is_mark {
            return;
        }
        self.content += 1;
        if self.content > limits.last {
            while let Some(mark) = self.tail.pop_front_if(|line| line.is_mark()) {
                self.marks.push(mark);
            }
            if let Some(line) = self.tail.pop_front() {
                self.cut += line.times;
                self.content -= 1;
            }
        }
    }

    /// The text of `total` lines, with a mark for the cut lines, and the mark at its end.
    pub fn finish(mut self, total: u64, last_mark: Option<String>) -> String {
        for mark in &self.marks {
            self.writer.line(mark);
        }
        if self.cut > 0 {
            self.writer.mark(&cut_mark(self.cut, total));
        }
        for line in &self.tail {
            self.writer.line(line);
        }
        if let Some(mark) = last_mark {
            self.writer.mark(&mark);
        }
        self.writer.finish()
    }
}

/// Writes lines with the line breaks of a text.
struct Writer {
    out: String,
    /// The line break of the text's first line.
    line_break: &'static str,
    /// Whether the text ends with a line break.
    is_ended: bool,
    /// Bytes of the line break at the end of `out`.
    last_break: usize,
    /// Whether the last line may lose that line break. An empty line would vanish, and a line that ends with `\r` would
    /// change.
    may_be_open: bool,
}

impl Writer {
    fn new(text: &str) -> Self {
        let first = text.split_inclusive('\n').next().unwrap_or_default();
        Writer {
            out: String::new(),
            line_break: if first.ends_with("\r\n") {
                "\r\n"
            } else {
                "\n"
            },
            is_ended: text.ends_with('\n'),
            last_break: 0,
            may_be_open: true,
        }
    }

    fn line(&mut self, line: &Line<'_>) {
        let start = self.out.len();
        self.out.push_str(&line.text);
        self.out.push_str(line.count);
        if line.times > 1 {
            self.out.push_str(&line.note());
        }
        let written = &self.out[start..];
        self.may_be_open = line.end == "\r" || !(written.is_empty() || written.ends_with('\r'));
        self.out.push_str(line.end);
        self.last_break = line.end.len();
        if !line.end.ends_with('\n') {
            let line_break = if line.end.is_empty() {
                self.line_break
            } else {
                "\n"
            };
            self.out.push_str(line_break);
            self.last_break = line_break.len();
        }
    }

    fn mark(&mut self, mark: &str) {
        self.out.push_str(mark);
        self.out.push_str(self.line_break);
        self.last_break = self.line_break.len();
        self.may_be_open = true;
    }

    fn finish(mut self) -> String {
        if !self.is_ended && self.may_be_open {
            self.out.truncate(self.out.len() - self.last_break);
        }
        self.out
    }
}
