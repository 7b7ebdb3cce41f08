//! Lines that report a failure by themselves, as compilers, tests, shells and package managers write them.
//!
//! Owns how these lines begin. Refuses to know the lines around them (`shapes`), and the words of failures (`failure_words`).

use crate::checkers;
use crate::failure_words::{CROSS, ERROR, EXCEPTION, EXIT, MAKE, UNDEFINED, WORD};
use crate::levels;
use crate::search::{begins, ends, find, has as part, split};
use crate::shapes::Shape;
use crate::trim::trim_start;

/// Whether a line is an exception's class, with a message or without: `ValueError: …`, `app.errors.Stop`.
pub fn is_exception(start: &str) -> bool {
    let name = start.split(':').next().unwrap_or_default();
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
    name.starts_with(|c: char| c.is_alphabetic()) && name.chars().all(is_name) && name.len() < 120
}

/// Whether a line begins with the class of an exception and its message: `ValueError: …`.
pub fn has_class(start: &str) -> bool {
    split(start, ": ").is_some_and(|(class, _)| {
        (class.ends_with("Error") || class.ends_with("Exception"))
            && class.len() > 5
            && is_exception(class)
    })
}

/// What test tools write before a failure.
const MARKS: [&str; 7] = ["● ", "✕ ", "✗ ", "✘ ", "✖ ", "× ", "❌"];

/// Whether a line begins with a unit of systemd, which has a bullet in any state: `● shop.service - Shop API`.
fn is_unit(start: &str) -> bool {
    const KINDS: [&str; 8] = [
        "service", "socket", "timer", "mount", "target", "path", "slice", "scope",
    ];
    let unit = start
        .strip_prefix("● ")
        .and_then(|rest| rest.split(' ').next());
    let kind = unit.and_then(|unit| unit.rsplit_once('.'));
    let is_bad = part(start, " failed ") || start.ends_with(" failed");
    kind.is_some_and(|(_, kind)| KINDS.contains(&kind)) && !is_bad
}

/// Whether a line is an error of klog or of Android: `E1120 09:01:30.123456 1 a.go:88] …`, `E/Tag( 12): …`.
fn is_klog(start: &str) -> bool {
    let digits = start[1..].bytes().take_while(u8::is_ascii_digit).count();
    digits == 4 && start[5..].starts_with(' ') && part(start, "] ")
        || start[1..].starts_with('/') && part(start, "): ")
}

/// Beginnings of errors of TeX.
const TEX: [&str; 5] = [
    "! LaTeX Error",
    "! Undefined control sequence",
    "! Missing ",
    "! Emergency stop",
    "! Package ",
];

/// Whether what follows `E: ` is an error of APT. It may be a name in a list: `E: Ann Example`, `E: Ann Example, 12 Long
/// Road`.
fn is_of_apt(said: &str) -> bool {
    let mut words = said.splitn(3, ' ');
    let is_name = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_uppercase())
            && word[1..].bytes().all(|byte| byte.is_ascii_lowercase())
    };
    let (first, second) = (words.next().unwrap_or_default(), words.next());
    let is_of_list = |second: &str| {
        let name = second.strip_suffix(',');
        let ends = name.is_some() || said.len() == first.len() + 1 + second.len();
        let name = name.unwrap_or(second);
        ends && is_name(first) && is_name(name) && name != "Error"
    };
    said.starts_with("dpkg was")
        || said.starts_with(|c: char| c.is_ascii_uppercase()) && !second.is_some_and(is_of_list)
}

/// Beginnings of what clients say when a server does not answer as it should.
const OF_CLIENTS: [&str; 10] = [
    "An error occurred (",
    "Cannot connect to the Docker daemon at ",
    "Error from server (",
    "Error from server: ",
    "Error response from daemon: ",
    "Host key verification failed.",
    "ORA-0",
    "Unable to connect to the server: ",
    "rpc error: code = ",
    "ssh: connect to host ",
];

