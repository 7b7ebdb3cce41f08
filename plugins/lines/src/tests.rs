//! Tests of the lines that stay, of the marks for the others, and of the numbers in marks.

mod properties;

use super::*;
use serde_json::{Value, json};
use tamis_sdk::testing::{Bench, assert_schema};

fn filtered(settings: &Value, text: &str) -> String {
    Bench::<Lines>::new(settings).apply(text).text().to_owned()
}

/// Lines that are long enough for a mark to be shorter.
fn numbered(count: usize) -> String {
    (1..=count)
        .map(|id| format!("line number {id} of a text\n"))
        .collect()
}

#[test]
fn the_schema_is_that_of_the_settings() {
    assert_schema::<Lines>(concat!(env!("CARGO_MANIFEST_DIR"), "/settings.schema.json"));
}

/// Blocks of one kind in the README, in order.
fn blocks(kind: &str) -> Vec<&'static str> {
    let blocks = include_str!("../README.md").split("```").skip(1).step_by(2);
    blocks
        .filter_map(|block| block.strip_prefix(kind))
        .collect()
}

/// The settings of the step in a block of TOML.
fn settings_of(block: &str) -> Value {
    let policy: toml::Table = toml::from_str(block).expect("TOML");
    let mut step = policy["chain"][0]["steps"][0].clone();
    let step = step.as_table_mut().expect("a table");
    assert_eq!(
        step.remove("filter").as_ref().and_then(toml::Value::as_str),
        Some("lines")
    );
    json!(step)
}

#[test]
fn every_example_of_the_readme_is_true() {
    let policies = blocks("toml\n");
    let texts = blocks("text\n");
    let [cargo, pytest, npm, git] = policies[..] else {
        panic!("{} examples", policies.len());
    };
    assert_eq!(texts.len(), 6);
    for (policy, pair) in [cargo, pytest, npm].iter().zip(texts.chunks(2)) {
        assert_eq!(filtered(&settings_of(policy), pair[0]), pair[1], "{policy}");
    }
    let log: String = (0..1000)
        .map(|id| format!("{:07x} Change number {id}\n", 0x00c0_ffee + id * 7919))
        .collect();
    let first: String = log.split_inclusive('\n').take(20).collect();
    assert_eq!(
        filtered(&settings_of(git), &log),
        first + "[… 980 of 1,000 lines cut]\n"
    );
}

#[test]
fn every_setting_is_in_the_readme_with_its_default() {
    let schema: Value = serde_json::from_str(Lines::SETTINGS_SCHEMA).expect("JSON");
    let properties = schema["properties"].as_object().expect("properties");
    assert_eq!(properties.len(), 11);
    for (key, about) in properties {
        let default = &about["default"];
        let cell = if default.is_null() {
            "all".to_owned()
        } else {
            format!("`{default}`")
        };
        let row = include_str!("../README.md").lines().find(|line| {
            let mut cells = line.split(" | ");
            cells
                .next()
                .is_some_and(|first| first.contains(&format!("`{key}`")))
                && cells.next() == Some(&cell)
        });
        assert!(row.is_some(), "`{key}` with {cell}");
    }
}

#[test]
fn patterns_choose_lines() {
    let text = "alpha\nbeta\n\ngamma\n \ndelta\nepsilon\n";
    for (settings, expected) in [
        (
            json!({"drop": ["^b"]}),
            "alpha\n\ngamma\n \ndelta\nepsilon\n",
        ),
        (
            json!({"drop": ["^b", "ta$"]}),
            "alpha\n\ngamma\n \nepsilon\n",
        ),
        (json!({"drop": ["(?i)A"]}), "\n \nepsilon\n"),
        (json!({"drop": ["zeta"]}), text),
        (json!({"keep": ["ta$"]}), "beta\ndelta\n"),
        (json!({"keep": ["^$"]}), "\n"),
        (
            json!({"keep": ["."]}),
            "alpha\nbeta\ngamma\n \ndelta\nepsilon\n",
        ),
        (json!({"keep": ["ta$"], "drop": ["^d"]}), "beta\n"),
        (
            json!({"blank": "drop"}),
            "alpha\nbeta\ngamma\ndelta\nepsilon\n",
        ),
        (json!({"keep": ["^gamma"], "context": 1}), "\ngamma\n \n"),
        (
            json!({"keep": ["^gamma"], "context": 1, "blank": "drop"}),
            "beta\ngamma\ndelta\n",
        ),
        (
            json!({"keep": ["^gamma"], "context": 2, "drop": ["^ $"]}),
            "beta\n\ngamma\ndelta\nepsilon\n",
        ),
        (
            json!({"keep": ["^alpha", "^eps"], "context": 2}),
            "alpha\nbeta\n\n \ndelta\nepsilon\n",
        ),
        (json!({"keep": ["gamma"], "context": 1000}), text),
    ] {
        let mut settings = settings;
        settings["marks"] = json!("none");
        assert_eq!(filtered(&settings, text), expected, "{settings}");
    }
}

