//! The parts of a line.

use super::*;

fn parts(line: &str) -> String {
    let mut out = String::new();
    words(line, |word| {
        out.push_str(match word {
            Word::Letters(_) => "w",
            Word::Number => "0",
            Word::Name(_) => "n",
            Word::Sign(b' ') => "_",
            Word::Sign(_) => ".",
        });
    });
    out
}

#[test]
fn a_line_consists_of_words_numbers_names_and_signs() {
    for (line, expected) in [
        ("one two", "w_w"),
        ("a  \t b", "w_w"),
        (" a: b ", "_w._w_"),
        ("12 a1 1a", "0_0_0"),
        ("test_case_3", "n"),
        ("TestRefund2", "n"),
        ("testing", "w"),
        ("tes2", "0"),
        ("a_1", "n"),
        ("_1", "0"),
        ("abcdef", "0"),
        ("abcde", "w"),
        ("abcdeg", "w"),
        ("ABCDEF", "w"),
        ("\u{e9}t\u{e9}", "w"),
        ("\u{e9}1", "0"),
        ("a,b;c", "w.w.w"),
        ("", ""),
        ("..", ".."),
        ("a. .b", "w._.w"),
    ] {
        assert_eq!(parts(line), expected, "{line}");
    }
}

#[test]
fn lines_have_one_pattern_if_they_differ_in_numbers_alone() {
    for (one, other) in [
        ("step 1 of 2", "step 34 of 2a"),
        (" a 1", "a 2 "),
        ("a  b", "a b"),
        ("x abcdef", "x 123456"),
    ] {
        assert_eq!(pattern(one), pattern(other), "{one}, {other}");
        assert_eq!(
            pattern_with_names(one),
            pattern_with_names(other),
            "{one}, {other}"
        );
    }
    for (one, other) in [
        ("step 1", "stop 1"),
        ("a b", "b a"),
        ("a:b", "a;b"),
        ("a b", "ab"),
        ("a 1", "a"),
        ("abcdefgh", "abcdefghi"),
        ("abcdefghx", "abcdefghy"),
        ("abcdefgh1x", "abcdefgx"),
        ("ab", "ba"),
    ] {
        assert_ne!(pattern(one), pattern(other), "{one}, {other}");
    }
    assert_eq!(pattern("test_1 ok"), pattern("test_2 ok"));
    assert_ne!(
        pattern_with_names("test_1 ok"),
        pattern_with_names("test_2 ok")
    );
    // Any two different words of one length.
    let hashes: std::collections::HashSet<u64> = (0..26u8)
        .flat_map(|a| {
            (0..26u8).map(move |b| {
                pattern(&format!(
                    "word{}{}",
                    char::from(b'g' + a % 20),
                    char::from(b'g' + b % 20)
                ))
            })
        })
        .collect();
    assert_eq!(hashes.len(), 400);
}
