//! Documents with their exact results, and the bytes that longer ones keep, fetch and count.

use super::*;
use serde_json::json;
use std::fmt::Write as _;
use tamis_sdk::testing::Bench;

#[test]
fn a_cut_is_made_where_the_settings_say() {
    let ten = "0123456789";
    for (settings, text, expected) in [
        (json!({"limit": 4, "marker": "~"}), ten, "0123~"),
        (json!({"limit": 10, "marker": "~"}), ten, ten),
        (json!({"limit": 9, "marker": "~"}), ten, "012345678~"),
        (json!({"limit": 4, "tail": 1, "marker": "~"}), ten, "012~9"),
        (json!({"limit": 4, "tail": 4, "marker": "~"}), ten, "~6789"),
        (json!({"limit": 1, "marker": "~"}), ten, "0~"),
        (
            json!({"limit": 3, "tail": 1, "marker": "~"}),
            "éa語🦀é",
            "éa~é",
        ),
        (
            json!({"limit": 3, "tail": 2, "marker": "~"}),
            "éa語🦀é",
            "é~🦀é",
        ),
        (
            json!({"limit": 4, "tail": 2, "marker": "~"}),
            "éa語🦀é",
            "éa~🦀é",
        ),
        (
            json!({"limit": 5, "tail": 2, "marker": "~"}),
            "éa語🦀é",
            "éa語🦀é",
        ),
        // Bytes: no character is split, so a few less may stay.
        (
            json!({"limit": 4, "unit": "bytes", "marker": "~"}),
            ten,
            "0123~",
        ),
        (
            json!({"limit": 10, "unit": "bytes", "marker": "~"}),
            ten,
            ten,
        ),
        (
            json!({"limit": 9, "unit": "bytes", "marker": "~"}),
            ten,
            "012345678~",
        ),
        (
            json!({"limit": 4, "tail": 1, "unit": "bytes", "marker": "~"}),
            ten,
            "012~9",
        ),
        (
            json!({"limit": 4, "tail": 4, "unit": "bytes", "marker": "~"}),
            ten,
            "~6789",
        ),
        (
            json!({"limit": 6, "tail": 3, "unit": "bytes", "marker": "~"}),
            "éé🦀éé",
            "é~é",
        ),
        (
            json!({"limit": 8, "tail": 4, "unit": "bytes", "marker": "~"}),
            "éé🦀éé",
            "éé~éé",
        ),
        (
            json!({"limit": 9, "tail": 5, "unit": "bytes", "marker": "~"}),
            "éé🦀éé",
            "éé~éé",
        ),
        (
            json!({"limit": 7, "tail": 7, "unit": "bytes", "marker": "~"}),
            "éé🦀éé",
            "~éé",
        ),
        (
            json!({"limit": 8, "tail": 8, "unit": "bytes", "marker": "~"}),
            "éé🦀éé",
            "~🦀éé",
        ),
        // Tokens: a word is removed as a whole.
        (
            json!({"limit": 2, "unit": "tokens", "marker": "~"}),
            "one two three four",
            "one two~",
        ),
        (
            json!({"limit": 4, "unit": "tokens", "marker": "~"}),
            "one two three four",
            "one two three four",
        ),
        (
            json!({"limit": 3, "unit": "tokens", "marker": "~"}),
            "one two three four",
            "one two three~",
        ),
        (
            json!({"limit": 3, "tail": 1, "unit": "tokens", "marker": "~"}),
            "one two three four",
            "one two~ four",
        ),
        (
            json!({"limit": 2, "tail": 2, "unit": "tokens", "marker": "~"}),
            "one two three four",
            "~ three four",
        ),
        (
            json!({"limit": 1, "unit": "tokens", "marker": "~"}),
            "internationalization",
            "~",
        ),
    ] {
        let bench = Bench::<Truncate>::new(&settings);
        let cut = bench.apply(text);
        assert_eq!(cut.text(), expected, "{settings} {text}");
        assert_eq!(
            bench.apply(cut.text()).text(),
            cut.text(),
            "{settings} twice"
        );
    }
}

