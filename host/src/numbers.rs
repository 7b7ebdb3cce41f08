//! Numbers as people read them.

/// `1234567` as `1,234,567`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number with a sign if it is negative.
pub fn signed(number: i64) -> String {
    let sign = if number < 0 { "−" } else { "" };
    format!("{sign}{}", grouped(number.unsigned_abs()))
}

/// A share: `54.1 %`.
pub fn percent(percent: Option<f64>) -> String {
    match percent {
        None => "–".to_owned(),
        // More was saved than the results had, in the lists of tools: there is nothing that this is a part of.
        Some(percent) if percent > 100.0 => "> 100 %".to_owned(),
        Some(percent) => format!("{percent:.1} %"),
    }
}

/// `1234567` as `1.2M`, for narrow columns.
pub fn short(number: f64) -> String {
    let sign = if number < 0.0 { "−" } else { "" };
    let number = number.abs();
    let units = [(1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "k")];
    // A number that would be rounded to 1000 of a unit is one of the next.
    let unit = units.into_iter().find(|(size, _)| number >= size * 0.9995);
    let (number, unit) = unit.map_or((number, ""), |(size, unit)| (number / size, unit));
    let text = format!("{number:.1}");
    format!("{sign}{}{unit}", text.strip_suffix(".0").unwrap_or(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_say_what_they_are() {
        let cases = [
            (0.0, "0"),
            (999.0, "999"),
            (1000.0, "1k"),
            (1_250.0, "1.2k"),
            (999_999.0, "1M"),
            (-2_500_000.0, "−2.5M"),
            (9.3e18, "9300000T"),
        ];
        for (number, text) in cases {
            assert_eq!(short(number), text, "{number}");
        }
        assert_eq!(grouped(u64::MAX), "18,446,744,073,709,551,615");
        assert_eq!(signed(i64::MIN), "−9,223,372,036,854,775,808");
        assert_eq!((signed(-1), signed(1_000)), ("−1".into(), "1,000".into()));
        assert_eq!(
            (percent(None), percent(Some(-3.25))),
            ("–".into(), "-3.2 %".into())
        );
        assert_eq!(
            (percent(Some(100.0)), percent(Some(10_523.0))),
            ("100.0 %".into(), "> 100 %".into())
        );
    }
}
