//! What is rare in a column is told with its rows: a state that failed, a value that one row has, a null in a list.

use serde_json::{Map, Value, json};
use summary::Summary;
use tamis_sdk::testing::Bench;

#[track_caller]
fn summary(text: &str) -> String {
    let applied = Bench::<Summary>::new("{}").apply(text);
    assert!(applied.changed, "not summarised: {text:.200}");
    applied.text().to_owned()
}

/// The summary of rows with an id and a description, and with the members that `of` adds.
#[track_caller]
fn of_rows(count: usize, of: impl Fn(usize, &mut Map<String, Value>)) -> String {
    let row = |at: usize| {
        let mut row = Map::new();
        row.insert("id".to_owned(), json!(at));
        let about = format!(
            "the {} part of the {} order, as the book of all orders has it",
            at * 7 % 31,
            at * 5 % 23
        );
        row.insert("about".to_owned(), json!(about));
        of(at, &mut row);
        Value::Object(row)
    };
    summary(&Value::Array((0..count).map(row).collect()).to_string())
}

#[track_caller]
fn assert_told(summary: &str, parts: &[&str]) {
    for part in parts {
        assert!(summary.contains(part), "{part:?} is not told:\n{summary}");
    }
}

#[test]
fn ranges_of_large_whole_numbers_are_exact() {
    let id = |at: usize| 1_790_000_000_000_000_000 + (at * 77 % 200) as u64;
    let told = of_rows(200, |at, row| {
        row.insert("number".to_owned(), json!(id(at)));
        row.insert("text".to_owned(), json!(id(at).to_string()));
    });
    assert_told(
        &told,
        &[
            " number 1790000000000000000..1790000000000000199\n",
            " text \"1790000000000000000\"..\"1790000000000000199\"\n",
        ],
    );
}

#[test]
fn rows_without_the_object_around_a_member_lack_the_member() {
    let told = of_rows(90, |at, row| {
        let spec = match at % 3 {
            0 => json!({"mode": if at.is_multiple_of(2) { "slow" } else { "fast" }, "zone": "a"}),
            1 => json!({"zone": "b"}),
            _ => return,
        };
        row.insert("spec".to_owned(), spec);
    });
    assert_told(&told, &[" spec.mode: slow 15, fast 15, missing 60\n"]);
    let told = of_rows(90, |at, row| {
        let cost = match at {
            50 => json!({"error": "#ERROR!"}),
            60 => json!({"value": "NaN"}),
            _ => json!(40 + at * 13 % 800),
        };
        row.insert("cost".to_owned(), cost);
    });
    assert_told(
        &told,
        &[
            "cost.error: only 1 has (#ERROR!) at [50], missing 89",
            "2 objects",
        ],
    );
}

#[test]
fn failures_among_many_states_are_named() {
    let told = of_rows(120, |at, row| {
        let state = match at {
            17 => "OOMKilled",
            44 | 90 => "Evicted",
            at => [
                "Running", "Pending", "Done", "Queued", "Ready", "Paused", "New", "Held",
            ][at % 8],
        };
        row.insert("phase".to_owned(), json!(state));
    });
    assert_told(
        &told,
        &[
            "10 different: ",
            "Evicted 2 at [44], [90]",
            "OOMKilled 1 at [17], …",
        ],
    );
    // All are named, if one is more frequent than all others together.
    let told = of_rows(120, |at, row| {
        let state = match at {
            17 => "Terminating",
            23 => "Init:0/2",
            at if at % 16 == 0 => ["New", "Held", "Paused", "Queued", "Old"][at / 16 % 5],
            _ => "Running",
        };
        row.insert("phase".to_owned(), json!(state));
    });
    assert_told(&told, &["Terminating 1", "Init:0/2 1"]);
}

#[test]
fn failures_among_states_with_numbers_are_told() {
    let told = of_rows(90, |at, row| {
        let health = if at == 23 || at == 51 {
            " (unhealthy)"
        } else {
            ""
        };
        let status = format!("Up {} hours{health}", at + 2);
        row.insert("status".to_owned(), json!(status));
    });
    assert_told(
        &told,
        &["rare: like Up 25 hours (unhealthy) 2 at [23], [51]"],
    );
}

