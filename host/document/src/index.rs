//! Turns JSON text into the nodes of a tape, in one pass.
//!
//! Owns the grammar: exactly RFC 8259 as `serde_json` reads it when it ignores a value (a lone
//! `\ud800` and a number out of range are fine), with a limit on depth. Knows no documents.
//!
//! There is no recursion, and no allocation per node: one list of nodes and one stack of open
//! containers, both given by the caller, who may use them again. Strings and runs of spaces, most
//! of any JSON, are read eight bytes at a time, as one integer: a call into `memchr` costs more than
//! the usual key is long.

use thiserror::Error;

/// How deep JSON may nest: deep enough for `serde_json`'s own limit of 127, and for any real output.
pub const MAX_DEPTH: usize = 128;

/// One node, as the four words of the tape.
pub(super) type Words = [u32; 4];

pub(super) const NULL: u32 = 0;
pub(super) const FALSE: u32 = 1;
pub(super) const TRUE: u32 = 2;
pub(super) const NUMBER: u32 = 3;
pub(super) const STRING: u32 = 4;
pub(super) const KEY: u32 = 5;
pub(super) const ARRAY: u32 = 6;
pub(super) const OBJECT: u32 = 7;
pub(super) const KIND_MASK: u32 = 0xf;
pub(super) const ESCAPED: u32 = 1 << 4;
pub(super) const CHILDREN_SHIFT: u32 = 8;
/// More children than this are counted as this: the count has 24 bits.
pub(super) const MAX_CHILDREN: u32 = (1 << 24) - 1;

/// Why a text is not indexed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TapeError {
    /// The text is not JSON.
    #[error("not JSON at byte {at}: expected {expected}")]
    Syntax {
        /// Offset of the first byte that does not fit; the length of the text if it ends too soon.
        at: usize,
        /// What would have fitted.
        expected: &'static str,
    },
    /// The JSON nests too deep.
    #[error("too deep at byte {at}: nested more than {limit} deep")]
    TooDeep {
        /// Offset of the bracket that is one too many.
        at: usize,
        /// How deep JSON may nest here.
        limit: usize,
    },
    /// Offsets would not fit a `u32`.
    #[error("too long: {bytes} bytes, and an index reaches {} at most", u32::MAX)]
    TooLong {
        /// Length of the text.
        bytes: usize,
    },
}

impl TapeError {
    /// A short, stable name: `syntax`, `too-deep` or `too-long`.
    pub fn name(&self) -> &'static str {
        match self {
            TapeError::Syntax { .. } => "syntax",
            TapeError::TooDeep { .. } => "too-deep",
            TapeError::TooLong { .. } => "too-long",
        }
    }
}

/// A container that has begun and not ended.
#[derive(Clone, Copy)]
pub(super) struct Open {
    node: u32,
    children: u32,
    object: bool,
}

