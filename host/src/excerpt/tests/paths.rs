//! The values that paths match, and their form in the answer.

use proptest::prelude::*;

use super::{ask, config, json, path};

const DATA: &str = r#"{"data": {"callers": [{"name": "a", "n": 1e2}, {"name": "b", "n": 1.0}, {"name": "\u0063"}],
 "odd name": [ 1,
 2 ], "it's": {"0": true}}, "twice": 1, "twice": 2}"#;

#[track_caller]
fn check(query: &str, expected: &str) {
    match ask(DATA, path(query)) {
        Ok(excerpt) => assert_eq!(excerpt.text, expected, "{query}"),
        Err(error) => panic!("{query}: {error}"),
    }
}

#[test]
fn one_value_is_as_it_was_spelled_but_for_characters() {
    let written = DATA.replace(r"\u0063", "c");
    check("$.data.callers[0].n", "1e2");
    check("data.callers.0.n", "1e2");
    check("$['data'][\"callers\"][2].name", r#""c""#);
    check("$.data[\"odd name\"]", "[ 1,\n 2 ]");
    check("data.odd name", "[ 1,\n 2 ]");
    check("data[\"it's\"].0", "true");
    check("data.callers[-3].name", r#""a""#);
    check(" $ ", &written);
    check(".", &written);
    check(".data.callers.[0].n", "1e2");
    check(
        ".data.callers[].name",
        "[0]: \"a\"\n[1]: \"b\"\n[2]: \"c\"\n",
    );
}

#[test]
fn a_path_leads_through_json_in_many_strings() {
    let row = |id: u32| serde_json::json!({"id": id, "qty": id * 2, "tags": ["t"]}).to_string();
    let list = serde_json::json!([row(1), row(2), "no JSON"]).to_string();
    let twice = serde_json::to_string(&row(3)).unwrap();
    let events =
        serde_json::json!({"events": [{"payload": row(1)}, {"payload": twice}]}).to_string();
    for (text, query, expected) in [
        (&list, "$.*.qty", "[0]: 2\n[1]: 4\n"),
        (&list, "$[?(@.qty>3)].id", "2"),
        (&list, "$[1].tags[0]", "\"t\""),
        // A string as long as it is asked for as one.
        (&list, "$[2]", "\"no JSON\""),
        (&events, "$.events[*].payload.qty", "[0]: 2\n[1]: 6\n"),
    ] {
        match ask(text, path(query)) {
            Ok(excerpt) => assert_eq!(excerpt.text, expected, "{query}"),
            Err(error) => panic!("{query}: {error}"),
        }
    }
    let error = ask(&list, path("$[*].price")).unwrap_err().to_string();
    assert!(error.contains("qty"), "{error}");
}

#[test]
fn several_values_are_listed_by_what_differs_in_their_paths() {
    check("$.data.callers[*].n", "[0]: 1e2\n[1]: 1.0\n");
    let listed = ask(DATA, path("$.data.callers[*].n")).unwrap();
    assert!(listed.header.contains("$.data.callers[*].n"), "{listed}");
    check("data.callers[1:].name", "[1]: \"b\"\n[2]: \"c\"\n");
    check("data.callers[:-2].name", r#""a""#);
    check("data[\"odd name\"].*", "[0]: 1\n[1]: 2\n");
    check(
        "$..n",
        "$.data.callers[0].n: 1e2\n$.data.callers[1].n: 1.0\n",
    );
    check(
        "**.**.n",
        "$.data.callers[0].n: 1e2\n$.data.callers[1].n: 1.0\n",
    );
    check("twice", "$.twice: 1\n$.twice: 2\n");
    check(
        "$.data[*]",
        concat!(
            ".callers: [{\"name\": \"a\", \"n\": 1e2}, {\"name\": \"b\", \"n\": 1.0}, {\"name\": \"c\"}]\n",
            "[\"odd name\"]: [ 1,2 ]\n",
            "[\"it's\"]: {\"0\": true}\n",
        ),
    );
}

#[test]
fn a_step_lists_names_or_places_or_has_a_condition() {
    let both = "[0]: \"a\" | 1e2\n[1]: \"b\" | 1.0\n[2]: \"c\" | \n";
    check("$.data.callers[*]['name','n']", both);
    check("data.callers[*][\"name\", 'n']", both);
    check(
        "data.callers[*]['n','name']",
        "[0]: 1e2 | \"a\"\n[1]: 1.0 | \"b\"\n[2]:  | \"c\"\n",
    );
    check("data.callers[2,0]['name']", "[0]: \"a\"\n[2]: \"c\"\n");
    check("data.callers[0,0,-1].name", "[0]: \"a\"\n[2]: \"c\"\n");
    check("$['data','twice']['callers'][0].name", r#""a""#);
    for (condition, expected) in [
        ("@.n >= 100", "\"a\""),
        ("@.n < 100 && @.name == 'b'", "\"b\""),
        ("!@.n", "\"c\""),
        ("@.n == 1 || @.name = \"a\"", "[0]: \"a\"\n[1]: \"b\"\n"),
        ("!(@.n == 1) && (@.name != 'c')", "\"a\""),
        ("@.name > 'a' && @.n", "\"b\""),
        ("@['name'] <= 'b'", "[0]: \"a\"\n[1]: \"b\"\n"),
    ] {
        check(&format!("data.callers[?({condition})].name"), expected);
        check(&format!("$.data.callers[? {condition} ].name"), expected);
    }
    for (wrong, expected) in [
        (
            "data.callers[?@.n >]",
            "`@.name`, a number or a text in quotes",
        ),
        ("data.callers[?3]", "a comparison such as `== 3`"),
        ("data.callers[?(@.n]", "`)`"),
        ("data.callers[0,x]", "a number"),
        ("data.callers['a',]", "a name in quotes"),
        ("data.callers[?@.n == 1", "`]`"),
    ] {
        let error = ask(DATA, path(wrong)).expect_err(wrong).to_string();
        assert!(
            error.contains(&format!("expected {expected};")),
            "{wrong}: {error}"
        );
    }
    let deep = format!("data[?{}@.n{}]", "(".repeat(50), ")".repeat(50));
    assert!(ask(DATA, path(&deep)).is_err());
}

#[test]
fn paths_go_into_json_that_strings_hold() {
    let text = r#"{"result": "{\"rows\": [{\"id\": 7}, {\"id\": 8.0}]}"}"#;
    let one = ask(text, path("$.result.rows[1].id")).unwrap();
    assert_eq!(one.text, "8.0");
    assert!(one.header.contains("$.result.rows[1].id"), "{one}");
    let rows = ask(text, super::rows(Some("$.result.rows"), 1, None)).unwrap();
    assert_eq!(rows.text, "{\"id\": 8.0}\n");
}

#[test]
fn long_whole_numbers_are_compared_exactly() {
    let text = r#"[{"id": 1790000000000000134}, {"id": 1790000000000000133}, {"id": 9007199254740993}, {"id": 2.5}]"#;
    for (condition, count) in [
        ("@.id == 1790000000000000134", 1),
        ("@.id >= 1790000000000000134", 1),
        ("@.id != 9007199254740992", 4),
        ("@.id < 9007199254740993", 1),
        ("@.id == 2.50", 1),
    ] {
        let all = ask(text, path(&format!("$[?({condition})]")));
        let found = all.map_or(0, |all| all.text.lines().count());
        assert_eq!(found, count, "{condition}");
    }
}

/// Every value under `value`, in document order, as a reader that builds a tree sees it.
fn values(value: &serde_json::Value) -> usize {
    1 + match value {
        serde_json::Value::Array(values) => values.iter().map(self::values).sum(),
        serde_json::Value::Object(members) => members.values().map(self::values).sum(),
        _ => 0,
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn every_listed_path_leads_to_its_value(value in json()) {
        let text = format!("[{value},{value}]");
        let list = ask(&text, path("**")).unwrap();
        let tree: serde_json::Value = serde_json::from_str(&text).unwrap();
        // A tree keeps one of members whose keys are the same.
        let all = values(&tree) as u64;
        prop_assert!(list.total >= all, "{} values, not {all}: {list}", list.total);
        for line in list.text.lines() {
            // A path ends at the first `: ` after which it can be read and leads to one value.
            let ends = line.match_indices(": ").map(|(end, _)| &line[..end]);
            let same = |query: &str| match ask(&text, path(query)) {
                Ok(found) if found.text.contains(query) => true,
                Ok(found) => {
                    let value: serde_json::Value = serde_json::from_str(&found.text).unwrap();
                    let listed = line.get(query.len() + 2..).unwrap_or_default();
                    serde_json::from_str::<serde_json::Value>(listed).is_ok_and(|listed| listed == value)
                }
                Err(_) => false,
            };
            prop_assert!(ends.clone().any(same), "{line} in {text}");
        }
    }
}

#[track_caller]
fn check_rows(rows: &str, query: &str, expected: &str, note: &str) {
    match ask(rows, path(query)) {
        Ok(excerpt) => {
            assert_eq!(excerpt.text, expected, "{query}");
            assert!(excerpt.header.contains(note), "{query}: {}", excerpt.header);
            let notes = excerpt.header.matches("a query reads").count();
            assert_eq!(notes, usize::from(!note.is_empty()), "{}", excerpt.header);
        }
        Err(error) => assert!(
            expected.is_empty() && error.to_string().contains(note),
            "{query}: {error}"
        ),
    }
}

#[test]
fn conditions_compare_texts_that_are_numbers_or_booleans_as_such() {
    let rows = r#"[{"id": 1, "qty": "9", "on": "true", "code": "007"}, {"id": 2, "qty": 25, "on": false}]"#;
    for (query, expected) in [
        ("$[?(@.qty > 8)].id", "[0]: 1\n[1]: 2\n"),
        ("$[?(@.qty > '10')].id", "2"),
        ("$[?(@.qty == 9)].id", "1"),
        ("$[?(@.qty == '25')].id", "2"),
        ("$[?(@.qty != '9')].id", "2"),
        ("$[?(@.on == true)].id", "1"),
        ("$[?(@.on != true)].id", "2"),
        ("$[?(@.on == 'false')].id", "2"),
        ("$[?(@.code == 7)].id", "1"),
    ] {
        check_rows(rows, query, expected, "");
    }
}

#[test]
fn conditions_say_which_texts_they_compare_as_they_are_spelled() {
    let rows = r#"[{"id": 1, "price": "$9.50", "v": "1.10.2", "tags": ["a"], "word": "inf"}, {"id": 2, "price": "$10.00", "v": "1.9.1"}]"#;
    for (query, expected, note) in [
        ("$[?(@.price > '$9.60')].id", "", "@.price has \"$9.50\""),
        (
            "$[?(@.price < '$9.60')].id",
            "[0]: 1\n[1]: 2\n",
            "@.price has \"$9.50\"",
        ),
        ("$[?(@.price > 9.6)].id", "", "@.price has \"$9.50\""),
        ("$[?(@.v > '1.9')].id", "2", "@.v has \"1.10.2\""),
        (
            "$[?(@.tags == 'a')].id",
            "",
            "@.tags has a list or an object",
        ),
        ("$[?(@.price == '$9.50')].id", "1", ""),
        ("$[?(@.word > 9)].id", "", "@.word has \"inf\""),
        ("$[?(@.tags != null)].id", "[0]: 1\n[1]: 2\n", ""),
    ] {
        check_rows(rows, query, expected, note);
    }
}

#[test]
fn a_member_that_no_element_has_is_a_mistake() {
    let rows = r#"[{"id": 1, "state": "open"}, {"id": 2, "state": "closed"}]"#;
    for query in [
        "$[?(@.sate != 'open')]",
        "$[?(@.sate == 'open')]",
        "$[?(@.id == 1 || @.sate == 'open')]",
    ] {
        check_rows(rows, query, "", "keys of its elements: ");
        check_rows(rows, query, "", "no element has @.sate");
    }
    // That none has it may be the answer.
    check_rows(rows, "$[?(!@.merged_at)].id", "[0]: 1\n[1]: 2\n", "");
    // Nor is one in a string of JSON.
    let texts = serde_json::json!([rows, rows]).to_string();
    check_rows(&texts, "$[0][?(@.state != 'open')].id", "2", "");
}

#[test]
fn members_of_one_object_come_with_its_path() {
    check(
        "$.data.callers[1]['name','n']",
        "$.data.callers[1]: \"b\" | 1.0\n",
    );
    check("$..['0','x']", "true");
    let rows = r#"[{"it's": 1, "b": [1, 2]}]"#;
    check_rows(rows, r"$[0]['it\'s','b']", "$[0]: 1 | [1, 2]\n", "");
    let shown = ask(rows, path(r"$[0]['it\'s','b']")).unwrap().header;
    assert!(shown.contains(r"$[0]['it\'s','b']"), "{shown}");
    check_rows(rows, "$[?(@.b[-1] == 2)].b[0]", "1", "");
}
