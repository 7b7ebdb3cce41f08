//! Dates in other forms than `2026-11-20`.

use super::*;

/// The first and the last of some dates, and the number of impossible ones.
fn range<'t>(texts: &[&'t str]) -> Option<(&'t str, &'t str, u32)> {
    let mut written = Written::begin(texts[0], 0)?;
    for (row, text) in (1..).zip(&texts[1..]) {
        if !written.note(text, row) {
            return None;
        }
    }
    let (dates, impossible) = written.dates()?;
    let ([from, to], _) = dates.range()?;
    Some((from.text, to.text, impossible.count))
}

#[test]
fn dates_are_in_the_order_of_the_calendar() {
    for texts in [
        ["2 Feb 2026", "11 Jan 2026", "1 December 2026"],
        ["Feb 2, 2026", "Jan 11, 2026", "Dec 1, 2026"],
        ["02-Feb-2026", "11-Jan-2026", "01-Dec-2026"],
        [
            "Mon, 02 Feb 2026 10:00:00 +0100",
            "Mon, 02 Feb 2026 09:59:00 +0100",
            "Fri, 06 Feb 2026 00:00:00 +0100",
        ],
        [
            "Mon Feb 2 10:00:00 2026",
            "Mon Feb 2 09:59:00 2026",
            "Fri Feb 6 00:00:00 2026",
        ],
        [
            "Feb 2, 2026 12:10 PM",
            "Feb 2, 2026 12:30 AM",
            "Feb 2, 2026 1:00 PM",
        ],
        ["02/13/2026", "01/31/2026", "12/01/2026"],
        ["13/02/2026", "31/01/2026", "01/12/2026"],
        ["13.02.2026 10:00", "13.02.2026 09:30", "1.3.2026 08:00"],
    ] {
        assert_eq!(range(&texts), Some((texts[1], texts[2], 0)));
    }
}

#[test]
fn dates_in_doubt_have_no_range() {
    for texts in [
        // The day or the month.
        &["01/02/2026", "03/04/2026"][..],
        &["13/02/2026", "02/13/2026"],
        // Several zones, or forms.
        &[
            "Mon, 02 Feb 2026 10:00:00 +0100",
            "Mon, 02 Feb 2026 10:00:00 GMT",
        ],
        &["2 Feb 2026", "13/02/2026"],
        &["2 Feb 2026", "soon"],
        // No dates.
        &["1.2.3", "1.2.4"],
        &["1.13.2026.4"],
        &["May", "June"],
        &["2 men 2026"],
        &["12 Feb"],
        &["0 Feb 2026"],
        &["Feb 2026"],
        &["Feb 2, 2026 noon"],
        &["11/20/26"],
        &["ä 2 Feb 2026"],
        // Most are impossible.
        &["45 Feb 2026", "46 Feb 2026", "1 Feb 2026"],
    ] {
        assert_eq!(range(texts), None, "{texts:?}");
    }
}

#[test]
fn days_that_no_month_has_are_impossible() {
    for (date, expected) in [
        ("2026-02-28", false),
        ("2026-02-29", true),
        ("2024-02-29", false),
        ("1900-02-29", true),
        ("2000-02-29", false),
        ("2026-04-31", true),
        ("2026-12-31T10:00:00Z", false),
        ("2026-12-32", true),
        ("2026-13-01", true),
        ("2026-00-10", true),
        ("2026-01-00", true),
        ("0000-00-00 00:00:00", true),
        ("9999-12-31", false),
    ] {
        assert_eq!(is_impossible(date), expected, "{date}");
    }
    let mut texts = vec!["2 Feb 2026"; 30];
    texts.extend(["30 Feb 2026", "3 Mar 2026"]);
    assert_eq!(range(&texts), Some(("2 Feb 2026", "3 Mar 2026", 1)));
}
