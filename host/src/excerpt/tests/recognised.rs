//! Texts that hold data are asked as the data that they hold.

use crate::excerpt::recognised::has_aliases;

use super::{Query, ask, find, lines, path, rows};

const CSV: &str = "id,name,total\n1,ann,12.50\n2,\"bea, the second\",7\n3,cy,99\n4,dee,0.5\n";
const YAML: &str = "kind: List\nitems:\n- name: web\n  ready: true\n  port: 80\n- name: db\n  ready: false\n  port: 5432\n- name: cache\n  ready: true\n  port: 6379\n";
const FENCED: &str = "Query returned 3 rows:\n```json\n[{\"id\":1,\"state\":\"open\"},{\"id\":2,\"state\":\"closed\"},{\"id\":3,\"state\":\"open\"}]\n```\n";
const COLUMNS: &str = "NAME       READY   STATUS             RESTARTS\nweb-0      1/1     Running            0\nweb-1      0/1     CrashLoopBackOff   17\ndb-0       1/1     Running            2\n";

fn query(query: &str) -> Query {
    Query::Sql {
        query: query.to_owned(),
        path: None,
    }
}

#[track_caller]
fn check(text: &str, query: Query, expected: &str) {
    match ask(text, query.clone()) {
        Ok(excerpt) => assert_eq!(excerpt.text, expected, "{query:?}"),
        Err(error) => panic!("{query:?}: {error}"),
    }
}

#[test]
fn paths_and_queries_lead_into_them() {
    check(CSV, path("$[1].name"), "\"bea, the second\"");
    check(
        CSV,
        query("SELECT name FROM rows WHERE total > 10 ORDER BY total"),
        "ann\ncy\n",
    );
    check(
        YAML,
        path("$.items[?(@.ready == false || @.port > 6000)].name"),
        "[1]: \"db\"\n[2]: \"cache\"\n",
    );
    check(
        YAML,
        query("SELECT name FROM items WHERE NOT ready"),
        "db\n",
    );
    check(
        FENCED,
        path("$[*]['state','id']"),
        "[0]: \"open\" | 1\n[1]: \"closed\" | 2\n[2]: \"open\" | 3\n",
    );
    check(
        FENCED,
        query("SELECT state, count(*) FROM rows GROUP BY 1"),
        "closed | 1\nopen | 2\n",
    );
    check(
        COLUMNS,
        query("SELECT NAME FROM rows WHERE RESTARTS > 1 ORDER BY RESTARTS"),
        "db-0\nweb-1\n",
    );
    let named = ask(CSV, path("$[0].id")).expect("a value");
    assert!(named.header.contains("as CSV"), "{named}");
}

#[test]
fn lines_and_finds_are_those_of_the_text() {
    check(CSV, lines(2, Some(2)), "1,ann,12.50\n");
    check(CSV, find("bea"), "3: 2,\"bea, the second\",7\n");
    check(
        CSV,
        query("SELECT line FROM lines WHERE text LIKE '%bea%'"),
        "3\n",
    );
    check(
        CSV,
        rows(None, 2, Some(3)),
        "{\"id\":3,\"name\":\"cy\",\"total\":99}\n",
    );
}

#[test]
fn data_is_that_which_a_terminal_shows() {
    let spinner = "\r\u{1b}[2K⠋ Fetching\r\u{1b}[2K⠙ Fetching\r\u{1b}[2K";
    let json = "[{\"id\":1,\"state\":\"open\"},{\"id\":2,\"state\":\"closed\"}]";
    let word = json.replace("closed", "\u{1b}[31mclosed\u{1b}[0m");
    for text in [
        format!("\u{1b}[?2004l\r{json}"),
        format!("\u{1b}[36m{json}\u{1b}[0m"),
        format!("{spinner}{json}"),
        format!("1%\r57%\r100%\n{json}"),
        format!("o\u{8}{json}"),
        word,
    ] {
        check(&text, path("$[1].state"), "\"closed\"");
        check(&text, query("SELECT count(*) FROM rows"), "2\n");
        check(
            &text,
            rows(None, 1, Some(2)),
            "{\"id\":2,\"state\":\"closed\"}\n",
        );
        let escaped = serde_json::to_string(&text).expect("JSON");
        if text.contains('\n') {
            check(&escaped, path("$[1].state"), "\"closed\"");
        }
        let wrapped = format!("{{\"stdout\":{escaped}}}");
        check(&wrapped, path("$.stdout[1].state"), "\"closed\"");
    }
    let table = format!("{spinner}{COLUMNS}");
    check(&table, path("$[1].STATUS"), "\"CrashLoopBackOff\"");
    // Lines are those of the text as it was sent, by the numbers that it has there.
    let third = COLUMNS.split_inclusive('\n').nth(2).unwrap_or_default();
    check(&table, lines(3, Some(3)), third);
    check(
        &table,
        query("SELECT line FROM lines WHERE text LIKE 'NAME %'"),
        "1\n",
    );
    let first = ask(&table, lines(1, Some(1))).expect("a line");
    assert!(first.text.starts_with(spinner), "{first}");
}