#[test]
fn a_marker_is_filled_and_known_again() {
    let text = "é".repeat(20);
    for (unit, marker, expected) in [
        ("chars", " {shown}/{total}!", " 5/20!"),
        ("bytes", " {shown}/{total}!", " 4/40!"),
        ("chars", "{{shown}}", "{5}"),
        ("chars", "{ {x", "{ {x"),
        ("chars", "{}{total}.", "{}20."),
        ("chars", "{Total}", "{Total}"),
        ("chars", "a{shown}b{shown}c", "a5b5c"),
        ("chars", "cut {ref}.", "cut abcdefghij234567."),
        (
            "chars",
            "cut\n{path}\n",
            "cut\n/originals/abcdefghij234567.json\n",
        ),
        (
            "chars",
            "cut\n{call}\n",
            "cut\ntamis_read {\"ref\":\"abcdefghij234567\"}\n",
        ),
    ] {
        let settings = json!({"limit": 5, "unit": unit, "marker": marker});
        let bench = Bench::<Truncate>::new(&settings);
        let cut = bench.apply(&text);
        assert_eq!(cut.text().trim_start_matches('é'), expected, "{settings}");
        assert!(!bench.apply(cut.text()).changed, "{settings} twice");
        // Without an original, the default replaces a marker that names one.
        let plain = Bench::<Truncate>::new(&settings).keeps(false);
        let cut = plain.apply(&text);
        let names = ["{ref}", "{call}", "{path}"];
        let expected = if names.iter().any(|name| marker.contains(name)) {
            TRUNCATED
        } else {
            expected
        };
        assert_eq!(cut.text().trim_start_matches('é'), expected, "{settings}");
    }
}

#[test]
fn a_text_like_a_marker_is_one_where_a_cut_could_be() {
    let four =
        |marker: &str, unit: &str| json!({"limit": 4, "tail": 2, "unit": unit, "marker": marker});
    for (settings, text, is_known) in [
        (four("--", "chars"), "ab--yz", true),
        (four("--", "chars"), "ab-xyz", false),
        (four("--", "chars"), "a--xyz", false),
        (four("--", "chars"), "abx--z", false),
        (four("--", "chars"), "abc--yz", false),
        (four("<{total}>", "chars"), "ab<123>yz", true),
        (four("<{total}>", "chars"), "ab<>yz", false),
        (four("<{total}>", "chars"), "ab<1x>yz", false),
        (four("<{ref}>", "chars"), "ab<x1>yz", true),
        (four("<{ref}>", "chars"), "ab<x 1>yz", false),
        (four("<{call}>", "chars"), "ab<x 1>yz", true),
        (four("<{path}>", "chars"), "ab<x\n1>yz", false),
        // In bytes and tokens, the earlier cut may have left less than the limit.
        (four("--", "bytes"), "ab--yz", true),
        (four("--", "bytes"), "a--yz", true),
        (four("--", "bytes"), "--yyz", false),
        (four("--", "bytes"), "ab--z", true),
        (four("--", "bytes"), "abc--yz", false),
        (four("--", "bytes"), "ab--xyz", false),
        (four("--", "tokens"), "one two-- three four", true),
        (four("--", "tokens"), "one two six-- three four", false),
        (four("--", "tokens"), "one two-- three four six", false),
    ] {
        let applied = Bench::<Truncate>::new(&settings).apply(text);
        assert_eq!(
            !applied.changed,
            is_known,
            "{settings} {text}: {}",
            applied.text()
        );
    }
    // A number larger than any original is no filled place.
    let marker = json!({"limit": 2, "tail": 1, "marker": "<{total}>"});
    let bench = Bench::<Truncate>::new(&marker);
    for (digits, is_known) in [(4096, true), (4097, false)] {
        let text = format!("a<{}>z", "1".repeat(digits));
        assert_eq!(!bench.apply(&text).changed, is_known, "{digits} digits");
    }
}

