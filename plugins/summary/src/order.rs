//! The order of items by a number: the most frequent first.
//!
//! Owns one sort for all kinds of items, because each sort of the standard library takes 5 KB of code.

/// Sorts by a number, the least first. Equal items stay in their order.
pub fn least_first<T>(items: &mut Vec<T>, number: impl Fn(&T) -> i64) {
    let mut places: Vec<(i64, usize)> = Vec::with_capacity(items.len());
    for (place, item) in items.iter().enumerate() {
        places.push((number(item), place));
    }
    sort(&mut places);
    let mut unsorted: Vec<Option<T>> = items.drain(..).map(Some).collect();
    for (_, place) in places {
        items.extend(unsorted[place].take());
    }
}

/// Sorts by a number, the most first. Equal items stay in their order.
pub fn most_first<T>(items: &mut Vec<T>, number: impl Fn(&T) -> i64) {
    least_first(items, |item| -number(item));
}

#[inline(never)]
fn sort(places: &mut [(i64, usize)]) {
    places.sort_unstable();
}

#[cfg(test)]
mod tests {
    use super::{least_first, most_first};

    #[test]
    fn equal_items_stay_in_their_order() {
        let mut items: Vec<(u32, usize)> = (0..100).map(|i| (i * 7 % 5, i as usize)).collect();
        let mut expected = items.clone();
        expected.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
        most_first(&mut items, |(count, _)| i64::from(*count));
        assert_eq!(items, expected);
        expected.sort_by_key(|(count, _)| *count);
        least_first(&mut items, |(count, _)| i64::from(*count));
        assert_eq!(items, expected);
    }
}
