//! Pages with their exact Markdown, texts that stay, and promises on generated pages.

use super::{MARK, Markdown};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use tamis_sdk::{Surface, testing::Bench};

/// A page around a body, with a style that makes the page longer.
fn page(body: &str) -> String {
    format!(
        "<!doctype html>\n<html><head><style>{}</style></head><body>{body}</body></html>",
        "p { color: red } ".repeat(100)
    )
}

fn applied(settings: Value, text: &str) -> String {
    let bench = Bench::<Markdown>::new(settings);
    let once = bench.apply(text).text().to_owned();
    assert_eq!(bench.apply(&once).text(), once, "filtered twice: {text}");
    assert!(once.len() <= text.len());
    once
}

/// The Markdown of a body, without the mark.
fn markdown(body: &str) -> String {
    let text = applied(json!({}), &page(body));
    let rest = text.strip_prefix(&format!("{MARK}\n"));
    let rest = rest.unwrap_or_else(|| panic!("it stays: {body}"));
    rest.trim_end().to_owned()
}

#[test]
fn elements_become_marks() {
    for (body, expected) in [
        ("<p>one</p>two<div>three</div>", "one\n\ntwo\n\nthree"),
        ("<h1>A</h1><h2> B <em>c</em></h2>d", "# A\n\n## B *c*\n\nd"),
        ("<h1><div>A</div><div>b</div></h1>", "# A\n\nb"),
        ("<h2>A<br>b</h2>", "## A b"),
        ("a<br>b<br/>c", "a\nb\nc"),
        ("<p>a  \n b</p>", "a b"),
        ("a<hr>b", "a\n\n---\n\nb"),
        ("x<b> y </b>z <i>q</i>", "x **y** z *q*"),
        ("<b><b>x</b></b> <b></b> <s>y</s>", "**x** ~~y~~"),
        ("<b>x<p>y</p></b>z", "**x**\n\n**y**\n\nz"),
        ("<b>x <i>y</b> z</i>", "**x *y*** *z*"),
        ("10<sup>3</sup> H<sub>2</sub>O", "10^3 H_2O"),
        ("<q>x</q>", "\"x\""),
        ("a &amp; b &lt;i&gt; snake_case *", "a & b <i> snake_case *"),
        ("<ul><li>a<li>b<ul><li>c</ul></ul>d", "- a\n- b\n  - c\n\nd"),
        (
            "<ol start=9><li><p>a</p><p>b</p></li><li>c</ol>",
            "9. a\n\n   b\n10. c",
        ),
        ("<ul><li></li><li>a</ul>", "- a"),
        ("<blockquote>a<p>b</blockquote>c", "> a\n>\n> b\n\nc"),
        ("<dl><dt>T<dd>D<dt>U</dl>", "T\n: D\n\nU"),
        ("<code>a  b</code> <kbd>`</kbd>", "`a b` `` ` ``"),
        ("<code>V&lt;<a href=t>T</a>&gt;</code>", "`V<`[`T`](t)`>`"),
        ("<a href='/a'>x</a><a href=b>y</a>", "[x](/a)[y](b)"),
        ("<a href='/a b(c)'>x</a>", "[x](</a b(c)>)"),
        (
            "<a href=https://e.com/x>https://e.com/x</a>",
            "https://e.com/x",
        ),
        (
            "<a href='#top'>x</a> <a name=n>y</a> <a href='javascript:f()'>z</a>",
            "x y z",
        ),
        ("<a href=/a><svg><title>t</title></svg></a>w", "[](/a)w"),
        ("w<a href=/a aria-label='Close it'></a>", "w[Close it](/a)"),
        (
            "<a href=/a><h3>A</h3><p>b</p></a>c",
            "### [A](/a)\n\nb\n\nc",
        ),
        (
            "w<a href=/a><img src=/i.png alt='an i'></a>",
            "w[![an i](/i.png)](/a)",
        ),
        ("w<img src='data:x' alt=d><img src='data:x'>", "w![d]()"),
        ("w<img src='data:x' data-src=/i.png>", "w![](/i.png)"),
        ("w<iframe src=/f title=F>x</iframe>y", "w [F](/f) y"),
        (
            "<input value=Bob><input type=hidden value=h><input type=checkbox checked><button>Go</button><button>No</button>",
            "Bob [x] Go No",
        ),
        ("<select><option>One<option>Two</select>", "One\nTwo"),
        ("<pre>\n a\n\n<b>b</b>\n</pre>c", "```\n a\n\nb\n```\n\nc"),
        (
            "<pre><code class='hl language-rust'>f::&lt;T&gt;()<br>```</code></pre>",
            "````rust\nf::<T>()\n```\n````",
        ),
        (
            "<ul><li>a<pre>b\n\nc</pre></ul>",
            "- a\n\n  ```\n  b\n\n  c\n  ```",
        ),
        (
            "<textarea>a\n b</textarea><textarea>c</textarea>",
            "```\na\n b\n```\n\nc",
        ),
        (
            "<table><tr><th>A<th>B<tr><td>1|2<td><b>x</b><p>y</table>",
            "| A | B |\n|---|---|\n| 1\\|2 | **x**<br>y |",
        ),
        (
            "<table><caption>C</caption><tr><td colspan=2>a<td>b<tr><td>c</table>d",
            "C\n\n|  |  |  |\n|---|---|---|\n| a |  | b |\n| c |\n\nd",
        ),
        // Tables for layout.
        (
            "<table><tr><td>a<td>b<tr><td>c</table>"
                .replace("<tr><td>c", "")
                .as_str(),
            "a b",
        ),
        (
            "<table><tr><td>a<td><ul><li>b</ul><tr><td>c<td>d</table>",
            "a\n\n- b\n\nc d",
        ),
        (
            "<table><tr><td><table><tr><td>a<td>b<tr><td>c<td>d</table><td>e</table>",
            "|  |  |\n|---|---|\n| a | b |\n| c | d |\n\ne",
        ),
        (
            "w<script>x</script><!-- y --><noscript>z</noscript><template>t</template>",
            "w",
        ),
        ("</b></ul></table></a></li>w", "w"),
        (
            "<ul><table><tr><td>a<td>b</ul><tr><td>c<td>d</table>e",
            "|  |  |\n|---|---|\n| a | b |\n| c | d |\n\ne",
        ),
        ("a</body></html><error>cut off</error>", "a\n\ncut off"),
    ] {
        assert_eq!(markdown(body), expected, "{body}");
    }
}

