//! What encoding saves, in o200k tokens, on each of a folder's data sets.
//!
//! ```text
//! TAMIS_DATA=<folder that holds fixtures/*.json> cargo bench -p tamis-rows --bench tokens
//! ```
//!
//! Files may also be named as arguments. Of a recorded MCP result each text block that is JSON counts.

use std::path::PathBuf;
use std::time::Instant;
use tamis_document::{Document, Node, NodeKind, Tape};
use tamis_rows::{Density, Options, encode, restore};

/// The time of one encoding is the best of so many.
const RUNS: u32 = 9;

fn main() {
    let mut files: Vec<PathBuf> = std::env::args()
        .skip(1)
        .filter(|argument| argument != "--bench")
        .map(PathBuf::from)
        .collect();
    if files.is_empty() {
        let Some(data) = std::env::var_os("TAMIS_DATA") else {
            println!("TAMIS_DATA is not set: it names the folder that holds fixtures/*.json");
            return;
        };
        let folder = PathBuf::from(data).join("fixtures");
        let entries = std::fs::read_dir(&folder).expect("read the folder of data sets");
        files = entries
            .map(|entry| entry.expect("list the folder").path())
            .collect();
        files.retain(|path| path.extension().is_some_and(|it| it == "json"));
        files.sort();
    }
    println!(
        "{:<28} {:>7} {:>7} {:>7} {:>7} {:>6} {:>6} {:>6} {:>6} {:>8} {:>8}",
        "set",
        "bytes",
        "pretty",
        "compact",
        "exact",
        "%",
        "dense",
        "%",
        "flat",
        "exact µs",
        "dense µs"
    );
    let mut ratios: Vec<(bool, f64, f64)> = Vec::new();
    let mut larger = 0;
    for path in files {
        let text = std::fs::read_to_string(&path).expect("read a data set");
        let name = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        for (block, json) in documents(&text).iter().enumerate() {
            let row = measure(json);
            let percent = |tokens: usize| (1.0 - tokens as f64 / row.compact as f64) * 100.0;
            println!(
                "{:<28} {:>7} {:>7} {:>7} {:>7} {:>6.1} {:>6} {:>6.1} {:>6} {:>8.0} {:>8.0}",
                if block == 0 {
                    name.clone()
                } else {
                    format!("{name}[{block}]")
                },
                row.bytes,
                row.pretty,
                row.compact,
                row.exact.tokens,
                percent(row.exact.tokens),
                row.dense.tokens,
                percent(row.dense.tokens),
                if row.flat { "flat" } else { "" },
                row.exact.micros,
                row.dense.micros,
            );
            larger += usize::from(row.exact.tokens > row.compact);
            larger += usize::from(row.dense.tokens > row.compact);
            ratios.push((
                row.flat,
                row.exact.tokens as f64 / row.compact as f64,
                row.dense.tokens as f64 / row.compact as f64,
            ));
        }
    }
    for (name, chosen) in [
        ("flat", &[true][..]),
        ("nested", &[false]),
        ("all", &[true, false]),
    ] {
        let of: Vec<_> = ratios
            .iter()
            .filter(|(flat, ..)| chosen.contains(flat))
            .collect();
        let mean = |ratio: fn(&(bool, f64, f64)) -> f64| {
            let sum: f64 = of.iter().map(|it| ratio(it).ln()).sum();
            (1.0 - (sum / of.len() as f64).exp()) * 100.0
        };
        println!(
            "geometric mean, {name} ({}): exact {:.1} % under compact, dense {:.1} %",
            of.len(),
            mean(|it| it.1),
            mean(|it| it.2)
        );
    }
    println!("larger than compact: {larger}");
}

struct Measured {
    bytes: usize,
    pretty: usize,
    compact: usize,
    exact: Emission,
    dense: Emission,
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
        exact: emission(json, &compact, tape, Density::Exact),
        dense: emission(json, &compact, tape, Density::Dense),
        flat: is_flat(tape, tape.root()),
    }
}

fn emission(json: &str, compact: &str, tape: &Tape, density: Density) -> Emission {
    let options = Options {
        density,
        min_rows: 2,
    };
    let mut best = f64::INFINITY;
    let mut text = None;
    for _ in 0..RUNS {
        let start = Instant::now();
        text = encode(json, tape.words(), options);
        best = best.min(start.elapsed().as_secs_f64() * 1e6);
    }
    let text = text.map_or_else(|| json.to_owned(), |encoded| encoded.text);
    if std::env::var_os("TAMIS_SHOW").is_some() {
        println!("--- {density:?}\n{text}\n---");
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

/// The JSON documents in a text: itself, or the text blocks of an MCP result.
fn documents(text: &str) -> Vec<String> {
    let whole = Document::json(text).expect("a file is JSON");
    let tape = whole.tape().expect("JSON has a tape");
    let mut found = Vec::new();
    for (key, value) in tape.members(tape.root()) {
        if whole.slice(key.start, key.end) != "\"content\"" || value.kind != NodeKind::Array {
            continue;
        }
        for block in tape.elements(value) {
            for (key, value) in tape.members(block) {
                if whole.slice(key.start, key.end) == "\"text\"" {
                    let said = unquoted(whole.slice(value.start, value.end));
                    if Document::detect(said.as_str()).tape().is_some() {
                        found.push(said);
                    }
                }
            }
        }
        return found;
    }
    vec![text.to_owned()]
}

/// What a JSON string says, for the escapes that text blocks have.
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

/// Whether every list of objects in it holds scalars only.
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

/// The JSON with its whitespace made anew; `break_line` is called where a line may end.
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
