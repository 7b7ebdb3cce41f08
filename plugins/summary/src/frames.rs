//! Frames of stack traces: which lines are frames, and whether the program or a library owns the code.
//!
//! Owns the signs of libraries, by language. Refuses to know the lines between frames.

use crate::failure_words::Starts;
use crate::search::{begins, ends, has, split};
use tamis_formats::{Sixteen, words};

/// A frame of Java or JavaScript without its place, of a line without blanks around it: `at com.example.Shop.run(Shop.java`
/// of `at com.example.Shop.run(Shop.java:12)`. A frame with other digits is read as other lines are: these may be counts.
#[inline]
pub fn call(line: &str) -> Option<&str> {
    match line.as_bytes() {
        [b'a', b't', b' ', .., b'0'..=b'9', b')'] => without_place(line),
        _ => None,
    }
}

fn without_place(line: &str) -> Option<&str> {
    let bytes = line.as_bytes();
    let (mut end, mut numbers) = (bytes.len() - 1, 0);
    // The number of a line, and in JavaScript that of a column after it.
    for _ in 0..2 {
        let digits = bytes[..end].iter().rev();
        let digits = digits.take_while(|byte| byte.is_ascii_digit()).count();
        let colon = end - digits - 1;
        if digits > 0 && bytes[colon] == b':' {
            (end, numbers) = (colon, numbers + 1);
        }
    }
    // Sentences may end like this: `at node b the disk is full (code:5)`. They name no file. Java has no blank in a call,
    // and JavaScript has two numbers.
    let call = bytes[..end].get("at ".len()..)?;
    let (last, before) = words::sixteen(call, call.len().saturating_sub(16));
    let signs = last.are_one_of([b'.', b'/', b':', b'>']) >> before;
    let is_file = numbers > 0 && signs > last.are_one_of([b' ', b'(']) >> before;
    let blank = if numbers == 1 { b' ' } else { b'0' };
    let is_other = |part: Sixteen| part.between(b'0', b'9') | part.are(blank);
    (is_file && !words::has_any_of(call, is_other)).then(|| &line[..end])
}

/// The kind of a frame in a stack trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Frame {
    /// Code of the program itself.
    Own,
    Library,
}

/// Packages of Java that belong to libraries, by their first letter.
fn packages(first: u8) -> &'static [&'static str] {
    match first {
        b'a' => &["android."],
        b'c' => &[
            "com.sun.",
            "com.fasterxml.",
            "com.google.",
            "com.mysql.",
            "com.zaxxer.",
            "ch.qos.",
        ],
        b'g' => &["groovy."],
        b'i' => &["io.netty.", "io.micrometer.", "io.grpc."],
        b'j' => &["java.", "javax.", "jakarta.", "jdk.", "junit."],
        b'k' => &["kotlin.", "kotlinx."],
        b'o' => &[
            "org.springframework.",
            "org.junit.",
            "org.apache.",
            "org.hibernate.",
            "org.postgresql.",
            "org.eclipse.",
            "org.gradle.",
            "org.jboss.",
            "org.mockito.",
            "org.slf4j.",
            "org.codehaus.",
            "org.testng.",
            "okhttp3.",
        ],
        b'r' => &["reactor."],
        b's' => &["sun.", "scala."],
        _ => &[],
    }
}

/// Parts of the paths of libraries.
const PATHS: [&str; 18] = [
    "site-packages/",
    "dist-packages/",
    "lib/python",
    "<frozen ",
    "node_modules/",
    "node:",
    "internal/",
    "/usr/local/go/",
    "/usr/lib/go",
    "/pkg/mod/",
    "/rustc/",
    "/.cargo/",
    "/library/std/",
    "/library/core/",
    "/gems/",
    "/lib/ruby/",
    "/vendor/",
    "\\site-packages\\",
];

/// The frame after a sign in a line: `api-1     | \tat com.example.Shop.run(Shop.java:12)`, `api-1  |     at a.js:3:5`. The
/// rest of a stack that is left out (`\t... 12 more`) counts as a library's.
pub fn after_sign(line: &str) -> Option<Frame> {
    let sign = memchr::memchr2(b'\t', b'|', line.as_bytes())?;
    let rest = line[sign + 1..].trim_start();
    if rest.starts_with("at ") {
        return frame(rest);
    }
    (rest.starts_with("... ") && rest.ends_with(" more")).then_some(Frame::Library)
}

/// The kind of frame in a line without leading blanks; none if the line is no frame.
#[inline]
pub fn frame(line: &str) -> Option<Frame> {
    // Most lines are none by their first byte.
    match line.as_bytes().first() {
        Some(b'F' | b'C' | b'a' | b'/') => frame_of_line(line),
        _ => None,
    }
}

