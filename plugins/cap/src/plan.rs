//! What is to become of a document's lists and strings, and the edits for it.
//!
//! Caps may meet: a string to be cut inside a list that is put in order, a list inside an element
//! that goes. So all of it is planned first. A list that only loses elements loses them by edits;
//! one that changes its order is written anew, with what is planned inside it.

use std::collections::BTreeMap;
use tamis_sdk::{Document, Edits, Node, NodeKind, quote};

/// What becomes of one value.
enum Change<'t> {
    /// It is replaced by JSON.
    Replaced(Node<'t>, String),
    /// It is a list of which these elements stay, in this order.
    List {
        list: Node<'t>,
        stays: Vec<Node<'t>>,
        is_reordered: bool,
        /// An element, as JSON, that comes after them.
        note: Option<String>,
    },
}

/// Changes by the nodes that they are made to.
#[derive(Default)]
pub struct Plan<'t> {
    /// By node: whether a cap has taken it, which may leave it as it is.
    taken: Vec<bool>,
    changes: BTreeMap<u32, Change<'t>>,
    /// Members, written out, that objects get.
    members: BTreeMap<u32, (Node<'t>, Vec<(String, String)>)>,
}

impl<'t> Plan<'t> {
    /// Takes a value for one cap. False if another one has taken it: where two mean the same value, the
    /// first counts, also where it leaves the value as it is. Otherwise a value that the first has cut would
    /// be cut by the second as soon as it is filtered again.
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

    /// Gives an object a member, unless it was given one of that name.
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
        // Nodes that go or are written anew, by their first, with the node after the last.
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

    /// A value with what is planned in it, at most as deep as a document is.
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
