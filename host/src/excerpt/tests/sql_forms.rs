//! Queries: amounts, dates and versions in texts compare as what they stand for.

use super::sql::{check, check_alone};
use super::sql_values::{csv, rows, texts};

#[test]
fn amounts_compare_by_their_numbers() {
    for (amounts, most, count) in [
        (["$1,426.88", "$992.40", "$95.00"], "$1,426.88", 2),
        (["USD 1,426.88", "USD 992.40", "USD 95"], "USD 1,426.88", 2),
        (["(839.68)", "120.00", "1,195.00"], "1,195.00", 2),
        (["1.390,88", "997,30", "95"], "1.390,88", 2),
        (["100%", "96.5%", "9%"], "100%", 2),
        (["+11.81%", "-9.91%", "+101%"], "+101%", 1),
        (["94000ms", "96.5ms", "5ms"], "94000ms", 2),
        (["61440 MiB", "512 MiB", "50 MiB"], "61440 MiB", 2),
        (["1,149", "986", "97"], "1,149", 3),
        (["112 (3h ago)", "96", "9"], "112 (3h ago)", 2),
    ] {
        let amounts = texts(&amounts);
        let most = match most.parse::<f64>() {
            Ok(_) => format!("\"{most}\"\n"),
            Err(_) => format!("{most}\n"),
        };
        check_alone(&amounts, "max(v) FROM rows", &most);
        check_alone(&amounts, "v FROM rows ORDER BY v DESC LIMIT 1", &most);
        let query = "count(*) FROM rows WHERE v > 95.5";
        check_alone(&amounts, query, &format!("{count}\n"));
        let text = most.trim_matches(['"', '\n']);
        let equals = format!("count(*) FROM rows WHERE v = '{text}'");
        check_alone(&amounts, &equals, "1\n");
    }
    check_alone(
        &texts(&["$12.50", "$9.00"]),
        "v FROM rows WHERE v = 12.5",
        "$12.50\n",
    );
}

#[test]
fn amounts_of_several_units_compare_in_one() {
    for (amounts, least, most) in [
        (["816 ms", "8.90 s", "1m30s"], "816 ms", "1m30s"),
        (["45d", "3d4h", "59m"], "59m", "45d"),
        (["16 kB", "8192 bytes", "3 GB"], "8192 bytes", "3 GB"),
        (["512M", "1.8T", "1023M"], "512M", "1.8T"),
        (["3.4M", "950K", "12"], "\"12\"", "3.4M"),
        (["12:55:50", "9:58:51", "0:00:05"], "0:00:05", "12:55:50"),
        (["799:35", "92:49", "100:00"], "92:49", "799:35"),
        (["PT90M", "PT9M", "PT1H"], "PT9M", "PT90M"),
        (
            ["3 days 02:00:00", "12:00:05", "1 day 00:00:00"],
            "12:00:05",
            "3 days 02:00:00",
        ),
        (["0xa", "0x1f", "0x9"], "0x9", "0x1f"),
        (["9/10", "10/10", "4.5/10"], "4.5/10", "10/10"),
        (["21 °C", "-5 °C", "9.5 °C"], "-5 °C", "21 °C"),
        (["9:30 PM", "10:15 AM", "12:05 AM"], "12:05 AM", "9:30 PM"),
        (
            ["3 weeks ago", "10 days ago", "2 hours ago"],
            "3 weeks ago",
            "2 hours ago",
        ),
    ] {
        let amounts = texts(&amounts);
        check_alone(&amounts, "max(v) FROM rows", &format!("{most}\n"));
        check_alone(&amounts, "min(v) FROM rows", &format!("{least}\n"));
    }
    check(
        &texts(&["816 ms", "8.90 s"]),
        "SELECT count(*) FROM rows WHERE v > 1",
        "v \"816 ms\" compares as 0.816",
        "1\n",
    );
    check_alone(
        &texts(&["12:55:50", "9:58:51"]),
        "count(*) FROM rows WHERE v > '10:00:00'",
        "1\n",
    );
    // A quarter of a core beside a core, and units that have nothing in common.
    for (amounts, sum) in [
        (["250m", "1"], "251.0\n"),
        (["5 kg", "12 cm"], "17.0\n"),
        (["$12.50", "€9.00"], "0.0\n"),
    ] {
        let note = "their first digits";
        check(&texts(&amounts), "SELECT sum(v) FROM rows", note, sum);
    }
}

