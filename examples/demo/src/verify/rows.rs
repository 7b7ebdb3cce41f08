//! Compares rows with the lists that they replace.
//!
//! Owns a second, independent reader of rows, based on the tools' descriptions. Every cell and every single value must
//! be one of the server's, and no row may be missing.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::Failure;

/// Values that examples/compact-rows/filters.toml renames.
const RENAMED: [&str; 1] = ["fn"];
/// Separators of joined values in one cell.
const JOINTS: [&str; 2] = ["::", ": "];

/// The parsed rows of one string.
struct Table {
    /// The key of the rows.
    key: String,
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
}

/// Checks that `after` only has content of `before`, and all rows of `lists`.
pub fn check(lists: &[(&str, &str)], before: &Value, after: &Value) -> Result<(), Failure> {
    let mut contents = Contents::default();
    read(after, lists, None, &mut contents)?;
    let root = before["root"].as_str().unwrap_or_default();
    let mut known = HashSet::new();
    scalars(before, root, &mut known);
    let is_known = |text: &str| {
        text.is_empty() || known.contains(text) || RENAMED.contains(&text) || {
            // A value may contain a separator: either the first one counts, or all of them.
            let mut joints = JOINTS.iter();
            joints.any(|joint| {
                let pair = text.split_once(joint);
                pair.is_some_and(|(a, b)| known.contains(a) && known.contains(b))
                    || pair.is_some() && text.split(joint).all(|part| known.contains(part))
            })
        }
    };
    let cells = contents
        .tables
        .iter()
        .flat_map(|table| table.rows.iter().flatten());
    if let Some(unknown) = cells.chain(&contents.values).find(|text| !is_known(text)) {
        return Err(format!("{unknown:?} is not what the server said"));
    }
    for (key, list) in lists.iter().filter(|(_, list)| !list.is_empty()) {
        let rows = contents.tables.iter().filter(|table| table.key == *key);
        let (rows, all) = (
            rows.map(|table| table.rows.len()).sum::<usize>(),
            elements(before, list),
        );
        if rows != all {
            return Err(format!(
                "`{key}` has {rows} rows, and the server sent {all} {list}"
            ));
        }
    }
    Ok(())
}

/// The number of rows, and the same cells printed as pretty JSON.
pub fn as_objects(lists: &[(&str, &str)], after: &Value) -> Result<(usize, String), Failure> {
    let mut contents = Contents::default();
    read(after, lists, None, &mut contents)?;
    let rows = contents.tables.iter().map(|table| table.rows.len()).sum();
    let tables = contents.tables.iter().map(|table| {
        let rows = table.rows.iter().map(|cells| {
            let members = table.columns.iter().zip(cells);
            let members = members.map(|(column, cell)| {
                let cell = cell
                    .parse::<u64>()
                    .map_or_else(|_| json!(cell), |n| json!(n));
                (column.clone(), cell)
            });
            Value::Object(members.collect())
        });
        rows.collect::<Value>()
    });
    let objects = tables.collect::<Value>();
    Ok((
        rows,
        serde_json::to_string_pretty(&objects).unwrap_or_default(),
    ))
}

/// The tables and single values of a document.
#[derive(Default)]
struct Contents {
    tables: Vec<Table>,
    /// Single values and names of groups.
    values: Vec<String>,
}

/// Reads an object and those inside it. A header holds for all rows below it.
fn read(
    value: &Value,
    lists: &[(&str, &str)],
    header: Option<&str>,
    contents: &mut Contents,
) -> Result<(), Failure> {
    let empty = Map::new();
    let members = value.as_object().unwrap_or(&empty);
    let header = members.get("h").and_then(Value::as_str).or(header);
    for (key, member) in members {
        let is_list = lists.iter().any(|(list, _)| list == key);
        match member {
            _ if key == "h" => {}
            _ if key == "@" => return Err("rows are missing: it was cut".into()),
            Value::String(text) if is_list => contents.tables.push(table(key, header, text)?),
            Value::Object(groups) if is_list => {
                for (group, text) in groups {
                    contents.values.push(group.clone());
                    let text = text.as_str().unwrap_or_default();
                    contents.tables.push(table(key, header, text)?);
                }
            }
            Value::Object(_) => {
                contents.values.push(key.clone());
                read(member, lists, header, contents)?;
            }
            Value::String(text) => contents.values.push(text.clone()),
            other => contents.values.push(other.to_string()),
        }
    }
    Ok(())
}

fn table(key: &str, header: Option<&str>, text: &str) -> Result<Table, Failure> {
    let header = header.ok_or_else(|| format!("`{key}` has rows and no header"))?;
    let columns = fields(header);
    let lines = text.split('\n').filter(|_| !text.is_empty());
    let rows: Vec<Vec<String>> = lines.map(fields).collect();
    if let Some(row) = rows.iter().find(|row| row.len() != columns.len()) {
        return Err(format!("{row:?} does not fit the header {columns:?}"));
    }
    Ok(Table {
        key: key.to_owned(),
        columns,
        rows,
    })
}

/// Splits a row at each pipe without a backslash, and decodes the escapes.
fn fields(row: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut characters = row.chars();
    while let Some(character) = characters.next() {
        let last = fields.len() - 1;
        match character {
            '|' => fields.push(String::new()),
            '\\' => fields[last].push(match characters.next() {
                Some('n') => '\n',
                Some('r') => '\r',
                Some(other) => other,
                None => '\\',
            }),
            other => fields[last].push(other),
        }
    }
    fields
}

/// Adds every scalar as text, and every path also relative to the root.
fn scalars(value: &Value, root: &str, known: &mut HashSet<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| scalars(item, root, known)),
        Value::Object(members) => members
            .values()
            .for_each(|member| scalars(member, root, known)),
        Value::String(text) => {
            if let Some(path) = text
                .strip_prefix(root)
                .and_then(|rest| rest.strip_prefix('/'))
            {
                known.insert(path.to_owned());
            }
            known.insert(text.clone());
        }
        other => {
            known.insert(other.to_string());
        }
    }
}

/// The number of elements in all lists called `name`.
fn elements(value: &Value, name: &str) -> usize {
    match value {
        Value::Array(items) => items.iter().map(|item| elements(item, name)).sum(),
        Value::Object(members) => members
            .iter()
            .map(|(key, member)| match member {
                Value::Array(items) if key == name => items.len(),
                other => elements(other, name),
            })
            .sum(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_lose_add_or_change_something_are_found() {
        let before = json!({ "root": "/p", "symbol": "add", "usages": [
            { "file": "/p/a.rs", "text": "x | y\nz" }, { "file": "/p/b.rs", "text": null },
        ] });
        let lists = &[("u", "usages")];
        let check = |rows: &str| {
            check(
                lists,
                &before,
                &json!({ "sym": "add", "h": "file|text", "u": rows }),
            )
        };
        assert_eq!(check("a.rs|x \\| y\\nz\nb.rs|"), Ok(()));
        for (rows, complaint) in [
            ("a.rs|x \\| y\\nz", "has 1 rows"),
            ("a.rs|x \\| y\nb.rs|", "is not what the server said"),
            ("c.rs|x \\| y\\nz\nb.rs|", "\"c.rs\" is not"),
            ("a.rs|x | y\nb.rs|", "does not fit the header"),
        ] {
            let failure = check(rows).expect_err(rows);
            assert!(failure.contains(complaint), "{rows}: {failure}");
        }
    }
}
