use super::Yaml;
use proptest::prelude::*;
use saphyr_parser::{Event, ScalarStyle};
use serde_json::{Map, Value, json};
use tamis_sdk::testing::{Bench, assert_schema, recorded};

fn bench() -> Bench<Yaml> {
    Bench::new(json!({}))
}

#[track_caller]
fn stays(text: &str) {
    assert_eq!(bench().apply(text).text(), text);
}

/// Parses any YAML, without the filter's conditions on its shape.
fn read(text: &str) -> Option<Value> {
    let json = tamis_formats::yaml::any_json_of(text, 128)?;
    Some(serde_json::from_str(&json).unwrap_or_else(|error| panic!("{error}: {json}")))
}

/// Parses YAML with another parser; none if the text has more than plain data.
fn read_by_another(text: &str) -> Option<Value> {
    let events: Result<Vec<_>, _> = saphyr_parser::Parser::new_from_str(text).collect();
    let events: Vec<Event> = events.ok()?.into_iter().map(|(event, _)| event).collect();
    let mut events = events.into_iter().filter(|event| {
        !matches!(
            event,
            Event::Nothing | Event::StreamStart | Event::DocumentStart(_)
        )
    });
    let value = tree(events.next()?, &mut events)?;
    matches!(events.next(), Some(Event::DocumentEnd)).then_some(())?;
    matches!(events.next(), Some(Event::StreamEnd)).then_some(value)
}

fn tree<'i>(event: Event<'i>, events: &mut impl Iterator<Item = Event<'i>>) -> Option<Value> {
    match event {
        Event::Scalar(text, style, 0, None) => Some(match (&*text, style) {
            ("" | "~" | "null" | "Null" | "NULL", ScalarStyle::Plain) => Value::Null,
            ("true" | "True" | "TRUE", ScalarStyle::Plain) => Value::Bool(true),
            ("false" | "False" | "FALSE", ScalarStyle::Plain) => Value::Bool(false),
            (number, ScalarStyle::Plain)
                if number.starts_with(|c: char| c == '-' || c.is_ascii_digit()) =>
            {
                serde_json::from_str(number).unwrap_or_else(|_| Value::from(number))
            }
            (text, _) => Value::from(text),
        }),
        Event::SequenceStart(0, None) => {
            let mut elements = Vec::new();
            loop {
                match events.next()? {
                    Event::SequenceEnd => return Some(Value::Array(elements)),
                    event => elements.push(tree(event, events)?),
                }
            }
        }
        Event::MappingStart(0, None) => {
            let mut members = Map::new();
            loop {
                let Value::String(key) = (match events.next()? {
                    Event::MappingEnd => return Some(Value::Object(members)),
                    event => tree(event, events)?,
                }) else {
                    return None;
                };
                let value = events.next()?;
                if members.insert(key, tree(value, events)?).is_some() {
                    return None;
                }
            }
        }
        _ => None,
    }
}

#[test]
fn the_schema_is_that_of_the_settings() {
    assert_schema::<Yaml>(concat!(env!("CARGO_MANIFEST_DIR"), "/settings.schema.json"));
}

const ROWS: &str = "\
- id: 1
  name: first
  note: null
- id: 2
  name: 'it''s'
  note: \"a\\tb\"
- id: 3
  name: third one
  note:
";
const ROWS_JSON: &str = r#"[{"id":1,"name":"first","note":null},{"id":2,"name":"it's","note":"a\tb"},{"id":3,"name":"third one","note":null}]"#;

#[test]
fn a_list_of_maps_becomes_json() {
    let applied = bench().apply(ROWS);
    assert_eq!(applied.text(), ROWS_JSON);
    assert!(applied.is_json());
    assert_eq!(bench().apply(&format!("---\n{ROWS}")).text(), ROWS_JSON);
    assert_eq!(bench().apply(&ROWS.replace('\n', "\r\n")).text(), ROWS_JSON);
}

#[test]
fn a_text_in_the_only_member_of_a_document_is_taken_too() {
    let text = json!({"result": ROWS}).to_string();
    assert_eq!(
        bench().apply(&text).text(),
        format!("{{\"result\":{ROWS_JSON}}}")
    );
    stays(&json!({"result": ROWS, "more": 1}).to_string());
    stays(&json!([ROWS]).to_string());
}

