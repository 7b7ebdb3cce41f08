//! Whether two pieces of JSON say the same.

use super::{Document, Node, NodeKind};

/// Whether two nodes are the same JSON value: members in any order, strings by what they say,
/// numbers by how they are spelled (two spellings may be one number, but who reads them decides
/// that). Objects with a key twice, and strings that are not Unicode, are the same as nothing.
pub fn same_value(a: (&Document, Node), b: (&Document, Node)) -> bool {
    same(a, b, |a, b| a == b)
}

/// The same for who reads numbers as floats, as JavaScript and `jq` do: `2790.0` is `2790`. Numbers with more digits
/// than a float keeps are the same only as they are spelled.
pub fn same_reading(a: (&Document, Node), b: (&Document, Node)) -> bool {
    /// Digits that every float keeps.
    const SURE_DIGITS: usize = 15;
    same(a, b, |a, b| {
        let digits = |number: &str| number.bytes().filter(u8::is_ascii_digit).count();
        a == b
            || digits(a).max(digits(b)) <= SURE_DIGITS
                && matches!((a.parse::<f64>(), b.parse::<f64>()), (Ok(a), Ok(b)) if a == b && a.is_finite())
    })
}

/// `numbers`: whether two spellings are the same number.
fn same(a: (&Document, Node), b: (&Document, Node), numbers: fn(&str, &str) -> bool) -> bool {
    let ((a_document, a_node), (b_document, b_node)) = (a, b);
    if a_node.kind != b_node.kind || a_node.children != b_node.children {
        return false;
    }
    let (Some(a_tape), Some(b_tape)) = (a_document.tape(), b_document.tape()) else {
        return false;
    };
    match a_node.kind {
        NodeKind::Null | NodeKind::True | NodeKind::False => true,
        NodeKind::Number => numbers(raw(a_document, a_node), raw(b_document, b_node)),
        NodeKind::String | NodeKind::Key => {
            let said = said(a_document, a_node);
            said.is_some() && said == self::said(b_document, b_node)
        }
        NodeKind::Array => a_tape
            .elements(a_node)
            .zip(b_tape.elements(b_node))
            .all(|(a, b)| same((a_document, a), (b_document, b), numbers)),
        NodeKind::Object => {
            let (Some(a_members), Some(b_members)) =
                (members(a_document, a_node), members(b_document, b_node))
            else {
                return false;
            };
            a_members
                .iter()
                .zip(&b_members)
                .all(|(a, b)| a.0 == b.0 && same((a_document, a.1), (b_document, b.1), numbers))
        }
    }
}

fn raw(document: &Document, node: Node) -> &str {
    document.slice(node.start, node.end)
}

fn said(document: &Document, node: Node) -> Option<String> {
    serde_json::from_str(raw(document, node)).ok()
}

/// Keys and values in the order of the keys; none if a key is there twice or is not Unicode.
fn members(document: &Document, object: Node) -> Option<Vec<(String, Node)>> {
    let mut members = document
        .tape()?
        .members(object)
        .map(|(key, value)| Some((said(document, key)?, value)))
        .collect::<Option<Vec<_>>>()?;
    members.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
    let is_double = members.windows(2).any(|pair| pair[0].0 == pair[1].0);
    (!is_double).then_some(members)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(a: &str, b: &str) -> bool {
        let [a, b] = [a, b].map(|text| Document::json(text).expect("JSON"));
        let root = |document: &Document| document.tape().expect("a tape").root();
        same_value((&a, root(&a)), (&b, root(&b)))
    }

    #[test]
    fn order_space_and_escapes_do_not_matter() {
        assert!(same(
            r#"{"a":[1,"é"],"b":null}"#,
            r#" { "b" : null, "a" : [ 1, "\u00e9" ] } "#
        ));
        assert!(same("[]", "[ ]"));
        assert!(same(r#"{"\u0061":true}"#, r#"{"a":true}"#));
    }

    #[test]
    fn every_other_difference_does() {
        for (a, b) in [
            ("1", "1.0"),
            ("123456789012345678901", "123456789012345678902"),
            ("[1,2]", "[2,1]"),
            ("[1]", "[1,1]"),
            ("null", "false"),
            (r#"{"a":1}"#, r#"{"a":1,"b":null}"#),
            (r#"{"a":1,"b":2}"#, r#"{"a":1,"c":2}"#),
            (r#""1""#, "1"),
        ] {
            assert!(!same(a, b), "{a} and {b}");
        }
    }

    #[test]
    fn readers_of_floats_tell_no_spellings_of_a_number_apart() {
        let same = |a: &str, b: &str| {
            let [a, b] = [a, b].map(|text| Document::json(text).expect("JSON"));
            let root = |document: &Document| document.tape().expect("a tape").root();
            same_reading((&a, root(&a)), (&b, root(&b)))
        };
        assert!(same(
            r#"{"total":2790.0,"n":[1e2]}"#,
            r#"{"n":[100],"total":2790}"#
        ));
        for (a, b) in [
            ("[1]", "[1.5]"),
            ("[12345678901234567]", "[12345678901234568]"),
            ("[12345678901234567]", "[12345678901234567.0]"),
            ("[1e400]", "[1e500]"),
            (r#"["1"]"#, "[1]"),
        ] {
            assert!(!same(a, b), "{a} and {b}");
        }
    }

    #[test]
    fn what_readers_disagree_on_is_the_same_as_nothing() {
        assert!(!same(r#"{"a":1,"a":2}"#, r#"{"a":1,"a":2}"#));
        assert!(!same(r#""\ud800""#, r#""\ud800""#));
    }
}
