//! Content that is mostly digits: numbers of cards, accounts and phones, and IP addresses.

use crate::finder::Find;
use crate::scan::CandidateBytes;
use std::net::{Ipv4Addr, Ipv6Addr};

/// The kinds of numbers to find.
#[derive(Clone, Copy)]
pub struct Kinds {
    pub cards: bool,
    pub ibans: bool,
    pub phones: bool,
    pub ips: bool,
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

impl Kinds {
    /// The bytes that [`find`] must judge.
    pub fn candidates(self) -> CandidateBytes {
        CandidateBytes {
            ats: false,
            numbers: self.cards || self.phones || self.ips,
            pairs: match self.ibans {
                true => &IBAN_LENGTHS,
                false => &[],
            },
            colons: self.ips,
        }
    }
}

/// Whether [`find`] can find something: true for every number and address, and false for most other digits, such as those
/// of dates, times and prices. Costs a few instructions. `at`: the offset of a candidate, a byte that a digit, a colon
/// or a letter of hexadecimal.
pub fn may_be(bytes: &[u8], at: usize) -> bool {
    let Some(before) = at.checked_sub(1).map(|at| bytes[at]) else {
        return may_be_digits(bytes, at);
    };
    match before {
        b'+' | b'(' => true,
        b':' => may_be_ipv6(bytes, at - 1) || may_be_digits(bytes, at),
        // An account number, whose country is in capitals.
        b'A'..=b'Z' => at > 1 && bytes[at - 2].is_ascii_uppercase(),
        b'a'..=b'z' => false,
        _ => may_be_digits(bytes, at),
    }
}

/// Whether the digits at `at` can begin an IPv4 address, a card or a phone number, by the first eight bytes.
fn may_be_digits(bytes: &[u8], at: usize) -> bool {
    let Some(near) = bytes.get(at..at + 8) else {
        return true;
    };
    let Ok(near) = <[u8; 8]>::try_from(near) else {
        return true;
    };
    // The highest bit of each byte that is no digit: digits are 0 to 9 here.
    let each = |byte: u8| u64::from_le_bytes([byte; 8]);
    let values = u64::from_le_bytes(near) ^ each(b'0');
    let others = (((values & each(0x7f)) + each(0x80 - 10)) | values) & each(0x80);
    let place = |mask: u64| mask.trailing_zeros() as usize / 8;
    let length = place(others);
    let Some(&after) = near.get(length) else {
        return true;
    };
    let next = place(others & others.wrapping_sub(1));
    match (length, after) {
        // The second number of an address, and the dot after it.
        (1..=3, b'.') if next > length + 1 && near.get(next) == Some(&b'.') => true,
        // The exchange code of a phone number, between two equal signs.
        (3, b'.' | b'-' | b' ') => next == 7 && near[7] == after,
        // The second group of a card. Dates have two digits there.
        (4, b' ' | b'-') => next == 8,
        _ => false,
    }
}

/// Whether an IPv6 address can have this colon: two colons are together, or two more follow soon.
fn may_be_ipv6(bytes: &[u8], colon: usize) -> bool {
    let next = |colon: usize| {
        let near = bytes.get(colon + 2..)?.iter().take(4);
        let found = near.into_iter().position(|b| *b == b':')?;
        Some(colon + 2 + found)
    };
    bytes.get(colon + 1) == Some(&b':') || next(colon).and_then(next).is_some()
}

/// The number or address at a digit or a colon.
pub fn find(text: &str, at: usize, wanted: Kinds) -> Option<Find<'static>> {
    let bytes = text.as_bytes();
    let before = at.checked_sub(1).map(|at| bytes[at]);
    match (before, bytes[at]) {
        (Some(b':'), b) if wanted.ips && (b == b':' || b.is_ascii_hexdigit()) => {
            let address = ipv6(text, at - 1);
            address.or_else(|| b.is_ascii_digit().then(|| digits(bytes, at, wanted))?)
        }
        (Some(b'+' | b'('), b'0'..=b'9') if wanted.phones => {
            phone(bytes, at - 1).or_else(|| digits(bytes, at, wanted))
        }
        (Some(b), b'0'..=b'9') if b.is_ascii_alphabetic() => {
            at.checked_sub(2).and_then(|start| iban(bytes, start))
        }
        (_, b'0'..=b'9') if !at_word(bytes, at) => digits(bytes, at, wanted),
        _ => None,
    }
}

