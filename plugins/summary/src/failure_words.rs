//! Words of failures in a line, and the parts that rule out most lines.
//!
//! Owns the words, and when one reports a failure. Refuses to know the shapes of known tools.

use crate::harmless;
use crate::levels;
use crate::log_words;
use crate::options;
use crate::search::{begins, split};
use crate::telling::letters_at;
use crate::words::{Runs, eight};
use std::ops::Range;
use tamis_formats::words;

/// What systems and programs say of failures, without one of [`FAILURES`], then those that count in lines of texts alone
/// (`log_words`).
pub const PHRASES: [&str; ANYWHERE + log_words::PHRASES.len()] = {
    let mut phrases = [""; ANYWHERE + log_words::PHRASES.len()];
    let mut at = 0;
    while at < phrases.len() {
        phrases[at] = match at < ANYWHERE {
            true => OF_FAILURES[at],
            false => log_words::PHRASES[at - ANYWHERE],
        };
        at += 1;
    }
    phrases
};

/// The number of phrases that count anywhere.
pub const ANYWHERE: usize = OF_FAILURES.len();

const OF_FAILURES: [&str; 30] = [
    "ermission denied",
    "ccess denied",
    "onnection refused",
    "o such file or directory",
    "timed out",
    "ut of memory",
    "OOMKilled",
    "CrashLoopBackOff",
    "ImagePullBackOff",
    "egmentation fault",
    "segfault",
    "core dumped",
    "by signal",
    "on signal",
    "data race",
    "ommand not found",
    "o route to host",
    "certificate has expired",
    "ould not resolve",
    "i/o timeout",
    "eadline exceeded",
    "o space left",
    "unreachable=",
    "nhealthy",
    "UNMET ",
    "nmerged paths",
    "both modified:",
    "both added:",
    "everity: critical",
    "peration not permitted",
];

/// A bit for each four bytes, by [`place_of_start`]: 1 if one of some texts may begin with them.
pub struct Starts([u64; 128]);

static STARTS: Starts = Starts::of(&PHRASES);

impl Starts {
    pub const fn of(texts: &[&str]) -> Starts {
        let mut starts = [0; 128];
        let mut at = 0;
        while at < texts.len() {
            let [first, second, third, fourth, ..] = texts[at].as_bytes() else {
                panic!("a text has four bytes");
            };
            let place = place_of_start(&[*first, *second, *third, *fourth]);
            starts[place / 64] |= 1 << (place % 64);
            at += 1;
        }
        Starts(starts)
    }

    /// Where one of the texts may begin.
    #[inline]
    pub fn places(&self, text: &[u8]) -> impl Iterator<Item = usize> {
        let parts = text.array_windows().enumerate();
        let places = parts.filter(|(_, part)| {
            let place = place_of_start(part);
            self.0[place / 64] >> (place % 64) & 1 == 1
        });
        places.map(|(at, _)| at)
    }
}

const fn place_of_start(letters: &[u8; 4]) -> usize {
    (u32::from_le_bytes(*letters).wrapping_mul(0x9e37_79b1) >> 19) as usize
}

/// Whether a line with these [`marks`] reports a failure with a word, a phrase or a status.
pub fn is_failure(line: &str, marks: u16) -> bool {
    marks & FAILURE != 0 && has_word(line) && !is_signature(line) && !harmless::is_extension(line)
        || marks & PHRASE != 0 && has_phrase(line) && !harmless::is_optional(line)
        || marks & STATUS != 0 && has_bad_status(line)
}

/// Whether a line, perhaps after its number, begins a definition of a function: the words in it are names.
#[inline(never)]
fn is_signature(line: &str) -> bool {
    let start = levels::after(line, b" \t0123456789:-|");
    if !begins(start, &["def ", "async ", "fn ", "pub ", "func "]) {
        return false;
    }
    let word_and_name = split(start, "(").and_then(|(name, _)| name.rsplit_once(' '));
    word_and_name.is_some_and(|(word, name)| {
        matches!(word, "def" | "async def" | "fn" | "pub fn" | "func")
            && name.bytes().all(levels::is_word)
    })
}

