//! Tests of programs' outputs, of forbidden functions, and of values that no program touches.

use super::*;
use proptest::prelude::*;
use serde_json::{Value, json};
use tamis_sdk::Surface;
use tamis_sdk::testing::{Applied, Bench, assert_schema};

fn bench(program: &str) -> Bench<Jq> {
    Bench::new(json!({ "program": program }))
}

fn with(program: &str, mut settings: Value) -> Bench<Jq> {
    settings["program"] = program.into();
    Bench::new(settings)
}

fn given(program: &str, document: &str) -> String {
    bench(program).apply(document).text().to_owned()
}

fn error(program: &str, document: &str) -> String {
    bench(program)
        .try_apply(document)
        .map(|applied: Applied| applied.text().to_owned())
        .expect_err("the program should fail")
}

fn refusal(program: &str) -> String {
    Bench::<Jq>::refusal(json!({ "program": program })).unwrap_or_default()
}

#[test]
fn the_schema_is_that_of_the_settings() {
    assert_schema::<Jq>(concat!(env!("CARGO_MANIFEST_DIR"), "/settings.schema.json"));
}

/// `cases.json`: program, document, result. If jq 1.6 knows a program, it has the same result, except for the spelling
/// of numbers.
#[test]
fn programs_give_what_jq_gives() {
    let cases: Vec<[String; 3]> =
        serde_json::from_str(include_str!("../cases.json")).expect("cases");
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|[program, document, expected]| {
            // A document that is a string or a number is JSON only in `structuredContent`.
            let (program, document) = match document.starts_with(['[', '{']) {
                true => (program.clone(), document.clone()),
                false => (format!(".[0] | {program}"), format!("[{document}]")),
            };
            let found = match bench(&program).try_apply(&document) {
                Ok(applied) => applied.text().to_owned(),
                Err(error) => format!("error: {error}"),
            };
            (found != *expected)
                .then(|| format!("{program}\n  found    {found}\n  expected {expected}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn several_outputs_are_an_array_or_lines() {
    let document = r#"["a",{"b":1}]"#;
    let output = |output: &str| with(".[]", json!({ "output": output })).apply(document);
    assert_eq!(output("json").text(), r#"["a",{"b":1}]"#);
    assert!(output("json").is_json());
    assert_eq!(output("lines").text(), "\"a\"\n{\"b\":1}");
    assert_eq!(output("raw").text(), "a\n{\"b\":1}");
    assert!(!output("raw").is_json());
    let one = with(".[0]", json!({"output": "raw"})).apply(document);
    assert_eq!((one.text(), one.is_json()), ("a", false));
    let one = with(".[1]", json!({"output": "raw"})).apply(document);
    assert_eq!((one.text(), one.is_json()), (r#"{"b":1}"#, true));
    let one = with(".[0]", json!({"output": "lines"})).apply(document);
    assert_eq!((one.text(), one.is_json()), (r#""a""#, true));
}

#[test]
fn no_output_is_an_error_unless_told_otherwise() {
    let document = r#"{"a":1}"#;
    assert!(error("empty", document).contains("`no-output`"));
    let applied = with("empty", json!({"no-output": "unchanged"})).apply(document);
    assert!(!applied.changed);
    let applied = with("empty", json!({"no-output": "empty"})).apply(document);
    assert_eq!((applied.text(), applied.is_json()), ("", false));
}

#[test]
fn text_is_left_alone_or_one_string() {
    let text = "first\nsecond";
    assert!(!bench("error(\"never\")").apply(text).changed);
    let lines = with("split(\"\\n\") | map(length)", json!({"raw-input": true})).apply(text);
    assert_eq!(lines.text(), "[5,6]");
    let raw = json!({"raw-input": true, "output": "raw"});
    assert_eq!(
        with("ascii_upcase", raw.clone()).apply(text).text(),
        "FIRST\nSECOND"
    );
    assert!(!with(".", raw).apply(text).changed);
    // JSON is not passed as a string.
    let kind = with("{type: type}", json!({"raw-input": true})).apply("[1]");
    assert_eq!(kind.text(), r#"{"type":"array"}"#);
}

#[test]
fn the_call_is_a_variable() {
    let bench = bench("$call")
        .tool("search")
        .arguments(r#"{"q":"x","n":-0}"#)
        .surface(Surface::Resource)
        .is_error(true);
    assert_eq!(
        bench.apply("{}").text(),
        r#"{"server":"server","tool":"search","surface":"resource","part":"content","index":0,"is_error":true,"arguments":{"q":"x","n":0}}"#
    );
    let conditional = self::bench("if $call.arguments.full then . else {n: length} end");
    assert_eq!(conditional.apply("[1,2]").text(), r#"{"n":2}"#);
    assert!(
        !conditional
            .arguments(r#"{"full":true}"#)
            .apply("[1,2]")
            .changed
    );
}

#[test]
fn what_is_no_program_is_refused_at_its_place() {
    for (program, expected) in [
        (
            "",
            "`program` is no jq: line 1, column 1: expected a value or a filter, found the end",
        ),
        (
            ".a |",
            "line 1, column 5: expected a value or a filter, found the end",
        ),
        (
            ".a\n| map(.b",
            "line 2, column 9: expected a closing parenthesis, found the end",
        ),
        (
            "{a: 1",
            "line 1, column 6: expected a closing brace, found the end",
        ),
        ("\"abc", "line 1, column 5: expected a closing quote"),
        (
            ".a .b ]",
            "line 1, column 7: expected an operator, a name or a value, found `]`",
        ),
        ("if . then 1", "expected else or end, found the end"),
        (
            ".a = = 1",
            "line 1, column 6: expected a value or a filter, found `=`",
        ),
        ("map(.é | é)", "line 1, column 6: "),
        (
            "mpa(.)",
            "line 1, column 1: there is no filter `mpa` with 1 argument",
        ),
        ("map", "there is no filter `map` without arguments"),
        (
            ". | $x",
            "line 1, column 5: there is no variable `$x`; `$call` is",
        ),
        ("break $out", "there is no label"),
        ("now", "there is no `now`: a filter has no clock"),
        (
            "$ENV.PATH",
            "there is no `$ENV`: a filter has no environment",
        ),
        ("env", "there is no `env`: a filter has no environment"),
        (
            "input",
            "there is no `input`: a program is given one document",
        ),
        ("[inputs]", "line 1, column 2: there is no `inputs`"),
        ("halt", "there is no `halt`: a filter cannot end the proxy"),
        ("halt_error(1)", "there is no `halt_error`"),
        ("$__loc__", "there is no `$__loc__`: a filter has no files"),
        (
            "import \"a\" as a; a::b",
            "it imports `a`: a filter has no files",
        ),
        (
            "import \"a\" as $a; $a",
            "it imports `a`: a filter has no files",
        ),
        ("include \"x\"; .", "it imports `x`: a filter has no files"),
    ] {
        let found = refusal(program);
        assert!(found.contains(expected), "{program:?}: {found}");
        assert!(found.starts_with("`program` is no jq: "), "{found}");
    }
    let many = refusal("a, b, c, d, e");
    assert!(many.ends_with("; and 2 more"), "{many}");
    assert!(refusal(&"(".repeat(100)).len() < 500);
    let missing = Bench::<Jq>::refusal("{}").unwrap_or_default();
    assert!(missing.contains("missing field `program`"), "{missing}");
}

#[test]
fn a_program_that_fails_says_why_in_jqs_words() {
    assert_eq!(
        error(".a.b", r#"{"a":"text"}"#),
        r#"cannot index "text" with "b""#
    );
    assert_eq!(error("error({a: 1})", "{}"), r#"{"a":1}"#);
    assert_eq!(error(".[] | 1 / . | error", "[1]"), "1.0");
    assert_eq!(error("1, error(\"late\")", "[]"), "late");
    assert_eq!(
        error("delpaths([[\"a\", 0]])", r#"{"a":{}}"#),
        "cannot delete 0 from {}"
    );
    assert_eq!(
        error("delpaths([[\"a\"]])", "[1]"),
        r#"cannot delete "a" from [1]"#
    );
    assert_eq!(error("delpaths([[0, 0]])", "[1]"), "cannot delete 0 from 1");
    // A message never contains a whole document.
    let document = json!({"a": "x".repeat(100_000)}).to_string();
    assert!(error(".a.b", &document).chars().count() <= 201);
}

#[test]
fn output_that_is_no_json_is_jqs_answer_or_an_error() {
    assert_eq!(
        given("[nan, infinite, -infinite]", "[]"),
        "[null,1.7976931348623157e308,-1.7976931348623157e308]"
    );
    assert_eq!(given("[00.5, 0.50, 007, -00.5]", "[]"), "[0.5,0.50,7,-0.5]");
    assert!(error("tobytes", "[1]").contains("byte string"));
    assert!(error("{(\"a\",1): 2}", "[]").contains("the key 1"));
    let deep = error("reduce range(200) as $i (.; [.])", "[]");
    assert!(deep.contains("more than 128 deep"), "{deep}");
    assert!(
        bench("reduce range(127) as $i (.; [.])")
            .apply("[]")
            .is_json()
    );
    let several = error("(1, reduce range(127) as $i (.; [.]))", "[]");
    assert!(several.contains("more than 128 deep"), "{several}");
    assert_eq!(given("[-255, 97] | implode", "[]"), "\"\u{fffd}a\"");
}

#[test]
fn debug_goes_to_the_log() {
    let applied = bench(".[0] | debug | debug(\"got \\(.)\") | stderr").apply("[1]");
    assert_eq!(applied.text(), "1");
    let log = applied.log.join("\n");
    assert!(log.contains("1") && log.contains("got 1"), "{log}");
    assert_eq!(applied.log.len(), 3);
}

#[test]
fn keys_that_are_there_twice_do_not_go_unsaid() {
    let document = r#"{"rows":[{"id":1,"\u0069d":2}]}"#;
    let said = error(".", document);
    assert!(
        said.starts_with(r#"the key "id" is there twice in one object (byte 17)"#),
        "{said}"
    );
    let last = with(".", json!({"duplicate-keys": "last"})).apply(document);
    assert_eq!(last.text(), r#"{"rows":[{"id":2}]}"#);
}

#[test]
fn hostile_documents_come_through() {
    let deep = "[".repeat(128) + &"]".repeat(128);
    assert!(!bench(".").apply(&deep).changed);
    for program in [
        "[..] | length",
        "tojson | length",
        "[paths] | length",
        "[tostream] | length",
        "walk(.) | tojson | fromjson | [flatten, .] | length",
        "del(..|select(. == [])) | 1",
        "[.. |= .] | length",
        ". == . and . <= .",
    ] {
        bench(&format!("[{program}]")).apply(&deep);
    }
    let objects = r#"{"a":"#.repeat(127) + "{}" + &"}".repeat(127);
    assert!(!bench(".").apply(&objects).changed);
    let halves = r#"{"a":"\ud800","\udc00":"x\udfffy\ud83d\ude00","b":"\ud83dz"}"#;
    assert_eq!(
        given(".", halves),
        r#"{"a":"\ud800","\udc00":"x\udfffy😀","b":"\ud83dz"}"#
    );
    assert_eq!(
        given("[.a, .b] | map(explode | implode)", halves),
        r#"["\ud800","\ud83dz"]"#
    );
    let long = "9".repeat(100_000);
    assert!(!bench(".").apply(&format!("[{long}]")).changed);
    assert_eq!(given(".[0] > 1e300", &format!("[{long}]")), "true");
    assert!(!bench(".").apply("[\"\\u0000\\u001f\u{7f}\"]").changed);
}

/// JSON texts, compact, with everything that a reader could change: spellings of numbers, unpaired surrogates, keys of
/// every kind.
fn json_text() -> impl Strategy<Value = String> {
    let number = prop_oneof![
        any::<i64>().prop_map(|number| number.to_string()),
        "-?(0|[1-9][0-9]{0,40})",
        "-?(0|[1-9][0-9]{0,20})(\\.[0-9]{1,20})?([eE][+-]?[0-9]{1,3})?",
    ];
    let string = prop_oneof![
        "[a-c]{0,2}".prop_map(|text| tamis_sdk::quote(&text)),
        "\\PC{0,8}".prop_map(|text| tamis_sdk::quote(&text)),
        Just(r#""\ud800""#.to_owned()),
        Just(r#""a\udfff""#.to_owned()),
    ];
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        Just("false".to_owned()),
        number,
        string.clone(),
    ];
    let values = leaf.prop_recursive(5, 60, 6, move |inner| {
        let members = prop::collection::hash_map(string.clone(), inner.clone(), 0..6);
        prop_oneof![
            prop::collection::vec(inner, 0..6).prop_map(|values| format!("[{}]", values.join(","))),
            members.prop_map(|members| {
                let members: Vec<_> = members
                    .iter()
                    .map(|(key, value)| format!("{key}:{value}"))
                    .collect();
                format!("{{{}}}", members.join(","))
            }),
        ]
    });
    values.prop_map(|value| format!("[{value}]"))
}

thread_local! {
    /// Programs that change nothing, compiled once.
    static NOTHING: [Bench<Jq>; 3] = [".", "map(.)", "{kept: .} | del(.gone) | .kept"].map(bench);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(150) })]

    /// Values that a program does not touch keep their bytes.
    #[test]
    fn what_is_not_touched_stays(text in json_text()) {
        NOTHING.with(|programs| {
            for program in programs {
                let left = program.apply(&text);
                prop_assert_eq!(left.text(), text.as_str());
            }
            Ok(())
        })?;
    }
}

proptest! {
    // Compiles each program together with the library.
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(60) })]

    #[test]
    fn no_program_crashes(program in "([.\\[\\](){}|,;:\"$@?/*+=<>-]|[a-z]{1,3}|[0-9]| |if|then|else|end|as|def|reduce|try|map|del|select|\\PC){0,30}") {
        if let Err(said) = Program::compile(&program) {
            prop_assert!(said.starts_with("`program` is no jq: "), "{}", said);
            prop_assert!(said.len() < 2000);
        }
    }
}