#[test]
fn the_title_and_the_lines_before_a_page_stay() {
    let page = page("<p>w").replace(
        "<head>",
        "<head><title>\n A &amp;\n b </title><base href=https://e.com/>",
    );
    assert_eq!(
        applied(json!({}), &page),
        "[HTML as Markdown]\nTitle: A & b\n\nBase: https://e.com/\n\nw\n"
    );
    let told = format!("Contents of http://e.com:\n\n{page}");
    assert_eq!(
        applied(json!({}), &told),
        "[HTML as Markdown]\nContents of http://e.com:\nTitle: A & b\n\nBase: https://e.com/\n\nw\n"
    );
}

#[test]
fn the_example_of_the_page_about_the_filter_is_true() {
    let readme = include_str!("../README.md");
    let fence = |language: &str| {
        let (_, rest) = readme
            .split_once(&format!("```{language}\n"))
            .expect("a fence");
        rest.split_once("```\n").expect("its end").0
    };
    assert_eq!(applied(json!({}), fence("html")), fence("text"));
}

#[test]
fn what_is_not_surely_a_page_stays() {
    let long = "word ".repeat(100);
    let all = json!({ "fragments": true });
    for text in [
        format!("{long}<html><p>{long}"),
        format!("```html\n{}\n```", page(&long)),
        format!("1\t<!doctype html>\n2\t<html><p>{long}"),
        format!("<?xml version='1.0'?><feed><p>{long}</p></feed>"),
        format!("<svg xmlns='x'><text>{long}</text></svg>"),
        format!("<template><div>{long}</div></template><script>x</script>"),
        format!("<script setup>x</script><template><div>{long}</div></template>"),
        format!("<div className='a'>{long}</div>"),
        format!("<div><a href={{url}}>{long}</a></div>"),
        format!("<p align=center><b>A tool</b></p>\n\n# Use\n\n{long} <img src=x>"),
        format!("<p>{long}</p>\n```\ncode\n```\n<p></p>"),
        format!("<my-card>{long}</my-card>"),
        format!("<p>{long}</p> and more"),
        format!("<htmlx><p>{long}</htmlx>"),
        format!("<!doctype htmlx><p>{long}"),
        page("{{ title }}"),
        page("{% block a %}w{% endblock %}"),
        page("<% if (a) { %>w"),
        page("<?php echo 1 ?>w"),
        page("<div v-if=a>w</div>"),
        // A page that is only a program, or may be one.
        page("<div id=root></div><script>x</script>"),
        page("w<script>never ended"),
        page("w<svg><title/>x"),
        page(""),
        format!("{MARK}\n{}", page("w")),
        "<html>".to_owned(),
        String::new(),
        "<p>a</p>".to_owned(),
    ] {
        assert_eq!(applied(all.clone(), &text), text);
    }
}

