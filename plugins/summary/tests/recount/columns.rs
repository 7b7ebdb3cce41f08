//! What a summary says of a column, recomputed from the rows.

use crate::bare;
use crate::grouped;
use crate::paths::{Step, at, find, split_last, taken};
use serde_json::Value;

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => {
            let is_like_another =
                text.is_empty() || text.parse::<f64>().is_ok() || text.ends_with(' ');
            if is_like_another {
                value.to_string()
            } else {
                text.clone()
            }
        }
        _ => value.to_string(),
    }
}

/// The values of rows at a path in a row. The first row of a table is skipped if it names columns.
fn in_rows<'v>(document: &'v Value, (table, skip): (&str, usize), column: &str) -> Vec<&'v Value> {
    let found = at(document, table);
    let rows = found.into_iter().flat_map(|it| taken(it, &Step::Any));
    rows.skip(skip)
        .flat_map(|row| find(row, column).0)
        .collect()
}

/// Checks a line about a column: `status: open 31, closed 1 at [7], missing 3`.
#[track_caller]
pub fn check_column(document: &Value, table: &str, skip: usize, line: &str, summary: &str) {
    for start in [
        "first",
        "by row",
        "with none",
        "rows with none",
        "constant:",
        "also:",
        "and ",
        "[",
    ] {
        let is_place = start == "[" && line[1..].starts_with(|c: char| c.is_ascii_digit());
        let is_named = is_place
            && line
                .split("] ")
                .nth(1)
                .is_some_and(|it| it.starts_with("col_"));
        let is_place = is_place && (is_named || !line.contains('|'));
        let is_sample = start == "[" && summary.contains(" by row, with");
        if line.starts_with(start) && (!is_place || is_sample) {
            return;
        }
    }
    if line.contains('|') {
        return;
    }
    if let Some(told) = line.split_once(" at all levels") {
        check_all_levels(document, table, told, line, summary);
        return;
    }
    // The path ends at the beginning of a word, a value or a list, or at the end.
    let marked = line.find("[]").unwrap_or(line.len());
    let (head, _) = line.split_at(marked);
    let first = at(document, table)
        .into_iter()
        .flat_map(|it| taken(it, &Step::Any))
        .next();
    let (_, rest) = find(first.unwrap_or(&Value::Null), head);
    let path = &head[..head.len() - rest.len()];
    let values = in_rows(document, (table, skip), path);
    let row = |row: usize| {
        let rows: Vec<&Value> = taken(at(document, table)[0], &Step::Any);
        find(rows[row], path).0
    };
    let mut rest = line[path.len()..].to_owned();
    if let Some(named) = rest.strip_prefix(" col_") {
        rest = named
            .trim_start_matches(|c: char| c.is_ascii_digit())
            .to_owned();
    }
    let rest = rest.trim_start_matches([':', ' ']);
    let (rest, by_name) = rest.split_once(", by ").unwrap_or((rest, ""));
    if !by_name.is_empty() {
        let (holder, member) = path.rsplit_once('.').unwrap_or(("", path));
        let holders = in_rows(document, (table, skip), holder);
        grouped::check(document, by_name, &holders, member, table);
    }
    let mut alone: Vec<f64> = Vec::new();
    let (mut last, mut counted) = (String::new(), String::new());
    // Values before the number of elements are those of the rows; after it, those of the lists.
    let mut are_elements = false;
    for part in rest.split(", ") {
        let part = part.trim_start_matches("rare: ");
        let (said, place) = match part.split_once(" at ") {
            Some((said, place)) => (said, Some(place)),
            None if part.starts_with("at ") => ("", part.strip_prefix("at ")),
            None => (part, None),
        };
        // `[2].specs[37]`: the value is in this element of a list in the row.
        let inner = place
            .and_then(|it| it.strip_prefix('[')?.split_once(']'))
            .map_or("", |(_, inner)| inner);
        let place: Option<usize> =
            place.and_then(|it| it.strip_prefix('[')?.split(']').next()?.parse().ok());
        // The values in an element of a list in a row.
        let inside = |place: usize, inner: &str| {
            let element = at(document, &format!("{table}[{place}]{inner}"));
            assert_eq!(element.len(), 1, "{part} of {line} in {summary}");
            let lists = path.rfind("[*]").map_or(path.len(), |at| at + 3);
            // An element of the column's own lists is the value.
            let elements = inner.split('[').skip(1);
            let elements = elements.filter(|it| it.starts_with(|c: char| c.is_ascii_digit()));
            let is_own = elements.count() > path.matches("[*]").count();
            let rest = if is_own {
                ""
            } else {
                path[lists..].trim_start_matches('.')
            };
            match rest {
                "" => element,
                _ => find(element[0], rest).0,
            }
        };
        if let Some(place) = place.filter(|_| inner.contains('[')) {
            let shown: Vec<String> = inside(place, inner).into_iter().map(shown).collect();
            // An object that lacks the member has no value.
            let counted = if said == "first" { &*last } else { said };
            let is_missing = counted.starts_with("missing ");
            let is_list = said.contains(" list of ");
            let is_said = |it: &String| match is_list {
                true => it.starts_with('['),
                false => said.contains(it.as_str()) || said.contains(['{', '…']),
            };
            assert!(
                is_missing && shown.is_empty() || shown.iter().any(is_said),
                "{part} of {line}: {shown:?} in {summary}"
            );
        }
        let said = if said == "first" {
            last.clone()
        } else {
            said.to_owned()
        };
        let before = std::mem::replace(&mut last, said.clone());
        if also_at(part).is_none() {
            counted.clone_from(&said);
        }
        if let Some((count, kind)) = kind_of(&said) {
            let of_kind = |it: &&&Value| match kind {
                "string" => it.is_string(),
                "number" => it.is_number(),
                "boolean" => it.is_boolean(),
                "decimal" => it.as_str().is_some_and(is_decimal),
                "null" => it.is_null(),
                _ => it.is_object(),
            };
            let held = pool(&values, are_elements);
            let counted = held.iter().filter(of_kind).count();
            assert_eq!(count, counted, "{said} of {line} in {summary}");
            if let (Some(place), Some((_, value))) = (place, said.split_once(" (")) {
                let there = pool(&row(place), are_elements);
                let value = value.trim_end_matches(')');
                let is_there = there.iter().filter(of_kind).any(|it| shown(it) == value);
                assert!(
                    is_there || value.contains(['{', '…']),
                    "{part} of {line} in {summary}"
                );
            }
            if let Some(range) = range(&said) {
                check_range(&held, said.contains('"'), range, rest, line);
            }
        } else if let Some((count, value)) = other(&said) {
            let held = pool(&values, are_elements);
            let texts = held.iter().filter_map(|it| it.as_str());
            let others = texts.filter(|it| !it.is_empty() && !is_decimal(it));
            assert_eq!(count, others.count(), "{said} of {line} in {summary}");
            if let Some(place) = place {
                let there = pool(&row(place), are_elements);
                let is_there = there.iter().any(|it| shown(it) == value);
                assert!(
                    is_there || value.contains('…'),
                    "{part} of {line} in {summary}"
                );
            }
        } else if let Some(length) = said
            .strip_prefix("but ")
            .filter(|_| before.ends_with(" each"))
        {
            // One list has another length than all others.
            let of_length = |it: &&&Value| {
                it.as_array()
                    .is_some_and(|it| it.len().to_string() == length)
            };
            assert_eq!(
                values.iter().filter(of_length).count(),
                1,
                "{line} in {summary}"
            );
            if let Some(place) = place {
                assert_eq!(
                    row(place).iter().filter(of_length).count(),
                    1,
                    "{part} of {line} in {summary}"
                );
            }
        } else if let Some(number) = said.strip_prefix("but ") {
            let number: f64 = number.trim_matches('"').parse().expect("a number");
            alone.push(number);
            if let Some(place) = place {
                let is_there = row(place).iter().any(|it| number_of(it) == Some(number));
                assert!(is_there, "{part} of {line} in {summary}");
            }
        } else if let Some(count) = said.strip_prefix("missing ") {
            // The objects in lists that lack the member: those of a row, or all.
            let lack = |of: Option<usize>| {
                let (above, step) = split_last(path).expect("a column has a path");
                let rows = taken(at(document, table)[0], &Step::Any);
                let holders = match of {
                    Some(row) => find(rows[row], &above).0,
                    None => in_rows(document, (table, skip), &above),
                };
                let holders = holders.iter().filter(|it| match step {
                    Step::Key(_) => it.is_object(),
                    _ => it.is_array(),
                });
                holders.filter(|it| taken(it, &step).is_empty()).count()
            };
            let is_inner = path.contains("[*]") || path.contains(".*");
            let lacking = match is_inner {
                false => lacking_rows(document, (table, skip), path),
                true => lack(None),
            };
            assert_eq!(count, lacking.to_string(), "{line} in {summary}");
            if let Some(place) = place {
                let is_there = match is_inner {
                    false => row(place).is_empty(),
                    true => lack(Some(place)) > 0,
                };
                assert!(is_there, "{line} in {summary}");
            }
        } else if let Some(count) = said.strip_prefix("only ") {
            let (count, value) = count.split_once(" has").expect("only some have");
            assert_eq!(count, values.len().to_string(), "{line} in {summary}");
            if let Some(value) = value.strip_prefix(" (") {
                let is_there = value == format!("{})", shown(values[0]));
                assert!(
                    is_there || value.contains(['{', '[']),
                    "{line} in {summary}"
                );
            }
        } else if let Some((sum, after)) = said.split_once(" in all") {
            let all = pool(&values, true);
            assert_eq!(sum, all.len().to_string(), "{line} in {summary}");
            are_elements = true;
            check_count(&all, after.trim_start_matches(": "), line);
        } else if let Some((lists, each)) = said
            .split_once(" lists of ")
            .or_else(|| said.split_once(" list of "))
        {
            let lengths = values.iter().filter_map(|it| Some(it.as_array()?.len()));
            assert_eq!(
                lists,
                lengths.clone().count().to_string(),
                "{line} in {summary}"
            );
            let (from, to) = each.split_once("..").unwrap_or((each, each));
            let found = (lengths.clone().min(), lengths.max());
            assert_eq!(
                (from.parse().ok(), to.parse().ok()),
                found,
                "{line} in {summary}"
            );
        } else if said.starts_with("[] ") || said.ends_with(" each") {
            let lone = rest.split_once(" each, but ").and_then(|(_, rest)| {
                let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
                digits.parse::<usize>().ok()
            });
            let lengths = values.iter().filter_map(|it| Some(it.as_array()?.len()));
            let lengths = lengths.filter(|length| Some(*length) != lone);
            let (least, most) = (lengths.clone().min(), lengths.max());
            let each = said.trim_start_matches("[] ").trim_end_matches(" each");
            let (from, to) = each.split_once("..").unwrap_or((each, each));
            assert_eq!(
                (from.parse().ok(), to.parse().ok()),
                (least, most),
                "{line} in {summary}"
            );
        } else if let Some((from, to)) = range(&said) {
            check_range(
                &pool(&values, are_elements),
                said.contains('"'),
                (from, to),
                rest,
                line,
            );
        } else if let Some((count, most)) = said.split_once(" different: ") {
            let held = pool(&values, are_elements);
            let mut different: Vec<String> = held.iter().map(|it| it.to_string()).collect();
            different.sort();
            different.dedup();
            different.retain(|it| it.starts_with('"') && it != "\"\"");
            assert_eq!(count, different.len().to_string(), "{line}");
            check_count(&held, most, line);
        } else if let Some(constant) = said.strip_prefix("all ").filter(|_| are_elements) {
            let mut all = pool(&values, true).into_iter();
            assert!(all.all(|it| shown(it) == constant), "{line} in {summary}");
        } else if let Some((length, _)) = said.split_once(" chars") {
            let held = pool(&values, are_elements);
            let strings = held
                .iter()
                .filter_map(|it| it.as_str())
                .filter(|it| !it.is_empty());
            let (count, sum) = strings.fold((0, 0), |(count, sum), it| (count + 1, sum + it.len()));
            let mean = length.rsplit('~').next().unwrap_or_default();
            assert_eq!(mean, (sum / count).to_string(), "{line} in {summary}");
        } else if let Some(longest) = said.strip_prefix("longest ") {
            let held = pool(&values, are_elements);
            let most = held.iter().filter_map(|it| it.as_str()).map(str::len).max();
            assert_eq!(longest.parse().ok(), most, "{line} in {summary}");
        } else if let Some((value, count)) = said
            .strip_prefix("like ")
            .and_then(|said| said.rsplit_once(' '))
        {
            let alike = values.iter().filter(|it| form(&shown(it)) == form(value));
            assert_eq!(count, alike.count().to_string(), "{line} in {summary}");
            // A row of a map is named by its key.
            let is_there = place.is_none_or(|place| row(place).iter().any(|it| shown(it) == value));
            assert!(is_there, "{part} of {line} in {summary}");
        } else if let Some((place, inner)) = also_at(part) {
            // One more row of the value before.
            let (there, row) = match inner {
                "" => (pool(&row(place), are_elements), row(place)),
                _ => (inside(place, inner), Vec::new()),
            };
            let (value, _) = counted.rsplit_once(' ').unwrap_or_default();
            let like = value.strip_prefix("like ").map(form);
            let is_there = |it: &&Value| match &like {
                Some(like) => form(&shown(it)) == *like,
                None => shown(it) == value,
            };
            let there = there.into_iter().chain(row).find(is_there);
            assert!(there.is_some(), "{part} of {line} in {summary}");
        } else {
            // Nulls and empty strings belong to the column, not to its lists.
            let is_of_column = said.starts_with("null ") || said.starts_with("\"\" ");
            let held = pool(&values, are_elements && !is_of_column);
            check_count(&held, &said, line);
            if let (Some(place), Some((value, _))) = (place, said.rsplit_once(' ')) {
                let there = pool(&row(place), are_elements && !is_of_column);
                let is_there = there.iter().any(|it| shown(it) == value);
                assert!(is_there, "{part} of {line} in {summary}");
            }
        }
    }
}

