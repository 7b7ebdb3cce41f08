//! The numbers that each example promises, measured on its answers.
//!
//! Owns the thresholds. [`crate::verify`] has the conditions for answers of any size.

use anyhow::Result;
use serde_json::{Value, json};

use crate::{
    calls::Effect,
    report::{Report, grouped, percent},
    session::Session,
    verify::{json, moved, rows},
};

/// Fewest rows of a list that is meant for rows.
const LONG_LIST: usize = 20;
/// Percent of its tokens that rows save of such a list, compared with pretty JSON.
const ROWS_SAVE_PERCENT: f64 = 45.0;
/// Characters of whole matches, without the index.
const MATCHES_CHARACTERS: usize = 1_500;
const CALL_LIMIT: usize = 10;

/// A call's answers, as text.
pub struct CallAnswers {
    pub tool: &'static str,
    pub effect: Effect,
    pub before: String,
    pub after: String,
}

pub fn instructions(report: &mut Report, before: &str, after: &str) {
    report.claim(
        before.len() > 60_000 && (3_000..=5_120).contains(&after.len()),
        format!(
            "session notes: {} bytes of instructions became {}",
            grouped(before.len()),
            grouped(after.len())
        ),
    );
}

/// Checks all numbers on these answers.
pub fn of(report: &mut Report, seen: &[CallAnswers]) {
    let mut long_lists = Vec::new();
    for seen in seen {
        match (seen.effect, seen.tool) {
            (Effect::Rows(lists), _) => {
                let after = json(&seen.after).unwrap_or_default();
                if let Ok((count, objects)) = rows::as_objects(lists, &after)
                    && count >= LONG_LIST
                {
                    let tokens = [&objects, &seen.after].map(|text| report.tokens(text));
                    long_lists.push(percent(tokens[0], tokens[1]));
                }
            }
            (Effect::Indexed, _) => index(report, seen),
            (Effect::Spilled, "build_plugin") => errors(report, seen),
            (Effect::Stripped, "lens_health") => plain_success(report, seen),
            (Effect::Explained, _) => explanation(report, seen),
            _ => {}
        }
    }
    if !long_lists.is_empty() {
        let least = long_lists.iter().copied().fold(f64::INFINITY, f64::min);
        let most = long_lists.iter().copied().fold(0.0, f64::max);
        report.claim(
            least >= ROWS_SAVE_PERCENT,
            format!(
                "{} lists of {LONG_LIST} rows and more take {least:.0} to {most:.0} % fewer tokens than the same cells in pretty JSON",
                long_lists.len()
            ),
        );
    }
    caps(report, seen);
    if let Some(cut) = seen
        .iter()
        .filter(|seen| seen.effect == Effect::Cut)
        .map(|seen| seen.before.chars().count())
        .max()
    {
        report.claim(
            true,
            format!(
                "{} characters were cut at the {}th, one of exactly as many was not",
                grouped(cut),
                grouped(moved::CUT_CHARACTERS)
            ),
        );
    }
}

fn plain_success(report: &mut Report, seen: &CallAnswers) {
    let (before, after) = (report.tokens(&seen.before), report.tokens(&seen.after));
    report.claim(
        before >= after + 20,
        format!(
            "a plain success takes {} tokens fewer",
            before.saturating_sub(after)
        ),
    );
}

fn explanation(report: &mut Report, seen: &CallAnswers) {
    let lines = |text: &str| {
        let document: Value = json(text).unwrap_or_default();
        code_lines(&document["data"])
    };
    let (before, after) = (lines(&seen.before), lines(&seen.after));
    report.claim(
        before >= 2_500 && after <= 250,
        format!(
            "an explanation has {} lines instead of {}",
            grouped(after),
            grouped(before)
        ),
    );
}

/// Lines of a document with a member a line, and with strings as their lines.
fn code_lines(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.iter().map(code_lines).sum::<usize>() + 2,
        Value::Object(members) => members.values().map(code_lines).sum::<usize>() + 2,
        Value::String(text) => text.lines().count().max(1),
        _ => 1,
    }
}

