//! Calls that read an original. A model can use them as they are.

use crate::{Call, Kept, Part};

/// The call that reads a document's part of an original: `tamis_read {"ref":"…","part":"content[0]"}`. `arguments` adds
/// others, such as `"path":"$.data"`, or is empty. The call always names the part, because a result whose text and
/// `structuredContent` differ cannot be read without it.
///
/// Without this tool (`tamis hook`), the call is a command for a shell, with the same arguments as its last word:
/// `tamis read '{"ref":"…","part":"content"}'`.
///
/// # Examples
///
/// ```
/// use tamis_sdk::{keep_original, read_call, rewritten_text, testing::Bench};
///
/// let bench = Bench::of(|_document, call| {
///     let kept = keep_original("").ok_or("no originals are stored")?;
///     Ok(rewritten_text(read_call(&kept, call, r#""path":"$.tests[3]""#)))
/// });
/// assert_eq!(
///     bench.apply(r#"{"tests":[1,2,3,4]}"#).text(),
///     r#"tamis_read {"ref":"abcdefghij234567","part":"content[0]","path":"$.tests[3]"}"#
/// );
/// ```
pub fn read_call(kept: &Kept, call: &Call, arguments: &str) -> String {
    let mut more = match call.part() {
        Part::StructuredContent => r#","part":"structuredContent""#.to_owned(),
        Part::Content => format!(r#","part":"content[{}]""#, call.index()),
        // All text blocks as one document.
        Part::Whole | Part::Other => r#","part":"content""#.to_owned(),
    };
    if !arguments.is_empty() {
        more.push(',');
        more.push_str(arguments);
    }
    match (kept.call.strip_suffix('}'), kept.call.strip_suffix("}'")) {
        (Some(open), _) => format!("{open}{more}}}"),
        (None, Some(open)) => format!("{open}{}}}'", more.replace('\'', r"'\''")),
        (None, None) => kept.call.clone(),
    }
}

/// A number with commas between thousands: `12,345`.
///
/// # Examples
///
/// ```
/// use tamis_sdk::thousands;
///
/// let note = format!("[{} more lines]", thousands(12_345));
/// assert_eq!(note, "[12,345 more lines]");
/// ```
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::thousands;

    #[test]
    fn thousands_are_told_apart() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (12_345_678, "12,345,678"),
        ] {
            assert_eq!(thousands(number), text);
        }
    }
}
