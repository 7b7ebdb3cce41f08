//! Tests of the filter on the test bench. `tamis-rows` tests the form and the restoring of tables.

use super::RowEncoder;
use serde_json::json;
use tamis_sdk::testing::{Bench, assert_schema};

const ORDERS: &str = r#"{"orders": [
    {"id": 1, "customer": {"name": "Ada", "zip": "01234"}, "state": "open"},
    {"id": 2, "customer": {"name": "Alan", "zip": "99999"}, "state": "open"},
    {"id": 3, "customer": {"name": "Grace", "zip": null}, "state": "open"}
]}"#;

fn bench(settings: serde_json::Value) -> Bench<RowEncoder> {
    Bench::new(settings)
}

#[test]
fn the_schema_is_that_of_the_settings() {
    assert_schema::<RowEncoder>(concat!(env!("CARGO_MANIFEST_DIR"), "/settings.schema.json"));
}

#[test]
fn a_list_becomes_a_table() {
    let applied = bench(json!({})).apply(ORDERS);
    assert!(!applied.is_json());
    assert_eq!(
        applied.text(),
        "{\"orders\":[3 rows\nid\tcustomer.name\tcustomer.zip\tstate\n1\tAda\t\"01234\"\topen\n2\tAlan\t\"99999\"\topen\n3\tGrace\tnull\topen\n]}"
    );
}

#[test]
fn each_level_has_tables_of_its_own() {
    for (level, begins) in [
        ("table", "{\"orders\":[3 rows\n"),
        (
            "exact",
            "{\"orders\":#3 id\tcustomer.name\tcustomer.zip:s\tstate=open\n",
        ),
        ("dense", "{\"orders\":#3 id\t"),
    ] {
        let applied = bench(json!({ "level": level })).apply(ORDERS);
        assert!(applied.text().starts_with(begins), "{}", applied.text());
        let restored = tamis_rows::restore(applied.text()).expect("it was encoded");
        let value: serde_json::Value = serde_json::from_str(&restored).expect("it is JSON");
        assert_eq!(
            value,
            serde_json::from_str::<serde_json::Value>(ORDERS).expect("it is JSON")
        );
    }
}

#[test]
fn json_without_tables_loses_its_whitespace() {
    let applied = bench(json!({})).apply("{ \"a\": [1, 2],\n \"b\": \" x \" }");
    assert!(applied.is_json());
    assert_eq!(applied.text(), r#"{"a":[1,2],"b":" x "}"#);
}

#[test]
fn what_cannot_shrink_and_text_stay() {
    for text in [
        r#"{"a":1}"#,
        "[]",
        "{}",
        "just words",
        "",
        "[1, 2",
        "#3 a\n1\n2\n3",
        "3 rows\na\n1\n2\n3",
    ] {
        assert!(!bench(json!({})).apply(text).changed, "{text}");
    }
}

#[test]
fn filtering_twice_is_filtering_once() {
    for level in ["table", "exact", "dense"] {
        let settings = json!({ "level": level });
        let once = bench(settings.clone()).apply(ORDERS);
        assert!(!bench(settings).apply(once.text()).changed);
    }
    let spaced = bench(json!({})).apply("{ \"a\": 1 }");
    assert!(!bench(json!({})).apply(spaced.text()).changed);
}

#[test]
fn short_lists_stay_json() {
    let applied = bench(json!({"min-rows": 4})).apply(ORDERS);
    assert!(applied.is_json());
}

#[test]
fn tables_that_explain_themselves_have_no_legend() {
    assert_eq!(bench(json!({})).legend(), None);
    assert_eq!(bench(json!({"legend": true})).legend(), None);
}

#[test]
fn the_other_levels_have_a_legend_of_at_most_60_tokens() {
    let o200k = tiktoken::get_encoding("o200k_base").expect("the vocabulary is built in");
    for level in ["exact", "dense"] {
        let legend = bench(json!({ "level": level }))
            .legend()
            .expect("it has one");
        assert!(legend.contains("tab-separated"), "{legend}");
        assert!(
            o200k.count(&legend) <= 60,
            "{}: {legend}",
            o200k.count(&legend)
        );
        assert_eq!(
            bench(json!({"level": level, "legend": false})).legend(),
            None
        );
    }
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    let refusal = Bench::<RowEncoder>::refusal(json!({"min-rows": 1}));
    assert_eq!(
        refusal.as_deref(),
        Some("`min-rows` is 1: a table has at least 2 rows")
    );
    assert!(Bench::<RowEncoder>::refusal(json!({"level": "tight"})).is_some());
    assert!(Bench::<RowEncoder>::refusal(json!({"rows": 1})).is_some());
    for (settings, named) in [
        (json!({"level": "plain"}), "`shape`"),
        (json!({"shape": {"keys": ["a"]}}), "`shape`"),
    ] {
        let refusal = Bench::<RowEncoder>::refusal(settings).expect("it makes no sense");
        assert!(refusal.contains(named), "{refusal}");
    }
}

/// The code blocks of the README, without the lines that open and close them.
fn readme_blocks() -> Vec<&'static str> {
    let parts: Vec<&str> = include_str!("../README.md").split("```").collect();
    let blocks = parts.iter().skip(1).step_by(2);
    blocks
        .map(|block| block.split_once('\n').map_or("", |(_, text)| text))
        .collect()
}