/// Whether what follows a name and a colon is a type, as in a list of parameters: ` str = "",`, ` BaseException,`.
#[inline(never)]
fn is_type(rest: &[u8]) -> bool {
    const TYPES: [&str; 8] = [
        " str",
        " string",
        " int",
        " bool",
        " list",
        " Optional",
        " Exception",
        " BaseException",
    ];
    TYPES.iter().any(|it| {
        let rest = rest.strip_prefix(it.as_bytes());
        rest.is_some_and(|rest| {
            matches!(
                rest,
                b"," | [b'[' | b')', ..] | [b' ', b'=' | b'|', b' ', ..]
            )
        })
    })
}

/// Whether a line has a phrase of failures.
fn has_phrase(line: &str) -> bool {
    // `unreachable=0` in a recap, `unhealthy: 0`.
    let is_none = |phrase: &str, rest: &[u8]| {
        let signs = rest.iter().take_while(|byte| matches!(byte, b':' | b' '));
        let rest = &rest[signs.count()..];
        let is_counted = matches!(phrase, "unreachable=" | "nhealthy");
        is_counted && (rest.starts_with(b"0 ") || rest == b"0")
    };
    has_any(line, 0..ANYWHERE, |phrase, at| {
        let rest = &line.as_bytes()[at + PHRASES[phrase].len()..];
        !is_none(PHRASES[phrase], rest)
    })
}

/// Whether a line has one of `log_words::PHRASES` that counts. `counts`: told by its index, and where it begins.
pub fn has_phrase_of_log(line: &str, counts: impl Fn(usize, usize) -> bool) -> bool {
    has_any(line, ANYWHERE..PHRASES.len(), |phrase, at| {
        counts(phrase - ANYWHERE, at)
    })
}

/// Whether a line has one of these [`PHRASES`], by its index and where it begins, that counts. One pass looks for all of
/// them.
#[inline]
fn has_any(line: &str, phrases: Range<usize>, counts: impl Fn(usize, usize) -> bool) -> bool {
    let bytes = line.as_bytes();
    STARTS.places(bytes).any(|at| {
        phrases
            .clone()
            .any(|phrase| bytes[at..].starts_with(PHRASES[phrase].as_bytes()) && counts(phrase, at))
    })
}

/// Whether a line says of a thing that it is in a bad state: `status: failed`, `- **Status:** unreachable`,
/// `ActiveState=failed`, `master_link_status:down`.
pub fn has_bad_state(line: &str) -> bool {
    const KEYS: [&str; 7] = [
        "status",
        "state",
        "result",
        "conclusion",
        "outcome",
        "health",
        "phase",
    ];
    const STATES: [&str; 20] = [
        "rejected",
        "blocked",
        "denied",
        "aborted",
        "timed_out",
        "timeout",
        "fail",
        "failed",
        "failure",
        "failing",
        "error",
        "err",
        "down",
        "unreachable",
        "unhealthy",
        "critical",
        "degraded",
        "offline",
        "crashed",
        "oom-kill",
    ];
    // Items of a list, and signs for bold text.
    let is_sign = |c: char| matches!(c, '*' | ' ' | '-' | '`');
    let Some(at) = memchr::memchr2(b':', b'=', line.as_bytes()) else {
        return false;
    };
    let (key, value) = (&line[..at], &line[at + 1..]);
    let key = key.trim_matches(is_sign);
    // The last letters of the keys.
    if !matches!(
        key.as_bytes().last().map(|last| last | 0x20),
        Some(b's' | b'e' | b't' | b'n' | b'h')
    ) {
        return false;
    }
    let value = value.trim_start_matches(is_sign);
    let mut marks = ["❌ ", "✖ ", "✗ ", "🔴 "].iter();
    let value = marks
        .find_map(|mark| value.strip_prefix(mark))
        .unwrap_or(value);
    // A sentence goes on, and code ends in a sign.
    let (word, rest) = value.split_once(' ').unwrap_or((value, ""));
    let word = word.trim_end_matches(['*', '`', '.']);
    let ends_with = |known: &&str| {
        let start = key.len().checked_sub(known.len());
        start.is_some_and(|start| {
            key.is_char_boundary(start) && key[start..].eq_ignore_ascii_case(known)
        })
    };
    !key.contains(' ')
        && rest.split(' ').count() <= 3
        && KEYS.iter().any(ends_with)
        && STATES.iter().any(|known| word.eq_ignore_ascii_case(known))
}

