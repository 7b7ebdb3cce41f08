//! Paths into a document, and walks along them on the tape.
//!
//! Owns the syntax of a path. An object with two members of the requested key fits no path. Refuses to know the use of
//! the values.

use tamis_sdk::{Document, Node, NodeKind};

/// The settings do not fit a document, so it passes unchanged.
pub struct Unfit;

/// A checked path.
#[derive(Clone)]
pub struct Path {
    /// The number of enclosing objects to go up at the start.
    up: usize,
    steps: Vec<Step>,
    end: End,
}

#[derive(Clone)]
enum Step {
    /// The member of this key.
    Key(String),
    /// Every element or member.
    Every,
}

/// The part of a place that a path takes.
#[derive(Clone, Copy, PartialEq)]
enum End {
    Value,
    /// The key of the place.
    Key,
}

impl Path {
    /// Parses a path. The error explains the mistake.
    pub fn parse(text: &str) -> Result<Path, String> {
        let rest = text.trim_start_matches('^');
        let mut path = Path {
            up: text.len() - rest.len(),
            steps: Vec::new(),
            end: End::Value,
        };
        if rest == "." || (rest.is_empty() && path.up > 0) {
            return Ok(path);
        }
        let mut keys = split(rest);
        if keys.last().is_some_and(|key| key == "@key") {
            keys.pop();
            path.end = End::Key;
        }
        for key in keys {
            if key.is_empty() {
                return Err(format!(
                    "\"{text}\" has an empty part: keys are joined by single dots, as in data.usages"
                ));
            }
            path.steps.push(match key.as_str() {
                "*" => Step::Every,
                _ => Step::Key(key),
            });
        }
        Ok(path)
    }

    /// The last key of the path, if any, which names the value.
    pub fn last_key(&self) -> Option<&str> {
        self.steps.iter().rev().find_map(|step| match step {
            Step::Key(key) => Some(key.as_str()),
            Step::Every => None,
        })
    }

    /// Whether the path stays inside its starting place, and ends at a value.
    pub fn leads_to_lists(&self) -> bool {
        self.up == 0 && self.end == End::Value
    }
}

/// The keys of a path: its parts between dots without a backslash.
fn split(text: &str) -> Vec<String> {
    let mut keys = vec![String::new()];
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match (letter, letters.peek()) {
            ('\\', Some('.' | '\\')) => keys.last_mut().map(|key| key.extend(letters.next())),
            ('.', _) => {
                keys.push(String::new());
                None
            }
            _ => keys.last_mut().map(|key| key.push(letter)),
        };
    }
    keys
}

/// A value that a walk found, and the way to it.
#[derive(Clone, Copy)]
struct Place<'t> {
    value: Node<'t>,
    key: Option<Node<'t>>,
    /// The nearest enclosing object.
    parent: Option<u32>,
}

/// The index of a place in a [`Walk`].
pub type At = u32;

/// A walk through one document. It stores the places that it found, so that paths can go up.
pub struct Walk<'t> {
    document: &'t Document,
    places: Vec<Place<'t>>,
}

impl<'t> Walk<'t> {
    /// The place of the root.
    pub const ROOT: At = 0;

    /// A walk that begins at the root.
    pub fn new(document: &'t Document, root: Node<'t>) -> Self {
        Walk {
            document,
            places: vec![Place {
                value: root,
                key: None,
                parent: None,
            }],
        }
    }

    /// The document that it walks through.
    pub fn document(&self) -> &'t Document {
        self.document
    }

    /// Adds the elements of the list at `path` to `found`. False without a list; null is no list.
    pub fn list(&mut self, from: At, path: &Path, found: &mut Vec<At>) -> Result<bool, Unfit> {
        self.descend(from, &path.steps, found)
    }

    fn descend(&mut self, at: At, steps: &[Step], found: &mut Vec<At>) -> Result<bool, Unfit> {
        let place = self.places[at as usize];
        let Some((step, rest)) = steps.split_first() else {
            return match place.value.kind() {
                NodeKind::Array => {
                    for element in place.value.elements() {
                        let element = self.enter(at, None, element);
                        found.push(element);
                    }
                    Ok(true)
                }
                NodeKind::Null => Ok(false),
                _ => Err(Unfit),
            };
        };
        match (step, place.value.kind()) {
            (_, NodeKind::Null) => Ok(false),
            (Step::Key(key), NodeKind::Object) => {
                let Some((key, value)) = member(self.document, place.value, key)? else {
                    return Ok(false);
                };
                let inner = self.enter(at, Some(key), value);
                self.descend(inner, rest, found)
            }
            (Step::Every, NodeKind::Array | NodeKind::Object) => {
                // A value below a final `*` is itself an element.
                let mut there = rest.is_empty() || place.value.children() == 0;
                let members = place.value.members().map(|(key, value)| (Some(key), value));
                let elements = place.value.elements().map(|value| (None, value));
                for (key, value) in members.chain(elements) {
                    let inner = self.enter(at, key, value);
                    if rest.is_empty() {
                        found.push(inner);
                    } else {
                        there |= self.descend(inner, rest, found)?;
                    }
                }
                Ok(there)
            }
            _ => Err(Unfit),
        }
    }

    fn enter(&mut self, at: At, key: Option<Node<'t>>, value: Node<'t>) -> At {
        let outer = self.places[at as usize];
        let parent = match outer.value.kind() {
            NodeKind::Object => Some(at),
            _ => outer.parent,
        };
        self.places.push(Place { value, key, parent });
        (self.places.len() - 1) as At
    }

    /// Calls `see` with every value, or key, at the end of `path`, seen from a place, until `see` returns false.
    pub fn values(
        &self,
        from: At,
        path: &Path,
        see: &mut dyn FnMut(Node<'t>) -> bool,
    ) -> Result<(), Unfit> {
        let mut place = self.places[from as usize];
        for _ in 0..path.up {
            let Some(parent) = place.parent else {
                return Ok(());
            };
            place = self.places[parent as usize];
        }
        self.see(place.key, place.value, &path.steps, path.end, see)
            .map(drop)
    }

    fn see(
        &self,
        key: Option<Node<'t>>,
        value: Node<'t>,
        steps: &[Step],
        end: End,
        see: &mut dyn FnMut(Node<'t>) -> bool,
    ) -> Result<bool, Unfit> {
        let Some((step, rest)) = steps.split_first() else {
            return Ok(match end {
                End::Value => see(value),
                End::Key => key.is_none_or(see),
            });
        };
        match step {
            Step::Key(name) => match member(self.document, value, name)? {
                Some((key, value)) => self.see(Some(key), value, rest, end, see),
                None => Ok(true),
            },
            Step::Every => {
                for (key, value) in value.members() {
                    if !self.see(Some(key), value, rest, end, see)? {
                        return Ok(false);
                    }
                }
                for value in value.elements() {
                    if !self.see(None, value, rest, end, see)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
        }
    }
}

/// The member of an object with this key; none for other kinds. Readers differ on which of two equal keys counts, so an
/// object with both is unfit.
fn member<'t>(
    document: &Document,
    object: Node<'t>,
    name: &str,
) -> Result<Option<(Node<'t>, Node<'t>)>, Unfit> {
    let mut found = None;
    for (key, value) in object.members() {
        if document.key_is(key, name) {
            if found.is_some() {
                return Err(Unfit);
            }
            found = Some((key, value));
        }
    }
    Ok(found)
}
