//! Parses a call of the read tool, as filters write it into their output: without the tool, a shell runs the
//! call.

use super::Arguments;
use crate::excerpt::ReadRequest;
use anyhow::{Context, Result, bail};

/// The request of a call in JSON. It has no cursor: a terminal has no cap.
pub(super) fn request(options: &Arguments, call: &str) -> Result<ReadRequest> {
    let request: ReadRequest =
        serde_json::from_str(call).with_context(|| format!("read the call {call}"))?;
    if request.has_cursor() {
        bail!("a cursor is for the read tool: `tamis read` prints all at once");
    }
    if options.request("").is_for_less() {
        bail!(
            "a call in JSON cannot be combined with options: put them into the call, or pass the reference alone"
        );
    }
    Ok(request)
}