#[test]
fn a_part_of_a_page_is_read_where_the_settings_say_so() {
    let part = format!(
        "\n<div class='{}'><p>a <b>b</b></p></div>\n",
        "x".repeat(60)
    );
    assert_eq!(applied(json!({}), &part), part);
    assert_eq!(
        applied(json!({ "fragments": true }), &part),
        "[HTML as Markdown]\na **b**\n"
    );
}

#[test]
fn members_of_json_are_read_by_their_paths() {
    let part = format!("<p class='{}'>a <b>\"b\"</b></p>", "x".repeat(60));
    let document = json!({ "items": [{ "body": part, "other": part, "n": 1 }], "body": part });
    let after = applied(
        json!({ "members": ["items.*.body", "**.body", "items.*.n"] }),
        &document.to_string(),
    );
    let new = "[HTML as Markdown]\na **\"b\"**\n";
    let expected = json!({ "items": [{ "body": new, "other": part, "n": 1 }], "body": new });
    assert_eq!(
        serde_json::from_str::<Value>(&after).expect("JSON"),
        expected
    );
    assert_eq!(
        applied(json!({}), &document.to_string()),
        document.to_string()
    );
    // Escapes of `<` do not matter; an unpaired surrogate does.
    let escaped = json!({ "body": part }).to_string().replace('<', "\\u003c");
    let after = applied(json!({ "members": ["body"] }), &escaped);
    assert_eq!(after, json!({ "body": new }).to_string());
    let half = format!(r#"{{"body":"<p class='{}'>\ud800</p>"}}"#, "x".repeat(99));
    assert_eq!(applied(json!({ "members": ["body"] }), &half), half);
}

#[test]
fn a_file_that_is_read_stays_unless_the_settings_say_otherwise() {
    let html = page("<p>w</p>");
    let call = |settings: Value| {
        Bench::<Markdown>::new(settings)
            .tool("view")
            .arguments(json!({ "path": "site/index.html" }))
    };
    assert!(!call(json!({})).apply(&html).changed);
    assert!(!call(json!({ "files": "keep" })).apply(&html).changed);
    assert!(call(json!({ "files": "convert" })).apply(&html).changed);
    let fetch = Bench::<Markdown>::new("{}")
        .tool("fetch")
        .arguments(json!({ "url": "https://e.com/index.html" }));
    assert!(fetch.apply(&html).changed);
}

#[test]
fn whole_messages_and_arguments_stay() {
    for surface in [Surface::Message, Surface::Arguments] {
        let bench = Bench::<Markdown>::new(json!({ "members": ["m"] })).surface(surface);
        let document = json!({ "m": page("w") }).to_string();
        assert!(!bench.apply(&document).changed);
    }
}

#[test]
fn settings_are_checked() {
    for (settings, why) in [
        (json!({ "members": ["a..b"] }), "`members`: the path `a..b`"),
        (json!({ "files": "yes" }), "convert"),
        (json!({ "links": true }), "links"),
    ] {
        let refusal = Bench::<Markdown>::refusal(&settings).unwrap_or_default();
        assert!(refusal.contains(why), "{settings}: {refusal}");
    }
}

#[test]
fn hostile_pages_are_bounded() {
    const BYTES: usize = 256 << 10;
    for part in [
        "<div>",
        "<table><tr><td>",
        "<ul><li>x",
        "<ol><li>",
        "<blockquote>x",
        "<b><i><a href=x><code>",
        "<!-- x ",
        "<",
        "</",
        "&am",
        "&",
        "<a x='",
        "<table><tr><td colspan=9999999999>x",
        "<pre>`",
        "<pre>",
        "<h1>",
        "<svg>",
        "<script>",
        "<textarea>",
        "<select><option>",
        "<p><b a=1>",
        "<title>",
        "<dd>",
        "<a href=y>",
        "\0",
        "<br>",
        "</table>",
        "</ul>x",
        "<sup>x<p>",
    ] {
        let text = format!("<html><p>word</p>{}", part.repeat(BYTES / part.len()));
        let once = applied(json!({}), &text);
        assert!(once.contains("word"), "{part}");
    }
}

/// A part of a page, with words that are numbered in order.
#[derive(Clone, Debug)]
enum Part {
    Word,
    Space,
    Hidden(&'static str),
    Element(&'static str, Vec<Part>, bool),
    Link(Vec<Part>),
    Code(Vec<&'static str>),
    Table(Vec<Vec<Vec<Part>>>),
}

struct Written {
    html: String,
    words: usize,
    links: usize,
    /// Links without `pre` around them.
    links_kept: BTreeSet<usize>,
    codes: Vec<String>,
}

impl Written {
    fn write(&mut self, part: &Part) {
        match part {
            Part::Word => {
                self.words += 1;
                let _ = write!(self.html, "w{}z", self.words);
            }
            Part::Space => self.html.push_str(" \n"),
            Part::Hidden(html) => self.html.push_str(html),
            Part::Element(name, parts, is_ended) => {
                let _ = write!(self.html, "<{name}>");
                self.all(parts);
                if *is_ended {
                    let _ = write!(self.html, "</{name}>");
                }
            }
            Part::Link(parts) => {
                self.links += 1;
                self.links_kept.insert(self.links);
                let _ = write!(self.html, "<a href='/l{}y'>", self.links);
                self.all(parts);
                self.html.push_str("</a>");
            }
            Part::Code(lines) => {
                let code = lines.join("\n");
                let escaped = code.replace('&', "&amp;").replace('<', "&lt;");
                let _ = write!(self.html, "<pre>{escaped}</pre>");
                self.codes.push(code);
            }
            Part::Table(rows) => {
                self.html.push_str("<table>");
                for row in rows {
                    self.html.push_str("<tr>");
                    for cell in row {
                        self.html.push_str("<td>");
                        self.all(cell);
                        self.html.push_str("</td>");
                    }
                }
                self.html.push_str("</table>");
            }
        }
    }

    fn all(&mut self, parts: &[Part]) {
        parts.iter().for_each(|part| self.write(part));
    }
}

fn part() -> impl Strategy<Value = Part> {
    let hidden = prop::sample::select(vec![
        "<script>hiddenw</script>",
        "<style>hiddenw</style>",
        "<!-- hiddenw -->",
        "<svg><g><svg></svg><text>hiddenw</text></g></svg>",
        "<template><p>hiddenw</p></template>",
        "<br>",
        "<hr>",
        "<input type=text>",
        "</p>",
        "</li>",
    ]);
    let lines = prop::sample::select(vec!["x1  y", "", "  <b>&", "```", "| a\\", "\t- t"]);
    let leaf = prop_oneof![
        6 => Just(Part::Word),
        3 => Just(Part::Space),
        1 => hidden.prop_map(Part::Hidden),
        1 => prop::collection::vec(lines, 1..4).prop_map(Part::Code),
    ];
    leaf.prop_recursive(6, 60, 5, |inner| {
        let parts = || prop::collection::vec(inner.clone(), 0..5);
        let cell = prop::collection::vec(inner.clone(), 0..3);
        let rows = prop::collection::vec(prop::collection::vec(cell, 1..3), 1..4);
        let names = prop::sample::select(vec![
            "p",
            "div",
            "b",
            "i",
            "code",
            "h1",
            "h3",
            "ul",
            "ol",
            "li",
            "blockquote",
            "span",
            "sup",
            "q",
            "dl",
            "dt",
            "dd",
            "button",
            "label",
            "section",
            "x-card",
            "del",
            "option",
            "select",
        ]);
        prop_oneof![
            6 => (names, parts(), prop::bool::weighted(0.85))
                .prop_map(|(name, parts, is_ended)| Part::Element(name, parts, is_ended)),
            1 => parts().prop_map(Part::Link),
            1 => rows.prop_map(Part::Table),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn words_links_and_code_are_all_there_in_their_order(
        parts in prop::collection::vec(part(), 1..6)
    ) {
        let mut written = Written {
            html: String::new(), words: 0, links: 0, links_kept: BTreeSet::new(), codes: Vec::new(),
        };
        written.write(&Part::Word);
        written.all(&parts);
        let after = markdown(&written.html);
        let numbers: Vec<usize> = after
            .split(|c: char| !c.is_alphanumeric())
            .flat_map(|word| word.split('z'))
            .filter_map(|word| word.strip_prefix('w')?.parse().ok())
            .collect();
        let expected: Vec<usize> = (1..=written.words).collect();
        prop_assert_eq!(numbers, expected, "{}\n\n{}", written.html, after);
        prop_assert!(!after.contains("hiddenw"));
        for link in &written.links_kept {
            let link = format!("(/l{link}y)");
            prop_assert!(after.contains(&link), "{link}: {}\n\n{}", written.html, after);
        }
        // Lines of code are whole, except for the marks of lists and quotes before them.
        let lines: Vec<&str> = after.lines().collect();
        for code in &written.codes {
            for line in code.lines().filter(|line| !line.trim().is_empty()) {
                prop_assert!(
                    lines.iter().any(|it| it.ends_with(line)), "{line:?}: {}\n\n{}", written.html, after
                );
            }
        }
    }

    #[test]
    fn any_soup_is_taken_and_once_is_enough(
        parts in prop::collection::vec(prop::sample::select(vec![
            "<p>", "</p>", "<b>", "</b>", "<ul>", "</ul>", "<li>", "<table>", "</table>", "<tr>", "<td>", "<th>",
            "</td>", "<pre>", "</pre>", "<code>", "</code>", "<a href=x>", "</a>", "<h1>", "</h1>", "<title>", "</title>",
            "<svg>", "</svg>", "<script>", "</script>", "<blockquote>", "</blockquote>", "<img alt=y>", "<br>", "<hr>",
            "w", " ", "&lt;", "&#", "<", ">", "</", "<!--", "-->", "é🦀", "|", "`", "\n", "<textarea>", "</textarea>",
            "<caption>", "<iframe>", "</iframe>", "<base href=/>", "<plaintext>",
        ]), 0..60)
    ) {
        let text = page(&parts.concat());
        let once = applied(json!({ "fragments": true }), &text);
        prop_assert!(once == text || once.starts_with(MARK));
        let member = json!({ "m": parts.concat() }).to_string();
        applied(json!({ "members": ["m"] }), &member);
    }
}

#[test]
fn the_schema_is_that_of_the_settings() {
    tamis_sdk::testing::assert_schema::<Markdown>(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/settings.schema.json"
    ));
}
