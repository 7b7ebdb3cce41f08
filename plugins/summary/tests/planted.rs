//! A line unlike all others of 10,000 is shown, in every format and at every position. The documents come from a fixed
//! sequence of numbers, so that a run can be repeated.

use serde_json::json;
use summary::Summary;
use tamis_sdk::testing::Bench;

/// Documents of each format.
const DOCUMENTS: usize = 8;
const LINES: usize = 10_000;

/// A sequence of numbers that look random (xorshift).
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }

    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }
}

const WORDS: [&str; 40] = [
    "apple", "river", "stone", "cloud", "table", "green", "north", "light", "paper", "glass",
    "house", "train", "winter", "music", "garden", "bridge", "copper", "silver", "market",
    "letter", "window", "button", "candle", "forest", "island", "jacket", "kettle", "ladder",
    "mirror", "needle", "orange", "pencil", "quartz", "ribbon", "saddle", "temple", "velvet",
    "walnut", "yellow", "zephyr",
];
const NAMES: [&str; 12] = [
    "anna", "boris", "chen", "dora", "emil", "farah", "goran", "hana", "ivo", "jana", "karl",
    "lena",
];

type Write = fn(&mut Chance, usize) -> String;

/// Formats: a name, a line of it, and a line that is not of it.
const FORMATS: [(&str, Write, Write); 13] = [
    ("a log with levels", log, |chance, at| {
        format!(
            "2026-03-02T{} WARN  scheduler - lease lost, standby node {} takes over",
            clock(at),
            chance.pick(&["atlas", "boreas", "ceres"])
        )
    }),
    ("a log of requests", access, |_, at| {
        format!(
            "10.0.0.9 - - [02/Mar/2026:{}] \"DELETE /admin/backups HTTP/1.1\" 204 0",
            clock(at)
        )
    }),
    ("a log in JSON lines", json_lines, |_, at| {
        format!(
            "{{\"ts\":{at},\"level\":\"info\",\"msg\":\"certificate rotated by operator\",\"host\":\"atlas\"}}"
        )
    }),
    ("a log in logfmt", logfmt, |_, at| {
        format!("ts={at} level=info component=quota msg=\"tenant evicted after breach\"")
    }),
    ("a list of paths", paths, |_, _| {
        "/srv/app/.ssh/authorized_keys".to_owned()
    }),
    ("text", text, |chance, _| {
        format!("the {} passphrase is swordfish", chance.pick(&WORDS))
    }),
    ("numbered lines", numbered, |_, at| {
        format!("{:>6}\tunwrap_unchecked gremlin", at + 1)
    }),
    ("a diff", diff, |_, _| {
        "+    allow_everyone = yes_really".to_owned()
    }),
    ("a table with bars", bars, |chance, at| {
        format!("| {at} | {} | quarantined | 0.00 |", chance.pick(&NAMES))
    }),
    ("comma separated rows", commas, |chance, at| {
        format!("{at},{},chargeback,disputed", chance.pick(&NAMES))
    }),
    ("columns by position", columns, |_, at| {
        format!(
            "{:<12}{:<10}{:>6}  CrashLoopBackOff",
            format!("pod-{at}"),
            "0/1",
            at % 90
        )
    }),
    ("progress", progress, |_, _| {
        "cache is stale, rebuilding the index".to_owned()
    }),
    ("key and value", settings, |_, _| {
        "debug.backdoor = enabled".to_owned()
    }),
];

fn clock(at: usize) -> String {
    format!("{:02}:{:02}:{:02}", at / 3600 % 24, at / 60 % 60, at % 60)
}

fn log(chance: &mut Chance, at: usize) -> String {
    let level = chance.pick(&["INFO ", "DEBUG"]);
    let module = chance.pick(&["http.server", "cache", "orders", "billing"]);
    let what = chance.pick(&[
        "GET /api/orders",
        "hit key=order",
        "stored row",
        "sent mail to user",
    ]);
    format!(
        "2026-03-02T{} {level} {module} - {what} {} took {} ms",
        clock(at),
        chance.below(90_000),
        chance.below(300)
    )
}

fn access(chance: &mut Chance, at: usize) -> String {
    let path = chance.pick(&["orders", "items", "users", "cart"]);
    format!(
        "10.0.{}.{} - - [02/Mar/2026:{}] \"GET /{path}/{} HTTP/1.1\" 200 {}",
        chance.below(9),
        chance.below(250),
        clock(at),
        chance.below(9_000),
        chance.below(9_999)
    )
}

fn json_lines(chance: &mut Chance, at: usize) -> String {
    format!(
        "{{\"ts\":{at},\"level\":\"info\",\"msg\":\"request served\",\"user\":\"{}\",\"ms\":{}}}",
        chance.pick(&NAMES),
        chance.below(400)
    )
}

