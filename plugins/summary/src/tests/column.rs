//! Descriptions of columns: counts, ranges, lists, missing and rare values.

use super::*;
use serde_json::{Value, json};
use tamis_sdk::Document;

/// All columns of some rows, with their descriptions.
fn said(rows: &Value) -> Vec<String> {
    let document = Document::nested(rows.to_string(), 9).expect("JSON");
    let outline = Outline::of(document.text(), document.root().expect("a root"), 5);
    let row = outline.rows(0).expect("rows");
    columns(&outline, row)
        .iter()
        .map(|column| match described(&outline, row, column, 20).text {
            text if text.is_empty() => format!("({})", column.path),
            text => text,
        })
        .collect()
}

/// The description of a column `x` with these values; null is no member.
fn of(values: impl IntoIterator<Item = Value>) -> String {
    let rows: Vec<Value> = values
        .into_iter()
        .enumerate()
        .map(|(at, value)| match value {
            Value::Null => json!({ "id": at }),
            value => json!({ "id": at, "x": value }),
        })
        .collect();
    said(&json!(rows))[1..].join("; ")
}

fn repeated(value: &Value, times: usize) -> Vec<Value> {
    vec![value.clone(); times]
}

fn each(count: usize, value: impl Fn(usize) -> Value) -> Vec<Value> {
    (0..count).map(value).collect()
}

/// Values that are equal except in row 7.
fn with_odd(odd: &Value, value: impl Fn(usize) -> Value) -> Vec<Value> {
    each(80, |at| if at == 7 { odd.clone() } else { value(at) })
}

#[test]
fn scalars_are_told_by_counts_ranges_and_lengths() {
    let number = |at: usize| json!(100 + at);
    for (values, expected) in [
        (each(9, |_| json!("same")), "x=same"),
        (each(40, |at| json!(at % 10)), "x 0..9"),
        (
            each(9, |at| json!(1.123_456_7 + at as f64)),
            "x 1.1234…..9.1234…",
        ),
        (
            each(9, |at| json!(format!("2026-01-0{}", 9 - at))),
            "x 2026-01-01..2026-01-09",
        ),
        (each(80, |at| json!(format!("http://a.b/{at}"))), "(x)"),
        // Of ten values that come four times each, the first are named.
        (
            each(40, |at| json!(format!("w {}", at % 10))),
            "x 10 different: w 0 4, w 1 4, w 2 4, w 3 4, …",
        ),
        (each(39, |at| json!(format!("w {}", at % 10))), "(x)"),
        // The empty strings are the shortest.
        (
            each(40, |at| {
                if at % 2 == 0 {
                    json!("")
                } else {
                    json!(format!("{at:a>60}"))
                }
            }),
            "x ~60 chars, \"\" 20",
        ),
        (each(9, |at| json!("x".repeat(39 + at))), "x ~43 chars"),
        (each(9, |at| json!("x".repeat(36 + at))), "(x)"),
        (
            each(9, |at| {
                json!("x y".repeat(if at == 3 { 60 } else { 3 + at }))
            }),
            "x ~39 chars, longest 180",
        ),
        (
            with_odd(&json!(99_999), number),
            "x 100..179, but 99999 at [7]",
        ),
        (
            with_odd(&json!(true), number),
            "x: 1 boolean (true) at [7], 79 numbers 100..179",
        ),
        (
            with_odd(&json!("odd"), number),
            "x: 79 numbers 100..179, 1 string (odd) at [7]",
        ),
        (
            with_odd(&json!({"a": 1}), number),
            r#"x: 79 numbers 100..179, 1 object ({"a":1}) at [7]; x.a=1 (1 row)"#,
        ),
        (
            with_odd(&json!(""), |at| json!(format!("{at} words"))),
            r#"x: "" 1 at [7]"#,
        ),
    ] {
        assert_eq!(of(values), expected);
    }
}

#[test]
fn long_values_are_not_named_one_by_one() {
    let of_length = |length: usize| of(each(40, |at| json!(format!("{:x>length$}", at % 10))));
    assert!(of_length(40).starts_with("x 10 different: "));
    assert_eq!(of_length(41), "x ~41 chars");
}

