//! The wording of a column's values: counts, ranges, lengths, lists.
//!
//! Owns the choice between them, by the kinds of the values. Refuses to know which columns there are, and what is missing.

use crate::causes::with_cause;
use crate::counted::{self, Item, rare_limit, stands_out};
use crate::dates::Impossible;
use crate::extremes::Extremes;
use crate::order;
use crate::outline::{Outline, Step};
use crate::paper::{CUT, cut, one_line};
use crate::rare_rows::{self, Odd, Rows};
use crate::row_medians;
use crate::search;
use crate::tally::{Sort, Tally};
use crate::telling;
use std::borrow::Cow;
use tamis_formats::amounts::without_age;
use tamis_sdk::NodeKind;

/// A description gives the length of strings that are longer than this on average.
const LONG_CHARACTERS: u64 = 40;
/// Characters of a value in a list of counts.
const COUNTED_CHARACTERS: usize = 32;
/// The same of a value that one row has.
const ONLY_CHARACTERS: usize = 3 * COUNTED_CHARACTERS;
/// So many frequent values are named in a column with too many different values to count.
const FREQUENT: usize = 4;
/// The same if one value is more frequent than all others together: the others are rare states.
const STATES: usize = 8;
/// Most values that look like failures, of a column with too many different values to count.
const FAILING: usize = 5;
/// So many messages, of more than so many bytes, are told if most rows have none.
const FEW_MESSAGES: u32 = 3;
/// The same of messages about failures, each cut to so many characters.
const FEW_FAILURES: u32 = 7;
const SHORT_MESSAGE: usize = 48;
const LEAST_MESSAGE: usize = 12;
/// A value that looks like a failure is rare if at most one value in this many is.
const FAILING_SHARE: u32 = 10;
/// A score from 0 to 1 below this is a bad one.
const LOW_SCORE: f64 = 0.5;
/// Any other value with few rows is rare if at most one value in this many is.
const FEW_SHARE: u32 = 40;