/// Checks `number at all levels 1..12, but 40 at [3]` and `state at all levels: open 31, closed 1 at [7]`.
#[track_caller]
fn check_all_levels(
    document: &Value,
    table: &str,
    (key, said): (&str, &str),
    line: &str,
    summary: &str,
) {
    let mut values = Vec::new();
    let head = summary
        .lines()
        .find(|it| it.starts_with(&format!("{table}: ")));
    let branch = head.and_then(|it| it.split(" levels of ").nth(1));
    let (branch, key) = (bare(branch.unwrap_or_default()), bare(key));
    all_levels(at(document, table)[0], branch, key, &mut values);
    // The value of the row at a place.
    let value = |place: &str| {
        let rows = at(document, &format!("{table}{place}"));
        rows.first().and_then(|row| row.get(key))
    };
    let Some(counts) = said.strip_prefix(": ") else {
        let held: Vec<&Value> = values.iter().copied().filter(|it| it.is_number()).collect();
        check_range(
            &held,
            false,
            range(said.split(", ").next().unwrap_or(said)).expect("a range"),
            said,
            line,
        );
        for part in said.split(", but ").skip(1) {
            // Without room, places are left out.
            let Some((number, place)) = part.split_once(" at ") else {
                let is_there = values.iter().any(|it| shown(it) == part);
                assert!(is_there, "{part} of {line} in {summary}");
                continue;
            };
            assert_eq!(
                value(place).map(shown).as_deref(),
                Some(number),
                "{part} of {line}"
            );
        }
        return;
    };
    for part in counts.split(", ") {
        let (said, place) = part.split_once(" at [").unwrap_or((part, ""));
        check_count(&values, said, line);
        if !place.is_empty() {
            let value = value(&format!("[{place}")).map(shown).unwrap_or_default();
            assert!(
                said.contains('…') || said == format!("{value} 1"),
                "{part} of {line}"
            );
        }
    }
}

