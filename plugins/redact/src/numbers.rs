//! Content that is mostly digits: numbers of cards, accounts and phones, and IP addresses.

use crate::finder::Find;
use std::net::{Ipv4Addr, Ipv6Addr};

/// What is looked for.
#[derive(Clone, Copy)]
pub struct Wanted {
    pub cards: bool,
    pub ibans: bool,
    pub phones: bool,
    pub ips: bool,
}

impl Wanted {
    pub fn any(self) -> bool {
        self.cards || self.ibans || self.phones || self.ips
    }
}

/// Lengths of account numbers by country (the registry of ISO 13616).
const IBAN_LENGTHS: [(&[u8; 2], usize); 78] = [
    (b"AD", 24),
    (b"AE", 23),
    (b"AL", 28),
    (b"AT", 20),
    (b"AZ", 28),
    (b"BA", 20),
    (b"BE", 16),
    (b"BG", 22),
    (b"BH", 22),
    (b"BR", 29),
    (b"BY", 28),
    (b"CH", 21),
    (b"CR", 22),
    (b"CY", 28),
    (b"CZ", 24),
    (b"DE", 22),
    (b"DK", 18),
    (b"DO", 28),
    (b"EE", 20),
    (b"EG", 29),
    (b"ES", 24),
    (b"FI", 18),
    (b"FO", 18),
    (b"FR", 27),
    (b"GB", 22),
    (b"GE", 22),
    (b"GI", 23),
    (b"GL", 18),
    (b"GR", 27),
    (b"GT", 28),
    (b"HR", 21),
    (b"HU", 28),
    (b"IE", 22),
    (b"IL", 23),
    (b"IQ", 23),
    (b"IS", 26),
    (b"IT", 27),
    (b"JO", 30),
    (b"KW", 30),
    (b"KZ", 20),
    (b"LB", 28),
    (b"LC", 32),
    (b"LI", 21),
    (b"LT", 20),
    (b"LU", 20),
    (b"LV", 21),
    (b"LY", 25),
    (b"MC", 27),
    (b"MD", 24),
    (b"ME", 22),
    (b"MK", 19),
    (b"MR", 27),
    (b"MT", 31),
    (b"MU", 30),
    (b"NL", 18),
    (b"NO", 15),
    (b"PK", 24),
    (b"PL", 28),
    (b"PS", 29),
    (b"PT", 25),
    (b"QA", 29),
    (b"RO", 24),
    (b"RS", 22),
    (b"SA", 24),
    (b"SC", 31),
    (b"SD", 18),
    (b"SE", 24),
    (b"SI", 19),
    (b"SK", 24),
    (b"SM", 27),
    (b"ST", 25),
    (b"SV", 28),
    (b"TL", 23),
    (b"TN", 24),
    (b"TR", 26),
    (b"UA", 29),
    (b"VA", 22),
    (b"VG", 24),
];

/// Most digits of a card.
const CARD_DIGITS: usize = 19;

/// Adds what is found of a text.
pub fn find(text: &str, wanted: Wanted, finds: &mut Vec<Find<'_>>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let found = match bytes[at] {
            b'0'..=b'9' if !at_word(bytes, at) => digits(bytes, at, wanted),
            b'0'..=b'9' if wanted.ibans && at >= 2 => iban(bytes, at - 2),
            b'+' | b'(' if wanted.phones => phone(bytes, at),
            b':' if wanted.ips
                && matches!(
                    bytes.get(at + 1),
                    Some(b':' | b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F')
                ) =>
            {
                ipv6(text, at)
            }
            _ => None,
        };
        match found {
            Some(find) => {
                at = find.end.max(at + 1);
                finds.push(find);
            }
            // The rest of a run of digits begins nothing.
            None if bytes[at].is_ascii_digit() => {
                at += bytes[at..]
                    .iter()
                    .take_while(|b| b.is_ascii_digit())
                    .count();
            }
            None => at += 1,
        }
    }
}

/// Whether a letter, a digit or `_` is right before.
fn at_word(bytes: &[u8], at: usize) -> bool {
    at > 0 && (bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'_')
}

