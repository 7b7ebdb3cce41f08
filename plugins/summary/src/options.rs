//! Words of failures that are values of options and settings: `--log-level=error`, `on_error: fail`, `--severity CRITICAL`.
//!
//! Owns which names are those of settings. Refuses to know which words name failures, and which lines are events.

use crate::telling::letters_at;

/// Longest name of a setting, in bytes.
const LONGEST: usize = 48;

/// Bytes of the longest line that sets something: a longer one may be an event, whose names would be looked for once for each
/// of its words.
const LONGEST_LINE: usize = 2_048;

/// Letters of the shortest of [`SETTINGS`]: most levels are below `level`.
const FEWEST: usize = 6;

/// Words of names of settings that say what to do about failures, or from which level on, in lower case. They may be
/// written as one.
const SETTINGS: [&str; 36] = [
    "log_level",
    "logging_level",
    "logger_level",
    "root_level",
    "level_max",
    "max_level",
    "min_level",
    "minimum_level",
    "default_level",
    "fail_level",
    "root_logger",
    "rust_log",
    "alert_threshold",
    "fail_threshold",
    "severity_threshold",
    "stderr_threshold",
    "verbosity",
    "min_severity",
    "minimum_severity",
    "fail_severity",
    "min_messages",
    "min_error_statement",
    "on_error",
    "on_fail",
    "on_failure",
    "on_exception",
    "fail_on",
    "break_on",
    "failure_policy",
    "failure_mode",
    "failure_action",
    "error_policy",
    "error_mode",
    "error_action",
    "error_action_preference",
    "werror",
];

/// The last words of options whose value is a level.
const OPTIONS: [&str; 9] = [
    "level",
    "levels",
    "loglevel",
    "severity",
    "log",
    "fail",
    "on",
    "threshold",
    "verbosity",
];

/// Levels from which on something is done.
const LEVELS: [&str; 18] = [
    "error",
    "errors",
    "fatal",
    "critical",
    "err",
    "crit",
    "severe",
    "alert",
    "emerg",
    "emergency",
    "panic",
    "warning",
    "warn",
    "notice",
    "info",
    "debug",
    "trace",
    "verbose",
];

/// The first letters of [`LEVELS`] by their lengths, a bit for each letter.
static FIRST_LETTERS: [u32; 16] = letters_at(0, &LEVELS, [0; 16]);

/// Names beside the level of an event, which may end a longer one: `RenderedMessage`.
const ENDS_OF_EVENTS: [&str; 7] = [
    "msg",
    "message",
    "event",
    "timestamp",
    "exception",
    "reason",
    "detail",
];
/// The same, which are whole words.
const OF_EVENTS: [&str; 8] = [
    "ts", "time", "date", "text", "err", "body", "cause", "caller",
];

/// Whether the word at `start` is the value of an option or a setting.
#[inline(never)]
pub fn is_value(line: &[u8], start: usize) -> bool {
    if line.len() > LONGEST_LINE {
        return false;
    }
    let is_quote = |byte: &u8| matches!(byte, b'"' | b'\'' | b'[');
    let without = |text: &'_ [u8], is: &dyn Fn(&u8) -> bool| {
        text.len() - text.iter().rev().take_while(|byte| is(byte)).count()
    };
    let length = line[start..].iter().take_while(|byte| is_part(byte));
    let (word, rest) = line[start..].split_at(length.count());
    let first_letters = FIRST_LETTERS.get(word.len()).copied().unwrap_or_default();
    let first = word.first().map_or(0, |byte| byte & 0x1f);
    let is_level = first_letters >> first & 1 != 0
        && LEVELS
            .iter()
            .any(|level| word.eq_ignore_ascii_case(level.as_bytes()));
    let is_policy = is_level || matches!(word, b"fail" | b"Fail");
    if !is_policy {
        return false;
    }
    let before = &line[..without(&line[..start], &is_quote)];
    let bare = before.trim_ascii_end();
    let Some((sign @ (b'=' | b':'), key)) = bare.split_last() else {
        // `--severity CRITICAL`, `-W error`
        let option = word_before(bare);
        return is_level
            && bare.len() < before.len()
            && is_option(option)
            && names_level(option)
            && (ends(rest, false) || goes_on(rest));
    };
    let is_pair = *sign == b'=' && bare.len() == before.len();
    let key = key.trim_ascii_end();
    let key = &key[..without(key, &is_quote)];
    let name = word_before(key);
    let joined = words(name);
    if is_pair && is_option(name) {
        let is_known = names_level(name) || is_setting(&joined) || is_switch(&joined);
        return is_known && (ends(rest, false) || rest.starts_with(b" "));
    }
    let names = name.len() >= FEWEST
        && name.len() <= LONGEST
        // The level of an event in Elastic's schema.
        && name != b"log.level"
        && (is_setting(&joined) || is_pair && is_level && is_switch(&joined));
    // `coverage threshold: error` is a sentence.
    let above = &key[..key.len() - name.len()];
    let is_said = above.ends_with(b" ")
        && above
            .trim_ascii_end()
            .last()
            .is_some_and(|byte| is_part(byte) || !byte.is_ascii());
    names
        && (is_pair || !is_said)
        && (ends(rest, joined.contains("_root_logger_"))
            // Variables of an environment. Small letters are names of an event's members.
            || is_pair && !name.iter().any(u8::is_ascii_lowercase) && goes_on(rest))
        && !is_event(line)
}

