//! What is read of a table, and which tables are refused.

use super::tag::end_of_attributes;
use super::{Open, Tag};
use crate::tables_of_page;
use proptest::prelude::*;

fn rows(row: impl Fn(usize) -> String) -> String {
    (0..5).map(|i| format!("<tr>{}</tr>\n", row(i))).collect()
}

fn page(table: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html><body><h2>Open <em>jobs</em></h2>\n<table class=\"a > b\">\n{table}</table>\n</body></html>\n"
    )
}

const HEAD: &str = "<tr><th>Id</th><th>State</th></tr>\n";

#[test]
fn cells_are_read_as_they_are_shown() {
    let row = |i: usize| {
        format!(
            "<td>{i}</td><td>\n  <a href=\"/a?b>c\">R&amp;D</a>&nbsp;\n <b>x</b>y<br>z<!-- no -->z</td>"
        )
    };
    let text = page(&format!(
        "<thead>{HEAD}</thead><tbody>{}</tbody>",
        rows(row)
    ));
    let tables = tables_of_page(&text);
    assert_eq!(tables.len(), 1);
    let table = &tables[0];
    assert_eq!((&*table.name, table.rows), ("Open_jobs", 5));
    assert!(
        table
            .json
            .starts_with(r#"[{"Id":0,"State":"R&D xy zz"},{"Id":1,"#),
        "{}",
        table.json
    );
    assert_eq!(table.lines, 3..=20);
    assert_eq!(table.format.to_string(), "HTML table");
}

#[test]
fn end_tags_may_be_left_out_and_a_caption_names_the_table() {
    let text = "<HTML><TABLE><CAPTION>Hosts</CAPTION><TR><TH><TH>State\n<TR><TH>0<TD>up\n<TR><TH>1<TD>\n<TR><TH>2<TD>a < b</TABLE></HTML>";
    // A sign that is no tag is doubtful.
    assert_eq!(tables_of_page(text), []);
    let tables = tables_of_page(&text.replace("a < b", "a &lt; b"));
    assert_eq!(tables[0].name, "Hosts");
    assert_eq!(
        tables[0].json,
        r#"[{"":0,"State":"up"},{"":1,"State":""},{"":2,"State":"a < b"}]"#
    );
}

#[test]
fn doubtful_tables_are_refused() {
    let plain = |i: usize| format!("<td>{i}</td><td>up</td>");
    let body = rows(plain);
    assert_eq!(tables_of_page(&page(&format!("{HEAD}{body}"))).len(), 1);
    for table in [
        // A cell in two columns or rows, and another number of cells.
        format!("{HEAD}{body}<tr><td colspan=2>both</td></tr>"),
        format!("{HEAD}{body}<tr><td rowspan='2'>5</td><td>up</td></tr>"),
        format!("{HEAD}{body}<tr><td>5</td></tr>"),
        format!("{HEAD}{body}<tr><td>5</td><td>up</td><td>no</td></tr>"),
        // No names, or names again.
        body.clone(),
        format!("{HEAD}{body}{HEAD}{body}"),
        // Another table, totals, words between cells, something that is no text.
        format!("{HEAD}{body}<tr><td>5</td><td><table>{HEAD}</table></td></tr>"),
        format!("{HEAD}{body}<tfoot><tr><td>5</td><td>all</td></tr></tfoot>"),
        format!("{HEAD}{body}words"),
        format!("{HEAD}{body}<tr><td>5</td><td><img src=a></td></tr>"),
        format!("{HEAD}{body}<tr><td>5</td><td><input value=3></td></tr>"),
        format!("{HEAD}{body}<tr style=\"display:none\"><td>5</td><td>up</td></tr>"),
        format!("{HEAD}{body}<tr><td>5</td><td><span hidden>b</span>up</td></tr>"),
        format!("{HEAD}{body}<tr><td>5</td><td>&unknown;</td></tr>"),
        format!("{HEAD}{body}<tr><td>5</td><td>a<x-time>b</x-time></td></tr>"),
        format!("{HEAD}{body}<tr style=\"visibility: hidden\"><td>5</td><td>up</td></tr>"),
        format!("{HEAD}{body}<tr><td>5</td><td style='visibility:hidden'>up</td></tr>"),
        format!("{HEAD}{body}<tr style='display : none'><td>5</td><td>up</td></tr>"),
        // A sign that a style draws, another encoding, a cell without a row.
        format!("{HEAD}{body}<tr><td>5</td><td><span class=\"ok\"></span></td></tr>"),
        format!("{HEAD}{body}<tr><td>5</td><td>10&#150;20</td></tr>"),
        format!("{HEAD}{body}<tr><td>5</td><td>a&#0;b</td></tr>"),
        format!("{HEAD}{body}<tr><td>5</td></tr><td>up</td>"),
        format!("{HEAD}{body}<tr><td>5</td><td><b class=d-none>2026</b>up</td></tr>"),
        // Too few rows.
        format!("{HEAD}<tr><td>5</td><td>up</td></tr>"),
    ] {
        assert_eq!(tables_of_page(&page(&table)), [], "{table}");
    }
    let kept = format!(
        "{HEAD}{body}<tr><td colspan=\"1\">5</td><td class=\"overflow-hidden\"><img src=a>up</td></tr>"
    );
    assert_eq!(tables_of_page(&page(&kept))[0].rows, 6);
}

#[test]
fn a_raised_digit_is_no_digit_of_the_number_before_it() {
    let row = |i: usize| {
        format!("<td>1{i}<sup>5</sup></td><td>H<sub>2</sub>O<sup><a href=a>[1]</a></sup></td>")
    };
    let tables = tables_of_page(&page(&format!("{HEAD}{}", rows(row))));
    let json = &tables[0].json;
    assert!(
        json.starts_with(r#"[{"Id":"10^5","State":"H_2O^[1]"},"#),
        "{json}"
    );
}

#[test]
fn styles_and_scripts_in_cells_are_no_text() {
    let row = |i: usize| {
        format!("<td>{i}</td><td><style>a {{ b: c }}</style>up<script>1 < 2</script></td>")
    };
    let tables = tables_of_page(&page(&format!("{HEAD}{}", rows(row))));
    let json = &tables[0].json;
    assert!(json.starts_with(r#"[{"Id":0,"State":"up"},"#), "{json}");
}

/// The rows of a table of two columns, between whose rows a text stands; none if it is refused.
fn read(inside: &str) -> Option<String> {
    let text = page(&format!(
        "{HEAD}{}{inside}",
        rows(|i| format!("<td>{i}</td><td>up</td>"))
    ));
    let mut tables = tables_of_page(&text);
    tables.pop().map(|table| table.json)
}

#[test]
fn what_a_browser_shows_otherwise_is_refused() {
    for cell in [
        "a<caption>b</caption>",
        "a<col>b",
        "a<style-x>b</style-x>c",
        "12<br-x>34</br-x>",
        "12</div>34",
        "1\x002",
        "a<svg>b</svg>",
        "<sup>1</sup>250",
        "10<sup>2</sup>5",
        "<s>10</s>8",
        "<span style=\"display:block\">10</span><span>20</span>",
        "1<img src=dot.png>5",
        "<i class=minus></i>5",
        "<span Class=yes></span>",
        "<select><option>a</select>",
    ] {
        let row = format!("<tr><td>9</td><td>{cell}</td></tr>");
        assert_eq!(read(&row), None, "{cell}");
    }
    for row in [
        "<tr><td>9<td-x>8</td-x></tr>",
        "<tr><td>9<td colspan=\"1&#50;\">8</tr>",
        "<tr aria- hidden><td>9<td>8</tr>",
        "<tr style=overflow: hidden><td>9<td>8</tr>",
        "<tr style=\"display:&#110;one\"><td>9<td>8</tr>",
        "<tr style=\"display:/**/none\"><td>9<td>8</tr>",
    ] {
        assert_eq!(read(row), None, "{row}");
    }
}

#[test]
fn comments_and_names_end_as_in_a_browser() {
    for (cell, shown) in [
        ("a<!-- x --!>b<!-- y -->c", "\"abc\""),
        ("a<!--->b<!-- y --->c", "\"abc\""),
        ("12<!br>34", "1234"),
        ("12<?php echo 3 ?>34", "1234"),
        ("12<sup id=r></sup>", "12"),
        ("10<sup>2</sup> m", "\"10^2 m\""),
        ("<a href=\"/wiki/Hidden_model\" title=hidden>a</a>", "\"a\""),
        ("<div>a<div>b</div></div>c", "\"a b c\""),
        ("&check; it&rsquo;s", "\"✓ it’s\""),
        ("<img src=flag>France", "\"France\""),
    ] {
        let json = read(&format!("<tr><td>9</td><td>{cell}</td></tr>")).expect(cell);
        assert!(
            json.ends_with(&format!(r#"{{"Id":9,"State":{shown}}}]"#)),
            "{cell}: {json}"
        );
    }
    let json = read("<!--><tr><td>9<td>8</tr><tr><td>10<td>8</tr><!-- z -->").expect("a table");
    assert!(json.contains(r#"{"Id":10,"State":8}"#), "{json}");
}

#[test]
fn a_heading_ends_where_a_table_begins() {
    let table = format!(
        "<table>{HEAD}{}</table>",
        rows(|i| format!("<td>{i}</td><td>a<br>b</td>"))
    );
    let tables = tables_of_page(&format!("<html><h2>Open<br>jobs{table}</html>"));
    assert_eq!(tables[0].name, "Open_jobs");
    assert!(tables[0].json.contains(r#""a b""#), "{}", tables[0].json);
}

#[test]
fn a_table_in_what_is_not_shown_is_refused() {
    let table = format!(
        "<table>{HEAD}{}</table>",
        rows(|i| format!("<td>{i}</td><td>up</td>"))
    );
    for (before, after) in [
        (
            "<table><tr style=\"display:none\"><td>",
            "</td></tr></table>",
        ),
        ("<table hidden><tr><td>", "</td></tr></table>"),
        ("<table><tr><td><div hidden>", "</div></td></tr></table>"),
        ("<table><tr><td><noscript>", "</noscript></td></tr></table>"),
        ("<span hidden>", "</span>"),
        ("<blockquote class=hide>", "</blockquote>"),
        ("<div hidden></div-x>", "</div>"),
        ("<dialog class=\"popen\">", "</dialog>"),
        ("<xmp>", "</xmp>"),
        ("<canvas>", "</canvas>"),
        ("<![CDATA[", "]]>"),
        ("<?php echo \"", "\" ?>"),
        ("<template><template></template>", "</template>"),
        ("<template><!-- </template> -->", "</template>"),
        ("<script>\"</script-x>\"", "</script>"),
        ("<plaintext>", ""),
        ("<table><tr><td><xmp>", "</table>"),
        ("<table><tr><td><iframe>", "</iframe></table>"),
        ("<script><!-- <script></script>", "--></script>"),
        ("<svg><title/></svg><div hidden><title></title>", "</div>"),
    ] {
        let text = format!("<html>{before}{table}{after}</html>");
        assert_eq!(tables_of_page(&text), [], "{before}");
    }
    let text =
        format!("<html><svg><title/></svg><div class=\"overflow-hidden\">{table}</div></html>");
    assert_eq!(tables_of_page(&text).len(), 1);
}

#[test]
fn equal_names_and_names_that_grow_cost_no_more_than_others() {
    let start = std::time::Instant::now();
    let names: String = (2..258).map(|i| format!("<th>c_{i}")).collect();
    let table = format!("<table><tr>{names}{}<tr></table>", "<th>c".repeat(256));
    assert_eq!(
        tables_of_page(&format!("<html>{}", table.repeat(1_000))),
        []
    );
    let seconds = start.elapsed().as_secs();
    assert!(seconds < 20, "{seconds} s");
    // Each sign is six bytes of JSON, in each row.
    let names: String = (0..26)
        .map(|i| format!("<th>{}{i}", "\u{1}".repeat(50)))
        .collect();
    let row = format!("<tr>{}", "<td>".repeat(26));
    let table = format!("<table><tr>{names}{}</table>", row.repeat(60));
    let text = format!("<html>{}", table.repeat(200));
    let json: usize = tables_of_page(&text).iter().map(|it| it.json.len()).sum();
    assert!(json <= 8 * text.len(), "{json} of {}", text.len());
}

#[test]
fn a_table_in_a_hidden_element_is_refused() {
    let plain = |i: usize| format!("<td>{i}</td><td>up</td>");
    let table = format!("<table>{HEAD}{}</table>", rows(plain));
    for (before, after) in [
        ("<div style=\"display: none\"><div>", "</div></div>"),
        ("<noscript>", "</noscript>"),
        ("<DIALOG>", "</DIALOG>"),
    ] {
        let text = format!("<html>{before}{table}{after}</html>");
        assert_eq!(tables_of_page(&text), [], "{before}");
        let text = format!("<html>{before}{after}{table}</html>");
        assert_eq!(tables_of_page(&text).len(), 1, "{before}");
    }
    let text = format!("<html><dialog open>{table}</dialog></html>");
    assert_eq!(tables_of_page(&text).len(), 1);
}

#[test]
fn a_tag_that_hides_outside_of_a_table_hides_inside_of_it() {
    let row = |i: usize| format!("<td>{i}</td><td><span class=\"sr-only\">was</span>up</td>");
    let table = format!("<table>{HEAD}{}</table>", rows(row));
    let text = format!("<html><span class=\"sr-only\">a</span>{table}</html>");
    assert_eq!(tables_of_page(&text), []);
}

#[test]
fn a_page_of_markdown_has_its_own_tables() {
    let rule = "| Name | Default |\n|---|---|\n";
    let rows: String = (0..4).map(|i| format!("| key{i} | {i} |\n")).collect();
    let html = format!("<table>{HEAD}<tr><td>1</td><td>up</td></tr></table>");
    let text =
        format!("<p align=\"center\">A</p>\n\n## Options\n\n{rule}{rows}\n{html}\n<p>B</p>\n");
    let names = |text: &str| {
        let tables = tables_of_page(text);
        tables.into_iter().map(|it| it.name).collect::<Vec<_>>()
    };
    assert_eq!(names(&text), ["Options"]);
    let text = format!(
        "# How to\n\n```html\n<!DOCTYPE html>\n{html}\n```\n\n## Options\n\n{rule}{rows}\n"
    );
    assert_eq!(names(&text), ["Options"]);
}

#[test]
fn many_tables_take_no_more_room_than_the_page() {
    let row = |i: usize| format!("<tr><td>{i}</td><td>up</td></tr>");
    let rows: String = (0..20).map(row).collect();
    let text = format!(
        "<html>{}</html>",
        format!("<table>{HEAD}{rows}</table>").repeat(900)
    );
    let tables = tables_of_page(&text);
    let room: usize = tables.iter().map(|it| it.json.capacity()).sum();
    assert_eq!(tables.len(), 900);
    assert!(room <= text.len(), "{room} of {}", text.len());
}

#[test]
fn a_quote_in_a_value_without_quotes_opens_none() {
    for attribute in [
        "title=O'Neil",
        "title=a=\"b",
        "title = 'a > b'",
        "\"",
        "a'=\"a>b\"",
    ] {
        let row = |i: usize| match i {
            1 => format!("<td/{attribute}>1</td><td>it's up</td>"),
            2 => format!("<td {attribute}>2</td><td>it's up</td>"),
            i => format!("<td>{i}</td><td>it's up</td>"),
        };
        let tables = tables_of_page(&page(&format!("{HEAD}{}", rows(row))));
        assert_eq!(tables.len(), 1, "{attribute}");
        let row = r#"{"Id":2,"State":"it's up"}"#;
        let json = &tables[0].json;
        assert!(
            tables[0].rows == 5 && json.contains(row),
            "{attribute}: {json}"
        );
    }
    for style in ["overflow:hidden", "overflow-x: hidden", "overflow : hidden"] {
        let row = |i: usize| format!("<td>{i}</td><td style=\"{style}\">up</td>");
        let tables = tables_of_page(&page(&format!("{HEAD}{}", rows(row))));
        assert_eq!(tables.len(), 1, "{style}");
    }
}

#[test]
fn refused_tables_cost_no_names_and_no_rows() {
    let start = std::time::Instant::now();
    // A long title above many refused tables, and in each table.
    let title = "Jobs ".repeat(200_000);
    let tables = "<table></table>".repeat(60_000);
    let text = format!("<html><h2>{title}</h2>{tables}</html>");
    assert_eq!(tables_of_page(&text), []);
    // A comment that does not end, and many of them.
    for comments in [
        "-".repeat(2_000_000),
        "<!--a--!>".repeat(200_000),
        "<!-- - -->".repeat(200_000),
    ] {
        let text = format!("<html><table></table><!--{comments}");
        assert_eq!(tables_of_page(&text), []);
    }
    // Each table is read up to its own end.
    let table = format!(
        "<TABLE>{HEAD}{}</TABLE>",
        rows(|i| format!("<td>{i}</td><td>up</td>"))
    );
    let text = format!(
        "<html>{}{}</html>",
        table.repeat(1_000),
        " ".repeat(20_000_000)
    );
    assert_eq!(tables_of_page(&text).len(), 1_000);
    let text = page(&format!(
        "<caption>{title}</caption>{HEAD}{}",
        rows(|i| format!("<td>{i}</td><td>up</td>"))
    ));
    assert_eq!(tables_of_page(&text)[0].name.len(), 40);
    let seconds = start.elapsed().as_secs();
    assert!(seconds < 20, "{seconds} s");
    // Of many rows without cells, none is kept.
    let mut table = Open::default();
    let text = "<tr>".repeat(1_000);
    for at in 0..1_000 {
        table.read_tag("tr", &Tag::at(&text, at * 4).unwrap());
        assert!(table.rows.is_none());
    }
    assert!(table.is_doubtful && table.row.is_none());
}

#[test]
fn a_table_inside_of_another_is_read() {
    let inner = format!("{HEAD}{}", rows(|i| format!("<td>{i}</td><td>up</td>")));
    let outer = format!("<tr><td>\n<h3>Inner</h3>\n<table>\n{inner}</table></td></tr>");
    let text = page(&format!("{outer}{outer}"));
    let tables = tables_of_page(&text);
    let found: Vec<_> = tables
        .iter()
        .map(|it| (&*it.name, it.lines.clone()))
        .collect();
    assert_eq!(found, [("Open_jobs", 6..=13), ("Open_jobs_2", 15..=22)]);
}

#[test]
fn a_page_of_any_form_is_read_once() {
    for part in [
        "<!-- ",
        "<td title=\"",
        "<table>",
        "<",
        "<script>",
        "<h1>",
        "<table><tr><td>",
        "&",
        "<td><",
    ] {
        let text = format!("<html><table>{}", part.repeat(100_000));
        assert_eq!(tables_of_page(&text), [], "{part}");
    }
}

#[test]
fn other_texts_with_tags_are_no_pages() {
    let table = format!(
        "<table>{HEAD}{}</table>",
        rows(|i| format!("<td>{i}</td><td>up</td>"))
    );
    assert_eq!(
        tables_of_page(&format!("Use this:\n\n{table}\n\nThat is all.\n")),
        []
    );
    assert_eq!(
        tables_of_page(&format!("<p>Jobs</p>{table}"))[0].name,
        "rows"
    );
    assert_eq!(tables_of_page(&page("<script>'<table>'</script>")), []);
}

#[test]
fn tags_that_are_no_rows_have_their_places() {
    let row = |i: usize| {
        format!("<td class=\"a\">{i}</td><td><a href=\"<b>\">up</a><ul><li>x</ul><!-- <i> --></td>")
    };
    let text = page(&format!("{HEAD}{}", rows(row)));
    let table = &tables_of_page(&text)[0];
    let name = |at: &usize| text[*at..].split(['>', ' ']).next().unwrap_or_default();
    let names: Vec<&str> = table.tags.iter().map(name).collect();
    let of_row = ["<a", "<ul", "<li", "</ul"];
    let mut expected = of_row.repeat(5);
    expected.push("</table");
    assert_eq!(names, expected);
}

/// Where a byte of a tag's attributes is, as browsers read them.
#[derive(Clone, Copy)]
enum Part {
    Between,
    Name,
    AfterName,
    Equals,
    Value,
}

#[test]
fn a_tag_above_a_table_hides_as_much_inside() {
    for tag in ["<b hidden>", "<span class=\"hidden\">"] {
        let row = |i: usize| format!("<td>{i}</td><td>up {tag}7</td>");
        let text = page(&format!("{HEAD}{}", rows(row)));
        assert_eq!(tables_of_page(&text), [], "{tag}");
        let above = text.replace("<table", &format!("{tag}x</b></span><table"));
        assert_eq!(tables_of_page(&above), [], "{tag}");
    }
}

/// The same as `end_of_attributes`, byte by byte.
fn end_by_bytes(attributes: &[u8]) -> Option<usize> {
    let (mut part, mut at) = (Part::Between, 0);
    loop {
        let byte = *attributes.get(at)?;
        at += 1;
        part = match (part, byte) {
            (_, b'>') => return Some(at - 1),
            (Part::Equals, b'"' | b'\'') => {
                at += attributes[at..].iter().position(|it| *it == byte)? + 1;
                Part::Between
            }
            (Part::Equals | Part::AfterName, _) if byte.is_ascii_whitespace() => part,
            (Part::Name, _) if byte.is_ascii_whitespace() => Part::AfterName,
            (_, _) if byte.is_ascii_whitespace() => Part::Between,
            (Part::Name | Part::AfterName, b'=') => Part::Equals,
            (Part::Between | Part::Name | Part::AfterName, b'/') => Part::Between,
            (Part::Equals | Part::Value, _) => Part::Value,
            _ => Part::Name,
        };
    }
}

proptest! {
    #[test]
    fn attributes_end_where_each_byte_says(attributes in "[a =/>\"'\n]{0,24}>?") {
        prop_assert_eq!(end_of_attributes(&attributes), end_by_bytes(attributes.as_bytes()));
    }
}
