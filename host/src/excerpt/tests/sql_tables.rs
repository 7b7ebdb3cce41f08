//! Queries: each list, map and column is the same for all rows, and a name that fits several is said.

use super::sql::{check, check_alone, refused};
use super::{Query, ask};

#[test]
fn an_object_is_a_record_or_a_map_in_all_rows() {
    // Of three members and of four, each an object: columns of all rows, and entries of all.
    let records = r#"{"items": [
      {"fields": {"title": {"en": "a"}, "status": {"en": "live"}, "rank": {"en": 1}}},
      {"fields": {"title": {"en": "b"}, "status": {"en": "live"}, "rank": {"en": 2}, "slug": {"en": "x"}}},
      {"fields": {"title": {"en": "c"}, "status": {"en": "broken"}, "rank": {"en": 3}, "slug": {"en": "y"}}}
    ]}"#;
    check(
        records,
        "SELECT fields.status.en, count(*) FROM items GROUP BY 1 ORDER BY 1",
        "",
        "broken | 1\nlive | 2\n",
    );
    check(
        records,
        "SELECT avg(fields.rank.en) FROM items",
        "",
        "2.0\n",
    );
    check(records, "SELECT count(*) FROM fields", "", "11\n");
    // All of them maps: columns, too.
    let maps = r#"[
      {"links": {"self": {"href": "/1"}, "html": {"href": "h"}, "by": {"href": "b"}, "at": {"href": "c"}}},
      {"links": {"self": {"href": "/2"}, "html": {"href": "h"}, "by": {"href": "b"}, "at": {"href": "c"}}}
    ]"#;
    check(maps, "SELECT links.self.href FROM rows", "", "/1\n/2\n");
    check(
        maps,
        "SELECT count(*) FROM links WHERE key = 'at'",
        "",
        "2\n",
    );
    // A map of many keys has entries, and no columns.
    let many = |user: usize| {
        let users = (0..user + 3).map(|n| format!(r#""u{}":{{"clicks":1}}"#, n + user));
        format!(r#"{{"by": {{{}}}}}"#, users.collect::<Vec<_>>().join(","))
    };
    let days: Vec<String> = (1..40).map(many).collect();
    let days = format!("[{}]", days.join(","));
    check(
        &days,
        "SELECT count(*), sum(clicks) FROM by",
        "",
        "{\"count(*)\":897,\"sum(clicks)\":897}\n",
    );
    // A scalar in one row: a record in all.
    let mixed = r#"[
      {"s": {"a": {"v": 1}, "b": {"v": 2}, "c": {"v": 3}, "d": {"v": 4}}},
      {"s": {"a": {"v": 5}, "b": {"v": 6}, "c": {"v": 7}, "kind": "x"}}
    ]"#;
    check(mixed, "SELECT sum(s.a.v) FROM rows", "", "6\n");
    refused(mixed, "SELECT count(*) FROM s", &["no such table: s"]);
}

#[test]
fn the_largest_list_of_a_key_has_its_name() {
    let shadow = r#"{"request": {"items": [{"x": 1}, {"x": 2}]},
      "items": [{"id": 1, "tags": [{"t": "a"}]}, {"id": 2, "tags": [{"t": "b"}]}, {"id": 3, "tags": []}],
      "old": {"tags": [{"t": "z"}]}}"#;
    check(
        shadow,
        "SELECT count(*) FROM items",
        "items is $.items (3 rows), not \"request.items\" (2)",
        "3\n",
    );
    check(
        shadow,
        "SELECT count(*) FROM request.items",
        "columns count(*)",
        "2\n",
    );
    // A list outside of rows goes before those in rows.
    check(
        shadow,
        "SELECT t FROM tags",
        "tags is $.old.tags (1 rows), not \"items.tags\" (2)",
        "z\n",
    );
    // The order of members does not matter, and both long names work.
    for jobs in [
        r#"{"jobs": [{"setup": {"steps": [{"s": 1}]}, "steps": [{"s": 2}, {"s": 3}]}]}"#,
        r#"{"jobs": [{"steps": [{"s": 2}, {"s": 3}], "setup": {"steps": [{"s": 1}]}}]}"#,
    ] {
        check(
            jobs,
            "SELECT sum(s) FROM steps",
            "steps is $.jobs[*].steps",
            "5\n",
        );
        check_alone(jobs, "sum(s) FROM jobs.steps", "5\n");
        check_alone(jobs, "sum(s) FROM jobs.setup.steps", "1\n");
    }
}

