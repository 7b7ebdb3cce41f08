//! Name patterns of operators: `*` matches any run of characters.

/// A name, or a pattern with `*` in it, such as `_log_*`.
///
/// # Examples
///
/// ```
/// use tamis_sdk::Glob;
///
/// let links = Glob::new("*_url");
/// assert!(links.matches("avatar_url"));
/// assert!(!links.matches("url"));
/// assert!(Glob::new("id").matches("id"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glob {
    pattern: String,
    is_literal: bool,
}

impl Glob {
    /// Takes a pattern. Every pattern is allowed.
    ///
    /// [Example](Glob#examples).
    pub fn new(pattern: &str) -> Self {
        Glob {
            pattern: pattern.to_owned(),
            is_literal: !pattern.contains('*'),
        }
    }

    /// Whether the pattern matches a name.
    ///
    /// [Example](Glob#examples).
    pub fn matches(&self, name: &str) -> bool {
        if self.is_literal {
            return self.pattern == name;
        }
        let (pattern, name) = (self.pattern.as_bytes(), name.as_bytes());
        let (mut p, mut n) = (0, 0);
        // The position of the last star, and the end of the run that it matches. If the rest does not fit, the star
        // takes one byte more.
        let mut star: Option<(usize, usize)> = None;
        while n < name.len() {
            if pattern.get(p) == Some(&b'*') {
                star = Some((p, n));
                p += 1;
            } else if pattern.get(p) == Some(&name[n]) {
                p += 1;
                n += 1;
            } else if let Some((at, reach)) = star {
                star = Some((at, reach + 1));
                p = at + 1;
                n = reach + 1;
            } else {
                return false;
            }
        }
        pattern[p..].iter().all(|byte| *byte == b'*')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_is_any_run_of_characters() {
        for (pattern, name, expected) in [
            ("_log_*", "_log_17_apply", true),
            ("_log_*", "_log_", true),
            ("_log_*", "my_log_1", false),
            ("*", "", true),
            ("*", "é🦀", true),
            ("a*b*c", "a--b-b--c", true),
            ("a*b*c", "a--b-b--", false),
            ("a*", "", false),
            ("**x", "zx", true),
            ("name", "name", true),
            ("name", "names", false),
            ("", "", true),
            ("", "a", false),
        ] {
            assert_eq!(
                Glob::new(pattern).matches(name),
                expected,
                "{pattern} {name}"
            );
        }
    }
}
