//! Paths into a JSON document, as operators write them, and the walk that finds their values.
//!
//! A path is keys joined by dots, from the root: `data.tests` is the member `tests` of the member `data`, and `tests`
//! alone is a member of the root. `*` is any key of an object or any element of an array, `**` any number of levels,
//! including none. A star inside a name matches any run of characters (`_log_*`). A number is also the index of an
//! element, from 0. Write a key with a dot or a star in quotes, as a JSON string: `data."a.b"`.
//!
//! A path that begins with `$` is JSONPath, as `tamis_read` takes it: `$.data['a.b'][*].id`, `$..id`. Its steps are
//! names, `*`, elements and quoted keys, not conditions.
//!
//! One walk looks for several paths. One set of bits has the positions of a node in all of them.

use crate::glob::Glob;
use crate::{Document, Node, NodeKind};

/// Most steps of all paths together, their ends included: the number of bits in [`PathPositions`].
const MOST_STEPS: usize = u128::BITS as usize;

/// One step of a path.
#[derive(Clone, Debug, PartialEq)]
enum Step {
    /// A key, or the index of an element.
    Name { key: String, place: Option<usize> },
    /// The index of an element.
    Element(usize),
    /// A key that matches a pattern.
    Like(Glob),
    /// Any key, any element.
    Any,
    /// Any number of levels.
    Deep,
    /// The end of a path.
    End { path: usize },
}

/// Parsed paths, ready for one walk.
///
/// # Examples
///
/// ```
/// use tamis_sdk::{Document, MAX_DEPTH, Paths};
///
/// let text = r#"{"tests":[{"id":1,"log":"a"},{"id":2,"log":"b"}],"log":"c"}"#;
/// let document = Document::nested(text.to_owned(), MAX_DEPTH).expect("JSON");
/// let root = document.root().expect("JSON");
///
/// let paths = Paths::parse(["tests.*.log", "$.log"])?;
/// assert_eq!(paths.len(), 2);
/// let found = paths.find(&document, root);
/// let found: Vec<_> = found.iter().map(|found| (found.path, document.raw(found.value))).collect();
/// assert_eq!(found, [(0, "\"a\"".into()), (0, "\"b\"".into()), (1, "\"c\"".into())]);
///
/// // The first path has two values, so it does not have one.
/// assert!(paths.find_one(&document, root).is_none());
/// assert!(Paths::parse(["tests.1.id"])?.find_one(&document, root).is_some());
///
/// assert_eq!(Paths::parse(["data.items"])?.keys(), Some(vec!["data", "items"]));
/// assert_eq!(paths.keys(), None);
/// assert!(Paths::parse([""; 0])?.is_empty());
/// assert!(Paths::parse(["tests..id"]).is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug)]
pub struct Paths {
    steps: Vec<Step>,
    start: PathPositions,
    count: usize,
}

/// The position of a node in all paths: the steps that lead on from it.
///
/// # Examples
///
/// A walk of your own knows at each node whether a path leads on:
///
/// ```
/// use tamis_sdk::{Document, MAX_DEPTH, Paths};
///
/// let text = r#"{"data":{"id":7},"more":[]}"#;
/// let document = Document::nested(text.to_owned(), MAX_DEPTH).expect("JSON");
/// let paths = Paths::parse(["data.id"])?;
/// let mut members = document.root().expect("JSON").members();
///
/// let (key, data) = members.next().expect("`data`");
/// let at_data = paths.step(paths.start(), &document, Some(key), 0);
/// assert!(!at_data.is_nowhere() && paths.ends(at_data).next().is_none());
/// let (key, _) = data.members().next().expect("`id`");
/// let at_id = paths.step(at_data, &document, Some(key), 0);
/// assert_eq!(paths.ends(at_id).collect::<Vec<_>>(), [0]);
///
/// let (key, _) = members.next().expect("`more`");
/// assert!(paths.step(paths.start(), &document, Some(key), 0).is_nowhere());
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathPositions(u128);

impl PathPositions {
    const NOWHERE: PathPositions = PathPositions(0);

