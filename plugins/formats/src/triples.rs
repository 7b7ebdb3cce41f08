//! Looks for several parts of three letters at once, which rule out most texts.
//!
//! Owns the tables of the letters. Few parts are quicker found by [`crate::words::has_triple`].

use crate::{Sixteen, words};

/// Most parts.
const MOST: usize = 19;

/// Parts of three small letters or signs of ASCII.
pub struct Triples {
    /// For each place of a part, the parts that may have a byte there, by its lower and by its higher half: a bit each, which
    /// parts that are eight apart share.
    places: [[[u8; 16]; 2]; 3],
    parts: [[u8; 3]; MOST],
}

impl Triples {
    pub const fn of(parts: &[[u8; 3]]) -> Triples {
        let mut places = [[[0; 16]; 2]; 3];
        let mut known = [[0; 3]; MOST];
        let mut part = 0;
        while part < parts.len() {
            known[part] = parts[part];
            let mut place = 0;
            while place < 3 {
                let byte = parts[part][place];
                let bit = 1 << (part % 8);
                places[place][0][(byte & 0x0f) as usize] |= bit;
                places[place][1][(byte >> 4) as usize] |= bit;
                place += 1;
            }
            part += 1;
        }
        Triples {
            places,
            parts: known,
        }
    }

    /// Whether a text may have one of the parts, in whatever case: some other signs are taken for them.
    #[inline(never)]
    pub fn may_be_in(&self, text: &str) -> bool {
        let text = text.as_bytes();
        let [first, second, third] = &self.places;
        let [first, second, third] =
            [first, second, third].map(|it| it.each_ref().map(Sixteen::of));
        let mut at = 0;
        while at + 2 < text.len() {
            let (bytes, _) = words::sixteen(text, at);
            let bytes = bytes.lower();
            let of = |[low, high]: [Sixteen; 2]| bytes.classes(low, high).parts();
            let ([first, first_high], [second, second_high], [third, third_high]) =
                (of(first), of(second), of(third));
            let low = first & (second >> 8 | second_high << 56) & (third >> 16 | third_high << 48);
            let high = first_high & second_high >> 8 & third_high >> 16;
            if low | high != 0 && self.has_any([low, high], bytes.parts()) {
                return true;
            }
            // The last two of these bytes are the first of the next ones.
            at += 14;
        }
        false
    }

    /// Whether one of the parts is where sixteen bytes have marks.
    #[inline(never)]
    fn has_any(&self, marks: [u64; 2], [low, high]: [u64; 2]) -> bool {
        let halves = [(marks[0], low, high), (marks[1], high, 0)];
        halves.into_iter().any(|(mut marks, bytes, next)| {
            while marks != 0 {
                let at = marks.trailing_zeros() & !7;
                let part = (bytes >> at | next << 1 << (63 - at)).to_le_bytes();
                let mut places = (marks >> at) as u8;
                marks &= !(0xff << at);
                while places != 0 {
                    let first = places.trailing_zeros() as usize;
                    places &= places - 1;
                    let mut known = self.parts.iter().skip(first).step_by(8);
                    if known.any(|known| *known == part[..3]) {
                        return true;
                    }
                }
            }
            false
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PARTS: [[u8; 3]; 11] = [
        *b"abc", *b"b-d", *b"cab", *b"dd ", *b"eee", *b"bad", *b"ace", *b"dab", *b"fed", *b"gab",
        *b"fag",
    ];
    const ALL: Triples = Triples::of(&PARTS);

    proptest! {
        #[test]
        fn the_parts_are_those_that_are_looked_for_one_by_one(text in "[a-gA-G -]{0,40}") {
            let has_any = words::has_triple(&text, &PARTS);
            prop_assert_eq!(ALL.may_be_in(&text), has_any, "{}", text);
        }
    }
}
