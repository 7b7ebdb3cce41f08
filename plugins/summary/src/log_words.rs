//! What programs say of failures in the lines of a log or of another text that is neither prose nor code: phrases, names
//! of exceptions and of signals, states of HTTP, codes of databases, and words of other languages.
//!
//! Owns these words, and when one reports a failure, or something that may go wrong. Refuses to know how they are found
//! (`failure_words`), and words that count in data, too.

use crate::failure_words::{ERROR, EXCEPTION, NOTE, OF_LOG, Starts, has_phrase_of_log, is_none};
use crate::levels;
use crate::search::{begins, ends, has, split};
use crate::trim::trim_start;
use tamis_formats::{Sixteen, words};

/// What programs say of failures, then, from [`NOTABLE`] on, of what may go wrong. The first letter of most is left out,
/// because it may be a capital.
pub const PHRASES: [&str; 87] = [
    "eset by peer",
    "roken pipe",
    "SIGSEGV",
    "SIGABRT",
    "SIGBUS",
    "SIGKILL",
    "eadlock detected",
    "eadlock found",
    "hecksum mismatch",
    "hash mismatch",
    "digest mismatch",
    "ignature mismatch",
    "eturned non-zero",
    "nexpected EOF",
    "nexpected end of",
    "ERR_",
    "ORA-",
    "SQLSTATE[",
    "E11000",
    "ntrusion detected",
    "ost quorum",
    " is not a function",
    "uota exceeded",
    "imit exceeded",
    "HTTP 5",
    "tatus 5",
    "tatus: 5",
    "tatus code 5",
    "tatus code: 5",
    "esponse code 5",
    "esponse code: 5",
    // Of failures, and words of prose.
    "annot ",
    "could not ",
    "Could not ",
    "unable to ",
    "Unable to ",
    "unreachable",
    "Unreachable",
    "tack overflow",
    "uffer overflow",
    "ata loss",
    "ssertion",
    " is down",
    " went down",
    "orrupt",
    "Fehler",
    "FEHLER",
    "fehlgeschlagen",
    "erreur",
    "ERREUR",
    "Erreur",
    " un error",
    "rror de ",
    "rror al ",
    "rror en ",
    "errore",
    "Errore",
    " erro ",
    " erro:",
    "Erro ",
    "Erro:",
    " fallo ",
    " fallo:",
    " Fallo ",
    " fallido",
    " fallito",
    " falha",
    " Falha",
    // Of what may go wrong.
    "lert: ",
    "uspicious",
    "nauthorized",
    "egraded",
    "eclined",
    "rejected",
    "Rejected",
    "CANCELLED",
    "CANCELED",
    "hrottled",
    "reaker open",
    "reaker is open",
    "ailover",
    "nvalid argument",
    "ollback",
    "eprecated",
    "etrying",
    "iving up",
    "expires",
];
const NOTABLE: usize = place_of("lert: ");

const fn place_of(phrase: &str) -> usize {
    let (mut at, phrase) = (0, phrase.as_bytes());
    while !matches!((PHRASES[at].as_bytes(), phrase), ([a, b, c, ..], [d, e, f, ..]) if *a == *d && *b == *e && *c == *f)
    {
        at += 1;
    }
    at
}

/// The same in letters that are not of ASCII.
const OF_OTHERS: [&str; 21] = [
    "échec",
    "Échec",
    "échou",
    "falló",
    "błąd",
    "Błąd",
    "ошибк",
    "Ошибк",
    "ОШИБК",
    "не удалось",
    "сбой",
    "Сбой",
    "помилк",
    "失败",
    "错误",
    "失敗",
    "エラー",
    "오류",
    "실패",
    "فشل",
    "خطأ",
];

/// Whether a line of a log reports a failure: it begins with a time, as the same words in other texts are those of people,
/// of code and of tests. `marks`: those of `failure_words`.
#[inline]
pub fn is_failure(line: &str, marks: u16) -> bool {
    marks & (OF_LOG | ERROR | EXCEPTION) != 0
        && levels::begins_with_time(line)
        && says_failure(line, marks)
        || words::has_any_of(line.as_bytes(), begin_letters) && is_of_others(line)
}

