//! Bytes as hexadecimal digits, and back.

use sha2::{Digest, Sha256};
use std::fmt::Write as _;

/// The digits of these bytes, in lower case.
pub fn encode(bytes: &[u8]) -> String {
    let mut digits = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        let _ = write!(digits, "{byte:02x}");
    }
    digits
}

/// The SHA-256 of these bytes, as digits.
pub fn sha256(bytes: impl AsRef<[u8]>) -> String {
    encode(&Sha256::digest(bytes))
}

/// The bytes of a SHA-256 from its 64 digits, in either case. None: the text is something else.
pub fn decode_sha256(digits: &str) -> Option<[u8; 32]> {
    let mut hash = [0; 32];
    // `from_str_radix` would accept a sign.
    if digits.len() != 2 * hash.len() || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    for (byte, pair) in hash.iter_mut().zip(digits.as_bytes().chunks(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    Some(hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_give_back_their_bytes() {
        assert_eq!(encode(&[0, 0x0f, 0xa0, 0xff]), "000fa0ff");
        let hash: [u8; 32] = Sha256::digest("x").into();
        assert_eq!(decode_sha256(&sha256("x")), Some(hash));
        assert_eq!(decode_sha256(&sha256("x").to_uppercase()), Some(hash));
        for other in [
            "",
            "00",
            &"0".repeat(63),
            &format!("+{}", "0".repeat(63)),
            &"g".repeat(64),
        ] {
            assert_eq!(decode_sha256(other), None, "{other}");
        }
    }
}
