//! The planned changes of a document's lists and strings, and their edits.
//!
//! Caps may overlap: a string in a list whose order changes, or a list in a removed element. So all changes are planned
//! first. A list that only loses elements gets edits. A list that changes its order is written again, with the planned
//! changes inside it.

use std::collections::BTreeMap;
use tamis_sdk::{Document, Edits, Node, NodeKind, quote};

/// The change of one value.
enum Change<'t> {
    /// The value is replaced by JSON.
    Replaced(Node<'t>, String),
    /// The value is a list that keeps these elements, in this order.
    List {
        list: Node<'t>,
        stays: Vec<Node<'t>>,
        is_reordered: bool,
        /// An element, as JSON, after them.
        note: Option<String>,
    },
}

/// Changes by their nodes.
#[derive(Default)]
pub struct Plan<'t> {
    /// By node: whether a cap has taken it, even if that cap leaves it unchanged.
    taken: Vec<bool>,
    changes: BTreeMap<u32, Change<'t>>,
    /// Members, as JSON, that are added to objects.
    members: BTreeMap<u32, (Node<'t>, Vec<(String, String)>)>,
}

impl<'t> Plan<'t> {
    /// Takes a value for one cap. False if another cap has taken it: of two caps for the same value, the first counts,
    /// even if it leaves the value unchanged. Otherwise, filtering twice could apply both.
    pub fn take(&mut self, node: Node<'_>) -> bool {
        let place = node.index() as usize;
        if self.taken.len() <= place {
            self.taken.resize(place + 1, false);
        }
        !std::mem::replace(&mut self.taken[place], true)
    }

    pub fn replace(&mut self, node: Node<'t>, json: String) {
        self.changes
            .insert(node.index(), Change::Replaced(node, json));
    }

    /// Keeps these elements of a list, and adds one, given as JSON, at its end.
    pub fn keep(&mut self, list: Node<'t>, stays: Vec<Node<'t>>, note: Option<String>) {
        let is_reordered = !stays.is_sorted_by_key(|element| element.index());
        let change = Change::List {
            list,
            stays,
            is_reordered,
            note,
        };
        self.changes.insert(list.index(), change);
    }

    /// Adds a member to an object, unless it already got one of that name.
    pub fn add_member(&mut self, object: Node<'t>, name: String, json: String) {
        let (_, members) = self
            .members
            .entry(object.index())
            .or_insert((object, Vec::new()));
        if members.iter().all(|(known, _)| *known != name) {
            members.push((name, json));
        }
    }

    pub fn edits(&self, document: &Document) -> Edits {
        let mut edits = Edits::new();
        // Removed or rewritten nodes, by their first node, with the node after the last.
        let mut gone: BTreeMap<u32, u32> = BTreeMap::new();
        for (index, change) in &self.changes {
            if is_inside(&gone, *index) {
                continue;
            }
            match change {
                Change::Replaced(node, json) => {
                    edits.replace(*node, json);
                    gone.insert(*index, node.next_index());
                }
                Change::List {
                    list,
                    is_reordered: true,
                    ..
                } => {
                    edits.replace(*list, &self.written(document, *list));
                    gone.insert(*index, list.next_index());
                }
                Change::List {
                    list, stays, note, ..
                } => {
                    let mut stays = stays.iter().peekable();
                    for element in list.elements() {
                        if stays.next_if(|it| it.index() == element.index()).is_none() {
                            edits.remove(element);
                            gone.insert(element.index(), element.next_index());
                        }
                    }
                    if let Some(note) = note {
                        edits.append_element(*list, note);
                    }
                }
            }
        }
        for (index, (object, members)) in &self.members {
            if !is_inside(&gone, *index) {
                for (name, json) in members {
                    edits.append_member(*object, name, json);
                }
            }
        }
        edits
    }

    /// A value with its planned changes, at most as deep as the document.
    fn written(&self, document: &Document, node: Node<'_>) -> String {
        match self.changes.get(&node.index()) {
            Some(Change::Replaced(_, json)) => return json.clone(),
            Some(Change::List { stays, note, .. }) => {
                let stays = stays.iter().map(|it| self.written(document, *it));
                let elements = stays.chain(note.clone());
                return format!("[{}]", elements.collect::<Vec<_>>().join(","));
            }
            None => {}
        }
        let range = node.index()..node.next_index();
        let is_planned = self.changes.range(range.clone()).next().is_some()
            || self.members.range(range).next().is_some();
        if !is_planned {
            return document.raw(node).into_owned();
        }
        if node.kind() == NodeKind::Array {
            let elements = node.elements().map(|it| self.written(document, it));
            return format!("[{}]", elements.collect::<Vec<_>>().join(","));
        }
        let member =
            |(key, value)| format!("{}:{}", document.raw(key), self.written(document, value));
        let mut members: Vec<String> = node.members().map(member).collect();
        if let Some((_, added)) = self.members.get(&node.index()) {
            let added = added.iter();
            members.extend(added.map(|(name, json)| format!("{}:{json}", quote(name))));
        }
        format!("{{{}}}", members.join(","))
    }
}

fn is_inside(gone: &BTreeMap<u32, u32>, index: u32) -> bool {
    let before = gone.range(..=index).next_back();
    before.is_some_and(|(_, end)| index < *end)
}