#[test]
fn a_value_of_a_few_rows_is_told_with_them() {
    let rows = [12, 40, 71];
    let told = of_rows(150, |at, row| {
        let is_odd = rows.contains(&at);
        row.insert(
            "level".to_owned(),
            json!(if is_odd { "error" } else { "info" }),
        );
        row.insert("rank".to_owned(), json!(if is_odd { 50 } else { 30 }));
    });
    assert_told(
        &told,
        &[
            " level: info 147, error 3 at [12], [40], [71]\n",
            " rank: 30 147, 50 3 at [12], [40], [71]\n",
            "\n [12] ",
        ],
    );
    // With more rows, the first is told.
    let told = of_rows(150, |at, row| {
        let is_odd = at % 17 == 3;
        row.insert(
            "level".to_owned(),
            json!(if is_odd { "error" } else { "info" }),
        );
    });
    assert_told(&told, &[" level: info 141, error 9, first at [3]\n"]);
}

#[test]
fn the_value_that_one_row_has_is_told() {
    let told = of_rows(130, |at, row| {
        if at == 71 {
            row.insert("cause".to_owned(), json!("No space left on device"));
        }
    });
    assert_told(
        &told,
        &[" cause: only 1 has (No space left on device) at [71], missing 129\n"],
    );
    // A cut has a mark.
    for (length, shown) in [
        (100, format!("({})", "x".repeat(100))),
        (101, format!("({}…)", "x".repeat(99))),
        (300, format!("({}…)", "x".repeat(99))),
    ] {
        let told = of_rows(130, |at, row| {
            if at == 71 {
                row.insert("cause".to_owned(), json!("x".repeat(length)));
            }
        });
        assert_told(&told, &[&format!(" cause: only 1 has {shown} at [71]")]);
    }
}

#[test]
fn nulls_in_lists_are_counted() {
    let told = of_rows(90, |at, row| {
        let mut load = vec![json!(at % 9), json!(at), json!(at * at)];
        if at == 40 {
            load[1] = Value::Null;
        }
        row.insert("load".to_owned(), Value::Array(load));
    });
    assert_told(&told, &["270 in all, 0..7921, 1 null at [40].load[1]\n"]);
}

#[test]
fn the_object_in_a_list_that_lacks_a_member_is_told() {
    for (lists, place) in [(1, "[41]"), (2, "[41].spec.parts[1]")] {
        let told = of_rows(90, |at, row| {
            let part = |of: usize| match (at, of) {
                (41, of) if of + 1 == lists => json!({"name": format!("p{at}")}),
                _ => json!({"name": format!("p{at}"), "limits": {"memory": 512}}),
            };
            let parts: Vec<Value> = (0..lists).map(part).collect();
            row.insert("spec".to_owned(), json!({ "parts": parts }));
        });
        let told_place = format!(" spec.parts[*].limits: missing 1 at {place}\n");
        assert_told(&told, &[&told_place, "\n [41] "]);
    }
}

#[test]
fn a_rare_text_in_a_list_is_told() {
    let told = of_rows(60, |at, row| {
        let environment = if at == 41 { "test" } else { "prod" };
        let host = if at == 17 { "/" } else { "/srv/" };
        let port = format!("PORT={}", 8_000 + at);
        let lists = json!({
            "Env": ["TZ=UTC", port, format!("DB={environment}")],
            "Binds": [format!("{host}a{at}:/data")],
            "Tags": [{"Key": "Name", "Value": format!("{}x", "abcdefg".split_at(at % 7).1.repeat(1 + at / 7))},
                {"Key": "Env", "Value": environment.to_uppercase()}],
        });
        row.extend(lists.as_object().expect("an object").clone());
    });
    let parts = [
        "rare: like DB=test 1 at [41].Env[2]\n",
        "rare: like /a17:/data 1 at [17]\n",
        " Tags[*].Value: rare: TEST 1 at [41].Tags[1]\n",
    ];
    assert_told(&told, &parts);
}

#[test]
fn a_failure_is_the_first_of_many_rare_keys() {
    for key in ["error", "last_payment_error"] {
        let told = of_rows(120, |at, row| {
            if at % 4 == 1 {
                row.insert(format!("extra_{at}"), json!(at));
            }
            if at == 73 {
                row.insert(key.to_owned(), json!({"code": "E_QUOTA"}));
            }
        });
        let shown =
            format!("keys that few rows have: {key} 1 ({{\"code\":\"E_QUOTA\"}}) at [73], ");
        assert_told(&told, &[&shown]);
    }
}

