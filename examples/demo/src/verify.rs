//! Holds what came through Tamis against what the server said.
//!
//! Owns a second, independent statement of what the filters do: answers are compared as values
//! in which every empty member has been dropped from both sides, so that a filter may leave an
//! empty member deep inside but can never lose, add or change anything else. Refuses to print.

use rmcp::model::Tool;
use serde_json::{Value, json};

use crate::{
    calls::{Call, Effect},
    session::Answer,
};

/// What went wrong, in one line.
pub type Failure = String;

/// Members of the envelope that may stay although they are empty: `data` only goes when null.
const KEPT: [&str; 2] = ["success", "data"];
/// The tool that Tamis may add to the list of the server's own.
pub const READ_TOOL: &str = "tamis_read";

/// The same bytes, all of them.
pub fn same_frame(before: &[u8], after: &[u8]) -> Result<(), Failure> {
    if before.is_empty() {
        // Two frames that nobody recorded would be equal.
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

/// The list of tools is the server's own, except for what filtering makes necessary: a tool with
/// a chain may lose its output schema, and the tool that reads originals may be added.
pub fn tools(before: &[Tool], after: &[Tool], calls: &[Call]) -> Result<(), Failure> {
    let print = |tool: &Tool| serde_json::to_value(tool).unwrap_or_default();
    for tool in before {
        let name = &tool.name;
        let found = after.iter().find(|other| other.name == *name);
        let found = found.ok_or_else(|| format!("{name} is missing"))?;
        let has_chain = |call: &Call| call.tool == name && call.effect != Effect::Untouched;
        let (mut expected, found) = (print(tool), print(found));
        if found.get("outputSchema").is_none() && calls.iter().any(has_chain) {
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

/// What was cut can be had back, to the byte.
pub fn read_back(before: &str, all: &str) -> Result<(), Failure> {
    if before == all {
        return Ok(());
    }
    Err(format!(
        "{READ_TOOL} gave {} bytes back, and the server had sent {}",
        all.len(),
        before.len()
    ))
}

/// A filtered answer: still JSON, smaller, and equal but for what the filters are there to drop.
pub fn filtered(effect: Effect, before: &Answer, after: &Answer) -> Result<(), Failure> {
    if before.result.is_error != after.result.is_error {
        return Err("the error flag changed".into());
    }
    check_document(effect, &before.text(), &after.text())?;
    if let Some(structured) = &after.result.structured_content {
        check_document(effect, &before.shown(), &structured.to_string())?;
    }
    let (shown_before, shown_after) = (before.shown().len(), after.shown().len());
    if shown_after >= shown_before {
        return Err(format!(
            "{shown_before} bytes became {shown_after}: nothing was saved"
        ));
    }
    Ok(())
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
    if effect == Effect::PendingCounted {
        let pending = remove(&mut expected, "_pending_annotations").unwrap_or_default();
        expected["_meta"] = json!({ "unannotated_nodes": pending["count"] });
    }
    same_value("result", &strip(expected), &strip(after))
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

/// The value without its empty members, from the inside out. Elements of arrays all stay, since
/// their place may mean something.
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
    // Not swap_remove: the order of the others is compared by nobody, but it is printed.
    object.as_object_mut()?.shift_remove(key)
}

/// Equal, or the path to the first place where they are not.
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
        let calls = crate::calls::all();
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
    }
}