/// Whether the word at `start` is part of a command line: a value as in [`is_value`], an option (`--ignore-errors`), or in a
/// path (`/var/log/error.log`).
#[inline(never)]
pub fn is_of_command(line: &[u8], start: usize) -> bool {
    let is_end = |byte: &&u8| !matches!(byte, b' ' | b'"');
    let part = line[..start].iter().rev().take_while(is_end).count();
    let part = &line[start - part..start];
    // `--status=failed` tells a state.
    let is_name = is_option(&line[start - part.len()..]) && !part.contains(&b'=');
    part.starts_with(b"/") || is_name || is_value(line, start)
}

/// Whether a value ends before this text. `has_list`: others may follow a comma (`ERROR, stdout`).
fn ends(rest: &[u8], has_list: bool) -> bool {
    match rest {
        [] | [b'"' | b'\'' | b']' | b'}' | b')', ..] => true,
        [b',', next @ ..] => match next {
            [byte, ..] if is_part(byte) || matches!(byte, b'"' | b'\'') => true,
            _ => has_list || next.trim_ascii().is_empty(),
        },
        _ => {
            let next = rest.trim_ascii();
            rest[0].is_ascii_whitespace() && (next.is_empty() || next.starts_with(b"# "))
        }
    }
}

/// Whether a command line goes on, with an option, a path, a pair or a name with signs. Other words are a sentence.
fn goes_on(rest: &[u8]) -> bool {
    let Some(rest) = rest.strip_prefix(b" ") else {
        return false;
    };
    let word = rest.split(|byte| *byte == b' ').next().unwrap_or_default();
    let is_sign = |byte: &u8| matches!(byte, b'.' | b'/' | b':' | b'=');
    match word {
        [.., b'.' | b':' | b',' | b';' | b'!' | b'?'] => false,
        [b'-', ..] => is_option(word),
        [b'/', _, ..] => true,
        [first, ..] => is_part(first) && word.iter().any(is_sign),
        [] => false,
    }
}

fn is_part(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || *byte == b'_'
}

/// The word that a text ends with: of letters, digits, `_`, `-` and `.`.
fn word_before(text: &[u8]) -> &[u8] {
    let is_inside = |byte: &&u8| is_part(byte) || b"-.".contains(byte);
    &text[text.len() - text.iter().rev().take_while(is_inside).count()..]
}

fn is_option(word: &[u8]) -> bool {
    let name = word.strip_prefix(b"-").unwrap_or_default();
    let name = name.strip_prefix(b"-").unwrap_or(name);
    name.first().is_some_and(u8::is_ascii_alphabetic)
}

/// Whether the option's value may be a level.
fn names_level(option: &[u8]) -> bool {
    let name = words(option);
    let last = name.trim_end_matches('_').rsplit('_').next();
    option == b"-W" || last.is_some_and(|last| OPTIONS.contains(&last))
}

/// Whether a name, as in [`words`], has the words of a setting.
fn is_setting(name: &str) -> bool {
    let begins = |from: usize, known: &str| {
        let mut rest = &name[from..];
        for word in known.split('_') {
            let Some(after) = rest.trim_start_matches('_').strip_prefix(word) else {
                return false;
            };
            rest = after;
        }
        rest.starts_with('_')
    };
    let mut starts = name.match_indices('_');
    starts.any(|(at, _)| SETTINGS.iter().any(|known| begins(at, known)))
}

