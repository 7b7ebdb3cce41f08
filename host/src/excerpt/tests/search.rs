//! The hits of a search, and their form.

use proptest::prelude::*;

use super::{Query, ask, config, find, find_regex};

fn with_context(pattern: &str, context: u64) -> Query {
    Query::Search {
        pattern: pattern.to_owned(),
        regex: false,
        ignore_case: true,
        context,
        path: None,
    }
}

#[track_caller]
fn check(text: &str, query: Query, matches: u64, expected: &str) {
    match ask(text, query.clone()) {
        Ok(excerpt) => assert_eq!(
            (excerpt.total, excerpt.text.as_str()),
            (matches, expected),
            "{query:?}"
        ),
        Err(error) => panic!("{query:?}: {error}"),
    }
}

const LOG: &str = "start\none ERROR\ntwo\r\nthree\nfour\nfive error\nsix error\nseven";

#[test]
fn lines_come_with_their_numbers_and_context() {
    check(LOG, find("error"), 2, "6: five error\n7: six error\n");
    check(LOG, find_regex("^t\\w+$"), 2, "3: two\n4: three\n");
    check(
        LOG,
        with_context("error", 1),
        3,
        "1- start\n2: one ERROR\n3- two\n--\n5- four\n6: five error\n7: six error\n8- seven\n",
    );
    check(
        LOG,
        with_context("error", 2),
        3,
        "1- start\n2: one ERROR\n3- two\n4- three\n5- four\n6: five error\n7: six error\n8- seven\n",
    );
}

#[test]
fn hits_are_shown_without_colours_unless_these_are_asked_for() {
    let text = "\u{1b}[35msrc/a.rs\u{1b}[0m:8:\u{1b}[31mstruct Event\u{1b}[0m {\nplain\n\u{1b}[1mend\u{1b}[0m";
    check(text, find("Event"), 1, "1: src/a.rs:8:struct Event {\n");
    check(
        text,
        with_context("plain", 1),
        1,
        "1- src/a.rs:8:struct Event {\n2: plain\n3- end\n",
    );
    let coloured = text.lines().next().unwrap();
    check(text, find("[31mstruct"), 1, &format!("1: {coloured}\n"));
}

#[test]
fn lines_of_a_long_string_come_with_their_numbers_in_it() {
    let line = |n: usize| match n % 40 {
        7 => format!("line {n} says \"needle\""),
        _ => format!("line {n} of the output"),
    };
    let text: Vec<String> = (1..=100).map(line).collect();
    let document = |text: &str| serde_json::json!({"result": [text], "exit": 0}).to_string();
    let json = document(&text.join("\n"));
    check(
        &json,
        find("needle"),
        1,
        "[0]: 3 of 100 lines\n\
         7: line 7 says \"needle\"\n47: line 47 says \"needle\"\n87: line 87 says \"needle\"\n",
    );
    // The same numbers as those of a range.
    let range = Query::Lines {
        from: 47,
        to: Some(47),
        path: Some("$.result[0]".to_owned()),
    };
    let read = ask(&json, range).unwrap();
    assert_eq!(read.text.trim_end(), "line 47 says \"needle\"");
    let answer = ask(&json, with_context("\"needle", 1)).unwrap();
    let expected = "7: line 7 says \"needle\"\n8- line 8 of the output\n--\n46- line 46 of";
    assert!(answer.text.contains(expected), "{answer}");
    let answer = ask(
        &json.replace("result", "a").replace(['[', ']'], ""),
        find("needle"),
    )
    .unwrap();
    assert!(
        answer.text.starts_with("$.a: 3 of 100 lines\n7: "),
        "{answer}"
    );
    // Lines that overlap are shown once.
    let answer = ask(&json, with_context("line 4", 3)).unwrap();
    assert_eq!(answer.text.matches("line 43 ").count(), 1, "{answer}");
    // More than are shown are counted, with the call for them.
    let answer = ask(&json, find("output")).unwrap();
    assert!(answer.text.contains("[0]: 97 of 100 lines\n1: line 1 of"));
    let more = "(85 more lines: search with \"path\":\"$.result[0]\")\n";
    assert!(answer.text.ends_with(more), "{answer}");
    // A short string is shown whole.
    let short = document("one needle\ntwo");
    check(&short, find("needle"), 1, "[0]: \"one needle\\ntwo\"\n");
}