/// What systems say at the end of a message of a program: `cat: a.txt: Permission denied`.
const OF_SYSTEMS: [&str; 10] = [
    ": Permission denied",
    ": No such file or directory",
    ": command not found",
    ": Connection refused",
    ": Connection timed out",
    ": Connection reset by peer",
    ": No route to host",
    ": No space left on device",
    ": Operation not permitted",
    ": Cannot allocate memory",
];

/// Whether a line is the name of a program and its message, which is an error, or which a system said.
fn is_of_program(start: &str) -> bool {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./+".contains(&byte);
    split(start, ": ").is_some_and(|(name, message)| {
        let says_so = || begins(message, &["error: ", "fatal: ", "fatal error: "]);
        !name.is_empty() && name.bytes().all(is_name) && (says_so() || ends(start, &OF_SYSTEMS))
    })
}

/// The shape of a line of a known tool, by its beginning. `marks`: those of `failure_words`.
pub fn known(line: &str, start: &str, indent: usize, marks: u16, is_strict: bool) -> Option<Shape> {
    use Shape::{Detail, Failure};
    let has = |prefix: &str| start.starts_with(prefix);
    let shape = match start.as_bytes()[0] {
        b'(' if indent == 0 && has("(fail) ") => Some(Failure),
        b'!' if has("! [") && start.contains(']') => Some(Failure),
        b'!' if indent == 0 && begins(start, &TEX) => Some(Failure),
        b'-' if has("--- FAIL") => Some(Failure),
        // A command for GitHub's workflows.
        b':' if indent == 0 && (has("::error ") || has("::error::")) => Some(Failure),
        b'-' if indent > 0 && has("--> ") => Some(Detail),
        b'-' if has("----> ") => Some(Detail),
        // Elixir.
        b'*' if has("** (") && (part(start, "Error) ") || has("** (EXIT")) => Some(Failure),
        b'A' if has("AssertionError") => Some(Failure),
        b'B' if has("BUILD FAILED") => Some(Failure),
        b'C' if has("Caused by:") || has("CONFLICT (") => Some(Failure),
        b'D' if has("Detail: ") || has("DETAIL: ") => Some(Failure),
        b'E' if has("Exception in thread ") => Some(Failure),
        // An assertion of pytest, and then the origin of its values.
        b'E' if indent == 0 && has("E   ") => {
            let is_value = start[1..].trim_start().starts_with(['+', '-', '?']);
            Some(if is_value { Detail } else { Failure })
        }
        b'E' if indent == 0 && has("Err:") => Some(Failure),
        // APT.
        b'E' if indent == 0 && !is_strict && has("E: ") => {
            is_of_apt(&start[3..]).then_some(Failure)
        }
        b'E' | b'F' if indent == 0 && is_klog(start) => Some(Shape::Word),
        b'E' if indent == 0 && begins(start, &["Error: ", "ERROR: ", "ERROR ", "Error ["]) => {
            Some(Failure)
        }
        b'>' if indent == 0 && has(">    ") => Some(Detail),
        b'F' if indent == 0 && (has("FAIL ") || has("FAIL:") || has("FAIL\t")) => Some(Failure),
        b'F' if indent == 0 && (has("FAILED ") || has("FAILED:")) => Some(Failure),
        b'F' if has("FATAL:") || has("FATAL ") => Some(Failure),
        b'[' if is_marked_error(start) => Some(Failure),
        b'S' if indent == 0 && begins(start, &["SUBFAILED(", "SUBFAILED[", "SUBFAILED "]) => {
            Some(Failure)
        }
        b'S' | b'W' if checkers::is_finding(start, false) => Some(Failure),
        // An event of Kubernetes.
        b'W' if indent > 0 && is_event(start) => Some(Shape::Word),
        b'S' if has("Segmentation fault") || has("Suppressed: ") => Some(Failure),
        b'U' if indent == 0 && is_uncaught(start) => Some(Failure),
        b'U' if indent == 0 && has("UNEXPECTED SUCCESS: ") => Some(Failure),
        b'0'..=b'9' if is_of_ctest(start) => Some(Failure),
        b'd' if indent == 0 && has("dpkg: error ") => Some(Failure),
        b'r' if indent == 0 && has("rsync error: ") => Some(Failure),
        b'e' if indent == 0 && has("e: ") && part(start, ".kt:") => Some(Failure),
        b'e' if indent == 0 && (has("error:") || has("error[")) => Some(Failure),
        // Prose wraps before any word.
        b'e' if indent == 0 && !is_strict && has("error ") => Some(Failure),
        // The console of ASP.NET.
        b'f' | b'c' if (has("fail: ") || has("crit: ")) && start.ends_with(']') => Some(Failure),
        b'f' if indent == 0 && (has("fatal:") || has("fatal error:")) => Some(Failure),
        b'n' if has("npm ERR! ") || has("npm error ") => Some(Failure),
        b'n' if has("not ok ") => {
            let is_known = part(line, "# TODO") || part(line, "# SKIP");
            (!is_known).then_some(Failure)
        }
        b'p' if indent == 0 && has("panic: ") => Some(Failure),
        b't' if has("thread ") && part(start, " panicked at ") => Some(Failure),
        b't' if has("test ") && start.ends_with("... FAILED") => Some(Failure),
        _ if start.as_bytes()[0] >= 0x80 => {
            let is_marked = begins(start, &MARKS) && !is_unit(start) && !tells_none(start);
            is_marked.then_some(Failure)
        }
        _ => None,
    };
    let shape = shape.or_else(|| {
        let may_be_of_client = || b"ACEHOUrs".contains(&start.as_bytes()[0]);
        let is_said = indent == 0
            && (start == "Killed"
                || may_be_of_client() && begins(start, &OF_CLIENTS)
                || marks & WORD != 0 && is_of_program(start));
        is_said.then_some(Failure)
    });
    // `- ❌ checkout pays twice`
    let shape = shape.or_else(|| {
        let item = start
            .strip_prefix("- ")
            .or_else(|| start.strip_prefix("* "))?;
        let is_marked = item.as_bytes().first().is_some_and(|byte| *byte >= 0x80)
            && MARKS
                .iter()
                .any(|mark| item.starts_with(mark) && *mark != "● ");
        is_marked.then_some(Failure)
    });
    // Robot Framework, and Flutter.
    let may_end = matches!(
        start.as_bytes(),
        [.., b' ', b'|'] | [.., b'E' | 0x80.., b']']
    );
    let has_end = may_end && ends(start, &["| FAIL |", " [E]", "[✘]"]);
    let shape = shape.or(has_end.then_some(Failure));
    shape.or_else(|| {
        let may_be = |words: u16| marks & words != 0;
        let is_make = may_be(MAKE) && (part(start, ": *** [") || part(start, ": *** No rule"));
        let is_compiler = may_be(ERROR) && is_compiler_error(start)
            || may_be(UNDEFINED) && part(start, ": undefined reference to ");
        let is_placed = || may_be(ERROR) && indent == 0 && is_error_at(start);
        let is_exit = may_be(EXIT) && has_exit_code(start);
        let is_class = indent == 0 && may_be(ERROR | EXCEPTION) && has_class(start);
        let is_crossed = || may_be(CROSS) && is_crossed(start);
        (is_make || is_compiler || is_placed() || is_exit || is_class || is_crossed())
            .then_some(Failure)
    })
}