/// Appends the nodes of `text` to `nodes`, which the caller has emptied, as it has `open`.
pub(super) fn index(
    text: &str,
    max_depth: usize,
    nodes: &mut Vec<Words>,
    open: &mut Vec<Open>,
) -> Result<(), TapeError> {
    let bytes = text.as_bytes();
    if u32::try_from(bytes.len()).is_err() {
        return Err(TapeError::TooLong { bytes: bytes.len() });
    }
    // The container that the next value goes into. Around the root there is none.
    let mut within = Open {
        node: 0,
        children: 0,
        object: false,
    };
    let mut at = skip_whitespace(bytes, 0);
    loop {
        let node = nodes.len() as u32;
        let start = at as u32;
        match bytes.get(at) {
            Some(b'"') => {
                let (end, escaped) = string(bytes, at)?;
                nodes.push([STRING | escaped, start, end as u32, node + 1]);
                at = end;
            }
            Some(&bracket @ (b'{' | b'[')) => {
                if open.len() == max_depth {
                    return Err(TapeError::TooDeep {
                        at,
                        limit: max_depth,
                    });
                }
                let object = bracket == b'{';
                let kind = if object { OBJECT } else { ARRAY };
                let inner = skip_whitespace(bytes, at + 1);
                // The closing brackets lie two after the opening ones in ASCII.
                if bytes.get(inner) == Some(&(bracket + 2)) {
                    at = inner + 1;
                    nodes.push([kind, start, at as u32, node + 1]);
                } else {
                    nodes.push([kind, start, 0, 0]);
                    open.push(within);
                    within = Open {
                        node,
                        children: 1,
                        object,
                    };
                    at = if object {
                        key(bytes, inner, nodes)?
                    } else {
                        inner
                    };
                    continue;
                }
            }
            Some(b'-' | b'0'..=b'9') => {
                at = number(bytes, at)?;
                nodes.push([NUMBER, start, at as u32, node + 1]);
            }
            Some(b'n') => {
                at = literal(bytes, at, b"null", "`null`")?;
                nodes.push([NULL, start, at as u32, node + 1]);
            }
            Some(b't') => {
                at = literal(bytes, at, b"true", "`true`")?;
                nodes.push([TRUE, start, at as u32, node + 1]);
            }
            Some(b'f') => {
                at = literal(bytes, at, b"false", "`false`")?;
                nodes.push([FALSE, start, at as u32, node + 1]);
            }
            _ => return Err(syntax(at, "a value")),
        }
        loop {
            at = skip_whitespace(bytes, at);
            if open.is_empty() {
                return if at == bytes.len() {
                    Ok(())
                } else {
                    Err(syntax(at, "the end"))
                };
            }
            let byte = bytes.get(at).copied();
            if byte == Some(b',') {
                within.children += 1;
                at = skip_whitespace(bytes, at + 1);
                if within.object {
                    at = key(bytes, at, nodes)?;
                }
                break;
            }
            let (kind, closing, expected) = if within.object {
                (OBJECT, b'}', "`,` or `}`")
            } else {
                (ARRAY, b']', "`,` or `]`")
            };
            if byte != Some(closing) {
                return Err(syntax(at, expected));
            }
            at += 1;
            let next = nodes.len() as u32;
            let closed = within.node as usize;
            let children = within.children.min(MAX_CHILDREN);
            nodes[closed][0] = kind | children << CHILDREN_SHIFT;
            nodes[closed][2] = at as u32;
            nodes[closed][3] = next;
            within = open.pop().unwrap_or(within);
            if within.object {
                nodes[closed - 1][3] = next;
            }
        }
    }
}

fn syntax(at: usize, expected: &'static str) -> TapeError {
    TapeError::Syntax { at, expected }
}

/// Reads a key and its colon; gives where the value begins.
#[inline(always)]
fn key(bytes: &[u8], at: usize, nodes: &mut Vec<Words>) -> Result<usize, TapeError> {
    if bytes.get(at) != Some(&b'"') {
        return Err(syntax(at, "a key"));
    }
    let (end, escaped) = string(bytes, at)?;
    // Right for a scalar; a container puts its key right when it closes.
    let next = nodes.len() as u32 + 2;
    nodes.push([KEY | escaped, at as u32, end as u32, next]);
    let colon = skip_whitespace(bytes, end);
    if bytes.get(colon) != Some(&b':') {
        return Err(syntax(colon, "`:`"));
    }
    Ok(skip_whitespace(bytes, colon + 1))
}