/// `open 31, closed 12`; none if there are too many different values, or the counts would repeat other text.
pub fn said_by_counts(rows: Rows<'_, '_>, at: usize, odd: &mut Odd) -> Option<String> {
    let (outline, field) = (rows.outline, &rows.outline.fields[at]);
    let tally = &field.tally;
    let counts = tally.counts()?;
    // Of failures, any number but 0 is one.
    let has_failures = matches!(field.step, Step::Member(key) if telling::names_failure(key))
        && counts.iter().any(|item| item.text == "0");
    let level_fails = |item: &Item<'_>| match field.step {
        Step::Member(key) => telling::is_failing_level(key, item.text),
        _ => None,
    };
    let are_scores = matches!(field.step, Step::Member(key) if telling::is_score(key))
        && counts
            .iter()
            .all(|item| telling::share(item.text).is_some() || item.text == "null");
    let is_low = |item: &Item<'_>| telling::share(item.text).is_some_and(|share| share < LOW_SCORE);
    let are_levels = counts.iter().all(|item| level_fails(item).is_some());
    let is_plain = counts.iter().all(|item| item.text.len() <= ONLY_CHARACTERS);
    let is_many = counts.len() > outline.distinct.max(1);
    let are_different = counts.iter().all(|item| item.count == 1);
    // A few messages among many rows that have none are told, however long they are.
    let all = outline.fields[rows.row].tally.values();
    let messages = tally.values() - tally.nulls - tally.empty;
    let may_be_few = (!is_plain || is_many || are_different)
        && messages <= FEW_FAILURES
        && messages * FAILING_SHARE <= all;
    let of_failure = may_be_few && rows.are_of_failure(at);
    let most = if of_failure {
        FEW_FAILURES
    } else {
        FEW_MESSAGES
    };
    let is_message = |item: &&Item<'_>| {
        let words = of_failure || item.count == 1 && item.text.contains(' ');
        item.text.starts_with('"') && item.text.len() > LEAST_MESSAGE && words
    };
    let are_few = may_be_few
        && (2..=most).contains(&(messages + u32::from(tally.nulls + tally.empty > 0)))
        && counts
            .iter()
            .filter(is_message)
            .map(|item| item.count)
            .sum::<u32>()
            == messages;
    if !are_few && (!is_plain || is_many || are_different) {
        return None;
    }
    let mut sorted: Vec<_> = counts.iter().collect();
    // Of equals, the first in the document.
    order::most_first(&mut sorted, |item| i64::from(item.count));
    let values = if are_few { all } else { tally.values() };
    let stands_out = |most: u32| stands_out(counts.iter().map(|item| item.count), most);
    // Among few values, only one that is far rarer than each other: `running 8, restarting 1`.
    let rare = rare_limit(values).max(u32::from(stands_out(1)));
    let is_odd = stands_out(rare);
    let steps = outline.steps(rows.row, at);
    let is_of_rows = steps.iter().all(|step| matches!(step, Step::Member(_)));
    let mut failing = Vec::new();
    let said: Vec<String> = sorted
        .iter()
        .map(|item| {
            let is_number_of_failure = has_failures && item.text != "0"
                || are_levels && level_fails(item) == Some(true)
                || are_scores && is_low(item);
            let is_failing = is_failing(item, values)
                || are_few && (of_failure && is_message(item) || counted::is_failing(item.text))
                || is_number_of_failure && item.count * FAILING_SHARE <= values;
            let is_few = item.count * FEW_SHARE <= values && stands_out(item.count);
            let is_rare = item.count <= rare;
            // Which rows failed matters, however many there are.
            let fails = is_of_rows && item.count < values && telling::is_failing(item.text);
            let place = if is_rare || is_few || is_failing || fails {
                rows.all(at, item)
            } else {
                String::new()
            };
            if (is_failing || is_rare) && !place.is_empty() {
                odd.is_in(item.row, rows.inner(at, item.text, item.row));
            }
            if is_failing {
                odd.add_failing(item.row);
            } else if is_odd && is_rare || is_few || are_few && is_message(item) {
                odd.add(item.row);
            } else if fails && item.count * 2 <= values {
                failing.push(item.row);
            }
            let value = value(item);
            let value = match are_few && messages > FEW_MESSAGES {
                true => cut(&value, SHORT_MESSAGE),
                false => Cow::Borrowed(&*value),
            };
            format!("{value} {}{place}", item.count)
        })
        .collect();
    // What is rare says more.
    failing.into_iter().for_each(|row| odd.add_weak(row));
    Some(said.join(", "))
}

/// A value in a list of counts. The only one says more.
fn value(item: &Item<'_>) -> String {
    let limit = match item.count {
        1 => ONLY_CHARACTERS,
        _ => COUNTED_CHARACTERS,
    };
    with_cause(&shown(item.text), limit).into_owned()
}

/// Whether a value looks like a failure, and is rare.
fn is_failing(item: &Item<'_>, values: u32) -> bool {
    item.count * FAILING_SHARE <= values && telling::is_failing(item.text)
}