/// Whether a line begins with several marks, as a row of a table of what is and what is not: `✗ ✓ ✗  exports PDF`.
pub fn is_row_of_marks(line: &str) -> bool {
    let mark = |text: &str| text.starts_with(['✓', '✔', '✗', '✘', '✖', '✕', '❌', '✅']);
    let line = trim_start(line);
    let next = line.split_once([' ', '\t', '|']);
    mark(line) && next.is_some_and(|(_, rest)| mark(levels::after(rest, b" \t|")))
}

/// Whether what follows a mark tells of no failure: counts of 0 alone (`0 errors and 0 warnings`, `0 failed, 12 passed`),
/// or a thing that was not to be done (`Skipped (not needed)`). Names of tests may begin with such words.
#[inline(never)]
fn tells_none(marked: &str) -> bool {
    const UNDONE: [&str; 5] = [
        "skipped",
        "not selected",
        "not needed",
        "not required",
        "not applicable",
    ];
    const COUNTED: [&str; 12] = [
        "error", "warning", "problem", "failure", "failed", "failing", "issue", "test", "found",
        "and", "or", "0",
    ];
    let said = marked.trim_start_matches(|c: char| !c.is_ascii_alphanumeric());
    let is_undone = |undone: &&str| {
        let start = said.get(..undone.len()).unwrap_or_default();
        let rest = &said[start.len()..];
        let ends = rest.is_empty() || begins(rest, &[" (", ":", ","]);
        ends && start.eq_ignore_ascii_case(undone)
    };
    let words = said.split(|c: char| !c.is_ascii_alphanumeric());
    // A number waits for the word that tells whether it is one of failures.
    let (mut are_counts, mut waits) = (said == "0" || said.starts_with("0 "), false);
    for word in words.filter(|word| !word.is_empty()) {
        let is_good = waits && matches!(word, "passed" | "passing");
        are_counts &= is_good || !waits;
        waits = !is_good && !COUNTED.contains(&word.strip_suffix('s').unwrap_or(word));
        are_counts &= !waits || word.bytes().all(|byte| byte.is_ascii_digit());
    }
    are_counts &= !waits;
    are_counts || UNDONE.iter().any(is_undone)
}

