//! Verdicts: the effect of each kind of edit on a document.

use super::filtered;
use tamis_sdk::{Document, Edits, Node, Splices, Verdict, rewritten_json, rewritten_text};

/// The value of a root's member.
fn member<'t>(document: &Document, root: Node<'t>, name: &str) -> (Node<'t>, Node<'t>) {
    let mut members = root.members();
    members
        .find(|(key, _)| document.key_is(*key, name))
        .expect("the member is there")
}

/// A document after edits of its members.
fn edited(text: &str, edit: fn(&mut Edits, &Document, Node<'_>)) -> String {
    let applied = filtered(text, move |document, _| {
        let mut edits = Edits::new();
        edit(&mut edits, document, document.root().expect("JSON"));
        edits.into()
    });
    applied.text().to_owned()
}

const TEXT: &str = r#"{"a":1,"l":[2,3],"o":{}}"#;

#[test]
fn an_edit_is_made_where_it_says() {
    type Case = (fn(&mut Edits, &Document, Node<'_>), &'static str);
    let cases: [Case; 7] = [
        (
            |edits, document, root| edits.remove(member(document, root, "a").0),
            r#"{"l":[2,3],"o":{}}"#,
        ),
        (
            |edits, document, root| {
                let (_, list) = member(document, root, "l");
                edits.remove(list.elements().nth(1).expect("two elements"));
            },
            r#"{"a":1,"l":[2],"o":{}}"#,
        ),
        (
            |edits, document, root| edits.replace(member(document, root, "a").1, "[true]"),
            r#"{"a":[true],"l":[2,3],"o":{}}"#,
        ),
        (
            |edits, document, root| edits.rename(member(document, root, "a").0, "b \"c\""),
            r#"{"b \"c\"":1,"l":[2,3],"o":{}}"#,
        ),
        (
            |edits, document, root| {
                edits.append_member(member(document, root, "o").1, "n\n", "null");
                edits.append_member(root, "z", "{}");
            },
            r#"{"a":1,"l":[2,3],"o":{"n\n":null},"z":{}}"#,
        ),
        (
            |edits, document, root| {
                edits.append_element(member(document, root, "l").1, "\"x\"");
                edits.append_element(member(document, root, "l").1, "4");
            },
            r#"{"a":1,"l":[2,3,"x",4],"o":{}}"#,
        ),
        (
            |edits, document, root| {
                assert!(edits.is_empty());
                assert_eq!(edits.len(), 0);
                edits.replace(member(document, root, "a").1, "7");
                assert!(!edits.is_empty() && edits.len() == 1);
                edits.remove(member(document, root, "l").0);
                edits.rename(member(document, root, "o").0, "p");
                assert_eq!(edits.len(), 3);
                edits.truncate(2);
                assert_eq!(edits.len(), 2);
            },
            r#"{"a":7,"o":{}}"#,
        ),
    ];
    for (edit, expected) in cases {
        assert_eq!(edited(TEXT, edit), expected);
    }
}

#[test]
fn no_edit_is_no_change() {
    assert!(matches!(Edits::new().into(), Verdict::Unchanged));
    assert!(matches!(Splices::new().into(), Verdict::Unchanged));
}

#[test]
fn splices_take_the_place_of_bytes() {
    let applied = filtered("one two three", |_, _| {
        let mut splices = Splices::new();
        splices.replace(0, 3, "1");
        splices.replace(4, 4, "and ");
        splices.replace(7, 13, "");
        splices.into()
    });
    assert_eq!(applied.text(), "1 and two");
    assert!(applied.changed && !applied.is_json());
}

#[test]
fn a_document_may_be_written_anew() {
    let text = filtered("[1]", |_, _| rewritten_text("[2]".to_owned()));
    assert_eq!((text.text(), text.is_json()), ("[2]", false));
    let json = filtered("text", |_, _| rewritten_json("[2]".to_owned()));
    assert_eq!((json.text(), json.is_json()), ("[2]", true));
    let same = filtered("[1]", |_, _| Verdict::Unchanged);
    assert!(!same.changed && same.is_json());
}