/// `12 different: a 40, b 31, failed 1 at [4], …`; none unless some are frequent.
pub fn said_by_most(rows: Rows<'_, '_>, at: usize, odd: &mut Odd) -> Option<String> {
    let tally = &rows.outline.fields[at].tally;
    // Empty strings, and values of other sorts, are told by their own counts.
    let counts: Vec<_> = tally
        .counts()?
        .iter()
        .filter(|item| item.text.starts_with('"') && item.text.len() > 2)
        .collect();
    let mean = tally.characters / u64::from(tally.strings.max(1));
    if 4 * counts.len() > (tally.strings - tally.empty) as usize || mean > LONG_CHARACTERS {
        return None;
    }
    let mut sorted = counts;
    order::most_first(&mut sorted, |item| i64::from(item.count));
    let values = tally.values();
    let failing = sorted.iter().filter(|item| is_failing(item, values));
    let failing: Vec<u32> = failing.take(FAILING).map(|item| item.row).collect();
    let has_states = sorted.first().is_some_and(|item| 2 * item.count > values);
    let most = if has_states { STATES } else { FREQUENT };
    let mut others = most.saturating_sub(failing.len()).max(FREQUENT / 2);
    let mut said = Vec::new();
    for item in &sorted {
        let is_failing = failing.contains(&item.row);
        if !is_failing && others == 0 {
            continue;
        }
        let mut place = String::new();
        if is_failing {
            odd.add_failing(item.row);
            place = rows.all(at, item);
        } else {
            others -= 1;
        }
        said.push(format!("{} {}{place}", value(item), item.count));
    }
    let more = if said.len() < sorted.len() {
        ", …"
    } else {
        ""
    };
    let said = said.join(", ");
    Some(format!("{} different: {said}{more}", sorted.len()))
}

/// `3..98, but 100000 at [4711]`.
pub fn said_by_range(
    rows: Rows<'_, '_>,
    at: usize,
    numbers: &Extremes<'_>,
    odd: &mut Odd,
) -> Option<String> {
    let ([from, mut to], mut alone) = numbers.range()?;
    // Few disks are full.
    let step = rows.outline.fields[at].step;
    if to.text == "\"100%\"" && matches!(step, Step::Member(key) if telling::is_use(key)) {
        numbers.split_most(&mut to, &mut alone);
    }
    let ends = [from.text, to.text];
    // A string with a unit needs no quotes.
    let spelled = |text| match shown(text) {
        shown if text.starts_with('"') => shown,
        _ => short_number(text),
    };
    // An age is that of one row.
    let (from, to) = (spelled(from.text), spelled(to.text));
    let (from, to) = (without_age(&from), without_age(&to));
    let mut said = if from == to {
        from.to_owned()
    } else {
        format!("{from}..{to}")
    };
    for one in alone {
        odd.add(one.row);
        let (value, place) = (spelled(one.text), rows.at(one.row));
        let inner = rows.inner(at, one.text, one.row);
        said.push_str(&format!(", but {value}{place}{inner}"));
        odd.is_in(one.row, inner);
    }
    push_full(&mut said, rows, at, ends, odd);
    Some(said)
}

/// Appends how many shares of a column are at an end of a range that is all or nothing: `, 100% 4 at [2], [9], [31], [64]`.
fn push_full(said: &mut String, rows: Rows<'_, '_>, at: usize, ends: [&str; 2], odd: &mut Odd) {
    const LEAST: u32 = 4;
    const SHARE: u32 = 4;
    let field = &rows.outline.fields[at];
    for end in ends {
        if !matches!(end, "\"0%\"" | "\"100%\"") {
            continue;
        }
        let items = field.tally.counts().unwrap_or_default();
        let few = LEAST..=field.tally.values() / SHARE;
        let is_end = |item: &&Item<'_>| item.text == end && few.contains(&item.count);
        if let Some(item) = items.iter().find(is_end) {
            said.push_str(&format!(", {} {}", shown(end), item.count));
            said.push_str(&rows.all(at, item));
            if matches!(field.step, Step::Member(key) if telling::is_use(key)) && end.len() > 4 {
                odd.add(item.row);
            }
        }
    }
}

/// `2026-11-02..2026-12-24, but 2062-01-01 at [71]`; none if nobody knows the order of the dates.
fn said_by_dates(rows: Rows<'_, '_>, at: usize, odd: &mut Odd) -> Option<String> {
    let tally = &rows.outline.fields[at].tally;
    let [first, last] = tally.dates()?;
    let (_, alone) = tally.seconds.range()?;
    let first = cut(first, 40).into_owned();
    match alone.is_empty() {
        true if first == last => Some(first),
        true => Some(format!("{first}..{}", cut(last, 40))),
        false => said_by_range(rows, at, &tally.seconds, odd),
    }
}