/// Whether a line is a condition of a Kubernetes resource that does not hold (`Ready  False`), or should not
/// (`DiskPressure  True`).
pub fn has_bad_condition(line: &str) -> bool {
    const GOOD: [&str; 11] = [
        "Ready",
        "Available",
        "Progressing",
        "Initialized",
        "ContainersReady",
        "PodScheduled",
        "Established",
        "Healthy",
        "Synced",
        "Reconciled",
        "ScalingActive",
    ];
    // The second word rules out most lines.
    let blanks = |part| words::has_below_space(part) | words::has(part, b' ');
    let after = words::position(line.as_bytes(), blanks).map_or("", |at| &line[at..]);
    let second = after.bytes().find(|byte| *byte > b' ');
    if !matches!(second, Some(b'F' | b'U' | b'T')) && !line.starts_with(|c: char| c <= ' ') {
        return false;
    }
    let mut words = line.split_ascii_whitespace();
    let (Some(condition), Some(holds)) = (words.next(), words.next()) else {
        return false;
    };
    match holds {
        "False" | "Unknown" => GOOD.contains(&condition),
        "True" => condition.ends_with("Pressure") || condition == "NetworkUnavailable",
        _ => false,
    }
}

/// Whether a line has the status of a request that the server failed (`"GET / HTTP/1.1" 502 …`, `GET / 500 12 ms`,
/// `status=503`), that a browser or `curl` shows for any failed request (`=> [404]`, `< HTTP/2 403`), or of a program
/// that failed (` rc=2`).
pub fn has_bad_status(line: &str) -> bool {
    let is_code = |text: &str| {
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        digits == 3 && text.starts_with('5')
    };
    let after = |word: &str| after(line, word);
    // Most lines of a log of requests have none.
    let has_equals = memchr::memchr(b'=', line.as_bytes()).is_some();
    let after_equals = |word: &str| has_equals.then(|| after(word)).flatten();
    let of_browser = after_equals(" => [").is_some_and(|rest| {
        matches!(rest.as_bytes(), [b'4' | b'5', tens, ones, b']', ..]
            if tens.is_ascii_digit() && ones.is_ascii_digit())
    });
    let answer = line.trim_start_matches(['<', ' ']).strip_prefix("HTTP/");
    let of_answer = answer.and_then(|answer| answer.split_once(' '));
    let is_refused = of_answer.is_some_and(|(_, rest)| {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        digits == 3 && rest.starts_with(['4', '5'])
    });
    let of_request = after("HTTP/").and_then(|rest| rest.split_once("\" "));
    let methods = ["GET /", "POST /", "PUT /", "PATCH /", "DELETE /"];
    let of_method = methods.into_iter().find_map(after);
    let of_method = of_method.and_then(|rest| rest.split_once(' '));
    // `http_requests_total{code="500"} 12`
    let of_code = || after_equals("code=").filter(|rest| rest.starts_with('"'));
    let label = after_equals("status=").or_else(of_code);
    let of_label =
        label.is_some_and(|rest| is_code(rest.trim_start_matches('"'))) && !line.ends_with("} 0");
    let of_program =
        after_equals(" rc=").is_some_and(|rest| rest.starts_with(|c: char| matches!(c, '1'..='9')));
    of_request.is_some_and(|(_, rest)| is_code(rest))
        || of_method.is_some_and(|(_, rest)| is_code(rest))
        || of_label
        || of_program
        || of_browser
        || is_refused
}

/// What follows a word in a line. It looks for the word's last byte, which few lines have.
fn after<'t>(line: &'t str, word: &str) -> Option<&'t str> {
    let (bytes, last) = (line.as_bytes(), *word.as_bytes().last()?);
    let mut end = 0;
    loop {
        end += 1 + words::position(&bytes[end..], |part| words::has(part, last))?;
        if bytes[..end].ends_with(word.as_bytes()) {
            return line.get(end..);
        }
    }
}

/// Words of failures.
pub const FAILURES: [&str; 15] = [
    "error",
    "errors",
    "fail",
    "fails",
    "failed",
    "failure",
    "failures",
    "fatal",
    "panic",
    "panicked",
    "exception",
    "traceback",
    "critical",
    "severe",
    "aborted",
];

/// The first letters of [`FAILURES`] by their lengths, a bit for each letter.
static FIRST_LETTERS: [u32; 16] = letters_at(0, &FAILURES, [0; 16]);

