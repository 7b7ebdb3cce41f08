//! Words of failures that are values of options and settings: `--log-level=error`, `on_error: fail`, `--severity CRITICAL`.
//!
//! Owns which names are those of settings. Refuses to know which words name failures, and which lines are events.

use crate::search::find;

/// Longest name of a setting, in bytes.
const LONGEST: usize = 48;

/// Letters of the shortest of [`SETTINGS`]: most levels are below `level`.
const FEWEST: usize = 6;

/// Parts of names of settings that say what to do about failures, or from which level on, in lower case and without signs.
const SETTINGS: [&str; 32] = [
    "loglevel",
    "logginglevel",
    "loggerlevel",
    "rootlevel",
    "levelmax",
    "maxlevel",
    "minlevel",
    "minimumlevel",
    "defaultlevel",
    "faillevel",
    "rootlogger",
    "rustlog",
    "threshold",
    "verbosity",
    "minseverity",
    "minimumseverity",
    "failseverity",
    "minmessages",
    "minerrorstatement",
    "onerror",
    "onfail",
    "onexception",
    "failon",
    "breakon",
    "failurepolicy",
    "failuremode",
    "failureaction",
    "errorpolicy",
    "errormode",
    "erroraction",
    "erroractionpreference",
    "werror",
];

/// Beginnings of such names.
const BEGINNINGS: [&str; 4] = ["enable", "disable", "logginglevel", "loggerlevel"];

/// The same of options whose value is the next word.
const OPTIONS: [&str; 9] = [
    "level",
    "severity",
    "log",
    "fail",
    "error",
    "threshold",
    "verbosity",
    "warn",
    "signature",
];

/// Whether the word at `start` is the value of an option or a setting.
#[inline(never)]
pub fn is_value(line: &[u8], start: usize) -> bool {
    let is_quote = |byte: &u8| matches!(byte, b'"' | b'\'' | b'[');
    let without = |text: &'_ [u8], is: &dyn Fn(&u8) -> bool| {
        text.len() - text.iter().rev().take_while(|byte| is(byte)).count()
    };
    let before = &line[..without(&line[..start], &is_quote)];
    let bare = before.trim_ascii_end();
    let Some((sign @ (b'=' | b':'), key)) = bare.split_last() else {
        // `--severity CRITICAL`, `-W error`
        let word = word_before(bare);
        return bare.len() < before.len() && is_option(word) && names_level(word);
    };
    let key = key.trim_ascii_end();
    let key = &key[..without(key, &is_quote)];
    let key = word_before(key);
    if *sign == b'=' && is_option(key) {
        return true;
    }
    names_setting(key) && !is_event(line, key)
}

/// Whether the word at `start` is part of a command line: a value as in [`is_value`], an option (`--ignore-errors`), or in a
/// path (`/var/log/error.log`).
#[inline(never)]
pub fn is_of_command(line: &[u8], start: usize) -> bool {
    let is_end = |byte: &&u8| !matches!(byte, b' ' | b'"');
    let part = line[..start].iter().rev().take_while(is_end).count();
    let part = &line[start - part..];
    part.starts_with(b"/") || is_option(part) || is_value(line, start)
}

/// The word that a text ends with: of letters, digits, `_`, `-` and `.`.
fn word_before(text: &[u8]) -> &[u8] {
    let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_-.".contains(byte);
    &text[text.len() - text.iter().rev().take_while(is_part).count()..]
}

fn is_option(word: &[u8]) -> bool {
    let name = word.strip_prefix(b"-").unwrap_or_default();
    let name = name.strip_prefix(b"-").unwrap_or(name);
    name.first().is_some_and(u8::is_ascii_alphabetic)
}

/// Whether the option's value may be a level.
fn names_level(option: &[u8]) -> bool {
    let name = letters(option);
    option == b"-W" || OPTIONS.iter().any(|known| name.contains(known))
}

fn names_setting(key: &[u8]) -> bool {
    if key.len() < FEWEST || key.len() > LONGEST {
        return false;
    }
    let name = letters(key);
    // The level of an event in Elastic's schema.
    key != b"log.level"
        && (SETTINGS.iter().any(|known| name.contains(known))
            || BEGINNINGS.iter().any(|known| name.starts_with(known)))
}

/// Whether a line with a key of this name is an event, which has a message beside it.
fn is_event(line: &[u8], key: &[u8]) -> bool {
    let line = str::from_utf8(line).unwrap_or_default();
    letters(key) == "loglevel" && ["msg", "message"].iter().any(|it| find(line, it).is_some())
}

/// The letters of a name, in lower case.
fn letters(name: &[u8]) -> String {
    let letters = name.iter().filter(|byte| byte.is_ascii_alphabetic());
    letters
        .map(|byte| char::from(byte.to_ascii_lowercase()))
        .collect()
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
    fn what_apt_says_is_a_failure_and_a_name_is_none() {
        assert!(is_failure("E: Unable to locate package a"));
        assert!(is_failure("E: dpkg was interrupted"));
        assert!(!is_failure("E: Ann Example, 12 Long Road"));
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