#[test]
fn settings_at_their_bounds() {
    for (settings, is_taken) in [
        (json!({"limit": 1}), true),
        (json!({"limit": 0}), false),
        (json!({"limit": 3, "tail": 3}), true),
        (json!({"limit": 3, "tail": 4}), false),
        (json!({"marker": "a{shown} b"}), true),
        (json!({"marker": "a{shown}1"}), false),
        (json!({"marker": "a{total}b"}), true),
        (json!({"marker": "a{ref}b"}), false),
        (json!({"marker": "a{ref}é"}), true),
        (json!({"marker": "a{call}1"}), true),
        (json!({"marker": "a{path}b"}), true),
        (json!({"marker": "a{path}"}), false),
        (json!({"marker": "{path} "}), false),
        (json!({"marker": "a{total}."}), true),
    ] {
        let refusal = Bench::<Truncate>::refusal(&settings);
        assert_eq!(refusal.is_none(), is_taken, "{settings}: {refusal:?}");
    }
}

/// Texts that need much counting, each for another reason.
fn texts() -> [(&'static str, String); 10] {
    let numbered: String = (0..30_000).map(|at| format!("word{at} ")).collect();
    let lines: String = (0..9_000).map(|at| format!("{at}: a line\n")).collect();
    [
        (
            "words",
            "The quick brown fox jumps over the lazy dog. ".repeat(4_000),
        ),
        ("numbered words", numbered),
        ("lines", lines),
        ("no blanks", "0123456789abcdef".repeat(9_000)),
        ("Japanese", "語彙は人の言葉の海である。".repeat(3_000)),
        ("emoji", "🦀👩\u{200d}🔬 ".repeat(6_000)),
        ("blanks", " \n\t".repeat(30_000)),
        (
            "long words",
            format!("{} ", "abcdefghij".repeat(7)).repeat(1_500),
        ),
        // More than a token for three bytes.
        ("random letters", random_letters(90_000)),
        (
            "a line",
            "a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7, h: 8, i: 9".to_owned(),
        ),
    ]
}

fn random_letters(count: usize) -> String {
    let mut state = 1_u32;
    let mut letter = || {
        state = state.wrapping_mul(1_103_515_245).wrapping_add(12_345);
        char::from(b'A' + (state >> 16) as u8 % 26)
    };
    (0..count).map(|_| letter()).collect()
}

/// `kept.txt` has, for each text, the bytes that stay at both ends, and the cost.
#[test]
fn as_much_stays_and_as_little_is_read_as_before() {
    let mut table = String::new();
    for (name, text) in texts() {
        let _ = writeln!(table, "{name}, {} bytes", text.len());
        for (unit, limit, tail) in [
            ("chars", 4_000, 0),
            ("chars", 4_000, 1_000),
            ("chars", 30_000, 29_000),
            ("bytes", 4_000, 0),
            ("bytes", 4_001, 1_001),
            ("tokens", 10, 3),
            ("tokens", 4_000, 0),
            ("tokens", 4_000, 1_000),
            ("tokens", 4_000, 4_000),
            ("tokens", 21_000, 6_000),
        ] {
            let marker = "\u{1}[{total}]\u{1}";
            let settings = json!({"limit": limit, "tail": tail, "unit": unit, "marker": marker});
            let bench = Bench::<Truncate>::new(&settings);
            let cut = bench.apply(&text);
            let (head, end) = match cut.text().split_once('\u{1}') {
                Some((head, rest)) => (head, rest.split_once('\u{1}').map_or("", |it| it.1)),
                None => (cut.text(), ""),
            };
            assert!(
                text.starts_with(head) && text.ends_with(end),
                "{name} {settings}"
            );
            assert!(!bench.apply(cut.text()).changed, "{name} {settings} twice");
            let _ = writeln!(
                table,
                "  {limit} {unit}, {tail} of them at the end: {} and {} bytes stay, {} are fetched, {} counted",
                head.len(),
                end.len(),
                cut.fetched_bytes,
                cut.counted_bytes
            );
        }
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/kept.txt");
    if std::env::var_os("TAMIS_BLESS").is_some() {
        std::fs::write(path, &table).expect("kept.txt is written");
    }
    let kept = std::fs::read_to_string(path).expect("kept.txt is read");
    for (kept, now) in kept.lines().zip(table.lines()) {
        assert_eq!(kept, now, "TAMIS_BLESS=1 writes kept.txt anew");
    }
    assert_eq!(kept, table);
}
