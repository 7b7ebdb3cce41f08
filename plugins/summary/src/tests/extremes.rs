//! The outer numbers, against a sort.

use super::*;
use proptest::prelude::*;

proptest! {
    #[test]
    fn the_smallest_and_largest_are_those_of_a_sort(values in prop::collection::vec(-4i32..4, 2..30)) {
        let mut extremes = Extremes::default();
        for (row, value) in (0..).zip(&values) {
            extremes.note(f64::from(*value), "", row);
        }
        // Of equal ones the first counts.
        let mut sorted: Vec<(i32, u32)> = values.iter().copied().zip(0..).collect();
        sorted.sort_by_key(|(value, _)| *value);
        let told = |ends: [Option<Extreme<'_>>; MOST + 1]| {
            let ends = ends.into_iter().flatten();
            ends.map(|it| (it.value as i32, it.row)).collect::<Vec<_>>()
        };
        let ends = sorted.len().min(MOST + 1);
        prop_assert_eq!(told(extremes.least), &sorted[..ends]);
        sorted.sort_by_key(|(value, row)| (-*value, *row));
        prop_assert_eq!(told(extremes.most), &sorted[..ends]);
    }

    #[test]
    fn what_stands_alone_is_outside_of_what_all_others_are(mut values in prop::collection::vec(0i32..100, 15..40), outer in 1i32..2_000, is_above: bool) {
        values.push(if is_above { 100 + outer } else { -outer });
        let at = values.len() as u32 - 1;
        let mut extremes = Extremes::default();
        for (row, value) in (0..).zip(&values) {
            extremes.note(f64::from(*value), "", row);
        }
        let others = &values[..at as usize];
        let (from, to) = (others.iter().min().unwrap(), others.iter().max().unwrap());
        let gap = if is_above { 100 + outer - to } else { from + outer };
        // The only number below zero stands alone.
        let expected = to > from && gap > 2 * (to - from) || !is_above;
        let ([first, last], alone) = extremes.range().unwrap();
        let is_alone = alone.iter().any(|it| it.row == at);
        prop_assert_eq!(is_alone, expected, "{:?}", values);
        if expected {
            prop_assert_eq!(alone.len(), 1);
            prop_assert_eq!((first.value as i32, last.value as i32), (*from, *to));
        }
    }
}