/// Bits of the bytes that the letters of [`OF_OTHERS`] begin with, but not those of most signs: `✓`, `│`.
#[inline]
fn begin_letters(bytes: Sixteen) -> u32 {
    bytes.between(0xc3, 0xd9) | bytes.between(0xe3, 0xec)
}

#[inline(never)]
fn says_failure(line: &str, marks: u16) -> bool {
    let is_told = || {
        marks & OF_LOG != 0
            && has_phrase_of_log(line, |phrase, at| {
                phrase < NOTABLE && counts(line, PHRASES[phrase], at)
            })
    };
    !is_harmless(line) && (is_told() || marks & (ERROR | EXCEPTION) != 0 && has_exception(line))
}

/// Whether a line is a title, a row of a table, an option of a program, or what a test that passed says.
fn is_harmless(line: &str) -> bool {
    const PASSED: [&str; 4] = [" ok", " PASSED", " passed", "=> true"];
    let line = line.trim_end();
    ends(line, &PASSED)
        || begins(
            trim_start(line),
            &[
                "#", "|", "-", "//", "/*", "* ", ";", "✓ ", "✔ ", "√ ", "☑ ", "ok ",
            ],
        )
}

/// Whether the phrase at a place of a line tells of a failure.
fn counts(line: &str, phrase: &str, at: usize) -> bool {
    const VERBS: [&str; 14] = [
        "allocate", "connect", "open", "access", "read", "write", "find", "load", "start", "bind",
        "reach", "resolve", "create", "stat ",
    ];
    if !line.is_char_boundary(at) {
        return false;
    }
    let (line, at) = around(line, at, at + phrase.len());
    let (before, rest) = (&line[..at], &line[at + phrase.len()..]);
    let starts = !before.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let ends = !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let is_counted = match phrase {
        "annot " => begins(rest, &VERBS),
        "unreachable" | "Unreachable" => {
            let is_end = rest.is_empty() || rest.starts_with(['.', ',', ':', ';', ')']);
            is_end && !before.ends_with("be ")
                || ["is ", "are ", "was ", "became "]
                    .iter()
                    .any(|verb| before.ends_with(verb))
        }
        "SIGSEGV" | "SIGABRT" | "SIGBUS" | "SIGKILL" => starts && ends,
        "E11000" => starts && ends,
        "ERR_" => starts && rest.bytes().take_while(u8::is_ascii_uppercase).count() > 2,
        "ORA-" => {
            let digits = rest.bytes().take_while(u8::is_ascii_digit);
            starts && digits.count() >= 4 && !rest.starts_with("00000")
        }
        "SQLSTATE[" => !rest.starts_with("00000"),
        "ssertion" => ["not met", "violat", "does not hold", "is false"]
            .iter()
            .any(|it| has(rest, it)),
        " is down" | " went down" => {
            rest.is_empty()
                || rest.starts_with(['.', ',', ':', ';', '!'])
                || begins(rest, &[" (", " for ", " since "])
        }
        "Fehler" => !begins(rest, &["frei", "los", "toler", "behandl", "korrektur"]),
        "orrupt" => {
            before.ends_with(['c', 'C'])
                && !before[..before.len() - 1].ends_with(char::is_alphabetic)
        }
        "HTTP 5" => starts && is_code(rest),
        "tatus 5" | "tatus: 5" | "tatus code 5" | "tatus code: 5" | "esponse code 5"
        | "esponse code: 5" => is_code(rest),
        _ => true,
    };
    let is_letter = |c: char| c.is_alphabetic();
    let start = before.trim_end_matches(is_letter).len();
    let end = line.len() - rest.trim_start_matches(is_letter).len();
    is_counted && !is_denied(before) && !is_zero(rest) && !is_none(line.as_bytes(), start, end)
}