/// Whether a line reports a failure with one of [`FAILURES`]: in capitals, as the first word, or as a label (`error:`,
/// `[error]`, `level=error`). `ValueError: …` counts too. In running text only `failed` and `panicked` count. A count
/// of 0 is no failure.
pub fn has_word(line: &str) -> bool {
    let bytes = line.as_bytes();
    let mut is_next = false;
    for (start, at) in Runs::of(bytes) {
        let is_first = !std::mem::replace(&mut is_next, true);
        let (word, rest) = (&bytes[start..at], &bytes[start..]);
        let letters = word.len();
        let before = start.checked_sub(1).map(|at| bytes[at]);
        let after = bytes.get(at).copied();
        let first_letters = FIRST_LETTERS.get(letters).copied().unwrap_or_default();
        let may_be_word = first_letters >> (word[0] & 0x1f) & 1 != 0;
        // Nearly all words end here.
        if !may_be_word && after != Some(b':') && before != Some(b'[') {
            continue;
        }
        // In a sentence, `fails:` is a verb.
        let is_label = after == Some(b':')
            && rest.get(letters + 1) != Some(&b':')
            && (is_first || word != b"fails");
        let is_name = || is_label && is_type(&rest[letters + 1..]);
        if is_label && letters > 5 && (word.ends_with(b"Error") || word.ends_with(b"Exception")) {
            return true;
        }
        let is_word = may_be_word
            // `fail2ban` is a name.
            && !(after.is_some_and(|byte| byte.is_ascii_digit()) && word[letters - 1] >= b'a')
            && FAILURES
                .iter()
                .any(|known| word.eq_ignore_ascii_case(known.as_bytes()));
        let is_capital = word.iter().all(u8::is_ascii_uppercase);
        // The end of a sentence: `failed.`
        let is_end = after == Some(b'.') && matches!(rest.get(letters + 1), None | Some(b' '));
        // `CREATE_FAILED`, and `app.ERROR:`.
        let ends_a_name = is_capital
            && (before == Some(b'_')
                && matches!(word, b"FAILED" | b"FAILURE")
                && after != Some(b'_')
                // Names of columns: `UPDATED  WHEN_FAILED  RAW_VALUE`.
                && bytes.iter().any(u8::is_ascii_lowercase)
                || before == Some(b'.') && is_label);
        // A cell of a row: `startup_failure`.
        let is_cell = before == Some(b'_')
            && matches!(after, None | Some(b'\t'))
            && is_word
            && line[..start]
                .trim_end_matches(|c: char| c.is_ascii_lowercase() || c == '_')
                .ends_with('\t');
        if is_cell {
            return true;
        }
        // `hook......Failed`
        let is_after_dots = start > 2 && line[..start].ends_with("...");
        // `Errors  Files` are names of columns.
        if is_first && matches!(word, b"Errors" | b"Failures") && rest[letters..].starts_with(b"  ")
        {
            return false;
        }
        let stands_alone = is_after_dots
            || !matches!(before, Some(b'_' | b'-' | b'.' | b'/'))
                && (is_end || !matches!(after, Some(b'_' | b'-' | b'.' | b'/' | b'(')))
            || ends_a_name;
        let is_alert = before == Some(b'[')
            && after == Some(b']')
            && [&b"alert"[..], b"emerg", b"emergency", b"crit"]
                .iter()
                .any(|known| word.eq_ignore_ascii_case(known));
        if is_alert {
            return true;
        }
        let is_of_line = is_word && stands_alone && !is_none(bytes, start, at) && !is_name();
        if is_of_line && !options::is_value(bytes, start) {
            let is_bracket = before == Some(b'(') && after == Some(b')');
            let is_last = at == bytes.len() && start >= 2 && bytes[start - 2] == b':';
            let is_marked =
                matches!(before, Some(b'[' | b'=' | b'"' | b'<')) || is_bracket || is_last;
            let is_plain = [&b"failed"[..], b"panicked", b"aborted"]
                .iter()
                .any(|plain| word.eq_ignore_ascii_case(plain));
            let is_bracketed = after == Some(b'[');
            // The level of a line is the first one. `[INFO] BUILD FAILURE` names no other.
            let is_level = matches!(word, b"ERROR" | b"FATAL" | b"CRITICAL" | b"SEVERE");
            let is_capital = is_capital && !(is_level && levels::is_plain(&line[..start]));
            if is_capital
                || is_after_dots
                || is_marked
                || is_label
                || is_plain
                || is_bracketed
                || is_first
            {
                return true;
            }
        }
    }
    false
}

