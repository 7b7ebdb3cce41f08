//! Compares answers through Tamis with the server's own.
//!
//! Owns a second, independent description of the filters. Answers are compared as values without empty members. So a
//! filter may leave an empty member deep inside, but can never lose, add or change anything else. [`rows`] compares
//! rows with their lists, and [`moved`] shortened answers with the whole. Refuses to print.

pub mod moved;
pub mod rows;

use rmcp::model::Tool;
use serde_json::{Value, json};

use crate::{
    calls::{Call, Effect},
    session::Answer,
};

/// The difference, in one line.
pub type Failure = String;

/// Members of the envelope that may stay although they are empty: `data` is only removed if it is null.
const KEPT: [&str; 2] = ["success", "data"];
/// The tool that Tamis may add to the list of the server's own.
pub const READ_TOOL: &str = "tamis_read";

/// Checks that two frames have the same bytes.
pub fn same_frame(before: &[u8], after: &[u8]) -> Result<(), Failure> {
    if before.is_empty() {
        // Two missing frames would be equal.
        return Err("there is no frame to compare with".into());
    }
    if before == after {
        return Ok(());
    }
    let same = before.iter().zip(after).take_while(|(a, b)| a == b).count();
    let around = |frame: &[u8]| {
        let end = frame.len().min(same + 40);
        String::from_utf8_lossy(&frame[same.saturating_sub(20).min(end)..end]).into_owned()
    };
    Err(format!(
        "the frame has {} bytes bare and {} through tamis; they differ from byte {same} on: {:?} became {:?}",
        before.len(),
        after.len(),
        around(before),
        around(after)
    ))
}

/// Tamis's own promise: filters.toml may change while Tamis runs, and the list of tools with it.
const LIST_CHANGED: &str = r#""listChanged":true"#;

/// Checks that the answer to `initialize` is the same, except for the promise to announce changes of the list of tools,
/// and for filtered instructions.
pub fn handshake(effect: Effect, before: &[u8], after: &[u8]) -> Result<(), Failure> {
    let promise = String::from_utf8_lossy(after).find(LIST_CHANGED);
    let at = promise.ok_or_else(|| format!("there is no {LIST_CHANGED} in it"))?;
    let after = &[&after[..at], &after[at + LIST_CHANGED.len()..]].concat();
    if effect == Effect::Untouched {
        return same_frame(before, after);
    }
    let parse = |frame: &[u8]| {
        let mut frame: Value = serde_json::from_slice(frame).unwrap_or_default();
        let instructions = remove(&mut frame["result"], "instructions").unwrap_or_default();
        (frame, instructions)
    };
    let ((before, _), (after, instructions)) = (parse(before), parse(after));
    same_value("initialize", &before, &after)?;
    let bytes = instructions.as_str().unwrap_or_default().len();
    match bytes {
        3_000..=5_120 => Ok(()),
        _ => Err(format!("instructions have {bytes} bytes, not 3 to 5 KB")),
    }
}

/// Checks that the list of tools is the server's own, with the changes that filters need. A tool with a chain may lose
/// its output schema, a description may also say how to read rows, an unavailable tool is missing, and the tool that
/// reads originals may be added.
pub fn tools(before: &[Tool], after: &[Tool], calls: &[Call]) -> Result<(), Failure> {
    let print = |tool: &Tool| serde_json::to_value(tool).unwrap_or_default();
    for tool in before {
        let name = &tool.name;
        let found = after.iter().find(|other| other.name == *name);
        let has = |fits: &dyn Fn(Effect) -> bool| {
            let mut own = calls.iter().filter(|call| call.tool == name);
            own.any(|call| fits(call.effect))
        };
        if has(&|effect| effect == Effect::Unavailable) {
            match found {
                None => continue,
                Some(_) => return Err(format!("{name} is listed, and cannot work")),
            }
        }
        let found = found.ok_or_else(|| format!("{name} is missing"))?;
        let (mut expected, found) = (print(tool), print(found));
        if found.get("outputSchema").is_none() && has(&|effect| effect != Effect::Untouched) {
            remove(&mut expected, "outputSchema");
        }
        same_value(name, &expected, &found)?;
    }
    let added =
        |tool: &&Tool| tool.name != READ_TOOL && before.iter().all(|own| own.name != tool.name);
    match after.iter().find(added) {
        Some(tool) => Err(format!("{} is not a tool of the server", tool.name)),
        None => Ok(()),
    }
}

