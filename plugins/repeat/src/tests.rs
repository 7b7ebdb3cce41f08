use super::Repeat;
use proptest::prelude::*;
use serde_json::{Value, json};
use tamis_sdk::Surface;
use tamis_sdk::testing::{Bench, assert_schema};

fn bench(settings: Value) -> Bench<Repeat> {
    Bench::new(settings).in_one_session()
}

/// A text that is long enough, different for each number.
fn text(number: usize) -> String {
    format!("text {number}, {}", "word ".repeat(100))
}

#[test]
fn settings_have_their_schema() {
    assert_schema::<Repeat>(concat!(env!("CARGO_MANIFEST_DIR"), "/settings.schema.json"));
}

#[test]
fn the_second_time_it_is_a_line_that_a_model_can_act_on() {
    let bench = bench(json!({}))
        .tool("read_file")
        .arguments(json!({"path": "a"}));
    let first = bench.apply(&text(1));
    assert!(!first.changed && first.kept.is_empty());
    let second = bench.apply(&text(1));
    assert_eq!(
        second.text(),
        r#"[tamis] Same as the result of read_file {"path":"a"} earlier in this session (508 bytes). Again in full: tamis_read {"ref":"abcdefghij234567"}"#
    );
    assert_eq!(second.kept, [""]);
    assert!(!bench.apply(&text(2)).changed);
    // Another call with the same text: the line names the first.
    let bench = bench.tool("search").arguments("{}");
    let third = bench.apply(&text(1));
    assert!(third.text().contains(r#"read_file {"path":"a"} earlier"#));
    let named = bench.apply(&text(2));
    assert!(named.text().contains("read_file"), "{}", named.text());
}

#[test]
fn what_is_short_wrong_or_no_result_is_shown_each_time() {
    let short = "x".repeat(399);
    let mut bench = bench(json!({}));
    for _ in 0..3 {
        assert!(!bench.apply(&short).changed);
    }
    bench = bench.is_error(true);
    for _ in 0..3 {
        assert!(!bench.apply(&text(1)).changed);
    }
    bench = bench.is_error(false).surface(Surface::Prompt);
    for _ in 0..3 {
        assert!(!bench.apply(&text(1)).changed);
    }
    // The error was not stored either: the model may not recognise it.
    bench = bench.surface(Surface::Result);
    assert!(!bench.apply(&text(1)).changed);
    assert!(bench.apply(&text(1)).changed);
    bench = bench.is_error(true);
    assert!(!bench.apply(&text(1)).changed);
}

#[test]
fn json_and_text_are_told_apart_by_what_they_say_alone() {
    let document = json!({"rows": vec![json!({"id": 1}); 80]}).to_string();
    let bench = bench(json!({}));
    assert!(!bench.apply(&document).changed);
    let again = bench.apply(&document);
    assert!(again.changed && !again.is_json());
    assert!(!bench.apply(&format!("{document} ")).changed);
}

#[test]
fn what_lies_too_far_back_is_shown_whole_and_is_new_then() {
    let bench = bench(json!({"within": 3}));
    for number in [1, 2, 3] {
        assert!(!bench.apply(&text(number)).changed);
    }
    // Lines and short texts do not count as later results.
    for _ in 0..5 {
        assert!(bench.apply(&text(1)).changed);
        assert!(!bench.apply("short").changed);
    }
    assert!(!bench.apply(&text(4)).changed);
    assert!(!bench.apply(&text(1)).changed, "four back");
    assert!(bench.apply(&text(1)).changed, "it was shown just now");
    assert!(bench.apply(&text(4)).changed);
}

#[test]
fn an_argument_brings_all_of_it() {
    let settings = json!({"full": "whole", "say-full": true});
    let mut bench = bench(settings);
    assert!(!bench.apply(&text(1)).changed);
    let line = bench.apply(&text(1));
    assert!(
        line.text().ends_with(r#", or this call with "whole":true"#),
        "{}",
        line.text()
    );
    for (arguments, is_whole) in [
        (json!({"whole": true}), true),
        (json!({"whole": false}), false),
        (json!({"whole": "true"}), false),
        (json!({"full": true}), false),
        (json!({"a": {"whole": true}}), false),
    ] {
        bench = bench.arguments(&arguments);
        assert_eq!(!bench.apply(&text(1)).changed, is_whole, "{arguments}");
    }
}

#[test]
fn nothing_is_left_out_where_nothing_is_kept_or_there_is_no_session() {
    let without = Bench::<Repeat>::new(json!({}));
    let unkept = bench(json!({})).keeps(false);
    for _ in 0..3 {
        assert!(!without.apply(&text(1)).changed);
        assert!(!unkept.apply(&text(1)).changed);
    }
}

#[test]
fn long_calls_are_told_on_one_short_line() {
    let arguments = json!({"query": "é\n".repeat(5000)});
    let bench = bench(json!({}))
        .tool(&"🦀".repeat(500))
        .arguments(arguments);
    assert!(!bench.apply(&text(1)).changed);
    let line = bench.apply(&text(1));
    assert!(line.changed);
    let line = line.text();
    assert!(!line.contains('\n') && line.chars().count() < 400, "{line}");
    assert!(line.contains("🦀… {\"query\":\"é"), "{line}");
}

#[test]
fn nonsense_is_refused_by_key() {
    for (settings, expected) in [
        (
            json!({"within": 0}),
            "`within` is 0: 1 to 60 results are allowed",
        ),
        (
            json!({"within": 61}),
            "`within` is 61: 1 to 60 results are allowed",
        ),
        (
            json!({"full": "", "say-full": true}),
            "`say-full` is true, and `full` names no argument that the line could tell of",
        ),
    ] {
        assert_eq!(
            Bench::<Repeat>::refusal(&settings).as_deref(),
            Some(expected)
        );
    }
    assert!(Bench::<Repeat>::refusal(json!({"fulll": "x"})).is_some());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    /// For any sequence of calls, a line replaces exactly the texts that were shown whole among the last ones, and
    /// names their calls. All other texts pass unchanged.
    #[test]
    fn a_line_stands_only_for_what_was_shown(
        calls in prop::collection::vec((0usize..8, 0usize..3, 0u8..10), 0..150),
        within in 1usize..=60,
    ) {
        let mut bench = bench(json!({"within": within}));
        let mut shown: Vec<(usize, usize)> = Vec::new();
        for (number, tool, kind) in calls {
            let (is_error, full) = (kind == 0, kind == 1);
            bench = bench
                .tool(&format!("tool{tool}"))
                .arguments(json!({"full": full}))
                .is_error(is_error);
            let before = text(number);
            let applied = bench.apply(&before);
            let first = shown.iter().rev().take(within).find(|it| it.0 == number);
            match first {
                Some((_, tool)) if !is_error && !full => {
                    let named = format!("[tamis] Same as the result of tool{tool} ");
                    prop_assert!(applied.text().starts_with(&named), "{}", applied.text());
                    prop_assert!(applied.text().len() < before.len());
                }
                _ => {
                    prop_assert_eq!(applied.text(), before);
                    if !is_error {
                        shown.push((number, tool));
                    }
                }
            }
        }
    }
}
