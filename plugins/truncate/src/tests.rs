//! The filter's promises, on texts of every script and on documents that try to mislead it.

use super::*;
use proptest::prelude::*;
use serde_json::json;
use tamis_sdk::testing::{Bench, assert_schema};

fn bench(settings: serde_json::Value) -> Bench<Truncate> {
    Bench::new(settings)
}

fn first(text: &str, count: usize) -> String {
    text.chars().take(count).collect()
}

fn last(text: &str, count: usize) -> String {
    let skipped = text.chars().count() - count;
    text.chars().skip(skipped).collect()
}

#[test]
fn the_schema_is_that_of_the_settings() {
    assert_schema::<Truncate>(concat!(env!("CARGO_MANIFEST_DIR"), "/settings.schema.json"));
}

#[test]
fn a_document_over_the_limit_is_cut_at_exactly_the_limit() {
    let bench = bench(json!({}));
    for letter in [
        "a",
        "é",
        "語",
        "🦀",
        "e\u{301}",
        "ש",
        "👩\u{200d}🔬",
        "\r\n",
        "\u{0}",
    ] {
        let text = letter.repeat(5000);
        let cut = bench.apply(&text);
        assert_eq!(cut.text(), first(&text, 4000) + "\n\n[truncated]");
        let exact = first(&text, 4000);
        assert!(!bench.apply(&exact).changed, "4000 of {letter:?}");
        let one_more = first(&text, 4001);
        assert_eq!(bench.apply(&one_more).text(), cut.text());
    }
}

#[test]
fn json_that_is_cut_is_text() {
    let json = json!({"rows": vec!["row"; 2000]}).to_string();
    let cut = bench(json!({})).apply(&json);
    assert!(!cut.is_json());
    assert_eq!(cut.text(), first(&json, 4000) + "\n\n[truncated]");
    assert!(cut.kept.is_empty(), "the host keeps it by itself");
}

#[test]
fn a_tail_is_part_of_the_limit() {
    let text: String = (0..30_000).filter_map(char::from_u32).collect();
    let cut = bench(json!({"limit": 10, "tail": 4, "marker": " … "})).apply(&text);
    assert_eq!(cut.text(), first(&text, 6) + " … " + &last(&text, 4));
    let only_tail = bench(json!({"limit": 4, "tail": 4, "marker": "… "})).apply(&text);
    assert_eq!(only_tail.text(), "… ".to_owned() + &last(&text, 4));
}

#[test]
fn bytes_never_cut_a_character() {
    let bench = bench(json!({"limit": 10, "tail": 5, "unit": "bytes", "marker": "~"}));
    assert_eq!(bench.apply("語語語語語語").text(), "語~語");
    assert_eq!(bench.apply("0123456789ab").text(), "01234~789ab");
    assert!(!bench.apply("語語語a").changed, "ten bytes");
}

#[test]
fn a_marker_says_what_is_gone_and_where_it_is() {
    let marker = "\n[{shown} of {total} characters; {call}; {path}; {ref}]";
    let bench = bench(json!({"limit": 5, "marker": marker}));
    let cut = bench.apply("ééééééé");
    assert_eq!(
        cut.text(),
        "ééééé\n[5 of 7 characters; tamis_read {\"ref\":\"abcdefghij234567\"}; \
         /originals/abcdefghij234567.json; abcdefghij234567]"
    );
    assert_eq!(cut.kept, [""]);
    assert!(!bench.apply(cut.text()).changed, "filtered twice");

    let keeps_nothing = bench.keeps(false);
    let cut = keeps_nothing.apply("ééééééé");
    assert_eq!(cut.text(), "ééééé\n\n[truncated]");
    assert!(!keeps_nothing.apply(cut.text()).changed, "filtered twice");
}

#[test]
fn the_original_is_asked_for_only_where_it_is_named() {
    let cut = bench(json!({"limit": 2, "marker": " [{shown}/{total}]"})).apply("abcd");
    assert_eq!((cut.text(), cut.kept.len()), ("ab [2/4]", 0));
}

#[test]
fn a_text_that_only_looks_cut_is_cut() {
    let bench = bench(json!({"limit": 4, "marker": " [{total} in all]"}));
    assert_eq!(bench.apply("ab [9 in all]").text(), "ab [ [13 in all]");
    assert_eq!(bench.apply("abcd [x in all]").text(), "abcd [15 in all]");
    assert_eq!(bench.apply("abcd [9 in all]!").text(), "abcd [16 in all]");
}

