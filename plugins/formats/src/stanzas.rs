//! Blocks of `Key: value`, with blank lines between them, as `apt show` and `pip show` print them.
//!
//! Owns keys, values that continue in indented lines, and the separation of blocks. Layout is the blanks after a colon.
//! Refuses blocks that begin with different keys, and duplicate keys in a block.

use crate::json::{push_cell, push_quoted};
use crate::lines::line_at;
use crate::{Format, Found, words};
use std::ops::Range;

/// Fewest blocks of a table.
const FEWEST_BLOCKS: usize = 2;

/// Fewest keys of a block: logs and prose have fewer.
const FEWEST_KEYS: usize = 3;

/// Most keys of a block.
const MOST_KEYS: usize = 100;

/// The length of the key of `Key: value`.
pub(crate) fn key_length(line: &str) -> Option<usize> {
    let length = line.find(':')?;
    let key = &line[..length];
    let is_fit = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let after = &line[length + 1..];
    let is_key = key.starts_with(|c: char| c.is_ascii_alphabetic())
        && key.bytes().all(is_fit)
        && (after.is_empty() || after.starts_with(' '));
    is_key.then_some(length)
}

/// Reads blocks, the first of which begins at `at`.
pub(crate) fn read(text: &str, at: usize) -> Option<Found> {
    let mut json = String::from("[");
    let mut rows: Vec<Range<usize>> = Vec::new();
    let mut first_key = None;
    let mut next = at;
    while next < text.len() {
        if !rows.is_empty() {
            let Some(begin) = next_block(text, next) else {
                break;
            };
            let key = line_at(text, begin).text;
            if key_length(key).map(|length| &key[..length]) != first_key {
                break;
            }
            next = begin;
            json.push(',');
        }
        let block = Block::read(text, next)?;
        first_key = first_key.or(block.first_key());
        if block.members.len() < FEWEST_KEYS || block.first_key() != first_key {
            return None;
        }
        block.write(&mut json);
        rows.push(next..block.end);
        next = block.end;
    }
    json.push(']');
    let end = rows.last()?.end;
    (rows.len() >= FEWEST_BLOCKS).then_some(Found {
        format: Format::Stanzas,
        json,
        tape: Vec::new(),
        renamed: Vec::new(),
        range: at..end,
        rows,
    })
}

/// The start of the block after one that ends at `end`; none if nothing separates them.
fn next_block(text: &str, end: usize) -> Option<usize> {
    let mut line = line_at(text, line_at(text, end).next);
    let mut is_parted = false;
    while line.start < text.len() && (line.is_blank() || line.text == "---") {
        is_parted = true;
        line = line_at(text, line.next);
    }
    (is_parted && line.start < text.len()).then_some(line.start)
}

struct Block<'t> {
    members: Vec<(&'t str, &'t str)>,
    end: usize,
}

impl<'t> Block<'t> {
    fn read(text: &'t str, at: usize) -> Option<Self> {
        let mut members: Vec<(&str, &str)> = Vec::new();
        let (mut end, mut next) = (at, at);
        // The start of the last key's value, which goes on in the next lines.
        let (mut value, mut goes_on) = (at, false);
        let whole = |members: &mut Vec<(&str, &'t str)>, range: Range<usize>| {
            if let Some((_, last)) = members.last_mut() {
                *last = text[range].trim_end();
            }
        };
        while next < text.len() {
            let line = line_at(text, next);
            if line.is_blank() || line.text == "---" {
                break;
            }
            if line.text.starts_with([' ', '\t']) {
                members.last()?;
                goes_on = true;
            } else {
                if std::mem::take(&mut goes_on) {
                    whole(&mut members, value..end);
                }
                let length = key_length(line.text)?;
                let key = &line.text[..length];
                // Most of those that are refused repeat a key at once.
                let is_known = members.last().is_some_and(|(last, _)| *last == key);
                if is_known || members.len() == MOST_KEYS {
                    return None;
                }
                let said = line.text[length + 1..].trim();
                value = line.end() - line.text[length + 1..].trim_start_matches(' ').len();
                members.push((key, said));
            }
            end = line.end();
            next = line.next;
        }
        if goes_on {
            whole(&mut members, value..end);
        }
        let keys = members.iter().map(|(key, _)| *key);
        words::are_distinct(keys.collect()).then_some(Block { members, end })
    }

    fn first_key(&self) -> Option<&'t str> {
        self.members.first().map(|(key, _)| *key)
    }

    fn write(&self, json: &mut String) {
        for (place, (key, value)) in self.members.iter().enumerate() {
            json.push(if place == 0 { '{' } else { ',' });
            push_quoted(json, key);
            json.push(':');
            push_cell(json, value);
        }
        json.push('}');
    }
}
