use super::{Comparison, Parser};

#[test]
fn what_was_read_is_compared_with_the_source() {
    let text = "- a: 'it''s'\n  b: [1, {c: \"x\\ty\"}]\n- |-\n  one\n\n  two\n- >\n  a b\n  c\n-\n";
    let value = Parser::read(text, 128).expect("YAML");
    assert!(Comparison::is_equal(text, &value));
    for at in 0..text.len() {
        let other = format!("{}~{}", &text[..at], &text[at..]);
        assert!(!Comparison::is_equal(&other, &value), "{other:?}");
        let other = format!("{}{}", &text[..at], &text[at + 1..]);
        let is_space = text[at..].starts_with([' ', '\n']);
        assert_eq!(Comparison::is_equal(&other, &value), is_space, "{other:?}");
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
    assert!(Parser::read(&nested(127), 128).is_some());
    assert!(Parser::read(&nested(128), 128).is_none());
}
