//! The output of a session client, one JSON line a step, and the differences of two outputs.

use std::fmt::Write as _;

use serde_json::Value;

use crate::support::Finished;

/// Bytes shown on each side of the first difference of two lines.
const SHOWN_BYTES: usize = 160;

/// Lines that a difference shows of each transcript.
const SHOWN_LINES: usize = 12;

pub struct Transcript {
    pub lines: Vec<String>,
    pub steps: Vec<Value>,
}

impl Transcript {
    pub fn of(session: &Finished) -> Transcript {
        let text = String::from_utf8_lossy(&session.stdout);
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let parse = |line: &String| match serde_json::from_str(line) {
            Ok(step) => step,
            Err(error) => session.fail(&format!("{error} in the transcript's line {line}")),
        };
        let steps = lines.iter().map(parse).collect();
        Transcript { lines, steps }
    }

    /// The outcomes of all steps of this name.
    pub fn outcomes<'a>(&'a self, step: &str) -> Vec<&'a Value> {
        let named = self.steps.iter().filter(|found| found["step"] == step);
        named.map(|found| &found["result"]).collect()
    }

    /// Each step's name and the kind of its outcome: a result, a result that is an error, or an error.
    pub fn kinds(&self) -> Vec<String> {
        let kind = |step: &Value| {
            let failed = step["result"]["isError"].as_bool();
            let kind = match (step.get("error"), failed) {
                (Some(_), _) => "error",
                (None, Some(true)) => "result, isError",
                (None, _) => "result",
            };
            format!("{}: {kind}", step["step"].as_str().unwrap_or_default())
        };
        self.steps.iter().map(kind).collect()
    }
}

/// Lines in which every server announces changes of its list of tools. With a chain, Tamis announces them for servers
/// that do not.
pub fn promising(lines: &[String]) -> Vec<String> {
    let promise =
        |space: &str, value: &str| format!("\"tools\":{space}{{\"listChanged\":{space}{value}");
    let promise = |line: &String| {
        ["", " "].iter().fold(line.clone(), |line, space| {
            line.replace(&promise(space, "false"), &promise(space, "true"))
        })
    };
    lines.iter().map(promise).collect()
}

/// None if the lines are equal; else the first difference, for a human.
pub fn difference(bare: &[String], through: &[String]) -> Option<String> {
    let same_from_start = common(bare.iter(), through.iter());
    let (bare, through) = (&bare[same_from_start..], &through[same_from_start..]);
    let same_to_end = common(bare.iter().rev(), through.iter().rev());
    let bare = &bare[..bare.len() - same_to_end];
    let through = &through[..through.len() - same_to_end];
    if bare.is_empty() && through.is_empty() {
        return None;
    }
    let mut text = format!("the same {same_from_start} lines, then\n");
    for index in 0..bare.len().max(through.len()).min(SHOWN_LINES) {
        let (bare, through) = (bare.get(index), through.get(index));
        if bare == through {
            continue;
        }
        let parted = match (bare, through) {
            (Some(bare), Some(through)) => common(bare.bytes(), through.bytes()),
            _ => 0,
        };
        for (mark, line) in [("-", bare), ("+", through)] {
            if let Some(line) = line {
                let _ = writeln!(text, "{mark} {}", around(line, parted));
            }
        }
    }
    let left_out = bare.len().max(through.len()).saturating_sub(SHOWN_LINES);
    let _ = write!(text, "({left_out} more, then {same_to_end} lines the same)");
    Some(text)
}

fn common<T: PartialEq>(left: impl Iterator<Item = T>, right: impl Iterator<Item = T>) -> usize {
    left.zip(right)
        .take_while(|(left, right)| left == right)
        .count()
}

/// The relevant part of a long line, with the step's name before it.
fn around(line: &str, at: usize) -> String {
    let from = line.floor_char_boundary(at.saturating_sub(SHOWN_BYTES));
    let to = line.ceil_char_boundary((at + SHOWN_BYTES).min(line.len()));
    let head = line.floor_char_boundary(from.min(60));
    match head {
        0 => line[from..to].to_owned(),
        _ => format!("{} … {}", &line[..head], &line[from..to]),
    }
}