fn frame_of_line(line: &str) -> Option<Frame> {
    static STARTS: Starts = Starts::of(&PATHS);
    let is_library = |path: &str| {
        let mut places = STARTS.places(path.as_bytes());
        places.any(|at| begins(path.get(at..).unwrap_or_default(), &PATHS))
    };
    let of_path = |path: &str| {
        if is_library(path) {
            Frame::Library
        } else {
            Frame::Own
        }
    };
    // Python, and the form of Jupyter.
    if let Some(rest) = line.strip_prefix("File ") {
        let is_frame = rest.starts_with('"') && has(rest, "\", line ")
            || has(rest, ", in ") && rest.contains(':');
        return is_frame.then(|| of_path(rest));
    }
    if line.starts_with("Cell In[") && has(line, ", line ") {
        return Some(Frame::Own);
    }
    if let Some(rest) = line.strip_prefix("at ") {
        // Fewer colons than points are in a line.
        let mut colons = memchr::memchr_iter(b':', rest.as_bytes());
        if colons.any(|at| ends(&rest[..at], &[".java", ".kt", ".scala"])) {
            // `app//com.example.Main.run`: the name of a loader before the class.
            let loader = memchr::memchr(b'/', rest.as_bytes()).and_then(|_| rest.rsplit_once('/'));
            let loader = loader.filter(|(loader, _)| !loader.contains('('));
            let name = loader.map_or(rest, |(_, name)| name);
            let packages = name.bytes().next().map_or(&[][..], packages);
            // Of those with the same first letters, the fifth rules out most.
            let fifth = |name: &str| name.as_bytes().get(4).copied();
            let may_be = |it: &&&str| fifth(it).is_none_or(|it| Some(it) == fifth(name));
            let mut packages = packages.iter().filter(may_be);
            let is_library = packages.any(|it| name.starts_with(it));
            return Some(if is_library {
                Frame::Library
            } else {
                Frame::Own
            });
        }
        if rest.ends_with("(Native Method)") || rest.ends_with("(Unknown Source)") {
            return Some(Frame::Library);
        }
        // JavaScript: `at run (/srv/app/a.js:3:5)`, `at /srv/app/a.js:3:5`; Rust: `at src/main.rs:3:5`.
        let place = rest.trim_end_matches(')');
        let mut parts = place.rsplit(':');
        let has_place = (0..2).all(|_| parts.next().is_some_and(is_number));
        // .NET: `at A.B() in /srv/app/A.cs:line 3`.
        let is_net = has(rest, ":line ") || rest.starts_with("System.");
        if has_place || is_net {
            let is_library = rest.starts_with("System.") || rest.starts_with("Microsoft.");
            return Some(if is_library {
                Frame::Library
            } else {
                of_path(rest)
            });
        }
        return None;
    }
    // Go: `/srv/app/main.go:12 +0x1d`.
    let (_, rest) = split(line.strip_prefix('/')?, ".go:")?;
    let is_frame = has(rest, " +0x");
    is_frame.then(|| of_path(line))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_a_frame_without_its_place() {
        for (line, expected) in [
            (
                "at com.example.Shop.run(Shop.java:12)",
                Some("at com.example.Shop.run(Shop.java"),
            ),
            ("at run (/srv/app/a.js:3:5)", Some("at run (/srv/app/a.js")),
            ("at run (/srv/app/a.js:1:3:5)", None),
            ("at com.example.Shop2.run(Shop.java:12)", None),
            ("at emit (node:events:513:28)", Some("at emit (node:events")),
            (
                "at JSON.parse (<anonymous>:1:5)",
                Some("at JSON.parse (<anonymous>"),
            ),
            ("at x:5)", None),
            ("at :5)", None),
            ("at é:5)", None),
            ("at 5)", None),
            ("at 12:30 (see a.b:5:6)", None),
            ("at 12:30 (a.b:5:6)", None),
            ("at node3 disk is full (code:5)", None),
            ("at node3 disk is full (10:12:13)", None),
            ("at node3 it refused (example.com:80)", None),
            ("at node3 é(é:5)", None),
            ("at run(a.b5)", None),
            ("at 12)", None),
            ("at noon (12)", None),
            ("at noon (:)", None),
            ("at run (Shop.java:12", None),
            ("put at run (Shop.java:12)", None),
        ] {
            assert_eq!(call(line), expected, "{line}");
        }
    }

    #[test]
    fn frames_of_programs_and_of_libraries() {
        for (line, expected) in [
            (r#"File "/srv/app/run.py", line 3, in main"#, Frame::Own),
            (
                r#"File "/usr/lib/python3.12/json/decoder.py", line 3, in x"#,
                Frame::Library,
            ),
            (
                r#"File "<frozen importlib._bootstrap>", line 1, in x"#,
                Frame::Library,
            ),
            ("File /srv/app/run.py:3, in main(a)", Frame::Own),
            ("Cell In[2], line 5", Frame::Own),
            ("at com.example.Shop.run(Shop.java:12)", Frame::Own),
            ("at app//com.example.Shop.run(Shop.java:12)", Frame::Own),
            (
                "at java.base/java.lang.Thread.run(Thread.java:833)",
                Frame::Library,
            ),
            ("at org.junit.Run.go(Run.java:1)", Frame::Library),
            ("at run (/srv/app/a.js:3:5)", Frame::Own),
            ("at http://127.0.0.1/page:1:552", Frame::Own),
            ("at x (/srv/node_modules/y/z.js:3:5)", Frame::Library),
            ("at node:internal/main/run:12:3", Frame::Library),
            ("/srv/app/main.go:12 +0x1d", Frame::Own),
            (
                "/usr/local/go/src/runtime/panic.go:12 +0x1d",
                Frame::Library,
            ),
        ] {
            assert_eq!(frame(line), Some(expected), "{line}");
        }
        for line in [
            "at noon",
            "File x",
            "File a, in b",
            "File a: b",
            "File \"a\" is gone",
            "File a\", line 3",
            "at the end (12)",
            "src/main.go:12: x",
        ] {
            assert_eq!(frame(line), None, "{line}");
        }
    }
}
