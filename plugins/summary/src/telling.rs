//! The importance of a member or a column to a reader with a task.
//!
//! Owns the judgement: by the kind of values, then by words that keys have in any domain. Refuses to know the room.

use crate::column::Column;
use crate::failure_words;
use crate::hashing::same;
use crate::options;
use crate::outline::{Outline, Step};
use crate::tally::Sort;
use tamis_formats::words;
use tamis_sdk::NodeKind;

/// Keys of outcomes, in lower case without `_` and `-`.
const OUTCOMES: [&str; 30] = [
    "error",
    "errors",
    "iserror",
    "err",
    "errorcode",
    "errormessage",
    "errortype",
    "errno",
    "exception",
    "ename",
    "evalue",
    "traceback",
    "exitcode",
    "exitstatus",
    "returncode",
    "rc",
    "status",
    "statuscode",
    "state",
    "success",
    "ok",
    "passed",
    "failed",
    "failure",
    "failures",
    "conclusion",
    "outcome",
    "stderr",
    "signal",
    "timedout",
];

/// Those of them whose texts describe a failure.
const FAILURES: [&str; 12] = [
    "error",
    "errors",
    "err",
    "errormessage",
    "exception",
    "ename",
    "evalue",
    "traceback",
    "stderr",
    "failure",
    "failures",
    "stacktrace",
];

/// Keys that say that a result is not all, in the same spelling.
const PARTIAL: [&str; 26] = [
    "truncated",
    "istruncated",
    "hasmore",
    "hasnextpage",
    "morerecords",
    "incomplete",
    "incompleteresults",
    "partial",
    "partialfailure",
    "partialresults",
    "exceededtransferlimit",
    "next",
    "nextpage",
    "nextlink",
    "nexturl",
    "nextcursor",
    "nexttoken",
    "nextpagetoken",
    "nextcontinuationtoken",
    "nextmarker",
    "continuation",
    "continuationtoken",
    "continue",
    "warnings",
    "warning",
    "runwarnings",
];

/// Keys that say how much there is in all, in the same spelling.
const TOTALS: [&str; 14] = [
    "total",
    "totals",
    "totalcount",
    "totalhits",
    "totalitems",
    "totalmatches",
    "totalpages",
    "totalrecords",
    "totalresults",
    "totalrows",
    "totalsize",
    "matchcount",
    "rowcount",
    "count",
];

/// Words in names of columns that readers ask for.
const ASKED: [&str; 26] = [
    "state",
    "status",
    "type",
    "kind",
    "name",
    "title",
    "ready",
    "level",
    "severity",
    "priority",
    "count",
    "total",
    "message",
    "error",
    "errors",
    "reason",
    "author",
    "login",
    "user",
    "subject",
    "conclusion",
    "result",
    "phase",
    "role",
    "code",
    "amount",
];

/// Words in names of columns for machines.
const MACHINE: [&str; 14] = [
    "url", "uri", "href", "link", "links", "avatar", "gravatar", "node", "etag", "sha", "hash",
    "checksum", "cursor", "uid",
];

/// Words of states that failed, in lower case.
const FAILING: [&str; 51] = [
    "aborted", "alert", "blocked", "bounced", "broken", "conflict", "corrupt", "crash", "crashed",
    "crit", "critical", "dead", "declined", "degraded", "denied", "died", "down", "emerg", "err",
    "error", "errored", "errors", "evicted", "expired", "fail", "failed", "failing", "fails",
    "failure", "failures", "fatal", "hung", "invalid", "killed", "lost", "mismatch", "missed",
    "offline", "overdue", "panic", "poison", "refused", "rejected", "severe", "stuck", "timedout",
    "timeout", "unknown", "violated", "warn", "warning",
];

/// The same, of more letters.
const LONG_FAILING: [&str; 11] = [
    "corrupted",
    "emergency",
    "exception",
    "forbidden",
    "oomkilled",
    "quarantined",
    "suspended",
    "unauthorized",
    "unavailable",
    "unhealthy",
    "unreachable",
];