fn logfmt(chance: &mut Chance, at: usize) -> String {
    format!(
        "ts={at} level=info component={} msg=\"job done\" id={:08x}",
        chance.pick(&["mailer", "indexer", "billing"]),
        chance.below(usize::from(u16::MAX) << 12)
    )
}

fn paths(chance: &mut Chance, _: usize) -> String {
    let (one, two, three) = (
        chance.pick(&WORDS),
        chance.pick(&WORDS),
        chance.pick(&WORDS),
    );
    let ending = chance.pick(&["rs", "py", "md", "json"]);
    format!("/srv/app/{one}/{two}/{three}.{ending}")
}

fn text(chance: &mut Chance, _: usize) -> String {
    let words: Vec<&str> = (0..4 + chance.below(8))
        .map(|_| chance.pick(&WORDS))
        .collect();
    words.join(" ")
}

fn numbered(chance: &mut Chance, at: usize) -> String {
    format!(
        "{:>6}\tlet {} = {};",
        at + 1,
        chance.pick(&WORDS),
        chance.below(100)
    )
}

fn diff(chance: &mut Chance, at: usize) -> String {
    let sign = chance.pick(&["+", "-", " "]);
    match at % 200 {
        0 => format!("diff --git a/src/f{at}.rs b/src/f{at}.rs"),
        1 => format!("--- a/src/f{}.rs", at - 1),
        2 => format!("+++ b/src/f{}.rs", at - 2),
        3 => "@@ -1,190 +1,190 @@".to_owned(),
        _ => format!(
            "{sign}    let {} = {};",
            chance.pick(&WORDS),
            chance.pick(&WORDS)
        ),
    }
}

fn bars(chance: &mut Chance, at: usize) -> String {
    format!(
        "| {at} | {} | {} | {}.{:02} |",
        chance.pick(&NAMES),
        chance.pick(&["open", "shipped", "delivered"]),
        chance.below(900),
        chance.below(100)
    )
}

fn commas(chance: &mut Chance, at: usize) -> String {
    format!(
        "{at},{},{},{}",
        chance.pick(&NAMES),
        chance.pick(&["invoice", "refund"]),
        chance.pick(&["paid", "due"])
    )
}

fn columns(chance: &mut Chance, at: usize) -> String {
    format!(
        "{:<12}{:<10}{:>6}  Running",
        format!("pod-{at}"),
        "1/1",
        chance.below(90)
    )
}

fn progress(chance: &mut Chance, at: usize) -> String {
    format!(
        "step {at}: copied part-{at:05}.parquet ({} KB)",
        chance.below(999)
    )
}

fn settings(chance: &mut Chance, at: usize) -> String {
    format!(
        "{}.{} = {}",
        chance.pick(&WORDS),
        chance.pick(&WORDS),
        at * 3
    )
}

#[test]
fn a_planted_line_is_shown() {
    let bench = Bench::<Summary>::new(json!({"tables": false}));
    for (name, write, plant) in FORMATS {
        let mut missed = Vec::new();
        for document in 0..DOCUMENTS {
            let mut chance = Chance(0x9e37_79b9_7f4a_7c15 ^ (document as u64 + 1) << 20);
            // The first line, the last, and any other.
            let at = match document {
                0 => 0,
                1 => LINES - 1,
                _ => chance.below(LINES),
            };
            // A diff's header comes first, and a hunk does not end between its lines.
            let at = if name == "a diff" {
                at.clamp(4, LINES - 1) / 200 * 200 + 4
            } else {
                at
            };
            let planted = plant(&mut chance, at);
            let text: String = (0..LINES)
                .map(|line| {
                    let text = if line == at {
                        planted.clone()
                    } else {
                        write(&mut chance, line)
                    };
                    text + "\n"
                })
                .collect();
            let applied = bench.apply(&text);
            let number = at + 1;
            let part =
                planted.trim_start_matches(|c: char| c.is_ascii_digit() || c.is_whitespace());
            // As a line or, in a text that is summarised as rows, as its row's values.
            let is_line =
                |line: &str| line.starts_with(&format!("{number}: ")) && line.contains(part);
            let words = planted.split(|c: char| !c.is_alphabetic());
            let word = words.max_by_key(|word| word.len()).unwrap_or_default();
            let is_cell = |line: &str| line.contains(word) && line.contains(&format!(" at [{at}]"));
            let is_shown = applied
                .text()
                .lines()
                .any(|line| is_line(line) || is_cell(line));
            if !is_shown {
                missed.push((at, planted, applied.text().to_owned()));
            }
        }
        assert!(
            missed.is_empty(),
            "{name}: {} of {DOCUMENTS} are not shown, the first {:?}:\n{}",
            missed.len(),
            missed[0].1,
            missed[0].2
        );
    }
}
