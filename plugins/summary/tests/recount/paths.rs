//! Paths in the syntax of the read tool, evaluated plainly.

use serde_json::Value;

/// The values at a path, and the rest of the text after the path.
pub fn find<'v>(document: &'v Value, text: &str) -> (Vec<&'v Value>, String) {
    let mut found = vec![document];
    let mut rest = text.strip_prefix('$').unwrap_or(text);
    let mut is_first = true;
    loop {
        let (step, after) = match step(rest, is_first && !text.starts_with('$')) {
            Some(step) => step,
            None => return (found, rest.to_owned()),
        };
        found = found
            .into_iter()
            .flat_map(|value| taken(value, &step))
            .collect();
        rest = after;
        is_first = false;
    }
}

/// The values at a whole path.
#[track_caller]
pub fn at<'v>(document: &'v Value, path: &str) -> Vec<&'v Value> {
    let (found, rest) = find(document, path);
    assert_eq!(rest, "", "the path {path} is read whole");
    found
}

pub enum Step {
    Key(String),
    Place(usize),
    /// Every element of a list.
    Each,
    /// Every element of a list, or member of an object.
    Any,
}

pub fn taken<'v>(value: &'v Value, step: &Step) -> Vec<&'v Value> {
    match (step, value) {
        (Step::Key(key), Value::Object(members)) => members.get(key).into_iter().collect(),
        (Step::Place(place), Value::Array(elements)) => elements.get(*place).into_iter().collect(),
        (Step::Each | Step::Any, Value::Array(elements)) => elements.iter().collect(),
        (Step::Any, Value::Object(members)) => members.values().collect(),
        _ => Vec::new(),
    }
}

/// The first step of a path. `is_bare`: it may begin with a key without a dot.
pub fn step(text: &str, is_bare: bool) -> Option<(Step, &str)> {
    if let Some(rest) = text.strip_prefix("[*]") {
        return Some((Step::Each, rest));
    }
    if let Some(rest) = text.strip_prefix(".*") {
        return Some((Step::Any, rest));
    }
    if let Some(rest) = text.strip_prefix("[\"") {
        let end = rest.find("\"]")?;
        return Some((Step::Key(rest[..end].to_owned()), &rest[end + 2..]));
    }
    if let Some(rest) = text.strip_prefix('[') {
        let end = rest.find(']')?;
        return Some((Step::Place(rest[..end].parse().ok()?), &rest[end + 1..]));
    }
    let rest = match text.strip_prefix('.') {
        Some(rest) => rest,
        None if is_bare => text,
        None => return None,
    };
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
    (end > 0).then(|| (Step::Key(rest[..end].to_owned()), &rest[end..]))
}

/// The path without its last step, and that step.
pub fn split_last(path: &str) -> Option<(String, Step)> {
    let mut rest = path.strip_prefix('$').unwrap_or(path);
    let mut last = None;
    let mut is_first = !path.starts_with('$');
    while let Some((step, after)) = step(rest, is_first) {
        last = Some((path[..path.len() - rest.len()].to_owned(), step));
        rest = after;
        is_first = false;
    }
    last
}
