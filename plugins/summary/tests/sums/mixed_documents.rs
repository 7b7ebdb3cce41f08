//! JSON with a random mix of columns, tables and members.

use super::Family;
use super::chance::Chance;

/// Names of columns: those that readers ask for, those for machines, and others.
const NAMES: [&str; 32] = [
    "id",
    "status",
    "state",
    "name",
    "title",
    "html_url",
    "node_id",
    "authorLogin",
    "error",
    "message",
    "tags",
    "sha",
    "created_at",
    "count",
    "two words",
    "value",
    "kind",
    "items",
    "x.y",
    "a_very_long_name_of_a_column_that_takes_room",
    "level",
    "owner",
    "errors",
    "cursor",
    "total",
    "users",
    "reason",
    "exit_code",
    "body",
    "path",
    "ETag",
    "success",
];

/// The values of a column.
struct Column {
    name: String,
    kind: usize,
    /// The number of different values, their length, and the number of unusual rows.
    size: usize,
    odd: usize,
}

impl Column {
    fn of(chance: &mut Chance, number: usize) -> Column {
        let name = chance.pick(&NAMES);
        let more = if chance.one_of(3) {
            format!("{number}")
        } else {
            String::new()
        };
        Column {
            name: format!("{name}{more}"),
            kind: chance.below(24),
            size: chance.between(1, 12),
            odd: [0, 0, 1, 1, 2, 5, 30][chance.below(7)],
        }
    }

    /// The value in a row; none if the row lacks the member.
    fn value(&self, chance: &mut Chance, row: usize) -> Option<String> {
        let is_odd = self.odd > 0 && row % 37 * 5 % 37 < self.odd;
        let size = self.size;
        let word = |chance: &mut Chance| chance.words(1);
        Some(match self.kind {
            0 => format!("{}", row * size),
            1 if is_odd => "-99999".to_owned(),
            1 => format!(
                "{}.{}",
                chance.below(90),
                "123456789".get(..size.min(9)).unwrap_or("1")
            ),
            2 if is_odd => "\"broken\"".to_owned(),
            2 => "\"fine\"".to_owned(),
            3 => format!(
                "\"{} {}\"",
                ["open", "closed", "new"][size % 3],
                chance.below(size)
            ),
            4 if is_odd => "null".to_owned(),
            4 => format!(
                "\"2026-{:02}-{:02}T10:00:{:02}Z\"",
                1 + row % 12,
                1 + row % 28,
                chance.below(60)
            ),
            5 => format!("\"https://example.com/{}/{row}\"", chance.words(1)),
            6 => format!("\"{:040x}\"", chance.below(1 << 40)),
            7 => format!("\"{}\"", chance.words(size * 3)),
            8 if is_odd => return None,
            8 => format!(
                "{{\"login\":\"{}{}\",\"id\":{row}}}",
                word(chance),
                chance.below(size)
            ),
            9 => {
                let count = if is_odd {
                    9
                } else {
                    chance.below(size.min(4) + 1)
                };
                let tags: Vec<String> = (0..count)
                    .map(|_| format!("\"{}\"", word(chance)))
                    .collect();
                format!("[{}]", tags.join(","))
            }
            10 => {
                let count = chance.below(size.min(5) + 1);
                let items: Vec<String> = (0..count)
                    .map(|at| {
                        format!(
                            "{{\"sku\":\"S{}\",\"n\":{at},\"note\":\"{}\"}}",
                            chance.below(9),
                            word(chance)
                        )
                    })
                    .collect();
                format!("[{}]", items.join(","))
            }
            11 if is_odd => return None,
            11 => format!("{}", row % size),
            12 if !is_odd => return None,
            12 => format!("\"{}\"", chance.words(2)),
            13 if is_odd => ["true", "[1]", "{\"a\":2}", "null", "\"\"", "7"][row % 6].to_owned(),
            13 => format!("\"text {}\"", chance.below(size * 4)),
            14 if is_odd => "\"1000000\"".to_owned(),
            14 => format!("\"{}.{}\"", chance.below(40), row % 10),
            15 => format!("{}", is_odd),
            16 => {
                let numbers: Vec<String> = (0..size.min(6))
                    .map(|_| format!("{}", chance.below(50)))
                    .collect();
                format!("[{}]", numbers.join(","))
            }
            17 => format!("{{\"own key {}\":{row},\"same\":1}}", chance.below(40)),
            18 if is_odd => "\"\"".to_owned(),
            18 => format!("\"{}\"", chance.words(1)),
            19 => format!(
                "{{\"in\":{{\"city\":\"{}\",\"zip\":null}},\"on\":true}}",
                word(chance)
            ),
            20 => {
                let entries: Vec<String> = (0..4 + size % 3)
                    .map(|at| format!("\"k{at}\":{{\"v\":{}}}", chance.below(5)))
                    .collect();
                format!("{{{}}}", entries.join(","))
            }
            21 => format!("\"{}|{}\\n\"", word(chance), chance.below(3)),
            22 if is_odd => format!("\"{}\"", chance.words(60)),
            22 => format!("\"{}\"", chance.words(2)),
            _ => format!("{}", chance.below(3) * 100),
        })
    }
}

