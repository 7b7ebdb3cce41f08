//! The lists, items and quotes around a text, and their marks before its lines.

/// Most containers that are written around a text. Deeper ones are counted, so that their ends are recognised.
pub const MOST: usize = 32;

/// The containers around a text, the outermost first.
#[derive(Default)]
pub struct Containers {
    open: Vec<Container>,
    /// The number of them that are also around the last written line.
    shared: usize,
    /// Lists and quotes beyond the limit.
    beyond: usize,
}

enum Container {
    Quote,
    /// A list, with the number of its next item.
    List {
        next: Option<u64>,
    },
    Item {
        mark: String,
        is_written: bool,
    },
}

/// The kind of container that an end tag ends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    List,
    Quote,
}

impl Container {
    fn is(&self, kind: Kind) -> bool {
        match self {
            Container::Quote => kind == Kind::Quote,
            Container::List { .. } => kind == Kind::List,
            Container::Item { .. } => false,
        }
    }

    fn is_item(&self) -> bool {
        matches!(self, Container::Item { .. })
    }
}

impl Containers {
    pub fn push_quote(&mut self) {
        self.push(Container::Quote);
    }

    /// Begins a list; `start` is the number of the first item of an ordered one.
    pub fn push_list(&mut self, start: Option<u64>) {
        self.push(Container::List { next: start });
    }

    fn push(&mut self, container: Container) {
        if self.open.len() < MOST && self.beyond == 0 {
            self.open.push(container);
        } else {
            self.beyond += 1;
        }
    }

    /// Begins an item of the innermost list.
    pub fn push_item(&mut self) {
        if self.open.len() >= MOST || self.beyond > 0 {
            return;
        }
        let mark = match self.open.last_mut() {
            Some(Container::List { next: Some(next) }) => {
                let number = *next;
                *next = next.saturating_add(1);
                format!("{number}. ")
            }
            _ => "- ".to_owned(),
        };
        self.open.push(Container::Item {
            mark,
            is_written: false,
        });
    }

    /// Ends the innermost list or quote, and everything inside.
    pub fn end(&mut self, kind: Kind) {
        if self.beyond > 0 {
            self.beyond -= 1;
        } else if let Some(place) = self.open.iter().rposition(|it| it.is(kind)) {
            self.truncate(place);
        }
    }

    /// Ends the item of the innermost list, and everything inside. Returns whether one was open.
    pub fn end_item(&mut self) -> bool {
        if self.beyond > 0 {
            return false;
        }
        let list = self.open.iter().rposition(|it| it.is(Kind::List));
        let inner = list.map_or(0, |list| list + 1);
        let item = self.open[inner..].iter().position(Container::is_item);
        if let Some(item) = item {
            self.truncate(inner + item);
        }
        item.is_some()
    }

    fn truncate(&mut self, len: usize) {
        self.open.truncate(len);
        self.shared = self.shared.min(len);
    }

    /// Whether an item is around the text.
    pub fn has_item(&self) -> bool {
        self.open.iter().any(Container::is_item)
    }

    /// Whether the text is the first of an item.
    pub fn begins_item(&self) -> bool {
        let last = self.open.last();
        last.is_some_and(|it| {
            matches!(
                it,
                Container::Item {
                    is_written: false,
                    ..
                }
            )
        })
    }

    /// The beginning of a block's first line, with marks of items.
    pub fn first_line(&mut self) -> String {
        self.shared = self.open.len();
        let mut prefix = String::new();
        for container in &mut self.open {
            match container {
                Container::Item { mark, is_written } if !*is_written => {
                    *is_written = true;
                    prefix.push_str(mark);
                }
                other => other.indent(&mut prefix),
            }
        }
        prefix
    }

    /// The beginning of a block's further lines.
    pub fn line(&self) -> String {
        indent(&self.open)
    }

    /// The beginning of the empty line between the last block and the next.
    pub fn between(&self) -> String {
        indent(&self.open[..self.shared])
    }
}

impl Container {
    fn indent(&self, prefix: &mut String) {
        match self {
            Container::Quote => prefix.push_str("> "),
            Container::List { .. } => {}
            Container::Item { mark, .. } => {
                prefix.extend(std::iter::repeat_n(' ', mark.len()));
            }
        }
    }
}

fn indent(containers: &[Container]) -> String {
    let mut prefix = String::new();
    for container in containers {
        container.indent(&mut prefix);
    }
    prefix
}
