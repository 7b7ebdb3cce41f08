//! The point of rows: the one with another value.

use serde_json::json;
use summary::Summary;
use tamis_sdk::testing::Bench;

use crate::{assert_hides, assert_shows, hash, lines, place};

#[test]
fn dates_with_a_time_that_are_far_from_all_others() {
    let of = |line: fn(usize) -> String, odd: &str| {
        let text = lines(300, |at| match at {
            140 => odd.to_owned(),
            _ => line(at),
        });
        assert_shows(&text, &[&format!("141: {odd}")]);
    };
    of(
        |at| {
            let month = ["Jan", "Mar", "Jun", "Oct", "Dec"][at % 5];
            format!(
                "notAfter={month} {:2} 08:17:{:02} 202{} GMT",
                1 + at % 28,
                at % 60,
                7 + at % 2
            )
        },
        "notAfter=Nov 28 08:17:58 2019 GMT",
    );
    of(
        |at| {
            let month = ["Jan", "Mar", "Jun", "Oct", "Dec"][at % 5];
            let day = 1 + at % 28;
            format!(
                "site{at}: expires: {month} {day} 08:17:58 202{} GMT",
                7 + at % 2
            )
        },
        "site140: expires: Nov 28 08:17:58 2019 GMT",
    );
    of(
        |at| {
            format!(
                "job {at} last=2026-{:02}-{:02}T08:00:{:02}Z",
                1 + at % 12,
                1 + at % 28,
                at % 60
            )
        },
        "job 140 last=2019-11-28T08:17:58Z",
    );
    // The times of a log go on after midnight.
    let log = lines(300, |at| {
        let (day, seconds) = if at < 298 {
            (27, 86_102 + at)
        } else {
            (28, at - 298)
        };
        let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        format!(
            "time=2026-11-{day}T{hour:02}:{minute:02}:{second:02}Z level=info msg=\"served {at}\""
        )
    });
    assert_hides(&log, &["like few others"]);
}

#[test]
fn one_of_a_dozen_records_has_another_number() {
    let disk = |at: usize| {
        let pending = if at == 7 { 184 } else { 0 };
        let hours = 10_000 + at * 711 % 9_000;
        format!(
            "=== /dev/sd{} ===\n  5 Reallocated_Sector_Ct   0x0033   100   100   010    Pre-fail  Always       -       0\n  9 Power_On_Hours          0x0032   100   100   000    Old_age   Always       -       {hours}\n197 Current_Pending_Sector  0x0032   100   100   010    Old_age   Always       -       {pending}\n198 Offline_Uncorrectable   0x0032   100   100   010    Old_age   Always       -       0\n199 UDMA_CRC_Error_Count    0x0032   100   100   010    Old_age   Always       -       0\n",
            char::from(b'a' + at as u8)
        )
    };
    let text = lines(12, disk);
    let place = place(&text, "184");
    assert_shows(
        &text,
        &[&format!("{place}: 197 Current_Pending_Sector"), "184"],
    );
}

#[test]
fn a_state_among_equal_lines_is_shown_below_a_long_header() {
    let header = "Cluster name: hacluster\nStatus of pacemakerd: 'Pacemaker is running'\n  * 24 nodes configured\n  * 120 resource instances configured\n\nNode List:\n  * Online: [ n0 n1 n2 ]\n  * OFFLINE: [ n17 ]\n\nFull List of Resources:\n";
    let rows = lines(120, |at| {
        let state = match at {
            66 => "Stopped".to_owned(),
            _ => format!("Started n{}", at % 24),
        };
        format!("  * vip_{at} (ocf::heartbeat:IPaddr2): {state}")
    });
    let text = format!("{header}{rows}");
    let point = format!("{}: * vip_66 ", place(&text, "Stopped"));
    assert_shows(&text, &[&point, "\"lines\":\"67-87\""]);
}

#[test]
fn a_few_numbers_among_sizes_have_a_place() {
    let rows = lines(150, |at| {
        let free = match at {
            23 | 40 | 77 | 101 | 149 => "0".to_owned(),
            _ => format!("{}G", 7 + at % 90),
        };
        format!("/dev/sd{at:<8} {free:>5} /srv/data{at}")
    });
    let text = format!("Filesystem      Avail Mounted on\n{rows}");
    assert_shows(
        &text,
        &["Avail: 5 numbers 0, first at [23], 145 strings 7G..96G"],
    );
}

