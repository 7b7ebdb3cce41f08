//! The model: JSON as a tree, parsed by recursion and edited by building another tree.
//!
//! Shares no code with what it checks, and takes valid JSON only.

/// A value, and the node of the original document that it was, if it was one.
#[derive(Debug, Clone)]
pub struct Tree {
    pub origin: Option<usize>,
    pub body: Body,
    start: usize,
    end: usize,
}

#[derive(Debug, Clone)]
pub enum Body {
    Leaf(String),
    Array(Vec<Tree>),
    Object(Vec<(Key, Tree)>),
}

#[derive(Debug, Clone)]
pub struct Key {
    pub origin: Option<usize>,
    /// With its quotes, as it is spelled.
    pub spelled: String,
    start: usize,
}

/// One edit, its operand spelled out.
#[derive(Debug, Clone, PartialEq)]
pub enum Edit {
    Remove(usize),
    Replace(usize, String),
    Rename(usize, String),
    Append(usize, String),
}

impl Edit {
    pub fn node(&self) -> usize {
        match self {
            Edit::Remove(node)
            | Edit::Replace(node, _)
            | Edit::Rename(node, _)
            | Edit::Append(node, _) => *node,
        }
    }
}

pub fn parse(text: &str) -> Tree {
    let mut parser = Parser {
        text: text.as_bytes(),
        at: 0,
        nodes: 0,
    };
    parser.value()
}

/// Whether a list of edits, as it crosses, may be applied: each rule by itself, over all pairs of edits.
pub fn takes(text: &str, operations: &[u32], operands: &str) -> bool {
    let tape = parse(text).tape();
    let nodes: Vec<[usize; 4]> = tape
        .chunks(4)
        .map(|words| [0, 1, 2, 3].map(|place| words[place] as usize))
        .collect();
    let kind = |node: usize| nodes[node][0] % 16;
    let next = |node: usize| nodes[node][3];
    let (key, array) = (5, 6);
    let inside =
        |node: usize| (0..node).filter(move |outer| kind(*outer) >= array && next(*outer) > node);
    let edits: Vec<&[u32]> = operations.chunks(4).collect();
    let mut inserted = 0;
    let each = edits.iter().all(|edit| {
        let &[operation, node, start, end] = *edit else {
            return false;
        };
        let [node, start, end] = [node, start, end].map(|word| word as usize);
        if operation > 3 || node >= nodes.len() {
            return false;
        }
        if operation == 0 {
            let is_element = inside(node)
                .next_back()
                .is_some_and(|outer| kind(outer) == array);
            return (start, end) == (0, 0) && (kind(node) == key || is_element);
        }
        let Some(operand) = operands.get(start..end) else {
            return false;
        };
        inserted += operand.len();
        let list = match (operation, kind(node)) {
            (1, kind) if kind != key => operand.to_owned(),
            (2, 5) => operand.to_owned(),
            (3, 6) => format!("[{operand}]"),
            (3, 7) => format!("{{{operand}}}"),
            _ => return false,
        };
        let is_json = serde_json::from_str::<serde::de::IgnoredAny>(&list).is_ok();
        is_json
            && match operation {
                1 => inside(node).count() + depth(&list) <= 128,
                2 => list.trim().starts_with('"'),
                _ => inside(node).count() + depth(&list) <= 128 && !operand.trim().is_empty(),
            }
    });
    // What an edit changes: the nodes that no other edit may name.
    let taken = |edit: &[u32]| {
        let node = edit[1] as usize;
        match edit[0] {
            0 | 1 => node..next(node),
            _ => node..node + 1,
        }
    };
    each && inserted <= operands.len() + (16 << 20)
        && (0..edits.len()).all(|one| {
            (0..one).all(|other| {
                let (one, other) = (edits[one], edits[other]);
                let both_append = one[0] == 3 && other[0] == 3;
                let (a, b) = (taken(one), taken(other));
                both_append || a.end <= b.start || b.end <= a.start
            })
        })
}

/// How deep valid JSON nests.
fn depth(json: &str) -> usize {
    let (mut deep, mut deepest, mut in_string, mut escaped) = (0usize, 0, false, false);
    for byte in json.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => {
                deep += 1;
                deepest = deepest.max(deep);
            }
            b']' | b'}' if !in_string => deep -= 1,
            _ => {}
        }
    }
    deepest
}

struct Parser<'a> {
    text: &'a [u8],
    at: usize,
    nodes: usize,
}

impl Parser<'_> {
    fn peek(&mut self) -> u8 {
        while b" \n\r\t".contains(&self.text[self.at]) {
            self.at += 1;
        }
        self.text[self.at]
    }

    fn node(&mut self) -> Option<usize> {
        self.nodes += 1;
        Some(self.nodes - 1)
    }

    fn value(&mut self) -> Tree {
        let first = self.peek();
        let start = self.at;
        let origin = self.node();
        let body = match first {
            b'[' => Body::Array(self.list(b']', Parser::value)),
            b'{' => Body::Object(self.list(b'}', |parser| {
                parser.peek();
                let origin = parser.node();
                let start = parser.at;
                let key = Key {
                    origin,
                    spelled: parser.leaf(),
                    start,
                };
                assert_eq!(parser.peek(), b':');
                parser.at += 1;
                (key, parser.value())
            })),
            _ => Body::Leaf(self.leaf()),
        };
        Tree {
            origin,
            body,
            start,
            end: self.at,
        }
    }

    fn list<T>(&mut self, closing: u8, item: impl Fn(&mut Self) -> T) -> Vec<T> {
        let mut items = Vec::new();
        self.at += 1;
        while self.peek() != closing {
            items.push(item(self));
            if self.peek() == b',' {
                self.at += 1;
            }
        }
        self.at += 1;
        items
    }

    fn leaf(&mut self) -> String {
        let start = self.at;
        if self.text[start] == b'"' {
            self.at += 1;
            while self.text[self.at] != b'"' {
                self.at += if self.text[self.at] == b'\\' { 2 } else { 1 };
            }
            self.at += 1;
        } else {
            while self.at < self.text.len() && !b",]} \n\r\t".contains(&self.text[self.at]) {
                self.at += 1;
            }
        }
        String::from_utf8(self.text[start..self.at].to_vec()).unwrap()
    }
}

