//! Looks at bytes eight at a time, and copies short texts without a call.
//!
//! A word is eight bytes, the first of them the lowest. A mark is the highest bit of a byte.
//!
//! In WebAssembly each round of a loop checks the deadline, and each copy of unknown length is a call of the host. So
//! texts of a few bytes, as cells are, are handled as words of eight.

use crate::Sixteen;

/// A word whose bytes are 1.
pub const LOW: u64 = u64::MAX / 255;
/// All marks.
pub const HIGH: u64 = LOW << 7;

/// Marks of the bytes that are this one: the lowest mark is right, those above it may be wrong.
pub fn has(word: u64, byte: u8) -> u64 {
    let differs = word ^ (LOW * byte as u64);
    differs.wrapping_sub(LOW) & !differs & HIGH
}

/// The same for control characters.
pub fn has_below_space(word: u64) -> u64 {
    word.wrapping_sub(LOW * 0x20) & !word & HIGH
}

/// Marks of the bytes that are no digits, all of them right.
pub fn has_no_digit(word: u64) -> u64 {
    let word = word ^ (LOW * b'0' as u64);
    // Each byte by itself: the sum has no carry into the next.
    (((word & !HIGH) + LOW * (0x80 - 10)) | word) & HIGH
}

/// Marks of the bytes that are not zero, all of them right.
pub fn has_any(word: u64) -> u64 {
    (((word & !HIGH) + !HIGH) | word) & HIGH
}

/// The number of eight digits. Zeros stand for leading digits.
pub fn decimal(word: u64) -> u32 {
    let pairs = (word & (LOW * 0x0f)).wrapping_mul(10 << 8 | 1) >> 8;
    let fours = (pairs & 0x00ff_00ff_00ff_00ff).wrapping_mul(100 << 16 | 1) >> 16;
    ((fours & 0x0000_ffff_0000_ffff).wrapping_mul(10_000 << 32 | 1) >> 32) as u32
}

/// The place of the first mark.
pub fn first(marks: u64) -> usize {
    (marks.trailing_zeros() / 8) as usize
}

/// The first byte that is marked.
pub fn position(text: &[u8], marks: impl Fn(u64) -> u64) -> Option<usize> {
    let (words, rest) = text.as_chunks::<8>();
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

/// How often a byte occurs.
pub fn count(text: &[u8], byte: u8) -> usize {
    count_bits(text, |bytes| bytes.are(byte))
}

/// The number of characters in a text.
pub fn characters(text: &str) -> usize {
    let continued = |bytes: Sixteen| bytes.between(0x80, 0xbf);
    text.len() - count_bits(text.as_bytes(), continued)
}

/// The number of characters in a text as JSON spells it, without its quotes.
pub fn spelled_characters(text: &str) -> usize {
    let bytes = text.as_bytes();
    let marked = |bytes: Sixteen| bytes.between(0x80, 0xbf) | bytes.are(b'\\');
    // Each escape is counted without its backslash, and so is each character without its further bytes.
    let counted = text.len() - count_bits(bytes, marked);
    if counted == text.len() {
        return counted;
    }
    let digits = |at: usize| bytes.get(at + 2..at + 6).unwrap_or_default();
    let surrogate = |at: usize, kinds: &[u8]| matches!(digits(at), [b'd' | b'D', kind, ..] if kinds.contains(&kind.to_ascii_lowercase()));
    let (mut more, mut less) = (0, 0);
    let mut at = 0;
    while let Some(found) = position(&bytes[at..], |word| has(word, b'\\')) {
        at += found;
        match bytes.get(at + 1) {
            Some(b'\\') => more += 1,
            Some(b'u') => {
                less += 4;
                let is_next = bytes.get(at + 6..at + 8) == Some(b"\\u");
                // Two halves are one character.
                if surrogate(at, b"89ab") && is_next && surrogate(at + 6, b"cdef") {
                    less += 5;
                    at += 6;
                }
            }
            _ => {}
        }
        at = (at + 2).min(bytes.len());
    }
    (counted + more).saturating_sub(less)
}

/// A cell without these bytes, which are ASCII, at its ends.
#[inline]
pub(crate) fn without<'t>(cell: &'t str, blanks: &[u8]) -> &'t str {
    let is_ink = |byte: &u8| !blanks.contains(byte);
    let bytes = cell.as_bytes();
    let start = bytes.iter().position(is_ink).unwrap_or(bytes.len());
    let end = bytes.iter().rposition(is_ink);
    &cell[start..end.map_or(start, |last| last + 1)]
}