#[test]
fn totals_below_a_rule_are_told() {
    let rows = lines(120, |at| {
        let name = format!("src/app/mod_{at}.py");
        format!(
            "{name:<40} {:>5} {:>6} {:>5}%",
            100 + at,
            at % 9,
            91 + at % 9
        )
    });
    let rule = "-".repeat(70);
    let header = "Name                                     Stmts   Miss  Cover";
    let text = format!(
        "{header}\n{rule}\n{rows}{rule}\n{:<40} 19140    480    97%\n",
        "TOTAL"
    );
    assert_shows(&text, &["after: TOTAL ", " 19140    480    97%\n"]);
}

#[test]
fn ids_without_digits_by_chance_are_no_rare_values() {
    let rows = |other: &str| {
        let row = |at: usize| {
            let end = ["7f3a", "b21c", "0e9d", "4c4c"][at % 4];
            let end = if at == 31 { "fddb" } else { end };
            let name = if at == 90 {
                other.to_owned()
            } else {
                format!("{}-{end}", hash(at))
            };
            json!({"id": name, "load": at % 17 + 20})
        };
        json!((0..400).map(row).collect::<Vec<_>>()).to_string()
    };
    assert_hides(&rows("0a1b2c3-7f3a"), &["fddb", "rare"]);
    assert_shows(
        &rows("dead-letters"),
        &["rare: like dead-letters 1 at [90]"],
    );
    // All begin with the name of their kind.
    let rows = |other: &str| {
        let id = |at: usize| match at {
            90 => other.to_owned(),
            31 => "cus_QvKbTzDfMe".to_owned(),
            _ => format!("cus_{}x{}", &hash(at)[..4], &hash(at + 400)[..5]),
        };
        let rows = (0..400).map(|at| json!({"id": id(at), "load": at % 17 + 20}));
        json!(rows.collect::<Vec<_>>()).to_string()
    };
    assert_hides(&rows("cus_0a1bx2c3d4"), &["rare"]);
    assert_shows(
        &rows("org_QvKbTzDfMe"),
        &["rare: like org_QvKbTzDfMe 1 at [90]"],
    );
}

#[test]
fn lists_of_numbers_are_no_decimals() {
    let rows = |last: &str| {
        let uncovered = |at: usize| match at % 3 {
            0 => format!("{},{}", at + 3, at % 90 + 2),
            1 => format!("{},{}", at + 3, last),
            _ => format!("{},{}", at + 3, at % 9),
        };
        let rows = (0..400).map(|at| json!({"file": at, "uncovered": uncovered(at)}));
        json!(rows.collect::<Vec<_>>()).to_string()
    };
    assert_hides(&rows("145"), &["decimals", "uncovered 3,"]);
    assert_shows(&rows("14"), &["uncovered 3,2..402,41"]);
}

#[test]
fn rows_that_do_not_fit_have_their_titles() {
    let rows = |count: usize| {
        let rows = (0..count).map(|at| {
            let hash = |at: usize| format!("{:016x}", (at + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)).repeat(3);
            let (hash, parent) = (hash(at), hash(at + 1));
            let subject = format!("Part {at} of the work, {} which took a long while to write", "very ".repeat(at % 9));
            let body = (at % 30 == 7).then(|| "words ".repeat(40));
            json!({"hash": hash, "short": hash[..7], "author": "a person", "mail": "person@mail.example",
                "time": 1_795_871_119 - 1_000 * at, "subject": subject, "body": body,
                "parents": [parent]})
        });
        json!({"success": true, "commits": rows.collect::<Vec<_>>()})
    };
    let shown = ["first by subject: Part 0 of the work, "];
    assert_shows(&rows(60).to_string(), &shown);
    // The ids of parents are those of other rows, on one line or on several.
    let mut rows = rows(60);
    rows["commits"][18]["subject"] =
        json!("Revert \"auth: a token\" because of the outage at night");
    let pretty = serde_json::to_string_pretty(&rows).expect("JSON");
    assert_shows(&pretty, &shown);
    assert_hides(&pretty, &["first by parents"]);
}

/// Rows with titles of rare words, of which one row has another number and a few another flag.
fn products(title: &str) -> String {
    const WORDS: [&str; 12] = [
        "Steel", "Oak", "Glass", "Linen", "Copper", "Wool", "table", "chair", "shelf", "lamp",
        "rug", "bowl",
    ];
    let rows = (0..120).map(|at| {
        let of = |by: usize| WORDS[(at * by + at / by) % 12];
        let name = match at {
            14 => title.to_owned(),
            _ => format!("{} {} {} {at}", of(7), of(5), of(11)),
        };
        let stock = if at == 87 { -214 } else { (at * 37 % 480 + 7) as i32 };
        let action = if at == 61 { "grant" } else { ["view", "login"][at % 2] };
        json!({"sku": format!("SKU-{at:04}"), "title": name, "stock": stock, "action": action, "ok": at % 30 != 9})
    });
    serde_json::to_string_pretty(&rows.collect::<Vec<_>>()).expect("JSON")
}

