//! `make bench`: what the built-in policy saves on recorded results, net of reading back.
//!
//! Takes every result below `$TAMIS_DATA/corpus`, counts o200k tokens of what a model is shown before,
//! after what loses nothing, and after all; then asks three questions of each large result that was cut,
//! as the read tool answers them, and counts those answers in. The same data gives the same figures.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use tamis::built_in;
use tamis::chain::{self, Chains};
use tamis::excerpt::{self, Cap, Original, Query};
use tamis::mcp::read_tool;
use tamis::mcp::shape::{self, CallContext, OutputSchema};
use tamis::policy::{Policy, Source, Structured, Surface as Bound};
use tamis::sandbox::{Sandbox, Surface};
use tamis::store::Reference;
use tamis::tokens;

/// The policy where there is none.
const POLICY: &str = include_str!("../src/cli/default.toml");
/// From so many tokens on, a result is worth a line and questions.
const LARGE: usize = 2_000;

fn main() {
    // `cargo test` starts benchmarks too, to see that they build.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let Some(data) = std::env::var_os("TAMIS_DATA") else {
        println!(
            "savings: TAMIS_DATA is not set to a folder that holds corpus/, so nothing is measured"
        );
        return;
    };
    let mut files = Vec::new();
    find(&Path::new(&data).join("corpus"), &mut files);
    files.sort();
    let sandbox = Sandbox::new(None).expect("a sandbox");
    let all = load(&sandbox, POLICY);
    // Reading back is for what a summary leaves out.
    let lossless: String = POLICY
        .lines()
        .filter(|line| !line.trim_start().starts_with("\"summary\""))
        .map(|line| format!("{line}\n"))
        .collect();
    assert_ne!(lossless, POLICY, "the policy has no summary to leave out");
    let lossless = load(&sandbox, &lossless);

    println!(
        "{:<34} {:>8} {:>9} {:>8} {:>9} {:>8} {:>8}",
        "o200k tokens of a result", "before", "lossless", "after", "readings", "net", "saved"
    );
    let mut every = Vec::new();
    let (mut asked, mut answered, mut larger, mut longer) = (0, 0, 0, 0);
    for file in &files {
        let bytes = std::fs::read(file).expect("a result");
        let before = shown(&bytes);
        let (plain, _) = filter(&lossless, file, &bytes);
        let (after, cut) = filter(&all, file, &bytes);
        if after.len() > bytes.len() {
            longer += 1;
            println!(
                "    {} has become larger: {} bytes, {}",
                file.display(),
                bytes.len(),
                after.len()
            );
        }
        let [before, plain, after] =
            [before, shown(&plain), shown(&after)].map(|text| count(&text));
        // With `structuredContent` that the text does not repeat: it becomes text.
        if after > before || plain > before {
            larger += 1;
            println!(
                "    {} takes more tokens: {before}, {plain}, {after}",
                file.display()
            );
        }
        let mut readings = 0;
        if before > LARGE && cut {
            for (question, answer) in questions(&bytes, file) {
                asked += 1;
                match answer {
                    Some(tokens) => {
                        answered += 1;
                        readings += tokens
                    }
                    None => println!("    not answered: {question}"),
                }
            }
        }
        let row = Row {
            before,
            plain,
            after,
            readings,
        };
        if before > LARGE {
            let folder = file
                .parent()
                .and_then(Path::file_name)
                .unwrap_or_default()
                .to_string_lossy();
            let stem = file.file_stem().unwrap_or_default().to_string_lossy();
            row.print(&format!("{folder}/{stem}"));
        }
        every.push(row);
    }
    let large: Vec<&Row> = every.iter().filter(|row| row.before > LARGE).collect();
    println!();
    summary(
        &format!("all {}", every.len()),
        &every.iter().collect::<Vec<_>>(),
    );
    summary(&format!("the {} over {LARGE}", large.len()), &large);
    println!(
        "{answered} of {asked} questions answered by the read tool; {longer} results have more bytes than before, {larger} more tokens as text"
    );
}