/// The part of a line around its bytes from `start` to `end`, and where they begin in it. A look at all of a long line for
/// each of its words would take too long.
fn around(line: &str, start: usize, end: usize) -> (&str, usize) {
    const BYTES: usize = 200;
    let mut from = start.saturating_sub(BYTES);
    while !line.is_char_boundary(from) {
        from += 1;
    }
    let mut to = line.len().min(end + BYTES);
    while !line.is_char_boundary(to) {
        to -= 1;
    }
    (&line[from..to], start - from)
}

/// Whether two digits follow, and nothing that makes them a part of another number, or a number of things.
fn is_code(rest: &str) -> bool {
    const THINGS: [&str; 8] = ["item", "byte", "count", "error", "row", "ms", "entr", "->"];
    matches!(rest.as_bytes(), [b'0'..=b'9', b'0'..=b'9', after @ ..]
        if !after.first().is_some_and(|next| next.is_ascii_alphanumeric() || *next == b'_')
            && !matches!(after, [b'.' | b',', b'0'..=b'9', ..]))
        && !begins(rest[2..].trim_start(), &THINGS)
}

/// Whether the words before a phrase deny it: `0 `, `no `, `without any `, `keine `.
fn is_denied(before: &str) -> bool {
    const NONE: [&str; 24] = [
        "0", "no", "not", "without", "never", "zero", "keine", "kein", "ohne", "sans", "aucune",
        "aucun", "sin", "sem", "senza", "nessun", "nenhum", "ningún", "без", "нет", "prevent",
        "prevents", "avoid", "if",
    ];
    const BETWEEN: [&str; 4] = ["any", "such", "signs", "of"];
    // The phrase may begin in a word.
    let start = before
        .rfind([' ', '\t', '(', ':', '='])
        .map_or("", |at| &before[..at]);
    let mut words = start.split_whitespace().rev();
    let word = words
        .find(|word| !BETWEEN.contains(word))
        .unwrap_or_default();
    let word = word.trim_start_matches(['(', '[', '"', '-']);
    NONE.iter().any(|none| word.eq_ignore_ascii_case(none))
}

/// Whether a count of 0 follows, or a value that is none: `s: 0`, `=none`.
fn is_zero(rest: &str) -> bool {
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_lowercase() || c == '_');
    let value = rest.trim_start_matches([' ', ':', '=', '"']);
    if value.len() == rest.len() {
        return false;
    }
    let end = value
        .find([' ', ',', ';', ')', '"', '\''])
        .unwrap_or(value.len());
    // `Fehler 0` is as good as `Fehler: 0`.
    matches!(
        &value[..end],
        "0" | "none" | "None" | "null" | "false" | "no" | "nil"
    )
}

/// Whether a line names the class of an exception: `got NullPointerException`, `java.io.IOException at start`.
fn has_exception(line: &str) -> bool {
    /// Before the name of a class that is not thrown now.
    const NAMED: [&str; 14] = [
        "throws",
        "throw",
        "raises",
        "raise",
        "catch",
        "except",
        "class",
        "extends",
        "import",
        "new",
        "instanceof",
        "Raises",
        "Throws",
        "(see",
    ];
    ["Exception", "Error"].into_iter().any(|kind| {
        let mut from = 0;
        let whole = line;
        while let Some((before, _)) = split(&whole[from..], kind) {
            let place = from + before.len();
            from = place + kind.len();
            let (line, place) = around(whole, place, from);
            let end = place + kind.len();
            let rest = &line[end..];
            let start = line[..end].rfind(|c: char| !c.is_ascii_alphanumeric() && c != '.');
            let start = start.map_or(0, |at| {
                at + line[at..].chars().next().map_or(1, char::len_utf8)
            });
            let name = line[start..end].rsplit('.').next().unwrap_or_default();
            let is_end = match rest.as_bytes() {
                // The head of a column.
                [b' ', b' ', ..] => false,
                [] | [b' ' | b',' | b';' | b':' | b')' | b']', ..] => true,
                [b'.', after @ ..] => matches!(after, [] | [b' ', ..]),
                _ => false,
            };
            let is_class = name.len() > kind.len() + 1
                && name.starts_with(|c: char| c.is_ascii_uppercase())
                && name.bytes().any(|byte| byte.is_ascii_lowercase());
            let word = line[..start]
                .trim_end()
                .rsplit(' ')
                .next()
                .unwrap_or_default();
            let is_path = line[..start].ends_with(['/', '\\', '_', '-', '`', '<', '"', '\'']);
            // `raises(ValueError)`
            let is_argument = line[..start].ends_with('(') && !line[..start].ends_with(" (");
            // A row of a table only names it.
            let is_word = word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_lowercase());
            let is_said = start == 0
                || matches!(rest.trim_end(), "" | "." | ":")
                || rest.starts_with(':')
                || is_word
                || levels::begins_with_time(whole);
            if is_end
                && is_class
                && !is_path
                && !is_argument
                && is_said
                && !NAMED.contains(&word)
                && !has(&line[..start], "throws ")
                && !is_none(line.as_bytes(), start, end)
            {
                return true;
            }
        }
        false
    })
}

