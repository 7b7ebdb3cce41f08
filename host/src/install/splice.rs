//! Changes to a text, all at once.

use std::ops::Range;

/// New text in the place of a part of the old.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Splice {
    pub at: Range<usize>,
    pub new: String,
}

impl Splice {
    pub fn new(at: Range<usize>, new: impl Into<String>) -> Splice {
        let new = new.into();
        Splice { at, new }
    }
}

/// The text with all changes made; none if two of them are of one place.
pub(super) fn apply(text: &str, mut splices: Vec<Splice>) -> Option<String> {
    splices.sort_by_key(|splice| (splice.at.start, splice.at.end));
    let mut changed = String::with_capacity(text.len() + 256);
    let mut done = 0;
    for splice in splices {
        changed.push_str(text.get(done..splice.at.start)?);
        changed.push_str(&splice.new);
        done = splice.at.end;
    }
    changed.push_str(text.get(done..)?);
    Some(changed)
}