/// Whether such a name turns something on or off.
fn is_switch(name: &str) -> bool {
    name.starts_with("_enable_") || name.starts_with("_disable_")
}

/// Whether a line has a name that events have beside their level, or a quoted text of several words.
fn is_event(line: &[u8]) -> bool {
    let mut from = 0;
    while let Some(sign) = memchr::memchr2(b'=', b':', &line[from..]) {
        let key = line[from..from + sign].trim_ascii_end();
        let key = key
            .strip_suffix(b"\"")
            .or_else(|| key.strip_suffix(b"'"))
            .unwrap_or(key);
        from += sign + 1;
        let length = key.iter().rev().take_while(|byte| is_part(byte)).count();
        let name = &key[key.len() - length..];
        let is_name = |known: &&str| name.eq_ignore_ascii_case(known.as_bytes());
        let is_end = |known: &&str| {
            let end = name.len().checked_sub(known.len()).map(|at| &name[at..]);
            end.is_some_and(|end| end.eq_ignore_ascii_case(known.as_bytes()))
        };
        let is_text = |value: &[u8]| {
            let text = value.strip_prefix(b"\"").unwrap_or_default();
            let end = memchr::memchr2(b'"', b' ', text);
            end.is_some_and(|end| end > 0 && text[end] == b' ')
        };
        if OF_EVENTS.iter().any(is_name)
            || ENDS_OF_EVENTS.iter().any(is_end)
            || is_text(line[from..].trim_ascii_start())
        {
            return true;
        }
    }
    false
}

/// The words of a name, in lower case, each between two `_`: `_log_level_` of `logLevel`.
fn words(name: &[u8]) -> String {
    let mut words = "_".to_owned();
    let mut is_small = false;
    for byte in name {
        let divides = !byte.is_ascii_alphanumeric() || is_small && byte.is_ascii_uppercase();
        if divides && !words.ends_with('_') {
            words.push('_');
        }
        if byte.is_ascii_alphanumeric() {
            words.push(char::from(byte.to_ascii_lowercase()));
        }
        is_small = byte.is_ascii_lowercase();
    }
    if !words.ends_with('_') {
        words.push('_');
    }
    words
}

#[cfg(test)]
mod tests {
    use crate::failure_words::has_word;
    use crate::levels;
    use crate::shapes::is_failure;
    use crate::telling::is_failing_state;

    #[test]
    fn values_of_options_and_settings_are_no_failures() {
        for line in [
            "1000 /usr/lib/systemd/systemd --log-level=error --id=0",
            "root 1 0.0 /usr/bin/prometheus --log.level=error",
            "/usr/bin/dockerd --log-level fatal -H fd://",
            "ffmpeg -loglevel error -i a.mp4",
            "python3 -W error manage.py runserver",
            "trivy image --exit-code 1 --severity CRITICAL web:1",
            "./configure --enable-werror=fatal --prefix=/usr",
            "gcc -O2 -Werror -Werror=format -Wno-error=deprecated a.c",
            "ENV LOG_LEVEL=error RUST_LOG=error",
            "RUN npm ci --loglevel=error",
            "CMD [\"srv\",\"--log-level=error\"]",
            "LogLevelMax=err",
            "Environment=LOG_LEVEL=error PORT=8000",
            "-- ENABLE_ERRORS=fatal",
            "log_level: error",
            "logLevel: \"error\"",
            "\"log_level\": \"error\",",
            "  failurePolicy: Fail",
            "on_error: fail",
            "fail_on = error",
            "fail-on: [error]",
            "logging.level.root=ERROR",
            "log4j.rootLogger=ERROR, stdout",
            "log_min_messages = error",
            "$ErrorActionPreference = \"fail\"",
            "stderrthreshold=FATAL",
        ] {
            assert!(!has_word(line), "{line}");
            assert!(!is_failure(line), "{line}");
            assert!(!levels::is_error(line), "{line}");
        }
    }

