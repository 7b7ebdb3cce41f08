//! Tasks of Ansible that fail: which of their failures a play ignores, and what the others say of themselves.
//!
//! Owns the lines of a task, in its plain and in its YAML form, also for the items of a loop. Refuses to know which
//! lines look like failures.

use crate::search::{begins, split};

/// Most hosts of a task that are held.
const HOSTS: usize = 256;
/// Most lines of failures in YAML that are messages.
const MESSAGES: usize = 4;

/// The failures of a task that are not ignored so far.
#[derive(Default)]
pub struct Play<'t> {
    /// Failing hosts, and whether the line is of an item of a loop. A host whose items failed is there once.
    hosts: Vec<(&'t str, bool)>,
    /// What they say in YAML.
    pub messages: Vec<(usize, &'t str)>,
    /// The numbers of failing lines and of messages before those of the last host.
    before: (usize, usize),
    /// The last line is of an item.
    is_item: bool,
    /// The number of hosts that are ignored. Items of several hosts alternate, so which they are is unknown.
    ignored: usize,
    /// The last line is an exception of the next host.
    has_exception: bool,
    /// The indented lines are of a program.
    in_stderr: bool,
}

/// What a line says of a task.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Said {
    Nothing,
    /// The failing lines are ignored, except for so many, the first ones.
    Ignored(usize),
    /// The task is over.
    Over,
}

/// Whether a line may be the first of a failure.
pub fn may_begin(line: &str) -> bool {
    begins(line, &["fatal: [", "failed: [", EXCEPTION])
}

const EXCEPTION: &str = "An exception occurred during task execution. ";

impl<'t> Play<'t> {
    pub fn is_open(&self) -> bool {
        !self.hosts.is_empty() || self.has_exception
    }

    /// Reads a line that is indented.
    pub fn read_inside(&mut self, place: usize, line: &'t str) {
        let key = line.get(2..).unwrap_or_default();
        let is_text = match key.as_bytes().first() {
            Some(b'a'..=b'z') => {
                self.in_stderr = key.starts_with("stderr: ");
                // A text in quotes or on the next lines ends otherwise.
                let is_here = !key.ends_with([' ', '\'', '"', '|', '-']);
                is_here && (self.in_stderr || key.starts_with("msg: "))
            }
            _ => self.in_stderr && !key.is_empty(),
        };
        if is_text && self.messages.len() < MESSAGES {
            self.messages.push((place, line));
        }
    }

    /// Reads a line that is not indented. `failing`: the lines of the task that look like failures so far.
    pub fn read(&mut self, line: &'t str, failing: usize) -> Said {
        let is_exception = line.starts_with(EXCEPTION);
        if is_exception || line.starts_with('f') && may_begin(line) {
            if !std::mem::replace(&mut self.has_exception, is_exception) {
                self.before = (failing, self.messages.len());
            }
            if let Some((_, host)) = split(line, ": [").filter(|_| !is_exception) {
                self.is_item = line.starts_with("failed");
                self.fails(split(host, "]").map_or(host, |(host, _)| host));
            }
            return Said::Nothing;
        }
        if line == "...ignoring" && !self.hosts.is_empty() {
            return self.ignores();
        }
        // A result of another host or item, or a warning.
        match begins(line, &["ok: [", "changed: [", "skipping: [", "[WARNING]"]) {
            true => Said::Nothing,
            false => Said::Over,
        }
    }

    fn fails(&mut self, host: &'t str) {
        self.in_stderr = false;
        let mut known = self.hosts.iter().filter(|(known, _)| *known == host);
        // A line for all items follows theirs. A host that fails twice without a loop fails in two tasks of one name.
        if known.any(|(_, was_item)| *was_item || self.is_item) {
            return;
        }
        if self.hosts.len() == HOSTS {
            self.hosts.clear();
        }
        self.hosts.push((host, self.is_item));
    }

    fn ignores(&mut self) -> Said {
        let is_last = self.ignored + 1 >= self.hosts.len();
        let (failing, messages) = match self.is_item {
            _ if is_last => (0, 0),
            false => self.before,
            true => {
                self.ignored += 1;
                return Said::Nothing;
            }
        };
        self.messages.truncate(messages);
        self.hosts.pop();
        if is_last {
            *self = Play::default();
        }
        Said::Ignored(failing)
    }
}
