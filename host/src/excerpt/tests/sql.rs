//! Queries in SQL: which are answered, and which are refused.

use proptest::prelude::*;

use super::{Query, all_pages, ask, config};
use crate::excerpt::{ReadError, ReadRequest};

pub(super) fn query(query: &str) -> Query {
    Query::Sql {
        query: query.to_owned(),
        path: None,
    }
}

const ISSUES: &str = r#"{"total": 4, "page": {"next": "abc", "size": 50}, "issues": [
  {"number": 7, "state": "open", "user": {"login": "ann"}, "labels": ["bug", "ui"], "price": "12.50",
   "notes": [{"by": "bea", "text": "one"}, {"by": "cy", "text": "two"}], "id": 98765432109876543210},
  {"number": 8, "state": "closed", "user": {"login": "bea"}, "labels": [], "price": "7.25", "notes": []},
  {"number": 9, "state": "open", "user": {"login": "ann"}, "labels": ["bug"], "price": "100.00",
   "notes": [{"by": "ann", "text": "a | b"}], "closed_at": null},
  {"number": 10, "state": "open", "user": {"login": "dee"}, "labels": null, "price": "0.50", "locked": true}
]}"#;

#[track_caller]
pub(super) fn check(text: &str, sql: &str, header: &str, expected: &str) {
    match ask(text, query(sql)) {
        Ok(excerpt) => {
            assert_eq!(excerpt.text, expected, "{sql}");
            assert!(excerpt.header.contains(header), "{sql}: {}", excerpt.header);
        }
        Err(error) => panic!("{sql}: {error}"),
    }
}

/// The same, for one row without a note. `query`: after `SELECT`.
#[track_caller]
pub(super) fn check_alone(text: &str, sql: &str, expected: &str) {
    check(text, &format!("SELECT {sql}"), "1 row; columns ", expected);
    let header = ask(text, query(&format!("SELECT {sql}"))).map(|excerpt| excerpt.header);
    let header = header.unwrap_or_default();
    assert_eq!(header.matches("; ").count(), 1, "{sql}: {header}");
}

#[track_caller]
pub(super) fn refused(text: &str, sql: &str, why: &[&str]) {
    let error = ask(text, query(sql)).expect_err(sql);
    assert_eq!(error.name(), "query", "{error}");
    let error = error.to_string();
    for word in why {
        assert!(error.contains(word), "{sql}: `{word}` is not in: {error}");
    }
}

#[test]
fn a_list_is_a_table() {
    check(
        ISSUES,
        "SELECT state, count(*) AS n FROM issues GROUP BY state ORDER BY n DESC",
        "2 rows; columns state | n",
        "open | 3\nclosed | 1\n",
    );
    check(
        ISSUES,
        "select count(*) from issues where state='open'",
        "count(*)",
        "3\n",
    );
    // Members of members, in quotes, without, and with the table's name before.
    for column in [
        r#""user.login""#,
        "user.login",
        "i.user.login",
        "[user.login]",
    ] {
        check(
            ISSUES,
            &format!("SELECT {column}, max(number) FROM issues i GROUP BY 1 ORDER BY 1"),
            "",
            "ann | 9\nbea | 8\ndee | 10\n",
        );
    }
    // A row by itself contains the names of its columns.
    check(
        ISSUES,
        "SELECT number, closed_at, locked FROM issues WHERE number = 10",
        "1 row;",
        "{\"number\":10,\"closed_at\":null,\"locked\":1}\n",
    );
    check(ISSUES, "SELECT number FROM issues WHERE 0", "no rows", "");
}

