//! Looks for bytes eight at a time, and copies short texts without a call.
//!
//! In WebAssembly each round of a loop checks the deadline, and each copy of unknown length is a call of the host. So
//! texts of a few bytes, as cells are, are handled as words of eight.

const LOW: u64 = u64::MAX / 255;
const HIGH: u64 = LOW << 7;

/// Marks of the bytes that are this one: the lowest mark is right, those above it may be wrong.
pub(crate) fn has(word: u64, byte: u8) -> u64 {
    let differs = word ^ (LOW * byte as u64);
    differs.wrapping_sub(LOW) & !differs & HIGH
}

/// The same for control characters.
pub(crate) fn has_below_space(word: u64) -> u64 {
    word.wrapping_sub(LOW * 0x20) & !word & HIGH
}

/// The first byte that is marked.
pub(crate) fn position(text: &[u8], marks: impl Fn(u64) -> u64) -> Option<usize> {
    let (words, rest) = text.as_chunks::<8>();
    let first = |marks: u64| (marks.trailing_zeros() / 8) as usize;
    for (at, word) in words.iter().enumerate() {
        let marks = marks(u64::from_le_bytes(*word));
        if marks != 0 {
            return Some(8 * at + first(marks));
        }
    }
    if rest.is_empty() {
        return None;
    }
    let mut word = [0xff; 8];
    rest.iter()
        .zip(&mut word)
        .for_each(|(from, to)| *to = *from);
    let marks = marks(u64::from_le_bytes(word));
    (marks != 0).then(|| 8 * words.len() + first(marks))
}

/// Appends a text that is likely short.
pub(crate) fn append(out: &mut Vec<u8>, text: &[u8]) {
    const LONG: usize = 64;
    if text.len() > LONG {
        out.extend_from_slice(text);
        return;
    }
    let (words, mut rest) = text.as_chunks::<8>();
    for word in words {
        out.extend_from_slice(word);
    }
    if let Some((four, more)) = rest.split_first_chunk::<4>() {
        out.extend_from_slice(four);
        rest = more;
    }
    if let Some((two, more)) = rest.split_first_chunk::<2>() {
        out.extend_from_slice(two);
        rest = more;
    }
    if let [one] = rest {
        out.push(*one);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_those_of_a_loop() {
        let alphabet = [
            b'a', b'"', b'\\', 0, 0x1f, 0x20, 0x7f, 0x80, 0xff, b'!', b'#', 0xa2,
        ];
        let mut seed = 1_u64;
        let mut next = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) as usize
        };
        for length in 0..40 {
            for _ in 0..500 {
                let text: Vec<u8> = (0..length)
                    .map(|_| {
                        if next() % 4 > 0 {
                            b'x'
                        } else {
                            alphabet[next() % alphabet.len()]
                        }
                    })
                    .collect();
                let quote = position(&text, |word| has(word, b'"'));
                assert_eq!(
                    quote,
                    text.iter().position(|byte| *byte == b'"'),
                    "{text:?}"
                );
                let control = position(&text, |word| has_below_space(word) | has(word, b'\\'));
                let is_marked = |byte: &u8| *byte < 0x20 || *byte == b'\\';
                assert_eq!(control, text.iter().position(is_marked), "{text:?}");
                let mut out = b"before".to_vec();
                append(&mut out, &text);
                assert_eq!(out, [b"before", &text[..]].concat());
            }
        }
    }
}