/// Checks the caps of answers, and the totals in their notes, which are the server's.
fn caps(report: &mut Report, seen: &[CallAnswers]) {
    let data = |effect, text: fn(&CallAnswers) -> &str| {
        let seen = seen.iter().find(|seen| seen.effect == effect)?;
        Some(json(text(seen)).ok()?["data"].take())
    };
    let before = |effect| data(effect, |seen| &seen.before);
    let after = |effect| data(effect, |seen| &seen.after);
    let all = [Effect::TestsCapped, Effect::UsagesShared, Effect::Resumed];
    let [Some(tests), Some(usages), Some(actions)] = all.map(after) else {
        return;
    };
    let [Some(all_tests), Some(all_usages), Some(all_actions)] = all.map(before) else {
        return;
    };
    let count = |lists: &[&Value]| -> usize {
        lists
            .iter()
            .filter_map(|list| list.as_array())
            .map(Vec::len)
            .sum()
    };
    let kinds =
        |usages: &Value| count(&["callers", "importers", "inheritors"].map(|kind| &usages[kind]));
    let shown = [
        count(&[&tests["tests"]]),
        kinds(&usages),
        count(&[&actions["actions"]]),
    ];
    let totals = [
        count(&[&all_tests["tests"]]),
        kinds(&all_usages),
        count(&[&all_actions["actions"]]),
    ];
    let says =
        |value: &Value, start: String| value.as_str().is_some_and(|text| text.starts_with(&start));
    let holds = shown == [15, 50, 30]
        && says(&tests["tests_note"], format!("15 of {} tests", totals[0]))
        && usages["total_in_graph"] == json!(totals[1])
        && says(
            &actions["actions_note"],
            format!("30 of {} actions", totals[2]),
        );
    report.claim(
        holds,
        format!(
            "{} of {} tests, {} of {} usages, {} of {} actions, and each answer says so",
            shown[0], totals[0], shown[1], totals[1], shown[2], totals[2]
        ),
    );
}

fn index(report: &mut Report, seen: &CallAnswers) {
    let before: Value = json(&seen.before).unwrap_or_default();
    let shown = moved::index(&before, &seen.after).unwrap_or_default();
    let mut room = MATCHES_CHARACTERS;
    let whole = before["results"].as_array().into_iter().flatten();
    let whole = whole.take_while(|result| {
        let characters = result.to_string().chars().count();
        let fits = characters <= room;
        room = room.saturating_sub(characters);
        fits
    });
    let whole = whole.count();
    report.claim(
        shown >= 12 && (5..=8).contains(&whole),
        format!(
            "{shown} matches in {} characters; whole, {whole} fit in {}",
            grouped(seen.after.chars().count()),
            grouped(MATCHES_CHARACTERS)
        ),
    );
}

/// Checks the build that fails. Another check reads every answer back.
fn errors(report: &mut Report, seen: &CallAnswers) {
    let before: Value = json(&seen.before).unwrap_or_default();
    let after: Value = json(&seen.after).unwrap_or_default();
    let file = moved::spilled(&before, &after).unwrap_or_default();
    let errors = before["errors"].as_array().map_or(&[][..], Vec::as_slice);
    // In the file it is JSON inside a string, as the server sent it.
    let is_there = |error: &&Value| {
        let text = json!(error.to_string()).to_string();
        file.lines()
            .any(|line| line.contains(text.trim_matches('"')))
    };
    let found = errors.iter().filter(is_there).count();
    let (tokens, left) = (report.tokens(&seen.before), report.tokens(&seen.after));
    report.claim(
        errors.len() == 127 && found == errors.len() && tokens >= 12_500 && left < 600,
        format!(
            "{} errors, {} tokens, became {left}; {found} are lines of the file, and all were read back by the call",
            errors.len(),
            grouped(tokens)
        ),
    );
}

/// Ten calls of a session are answered, the others are not. Another session has its own ten.
pub async fn call_limit(report: &mut Report, through: &mut Session) -> Result<()> {
    const LIMIT: &str = "[Tool call limit reached]";
    let mut answers = Vec::new();
    for file in ["plan.md"; CALL_LIMIT + 1]
        .into_iter()
        .chain(["diary.md", "plan.md"])
    {
        let arguments = json!({ "path": "budget/note-005.md", "active_file": file });
        answers.push(through.call("read_note", &arguments).await?.text());
    }
    let refused: Vec<usize> = (1..)
        .zip(&answers)
        .filter(|(_, text)| text.ends_with(LIMIT))
        .map(|(n, _)| n)
        .collect();
    report.claim(
        refused == [CALL_LIMIT + 1, CALL_LIMIT + 3],
        format!("call {} of a session is answered {LIMIT:?}; another active_file goes on, and the first stays closed", CALL_LIMIT + 1),
    );
    Ok(())
}