#[test]
fn lists_in_rows_are_tables_too_and_lists_of_scalars_are_json() {
    check(
        ISSUES,
        "SELECT number, by FROM notes JOIN issues ON issues._row = notes._parent ORDER BY notes._row",
        "",
        "7 | bea\n7 | cy\n9 | ann\n",
    );
    check(
        ISSUES,
        "SELECT value, count(*) FROM issues, json_each(labels) GROUP BY 1 ORDER BY 1",
        "",
        "bug | 2\nui | 1\n",
    );
    check(
        ISSUES,
        "SELECT text FROM notes WHERE by = 'ann'",
        "",
        "\"a | b\"\n",
    );
    check(
        ISSUES,
        "SELECT total, page.next FROM document",
        "",
        "{\"total\":4,\"page.next\":\"abc\"}\n",
    );
    check(
        ISSUES,
        "SELECT name, path, rows FROM tables",
        "name | path | rows",
        "issues | $.issues | 4\nnotes | $.issues[*].notes | 3\ndocument | $ | 1\n",
    );
}

#[test]
fn values_are_compared_as_what_they_say() {
    // Prices are texts that are numbers: they compare as numbers.
    check(
        ISSUES,
        "SELECT number FROM issues WHERE price > 10 ORDER BY price",
        "",
        "7\n9\n",
    );
    check(ISSUES, "SELECT sum(price) FROM issues", "", "120.25\n");
    // Leading zeros say that a text is no number.
    let codes = r#"[{"code": "007"}, {"code": "7"}, {"code": "0070"}]"#;
    check(
        codes,
        "SELECT code FROM rows WHERE code = '7'",
        "",
        "\"7\"\n",
    );
    // A number that no machine number holds keeps its digits.
    check(
        ISSUES,
        "SELECT id FROM issues WHERE number = 7",
        "",
        "\"98765432109876543210\"\n",
    );
    check(
        ISSUES,
        "SELECT count(*) FROM issues WHERE closed_at IS NULL",
        "",
        "4\n",
    );
}

#[test]
fn maps_wrapped_documents_and_texts_have_tables() {
    let map = r#"{"services": {"a": {"up": 1}, "b": {"up": 0}, "c": {"up": 1}, "d": {"up": 1}}}"#;
    check(map, "SELECT key FROM services WHERE up = 0", "", "b\n");
    let wrapped = serde_json::json!({"ok": true, "result": ISSUES}).to_string();
    check(&wrapped, "SELECT count(*) FROM issues", "", "4\n");
    let log = "INFO a\nERROR b\nINFO c\nERROR d\n";
    check(
        log,
        "SELECT line, text FROM lines WHERE text LIKE 'ERROR%'",
        "line | text",
        "2 | ERROR b\n4 | ERROR d\n",
    );
    check(
        log,
        "SELECT count(*) FROM lines WHERE text REGEXP '^INFO [ab]$'",
        "",
        "1\n",
    );
    let inside = Query::Sql {
        query: "SELECT count(*) FROM lines".to_owned(),
        path: Some("$.log".to_owned()),
    };
    let document = serde_json::json!({"log": log}).to_string();
    assert_eq!(
        ask(&document, inside).map(|answer| answer.text),
        Ok("4\n".to_owned())
    );
}

#[test]
fn columns_are_members_of_json_in_strings_too() {
    let row = |id: u32| {
        serde_json::json!({"id": id, "state": if id.is_multiple_of(2) { "up" } else { "down" }})
            .to_string()
    };
    let strings = serde_json::json!((0..6).map(row).collect::<Vec<_>>()).to_string();
    let ask_for = |text: &str, sql: &str| ask(text, query(sql)).map(|answer| answer.text);
    let by_state = "SELECT state, count(*) FROM rows GROUP BY state ORDER BY state";
    assert_eq!(
        ask_for(&strings, by_state),
        Ok("down | 3\nup | 3\n".to_owned())
    );
    // As long as they are asked for as strings, they are strings.
    assert_eq!(
        ask_for(&strings, "SELECT count(DISTINCT value) FROM rows"),
        Ok("6\n".to_owned())
    );
    let event = |id: u32| {
        let inner = serde_json::json!({"code": id, "more": row(id)}).to_string();
        serde_json::json!({"name": "e", "payload": format!(" {inner}"), "note": "{no JSON, but long enough}"})
    };
    let events = serde_json::json!({"events": (0..6).map(event).collect::<Vec<_>>()}).to_string();
    assert_eq!(
        ask_for(
            &events,
            "SELECT payload.code FROM events WHERE payload.more.state = 'down'"
        ),
        Ok("1\n3\n5\n".to_owned())
    );
    refused(
        &events,
        "SELECT payload.other FROM events",
        &["payload.code", "payload.more.id"],
    );
}