const fn repeat(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

#[inline(always)]
pub(super) fn eight(bytes: &[u8], at: usize) -> Option<u64> {
    let chunk = bytes.get(at..at.checked_add(8)?)?;
    chunk.first_chunk().map(|chunk| u64::from_le_bytes(*chunk))
}

#[inline(always)]
fn skip_whitespace(bytes: &[u8], mut at: usize) -> usize {
    // Compact JSON has none.
    match bytes.get(at) {
        Some(0..=b' ') => {}
        _ => return at,
    }
    while let Some(b' ' | b'\n' | b'\r' | b'\t') = bytes.get(at) {
        at += 1;
        // One space after a colon is no run.
        if bytes.get(at) != Some(&b' ') {
            continue;
        }
        // Indentation: whole runs of spaces.
        while let Some(chunk) = eight(bytes, at) {
            let other = (chunk ^ repeat(b' ')).trailing_zeros() / 8;
            at += other as usize;
            if other < 8 {
                break;
            }
        }
    }
    at
}

/// Reads the string that opens at `open`; gives where it ends, and `ESCAPED` if it has escapes.
#[inline(always)]
fn string(bytes: &[u8], open: usize) -> Result<(usize, u32), TapeError> {
    let mut at = open + 1;
    let mut escaped = 0;
    loop {
        if let Some(chunk) = eight(bytes, at) {
            let stops = stops(chunk);
            if stops == 0 {
                at += 8;
                continue;
            }
            at += (stops.trailing_zeros() / 8) as usize;
        }
        match bytes.get(at) {
            Some(b'"') => return Ok((at + 1, escaped)),
            Some(b'\\') => {
                at = escape(bytes, at)?;
                escaped = ESCAPED;
            }
            Some(0x20..) => at += 1,
            Some(_) => return Err(syntax(at, "no control character in a string")),
            None => return Err(syntax(at, "`\"`")),
        }
    }
}

/// The top bit of each byte that ends a plain run in a string: quote, backslash, control character.
///
/// A borrow can also set the bit of a byte *above* one that is meant: only the lowest bit counts.
#[inline(always)]
pub(super) fn stops(chunk: u64) -> u64 {
    let quote = chunk ^ repeat(b'"');
    let backslash = chunk ^ repeat(b'\\');
    let quote = quote.wrapping_sub(repeat(1)) & !quote;
    let backslash = backslash.wrapping_sub(repeat(1)) & !backslash;
    let control = chunk.wrapping_sub(repeat(b' ')) & !chunk;
    (quote | backslash | control) & repeat(0x80)
}

/// Reads the escape at `at`; gives where it ends.
fn escape(bytes: &[u8], at: usize) -> Result<usize, TapeError> {
    match bytes.get(at + 1) {
        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(at + 2),
        Some(b'u') => {
            let digits = at + 2..at + 6;
            match digits
                .clone()
                .find(|&i| !bytes.get(i).is_some_and(u8::is_ascii_hexdigit))
            {
                None => Ok(digits.end),
                Some(other) => Err(syntax(other, "a hexadecimal digit")),
            }
        }
        _ => Err(syntax(at + 1, "an escape")),
    }
}

/// Reads the number at `at`, which is `-` or a digit; gives where it ends.
#[inline(always)]
fn number(bytes: &[u8], mut at: usize) -> Result<usize, TapeError> {
    if bytes.get(at) == Some(&b'-') {
        at += 1;
    }
    // After a leading zero no digit may follow: whatever reads on refuses one.
    at = if bytes.get(at) == Some(&b'0') {
        at + 1
    } else {
        digits(bytes, at)?
    };
    if bytes.get(at) == Some(&b'.') {
        at = digits(bytes, at + 1)?;
    }
    if let Some(b'e' | b'E') = bytes.get(at) {
        at += 1;
        if let Some(b'+' | b'-') = bytes.get(at) {
            at += 1;
        }
        at = digits(bytes, at)?;
    }
    Ok(at)
}

/// Reads one or more digits.
#[inline(always)]
fn digits(bytes: &[u8], start: usize) -> Result<usize, TapeError> {
    let mut at = start;
    while let Some(b'0'..=b'9') = bytes.get(at) {
        at += 1;
    }
    if at == start {
        Err(syntax(at, "a digit"))
    } else {
        Ok(at)
    }
}

#[inline(always)]
fn literal<const N: usize>(
    bytes: &[u8],
    at: usize,
    word: &[u8; N],
    expected: &'static str,
) -> Result<usize, TapeError> {
    if bytes.get(at..).and_then(<[u8]>::first_chunk) == Some(word) {
        Ok(at + N)
    } else {
        Err(syntax(at, expected))
    }
}