#[test]
fn a_rare_state_is_told_whatever_its_column_is_called() {
    let told = of_rows(60, |at, row| {
        for place in 0..40 {
            let state = ["open", "shut", "held", "sent", "paid"][(at + at / 7 * place) % 5];
            row.insert(format!("state_{place}"), json!(state));
        }
        row.insert("node.reachable".to_owned(), json!(at != 50));
        let errors = if at == 40 { 99_121 } else { 0 };
        row.insert("checksum_errors".to_owned(), json!(errors));
    });
    assert_told(
        &told,
        &[
            "true 59, false 1 at [50]",
            "checksum_errors: 0 59, 99121 1 at [40]",
        ],
    );
}

#[test]
fn a_value_among_addresses_that_is_none_is_told() {
    let told = of_rows(150, |at, row| {
        let url = match at {
            70 => "N/A".to_owned(),
            71 => "http://shop.example/71".to_owned(),
            at => format!("https://shop.example/{at}"),
        };
        row.insert("link".to_owned(), json!(url));
        let image = match at {
            73 => json!(404),
            at => json!(format!("https://images.example/{at}.png")),
        };
        row.insert("image".to_owned(), image);
    });
    assert_told(
        &told,
        &[
            "N/A 1 at [70]",
            "http://shop.example/71 1 at [71]",
            " image: 1 number (404) at [73], 149 strings\n",
        ],
    );
}

#[test]
fn a_map_with_one_odd_entry_is_a_map() {
    let numbers = |odd: Value| {
        let entries = (0..300).map(|at| {
            let value = if at == 111 {
                odd.clone()
            } else {
                json!(1 + at * 37 % 890)
            };
            (format!("C{at:03} of the currencies"), value)
        });
        summary(&json!({"rates": entries.collect::<Map<_, _>>()}).to_string())
    };
    let key = "[\"C111 of the currencies\"]";
    for (odd, told) in [
        (Value::Null, "1..889, null 1 at"),
        (json!("N/A"), ": 299 numbers 1..889, 1 string (N/A) at"),
    ] {
        let told = format!("$.rates: 300 entries by key {told} {key}\n").replace("key :", "key:");
        assert_told(&numbers(odd), &[&told]);
    }
    let objects = |odd: Value| {
        let entries = (0..120).map(|at| {
            let up = json!({"up": true, "ms": at * 7 % 90, "version": "1.2.0 of this year"});
            (
                format!("svc-{at:02}"),
                if at == 77 { odd.clone() } else { up },
            )
        });
        summary(&json!({"services": entries.collect::<Map<_, _>>()}).to_string())
    };
    for (odd, told) in [
        (Value::Null, " : null 1 at .svc-77\n"),
        (
            json!("unreachable"),
            " : 119 objects, 1 string (unreachable) at .svc-77\n",
        ),
        (
            json!([]),
            " : 119 objects, 1 list of 0 at .svc-77, 0 in all\n",
        ),
    ] {
        let told = [
            "$.services: 120 entries by key\n",
            told,
            " ms 0..88\n",
            " first 2: key|ms\n",
        ];
        assert_told(&objects(odd), &told);
    }
}

#[test]
fn members_that_say_that_a_result_is_not_all_come_first() {
    let mut document: Map<String, Value> = (0..40)
        .map(|at| (format!("stat_{at:02}"), json!(at * 7_919)))
        .collect();
    let rows = |at: usize| json!({"id": at, "text": "a row of some words that take room"});
    document.insert("rows".to_owned(), (0..150).map(rows).collect());
    document.insert("hasMore".to_owned(), json!(true));
    document.insert("nextToken".to_owned(), json!("abc"));
    document.insert("pageInfo".to_owned(), json!({"hasNextPage": true}));
    document.insert("warnings".to_owned(), json!(["index stale since May"]));
    document.insert("truncated".to_owned(), json!(false));
    let told = summary(&Value::Object(document).to_string());
    let first: Vec<&str> = told.lines().skip(1).take(4).collect();
    assert_eq!(
        first,
        [
            "hasMore: true",
            "nextToken: \"abc\"",
            "pageInfo.hasNextPage: true",
            "warnings: [\"index stale since May\"]",
        ],
        "{told}"
    );
    assert!(!told.contains("truncated"), "{told}");
}