#[test]
fn a_list_of_texts_counts_where_other_rows_have_records() {
    let audit = r#"{"found": [
      {"via": ["a", "b"]}, {"via": [{"name": "c"}]}, {"via": ["d", {"name": "e"}]}, {"via": []}
    ]}"#;
    check(audit, "SELECT count(*) FROM via", "", "5\n");
    check(
        audit,
        "SELECT value FROM via WHERE value IS NOT NULL ORDER BY 1",
        "",
        "a\nb\nd\n",
    );
    check(
        audit,
        "SELECT _parent, count(*) FROM via GROUP BY 1",
        "",
        "0 | 2\n1 | 1\n2 | 2\n",
    );
}

#[test]
fn columns_of_one_name_are_both_there() {
    let join = r#"{"columns": ["id", "name", "id"], "rows": [[1, "a", 900], [2, "b", 901]]}"#;
    check(
        join,
        "SELECT max(id), max(id_2) FROM rows",
        "another id is the column id_2",
        "{\"max(id)\":2,\"max(id_2)\":901}\n",
    );
    let dotted = r#"[{"log.level": "fatal", "log": {"level": 3}}, {"log.level": "info", "log": {"level": 4}}]"#;
    check(
        dotted,
        "SELECT \"log.level_2\" FROM rows WHERE log.level = 'fatal'",
        "another log.level is the column \"log.level_2\"",
        "3\n",
    );
}

#[test]
fn columns_that_are_lists_in_some_rows_are_said() {
    let orders = r#"{"orders": [
      {"line": {"qty": 1}}, {"line": [{"qty": 2}, {"qty": 3}]}, {"line": {"qty": 4}}
    ]}"#;
    check(
        orders,
        "SELECT sum(line.qty) FROM orders o",
        "where line is a list, its columns are NULL: table line has all",
        "5\n",
    );
    check_alone(orders, "sum(qty) FROM line", "10\n");
}

#[test]
fn a_column_without_a_name_can_be_asked() {
    let csv = ",name,score\n0,ann,7.5\n1,bob,8\n2,eve,9\n";
    check(
        csv,
        "SELECT max(\"\"), count(*) FROM rows",
        "",
        "{\"max(\\\"\\\")\":2,\"count(*)\":3}\n",
    );
    check(
        csv,
        "SELECT \"\" AS n, name FROM rows WHERE score > 7.5 ORDER BY n",
        "",
        "1 | bob\n2 | eve\n",
    );
    let nan =
        "[{\"id\": 1, \"loss\": 0.5}, {\"id\": 2, \"loss\": NaN}, {\"id\": 3, \"loss\": 0.7}]";
    check(nan, "SELECT id FROM rows WHERE loss = 'NaN'", "", "2\n");
}

#[test]
fn tables_in_a_page_have_the_names_of_their_headings() {
    let rows = |name: &str| -> String {
        let row = |n: usize| {
            format!(
                "| {name}{n} | {} |\n",
                if n == 7 { "CRITICAL" } else { "OK" }
            )
        };
        (0..12).map(row).collect()
    };
    let page = format!(
        "# Status\n\n{}\n\n## Incidents of 2026\n\n| ID | State |\n|---|---|\n{}\nMore words.\n\n## Jobs\n\nName | State\n---|---\n{}\nEnd.\n",
        "All of this week, at length.\n".repeat(99),
        rows("inc"),
        rows("job").replace("| job", "job").replace(" |\n", "\n"),
    );
    check_alone(
        &page,
        "ID FROM Incidents_of_2026 WHERE State = 'CRITICAL'",
        "inc7\n",
    );
    check_alone(&page, "count(*) FROM Jobs", "12\n");
    check_alone(
        &page,
        "count(*) FROM lines WHERE text LIKE '%CRITICAL%'",
        "2\n",
    );
    let path = ask(&page, Query::Path("$.Jobs[7].Name".to_owned())).expect("a name");
    assert_eq!(path.text.trim(), "\"job7\"");
}

#[test]
fn tables_of_html_have_the_names_of_their_headings() {
    let row = |n: usize| {
        let state = if n == 7 { "R&amp;D down" } else { "up" };
        format!("<tr><td><a href=\"/{n}\">svc-{n}</a></td><td>{state}</td><td>{n}</td></tr>\n")
    };
    let rows: String = (0..12).map(row).collect();
    let page = format!(
        "<!DOCTYPE html>\n<html><body><h2>Services of 2026</h2>\n<table><tr><th>Name</th><th>State</th><th>Hours</th></tr>\n{rows}</table></body></html>\n"
    );
    check(
        &page,
        "SELECT Name, State FROM Services_of_2026 WHERE State <> 'up'",
        "1 row; ",
        "{\"Name\":\"svc-7\",\"State\":\"R&D down\"}\n",
    );
    check_alone(&page, "sum(Hours) FROM Services_of_2026", "66\n");
    let path = ask(&page, Query::Path("$.Services_of_2026[7].Name".to_owned())).expect("a name");
    assert_eq!(path.text.trim(), "\"svc-7\"");
}

