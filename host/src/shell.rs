//! Words in messages, such as paths, so that they can be pasted into a shell and do nothing else.
//!
//! A folder may have any name, also one that hides a line of the message on a terminal.

use crate::printable::is_hidden;
use crate::system::{Platform, Shell};
use std::ffi::OsStr;
use std::fmt::Write;

/// A word as the shell of this system reads it.
pub fn word(text: impl AsRef<OsStr>) -> String {
    match Platform::here().shell() {
        Shell::Posix => posix_word(text.as_ref()),
        Shell::PowerShell => powershell_word(text.as_ref()),
    }
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-./:@%+=,~".contains(&byte)
}

/// A word as a POSIX shell reads it; unprintable characters are escaped as bash, zsh and POSIX.1-2024 have it
/// (`$'\x1b'`).
fn posix_word(text: &OsStr) -> String {
    match text.to_str() {
        Some(text) if text.bytes().all(is_plain) && !text.is_empty() && !text.starts_with('~') => {
            text.to_owned()
        }
        Some(text) if !text.chars().any(is_hidden) => format!("'{}'", text.replace('\'', r"'\''")),
        _ => escaped(text.as_encoded_bytes()),
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

/// A word as PowerShell reads it; unprintable characters are escaped as its version 7 has it (`` `u{1b} ``). What is
/// no text there becomes a question mark in a box.
fn powershell_word(text: &OsStr) -> String {
    let text = text.to_string_lossy();
    // A comma makes a list there, a percent sign and an at sign have meanings at the beginning of a word.
    let is_plain = |byte: u8| (is_plain(byte) && !b",%@".contains(&byte)) || byte == b'\\';
    let begins_plain = |text: &str| !text.starts_with(['-', '~']);
    if text.bytes().all(is_plain) && !text.is_empty() && begins_plain(&text) {
        return text.into_owned();
    }
    let is_plain_option = |text: &str| text.bytes().all(is_plain) && text.starts_with("--");
    if is_plain_option(&text) && !text.contains([':', '.']) {
        return text.into_owned();
    }
    // It takes these for quotes, too.
    let is_quote = |character| matches!(character, '\'' | '\u{2018}'..='\u{201b}');
    if !text.chars().any(is_hidden) {
        let mut word = String::from("'");
        for character in text.chars() {
            word.extend(is_quote(character).then_some(character));
            word.push(character);
        }
        return word + "'";
    }
    let mut word = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '`' | '$' | '\u{201c}'..='\u{201e}' => word.extend(['`', character]),
            _ if is_hidden(character) => {
                let _ = write!(word, "`u{{{:x}}}", u32::from(character));
            }
            _ => word.push(character),
        }
    }
    word + "\""
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

/// The words of a command, as a POSIX shell reads them where nothing is to be filled in. On Windows, where paths have
/// them, backslashes are no escapes.
///
/// # Errors
///
/// A shell would do more than take the words apart.
pub fn words(text: &str) -> Result<Vec<String>, NoWords> {
    words_for(Platform::here().shell(), text)
}

fn words_for(shell: Shell, text: &str) -> Result<Vec<String>, NoWords> {
    let escapes = shell == Shell::Posix;
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
                        Some('\\') if escapes => match characters.next() {
                            None => return Err(NoWords::Open('"')),
                            Some(escaped @ ('"' | '\\' | '$' | '`')) => word.push(escaped),
                            Some(other) => word.extend(['\\', other]),
                        },
                        Some(inner) => word.push(inner),
                    }
                }
            }
            '\\' if escapes => word.get_or_insert_default().extend(characters.next()),
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
    use std::os::unix::ffi::OsStrExt;

    #[test]
    fn powershell_reads_the_word_that_was_meant() {
        for (text, expected) in [
            (r"C:\Users\me\filters.toml", r"C:\Users\me\filters.toml"),
            (r"C:\Program Files\x", r"'C:\Program Files\x'"),
            ("it's", "'it''s'"),
            ("it\u{2019}s", "'it\u{2019}\u{2019}s'"),
            ("", "''"),
            ("--config", "--config"),
            ("-x", "'-x'"),
            ("a,b", "'a,b'"),
            ("$HOME;`id", "'$HOME;`id'"),
            ("\u{1b}[2J$x\"`", "\"`u{1b}[2J`$x`\"``\""),
        ] {
            assert_eq!(powershell_word(OsStr::new(text)), expected);
        }
        let words = words_for(Shell::PowerShell, r#"C:\bin\x.exe "C:\a b\" 'c\'"#);
        let expected = [r"C:\bin\x.exe", r"C:\a b\", r"c\"].map(str::to_owned);
        assert_eq!(words, Ok(expected.to_vec()));
    }

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
