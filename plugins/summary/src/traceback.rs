//! Tracebacks of Python and PHP: where one begins and ends, and what stands before each of its lines.
//!
//! Owns the words of a log and the bars of a group of exceptions before a traceback's lines. Refuses to know frames and
//! exceptions.

use crate::trim::trim_start;

/// The traceback that lines may belong to.
#[derive(Clone, Copy, Default)]
pub struct Traceback {
    is_open: bool,
    before: Before,
}

/// What stands before the lines of a traceback.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Before {
    #[default]
    Nothing,
    /// So many bytes: `web-03 app[1]: `, `api-1  | `.
    Words(usize),
    /// The bar of a group of exceptions.
    Bar,
}

impl Traceback {
    pub fn is_open(self) -> bool {
        self.is_open
    }

    /// Whether no line before has an effect on the next one.
    pub fn is_idle(self) -> bool {
        !self.is_open && self.before == Before::Nothing
    }

    /// Opens a traceback if a line is the first of one. `start`: the line without blanks before it.
    pub fn begins(&mut self, line: &str, start: &str) -> bool {
        const FIRST: &str = "Traceback (most recent call last):";
        let Some(before) = start.strip_suffix(FIRST) else {
            self.is_open |= start == "Stack trace:";
            return start == "Stack trace:";
        };
        self.is_open = true;
        if before.ends_with("Exception Group ") {
            self.before = Before::Bar;
        } else if before.ends_with(' ') {
            self.before = Before::Words(line.len() - FIRST.len());
        }
        true
    }

    /// A line without what stands before it. A line of an open traceback without that ends it.
    pub fn inside<'t>(&mut self, line: &'t str) -> &'t str {
        let inside = match self.before {
            Before::Nothing => return line,
            // Only the first line of the traceback has the words of a log.
            Before::Words(_) if line.starts_with(' ') => {
                self.before = Before::Nothing;
                return line;
            }
            Before::Words(bytes) => {
                let has_same = line.as_bytes().get(bytes - 1) == Some(&b' ');
                line.get(bytes..).filter(|_| has_same)
            }
            Before::Bar => {
                let rest = trim_start(line).strip_prefix(['|', '+']);
                rest.map(|rest| rest.strip_prefix(' ').unwrap_or(rest))
            }
        };
        inside.unwrap_or_else(|| {
            *self = Traceback::default();
            line
        })
    }

    /// Whether a line stands between the exceptions of a group: `+-+---------------- 1 ----------------`.
    pub fn is_ruler(self, start: &str) -> bool {
        self.before == Before::Bar && start.starts_with(['-', '+'])
    }

    /// Ends an open traceback at a line without indentation, whatever it is. Returns whether it did.
    pub fn ends(&mut self, start: &str, indent: usize) -> bool {
        // The frames of PHP begin with `#`.
        let is_end = self.is_open && indent == 0 && !start.starts_with('#');
        if is_end {
            self.is_open = false;
            // Other exceptions of the group follow.
            if self.before != Before::Bar {
                self.before = Before::Nothing;
            }
        }
        is_end
    }
}
