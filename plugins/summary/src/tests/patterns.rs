//! The patterns of lines against plain ones.

use super::*;
use proptest::prelude::*;

proptest! {
    #[test]
    fn lines_of_a_pattern_are_counted_with_the_first_and_the_last(kinds in prop::collection::vec(0usize..6, 0..40)) {
        let texts: Vec<String> = kinds.iter().enumerate().map(|(at, kind)| match kind {
            0 => String::new(),
            // Short lines share a pattern only if they are equal.
            1 => " 1".to_owned(),
            5 => "12".to_owned(),
            2 => format!("  step {at}"),
            3 => format!("stop {at}!"),
            _ => "abcd".to_owned(),
        }).collect();
        let bytes = texts.iter().map(String::len).sum();
        let lines = || texts.iter().map(String::as_str);
        let forms = Forms::of(lines(), texts.len());
        let found = Patterns::of((1..).zip(lines()), &forms, (texts.len(), bytes));
        let mut order: Vec<usize> = Vec::new();
        for kind in kinds.iter().filter(|kind| **kind > 0) {
            if !order.contains(kind) {
                order.push(*kind);
            }
        }
        prop_assert_eq!(found.all.len(), order.len());
        for (place, kind) in order.iter().enumerate() {
            let lines: Vec<usize> = (1..).zip(&kinds).filter(|(_, it)| *it == kind).map(|(at, _)| at).collect();
            let pattern = &found.all[place];
            prop_assert_eq!(pattern.count, lines.len());
            prop_assert_eq!(pattern.indented, if [1, 2].contains(kind) { lines.len() } else { 0 });
            prop_assert_eq!(pattern.is_short(), [1, 5].contains(kind));
            prop_assert_eq!(pattern.first, (lines[0], texts[lines[0] - 1].trim()));
            prop_assert_eq!(Some(&pattern.last), lines.last());
            for line in lines {
                prop_assert_eq!(found.of_line(line), Some(place));
            }
        }
        for (at, kind) in (1..).zip(&kinds) {
            prop_assert_eq!(*kind == 0, found.of_line(at).is_none());
        }
        prop_assert_eq!(found.of_line(kinds.len() + 1), None);
    }
}
