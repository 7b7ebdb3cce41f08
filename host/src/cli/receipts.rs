//! The effect of each step of a chain, as a table and as JSON.

use crate::chain::{self, Chain, Chains, Outcome, Receipt};
use crate::document::Document;
use crate::mcp::shape::FilteredDocument;
use crate::sandbox::Part;
use crate::tokens;
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use serde_json::{Value, json};

/// A table for a person: a row a step. `chain`: its name. `chains`: those that it is one of, if they know why a step
/// left a document unchanged.
pub(super) fn table(
    chain: &str,
    documents: &[FilteredDocument],
    chains: Option<&Chains>,
) -> String {
    let mut table = Table::new();
    table
        .load_style(presets::UTF8_BORDERS_ONLY)
        .set_content_arrangement(ContentArrangement::Dynamic);
    let tokens = format!("tokens ({})", tokens::ENCODING);
    table.set_header([
        "document",
        "step",
        "outcome",
        "bytes",
        tokens.as_str(),
        "µs",
    ]);
    let mut notes = Vec::new();
    for document in documents {
        for (step, receipt) in document.receipts.iter().enumerate() {
            table.add_row([
                place(document),
                receipt.filter.clone(),
                receipt.outcome.name().to_owned(),
                change(receipt.before.text().len(), receipt.after.text().len()),
                change(count(&receipt.before), count(&receipt.after)),
                receipt.time.as_micros().to_string(),
            ]);
            notes.extend(note(receipt));
            let why = chains.and_then(|chains| chains.why_unchanged(chain, step, receipt));
            notes.extend(why.map(|why| format!("{}: {why}", receipt.filter)));
        }
    }
    for index in 3..=5 {
        if let Some(column) = table.column_mut(index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let (before, after) = totals(documents);
    let mut text = format!("chain `{chain}`\n{table}");
    if before > 0 {
        let saved = 100.0 * (1.0 - after as f64 / before as f64);
        text += &format!("\n{} {tokens}, {saved:.1} % saved", change(before, after));
    }
    for note in notes {
        text += &format!("\n{note}");
    }
    text
}

/// The receipts for machines. Bytes and tokens are counts, times are in microseconds.
pub(super) fn json(chain: &Chain, documents: &[FilteredDocument], output: Option<&[u8]>) -> Value {
    let (before, after) = totals(documents);
    json!({
        "chain": chain.name,
        "encoding": tokens::ENCODING,
        "tokens_before": before,
        "tokens_after": after,
        "steps": steps_json(documents),
        "output": output.map(String::from_utf8_lossy),
    })
}

/// The steps alone.
pub(super) fn steps_json(documents: &[FilteredDocument]) -> Vec<Value> {
    documents
        .iter()
        .flat_map(|document| {
            document
                .receipts
                .iter()
                .map(move |receipt| (document, receipt))
        })
        .map(|(document, receipt)| {
            json!({
                "document": place(document),
                "filter": receipt.filter,
                "outcome": receipt.outcome.name(),
                "message": message(receipt),
                "bytes_before": receipt.before.text().len(),
                "bytes_after": receipt.after.text().len(),
                "tokens_before": count(&receipt.before),
                "tokens_after": count(&receipt.after),
                "time_us": receipt.time.as_micros() as u64,
                "withheld": receipt.withheld,
            })
        })
        .collect()
}

fn place(document: &FilteredDocument) -> String {
    match document.part {
        Part::Content => format!("content[{}]", document.index),
        Part::StructuredContent => "structuredContent".to_owned(),
        Part::Whole => "whole".to_owned(),
    }
}

fn count(document: &Document) -> usize {
    tokens::count(document.text()) as usize
}

fn change(before: usize, after: usize) -> String {
    if before == after {
        return before.to_string();
    }
    format!("{before} → {after}")
}

/// Tokens of all documents, before the first step and after the last.
fn totals(documents: &[FilteredDocument]) -> (usize, usize) {
    let ends = documents
        .iter()
        .filter_map(|document| Some((document.receipts.first()?, document.receipts.last()?)));
    ends.fold((0, 0), |(before, after), (first, last)| {
        (before + count(&first.before), after + count(&last.after))
    })
}

fn message(receipt: &Receipt) -> Option<String> {
    match &receipt.outcome {
        Outcome::Failed(error) => Some(error.to_string()),
        _ => None,
    }
}

fn note(receipt: &Receipt) -> Option<String> {
    if matches!(receipt.outcome, Outcome::NoOriginal) {
        return Some(format!(
            "{}: it asked for the original, and none is stored, so it left the document unchanged: a chain that redacts stores none, and neither does a document that is not in a result\n  help: {}",
            receipt.filter,
            chain::NO_ORIGINAL_HELP
        ));
    }
    let consequence = if receipt.withheld {
        "the result is withheld"
    } else {
        "the document continues unchanged"
    };
    let message = message(receipt)?;
    let remedy = match &receipt.outcome {
        Outcome::Failed(error) => error.remedy(),
        _ => None,
    };
    let help = remedy.map_or_else(String::new, |remedy| format!("\n  help: {remedy}"));
    Some(format!(
        "{}: {message}; {consequence}{help}",
        receipt.filter
    ))
}
