//! Where the point is: the block of a rare line, the part of a long text, the row of a series, and calls that lead there.

use serde_json::json;

use crate::{assert_shows, lines, place};

/// Words that occur again and again.
fn some_words(at: usize) -> String {
    const WORDS: [&str; 12] = [
        "river", "stone", "cloud", "market", "window", "garden", "paper", "yellow", "silver",
        "train", "harbor", "candle",
    ];
    let word = |step: usize| WORDS[(at * 7 + step * (at % 5 + 1)) % WORDS.len()];
    [word(1), word(2), word(3), word(4)].join(" ")
}

#[test]
fn a_rare_line_names_its_block() {
    let hosts = lines(40, |at| {
        let docker = if at == 23 {
            "2375/tcp open docker\n"
        } else {
            ""
        };
        format!(
            "Nmap scan report for 10.0.4.{at}\nHost is up (0.000{at}s latency).\nNot shown: 998 closed tcp ports (reset)\nPORT STATE SERVICE\n22/tcp open ssh\n80/tcp open http\n{docker}"
        )
    });
    let report = place(&hosts, "10.0.4.23");
    assert_shows(
        &hosts,
        &[&format!(
            "2375/tcp open docker\n below {report}: Nmap scan report for 10.0.4.23"
        )],
    );
    let replicas = lines(60, |at| {
        let state = if at == 38 { "DRAINING" } else { "SERVING" };
        format!(
            "replica {{\n  id: {at}\n  zone: \"eu\"\n  state: {state}\n  bytes: 1{at}\n  lease {{ epoch: 10{at} holder: \"node\" }}\n}}"
        )
    });
    let id = place(&replicas, "id: 38");
    assert_shows(
        &replicas,
        &[&format!("state: DRAINING\n below {id}: id: 38")],
    );
}

#[test]
fn the_only_failure_names_its_block() {
    let audit = lines(30, |at| {
        let severity = if at == 17 { "critical" } else { "moderate" };
        format!(
            "package-{at}  <{at}.2.0\nSeverity: {severity}\n{} - https://github.com/advisories/{at}\nfix available via `npm audit fix`\n",
            some_words(at)
        )
    });
    assert_shows(
        &audit,
        &["Severity: critical\n below 86: package-17  <17.2.0"],
    );
}

#[test]
fn translations_that_are_missing_or_uncertain() {
    let catalog = |fuzzy: usize| {
        "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\n".to_owned()
            + &lines(160, |at| {
                let said = if at == 97 {
                    String::new()
                } else {
                    some_words(at + 3)
                };
                let flag = if at == fuzzy { "#, fuzzy\n" } else { "" };
                format!(
                    "#: src/cart.c:{at}\n{flag}msgid \"{}\"\nmsgstr \"{said}\"\n",
                    some_words(at)
                )
            })
    };
    assert_shows(
        &catalog(200),
        &["395: msgstr \"\"\n below 393: #: src/cart.c:97"],
    );
    assert_shows(&catalog(40), &["166: #, fuzzy", "396: msgstr \"\""]);
}

#[test]
fn a_title_and_an_outcome_hide_no_rare_line() {
    let modules = |from: usize, to: usize| -> String {
        (from..to)
            .map(|at| {
                let goal = ["resources", "compiler", "jar"][at % 3];
                format!(
                    "[INFO] --- {goal}:3.3.1 @ {} of {} ---\n[INFO] Nothing to compile - all classes are up to date.\n",
                    some_words(at),
                    some_words(at / 12)
                )
            })
            .collect()
    };
    let log = format!(
        "[INFO] Scanning for projects...\n{}[INFO] Tests are skipped.\n{}[INFO] BUILD SUCCESS\n[INFO] Total time:  01:12 min\n",
        modules(0, 71),
        modules(71, 130)
    );
    assert_shows(&log, &["144: [INFO] Tests are skipped."]);
}

#[test]
fn a_rare_text_in_lists_inside_rows_is_told() {
    let rows: Vec<_> = (0..60)
        .map(|at| {
            let code = match at {
                35 => "const p = fetchPrice(sku) // no await on purpose".to_owned(),
                _ => format!("const {} = await fetchPrice({at})", some_words(at)),
            };
            json!({"name": some_words(at), "text_matches": [{"fragment": code}]})
        })
        .collect();
    assert_shows(
        &json!({"items": rows}).to_string(),
        &["rare: const p = fetchPrice(sku) // no await on purpose 1 at [35]"],
    );
    let cells: Vec<_> = (0..40)
        .map(|at| match at {
            27 => json!({"n": at, "text": ["SettingWithCopyWarning: A value is set on a copy\n"]}),
            _ => json!({"n": at, "text": [some_words(at), some_words(at + 1), some_words(at + 2)]}),
        })
        .collect();
    assert_shows(
        &json!({"cells": cells, "more": "x".repeat(4_000)}).to_string(),
        &[
            "3 each, but 1 at [27]",
            "rare: SettingWithCopyWarning: A value is set",
        ],
    );
}