/// The first letters of [`FAILING`] and [`LONG_FAILING`] by their lengths, a bit for each letter, and the second and
/// third ones: they rule out most words.
static FIRST_LETTERS: [u32; 16] = letters_at(0, &LONG_FAILING, letters_at(0, &FAILING, [0; 16]));
static SECOND_LETTERS: [u32; 16] = letters_at(1, &LONG_FAILING, letters_at(1, &FAILING, [0; 16]));
static THIRD_LETTERS: [u32; 16] = letters_at(2, &LONG_FAILING, letters_at(2, &FAILING, [0; 16]));

/// Adds the letters at a place of words to those that are known, by the words' lengths.
pub const fn letters_at<const N: usize>(place: usize, words: &[&str], known: [u32; N]) -> [u32; N] {
    let (mut letters, mut at) = (known, 0);
    while at < words.len() {
        letters[words[at].len()] |= 1 << (words[at].as_bytes()[place] & 0x1f);
        at += 1;
    }
    letters
}

/// The letters of a spelled key with quotes, in lower case.
#[derive(Default)]
struct Letters {
    letters: [u8; Letters::MOST],
    length: usize,
}

impl Letters {
    const MOST: usize = 24;

    fn of(key: &str) -> Letters {
        let mut all = Letters::default();
        let letters = key.bytes().filter(u8::is_ascii_alphanumeric);
        for (letter, place) in letters.zip(&mut all.letters) {
            *place = letter.to_ascii_lowercase();
            all.length += 1;
        }
        all
    }

    fn as_str(&self) -> &str {
        str::from_utf8(&self.letters[..self.length]).unwrap_or_default()
    }

    fn are_one_of(&self, names: &[&str]) -> bool {
        names.iter().any(|name| same(name, self.as_str()))
    }
}

/// Whether a member tells an outcome. `key`: as it is spelled.
pub fn is_outcome(key: &str) -> bool {
    /// The first letters of [`OUTCOMES`] by their lengths, a bit for each letter.
    static FIRST_LETTERS: [u32; Letters::MOST + 1] =
        letters_at(0, &OUTCOMES, [0; Letters::MOST + 1]);
    let letters = Letters::of(key);
    let may_be = FIRST_LETTERS[letters.length] >> (letters.letters[0] & 0x1f) & 1 != 0;
    key.len() <= 24 && may_be && letters.are_one_of(&OUTCOMES)
}

/// Whether a member says that a result is not all. `value`: as JSON spells it.
pub fn is_partial(key: &str, value: &str) -> bool {
    key.len() <= 24 && !is_nothing(value) && Letters::of(key).are_one_of(&PARTIAL)
}

/// Whether a value, as JSON spells it, says that there is none of a thing.
#[inline(never)]
pub fn is_nothing(value: &str) -> bool {
    matches!(
        value,
        "false" | "null" | "0" | "\"\"" | "[]" | "{}" | "\"false\""
    )
}

/// Keys of states, in their last word.
const STATES: [&str; 3] = ["status", "state", "health"];

/// Keys whose value may be a state, too: one that names a failure is.
const MAYBE_STATES: [&str; 6] = ["phase", "result", "conclusion", "outcome", "type", "reason"];

/// Whether a member may say that something is wrong, by its key as JSON spells it.
pub fn may_say_wrong(key: &str) -> bool {
    const ALONE: [&str; 8] = [
        "\"issues\"",
        "\"problems\"",
        "\"missing\"",
        "\"alerts\"",
        "\"vulnerabilities\"",
        "\"violations\"",
        "\"conflicts\"",
        "\"advisories\"",
    ];
    let is_end = |byte: &u8| !byte.is_ascii_lowercase();
    let is_start = |word: &str| {
        let rest = key.strip_prefix(word);
        rest.is_some_and(|rest| rest.as_bytes().first().is_some_and(is_end))
    };
    let name = key.trim_end_matches('"');
    ends_in(name, &["errors", "failures", "failed"])
        || ends_in(name, &STATES)
        || ALONE.contains(&key)
        || ["\"failed", "\"rejected", "\"error", "\"failure"]
            .into_iter()
            .any(is_start)
}

