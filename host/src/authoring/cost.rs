//! The costs of a call: time, fuel and memory by the size of the document, compared with a filter that does
//! nothing.

use super::hostile::row;
use super::promises::apply;
use crate::document::Document;
use crate::sandbox::{CallError, CallInfo, Filter};
use std::time::{Duration, Instant};

/// Most calls that a time is the median of.
const MOST_ROUNDS: usize = 200;
/// How long calls are repeated for one size.
const ROUNDS_TIME: Duration = Duration::from_millis(300);

/// The measured surface: the first block of a tool's result.
const CALL: CallInfo<'static> = CallInfo::of_result("server", "tool");

/// The cost of a call on one document.
#[derive(Debug, Clone, Copy)]
pub struct Measured {
    pub bytes: usize,
    /// The median time, with a fresh instance.
    pub time: Duration,
    /// The same time of a filter that does nothing, measured in turns.
    pub no_op: Duration,
    /// About an instruction each; the same on every machine.
    pub fuel: u64,
    /// All linear memories, at their largest.
    pub memory_bytes: u64,
    pub rounds: usize,
}

/// Measures a filter on a document. `counting`: the same filter in a sandbox that counts fuel. `no_op`: one
/// that does nothing.
///
/// # Errors
///
/// A call failed.
pub fn measure(
    filter: &Filter,
    counting: &Filter,
    no_op: &Filter,
    document: &Document,
) -> Result<Measured, CallError> {
    // Documents that the host holds ready have an index by then.
    let _ = document.kind();
    let counted = apply(counting, document, &CALL)?.cost;
    let (mut times, mut nothing) = (Vec::new(), Vec::new());
    let begun = Instant::now();
    while times.len() < MOST_ROUNDS && (times.len() < 3 || begun.elapsed() < ROUNDS_TIME) {
        times.push(timed(filter, document)?);
        nothing.push(timed(no_op, document)?);
    }
    Ok(Measured {
        bytes: document.text().len(),
        rounds: times.len(),
        time: median(times),
        no_op: median(nothing),
        fuel: counted.fuel.unwrap_or_default(),
        memory_bytes: counted.memory_bytes,
    })
}

impl Measured {
    /// A document of rows, of about so many bytes.
    pub fn document(bytes: usize) -> Document {
        let mut rows = Vec::new();
        let mut len = 2;
        while rows.is_empty() || len < bytes {
            let row = row(rows.len(), false);
            len += row.len() + 1;
            rows.push(row);
        }
        Document::detect(format!("[{}]", rows.join(",")))
    }
}

fn timed(filter: &Filter, document: &Document) -> Result<Duration, CallError> {
    let begun = Instant::now();
    apply(filter, document, &CALL)?;
    Ok(begun.elapsed())
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
