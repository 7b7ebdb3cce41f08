//! All excerpts of an answer, put together, are the whole answer; none is above the cap.

use proptest::prelude::*;

use super::{all_pages, ask, cap, config, json, lines, path, rows};
use crate::excerpt::{Original, Query, read};

/// Small, so that most answers take several excerpts.
const TOKENS: std::ops::Range<usize> = 60..90;

proptest! {
    #![proptest_config(config())]

    #[test]
    fn whole_text_comes_back(text in "([a-zé€😀 \n]{0,20}\r?\n){0,20}.{0,300}", tokens in TOKENS) {
        prop_assert_eq!(all_pages(text.as_bytes(), None, Query::Whole, tokens), text);
    }

    #[test]
    fn whole_json_comes_back(text in json(), tokens in TOKENS) {
        prop_assert_eq!(all_pages(text.as_bytes(), None, Query::Whole, tokens), text);
    }

    #[test]
    fn whole_blocks_come_back(text in "[a-zé\"\\\\\n]{0,400}", tokens in TOKENS) {
        let string = serde_json::to_string(&text).unwrap();
        let result = format!(r#"{{"content":[{{"type":"text","text":{string}}}]}}"#);
        prop_assert_eq!(all_pages(result.as_bytes(), None, Query::Whole, tokens), text);
        let whole = all_pages(result.as_bytes(), Some("result"), Query::Whole, tokens);
        prop_assert_eq!(whole, result);
    }

    #[test]
    fn rows_come_back(
        values in proptest::collection::vec(json(), 1..12),
        from in 0usize..12,
        taken in 1usize..12,
        tokens in TOKENS,
    ) {
        let from = from.min(values.len() - 1);
        let to = values.len().min(from + taken);
        // Line breaks occur between tokens.
        let expected: String = values[from..to].iter().map(|value| one_line(value) + "\n").collect();
        let expected = tamis_formats::without_spelled_characters(&expected);
        let text = format!("[{}]", values.join(","));
        let query = rows(None, from as u64, Some((from + taken) as u64));
        prop_assert_eq!(all_pages(text.as_bytes(), None, query, tokens), expected);
    }

    #[test]
    fn lines_come_back(
        text in "([a-zé]{0,90}\r?\n){1,12}[a-z]{0,9}",
        from in 1usize..12,
        taken in 0usize..12,
        tokens in TOKENS,
    ) {
        let all: Vec<&str> = text.split_inclusive('\n').collect();
        let from = from.min(all.len());
        let to = from + taken;
        let expected = all[from - 1..to.min(all.len())].concat();
        let query = lines(from as u64, Some(to as u64));
        prop_assert_eq!(all_pages(text.as_bytes(), None, query, tokens), expected);
    }

    #[test]
    fn several_values_come_back(value in json(), tokens in 80usize..110) {
        let text = format!("[{value},0]");
        let once = ask(&text, path("**")).unwrap();
        prop_assert_eq!(&once.next, &None);
        prop_assert_eq!(all_pages(text.as_bytes(), None, path("**"), tokens), once.text);
    }

    #[test]
    fn a_cursor_that_was_changed_is_refused(place in 0usize..200, byte in b' '..b'~') {
        let text = "word ".repeat(200);
        let original = Original::new(text.as_bytes());
        let first = read(&original, None, &Query::Whole, cap(60)).unwrap();
        let cursor = first.next.unwrap().to_string();
        let mut changed = cursor.clone().into_bytes();
        let place = place % changed.len();
        changed[place] = byte;
        let changed = String::from_utf8(changed).unwrap();
        let answer = read(&original, None, &Query::Cursor(changed.clone()), cap(60));
        if changed.trim() == cursor {
            prop_assert!(answer.is_ok());
        } else {
            prop_assert_eq!(answer.map_err(|error| error.name()), Err("cursor"), "{}", changed);
        }
    }
}

/// The expected single line of JSON whose strings hold no spaces next to line breaks.
fn one_line(json: &str) -> String {
    json.replace("\r\n\t", "").replace("\n  ", "")
}

#[test]
fn a_cut_is_after_a_line_if_one_ends_not_far_back() {
    let text = format!("{}\n{}", "a".repeat(150), "b".repeat(500));
    let original = Original::new(text.as_bytes());
    let first = read(&original, None, &Query::Whole, cap(80)).unwrap();
    assert_eq!(first.text, format!("{}\n", "a".repeat(150)));
    assert_eq!(first.shown, 1..152);
    assert_eq!(first.total, 651);
}

#[test]
fn a_row_above_the_cap_goes_on_where_it_was_cut() {
    let long = format!("\"{}\"", "é".repeat(300));
    let text = format!("[1,{long},2]");
    let original = Original::new(text.as_bytes());
    let first = read(&original, None, &rows(None, 1, None), cap(60)).unwrap();
    assert!(long.starts_with(&first.text), "{first}");
    assert_eq!((first.shown.clone(), first.total), (1..2, 3));
    assert!(
        first
            .header
            .starts_with("row 1 of 3 (counted from 0); of row 1 characters 1–"),
        "{first}"
    );
    let pages = all_pages(text.as_bytes(), None, rows(None, 1, None), 60);
    assert_eq!(pages, format!("{long}\n2\n"));
}

#[test]
fn a_cursor_of_another_original_is_refused() {
    let text = "word ".repeat(200);
    let original = Original::new(text.as_bytes());
    let first = read(&original, None, &Query::Whole, cap(60)).unwrap();
    let cursor = Query::Cursor(first.next.unwrap().to_string());
    let other = Original::new(&text.as_bytes()[1..]);
    let answer = read(&other, None, &cursor, cap(60));
    assert_eq!(answer.map_err(|error| error.name()), Err("cursor"));
}

#[test]
fn a_cursor_keeps_settings_that_need_escaping() {
    let text = "a~%\"\\` b\n".repeat(50);
    let query = Query::Search {
        pattern: "a~%\"\\\\` ".to_owned(),
        regex: true,
        ignore_case: true,
        context: 1,
        path: None,
    };
    let pages = all_pages(text.as_bytes(), None, query, 80);
    let last = pages.lines().last();
    assert_eq!(last, Some("50: a~%\"\\` b"), "{pages}");
    assert_eq!(pages.lines().count(), 50, "{pages}");
}

#[test]
fn a_cap_without_room_says_how_much_would_do() {
    let original = Original::new(b"some text");
    let error = read(&original, None, &Query::Whole, cap(3)).unwrap_err();
    assert_eq!(error.name(), "cap-too-small");
    let needed: usize = error
        .to_string()
        .rsplit(' ')
        .next()
        .unwrap()
        .parse()
        .unwrap();
    assert_eq!(
        read(&original, None, &Query::Whole, cap(needed))
            .unwrap()
            .text,
        "some text"
    );
}
