//! Limits, obeyed and lowered.

use serde_json::{Value, json};

use super::{bench, cells, pretty, tokens};

fn files(sizes: &[usize]) -> Value {
    let rows = |count: usize| -> Vec<Value> {
        (0..count)
            .map(|n| json!({"name": format!("name_{n}"), "sig": "fn f(a: &str) -> Vec<u8>"}))
            .collect()
    };
    let file =
        |(n, count): (usize, &usize)| json!({"path": format!("src/{n}.rs"), "f": rows(*count)});
    json!({"files": sizes.iter().enumerate().map(file).collect::<Vec<_>>()})
}

fn grouped(budget: Value) -> Value {
    json!({
        "columns": ["name", "sig"], "rows": ["f"], "group-by": {"in": "files", "by": "path"},
        "budget": budget,
    })
}

/// The rows of each file in the output, and whether some are missing.
fn counts(text: &str) -> (Vec<usize>, bool) {
    let value: Value = serde_json::from_str(text).expect("JSON");
    let files = value
        .as_object()
        .expect("an object")
        .iter()
        .filter(|(key, _)| *key != "@");
    let counts = files.map(|(_, file)| cells(file["f"].as_str().expect("rows")).len());
    (counts.collect(), value["@"] == json!({"t": true}))
}

#[track_caller]
fn assert_counts(budget: Value, sizes: &[usize], expected: &[usize], truncated: bool) {
    let applied = bench(&grouped(budget)).apply(&pretty(&files(sizes)));
    assert_eq!(counts(applied.text()), (expected.to_vec(), truncated));
}

#[test]
fn a_row_limit_drops_whole_groups_then_rows() {
    assert_counts(json!({"max-rows": 12}), &[5, 5, 2], &[5, 5, 2], false);
    assert_counts(json!({"max-rows": 11}), &[5, 5, 2], &[5, 5], true);
    assert_counts(json!({"max-rows": 9}), &[5, 5, 2], &[5], true);
    assert_counts(json!({"max-rows": 3}), &[5, 5, 2], &[3], true);
    assert_counts(json!({"max-rows": 5}), &[5, 0], &[5, 0], false);
}

#[test]
fn a_token_limit_is_used_as_far_as_it_goes() {
    let sizes = [8, 8, 8, 8];
    let whole = bench(&grouped(json!({})))
        .apply(&pretty(&files(&sizes)))
        .text()
        .to_owned();
    let all = tokens(&whole);
    assert_counts(json!({"max-tokens": all}), &sizes, &[8, 8, 8, 8], false);
    assert_counts(json!({"max-tokens": all - 1}), &sizes, &[8, 8, 8], true);
    assert_counts(json!({"max-tokens": all / 2 + 10}), &sizes, &[8, 8], true);
    let applied = bench(&grouped(json!({"max-tokens": all / 8}))).apply(&pretty(&files(&sizes)));
    let (rows, truncated) = counts(applied.text());
    assert!(
        truncated && rows.len() == 1 && (1..8).contains(&rows[0]),
        "{rows:?}"
    );
    assert_counts(json!({"max-tokens": 1}), &sizes, &[], true);
}

#[test]
fn work_stops_where_the_budget_does() {
    // Rows after the limit are never read: the broken one would leave the document unchanged.
    let mut rows: Vec<Value> = (0..50).map(|n| json!({"name": n})).collect();
    rows.push(json!("not an object"));
    let mut document = pretty(&json!({"list": rows}));
    document = document.replace("\"not an object\"", "{\"name\": 1, \"name\": 2}");
    let with =
        |budget: Value| bench(&json!({"columns": ["name"], "rows": ["list"], "budget": budget}));
    assert!(!with(json!({})).apply(&document).changed);
    assert!(with(json!({"max-rows": 50})).apply(&document).changed);
    assert!(with(json!({"max-tokens": 15})).apply(&document).changed);
}

#[test]
fn arguments_lower_limits_and_never_raise_them() {
    let budget = json!({
        "max-rows": 4, "max-rows-argument": "max_context_lines", "max-tokens-argument": "max_tokens",
    });
    let rows = |arguments: Value| {
        let bench = bench(&grouped(budget.clone())).arguments(arguments);
        counts(bench.apply(&pretty(&files(&[9]))).text()).0[0]
    };
    assert_eq!(rows(json!({})), 4);
    assert_eq!(rows(json!({"max_context_lines": 2})), 2);
    assert_eq!(rows(json!({"max_context_lines": "3"})), 3);
    assert_eq!(rows(json!({"max_context_lines": 2.9})), 2);
    for nothing in [
        json!(400),
        json!(0),
        json!(-1),
        json!(null),
        json!("all"),
        json!([1]),
        json!(1e99),
    ] {
        assert_eq!(rows(json!({"max_context_lines": nothing})), 4, "{nothing}");
    }
    // Without a limit in the settings, the argument alone is the limit.
    assert!(rows(json!({"max_tokens": 60})) < 4);
}

#[test]
fn rows_beside_the_keys_go_after_the_groups_of_maps() {
    let shape = |rows: u32| {
        json!({
            "keys": ["p"], "columns": ["name"], "rows": ["f"],
            "maps": [{"key": "deps", "group-by": {"in": "d", "by": "file"}, "from": "t"}],
            "budget": {"max-rows": rows},
        })
    };
    let document = pretty(&json!({
        "p": "a.rs", "f": [{"name": "a"}, {"name": "b"}],
        "d": [{"file": "x.rs", "t": [{"name": "X"}]}, {"file": "y.rs", "t": [{"name": "Y"}]}],
    }));
    for (rows, expected) in [
        (
            4,
            r#"{"p":"a.rs","h":"name","f":"a\nb","deps":{"x.rs":"X","y.rs":"Y"}}"#,
        ),
        (
            3,
            r#"{"p":"a.rs","h":"name","f":"a\nb","deps":{"x.rs":"X"},"@":{"t":true}}"#,
        ),
        (
            2,
            r#"{"p":"a.rs","h":"name","f":"a\nb","deps":{},"@":{"t":true}}"#,
        ),
        (
            1,
            r#"{"p":"a.rs","h":"name","f":"a","deps":{},"@":{"t":true}}"#,
        ),
    ] {
        assert_eq!(bench(&shape(rows)).apply(&document).text(), expected);
    }
}

#[test]
fn what_upstream_cut_is_said_too() {
    let shape = json!({"columns": ["name"], "rows": ["list"], "truncated": "meta.truncated"});
    let document = |truncated: bool| {
        pretty(&json!({"list": [{"name": "a"}], "meta": {"truncated": truncated}}))
    };
    assert_eq!(
        bench(&shape).apply(&document(true)).text(),
        r#"{"h":"name","list":"a","@":{"t":true}}"#
    );
    assert_eq!(
        bench(&shape).apply(&document(false)).text(),
        r#"{"h":"name","list":"a"}"#
    );
}
