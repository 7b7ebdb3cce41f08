//! Every bound on the output, exactly.

use super::*;
use proptest::prelude::*;

proptest! {
    #[test]
    fn a_cut_text_has_at_most_so_many_characters(text in "[a\u{e9}\u{1f980}]{0,12}", limit in 1usize..14) {
        let shown = cut(&text, limit);
        if characters(&text) <= limit {
            prop_assert_eq!(shown.as_ref(), text.as_str());
        } else {
            prop_assert_eq!(characters(&shown), limit);
            let head = shown.strip_suffix(CUT).expect("the mark");
            prop_assert!(text.starts_with(head));
        }
    }

    #[test]
    fn items_that_fit_are_listed_and_the_rest_is_counted(lengths in prop::collection::vec(1usize..9, 0..12), limit in 0usize..90) {
        let items: Vec<String> = lengths.iter().map(|length| "i".repeat(*length)).collect();
        let text = listed(&items, limit);
        let whole = items.join(", ");
        // With `, ` after each, and 14 for the number of omitted items, if any.
        let fits = |count: usize| {
            let used: usize = lengths[..count].iter().map(|length| length + 2).sum();
            used + if count < lengths.len() { 14 } else { 0 } <= limit
        };
        let shown = (0..=lengths.len()).take_while(|count| *count == 0 || fits(*count)).last().unwrap_or(0);
        let expected = if shown == lengths.len() {
            whole
        } else {
            let mut parts = items[..shown].to_vec();
            parts.push(format!("and {} more", lengths.len() - shown));
            parts.join(", ")
        };
        prop_assert_eq!(text, expected);
    }

    #[test]
    fn a_list_never_takes_more_than_there_is(lengths in prop::collection::vec(0usize..30, 0..9), room in 0usize..200) {
        let mut paper = Paper::new(room);
        let mut written = 0;
        let item = |length: &usize| {
            written += 1;
            "i".repeat(*length)
        };
        paper.list(lengths.iter(), item, "items");
        prop_assert_eq!(characters(paper.text()) + paper.left(), room);
        let (mut left, mut shown) = (room, 0);
        for length in &lengths {
            // Room for the line that counts the rest: 32, and its word.
            if left < length + 1 + 37 { break; }
            left -= length + 1;
            shown += 1;
        }
        let lines: Vec<&str> = paper.text().lines().collect();
        let more = (shown < lengths.len()).then(|| {
            let items = if lengths.len() - shown == 1 { "item" } else { "items" };
            format!(" and {} more {items}", lengths.len() - shown)
        });
        let more = more.map(|more| cut(&more, left.saturating_sub(1)).into_owned()).filter(|_| left > 1);
        prop_assert_eq!(lines.len(), shown + usize::from(more.is_some()));
        if let Some(more) = more {
            prop_assert_eq!(lines[shown], more);
        }
        prop_assert_eq!(written, (shown + 1).min(lengths.len()), "no item is written only to be counted");
    }

    #[test]
    fn minified_json_is_that_of_a_parser(text in "[a \\\\\"\n]{0,8}", limit in 0usize..20) {
        let value = serde_json::json!({ "a": [text, 1, null], "b c": { "d": text } });
        let pretty = format!("{value:#}");
        let whole = value.to_string();
        prop_assert_eq!(minified(&pretty, 1_000), whole.as_str());
        let expected: String = whole.chars().take(limit + 1).collect();
        prop_assert_eq!(minified(&pretty, limit), expected);
    }
}

#[test]
fn lines_fit_with_their_ends() {
    let mut paper = Paper::new(5);
    assert!(paper.is_empty() && !paper.line("abcde") && paper.line("\u{e9}b"));
    assert_eq!((paper.left(), paper.text()), (2, "\u{e9}b\n"));
    paper.cut_line("xyz");
    assert_eq!((paper.left(), paper.text()), (0, "\u{e9}b\n\u{2026}\n"));
    paper.cut_line("x");
    assert_eq!(paper.left(), 0);
    let mut paper = Paper::new(1);
    paper.cut_line("x");
    assert!(paper.is_empty());
    let mut other = Paper::new(9);
    let mut paper = Paper::new(9);
    paper.paste(&other);
    assert!(paper.is_empty());
    other.line("a\nb");
    paper.paste(&other);
    assert_eq!((paper.text(), paper.left()), ("a\nb\n", 5));
    assert_eq!(one_line("a\nb\tc\u{7f}d"), "a b c d");
}

#[test]
fn a_list_names_items_or_is_left_out() {
    let items = ["a".repeat(50), "b".to_owned(), "c".to_owned()];
    assert_eq!(listed(&items, 30), "and 3 more");
    assert_eq!(listed_short(&items, 30), "b, c, and 1 more");
    assert_eq!(listed_short(&items, 19), "b, and 2 more");
    assert_eq!(listed_short(&items, 99), listed(&items, 99));
    assert_eq!(listed_short(&items[..1], 30), "and 1 more");
    assert!(names_some("b, and 2 more") && names_some("and more") && !names_some("and 2 more"));
    let mut paper = Paper::new(99);
    paper.cut_list(" also: ", "and 37 more");
    assert!(paper.is_empty());
    paper.cut_list(" also: ", "b, and 37 more");
    assert_eq!(paper.text(), " also: b, and 37 more\n");
}

#[test]
fn one_thing_that_is_left_out_is_one() {
    for (more, what, expected) in [
        (
            1,
            "rows with an odd value",
            " and 1 more row with an odd value\n",
        ),
        (
            1,
            "tables, in which values are odd",
            " and 1 more table, in which values are odd\n",
        ),
        (
            2,
            "tables, in which values are odd",
            " and 2 more tables, in which values are odd\n",
        ),
    ] {
        let mut paper = Paper::new(90);
        paper.count_rest(more, what);
        assert_eq!(paper.text(), expected);
    }
}