#[test]
fn a_text_says_how_many_lines_are_missing() {
    let text = numbered(1000);
    for (settings, expected) in [
        (
            json!({"keep": ["number 7 "]}),
            "line number 7 of a text\n[… 999 of 1,000 lines dropped by pattern]\n",
        ),
        (json!({"drop": ["line"]}), "[… all 1,000 lines dropped]\n"),
        (
            json!({"drop": ["line"], "marks": "none"}),
            "[… all 1,000 lines dropped]\n",
        ),
        (
            json!({"first": 1, "last": 2}),
            "line number 1 of a text\n[… 997 of 1,000 lines cut]\nline number 999 of a text\nline number 1000 of a text\n",
        ),
        (
            json!({"last": 1}),
            "[… 999 of 1,000 lines cut]\nline number 1000 of a text\n",
        ),
        (
            json!({"first": 1}),
            "line number 1 of a text\n[… 999 of 1,000 lines cut]\n",
        ),
        // 1, 20, 21 and so on match; 110 of them stay, and 890 are dropped.
        (
            json!({"keep": [r"number \d*1 ", r"number 2\d? "], "first": 2, "last": 1}),
            "line number 1 of a text\nline number 2 of a text\n[… 107 of 1,000 lines cut]\nline number 991 of a text\n[… 890 of 1,000 lines dropped by pattern]\n",
        ),
        // A line with a count replaces its lines.
        (
            json!({"repeats": "count", "ignore-numbers": true}),
            "line number 1 of a text (×1,000, numbers differ)\n",
        ),
    ] {
        assert_eq!(filtered(&settings, &text), expected, "{settings}");
    }
    let one = "a line that is longer than any mark";
    assert_eq!(
        filtered(&json!({"drop": ["line"]}), one),
        "[… the only line dropped]"
    );
    let repeated = "an equal line\n".repeat(50) + &numbered(3) + &"another equal line\n".repeat(7);
    assert_eq!(
        filtered(&json!({"repeats": "count", "last": 2}), &repeated),
        "[… 52 of 60 lines cut]\nline number 3 of a text\nanother equal line (×7)\n"
    );
}

#[test]
fn equal_lines_are_counted() {
    for (ignore_numbers, text, expected) in [
        (
            false,
            "retrying now\n".repeat(37),
            "retrying now (×37)\n".to_owned(),
        ),
        (
            false,
            "retrying now\n".repeat(2),
            "retrying now (×2)\n".to_owned(),
        ),
        (false, "a\n".repeat(2), "a\na\n".to_owned()),
        (false, "\n".repeat(1200), "(×1,200)\n".to_owned()),
        (
            false,
            "try 1 of 3\ntry 2 of 3\n".to_owned(),
            "try 1 of 3\ntry 2 of 3\n".to_owned(),
        ),
        (
            true,
            "fetched 1.5 MB of 9\nfetched 2 MB of 9\nfetched 1,024 MB of 9\ndone\n".to_owned(),
            "fetched 1.5 MB of 9 (×3, numbers differ)\ndone\n".to_owned(),
        ),
        (true, "try no. 3\n".repeat(5), "try no. 3 (×5)\n".to_owned()),
        // Some are shorter than the count that they would get.
        (
            true,
            "88888\n88888\n88888\n9\n".to_owned(),
            "88888 (×3)\n9\n".to_owned(),
        ),
        // A count does not count again.
        (
            false,
            "retrying (×3)\nretrying (×3)\nretrying\nretrying\nretrying\n".to_owned(),
            "retrying (×3)\nretrying (×3)\nretrying (×3)\n".to_owned(),
        ),
    ] {
        let settings = json!({"repeats": "count", "ignore-numbers": ignore_numbers});
        assert_eq!(filtered(&settings, &text), expected, "{text}");
    }
    let settings = json!({"repeats": "count"});
    let text = "retrying\nretrying\nretrying (×3)\n";
    assert_eq!(filtered(&settings, text), "retrying (×2)\nretrying (×3)\n");
    // Only dropped lines were between them. A kept line is not merged with a line near it.
    let text = "waiting for the lock\nnoise\n".repeat(5);
    assert_eq!(
        filtered(
            &json!({"drop": ["noise"], "repeats": "count", "marks": "none"}),
            &text
        ),
        "waiting for the lock (×5)\n"
    );
    let text = "job 7 of a very long night\njob 9 of a very long night\n";
    let near = json!({"keep": ["9"], "context": 1, "repeats": "count", "ignore-numbers": true});
    assert_eq!(filtered(&near, text), text);
}

