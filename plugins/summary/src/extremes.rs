//! The smallest and the largest numbers of a column, and outliers.
//!
//! Owns the definition of an outlier. Refuses to know its wording.

/// Each outlier needs at least so many numbers.
const LEAST: u32 = 16;
/// Most outliers on each side.
const MOST: usize = 3;
/// An outlier's distance to the next number is so many times the spread of all others.
const ALONE: f64 = 2.0;
/// The only 0 stands alone if all other numbers are at least so large.
const LARGE: f64 = 100.0;
/// From here on, whole numbers next to each other may have one `f64`: 2^53.
const INEXACT: f64 = 9_007_199_254_740_992.0;

#[derive(Clone, Copy)]
pub struct Extreme<'d> {
    value: f64,
    /// As the document spells it.
    pub text: &'d str,
    pub row: u32,
}

impl Extreme<'_> {
    #[inline]
    fn is_less(&self, other: &Extreme<'_>) -> bool {
        self.value < other.value
            || self.value == other.value
                && self.value.abs() >= INEXACT
                && is_less_whole(self.text, other.text)
    }
}

/// Whether a whole number is less than another, digit by digit. False if one of them has more than digits.
fn is_less_whole(one: &str, other: &str) -> bool {
    /// Whether a number is positive, and its digits.
    fn parts(text: &str) -> (bool, &[u8]) {
        let text = text.trim_matches('"');
        let digits = text.strip_prefix('-').unwrap_or(text);
        (digits.len() == text.len(), digits.as_bytes())
    }
    let ((is_positive, one), (_, other)) = (parts(one), parts(other));
    let is_whole = |digits: &[u8]| digits.iter().all(u8::is_ascii_digit);
    // Numbers of one `f64` have one sign.
    let (less, more) = if is_positive {
        (one, other)
    } else {
        (other, one)
    };
    is_whole(one) && is_whole(other) && (less.len(), less) < (more.len(), more)
}

