//! Tags and attributes, and signs that are none.

use super::*;

#[test]
fn tags_are_found_one_after_the_other() {
    let text = "a < b <1> <!-- x --><a href=\"x\">t</a ><x-y:z_1.2/>";
    let (mut at, mut found) = (0, Vec::new());
    while let Some(tag) = tag(text, at) {
        at = tag.after;
        found.push((tag.name, tag.is_end, tag.attributes, &text[at..]));
    }
    assert_eq!(
        found,
        [
            ("a", false, " href=\"x\"", "t</a ><x-y:z_1.2/>"),
            ("a", true, " ", "<x-y:z_1.2/>"),
            ("x-y:z_1.2", false, "/", ""),
        ]
    );
    assert!(tag("<a", 0).is_none() && tag("<a>", 3).is_none() && tag("<a>", 9).is_none());
}

#[test]
fn attributes_have_their_name_before_them() {
    for (attributes, expected) in [
        (" name=\"q\"", Some("q")),
        (" name='q r'", Some("q")),
        ("name=q", Some("q")),
        (" name=q>", Some("q")),
        (" data-name=\"x\" name=\"q\"", Some("q")),
        (" name name=\"q\"", Some("q")),
        (" name=\\\"q\\\"", Some("q")),
        (" name=\"\"", Some("")),
        (" data-name=\"x\"", None),
        (" names=\"x\"", None),
        (" name", None),
        ("", None),
    ] {
        assert_eq!(attribute(attributes, "name"), expected, "{attributes}");
    }
}

/// The names of the tags of a page.
fn names(text: &str) -> Vec<&str> {
    let (mut at, mut found) = (0, Vec::new());
    while let Some(tag) = tag(text, at) {
        at = tag.next_from(text);
        found.push(tag.name);
    }
    found
}

#[test]
fn comments_values_and_texts_hold_no_tags() {
    for (text, expected) in [
        ("<a><!-- <b> --><c>", &["a", "c"][..]),
        ("<!--><a><!---><b>", &["a", "b"]),
        ("<!-- <b> -- > <c>", &[]),
        ("<![CDATA[<b>]]><c>", &["c"]),
        ("<a title='x > <b>'><c>", &["a", "c"]),
        ("<a title = \"x > <b>\" id=d=\"><c>", &["a", "c"]),
        ("<a title=\\\"x > <b>\\\"><c>", &["a", "c"]),
        ("<a title=it's><b class='c'>", &["a", "b"]),
        ("<a title='x><b>", &[]),
        (
            "<script>if (a<b) '</scripts><c>'</SCRIPT ><d>",
            &["script", "SCRIPT", "d"],
        ),
        (
            "<TextArea><table><td></textarea><a>",
            &["TextArea", "textarea", "a"],
        ),
        ("<style>a<b>", &["style"]),
        ("<script src='x'/><a>", &["script", "a"]),
        (
            "<template><a></template><b>",
            &["template", "template", "b"],
        ),
        (
            "<template><a><Template><i></template><u></template><b>",
            &["template", "template", "b"],
        ),
        // It is shown.
        (
            "<template shadowrootmode=open><a></template>",
            &["template", "a", "template"],
        ),
    ] {
        assert_eq!(names(text), expected, "{text}");
    }
}

#[test]
fn a_value_is_no_name_of_an_attribute() {
    let all = " title=\"a name=b\" colspan = 2 NAME='c'";
    assert_eq!(attribute(all, "name"), Some("c"));
    assert_eq!(attribute(all, "colspan"), Some("2"));
    assert_eq!(attribute(" x name='", "name"), None);
}