fn found(start: usize, end: usize, kind: &'static str) -> Option<Find<'static>> {
    Some(Find { start, end, kind })
}

fn digits(bytes: &[u8], at: usize, wanted: Wanted) -> Option<Find<'static>> {
    let ip = || wanted.ips.then(|| ipv4(bytes, at))?;
    let card = || wanted.cards.then(|| card(bytes, at))?;
    let phone = || wanted.phones.then(|| national(bytes, at))?;
    ip().or_else(card).or_else(phone)
}

/// A number of 13 to 19 digits, in groups or not, of an issuer and with the check digit of ISO/IEC 7812.
fn card(bytes: &[u8], start: usize) -> Option<Find<'static>> {
    let (mut number, mut end, mut at) = (Vec::with_capacity(CARD_DIGITS), start, start);
    let before = start.checked_sub(1).map(|at| bytes[at]);
    if matches!(before, Some(b'.' | b'-')) {
        return None;
    }
    while let Some(b) = bytes.get(at) {
        match b {
            b'0'..=b'9' => {
                if number.len() == CARD_DIGITS {
                    return None;
                }
                number.push(b - b'0');
                end = at + 1;
            }
            b' ' | b'-' if end == at => {}
            _ => break,
        }
        at += 1;
    }
    let follows = bytes.get(end);
    if follows.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_')
        || follows == Some(&b'.') && bytes.get(end + 1).is_some_and(u8::is_ascii_digit)
    {
        return None;
    }
    let prefix = |digits: usize| {
        let digits = number.get(..digits).unwrap_or_default().iter();
        digits.fold(0u32, |sum, digit| sum * 10 + u32::from(*digit))
    };
    let length = number.len();
    let is_issuers = match number.first()? {
        3 => {
            matches!(prefix(2), 34 | 37) && length == 15
                || matches!(prefix(2), 36 | 38 | 39) && (14..=19).contains(&length)
                || matches!(prefix(3), 300..=305) && (14..=19).contains(&length)
                || matches!(prefix(4), 3528..=3589) && (16..=19).contains(&length)
        }
        4 => matches!(length, 13 | 16 | 19),
        5 => matches!(prefix(2), 51..=55) && length == 16,
        2 => matches!(prefix(4), 2221..=2720) && length == 16,
        6 => {
            (16..=19).contains(&length)
                && (matches!(prefix(2), 62 | 65)
                    || prefix(4) == 6011
                    || matches!(prefix(3), 644..=649))
        }
        _ => false,
    };
    let sum: u32 = number
        .iter()
        .rev()
        .enumerate()
        .map(|(place, digit)| match (place % 2, u32::from(*digit) * 2) {
            (0, _) => u32::from(*digit),
            (_, twice) => twice / 10 + twice % 10,
        })
        .sum();
    // All digits alike are an example of a form, not a card.
    let is_one = number.iter().all(|digit| *digit == number[0]);
    (is_issuers && sum % 10 == 0 && !is_one).then_some(())?;
    found(start, end, "card")
}

/// An account number whose check digits are right (ISO 13616).
fn iban(bytes: &[u8], start: usize) -> Option<Find<'static>> {
    let country: &[u8; 2] = bytes.get(start..start + 2)?.try_into().ok()?;
    let upper = country.to_ascii_uppercase();
    let (_, length) = IBAN_LENGTHS
        .iter()
        .find(|(name, _)| name[..] == upper[..])?;
    if at_word(bytes, start) {
        return None;
    }
    let (mut code, mut at) = (Vec::with_capacity(*length), start);
    while code.len() < *length {
        match bytes.get(at)? {
            b if b.is_ascii_alphanumeric() => code.push(b.to_ascii_uppercase()),
            b' ' | b'-' if at > start && bytes[at - 1].is_ascii_alphanumeric() => {}
            _ => return None,
        }
        at += 1;
    }
    if bytes.get(at).is_some_and(u8::is_ascii_alphanumeric)
        || !code[2..4].iter().all(u8::is_ascii_digit)
    {
        return None;
    }
    let rest = code[4..]
        .iter()
        .chain(&code[..4])
        .fold(0u32, |rest, b| match b {
            b'0'..=b'9' => (rest * 10 + u32::from(b - b'0')) % 97,
            _ => (rest * 100 + u32::from(b - b'A') + 10) % 97,
        });
    (rest == 1).then_some(())?;
    found(start, at, "iban")
}

