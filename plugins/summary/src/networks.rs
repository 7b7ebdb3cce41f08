//! Addresses of IPv4, of which ports and hosts differ on most lines: `127.0.0.1:6379`, `10.0.3.17`.
//!
//! Owns their form, and which part of one is its network. Refuses to know lines.

use tamis_formats::words::has;

/// The network of an address, with a port or without: its first number.
pub fn network(word: &[u8]) -> Option<u64> {
    let is_digit = |at: usize| word.get(at).is_some_and(u8::is_ascii_digit);
    // Most words do not begin with a digit, and most others have no point near it.
    let four = u32::from_le_bytes(*word.first_chunk()?);
    if !is_digit(0) || has(four.into(), b'.') == 0 {
        return None;
    }
    let (mut at, mut first) = (0, 0);
    for part in 0..4 {
        let mut number = 0;
        let start = at;
        while is_digit(at) && at - start < 3 {
            number = number * 10 + u64::from(word[at] - b'0');
            at += 1;
        }
        let is_end = match part {
            3 => !is_digit(at) && word.get(at) != Some(&b'.'),
            _ => word.get(at) == Some(&b'.'),
        };
        if at == start || number > 255 || !is_end {
            return None;
        }
        if part == 0 {
            first = number;
        }
        at += 1;
    }
    Some(first)
}

#[cfg(test)]
mod tests {
    use super::network;

    #[test]
    fn networks_of_addresses() {
        for (word, expected) in [
            ("127.0.0.1", Some(127)),
            ("0.0.0.0:6379", Some(0)),
            ("10.0.3.17/24", Some(10)),
            ("203.0.113.9,", Some(203)),
            ("0.0.0.0:80->80/tcp", Some(0)),
            ("1.2.3", None),
            ("1.2.3.", None),
            ("1.2.3.4.5", None),
            ("1.2.3.1000", None),
            ("256.0.0.1", None),
            ("1..2.3", None),
            ("1234.0.0.1", None),
            ("v1.2.3.4", None),
            ("", None),
        ] {
            assert_eq!(network(word.as_bytes()), expected, "{word}");
        }
    }
}
