//! Triggers: literals of which at least one occurs in any text that a filter has work on.
//!
//! Owns the search, prepared once, when the filter is loaded. Refuses to know which filter asks.

use memchr::memmem::Finder;

/// A filter's triggers, ready to be looked for. The default has none, which is always.
#[derive(Debug, Clone, Default)]
pub struct Triggers(Vec<Finder<'static>>);

impl Triggers {
    /// Prepares the search. No literal, or an empty one among them, means always.
    pub fn new(literals: Vec<String>) -> Triggers {
        if literals.iter().any(String::is_empty) {
            return Triggers::default();
        }
        Triggers(
            literals
                .iter()
                .map(|literal| Finder::new(literal).into_owned())
                .collect(),
        )
    }

    /// True if one of the literals occurs, byte by byte, or if there are none.
    pub fn occur_in(&self, text: &str) -> bool {
        self.0.is_empty()
            || self
                .0
                .iter()
                .any(|finder| finder.find(text.as_bytes()).is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::Triggers;

    #[track_caller]
    fn check(literals: &[&str], text: &str, expected: bool) {
        let triggers = Triggers::new(literals.iter().map(ToString::to_string).collect());
        assert_eq!(
            triggers.occur_in(text),
            expected,
            "{literals:?} in {text:?}"
        );
    }

    #[test]
    fn one_of_several_is_enough() {
        check(&["null", "[]"], r#"{"a":[]}"#, true);
        check(&["null", "[]"], r#"{"a":null}"#, true);
        check(&["null", "[]"], r#"{"a":[ ]}"#, false);
        check(&["é"], "caf\u{e9}", true);
        check(&["\\u00e9"], "caf\u{e9}", false);
        check(&["longer than the text"], "the text", false);
    }

    #[test]
    fn none_and_the_empty_one_mean_always() {
        check(&[], "", true);
        check(&[], "anything", true);
        check(&["absent", ""], "anything", true);
        check(&[""], "", true);
    }
}
