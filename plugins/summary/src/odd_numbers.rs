//! Numbers after keys that nearly all lines of a pattern share: `errors=0` in 399 of 400 lines, and the other line.
//!
//! Owns when a number is odd. Refuses to know the meaning of keys.

use crate::words::KEYED;

/// Fewest lines of a pattern with odd numbers.
const LEAST: usize = 40;
/// One in so many lines of a pattern may have another number, and at most [`FEW`].
const ODD_ONE_OF: usize = 40;
const FEW: usize = 4;

/// A number, and the lines of a pattern that have another one in its place.
#[derive(Clone, Copy, Default)]
struct Candidate {
    hash: u64,
    odd: usize,
    /// The first of them.
    lines: [usize; FEW],
}

impl Candidate {
    fn note(&mut self, line: usize, hash: u64) {
        if hash == self.hash {
            return;
        }
        if let Some(noted) = self.lines.get_mut(self.odd) {
            *noted = line;
        }
        self.odd += 1;
    }
}

/// A place for a number in the lines of one pattern. Nearly all lines have the number of the first line, or the first
/// other number.
#[derive(Clone, Copy, Default)]
struct Place {
    first: Candidate,
    other: Option<Candidate>,
}

/// The numbers after keys in the lines of one pattern.
pub struct Numbers {
    count: usize,
    /// The first lines.
    early: [usize; FEW],
    places: [Place; KEYED],
}

impl Numbers {
    /// Of the first line of a pattern. `line`: its number, from 1.
    pub fn of(line: usize, hashes: &[u64]) -> Numbers {
        let mut found = Numbers {
            count: 1,
            early: [line; FEW],
            places: Default::default(),
        };
        for (place, hash) in found.places.iter_mut().zip(hashes) {
            place.first.hash = *hash;
        }
        found
    }

    /// Notes the numbers of a further line.
    pub fn note(&mut self, line: usize, hashes: &[u64]) {
        for (place, hash) in self.places.iter_mut().zip(hashes) {
            if let Some(other) = &mut place.other {
                other.note(line, *hash);
            } else if *hash != place.first.hash && self.count <= FEW {
                place.other = Some(Candidate {
                    hash: *hash,
                    odd: self.count,
                    lines: self.early,
                });
            }
            place.first.note(line, *hash);
        }
        if let Some(early) = self.early.get_mut(self.count) {
            *early = line;
        }
        self.count += 1;
    }

    /// The lines with an odd number, in no order, and some more than once.
    pub fn odd(&self) -> impl Iterator<Item = usize> {
        let most = if self.count < LEAST {
            0
        } else {
            FEW.min(self.count / ODD_ONE_OF)
        };
        let places = self.places.iter();
        let candidates = places.flat_map(|place| std::iter::once(&place.first).chain(&place.other));
        let few = candidates.filter(move |candidate| candidate.odd <= most);
        few.flat_map(|candidate| candidate.lines.iter().take(candidate.odd).copied())
    }
}

#[cfg(test)]
#[path = "tests/odd_numbers.rs"]
mod tests;
