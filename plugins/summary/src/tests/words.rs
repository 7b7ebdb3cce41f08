//! The parts of a line.

use super::*;
use proptest::prelude::*;

/// A part of a line.
enum Word {
    /// The hash of a word without digits.
    Letters(u64),
    /// A word with digits, or one that may be a hexadecimal number.
    Number,
    /// The hash of a word with digits that is a name.
    Name(u64),
    /// A character between words. Consecutive blanks are one.
    Sign(u8),
}

/// Calls `each` with the parts of a line, found by a look at each byte.
fn words(line: &str, each: &mut dyn FnMut(Word)) {
    let bytes = line.as_bytes();
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii();
    let is_blank = |byte| matches!(byte, b' ' | b'\t');
    let is_between = |byte| matches!(byte, b'-' | b':');
    let (mut at, mut last) = (0, 0);
    while let Some(sign) = bytes.get(at).copied() {
        let size = bytes[at..].iter().take_while(|byte| is_part(byte)).count();
        if size > 0 {
            let (start, end) = (at, at + size);
            let word = &bytes[start..end];
            let after = bytes.get(end).copied();
            let is_part =
                || matches!(size, 2 | 4) && (is_between(last) || after.is_some_and(is_between));
            let has_digit = word.iter().any(u8::is_ascii_digit);
            let is_hexadecimal = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
            let hash = hash_of(bytes, start, end);
            each(if has_digit && is_name(word) {
                Word::Name(hash)
            } else if has_digit || word.iter().all(is_hexadecimal) && (size >= 6 || is_part()) {
                Word::Number
            } else {
                Word::Letters(hash)
            });
            (at, last) = (end, 0);
            continue;
        }
        if !is_blank(sign) || !is_blank(last) {
            each(Word::Sign(if is_blank(sign) { b' ' } else { sign }));
        }
        (at, last) = (at + 1, sign);
    }
}

fn parts(line: &str) -> String {
    let mut out = String::new();
    words(line, &mut |word| {
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

#[test]
fn a_line_of_any_length_has_the_words_that_its_bytes_have() {
    // Lines are examined in parts of 64 bytes: words, blanks and signs stand at their borders.
    let parts = ["a", "abcdef", " ", "\t ", "-", "7", "\u{e9}", "word", "x_1"];
    let mut seed = 1_u64;
    let mut next = |of: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 33) as usize % of
    };
    for length in 0..200 {
        for _ in 0..20 {
            let mut line = String::new();
            while line.len() < length {
                line.push_str(&parts[next(parts.len())].repeat(1 + next(3) * next(40)));
            }
            let (mut count, mut signs) = (0, String::new());
            words(&line, &mut |word| match word {
                Word::Sign(sign) => signs.push(char::from(sign)),
                _ => count += 1,
            });
            let blanks = line.replace('\t', " ");
            let between = blanks.split(|c: char| c.is_alphanumeric() || c == '_');
            let expected: String = between
                .map(|signs| {
                    let dashes = signs.split('-').map(|blank| &blank[..blank.len().min(1)]);
                    dashes.collect::<Vec<_>>().join("-")
                })
                .collect();
            assert_eq!(signs, expected, "{line:?}");
            let expected = line.split([' ', '\t', '-']).filter(|word| !word.is_empty());
            assert_eq!(count, expected.count(), "{line:?}");
        }
    }
}

proptest! {
    /// Windows and words of all lengths.
    #[test]
    fn values_are_those_of_words_and_the_signs_after_them(parts in prop::collection::vec((0usize..10, 1usize..70), 0..12)) {
        let part = |(kind, count): &(usize, usize)| match kind {
            0 => "ab".repeat(*count),
            1 => "g".repeat(*count),
            2 => "7".repeat(*count),
            3 => "é".repeat(*count),
            4 => " \t".repeat(count % 3 + 1),
            5 => "-".to_owned(),
            6 => ":".to_owned(),
            7 => "test_1".to_owned(),
            8 => "12".to_owned(),
            _ => "word".to_owned(),
        };
        let line: String = parts.iter().map(part).collect();
        for has_names in [false, true] {
            let (mut expected, mut open) = (Vec::new(), 0);
            words(&line, &mut |word| match word {
                Word::Letters(hash) => open = hash >> SIGN_BITS << SIGN_BITS | WORD,
                Word::Name(hash) if has_names => open = (hash >> SIGN_BITS << SIGN_BITS) & !WORD,
                Word::Number | Word::Name(_) => open = A_NUMBER,
                Word::Sign(sign) => expected.push(std::mem::take(&mut open) | (u64::from(sign) + 1)),
            });
            expected.extend((open != 0).then_some(open));
            let mut found = Vec::new();
            match has_names {
                true => each_value_with_names(&line, &mut |value| found.push(value)),
                false => values(&line, |value| found.push(value)),
            }
            prop_assert_eq!(found, expected, "{:?}", line);
        }
    }
}

proptest! {
    #[test]
    fn runs_are_those_of_a_loop(line in "([a-zA-Z]{0,70}[ 0-9é_@\\[]{0,3}){0,6}") {
        let mut expected = Vec::new();
        let is_letter = |at: usize| line.as_bytes().get(at).is_some_and(u8::is_ascii_alphabetic);
        let mut start = 0;
        for at in 0..=line.len() {
            if !is_letter(at) {
                expected.extend((start < at).then_some((start, at)));
                start = at + 1;
            }
        }
        prop_assert_eq!(Runs::of(line.as_bytes()).collect::<Vec<_>>(), expected);
    }
}
