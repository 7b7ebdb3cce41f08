//! Counts against a map of all.

use super::*;
use proptest::prelude::*;
use std::collections::BTreeMap;

proptest! {
    #[test]
    fn things_are_counted_as_a_map_counts_them(things in prop::collection::vec(0u8..5, 0..40)) {
        let names: Vec<String> = things.iter().map(|thing| format!("t{thing}")).collect();
        let mut counts = Counts::new();
        let mut all: BTreeMap<&str, u32> = BTreeMap::new();
        for name in &names {
            counts.add(name);
            *all.entry(name).or_default() += 1;
        }
        prop_assert_eq!(counts.len(), Ok(all.len()));
        prop_assert_eq!(counts.total(), names.len() as u32);
        let sorted = counts.sorted();
        prop_assert!(sorted.is_sorted_by_key(|(_, count)| std::cmp::Reverse(*count)));
        prop_assert_eq!(sorted.into_iter().collect::<BTreeMap<_, _>>(), all);
    }
}

#[test]
fn those_that_come_too_late_are_only_counted() {
    let names: Vec<String> = (0..COUNTED + 3).map(|at| at.to_string()).collect();
    let mut counts = Counts::new();
    for name in &names[..COUNTED] {
        counts.add(name);
    }
    assert_eq!(counts.len(), Ok(COUNTED));
    for name in &names {
        counts.add(name);
    }
    assert_eq!(counts.len(), Err(COUNTED));
    assert_eq!(counts.total() as usize, 2 * COUNTED + 3);
    assert_eq!(counts.items.last(), Some(&(names[COUNTED - 1].as_str(), 2)));
}
