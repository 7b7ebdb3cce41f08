//! Divides a limit among groups, so that a large group does not displace the others.

/// The number of elements that each group keeps. A group smaller than an even share keeps everything, and the others
/// share the rest. The first of these get the remainder.
pub fn fair(sizes: &[usize], limit: usize) -> Vec<usize> {
    let mut shares = sizes.to_vec();
    let mut left = limit;
    let mut open: Vec<usize> = (0..sizes.len()).collect();
    while !open.is_empty() {
        let even = left / open.len();
        let small: usize = open
            .iter()
            .map(|group| sizes[*group])
            .filter(|size| *size <= even)
            .sum();
        let before = open.len();
        open.retain(|group| sizes[*group] > even);
        if open.len() == before {
            let more = left - even * open.len();
            for (place, group) in open.iter().enumerate() {
                shares[*group] = even + usize::from(place < more);
            }
            break;
        }
        left -= small;
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_small_group_stays_whole() {
        assert_eq!(fair(&[212, 64, 18], 50), [17, 17, 16]);
        assert_eq!(fair(&[212, 64, 3], 50), [24, 23, 3]);
        assert_eq!(fair(&[212, 1, 3], 50), [46, 1, 3]);
        assert_eq!(fair(&[10, 20, 20], 50), [10, 20, 20]);
        assert_eq!(fair(&[5, 5], 1), [1, 0]);
        assert_eq!(fair(&[5, 0], 0), [0, 0]);
        assert_eq!(fair(&[], 50), [0; 0]);
    }

    proptest! {
        #[test]
        fn shares_add_up_and_are_fair(sizes in prop::collection::vec(0usize..40, 0..8), limit in 0usize..120) {
            let shares = fair(&sizes, limit);
            let all: usize = sizes.iter().sum();
            prop_assert_eq!(shares.iter().sum::<usize>(), limit.min(all));
            for (size, share) in sizes.iter().zip(&shares) {
                prop_assert!(share <= size);
                // Every group that was cut has as much as any other, except for one element.
                if share < size {
                    prop_assert!(shares.iter().all(|other| *other <= share + 1));
                }
            }
        }
    }
}