/// Whether a line has a word of failures in letters that are not of ASCII. In sentences they say nothing: the line begins
/// with a time, or with the word, or a colon follows.
#[inline(never)]
fn is_of_others(line: &str) -> bool {
    /// Before and after a word, that there was none.
    const BEFORE: [&str; 6] = ["没有", "无", "無", "0 个", "0个", "없"];
    const AFTER: [&str; 6] = ["なし", "はありません", "は0", "は 0", " 없", "数：0"];
    static STARTS: Starts = Starts::of(&OF_OTHERS);
    if STARTS.places(line.as_bytes()).next().is_none() {
        return false;
    }
    OF_OTHERS.iter().any(|word| {
        let Some((before, rest)) = split(line, word) else {
            return false;
        };
        let is_place = || {
            before.trim_start().is_empty()
                || rest.starts_with([':', '：', ']', '】'])
                || levels::begins_with_time(line)
                || levels::has_level(line)
        };
        let last = before.trim_end();
        let is_none = BEFORE.iter().any(|none| last.ends_with(none))
            || AFTER.iter().any(|none| rest.starts_with(none))
            || is_denied(&format!("{before} "))
            || is_zero(rest);
        !is_none && !is_harmless(line) && is_place()
    })
}

/// Whether the word around a part of a line is no part of a name: `xdr_rejected_reply`, `/rollback`.
fn is_in_words(line: &str, at: usize, length: usize) -> bool {
    let (line, at) = around(line, at, at + length);
    let is_letter = |c: char| c.is_ascii_alphabetic();
    let before = line[..at].trim_end_matches(is_letter);
    let after = line[at + length..].trim_start_matches(is_letter);
    !before.ends_with(['_', '/', '.', '-', '@', '\\'])
        && !after.starts_with(['_', '/', '(', '-', '=', '@'])
        && !matches!(after.as_bytes(), [b'.', next, ..] if *next != b' ')
}

/// Whether a line has the level of a warning in capitals: `WARN queue length 9000`.
fn has_warning(line: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    split(line, "WARN").is_some_and(|(before, rest)| {
        let rest = rest.strip_prefix("ING").unwrap_or(rest);
        !before.ends_with(is_word)
            && !rest.starts_with(is_word)
            && !is_denied(before)
            && !is_zero(rest)
    })
}

/// Lines that say what may go wrong, by what they say. A few of a kind are rare.
#[derive(Default)]
pub struct Notable {
    kinds: Vec<(usize, Vec<usize>)>,
}

impl Notable {
    /// Most lines of one kind, and one line in so many.
    const FEW: usize = 4;
    const ONE_OF: usize = 40;

    /// Notes a line with its number. `marks`: those of `failure_words`.
    #[inline]
    pub fn note(&mut self, line: (usize, &str), marks: u16) {
        if marks & (OF_LOG | NOTE) != 0 && levels::begins_with_time(line.1) {
            self.note_phrase(line);
        }
    }

