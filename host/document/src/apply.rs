//! Carries out edits, in one pass over text and tape.
//!
//! Owns which bytes go along with a removed node, where appended text goes, and the rules that need
//! the document to be checked. Refuses to know how a list of edits arrives.
//!
//! Between two edits the text is copied as it is, and the nodes are copied with two numbers added: by
//! how much the text has moved, by how many nodes the tape has. Only the containers around an edit
//! need more, since they end after it: they are on a stack, and are put right when they close.
//!
//! A removed node takes along what separates it from the next sibling that stays, or, if none
//! follows, from the one before; if nothing stays, everything between the brackets goes.

use super::draft::Draft;
use super::edits::{Edit, EditError, Operation, TapeWanted};
use super::index::{
    ARRAY, CHILDREN_SHIFT, ESCAPED, KEY, KIND_MASK, MAX_CHILDREN, OBJECT, STRING, TapeError, Words,
};
use super::operand::{OperandIndex, Operands};
use super::tape::{self, Tape};

/// The text after `edits`, which are in document order, and its tape if it is wanted.
pub(super) fn apply(
    text: &str,
    tape: &Tape,
    edits: &[Edit],
    operands: &str,
    max_depth: usize,
    wanted: TapeWanted,
) -> Result<(String, Option<Tape>), EditError> {
    let nodes = tape.nodes();
    let mut pass = Pass {
        text,
        nodes,
        edits,
        operands: Operands::new(operands),
        operand: OperandIndex::default(),
        max_depth,
        draft: Draft::new(text, nodes, wanted == TapeWanted::Yes),
        around: Vec::new(),
        searched: 0,
    };
    pass.run()?;
    let (text, tape) = pass.draft.finish();
    if u32::try_from(text.len()).is_err() {
        return Err(EditError::TooLong { bytes: text.len() });
    }
    Ok((text, tape))
}

/// A container around the current edit.
struct Container {
    /// Where it is on the old tape, and what follows it there.
    node: usize,
    next: usize,
    /// Where it is on the new tape.
    placed: usize,
    removed: usize,
    /// Nothing that was in it stays.
    emptied: bool,
    /// Where the last child that stays ended, or the first one began, if later ones went.
    append_at: Option<usize>,
    /// The appends to it, as a range of the edits.
    first_append: usize,
    appends: usize,
}

struct Pass<'a> {
    text: &'a str,
    nodes: &'a [Words],
    edits: &'a [Edit],
    operands: Operands<'a>,
    operand: OperandIndex,
    max_depth: usize,
    draft: Draft<'a>,
    /// The containers around the current edit, outermost first.
    around: Vec<Container>,
    /// No container before this node is still to be put on `around`.
    searched: usize,
}

