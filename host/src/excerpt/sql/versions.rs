//! Versions: `1.10.2`, `v2.0-rc1`.
//!
//! Owns their spellings and their order. Refuses to know columns.

use std::cmp::Ordering;

/// Whether a text is a version: `1.10.2`, `v2.0`, `v10`.
pub(super) fn is_version(text: &str) -> bool {
    const LONGEST: usize = 40;
    let digits = text.strip_prefix('v').unwrap_or(text);
    let is_part = |c: char| c.is_ascii_alphanumeric() || ".-+~_:".contains(c);
    let numbers = digits.find(|c: char| !c.is_ascii_digit() && c != '.');
    let (numbers, rest) = digits.split_at(numbers.unwrap_or(digits.len()));
    let least = match digits.len() < text.len() {
        // `v3f9a` is a code.
        true => usize::from(!rest.is_empty()),
        false => 2,
    };
    text.len() <= LONGEST
        && digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.chars().all(is_part)
        && numbers.matches('.').count() >= least
}

/// Whether a text begins as a version does: with a digit, or with one after `v`.
pub(super) fn begins_as_version(text: &str) -> bool {
    let digits = text.strip_prefix('v').unwrap_or(text);
    digits.starts_with(|c: char| c.is_ascii_digit())
}

/// Whether the rest of a version says that it comes before the version without it: `-rc1`, `~beta`, `rc1`, `.dev3`, `b2`.
fn is_early(rest: &str) -> bool {
    const WORDS: [&str; 7] = ["alpha", "beta", "rc", "dev", "pre", "snapshot", "preview"];
    let word = rest.trim_start_matches(['-', '~', '.', '_']);
    let end = word.find(|c: char| !c.is_ascii_alphabetic());
    let (letters, after) = word.split_at(end.unwrap_or(word.len()));
    // `1.0b2`, but `1.1.1b` follows `1.1.1a`.
    let is_short = matches!(letters, "a" | "b") && after.starts_with(|c: char| c.is_ascii_digit());
    let is_word = WORDS.iter().any(|own| letters.eq_ignore_ascii_case(own));
    is_word || is_short || !letters.is_empty() && rest.starts_with(['-', '~'])
}

/// The order of versions: numbers in them by their values, and `1.0-rc1` before `1.0`.
pub(super) fn compare_versions(one: &str, other: &str) -> Ordering {
    let [a, b] = [one, other].map(|text| text.strip_prefix('v').unwrap_or(text));
    compare_parts(a, b, is_early).then_with(|| one.cmp(other))
}

/// The order of texts with numbers in them: these by their values.
pub(super) fn compare_numbered(one: &str, other: &str) -> Ordering {
    compare_parts(one, other, |_| false).then_with(|| one.cmp(other))
}

fn compare_parts(mut a: &str, mut b: &str, is_early: fn(&str) -> bool) -> Ordering {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    loop {
        match (a.chars().next(), b.chars().next()) {
            (None, None) => return Ordering::Equal,
            _ if is_early(a) != is_early(b) => return is_early(b).cmp(&is_early(a)),
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some(x), Some(y)) if x.is_ascii_digit() && y.is_ascii_digit() => {
                let (number, rest) = a.split_at(digits(a));
                let (second, after) = b.split_at(digits(b));
                let [number, second] = [number, second].map(|it| it.trim_start_matches('0'));
                let order = (number.len(), number).cmp(&(second.len(), second));
                if order != Ordering::Equal {
                    return order;
                }
                (a, b) = (rest, after);
            }
            (Some(x), Some(y)) if x == y => (a, b) = (&a[x.len_utf8()..], &b[y.len_utf8()..]),
            (Some(x), Some(y)) => return x.cmp(&y),
        }
    }
}
