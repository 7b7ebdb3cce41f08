//! Kinds of JSON documents.

use super::Family;

/// Words that fill a document, so that it is worth a summary.
const FILLER: &str = "some words that take the room that a document needs to be worth a summary";

fn list(count: usize, item: impl Fn(usize) -> String) -> String {
    let items: Vec<String> = (0..count).map(item).collect();
    format!("[{}]", items.join(","))
}

/// A list of objects, each with the members that `row` writes.
fn rows(count: usize, row: impl Fn(usize) -> String) -> String {
    list(count, |at| format!("{{{}}}", row(at)))
}

/// A map with values that `value` writes.
fn map(count: usize, key: &str, value: impl Fn(usize) -> String) -> String {
    let members: Vec<String> = (0..count)
        .map(|at| format!("\"{key}{at}\":{}", value(at)))
        .collect();
    format!("{{{}}}", members.join(","))
}

/// 60 rows of words, and of a column that `value` writes; none is no member.
fn column(value: impl Fn(usize) -> Option<String>) -> String {
    let list = rows(60, |row| {
        let member = value(row).map_or(String::new(), |value| format!("\"it\":{value},"));
        format!("\"id\":{row},{member}\"words\":\"{FILLER} {row}\"")
    });
    format!("{{\"list\":{list}}}")
}

fn tree(depth: usize, name: &str) -> String {
    let below = if depth == 0 { 0 } else { 3 };
    let children = list(below, |at| tree(depth - 1, &format!("{name}.{at}")));
    format!(
        "{{\"name\":\"{name}\",\"size\":{},\"children\":{children}}}",
        name.len()
    )
}

