//! Documents of the kinds that servers send, each made from a number.

use serde_json::{Map, Value, json};

/// A generator of pseudo-random numbers: SplitMix64.
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % sides as u64) as usize
    }

    pub fn one_in(&mut self, sides: usize) -> bool {
        self.roll(sides) == 0
    }

    pub fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.roll(choices.len())]
    }
}

const WORDS: &[&str] = &[
    "open",
    "closed",
    "held back",
    "ready",
    "late",
    "lost",
    "new",
    "gone",
];

/// The kind of values in a column of generated rows.
#[derive(Clone)]
enum Kind {
    Word(usize),
    Number(i64),
    Decimal,
    Flag,
    Date,
    Text,
    Name,
    Url,
    Tags,
    Object(Vec<(String, Kind)>),
    Rows(Vec<(String, Kind)>),
    Mixed,
}

fn value(dice: &mut Dice, kind: &Kind, i: usize) -> Value {
    match kind {
        Kind::Word(count) => json!(dice.pick(&WORDS[..*count])),
        Kind::Number(most) => json!(dice.roll(*most as usize) as i64 - most / 3),
        Kind::Decimal => json!(format!("{}.{:02}", dice.roll(90), dice.roll(100))),
        Kind::Flag => json!(dice.one_in(3)),
        Kind::Date => json!(format!(
            "2025-{:02}-{:02}",
            1 + dice.roll(12),
            1 + dice.roll(28)
        )),
        Kind::Text => json!("words about it ".repeat(1 + dice.roll(12))),
        Kind::Name => json!(format!("name {i}")),
        Kind::Url => json!(format!("https://host.example/{i}/{}", dice.roll(99))),
        Kind::Tags => json!(
            (0..dice.roll(4))
                .map(|_| dice.pick(WORDS))
                .collect::<Vec<_>>()
        ),
        Kind::Object(columns) => row(dice, columns, i),
        Kind::Rows(columns) => {
            json!(
                (0..dice.roll(4))
                    .map(|j| row(dice, columns, j))
                    .collect::<Vec<_>>()
            )
        }
        Kind::Mixed => match dice.roll(3) {
            0 => json!(dice.roll(50)),
            1 => json!(dice.pick(WORDS)),
            _ => Value::Null,
        },
    }
}

fn row(dice: &mut Dice, columns: &[(String, Kind)], i: usize) -> Value {
    let mut row = Map::new();
    for (key, kind) in columns {
        match dice.roll(24) {
            0 => {}
            1 => _ = row.insert(key.clone(), Value::Null),
            _ => _ = row.insert(key.clone(), value(dice, kind, i)),
        }
    }
    Value::Object(row)
}

fn columns(dice: &mut Dice, depth: usize) -> Vec<(String, Kind)> {
    const KEYS: &[&str] = &[
        "id",
        "status",
        "items",
        "name",
        "html_url",
        "count",
        "note",
        "owner",
        "nodes",
        "total_price",
        "createdAt",
        "labels",
        "children",
        "odd key",
    ];
    let mut columns: Vec<(String, Kind)> = Vec::new();
    for _ in 0..2 + dice.roll(9) {
        let key = dice.pick(KEYS);
        if columns.iter().any(|(known, _)| known == key) {
            continue;
        }
        let kind = match dice.roll(if depth > 1 { 11 } else { 13 }) {
            0 | 1 => Kind::Word(1 + dice.roll(8)),
            2 => Kind::Number(1 + dice.roll(1_000) as i64),
            3 => Kind::Decimal,
            4 => Kind::Flag,
            5 => Kind::Date,
            6 => Kind::Text,
            7 => Kind::Name,
            8 => Kind::Url,
            9 => Kind::Tags,
            10 => Kind::Mixed,
            11 => Kind::Object(self::columns(dice, depth + 1)),
            _ => Kind::Rows(self::columns(dice, depth + 1)),
        };
        columns.push((key.to_owned(), kind));
    }
    columns
}

/// A list of similar rows.
pub fn rows(dice: &mut Dice, count: usize) -> Vec<Value> {
    let columns = columns(dice, 0);
    (0..count).map(|i| row(dice, &columns, i)).collect()
}