/// A phone number with its country (ITU-T E.164), or with its area in brackets.
fn phone(bytes: &[u8], start: usize) -> Option<Find<'static>> {
    if at_word(bytes, start) || !bytes.get(start + 1).is_some_and(u8::is_ascii_digit) {
        return None;
    }
    let is_area = bytes[start] == b'(';
    let (mut count, mut groups, mut end, mut at) = (0, 1, start, start + 1);
    while let Some(b) = bytes.get(at) {
        match b {
            b'0'..=b'9' => {
                count += 1;
                end = at + 1;
            }
            b' ' | b'-' | b'.' | b'(' | b')' | b'/' if at - end < 2 => groups += 1,
            _ => break,
        }
        if count > 15 {
            return None;
        }
        at += 1;
    }
    let area = bytes[start..].iter().take(5).position(|b| *b == b')');
    let fits = match is_area {
        true => area == Some(4) && count == 10 && groups >= 2,
        false => (8..=15).contains(&count) && bytes[start + 1] != b'0',
    };
    let follows = bytes
        .get(end)
        .is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
    (fits && !follows).then_some(())?;
    found(start, end, "phone")
}

/// A number in the form of North America: `555-123-4567`.
fn national(bytes: &[u8], start: usize) -> Option<Find<'static>> {
    let number = bytes.get(start..start + 12)?;
    let (first, second) = (number[3], number[7]);
    let is_form = first == second && matches!(first, b'-' | b'.' | b' ');
    let digits = [0, 1, 2, 4, 5, 6, 8, 9, 10, 11];
    let before = start.checked_sub(1).map(|at| bytes[at]);
    let follows = bytes.get(start + 12);
    let ends = !follows.is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
        && !(follows == Some(&b'.') && bytes.get(start + 13).is_some_and(u8::is_ascii_digit));
    // An area and an exchange begin with 2 to 9.
    let fits = is_form
        && digits.iter().all(|at| number[*at].is_ascii_digit())
        && number[0] >= b'2'
        && number[4] >= b'2'
        && !matches!(before, Some(b'-' | b'.' | b'+' | b'/'))
        && ends
        && !(first == b' ' && !matches!(before, None | Some(b' ' | b':' | b'\t' | b'\n' | b'"')));
    fits.then_some(())?;
    found(start, start + 12, "phone")
}

fn ipv4(bytes: &[u8], start: usize) -> Option<Find<'static>> {
    let is_in = |b: &u8| b.is_ascii_digit() || *b == b'.';
    let length = bytes[start..]
        .iter()
        .take(16)
        .take_while(|b| is_in(b))
        .count();
    let before = start.checked_sub(1).map(|at| bytes[at]);
    let said = std::str::from_utf8(&bytes[start..start + length]).ok()?;
    let said = said.trim_end_matches('.');
    let end = start + said.len();
    let follows = bytes.get(end);
    let is_part = matches!(before, Some(b'.' | b'-'))
        || follows.is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'));
    (!is_part && said.parse::<Ipv4Addr>().is_ok()).then_some(())?;
    found(start, end, "ip")
}

/// An address of IPv6 around a colon.
fn ipv6(text: &str, colon: usize) -> Option<Find<'static>> {
    const MOST: usize = 45;
    let bytes = text.as_bytes();
    let is_in = |b: &u8| b.is_ascii_hexdigit() || matches!(b, b':' | b'.');
    let before = bytes[..colon]
        .iter()
        .rev()
        .take(MOST)
        .take_while(|b| is_in(b))
        .count();
    let after = bytes[colon..]
        .iter()
        .take(MOST)
        .take_while(|b| is_in(b))
        .count();
    let (start, end) = (colon - before, colon + after);
    let said = text[start..end].trim_end_matches('.');
    let said = match said.ends_with(':') && !said.ends_with("::") {
        true => &said[..said.len() - 1],
        false => said,
    };
    let end = start + said.len();
    let is_part = at_word(bytes, start)
        || bytes
            .get(end)
            .is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
    let is_number = said.bytes().any(|b| b.is_ascii_digit()) && said.len() > 3;
    (!is_part && is_number && said.parse::<Ipv6Addr>().is_ok()).then_some(())?;
    found(start, end, "ip")
}
