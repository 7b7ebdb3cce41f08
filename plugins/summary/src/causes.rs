//! The cause at the end of a long line that tells a failure: `… Caused by: java.io.IOException: No space left on device`.
//!
//! Owns the words before a cause. Refuses to know which lines are shown, and which tell failures.

use crate::paper::{CUT, characters, cut};
use std::borrow::Cow;

/// What stands before a cause. The first letter of most is left out, because it may be a capital.
const BEFORE: [&str; 10] = [
    "aused by: ",
    "aused by ",
    "ested exception is ",
    "oot cause",
    "ause: ",
    "eason: ",
    "rror: ",
    "xception: ",
    "ailed: ",
    "rror=",
];
/// One part in so many of the shown characters is the beginning of the line.
const HEAD: usize = 2;

/// At most `limit` characters of a line that tells a failure: its beginning, and its last cause if that is further on.
pub fn with_cause(line: &str, limit: usize) -> Cow<'_, str> {
    let head = cut(line, limit);
    let Some(shown) = head.strip_suffix(CUT) else {
        return head;
    };
    let places = BEFORE.iter().filter_map(|before| line.rfind(before));
    // From the word's beginning on.
    let start = |at: usize| {
        let before = line[..at].rfind([' ', '\t', '(', '[', ',', ';', '|']);
        before.map_or(0, |blank| blank + 1)
    };
    let Some(cause) = places.max().map(start).filter(|at| *at >= shown.len()) else {
        return head;
    };
    let cause = cut(&line[cause..], limit - limit / HEAD);
    let room = limit.saturating_sub(characters(&cause) + 1);
    Cow::Owned(format!("{} {cause}", cut(line, room)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cause_of_a_long_line() {
        let way = "at org.x.Writer.write(Writer.scala:789) ".repeat(12);
        let line = format!(
            "WARN Lost task 17: SparkException: it failed {way}Caused by: java.io.IOException: No space left {way}"
        );
        let told = with_cause(&line, 240);
        assert!(told.starts_with("WARN Lost task 17: "), "{told}");
        assert!(
            told.contains("java.io.IOException: No space left"),
            "{told}"
        );
        assert!(characters(&told) <= 240, "{told}");
        // What is shown anyway, a short line, and one without a cause.
        let near = format!("ERROR: no {way}");
        assert_eq!(with_cause(&near, 240), cut(&near, 240));
        assert_eq!(with_cause("ERROR: no", 240), "ERROR: no");
        assert_eq!(with_cause(&way, 240), cut(&way, 240));
        let wide = format!("{}ursache: {}", "ä".repeat(300), "ö".repeat(300));
        assert!(characters(&with_cause(&wide, 60)) <= 60);
    }
}
