//! Rows that are lists: where the names of their columns are.

use serde_json::{Value, json};
use summary::Summary;
use tamis_sdk::testing::Bench;

#[track_caller]
fn tells(document: &Value, parts: &[&str]) -> String {
    let bench: Bench<Summary> = Bench::new(json!({"tables": false}));
    let applied = bench.apply(&document.to_string());
    assert!(applied.changed, "{document}");
    let summary = applied.text().to_owned();
    for part in parts {
        assert!(summary.contains(part), "no {part:?} in {summary}");
    }
    summary
}

/// Rows of strings, of which one has another state.
fn rows() -> Vec<Value> {
    let row = |i: usize| {
        let state = if i == 77 { "disputed" } else { "paid" };
        let total = if i == 50 { "9000.00" } else { "12.50" };
        json!([
            format!("customer {i}"),
            total,
            format!("{}", i % 9 + 1),
            state
        ])
    };
    (0..150).map(row).collect()
}

#[test]
fn the_first_row_of_a_sheet_of_strings_names_the_columns() {
    let mut values = rows();
    values.insert(0, json!(["Customer", "Total", "Units", "State"]));
    tells(
        &json!({"range": "A1:D151", "values": values}),
        &[
            "$.values: 151 rows, [0] names the columns",
            "[2] Units \"1\"..\"9\"",
            "[1] Total: \"12.50\" 149, \"9000.00\" 1 at [51]",
            "[3] State: paid 149, disputed 1 at [78]",
        ],
    );
}

#[test]
fn a_first_row_like_the_others_is_a_row() {
    let summary = tells(&json!(rows()), &["$: 150 rows\n"]);
    assert!(!summary.contains("names the columns"), "{summary}");
    // No column has digits in all rows but the first.
    let row = |row: &Value| json!([row[3], row[0], "some more words"]);
    let mut words: Vec<Value> = rows().iter().map(row).collect();
    words.insert(0, json!(["open", "customer 700", "other words"]));
    let summary = tells(&json!(words), &["$: 151 rows\n"]);
    assert!(!summary.contains("names the columns"), "{summary}");
    // One of its words is a value of the column, or of none.
    for (first, is_header) in [
        (["ann", "idle", "none", "eu"], false),
        (["ann", "N/A", "none", "zone"], false),
        (["user", "load", "note", "zone"], true),
    ] {
        let row = |i: usize| json!([format!("user{i}"), i, "x", "eu"]);
        let mut values: Vec<Value> = (0..250).map(row).collect();
        values.insert(0, json!(first));
        values.insert(200, json!(["user", "load", "note", "zone"]));
        let summary = tells(&json!(values), &["$: 252 rows"]);
        assert_eq!(
            summary.contains("names the columns"),
            is_header,
            "{summary}"
        );
    }
}

#[test]
fn objects_beside_the_rows_name_the_columns() {
    let names = ["customer", "total", "units", "state"];
    let fields: Vec<Value> = names
        .map(|name| json!({"name": name, "type": "TEXT"}))
        .into();
    for document in [
        json!({"columns": fields, "rows": rows()}),
        json!({"fields": fields, "data": rows()}),
        json!({"schema": {"fields": fields}, "data": rows()}),
        json!({"meta": fields, "data": rows()}),
    ] {
        tells(&document, &["[3] state: paid 149, disputed 1 at [77]"]);
    }
    let few = json!({"columns": fields[1..], "rows": rows()});
    tells(&few, &["[3]: paid 149, disputed 1 at [77]"]);
    let same = json!({"columns": fields, "names": names, "rows": rows()});
    tells(&same, &["[3] state: paid 149, disputed 1 at [77]"]);
}

#[test]
fn lists_with_several_names_name_no_columns() {
    let (names, regions) = (
        ["customer", "total", "units", "state"],
        ["a", "b", "c", "d"],
    );
    let regions = regions.map(|name| json!({"name": name}));
    for document in [
        json!({"fields": regions, "columns": names, "rows": rows()}),
        json!({"schema": {"fields": regions, "columns": names}, "rows": rows()}),
    ] {
        tells(&document, &["[3]: paid 149, disputed 1 at [77]"]);
    }
    let other = json!({"rows": rows(), "other": {"columns": names, "rows": rows()}});
    tells(&other, &["[3]: paid 149, disputed 1 at [77]"]);
    // The first row is not the header if a list beside the rows has other names.
    let mut values = rows();
    values.insert(0, json!(["ann", "soon", "few", "paid-late"]));
    let document = json!({"values": values, "columns": names});
    tells(&document, &["$.values: 151 rows\n", "[1] total"]);
}

#[test]
fn a_header_is_no_odd_row() {
    let name = |i: usize| json!(format!("Client {} of the north", i % 40));
    let row = |i: usize| json!([name(i), "12.50", if i == 88 { "no" } else { "yes" }]);
    let mut values: Vec<Value> = (0..200).map(row).collect();
    values.insert(0, json!(["Name", "Amount", "Paid"]));
    let summary = tells(
        &json!({ "values": values }),
        &[
            "[2] Paid: yes 199, no 1 at [89]",
            "\"path\":\"$.values[89]\"",
        ],
    );
    assert!(!summary.contains("at [0]"), "{summary}");
}

