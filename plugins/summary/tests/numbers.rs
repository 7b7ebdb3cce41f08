//! Every number in a summary of a text is true: the test recomputes it from generated texts of each format. Numbers
//! before lines are the numbers of these lines.

use proptest::prelude::*;
use serde_json::json;
use summary::Summary;
use tamis_sdk::testing::Bench;

fn config() -> ProptestConfig {
    // `PROPTEST_CASES=10000` for more.
    let given = std::env::var("PROPTEST_CASES").ok();
    ProptestConfig {
        cases: given.and_then(|cases| cases.parse().ok()).unwrap_or(64),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

fn summary(text: &str) -> String {
    let settings = json!({"tables": false, "whole": 0, "above": "4000 chars"});
    Bench::<Summary>::new(settings)
        .apply(text)
        .text()
        .to_owned()
}

/// A summary without the document, if it was summarised.
fn is_summary(summary: &str) -> bool {
    summary.starts_with("Summary of text, ")
}

/// Checks each line `12: text`, `12 (3 times, last 90): text` and `12, 90: text` of a summary: the text contains the
/// line, and the named lines are equal except for numbers.
fn assert_places(summary: &str, text: &str) -> Result<(), TestCaseError> {
    let lines: Vec<&str> = text.lines().collect();
    for shown in summary.lines() {
        let Some((label, said)) = shown.split_once(": ") else {
            continue;
        };
        let mut numbers = label
            .split(|c: char| !c.is_ascii_digit())
            .filter(|n| !n.is_empty());
        let Some(first) = numbers.next().and_then(|n| n.parse::<usize>().ok()) else {
            continue;
        };
        let is_place = label.bytes().all(|b| b.is_ascii_digit())
            || label.starts_with(&format!("{first}, "))
            || label.contains(" times, last ");
        if !is_place || !label.starts_with(|c: char| c.is_ascii_digit()) {
            continue;
        }
        let line = lines.get(first - 1).copied().unwrap_or("(no such line)");
        let start = said.trim_end_matches('…');
        prop_assert!(
            line.contains(start),
            "{shown:?} is not line {first}: {line:?}\n{summary}"
        );
        let last = label
            .rsplit(|c: char| !c.is_ascii_digit())
            .find(|n| !n.is_empty());
        if let Some(last) = last.and_then(|n| n.parse::<usize>().ok()) {
            let there = lines.get(last - 1).copied().unwrap_or("(no such line)");
            prop_assert_eq!(blank(there), blank(line), "{:?}\n{}", shown, summary);
        }
        if label.contains(" times") {
            let times: usize = numbers.next().and_then(|n| n.parse().ok()).unwrap_or(0);
            let found = lines
                .iter()
                .filter(|other| blank(other) == blank(line))
                .count();
            // A frame or a value is shown only after a failure.
            let follows = ["File ", "raise", "at "]
                .iter()
                .any(|start| said.starts_with(start));
            let is_true = times == found || follows && times < found;
            prop_assert!(is_true, "{shown:?}: {found}\n{summary}");
        }
    }
    Ok(())
}

/// A line in which every word with a digit that is no name becomes `#`.
fn blank(line: &str) -> String {
    let mut out = String::new();
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || !c.is_ascii();
    let mut rest = line.trim();
    while let Some(c) = rest.chars().next() {
        if is_word(c) {
            let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            let word = &rest[..end];
            let is_hexadecimal = word.len() >= 6 && word.bytes().all(|b| matches!(b, b'a'..=b'f'));
            let is_name = word.contains('_') && word.bytes().any(|b| b.is_ascii_alphabetic())
                || word.to_ascii_lowercase().starts_with("test");
            let has_digit = word.bytes().any(|b| b.is_ascii_digit()) && !is_name;
            out.push_str(if has_digit || is_hexadecimal {
                "#"
            } else {
                word
            });
            rest = &rest[end..];
        } else if c == ' ' || c == '\t' {
            out.push(' ');
            rest = rest.trim_start_matches([' ', '\t']);
        } else {
            out.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    out
}

/// The number before a word in a summary: `12 rows`.
fn number_before(summary: &str, word: &str) -> Option<usize> {
    let at = summary.find(word)?;
    let before = summary[..at].trim_end();
    let digits = before.rsplit(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok()
}

fn level() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["INFO", "INFO", "INFO", "DEBUG", "WARN", "ERROR"])
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn of_logs(levels in prop::collection::vec((level(), 0usize..5), 90..200)) {
        let text: String = levels.iter().enumerate().map(|(at, (level, what))| {
            let what = ["request served", "cache missed", "row stored", "mail sent", "job done"][*what];
            format!("2026-01-02T10:{:02}:{:02}Z {level} api - {what} {at}\n", at / 60, at % 60)
        }).collect();
        let summary = summary(&text);
        prop_assert!(is_summary(&summary));
        for level in ["INFO", "DEBUG", "WARN", "ERROR"] {
            let count = levels.iter().filter(|(its, _)| *its == level).count();
            let said = format!("{level} {count}");
            let line = summary.lines().find(|line| line.starts_with("levels: ")).unwrap_or("");
            prop_assert_eq!(count > 0, line.contains(&said), "{}\n{}", said, summary);
        }
        let errors = levels.iter().filter(|(level, _)| *level == "ERROR").count();
        if errors > 0 {
            let said = if errors == 1 { "1 line that looks like a failure".to_owned() } else { format!("{errors} lines that look like failures") };
            prop_assert!(summary.contains(&said), "{}\n{}", said, summary);
        }
        assert_places(&summary, &text)?;
    }

    #[test]
    fn of_reports(reports in prop::collection::vec((0usize..6, 1usize..400, 1usize..90, 0usize..4), 70..160)) {
        let mut sorted = reports.clone();
        sorted.sort_unstable();
        let text: String = sorted.iter().map(|(file, line, column, rule)| {
            let (severity, rule) = [("error", "TS2322"), ("error", "TS7006"), ("warning", "TS6133"), ("error", "TS1005")][*rule];
            format!("src/pages/part_{file}.ts({line},{column}): {severity} {rule}: a message that tells of {rule}\n")
        }).collect();
        let summary = summary(&text);
        prop_assert!(is_summary(&summary));
        let warnings = reports.iter().filter(|(.., rule)| *rule == 2).count();
        let errors = reports.len() - warnings;
        let head = format!("{} reports of a compiler or linter", reports.len());
        prop_assert!(summary.contains(&head), "{}\n{}", head, summary);
        for (name, count) in [("error", errors), ("warning", warnings)] {
            prop_assert_eq!(count > 0, summary.lines().nth(1).unwrap_or("").contains(&format!("{name} {count}")), "{}", summary);
        }
        for (at, rule) in ["TS2322", "TS7006", "TS6133", "TS1005"].iter().enumerate() {
            let count = reports.iter().filter(|(.., rule)| *rule == at).count();
            let line = summary.lines().find(|line| line.starts_with("by rule: ")).unwrap_or("");
            prop_assert!(line.is_empty() || count == 0 || line.contains(&format!("{rule} {count}")), "{}", summary);
        }
        // The places of a line are in the file above it.
        let mut file = "";
        for line in summary.lines() {
            if line.starts_with("src/") {
                file = line;
            } else if let Some((places, rest)) = line.trim_start().split_once(" error ").filter(|_| !file.is_empty()) {
                for place in places.split(", ") {
                    let place = place.split(" and ").next().unwrap_or(place);
                    let rule = rest.split(':').next().unwrap_or_default();
                    let original = format!("{file}({place}): error {rule}: ");
                    prop_assert!(text.contains(&original), "{}\n{}", original, summary);
                }
            }
        }
    }

    #[test]
    fn of_hits(hits in prop::collection::vec((0usize..12, 1usize..900), 80..200), with_headings: bool) {
        let mut hits = hits;
        hits.sort_unstable();
        hits.dedup();
        let mut text = String::new();
        let mut last = usize::MAX;
        for (file, line) in &hits {
            if with_headings {
                if *file != last {
                    text.push_str(&format!("\nsrc/pages/part_{file}.rs\n"));
                }
                text.push_str(&format!("{line}:    let value_{line} = read(path_of_the_file)?;\n"));
            } else {
                text.push_str(&format!("src/pages/part_{file}.rs:{line}:    let value_{line} = read(path)?;\n"));
            }
            last = *file;
        }
        let summary = summary(&text);
        prop_assume!(is_summary(&summary));
        let mut files: Vec<usize> = hits.iter().map(|(file, _)| *file).collect();
        files.dedup();
        let head = format!("{} lines found, in {} files", hits.len(), files.len());
        prop_assert!(summary.contains(&head), "{}\n{}", head, summary);
        let mut file = "";
        let mut shown = 0;
        for line in summary.lines().skip(2) {
            if line.starts_with("part_") && line.ends_with(".rs") {
                file = line;
            }
            let hit = line.split_once(": let value_");
            let Some((place, rest)) = hit else { continue };
            let (of, place) = match place.trim().split_once(':') {
                Some((of, place)) => (of, place),
                None => (file, place.trim()),
            };
            shown += 1;
            let value = rest.split(' ').next().unwrap_or_default();
            prop_assert_eq!(place, value, "{}", summary);
            let is_there = hits.iter().any(|(file, line)| {
                format!("part_{file}.rs") == of && line.to_string() == place
            });
            prop_assert!(is_there, "{} {}\n{}", of, place, summary);
        }
        let more = summary.lines().find(|line| line.starts_with(" and ") && line.contains(" more"));
        let more = more.and_then(|line| number_before(line, "more")).unwrap_or(0);
        prop_assert_eq!(shown + more, hits.len(), "{}", summary);
    }

    #[test]
    fn of_diffs(files in prop::collection::vec(prop::collection::vec((0usize..30, 0usize..30), 1..4), 4..30)) {
        let mut text = String::new();
        for (at, hunks) in files.iter().enumerate() {
            text.push_str(&format!("diff --git a/src/f{at}.rs b/src/f{at}.rs\n--- a/src/f{at}.rs\n+++ b/src/f{at}.rs\n"));
            for (number, (removed, added)) in hunks.iter().enumerate() {
                text.push_str(&format!("@@ -{0},{1} +{0},{2} @@\n context {at} {number}\n", number * 50 + 1, removed + 1, added + 1));
                text.push_str(&format!("-    let old = {number};\n").repeat(*removed));
                // A line that looks like a header belongs to the hunk.
                text.push_str(&"+++ counter;\n".repeat(*added));
            }
        }
        let summary = summary(&text);
        prop_assume!(is_summary(&summary));
        let all: Vec<(usize, usize)> = files.iter().flatten().copied().collect();
        let (removed, added) = all.iter().fold((0, 0), |sum, hunk| (sum.0 + hunk.0, sum.1 + hunk.1));
        let head = format!("diff: {} files, {} hunks, +{added} -{removed}", files.len(), all.len());
        prop_assert!(summary.contains(&head), "{}\n{}", head, summary);
        let lines: Vec<&str> = text.lines().collect();
        for line in summary.lines() {
            let Some((place, said)) = line.split_once(": ") else { continue };
            let Ok(place) = place.parse::<usize>() else { continue };
            let there = lines[place - 1];
            if said.starts_with("@@") {
                prop_assert_eq!(there, said, "{}", summary);
            } else {
                let name = said.split(' ').next().unwrap_or_default();
                prop_assert!(there.ends_with(&format!(" b/{name}")), "{} {}\n{}", there, said, summary);
            }
        }
        let rest = summary.lines().find(|line| line.contains("hunks, from line: "));
        if let Some(rest) = rest {
            let shown = summary.lines().filter(|line| line.contains(": @@ ")).count();
            let more: usize = rest.split(' ').next().and_then(|n| n.parse().ok()).unwrap_or(0);
            prop_assert_eq!(shown + more, all.len(), "{}", summary);
        }
    }

    #[test]
    fn of_snapshots(elements in prop::collection::vec((0usize..6, 0usize..9), 120..260)) {
        let roles = ["button", "link", "textbox", "heading", "paragraph", "checkbox"];
        let mut text = String::from("- generic [ref=e0]:\n");
        for (at, (role, name)) in elements.iter().enumerate() {
            text.push_str(&format!("  - {} \"Part number {name}\" [ref=e{}]\n", roles[*role], at * 3 + 7));
        }
        let summary = summary(&text);
        prop_assert!(is_summary(&summary));
        prop_assert!(summary.contains(&format!("{} elements", elements.len() + 1)), "{}", summary);
        for (at, role) in roles.iter().enumerate().filter(|(_, role)| **role != "paragraph") {
            let all: Vec<usize> = (0..elements.len()).filter(|element| elements[*element].0 == at).collect();
            let line = summary.lines().find_map(|line| line.strip_prefix(&format!("{role} {}: ", all.len())));
            let Some(line) = line else {
                prop_assert!(all.is_empty() || summary.contains(&format!("{role} {}\n", all.len())), "{} {}\n{}", role, all.len(), summary);
                continue;
            };
            // Elements that are described one by one, and those that are omitted.
            let mut told = 0;
            let mut is_exact = true;
            for part in line.split(", ") {
                if let Some(rest) = part.strip_prefix("and ") {
                    told += rest.split(' ').next().and_then(|n| n.parse::<usize>().ok()).unwrap_or(0);
                } else if part.contains(" steps of ") || part.contains(" by ") {
                    is_exact = false;
                } else {
                    let (name, refs) = part.rsplit_once('"').unwrap_or(("", part));
                    for reference in refs.split(' ').filter(|word| word.starts_with('e')) {
                        told += 1;
                        let place: usize = reference[1..].parse().unwrap_or(0);
                        let element = elements.get((place - 7) / 3);
                        prop_assert_eq!(element.map(|element| element.0), Some(at), "{}\n{}", part, summary);
                        let name = name.rsplit(' ').next().unwrap_or_default();
                        let known = element.map(|element| element.1.to_string());
                        prop_assert!(name.is_empty() || known.as_deref() == Some(name), "{}\n{}", part, summary);
                    }
                }
            }
            prop_assert!(!is_exact || told == all.len(), "{}: {} of {}\n{}", role, told, all.len(), summary);
        }
    }

    #[test]
    fn of_lists_of_paths(paths in prop::collection::vec((0usize..5, 0usize..4, 0usize..3), 150..400), is_marked: bool) {
        let text: String = paths.iter().enumerate().map(|(at, (folder, part, ending))| {
            let mark = if is_marked { "[FILE] " } else { "" };
            format!("{mark}/srv/app/folder_{folder}/part_{part}/file_{at}.{}\n", ["rs", "md", "toml"][*ending])
        }).collect();
        let summary = summary(&text);
        prop_assert!(is_summary(&summary));
        prop_assert!(summary.contains(&format!(" {} paths", paths.len())), "{}", summary);
        for (at, ending) in ["rs", "md", "toml"].iter().enumerate() {
            let count = paths.iter().filter(|(.., its)| *its == at).count();
            prop_assert!(count == 0 || summary.contains(&format!(".{ending} {count}")), "{} {}\n{}", ending, count, summary);
        }
        let folders = summary.lines().find_map(|line| line.strip_prefix(" by folder: ")).unwrap_or("");
        for part in folders.split(", ").filter(|part| part.starts_with("folder_")) {
            let (folder, count) = part.rsplit_once(' ').unwrap_or(("", "0"));
            let found = text.lines().filter(|line| line.contains(&format!("/{folder}"))).count();
            prop_assert_eq!(count, found.to_string(), "{}\n{}", part, summary);
        }
        assert_places(&summary, &text)?;
    }

    #[test]
    fn of_runs_of_tests(outcomes in prop::collection::vec(0usize..20, 120..260)) {
        let mut text: String = outcomes.iter().enumerate().map(|(at, outcome)| {
            let outcome = if *outcome == 0 { "FAILED" } else { "PASSED" };
            format!("tests/test_pages.py::test_case_{at} {outcome}   [ {}%]\n", at * 100 / outcomes.len())
        }).collect();
        let failed = outcomes.iter().filter(|outcome| **outcome == 0).count();
        text.push_str(&format!("==== {failed} failed, {} passed in 3.20s ====\n", outcomes.len() - failed));
        let summary = summary(&text);
        prop_assert!(is_summary(&summary));
        let count = failed + usize::from(failed > 0);
        let head = match count {
            0 => String::new(),
            _ => format!("{count} lines that look like failures"),
        };
        prop_assert!(summary.contains(&head), "{}\n{}", head, summary);
        prop_assert!(summary.contains(&format!("{failed} failed, ")), "{}", summary);
        assert_places(&summary, &text)?;
    }

    #[test]
    fn of_any_lines(lines in prop::collection::vec(line(), 40..300)) {
        let text = lines.join("\n") + &" and so on".repeat(400);
        let summary = summary(&text);
        prop_assume!(is_summary(&summary));
        prop_assert!(summary.starts_with(&format!("Summary of text, {} lines, {} characters", text.lines().count(), text.chars().count())), "{}", summary);
        if !summary.contains("diff: ") && !summary.contains("lines found") && !summary.contains("reports of") {
            assert_places(&summary, &text)?;
        }
    }
}

fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z ]{0,40}",
        (0u32..500).prop_map(|n| format!("step {n}: copied part-{n} (37 KB)")),
        (0u32..9).prop_map(|n| format!("ERROR node {n} is gone")),
        (1u32..9).prop_map(|n| format!("{n} failed, {n} passed")),
        Just("Traceback (most recent call last):".to_owned()),
        Just("  File \"/srv/a.py\", line 3, in b".to_owned()),
        Just("ValueError: bad".to_owned()),
        Just("## Heading".to_owned()),
        Just(String::new()),
    ]
}