#[test]
fn a_string_of_a_document_is_one_too() {
    let wrapped = serde_json::json!({"result": CSV}).to_string();
    check(&wrapped, query("SELECT count(*) FROM rows"), "4\n");
    check(&wrapped, path("$.result[2].total"), "99");
}

#[test]
fn what_holds_no_data_is_a_text() {
    for text in [
        "two words\nand more\nof them\nhere\n",
        "ERROR a: b\nINFO c: d\n",
    ] {
        let error = ask(text, path("$.a")).expect_err(text);
        assert_eq!(error.name(), "not-json", "{error}");
    }
}

#[test]
fn a_search_finds_the_text_around_data() {
    let row = |id: usize| serde_json::json!({"id": id, "note": "a row of some length"});
    let rows: serde_json::Value = (0..200).map(row).collect();
    let page = format!(
        "Contents of the page of orders:\n{}",
        serde_json::json!({"orders": rows})
    );
    // In the sentence and in the data.
    let found = ask(&page, find("orders")).expect("a search");
    assert_eq!(found.total, 2, "{found}");
    assert!(
        found
            .text
            .starts_with("1: Contents of the page of orders:\n"),
        "{found}"
    );
    // In the data alone.
    let found = ask(&page, find("\"id\":17,")).expect("a search");
    assert!(found.header.contains(" as JSON"), "{found}");
    assert_eq!(found.total, 1, "{found}");
}

#[test]
fn tables_of_a_page_in_a_string_are_asked_as_those_of_a_page() {
    let rows: String = (0..20).map(|at| format!("| n{at} | {at} |\n")).collect();
    let page = format!(
        "# Report\n\n{}## Services\n\n| name | load |\n|---|---|\n{rows}\n## End\n\nDone.\n",
        "Some words about what it has.\n\n".repeat(40)
    );
    let result = serde_json::json!({"status": 200, "content": page}).to_string();
    check(&result, path("$.content.Services[3].load"), "3");
    check(&result, query("SELECT sum(load) FROM Services"), "190\n");
    let wrong = ask(&result, path("$.content.Servers")).expect_err("no such table");
    assert!(wrong.to_string().contains("Services"), "{wrong}");
}

#[test]
fn values_are_those_of_the_strings_however_they_are_spelled() {
    let list =
        r#"[{"id":1,"name":"Zo\u00eb","url":"https:\/\/a.b\/c"},{"id":2,"name":"Kim\u200b"}]"#;
    let inside = serde_json::json!({ "body": list }).to_string();
    for (text, at) in [(list, "$"), (&inside, "$.body")] {
        check(text, path(&format!("{at}[0].name")), "\"Zoë\"");
        check(text, path(&format!("{at}[0].url")), "\"https://a.b/c\"");
        check(text, path(&format!("{at}[1].name")), "\"Kim\\u200b\"");
        let found = ask(text, find("Zoë")).expect("a search");
        assert_eq!(found.total, 1, "{found}");
    }
    // In JSON within text, and in lines of it.
    let lines_of_json = "{\"id\":0,\"name\":\"Kim\"}\n{\"id\":1,\"name\":\"Zo\\u00eb\"}\n{\"id\":2,\"name\":\"Al\"}\n";
    let words = serde_json::json!({"body": format!("Note: {list}"), "n": 1}).to_string();
    for text in [lines_of_json, &words] {
        let found = ask(text, find("Zoë")).expect("a search");
        assert_eq!(found.total, 1, "{found}");
    }
    // As it is spelled, too, and a range of lines is what the server sent.
    assert_eq!(ask(list, find("Zo\\u00eb")).expect("a search").total, 1);
    check(list, lines(1, None), list);
}

/// The answers to the four ways of asking for the number of rows.
#[track_caller]
fn counts(text: &str, many: u64) {
    check(
        text,
        query("SELECT count(*) FROM rows"),
        &format!("{many}\n"),
    );
    let of = |query: Query| ask(text, query).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(of(path("$[*].id")).total, many);
    let found = of(rows(None, 0, None));
    assert_eq!(found.total, many, "{found}");
    let found = of(find("\"id\""));
    assert_eq!(found.total, many, "{found}");
}

#[test]
fn rows_of_cut_json_are_those_of_paths() {
    let row = |id: usize| serde_json::json!({"id": id, "note": "a row of some length, and more"});
    let all: Vec<String> = (0..120).map(|id| row(id).to_string()).collect();
    for (between, end) in [(", ", ", ... 880 more items]"), (",\n", ",\n...\n]")] {
        counts(&format!("[{}{end}", all.join(between)), 120);
    }
}