/// Appends the dates that no calendar has: `, 1 impossible (2026-02-30) at [71]`.
fn with_impossible(
    said: String,
    rows: Rows<'_, '_>,
    impossible: &Impossible<'_>,
    odd: &mut Odd,
) -> String {
    let Some((text, row)) = impossible.first else {
        return said;
    };
    odd.add(row);
    let first = if impossible.count == 1 { "" } else { ", first" };
    let (count, text, place) = (impossible.count, cut(text, 40), rows.at(row));
    format!("{said}, {count} impossible ({text}){first}{place}")
}

pub fn push_scalars(out: &mut String, rows: Rows<'_, '_>, at: usize, odd: &mut Odd) {
    let tally = &rows.outline.fields[at].tally;
    let strings = u64::from(tally.strings - tally.empty);
    let kinds = [
        tally.booleans,
        tally.numbers,
        tally.strings,
        tally.arrays,
        tally.objects,
    ];
    let are_ids = are_ids(tally);
    let is_mixed = !are_ids && kinds.iter().filter(|count| **count > 0).count() > 1;
    let mut separator = if is_mixed { ": " } else { " " };
    let mut push = |part: String| {
        out.push_str(separator);
        out.push_str(&part);
        separator = ", ";
    };
    let place = |sort: Sort, odd: &mut Odd| {
        let rare = rare_rows::of_sort(rows, at, sort).filter(|_| is_mixed);
        odd.rows.extend(rare.iter().map(|(_, row)| *row));
        rare.map_or(String::new(), |(place, _)| place)
    };
    if is_mixed && tally.booleans > 0 {
        let place = place(Sort::Boolean, odd);
        push(format!("{}{place}", counted(tally.booleans, "boolean")));
    }
    let range = if are_ids {
        None
    } else {
        said_by_range(rows, at, &tally.range, odd)
    };
    if let Some(range) = range {
        if is_mixed {
            let place = place(Sort::Number, odd);
            // The place of the first, if they are few.
            let first = tally.first(Sort::Number);
            let first = first.filter(|_| tally.numbers * FAILING_SHARE <= tally.values());
            let first = first.map_or(String::new(), |(_, row)| format!(", first{}", rows.at(row)));
            let range = if place.is_empty() {
                format!(" {range}{first}")
            } else {
                place
            };
            push(format!("{}{range}", counted(tally.numbers, "number")));
        } else {
            push(range);
        }
    }
    let are_told = tally.arrays > 0 && tally.objects > rare_limit(tally.values());
    if is_mixed && tally.objects > 0 && !are_told {
        let place = place(Sort::Object, odd);
        push(format!("{}{place}", counted(tally.objects, "object")));
    }
    if let Some(mean) = tally.characters.checked_div(strings) {
        let mut said = match () {
            // The length of addresses is no information.
            () if is_address(rows.outline, at) => String::new(),
            () if tally.begin_with_dates() => {
                let said = said_by_dates(rows, at, odd);
                let said = said.unwrap_or_else(|| said_by_length(tally, mean));
                with_impossible(said, rows, &tally.impossible, odd)
            }
            () => {
                let written = tally.written_dates().and_then(|(dates, impossible)| {
                    let said = said_by_range(rows, at, dates, odd)?;
                    Some(with_impossible(said, rows, impossible, odd))
                });
                let decimals = tally.decimals().filter(|_| !is_version(rows.outline, at));
                let decimals = decimals.and_then(|decimals| {
                    let said = said_by_range(rows, at, decimals, odd)?;
                    let Some((count, (text, row))) = tally.not_decimals() else {
                        return Some(said);
                    };
                    odd.add(row);
                    let (others, first) = if count == 1 {
                        ("other", "")
                    } else {
                        ("others", ", first")
                    };
                    let text = cut(&shown(text), COUNTED_CHARACTERS).into_owned();
                    Some(format!(
                        "{} decimals {said}, {count} {others} ({text}){first}{}",
                        decimals.count(),
                        rows.at(row)
                    ))
                });
                match written.or(decimals).or_else(|| said_by_most(rows, at, odd)) {
                    Some(said) => said,
                    None => {
                        // The first of a few texts among many numbers.
                        let values = tally.values();
                        let are_few = tally.strings * FAILING_SHARE <= values
                            && tally.numbers * 2 > values
                            && tally.empty == 0
                            && rare_limit(values) > 0;
                        let first = tally.first(Sort::String).filter(|_| is_mixed && are_few);
                        let first = first.map_or(String::new(), |(text, row)| {
                            odd.add(row);
                            let text = cut(&shown(text), COUNTED_CHARACTERS).into_owned();
                            format!(" ({text}), first{}", rows.at(row))
                        });
                        said_by_length(tally, mean) + &first
                    }
                }
            }
        };
        if is_mixed {
            let place = place(Sort::String, odd);
            if !place.is_empty() {
                said = place;
            }
            let gap = if said.is_empty() || said.starts_with([' ', ',']) {
                ""
            } else {
                " "
            };
            said = format!("{}{gap}{said}", counted(tally.strings, "string"));
        }
        if !said.is_empty() {
            push(said);
        }
    }
}