#[test]
fn lists_are_told_by_their_lengths_and_elements() {
    for (values, expected) in [
        (
            each(9, |at| json!(vec!["a"; at % 3])),
            "x[] 0..2 each, 9 in all, all a",
        ),
        (
            each(40, |at| json!(vec!["a"; usize::from(at != 33)])),
            "x[] 1 each, but 0 at [33], 39 in all, all a",
        ),
        (
            each(40, |at| json!(vec!["a"; 1 + usize::from(at == 7)])),
            "x[] 1 each, but 2 at [7], 41 in all, all a",
        ),
        (
            each(19, |at| json!(vec!["a"; usize::from(at != 7)])),
            "x[] 0..1 each, 18 in all, all a",
        ),
        (each(9, |at| json!([at, at])), "x[] 2 each, 18 in all, 0..8"),
        (
            each(9, |at| json!(vec![["a", "b"][at % 2]])),
            "x[] 1 each, 9 in all: a 5, b 4",
        ),
        (
            each(9, |at| json!([{ "y": at }])),
            "x[] 1 each, 9 in all; x[*].y 0..8",
        ),
        (
            each(9, |at| if at < 3 { json!([at]) } else { json!(at) }),
            "x: 6 numbers 3..8, 3 lists of 1, 3 in all, 0..2",
        ),
        (
            each(60, |at| json!([at, at * 2, [at]])),
            "x[] 3 each, 180 in all; x[*]: 120 numbers 0..118, 60 lists of 1, 60 in all, 0..59",
        ),
        (
            each(60, |at| json!([format!("t {at}"), "u"])),
            "x[] 2 each, 120 in all",
        ),
    ] {
        assert_eq!(of(values), expected);
    }
    let rows = json!([{ "t": [[1, 2], [3, 4]] }, { "t": [null, [5, 6]] }]);
    assert_eq!(
        said(&rows),
        [
            "t[] 2 each, 4 in all",
            "t[*][] 2 each, 6 in all, null 1",
            "t[*][0] 1..5",
            "t[*][1] 2..6"
        ]
    );
}

#[test]
fn values_that_are_missing_are_told_by_the_rarer_side() {
    let only_two = |others: usize| {
        of([
            repeated(&Value::Null, others),
            vec![json!("a b"), json!("c d")],
        ]
        .concat())
    };
    assert_eq!(only_two(500), "x: missing 500");
    assert_eq!(only_two(998), "x: only 2 has, first at [998], missing 998");
    assert_eq!(
        of([repeated(&json!("a"), 99), vec![Value::Null]].concat()),
        "x: a 99, missing 1 at [99]"
    );
    let rows = json!([{ "t": { "a": 1 } }, { "t": null }]);
    assert_eq!(said(&rows), ["t: null 1", "t.a=1 (1 row)"]);
}

