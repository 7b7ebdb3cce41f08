//! A call of the read tool, as filters write it into what they make: where there is no such tool, a shell
//! runs it.

use super::Arguments;
use anyhow::{Context, Result, bail};
use serde::Deserialize;

/// What the read tool takes and a person may ask for. There is no cursor: a terminal has no cap.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Call {
    #[serde(rename = "ref")]
    reference: String,
    part: Option<String>,
    path: Option<String>,
    rows: Option<String>,
    lines: Option<String>,
    search: Option<String>,
    regex: Option<bool>,
}

/// The reference of a call, and its arguments as options.
pub(super) fn arguments(options: &Arguments, call: &str) -> Result<(String, Arguments)> {
    let call: Call = serde_json::from_str(call).with_context(|| format!("read the call {call}"))?;
    let has_options = [
        &options.part,
        &options.path,
        &options.rows,
        &options.lines,
        &options.grep,
    ]
    .into_iter()
    .any(Option::is_some);
    if has_options {
        bail!(
            "a call in JSON cannot be combined with options: put them into the call, or pass the reference alone"
        );
    }
    let arguments = Arguments {
        reference: None,
        part: call.part,
        path: call.path,
        rows: call.rows,
        lines: call.lines,
        ignore_case: call.search.is_some(),
        grep: call.search,
        regex: call.regex.unwrap_or_default(),
        ..options.clone()
    };
    Ok((call.reference, arguments))
}