/// Whether some sixteen bytes have a bit. No byte behind the end of the text may have one: it is 0.
#[inline]
pub fn has_any_of(text: &[u8], of: impl Fn(Sixteen) -> u32) -> bool {
    let (blocks, rest) = text.as_chunks();
    blocks.iter().any(|block| of(Sixteen::of(block)) != 0)
        || !rest.is_empty() && of(sixteen(text, text.len() - rest.len()).0) != 0
}

/// Whether all characters of a text are of ASCII.
#[inline]
pub fn is_ascii(text: &str) -> bool {
    !has_any_of(text.as_bytes(), Sixteen::are_high)
}

/// Whether a text has one of these signs: one copy of code for all that look for a few.
#[inline(never)]
pub fn has_sign(text: &str, signs: &[u8]) -> bool {
    let are_signs = |bytes: Sixteen| {
        let signs = signs.iter();
        signs.fold(0, |bits, sign| bits | bytes.are(*sign))
    };
    has_any_of(text.as_bytes(), are_signs)
}

/// Whether a sign, which is not 0, stands twice in a row in a text.
#[inline(never)]
pub fn has_pair(text: &str, sign: u8) -> bool {
    let text = text.as_bytes();
    let mut at = 0;
    while at + 1 < text.len() {
        let (bytes, before) = sixteen(text, at);
        let bits = bytes.are(sign) >> before;
        if bits & bits >> 1 != 0 {
            return true;
        }
        // The last of these bytes is the first of the next ones.
        at += 15;
    }
    false
}

/// Whether a text may have one of these parts of three small letters or signs, in whatever case: some other signs are
/// taken for them.
#[inline(never)]
pub fn has_triple(text: &str, parts: &[[u8; 3]]) -> bool {
    let text = text.as_bytes();
    let mut at = 0;
    while at + 2 < text.len() {
        let (bytes, before) = sixteen(text, at);
        let bytes = bytes.lower();
        let places = |sign: u8| bytes.are(sign) >> before;
        // Most texts have few of the first letters.
        let begins = |part: &[u8; 3]| {
            let mut found = places(part[0]);
            if found != 0 {
                found &= places(part[1]) >> 1;
            }
            if found != 0 {
                found &= places(part[2]) >> 2;
            }
            found != 0
        };
        if parts.iter().any(begins) {
            return true;
        }
        // The last two of these bytes are the first of the next ones.
        at += 14;
    }
    false
}

/// The place of the first byte from `at` on that has a bit; the length of the text if none has. No byte behind the end of
/// the text may have one: it is 0.
#[inline]
pub fn place_from(text: &[u8], at: usize, of: impl Fn(Sixteen) -> u32) -> usize {
    let mut at = at;
    while at < text.len() {
        let (bytes, before) = sixteen(text, at);
        let bits = of(bytes) >> before;
        if bits != 0 {
            return at + bits.trailing_zeros() as usize;
        }
        at += 16;
    }
    text.len()
}

/// The number of bits that sixteen bytes each have.
#[inline]
pub fn count_bits(text: &[u8], of: impl Fn(Sixteen) -> u32) -> usize {
    let (blocks, rest) = text.as_chunks();
    let counts = blocks
        .iter()
        .map(|block| of(Sixteen::of(block)).count_ones());
    let mut count = counts.sum::<u32>();
    if !rest.is_empty() {
        let (bytes, before) = sixteen(text, text.len() - rest.len());
        let inside = (1 << rest.len()) - 1;
        count += (of(bytes) >> before & inside).count_ones();
    }
    count as usize
}

/// A text of at most eight bytes, and zeros behind it; none for a longer one.
#[inline]
pub fn short(text: &[u8]) -> Option<u64> {
    let length = text.len();
    if let Ok(word) = text.try_into() {
        return Some(u64::from_le_bytes(word));
    }
    if length > 8 {
        return None;
    }
    if let (Some(first), Some(last)) = (text.first_chunk(), text.last_chunk()) {
        // The last four overlap the first four.
        let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
        return Some(u64::from(first) | u64::from(last) << (8 * (length - 4)));
    }
    let byte = |at: usize| text.get(at).map_or(0, |byte| u64::from(*byte) << (8 * at));
    Some(byte(0) | byte(1) | byte(2))
}