#[test]
fn parts_of_lines_are_replaced_before_repeats_are_counted() {
    let replace = |pattern: &str, with: &str, text: &str| {
        filtered(
            &json!({"replace": [{"match": pattern, "with": with}]}),
            text,
        )
    };
    for (pattern, with, text, expected) in [
        (r"^\S+ ", "", "12:00:01 up\n12:00:02 down\n", "up\ndown\n"),
        (
            r"(\w+)=(\w+)",
            "$2",
            "key=value other=thing\n",
            "value thing\n",
        ),
        (
            r"(?<k>\w+)=\w+",
            "${k}!",
            "key=value other=thing\n",
            "key! other!\n",
        ),
        (
            r"(\d)(\d)",
            "$2${1}0",
            "12 and 34 or so, at 5\n",
            "210 and 430 or so, at 5\n",
        ),
        (r"USD", "$$", "5 USD", "5 $"),
        (r"a+(b)?", "<$1>", "aaaaaab aaaaaa", "<b> <>"),
        ("é+", "e", "éééé\r\nx\r\n", "e\r\nx\r\n"),
    ] {
        // Only a shorter text is accepted: a line at the end makes it shorter.
        let text = format!("{text}{}", if text.ends_with('\n') { "END\n" } else { "" });
        let expected = format!(
            "{expected}{}",
            if text.ends_with('\n') { "END\n" } else { "" }
        );
        let found = replace(pattern, with, &text);
        if expected.len() < text.len() {
            assert_eq!(found, expected, "{pattern}");
        } else {
            assert_eq!(found, text, "{pattern}");
        }
    }
    let settings = json!({
        "drop": ["^12:00:09"],
        "replace": [{"match": r"^\S+ ", "with": ""}, {"match": "^retry", "with": "again"}],
        "repeats": "count", "marks": "none",
    });
    let text = "12:00:01 retry\n12:00:02 retry\n12:00:09 drop\n12:00:10 retry\n12:00:11 done\n";
    assert_eq!(
        filtered(&settings, text),
        "again\nagain\nagain\ndone\n".replace("again\nagain\nagain", "again (×3)")
    );
}

#[test]
fn line_breaks_keep_their_spelling() {
    let drop = json!({"drop": ["^noise"]});
    let noise = "noise noise noise noise noise noise noise noise";
    for (text, expected) in [
        (
            format!("a\r\n{noise}\r\nb\r\n"),
            "a\r\nb\r\n[… 1 of 3 lines dropped by pattern]\r\n",
        ),
        (
            format!("a\r\n{noise}\r\nb"),
            "a\r\nb\r\n[… 1 of 3 lines dropped by pattern]",
        ),
        (
            format!("a\r\n{noise}"),
            "a\r\n[… 1 of 2 lines dropped by pattern]",
        ),
        (
            format!("a\n{noise}\r\nb\r\n"),
            "a\nb\r\n[… 1 of 3 lines dropped by pattern]\n",
        ),
        (
            format!("a\rb\n{noise}\nc\r"),
            "a\rb\nc\r\n[… 1 of 3 lines dropped by pattern]",
        ),
    ] {
        assert_eq!(filtered(&drop, &text), expected, "{text:?}");
    }
    let quiet = json!({"drop": ["^noise"], "marks": "none"});
    for (text, expected) in [
        ("a\r\nnoise\r\nb", "a\r\nb"),
        ("a\r\nnoise", "a"),
        ("a\r\nnoise\nb\r", "a\r\nb\r"),
        ("noise\n\n", "\n"),
        ("\nnoise", "\n"),
        ("a\n\nnoise", "a\n\n"),
        ("a\n\r\nnoise", "a\n\r\n"),
        ("a\r\r\nnoise", "a\r\r\n"),
    ] {
        assert_eq!(filtered(&quiet, text), expected, "{text:?}");
    }
}

