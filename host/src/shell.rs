//! Words in messages, such as paths, so that they can be pasted into a shell and do nothing else.
//!
//! A folder may have any name, also one that hides a line of the message on a terminal.

use crate::printable::is_hidden;
use std::ffi::OsStr;
use std::fmt::Write;
use std::os::unix::ffi::OsStrExt;

/// A word as a POSIX shell reads it; unprintable characters are escaped as bash, zsh and POSIX.1-2024
/// have it (`$'\x1b'`).
pub fn word(text: impl AsRef<OsStr>) -> String {
    let text = text.as_ref();
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./:@%+=,~".contains(&byte);
    match text.to_str() {
        Some(text) if text.bytes().all(is_plain) && !text.is_empty() && !text.starts_with('~') => {
            text.to_owned()
        }
        Some(text) if !text.chars().any(is_hidden) => format!("'{}'", text.replace('\'', r"'\''")),
        _ => escaped(text.as_bytes()),
    }
}

fn escaped(bytes: &[u8]) -> String {
    let mut word = String::from("$'");
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                '\'' | '\\' => word.extend(['\\', character]),
                _ if is_hidden(character) => {
                    for byte in character.encode_utf8(&mut [0; 4]).bytes() {
                        let _ = write!(word, "\\x{byte:02x}");
                    }
                }
                _ => word.push(character),
            }
        }
        for byte in chunk.invalid() {
            let _ = write!(word, "\\x{byte:02x}");
        }
    }
    word + "'"
}

/// Why a text is not the words of a command.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoWords {
    /// A quote has no second one.
    #[error("a quote ({0}) is not closed")]
    Open(char),
    /// Only a shell acts on the character.
    #[error(
        "`{0}` has a meaning for a shell, and no shell starts the command: quote it ('{0}'), or use sh -c '…'"
    )]
    Special(char),
    /// The text has no word.
    #[error("the command is empty")]
    Empty,
}

/// The words of a command, as a POSIX shell reads them where nothing is to be filled in.
///
/// # Errors
///
/// A shell would do more than take the words apart.
pub fn words(text: &str) -> Result<Vec<String>, NoWords> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            ' ' | '\t' | '\n' | '\r' => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match characters.next() {
                        None => return Err(NoWords::Open('\'')),
                        Some('\'') => break,
                        Some(inner) => word.push(inner),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match characters.next() {
                        None => return Err(NoWords::Open('"')),
                        Some('"') => break,
                        Some(special @ ('$' | '`')) => return Err(NoWords::Special(special)),
                        Some('\\') => match characters.next() {
                            None => return Err(NoWords::Open('"')),
                            Some(escaped @ ('"' | '\\' | '$' | '`')) => word.push(escaped),
                            Some(other) => word.extend(['\\', other]),
                        },
                        Some(inner) => word.push(inner),
                    }
                }
            }
            '\\' => word.get_or_insert_default().extend(characters.next()),
            '|' | '&' | ';' | '<' | '>' | '(' | ')' | '$' | '`' | '*' | '?' => {
                return Err(NoWords::Special(character));
            }
            '~' | '#' if word.is_none() => return Err(NoWords::Special(character)),
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    match words.is_empty() {
        true => Err(NoWords::Empty),
        false => Ok(words),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_a_shell() {
        for text in [
            "npx -y @scope/name .",
            "a 'b c'd\"e \\\" f\" \\  g\\ h",
            "'' \"\" x",
            "\n one\t two ",
            "a~b c#d \"\\z\"",
        ] {
            let script = format!("printf '%s\\0' {}", text.trim());
            let output = std::process::Command::new("bash")
                .args(["-c", &script])
                .output()
                .expect("bash runs");
            let output = String::from_utf8(output.stdout).expect("text");
            let expected: Vec<&str> = output.split_terminator('\0').collect();
            assert_eq!(words(text).expect("words"), expected, "{text}");
        }
        assert_eq!(words(" \t"), Err(NoWords::Empty));
        assert_eq!(words("a 'b"), Err(NoWords::Open('\'')));
        assert_eq!(words("a \"b\\"), Err(NoWords::Open('"')));
        for special in ["a | b", "a $HOME", "a \"$HOME\"", "~/a", "a *.txt", "a; b"] {
            assert!(
                matches!(words(special), Err(NoWords::Special(_))),
                "{special}"
            );
        }
    }

    #[test]
    fn a_shell_reads_the_word_that_was_meant() {
        let words: [&[u8]; 8] = [
            b"/plain/path-1.toml",
            b"",
            b"two words",
            b"it's $HOME `id`; rm",
            b"~root",
            "h\u{f8}rt \u{202e}txt".as_bytes(),
            b"\x1b[2J\r\nhidden '\\",
            b"\xff\xfe",
        ];
        for text in words {
            let word = word(OsStr::from_bytes(text));
            assert!(!word.chars().any(is_hidden), "{word:?}");
            let output = std::process::Command::new("bash")
                .args(["-c", &format!("printf %s {word}")])
                .output()
                .expect("bash runs");
            assert_eq!(output.stdout, text, "{word}");
        }
    }
}