#[test]
fn rows_of_lists_in_other_notations_are_as_spelled() {
    let python = "[{'id': 1, 'a': None}, {'id': 2, 'a': True}, {'id': 3, 'a': 'x'}]";
    check(python, rows(None, 1, Some(2)), "{'id': 2, 'a': True}\n");
}

#[test]
fn values_after_one_another_are_rows() {
    let object = |id: usize| serde_json::json!({"id": id, "note": {"a": [1, 2]}});
    let pretty: Vec<String> = (0..90).map(|id| format!("{:#}\n", object(id))).collect();
    counts(&pretty.concat(), 90);
    let lines: Vec<String> = (0..90).map(|id| format!("{}\n", object(id))).collect();
    counts(&lines.concat(), 90);
    counts(&lines.join("\n"), 90);
}

#[test]
fn a_text_that_is_one_json_string_is_asked_as_its_lines_or_its_data() {
    let log = "\"first line\\n\\tsecond \\\"line\\\"\\nFAILED third\\n\"\n";
    check(log, lines(2, Some(3)), "\tsecond \"line\"\nFAILED third\n");
    check(log, find("FAILED"), "3: FAILED third\n");
    check(log, Query::Whole, log);
    let csv = serde_json::to_string(CSV).expect("JSON");
    check(&csv, query("SELECT name FROM rows WHERE id = 3"), "cy\n");
    check(&csv, path("$[0].name"), "\"ann\"");
    check(&csv, lines(2, Some(2)), "1,ann,12.50\n");
    let named = ask(&csv, lines(2, Some(2))).expect("lines");
    assert!(named.header.contains("text in a JSON string"), "{named}");
    // JSON without a line break, encoded twice and three times.
    let json = "{\"orders\":[{\"id\":1,\"state\":\"open\"},{\"id\":2,\"state\":\"closed\"}]}";
    let twice = serde_json::to_string(json).expect("JSON");
    let thrice = serde_json::to_string(&twice).expect("JSON");
    for text in [twice.clone(), format!(" {twice}\n"), thrice] {
        check(&text, path("$.orders[1].state"), "\"closed\"");
        check(&text, query("SELECT count(*) FROM orders"), "2\n");
        check(
            &text,
            rows(Some("$.orders"), 1, Some(2)),
            "{\"id\":2,\"state\":\"closed\"}\n",
        );
        check(&text, Query::Whole, &text);
    }
    // A quoted word, and a line of JSON with more than one value.
    check("\"one line\"", lines(1, Some(1)), "\"one line\"");
}

#[test]
fn aliases_of_yaml_are_named() {
    let services: String = (0..6)
        .map(|at| {
            format!(
                "- name: s{at}\n  {}\n",
                if at % 2 == 0 { "<<: *d" } else { "cpu: 2" }
            )
        })
        .collect();
    let yaml = format!("base: &d\n  cpu: 2\nservices:\n{services}");
    let note = "aliases (`*name`) are texts here, and `<<` adds no members";
    for query in [
        path("$.services[?(@.cpu == 2)].name"),
        super::sql::query("SELECT count(*) FROM services WHERE cpu = 2"),
    ] {
        let header = ask(&yaml, query).unwrap().header;
        assert!(header.contains(note), "{header}");
    }
    let plain = yaml.replace("&d", "").replace("*d", "d");
    let header = ask(&plain, path("$.services[0]")).unwrap().header;
    assert!(!header.contains(note), "{header}");
}

#[test]
fn lines_that_no_row_has_are_named() {
    let records: String = (1..30)
        .map(|id| match id {
            17 => "17,chargeback,a, b\n".to_owned(),
            _ => format!("{id},paid,n\n"),
        })
        .collect();
    let csv = format!("id,state,note\n{records}");
    let psql: String = (1..30)
        .map(|id| match id {
            17 => "WARNING: late\n".to_owned(),
            _ => format!(" {id:2} | paid\n"),
        })
        .collect();
    let psql = format!(" id | state\n----+-------\n{psql}(28 rows)\n");
    for (text, line, place) in [(csv, 18, "$[3:5].id"), (psql, 19, "$.rows[3:5].id")] {
        let said = format!("; line {line} is no row");
        for asked in [
            query("SELECT count(*) FROM rows"),
            query("SELECT id FROM rows WHERE state = 'chargeback'"),
            query("SELECT id FROM rows WHERE id > 20"),
            path(place),
            path("$..id"),
        ] {
            let told = ask(&text, asked.clone()).expect("an answer");
            assert!(told.header.contains(&said), "{asked:?}: {told}");
        }
    }
}

#[test]
fn aliases_of_a_long_text_are_looked_for_once() {
    // Each name was looked for in the whole text.
    let text = format!("a: &one 1\n{}", "- b: *none\n".repeat(200_000));
    assert!(!has_aliases(&text));
    assert!(has_aliases("a: &one 1\nb: *one\n"));
    assert!(!has_aliases("a: &one 1\nb: *on\n"));
}
