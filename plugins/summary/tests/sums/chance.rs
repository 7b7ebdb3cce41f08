//! Numbers that look random, the same in each run.

/// A sequence of numbers (xorshift).
pub struct Chance(u64);

impl Chance {
    /// Another sequence for each number.
    pub fn of(number: usize) -> Chance {
        let mut chance = Chance((number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        chance.below(2);
        chance
    }

    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 16) % limit as u64) as usize
    }

    pub fn between(&mut self, from: usize, to: usize) -> usize {
        from + self.below(to - from + 1)
    }

    /// True once in this many times.
    pub fn one_of(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }

    pub fn words(&mut self, count: usize) -> String {
        let words: Vec<&str> = (0..count).map(|_| self.pick(&WORDS)).collect();
        words.join(" ")
    }
}

const WORDS: [&str; 24] = [
    "apple", "river", "stone", "cloud", "table", "green", "north", "light", "paper", "glass", "a",
    "the", "of", "winter", "music", "garden", "bridge", "is", "silver", "market", "letter", "to",
    "42", "naïve",
];