/// The arguments of the call that reads the original, from a note or from a member of the answer.
pub fn named_call(shown: &str) -> Option<Value> {
    let member = serde_json::from_str::<Value>(shown).ok();
    let member = member.and_then(|answer| Some(answer["full_output_call"].as_str()?.to_owned()));
    let shown = member.as_deref().unwrap_or(shown);
    let (_, arguments) = shown.rsplit_once(READ_TOOL)?;
    serde_json::from_str(arguments.trim()).ok()
}

/// Checks that cut content can be read, byte for byte. Instructions come in the result around them.
pub fn read_back(before: &str, all: &str) -> Result<(), Failure> {
    let instructions = || json(all).is_ok_and(|all| all["instructions"] == before);
    if before == all || instructions() {
        return Ok(());
    }
    Err(format!(
        "{READ_TOOL} gave {} bytes back, and the server had sent {}",
        all.len(),
        before.len()
    ))
}

/// Checks that a filtered answer is smaller, and has its effect.
pub fn filtered(effect: Effect, before: &Answer, after: &Answer) -> Result<(), Failure> {
    if effect == Effect::Untouched {
        return same_frame(&before.frame, &after.frame);
    }
    if effect == Effect::Unavailable {
        let text = after.note().unwrap_or_default();
        let is_line = after.result.is_error == Some(true) && text.lines().count() == 1;
        return match is_line && text.contains("not available") {
            true => Ok(()),
            false => Err(format!("the call is answered by {text:?}")),
        };
    }
    if before.result.is_error != after.result.is_error {
        return Err("the error flag changed".into());
    }
    let (bare, text) = (before.text(), after.text());
    match effect {
        Effect::Rows(lists) => rows::check(lists, &json(&bare)?, &json(&text)?)?,
        Effect::Indexed => moved::index(&json(&bare)?, &text).map(|_| ())?,
        Effect::Cut => moved::cut(&bare, &text)?,
        Effect::Spilled => moved::spilled(&json(&bare)?, &json(&text)?).map(|_| ())?,
        _ => {
            check_document(effect, &bare, &text)?;
            if let Some(structured) = &after.result.structured_content {
                check_document(effect, &before.shown(), &structured.to_string())?;
            }
        }
    }
    let (shown_before, shown_after) = (before.shown().len(), after.shown().len());
    if shown_after >= shown_before {
        return Err(format!(
            "{shown_before} bytes became {shown_after}: nothing was saved"
        ));
    }
    Ok(())
}

/// Parses a text as JSON.
pub fn json(text: &str) -> Result<Value, Failure> {
    serde_json::from_str(text).map_err(|error| format!("it is not JSON: {error}"))
}

fn check_document(effect: Effect, before: &str, after: &str) -> Result<(), Failure> {
    let parse = |text: &str, side| {
        serde_json::from_str::<Value>(text).map_err(|error| format!("{side} is not JSON: {error}"))
    };
    let mut expected = parse(before, "the bare answer")?;
    let after = parse(after, "the filtered answer")?;

    if after.get("success") != expected.get("success") || after.get("success").is_none() {
        return Err(format!("`success` is {:?}", after.get("success")));
    }
    if let Some(members) = after.as_object() {
        let left =
            |(key, value): &(&String, &Value)| is_empty(value) && !KEPT.contains(&key.as_str());
        if let Some((key, value)) = members.iter().find(left) {
            return Err(format!("the empty member `{key}` ({value}) is still there"));
        }
    }
    expect(effect, &mut expected, &after)?;
    same_value("result", &strip(expected), &strip(after))
}

