//! Each number, range, position and path in a summary of JSON, recomputed from the document the plain way.
//! `PROPTEST_CASES=10000` takes as many documents.

mod columns;
mod documents;
mod grouped;
mod paths;
mod rare;

use columns::check_column;
use documents::document;
use paths::{at, find};
use proptest::prelude::*;
use serde_json::{Value, json};
use summary::Summary;
use tamis_sdk::testing::Bench;

fn config() -> ProptestConfig {
    ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn all_that_is_said_is_so(seed: u64, above in prop::sample::select(vec![1_400, 2_000, 4_000, 12_000])) {
        let document = document(seed);
        let settings = json!({"tables": false, "above": above, "rows": seed % 4, "distinct": seed % 9});
        let applied = Bench::<Summary>::new(settings).apply(&document.to_string());
        if applied.changed {
            check(&document, applied.text());
        }
    }

    #[test]
    fn all_that_is_said_of_data_in_a_string_is_so(seed: u64) {
        let document = document(seed);
        let result = json!({"code": 0, "out": document.to_string()});
        let settings = json!({"tables": false, "above": 1_400, "rows": seed % 4, "distinct": seed % 9});
        let applied = Bench::<Summary>::new(settings).apply(&result.to_string());
        if applied.changed {
            let told = applied.text().split_once(" characters, JSON\n");
            let (_, told) = told.unwrap_or_else(|| panic!("no data in {}", applied.text()));
            // Paths through the string lead into its data, and its members have such a path for a name.
            let plain = |line: &str| {
                let member = line.strip_prefix("$.out").and_then(|it| it.split_once(": "));
                let is_member = |(_, value): &(&str, &str)| serde_json::from_str::<Value>(value).is_ok();
                match member.filter(is_member) {
                    Some((path, value)) => format!("{}: {value}\n", path.trim_start_matches('.')),
                    None => line.replace("$.out", "$") + "\n",
                }
            };
            check(&document, &told.lines().map(plain).collect::<String>());
        }
    }
}

#[track_caller]
fn check(document: &Value, summary: &str) {
    let mut table: Option<String> = None;
    let mut is_text = false;
    for line in summary.lines() {
        if !is_text && table.is_none() && line.starts_with(" and ") {
            check_names(document, line);
            continue;
        }
        if line.starts_with("Summary") || line.starts_with('…') || line.contains('…') {
            continue;
        }
        if line.starts_with("More: ") {
            check_calls(document, line);
        } else if line.starts_with('$') {
            table = check_head(document, line, summary);
            is_text = table.is_none();
        } else if is_text {
            // Other tests check texts.
        } else if let (Some(table), Some(column)) = (&table, line.strip_prefix(' ')) {
            let is_named = summary
                .lines()
                .any(|it| it.starts_with(&format!("{table}: ")) && it.contains(", [0] names"));
            check_column(document, table, usize::from(is_named), column, summary);
        } else if let Some((path, value)) = line.split_once(": ")
            && table.is_none()
            && !value.starts_with(['{', '['])
        {
            let found = at(document, path);
            assert_eq!(found.len(), 1, "{path} in {summary}");
            assert_eq!(found[0].to_string(), value, "{path} in {summary}");
        }
    }
}

/// Checks ` and 9 more members: setting_… 3, run, info.{license, name, and 2 more}, …`.
#[track_caller]
fn check_names(document: &Value, line: &str) {
    let (count, names) = line.split_once(" more member").expect(line);
    let count: usize = count.trim_start_matches(" and ").parse().expect(line);
    let Some((_, names)) = names.split_once(": ") else {
        return;
    };
    let (mut named, mut inside) = (0, "");
    for name in names.split(", ") {
        let name = match name.split_once(".{") {
            Some((around, first)) => {
                inside = around;
                first
            }
            None => name,
        };
        let path = match inside {
            "" => name.to_owned(),
            _ => format!("{inside}.{}", name.trim_end_matches('}')),
        };
        if name.ends_with('}') {
            inside = "";
        }
        let number = |text: &str| text.parse::<usize>().expect(line);
        if let Some(more) = name.strip_prefix("and ") {
            named += number(more.trim_end_matches([' ', '}']).trim_end_matches(" more"));
        } else if let Some((_, more)) = name.split_once("… ") {
            named += number(more);
        } else if name != "…" {
            assert_eq!(at(document, &path).len(), 1, "{path} in {line}");
            named += 1;
        }
    }
    // The mark stands for those without a name.
    let is_right = if names.ends_with('…') {
        named < count
    } else {
        named == count
    };
    assert!(is_right, "{named} in {line}");
}

