//! Calls that read an original. A model can use them as they are.

use crate::Kept;

/// The call that reads a document of an original, with these arguments: `tamis_read {"ref":"…","path":"$.data"}`.
/// Without arguments, it is [`Kept::call`].
///
/// Without this tool (`tamis hook`), the call is a command for a shell, with the same arguments as its last word:
/// `tamis read '{"ref":"…","path":"$.data"}'`.
///
/// # Examples
///
/// ```
/// use tamis_sdk::{keep_original, read_call, rewritten_text, testing::Bench};
///
/// let bench = Bench::of(|_document, _call| {
///     let kept = keep_original("").ok_or("no originals are stored")?;
///     Ok(rewritten_text(read_call(&kept, r#""path":"$.tests[3]""#)))
/// });
/// assert_eq!(
///     bench.apply(r#"{"tests":[1,2,3,4]}"#).text(),
///     r#"tamis_read {"ref":"abcdefghij234567","path":"$.tests[3]"}"#
/// );
/// ```
pub fn read_call(kept: &Kept, arguments: &str) -> String {
    if arguments.is_empty() {
        return kept.call.clone();
    }
    match (kept.call.strip_suffix('}'), kept.call.strip_suffix("}'")) {
        (Some(open), _) => format!("{open},{arguments}}}"),
        (None, Some(open)) => format!("{open},{}}}'", arguments.replace('\'', r"'\''")),
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
