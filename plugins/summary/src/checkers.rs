//! What checkers of memory and of threads report: valgrind, and the sanitizers of compilers.
//!
//! Owns the words of their findings, and their frames. Refuses to know the order of lines.

use crate::frames::Frame;
use crate::search::{begins, has, split};

/// Beginnings of findings of valgrind.
const FINDINGS: [&str; 11] = [
    "Invalid read of size ",
    "Invalid write of size ",
    "Invalid free() ",
    "Mismatched free() ",
    "Conditional jump or move depends on ",
    "Use of uninitialised value ",
    "Syscall param ",
    "Source and destination overlap ",
    "Process terminating with default action of signal ",
    "Possible data race during ",
    "Jump to the invalid address ",
];

/// A line without the number of a process that valgrind and sanitizers write before it: `==4411== `, `==4411==`.
pub fn without_process(line: &str) -> &str {
    let rest = line.strip_prefix("==").and_then(|rest| {
        let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        rest.strip_prefix("==")
    });
    // `=====` is a line between parts.
    match rest.filter(|rest| line.len() > rest.len() + 4 && !rest.starts_with('=')) {
        Some(rest) => rest.strip_prefix(' ').unwrap_or(rest),
        None => line,
    }
}

/// Whether a line without [`without_process`] is a finding. `is_of_process`: it had a process.
pub fn is_finding(start: &str, is_of_process: bool) -> bool {
    let name = split(start, ": ").and_then(|(level, rest)| {
        let is_level = matches!(level, "SUMMARY" | "WARNING" | "ERROR");
        split(rest, "Sanitizer: ").filter(|_| is_level)
    });
    let is_sanitizer =
        name.is_some_and(|(name, _)| name.bytes().all(|byte| byte.is_ascii_alphabetic()));
    is_sanitizer
        || start == "WARNING: DATA RACE"
        || is_of_process
            && (begins(start, &FINDINGS)
                || has(start, " bytes in ") && has(start, " are definitely lost in ")
                || start.starts_with("definitely lost: ") && !is_nothing(start)
                || start.starts_with("ERROR SUMMARY: ") && !is_nothing(start))
}

/// Whether a total is 0: `ERROR SUMMARY: 0 errors from 0 contexts`.
pub fn is_nothing(start: &str) -> bool {
    split(start, ": ").is_some_and(|(_, number)| number.starts_with("0 "))
}

/// The frame in `at 0x109A3C: main (main.c:20)`, `by 0x10A: main (in /usr/bin/app)` or `#1 0x4b in main /src/main.c:4:1`.
pub fn frame(start: &str) -> Option<Frame> {
    let is_number = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    let rest = start.strip_prefix('#').and_then(|rest| {
        let (_, rest) = split(rest, " 0x").filter(|(at, _)| is_number(at))?;
        split(rest, " in ")
    });
    if let Some((_, place)) = rest {
        // `malloc (/app/t+0x4a)` has no line of a file.
        let has_line = has(place, ".c") || place.contains(':');
        let is_library = has(place, "+0x") || !has_line || has(place, "/sanitizer");
        return Some(if is_library {
            Frame::Library
        } else {
            Frame::Own
        });
    }
    let rest = start
        .strip_prefix("at 0x")
        .or_else(|| start.strip_prefix("by 0x"))?;
    let (_, place) = split(rest, ": ")?;
    let is_library =
        has(place, "(in /") || has(place, "(vg_replace") || place.ends_with("(below main)");
    Some(if is_library {
        Frame::Library
    } else {
        Frame::Own
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_before_lines() {
        for (line, rest) in [
            ("==4411== Invalid", "Invalid"),
            ("==4411==ERROR: a", "ERROR: a"),
            ("==4411==    at 0x1", "   at 0x1"),
            ("==4411==", ""),
            ("=====", "====="),
            ("== a ==", "== a =="),
            ("====1", "====1"),
        ] {
            assert_eq!(without_process(line), rest, "{line}");
        }
    }

    #[test]
    fn frames_of_programs_and_of_libraries() {
        for (line, expected) in [
            ("at 0x109A3C: cart_free (cart.c:88)", Some(Frame::Own)),
            (
                "at 0x48: malloc (vg_replace_malloc.c:381)",
                Some(Frame::Library),
            ),
            ("by 0x48: run (in /usr/lib/libc.so.6)", Some(Frame::Library)),
            ("#1 0x4b in load /src/index.c:12:9", Some(Frame::Own)),
            ("#0 0x4a in malloc (/app/t+0x4a)", Some(Frame::Library)),
            ("#0 0x49 in free", Some(Frame::Library)),
            ("#12 a pull request", None),
            ("at noon", None),
            ("by 0x10", None),
        ] {
            assert_eq!(frame(line), expected, "{line}");
        }
    }
}