/// The smallest and the largest numbers, the outermost first: one more than may be outliers.
#[derive(Default)]
pub struct Extremes<'d> {
    count: u32,
    least: [Option<Extreme<'d>>; MOST + 1],
    most: [Option<Extreme<'d>>; MOST + 1],
}

impl<'d> Extremes<'d> {
    /// Counts a number that is none of the ends. False, if it may be one and has to be noted.
    #[inline]
    pub fn counts(&mut self, value: f64) -> bool {
        let (least, most) = (&self.least[MOST], &self.most[MOST]);
        let is_inside = value.abs() < INEXACT
            && least.as_ref().is_some_and(|least| least.value <= value)
            && most.as_ref().is_some_and(|most| value <= most.value);
        self.count += u32::from(is_inside);
        is_inside
    }

    pub fn note(&mut self, value: f64, text: &'d str, row: u32) {
        // Few of many numbers are ends.
        if !self.counts(value) {
            self.add(value, text, row);
        }
    }

    /// The same of a number that [`Extremes::counts`] has not counted.
    pub fn add(&mut self, value: f64, text: &'d str, row: u32) {
        let new = Extreme { value, text, row };
        self.count += 1;
        insert(&mut self.least, new, |new, old| new.is_less(old));
        insert(&mut self.most, new, |new, old| old.is_less(new));
    }

    /// The number of numbers.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// The texts of the outer numbers.
    pub fn texts(&self) -> impl Iterator<Item = &'d str> {
        let outer = self.least.iter().chain(&self.most);
        outer.flatten().map(|outer| outer.text)
    }

    /// The smallest and the largest number without outliers, and the outliers.
    pub fn range(&self) -> Option<([Extreme<'d>; 2], Vec<Extreme<'d>>)> {
        self.range_with(LEAST)
    }

    /// The same, if each outlier needs at least so many numbers.
    pub fn range_with(&self, needed: u32) -> Option<([Extreme<'d>; 2], Vec<Extreme<'d>>)> {
        let first = self.next_alone(0, 0, needed).unwrap_or((0, 0));
        let (mut below, mut above) = first;
        while let Some((more_below, more_above)) = self.next_alone(below, above, needed) {
            (below, above) = (below + more_below, above + more_above);
            // If there is always one more, the numbers are spread out.
            if below == MOST || above == MOST {
                (below, above) = first;
                break;
            }
        }
        let ends = [self.least[below]?, self.most[above]?];
        let alone = self.least[..below].iter().chain(&self.most[..above]);
        Some((ends, alone.flatten().copied().collect()))
    }

    /// Takes the numbers that equal the largest one out of a range, as outliers, if they are few.
    #[inline(never)]
    pub fn split_most(&self, to: &mut Extreme<'d>, alone: &mut Vec<Extreme<'d>>) {
        let most = to.text;
        let next = self.most.iter().flatten().position(|it| it.text != most);
        let Some(count) = next.filter(|_| alone.is_empty()) else {
            return;
        };
        for (at, one) in self.most.iter().flatten().enumerate() {
            if at == count {
                *to = *one;
                return;
            }
            alone.push(*one);
        }
    }

    /// How many more numbers are outliers at either end, beyond `below` and `above`: the fewest.
    fn next_alone(&self, below: usize, above: usize, needed: u32) -> Option<(usize, usize)> {
        for more in 1..=MOST {
            if self.count < needed * (below + above + more) as u32 {
                return None;
            }
            if self.are_below(below, below + more, above) {
                return Some((more, 0));
            }
            if self.are_above(above, above + more, below) {
                return Some((0, more));
            }
        }
        let are_many = self.count >= needed * (below + above + 2) as u32;
        (are_many && self.is_one_on_each_side(below, above)).then_some((1, 1))
    }

    /// Whether the next numbers at both ends are outliers together: each hides the other.
    fn is_one_on_each_side(&self, below: usize, above: usize) -> bool {
        let least = [below, below + 1].map(|at| place_of(&self.least, at));
        let most = [above, above + 1].map(|at| place_of(&self.most, at));
        let ([Some(first), Some(from)], [Some(last), Some(to)]) = (least, most) else {
            return false;
        };
        let spread = to.value - from.value;
        is_far(from.value - first.value, spread) && is_far(last.value - to.value, spread)
    }

    /// Whether the smallest numbers up to `to` are outliers; those up to `from` are.
    fn are_below(&self, from: usize, to: usize, above: usize) -> bool {
        let (inner, outer) = (place_of(&self.least, to), place_of(&self.least, to - 1));
        let (Some(inner), Some(outer), Some(end)) = (inner, outer, place_of(&self.most, above))
        else {
            return false;
        };
        let is_first = from == 0 && to == 1;
        let is_only_negative = is_first && outer.value < 0.0 && inner.value >= 0.0;
        let is_only_zero = is_first && outer.value == 0.0 && is_far_from_zero(inner, &self.least);
        is_only_negative
            || is_only_zero
            || is_far(inner.value - outer.value, end.value - inner.value)
    }

    /// Whether the largest numbers up to `to` are outliers; those up to `from` are.
    fn are_above(&self, from: usize, to: usize, below: usize) -> bool {
        let (inner, outer) = (place_of(&self.most, to), place_of(&self.most, to - 1));
        let (Some(inner), Some(outer), Some(end)) = (inner, outer, place_of(&self.least, below))
        else {
            return false;
        };
        let is_first = from == 0 && to == 1;
        let is_only_zero = is_first && outer.value == 0.0 && is_far_from_zero(inner, &self.most);
        is_only_zero || is_far(outer.value - inner.value, inner.value - end.value)
    }
}

/// Whether the number next to 0 is so large that 0 is none of them: the one empty file among large ones. The next numbers
/// of a counter are as far from each other.
fn is_far_from_zero(inner: Extreme<'_>, ends: &[Option<Extreme<'_>>]) -> bool {
    let size = inner.value.abs();
    let next = place_of(ends, MOST);
    size >= LARGE && next.is_some_and(|next| (next.value - inner.value).abs() <= size)
}

/// The end at a place, if there are so many numbers.
fn place_of<'d>(ends: &[Option<Extreme<'d>>], place: usize) -> Option<Extreme<'d>> {
    ends.get(place).copied().flatten()
}

/// Whether a number is so far from the next one, by the spread of all others.
fn is_far(gap: f64, spread: f64) -> bool {
    spread > 0.0 && gap > ALONE * spread
}