/// Whether a member says that something is wrong: `failed_handshakes: 80`, `last_save_status: "err"`, `issues: ["…"]`.
/// `key`, `value`: as JSON spells them.
pub fn says_wrong(key: &str, value: &str) -> bool {
    let name = key.trim_end_matches('"');
    !is_nothing(value)
        && match may_say_wrong(key) {
            true => !ends_in(name, &STATES) || is_failing(value),
            false => ends_in(name, &MAYBE_STATES) && is_failing(value),
        }
}

/// Whether a constant `false` under this name means that all rows failed: `handshake_completed`.
pub fn is_good_flag(name: &str) -> bool {
    const FLAGS: [&str; 8] = [
        "completed",
        "healthy",
        "ok",
        "passed",
        "ready",
        "success",
        "successful",
        "valid",
    ];
    ends_in(name, &FLAGS)
}

/// Whether the last word of a name is one of these.
#[inline(never)]
pub fn ends_in(name: &str, known: &[&str]) -> bool {
    let name = name.as_bytes();
    let end = name.last().map(|byte| byte | 0x20);
    // The last letter rules out most.
    let mut known = known
        .iter()
        .filter(|word| word.as_bytes().last().copied() == end);
    known.any(|word| {
        let (before, last) = name.split_at(name.len().saturating_sub(word.len()));
        let is_small = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_lowercase);
        let is_inside = before.last().is_some_and(u8::is_ascii_alphanumeric);
        last.eq_ignore_ascii_case(word.as_bytes())
            && (!is_inside || is_small(before.last()) && !is_small(last.first()))
    })
}

/// Whether a member says how much there is in all.
pub fn is_total(key: &str) -> bool {
    key.len() <= 24 && Letters::of(key).are_one_of(&TOTALS)
}

/// Whether the first word of a key is that of totals: `totalDocsExamined`, `total_bytes`. `key`: as JSON spells it.
pub fn begins_as_total(key: &str) -> bool {
    let rest = key.strip_prefix("\"total");
    rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_lowercase()))
}

/// Whether a member has totals of several things.
pub fn is_totals(key: &str) -> bool {
    Letters::of(key).are_one_of(&["totals", "summary", "stats", "statistics"])
}

/// Whether readers ask for a member beside tables: the version of a package, the score of a page. `key`: as JSON spells it.
pub fn is_asked_for(key: &str) -> bool {
    const NAMES: [&str; 7] = [
        "answer", "balance", "grade", "price", "rating", "score", "verdict",
    ];
    key == "\"version\"" || ends_in(key.trim_end_matches('"'), &NAMES)
}

/// Whether a column has scores.
pub fn is_score(key: &str) -> bool {
    ends_in(key.trim_end_matches('"'), &["score"])
}

/// A number from 0 to 1.
pub fn share(value: &str) -> Option<f64> {
    let share = value.parse().ok()?;
    (0.0..=1.0).contains(&share).then_some(share)
}

/// Whether a text under this key describes a failure.
pub fn is_failure(key: &str) -> bool {
    key.len() <= 24 && Letters::of(key).are_one_of(&FAILURES)
}

/// Whether a key names a failure in one of its words: `last_payment_error`.
pub fn names_failure(key: &str) -> bool {
    let words = words(key);
    words.iter().any(|word| FAILURES.contains(&word.as_str()))
}

/// Whether a value, as JSON spells it, is a text of some words.
pub fn is_sentence(value: &str) -> bool {
    const WORDS: usize = 4;
    value.starts_with('"') && value.split(' ').take(WORDS).count() == WORDS
}

/// Whether a text under this key is a message.
pub fn is_message(key: &str) -> bool {
    matches!(key, "\"message\"" | "\"msg\"" | "\"reason\"" | "\"detail\"")
}

/// Whether a column of this name tells how bad a thing is.
pub fn is_severity(name: &str) -> bool {
    ends_in(name, &["severity"])
}

/// Whether a value, as JSON spells it, is a state that names a failure.
pub fn is_failing(value: &str) -> bool {
    value.starts_with('"') && is_failing_state(value)
}