#[test]
fn rows_of_a_sheet_may_lack_their_last_cells() {
    let row = |i: usize| match i {
        61 => json!(["61", "task 61", "p1", "TRUE", "blocked by legal"]),
        99 => json!(["99"]),
        120 => json!([]),
        i => json!([
            i.to_string(),
            format!("task {i}"),
            format!("p{}", i % 4),
            "TRUE"
        ]),
    };
    let mut values: Vec<Value> = (0..180).map(row).collect();
    values.insert(0, json!(["id", "task", "owner", "done", "remark"]));
    tells(
        &json!({"range": "A1:E181", "values": values}),
        &[
            "$.values: 181 rows, [0] names the columns",
            "[3] done: TRUE 178, missing 2",
            "[4] remark: only 1 has (blocked by legal) at [62]",
            "[0] id \"0\"..\"179\"",
        ],
    );
    // Many short rows are no rows of a sheet.
    let lists: Vec<Value> = (0..90).map(|i| json!(vec!["word"; i % 9])).collect();
    let summary = tells(&json!({"id": "x".repeat(3_000), "lists": lists}), &[]);
    assert!(!summary.contains("[4]"), "{summary}");
}

#[test]
fn each_of_few_sheets_has_its_own_columns() {
    let sheet = |names: [&str; 3], odd: usize| {
        let row = |i: usize| {
            json!([
                i.to_string(),
                "some words",
                if i == odd { "no" } else { "yes" }
            ])
        };
        let mut values: Vec<Value> = (0..80).map(row).collect();
        values.insert(0, json!(names));
        json!({"range": "A1:C81", "majorDimension": "ROWS", "values": values})
    };
    let sheets = json!([
        sheet(["id", "task", "done"], 50),
        sheet(["no", "what", "paid"], 60)
    ]);
    tells(
        &json!({"spreadsheetId": "x", "valueRanges": sheets}),
        &[
            "$.valueRanges[0].values: 81 rows, [0] names the columns",
            "[2] done: yes 79, no 1 at [51]",
            "$.valueRanges[1].values: 81 rows",
            "[2] paid: yes 79, no 1 at [61]",
        ],
    );
}

#[test]
fn cells_in_objects_have_the_names_of_the_schema() {
    let row = |i: usize| {
        let state = if i == 123 { "failed" } else { "ok" };
        let total = if i == 50 {
            Value::Null
        } else {
            json!((i % 90).to_string())
        };
        json!({"f": [{"v": format!("user {i}")}, {"v": total}, {"v": state}]})
    };
    let field = |name: &str| json!({"name": name, "type": "STRING"});
    let fields = ["user", "total", "state"].map(field);
    let rows: Vec<Value> = (0..200).map(row).collect();
    tells(
        &json!({"schema": {"fields": fields}, "rows": rows, "totalRows": "200"}),
        &[
            "f[2].v state: ok 199, failed 1 at [123]",
            "f[1].v total",
            "user|total|state",
            "user 123|\"33\"|failed",
        ],
    );
}

#[test]
fn titles_may_stand_above_the_header_of_a_sheet() {
    for titles in [
        json!([["Invoices 2026", "", "", ""], ["", "", "", ""]]),
        json!([["Invoices 2026"], []]),
        json!([
            [null, null, null, null],
            [null, "Invoices 2026", null, null]
        ]),
    ] {
        let mut values = titles.as_array().expect("rows").clone();
        values.push(json!(["Customer", "Total", "Units", "State"]));
        values.extend(rows());
        tells(
            &json!({"range": "A1:D153", "values": values}),
            &[
                "$.values: 153 rows, [2] names the columns, above: \"Invoices 2026\"\n",
                "[1] Total: \"12.50\" 149, \"9000.00\" 1 at [53]",
                "[3] State: paid 149, disputed 1 at [80]",
                "\"path\":\"$.values[53]\"",
            ],
        );
    }
    // Without a header, such rows are rows.
    let mut values = vec![json!(["Invoices 2026", "", "", ""])];
    values.extend(rows());
    let summary = tells(
        &json!({"range": "A1:D151", "values": values}),
        &["$.values: 151 rows\n"],
    );
    assert!(!summary.contains("above"), "{summary}");
}

#[test]
fn a_title_above_the_header_lacks_no_cells() {
    let mut values = rows();
    values[80] = json!(["customer 80"]);
    let titles = json!([
        ["Invoices 2026"],
        [],
        ["Customer", "Total", "Units", "State"]
    ]);
    values.splice(0..0, titles.as_array().expect("rows").clone());
    let summary = tells(
        &json!({"range": "A1:D153", "values": values}),
        &[
            "$.values: 153 rows, [2] names the columns",
            "missing 1 at [83]",
        ],
    );
    assert!(!summary.contains("missing 1 at [0]"), "{summary}");
}
