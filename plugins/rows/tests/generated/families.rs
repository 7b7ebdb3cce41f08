//! Kinds of documents, each made from a number.

use std::ops::RangeInclusive;

/// A kind of document, made from a number. For each limit in the encoder, the range has numbers on both sides.
pub(crate) type Family = (&'static str, RangeInclusive<usize>, fn(usize) -> String);

/// A list of objects, each with the members that `row` writes.
fn rows(count: usize, row: impl Fn(usize) -> String) -> String {
    let rows: Vec<String> = (0..count).map(|at| format!("{{{}}}", row(at))).collect();
    format!("[{}]", rows.join(","))
}

/// A list of items that `item` writes.
fn items(count: usize, item: impl Fn(usize) -> String) -> String {
    let items: Vec<String> = (0..count).map(item).collect();
    format!("[{}]", items.join(","))
}

/// A map with values that `value` writes.
fn map(count: usize, value: impl Fn(usize) -> String) -> String {
    let members: Vec<String> = (0..count)
        .map(|at| format!("\"entry {at}\":{}", value(at)))
        .collect();
    format!("{{{}}}", members.join(","))
}

/// An object inside an object, `depth` times.
fn nest(depth: usize, row: usize) -> String {
    match depth {
        0 => format!("\"value\":{row}"),
        _ => format!(
            "\"level\":{depth}{row},\"inner\":{{{}}}",
            nest(depth - 1, row)
        ),
    }
}

/// A list inside a list, `depth` times.
fn lists(depth: usize, row: usize) -> String {
    match depth {
        0 => format!("\"value\":\"leaf {row}\""),
        _ => format!(
            "\"name\":\"level {depth} {row}\",\"parts\":{}",
            rows(5, |at| lists(depth - 1, row * 5 + at))
        ),
    }
}

pub(crate) const FAMILIES: &[Family] = &[
    ("a list of n rows", 0..=12, |n| {
        rows(n, |row| {
            format!("\"id\":{row},\"name\":\"name {row}\",\"open\":true")
        })
    }),
    ("a list of n rows with one column", 0..=20, |n| {
        rows(n, |row| format!("\"name\":\"some name {row}\""))
    }),
    ("a map of n entries", 0..=12, |n| {
        map(n, |row| {
            format!("{{\"id\":{row},\"name\":\"name {row}\",\"open\":true}}")
        })
    }),
    ("a map of 16, n are no objects", 0..=8, |n| {
        map(16, |row| {
            if row < n {
                return row.to_string();
            }
            format!("{{\"id\":{row},\"name\":\"name {row}\",\"open\":true}}")
        })
    }),
    ("a map of 16, n are empty objects", 0..=8, |n| {
        map(16, |row| {
            if row < n {
                return "{}".to_owned();
            }
            format!("{{\"id\":{row},\"name\":\"name {row}\",\"open\":true}}")
        })
    }),
    ("a list of 16, n are no objects", 0..=8, |n| {
        items(16, |row| {
            if row < n {
                return row.to_string();
            }
            format!("{{\"id\":{row},\"name\":\"name {row}\",\"open\":true}}")
        })
    }),
    ("8 arrays of n", 0..=66, |n| {
        items(8, |row| items(n, |at| format!("\"w{}\"", row * 7 + at)))
    }),
    ("n arrays of 4 words", 0..=12, |n| {
        items(n, |row| items(4, |at| format!("\"word{row}x{at}\"")))
    }),
    ("3 rows of n columns", 1..=6, |n| {
        rows(3, |row| {
            let members: Vec<String> = (0..n).map(|at| format!("\"c{at}\":{}", at + row)).collect();
            members.join(",")
        })
    }),
    ("3 rows of 250 + n columns", 1..=10, |n| {
        rows(3, |row| {
            let members: Vec<String> = (0..250 + n)
                .map(|at| format!("\"c{at}\":{}", at + row))
                .collect();
            members.join(",")
        })
    }),
    ("n rows, each with a key of its own", 2..=40, |n| {
        rows(n, |row| format!("\"id\":{row},\"key{row}\":\"some text\""))
    }),
    ("objects in objects, n deep", 0..=12, |n| {
        rows(6, |row| nest(n, row))
    }),
    ("an array of 2 in objects in objects, n deep", 0..=10, |n| {
        rows(6, |row| {
            let array = format!("\"value\":[{row},{}]", row * row);
            (0..n).fold(array, |inner, level| {
                format!("\"level\":7{level},\"inner\":{{{inner}}}")
            })
        })
    }),
    ("a list of 2 in a list of 2, n deep", 0..=10, |n| {
        rows(3, |row| {
            let leaf = format!("\"value\":\"leaf {row}\",\"size\":{row}");
            (0..n).fold(leaf, |inner, level| {
                format!(
                    "\"name\":\"level {level}\",\"parts\":[{{{inner}}},{{\"name\":\"x{row}\"}}]"
                )
            })
        })
    }),
    ("lists in lists, n deep", 0..=4, |n| {
        rows(3, |row| lists(n, row))
    }),
    ("n strings that begin alike", 0..=20, |n| {
        items(n, |row| format!("\"src/deep/in/here/file{row}.rs\""))
    }),
    ("n numbers", 0..=12, |n| items(n, |row| row.to_string())),
    ("strings that begin alike for n letters", 0..=8, |n| {
        rows(8, |row| {
            format!("\"id\":{row},\"path\":\"{}/{row}\"", &"abcdefgh"[..n])
        })
    }),
    ("n strings that begin alike, the others null", 0..=8, |n| {
        rows(8, |row| {
            let path = if row < n {
                format!("\"src/here/{row}\"")
            } else {
                "null".to_owned()
            };
            format!("\"id\":{row},\"path\":{path}")
        })
    }),
    ("a list of n objects in each row", 0..=9, |n| {
        rows(6, |row| {
            let list = rows(n, |at| {
                format!("\"at\":{},\"say\":\"word {at}, {row}\"", at * row)
            });
            format!("\"id\":{row},\"log\":{list}")
        })
    }),
    ("a list of n objects with lists in each row", 0..=5, |n| {
        rows(6, |row| {
            let list = rows(n, |at| {
                format!(
                    "\"at\":{at},\"parts\":[{{\"a\":{row},\"b\":\"x\"}},{{\"a\":1,\"b\":\"y\"}}]"
                )
            });
            format!("\"id\":{row},\"log\":{list},\"tags\":[{{\"k\":1}},{{\"k\":{row}}}]")
        })
    }),
    ("two lists in each row, both of n", 0..=9, |n| {
        rows(6, |row| {
            let list = rows(n, |at| format!("\"at\":{},\"say\":\"word {at}\"", at * row));
            format!("\"left\":{list},\"id\":{row},\"right\":{list}")
        })
    }),
    ("two lists in each row, of n and of 5", 0..=9, |n| {
        rows(6, |row| {
            let left = rows(n, |at| format!("\"at\":{},\"say\":\"word {at}\"", at * row));
            let right = rows(5, |at| format!("\"at\":{},\"say\":\"word {at}\"", at + row));
            format!("\"left\":{left},\"id\":{row},\"right\":{right}")
        })
    }),
    ("a list in each row, n of 16 lack it", 0..=16, |n| {
        rows(16, |row| {
            if row < n {
                return format!("\"id\":{row}");
            }
            let list = rows(row % 7, |at| format!("\"at\":{at},\"say\":\"word {row}\""));
            format!("\"id\":{row},\"log\":{list}")
        })
    }),
    (
        "a list in each row, in n of 16 something else",
        0..=16,
        |n| {
            rows(16, |row| {
                let list = match row {
                    _ if row >= n => {
                        rows(row % 7, |at| format!("\"at\":{at},\"say\":\"word {row}\""))
                    }
                    _ => ["null", "\"none\"", "7", "{}"][row % 4].to_owned(),
                };
                format!("\"id\":{row},\"log\":{list}")
            })
        },
    ),
    (
        "a list of objects in each row, n of 12 unlike",
        0..=8,
        |n| {
            rows(4, |row| {
                let list = items(12, |at| {
                    if at < n {
                        return format!("{{\"say\":\"word {at}\",\"at\":{row}}}");
                    }
                    format!("{{\"at\":{row},\"say\":\"word {at}\"}}")
                });
                format!("\"id\":{row},\"log\":{list}")
            })
        },
    ),
    ("an array of n in each row", 0..=7, |n| {
        rows(8, |row| {
            format!(
                "\"id\":{row},\"at\":{}",
                items(n, |at| format!("{}", at * 10 + row))
            )
        })
    }),
    ("an array of 2 in each row, n of 12 longer", 0..=4, |n| {
        rows(12, |row| {
            let width = if row + n >= 12 { 3 } else { 2 };
            format!(
                "\"id\":{row},\"at\":{}",
                items(width, |at| format!("{}", at * 10 + row))
            )
        })
    }),
    ("n of 16 rows in another order", 0..=8, |n| {
        rows(16, |row| {
            if row % 2 == 1 && row < 2 * n {
                return format!("\"name\":\"name {row}\",\"id\":{row}");
            }
            format!("\"id\":{row},\"name\":\"name {row}\"")
        })
    }),
    ("n of 16 rows without a key", 0..=16, |n| {
        rows(16, |row| {
            let more = if row < n {
                ""
            } else {
                ",\"note\":\"some note\""
            };
            format!("\"id\":{row},\"name\":\"name {row}\"{more}")
        })
    }),
    ("n of 16 values null", 0..=16, |n| {
        rows(16, |row| {
            let note = if row < n {
                "null".to_owned()
            } else {
                format!("\"note {row}\"")
            };
            format!("\"id\":{row},\"note\":{note}")
        })
    }),
    ("n of 16 objects null", 0..=16, |n| {
        rows(16, |row| {
            let owner = if row < n {
                "null".to_owned()
            } else {
                format!("{{\"name\":\"name {row}\",\"age\":{row}}}")
            };
            format!("\"id\":{row},\"owner\":{owner}")
        })
    }),
    ("n of 16 objects missing", 0..=16, |n| {
        rows(16, |row| {
            if row < n {
                return format!("\"id\":{row}");
            }
            format!("\"id\":{row},\"owner\":{{\"name\":\"name {row}\",\"age\":{row}}}")
        })
    }),
    ("n of 24 objects something else", 0..=12, |n| {
        rows(24, |row| {
            let owner = if row < n {
                ["7", "\"text\"", "[]", "{}"][row % 4].to_owned()
            } else {
                format!("{{\"name\":\"name {row}\",\"age\":{row}}}")
            };
            format!("\"id\":{row},\"owner\":{owner}")
        })
    }),
    ("a map of n inside each row", 0..=8, |n| {
        rows(4, |row| {
            let inner = map(n, |at| format!("{{\"on\":{at},\"by\":\"somebody {row}\"}}"));
            format!("\"id\":{row},\"by\":{inner}")
        })
    }),
    ("6 rows with one value of n letters", 0..=40, |n| {
        rows(6, |row| {
            format!(
                "\"id\":{row},\"kind\":\"{}\",\"name\":\"n{row}\"",
                "k".repeat(n)
            )
        })
    }),
    ("n rows with one value of 12 letters", 2..=16, |n| {
        rows(n, |row| {
            format!("\"id\":{row},\"kind\":\"kind of a row\",\"name\":\"n{row}\"")
        })
    }),
    ("n of 16 values as above", 0..=16, |n| {
        rows(16, |row| {
            let file = if row < n { 0 } else { row };
            format!("\"id\":{row},\"file\":\"file {file}\"")
        })
    }),
    ("n of 12 strings like numbers", 0..=12, |n| {
        rows(12, |row| {
            let code = if row < n {
                format!("0{row}.5")
            } else {
                format!("c{row}")
            };
            format!("\"id\":{row},\"code\":\"{code}\",\"zip\":\"{row}\"")
        })
    }),
    ("a list of n rows inside a list of 3", 0..=12, |n| {
        rows(3, |row| {
            let inner = rows(n, |at| {
                format!("\"sku\":\"S-{row}{at}\",\"count\":{at},\"price\":{row}.{at}5")
            });
            format!("\"group\":{{\"rows\":{inner}}}")
        })
    }),
    ("n times 10 rows of 4 columns", 1..=12, |n| {
        rows(n * 10, |row| {
            format!(
                "\"id\":{row},\"title\":\"Issue number {row}\",\"state\":\"{}\",\"at\":\"2026-01-{:02}\"",
                ["open", "closed"][row % 2],
                row % 28 + 1
            )
        })
    }),
    ("n times 40 rows of 20 columns", 1..=3, |n| {
        rows(n * 40, |row| {
            let members: Vec<String> = (0..20)
                .map(|at| format!("\"c{at}\":{}", at * row))
                .collect();
            members.join(",")
        })
    }),
    ("n times 10 rows of long texts", 1..=12, |n| {
        rows(n * 10, |row| {
            format!(
                "\"id\":{row},\"text\":\"{} {row}\"",
                "some words of a long text ".repeat(3)
            )
        })
    }),
    ("keys with n dots", 0..=3, |n| {
        rows(6, |row| {
            format!(
                "\"a{}b\":{row},\" c\":\"x\",\"d e\":\"some name {row}\"",
                ".".repeat(n)
            )
        })
    }),
];
