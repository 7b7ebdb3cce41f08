//! The point of a text is shown: generated results of the kinds that tools send, and the parts that their summaries
//! must show.

mod places;
mod programs;
mod rows;
mod services;

use serde_json::json;
use summary::Summary;
use tamis_sdk::testing::Bench;

fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(|at| line(at) + "\n").collect()
}

fn summary(text: &str) -> String {
    let applied = Bench::<Summary>::new("{}").apply(text);
    assert!(applied.changed, "not summarised: {text:.200}");
    applied.text().to_owned()
}

/// Asserts that the summary of a text has every part of `expected`.
#[track_caller]
fn assert_shows(text: &str, expected: &[&str]) {
    let summary = summary(text);
    for part in expected {
        assert!(summary.contains(part), "{part:?} is not shown:\n{summary}");
    }
}

#[track_caller]
fn assert_hides(text: &str, unexpected: &[&str]) {
    let summary = summary(text);
    for part in unexpected {
        assert!(!summary.contains(part), "{part:?} is shown:\n{summary}");
    }
}

/// The number of the line with a part.
#[track_caller]
fn place(text: &str, part: &str) -> usize {
    let at = text.lines().position(|line| line.contains(part));
    at.expect("the line is there") + 1
}

#[test]
fn numbers_that_are_no_line_numbers_stay() {
    let log = lines(200, |at| {
        format!("12:{:02}:{:02} INFO served {at}", at / 60, at % 60)
    }) + "13:04:33 ERROR no route to db\n";
    assert_shows(&log, &["201: 13:04:33 ERROR no route to db"]);
}

#[test]
fn lines_that_a_tool_numbered_are_told_in_one_numbering() {
    let code = lines(400, |at| {
        format!(
            "{:>6}\u{2192}{}",
            at + 200,
            if at % 20 == 0 {
                format!("fn step_{at}() {{")
            } else {
                format!("    let a{at} = b({at});")
            }
        )
    });
    let summary = summary(&code);
    assert!(summary.contains("its 200 is line 1 here"), "{summary}");
    assert!(summary.contains("\n21: fn step_20()"), "{summary}");
}

#[test]
fn a_snapshot_of_a_page() {
    let items = lines(60, |at| {
        let from = 10 + at * 5;
        format!(
            "    - article [ref=e{from}]:\n      - heading \"Item {at}\" [level=2] [ref=e{}]\n      - paragraph [ref=e{}]: In stock.\n      - button \"Add to cart\" [ref=e{}]\n      - link \"Details\" [ref=e{}] [cursor=pointer]:\n        - /url: /item/{at}",
            from + 1,
            from + 2,
            from + 3,
            from + 4
        )
    });
    let text = format!(
        "### Page\n- Page URL: http://127.0.0.1/shop\n```yaml\n- generic [ref=e1]:\n  - banner [ref=e2]:\n    - textbox \"Search\" [ref=e3]\n    - checkbox \"In stock\" [checked] [ref=e4]\n  - main [ref=e5]:\n{items}  - button \"Pay now\" [disabled] [ref=e999]\n```\n"
    );
    assert_shows(
        &text,
        &[
            "Page URL: http://127.0.0.1/shop",
            "button 61: \"Pay now\" disabled e999, \"Add to cart\" 60\u{d7} e13 to e308 in steps of 5",
            "textbox 1: \"Search\" e3",
            "checkbox 1: \"In stock\" checked e4",
            "link 60: \"Details\" 60\u{d7} e14 to e309 in steps of 5",
            "heading 60: \"Item 0\" to \"Item 59\" by 1, 60\u{d7} e11 to e306",
            "main 1: e5",
        ],
    );
    let devtools = format!(
        "# take_snapshot response\nuid=1_0 RootWebArea \"Shop\"\n{}  uid=1_900 button \"Pay now\" focusable\n",
        lines(150, |at| format!(
            "  uid=1_{} StaticText \"some words of the page {at}\"\n  uid=1_{} link \"Page {}\"",
            2 * at + 1,
            2 * at + 2,
            at * at
        ))
    );
    assert_shows(
        &devtools,
        &[
            "button 1: \"Pay now\" 1_900",
            "link 150: ",
            "\"Page 0\" 1_2",
        ],
    );
}