impl Tree {
    /// The tree after `edits`, or `None` for an element that goes.
    pub fn edited(&self, edits: &[Edit]) -> Tree {
        let of_this: Vec<&Edit> = edits
            .iter()
            .filter(|edit| Some(edit.node()) == self.origin)
            .collect();
        if let [Edit::Replace(_, value)] = of_this[..] {
            return parse(value).unknown();
        }
        let appended = |brackets: [&str; 2]| {
            of_this
                .iter()
                .filter_map(|edit| match edit {
                    Edit::Append(_, list) => Some(brackets.join(list)),
                    _ => None,
                })
                .map(|list| parse(&list).unknown().body)
                .collect::<Vec<Body>>()
        };
        let goes = |origin: Option<usize>| {
            edits
                .iter()
                .any(|edit| matches!(edit, Edit::Remove(node) if Some(*node) == origin))
        };
        let body = match &self.body {
            Body::Leaf(text) => Body::Leaf(text.clone()),
            Body::Array(elements) => {
                let kept = elements.iter().filter(|element| !goes(element.origin));
                let mut elements: Vec<Tree> = kept.map(|element| element.edited(edits)).collect();
                for list in appended(["[", "]"]) {
                    if let Body::Array(more) = list {
                        elements.extend(more);
                    }
                }
                Body::Array(elements)
            }
            Body::Object(members) => {
                let kept = members.iter().filter(|(key, _)| !goes(key.origin));
                let mut members: Vec<(Key, Tree)> = kept
                    .map(|(key, value)| (key.edited(edits), value.edited(edits)))
                    .collect();
                for list in appended(["{", "}"]) {
                    if let Body::Object(more) = list {
                        members.extend(more);
                    }
                }
                Body::Object(members)
            }
        };
        Tree {
            body,
            ..self.clone()
        }
    }

    /// The same tree, not of the original document.
    fn unknown(mut self) -> Tree {
        self.origin = None;
        match &mut self.body {
            Body::Leaf(_) => {}
            Body::Array(elements) => {
                *elements = elements.drain(..).map(Tree::unknown).collect();
            }
            Body::Object(members) => {
                let unknown = |(key, value): (Key, Tree)| {
                    (
                        Key {
                            origin: None,
                            ..key
                        },
                        value.unknown(),
                    )
                };
                *members = members.drain(..).map(unknown).collect();
            }
        }
        self
    }

    /// Without whitespace.
    pub fn print(&self) -> String {
        match &self.body {
            Body::Leaf(text) => text.clone(),
            Body::Array(elements) => {
                let elements: Vec<String> = elements.iter().map(Tree::print).collect();
                format!("[{}]", elements.join(","))
            }
            Body::Object(members) => {
                let members: Vec<String> = members
                    .iter()
                    .map(|(key, value)| format!("{}:{}", key.spelled, value.print()))
                    .collect();
                format!("{{{}}}", members.join(","))
            }
        }
    }

    /// The origin of every node, keys included, in document order.
    pub fn origins(&self) -> Vec<Option<usize>> {
        let mut origins = vec![self.origin];
        match &self.body {
            Body::Leaf(_) => {}
            Body::Array(elements) => origins.extend(elements.iter().flat_map(Tree::origins)),
            Body::Object(members) => {
                for (key, value) in members {
                    origins.push(key.origin);
                    origins.extend(value.origins());
                }
            }
        }
        origins
    }

    /// The tape of a text that was parsed, and not edited since.
    pub fn tape(&self) -> Vec<u32> {
        let mut words = Vec::new();
        self.tape_into(&mut words);
        words
    }

    fn tape_into(&self, words: &mut Vec<u32>) {
        let node = words.len();
        words.extend([0, self.start as u32, self.end as u32, 0]);
        words[node] = match &self.body {
            Body::Leaf(text) => match text.as_bytes()[0] {
                b'n' => 0,
                b'f' => 1,
                b't' => 2,
                b'"' => 4 + 16 * u32::from(text.contains('\\')),
                _ => 3,
            },
            Body::Array(elements) => {
                for element in elements {
                    element.tape_into(words);
                }
                6 + 256 * elements.len() as u32
            }
            Body::Object(members) => {
                for (key, value) in members {
                    let at = words.len();
                    let escaped = 16 * u32::from(key.spelled.contains('\\'));
                    let end = key.start + key.spelled.len();
                    words.extend([5 + escaped, key.start as u32, end as u32, 0]);
                    value.tape_into(words);
                    words[at + 3] = words.len() as u32 / 4;
                }
                7 + 256 * members.len() as u32
            }
        };
        words[node + 3] = words.len() as u32 / 4;
    }
}

impl Key {
    fn edited(&self, edits: &[Edit]) -> Key {
        let renamed = edits.iter().find_map(|edit| match edit {
            Edit::Rename(node, name) if Some(*node) == self.origin => Some(name),
            _ => None,
        });
        match renamed {
            Some(name) => Key {
                origin: None,
                spelled: name.trim().to_owned(),
                start: 0,
            },
            None => self.clone(),
        }
    }
}
