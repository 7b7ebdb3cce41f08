//! Where JSON values end, without looking into them.
//!
//! Owns: skipping over one value at memory speed. Refuses to know: what a message is, what a
//! value means, the grammar inside a value. Its answer is right for valid JSON. For any other text
//! the answer is *some* end or none, and code that replaces bytes checks the value first.
//!
//! Long values are scanned 64 bytes at a time, one bit a byte: which of them are quotes, which
//! are escaped, which brackets are outside of strings. A byte-wise loop mispredicts a branch
//! every few bytes, which made it three times slower on JSON and worse on JSON inside a string. Compilers make vectors of
//! it at level 3 alone, which this crate has in every profile.

/// Bytes that become one word of bits.
const BLOCK: usize = 64;

/// A string that is not over after this many bytes is taken for a long one, where blocks pay.
const SHORT_STRING: usize = 24;

/// Index of the first byte at or after `at` that is not JSON whitespace.
pub fn whitespace(bytes: &[u8], mut at: usize) -> usize {
    while matches!(bytes.get(at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
        at += 1;
    }
    at
}

/// Index after the value that starts at `at`. None: it does not end, or nothing like a value
/// starts there.
pub fn value(bytes: &[u8], at: usize) -> Option<usize> {
    match bytes.get(at)? {
        b'"' => string(bytes, at),
        b'{' | b'[' => container(bytes, at),
        _ => scalar(bytes, at),
    }
}

/// Index after the string whose opening quote is at `at`.
pub fn string(bytes: &[u8], at: usize) -> Option<usize> {
    let start = at + 1;
    for (index, byte) in bytes.get(start..)?.iter().take(SHORT_STRING).enumerate() {
        match byte {
            b'"' => return Some(start + index + 1),
            b'\\' => break,
            _ => {}
        }
    }
    let mut escapes = Escapes::default();
    for (index, block) in blocks(bytes, start).enumerate() {
        let quotes = equal(&block, 0xff, b'"') & !escapes.next(equal(&block, 0xff, b'\\'));
        if quotes != 0 {
            return Some(start + BLOCK * index + quotes.trailing_zeros() as usize + 1);
        }
    }
    None
}

/// Index after the array or object whose opening bracket is at `at`. Counts brackets: in valid
/// JSON they match.
fn container(bytes: &[u8], at: usize) -> Option<usize> {
    let mut escapes = Escapes::default();
    let mut inside = 0;
    let mut depth = 0;
    for (index, block) in blocks(bytes, at).enumerate() {
        let quotes = equal(&block, 0xff, b'"') & !escapes.next(equal(&block, 0xff, b'\\'));
        let in_string = alternate(quotes) ^ inside;
        // All ones if the block ends inside a string.
        inside = (in_string.cast_signed() >> 63).cast_unsigned();
        // Without bit 5, `{` is `[` and `}` is `]`.
        let opening = equal(&block, !0x20, b'[') & !in_string;
        let closing = equal(&block, !0x20, b']') & !in_string;
        if depth > closing.count_ones() as usize {
            depth += opening.count_ones() as usize;
            depth -= closing.count_ones() as usize;
            continue;
        }
        let mut brackets = opening | closing;
        while brackets != 0 {
            let bracket = brackets & brackets.wrapping_neg();
            if opening & bracket != 0 {
                depth += 1;
            } else {
                depth -= 1;
            }
            if depth == 0 {
                return Some(at + BLOCK * index + bracket.trailing_zeros() as usize + 1);
            }
            brackets ^= bracket;
        }
    }
    None
}

/// A number, `true`, `false`, `null`, or a text that a lenient parser might take for one (`NaN`).
fn scalar(bytes: &[u8], at: usize) -> Option<usize> {
    let length = bytes[at..]
        .iter()
        .take_while(|byte| !b",:]}[{\" \t\r\n\\".contains(byte))
        .count();
    (length > 0).then_some(at + length)
}

/// The bytes from `start` on, in blocks, the last one filled up with spaces.
fn blocks(bytes: &[u8], start: usize) -> impl Iterator<Item = [u8; BLOCK]> {
    let (whole, rest) = bytes[start..].as_chunks::<BLOCK>();
    let last = (!rest.is_empty()).then(|| {
        let mut block = [b' '; BLOCK];
        block[..rest.len()].copy_from_slice(rest);
        block
    });
    whole.iter().copied().chain(last)
}

/// One bit for each byte that is `byte` once the bits outside of `mask` are cleared. The first
/// byte is the lowest bit. The loop compiles to vector compares.
#[inline(always)]
fn equal(block: &[u8; BLOCK], mask: u8, byte: u8) -> u64 {
    let mut hits = [0u8; BLOCK];
    for (hit, of) in hits.iter_mut().zip(block) {
        *hit = u8::from(of & mask == byte);
    }
    let mut bits = 0;
    for (index, eight) in hits.as_chunks::<8>().0.iter().enumerate() {
        // Brings the lowest bit of each of the eight bytes together in the highest byte.
        let gathered = u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        bits |= gathered << (8 * index);
    }
    bits
}

/// Bits from each odd set bit up to the next: from an opening quote up to its closing one.
fn alternate(mut bits: u64) -> u64 {
    for shift in [1, 2, 4, 8, 16, 32] {
        bits ^= bits << shift;
    }
    bits
}

/// Finds the bytes that a backslash takes the meaning of, across blocks.
#[derive(Default)]
struct Escapes {
    /// 1 if the first byte of the next block is escaped.
    carried: u64,
}

impl Escapes {
    /// Which bytes of a block are escaped, given which are backslashes. A backslash escapes the
    /// next byte unless it is escaped itself, so of a run every other one does; adding the run's
    /// first bit to the run ripples through to where it ends.
    fn next(&mut self, backslashes: u64) -> u64 {
        const EVEN: u64 = 0x5555_5555_5555_5555;
        if backslashes == 0 {
            return std::mem::take(&mut self.carried);
        }
        let escaping = backslashes & !self.carried;
        let followers = escaping << 1 | self.carried;
        let odd_starts = escaping & !EVEN & !followers;
        let (runs_from_odd, overflowed) = odd_starts.overflowing_add(escaping);
        self.carried = u64::from(overflowed);
        (EVEN ^ (runs_from_odd << 1)) & followers
    }
}

/// JSON without the white space between its tokens.
pub fn compact(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    let (mut in_string, mut escaped) = (false, false);
    for c in json.chars() {
        if in_string {
            in_string = escaped || c != '"';
            escaped = !escaped && c == '\\';
        } else if c.is_ascii_whitespace() {
            continue;
        } else {
            in_string = c == '"';
        }
        out.push(c);
    }
    out
}