/// Whether the word from `start` to `end` has a count of 0: `0 failed`, `errors: 0`, `0 tests failed`,
/// `Failed requests: 0`, `errors: No known data errors`.
pub fn is_none(line: &[u8], start: usize, end: usize) -> bool {
    has_no_count(line, start, end) || has_zero_beside_words(line, start, end)
}

/// Whether a count of 0 is at most two words before the failure, or after them and a colon.
fn has_zero_beside_words(line: &[u8], start: usize, end: usize) -> bool {
    let is_word = |word: &[u8]| !word.is_empty() && word.iter().all(u8::is_ascii_lowercase);
    let is_things = |word: &[u8]| is_word(word) && word.ends_with(b"s");
    let before = line[..start].trim_ascii_end();
    // Most failures stand after another sign.
    let is_zero = before.last().is_some_and(u8::is_ascii_lowercase) && {
        let mut before = before.rsplit(|byte| *byte == b' ');
        let before: [&[u8]; 4] = std::array::from_fn(|_| before.next().unwrap_or_default());
        match before {
            // `0 of 41 checks failed`, `[ 0 containers failed ]`, `0 tests were aborted`
            [things, _, b"of", b"0"] | [things, b"0", ..] => is_things(things),
            [word, things, b"0", _] => is_word(word) && is_things(things),
            _ => false,
        }
    };
    // `number of failed transactions: 0 (0.000%)`
    let after = &line[end..];
    let colon = memchr::memchr(b':', &after[..after.len().min(40)]);
    let is_none = colon.is_some_and(|colon| {
        let words = after[..colon].split(|byte| *byte == b' ');
        let mut words = words.filter(|word| !word.is_empty());
        let value = after[colon + 1..].trim_ascii_start();
        let rest = value.strip_prefix(b"0");
        let is_zero =
            rest.is_some_and(|rest| matches!(rest.first(), None | Some(b' ' | b',' | b';' | b')')));
        words.clone().count() <= 2
            && words.all(is_word)
            // As `zpool status` ends.
            && (is_zero || value.starts_with(b"No known"))
    });
    is_zero || is_none
}

/// Values of failures that did not happen.
const NOTHING: [&[u8]; 8] = [
    b"none", b"None", b"null", b"[]", b"{}", b"false", b"never", b"off",
];

/// Whether a text is such a value, and no sentence that begins with one.
fn is_nothing(text: &[u8]) -> bool {
    NOTHING.iter().any(|nothing| {
        let rest = text.strip_prefix(*nothing);
        rest.is_some_and(|rest| {
            let is_end = |sign: &u8| b".,;!)]}\"'|".contains(sign);
            rest.first().is_none_or(is_end) || rest.starts_with(b" found")
        })
    })
}

fn has_no_count(line: &[u8], start: usize, end: usize) -> bool {
    let before = line[..start].trim_ascii_end();
    let digits = before
        .iter()
        .rev()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let number = &before[before.len() - digits..];
    let is_zero = |number: &[u8]| !number.is_empty() && number.iter().all(|byte| *byte == b'0');
    // `case_0 FAILED` has no count.
    let is_alone = matches!(
        before.get(before.len().wrapping_sub(digits + 1)),
        None | Some(b' ' | b'\t' | b'(' | b'[' | b',' | b';')
    );
    let no =
        before.ends_with(b" no") || before == b"no" || before == b"No" || before.ends_with(b"none");
    if is_zero(number) && is_alone || no {
        return true;
    }
    let after = line[end..].trim_ascii_start();
    let after = after.strip_prefix(b"\"").unwrap_or(after);
    let Some(after) = after
        .strip_prefix(b":")
        .or_else(|| after.strip_prefix(b"="))
    else {
        return false;
    };
    let after = after.trim_ascii_start();
    let digits = after
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    is_zero(&after[..digits]) && after.get(digits) != Some(&b'.') || is_nothing(after)
}

