//! JSON that is cut: at its end, in a long string, or in its middle.

use crate::loose::{loose, others, refused, value};
use serde_json::{Value, json};
use tamis_formats::{Data, Format, read, read_loosely};

#[test]
fn json_that_is_cut_has_its_whole_rows() {
    let rows = r#"{"total":9,"items":[{"a":1,"b":["x","y"]},{"a":2,"b":[]},{"a":3,"b":null}"#;
    let expected = json!({"total": 9, "items": [
        {"a": 1, "b": ["x", "y"]}, {"a": 2, "b": []}, {"a": 3, "b": null},
    ]});
    for rest in [
        "",
        ",",
        ",{",
        ",{\"a\":4",
        ",{\"a\":4,\"b\":[\"x\",\"y\",\"z\",\"w",
        ",{\"a\":tr",
        ",{\"a\":-1.",
        ",{\"a\":\"text … (truncated)",
        ",{\"a\":\"text\n... [truncated 1200 characters]",
        "\n\n[Output truncated: 2 of 9 pages]\n",
        ",{\"a\":4... [output truncated]",
        ", ...]}",
    ] {
        for before in ["", "Here is the result:\n", "Result: ", "```json\n"] {
            let text = format!("{before}{rows}{rest}");
            let data = loose(&text);
            assert_eq!(data.format, Format::CutJson);
            assert_eq!(value(&data), expected, "{text:?}");
            assert_eq!(data.last.as_deref(), Some("$.items[2]"));
            assert_eq!(data.text_before(), before);
            assert_eq!(data.text_after(), rest);
        }
    }
    let map = r#"{"hosts":{"a b":{"up":1},"c":{"up":2},"d-e":{"up":3},"f":{"u"#;
    let data = loose(map);
    assert_eq!(
        value(&data)["hosts"].as_object().map(|it| it.len()),
        Some(3)
    );
    assert_eq!(data.last.as_deref(), Some(r#"$.hosts["d-e"]"#));
}

#[test]
fn json_that_is_cut_anywhere_is_a_beginning() {
    let items: Vec<Value> = (0..30)
        .map(|i| json!({"id": i * 37, "words": ["é", "a\"b"], "in": {"x": -1.5, "no": null}}))
        .collect();
    for whole in [
        serde_json::to_string(&items).expect("JSON"),
        serde_json::to_string_pretty(&items).expect("JSON"),
    ] {
        for end in (0..whole.len()).filter(|end| whole.is_char_boundary(*end)) {
            let text = &whole[..end];
            let Some(data) = read_loosely(text).filter(|_| read(text).is_none()) else {
                assert!(end < whole.len() / 4, "{text}");
                continue;
            };
            let value = value(&data);
            let found = value.as_array().expect("a list");
            assert_eq!(data.last, Some(format!("$[{}]", found.len() - 1)));
            assert_eq!(found[..], items[..found.len()]);
        }
    }
}

#[test]
fn json_that_is_cut_in_a_long_string_has_the_part_of_it() {
    let content: String = (0..200)
        .map(|at| format!("{at}: \"a\\tb\" é 😀\n"))
        .collect();
    // The long string is last.
    let whole = format!(
        r#"{{"path":"a.log","lines":200,"content":{}}}"#,
        json!(content)
    );
    let escaped = whole
        .replace('é', "\\u00e9")
        .replace('😀', "\\ud83d\\ude00");
    for (whole, note) in [
        (&whole, ""),
        (&whole, "\n[output truncated]"),
        (&escaped, ""),
    ] {
        let ends = (1_000..1_100).chain([whole.len() - 4, whole.len() - 2]);
        for end in ends.filter(|end| whole.is_char_boundary(*end)) {
            let text = format!("{}{note}", &whole[..end]);
            let data = loose(&text);
            let value = value(&data);
            let part = value["content"].as_str().expect("a text");
            assert!(content.starts_with(part), "{text}");
            assert!(part.len() > 500);
            assert_eq!(
                (&value["path"], &value["lines"]),
                (&json!("a.log"), &json!(200))
            );
            assert_eq!(data.last.as_deref(), Some("a part of $.content"));
        }
    }
    for inside in [
        r#"{"a":[{"b":"#,
        r#"["short",""#,
        r#"{"content":[{"type":"text","text":"#,
    ] {
        let quote = if inside.ends_with('"') { "" } else { "\"" };
        let text = format!("{inside}{quote}{}", "words ".repeat(200));
        assert_eq!(loose(&text).format, Format::CutJson, "{text:.40}");
    }
    // The string is a small part, or a key.
    let rows = r#"[{"a":"text"},{"a":"text"},{"a":"text"},{"a":"a long text of words"#;
    assert_eq!(loose(rows).last.as_deref(), Some("$[2]"));
    refused(&format!("{{\"{}", "words ".repeat(200)));
}

/// Twice a text with `gap` in place of its middle: of its characters, and of its lines.
fn without_middle(text: &str, gap: &str) -> Vec<String> {
    let (head, tail) = (text.len() * 2 / 5, text.len() * 3 / 5);
    let mut cut: Vec<String> = (0..40)
        .map(|more| [&text[..head + more], gap, &text[tail + more..]].concat())
        .collect();
    let lines: Vec<&str> = text.lines().collect();
    let (head, tail) = (lines.len() * 2 / 5, lines.len() * 3 / 5);
    if lines.len() > 50 {
        let lines = |more: usize| {
            let parts = [&lines[..head + more], &[gap.trim()], &lines[tail + more..]];
            parts.concat().join("\n")
        };
        cut.extend((0..9).map(lines));
    }
    cut
}

/// The data on both sides of a gap; none if the note stands in a string, which ends below it.
fn around_gap<'t>(text: &'t str, gap: &str) -> Option<Data<'t>> {
    let (before, _) = text.split_once(gap.trim())?;
    let is_in_string = before.replace("\\\"", "").matches('"').count() % 2 == 1;
    if is_in_string && !gap.contains('\n') {
        return None;
    }
    Some(loose(text))
}