    /// Whether no path leads to this node or below it.
    ///
    /// [Example](PathPositions#examples).
    pub fn is_nowhere(self) -> bool {
        self.0 == 0
    }

    fn bits(self) -> impl Iterator<Item = usize> {
        let mut left = self.0;
        std::iter::from_fn(move || {
            (left != 0).then(|| {
                let bit = left.trailing_zeros() as usize;
                left &= left - 1;
                bit
            })
        })
    }
}

/// A value at the end of a path.
///
/// # Examples
///
/// ```
/// use tamis_sdk::{Edits, Paths, testing::Bench};
///
/// let paths = Paths::parse(["**.token"]).expect("a path");
/// let bench = Bench::of(move |document, _call| {
///     let mut edits = Edits::new();
///     for found in document.root().into_iter().flat_map(|root| paths.find(document, root)) {
///         // A member is removed by its key, an element by itself.
///         edits.remove(found.key.unwrap_or(found.value));
///         assert!(found.path == 0 && found.holder.children() == 2);
///     }
///     Ok(edits.into())
/// });
/// assert_eq!(bench.apply(r#"[{"id":1,"token":"x"}]"#).text(), r#"[{"id":1}]"#);
/// ```
#[derive(Clone, Copy)]
pub struct Found<'t> {
    /// Index of the path among the paths, from 0.
    pub path: usize,
    /// The object or array directly around the value.
    pub holder: Node<'t>,
    /// Its key, in an object.
    pub key: Option<Node<'t>>,
    /// The value itself.
    pub value: Node<'t>,
}

impl Paths {
    /// Parses paths. An error names the path, the mistake and the allowed forms.
    ///
    /// [Example](Paths#examples).
    pub fn parse<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> Result<Paths, String> {
        let mut steps = Vec::new();
        let mut starts = Vec::new();
        for (path, text) in texts.into_iter().enumerate() {
            starts.push(steps.len());
            let text = text.as_ref();
            read(text, &mut steps).map_err(|why| format!("the path `{text}` {why}"))?;
            steps.push(Step::End { path });
        }
        if steps.len() > MOST_STEPS {
            return Err(format!(
                "the paths have {} steps in all, counting one more for each; at most {MOST_STEPS} are allowed: use a second step of the chain",
                steps.len()
            ));
        }
        let mut paths = Paths {
            count: starts.len(),
            steps,
            start: PathPositions::NOWHERE,
        };
        for start in starts {
            paths.start.0 |= paths.reach(start);
        }
        Ok(paths)
    }

    /// The number of paths.
    ///
    /// [Example](Paths#examples).
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether the list has no paths.
    ///
    /// [Example](Paths#examples).
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The position of the root.
    ///
    /// [Example](PathPositions#examples).
    pub fn start(&self) -> PathPositions {
        self.start
    }

    /// The position of a child of a node at `places`, by its key or its index in an array.
    ///
    /// [Example](PathPositions#examples).
    pub fn step(
        &self,
        places: PathPositions,
        document: &Document,
        key: Option<Node<'_>>,
        place: usize,
    ) -> PathPositions {
        let mut next = 0;
        for bit in places.bits() {
            let fits = match &self.steps[bit] {
                Step::Name {
                    key: name,
                    place: at,
                } => match key {
                    Some(key) => document.key_is(key, name),
                    None => *at == Some(place),
                },
                Step::Element(at) => key.is_none() && *at == place,
                Step::Like(glob) => key
                    .and_then(|key| document.string(key))
                    .is_some_and(|key| glob.matches(&key)),
                Step::Any => true,
                Step::Deep => {
                    next |= 1 << bit;
                    continue;
                }
                Step::End { .. } => false,
            };
            if fits {
                next |= self.reach(bit + 1);
            }
        }
        // `**` stays, and the next step may match at any level.
        for bit in PathPositions(next).bits() {
            next |= self.reach(bit);
        }
        PathPositions(next)
    }

