//! Errors name the next step.

use super::{Query, ask, find, find_regex, lines, path, rows};

const DATA: &str = r#"{"data":{"callers":[{"name":1}],"called":2,"odd name":3},"n":[1,2,3]}"#;

#[track_caller]
fn check(text: &str, query: Query, name: &str, says: &[&str]) {
    match ask(text, query.clone()) {
        Ok(excerpt) => panic!("{query:?}: {excerpt}"),
        Err(error) => {
            let message = error.to_string();
            assert_eq!(error.name(), name, "{query:?}: {message}");
            for part in says {
                assert!(message.contains(part), "{query:?}: {message}");
            }
        }
    }
}

#[test]
fn a_path_that_leads_nowhere_says_how_far_it_led() {
    let says = [
        "nothing at `.calers`",
        "`$.data`",
        "keys: .callers .called [\"odd name\"]",
    ];
    check(DATA, path("data.calers[0].name"), "no-match", &says);
    let says = [
        "`$.data.callers`",
        "an array of 1",
        "put `[*]` before",
        ".name",
    ];
    check(DATA, path("data.callers.name"), "no-match", &says);
    check(
        DATA,
        path("n[3]"),
        "no-match",
        &["an array of 3", "the last is [2]"],
    );
    check(DATA, path("n[-4]"), "no-match", &["[-4]"]);
    check(
        DATA,
        path("data.called.x"),
        "no-match",
        &["`$.data.called` is a number"],
    );
    let keys: String = (0..50).map(|n| format!("\"key{n}\":0,")).collect();
    let many = format!("{{{keys}\"z\":1}}");
    check(
        &many,
        path("kex7"),
        "no-match",
        &["keys: .key7 ", "and 41 more"],
    );
}

#[test]
fn a_path_that_cannot_be_read_says_where() {
    for (query, at) in [
        ("a[", 3),
        ("a..", 4),
        ("a[\"b]", 3),
        ("é[x]", 3),
        ("a]", 2),
        ("[1", 3),
        ("a.b.", 5),
        (&".a".repeat(33), 67),
    ] {
        check(
            DATA,
            path(query),
            "path-syntax",
            &[&format!("at character {at}:")],
        );
    }
}

#[test]
fn questions_that_do_not_fit_say_what_would() {
    check("plain", path("a"), "not-json", &["ask for lines"]);
    check("plain", rows(None, 0, None), "not-json", &["ask for lines"]);
    check(
        DATA,
        rows(Some("data"), 0, None),
        "not-array",
        &["$.data.callers"],
    );
    check(
        DATA,
        rows(Some("data.*"), 0, None),
        "not-array",
        &["3 values match"],
    );
    check(
        r#"{"a":1}"#,
        rows(None, 0, None),
        "not-array",
        &["no array in it"],
    );
    check(
        DATA,
        rows(Some("n"), 3, None),
        "past-end",
        &["row 3", "past the end of 3, counted from 0"],
    );
    check(
        DATA,
        rows(Some("n"), 2, Some(2)),
        "empty-range",
        &["`to` is not included"],
    );
    check(
        "a\nb",
        lines(3, None),
        "past-end",
        &["line 3", "past the end of 2, counted from 1"],
    );
    check("a\nb", lines(2, Some(1)), "empty-range", &["from 2 to 1"]);
    check("a", find(""), "empty-pattern", &[]);
    check("a", find_regex("(a"), "pattern", &["unclosed group"]);
    check(
        "a",
        find_regex("\\w{1000}{1000}"),
        "pattern",
        &["too large"],
    );
}

#[test]
fn errors_stay_short_whatever_is_asked() {
    let long = "x".repeat(100_000);
    for query in [
        path(&long),
        path(&format!("{long}[")),
        rows(Some(&long), 0, None),
        find_regex(&format!("({long}")),
    ] {
        let message = ask(DATA, query).unwrap_err().to_string();
        assert!(message.len() < 600, "{message}");
    }
}