#[test]
fn a_table_in_a_string_stands_behind_the_lists_of_its_document() {
    let csv: String = (0..12).map(|id| format!("{id},name {id}\n")).collect();
    let csv = format!("id,name\n{csv}");
    let rows: Vec<_> = (0..30).map(|v| serde_json::json!({"v": v})).collect();
    let both = serde_json::json!({"rows": rows, "report": csv}).to_string();
    let alone = serde_json::json!({"columns": ["id"], "report": csv}).to_string();
    let ask_for = |text: &str, sql: &str| ask(text, query(sql)).map(|answer| answer.text);
    let count = "SELECT count(*) FROM rows";
    assert_eq!(ask_for(&both, count), Ok("30\n".to_owned()));
    assert_eq!(
        ask_for(&both, "SELECT max(v) FROM rows"),
        Ok("29\n".to_owned())
    );
    // Its columns are asked for.
    assert_eq!(
        ask_for(&both, "SELECT name FROM rows WHERE id = 7"),
        Ok("name 7\n".to_owned())
    );
    assert_eq!(ask_for(&alone, count), Ok("12\n".to_owned()));
    refused(&both, "SELECT price FROM rows", &["rows (30 rows: v)"]);
}

#[test]
fn members_of_objects_in_rows_that_are_lists_are_columns() {
    let row = |id: u32| serde_json::json!([id, {"kind": if id.is_multiple_of(3) { "a" } else { "b" }, "inner": {"ms": id}}]);
    let rows: Vec<_> = (0..9).map(row).collect();
    let text = serde_json::json!({"columns": ["id", "payload"], "rows": rows}).to_string();
    let ask_for = |sql: &str| ask(&text, query(sql)).map(|answer| answer.text);
    assert_eq!(
        ask_for(
            "SELECT payload.kind, count(*), max(payload.inner.ms) FROM rows GROUP BY 1 ORDER BY 1"
        ),
        Ok("a | 3 | 6\nb | 6 | 8\n".to_owned())
    );
    assert_eq!(
        ask_for("SELECT json_extract(payload, '$.kind') FROM rows LIMIT 1"),
        Ok("a\n".to_owned())
    );
}

#[test]
fn a_query_at_a_path_calls_the_list_there_by_its_key() {
    let at = |path: &str, query: &str| Query::Sql {
        query: query.to_owned(),
        path: Some(path.to_owned()),
    };
    for (path, sql, expected) in [
        ("$.issues", "SELECT count(*) FROM issues", "4\n"),
        ("$.issues", "SELECT count(*) FROM rows", "4\n"),
        (
            "$.issues[0].notes",
            "SELECT by FROM notes WHERE _row = 1",
            "cy\n",
        ),
        ("$.issues[0]", "SELECT count(*) FROM notes", "2\n"),
        ("$.page", "SELECT next FROM document", "abc\n"),
    ] {
        let answer = ask(ISSUES, at(path, sql)).map(|answer| answer.text);
        assert_eq!(answer.as_deref(), Ok(expected), "{path} {sql}");
    }
    let many = ask(ISSUES, at("$.issues[*].notes", "SELECT 1")).expect_err("several lists");
    assert!(
        many.to_string().contains("values match; choose one"),
        "{many}"
    );
    let blocks =
        serde_json::json!({"result": [{"text": "[{'id': 1, 'by': None}, {'id': 2, 'by': 'x'}]"}]});
    let sql = "SELECT id FROM text WHERE by IS NULL";
    let answer = ask(&blocks.to_string(), at("$.result[0].text", sql)).map(|answer| answer.text);
    assert_eq!(answer.as_deref(), Ok("1\n"));
}