#[test]
fn sums_of_amounts_are_those_of_their_numbers() {
    for (amounts, sum, first) in [
        (["$1,426.50", "$92.50"], "1519.0", "\"$1,426.50\" is 1426.5"),
        (["1.390,50", "97,25"], "1487.75", "\"1.390,50\" is 1390.5"),
        (["(839.50)", "120.00"], "-719.5", "\"(839.50)\" is -839.5"),
        (["319.5ms", "80.25ms"], "399.75", "\"319.5ms\" is 319.5"),
        (["1.5 s", "250 ms"], "1.75", "\"1.5 s\" is 1.5"),
        (["2 KiB", "1 MiB"], "1050624.0", "\"2 KiB\" is 2048.0"),
        (["1.5K", "2M"], "2001500.0", "\"1.5K\" is 1500.0"),
        (["1:00:00", "0:30:00"], "5400.0", "\"1:00:00\" is 3600.0"),
    ] {
        let amounts = texts(&amounts);
        let note = format!("v {first}");
        for query in [
            "sum(v) FROM rows",
            "sum(CASE WHEN v <> '' THEN v ELSE 0 END) FROM rows",
            "sum(v * 1) FROM rows",
            "sum(CAST(v AS REAL)) FROM rows",
        ] {
            check(
                &amounts,
                &format!("SELECT {query}"),
                &note,
                &format!("{sum}\n"),
            );
        }
    }
    check(
        &texts(&["319.5ms", "80.25ms", "500.5ms"]),
        "SELECT sum(v) FROM rows WHERE v > '100ms' AND v <> '500.5ms'",
        "v \"319.5ms\" is 319.5",
        "319.5\n",
    );
    // A query that knows how they are spelled gets them so.
    let prices = texts(&["$1,426.50", "$92.50"]);
    check_alone(
        &prices,
        "sum(CAST(replace(replace(v, '$', ''), ',', '') AS REAL)) FROM rows",
        "1519.0\n",
    );
    check_alone(&prices, "count(*) FROM rows WHERE v LIKE '$1,%'", "1\n");
    // Words are no amounts.
    let probes = csv(&["816 ms", "timeout", "8.90 s", "timeout", "-", ""]);
    check(
        &probes,
        "SELECT v FROM rows WHERE v <> 'timeout' ORDER BY v DESC LIMIT 1",
        "2 other texts of v are larger than any other",
        "8.90 s\n",
    );
    check(
        &probes,
        "SELECT round(avg(v), 3) FROM rows",
        "2 other texts of v are NULL",
        "4.858\n",
    );
    check(
        &probes,
        "SELECT sum(v = 'timeout') FROM rows",
        "2 other texts of v are 0 in avg and sum",
        "2\n",
    );
}

