//! Names of rows: the values of the column that tells best what a row is.
//!
//! Owns which column that is. An id that only machines read is none where the rows have titles.

use crate::column::Column;
use crate::counted::Item;
use crate::outline::Outline;
use crate::paper::characters;
use crate::table::{LABEL_CHARACTERS, ToldColumn, descend, odd_column, push_cell};
use crate::tally::Tally;
use crate::telling::{self, ends_in};
use tamis_sdk::{Node, NodeKind};

/// Beside more columns than this, the names of others say more than further names of rows.
const MANY_TOLD: usize = 5;
const MOST_NAMES: usize = 8;
/// Characters of a long title if two of them have no room.
const SHORT_LABEL: usize = 28;

/// Names of the first rows, if rows do not fit: values of the column that describes a row best. Two names
/// say more than a row, and a short one says more than nothing (`is_alone`).
pub fn names(
    outline: &Outline<'_>,
    at: usize,
    row: usize,
    columns: &[ToldColumn],
    (is_alone, room): (bool, usize),
) -> String {
    let first = outline.fields[at].header_rows as usize;
    let rows = outline.fields[row].tally.values() as usize;
    // Nothing is told of texts that differ, nor of lists of one such text but their number.
    let is_short = |it: &ToldColumn| {
        it.told.text.is_empty()
            || has_lists_of_one(outline, &it.column) && !it.told.text.contains(": ")
    };
    let is_name = |it: &&ToldColumn| {
        let tally = texts(outline, &it.column);
        let have_all = tally.values() as usize + first >= rows;
        // Texts with blanks, most of which differ.
        let repeat = |counts: &[_]| 2 * counts.len() <= rows;
        let is_other = tally.counts().is_some_and(repeat) || 2 * tally.spaced < tally.strings;
        // A list in some rows has several names, or none.
        let holder = &outline.fields[outline.fields[it.column.field].parent];
        let is_one = !it.column.is_inner && holder.tally.arrays == 0;
        let differ = is_short(it) || !it.told.is_constant && !is_other;
        let is_constant = tally.counts().is_some_and(|counts| counts.len() < 2);
        // Ids in lists are those of other rows: `parents`.
        let is_one = is_one
            && !(has_lists_of_one(outline, &it.column)
                && is_id(outline.raw(outline.fields[it.column.field].first)));
        differ && !is_constant && it.weight > 0 && tally.strings > 0 && is_one && have_all
    };
    let mut names: Vec<&ToldColumn> = columns.iter().filter(is_name).rev().collect();
    // A name that only one row has tells it best. A rare value makes no name of its column.
    let differ = |it: &ToldColumn| {
        let tally = texts(outline, &it.column);
        let is_each = |counts: &[Item<'_>]| counts.len() as u32 == tally.values();
        tally.counts().is_none_or(is_each)
    };
    let weight = |it: &ToldColumn| telling::weight(outline, &it.column, false);
    let best = |it: &&ToldColumn| (is_alone && is_short(it), differ(it), weight(it));
    let Some(mut column) = names.iter().copied().max_by_key(best) else {
        return String::new();
    };
    let id = column;
    let is_state = ends_in(id.column.name(), &["state", "status", "type"]);
    if is_state || is_id(outline.raw(outline.fields[id.column.field].first)) {
        let first = |it: &ToldColumn| outline.raw(outline.fields[it.column.field].first);
        names.retain(|it| is_title(it.column.name()) && has_word(first(it)) && !is_id(first(it)));
        column = names.into_iter().max_by_key(best).unwrap_or(column);
    }
    // Long titles are cut shorter, and say more than an id even so.
    let tried = [
        (column, LABEL_CHARACTERS),
        (column, SHORT_LABEL),
        (id, LABEL_CHARACTERS),
    ];
    let is_changed = !std::ptr::eq(column, id);
    let tried = &tried[..if is_changed { 3 } else { 1 }];
    let elements = || outline.fields[at].first.elements();
    // The row with a rare value has a name, too.
    let odd = odd_column(columns).and_then(|column| column.told.odd);
    let odd = odd.and_then(|row| Some((row, elements().nth(row as usize)?)));
    let most = match columns.len() > MANY_TOLD {
        true => MOST_NAMES,
        false => rows,
    };
    let mut told = tried.iter().map(|(column, limit)| {
        let least = 2 - usize::from(is_alone && is_short(column));
        let steps = outline.steps(row, column.column.field);
        let are_lists = has_lists_of_one(outline, &column.column);
        let name = |element: Node<'_>| {
            let mut cell = String::new();
            let value = descend(outline, element, &steps);
            let value = value.map(|value| {
                if are_lists {
                    only_element(value)
                } else {
                    value
                }
            });
            push_cell(&mut cell, outline, value, *limit);
            cell
        };
        let odd = odd.map_or(String::new(), |(row, element)| {
            format!("; [{row}] {}", name(element))
        });
        let room = room.saturating_sub(characters(&odd));
        let mut out = format!(" first by {}: ", column.column.name());
        let mut count = 0;
        for element in elements().skip(first).take(most) {
            let cell = name(element);
            if characters(&out) + characters(&cell) + 2 > room {
                break;
            }
            out.push_str(if count > 0 { ", " } else { "" });
            out.push_str(&cell);
            count += 1;
        }
        out.push_str(&odd);
        if count >= least { out } else { String::new() }
    });
    told.find(|told| !told.is_empty()).unwrap_or_default()
}