/// Whether a cross follows a time, perhaps after a level and names in brackets: `12:00:01 INFO [deploy] ❌ …`.
#[inline(never)]
fn is_crossed(start: &str) -> bool {
    let Some(mut rest) = levels::after_time(start) else {
        return false;
    };
    loop {
        rest = levels::after(rest, b" \t])|:-");
        if begins(rest, &MARKS) {
            return !rest.starts_with('●') && !tells_none(rest);
        }
        let Some((word, next)) = split(rest, " ") else {
            return false;
        };
        if !word.starts_with('[') && !word.bytes().all(|it| it.is_ascii_uppercase()) {
            return false;
        }
        rest = next;
    }
}

/// Whether a line begins with the level of an error in brackets: `[ERROR] …`. `[error]: https://…` is a link.
fn is_marked_error(start: &str) -> bool {
    let level = start[1..].split_once(']');
    level.is_some_and(|(level, rest)| {
        let is = |known: &&str| level.eq_ignore_ascii_case(known);
        rest.starts_with(' ') && ["error", "fatal", "critical", "severe"].iter().any(is)
    })
}

/// Whether a line tells of an exception that nothing caught: `Uncaught TypeError: …`, `Uncaught (in promise) …`,
/// `Unhandled rejection …`.
fn is_uncaught(start: &str) -> bool {
    let rest = start.strip_prefix("Uncaught ");
    let rest = rest.map(|rest| rest.strip_prefix("(in promise) ").unwrap_or(rest));
    rest.is_some_and(|rest| has_class(rest) || is_exception(rest) && part(rest, "Error"))
        || start.starts_with("Unhandled ") && part(start, "rejection")
        || start.starts_with("UnhandledPromiseRejection")
}

/// Whether a line is an error of a compiler: `a.c:3:5: error: …`, `a.ts(3,5): error TS2322: …`, `a.ts:3:5 - error
/// TS2322: …`.
pub fn is_compiler_error(start: &str) -> bool {
    let Some(at) = find(start, "error") else {
        return false;
    };
    let (before, after) = (&start[..at], &start[at + 5..]);
    let before = before
        .strip_suffix("fatal ")
        .or_else(|| before.strip_suffix("runtime "))
        .unwrap_or(before);
    let place = before
        .strip_suffix(": ")
        .or_else(|| before.strip_suffix(" - "))
        .unwrap_or_default();
    let ends_in_place = place.ends_with(|c: char| c.is_ascii_digit() || c == ')');
    // A runner of jobs writes the time before each line.
    let is_alone = match place.rsplit_once(' ') {
        Some((before, _)) => {
            before.starts_with(|c: char| c.is_ascii_digit()) && before.contains(':')
        }
        None => true,
    };
    ends_in_place && is_alone && (after.starts_with(':') || after.starts_with(' '))
}