#[test]
fn nothing_becomes_longer() {
    for (settings, text) in [
        (json!({"drop": ["b"]}), "a\nb\nc\n"),
        (json!({"drop": ["b"]}), "b"),
        (json!({"first": 1}), "a\nb\nc\n"),
        (json!({"repeats": "count"}), "}\n}\n"),
        (
            json!({"replace": [{"match": "a", "with": "longer"}]}),
            "a\nb\nc\n",
        ),
        (
            json!({"replace": [{"match": "a", "with": "b"}]}),
            "a\nb\nc\n",
        ),
        (json!({"drop": ["."]}), ""),
        (
            json!({"first": 1, "repeats": "count", "blank": "drop"}),
            "\n",
        ),
    ] {
        assert!(
            !Bench::<Lines>::new(&settings).apply(text).changed,
            "{settings}"
        );
    }
}

#[test]
fn an_escaped_string_does_not_become_longer() {
    // The mark has a line break that is longer as an escape, not as a character.
    let mark = "[… 1 of 3 lines dropped by pattern]";
    let settings = json!({"drop": ["^x"]});
    for (more, is_shorter) in [(2, false), (3, true)] {
        let text = format!("a\r\n{}\nb\r\n", "x".repeat(mark.len() + more));
        let json = json!([text]).to_string();
        let bench = Bench::<Lines>::new(&settings);
        assert!(bench.apply(&text).changed);
        assert_eq!(bench.apply(&json).changed, is_shorter, "{more}");
    }
}

#[test]
fn marks_of_an_earlier_step_stay_and_are_no_lines() {
    let text = numbered(100);
    let once = filtered(&json!({"drop": ["0 of"], "first": 5, "last": 30}), &text);
    assert!(once.contains("[… 55 of 100 lines cut]\n"), "{once}");
    assert!(
        once.ends_with("[… 10 of 100 lines dropped by pattern]\n"),
        "{once}"
    );
    let twice = filtered(&json!({"first": 2, "last": 2}), &once);
    assert_eq!(
        twice,
        "line number 1 of a text\nline number 2 of a text\n[… 55 of 100 lines cut]\n[… 31 of 35 lines cut]\nline number 98 of a text\nline number 99 of a text\n[… 10 of 100 lines dropped by pattern]\n"
    );
    let twice = filtered(&json!({"keep": ["number 1 "], "drop": ["…", "×"]}), &once);
    assert_eq!(
        twice,
        "line number 1 of a text\n[… 55 of 100 lines cut]\n[… 10 of 100 lines dropped by pattern]\n[… 34 of 35 lines dropped by pattern]\n"
    );
    // They keep their position among lines near a kept line, and no replacement changes them.
    let text = "far away, too far away\nnear\n[… 3 of 9 lines dropped by pattern]\nkept in 5 s\n";
    let settings = json!({
        "keep": ["^kept"], "context": 1, "marks": "none", "replace": [{"match": "\\d+", "with": "N"}],
    });
    assert_eq!(
        filtered(&settings, text),
        "near\n[… 3 of 9 lines dropped by pattern]\nkept in N s\n"
    );
    // Marks alone are no lines to drop.
    let marks = "[… all 37 lines dropped]\n[… the only line dropped]\n";
    assert_eq!(filtered(&json!({"keep": ["x"], "first": 1}), marks), marks);
}

#[test]
fn strings_of_json_are_texts() {
    let log = numbered(50);
    let document = json!({
        "stdout": log, "stderr": "", "code": 0, "line number": "line number 9 of a text",
        "steps": [{"output": format!("{log}é\t\"end\"")}, {"output": "one line alone"}],
    });
    let settings = json!({"keep": ["number 7 ", "end"], "blank": "drop"});
    let found = Bench::<Lines>::new(&settings).apply(&document.to_string());
    assert!(found.is_json());
    let found: Value = serde_json::from_str(found.text()).expect("JSON");
    let mut expected = document.clone();
    expected["stdout"] = json!("line number 7 of a text\n[… 49 of 50 lines dropped by pattern]\n");
    expected["steps"][0]["output"] =
        json!("line number 7 of a text\né\t\"end\"\n[… 49 of 51 lines dropped by pattern]");
    assert_eq!(found, expected);

    // With paths, only those strings, even with a single line.
    let settings = json!({"keep": ["number 7 "], "members": ["**.output", "steps.*.output", "*.none", "code"]});
    let long = "one line alone ".repeat(9);
    let mut document = document;
    document["steps"][1]["output"] = json!(long);
    let found = Bench::<Lines>::new(&settings).apply(&document.to_string());
    let found: Value = serde_json::from_str(found.text()).expect("JSON");
    assert_eq!(found["stdout"], document["stdout"]);
    assert_eq!(found["steps"][1]["output"], "[… the only line dropped]");
    assert!(
        found["steps"][0]["output"]
            .as_str()
            .is_some_and(|it| it.len() < 100)
    );
}

