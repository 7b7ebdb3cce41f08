//! Properties of every text and all settings, checked against the rules written over a list.

use super::*;
use proptest::prelude::*;

/// Settings without `replace`.
fn settings() -> impl Strategy<Value = Value> {
    let pattern = || {
        prop::sample::select(vec![
            "a", "b", "1", "^2", "b.*1", "[^ab]$", "^..$", "×", "…",
        ])
    };
    let list = || prop::collection::vec(pattern(), 0..3);
    let ends = || prop::option::of(1u32..4);
    (list(), list(), 0u32..3, any::<[bool; 4]>(), ends(), ends()).prop_map(
        |(drop, keep, context, [blank, count, numbers, marks], first, last)| {
            let mut settings = json!({
                "drop": drop, "keep": keep, "first": first, "last": last,
                "blank": if blank { "drop" } else { "keep" },
                "repeats": if count || numbers { "count" } else { "keep" },
                "ignore-numbers": numbers,
                "marks": if marks { "end" } else { "none" },
            });
            if !keep.is_empty() {
                settings["context"] = json!(context);
            }
            if drop.is_empty() && keep.is_empty() {
                settings["blank"] = json!("drop");
            }
            settings
        },
    )
}

/// Lines that patterns distinguish, many of them equal, some long enough for a mark to be shorter.
fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[ab12 ]{0,3}",
        2 => "[ab][12]",
        3 => "[ab12 ]{0,2} and a text that is long enough",
        1 => "[ab]{1,5}\r",
    ]
}

/// A line that is, or looks like, a mark.
fn marked() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("[… 3 of 9 lines cut]".to_owned()),
        Just("[… 3 of 9 lines dropped by pattern]".to_owned()),
        Just("[… all 9 lines dropped]".to_owned()),
        Just("[… the only line dropped]".to_owned()),
        "[ab]{0,2} \\(×[0-9]{1,2}(, numbers differ)?\\)",
        "\\(×2\\)",
    ]
}

fn text(line: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    let line = (
        line,
        prop_oneof![3 => Just("\n"), 1 => Just("\r\n")],
        1usize..4,
    );
    let lines = prop::collection::vec(line, 0..40);
    (lines, any::<bool>()).prop_map(|(lines, is_ended)| {
        let mut text: String = lines
            .iter()
            .map(|(line, end, times)| format!("{line}{end}").repeat(*times))
            .collect();
        if !is_ended && text.ends_with('\n') {
            text.pop();
        }
        text
    })
}

/// Lines and line breaks, as the filter reads them.
fn content(text: &str) -> Vec<(&str, &str)> {
    let lines = text.split_inclusive('\n').map(|line| {
        let text = line.strip_suffix('\n').unwrap_or(line);
        let text = text.strip_suffix('\r').unwrap_or(text);
        (text, &line[text.len()..])
    });
    lines.collect()
}

/// The lines that patterns leave, by the rules written over a list.
fn chosen<'t>(settings: &Value, text: &'t str) -> Vec<(&'t str, &'t str)> {
    let list = |key: &str| -> Vec<regex::Regex> {
        let patterns = settings[key].as_array().expect("a list").iter();
        patterns
            .map(|it| regex::Regex::new(it.as_str().expect("a pattern")).expect("valid"))
            .collect()
    };
    let (drop, keep) = (list("drop"), list("keep"));
    let any = |list: &[regex::Regex], line: &str| list.iter().any(|it| it.is_match(line));
    let left: Vec<_> = content(text)
        .into_iter()
        .filter(|(line, _)| !any(&drop, line))
        .filter(|(line, _)| settings["blank"] == "keep" || !line.trim().is_empty())
        .collect();
    let context = settings["context"].as_u64().unwrap_or(0) as usize;
    let is_near = |at: usize| {
        let near = at.saturating_sub(context)..(at + context + 1).min(left.len());
        keep.is_empty() || left[near].iter().any(|(line, _)| any(&keep, line))
    };
    (0..left.len())
        .filter(|at| is_near(*at))
        .map(|at| left[at])
        .collect()
}

