//! Finds the candidates in a text, in one pass: the offsets at which something to hide can begin.
//!
//! The scan recognises each literal by three of its characters, the rarest ones in ordinary text. A first table tells
//! whether two bytes can belong to such three characters. The scan asks it at every second byte. A second table tells
//! whether a literal has these three characters. The scan compares only the few that remain. So the pass costs the same
//! with one literal and with two hundred. Automata of that many literals wait for memory at each byte.

use crate::numbers;

/// Classes of characters: each letter, in either case, is a class of its own.
const JOINER: u8 = 26;
const AT: u8 = 27;
const DIGIT: u8 = 28;
const COLON: u8 = 29;
const SIGN: u8 = 30;
const REST: u8 = 31;

const CLASSES: [u8; 256] = {
    let mut classes = [REST; 256];
    let mut b = 0;
    while b < 256 {
        let byte = b as u8;
        classes[b] = match byte {
            b'a'..=b'z' => byte - b'a',
            b'A'..=b'Z' => byte - b'A',
            b'_' | b'-' | b'.' => JOINER,
            b'@' => AT,
            b'0'..=b'9' => DIGIT,
            b':' => COLON,
            b'=' | b'/' | b'+' | b'(' | b'%' => SIGN,
            _ => REST,
        };
        b += 1;
    }
    classes
};

/// How often the classes occur in texts, in thousandths: letters as in English, the rest as in sources and logs.
const OFTEN: [u32; 32] = [
    60, 12, 28, 32, 95, 18, 15, 30, 55, 3, 8, 35, 22, 55, 55, 18, 2, 50, 55, 70, 25, 10, 12, 4, 13,
    2, 35, 1, 60, 8, 12, 160,
];

/// How a literal is spelled.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Case {
    Exact,
    Any,
}

struct Literal {
    text: String,
    case: Case,
}

/// A literal, and the offset of the three characters that find it.
struct Entry {
    class: u8,
    literal: u16,
    offset: u8,
}

/// Bytes that are candidates, as literals are.
#[derive(Clone, Copy, Default)]
pub struct CandidateBytes {
    /// Each `@`.
    pub ats: bool,
    /// A digit after a character of no word, and `+` or `(` before a digit. Of these and of the next two,
    /// [`numbers::may_be`] leaves few.
    pub numbers: bool,
    /// Two of these letters before a digit.
    pub pairs: &'static [(&'static [u8; 2], usize)],
    /// A colon before another colon or a hexadecimal digit.
    pub colons: bool,
}

/// An offset at which something to hide can begin.
#[derive(Clone, Copy)]
pub enum Candidate {
    /// A literal, by its index, and its bounds in bytes.
    Literal(usize, usize, usize),
    /// A byte that [`CandidateBytes`] describes: an `@`, a digit, a colon.
    Byte(usize),
}

pub struct Scan {
    literals: Vec<Literal>,
    /// A bit for each two bytes (little-endian): whether the three characters of a candidate may end at the first, at
    /// the second, or right behind them. Every candidate has such two bytes at an even offset.
    near: Box<[u32; 2048]>,
    /// The same without two bytes by which only a number can be a candidate: a digit first, or a character of no word
    /// and a digit. Such two are at every number.
    near_more: Box<[u32; 2048]>,
    /// By the classes of two characters: a bit for each class of the third.
    any: Box<[u32; 1024]>,
    bytes: Box<[u32; 1024]>,
    /// By the classes of two characters: the first of their entries.
    firsts: Vec<u16>,
    entries: Vec<Entry>,
}

