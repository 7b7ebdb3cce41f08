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
                if last.starts_with("05/") || last.starts_with("2/") {
                    "1\n"
                } else if last.starts_with("03.") {
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
    ] {
        let answer = super::ask(&texts(&words), super::sql::query("SELECT max(v) FROM rows"));
        assert_eq!(answer.expect("an answer").text, format!("{last}\n"));
    }
}