/// Whether a column has the shares of disks that are used, as `df` prints them.
#[inline(never)]
pub fn is_use(key: &str) -> bool {
    ["\"Use%\"", "\"IUse%\"", "\"Capacity\"", "\"%iused\""].contains(&key)
}

/// Whether a number of a level fails, under the keys of journald, and of loggers of Node.js and Python. None if it is no
/// such number.
#[inline(never)]
pub fn is_failing_level(key: &str, value: &str) -> Option<bool> {
    let [key, value] = [key, value].map(|it| it.trim_matches('"'));
    match (key, value.as_bytes()) {
        ("PRIORITY", [number @ b'0'..=b'7']) => Some(*number < b'4'),
        ("level", [tens @ b'1'..=b'6', b'0']) => Some(*tens > b'4'),
        ("levelno", [tens @ b'1'..=b'5', b'0']) => Some(*tens > b'3'),
        _ => None,
    }
}

/// Whether a state names a failure: `OOMKilled`, `Up 3 hours (unhealthy)`.
pub fn is_failing_state(state: &str) -> bool {
    const LONGEST: usize = 48;
    let bytes = state.as_bytes();
    // A path is a name, too.
    let start = state.trim_start_matches('"');
    if bytes.len() > LONGEST || start.starts_with('/') {
        return false;
    }
    // A bit for each letter, and for each small one.
    let (mut letters, mut small) = (0, 0);
    for at in (0..bytes.len()).step_by(16) {
        let (next, before) = words::sixteen(bytes, at);
        letters |= u64::from(next.lower().between(b'a', b'z') >> before) << at;
        small |= u64::from(next.between(b'a', b'z') >> before) << at;
    }
    // A word ends before a capital letter that follows a small one.
    let capitals = letters & !small;
    let mut begins = letters & (!(letters << 1) | capitals & small << 1);
    while begins != 0 {
        let at = begins.trailing_zeros() as usize;
        begins &= begins - 1;
        let run = at + (!(letters >> at)).trailing_zeros() as usize;
        let word = &bytes[at..run.min(begins.trailing_zeros() as usize)];
        let is_known = |known: &&str| word.eq_ignore_ascii_case(known.as_bytes());
        let is_pair = word.len() < run - at && matches!(&bytes[at..run], b"NotReady" | b"BackOff");
        let known = if word.len() > 8 {
            &LONG_FAILING[..]
        } else {
            &FAILING
        };
        // `alert24` and `fail2ban` are names.
        let is_digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
        let is_name = || {
            is_digit(at.checked_sub(1).and_then(|at| bytes.get(at)))
                || is_digit(bytes.get(at + word.len()))
        };
        let has_letter = |place: usize, known: &[u32; 16]| {
            let letters = known.get(word.len()).copied().unwrap_or_default();
            letters >> (word[place] & 0x1f) & 1 != 0
        };
        if is_pair
            || word.len() > 2
                && has_letter(0, &FIRST_LETTERS)
                && has_letter(1, &SECOND_LETTERS)
                && has_letter(2, &THIRD_LETTERS)
                && !is_name()
                && known.iter().any(is_known)
                && !failure_words::is_none(bytes, at, at + word.len())
                && !options::is_of_command(bytes, at)
        {
            return true;
        }
    }
    false
}

/// Whether a list under this key may name the columns of the rows beside it.
pub fn names_columns(key: &str) -> bool {
    let letters = Letters::of(key);
    let letters = letters.as_str();
    ["column", "header", "field", "name"]
        .iter()
        .any(|word| letters.contains(word))
        && !letters.contains("type")
        || letters == "meta"
}