/// The rows without a value at a path, but for those with a list above it.
fn lacking_rows(document: &Value, table: (&str, usize), path: &str) -> usize {
    let lacks = |row: &&&Value| {
        let mut rest = path.to_owned();
        while let Some((above, step)) = split_last(&rest) {
            let holder = find(row, &above).0;
            if matches!(step, Step::Key(_)) && holder.iter().any(|it| it.is_array()) {
                return false;
            }
            rest = above;
        }
        find(row, path).0.is_empty()
    };
    in_rows(document, table, "").iter().filter(lacks).count()
}

/// `[71]`, `[71].specs[2]`: one more row of a value, and where in it the value is.
fn also_at(part: &str) -> Option<(usize, &str)> {
    let (row, inner) = part.strip_prefix('[')?.split_once(']')?;
    let is_path = inner.is_empty() || inner.starts_with(['.', '[']);
    Some((row.parse().ok().filter(|_| is_path)?, inner))
}

/// `44 strings ~14 chars`, `1 boolean (true)`.
fn kind_of(said: &str) -> Option<(usize, &str)> {
    let mut words = said.trim_start_matches("[] ").split(' ');
    let count = words.next()?.parse().ok()?;
    let kind = words.next()?;
    let kind = match count {
        1 => kind,
        _ => kind.strip_suffix('s')?,
    };
    ["string", "number", "boolean", "object", "decimal", "null"]
        .contains(&kind)
        .then_some((count, kind))
}