#[test]
fn a_value_that_no_other_row_has_comes_before_rare_words_and_values_of_several_rows() {
    let text = products("Velvet bench of the season");
    let shown = [
        "rare: Velvet bench of the season 1 at [14]",
        "but -214 at [87]",
        "\n [61] ",
        "\"path\":\"$[61]\"",
    ];
    assert_shows(&text, &shown);
    let text = text.replace("\"grant\"", "\"view\"");
    assert_shows(&text, &["\n [87] ", "\"path\":\"$[87]\""]);
    // The title of the document is above its first paragraph.
    let rows = (0..90).map(|at| {
        let text = match at {
            0 => "Agreement between two parties".to_owned(),
            66 => {
                "Notwithstanding clause nine, liability is unlimited under foreign law".to_owned()
            }
            _ => format!("{at} The customer shall pay the charges within {at} days"),
        };
        json!({"style": if at == 0 { "Title" } else { "Normal" }, "text": text})
    });
    let text = json!(rows.collect::<Vec<_>>()).to_string();
    assert_shows(&text, &["Title 1 at [0]", "\"path\":\"$[66]\""]);
}

#[test]
fn a_list_in_a_cell_shows_its_text() {
    let title = |at: usize| {
        json!([{"type": "text", "annotations": {"bold": false, "color": "default"},
            "text": {"content": format!("Task {at}"), "link": null}, "plain_text": format!("Task {at}")}])
    };
    let rows: Vec<_> = (0..60)
        .map(|at| json!({"done": at % 2 == 0, "title": title(at), "url": format!("https://notes.example/{at}")}))
        .collect();
    assert_shows(&json!({ "results": rows }).to_string(), &["[…Task 0…]"]);
}

#[test]
fn an_error_that_is_data_is_told_as_data() {
    let errors: Vec<_> = (0..120)
        .map(|at| {
            let message = if at == 70 {
                "unknown sku ZX-9"
            } else {
                "must be > 0"
            };
            json!({"loc": ["body", "items", at, "qty"], "msg": message, "type": "value_error"})
        })
        .collect();
    let json = serde_json::to_string_pretty(&json!({ "errors": errors })).expect("JSON");
    for text in [json.clone(), format!("Error: {json}")] {
        let applied = Bench::<Summary>::new("{}").is_error(true).apply(&text);
        let summary = applied.text();
        let point = "msg: must be > 0 119, unknown sku ZX-9 1 at [70]";
        assert!(summary.contains(point), "{summary}");
        assert!(
            !text.starts_with("Error") || summary.contains("before: Error:"),
            "{summary}"
        );
    }
    // A long message keeps its beginning.
    let message = format!("the first words {}", "and more of them ".repeat(400));
    let applied = Bench::<Summary>::new("{}")
        .is_error(true)
        .apply(&json!({"error": message}).to_string());
    assert!(
        applied
            .text()
            .starts_with("{\"error\":\"the first words and more"),
        "{}",
        applied.text()
    );
}

#[test]
fn rows_of_a_tree_are_shown_if_they_are_announced() {
    let file = |name: String, folder: &str| {
        json!({"name": name, "path": format!("/tmp/data/proj{folder}/{name}"), "type": "file", "size": 200 + name.len() * 7,
            "size_readable": format!("{}.00 B", 200 + name.len() * 7), "modified": "2026-11-28T13:09:08.868Z"})
    };
    let files: Vec<_> = (0..80)
        .map(|at| file(format!("module_{at}.ts"), "/src"))
        .collect();
    let names = [
        "Cargo.toml",
        "NOTES.md",
        "docker-compose.yaml",
        "package.json",
    ];
    let mut children: Vec<_> = names
        .iter()
        .map(|name| file((*name).to_owned(), ""))
        .collect();
    children.push(
        json!({"name": "src", "path": "/tmp/data/proj/src", "type": "directory", "size": 4096,
        "size_readable": "4.00 KB", "modified": "2026-11-28T13:09:08.868Z", "children": files}),
    );
    let tree = json!({"tree": {"name": "proj", "path": "/tmp/data/proj", "type": "directory", "size": 4096,
        "size_readable": "4.00 KB", "modified": "2026-11-28T13:09:08.868Z", "children": children},
        "total_items": 38, "truncated": false, "depth": 5, "ready": true, "as_of": "2026-11-28T13:09:08.868Z"});
    assert_shows(&tree.to_string(), &[" rows with none below: Cargo.toml, "]);
    assert_hides(&tree.to_string(), &["by row"]);
}

