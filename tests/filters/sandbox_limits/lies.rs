//! Invalid answers are errors of their own kind, and change nothing.

use super::{Target, failure, filter, limits};
use serde_json::json;
use tamis::sandbox::CallError;

/// The document that the guest `lie` expects.
const DOCUMENT: &str = r#"{"a":[1,"é"],"b":null}"#;

const EDITS: [(&str, &str); 21] = [
    ("edits-odd-words", "not-fours"),
    ("edits-no-such-operation", "unknown-operation"),
    ("edits-no-such-node", "no-such-node"),
    ("edits-remove-root", "root-removed"),
    ("edits-remove-member-by-value", "wrong-node"),
    ("edits-rename-value", "wrong-node"),
    ("edits-replace-key", "wrong-node"),
    ("edits-append-to-number", "wrong-node"),
    ("edits-twice-one-node", "overlap"),
    ("edits-inside-removed", "overlap"),
    ("edits-remove-with-operand", "operand-of-remove"),
    ("edits-operand-out-of-range", "operand-out-of-range"),
    ("edits-operand-backwards", "operand-out-of-range"),
    ("edits-operand-inside-character", "operand-not-on-character"),
    ("edits-operand-not-json", "operand-not-json"),
    ("edits-operand-two-values", "operand-not-json"),
    ("edits-operand-empty", "operand-empty"),
    ("edits-rename-to-number", "operand-not-string"),
    ("edits-too-deep", "too-deep"),
    ("edits-too-much", "too-much-inserted"),
    ("edits-last-one-wrong", "wrong-node"),
];

const SPLICES: [(&str, &str); 8] = [
    ("splices-odd-words", "not-fours"),
    ("splices-out-of-range", "out-of-range"),
    ("splices-backwards", "out-of-range"),
    ("splices-inside-character", "not-on-character"),
    ("splices-overlap", "overlap"),
    ("splices-operand-out-of-range", "operand-out-of-range"),
    (
        "splices-operand-inside-character",
        "operand-not-on-character",
    ),
    ("splices-too-much", "too-much-inserted"),
];

const REWRITES: [&str; 3] = ["rewrite-not-json", "rewrite-empty-json", "rewrite-too-deep"];

fn told(lie: &str, document: &str) -> CallError {
    let filter = filter(Target::Unknown, "lie", json!({"lie": lie}), &limits());
    let error = failure(&filter, document);
    assert_eq!(error.outcome(), "filter-error", "{lie}: {error:?}");
    error
}

#[test]
fn edits_that_make_no_sense() {
    for (lie, expected) in EDITS {
        let error = told(lie, DOCUMENT);
        assert!(
            matches!(&error, CallError::Edit(reason) if reason.name() == expected),
            "{lie}: expected {expected}: {error:?}"
        );
        assert!(error.is_fault(), "{lie}");
    }
}

#[test]
fn edits_of_what_is_not_json() {
    let error = told("edits-remove-root", "plain text");
    assert!(
        matches!(&error, CallError::Edit(reason) if reason.name() == "not-json"),
        "{error:?}"
    );
}

#[test]
fn splices_that_make_no_sense() {
    for (lie, expected) in SPLICES {
        let error = told(lie, DOCUMENT);
        assert!(
            matches!(&error, CallError::Splice(reason) if reason.name() == expected),
            "{lie}: expected {expected}: {error:?}"
        );
        assert!(error.is_fault(), "{lie}");
    }
}

#[test]
fn documents_that_are_not_the_json_they_are_called() {
    for lie in REWRITES {
        let error = told(lie, DOCUMENT);
        assert!(matches!(error, CallError::Rewrite(_)), "{lie}: {error:?}");
        assert!(error.is_fault(), "{lie}");
    }
}

/// An error is a valid answer, so the filter is not at fault.
#[test]
fn an_error_of_the_filter_is_told_in_its_own_words() {
    let error = told("an-error", DOCUMENT);
    assert_eq!(error.to_string(), "this document is not for me");
    assert!(matches!(error, CallError::Filter(_)), "{error:?}");
    assert!(!error.is_fault());
}
