//! Numbers with their keys and units.

use super::*;
use proptest::prelude::*;

fn found(line: &str) -> Vec<(Option<&str>, f64, usize)> {
    let mut all = Vec::new();
    let mut words = Words::of_text(line, std::iter::empty());
    words.read(line);
    words.keyed(line, |found| {
        all.extend(found.value.map(|value| (found.key, value, found.kind)))
    });
    all
}

#[test]
fn numbers_have_a_key_or_a_unit() {
    for (line, expected) in [
        ("errors=7", (Some("errors"), 7.0, 0)),
        ("errors = 7", (Some("errors"), 7.0, 0)),
        ("- **Errors**: 7", (Some("Errors"), 7.0, 0)),
        ("**Errors:** 7", (Some("Errors"), 7.0, 0)),
        ("errors=812(77.1%)", (Some("errors"), 812.0, 0)),
        ("4.0K\t./a", (None, 4096.0, 3)),
        ("a errors: 7, b", (Some("errors"), 7.0, 0)),
        ("{\"errors\":7}", (Some("errors"), 7.0, 0)),
        ("{'errors': -7.5}", (Some("errors"), -7.5, 0)),
        ("{\"errors\":7,\"b\":\"c\"}", (Some("errors"), 7.0, 0)),
        ("took=48112ms x", (Some("took"), 48.112, 2)),
        ("exit-code=\"3\"", (Some("exit-code"), 3.0, 0)),
        ("a.js  4,312.77 kB", (None, 4_312_770.0, 3)),
        ("load 98%", (None, 98.0, 1)),
        ("✓ renders (5 ms)", (None, 0.005, 2)),
        ("in 2.5s.", (None, 2.5, 2)),
    ] {
        assert_eq!(found(line), [expected], "{line}");
    }
    for line in [
        "2026-11-20T08:00:14.637Z INFO x",
        "08:00:14 x",
        "a.rs:3:5: x",
        "src/a.rs:12",
        "version 1.2.3",
        "id abc123 7",
        "=7",
        "7=7",
        "key=12abc",
        "12 msg",
        "3s/op",
        "",
    ] {
        assert_eq!(found(line), [], "{line}");
    }
}

proptest! {
    /// Dates, amounts and lists are or are none by their digits.
    #[test]
    fn a_line_that_differs_in_digits_alone_is_read_as_any_other(
        line in r#"[A-C]{0,2}(=?[0-9]{1,4}[-.:,/]?[0-9]{0,2}[-.]?[0-9]{0,2}(ms|%|"|:|,)?( |\t)|(a|as=|b:|"c":|ms|%|=|STATUS:)( |\t)?){1,8}"#,
        digits in prop::collection::vec("[0-9]", 1..20),
    ) {
        let mut next = digits.iter().cycle();
        let other: String = line
            .chars()
            .map(|c| match c {
                '0'..='9' => next.next().expect("it has no end").to_string(),
                c => c.to_string(),
            })
            .collect();
        let text = format!("{line}\n{other}");
        let told = |words: &Words<'_>| {
            let mut told = Vec::new();
            words.keyed(text.lines().nth(1).unwrap_or_default(), |found| {
                told.push((found.key.map(str::to_owned), found.text.to_owned(), found.value, found.kind));
            });
            let words: Vec<_> = words
                .words
                .iter()
                .map(|word| (word.bytes.to_vec(), word.start, word.number, word.equals, word.has_key))
                .collect();
            (words, told)
        };
        let mut anew = Words::of_text(&text, text.lines());
        let mut again = anew.without_words();
        anew.read(&*other);
        again.read(&*line);
        prop_assert!(again.read_digits(&other));
        prop_assert_eq!(told(&again), told(&anew));
        prop_assert_eq!((again.has_number, again.has_unit), (anew.has_number, anew.has_unit));
        let longer = other.clone() + " ";
        prop_assert!(!again.read_digits(&longer));
    }
}
