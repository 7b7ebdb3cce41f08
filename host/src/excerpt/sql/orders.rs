//! Texts that have another order than their letters: words with numbers, and dates and ranks that no form reads.
//!
//! Owns how such texts look. Refuses to know columns and queries.

use tamis_formats::dates;

use super::reading::Reading;
use super::versions::is_version;

/// The longest text with numbers that is compared by these.
pub(super) const LONGEST: usize = 64;

/// Whether a text with digits is words with whole numbers. None: a number may have decimals, as in `Python 3.10`,
/// thousands or a sign.
pub(super) fn is_numbered(text: &str) -> Option<bool> {
    /// A text with more is a sentence or a hash.
    const WORDS: usize = 5;
    let mut words = 0;
    // `10.0.3.0` has no decimals.
    let mut numbers = text.split(|c: char| !c.is_ascii_digit() && c != '.');
    let mut is_clear = !numbers.any(|it| it.trim_matches('.').matches('.').count() == 1);
    for word in text.split(|c: char| c.is_ascii_digit()) {
        words += usize::from(!word.is_empty());
        // `x=-5`, but not `web-5`.
        let mut signs = word.chars().rev();
        let is_negative = signs.next().is_some_and(|c| "-\u{2212}<>".contains(c))
            && signs.next().is_some_and(|c| !c.is_alphanumeric());
        is_clear &= !is_negative && !matches!(word, "," | "'");
    }
    // `-5` and `<5` are less than the number says.
    let is_less = matches!(
        text.chars().next(),
        Some('-' | '\u{2212}' | '\u{2013}' | '(' | '<' | '>' | '\u{2264}' | '\u{2265}')
    );
    let is_short = text.len() <= LONGEST;
    (is_clear || !is_short).then_some(is_short && (1..=WORDS).contains(&words) && !is_less)
}

/// Whether a text is a date that is none to [`dates::read`]: it has the name of a month, or ends in a year.
pub(super) fn is_like_date(text: &str) -> bool {
    const WORDS: usize = 4;
    // The only number of `PROJ-2013` is no year.
    let (mut numbers, mut is_year) = (0, false);
    let words = text.split(|c: char| !c.is_alphanumeric());
    for word in words.filter(|word| !word.is_empty()).take(WORDS) {
        if dates::is_month(word) {
            return true;
        }
        numbers += usize::from(word.bytes().any(|byte| byte.is_ascii_digit()));
        is_year = matches!(dates::number(word, 4), Some((1900..2100, "")));
    }
    numbers > 1 && is_year
}

/// Whether a word has an order that is not that of its letters.
pub(super) fn is_ranked(word: &str) -> bool {
    const RANKED: [&str; 17] = [
        "low", "medium", "moderate", "high", "critical", "minor", "major", "blocker", "trivial",
        "debug", "info", "warn", "warning", "error", "fatal", "small", "large",
    ];
    // `２８` and `Ⅳ` are numbers in other signs.
    word.starts_with(char::is_numeric)
        || RANKED.iter().any(|own| own.eq_ignore_ascii_case(word))
        || dates::is_month(word)
        || dates::is_day(word)
}

/// Whether a text stands for something with another order than its letters have.
pub(in crate::excerpt) fn has_order_of_its_own(text: &str) -> bool {
    matches!(Reading::of(text), Reading::Amount | Reading::OtherDate)
        || is_version(text)
        || text.bytes().any(|byte| byte.is_ascii_digit()) && is_like_date(text)
}