/// The words of a name: `authorLogin`, `html_url` and `owner.node_id` have two or three each.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_small = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && was_small) {
            words.push(String::new());
        }
        was_small = c.is_lowercase();
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Whether a column is of a failure that few rows have: `testcase[*].failure.message`, or an object with the state of
/// one, `{"exitCode":137,"reason":"OOMKilled"}`.
pub fn is_rare_failure(outline: &Outline<'_>, column: &Column) -> bool {
    const ONE_OF: u32 = 10;
    let mut at = column.field;
    let field = &outline.fields[at];
    let is_rare = field.holders * ONE_OF <= outline.fields[field.parent].tally.objects;
    let members = field.children.iter();
    let mut values = members.map(|child| outline.raw(outline.fields[*child].first));
    if is_rare && values.any(is_failing) {
        return true;
    }
    loop {
        let field = &outline.fields[at];
        let parent = &outline.fields[field.parent];
        if matches!(field.step, Step::Member(key) if names_failure(key)) {
            return field.holders > 0 && field.holders * ONE_OF <= parent.tally.objects;
        }
        if field.parent == at || matches!(field.step, Step::Each | Step::Entry) && !column.is_inner
        {
            return false;
        }
        at = field.parent;
    }
}

/// The importance of a column. `is_odd`: some of its values are rare.
pub fn weight(outline: &Outline<'_>, column: &Column, is_odd: bool) -> i32 {
    let field = &outline.fields[column.field];
    let tally = &field.tally;
    let values = tally.values().max(1);
    let mean = tally.characters / u64::from(tally.strings.max(1));
    let different = tally
        .counts()
        .map_or(u32::MAX, |counts| counts.len() as u32);
    let repeats = different <= 20 && different < values;
    let words = words(column.name());
    let has = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
    let is_asked = words.last().is_some_and(|word| {
        let one = word.strip_suffix('s').unwrap_or(word);
        ASKED.contains(&word.as_str()) || ASKED.contains(&one)
    });
    let is_first_address =
        field.first.kind() == NodeKind::String && outline.raw(field.first).starts_with("\"http");
    let by_kind = if is_first_address {
        0
    } else if repeats && mean <= 40 {
        60
    } else if tally.numbers > 0 || tally.decimals().is_some() {
        45
    } else if tally.are_dates() {
        40
    } else if tally.strings > tally.empty {
        let is_code = tally.spaced == 0 && mean >= 16;
        match mean {
            // Readers name rows by this column.
            0..=80 if is_asked => 50,
            _ if is_code => 5,
            0..=80 => 35,
            _ => 20,
        }
    } else if tally.arrays > 0 {
        25
    } else {
        15
    };
    // A rare value of a state or a number is one, whatever its column is called.
    let is_state = (repeats || tally.numbers > 0) && !is_first_address;
    let failing = tally.counted.failing().is_some();
    let is_machine = has(&MACHINE) && !(is_state && (is_odd || failing));
    let by_name = match (is_machine, is_asked) {
        (true, _) => -40,
        (false, true) => 20,
        (false, false) => 0,
    };
    let depth = outline
        .steps(outline.fields[column.field].parent, column.field)
        .len() as i32;
    let depth = depth.max(words.len() as i32 / 2);
    let missing_is_odd = tally.of(Sort::Null) > 0 && tally.of(Sort::Null) < values;
    by_kind + by_name - 3 * depth - 8 * i32::from(column.is_inner)
        + 60 * i32::from((is_odd || failing) && !is_machine)
        + 80 * i32::from(is_rare_failure(outline, column))
        + 2 * i32::from(missing_is_odd)
        // It is often deep inside, under a long name.
        + 20 * i32::from(is_severity(column.name()))
        + 10 * i32::from(matches!(field.step, Step::Member(key) if is_outcome(key)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_names() {
        assert_eq!(words("htmlUrl"), ["html", "url"]);
        assert_eq!(words("owner.node_id"), ["owner", "node", "id"]);
        assert_eq!(words("[6] status"), ["6", "status"]);
        assert_eq!(words("items[*].sku"), ["items", "sku"]);
    }

    #[test]
    fn outcomes_are_known_in_any_spelling() {
        for key in [
            "\"isError\"",
            "\"exit_code\"",
            "\"exitCode\"",
            "\"return-code\"",
            "\"OK\"",
        ] {
            assert!(is_outcome(key), "{key}");
        }
        for key in ["\"name\"", "\"errors_url\"", "\"\""] {
            assert!(!is_outcome(key), "{key}");
        }
    }
}

#[cfg(test)]
#[path = "tests/telling.rs"]
mod names;
