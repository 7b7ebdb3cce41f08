//! The generator: JSON that is hard to encode, made from a number.

/// A generator of pseudo-random numbers: SplitMix64.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % sides as u64) as usize
    }

    pub(crate) fn one_in(&mut self, sides: usize) -> bool {
        self.roll(sides) == 0
    }

    pub(crate) fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.roll(choices.len())]
    }
}

const KEYS: &[&str] = &[
    "id",
    "name",
    "a",
    "b",
    "c",
    "d",
    "value",
    "url",
    "a.b",
    "a:s",
    "x=y",
    "[k]",
    "k[]",
    "*",
    "",
    "~",
    "0",
    "1",
    "12",
    " lead",
    "trail ",
    "#1",
    "a,b",
    "a;b",
    "é",
    "🦀",
    "q\\\"q",
    "\\u0061",
    "tab\\t",
    "^",
    ">x",
    "!x",
    "with space",
    "first_name",
    "null",
    "true",
    "s",
    "k\\\\",
    "key",
    "null",
    "rows",
    "a (before b)",
];

const STRINGS: &[&str] = &[
    "",
    "~",
    "~~",
    "~null",
    "!",
    "!x",
    "null",
    "true",
    "false",
    "0",
    "1",
    "-0",
    "1e2",
    "01",
    "1.50",
    "123456789012345678901234567890",
    "\\\"",
    "\\\"quoted\\\"",
    "a\\\"b",
    "\\\\",
    "\\\\\\\"",
    "a|b",
    "a,b",
    "a;b",
    "a, b; c",
    "]",
    "a]",
    "[",
    "[]",
    "[1]",
    "{",
    "{}",
    "{\\\"a\\\":1}",
    "#3 a",
    "^",
    "\\n",
    "line\\nline",
    "\\t",
    "a\\tb",
    "\\u0000",
    "\\ud800",
    "\\u0022",
    "\\/",
    " lead",
    "trail ",
    " ",
    "é",
    "🦀",
    "\u{2028}",
    "x",
    "Hello world",
    "https://example.com/a",
    "https://example.com/b",
    "src/main.rs",
    "src/lib.rs",
    "open",
    "open",
    "open",
    "2024-01-01",
    "=",
    "a=b",
    ":s",
    "*",
    ".",
    "\\r\\n",
    "\u{7f}",
    "3 rows",
    "3 rows; in all: a 1",
    "; empty cell: no such key",
    "(before b)",
    "}",
    "None",
    "TRUE",
    "+1",
    ".5",
];

const SCALARS: &[&str] = &[
    "null",
    "true",
    "false",
    "0",
    "-0",
    "1",
    "2",
    "1e2",
    "1E+2",
    "-1.50",
    "0.1",
    "123456789012345678901234567890",
    "12345",
    "null",
    "null",
];

/// Common traits of one run's documents: their spelling, and the keys of their rows.
struct Writer {
    dice: Dice,
    out: String,
    spaced: bool,
}

impl Writer {
    fn space(&mut self) {
        if self.spaced && self.dice.one_in(3) {
            let space = self.dice.pick(&[" ", "\n", "\r\n  ", "\t"]);
            self.out.push_str(space);
        }
    }

    fn token(&mut self, token: &str) {
        self.space();
        self.out.push_str(token);
        self.space();
    }

    fn string(&mut self) {
        let text = self.dice.pick(STRINGS);
        let more = if self.dice.one_in(6) {
            self.dice.pick(STRINGS)
        } else {
            ""
        };
        self.token(&format!("\"{text}{more}\""));
    }

    fn scalar(&mut self) {
        if self.dice.one_in(2) {
            self.string();
        } else {
            let scalar = self.dice.pick(SCALARS);
            self.token(scalar);
        }
    }

    fn list(&mut self, count: usize, mut element: impl FnMut(&mut Self, usize)) {
        self.token("[");
        for index in 0..count {
            if index > 0 {
                self.token(",");
            }
            element(self, index);
        }
        self.token("]");
    }

    fn object(&mut self, keys: &[String], mut value: impl FnMut(&mut Self, usize)) {
        self.token("{");
        for (index, key) in keys.iter().enumerate() {
            if index > 0 {
                self.token(",");
            }
            self.token(&format!("\"{key}\""));
            self.token(":");
            value(self, index);
        }
        self.token("}");
    }

    fn keys(&mut self, most: usize) -> Vec<String> {
        let count = self.dice.roll(most + 1);
        let common = self.dice.one_in(2);
        let mut keys: Vec<String> = Vec::new();
        for _ in 0..count {
            let from = if common { &KEYS[..8] } else { KEYS };
            let key = self.dice.pick(from).to_owned();
            // A key sometimes occurs twice.
            if !keys.contains(&key) || self.dice.one_in(60) {
                keys.push(key);
            }
        }
        keys
    }

