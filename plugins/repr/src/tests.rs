use super::Repr;
use proptest::prelude::*;
use serde_json::{Value, json};
use tamis_sdk::testing::{Bench, assert_schema, recorded};

fn bench() -> Bench<Repr> {
    Bench::new(json!({}))
}

fn json_of(text: &str) -> String {
    let applied = bench().apply(text);
    assert!(applied.changed, "{text}");
    assert!(applied.is_json());
    applied.text().to_owned()
}

#[track_caller]
fn stays(text: &str) {
    assert_eq!(bench().apply(text).text(), text);
}

#[test]
fn the_schema_is_that_of_the_settings() {
    assert_schema::<Repr>(concat!(env!("CARGO_MANIFEST_DIR"), "/settings.schema.json"));
}

#[test]
fn rows_become_json() {
    let text = "[{'id': 1, 'name': \"it's\", 'note': None, 'ok': True}, {'id': 2, 'total': 59993.37000000001, 'big': 1e+16, 'bad': False}]\n";
    let expected = r#"[{"id":1,"name":"it's","note":null,"ok":true},{"id":2,"total":59993.37000000001,"big":1e+16,"bad":false}]"#;
    assert_eq!(json_of(text), expected);
}

#[test]
fn tuples_become_arrays() {
    assert_eq!(json_of("[(1, 'a'), (2,), ()]"), r#"[[1,"a"],[2],[]]"#);
    assert_eq!(json_of("(-1.5e-07, {})"), "[-1.5e-07,{}]");
    let none = Bench::<Repr>::new(json!({"tuples": false}));
    assert!(!none.apply("[(1, 'a'), 'b']").changed);
    assert!(none.apply("[[1, 'a'], 'b']").changed);
}

#[test]
fn values_of_databases_are_read() {
    let text = "[{'total': Decimal('34.50'), 'at': datetime.datetime(2026, 5, 23, 17, 55), \
        'to': datetime.datetime(2026, 5, 23, 0, 0, 1, 20, tzinfo=datetime.timezone.utc), \
        'zone': datetime.datetime(2026, 5, 23, 0, 0, tzinfo=zoneinfo.ZoneInfo(key='Etc/UTC')), \
        'day': datetime.date(987, 1, 2), 'time': datetime.time(1, 2), \
        'id': UUID('0123abcd-0000-4000-8000-000000000000')}]";
    let expected = r#"[{"total":34.50,"at":"2026-05-23T17:55:00","to":"2026-05-23T00:00:01.000020+00:00","zone":"2026-05-23T00:00:00[Etc/UTC]","day":"0987-01-02","time":"01:02:00","id":"0123abcd-0000-4000-8000-000000000000"}]"#;
    assert_eq!(json_of(text), expected);
    let none = Bench::<Repr>::new(json!({"tuples": false}));
    assert!(none.apply("[datetime.date(2026, 1, 2)]").changed);
}

#[test]
fn durations_offsets_addresses_and_numbers_of_libraries_are_read() {
    for (call, expected) in [
        ("datetime.timedelta(0)", r#""PT0S""#),
        ("datetime.timedelta(days=1)", r#""P1D""#),
        ("datetime.timedelta(seconds=3725)", r#""PT1H2M5S""#),
        (
            "datetime.timedelta(days=2, seconds=60, microseconds=500000)",
            r#""P2DT1M0.5S""#,
        ),
        ("datetime.timedelta(days=-1, seconds=86399)", r#""-PT1S""#),
        ("datetime.timedelta(days=-2)", r#""-P2D""#),
        (
            "datetime.datetime(2026, 5, 23, 17, 55, tzinfo=datetime.timezone(datetime.timedelta(seconds=7200)))",
            r#""2026-05-23T17:55:00+02:00""#,
        ),
        (
            "datetime.datetime(2026, 5, 23, 17, 55, tzinfo=datetime.timezone(datetime.timedelta(days=-1, seconds=66600)))",
            r#""2026-05-23T17:55:00-05:30""#,
        ),
        (
            "datetime.datetime(2026, 5, 23, 0, 0, 1, 20, tzinfo=psycopg2.tz.FixedOffsetTimezone(offset=datetime.timedelta(seconds=3600), name=None))",
            r#""2026-05-23T00:00:01.000020+01:00""#,
        ),
        (
            "datetime.datetime(2026, 9, 1, 8, 0, tzinfo=tzutc())",
            r#""2026-09-01T08:00:00+00:00""#,
        ),
        (
            "datetime.datetime(2026, 9, 1, 8, 0, tzinfo=TzInfo(UTC))",
            r#""2026-09-01T08:00:00+00:00""#,
        ),
        (
            "datetime.datetime(2026, 9, 1, 8, 0, tzinfo=<UTC>)",
            r#""2026-09-01T08:00:00+00:00""#,
        ),
        (
            "datetime.datetime(2026, 9, 1, 8, 0, 5, tzinfo=tzlocal())",
            r#""2026-09-01T08:00:05[tzlocal()]""#,
        ),
        (
            "ObjectId('65f0a1b2c3d4e5f601234567')",
            r#""65f0a1b2c3d4e5f601234567""#,
        ),
        ("IPv4Address('10.0.0.7')", r#""10.0.0.7""#),
        ("IPv6Network('2001:db8::/32')", r#""2001:db8::/32""#),
        ("IPv4Interface('10.0.0.7/8')", r#""10.0.0.7/8""#),
        (
            "Timestamp('2026-05-23 17:55:00')",
            r#""2026-05-23 17:55:00""#,
        ),
        ("np.float64(1.50)", "1.50"),
        ("np.int64(-3)", "-3"),
    ] {
        let text = format!("[{{'id': 1, 'value': {call}, 'next': 'a'}}]");
        let expected = format!(r#"[{{"id":1,"value":{expected},"next":"a"}}]"#);
        assert_eq!(json_of(&text), expected);
    }
}

#[test]
fn white_space_between_tokens_is_free() {
    let text = "\n[ { 'a' :\n 1 ,\r\n\t'b': [ ] } ,\n  None ]  \n";
    assert_eq!(json_of(text), r#"[{"a":1,"b":[]},null]"#);
}

#[test]
fn escapes_are_decoded() {
    let text =
        r#"['\\ \' \" \n\r\t', '\a\b\f\v\x1b\x7f\xe9', '\u20ac\U0001f980', '\0\12\377', 'é"']"#;
    let expected = [
        "\\ ' \" \n\r\t",
        "\u{7}\u{8}\u{c}\u{b}\u{1b}\u{7f}é",
        "€🦀",
        "\0\n\u{ff}",
        "é\"",
    ];
    let got: Vec<String> = serde_json::from_str(&json_of(text)).unwrap();
    assert_eq!(got, expected);
}

#[test]
fn what_json_cannot_say_stays() {
    for value in [
        "{1, 2}",
        "set()",
        "b'\\xff'",
        "B'bytes'",
        "b 'bytes'",
        "nan",
        "-inf",
        "inf",
        "<object at 0x7f>",
        "datetime.datetime(2026, 1, 1)",
        "datetime.datetime(2026, 1, 1, 0, 0, 0)",
        "datetime.datetime(2026, 13, 1, 0, 0)",
        "datetime.datetime(2026, 1, 1, 24, 0)",
        "datetime.date(2026, 01, 1)",
        "datetime.date(2026, 1, 1, 1)",
        "datetime.timedelta(1)",
        "datetime.timedelta(days=0)",
        "datetime.timedelta(seconds=86400)",
        "datetime.timedelta(seconds=1, days=1)",
        "datetime.timedelta(days=01)",
        "datetime.timedelta(days=100000000)",
        "datetime.timedelta(days=-9223372036854775808)",
        "datetime.datetime(2026, 1, 1, 0, 0, tzinfo=datetime.timezone(datetime.timedelta(seconds=90)))",
        "datetime.datetime(2026, 1, 1, 0, 0, tzinfo=datetime.timezone(datetime.timedelta(days=1)))",
        "ObjectId('65f0a1b2')",
        "IPv4Address('10.0.0.256')",
        "IPv4Address('10.0.0.+1')",
        "IPv4Address('10.0.0.01')",
        "IPv6Address('FE80::1')",
        "IPv4Address('10.0.0.0/8')",
        "IPv4Network('10.0.0.0')",
        "IPv6Network('::/129')",
        "IPv5Address('::')",
        "IPv('::')",
        "IPv\u{20ac}('::')",
        "Timestamp('now')",
        "Timestamp('2026-05-23', tz='UTC')",
        "np.float64(nan)",
        "np.float64('1')",
        "Decimal('NaN')",
        "Decimal('1E+2')",
        "Decimal(1)",
        "UUID('1')",
        "UUID('ABCDEF00-0000-0000-0000-000000000000')",
        "array([1])",
        "1j",
        "1L",
        "1_000",
        "0x10",
        "012",
        "-",
        "1.",
        ".5",
        "1e",
        "...",
        "null",
        "true",
        "Nonesuch",
        "{1: 'a'}",
        "{None: 'a'}",
        "{('a',): 1}",
        "{'a': 1, 'a': 2}",
        "{'a': 1, '\\x61': 2}",
        "{'a'}",
        "{'a':}",
        "{'a': 1,}",
        "[1,]",
        "(1)",
        "(,)",
        "(1, 2,)",
        "'a' 'b'",
        "u'a'",
        "r'a'",
        "f'a'",
        "'''a'''",
        "'a\nb'",
        "'a\tb'",
        "'\\d'",
        "'\\N{BULLET}'",
        "'\\ud83d'",
        "'\\ud83d\\ude00'",
        "'\\U00110000'",
        "'\\x+1'",
        "'\\x1'",
        "'\\400'",
        "'open",
    ] {
        stays(&format!("['a', {value}]"));
    }
}

#[test]
fn other_texts_stay() {
    for text in [
        "",
        "[",
        "'a string'",
        "None",
        "[1, 2]",
        r#"[{"a":1}]"#,
        r#"["only", "\x41"]"#,
        "[a](b)",
        "(see 'above')",
        "[info] it's here",
        "{'a': 1} and prose",
        "[{'a': 1}]\n[{'a': 2}]",
    ] {
        stays(text);
    }
}

#[test]
fn strings_of_a_document_are_read_too() {
    let text = r#"{"result": "[{'id': 1, 'name': 'x'}]", "small": "['a']", "e": "[\u0027an escaped quote\u0027]"}"#;
    let expected =
        r#"{"result": [{"id":1,"name":"x"}], "small": "['a']", "e": ["an escaped quote"]}"#;
    assert_eq!(json_of(text), expected);
    let inner = r#"[{'raw': "[('a', 'b'), None]"}]"#;
    assert_eq!(json_of(inner), r#"[{"raw":[["a","b"],null]}]"#);
    let whole = Bench::<Repr>::new(json!({"in-strings": false}));
    assert!(!whole.apply(text).changed);
    let got = whole.apply(inner);
    assert_eq!(got.text(), r#"[{"raw":"[('a', 'b'), None]"}]"#);
}

#[test]
fn bytes_are_the_text_that_they_encode() {
    let text =
        r#"{b'user:1': b'{"state": "locked", "tries": 9}', b'n': b'caf\xc3\xa9', 'q': b"it's"}"#;
    let expected = r#"{"user:1":{"state": "locked", "tries": 9},"n":"café","q":"it's"}"#;
    assert_eq!(json_of(text), expected);
    // The same key twice in JSON.
    stays("{'a': 1, b'a': 2}");
}

#[test]
fn strings_of_json_are_opened() {
    let text = r#"{'a': '[{"id": 1, "ok": true}]', 'b': '{"id": 1, "ok": True}', 'c': '{"id": 1} and more'}"#;
    let expected =
        r#"{"a":[{"id": 1, "ok": true}],"b":{"id":1,"ok":true},"c":"{\"id\": 1} and more"}"#;
    assert_eq!(json_of(text), expected);
    let whole = Bench::<Repr>::new(json!({"in-strings": false}));
    let got = whole.apply(r#"{'a': '[{"id": 1, "ok": true}]'}"#);
    assert_eq!(got.text(), r#"{"a":"[{\"id\": 1, \"ok\": true}]"}"#);
}

#[test]
fn depth_is_that_of_the_whole_document() {
    let nested =
        |depth: usize, inside: &str| format!("{}{inside}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(bench().apply(&nested(128, "'a'")).changed);
    stays(&nested(129, "'a'"));
    let string = tamis_sdk::quote(&nested(64, "'a'"));
    assert!(bench().apply(&nested(64, &string)).changed);
    stays(&nested(65, &string));
}

#[test]
fn hostile_documents_are_survived() {
    stays(&"[".repeat(1_000_000));
    stays(&format!("[{}", "'a',".repeat(200_000)));
    stays(&"{'a':".repeat(100_000));
    assert!(
        bench()
            .apply(&format!("[{}1]", "('a', 1), ".repeat(50_000)))
            .changed
    );
    let keys: String = (0..50_000).map(|key| format!("'{key}': 1, ")).collect();
    assert!(bench().apply(&format!("{{{keys}'x': 1}}")).changed);
}

/// A value as Python prints it.
fn repr_of(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => {
            let quote = if text.contains('\'') && !text.contains('"') {
                '"'
            } else {
                '\''
            };
            let mut out = String::from(quote);
            for c in text.chars() {
                match c {
                    '\\' => out.push_str("\\\\"),
                    '\n' => out.push_str("\\n"),
                    '\r' => out.push_str("\\r"),
                    '\t' => out.push_str("\\t"),
                    c if c == quote => out.extend(['\\', c]),
                    c if c.is_control() && (c as u32) < 256 => {
                        out.push_str(&format!("\\x{:02x}", c as u32));
                    }
                    c => out.push(c),
                }
            }
            out.push(quote);
            out
        }
        Value::Array(elements) => {
            let elements: Vec<_> = elements.iter().map(repr_of).collect();
            format!("[{}]", elements.join(", "))
        }
        Value::Object(members) => {
            let key = |key: &String| repr_of(&Value::String(key.clone()));
            let members: Vec<_> = members
                .iter()
                .map(|(name, value)| format!("{}: {}", key(name), repr_of(value)))
                .collect();
            format!("{{{}}}", members.join(", "))
        }
    }
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        "[a'\"\\\\\\[\\](),{}: \n\u{1b}]{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 32, 5, |inner| {
        let string = inner
            .clone()
            .prop_map(|value| Value::String(repr_of(&value)));
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((any::<String>(), inner), 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
            string,
        ]
    })
}

#[test]
fn recorded_results_become_smaller() {
    if let Some(saving) = recorded(&bench()) {
        saving.assert_smaller();
    }
}

proptest! {
    #[test]
    fn any_text_is_survived(text in "\\PC*") {
        bench().apply(&text);
    }

    #[test]
    fn near_misses_are_survived(text in "[\\[\\]{}()'\",:a1N\\\\x-]{0,40}") {
        bench().apply(&text);
    }

    #[test]
    fn what_python_prints_comes_back(value in any_value()) {
        let whole = Bench::<Repr>::new(json!({"in-strings": false}));
        // The last element ensures that the text is Python's.
        let text = repr_of(&json!([value, null]));
        let applied = whole.apply(&text);
        let got: Value = serde_json::from_str(applied.text()).unwrap();
        prop_assert_eq!(got, json!([value, null]));
    }

    #[test]
    fn filtering_twice_is_filtering_once(value in any_value(), min in 0u32..20) {
        let bench = Bench::<Repr>::new(json!({"min-bytes": min}));
        for text in [repr_of(&value), value.to_string()] {
            let once = bench.apply(&text);
            prop_assert!(!bench.apply(once.text()).changed, "{}", once.text());
        }
    }
}