#[test]
fn all_that_tools_print_is_read() {
    let text = "\
apiVersion: v1
kind: List
metadata: {}
items:
- metadata:
    name: web-1
    labels:
      app.kubernetes.io/name: web
      \"quoted key\": 'yes'
    annotations: {a: 1, \"b\":[x, 'y, z', -1.5e3]}
  args: [--port=80, http://x:80/]
  empty: []
  on: yes
  when: 2026-01-01T12:30:45Z
  ratio: 1.50
-   metadata:
        name: web-2
    script: |-
      set -e

      # a comment of the shell
        echo: 'it'
    text: >
      folded
      text

      goes on
    kept: |+
      last

    next: 10.0.0.1
    long: a text that
      goes on below

      and on
    quoted: \"one \\
      two
      three\"
    single: 'one

      two'
-
  - - deep
    - er
  -
";
    let expected = json!({
        "apiVersion": "v1", "kind": "List", "metadata": {},
        "items": [
            {
                "metadata": {
                    "name": "web-1",
                    "labels": {"app.kubernetes.io/name": "web", "quoted key": "yes"},
                    "annotations": {"a": 1, "b": ["x", "y, z", -1.5e3]},
                },
                "args": ["--port=80", "http://x:80/"],
                "empty": [], "on": "yes", "when": "2026-01-01T12:30:45Z", "ratio": 1.50,
            },
            {
                "metadata": {"name": "web-2"},
                "script": "set -e\n\n# a comment of the shell\n  echo: 'it'",
                "text": "folded text\ngoes on\n",
                "kept": "last\n\n",
                "next": "10.0.0.1",
                "long": "a text that goes on below\nand on",
                "quoted": "one two three",
                "single": "one\ntwo",
            },
            [["deep", "er"], null],
        ],
    });
    assert_eq!(read(text), Some(expected.clone()));
    assert_eq!(read_by_another(text), Some(expected));
}

#[test]
fn numbers_keep_their_spelling() {
    let text = "- {a: 1.50, b: -0}\n- a: 10000000000000000000001\n  b: 1.0e+05\n";
    let loose = Bench::<Yaml>::new(json!({"min-lines": 0, "min-rows": 2}));
    let expected = r#"[{"a":1.50,"b":-0},{"a":10000000000000000000001,"b":1.0e+05}]"#;
    assert_eq!(loose.apply(text).text(), expected);
}

#[test]
fn numbers_that_readers_take_differently_are_texts_as_spelled() {
    let text = "- {a: 08900, b: 0123}\n- a: -007\n  b: 1e5\n- a: 1E-3\n  b: 00.10\n";
    let expected = json!([{"a": "08900", "b": "0123"}, {"a": "-007", "b": "1e5"}, {"a": "1E-3", "b": "00.10"}]);
    assert_eq!(read(text), Some(expected));
    for text in ["a: +012", "a: 012.", "a: +1e5", "- 012: a", "- 1e5: a"] {
        assert_eq!(read(text), None, "{text}");
    }
}

#[test]
fn what_is_not_certain_stays() {
    for (line, other) in [
        ("a: 1 # comment", "a: 1#no"),
        ("# comment", "#: 1"),
        ("a: &x 1", "a: x&1"),
        ("a: *x", "a: x*"),
        ("a: !!str 1", "a: x!"),
        ("a: +1", "a: -1"),
        ("a: 0x1f", "a: 0x1g"),
        ("a: 0o17", "a: 0o18"),
        ("a: .5", "a: .5x"),
        ("a: 1.", "a: 1.x"),
        ("a: .inf", "a: inf"),
        ("a: .NaN", "a: NaN"),
        ("1: a", "\"1\": a"),
        ("012: a", "'012': a"),
        ("true: a", "'true': a"),
        ("<<: a", "'<<': a"),
        ("? a", "a: ?a"),
        ("name: b", "Name: b"),
        ("a b: c", "'a b': c"),
        ("a: b: c", "a: b:c"),
        ("a: b:", "a: 'b:'"),
        ("a: \"b\" c", "a: b \"c\""),
        ("a: 'b", "a: b'"),
        ("a: \"\\ud800\"", "a: \"\\u00e9\""),
        ("a: \"\\d\"", "a: '\\d'"),
        ("a: [b", "a: [b]"),
        ("a: [b,]", "a: [b, c]"),
        ("a: [b] c", "a: [[b], c]"),
        ("a: {b}", "a: {b: c}"),
        ("a: {b: 1, b: 2}", "a: {b: 1, c: 2}"),
        ("a: `b`", "a: b`"),
        ("a: @b", "a: b@"),
        ("a: %b", "a: b%"),
        ("a:\tb", "a: b"),
        ("a: |x\n      b", "a: |2\n      b"),
        ("a: >\n     b\n      c", "a: >\n     b\n     c"),
        ("a: b\n     - c", "a: b\n     -c"),
        ("a: \"b\n  c\"", "a: \"b\n    c\""),
        ("a: 1\n   b: 2", "a: 1\n  b: 2"),
        ("a: 1\n    b: 2", "a:\n    b: 2"),
        ("a: - b", "a: -b"),
        ("a: \u{7}", "a: x\u{a0}"),
    ] {
        let with = |line: &str| ROWS.replacen("  note: null", &format!("  {line}"), 1);
        // "#: 1" is a comment too.
        let other = if other == "#: 1" { "a: 1" } else { other };
        stays(&with(line));
        assert!(bench().apply(&with(other)).changed, "{other:?}");
    }
}

#[test]
fn other_kinds_of_text_stay() {
    for text in [
        "",
        "key: value",
        "size: 66380\ncreated: Sat Nov 21 2026\nmodified: Sat\naccessed: Sat\nisDirectory: false\nisFile: true\npermissions: 644",
        "Summary:\n- one thing\n- another thing\n- a third\n\nSteps:\n- do this\n- do that\n",
        "# Title\n\nSome text: with a colon.\n\n- **a**: x\n- **b**: y\n",
        "- Fix: the thing\n- Add: another\n- Fix: more\n- Add: again\n- Fix: it\n- Fix: that\n",
        "2026-01-01T00:00:00Z INFO: started\n2026-01-01T00:00:01Z WARN: slow\n",
        "INFO: started\nWARN: slow\nINFO: again\nINFO: more\nINFO: and\nINFO: on\n",
        "def f(x):\n    return x\n\nclass A:\n    b: int\n    c: int\n    d: str\n",
        "[section]\nkey = value\nother: x\nmore: y\nand: z\nlast: a\n",
        "Traceback (most recent call last):\n  File \"x\", line 1\nValueError: bad\n",
        "src/a.rs:1: use x;\nsrc/a.rs:2: use y;\nsrc/b.rs:9: fn z() {}\na: b\nb: c\nd: e\n",
        "---\ntitle: x\n---\n\n# Text\n\nmore: a\n",
        "a:\n  b: 1\n  c: 2\nd: 1\n...\n",
        "- a\n- b\n- c\n- d\n- e\n- f\n",
    ] {
        stays(text);
    }
}

#[test]
fn settings_say_what_is_enough() {
    let two = "- id: 1\n  name: a\n- id: 2\n  name: b\n";
    stays(two);
    let loose =
        |rows: u32, lines: u32| Bench::<Yaml>::new(json!({"min-rows": rows, "min-lines": lines}));
    assert!(!loose(2, 6).apply(two).changed);
    assert!(loose(2, 4).apply(two).changed);
    let nested = "a:\n  b: 1\n  c: 2\nd: 3\n";
    assert!(!loose(2, 0).apply(nested).changed);
    assert_eq!(
        loose(0, 0).apply(nested).text(),
        r#"{"a":{"b":1,"c":2},"d":3}"#
    );
    let refusal = Bench::<Yaml>::refusal(json!({"min-rows": 1})).expect("a refusal");
    assert!(refusal.contains("`min-rows` is 1"), "{refusal}");
}

#[test]
fn a_map_of_like_maps_is_a_table() {
    let entry = |name: &str| format!("{name}:\n  id: 1\n  size: 2\n");
    let text: String = ["a", "b", "c", "d"].map(entry).concat();
    assert!(bench().apply(&text).changed);
    stays(&text[..text.len() - entry("d").len()]);
}

#[test]
fn hostile_documents_are_survived() {
    let rows = "- id: 1\n  name: x\n".repeat(50_000);
    assert!(bench().apply(&rows).changed);
    let deep: String = (0..2_000)
        .map(|depth| format!("{}a:\n", " ".repeat(depth)))
        .collect();
    stays(&deep);
    stays(&"- ".repeat(100_000));
    stays(&format!("a: {}", "[".repeat(100_000)));
    stays(&"\n".repeat(200_000));
    stays(&format!("a: 'x{}", "\ny: z".repeat(100_000)));
    let keys: String = (0..50_000).map(|key| format!("k{key}: 1\n")).collect();
    stays(&keys);
}

/// Prints a value as PyYAML and similar tools do.
fn print(value: &Value, indent: usize, out: &mut String, hang: bool) {
    let pad = " ".repeat(indent);
    match value {
        Value::Array(elements) if !elements.is_empty() => {
            for (place, element) in elements.iter().enumerate() {
                out.push_str(if place == 0 && hang { "" } else { &pad });
                out.push('-');
                out.push(' ');
                print(element, indent + 2, out, true);
            }
        }
        Value::Object(members) if !members.is_empty() => {
            for (place, (key, value)) in members.iter().enumerate() {
                out.push_str(if place == 0 && hang { "" } else { &pad });
                out.push_str(&print_string(key, indent));
                out.push(':');
                match value {
                    Value::Array(elements) if !elements.is_empty() => {
                        out.push('\n');
                        print(value, indent + indent % 4, out, false);
                    }
                    Value::Object(members) if !members.is_empty() => {
                        out.push('\n');
                        print(value, indent + 2, out, false);
                    }
                    _ => {
                        out.push(' ');
                        print(value, indent + 1, out, true);
                    }
                }
            }
        }
        Value::String(text)
            if text.ends_with('\n')
                && text.trim_start() == text
                && !text.contains('\t')
                && text.lines().all(|line| !line.trim().is_empty())
                && text.len() > 1
                && indent > 0 =>
        {
            out.push_str("|\n");
            for line in text.lines() {
                out.push_str(&format!("{pad}  {line}\n"));
            }
        }
        Value::String(text) => {
            out.push_str(&print_string(text, indent));
            out.push('\n');
        }
        scalar => {
            out.push_str(&scalar.to_string());
            out.push('\n');
        }
    }
}

fn print_string(text: &str, style: usize) -> String {
    let is_word = text
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || "_./".contains(c))
        && text.starts_with(|c: char| c.is_ascii_alphabetic())
        && !["null", "true", "false"].contains(&text.to_lowercase().as_str());
    if is_word {
        text.to_owned()
    } else if style.is_multiple_of(4)
        && text
            .chars()
            .all(|c| !c.is_control() && !"\u{feff}\u{2028}\u{2029}\u{fffe}\u{ffff}".contains(c))
    {
        format!("'{}'", text.replace('\'', "''"))
    } else {
        let mut quoted = String::from("\"");
        for c in text.chars() {
            match c {
                '"' | '\\' => quoted.extend(['\\', c]),
                c if c.is_ascii_graphic() || c == ' ' => quoted.push(c),
                c => quoted.push_str(&format!("\\U{:08x}", c as u32)),
            }
        }
        quoted + "\""
    }
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        Just(json!([])),
        Just(json!({})),
        any::<String>().prop_map(Value::from),
        "[a-z]{1,6}".prop_map(Value::from),
        "[ a:#'\"\\-\n]{0,8}".prop_map(Value::from),
        "([a:#' -]{1,8}\n){1,3}".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..5).prop_map(Value::from),
            prop::collection::vec(("[a-z]{1,4}|[a-c -]{1,4}", inner), 1..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Lines with parts of YAML, mostly invalid.
fn near_yaml() -> impl Strategy<Value = String> {
    let begin = prop_oneof![
        Just(""),
        Just("- "),
        Just("- - "),
        Just("-"),
        Just("a: "),
        Just("b:"),
        Just("- a: "),
        Just("- b:"),
        Just("'c': "),
        Just("\"d\":")
    ];
    let rest = prop_oneof![
        Just(""),
        Just("x"),
        Just("x y"),
        Just("1"),
        Just("~"),
        Just("[]"),
        Just("{a: [b, 'c'], \"d\":1}"),
        Just("|"),
        Just("|-"),
        Just(">"),
        Just(">+"),
        Just("|+"),
        Just("|1"),
        Just("|2-"),
        Just("'x"),
        Just("y'"),
        Just("\"x"),
        Just("y\\"),
        Just("y\""),
        Just("'x'"),
        Just("\"x\""),
        Just("#"),
        Just("x #"),
        Just("- "),
        Just("-x"),
        Just("x  "),
        Just("---"),
        Just("? x"),
        Just(": x"),
        Just("''"),
        Just("x:y"),
        "[ax:' \"#,\\[\\]{}|>&*!?\\\\-]{0,6}"
            .prop_map(|text: String| &*Box::leak(text.into_boxed_str())),
    ];
    let line = (0usize..5, begin, rest)
        .prop_map(|(indent, begin, rest)| format!("{}{begin}{rest}", " ".repeat(indent)));
    (prop::collection::vec(line, 1..7), any::<bool>()).prop_map(|(lines, ended)| {
        let mut text = lines.join("\n");
        if ended {
            text.push('\n');
        }
        text
    })
}

#[test]
fn recorded_results_are_not_taken_for_yaml() {
    if let Some(saving) = recorded(&bench()) {
        assert!(
            saving.changed.is_empty(),
            "none of them is YAML: {saving:?}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { max_global_rejects: 10_000_000, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_survived(text in "(\\PC|\n|\t)*") {
        bench().apply(&text);
    }

    #[test]
    fn what_is_printed_comes_back(value in any_value()) {
        let mut text = String::new();
        let value = json!([value, {"end": null}]);
        print(&value, 0, &mut text, false);
        prop_assert_eq!(read(&text), Some(value), "{}", text);
    }

    #[test]
    fn filtering_twice_is_filtering_once(value in any_value(), within in any::<bool>()) {
        let loose = Bench::<Yaml>::new(json!({"min-lines": 0, "min-rows": 0}));
        let mut text = String::new();
        print(&json!([value, {"a": ROWS, "b": 1}, {"c": 1, "d": 2}]), 0, &mut text, false);
        if within {
            text = json!({"result": text}).to_string();
        }
        let once = loose.apply(&text);
        prop_assert!(once.changed, "{}", text);
        prop_assert!(!loose.apply(once.text()).changed, "{}", once.text());
    }
}

/// Output of tools with one or two changed lines.
fn damaged_yaml() -> impl Strategy<Value = String> {
    let change = (any::<prop::sample::Index>(), 0usize..6, 0usize..5);
    let changes = prop::collection::vec(change, 1..4);
    (any_value(), changes).prop_map(|(value, changes)| {
        let mut text = String::new();
        print(&json!([value, {"end": null}]), 0, &mut text, false);
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        for (place, change, spaces) in changes {
            let place = place.index(lines.len());
            let line = &mut lines[place];
            match change {
                0 => line.insert_str(0, &" ".repeat(spaces)),
                1 => *line = line.trim_start().to_owned(),
                2 => *line = line.strip_prefix("  ").unwrap_or(line).to_owned(),
                3 => line.truncate(line.floor_char_boundary(line.len() / 2)),
                4 => *line = " ".repeat(spaces),
                _ => *line = line.replacen("- ", "", 1),
            }
        }
        lines.join("\n") + "\n"
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn what_is_read_of_damaged_yaml_another_parser_reads_the_same(text in damaged_yaml()) {
        if let Some(value) = read(&text) {
            prop_assert_eq!(read_by_another(&text), Some(value), "{}", text);
        }
    }

    #[test]
    fn what_is_read_another_parser_reads_the_same(text in near_yaml()) {
        if let Some(value) = read(&text) {
            prop_assert_eq!(read_by_another(&text), Some(value), "{}", text);
        }
    }
}
