//! Any original and any question give an excerpt within the cap, or an error.

use proptest::prelude::*;

use super::{cap, config, count, json};
use crate::excerpt::{Original, Query, read};

fn original() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..200),
        json().prop_map(String::into_bytes),
        json().prop_map(|value| {
            format!(r#"{{"content":[{{"type":"text","text":"a\ud800"}},{{"type":"x"}}],"structuredContent":{value}}}"#)
                .into_bytes()
        }),
        "[\\[\\]{}\":,0-9a\\\\ \n]{0,60}".prop_map(String::into_bytes),
    ]
}

fn query() -> impl Strategy<Value = Query> {
    let text = prop_oneof![
        ".{0,20}",
        "[$.*\\[\\]0-9:a\"'\\\\-]{0,12}",
        "[a-z(|)*+?{}^$\\\\\\[\\]]{0,8}",
    ];
    let number = prop_oneof![0u64..5, any::<u64>()];
    let end = proptest::option::of(number.clone());
    let place = proptest::option::of(text.clone());
    prop_oneof![
        Just(Query::Whole),
        Just(Query::Short),
        text.clone().prop_map(Query::Path),
        (place.clone(), number.clone(), end.clone()).prop_map(|(path, from, to)| Query::Rows {
            path,
            from,
            to
        }),
        (place.clone(), number.clone(), end).prop_map(|(path, from, to)| Query::Lines {
            path,
            from,
            to
        }),
        (text.clone(), any::<[bool; 2]>(), number, place).prop_map(
            |(pattern, [regex, ignore_case], context, path)| {
                Query::Search {
                    pattern,
                    regex,
                    ignore_case,
                    context,
                    path,
                }
            }
        ),
        text.prop_map(Query::Cursor),
        "[0-9a-f]{8}~[0-9]{1,3}~[0-9]{1,3}~[a-z\\[\\]0-9]{1,9}~(whole|rows~0~~|lines~1~~)"
            .prop_map(Query::Cursor),
    ]
}

fn part() -> impl Strategy<Value = Option<String>> {
    prop_oneof![
        4 => Just(None),
        1 => ".{0,12}".prop_map(Some),
        1 => "(content|result|structuredContent|content\\[[0-9]{1,30}\\])".prop_map(Some),
    ]
}

proptest! {
    #![proptest_config(proptest::test_runner::Config { cases: 2048, ..config() })]

    #[test]
    fn an_answer_is_within_the_cap_and_always_the_same(
        bytes in original(),
        query in query(),
        part in part(),
        tokens in 0usize..300,
    ) {
        let original = Original::new(&bytes);
        let answer = read(&original, part.as_deref(), &query, cap(tokens));
        if let Ok(excerpt) = &answer {
            prop_assert!(count(&excerpt.to_string()) <= tokens, "{:?}", excerpt);
            prop_assert!(!excerpt.header.contains('\n'), "{:?}", excerpt);
        }
        let again = read(&Original::new(&bytes), part.as_deref(), &query, cap(tokens));
        prop_assert_eq!(&again, &answer);
    }
}

#[test]
fn deep_nesting_is_read_without_recursion() {
    let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
    let other = deep.replace("[]", "[1]");
    let both =
        format!(r#"{{"content":[{{"type":"text","text":"{deep}"}}],"structuredContent":{other}}}"#);
    for (text, name) in [(&deep, "ok"), (&both, "part-needed")] {
        let answer = read(
            &Original::new(text.as_bytes()),
            None,
            &Query::Whole,
            cap(500),
        );
        assert_eq!(answer.map_or_else(|error| error.name(), |_| "ok"), name);
    }
    let any_depth = Query::Path("**".to_owned());
    let answer = read(&Original::new(deep.as_bytes()), None, &any_depth, cap(500)).unwrap();
    assert_eq!(answer.total, 200_000);
}
