//! Estimates the tokens of a text by the pieces into which a tokeniser (o200k) splits it before it looks for tokens.
//!
//! A table and its JSON have the same words, so an error in counting words is the same on both sides. They differ in
//! tabs, line breaks, quotes and keys, which pieces count exactly.

/// Letters of a word that cost about one token.
const LETTERS: usize = 7;

/// Consecutive signs that cost about one token: `"},{"` is one.
const SIGNS: usize = 6;

/// Digits are split into groups of three.
const DIGITS: usize = 3;

/// The estimated tokens of a text.
pub(super) fn tokens(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut at, mut pieces) = (0, 0);
    while let Some(first) = bytes.get(at) {
        let start = at;
        match kind(*first) {
            Kind::Letter => {
                at = word_end(bytes, at);
                pieces += (at - start).div_ceil(LETTERS);
            }
            Kind::Digit => {
                at = run(bytes, at, |byte| byte.is_ascii_digit());
                pieces += (at - start).div_ceil(DIGITS);
            }
            Kind::Space => {
                at = run(bytes, at, |byte| matches!(kind(byte), Kind::Space));
                let breaks = bytes[start..at].contains(&b'\n');
                let word = bytes
                    .get(at)
                    .is_some_and(|byte| kind(*byte) == Kind::Letter);
                // The last blank is one piece with the word after it. With a tab, that is not always one token.
                let own = if word && bytes[at - 1] != b'\n' {
                    usize::from(at - start > 1)
                } else {
                    1
                };
                pieces += own.max(usize::from(breaks));
            }
            Kind::Other => {
                at = run(bytes, at, |byte| kind(byte) == Kind::Other);
                // A single sign before a word is one piece with it.
                let alone = at - start == 1
                    && bytes
                        .get(at)
                        .is_some_and(|byte| kind(*byte) == Kind::Letter);
                pieces += usize::from(!alone) * (at - start).div_ceil(SIGNS);
                if bytes.get(at) == Some(&b'\n') {
                    at += 1;
                }
            }
        }
    }
    pieces
}

#[derive(PartialEq)]
enum Kind {
    Letter,
    Digit,
    Space,
    Other,
}

fn kind(byte: u8) -> Kind {
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' | 0x80.. => Kind::Letter,
        b'0'..=b'9' => Kind::Digit,
        b' ' | b'\t' | b'\n' | b'\r' => Kind::Space,
        _ => Kind::Other,
    }
}

fn run(bytes: &[u8], from: usize, is_in: impl Fn(u8) -> bool) -> usize {
    let rest = &bytes[from..];
    from + rest.iter().take_while(|byte| is_in(**byte)).count()
}

/// The end of a word: also before a capital after a small letter.
fn word_end(bytes: &[u8], from: usize) -> usize {
    let mut at = from + 1;
    while let Some(byte) = bytes.get(at) {
        let is_new = byte.is_ascii_uppercase() && bytes[at - 1].is_ascii_lowercase();
        if kind(*byte) != Kind::Letter || is_new {
            break;
        }
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::tokens;

    #[test]
    fn pieces_are_words_numbers_and_signs() {
        for (text, pieces) in [
            ("", 0),
            ("a", 1),
            ("letters", 1),
            ("letterss", 2),
            ("fourteenletter", 2),
            ("fifteen letters", 2),
            ("fifteenxletters", 3),
            // A capital after a small letter begins a word.
            ("oneTwo", 2),
            ("oneTWO", 2),
            ("ONETWO", 1),
            ("oneTwoThree", 3),
            ("\u{e9}t\u{e9}", 1),
            // Digits count in threes.
            ("1", 1),
            ("123", 1),
            ("1234", 2),
            ("123456", 2),
            ("1234567", 3),
            ("a1", 2),
            // A blank before a word belongs to it. A single blank, or one before a number, does not.
            ("a b", 2),
            ("a  b", 3),
            ("a   b", 3),
            ("a 1", 3),
            ("a ", 2),
            ("a\tb", 2),
            ("a\nb", 3),
            ("a\n b", 3),
            ("a \nb", 3),
            ("\n", 1),
            ("\n\n", 1),
            // Signs count in sixes. A single sign belongs to the word after it, and a line break to the signs before
            // it.
            ("\"a\"", 2),
            ("{\"a\":1}", 5),
            ("\"},{\"", 1),
            ("\"}],[{", 1),
            ("\"}],[{\"", 2),
            ("-", 1),
            ("-a", 1),
            ("--a", 2),
            ("-1", 2),
            ("a,\n", 2),
            ("a,\nb", 3),
            ("a,\n\n", 3),
        ] {
            assert_eq!(tokens(text), pieces, "{text:?}");
        }
    }
}