impl Scan {
    /// Makes a scan for literals of at least two characters. `follows` tells which bytes may follow a literal of two.
    pub fn new(
        literals: Vec<(String, Case)>,
        wanted: CandidateBytes,
        follows: impl Fn(usize, u8) -> bool,
    ) -> Scan {
        let mut all: Vec<(usize, Entry)> = Vec::new();
        let mut near = wanted.near();
        for (literal, (text, case)) in literals.iter().enumerate() {
            let bytes = text.as_bytes();
            let classes: Vec<u8> = bytes.iter().map(|b| CLASSES[usize::from(*b)]).collect();
            let often = |at: &usize| {
                let [first, second, third] =
                    [0, 1, 2].map(|next| OFTEN[usize::from(classes[at + next])]);
                (first + third) * second
            };
            let mut add = |offset: usize, third: u8| {
                let classes = [offset, offset + 1].map(|at| usize::from(classes[at]));
                let class = CLASSES[usize::from(third)];
                let entry = Entry {
                    class,
                    literal: literal as u16,
                    offset: offset as u8,
                };
                all.push((classes[0] << 5 | classes[1], entry));
                let [first, second] = [offset, offset + 1].map(|at| spellings(bytes[at], *case));
                note(&mut near, &first, &second);
                note(&mut near, &second, &spellings(third, *case));
            };
            if let Some(offset) = (0..classes.len().saturating_sub(2).min(200)).min_by_key(often) {
                add(offset, bytes[offset + 2]);
            } else {
                let thirds = (0..=255u8).filter(|b| follows(literal, *b));
                thirds.for_each(|third| add(0, third));
            }
        }
        let key =
            |(pair, entry): &(usize, Entry)| (*pair, entry.class, entry.literal, entry.offset);
        all.sort_by_key(key);
        all.dedup_by_key(|it| key(it));
        let bytes = wanted.bits();
        let mut any = bytes.clone();
        let mut firsts = vec![0u16; 1025];
        for (pair, entry) in &all {
            any[*pair] |= 1 << entry.class;
            firsts[pair + 1] += 1;
        }
        for pair in 0..1024 {
            firsts[pair + 1] += firsts[pair];
        }
        Scan {
            literals: literals
                .into_iter()
                .map(|(text, case)| Literal { text, case })
                .collect(),
            near: wanted.with_numbers(&near),
            near_more: near,
            any,
            bytes,
            firsts,
            entries: all.into_iter().map(|(_, entry)| entry).collect(),
        }
    }

    /// Calls `found` for each candidate, in the order of the text.
    pub fn run(&self, text: &str, mut found: impl FnMut(Candidate)) {
        let bytes = text.as_bytes();
        let (pairs, rest) = bytes.as_chunks::<2>();
        // The first byte that the scan has not examined.
        let mut next = 0;
        for (half, pair) in pairs.iter().enumerate() {
            let pair = usize::from(u16::from_le_bytes(*pair));
            if self.near[pair >> 5] >> (pair & 31) & 1 == 1 {
                let at = 2 * half;
                if self.near_more[pair >> 5] >> (pair & 31) & 1 == 0 {
                    // A number begins with this digit or the next, unless a word or a number goes on.
                    let start = at + usize::from(!bytes[at].is_ascii_digit());
                    if start >= next && (start == 0 || is_before_number(bytes[start - 1])) {
                        if numbers::may_be(bytes, start) {
                            found(Candidate::Byte(start));
                        }
                        next = start + 1;
                    }
                    continue;
                }
                // Of what ends here, the pair before tells, unless it is a byte alone.
                if at >= next && matches!(bytes[at], b'@' | b'0'..=b'9') {
                    self.examine(bytes, at, &mut found);
                }
                match at.checked_sub(1).and_then(|from| bytes.get(from..at + 3)) {
                    Some(around) => self.examine_two(bytes, around, at, next, &mut found),
                    None => {
                        for end in next.max(at + 1)..bytes.len().min(at + 3) {
                            self.examine(bytes, end, &mut found);
                        }
                    }
                }
                next = at + 3;
            }
        }
        for end in next.max(bytes.len() - rest.len())..bytes.len() {
            self.examine(bytes, end, &mut found);
        }
    }