/// Eight bytes of a line from `at`, which is not behind its end, and zeros behind its end.
#[inline]
pub fn eight(line: &[u8], at: usize) -> u64 {
    if let Some(part) = line.get(at..).and_then(<[u8]>::first_chunk) {
        return u64::from_le_bytes(*part);
    }
    match line.last_chunk() {
        Some(last) => u64::from_le_bytes(*last) >> (8 * (at + 8 - line.len())),
        None => short(&line[at..]).unwrap_or_default(),
    }
}

/// Sixteen bytes of a line from `at`, which is before its end, and how many bytes before `at` are among them.
#[inline]
pub fn sixteen(line: &[u8], at: usize) -> (Sixteen, usize) {
    if let Some(next) = line.get(at..).and_then(<[u8]>::first_chunk) {
        return (Sixteen::of(next), 0);
    }
    match line.last_chunk() {
        Some(last) => (Sixteen::of(last), at + 16 - line.len()),
        None => (few(line), at),
    }
}

/// The bytes of a line that has less than sixteen. A call, since each loop that looks at lines would have it inside.
#[inline(never)]
fn few(line: &[u8]) -> Sixteen {
    let (Some(first), Some(last)) = (line.first_chunk(), line.last_chunk()) else {
        return Sixteen::of_parts(short(line).unwrap_or_default(), 0);
    };
    // The last eight bytes overlap the first ones, of which they have one at least.
    let high = u64::from_le_bytes(*last) >> 8 >> (8 * (15 - line.len()));
    Sixteen::of_parts(u64::from_le_bytes(*first), high)
}

/// The bits of the first `length` bytes, at most eight.
#[inline]
pub fn first_bytes(length: usize) -> u64 {
    if length < 8 {
        (1 << (8 * length)) - 1
    } else {
        u64::MAX
    }
}

/// Appends the first `length` bytes of a word.
#[inline]
pub fn append_word(out: &mut Vec<u8>, word: u64, length: usize) {
    let end = out.len() + length;
    out.extend_from_slice(&word.to_le_bytes());
    out.truncate(end);
}

/// Appends a text that is likely short.
#[inline]
pub fn append(out: &mut Vec<u8>, text: &[u8]) {
    const LONG: usize = 64;
    if let Some(word) = short(text) {
        append_word(out, word, text.len());
        return;
    }
    match text.last_chunk::<8>() {
        Some(last) if text.len() <= LONG => {
            let end = out.len() + text.len();
            for word in text.as_chunks::<8>().0 {
                out.extend_from_slice(word);
            }
            // The last eight bytes overlap those before.
            out.truncate(end - 8);
            out.extend_from_slice(last);
        }
        _ => out.extend_from_slice(text),
    }
}

/// Whether two texts are the same: quicker than a call of `memcmp`, which WebAssembly lacks, for short ones.
#[inline]
pub fn same(one: impl AsRef<[u8]>, other: impl AsRef<[u8]>) -> bool {
    let (one, other) = (one.as_ref(), other.as_ref());
    if one.len() != other.len() {
        return false;
    }
    let is_same =
        |one: &[u8; 8], other: &[u8; 8]| u64::from_le_bytes(*one) == u64::from_le_bytes(*other);
    // The last eight bytes overlap those before.
    if let (Some(one_last), Some(other_last)) = (one.last_chunk(), other.last_chunk()) {
        let pairs = one.as_chunks::<8>().0.iter().zip(other.as_chunks::<8>().0);
        return is_same(one_last, other_last)
            && pairs.into_iter().all(|(one, other)| is_same(one, other));
    }
    if let (Some(one_first), Some(other_first)) = (one.first_chunk::<4>(), other.first_chunk::<4>())
    {
        return one_first == other_first && one.last_chunk::<4>() == other.last_chunk::<4>();
    }
    one.iter().zip(other).all(|(one, other)| one == other)
}