/// The phrases by their first parts, each by its index from 1; 0 is none.
struct PhrasesByPart {
    /// The last phrase with each of [`PARTS`].
    last: [u8; PARTS.len()],
    /// Where in each phrase its part begins, and the phrase before it with the same part.
    before: [(u8, u8); PHRASES.len()],
}

static PHRASES_BY_PART: PhrasesByPart = {
    let mut last = [0; PARTS.len()];
    let mut before = [(0, 0); PHRASES.len()];
    let mut phrase = 0;
    while phrase < PHRASES.len() {
        let (at, part) = part_of(PHRASES[phrase].as_bytes());
        before[phrase] = (at as u8, last[part]);
        phrase += 1;
        last[part] = phrase as u8;
    }
    PhrasesByPart { last, before }
};

/// Where the first part of a phrase begins, and its index in [`PARTS`].
const fn part_of(phrase: &[u8]) -> (usize, usize) {
    let mut at = 0;
    while at + 4 <= phrase.len() {
        let letters = letters(&[phrase[at], phrase[at + 1], phrase[at + 2], phrase[at + 3]]);
        let mut part = 0;
        while part < PARTS.len() {
            if PARTS[part].1 & PHRASE != 0 && self::letters(PARTS[part].0) == letters {
                return (at, part);
            }
            part += 1;
        }
        at += 1;
    }
    panic!("a phrase has a part");
}

/// The marks of the phrases that may be around a part of a line that begins at `start`. `part`: its index in [`PARTS`].
fn marks_of_phrases(line: &[u8], start: usize, part: usize) -> u16 {
    let (mut marks, mut next) = (0, PHRASES_BY_PART.last[part]);
    while let Some(phrase) = usize::from(next).checked_sub(1) {
        let (at, before) = PHRASES_BY_PART.before[phrase];
        let from = start.checked_sub(usize::from(at));
        let letters = from.and_then(|from| line.get(from..start));
        if letters.is_some_and(|letters| PHRASES[phrase].as_bytes().starts_with(letters)) {
            marks |= if phrase < ANYWHERE { PHRASE } else { OF_LOG };
        }
        next = before;
    }
    if marks == 0 { NO_PHRASE } else { marks }
}

/// What a part of a line may belong to, a bit each.
pub const ERROR: u16 = 1;
pub const EXCEPTION: u16 = 1 << 1;
pub const EXIT: u16 = 1 << 2;
pub const MAKE: u16 = 1 << 3;
pub const UNDEFINED: u16 = 1 << 4;
/// The totals of a test run.
pub const TOTALS: u16 = 1 << 5;
/// [`FAILURES`], and levels in brackets.
const FAILURE: u16 = 1 << 6;
/// Those of [`PHRASES`] that count anywhere; in [`PARTS`], any of them.
pub const PHRASE: u16 = 1 << 7;
/// [`has_bad_status`]
const STATUS: u16 = 1 << 8;
/// [`has_bad_state`], [`has_bad_condition`], and levels.
const STATE: u16 = 1 << 9;
/// Signs after a blank that mark a failure: `12:00:01 ❌ deploy`.
pub const CROSS: u16 = 1 << 10;
/// A part of [`PHRASES`] that is not in one.
pub const NO_PHRASE: u16 = 1 << 11;
/// A level that tells what may go wrong: most logs have many such lines.
pub const NOTE: u16 = 1 << 12;
/// One of `log_words::PHRASES`.
pub const OF_LOG: u16 = 1 << 13;
/// Any of the words of failures.
pub const WORD: u16 = !(TOTALS | NOTE);

