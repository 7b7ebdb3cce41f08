//! A report for machines.

use super::Arguments;
use crate::ledger::{Report, Row};
use crate::tokens;
use serde_json::{Map, Value, json};

/// Bytes and tokens are counts, times are in microseconds, or in milliseconds
/// since 1970 where they say so.
pub(super) fn json(arguments: &Arguments, report: &Report) -> Value {
    let rows: Vec<Value> = report.rows.iter().map(row_json).collect();
    let mut total = row_json(&report.total);
    if let Some(total) = total.as_object_mut() {
        total.shift_remove("name");
    }
    json!({
        "by": arguments.by.name(),
        "encoding": tokens::ENCODING,
        "since_unix_ms": report.since_unix_ms,
        "server": arguments.server,
        "rows": rows,
        "total": total,
        "lost": {
            "sessions": report.lost.sessions,
            "of": report.lost.of,
            "tokens": report.lost.tokens,
        },
        "dropped": report.dropped,
        "estimated": report.estimated,
    })
}

fn row_json(row: &Row) -> Value {
    let mut value = json!({
        "name": row.name,
        "calls": row.calls,
        "withheld": row.withheld,
        "failures": row.failures,
        "bytes_before": row.bytes_before,
        "bytes_after": row.bytes_after,
        "tokens_before": row.tokens_before,
        "tokens_after": row.tokens_after,
        "saved_tokens": row.saved_tokens(),
        "saved_percent": row.saved_percent(),
        "reads": row.reads,
        "reread_tokens": row.reread_tokens,
        "requests": row.requests,
        "listing_tokens": row.listing_tokens,
        "net_saved_tokens": row.net_saved_tokens(),
        "net_saved_percent": row.net_saved_percent(),
        "time_us": row.time.as_micros() as u64,
    });
    if !row.outcomes.is_empty() {
        let outcomes = row.outcomes.iter();
        let outcomes: Map<String, Value> = outcomes
            .map(|count| (count.outcome.clone(), count.documents.into()))
            .collect();
        value["outcomes"] = outcomes.into();
    }
    value
}