struct Row {
    before: usize,
    plain: usize,
    after: usize,
    readings: usize,
}

impl Row {
    fn net(&self) -> usize {
        self.after + self.readings
    }

    fn print(&self, name: &str) {
        let (net, saved) = (self.net(), percent(self.before, self.net()));
        println!(
            "{name:<34} {:>8} {:>9} {:>8} {:>9} {net:>8} {saved:>6.1} %",
            self.before, self.plain, self.after, self.readings
        );
    }
}

fn summary(name: &str, rows: &[&Row]) {
    let sum = |of: fn(&Row) -> usize| rows.iter().map(|row| of(row)).sum();
    let total = Row {
        before: sum(|row| row.before),
        plain: sum(|row| row.plain),
        after: sum(|row| row.after),
        readings: sum(|row| row.readings),
    };
    total.print(&format!("total of {name}"));
    let median = |of: fn(&Row) -> usize| {
        let mut saved: Vec<f64> = rows
            .iter()
            .map(|row| percent(row.before, of(row)))
            .collect();
        saved.sort_by(f64::total_cmp);
        saved.get(saved.len() / 2).copied().unwrap_or_default()
    };
    println!(
        "median saved of {name}: {:.1} % lossless, {:.1} % after all, {:.1} % net of readings",
        median(|row| row.plain),
        median(|row| row.after),
        median(Row::net)
    );
}

fn percent(before: usize, after: usize) -> f64 {
    if before == 0 {
        0.0
    } else {
        100.0 * (before as f64 - after as f64) / before as f64
    }
}

fn count(text: &str) -> usize {
    tokens::count(text) as usize
}

fn find(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            find(&path, files);
        } else if path.extension().is_some_and(|it| it == "json")
            && path.file_name().is_some_and(|it| it != "_tools_list.json")
        {
            files.push(path);
        }
    }
}

fn load(sandbox: &Sandbox, policy: &str) -> Chains {
    let source = Source::new("(built-in policy)", policy).expect("a policy");
    let policy = Policy::parse(source, &built_in::names()).expect("a policy without mistakes");
    chain::load(policy, sandbox).expect("the filters load")
}

/// The result after the chain of its tool, and whether something was cut from it.
fn filter(chains: &Chains, file: &Path, bytes: &[u8]) -> (Vec<u8>, bool) {
    let tool = file.file_stem().unwrap_or_default().to_string_lossy();
    let chain = chains
        .find(Bound::Result, &tool)
        .expect("a chain for every tool");
    let settings = chains.policy().read_tool.clone();
    let call = CallContext {
        server: "bench",
        surface: Surface::Result,
        name: &tool,
        arguments: "{}",
        session: None,
        schema: OutputSchema::Unknown,
        enforces_audience: false,
        structured: Structured::Text,
        keep: Arc::new(move |result, _, _| {
            Ok(read_tool::names(
                &settings,
                &Reference::of(result),
                Path::new(""),
            ))
        }),
    };
    let filtered = shape::filter_result(chain, &call, bytes);
    let cut = filtered.kept.is_some();
    (
        filtered
            .result
            .map_or_else(|| bytes.to_vec(), String::into_bytes),
        cut,
    )
}

fn texts(result: &Value) -> Vec<&str> {
    let blocks = result["content"].as_array().into_iter().flatten();
    blocks.filter_map(|block| block["text"].as_str()).collect()
}

/// What a model reads: the text of all blocks, or the structured content where there is none.
fn shown(result: &[u8]) -> String {
    let result: Value = serde_json::from_slice(result).expect("a result is JSON");
    match texts(&result).as_slice() {
        [] => result
            .get("structuredContent")
            .unwrap_or(&Value::Null)
            .to_string(),
        texts => texts.join("\n"),
    }
}

