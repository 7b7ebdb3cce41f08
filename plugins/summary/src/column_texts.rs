//! Rare texts of a column: a line unlike all others, a value that stands out in it, and a name whose host, domain, folder
//! or ending no other has.
//!
//! Owns the parts of names. Refuses to know what makes a line rare, and how a rare text is told.

use crate::counted::Item;
use crate::excerpts;
use crate::hashing::{START, hash};
use crate::odd_values::Usual;
use crate::outline::{Outline, Step};
use crate::rare_rows::SHOWN_CHARACTERS;
use crate::rare_texts::rare_places;
use crate::table::{descend, each_value};
use tamis_formats::words::has_sign;
use tamis_sdk::{Node, NodeKind};

/// Fewer rows have no rare text.
const LEAST: u32 = 20;
/// One name in so many may have another part.
const ODD_ONE_OF: usize = 20;
/// Most rare texts of a column.
const MOST: usize = 3;
/// Most bytes of a column that are examined.
const BYTES: u64 = 1 << 20;
/// The same of sentences in lists inside rows, which are often pages and code.
const INNER_BYTES: u64 = 1 << 13;

/// The rare texts in the column at `at` of the rows at `row`, at most [`MOST`], each with its row, and the byte at which the
/// part begins that others lack. No other text equals one of them.
pub fn rare<'d>(outline: &Outline<'d>, row: usize, at: usize) -> Vec<(u32, &'d str, usize)> {
    let field = &outline.fields[at];
    let tally = &field.tally;
    let is_list = matches!(outline.fields[row].step, Step::Each | Step::Entry);
    let is_text = tally.strings == tally.values() && tally.strings >= LEAST;
    if !is_list || !is_text || tally.are_dates() || tally.decimals().is_some() {
        return Vec::new();
    }
    if field.bytes > BYTES {
        return Vec::new();
    }
    let steps = outline.steps(row, at);
    let is_inner = steps.contains(&Step::Each);
    // The second one of a pair, as in a log: `[time, text]`.
    let is_cell = matches!(steps.last(), Some(Step::Place(_)));
    let is_value = matches!(steps.last(), Some(Step::Member("\"Value\"" | "\"value\"")));
    let key_of = |pair: Node<'d>| {
        const KEYS: [&str; 4] = ["\"Key\"", "\"key\"", "\"Name\"", "\"name\""];
        let mut keys = KEYS.iter().map(|key| [Step::Member(key)]);
        let key = keys.find_map(|key| descend(outline, pair, &key))?;
        Some(outline.raw(key))
    };
    let texts = || {
        let table = &outline.fields[outline.fields[row].parent];
        let header = table.header_rows as usize;
        let mut texts: Vec<Text<'d>> = Vec::with_capacity(tally.strings as usize);
        for (row, element) in (0..).zip(values(table.first)).skip(header) {
            let mut note = |key, value: Option<Node<'d>>| {
                if let Some(value) = value.filter(|value| value.kind() == NodeKind::String) {
                    let raw = outline.raw(value);
                    texts.push(Text { row, raw, key });
                }
            };
            if is_inner {
                each_value(outline, [element; 2], &steps, &mut |holder, value| {
                    note(is_value.then(|| key_of(holder)).flatten(), value);
                });
            } else if outline.may_look_at(element.children() as usize) {
                note(None, descend(outline, element, &steps));
            }
        }
        if !outline.may_look_at(1) {
            texts.clear();
        }
        texts
    };
    let is_spaced = 2 * tally.spaced >= tally.strings;
    // A column of few different names may have none with parts, and one where each text occurs again has no rare one.
    let has_parts = |item: &Item<'_>| may_have_parts(item.text);
    let are_whole = |counts: &[Item<'_>]| {
        counts.iter().all(|item| item.count > 1) || !is_spaced && !counts.iter().any(has_parts)
    };
    let are_whole = !is_inner && tally.counts().is_some_and(are_whole);
    // Each place, and the byte at which its part begins.
    let places = outline.once(at, || {
        if are_whole {
            look_at_all(outline, row);
            return Vec::new();
        }
        let texts = texts();
        let all = texts.iter().map(|text| &text.raw[1..text.raw.len() - 1]);
        let places = match texts.first().is_some_and(|text| text.key.is_some()) {
            true => odd_under_keys(&texts),
            false if is_spaced && is_inner && !is_cell && field.bytes > INNER_BYTES => Vec::new(),
            false if is_spaced => rare_places(all, MOST),
            false => odd_names(all),
        };
        let places: Vec<usize> = places.into_iter().take(MOST).collect();
        let all = texts.iter().map(|text| text.raw);
        let rare = places.iter().map(|it| (*it, texts[*it - 1].raw));
        let parts = excerpts::places(all, rare, SHOWN_CHARACTERS);
        let part = |place: &usize| parts.get(place).copied().unwrap_or_default();
        let with_parts = places.iter().flat_map(|it| [*it, part(it)]);
        with_parts.map(|it| it as u32).collect()
    });
    if places.is_empty() {
        return Vec::new();
    }
    let texts = texts();
    let rare = places.as_chunks().0.iter().filter_map(|[place, part]| {
        let text = texts.get(*place as usize - 1)?;
        Some((text, *part as usize))
    });
    let is_only = |(rare, _): &(&Text<'_>, usize)| {
        let is_same = |it: &&Text<'_>| it.raw == rare.raw && it.key == rare.key;
        texts.iter().filter(is_same).count() == 1
    };
    let rare = rare.filter(is_only);
    rare.map(|(text, part)| (text.row, text.raw, part))
        .collect()
}