#[test]
fn json_without_its_middle_has_the_rows_on_both_sides() {
    let row =
        |i: usize| json!({"id": i, "in": {"x": [i, {"y": 1}]}, "note": "words, {a} [b] of it"});
    let rows: Vec<Value> = (0..60).map(row).collect();
    for gap in [
        "\n\n... 12000 characters omitted ...\n\n",
        "[… 40,000 characters truncated …]",
    ] {
        for text in [json!(rows).to_string(), format!("{:#}", json!(rows))] {
            for text in without_middle(&text, gap) {
                let Some(data) = around_gap(&text, gap) else {
                    continue;
                };
                let value = value(&data);
                let found = value.as_array().expect("a list");
                let head = found.iter().zip(&rows).take_while(|(a, b)| a == b).count();
                assert!((20..=26).contains(&head), "{head} in {text}");
                assert_eq!(data.last, Some(format!("$[{}]", head - 1)));
                assert_eq!(data.next, Some(format!("$[{head}]")));
                assert_eq!(found[head..], rows[rows.len() - (found.len() - head)..]);
                assert!(found.len() - head > 20);
                let left: Vec<&str> = others(&text, &data);
                assert!(
                    left.contains(&gap.trim()) || left.concat().contains(gap),
                    "{left:?}"
                );
            }
        }
        let object = json!({"results": rows, "total": 90, "next": {"page": [1, 2]}});
        for text in [object.to_string(), format!("{object:#}")] {
            for text in without_middle(&text, gap) {
                let Some(data) = around_gap(&text, gap) else {
                    continue;
                };
                let value = value(&data);
                let head = value["head"]["results"].as_array().expect("a list");
                let tail = value["tail"]["rows"].as_array().expect("a list");
                assert_eq!(head[..], rows[..head.len()]);
                assert_eq!(tail[..], rows[rows.len() - tail.len()..]);
                assert_eq!(value["tail"]["total"], json!(90));
                let last = format!("$.head.results[{}]", head.len() - 1);
                assert_eq!(data.last, Some(last));
                assert_eq!(data.next.as_deref(), Some("$.tail.rows[0]"));
            }
        }
    }
}

#[test]
fn json_without_its_middle_is_refused_in_doubt() {
    let row = |i: usize| json!({"id": i, "note": "some words"});
    let rows: Vec<Value> = (0..60).map(row).collect();
    let all = json!(rows).to_string();
    let (head, tail) = (&all[..905], &all[1_196..]);
    assert!(read(&[head, tail].concat()).is_none());
    for text in [
        // Without a note, it is a mistake.
        format!("{head}{tail}"),
        // Another list, at another level.
        format!("{head}\n... (omitted)\n{tail}]"),
        format!("{{\"a\":{{\"b\":{head}\n... (omitted)\n{tail}}}}}"),
        format!("{head}\n... (omitted)\n{tail} and words"),
        format!("{head}\n... (omitted)\n{}", &all[all.len() - 40..]),
    ] {
        refused(&text);
    }
}