#[test]
fn a_long_text_that_only_looks_cut_is_cut_by_tokens() {
    // More is before the marker than is counted in one call.
    let bench = bench(json!({"limit": 20_000, "unit": "tokens"}));
    let words = |count: usize| "word ".repeat(count);
    let cut_before = words(19_900) + "\n\n[truncated]";
    assert!(!bench.apply(&cut_before).changed, "no more than the limit");
    let too_long = words(20_100) + "\n\n[truncated]";
    let cut = bench.apply(&too_long);
    let (head, _) = cut.text().split_once("\n\n[truncated]").expect("a marker");
    assert_eq!(head.trim_end(), words(20_000).trim_end());
}

#[test]
fn a_marker_that_ends_as_it_begins_is_known_again() {
    for unit in ["chars", "bytes", "tokens"] {
        for (marker, text) in [
            ("...", "01234567......89"),
            ("...", "................"),
            ("abab", "abababababababab"),
        ] {
            for tail in [0, 3] {
                let settings = json!({"limit": 10, "tail": tail, "unit": unit, "marker": marker});
                let bench = bench(settings.clone());
                let once = bench.apply(text);
                assert!(!bench.apply(once.text()).changed, "{settings}: {text}");
            }
        }
    }
}

#[test]
fn markers_all_along_a_text_are_not_all_counted() {
    let counted = |text: String| {
        let settings = json!({"limit": 12_000, "unit": "tokens", "marker": "..."});
        let cut = bench(settings).apply(&text);
        cut.counted_bytes / text.len() as u64
    };
    let few = counted("word, word. ".repeat(4_100));
    let many = counted("... ".repeat(12_300));
    assert!(
        many <= 8 * few.max(1),
        "{many} times its length, and without markers {few} times"
    );
}

#[test]
fn no_more_is_read_than_stays() {
    for letter in ["a", "語", "🦀"] {
        let text = letter.repeat(10_000_000 / letter.len());
        let read = |settings| bench(settings).apply(&text).fetched_bytes;
        // A look at four bytes a character, then the part that stays.
        let head = read(json!({}));
        assert!(head <= 2 * 16_000, "{head} bytes of {letter:?}");
        let both = read(json!({"tail": 1000}));
        assert!(both <= 3 * 16_000, "{both} bytes of {letter:?}");
        let bytes = read(json!({"unit": "bytes", "tail": 1000}));
        assert!(bytes <= 5_010, "{bytes} bytes of {letter:?}");
    }
    let prose = "The quick brown fox jumps over the lazy dog. ".repeat(200_000);
    let tokens = bench(json!({"unit": "tokens"})).apply(&prose).fetched_bytes;
    assert!(tokens <= 200_000, "{tokens} bytes for 4,000 tokens");
}

#[test]
fn what_stays_has_at_most_the_limit_of_tokens() {
    let texts = [
        "The quick brown fox jumps over the lazy dog. ".repeat(400),
        "語彙は人の言葉の海である。".repeat(400),
        "{\"id\":12345,\"name\":\"x\"},".repeat(400),
        "🦀👩\u{200d}🔬".repeat(300),
        "a".repeat(9000),
        " \n\t".repeat(3000),
        "word ".repeat(40_000),
    ];
    for text in &texts {
        for (limit, tail) in [(1, 0), (50, 0), (1000, 300), (700, 700)] {
            let bench =
                bench(json!({"unit": "tokens", "limit": limit, "tail": tail, "marker": "\n[…]\n"}));
            let all = {
                // Beyond the size of one count, every text here is far over the limit.
                text.len() > 65_536 || encoding_count(text) > limit
            };
            let cut = bench.apply(text);
            assert_eq!(cut.changed, all, "{limit} of {:?}", first(text, 20));
            if !cut.changed {
                continue;
            }
            let (head, end) = cut.text().split_once("\n[…]\n").expect("a marker");
            assert!(text.starts_with(head) && text.ends_with(end));
            let (before, after) = (encoding_count(head), encoding_count(end));
            assert!(
                before <= limit - tail && after <= tail,
                "{before} and {after} tokens"
            );
            if limit > 1 && !text.trim().is_empty() {
                assert!(
                    before + after >= (limit * 9) / 10 - 4,
                    "only {before} and {after} of {limit}"
                );
            }
            assert!(!bench.apply(cut.text()).changed, "filtered twice");
        }
    }
}

