//! The scale of a chart.

/// The range of a chart's numbers, and its marks. Zero is always in it.
pub(super) struct Axis {
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) ticks: Vec<f64>,
}

impl Axis {
    /// An axis of round numbers with about so many parts.
    pub(super) fn over(numbers: impl Iterator<Item = f64>, parts: u32) -> Axis {
        let (low, high) = numbers.fold((0.0_f64, 0.0_f64), |(low, high), number| {
            (low.min(number), high.max(number))
        });
        let step = step((high - low) / f64::from(parts));
        let (first, last) = ((low / step).floor(), (high / step).ceil().max(1.0));
        let mut ticks = Vec::new();
        let mut at = first;
        while at <= last {
            ticks.push(at * step);
            at += 1.0;
        }
        Axis {
            low: first * step,
            high: last * step,
            ticks,
        }
    }

    /// How long a bar of this number is, in per cent of the axis.
    pub(super) fn length(&self, number: f64) -> f64 {
        100.0 * number.abs() / (self.high - self.low)
    }

    /// The place of a number, in per cent from the low end.
    pub(super) fn place(&self, number: f64) -> f64 {
        100.0 * (number - self.low) / (self.high - self.low)
    }
}

/// The next larger of 1, 2, 5, 10, 20, 50 and so on: counts have no fractions.
fn step(least: f64) -> f64 {
    if least <= 1.0 {
        return 1.0;
    }
    let size = 10_f64.powf(least.log10().floor());
    let steps = [1.0, 2.0, 5.0].map(|part| part * size);
    let fitting = steps.into_iter().find(|step| *step >= least);
    fitting.unwrap_or(10.0 * size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_hold_every_number() {
        let axis = Axis::over([0.0, 2_050.0].into_iter(), 4);
        assert_eq!(axis.ticks, [0.0, 1_000.0, 2_000.0, 3_000.0]);
        let axis = Axis::over([-40.0, 130.0].into_iter(), 4);
        assert_eq!(axis.ticks, [-50.0, 0.0, 50.0, 100.0, 150.0]);
        assert_eq!((axis.place(-50.0), axis.place(150.0)), (0.0, 100.0));
        assert_eq!(axis.length(-50.0), 25.0);
        for none in [
            Axis::over(std::iter::empty(), 4),
            Axis::over([0.0].into_iter(), 4),
        ] {
            assert_eq!(none.ticks, [0.0, 1.0]);
        }
        let axis = Axis::over([u64::MAX as f64].into_iter(), 4);
        assert!(axis.high >= u64::MAX as f64 && axis.ticks.len() < 7);
    }
}