/// The elements of a list, or the values of a map.
fn values<'t>(table: Node<'t>) -> impl Iterator<Item = Node<'t>> {
    let members = table.members().map(|(_, value)| value);
    table.elements().chain(members)
}

/// A text of a column, as the document spells it.
struct Text<'d> {
    row: u32,
    raw: &'d str,
    /// The key of a pair whose value it is: `{"Key":"Env","Value":"prod"}`.
    key: Option<&'d str>,
}

/// The texts, by their numbers from 1, that differ from nearly all others under their key.
fn odd_under_keys(texts: &[Text<'_>]) -> Vec<usize> {
    const KEYS: usize = 64;
    let mut keys: Vec<(&str, Usual)> = Vec::new();
    for (place, text) in (1..).zip(texts) {
        let key = text.key.unwrap_or_default();
        let at = keys.iter().position(|(known, _)| *known == key);
        let at = at.unwrap_or(keys.len());
        if at == keys.len() && at < KEYS {
            keys.push((key, Usual::default()));
        }
        if let Some((_, usual)) = keys.get_mut(at) {
            usual.note(place, hash(text.raw.as_bytes()));
        }
    }
    let odd = keys.iter().flat_map(|(_, usual)| usual.odd(ODD_ONE_OF));
    let mut odd: Vec<usize> = odd.collect();
    odd.sort_unstable();
    odd
}

/// The names, by their numbers from 1, with a part that few have.
fn odd_names<'t>(names: impl Iterator<Item = &'t str>) -> Vec<usize> {
    let mut parts: [Usual; PARTS] = Default::default();
    for (place, name) in (1..).zip(names) {
        for (usual, part) in parts.iter_mut().zip(parts_of(name)) {
            usual.note(place, part.map_or(START, |part| hash(part.as_bytes())));
        }
    }
    let mut odd: Vec<usize> = parts.iter().flat_map(|part| part.odd(ODD_ONE_OF)).collect();
    odd.sort_unstable();
    odd.dedup();
    odd
}

const PARTS: usize = 4;

/// Whether a name has a sign of parts, which most have not.
#[inline]
fn may_have_parts(name: &str) -> bool {
    has_sign(name, b"./@:")
}

/// Takes as many looks as a search for the values of a column does, so that a result does not depend on the way to it.
fn look_at_all(outline: &Outline<'_>, row: usize) {
    let table = &outline.fields[outline.fields[row].parent];
    for element in values(table.first).skip(table.header_rows as usize) {
        outline.may_look_at(element.children() as usize);
    }
    outline.may_look_at(1);
}

/// The parts of a name in which names of one origin are equal: the host of an address or the first folder, the domain
/// after `@`, the first two numbers of an address of the network, the ending.
fn parts_of(name: &str) -> [Option<&str>; PARTS] {
    if !may_have_parts(name) {
        return [None; PARTS];
    }
    let after_scheme = name.split_once("://").map(|(_, rest)| rest);
    let path = after_scheme.unwrap_or(name.trim_start_matches('/'));
    let first = path.split_once('/').map(|(first, _)| first);
    let domain = name.rsplit_once('@').map(|(_, domain)| domain);
    let numbers = name.match_indices('.').nth(1).map(|(at, _)| &name[..at]);
    let numbers = numbers.filter(|it| it.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'));
    let ending = name.rsplit_once(['.', ':']).map(|(_, ending)| ending);
    [first, domain, numbers, ending]
}
