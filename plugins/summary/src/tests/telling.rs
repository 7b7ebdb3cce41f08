//! Keys and names, whatever their spelling.

use super::*;

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
    assert_eq!(letters("\"exit_Code-2\""), "exitcode2");
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