/// Parts, in lower case, of the words in `known_lines` and here, and what they may belong to.
pub const PARTS: [(&[u8; 4], u16); 123] = [
    (b"rror", FAILURE | ERROR | PHRASE),
    (b"fail", FAILURE | TOTALS),
    (b"fata", FAILURE),
    (b"pani", FAILURE),
    (b"cept", FAILURE | EXCEPTION),
    (b"ceba", FAILURE),
    (b"crit", FAILURE | PHRASE),
    (b"seve", FAILURE),
    (b"abor", FAILURE),
    (b"ert]", FAILURE),
    (b"erg]", FAILURE),
    (b"ncy]", FAILURE),
    (b"exit", EXIT),
    (b"*** ", MAKE),
    (b"unde", UNDEFINED),
    (b"pass", TOTALS),
    (b"flak", TOTALS),
    (b"deni", PHRASE),
    (b"efus", PHRASE),
    (b"such", PHRASE),
    (b"imed", PHRASE),
    (b"f me", PHRASE),
    (b"oomk", PHRASE),
    (b"koff", PHRASE),
    (b"gmen", PHRASE),
    (b"gfau", PHRASE),
    (b"dump", PHRASE),
    (b"gnal", PHRASE),
    (b"a ra", PHRASE),
    (b"mman", PHRASE),
    (b"rout", PHRASE),
    (b"expi", PHRASE),
    (b"olve", PHRASE),
    (b"meou", PHRASE),
    (b"xcee", PHRASE),
    (b"pace", PHRASE),
    (b"unre", PHRASE),
    (b"nhea", PHRASE),
    (b"unme", PHRASE),
    (b"rmit", PHRASE),
    (b"nmer", PHRASE),
    (b"both", PHRASE),
    (b"ttp/", STATUS),
    (b"et /", STATUS),
    (b"st /", STATUS),
    (b"ut /", STATUS),
    (b"ch /", STATUS),
    (b"te /", STATUS),
    (b"tus=", STATUS | STATE),
    (b"ode=", STATUS),
    (b" rc=", STATUS),
    (b"=> [", STATUS),
    (b"reje", STATE | PHRASE),
    (b"ert:", STATE | PHRASE),
    (b"ncy:", STATE),
    (b"err]", STATE),
    (b"ftl]", STATE),
    (b"crt]", STATE),
    (b"tus:", STATE | PHRASE),
    (b"ate=", STATE),
    (b"ate:", STATE),
    (b"ult=", STATE),
    (b"ult:", STATE),
    (b"lusi", STATE),
    (b"tcom", STATE),
    (b"lth:", STATE),
    (b"lth=", STATE),
    (b"ase:", STATE),
    (b"lse ", STATE),
    (b"sure", STATE),
    (b"nava", STATE),
    (b"know", STATE),
    (b"peer", PHRASE),
    (b"pipe", PHRASE),
    (b"anno", PHRASE),
    (b"gseg", PHRASE),
    (b"gabr", PHRASE),
    (b"gbus", PHRASE),
    (b"gkil", PHRASE),
    (b"adlo", PHRASE),
    (b"mism", PHRASE),
    (b"n-ze", PHRASE),
    (b"xpec", PHRASE),
    (b"rflo", PHRASE),
    (b"loss", PHRASE),
    (b"ould", PHRASE),
    (b"unab", PHRASE),
    (b"err_", PHRASE),
    (b"ora-", PHRASE),
    (b"qlst", PHRASE),
    (b"e110", PHRASE),
    (b"erti", PHRASE),
    (b"rusi", PHRASE),
    (b"naut", PHRASE),
    (b"down", PHRASE),
    (b"rrup", PHRASE),
    (b"quor", PHRASE),
    (b"func", PHRASE),
    (b"tp 5", PHRASE),
    (b"tus ", PHRASE),
    (b"spon", PHRASE),
    (b"fehl", PHRASE),
    (b"rreu", PHRASE),
    (b"erro", PHRASE),
    (b" fal", PHRASE),
    (b"warn", NOTE),
    (b"uspi", PHRASE),
    (b"egra", PHRASE),
    (b"ecli", PHRASE),
    (b"ottl", PHRASE),
    (b"eake", PHRASE),
    (b"ailo", PHRASE),
    (b"rgum", PHRASE),
    (b"ollb", PHRASE),
    (b"epre", PHRASE),
    (b"tryi", PHRASE),
    (b"g up", PHRASE),
    (b"ncel", PHRASE),
    (b" \xe2\x9d\x8c", CROSS),
    (b" \xe2\x9c\x95", CROSS),
    (b" \xe2\x9c\x96", CROSS),
    (b" \xe2\x9c\x97", CROSS),
    (b" \xe2\x9c\x98", CROSS),
];

/// A bit for each three characters, of each of which five bits count: letters differ, cases do not. The table has both
/// halves of a part, so that a look at every second byte finds one of them.
static MARKED: [u64; 512] = {
    let mut marked = [0; 512];
    let mut at = 0;
    while at < 2 * PARTS.len() {
        let (part, from) = (PARTS[at / 2].0, at % 2);
        let before = place_of(part[from] as usize & 31, part[from + 1]);
        let place = place_of(before, part[from + 2]);
        marked[place / 64] |= 1 << (place % 64);
        at += 1;
    }
    marked
};