#[test]
fn rows_that_are_lists_have_the_names_of_the_first() {
    let sheet = r#"{"values": [["id","name","total"],[1,"ann",2.5],[2,"bea"],[3,"cy",9]]}"#;
    check(
        sheet,
        "SELECT name, total FROM \"values\" WHERE id > 1",
        "name | total",
        "bea | null\ncy | 9.0\n",
    );
    let plain = "[[1,2],[3,4]]";
    check(plain, "SELECT value1 FROM rows", "", "2\n4\n");
    let pairs = r#"[["a",{"type":"x"}],["b",{"type":"y"}],["c",null]]"#;
    for name in ["\"[1].type\"", "[1].type"] {
        let query = format!("SELECT value0 FROM rows WHERE {name} = 'y'");
        check(pairs, &query, "", "b\n");
    }
}

#[test]
fn names_that_are_equal_to_sql_stay_apart() {
    let text = r#"[{"id": 1, "ID": 2, "order": 3, "a\"b": 4, "_row": 5}]"#;
    check(
        text,
        r#"SELECT * FROM rows"#,
        "",
        "{\"_row\":0,\"id\":1,\"ID_2\":2,\"order\":3,\"a\\\"b\":4,\"_row_2\":5}\n",
    );
    let text = r#"{"a": {"items": [{"x": 1}]}, "b": {"items": [{"y": 2}, {"y": 3}]}}"#;
    check(
        text,
        "SELECT (SELECT count(*) FROM items) AS a, (SELECT count(*) FROM \"b.items\") AS b",
        "",
        "{\"a\":2,\"b\":2}\n",
    );
}

#[test]
fn what_is_wrong_is_said_with_what_there_is() {
    let tables = "issues (4 rows: number, state, \"user.login\", labels, price, notes, id, closed_at, locked)";
    refused(
        ISSUES,
        "SELECT stat FROM issues",
        &["no such column: stat", tables],
    );
    refused(
        ISSUES,
        "SELECT 1 FROM items",
        &["no such table: items", tables],
    );
    refused(ISSUES, "SELEC 1", &["syntax error", tables]);
    refused(ISSUES, "SELECT 1; SELECT 2", &["more than one statement"]);
    refused(
        "some words",
        "SELECT 1 FROM rows",
        &["no such table: rows", "lines (1 rows: line, text)"],
    );
}

#[test]
fn numbers_in_texts_compare_as_numbers_and_a_word_among_them_is_said() {
    // `count`: rows before the one that differs.
    let rows = |values: &[&str]| {
        let rows = values.iter().map(|v| format!(r#"{{"v": "{v}"}}"#));
        format!("[{}]", rows.collect::<Vec<_>>().join(","))
    };
    let prices = rows(&["95.43", "100.00", "7.25", "1000000.00", "NaN"]);
    check(
        &prices,
        "SELECT count(*) FROM rows WHERE v > 96",
        r#""NaN" in v is NULL"#,
        "2\n",
    );
    check(
        &prices,
        "SELECT max(v) FROM rows WHERE typeof(v) <> 'text'",
        "",
        "1000000.0\n",
    );
    let small = rows(&["1.047e-08", "2e-9", "1e-300", "0.5"]);
    check(
        &small,
        "SELECT count(*) FROM rows WHERE v < 1e-8",
        "",
        "2\n",
    );
    // Of another number of decimals each, but none with a zero at its end.
    let prices = rows(&["95.43", "100", "7.2", "3.25", "", "n/a"]);
    check(
        &prices,
        "SELECT max(CAST(NULLIF(v,'') AS REAL)) FROM rows",
        r#""n/a" in v is NULL"#,
        "100.0\n",
    );
    // A code is no number: it keeps its zeros.
    let codes = rows(&["10001", "94105", "60601", "73301", "02139"]);
    check(
        &codes,
        "SELECT v FROM rows WHERE v = '02139'",
        "",
        "\"02139\"\n",
    );
    // Words alone are words.
    check(
        &rows(&["1", "a", "b"]),
        "SELECT count(*) FROM rows WHERE v > 'a'",
        "",
        "1\n",
    );
}

#[test]
fn a_record_where_other_rows_have_a_list_is_a_row_of_the_same_table() {
    let suites = r#"{"suites": [
      {"case": {"name": "a", "failure": {"text": "lost"}}},
      {"case": [{"name": "b"}, {"name": "c"}]},
      {"case": {"name": "d"}}
    ]}"#;
    check(
        suites,
        "SELECT name, _parent FROM \"case\" ORDER BY name",
        "",
        "a | 0\nb | 1\nc | 1\nd | 2\n",
    );
    check(
        suites,
        "SELECT name FROM \"case\" WHERE failure.text = 'lost'",
        "",
        "a\n",
    );
}