/// Inserts a number before those that it comes before; the last is dropped.
#[inline]
fn insert<'d>(
    ends: &mut [Option<Extreme<'d>>; MOST + 1],
    new: Extreme<'d>,
    is_before: impl Fn(&Extreme<'d>, &Extreme<'d>) -> bool,
) {
    let comes_before =
        |old: &Option<Extreme<'d>>| old.as_ref().is_none_or(|old| is_before(&new, old));
    let Some(place) = ends.iter().position(comes_before) else {
        return;
    };
    for at in (place..MOST).rev() {
        ends[at + 1] = ends[at];
    }
    ends[place] = Some(new);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(values: &[i32]) -> (String, Vec<(String, u32)>) {
        let texts: Vec<String> = values.iter().map(ToString::to_string).collect();
        let mut extremes = Extremes::default();
        for (row, (value, text)) in (0..).zip(values.iter().zip(&texts)) {
            extremes.note(f64::from(*value), text, row);
        }
        let ([from, to], alone) = extremes.range().expect("there are numbers");
        let alone = alone
            .iter()
            .map(|it| (it.text.to_owned(), it.row))
            .collect();
        (format!("{}..{}", from.text, to.text), alone)
    }

    #[test]
    fn a_value_of_a_laboratory_far_outside_of_the_others_stands_alone() {
        let mut values: Vec<i32> = (0..50).map(|i| 36 + i * 7 % 11).collect();
        values[38] = 69;
        let alone = vec![("69".to_owned(), 38)];
        assert_eq!(told(&values), ("36..46".to_owned(), alone));
        values[38] = 60;
        assert_eq!(told(&values), ("36..60".to_owned(), vec![]));
    }

    #[test]
    fn a_number_far_from_all_others_stands_alone() {
        let mut values: Vec<i32> = (0..50).map(|i| 10 + i * 7 % 40).collect();
        assert_eq!(told(&values), ("10..49".to_owned(), vec![]));
        values[17] = 1_000_000;
        assert_eq!(told(&values).1, [("1000000".to_owned(), 17)]);
        values[40] = 1_000_001;
        let two = [("1000001".to_owned(), 40), ("1000000".to_owned(), 17)];
        assert_eq!(told(&values), ("10..48".to_owned(), two.to_vec()));
        values[40] = -1_000_000;
        let two = [("-1000000".to_owned(), 40), ("1000000".to_owned(), 17)];
        assert_eq!(told(&values), ("10..48".to_owned(), two.to_vec()));
        (values[17], values[40]) = (500, -440);
        let two = [("-440".to_owned(), 40), ("500".to_owned(), 17)];
        assert_eq!(told(&values), ("10..48".to_owned(), two.to_vec()));
        (values[17], values[40]) = (-3, 10);
        assert_eq!(told(&values).1, [("-3".to_owned(), 17)]);
        values[18] = -4;
        assert_eq!(told(&values), ("-4..48".to_owned(), vec![]));
    }

    #[test]
    fn the_only_zero_among_large_numbers_stands_alone() {
        let mut values: Vec<i32> = (0..50).map(|i| 9_000 + i * 731 % 40_000).collect();
        values[17] = 0;
        assert_eq!(told(&values).1, [("0".to_owned(), 17)]);
        let below: Vec<i32> = values.iter().map(|value| -value).collect();
        assert_eq!(told(&below).1, [("0".to_owned(), 17)]);
        values[18] = 99;
        assert!(told(&values).1.is_empty());
        (values[17], values[18]) = (0, 0);
        assert!(told(&values).1.is_empty());
        // A counter begins with 0.
        let counter: Vec<i32> = (0..50).map(|i| i * i * 100).collect();
        assert!(told(&counter).1.is_empty());
    }

    #[test]
    fn whole_numbers_are_compared_by_all_their_digits() {
        for (sign, smallest, largest) in [("", "000", "499"), ("-", "499", "000")] {
            let text = |at: u32| format!("\"{sign}1790000000000000{at:03}\"");
            let texts: Vec<String> = (0..500).map(|at| text(at * 7 % 500)).collect();
            let mut extremes = Extremes::default();
            for (row, text) in (0..).zip(&texts) {
                let value = text.trim_matches('"').parse().expect("a number");
                extremes.note(value, text, row);
            }
            let ([from, to], alone) = extremes.range().expect("there are numbers");
            let all = |end: &str| format!("\"{sign}1790000000000000{end}\"");
            assert_eq!((from.text, to.text), (&*all(smallest), &*all(largest)));
            assert!(alone.is_empty());
        }
    }

    #[test]
    fn few_numbers_and_numbers_that_are_alike_do_not() {
        assert_eq!(told(&[1, 2, 900]), ("1..900".to_owned(), vec![]));
        assert_eq!(told(&[5, 3]), ("3..5".to_owned(), vec![]));
        assert_eq!(told(&[5]), ("5..5".to_owned(), vec![]));
        assert_eq!(told(&[7; 30]), ("7..7".to_owned(), vec![]));
    }
}

#[cfg(test)]
#[path = "tests/extremes.rs"]
mod outer;