    /// The paths that end at `places`, lowest first.
    ///
    /// [Example](PathPositions#examples).
    pub fn ends(&self, places: PathPositions) -> impl Iterator<Item = usize> {
        places.bits().filter_map(|bit| match self.steps[bit] {
            Step::End { path } => Some(path),
            _ => None,
        })
    }

    /// A step, and the steps after it that it also reaches, because `**` may match no level.
    fn reach(&self, bit: usize) -> u128 {
        let (mut bit, mut bits) = (bit, 1 << bit);
        while self.steps[bit] == Step::Deep {
            bit += 1;
            bits |= 1 << bit;
        }
        bits
    }

    /// All values of the paths, in document order, including values inside of other values.
    ///
    /// [Example](Paths#examples).
    pub fn find<'t>(&self, document: &Document, root: Node<'t>) -> Vec<Found<'t>> {
        let mut found = Vec::new();
        self.find_inside(document, root, self.start, &mut found);
        found
    }

    /// The keys of the first path; none if a star in it may match several values.
    ///
    /// [Example](Paths#examples).
    pub fn keys(&self) -> Option<Vec<&str>> {
        let of_first = self
            .steps
            .iter()
            .take_while(|step| !matches!(step, Step::End { .. }));
        let keys = of_first.map(|step| match step {
            Step::Name { key, .. } => Some(key.as_str()),
            Step::Element(_) | Step::Like(_) | Step::Any | Step::Deep | Step::End { .. } => None,
        });
        keys.collect()
    }

    /// The value of the first path, if it has exactly one.
    ///
    /// [Example](Paths#examples).
    pub fn find_one<'t>(&self, document: &Document, root: Node<'t>) -> Option<Found<'t>> {
        let found = self.find(document, root);
        let mut of_first = found.into_iter().filter(|it| it.path == 0);
        of_first.next().filter(|_| of_first.next().is_none())
    }

    /// Recurses at most as deep as the document, which has at most 128 levels.
    fn find_inside<'t>(
        &self,
        document: &Document,
        holder: Node<'t>,
        places: PathPositions,
        found: &mut Vec<Found<'t>>,
    ) {
        let mut child = |key: Option<Node<'t>>, value: Node<'t>, place: usize| {
            let places = self.step(places, document, key, place);
            if places.is_nowhere() {
                return;
            }
            found.extend(self.ends(places).map(|path| Found {
                path,
                holder,
                key,
                value,
            }));
            self.find_inside(document, value, places, found);
        };
        match holder.kind() {
            NodeKind::Object => {
                let members = holder.members();
                members.for_each(|(key, value)| child(Some(key), value, 0));
            }
            NodeKind::Array => {
                let elements = holder.elements().enumerate();
                elements.for_each(|(place, value)| child(None, value, place));
            }
            _ => {}
        }
    }
}

/// Parses one path of JSONPath.
fn read_from_root(text: &str, steps: &mut Vec<Step>) -> Result<(), String> {
    const ALLOWED: &str =
        "is not understood; allowed after `$`: `.key`, `.*`, `[*]`, `[0]`, `['key']`, `..key`";
    let mut rest = text;
    if rest.is_empty() {
        return Err("is the whole document: name what is in it".to_owned());
    }
    while !rest.is_empty() {
        if let Some(more) = rest.strip_prefix("..") {
            steps.push(Step::Deep);
            rest = more;
            if !rest.starts_with('[') {
                rest = read_name(rest, steps).ok_or(ALLOWED)?;
            }
        } else if let Some(more) = rest.strip_prefix('.') {
            rest = read_name(more, steps).ok_or(ALLOWED)?;
        } else if let Some(more) = rest.strip_prefix('[') {
            rest = read_brackets(more, steps).ok_or(ALLOWED)?;
        } else {
            return Err(ALLOWED.to_owned());
        }
    }
    Ok(())
}