/// The texts of a column: those of its lists, if each has one.
fn texts<'o, 'd>(outline: &'o Outline<'d>, column: &Column) -> &'o Tally<'d> {
    let tally = &outline.fields[column.field].tally;
    let are_lists = has_lists_of_one(outline, column);
    let element = outline.rows(column.field).filter(|_| are_lists);
    element.map_or(tally, |element| &outline.fields[element].tally)
}

/// Whether all values of a column are lists of one element.
fn has_lists_of_one(outline: &Outline<'_>, column: &Column) -> bool {
    let tally = &outline.fields[column.field].tally;
    let lengths = [tally.shortest_array.length, tally.longest_array.length];
    tally.arrays > 0 && lengths == [1, 1] && tally.arrays == tally.values()
}

/// The element of a list of one.
fn only_element(node: Node<'_>) -> Node<'_> {
    let is_one = node.kind() == NodeKind::Array && node.children() == 1;
    let element = is_one.then(|| node.elements().next()).flatten();
    element.unwrap_or(node)
}

/// Whether the last word of a column's name says that its texts tell what a row is.
pub fn is_title(name: &str) -> bool {
    const TITLES: [&str; 7] = [
        "headline", "label", "name", "subject", "summary", "title", "titles",
    ];
    ends_in(name, &TITLES)
}

/// Whether a text has two letters side by side, which a date lacks.
fn has_word(text: &str) -> bool {
    let are_letters = |pair: &[u8]| {
        pair.iter()
            .all(|byte| byte.is_ascii_alphabetic() || *byte >= 0x80)
    };
    text.as_bytes().windows(2).any(are_letters)
}

/// Whether a value, as JSON spells it, is an id for machines: digits of base 16, a UUID, base64, a DOI.
fn is_id(value: &str) -> bool {
    const LEAST: usize = 12;
    const SHORT_HASH: usize = 7;
    // A list of one may be on several lines.
    let id = value.trim_matches(|c: char| matches!(c, '"' | '[' | ']') || c.is_ascii_whitespace());
    let is_doi = id.split_once('/').is_some_and(|(prefix, _)| {
        let number = prefix.strip_prefix("10.");
        number.is_some_and(|number| {
            number.len() > 3 && number.bytes().all(|byte| byte.is_ascii_digit())
        })
    });
    let has = |is: fn(&u8) -> bool| id.bytes().any(|byte| is(&byte));
    let of = |bytes: fn(&u8) -> bool| id.len() >= LEAST && id.bytes().all(|byte| bytes(&byte));
    let is_hex = of(|byte| byte.is_ascii_hexdigit() || *byte == b'-') && has(u8::is_ascii_digit);
    // Fewer digits of base 16 may be a short hash.
    let is_hash = id.len() >= SHORT_HASH
        && id.bytes().all(|byte| byte.is_ascii_hexdigit())
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_alphabetic);
    let is_encoded = of(|byte| byte.is_ascii_alphanumeric() || b"-_+/=".contains(byte))
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_uppercase);
    is_doi || is_hex || is_hash || is_encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_for_machines() {
        for id in [
            "\"10.1016/j.cell.2020.10000\"",
            "\"b6589fc6ab0dc82cf12099d1c2d40ab994e8410c\"",
            "\"cfcd2084-1b2c-4d5e-8f90-cfcd208495d5\"",
            "\"Y3Vyc29yOnYyOpK5\"",
        ] {
            assert!(is_id(id), "{id}");
        }
        for id in [
            "\"PROJ-12\"",
            "\"web-server-12\"",
            "\"a@example.com\"",
            "\"decade-facade\"",
            "\"10.0.0.1/24\"",
            "12",
        ] {
            assert!(!is_id(id), "{id}");
        }
    }

    #[test]
    fn names_of_titles() {
        assert!(has_word("\"a cell\"") && !has_word("\"2026-01-01T10:00:36Z\""));
        for name in [
            "title",
            "fields.summary",
            "displayName",
            "file_name",
            "Title",
        ] {
            assert!(is_title(name), "{name}");
        }
        for name in ["filename", "subtitle_id", "names_of", "uid"] {
            assert!(!is_title(name), "{name}");
        }
    }
}