/// Whether no two of these names are equal.
#[inline(never)]
pub fn are_distinct(names: Vec<&str>) -> bool {
    // Of few names, a look at each pair is faster than a sort.
    const FEW: usize = 12;
    if names.len() <= FEW {
        let end = |name: &str| (name.len(), name.as_bytes().last().copied());
        let mut all = names.iter().enumerate();
        return all.all(|(at, name)| {
            let mut others = names[at + 1..].iter();
            // Most names differ in their lengths or their last bytes.
            !others.any(|other| end(other) == end(name) && same(other, name))
        });
    }
    // Most have numbers of their own.
    let mut slots = vec![0; (4 * names.len()).next_power_of_two()];
    let has_own = |name: &&str| {
        let of_name = number(name.as_bytes());
        let mut slot = of_name as usize;
        loop {
            slot &= slots.len() - 1;
            match slots[slot] {
                0 => break,
                known if known == of_name => return false,
                _ => slot += 1,
            }
        }
        slots[slot] = of_name;
        true
    };
    if names.iter().all(has_own) {
        return true;
    }
    let mut names: Vec<&[u8]> = names.into_iter().map(str::as_bytes).collect();
    sort(&mut names);
    names.windows(2).all(|pair| pair[0] != pair[1])
}

/// A number that equal names share, and few others; not 0.
fn number(name: &[u8]) -> u64 {
    let mut number = name.len() as u64;
    for at in (0..name.len()).step_by(8) {
        let mixed = (number ^ eight(name, at)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        number = mixed ^ mixed >> 32;
    }
    number | 1 << 63
}

/// Sorts names: once for all, because a sort takes much code. Tables are written with the same sort, of bytes.
#[inline(never)]
pub(crate) fn sort(names: &mut [&[u8]]) {
    names.sort_unstable();
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
                let quotes = text.iter().filter(|byte| **byte == b'"').count();
                assert_eq!(count(&text, b'"'), quotes, "{text:?}");
                if let Ok(text) = str::from_utf8(&text) {
                    assert_eq!(has_pair(text, b'x'), text.contains("xx"), "{text:?}");
                    assert_eq!(has_pair(text, b'"'), text.contains("\"\""), "{text:?}");
                }
                let mut out = b"before".to_vec();
                append(&mut out, &text);
                assert_eq!(out, [b"before", &text[..]].concat());
            }
        }
    }

    #[test]
    fn characters_are_those_of_the_standard_library() {
        let text = "a\u{7f}é\u{7ff}€\u{ffff}𝄞 ".repeat(5);
        for (start, _) in text.char_indices() {
            for (end, _) in text.char_indices().filter(|(end, _)| *end >= start) {
                let part = &text[start..end];
                assert_eq!(characters(part), part.chars().count(), "{part:?}");
            }
        }
    }

    #[test]
    fn spelled_characters_are_counted_as_they_are_read() {
        let parts = [
            "a",
            "é",
            "\\n",
            "\\\\",
            "\\\"",
            "\\u00e9",
            "\\ud83d\\ude00",
            "𝄞",
            "u",
        ];
        let (pairs, lone) = (0..parts.len().pow(4), ["\\ud83d", "\\ude00\\ud83d"]);
        for number in pairs {
            let digit = |place: u32| parts[number / parts.len().pow(place) % parts.len()];
            let text = [0, 1, 2, 3].map(digit).concat();
            let read: String = serde_json::from_str(&format!("\"{text}\"")).expect("JSON");
            assert_eq!(spelled_characters(&text), read.chars().count(), "{text}");
        }
        // Half a character without the other is one.
        assert_eq!(lone.map(spelled_characters), [1, 2]);
        assert_eq!(spelled_characters(&"a\\n".repeat(30)), 60);
    }

    #[test]
    fn marks_of_which_all_are_right() {
        let marks = |word: u64, is: &dyn Fn(u8) -> bool| {
            let mark = |byte: u8| if is(byte) { 0x80 } else { 0 };
            u64::from_le_bytes(word.to_le_bytes().map(mark))
        };
        let mut word = 1_u64;
        for at in 0..100_000 {
            word = word
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(at);
            // Bytes near the limits are the most likely to be wrong.
            let near = (word & (LOW * 0x0f)) | (LOW * [0x30, 0, 0x80, 0xb0][at as usize % 4]);
            for word in [word, near] {
                assert_eq!(has_no_digit(word), marks(word, &|it| !it.is_ascii_digit()));
                assert_eq!(has_any(word), marks(word, &|it| it != 0));
            }
            let number = word as u32 % 100_000_000;
            let digits: [u8; 8] = format!("{number:08}")
                .into_bytes()
                .try_into()
                .expect("eight");
            assert_eq!(decimal(u64::from_le_bytes(digits)), number);
        }
    }
}