pub const FAMILIES: &[Family] = &[
    ("a list of n rows", 0..=30, |n| {
        rows(n, |row| {
            format!("\"id\":{row},\"words\":\"{FILLER} {row}\"")
        })
    }),
    (
        "a list of rows, n characters over or under the limit",
        0..=12,
        |n| {
            let text = rows(9, |row| {
                format!("\"id\":{row},\"words\":\"{FILLER} {row}\"")
            });
            let missing = [1000, 2500, 6000, 2000][n % 4] + n / 2 - 3;
            format!(
                "[{},\"{}\"]",
                &text[1..text.len() - 1],
                "x".repeat(missing.saturating_sub(text.len() + 3))
            )
        },
    ),
    ("n columns", 1..=30, |n| {
        rows(20, |row| {
            let members: Vec<String> = (0..n)
                .map(|at| format!("\"column {at}\":\"{} {}\"", row * at, &FILLER[..at * 2]))
                .collect();
            members.join(",")
        })
    }),
    ("n different values", 1..=24, |n| {
        column(|row| Some(format!("\"value {}\"", row % n)))
    }),
    ("n different values, one of them often", 1..=24, |n| {
        column(|row| {
            Some(if row < n {
                format!("\"v{row}\"")
            } else {
                "true".to_owned()
            })
        })
    }),
    ("n values missing", 0..=40, |n| {
        column(|row| (row >= n).then(|| format!("\"v{}\"", row % 3)))
    }),
    ("n values missing, the others different", 0..=40, |n| {
        column(|row| (row >= n).then(|| format!("\"v{row}\"")))
    }),
    ("n values null", 0..=40, |n| {
        column(|row| {
            Some(if row < n {
                "null".to_owned()
            } else {
                format!("{row}.5")
            })
        })
    }),
    ("n values empty", 0..=40, |n| {
        column(|row| {
            Some(if row < n {
                "\"\"".to_owned()
            } else {
                format!("\"text {row}\"")
            })
        })
    }),
    ("numbers about n", 1..=12, |n| {
        column(|row| {
            Some(format!(
                "{}.{}",
                row as i64 * 7 - 10 * n as i64,
                "1".repeat(n)
            ))
        })
    }),
    ("n values of another kind", 0..=12, |n| {
        column(|row| {
            let other = ["1", "true", "[1]", "{\"a\":2}", "null", "\"\"", "-5"][row % 7];
            Some(if row < n {
                other.to_owned()
            } else {
                format!("\"text {row}\"")
            })
        })
    }),
    ("dates, n are none", 0..=3, |n| {
        column(|row| {
            let date = format!("\"2025-0{}-{:02}T10:00:00Z\"", 1 + row % 9, 28 - row % 28);
            Some(if row < n { "\"soon\"".to_owned() } else { date })
        })
    }),
    ("strings of about n times 8 characters", 0..=14, |n| {
        column(|row| Some(format!("\"{}{row}\"", "abcdefg ".repeat(n))))
    }),
    ("strings, one of them n times as long", 1..=12, |n| {
        column(|row| {
            let times = if row == 7 { 5 * n } else { 5 };
            Some(format!("\"{}{row}\"", "abcdefg ".repeat(times)))
        })
    }),
    ("values with signs of their own", 0..=14, |n| {
        let text = [
            "a|b", "true", "1.5", "null", " lead", "trail ", "[x", "{", "\\\"q", "\\n", "é🦀",
            "\\u0041", "", "-", "1e5",
        ][n];
        column(|row| Some(format!("\"{text}{}\"", if row % 2 == 0 { "" } else { "2" })))
    }),
    ("addresses", 0..=3, |n| {
        column(|row| Some(format!("\"http{}://example.com/{row}\"", "s".repeat(n))))
    }),
    ("lists of up to n words in each row", 0..=12, |n| {
        column(|row| Some(list(row % (n + 1), |at| format!("\"tag {}\"", at % 4))))
    }),
    ("lists of up to n numbers in each row", 0..=8, |n| {
        column(|row| Some(list(row % (n + 1), |at| format!("{}", at * row))))
    }),
    ("lists of up to n rows in each row", 0..=8, |n| {
        column(|row| {
            Some(rows(row % (n + 1), |at| {
                format!("\"sku\":\"S-{row}\",\"count\":{at},\"same\":true")
            }))
        })
    }),
    ("objects in each row, n of them null", 0..=12, |n| {
        column(|row| {
            let object = format!(
                "{{\"name\":\"name {row}\",\"in\":{{\"city\":\"city {}\"}}}}",
                row % 3
            );
            Some(if row < n { "null".to_owned() } else { object })
        })
    }),
    ("n keys of its own in each row", 0..=4, |n| {
        rows(20, |row| {
            let own = map(n, &format!("own {row} "), |at| format!("{at}"));
            format!("\"id\":{row},\"own\":{own},\"words\":\"{FILLER}\"")
        })
    }),
    ("rows that are arrays of n", 0..=40, |n| {
        list(40, |row| list(n, |at| format!("\"{row} of {at}\"")))
    }),
    ("a list of n texts", 0..=40, |n| {
        list(n, |row| format!("\"{FILLER} {row}\""))
    }),
    ("a list of n times 20 words", 1..=12, |n| {
        list(n * 20, |row| format!("\"word {}\"", row % (n + 3)))
    }),
    ("a list of n times 40 numbers", 1..=12, |n| {
        list(n * 40, |row| format!("{}", row * row % 977))
    }),
    ("a list of n times 4 paths", 1..=16, |n| {
        list(n * 4, |row| {
            format!(
                "\"/srv/app/src/m{}/file{row}.{}\"",
                row % 5,
                ["py", "rs"][row % 2]
            )
        })
    }),
    ("a map of n entries", 0..=40, |n| {
        map(n, "entry ", |at| {
            format!(
                "{{\"on\":{},\"by\":\"somebody {at} {FILLER}\"}}",
                at % 2 == 0
            )
        })
    }),
    ("a map of n texts", 0..=40, |n| {
        map(n, "key.", |at| format!("\"{FILLER} {at}\""))
    }),
    ("a map of 12, n of them of another kind", 0..=6, |n| {
        map(12, "e", |at| {
            let object = format!("{{\"on\":{at},\"by\":\"somebody {at} {FILLER}\"}}");
            if at < n {
                format!("\"{FILLER}\"")
            } else {
                object
            }
        })
    }),
    ("a tree n deep", 0..=6, |n| {
        list(4, |at| tree(n, &format!("branch {at}")))
    }),
    ("a tree of one branch, n deep", 0..=6, |n| {
        format!(
            "{{\"top\":{},\"words\":\"{}\"}}",
            tree(n, "root"),
            FILLER.repeat(20)
        )
    }),
    ("n tables", 1..=12, |n| {
        map(n, "table ", |at| {
            rows(8 + at, |row| {
                format!("\"only {at}\":{row},\"words\":\"{FILLER} {row}\"")
            })
        })
    }),
    ("n small members and a table", 0..=30, |n| {
        let small = map(n, "member ", |at| {
            ["7", "\"some text\"", "{\"a\":[1,2]}", "[1, 2]", "null"][at % 5].to_owned()
        });
        let list = rows(30, |row| format!("\"id\":{row},\"words\":\"{FILLER}\""));
        format!(
            "{{\"small\":{small},\"list\":{list},\"kept\":[1,2],\"some\":{{\"kept\":\"{FILLER}\"}}}}"
        )
    }),
    ("members of about n times 20 characters", 1..=14, |n| {
        let long = "a text of 20 letters".repeat(n);
        format!(
            "{{\"a\":\"{long}\",\"b\":[\"{long}\"],\"c\":{{\"d\":\"{long}\"}},\"e\":{}}}",
            rows(20, |row| format!("\"id\":{row},\"words\":\"{FILLER}\""))
        )
    }),
    ("a text of n lines and a list", 1..=16, |n| {
        let lines: String = (0..n * 3).map(|at| format!("line {at} of it\\n")).collect();
        let list = rows(12, |row| format!("\"id\":{row},\"words\":\"{FILLER}\""));
        format!(
            "{{\"text\":\"{lines}\",\"list\":{list},\"more\":\"{}\"}}",
            FILLER.repeat(n)
        )
    }),
    ("600 places and n more", 0..=4, |n| {
        map(60, "group ", |at| {
            map(9 + n / 4, &format!("g{at} member "), |it| format!("{it}"))
        })
    }),
    ("128 members and n more", 0..=4, |n| {
        rows(3, |row| {
            let members: Vec<String> = (0..126 + n)
                .map(|at| format!("\"m{at}\":{}", at + row))
                .collect();
            members.join(",")
        })
    }),
    ("names that need quotes", 0..=7, |n| {
        let key = ["a.b", "a b", "", "é", "1", "a-b", "$", "\\\"q"][n];
        let list = rows(20, |row| {
            format!("\"{key}\":{row},\"words\":\"{FILLER} {row}\"")
        });
        format!("{{\"{key}\":{{\"{key}\":{list}}}}}")
    }),
    ("names of n times 10 letters", 1..=16, |n| {
        let key = "ten chars ".repeat(n);
        let list = rows(20, |row| {
            format!("\"{key}\":{row},\"words\":\"{FILLER} {row}\"")
        });
        format!("{{\"{key}\":{list}}}")
    }),
    ("small members of n characters", 28..=60, |n| {
        let text = |more: usize| "x".repeat(n + more);
        format!(
            "{{\"a\":\"{}\",\"b\":{n},\"c\":\"{}\",\"d\":[1],\"e\":\"{}\",\"f\":\"{}\",\"list\":{}}}",
            text(2),
            text(0),
            text(20),
            "k".repeat(3 * n),
            rows(30, |row| format!("\"id\":{row},\"words\":\"{FILLER}\""))
        )
    }),
    ("the row n is unlike the others", 0..=15, |n| {
        let header = if n > 7 {
            "[\"id\",\"state\",\"words\"],"
        } else {
            ""
        };
        let list = list(40, |row| {
            let state = if row == n % 8 { "odd one out" } else { "fine" };
            format!("[{row},\"{state}\",\"{FILLER} {row}\"]")
        });
        format!("[{header}{}", &list[1..])
    }),
    ("a list that is about half of its row", 0..=24, |n| {
        rows(30, |row| {
            format!(
                "\"list\":[{{\"a\":{},\"b\":\"a few words of it\"}}],\"x\":\"{}{}\"",
                100 + row,
                100 + row,
                "x".repeat(n)
            )
        })
    }),
    ("lines of which n differ", 30..=60, |n| {
        list(90, |row| format!("\"the line {} of {FILLER}\"", row % n))
    }),
    (
        "a line of n times 100 characters among lines",
        1..=40,
        |n| {
            list(20, |row| {
                let long = "ten signs ".repeat(if row == 7 { 10 * n } else { 0 });
                format!("\"the line {row} {FILLER} {long}\"")
            })
        },
    ),
    ("a map whose row n is unlike the others", 0..=15, |n| {
        map(40, "entry ", |at| {
            let state = if at == n { "odd one out" } else { "fine" };
            format!("{{\"id\":{at},\"state\":\"{state}\",\"words\":\"{FILLER} {at}\"}}")
        })
    }),
    ("lists in lists of n", 0..=12, |n| {
        list(12, |row| {
            list(n.min(row + 2), |at| {
                list(at % 4, |it| format!("[{row},\"{FILLER} {it}\"]"))
            })
        })
    }),
    ("numbers, one of them n times as large", 1..=30, |n| {
        column(|row| Some(format!("{}", if row == 31 { 100 * n } else { 100 + row })))
    }),
];