/// Three questions and what each answer costs; none where the read tool did not give it.
fn questions(bytes: &[u8], file: &Path) -> [(String, Option<usize>); 3] {
    let result: Value = serde_json::from_slice(bytes).expect("a result is JSON");
    let texts = texts(&result);
    let parsed: Vec<Value> = texts
        .iter()
        .filter_map(|text| serde_json::from_str(text).ok())
        .collect();
    let document = match parsed.as_slice() {
        [one] if texts.len() == 1 => one.clone(),
        many if many.len() == texts.len() && !many.is_empty() => Value::Array(many.to_vec()),
        _ => Value::Null,
    };
    let mut random = Random::seeded(&file.to_string_lossy());
    let rows = longest(&document).filter(|rows| rows.len() > 13);
    let all = texts.join("\n");
    let (value, total, unit) = match rows {
        Some(rows) => {
            let mut values = Vec::new();
            scalars(random.pick(rows).expect("rows"), &mut values);
            (
                random.pick(&values).cloned().unwrap_or_default(),
                rows.len(),
                "rows",
            )
        }
        None => {
            let words: Vec<&str> = all
                .split(|it: char| !it.is_alphanumeric())
                .filter(|word| word.len() > 4)
                .collect();
            (
                random.pick(&words).copied().unwrap_or_default().to_owned(),
                all.lines().count(),
                "lines",
            )
        }
    };
    let part = |from: u64, to: u64| match rows {
        Some(_) => Query::Rows {
            path: None,
            from,
            to: Some(to),
        },
        None => Query::Lines { from, to: Some(to) },
    };
    let ask = |query: &Query| {
        excerpt::read(
            &Original::new(bytes),
            None,
            query,
            Cap {
                tokens: 2_000,
                counter: &count,
            },
        )
    };
    let search = Query::Search {
        pattern: value.clone(),
        regex: false,
        ignore_case: true,
        context: 0,
        path: None,
    };
    let cost = |answer: &excerpt::Excerpt| count(&answer.to_string());
    let found = ask(&search)
        .ok()
        .filter(|answer| answer.text.contains(&value));
    let first = if rows.is_some() {
        part(0, 1)
    } else {
        part(1, 1)
    };
    let counted = ask(&first)
        .ok()
        .filter(|answer| answer.total == total as u64);
    let slice = ask(&part(10, 13))
        .ok()
        .filter(|answer| !answer.text.is_empty());
    [
        (format!("search for {value:?}"), found.as_ref().map(cost)),
        (
            format!("how many {unit}: {total}"),
            counted.as_ref().map(cost),
        ),
        (format!("{unit} 10 to 13"), slice.as_ref().map(cost)),
    ]
}

/// The longest list of objects or lists, at any depth.
fn longest(value: &Value) -> Option<&Vec<Value>> {
    let inner: Vec<&Value> = match value {
        Value::Array(items) => items.iter().collect(),
        Value::Object(members) => members.values().collect(),
        _ => return None,
    };
    let own = value
        .as_array()
        .filter(|items| items.iter().all(|item| item.is_object() || item.is_array()));
    inner
        .into_iter()
        .filter_map(longest)
        .chain(own)
        .max_by_key(|items| items.len())
}

/// Texts and numbers that are long enough to look for.
fn scalars(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| scalars(item, found)),
        Value::Object(members) => members.values().for_each(|member| scalars(member, found)),
        Value::String(text)
            if (4..60).contains(&text.len())
                && text.is_ascii()
                && !text.contains(['"', '\\', '\n']) =>
        {
            found.push(text.clone())
        }
        Value::Number(number) if number.to_string().len() > 3 => found.push(number.to_string()),
        _ => {}
    }
}

/// Numbers that are the same in every run.
struct Random(u64);

impl Random {
    fn seeded(text: &str) -> Random {
        let name = text.rsplit('/').next().unwrap_or(text);
        Random(name.bytes().fold(0xCBF2_9CE4_8422_2325, |sum, byte| {
            (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
        }))
    }

    fn pick<'l, T>(&mut self, list: &'l [T]) -> Option<&'l T> {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let length = u64::try_from(list.len())
            .ok()
            .filter(|length| *length > 0)?;
        usize::try_from(self.0 % length)
            .ok()
            .and_then(|at| list.get(at))
    }
}
