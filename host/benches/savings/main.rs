//! `make bench`: what the built-in policy saves on recorded results, net of reading back.
//!
//! Takes every result below `$TAMIS_DATA/corpus` and `$TAMIS_DATA/results`, counts o200k tokens of what a model is shown before,
//! after what loses nothing, and after all; then a scripted reader answers three questions about each
//! large result that was cut, and its calls are counted in. The same data gives the same figures.

mod questions;
mod reader;
mod recorded;

use std::path::Path;
use std::sync::Arc;

use reader::Reader;
use recorded::Recorded;
use serde_json::Value;
use tamis::built_in;
use tamis::chain::{self, Chains};
use tamis::mcp::read_tool;
use tamis::mcp::shape::{self, CallContext, OutputSchema};
use tamis::mcp::shown::ClientDisplay;
use tamis::policy::{Piece, Policy, ReadTool, ResultFacts, Source, Structured, Surface as Bound};
use tamis::sandbox::{Sandbox, Surface};
use tamis::store::Reference;
use tamis::tokens;

/// The policy where there is none.
const POLICY: &str = include_str!("../../src/cli/default.toml");
/// From so many tokens on, a result is worth a line and questions.
const LARGE: usize = 2_000;

/// From so many on, a result is one of those that fill a context.
const VERY_LARGE: usize = 6_000;

fn main() {
    // `cargo test` starts benchmarks too, to see that they build.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let Some(data) = std::env::var_os("TAMIS_DATA") else {
        println!(
            "savings: TAMIS_DATA is not set to a folder that holds corpus/ or results/, so nothing is measured"
        );
        return;
    };
    let folders = ["corpus", "results"].map(|folder| Path::new(&data).join(folder));
    let recorded = folders.iter().flat_map(|folder| recorded::all(folder));
    let sandbox = Sandbox::new(None).expect("a sandbox");
    let all = load(&sandbox, POLICY);
    // Reading back is for what a summary leaves out.
    let without_summary = |line: &str| match line.contains("filter = \"summary\"") {
        false => format!("{line}\n"),
        true if line.starts_with("steps = [") => "steps = []\n".to_owned(),
        true => String::new(),
    };
    let lossless: String = POLICY.lines().map(without_summary).collect();
    assert_ne!(lossless, POLICY, "the policy has no summary to leave out");
    let lossless = load(&sandbox, &lossless);

    println!(
        "{:<34} {:>8} {:>9} {:>8} {:>9} {:>8} {:>8}",
        "o200k tokens of a result", "before", "lossless", "after", "readings", "net", "saved"
    );
    let mut every = Vec::new();
    let (mut asked, mut answered, mut calls, mut larger, mut longer) = (0, 0, 0, 0, 0);
    for call in recorded {
        let bytes = &call.result;
        let before = shown(bytes);
        let (plain_result, _) = filter(&lossless, &call);
        let (after_result, cut) = filter(&all, &call);
        if after_result.len() > bytes.len() {
            longer += 1;
            println!(
                "    {} has become larger: {} bytes, {}",
                call.name,
                bytes.len(),
                after_result.len()
            );
        }
        let shown_after = shown(&after_result);
        let [before, plain, after] =
            [before, shown(&plain_result), shown_after.clone()].map(|text| count(&text));
        // Some clients show a model `structuredContent` alone, where it exists.
        let least = structured(bytes).map(|text| count(&text));
        let value = |result: &[u8]| structured(result).map(|text| count(&text));
        for (result, after) in [(&plain_result, plain), (&after_result, after)] {
            let alone = value(result).unwrap_or(after);
            if after > before || least.is_some_and(|least| alone > least) {
                larger += 1;
                println!(
                    "    {} takes more tokens: {before}, alone {least:?}; after {after}, alone {alone}",
                    call.name
                );
                break;
            }
        }
        let mut readings = 0;
        if before > LARGE && cut {
            let reader = Reader {
                shown: &shown_after,
                original: bytes,
            };
            let result: Value = serde_json::from_slice(bytes).expect("a result is JSON");
            let texts: Vec<String> = texts(&result).into_iter().map(str::to_owned).collect();
            for question in questions::of(&texts, result.get("structuredContent"), &call.name) {
                let reading = reader.answer(&question);
                asked += 1;
                calls += reading.calls;
                readings += reading.tokens;
                if reading.is_right {
                    answered += 1;
                } else {
                    println!("    not answered: {question:?}");
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
            row.print(&call.name);
        }
        every.push(row);
    }
    let over =
        |tokens: usize| -> Vec<&Row> { every.iter().filter(|row| row.before > tokens).collect() };
    println!();
    summary(
        &format!("all {}", every.len()),
        &every.iter().collect::<Vec<_>>(),
    );
    for least in [LARGE, VERY_LARGE] {
        let large = over(least);
        summary(&format!("the {} over {least}", large.len()), &large);
    }
    println!(
        "{answered} of {asked} questions answered, {calls} calls; {longer} results have more bytes than before, {larger} more tokens"
    );
    let listed = read_tool::definition(&ReadTool::default());
    println!(
        "beside that, the read tool takes {} tokens in a session's list of tools",
        count(&listed)
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

fn load(sandbox: &Sandbox, policy: &str) -> Chains {
    let source = Source::new("(built-in policy)", policy).expect("a policy");
    let policy = Policy::parse(source, &built_in::names()).expect("a policy without mistakes");
    chain::load(policy, sandbox).expect("the filters load")
}

/// The result after the chain of its tool, and whether something was cut from it.
fn filter(chains: &Chains, recorded: &Recorded) -> (Vec<u8>, bool) {
    let bytes = &recorded.result;
    let piece = Piece {
        server: Some("bench"),
        arguments: Some(&recorded.arguments),
        client: Some(""),
        result: Some(ResultFacts::of(bytes)),
        ..Piece::new(Bound::Result, &recorded.tool)
    };
    let chain = chains.find(&piece).expect("a chain for every tool");
    let settings = chains.policy().read_tool.clone();
    let call = CallContext {
        server: "bench",
        surface: Surface::Result,
        name: &recorded.tool,
        arguments: &recorded.arguments,
        session: None,
        schema: OutputSchema::Unknown,
        enforces_audience: false,
        view: ClientDisplay::default(),
        structured: Structured::Text,
        keep: Arc::new(move |result, _, _| {
            Ok(read_tool::names(
                &settings,
                &Reference::of(result),
                Some(Path::new("")),
            ))
        }),
    };
    let filtered = shape::filter_result(chain, &call, bytes);
    let cut = filtered.kept.is_some();
    (
        filtered
            .result
            .map_or_else(|| bytes.clone(), String::into_bytes),
        cut,
    )
}

/// `structuredContent`, as it is written without spaces.
fn structured(result: &[u8]) -> Option<String> {
    let result: Value = serde_json::from_slice(result).expect("a result is JSON");
    result.get("structuredContent").map(Value::to_string)
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