#[test]
fn dates_in_any_order_compare_as_dates() {
    for (dates, last, note) in [
        (
            ["14/07/2025", "05/02/2026", "31/12/2024"],
            "05/02/2026",
            "v compares as dates with the day first",
        ),
        (
            ["07/14/2025", "2/5/2026", "12/31/2024"],
            "2/5/2026",
            "v compares as dates with the month first",
        ),
        (
            ["27.12.2025", "03.01.2026", "30.01.2025"],
            "03.01.2026",
            "day first",
        ),
        (
            ["Dec 27, 2025", "Jan 03, 2026", "Sep 30, 2025"],
            "Jan 03, 2026",
            "",
        ),
        (
            ["27 December 2025", "03 January 2026", "30 April 2025"],
            "03 January 2026",
            "",
        ),
        (
            [
                "Sat, 27 Dec 2025 10:00:00 +0200",
                "Sat, 03 Jan 2026 09:00:00 +0200",
                "Wed, 30 Apr 2025 10:00:00 +0200",
            ],
            "Sat, 03 Jan 2026 09:00:00 +0200",
            "",
        ),
    ] {
        let dates = texts(&dates);
        let last = format!("{last}\n");
        check(&dates, "SELECT max(v) FROM rows", note, &last);
        check(
            &dates,
            "SELECT v FROM rows WHERE v >= '2026-01-01'",
            note,
            &last,
        );
        check(
            &dates,
            "SELECT count(*) FROM rows WHERE v BETWEEN '2025-04-01' AND '2025-12-31'",
            note,
            {
                if ["05/", "2/", "03."]
                    .iter()
                    .any(|start| last.starts_with(start))
                {
                    "1\n"
                } else {
                    "2\n"
                }
            },
        );
    }
    let dates = texts(&["14/07/2025", "05/02/2026"]);
    check(
        &dates,
        "SELECT strftime('%Y-%m', v) FROM rows ORDER BY v",
        "v \"14/07/2025\" is 2025-07-14",
        "2025-07\n2026-02\n",
    );
    check_alone(&dates, "count(*) FROM rows WHERE v LIKE '%/2025'", "1\n");
    check(
        &dates,
        "SELECT count(*) FROM rows WHERE v = (SELECT max(v) FROM rows)",
        "v \"14/07/2025\" is 2025-07-14",
        "1\n",
    );
    for query in ["v - 1 FROM rows", "date(v) FROM rows WHERE v LIKE '%/2025'"] {
        let note = "v has texts like \"14/07/2025\": no dates to SQL";
        let header = super::ask(&dates, super::sql::query(&format!("SELECT {query}")));
        let header = header.expect("an answer").header;
        assert!(header.contains(note), "{header}");
    }
}

#[test]
fn versions_compare_part_by_part() {
    let versions = texts(&["1.9.2", "1.10.0-rc1", "1.10.0", "1.2.30"]);
    check_alone(&versions, "max(v) FROM rows", "1.10.0\n");
    check_alone(&versions, "count(*) FROM rows WHERE v >= '1.10'", "2\n");
    check(
        &versions,
        "SELECT v FROM rows ORDER BY v",
        "",
        "1.2.30\n1.9.2\n1.10.0-rc1\n1.10.0\n",
    );
    check_alone(&texts(&["v1.9", "v1.10"]), "max(v) FROM rows", "v1.10\n");
}

#[test]
fn a_value_beside_lists_is_a_list_of_one() {
    let authors = rows(&["[\"ann\", \"bo\"]", "\"ann\"", "null"]);
    check(
        &authors,
        "SELECT value, count(*) FROM rows, json_each(v) GROUP BY value",
        "v is a list of one where it is no list",
        "ann | 2\nbo | 1\n",
    );
}

#[test]
fn a_table_is_called_by_the_end_of_its_name_too() {
    let document =
        r#"{"repos": {"edges": [{"node": {"tags": {"edges": [{"size": 2}, {"size": 3}]}}}]}}"#;
    for query in [
        "sum(size) FROM \"node.tags.edges\"",
        "sum(e.size) FROM \"tags.edges\" e",
        "sum(size) FROM \"edges.node.tags.edges\"",
    ] {
        check_alone(document, query, "5\n");
    }
}

#[test]
fn names_with_signs_need_no_quotes_if_they_are_columns() {
    let rows = r#"[{"total-qty": 2, "Full Name": "ann"}, {"total-qty": 3, "Full Name": "bo"}]"#;
    check_alone(rows, "sum(total-qty) FROM rows", "5\n");
    check_alone(rows, "Full Name FROM rows WHERE total-qty > 2", "bo\n");
}