#[test]
fn like_lists_are_one_table_beside_a_few_other_members() {
    let list = |at: usize| -> Vec<serde_json::Value> {
        let row = |row: usize| serde_json::json!({"pid": at * 100 + row, "state": if (at, row) == (4, 2) { "zombie" } else { "running" }});
        (0..3).map(row).collect()
    };
    let mut lists: serde_json::Map<String, serde_json::Value> = (0..8)
        .map(|at| (format!("web{at}"), list(at).into()))
        .collect();
    lists.insert("total".to_owned(), serde_json::json!(24));
    let text = serde_json::Value::Object(lists.clone()).to_string();
    check(&text, "SELECT count(*) FROM rows", "", "24\n");
    check(
        &text,
        "SELECT key, pid FROM rows WHERE state = 'zombie'",
        "",
        "{\"key\":\"web4\",\"pid\":402}\n",
    );
    // Too many others: each list is a table of its own.
    for other in ["page", "limit"] {
        lists.insert(other.to_owned(), serde_json::json!(1));
    }
    let text = serde_json::Value::Object(lists).to_string();
    refused(&text, "SELECT count(*) FROM rows", &["no such table: rows"]);
}

#[test]
fn rows_at_a_path_have_the_names_that_stand_beside_them() {
    let table = r#"{"data": {"columns": ["id", "name"], "types": ["INT", "TEXT"], "values": [[1, "ann"], [2, "bob"]]}}"#;
    let query = Query::Sql {
        query: "SELECT name FROM rows WHERE id = 2".to_owned(),
        path: Some("$.data.values".to_owned()),
    };
    let found = ask(table, query).expect("the columns have names");
    assert!(found.to_string().ends_with("\nbob\n"), "{found}");
    check(
        table,
        "SELECT name FROM \"values\" WHERE id = 1",
        "",
        "ann\n",
    );
}

#[test]
fn values_without_names_are_known_by_their_places() {
    let rows = r#"[[7, "open", "a]b"], [9, "late", "c"], [4, "open", "[1]"]]"#;
    check_alone(rows, "count(*) FROM rows WHERE [1] = 'open'", "2\n");
    check(
        rows,
        "SELECT \"[0]\" FROM rows ORDER BY [0]",
        "",
        "4\n7\n9\n",
    );
    check(
        rows,
        "SELECT r.[0] FROM rows r WHERE r.[2] = '[1]'",
        "",
        "4\n",
    );
    // A place that no row has, and a name that another table's column has.
    refused(
        rows,
        "SELECT [3] FROM rows",
        &["no such column: 3", "value0"],
    );
}

#[test]
fn what_joins_a_list_in_rows_with_these_rows_is_said() {
    let pulls = r#"[{"number": 5, "labels": [{"name": "bug"}, {"name": "p1"}]}, {"number": 6, "labels": []}, {"number": 7, "labels": [{"name": "docs"}]}]"#;
    let said = "labels._parent is the _row of rows";
    let wrong = "SELECT number, name FROM rows JOIN labels ON labels._row = rows._row";
    let answer = ask(
        pulls,
        Query::Sql {
            query: wrong.to_owned(),
            path: None,
        },
    )
    .expect("rows");
    assert!(answer.header.contains(said), "{answer}");
    let right = wrong.replace("labels._row", "labels._parent");
    let answer = ask(
        pulls,
        Query::Sql {
            query: right,
            path: None,
        },
    )
    .expect("rows");
    assert_eq!(answer.text, "5 | bug\n5 | p1\n7 | docs\n");
    assert!(!answer.header.contains(said), "{answer}");
    refused(
        pulls,
        "SELECT x FROM labels",
        &["labels (3 rows: _parent, name)"],
    );
}

#[test]
fn a_map_of_single_values_is_a_table() {
    let counts =
        |of: &dyn Fn(usize) -> serde_json::Value| -> serde_json::Map<String, serde_json::Value> {
            (0..20).map(|at| (format!("worker-{at}"), of(at))).collect()
        };
    let numbers = serde_json::json!({"counts": counts(&|at| (at * 7 % 20).into()), "total": 20});
    let most = "SELECT key, value FROM counts ORDER BY value DESC LIMIT 1";
    check(
        &numbers.to_string(),
        most,
        "1 row",
        "{\"key\":\"worker-17\",\"value\":19}\n",
    );
    check_alone(&numbers.to_string(), "total FROM document", "20\n");
    let texts = serde_json::Value::Object(counts(&|at| format!("v{at}").into()));
    check_alone(
        &texts.to_string(),
        "value FROM rows WHERE key = 'worker-3'",
        "v3\n",
    );
    // A record of values of several kinds is none, nor is one of few.
    let record = counts(&|at| if at % 2 == 0 { at.into() } else { "x".into() });
    let record = serde_json::Value::Object(record).to_string();
    refused(&record, "SELECT * FROM rows", &["no such table: rows"]);
}

