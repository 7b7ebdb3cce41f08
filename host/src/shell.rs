//! Words in messages, such as paths, so that they can be pasted into a shell and do nothing else.
//!
//! A folder may have any name, also one that hides a line of the message on a terminal.

use crate::printable::is_hidden;
use std::ffi::OsStr;
use std::fmt::Write;
use std::os::unix::ffi::OsStrExt;

/// A word as a POSIX shell reads it; what cannot be printed is escaped as bash, zsh and POSIX.1-2024
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

#[cfg(test)]
mod tests {
    use super::*;

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
            let said = std::process::Command::new("bash")
                .args(["-c", &format!("printf %s {word}")])
                .output()
                .expect("bash runs");
            assert_eq!(said.stdout, text, "{word}");
        }
    }
}