#[test]
fn texts_of_other_kinds_stay_texts() {
    for (words, last) in [
        (["1/1", "0/1", "2/2"], "2/2"),
        (["S", "XL", "M"], "XL"),
        (["12A", "3B", "7C"], "7C"),
        (["1st", "2nd", "10th"], "2nd"),
        (["3-1", "10-2", "4-4"], "4-4"),
        (["A9", "A10", "B1"], "B1"),
        (["5 kg", "12 cm", "7 m"], "7 m"),
        // Billions beside millions, and bytes beside megabytes.
        (["7B", "500M", "1.5B"], "7B"),
        (["720P", "1080P", "4K"], "720P"),
        // Numbers of a list, and no amounts below zero.
        (["(1)", "(2)", "(10)"], "(2)"),
        // Lists, as one or two of ten are no decimals.
        (["1,1", "1,10", "1,2"], "1,2"),
        (["16:9", "4:3", "21:9"], "4:3"),
        (
            ["0xffffffff81000010", "0xffffffff81000020", "0x1"],
            "0xffffffff81000020",
        ),
    ] {
        let answer = super::ask(&texts(&words), super::sql::query("SELECT max(v) FROM rows"));
        assert_eq!(answer.expect("an answer").text, format!("{last}\n"));
    }
}

#[test]
fn amounts_of_a_query_equal_those_of_another_spelling() {
    for (amounts, condition, count) in [
        (["$1,000.00", "$992.40", "$2,000"], "v >= '$1000'", 2),
        (["$1,000.00", "$992.40", "$2,000"], "v > '$1000.0'", 1),
        (["1,149", "986", "97"], "v >= 1149", 1),
        (["1,149", "986", "97"], "v IN (1149, 986.0)", 2),
        (["60m", "30m", "2h"], "v > '1h'", 1),
        (["1024 MB", "3 GB", "5 kB"], "v >= '1 GB'", 2),
    ] {
        let query = format!("count(*) FROM rows WHERE {condition}");
        check_alone(&texts(&amounts), &query, &format!("{count}\n"));
    }
    // Those of the document stay apart.
    check(
        &texts(&["$5.00", "$5", "$4"]),
        "SELECT v, count(*) FROM rows GROUP BY v ORDER BY v",
        "",
        "$4 | 1\n$5 | 1\n$5.00 | 1\n",
    );
}

#[test]
fn times_of_the_clock_are_those_of_their_column() {
    let day = texts(&["09:30:00", "12:15:00", "23:10:00"]);
    check_alone(&day, "count(*) FROM rows WHERE v > '10:00'", "2\n");
    let halves = texts(&["9:30 AM", "10:15 AM", "2:05 PM"]);
    check_alone(&halves, "count(*) FROM rows WHERE v > '14:00'", "1\n");
    // Minutes of a day or of an hour: texts, as nobody knows.
    let either = texts(&["09:30", "12:15", "23:10"]);
    check_alone(&either, "count(*) FROM rows WHERE v > '10:00:00'", "2\n");
    check_alone(&either, "count(*) FROM rows WHERE v > '10:00'", "2\n");
    check(
        &texts(&["1:02:11", "9:58"]),
        "SELECT max(v) FROM rows",
        "v \"9:58\" compares as 598.0",
        "1:02:11\n",
    );
}

/// A text that is of the kind of a column's, but has no place among them, is none larger than all.
#[test]
fn texts_of_a_query_without_a_place_among_a_columns_are_texts() {
    for (cells, condition, note, count) in [
        (["5 kg", "12 kg"], "v > '3 lbs'", "compared as texts", 1),
        (["$5", "$12"], "v < '€9'", "compared as texts", 2),
        (["850 ms", "90 ms"], "v > '10:00'", "compared as texts", 2),
        (
            ["2024-01-01T10:00:00Z", "2024-01-01T09:30:00+02:00"],
            "v > '2024-01-01T09'",
            "different offsets",
            2,
        ),
        (
            ["15/01/2024", "16/01/2024"],
            "v > '15/01'",
            "compared as texts",
            2,
        ),
    ] {
        let query = format!("SELECT count(*) FROM rows WHERE {condition}");
        check(&texts(&cells), &query, note, &format!("{count}\n"));
    }
    // It stands beside another column.
    let rows = r#"[{"v": "$12", "w": "3 kg"}, {"v": "$5", "w": "3 kg"}]"#;
    check_alone(rows, "max(v) FROM rows WHERE w = '3 kg'", "$12\n");
}

