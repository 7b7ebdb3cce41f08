//! Finds blobs in a text.
//!
//! A *word* is a run of characters of either alphabet of base64. A blob is one long word, or several on lines of equal
//! length, as mail and PEM files wrap it, with the padding after it. The characters on both sides of a word count too:
//! the parts of a token are words between dots.

use crate::decode::{self, Alphabet, Decoded};
use crate::{ANNOUNCED, Settings, dump};
use std::borrow::Cow;

/// A part of a text that encodes bytes.
#[derive(Debug)]
pub struct Blob {
    /// Offsets of the replaced part, including the head of a `data:` URI.
    pub start: usize,
    pub end: usize,
    pub encoding: &'static str,
    pub media: Cow<'static, str>,
    /// The number of encoded bytes.
    pub bytes: usize,
}

/// Shortest wrapped line of base64: PEM has 64, mail 76. Hashes on their own lines are shorter.
const LEAST_LINE: usize = 60;
/// Most signs of padding.
const PADDING: usize = 2;
/// The longest head of a `data:` URI, from `data:` to the comma.
const HEAD_BYTES: usize = 160;

/// All blobs, in order, without overlaps.
pub fn blobs(text: &str, settings: &Settings) -> Vec<Blob> {
    let mut found = Vec::new();
    if settings.hex {
        dump::find(text, settings.least as usize, &mut found);
    }
    let scan = Scan {
        text,
        bytes: text.as_bytes(),
        settings,
    };
    scan.words(&mut found);
    found.sort_by_key(|blob| blob.start);
    // The content of a dump may look like a blob too.
    let mut end = 0;
    found.retain(|blob| {
        let is_apart = blob.start >= end;
        if is_apart {
            end = blob.end;
        }
        is_apart
    });
    found
}

struct Scan<'a> {
    text: &'a str,
    bytes: &'a [u8],
    settings: &'a Settings,
}