#[test]
fn what_few_elements_have_is_not_constant() {
    let of = |ended: &[usize]| {
        let pods = each(80, |at| {
            let mut part = json!({ "restarts": at });
            if ended.contains(&at) {
                part["last"] = json!({ "code": 137, "why": "OOM" });
            }
            json!({ "parts": [part] })
        });
        let all = said(&json!(pods)).into_iter();
        all.filter(|text| text.contains("last")).collect::<Vec<_>>()
    };
    assert_eq!(
        of(&[7]),
        [r#"parts[*].last: only 1 has ({"code":137,"why":"OOM"}) at [7], missing 79"#]
    );
    assert_eq!(
        of(&[7, 8, 9]),
        [
            "parts[*].last: missing 77",
            "parts[*].last.code=137 (3 of 80)",
            "parts[*].last.why=OOM (3 of 80)"
        ]
    );
    let all = said(&json!(each(80, |_| json!({ "parts": [{ "last": 1 }] }))));
    assert!(all.contains(&"parts[*].last=1".to_owned()), "{all:?}");
}

#[test]
fn keys_that_few_rows_have_are_no_columns() {
    let rows = |keys: usize| {
        let row = |at: usize| json!({ "id": at, "own": { format!("k{}", at % keys): at } });
        said(&json!(each(12, row)))
    };
    assert_eq!(
        rows(9),
        ["id 0..11", "own: 9 keys that few rows have: k3, k4, k5, …"]
    );
    assert_eq!(rows(8)[1], "own.k0 0..8, missing 10");
    assert_eq!(rows(8).len(), 9);
}

#[test]
fn an_age_in_brackets_does_not_hide_a_number() {
    let ages = ["2d", "5h", "26h", "7d", "41m", "3m", "9d"];
    let restarts = |at: usize| json!(format!("{} ({} ago)", 1 + at % 9, ages[at % 7]));
    let expected = "x 1..9, but 212 (3m ago) at [7]";
    assert_eq!(of(with_odd(&json!("212 (3m ago)"), restarts)), expected);
    let equal = of(each(80, |at| json!(format!("1 ({at}d ago)"))));
    assert_eq!(equal, "x 1");
    // Other remarks may say more than the number.
    let codes = of(each(80, |at| json!(format!("{at} (signal {at})"))));
    assert!(!codes.contains(".."), "{codes}");
}

#[test]
fn dates_that_no_calendar_has_are_told() {
    let due = |at: usize| json!(format!("2026-{:02}-{:02}", at % 12 + 1, at % 28 + 1));
    let range = "x 2026-01-01..2026-12-24";
    for odd in ["2026-02-30", "2026-13-04", "0000-00-00"] {
        let expected = format!("{range}, 1 impossible ({odd}) at [7]");
        assert_eq!(of(with_odd(&json!(odd), due)), expected);
    }
    let mut values = each(80, due);
    values[9] = json!("2026-04-31");
    values[70] = json!("2026-06-31");
    let expected = format!("{range}, 2 impossible (2026-04-31), first at [9]");
    assert_eq!(of(values.clone()), expected);
    values[50] = json!("soon");
    let said = of(values);
    assert!(
        !said.contains("impossible") && !said.contains(".."),
        "{said}"
    );
    // No dates, but codes.
    let code = |at: usize| json!(format!("{}-{:02}-{:02}", 4000 + at, at + 10, at + 5));
    let said = of(each(80, code));
    assert!(
        !said.contains("impossible") && !said.contains(".."),
        "{said}"
    );
}

#[test]
fn dates_of_several_zones_have_the_range_of_their_instants() {
    let date = |zones: &'static [&'static str]| {
        move |at: usize| {
            let zone = zones[at % zones.len()];
            json!(format!("2024-05-01T{:02}:{:02}:00{zone}", at % 24, at % 59))
        }
    };
    let said = of(each(80, date(&["+00:00", "-08:00", "+09:00"])));
    let expected = "x 2024-05-01T02:02:00+09:00..2024-05-01T22:";
    assert!(
        said.starts_with(expected) && said.ends_with("-08:00"),
        "{said}"
    );
    let said = of(each(80, date(&["+00:00", ""])));
    assert!(!said.contains(".."), "{said}");
}

#[test]
fn times_of_other_lengths_and_halves_of_a_day_have_the_range_of_their_instants() {
    let half = |at: usize| {
        let (hour, half) = (at / 60 % 12, if at < 720 { "AM" } else { "PM" });
        let hour = if hour == 0 { 12 } else { hour };
        json!(format!("2026-11-20 {hour:02}:{:02}:00 {half}", at % 60))
    };
    let said = of(each(1_000, half));
    let expected = "x 2026-11-20 12:00:00 AM..2026-11-20 04:39:00 PM";
    assert_eq!(said, expected);
    let fraction = |at: usize| {
        let fraction = if at.is_multiple_of(2) { "" } else { ".500000" };
        json!(format!("2026-11-20T10:{:02}:00{fraction}Z", at / 2 + 7))
    };
    let said = of(each(80, fraction));
    let expected = "x 2026-11-20T10:07:00Z..2026-11-20T10:46:00.500000Z";
    assert_eq!(said, expected);
}

#[test]
fn dates_in_other_forms_have_a_range() {
    let months = ["Jan", "Feb", "Mar", "Dec"];
    let date = |at: usize| json!(format!("{} {} 2026", at % 28 + 1, months[at % 4]));
    assert_eq!(of(each(80, date)), "x 1 Jan 2026..28 Dec 2026");
    let odd = with_odd(&json!("30 Feb 2026"), date);
    let expected = "x 1 Jan 2026..28 Dec 2026, 1 impossible (30 Feb 2026) at [7]";
    assert_eq!(of(odd), expected);
    let odd = with_odd(&json!("1 Mar 2199"), date);
    assert_eq!(of(odd), "x 1 Jan 2026..28 Dec 2026, but 1 Mar 2199 at [7]");
    let slashes = |days: usize| {
        let date = move |at: usize| json!(format!("{:02}/{:02}/2026", at % 12 + 1, at % days + 1));
        of(each(80, date))
    };
    assert_eq!(slashes(28), "x 01/01/2026..12/24/2026");
    assert!(!slashes(11).contains(".."), "{}", slashes(11));
}