#[test]
fn units_that_say_how_many_bytes_they_have_are_read_so() {
    for (sizes, least) in [
        (["500Mi", "512M", "1Gi"], "512M"),
        (["500 GiB", "512 GB", "1 TB"], "512 GB"),
    ] {
        check_alone(&texts(&sizes), "min(v) FROM rows", &format!("{least}\n"));
    }
}

#[test]
fn versions_have_early_ones_and_a_v() {
    check(
        &texts(&[
            "1.0.0",
            "1.0.0rc1",
            "1.0.0.dev3",
            "1.0.0b2",
            "1.0.1rc1",
            "1.0.0-rc.2",
        ]),
        "SELECT v FROM rows ORDER BY v",
        "",
        "1.0.0-rc.2\n1.0.0.dev3\n1.0.0b2\n1.0.0rc1\n1.0.0\n1.0.1rc1\n",
    );
    check_alone(&texts(&["1.1.1a", "1.1.1"]), "max(v) FROM rows", "1.1.1a\n");
    let mixed = texts(&["v1.9.0", "1.10.0"]);
    check_alone(&mixed, "max(v) FROM rows", "1.10.0\n");
    check_alone(&mixed, "count(*) FROM rows WHERE v >= '1.10'", "1\n");
    check_alone(&mixed, "count(*) FROM rows WHERE v >= 1.10", "1\n");
}

/// A text is a number only beside the column that has numbers.
#[test]
fn texts_beside_other_columns_stay_texts() {
    let rows = r#"[{"v": "96.5%", "name": "5% off"}, {"v": "12%", "name": "12%"}, {"v": "7%", "name": "abc"}]"#;
    let note = "v \"96.5%\" is 96.5";
    for (query, expected) in [
        ("sum(v) FROM rows WHERE name LIKE '5%'", "96.5\n"),
        ("sum(v) FROM rows WHERE name = '12%'", "12.0\n"),
        ("sum(v) FROM rows WHERE name IN ('12%', 'abc')", "19.0\n"),
        (
            "'12%', sum(v) FROM rows WHERE name > '12%'",
            "[\"12%\",103.5]",
        ),
        ("sum(v) AS '12%' FROM rows", "115.5\n"),
        (
            "sum(v) FROM rows WHERE v > '7%' AND name <> '12%'",
            "96.5\n",
        ),
        ("sum(v) FROM rows WHERE v IN ('7%', '12%')", "19.0\n"),
        ("sum(v) FROM rows WHERE v BETWEEN '7%' AND '12%'", "19.0\n"),
        ("sum(v) FROM rows WHERE '12%' < v", "96.5\n"),
        ("max(v) + 0 FROM rows HAVING max(v) > '12%'", "96.5\n"),
        (
            "name FROM (SELECT name, sum(v) AS s FROM rows GROUP BY name) WHERE s > '12%'",
            "5% off\n",
        ),
        (
            "sum(p) FROM (SELECT v AS p, name AS k FROM rows) WHERE p > '7%' AND k <> '12%'",
            "96.5\n",
        ),
        ("sum(coalesce(v, '7%')) FROM rows", "115.5\n"),
        (
            "sum(p) FROM (SELECT v p FROM rows) WHERE p > '7%'",
            "108.5\n",
        ),
        ("sum(max('12%', v)) FROM rows", "120.5\n"),
        ("sum(iif(name LIKE '5%', v, 0)) FROM rows", "96.5\n"),
        ("sum(coalesce(NULL, v)) FROM rows", "115.5\n"),
    ] {
        let query = format!("SELECT {query}");
        if let Some(cells) = expected.strip_prefix('[') {
            let answer = super::ask(rows, super::sql::query(&query)).expect("an answer");
            let cells = cells.trim_end_matches(']').split(',');
            assert!(
                cells.clone().all(|cell| answer.text.contains(cell)),
                "{}",
                answer.text
            );
            continue;
        }
        check(rows, &query, note, expected);
    }
}