#[test]
fn a_small_table_with_a_failure_is_described_before_large_ones() {
    let row = |at: usize| json!({"id": at, "text": "a row of some words that take room"});
    let job = |at: usize| {
        let (state, error) = match at {
            20 => ("failed", json!("exit code 137")),
            _ => ("ok", Value::Null),
        };
        json!({"job": at, "state": state, "error": error})
    };
    let rows = |count: usize| (0..count).map(row).collect::<Vec<_>>();
    let jobs: Vec<Value> = (0..50).map(job).collect();
    let told = summary(&json!({"users": rows(300), "assets": rows(310), "jobs": jobs}).to_string());
    assert_told(
        &told,
        &[
            " state: ok 49, failed 1 at [20]\n",
            " error: null 49, exit code 137 1 at [20]\n",
        ],
    );
    // A table that is only named is named with its rare value.
    let tables = (0..12).map(|table| {
        // Lists of like records would be one table.
        let job = |at: usize| {
            let mut job = job(at);
            for name in ["queue", "host", "owner"] {
                job[format!("{name}_{table}")] = json!(at % 3);
            }
            job
        };
        let jobs: Vec<Value> = (table..table + 60).map(job).collect();
        (format!("jobs_{table}"), Value::Array(jobs))
    });
    let told = summary(&Value::Object(tables.collect()).to_string());
    assert_told(
        &told,
        &["$.jobs_0: 60 rows; state: ok 59, failed 1 at [20] (\"exit code 137\")\n"],
    );
    let lists = (0..12).map(|list| {
        let jobs: Vec<Value> = (0..60)
            .map(|at| job(if list == 7 { at } else { 40 + at }))
            .collect();
        (format!("jobs_{list}"), Value::Array(jobs))
    });
    let mut lists: Map<String, Value> = lists.collect();
    lists.insert("total".to_owned(), json!(720));
    let told = summary(&Value::Object(lists).to_string());
    assert_told(
        &told,
        &[
            "1 number 720, first at .total",
            " [*].state: ok 719, failed 1 at .jobs_7[20]\n",
            "\"query\":\"SELECT … FROM rows\"",
        ],
    );
}

#[test]
fn numbers_with_a_unit_have_a_range() {
    let told = of_rows(150, |at, row| {
        let ms = if at == 70 { 94_000 } else { 5 + at * 7 % 80 };
        row.insert("took".to_owned(), json!(format!("{ms}ms")));
        row.insert("used".to_owned(), json!(format!("{}%", at * 7 % 99)));
        let cost = if at == 80 {
            88_123
        } else {
            1_001 + at * 13 % 900
        };
        let cost = format!("${},{:03}.50", cost / 1_000, cost % 1_000);
        row.insert("cost".to_owned(), json!(cost));
        // Units that differ are no numbers.
        let size = format!("{}{}", at, ["Mi", "Gi"][at % 2]);
        row.insert("size".to_owned(), json!(size));
    });
    assert_told(
        &told,
        &[
            " took 5ms..84ms, but 94000ms at [70]\n",
            " used 0%..98%\n",
            " cost $1,001.50..$1,898.50, but $88,123.50 at [80]\n",
        ],
    );
    assert!(!told.contains(" size "), "{told}");
}

#[test]
fn durations_and_times_have_a_range() {
    let rows: Vec<Value> = (0..300)
        .map(|at| json!({
            "job": format!("j{at}"),
            "at": format!("{:02}:{:02}:{:02}", at / 60, at % 60, at * 7 % 60),
            "took": if at == 123 { "6h52m".to_owned() } else { format!("{}m{:02}s", at % 40 + 1, at * 7 % 60) },
            "age": match at % 3 { 0 => format!("{}d", at % 9 + 1), 1 => format!("{}h", at % 23 + 1), _ => format!("{}h{}m", at % 5 + 1, at % 59 + 1) },
        }))
        .collect();
    let summary = summary(&json!(rows).to_string());
    for part in [
        " at 00:00:00..04:59:53\n",
        "but 6h52m at [123]",
        " age 1h..7d\n",
    ] {
        assert!(summary.contains(part), "{part}:\n{summary}");
    }
}