/// Checks the arguments of a call, and the paths beside it.
#[track_caller]
fn check_calls(document: &Value, line: &str) {
    for part in line.split("\"path\":").skip(1) {
        let mut values = serde_json::Deserializer::from_str(part).into_iter::<String>();
        let path = values.next().expect("a path").expect("a string");
        let found = at(document, &path);
        assert!(!found.is_empty(), "{path} leads nowhere: {line}");
        if let Some((_, rows)) = part.split_once("\"rows\":\"")
            && part.find("\"rows\"").unwrap_or(0) < path.len() + 6
        {
            let (from, to) = rows
                .split('"')
                .next()
                .and_then(|it| it.split_once(':'))
                .expect("a range");
            let (from, to): (usize, usize) =
                (from.parse().expect("a row"), to.parse().expect("a row"));
            let count = found[0].as_array().map_or(0, Vec::len);
            assert!(from < to && to <= count, "{line} of {count}");
        }
    }
}

/// Checks `$.path: 30 rows, 385 with all 3 levels of nodes`. Returns the path of a table.
#[track_caller]
fn check_head(document: &Value, line: &str, summary: &str) -> Option<String> {
    let (found, rest) = find(document, line);
    let path = line[..line.len() - rest.len()].to_owned();
    assert_eq!(found.len(), 1, "{path} in {summary}");
    if rest.is_empty() {
        return None;
    }
    let rest = rest.strip_prefix(": ").unwrap_or_else(|| panic!("{line}"));
    let (number, what) = rest.split_once(' ').unwrap_or((rest, ""));
    let Ok(number) = number.parse::<usize>() else {
        let text = rest
            .strip_prefix("text of ")
            .and_then(|it| it.split_once(" characters"));
        if let (Some((count, _)), Value::String(text)) = (text, found[0]) {
            assert_eq!(count, text.chars().count().to_string(), "{line}");
        }
        return None;
    };
    let counted = match found[0] {
        Value::Array(rows) if what.starts_with("rows") || what.starts_with("values") => rows.len(),
        Value::Object(entries) if what.starts_with("entries by key") => entries.len(),
        _ => panic!("{line} is of {}", found[0]),
    };
    assert_eq!(number, counted, "{line}");
    if let Some((_, tree)) = what
        .split_once(", ")
        .filter(|(_, it)| it.contains(" with all "))
    {
        let words: Vec<&str> = tree.split([' ', ',']).collect();
        let key = tree.split(" levels of ").nth(1).unwrap_or_default();
        let (rows, levels) = levels(found[0], bare(key));
        assert_eq!(
            (words[0], words[3]),
            (&*rows.to_string(), &*levels.to_string()),
            "{line}"
        );
        assert!(levels > 1, "{line}");
    }
    (!what.contains(" of ") || what.contains("levels of")).then_some(path)
}

/// A key of a path, with nothing after it.
fn bare(key: &str) -> &str {
    let key = key.split(", more inside").next().unwrap_or_default();
    key.trim_start_matches("[\"").trim_end_matches("\"]")
}

/// The number of a tree's rows at all levels, and the number of levels.
fn levels(list: &Value, key: &str) -> (usize, usize) {
    let mut all = (0, 0);
    for row in list.as_array().into_iter().flatten() {
        let (rows, deep) = levels(row.get(key).unwrap_or(&Value::Null), key);
        all = (all.0 + 1 + rows, all.1.max(1 + deep));
    }
    all
}

#[test]
fn numbers_beside_the_same_name_are_those_of_the_document() {
    let buckets: Vec<Value> = (0..60)
        .map(|at| {
            let (ok, failed) = if at == 37 {
                (140, 861)
            } else {
                (950 + at % 40, at % 4)
            };
            let buckets = json!([{"key": 200, "doc_count": ok}, {"key": 500, "doc_count": failed}]);
            json!({"time": format!("10:{at:02}"), "statuses": {"buckets": buckets}})
        })
        .collect();
    let document = json!({ "rows": buckets });
    let applied = Bench::<Summary>::new(json!({"tables": false, "above": 2_000}))
        .apply(&document.to_string());
    let summary = applied.text();
    assert!(
        summary.contains(", by key: 200 950..989, but 140"),
        "{summary}"
    );
    check(&document, summary);
}

#[test]
fn a_list_under_a_key_of_the_same_name_is_counted_by_itself() {
    let inner = |i: usize| {
        (0..i % 30)
            .map(|j| json!({"title": format!("t{j}"), "state": "open"}))
            .collect::<Vec<_>>()
    };
    let nodes: Vec<Value> = (0..30)
        .map(|i| json!({"number": i, "title": format!("issue {i} of many"), "nodes": inner(i)}))
        .collect();
    let document = json!({ "nodes": nodes });
    let applied = Bench::<Summary>::new(json!({"tables": false})).apply(&document.to_string());
    let summary = applied.text();
    assert!(summary.contains("$.nodes: 30 rows\n"), "{summary}");
    assert!(
        summary.contains(" nodes[] 0..29 each, 435 in all"),
        "{summary}"
    );
    check(&document, summary);
}
