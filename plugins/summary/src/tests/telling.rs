//! Keys and names, in every spelling.

use super::*;
use crate::column::columns;
use serde_json::{Value, json};
use tamis_sdk::Document;

#[test]
fn keys_are_known_whatever_their_spelling() {
    for key in ["error", "stack_trace", "\"Stderr\"", "errorMessage"] {
        assert!(is_failure(key), "{key}");
    }
    for key in ["status", "error_count", "", "an_error_in_the_stack_trace"] {
        assert!(!is_failure(key), "{key}");
    }
    for key in ["columns", "column_names", "Headers", "field", "names"] {
        assert!(names_columns(key), "{key}");
    }
    for key in ["rows", "field_types", "columnType", ""] {
        assert!(!names_columns(key), "{key}");
    }
    assert_eq!(Letters::of("\"exit_Code-2\"").as_str(), "exitcode2");
    let long = "timed-out".to_owned() + &"-".repeat(15);
    assert!(is_outcome(&long) && !is_outcome(&(long + "-")));
    for (name, expected) in [
        ("a-b_c d", &["a", "b", "c", "d"][..]),
        ("HTMLUrl", &["htmlurl"]),
        ("aB", &["a", "b"]),
        ("__", &[]),
        ("x1Y", &["x1y"]),
    ] {
        assert_eq!(words(name), expected, "{name}");
    }
}

/// The weight of the first column of some rows.
fn weight_of(name: &str, values: &[Value], is_odd: bool) -> i32 {
    let rows: Vec<Value> = values.iter().map(|value| json!({ name: value })).collect();
    let document = Document::nested(json!(rows).to_string(), 9).expect("JSON");
    let outline = Outline::of(document.text(), document.root().expect("a root"), 9);
    let row = outline.rows(0).expect("rows");
    let columns = columns(&outline, row);
    weight(&outline, columns.last().expect("a column"), is_odd)
}

fn texts(count: usize, text: impl Fn(usize) -> String) -> Vec<Value> {
    (0..count).map(|at| json!(text(at))).collect()
}

fn words_of(length: usize) -> Vec<Value> {
    texts(30, |at| format!("a {at:0>width$}w", width = length - 3))
}

#[test]
fn a_column_is_worth_what_its_values_say() {
    let repeated = |different: usize, length: usize| {
        texts(60, |at| {
            format!("{:a>length$}", at % different, length = length)
        })
    };
    let numbers: Vec<Value> = (0..30).map(|at| json!(at * at)).collect();
    let lists: Vec<Value> = (0..30).map(|at| json!(vec![at; at % 4])).collect();
    for (what, values, expected) in [
        ("few values that repeat", repeated(2, 3), 57),
        ("twenty that repeat", repeated(20, 3), 57),
        ("more that repeat", repeated(21, 3), 32),
        ("40 characters that repeat", repeated(2, 40), 57),
        ("41 characters that repeat", repeated(2, 41), 2),
        ("all values once", texts(20, |at| format!("{at} words")), 32),
        ("numbers", numbers, 42),
        ("decimals", texts(30, |at| format!("{at}.5")), 42),
        (
            "dates",
            texts(30, |at| format!("2026-01-{:02}", at + 1)),
            37,
        ),
        ("words", words_of(9), 32),
        ("words of 80 characters", words_of(80), 32),
        ("words of 81 characters", words_of(81), 17),
        ("15 letters", texts(30, |at| format!("k{at:0>14}")), 32),
        ("16 letters", texts(30, |at| format!("k{at:0>15}")), 2),
        ("lists", lists, 22),
        ("objects without members", vec![json!({}); 30], 12),
        (
            "addresses",
            texts(30, |at| format!("http://example.com/{at} x")),
            -3,
        ),
    ] {
        assert_eq!(weight_of("x", &values, false), expected, "{what}");
    }
    // Only some nulls increase the weight.
    let mut with_null = words_of(9);
    with_null.push(Value::Null);
    assert_eq!(weight_of("x", &with_null, false), 34);
    assert_eq!(weight_of("x", &vec![Value::Null; 30], false), 57);
    let inner: Vec<Value> = texts(30, |at| format!("{at} words"));
    let inner: Vec<Value> = inner.iter().map(|text| json!([{ "y": text }])).collect();
    assert_eq!(weight_of("x", &inner, false), 24, "a list in the row");
}

#[test]
fn a_column_is_worth_what_its_name_says() {
    let words = words_of(9);
    for (name, expected, expected_if_odd) in [
        ("x", 32, 92),
        // Readers ask for it, also in the plural, and rows have it as a name.
        ("name", 67, 127),
        ("users", 67, 127),
        ("author_login", 67, 127),
        ("name_x", 32, 92),
        // Only machines read this column.
        ("node_id", -8, -8),
        ("url", -8, -8),
        ("node_name", 7, 7),
        // The column tells an outcome.
        ("status", 77, 137),
        ("exit_code", 77, 137),
        // Each two words of a path are a level.
        ("a_b_c", 32, 92),
        ("a_b_c_d_e", 29, 89),
        ("a_b_c_d_e_f", 26, 86),
    ] {
        assert_eq!(weight_of(name, &words, false), expected, "{name}");
        assert_eq!(
            weight_of(name, &words, true),
            expected_if_odd,
            "{name}, odd"
        );
    }
    assert_eq!(weight_of("name", &words_of(81), false), 37);
    let codes = texts(30, |at| format!("k{at:0>15}"));
    assert_eq!(weight_of("name", &codes, false), 67);
}

#[test]
fn a_name_with_a_word_of_failures_is_no_state() {
    for state in [
        "failed",
        "Up 3 hours (unhealthy)",
        "CrashLoopBackOff",
        "error: 7",
        "exit 1: timeout",
    ] {
        assert!(is_failing_state(state), "{state}");
    }
    for state in [
        "alert24",
        "fail2ban-3",
        "/api/alert",
        "\"/api/timeout\"",
        "3crash",
        "0 failed",
    ] {
        assert!(!is_failing_state(state), "{state}");
    }
}

#[test]
fn members_that_say_that_something_is_wrong() {
    for (key, value) in [
        ("\"failed_handshakes\"", "80"),
        ("\"failedRuns\"", "1"),
        ("\"tests_failed\"", "1"),
        ("\"checksum_errors\"", "3"),
        ("\"totalErrors\"", "3"),
        ("\"login-failures\"", "3"),
        ("\"issues\"", "[1]"),
        ("\"missing\"", "\"a\""),
    ] {
        assert!(says_wrong(key, value), "{key}");
        for nothing in ["0", "[]", "null", "false", "\"\""] {
            assert!(!says_wrong(key, nothing), "{key} {nothing}");
        }
    }
    for key in [
        "\"open_issues\"",
        "\"failedover\"",
        "\"errors_url\"",
        "\"terrors\"",
        "\"UNFAILED\"",
        "\"\"",
    ] {
        assert!(!says_wrong(key, "1"), "{key}");
    }
}

#[test]
fn flags_that_are_good_if_they_hold() {
    for name in [
        "ok",
        "isOk",
        "a.success",
        "handshake_completed",
        "ALL_VALID",
        "isReady",
    ] {
        assert!(is_good_flag(name), "{name}");
    }
    for name in [
        "unhealthy",
        "webhook",
        "invalid",
        "INVALID",
        "okay",
        "already",
        "",
    ] {
        assert!(!is_good_flag(name), "{name}");
    }
}