/// Rows that hold rows of the same kind.
fn tree(dice: &mut Dice, key: &str, levels: usize) -> Vec<Value> {
    let inside = |dice: &mut Dice| {
        let below = if levels > 0 && dice.one_in(2) {
            tree(dice, key, levels - 1)
        } else {
            Vec::new()
        };
        let mut node = json!({"name": dice.pick(WORDS), "type": if below.is_empty() { "file" } else { "folder" }});
        if !below.is_empty() || dice.one_in(2) {
            node[key] = json!(below);
        }
        let far = if dice.one_in(60) { 90_000 } else { 0 };
        node["ms"] = json!(far + dice.roll(40));
        node["state"] = json!(if dice.one_in(60) { "failed" } else { "ok" });
        node
    };
    (0..2 + dice.roll(8)).map(|_| inside(dice)).collect()
}

/// Lists of rows that are arrays, below names or beside them.
fn places(dice: &mut Dice) -> Value {
    let width = 1 + dice.roll(6);
    let kinds: Vec<Kind> = (0..width)
        .map(|_| [Kind::Number(500), Kind::Word(4), Kind::Flag, Kind::Date][dice.roll(4)].clone())
        .collect();
    let names: Vec<String> = (0..width).map(|place| format!("col_{place}")).collect();
    let ragged = dice.one_in(2);
    let mut rows: Vec<Value> = Vec::new();
    for i in 0..40 + dice.roll(90) {
        let end = if ragged && width > 2 && dice.one_in(3) {
            width - 1
        } else {
            width
        };
        rows.push(
            kinds[..end]
                .iter()
                .map(|kind| value(dice, kind, i))
                .collect(),
        );
    }
    match dice.roll(3) {
        0 => json!({"columns": names, "rows": rows}),
        1 => {
            rows.insert(0, json!(names));
            json!({ "values": rows })
        }
        _ => json!({ "values": rows }),
    }
}

/// The document for a number.
pub fn document(seed: u64) -> Value {
    let dice = &mut Dice(seed);
    let count = 30 + dice.roll(120);
    match dice.roll(11) {
        0 => json!(rows(dice, count)),
        1 => json!({"total": count, "items": rows(dice, count), "next": null}),
        // In each row, a list under a key of the same name, directly or through another.
        2 => {
            let list: Vec<Value> = (0..count)
                .map(|i| {
                    let inner = dice.roll(4);
                    json!({"id": i, "nodes": rows(dice, inner)})
                })
                .collect();
            json!({ "nodes": list })
        }
        3 => {
            let list: Vec<Value> = (0..count)
                .map(|i| {
                    let inner = dice.roll(4);
                    json!({"id": i, "comments": {"nodes": rows(dice, inner), "total": inner}})
                })
                .collect();
            json!({"data": {"issues": {"nodes": list}}})
        }
        4 => json!({ "children": tree(dice, "children", 4) }),
        5 => json!(tree(dice, "replies", 5)),
        6 => {
            let entries: Map<String, Value> = rows(dice, count)
                .into_iter()
                .enumerate()
                .map(|(i, row)| (format!("entry {i}"), row))
                .collect();
            json!({ "entries": entries })
        }
        7 => places(dice),
        8 if dice.one_in(2) => json!({"result": [rows(dice, count)], "n": count}),
        8 => json!([{"data": {"list": rows(dice, count)}, "status": "ok"}]),
        9 => {
            let texts: Vec<Value> = (0..1 + dice.roll(4))
                .map(|i| json!({"type": "text", "text": format!("a line of block {i}\n").repeat(40)}))
                .collect();
            json!({"result": texts, "more": rows(dice, count)})
        }
        _ => {
            let mut all = Map::new();
            for i in 0..2 + dice.roll(9) {
                let count = 2 + dice.roll(40);
                all.insert(format!("table_{i}"), json!(rows(dice, count)));
                all.insert(format!("number_{i}"), json!(dice.roll(99)));
            }
            all.insert("exit_code".to_owned(), json!(dice.roll(3)));
            Value::Object(all)
        }
    }
}
