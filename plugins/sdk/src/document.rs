//! The document of a call. A filter walks its tape without decoding anything. Only the parts of the text that the
//! filter reads are fetched from the host.

use crate::host;
use crate::json;
use crate::walk::Values;
use std::borrow::Cow;
use std::cell::{Cell, OnceCell};

/// Whether a document is JSON or text.
///
/// # Examples
///
/// ```
/// use tamis_sdk::{Kind, Verdict, rewritten_text, testing::Bench};
///
/// let bench = Bench::of(|document, _call| match document.kind() {
///     Kind::Json => Ok(Verdict::Unchanged),
///     Kind::Text => Ok(rewritten_text(document.text().to_lowercase())),
/// });
/// assert_eq!(bench.apply("WARNING").text(), "warning");
/// assert_eq!(bench.apply(r#"["WARNING"]"#).text(), r#"["WARNING"]"#);
/// ```
///
/// # In the contract
///
pub use crate::guest::bindings::tamis::filter::document::DocumentKind as Kind;

/// After this many single slices, the whole text is fetched. A slice costs a call into the host (about 0.15 µs), the
/// text one copy (about 0.1 µs a KB).
const SLICES_BEFORE_TEXT: u32 = 8;
/// The largest text that is fetched as a whole after slices. A larger copy would fill the memory limit of a filter that
/// wants a few keys.
const LARGEST_TEXT_FETCHED: u32 = 8 * 1024 * 1024;

/// The document that this call is about.
///
/// # Examples
///
/// ```
/// use tamis_sdk::{Kind, NodeKind, Verdict, testing::Bench};
///
/// let bench = Bench::of(|document, _call| {
///     assert_eq!(document.kind(), Kind::Json);
///     assert_eq!(document.len_bytes(), 40);
///     assert_eq!(document.slice(1, 7), "\"name\"");
///     let root = document.root().ok_or("a text has no tape")?;
///     for (key, value) in root.members() {
///         if document.key_is(key, "name") {
///             assert_eq!(document.raw(value), r#""caf\u00e9""#);
///             assert_eq!(document.string(value).as_deref(), Some("café"));
///         }
///     }
///     // Keys and values at any depth:
///     assert_eq!(document.keys_named("id").count(), 1);
///     let numbers = document.values().filter(|place| place.value.kind() == NodeKind::Number);
///     assert_eq!(numbers.count(), 2);
///     // Four words a node: two objects, four keys, a string, and two numbers.
///     assert_eq!(document.tape().len(), 4 * 9);
///     Ok(Verdict::Unchanged)
/// });
/// bench.apply(r#"{"name":"caf\u00e9","in":{"id":7,"n":1}}"#);
/// # let bench = Bench::of(|document, _call| {
/// #     assert_eq!((document.kind(), document.text()), (Kind::Text, "plain"));
/// #     assert!(document.root().is_none() && document.tape().is_empty());
/// #     Ok(Verdict::Unchanged)
/// # });
/// # bench.apply("plain");
/// ```
pub struct Document {
    tape: OnceCell<Vec<u32>>,
    text: OnceCell<String>,
    slices: Cell<u32>,
}

impl Document {
    /// The document in this instance.
    pub(crate) fn current() -> Self {
        Document {
            tape: OnceCell::new(),
            text: OnceCell::new(),
            slices: Cell::new(0),
        }
    }

    /// Indexes JSON found inside another document, for example in a string. Any value, nested at most `max_depth` deep
    /// ([`MAX_DEPTH`](crate::MAX_DEPTH) minus the levels around it). None if the text is not JSON by the host's own grammar, so the host
    /// accepts every text that this accepts. Needs the feature `nested`.
    ///
    /// # Examples
    ///
    /// ```
    /// use tamis_sdk::{Document, MAX_DEPTH, Verdict, testing::Bench};
    ///
    /// let bench = Bench::of(|document, _call| {
    ///     let body = document.keys_named("body").next().and_then(|key| key.following());
    ///     let body = document.string(body.ok_or("no body")?).ok_or("no string")?;
    ///     let inner = Document::nested(body.into_owned(), MAX_DEPTH - 1).ok_or("no JSON")?;
    ///     assert_eq!(inner.root().map(|root| root.children()), Some(2));
    ///     Ok(Verdict::Unchanged)
    /// });
    /// assert!(bench.try_apply(r#"{"body":"[1,2]"}"#).is_ok());
    /// assert_eq!(bench.try_apply(r#"{"body":"[1,"}"#).unwrap_err(), "no JSON");
    /// ```
    #[cfg(feature = "nested")]
    pub fn nested(text: String, max_depth: usize) -> Option<Self> {
        let tape = tamis_document::Tape::build_with_depth(&text, max_depth).ok()?;
        Some(Document {
            tape: OnceCell::from(tape.into_words()),
            text: OnceCell::from(text),
            slices: Cell::new(0),
        })
    }