/// Changes the direct answer to the expected filtered one. If the policy leaves a choice (the exact end of a text, the
/// group with the remainder), it takes that of the filtered answer, after checking that the policy allows it.
fn expect(effect: Effect, expected: &mut Value, after: &Value) -> Result<(), Failure> {
    let data = &mut expected["data"];
    let after = &after["data"];
    match effect {
        // Other effects change the shape of the document, and are checked elsewhere.
        Effect::Untouched
        | Effect::Stripped
        | Effect::NotesBudgeted
        | Effect::Unavailable
        | Effect::Rows(_)
        | Effect::Indexed
        | Effect::Cut
        | Effect::Spilled => {}
        Effect::PendingCounted => {
            let pending = remove(expected, "_pending_annotations").unwrap_or_default();
            expected["_meta"] = json!({ "unannotated_nodes": pending["count"] });
        }
        Effect::Explained => {
            remove(data, "llm_hint");
            for caller in list(&mut data["context"]["callers"]) {
                let code = remove(caller, "source_code").unwrap_or_default();
                let code = code.as_str().unwrap_or_default();
                let mut preview: Vec<&str> = code.lines().take(3).collect();
                if code.lines().count() > 3 {
                    preview.push("...");
                }
                caller["source_preview"] = json!(preview.join("\n"));
            }
        }
        Effect::TestsCapped => {
            let all = list(&mut data["tests"]).len();
            list(&mut data["tests"]).truncate(15);
            let name = data["node_name"].as_str().unwrap_or_default();
            let note = format!("15 of {all} tests; lens_search('test_{name}') lists them all");
            data["tests_note"] = json!(note);
            data["tests_truncated"] = json!(true);
        }
        Effect::UsagesShared => {
            let mut sizes = Vec::new();
            let mut total = 0;
            for group in ["callers", "importers", "inheritors"] {
                let shown = after[group].as_array().map_or(0, Vec::len);
                sizes.push(shown);
                total += list(&mut data[group]).len();
                list(&mut data[group]).truncate(shown);
            }
            // All three have more than a third of fifty.
            if sizes.iter().sum::<usize>() != 50 || sizes.iter().any(|size| *size < 16) {
                return Err(format!("50 usages are shared out as {sizes:?}"));
            }
            data["truncated"] = json!(true);
            data["total_in_graph"] = json!(total);
        }
        Effect::Resumed => {
            let actions = list(&mut data["actions"]);
            actions.sort_by_key(|action| action["timestamp"].to_string());
            let all = actions.len();
            actions.drain(..all.saturating_sub(30));
            let note = format!("30 of {all} actions; max_actions gives more");
            data["actions_note"] = json!(note);
            data["actions_truncated"] = json!(true);
            cut_notes(&mut data["user_notes"], &after["user_notes"], 3072)?;
        }
        Effect::HandedOver => {
            let stays = |note: &Value| {
                let key = note["key"].as_str().unwrap_or_default();
                !key.starts_with("_log_") && !key.starts_with("handoff")
            };
            list(&mut data["notes"]).retain(stays);
            cut_notes(&mut data["notes"], &after["notes"], 2048)?;
        }
    }
    Ok(())
}

/// Checks that a cut note ends with a line about the cut, after a part of the note.
fn cut_notes(expected: &mut Value, after: &Value, most_bytes: usize) -> Result<(), Failure> {
    for (note, cut) in list(expected)
        .iter_mut()
        .zip(after.as_array().into_iter().flatten())
    {
        let (Some(whole), Some(text)) = (note["value"].as_str(), cut["value"].as_str()) else {
            continue;
        };
        let is_cut = text.rsplit_once('\n').is_some_and(|(head, last)| {
            text.len() <= most_bytes && whole.starts_with(head) && last.starts_with("[truncated: ")
        });
        if whole.len() > most_bytes && is_cut {
            note["value"] = cut["value"].clone();
        }
    }
    Ok(())
}