#[test]
fn the_readme_shows_what_the_filter_does() {
    let [.., text, table, _] = readme_blocks()[..] else {
        panic!("the README has lost its example of a text");
    };
    assert_eq!(bench(json!({})).apply(text).text(), table);
    let [_, json, table, ..] = readme_blocks()[..] else {
        panic!("the README has lost its example");
    };
    let applied = bench(json!({})).apply(json.trim_end());
    assert_eq!(applied.text(), table.trim_end());
    let readme = include_str!("../README.md");
    for (text, word) in [(json.trim_end(), "In"), (applied.text(), "Out")] {
        let bytes = text.len();
        assert!(
            readme.contains(&format!("{word}, {bytes} bytes")),
            "{word} is {bytes} bytes"
        );
    }
}

/// Shapes whose bytes shrink and whose tokens may not: numbers, short strings, spaced lists, repeated text.
fn shapes() -> impl Iterator<Item = String> {
    (2..40).flat_map(|rows| {
        let list = |row: &dyn Fn(usize) -> String| {
            let rows: Vec<String> = (0..rows).map(row).collect();
            format!("[{}]", rows.join(", "))
        };
        [
            list(&|row| format!("{{\"a\": {row}, \"b\": \"x{row}\"}}")),
            list(&|row| format!("[{}, \"MS-{}\", {}.5]", 10_000 + row, row * 7, row * 3)),
            list(&|row| format!("\"import module_{row}\"")),
            list(&|row| format!("{{\"import\":\"from a.b.c{row} import d\",\"n\":null}}")),
            list(&|row| format!("\"src/a/b{row}.rs\"")),
            list(&|row| {
                format!("{{\"id\":{row},\"note\":null,\"at\":null,\"tags\":[{row},null]}}")
            }),
            format!("{{\"deps\": {}}}", list(&|row| format!("\"dep {row}\""))),
            // Compact, with much text outside of tables.
            format!(
                "{{\"rows\":{},\"note\":{:?}}}",
                list(&|row| format!("{{\"id\":{row},\"name\":\"n{row}\"}}")).replace(", ", ","),
                "what the rows are about; ".repeat(rows * 3)
            ),
        ]
    })
}

#[test]
fn nothing_has_more_tokens_than_before_or_than_compact_json() {
    let o200k = tiktoken::get_encoding("o200k_base").expect("the vocabulary is built in");
    for level in ["table", "exact", "dense"] {
        let bench = bench(json!({ "level": level }));
        for json in shapes() {
            let applied = bench.apply(&json);
            let after = o200k.count(applied.text());
            let value: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
            assert!(
                !applied.changed || after < o200k.count(&json),
                "{level}: {json}"
            );
            let compact = o200k.count(&value.to_string());
            let sent = o200k.count(&json);
            assert!(
                after <= compact.min(sent),
                "{level}: {json} became {}",
                applied.text()
            );
        }
    }
}