    /// JSON that a plugin wrote together with its tape, as the contract describes it. A tape of another text leads to
    /// nonsense, or a panic.
    ///
    /// # Examples
    ///
    /// ```
    /// use tamis_sdk::Document;
    ///
    /// let document = Document::indexed("[7]".to_owned(), vec![6 | 1 << 8, 0, 3, 2, 3, 1, 2, 2]);
    /// let element = document.root().and_then(|root| root.elements().next());
    /// assert_eq!(element.map(|element| document.raw(element)).as_deref(), Some("7"));
    /// ```
    #[cfg(feature = "nested")]
    pub fn indexed(text: String, tape: Vec<u32>) -> Self {
        Document {
            tape: OnceCell::from(tape),
            text: OnceCell::from(text),
            slices: Cell::new(0),
        }
    }

    /// Whether the document is JSON or text.
    ///
    /// [Example](Document#examples).
    pub fn kind(&self) -> Kind {
        match self.tape.get() {
            Some(words) if !words.is_empty() => Kind::Json,
            _ => host::kind(),
        }
    }

    /// Length of the text in bytes.
    ///
    /// [Example](Document#examples).
    pub fn len_bytes(&self) -> u32 {
        match self.text.get() {
            Some(text) => text.len() as u32,
            None => host::len(),
        }
    }

    /// The whole text.
    ///
    /// [Example](Document#examples).
    pub fn text(&self) -> &str {
        self.text.get_or_init(host::text)
    }

    /// The bytes from `start` up to `end`, moved back to character boundaries.
    ///
    /// [Example](Document#examples).
    pub fn slice(&self, start: u32, end: u32) -> Cow<'_, str> {
        if let Some(text) = self.text.get() {
            return Cow::Borrowed(json::slice(text, start, end));
        }
        let slices = self.slices.get() + 1;
        self.slices.set(slices);
        if slices > SLICES_BEFORE_TEXT && host::len() <= LARGEST_TEXT_FETCHED {
            return Cow::Borrowed(json::slice(self.text(), start, end));
        }
        Cow::Owned(host::slice(start, end))
    }

    /// The tape as the contract has it: four words a node, see `wit/filter.wit`; empty for text. Use it to go back and
    /// forth between nodes; a walk is simpler with [`Document::root`].
    ///
    /// [Example](Document#examples).
    pub fn tape(&self) -> &[u32] {
        self.tape.get_or_init(host::tape)
    }

    /// The root of the JSON; none for text.
    ///
    /// [Example](Document#examples).
    pub fn root(&self) -> Option<Node<'_>> {
        let (nodes, _) = self.tape().as_chunks();
        let words = nodes.first()?;
        Some(Node {
            nodes,
            words,
            index: 0,
        })
    }

    /// All keys equal to `name`, in document order, at any depth. Quicker than a walk: it examines no other nodes.
    ///
    /// [Example](Document#examples).
    pub fn keys_named<'d>(&'d self, name: &'d str) -> impl Iterator<Item = Node<'d>> {
        let (nodes, _) = self.tape().as_chunks();
        let node = |(index, words)| Node {
            nodes,
            words,
            index: index as u32,
        };
        let keys = nodes.iter().enumerate().map(node);
        keys.filter(move |node| node.kind() == NodeKind::Key && self.key_is(*node, name))
    }

    /// All values, in document order, with their keys and depths; none for text.
    ///
    /// [Example](Document#examples).
    pub fn values(&self) -> Values<'_> {
        Values::new(self.root())
    }

    /// A node's text as the document spells it, quotes and brackets included.
    ///
    /// [Example](Document#examples).
    pub fn raw(&self, node: Node<'_>) -> Cow<'_, str> {
        self.slice(node.start(), node.end())
    }

    /// A string or key, its escapes decoded. None for other kinds, and for a string that is not Unicode (an unpaired
    /// surrogate).
    ///
    /// [Example](Document#examples).
    pub fn string(&self, node: Node<'_>) -> Option<Cow<'_, str>> {
        if !matches!(node.kind(), NodeKind::String | NodeKind::Key) {
            return None;
        }
        if node.is_escaped() {
            return json::unquote(&self.raw(node)).map(Cow::Owned);
        }
        Some(self.slice(node.start() + 1, node.end() - 1))
    }

    /// Whether a string or key equals `literal`. Most mismatches need no text.
    ///
    /// [Example](Document#examples).
    pub fn key_is(&self, node: Node<'_>, literal: &str) -> bool {
        if node.is_escaped() {
            self.string(node).is_some_and(|text| text == literal)
        } else {
            node.len_bytes() as usize == literal.len() + 2
                && self.string(node).is_some_and(|text| text == literal)
        }
    }
}

/// The kind of a node.
///
/// # Examples
///
/// ```
/// use tamis_sdk::{Document, NodeKind, MAX_DEPTH};
///
/// let document = Document::nested(r#"["a",1,true,null,{}]"#.to_owned(), MAX_DEPTH).expect("JSON");
/// let elements = document.root().expect("JSON").elements();
/// let kinds: Vec<NodeKind> = elements.map(|element| element.kind()).collect();
/// assert_eq!(
///     kinds,
///     [NodeKind::String, NodeKind::Number, NodeKind::True, NodeKind::Null, NodeKind::Object]
/// );
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// `null`
    Null,
    /// `false`
    False,
    /// `true`
    True,
    /// A number, as the document spells it.
    Number,
    /// A string that is a value.
    String,
    /// The key of a member.
    Key,
    /// An array.
    Array,
    /// An object.
    Object,
}

