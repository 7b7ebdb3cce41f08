//! Compares shortened answers with the server's own: indexes, cut texts, summaries of files.
//!
//! Owns the numbers that those examples promise. Refuses to read originals by a call: another check does this for every
//! answer.

use serde_json::{Value, json};

use super::Failure;

/// Most characters of a whole index.
pub const INDEX_CHARACTERS: usize = 2_000;
/// Characters of a text that is cut, before its marker.
pub const CUT_CHARACTERS: usize = 4_000;
const CUT_MARKER: &str = "\n\n[truncated]";
/// Elements of a list in a summary.
const PREVIEW: usize = 3;

/// Checks an index: the server's order, ids, titles and scores. Returns its number of results.
pub fn index(before: &Value, after: &str) -> Result<usize, Failure> {
    let lines: Vec<&str> = after.lines().collect();
    let [first, about, _heading, items @ .., last] = lines.as_slice() else {
        return Err(format!("{} lines are no index", lines.len()));
    };
    let frame = format!(
        "--- memory context (compact index, {} items) ---",
        items.len()
    );
    if *first != frame || *last != "--- end memory context ---" {
        return Err(format!("the frame is {first:?} and {last:?}"));
    }
    if !about.contains("memory_get") {
        return Err(format!("{about:?} does not say how to get the details"));
    }
    let characters = after.chars().count();
    if characters > INDEX_CHARACTERS {
        return Err(format!("it has {characters} characters"));
    }
    let results = before["results"].as_array().map_or(&[][..], Vec::as_slice);
    for (n, item) in items.iter().enumerate() {
        let result = results.get(n).unwrap_or(&Value::Null);
        let text = |key: &str| result[key].as_str().unwrap_or_default();
        let title: String = text("title").chars().take(30).collect();
        let score = format!("{:.2}", result["score"].as_f64().unwrap_or(f64::NAN));
        let expected = [text("type"), text("id"), &title, &score];
        if let Some(missing) = expected.iter().find(|part| !item.contains(**part)) {
            return Err(format!("line {n} has no {missing:?}: {item:?}"));
        }
    }
    Ok(items.len())
}

/// Checks a cut text: exactly its first characters, and the marker.
pub fn cut(before: &str, after: &str) -> Result<(), Failure> {
    let Some((end, _)) = before.char_indices().nth(CUT_CHARACTERS) else {
        return Err("it was not long enough to be cut".into());
    };
    if after.strip_suffix(CUT_MARKER) == Some(&before[..end]) {
        return Ok(());
    }
    let characters = after.chars().count();
    Err(format!(
        "{characters} characters are not the first {CUT_CHARACTERS} and the marker"
    ))
}

/// Checks a summary: every list with its count and beginning, and the whole in the named file. Returns the content of
/// the file.
pub fn spilled(before: &Value, after: &Value) -> Result<String, Failure> {
    if after["truncated"] != json!(true) {
        return Err("it does not say that it is a summary".into());
    }
    let mut lists = 0;
    for (key, shown) in after.as_object().into_iter().flatten() {
        let Some(list) = key.strip_suffix("_preview") else {
            if let Some(own) = before.get(key)
                && own != shown
            {
                return Err(format!("`{key}` was {own} and is {shown}"));
            }
            continue;
        };
        lists += 1;
        let all = before[list].as_array().map_or(&[][..], Vec::as_slice);
        let count = format!("{}_count", list.strip_suffix('s').unwrap_or(list));
        if after[&count] != json!(all.len()) {
            return Err(format!("`{count}` is {}, not {}", after[&count], all.len()));
        }
        let first: Vec<Value> = all.iter().take(PREVIEW).map(uncoloured).collect();
        if *shown != Value::Array(first) {
            return Err(format!("`{key}` is not the first {PREVIEW} of {list}"));
        }
    }
    let own_lists = before.as_object().into_iter().flatten();
    let own_lists = own_lists
        .filter(|(key, value)| value.is_array() && *key != "tile")
        .count();
    if lists != own_lists {
        return Err(format!("{lists} lists are counted, of {own_lists}"));
    }
    let path = after["full_output_path"].as_str().unwrap_or_default();
    let file = std::fs::read_to_string(path)
        .map_err(|error| format!("the file that holds all of it, {path:?}: {error}"))?;
    // The file adds spaces before line breaks, and line breaks.
    let sent: Value = serde_json::from_str(&file.replace(" \n", ""))
        .map_err(|error| format!("the file is not JSON: {error}"))?;
    let text = sent["content"][0]["text"].as_str().unwrap_or_default();
    match serde_json::from_str::<Value>(text) {
        Ok(all) if all == *before => Ok(file),
        _ => Err("the file does not hold what the server said".into()),
    }
}

/// A string without colours.
fn uncoloured(value: &Value) -> Value {
    let Value::String(text) = value else {
        return value.clone();
    };
    let mut parts = text.split("\u{1b}[");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        plain += part.split_once('m').map_or(part, |(_, rest)| rest);
    }
    json!(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_to_the_character() {
        let long = "\u{5e8}".repeat(CUT_CHARACTERS + 1);
        let first = |count: usize| "\u{5e8}".repeat(count) + CUT_MARKER;
        assert_eq!(cut(&long, &first(CUT_CHARACTERS)), Ok(()));
        for wrong in [CUT_CHARACTERS - 1, CUT_CHARACTERS + 1] {
            assert!(cut(&long, &first(wrong)).is_err(), "{wrong}");
        }
        assert!(cut("short", "short").is_err());
    }

    #[test]
    fn an_index_has_the_servers_order_and_a_true_count() {
        let before = json!({ "results": [
            { "type": "bug", "id": "bug-1", "title": "One", "score": 2.5 },
            { "type": "note", "id": "not-2", "title": "Two", "score": 1.25 },
        ] });
        let frame = |count: usize, lines: &str| {
            format!(
                "--- memory context (compact index, {count} items) ---\nmemory_get\nheading\n{lines}--- end memory context ---\n"
            )
        };
        let (one, two) = ("[bug] bug-1 | One | 2.50\n", "[note] not-2 | Two | 1.25\n");
        assert_eq!(index(&before, &frame(2, &[one, two].concat())), Ok(2));
        assert!(
            index(&before, &frame(2, &[two, one].concat())).is_err(),
            "order"
        );
        assert!(
            index(&before, &frame(3, &[one, two].concat())).is_err(),
            "count"
        );
        assert!(index(&before, &frame(1, two)).is_err(), "first one lost");
    }

    #[test]
    fn a_summary_counts_truly_and_its_file_exists() {
        let before = json!({ "success": false, "logs": ["\u{1b}[31ma\u{1b}[0m", "b"] });
        let after = |count: usize, path: &str| json!({ "truncated": true, "full_output_path": path, "success": false, "log_count": count, "logs_preview": ["a", "b"] });
        let failure = |after: &Value| spilled(&before, after).expect_err("no such file");
        assert!(failure(&after(3, "nowhere")).contains("`log_count` is 3"));
        assert!(failure(&after(2, "nowhere/at/all")).contains("the file that holds"));
        let mut other = after(2, "nowhere");
        other["success"] = json!(true);
        assert!(failure(&other).contains("`success` was false"));
    }
}