#[test]
fn lists_side_by_side_are_columns() {
    let times: Vec<String> = (0..24)
        .map(|hour| format!("2026-11-01T{hour:02}:00"))
        .collect();
    let degrees: Vec<f64> = (0..24)
        .map(|hour| if hour == 13 { 34.5 } else { 10.0 })
        .collect();
    let forecast = serde_json::json!({
        "latitude": 52.5,
        "hourly": {"time": times, "temperature_2m": degrees},
        "daily": {"time": ["2026-11-01"], "uv": [1.5]},
    });
    check(
        &forecast.to_string(),
        "SELECT _row, time, temperature_2m FROM hourly WHERE temperature_2m > 30",
        "1 row",
        "{\"_row\":13,\"time\":\"2026-11-01T13:00\",\"temperature_2m\":34.5}\n",
    );
    // Each list is a table as well.
    check(
        &forecast.to_string(),
        "SELECT max(value) AS m FROM temperature_2m",
        "1 row",
        "34.5\n",
    );
    let candles = serde_json::json!({"s": "ok", "t": times, "c": degrees});
    check(
        &candles.to_string(),
        "SELECT t FROM rows WHERE c > 30",
        "1 row",
        "2026-11-01T13:00\n",
    );
    // Of other lengths, or of other lists, nobody knows what belongs together.
    let other = serde_json::json!({"hourly": {"time": times, "t": degrees[1..]}});
    refused(
        &other.to_string(),
        "SELECT 1 FROM hourly",
        &["no such table: hourly"],
    );
}

#[test]
fn keys_with_dots_are_names_of_their_own() {
    let text = r#"{"a.b": [{"x": 1}, {"x": 2}], "a": {"b": [{"x": 10}, {"x": 20}, {"x": 30}]}}"#;
    check_alone(text, "sum(x) FROM \"a.b\"", "3\n");
    check_alone(text, "sum(x) FROM b", "60\n");
    check_alone(text, "path FROM tables WHERE name = 'a.b'", "$[\"a.b\"]\n");
    let files = r#"{"files": {"src/main.py": [{"line": 1}, {"line": 2}], "n": 1}}"#;
    check_alone(files, "sum(line) FROM \"src/main.py\"", "3\n");
    let records = r#"[{"a.b": null, "c": 1}, {"a.b": {"login": "ann", "v.w": 2}, "c": 2}]"#;
    check_alone(records, "max([\"a.b\"].login) FROM rows", "ann\n");
    check_alone(records, "max([\"a.b\"][\"v.w\"]) FROM rows", "2\n");
    let rows = r#"{"rows": [{"a.b": [{"x": 1}], "c": {"d": [{"y": 4}]}}]}"#;
    check_alone(rows, "sum(x) FROM \"a.b\"", "1\n");
    check_alone(rows, "sum(y) FROM \"c.d\"", "4\n");
}

#[test]
fn a_list_at_a_path_is_rows_beside_members_of_that_name() {
    let text =
        r#"{"it's": [{"id": 1, "rows": [{"x": 5}, {"x": 6}]}, {"id": 2, "rows": [{"x": 7}]}]}"#;
    for (query, path, expected) in [
        ("SELECT sum(id) FROM rows", "$[\"it's\"]", "3\n"),
        ("SELECT sum(id) FROM \"it's\"", "$[\"it's\"]", "3\n"),
        ("SELECT sum(x) FROM rows_2", "$[\"it's\"]", "18\n"),
    ] {
        let query = Query::Sql {
            query: query.to_owned(),
            path: Some(path.to_owned()),
        };
        match ask(text, query.clone()) {
            Ok(excerpt) => assert_eq!(excerpt.text, expected, "{query:?}"),
            Err(error) => panic!("{query:?}: {error}"),
        }
    }
    check_alone(text, "sum(x) FROM rows", "18\n");
}

#[test]
fn the_index_of_a_row_counts_the_names_of_columns() {
    let list = r#"[["id", "name"], [7, "ann"], [8, "bea"], [9, "cy"]]"#;
    check_alone(list, "_row FROM rows WHERE id = 7", "1\n");
}