/// One node of the tape: a value, or the key of a member.
///
/// # Examples
///
/// ```
/// use tamis_sdk::{Document, NodeKind, MAX_DEPTH};
///
/// let text = r#"{"ids":[1,22],"a\n":null}"#;
/// let document = Document::nested(text.to_owned(), MAX_DEPTH).expect("JSON");
/// let root = document.root().expect("JSON");
/// assert_eq!((root.kind(), root.children(), root.index()), (NodeKind::Object, 2, 0));
///
/// let key = root.following().expect("the key `ids`");
/// let list = key.following().expect("its value");
/// assert_eq!((list.start(), list.end(), list.len_bytes()), (7, 13, 6));
/// let numbers: Vec<_> = list.elements().map(|element| document.raw(element)).collect();
/// assert_eq!(numbers, ["1", "22"]);
///
/// // The next member, after everything inside the list:
/// let next = key.next().expect("one more member");
/// assert_eq!((next.kind(), next.index(), key.next_index()), (NodeKind::Key, 5, 5));
/// assert!(next.is_escaped() && !key.is_escaped());
/// assert!(next.next().is_none() && list.members().next().is_none());
/// ```
#[derive(Clone, Copy)]
pub struct Node<'t> {
    nodes: &'t [[u32; 4]],
    words: &'t [u32; 4],
    index: u32,
}

