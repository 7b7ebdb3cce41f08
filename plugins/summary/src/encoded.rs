//! Bytes that a text holds in base64 or in hexadecimal digits, with or without the head of a data URI.
//!
//! Owns which texts these are. Refuses to decode them.

use crate::search::find;

/// Fewest characters of such a text: a shorter one may be a key or a word.
const LEAST_CHARACTERS: usize = 400;
/// The same for a line among others.
const LEAST_OF_LINE: usize = 60;
/// Longest head of a data URI: `data:image/svg+xml;charset=utf-8;base64,`.
const LONGEST_HEAD: usize = 120;
/// Characters that are shown.
const SHOWN: usize = 64;

/// Describes a text that is such: its first characters, and how many there are.
pub fn told(text: &str) -> Option<String> {
    let text = text.trim();
    let (head, data) = text.split_at(head(text));
    let kind = kind(data)?;
    let line = data.lines().next()?;
    let shown = &line[..line.len().min(SHOWN)];
    let count = data.len();
    Some(format!("1: {head}{shown}… ({kind}, {count} characters)"))
}

/// Whether a line of a text is such, as tools break them.
pub fn is_line(line: &str) -> bool {
    let line = line.trim();
    let data = line.trim_end_matches('=');
    let has = |is: fn(&u8) -> bool| data.bytes().any(|byte| is(&byte));
    let are_signs = |byte: u8| matches!(byte, b'+' | b'/');
    let signs = data.bytes().filter(|byte| are_signs(*byte)).count();
    line.len() >= LEAST_OF_LINE
        && data.bytes().all(|byte| byte.is_ascii_alphanumeric() || are_signs(byte))
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_digit)
        // A path has more.
        && signs <= data.len() / 10 + 2
}

/// Where the data of a data URI begins; 0 of another text.
fn head(text: &str) -> usize {
    const END: &str = ";base64,";
    if !text.starts_with("data:") {
        return 0;
    }
    let end = find(text, END).filter(|at| *at <= LONGEST_HEAD);
    end.map_or(0, |at| at + END.len())
}

/// `base64` or `hexadecimal`, if a text is nothing else: in one line, or in lines as encoders of base64 break them.
fn kind(text: &str) -> Option<&'static str> {
    const BEGINNING: usize = 8;
    /// Lines of PEM, of MIME, and of tools.
    const WIDTHS: [usize; 4] = [60, 64, 72, 76];
    if text.len() < LEAST_CHARACTERS {
        return None;
    }
    let mut lines = text.lines().peekable();
    let width = lines.peek()?.len();
    let is_one = width == text.len();
    if !is_one && !WIDTHS.contains(&width) {
        return None;
    }
    let mut are_hexadecimal = is_one;
    let mut before: &[u8] = &[];
    while let Some(line) = lines.next() {
        let is_last = lines.peek().is_none();
        if line.is_empty() || line.len() > width || !is_last && line.len() < width {
            return None;
        }
        let data = match is_last {
            true => line.trim_end_matches('='),
            false => line,
        };
        // Lines of bytes do not begin alike.
        let beginning = &line.as_bytes()[..line.len().min(BEGINNING)];
        if beginning == std::mem::replace(&mut before, beginning) {
            return None;
        }
        let (mut lower, mut upper, mut digits, mut beyond) = (false, false, 0, false);
        let mut signs = [0; 2];
        for byte in data.bytes() {
            match byte {
                b'0'..=b'9' => digits += 1,
                b'a'..=b'z' => lower = true,
                b'A'..=b'Z' => upper = true,
                b'+' | b'/' => signs[0] += 1,
                b'-' | b'_' => signs[1] += 1,
                _ => return None,
            }
            beyond |= !byte.is_ascii_hexdigit();
        }
        // Bytes have all kinds of signs, in each line: a word that repeats, an id and a name do not.
        // Each of two signs is as rare as any other, and an alphabet has two.
        if signs[0] + signs[1] > data.len() / 10 + 2 || signs[0] > 0 && signs[1] > 0 {
            return None;
        }
        let has_digits = digits * 40 > data.len();
        are_hexadecimal &= has_digits && !beyond && lower != upper && data.len() == line.len();
        let has_all = has_digits && lower && upper;
        if !has_all && !are_hexadecimal && (is_one || !is_last) {
            return None;
        }
    }
    Some(match are_hexadecimal {
        true => "hexadecimal",
        false => "base64",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many signs of an alphabet, in no order.
    fn signs(alphabet: &str, count: usize) -> String {
        let mut state = 7_u64;
        let next = |_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let place = (state >> 33) as usize % alphabet.len();
            alphabet.as_bytes()[place] as char
        };
        (0..count).map(next).collect()
    }

    fn base64(count: usize) -> String {
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        signs(letters, count)
    }

    #[test]
    fn data_is_told_by_its_beginning_and_length() {
        let data = base64(4_000);
        let expected = |head: &str| {
            Some(format!(
                "1: {head}{}… (base64, 4000 characters)",
                &data[..64]
            ))
        };
        assert_eq!(told(&data), expected(""));
        assert_eq!(told(&format!("{data}\n")), expected(""));
        let uri = format!("data:image/png;base64,{data}");
        assert_eq!(told(&uri), expected("data:image/png;base64,"));
        let hex = signs("0123456789abcdef", 2_000);
        let shown = &hex[..64];
        assert_eq!(
            told(&hex),
            Some(format!("1: {shown}… (hexadecimal, 2000 characters)"))
        );
        let lines: Vec<&str> = (0..40).map(|at| &data[at * 76..(at + 1) * 76]).collect();
        let text = format!("{}\n{}==", lines.join("\n"), &data[..42]);
        let told = told(&text).expect("base64 in lines");
        assert!(
            told.ends_with(&format!("… (base64, {} characters)", text.len())),
            "{told}"
        );
    }

    #[test]
    fn other_texts_are_not() {
        let words = "Words that are long enough for it, and more of them. ".repeat(20);
        let path = "usr/share/doc/".repeat(60);
        let numbers = "1234567890".repeat(60);
        let data = base64(600);
        for text in [
            words,
            path,
            "a".repeat(2_000),
            base64(300),
            format!("{}.{}", data, data),
            format!("{data}\n{}\n{data}", &data[..90]),
            format!("{numbers}1"),
            numbers.clone(),
            // Lists: of tests, of commits, of ids.
            (0..400)
                .map(|at| format!("TestCase{at:04}/PASS\n"))
                .collect(),
            (0..40)
                .map(|at| format!("{}\n", &signs("0123456789abcdef", 900)[at..at + 40]))
                .collect(),
            (0..40)
                .map(|at| format!("{}\n", &signs("0123456789abcdef", 900)[at..at + 64]))
                .collect(),
            (0..60)
                .map(|at| format!("{}\n", &base64(900)[at..at + 11]))
                .collect(),
            format!("failed: {data}"),
        ] {
            assert_eq!(told(&text), None, "{text}");
        }
    }
}