#[test]
fn names_that_differ_in_case_alone_are_said() {
    let rows = r#"[{"Id": 1, "id": -1}, {"Id": 2, "id": -2}]"#;
    check(
        rows,
        "SELECT max(id) FROM rows",
        "id is the column id_2",
        "2\n",
    );
}

#[test]
fn what_looks_right_and_is_wrong_is_refused_or_said() {
    // A name in quotes is no text.
    refused(
        ISSUES,
        "SELECT count(*) FROM issues WHERE state = \"open\"",
        &["no such column", "'single quotes'"],
    );
    refused(ISSUES, "SELECT \"totl\" FROM issues", &["no such column"]);
    // Cells that say nothing are no numbers, and no texts among them.
    let csv = "id,amount\n1,10\n2,\n3,30\n4,\n5,5\n";
    check(csv, "SELECT count(*) FROM rows WHERE amount > 6", "", "2\n");
    check(csv, "SELECT avg(amount) FROM rows", "", "15.0\n");
    check(
        csv,
        "SELECT id FROM rows WHERE amount IS NULL",
        "",
        "2\n4\n",
    );
    // Versions are no numbers, though each looks like one.
    let versions = r#"[{"v": "1.1"}, {"v": "1.10"}, {"v": "2.0"}]"#;
    check(
        versions,
        "SELECT count(*) FROM rows WHERE v = '1.1'",
        "v holds texts: CAST(v AS REAL)",
        "1\n",
    );
    check(
        versions,
        "SELECT v FROM rows WHERE v LIKE '%.10'",
        "",
        "\"1.10\"\n",
    );
    let open = r#"[{"up": true}, {"up": false}]"#;
    check(
        open,
        "SELECT count(*) FROM rows WHERE up = 'true'",
        "columns count(*)",
        "1\n",
    );
    // An object in some rows, null in others.
    let assigned =
        r#"[{"by": null, "n": 1}, {"by": {"login": "x"}, "n": 2}, {"by": {"login": "y"}, "n": 3}]"#;
    check(
        assigned,
        "SELECT count(*) FROM rows WHERE by IS NOT NULL",
        "",
        "2\n",
    );
    check(
        assigned,
        "SELECT n FROM rows WHERE by.login = 'y'",
        "",
        "3\n",
    );
    let sql = ReadRequest {
        query: Some("SELECT 1".to_owned()),
        rows: Some("0:3".to_owned()),
        ..ReadRequest::default()
    };
    let error = sql.query(Query::Short).expect_err("both").to_string();
    assert!(
        error.contains("`query` and `rows` cannot be combined"),
        "{error}"
    );
    refused(ISSUES, "-- nothing", &["it is no SELECT"]);
}