/// Texts and numbers at once cannot be had: the header says so.
#[test]
fn amounts_that_are_texts_as_well_are_no_numbers() {
    let rows = r#"[{"v": "$1,426.50", "w": "$92.50"}, {"v": "$92.50", "w": "$5"}]"#;
    let note = "v has texts like \"$1,426.50\": no numbers";
    for query in [
        "sum(v) FROM rows WHERE v LIKE '$%'",
        "sum(a.v) FROM rows a JOIN rows b ON a.v = b.w",
        "sum(v) FROM rows WHERE v > w",
        "sum(CASE v WHEN '$92.50' THEN v END) FROM rows",
    ] {
        check(rows, &format!("SELECT {query}"), note, "0.0\n");
    }
}

#[test]
fn texts_that_may_not_be_compared_say_so() {
    let as_texts = "compared as texts, and only their first digits count in sums";
    // A part of one or one in a hundred.
    let percents = texts(&["5%", "0.1", "8%", "50%", "12%"]);
    let among = "v has 4 texts (like \"5%\") among numbers";
    check(&percents, "SELECT max(v) FROM rows", among, "8%\n");
    // Longer ago, or later than then.
    let ages = texts(&["3 days ago", "2 hours ago", "5 minutes ago"]);
    let query = "SELECT count(*) FROM rows WHERE v > '1 day'";
    check(&ages, query, as_texts, "3\n");
    check_alone(&ages, "count(*) FROM rows WHERE v < '1 day ago'", "1\n");
    let both = texts(&["3 days ago", "2 hours", "5 minutes ago"]);
    check(&both, "SELECT min(v) FROM rows", as_texts, "2 hours\n");
    // Few have a form.
    let clocks = texts(&["0:00:04", "12:23:04", "up", "down", "up"]);
    check(&clocks, "SELECT max(v) FROM rows", as_texts, "up\n");
    let clocks = texts(&["0:00:04", "12:23:04"]);
    check_alone(&clocks, "count(*) FROM rows WHERE v > '1:00'", "1\n");
}

#[test]
fn a_text_in_another_spelling_is_named_where_no_text_equals() {
    for (amounts, said, like) in [
        (["$1,000.00", "$5.00"], "$1000", "\"$1,000.00\""),
        (["1024 KiB", "5 KiB"], "1024KiB", "\"1024 KiB\""),
        (["05/02/2025", "31/12/2024"], "5/2/2025", "\"05/02/2025\""),
        (["31/12/2024", "05/02/2025"], "2024-12-31", "\"31/12/2024\""),
    ] {
        let amounts = texts(&amounts);
        let query = format!("SELECT count(*) FROM rows WHERE v = '{said}'");
        let note = format!("no v is '{said}', but {like} is one");
        check(&amounts, &query, &note, "0\n");
    }
    let prices = texts(&["$1,000.00", "$1000", "$5.00"]);
    check_alone(&prices, "count(*) FROM rows WHERE v = '$1000'", "1\n");
    check_alone(&prices, "count(*) FROM rows WHERE v = '$7'", "0\n");
}

#[test]
fn versions_compare_beside_words() {
    let tags = texts(&["v9", "v10", "v2"]);
    check_alone(&tags, "max(v) FROM rows", "v10\n");
    let tags = texts(&["v9.1", "latest", "v20.3", "beta", "v10"]);
    let query = "SELECT v FROM rows WHERE v <> 'latest' ORDER BY v";
    let note = "2 other texts of v are larger than any other";
    check(&tags, query, note, "v9.1\nv10\nv20.3\nbeta\n");
    // The codes of a hash.
    let codes = texts(&["v3f9a", "v10bc"]);
    check_alone(&codes, "max(v) FROM rows", "v3f9a\n");
}

