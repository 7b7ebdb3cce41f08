//! What a JSON string says.
//!
//! Text blocks that hold JSON have an escape every few bytes, so what is between two is copied sixteen bytes at a
//! time, more than is wanted, and written over by what comes next: that costs less than a call to copy a word.

/// Bytes that are copied at a time.
const COPIED: usize = 16;

/// What a JSON string, given with its quotes, says. None if it is not Unicode, or no such string.
pub fn unquote(quoted: &str) -> Option<String> {
    let inner = quoted.strip_prefix('"')?.strip_suffix('"')?.as_bytes();
    // An escape is never shorter than what it says; behind the last there is room for any character.
    let mut said = vec![0; inner.len() + COPIED];
    let (mut from, mut to) = (0, 0);
    loop {
        while let Some(chunk) = inner.get(from..).and_then(<[u8]>::first_chunk)
            && let Some(place) = said.get_mut(to..).and_then(<[u8]>::first_chunk_mut)
        {
            *place = *chunk;
            let plain = plain_bytes(chunk);
            from += plain;
            to += plain;
            if plain < COPIED {
                break;
            }
        }
        match inner.get(from) {
            None => break,
            Some(b'\\') => {
                if let Some(byte) = plain(*inner.get(from + 1)?) {
                    said[to] = byte;
                    from += 2;
                    to += 1;
                    continue;
                }
                if inner[from + 1] != b'u' {
                    return None;
                }
                let (character, after) = unicode(inner, from + 2)?;
                from = after;
                to += character.encode_utf8(&mut said[to..to + 4]).len();
            }
            Some(b'"' | ..0x20) => return None,
            Some(&byte) => {
                said[to] = byte;
                from += 1;
                to += 1;
            }
        }
    }
    said.truncate(to);
    String::from_utf8(said).ok()
}

/// How many of these bytes are before the first that ends a string, begins an escape, or is a control character.
#[cfg(target_arch = "wasm32")]
#[inline]
fn plain_bytes(bytes: &[u8; COPIED]) -> usize {
    use std::arch::wasm32::{u8x16_bitmask, u8x16_eq, u8x16_lt, u8x16_splat, u64x2, v128_or};

    let part = |half: &[u8]| half.first_chunk().map_or(0, |it| u64::from_le_bytes(*it));
    let (low, high) = bytes.split_at(COPIED / 2);
    let bytes = u64x2(part(low), part(high));
    let signs = v128_or(
        u8x16_eq(bytes, u8x16_splat(b'"')),
        u8x16_eq(bytes, u8x16_splat(b'\\')),
    );
    let stops = u8x16_bitmask(v128_or(signs, u8x16_lt(bytes, u8x16_splat(b' '))));
    (u32::from(stops) | 1 << COPIED).trailing_zeros() as usize
}

/// How many of these bytes are before the first that ends a string, begins an escape, or is a control character.
#[cfg(not(target_arch = "wasm32"))]
#[inline]
fn plain_bytes(bytes: &[u8; COPIED]) -> usize {
    use super::index::stops;

    let mut plain = 0;
    for part in bytes.as_chunks().0 {
        let first = stops(u64::from_le_bytes(*part)).trailing_zeros() / 8;
        plain += first as usize;
        if first < 8 {
            break;
        }
    }
    plain
}

/// The byte that a letter behind a backslash stands for; none for `u`, and for a letter that no escape has.
fn plain(letter: u8) -> Option<u8> {
    Some(match letter {
        b'"' | b'\\' | b'/' => letter,
        b'b' => 0x08,
        b'f' => 0x0c,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        _ => return None,
    })
}

/// The character of the escape whose digits begin at `at`, with the other half of a surrogate pair.
fn unicode(inner: &[u8], at: usize) -> Option<(char, usize)> {
    let unit = digits(inner, at)?;
    let after = at + 4;
    if !(0xd800..0xdc00).contains(&unit) {
        return Some((char::from_u32(unit)?, after));
    }
    if inner.get(after..after + 2)? != b"\\u" {
        return None;
    }
    let low = digits(inner, after + 2)?;
    let low = low.checked_sub(0xdc00).filter(|&low| low < 0x400)?;
    let code = 0x10000 + ((unit - 0xd800) << 10) + low;
    Some((char::from_u32(code)?, after + 6))
}

fn digits(inner: &[u8], at: usize) -> Option<u32> {
    let digits = inner.get(at..at + 4)?;
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    digits
        .iter()
        .try_fold(0, |code, byte| Some(code << 4 | digit(byte)?))
}
