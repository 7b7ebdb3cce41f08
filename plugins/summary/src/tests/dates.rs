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
        [
            "13.02.2026 10:00:00.5",
            "13.02.2026 10:00:00.25",
            "13.02.2026 10:00:01",
        ],
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
        // The only date that is not two may be a mistake.
        &[
            &["01/01/2026", "02/02/2026", "03/04/2026", "12/11/2026"].repeat(9)[..],
            &["13/05/2026"],
        ]
        .concat(),
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
fn impossible_dates_do_not_hide_the_order_of_day_and_month() {
    for (day, odd) in [("13.01.2026", "31.04.2026"), ("01/13/2026", "04/31/2026")] {
        let both = "05.05.2026".replace('.', &day[2..3]);
        let mut texts = [day, &both].repeat(20);
        texts.push(odd);
        assert_eq!(range(&texts), Some((day, texts[1], 1)));
    }
}

#[test]
fn zones_are_compared_by_the_instant() {
    let note = |texts: &[&'static str]| {
        let mut span = Span::default();
        let seconds: Vec<f64> = texts.iter().map(|text| span.note(text)).collect();
        (seconds, span.are_several, span.ends())
    };
    let (seconds, ..) = note(&[
        "2024-04-30T17:00:00Z",
        "2024-05-01T02:00:00+09:00",
        "2024-05-01 02:00:00.000 +0900",
        "2024-05-01 2:00:00 AM +0900",
        "2024-04-30T12:00-05",
        "2024-04-30 17:00:00 UTC",
    ]);
    assert!(seconds.iter().all(|it| *it == seconds[0]), "{seconds:?}");
    for (from, to, days) in [
        ("2024-02-28", "2024-03-01", 2.0),
        ("2023-02-28", "2023-03-01", 1.0),
        ("1999-12-31", "2001-01-01", 367.0),
        ("2024-04-30T23:00:00Z", "2024-05-01T23:00:00Z", 1.0),
    ] {
        let (seconds, ..) = note(&[from, to]);
        assert_eq!(seconds[1] - seconds[0], days * 86_400.0);
    }
    for (texts, several, unknown) in [
        // Words of a line.
        (
            [
                "2024-05-01T10:00:00 one line",
                "2024-05-01T10:00:00 of words",
            ],
            false,
            false,
        ),
        (
            ["2024-05-01 10:00:00 AM", "2024-05-01 10:00:00 PM"],
            false,
            false,
        ),
        (
            ["2024-05-01 10:00:00 AM", "2024-05-01 10:00:00 AMT"],
            true,
            true,
        ),
        (
            ["2024-05-01T10:00:00Z", "2024-05-01T10:00:01.5Z"],
            false,
            false,
        ),
        (["2024-05-01T10:00:00", "2024-05-01T10:00"], false, false),
        (["2024-05-01", "2024-05-01T10:00:00Z"], false, false),
        (
            ["2024-05-01T10:00:00 CET", "2024-05-01T10:00:00 CET"],
            false,
            false,
        ),
        (
            ["2024-05-01T10:00:00+01:00", "2024-05-01T10:00:00+02:00"],
            true,
            false,
        ),
        (["2024-05-01T10:00:00Z", "2024-05-01T10:00:00"], true, true),
        (
            ["2024-05-01T10:00:00 CET", "2024-05-01T10:00:00 CEST"],
            true,
            true,
        ),
        // What follows is no time.
        (["2024-05-01 - 0:03", "2024-05-01 - 10:00"], false, true),
    ] {
        let (_, are_several, ends) = note(&texts);
        assert_eq!(
            (are_several, ends.is_none()),
            (several, unknown),
            "{texts:?}"
        );
    }
    for texts in [
        ["2024-05-01T10:00:00Z", "2024-05-01T10:00:00.5Z"],
        ["2024-05-01T10:00:00.000001Z", "2024-05-01T10:00:00.000002Z"],
        ["2024-05-01 10:00:00,25", "2024-05-01 10:00:00,5"],
        ["2024-05-01 9:59:00", "2024-05-01 10:00:00"],
        ["2024-05-01 12:07:00 AM", "2024-05-01 1:01:00 am"],
        ["2024-05-01 11:59:00 AM", "2024-05-01 12:00:00 PM"],
        ["2024-05-01, 12:07:00 a.m.", "2024-05-01, 01:01:00 a.m."],
        ["2024-05-01  12:07:00\u{202f}p.m.", "2024-05-01  1:01:00PM"],
        ["2024-05-01_9:59", "2024-05-01_10:00"],
        ["2024-05-01T09", "2024-05-01T10:30"],
        ["2024-05-01T01:00:00+02:00", "2024-05-01T00:00:00Z"],
        ["2024-05-01", "2024-05-01T00:00:01Z"],
    ] {
        assert_eq!(note(&texts).2, Some(texts));
        assert_eq!(note(&[texts[1], texts[0]]).2, Some(texts));
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

#[test]
fn dates_of_lines_have_the_ends_of_all() {
    let dates = |seed: u64| {
        let mut state = seed * 2 + 1;
        let mut next = move |most: u64| {
            state = state.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (state >> 29);
            (state >> 33) % most
        };
        let (form, other) = (next(7), next(7));
        let date = |at: u64| {
            let (day, hour, minute, second) = (next(2) + 1, next(24), next(60), next(3));
            let zone = ["Z", "+01:00", "-09:00"][next(3) as usize];
            let half = ["AM", "PM"][hour as usize / 12];
            let date = format!("2026-11-{day:02}");
            let time = format!("{minute:02}:{second:02}");
            match if at % 9 == 4 { other } else { form } {
                0 => format!("{date}T{hour:02}:{time}Z"),
                1 => format!("{date}T{hour:02}:{time}.{}{zone}", next(9)),
                2 => format!("{date} {hour}:{time}"),
                3 => format!("{date} {:02}:{time}.5 {half}", hour % 12 + 1),
                4 => format!("{date} {hour:02}:{time}"),
                5 => format!("{date}T{hour:02}:{time}.{:03}Z", next(1000)),
                _ => format!("{date} {hour:02}:{time},{:03}", next(1000)),
            }
        };
        (0..20).map(date).collect::<Vec<String>>()
    };
    for seed in 0..4000 {
        let dates = dates(seed);
        let (mut all, mut lines) = (Span::default(), Span::default());
        for date in &dates {
            all.note(date);
            lines.note_line(date);
        }
        lines.settle();
        assert_eq!(lines.ends(), all.ends(), "{dates:?}");
    }
}