#[test]
fn dates_and_versions_are_no_numbers() {
    for (values, sum) in [
        (["2021-07-18", "2024-10-06"], "4045.0\n"),
        (["2021-07-18T10:00:00", "2024-10-06T10:00:00"], "4045.0\n"),
        (["10.11.1", "18.1.1"], "28.21\n"),
    ] {
        let values = texts(&values);
        let note = "no numbers, and only their first digits count in sums";
        check(&values, "SELECT sum(v) FROM rows", note, sum);
        check_alone(&values, "sum(v = '') FROM rows", "0\n");
    }
    let days = texts(&["2021-07-18", "n/a", "2024-10-06"]);
    let note = "v has 1 text (\"n/a\") among dates: all compare as texts";
    check(&days, "SELECT max(v) FROM rows", note, "n/a\n");
    let query = "max(v) FROM rows WHERE v <> 'n/a'";
    check_alone(&days, query, "2024-10-06\n");
}

#[test]
fn words_with_numbers_compare_by_these() {
    for (names, most) in [
        (["PROJ-9", "PROJ-1729", "PROJ-854"], "PROJ-1729"),
        (["#905", "#2846", "#12"], "#2846"),
        (["web-9.log", "web-10.log", "web-100.log"], "web-100.log"),
        (["dev-2", "app-30", "app-4"], "dev-2"),
        (
            ["net 10.0.9.0", "net 10.0.10.0", "net 9.0.0.0"],
            "net 10.0.10.0",
        ),
        (["PROJ-2013", "PROJ-9", "PROJ-12"], "PROJ-2013"),
    ] {
        let values = texts(&names);
        let most = format!("{most}\n");
        check_alone(&values, "max(v) FROM rows", &most);
        check_alone(&values, "v FROM rows ORDER BY v DESC LIMIT 1", &most);
        let query = format!("count(*) FROM rows WHERE v > '{}'", names[0]);
        let more = names.iter().filter(|name| name.len() > names[0].len());
        if names[0].len() < 8 && names[0] != "dev-2" {
            check_alone(&values, &query, &format!("{}\n", more.count()));
        }
    }
    // An empty text stays one.
    let names = texts(&["host9", "", "host10"]);
    check(
        &names,
        "SELECT v FROM rows ORDER BY v",
        "3 rows; columns v",
        "\"\"\nhost9\nhost10\n",
    );
    let hosts = texts(&["host9", "host10"]);
    let query = "SELECT count(*) FROM rows WHERE v > 9";
    check(&hosts, query, "v has texts like \"host9\"", "2\n");
}

#[test]
fn texts_that_are_no_numbers_are_named_beside_a_number() {
    let note =
        "v has texts like \"open\": compared as texts, and only their first digits count in sums";
    let words = texts(&["open", "closed"]);
    check(&words, "SELECT count(*) FROM rows WHERE v > 5", note, "2\n");
    check(&words, "SELECT sum(v) FROM rows", note, "0.0\n");
    check(
        &words,
        "SELECT count(*) FROM rows WHERE v IN (1, 2)",
        note,
        "0\n",
    );
    check_alone(&words, "count(*) FROM rows WHERE v > 'd'", "1\n");
    let days = texts(&["2024-01-05", "2024-02-05"]);
    let query = "SELECT count(*) FROM rows WHERE v > 20240110";
    check(&days, query, "v has texts like \"2024-01-05\"", "0\n");
}

