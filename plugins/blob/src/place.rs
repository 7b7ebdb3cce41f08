//! A walk over a JSON document that knows the path of each value, in the syntax of `tamis_read`.

use tamis_sdk::{Document, Node, NodeKind};

/// Most steps of a path that the read tool accepts.
const MOST_STEPS: usize = 32;

/// An open container, and the position of the walk in it.
struct OpenContainer<'t> {
    /// Index of the first node after it.
    end: u32,
    key: Option<Node<'t>>,
    /// The number of elements so far.
    met: usize,
}

/// All values in document order.
pub struct Walk<'t> {
    next: Option<Node<'t>>,
    /// The containers around the last value.
    open: Vec<OpenContainer<'t>>,
    last: Option<Node<'t>>,
}

impl<'t> Walk<'t> {
    pub fn new(document: &'t Document) -> Self {
        Walk {
            next: document.root(),
            open: Vec::new(),
            last: None,
        }
    }

    pub fn next(&mut self) -> Option<Node<'t>> {
        if let Some(last) = self.last
            && matches!(last.kind(), NodeKind::Array | NodeKind::Object)
        {
            self.open.push(OpenContainer {
                end: last.next_index(),
                key: None,
                met: 0,
            });
        }
        let mut node = self.next?;
        while self.open.pop_if(|open| open.end <= node.index()).is_some() {}
        let key = (node.kind() == NodeKind::Key).then_some(node);
        if key.is_some() {
            node = node.following()?;
        }
        if let Some(open) = self.open.last_mut() {
            open.key = key;
            open.met += 1;
        }
        self.next = node.following();
        self.last = Some(node);
        self.last
    }

    /// The path of the last value; none if the read tool does not accept it.
    pub fn path(&self, document: &Document) -> Option<String> {
        if self.open.len() > MOST_STEPS {
            return None;
        }
        let mut path = String::from("$");
        for open in &self.open {
            match open.key {
                Some(key) => push_key(&mut path, document, key)?,
                None => path.push_str(&format!("[{}]", open.met - 1)),
            }
        }
        Some(path)
    }
}

fn push_key(path: &mut String, document: &Document, key: Node<'_>) -> Option<()> {
    let name = document.string(key)?;
    let plain = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    if !name.is_empty() && name.chars().all(plain) {
        path.push('.');
        path.push_str(&name);
    } else {
        // As it is spelled: the read tool parses it as JSON.
        path.push_str(&format!("[{}]", document.raw(key)));
    }
    Some(())
}
