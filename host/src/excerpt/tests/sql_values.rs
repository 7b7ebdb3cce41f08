//! Queries: values compare as they read, or the header says that they do not.

use super::sql::{check, check_alone};

/// Rows of one column `v`: JSON values.
pub(super) fn rows(values: &[&str]) -> String {
    let rows: Vec<String> = values.iter().map(|v| format!(r#"{{"v": {v}}}"#)).collect();
    format!("[{}]", rows.join(","))
}

/// The same, of texts.
pub(super) fn texts(values: &[&str]) -> String {
    let quoted: Vec<String> = values.iter().map(|v| format!("{v:?}")).collect();
    rows(&quoted.iter().map(String::as_str).collect::<Vec<_>>())
}

/// A CSV of these cells and their numbers.
pub(super) fn csv(cells: &[&str]) -> String {
    let lines = (1..).zip(cells).map(|(n, cell)| format!("{n},{cell}\n"));
    format!("n,v\n{}", lines.collect::<String>())
}

#[test]
fn numbers_keep_their_kind() {
    let hours = rows(&["7.0", "2.0", "1.5", "3"]);
    check_alone(&hours, "v / 2 FROM rows WHERE v = 7", "3.5\n");
    check_alone(&hours, "sum(v) / count(*) FROM rows WHERE v = 3", "3.0\n");
    check_alone(&hours, "v FROM rows WHERE v = '1.5'", "1.5\n");
    let whole = rows(&["7", "2"]);
    check_alone(&whole, "typeof(v) FROM rows WHERE v = 7", "integer\n");
}

#[test]
fn texts_that_are_numbers_keep_their_spelling() {
    let versions = texts(&["3.10", "3.11", "3.12", "3.20"]);
    check(
        &versions,
        "SELECT DISTINCT v FROM rows WHERE v >= 3.12",
        "",
        "\"3.12\"\n\"3.20\"\n",
    );
    check_alone(&versions, "v FROM rows WHERE v LIKE '%.10'", "\"3.10\"\n");
    check(
        &versions,
        "SELECT count(*) FROM rows WHERE v = '3.1'",
        "v compares '3.1' as a number",
        "1\n",
    );
    let prices = texts(&["7.00", "12.50", "100.00", "9.75"]);
    check_alone(&prices, "v / 2 FROM rows WHERE v = 7", "3.5\n");
    check_alone(&prices, "max(v) FROM rows", "\"100.00\"\n");
    check_alone(&prices, "count(*) FROM rows WHERE v = 12.5", "1\n");
    check_alone(&prices, "sum(v) FROM rows WHERE v > 9.8", "112.5\n");
    check(
        &prices,
        "SELECT v FROM rows ORDER BY v LIMIT 2",
        "",
        "\"7.00\"\n\"9.75\"\n",
    );
    // Functions that pass a value on do not pass its order on.
    for passed in [
        "count(*) FROM (SELECT max(v) AS m FROM rows) WHERE m > 99",
        "count(*) FROM rows WHERE coalesce(v, 0) > 99",
        "count(*) FROM rows WHERE CASE WHEN v > 0 THEN v ELSE 0 END > 99",
        "count(*) FROM rows GROUP BY v HAVING max(v) > 99",
        "count(*) FROM rows WHERE +v > 99",
    ] {
        check(&prices, &format!("SELECT {passed}"), "", "1\n");
    }
    check(
        &prices,
        "SELECT n.v AS top FROM rows n GROUP BY v ORDER BY max(v) DESC LIMIT 1",
        "v \"7.00\" is 7.0",
        "100.0\n",
    );
}

#[test]
fn versions_do_not_compare_as_numbers() {
    let versions = r#"[{"version": "3.8"}, {"version": "3.9"}, {"version": "3.11"}]"#;
    check(
        versions,
        "SELECT max(version) FROM rows",
        "version compares as decimals, not as versions",
        "3.9\n",
    );
    check_alone(versions, "count(*) FROM rows WHERE version = '3.11'", "1\n");
}

#[test]
fn cells_of_texts_are_spelled() {
    let versions = csv(&["1.10", "1.1", "1.10", "1.2"]);
    check(
        &versions,
        "SELECT v, count(*) FROM rows GROUP BY v",
        "v holds texts: CAST(v AS REAL) compares as numbers",
        "1.1 | 1\n1.10 | 2\n1.2 | 1\n",
    );
    // A column with zeros before a number is codes.
    let codes = csv(&["00166", "90817", "12456", "02139"]);
    check_alone(&codes, "n FROM rows WHERE v = '90817'", "2\n");
    check(
        &codes,
        "SELECT n FROM rows WHERE v = 166",
        "v holds codes as texts: CAST(v AS REAL) compares as numbers",
        "",
    );
    check_alone(&codes, "count(*) FROM rows WHERE v < '50000'", "3\n");
    check_alone(&codes, "v FROM rows ORDER BY v LIMIT 1", "00166\n");
    let codes = rows(&["\"007\"", "7", "12"]);
    check(
        &codes,
        "SELECT v FROM rows WHERE v > 7 ORDER BY v",
        "v holds codes as texts: CAST(v AS REAL) compares as numbers",
        "",
    );
    let amounts = csv(&["10.5", "9", "100", "7.25"]);
    check_alone(&amounts, "max(v) FROM rows", "100\n");
    check_alone(&amounts, "n FROM rows WHERE v LIKE '100'", "3\n");
    check_alone(
        &amounts,
        "count(*) FROM rows WHERE coalesce(v, 0) > 9.5",
        "2\n",
    );
    check_alone(&amounts, "n FROM rows WHERE v < 8", "4\n");
}

#[test]
fn numbers_in_any_spelling_are_numbers() {
    let changes = csv(&["+9.90", "-1.36", "+13.77", "+0.50"]);
    check_alone(&changes, "max(v) FROM rows", "+13.77\n");
    check_alone(&changes, "count(*) FROM rows WHERE v > 5", "2\n");
    check_alone(&changes, "n FROM rows WHERE v < 0", "2\n");
    let averages = csv(&[".231", "1.000", ".379", ".300"]);
    check_alone(&averages, "count(*) FROM rows WHERE v > 0.3", "2\n");
    check_alone(&averages, "max(v) FROM rows", "1.000\n");
    let balances = texts(&[
        "9.990000000000000001",
        "1992.500000000000000000",
        "1992.500000000000000001",
    ]);
    check_alone(&balances, "count(*) FROM rows WHERE v > 1000", "2\n");
    check_alone(
        &balances,
        "max(v) FROM rows",
        "\"1992.500000000000000001\"\n",
    );
    // Of more than 64 bits, in JSON and in texts.
    let long = rows(&["3865667667789373164414", "983719640449843227478", "5"]);
    check_alone(&long, "max(v) FROM rows", "\"3865667667789373164414\"\n");
    check_alone(&long, "_row FROM rows ORDER BY v LIMIT 1", "2\n");
    check_alone(
        &long,
        "count(*) FROM rows WHERE v > 1000000000000000000",
        "2\n",
    );
    let traces = csv(&[
        "15003890959740821310",
        "8744695757217868789",
        "15003890959740821311",
    ]);
    for query in [
        "n FROM rows WHERE v = 15003890959740821310",
        "n FROM rows WHERE v = '15003890959740821310'",
    ] {
        check_alone(&traces, query, "1\n");
    }
    check_alone(&traces, "n FROM rows WHERE v = 8744695757217868789", "2\n");
    check_alone(
        &traces,
        "count(*) FROM rows WHERE v IN (15003890959740821310, 15003890959740821311)",
        "2\n",
    );
    check_alone(
        &traces,
        "count(*) FROM rows WHERE 15003890959740821310 < rows.v AND n > 0",
        "1\n",
    );
    // A number that no column is compared with stays one.
    check_alone(
        &traces,
        "n FROM rows WHERE n < 15003890959740821310 LIMIT 1",
        "1\n",
    );
    check(
        &long,
        "SELECT count(*) FROM rows WHERE coalesce(v, 0) > 5",
        "v has more digits than a number holds: CAST(v AS REAL)",
        "3\n",
    );
}

#[test]
fn what_is_no_number_is_said() {
    // Of three, one is a word.
    let probes = csv(&["5", "timeout", "900", "600", "timeout", "30"]);
    check(
        &probes,
        "SELECT count(*) FROM rows WHERE v > 500",
        "v has 2 texts (like \"timeout\") among numbers: larger than any of them, and 0 in avg and sum",
        "4\n",
    );
    check_alone(&probes, "count(*) FROM rows WHERE v = 'timeout'", "2\n");
    check(
        &texts(&["99", "n/a", "146", "n/a", "n/a"]),
        "SELECT max(v) FROM rows WHERE v <> 'n/a'",
        "v has 3 texts",
        "146\n",
    );
    // A text that begins with digits counts.
    check(
        &texts(&["70 times", "148", "12 of 5", "90"]),
        "SELECT sum(v) FROM rows",
        "counted by their first digits in avg and sum",
        "320.0\n",
    );
    // Names and dates are no numbers.
    let names = texts(&["ann", "10.0.0.1", "2024-05-01", "1.2.3", "3a7f01"]);
    check_alone(&names, "max(v) FROM rows", "ann\n");
}

#[test]
fn booleans_and_gaps_in_texts_are_said() {
    let passed = csv(&["true", "false", "true"]);
    for (query, answer) in [
        ("n FROM rows WHERE NOT v", "2\n"),
        ("count(*) FROM rows WHERE v = true", "2\n"),
        ("sum(v) FROM rows", "2\n"),
        ("count(*) FROM rows WHERE v AND n > 0", "2\n"),
    ] {
        check(&passed, &format!("SELECT {query}"), "v is 1 or 0", answer);
    }
    check_alone(&passed, "n FROM rows WHERE v = 'false'", "2\n");
    check_alone(
        &texts(&["TRUE", "FALSE"]),
        "count(*) FROM rows WHERE v = 'true'",
        "1\n",
    );
    let both =
        r#"[{"a": "TRUE", "b": "Yes"}, {"a": "FALSE", "b": "Yes"}, {"a": "TRUE", "b": "No"}]"#;
    check(
        both,
        "SELECT count(*) FROM rows WHERE a = true AND b = 'Yes'",
        "a is 1 or 0",
        "1\n",
    );
    // As YAML has them, and the output of databases.
    let enabled = rows(&["true", "\"yes\"", "\"no\"", "false", "null"]);
    check(
        &enabled,
        "SELECT count(*) FROM rows WHERE v",
        "v is 1 or 0",
        "2\n",
    );
    check_alone(
        &enabled,
        "count(*) FROM rows WHERE v IN ('yes', 'true')",
        "2\n",
    );
    check(
        &csv(&["t", "f", "f"]),
        "SELECT count(*) FROM rows WHERE v = 0",
        "v is 1 or 0",
        "2\n",
    );
    let shared = rows(&["true", "false", "null"]);
    check_alone(&shared, "count(*) FROM rows WHERE v = 'true'", "1\n");
    check(
        &shared,
        "SELECT count(*) FROM rows WHERE v AND v <> 'false'",
        "v is 1 or 0",
        "1\n",
    );
    let prices = texts(&["1.27", "", "98.30"]);
    check(
        &prices,
        "SELECT count(*) FROM rows WHERE v = ''",
        "an empty v is NULL",
        "0\n",
    );
    check(
        &texts(&["a", "", "b"]),
        "SELECT count(*) FROM rows WHERE v IS NULL",
        "an empty v is '', not NULL",
        "0\n",
    );
    check(
        &csv(&["5", "NULL", "7", "8", "9"]),
        "SELECT count(*) FROM rows WHERE v IS NULL",
        "\"NULL\" in v is NULL",
        "1\n",
    );
    check(
        &csv(&["a", "", "b", "c", "d"]),
        "SELECT count(*) FROM rows WHERE v IS NULL",
        "an empty v is NULL",
        "1\n",
    );
    // In JSON, a text is a text.
    check(
        &texts(&["null", "a"]),
        "SELECT count(*) FROM rows WHERE v IS NULL",
        "\"null\" in v is a text, not NULL",
        "0\n",
    );
    let gaps = csv(&["12", "-", "3", "n/a", "-", "."]);
    for (query, answer) in [
        ("max(v) FROM rows", "12\n"),
        ("avg(v) FROM rows", "7.5\n"),
        ("count(*) FROM rows WHERE v > 5", "1\n"),
    ] {
        check(
            &gaps,
            &format!("SELECT {query}"),
            "\"-\" in v is NULL",
            answer,
        );
    }
    check(&gaps, "SELECT count(*) FROM rows WHERE v = '-'", "", "2\n");
}

#[test]
fn cells_of_json_have_their_letters() {
    let tags = r#"[{"v": ["caf\u00e9", "\ud83d\ude00"], "l": {"a": ["https:\/\/x.io\/5.png", "q\"\\\u0022\n"]}}]"#;
    check_alone(tags, "count(*) FROM rows WHERE v LIKE '%café%😀%'", "1\n");
    check_alone(
        tags,
        "count(*) FROM rows WHERE l.a LIKE '%https://x.io/5.png%'",
        "1\n",
    );
    check_alone(
        tags,
        "json_extract(l.a, '$[1]') FROM rows",
        "\"q\\\"\\\\\\\"\\n\"\n",
    );
    let names = texts(&["Émile", "Zoe"]);
    check_alone(&names, "count(*) FROM rows WHERE lower(v) = 'émile'", "1\n");
    for (pattern, count) in [
        ("'éMILE'", 1),
        ("'É%'", 1),
        ("'_mi%e'", 1),
        ("'é'", 0),
        ("'é!%' ESCAPE '!'", 0),
    ] {
        let query = format!("count(*) FROM rows WHERE v LIKE {pattern}");
        check_alone(&names, &query, &format!("{count}\n"));
    }
}

#[test]
fn times_that_do_not_compare_are_said() {
    let zones = texts(&["2024-06-01T09:00:00+09:00", "2024-05-31T17:20:00-07:00"]);
    check_alone(&zones, "min(v) FROM rows", "2024-06-01T09:00:00+09:00\n");
    check_alone(
        &zones,
        "count(*) FROM rows WHERE v > '2024-06-01T00:10:00Z'",
        "1\n",
    );
    check_alone(
        &zones,
        "min(datetime(v)) FROM rows",
        "2024-06-01 00:00:00\n",
    );
    let bare = texts(&[
        "2024-06-01T09:00:00.000+0000",
        "2024-06-02T09:00:00.000+0000",
    ]);
    check(
        &bare,
        "SELECT count(*) FROM rows WHERE date(v) > '2024-06-01'",
        "1 row; columns count(*)",
        "1\n",
    );
    check_alone(&bare, "max(v) FROM rows", "2024-06-02T09:00:00.000+0000\n");
    // Nobody knows which number is the day, or how far the zones are apart.
    for dates in [
        ["01.03.2024", "05.02.2024"],
        [
            "Sat, 01 Jun 2024 00:00:00 +0200",
            "Mon, 03 Jun 2024 00:00:00 +0100",
        ],
    ] {
        check(
            &texts(&dates),
            "SELECT count(*) FROM rows WHERE v < ''",
            "no dates to SQL, and compared as texts",
            "0\n",
        );
    }
    check_alone(
        &texts(&["2024-06-01", "2024-06-02T00:00:00Z"]),
        "max(v) FROM rows",
        "2024-06-02T00:00:00Z\n",
    );
}

#[test]
fn the_last_value_of_a_key_that_an_object_has_again_is_the_cell() {
    let twice = r#"[{"v":1,"v":2},{"v":3},{"v":4,"w":5,"v":"x"}]"#;
    let note =
        "v has the last value of rows that have this key again: 2 earlier values are no cells";
    check(twice, "SELECT v FROM rows", note, "2\n3\nx\n");
    check_alone(twice, "w FROM rows WHERE w", "5\n");
}