#[test]
fn of_a_long_rare_text_the_part_is_told_that_others_lack() {
    let text = |at: usize| {
        (0..6)
            .map(|part| some_words(at + part) + " ")
            .collect::<String>()
    };
    let notes: Vec<_> = (0..50)
        .map(|at| {
            let point = if at == 25 {
                "This must not ship: the migration drops billing_email. "
            } else {
                ""
            };
            json!({"id": at, "body": format!("{}{point}{}", text(at), text(at + 2))})
        })
        .collect();
    assert_shows(
        &json!(notes).to_string(),
        &["This must not ship: the migration drops", " 1 at [25]"],
    );
}

#[test]
fn the_times_and_values_of_series_are_columns() {
    let frames = |count: u64, last: u64| -> Vec<_> {
        (0..count)
            .map(|frame| {
                let times: Vec<u64> = (0..40).map(|at| 1_731_400_000_000 + at * 15_000).collect();
                let value = |at: u64| match (frame, at) {
                    (frame, 20) if frame == last => 4096.5,
                    _ => 120.0 + ((frame * 7 + at * 3) % 20) as f64 / 2.0,
                };
                let values: Vec<f64> = (0..40).map(value).collect();
                json!({"schema": {"refId": "A"}, "data": {"values": [times, values]}})
            })
            .collect()
    };
    assert_shows(
        &json!({"frames": frames(12, 4)}).to_string(),
        &[
            "data.values[1][] 40 each, 480 in all, 120.0..129.5, but 4096.5 at [4].data.values[1][20]",
        ],
    );
    let one = json!({"frames": frames(1, 0), "more": "y".repeat(4_000)});
    assert_shows(&one.to_string(), &["4096.5 at [20]"]);
}

#[test]
fn the_one_of_many_plain_lists_whose_numbers_are_unlike_those_of_the_others() {
    let list = |row: u64| -> Vec<f64> {
        let base = if row == 37 { 0.9 } else { 0.1 };
        let value = |at: u64| base + ((row * 7 + at * 3) % 50) as f64 / 1_000.0;
        (0..60).map(value).collect()
    };
    let lists: Vec<_> = (0..70).map(list).collect();
    assert_shows(
        &json!({"series": lists}).to_string(),
        &["median by row ", "at [37]; all 0.1"],
    );
    let named: serde_json::Map<_, _> = (0..70)
        .map(|row| (format!("host-{row:02}"), json!(list(row))))
        .collect();
    assert_shows(&json!(named).to_string(), &["at .host-37; all 0.1"]);
}

#[test]
fn nested_documents_of_yaml_are_no_stanzas() {
    let documents: Vec<String> = (0..30)
        .map(|at| {
            let context = if at == 17 { "        securityContext:\n          privileged: true\n" } else { "" };
            format!(
                "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: shop-{at}\nspec:\n  replicas: 2\n  template:\n    spec:\n      containers:\n      - name: app\n        image: registry.acme.io/shop:4.18.{}\n{context}",
                at % 3
            )
        })
        .collect();
    assert_shows(
        &documents.join("---\n"),
        &[
            "YAML",
            "securityContext: only 1 has ({\"privileged\":true}) at [17]",
        ],
    );
}

#[test]
fn a_call_leads_to_what_is_told_first() {
    let reports = lines(60, |at| {
        let rare = if at == 35 {
            "/src/close.cpp:91:12: warning: 'entry' used after it was moved [bugprone-use-after-move]\n"
        } else {
            ""
        };
        format!(
            "{rare}/src/a{at}.cpp:{at}:4: warning: use auto when initializing with new [modernize-use-auto]\n   {at} |   Foo *x = new Foo();"
        )
    });
    let at = place(&reports, "close.cpp");
    assert_shows(
        &reports,
        &[
            "reports of a compiler",
            &format!("\"lines\":\"{}-{}\"", at - 10, at + 10),
        ],
    );
    let equal = lines(200, |at| match at {
        50 => "-  replicas: 6".to_owned(),
        120 => "=  replicas; 6".to_owned(),
        _ => format!("  image: registry of shop {at}"),
    });
    assert_shows(
        &equal,
        &["51: -  replicas: 6", "121: =", "\"lines\":\"41-61\""],
    );
}

#[test]
fn a_rare_value_of_settings_in_capitals_is_told() {
    const PARTS: [&str; 6] = ["CACHE", "MAIL", "QUEUE", "STORE", "SEARCH", "LEDGER"];
    let text = |odd: &str| {
        lines(216, |at| {
            let [first, second, third] = [1, 6, 36].map(|by| PARTS[at / by % 6]);
            let key = format!("{first}_{second}_{third}");
            match at {
                170 => odd.to_owned(),
                _ if at % 4 == 0 => format!("{key}=true"),
                _ if at % 4 == 1 => format!("{key}=https://{}.internal", PARTS[at % 5]),
                _ => format!("{key}={}", at * 100),
            }
        })
    };
    let odd = "PAYMENTS_SANDBOX=false # must be false in production";
    assert_shows(
        &text(odd),
        &[&format!("171: {odd}\n"), "\"lines\":\"161-181\""],
    );
}