/// Counted by a filter that does nothing else, because the host counts.
fn encoding_count(text: &str) -> u32 {
    struct Count;
    #[derive(Deserialize)]
    struct None {}
    impl Filter for Count {
        type Settings = None;
        fn describe() -> Description {
            Description::new("count", "0.0.0", "counts")
        }
        fn configure(_: None) -> Result<Self, String> {
            Ok(Count)
        }
        fn apply(&self, document: &Document, _: &Call) -> Result<Verdict, String> {
            Ok(rewritten_text(tokens::count(document.text()).to_string()))
        }
    }
    let count = Bench::<Count>::new("{}").apply(text);
    count.text().parse().expect("a number")
}

#[test]
fn pieces_of_a_word_are_counted_together() {
    // The pieces have seven tokens one by one, and eight together.
    let settings = json!({"limit": 8, "tail": 7, "marker": "\n\n[truncated]", "unit": "tokens"});
    let bench = bench(settings);
    let once = bench.apply("\n𝟎🦀🦀\n\n1[truncated]🦀𞤀[truncated]🦀$a語");
    let (_, tail) = once.text().split_once("\n\n[truncated]").expect("a marker");
    assert!(encoding_count(tail) <= 7, "{tail:?}");
    assert!(!bench.apply(once.text()).changed, "filtered twice");
}

#[test]
fn nonsense_is_refused_by_key() {
    for (settings, expected) in [
        (
            json!({"limit": 0}),
            "`limit` is 0: something has to stay, so 1 or more",
        ),
        (
            json!({"limit": 10, "tail": 11}),
            "`tail` is 11: it is a part of `limit`, so at most 10",
        ),
        (
            json!({"marker": "[{reff}]"}),
            "`marker` names {reff}: it may name {shown}, {total}, {ref}, {call}, {path}",
        ),
        (
            json!({"marker": ""}),
            "`marker` is \"\": it has to begin with text, so that one sees where it begins",
        ),
        (
            json!({"marker": "[{ref}{call}]"}),
            "`marker` is \"[{ref}{call}]\": text has to follow {ref}, so that one sees where it ends",
        ),
        (
            json!({"marker": "cut to {shown}0"}),
            "`marker` is \"cut to {shown}0\": after {shown} comes \"0\", which could be a part of it: begin that with a space or a sign",
        ),
    ] {
        assert_eq!(
            Bench::<Truncate>::refusal(&settings).as_deref(),
            Some(expected)
        );
    }
    assert!(Bench::<Truncate>::refusal(json!({"marker": "{ } {x y} {}"})).is_none());
    assert!(Bench::<Truncate>::refusal(json!({"unit": "words"})).is_some());
}

fn settings() -> impl Strategy<Value = (serde_json::Value, u32, u32)> {
    let marker = prop::sample::select(vec![
        "\n\n[truncated]",
        "…",
        " [{shown} of {total}] ",
        "\n{ref} {call} {path}\n",
        "a",
        "ab{total}a",
        "...",
        "....",
        "abab",
        "1{shown}.1",
        "🦀🦀",
        "[truncated]\n\n[truncated]",
    ]);
    let unit = prop::sample::select(vec!["chars", "bytes", "tokens"]);
    (1u32..60, 0u32..60, marker, unit).prop_map(|(limit, tail, marker, unit)| {
        let tail = tail.min(limit);
        let settings = json!({"limit": limit, "tail": tail, "marker": marker, "unit": unit});
        (settings, limit, tail)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn filtering_twice_is_filtering_once(
        (settings, ..) in settings(), text in "([ab \n1.]|\\.\\.\\.|abab|\\PC|🦀|語|\\[truncated\\]){0,200}"
    ) {
        let bench = bench(settings);
        let once = bench.apply(&text);
        let twice = bench.apply(once.text());
        prop_assert_eq!(once.text(), twice.text());
    }

    #[test]
    fn characters_are_exact((settings, limit, tail) in settings(), text in "(a|\\PC|e\u{301}|🦀|語|ש){0,200}") {
        let mut settings = settings;
        settings["unit"] = json!("chars");
        settings["marker"] = json!("\u{1}cut\u{1}");
        let cut = bench(settings).apply(&text);
        let count = text.chars().count();
        if count <= limit as usize {
            prop_assert!(!cut.changed);
        } else {
            let expected = first(&text, (limit - tail) as usize) + "\u{1}cut\u{1}" + &last(&text, tail as usize);
            prop_assert_eq!(cut.text(), expected);
        }
    }
}