impl<'t> Node<'t> {
    fn at(self, index: u32) -> Option<Node<'t>> {
        let words = self.nodes.get(index as usize)?;
        Some(Node {
            words,
            index,
            ..self
        })
    }

    /// Index in the tape, by which edits name a node.
    ///
    /// [Example](Node#examples).
    pub fn index(self) -> u32 {
        self.index
    }

    /// The kind of this node.
    ///
    /// [Example](Node#examples).
    pub fn kind(self) -> NodeKind {
        match self.words[0] & 0xf {
            0 => NodeKind::Null,
            1 => NodeKind::False,
            2 => NodeKind::True,
            3 => NodeKind::Number,
            4 => NodeKind::String,
            5 => NodeKind::Key,
            6 => NodeKind::Array,
            _ => NodeKind::Object,
        }
    }

    /// True for a string or key with a backslash.
    ///
    /// [Example](Node#examples).
    pub fn is_escaped(self) -> bool {
        self.words[0] & 0x10 != 0
    }

    /// Number of elements or members directly inside; 16777215 also stands for more.
    ///
    /// [Example](Node#examples).
    pub fn children(self) -> u32 {
        self.words[0] >> 8
    }

    /// Offset of the first byte.
    ///
    /// [Example](Node#examples).
    pub fn start(self) -> u32 {
        self.words[1]
    }

    /// Offset after the last byte.
    ///
    /// [Example](Node#examples).
    pub fn end(self) -> u32 {
        self.words[2]
    }

    /// Length in bytes, quotes and brackets included.
    ///
    /// [Example](Node#examples).
    pub fn len_bytes(self) -> u32 {
        self.end() - self.start()
    }

    /// Index of the first node after this one and everything inside it.
    ///
    /// [Example](Node#examples).
    pub fn next_index(self) -> u32 {
        self.words[3]
    }

    /// The next node in document order: a container's first child, a key's value, …
    ///
    /// [Example](Node#examples).
    pub fn following(self) -> Option<Node<'t>> {
        self.at(self.index + 1)
    }

    /// The next node that is not inside this one.
    ///
    /// [Example](Node#examples).
    pub fn next(self) -> Option<Node<'t>> {
        self.at(self.next_index())
    }

    /// Keys and values of an object; none for other kinds.
    ///
    /// [Example](Node#examples).
    #[inline]
    pub fn members(self) -> Members<'t> {
        Members(Elements::of(self, NodeKind::Object))
    }

    /// Elements of an array; none for other kinds.
    ///
    /// [Example](Node#examples).
    #[inline]
    pub fn elements(self) -> Elements<'t> {
        Elements::of(self, NodeKind::Array)
    }
}

/// The elements of an array, in order.
///
/// # Examples
///
/// ```
/// use tamis_sdk::{Document, MAX_DEPTH};
///
/// let document = Document::nested("[[1,2],3]".to_owned(), MAX_DEPTH).expect("JSON");
/// let elements = document.root().expect("JSON").elements();
/// let texts: Vec<_> = elements.map(|element| document.raw(element)).collect();
/// assert_eq!(texts, ["[1,2]", "3"]);
/// ```
pub struct Elements<'t> {
    container: Node<'t>,
    index: u32,
    end: u32,
}

impl<'t> Elements<'t> {
    #[inline]
    fn of(container: Node<'t>, kind: NodeKind) -> Self {
        let index = container.index + 1;
        let end = if container.kind() == kind {
            container.next_index()
        } else {
            index
        };
        Elements {
            container,
            index,
            end,
        }
    }
}

impl<'t> Iterator for Elements<'t> {
    type Item = Node<'t>;

    fn next(&mut self) -> Option<Node<'t>> {
        if self.index >= self.end {
            return None;
        }
        let node = self.container.at(self.index)?;
        self.index = node.next_index();
        Some(node)
    }
}

/// The members of an object, in order: key and value.
///
/// # Examples
///
/// ```
/// use tamis_sdk::{Document, MAX_DEPTH};
///
/// let text = r#"{"id":7,"tags":["a"]}"#;
/// let document = Document::nested(text.to_owned(), MAX_DEPTH).expect("JSON");
/// let mut members = document.root().expect("JSON").members();
/// let (key, value) = members.next().expect("two members");
/// assert!(document.key_is(key, "id"));
/// assert_eq!(document.raw(value), "7");
/// assert_eq!(members.count(), 1);
/// ```
pub struct Members<'t>(Elements<'t>);

impl<'t> Iterator for Members<'t> {
    type Item = (Node<'t>, Node<'t>);

    fn next(&mut self) -> Option<(Node<'t>, Node<'t>)> {
        let rest = &mut self.0;
        if rest.index >= rest.end {
            return None;
        }
        let nodes = rest.container.nodes;
        let [key, value] = nodes.get(rest.index as usize..)?.first_chunk()?;
        let node = |words, index| Node {
            nodes,
            words,
            index,
        };
        let member = (node(key, rest.index), node(value, rest.index + 1));
        rest.index = member.1.next_index();
        Some(member)
    }
}
