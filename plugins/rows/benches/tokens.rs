//! Savings by encoding, in o200k tokens, for each data set of a folder.
//!
//! ```text
//! TAMIS_DATA=<folder that holds fixtures/*.json> cargo bench -p tamis-rows --bench tokens
//! ```
//!
//! Arguments may name files and folders too. Of a recorded MCP result, each text block that is JSON counts.

use std::path::{Path, PathBuf};
use std::time::Instant;
use tamis_document::{Document, Node, NodeKind, Tape};
use tamis_rows::{Level, Options, encode, restore};

/// The time of one encoding is the best of this many runs.
const RUNS: u32 = 9;

const LEVELS: [Level; 3] = [Level::Table, Level::Exact, Level::Dense];

fn main() {
    let mut folders: Vec<PathBuf> = std::env::args()
        .skip(1)
        .filter(|argument| argument != "--bench")
        .map(PathBuf::from)
        .collect();
    if folders.is_empty() {
        let Some(data) = std::env::var_os("TAMIS_DATA") else {
            println!("TAMIS_DATA is not set: it names the folder that holds fixtures/*.json");
            return;
        };
        folders.push(PathBuf::from(data).join("fixtures"));
    }
    let mut files = Vec::new();
    for folder in &folders {
        find(folder, &mut files);
    }
    files.sort();
    println!(
        "{:<32} {:>7} {:>7} {:>7} {:>7} {:>6} {:>7} {:>6} {:>7} {:>6} {:>4} {:>8} {:>8} {:>8}",
        "set",
        "bytes",
        "pretty",
        "compact",
        "table",
        "%",
        "exact",
        "%",
        "dense",
        "%",
        "",
        "table µs",
        "exact µs",
        "dense µs"
    );
    let mut rows: Vec<Measured> = Vec::new();
    for path in files {
        let text = std::fs::read_to_string(&path).expect("read a data set");
        let folder = path.parent().and_then(|folder| folder.file_name());
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let name = match folder.unwrap_or_default().to_string_lossy() {
            folder if folder == "fixtures" => stem.into_owned(),
            folder => format!("{folder}/{stem}"),
        };
        for (block, json) in documents(&text).iter().enumerate() {
            let row = measure(json);
            let shown = if block == 0 {
                name.clone()
            } else {
                format!("{name}[{block}]")
            };
            print!(
                "{shown:<32} {:>7} {:>7} {:>7}",
                row.bytes, row.pretty, row.compact
            );
            for emission in &row.emissions {
                let percent = (1.0 - emission.tokens as f64 / row.compact as f64) * 100.0;
                print!(" {:>7} {percent:>6.1}", emission.tokens);
            }
            print!(" {:>4}", if row.flat { "flat" } else { "" });
            for emission in &row.emissions {
                print!(" {:>8.0}", emission.micros);
            }
            println!();
            rows.push(row);
        }
    }
    for (name, chosen) in [
        ("flat", &[true][..]),
        ("nested", &[false]),
        ("all", &[true, false]),
    ] {
        let of: Vec<&Measured> = rows
            .iter()
            .filter(|row| chosen.contains(&row.flat))
            .collect();
        print!("geometric mean, {name} ({}):", of.len());
        for (index, level) in LEVELS.iter().enumerate() {
            let ratio = |row: &&Measured| row.emissions[index].tokens as f64 / row.compact as f64;
            let sum: f64 = of.iter().map(|row| ratio(row).ln()).sum();
            let mean = (1.0 - (sum / of.len() as f64).exp()) * 100.0;
            print!(" {level:?} {mean:.1} % under compact;");
        }
        println!();
    }
    let compact: usize = rows.iter().map(|row| row.compact).sum();
    print!("in all: compact {compact}");
    for (index, level) in LEVELS.iter().enumerate() {
        let tokens: usize = rows.iter().map(|row| row.emissions[index].tokens).sum();
        print!(", {level:?} {tokens}");
    }
    println!();
    for (index, level) in LEVELS.iter().enumerate() {
        let is_larger = |row: &&Measured| row.emissions[index].tokens > row.compact;
        let larger = rows.iter().filter(is_larger).count();
        println!("{level:?}: {larger} larger than compact");
    }
}

/// The JSON files in a folder, or the file itself.
fn find(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_dir() {
        for entry in std::fs::read_dir(path).expect("read a folder of data sets") {
            find(&entry.expect("list the folder").path(), files);
        }
    } else if path.extension().is_some_and(|it| it == "json") {
        files.push(path.to_owned());
    }
}

struct Measured {
    bytes: usize,
    pretty: usize,
    compact: usize,
    /// One for each of `LEVELS`.
    emissions: [Emission; LEVELS.len()],
    flat: bool,
}

struct Emission {
    tokens: usize,
    micros: f64,
}