    /// Examines the characters that end at the two bytes after `at`, from `next` on. `around`: the four bytes from
    /// `at - 1` on.
    #[inline]
    fn examine_two(
        &self,
        bytes: &[u8],
        around: &[u8],
        at: usize,
        next: usize,
        found: &mut impl FnMut(Candidate),
    ) {
        let Ok(around) = <&[u8; 4]>::try_from(around) else {
            return;
        };
        let classes = around.map(|b| CLASSES[usize::from(b)]);
        for end in 0..2 {
            let pair = usize::from(classes[end]) << 5 | usize::from(classes[end + 1]);
            let third = classes[end + 2];
            if self.any[pair] >> third & 1 == 1 && at + 1 + end >= next {
                self.compare(bytes, at + 1 + end, pair, third, found);
            }
        }
    }

    /// Examines the three characters that end at a byte. Before the text, their class is `REST`.
    fn examine(&self, bytes: &[u8], at: usize, found: &mut impl FnMut(Candidate)) {
        let class = |back: usize| {
            let byte = at.checked_sub(back).map(|at| bytes[at]);
            byte.map_or(REST, |byte| CLASSES[usize::from(byte)])
        };
        let (pair, third) = (usize::from(class(2)) << 5 | usize::from(class(1)), class(0));
        if self.any[pair] >> third & 1 == 1 {
            self.compare(bytes, at, pair, third, found);
        }
    }

    /// Calls `found` for the candidates that have these three characters.
    fn compare(
        &self,
        bytes: &[u8],
        at: usize,
        pair: usize,
        third: u8,
        found: &mut impl FnMut(Candidate),
    ) {
        if self.bytes[pair] >> third & 1 == 1 && (third == AT || numbers::may_be(bytes, at)) {
            found(Candidate::Byte(at));
        }
        let entries = &self.entries[self.firsts[pair].into()..self.firsts[pair + 1].into()];
        for entry in entries.iter().filter(|entry| entry.class == third) {
            if let Some(start) = (at + 1).checked_sub(usize::from(entry.offset) + 3)
                && self.is_at(bytes, usize::from(entry.literal), start)
            {
                let literal = usize::from(entry.literal);
                let end = start + self.literals[literal].text.len();
                found(Candidate::Literal(literal, start, end));
            }
        }
    }

    fn is_at(&self, bytes: &[u8], literal: usize, start: usize) -> bool {
        let Literal { text, case } = &self.literals[literal];
        bytes
            .get(start..start + text.len())
            .is_some_and(|there| match case {
                Case::Exact => there == text.as_bytes(),
                Case::Any => there.eq_ignore_ascii_case(text.as_bytes()),
            })
    }
}

impl CandidateBytes {
    fn bits(self) -> Box<[u32; 1024]> {
        let mut bits = Box::new([0u32; 1024]);
        let mut add = |first: Option<u8>, second: u8, third: u8| {
            let firsts = first.map_or(0..=31, |it| it..=it);
            for first in firsts {
                bits[usize::from(first) << 5 | usize::from(second)] |= 1 << third;
            }
        };
        if self.ats {
            (0..32).for_each(|second| add(None, second, AT));
        }
        if self.numbers {
            BEFORE_NUMBERS
                .into_iter()
                .for_each(|before| add(None, before, DIGIT));
        }
        for (pair, _) in self.pairs {
            let [first, second] = pair.map(|b| CLASSES[usize::from(b)]);
            add(Some(first), second, DIGIT);
        }
        if self.colons {
            (0..6)
                .chain([COLON, DIGIT])
                .for_each(|after| add(None, COLON, after));
        }
        bits
    }

