//! Decodes characters to bytes, and judges whether they really encode bytes.

use crate::media;
use std::borrow::Cow;

/// The alphabets of base64 (RFC 4648, sections 4 and 5).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Alphabet {
    Standard,
    Url,
}

/// The decoded bytes.
#[derive(Debug)]
pub struct Decoded {
    pub bytes: usize,
    /// Their media type, or a word for their kind.
    pub media: Cow<'static, str>,
}

/// Decodes base64 without other characters. None if a character is not in the alphabet, if the length or the padding is
/// wrong, or if a spare bit is set.
pub fn base64(text: &[u8], alphabet: Alphabet) -> Option<Vec<u8>> {
    let padding = text.iter().rev().take_while(|byte| **byte == b'=').count();
    let digits = &text[..text.len() - padding];
    let whole = match (alphabet, padding) {
        // URLs sometimes omit the padding.
        (Alphabet::Url, 0) => digits.len() % 4 != 1,
        _ => padding <= 2 && text.len().is_multiple_of(4),
    };
    if !whole {
        return None;
    }
    let mut bytes = Vec::with_capacity(digits.len() / 4 * 3 + 2);
    let (mut bits, mut held) = (0u32, 0);
    for &digit in digits {
        bits = bits << 6 | u32::from(value(digit, alphabet)?);
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
            bits &= (1 << held) - 1;
        }
    }
    (bits == 0).then_some(bytes)
}

fn value(digit: u8, alphabet: Alphabet) -> Option<u8> {
    Some(match (digit, alphabet) {
        (b'A'..=b'Z', _) => digit - b'A',
        (b'a'..=b'z', _) => digit - b'a' + 26,
        (b'0'..=b'9', _) => digit - b'0' + 52,
        (b'+', Alphabet::Standard) | (b'-', Alphabet::Url) => 62,
        (b'/', Alphabet::Standard) | (b'_', Alphabet::Url) => 63,
        _ => return None,
    })
}

/// Decodes hexadecimal digits, two a byte, all of one case.
pub fn hex(text: &[u8]) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(2) {
        return None;
    }
    let (upper, lower) = (
        text.iter().any(u8::is_ascii_uppercase),
        text.iter().any(u8::is_ascii_lowercase),
    );
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let pair = |pair: &[u8]| Some((digit(pair[0])? * 16 + digit(pair[1])?) as u8);
    let bytes: Option<Vec<u8>> = text.chunks_exact(2).map(pair).collect();
    bytes.filter(|_| !(upper && lower))
}

/// Average bits a symbol of a text: 6 for equal parts of all 64 symbols of base64, about 4.3 for words.
fn entropy(text: &[u8]) -> f64 {
    let mut counts = [0u32; 256];
    for byte in text {
        counts[usize::from(*byte)] += 1;
    }
    let all = text.len().max(1) as f64;
    let parts = counts.iter().filter(|count| **count > 0);
    parts
        .map(|count| {
            let part = f64::from(*count) / all;
            -part * part.log2()
        })
        .sum()
}

/// Least bits a symbol of base64 whose bytes have no known beginning. Hexadecimal digits have at most 4, joined words
/// and names less than 4.8, random bytes 5.8 in 512 symbols.
const LEAST_ENTROPY: f64 = 5.0;
/// The same for bytes of hexadecimal digits: random bytes have 7 in 200, text 4.
const LEAST_HEX_ENTROPY: f64 = 3.0;

/// Decodes base64, if it is believable that the text is base64. `announced`: a `data:` URI declares it.
pub fn believable_base64(text: &[u8], alphabet: Alphabet, announced: bool) -> Option<Decoded> {
    // Joined words and names, and hashes and keys in hexadecimal, lack one of these kinds.
    let has = |is: fn(&u8) -> bool| text.iter().any(is);
    let is_mixed =
        has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase) && has(u8::is_ascii_digit);
    if !announced && !is_mixed {
        return None;
    }
    let bytes = base64(text, alphabet)?;
    let known = media::sniffed(&bytes);
    // Random letters and digits are almost never UTF-8.
    let known = known.or_else(|| media::is_text(&bytes).then_some("text"));
    // Identifiers and tokens of letters and digits have no sign among hundreds of characters.
    let signs = |byte: &u8| matches!(byte, b'+' | b'/' | b'-' | b'_');
    let is_binary = || has(signs) && entropy(text) >= LEAST_ENTROPY;
    if known.is_none() && !announced && !is_binary() {
        return None;
    }
    Some(Decoded {
        bytes: bytes.len(),
        media: Cow::Borrowed(known.unwrap_or("binary")),
    })
}

/// The same for hexadecimal digits.
pub fn believable_hex(text: &[u8]) -> Option<Decoded> {
    let bytes = hex(text)?;
    let known = media::sniffed(&bytes);
    if known.is_none() && entropy(&bytes) < LEAST_HEX_ENTROPY {
        return None;
    }
    Some(Decoded {
        bytes: bytes.len(),
        media: Cow::Borrowed(of(&bytes)),
    })
}

/// A word for the kind of bytes.
pub fn of(bytes: &[u8]) -> &'static str {
    let text = || media::is_text(bytes).then_some("text");
    media::sniffed(bytes).or_else(text).unwrap_or("binary")
}
