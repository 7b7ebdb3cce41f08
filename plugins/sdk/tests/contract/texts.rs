//! Strings, wording and calls that filters write.

use crate::{Probed, filtered_by};
use tamis_sdk::testing::Bench;
use tamis_sdk::{
    Glob, Kept, Part, Template, characters, cut_string, keep_original, push_quoted, quote,
    read_call, rewritten_text, thousands, unquote,
};

/// Texts with all characters that JSON or UTF-8 treats specially.
fn texts() -> Vec<String> {
    let mut texts: Vec<String> = (0..0x100)
        .filter_map(char::from_u32)
        .map(|it| format!("a{it}b{it}"))
        .collect();
    texts.extend(
        [
            "", "\u{2028}", "é🦀", "\\u0041", "\"", "\\\"", "\n\n", "a\u{0}",
        ]
        .map(str::to_owned),
    );
    texts
}

#[test]
fn quoting_is_what_a_json_library_does() {
    for text in texts() {
        let expected = serde_json::to_string(&text).expect("a text is JSON");
        // That library has names for two more characters.
        let expected = expected.replace("\\b", "\\u0008").replace("\\f", "\\u000c");
        let expected = if text.contains('\\') {
            quote(&text)
        } else {
            expected
        };
        assert_eq!(quote(&text), expected);
        assert_eq!(unquote(&quote(&text)).as_deref(), Some(text.as_str()));
        let mut out = "before".to_owned();
        push_quoted(&mut out, &text);
        assert_eq!(out, format!("before{expected}"));
    }
    assert_eq!(quote("\\\"\n\r\t\u{1f}"), r#""\\\"\n\r\t\u001f""#);
    assert_eq!(unquote("\"a"), None);
}

#[test]
fn characters_lie_side_by_side_and_say_what_the_text_says() {
    for text in texts() {
        for quoted in [
            quote(&text),
            text.chars().fold("\"".to_owned(), escaped) + "\"",
        ] {
            let seen: Vec<_> = characters(&quoted).collect();
            let mut at = 1;
            for (character, expected) in seen.iter().zip(text.chars()) {
                assert_eq!(character.start, at, "{quoted}");
                at = character.end;
                let one = unquote(&format!("\"{}\"", &quoted[character.start..character.end]));
                assert_eq!(one, Some(expected.to_string()), "{quoted}");
                assert_eq!(character.is_line_feed, expected == '\n', "{quoted}");
            }
            assert_eq!(at, quoted.len() - 1);
            assert_eq!(seen.len(), text.chars().count());
        }
    }
}

/// Appends one more character as `\u` escapes to a text.
fn escaped(mut out: String, character: char) -> String {
    for unit in character.encode_utf16(&mut [0; 2]) {
        out.push_str(&format!("\\u{unit:04x}"));
    }
    out
}

#[test]
fn a_string_is_cut_at_the_last_character_that_fits() {
    let line = |shown: &str, total: &str| format!("[{shown}/{total}]");
    // The line, with numbers of ten digits, takes 23 bytes, and its line feed two.
    for (text, most, expected) in [
        ("x".repeat(40), 40, None),
        (
            "x".repeat(41),
            40,
            Some(format!("{}\n[15/41]", "x".repeat(15))),
        ),
        ("x".repeat(41), 25, Some("\n[0/41]".to_owned())),
        ("x".repeat(41), 24, None),
        ("x".repeat(41), 26, Some("x\n[1/41]".to_owned())),
        ("é".repeat(30), 28, Some("é\n[2/60]".to_owned())),
        ("é".repeat(30), 29, Some("éé\n[4/60]".to_owned())),
        ("\n".repeat(30), 28, Some("\n\n[2/60]".to_owned())),
    ] {
        let cut = cut_string(&quote(&text), most, line);
        let cut = cut.map(|quoted| unquote(&quoted).expect("a JSON string"));
        assert_eq!(cut, expected, "{text} {most}");
    }
}

#[test]
fn a_star_in_a_name_is_found_as_trying_finds_it() {
    /// Tries every run that a star may match.
    fn fits(pattern: &str, name: &str) -> bool {
        match (pattern.chars().next(), name.chars().next()) {
            (None, None) => true,
            (Some('*'), _) => {
                fits(&pattern[1..], name) || (!name.is_empty() && fits(pattern, &name[1..]))
            }
            (Some(wanted), Some(here)) => wanted == here && fits(&pattern[1..], &name[1..]),
            _ => false,
        }
    }
    let words = |letters: &[char]| {
        let mut words = vec![String::new()];
        for len in 0..5 {
            let longer: Vec<String> = words
                .iter()
                .filter(|word| word.len() == len)
                .flat_map(|word| letters.iter().map(move |letter| format!("{word}{letter}")))
                .collect();
            words.extend(longer);
        }
        words
    };
    for pattern in words(&['a', 'b', '*']) {
        let glob = Glob::new(&pattern);
        for name in words(&['a', 'b']) {
            assert_eq!(
                glob.matches(&name),
                fits(&pattern, &name),
                "{pattern} {name}"
            );
        }
    }
}

#[test]
fn names_in_wording_are_letters_digits_and_a_few_signs() {
    for (text, names, filled) in [
        ("{a}", vec!["a"], "<a>"),
        ("x{a}y{b_1}z", vec!["a", "b_1"], "x<a>y<b_1>z"),
        ("{a-b.c:d*}", vec!["a-b.c:d*"], "<a-b.c:d*>"),
        ("{é}{a}", vec!["é", "a"], "<é><a>"),
        ("{}", vec![], "{}"),
        ("{a b}", vec![], "{a b}"),
        ("{{a}}", vec!["a"], "{<a>}"),
        ("{a", vec![], "{a"),
        ("a}", vec![], "a}"),
        ("", vec![], ""),
        ("{\"q\":\"{a}\"}", vec!["a"], "{\"q\":\"<a>\"}"),
    ] {
        let template = Template::new(text);
        assert_eq!(template.names().collect::<Vec<_>>(), names, "{text}");
        let text_of_it = template.fill(|name, out| {
            out.push_str(&format!("<{name}>"));
            true
        });
        assert_eq!(text_of_it.as_deref(), Some(filled), "{text}");
        assert_eq!(template.unknown_name(&names), None, "{text}");
        assert_eq!(template.unknown_name(&[]), names.first().copied(), "{text}");
    }
}

#[test]
fn a_call_that_reads_back_takes_arguments() {
    let kept = |call: &str| Kept {
        reference: "r".to_owned(),
        call: call.to_owned(),
        path: None,
    };
    for (call, arguments, expected) in [
        (r#"tamis_read {"ref":"r"}"#, "", r#"tamis_read {"ref":"r"}"#),
        (
            r#"tamis_read {"ref":"r","part":"content[12]"}"#,
            r#""path":"$.a""#,
            r#"tamis_read {"ref":"r","part":"content[12]","path":"$.a"}"#,
        ),
        (
            r#"tamis read '{"ref":"r"}'"#,
            r#""search":"it's""#,
            r#"tamis read '{"ref":"r","search":"it'\''s"}'"#,
        ),
        ("read r", r#""path":"$.a""#, "read r"),
    ] {
        assert_eq!(read_call(&kept(call), arguments), expected);
    }
}

#[test]
fn the_bench_names_the_part_if_it_is_not_the_first_block() {
    for (part, index, expected) in [
        (Part::Content, 0, ""),
        (Part::Content, 12, r#","part":"content[12]""#),
        (Part::StructuredContent, 0, r#","part":"structuredContent""#),
        (Part::Whole, 0, r#","part":"content""#),
    ] {
        let bench = Bench::<Probed>::new("{}").part(part, index);
        let call = filtered_by(&bench, "[]", |_, _| {
            rewritten_text(keep_original("").unwrap().call)
        });
        assert_eq!(
            call.text(),
            format!(r#"tamis_read {{"ref":"abcdefghij234567"{expected}}}"#)
        );
    }
}

#[test]
fn thousands_have_commas() {
    for (number, text) in [
        (0, "0"),
        (99, "99"),
        (100, "100"),
        (9_999, "9,999"),
        (10_000, "10,000"),
        (100_000, "100,000"),
        (1_000_000, "1,000,000"),
        (u64::MAX, "18,446,744,073,709,551,615"),
    ] {
        assert_eq!(thousands(number), text);
    }
}