/// Parses a name up to the next dot or bracket. None if the name is empty.
fn read_name<'t>(text: &'t str, steps: &mut Vec<Step>) -> Option<&'t str> {
    let (name, rest) = text.split_at(text.find(['.', '[']).unwrap_or(text.len()));
    match name {
        "" => return None,
        "*" => steps.push(Step::Any),
        name if name.contains('*') => steps.push(Step::Like(Glob::new(name))),
        name => steps.push(Step::Name {
            key: name.to_owned(),
            place: None,
        }),
    }
    Some(rest)
}

/// Parses the brackets after `[`. None if they have no allowed form.
fn read_brackets<'t>(text: &'t str, steps: &mut Vec<Step>) -> Option<&'t str> {
    if let Some(quote) = text.chars().next().filter(|c| matches!(c, '\'' | '"')) {
        let inner = &text[1..];
        let end = inner.find(quote)?;
        // An escape would change the key.
        let key = Some(&inner[..end]).filter(|key| !key.contains('\\'))?;
        steps.push(Step::Name {
            key: key.to_owned(),
            place: None,
        });
        return inner[end + 1..].strip_prefix(']');
    }
    let (inner, rest) = text.split_once(']')?;
    steps.push(match inner {
        "*" => Step::Any,
        place => Step::Element(place.parse().ok()?),
    });
    Some(rest)
}

/// Parses one path with dots.
fn read(text: &str, steps: &mut Vec<Step>) -> Result<(), String> {
    if let Some(rest) = text.strip_prefix('$')
        && (rest.is_empty() || rest.starts_with(['.', '[']))
    {
        return read_from_root(rest, steps);
    }
    let mut rest = text;
    loop {
        let step;
        if rest.starts_with('"') {
            let mut quoted = serde_json::Deserializer::from_str(rest).into_iter::<String>();
            let Some(Ok(key)) = quoted.next() else {
                return Err(
                    "has a quote that does not end: a quoted key is a JSON string".to_owned(),
                );
            };
            rest = &rest[quoted.byte_offset()..];
            step = Step::Name { key, place: None };
        } else {
            let end = rest.find('.').unwrap_or(rest.len());
            let name = &rest[..end];
            rest = &rest[end..];
            step = match name {
                "" => {
                    return Err("has an empty step: name keys with one dot between them".to_owned());
                }
                "*" => Step::Any,
                "**" => Step::Deep,
                name if name.contains('*') => Step::Like(Glob::new(name)),
                name => Step::Name {
                    key: name.to_owned(),
                    place: name.parse().ok(),
                },
            };
        }
        let is_deep = step == Step::Deep;
        steps.push(step);
        match rest.strip_prefix('.') {
            Some(more) => rest = more,
            None if !rest.is_empty() => {
                return Err("goes on after a quoted key: a dot or the end belongs there".to_owned());
            }
            None if is_deep => {
                return Err("ends with `**`: say what is looked for at any depth".to_owned());
            }
            None => return Ok(()),
        }
    }
}

#[cfg(all(test, feature = "testing"))]
mod tests {
    use super::*;
    use crate::{Call, Description, Filter, Verdict, testing::Bench};
    use serde_json::json;

    /// Answers with the values of paths, as the document spells them.
    struct Probe(Paths);

    #[derive(serde::Deserialize)]
    struct Settings {
        paths: Vec<String>,
    }

    impl Filter for Probe {
        type Settings = Settings;

        fn describe() -> Description {
            Description::new("probe", "1.0.0", "finds")
        }

        fn configure(settings: Settings) -> Result<Self, String> {
            Paths::parse(&settings.paths).map(Probe)
        }

        fn apply(&self, document: &Document, _call: &Call) -> Result<Verdict, String> {
            let root = document.root().ok_or("text")?;
            let found = self.0.find(document, root);
            let found = found
                .iter()
                .map(|it| format!("{}:{}", it.path, document.raw(it.value)));
            Ok(crate::rewritten_text(found.collect::<Vec<_>>().join(" ")))
        }
    }

    fn found(paths: &[&str], document: &str) -> String {
        let bench = Bench::<Probe>::new(json!({ "paths": paths }));
        bench.apply(document).text().to_owned()
    }

