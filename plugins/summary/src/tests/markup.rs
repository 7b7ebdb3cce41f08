//! Texts of elements, and the description of a page.

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
fn a_table_needs_no_page_around_it() {
    let rows: String = (0..40)
        .map(|at| {
            format!(
                "<tr><td>{at}</td><td>{}</td></tr>\n",
                if at == 31 { "failed" } else { "ok" }
            )
        })
        .collect();
    let table = format!("<tr><th>Id</th><th>State</th></tr>\n{rows}</table>\n");
    for begin in [
        "<table>",
        "<h2>Orders</h2>\n<table class=\"x\">\n<!-- rows -->",
        "<div><TABLE><tbody>",
        "The rows of the sheet:\n\n<h2>Orders</h2><table><caption>Orders</caption>",
    ] {
        let text = format!("{begin}{table}");
        assert!(is_page(&text), "{begin}");
        let told = told(&text, 900).expect("a table");
        let of_page = self::told(&format!("<html>{text}"), 900);
        assert_eq!(Some(told.as_str()), of_page.as_deref());
        assert!(
            told.contains("table of 41 rows, 2 columns: Id, State"),
            "{told}"
        );
        assert!(told.contains("row 33: 31 | failed"), "{told}");
    }
    for text in [
        format!("# Orders\n\n<table>{table}"),
        format!("Some words\nabout it\n<table>{table}"),
        format!("<table>{table}\nMore words of a page of Markdown.\n"),
        format!("see <table>{table}"),
        "<tables><tr><td>x</td></tr></tables>".repeat(9),
        "<table><column>x</column><column>x</column></table>".repeat(9),
        "<table>".to_owned(),
    ] {
        assert!(!is_page(&text), "{text}");
    }
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

fn told(text: &str, room: usize) -> Option<String> {
    let mut paper = Paper::new(room);
    tell(text, (None, 90), &mut paper).then(|| paper.text().to_owned())
}

#[test]
fn a_page_is_told_by_what_it_holds() {
    let text = "<html><title>A <b>shop</b></title><title>not this</title><style>a<h1>b</h1></style><h1>Top</h1><SCRIPT>if (a<h2) {}</script><h2>Items</h2><h7>none</h7><hr>\
        <table><tr><th>Id</th><th>Name</th></tr><tr><td>1<td>2<td>3</tr><tr><th>not a head</th></tr></table><table><tr><td>1</table>\
        <a href=1>x</a><a>y</a><img><form><input name=q1><input name=q2><input id=z><select name=s></select><textarea></textarea><button>Go</button><button>Go</button></form>";
    assert_eq!(
        told(text, 1_000).as_deref(),
        Some(
            "HTML, title: A shop\n2 headings, 2 tables, 2 links, 1 form, 7 fields and buttons, 1 image\ntable of 3 rows, 3 columns: Id, Name\n row 2: 1 | 2 | 3\n row 3: not a head\ntable of 1 rows, 1 columns\n row 1: 1\nfields and buttons: input q1 to input q2 2\u{d7}, input z, select s, textarea , button Go 2\u{d7}\nh1 Top\nh2 Items\n"
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
    let text = format!("<html>{}", table("failed").repeat(6));
    assert!(self::told(&text, 900).is_some_and(|told| {
        told.ends_with("\n and 2 more tables with rows that look like failures\n")
    }));
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

/// What is told of a page with one table.
fn told_of_table(rows: &str) -> String {
    let text = format!("<html><p><p><p><p><p><p><table>{rows}</table>");
    told(&text, 900).expect("a page")
}

#[test]
fn what_is_in_comments_and_values_is_not_told() {
    let cells =
        |at: usize| format!("<tr><td title='a > <td>x'>j{at}<!-- <b> --></td><td>{at}</td></tr>");
    let rows: String = (0..9).map(cells).collect();
    let told = told_of_table(&format!(
        "{rows}<!-- <tr><td>9</td><td>failed</td></tr> -->"
    ));
    assert!(
        told.ends_with("\n1 table\ntable of 9 rows, 2 columns\n row 1: j0 | 0\n row 2: j1 | 1\n"),
        "{told}"
    );
    let page = format!(
        "<html><title>Use of <td></title><h2 title='>'>A<!-- <td> b --> c</h2>{}",
        "<p>".repeat(9)
    );
    assert_eq!(
        self::told(&page, 300).as_deref(),
        Some("HTML, title: Use of\n1 heading\nh2 A c\n")
    );
}

#[test]
fn cells_have_as_many_columns_as_they_span() {
    let wide = "<tr><td colspan=2>a</td><td>b</td></tr>";
    assert!(told_of_table(&wide.repeat(3)).contains("table of 3 rows, 3 columns\n"));
    let tall = "<tr><td rowspan='2'>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr>";
    assert!(told_of_table(&tall.repeat(3)).contains("table of 6 rows, 3 columns\n"));
    let groups = "<thead><tr><th rowspan=9>a</th></tr></thead><tbody><tr><td>b</td></tr></tbody>";
    assert!(told_of_table(groups).contains("table of 2 rows, 1 columns: a\n"));
    let heads = "<tr><th COLSPAN=\"2\">Name</th><th>Age</th></tr><tr><td>a<td>b<td>3</tr>";
    let told = told_of_table(heads);
    assert!(
        told.contains("2 rows, 3 columns: Name (2 columns), Age\n"),
        "{told}"
    );
    assert!(told_of_table("<tr><td colspan=0>a</td></tr>").contains("1 rows, 1 columns\n"));
}

#[test]
fn a_state_is_found_in_any_depth_of_its_cell() {
    let state = |state: &str| {
        let rows = "<tr><td>a</td><td><span class=s><b>passed</b></span></td></tr>".repeat(9);
        told_of_table(&format!("{rows}<tr><td>z</td><td>{state}</td></tr>"))
    };
    for failing in [
        "<span class=s><b>failed</b></span>",
        "<i class=icon></i> <a>failed</a>",
        "<i>\u{2717}</i> failed",
        "failed <a>and more words than a state of a cell may ever have</a>",
    ] {
        assert!(
            state(failing).contains("\n row 10: z | "),
            "{failing}: {}",
            state(failing)
        );
    }
    for other in [
        "passed",
        "<i title='failed'></i>",
        "many words of a sentence that is no state of a cell <b>failed</b>",
        "</td></tr></table><b>failed</b>",
    ] {
        assert!(
            !state(other).contains("row 10"),
            "{other}: {}",
            state(other)
        );
    }
}

#[test]
fn rows_that_look_like_failures_are_counted() {
    let of = |states: &[&str]| {
        let rows: String = states
            .iter()
            .map(|it| format!("<tr><td>{it}</td></tr>"))
            .collect();
        told_of_table(&rows)
    };
    let told = of(&[
        "ok", "ok", "ok", "failed", "ok", "failed", "failed", "ok", "ok",
    ]);
    assert!(
        told.ends_with(" row 2: ok\n row 4: failed\n and 2 more rows that look like failures\n"),
        "{told}"
    );
    // The first rows stand above already; the third does not.
    let told = of(&[
        "failed", "ok", "failed", "ok", "ok", "ok", "ok", "ok", "ok", "ok",
    ]);
    assert!(
        told.ends_with(" row 1: failed\n row 2: ok\n row 3: failed\n"),
        "{told}"
    );
    // The name of a column is no state.
    let told = told_of_table(&format!(
        "<tr><th>Failed</th></tr>{}",
        "<tr><td>0</td></tr>".repeat(9)
    ));
    assert!(told.ends_with(" row 2: 0\n row 3: 0\n"), "{told}");
}

#[test]
fn a_sign_stands_between_cells_alone() {
    let told = told_of_table(
        "<tr><td><ul><li>1<li>2</ul></td><td>3 <b>and</b>\n 4</td></tr><tr><td></td><td>x</td><td></td></tr>",
    );
    assert!(
        told.ends_with(" row 1: 1 2 | 3 and 4\n row 2:  | x | \n"),
        "{told}"
    );
}

#[test]
fn a_row_with_an_odd_value_is_told() {
    let rows = |odd: &dyn Fn(usize) -> Option<&'static str>| {
        let cell = |at: usize| odd(at).map_or(format!("{}", 100 + at * 7 % 60), str::to_owned);
        let row = |at: usize| {
            let state = if at == 44 { "held" } else { "active" };
            format!("<tr><td>j{at}<td><b>{}</b><td>{state}", cell(at))
        };
        (0..60).map(row).collect::<String>()
    };
    let told = told_of_table(&rows(&|at| (at == 31).then_some("-99999")));
    assert!(
        told.ends_with(
            " row 2: j1 | 107 | active\n row 32: j31 | -99999 | active\n row 45: j44 | 108 | held\n"
        ),
        "{told}"
    );
    let plain = told_of_table(&rows(&|_| None).replace("held", "active"));
    assert!(plain.ends_with(" row 2: j1 | 107 | active\n"), "{plain}");
}

#[test]
fn a_value_that_is_rare_among_a_few_usual_ones_is_told() {
    let table = |width: usize, odd: &dyn Fn(usize) -> Option<&'static str>| {
        let row = |at: usize| {
            let state = odd(at).unwrap_or(if at % 4 == 1 { "off" } else { "up" });
            let before: String = (1..width).map(|_| format!("<td>c{}", at % 9)).collect();
            format!("<tr>{before}<td>{state}<td>a{}<td>b{}", at % 5, at % 7)
        };
        told_of_table(&(0..220).map(row).collect::<String>())
    };
    let rows = |told: &str| -> Vec<String> {
        let rows = told.lines().filter_map(|line| line.strip_prefix(" row "));
        rows.map(|row| row.split_once(':').expect("a number").0.to_owned())
            .collect()
    };
    // In the middle of a row, too, where no place is counted from its end.
    for width in [1, 3, 30] {
        let told = table(width, &|at| (at == 78).then_some("parked"));
        assert_eq!(rows(&told), ["1", "2", "79"], "{told}");
        let told = table(width, &|_| None);
        assert_eq!(rows(&told), ["1", "2"], "{told}");
        assert!(!told.contains("odd"), "{told}");
    }
    let told = table(2, &|at| (at % 20 == 8).then_some("parked"));
    assert_eq!(rows(&told), ["1", "2"], "{told}");
    // What is odd in a column of few values comes before what is odd in one of many.
    let names = (0..220).map(|at| {
        let name = if at % 25 == 9 {
            "Ann Lee Ray".to_owned()
        } else {
            format!("j{at}")
        };
        let name = name.replace(
            "Ray",
            ["a", "b", "c", "d", "e", "f", "g", "h", "i"][at / 25],
        );
        let state = if at == 200 {
            "parked"
        } else {
            ["up", "off"][at % 2]
        };
        format!("<tr><td>{name}<td>{state}")
    });
    let told = told_of_table(&names.collect::<String>());
    assert_eq!(rows(&told)[..2], ["1", "2"], "{told}");
    assert!(told.contains(" row 201: j200 | parked\n"), "{told}");
    assert!(
        told.ends_with(" and 6 more rows with an odd value\n"),
        "{told}"
    );
    let told = table(70, &|at| (at == 78).then_some("parked"));
    assert!(
        told.ends_with(" odd values after column 64 are not looked for\n"),
        "{told}"
    );
}

#[test]
fn the_columns_after_a_wide_cell_are_compared() {
    let row = |at: usize| {
        let name = if at.is_multiple_of(2) {
            "<td colspan=2>n"
        } else {
            "<td>n<td>m"
        };
        let state = if at == 78 {
            "parked"
        } else {
            ["up", "off"][at / 2 % 2]
        };
        format!("<tr>{name}<td>{state}<td>a{}", at % 5)
    };
    let told = told_of_table(&(0..220).map(row).collect::<String>());
    assert!(
        told.ends_with(" row 2: n | m | up | a1\n row 79: n (2 columns) | parked | a3\n"),
        "{told}"
    );
}

#[test]
fn a_table_of_a_template_is_not_on_the_page() {
    let table = "<template><table><tr><td>1</table></template>";
    let page = format!("<html>{table}<h2>Top</h2>{}", "<p>".repeat(9));
    assert_eq!(
        told(&page, 300).as_deref(),
        Some("HTML without a title\n1 heading\nh2 Top\n")
    );
}

#[test]
fn a_cell_stands_in_all_rows_that_it_spans() {
    let head = "<tr><th>Team</th><th>Name</th><th>Goals</th><th>State</th></tr>";
    let row = |at: usize| {
        let team = match at % 2 {
            0 => format!("<td rowspan=2>Team <b>{at}</b></td>"),
            _ => String::new(),
        };
        let state = if at == 41 { "failed" } else { "ok" };
        format!("<tr>{team}<td>p{at}</td><td>{at}</td><td>{state}</td></tr>")
    };
    let rows: String = (0..80).map(row).collect();
    let told = told_of_table(&format!("{head}{rows}"));
    assert!(
        told.ends_with(
            "81 rows, 4 columns: Team, Name, Goals, State\n row 2: Team 0 | p0 | 0 | ok\n row 3: Team 0 | p1 | 1 | ok\n row 43: Team 40 | p41 | 41 | failed\n"
        ),
        "{told}"
    );
    // Two cells, of which one is wide, and the last one ends with its group.
    let told = told_of_table(
        "<tr><td>a<td rowspan=3 colspan=2>b<td rowspan=9>c</tr><tr><td>d</tr><tbody><tr><td colspan=3>e<td>f</tr>",
    );
    assert!(
        told.ends_with(" row 1: a | b (2 columns) | c\n row 2: d | b (2 columns) | c\n"),
        "{told}"
    );
    // A cell stands in all further rows of its group.
    let told = told_of_table("<tr><td rowspan=0>a<td>b</tr><tr><td>c</tr><tr><td>d</tr>");
    assert!(told.contains(" row 2: a | c\n"), "{told}");
    let told = told_of_table("<tr><td rowspan='0'>a<td>b</tr><tbody><tr><td>c<td>d</tr>");
    assert!(told.ends_with(" row 2: c | d\n"), "{told}");
    // A row lacks cells before the one above, and one is far behind them.
    let told = told_of_table("<tr><td>a<td>b<td rowspan=2>c</tr><tr><td>d</tr>");
    assert!(
        told.ends_with(" row 1: a | b | c\n row 2: d |  | c\n"),
        "{told}"
    );
    let told = told_of_table("<tr><td colspan=90>a<td rowspan=2>c</tr><tr><td>d</tr>");
    assert!(told.ends_with("\n row 2: d\n"), "{told}");
    let told = told_of_table("<tr><th>a<th>b<th>c</tr><tr><td colspan=2>d<td>e</tr>");
    assert!(told.ends_with(" row 2: d (2 columns) | e\n"), "{told}");
}

#[test]
fn where_too_many_cells_stand_above_a_row_columns_have_no_names() {
    let table = |tall: usize| {
        let heads: String = (0..tall)
            .map(|at| format!("<th rowspan=2>h{at}</th>"))
            .collect();
        told_of_table(&format!(
            "<tr>{heads}<th>a</th></tr><tr><td>1</td></tr><tr><td>2</td></tr>"
        ))
    };
    assert!(
        table(15).contains("3 rows, 16 columns: h0, h1, "),
        "{}",
        table(15)
    );
    let told = table(17);
    assert!(
        told.ends_with("table of 3 rows, 18 columns\n row 1: h0 | h1 | h2 | h3 | h4 | h5 | h6 | h7 | h8 | h9 | h10 | h11 | h12 | h13 | h14 | h15 | h16 | a\n row 2: 1\n odd values are not looked for\n"),
        "{told}"
    );
}

#[test]
fn values_of_rows_below_a_tall_cell_are_compared_in_their_columns() {
    // Each row has an own number of cells.
    let row = |at: usize| {
        let team = match at % 3 {
            0 => format!("<td rowspan=3>T{at}</td>"),
            _ => String::new(),
        };
        let state = if at == 61 { "held" } else { "active" };
        format!(
            "<tr>{team}<td>p{at}</td><td>{state}</td><td>{}</td></tr>",
            at % 7
        )
    };
    let head = "<tr><th>Team</th><th>Name</th><th>State</th><th>Day</th></tr>";
    let rows: String = (0..90).map(row).collect();
    let told = told_of_table(&format!("{head}{rows}"));
    assert!(told.ends_with(" row 63: T60 | p61 | held | 5\n"), "{told}");
}

#[test]
fn cells_without_text_are_told() {
    let table = |mail: fn(usize) -> String, state: fn(usize) -> &'static str| {
        let row = |at: usize| {
            let (mail, state) = (mail(at), state(at));
            format!("<tr><td>p{at}</td><td>{mail}</td><td>{state}</td></tr>")
        };
        let head = "<tr><th>Name</th><th>Mail</th><th></th></tr>";
        told_of_table(&format!("{head}{}", (0..90).map(row).collect::<String>()))
    };
    let mail = |at: usize| format!("m{at}@x.org");
    let ok = |_: usize| "ok";
    let told = table(mail, ok);
    assert!(!told.contains("without text"), "{told}");
    let told = table(
        |at| match at {
            50 => String::new(),
            70 => "&nbsp;".to_owned(),
            _ => format!("m{at}@x.org"),
        },
        ok,
    );
    assert!(
        told.contains("\n without text: 2 of column 2, first in row 52\n"),
        "{told}"
    );
    let told = table(mail, |at| if at == 50 { " " } else { "ok" });
    assert!(
        told.contains("\n without text: 1 of column 3, first in row 52\n"),
        "{told}"
    );
    // Where most are empty, it is what they are.
    let told = table(mail, |at| if at % 3 > 0 { "" } else { "ok" });
    assert!(!told.contains("without text"), "{told}");
}

#[test]
fn where_odd_values_are_not_looked_for_is_told() {
    let table = |rows: usize| {
        let rows = (0..rows).map(|at| format!("<tr><td>j{at}<td>ok"));
        format!("<table>{}</table>", rows.collect::<String>())
    };
    let told = |text: &str| self::told(&format!("<html>{text}"), 900).expect("a page");
    let long = told(&table(2_001));
    assert!(
        long.ends_with(" row 2: j1 | ok\n odd values after row 2000 are not looked for\n"),
        "{long}"
    );
    assert!(told(&table(2_000)).ends_with(" row 2: j1 | ok\n"));
    let many = told(&table(9).repeat(6));
    assert!(
        many.ends_with(" and 2 more tables, in which odd values are not looked for\n"),
        "{many}"
    );
    let four = told(&table(9).repeat(4));
    assert!(!four.contains("not looked for"), "{four}");
}

/// Rows with four cells, of which the second has many tags and the last one is a state.
fn told_of_long_rows(second: &str, state: fn(usize) -> &'static str) -> String {
    let row = |at: usize| {
        let state = state(at);
        format!(
            "<tr><td>j{at}</td><td>{second}</td><td><p class='{}'>o{}</td><td>{state}</td></tr>",
            "a b ".repeat(90),
            at % 7
        )
    };
    let head = "<tr><th>Name</th><th>Log</th><th>Owner</th><th>State</th></tr>";
    told_of_table(&format!("{head}{}", (0..90).map(row).collect::<String>()))
}

#[test]
fn a_row_is_read_to_its_end() {
    let link = format!("<a href='/{}'>log</a>", "x/".repeat(600));
    let path = format!("<svg d='{}'></svg>log", "M 1 2 ".repeat(400));
    let held = |at: usize| if at == 50 { "held" } else { "up" };
    let failed = |at: usize| if at == 50 { "failed" } else { "up" };
    for second in [link, path] {
        let told = told_of_long_rows(&second, held);
        assert!(
            told.ends_with(" row 3: j1 | log | o1 | up\n row 52: j50 | log | o1 | held\n"),
            "{told}"
        );
        let told = told_of_long_rows(&second, failed);
        assert!(
            told.ends_with(" row 52: j50 | log | o1 | failed\n"),
            "{told}"
        );
        let told = told_of_long_rows(&second, |at| if at == 50 { "" } else { "up" });
        assert!(
            told.ends_with("\n without text: 1 of column 4, first in row 52\n"),
            "{told}"
        );
    }
    // A long text leaves room for the state.
    let told = told_of_long_rows(&"words <b>of</b> a page ".repeat(60), held);
    assert!(
        told.ends_with(
            " row 52: j50 | words of a page words of a page words of a page w\u{2026} | o1 | held\n"
        ),
        "{told}"
    );
}

#[test]
fn a_row_that_is_too_long_is_not_compared() {
    let long = "<i></i>".repeat(2_400);
    let row = |at: usize| {
        let long = if at == 30 { &*long } else { "" };
        format!("<tr><td>j{at}<td>{long}<td>up</tr>")
    };
    let head = "<tr><th>Name</th><th>Log</th><th>State</th></tr>";
    let told = told_of_table(&format!("{head}{}", (0..90).map(row).collect::<String>()));
    assert!(
        told.ends_with(" row 3: j1 |  | up\n odd values are not looked for\n"),
        "{told}"
    );
}

#[test]
fn a_wide_cell_has_several_columns() {
    let row = |at: usize| match at {
        50 => format!("<tr><td colspan=2>j{at}</td><td></td><td>x</td></tr>"),
        _ => format!(
            "<tr><td>j{at}</td><td>o{}</td><td>up</td><td>x</td></tr>",
            at % 7
        ),
    };
    let head = "<tr><th>Name</th><th>Owner</th><th>State</th><th>Mark</th></tr>";
    let table = format!("{head}{}", (0..90).map(row).collect::<String>());
    let told = told_of_table(&table);
    assert!(
        told.ends_with("\n without text: 1 of column 3, first in row 52\n"),
        "{told}"
    );
    // Nobody knows in which of its columns a wide cell has no text.
    let wide = table.replace("<td colspan=2>j50</td>", "<td colspan=2></td>");
    let told = told_of_table(&wide);
    assert!(
        told.ends_with("\n without text: at least 1 of column 3, first in row 52\n"),
        "{told}"
    );
}

#[test]
fn blanks_are_no_text_and_quotes_are() {
    let row = |at: usize| {
        let mail = match at {
            40 => "&#xa0;",
            50 => "&#160; &nbsp;",
            60 => "\"\"",
            _ => "m",
        };
        format!("<tr><td>p{at}</td><td>{mail}</td></tr>")
    };
    let head = "<tr><th>Name</th><th>Mail</th></tr>";
    let told = told_of_table(&format!("{head}{}", (0..90).map(row).collect::<String>()));
    assert!(
        told.ends_with("\n without text: 2 of column 2, first in row 42\n"),
        "{told}"
    );
}

#[test]
fn an_image_alone_is_the_text_of_its_cell() {
    let forms: [fn(&str) -> String; 5] = [
        |state| format!("<img src=a.png alt=\"{state}\">"),
        |state| format!("<span><svg class=x aria-label='{state}'><path d='M 1'></svg></span>"),
        |state| format!("<svg title=\"{state}\"></svg> &nbsp;"),
        |state| format!("<i class=icon aria-label=\"{state}\"></i>"),
        |state| format!("<span title='{state}'><b></b></span>"),
    ];
    for form in forms {
        let row = |at: usize| {
            let state = form(if at == 50 { "Not built" } else { "Built" });
            format!("<tr><td>j{at}</td><td>{state}</td><td>x</td></tr>")
        };
        let told = told_of_table(&(0..90).map(row).collect::<String>());
        assert!(
            told.ends_with(
                " row 1: j0 | Built | x\n row 2: j1 | Built | x\n row 51: j50 | Not built | x\n"
            ),
            "{told}"
        );
    }
    let row = |at: usize| {
        let checked = if at == 77 { "" } else { " checked" };
        format!("<tr><td>n{at}</td><td><input type=\"checkbox\"{checked}></td></tr>")
    };
    let told = told_of_table(&(0..150).map(row).collect::<String>());
    assert!(told.contains(" row 78: n77 | unchecked\n"), "{told}");
    let told = told_of_table("<tr><td><i title='icon'></i> up</td><td>1</td></tr>");
    assert!(told.ends_with(" row 1: up | 1\n"), "{told}");
    let told = told_of_table("<tr><td><img alt='icon'> up</td><td>1</td></tr>");
    assert!(told.ends_with(" row 1: up | 1\n"), "{told}");
}

#[test]
fn a_page_is_a_text_that_is_told() {
    let xml = |elements: usize| {
        format!(
            "<?xml version=\"1.0\"?><a>{}</a>",
            "<b>1</b>".repeat(elements)
        )
    };
    let html = |elements: usize| format!("<html>{}</html>", "<p>1</p>".repeat(elements));
    let comment = format!("<html><!-- {} -->", "<p>".repeat(20));
    for elements in 0..12 {
        for text in [
            xml(elements),
            html(elements),
            comment.clone(),
            "words".repeat(elements),
        ] {
            assert_eq!(
                is_page(&text),
                tell(&text, (None, 90), &mut Paper::new(0)),
                "{text}"
            );
        }
    }
}