#[test]
fn an_empty_text_is_not_told_as_if_it_were_the_most_frequent_one() {
    let row = |at: usize| {
        json!({"file": format!("src/mod{}.ts", at % 7), "context": [
            {"text": format!("export function fn{at}() {{"), "is_match": false},
            {"text": "", "is_match": false},
            {"text": "}", "is_match": false},
            {"text": format!("  // TODO: check {at}"), "is_match": true},
        ]})
    };
    let rows: Vec<_> = (0..100).map(row).collect();
    assert_shows(&json!(rows).to_string(), &["context[*].is_match: "]);
    assert_hides(&json!(rows).to_string(), &["\"\" 100"]);
    // If all others are rarer, it is the most frequent one.
    let rows: Vec<_> = (0..100)
        .map(|at| match at {
            5 => json!({"file": "src/mod5.ts", "context": [{"text": "x", "is_match": false}, {"text": "", "is_match": false}]}),
            _ => row(at),
        })
        .collect();
    assert_shows(&json!(rows).to_string(), &["context[*].text: \"\" 100"]);
}

#[test]
fn values_come_before_the_numbers_of_rows_without_them() {
    let row = |number: usize| {
        let mut row = json!({"name": format!("site number {number}"), "state": "current"});
        for at in 0..60 {
            if number == 0 {
                row[format!("part{at}_title")] = format!("Words of part {at}").into();
            }
            row[format!("note_{at}")] = format!("{}{}", "words ".repeat(5), at * number).into();
        }
        if number == 0 {
            row["timeout"] = 26.into();
        }
        row
    };
    let rows: Vec<_> = (0..3).map(row).collect();
    let told = crate::summary(&json!(rows).to_string());
    let place = |part: &str| told.find(part).unwrap_or(usize::MAX);
    assert!(
        place("\n timeout 26, missing 2") < place(": missing 2"),
        "{told}"
    );
}

#[test]
fn a_rare_text_in_pairs_inside_rows_is_told() {
    const WORDS: [&str; 12] = [
        "order", "basket", "payment", "shelf", "window", "river", "garden", "letter", "station",
        "market", "engine", "bridge",
    ];
    let stream = |app: usize| {
        let pair = |at: usize| {
            let [one, other] = [app * 7 + at, at / 3 + app].map(|it| WORDS[it % 12]);
            let text = match (app, at) {
                (3, 17) => "retrying: deadlock detected".to_owned(),
                _ => format!("stored the {one} of a {other} in {at} ms"),
            };
            json!([at.to_string(), text])
        };
        json!({"app": format!("app-{app}"), "values": (0..40).map(pair).collect::<Vec<_>>()})
    };
    let streams: Vec<_> = (0..12).map(stream).collect();
    assert_shows(
        &json!({"result": streams}).to_string(),
        &["values[*][1]: rare: retrying: deadlock detected 1 at [3].values[17]\n"],
    );
}

#[test]
fn one_of_six_series_with_other_numbers_is_told() {
    let text = |count: usize| {
        let series = |at: usize| {
            let base = if at == 4 { 900 } else { 10 + at % 3 };
            let values: Vec<_> = (0..200)
                .map(|time| json!([time, base + time % 4]))
                .collect();
            json!({"job": format!("job-{at}"), "values": values})
        };
        json!((0..count).map(series).collect::<Vec<_>>()).to_string()
    };
    let medians = "values[*][1]: median by row 11..13, but 901 at [4]; all 10..903\n";
    assert_shows(&text(6), &[medians]);
    assert_hides(&text(5), &["median"]);
}

#[test]
fn a_line_between_rows_that_is_none_is_shown() {
    let row = |at: usize| match at {
        30 => "the copy of shard seven is stale".to_owned(),
        _ => format!(" {at:4} | user{at:<6} | ok"),
    };
    let rows = lines(200, row);
    assert_shows(
        &format!("   id | name       | state\n------+------------+-------\n{rows}(199 rows)\n"),
        &[
            "33: the copy of shard seven is stale\n",
            "table in lines 1-202 without line 33, which is no row:\n$.rows: 199 rows\n",
        ],
    );
}