#[test]
fn hostile_names_are_names() {
    for key in ["sqlite_stat", "sqlite_master", "SQLITE_x"] {
        let text = serde_json::json!({key: [{"a": 1}, {"a": 2}], "b": [{"c": 3}]}).to_string();
        check(&text, "SELECT c FROM b", "", "3\n");
        check(&text, &format!("SELECT sum(a) FROM _{key}"), "", "3\n");
    }
    let text = r#"{"q\"t": [{"k\u0000y": 1}, {"k\u0000y": 2}], "a\nb": [[1], [2]]}"#;
    check(text, r#"SELECT sum("k y") FROM "q""t""#, "", "3\n");
    check(text, r#"SELECT sum(value0) FROM "a b""#, "", "3\n");
    let tree = r#"[{"name": "a", "children": [{"name": "b", "children": [{"name": "c"}]}]}]"#;
    check(tree, "SELECT name FROM \"children.children\"", "", "c\n");
    let many: String = (0..100)
        .map(|n| format!("\"l{n}\":[{{\"a\":1}}],"))
        .collect();
    refused(
        &format!("{{{many}\"z\":1}}"),
        "SELECT 1 FROM l99",
        &["lists after the first 64 are no tables"],
    );
}

#[test]
fn columns_are_named_beside_rows_and_as_summaries_write_them() {
    let beside = r#"{"columns": ["id", "Minutes down"], "rows": [[1, 5], [2, 7]]}"#;
    check(
        beside,
        "SELECT id FROM rows WHERE [\"Minutes down\"] > 5",
        "",
        "2\n",
    );
    let typed = r#"{"fields": [{"name": "id", "type": "int"}, {"name": "by", "type": "text"}], "data": [[1, "x"], [2, "y"]]}"#;
    for key in ["fields", "meta"] {
        let typed = typed.replace("fields", key);
        check(&typed, "SELECT by FROM data WHERE id = 2", "", "y\n");
    }
    // Two lists with other names: nobody knows which is meant.
    let regions = r#"{"fields": [{"name": "eu"}, {"name": "us"}], "columns": ["id", "by"], "rows": [[1, "x"], [2, "y"]]}"#;
    check(
        regions,
        "SELECT value1 FROM rows WHERE value0 = 2",
        "",
        "y\n",
    );
    let odd = r#"{"items": [{"reactions": {"+1": 3, "n": 1}}, {"reactions": {"+1": 0, "n": 2}}]}"#;
    check(
        odd,
        "SELECT count(*) FROM items WHERE reactions[\"+1\"] > 0",
        "",
        "1\n",
    );
    check(
        odd,
        "SELECT count(*) FROM items i WHERE i.reactions[\"+1\"] > 0",
        "",
        "1\n",
    );
}

#[test]
fn texts_are_taken_apart_and_read_without_colours() {
    let log =
        "\u{1b}[32mPASSED\u{1b}[0m a::b took 12 ms\n\u{1b}[31mFAILED\u{1b}[0m a::c took 7 ms\n";
    check(
        log,
        "SELECT regexp_substr(text, 'took (\\d+) ms') FROM lines",
        "",
        "\"12\"\n\"7\"\n",
    );
    check(
        log,
        "SELECT split_part(text, ' ', 2) FROM lines WHERE text LIKE 'FAILED a%'",
        "",
        "a::c\n",
    );
    check(
        log,
        "SELECT split_part(text, ' ', -1), split_part(text, ' ', 9) FROM lines LIMIT 2",
        "",
        "ms | \"\"\nms | \"\"\n",
    );
    let found = ask(log, super::find("FAILED a::c")).expect("a find");
    assert_eq!(found.text, "2: FAILED a::c took 7 ms\n");
}

#[test]
fn a_column_is_read_however_its_name_is_spelled() {
    let odd = r#"[{"a\"b": 1, "Größe": 2, "x.y": {"+1": 3}, "order": 4, "n": "7.50"}]"#;
    for column in [
        r#""a""b""#,
        "`a\"b`",
        "Größe",
        "GRößE",
        "r.Größe",
        "x.y[\"+1\"]",
        "r.\"x.y.+1\"",
        "\"ORDER\"",
        "r . n",
    ] {
        check_alone(odd, &format!("count({column}) FROM rows r"), "1\n");
    }
    for all in [
        "SELECT * FROM rows",
        "SELECT r.* FROM rows r",
        "SELECT x.* FROM (SELECT * FROM rows) x",
    ] {
        check(
            odd,
            all,
            "query",
            "{\"_row\":0,\"a\\\"b\":1,\"Größe\":2,\"x.y.+1\":3,\"order\":4,\"n\":\"7.50\"}\n",
        );
    }
}

#[test]
fn notes_that_are_left_out_are_counted() {
    let odd: Vec<String> = (0..5).map(|n| format!(r#""v{n}": "{n}ms""#)).collect();
    let odd = format!("[{{{}}}]", odd.join(","));
    check(
        &odd,
        "SELECT sum(v0), sum(v1), sum(v2), sum(v3), sum(v4) FROM rows",
        "; 2 more notes: ask of fewer columns",
        "{\"sum(v0)\":0.0,\"sum(v1)\":1.0,\"sum(v2)\":2.0,\"sum(v3)\":3.0,\"sum(v4)\":4.0}\n",
    );
    // The name of a function is no column.
    let counts = r#"[{"count": "5 ms"}, {"count": "7 ms"}]"#;
    check_alone(counts, "count(*) FROM rows ORDER BY count(*)", "2\n");
}

#[test]
fn a_query_only_reads() {
    for sql in [
        "DELETE FROM issues",
        "CREATE TABLE x (y)",
        "ATTACH '/tmp/x' AS x",
        "PRAGMA hard_heap_limit=0",
        "PRAGMA database_list",
        "INSERT INTO issues (number) VALUES (1)",
        "SELECT load_extension('x') FROM issues",
        "SELECT random()",
        "SELECT readfile('/etc/passwd')",
        "SELECT * FROM pragma_database_list",
        "SELECT zeroblob(1000000000)",
        "VACUUM INTO '/tmp/x'",
    ] {
        refused(ISSUES, sql, &[]);
    }
}

#[test]
fn a_query_has_bounds() {
    let start = std::time::Instant::now();
    let endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)";
    refused(
        "[]",
        &format!("{endless} SELECT count(*) FROM n"),
        &["takes longer than 3 s"],
    );
    let large = "printf('%1000000d', x)";
    refused(
        "[]",
        &format!("{endless} SELECT * FROM (SELECT {large} AS y FROM n) ORDER BY y"),
        &["takes more than 256 MiB"],
    );
    refused(
        "[]",
        &format!("{endless} SELECT x FROM n"),
        &["more than 100,000 rows"],
    );
    refused(
        "[]",
        &format!("SELECT '{}'", "x".repeat(5_000)),
        &["5,009 bytes"],
    );
    refused(
        "[]",
        &format!("SELECT 1{}", "+1".repeat(500)),
        &["too large"],
    );
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}

#[test]
fn pages_of_an_answer_are_the_answer() {
    let rows: Vec<_> = (0..500)
        .map(|n| serde_json::json!({"n": n, "name": format!("row {n}")}))
        .collect();
    let text = serde_json::Value::from(rows).to_string();
    let sql = query("SELECT n, name FROM rows WHERE n % 2 = 0");
    let all = all_pages(text.as_bytes(), None, sql, 200);
    let expected: String = (0..500)
        .step_by(2)
        .map(|n| format!("{n} | row {n}\n"))
        .collect();
    assert_eq!(all, expected);
}

#[test]
fn dots_are_quoted_where_they_are_part_of_a_name_alone() {
    for (sql, expected) in [
        ("SELECT 'user.login' FROM issues WHERE nothing = 1", None),
        (
            "SELECT user.login -- user.login\nFROM issues",
            Some("ann\nbea\nann\ndee\n"),
        ),
        (
            "SELECT /* user.login */ USER.LOGIN FROM issues WHERE number = 8.0",
            Some("bea\n"),
        ),
    ] {
        let answer = ask(ISSUES, query(sql)).map(|answer| answer.text);
        assert_eq!(answer.ok().as_deref(), expected, "{sql}");
    }
}

proptest! {
    #![proptest_config(config())]

    /// Counts, sums and rows are those of the document.
    #[test]
    fn sums_are_those_of_the_document(
        rows in prop::collection::vec((0..5_u8, -1_000_000..1_000_000_i64, "[a-z]{0,6}"), 1..60)
    ) {
        let document = serde_json::json!({"data": {"entries": rows
            .iter()
            .map(|(kind, size, name)| serde_json::json!({"kind": kind, "size": size, "of": {"name": name}}))
            .collect::<Vec<_>>()}});
        let text = document.to_string();
        let sum: i64 = rows.iter().filter(|row| row.0 == 2).map(|row| row.1).sum();
        let count = rows.iter().filter(|row| row.0 == 2).count();
        let sql = "SELECT count(*) AS n, total(size) AS s FROM entries WHERE kind = 2";
        let answer = ask(&text, query(sql)).expect("an answer");
        prop_assert_eq!(answer.text, format!("{{\"n\":{count},\"s\":{:?}}}\n", sum as f64));
        let names = ask(&text, query("SELECT json_group_array(of.name) FROM entries")).expect("names");
        let names: String = serde_json::from_str(&names.text).unwrap_or(names.text);
        let names: Vec<String> = serde_json::from_str(&names).expect("a list");
        prop_assert!(names.iter().eq(rows.iter().map(|row| &row.2)));
    }

    #[test]
    fn no_query_breaks_it(sql in "[ -~]{0,60}", text in "[\\[\\]{}\",:0-9a-c ]{0,60}") {
        match ask(&text, query(&sql)) {
            Ok(_) => {}
            Err(error) => prop_assert!(matches!(
                error,
                ReadError::Query { .. } | ReadError::CapTooSmall { .. }
            ), "{}", error),
        }
    }
}

#[test]
fn lists_by_key_are_one_table_too() {
    let list = |file: usize| -> Vec<serde_json::Value> {
        let row = |at: usize| serde_json::json!({"rule": format!("r{}", at % 3), "line": at, "tags": [{"t": file}]});
        (0..file % 5).map(row).collect()
    };
    let files: serde_json::Map<_, _> = (0..90)
        .map(|file| (format!("src/f{file}.rs"), list(file).into()))
        .collect();
    let inside = serde_json::json!({"total": 180, "by_file": files}).to_string();
    let alone = serde_json::Value::Object(files).to_string();
    for (text, name) in [(&inside, "by_file"), (&alone, "rows")] {
        for (query, expected) in [
            ("SELECT count(*) FROM NAME", "180\n"),
            (
                "SELECT key FROM NAME GROUP BY key HAVING count(*) = 4 LIMIT 1",
                "src/f14.rs\n",
            ),
            ("SELECT sum(line) FROM NAME WHERE rule = 'r2'", "72\n"),
            ("SELECT count(DISTINCT key) FROM NAME", "72\n"),
        ] {
            check(text, &query.replace("NAME", name), "1 row; ", expected);
        }
    }
    let by_path = Query::Sql {
        query: "SELECT count(*) FROM rows".to_owned(),
        path: Some("$.by_file".to_owned()),
    };
    assert_eq!(ask(&inside, by_path).expect("rows").text, "180\n");
    // A list has its name before a table of several.
    let list = |count: usize| vec![serde_json::json!({"id": 1, "key": "k"}); count];
    let named = serde_json::json!({"rows": list(20), "b": list(10), "c": list(10), "d": list(9)})
        .to_string();
    check(&named, "SELECT count(*) FROM rows", "1 row; ", "20\n");
    check(
        &named,
        "SELECT count(*), count(DISTINCT _key), min(key) FROM rows_2",
        "1 row; ",
        "{\"count(*)\":49,\"count(DISTINCT _key)\":4,\"min(key)\":\"k\"}\n",
    );
    // Lists of different things are tables of their own alone.
    let apart = r#"{"users":[{"name":"a"}],"orders":[{"id":1,"sum":2}],"items":[{"sku":"x","n":1}],"logs":[{"at":1,"text":"b"}]}"#;
    let wrong = ask(
        apart,
        super::Query::Sql {
            query: "SELECT * FROM rows".to_owned(),
            path: None,
        },
    );
    assert!(wrong.is_err());
}
