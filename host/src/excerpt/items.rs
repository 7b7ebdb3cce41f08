//! The items of a text that is a list in another notation than JSON. They can be requested by number, as rows.
//!
//! Owns where an item begins and ends, in three forms: one JSON value a line, brackets and quotes as programs
//! print their values (Python's `repr`, most others), and YAML's or Markdown's dashes. Refuses to know the
//! content of an item. A text has one of these forms as a whole, or has no items: prose has none.

use std::ops::Range;

/// The items of a text that is a list, or of the longest list in it; none if the text is not clearly a list.
pub(super) fn of(text: &str) -> Option<Vec<Range<usize>>> {
    let found = lines(text)
        .or_else(|| bracketed(text))
        .or_else(|| dashed(text))?;
    (found.len() > 1).then_some(found)
}

/// Lines that are a JSON object or array each.
fn lines(text: &str) -> Option<Vec<Range<usize>>> {
    let mut items = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim();
        match (trimmed.as_bytes().first(), trimmed.as_bytes().last()) {
            (None, _) => {}
            (Some(b'{'), Some(b'}')) | (Some(b'['), Some(b']')) => {
                let at = start + line.len() - line.trim_start().len();
                items.push(at..at + trimmed.len());
            }
            _ => return None,
        }
        start += line.len();
    }
    (items.len() > 1).then_some(items)
}

/// A container whose end was not found yet.
struct Open {
    bracket: u8,
    items: Vec<Range<usize>>,
    /// The start of its next item.
    from: usize,
}

/// Elements of the text's list, or of the longest list in it.
fn bracketed(text: &str) -> Option<Vec<Range<usize>>> {
    let bytes = text.as_bytes();
    let begin = text.len() - text.trim_start().len();
    let end = text.trim_end().len();
    if !matches!(bytes.get(begin), Some(b'[' | b'(' | b'{')) {
        return None;
    }
    let item = |from: usize, to: usize| {
        let trimmed = text[from..to].trim();
        let from = to - text[from..to].trim_start().len();
        (!trimmed.is_empty()).then(|| from..from + trimmed.len())
    };
    let mut open: Vec<Open> = Vec::new();
    let mut longest: (usize, Vec<Range<usize>>) = (0, Vec::new());
    let mut at = begin;
    while at < end {
        match bytes[at] {
            bracket @ (b'[' | b'(' | b'{') => open.push(Open {
                bracket,
                items: Vec::new(),
                from: at + 1,
            }),
            b',' => {
                let container = open.last_mut()?;
                container.items.extend(item(container.from, at));
                container.from = at + 1;
            }
            closing @ (b']' | b')' | b'}') => {
                let mut container = open.pop()?;
                let fits = matches!(
                    (container.bracket, closing),
                    (b'[', b']') | (b'(', b')') | (b'{', b'}')
                );
                if !fits || open.is_empty() && at + 1 != end {
                    return None;
                }
                container.items.extend(item(container.from, at));
                let is_list = container.bracket != b'{' && container.items.len() > 1;
                let size = match container.items.first() {
                    Some(first) if is_list => at - first.start,
                    _ => 0,
                };
                // The whole is meant if it is a list itself.
                if size > longest.0 || is_list && open.is_empty() {
                    longest = (size, container.items);
                }
            }
            quote @ (b'"' | b'\'') => {
                at += 1;
                while *bytes[..end].get(at)? != quote {
                    at += 1 + usize::from(bytes[at] == b'\\');
                }
            }
            _ => {}
        }
        at += 1;
    }
    open.is_empty().then_some(longest.1)
}

/// Blocks that begin with a dash: those of the longest of the outermost lists.
fn dashed(text: &str) -> Option<Vec<Range<usize>>> {
    let indent = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let is_item = |line: &str| {
        let trimmed = line.trim_start_matches(' ').trim_end();
        trimmed == "-" || trimmed.starts_with("- ")
    };
    let items = text.lines().filter(|line| is_item(line)).map(indent);
    let outermost = items.min()?;
    let mut lists: Vec<Vec<Range<usize>>> = vec![Vec::new()];
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim_end();
        let end = start + trimmed.len();
        let last = lists.last_mut()?;
        if indent(trimmed) == outermost && is_item(trimmed) {
            last.push(start + outermost..end);
        } else if !trimmed.is_empty() && indent(trimmed) <= outermost {
            lists.push(Vec::new());
        } else if let Some(item) = last.last_mut().filter(|_| !trimmed.is_empty()) {
            item.end = end;
        }
        start += line.len();
    }
    let size = |list: &Vec<Range<usize>>| match &list[..] {
        [first, .., last] => last.end - first.start,
        _ => 0,
    };
    lists.into_iter().max_by_key(size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn items(text: &str) -> Option<Vec<&str>> {
        Some(of(text)?.into_iter().map(|range| &text[range]).collect())
    }

    #[test]
    fn the_forms_that_lists_have() {
        for (text, expected) in [
            ("{\"a\":1}\n{\"a\":2}\n", &["{\"a\":1}", "{\"a\":2}"][..]),
            (
                "[{'a': 'x, y]'}, {'a': \"it's\"}]",
                &["{'a': 'x, y]'}", "{'a': \"it's\"}"],
            ),
            ("[(1, 'a'),\n (2, 'b\\''),]", &["(1, 'a')", "(2, 'b\\'')"]),
            (
                "{'n': (1, 2), 'rows': [Row(id=1), Row(id=2)]}",
                &["Row(id=1)", "Row(id=2)"],
            ),
            (
                "items:\n- a: 1\n  b:\n  - x\n- a: 2\nkind: List\n",
                &["- a: 1\n  b:\n  - x", "- a: 2"],
            ),
            (
                "short:\n- x\n- y\nlong:\n- name: a\n- name: b\n",
                &["- name: a", "- name: b"],
            ),
        ] {
            assert_eq!(items(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_list_has_no_items() {
        for text in [
            "",
            "words, and more words",
            "[INFO] started, then [WARN] slow",
            "(it's, not)",
            "[1, 2] and [3, 4]",
            "[1, 2",
            "{'a': 1, 'b': 2}",
            "[1, 2)",
            "- one\ntext\n- two",
            "[]",
            "- alone",
        ] {
            assert_eq!(items(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn nothing_breaks_it(text in "[\\[\\](){},'\"\\\\ \n\\-aé]{0,60}") {
            for item in of(&text).unwrap_or_default() {
                prop_assert!(text.get(item).is_some_and(|item| !item.is_empty()));
            }
        }
    }
}