/// Rows of which one is broken: nothing is left out of such a text.
#[test]
fn words_of_a_value_are_no_note_about_the_middle() {
    let row = |i: usize| json!({"id": i, "note": "some words"}).to_string();
    let rows = |other: &str| {
        let mut rows: Vec<String> = (0..60).map(row).collect();
        rows[25] = other.to_owned();
        rows
    };
    for other in [
        r#"{"id": 25, "note": "he said "wait..." to it"}"#,
        r#"{"id": 25, "note": "he said "..." to it"}"#,
        r#"{"id": 25, "note": "it was "truncated" there"}"#,
        r#"{"id": 25, "truncated": false, "note": undefined}"#,
        r#"{"id": 25, "note": undefined, "truncated": 12}"#,
        r#"{"id": 25, "note": "x ... 12 characters truncated ...""#,
        "{\"id\": 25, \"note\": \"of two\nlines ... (truncated)\"}",
    ] {
        for separator in [",", ", ", ",\n"] {
            refused(&format!("[{}]", rows(other).join(separator)));
        }
    }
}

#[test]
fn json_with_two_gaps_is_refused() {
    let row = |i: usize| json!({"id": i, "note": "some words"}).to_string();
    let rows = |from: usize, to: usize| (from..to).map(row).collect::<Vec<_>>().join(",\n");
    let (head, middle, tail) = (rows(0, 20), rows(30, 40), rows(60, 90));
    let one = row(50);
    for gap in [
        ", ... 10 more ..., ",
        ",\n... 10 more ...\n",
        "\n[… 400 characters truncated …]\n",
        ", {\"id\": 25, \"note\": ... 10 more ..., ",
    ] {
        assert!(read_loosely(&format!("[{head}{gap}{middle},{tail}]")).is_some());
        for middle in [&middle, &one] {
            refused(&format!("[{head}{gap}{middle}{gap}{tail}]"));
            refused(&format!("[{head}{gap}{middle}, {{\"id\": 5x}}, {tail}]"));
            refused(&format!("[{head}, {{\"id\": 5x}}, {middle}{gap}{tail}]"));
        }
    }
}

#[test]
fn a_row_that_is_a_list_begins_and_ends_beside_the_note() {
    let row = |i: usize| json!([format!("h{i}"), i]).to_string();
    let rows = |from: usize, to: usize| (from..to).map(row).collect::<Vec<_>>().join(",");
    for (gap, left_out) in [
        (
            ", ... 20 rows omitted ... ",
            vec!["... 20 rows omitted ..."],
        ),
        (
            ",[\"h3\",... 20 rows omitted ... 7], ",
            vec!["[\"h3\"", "... 20 rows omitted ... 7", "]"],
        ),
        (
            ", ... [20 rows omitted] ... ",
            vec!["... [20 rows omitted] ..."],
        ),
        (", [20 rows omitted] ", vec!["[20 rows omitted]"]),
    ] {
        let text = format!("[{}{gap}{}]", rows(0, 30), rows(50, 80));
        let data = loose(&text);
        let all = format!("[{},{}]", rows(0, 30), rows(50, 80));
        assert_eq!(
            value(&data),
            serde_json::from_str::<Value>(&all).expect("JSON"),
            "{text}"
        );
        assert_eq!(others(&text, &data), left_out);
    }
}

#[test]
fn json_with_other_mistakes_is_refused() {
    for text in [
        r#"[{"a":1},{"a":2},{"a":3},{a:4},{"a":5},{"a":6}]"#,
        r#"{"a":1,"b":2,"c":3,"d":4,}"#,
        r#"[{"a":1},{"a":2},{"a":3}] and some more"#,
        "[1, 2, 3, 4, and so it goes on with a sentence",
        "[{\"a\":1},{\"a\":2},{\"a\":3},\n... [12000 characters truncated] ...\n{\"a\":9}]",
        "[INFO] started\n[INFO] more\n[INFO] stopped\n",
    ] {
        refused(text);
    }
}
