//! Tags, their texts and attributes, and the description of a page.

use super::*;

#[test]
fn a_page_is_known_by_its_first_tag() {
    for (text, is_html) in [
        ("<!doctype html><html>", true),
        ("  <HTML lang=x>", true),
        ("\"<html>", true),
        ("Body: <html>", true),
        ("words\n<html>", true),
        ("<!-- x --> <html>", true),
        ("<?xml version=1?>", false),
    ] {
        let expected = if is_html { Form::Html } else { Form::Xml };
        assert!(form(text) == Some(expected), "{text}");
    }
    for text in ["", "words", "see <html> there", "<div>", "see <?xml x"] {
        assert!(form(text).is_none(), "{text}");
    }
    let late = |before: usize| format!("{}\n<html>", "x".repeat(before));
    assert!(form(&late(594)).is_some() && form(&late(595)).is_none());
}

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
fn the_text_of_an_element_is_without_tags() {
    assert_eq!(
        text_after("<h1>All <b>the\n items</b></H1>rest", 4, "h1"),
        "All the items"
    );
    assert_eq!(text_after("<h1>open", 4, "h1"), "open");
    assert_eq!(text_after("a</h1", 0, "h1"), "a");
    assert_eq!(text_after("a<b", 0, "h1"), "a");
    let long = text_after(&"w".repeat(700), 0, "h1");
    assert_eq!(long.chars().count(), 90);
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

fn told(text: &str, room: usize) -> Option<String> {
    let mut paper = Paper::new(room);
    tell(text, &mut paper).then(|| paper.text().to_owned())
}

#[test]
fn a_page_is_told_by_what_it_holds() {
    let text = "<html><title>A <b>shop</b></title><title>not this</title><style>a<h1>b</h1></style><h1>Top</h1><SCRIPT>if (a<h2) {}</script><h2>Items</h2><h7>none</h7><hr>\
        <table><tr><th>Id</th><th>Name</th></tr><tr><td>1<td>2<td>3</tr><tr><th>not a head</th></tr></table><table><tr><td>1</table>\
        <a href=1>x</a><a>y</a><img><form><input name=q1><input name=q2><input id=z><select name=s></select><textarea></textarea><button>Go</button><button>Go</button></form>";
    assert_eq!(
        told(text, 1_000).as_deref(),
        Some(
            "HTML, title: A shop\n2 headings, 2 tables, 2 links, 1 forms, 7 fields and buttons, 1 images\ntable of 3 rows, 3 columns: Id, Name\n row 2: 1 | 2 | 3\n row 3: not a head\ntable of 1 rows, 1 columns\n row 1: 1\nfields and buttons: input q1 to input q2 2\u{d7}, input z, select s, textarea , button Go 2\u{d7}\nh1 Top\nh2 Items\n"
        )
    );
    assert_eq!(told("<html><p><p><p><p><p><p>", 300), None);
    assert_eq!(
        told("<html><p><p><p><p><p><p><p>", 300).as_deref(),
        Some("HTML without a title\n")
    );
    let many = format!("<html>{}", "<h1>a</h1>".repeat(300));
    let all = told(&many, 9_000).expect("a page");
    assert!(
        all.contains("\n300 headings\n") && all.ends_with(" and 44 more headings\n"),
        "{all}"
    );
    assert_eq!(all.matches("h1 a\n").count(), 256);
    let tables = format!("<html>{}", "<table><tr><th>a</table>".repeat(9));
    assert_eq!(
        told(&tables, 900)
            .expect("a page")
            .matches("table of 1 rows, 1 columns: a")
            .count(),
        4
    );
}

#[test]
fn rows_belong_to_the_innermost_table() {
    let cells = |at: usize| {
        let state = ["ok", "failed"][usize::from(at == 6)];
        format!("<tr><td>{at}</td><td>{state}</td></tr>")
    };
    let rows: String = (0..9).map(cells).collect();
    let text = format!(
        "<html><table><tr><td>menu</td><td><table><tr><th>Id</th><th>State</th></tr>{rows}</table></td></tr><tr><td>end</td></tr></table>"
    );
    assert_eq!(
        told(&text, 900).as_deref(),
        Some(
            "HTML without a title\n2 tables\ntable of 10 rows, 2 columns: Id, State\n row 2: 0 | ok\n row 3: 1 | ok\n row 8: 6 | failed\ntable of 2 rows, 2 columns, around another\n"
        )
    );
}

#[test]
fn names_of_rows_are_no_names_of_columns() {
    let rows: String = (0..9)
        .map(|at| format!("<tr><th>Key {at}</th><td>{at}</td></tr>"))
        .collect();
    let told = told(&format!("<html><table>{rows}</table>"), 900).expect("a page");
    assert!(
        told.contains("table of 9 rows, 2 columns\n row 1: Key 0 | 0\n row 2: Key 1 | 1\n"),
        "{told}"
    );
}

#[test]
fn the_longest_lists_are_told_and_menus_are_not() {
    let list = |name: &str, items: usize| {
        let items: String = (0..items)
            .map(|at| format!("<li>{name} <b>{at}</b>\n"))
            .collect();
        format!("<ul>{items}</ul>")
    };
    let menu = "<li><a href=x>go</a></li>".repeat(40);
    let text = format!(
        "<html><ul>{menu}</ul>{}{}<ol><li>one{}<li>two</ol>{}",
        list("short", 7),
        list("long", 30),
        list("inner", 20),
        list("less", 9)
    );
    assert_eq!(
        told(&text, 900).as_deref(),
        Some(
            "HTML without a title\n6 lists, 40 links\nlist of 30 items, the first 3: long 0; long 1; long 2\nlist of 20 items, the first 3: inner 0; inner 1; inner 2\n"
        )
    );
}

#[test]
fn tables_with_a_failing_state_come_first() {
    let table = |state: &str| {
        format!(
            "<table>{}<tr><td>x<td>{state}</table>",
            "<tr><td>a<td>ok".repeat(9)
        )
    };
    let text = format!("<html>{}{}", table("ok").repeat(5), table("failed"));
    let told = told(&text, 900).expect("a page");
    assert!(told.contains(" row 10: x | failed\n"), "{told}");
}

#[test]
fn xml_is_told_by_its_elements() {
    let text = format!("<?xml?><feed>{}<b>x</b></feed>", "<a></a>".repeat(6));
    assert_eq!(
        told(&text, 300).as_deref(),
        Some("XML <feed>, 8 elements\nby name: a 6, feed 1, b 1\n")
    );
    assert_eq!(told(&text.replace("<b>x</b>", ""), 300), None);
}

#[test]
fn names_of_elements_have_half_of_the_room() {
    let elements: String = (0..60)
        .map(|at| format!("<name_{at}>x</name_{at}>"))
        .collect();
    for room in [200, 400, 700] {
        let told = told(&format!("<?xml?><feed>{elements}</feed>"), room).expect("XML");
        let mut lines = told.lines();
        assert_eq!(lines.next(), Some("XML <feed>, 61 elements"));
        let half = (room - "XML <feed>, 61 elements\n".len()) / 2 - 20;
        let names = lines.next().and_then(|line| line.strip_prefix("by name: "));
        let used = names.expect("names").chars().count();
        assert!(used <= half && used + 20 > half, "{room}: {told}");
    }
}