/// `1 string`, `2 strings`.
fn counted(count: u32, what: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {what}{ending}")
}

/// Whether the values of a column are hexadecimal ids, of which some have digits alone by chance: all differ, and are
/// as long as each other.
fn are_ids(tally: &Tally<'_>) -> bool {
    const LEAST: usize = 7;
    let length = tally.longest;
    let are_both = tally.numbers > 0
        && tally.strings > tally.numbers
        && tally.empty + tally.booleans + tally.arrays + tally.objects == 0;
    let differ = || {
        let counts = tally.counts();
        counts.is_none_or(|counts| counts.iter().all(|item| item.count == 1))
    };
    are_both
        && length >= LEAST
        && tally.characters == u64::from(tally.strings) * length as u64
        && tally.range.range().is_some_and(|(ends, alone)| {
            let mut all = ends.into_iter().chain(alone);
            all.all(|number| number.text.len() == length)
        })
        && differ()
}

/// Whether a column has versions, of which 1.10 is after 1.9.
fn is_version(outline: &Outline<'_>, at: usize) -> bool {
    let Step::Member(key) = outline.fields[at].step else {
        return false;
    };
    let key = key.trim_matches('"').to_ascii_lowercase();
    key == "tag" || key.ends_with("version")
}

fn said_by_length(tally: &Tally<'_>, mean: u64) -> String {
    let longest = tally.longest;
    if longest as u64 > 4 * LONG_CHARACTERS && longest as u64 > 2 * mean {
        format!("~{mean} chars, longest {longest}")
    } else if mean > LONG_CHARACTERS {
        format!("~{mean} chars")
    } else {
        String::new()
    }
}