fn columns(chance: &mut Chance, most: usize) -> Vec<Column> {
    let count = chance.between(1, most);
    (0..count)
        .map(|number| Column::of(chance, number))
        .collect()
}

/// Rows of some columns, about as many bytes as wanted.
fn rows(chance: &mut Chance, columns: &[Column], bytes: usize) -> Vec<String> {
    let (mut rows, mut written) = (Vec::new(), 0);
    while written < bytes && rows.len() < 400 {
        let row = rows.len();
        let values = columns
            .iter()
            .map(|column| (column, column.value(chance, row)));
        let members: Vec<String> = values
            .filter_map(|(column, value)| Some(format!("\"{}\":{}", column.name, value?)))
            .collect();
        rows.push(format!("{{{}}}", members.join(",")));
        written += rows[row].len();
    }
    rows
}

fn table(chance: &mut Chance, most_columns: usize, bytes: usize) -> String {
    let columns = columns(chance, most_columns);
    format!("[{}]", rows(chance, &columns, bytes).join(","))
}

fn map(chance: &mut Chance, bytes: usize) -> String {
    let columns = columns(chance, 5);
    let entries: Vec<String> = rows(chance, &columns, bytes)
        .into_iter()
        .enumerate()
        .map(|(at, row)| format!("\"{} {at}\":{row}", chance.words(1)))
        .collect();
    format!("{{{}}}", entries.join(","))
}

/// Rows that are arrays, sometimes under a row of names, or beside a list of them.
fn arrays(chance: &mut Chance, bytes: usize) -> String {
    let columns = columns(chance, 9);
    let mut rows: Vec<String> = Vec::new();
    let names: Vec<String> = columns
        .iter()
        .map(|column| format!("\"{}\"", column.name))
        .collect();
    let names = format!("[{}]", names.join(","));
    let way = chance.below(4);
    if way == 0 {
        rows.push(names.clone());
    }
    let mut written = 0;
    while written < bytes && rows.len() < 300 {
        let row = rows.len();
        let mut values: Vec<String> = columns
            .iter()
            .map(|column| column.value(chance, row).unwrap_or("null".to_owned()))
            .collect();
        if chance.one_of(20) && values.len() > 1 {
            values.pop();
        }
        written += values.iter().map(String::len).sum::<usize>() + 4;
        rows.push(format!("[{}]", values.join(",")));
    }
    let rows = format!("[{}]", rows.join(","));
    match way {
        1 => format!("{{\"columns\":{names},\"rows\":{rows}}}"),
        2 => format!("{{\"rows\":{rows},\"types\":{names},\"header\":{names}}}"),
        _ => rows,
    }
}

fn tree(chance: &mut Chance, key: &str, depth: usize) -> String {
    let count = if depth == 0 || chance.one_of(5) {
        0
    } else {
        chance.between(1, 4)
    };
    let children: Vec<String> = (0..count).map(|_| tree(chance, key, depth - 1)).collect();
    let children = if children.is_empty() && chance.one_of(2) {
        String::new()
    } else {
        format!(",\"{key}\":[{}]", children.join(","))
    };
    format!(
        "{{\"name\":\"{}\",\"kind\":\"{}\",\"size\":{}{children}}}",
        chance.words(2),
        chance.pick(&["dir", "file"]),
        chance.below(900)
    )
}

fn scalars(chance: &mut Chance, bytes: usize) -> String {
    let column = Column::of(chance, 0);
    let (mut values, mut written) = (Vec::new(), 0);
    while written < bytes && values.len() < 500 {
        let value = column
            .value(chance, values.len())
            .unwrap_or("null".to_owned());
        written += value.len() + 1;
        values.push(value);
    }
    format!("[{}]", values.join(","))
}