/// Whether a letter, a digit or `_` is right before.
fn at_word(bytes: &[u8], at: usize) -> bool {
    at > 0 && (bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'_')
}

fn found(start: usize, end: usize, kind: &'static str) -> Option<Find<'static>> {
    Some(Find { start, end, kind })
}

fn digits(bytes: &[u8], at: usize, wanted: Kinds) -> Option<Find<'static>> {
    let run = bytes[at..]
        .iter()
        .take(CARD_DIGITS + 1)
        .take_while(|b| b.is_ascii_digit())
        .count();
    match (run, bytes.get(at + run)) {
        (1..=3, Some(b'.'))
            if wanted.ips
                && let Some(ip) = ipv4(bytes, at) =>
        {
            Some(ip)
        }
        (3, Some(b'.' | b'-' | b' ')) if wanted.phones => national(bytes, at),
        // The second group has four digits or six. Dates have two.
        (4, Some(b' ' | b'-'))
            if wanted.cards
                && let Some(second) = bytes.get(at + 5..at + 9)
                && second.iter().all(u8::is_ascii_digit) =>
        {
            card(bytes, at)
        }
        (13..=CARD_DIGITS, _) if wanted.cards => card(bytes, at),
        _ => None,
    }
}

/// Sizes of the groups in which numbers of cards are written.
const CARD_GROUPS: [&[usize]; 4] = [&[4, 4, 4, 4], &[4, 6, 5], &[4, 6, 4], &[4, 4, 4, 4, 3]];

/// A card number: 13 to 19 digits, in the groups of cards or in one, with a known issuer and the check digit of ISO/IEC
/// 7812.
fn card(bytes: &[u8], start: usize) -> Option<Find<'static>> {
    let before = start.checked_sub(1).map(|at| bytes[at]);
    if matches!(before, Some(b'.' | b'-')) {
        return None;
    }
    let (mut number, mut length) = ([0u8; CARD_DIGITS], 0);
    let (mut groups, mut group) = ([0usize; 5], 0);
    let (mut at, mut end, mut separator) = (start, start, None);
    loop {
        let run = bytes[at..].iter().take_while(|b| b.is_ascii_digit());
        let run = run.take(CARD_DIGITS + 1).count();
        if run == 0 {
            break;
        }
        if length + run > CARD_DIGITS || group == groups.len() {
            // Too many groups: this is another number.
            return None;
        }
        for (digit, b) in number[length..].iter_mut().zip(&bytes[at..at + run]) {
            *digit = b - b'0';
        }
        length += run;
        groups[group] = run;
        group += 1;
        end = at + run;
        match bytes.get(end) {
            Some(b @ (b' ' | b'-')) if separator.is_none_or(|it| it == *b) => {
                // Text may follow after a space. More digits after a card number make it another number.
                if group == 1 && run > 4 {
                    break;
                }
                separator = Some(*b);
                at = end + 1;
            }
            _ => break,
        }
    }
    let (number, groups) = (&number[..length], &groups[..group]);
    let is_grouped = groups.len() == 1 || CARD_GROUPS.contains(&groups);
    let follows = bytes.get(end);
    if !is_grouped
        || follows.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_')
        || follows == Some(&b'.') && bytes.get(end + 1).is_some_and(u8::is_ascii_digit)
    {
        return None;
    }
    let prefix = |digits: usize| {
        let digits = number.get(..digits).unwrap_or_default().iter();
        digits.fold(0u32, |sum, digit| sum * 10 + u32::from(*digit))
    };
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
    // Numbers of 64 bits have 19 digits. Of long numbers without groups, only China's issuer counts.
    let is_long = length > 16 && groups.len() == 1 && prefix(2) != 62;
    // A number of equal digits is an example, not a card.
    let is_one = number.iter().all(|digit| *digit == number[0]);
    (is_issuers && sum.is_multiple_of(10) && !is_one && !is_long).then_some(())?;
    found(start, end, "card")
}

