//! Which form of a document costs a model the fewest tokens.
//!
//! Owns the comparison: exact counts of the host, up to a size. Refuses to know how a form is written.

/// The host counts the tokens of at most this many bytes at once.
const COUNTED_AT_ONCE_BYTES: usize = 64 * 1024;

/// Of longer texts the first so many bytes are counted: the rows after them are like them.
const COUNTED_BYTES: usize = 8 * COUNTED_AT_ONCE_BYTES;

/// Tables with fewer bytes than so many percent of the compact JSON have fewer tokens without counting: a
/// token of a table has at least two thirds of the bytes that one of JSON has.
const SURE_PERCENT: usize = 60;

/// Compact JSON of at least so many bytes that saves one byte in `SURE_SPACES` has fewer tokens without counting: below
/// that a space may be part of a token that stays.
const LEAST_BYTES: usize = 128;
const SURE_SPACES: usize = 10;

/// Whether JSON has fewer tokens without its spaces, by its length alone.
pub(crate) fn spaces_surely_cost(json_bytes: usize, compact_bytes: usize) -> bool {
    compact_bytes >= LEAST_BYTES && (json_bytes - compact_bytes) * SURE_SPACES > json_bytes
}

/// Whether a form with tables has fewer tokens than the JSON that it stands for, by its length alone.
pub(crate) fn surely_fewer(bytes: usize, json_bytes: usize) -> bool {
    bytes * 100 < json_bytes * SURE_PERCENT
}

/// Tokens of a text, for comparing it with another form of it: exact up to [`COUNTED_BYTES`].
pub(crate) fn tokens(text: &str) -> u64 {
    let (counted, _) = text.split_at(text.floor_char_boundary(COUNTED_BYTES));
    let mut rest = counted;
    let mut sum = 0;
    while !rest.is_empty() {
        let (part, after) = rest.split_at(rest.floor_char_boundary(COUNTED_AT_ONCE_BYTES));
        sum += u64::from(tamis_sdk::tokens(part));
        rest = after;
    }
    sum * text.len() as u64 / counted.len().max(1) as u64
}