/// An abbreviated hash, as git makes them.
fn hash(at: usize) -> String {
    let mixed = (at as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    format!("{:07x}", mixed >> 36)
}

#[test]
fn pages_of_html_and_xml() {
    let rows = lines(80, |at| {
        format!(
            "<tr><td>{at}</td><td>Item {at}</td><td><a href=\"/item/{at}\">Details</a></td></tr>"
        )
    });
    let html = format!(
        "<!doctype html><html><head><title>Desk shop</title><style>a{{}}</style></head><body><h1>All <b>items</b></h1><form><input name=\"q\"><button>Go</button></form><table><tr><th>Id</th><th>Name</th><th>Link</th></tr>{rows}</table></body></html>"
    );
    assert_shows(
        &html,
        &[
            "HTML, title: Desk shop",
            "1 heading, 1 table, 80 links, 1 form",
            "$.All_items: 80 rows",
            "Id 0..79",
            "constant: Link=Details",
            "h1 All items",
            "input q, button Go",
        ],
    );
    let xml = format!(
        "<?xml version=\"1.0\"?>\n<feed>\n{}</feed>\n",
        lines(90, |at| format!(
            "<entry><title>Entry {at}</title><id>{at}</id></entry>"
        ))
    );
    // Entries without text between them are data.
    assert_shows(&xml, &["Summary of XML", "$.feed.entry: 90 rows"]);
    let mixed = xml.replace("</feed>", "<note>see <b>this</b> first</note></feed>");
    assert_shows(
        &mixed,
        &[
            "Summary of XML",
            "feed.note: \"see <b>this</b> first\"",
            "$.feed.entry: 90 rows",
        ],
    );
    let unknown = mixed.replace("first", "&first;");
    assert_shows(
        &unknown,
        &["XML <feed>, 273 elements", "entry 90, title 90, id 90"],
    );
}

#[test]
fn texts_that_were_asked_for_stay_whole() {
    let bench = Bench::<Summary>::new("{}");
    let code = lines(120, |at| {
        format!("pub fn step_{at}(input: &str) -> usize {{\n    input.len() + {at}\n}}")
    });
    let subjects = [
        "a policy",
        "the filter",
        "each chain",
        "an operator",
        "the model",
    ];
    let prose = lines(90, |at| {
        let (one, two) = (subjects[at % 5], subjects[at / 5 % 5]);
        let rest = ["and", "or", "but", "so"][at / 25];
        format!("This page says how {one} is written, {rest} that {two} leaves most of a result.")
    });
    let diff = format!(
        "diff --git a/a.rs b/a.rs\n--- a/a.rs\n+++ b/a.rs\n@@ -1,1 +1,120 @@\n context\n{}",
        lines(119, |at| format!("+    let value_{at} = read({at})?;"))
    );
    for text in [&code[..4_900], &prose[..4_900], &diff] {
        assert!(!bench.apply(text).changed, "{}", bench.apply(text).text());
        let in_json = json!({"path": "a.rs", "content": text}).to_string();
        assert!(
            !bench.apply(&in_json).changed,
            "{}",
            bench.apply(&in_json).text()
        );
    }
    for text in [code.repeat(4), prose.repeat(4), diff.repeat(4)] {
        assert!(bench.apply(&text).changed);
    }
    let none = Bench::<Summary>::new(json!({"whole": 0}));
    assert!(none.apply(&code[..4_900]).changed);
    let log = lines(120, |at| {
        format!(
            "12:00:{:02} INFO request {at} was served by the api",
            at % 60
        )
    });
    assert!(bench.apply(&log).changed);
}

#[test]
fn the_range_that_was_asked_for_is_named() {
    let code = lines(900, |at| format!("pub fn step_{at}() {{ body({at}); }}"));
    let bench = Bench::<Summary>::new("{}")
        .arguments(json!({"path": "a.rs", "offset": 100, "length": 900}));
    let summary = bench.apply(&code).text().to_owned();
    assert!(
        summary.contains("(asked for: offset 100, length 900)"),
        "{summary}"
    );
}

#[test]
fn budgets_follow_the_original() {
    let text = |count: usize| {
        lines(count, |at| {
            format!("step {at}: copied part-{at}.parquet (37 KB)")
        })
    };
    let small = summary(&text(200)).chars().count();
    let large = summary(&text(40_000)).chars().count();
    assert!(small <= 800, "{small}");
    assert!(large <= 2_000, "{large}");
}

#[test]
fn the_first_call_for_a_text_in_json_reads_the_lines_around_the_point() {
    let log = lines(2_000, |at| match at {
        1_711 => "2026-11-01T10:22:15 ERROR [pool] no connection after 30000 ms".to_owned(),
        at => format!(
            "2026-11-01T10:{:02}:{:02} INFO [http] request {at} is served",
            at / 60 % 60,
            at % 60
        ),
    });
    let text = serde_json::json!({"file": {"ranges": [{"content": log, "first": 1}]}}).to_string();
    let path = r#""path":"$.file.ranges[0].content","lines":"1702-1722""#;
    assert_shows(&text, &["1712: ", path]);
    // Of a list of lines, too.
    let list: Vec<&str> = log.lines().collect();
    let text = serde_json::json!({ "output": list }).to_string();
    assert_shows(
        &text,
        &["1712: ", r#""path":"$.output","lines":"1702-1722""#],
    );
    let plain = lines(300, |at| {
        format!(
            "request {at} is served in {} ms by the server of the shop",
            at % 9
        )
    });
    let text = serde_json::json!({"content": plain}).to_string();
    assert_shows(&text, &[r#""path":"$.content","lines":"1-80""#]);
}

#[test]
fn all_definitions_of_a_schema_are_counted() {
    let schema = lines(160, |at| {
        format!(
            "type Entity{at} {{\n  id: ID!\n  owner: Author\n}}\n\ninput Entity{at}Input {{\n  name: String!\n}}\n"
        )
    });
    let others = "scalar Date\n\nunion Found = Entity0 | Entity1\n\ninterface Node {\n  id: ID!\n}\n\nenum Sort {\n  UP\n}\n\ndirective @auth(role: String) on OBJECT\n\nextend type Entity0 {\n  more: Int\n}\n\nextend input Entity0Input @auth {\n  more: Int\n}\n\nscalar Url @specifiedBy(url: \"a\")\n\nschema {\n  query: Query\n}\n";
    assert_shows(&format!("{schema}{others}"), &["329 definitions:"]);
}

#[test]
fn words_in_bold_letters_that_forbid_something_warn_the_reader() {
    let sections = |bold: &str| {
        lines(120, |at| {
            let last = if at == 62 { bold } else { "" };
            format!(
                "## Section {at}\n\nText about retries and back-off in case of an overload of the service. Text about retries and back-off.{last}\n"
            )
        })
    };
    for bold in [
        " **Never** retry a POST without a key.",
        " You **must not** retry a POST without a key.",
        " **Do not retry a POST** without a key.",
    ] {
        let text = sections(bold);
        let place = place(&text, "a key");
        assert_shows(
            &text,
            &[
                "1 line that warns the reader:\n",
                &format!("{place}: "),
                "without a key.",
            ],
        );
    }
    for bold in [
        " **Nevertheless** it works.",
        " **600** requests never fail.",
        "\n\n- **Never**: no limit.",
        " ** never **",
    ] {
        assert_hides(&sections(bold), &["warns the reader"]);
    }
}

#[test]
fn entries_by_key_are_named() {
    let operation = |at: usize| {
        let parameter = |name: usize| {
            let place = ["query", "path"][name % 2];
            let kind = ["string", "integer"][(name + at) % 2];
            let is_required = name.is_multiple_of(3);
            json!({"name": format!("field_{name}"), "in": place, "required": is_required, "schema": {"type": kind}})
        };
        let parameters: Vec<_> = (0..30 + at).map(parameter).collect();
        let responses =
            json!({"200": {"description": "The entries"}, "404": {"description": "None"}});
        json!({
            "get": {"parameters": &parameters, "responses": &responses},
            "post": {"parameters": &parameters[at..], "responses": {"201": {"description": "It is made"}}},
            "parameters": &parameters[..1],
        })
    };
    let paths = [
        "/orders",
        "/orders/{id}",
        "/orders/{id}/items",
        "/refunds",
        "/customers",
        "/stock",
    ];
    let entries = |keys: &[String]| {
        let entries = keys.iter().enumerate();
        let entries: serde_json::Map<_, _> = entries
            .map(|(at, key)| (key.clone(), operation(at)))
            .collect();
        json!({"swagger": "2.0", "paths": entries}).to_string()
    };
    let names = paths.map(str::to_owned);
    assert_shows(
        &entries(&names),
        &[
            "$.paths: 6 entries by key",
            " first by key: /orders, /orders/{id}, /orders/{id}/items",
        ],
    );
    // Ids name nothing.
    let ids: Vec<String> = (0..6).map(|at| format!("{at}f3a9c{at}b")).collect();
    let told = summary(&entries(&ids));
    assert!(!told.contains("first by key"), "{told}");
}

#[test]
fn texts_are_as_long_as_they_are_read() {
    let patch = |at: usize| "+ a line of code\n- another one of \u{e9}\n".repeat(20 + at);
    let rows: Vec<_> = (0..30)
        .map(|at| json!({"name": format!("src/file_{at}.rs"), "patch": patch(at)}))
        .collect();
    let rows: Vec<_> = rows
        .into_iter()
        .chain([json!({"name": "src/all.rs", "patch": patch(400)})])
        .collect();
    let lengths: Vec<usize> = (0..30)
        .chain([400])
        .map(|at| patch(at).chars().count())
        .collect();
    let mean = lengths.iter().sum::<usize>() / lengths.len();
    let told = format!(
        " patch ~{mean} chars, longest {}",
        patch(400).chars().count()
    );
    assert_shows(&serde_json::to_string(&rows).expect("JSON"), &[&told]);
}