/// Whether a program names itself and the place of its error: `CMake Error at CMakeLists.txt:48 (find_package):`.
fn is_error_at(start: &str) -> bool {
    split(start, " Error at ").is_some_and(|(name, place)| {
        let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let line = place.split_once(':').map_or("", |(_, line)| line);
        is_name && line.starts_with(|c: char| c.is_ascii_digit())
    })
}

/// Whether a line is a test of `ctest` that did not pass: `42/43 Test #42: slow ......***Timeout   1.02 sec`, and later
/// `42 - slow (Timeout)`.
fn is_of_ctest(start: &str) -> bool {
    const OUTCOMES: [&str; 11] = [
        " (Failed)",
        " (Timeout)",
        " (Not Run)",
        " (SEGFAULT)",
        " (ILLEGAL)",
        " (INTERRUPT)",
        " (NUMERICAL)",
        " (BUS_ERROR)",
        " (OTHER_FAULT)",
        " (Subprocess aborted)",
        " (Child aborted)",
    ];
    let of_test = || {
        let (_, outcome) = split(start, " Test ").and_then(|(_, rest)| split(rest, "***"))?;
        Some(!outcome.starts_with("Skipped"))
    };
    let is_listed = || {
        let (number, _) = split(start, " - ")?;
        Some(number.bytes().all(|byte| byte.is_ascii_digit()))
    };
    start.ends_with(" sec") && of_test() == Some(true)
        || start.ends_with(')') && ends(start, &OUTCOMES) && is_listed() == Some(true)
}

/// Whether a line is an event of Kubernetes that warns: `Warning  BackOff  4m (x12 over 9m)  kubelet  Back-off …`.
fn is_event(start: &str) -> bool {
    let rest = start.strip_prefix("Warning  ").map(str::trim_start);
    let reason = rest.and_then(|rest| split(rest, "  "));
    reason.is_some_and(|(reason, _)| {
        reason.starts_with(|c: char| c.is_ascii_uppercase())
            && reason.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

/// Whether a line has an exit code other than 0: `exited with code 2`, `exit status 1`, `exit code: 137`.
pub fn has_exit_code(line: &str) -> bool {
    let mut from = 0;
    let at = loop {
        let rest = &line[from..];
        let Some(at) = find(rest, "exit").or_else(|| find(rest, "Exit")) else {
            return false;
        };
        // `--exit-code 1` is an option.
        if !line[..from + at].ends_with('-') {
            break from + at;
        }
        from += at + "exit".len();
    };
    let words = line[at..].split([' ', ':', '=', '(', ')']);
    let mut words = words.filter(|word| !word.is_empty()).take(6);
    let verb = words.next().unwrap_or_default();
    let mut words = words.skip_while(|word| {
        matches!(
            *word,
            "with" | "code" | "Code" | "status" | "non-zero" | "a"
        )
    });
    let is_about = ["code", "Code", "status"]
        .iter()
        .any(|it| line[at..].contains(it));
    let code = words
        .next()
        .map(|word| word.trim_end_matches(['.', ',', ';', '!']));
    // `Exit with code 1 if there are any hints.`
    let has_condition = matches!(words.next(), Some("if" | "when"));
    let is_rule =
        has_condition && !verb.ends_with('d') && line[at + verb.len()..].starts_with(" with ");
    is_about && code.is_some_and(|code| code.parse::<i64>().is_ok_and(|code| code != 0)) && !is_rule
}
