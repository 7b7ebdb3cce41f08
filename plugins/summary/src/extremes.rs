//! The smallest and the largest numbers of a column, and outliers.
//!
//! Owns the definition of an outlier. Refuses to know its wording.

/// Fewer numbers than this have no outlier.
const LEAST: u32 = 16;
/// An outlier's distance to the next number is this many times the spread of all others.
const ALONE: f64 = 4.0;
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

/// The two smallest and the two largest numbers, the outermost first.
#[derive(Default)]
pub struct Extremes<'d> {
    count: u32,
    least: Option<[Extreme<'d>; 2]>,
    most: Option<[Extreme<'d>; 2]>,
}

impl<'d> Extremes<'d> {
    pub fn note(&mut self, value: f64, text: &'d str, row: u32) {
        let new = Extreme { value, text, row };
        self.count += 1;
        let (Some(least), Some(most)) = (&mut self.least, &mut self.most) else {
            (self.least, self.most) = (Some([new; 2]), Some([new; 2]));
            return;
        };
        if self.count == 2 {
            (least[1], most[1]) = (new, new);
            if new.is_less(&least[0]) {
                least.swap(0, 1);
            }
            if most[0].is_less(&new) {
                most.swap(0, 1);
            }
            return;
        }
        if value >= least[1].value && value <= most[1].value && value.abs() < INEXACT {
            return;
        }
        if new.is_less(&least[0]) {
            *least = [new, least[0]];
        } else if new.is_less(&least[1]) {
            least[1] = new;
        }
        if most[0].is_less(&new) {
            *most = [new, most[0]];
        } else if most[1].is_less(&new) {
            most[1] = new;
        }
    }

    /// The number of numbers.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// The smallest and the largest number without outliers, and the outliers.
    pub fn range(&self) -> Option<([Extreme<'d>; 2], Vec<Extreme<'d>>)> {
        let (least, most) = (self.least?, self.most?);
        let mut alone = Vec::new();
        let (mut from, mut to) = (least[0], most[0]);
        if self.count >= LEAST {
            let is_far = |gap: f64, spread: f64| spread > 0.0 && gap > ALONE * spread;
            let is_below = is_far(
                least[1].value - least[0].value,
                most[0].value - least[1].value,
            ) || (least[0].value < 0.0 && least[1].value >= 0.0);
            let is_above = is_far(
                most[0].value - most[1].value,
                most[1].value - least[0].value,
            );
            if is_below {
                alone.push(least[0]);
                from = least[1];
            }
            if is_above {
                alone.push(most[0]);
                to = most[1];
            }
        }
        Some(([from, to], alone))
    }
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
    fn a_number_far_from_all_others_stands_alone() {
        let mut values: Vec<i32> = (0..50).map(|i| 10 + i * 7 % 40).collect();
        assert_eq!(told(&values), ("10..49".to_owned(), vec![]));
        values[17] = 1_000_000;
        assert_eq!(told(&values).1, [("1000000".to_owned(), 17)]);
        values[17] = -3;
        assert_eq!(told(&values).1, [("-3".to_owned(), 17)]);
        values[18] = -4;
        assert_eq!(told(&values), ("-4..48".to_owned(), vec![]));
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