const JSON: &str = r#"{"title": "open issues", "items": [
  {"id": 1, "state": "open", "by": "caf\u00e9"},
  {"id": 2, "state": "closed", "by": "opener"},
  {"id": 3, "state": "open", "by": "x \"y\""}
], "open count": 2}"#;

#[test]
fn rows_and_leaves_are_found_as_spelled_and_as_read() {
    let first = "[0]: {\"id\": 1, \"state\": \"open\", \"by\": \"café\"}\n";
    let spelled = "[0]: {\"id\": 1, \"state\": \"open\", \"by\": \"caf\\u00e9\"}\n";
    let second = "[1]: {\"id\": 2, \"state\": \"closed\", \"by\": \"opener\"}\n";
    let third = "[2]: {\"id\": 3, \"state\": \"open\", \"by\": \"x \\\"y\\\"\"}\n";
    check(
        JSON,
        find(r#""state": "open""#),
        2,
        &format!("{first}{third}"),
    );
    check(JSON, find_regex("^open$"), 2, &format!("{first}{third}"));
    check(JSON, find("café"), 1, first);
    check(JSON, find(r"caf\u00e9"), 1, spelled);
    check(JSON, find("x \"y\""), 1, third);
    check(
        JSON,
        find_regex("^2$"),
        2,
        &format!("{second}$[\"open count\"]: 2\n"),
    );
    check(
        JSON,
        find("open"),
        5,
        &format!("$.title: \"open issues\"\n{first}{second}{third}$[\"open count\"]: 2\n"),
    );
}

#[test]
fn a_search_at_a_path_keeps_to_it() {
    let query = Query::Search {
        pattern: "OPEN".to_owned(),
        regex: false,
        ignore_case: true,
        context: 0,
        path: Some("items[1]".to_owned()),
    };
    check(JSON, query, 1, "$.items[1].by: \"opener\"\n");
}

#[test]
fn rows_come_with_context() {
    check(
        "[10,20,30,40,50]",
        with_context("30", 1),
        1,
        "[1]- 20\n[2]: 30\n[3]- 40\n",
    );
    check(
        "[1,2,3,4,1]",
        with_context("1", 1),
        2,
        "[0]: 1\n[1]- 2\n--\n[3]- 4\n[4]: 1\n",
    );
}

#[test]
fn long_rows_are_shown_around_the_find_and_say_what_is_left_out() {
    let text = format!("[\"{}needle{}\"]", "é".repeat(2_000), "z".repeat(3_000));
    let found = ask(&text, find("needle")).unwrap();
    let shown = found.text.strip_prefix("[0]: (").unwrap();
    let (before, rest) = shown.split_once(" characters left out)…").unwrap();
    let (middle, after) = rest.split_once("…(").unwrap();
    assert!(middle.contains("ééneedlezz"), "{middle}");
    let after = after.strip_suffix(" characters left out)\n").unwrap();
    let left_out = |number: &str| number.replace(',', "").parse::<usize>().unwrap();
    let all = left_out(before) + middle.chars().count() + left_out(after);
    assert_eq!(all, text.chars().count() - 2);
}

#[test]
fn all_occurrences_are_counted_and_those_in_a_long_line_are_shown() {
    let event = |n: usize| format!("<event id={n}>{}</event>", "x".repeat(400));
    let line: String = (0..39).map(event).collect();
    let found = ask(&format!("head\n{line}\ntail <event\n"), find("<event")).unwrap();
    let header = "2 matches; in 3 lines, 40 occurrences";
    assert!(found.header.starts_with(header), "{found}");
    for n in 0..13 {
        let shown = format!("<event id={n}>");
        assert!(found.text.contains(&shown), "{shown}: {found}");
    }
    let more = "(26 more occurrences here: search for a longer text)\n";
    assert!(found.text.contains(more), "{found}");
    let document = serde_json::json!({"log": line, "n": 1}).to_string();
    let found = ask(&document, find("<event")).unwrap();
    assert!(found.header.contains("39 occurrences"), "{found}");
    // A hit that occurs once in each line is not counted twice.
    let found = ask(LOG, find("error")).unwrap();
    assert!(!found.header.contains("occurrences"), "{found}");
    // Nothing is an occurrence at each place.
    assert!(
        ask("é\n", find_regex("x*"))
            .unwrap()
            .header
            .contains("2 occurrences")
    );
}

#[test]
fn a_long_value_whose_key_is_found_is_described() {
    let text = format!(
        "{{\"callers\":[{}],\"n\":{{\"caller\":[1]}}}}",
        "1,2,".repeat(500) + "3"
    );
    let expected = "$.callers: (an array of 1,001)\n$.n.caller: [1]\n";
    check(&text, find("caller"), 2, expected);
}

#[test]
fn a_find_in_a_long_row_carries_what_the_row_is_called() {
    let row = |n: usize| serde_json::json!({"id": n, "name": format!("job {n}"), "steps": ["a", {"log": "x".repeat(1_000) + " needle"}]});
    let text = serde_json::Value::from((0..3).map(row).collect::<Vec<_>>()).to_string();
    let found = ask(&text, find("needle")).unwrap();
    // The innermost row has no name of its own.
    assert!(
        found.text.contains("$[1].steps[1].log (\"job 1\"): ("),
        "{found}"
    );
    let row = |n: usize| serde_json::json!({"title": format!("job {n}"), "of": {"log": "x".repeat(1_000) + " needle"}});
    let text = serde_json::Value::from((0..3).map(row).collect::<Vec<_>>()).to_string();
    let found = ask(&text, find("needle")).unwrap();
    assert!(found.text.contains("$[2].of.log (\"job 2\"): ("), "{found}");
}

#[test]
fn nothing_found_is_no_error() {
    let none = ask(LOG, find("absent")).unwrap();
    assert_eq!((none.total, none.text.as_str()), (0, ""));
    assert!(none.header.starts_with("no matches"), "{none}");
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn the_lines_found_are_those_that_hold_the_text(
        text in "([ab\"]{0,6}\n){0,10}",
        pattern in "[ab\"]{1,2}",
    ) {
        let expected: String = text
            .lines()
            .enumerate()
            .filter(|(_, line)| line.contains(&pattern))
            .map(|(at, line)| format!("{}: {line}\n", at + 1))
            .collect();
        prop_assert_eq!(ask(&text, find(&pattern)).unwrap().text, expected);
    }

    #[test]
    fn context_shows_each_line_once_and_in_order(
        text in "([ab]{1,3}\n){1,30}",
        context in 0u64..4,
    ) {
        let found = ask(&text, with_context("aa", context)).unwrap().text;
        let numbers: Vec<usize> = found
            .lines()
            .filter(|line| *line != "--")
            .map(|line| line.split([':', '-']).next().unwrap().parse().unwrap())
            .collect();
        prop_assert!(numbers.is_sorted_by(|a, b| a < b), "{}", found);
        let hits: Vec<usize> = (1..)
            .zip(text.lines())
            .filter(|(_, line)| line.contains("aa"))
            .map(|(at, _)| at)
            .collect();
        let near = |at: &usize| hits.iter().any(|hit| hit.abs_diff(*at) as u64 <= context);
        let expected: Vec<usize> = (1..=text.lines().count()).filter(near).collect();
        prop_assert_eq!(numbers, expected, "{}", found);
    }
}

#[test]
fn a_long_line_that_is_a_list_is_searched_by_rows() {
    let rows: Vec<String> = (0..90)
        .map(|at| format!("{{'id': {at}, 'state': 'open', 'by': None}}"))
        .collect();
    let text = format!("{{'total': 90, 'rows': [{}]}}", rows.join(", "));
    check(
        &text,
        find("'id': 4,"),
        1,
        "[4]: {'id': 4, 'state': 'open', 'by': None}\n",
    );
    check(
        &text,
        find("total"),
        1,
        "outside the rows: {'total': 90, 'rows': [\n",
    );
    let all = ask(&text, find("open")).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(all.total, 90);
}

#[test]
fn a_branch_of_a_tree_is_searched_inside() {
    let names = ["one", "two", "three", "four", "five"].map(|name| {
        format!("{{\"name\": \"{name}.rs\", \"type\": \"file\", \"bytes\": [{{\"size\": 1}}]}}")
    });
    let of = |key: &str| {
        let inner = names.join(", ").replace("\"name\"", key);
        format!("[{{\"name\": \"src\", \"children\": [{inner}]}}]")
    };
    let (tree, record) = (of("\"name\""), of("\"file\""));
    check(
        &tree,
        find("three.rs"),
        1,
        "$[0].children[2]: {\"name\": \"three.rs\", \"type\": \"file\", \"bytes\": [{\"size\": 1}]}\n",
    );
    // Objects of another kind belong to their row.
    check(
        &record,
        find("three.rs"),
        1,
        &format!("[0]: {}\n", &record[1..record.len() - 1]),
    );
}

#[test]
fn a_row_that_is_too_long_is_searched_inside() {
    let files: Vec<String> = (0..60)
        .map(|at| format!("{{\"name\": \"file_{at}.rs\", \"type\": \"file\"}}"))
        .collect();
    let text = format!(
        "[{{\"name\": \"src\", \"children\": [{}]}}, {{\"name\": \"README\"}}]",
        files.join(", ")
    );
    check(
        &text,
        find("file_7.rs"),
        1,
        "$[0].children[7]: {\"name\": \"file_7.rs\", \"type\": \"file\"}\n",
    );
    check(&text, find("src"), 1, "$[0].name: \"src\"\n");
    let all = ask(&text, find("\"type\": \"file\"")).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(all.total, 60);
    // A pattern that only the row as a whole matches is found there.
    let all = ask(&text, find_regex("src.*file_9")).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(all.total, 1);
}

#[test]
fn a_pattern_that_takes_too_much_work_is_refused_and_says_so() {
    // Without a bound: 5 s.
    let mut state = 1u64;
    let digits: String = std::iter::repeat_with(|| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        if state & 1 == 0 { '0' } else { '1' }
    })
    .take(1_000_000)
    .collect();
    for pattern in [
        "[01]*1[01]{1000}x",
        "(1|0)*1[01]{700}x",
        "[01]{500}1[01]{500}x|y",
    ] {
        let error = ask(&digits, find_regex(pattern)).expect_err("it takes seconds");
        assert_eq!(error.name(), "pattern");
        assert!(error.to_string().contains("too much time"), "{error}");
    }
    // The same size of text, and patterns unchanged.
    let words = format!(
        "{}needle{}",
        "some words and \u{e4} ".repeat(40_000),
        " hay".repeat(40_000)
    );
    for pattern in [
        "nee+dle",
        "\\bneedle\\b",
        "[a-z]+dle ",
        "\\w{6} hay hay",
        "(?i)NEEDLE",
    ] {
        match ask(&words, find_regex(pattern)) {
            Ok(excerpt) => assert_eq!(excerpt.total, 1, "{pattern}"),
            Err(error) => panic!("{pattern}: {error}"),
        }
    }
}

