//! The tally of a column, against a plain count.

use super::*;
use proptest::prelude::*;
use serde_json::{Value, json};
use tamis_sdk::Document;

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-1_200i64..1_200).prop_map(Value::from),
        Just(json!(1234567890123u64)),
        Just(json!(-0.5)),
        prop::sample::select(vec![
            "",
            "a b",
            "\u{e9}\u{1f980}",
            "12.5",
            "-3",
            "007",
            "2025-01-31",
            "2024-12-01T08",
            "2025-01"
        ])
        .prop_map(Value::from),
        (0usize..4).prop_map(|length| json!(vec![0; length])),
        (0usize..3).prop_map(|length| json!(
            (0..length)
                .map(|at| (at.to_string(), json!(1)))
                .collect::<serde_json::Map<_, _>>()
        )),
    ]
}

proptest! {
    #[test]
    fn a_column_is_counted_as_it_is(values in prop::collection::vec(value(), 1..30), first in prop::option::of(0usize..9)) {
        // Columns of one kind are frequent.
        let values: Vec<Value> = match first {
            Some(first) => values.iter().filter(|value| std::mem::discriminant(*value) == std::mem::discriminant(&values[first % values.len()])).cloned().collect(),
            None => values,
        };
        let text = Value::Array(values.clone()).to_string();
        let document = Document::nested(text.clone(), 9).expect("JSON");
        let mut tally = Tally::default();
        for (row, node) in (0..).zip(document.root().expect("a list").elements()) {
            tally.note(node, &text[node.start() as usize..node.end() as usize], row);
        }
        let count = |is: &dyn Fn(&Value) -> bool| values.iter().filter(|value| is(value)).count() as u32;
        type IsOf<'f> = &'f dyn Fn(&Value) -> bool;
        let sorts: [(Sort, IsOf<'_>); 7] = [
            (Sort::Null, &Value::is_null), (Sort::Boolean, &Value::is_boolean), (Sort::Number, &Value::is_number),
            (Sort::String, &Value::is_string), (Sort::Empty, &|value| value == ""), (Sort::Array, &Value::is_array),
            (Sort::Object, &Value::is_object),
        ];
        for (sort, is) in sorts {
            prop_assert_eq!(tally.of(sort), count(is));
            let first = values.iter().position(is).map(|at| (values[at].to_string(), at as u32));
            // The first empty string is counted only as empty.
            if sort != Sort::String {
                let found = tally.first(sort).map(|(text, row)| (text.to_owned(), row));
                prop_assert_eq!(found, first);
            }
        }
        let containers = count(&|value| value.is_array() || value.is_object());
        prop_assert_eq!(tally.values(), values.len() as u32);
        prop_assert_eq!(tally.scalars(), values.len() as u32 - containers);
        let strings: Vec<&str> = values.iter().filter_map(Value::as_str).collect();
        let lengths = strings.iter().map(|text| text.chars().count());
        prop_assert_eq!(tally.characters, lengths.clone().sum::<usize>() as u64);
        prop_assert_eq!(tally.longest, lengths.max().unwrap_or(0));
        prop_assert_eq!(tally.spaced as usize, strings.iter().filter(|text| text.contains(' ')).count());
        let arrays: Vec<u32> = values.iter().filter_map(|value| Some(value.as_array()?.len() as u32)).collect();
        prop_assert_eq!(tally.children, arrays.iter().copied().map(u64::from).sum::<u64>());
        prop_assert_eq!((tally.shortest_array.length, tally.longest_array.length), (arrays.iter().copied().min().unwrap_or(0), arrays.iter().copied().max().unwrap_or(0)));
        let full: Vec<&str> = strings.iter().copied().filter(|text| !text.is_empty()).collect();
        let dates = !full.is_empty() && full.iter().all(|text| text.len() >= 10 && text.starts_with("202"));
        let dates = dates.then(|| [*full.iter().min().unwrap(), *full.iter().max().unwrap()]);
        prop_assert_eq!(tally.begin_with_dates().then(|| tally.dates()).flatten(), dates);
        let (mut decimals, mut others, mut has_words) = (0, 0, false);
        for text in &full {
            if ["12.5", "-3"].contains(text) {
                decimals += 1;
            } else {
                others += 1;
                has_words |= others > 2 + decimals / 10;
            }
        }
        let are_decimals = !has_words && decimals > 0 && (others == 0 || others <= decimals / 10);
        prop_assert_eq!(tally.decimals().map(Extremes::count), are_decimals.then_some(decimals));
        if are_decimals {
            prop_assert_eq!(tally.not_decimals().map_or(0, |(count, _)| count), others);
        }
        let mut different: Vec<String> = Vec::new();
        for value in values.iter().map(Value::to_string) {
            if !different.contains(&value) { different.push(value); }
        }
        let counts = tally.counts().map(|items| items.iter().map(|item| item.text.to_owned()).collect::<Vec<_>>());
        prop_assert_eq!(counts, (containers == 0).then(|| different.clone()));
        let is_one = different.len() == 1 && (containers == 0 || different[0] == "[]");
        let constant = is_one.then(|| different[0].clone());
        prop_assert_eq!(tally.constant().map(str::to_owned), constant);
        let numbers: Vec<f64> = values.iter().filter_map(Value::as_f64).collect();
        let range = tally.range.range().map(|([from, to], alone)| (from.text.parse::<f64>().unwrap(), to.text.parse::<f64>().unwrap(), alone.len()));
        if let Some((from, to, 0)) = range {
            prop_assert_eq!((Some(from), Some(to)), (numbers.iter().copied().reduce(f64::min), numbers.iter().copied().reduce(f64::max)));
        }
        prop_assert_eq!(range.is_some(), !numbers.is_empty());
    }

    #[test]
    fn numbers_are_read_as_a_parser_reads_them(value in 0u64..20_000_000_000) {
        let text = value.to_string();
        prop_assert_eq!(number(&text), text.parse().ok());
    }
}

#[test]
fn decimals_and_dates_have_their_form() {
    for (text, value) in [
        ("0", 0.0),
        ("12.50", 12.5),
        ("-3", -3.0),
        ("0.5", 0.5),
        ("123456789012345678901234", 1.2345678901234568e23),
    ] {
        assert_eq!(decimal(text), Some(value), "{text}");
    }
    for text in [
        "1234567890123456789012345",
        "00",
        "1.2.3",
        "--1",
        "1.-2",
        "1 ",
    ] {
        assert_eq!(decimal(text), None, "{text}");
    }
    for text in ["2025-01-31", "2025-01-31T08:00", "2025-01-310"] {
        assert!(begins_with_date(text), "{text}");
    }
    for text in [
        "2025-01-3",
        "2025/01/31",
        "2025-01/31",
        "2o25-01-31",
        "2025-1-031",
        "20250-1-31",
        "",
    ] {
        assert!(!begins_with_date(text), "{text}");
    }
}
