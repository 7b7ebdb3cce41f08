use super::written::Json;
use super::{is_yaml, parser};

#[test]
fn what_was_read_is_compared_with_the_source() {
    let text = "- a: 'it''s'\n  b: [1, {c: \"x\\ty\"}]\n- |-\n  one\n\n  two\n- >\n  a b\n  c\n-\n";
    let equals =
        |other: &str| parser::read(text, other, 128, &mut Json::with_room_for(text)).expect("YAML");
    assert!(equals(text));
    for at in 0..text.len() {
        let other = format!("{}~{}", &text[..at], &text[at..]);
        assert!(!equals(&other), "{other:?}");
        let other = format!("{}{}", &text[..at], &text[at + 1..]);
        let is_space = text[at..].starts_with([' ', '\n']);
        assert_eq!(equals(&other), is_space, "{other:?}");
    }
}

#[test]
fn depth_is_limited() {
    let nested = |depth: usize| {
        let maps: String = (0..depth)
            .map(|depth| format!("{}a:\n", " ".repeat(depth)))
            .collect();
        format!("{maps}{}b: 1\n", " ".repeat(depth))
    };
    assert!(is_yaml(&nested(127)));
    assert!(!is_yaml(&nested(128)));
}

#[test]
fn control_characters_are_refused_wherever_they_are() {
    for length in 0..40 {
        let text = format!("a: {}\nb: 1\n", "x".repeat(length));
        assert!(is_yaml(&text), "{text:?}");
        for sign in ['\0', '\u{8}', '\u{1b}', '\u{7f}', '\u{85}'] {
            let text = format!("a: {}{sign}x\nb: 1\n", "x".repeat(length));
            assert!(!is_yaml(&text), "{text:?}");
        }
    }
}
