//! The choice of the form of a document that costs a model the fewest tokens.
//!
//! Owns the comparison: exact counts of the host, up to a size. Refuses to know the forms.

/// The host counts the tokens of at most this many bytes at once.
const COUNTED_AT_ONCE_BYTES: usize = 64 * 1024;

/// The first bytes of a longer text are counted, up to this many: the rows after them are similar.
const COUNTED_BYTES: usize = 8 * COUNTED_AT_ONCE_BYTES;

/// Tables with fewer bytes than this percentage of the compact JSON surely have fewer tokens: a token of a table has at
/// least two thirds of the bytes of a token of JSON.
const SURE_PERCENT: usize = 60;

/// Compact JSON of at least this many bytes that saves one byte in `SURE_SPACES` has fewer tokens without counting. In
/// shorter JSON, a space may be part of a token that stays.
const LEAST_BYTES: usize = 128;
const SURE_SPACES: usize = 10;

/// Whether JSON surely has fewer tokens without its spaces, by its length alone.
pub(crate) fn spaces_surely_cost(json_bytes: usize, compact_bytes: usize) -> bool {
    compact_bytes >= LEAST_BYTES && (json_bytes - compact_bytes) * SURE_SPACES > json_bytes
}

/// Whether a form with tables surely has fewer tokens than its JSON, by its length alone.
pub(crate) fn surely_fewer(bytes: usize, json_bytes: usize) -> bool {
    bytes * 100 < json_bytes * SURE_PERCENT
}

/// Tokens of a text, for comparison with another form of it: exact up to [`COUNTED_BYTES`].
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
