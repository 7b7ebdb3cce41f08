//! Claude Code: `updatedToolOutput` replaces a tool's output, in the form that the tool gave it.

use super::output::{Filters, Text, parse};
use super::{outline_note, specific, whole};
use crate::document::{Document, NodeKind};
use crate::file_text::Budget;
use crate::json::edits::Edits;
use crate::json::tree::{member, quote, string};
use anyhow::Result;

/// The answer to a tool's output; none if it stays unchanged.
pub(super) fn answer(filters: &Filters, response: &str) -> Result<Option<String>> {
    let output = parse(response)?;
    let answer = filters.with(|text| {
        if let Some(root) = output.tape().map(|tape| tape.root()) {
            if member(&output, root, "persistedOutputPath").is_some() {
                return saved(text, &output, filters.is_closed());
            }
            if filters.is_exact() && member(&output, root, "file").is_some() {
                return file(text, &output);
            }
        }
        let updated = text.filter_strings(response)?;
        Ok(updated.map(|updated| specific("PostToolUse", &[("updatedToolOutput", &updated)])))
    })?;
    Ok(answer.flatten())
}

/// An output of which the event has the first 30,000 characters: all of it is in a file. If that cannot
/// be read, the agent shows its own preview, which says that it is one.
fn saved(text: &Text<'_>, output: &Document, is_closed: bool) -> Result<Option<String>> {
    let Some(tape) = output.tape() else {
        return Ok(None);
    };
    let root = tape.root();
    let get = |name| member(output, root, name);
    let read = |name| get(name).and_then(|node| string(output, node));
    let (Some(stdout), Some(path)) = (get("stdout"), read("persistedOutputPath")) else {
        return Ok(None);
    };
    if is_closed {
        return replaced(text, output, "", true);
    }
    let size = get("persistedOutputSize");
    let size = size.and_then(|node| output.slice(node.start, node.end).parse().ok());
    let Some(size) = size else {
        return Ok(None);
    };
    let part = string(output, stdout).unwrap_or_default();
    let all = whole::read(&path, Some(size)).and_then(|all| match all.starts_with(&part) {
        true => Ok(all),
        false => Err("it does not begin as the event does".to_owned()),
    });
    let all = match all {
        Ok(all) => all,
        Err(reason) => {
            tracing::warn!(
                "the output stays unchanged: the event contains only a part of it, and Tamis cannot use the file with the rest: {path}: {reason}"
            );
            return Ok(None);
        }
    };
    replaced(text, output, &all, false)
}

/// The output with the filtered form of `all` in the place of its part, and without the agent's own preview.
fn replaced(
    text: &Text<'_>,
    output: &Document,
    all: &str,
    is_closed: bool,
) -> Result<Option<String>> {
    let Some(tape) = output.tape() else {
        return Ok(None);
    };
    let Some(new) = text.filter(all, Budget::SMALL) else {
        return Ok(None);
    };
    let root = tape.root();
    let mut edits = Edits::default();
    for (key, value) in tape.members(root) {
        match string(output, key).as_deref() {
            Some("stdout") => edits.replace(value, &quote(&new)),
            // With these, the agent shows a preview of that file.
            Some("persistedOutputPath" | "persistedOutputSize") => edits.remove(key),
            _ if is_closed && value.kind == NodeKind::String => edits.replace(value, &quote("")),
            _ => {}
        }
    }
    let updated = edits.apply(output)?;
    Ok(updated.map(|updated| specific("PostToolUse", &[("updatedToolOutput", &updated)])))
}

/// The output of the tool `Read`. The agent numbers the lines of `content` from `startLine` on. So the content
/// may lose lines at its end and nothing else; a separate note describes the rest.
fn file(text: &Text<'_>, output: &Document) -> Result<Option<String>> {
    let Some(tape) = output.tape() else {
        return Ok(None);
    };
    let Some(file) = member(output, tape.root(), "file") else {
        return Ok(None);
    };
    let get = |name| member(output, file, name);
    let number = |name| {
        let node = get(name)?;
        output.slice(node.start, node.end).parse::<usize>().ok()
    };
    let (Some(content), Some(lines), Some(start)) =
        (get("content"), get("numLines"), number("startLine"))
    else {
        return Ok(None);
    };
    let Some(whole) = string(output, content) else {
        return Ok(None);
    };
    let redacted = text.redact(&whole);
    let mut edits = Edits::default();
    let Some((head, call)) = text.head(&redacted) else {
        if *redacted == *whole {
            return Ok(None);
        }
        edits.replace(content, &quote(&redacted));
        let updated = edits.apply(output)?;
        return Ok(
            updated.map(|updated| specific("PostToolUse", &[("updatedToolOutput", &updated)]))
        );
    };
    edits.replace(content, &quote(head.text));
    edits.replace(lines, &head.lines.to_string());
    let Some(updated) = edits.apply(output)? else {
        return Ok(None);
    };
    let note = quote(&outline_note(&head, start, &redacted, &call));
    Ok(Some(specific(
        "PostToolUse",
        &[
            ("updatedToolOutput", &updated),
            ("additionalContext", &note),
        ],
    )))
}