    /// A bit for each two bytes that may belong to such a candidate other than a number, for [`Scan::near_more`].
    fn near(self) -> Box<[u32; 2048]> {
        let mut near = Box::new([0u32; 2048]);
        let of_class = |class: u8| (0..=255u8).filter(move |b| CLASSES[usize::from(*b)] == class);
        let mut add = |first: Option<u8>, second: Option<u8>| {
            let bytes = |class: Option<u8>| -> Vec<u8> {
                match class {
                    Some(class) => of_class(class).collect(),
                    None => (0..=255).collect(),
                }
            };
            note(&mut near, &bytes(first), &bytes(second));
        };
        if self.ats {
            add(None, Some(AT));
            add(Some(AT), None);
        }
        for (pair, _) in self.pairs {
            let [first, second] = pair.map(|b| CLASSES[usize::from(b)]);
            add(Some(first), Some(second));
            add(Some(second), Some(DIGIT));
        }
        if self.colons {
            add(None, Some(COLON));
            add(Some(COLON), None);
        }
        near
    }

    /// The bits of `near`, and of each two bytes at which a number can begin, if numbers are candidates.
    fn with_numbers(self, near: &[u32; 2048]) -> Box<[u32; 2048]> {
        let mut near = Box::new(*near);
        if self.numbers {
            let digits: Vec<u8> = (b'0'..=b'9').collect();
            let all: Vec<u8> = (0..=255).collect();
            let before: Vec<u8> = (0..=255).filter(|b| is_before_number(*b)).collect();
            note(&mut near, &digits, &all);
            note(&mut near, &before, &digits);
        }
        near
    }
}

/// The classes of characters after which a number can begin.
const BEFORE_NUMBERS: [u8; 4] = [AT, COLON, SIGN, REST];

fn is_before_number(byte: u8) -> bool {
    BEFORE_NUMBERS.contains(&CLASSES[usize::from(byte)])
}

/// Sets the bits of each first byte with each second.
fn note(near: &mut [u32; 2048], first: &[u8], second: &[u8]) {
    for first in first {
        for second in second {
            let pair = usize::from(u16::from_le_bytes([*first, *second]));
            near[pair >> 5] |= 1 << (pair & 31);
        }
    }
}

/// The bytes that match a byte of a literal.
fn spellings(byte: u8, case: Case) -> Vec<u8> {
    match case {
        Case::Exact => vec![byte],
        Case::Any => vec![byte.to_ascii_lowercase(), byte.to_ascii_uppercase()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn scan(ats: bool, numbers: bool, colons: bool) -> Scan {
        let literals = ["AK", "eyJ", "://", "%40", "ghp_", "token", "-----BEGIN "];
        let literals = literals.map(|text| (text.to_owned(), Case::Exact));
        let mut literals = literals.to_vec();
        literals.push(("Password".to_owned(), Case::Any));
        let wanted = CandidateBytes {
            ats,
            numbers,
            colons,
            pairs: match numbers {
                true => &[(b"DE", 22), (b"GB", 22)],
                false => &[],
            },
        };
        Scan::new(literals, wanted, |_, b| b.is_ascii_uppercase())
    }

    /// Notes each candidate as text, so that two lists can be compared.
    fn noted(notes: &mut Vec<String>) -> impl FnMut(Candidate) {
        |candidate| {
            notes.push(match candidate {
                Candidate::Literal(literal, start, end) => format!("{literal} {start}..{end}"),
                Candidate::Byte(at) => at.to_string(),
            })
        }
    }

    proptest! {
        /// The scan at every second byte finds the candidates of a scan at each byte, in the same order.
        #[test]
        fn nothing_is_passed_over(
            text in "(AK[A-Z]|eyJ|://|%40|ghp_|token|-----BEGIN |pAssWORD|DE1|GB2|[a@:1é\" -]|[a-zA-Z0-9:@+(/%=_.-]){0,14}",
            ats: bool,
            numbers: bool,
            colons: bool,
        ) {
            let scan = scan(ats, numbers, colons);
            let (mut found, mut all) = (Vec::new(), Vec::new());
            scan.run(&text, noted(&mut found));
            let mut note = noted(&mut all);
            for at in 0..text.len() {
                scan.examine(text.as_bytes(), at, &mut note);
            }
            drop(note);
            prop_assert_eq!(found, all);
        }
    }
}