    #[test]
    fn events_beside_options_are_failures() {
        for line in [
            "level=error msg=\"no room\"",
            "log.level=error message=\"no room\"",
            "loglevel=ERROR msg=\"no room\"",
            "git push --force failed",
            "npm run build --silent: ERROR no such script",
            "run --log-level=error: error: no room",
            "status=failed job=7",
            "result=error",
            "deploy=failed",
            "severity: critical",
            "outcome: failure",
            "[error] run --log-level=info",
            "ERROR run --log-level=info",
        ] {
            assert!(is_failure(line), "{line}");
        }
    }

    #[test]
    fn names_are_of_whole_words_and_values_are_levels() {
        for line in [
            "api connection_error=\"fatal: remote hung up\"",
            "validation_error: failed for ports",
            "overflow_error: fatal",
            "connection_failed: error",
            "step enable-metrics-server: FAILED after 30 s",
            "coverage threshold: FAILED (71 < 80)",
            "on_failure: error: hook did not run",
            "coverage_threshold: fail",
            "disk_threshold=critical",
            "enable_auditd=fail",
            "on_error: failed",
        ] {
            assert!(is_failure(line), "{line}");
        }
    }

    #[test]
    fn a_word_after_an_option_may_be_of_a_sentence() {
        for line in [
            "run ctest --output-on-failure failed after 12 s",
            "cargo test --no-fail-fast failed",
            "mypy --warn-unreachable failed",
            "lint --fail-on error: 3 errors found",
            "job --status=failed",
        ] {
            assert!(is_failure(line), "{line}");
        }
        assert!(is_failing_state("\"--status=failed\""));
    }

    #[test]
    fn levels_of_events_are_no_settings() {
        for line in [
            "web-1 | {\"EventId\":0,\"LogLevel\":\"Error\",\"Category\":\"Db\",\"Message\":\"no room\"}",
            "ts=1 loglevel=error event=\"disk full\"",
            "ts=1 syslog.level=error message=\"disk full\"",
            "loggerLevel=ERROR message=\"disk full\"",
            "host=web-1 loglevel=error reason=\"disk full\"",
            "host=web-1 loglevel=error disk=full",
            "{\"date\":\"2026-01-01\",\"logLevel\":\"ERROR\",\"body\":\"disk full\"}",
            "{\"logLevel\":\"ERROR\",\"what\":\"disk full\"}",
        ] {
            assert!(levels::has_level(line), "{line}");
            assert!(is_failure(line), "{line}");
        }
    }

    #[test]
    fn a_long_line_takes_no_time_for_each_of_its_words() {
        let line = "loglevel=error a=1 ".repeat(50_000);
        let start = std::time::Instant::now();
        assert!(has_word(&line) && is_failure(&line));
        let seconds = start.elapsed().as_secs();
        assert!(seconds < 5, "{seconds} s");
    }

    #[test]
    fn what_apt_says_is_a_failure_and_a_name_is_none() {
        assert!(is_failure("E: Unable to locate package a"));
        assert!(is_failure("E: dpkg was interrupted"));
        assert!(!is_failure("E: Ann Example, 12 Long Road"));
        for line in [
            "E: You don't have enough free space in /var/cache/apt/archives/.",
            "E: Unsupported file ./a.deb given on commandline",
            "E: Release 'x' for 'y' was not found",
            "E: Essential packages were removed and -y was used",
            "E: List directory /var/lib/apt/lists/partial is missing.",
            "E: Can not write log (Is /dev/pts mounted?)",
            "E: Dynamic MMap ran out of room.",
            "E: Clearsigned file isn't valid, got 'NOSPLIT'",
            "trivy image --exit-code 1 web:1: exit status 1",
            "'pylint --exit-zero src' exited with code 32",
        ] {
            assert!(is_failure(line), "{line}");
        }
    }

    #[test]
    fn a_command_line_is_no_state() {
        for line in [
            "\"tail -f /var/log/nginx/error.log\"",
            "\"rsync --ignore-errors -a /a /b\"",
            "\"nginx --log-level=error\"",
            "\"ffmpeg -loglevel error -i a.mp4\"",
        ] {
            assert!(!is_failing_state(line), "{line}");
        }
        for line in [
            "\"ssh/failed\"",
            "\"exited - error\"",
            "state=error",
            "auto-failed",
        ] {
            assert!(is_failing_state(line), "{line}");
        }
    }

    #[test]
    fn words_with_a_digit_are_names() {
        assert!(!has_word("fail2ban.filter [700]: Found 10.0.0.1"));
        assert!(has_word("FAILED2: no room"));
    }
}
