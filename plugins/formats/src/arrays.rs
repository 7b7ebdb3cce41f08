//! JSON that holds a table in another form: lists with a header, and texts in blocks.
//!
//! Owns the conditions for these forms. Refuses a doubtful header.

use crate::json::{MAX_DEPTH, push_quoted, space_end, value_end};
use crate::table::{FEWEST_ROWS, is_name};
use crate::words::are_distinct;
use std::ops::Range;

/// Most columns of a row.
const MOST_COLUMNS: usize = 512;

/// Converts a list of lists whose first one has the names (`[["id","name"],[1,"a"],…]`) to a list of objects. A row may
/// lack its last cells: its object has no such keys. None if the first list may also be a row.
pub fn rows_of_arrays(json: &str) -> Option<String> {
    let bytes = json.as_bytes();
    let start = space_end(bytes, 0);
    if bytes.get(start) != Some(&b'[') || bytes.get(space_end(bytes, start + 1)) != Some(&b'[') {
        return None;
    }
    let mut rows = elements(json, start)?.into_iter();
    let header = cells(json, rows.next()?)?;
    let names = header.iter().map(|cell| unquoted(&json[cell.clone()]));
    let names: Vec<String> = names.collect::<Option<_>>()?;
    if names.len() < 2
        || rows.len() < FEWEST_ROWS
        || !names.iter().all(|name| is_name(name))
        || !are_distinct(names.iter().map(|name| &**name).collect())
    {
        return None;
    }
    let limit = json.len() * 8 + (1 << 20);
    let mut out = String::from("[");
    // For each name: whether its column has values other than words.
    let mut is_other = vec![true; names.len()];
    let mut widest = 0;
    // Cells of the first list in other rows: it is one of them, unless it is repeated whole.
    let mut has_value = false;
    for (place, row) in rows.enumerate() {
        let cells = cells(json, row)?;
        if cells.len() > names.len() || cells.is_empty() || out.len() > limit {
            return None;
        }
        widest = widest.max(cells.len());
        out.push_str(if place == 0 { "{" } else { ",{" });
        let mut again = 0;
        for (column, (cell, name)) in cells.iter().zip(&names).enumerate() {
            let cell = &json[cell.clone()];
            let is_word = cell.starts_with('"') && !cell.bytes().any(|byte| byte.is_ascii_digit());
            is_other[column] &= !is_word;
            again += usize::from(*cell == json[header[column].clone()]);
            out.push_str(if column == 0 { "" } else { "," });
            push_quoted(&mut out, name);
            out.push(':');
            out.push_str(cell);
        }
        has_value |= (1..names.len()).contains(&again);
        out.push('}');
    }
    out.push(']');
    let is_header = |(name, is_other): (&String, &bool)| {
        *is_other && !name.bytes().any(|byte| byte.is_ascii_digit())
    };
    let is_certain = names[..widest].iter().zip(&is_other).any(is_header);
    (is_certain && !has_value).then_some(out)
}

/// The texts of `{"result":[{"type":"text","text":"…"},…]}`, or of the list alone: blocks of a result inside of a
/// result. None if it has other content.
pub fn unwrap_blocks(json: &str) -> Option<Vec<String>> {
    let bytes = json.as_bytes();
    let mut start = space_end(bytes, 0);
    if bytes.get(start) == Some(&b'{') {
        let members = elements(json, start)?;
        let [member] = &members[..] else { return None };
        let (_, value) = member_of(json, member.clone())?;
        start = value.start;
    }
    if bytes.get(start) != Some(&b'[') {
        return None;
    }
    let mut texts = Vec::new();
    for block in elements(json, start)? {
        if bytes[block.start] != b'{' {
            return None;
        }
        let (mut is_text, mut text) = (false, None);
        for member in elements(json, block.start)? {
            let (key, value) = member_of(json, member)?;
            let value = &json[value];
            match key {
                r#""type""# => is_text = value == r#""text""#,
                r#""text""# => text = Some(unquoted(value)?),
                r#""annotations""# | r#""_meta""# if value == "null" => {}
                _ => return None,
            }
        }
        texts.push(text.filter(|_| is_text)?);
    }
    (!texts.is_empty()).then_some(texts)
}

/// The ranges of the elements of the list at `at`, or of the members of the object, each from its key on. None if it is
/// not JSON, or other text follows.
fn elements(json: &str, at: usize) -> Option<Vec<Range<usize>>> {
    let bytes = json.as_bytes();
    let end = value_end(bytes, at, MAX_DEPTH)?;
    let is_object = bytes[at] == b'{';
    let mut elements = Vec::new();
    let mut next = space_end(bytes, at + 1);
    while next + 1 < end {
        let mut stop = value_end(bytes, next, MAX_DEPTH)?;
        if is_object {
            let value = space_end(bytes, space_end(bytes, stop) + 1);
            stop = value_end(bytes, value, MAX_DEPTH)?;
        }
        elements.push(next..stop);
        // After the comma, or the bracket.
        next = space_end(bytes, space_end(bytes, stop) + 1);
        if bytes.get(space_end(bytes, stop)) != Some(&b',') {
            break;
        }
    }
    Some(elements)
}

/// The key of a member, with its quotes, and the range of its value.
fn member_of(json: &str, member: Range<usize>) -> Option<(&str, Range<usize>)> {
    let bytes = json.as_bytes();
    let key = value_end(bytes, member.start, 0)?;
    let value = space_end(bytes, space_end(bytes, key) + 1);
    Some((&json[member.start..key], value..member.end))
}

fn cells(json: &str, row: Range<usize>) -> Option<Vec<Range<usize>>> {
    if json.as_bytes()[row.start] != b'[' {
        return None;
    }
    let cells = elements(json, row.start)?;
    (cells.len() <= MOST_COLUMNS).then_some(cells)
}

/// Decodes a JSON string; none if it is no string, or has an unpaired surrogate.
pub fn unquoted(quoted: &str) -> Option<String> {
    let inside = quoted.strip_prefix('"')?.strip_suffix('"')?;
    let mut said = String::with_capacity(inside.len());
    let mut rest = inside;
    while let Some(at) = rest.find('\\') {
        said.push_str(&rest[..at]);
        let kind = *rest.as_bytes().get(at + 1)?;
        rest = &rest[at + 2..];
        said.push(match kind {
            b'n' => '\n',
            b't' => '\t',
            b'r' => '\r',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'u' => {
                let mut code = unit(rest)?;
                rest = &rest[4..];
                if (0xd800..0xdc00).contains(&code) {
                    let low = unit(rest.strip_prefix("\\u")?)?;
                    rest = &rest[6..];
                    let low = (0xdc00..0xe000).contains(&low).then(|| low - 0xdc00)?;
                    code = 0x10000 + ((code - 0xd800) << 10) + low;
                }
                char::from_u32(code)?
            }
            kind => char::from(kind),
        });
    }
    said.push_str(rest);
    Some(said)
}

fn unit(digits: &str) -> Option<u32> {
    u32::from_str_radix(digits.get(..4)?, 16).ok()
}