fn number(text: &str) -> u64 {
    text.replace(',', "").parse().expect("a number")
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1000) })]

    #[test]
    fn filtering_twice_is_filtering_once(
        settings in settings(),
        text in prop_oneof![1 => text(line()), 1 => text(prop_oneof![3 => line(), 1 => marked()])],
    ) {
        let bench = Bench::<Lines>::new(&settings);
        let once = bench.apply(&text);
        let twice = bench.apply(once.text());
        prop_assert!(!twice.changed, "{settings}: {text:?}, {:?}, {:?}", once.text(), twice.text());
        prop_assert!(!once.changed || once.text().len() < text.len());
        prop_assert_eq!(once.text().is_empty(), text.is_empty());
    }

    /// The output equals that of the rules, byte for byte.
    #[test]
    fn what_stays_is_what_the_rules_say(settings in settings(), text in text(line())) {
        let mut settings = settings;
        settings["repeats"] = json!("keep");
        settings["ignore-numbers"] = json!(false);
        let total = content(&text).len();
        let left = chosen(&settings, &text);
        let (dropped, limit) = (total - left.len(), |key: &str| settings[key].as_u64().map(|it| it as usize));
        let line_break = content(&text).first().map_or("\n", |(_, end)| if *end == "\r\n" { "\r\n" } else { "\n" });
        let (first, last) = (limit("first"), limit("last"));
        let (mut head, mut tail) = (left.len(), 0);
        if first.is_some() || last.is_some() {
            head = first.unwrap_or(0).min(left.len());
            tail = last.unwrap_or(0).min(left.len() - head);
        }
        let cut = left.len() - head - tail;
        let mut expected: Vec<(String, &str)> = Vec::new();
        let line = |(line, end): &(&str, &'static str)| (line.to_string(), *end);
        let owned = |end: &str| match end { "\n" => "\n", "\r\n" => "\r\n", "\r" => "\r", _ => "" };
        let left: Vec<(&str, &'static str)> = left.iter().map(|(line, end)| (*line, owned(end))).collect();
        expected.extend(left[..head].iter().map(line));
        if cut > 0 {
            expected.push((format!("[… {cut} of {total} lines cut]"), line_break));
        }
        expected.extend(left[left.len() - tail..].iter().map(line));
        if dropped > 0 && dropped == total {
            let mark = if total == 1 { "[… the only line dropped]".to_owned() } else { format!("[… all {total} lines dropped]") };
            expected.push((mark, line_break));
        } else if dropped > 0 && settings["marks"] == "end" {
            expected.push((format!("[… {dropped} of {total} lines dropped by pattern]"), line_break));
        }
        let count = expected.len();
        let mut new = String::new();
        for (at, (line, end)) in expected.iter().enumerate() {
            new.push_str(line);
            let is_last = at + 1 == count;
            // Without its line break, an empty line at the end would vanish, and a line that ends with `\r` would
            // change.
            let is_same = *end == "\r" || !(line.is_empty() || line.ends_with('\r'));
            match (is_last && !text.ends_with('\n') && is_same, *end) {
                (true, "\r") => new.push('\r'),
                (true, _) => {}
                (false, "") => new.push_str(line_break),
                (false, "\r") => new.push_str("\r\n"),
                (false, end) => new.push_str(end),
            }
        }
        let expected = if new.len() < text.len() { &new } else { &text };
        let found = filtered(&settings, &text);
        prop_assert_eq!(&found, expected, "{}", settings);
    }

    /// Shown lines, lines behind counts, cut lines and dropped lines add up to all lines.
    #[test]
    fn the_numbers_add_up(settings in settings(), text in text(line())) {
        let mut settings = settings;
        settings["marks"] = json!("end");
        let applied = Bench::<Lines>::new(&settings).apply(&text);
        let total = content(&text).len() as u64;
        let mut sum = 0;
        let mut left = content(&text).into_iter();
        for (line, _) in content(applied.text()) {
            let mark = line.strip_prefix("[… ").and_then(|mark| mark.strip_suffix(']'));
            match mark {
                Some("the only line dropped") => sum += 1,
                Some(mark) => {
                    let numbers: Vec<u64> = mark
                        .split(' ')
                        .filter(|word| word.starts_with(|c: char| c.is_ascii_digit()))
                        .map(number)
                        .collect();
                    sum += numbers[0];
                    prop_assert_eq!(numbers.last(), Some(&total));
                }
                None => {
                    let count = line.rsplit_once("(×").map(|(line, count)| {
                        let count = count.trim_end_matches(')').trim_end_matches(", numbers differ");
                        (line.strip_suffix(' ').unwrap_or(line), number(count))
                    });
                    let (line, count) = count.unwrap_or((line, 1));
                    sum += count;
                    // Lines that stay occur in the text, in order.
                    prop_assert!(left.any(|(it, _)| it == line), "{line:?} in {text:?}");
                }
            }
        }
        prop_assert_eq!(sum, total, "{} made {:?} of {:?}", settings, applied.text(), text);
    }

    #[test]
    fn a_string_of_json_becomes_what_a_text_becomes(settings in settings(), text in text(line())) {
        let document = json!({"text": text, "rows": [text, 1, null]});
        let found = filtered(&settings, &document.to_string());
        let found: Value = serde_json::from_str(&found).expect("JSON");
        let new = if text.contains('\n') { filtered(&settings, &text) } else { text };
        prop_assert_eq!(found, json!({"text": new, "rows": [new, 1, null]}));
    }

    /// Any text with any settings: the worst outcome is an error of the settings.
    #[test]
    fn nothing_panics(
        text in any::<String>(),
        lines in "([\\PC\u{0}]{0,9}\r?\n?){0,9}",
        pattern in "\\PC{0,12}",
        with in "[$1{}\\w]{0,9}",
        context in 0u32..3,
    ) {
        for settings in [
            json!({"keep": [pattern], "context": context, "replace": [{"match": pattern, "with": with}], "repeats": "count"}),
            json!({"drop": [pattern], "last": 1, "blank": "drop", "repeats": "count", "ignore-numbers": true}),
            json!({"replace": [{"match": "(.)", "with": with}], "first": 2, "members": [pattern]}),
        ] {
            if Bench::<Lines>::refusal(&settings).is_some() {
                continue;
            }
            let bench = Bench::<Lines>::new(&settings);
            for text in [&text, &lines, &json!([text, lines]).to_string()] {
                let found = bench.apply(text);
                prop_assert!(found.text().len() <= text.len());
            }
        }
    }
}