/// Texts one by one, as a notebook or blocks of a result have them.
fn texts(chance: &mut Chance) -> String {
    let count = chance.between(1, 10);
    let texts: Vec<String> = (0..count)
        .map(|at| {
            let lines: Vec<String> = (0..chance.between(1, 30))
                .map(|_| chance.words(6))
                .collect();
            let text = lines.join("\\n");
            match chance.below(3) {
                0 => format!("{{\"type\":\"text\",\"text\":\"{text}\"}}"),
                1 => format!("{{\"cell\":{at},\"source\":[\"{text}\"],\"error\":null}}"),
                _ => format!("{{\"kind\":\"note\",\"n\":{at},\"about\":\"{text}\"}}"),
            }
        })
        .collect();
    format!("[{}]", texts.join(","))
}

fn small(chance: &mut Chance) -> String {
    match chance.below(8) {
        0 => format!("{}", chance.below(1_000)),
        1 => format!("\"{}\"", chance.words(3)),
        2 => "null".to_owned(),
        3 => "[]".to_owned(),
        4 => format!("[{},{}]", chance.below(9), chance.below(9)),
        5 => format!(
            "{{\"a\":{},\"b\":\"{}\"}}",
            chance.below(9),
            chance.words(1)
        ),
        6 => format!("\"{}\"", chance.words(40)),
        _ => format!("[{{\"a\":\"{}\"}}]", chance.words(12)),
    }
}

/// A large member.
fn large(chance: &mut Chance, bytes: usize) -> String {
    match chance.below(12) {
        0..=3 => table(chance, 14, bytes),
        4 => map(chance, bytes),
        5 => arrays(chance, bytes),
        6 => {
            let roots: Vec<String> = (0..3).map(|_| tree(chance, "children", 4)).collect();
            format!("[{}]", roots.join(","))
        }
        7 => scalars(chance, bytes),
        8 => texts(chance),
        9 => format!("{{\"inner\":{}}}", table(chance, 6, bytes)),
        10 => format!("[{}]", table(chance, 6, bytes)),
        _ => {
            let lines: Vec<String> = (0..bytes / 40 + 1).map(|_| chance.words(7)).collect();
            format!("\"{}\"", lines.join("\\n"))
        }
    }
}

pub const FAMILIES: &[Family] = &[
    ("a table of some columns", 0..=319, |n| {
        let mut chance = Chance::of(n);
        let bytes = chance.between(1_500, 9_000);
        table(&mut chance, 10, bytes)
    }),
    ("a table of many columns", 0..=159, |n| {
        let mut chance = Chance::of(1_000 + n);
        let bytes = chance.between(4_000, 16_000);
        table(&mut chance, 40, bytes)
    }),
    ("members and tables", 0..=319, |n| {
        let mut chance = Chance::of(2_000 + n);
        let count = chance.between(1, 9);
        let members: Vec<String> = (0..count)
            .map(|at| {
                let name = chance.pick(&NAMES);
                let bytes = chance.between(200, 4_000);
                let value = if chance.one_of(2) {
                    small(&mut chance)
                } else {
                    large(&mut chance, bytes)
                };
                format!("\"{name} {at}\":{value}")
            })
            .collect();
        let bytes = chance.between(1_000, 6_000);
        format!(
            "{{{},\"data\":{}}}",
            members.join(","),
            large(&mut chance, bytes)
        )
    }),
    ("rows that are arrays", 0..=199, |n| {
        let mut chance = Chance::of(3_000 + n);
        let bytes = chance.between(1_500, 6_000);
        arrays(&mut chance, bytes)
    }),
    ("maps", 0..=199, |n| {
        let mut chance = Chance::of(4_000 + n);
        let bytes = chance.between(1_500, 6_000);
        map(&mut chance, bytes)
    }),
    ("trees", 0..=199, |n| {
        let mut chance = Chance::of(5_000 + n);
        let key = chance.pick(&["children", "items", "nodes"]);
        let count = chance.between(1, 6);
        let depth = chance.between(2, 5);
        let roots: Vec<String> = (0..count).map(|_| tree(&mut chance, key, depth)).collect();
        format!("{{\"root\":[{}]}}", roots.join(","))
    }),
    ("lists of scalars, and texts", 0..=199, |n| {
        let mut chance = Chance::of(6_000 + n);
        if chance.one_of(3) {
            return texts(&mut chance);
        }
        let bytes = chance.between(1_500, 6_000);
        scalars(&mut chance, bytes)
    }),
];
