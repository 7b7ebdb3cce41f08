//! One recorded call: the effects of its steps, and its differences.

use super::{Arguments, file_name};
use crate::cli::{has_colour, receipts};
use crate::diff::Diff;
use crate::printable;
use crate::recording::Recorded;
use crate::replay::{Made, Replay};
use anyhow::{Result, bail};
use serde_json::json;
use std::path::Path;

/// The call to show.
pub(super) enum Named {
    None,
    /// The call with this index.
    File(usize),
    /// The first call of this tool that differs.
    Tool(String),
}

/// Finds the calls that `--show` names: a file by its name or path, or a tool.
pub(super) fn named(calls: &[Recorded], name: &str) -> Result<Named> {
    let is_file =
        |recorded: &Recorded| file_name(recorded) == name || recorded.path == Path::new(name);
    if let Some(index) = calls.iter().position(is_file) {
        return Ok(Named::File(index));
    }
    if calls.iter().any(|recorded| recorded.call.tool == name) {
        return Ok(Named::Tool(name.to_owned()));
    }
    let mut tools: Vec<&str> = calls
        .iter()
        .map(|recorded| recorded.call.tool.as_str())
        .collect();
    tools.sort_unstable();
    tools.dedup();
    bail!(
        "--show: `{name}` is neither a recorded call's file nor a tool; recorded tools: {}",
        tools.join(", ")
    )
}

/// The outcome of a call, for a person or as JSON.
pub(super) fn one(
    arguments: &Arguments,
    calls: &[Recorded],
    replay: &Replay<'_>,
    index: usize,
) -> String {
    let recorded = &calls[index];
    let call = &recorded.call;
    let (then, now) = replay.show(index);
    let before = then.as_ref().map_or(&call.result, |then| &then.result);
    let diff = Diff::new(before, &now.result);
    if arguments.json {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let object = json!({
            "file": file_name(recorded),
            "tool": call.tool,
            "server": call.server,
            "arguments": call.arguments,
            "then": text(before),
            "now": text(&now.result),
            "chain_then": then.as_ref().and_then(|then| then.chain.as_deref()),
            "chain_now": now.chain.as_deref(),
            "steps_then": then.as_ref().map(|then| receipts::steps_json(&then.documents)),
            "steps_now": receipts::steps_json(&now.documents),
            "withheld_now": now.withheld,
            "diff": diff.render(false),
        });
        return format!("{object:#}\n");
    }
    let colour = has_colour(&std::io::stdout());
    let mut text = format!(
        "{}: {} {}\n",
        file_name(recorded),
        printable::line_with_tabs(&call.tool),
        printable::line_with_tabs(&call.arguments)
    );
    if let Some(then) = &then {
        text += &side("then", then);
    }
    text += &side("now", &now);
    if *before == now.result {
        return text + "\nNo byte differs.\n";
    }
    text += match then {
        Some(_) => "\n- then\n+ now\n",
        None => "\n- as the server sent it\n+ now\n",
    };
    if !diff.note.is_empty() {
        text += &format!("({})\n", diff.note);
    }
    text + &diff.render(colour)
}

fn side(name: &str, made: &Made) -> String {
    let Some(chain) = &made.chain else {
        return format!("\n{name}: no chain matches the tool\n");
    };
    let mut text = format!(
        "\n{name}: {}\n",
        receipts::table(chain, &made.documents, None)
    );
    if made.withheld {
        text += "Withheld: a redacting step failed, or could not check the whole result.\n";
    }
    text
}