/// A text in which each word with a digit is `0`.
fn form(text: &str) -> String {
    let words = text.split_inclusive(|c: char| !c.is_ascii_alphanumeric());
    let form = |word: &str| {
        let letters = word.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
        let after = &word[letters.len()..];
        let has_digit = letters.contains(|c: char| c.is_ascii_digit());
        format!("{}{after}", if has_digit { "0" } else { letters })
    };
    words.map(form).collect()
}

/// `1 other (closed)`, `2 others (n/a)`: strings among decimals.
fn other(said: &str) -> Option<(usize, &str)> {
    let (count, rest) = said.split_once(' ')?;
    let value = rest
        .strip_prefix("others (")
        .or_else(|| rest.strip_prefix("other ("))?;
    Some((count.parse().ok()?, value.strip_suffix(')')?))
}

fn is_decimal(text: &str) -> bool {
    text.parse::<f64>().is_ok() && text.ends_with(|c: char| c.is_ascii_digit())
}

/// The elements of lists in a column, or else the values themselves.
fn pool<'v>(values: &[&'v Value], are_elements: bool) -> Vec<&'v Value> {
    if are_elements {
        let lists = values.iter().filter(|it| it.is_array());
        return lists.flat_map(|it| taken(it, &Step::Each)).collect();
    }
    values.to_vec()
}