const fn place_of(before: usize, byte: u8) -> usize {
    (before << 5 | (byte & 31) as usize) & 0x7fff
}

/// The indexes in [`PARTS`], from 1, at the places that their letters give, or at the next that was free.
static PLACES: [u8; 256] = {
    let mut places = [0; 256];
    let mut at = 0;
    while at < PARTS.len() {
        let mut place = place_in_table(letters(PARTS[at].0));
        while places[place] != 0 {
            place = (place + 1) % 256;
        }
        at += 1;
        places[place] = at as u8;
    }
    places
};

const fn place_in_table(letters: u32) -> usize {
    (letters.wrapping_mul(0x9e37_79b1) >> 24) as usize
}

/// What the words in a line may be, a bit each; 0 for most lines.
#[inline(never)]
pub fn marks(line: &str) -> u16 {
    const EVEN: u64 = 0x001f_001f_001f_001f;
    let bytes = line.as_bytes();
    // A part has four bytes.
    if bytes.len() < 4 {
        return 0;
    }
    let mark = |place: u64| MARKED[(place / 64) as usize & 511] >> (place % 64);
    let (mut before, mut seen, mut at) = (0, 0, 0);
    while at < bytes.len() {
        let part = eight(bytes, at);
        // Four places, of 16 bits each: a pair's, and the byte before it.
        let pairs = (part & EVEN) << 5 | part >> 8 & EVEN;
        let places = pairs | (pairs << 16 | before) << 10 & (EVEN << 10);
        before = pairs >> 48;
        let marks = [0, 16, 32, 48].map(|from| mark(places >> from));
        if marks.iter().fold(0, |all, marks| all | marks) & 1 != 0 {
            for (pair, marks) in marks.iter().enumerate() {
                let end = at + 2 * pair + 1;
                if marks & 1 != 0 {
                    seen |= marks_near(bytes, end);
                }
            }
        }
        at += 8;
    }
    seen
}

/// A bit for each four letters, by their places in a larger table: 1 if they may be one of [`PARTS`].
static MAY_BE: [u64; 64] = {
    let mut may_be = [0; 64];
    let mut at = 0;
    while at < PARTS.len() {
        let place = place_of_four(letters(PARTS[at].0));
        may_be[place / 64] |= 1 << (place % 64);
        at += 1;
    }
    may_be
};

const fn place_of_four(letters: u32) -> usize {
    (letters.wrapping_mul(0x9e37_79b1) >> 20) as usize
}

/// The marks of parts whose third or fourth byte is at `end`.
#[inline(never)]
fn marks_near(line: &[u8], end: usize) -> u16 {
    let marks_from = |start: usize| {
        let part = line.get(start..)?.first_chunk::<4>()?;
        // Most parts whose three letters are marked are none.
        let place = place_of_four(letters(part));
        (MAY_BE[place / 64] >> (place % 64) & 1 != 0).then_some(())?;
        let (index, marks) = known(part)?;
        Some(match marks & PHRASE {
            0 => marks,
            _ => marks & !PHRASE | marks_of_phrases(line, start, index),
        })
    };
    let starts = [end.checked_sub(3), end.checked_sub(2)];
    let marks = starts.into_iter().flatten().filter_map(marks_from);
    marks.fold(0, |all, marks| all | marks)
}

/// The index of a part in [`PARTS`], and its marks.
fn known(part: &[u8; 4]) -> Option<(usize, u16)> {
    const LOWER: u32 = 0x2020_2020;
    let spelled = letters(part);
    let mut place = place_in_table(spelled);
    loop {
        let index = usize::from(PLACES[place]).checked_sub(1)?;
        let (known, marks) = PARTS[index];
        if letters(known) == spelled {
            // Totals are in lower case.
            let is_lower = u32::from_le_bytes(*part) & LOWER == LOWER;
            return Some((index, if is_lower { marks } else { marks & !TOTALS }));
        }
        place = (place + 1) % 256;
    }
}

/// A part as a number in which cases do not differ.
const fn letters(part: &[u8; 4]) -> u32 {
    u32::from_le_bytes(*part) & 0x1f1f_1f1f
}
