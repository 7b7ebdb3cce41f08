//! Levels and times in a line, and the description of a log.

use super::*;

#[test]
fn levels_are_in_capitals_or_marked() {
    for (line, name) in [
        ("INFO a", "INFO"),
        ("a WARN b", "WARN"),
        ("[error] a", "ERROR"),
        ("level=debug", "DEBUG"),
        ("\"level\":\"trace\"", "TRACE"),
        ("<Notice> a", "NOTICE"),
        ("(severe)", "SEVERE"),
        ("a EMERGENCY", "EMERGENCY"),
        ("INFO ERROR", "INFO"),
        ("WARNING: x", "WARNING"),
        ("x FATAL", "FATAL"),
        ("[critical]", "CRITICAL"),
    ] {
        assert_eq!(level(line).map(|at| LEVELS[at]), Some(name), "{line}");
    }
    for line in [
        "",
        "info a",
        "Error a",
        "INFOS",
        "AN INFORMATION",
        "ERR",
        "INFO_1",
        "a.error b",
        "x=infos",
    ] {
        assert_eq!(level(line), None, "{line}");
    }
    let after = |bytes: usize| format!("{}INFO", " ".repeat(bytes));
    assert!(level(&after(119)).is_some() && level(&after(120)).is_none());
    // A word is read to its end, and a time is no part of it.
    assert_eq!(level(&format!("{}ERRORLESS", " ".repeat(115))), None);
    let glued = "2026-11-20T11:31:00ZERROR pool";
    assert_eq!(level(glued).map(|at| LEVELS[at]), Some("ERROR"));
}

fn told(text: &str) -> Option<String> {
    let mut paper = Paper::new(600);
    of(text.lines())?.tell(&mut paper);
    Some(paper.text().to_owned())
}

#[test]
fn a_fifth_of_the_lines_of_a_log_have_a_level() {
    let is = |levels: usize, others: usize| {
        told(&("INFO a\n".repeat(levels) + &"words\n".repeat(others))).is_some()
    };
    assert!(is(3, 12) && !is(3, 13) && !is(2, 0));
}

#[test]
fn errors_are_told_by_the_finest_of_times_with_few_of_them() {
    let line = |day: usize, hour: usize, minute: usize, level: &str| {
        format!("2026-11-{day:02}T{hour:02}:{minute:02}:00Z {level} a\n")
    };
    let minutes = line(1, 8, 0, "INFO")
        + &line(1, 8, 1, "ERROR").repeat(2)
        + &line(1, 8, 2, "FATAL")
        + &line(1, 9, 0, "WARN");
    assert_eq!(
        told(&minutes).as_deref(),
        Some(
            "levels: FATAL 1, ERROR 2, WARN 1, INFO 1; from 2026-11-01T08:00:00Z to 2026-11-01T09:00:00Z\nerrors by time: 2026-11-01T08:01 2, 2026-11-01T08:02 1\n"
        )
    );
    let each_minute = |count: usize| {
        (0..count)
            .map(|at| line(1, at / 5, at, "ERROR"))
            .collect::<String>()
    };
    assert!(told(&each_minute(8)).is_some_and(|told| told.contains("T00:00 1, ")));
    let by_hour = told(&each_minute(9)).expect("a log");
    assert!(
        by_hour.ends_with("errors by time: 2026-11-01T00 5, 2026-11-01T01 4\n"),
        "{by_hour}"
    );
    let by_day: String = (0..18)
        .map(|at| line(at / 9 + 1, at, at, "ERROR"))
        .collect();
    assert!(
        told(&by_day)
            .is_some_and(|told| told.ends_with("errors by time: 2026-11-01 9, 2026-11-02 9\n"))
    );
    let halves = "2026-11-20 08:01:00 AM ERROR a\n2026-11-20 08:01:00 PM ERROR a\n";
    assert!(told(&halves.repeat(5)).is_some_and(|told| {
        told.ends_with("errors by time: 2026-11-20 08:01:00 AM 5, 2026-11-20 08:01:00 PM 5\n")
    }));
    let no_date = "08:01:00 ERROR a\n08:02:00 ERROR a\n08:02:30 ERROR a\n";
    assert_eq!(
        told(no_date).as_deref(),
        Some("levels: ERROR 3; from 08:01:00 to 08:02:30\nerrors by time: 08:01 1, 08:02 2\n")
    );
    assert_eq!(
        told(&"08:01:00 ERROR a\n".repeat(3)).as_deref(),
        Some("levels: ERROR 3\n")
    );
}

#[test]
fn times_with_the_year_first_are_compared_by_their_instants() {
    for (times, expected) in [
        (
            [
                "2026-11-20 01:01:00 PM",
                "2026-11-20 9:01:00 AM",
                "2026-11-20 12:07:00 AM",
            ],
            "from 2026-11-20 12:07:00 AM to 2026-11-20 01:01:00 PM",
        ),
        (
            [
                "2026-11-20T02:00:00+02:00",
                "2026-11-20T01:00:00+01:00",
                "2026-11-20T03:00:00+09:00",
            ],
            "from 2026-11-20T03:00:00+09:00 to 2026-11-20T02:00:00+02:00",
        ),
        (
            ["13:27:00", "12:00:00", "00:09:00"],
            "from 13:27:00 to 00:09:00",
        ),
        (
            [
                "2026-11-20T00:00:00.500000Z",
                "2026-11-20T00:00:00Z",
                "2026-11-20T00:00:01Z",
            ],
            "from 2026-11-20T00:00:00Z to 2026-11-20T00:00:01Z",
        ),
        (
            [
                "2026-11-20 9:59:00",
                "2026-11-20 10:00:00",
                "2026-11-20 13:25:00",
            ],
            "from 2026-11-20 9:59:00 to 2026-11-20 13:25:00",
        ),
        (
            [
                "2026-11-20 12:07:00 AM",
                "2026-11-20 01:01:00 AM",
                "2026-11-20 08:04:00 PM",
            ],
            "from 2026-11-20 12:07:00 AM to 2026-11-20 08:04:00 PM",
        ),
        (
            [
                "2026-11-20T02:00:00+02:00",
                "2026-11-20T01:00:00+02:00",
                "2026-11-20T03:00:00+02:00",
            ],
            "from 2026-11-20T01:00:00+02:00 to 2026-11-20T03:00:00+02:00",
        ),
    ] {
        let text: String = times
            .iter()
            .map(|time| format!("{time} INFO a\n"))
            .collect();
        assert!(
            told(&text).is_some_and(|told| told.contains(expected)),
            "{text}"
        );
    }
}

#[test]
fn dates_have_two_signs() {
    assert!(has_date("2026-11-20T08") && has_date("2026/11/20 08"));
    assert!(!has_date("2026-11") && !has_date("08:00:00.123") && !has_date("20-11-2-26"));
}