    /// Any value.
    fn value(&mut self, depth: usize) {
        match self.dice.roll(if depth > 3 { 4 } else { 12 }) {
            0..=3 => self.scalar(),
            4 => {
                let count = self.dice.roll(5);
                self.list(count, |it, _| it.value(depth + 1));
            }
            5 => {
                let keys = self.keys(5);
                self.object(&keys, |it, _| it.value(depth + 1));
            }
            6 => {
                let count = self.dice.roll(12);
                self.list(count, |it, _| it.scalar());
            }
            7 => {
                let count = self.dice.roll(12);
                let start = self
                    .dice
                    .pick(&["src/", "https://host/", "\\\"a/b", "~/x/", ""]);
                self.list(count, |it, _| {
                    let rest = it.dice.pick(STRINGS);
                    it.token(&format!("\"{start}{rest}\""));
                });
            }
            8 => {
                let (count, width) = (self.dice.roll(8), self.dice.roll(5));
                let kinds: Vec<Kind> = (0..width).map(|_| self.kind(depth + 1)).collect();
                self.list(count, |it, _| {
                    let odd = usize::from(it.dice.one_in(30));
                    it.list(width + odd, |it, index| match kinds.get(index) {
                        Some(kind) => it.of_kind(kind, depth + 1),
                        None => it.scalar(),
                    });
                });
            }
            _ => self.records(depth),
        }
    }

    /// Objects that are more or less similar, in a list or a map.
    fn records(&mut self, depth: usize) {
        let columns = self.columns(depth);
        let count = 1 + self.dice.roll(9);
        if self.dice.one_in(4) {
            let mut keys: Vec<String> = (0..count)
                .map(|index| format!("{}{index}", self.dice.pick(STRINGS)))
                .collect();
            if self.dice.one_in(10) {
                keys[0] = keys[count - 1].clone();
            }
            self.object(&keys, |it, _| it.record(&columns, depth));
        } else {
            self.list(count, |it, _| it.record(&columns, depth));
        }
    }

    fn columns(&mut self, depth: usize) -> Vec<(String, Kind, usize)> {
        let keys = self.keys(6);
        keys.into_iter()
            .map(|key| {
                let kind = self.kind(depth + 1);
                let gaps = [0, 0, 0, 8, 3][self.dice.roll(5)];
                (key, kind, gaps)
            })
            .collect()
    }

    fn record(&mut self, columns: &[(String, Kind, usize)], depth: usize) {
        if self.dice.one_in(25) {
            return self.value(depth + 2);
        }
        let mut columns: Vec<&(String, Kind, usize)> = columns
            .iter()
            .filter(|(_, _, gaps)| *gaps == 0 || !self.dice.one_in(*gaps))
            .collect();
        if self.dice.one_in(25) {
            columns.reverse();
        }
        let keys: Vec<String> = columns.iter().map(|(key, _, _)| key.clone()).collect();
        self.object(&keys, |it, index| it.of_kind(&columns[index].1, depth + 1));
    }

    fn kind(&mut self, depth: usize) -> Kind {
        match self.dice.roll(if depth > 4 { 6 } else { 12 }) {
            0 | 1 => Kind::Scalar,
            2 => Kind::Always(self.dice.pick(SCALARS).to_owned()),
            3 => Kind::Always(format!("\"{}\"", self.dice.pick(STRINGS))),
            4 => Kind::Few([
                format!("\"{}\"", self.dice.pick(STRINGS)),
                format!("\"{}\"", self.dice.pick(STRINGS)),
            ]),
            5 => Kind::Start(
                self.dice
                    .pick(&["src/", "https://host/", "ORD-", "x", "2024-01-", "\\\\srv-"])
                    .to_owned(),
            ),
            6 => Kind::Any,
            7 => Kind::Scalars(self.dice.roll(4)),
            8 => Kind::Tuple(self.dice.roll(4)),
            9 => Kind::Object(self.columns(depth + 1)),
            10 => Kind::List(self.columns(depth + 1), 1 + self.dice.roll(8)),
            _ => Kind::Always(
                self.dice
                    .pick(&["[]", "{}", "[1,2]", "{\"a\":1}", "[{}]"])
                    .to_owned(),
            ),
        }
    }

    fn of_kind(&mut self, kind: &Kind, depth: usize) {
        if self.dice.one_in(20) {
            let other = self
                .dice
                .pick(&["null", "{}", "[]", "\"\"", "0", "[null]", "[{}]", "[[]]"]);
            return self.token(other);
        }
        match kind {
            Kind::Scalar => self.scalar(),
            Kind::Always(json) => self.token(json),
            Kind::Few(choices) => {
                let json = &choices[usize::from(self.dice.one_in(3))];
                self.token(json);
            }
            Kind::Start(start) => {
                let rest = self.dice.pick(STRINGS);
                self.token(&format!("\"{start}{rest}\""));
            }
            Kind::Any => self.value(depth + 1),
            Kind::Scalars(most) => {
                let count = self.dice.roll(most + 1);
                self.list(count, |it, _| it.scalar());
            }
            Kind::Tuple(width) => self.list(*width, |it, _| it.scalar()),
            Kind::Object(columns) => self.record(columns, depth + 1),
            Kind::List(columns, most) => {
                let count = self.dice.roll(most + 1);
                self.list(count, |it, _| it.record(columns, depth + 1));
            }
        }
    }
}

enum Kind {
    Scalar,
    Always(String),
    Few([String; 2]),
    Start(String),
    Any,
    Scalars(usize),
    Tuple(usize),
    Object(Vec<(String, Kind, usize)>),
    List(Vec<(String, Kind, usize)>, usize),
}

/// The document for a number.
pub(crate) fn document(seed: u64) -> String {
    let mut writer = Writer {
        dice: Dice(seed.wrapping_mul(0x2545_f491_4f6c_dd1d)),
        out: String::new(),
        spaced: seed.is_multiple_of(4),
    };
    if seed.is_multiple_of(3) {
        writer.value(0);
    } else {
        writer.records(0);
    }
    writer.out
}