/// The elements of a list; none for other values.
fn list(value: &mut Value) -> &mut Vec<Value> {
    if !value.is_array() {
        *value = json!([]);
    }
    value.as_array_mut().expect("it is a list by now")
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// The value without its empty members, from the inside out. Elements of arrays stay, because their index may have a
/// meaning.
fn strip(value: Value) -> Value {
    match value {
        Value::Array(items) => items.into_iter().map(strip).collect(),
        Value::Object(members) => {
            let members = members.into_iter().map(|(key, value)| (key, strip(value)));
            Value::Object(members.filter(|(_, value)| !is_empty(value)).collect())
        }
        other => other,
    }
}

fn remove(object: &mut Value, key: &str) -> Option<Value> {
    // Not swap_remove: the order of the others does not matter to the comparison, but it is printed.
    object.as_object_mut()?.shift_remove(key)
}

/// Checks that two values are equal. The failure has the path to the first difference.
fn same_value(path: &str, expected: &Value, found: &Value) -> Result<(), Failure> {
    match (expected, found) {
        (Value::Object(expected), Value::Object(found)) => {
            if let Some(key) = found.keys().find(|key| !expected.contains_key(*key)) {
                return Err(format!("{path}.{key} was added"));
            }
            for (key, value) in expected {
                let other = found
                    .get(key)
                    .ok_or_else(|| format!("{path}.{key} is missing"))?;
                same_value(&format!("{path}.{key}"), value, other)?;
            }
            Ok(())
        }
        (Value::Array(expected), Value::Array(found)) if expected.len() == found.len() => {
            let pairs = expected.iter().zip(found).enumerate();
            pairs.into_iter().try_for_each(|(n, (value, other))| {
                same_value(&format!("{path}[{n}]"), value, other)
            })
        }
        (Value::Array(expected), Value::Array(found)) => Err(format!(
            "{path} had {} elements and has {}",
            expected.len(),
            found.len()
        )),
        _ if expected == found => Ok(()),
        _ => Err(format!(
            "{path} was {} and is {}",
            short(expected),
            short(found)
        )),
    }
}

fn short(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}\u{2026}", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: &str = r#"{"success":true,"data":{"a":1,"b":null,"c":[null,{}],"d":{"e":""}},"error":null,"warnings":[],"_pending_annotations":{"count":2,"nodes":["x","y"],"hint":"ACTION REQUIRED"}}"#;

    fn check(after: &str) -> Result<(), Failure> {
        check_document(Effect::PendingCounted, BEFORE, after)
    }

    #[test]
    fn empties_may_go_at_any_depth() {
        for after in [
            r#"{"success":true,"data":{"a":1,"b":null,"c":[null,{}],"d":{"e":""}},"_meta":{"unannotated_nodes":2}}"#,
            r#"{"success":true,"data":{"a":1,"c":[null,{}],"d":{}},"_meta":{"unannotated_nodes":2}}"#,
            r#"{"success":true,"data":{"a":1,"c":[null,{}]},"_meta":{"unannotated_nodes":2}}"#,
        ] {
            assert_eq!(check(after), Ok(()), "{after}");
        }
    }

    #[test]
    fn every_other_change_is_found() {
        for (after, complaint) in [
            (r#"{"success":true,"data":{"a":1"#, "is not JSON"),
            (
                r#"{"data":{"a":1,"c":[null,{}]},"_meta":{"unannotated_nodes":2}}"#,
                "`success`",
            ),
            (
                r#"{"success":false,"data":{"a":1,"c":[null,{}]},"_meta":{"unannotated_nodes":2}}"#,
                "`success`",
            ),
            (
                r#"{"success":true,"data":{"a":1,"c":[null,{}]},"error":null,"_meta":{"unannotated_nodes":2}}"#,
                "`error`",
            ),
            (
                r#"{"success":true,"data":{"a":2,"c":[null,{}]},"_meta":{"unannotated_nodes":2}}"#,
                "result.data.a was 1 and is 2",
            ),
            (
                r#"{"success":true,"data":{"a":1,"c":[{}]},"_meta":{"unannotated_nodes":2}}"#,
                "result.data.c had 2 elements",
            ),
            (
                r#"{"success":true,"data":{"A":1,"c":[null,{}]},"_meta":{"unannotated_nodes":2}}"#,
                "result.data.A was added",
            ),
            (
                r#"{"success":true,"data":{"c":[null,{}]},"_meta":{"unannotated_nodes":2}}"#,
                "result.data.a is missing",
            ),
            (
                r#"{"success":true,"data":{"a":1,"c":[null,{}]}}"#,
                "result._meta is missing",
            ),
            (
                r#"{"success":true,"data":{"a":1,"c":[null,{}]},"_meta":{"unannotated_nodes":3}}"#,
                "unannotated_nodes was 2 and is 3",
            ),
            (BEFORE, "`error`"),
        ] {
            let failure = check(after).expect_err(after);
            assert!(
                failure.contains(complaint),
                "{after}\nexpected: {complaint}\nfound: {failure}"
            );
        }
    }

    #[test]
    fn each_effect_has_its_expectation() {
        let numbers = |count: usize| -> Vec<usize> { (0..count).collect() };
        let usages = |callers, importers, inheritors, more: Value| {
            let mut data = json!({
                "callers": numbers(callers), "importers": numbers(importers),
                "inheritors": numbers(inheritors),
            });
            for (key, value) in more.as_object().into_iter().flatten() {
                data[key] = value.clone();
            }
            data
        };
        let told = || json!({ "truncated": true, "total_in_graph": 294 });
        let long = "a note\n".repeat(1_000);
        let cut = |head: &str| format!("{head}\n[truncated: 6 of 7000 bytes; read]");
        let notes = |value: &str| json!([{ "key": "b", "value": value }]);
        let tests = |note: &str| json!({ "node_name": "f", "tests": numbers(15), "tests_note": note, "tests_truncated": true });
        for (effect, before, after, complaint) in [
            (
                Effect::Explained,
                json!({ "context": { "callers": [{ "source_code": "a\nb\nc\nd" }] }, "llm_hint": "x" }),
                json!({ "context": { "callers": [{ "source_preview": "a\nb\nc\n..." }] } }),
                None,
            ),
            (
                Effect::Explained,
                json!({ "context": { "callers": [{ "source_code": "a\nb\nc" }] } }),
                json!({ "context": { "callers": [{ "source_preview": "a\nb\nc\n..." }] } }),
                Some("source_preview was"),
            ),
            (
                Effect::TestsCapped,
                json!({ "node_name": "f", "tests": numbers(48) }),
                tests("15 of 48 tests; lens_search('test_f') lists them all"),
                None,
            ),
            (
                Effect::TestsCapped,
                json!({ "node_name": "f", "tests": numbers(48) }),
                tests("15 of 47 tests"),
                Some("tests_note was"),
            ),
            (
                Effect::UsagesShared,
                usages(212, 64, 18, json!({})),
                usages(17, 17, 16, told()),
                None,
            ),
            (
                Effect::UsagesShared,
                usages(212, 64, 18, json!({})),
                usages(40, 5, 5, told()),
                Some("shared out as [40, 5, 5]"),
            ),
            (
                Effect::HandedOver,
                json!({ "notes": [{ "key": "_log_1", "value": "x" }, { "key": "b", "value": long }] }),
                json!({ "notes": notes(&cut("a note")) }),
                None,
            ),
            (
                Effect::HandedOver,
                json!({ "notes": notes(&long) }),
                json!({ "notes": notes(&cut("another")) }),
                Some("value was"),
            ),
            (
                Effect::Resumed,
                json!({ "actions": [{ "timestamp": "2" }, { "timestamp": "1" }], "user_notes": notes("b") }),
                json!({ "actions": [{ "timestamp": "2" }, { "timestamp": "1" }], "user_notes": notes("b") }),
                Some("actions[0].timestamp was"),
            ),
        ] {
            let answer = |data: &Value| json!({ "success": true, "data": data }).to_string();
            let found = check_document(effect, &answer(&before), &answer(&after));
            match complaint {
                None => assert_eq!(found, Ok(()), "{effect:?}"),
                Some(complaint) => {
                    let failure = found.expect_err(complaint);
                    assert!(failure.contains(complaint), "{effect:?}: {failure}");
                }
            }
        }
    }

    #[test]
    fn frames_are_compared_to_the_last_byte() {
        assert_eq!(same_frame(b"{\"id\":1}", b"{\"id\":1}"), Ok(()));
        for other in ["{\"id\":1} ", "{\"id\": 1}", "{\"id\":2}", ""] {
            let failure = same_frame(b"{\"id\":1}", other.as_bytes()).expect_err(other);
            assert!(failure.contains("differ"), "{failure}");
        }
        assert!(same_frame(b"", b"").is_err(), "nothing is not the same");
    }

    #[test]
    fn tools_may_only_change_where_a_chain_is_bound() {
        let tool = |name: &'static str, schema: bool| {
            let mut tool = Tool::new(name, "says something", rmcp::model::JsonObject::new());
            tool.output_schema = schema.then(|| rmcp::model::JsonObject::new().into());
            tool
        };
        let mut calls = crate::calls::all().swap_remove(0).calls;
        let own = [tool("lens_graph_stats", true), tool("raw_export", true)];
        let bound = tool("lens_graph_stats", false);
        let read = tool(READ_TOOL, false);
        let check = |after: &[Tool]| tools(&own, after, &calls);

        assert_eq!(check(&own), Ok(()));
        assert_eq!(check(&[bound.clone(), own[1].clone(), read]), Ok(()));
        assert!(
            check(&[bound.clone(), tool("raw_export", false)]).is_err(),
            "unbound schema lost"
        );
        assert!(check(&[own[0].clone()]).is_err(), "tool lost");
        assert!(
            check(&[bound, own[1].clone(), tool("other", false)]).is_err(),
            "tool added"
        );

        for call in &mut calls {
            if call.tool == "lens_graph_stats" {
                call.effect = Effect::Unavailable;
            }
        }
        assert_eq!(tools(&own, &own[1..], &calls), Ok(()));
        assert!(
            tools(&own, &own, &calls).is_err(),
            "listed, and cannot work"
        );
    }
}
