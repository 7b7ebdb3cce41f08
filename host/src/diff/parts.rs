//! The parts that two texts have in common, and those that differ: lines, or words.
//!
//! Owns how texts are taken apart, and the time for it. One kind of parts and one algorithm, since the library is in the program
//! once for each.

use similar::algorithms::{Capture, Compact, Replace, patience};
use similar::{DiffOp, diff_ratio, group_diff_ops};
use std::time::{Duration, Instant};

/// Looking for the shortest difference is quadratic: after that, any will do.
const PATIENCE: Duration = Duration::from_secs(1);

/// Two texts in parts, compared.
pub(crate) struct Parts<'t> {
    old: Vec<&'t str>,
    new: Vec<&'t str>,
    operations: Vec<DiffOp>,
}

impl<'t> Parts<'t> {
    /// Compares texts line by line. Lines have their ends.
    pub(crate) fn lines(old: &'t str, new: &'t str) -> Parts<'t> {
        Parts::of(
            old.split_inclusive('\n').collect(),
            new.split_inclusive('\n').collect(),
        )
    }

    /// Compares texts by their words and the blanks between them.
    pub(crate) fn words(old: &'t str, new: &'t str) -> Parts<'t> {
        Parts::of(words(old), words(new))
    }

    fn of(old: Vec<&'t str>, new: Vec<&'t str>) -> Parts<'t> {
        let mut found = Compact::new(Replace::new(Capture::new()), &old[..], &new[..]);
        let end = Some(Instant::now() + PATIENCE);
        let (of_old, of_new) = (0..old.len(), 0..new.len());
        let done = patience::diff_deadline(&mut found, &old[..], of_old, &new[..], of_new, end);
        let operations = match done {
            Ok(()) => found.into_inner().into_inner().into_ops(),
            Err(never) => match never {},
        };
        Parts {
            old,
            new,
            operations,
        }
    }

    /// All operations, in order.
    pub(crate) fn operations(&self) -> &[DiffOp] {
        &self.operations
    }

    /// What differs, each with up to `context` equal parts around it.
    pub(crate) fn groups(&self, context: usize) -> Vec<Vec<DiffOp>> {
        group_diff_ops(self.operations.clone(), context)
    }

    /// The parts of an operation: the old ones and the new ones.
    pub(crate) fn of_operation(&self, operation: &DiffOp) -> (&[&'t str], &[&'t str]) {
        (
            &self.old[operation.old_range()],
            &self.new[operation.new_range()],
        )
    }

    /// The share of the parts that are equal, up to 1.
    pub(crate) fn ratio(&self) -> f32 {
        diff_ratio(&self.operations, self.old.len(), self.new.len())
    }
}

fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_other = |c: char| c.is_whitespace() != first.is_whitespace();
        let (word, after) = rest.split_at(rest.find(is_other).unwrap_or(rest.len()));
        words.push(word);
        rest = after;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_blanks_are_parts() {
        assert_eq!(words(" a  bc\td"), [" ", "a", "  ", "bc", "\t", "d"]);
        assert_eq!(words(""), [""; 0]);
        let parts = Parts::words("a b c", "a x c");
        let changed: Vec<_> = parts
            .operations()
            .iter()
            .map(|it| parts.of_operation(it))
            .filter(|(old, new)| old != new)
            .collect();
        assert_eq!(changed, [(&["b"][..], &["x"][..])]);
        assert!((parts.ratio() - 0.8).abs() < 0.01);
    }

    #[test]
    fn what_has_nothing_in_common_is_compared_in_time() {
        let text = |sign: char| {
            (0..200_000)
                .map(|at| format!("{sign}{at}\n"))
                .collect::<String>()
        };
        let (old, new) = (text('a'), text('b'));
        let begun = Instant::now();
        let parts = Parts::lines(&old, &new);
        assert!(parts.ratio() < 0.01);
        assert!(begun.elapsed() < 20 * PATIENCE);
    }
}
