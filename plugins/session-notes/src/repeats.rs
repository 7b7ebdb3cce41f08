//! Measures how much of a text other texts already contain.
//!
//! Owns the measure: the percentage of all runs of three words in the text that also occur in the others. Single words
//! would match in any long text of the same project. Whole lines would miss a list with another layout. Refuses to know
//! notes.

/// Words in a run.
const RUN: usize = 3;

/// The runs of words of some texts.
#[derive(Default)]
pub struct WordRuns {
    runs: Vec<u64>,
}

impl WordRuns {
    pub fn add(&mut self, text: &str) {
        self.runs.extend(runs(text));
    }

    /// Prepares the runs for questions, after all texts are added.
    pub fn complete(mut self) -> Self {
        self.runs.sort_unstable();
        self
    }

    /// The percentage of a text that the others contain, rounded down; 0 for a text without words.
    pub fn percent_of(&self, text: &str) -> u32 {
        let (mut all, mut known) = (0u64, 0u64);
        for run in runs(text) {
            all += 1;
            known += u64::from(self.runs.binary_search(&run).is_ok());
        }
        match all {
            0 => 0,
            // At most 100.
            all => (known * 100 / all) as u32,
        }
    }
}

/// Every run of three words, as a number; a shorter text is one run.
fn runs(text: &str) -> impl Iterator<Item = u64> {
    let mut words = text
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(number);
    let first = words.next();
    let mut last = [0, 0, first.unwrap_or(0)];
    let mut short = first.is_some();
    let mut seen = 1;
    std::iter::from_fn(move || {
        loop {
            match words.next() {
                Some(word) => {
                    last = [last[1], last[2], word];
                    seen += 1;
                    if seen >= RUN {
                        short = false;
                        return Some(together(last));
                    }
                }
                None if short => {
                    short = false;
                    return Some(together(last));
                }
                None => return None,
            }
        }
    })
}

/// FNV-1a: no seed, so that the same text always gives the same verdict.
const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0100_0000_01b3;

fn number(word: &str) -> u64 {
    let add = |hash: u64, letter: u64| (hash ^ letter).wrapping_mul(PRIME);
    if word.is_ascii() {
        let letters = word.bytes().map(|byte| byte.to_ascii_lowercase());
        return letters.fold(OFFSET, |hash, letter| add(hash, u64::from(letter)));
    }
    let letters = word.chars().flat_map(char::to_lowercase);
    letters.fold(OFFSET, |hash, letter| add(hash, u64::from(letter)))
}

fn together(words: [u64; RUN]) -> u64 {
    words.into_iter().fold(OFFSET, |hash, word| {
        (hash ^ word).wrapping_mul(PRIME).rotate_left(23)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn percent(said: &[&str], text: &str) -> u32 {
        let mut all = WordRuns::default();
        said.iter().for_each(|text| all.add(text));
        all.complete().percent_of(text)
    }

    #[test]
    fn layout_and_case_do_not_matter() {
        let log = [
            r#"{"action":"modified","reasoning":"Round once, at the end."}"#,
            r#"{"action":"added","reasoning":"Two callers disagreed about rounding."}"#,
        ];
        assert_eq!(percent(&log, "- round once, AT THE END."), 100);
        assert_eq!(
            percent(&log, "Two callers disagreed about rounding!\n"),
            100
        );
    }

    #[test]
    fn the_same_words_in_another_order_are_no_repetition() {
        let said = ["the tests of billing passed after the fixture was fixed"];
        assert_eq!(
            percent(&said, "billing was fixed after passed tests the fixture"),
            0
        );
    }

    #[test]
    fn half_new_is_half_a_repetition() {
        // Runs: a b c, b c d | c d x, d x y.
        assert_eq!(percent(&["a b c d"], "a b c d x y"), 50);
    }

    #[test]
    fn short_and_empty_texts() {
        assert_eq!(percent(&["done"], "done"), 100);
        assert_eq!(percent(&["all done"], "done"), 0);
        assert_eq!(percent(&["", "- "], ""), 0);
        assert_eq!(percent(&[], "something new here"), 0);
    }
}