#[test]
fn texts_with_an_order_of_their_own_are_named() {
    for values in [
        ["Jan 2024", "Feb 2023"],
        ["28-Sep-14", "01-Feb-19"],
        ["Aug 22 17:26:51", "Sep 27 15:47:42"],
        ["Q4 2011", "Q1 2012"],
        ["8. Oktober 2022", "11. Februar 2024"],
        ["Python 3.9", "Python 3.10"],
        ["86-96", "173-183"],
        ["8-bit", "128-bit"],
        ["2024年2月9日", "2024年2月10日"],
        ["7,44,321", "1,97,76,210"],
    ] {
        let note = format!("v has texts like {:?}: compared as texts", values[0]);
        let values = texts(&values);
        let query = "SELECT count(*) FROM rows WHERE v >= (SELECT min(v) FROM rows)";
        check(&values, query, &note, "2\n");
    }
    for (values, last) in [
        (["high", "low", "critical"], "low"),
        (["Monday", "Tuesday", "Friday"], "Tuesday"),
        (["２８", "１２３", "９"], "９"),
    ] {
        let note = format!("v has words like {:?}: ordered by their letters", values[0]);
        let values = texts(&values);
        let most = format!("{last}\n");
        check(&values, "SELECT max(v) FROM rows", &note, &most);
        let query = "SELECT v FROM rows ORDER BY v DESC LIMIT 1";
        check(&values, query, &note, &most);
        let query = "v FROM rows ORDER BY CASE v WHEN 'low' THEN 1 WHEN 'Tuesday' THEN 1 WHEN '９' THEN 1 ELSE 2 END LIMIT 1";
        check_alone(&values, query, &most);
    }
}

#[test]
fn thousands_may_stand_between_blanks() {
    for values in [
        ["998 096", "2 485 717", "95"],
        ["998\u{a0}096", "2\u{a0}485\u{a0}717", "95"],
        ["998\u{202f}096", "2\u{202f}485\u{202f}717", "95"],
        ["998_096", "2_485_717", "95"],
        ["998’096", "2’485’717", "95"],
        ["998'096", "2'485'717", "95"],
        ["998 096,50 €", "2 485 717,00 €", "95,00 €"],
        ["R$ 998.096,50", "R$ 2.485.717,00", "R$ 95,00"],
    ] {
        let most = format!("{}\n", values[1]);
        let values = values.map(|value| serde_json::json!({ "v": value }));
        let values = serde_json::json!(values).to_string();
        check_alone(&values, "max(v) FROM rows", &most);
        check_alone(&values, "count(*) FROM rows WHERE v > 95.5", "2\n");
    }
    let values = texts(&["998 096", "2 485 717"]);
    let note = "v \"998 096\" is 998096.0";
    check(&values, "SELECT sum(v) FROM rows", note, "3483813.0\n");
}

#[test]
fn numbers_in_words_that_have_signs_or_decimals_are_no_whole_numbers() {
    for values in [
        ["x=-5", "x=-10", "x=-250"],
        ["p1.25 q2.5", "p1.5 q10.25", "p10.5 q1.5"],
    ] {
        let query = "v FROM rows ORDER BY v LIMIT 1";
        let least = values.iter().min().unwrap();
        let query = format!("SELECT {query}");
        check(
            &texts(&values),
            &query,
            "v has texts like",
            &format!("{least}\n"),
        );
    }
    check_alone(&texts(&["a-5", "a-10"]), "max(v) FROM rows", "a-10\n");
    check_alone(
        &texts(&["h9.0.0.10", "h10.0.0.2"]),
        "max(v) FROM rows",
        "h10.0.0.2\n",
    );
}

#[test]
fn a_few_numbers_and_a_code_among_words_are_told() {
    let values = texts(&["on", "off", "250", "0600", "on", "off", "9"]);
    for (query, answer) in [
        ("count(*) FROM rows WHERE v > 100", "6\n"),
        ("max(v) FROM rows", "on\n"),
    ] {
        let note = "v has 4 texts (like \"on\") among numbers: all compare as texts";
        check(&values, &format!("SELECT {query}"), note, answer);
    }
}

#[test]
fn an_order_is_no_column_of_its_name() {
    let rows = r#"[{"n": 2, "desc": "Python 3.10"}, {"n": 1, "desc": "Python 3.9"}]"#;
    check_alone(rows, "n FROM rows ORDER BY n DESC LIMIT 1", "2\n");
    let query = "SELECT n FROM rows ORDER BY desc LIMIT 1";
    check(rows, query, "desc has texts like", "2\n");
}