    const DOCUMENT: &str =
        r#"{"a":{"b":1,"c.d":2,"*":3},"l":[{"b":4},{"b":5,"l":[6]}],"b":7,"b":8}"#;

    #[test]
    fn paths_of_the_read_tool_mean_the_same() {
        for (path, same) in [
            ("$.b", "b"),
            ("$.a.b", "a.b"),
            ("$['a']['c.d']", "a.\"c.d\""),
            ("$.a[\"c.d\"]", "a.\"c.d\""),
            ("$.l[*].b", "l.*.b"),
            ("$.l.*.b", "l.*.b"),
            ("$.l[1]", "l.1"),
            ("$..b", "**.b"),
            ("$..[0]", "**.0"),
            ("$.a.c*", "a.c*"),
            ("$.*.b", "*.b"),
        ] {
            let own = found(&[path], DOCUMENT);
            assert_eq!(own, found(&[same], DOCUMENT), "{path}");
            assert!(!own.is_empty(), "{path}");
        }
        for broken in [
            "$",
            "$.",
            "$..",
            "$[",
            "$[-1]",
            "$[?(@.a)]",
            "$['a'",
            "$.a[0,1]",
            "$['a\\n']",
            "$.a b[",
            "$[]",
        ] {
            let refused = Paths::parse([broken]).map(|_| ()).unwrap_err();
            assert!(
                refused.contains("`$`") || refused.contains("whole"),
                "{broken}: {refused}"
            );
        }
        // A key may begin with a dollar sign.
        assert_eq!(found(&["$ref"], r##"{"$ref":"#/a"}"##), r##"0:"#/a""##);
    }

    #[test]
    fn a_bare_name_is_a_member_of_the_root() {
        assert_eq!(found(&["b"], DOCUMENT), "0:7 0:8");
        assert_eq!(found(&["a.b"], DOCUMENT), "0:1");
        assert_eq!(found(&["c"], DOCUMENT), "");
    }

    #[test]
    fn stars_are_keys_elements_and_levels() {
        assert_eq!(found(&["l.*.b"], DOCUMENT), "0:4 0:5");
        assert_eq!(found(&["l.1.b"], DOCUMENT), "0:5");
        assert_eq!(found(&["*.b"], DOCUMENT), "0:1");
        assert_eq!(found(&["**.b"], DOCUMENT), "0:1 0:4 0:5 0:7 0:8");
        assert_eq!(found(&["a.**.b"], DOCUMENT), "0:1");
        assert_eq!(found(&["**.l.**.l.*"], DOCUMENT), "0:6");
        assert_eq!(found(&["a.c*"], DOCUMENT), "0:2");
    }

    #[test]
    fn quotes_take_dots_and_stars_literally() {
        assert_eq!(found(&[r#"a."c.d""#], DOCUMENT), "0:2");
        assert_eq!(found(&[r#"a."*""#], DOCUMENT), "0:3");
        assert_eq!(found(&[r#""a".b"#], DOCUMENT), "0:1");
    }

    #[test]
    fn several_paths_are_found_in_one_walk() {
        assert_eq!(found(&["l.*.b", "**.b"], r#"{"l":[{"b":1}]}"#), "0:1 1:1");
        assert_eq!(
            found(&["a", "a.b"], r#"{"\u0061":{"b":1}}"#),
            r#"0:{"b":1} 1:1"#
        );
    }

    #[test]
    fn nonsense_is_refused_by_name() {
        for (path, why) in [
            ("", "an empty step"),
            ("a..b", "an empty step"),
            ("a.", "an empty step"),
            ("a.**", "ends with `**`"),
            (r#""a"b"#, "goes on after a quoted key"),
            (r#"a."b"#, "a quote that does not end"),
        ] {
            let error = Paths::parse([path]).expect_err(path);
            assert!(error.contains(why) && error.contains(path), "{error}");
        }
        let many: Vec<String> = (0..70).map(|n| format!("key{n}")).collect();
        assert!(Paths::parse(&many).expect_err("140 steps").contains("128"));
    }
}