pub fn push_lists(
    out: &mut String,
    rows: Rows<'_, '_>,
    at: usize,
    (cell, is_first): (usize, bool),
    odd: &mut Odd,
) {
    let outline = rows.outline;
    let field = &outline.fields[at];
    let tally = &field.tally;
    if tally.arrays == 0 {
        return;
    }
    let (shortest, longest) = (tally.shortest_array, tally.longest_array);
    let each = match (shortest.length, longest.length) {
        (fewest, most) if fewest == most => fewest.to_string(),
        (fewest, most) => format!("{fewest}..{most}"),
    };
    if tally.scalars() + tally.objects == tally.nulls {
        let told = match tally.lone_array() {
            Some((usual, lone)) => {
                odd.add(lone.row);
                let (usual, lone, at) = (usual.length, lone.length, rows.at(lone.row));
                format!("{usual} each, but {lone}{at}")
            }
            None => format!("{each} each"),
        };
        out.push_str(&format!("[] {told}, {} in all", tally.children));
    } else {
        // As XML is read, a row with one child has no list. Few of them are told already.
        if tally.objects > rare_limit(tally.values()) {
            out.push_str(if is_first { ": " } else { ", " });
            out.push_str(&counted(tally.objects, "object"));
        }
        let lists = counted(tally.arrays, "list");
        let place = rare_rows::of_sort(rows, at, Sort::Array);
        odd.rows.extend(place.iter().map(|(_, row)| *row));
        let place = place.map_or(String::new(), |(place, _)| place);
        out.push_str(&format!(
            ", {lists} of {each}{place}, {} in all",
            tally.children
        ));
    }
    let Some(element) = outline.rows(at) else {
        return;
    };
    let elements = &outline.fields[element].tally;
    if elements.objects + elements.arrays > 0 {
        return;
    }
    if let Some(constant) = elements.constant() {
        out.push_str(&format!(", all {}", cut(&shown(constant), cell)));
    } else if let Some(counts) = said_by_counts(rows, element, odd) {
        out.push_str(&format!(": {counts}"));
    } else {
        let mut said = String::new();
        let medians = row_medians::said(rows, element, odd);
        push_scalars(&mut said, rows, element, odd);
        let said = said.trim_start_matches([':', ' ']);
        if !said.is_empty() {
            out.push_str(", ");
            out.push_str(&medians.map_or(String::new(), row_medians::told));
            out.push_str(said);
        }
        if elements.nulls > 0 {
            let place = rare_rows::of_sort(rows, element, Sort::Null);
            odd.rows.extend(place.iter().map(|(_, row)| *row));
            let place = place.map_or(String::new(), |(place, _)| place);
            out.push_str(&format!(", {}{place}", counted(elements.nulls, "null")));
        }
        for rare in rare_rows::texts(rows, element, odd) {
            out.push_str(&format!(", {rare}"));
        }
    }
}

/// A scalar as a list shows it: a string without quotes, unless it looks like another type.
pub fn shown(raw: &str) -> Cow<'_, str> {
    let Some(text) = raw
        .strip_prefix('"')
        .and_then(|text| text.strip_suffix('"'))
    else {
        return raw.into();
    };
    let is_like_another =
        matches!(text, "" | "null" | "true" | "false") || text.parse::<f64>().is_ok();
    let is_quoted = text.starts_with([' ', '"', '[', '{']) || text.starts_with("\\\"");
    if is_like_another || is_quoted || text.ends_with(' ') {
        return raw.into();
    }
    match search::has(text, "\\\"") {
        true => one_line(&without_escaped_quotes(text)).into_owned().into(),
        false => one_line(text),
    }
}

/// A string with its quotes as they are searched for. Other escapes stay, so that a cell stays on its line.
#[inline(never)]
fn without_escaped_quotes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, chars.clone().next()) {
            ('\\', Some('"')) => {}
            ('\\', Some(escaped)) => {
                chars.next();
                out.extend([c, escaped]);
            }
            _ => out.push(c),
        }
    }
    out
}

/// A number without most of its decimals, if it has many. They are cut, not rounded, so that the result can be searched
/// for.
pub fn short_number(number: &str) -> Cow<'_, str> {
    const DECIMALS: usize = 4;
    let is_plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    match number.split_once('.') {
        Some((whole, decimals)) if decimals.len() > DECIMALS + 2 && is_plain(decimals) => {
            Cow::Owned(format!("{whole}.{}{CUT}", &decimals[..DECIMALS]))
        }
        _ => Cow::Borrowed(number),
    }
}

/// Whether a column has addresses, by its first value: `https://…`.
pub fn is_address(outline: &Outline<'_>, at: usize) -> bool {
    let first = outline.fields[at].first;
    first.kind() == NodeKind::String && outline.raw(first).starts_with("\"http")
}