#[test]
fn numbers_that_json_lacks() {
    let row = |at: usize| {
        format!(
            "{{\"id\":{at},\"loss\":{}}}",
            if at == 77 {
                "NaN".to_owned()
            } else {
                format!("0.{at:03}")
            }
        )
    };
    let rows: Vec<String> = (0..400).map(row).collect();
    for text in [
        format!("[{}]", rows.join(",")),
        format!("{{\"rows\": [{}]}}", rows.join(", ")),
        rows.join("\n"),
    ] {
        let summary = summary(&text);
        assert!(summary.contains("1 string (\"NaN\") at [77]"), "{summary}");
    }
}

#[test]
fn the_row_whose_list_has_another_length() {
    let told = of_rows(70, |at, row| {
        row.insert(
            "reactions".to_owned(),
            json!(vec!["eyes"; usize::from(at == 33)]),
        );
        row.insert(
            "users".to_owned(),
            json!(vec![format!("vm-{at}"); usize::from(at != 12)]),
        );
    });
    assert_told(
        &told,
        &[
            " reactions[] 0 each, but 1 at [33], 1 in all, all eyes\n",
            " users[] 1 each, but 0 at [12], 69 in all",
        ],
    );
}

#[test]
fn rows_with_one_member_are_the_lines_of_a_text() {
    let plan = |at: usize| {
        let (rows, cost) = if at == 33 {
            (48_123_123, 991_231)
        } else {
            (1, 8)
        };
        json!({"QUERY PLAN": format!("  ->  Index Scan using orders_{at} on orders (cost=0..{cost} rows={rows} width=8)")})
    };
    let rows: Vec<Value> = (0..70).map(plan).collect();
    let told = summary(&json!(rows).to_string());
    assert_told(
        &told,
        &[
            "$: 70 rows of [\"QUERY PLAN\"], a text whose line 1 is row 0, of ",
            "\n34: ->  Index Scan using orders_33 on orders (cost=0..991231 rows=48123123 width=8)\n",
            "\"rows\":\"0:",
        ],
    );
    // Texts of several lines stay values of rows.
    let rows: Vec<Value> = (0..200)
        .map(|at| json!({"body": format!("the first line of {at}, which says more\nand the second, longer one")}))
        .collect();
    let told = summary(&json!(rows).to_string());
    assert!(told.contains("$: 200 rows\n"), "{told}");
}

#[test]
fn a_line_of_a_log_in_rows_that_is_unlike_the_others() {
    let lines = |odd: &str| {
        of_rows(90, |at, row| {
            let line = match at {
                61 => odd.to_owned(),
                _ => format!(
                    "level={} ts=2026-11-20T08:{:02}:00Z msg=\"{}\" dur={}ms",
                    if at % 3 == 0 { "debug" } else { "info" },
                    at % 60,
                    ["request served", "cache refreshed", "token verified"][at % 7 % 3],
                    10 + at * 7 % 50
                ),
            };
            row.insert("line".to_owned(), json!(line));
        })
    };
    for odd in [
        "level=warn ts=2026-11-20T08:01:00Z msg=\"replica lag high\" dur=20ms",
        "level=info ts=2026-11-20T08:01:00Z msg=\"request served\" dur=48211ms",
        "level=info ts=2026-11-20T08:01:00Z msg=\"request served\" dur=-3ms",
    ] {
        assert_told(&lines(odd), &[&format!("{odd} 1 at [61]")]);
    }
}

#[test]
fn a_name_of_another_origin() {
    let told = of_rows(90, |at, row| {
        let (domain, net, folder, tag) = match at {
            61 => (
                "gmail.example",
                "45.155.205.9".to_owned(),
                "vendor",
                "latest",
            ),
            _ => (
                "acme.example",
                format!("10.2.{}.{}", at % 7, at),
                "src",
                "1.4",
            ),
        };
        row.insert("email".to_owned(), json!(format!("user.{at}@{domain}")));
        row.insert("address".to_owned(), json!(net));
        row.insert(
            "file".to_owned(),
            json!(format!("{folder}/a{}/b{at}.rs", at % 5)),
        );
        row.insert(
            "image".to_owned(),
            json!(format!("registry.example.com/svc-{at}:{tag}")),
        );
    });
    for rare in [
        "user.61@gmail.example 1 at [61]",
        "45.155.205.9 1 at [61]",
        "vendor/a1/b61.rs 1 at [61]",
        "registry.example.com/svc-61:latest 1 at [61]",
    ] {
        assert_told(&told, &[rare]);
    }
    let told = of_rows(90, |at, row| {
        let host = if at == 61 {
            "login-acme.example.org"
        } else {
            "shop.example.com"
        };
        row.insert(
            "url".to_owned(),
            json!(format!("https://{host}/orders/{at}")),
        );
    });
    assert_told(
        &told,
        &["https://login-acme.example.org/orders/61 1 at [61]"],
    );
}