    #[inline(never)]
    fn note_phrase(&mut self, (place, line): (usize, &str)) {
        let found = std::cell::Cell::new(None);
        has_phrase_of_log(line, |phrase, at| {
            let is_it = phrase >= NOTABLE
                && is_in_words(line, at, PHRASES[phrase].len())
                && counts(line, PHRASES[phrase], at);
            if is_it {
                found.set(Some(phrase));
            }
            is_it
        });
        let warning = || has_warning(line).then_some(PHRASES.len());
        let is_it = |_: &usize| !is_harmless(line);
        let Some(kind) = found.get().or_else(warning).filter(is_it) else {
            return;
        };
        let at = self.kinds.iter().position(|(known, _)| *known == kind);
        let at = at.unwrap_or_else(|| {
            self.kinds.push((kind, Vec::new()));
            self.kinds.len() - 1
        });
        let places = &mut self.kinds[at].1;
        if places.len() <= Self::FEW {
            places.push(place);
        }
    }

    /// The numbers of the lines of a text of `count` whose kind few have.
    pub fn few(self, count: usize) -> impl Iterator<Item = usize> {
        let most = Self::FEW.min(count / Self::ONE_OF);
        let kinds = self.kinds.into_iter();
        let kinds = kinds.filter(move |(_, places)| places.len() <= most);
        kinds.flat_map(|(_, places)| places)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure_words::marks;

    fn fails(line: &str) -> bool {
        is_failure(line, marks(line))
    }

    fn fails_in_log(line: &str) -> bool {
        fails(&format!("12:00:01 {line}"))
    }

    #[test]
    fn a_word_is_looked_at_with_a_part_of_a_long_line() {
        for (blanks, expected) in [(100, true), (300, false)] {
            let blanks = " ".repeat(blanks);
            assert_eq!(
                fails_in_log(&format!("assertion `é`{blanks}not met")),
                expected
            );
            assert_eq!(fails_in_log(&format!("keine{blanks}Fehler")), !expected);
        }
        for (before, after) in [(199, 201), (200, 200), (201, 199), (0, 300), (300, 0)] {
            let line = format!("{}Fehler{}", "é".repeat(before), "é".repeat(after));
            let (part, at) = around(&line, 2 * before, 2 * before + 6);
            assert!(
                part[at..].starts_with("Fehler") && part.len() <= 406,
                "{line}"
            );
        }
    }

    #[test]
    fn people_code_and_tests_have_the_same_words() {
        for line in [
            "could not connect",
            "read: connection reset by peer",
            "worker got IOException",
            "HTTP 503",
        ] {
            assert!(!fails(line) && fails_in_log(line), "{line}");
        }
        assert!(fails("Nov 28 06:00:00 web could not connect"));
        for line in [
            "HTTP 503 errors: 0",
            "status: 500 items processed",
            "status 500 -> retried",
            "uncorrupted",
            "ORA-00000: normal, successful completion",
            "test_corrupt_record_4 ... ok",
            "tests/a.py::test_x[could not open-3] PASSED",
        ] {
            assert!(!fails_in_log(line), "{line}");
        }
    }

    #[test]
    fn names_of_exceptions() {
        for line in [
            "java.lang.NullPointerException",
            "worker got IOException while it read",
            "api ValueError was raised",
            "caught: app.errors.MyError.",
        ] {
            assert!(fails_in_log(line), "{line}");
        }
        for line in [
            "C 93:0 ConfigError - A (2)",
            "with raises(ValueError):",
            "void run() throws IOException, TimeoutException",
            "src/ValueError.java",
            "the Error of x",
            "KeyError     Traceback",
            "a table of ErrorTypes",
            "0 IOException seen",
        ] {
            assert!(!fails(line), "{line}");
        }
    }

    #[test]
    fn words_of_other_alphabets_count_where_a_program_would_write_them() {
        for line in [
            "错误: 磁盘已满",
            "2026-11-28 06:00:00 连接失败",
            "[エラー] 接続",
            "ошибка диска",
        ] {
            assert!(fails(line), "{line}");
        }
        for line in [
            "人们常说失败是成功之母",
            "12:00:01 没有错误",
            "错误: 0",
            "12:00:01 エラーなし",
            "а вот и ошибка в тексте",
        ] {
            assert!(!fails(line), "{line}");
        }
    }
}
