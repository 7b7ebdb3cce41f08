//! Rare texts of a column: a line unlike all others, a value that stands out in it, and a name whose host, domain, folder
//! or ending no other has.
//!
//! Owns the parts of names. Refuses to know what makes a line rare, and how a rare text is told.

use crate::findings::rare_places;
use crate::hashing::{START, hash};
use crate::odd_values::Usual;
use crate::outline::{Outline, Step};
use crate::table::descend;
use tamis_sdk::NodeKind;

/// Fewer rows have no rare text.
const LEAST: u32 = 20;
/// One name in so many may have another part.
const ODD_ONE_OF: usize = 20;
/// Most rare texts of a column.
const MOST: usize = 3;
/// Most bytes of a column that are examined.
const BYTES: u64 = 1 << 20;

/// The rows with rare texts in the column at `at` of the rows at `row`, at most [`MOST`].
pub fn rare(outline: &Outline<'_>, row: usize, at: usize) -> Vec<u32> {
    let field = &outline.fields[at];
    let tally = &field.tally;
    let is_list = outline.fields[row].step == Step::Each;
    let is_text = tally.strings == tally.values() && tally.strings >= LEAST;
    if !is_list || !is_text || tally.are_dates() || tally.decimals().is_some() {
        return Vec::new();
    }
    if field.bytes > BYTES {
        return Vec::new();
    }
    outline.once(at, || {
        let steps = outline.steps(row, at);
        let table = &outline.fields[outline.fields[row].parent];
        let header = table.header_rows as usize;
        let mut texts: Vec<(u32, &str)> = Vec::with_capacity(tally.strings as usize);
        for (place, element) in (0..).zip(table.first.elements()).skip(header) {
            if !outline.may_look_at(element.children() as usize) {
                return Vec::new();
            }
            let value = descend(outline, element, &steps);
            if let Some(value) = value.filter(|value| value.kind() == NodeKind::String) {
                let raw = outline.raw(value);
                texts.push((place, raw.get(1..raw.len() - 1).unwrap_or_default()));
            }
        }
        let places = match 2 * tally.spaced >= tally.strings {
            true => rare_places(
                &texts.iter().map(|(_, text)| *text).collect::<Vec<_>>(),
                MOST,
            ),
            false => odd_names(texts.iter().map(|(_, text)| *text)),
        };
        let rows = places.into_iter().filter_map(|place| texts.get(place - 1));
        rows.map(|(row, _)| *row).take(MOST).collect()
    })
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

/// The parts of a name in which names of one origin are equal: the host of an address or the first folder, the domain
/// after `@`, the first two numbers of an address of the network, the ending.
fn parts_of(name: &str) -> [Option<&str>; PARTS] {
    let after_scheme = name.split_once("://").map(|(_, rest)| rest);
    let path = after_scheme.unwrap_or(name.trim_start_matches('/'));
    let first = path.split_once('/').map(|(first, _)| first);
    let domain = name.rsplit_once('@').map(|(_, domain)| domain);
    let numbers = name.match_indices('.').nth(1).map(|(at, _)| &name[..at]);
    let numbers = numbers.filter(|it| it.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'));
    let ending = name.rsplit_once(['.', ':']).map(|(_, ending)| ending);
    [first, domain, numbers, ending]
}