#[test]
fn what_is_not_changed_in_json_keeps_its_bytes() {
    let log = numbered(50).replace('\n', "\\u000a");
    let text = format!(
        "{{ \"a\\u006e\" : 1.50, \"x\": \"\\u00e9\\/\\n\", \"log\":\"{log}\",\"half\":\"\\ud800\\n{log}\" ,\"log\" :\"\\n\"}}"
    );
    let found = filtered(&json!({"first": 1}), &text);
    let short = "\"line number 1 of a text\\n[… 49 of 50 lines cut]\\n\"";
    assert_eq!(found, text.replace(&format!("\"{log}\""), short));
}

#[test]
fn nonsense_is_refused_by_key() {
    let many = vec!["x"; 65];
    let long = "x".repeat(513);
    let replace = |with: &str| json!({"replace": [{"match": "(?<n>a)(b)", "with": with}]});
    for (settings, expected) in [
        (
            json!({}),
            "no setting changes a line: set `drop`, `keep`, `blank`, `replace`, `repeats`, `first` or `last`, for example drop = ['^\\s*Compiling ']",
        ),
        (
            json!({"drop": ["x", "a*"]}),
            "`drop`: entry 2 (`a*`) matches the empty string, and so may match every line: write a pattern that needs a character; blank = \"drop\" drops blank lines",
        ),
        (
            json!({"drop": ["^$"]}),
            "`drop`: entry 1 (`^$`) matches the empty string, and so may match every line: write a pattern that needs a character; blank = \"drop\" drops blank lines",
        ),
        (
            json!({"keep": ["a("]}),
            "`keep`: entry 1 (`a(`) is not a regular expression: unclosed group",
        ),
        (
            json!({"keep": ["a(?=b)"]}),
            "`keep`: entry 1 (`a(?=b)`) is not a regular expression: look-around, including look-ahead and look-behind, is not supported",
        ),
        (
            json!({"drop": [r"(\w{50}){99}"]}),
            "`drop`: entry 1 (`(\\w{50}){99}`) takes over 524,288 bytes as a program: use fewer or smaller repetitions, and (?-u:\\w) for ASCII",
        ),
        (
            json!({"drop": vec![r"\w{8}"; 64]}),
            "the patterns of `drop` take over 4,194,304 bytes together as a program: use a second step of the chain",
        ),
        (
            json!({"drop": many}),
            "`drop` has 65 entries, allowed: 64; use a second step of the chain",
        ),
        (
            json!({"keep": ["x", ""]}),
            "`keep`: entry 2 has 0 bytes, allowed: 1 to 512",
        ),
        (
            json!({"keep": [long]}),
            "`keep`: entry 1 has 513 bytes, allowed: 1 to 512",
        ),
        (
            json!({"replace": [{"match": "x", "with": long}]}),
            "`replace`: entry 1 (`x`): `with` has 513 bytes, allowed: 512",
        ),
        (
            replace("$3"),
            "`replace`: entry 1 (`(?<n>a)(b)`): `with` names group 3, and the pattern has 2",
        ),
        (
            replace("${m}"),
            "`replace`: entry 1 (`(?<n>a)(b)`): `with` names the group `m`, and the pattern has none of that name",
        ),
        (
            replace("$n"),
            "`replace`: entry 1 (`(?<n>a)(b)`): `with` has `$n`: allowed are `$1`, `${name}`, and `$$` for a dollar",
        ),
        (
            replace("${n"),
            "`replace`: entry 1 (`(?<n>a)(b)`): `with` has `${` without `}`: write `$$` for a dollar",
        ),
        (
            replace("5 $"),
            "`replace`: entry 1 (`(?<n>a)(b)`): `with` ends with `$`: write `$$` for a dollar",
        ),
        (
            replace("a\nb"),
            "`replace`: entry 1 (`(?<n>a)(b)`): `with` has a line break: a line stays one line",
        ),
        (
            json!({"drop": ["x"], "context": 2}),
            "`context` is 2, and `keep` is empty: set `keep` too, or leave `context` out",
        ),
        (
            json!({"keep": ["x"], "context": 1001}),
            "`context` is 1001: 0 to 1,000 lines are allowed",
        ),
        (
            json!({"first": 0}),
            "`first` is 0: 1 to 100,000 lines are allowed; leave `first` out to keep none there",
        ),
        (
            json!({"last": 100_001}),
            "`last` is 100001: 1 to 100,000 lines are allowed; leave `last` out to keep none there",
        ),
        (
            json!({"drop": ["x"], "ignore-numbers": true}),
            "`ignore-numbers` is true, and `repeats` is \"keep\": set repeats = \"count\", or leave `ignore-numbers` out",
        ),
        (
            json!({"first": 1, "members": ["a..b"]}),
            "`members`: the path `a..b` has an empty step: name keys with one dot between them",
        ),
    ] {
        assert_eq!(
            Bench::<Lines>::refusal(&settings).as_deref(),
            Some(expected),
            "{settings}"
        );
    }
    for settings in [
        json!({"dropp": ["x"]}),
        json!({"replace": [{"match": "x"}]}),
    ] {
        assert!(Bench::<Lines>::refusal(&settings).is_some(), "{settings}");
    }
    for settings in [
        json!({"drop": vec!["x"; 64]}),
        json!({"keep": ["x".repeat(512)]}),
        json!({"keep": ["x"], "context": 1000}),
        json!({"first": 100_000, "last": 1}),
        replace("$0 $1 ${2} ${n} $$1"),
    ] {
        assert_eq!(Bench::<Lines>::refusal(&settings), None, "{settings}");
    }
}