impl Scan<'_> {
    fn words(&self, found: &mut Vec<Blob>) {
        let mut at = 0;
        while at < self.bytes.len() {
            if !is_digit(self.bytes[at]) {
                at += 1;
                continue;
            }
            let end = self.word_end(at);
            let (blob, next) = self.word(at, end);
            found.extend(blob);
            at = next.max(end);
        }
    }

    fn word_end(&self, start: usize) -> usize {
        let rest = &self.bytes[start..];
        start + rest.iter().take_while(|byte| is_digit(**byte)).count()
    }

    /// Judges a word, and returns where to continue.
    fn word(&self, start: usize, end: usize) -> (Option<Blob>, usize) {
        let least = self.settings.least as usize;
        if self.bytes[start..].starts_with(b"eyJ")
            && let Some(token_end) = self.token_end(end)
        {
            let is_one = self.settings.jwt && token_end - start >= least;
            return (is_one.then(|| token(start, token_end)), token_end);
        }
        // A cheap check first, because most words are short.
        let may_wrap = end - start >= LEAST_LINE && self.line_break(end).is_some();
        if end - start + PADDING < least && !may_wrap {
            return (None, end);
        }
        let head = self.head(start);
        if !self.stands_alone(start, end) {
            return (None, end);
        }
        let ends = self.ends(start, end);
        let long = ends.iter().filter(|end| **end - start >= least);
        for &end in long {
            if let Some(blob) = self.blob(start, end, head) {
                return (Some(blob), end);
            }
        }
        (None, ends[0])
    }

    /// The end of a token whose first part ends here: three parts with dots between them.
    fn token_end(&self, first: usize) -> Option<usize> {
        let part = |dot: usize| {
            let start = (self.bytes.get(dot) == Some(&b'.')).then_some(dot + 1)?;
            let end = self.word_end(start);
            (end > start).then_some(end)
        };
        part(part(first)?)
    }

    /// Whether a word is not part of something longer: of a token, a number, a host, a URL's escapes.
    fn stands_alone(&self, start: usize, end: usize) -> bool {
        let before = start.checked_sub(1).map(|at| &self.bytes[at]);
        let (after, next) = (self.bytes.get(end), self.bytes.get(end + 1));
        let is_joint = |byte: Option<&u8>| matches!(byte, Some(b'%' | b'~' | b'@'));
        let goes_on = after == Some(&b'.') && next.is_some_and(|byte| is_digit(*byte));
        let is_part = is_joint(before) || before == Some(&b'.') || is_joint(after) || goes_on;
        !is_part
    }

    /// The length of the line break at an offset.
    fn line_break(&self, at: usize) -> Option<usize> {
        match self.bytes.get(at..)? {
            [b'\n', ..] => Some(1),
            [b'\r', b'\n', ..] => Some(2),
            _ => None,
        }
    }

    /// Possible ends of a blob that begins with this word, the furthest first; at least one.
    fn ends(&self, start: usize, first: usize) -> Vec<usize> {
        let length = first - start;
        let mut ends = vec![first];
        // Hashes and keys of one length also have lines of their own.
        let is_hex = self.bytes[start..first].iter().all(u8::is_ascii_hexdigit);
        if length >= LEAST_LINE && !is_hex {
            let mut end = first;
            let mut last = None;
            while let Some(line) = self.line_break(end).map(|it| end + it) {
                let line_end = self.word_end(line);
                match line_end - line {
                    0 => break,
                    it if it == length => end = line_end,
                    it if it < length => {
                        last = Some((line, line_end));
                        break;
                    }
                    _ => break,
                }
            }
            if end > first {
                ends.insert(0, end);
            }
            if let Some((line, line_end)) = last
                && self.ends_a_blob(line, line_end)
            {
                ends.insert(0, line_end);
            }
        }
        for end in &mut ends {
            let padding = self.bytes[*end..].iter().take_while(|it| **it == b'=');
            *end += padding.count();
        }
        ends
    }

    /// Whether a shorter line is the last one of a blob, rather than a word of the text after it.
    fn ends_a_blob(&self, start: usize, end: usize) -> bool {
        match self.bytes.get(end) {
            Some(b'=') => true,
            Some(b' ' | b'\t') => false,
            _ => !looks_like_a_word(&self.bytes[start..end]),
        }
    }

    /// The start of the head of a `data:` URI whose base64 begins here.
    fn head(&self, start: usize) -> Option<usize> {
        let before = self.text[..start].strip_suffix(ANNOUNCED)?;
        let from = before.len().saturating_sub(HEAD_BYTES);
        let from = self.text.ceil_char_boundary(from);
        let head = from + before[from..].rfind("data:")?;
        let is_plain = |c: char| {
            c.is_ascii_graphic() && !matches!(c, '"' | '\'' | '<' | '>' | '(' | ')' | ',')
        };
        let stands_alone = !before[..head].ends_with(|c: char| c.is_ascii() && is_digit(c as u8));
        (stands_alone && before[head..].chars().all(is_plain)).then_some(head)
    }

    fn blob(&self, start: usize, end: usize, head: Option<usize>) -> Option<Blob> {
        let digits: Cow<'_, [u8]> = match self.bytes[start..end].contains(&b'\n') {
            false => Cow::Borrowed(&self.bytes[start..end]),
            true => {
                let digits = self.bytes[start..end].iter().copied();
                digits.filter(|it| !matches!(it, b'\r' | b'\n')).collect()
            }
        };
        let is_url = digits.iter().any(|byte| matches!(byte, b'-' | b'_'));
        if let Some(head) = head {
            let alphabet = match is_url || !digits.len().is_multiple_of(4) {
                true => Alphabet::Url,
                false => Alphabet::Standard,
            };
            let decoded = decode::believable_base64(&digits, alphabet, true)?;
            return Some(self.announced(head, end, decoded));
        }
        let is_hex = digits.iter().all(u8::is_ascii_hexdigit);
        let (encoding, decoded) = match (is_hex, is_url) {
            (true, _) if self.settings.hex => ("hex", decode::believable_hex(&digits)),
            (false, false) if self.settings.bare => (
                "base64",
                decode::believable_base64(&digits, Alphabet::Standard, false),
            ),
            (false, true) if self.settings.bare && self.settings.base64url => (
                "base64url",
                decode::believable_base64(&digits, Alphabet::Url, false),
            ),
            _ => return None,
        };
        let Decoded { bytes, media } = decoded?;
        Some(Blob {
            start,
            end,
            encoding,
            media,
            bytes,
        })
    }

    /// The blob of a `data:` URI. Its declared type counts if its bytes have no known kind.
    fn announced(&self, head: usize, end: usize, decoded: Decoded) -> Blob {
        let declared = self.text[head..end].strip_prefix("data:");
        let declared = declared.and_then(|it| it.split([';', ',']).next());
        let media = match declared {
            Some(declared)
                if matches!(&*decoded.media, "binary" | "text") && declared.contains('/') =>
            {
                Cow::Owned(declared.to_owned())
            }
            _ => decoded.media,
        };
        Blob {
            start: head,
            end,
            encoding: "base64",
            media,
            bytes: decoded.bytes,
        }
    }
}

fn token(start: usize, end: usize) -> Blob {
    Blob {
        start,
        end,
        encoding: "base64url",
        media: Cow::Borrowed("JSON Web Token"),
        bytes: end - start,
    }
}

/// Whether a word has the cases of ordinary words, or no letters, as a number.
fn looks_like_a_word(word: &[u8]) -> bool {
    let Some((first, rest)) = word.split_first() else {
        return true;
    };
    word.iter().all(u8::is_ascii_digit)
        || word.iter().all(u8::is_ascii_uppercase)
        || (first.is_ascii_alphabetic() && rest.iter().all(u8::is_ascii_lowercase))
}

/// Whether a byte is in either alphabet.
fn is_digit(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_')
}