impl<'a> Pass<'a> {
    fn run(&mut self) -> Result<(), EditError> {
        let mut at = 0;
        // The last edit, and the first node that it leaves to others.
        let mut before: Option<(&'a Edit, usize)> = None;
        let edits = self.edits;
        while let Some(edit) = edits.get(at) {
            let node = edit.node as usize;
            if let Some((other, free)) = before
                && node < free
            {
                let &Edit { edit, node, .. } = edit;
                return Err(EditError::Overlap {
                    edit,
                    node,
                    other: other.edit,
                });
            }
            self.close_until(node)?;
            self.find_around(node);
            let done = match edit.operation {
                Operation::Remove => self.remove(at)?,
                Operation::Replace => self.replace(edit)?,
                Operation::Rename => self.rename(edit)?,
                Operation::Append => self.append(at)?,
            };
            at += done;
            before = Some((&edits[at - 1], self.searched));
        }
        self.close_until(self.nodes.len())
    }

    /// Removes the node of the edit at `at`, and those of the edits after it that remove the siblings
    /// right after it. Returns how many edits that was.
    fn remove(&mut self, at: usize) -> Result<usize, EditError> {
        let first = self.edits[at].node as usize;
        let Some(container) = self.around.last_mut() else {
            return Err(EditError::RootRemoved {
                edit: self.edits[at].edit,
            });
        };
        let [head, opening, closing, _] = self.nodes[container.node];
        let of_object = head & KIND_MASK == OBJECT;
        if of_object && self.nodes[first][0] & KIND_MASK != KEY {
            return Err(self.wrong_node(&self.edits[at]));
        }
        let mut last = first;
        let mut count = 1;
        let after = loop {
            let after = self.nodes[last][3] as usize;
            match self.edits.get(at + count) {
                Some(next)
                    if next.operation == Operation::Remove
                        && next.node as usize == after
                        && after < container.next =>
                {
                    last = after;
                    count += 1;
                }
                _ => break after,
            }
        };
        // A member ends where its value does.
        let last_end = self.nodes[last + usize::from(of_object)][2] as usize;
        let first_start = self.nodes[first][1] as usize;
        container.removed += count;
        let gone = if after < container.next {
            first_start..self.nodes[after][1] as usize
        } else {
            container.append_at = Some(last_end);
            container.emptied = first == container.node + 1;
            if !container.emptied {
                let comma = end_before(self.text, first_start) - 1;
                end_before(self.text, comma)..last_end
            } else if container.appends > 0 {
                first_start..last_end
            } else {
                opening as usize + 1..closing as usize - 1
            }
        };
        self.draft.copy_nodes(first);
        self.draft.skip_nodes(after);
        self.draft.copy_text(gone.start);
        self.draft.skip_text(gone.end);
        self.searched = after;
        Ok(count)
    }

    fn replace(&mut self, edit: &Edit) -> Result<usize, EditError> {
        let node = edit.node as usize;
        let [head, start, end, next] = self.nodes[node];
        if head & KIND_MASK == KEY {
            return Err(self.wrong_node(edit));
        }
        let operand = self.take_operand(edit)?;
        let depth = self.max_depth.saturating_sub(self.around.len());
        self.operand
            .value(operand, depth)
            .map_err(|reason| self.not_json(edit, reason))?;

        self.draft.copy_nodes(node);
        self.draft.copy_text(start as usize);
        let placed = self.draft.place_of(node);
        self.draft.push_operand(operand, self.operand.nodes(), 0);
        self.draft.close_member(node, placed);
        self.draft.skip_text(end as usize);
        self.draft.skip_nodes(next as usize);
        self.searched = next as usize;
        Ok(1)
    }

    fn rename(&mut self, edit: &Edit) -> Result<usize, EditError> {
        let node = edit.node as usize;
        let [head, start, end, _] = self.nodes[node];
        if head & KIND_MASK != KEY {
            return Err(self.wrong_node(edit));
        }
        let operand = self.take_operand(edit)?;
        self.operand
            .value(operand, self.max_depth)
            .map_err(|reason| self.not_json(edit, reason))?;
        let [string, from, to, _] = self.operand.nodes()[0];
        if string & KIND_MASK != STRING {
            let &Edit { edit, node, .. } = edit;
            return Err(EditError::OperandNotString { edit, node });
        }

        self.draft.copy_nodes(node);
        self.draft.copy_text(start as usize);
        self.draft
            .push_key(operand, [KEY | string & ESCAPED, from, to], node);
        self.draft.skip_text(end as usize);
        self.searched = node + 1;
        Ok(1)
    }

    /// Notes the appends to one container, from the edit at `at` on, for when it closes. Returns how
    /// many there are.
    fn append(&mut self, at: usize) -> Result<usize, EditError> {
        let edit = &self.edits[at];
        let node = edit.node as usize;
        if self.nodes[node][0] & KIND_MASK < ARRAY {
            return Err(self.wrong_node(edit));
        }
        let same = |other: &&Edit| other.node == edit.node && other.operation == Operation::Append;
        let appends = self.edits[at..].iter().take_while(same).count();
        self.enter(node);
        if let Some(container) = self.around.last_mut() {
            container.first_append = at;
            container.appends = appends;
        }
        self.searched = node + 1;
        Ok(appends)
    }

    /// Puts the containers around `node` on the stack that are not on it yet.
    fn find_around(&mut self, node: usize) {
        let mut at = self.searched;
        while at < node {
            let [head, _, _, next] = self.nodes[at];
            if next as usize <= node {
                at = next as usize;
                continue;
            }
            if head & KIND_MASK >= ARRAY {
                self.enter(at);
            }
            at += 1;
        }
    }

    fn enter(&mut self, node: usize) {
        self.around.push(Container {
            node,
            next: self.nodes[node][3] as usize,
            placed: self.draft.place_of(node),
            removed: 0,
            emptied: false,
            append_at: None,
            first_append: 0,
            appends: 0,
        });
    }

    /// Closes the containers that `node` is not in.
    fn close_until(&mut self, node: usize) -> Result<(), EditError> {
        while let Some(container) = self.around.pop_if(|container| container.next <= node) {
            self.draft.copy_nodes(container.next);
            let appended = self.close_appending(&container)?;
            let before = tape::child_count(self.nodes, container.node);
            let children = before - container.removed + appended;
            let children = children.min(MAX_CHILDREN as usize) as u32;
            let kind = self.nodes[container.node][0] & KIND_MASK;
            let head = kind | children << CHILDREN_SHIFT;
            self.draft.close(container.node, container.placed, head);
            // Nothing in it is around `node`.
            self.searched = self.searched.max(container.next);
        }
        Ok(())
    }

    /// Adds what is appended to a container. Returns how many elements or members that is.
    fn close_appending(&mut self, container: &Container) -> Result<usize, EditError> {
        if container.appends == 0 {
            return Ok(0);
        }
        let [head, opening, closing, _] = self.nodes[container.node];
        let empty = head >> CHILDREN_SHIFT == 0;
        let brackets = if head & KIND_MASK == OBJECT {
            ['{', '}']
        } else {
            ['[', ']']
        };
        let at = match container.append_at {
            Some(at) => at,
            None if empty => opening as usize + 1,
            None => end_before(self.text, closing as usize - 1),
        };
        self.draft.copy_text(at);
        let mut comma = !empty && !container.emptied;
        let mut appended = 0;
        let edits = self.edits;
        let range = container.first_append..container.first_append + container.appends;
        for edit in &edits[range] {
            let operand = self.take_operand(edit)?;
            let depth = self.max_depth.saturating_sub(self.around.len());
            self.operand
                .list(operand, brackets, depth)
                .map_err(|reason| self.not_json(edit, reason))?;
            let children = tape::child_count(self.operand.nodes(), 0);
            if children == 0 {
                return Err(EditError::OperandEmpty {
                    edit: edit.edit,
                    node: edit.node,
                });
            }
            if comma {
                self.draft.push_text(",");
            }
            self.draft.push_operand(operand, self.operand.nodes(), 1);
            comma = true;
            appended += children;
        }
        Ok(appended)
    }

    fn take_operand(&mut self, edit: &Edit) -> Result<&'a str, EditError> {
        let &Edit {
            edit,
            node,
            start,
            end,
            ..
        } = edit;
        self.operands
            .take(start, end)
            .map_err(|reason| EditError::Operand { edit, node, reason })
    }

    fn wrong_node(&self, edit: &Edit) -> EditError {
        let &Edit {
            edit,
            node,
            operation,
            ..
        } = edit;
        let found = tape::kind(self.nodes[node as usize][0]);
        EditError::WrongNode {
            edit,
            node,
            operation,
            found,
        }
    }

    fn not_json(&self, edit: &Edit, reason: TapeError) -> EditError {
        let &Edit { edit, node, .. } = edit;
        match reason {
            TapeError::TooDeep { .. } => EditError::TooDeep {
                edit,
                node,
                limit: self.max_depth,
            },
            reason => EditError::OperandNotJson { edit, node, reason },
        }
    }
}

/// Where the text before `at` ends, its trailing whitespace left out.
fn end_before(text: &str, at: usize) -> usize {
    let before = &text.as_bytes()[..at];
    let space = |byte: &u8| matches!(byte, b' ' | b'\n' | b'\r' | b'\t');
    before
        .iter()
        .rposition(|byte| !space(byte))
        .map_or(0, |last| last + 1)
}