#[test]
fn hostile_texts_stay_in_bounds() {
    let all = json!({
        "drop": ["drop$"], "keep": ["[^b]", "^$"], "context": 1000, "repeats": "count", "ignore-numbers": true,
        "replace": [{"match": "x(y)?", "with": "$1"}], "first": 3, "last": 3,
    });
    for (text, most_bytes) in [
        ("\n".repeat(1 << 20), 30),
        ("a\nb\n".repeat(1 << 18), 60),
        (
            "[… 99,999,999,999,999,999,999,999 of 1 lines cut]\n".repeat(5000),
            usize::MAX,
        ),
        ("a (×99999999999999999999999999)\n".repeat(5000), 300),
        ("7".repeat(1 << 20), usize::MAX),
        (
            "x".repeat(1 << 20) + "\n" + &"x".repeat(4000),
            (1 << 20) + 2,
        ),
        ("\r".repeat(1 << 20), usize::MAX),
        ("\u{0}\u{85}\u{2028}\u{feff}\n".repeat(1000), 100),
    ] {
        let found = filtered(&all, &text);
        assert!(
            found.len() <= most_bytes.min(text.len()),
            "{:.60} became {}",
            text,
            found.len()
        );
    }
    // Each replacement doubles the line.
    let double = json!({"match": "(.+)", "with": "$1$1"});
    let doubled = Bench::<Lines>::new(json!({"replace": vec![double; 64], "first": 1}));
    for text in [numbered(2000), "x".repeat(8000), "x\n".repeat(8000)] {
        assert!(!doubled.apply(&text).changed);
    }
    // The limit holds even if later lines do not grow.
    let double = json!({"match": "(l.+)", "with": "$1$1"});
    let doubled = Bench::<Lines>::new(json!({"replace": vec![double; 64], "first": 1}));
    assert!(!doubled.apply(&(numbered(2000) + "end\n")).changed);
    // A replacement may make lines longer if later stages make the text shorter.
    let longer = json!({"replace": [{"match": "^", "with": "> "}], "first": 1});
    assert_eq!(
        filtered(&longer, &numbered(2000)),
        "> line number 1 of a text\n[… 1,999 of 2,000 lines cut]\n"
    );
    // A line that is too long stays unchanged, and others do not.
    let long = "ab".repeat(4097);
    let replace = json!({"replace": [{"match": "ab", "with": ""}]});
    assert_eq!(
        filtered(&replace, &format!("{long}\nabc\n")),
        format!("{long}\nc\n")
    );
    assert_eq!(
        filtered(&replace, &format!("{}\nabc\n", &long[2..])),
        "\nc\n"
    );
}