fn all_levels<'v>(list: &'v Value, branch: &str, key: &str, to: &mut Vec<&'v Value>) {
    for row in list.as_array().into_iter().flatten() {
        to.extend(row.get(key));
        all_levels(row.get(branch).unwrap_or(&Value::Null), branch, key, to);
    }
}

fn number_of(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_str()?.parse().ok())
}

fn range(said: &str) -> Option<(f64, f64)> {
    let (from, to) = said.split_once("..")?;
    let from = from.rsplit(' ').next()?;
    let number = |text: &str| text.trim_matches('"').parse::<f64>().ok();
    Some((number(from)?, number(to)?))
}

#[track_caller]
fn check_range(values: &[&Value], is_quoted: bool, (from, to): (f64, f64), rest: &str, line: &str) {
    let alone: Vec<f64> = rest
        .split(", but ")
        .skip(1)
        .filter_map(|it| it.split(' ').next()?.trim_matches('"').parse().ok())
        .collect();
    let lists = values.iter().flat_map(|it| match it {
        Value::Array(elements) => elements.iter().collect(),
        _ => vec![*it],
    });
    // Mixed with strings, numbers have a range of their own.
    let is_mixed = line.contains(" numbers ") || line.contains(" number ");
    let mut numbers: Vec<f64> = lists
        .filter(|it| !is_mixed || it.is_string() == is_quoted)
        .filter_map(number_of)
        .filter(|it| !alone.contains(it))
        .collect();
    numbers.sort_by(f64::total_cmp);
    assert_eq!(
        (numbers.first(), numbers.last()),
        (Some(&from), Some(&to)),
        "{line}"
    );
}

/// Checks `held back 12`.
#[track_caller]
fn check_count(values: &[&Value], said: &str, line: &str) {
    let Some((value, count)) = said.rsplit_once(' ') else {
        return;
    };
    let Ok(count) = count.parse::<usize>() else {
        return;
    };
    let counted = values.iter().filter(|it| shown(it) == value).count();
    assert_eq!(count, counted, "{said} of {line}");
}