/// An account number whose check digits are right (ISO 13616).
fn iban(bytes: &[u8], start: usize) -> Option<Find<'static>> {
    // Printed account numbers have capitals; digests do not.
    let country: &[u8; 2] = bytes.get(start..start + 2)?.try_into().ok()?;
    let (_, length) = IBAN_LENGTHS.iter().find(|(name, _)| *name == country)?;
    if at_word(bytes, start) {
        return None;
    }
    let (mut code, mut at) = (Vec::with_capacity(*length), start);
    while code.len() < *length {
        match bytes.get(at)? {
            b if b.is_ascii_uppercase() || b.is_ascii_digit() => code.push(*b),
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

/// A phone number with its country code (ITU-T E.164), or with its area code in brackets.
fn phone(bytes: &[u8], start: usize) -> Option<Find<'static>> {
    if at_word(bytes, start) || !bytes.get(start + 1).is_some_and(u8::is_ascii_digit) {
        return None;
    }
    let is_area = bytes[start] == b'(';
    let (mut count, mut groups, mut singles, mut group) = (0, 1, 0, 0);
    let (mut end, mut at) = (start, start + 1);
    while let Some(b) = bytes.get(at) {
        match b {
            b'0'..=b'9' => {
                count += 1;
                group += 1;
                end = at + 1;
            }
            b' ' | b'-' | b'.' | b'(' | b')' | b'/' if at - end < 2 => {
                // A country code of one digit, and one other group of one digit, as in France.
                singles += usize::from(group == 1);
                groups += usize::from(group > 0);
                group = 0;
            }
            _ => break,
        }
        if count > 15 {
            return None;
        }
        at += 1;
    }
    let area = bytes[start..].iter().take(5).position(|b| *b == b')');
    let number = &bytes[start + 1..end.max(start + 1)];
    // An added line of a diff begins with a sign, and may continue with a date: `+2026-03-01`.
    let is_date = number.len() >= 10 && number[4] == b'-' && number[7] == b'-';
    let fits = match is_area {
        true => area == Some(4) && count == 10 && groups >= 2,
        false => {
            (8..=15).contains(&count) && number.first() != Some(&b'0') && singles < 3 && !is_date
        }
    };
    let follows = bytes
        .get(end)
        .is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
    (fits && !follows).then_some(())?;
    found(start, end, "phone")
}

/// A phone number in the form of North America: `555-123-4567`.
fn national(bytes: &[u8], start: usize) -> Option<Find<'static>> {
    let number = bytes.get(start..start + 12)?;
    let (first, second) = (number[3], number[7]);
    let is_form = first == second && matches!(first, b'-' | b'.' | b' ');
    let digits = [0, 1, 2, 4, 5, 6, 8, 9, 10, 11];
    let before = start.checked_sub(1).map(|at| bytes[at]);
    let follows = bytes.get(start + 12);
    let goes_on = follows.is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
        || follows == Some(&b'.') && bytes.get(start + 13).is_some_and(u8::is_ascii_digit);
    // An area code and an exchange code begin with 2 to 9.
    let fits = is_form
        && digits.iter().all(|at| number[*at].is_ascii_digit())
        && number[0] >= b'2'
        && number[4] >= b'2'
        && !matches!(before, Some(b'-' | b'.' | b'+' | b'/'))
        && !goes_on
        && (first != b' ' || matches!(before, None | Some(b' ' | b':' | b'\t' | b'\n' | b'"')));
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
    let dots = bytes[start..start + length].iter().filter(|b| **b == b'.');
    if dots.count() < 3 {
        return None;
    }
    let before = start.checked_sub(1).map(|at| bytes[at]);
    let said = std::str::from_utf8(&bytes[start..start + length]).ok()?;
    let said = said.trim_end_matches('.');
    let end = start + said.len();
    let follows = bytes.get(end);
    let is_part = matches!(before, Some(b'.' | b'-'))
        || follows.is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'));
    let address = (!is_part).then(|| said.parse::<Ipv4Addr>().ok())??;
    let is_open = address.is_loopback() || address.is_unspecified() || address.octets()[0] == 255;
    (!is_open && !is_version(bytes, start)).then_some(())?;
    found(start, end, "ip")
}