#[test]
fn dates_far_from_all_others_are_told() {
    let told = of_rows(90, |at, row| {
        let due = format!("2026-{:02}-{:02}", 1 + at % 9, 1 + at % 28);
        let due = if at == 61 { "2062-01-01" } else { &due };
        let seen = format!("2026-11-02T08:{:02}:{:02}Z", at % 60, at * 7 % 60);
        let seen = match at {
            17 => "2019-11-02T08:00:00Z",
            40 => "2019-11-02T09:30:00Z",
            _ => &seen,
        };
        row.insert("due".to_owned(), json!(due));
        row.insert("seen".to_owned(), json!(seen));
    });
    assert_told(
        &told,
        &[
            " due 2026-01-01..2026-09-27, but 2062-01-01 at [61]\n",
            " seen 2026-11-02T08:00:00Z..2026-11-02T08:59:53Z, but 2019-11-02T08:00:00Z at [17], but 2019-11-02T09:30:00Z at [40]\n",
        ],
    );
}

#[test]
fn two_numbers_far_from_all_others_are_both_told() {
    let told = of_rows(90, |at, row| {
        let wait = match at {
            17 => 40_000,
            40 => 41_000,
            _ => at % 20,
        };
        row.insert("wait".to_owned(), json!(wait));
    });
    assert_told(
        &told,
        &[" wait 0..19, but 41000 at [40], but 40000 at [17]\n"],
    );
}

#[test]
fn a_value_in_a_list_has_its_place_in_the_row() {
    let told = of_rows(30, |at, row| {
        let spec = |place: usize| {
            let is_bad = at == 12 && place == 2;
            json!({"state": if is_bad { "failed" } else { "passed" }, "ms": if is_bad { 30_001 } else { (at + place) % 19 }})
        };
        let specs = (0..4).map(spec).collect();
        row.insert("specs".to_owned(), Value::Array(specs));
        row.insert(
            "one".to_owned(),
            json!([{"zone": if at == 3 { "b" } else { "a" }}]),
        );
    });
    assert_told(
        &told,
        &[
            " specs[*].state: passed 119, failed 1 at [12].specs[2]\n",
            " specs[*].ms 0..18, but 30001 at [12].specs[2]\n",
            // The only element needs no place.
            " one[*].zone: a 29, b 1 at [3]\n",
            r#""path":"$[12].specs[2]""#,
        ],
    );
}

#[test]
fn a_column_without_room_names_its_odd_row() {
    let told = of_rows(90, |at, row| {
        for column in 0..30 {
            let value = match at == 60 + column {
                true => 90_000 + column,
                false => (at + column) % 50,
            };
            row.insert(format!("counter_{column:02}"), json!(value));
        }
    });
    assert_told(&told, &["also: ", "counter_17 (odd at [77])"]);
}

