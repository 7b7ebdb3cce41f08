//! Values that JSON lacks, as Python prints them: `Path('/etc')`, `<State.OK: 1>`, `{'a', 'b'}`, `nan`.
//!
//! Owns their ends. Such a value becomes a string that says it as the text spells it, so only readers that need not
//! restore the text take it. Refuses to guess: where an end is in doubt, no value is read.

/// Longest value in bytes. Data in a longer one would be hidden in a string.
const LONGEST: usize = 2_000;

/// Longest name in bytes.
const LONGEST_NAME: usize = 120;

/// Numbers and times that are none.
const WORDS: [&str; 6] = ["nan", "inf", "-inf", "NaT", "Ellipsis", "NotImplemented"];

/// Containers whose content was not printed, since they contain themselves or are deep.
const ELIDED: [&str; 3] = ["[...]", "{...}", "(...)"];

/// The length of the value at the beginning of `text`.
pub(super) fn length(text: &str) -> Option<usize> {
    let bytes = &text.as_bytes()[..text.len().min(LONGEST)];
    let known = WORDS.iter().chain(&ELIDED);
    let mut known = known.filter(|word| text.starts_with(**word));
    let goes_on = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'(');
    if let Some(word) = known.find(|word| !bytes.get(word.len()).is_some_and(goes_on)) {
        return Some(word.len());
    }
    let opening = match bytes.first()? {
        b'{' => set_start(bytes)?,
        b'<' => 0,
        _ => {
            let name = name(text)?.len();
            (bytes.get(name) == Some(&b'(')).then_some(name)?
        }
    };
    end(bytes, opening)
}

/// The name at the beginning of `text`: of a class, or of an attribute.
pub(super) fn name(text: &str) -> Option<&str> {
    let is_sign = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.');
    let bytes = text.as_bytes().iter().take(LONGEST_NAME);
    let length = bytes.take_while(|byte| is_sign(byte)).count();
    let begins = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    begins.then_some(&text[..length])
}

/// Whether an object with the names of its attributes may be at the beginning of `text`.
pub(super) fn begins_object(text: &str) -> bool {
    let attribute = |class: &str| {
        let inside = text[class.len()..].strip_prefix('(')?;
        Some(&inside[name(inside)?.len()..])
    };
    name(text).and_then(attribute).is_some_and(|rest| {
        // `==` compares.
        rest.starts_with('=') && !rest.starts_with("==")
    })
}

/// Where a set begins: no dict, and not empty.
fn set_start(bytes: &[u8]) -> Option<usize> {
    let mut at = 1;
    let mut depth = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'\'' | b'"' => at = string_end(bytes, at)?,
            b'(' | b'<' | b'[' | b'{' => {
                depth += 1;
                at += 1;
            }
            b':' if depth == 0 => return None,
            b',' | b'}' if depth == 0 => return (at > 1).then_some(0),
            b')' | b'>' | b']' | b'}' => {
                depth -= 1;
                at += 1;
            }
            _ => at += 1,
        }
    }
    None
}

/// The end of the brackets that open at `at`. Brackets and quotes in them must fit.
fn end(bytes: &[u8], at: usize) -> Option<usize> {
    let mut open = Vec::new();
    let mut at = at;
    while at < bytes.len() {
        let before = at.checked_sub(1).map(|before| bytes[before]);
        match bytes[at] {
            quote @ (b'\'' | b'"') => {
                // An apostrophe is no quote.
                let is_prefix = |byte: u8| matches!(byte, b'b' | b'r' | b'f' | b'u');
                let before = match before {
                    Some(byte) if is_prefix(byte) => at.checked_sub(2).map(|two| bytes[two]),
                    before => before,
                };
                let begins = before.is_some_and(|byte| b" \n\t=([{,:<".contains(&byte));
                at = string_end(bytes, at).filter(|_| begins)?;
                let ends = bytes
                    .get(at)
                    .is_some_and(|byte| b" \n\t,:)]}>".contains(byte) || *byte == quote);
                if !ends {
                    return None;
                }
                continue;
            }
            bracket @ (b'(' | b'[' | b'{') => open.push(bracket),
            // Less than, otherwise.
            b'<' if bytes
                .get(at + 1)
                .is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_') =>
            {
                open.push(b'<');
            }
            closing @ (b')' | b']' | b'}' | b'>') => {
                let opening = match closing {
                    b')' => b'(',
                    b']' => b'[',
                    b'}' => b'{',
                    _ => b'<',
                };
                if open.pop() != Some(opening) {
                    return None;
                }
                if open.is_empty() {
                    return Some(at + 1);
                }
            }
            b'<' | b'\\' => return None,
            b'\n' | b'\r' if open.contains(&b'<') => return None,
            _ => {}
        }
        at += 1;
    }
    None
}

/// The end of the string whose quote is at `at`.
fn string_end(bytes: &[u8], at: usize) -> Option<usize> {
    let quote = bytes[at];
    let mut at = at + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'\n' => return None,
            byte if byte == quote => return Some(at + 1),
            _ => {}
        }
        at += 1;
    }
    None
}