fn measure(json: &str) -> Measured {
    let document = Document::json(json).expect("a data set is JSON");
    let tape = document.tape().expect("JSON has a tape");
    let (compact, pretty) = (compact(json), pretty(json));
    Measured {
        bytes: json.len(),
        pretty: tokens(&pretty),
        compact: tokens(&compact),
        emissions: LEVELS.map(|level| emission(json, &compact, tape, level)),
        flat: is_flat(tape, tape.root()),
    }
}

fn emission(json: &str, compact: &str, tape: &Tape, level: Level) -> Emission {
    let options = Options { level, min_rows: 2 };
    let mut best = f64::INFINITY;
    let mut text = None;
    for _ in 0..RUNS {
        let start = Instant::now();
        text = encode(json, tape.words(), options);
        best = best.min(start.elapsed().as_secs_f64() * 1e6);
    }
    let text = text.map_or_else(|| json.to_owned(), |encoded| encoded.text);
    if std::env::var_os("TAMIS_SHOW").is_some() {
        println!("--- {level:?}\n{text}\n---");
    }
    assert_eq!(restore(&text).as_deref(), Ok(compact), "not restored");
    Emission {
        tokens: tokens(&text),
        micros: best,
    }
}

fn tokens(text: &str) -> usize {
    tiktoken::get_encoding("o200k_base")
        .expect("the vocabulary is built in")
        .count(text)
}

/// The JSON documents in a text: the text, or the text blocks of an MCP result, which may be recorded with its call.
fn documents(text: &str) -> Vec<String> {
    let whole = Document::json(text).expect("a file is JSON");
    let tape = whole.tape().expect("JSON has a tape");
    let member = |object: Node, name: &str| {
        let mut members = tape.members(object);
        let found = members.find(|(key, _)| whole.slice(key.start, key.end) == name);
        found.map(|(_, value)| value)
    };
    let recorded = member(tape.root(), "\"result\"").filter(|it| it.kind == NodeKind::Object);
    let result = recorded.unwrap_or(tape.root());
    let Some(content) = member(result, "\"content\"").filter(|it| it.kind == NodeKind::Array)
    else {
        return vec![text.to_owned()];
    };
    let texts = tape
        .elements(content)
        .filter_map(|block| member(block, "\"text\""));
    let texts = texts.map(|value| unquoted(whole.slice(value.start, value.end)));
    texts
        .filter(|text| Document::detect(text.as_str()).tape().is_some())
        .collect()
}

/// The text of a JSON string, for the escapes in text blocks.
fn unquoted(quoted: &str) -> String {
    let mut out = String::new();
    let mut chars = quoted[1..quoted.len() - 1].chars();
    while let Some(char) = chars.next() {
        match char {
            '\\' => match chars.next() {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some('r') => out.push('\r'),
                Some('u') => {
                    let digits: String = chars.by_ref().take(4).collect();
                    let code = u32::from_str_radix(&digits, 16).unwrap_or(0xfffd);
                    out.push(char::from_u32(code).unwrap_or('\u{fffd}'));
                }
                Some(other) => out.push(other),
                None => {}
            },
            other => out.push(other),
        }
    }
    out
}

/// Whether every list of objects in a node has only scalars.
fn is_flat(tape: &Tape, node: Node) -> bool {
    match node.kind {
        NodeKind::Array => tape.elements(node).all(|element| {
            tape.members(element)
                .all(|(_, value)| !matches!(value.kind, NodeKind::Array | NodeKind::Object))
        }),
        NodeKind::Object => tape
            .members(node)
            .all(|(_, value)| value.kind != NodeKind::Object && is_flat(tape, value)),
        _ => true,
    }
}

fn compact(json: &str) -> String {
    spaced(json, |_, _| {})
}

fn pretty(json: &str) -> String {
    spaced(json, |out, depth| {
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", depth));
    })
}

/// The JSON with new whitespace. `break_line` is called where a line may end.
fn spaced(json: &str, break_line: fn(&mut String, usize)) -> String {
    let mut out = String::new();
    let (mut in_string, mut escaped, mut depth) = (false, false, 0usize);
    let mut broken = String::new();
    break_line(&mut broken, 0);
    for char in json.chars() {
        if in_string {
            out.push(char);
            in_string = escaped || char != '"';
            escaped = !escaped && char == '\\';
            continue;
        }
        let open = out.ends_with(['[', '{']);
        match char {
            _ if char.is_ascii_whitespace() => continue,
            ']' | '}' => {
                depth -= 1;
                if !open {
                    break_line(&mut out, depth);
                }
            }
            _ if open => break_line(&mut out, depth),
            _ => {}
        }
        out.push(char);
        match char {
            '[' | '{' => depth += 1,
            ',' => break_line(&mut out, depth),
            ':' if !broken.is_empty() => out.push(' '),
            '"' => in_string = true,
            _ => {}
        }
    }
    out
}