#[test]
fn totals_come_before_other_members() {
    let members = (0..30).map(|at| (format!("setting_{at:02}"), json!(at)));
    let mut document: Map<String, Value> = members.collect();
    document.insert(
        "hits".to_owned(),
        json!({"total": {"value": 10000, "relation": "gte"}}),
    );
    let rows = (0..200).map(
        |at| json!({"id": at, "name": format!("a name of many letters {at} of all the names")}),
    );
    document.insert("rows".to_owned(), rows.collect());
    let told = summary(&Value::Object(document).to_string());
    assert_told(
        &told,
        &[r#"hits: {"total":{"value":10000,"relation":"gte"}}"#],
    );
}

#[test]
fn a_lone_object_with_a_failing_state_comes_first() {
    let told = of_rows(90, |at, row| {
        for column in 0..20 {
            row.insert(format!("counter_{column:02}"), json!((at + column) % 50));
        }
        let state = match at {
            40 => json!({"last": {"exitCode": 137, "reason": "OOMKilled"}}),
            _ => json!({"now": {"since": at}}),
        };
        row.insert("state".to_owned(), state);
    });
    let first = told.lines().nth(2).unwrap_or_default();
    assert!(
        first.contains("OOMKilled") && first.contains("[40]"),
        "{told}"
    );
}

#[test]
fn numbers_of_levels_that_fail_are_states_that_failed() {
    for (key, usual, failing) in [
        ("PRIORITY", json!("6"), json!("3")),
        ("PRIORITY", json!(6), json!(0)),
        ("level", json!(30), json!(50)),
        ("levelno", json!(20), json!(40)),
    ] {
        // More rows than those of any rare value.
        let told = of_rows(200, |at, row| {
            let level = if at % 25 == 7 { &failing } else { &usual };
            row.insert(key.to_owned(), level.clone());
        });
        let counts = format!(" {key}: {usual} 192, {failing} 8, first at [7]\n");
        assert_told(&told, &[&counts]);
    }
    // Other numbers under these keys, and these under others.
    for (key, usual, other) in [
        ("level", json!(31), json!(50)),
        ("PRIORITY", json!("9"), json!("3")),
        ("height", json!(30), json!(50)),
    ] {
        let told = of_rows(200, |at, row| {
            let level = if at % 25 == 7 { &other } else { &usual };
            row.insert(key.to_owned(), level.clone());
        });
        assert!(!told.contains(" at [7]"), "{told}");
    }
}

#[test]
fn a_disk_that_is_full_is_told() {
    let of = |name: &str, share: &dyn Fn(usize) -> usize| {
        let row = |at: usize| {
            let share = share(at);
            let (used, left) = (share * 10_000, (100 - share) * 10_000);
            format!(
                "/dev/sd{at:<8} {:>9} {used:>9} {left:>9} {share:>3}% /mnt/data{at}\n",
                1_000_000
            )
        };
        let rows: String = (0..90).map(row).collect();
        summary(&format!(
            "Filesystem      1K-blocks      Used Available {name} Mounted on\n{rows}"
        ))
    };
    let share = |at: usize| 4 + at * 7 % 93;
    let full = of("Use%", &|at| if at == 30 { 100 } else { share(at) });
    assert_told(
        &full,
        &[
            " [\"Use%\"] 4%..96%, but 100% at [30]\n",
            "\n [30] /dev/sd30|",
        ],
    );
    let two = of("Use%", &|at| if at % 60 == 8 { 100 } else { share(at) });
    assert_told(&two, &["%..96%, but 100% at [8], but 100% at [68]\n"]);
    // Of more, the number is told, and where they are.
    let five = of("Use%", &|at| if at % 20 == 8 { 100 } else { share(at) });
    let places = "%..100%, 100% 5 at [8], [28], [48], [68], [88]\n";
    assert_told(&five, &[places, "\n [8] /dev/sd8|"]);
    let many = of("Use%", &|at| if at % 9 == 8 { 100 } else { share(at) });
    assert_told(&many, &["%..100%, 100% 10, first at [8]\n"]);
    let most = of("Use%", &|at| if at % 2 == 1 { 100 } else { share(at) });
    assert!(!most.contains(", 100%"), "{most}");
    // The number of any shares at an end is told.
    let none = of("Cap%", &|at| if at % 20 == 8 { 0 } else { share(at) });
    assert_told(&none, &["0%..96%, 0% 5 at [8], [28], [48], [68], [88]\n"]);
    // Where a share is of something else, one at the end is as others are.
    let other = of("Cap%", &|at| if at == 30 { 100 } else { share(at) });
    assert!(!other.contains("but 100%"), "{other}");
}

#[test]
fn each_of_a_few_values_in_lists_has_its_place() {
    let suite = |at: usize| {
        let spec = |place: usize| {
            let state = match (at, place) {
                (12, 1 | 3) | (20, 2) => "failed",
                _ => "passed",
            };
            json!({"title": format!("case {place} of the suite number {at}"), "state": state})
        };
        json!({"file": format!("a{at}.spec.ts"), "specs": (0..4).map(spec).collect::<Vec<_>>()})
    };
    let told = summary(&(0..30).map(suite).collect::<Value>().to_string());
    for part in [
        " specs[*].state: passed 117, failed 3 at [12].specs[1], [12].specs[3], [20].specs[2]\n",
        r#""path":"$[12].specs[1]""#,
    ] {
        assert!(told.contains(part), "{part} is not shown:\n{told}");
    }
}

#[test]
fn amounts_of_money_have_a_range() {
    let told = of_rows(150, |at, row| {
        let (sign, amount) = (["", "-"][at % 2], 1 + at * 7 % 9);
        row.insert(
            "betrag".to_owned(),
            json!(format!("{sign}{amount}.{:03},50", at * 13 % 900)),
        );
        // Some amounts are below a thousand, or have no decimals.
        let preis = match at % 3 {
            0 => format!("{},50", 12 + at),
            1 => format!("{}", 12 + at),
            _ => format!("1.{:03},05", at),
        };
        row.insert("preis".to_owned(), json!(preis));
        let account = match at % 4 {
            0 => format!("(€4,{:03}.61)", at),
            _ => format!("€{amount},{:03}.75", at),
        };
        row.insert("account".to_owned(), json!(account));
        // Nobody knows the decimal sign.
        let doubtful = match at % 2 {
            0 => format!("1.{:03},50", at),
            _ => format!("1,{:03}.50", at),
        };
        row.insert("doubtful".to_owned(), json!(doubtful));
    });
    assert_told(
        &told,
        &[
            " betrag -9.803,50..9.884,50\n",
            " preis 12,50..1.149,05\n",
            " account (€4,148.61)..€9,149.75\n",
        ],
    );
    assert!(!told.contains("doubtful 1"), "{told}");
    assert!(!told.contains("doubtful: "), "{told}");
}

/// The tests that failed, each in a list of its suite, are named with their places.
#[test]
fn failures_in_lists_are_named() {
    let case = |suite: usize, at: usize| {
        let mut case = json!({"@name": format!("case {at} of suite {suite}"), "@time": 0.1});
        if matches!((suite, at), (3, 4) | (7, 13)) {
            case["failure"] = json!({"@message": format!("no {at}"), "#text": "at a.js:3"});
        }
        case
    };
    let suites: Vec<Value> = (0..10)
        .map(|suite| {
            let cases: Vec<Value> = (0..25).map(|at| case(suite, at)).collect();
            json!({"@name": format!("suite {suite}"), "testcase": cases})
        })
        .collect();
    let told = summary(&json!(suites).to_string());
    let expected = " testcase[*].failure: only 2 have, at [3].testcase[4] (case 4 of suite 3), [7].testcase[13] (case 13 of suite 7)\n";
    assert_told(&told, &[expected, "\"path\":\"$[3].testcase[4]\""]);
    // Each of two sorts has one.
    let mut sorts = suites.clone();
    let failure = sorts[3]["testcase"][4]
        .as_object_mut()
        .unwrap()
        .remove("failure");
    sorts[3]["testcase"][4]["error"] = failure.expect("a failure");
    let told = summary(&json!(sorts).to_string());
    let expected = [
        " testcase[*].error: only 1 has, at [3].testcase[4] (case 4 of suite 3)\n",
        " testcase[*].failure: only 1 has, at [7].testcase[13] (case 13 of suite 7)\n",
    ];
    assert_told(&told, &expected);
    // Rows of one list have their places alone.
    let rows: Vec<Value> = (0..150)
        .map(|at| {
            let mut row = json!({"name": format!("case {at} of the suite"), "seconds": at % 7, "file": format!("tests/cases/suite_{at}.spec.ts")});
            if matches!(at, 20 | 41 | 42 | 50) {
                row["failure"] = json!({"message": format!("no {at}")});
            }
            row
        })
        .collect();
    let told = summary(&json!(rows).to_string());
    assert_told(
        &told,
        &[
            "only 4 have, at [20] (case 20 of the suite), [41] (case 41 of the suite), [42] (case 42 of the suite), …",
        ],
    );
}

/// A spreadsheet has the texts of errors among its numbers.
#[test]
fn the_first_of_a_few_texts_among_numbers_is_told() {
    let told = of_rows(160, |at, row| {
        let units = match at {
            30 | 66 => json!("#REF!"),
            at => json!(at % 17),
        };
        row.insert("units".to_owned(), units);
        row.insert("price".to_owned(), json!(at * 17));
        row.insert(
            "region".to_owned(),
            json!(["north", "south", "east", "west"][at % 4]),
        );
    });
    assert_told(
        &told,
        &[
            " units: 158 numbers 0..16, 2 strings (#REF!), first at [30]\n",
            "\"path\":\"$[30]\"",
        ],
    );
}
