//! How the parts of a result are addressed, and which one is meant.

use super::{Query, ask, cap, lines, path, rows};
use crate::excerpt::{Original, read};

fn text_block(text: &str) -> String {
    let text = serde_json::to_string(text).unwrap();
    format!(r#"{{"type":"text","text":{text}}}"#)
}

fn result(blocks: &[String], structured: Option<&str>) -> String {
    let blocks = blocks.join(",");
    match structured {
        Some(value) => format!(r#"{{"content":[{blocks}],"structuredContent":{value}}}"#),
        None => format!(r#"{{"content":[{blocks}]}}"#),
    }
}

#[track_caller]
fn check(original: &str, part: &str, expected: &str) {
    match read(
        &Original::new(original.as_bytes()),
        Some(part),
        &Query::Whole,
        cap(2_000),
    ) {
        Ok(excerpt) => assert_eq!(excerpt.text, expected, "{part}"),
        Err(error) => panic!("{part}: {error}"),
    }
}

const IMAGE: &str = r#"{"type":"image","data":"aGk=","mimeType":"image/png"}"#;

#[test]
fn every_part_has_an_address() {
    let file = r#"{"type":"resource","resource":{"uri":"file:///a","text":"in a\nfile"}}"#;
    let original = result(
        &[text_block("é\n"), IMAGE.to_owned(), file.to_owned()],
        Some("[1.0, 2]"),
    );
    check(&original, "content[0]", "é\n");
    check(&original, "content[1]", IMAGE);
    check(&original, "content[2]", "in a\nfile");
    check(&original, "content", "é\n\nin a\nfile");
    check(&original, "structuredContent", "[1.0, 2]");
    check(&original, " result ", &original);
}

#[test]
fn the_only_document_is_meant() {
    let one = result(&[IMAGE.to_owned(), text_block("[1.0]")], None);
    assert_eq!(ask(&one, Query::Whole).unwrap().text, "[1.0]");
    let structured = r#"{"structuredContent":{"a":1.0}}"#;
    assert_eq!(ask(structured, Query::Whole).unwrap().text, r#"{"a":1.0}"#);
    let image = result(&[IMAGE.to_owned()], None);
    assert_eq!(ask(&image, Query::Whole).unwrap().text, image);
    for other in [
        "plain\ntext",
        "[1, 2]",
        r#"{"content":[1]}"#,
        r#"{"content":[]}"#,
        "\"word\"",
    ] {
        assert_eq!(ask(other, Query::Whole).unwrap().text, other);
    }
}

#[test]
fn blocks_of_json_are_one_list() {
    let blocks: Vec<String> = (0..100)
        .map(|id| text_block(&format!("{{\"id\":{id},\n\"v\":1.0}}")))
        .collect();
    let original = result(&blocks, None);
    let some = ask(&original, rows(None, 20, Some(22))).unwrap();
    assert_eq!(some.text, "{\"id\":20,\"v\":1.0}\n{\"id\":21,\"v\":1.0}\n");
    assert_eq!(
        some.header,
        "rows 20–21 of 100 (counted from 0); $ of content"
    );
    assert_eq!(ask(&original, path("[-1].id")).unwrap().text, "99");
}

#[test]
fn text_and_structured_content_that_say_the_same_are_one() {
    let same = [
        (
            vec![text_block("{\n \"a\": 1,\n \"b\": [\"é\"]}")],
            r#"{"b":["\u00e9"],"a":1.0}"#,
        ),
        (vec![text_block("[1, 2]")], r#"{"result":[1,2]}"#),
        (
            vec![text_block("[ 12345678901234567890 ]")],
            "[12345678901234567890]",
        ),
        (vec![text_block("plain")], r#"{"result":"plain"}"#),
        (vec![text_block("42")], r#"{"result":42}"#),
        (
            vec![text_block("{\"a\":1}"), text_block("{\"a\":2}")],
            r#"{"result":[{"a":1},{"a":2}]}"#,
        ),
        (
            vec![text_block("x"), text_block("y")],
            r#"{"result":["x","y"]}"#,
        ),
        (vec![text_block("{\"a\":1}")], r#"[{"a":1}]"#),
    ];
    for (blocks, structured) in same {
        let original = result(&blocks, Some(structured));
        let answer = ask(&original, Query::Whole);
        let only = Original::new(original.as_bytes()).only_part();
        let only = only.expect("one part");
        assert!(only.starts_with("content"), "{original}: {only}");
        let named = read(
            &Original::new(original.as_bytes()),
            Some(&only),
            &Query::Whole,
            cap(2_000),
        );
        assert_eq!(answer, named, "{original}");
    }
}

#[test]
fn a_call_may_leave_out_the_only_part() {
    let text = text_block("a\nb");
    let text = || text.clone();
    for (blocks, structured, expected) in [
        (vec![text()], None, Some("content[0]")),
        (vec![IMAGE.to_owned(), text()], None, Some("content[1]")),
        (vec![text(), text()], None, None),
        (
            vec![text()],
            Some(r#"{"result":"a\nb"}"#),
            Some("content[0]"),
        ),
        (
            vec![text(), text()],
            Some(r#"{"result":["a\nb","a\nb"]}"#),
            Some("content"),
        ),
        (vec![text()], Some(r#"{"said":"a\nb","more":1}"#), None),
        (vec![text()], Some(r#"{"result":"other"}"#), None),
        (
            vec![IMAGE.to_owned()],
            Some("{}"),
            Some("structuredContent"),
        ),
        (vec![], Some("{}"), Some("structuredContent")),
        (vec![IMAGE.to_owned()], None, None),
    ] {
        let sent = result(&blocks, structured);
        let original = Original::new(sent.as_bytes());
        assert_eq!(original.only_part().as_deref(), expected, "{sent}");
        let document = crate::document::Document::json(sent.as_str()).unwrap();
        let indexed = Original::of_document(&document);
        assert_eq!(indexed.only_part().as_deref(), expected, "{sent}");
        // Whatever is asked, the answer is that of the part.
        for query in [
            Query::Whole,
            Query::Short,
            rows(None, 0, None),
            lines(2, None),
            super::find("b"),
            Query::Sql {
                query: "SELECT count(*) FROM lines".to_owned(),
                path: None,
            },
        ] {
            if let Some(only) = expected {
                let named = read(&original, Some(only), &query, cap(2_000));
                assert_eq!(ask(&sent, query).ok(), named.ok(), "{sent}");
            }
        }
    }
}

#[test]
fn under_a_name_the_text_is_meant_where_the_name_is() {
    let text = text_block("[{\"a\":1}, {\"a\":2}]");
    let original = result(&[text], Some(r#"{"entities":[{"a":1},{"a":2}],"page":1}"#));
    assert_eq!(ask(&original, path("$.entities[1].a")).unwrap().text, "2");
    assert_eq!(ask(&original, path("page")).unwrap().text, "1");
    let some = ask(&original, rows(None, 1, None)).unwrap();
    assert_eq!(some.text, "{\"a\":2}\n");
}

#[test]
fn text_and_structured_content_that_differ_have_to_be_named() {
    let differ = [
        ("{\"a\":1}", r#"{"a":2}"#),
        ("{\"a\":1}", r#"{"a":1,"b":null}"#),
        ("{\"a\":1}", r#"{"b":1}"#),
        ("[12345678901234567890]", "[12345678901234567891]"),
        ("[1,2]", "[2,1]"),
        ("two callers", r#"{"callers":2}"#),
    ];
    for (text, structured) in differ {
        let original = result(&[text_block(text)], Some(structured));
        let answer = ask(&original, Query::Whole).map_err(|error| error.name());
        assert_eq!(answer, Err("part-needed"), "{original}");
    }
}

#[test]
fn the_only_text_that_has_what_a_question_names_is_meant() {
    let lines = |name: &str| -> String {
        let line = |n: u32| format!("{{'id': '{n}', 'state': '{name}', 'note': ''}}");
        (0..8).map(line).collect::<Vec<_>>().join("\n")
    };
    let sql = |query: &str| Query::Sql {
        query: query.to_owned(),
        path: None,
    };
    let (orders, took) = (lines("open"), "[COMPLETED in 1.0s]");
    let structured = serde_json::json!({"kind": "cell", "result": [&orders, took], "count": 2});
    let blocks = [text_block(&orders), text_block(took)];
    let original = result(&blocks, Some(&structured.to_string()));
    let counted = ask(
        &original,
        sql("SELECT count(*) FROM rows WHERE state = 'open'"),
    );
    let counted = counted.expect("the first text has the rows");
    assert!(counted.to_string().ends_with("\n8\n"), "{counted}");
    let id = ask(&original, path("$[3].id")).expect("a value");
    assert_eq!(id.text.trim(), "\"3\"");
    assert!(id.header.contains("content[0]"), "{id}");
    // What `structuredContent` has is read there.
    assert_eq!(ask(&original, path("$.kind")).unwrap().text, "\"cell\"");
    // Two texts have it, or none: the error is that of `structuredContent`.
    let blocks = [text_block(&orders), text_block(&lines("late"))];
    let structured = serde_json::json!({"kind": "cell", "count": 2}).to_string();
    let original = result(&blocks, Some(&structured));
    for (query, error) in [
        (sql("SELECT count(*) FROM rows"), "query"),
        (path("$[3].id"), "no-match"),
        (path("$.nothing"), "no-match"),
    ] {
        let answer = ask(&original, query).map_err(|error| error.name());
        assert_eq!(answer, Err(error));
    }
}

#[test]
fn only_json_is_meant_by_a_path_and_only_text_by_lines() {
    let original = result(&[text_block("a summary\nof it")], Some(r#"{"n":1.0}"#));
    assert_eq!(ask(&original, path("n")).unwrap().text, "1.0");
    assert_eq!(ask(&original, lines(2, None)).unwrap().text, "of it");
}

#[test]
fn what_is_not_unicode_is_replaced_and_said() {
    let excerpt = read(&Original::new(b"a\xffb"), None, &Query::Whole, cap(100)).unwrap();
    assert_eq!(excerpt.text, "a\u{fffd}b");
    assert!(excerpt.header.contains("not UTF-8"), "{excerpt}");
    let half = r#"{"content":[{"type":"text","text":"a\ud800b"}]}"#;
    check(half, "content[0]", "a\u{fffd}\u{fffd}\u{fffd}b");
    check(half, "result", half);
}