#[test]
fn a_text_inside_json_is_read_by_lines() {
    let log = r#"{"status":"ok","logs":["start\none ERROR\ntwo","other"]}"#;
    let lines = Query::Lines {
        path: Some("$.logs[0]".to_owned()),
        from: 2,
        to: Some(3),
    };
    let excerpt = ask(log, lines).expect("lines");
    assert_eq!(excerpt.header, "lines 2–3 of 3; $.logs[0]");
    assert_eq!(excerpt.text, "one ERROR\ntwo");

    let search = Query::Search {
        pattern: "error".to_owned(),
        regex: false,
        ignore_case: true,
        context: 0,
        path: Some("$.logs[0]".to_owned()),
    };
    let excerpt = ask(log, search).expect("a search");
    assert_eq!(excerpt.header, "1 match; in 3 lines of $.logs[0]");
    assert_eq!(excerpt.text, "2: one ERROR\n");

    let many = Query::Lines {
        path: Some("$.logs[*]".to_owned()),
        from: 1,
        to: None,
    };
    let error = ask(log, many).expect_err("two texts").to_string();
    assert!(
        error.contains("2 values match; choose one, or leave out the path"),
        "{error}"
    );
}

#[test]
fn what_is_sent_under_two_names_is_found_once() {
    let text = "webcam ".repeat(200);
    let twice = format!(r#"{{"result":["{text}"],"count":1,"outputs":["{text}"]}}"#);
    let excerpt = ask(&twice, find("webcam")).expect("a search");
    assert!(
        excerpt.header.contains(
            "in 1 rows of $.result and the rest, but $.outputs is the same as $.result, 200 occurrences"
        ),
        "{}",
        excerpt.header
    );
    check(&twice, find("outputs"), 1, "$.outputs: (an array of 1)\n");
    // Another value under the second name is searched.
    let other = twice.replace(r#""outputs":["w"#, r#""outputs":["W"#);
    assert_eq!(ask(&other, find("ebcam")).expect("a search").total, 2);
}

#[test]
fn texts_of_xml_are_found_as_they_read() {
    let xml = "<a>\n<b>Smith &amp; Co</b>\n<c>x &lt; 7 &#39;q&#39;</c>\n</a>\n";
    check(xml, find("Smith & Co"), 1, "2: <b>Smith & Co</b>\n");
    check(xml, find("x < 7 'q'"), 1, "3: <c>x < 7 'q'</c>\n");
    check(xml, find("&amp;"), 1, "2: <b>Smith &amp; Co</b>\n");
    let json = serde_json::json!({"rows": [{"html": "a &amp; b"}, {"html": "c"}]}).to_string();
    check(&json, find("a & b"), 1, "[0]: {\"html\":\"a &amp; b\"}\n");
}

#[test]
fn json_is_found_with_any_blanks_between_its_signs() {
    let rows = "{\"rows\": [{\"id\": 7, \"name\": \"x\"}, {\"id\": 8, \"name\": \"y\"}]}";
    for pattern in [
        "\"id\":7",
        "\"id\": 7",
        "\"id\":7,\"name\":\"x\"",
        "{\"id\": 7, \"name\"",
    ] {
        check(
            rows,
            find(pattern),
            1,
            "[0]: {\"id\": 7, \"name\": \"x\"}\n",
        );
    }
    let inner = serde_json::json!({"k": 7}).to_string();
    let inner = serde_json::json!({"payload": inner}).to_string();
    let outer = serde_json::json!({"data": inner}).to_string();
    assert_eq!(ask(&outer, find("\"k\":7")).unwrap().total, 1);
}

#[test]
fn a_pattern_that_finds_nothing_says_why_if_it_is_of_another_kind() {
    for (query, hint) in [
        (
            find("one|two"),
            "\"regex\":true makes it a regular expression",
        ),
        (find("fo.*"), "\"regex\":true makes it a regular expression"),
        (find("start\none"), "one line, row or value at a time"),
        (
            find_regex("start\\none"),
            "one line, row or value at a time",
        ),
    ] {
        let found = ask(LOG, query).unwrap();
        assert!(found.total == 0 && found.header.contains(hint), "{found}");
    }
    assert!(!ask(LOG, find("absent")).unwrap().header.contains("regex"));
}