/// Whether four numbers are a version: after a program's name, after `version`, or after `==`.
fn is_version(bytes: &[u8], start: usize) -> bool {
    let before = &bytes[start.saturating_sub(16)..start];
    let is_product = before.ends_with(b"/")
        && before.len() > 1
        && before[before.len() - 2].is_ascii_alphabetic();
    let lower = before.to_ascii_lowercase();
    is_product
        || [&b"=="[..], b"~=", b">=", b"<=", b"^", b"~"]
            .iter()
            .any(|sign| before.ends_with(sign))
        || lower.windows(7).any(|word| word == b"version")
        || lower.windows(4).any(|word| word == b"ver.")
        || [&b"section "[..], "§".as_bytes(), "§ ".as_bytes()]
            .iter()
            .any(|word| lower.ends_with(word))
}

/// The IPv6 address around a colon.
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
    // A time has two colons. An address has seven, six before an IPv4 address, or two together.
    let (mut colons, mut last, mut is_short) = (0, 0, false);
    for &b in &bytes[start..end] {
        is_short |= b == b':' && last == b':';
        colons += u32::from(b == b':');
        last = b;
    }
    if !is_short && colons < 6 {
        return None;
    }
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
    (!is_part && is_number).then_some(())?;
    let address: Ipv6Addr = said.parse().ok()?;
    // Only allocated blocks (IANA's registry of IPv6 address space) count: `a::b2` is a path.
    let first = address.segments()[0];
    let is_given = matches!(first, 0x2000..=0x3fff | 0xfc00..=0xfdff | 0xfe80..=0xfebf | 0xff00..=0xffff | 0x64)
        || address.to_ipv4_mapped().is_some();
    is_given.then_some(())?;
    found(start, end, "ip")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ALL: Kinds = Kinds {
        cards: true,
        ibans: true,
        phones: true,
        ips: true,
    };

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// Whatever is found at a byte is found at a byte that the quick question lets through.
        #[test]
        fn no_number_is_passed_over(
            text in "([ ,:+(\"x]|::|[.-]|[0-9]{1,4}|[0-9]{13,17}|[1-9][0-9]{0,2}[.][0-9]{1,3}[.][0-9]{1,3}[.][0-9]{1,3}|[0-9a-f]{1,4}:|2001:|fe80:|4111[ -]?1111[ -]?1111[ -]?1111|[2-9][0-9]{2}-[2-9][0-9]{2}-[0-9]{4}|DE89370400440532013000|\\+4930[0-9]{6}){0,9}",
        ) {
            let bytes = text.as_bytes();
            for at in 0..bytes.len() {
                let Some(found) = find(&text, at, ALL) else {
                    continue;
                };
                let is_let_through = |at: usize| may_be(bytes, at) && find(&text, at, ALL).as_ref() == Some(&found);
                prop_assert!((found.start..found.end).any(is_let_through), "{found:?} in {text:?}");
            }
        }
    }

    #[test]
    fn dates_times_and_prices_are_not_looked_at() {
        for text in [
            "2026-03-01T10:59:59.123Z, then",
            "12.50,3.99,100;and more",
            "a1b2c3d4e5f6a7b8c9d0",
        ] {
            for (at, _) in text.char_indices().filter(|(_, c)| c.is_ascii_digit()) {
                let bytes = text.as_bytes();
                let is_inside = at > 0 && bytes[at - 1].is_ascii_digit();
                assert!(is_inside || !may_be(bytes, at), "{text} {at}");
            }
        }
    }
}