#[test]
fn of_a_long_document_not_all_is_counted() {
    let row = |row: usize| {
        format!(
            "{{\"id\":{row},\"text\":\"{}\"}}",
            "words of a text ".repeat(2)
        )
    };
    let rows: Vec<String> = (0..20_000).map(row).collect();
    let applied = bench(json!({})).apply(&format!("[{}]", rows.join(",")));
    assert!(applied.changed);
    assert!(
        applied.counted_bytes <= 3 * 512 * 1024,
        "{}",
        applied.counted_bytes
    );
}

/// The text outside of tables is the same with and without tables, so it decides nothing.
#[test]
fn tables_that_surely_save_are_not_counted_whatever_is_beside_them() {
    let row = |row: usize| json!({"id": row, "name": format!("calculate_total_{row}"), "line": row * 7, "deprecated": false});
    let rows: Vec<serde_json::Value> = (0..200).map(row).collect();
    let note = "the totals are wrong where a rate is missing; ".repeat(500);
    let compact = json!({"nodes": rows, "note": note}).to_string();
    let applied = bench(json!({})).apply(&compact);
    assert!(applied.changed);
    assert_eq!(applied.counted_bytes, 0);
    // A few spaces outside of tables may decide. Many surely cost.
    let spaced = compact.replacen("\":", "\": ", 50);
    let applied = bench(json!({})).apply(&spaced);
    assert!(applied.changed);
    assert!(applied.counted_bytes > 0);
    let spaced = compact.replace(':', ":                ");
    let applied = bench(json!({})).apply(&spaced);
    assert!(applied.changed);
    assert_eq!(applied.counted_bytes, 0);
}

/// A JSON value that is short, empty or looks like JSON itself.
fn value(depth: usize, any: &mut dyn FnMut(usize) -> usize) -> serde_json::Value {
    const WORDS: [&str; 22] = [
        "a",
        "ok",
        "the name",
        "x1",
        "",
        "-",
        "import os",
        "/",
        "é",
        "true",
        "1",
        "a b c",
        "\n",
        "日本",
        "id",
        "[",
        "{",
        ",",
        ": ",
        ", ",
        "\"",
        "€",
    ];
    match any(if depth == 0 { 6 } else { 9 }) {
        0 => json!(null),
        1 => json!(any(2) == 0),
        2 => json!(any(1000)),
        3 => json!(any(100_000) as f64 / 7.0),
        4 | 5 => json!(WORDS[any(WORDS.len())]),
        6 | 7 => (0..any(6)).map(|_| value(depth - 1, any)).collect(),
        _ => {
            let members =
                (0..any(6)).map(|_| (WORDS[any(WORDS.len())].to_owned(), value(depth - 1, any)));
            serde_json::Value::Object(members.collect())
        }
    }
}

/// The same value with spaces after commas and colons.
fn spaced(value: &serde_json::Value) -> String {
    use serde_json::Value::{Array, Object};
    let list = |inner: Vec<String>| inner.join(", ");
    match value {
        Array(elements) => format!("[{}]", list(elements.iter().map(spaced).collect())),
        Object(members) => {
            let member = |(key, value)| format!("{}: {}", json!(key), spaced(value));
            format!("{{{}}}", list(members.iter().map(member).collect()))
        }
        scalar => scalar.to_string(),
    }
}

#[test]
fn spaces_that_surely_cost_are_not_counted() {
    let o200k = tiktoken::get_encoding("o200k_base").expect("the vocabulary is built in");
    let mut state = 7u64;
    let mut any = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let mut sure = 0;
    for _ in 0..8000 {
        let value = value(3, &mut any);
        let compact = value.to_string();
        let pretty = serde_json::to_string_pretty(&value).expect("JSON");
        for text in [
            spaced(&value),
            pretty.replace("  ", " "),
            pretty.replace("  ", "\t"),
            pretty,
        ] {
            if super::tokens::spaces_surely_cost(text.len(), compact.len()) {
                sure += 1;
                assert!(o200k.count(&compact) < o200k.count(&text), "{text}");
            }
        }
    }
    assert!(sure > 500, "{sure}");
}

/// With `TAMIS_DATA`: no recorded result has more tokens than before.
#[test]
fn no_recorded_result_gets_larger() {
    for level in ["table", "exact", "dense"] {
        if let Some(saving) = tamis_sdk::testing::recorded(&bench(json!({ "level": level }))) {
            saving.assert_smaller();
        }
    }
}
